"""Numbers as people read them: percentages, short decimals, fractions."""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

#: A fraction of more digits than this is shown by their number, unless all of them are wanted.
MAXIMUM_FRACTION = 400
# A float sum of probabilities may end a few units in the last place above 1; more than this is a mistake.
_ROUNDING = 1e-9
# A fraction of more digits than this is not read beside its value.
_BESIDE = 40
_SHORT = 10_000  # bits of a number that is no work to write


def percent(probability: SupportsFloat, /, *, digits: int = 2) -> str:
    """Return a probability as a percentage that never lies at the ends."""
    value = float(probability)
    if not 0 <= value <= 1 + _ROUNDING:
        raise MathhammerError(f"expected a probability from 0 to 1, got {shown(probability)}")
    # Compared before rounding: an exact value may round to 1.0 and still be a possible failure.
    if probability == 0:
        return "0%"
    if probability == 1 or value > 1:
        return "100%"
    text = f"{100 * value:.{digits}f}"
    if float(text) == 0:
        return f"<{10.0**-digits:.{digits}f}%"
    if float(text) == 100:
        return f">{100 - 10.0**-digits:.{digits}f}%"
    return f"{text}%"


def number(value: SupportsFloat, /, *, digits: int = 2) -> str:
    """Return a number in few characters; what is not zero never looks like zero."""
    real = float(value)
    if value == 0:
        return "0"
    if abs(real) >= 1e5:
        return f"{real:.{digits}e}"
    text = f"{real:.{digits}f}"
    if float(text) == 0:
        step = f"{10.0**-digits:.{digits}f}"
        return f"<{step}" if real > 0 else f">-{step}"
    return text


def count(value: int, noun: str, plural: str | None = None) -> str:
    """Return a number of things in words that agree."""
    return f"{value:,} {noun if value == 1 else plural or noun + 's'}"


def fraction(numerator: int, denominator: int, /, *, limit: int | None = None) -> str:
    """Return a fraction in lowest terms as given, whole numbers without a bar."""
    parts = (numerator,) if denominator == 1 else (numerator, denominator)
    digits = sum(math.floor(math.log10(abs(part) or 1)) + 1 for part in parts)
    if limit is not None and digits > limit:
        return f"a {'number' if denominator == 1 else 'fraction'} of {digits:,} digits"
    return "/".join(map(_decimal, parts))


def value_text(value: SupportsFloat, /, *, limit: int | None = None) -> str:
    """Return a float as Python writes it, and a rational number as `fraction` does."""
    if isinstance(value, float):
        return repr(float(value))
    exact: Any = value  # a Rational of SymPy, or a number of FLINT
    return fraction(int(exact.numerator), int(exact.denominator), limit=limit)


def exact_number(value: SupportsFloat, /) -> str:
    """Return a number in six digits, beside its fraction where it is exact."""
    short = f"{float(value):.6g}"
    if isinstance(value, float):
        return short
    text = value_text(value, limit=_BESIDE)
    if text.startswith("a "):
        return f"{short} ({text})"
    return short if text == short else f"{text} = {short}"


def _decimal(value: int) -> str:
    """Return the decimal digits of an integer of any length."""
    if value.bit_length() < _SHORT:
        return str(value)
    from flint import fmpz  # str() of an int refuses more than 4,300 digits

    return str(fmpz(value))
