"""Files that are written: never over an army list, and whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

#: Endings of army lists and datasheets: nothing else is written under such a name.
LIST_SUFFIXES = frozenset({".ros", ".rosz", ".json", ".txt", ".cat", ".catz", ".gst", ".gstz", ".csv"})


def require_output(
    path: str | os.PathLike[str], suffix: str, inputs: Iterable[str | os.PathLike[str] | None] = ()
) -> None:
    """Refuse to write to a file that is read, or whose name is that of an army list."""
    for given in inputs:
        if given is not None and _same(given, path):
            raise MathhammerError(
                f"expected a file to write to, got {shown(str(path))}, which is read by the same command; "
                "give another name"
            )
    try:
        names = os.fspath(path), os.path.realpath(path)
    except ValueError as error:  # a null character
        raise _unwritable(path, error) from error
    for name in names:
        if os.path.splitext(name)[1].casefold() in LIST_SUFFIXES - {suffix}:  # noqa: PTH122 - as below
            raise MathhammerError(
                f"expected a file to write to, got {shown(name)}, which is the name of an army list; "
                f"a name that ends in {suffix} is free"
            )


def _same(given: str | os.PathLike[str], path: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one file."""
    with suppress(OSError, ValueError):  # one of them leads to none
        return os.path.samefile(given, path)  # noqa: PTH121 - pathlib costs 10 ms that the command line does not have
    return False


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as UTF-8, in the place of the file only when it is whole."""
    with replacing(path) as place:
        place.write_bytes(text.encode("utf-8", "backslashreplace"))  # half a surrogate pair is no character


def _unwritable(path: str | os.PathLike[str], error: OSError | ValueError) -> MathhammerError:
    reason = getattr(error, "strerror", None) or str(error)
    return MathhammerError(f"couldn't write to {shown(str(path))}: {reason}")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a file to write to, which takes the place of another one at the end; after an error the old one stays."""
    import secrets
    import shutil
    import stat
    from pathlib import Path

    beside = None
    try:
        place = Path(os.path.realpath(path))
        old = place.stat() if place.exists() else None
        if old is not None and not stat.S_ISREG(old.st_mode):
            yield Path(path)
            return
        beside = place.with_name(f".{secrets.token_hex(8)}.part")
        beside.touch(exist_ok=False)
        yield beside
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        if old is not None:
            shutil.copymode(place, beside)
        beside.replace(place)
    except MathhammerError:
        raise
    except (OSError, ValueError) as error:  # a null character is a wrong value
        raise _unwritable(path, error) from error
    finally:
        if beside is not None:
            beside.unlink(missing_ok=True)
