"""Stat lines of weapons and targets, both ways."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from mathhammer import validation
from mathhammer.errors import MathhammerError, ParseError
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.keywords import automatic_hits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from mathhammer.modifiers import Operation
    from mathhammer.systems.wh40k.editions import Rulebook
    from mathhammer.systems.wh40k.profiles.incoming import Incoming
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon


_DICE = r"[0-9dD][0-9dD+\-×]*"
_WEAPON_FIELDS = (
    ("range", re.compile(r"(?:range\s*)?(\d{1,9})\s*(?:\"|”|″|'')", re.IGNORECASE)),
    ("ap", re.compile(r"AP\s*([-−–]?\d{1,9})", re.IGNORECASE)),
    ("attacks", re.compile(rf"A\s*({_DICE})", re.IGNORECASE)),
    ("bs", re.compile(r"BS\s*(\d\+?|N/A|-)", re.IGNORECASE)),
    ("ws", re.compile(r"WS\s*(\d\+?|N/A|-)", re.IGNORECASE)),
    ("strength", re.compile(rf"S\s*({_DICE})", re.IGNORECASE)),
    # D3+1: no label with a number behind it, but dice.
    ("damage", re.compile(rf"(D[36][+\-×]{_DICE})", re.IGNORECASE)),
    ("damage", re.compile(rf"D(?!\d+[+\-×])({_DICE})", re.IGNORECASE)),
    ("damage", re.compile(rf"D(?:amage\s*|\s+)(?!\d+[+\-×][\d+\-×]*(?:[\s,;]|$))({_DICE})", re.IGNORECASE)),
    ("melee", re.compile(r"melee", re.IGNORECASE)),
)
_SEPARATORS = " \t,;"
_EXPECTED = 'A2, BS3+ or WS3+, S4, AP-1, D1, a range such as 24", or [KEYWORDS]'
_LABELS = {"attacks": "A", "strength": "S", "ap": "AP", "damage": "D"}


def parse_weapon(text: str) -> dict[str, str]:
    """Return the constructor's arguments of the weapon that a stat line describes."""
    end = text.rfind("[")
    colon = text.rfind(":", 0, end if end >= 0 else len(text))
    if colon < 0:
        end, colon = -1, text.rfind(":")
    name = text[: max(colon, 0)]
    if not name.strip():
        raise ParseError("expected a weapon's name and ':' before its stat line", text, max(colon, 0))
    if count := validation.counted(name):
        raise ParseError(
            "expected the stat line of one weapon, without a number of them; Volley(Weapon.parse(...), "
            f"{count}) is so many",
            text,
            0,
        )
    found: dict[str, str] = {}
    for field, match in scanned(text, colon + 1, len(text) if end < 0 else end, _WEAPON_FIELDS, _EXPECTED):
        if match[0].upper() == "D6":
            raise ParseError("expected DD6 for a die, or Damage 6 for the number", text, match.start())
        if field in found:
            raise ParseError(f"expected {field} once", text, match.start())
        found[field] = match[1] if match.re.groups else match[0]
    return _arguments(name.strip(), found, bracketed(text, end), text)


def scanned(
    text: str, start: int, stop: int, patterns: Sequence[tuple[str, re.Pattern[str]]], expected: str
) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield each field between two positions with its match; `expected` says what fields there are."""
    position = start
    while position < stop:
        if text[position] in _SEPARATORS:
            position += 1
            continue
        for field, pattern in patterns:
            match = pattern.match(text, position, stop)
            if match and (match.end() == stop or text[match.end()] in _SEPARATORS):
                yield field, match
                position = match.end()
                break
        else:
            hint = expected if text[:position].strip() else f"{expected}; a name before them needs ':'"
            raise ParseError(f"expected one of {hint}", text, position)


def bracketed(text: str, opening: int) -> str:
    """Return the keywords in brackets at the end of a stat line, none where no bracket opens."""
    if opening < 0:
        return ""
    closing = text.find("]", opening)
    if closing < 0:
        raise ParseError("expected ']' at the end of the keywords", text, len(text))
    if text[closing + 1 :].strip():
        raise ParseError("expected nothing after ']': the keywords stand last", text, closing + 1)
    return text[opening + 1 : closing]


def _arguments(name: str, found: dict[str, str], keywords: str, text: str) -> dict[str, str]:
    missing = [label for field, label in _LABELS.items() if field not in found]
    if "bs" in found and "ws" in found:
        raise MathhammerError(
            f"expected BS for a ranged weapon or WS for a melee weapon, got both in {text!r}"
        )
    torrent = any(name.lower() in keywords.lower() for name in automatic_hits())
    if "bs" not in found and "ws" not in found and not torrent:
        missing.append("BS or WS")
    if missing:
        raise ParseError(f"expected also {', '.join(missing)}", text, len(text))
    melee = "ws" in found or "melee" in found
    if melee and "range" in found:
        raise MathhammerError(f"expected no range on a melee weapon, got one in {text!r}")
    return {
        "name": name,
        "range": "Melee" if melee else f'{found["range"]}"' if "range" in found else "",
        "attacks": found["attacks"],
        "skill": found.get("bs") or found.get("ws") or "N/A",
        "strength": found["strength"],
        "ap": found["ap"],
        "damage": found["damage"],
        "keywords": keywords,
    }


def print_weapon(weapon: Weapon) -> str:
    """Return the stat line that :func:`parse_weapon` reads back."""
    reach = "" if weapon.melee or not weapon.range else f"{weapon.range} "
    skill = "N/A" if weapon.skill is None else f"{weapon.skill}+"
    keywords = ", ".join(str(keyword).upper() for keyword in weapon.keywords)
    # "D6" is refused, and "D3+D6" would be read as dice throughout.
    label = "Damage " if re.match(r"6$|\d+[+\-×]", str(weapon.damage)) else "D"
    return (
        f"{weapon.name}: {reach}A{weapon.attacks} {'WS' if weapon.melee else 'BS'}{skill} S{weapon.strength} "
        f"AP{weapon.ap} {label}{weapon.damage}" + (f" [{keywords}]" if keywords else "")
    )


_FIELDS = (
    ("toughness", re.compile(r"T\s*(\d{1,9})", re.IGNORECASE)),
    ("save", re.compile(r"Sv\s*(\d\+?|-)", re.IGNORECASE)),
    ("invulnerable", re.compile(r"(?:InSv|Inv)\s*(\d\+?(?:\s+(?:ranged|melee)\b)?)", re.IGNORECASE)),
    ("invulnerable", re.compile(r"(\d)\+\+")),
    ("wounds", re.compile(r"W\s*(\d{1,9})", re.IGNORECASE)),
    ("models", re.compile(r"(\d{1,9})\s*(?:x|×|models?\b)", re.IGNORECASE)),
    ("models", re.compile(r"[x×]\s*(\d{1,9})", re.IGNORECASE)),
    ("feel_no_pain_mortal", re.compile(r"FNP\s*(\d\+?)\s+mortal\b", re.IGNORECASE)),
    ("feel_no_pain_psychic", re.compile(r"FNP\s*(\d\+?)\s+psychic\b", re.IGNORECASE)),
    ("feel_no_pain", re.compile(r"FNP\s*(\d\+?)(?!\s+(?:mortal|psychic)\b)", re.IGNORECASE)),
    ("damage_reduction", re.compile(r"[-−](\d)\s*D(?:amage)?\b", re.IGNORECASE)),
    (
        "incoming",
        re.compile(
            r"([-+−]\d\s+to\s+(?:hit|wound|strength|damage)(?:\s+(?:ranged|melee)\b)?(?:\s+if\s+S\s*>\s*T\b)?)",
            re.IGNORECASE,
        ),
    ),
    ("incoming", re.compile(r"(AP\s+(?:worse|better)\s+by\s+\d(?:\s+(?:ranged|melee)\b)?)", re.IGNORECASE)),
    ("damage_1_save_bonus", re.compile(r"\+(\d)\s*Sv\s+against\s+D1\b", re.IGNORECASE)),
    ("deadly_demise", re.compile(r"Deadly\s+Demise\s+([\dD+]+)", re.IGNORECASE)),
    ("wounds_lost", re.compile(r"(\d{1,9})\s+lost\b", re.IGNORECASE)),
    ("points", re.compile(r"(\d{1,9})\s*(?:pts|points)\b", re.IGNORECASE)),
)
_NUMBERS = (
    *("toughness", "wounds", "models", "damage_reduction", "points"),
    *("damage_1_save_bonus", "wounds_lost"),
)


def target_arguments(text: str) -> dict[str, Any]:
    """Return the arguments of the target that a stat line says."""
    validation.typed(text, "stat line", "such as 'Marines: 5x T4 Sv3+ W2'")
    opening = text.find("[")
    stop = len(text) if opening < 0 else opening
    colon = text.rfind(":", 0, stop)
    values = _fields(text, colon + 1, stop)
    missing = [
        label for field, label in (("toughness", "T"), ("save", "Sv"), ("wounds", "W")) if field not in values
    ]
    if missing:
        raise ParseError(f"expected also {', '.join(missing)}", text, stop)
    name = text[: max(colon, 0)].strip()
    if "models" not in values and (count := validation.counted(name)):
        raise ParseError(
            f"expected the number of models behind the name, as in 'Marines: {count}x T4'", text, 0
        )
    return {"name": name or "Target", **values, "keywords": bracketed(text, opening)}


def _fields(text: str, start: int, stop: int) -> dict[str, Any]:
    """Return the constructor's arguments of the fields between two positions."""
    values: dict[str, Any] = {}
    flags = _flags(rulebook())
    patterns = (*_FIELDS, *((name, pattern) for name, (pattern, _) in flags.items()))
    for field, match in scanned(
        text, start, stop, patterns, "T4, Sv3+, InSv4+, W2, 10x, FNP5+, -1D or [KEYWORDS]"
    ):
        if field == "incoming":
            values[field] = (*values.get(field, ()), _incoming(match[1]))
        elif field == "invulnerable":  # a model may have several, of which the best that applies is used
            values[field] = (*values.get(field, ()), match[1])
        elif field in values:
            raise ParseError(f"expected {field.replace('_', ' ')} once", text, match.start())
        else:
            values[field] = int(match[1]) if field in _NUMBERS else field in flags or match[1]
    return values


def continues(line: str, part: str) -> bool:
    """Whether a text behind a comma goes on with the stat line before it, which says its Toughness once."""
    if part.startswith("["):
        return True
    toughness = _FIELDS[0][1]
    patterns = [
        *(pattern for _, pattern in _FIELDS),
        *(pattern for pattern, _ in _flags(rulebook()).values()),
    ]
    known = ":" not in part.partition("[")[0] and any(pattern.match(part) for pattern in patterns)
    return known and not (toughness.match(part) and any(map(toughness.match, line.split())))


@lru_cache(maxsize=4)
def _flags(known: Rulebook) -> dict[str, tuple[re.Pattern[str], str]]:
    """Return how each rule is read and printed that a target has or has not."""
    return {
        name: (re.compile(r"[-\s]+".join(map(re.escape, rule.printed.split())), re.IGNORECASE), rule.printed)
        for name, rule in known.target_rules.items()
        if rule.printed
    }


_INCOMING = re.compile(
    r"(?:(?P<sign>[-+−])(?P<n>\d)\s+to\s+(?P<roll>hit|wound|strength|damage)|AP\s+(?P<how>worse|better)\s+by\s+(?P<ap>\d))"
    r"(?:\s+(?P<kind>ranged|melee))?(?P<stronger>\s+if\b.*)?",
    re.IGNORECASE,
)


def _incoming(text: str) -> Incoming:
    """Read a modifier of attacks against the target: ``-1 to wound melee``, ``AP worse by 1``."""
    from mathhammer.systems.wh40k.profiles.incoming import Incoming

    match = _INCOMING.fullmatch(text)
    if match is None:  # unreachable: the field's own pattern has matched
        raise ParseError("expected a modifier of attacks such as '-1 to wound'", text, 0)
    how: Operation
    if match["ap"]:
        how = "worsen" if match["how"].lower() == "worse" else "improve"
        modifier = Modifier(how, int(match["ap"]), "target", of="ap")
    else:
        how = "add" if match["sign"] == "+" else "subtract"
        modifier = Modifier(how, int(match["n"]), "target", of=match["roll"].lower())
    kind = cast('Literal["any", "ranged", "melee"]', (match["kind"] or "any").lower())
    return Incoming(modifier, kind, if_stronger=bool(match["stronger"]))


def _print_incoming(incoming: Incoming) -> str:
    modifier = incoming.modifier
    value = modifier.value if modifier.operation in {"add", "improve"} else -modifier.value
    text = f"{value:+d} to {modifier.of}"
    if modifier.of == "ap":
        text = f"AP {'worse' if value < 0 else 'better'} by {abs(value)}"
    kind = "" if incoming.attacks == "any" else f" {incoming.attacks}"
    return f"{text}{kind}{' if S>T' if incoming.if_stronger else ''}"


def print_target(target: Target) -> str:
    """Return the stat line that :meth:`Target.parse` reads back."""
    saves = [f"InSv{roll}+ {against}" if against else f"InSv{roll}+" for roll, against in target.invulnerable]
    optional = (
        (target.feel_no_pain, "FNP{}+"),
        (target.feel_no_pain_mortal, "FNP{}+ mortal"),
        (target.feel_no_pain_psychic, "FNP{}+ psychic"),
        (target.damage_reduction or None, "-{}D"),
        *((getattr(target, name) or None, text) for name, (_, text) in _flags(rulebook()).items()),
        *((_print_incoming(each), "{}") for each in target.incoming),
        (target.damage_1_save_bonus or None, "+{}Sv against D1"),
        (target.wounds_lost or None, "{} lost"),
        (target.deadly_demise, "Deadly Demise {}"),
        (target.points, "{}pts"),
        (_print_keywords(target.keywords), "[{}]"),
    )
    parts = [
        *(f"{target.models}x", f"T{target.toughness}"),
        "Sv-" if target.save is None else f"Sv{target.save}+",
        *saves,
        f"W{target.wounds}",
        *(text.format(value) for value, text in optional if value is not None),
    ]
    return f"{target.name}: {' '.join(parts)}"


def _print_keywords(keywords: tuple[str, ...]) -> str | None:
    # A keyword of several words alone would read back as as many keywords, were it not for a comma.
    return ", ".join(keywords) + "," * (len(keywords) == 1 and " " in keywords[0]) or None
