"""Characteristic Tests, and the tests of nerve: Discipline, Break, Panic, Fear, rally; and what Unstable units lose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from mathhammer import validation
from mathhammer.distributions import in_fractions
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.expressions import dice as parse_dice
from mathhammer.sequence import RollResult, Step, records_call, rulings_in_force
from mathhammer.sequence.rolls import fraction
from mathhammer.systems.t9a.editions import Edition, find_edition
from mathhammer.systems.t9a.moves import dice, distributions_of

if TYPE_CHECKING:
    from mathhammer.expressions import Expression

#: The best Discipline that there is, and the least total of two dice.
MOST_DISCIPLINE, DOUBLE_1 = 10, 2
#: Most characteristics of a unit or a model of several parts.
MOST_VALUES = 100
#: Most that an Unstable unit of undead loses while it is Steadfast.
STEADFAST_CAP = 12

Rulings = Mapping[str, str] | None


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
    expected = "one characteristic or more to test against"
    one = not isinstance(value, Iterable) or isinstance(value, str | bytes)
    given: Iterable[object] = (value,) if one else islice(cast("Iterable[object]", value), MOST_VALUES + 1)
    values = [validation.whole(each, "characteristic") for each in given]
    if len(values) > MOST_VALUES:
        raise TooLargeError(f"expected {expected}, at most {MOST_VALUES}, got more; give the highest")
    if not values:
        raise MathhammerError(f"expected {expected}, got none")
    need = min(max(0, *values), 5)
    options = {"reroll": reroll, "rulings": rulings, "exact": exact}
    again = ["failed rolls rerolled"] * validation.flag(reroll, "reroll")
    words = "Characteristic Test", f"D6 of {need} or less; a 6 fails"
    return _rolled(find_edition(edition), words, parse_dice("D6"), need, need, again, options)


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
    given = locals()
    rules = find_edition(edition)
    value = _discipline(discipline, commanding_presence) + validation.whole(modifier, "modifier")
    return _nerve(rules, rules.test, value, [], given)


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
    if (steady or solid) and rules.steady_penalty is None:
        raise MathhammerError(
            f"expected steadfast or stubborn, for {rules.title} has neither Steady nor Solid; or give edition='3e'"
        )
    penalty, why = lost_by, f"-{lost_by} (lost by {lost_by})"
    if steadfast or stubborn or (steady and solid):
        penalty, why = 0, f"lost by {lost_by}, ignored"
    elif steady and rules.steady_penalty is not None and lost_by > rules.steady_penalty:
        penalty, why = rules.steady_penalty, f"-{rules.steady_penalty} (lost by {lost_by}, Steady)"
    value = _discipline(discipline, commanding_presence) + modifier - penalty
    doubles = rulings_in_force(rules.rulings, rulings)["double_1"] == "passes"
    least = 12 if unbreakable else DOUBLE_1 * doubles
    return _nerve(rules, "Break Test", value, [why], given, least)


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


def _discipline(discipline: int, commanding_presence: int | None) -> int:
    own = validation.whole(discipline, "Discipline", 0)
    if commanding_presence is None:
        return own
    return max(own, validation.whole(commanding_presence, "Discipline", 0))


def _nerve(
    rules: Edition, name: str, value: int, changes: list[str], given: Mapping[str, Any], least: int = 0
) -> RollResult:
    """Roll against a modified Discipline; a roll of `least` or less passes whatever that is."""
    need, modifier = max(0, min(value, MOST_DISCIPLINE)), given["modifier"]
    options = {each: given[each] for each in ("maximised", "minimised", "rulings")}
    roll = dice("2D6", edition=rules.name, **options)
    notes = [f"{modifier:+d} (modifier)"] * bool(modifier) + changes
    notes += ["failed tests rerolled"] * validation.flag(given["reroll"], "reroll")
    notes += ["always passed (Unbreakable)"] * bool(given.get("unbreakable"))
    return _rolled(rules, (name, f"{roll} of {need} or less"), roll, need, max(need, least), notes, given)


def _rolled(
    rules: Edition,
    words: tuple[str, str],
    roll: Expression,
    need: int,
    most: int,
    notes: Sequence[str],
    given: Mapping[str, Any],
) -> RollResult:
    """Return the result of a roll that passes up to some total, and may be rerolled once if it fails."""
    in_force = rulings_in_force(rules.rulings, given["rulings"])
    distribution, rerolled = distributions_of(
        roll, reroll=given["reroll"], rulings=in_force, exact=given["exact"]
    )
    first = in_fractions(distribution)
    passed, failed = first.cdf(most), first.at_least(most + 1)
    if rerolled is not None:
        # Success at once, or failure and success: no subtraction.
        second = in_fractions(rerolled)
        passed, failed = passed + failed * second.cdf(most), failed * second.at_least(most + 1)
    name, text = words
    step = Step("Roll", text, tuple(notes), fraction(passed))
    return RollResult(passed, failed, distribution, need, rules.name, in_force, name, (step,))
