"""Datasheets of their publishers in the user's cache folder: fetched on demand into a table, then read by name."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import zlib
from collections import defaultdict
from contextlib import closing, contextmanager
from functools import cache, partial
from itertools import count
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from mathhammer import validation
from mathhammer.errors import RosterError
from mathhammer.rosters.bsdata import MAX_ARCHIVE, SUFFIXES, BSDataSource, archived
from mathhammer.rosters.datasheets import PUBLISHERS, Datasheet, DatasheetSource
from mathhammer.rosters.reading import read_bytes, start_of
from mathhammer.rosters.tree import GAME_SYSTEMS, Profile, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
#: Where the links of a forge lead on to: how the names of its hosts for downloads end.
FORGES = dict.fromkeys(("github.com", "api.github.com"), ("codeload.github.com", ".githubusercontent.com"))
#: Renamed whenever what is written changes: a file of another version has no such table.
TABLE = "datasheets_9"
#: Bytes of a file, and of one entry; real ones have 2 MB and 6 MB unpacked.
_MOST, _MOST_OF_ONE = 2**28, 2**25
_SPOILT = sqlite3.Error, zlib.error, OSError, ValueError, TypeError, LookupError, RecursionError
# The fields of what is kept, in order: a list has any number of one kind, a tuple one of each.
_OF_PROFILE = (str, str, str, [(str, str)], bool)
_PROFILE_FIELDS, _FIELDS = attrgetter(*Profile.__slots__), attrgetter(*Datasheet.__slots__)
_OF_PARTS, _EDITIONS = [(str, [Profile])], frozenset(GAME_SYSTEMS.values())
_OF_DATASHEET = (str, [Profile], [(str, str)], [str], _OF_PARTS, _OF_PARTS, str, [str], [(str, [str])], [str])


def cache_folder() -> Path:
    """Return the folder, which need not exist: ``MATHHAMMER_CACHE``, or what the system has for caches."""
    if named := os.environ.get("MATHHAMMER_CACHE"):
        return Path(named).absolute()
    from platformdirs import user_cache_path

    return user_cache_path("mathhammer") / "datasheets"


def _cache_file(name: str) -> Path:
    return cache_folder() / f"{validation.one_of(name, PUBLISHERS, 'the publisher of datasheets')}.sqlite"


def cached(name: str) -> TableSource | None:
    """Return the datasheets of a publisher, or None if they were not fetched."""
    fetched = name in PUBLISHERS and os.path.lexists(_cache_file(name))
    return TableSource(name, _cache_file(name)) if fetched else None


class Fetched(NamedTuple):
    """Where the datasheets of a table come from."""

    #: Of the publisher.
    name: str
    edition: str
    #: When they were fetched, UTC, from which host or file, and as how many bytes with which hash.
    date: str
    origin: str
    size: int
    sha256: str
    datasheets: int = 0

    def __str__(self) -> str:
        of = f"{self.datasheets:,} datasheets of the {self.edition}"
        return f"{self.name}: {of}, fetched {self.date} from {self.origin} ({self.size / 1e6:.1f} MB)"


def write_table(source: DatasheetSource, path: Path, about: Fetched) -> Fetched:
    """Write all datasheets of a source, and return how many there are with what is known of them."""
    # Catalogues share some datasheets, and those of one share most parts.
    kept, rows, keys, known = dict[str, object](), [], dict[int, str](), dict[str, int]()
    factions: Any = defaultdict(count().__next__)
    parts: Any = defaultdict(lambda: defaultdict(count().__next__))
    packed = partial(json.dumps, default=_PROFILE_FIELDS)
    split = lambda each: [known[packed(one)] for one in each] if type(each) is tuple else each  # noqa: E731
    for name, held in source.units.items():
        for catalogue, unit in held.items():
            if id(unit) not in keys:
                keys[id(unit)] = key = f"{factions[catalogue]}/{len(keys)}"
                known, whole = parts[f"parts/{factions[catalogue]}"], _FIELDS(source.made(unit))
                kept[key] = list(map(split, whole))
            rows.append((name, catalogue, keys[id(unit)]))
    about = about._replace(edition=source.edition, datasheets=len(kept))
    kept |= {"about": about, "units": rows, "reach": list(source.reach.items())}
    kept |= {key: list(known) for key, known in parts.items()}
    written = ((key, zlib.compress(json.dumps(value).encode())) for key, value in kept.items())
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(f"CREATE TABLE {TABLE} (key TEXT PRIMARY KEY, content BLOB)")
        base.executemany(f"INSERT INTO {TABLE} VALUES (?, ?)", written)  # noqa: S608 - a name of our own
    return about


class TableSource(DatasheetSource):
    """The datasheets of a table as `write_table` wrote it; of any other one error, whatever is spoilt in it."""

    def __init__(self, name: str, path: Path) -> None:
        self._name, self._path = name, path
        #: Where they come from.
        self.about = Fetched(*self._read("about", (str, _EDITIONS, str, str, int, str, int)))
        units: dict[str, dict[str, str]] = {}
        for unit, catalogue, key in self._read("units", [(str, str, str)]):
            units.setdefault(unit, {})[catalogue] = key
        parts = cache(lambda faction: self._read(f"parts/{faction}", [str]))
        made = lambda key: Datasheet(*self._read(key, _OF_DATASHEET, parts(key.partition("/")[0])))  # noqa: E731
        super().__init__(self.about.edition, units, made, dict(self._read("reach", [(str, [str])])))

    def _read(self, key: str, kind: Any, parts: tuple[str, ...] = ()) -> Any:
        """Return what is kept under a key, with its parts for their places."""
        try:
            if self._path.stat().st_size > _MOST:
                raise ValueError(f"it is larger than {_MOST // 2**20} MiB")
            with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)) as base:
                query = f"SELECT '{self._name}.' || key, content FROM {TABLE} WHERE key = ?"  # noqa: S608 - as above
                content = dict(base.execute(query, (key,)))[f"{self._name}.{key}"]
            unpacker = zlib.decompressobj()
            plain = unpacker.decompress(content, _MOST_OF_ONE)
            if not unpacker.eof:
                raise ValueError("the file is damaged, or larger than any datasheet")
            whole = lambda part: json.loads(parts[part]) if type(part) is int else part  # noqa: E731
            found = (list(map(whole, each)) if isinstance(each, list) else each for each in json.loads(plain))
            return _checked(list(found), kind)
        except _SPOILT as error:
            raise RosterError(
                f"couldn't read the datasheets in {shorten(self._path)}: {error}; get them again with "
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
    raise TypeError("the file is damaged")


def require_address(address: str) -> str:
    """Return an address that may be fetched: https, or plain http on this computer."""
    try:
        scheme, host = urlsplit(address).scheme, urlsplit(address).hostname
    except ValueError:
        host = None
    if host and (scheme == "https" or (scheme == "http" and host in _LOOPBACK)):
        return address
    raise RosterError(f"expected an address that begins with https://, or a file, got {shorten(address)}")


def download(  # noqa: C901 - what can go wrong on the way
    address: str,
    *,
    limit: int,
    patience: float,
    progress: Callable[[int, int | None], None],
    anywhere: bool = False,
) -> tuple[bytes, str]:
    """Return what a server has at an address, and the host that it came from.

    It may send on to its own host for downloads, or, where a hash is known, `anywhere`.
    """
    import time
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class Redirections(HTTPRedirectHandler):
        def redirect_request(self, req: Request, *more: Any) -> Request | None:
            new, old = urlsplit(require_address(more[-1])), urlsplit(req.full_url)
            own = str(new.hostname).endswith(FORGES.get(str(old.hostname), ()))
            if new.netloc != old.netloc and not own and not anywhere:
                raise RosterError(
                    f"{old.hostname} redirects to {shorten(more[-1])}, which was not followed; name that address, or "
                    "the hash of what you expect (--sha256 HASH)"
                )
            return super().redirect_request(req, *more)

    end, found = time.monotonic() + patience, bytearray()
    opener = build_opener(Redirections)
    opener.addheaders = [("User-Agent", "mathhammer")]
    try:
        with opener.open(Request(require_address(address)), timeout=min(patience, 30)) as response:  # noqa: S310 - see above
            announced = response.headers.get("Content-Length")
            if announced is not None and re.fullmatch("[0-9]{1,15}", announced) is None:
                raise ConnectionError(f"it announces {shorten(announced)} bytes")
            size = None if announced is None else int(announced)
            host = str(urlsplit(response.geturl()).hostname)
            while max(len(found), size or 0) <= limit and (block := response.read1(1 << 16)):
                found += block
                if time.monotonic() > end:
                    raise TimeoutError(f"it takes longer than {patience:.0f} seconds")
                progress(len(found), size)
        if max(len(found), size or 0) > limit:
            raise RosterError(f"{shorten(address, 100)} sends more than {limit >> 20} MiB; nothing was kept")  # noqa: TRY301
        if size not in {None, len(found)}:
            raise ConnectionError(f"it broke off after {len(found):,} of {size:,} bytes")
        return bytes(found), host
    except RosterError:
        raise
    except (URLError, HTTPException, OSError, ValueError) as error:
        reason: Any = getattr(error, "reason", None) or error
        # What the system says of an error, without its number; of a text the text.
        why = str(getattr(reason, "strerror", None) or reason or type(reason).__name__)
        if isinstance(error, HTTPError):
            error.close()
            why = f"the server answered {error.code}"
        raise RosterError(
            f"couldn't download {shorten(address, 100)}: {shorten(why, 200)[1:-1]}; check the connection or try "
            "again later, or use an archive that you have: --datasheets FILE.zip"
        ) from error


def fetch(
    name: str,
    *,
    address: str | None = None,
    sha256: str | None = None,
    progress: Callable[[int, int | None], None] = lambda *_: None,
) -> Fetched:
    """Fetch the datasheets of a publisher into the cache folder, in place of those that are there."""
    from datetime import UTC, datetime
    from hashlib import sha256 as hash_of
    from tempfile import TemporaryDirectory

    place = _cache_file(name)
    publisher = PUBLISHERS[name]
    if sha256 is not None and re.fullmatch(r"[0-9a-fA-F]{64}", sha256) is None:
        raise RosterError(f"expected a SHA-256 hash of 64 hexadecimal digits, got {shorten(sha256)}")
    if address is not None and Path(address).is_file():
        data, origin = read_bytes(address, MAX_ARCHIVE), Path(address).name
    else:
        address = publisher.address if address is None else require_address(address)
        data, origin = download(
            address, limit=MAX_ARCHIVE, patience=600, progress=progress, anywhere=sha256 is not None
        )
    found = hash_of(data).hexdigest()
    if sha256 is not None and found != sha256.casefold():
        raise RosterError(f"expected data with the hash {shorten(sha256, 70)}, got {found}; nothing was kept")
    source = BSDataSource(_files(address, data))
    if source.edition != publisher.edition:
        own = next((each for each, known in PUBLISHERS.items() if known.edition == source.edition), "nothing")
        raise RosterError(
            f"expected datasheets of the {publisher.edition} for {name}, got some of the {source.edition}; nothing "
            f"was kept: get them as {own}"
        )
    date = f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
    about = Fetched(name, publisher.edition, date, origin, len(data), found)
    with _written(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=place.parent) as work:
            new = Path(work) / place.name
            about = write_table(source, new, about)
            new.replace(place)
    return about


def _files(address: str, content: bytes) -> list[tuple[str, bytes]]:
    """Return the files of one download with their names."""
    if content.startswith(b"PK"):
        return archived(content, shorten(address))
    name = Path(urlsplit(address).path if "://" in address else address).name
    page = start_of(content)[:9].lower().startswith((b"<!doctype", b"<html"))
    if not page and name.casefold().endswith(SUFFIXES):
        return [(name, content)]
    found = "a web page, perhaps one to log in" if page else "something else"
    raise RosterError(
        f"expected a ZIP archive or a file of datasheets ({', '.join(SUFFIXES)}) from {shorten(address, 100)}, got "
        f"{found}; nothing was kept"
    )


def remove(name: str) -> bool:
    """Remove the datasheets of a publisher, and return whether there were any."""
    place = _cache_file(name)
    if there := os.path.lexists(place):
        with _written(place):
            place.unlink()
    return there


@contextmanager
def _written(place: Path) -> Iterator[None]:
    """Say of a file that cannot be changed why, and what helps."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise RosterError(
            f"couldn't change {shorten(place, 200)} ({why}); make room, allow writing there, or set MATHHAMMER_CACHE "
            "to another folder"
        ) from error
