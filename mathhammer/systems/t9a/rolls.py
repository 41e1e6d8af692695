"""Rolls that are no attacks: charges and flight, Characteristic Tests, tests of nerve, spells, dangerous ground."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence  # noqa: TC003 - pages read signatures
from functools import lru_cache
from math import prod
from typing import Any

from mathhammer import validation
from mathhammer.distributions import Distribution
from mathhammer.distributions.combination import convolution
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression
from mathhammer.expressions import dice as parse_dice
from mathhammer.expressions.pool import Maximised
from mathhammer.fields.kinds import Boolean, Checked, Integer, MaybeInteger
from mathhammer.sequence.explanation import Step
from mathhammer.sequence.rolls import ChargeResult, RollResult, fraction
from mathhammer.systems.asked import Question, ResultT, asked
from mathhammer.systems.t9a.profiles import MAXIMUM_MODELS, Target
from mathhammer.systems.t9a.situation import Ruled, dice, on_dice

#: What a Champion makes of a low roll when it orders the charge.
ORDERED_LEAST = 4
#: Most inches of a distance, of an Advance Rate, and of a roll: tables are six feet long.
MOST_INCHES = 1_000
#: The best Discipline that there is, and the least total of two dice.
MOST_DISCIPLINE, DOUBLE_1 = 10, 2
#: Most characteristics of a unit or a model of several parts.
MOST_VALUES = 100
#: Most that an Unstable unit of undead loses while it is Steadfast.
STEADFAST_CAP = 12
#: Most Magic Dice of a Casting Attempt, and up to what a single one fails whatever is added.
MOST_MAGIC_DICE, FAILS_ALONE = 5, 2


def rolled(
    roll: Expression, rulings: Mapping[str, str], *, reroll: bool, exact: bool
) -> tuple[Distribution, ...]:
    """Return the distribution of a roll, and that of its reroll if it may be rerolled where it fails."""
    # The 9th Age rulebook, 2nd edition, Rerolling Dice.
    again = (roll,) * reroll
    if reroll and rulings["reroll_of_maximised"] == "kept-dice":
        again = (on_dice(roll, lambda each: each.roll if isinstance(each, Maximised) else each),)
    return tuple(_distribution(each, exact=exact) for each in (roll, *again))


def chances(laws: Iterable[Distribution], of: Callable[[Distribution], tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return the probabilities to pass and to fail, from those of each roll: no subtraction."""
    passed: Any = 0
    failed: Any = 1
    for law in laws:
        now, never = of(in_fractions(law))
        passed, failed = passed + failed * now, failed * never
    return passed, failed


def up_to(laws: Iterable[Distribution], most: int) -> tuple[Any, Any]:
    """Return the probabilities of a roll of at most so much, and of a greater one."""
    return chances(laws, lambda law: (law.cdf(most), law.at_least(most + 1)))


@lru_cache(maxsize=512)
def _distribution(roll: Expression, *, exact: bool) -> Distribution:
    return roll.distribution(exact=exact)


class _Move(Ruled[ResultT]):
    """The dice of a move."""

    swiftstride: Boolean = Boolean("Whether the whole unit has it: the roll is Maximised.")
    maximised: Integer = Integer("Other instances of this rule.", default=0)
    minimised: Integer = Integer("Instances of this rule.", default=0)
    random_movement: Checked[Any, str | Expression | None] = Checked(
        lambda given: given,
        "The unit's own dice, instead of 2D6; such a unit never has Swiftstride.",
        default=None,
    )

    @property
    def roll(self) -> Expression:
        """What is rolled."""
        given = self.random_movement
        if given is not None:
            validation.instance(given, (str, Expression), "dice as random_movement", "such as '3D6'")
            if self.swiftstride:
                raise MathhammerError(
                    "expected swiftstride without random_movement: such a unit never has Swiftstride"
                )
        more = self.maximised + self.swiftstride
        roll = dice("2D6" if given is None else given, maximised=more, minimised=self.minimised, **self.under)
        low, high = roll.bounds()
        if low < 0 or high > MOST_INCHES:
            raise MathhammerError(f"expected a roll of 0 to {MOST_INCHES:,} inches, got {given}")
        return roll


class _T9aCharge(_Move[ChargeResult]):
    """Roll for a charge: two dice and the lowest Advance Rate of the unit.

    The 9th Age rulebook, 2nd edition, Move Chargers; Ordering the Charge; Swiftstride; Random Movement.

    Examples
    --------
    >>> charge(11, advance=4, exact=True).probability_success
    7/12
    """

    distance: Integer = Integer("To the target, in inches.", most=MOST_INCHES, kw_only=False)
    advance: MaybeInteger = MaybeInteger(
        "The lowest Advance Rate in the unit, without `random_movement`.", most=MOST_INCHES
    )
    champion: Boolean = Boolean(
        "Whether a Champion orders the charge: a roll below 4 counts as 4 for success."
    )
    reroll: Boolean = Boolean("Whether a failed charge is rerolled.")

    def answer(self) -> ChargeResult:
        if (self.advance is None) == (self.random_movement is None):
            got = "neither" if self.advance is None else "both"
            raise MathhammerError(f"expected advance=... or random_movement=..., got {got}")
        base, distance, roll = self.advance or 0, self.distance, self.roll
        rules, in_force = self.rules
        laws = rolled(roll, in_force, reroll=self.reroll, exact=self.exact)

        def reached(inches: int) -> int:
            return base + max(inches, ORDERED_LEAST if self.champion else 0)

        reach = [law.map(reached) for law in laws]

        def over(wanted: int) -> Any:
            return chances(reach, lambda law: (law.at_least(wanted), law.cdf(wanted - 1)))[0]

        short = in_fractions(reach[0]).cdf(distance - 1)
        missed = laws[0].given(lambda inches: reached(inches) < distance) if short else None
        support = reach[0].support
        table = tuple((wanted, over(wanted)) for wanted in range(support[0], support[-1] + 1))
        success = over(distance)
        notes = [f"+{base} (Advance Rate)"] * bool(base)
        notes += ["the dice count as 4 or more (Champion)"] * self.champion
        notes += ["failed charges rerolled"] * self.reroll
        steps = (
            Step("Roll", f"{roll}", tuple(notes)),
            Step("Success", f'{distance}" or more', (), fraction(success)),
        )
        return ChargeResult(success, reach[0], missed, table, distance, rules.name, in_force, steps)


class _Flee(_Move[Distribution]):
    """Distribution of a Flee Distance.

    The 9th Age rulebook, 2nd edition, Swiftstride; Random Movement.

    Examples
    --------
    >>> flee(exact=True).mean()
    7
    """

    def answer(self) -> Distribution:
        return self.roll.distribution(exact=self.exact)


class _Pursuit(_Flee):
    """Distribution of a Pursuit or an Overrun Distance.

    The 9th Age rulebook, 2nd edition, Swiftstride; Random Movement.

    Examples
    --------
    >>> pursuit(swiftstride=True, exact=True).mean()
    203/24
    """


charge, flee, pursuit = asked(_T9aCharge, "t9a"), asked(_Flee), asked(_Pursuit)


def probability_caught(fleeing: Distribution, pursuing: Distribution) -> Any:
    """Probability that a pursuit reaches a fleeing unit: it is caught by as many inches as it fled.

    The 9th Age rulebook, 2nd edition, Break Test.

    Examples
    --------
    >>> probability_caught(flee(exact=True), pursuit(swiftstride=True, exact=True))
    1877/2592
    """
    expected, remedy = "the distribution of a distance", "flee() and pursuit() return them"
    for distribution in (fleeing, pursuing):
        validation.instance(distribution, Distribution, expected, remedy)
    return (pursuing - fleeing).at_least(0)


def _values(given: object) -> tuple[int, ...]:
    if not validation.is_several(given):
        return (validation.whole(given, "characteristic"),)
    values = validation.wholes(given, "characteristics to test against", "whole numbers", MOST_VALUES)
    if not values:
        raise MathhammerError("expected one characteristic or more to test against, got none")
    return values


class _Test(Ruled[RollResult]):
    """A test that a low roll passes."""

    reroll: Boolean = Boolean("Whether a failed test is rerolled (Rally Around the Flag).")

    def _rolled(
        self, name: str, roll: Expression, need: int, least: int, notes: Sequence[str], more: str = ""
    ) -> RollResult:
        """Return the result of a roll that passes up to what is needed, or up to `least` whatever that is."""
        rules, in_force = self.rules
        laws = rolled(roll, in_force, reroll=self.reroll, exact=self.exact)
        passed, failed = up_to(laws, max(need, least))
        step = Step("Roll", f"{roll} of {need} or less{more}", tuple(notes), fraction(passed))
        return RollResult(passed, failed, laws[0], need, rules.name, in_force, name, (step,))


class _CharacteristicTest(_Test):
    """Roll a D6 against a characteristic: not above it, and a 6 fails whatever it is.

    The 9th Age rulebook, 2nd edition, Characteristic Tests.

    Examples
    --------
    >>> characteristic_test(9, exact=True).probability_success
    5/6
    """

    value: Checked[tuple[int, ...], int | Sequence[int]] = Checked(
        _values,
        "The characteristic; a unit or a model of several parts uses the highest of its values.",
        kw_only=False,
    )

    def answer(self) -> RollResult:
        notes = ["failed rolls rerolled"] * self.reroll
        need = min(max(0, *self.value), 5)
        return self._rolled("Characteristic Test", parse_dice("D6"), need, 0, notes, "; a 6 fails")


class _DisciplineTest(_Test):
    """Roll 2D6 against the Discipline: not above it.

    The 9th Age rulebook, 2nd edition, Discipline Tests; 3rd edition, Courage Tests.

    Examples
    --------
    >>> discipline_test(7, exact=True).probability_success
    7/12
    """

    discipline: Integer = Integer("Of the model that the owner picks.", most=None, kw_only=False)
    modifier: Integer = Integer("Added to it.", default=0, least=None, most=None)
    commanding_presence: MaybeInteger = MaybeInteger(
        "The Discipline of a General near by, already modified; it is used if it is better.", most=None
    )
    minimised: Integer = Integer("Instances of Minimised Roll, which help.", default=0)
    maximised: Integer = Integer("Instances of Maximised Roll, as of Frenzy, which harm.", default=0)

    def answer(self) -> RollResult:
        return self._nerve(self.rules[0].test)

    def needed(self, penalty: int) -> int:
        """Return the roll of two dice up to which the modified Discipline is enough."""
        best = max(self.discipline, self.commanding_presence or 0)
        return max(0, min(best + self.modifier - penalty, MOST_DISCIPLINE))

    @property
    def roll(self) -> Expression:
        """What is rolled."""
        return dice("2D6", maximised=self.maximised, minimised=self.minimised, **self.under)

    def _nerve(self, name: str, penalty: int = 0, changes: Sequence[str] = (), least: int = 0) -> RollResult:
        notes = [f"{self.modifier:+d} (modifier)"] * bool(self.modifier) + [*changes]
        notes += ["failed tests re-rolled"] * self.reroll
        notes += ["always passed (Unbreakable)"] * getattr(self, "unbreakable", False)
        return self._rolled(name, self.roll, self.needed(penalty), least, notes)


class BreakTest(_DisciplineTest):
    """Test whether a unit that lost a round of combat holds.

    The 9th Age rulebook, 2nd edition, Break Test; Stubborn; Unbreakable; 3rd edition, Determine the Winner, Take
    Break Test.

    Examples
    --------
    >>> break_test(8, lost_by=3, exact=True).probability_success
    5/18
    """

    lost_by: Integer = Integer(
        "The difference of the Combat Scores; it worsens the test.", most=None, kw_only=False
    )
    steadfast: Boolean = Boolean("In the 2nd edition: it ignores that difference.")
    stubborn: Boolean = Boolean("It ignores that difference; in the 3rd edition it is Steady and Solid.")
    steady: Boolean = Boolean("In the 3rd edition: Steady limits it to 2.")
    solid: Boolean = Boolean("In the 3rd edition: Steady and Solid together ignore it.")
    unbreakable: Boolean = Boolean("Such a unit passes every Break Test.")

    def answer(self) -> RollResult:
        ignored, lost_by = self.steadfast or self.stubborn, self.lost_by
        penalty = self.penalty(lost_by, ignored=ignored)
        why = f"-{penalty} (lost by {lost_by}{', Steady' * (penalty < lost_by)})"
        if ignored or (self.steady and self.solid):
            why = f"lost by {lost_by}, ignored"
        return self._nerve("Break Test", penalty, [why], self.always)

    def penalty(self, lost_by: int, *, ignored: bool) -> int:
        """Return what a lost round takes off the Discipline (2nd edition, Break Test; 3rd edition, Take Break Test)."""
        rules = self.rules[0]
        most = rules.steady_penalty
        if (self.steady or self.solid) and most is None:
            raise MathhammerError(
                f"expected steadfast or stubborn, for {rules.title} has neither Steady nor Solid; or give "
                "edition='3e'"
            )
        if ignored or (self.steady and self.solid):
            return 0
        return min(lost_by, most) if self.steady and most is not None else lost_by

    @property
    def always(self) -> int:
        """The roll of two dice up to which it is passed whatever the Discipline."""
        return 12 if self.unbreakable else DOUBLE_1 * (self.rules[1]["double_1"] == "passes")


class _PanicTest(_DisciplineTest):
    """Take a Panic Test: a Discipline Test. `panic_threshold` says when it is taken.

    The 9th Age rulebook, 2nd edition, Panic Test.

    Examples
    --------
    >>> panic_test(7, exact=True).probability_success
    7/12
    """


class _RallyTest(_DisciplineTest):
    """Test whether a fleeing unit rallies: a Discipline Test.

    The 9th Age rulebook, 2nd edition, Discipline Tests; Rally Around the Flag.

    Examples
    --------
    >>> rally_test(8, exact=True).probability_success
    13/18
    """


class _FearTest(_DisciplineTest):
    """Test in contact with a unit that causes Fear: a Discipline Test at -1.

    A unit that fails has -1 to hit, and its enemies +1 to hit it: `attacker_afraid`, `target_afraid`.

    The 9th Age rulebook, 2nd edition, Fear.

    Examples
    --------
    >>> fear_test(8, exact=True).probability_success
    7/12
    """

    def answer(self) -> RollResult:
        return self.changed(modifier=self.modifier - 1)._nerve(self.rules[0].test)  # noqa: SLF001 - its own


characteristic_test, discipline_test = asked(_CharacteristicTest, "t9a"), asked(_DisciplineTest, "t9a")
break_test, panic_test = asked(BreakTest, "t9a"), asked(_PanicTest, "t9a")
rally_test, fear_test = asked(_RallyTest, "t9a"), asked(_FearTest, "t9a")


class _UnstableLosses(Question[int]):
    """Return the Health Points that an Unstable unit loses instead of a Break Test.

    What lessens the losses of Undead comes in this order: halved, fractions up; at most 12; for a unit that receives
    Rally Around the Flag of a battle standard less the Rank Bonus, or 1 without one; less other reductions.

    The 9th Age rulebook, 2nd edition, Model Rules, Unstable and Undead; Multiplication and Division.

    Examples
    --------
    >>> unstable_losses(7), unstable_losses(7, stubborn=True, rank_bonus=2, battle_standard=True)
    (7, 2)
    """

    lost_by: Integer = Integer("The difference of the Combat Scores.", most=None, kw_only=False)
    stubborn: Boolean = Boolean("Whether it is Stubborn.")
    steadfast: Boolean = Boolean("Whether it is Steadfast.")
    rank_bonus: Integer = Integer("Its Rank Bonus.", default=0, most=None)
    battle_standard: Boolean = Boolean("Whether it receives Rally Around the Flag of a battle standard.")
    reduction: Integer = Integer("Other reductions.", default=0, least=None, most=None)

    def answer(self) -> int:
        losses = -(-self.lost_by // 2) if self.stubborn else self.lost_by
        losses = min(losses, STEADFAST_CAP) if self.steadfast else losses
        losses -= max(self.rank_bonus, 1) if self.battle_standard else 0
        return max(0, losses - self.reduction)


unstable_losses = asked(_UnstableLosses)


class _CastSpell(Ruled[RollResult]):
    """Cast a spell, and see whether it is dispelled.

    A single die fails with 1 or 2, whatever is added. Dispelling needs the total of the casting roll or more.

    The 9th Age rulebook, 2nd edition, Spell Casting Sequence; Magic Resistance.

    Examples
    --------
    >>> cast_spell(7, dice=2, exact=True).probability_success
    7/12
    >>> cast_spell(7, dice=2, magic_resistance=1, dispel_dice=2, exact=True).probability_success
    55/216
    """

    value: Integer = Integer("The Casting Value of the spell.", kw_only=False)
    dice: Integer = Integer("Magic Dice of the caster.", default=2, least=1, most=MOST_MAGIC_DICE)
    modifier: Integer = Integer("Added to the casting roll: 1 of a Wizard Master.", default=0, least=-100)
    magic_resistance: Integer = Integer("Magic Resistance (X) of the target.", default=0)
    dispel_dice: Integer = Integer("Magic Dice to dispel it.", default=0)
    dispel_modifier: Integer = Integer("Added to the dispelling roll.", default=0, least=-100)

    def answer(self) -> RollResult:
        rules, in_force = self.rules
        law = parse_dice(f"{self.dice}D6").distribution(exact=self.exact)
        rolled, added = in_fractions(law), self.modifier - self.magic_resistance
        number = self.dispel_dice
        against = number and in_fractions(parse_dice(f"{number}D6").distribution(exact=self.exact))
        need = max(self.value - added, FAILS_ALONE + 1 if self.dice == 1 else 0)
        passed, failed = 0, rolled.cdf(need - 1)
        for total in (each for each in rolled.support if each >= need):
            least = max(total + added - self.dispel_modifier, FAILS_ALONE + 1 if number == 1 else 0)
            passed += rolled.pmf(total) * (against.cdf(least - 1) if against else 1)
            failed += rolled.pmf(total) * (against.at_least(least) if against else 0)
        notes = [f"{added:+d} (modifiers)"] * bool(added)
        notes += [f"dispelled with {number}D6{self.dispel_modifier:+d}"] * bool(against)
        step = Step("Roll", f"{self.dice}D6 of {need} or more", tuple(notes), fraction(passed))
        name = "Casting Attempt"
        return RollResult(passed, failed, law, need, rules.name, in_force, name, (step,), at_least=True)


class _DangerousTerrain(Ruled[Distribution]):
    """Distribution of the Health Points that the rank and file of a unit loses in Dangerous Terrain (X).

    Each model rolls a die, two if it is Large, three if Gigantic, and one more as a Chariot; each of X or less is a
    hit that wounds without a roll, with Armour Penetration 10. Models with Strider or Ghost Step pass.

    The 9th Age rulebook, 2nd edition, Dangerous Terrain; Chariot; Strider; Ghost Step.

    Examples
    --------
    >>> dangerous_terrain("5 models, HP 3, Res 4, Aegis 4+ [Large, Chariot]", exact=True).mean()
    5/4
    """

    target: Checked[Target, Target | str] = Checked(
        lambda given: Target.given(given, "a Target in Dangerous Terrain, or its stat line"),
        "The unit, a `Target` or its stat line.",
        kw_only=False,
    )
    value: Integer = Integer("The X of Dangerous Terrain (X).", default=1, least=1, most=6)
    models: MaybeInteger = MaybeInteger("Models that take the test, by default all.", most=MAXIMUM_MODELS)

    def answer(self) -> Distribution:
        target, has, (_, in_force) = self.target, self.target.has, self.rules
        sure = any(each.name in {"Strider", "Ghost Step"} and not each.text for each in target.attributes)
        each = 0 if sure else 1 + 2 * has("Gigantic") + has("Large") + has("Chariot")
        number = target.models if self.models is None else self.models
        fails = in_force["special_save_natural_1"] == "fails"
        saves = (save for save in target.special_saves if not save.against)
        stopped = [save.passes(None, divine=False, natural_1_fails=fails) for save in saves]
        taken = stopped if in_force["special_saves"] == "each" else [max(stopped, default=0)]
        lost, of = self.value * prod(36 - save for save in taken), 6 * 36 ** len(taken)
        one = Distribution.from_weights({0: of - lost, 1: lost}, exact=self.exact)
        left = target.pool().left
        total = convolution([one] * (each * number)) if each * number else one.map(lambda _: 0)
        return total.map(lambda health_points: min(health_points, left))


cast_spell, dangerous_terrain = asked(_CastSpell, "t9a"), asked(_DangerousTerrain)
