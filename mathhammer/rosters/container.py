"""The outside of an army-list file: is it a file, how large, a ZIP archive or plain text."""

from __future__ import annotations

import os
import re
import stat
from codecs import BOM_UTF8
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.names import MAX_BYTES, shorten

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Iterator

_WANTED = "expected an army-list file (.ros, .rosz, New Recruit .json or .txt)"
_ZIP_ENTRY = b"PK\x01\x02"  # the signature of one entry in the archive's directory
_MAX_ENTRIES = 100
_MAX_ARCHIVE = 128 * 2**20
#: What datasheets are in: catalogues of BSData.
SUFFIXES = (".cat", ".gst", ".json")
_MOST_MEMBERS = 2_000
_MOST_TOGETHER = 256 * 2**20
# "H4sI" is the base64 of the first bytes of every gzip file. Percent signs are escapes of + / and = in a link.
_LINK = re.compile(rb"(?:https?://[^\s#?]{1,200}[^\s]{0,100}?[#?/=&])?(H4sI[A-Za-z0-9+/_%=-]{20,})")
_STORED, _DEFLATED = 0, 8
_ENCRYPTED = 0x1


def read_large(path: str | os.PathLike[str]) -> bytes:
    """Read an archive of datasheets, which are larger than any list."""
    return read_bytes(path, _MAX_ARCHIVE)


def read_bytes(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> bytes:
    """Read a whole file, at most so many bytes of it."""
    name = shorten(os.fspath(path))
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - pathlib costs 10 ms that the command line does not have
    except (OSError, ValueError) as error:  # a ValueError is a null character in the path
        raise _unreadable(name, error) from error
    if stat.S_ISDIR(mode):
        raise RosterError(f"{_WANTED}, but {name} is a folder; name the file inside it")
    if not stat.S_ISREG(mode):
        raise RosterError(f"{_WANTED}, but {name} is not a regular file; save the list to a file first")
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - the same
            data = file.read(limit + 1)
    except OSError as error:
        raise _unreadable(name, error) from error
    check_size(data, name, limit)
    return data


def _unreadable(name: str, error: OSError | ValueError) -> RosterError:
    if isinstance(error, FileNotFoundError):
        return RosterError(f"{_WANTED}, but {name} does not exist; check the path")
    reason = getattr(error, "strerror", None) or str(error)
    return RosterError(
        f"{_WANTED}, but {name} cannot be opened ({reason}); check the path and its permissions"
    )


def start_of(data: bytes) -> bytes:
    """Return the beginning of a text, without blanks and the mark of UTF-8."""
    return data[:1024].removeprefix(BOM_UTF8).lstrip()


def check_size(data: bytes, name: str, limit: int = MAX_BYTES) -> None:
    """Refuse what is larger than that."""
    if len(data) > limit:
        raise RosterError(
            f"expected an army list of at most {limit // 2**20} MiB, but {name} is larger; "
            "real ones stay below 1 MB: export the list again"
        )


def unzip(data: bytes, name: str) -> bytes:
    """Read the one ``.ros`` member of a ``.rosz`` archive, in memory."""
    if data.count(_ZIP_ENTRY) > _MAX_ENTRIES:  # its directory alone would take seconds to read
        raise RosterError(
            f"expected an archive with one .ros member, but {name} holds more than {_MAX_ENTRIES}"
        )
    with whole_archive(data, name, "download or export it again") as archive:
        member = _only_roster(archive, name)
        with archive.open(member) as stream:
            text = stream.read(MAX_BYTES + 1)
    check_size(text, f"the .ros member of {name}")
    return text


@contextmanager
def whole_archive(data: bytes, name: str, remedy: str) -> Iterator[zipfile.ZipFile]:
    """Open a ZIP archive in memory; whatever is wrong with it is one error."""
    import zlib
    from zipfile import BadZipFile, ZipFile

    broken = (BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
    try:
        with ZipFile(BytesIO(data)) as archive:
            yield archive
    except RosterError:
        raise
    except broken as error:
        raise RosterError(
            f"expected a whole ZIP archive, but {name} is broken ({error}); {remedy}"
        ) from error


def _only_roster(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    # macOS adds a shadow "__MACOSX/._list.ros" beside each member.
    members = [
        member
        for member in archive.infolist()
        if member.filename.lower().endswith(".ros") and not member.filename.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        raise RosterError(
            f"expected an archive with exactly one .ros member, but {name} holds {len(members)}; "
            "unpack it and name the .ros file"
        )
    member = members[0]
    if member.flag_bits & _ENCRYPTED:
        raise RosterError(f"expected a plain archive, but {name} is encrypted; export the list again")
    if member.compress_type not in {_STORED, _DEFLATED}:
        raise RosterError(
            f"expected a stored or deflated archive member, but {name} uses ZIP method "
            f"{member.compress_type}; zip the .ros file again with the usual method"
        )
    return member


def members(data: bytes, name: str) -> dict[str, bytes]:
    """Return the files of datasheets in an archive by their names without folders."""
    from pathlib import PurePosixPath

    if data.count(_ZIP_ENTRY) > 10 * _MOST_MEMBERS:
        raise RosterError(f"expected an archive of datasheets, but {name} holds too many files to be one")
    found: dict[str, bytes] = {}
    left = _MOST_TOGETHER
    with whole_archive(data, name, "get it again") as archive:
        for member in archive.infolist():
            path = PurePosixPath(member.filename)
            if member.is_dir() or path.suffix.casefold() not in SUFFIXES or path.name.startswith("."):
                continue
            if member.flag_bits & _ENCRYPTED or member.compress_type not in {_STORED, _DEFLATED}:
                raise RosterError(
                    f"expected a plain archive, but {name} is encrypted or packed in another way"
                )
            with archive.open(member) as stream:
                content = stream.read(min(left, MAX_BYTES) + 1)
            left -= len(content)
            if left < 0 or len(content) > MAX_BYTES or len(found) >= _MOST_MEMBERS:
                raise RosterError(
                    f"expected datasheets of at most {_MOST_TOGETHER // 2**20} MiB together in {name}, "
                    "but there is more; it is not used"
                )
            found.setdefault(path.name, content)
    if not found:
        raise RosterError(
            f"expected datasheets ({', '.join(SUFFIXES)}) in {name}, but there are none; name another archive"
        )
    return found


def gunzip(data: bytes, name: str) -> bytes:
    """Unpack gzip-compressed data, at most ``MAX_BYTES`` of it."""
    import zlib

    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        text = unpacker.decompress(data, MAX_BYTES + 1)
    except zlib.error as error:
        raise RosterError(
            f"expected whole gzip data, but {name} is broken ({error}); copy or export it again"
        ) from error
    check_size(text, f"the data inside {name}")
    if not unpacker.eof:
        raise RosterError(f"expected whole gzip data, but {name} breaks off; copy or export it again")
    return text


def linked_data(data: bytes) -> bytes | None:
    """Return the compressed data in a link or in its tail alone; ``None`` if there is no link."""
    import base64
    import binascii

    if b"H4sI" not in data[:400]:
        return None
    match = _LINK.fullmatch(data.strip())
    if match is None:
        return None
    text = match[1].replace(b"%2B", b"+").replace(b"%2F", b"/").replace(b"%3D", b"=")
    text = text.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return None
