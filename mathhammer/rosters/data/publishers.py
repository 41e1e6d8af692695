"""Publishers of datasheets, and what of theirs is in the user's cache folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from mathhammer.rosters.data.table import TableSource


class Publisher(NamedTuple):
    """A publisher of datasheets."""

    #: In words, with the credit that users owe.
    title: str
    #: Of which edition they are.
    edition: str
    #: Of the archive.
    address: str


def _bsdata(edition: str) -> Publisher:
    repository = f"wh40k-{edition}"
    return Publisher(
        f"BSData/{repository}, the community's catalogues",
        edition,
        f"https://codeload.github.com/BSData/{repository}/zip/refs/heads/main",
    )


#: The publishers by name; the bare name of one is its newest edition.
PUBLISHERS = {"bsdata": _bsdata("11e"), "bsdata-10e": _bsdata("10e")}


def cache_file(name: str) -> Path:
    """Return the file of a publisher's datasheets, which need not exist."""
    return cache_folder() / f"{name}.sqlite"


def cache_folder() -> Path:
    """Return the folder, which need not exist: ``MATHHAMMER_CACHE``, or what the system has for caches."""
    if named := os.environ.get("MATHHAMMER_CACHE"):
        return Path(named).absolute()
    from platformdirs import user_cache_path

    return user_cache_path("mathhammer") / "datasheets"


def cached(name: str) -> TableSource | None:
    """Return the datasheets of a publisher, or None if they were not fetched."""
    if name not in PUBLISHERS or not os.path.lexists(place := cache_file(name)):
        return None
    return TableSource(name, place)
