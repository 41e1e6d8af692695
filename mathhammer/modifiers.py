"""Modifiers, what changes a value in the order a game gives, and characteristics, numbers or dice under them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from mathhammer import validation
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression, faces
from mathhammer.expressions.base import as_expression
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Operation = Literal["set", "divide", "multiply", "add", "subtract", "improve", "worsen", "treat"]
"""Operations of modifiers; to improve or to worsen is to add or to subtract, as the characteristic has it."""

_SIGNS = {
    "set": "=",
    "divide": "÷",
    "multiply": "×",
    "add": "+",
    "subtract": "-",
    "improve": "improved by ",
    "worsen": "worsened by ",
    "treat": "treated as ",
}
#: Operations by the first letter of what a player types.
_TYPED: dict[str, Operation] = {sign[0]: operation for operation, sign in _SIGNS.items()}  # type: ignore[misc]
_TYPED |= {"−": "subtract", "x": "multiply", "/": "divide"}
#: What each does to a numerator and its denominator.
_APPLIED: dict[str, Callable[[int, int, int], tuple[int, int]]] = {
    "set": lambda _, __, value: (value, 1),
    "divide": lambda numerator, denominator, value: (numerator, denominator * value),
    "multiply": lambda numerator, denominator, value: (numerator * value, denominator),
    "add": lambda numerator, denominator, value: (numerator + value * denominator, denominator),
    "subtract": lambda numerator, denominator, value: (numerator - value * denominator, denominator),
}
_NUMBER = r"[-−]?\d{1,9}"
_TEXT = (
    rf"(?P<of>[a-z ]*?)\s*(?P<sign>[-+−=x×/÷]|improved? by|improve|worsened? by|worsen|treated as)\s*"
    rf"(?P<value>{_NUMBER})(?:\s+where it is (?P<read>unmodified )?(?P<when>{_NUMBER}(?: or {_NUMBER})*))?"
    r"(?:\s*\((?P<source>[^()]+)\))?"
)

#: Largest number of a modifier: as large as a characteristic of any of the games can be.
MAXIMUM_VALUE = 1_000


@dataclass(frozen=True, slots=True)
class Modifier:
    """One change to a value.

    Parameters
    ----------
    operation
        ``"set"``, ``"divide"``, ``"multiply"``, ``"add"``, ``"subtract"``; ``"improve"`` or ``"worsen"``, whose
        direction is the characteristic's; ``"treat"`` for a rule that treats the finished value as another.
    value
        The number, from -1,000 to 1,000; 1 or more for a division, 0 or more to improve or worsen.
    source
        The rule that it comes from, as a player would name it.
    of
        What it modifies, where modifiers of several things are given together: ``"attacks"``, ``"ap"``, ``"hit"``.
    when
        The values on which it acts; all of them if none are named.
    unmodified
        Whether `when` reads the unmodified value: so does a rule that sets unless it says otherwise, while one
        that treats reads the modified value.

    Examples
    --------
    >>> str(Modifier("add", 1, "Heavy"))
    '+1 (Heavy)'
    """

    operation: Operation
    value: int
    source: str
    of: str = ""
    when: frozenset[int] | None = None
    unmodified: bool | None = None

    def __post_init__(self) -> None:
        operation = self.operation
        if not isinstance(operation, str) or operation not in _SIGNS:
            raise MathhammerError(
                f"expected an operation of {', '.join(_SIGNS)}; got {shown(operation)} from {self.source!r}"
            )
        if type(self.value) is not int or abs(self.value) > MAXIMUM_VALUE:
            name = f"value from {shown(self.source)}"
            validation.set_whole(self, "value", name, -MAXIMUM_VALUE, MAXIMUM_VALUE)
        least = 1 if operation == "divide" else 0 if operation in {"improve", "worsen"} else self.value
        if self.value < least:
            raise MathhammerError(
                f"expected {least} or more to {operation} by, got {shown(self.value)} from {self.source!r}"
            )
        validation.text(self.source, "source of a modifier", "name the rule it comes from")
        validation.text(self.of, "what a modifier is of", "such as 'damage'")
        if self.unmodified is not None:
            object.__setattr__(self, "unmodified", validation.flag(self.unmodified, "unmodified"))
        if self.when is not None:
            values = validation.wholes(self.when, "the values on which a modifier acts", "such as {1, 2}")
            object.__setattr__(self, "when", frozenset(values))
        if self.unmodified is False and operation != "treat":
            raise MathhammerError(
                f"expected a trigger on the unmodified value for {operation!r} from {shown(self.source)}; only a rule "
                "that treats a value as another acts on the modified one"
            )

    def acts_on(self, unmodified: int, modified: int) -> bool:
        """True if its trigger is met: one of the modified value only where a rule treats it as another."""
        read = modified if self.operation == "treat" and not self.unmodified else unmodified
        return self.when is None or read in self.when

    @property
    def change(self) -> str:
        """What it does, without where and why."""
        if self.operation in {"add", "subtract"}:
            return f"{self.value if self.operation == 'add' else -self.value:+d}"
        return f"{_SIGNS[self.operation]}{self.value}"

    def __str__(self) -> str:
        when = ""
        if self.when is not None:
            read = "unmodified " if self.operation == "treat" and self.unmodified else ""
            when = f" where it is {read}{' or '.join(map(str, sorted(self.when, reverse=True)))}"
        return f"{self.change}{when} ({self.source})"


@dataclass(frozen=True, slots=True)
class Order:
    """A game's order of operations.

    Warhammer 40,000 core rules and Rules Commentary, Modifiers; The 9th Age rulebook, Priority of Modifiers.
    """

    #: What treats a value as another acts after the rounding, and is not among them.
    operations: tuple[Operation, ...]
    #: Values that no other modifier changes once a rule has set them.
    final: frozenset[int] = frozenset()


#: The order of Warhammer 40,000's 9th and 10th editions.
CUMULATIVE = Order(("set", "divide", "multiply", "add", "subtract"))


@dataclass(frozen=True, slots=True)
class Calculated:
    """One line of a calculation: what changed the value, the fraction that it became, the modifier if one did it."""

    text: str
    numerator: int
    denominator: int
    modifier: Modifier | None = None

    def __str__(self) -> str:
        whole, rest = divmod(self.numerator, self.denominator)
        result = f"{self.numerator}/{self.denominator}" if rest else str(whole)
        joint = " = " if self.text not in {"→", "treated as", "never below", "never above"} else " "
        return f"{self.text}{joint}{result}"


def read_modifier(text: str, source: str = "modifier") -> Modifier:
    """Return the modifier of a text such as ``damage +1 (Oath)``; `source` where it names none."""
    match = validation.pattern(_TEXT).fullmatch(validation.typed(text, "modifier").strip())
    if match is None:
        raise MathhammerError(
            "expected a modifier such as 'damage +1 (rule)', 'strength x2', 'ap improved by 1' or 'skill =4', "
            f"got {shown(text)}"
        )
    operation = _TYPED[match["sign"][0].lower()]
    value, *when = (
        int(each.replace("−", "-")) for each in (match["value"], *re.findall(_NUMBER, match["when"] or ""))
    )
    of, acts = match["of"].strip().lower(), frozenset(when) if when else None
    read = True if match["read"] and operation == "treat" else None
    return Modifier(operation, value, match["source"] or source, of=of, when=acts, unmodified=read)


def as_modifiers(value: int | Modifier | Iterable[Modifier], source: str) -> tuple[Modifier, ...]:
    """Return modifiers; a bare number adds, and 0 is no modifier."""
    if isinstance(value, Modifier):
        return (value,)
    number = validation.as_whole(value)
    if number is not None:
        return (Modifier("add", number, source),) if number else ()
    return validation.items(value, Modifier, f"a whole number or Modifiers as {source}")


@dataclass(frozen=True, slots=True)
class CharacteristicRules:
    """A game's rules for one characteristic."""

    #: The game's word for it, and the order of operations.
    name: str
    order: Order = CUMULATIVE
    #: The floor and the ceiling after all modifiers.
    least: int | None = None
    most: int | None = None
    #: Whether to improve it is to subtract: skills, saves, and Armour Penetration as the negative number it is.
    lower_is_better: bool = False
    #: Whether a rule that sets a value beyond the floor lifts the floor.
    set_below: bool = False

    def plain(self, operation: Operation) -> Operation:
        """Return the operation that improves or worsens; any other is what it is."""
        if operation in {"improve", "worsen"}:
            return "subtract" if (operation == "improve") == self.lower_is_better else "add"
        return operation

    def modified(self, value: int, modifiers: Iterable[Modifier]) -> int:
        """Return the value after all modifiers."""
        lines = self.changes(value, tuple(modifiers))
        return lines[-1].numerator if lines else value

    def changes(self, value: int, modifiers: Sequence[Modifier]) -> list[Calculated]:
        """Return the lines of the calculation; the last one holds the finished value, rounded up once."""
        lines: list[Calculated] = []
        numerator, denominator = value, 1
        acting = [each for each in modifiers if each.operation != "treat" and each.acts_on(value, value)]
        for operation in self.order.operations:
            found = [each for each in acting if self.plain(each.operation) == operation]
            if operation == "set":
                found = found[-1:]  # the player who orders them chose
            for modifier in found:
                numerator, denominator = _APPLIED[operation](numerator, denominator, modifier.value)
                change = "→" if operation == "set" else modifier.change
                lines.append(Calculated(change, numerator, denominator, modifier))
            if operation == "set" and found and numerator in self.order.final:
                return lines
        rounded = -(-numerator // denominator)
        if numerator % denominator:
            lines.append(Calculated("rounded up", rounded, 1))
        elif denominator > 1:
            lines[-1] = replace(lines[-1], numerator=rounded, denominator=1)
        lowered = [each.value for each in acting if each.operation == "set"] if self.set_below else []
        finished = rounded if self.least is None else max(rounded, min([self.least, *lowered]))
        finished = finished if self.most is None else min(finished, max([self.most, *lowered]))
        if finished != rounded:
            lines.append(Calculated("never below" if finished > rounded else "never above", finished, 1))
        treating = [each for each in modifiers if each.operation == "treat" and each.acts_on(value, finished)]
        return lines + [Calculated("treated as", each.value, 1, each) for each in treating[-1:]]


def clamped_total(modifiers: Iterable[Modifier], low: int, high: int) -> int:
    """Sum of the modifiers of a roll, then kept within ``low .. high``: the sum is capped, not each source."""
    total, signs = 0, {"add": 1, "improve": 1, "subtract": -1, "worsen": -1}
    for modifier in as_modifiers(modifiers, "modifiers"):
        if modifier.operation not in signs:
            raise MathhammerError(f"expected a modifier of a roll to add or subtract, got {modifier}")
        total += signs[modifier.operation] * modifier.value
    return max(low, min(high, total))


@dataclass(frozen=True, slots=True)
class Characteristic:
    """A characteristic: what is printed, and every modifier that acts on it, in any order.

    What is printed is never a modifier: the +2 of a printed ``D6+2`` belongs to the characteristic, the +2 of a
    rule does not, and the two differ as soon as something halves them (Warhammer 40,000 10th edition Rules
    Commentary, Modifiers; Goonhammer, "Ruleshammer: Dice, Dice Modifiers, Re-rolls, Modifiers and Fast Rolling").
    """

    printed: int | Expression
    rules: CharacteristicRules
    modifiers: tuple[Modifier, ...] = ()

    def __post_init__(self) -> None:
        if self.modifiers != ():
            object.__setattr__(self, "modifiers", as_modifiers(self.modifiers, "modifiers"))
        number = validation.as_whole(getattr(self.printed, "value", self.printed))
        if number is not None:
            object.__setattr__(self, "printed", number)
        elif not isinstance(self.printed, Expression):
            raise MathhammerError(
                f"expected a number or a dice expression as {self.rules.name}, got {shown(self.printed)}; dice(...) "
                "makes an expression of a text"
            )

    @property
    def value(self) -> int | Expression:
        """The value after all modifiers: dice stay dice, of which each value is modified and rounded once."""
        printed, rules = self.printed, self.rules
        if isinstance(printed, int):
            return rules.modified(printed, self.modifiers)
        low, high = printed.bounds()
        inside = (rules.least is None or low >= rules.least) and (rules.most is None or high <= rules.most)
        if not self.modifiers and inside:
            return printed
        distribution = IntegerDistribution.from_distribution(printed.distribution(exact=True))
        weights: dict[int, int] = {}
        for index, weight in enumerate(distribution.weights):
            finished = rules.modified(distribution.low + index, self.modifiers)
            weights[finished] = weights.get(finished, 0) + weight
        return faces(weights)

    @property
    def expression(self) -> Expression:
        """The value as a dice expression."""
        return as_expression(self.value)

    def explain(self) -> tuple[str, tuple[str, ...]]:
        """Return the sum as rulebooks print it, of dice without a result; and each modifier that acted."""
        if isinstance(self.printed, int):
            lines = self.rules.changes(self.printed, self.modifiers)
            parts, acting = [str(line) for line in lines], [line.modifier for line in lines if line.modifier]
        else:
            steps = self.rules.order.operations
            plain = [self.rules.plain(each.operation) for each in self.modifiers]
            places = [steps.index(each) if each in steps else len(steps) for each in plain]
            acting = [each for _, each in sorted(zip(places, self.modifiers, strict=True), key=itemgetter(0))]
            parts = [str(each).removesuffix(f" ({each.source})") for each in acting]
        joint = " " if parts and parts[0].startswith(("→", "×", "÷", "+", "-")) else ", "
        text = joint.join([str(self.printed), *parts[:1]])
        return ", ".join([text, *parts[1:]]), tuple(map(str, acting))
