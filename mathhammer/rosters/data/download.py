"""Files from a web server: over https, of a limited size, in limited time."""

from __future__ import annotations

import time
from http.client import HTTPException
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from mathhammer.errors import RosterError
from mathhammer.rosters.limits import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from http.client import HTTPMessage
    from typing import IO

_BLOCK = 1 << 16
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def require_address(address: str) -> str:
    """Return an address that may be fetched: https, or plain http on this computer."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        host = None
    if host and (parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)):
        return address
    raise RosterError(f"expected an address that begins with https://, got {shorten(address)}")


class _SameHost(HTTPRedirectHandler):
    """Handler of redirections that stays on the first host."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        require_address(newurl)
        if urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            raise RosterError(
                f"expected an answer of {urlsplit(req.full_url).netloc}, which sends on to "
                f"{shorten(newurl)}; nothing was fetched from there"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(
    address: str,
    *,
    limit: int,
    patience: float,
    progress: Callable[[int, int | None], None],
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Return what a server has at an address."""
    end = time.monotonic() + patience
    opener = build_opener(_SameHost)
    opener.addheaders = [("User-Agent", "mathhammer"), *(headers or {}).items()]
    try:
        with opener.open(Request(require_address(address)), timeout=min(patience, 30)) as response:  # noqa: S310 - see above
            announced = response.headers.get("Content-Length", "")
            size = (
                int(announced)
                if announced.isascii() and announced.isdigit() and len(announced) < 16
                else None
            )
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
    return bytes(found)


def _in_words(reason: object) -> str:
    """Return what the system says of an error, without its number; of a text the text."""
    return str(getattr(reason, "strerror", None) or reason or type(reason).__name__)


def _failed(address: str, why: str) -> RosterError:
    return RosterError(
        f"expected data from {shorten(address, 100)}, but {shorten(why, 200)[1:-1]}; check the network, or try "
        "again later"
    )


def _too_much(address: str, limit: int) -> RosterError:
    return RosterError(
        f"expected at most {limit // 2**20} MiB from {shorten(address, 100)}, but the server sends more; "
        "nothing was kept"
    )
