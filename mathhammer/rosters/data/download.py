"""Files from a web server: over https, of a limited size, in limited time."""

from __future__ import annotations

import re
import time
from http.client import HTTPException
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from mathhammer.errors import RosterError
from mathhammer.rosters.limits import shorten

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.client import HTTPMessage
    from typing import IO

_BLOCK = 1 << 16
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
            if size is not None and size > limit:
                raise _too_much(address, limit)
            found = bytearray()
            while block := response.read1(_BLOCK):
                found += block
                if len(found) > limit:
                    raise _too_much(address, limit)
                if time.monotonic() > end:
                    raise TimeoutError(f"it takes longer than {patience:.0f} seconds")
                progress(len(found), size)
    except HTTPError as error:
        raise _failed(address, f"the server answered {error.code}") from error
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise _failed(address, _in_words(getattr(error, "reason", None) or error)) from error
    if size is not None and len(found) != size:
        raise _failed(address, f"it broke off after {len(found):,} of {size:,} bytes")
    return bytes(found), host


def _announced(size: str | None) -> int | None:
    if size is not None and re.fullmatch("[0-9]{1,15}", size) is None:
        raise HTTPException(f"it announces {shorten(size)} bytes")
    return None if size is None else int(size)


def _in_words(reason: object) -> str:
    """Return what the system says of an error, without its number; of a text the text."""
    return str(getattr(reason, "strerror", None) or reason or type(reason).__name__)


def _failed(address: str, why: str) -> RosterError:
    return RosterError(
        f"expected data from {shorten(address, 100)}, but {shorten(why, 200)[1:-1]}; check the network, or try "
        "again later; offline, a list is read with an archive that you have: --datasheets FILE.zip"
    )


def _too_much(address: str, limit: int) -> RosterError:
    return RosterError(
        f"expected at most {limit // 2**20} MiB from {shorten(address, 100)}, but the server sends more; "
        "nothing was kept"
    )
