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
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

from plain_dice import Pmf, certainly, mean, roll, then, value
from referees.wh40k import choices, dice, saves
from referees.wh40k.groups import State, candidates, fresh, lose, members, mortal_models, orders, toughness
from referees.wh40k.profiles import ELEVENTH, Rules, Unit, Volley

if TYPE_CHECKING:
    from collections.abc import Callable

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
def hits_of_pool(pool: Volley, models: int, rules: Rules) -> Pmf:
    """(critical hits, their extra hits, other hits) of all its weapons."""

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

    made = dice.number_of_attacks(pool, models, rules)
    distribution: Pmf = {}
    reached = certainly((0, 0, 0))
    for number in range(max(attacks for attacks, _ in made) + 1):
        for outcome, chance in reached.items():
            part = chance * made.get((number, dice.NONE), 0)
            if part:
                distribution[outcome] = distribution.get(outcome, 0) + part
        reached = then(reached, one)
    return distribution


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

    def __init__(
        self,
        pools: tuple[Volley, ...],
        unit: Unit,
        rules: Rules = ELEVENTH,
        choices: Choices = Choices(),
        start: State | None = None,
    ) -> None:
        self.pools, self.unit, self.rules, self.choices = pools, unit, rules, choices
        first = fresh(unit) if start is None else start
        self.kinds, self.models = members(unit), sum(map(bool, first))
        self.first = "turn", tuple(range(len(pools))), Now(first, choices.reroll_save, choices.negates)

    def ways(self, table: Any) -> tuple[str, list[Pmf]] | None:
        name, *needs, now = table
        if name == "turn" and (not needs[0] or not any(now.left)):
            return None
        step: Callable[..., tuple[str, list[Pmf]]] = getattr(self, f"_{name}")
        return step(*needs, now)

    def living(self, now: Now) -> set[int]:
        return {kind for kind, left in zip(self.kinds, now.left, strict=True) if left}

    def _turn(self, left: tuple[int, ...], now: Now) -> tuple[str, list[Pmf]]:
        ways = left if self.choices.pools else left[:1]

        def hits(way: int) -> Pmf:
            rest = tuple(each for each in left if each != way)
            scored = hits_of_pool(self.pools[way], self.models, self.rules)
            return then(scored, lambda rolled: certainly(("hits", rest, way, rolled, now)))

        return "attacker", [hits(way) for way in ways]

    def _hits(self, rest: Any, pool: int, rolled: tuple[int, int, int], now: Now) -> tuple[str, list[Pmf]]:
        criticals, *others = rolled
        volley = self.pools[pool]
        words = frozenset(word for kind in self.living(now) for word in self.unit[kind].keywords)
        met = toughness(self.unit, now.left), words
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
        named = tuple(kind for kind in aimed if kind in self.living(now))[: None if self.rules.second else 1]
        # What is to be done: the pool and its AP, who is named, mortal wounds; then the parts that are left.
        ap = volley.ap - (volley.ap_on_critical_wounds if part & 2 else 0)
        after = rest, pool, wounds, parts[1:]
        reroll = volley.reroll_saves if isinstance(volley.reroll_saves, frozenset) else frozenset()
        free = self.choices.groups and wounds[part] > 0

        def saves(order: list[list[int]]) -> Pmf:
            row = tuple(map(tuple, order))
            return then(
                hands(wounds[part], reroll),
                lambda row_of_dice: certainly(
                    ("dice", after, named, wounds[part + 1], ap, row, row_of_dice, now)
                ),
            )

        return "defender", [saves(order) for order in orders(self.unit, now.left, named, free=free)]

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
        models = candidates(self.unit, now.left, group, free=self.choices.groups)
        return "defender", [certainly(("saved", left, row[0], model, now)) for model in models]

    def _saved(self, left: Any, face: int, model: int, now: Now) -> tuple[str, list[Pmf]]:
        volley, kind = self.pools[left[0][1]], self.kinds[model]
        if face >= saves.needed_to_save(volley, self.unit[kind], left[3], self.rules):
            return choices.moved(("saves", *left, now))
        ways = []
        if kind in now.negates:
            used = now._replace(negates=tuple(each for each in now.negates if each != kind))
            ways.append(certainly(("saves", *left, used)))
        if not ways or self.choices.negates_best:
            ways.append(self._struck(("saves", *left), volley, model, now, mortal=False, reduced=True))
        return "defender", ways

    def _mortal(self, after: Any, named: Any, number: int, now: Now) -> tuple[str, list[Pmf]]:
        rest, pool, wounds, parts = after
        if not number or not any(now.left):
            return choices.moved(("part", rest, pool, wounds, parts, now))
        living = tuple(kind for kind in named if kind in self.living(now))
        models = mortal_models(self.unit, now.left, living, free=self.choices.groups)
        then_on = "mortal", after, named, number - 1
        reduced = self.rules.reduces_devastating
        volley = self.pools[pool]
        return "defender", [
            self._struck(then_on, volley, model, now, mortal=True, reduced=reduced) for model in models
        ]

    def _struck(
        self, then_on: Any, volley: Volley, model: int, now: Now, *, mortal: bool, reduced: bool
    ) -> Pmf:
        points = saves.damage(volley, self.unit[self.kinds[model]], self.rules, reduced=reduced)
        left = then(points, lambda number: lose(self.unit, now.left, model, number, mortal=mortal))
        return then(left, lambda after: certainly((*then_on, now._replace(left=after))))


def play(
    pools: tuple[Volley, ...],
    unit: Unit,
    rules: Rules = ELEVENTH,
    *,
    choices_of_both: Choices = Choices(),
    worth: Callable[[State], int] | None = None,
    start: State | None = None,
) -> Pmf:
    """Wounds left at the end: with `worth` the attacker wants it high and the defender low; of equal ways the first."""
    game = Pools(pools, unit, rules, choices_of_both, start)
    read = None if worth is None else lambda table: worth(table[-1].left)
    ends = choices.play(game.ways, game.first, read, {"attacker": max, "defender": min})
    return then(ends, lambda table: certainly(table[-1].left))
