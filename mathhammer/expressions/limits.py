"""The size of an expression, known before any work starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from mathhammer.expressions.base import Expression

#: Most outcomes that an expression, or any part of it, may have: to print so many takes a second.
MAXIMUM_OUTCOMES = 400_000
#: Most outcomes that all parts together may run through: less than a second, and some tens of megabytes.
MAXIMUM_WORK = 800_000
#: Outcomes of all parts that take a few milliseconds in exact arithmetic.
SMALL_WORK = 1_000
#: Beyond this a float does not count in steps of 1.
MAXIMUM_VALUE = 1 << 53


def is_small(expression: Expression) -> bool:
    """Whether exact arithmetic costs less than to import NumPy."""
    require_size(expression)
    return _outcomes(expression) <= SMALL_WORK


def require_size(expression: Expression) -> None:
    """Refuse an expression of which a part has too many outcomes."""
    expression.require_walkable()
    work = _outcomes(expression)
    if work > MAXIMUM_WORK:
        raise TooLargeError(
            f"expected an expression of which all parts together have at most {MAXIMUM_WORK:,} outcomes, but those of "
            f"{validation.shown(expression)} have {validation.shown(work)}; use fewer dice or smaller numbers"
        )


def _outcomes(expression: Expression) -> int:
    """Return the number of outcomes that the distribution of this tree runs through, parts included."""
    low, high, denominator = expression.scaled_bounds()
    own = high - low + 1
    if own > MAXIMUM_OUTCOMES:
        size = f"{own:,}" if own < MAXIMUM_VALUE**2 else validation.shown(own)
        raise TooLargeError(
            f"expected an expression of at most {MAXIMUM_OUTCOMES:,} outcomes, but {validation.shown(expression)} has "
            f"{size}; use fewer dice or smaller numbers"
        )
    if max(-low, high) > MAXIMUM_VALUE * denominator:
        raise TooLargeError(
            f"expected an expression of values up to {MAXIMUM_VALUE:,}, but {validation.shown(expression)} has larger "
            "ones; use smaller numbers"
        )
    return expression.work(own, [_outcomes(part) for part in expression.parts()])
