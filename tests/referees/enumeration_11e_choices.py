"""A second opinion on the choices of the 11th edition: every option of both players is played to the end, die by die.

The dice are those of `enumeration_11e`; nothing here imports the package. What may be chosen, with the section of the
11th edition core rules:

* The defender orders the groups before the saves of a pool are rolled: those with a hurt model before fresh ones,
  Characters behind all others (05.03); of the models of a group, and of those that a mortal wound may be allocated
  to, they pick one (05.04, 06.02).
* A save re-roll of one die is used when all dice of a pool lie on the table (05.03).
* A rule that changes the Damage of one failed save to 0 is used when the save has failed, before the Damage is rolled
  (app FAQ of 26 August 2026).
* The attacker picks the next pool knowing what those before have done (04.03).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from enumeration_11e import (
    DEFAULT,
    Attacks,
    Rules,
    State,
    Unit,
    _lose,
    damage,
    fresh,
    hands,
    hits_of_pool,
    in_order,
    is_saved,
    members,
    order_of_groups,
    toughness,
    wounds_of,
)
from plain_dice import Pmf, certainly, mean, roll, then

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


@dataclass(frozen=True)
class Choices:
    """What the players may choose; the rest is as given."""

    groups: bool = False
    pools: bool = False
    reroll_save: bool = False
    negates: tuple[int, ...] = ()  # kinds, each of which changes the Damage of one failed save to 0
    negates_best: bool = False  # not of the first one


class Now(NamedTuple):
    """Wounds left to every model, whether a save may still be re-rolled, and which kinds may still negate Damage."""

    left: State
    spare: bool
    negates: tuple[int, ...]


def best_of_both(  # noqa: PLR0915 - one game, whose steps call each other
    pools: tuple[Attacks, ...],
    unit: Unit,
    worth: Callable[[State], int],
    choices: Choices,
    rules: Rules = DEFAULT,
) -> Pmf:
    """States at the end: the attacker wants what they are worth high, the defender low; of equal ways the first."""
    kinds = members(unit)
    first = fresh(unit)

    def value(pmf: Pmf) -> object:
        return mean(then(pmf, lambda now: certainly(worth(now.left))))

    def attacker(pmfs: Iterable[Pmf]) -> Pmf:
        return max(pmfs, key=value)

    def defender(pmfs: Iterable[Pmf]) -> Pmf:
        return min(pmfs, key=value)

    def living(now: Now) -> set[int]:
        return {kind for kind, left in zip(kinds, now.left, strict=True) if left}

    @cache
    def turn(left: tuple[int, ...], now: Now) -> Pmf:
        if not left or not any(now.left):
            return certainly(now)
        ways = left if choices.pools else left[:1]
        return attacker([attack(way, tuple(each for each in left if each != way), now) for way in ways])

    @cache
    def attack(number: int, rest: tuple[int, ...], now: Now) -> Pmf:
        pool = pools[number]
        words = frozenset(word for kind in living(now) for word in unit[kind].keywords)
        faced = toughness(unit, now.left), words

        def with_hits(rolled: tuple[int, int, int]) -> Pmf:
            criticals, *others = rolled
            lethal = criticals if pool.lethal and rules.lethal == "always" else 0
            pmf = wounds_of(pool, lethal, (criticals - lethal, *others), faced, rules)
            return then(pmf, lambda wounds: split(number, rest, wounds, in_order(rules), now))

        return then(hits_of_pool(pool, sum(map(bool, first)), rules), with_hits)

    @cache
    def split(
        number: int, rest: tuple[int, ...], wounds: tuple[int, ...], parts: tuple[int, ...], now: Now
    ) -> Pmf:
        parts = tuple(part for part in parts if any(wounds[part : part + 2]))
        if not parts:
            return turn(rest, now)
        way = parts[0]
        return ordered(
            number,
            way,
            wounds[way],
            wounds[way + 1],
            now,
            lambda after: split(number, rest, wounds, parts[1:], after),
        )

    def ordered(
        number: int, part: int, saved: int, mortal: int, now: Now, go_on: Callable[[Now], Pmf]
    ) -> Pmf:
        pool = pools[number]
        aimed = pool.precision_on_critical_hits if part & 4 else pool.precision
        named = tuple(kind for kind in aimed if kind in living(now))[: None if rules.second else 1]
        ap = pool.ap + (pool.ap_on_critical_wounds if part & 2 else 0)
        after_saves = cache(lambda then_: devastated(pool, mortal, named, then_, go_on))
        given = order_of_groups(unit, now.left, named)

        def rank(group: Sequence[int]) -> tuple[int, bool, bool]:
            kind = kinds[group[0]]
            place = named.index(kind) if unit[kind].character and kind in named else len(named)
            hurt = any(now.left[model] < unit[kind].wounds for model in group)
            return place, unit[kind].character, not hurt

        orders = [given]
        if choices.groups and saved:
            ranks = [rank(group) for group in given]
            orders = [list(way) for way in permutations(given) if [rank(group) for group in way] == ranks]

        def under(order: list[list[int]]) -> Pmf:
            @cache
            def resolve(dice: tuple[int, ...], now: Now) -> Pmf:
                group = next((group for group in order if any(now.left[model] for model in group)), None)
                if not dice or group is None:
                    return after_saves(now)
                return defender([struck(model, dice, now) for model in candidates(now, group)])

            def struck(model: int, dice: tuple[int, ...], now: Now) -> Pmf:
                kind = kinds[model]
                if is_saved(dice[0], unit[kind], pool, ap):
                    return resolve(dice[1:], now)
                pmfs = []
                if kind in now.negates:
                    used = now._replace(negates=tuple(each for each in now.negates if each != kind))
                    pmfs.append(resolve(dice[1:], used))
                if not pmfs or choices.negates_best:
                    points = damage(pool, unit[kind], reduced=True)
                    pmf = then(points, lambda number: _lose(unit, now.left, model, number, mortal=False))
                    pmfs.append(then(pmf, lambda left: resolve(dice[1:], now._replace(left=left))))
                return defender(pmfs)

            def rolled(dice: tuple[int, ...]) -> Pmf:
                pmfs = [resolve(dice, now)]
                if now.spare:
                    spent = now._replace(spare=False)
                    for place in range(len(dice)):
                        rest = dice[:place] + dice[place + 1 :]
                        again = roll(lambda face, rest=rest: tuple(sorted((*rest, face))))  # type: ignore[misc]
                        pmfs.append(then(again, lambda made: resolve(made, spent)))
                return defender(pmfs)

            return then(hands(saved, pool.reroll_saves), rolled)

        return defender([under(order) for order in orders])

    def candidates(now: Now, models: Sequence[int]) -> list[int]:
        """Return a hurt model, or the first of each kind; that of the first kind alone where nothing is chosen."""
        alive = [model for model in models if now.left[model]]
        hurt = [model for model in alive if now.left[model] < unit[kinds[model]].wounds]
        found = {kinds[model]: model for model in reversed(hurt or alive)}
        every = [found[kind] for kind in sorted(found)]
        return every if choices.groups else every[:1]

    def devastated(
        pool: Attacks, left: int, named: tuple[int, ...], now: Now, go_on: Callable[[Now], Pmf]
    ) -> Pmf:
        if not left or not any(now.left):
            return go_on(now)
        aimed = [kind for kind in named if kind in living(now)][:1]
        alive = [model for model, wounds in enumerate(now.left) if wounds]
        rows = [
            [model for model in alive if kinds[model] in aimed],
            [model for model in alive if not unit[kinds[model]].character],
            alive,
        ]
        pmfs = []
        for model in candidates(now, next(row for row in rows if row)):
            points = damage(pool, unit[kinds[model]], reduced=rules.reduces_devastating)
            pmf = then(points, lambda number, model=model: _lose(unit, now.left, model, number, mortal=True))  # type: ignore[misc]
            pmfs.append(
                then(pmf, lambda after: devastated(pool, left - 1, named, now._replace(left=after), go_on))
            )
        return defender(pmfs)

    start = Now(first, choices.reroll_save, choices.negates)
    return then(turn(tuple(range(len(pools))), start), lambda now: certainly(now.left))
