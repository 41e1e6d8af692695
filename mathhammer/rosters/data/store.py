"""The user's cache folder of datasheets: what goes into it and out of it."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from mathhammer.errors import RosterError, UnknownNameError
from mathhammer.rosters.container import SUFFIXES, members, read_large, start_of
from mathhammer.rosters.data.download import download, require_address
from mathhammer.rosters.data.publishers import PUBLISHERS, Publisher, cache_file
from mathhammer.rosters.data.table import Fetched, write_table
from mathhammer.rosters.datasheets import of_files
from mathhammer.rosters.limits import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mathhammer.rosters.datasheets.source import KnownUnits

_LIMIT = 128 * 2**20
_PATIENCE = 600.0


def _publisher(name: str) -> Publisher:
    if name not in PUBLISHERS:
        raise UnknownNameError(
            f"expected a publisher of datasheets, got {shorten(name)}; known: {', '.join(PUBLISHERS)}"
        )
    return PUBLISHERS[name]


def fetch(
    name: str,
    *,
    address: str | None = None,
    sha256: str | None = None,
    progress: Callable[[int, int | None], None] = lambda *_: None,
) -> Fetched:
    """Fetch the datasheets of a publisher into the cache folder, in place of those that are there."""
    publisher = _publisher(name)
    if sha256 is not None and re.fullmatch(r"[0-9a-fA-F]{64}", sha256) is None:
        raise RosterError(f"expected a SHA-256 hash of 64 hexadecimal digits, got {shorten(sha256)}")
    if address is not None and Path(address).is_file():
        data, origin = read_large(address), Path(address).name
    else:
        address = publisher.address if address is None else require_address(address)
        data, origin = download(
            address, limit=_LIMIT, patience=_PATIENCE, progress=progress, anywhere=sha256 is not None
        )
    found = hashlib.sha256(data).hexdigest()
    if sha256 is not None and found != sha256.casefold():
        raise RosterError(f"expected data with the hash {shorten(sha256, 70)}, got {found}; nothing was kept")
    source = cast("KnownUnits[Any]", of_files(_files(address, data)))
    if source.edition != publisher.edition:
        own = next((each for each, known in PUBLISHERS.items() if known.edition == source.edition), "nothing")
        raise RosterError(
            f"expected datasheets of the {publisher.edition} for {name}, got some of the {source.edition}; nothing "
            f"was kept: get them as {own}"
        )
    date, size = f"{datetime.now(UTC):%Y-%m-%d %H:%M}", len(data)
    place = cache_file(name)
    with _written(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=place.parent) as work:
            new = Path(work) / place.name
            about = write_table(source, new, Fetched(name, publisher.edition, date, origin, size, found))
            new.replace(place)
    return about


def _files(address: str, content: bytes) -> dict[str, bytes]:
    """Return the files of one download by name."""
    if content.startswith(b"PK"):
        return members(content, shorten(address))
    name = Path(urlsplit(address).path if "://" in address else address).name
    if start_of(content)[:9].lower().startswith((b"<!doctype", b"<html")):
        found = "a web page, perhaps one to log in"
    elif not name.casefold().endswith(SUFFIXES):
        found = "something else"
    else:
        return {name: content}
    raise RosterError(
        f"expected a ZIP archive or a file of datasheets ({', '.join(SUFFIXES)}) from {shorten(address, 100)}, got "
        f"{found}; nothing was kept"
    )


def remove(name: str) -> bool:
    """Remove the datasheets of a publisher, and return whether there were any."""
    _publisher(name)
    place = cache_file(name)
    with _written(place):
        try:
            place.unlink()
        except (FileNotFoundError, NotADirectoryError):
            return False
    return True


@contextmanager
def _written(place: Path) -> Iterator[None]:
    """Say of a file that cannot be changed why, and what helps."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise RosterError(
            f"expected to change {shorten(place, 200)}, but the system refused it ({why}); nothing was changed: make "
            "room or give leave, or name another folder as MATHHAMMER_CACHE"
        ) from error
