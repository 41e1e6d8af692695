"""Relative error of float64 distributions against the exact arithmetic, over all points that are normal floats."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import scipy.signal

from mathhammer import distribution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sympy import Rational

    from mathhammer.distributions import Distribution

#: Text, and the bound that the README promises.
DISTRIBUTIONS = (
    ("10D6", 1e-13),
    ("100D6", 1e-13),
    ("1000D6", 1e-13),
    ("1000D3", 1e-13),
    ("500D10", 1e-13),
    ("highest(10 of 20D6)", 1e-12),
    ("(30D6)D6", 1e-12),
    ("100(reroll(D6, 1))", 1e-12),
    ("let x = 10D6 in x+(x)D3", 1e-12),
    ("30(explode(D6, 6, depth 4))", 1e-12),
)
#: The smallest normal float is 2 to the power of -1022.
_NORMAL = 1022


def relative_error(value: float, numerator: int, denominator: int) -> float:
    """Error of a float against a fraction whose parts may be too long for floats; 0 below normal floats."""
    if numerator << _NORMAL < denominator:
        return 0.0
    a, b = value.as_integer_ratio()
    return abs((a * denominator - b * numerator) / (b * numerator))


def _largest(values: Sequence[float], numerators: Sequence[int], denominator: int) -> float:
    return max(relative_error(*pair, denominator) for pair in zip(values, numerators, strict=True))


def _integers(dist: Distribution[Rational]) -> tuple[list[int], int]:
    data = dist.to_dict()
    return [int(text) for text in data["numerators"]], int(data["denominator"])


def _errors(text: str) -> tuple[float, float]:
    """Largest relative error of the pmf, and of cdf and tails at up to 200 points."""
    exact, floats = distribution(text, exact=True), distribution(text)
    numerators, denominator = _integers(exact)
    pmf = _largest([float(floats.pmf(k)) for k in exact.support], numerators, denominator)
    step = max(1, len(numerators) // 200)
    points = list(exact.support)[::step]
    low = _largest(
        [float(floats.cdf(k)) for k in points], list(accumulate(numerators))[::step], int(denominator)
    )
    tails = list(accumulate(reversed(numerators)))[::-1][::step]
    high = _largest([float(floats.at_least(k)) for k in points], tails, denominator)
    return pmf, max(low, high)


def _fft_error(dice: int) -> float:
    """The same for a sum of D6 by scipy's default convolution, which turns to FFT."""
    die = result = np.full(6, 1 / 6)
    for bit in bin(dice)[3:]:
        result = scipy.signal.fftconvolve(result, result)
        if bit == "1":
            result = scipy.signal.fftconvolve(result, die)
    return _largest([float(value) for value in result], *_integers(distribution(f"{dice}D6", exact=True)))


def accuracy_rows() -> list[list[str]]:
    """One row for each distribution."""
    rows = []
    for text, bound in DISTRIBUTIONS:
        pmf, tails = _errors(text)
        fft = f"{_fft_error(int(text[:-2])):.0e}" if text in {"10D6", "100D6", "1000D6"} else ""
        rows.append([f"`{text}`", f"{pmf:.1e}", f"{tails:.1e}", f"{bound:.0e}", fft])
    return rows
