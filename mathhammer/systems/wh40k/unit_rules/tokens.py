"""What a wording of an ability says: tokens, and phrases that match where a word begins and make tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mathhammer.systems.wh40k.unit_rules.subjects import KEYWORDS, names_of, subject


class Token(NamedTuple):
    """What a phrase says: its kind, and values."""

    kind: str
    value: object = None
    more: object = None


Make = Callable[[re.Match[str]], "Sequence[Token]"]


class Phrase:
    """A wording, compiled when a text first holds the words that it needs, and what it says."""

    __slots__ = ("_compiled", "make", "needle", "pattern")

    def __init__(self, pattern: str, make: Make) -> None:
        self.pattern, self.make = pattern, make
        self.needle = needle(pattern)
        self._compiled: re.Pattern[str] | None = None

    def match(self, text: str, place: int) -> re.Match[str] | None:
        """Match at a place; case does not matter but for names."""
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, re.IGNORECASE)
        return self._compiled.match(text, place)


def needle(pattern: str) -> str:
    """Return the longest text that whatever matches holds, in small letters; nothing where there is a choice."""
    depth, plain, skip = 0, [], False
    for char in pattern:
        if skip:
            skip = False
            plain.append("\0")
        elif char == "\\":
            skip = True
        elif char in "([{":
            depth += 1
            plain.append("\0")
        elif char in ")]}":
            depth -= 1
        elif depth == 0:
            if char == "|":
                return ""
            if char in "?*+" and plain:
                plain[-1] = "\0"
            plain.append(char if char.isalpha() or char in " '-" else "\0")
    return max("".join(plain).split("\0"), key=len).casefold()


def says(*tokens: Token | Make) -> Make:
    """Say tokens, the same whatever was matched or made of the match."""

    def make(match: re.Match[str]) -> Sequence[Token]:
        return tuple(
            token for each in tokens for token in ((each,) if isinstance(each, Token) else each(match))
        )

    return make


def if_(kind: str, *value: str) -> Make:
    """Say one condition."""
    return says(Token("if", kind, value))


def phrases(
    table: Mapping[Make | str | tuple[str, ...], str | tuple[str, ...]], make: Callable[..., Make] = if_
) -> tuple[Phrase, ...]:
    """Return the phrases of a table: what is said, itself or as what `make` takes, with its wordings."""
    found = []
    for key, wordings in table.items():
        said = key if callable(key) else make(*((key,) if isinstance(key, str) else key))
        found += [Phrase(each, said) for each in ((wordings,) if isinstance(wordings, str) else wordings)]
    return tuple(found)


def if_whose(kind: str, *value: str) -> Make:
    """Say a condition, and whose it is where nobody was named before."""
    return says(whose, Token("if", kind, value))


def matched(
    kind: str, value: object = None, *, of: str | int, read: Callable[[str], object] = str.casefold
) -> Make:
    """Say a token that ends in what is read of a group of the match."""

    def make(match: re.Match[str]) -> Sequence[Token]:
        found = read(match[of] or "")
        return (Token(kind, found) if value is None else Token(kind, value, found),)

    return make


def names(kind: str) -> Make:
    """Say a condition of the keywords that were matched."""
    return matched("if", kind, of="kw", read=names_of)


def kind_of(text: str) -> str:
    """Return a kind of attacks, ``"any"`` where none was named."""
    return (text or "any").strip().casefold()


def who(match: re.Match[str]) -> Sequence[Token]:
    """Say whom was spoken of."""
    return (Token("who", *subject(match)),)


def whose(match: re.Match[str]) -> Sequence[Token]:
    """Say of whom this is where nobody was named before."""
    return (Token("perhaps who", *subject(match)),)


KIND = r"(?P<kind>ranged |melee |psychic )?"
BUT = rf"(?: ?\((?:excluding|except|that is not) (?:units with the |an? )?(?P<but>{KEYWORDS}(?:(?: units?| models?| keywords?)? (?:and|or) {KEYWORDS})?)(?: units?| models?| keywords?| attacks)*\))?"
