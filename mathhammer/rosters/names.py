"""Limits of an army list, and names for comparing: list builders differ in quotes, hyphens, accents and letter case."""

from __future__ import annotations

import re

from mathhammer.errors import RosterError

MAX_BYTES = 32 * 2**20
MAX_NODES = 500_000
MAX_DEPTH = 64
MAX_PARTS = 20_000  # selections, profiles and rules of an army
MAX_UNIT_PARTS = 2_000
MAX_COUNT = 1_000  # models or weapons in one selection, and every number inside a dice text


def shorten(text: object, length: int = 60) -> str:
    """Quote a text of any length for an error message; the backslashes of a path of Windows stay single."""
    plain = str(text)
    cut = plain if len(plain) <= length else plain[: length - 2]
    quoted = f"'{cut}'" if cut.isprintable() and "'" not in cut else repr(cut)
    return quoted if cut == plain else f"{quoted}..."


def require_room(count: int, most: int, what: str, name: str) -> None:
    """Refuse what holds more of something than any army does; counts are bytes where it is said in MiB."""
    if count > most:
        shown = most >> 20 if what.startswith("MiB") else most
        raise RosterError(
            f"expected at most {shown:,} {what}, but {name} holds more; no army needs that much: export it again, or "
            "name another"
        )


_TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "`": "'", "\u2010": "-", "\u2011": "-", "–": "-", "—": "-"})


def one_line(text: object) -> str:
    """Return what a file holds as one clean line: white space as one blank, no control characters."""
    # str.split also splits at the no-break spaces New Recruit joins with.
    line = " ".join(str("" if text is None else text).split())
    if line.isprintable():
        return line
    return " ".join("".join(char if char.isprintable() else " " for char in line).split())


def plain(text: str) -> str:
    """Text for comparing: lower case, typewriter quotes and hyphens."""
    return text.translate(_TYPOGRAPHY).casefold()


def singular(name: str) -> str:
    """Return the words of a name for comparing, in the singular as far as an "s" tells."""
    return " ".join(word.rstrip("s") for word in re.findall(r"[\w']+", plain(name)))


def name_key(name: str) -> str:
    """Return a name for comparing: no case, accents, punctuation or odd blanks."""
    import unicodedata

    text = unicodedata.normalize("NFKD", plain(name))
    return " ".join(re.findall(r"\w+", "".join(char for char in text if not unicodedata.combining(char))))
