"""The 11th edition: pools of attacks, groups of models, and what both players may choose.

A table holds the wounds left to every model (0 is dead). Decisions, with the section of the 11th edition core rules:

* A pool runs to its end before the next begins, and reads the Toughness and keywords of that moment: the highest of
  the models of the bodyguard unit, where none is left of the others (04.02, 05.02.01). What is counted at target
  selection (Blast, Cleave) is counted once for all pools (04.01). The attacker may pick the next pool (04.03).
* Lethal Hits are a choice, made when all hits of the pool are known (24.23). Extra hits are not critical (24.36).
* A critical wound with Devastating Wounds ends its attack; after the normal damage of its pool one model, at most,
  suffers its Damage as mortal wounds (24.10). A rule about attacks that are allocated to a model does not see it.
* Attacks that their own rolls change (Precision on critical hits, better AP on critical wounds) go on in pools of
  their own, which the attacker orders (05.03.02).
* Groups: each Character model; the other models by equal Wounds, Save and invulnerable save. Groups with a hurt model
  before the order given; Characters last, hurt ones before fresh ones. The defender may order those that are alike
  before the saves are rolled (05.03). With Precision one Character is named, whose group is current until it is dead
  (24.28).
* All saves are rolled together and resolved from the lowest; each goes to a model of the current group, hurt ones
  first, of which the defender may pick one (05.03, 05.04). One re-roll of a save is used when all dice lie on the
  table (05.03); a Damage is changed to 0 when the save has failed, before it is rolled (app FAQ of 26 August 2026).
* Damage is rolled when the model is picked; what exceeds the model is lost (05.04).
* Mortal wounds: hurt models that are no Characters, other such models, hurt Characters, other Characters (06.02).
  A hazard roll fails on 1-2: one mortal wound, three if all models are Monsters or Vehicles (06.03).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import accumulate, permutations
from typing import TYPE_CHECKING, Any, NamedTuple

from plain_dice import Pmf, certainly, mean, roll, then, value
from referees.wh40k import choices, dice, models, saves
from referees.wh40k.profiles import ELEVENTH, Rules, Unit, Volley

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

State = tuple[int, ...]
WOUND = {(gifted, critical): 4 * gifted + 2 * critical for gifted in (0, 1) for critical in (0, 1)}


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
    spare: bool = False
    negates: tuple[int, ...] = ()


# ---------------------------------------------------------------------------------------------- the dice of a pool


@cache
def hits_of_pool(pool: Volley, size: int, rules: Rules) -> Pmf:
    """(critical hits, their extra hits, other hits) of all its weapons at so many models."""

    def one(so_far: tuple[int, int, int]) -> Pmf:
        critical, extra, plain = so_far

        def scored(result: str) -> Pmf:
            if result != "critical":
                return certainly((critical, extra, plain + (result == "success")))
            more = max((value(each) for each in pool.sustained_hits), key=mean, default=certainly(0))
            return then(more, lambda number: certainly((critical + 1, extra + number, plain)))

        if dice.hits_without_a_roll(pool, rules):
            return scored("success")
        return then(dice.hit(pool, rules), lambda rolled: scored(rolled[1]))

    made = dice.number_of_attacks(pool, size, rules)
    start, most = certainly((0, 0, 0)), max(attacks for attacks, _ in made)
    several = list(accumulate(range(most), lambda before, _: then(before, one), initial=start))
    return then(made, lambda rolled: several[rolled[0]])


@cache
def wounds_of(
    pool: Volley, lethal: int, hits: tuple[int, int, int], met: tuple[int, frozenset[str]], rules: Rules
) -> Pmf:
    """How many wounds of each sort: with Precision by its hit (4), better AP by its wound (2), mortal wounds (1)."""
    gift = bool(pool.precision_on_critical_hits)

    def rolled(so_far: State, gifted: bool) -> Pmf:  # noqa: FBT001
        def read(result: str) -> Pmf:
            if result == "fail":
                return certainly(so_far)
            critical = result == "critical"
            ends = critical and pool.devastating_wounds
            place = WOUND[gifted, critical and not ends and pool.ap_on_critical_wounds > 0] + ends
            return certainly((*so_far[:place], so_far[place] + 1, *so_far[place + 1 :]))

        return then(dice.wound(pool, *met, rules), lambda die: read(die[1]))

    start = [0] * 8
    start[WOUND[gift, 0]] = lethal
    distribution = certainly(tuple(start))
    for gifted, number in zip((gift, gift and rules.extra_hits_share, False), hits, strict=True):
        for _ in range(number):
            distribution = then(distribution, lambda so_far, gifted=gifted: rolled(so_far, gifted))
    return distribution


@cache
def hands(number: int, again: frozenset[int]) -> Pmf:
    """So many save dice, sorted from the lowest; some faces are re-rolled."""
    distribution = certainly(())
    for _ in range(number):
        distribution = then(distribution, lambda row: roll(lambda face: tuple(sorted((*row, face))), again))
    return distribution


# ------------------------------------------------------------------------------------------------- whole pools


class Pools:
    """Pools against a unit; a table is the name of the next step and what it needs, the wounds left at its end."""

    def __init__(self, pools: tuple[Volley, ...], unit: Unit, rules: Rules, choices: Choices) -> None:
        self.pools, self.unit, self.rules, self.choices = pools, unit, rules, choices
        fresh = models.fresh(unit)
        self.kinds, left = [model.kind for model in fresh], tuple(model.left for model in fresh)
        self.first = "turn", tuple(range(len(pools))), Now(left, choices.reroll_save, choices.negates)

    def ways(self, table: Any) -> tuple[str, list[Pmf]] | None:
        name, *needs, now = table
        if name == "turn" and (not needs[0] or not any(now.left)):
            return None
        step: Callable[..., tuple[str, list[Pmf]]] = getattr(self, f"_{name}")
        return step(*needs, now)

    def living(self, left: State) -> models.Models:
        return tuple(
            models.Model(kind, wounds) for kind, wounds in zip(self.kinds, left, strict=True) if wounds
        )

    def hurt(self, left: State, model: int) -> bool:
        return left[model] < self.unit[self.kinds[model]].wounds

    def orders(self, left: State, named: Sequence[int], *, free: bool) -> list[tuple[tuple[int, ...], ...]]:
        """Orders in which wounds reach the groups, the one given first; Characters that are named come before all."""
        found: dict[Any, tuple[int, ...]] = {}
        for model, kind in enumerate(self.kinds):
            of = self.unit[kind]
            key = model if of.character else (of.wounds, of.save, of.invulnerable)
            found[key] = found.get(key, ()) + (model,) * (left[model] > 0)

        def rank(group: tuple[int, ...]) -> tuple[int, bool, bool]:
            kind = self.kinds[group[0]]
            character = self.unit[kind].character
            aimed = named.index(kind) if character and kind in named else len(named)
            return aimed, character, not any(self.hurt(left, model) for model in group)

        given = tuple(sorted(filter(None, found.values()), key=rank))
        ways = permutations(given) if free else [given]
        return [way for way in ways if list(map(rank, way)) == list(map(rank, given))]

    def candidates(self, left: State, among: Iterable[int]) -> list[int]:
        """A hurt model, or the first of each kind; that of the first kind alone where nothing is chosen."""
        alive = [model for model in among if left[model]]
        row = [model for model in alive if self.hurt(left, model)] or alive
        of_each = {self.kinds[model]: model for model in reversed(row)}
        return sorted(of_each.values()) if self.choices.groups else row[:1]

    def _turn(self, left: tuple[int, ...], now: Now) -> tuple[str, list[Pmf]]:
        ways = left if self.choices.pools else left[:1]
        size = sum(kind.models for kind in self.unit)

        def hits(way: int) -> Pmf:
            rest = tuple(each for each in left if each != way)
            scored = hits_of_pool(self.pools[way], size, self.rules)
            return then(scored, lambda rolled: certainly(("hits", rest, way, rolled, now)))

        return "attacker", [hits(way) for way in ways]

    def _hits(self, rest: Any, pool: int, rolled: tuple[int, int, int], now: Now) -> tuple[str, list[Pmf]]:
        criticals, *others = rolled
        volley, living = self.pools[pool], self.living(now.left)
        words = frozenset(word for model in living for word in self.unit[model.kind].keywords)
        met = models.toughness(self.unit, living, self.rules), words
        ways = {"always": [criticals], "never": [0], "best": list(range(criticals, -1, -1))}[
            self.rules.lethal
        ]

        def wounds(lethal: int) -> Pmf:
            found = wounds_of(volley, lethal, (criticals - lethal, *others), met, self.rules)
            return then(found, lambda wounds: certainly(("split", rest, pool, wounds, now)))

        return "attacker", [wounds(lethal) for lethal in (ways if volley.lethal_hits else [0])]

    def _split(self, rest: Any, pool: int, wounds: State, now: Now) -> tuple[str, list[Pmf]]:
        """What goes on with Precision, with better AP, with both, or as it is: each is a pool of its own."""
        special = (6, 4, 2) if self.rules.precision_first else (6, 2, 4)
        order = (0, *special) if self.rules.split == "special-last" else (*special, 0)
        parts = tuple(place for place in order if any(wounds[place : place + 2]))
        ways = permutations(parts) if self.rules.split == "best" else [parts]
        return "attacker", [certainly(("part", rest, pool, wounds, tuple(way), now)) for way in ways]

    def _part(
        self, rest: Any, pool: int, wounds: State, parts: tuple[int, ...], now: Now
    ) -> tuple[str, list[Pmf]]:
        if not parts or not any(now.left):
            return choices.moved(("turn", rest, now))
        volley, part = self.pools[pool], parts[0]
        aimed = volley.precision_on_critical_hits if part & 4 else volley.precision
        alive = {model.kind for model in self.living(now.left)}
        named = tuple(kind for kind in aimed if kind in alive)[: None if self.rules.second else 1]
        # What is to be done: the pool and its AP, who is named, mortal wounds; then the parts that are left.
        ap = volley.ap - (volley.ap_on_critical_wounds if part & 2 else 0)
        after = rest, pool, wounds, parts[1:]
        reroll = volley.reroll_saves if isinstance(volley.reroll_saves, frozenset) else frozenset()

        def saves(order: tuple[tuple[int, ...], ...]) -> Pmf:
            rolled = hands(wounds[part], reroll)
            return then(
                rolled, lambda row: certainly(("dice", after, named, wounds[part + 1], ap, order, row, now))
            )

        free = self.choices.groups and wounds[part] > 0
        return "defender", [saves(order) for order in self.orders(now.left, named, free=free)]

    def _dice(self, *needs: Any) -> tuple[str, list[Pmf]]:
        """All saves lie on the table: one may be re-rolled."""
        *before, row, now = needs
        ways = [certainly(("saves", *before, row, now))]
        spent = now._replace(spare=False)
        for place in range(len(row)) if now.spare else ():
            others = row[:place] + row[place + 1 :]
            again = roll(lambda face, others=others: tuple(sorted((*others, face))))
            ways.append(then(again, lambda made: certainly(("saves", *before, made, spent))))
        return "defender", ways

    def _saves(
        self, after: Any, named: Any, mortal: int, ap: int, order: Any, row: tuple[int, ...], now: Now
    ) -> tuple[str, list[Pmf]]:
        group = next((group for group in order if any(now.left[model] for model in group)), None)
        if not row or group is None:
            return choices.moved(("mortal", after, named, mortal, now))
        left = after, named, mortal, ap, order, row[1:]
        return "defender", [
            certainly(("saved", left, row[0], model, now)) for model in self.candidates(now.left, group)
        ]

    def _saved(self, left: Any, face: int, model: int, now: Now) -> tuple[str, list[Pmf]]:
        volley, kind = self.pools[left[0][1]], self.kinds[model]
        if face >= saves.needed_to_save(volley, self.unit[kind], left[3], self.rules):
            return choices.moved(("saves", *left, now))
        ways = []
        if kind in now.negates:
            used = now._replace(negates=tuple(each for each in now.negates if each != kind))
            ways.append(certainly(("saves", *left, used)))
        if not ways or self.choices.negates_best:
            ways.append(self._struck(("saves", *left), volley, model, now, mortal=False))
        return "defender", ways

    def _mortal(self, after: Any, named: Any, number: int, now: Now) -> tuple[str, list[Pmf]]:
        rest, pool, wounds, parts = after
        if not number or not any(now.left):
            return choices.moved(("part", rest, pool, wounds, parts, now))
        alive = [model for model, wounds in enumerate(now.left) if wounds]
        living = [kind for kind in named if any(self.kinds[model] == kind for model in alive)]
        aimed = [model for model in alive if self.kinds[model] in living[:1]]
        guards = [model for model in alive if not self.unit[self.kinds[model]].character]
        then_on, volley = ("mortal", after, named, number - 1), self.pools[pool]
        return "defender", [
            self._struck(then_on, volley, model, now, mortal=True)
            for model in aimed[:1] or self.candidates(now.left, guards or alive)
        ]

    def _struck(self, then_on: Any, volley: Volley, model: int, now: Now, *, mortal: bool) -> Pmf:
        """The Damage of one attack on one model, point by point until it is dead."""
        kind, left = self.unit[self.kinds[model]], now.left
        need = saves.feel_no_pain(kind, mortal=mortal)

        def after(points: int) -> Pmf:
            return {
                (*then_on, now._replace(left=(*left[:model], left[model] - lost, *left[model + 1 :]))): chance
                for lost, chance in saves.suffer(points, left[model], need).items()
            }

        reduced = not mortal or self.rules.reduces_devastating
        return then(saves.damage(volley, kind, self.rules, reduced=reduced), after)


def play(
    pools: tuple[Volley, ...],
    unit: Unit,
    rules: Rules = ELEVENTH,
    *,
    choices_of_both: Choices = Choices(),
    worth: Callable[[State], int] | None = None,
) -> Pmf:
    """Coordinates of the unit at the end, of each kind models destroyed and wounds lost by the next.

    With `worth` the attacker wants it high and the defender low; of equal ways the first is taken.
    """
    game = Pools(pools, unit, rules, choices_of_both)

    def end(table: Any) -> State:
        return models.coordinates(unit, game.living(table[-1].left))

    read = None if worth is None else lambda table: worth(end(table))
    ends = choices.play(game.ways, game.first, read, {"attacker": max, "defender": min})
    return then(ends, lambda table: certainly(end(table)))
