"""One entry for every encoding of an army list: the content decides, never the name of the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import RosterError
from mathhammer.rosters.build import build_roster, parse_json, parse_xml
from mathhammer.rosters.container import check_size, gunzip, linked_data, read_bytes, start_of, unzip
from mathhammer.rosters.names import MAX_BYTES, shorten

if TYPE_CHECKING:
    import os

    from mathhammer.rosters.tree import RosterFile

_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_GZIP = b"\x1f\x8b"
_MAX_TEXT = 2**20
_TIME = re.compile(rb"\[\d{1,2}:\d{2}")
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_content(path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """Return what a file, a link or standard input (``-``) holds, and what messages call it."""
    import os
    import sys

    place = os.fspath(
        validation.instance(path, (str, os.PathLike), "the path of an army-list file, or its link")
    )
    if place == "-":
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        check_size(data, "standard input")
        return data, "standard input"
    link = linked_data(place.encode()) if "://" in place else None
    if link is not None:
        return link, "the link"
    name = os.path.basename(place)  # noqa: PTH119 - as in container
    return read_bytes(path), shorten(name)


def as_text(data: bytes) -> str | None:
    """Return data as text if it is an army list in words; ``None`` for every other encoding of a list."""
    from mathhammer.rosters.text import is_text_list

    encoding = "utf-16" if data.startswith(_UTF_16_MARKS) else "utf-8-sig"
    start = start_of(data)
    # The time at which a message was written stands in brackets too.
    if len(data) > _MAX_TEXT or (
        start.startswith((b"<", b"{", b"[", *_ZIP, _GZIP)) and not _TIME.match(start)
    ):
        return None
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return text if "\0" not in text and is_text_list(text) else None


def parse_roster(data: bytes, name: str) -> RosterFile:
    """Read an army list that is in memory; the name is what messages call it."""
    if data.startswith(_ZIP):
        data = unzip(data, name)
        if data.startswith(_ZIP):
            raise RosterError(
                f"expected XML inside the archive {name}, but it is an archive again; unpack it first"
            )
    if not data.startswith(_GZIP):
        data = linked_data(data) or data
    if data.startswith(_GZIP):
        data = gunzip(data, name)
        if data.startswith((_ZIP[0], _GZIP)):
            raise RosterError(f"expected a list inside the gzip data of {name}, but it is packed again")
    start = start_of(data)
    if _TIME.match(start):
        raise _unknown(data, name)
    if start.startswith(_UTF_16_MARKS):
        start = data[:1024].decode("utf-16", "ignore").lstrip().encode()
    if start.startswith(b"<"):
        plain = parse_xml(data, name)
    elif start.startswith((b"{", b"[")):
        plain = parse_json(data, name)
    else:
        raise _unknown(start, name)
    return build_roster(plain, name)


def _unknown(data: bytes, name: str) -> RosterError:
    expected = "expected an army list (.ros, .rosz, New Recruit .json or .txt)"
    if not data:
        return RosterError(f"{expected}, but {name} is empty; export the list again")
    if as_text(data) is not None:
        return RosterError(
            f"expected datasheets for {name}, which is plain text: text exports hold names without characteristics; "
            "export the list as .ros, .rosz or JSON, or name a folder of BSData catalogues "
            "(datasheets=, on the command line --datasheets), or fetch them: mathhammer data get bsdata, for a list of "
            "the 10th edition mathhammer data get bsdata-10e"
        )
    start = data[:1024]
    try:
        start.decode()
        is_text = b"\0" not in start
    except UnicodeDecodeError as error:
        is_text = (
            error.end == len(start) and error.reason == "unexpected end of data"
        )  # cut inside a character
    if is_text:
        return RosterError(
            f"{expected}, but {name} is plain text without a unit and its points, such as "
            "'Name (90 points)'; copy the whole export"
        )
    return RosterError(f"{expected}, but {name} is a binary file of another kind; name the exported list")
