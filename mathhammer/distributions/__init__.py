"""Probability distributions of whole numbers, and functions on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.lazy import on_first_use

if TYPE_CHECKING:
    from mathhammer.distributions.categorical import CategoricalDistribution
    from mathhammer.distributions.combination import maximum, minimum, mixture, product
    from mathhammer.distributions.joint import JointDistribution
    from mathhammer.distributions.univariate import Distribution

__all__ = [
    "CategoricalDistribution",
    "Distribution",
    "JointDistribution",
    "maximum",
    "minimum",
    "mixture",
    "product",
]

_HOMES = {
    "categorical": "CategoricalDistribution",
    "combination": "maximum minimum mixture product",
    "joint": "JointDistribution",
    "univariate": "Distribution",
}

__getattr__ = on_first_use(__name__, _HOMES)
