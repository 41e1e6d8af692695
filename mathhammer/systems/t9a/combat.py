"""A round of combat: both sides strike by initiative order, then score, and the loser tests whether it breaks."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, Generic, Literal, overload

from mathhammer import validation
from mathhammer.arithmetic import Arithmetic, P, arithmetic
from mathhammer.distributions import Distribution, JointDistribution, convolution
from mathhammer.distributions.chain import extended, transformed
from mathhammer.errors import MathhammerError
from mathhammer.modifiers import Modifier
from mathhammer.sequence import damage_of, records_call, rulings_in_force
from mathhammer.systems.t9a.armament import with_attributes
from mathhammer.systems.t9a.attributes import Attribute
from mathhammer.systems.t9a.editions import Edition, find_edition
from mathhammer.systems.t9a.outcome import CombatResult, Scoring
from mathhammer.systems.t9a.situation import Situation, read_situation
from mathhammer.systems.t9a.stages import Stages, compile_stages
from mathhammer.systems.t9a.units import Unit
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sympy import Rational

    from mathhammer.sequence import Rulings, SharedPools
    from mathhammer.systems.t9a.profiles import ModelPart

#: Most wounds beyond the last Health Point that count in a Duel.
MOST_OVERKILL = 3

State = tuple[int, ...]
#: A part by its index, how many model parts strike, and how many models of the enemy one attack can hit.
Striking = tuple[int, int, int]


@overload
def fight(
    first: Unit,
    second: Unit,
    /,
    *,
    first_round: bool = ...,
    duel: bool = ...,
    edition: str = ...,
    rulings: Mapping[str, str] | None = ...,
    exact: Literal[False] = ...,
) -> CombatResult[float]: ...
@overload
def fight(
    first: Unit,
    second: Unit,
    /,
    *,
    first_round: bool = ...,
    duel: bool = ...,
    edition: str = ...,
    rulings: Mapping[str, str] | None = ...,
    exact: Literal[True],
) -> CombatResult[Rational]: ...
@overload
def fight(
    first: Unit,
    second: Unit,
    /,
    *,
    first_round: bool = ...,
    duel: bool = ...,
    edition: str = ...,
    rulings: Mapping[str, str] | None = ...,
    exact: bool,
) -> CombatResult[float] | CombatResult[Rational]: ...
@records_call("t9a")
def fight(
    first: Unit,
    second: Unit,
    /,
    *,
    first_round: bool = True,
    duel: bool = False,
    edition: str = "2e",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
) -> CombatResult[Any]:
    """Resolve a round of combat of two units.

    Model parts strike in order of their Agility after modifiers, those of equal Agility of both sides at once; what
    was lost in one initiative step strikes no more in the next.

    Parameters
    ----------
    first, second
        The two sides.
    first_round
        Whether it is the first Round of Combat of these two.
    duel
        Whether two single models fight a Duel: up to 3 wounds beyond the last Health Point count.
    edition, rulings, exact
        As of `attack`.

    Returns
    -------
    CombatResult
        ``losses``, ``difference``, ``probability_first_wins``, ``probability_second_breaks`` and more.

    Examples
    --------
    >>> from mathhammer.systems.t9a.profiles import ModelPart, Target
    >>> def side(name, agility):
    ...     part = ModelPart("spear", attacks=1, models=2, offensive_skill=3, strength=3, agility=agility)
    ...     return Unit(Target(name, models=2, defensive_skill=3, resilience=3), part)
    >>> result = fight(side("swift", 5), side("slow", 3), exact=True)
    >>> result.first_lost.mean(), result.second_lost.mean()
    (3/8, 1/2)

    References
    ----------
    The 9th Age rulebook, 2nd edition, Set Agility Order (Charging Momentum); Attack Sequence; Combat Score; Break
    Test (No More Foes, Disrupted Ranks); Unstable; 3rd edition, Static Combat Score, Determine the Winner.
    """
    if not isinstance(first, Unit) or not isinstance(second, Unit):
        raise MathhammerError(f"expected two Units to fight, got {shown(first)} and {second!r}")
    if duel and any(unit.target.models > 1 or len(unit.bodies()) > 1 for unit in (first, second)):
        raise MathhammerError("expected single models in a Duel; give each fighter as a Unit of its own")
    validation.flag(first_round, "first_round")
    validation.flag(duel, "duel")
    if second is first:
        second = copy(second)  # the two sides are told apart by identity
    rules = find_edition(edition)
    in_force = rulings_in_force(rules.rulings, rulings)
    kind: Any = arithmetic(exact=exact)
    round_of_combat = Round(first, second, rules, in_force, kind, first_round=first_round, duel=duel)
    return round_of_combat.result(round_of_combat.start())


class Round(Generic[P]):
    """A round of combat of two units, whatever they have lost before it."""

    def __init__(
        self,
        first: Unit,
        second: Unit,
        rules: Edition,
        rulings: Rulings,
        kind: Arithmetic[P],
        *,
        first_round: bool,
        duel: bool = False,
    ) -> None:
        self._sides = (
            _Side(first, second, rules, rulings, kind, first_round=first_round),
            _Side(second, first, rules, rulings, kind, first_round=first_round),
        )
        self._steps = _initiative_steps(self._sides)
        self._kind = kind
        self._duel = duel
        mine, theirs = (side.pools for side in self._sides)
        self.scoring = Scoring(first, second, mine, theirs, rules, rulings, exact=kind.mass.exact)

    def start(self) -> JointDistribution[P]:
        """Return that nothing is lost: for each side what its pools have lost."""
        places = sum(len(side.pools.pools) for side in self._sides)
        return JointDistribution(
            tuple(map(str, range(places))), [(0,) * places], self._kind.mass.from_weights((1,), 1)
        )

    def result(self, lost: JointDistribution[P]) -> CombatResult[P]:
        """Return what the round comes to after such losses of both sides."""
        scoring, width = self.scoring, len(self._sides[0].pools.pools)

        def begun(outcome: State) -> State:
            mine, theirs = outcome[:width], outcome[width:]
            return (*mine, 0, *mine, *theirs, 0, *theirs)

        places = 2 * (len(lost.axes) + 1)
        state = transformed(lost, tuple(map(str, range(places))), begun)
        for step in self._steps:
            state = _struck(state, self._sides, step, duel=self._duel)
        stages = self._sides[0].stages + self._sides[1].stages
        return CombatResult(scoring, transformed(state, scoring.axes(), scoring.scored), stages)


class _Side(Generic[P]):
    """One unit with its attacks compiled against the other, and their distributions as models are lost."""

    def __init__(
        self,
        unit: Unit,
        enemy: Unit,
        rules: Edition,
        rulings: Mapping[str, str],
        kind: Arithmetic[P],
        *,
        first_round: bool,
    ) -> None:
        self.unit = unit
        self.pools: SharedPools = unit.pools(rules)
        self._rulings = rulings
        self._kind = kind
        self._by_state: dict[tuple[tuple[int, ...], State, int], Distribution[P]] = {}
        self._distributions: dict[Striking, Distribution[P]] = {}
        self._sums: dict[tuple[Striking, ...], Distribution[P]] = {}
        situation = read_situation(
            {
                "charging": unit.charging,
                "first_round": first_round,
                "in_combat": True,
                "flank_or_rear": unit.behind_the_enemy,
                "flanked": enemy.behind_the_enemy,
                "attacker_afraid": unit.afraid,
                "target_afraid": enemy.afraid,
                **unit.situation,
            }
        )
        situation = _in_formation(situation, unit, rules, rulings)
        bodies = enemy.bodies()
        foes = enemy.pools(rules)
        standing = foes.standing((0,) * len(foes.pools))
        self.places = tuple(enemy.place(part.at, f"{part.name!r} strikes at") for part in unit.parts)
        self.stages: tuple[Stages, ...] = tuple(
            compile_stages(
                _supernal(part) if unit.supernal else part,
                bodies[place][1],
                situation,
                rules,
                rulings,
                standing=standing,
            )
            for part, place in zip(unit.parts, self.places, strict=True)
        )
        self.hits_several = any(stages.distribution.chances.hits_each > 1 for stages in self.stages)
        # Impact Hits are of the charge (The 9th Age rulebook, 2nd edition, Special Attacks).
        self.strikes = tuple(situation.charging or not part.has("Impact Hits") for part in unit.parts)

    @cached_property
    def nothing(self) -> Distribution[P]:
        """Distribution of no damage."""
        return Distribution.from_weights({0: 1}, exact=self._kind.mass.exact)  # type: ignore[return-value]

    def damage(self, parts: tuple[int, ...], lost: State, foes: int) -> Distribution[P]:
        """Distribution of the damage of some parts by what the unit has lost and the models of the enemy that stand."""
        state = parts, lost, foes
        if state not in self._by_state:
            striking = tuple(self._striking(part, lost, foes) for part in parts)
            if striking not in self._sums:
                distributions = [self._of_part(each) for each in striking if each[1]]
                self._sums[striking] = convolution(distributions) if distributions else self.nothing
            self._by_state[state] = self._sums[striking]
        return self._by_state[state]

    def _striking(self, part: int, lost: State, foes: int) -> Striking:
        number = self.unit.present(self.unit.parts[part], self.pools, lost)
        return part, number, max(1, min(foes, self.stages[part].distribution.chances.hits_each))

    def _of_part(self, striking: Striking) -> Distribution[P]:
        if striking not in self._distributions:
            index, number, foes = striking
            self._distributions[striking] = damage_of(
                self.stages[index].against(foes, number, self._rulings), self._kind
            )
        return self._distributions[striking]


def _supernal(part: ModelPart) -> ModelPart:
    """Return a part of a Supernal model, all of whose attacks are Magical (2nd edition, Model Rules, Supernal)."""
    return with_attributes(part, (*part.attributes, Attribute("Magical Attacks")))


def _in_formation(situation: Situation, unit: Unit, rules: Edition, rulings: Mapping[str, str]) -> Situation:
    """Add what a formation gives to Close Combat Attacks.

    References
    ----------
    The 9th Age rulebook, 3rd edition, Combat Formation (Advantaged Position).
    """
    if rules.steady_penalty is None or not (unit.steady and unit.solid):
        return situation
    if rulings["advantaged_position"] == "nothing":
        return situation
    more = Modifier("add", 1, "Advantaged Position")
    return replace(situation, wound_modifier=(*situation.wound_modifier, more))


def _initiative_steps(sides: Sequence[_Side[P]]) -> list[list[tuple[int, int]]]:
    """Return side and part of all that strike, grouped by Agility, the quickest first."""
    striking = sorted(
        (-stages.armed.agility, index, place)
        for index, side in enumerate(sides)
        for place, stages in enumerate(side.stages)
        if side.strikes[place]
    )
    return [[(side, part) for _, side, part in group] for _, group in groupby(striking, lambda item: item[0])]


def _struck(
    state: JointDistribution[P], sides: Sequence[_Side[P]], step: Sequence[tuple[int, int]], *, duel: bool
) -> JointDistribution[P]:
    """Joint distribution after one initiative step, in which both sides are as the last one left them.

    Of each side it holds what the pools have lost, the wounds beyond the last, and what was lost before the round.
    """
    widths = [len(side.pools.pools) for side in sides]
    starts = (0, 2 * widths[0] + 1)
    size = starts[1] + 2 * widths[1] + 1
    struck: list[tuple[int, int]] = []
    for attacker in (0, 1):
        for place in range(widths[1 - attacker]):
            parts = [
                part for side, part in step if side == attacker and sides[attacker].places[part] == place
            ]
            if not parts:
                continue
            struck.append((1 - attacker, place))

            def distribution(
                outcome: State, attacker: int = attacker, parts: tuple[int, ...] = tuple(parts)
            ) -> Distribution[P]:
                lost = [outcome[begin : begin + width] for begin, width in zip(starts, widths, strict=True)]
                side, enemy = sides[attacker], sides[1 - attacker]
                foes = enemy.pools.standing(lost[1 - attacker]) if side.hits_several else 1
                return side.damage(parts, lost[attacker], foes)

            state = extended(state, f"damage {len(struck)}", distribution)

    def after(outcome: State) -> State:
        result: list[int] = []
        for index, side in enumerate(sides):
            damage = [0] * widths[index]
            for (victim, place), value in zip(struck, outcome[size:], strict=True):
                if victim == index:
                    damage[place] += value
            before = outcome[starts[index] : starts[index] + widths[index]]
            lost = side.pools.after(before, damage)
            end = starts[index] + widths[index]
            beyond, *earlier = outcome[end : end + 1 + widths[index]]
            if duel:
                beyond = min(MOST_OVERKILL, beyond + sum(before) + sum(damage) - sum(lost))
            result += [*lost, beyond, *earlier]
        return tuple(result)

    return transformed(state, state.axes[:size], after)
