"""Conditions of an attack beyond the profiles; characteristics and dice under the rules that change them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from mathhammer import validation
from mathhammer.errors import UnknownNameError
from mathhammer.expressions import Expression
from mathhammer.expressions import dice as parse_dice
from mathhammer.expressions.base import Constant, as_expression
from mathhammer.expressions.operations import Difference, Product, Sum
from mathhammer.expressions.pool import Maximised
from mathhammer.fields.kinds import Additions, Boolean, MaybeInteger, OneOf
from mathhammer.fields.profile import Record
from mathhammer.modifiers import Modifier, Order, as_modifiers, modified
from mathhammer.systems.t9a.editions import rules_of
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: Order of operations (The 9th Age rulebook, 2nd edition, Priority of Modifiers). Multiplying before dividing gives
#: the lowest value of that step, which is rounded up once: the two halves of a fraction rounded apart are not lower.
ORDER = Order(("set", "multiply", "divide", "add", "subtract"))
#: A number that is added to a roll, or Modifiers.
Added = int | Modifier | Iterable[Modifier]
#: Most instances of Maximised or of Minimised Roll on one roll; each is one more die.
MOST_INSTANCES = 100
Rerolled = Literal["ones", "failed"] | None


class SituationKeywords(TypedDict, total=False):
    """Keywords of a situation; none of them is on unless given.

    Examples
    --------
    >>> situation: SituationKeywords = {"long_range": True, "cover": "soft"}
    """

    charging: bool
    first_round: bool
    in_combat: bool
    flank_or_rear: bool
    flanked: bool
    long_range: bool
    moved: bool
    stand_and_shoot: bool
    cover: Literal["soft", "hard"] | None
    attacker_afraid: bool
    target_afraid: bool
    width: int | None
    depth: int | None
    hit_modifier: Added
    wound_modifier: Added
    armour_modifier: Added
    reroll_hits: Rerolled
    reroll_wounds: Rerolled
    reroll_armour: Rerolled
    reroll_special: Rerolled
    reroll_aegis: Rerolled


class Situation(Record):
    """A situation that was read; its fields are the `SituationKeywords`."""

    charging: Boolean = Boolean("The attackers charged this turn")
    first_round: Boolean = Boolean("It is the first Round of Combat (Hatred, spears)")
    in_combat: Boolean = Boolean("Automatic hits are struck in combat (no Panic Test)")
    flank_or_rear: Boolean = Boolean("The attack is on flank or rear (no Parry)")
    flanked: Boolean = Boolean("The attackers are engaged in flank or rear (no braced Spears)")
    long_range: Boolean = Boolean("The target is at long range")
    moved: Boolean = Boolean("The shooters moved")
    stand_and_shoot: Boolean = Boolean("The shots are a charge reaction")
    attacker_afraid: Boolean = Boolean("The attackers failed their Fear Test")
    target_afraid: Boolean = Boolean("The target failed its Fear Test")
    cover: OneOf[Literal["soft", "hard"] | None] = OneOf("Cover", "soft", "hard", default=None)
    width: MaybeInteger = MaybeInteger("Models in a rank of an Area Attack", least=1, most=None)
    depth: MaybeInteger = MaybeInteger("Ranks of an Area Attack", least=1, most=None)
    hit_modifier: Additions = Additions("Added to to-hit rolls", "to-hit modifier")
    wound_modifier: Additions = Additions("Added to to-wound rolls", "to-wound modifier")
    armour_modifier: Additions = Additions("Added to the target's Armour", "Armour modifier")
    reroll_hits: OneOf[Rerolled] = OneOf("Re-roll to-hit rolls", "ones", "failed", default=None)
    reroll_wounds: OneOf[Rerolled] = OneOf("Re-roll to-wound rolls", "ones", "failed", default=None)
    reroll_armour: OneOf[Rerolled] = OneOf("Re-roll Armour Saves", "ones", "failed", default=None)
    reroll_special: OneOf[Rerolled] = OneOf("Re-roll Special Saves", "ones", "failed", default=None)
    reroll_aegis: OneOf[Rerolled] = OneOf("Re-roll Aegis Saves", "ones", "failed", default=None)


Situation.document(SituationKeywords)


def read_situation(given: Mapping[str, Any]) -> Situation:
    """Return a checked situation."""
    for name in given:
        if not isinstance(name, str) or name not in Situation.fields:
            hint = validation.nearest(name, Situation.fields)
            raise UnknownNameError(f"expected a keyword of a situation, got {shown(name)}; {hint}")
    return Situation(**given)


def characteristic(
    value: int,
    modifiers: Sequence[Modifier],
    *,
    limits: Mapping[Modifier, int] | None = None,
    least: int = 0,
    most: int | None = None,
    same_step: str = "lowest",
) -> int:
    """Return a characteristic after all modifiers.

    The 9th Age rulebook, 2nd edition, Priority of Modifiers, Multiplication and Division; 3rd edition, Modifiers.

    Parameters
    ----------
    value
        The unmodified value.
    modifiers
        All of them, from any source.
    limits
        Limits of those bonuses that have one: they come last, and only up to the limit.
    least, most
        Bounds of the result, e.g. 1 for Agility and Attack Value, 10 for Agility and Discipline, 6 for Armour; a
        value that was lower before is not raised.
    same_step
        The ruling of that name's option: ``"lowest"``, or ``"as-they-come"`` where the last of several set values
        stands.

    Examples
    --------
    >>> characteristic(3, [Modifier("add", 1, "a"), Modifier("divide", 2, "b")])
    3
    """
    given = validation.mapping({} if limits is None else limits, "limits by Modifier")
    validation.items(list(given), Modifier, "Modifiers as names of limits")
    modifiers = as_modifiers(modifiers, "modifiers")
    validation.one_of(same_step, ("lowest", "as-they-come"), "same_step")
    value, least = validation.whole(value, "value"), validation.whole(least, "least")
    free = [modifier for modifier in modifiers if modifier not in given]
    if same_step == "lowest":
        # The last of several set values stands: the lowest one goes last.
        free.sort(key=lambda modifier: -modifier.value if modifier.operation == "set" else 0)
    result = modified(value, free, ORDER)
    for modifier, limit in given.items():
        result = max(result, min(result + modifier.value, validation.whole(limit, "a limit")))
    if most is not None:
        result = min(result, validation.whole(most, "most"))
    return max(result, min(least, value))


def dice(
    text: str | Expression,
    *,
    maximised: int = 0,
    minimised: int = 0,
    edition: str = "2e",
    rulings: Mapping[str, str] | None = None,
) -> Expression:
    """Read a dice expression, under Maximised Roll and Minimised Roll.

    The 9th Age rulebook, 2nd edition, Dice, Maximised Roll and Minimised Roll; 3rd edition, the same.

    Parameters
    ----------
    text
        ``"2D6"``, ``"D6×2"``, ``"D3"``, ``"D6+1"``: dice are discarded, and what is added or multiplied comes after.
    maximised, minimised
        Number of instances of each rule.
    edition, rulings
        They decide what happens where both are there.

    Examples
    --------
    >>> dice("2D6", maximised=1).distribution(exact=True).at_least(9)
    113/216
    """
    roll = parse_dice(text) if isinstance(text, str) else as_expression(text)
    more = validation.whole(maximised, "instances of Maximised Roll", 0, MOST_INSTANCES)
    fewer = validation.whole(minimised, "instances of Minimised Roll", 0, MOST_INSTANCES)
    literal = rules_of(edition, rulings)[1]["maximised_and_minimised"] == "literal" and bool(more and fewer)
    return on_dice(roll, lambda rolled: Maximised(rolled, more, fewer, literal)) if more or fewer else roll


def on_dice(roll: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Change the dice of a roll and leave its constants as they are."""
    # 3rd edition, Dice: dice are discarded before modifiers.
    if isinstance(roll, Sum | Difference | Product):
        if isinstance(roll.right, Constant):
            return type(roll)(on_dice(roll.left, change), roll.right)
        if isinstance(roll.left, Constant):
            return type(roll)(roll.left, on_dice(roll.right, change))
    return change(roll)
