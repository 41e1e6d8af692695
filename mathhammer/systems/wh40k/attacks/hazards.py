"""Dice that a unit rolls against itself: Hazardous tests, and those of a Desperate Escape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.display.numbers import count
from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.distributions.presentation import bars
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.expressions.base import Constant
from mathhammer.fields.kinds import Boolean, Checked, MaybeInteger
from mathhammer.sequence import volley as sequence
from mathhammer.sequence.attack_distribution import AttackDistribution, saving_throw
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.sequence.group import Group, Wound, WoundEffect, ignoring_wounds
from mathhammer.sequence.resolution import resolve
from mathhammer.sequence.result import total_of
from mathhammer.sequence.unit import ModelUnit
from mathhammer.sequence.unit_distribution import UnitDistribution, resume
from mathhammer.systems.asked import ResultT, asked
from mathhammer.systems.wh40k.attacks.unit_rolls import OfEdition, as_given, battle_shock, required
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.profiles import Target  # noqa: TC001 - pages read annotations
from mathhammer.systems.wh40k.profiles.targets import TargetUnit, gifted, read_target
from mathhammer.systems.wh40k.rules.rolls import against_mortal_wounds
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.sequence.compile import kinds_of, unit_of
from mathhammer.systems.wh40k.situation import MortalWounds, Volley, Weapons, as_volleys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.display.panel import Part
    from mathhammer.distributions import Distribution
    from mathhammer.sequence.rolls import RollResult
    from mathhammer.systems.wh40k.editions.edition import Edition, Hazard

#: Most tests of a unit.
MAXIMUM_TESTS = 2_000


class HazardousResult(UnitDistribution):
    """The distribution of the state of those who carry hazardous weapons, after their tests."""

    _tests = "Hazardous tests"

    def __init__(
        self,
        unit: ModelUnit,
        states: Distribution,
        failed: Distribution,
        steps: tuple[Step, ...],
        *,
        exact: bool,
    ) -> None:
        super().__init__(unit, states, exact=exact)
        #: Distribution of the number of failed tests, as if no bearer died before.
        self.failed = failed.handed_out(exact=exact)
        self._steps = steps

    def explain(self) -> Explanation:
        """Step by step: what is rolled, when a roll fails, and what that does to the models."""
        return Explanation(self._title(), self._steps)

    def _title(self) -> str:
        return f"{self._tests} of a unit of {count(self.unit.models, 'model')}"

    def _distributions(self) -> Sequence[Part]:
        return [bars(self.failed, "Failed tests"), *super()._distributions()]


class _Tested(OfEdition[ResultT]):
    """Rolls of a unit against itself."""

    fails_up_to: MaybeInteger = MaybeInteger(
        "A roll fails on this number and on lower ones: 3 where a rule subtracts 1, or of a Hazardous test of the 10th "
        "edition 2.",
        least=1,
        most=5,
    )
    command_reroll: Boolean = Boolean("Whether one failed roll is re-rolled.")


class _Hazardous(_Tested[HazardousResult]):
    """Take the Hazardous tests of a unit after its attacks.

    One D6 is rolled for each hazardous weapon for which a target was chosen. In the 10th edition each 1 inflicts
    three mortal wounds on one bearer: a wounded one if there is any, else one that is no character, else a
    character; what is left when it dies is lost. In the 11th edition each 1 or 2 inflicts one mortal wound on the
    unit, or three if all its models are Monsters or Vehicles.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> plasma = wh40k.Weapon.parse('Plasma: 24" A1 BS3+ S8 AP-3 D2 [HAZARDOUS]')
    >>> gunners = wh40k.Target("Gunners", toughness=4, save="3+", wounds=2, models=5)
    >>> tests = wh40k.hazardous(plasma, gunners, count=5, edition="10e", exact=True)
    >>> tests.failed.at_least(1), tests.kills.mean()
    (4651/7776, 5/6)

    References
    ----------
    Warhammer 40,000 10th edition core rules, Hazardous; Core Rules Updates; 11th edition core rules, 06.03, Hazard
    Rolls, and 24.15, Hazardous.
    """

    weapons: Checked[Weapons, Weapons] = Checked(
        as_given, "What the unit attacked with; weapons that are not hazardous take no test.", kw_only=False
    )
    bearers: Checked[Target | TargetUnit | str, Target | TargetUnit | str] = Checked(
        as_given,
        "The models that carry the hazardous weapons, in the 11th edition the whole unit: equal ones, or a "
        ":class:`TargetUnit` whose leaders are the characters among them.",
        kw_only=False,
    )
    count: Checked[int, int] = Checked(
        as_given, "Number of such weapons, where one weapon is given.", default=1
    )
    start: Checked[UnitDistribution | None, UnitDistribution | None] = Checked(
        as_given, "The state of the bearers before: the result of earlier tests.", default=None
    )

    def answer(self) -> HazardousResult:
        """Return the state of the bearers after the tests."""
        rules, bearers = self.rules, read_target(self.bearers, self.rules)
        tests = hazardous_tests(as_volleys(self.weapons, self.count))
        if not any(tests.values()):
            raise MathhammerError(
                "expected at least one weapon with Hazardous, got none, so that nobody takes a test"
            )
        hazard = required(rules, "hazard", "Hazardous weapons")
        how = {"command_reroll": self.command_reroll, "exact": self.exact}
        found = failed_tests(tests, hazard, bearers, rules, self.start, self.fails_up_to, **how)
        return HazardousResult(*found, exact=self.exact)


class DesperateEscapeResult(HazardousResult):
    """The distribution of the state of a unit after a Desperate Escape."""

    _tests = "Desperate Escape"
    _battle_shock: RollResult | None = None

    @property
    def probability_shocked(self) -> Any:
        """Probability that something of the unit escapes and is battle-shocked by it."""
        if self._battle_shock is None:
            raise MathhammerError(
                "expected a Desperate Escape of the 11th edition with the leadership of the unit, got one without"
            )
        escapes = self._states.cdf(self._unit.states - 2)
        return escapes * self._battle_shock.probability_failure


class _DesperateEscape(_Tested[DesperateEscapeResult]):
    """Roll for each model of a unit that falls back through its enemies.

    In the 10th edition each 1 or 2 destroys a model. In the 11th edition these are hazard rolls: each 1 or 2 is one
    mortal wound on the unit, three if all its models are Monsters or Vehicles; the unit then takes a battle-shock
    roll unless it is battle-shocked. A unit that leaves a transport in an Emergency or Combat Disembarkation of the
    11th edition makes the same hazard rolls, and is battle-shocked without a roll.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> guards = wh40k.Target("Guards", toughness=3, save="5+", wounds=1, models=10)
    >>> wh40k.desperate_escape(guards, edition="10e", exact=True).kills.pmf(0)
    1024/59049

    References
    ----------
    Warhammer 40,000 10th edition core rules, Desperate Escape Tests; 11th edition core rules, 09.07, Fall Back,
    18.04, Disembark, and 06.03, Hazard Rolls.
    """

    unit: Checked[Target | TargetUnit, Target | TargetUnit] = Checked(
        as_given, "The unit, as many models as it has left.", kw_only=False
    )
    leadership: Checked[Any, int | str | Sequence[int | str] | None] = Checked(
        as_given,
        "Its Leadership for the battle-shock roll, see :func:`mathhammer.wh40k.battle_shock`; leave it out of a unit "
        "that is battle-shocked.",
        default=None,
    )

    def answer(self) -> DesperateEscapeResult:
        """Return the state of the unit after the rolls."""
        rules, unit, shock = self.rules, read_target(self.unit, self.rules), None
        hazard = required(rules, "desperate_escape", "Desperate Escape")
        if self.leadership is not None:
            if rules.battle_shock is None or not rules.battle_shock.after_escape:
                raise MathhammerError(
                    f"leadership must be left out in the {rules.title}, where a Desperate Escape is followed by no "
                    "battle-shock roll"
                )
            shock = battle_shock(self.leadership, edition=rules, exact=self.exact)
        tests, reroll = {False: sum(kind.models for kind in kinds_of(unit))}, self.command_reroll
        found = failed_tests(tests, hazard, unit, rules, None, self.fails_up_to, command_reroll=reroll)
        result = DesperateEscapeResult(*found, exact=self.exact)
        result._battle_shock = shock  # noqa: SLF001 - a result of our own
        return result


hazardous, desperate_escape = asked(_Hazardous, "40k"), asked(_DesperateEscape, "40k")


def hazardous_tests(volleys: Sequence[Volley | MortalWounds]) -> dict[bool, int]:
    """Return how many tests are taken for weapons, those that are psychic apart."""
    tests = {False: 0, True: 0}
    for volley in (each for each in volleys if isinstance(each, Volley)):
        abilities = abilities_of(volley.weapon, rulebook().by_name)
        if any(rule.tests_bearers for rule in abilities):
            tests[any(rule.psychic for rule in abilities)] += volley.count
    return tests


def failed_tests(
    tests: Mapping[bool, int],
    hazard: Hazard,
    bearers: Target | TargetUnit,
    edition: Edition,
    start: UnitDistribution | None,
    fails_up_to: int | None = None,
    *,
    command_reroll: bool = False,
    exact: bool = True,
) -> tuple[ModelUnit, Distribution, Distribution, tuple[Step, ...]]:
    """Return the unit, its states after so many tests (those of psychic weapons apart), how many fail, and why."""
    fails, tests = fails_up_to or hazard.fails_up_to, {each: tests[each] for each in tests if tests[each]}
    if (number := sum(tests.values())) > MAXIMUM_TESTS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_TESTS:,} Hazardous tests, got {number:,}; use fewer weapons with Hazardous"
        )
    if command_reroll and len(tests) > 1:
        raise MathhammerError(
            "expected tests of one kind for command_reroll, got those of Psychic weapons and of others; take them "
            "one after the other, with start"
        )
    kinds = kinds_of(bearers)
    unit = unit_of(bearers, edition.by_default)
    if hazard.on_one_bearer and len(kinds) > 1:
        # A wounded bearer first, whoever it is; then the others before the characters, who are the last kinds.
        unit = ModelUnit(
            tuple(Group(kind.name, kind.models, kind.wounds, kind.wounds_lost) for kind in kinds)
        )
    unit, before = resume(unit, start, exact=exact)

    def test(wounds: int) -> AttackDistribution:
        """Return a test as an attack: failed it is wounds that allow no save, the first failure may be re-rolled."""
        each = AttackDistribution.of(GeneratingFunction({(wounds,): 1}, 1))
        return saving_throw(6 * fails, each, once="command re-roll" if command_reroll else None)

    def taken(living: tuple[Target, ...]) -> list[sequence.SequenceVolley]:
        events, each, rank, found = 1, _wounds(hazard, living), None, []
        if each is not None and not hazard.on_one_bearer:
            # Wounds that one model suffers are one event. Those of the unit are one event each, and each looks anew
            # for whom it meets, as deferred wounds do (11th edition core rules, 06.02 Mortal Wounds).
            events, each, rank = each, 1, 0 if len(kinds) > 1 else None
        for psychic, number in tests.items():
            harm = []
            for kind in gifted(bearers, living):
                need = each and against_mortal_wounds(kind, psychic=psychic)
                lost = IntegerDistribution(
                    each or kind.wounds, (1,), 1
                )  # without a number a model is destroyed
                harm.append(WoundEffect(36, ignoring_wounds(lost, need)))
            rolls, wounds = sequence.AttackNumber(Constant(number)), (Wound(tuple(harm), rank),)
            found.append(sequence.SequenceVolley(rolls, test(events), wounds))
        return found

    rolled = f"{count(number, 'D6', 'D6')}, each fails on {'a 1' if fails == 1 else f'1 to {fails}'}"
    reroll = ("one failed roll is re-rolled: Command Re-roll",) * command_reroll
    first = Step("Rolls", rolled, reroll, (Probability("P(one roll fails)", fails, 6),))
    wounds = _wounds(hazard, kinds)
    whom = "one model" if hazard.on_one_bearer else "the unit"
    does = "one model is destroyed" if wounds is None else f"{count(wounds, 'mortal wound')} on {whom}"
    needs = [
        f"{kind.name}: each is ignored on {need}+{' if the weapon is psychic' if psychic else ''}"
        for kind in kinds
        for psychic in tests
        if wounds and (need := against_mortal_wounds(kind, psychic=psychic)) is not None
    ]
    steps = first, Step("A failed roll", does, tuple(needs))
    once = test(1)
    failed = total_of(taken(kinds), lambda _: once)
    if before is None or len(kinds) == 1:
        return unit, resolve(taken(kinds), unit, start=before), failed, steps
    cases, starts, which = UnitDistribution(unit, before).cases(
        lambda state: tuple(kind for kind, dead in zip(kinds, state[::2], strict=True) if dead < kind.models)
    )
    found = [
        resolve(taken(living), unit, start=part._states)  # noqa: SLF001 - as it is resumed
        for living, part in zip(cases, starts, strict=True)
    ]
    return unit, mixture_by_mass(which._mass, found), failed, steps  # noqa: SLF001 - its indices are theirs


def _wounds(hazard: Hazard, kinds: Sequence[Target]) -> int | None:
    """Return the mortal wounds of a failed roll on a unit of some kinds of models."""
    return hazard.wounds_of_machines if all(map(is_machine, kinds)) else hazard.wounds


def is_machine(kind: Target) -> bool:
    """Whether a kind of models are Monsters or Vehicles."""
    return not {"monster", "vehicle"}.isdisjoint(keyword.lower() for keyword in kind.keywords)
