"""Rolls that are no attacks: charges and flight, Characteristic Tests and tests of nerve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack, cast

from mathhammer import validation
from mathhammer.distributions import Distribution
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.expressions import Expression
from mathhammer.expressions import dice as parse_dice
from mathhammer.expressions.pool import Maximised
from mathhammer.sequence.call import records_call
from mathhammer.sequence.explanation import Step
from mathhammer.sequence.rolls import ChargeResult, RollResult, fraction
from mathhammer.sequence.rulings import rulings_in_force
from mathhammer.systems.t9a.editions import find_edition, rules_of
from mathhammer.systems.t9a.situation import dice, on_dice

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

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.systems.t9a.editions import Edition

Rulings = Mapping[str, str] | None


@records_call("t9a")
def charge(
    *,
    distance: int,
    advance: int | None = None,
    swiftstride: bool = False,
    maximised: int = 0,
    minimised: int = 0,
    champion: bool = False,
    reroll: bool = False,
    random_movement: str | Expression | None = None,
    edition: str = "2e",
    rulings: Rulings = None,
    exact: bool = False,
) -> ChargeResult:
    """Roll for a charge: two dice and the lowest Advance Rate of the unit.

    Parameters
    ----------
    distance
        To the target, in inches.
    advance
        The lowest Advance Rate in the unit.
    swiftstride
        Whether the whole unit has it: the roll is Maximised.
    maximised, minimised
        Other instances of these rules.
    champion
        Whether a Champion orders the charge: a roll below 4 counts as 4 for success.
    reroll
        Whether a failed charge is rerolled.
    random_movement
        The unit's own dice, instead of an Advance Rate and 2D6; such a unit never has Swiftstride.

    Examples
    --------
    >>> charge(advance=4, distance=11, exact=True).probability_success
    7/12

    References
    ----------
    The 9th Age rulebook, 2nd edition, Move Chargers; Ordering the Charge; Swiftstride; Random Movement.
    """
    if (advance is None) == (random_movement is None):
        raise MathhammerError(
            f"expected advance=... or random_movement=..., got {'neither' if advance is None else 'both'}"
        )
    distance = validation.whole(distance, "distance in inches", 0, MOST_INCHES)
    base = 0 if advance is None else validation.whole(advance, "advance in inches", 0, MOST_INCHES)
    validation.flag(champion, "champion")
    given = locals()
    roll = _roll(**{name: given[name] for name in MoveKeywords.__annotations__})
    rules, in_force = rules_of(edition, rulings)
    laws = RollLaws.of(roll, given, in_force)

    def reached(inches: int) -> int:
        return base + max(inches, ORDERED_LEAST if champion else 0)

    reach = RollLaws(laws.first.map(reached), laws.again and laws.again.map(reached))

    def over(wanted: int) -> Any:
        return reach.chances(lambda law: (law.at_least(wanted), law.cdf(wanted - 1)))[0]

    short = in_fractions(reach.first).cdf(distance - 1)
    missed = laws.first.given(lambda inches: reached(inches) < distance) if short else None
    support = reach.first.support
    table = tuple((wanted, over(wanted)) for wanted in range(support[0], support[-1] + 1))
    success = over(distance)
    notes = [f"+{base} (Advance Rate)"] * bool(base) + ["the dice count as 4 or more (Champion)"] * champion
    steps = (
        Step("Roll", f"{roll}", (*notes, *["failed charges rerolled"] * bool(reroll))),
        Step("Success", f'{distance}" or more', (), fraction(success)),
    )
    return ChargeResult(success, reach.first, missed, table, distance, rules.name, in_force, steps)


class MoveKeywords(TypedDict, total=False):
    """Keywords of `flee` and `pursuit`, as of `charge`."""

    random_movement: str | Expression | None
    swiftstride: bool
    maximised: int
    minimised: int
    edition: str
    rulings: Rulings


@validation.called
def flee(*, exact: bool = False, **move: Unpack[MoveKeywords]) -> Distribution:
    """Distribution of a Flee Distance.

    Examples
    --------
    >>> flee(exact=True).mean()
    7

    References
    ----------
    The 9th Age rulebook, 2nd edition, Swiftstride; Random Movement.
    """
    return _roll(**move).distribution(exact=exact)


@validation.called
def pursuit(*, exact: bool = False, **move: Unpack[MoveKeywords]) -> Distribution:
    """Distribution of a Pursuit or an Overrun Distance.

    Examples
    --------
    >>> pursuit(swiftstride=True, exact=True).mean()
    203/24

    References
    ----------
    The 9th Age rulebook, 2nd edition, Swiftstride; Random Movement.
    """
    return flee(exact=exact, **move)


def probability_caught(fleeing: Distribution, pursuing: Distribution) -> Any:
    """Probability that a pursuit reaches a fleeing unit: it is caught by as many inches as it fled.

    Examples
    --------
    >>> probability_caught(flee(exact=True), pursuit(swiftstride=True, exact=True))
    1877/2592

    References
    ----------
    The 9th Age rulebook, 2nd edition, Break Test.
    """
    expected, remedy = "the distribution of a distance", "flee() and pursuit() return them"
    for distribution in (fleeing, pursuing):
        validation.instance(distribution, Distribution, expected, remedy)
    return (pursuing - fleeing).at_least(0)


def _roll(
    random_movement: str | Expression | None = None,
    *,
    swiftstride: bool = False,
    maximised: int = 0,
    minimised: int = 0,
    edition: str = "2e",
    rulings: Rulings = None,
) -> Expression:
    validation.flag(swiftstride, "swiftstride")
    if random_movement is not None:
        validation.instance(random_movement, (str, Expression), "dice as random_movement", "such as '3D6'")
    if random_movement is not None and swiftstride:
        raise MathhammerError(
            "expected swiftstride without random_movement: such a unit never has Swiftstride"
        )
    roll = dice(
        "2D6" if random_movement is None else random_movement,
        maximised=validation.whole(maximised, "instances of Maximised Roll", 0) + swiftstride,
        minimised=minimised,
        edition=edition,
        rulings=rulings,
    )
    low, high = roll.bounds()
    if low < 0 or high > MOST_INCHES:
        raise MathhammerError(f"expected a roll of 0 to {MOST_INCHES:,} inches, got {random_movement}")
    return roll


class RollLaws(NamedTuple):
    """The distribution of a roll, and that of its reroll if it may be rerolled where it fails."""

    first: Distribution
    again: Distribution | None

    @classmethod
    def of(cls, roll: Expression, given: Mapping[str, Any], rulings: Mapping[str, str]) -> RollLaws:
        """Return them for a roll (The 9th Age rulebook, 2nd edition, Rerolling Dice)."""
        exact = validation.flag(given["exact"], "exact")
        first = _distribution(roll, exact=exact)
        if not validation.flag(given["reroll"], "reroll"):
            return cls(first, None)
        if rulings["reroll_of_maximised"] == "kept-dice":
            roll = on_dice(roll, lambda each: each.roll if isinstance(each, Maximised) else each)
        return cls(first, _distribution(roll, exact=exact))

    def chances(self, of: Callable[[Distribution], tuple[Any, Any]]) -> tuple[Any, Any]:
        """Return the probabilities to pass and to fail, from those of one roll: no subtraction."""
        passed, failed = of(in_fractions(self.first))
        if self.again is None:
            return passed, failed
        later, never = of(in_fractions(self.again))
        return passed + failed * later, failed * never

    def up_to(self, most: int) -> tuple[Any, Any]:
        """Return the probabilities of a roll of at most so much, and of a greater one."""
        return self.chances(lambda law: (law.cdf(most), law.at_least(most + 1)))


@lru_cache(maxsize=512)
def _distribution(roll: Expression, *, exact: bool) -> Distribution:
    return roll.distribution(exact=exact)


class TestKeywords(TypedDict, total=False):
    """Keywords of `discipline_test`."""

    modifier: int
    commanding_presence: int | None
    minimised: int
    maximised: int
    reroll: bool
    edition: str
    rulings: Rulings
    exact: bool


@records_call("t9a")
def characteristic_test(
    value: int | Sequence[int],
    *,
    reroll: bool = False,
    edition: str = "2e",
    rulings: Rulings = None,
    exact: bool = False,
) -> RollResult:
    """Roll a D6 against a characteristic: not above it, and a 6 fails whatever it is.

    Parameters
    ----------
    value
        The characteristic; a unit or a model of several parts uses the highest of its values.

    Examples
    --------
    >>> characteristic_test(9, exact=True).probability_success
    5/6

    References
    ----------
    The 9th Age rulebook, 2nd edition, Characteristic Tests.
    """
    one = not isinstance(value, Iterable) or isinstance(value, str | bytes)
    given: Iterable[object] = (value,) if one else islice(cast("Iterable[object]", value), MOST_VALUES + 1)
    values = [validation.whole(each, "characteristic") for each in given]
    expected = "one characteristic or more to test against"
    if len(values) > MOST_VALUES:
        raise TooLargeError(f"expected {expected}, at most {MOST_VALUES}, got more; give the highest")
    if not values:
        raise MathhammerError(f"expected {expected}, got none")
    need = min(max(0, *values), 5)
    words = "Characteristic Test", f"D6 of {need} or less; a 6 fails"
    notes = ["failed rolls rerolled"] * validation.flag(reroll, "reroll")
    return _rolled(locals(), words, parse_dice("D6"), need, need, notes)


@records_call("t9a")
def discipline_test(
    discipline: int,
    *,
    modifier: int = 0,
    commanding_presence: int | None = None,
    minimised: int = 0,
    maximised: int = 0,
    reroll: bool = False,
    edition: str = "2e",
    rulings: Rulings = None,
    exact: bool = False,
) -> RollResult:
    """Roll 2D6 against the Discipline: not above it.

    Parameters
    ----------
    discipline
        Of the model that the owner picks.
    modifier
        Added to it.
    commanding_presence
        The Discipline of a General near by, already modified; it is used if it is better.
    minimised, maximised
        Instances of Minimised Roll, which help, and of Maximised Roll, as of Frenzy, which harm.
    reroll
        Whether a failed test is rerolled (Rally Around the Flag).

    Examples
    --------
    >>> discipline_test(7, exact=True).probability_success
    7/12

    References
    ----------
    The 9th Age rulebook, 2nd edition, Discipline Tests; 3rd edition, Courage Tests.
    """
    return _nerve(locals(), find_edition(edition).test)


@records_call("t9a")
def break_test(
    discipline: int,
    lost_by: int,
    *,
    steadfast: bool = False,
    stubborn: bool = False,
    steady: bool = False,
    solid: bool = False,
    unbreakable: bool = False,
    modifier: int = 0,
    commanding_presence: int | None = None,
    minimised: int = 0,
    maximised: int = 0,
    reroll: bool = False,
    edition: str = "2e",
    rulings: Rulings = None,
    exact: bool = False,
) -> RollResult:
    """Test whether a unit that lost a round of combat holds.

    Parameters
    ----------
    discipline, modifier, commanding_presence, minimised, maximised, reroll
        As of a Discipline Test.
    lost_by
        The difference of the Combat Scores; it worsens the test.
    steadfast, stubborn
        In the 2nd edition: each ignores that difference.
    steady, solid
        In the 3rd edition: Steady limits it to 2, Steady and Solid together ignore it. Stubborn counts as both.
    unbreakable
        Such a unit passes every Break Test.

    Examples
    --------
    >>> break_test(8, lost_by=3, exact=True).probability_success
    5/18

    References
    ----------
    The 9th Age rulebook, 2nd edition, Break Test; Stubborn; Unbreakable; 3rd edition, Determine the Winner, Take
    Break Test.
    """
    lost_by = validation.whole(lost_by, "lost_by", 0)
    modifier = validation.whole(modifier, "modifier")
    given = locals()
    for name in ("steadfast", "stubborn", "steady", "solid", "unbreakable"):
        validation.flag(given[name], name)
    rules = find_edition(edition)
    penalty = break_penalty(rules, lost_by, ignored=steadfast or stubborn, steady=steady, solid=solid)
    why = f"-{penalty} (lost by {lost_by}{', Steady' * (penalty < lost_by)})"
    if steadfast or stubborn or (steady and solid):
        why = f"lost by {lost_by}, ignored"
    least = always_passed(rulings_in_force(rules.rulings, rulings), unbreakable=unbreakable)
    return _nerve(given, "Break Test", penalty, [why], least)


def break_penalty(rules: Edition, lost_by: int, *, ignored: bool, steady: bool, solid: bool) -> int:
    """Return what a lost round takes off the Discipline (2nd edition, Break Test; 3rd edition, Take Break Test)."""
    most = rules.steady_penalty
    if (steady or solid) and most is None:
        raise MathhammerError(
            f"expected steadfast or stubborn, for {rules.title} has neither Steady nor Solid; or give edition='3e'"
        )
    if ignored or (steady and solid):
        return 0
    return min(lost_by, most) if steady and most is not None else lost_by


def always_passed(rulings: Mapping[str, str], *, unbreakable: bool) -> int:
    """Return the roll of two dice up to which a Break Test is passed whatever the Discipline."""
    return 12 if unbreakable else DOUBLE_1 * (rulings["double_1"] == "passes")


def panic_test(discipline: int, **options: Unpack[TestKeywords]) -> RollResult:
    """Take a Panic Test: a Discipline Test, with its options. `panic_threshold` says when it is taken.

    References
    ----------
    The 9th Age rulebook, 2nd edition, Panic Test.

    Examples
    --------
    >>> panic_test(7, exact=True).probability_success
    7/12
    """
    return discipline_test(discipline, **options)


def rally_test(discipline: int, **options: Unpack[TestKeywords]) -> RollResult:
    """Test whether a fleeing unit rallies: a Discipline Test, with its options, `reroll` among them.

    References
    ----------
    The 9th Age rulebook, 2nd edition, Discipline Tests; Rally Around the Flag.

    Examples
    --------
    >>> rally_test(8, exact=True).probability_success
    13/18
    """
    return discipline_test(discipline, **options)


def fear_test(discipline: int, **options: Unpack[TestKeywords]) -> RollResult:
    """Test in contact with a unit that causes Fear: a Discipline Test at -1.

    A unit that fails has -1 to hit, and its enemies +1 to hit it: `attacker_afraid`, `target_afraid`.

    Examples
    --------
    >>> fear_test(8, exact=True).probability_success
    7/12

    References
    ----------
    The 9th Age rulebook, 2nd edition, Fear.
    """
    options["modifier"] = validation.whole(options.get("modifier", 0), "modifier") - 1
    return discipline_test(discipline, **options)


def unstable_losses(
    lost_by: int,
    *,
    stubborn: bool = False,
    steadfast: bool = False,
    rank_bonus: int = 0,
    battle_standard: bool = False,
    reduction: int = 0,
) -> int:
    """Return the Health Points that an Unstable unit loses instead of a Break Test.

    Parameters
    ----------
    lost_by
        The difference of the Combat Scores.
    stubborn, steadfast, rank_bonus, battle_standard, reduction
        What lessens the losses of Undead, in this order: halved, fractions up; at most 12; for a unit that receives
        Rally Around the Flag of a battle standard less the Rank Bonus, or 1 without one; less other reductions.

    Examples
    --------
    >>> unstable_losses(7), unstable_losses(7, stubborn=True, rank_bonus=2, battle_standard=True)
    (7, 2)

    References
    ----------
    The 9th Age rulebook, 2nd edition, Model Rules, Unstable and Undead; Multiplication and Division.
    """
    losses = validation.whole(lost_by, "lost_by", 0)
    given = locals()
    for name in ("stubborn", "steadfast", "battle_standard"):
        validation.flag(given[name], name)
    rank_bonus = validation.whole(rank_bonus, "rank_bonus", 0)
    reduction = validation.whole(reduction, "reduction")
    if stubborn:
        losses = -(-losses // 2)
    if steadfast:
        losses = min(losses, STEADFAST_CAP)
    if battle_standard:
        losses -= max(rank_bonus, 1)
    return max(0, losses - reduction)


def needed(given: Mapping[str, Any], penalty: int = 0) -> int:
    """Return the roll of two dice up to which the modified Discipline is enough."""
    value, presence = validation.whole(given["discipline"], "Discipline", 0), given["commanding_presence"]
    if presence is not None:
        value = max(value, validation.whole(presence, "Discipline", 0))
    return max(0, min(value + validation.whole(given["modifier"], "modifier") - penalty, MOST_DISCIPLINE))


def two_dice(given: Mapping[str, Any]) -> Expression:
    """Return the dice of a test of nerve."""
    return dice("2D6", **{each: given[each] for each in ("edition", "maximised", "minimised", "rulings")})


def _nerve(
    given: Mapping[str, Any], name: str, penalty: int = 0, changes: Sequence[str] = (), least: int = 0
) -> RollResult:
    """Roll against a modified Discipline; a roll of `least` or less passes whatever that is."""
    need, roll, modifier = needed(given, penalty), two_dice(given), given["modifier"]
    notes = [f"{modifier:+d} (modifier)"] * bool(modifier) + [*changes]
    notes += ["failed tests rerolled"] * validation.flag(given["reroll"], "reroll")
    notes += ["always passed (Unbreakable)"] * bool(given.get("unbreakable"))
    return _rolled(given, (name, f"{roll} of {need} or less"), roll, need, max(need, least), notes)


def _rolled(
    given: Mapping[str, Any], words: tuple[str, str], roll: Expression, need: int, most: int, notes: list[str]
) -> RollResult:
    """Return the result of a roll that passes up to some total, and may be rerolled once if it fails."""
    rules, in_force = rules_of(given["edition"], given["rulings"])
    laws = RollLaws.of(roll, given, in_force)
    passed, failed = laws.up_to(most)
    step = Step("Roll", words[1], tuple(notes), fraction(passed))
    return RollResult(passed, failed, laws.first, need, rules.name, in_force, words[0], (step,))
