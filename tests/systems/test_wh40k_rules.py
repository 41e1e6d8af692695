"""Single rules of the 10th edition, one fact each, by hand: from the hit roll to the wound roll."""

from __future__ import annotations

import pytest

from mathhammer.modifiers import Modifier, Operation, Order, modified

TENTH = Order((("set",), ("divide",), ("multiply",), ("add",), ("subtract",)))


# -------------------------------------------------------------------------------------------- modifiers of a value


@pytest.mark.parametrize(
    ("value", "changes", "result"),
    [
        (3, [("add", 1), ("multiply", 2)], 7),
        (2, [("add", 1), ("divide", 2)], 2),
        (2, [("add", 1), ("divide", 2), ("set", 0)], 1),
        (5, [("divide", 2)], 3),
        (5, [("multiply", 2), ("divide", 2)], 5),
        (5, [("add", 1), ("divide", 2)], 4),
        (5, [("subtract", 1), ("divide", 2)], 2),
    ],
)
def test_order_of_operations(value: int, changes: list[tuple[Operation, int]], result: int) -> None:
    """Rules Commentary, Modifiers: set, divide, multiply, add, subtract, then round up once."""
    assert (
        modified(value, [Modifier(operation, number, "a rule") for operation, number in changes], TENTH)
        == result
    )


# ------------------------------------------------------------------------------------------------------- hit rolls


# ------------------------------------------------------------------------------------------- number of hits, attacks


# ----------------------------------------------------------------------------------------------------- wound rolls
