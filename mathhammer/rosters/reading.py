"""From a file, a link or standard input to an army list: the content decides, never the name of the file."""

from __future__ import annotations

import os
import re
import stat
from codecs import BOM_UTF8, getincrementaldecoder
from io import BytesIO
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import RosterError
from mathhammer.rosters.build import build_roster, parse_json, parse_xml
from mathhammer.rosters.names import MAX_BYTES, require_room, shorten
from mathhammer.rosters.text.lines import is_text_list

if TYPE_CHECKING:
    import zipfile

    from mathhammer.rosters.tree import RosterFile

_WANTED = "expected an army-list file (.ros, .rosz, New Recruit .json or .txt)"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ZIP_ENTRY = b"PK\x01\x02"  # the signature of one entry in the archive's directory
_STORED, _DEFLATED = 0, 8
_ENCRYPTED = 0x1
_GZIP = b"\x1f\x8b"
_MAX_TEXT = 2**20
_TIME = re.compile(rb"\[\d{1,2}:\d{2}")
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# "H4sI" is the base64 of the first bytes of every gzip file. Percent signs are escapes of + / and = in a link.
_LINK = re.compile(rb"(?:https?://[^\s#?]{1,200}[^\s]{0,100}?[#?/=&])?(H4sI[A-Za-z0-9+/_%=-]{20,})")


def read_content(path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """Return what a file, a link or standard input (``-``) holds, and what messages call it."""
    import sys

    place = os.fspath(
        validation.instance(path, (str, os.PathLike), "the path of an army-list file, or its link")
    )
    if place == "-":
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        require_room(len(data), MAX_BYTES, "MiB", "standard input")
        return data, "standard input"
    link = linked_data(place.encode()) if "://" in place else None
    if link is not None:
        return link, "the link"
    name = os.path.basename(place)  # noqa: PTH119 - pathlib costs 10 ms that the command line does not have
    return read_bytes(path), shorten(name)


def read_bytes(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> bytes:
    """Read a whole file, at most so many bytes of it."""
    name = shorten(os.fspath(path))
    data = b""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - as above
        if stat.S_ISREG(mode):
            with open(path, "rb") as file:  # noqa: PTH123 - as above
                data = file.read(limit + 1)
    except (OSError, ValueError) as error:  # a ValueError is a null character in the path
        why = f"cannot be opened ({getattr(error, 'strerror', None) or error}); check the path and its permissions"
        if isinstance(error, FileNotFoundError):
            why = "does not exist; check the path"
        raise RosterError(f"{_WANTED}, but {name} {why}") from error
    if stat.S_ISDIR(mode):
        raise RosterError(f"{_WANTED}, but {name} is a folder; name the file inside it")
    if not stat.S_ISREG(mode):
        raise RosterError(f"{_WANTED}, but {name} is not a regular file; save the list to a file first")
    require_room(len(data), limit, "MiB", name)
    return data


def start_of(data: bytes) -> bytes:
    """Return the beginning of a text, without blanks and the mark of UTF-8."""
    return data[:1024].removeprefix(BOM_UTF8).lstrip()


def unzip(data: bytes, name: str, kinds: tuple[str, ...], files: int, most: int) -> list[tuple[str, bytes]]:
    """Return the files of some kinds in an archive with their names, unpacked in memory within limits."""
    import zlib
    from zipfile import BadZipFile, ZipFile

    broken = (BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
    # The directory of an archive with many entries would alone take seconds to read.
    require_room(data.count(_ZIP_ENTRY), files, "files in an archive", name)
    found: list[tuple[str, bytes]] = []
    size = 0
    try:
        with ZipFile(BytesIO(data)) as archive:
            for member in archive.infolist():
                own = member.filename.rpartition("/")[2]
                # macOS adds a shadow "__MACOSX/._list.ros" beside each member.
                if not own.casefold().endswith(kinds) or own.startswith("."):
                    continue
                _require_plain(member, name)
                with archive.open(member) as stream:
                    content = stream.read(MAX_BYTES + 1)
                size += len(content)
                require_room(len(content), MAX_BYTES, "MiB", f"{shorten(own)} in {name}")
                require_room(size, most, "MiB", name)
                found.append((own, content))
    except RosterError:
        raise
    except broken as error:
        raise _broken("a whole ZIP archive", name, error) from error
    return found


def _require_plain(member: zipfile.ZipInfo, name: str) -> None:
    if member.flag_bits & _ENCRYPTED or member.compress_type not in {_STORED, _DEFLATED}:
        raise RosterError(
            f"expected a plain archive, but {name} is encrypted or packed by ZIP method {member.compress_type}; zip "
            "its files again with the usual method"
        )


def _broken(kind: str, name: str, why: object) -> RosterError:
    return RosterError(f"expected {kind}, but {name} is broken ({why}); download or export it again")


def gunzip(data: bytes, name: str) -> bytes:
    """Unpack gzip-compressed data, at most ``MAX_BYTES`` of it."""
    import zlib

    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        text = unpacker.decompress(data, MAX_BYTES + 1)
    except zlib.error as error:
        raise _broken("whole gzip data", name, error) from error
    require_room(len(text), MAX_BYTES, "MiB", f"the data inside {name}")
    if not unpacker.eof:
        raise _broken("whole gzip data", name, "it breaks off")
    return text


def linked_data(data: bytes) -> bytes | None:
    """Return the compressed data in a link or in its tail alone; ``None`` if there is no link."""
    import base64
    import binascii

    match = _LINK.fullmatch(data.strip()) if b"H4sI" in data[:400] else None
    if match is None:
        return None
    text = match[1].replace(b"%2B", b"+").replace(b"%2F", b"/").replace(b"%3D", b"=")
    text = text.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return None


def as_text(data: bytes) -> str | None:
    """Return data as text if it is an army list in words; ``None`` for every other encoding of a list."""
    start = start_of(data)
    # The time at which a message was written stands in brackets too.
    other = start.startswith((b"<", b"{", b"[", *_ZIP, _GZIP)) and not _TIME.match(start)
    if len(data) > _MAX_TEXT or other:
        return None
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16_MARKS) else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return text if "\0" not in text and is_text_list(text) else None


def parse_roster(data: bytes, name: str) -> RosterFile:
    """Read an army list that is in memory; the name is what messages call it."""
    if data.startswith(_ZIP):
        members = unzip(data, name, (".ros",), 100, MAX_BYTES)
        if len(members) != 1:
            raise RosterError(
                f"expected an archive with exactly one .ros member, but {name} holds {len(members)}; unpack it and "
                "name the .ros file"
            )
        data = _unpacked(members[0][1], name)
    data = linked_data(data) or data
    if data.startswith(_GZIP):
        data = _unpacked(gunzip(data, name), name)
    start = start_of(data)
    if start.startswith(_UTF_16_MARKS):
        start = data[:1024].decode("utf-16", "ignore").lstrip().encode()
    if start.startswith(b"<"):
        return build_roster(parse_xml(data, name, "roster"), name)
    if start.startswith((b"{", b"[")) and not _TIME.match(start):
        return build_roster(parse_json(data, name), name)
    raise RosterError(_unknown(data, start, name))


def _unpacked(data: bytes, name: str) -> bytes:
    if data.startswith((_ZIP[0], _GZIP)):
        raise RosterError(
            f"expected a list inside {name}, but it is an archive or packed again; unpack it first"
        )
    return data


def _unknown(data: bytes, start: bytes, name: str) -> str:
    expected = "expected an army list (.ros, .rosz, New Recruit .json or .txt)"
    if not start:
        return f"{expected}, but {name} is empty; export the list again"
    if as_text(data) is not None:
        return (
            f"expected datasheets for {name}, which is plain text: text exports hold names without characteristics; "
            "export the list as .ros, .rosz or JSON, or name a folder of BSData catalogues "
            "(datasheets=, on the command line --datasheets), or fetch them: mathhammer data get bsdata, for a list of "
            "the 10th edition mathhammer data get bsdata-10e"
        )
    try:
        binary = "\0" in getincrementaldecoder("utf-8")().decode(start)  # the last character may be cut
    except UnicodeDecodeError:
        binary = True
    if binary:
        return f"{expected}, but {name} is a binary file of another kind; name the exported list"
    return (
        f"{expected}, but {name} is plain text without a unit and its points, such as 'Name (90 points)'; copy the "
        "whole export"
    )
