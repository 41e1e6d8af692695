"""What an outcome may be: a whole number, and how far from the others."""

from __future__ import annotations

from mathhammer import validation
from mathhammer.errors import TooLargeError

#: Most outcomes from the least to the greatest one.
MAXIMUM_OUTCOMES = 10_000_000
#: Greatest outcome: a float counts in steps of 1 up to there.
MAXIMUM_OUTCOME = 1 << 53


def as_outcome(value: object) -> int:
    """Return the outcome that a function gave; whether something holds is 1 or 0."""
    if type(value) is int:
        return value
    holds = validation.as_flag(value)
    return validation.whole(value, "outcome of a function") if holds is None else int(holds)


def require_outcomes(low: int, high: int) -> None:
    """Refuse outcomes too far apart, or too large, before the vector from the least to the greatest is made."""
    if high - low >= MAXIMUM_OUTCOMES or max(-low, high) > MAXIMUM_OUTCOME:
        raise TooLargeError(
            f"expected outcomes at most {MAXIMUM_OUTCOMES:,} apart and up to {MAXIMUM_OUTCOME:,}, got "
            f"{validation.shown(low)} and {validation.shown(high)}; use smaller numbers"
        )
