"""The user's cache folder of datasheets: what goes into it and out of it."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from mathhammer.errors import RosterError, UnknownNameError
from mathhammer.rosters.data.table import Fetched, cache_file, write_table
from mathhammer.rosters.datasheets import MAX_ARCHIVE, SUFFIXES, archived
from mathhammer.rosters.datasheets.bsdata import BSDataSource
from mathhammer.rosters.datasheets.source import PUBLISHERS, Publisher
from mathhammer.rosters.names import shorten
from mathhammer.rosters.reading import read_bytes, start_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from http.client import HTTPMessage
    from typing import IO


_BLOCK = 1 << 16
_PATIENCE = 600.0
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
#: Where the links of a forge lead on to: how the names of its hosts for downloads end.
FORGES = {
    "github.com": ("codeload.github.com", ".githubusercontent.com"),
    "api.github.com": ("codeload.github.com", ".githubusercontent.com"),
}


def require_address(address: str) -> str:
    """Return an address that may be fetched: https, or plain http on this computer."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        host = None
    if host and (parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)):
        return address
    raise RosterError(f"expected an address that begins with https://, or a file, got {shorten(address)}")


class _Redirections(HTTPRedirectHandler):
    """Handler of redirections that stays on the first host or goes on to its own for downloads, or anywhere."""

    def __init__(self, *, anywhere: bool) -> None:
        self._anywhere = anywhere

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        require_address(newurl)
        new, old = urlsplit(newurl), urlsplit(req.full_url)
        own = str(new.hostname).endswith(FORGES.get(str(old.hostname), ()))
        if new.netloc != old.netloc and not own and not self._anywhere:
            raise RosterError(
                f"expected an answer of {old.hostname}, which sends on to {shorten(newurl)}; nothing was fetched from "
                "there: name that address, or the hash of what you expect (--sha256 HASH)"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(
    address: str,
    *,
    limit: int,
    patience: float,
    progress: Callable[[int, int | None], None],
    anywhere: bool = False,
) -> tuple[bytes, str]:
    """Return what a server has at an address, and the host that it came from."""
    end = time.monotonic() + patience
    opener = build_opener(_Redirections(anywhere=anywhere))
    opener.addheaders = [("User-Agent", "mathhammer")]
    try:
        with opener.open(Request(require_address(address)), timeout=min(patience, 30)) as response:  # noqa: S310 - see above
            size = _announced(response.headers.get("Content-Length"))
            host = str(urlsplit(response.geturl()).hostname)
            found = bytearray()
            while (size or 0) <= limit and (block := response.read1(_BLOCK)):
                found += block
                if len(found) > limit:
                    break
                if time.monotonic() > end:
                    raise TimeoutError(f"it takes longer than {patience:.0f} seconds")
                progress(len(found), size)
    except RosterError:
        raise
    except (URLError, HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        # What the system says of an error, without its number; of a text the text.
        why = str(getattr(reason, "strerror", None) or reason or type(reason).__name__)
        if isinstance(error, HTTPError):
            why = f"the server answered {error.code}"
        raise _failed(address, why) from error
    if max(len(found), size or 0) > limit:
        raise RosterError(
            f"expected at most {limit // 2**20} MiB from {shorten(address, 100)}, but the server sends more; nothing "
            "was kept"
        )
    if size is not None and len(found) != size:
        raise _failed(address, f"it broke off after {len(found):,} of {size:,} bytes")
    return bytes(found), host


def _failed(address: str, why: str) -> RosterError:
    return RosterError(
        f"expected data from {shorten(address, 100)}, but {shorten(why, 200)[1:-1]}; check the network, or try again "
        "later; offline, a list is read with an archive that you have: --datasheets FILE.zip"
    )


def _announced(size: str | None) -> int | None:
    if size is not None and re.fullmatch("[0-9]{1,15}", size) is None:
        raise HTTPException(f"it announces {shorten(size)} bytes")
    return None if size is None else int(size)


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
        data, origin = read_bytes(address, MAX_ARCHIVE), Path(address).name
    else:
        address = publisher.address if address is None else require_address(address)
        data, origin = download(
            address, limit=MAX_ARCHIVE, patience=_PATIENCE, progress=progress, anywhere=sha256 is not None
        )
    found = hashlib.sha256(data).hexdigest()
    if sha256 is not None and found != sha256.casefold():
        raise RosterError(f"expected data with the hash {shorten(sha256, 70)}, got {found}; nothing was kept")
    source = BSDataSource(_files(address, data))
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


def _files(address: str, content: bytes) -> list[tuple[str, bytes]]:
    """Return the files of one download with their names."""
    if content.startswith(b"PK"):
        return archived(content, shorten(address))
    name = Path(urlsplit(address).path if "://" in address else address).name
    if start_of(content)[:9].lower().startswith((b"<!doctype", b"<html")):
        found = "a web page, perhaps one to log in"
    elif not name.casefold().endswith(SUFFIXES):
        found = "something else"
    else:
        return [(name, content)]
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
