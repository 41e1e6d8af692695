"""Modifiers: what changes a value, in the order a game gives, with where each comes from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Modifier", "Operation", "as_modifiers", "clamped_total", "modified"]

Operation = Literal["set", "divide", "multiply", "add", "subtract"]

_SIGNS = {"set": "=", "divide": "÷", "multiply": "×", "add": "+", "subtract": "-"}


@dataclass(frozen=True, slots=True)
class Modifier:
    """One change to a value.

    Parameters
    ----------
    operation
        ``"set"``, ``"divide"``, ``"multiply"``, ``"add"`` or ``"subtract"``.
    value
        The number; 1 or more for a division.
    source
        The rule that it comes from, as a player would name it.

    Examples
    --------
    >>> str(Modifier("add", 1, "Heavy"))
    '+1 (Heavy)'
    """

    operation: Operation
    value: int
    source: str

    def __post_init__(self) -> None:
        if self.operation not in _SIGNS:
            raise MathhammerError(
                f"expected an operation of {', '.join(_SIGNS)}; got {self.operation!r} from {self.source!r}"
            )
        if self.operation == "divide" and self.value < 1:
            raise MathhammerError(f"expected a divisor of 1 or more, got {self.value!r} from {self.source!r}")

    def __str__(self) -> str:
        value = self.value
        if self.operation in {"add", "subtract"}:
            return f"{value if self.operation == 'add' else -value:+d} ({self.source})"
        return f"{_SIGNS[self.operation]}{value} ({self.source})"


def as_modifiers(value: int | Modifier | Iterable[Modifier], source: str) -> tuple[Modifier, ...]:
    """Return modifiers; a bare number adds, and 0 is no modifier."""
    if isinstance(value, Modifier):
        return (value,)
    if isinstance(value, int) and not isinstance(value, bool):
        return (Modifier("add", value, source),) if value else ()
    if isinstance(value, str | bool) or not isinstance(value, Iterable):
        raise MathhammerError(f"expected a whole number or Modifiers as {source}, got {value!r}")
    given = tuple(value)
    for modifier in given:
        if not isinstance(modifier, Modifier):
            raise MathhammerError(f"expected a number or Modifiers as {source}, got {modifier!r}")
    return given


def modified(
    value: int, modifiers: Sequence[Modifier], order: Sequence[Operation], *, least: int | None = None
) -> int:
    """Apply all modifiers, stage by stage, then round up once.

    Parameters
    ----------
    value
        The unmodified value.
    modifiers
        All of them, whatever their source: the order is that of the stages, not of the sources.
    order
        The game's order of operations.
    least
        The floor of the finished value, if it has one.

    Examples
    --------
    >>> ten = ("set", "divide", "multiply", "add", "subtract")
    >>> modified(3, [Modifier("add", 1, "an aura"), Modifier("multiply", 2, "a banner")], ten)
    7

    References
    ----------
    Warhammer 40,000 10th edition, Rules Commentary, Modifiers.
    """
    numerator, denominator = value, 1
    for stage in order:
        for modifier in modifiers:
            if modifier.operation != stage:
                continue
            if stage == "set":
                numerator, denominator = modifier.value, 1
            elif stage == "divide":
                denominator *= modifier.value
            elif stage == "multiply":
                numerator *= modifier.value
            elif stage == "add":
                numerator += modifier.value * denominator
            else:
                numerator -= modifier.value * denominator
    rounded = -(-numerator // denominator)
    return rounded if least is None or rounded >= least else least


def clamped_total(modifiers: Iterable[Modifier], low: int, high: int) -> int:
    """Sum of the modifiers of a roll, then kept within ``low .. high``: the sum is capped, not each source.

    Examples
    --------
    >>> clamped_total([Modifier("subtract", 2, "smoke"), Modifier("add", 1, "Heavy")], -1, 1)
    -1
    """
    total = 0
    for modifier in modifiers:
        if modifier.operation == "add":
            total += modifier.value
        elif modifier.operation == "subtract":
            total -= modifier.value
        else:
            raise MathhammerError(f"expected a modifier of a roll to add or subtract, got {modifier}")
    return max(low, min(high, total))
