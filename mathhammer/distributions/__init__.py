"""Immutable laws of integer quantities, and the walk over a finite state space."""

from __future__ import annotations

from mathhammer.distributions.joint import JointDistribution
from mathhammer.distributions.univariate import Distribution
from mathhammer.distributions.walk import Walk

__all__ = ["Distribution", "JointDistribution", "Walk"]
