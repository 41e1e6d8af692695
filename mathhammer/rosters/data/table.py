"""Datasheets as a table in one file: read once from their catalogues, then by name in a moment."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from contextlib import closing
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mathhammer.errors import RosterError
from mathhammer.rosters.datasheets.source import Datasheet, KnownUnits
from mathhammer.rosters.names import shorten
from mathhammer.rosters.tree import Profile
from mathhammer.rosters.wh40k.identifiers import GAME_SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_T = TypeVar("_T")


class Publisher(NamedTuple):
    """A publisher of datasheets."""

    #: In words, with the credit that users owe.
    title: str
    #: Of which edition they are.
    edition: str
    #: Of the archive.
    address: str


#: The publishers by name; the bare name of one is its newest edition.
PUBLISHERS = {
    name: Publisher(
        f"BSData/wh40k-{edition}, the community's catalogues",
        edition,
        f"https://codeload.github.com/BSData/wh40k-{edition}/zip/refs/heads/main",
    )
    for name, edition in (("bsdata", "11e"), ("bsdata-10e", "10e"))
}


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


#: Raised by one whenever the table is written otherwise: an older one is written anew.
FORMAT = 6
#: Bytes of a file, and of one datasheet; real ones have 20 MB and 300 kB.
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
_ABOUT = (int, str, str, str, str, int, str, int)


def write_table(source: KnownUnits[Any], path: Path, about: Fetched) -> Fetched:
    """Write all datasheets of a source, and return how many there are with what is known of them."""
    kept: dict[int, bytes] = {}  # several catalogues may share one
    rows = []
    for name, held in source.units.items():
        for catalogue, unit in held.items():
            if id(unit) not in kept:
                kept[id(unit)] = zlib.compress(json.dumps(astuple(source.made(unit))).encode(), 1)
            rows.append((name, catalogue, id(unit)))
    reach = [(each, reached) for each, known in source.reach.items() for reached in known]
    about = about._replace(edition=source.edition, datasheets=len(kept))
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(f"CREATE TABLE about (format, {', '.join(Fetched._fields)})")
        base.execute("CREATE TABLE datasheets (name, catalogue, place INTEGER)")
        base.execute("CREATE TABLE contents (place INTEGER PRIMARY KEY, content BLOB)")
        base.execute("CREATE TABLE reach (catalogue, reached)")
        base.execute("INSERT INTO about VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (FORMAT, *about))
        base.executemany("INSERT INTO datasheets VALUES (?, ?, ?)", rows)
        base.executemany("INSERT INTO contents VALUES (?, ?)", kept.items())
        base.executemany("INSERT INTO reach VALUES (?, ?)", reach)
    return about


class TableSource(KnownUnits[int]):
    """The datasheets of a table as `write_table` wrote it; of any other one error, whatever is spoilt in it."""

    def __init__(self, name: str, path: Path) -> None:
        self._name, self._path = name, path
        #: Where they come from.
        self.about = self._read(_about, "SELECT * FROM about")
        units = self._read(_places, "SELECT name, catalogue, place FROM datasheets ORDER BY rowid")
        reach = self._read(_places, "SELECT catalogue, reached, rowid FROM reach ORDER BY rowid")
        super().__init__(
            self.about.edition, units, self._sheet, {each: tuple(known) for each, known in reach.items()}
        )

    def _sheet(self, place: int) -> Datasheet:
        return self._read(_datasheet, "SELECT content FROM contents WHERE place = ?", place)

    def _read(self, made: Callable[[Iterable[Any]], _T], query: str, *values: int) -> _T:
        """Return what is made of the rows of a query."""
        try:
            if self._path.stat().st_size > _MOST:
                raise ValueError(f"it is larger than {_MOST // 2**20} MiB")
            with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)) as base:
                return made(base.execute(query, values))
        except _SPOILT as error:
            raise RosterError(
                f"expected a table of datasheets in {shorten(self._path)}, but {error}; get the datasheets again with "
                f"'mathhammer data get {self._name}'"
            ) from error


def _about(rows: Iterable[Any]) -> Fetched:
    [row] = rows
    if row[0] != FORMAT:
        raise ValueError("another version wrote it")
    about = Fetched(*_checked(list(row), _ABOUT)[1:])
    if about.edition not in GAME_SYSTEMS.values():
        raise ValueError("what it says of itself is spoilt")
    return about


def _places(rows: Iterable[Any]) -> dict[str, dict[str, int]]:
    """Return rows by two names."""
    found: dict[str, dict[str, int]] = {}
    for first, second, place in rows:
        found.setdefault(_checked(first, str), {})[_checked(second, str)] = place
    return found


def _datasheet(rows: Iterable[Any]) -> Datasheet:
    [(content,)] = rows
    unpacker = zlib.decompressobj()
    plain = unpacker.decompress(content, _MOST_OF_ONE)
    if not unpacker.eof:
        raise ValueError("a datasheet of it is not whole, or larger than any is")
    return Datasheet(*_checked(json.loads(plain), _OF_DATASHEET))


def _checked(value: Any, kind: Any) -> Any:
    """Return what JSON holds as tuples, texts and profiles, if it is of a kind."""
    if kind is Profile:
        return Profile(*_checked(value, _OF_PROFILE))
    if isinstance(kind, type) and type(value) is kind:
        return value
    if isinstance(value, list) and isinstance(kind, list):
        return tuple(_checked(each, kind[0]) for each in value)
    if isinstance(value, list) and isinstance(kind, tuple) and len(value) == len(kind):
        return tuple(map(_checked, value, kind))
    raise TypeError("a text, a number or a list of it is spoilt")
