"""The user's cache folder of datasheets: what is in it, what goes into it and out of it."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.errors import RosterError, UnknownNameError
from mathhammer.rosters.container import members
from mathhammer.rosters.data.download import download, require_address
from mathhammer.rosters.data.publishers import PUBLISHERS, TABLE, Publisher, cache_folder
from mathhammer.rosters.data.table import write_table
from mathhammer.rosters.datasheets import open_datasheets
from mathhammer.rosters.limits import shorten

if TYPE_CHECKING:
    from collections.abc import Callable


_ABOUT = "about.json"
_LIMIT = 128 * 2**20
_PATIENCE = 600.0


class Fetched(NamedTuple):
    """Datasheets in the cache folder."""

    #: Of the publisher.
    name: str
    #: Of which edition they are.
    edition: str
    #: When they were fetched, UTC.
    date: str
    #: How many there are.
    datasheets: int
    #: Bytes of the files as fetched.
    size: int
    #: Of these files together.
    sha256: str

    def __str__(self) -> str:
        megabytes = f"{self.size / 1e6:.1f} MB"
        return f"{self.name}: {self.datasheets:,} datasheets of the {self.edition}, fetched {self.date} ({megabytes})"


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
    addresses = publisher.addresses if address is None else (require_address(address),)
    data = {each: download(each, limit=_LIMIT, patience=_PATIENCE, progress=progress) for each in addresses}
    found = hashlib.sha256(b"".join(data.values())).hexdigest()
    if sha256 is not None and found != sha256.casefold():
        raise RosterError(f"expected data with the hash {shorten(sha256, 70)}, got {found}; nothing was kept")
    target = cache_folder() / name
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=target.parent) as work:
        new, files = Path(work) / "new", Path(work) / "files"
        new.mkdir()
        files.mkdir()
        for each, content in data.items():
            for member, text in _files(each, content).items():
                (files / member).write_bytes(text)
        count = write_table(open_datasheets(files), new / TABLE)
        size = sum(map(len, data.values()))
        date = f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
        about = Fetched(name, publisher.edition, date, count, size, found)
        (new / _ABOUT).write_text(json.dumps(about._asdict()), encoding="utf-8")
        old = Path(work) / "old"
        if target.exists():
            target.rename(old)
        new.rename(target)
    return about


def _files(address: str, content: bytes) -> dict[str, bytes]:
    """Return the files of one download by name."""
    if content.startswith(b"PK"):
        return members(content, shorten(address))
    return {address.rpartition("/")[2]: content}


def fetched() -> list[Fetched]:
    """Return what is in the cache folder, by name."""
    found = []
    for name in PUBLISHERS:
        path = cache_folder() / name / _ABOUT
        if path.is_file():
            found.append(_about(path))
    return found


def _about(path: Path) -> Fetched:
    try:
        plain: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return Fetched(**plain)
    except (OSError, ValueError, TypeError) as error:
        raise RosterError(
            f"expected {shorten(path)} as 'mathhammer data get' wrote it, but it is not; get the datasheets again"
        ) from error


def remove(name: str) -> bool:
    """Remove the datasheets of a publisher, and return whether there were any."""
    _publisher(name)
    folder = cache_folder() / name
    if not (folder / _ABOUT).is_file():
        return False
    shutil.rmtree(folder)
    return True
