"""Shared by all tests.

This folder is importable: it has no `__init__.py`, so pytest puts it on the path with this file. Hypothesis draws the
same examples on every machine, and no clock fails a slow one.
"""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent

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
os.environ["MATHHAMMER_CACHE"] = str(TESTS / "no-cache")


#: Rooms whose tests run whole commands, pages, lists and pictures.
SLOW = {"analysis", "cli", "interactive", "page", "plot"}


def pytest_collection_modifyitems(items):
    """Mark those of slow rooms; long tests first: none begins when the other process has nothing left to do."""
    for item in items:
        slow = item.path.parent.name in SLOW and item.path.is_relative_to(TESTS)
        if slow and item.path.stem != "test_grid":
            item.add_marker("slow")
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
