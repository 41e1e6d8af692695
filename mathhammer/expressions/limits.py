"""The size of an expression, known before any work starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from mathhammer.expressions.base import Expression

__all__ = ["MAXIMUM_OUTCOMES", "require_size"]

#: Most outcomes that an expression, or any part of it, may have.
MAXIMUM_OUTCOMES = 2_000_000
#: Most parts of a tree, counting a part again for each place it stands at.
MAXIMUM_PARTS = 20_000


def require_size(expression: Expression) -> None:
    """Refuse an expression of which a part has too many outcomes.

    Raises
    ------
    TooLargeError
        The message holds the part, its size and the knob to turn.

    Examples
    --------
    >>> from mathhammer import dice
    >>> require_size(dice("min(D999999999, 3)"))
    Traceback (most recent call last):
        ...
    mathhammer.errors.TooLargeError: expected an expression of at most 2,000,000 outcomes, but D999999999 has
    999,999,999; use fewer dice or smaller numbers
    """
    try:
        _outcomes(expression, [0])
    except RecursionError as error:
        raise TooLargeError(
            "expected an expression that is not nested so deep; `1000 @ D6` is one part where a sum of a thousand "
            "terms is a thousand"
        ) from error


def _outcomes(expression: Expression, seen: list[int]) -> int:
    """Return the number of outcomes that the law of this tree runs through, parts included."""
    seen[0] += 1
    if seen[0] > MAXIMUM_PARTS:
        raise TooLargeError(f"expected an expression of at most {MAXIMUM_PARTS:,} parts, got more")
    low, high, _ = expression.scaled_bounds()
    own = high - low + 1
    if own > MAXIMUM_OUTCOMES:
        raise TooLargeError(
            f"expected an expression of at most {MAXIMUM_OUTCOMES:,} outcomes, but {expression} has "
            f"{own:,}; use fewer dice or smaller numbers"
        )
    return expression.work(own, [_outcomes(part, seen) for part in expression.parts()])
