"""Datasheets for lists that hold names only: from a source that the user names, for none ships with the package."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import RosterError
from mathhammer.rosters.names import shorten
from mathhammer.rosters.reading import parse_roster, read_bytes, read_content, unzip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.rosters.datasheets.source import DatasheetSource

#: What catalogues of BSData are called.
SUFFIXES = (".cat", ".gst", ".json")
MAX_ARCHIVE = 128 * 2**20


def open_datasheets(path: str | os.PathLike[str]) -> DatasheetSource:
    """Open a source of datasheets; what it is, its content says.

    Parameters
    ----------
    path
        A folder of BSData catalogues (``.cat``, ``.gst`` or ``.json``), the folder around one, a ZIP archive of one
        as code hosts serve it, an army list, or the name of a publisher whose data were fetched, such as
        ``"bsdata"``.

    References
    ----------
    Repositories BSData/wh40k-10e and BSData/wh40k-11e.

    Examples
    --------
    >>> from pathlib import Path
    >>> import mathhammer.rosters
    >>> path = Path(mathhammer.rosters.__file__).parent / "sample" / "sample-army.ros"
    >>> source = open_datasheets(path)  # a list knows the datasheets of its units
    >>> "Storm Augur" in source.names()
    True
    """
    from mathhammer.rosters.datasheets.bsdata import BSDataSource, of_list

    place = os.fspath(validation.instance(path, (str, os.PathLike), "the path of a folder of datasheets"))
    if not os.path.exists(place):  # noqa: PTH110 - pathlib costs 10 ms that the command line does not have
        from mathhammer.rosters.data.table import cached
        from mathhammer.rosters.datasheets.source import PUBLISHERS

        if (table := cached(place)) is not None:
            return table
        remedy = f"get them with 'mathhammer data get {place}'" if place in PUBLISHERS else "check the path"
        raise RosterError(
            f"expected datasheets (a folder of BSData catalogues, or an army list), "
            f"but {shorten(place)} does not exist; {remedy}"
        )
    if os.path.isdir(place):  # noqa: PTH112
        return BSDataSource(_files(place))
    import zipfile

    if zipfile.is_zipfile(place) and not place.casefold().endswith(".rosz"):
        return BSDataSource(archived(read_bytes(place, MAX_ARCHIVE), shorten(place)))
    return of_list(parse_roster(*read_content(path)))


def archived(data: bytes, name: str) -> list[tuple[str, bytes]]:
    """Return the files of datasheets in a ZIP archive by their names without folders."""
    if found := unzip(data, name, SUFFIXES, 20_000, 2 * MAX_ARCHIVE):
        return found
    raise RosterError(
        f"expected datasheets ({', '.join(SUFFIXES)}) in {name}, but there are none; name another archive"
    )


def _files(folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield the catalogues in a folder, or else in the one folder inside that holds any."""
    try:
        found = _catalogues(folder)
        if not found:
            folders = [each for each in os.scandir(folder) if each.is_dir() and not each.name.startswith(".")]
            held = list(filter(None, (_catalogues(each.path) for each in folders)))
            found = held[0] if len(held) == 1 else []
    except OSError as error:
        raise RosterError(f"expected a folder of datasheets, but it cannot be opened: {error}") from error
    if not found:
        raise RosterError(
            f"expected a folder of datasheets, but {shorten(folder)} holds no BSData catalogues "
            "(.cat, .gst, .json); name the folder that holds them"
        )
    for path in found:
        yield os.path.basename(path), read_bytes(path)  # noqa: PTH119


def _catalogues(folder: str) -> list[str]:
    return [
        each.path
        for each in sorted(os.scandir(folder), key=lambda each: each.name)
        if each.name.casefold().endswith(SUFFIXES)
    ]
