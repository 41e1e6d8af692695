"""Where a fraction is rounded up: each text against its enumeration."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import ceil

import pytest

from mathhammer import distribution

D6 = range(1, 7)


def dist(outcomes):
    counts = Counter(outcomes)
    return {outcome: Fraction(times, counts.total()) for outcome, times in counts.items()}


HALVES = [Fraction(face, 2) for face in D6]
CASES = {
    "(D6÷2)×3": dist(ceil(half * 3) for half in HALVES),
    "(let x = D6 in x÷2)×3": dist(ceil(half) * 3 for half in HALVES),
    "let x = D6÷2 in x×3": dist(ceil(half) * 3 for half in HALVES),
    "let x = D6 in (x÷2)×3": dist(ceil(half * 3) for half in HALVES),
    "mixture(1: D6÷2, 1: D6)×3": dist([ceil(half) * 3 for half in HALVES] + [face * 3 for face in D6]),
    "2(D6÷2)": dist(ceil(a) + ceil(b) for a, b in product(HALVES, HALVES)),
    "D6÷2+D6÷2": dist(ceil(a + b) for a, b in product(HALVES, HALVES)),
    "(D2÷2)D6": dist(D6),  # one half or one: one roll either way
    "max(D6÷2, 2)×3": dist(max(ceil(half), 2) * 3 for half in HALVES),
    "min(D6÷2, 2)×3": dist(min(ceil(half), 2) * 3 for half in HALVES),
    "given(D6÷2, 2+)×3": dist(ceil(half) * 3 for half in HALVES if ceil(half) >= 2),
    "highest(1 of (D6÷2), (D6÷2))×3": dist(max(ceil(a), ceil(b)) * 3 for a, b in product(HALVES, HALVES)),
    "floor(D6÷2)×3": dist(int(half) * 3 for half in HALVES),
    "D6÷2>=2": dist(int(half >= 2) for half in HALVES),
    "D6÷2>1": dist(int(half > 1) for half in HALVES),
}


@pytest.mark.parametrize("text", CASES)
def test_where_a_fraction_is_rounded(text):
    found = {outcome: Fraction(int(p.p), int(p.q)) for outcome, p in distribution(text, exact=True).items()}
    assert found == CASES[text]
