"""Archives of datasheets, as code hosts serve repositories: which files are read, and how large they may be."""

from __future__ import annotations

from pathlib import PurePosixPath

from mathhammer.errors import RosterError
from mathhammer.rosters.container import whole_archive
from mathhammer.rosters.limits import MAX_BYTES

#: What datasheets are in: catalogues of BSData, and Wahapedia's tables.
SUFFIXES = (".cat", ".gst", ".json", ".csv")
_MOST_MEMBERS = 2_000
_MOST_TOGETHER = 256 * 2**20
_ENTRY = b"PK\x01\x02"
_METHODS = {0, 8}


def members(data: bytes, name: str) -> dict[str, bytes]:
    """Return the files of datasheets in an archive by their names without folders."""
    if data.count(_ENTRY) > 10 * _MOST_MEMBERS:
        raise RosterError(f"expected an archive of datasheets, but {name} holds too many files to be one")
    found: dict[str, bytes] = {}
    left = _MOST_TOGETHER
    with whole_archive(data, name, "get it again") as archive:
        for member in archive.infolist():
            path = PurePosixPath(member.filename)
            if member.is_dir() or path.suffix.casefold() not in SUFFIXES or path.name.startswith("."):
                continue
            if member.flag_bits & 1 or member.compress_type not in _METHODS:
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
