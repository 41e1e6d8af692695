"""Conditions on a value: which faces are re-rolled, which explode, what is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from mathhammer.expressions.operations import Relation

Kind = Literal["in", "not in", "below", "at least"]
#: Kinds, each beside its opposite, and the relation to one number that each is.
_KINDS: dict[Kind, Relation] = {"in": "=", "not in": "!=", "below": "<", "at least": ">="}


@dataclass(frozen=True, slots=True)
class FaceCondition:
    """A set of whole numbers: ``1, 2``, ``not 6``, ``<4`` or ``4+``; they ascend, and the last two have one."""

    kind: Kind
    values: tuple[int, ...]

    def __call__(self, value: int) -> bool:
        """Return whether a value satisfies the condition."""
        if self.kind == "below":
            return value < self.values[0]
        if self.kind == "at least":
            return value >= self.values[0]
        return (value in self.values) == (self.kind == "in")

    def __invert__(self) -> FaceCondition:
        """Return the condition of all other values."""
        kinds = list(_KINDS)
        return FaceCondition(kinds[kinds.index(self.kind) ^ 1], self.values)

    @property
    def relation(self) -> Relation:
        """The relation of a value to its one number."""
        return _KINDS[self.kind]

    def __str__(self) -> str:
        if self.kind == "below":
            return f"<{self.values[0]}"
        if self.kind == "at least":
            return f"{self.values[0]}+"
        return ("not " if self.kind == "not in" else "") + ", ".join(map(str, self.values))


def related(relation: str, value: int) -> FaceCondition:
    """Return the condition that a relation to a number is."""
    relation, value = {"<=": ("<", value + 1), ">": (">=", value + 1)}.get(relation, (relation, value))
    return FaceCondition(next(kind for kind in _KINDS if _KINDS[kind] == relation), (value,))
