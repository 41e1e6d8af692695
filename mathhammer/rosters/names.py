"""Names for comparing: list builders differ in quotes, hyphens, accents and letter case."""

from __future__ import annotations

import re

__all__ = ["name_key", "plain"]

_TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "`": "'", "\u2010": "-", "\u2011": "-", "–": "-", "—": "-"})


def plain(text: str) -> str:
    """Text for comparing: lower case, typewriter quotes and hyphens.

    Examples
    --------
    >>> plain("Nurse’s Twin‑Linked Gun")
    "nurse's twin-linked gun"
    """
    return text.translate(_TYPOGRAPHY).casefold()


def name_key(name: str) -> str:
    """Return a name for comparing: no case, accents, punctuation or odd blanks.

    Examples
    --------
    >>> name_key("Two‑handed  Big Choppa"), name_key("Sâdhu’s Bow")
    ('two handed big choppa', 'sadhu s bow')
    """
    import unicodedata

    text = unicodedata.normalize("NFKD", plain(name))
    return " ".join(re.findall(r"\w+", "".join(char for char in text if not unicodedata.combining(char))))
