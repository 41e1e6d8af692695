"""Datasheets as a table in one file: read once from their catalogues, then by name in a moment."""

from __future__ import annotations

import json
import sqlite3
import zlib
from contextlib import closing
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

from mathhammer.errors import RosterError
from mathhammer.rosters.datasheets.source import Datasheet
from mathhammer.rosters.limits import shorten
from mathhammer.rosters.tree import Profile

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mathhammer.rosters.datasheets.source import DatasheetSource

#: Raised by one whenever the table is written otherwise: an older one is written anew.
FORMAT = 1


def write_table(source: DatasheetSource, path: Path) -> int:
    """Write all datasheets of a source, and return how many there are."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE about (format INTEGER, edition TEXT)")
        base.execute("CREATE TABLE datasheets (place INTEGER PRIMARY KEY, name TEXT UNIQUE, content BLOB)")
        base.execute("INSERT INTO about VALUES (?, ?)", (FORMAT, source.edition))
        names = list(source.names())
        sheets = ((name, source.datasheet(name)) for name in names)
        base.executemany(
            "INSERT OR IGNORE INTO datasheets (name, content) VALUES (?, ?)",
            (
                (name, zlib.compress(json.dumps(_plain(sheet)).encode(), 1))
                for name, sheet in sheets
                if sheet is not None
            ),
        )
        (count,) = base.execute("SELECT count(*) FROM datasheets").fetchone()
    return int(count)


class TableSource:
    """The datasheets of a table as `write_table` wrote it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        ((form, self._edition),) = self._query("SELECT format, edition FROM about")
        if form != FORMAT:
            raise self._wrong("another version wrote it")

    @property
    def edition(self) -> str:
        """The edition that the datasheets are of."""
        return str(self._edition)

    def names(self) -> Iterable[str]:
        """Names of the units."""
        return [name for (name,) in self._query("SELECT name FROM datasheets ORDER BY place")]

    def datasheet(self, name: str) -> Datasheet | None:
        """Return the datasheet of a name."""
        found = self._query("SELECT content FROM datasheets WHERE name = ?", name)
        return _sheet(json.loads(zlib.decompress(found[0][0]))) if found else None

    def _query(self, query: str, *values: str) -> list[Any]:
        try:
            with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)) as base:
                return base.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._wrong(str(error)) from error

    def _wrong(self, why: str) -> RosterError:
        return RosterError(
            f"expected a table of datasheets in {shorten(self._path)}, but {why}; get the datasheets again with "
            "'mathhammer data get'"
        )


def _plain(sheet: Datasheet) -> dict[str, object]:
    return dict(zip((field.name for field in fields(sheet)), astuple(sheet), strict=True))


def _sheet(plain: dict[str, Any]) -> Datasheet:
    def named(pairs: list[Any]) -> tuple[tuple[str, tuple[Profile, ...]], ...]:
        return tuple((name, tuple(map(_profile, profiles))) for name, profiles in pairs)

    return Datasheet(
        plain["name"],
        tuple(map(_profile, plain["profiles"])),
        tuple(plain["rules"]),
        tuple(plain["categories"]),
        named(plain["models"]),
        named(plain["wargear"]),
    )


def _profile(values: list[Any]) -> Profile:
    name, kind, identifier, characteristics, hidden = values
    return Profile(name, kind, identifier, tuple((each, value) for each, value in characteristics), hidden)
