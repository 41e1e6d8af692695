"""A distribution does not change; what it answers stands in `facts/distributions.txt`."""

from __future__ import annotations

import pytest

from mathhammer import distribution
from mathhammer.distributions import CategoricalDistribution


def test_immutable():
    dist = distribution("D6")
    with pytest.raises(AttributeError, match="immutable"):
        dist.exact = True
    with pytest.raises(ValueError, match="read-only"):
        dist.to_array()[0] = 1
    with pytest.raises(AttributeError, match="immutable"):
        CategoricalDistribution.certain("a", exact=True).name = 1
