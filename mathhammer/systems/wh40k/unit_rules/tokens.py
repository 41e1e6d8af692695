"""What a wording of an ability says: whom it speaks of, tokens, and phrases that make them where a word begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

# Keywords stand in capitals: a text that is prepared has the common ones so too.
_CAPITAL = (
    r"(?-i:(?!(?:If|Each|While|Until|When|That|This|The|Hit|Wound|Damage|Add|Subtract|Models?|Units?|Weapons?|Ranged|Melee|You|Attacks|It|They|Those|In|At|Once|Select|Improve|Designer|Feel|Critical|After|Invulnerable|All|An|A|Any|Each|Below|Within|Battle|Not|Starting|Half)\b)"
    r"[A-Z'][\w'-]*(?:(?: of the| of| the| an| with| in)? (?!(?:Hit|Wound|Damage)\b)(?:[A-Z][\w'-]*|\d+\b)){0,6})"
)
# A name gives nothing back: how its words are parted is then one way, and long texts take no longer for it.
_NAME = rf"(?>{_CAPITAL})"
KEYWORDS = rf"{_NAME}(?:(?:, (?:and |or )?| and/or | and | or | & |/| )(?:an? |non-)?{_NAME}){{0,7}}"

_SELF = r"(?:this model|the bearer|this fortification|this transport|its bearer)\b(?!'s unit)"
_OWN = r"(?:this units?|this model's unit|the bearer's unit|its unit|your unit)\b"
_THAT = rf"(?:that (?:{KEYWORDS} )?unit|their unit|that model's unit|it)\b"
_ALL = r"(?:an? |any |each |every |all |all of |the |other |one or more )*"
_MODELS = rf"(?:{_ALL}models? (?:in|from|of) )"

WHO = (
    rf"(?:(?P<named>(?:this|that) unit's {KEYWORDS}(?: models?)?)|(?P<model>{_SELF})"
    rf"|(?P<some>{_ALL}{KEYWORDS} models? (?:in|from|attached to) )(?:(?P<some_own>{_OWN})|{_THAT})"
    rf"|{_MODELS}?(?P<unit>{_OWN})"
    rf"|(?P<friends>{_ALL}(?:models? in (?:an? )?)?friendly (?:(?:{KEYWORDS}) )?(?:units?|models?)\b"
    rf"|(?:models? in )?(?:an? |any |each |other )*(?:{KEYWORDS}) (?:units?|models?) from your army"
    r"|(?:an? |any |other )*(?:models?|units?) from your army)"
    rf"|(?P<picked>that (?:(?:{KEYWORDS}) )?model\b|that friendly (?:{KEYWORDS} )?(?:unit|model)|those models)"
    rf"|(?P<enemy>{_MODELS}?(?:that|those|the selected) enemy (?:{KEYWORDS} )?(?:units?|models?))"
    rf"|{_MODELS}?(?P<that>{_THAT}))"
)
_ARTICLES = re.compile(r"^(?:(?:an?|the|other|any|each|every|all|one or more) )+", re.IGNORECASE)
_NOT_NAMES = re.compile(
    r"\b(?:an?|any|each|every|all|other|friendly|units?|models?|keywords?|in|from your army|from)\b",
    re.IGNORECASE,
)


def subject(match: re.Match[str]) -> tuple[str, tuple[str, ...]]:  # noqa: PLR0911 - one return a group
    """Return where a subject is, and the names that limit it."""
    group = match.groupdict()
    if group.get("named"):
        return "named", names_of(re.sub(r"^(?:this|that) unit's ", "", group["named"], flags=re.IGNORECASE))
    if group.get("model"):
        return "model", ()
    if group.get("some") and re.match(r"(?:the )?other\b", group["some"], re.IGNORECASE):
        return "others", ()
    if group.get("some"):
        names = names_of(
            re.sub(r" models? (?:in|from|attached to) $", "", group["some"], flags=re.IGNORECASE)
        )
        return ("unit" if group.get("some_own") else "that"), names
    if group.get("friends"):
        return "friends", names_of(" ".join(_NOT_NAMES.sub(" ", group["friends"]).split()))
    for name in ("unit", "picked", "enemy"):
        if group.get(name):
            return name, ()
    return "that", ()


def names_of(text: str) -> tuple[str, ...]:
    """Return the names of a list of keywords."""
    text = re.sub(r"\b(?:models?|units?|keywords?|with the)\b", "", text, flags=re.IGNORECASE)
    parts = re.split(r",|/|\band/or\b|\band\b|\bor\b|&", text, flags=re.IGNORECASE)
    names = (_ARTICLES.sub("", part.strip()).strip() for part in parts)
    return tuple(
        name.title().replace("'S", "'s") if name.isupper() or name.islower() else name
        for name in names
        if name
    )


def weapon_names(text: str) -> tuple[str, ...]:
    """Return the names of a list of weapons, in small letters."""
    parts = re.split(r", (?:and |or )?| and | or |/", text.casefold())
    cut = (
        re.sub(r"^(?:an?|its|the|this model's|their|one of its|his|her) ", "", part.strip()) for part in parts
    )
    return tuple(name.removesuffix(" profile") for name in cut if name)


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
