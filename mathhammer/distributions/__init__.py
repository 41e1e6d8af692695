"""Immutable distributions of integer quantities, functions on them, and the walk over a finite state space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.distributions.combination import convolution, maximum, minimum, mixture, product
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.univariate import Distribution
from mathhammer.lazy import on_first_use

if TYPE_CHECKING:
    from mathhammer.distributions.categorical import CategoricalDistribution
    from mathhammer.distributions.decisions import best_plan
    from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
    from mathhammer.distributions.joint import JointDistribution
    from mathhammer.distributions.kernel import Kernel, Measure
    from mathhammer.distributions.walk import Deferred, Walk

__all__ = [
    "CategoricalDistribution",
    "Deferred",
    "Distribution",
    "GeneratingFunction",
    "IntegerDistribution",
    "JointDistribution",
    "Kernel",
    "Measure",
    "Walk",
    "best_plan",
    "convolution",
    "in_fractions",
    "maximum",
    "minimum",
    "mixture",
    "product",
]

#: The modules of what a distribution of one number does not need.
_HOMES = {
    "categorical": "CategoricalDistribution",
    "decisions": "best_plan",
    "integer_distribution": "GeneratingFunction IntegerDistribution",
    "joint": "JointDistribution",
    "kernel": "Kernel Measure",
    "walk": "Deferred Walk",
}

__getattr__ = on_first_use(__name__, _HOMES)
