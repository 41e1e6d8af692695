"""Characteristics: a number, a dice expression or a dash, under modifiers from any source."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, overload

from mathhammer import validation
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression, faces
from mathhammer.expressions.base import Constant
from mathhammer.modifiers import Change, Modifier, Order, as_modifiers, calculation, plain_operation
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.distributions import Distribution

Scope = Literal["once for the unit", "each time, for each model", "each time, for each weapon"]
"""Occasions on which a random characteristic is rolled."""

CUMULATIVE = Order.of("set", "divide", "multiply", "add", "subtract")
"""The order of Warhammer 40,000's 9th and 10th editions."""

#: Printed values that are never modified.
_NULL = re.compile(r"-|–|−|\*|n/a|\d+\+[\"”″]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CharacteristicRules:
    """A game's rules for one characteristic.

    Parameters
    ----------
    name
        The game's word for it.
    order
        The order of operations.
    least, most
        The floor and the ceiling after all modifiers.
    lower_is_better
        Whether to improve it is to subtract: skills, saves, and Armour Penetration as the negative number it is.
    set_below
        Whether a rule that sets a value beyond the floor lifts the floor.
    scope
        When a random value is rolled, and for whom.

    Examples
    --------
    >>> ap = CharacteristicRules("AP", most=0, lower_is_better=True)
    >>> ap.modified(0, [Modifier("worsen", 1, "smoke")]), ap.modified(0, [Modifier("improve", 1, "an oath")])
    (0, -1)
    """

    name: str
    order: Order = CUMULATIVE
    least: int | None = None
    most: int | None = None
    lower_is_better: bool = False
    set_below: bool = False
    scope: Scope = "each time, for each weapon"

    def modified(self, value: int, modifiers: Iterable[Modifier]) -> int:
        """Return the value after all modifiers."""
        lines = self.changes(value, modifiers)
        return lines[-1].numerator if lines else value

    def changes(self, value: int, modifiers: Iterable[Modifier]) -> list[Change]:
        """Return the lines of the calculation."""
        return calculation(
            value,
            tuple(modifiers),
            self.order,
            least=self.least,
            most=self.most,
            lower_is_better=self.lower_is_better,
            set_below=self.set_below,
        )


@dataclass(frozen=True, slots=True)
class Working:
    """A calculation in lines: ``str`` gives the sum as rulebooks print it, `sources` where each part comes from.

    Parameters
    ----------
    start
        The printed value.
    lines
        What changed it, in order.
    random
        Whether it is dice, of which no result can be shown.

    Examples
    --------
    >>> from mathhammer.modifiers import Modifier, changes
    >>> print(Working("4", tuple(changes(4, [Modifier("add", 1, "aura")], ("add",)))))
    4 +1 = 5
    """

    start: str
    lines: tuple[Change, ...]
    random: bool = False

    @property
    def sources(self) -> tuple[str, ...]:
        """Every modifier that acted, with its source."""
        return tuple(str(line.modifier) for line in self.lines if line.modifier is not None)

    def __str__(self) -> str:
        parts = []
        for line in self.lines:
            if line.text == "set":
                parts.append(f"→ {line.result}")
            elif line.text in {"treated as", "never below", "never above"}:
                parts.append(f"{line.text} {line.result}")
            else:
                parts.append(line.text if self.random else f"{line.text} = {line.result}")
        if not parts:
            return self.start
        first, *rest = parts
        joint = "" if first.startswith(("→", "×", "÷", "+", "-")) else ","
        return ", ".join([f"{self.start}{joint} {first}", *rest])


@dataclass(frozen=True, slots=True)
class Characteristic:
    """A characteristic: what is printed, and every modifier that acts on it, whatever its source.

    What is printed is never a modifier: the +2 of a printed ``D6+2`` belongs to the characteristic, the +2 of a
    rule does not, and the two differ as soon as something halves them.

    Parameters
    ----------
    printed
        A number, a dice expression, or a text that is never modified: ``"-"``, ``"*"``, ``"N/A"``, ``'20+"'``.
    rules
        What the game says of it.
    modifiers
        In any order: the game's order of operations decides.

    Examples
    --------
    >>> attacks = Characteristic(3, CharacteristicRules("A", least=1))
    >>> both = attacks.with_modifiers(Modifier("add", 1, "an aura"), Modifier("multiply", 2, "a banner"))
    >>> both.value
    7

    References
    ----------
    Warhammer 40,000 10th edition Rules Commentary, Modifiers; Goonhammer, "Ruleshammer: Dice, Dice Modifiers,
    Re-rolls, Modifiers and Fast Rolling".
    """

    printed: int | Expression | str
    rules: CharacteristicRules
    modifiers: tuple[Modifier, ...] = ()

    def __post_init__(self) -> None:
        validation.instance(self.rules, CharacteristicRules, "CharacteristicRules as rules")
        if self.modifiers != ():
            object.__setattr__(self, "modifiers", as_modifiers(self.modifiers, "modifiers"))
        printed = self.printed
        number = printed.value if isinstance(printed, Constant) else validation.as_whole(printed)
        if number is not None:
            object.__setattr__(self, "printed", number)
        elif isinstance(printed, str) and not _NULL.fullmatch(printed.strip()):
            raise MathhammerError(
                f"expected a number, a dice expression, '-', '*', 'N/A' or a value such as '20+\"' as "
                f"{self.rules.name}, got {shown(printed)}; dice(...) makes an expression of a text"
            )
        elif isinstance(printed, Expression):
            printed.require_walkable()
        else:
            validation.instance(printed, str, f"a number or dice as {self.rules.name}")

    @property
    def modifiable(self) -> bool:
        """Whether modifiers act on it at all."""
        return not isinstance(self.printed, str)

    def with_modifiers(self, *modifiers: Modifier) -> Characteristic:
        """Return the same characteristic under more modifiers."""
        return replace(self, modifiers=(*self.modifiers, *modifiers))

    @property
    def value(self) -> int | Expression | str:
        """The value after all modifiers: dice stay dice, of which each value is modified and rounded once."""
        printed = self.printed
        if isinstance(printed, str):
            return printed
        if isinstance(printed, int):
            return self.rules.modified(printed, self.modifiers)
        low, high = printed.bounds()
        inside = (self.rules.least is None or low >= self.rules.least) and (
            self.rules.most is None or high <= self.rules.most
        )
        if not self.modifiers and inside:
            return printed
        distribution = IntegerDistribution.from_distribution(printed.distribution(exact=True))
        weights: dict[int, int] = {}
        for index, weight in enumerate(distribution.weights):
            finished = self.rules.modified(distribution.low + index, self.modifiers)
            weights[finished] = weights.get(finished, 0) + weight
        return faces(weights)

    @property
    def number(self) -> int:
        """The value of one that is a number."""
        value = self.value
        if not isinstance(value, int):
            raise MathhammerError(f"expected a number as {self.rules.name}, got {shown(str(value))}")
        return value

    @property
    def expression(self) -> Expression:
        """The value as a dice expression."""
        value = self.value
        if isinstance(value, str):
            raise MathhammerError(f"expected a {self.rules.name} with a value, but it is {value!r}")
        return Constant(value) if isinstance(value, int) else value

    @overload
    def distribution(self, *, exact: Literal[False] = ...) -> Distribution: ...
    @overload
    def distribution(self, *, exact: Literal[True]) -> Distribution: ...
    @overload
    def distribution(self, *, exact: bool) -> Distribution: ...
    def distribution(self, *, exact: bool = False) -> Distribution:
        """Distribution of the value."""
        return self.expression.distribution(exact=exact)

    def required(self, substitute: Characteristic) -> Characteristic:
        """Return the characteristic that a rule which needs a value reads: that of the model in place of a dash.

        Warhammer 40,000 9th edition core rules, Modifying Characteristics.
        """
        if not isinstance(self.printed, str):
            return self
        value = substitute.value
        if isinstance(value, str):
            raise MathhammerError(
                f"expected a {substitute.rules.name} with a value in place of {self.rules.name} "
                f"{self.printed!r}, got {shown(value)}"
            )
        return Characteristic(value, replace(self.rules, least=None, most=None))

    def explain(self) -> Working:
        """Return the sum, line by line."""
        printed = self.printed
        if isinstance(printed, str):
            return Working(printed, ())
        if isinstance(printed, int):
            return Working(str(printed), tuple(self.rules.changes(printed, self.modifiers)))
        steps = [operation for step in self.rules.order.steps for operation in step]

        def place(modifier: Modifier) -> int:
            plain = plain_operation(modifier.operation, lower_is_better=self.rules.lower_is_better)
            return steps.index(plain) if plain in steps else len(steps)

        lines = [
            Change(str(modifier).removesuffix(f" ({modifier.source})"), 0, 1, modifier)
            for modifier in sorted(self.modifiers, key=place)
        ]
        return Working(str(printed), tuple(lines), random=True)
