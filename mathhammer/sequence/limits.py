"""What a walk may cost, refused before it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.distributions.kernel import MAXIMUM_SECONDS
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.sequence.unit import ModelUnit
    from mathhammer.sequence.volley import SequenceVolley

#: Most attacks of one volley.
MAXIMUM_ATTACKS = 20_000

#: Seconds of an attack in a walk, and of each state that it may be in.
ATTACK, STATE = 1e-5, 1e-7


def require_numbers(volleys: Sequence[SequenceVolley]) -> None:
    """Raise TooLargeError if there can be more attacks or wounds in a volley than a walk should make."""
    for volley in volleys:
        number = volley.number.expression
        most = number.bounds()[1]
        if most > MAXIMUM_ATTACKS:
            what, fewer = "attacks in a volley", "weapons or attacks"
            if volley.attack is None:
                what, fewer = "wounds without an attack at once", "of them"
            raise TooLargeError(
                f"expected at most {MAXIMUM_ATTACKS:,} {what}, but {number} can be {most:,}; use fewer {fewer}"
            )


def require_walks(
    volleys: Sequence[SequenceVolley], unit: ModelUnit, *, orders: int = 1, walked: float = 1.0
) -> None:
    """Raise TooLargeError if walks over all volleys, in so many orders, take longer than some seconds."""
    attacks = int(walked * sum(volley.number.most for volley in volleys))
    seconds = orders * attacks * (ATTACK + unit.states * STATE)
    if seconds > MAXIMUM_SECONDS:
        raise TooLargeError(
            f"expected a question that takes at most {MAXIMUM_SECONDS:.0f} seconds, but {orders:,} orders of "
            f"{attacks:,} attacks over {unit.states:,} states take about {seconds:,.0f}; use fewer volleys, fewer "
            "attacks or a smaller unit, or give the order"
        )
