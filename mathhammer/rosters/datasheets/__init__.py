"""Datasheets for lists that hold names only: from a source that the user names, for none ships with the package."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import RosterError
from mathhammer.rosters.datasheets.source import Datasheet, DatasheetSource
from mathhammer.rosters.names import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Datasheet", "DatasheetSource", "open_datasheets"]


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
    place = os.fspath(validation.instance(path, (str, os.PathLike), "the path of a folder of datasheets"))
    if not os.path.exists(place):  # noqa: PTH110
        from mathhammer.rosters.data.table import PUBLISHERS, cached

        if (table := cached(place)) is not None:
            return table
        remedy = f"get them with 'mathhammer data get {place}'" if place in PUBLISHERS else "check the path"
        raise RosterError(
            f"expected datasheets (a folder of BSData catalogues, or an army list), "
            f"but {shorten(place)} does not exist; {remedy}"
        )
    if not os.path.isdir(place):  # noqa: PTH112 - pathlib costs 10 ms that the command line does not have
        from mathhammer.rosters.datasheets.collect import RosterSource
        from mathhammer.rosters.reading import parse_roster, read_content

        if (files := _archived(place)) is not None:
            return of_files(files)
        return RosterSource(parse_roster(*read_content(path)))
    try:
        names = sorted(os.listdir(place))  # noqa: PTH208
    except OSError as error:
        raise RosterError(f"expected a folder of datasheets, but it cannot be opened: {error}") from error
    catalogues = _catalogues(names)
    if not catalogues and (inside := _inside(place, names)) is not None:
        return open_datasheets(inside)
    if not catalogues:
        raise RosterError(
            f"expected a folder of datasheets, but {shorten(place)} holds no BSData catalogues "
            "(.cat, .gst, .json); name the folder that holds them"
        )
    from mathhammer.rosters.datasheets.bsdata import BSDataSource

    return BSDataSource(place, catalogues)


def _catalogues(names: Iterable[str]) -> list[str]:
    return [name for name in names if name.casefold().endswith((".cat", ".gst", ".json"))]


def _inside(place: str, names: Iterable[str]) -> str | None:
    """Return the one folder inside that holds datasheets."""
    folders = [os.path.join(place, name) for name in names if not name.startswith(".")]  # noqa: PTH118 - as above
    held = [
        folder
        for folder in folders
        if os.path.isdir(folder)  # noqa: PTH112
        and _catalogues(os.listdir(folder))  # noqa: PTH208
    ]
    return held[0] if len(held) == 1 else None


def _archived(place: str) -> dict[str, bytes] | None:
    """Return the files of datasheets in a ZIP archive; None for what is none, such as a zipped army list."""
    import zipfile

    if not zipfile.is_zipfile(place) or place.casefold().endswith(".rosz"):
        return None
    from mathhammer.rosters.container import members, read_large

    return members(read_large(place), shorten(place))


def of_files(files: dict[str, bytes]) -> DatasheetSource:
    """Return the source that some files are, read from a folder of their own."""
    from tempfile import TemporaryDirectory

    try:
        with TemporaryDirectory() as folder:
            for name, content in files.items():
                with open(os.path.join(folder, name), "wb") as file:  # noqa: PTH118, PTH123 - as above
                    file.write(content)
            return open_datasheets(folder)
    except OSError as error:
        raise RosterError(
            f"expected room for {sum(map(len, files.values())):,} bytes of datasheets among temporary files, but the "
            f"system refused it ({error.strerror}); name another folder as TMPDIR"
        ) from error
