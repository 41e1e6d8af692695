"""Immutable laws of integer quantities, and the walk over a finite state space."""

from __future__ import annotations

from mathhammer.distribution.joint import JointDistribution
from mathhammer.distribution.univariate import Distribution
from mathhammer.distribution.walk import Walk

__all__ = ["Distribution", "JointDistribution", "Walk"]
