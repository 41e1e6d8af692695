"""Datasheets as a table in one file: read once from their catalogues, then by name in a moment."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from contextlib import closing
from dataclasses import astuple
from pathlib import Path
from typing import Any, NamedTuple

from mathhammer.errors import RosterError
from mathhammer.rosters.datasheets.source import PUBLISHERS, Datasheet, KnownUnits
from mathhammer.rosters.names import shorten
from mathhammer.rosters.tree import GAME_SYSTEMS, Profile


def cache_folder() -> Path:
    """Return the folder, which need not exist: ``MATHHAMMER_CACHE``, or what the system has for caches."""
    if named := os.environ.get("MATHHAMMER_CACHE"):
        return Path(named).absolute()
    from platformdirs import user_cache_path

    return user_cache_path("mathhammer") / "datasheets"


def cache_file(name: str) -> Path:
    """Return the file of a publisher's datasheets, which need not exist."""
    return cache_folder() / f"{name}.sqlite"


def cached(name: str) -> TableSource | None:
    """Return the datasheets of a publisher, or None if they were not fetched."""
    if name not in PUBLISHERS or not os.path.lexists(place := cache_file(name)):
        return None
    return TableSource(name, place)


class Fetched(NamedTuple):
    """Where the datasheets of a table come from."""

    #: Of the publisher.
    name: str
    #: Of which edition they are.
    edition: str
    #: When they were fetched, UTC.
    date: str
    #: From which host or file.
    origin: str
    #: Bytes of the files as fetched.
    size: int
    #: Of these files together.
    sha256: str
    #: How many there are.
    datasheets: int = 0

    def __str__(self) -> str:
        of = f"{self.datasheets:,} datasheets of the {self.edition}"
        return f"{self.name}: {of}, fetched {self.date} from {self.origin} ({self.size / 1e6:.1f} MB)"


#: Renamed whenever what is written changes: a file of another version has no such table.
_TABLE = "datasheets_6"
#: Bytes of a file, and of one entry; real ones have 20 MB and 300 kB.
_MOST, _MOST_OF_ONE = 2**28, 2**22
#: What a table that is not as it was written can raise.
_SPOILT = (sqlite3.Error, zlib.error, OSError, ValueError, TypeError, RecursionError)
# The fields of what is kept, in order: a list has any number of one kind, a tuple one of each.
_OF_PROFILE = (str, str, str, [(str, str)], bool)
_OF_PARTS = [(str, [Profile])]
_OF_DATASHEET = (
    *(str, [Profile], [str], [str], _OF_PARTS, _OF_PARTS, [str], str, [str]),
    *([(str, [str])], [str]),
)


def write_table(source: KnownUnits[Any], path: Path, about: Fetched) -> Fetched:
    """Write all datasheets of a source, and return how many there are with what is known of them."""
    kept: dict[str, bytes] = {}  # several catalogues may share one
    rows = []
    for name, held in source.units.items():
        for catalogue, unit in held.items():
            key = str(id(unit))
            if key not in kept:
                kept[key] = _packed(astuple(source.made(unit)))
            rows.append((name, catalogue, key))
    about = about._replace(edition=source.edition, datasheets=len(kept))
    kept |= {"about": _packed(about), "units": _packed(rows), "reach": _packed(list(source.reach.items()))}
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(f"CREATE TABLE {_TABLE} (key TEXT PRIMARY KEY, content BLOB)")
        base.executemany(f"INSERT INTO {_TABLE} VALUES (?, ?)", kept.items())  # noqa: S608 - a name of our own
    return about


def _packed(value: object) -> bytes:
    return zlib.compress(json.dumps(value).encode(), 1)


class TableSource(KnownUnits[str]):
    """The datasheets of a table as `write_table` wrote it; of any other one error, whatever is spoilt in it."""

    def __init__(self, name: str, path: Path) -> None:
        self._name, self._path = name, path
        editions = frozenset(GAME_SYSTEMS.values())
        #: Where they come from.
        self.about = Fetched(*self._read("about", (str, editions, str, str, int, str, int)))
        units: dict[str, dict[str, str]] = {}
        for unit, catalogue, key in self._read("units", [(str, str, str)]):
            units.setdefault(unit, {})[catalogue] = key
        super().__init__(self.about.edition, units, self._sheet, dict(self._read("reach", [(str, [str])])))

    def _sheet(self, key: str) -> Datasheet:
        return Datasheet(*self._read(key, _OF_DATASHEET))

    def _read(self, key: str, kind: Any) -> Any:
        """Return what is kept under a key."""
        try:
            if self._path.stat().st_size > _MOST:
                raise ValueError(f"it is larger than {_MOST // 2**20} MiB")
            with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)) as base:
                query = f"SELECT content FROM {_TABLE} WHERE key = ?"  # noqa: S608 - as above
                [(content,)] = base.execute(query, (key,))
            unpacker = zlib.decompressobj()
            plain = unpacker.decompress(content, _MOST_OF_ONE)
            if not unpacker.eof:
                raise ValueError("what it holds is not whole, or larger than any datasheet is")
            return _checked(json.loads(plain), kind)
        except _SPOILT as error:
            raise RosterError(
                f"expected a table of datasheets in {shorten(self._path)}, but {error}; get the datasheets again with "
                f"'mathhammer data get {self._name}'"
            ) from error


def _checked(value: Any, kind: Any) -> Any:
    """Return what JSON holds as tuples, texts and profiles, if it is of a kind."""
    if kind is Profile:
        return Profile(*_checked(value, _OF_PROFILE))
    if type(value) is kind or (isinstance(kind, frozenset) and value in kind):
        return value
    if isinstance(value, list) and isinstance(kind, list):
        return tuple(_checked(each, kind[0]) for each in value)
    if isinstance(value, list) and isinstance(kind, tuple) and len(value) == len(kind):
        return tuple(map(_checked, value, kind))
    raise TypeError("what it holds is spoilt")
