"""Shared by all tests.

This folder is importable: it has no `__init__.py`, so pytest puts it on the path with this file. Hypothesis draws the
same examples on every machine, and no clock fails a slow one.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "reproducible",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.load_profile("reproducible")

# No test finds the datasheets that somebody has fetched for themselves, or their settings.
os.environ["MATHHAMMER_CONFIG"] = os.devnull
os.environ["MATHHAMMER_CACHE"] = os.path.join(os.path.dirname(__file__), "no-cache")  # noqa: PTH118, PTH120
