"""Names for comparing: list builders differ in quotes, hyphens, accents and letter case."""

from __future__ import annotations

import re

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
