"""What a wording of an ability says: whom it speaks of, and tokens; compiled when a text first holds its words."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.profiles.keywords import parse_keywords
from mathhammer.systems.wh40k.unit_rules import wordings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ARTICLES = re.compile(r"(?i)^(?:(?:an?|the|other|any|each|every|all|one or more) )+")
_OWNERS = re.compile(r"^(?:an?|its|the|this model's|their|one of its|his|her) ")
_PARTS = dict(line.split(": ", 1) for line in wordings.PARTS.strip("\n").split("\n"))


def names_of(text: str) -> tuple[str, ...]:
    """Return the names of a list of keywords."""
    text = re.sub(r"\b(?:models?|units?|keywords?|with the)\b", "", text, flags=re.IGNORECASE)
    parts = re.split(r",|/|\band/or\b|\band\b|\bor\b|&", text, flags=re.IGNORECASE)
    names = filter(None, (_ARTICLES.sub("", part.strip()).strip() for part in parts))
    return tuple(
        name.title().replace("'S", "'s") if name.isupper() or name.islower() else name for name in names
    )


def weapon_names(text: str) -> tuple[str, ...]:
    """Return the names of a list of weapons, in small letters."""
    parts = re.split(r", (?:and |or )?| and | or |/", text.casefold())
    names = (_OWNERS.sub("", part.strip()) for part in parts)
    return tuple(name.removesuffix(" profile") for name in names if name)


def subject(match: re.Match[str]) -> tuple[str, tuple[str, ...]]:
    """Return where a subject is, nothing if none was matched, and the names that limit it."""
    group = {name: text for name, text in match.groupdict().items() if text}
    kinds = ("named", "model", "others", "some", "unit", "friends", "picked", "enemy", "that")
    where = next((kind for kind in kinds if kind in group), "")
    names = next((group[name] for name in ("named", "some", "friend", "army") if name in group), "")
    some = "unit" if "some_own" in group else "that"
    return some if where == "some" else where, names_of(names)


#: What a phrase says: a kind, and values.
Token = tuple[str, Any, Any]


class Phrase(NamedTuple):
    """A wording, what it says, and the words without which it does not match."""

    says: str
    wording: str
    needles: tuple[str, ...]

    def match(self, text: str, place: int = 0, *, whole: bool = False) -> re.Match[str] | None:
        """Match at a place; case does not matter but for names."""
        pattern = _compiled(self.wording)
        return pattern.fullmatch(text) if whole else pattern.match(text, place)

    def tokens(self, match: re.Match[str]) -> list[Token]:
        """Return the tokens of a match."""
        found: list[Token] = []
        for step in filter(None, self.says.split(", ")):
            kind, _, rest = step.partition(" ")
            value, _, more = rest.partition("=")
            if make := _MAKERS.get(kind):
                found += make(match, rest)
            elif kind in {"who", "whose"} and not rest:
                found.append((kind, *subject(match)))
            elif not (rest.endswith("?") and not match.groupdict().get((more or value).strip("<>?"))):
                found.append((kind, _value(match, value), _value(match, more)))
        return found


@cache
def _compiled(wording: str) -> re.Pattern[str]:
    def whole(text: str) -> str:
        return re.sub(r"<([A-Z]+)>", lambda part: whole(_PARTS[part[1]]), text)

    return re.compile(whole(wording), re.IGNORECASE)


def _value(match: re.Match[str], text: str) -> object:
    """Return a value of a token: words, or what is read of a group of the match; nothing where there is none."""
    group = text.strip("<>?")
    return (
        _READ.get(group, str.casefold)(match.groupdict().get(group) or "")
        if text.startswith("<")
        else text or None
    )


_READ: dict[str, Callable[[str], object]] = {
    "kw": names_of,
    "but": names_of,
    "weapon": weapon_names,
    "kind": lambda text: (text or "any").strip().casefold(),
    "n": int,
    "left": "at {} wounds".format,
    "text": str,
}


def needles(pattern: str) -> tuple[str, ...]:
    """Return the texts that whatever matches holds, in small letters; nothing where there is a choice."""
    plain, before = re.sub(r"<[A-Z]+>|\\.|\[(?:\\.|[^\\\]])*\]", "\0", pattern), ""
    while plain != before:
        plain, before = re.sub(r"\([^()]*\)", "\0", plain), plain
    words = re.split(r"[^a-z '-]+", re.sub(r".(?:[?*+]|\{[^{}]*\})", "\0", plain).casefold())
    return () if "|" in plain else tuple({word for word in words if len(word) > 1})


def _phrases(table: str) -> tuple[Phrase, ...]:
    found, says = [], ""
    for line in table.strip("\n").split("\n"):
        said, _, wording = line.partition(": " if line[0] != " " else "    ")
        says = said or says
        found.append(Phrase(says.strip("-"), wording, needles(wording)))
    return tuple(found)


def _rolls(match: re.Match[str], _: str) -> list[Token]:
    rolls = [roll for roll in ("hit", "wound") if roll in match["rolls"].casefold()]
    return [("effect", roll, _number(match)) for roll in rolls]


def _number(match: re.Match[str]) -> int:
    """Return the number of a wording, negative where it takes away."""
    first = match[0].casefold().partition(" ")[0]
    number = {"double": 2, "triple": 3}.get(first) or int(match["n"])
    return -number if first in {"subtract", "worsen"} or match.groupdict().get("sign") == "-" else number


def _rerolls(match: re.Match[str], value: str) -> list[Token]:
    text = match[0].casefold().partition(" made ")[0]  # what follows "made for" names no roll
    kinds = {"hit": "reroll_hits", "wound": "reroll_wounds", "damage": "reroll_damage"}
    return [("effect", kind, value) for roll, kind in kinds.items() if f"{roll} roll" in text]


def _critical(match: re.Match[str], _: str) -> list[Token]:
    text = match[0].casefold()
    roll = "critical_wound" if re.search("wound roll|critical wound", text) else "critical_hit"
    face = int(match.groupdict().get("n") or 2)
    return [("effect", roll, f"successful {face}+" if "successful" in text and face > 1 else face)]


def _abilities(match: re.Match[str], _: str) -> list[Token]:
    texts = re.findall(r"\[([^\[\]]{1,60})\]", match["abilities"]) or [match["abilities"]]
    parts = (part.strip(" []") for text in texts for part in re.split(r",| and | or ", text))
    names = (part.removesuffix(" ability").strip() for part in parts)
    try:
        found = [str(each) for name in names if name for each in parse_keywords(name, on_unknown="error")]
    except MathhammerError:
        return []
    chosen = re.search(r"\bor\b", match["abilities"]) is not None
    tokens = ((("choice", name, None), ("effect", "keyword", name)) for name in found)
    return [token for both in tokens for token in both[0 if chosen else 1 :]]


_CHARACTERISTICS = {
    "attack": "attacks",
    "a": "attacks",
    "s": "strength",
    "armour penetration": "ap",
    "d": "damage",
    **dict.fromkeys(("ballistic skill", "bs", "weapon skill", "ws"), "skill"),
    "t": "toughness",
    "sv": "save",
    "w": "wounds",
}


def _characteristic(match: re.Match[str], operation: str) -> list[Token]:
    group, value = match.groupdict(), _number(match)
    whose, of = (group.get("whose") or "").casefold(), group.get("of")
    limits: list[Token] = [] if of or "of" not in group else [("unlimited", None, None)]
    if whose and whose != "its ":
        limits = [("who", "unit" if "unit" in whose else "model", None)]
    elif of:
        found = ((phrase, phrase.match(of.strip(), whole=True)) for phrase in LIMITS)
        known = next((phrase.tokens(inner) for phrase, inner in found if inner), None)
        if known is None:
            return []
        limits = known
    names = filter(None, map(str.strip, re.split(r",| and ", match["chars"].casefold())))
    tokens = []
    # Ballistic and Weapon Skill are one characteristic of a weapon.
    for kind in dict.fromkeys(_CHARACTERISTICS.get(name, name) for name in names):
        done, by = operation, value
        if operation == "add" and value and kind in {"ap", "skill", "save"}:
            done, by = "improve" if value > 0 else "worsen", abs(value)
        tokens.append(("limited", limits, ((kind, done), by)))
    return tokens


def _feel(match: re.Match[str], _: str) -> list[Token]:
    against = [name for name in ("mortal", "psychic") if name in match[0].casefold()]
    value = int(match["n"]), "both" if len(against) > 1 else "".join(against)
    return [("effect", "feel_no_pain", value)]


def _ignored(match: re.Match[str], _: str) -> list[Token]:
    text = match[0].casefold()
    words = {"hit roll": "hit", "wound roll": "wound", "ballistic skill": "skill", "weapon skill": "skill"}
    words |= {"strength": "strength", "attacks char": "attacks", "armour pen": "ap", "damage": "damage"}
    found = {name for word, name in words.items() if word in text}
    if "characteristics of" in text and not found - {"hit", "wound"}:
        found |= {"skill", "strength", "attacks", "ap", "damage"}
    return [("effect", "ignore_modifiers", ",".join(sorted(found)))] if found else []


def _equipped(match: re.Match[str], _: str) -> list[Token]:
    names = weapon_names(match["weapon"])
    either = re.search(r"\bor\b", match["weapon"])
    return [("if", "wargear", each) for each in ([names] if either else zip(names, strict=True))]


_MAKERS: dict[str, Callable[[re.Match[str], str], Sequence[Token]]] = {
    make.__name__.strip("_"): make
    for make in (_rolls, _rerolls, _critical, _abilities, _characteristic, _feel, _ignored, _equipped)
}
EFFECTS, LIMITS, CONDITIONS = map(_phrases, (wordings.EFFECTS, wordings.LIMITS, wordings.CONDITIONS))
