"""Rolls that are no attacks: charges, magic, prayers."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any

from flint import fmpq

from mathhammer import validation
from mathhammer.distributions.fractions import in_fractions
from mathhammer.expressions import dice as parse_dice
from mathhammer.sequence.call import records_call
from mathhammer.sequence.explanation import Step
from mathhammer.sequence.rolls import ChargeResult, RollResult, fraction
from mathhammer.systems.aos.rules import rules_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Rulings = Mapping[str, str] | None
    #: A heading, what is rolled with the source, and its dice.
    Words = tuple[str, str, str]

#: Most inches, points, turns and modifiers, and most dice of a roll.
MOST, MOST_DICE = 100, 4
_FACES = range(1, 7)


@records_call("aos")
def charge(
    distance: int,
    *,
    dice: int = 2,
    modifier: int = 0,
    reroll: bool = False,
    edition: str = "4e",
    rulings: Rulings = None,
    exact: bool = False,
) -> ChargeResult:
    """Roll for a charge.

    Parameters
    ----------
    distance
        To the target, in inches; half an inch less is enough, so that more than 9" is 9.
    dice
        D6 that are rolled and added up.
    modifier
        Added to the roll.
    reroll
        Whether a failed charge is re-rolled (Forward to Victory); the ruling ``reroll_sum`` says which dice.

    Examples
    --------
    >>> charge(9, exact=True).probability_success, charge(9, reroll=True, exact=True).probability_success
    (5/18, 155/324)

    References
    ----------
    Warhammer Age of Sigmar Core Rules (July 2024), 14.3; Advanced Rules, Commands.
    """
    in_force = rules_of(edition, rulings)
    distance, number = validation.whole(distance, "distance", 0, MOST), _modifier(dice, 1, MOST_DICE)
    more, again = _modifier(modifier), validation.flag(reroll, "reroll")
    any_of = in_force["reroll_sum"] == "any"
    plain = parse_dice(f"{number}D6").distribution(exact=validation.flag(exact, "exact"))

    def over(inches: int) -> Any:
        need = inches - more
        words = f"{number} best of {number}D6 for {need}+" if any_of else f"{number}D6, <{need}"
        law = parse_dice(f"reroll({words})").distribution(exact=exact) if again and need > 0 else plain
        return in_fractions(law).at_least(need)

    success = over(distance)
    notes = (*_added(more), *[f"if it fails, {'any' if any_of else 'all'} dice re-rolled"] * again)
    steps = (
        Step("Roll", f"{number}D6 (Core Rules, 14.3)", notes),
        Step("Success", f'{distance}" or more', (), fraction(success)),
    )
    chances = tuple((inches, over(inches)) for inches in (plain + more).support if inches >= 0)
    return ChargeResult(success, plain + more, None, chances, distance, edition, in_force, steps)


@records_call("aos")
def cast(
    value: int,
    *,
    modifier: int = 0,
    dice: int = 2,
    unbound: bool = False,
    unbind_modifier: int = 0,
    edition: str = "4e",
    rulings: Rulings = None,
    exact: bool = False,
) -> RollResult:
    """Roll to cast a spell, which an enemy may try to unbind.

    Parameters
    ----------
    value
        The casting value.
    modifier
        Added to the casting roll: -1 for Magical Intervention.
    dice
        D6 that are rolled and added up.
    unbound
        Whether an enemy Wizard tries to unbind the spell, with a roll that is greater.
    unbind_modifier
        Added to the unbinding roll.

    Examples
    --------
    >>> cast(7, exact=True).probability_success, cast(7, unbound=True, exact=True).probability_success
    (7/12, 581/1296)

    References
    ----------
    Warhammer Age of Sigmar Advanced Rules (July 2024), Magic: two unmodified 1s are a miscast.
    """
    given, value = locals(), validation.whole(value, "value", 1, MOST)
    more, less, number = _modifier(modifier), _modifier(unbind_modifier), _modifier(dice, 1, MOST_DICE)
    rolled = Counter((sum(faces), faces.count(1) >= 2) for faces in product(_FACES, repeat=number))
    enemy = [sum(faces) + less for faces in product(_FACES, repeat=2)]
    against, out_of = validation.flag(unbound, "unbound"), 6**number
    good = [(total + more, ways) for (total, miscast), ways in rolled.items() if not miscast]
    kept = [
        (ways, sum(not against or each <= total for each in enemy)) for total, ways in good if total >= value
    ]
    passed = sum(ways * chances for ways, chances in kept)
    miscasts = fmpq(sum(ways for (_, miscast), ways in rolled.items() if miscast), out_of)
    steps = [Step("Miscast", "two unmodified 1s or more", (), fraction(miscasts, "miscast"))]
    steps += [Step("Unbind", "2D6, more than the casting roll", _added(less))] * against
    words = "Cast", f"{number}D6, {value} or more (Advanced Rules, Magic)", f"{number}D6"
    return _result(words, value, more, given, fmpq(passed, 36 * out_of), steps)


@records_call("aos")
def chant(
    value: int,
    *,
    points: int = 0,
    turns: int = 1,
    modifier: int = 0,
    universal: bool = False,
    edition: str = "4e",
    rulings: Rulings = None,
    exact: bool = False,
) -> RollResult:
    """Roll to have a prayer answered within some turns, banking ritual points until they are enough.

    Parameters
    ----------
    value
        The chanting value, or the total from which the prayer does more.
    points
        Ritual points that the Priest has.
    turns
        Chanting rolls that may be made, one a turn.
    modifier
        Added to chanting rolls.
    universal
        Whether it is a universal prayer: the unmodified roll is banked, and a 1 costs one point only.

    Examples
    --------
    >>> chant(5, exact=True).probability_success, chant(5, turns=2, exact=True).probability_success
    (1/3, 7/9)

    References
    ----------
    Warhammer Age of Sigmar Advanced Rules (July 2024), Prayers; universal abilities of 2026.
    """
    given, value = locals(), validation.whole(value, "value", 1, MOST)
    more, flat = _modifier(modifier), validation.flag(universal, "universal")
    held = {validation.whole(points, "points", 0, MOST): fmpq(1)}
    steps, answered = [], fmpq(0)
    for turn in range(1, validation.whole(turns, "turns", 1, MOST) + 1):
        before = answered
        later: dict[int, fmpq] = {}
        for (bank, chance), face in product(held.items(), _FACES):
            result = face + more
            if face > 1 and 2 <= result >= value - bank:
                answered += chance / 6
                continue
            gained = (face if flat else result) * (result >= 2)
            for change in [gained] if face > 1 else [-1] if flat else [-1, -2, -3]:
                left = max(0, bank + change)
                later[left] = later.get(left, 0) + chance / (6 if face > 1 or flat else 18)
        held = later
        steps.append(
            Step(f"Turn {turn}", "answered in this turn", (), fraction(answered - before, "answered"))
        )
    words = "Chant", f"D6, with the points held {value} or more; else banked (Advanced Rules, Prayers)", "D6"
    return _result(words, value, more, given, answered, steps)


def _result(
    words: Words, value: int, more: int, given: Mapping[str, Any], chance: Any, steps: Sequence[Step]
) -> RollResult:
    """Return a roll that needs a value with what is added, and passes with a chance."""
    edition, in_force = given["edition"], rules_of(given["edition"], given["rulings"])
    law, exact = parse_dice(words[2]).compute(), validation.flag(given["exact"], "exact")
    first = Step("Roll", words[1], _added(more), fraction(chance))
    passed, failed = (chance, 1 - chance) if exact else (float(chance), float(1 - chance))
    roll = law.handed_out(exact=exact)
    more_steps, need = (first, *steps, in_force.step()), value - more
    return RollResult(passed, failed, roll, need, edition, in_force, words[0], more_steps, at_least=True)


def _modifier(value: int, least: int = -MOST, most: int = MOST) -> int:
    return validation.whole(value, "dice" if least > 0 else "modifier", least, most)


def _added(more: int) -> tuple[str, ...]:
    return (f"{more:+d}",) * bool(more)
