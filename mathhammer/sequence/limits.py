"""What a walk may cost, refused before it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.distributions.kernel import ENTRY, MAXIMUM_SECONDS, NUMBER, STEP
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.expressions import Expression
    from mathhammer.sequence.unit import Unit
    from mathhammer.sequence.volley import Volley

#: Most attacks of one volley.
MAXIMUM_ATTACKS = 20_000

#: About as many states does one wound lead to from each.
TRANSITIONS = 5


def require_number(number: Expression, what: str) -> None:
    """Raise TooLargeError if there can be more attacks or wounds than a walk should make."""
    most = number.bounds()[1]
    if most > MAXIMUM_ATTACKS:
        fewer = "weapons or attacks" if what.startswith("attacks") else "of them"
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKS:,} {what}, but {number} can be {most:,}; use fewer {fewer}"
        )


def require_walks(
    volleys: Sequence[Volley], unit: Unit, *, orders: int = 1, walked: float = 1.0, exact: bool = False
) -> None:
    """Raise TooLargeError if walks over all volleys, in so many orders, take longer than some seconds."""
    attacks = int(walked * sum(volley.number.most for volley in volleys))
    seconds = orders * attacks * (STEP + unit.states * TRANSITIONS * (NUMBER if exact else ENTRY))
    if seconds > MAXIMUM_SECONDS:
        raise TooLargeError(
            f"expected walks of at most {MAXIMUM_SECONDS:.0f} seconds together, but {orders:,} orders of "
            f"{attacks:,} attacks over {unit.states:,} states take about {seconds:,.0f}; use fewer volleys, fewer "
            "attacks or a smaller unit, or give the order"
        )
