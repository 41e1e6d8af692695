"""Whom an ability text speaks of: its bearer, a unit, friends, an enemy; and names in lists of keywords."""

from __future__ import annotations

import re

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
