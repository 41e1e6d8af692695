"""Conditions on a value: which faces are re-rolled, which explode, what is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mathhammer import validation
from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Condition:
    """A set of whole numbers: ``1, 2``, ``not 6``, ``<4`` or ``4+``; they ascend, and the last two have one."""

    kind: Literal["in", "not in", "below", "at least"]
    values: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.kind not in {"in", "not in", "below", "at least"}:
            raise MathhammerError(f"expected 'in', 'not in', 'below' or 'at least', got {shown(self.kind)}")
        if not self.values or self.values != tuple(sorted(set(self.values))):
            raise MathhammerError(f"expected one number or more in ascending order, got {shown(self.values)}")
        if self.kind in {"below", "at least"} and len(self.values) != 1:
            raise MathhammerError(
                f"expected one number for a condition {self.kind!r}, got {shown(self.values)}"
            )

    def __call__(self, value: int) -> bool:
        """Return whether a value satisfies the condition."""
        if self.kind == "below":
            return value < self.values[0]
        if self.kind == "at least":
            return value >= self.values[0]
        return (value in self.values) == (self.kind == "in")

    def __str__(self) -> str:
        if self.kind == "below":
            return f"<{self.values[0]}"
        if self.kind == "at least":
            return f"{self.values[0]}+"
        return ("not " if self.kind == "not in" else "") + ", ".join(map(str, self.values))


def as_condition(value: Condition | str | int | Iterable[int], /) -> Condition:
    """Return a condition from its text, one number or several."""
    if isinstance(value, Condition):
        return value
    if isinstance(value, str):
        from mathhammer.expressions.parser import condition

        return condition(value)
    number = validation.as_whole(value)
    if number is not None:
        return Condition("in", (number,))
    values = validation.wholes(value, "a condition such as '4+', '<3', a number or several")
    return Condition("in", tuple(sorted(set(values))))
