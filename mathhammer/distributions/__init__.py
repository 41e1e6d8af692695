"""Immutable laws of integer quantities, functions on them, and the walk over a finite state space."""

from __future__ import annotations

from mathhammer.distributions.categorical import CategoricalDistribution
from mathhammer.distributions.combination import maximum, minimum, mixture, product
from mathhammer.distributions.generating_function import GeneratingFunction
from mathhammer.distributions.integer_law import IntegerLaw
from mathhammer.distributions.joint import JointDistribution
from mathhammer.distributions.univariate import Distribution
from mathhammer.distributions.walk import Deferred, Walk, step_matrices

__all__ = [
    "CategoricalDistribution",
    "Deferred",
    "Distribution",
    "GeneratingFunction",
    "IntegerLaw",
    "JointDistribution",
    "Walk",
    "maximum",
    "minimum",
    "mixture",
    "product",
    "step_matrices",
]
