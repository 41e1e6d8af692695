"""Both sides of a fight: who strikes when, and what is left of both, jointly."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mathhammer import validation
from mathhammer.distributions import Distribution, JointDistribution
from mathhammer.distributions.chain import extended
from mathhammer.errors import MathhammerError
from mathhammer.expressions.base import as_expression
from mathhammer.sequence.call import records_call
from mathhammer.sequence.explanation import Explanation, Step
from mathhammer.sequence.result import AttackResult, MixedResult, total_of
from mathhammer.sequence.unit_distribution import UnitDistribution, start_distribution
from mathhammer.systems.aos.attack import NAMES, explanation, pools_of, weapon_steps
from mathhammer.systems.aos.profiles import Unit
from mathhammer.systems.aos.situation import Situation, rules_of
from mathhammer.systems.aos.stages import MortalDamage, Stages, Wards

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.sequence.pools import SharedPools
    from mathhammer.systems.aos.stages import Rules

#: When units strike, by their abilities (Core Rules, 19): before, with and after all others; both cancel.
_STEPS = {"first": 0, None: 1, "last": 2}


@records_call("aos")
def fight(
    first: Unit,
    second: Unit,
    /,
    *,
    active: Literal["first", "second", "roll"] = "first",
    first_situation: Situation | None = None,
    second_situation: Situation | None = None,
    edition: str = "4e",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: UnitDistribution | None = None,
) -> AttackResult:
    """Fight with two units in turn, of which the slain strike no more: what becomes of both, jointly.

    The result is that of the attacks on the second unit; its `state` has the first one too.

    Parameters
    ----------
    first, second
        Each a `Unit` with its melee weapons.
    active
        Whose turn it is: those units strike first unless abilities say otherwise. ``"roll"`` for the priority roll,
        after a round in which the first player went first.
    first_situation, second_situation
        What else is true of the attacks of each; All-out Attack worsens the saves of its user afterwards.
    edition, rulings, exact
        As for `attack`.
    start
        The result of an earlier fight of these two units.

    Examples
    --------
    >>> guard = Unit("Guard: 5 models, Health 2, Save 3+", "Hammer: 5 models, Atk 2, Hit 3+, Wnd 3+, Rnd 1")
    >>> mob = Unit("Mob: 10 models, Health 1, Save 5+", "Club: 10 models, Atk 2, Hit 4+, Wnd 4+")
    >>> fight(guard, mob, exact=True).kills.mean()
    100/27

    References
    ----------
    Warhammer Age of Sigmar Core Rules (July 2024), 12, 13.1 and 19.
    """
    rules = rules_of(edition, rulings)
    for unit in (first, second):
        validation.instance(unit, Unit, "a Unit that fights", "Unit(target, weapons) makes one")
    validation.one_of(active, ("first", "second", "roll"), "active")
    given = (first_situation or Situation(), second_situation or Situation())
    at = validation.items(given, Situation, "a Situation of each unit")
    if any(each.pain_dice for each in at):
        raise MathhammerError("expected no pain_dice in a fight, got some; attack() knows them")
    pools = pools_of(second.target, first.target, "own")
    game = _Fight((first, second), at, pools, rules, validation.flag(exact, "exact"))
    start_of = start_distribution(pools, start, exact=exact) or Distribution.from_weights({0: 1}, exact=True)
    if active != "roll":
        return game.result(active, start_of)
    chances = Distribution.from_weights({0: 21, 1: 15}, exact=exact)
    return MixedResult(chances, [game.result(each, start_of) for each in ("first", "second")], names=NAMES)


class _Fight(NamedTuple):
    """Two units that strike in turn: a state is the points lost by the second one and by the first one."""

    units: tuple[Unit, Unit]
    situations: Sequence[Situation]
    pools: SharedPools
    rules: Rules
    exact: bool

    def standing(self, place: int, lost: Sequence[int]) -> tuple[int, bool]:
        # Models that are left, and whether the unit is Battle Damaged.
        pool, gone = self.pools.pools[1 - place], lost[1 - place]
        most = self.units[place].target.battle_damaged_at or pool.wounds + 1
        return -(-(pool.left - gone) // pool.wounds), (pool.lost + gone) % pool.wounds >= most

    def volleys(self, place: int, models: int, damaged: bool, after: bool) -> list[Any]:  # noqa: FBT001
        unit, target, at = self.units[place], self.units[1 - place].target, self.situations[place]
        # All-out Attack worsens the saves of its user for the rest of the turn.
        exposed = at.target_all_out_attack or (after and self.situations[1 - place].all_out_attack)
        at = at.changed(battle_damaged=at.battle_damaged or damaged, target_all_out_attack=exposed)
        using = ((weapon, min(weapon.models, models - weapon.behind)) for weapon in unit.only("melee"))
        armed = [weapon.changed(models=number) for weapon, number in using if number > 0]
        found = [Stages(weapon, target, at, self.rules) for weapon in armed]
        points = unit.mortal_damage + at.mortal_damage if models else as_expression(0)
        return [*found, MortalDamage(points, Wards(target, at, self.rules[1]))]

    def struck(self, states: Distribution, place: int, *, after: bool) -> Distribution:
        @cache
        def points(models: int, damaged: bool) -> Distribution:  # noqa: FBT001
            return total_of(self.volleys(place, models, damaged, after), lambda each: each.damage())

        axes = [pool.name for pool in self.pools.pools]
        joint = JointDistribution.from_distribution(axes, states, self.pools.lost.__getitem__)
        reached = extended(joint, "points", lambda lost: points(*self.standing(place, lost)))
        # The first unit strikes at the first pool.
        hurt = (lambda more: (0, more)) if place else (lambda more: (more, 0))
        return reached.map(lambda *lost: self.pools.index(self.pools.after(lost[:2], hurt(lost[2]))))

    def result(self, active: str, states: Distribution) -> AttackResult:
        # The attacks of the first unit, by what is left of it when it strikes.
        times = [
            (_STEPS[unit.strikes], (active == "second") ^ place) for place, unit in enumerate(self.units)
        ]
        after = times[1] < times[0]
        states = self.struck(states, 1, after=False) if after else states
        health = self.units[0].target.health
        before = UnitDistribution(self.pools, states)
        cases, given, which = before.cases(lambda at: self.standing(0, (0, at[2] * health + at[3])))
        results, explained = [], partial(self.explained, after)
        for case, each in zip(cases, given, strict=True):
            ends = self.struck(each._states, 0, after=after)  # noqa: SLF001 - whole numbers, as they are made here
            ends = ends if after else self.struck(ends, 1, after=True)
            volleys = self.volleys(0, *case, after)
            rules: Any = {"edition": self.rules[0].name, "rulings": self.rules[1], "explanation": explained}
            results.append(AttackResult(self.pools, ends, volleys, exact=self.exact, names=NAMES, **rules))
        seen = which.handed_out(exact=self.exact)
        return results[0] if len(results) == 1 else MixedResult(seen, results, explained, names=NAMES)

    def explained(self, after: bool, result: AttackResult) -> Explanation:  # noqa: FBT001
        steps: list[Step] = []
        for place in (1, 0) if after else (0, 1):
            unit, then = self.units[place], bool(steps)
            steps.append(Step("Strikes", f"{unit.name}, {'then' if then else 'first'} (Core Rules, 19)"))
            volleys = self.volleys(place, unit.target.models, damaged=False, after=then)
            steps += [step for each in volleys if isinstance(each, Stages) for step in weapon_steps(each)]
        heading = f"{self.units[0].name} and {self.units[1].name}"
        return explanation(result, heading, steps, self.units[0].target)
