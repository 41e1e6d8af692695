"""Mortal wounds that are no attack: Hazardous tests, Deadly Demise, and the stratagems that roll dice for them."""

from __future__ import annotations

from functools import cached_property, reduce
from math import comb
from typing import TYPE_CHECKING, Any, Literal, overload

from mathhammer import sequence, validation
from mathhammer.arithmetic import P, arithmetic
from mathhammer.display import count
from mathhammer.distributions import GeneratingFunction, IntegerLaw, Measure
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.expressions import Expression, as_expression, dice, faces
from mathhammer.expressions.expression import Constant
from mathhammer.sequence import (
    AttackDistribution,
    AttackNumber,
    Group,
    Unit,
    UnitLaw,
    Wound,
    WoundEffect,
    asked,
    ignoring_wounds,
    resolve,
    resume,
    saving_throw,
)
from mathhammer.sequence.attack_distribution import NO_REROLLS
from mathhammer.sequence.volley import compound, in_arithmetic
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
from mathhammer.systems.wh40k.profiles.volleys import Volley, as_volleys
from mathhammer.systems.wh40k.rules.damage import against_mortal_wounds
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.sequence.damage import integer_law
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sympy import Rational

    from mathhammer.display import Part
    from mathhammer.distributions import Distribution
    from mathhammer.systems.wh40k.profiles.volleys import Weapons

__all__ = ["HazardousResult", "deadly_demise", "grenade", "hazardous", "tank_shock"]

#: Most tests of a unit.
MAXIMUM_TESTS = 2_000
#: Mortal wounds of a failed Hazardous test, all on one model.
_HAZARD = IntegerLaw(3, (1,), 1)


class HazardousResult(UnitLaw[P]):
    """The law of the state of those who carry hazardous weapons, after their tests.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> plasma = wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]")
    >>> bearer = wh40k.Target("Bearer", toughness=4, save="3+", wounds=2)
    >>> wh40k.hazardous(plasma, bearer, exact=True).failed.pmf(1)
    1/6
    """

    def __init__(self, unit: Unit, states: Distribution[P], failed: Distribution[P]) -> None:
        super().__init__(unit, states)
        self._failed = failed

    @cached_property
    def failed(self) -> Distribution[P]:
        """Law of the number of failed tests, as if no bearer died before."""
        return self._failed

    def _title(self) -> str:
        return f"Hazardous tests of a unit of {count(self.unit.models, 'model')}"

    def _laws(self) -> Sequence[Part]:
        from mathhammer.distributions.presentation import bars

        return [bars(self.failed, "Failed tests"), *super()._laws()]


@overload
def hazardous(
    weapons: Weapons,
    bearers: Target | TargetUnit,
    /,
    *,
    count: int = ...,
    fails_up_to: int = ...,
    command_reroll: bool = ...,
    exact: Literal[False] = ...,
    start: UnitLaw[float] | None = ...,
) -> HazardousResult[float]: ...
@overload
def hazardous(
    weapons: Weapons,
    bearers: Target | TargetUnit,
    /,
    *,
    count: int = ...,
    fails_up_to: int = ...,
    command_reroll: bool = ...,
    exact: Literal[True],
    start: UnitLaw[Rational] | None = ...,
) -> HazardousResult[Rational]: ...
@asked("40k")
def hazardous(
    weapons: Weapons,
    bearers: Target | TargetUnit,
    /,
    *,
    count: int = 1,
    fails_up_to: int = 1,
    command_reroll: bool = False,
    exact: bool = False,
    start: UnitLaw[Any] | None = None,
) -> HazardousResult[Any]:
    """Take the Hazardous tests of a unit that has made its attacks.

    One D6 is rolled for each hazardous weapon for which a target was chosen; each 1 inflicts three mortal wounds
    on one bearer: a wounded one if there is any, else one that is no character, else a character. What is left
    when it dies is lost.

    Parameters
    ----------
    weapons, count
        What the unit attacked with, as for :func:`mathhammer.wh40k.attack`; weapons that are not
        hazardous take no test.
    bearers
        The models that carry the hazardous weapons: equal ones, or a :class:`TargetUnit` whose leaders are the
        characters among them.
    fails_up_to
        A test fails on this roll and on lower ones: 3 where a rule subtracts 2 from it.
    command_reroll
        Whether one failed test is rolled again.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.
    start
        The state of the bearers before: the result of earlier tests.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> plasma = wh40k.Weapon.parse('Plasma: 24" A1 BS3+ S8 AP-3 D2 [HAZARDOUS]')
    >>> gunners = wh40k.Target("Gunners", toughness=4, save="3+", wounds=2, models=5)
    >>> tests = wh40k.hazardous(plasma, gunners, count=5, exact=True)
    >>> tests.failed.at_least(1), tests.kills.mean()
    (4651/7776, 5/6)

    References
    ----------
    Warhammer 40,000 10th edition core rules, Hazardous; Core Rules Updates.
    """
    validation.instance(bearers, (Target, TargetUnit), "a Target or a TargetUnit as bearers")
    validation.flag(command_reroll, "command_reroll")
    fails = validation.whole(fails_up_to, "fails_up_to", 1, 5)
    tests = {False: 0, True: 0}
    for volley in as_volleys(weapons, count):
        if not isinstance(volley, Volley):
            continue
        rules = abilities_of(volley.weapon, rulebook().by_name)
        if any(rule.tests_bearers for rule in rules):
            tests[any(rule.psychic for rule in rules)] += volley.count
    if not any(tests.values()):
        raise MathhammerError(
            "expected at least one weapon with Hazardous, got none, so that nobody takes a test"
        )
    if (number := sum(tests.values())) > MAXIMUM_TESTS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_TESTS:,} Hazardous tests, got {number:,}; use fewer weapons with Hazardous"
        )
    if command_reroll and all(tests.values()):
        raise MathhammerError(
            "expected tests of one kind for command_reroll, got those of Psychic weapons and of others; take them "
            "one after the other, with start"
        )
    kinds = bearers.kinds if isinstance(bearers, TargetUnit) else (bearers,)
    # A wounded bearer first, whoever it is; then the others before the characters, who are the last kinds.
    unit = Unit(tuple(Group(kind.name, kind.models, kind.wounds, kind.wounds_lost) for kind in kinds))
    unit, before = resume(unit, start, exact=exact)
    kind: Any = arithmetic(exact=exact)
    # Each test is an attack: a failed one is a wound that allows no save, and a re-roll is that of the first failure.
    once = "command re-roll" if command_reroll else None
    failed = AttackDistribution.of(GeneratingFunction.unit(0, 1))
    test = saving_throw(6 * fails, failed, once=once)
    volleys = [
        sequence.Volley(AttackNumber(Constant(number)), test, (Wound(_hazards(kinds, psychic=psychic)),))
        for psychic, number in tests.items()
        if number
    ]
    states = resolve(volleys, unit, arithmetic=kind, start=before)
    rolled = [compound(each.number.parts(kind), in_arithmetic(test, kind), kind) for each in volleys]
    held = frozenset((once,)) if once is not None else NO_REROLLS
    failures = [
        Measure.union([part for before, _, part in number if before == held], kind) for number in rolled
    ]
    return HazardousResult(unit, states, reduce(Measure.plus, failures).distribution())


def _hazards(kinds: Sequence[Target], *, psychic: bool) -> tuple[WoundEffect, ...]:
    """Return what a failed test does to each kind of bearers; the mortal wounds of a Psychic weapon are psychic too."""
    found = []
    for kind in kinds:
        need = against_mortal_wounds(kind, psychic=psychic)
        found.append(WoundEffect(36, ignoring_wounds(_HAZARD, need)))
    return tuple(found)


def grenade() -> Expression:
    """Number of mortal wounds of a Grenade: six D6, one for each 4+.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> wh40k.grenade().distribution(exact=True).mean()
    3
    >>> marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> wh40k.mortal_wounds(wh40k.grenade(), marines, exact=True).kills.pmf(3)
    1/64

    References
    ----------
    Warhammer 40,000 10th edition core stratagems, Grenade.
    """
    return faces({number: comb(6, number) for number in range(7)})


def tank_shock(toughness: int) -> Expression:
    """Number of mortal wounds of Tank Shock: a D6 for each point of Toughness, one for each 5+, 6 at most.

    Examples
    --------
    >>> tank_shock(3).distribution(exact=True).mean()
    1

    References
    ----------
    Warhammer 40,000 10th edition core stratagems, Tank Shock; Core Rules Updates.
    """
    number = validation.as_whole(toughness)
    if number is None or not 1 <= number <= 100:
        raise MathhammerError(f"expected a Toughness from 1 to 100, got {shown(toughness)}")
    toughness = number
    weights: dict[int, int] = {}
    for number in range(toughness + 1):
        capped = min(6, number)
        weights[capped] = weights.get(capped, 0) + comb(toughness, number) * 2 ** (toughness - number)
    return faces(weights)


def deadly_demise(value: int | str | Expression, /) -> Expression:
    """Number of mortal wounds that each unit within 6" suffers when one such model is destroyed.

    It is rolled when the model is destroyed: on a 6 each unit in range suffers that many, a random number rolled
    for each unit.

    Parameters
    ----------
    value
        The X of Deadly Demise X.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> wh40k.deadly_demise("D6").distribution(exact=True).mean()
    7/12

    What a unit in range loses, whether or not the tank is destroyed:

    >>> lascannon = wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1")
    >>> tank = wh40k.Target("Tank", toughness=10, save=None, wounds=2)
    >>> shot = wh40k.attack(lascannon, tank, exact=True)
    >>> shot.kills.compound(wh40k.deadly_demise("D3").distribution(exact=True)).mean()
    4/27

    References
    ----------
    Warhammer 40,000 10th edition core rules, Deadly Demise.
    """
    law = integer_law(dice(value) if isinstance(value, str) else as_expression(value))
    if law.low < 1:
        raise MathhammerError(f"expected mortal wounds of 1 or more as Deadly Demise, got {shown(value)}")
    weights = {law.low + place: weight for place, weight in enumerate(law.weights) if weight}
    return faces({0: 5 * law.denominator, **weights})
