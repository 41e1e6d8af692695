"""Joint distributions built step by step: the chain rule, functions of coordinates, and what is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from mathhammer import distribution
from mathhammer.distributions import chain
from mathhammer.distributions.chain import extended, moved, transformed
from mathhammer.errors import TooLargeError


@pytest.mark.parametrize("exact", [True, False])
def test_the_chain_rule(*, exact: bool) -> None:
    """A die, then as many further dice: each pair by enumeration."""
    d3: Any = distribution("D3", exact=exact)
    d6: Any = distribution("D6", exact=exact)
    sums = {count: d6.repeat(count) for count in d3.support}
    joint = extended(d3.joint(count=lambda count: count), "total", lambda outcome: sums[outcome[0]])
    assert joint.axes == ("count", "total")
    for count in d3.support:
        for total in range(1, 19):
            ways = sum(sum(faces) == total for faces in product(range(1, 7), repeat=count))
            assert float(joint.pmf((count, total))) == pytest.approx(ways / 6**count / 3, rel=1e-15)
    assert float(joint.total()) == pytest.approx(1)
    assert joint.marginal("count").mean() == d3.mean()


def test_rows_leave_nothing_in_the_denominator() -> None:
    """Rows of 1/6, 2/6 and 3/6 are each divided by their own part on the way, and stand over 6 again."""
    coin: Any = distribution("D2", exact=True)
    rows = distribution("D{1, 2:2, 3:3}", exact=True).joint(row=lambda row: row, value=lambda _: 0)
    joint = moved(rows, "value", lambda _, before: before + coin)
    assert joint._mass.terms()[1] == 12
    assert [joint.pmf((row, face)) * 12 for row in (1, 2, 3) for face in (1, 2)] == [1, 1, 2, 2, 3, 3]


def test_images_add_up() -> None:
    pair = distribution("D6", exact=True).joint(face=lambda face: face, low=lambda face: int(face < 3))
    parity = transformed(pair, ("odd",), lambda outcome: (outcome[0] % 2,))
    assert [2 * parity.pmf((odd,)) for odd in (0, 1)] == [1, 1]


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = distribution("D6", exact=True).joint(face=lambda face: face)
    exact: Any = distribution("D6", exact=True)
    monkeypatch.setattr(chain, "MAXIMUM_OUTCOMES", 36)
    assert extended(joint, "more", lambda _: exact).total() == 1
    monkeypatch.setattr(chain, "MAXIMUM_OUTCOMES", 35)
    with pytest.raises(TooLargeError, match="use smaller units"):
        extended(joint, "more", lambda _: exact)
