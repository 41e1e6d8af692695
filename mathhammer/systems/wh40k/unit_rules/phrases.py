"""What a wording of an ability says: whom it speaks of, and tokens; compiled when a text first holds its words."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.profiles.keywords import parse_keywords
from mathhammer.systems.wh40k.unit_rules.rule import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ARTICLES = re.compile(r"(?i)^(?:(?:an?|the|other|any|each|every|all|one or more) )+")
_OWNERS = re.compile(r"^(?:an?|its|the|this model's|their|one of its|his|her) ")
_PARTS = dict(line.split(": ", 1) for line in SECTIONS["parts"])


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


#: Parts that have groups of their own: they are matched by themselves, so that each is compiled once.
_SHARED = re.compile("(<(?:WHO|MADE|FOR|ANYONE)>)")
#: What a phrase says: a kind, and values.
Token = tuple[str, Any, Any]


class Matched(NamedTuple):
    """Words that a wording matches, those of its groups, and where they end."""

    text: str
    groups: dict[str, Any]
    end: int

    def subject(self) -> tuple[str, tuple[str, ...]]:
        """Return where a subject is, nothing if none was matched, and the names that limit it."""
        kinds = ("named", "model", "others", "some", "unit", "friends", "picked", "enemy", "that")
        where = next((kind for kind in kinds if self.groups.get(kind)), "")
        names = next(filter(None, map(self.groups.get, ("named", "some", "other", "friend", "army"))), "")
        some = "unit" if self.groups.get("some_own") else "that"
        barred = tuple(f"not {name}" for name in names_of(self.groups.get("but") or ""))
        return some if where == "some" else where, (*names_of(names), *barred)

    def value(self, text: str) -> object:
        """Return a value of a token: words, or what is read of a group; nothing where there is none."""
        group = text.strip("<>?")
        read = _READ.get(group, str.casefold)
        return read(self.groups.get(group) or "") if text.startswith("<") else text or None


class Phrase(NamedTuple):
    """A wording, what it says, and the words without which it does not match."""

    says: str
    wording: str
    needles: tuple[str, ...]
    #: With which it begins, if that is known.
    letters: frozenset[str]

    def match(self, text: str, place: int = 0, *, whole: bool = False) -> Matched | None:
        """Match at a place; case does not matter but for names."""
        end, groups, parts = place, dict[str, Any](), _parts(self.wording)
        for part in parts:
            found = _matched(part, text, end, whole=whole and part == parts[-1])
            if found is None:
                return None
            groups |= {name: said for name, said in found.groupdict().items() if said or name not in groups}
            end = found.end()
        return Matched(text[place:end], groups, end)

    def tokens(self, found: Matched) -> list[Token]:
        """Return the tokens of what was matched."""
        tokens: list[Token] = []
        for step in filter(None, self.says.split(", ")):
            kind, _, rest = step.partition(" ")
            value, _, more = rest.partition("=")
            if make := _MAKERS.get(kind):
                tokens += make(found, rest)
            elif kind in {"who", "whose"} and not rest:
                tokens.append((kind, *found.subject()))
            elif not (rest.endswith("?") and not found.groups.get((more or value).strip("<>?"))):
                tokens.append((kind, found.value(value), found.value(more)))
        return tokens


@cache
def _parts(wording: str) -> tuple[str, ...]:
    return tuple(filter(None, _SHARED.split(wording)))


@lru_cache(maxsize=512)
def _matched(part: str, text: str, place: int, *, whole: bool) -> re.Match[str] | None:
    pattern = _compiled(part)
    return pattern.fullmatch(text, place) if whole else pattern.match(text, place)


@cache
def _compiled(wording: str) -> re.Pattern[str]:
    def whole(text: str) -> str:
        return re.sub(r"<([A-Z]+)>", lambda part: whole(_PARTS[part[1]]), text)

    return re.compile(whole(wording), re.IGNORECASE)


_READ: dict[str, Callable[[str], object]] = {
    **dict.fromkeys(("kw", "but"), names_of),
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


#: A choice of words, or a letter, with which whatever matches begins.
_FIRST = re.compile(r"\(\?:([a-z][^()]*)\)(?![?*{])|([a-z])(?![?*{])")


def _phrases(section: str) -> tuple[Phrase, ...]:
    found, says = [], ""
    for line in SECTIONS[section]:
        if line.startswith("= "):
            continue
        said, _, wording = line.partition(": " if line[0] != " " else "    ")
        says = said or says
        first, needed = _FIRST.match(wording), needles(wording)
        letters = {each[0] for each in (first[1] or first[2]).split("|")} if first and needed else set()
        found.append(Phrase(says.strip("-"), wording, needed, frozenset(letters)))
    return tuple(found)


def _rolls(found: Matched, _: str) -> list[Token]:
    rolls = [roll for roll in ("hit", "wound") if roll in found.groups["rolls"].casefold()]
    return [("effect", roll, _number(found)) for roll in rolls]


def _number(found: Matched) -> int:
    """Return the number of a wording, negative where it takes away."""
    first = found.text.casefold().partition(" ")[0]
    number = {"double": 2, "triple": 3}.get(first) or int(found.groups["n"])
    return -number if first in {"subtract", "worsen"} or found.groups.get("sign") == "-" else number


def _rerolls(found: Matched, value: str) -> list[Token]:
    text = found.text.casefold().partition(" made ")[0]  # what follows "made for" names no roll
    kinds = {"hit": "reroll_hits", "wound": "reroll_wounds", "damage": "reroll_damage"}
    return [("effect", kind, value) for roll, kind in kinds.items() if f"{roll} roll" in text]


def _critical(found: Matched, _: str) -> list[Token]:
    text = found.text.casefold()
    roll = "critical_wound" if re.search("wound roll|critical wound", text) else "critical_hit"
    face = int(found.groups.get("n") or 2)
    return [("effect", roll, f"successful {face}+" if "successful" in text and face > 1 else face)]


def _abilities(found: Matched, _: str) -> list[Token]:
    texts = re.findall(r"\[([^\[\]]{1,60})\]", found.groups["abilities"]) or [found.groups["abilities"]]
    parts = (part.strip(" []") for text in texts for part in re.split(r",| and | or ", text))
    names = (part.removesuffix(" ability").strip() for part in parts)
    try:
        known = [str(each) for name in names if name for each in parse_keywords(name, on_unknown="error")]
    except MathhammerError:
        return []
    chosen = re.search(r"\bor\b", found.groups["abilities"]) is not None
    tokens = ((("choice", name, None), ("effect", "keyword", name)) for name in known)
    return [token for both in tokens for token in both[0 if chosen else 1 :]]


#: Kinds of effects by names of characteristics, nothing for those that are no matter of attacks.
_CHARACTERISTICS = {
    name: kind.strip("-")
    for kind, names in (line.split(": ") for line in SECTIONS["characteristics"])
    for name in names.split(", ")
}


def _characteristic(found: Matched, operation: str) -> list[Token]:
    group, value = found.groups, _number(found)
    whose, limited = (group.get("whose") or "").casefold(), group.get("of")
    limits: list[Token] = [] if limited or "of" not in group else [("unlimited", None, None)]
    if whose and whose != "its ":
        limits = [("who", "unit" if "unit" in whose else "model", None)]
    elif limited:
        matched = ((phrase, phrase.match(limited.strip(), whole=True)) for phrase in LIMITS)
        known = next((phrase.tokens(inner) for phrase, inner in matched if inner), None)
        if known is None:
            return []
        limits = known
    names = map(str.strip, re.split(r",| and |/", found.groups["chars"].casefold()))
    tokens: list[Token] = []
    # Ballistic and Weapon Skill are one characteristic of a weapon.
    for kind in filter(None, dict.fromkeys(_CHARACTERISTICS.get(name, name) for name in names)):
        done, amount = operation, value
        if kind == "ap" and value < -1 and "sign" in group and group["sign"]:
            return []  # an AP of -4, or worse by 4
        if operation == "add" and value and kind in {"ap", "skill", "save"}:
            done, amount = "improve" if value > 0 else "worsen", abs(value)
        tokens.append(("limited", limits, ((kind, done), amount)))
    return tokens or [limit for limit in limits if limit[0] != "unlimited"] or [("kind", "any", None)]


def _feel(found: Matched, _: str) -> list[Token]:
    against = [name for name in ("mortal", "psychic") if name in found.text.casefold()]
    value = int(found.groups["n"]), "both" if len(against) > 1 else "".join(against)
    return [("effect", "feel_no_pain", value)]


def _ignored(found: Matched, _: str) -> list[Token]:
    text, words = found.text.casefold(), (line.split(": ") for line in SECTIONS["ignored"])
    kinds = {kind for kind, word in words if re.search(word, text)}
    if "characteristics of" in text and not kinds - {"hit", "wound"}:
        kinds |= {"skill", "strength", "attacks", "ap", "damage"}
    return [("effect", "ignore_modifiers", ",".join(sorted(kinds)))] if kinds else []


def _equipped(found: Matched, _: str) -> list[Token]:
    names = weapon_names(found.groups["weapon"])
    either = re.search(r"\bor\b", found.groups["weapon"])
    return [("if", "wargear", each) for each in ([names] if either else zip(names, strict=True))]


_MAKERS: dict[str, Callable[[Matched, str], Sequence[Token]]] = {
    make.__name__.strip("_"): make
    for make in (_rolls, _rerolls, _critical, _abilities, _characteristic, _feel, _ignored, _equipped)
}
EFFECTS, LIMITS, CONDITIONS = map(_phrases, ("effects", "limits", "conditions"))
