"""Stat lines of weapons and targets, both ways: a row says how a field is read, and for targets how it is printed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

from mathhammer import validation
from mathhammer.errors import MathhammerError, ParseError
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.keywords import automatic_hits
from mathhammer.systems.wh40k.profiles.triggers import Incoming

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mathhammer.fields.kinds import Field
    from mathhammer.systems.wh40k.editions import Rulebook
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon

    #: The field, how it is read, and how it is printed; nothing where another row prints it.
    Row = tuple[str, re.Pattern[str], str]

_SEPARATORS = " \t,;"
#: Fields of which a line may say several.
_SEVERAL = {"invulnerable", "incoming"}


def _rows(*rows: tuple[str, ...]) -> tuple[Row, ...]:
    return tuple((row[0], re.compile(row[1], re.IGNORECASE), "".join(row[2:])) for row in rows)


_DICE = r"[0-9dD][0-9dD+\-×]*"
_WEAPON = _rows(
    ("range", r"(?:range\s*)?(\d{1,9})\s*(?:\"|”|″|'')"),
    ("ap", r"AP\s*([-−–]?\d{1,9})"),
    ("attacks", rf"A\s*({_DICE})"),
    ("bs", r"BS\s*(\d\+?|N/A|-)"),
    ("ws", r"WS\s*(\d\+?|N/A|-)"),
    ("strength", rf"S\s*({_DICE})"),
    ("damage", rf"(D[36][+\-×]{_DICE})"),  # D3+1: no label with a number behind it, but dice
    ("damage", rf"D(?!\d+[+\-×])({_DICE})"),
    ("damage", rf"D(?:amage\s*|\s+)(?!\d+[+\-×][\d+\-×]*(?:[\s,;]|$))({_DICE})"),
    ("melee", r"melee"),
)
_OF = r"(?:\s+(?:ranged|melee)\b)?"
_TARGET = _rows(
    ("models", r"(\d{1,9})\s*(?:x|×|models?\b)", "{}x"),
    ("models", r"[x×]\s*(\d{1,9})"),
    ("toughness", r"T\s*(\d{1,9})", "T{}"),
    ("save", r"Sv\s*(\d\+?|-)", "Sv{}"),
    ("invulnerable", rf"(?:InSv|Inv)\s*(\d\+?{_OF})", "InSv{}"),
    ("invulnerable", r"(\d)\+\+"),
    ("wounds", r"W\s*(\d{1,9})", "W{}"),
    ("feel_no_pain", r"FNP\s*(\d\+?)(?!\s+(?:mortal|psychic)\b)", "FNP{}+"),
    ("feel_no_pain_mortal", r"FNP\s*(\d\+?)\s+mortal\b", "FNP{}+ mortal"),
    ("feel_no_pain_psychic", r"FNP\s*(\d\+?)\s+psychic\b", "FNP{}+ psychic"),
    ("damage_reduction", r"[-−](\d)\s*D(?:amage)?\b", "-{}D"),
)
#: Behind the rules that a target has or has not.
_BEHIND = _rows(
    ("incoming", rf"([-+−]\d\s+to\s+(?:hit|wound|strength|damage){_OF}(?:\s+if\s+S\s*>\s*T\b)?)", "{}"),
    ("incoming", rf"(AP\s+(?:worse|better)\s+by\s+\d{_OF})"),
    ("damage_1_save_bonus", r"\+(\d)\s*Sv\s+against\s+D1\b", "+{}Sv against D1"),
    ("wounds_lost", r"(\d{1,9})\s+lost\b", "{} lost"),
    ("deadly_demise", r"Deadly\s+Demise\s+([\dD+]+)", "Deadly Demise {}"),
    ("points", r"(\d{1,9})\s*(?:pts|points)\b", "{}pts"),
)


@lru_cache(maxsize=4)
def _of_target(known: Rulebook) -> tuple[Row, ...]:
    """Return the rows of a target with the rules that it has or has not."""
    flags = [
        (name, r"[-\s]+".join(map(re.escape, rule.printed.split())), rule.printed)
        for name, rule in known.target_rules.items()
        if rule.printed
    ]
    return (*_TARGET, *_rows(*flags), *_BEHIND)


def parse_weapon(text: str) -> dict[str, str]:
    """Return the constructor's arguments of the weapon that a stat line describes."""
    end = text.rfind("[")
    colon = text.rfind(":", 0, end if end >= 0 else len(text))
    if colon < 0:
        end, colon = -1, text.rfind(":")
    name = text[: max(colon, 0)].strip()
    if not name:
        raise ParseError("expected a weapon's name and ':' before its stat line", text, max(colon, 0))
    if count := validation.counted(name):
        raise ParseError(
            "expected the stat line of one weapon, without a number of them; Volley(Weapon.parse(...), "
            f"{count}) is so many",
            text,
            0,
        )
    found = _scanned(
        text,
        colon + 1,
        len(text) if end < 0 else end,
        _WEAPON,
        'A2, BS3+ or WS3+, S4, AP-1, D1, a range such as 24", or [KEYWORDS]',
    )
    keywords = _bracketed(text, end)
    labels = {"attacks": "A", "strength": "S", "ap": "AP", "damage": "D"}
    missing = [label for field, label in labels.items() if field not in found]
    if "bs" in found and "ws" in found:
        raise MathhammerError(
            f"expected BS for a ranged weapon or WS for a melee weapon, got both in {text!r}"
        )
    skill = found.pop("bs", None) or found.get("ws")
    if skill is None and not any(name.lower() in keywords.lower() for name in automatic_hits()):
        missing.append("BS or WS")
    if missing:
        raise ParseError(f"expected also {', '.join(missing)}", text, len(text))
    melee = found.pop("ws", None) or found.pop("melee", None)
    if melee and "range" in found:
        raise MathhammerError(f"expected no range on a melee weapon, got one in {text!r}")
    reach = "Melee" if melee else f'{found["range"]}"' if "range" in found else ""
    found.pop("melee", None)
    return {**found, "name": name, "range": reach, "skill": skill or "N/A", "keywords": keywords}


def _scanned(text: str, start: int, stop: int, rows: Sequence[Row], expected: str) -> dict[str, Any]:
    """Return what a text says of each field between two positions; `expected` says what fields there are."""
    found: dict[str, Any] = {}
    position = start
    while position < stop:
        if text[position] in _SEPARATORS:
            position += 1
            continue
        matches = ((name, pattern.match(text, position, stop)) for name, pattern, _ in rows)
        ends = (each for each in matches if each[1] and text[each[1].end() : stop][:1] in {"", *_SEPARATORS})
        field, match = next(ends, ("", None))
        if match is None:
            hint = expected if text[:position].strip() else f"{expected}; a name before them needs ':'"
            raise ParseError(f"expected one of {hint}", text, position)
        if match[0].upper() == "D6":
            raise ParseError("expected DD6 for a die, or Damage 6 for the number", text, position)
        if field in found and field not in _SEVERAL:
            raise ParseError(f"expected {field.replace('_', ' ')} once", text, position)
        value = match[1] if match.re.groups else True
        found[field] = (*found.get(field, ()), value) if field in _SEVERAL else value
        position = match.end()
    return found


def _bracketed(text: str, opening: int) -> str:
    """Return the keywords in brackets at the end of a stat line, none where no bracket opens."""
    if opening < 0:
        return ""
    closing = text.find("]", opening)
    if closing < 0:
        raise ParseError("expected ']' at the end of the keywords", text, len(text))
    if text[closing + 1 :].strip():
        raise ParseError("expected nothing after ']': the keywords stand last", text, closing + 1)
    return text[opening + 1 : closing]


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


def target_arguments(text: str, fields: dict[str, Field[Any, Any]]) -> dict[str, Any]:
    """Return the arguments of the target that a stat line says."""
    validation.typed(text, "stat line", "such as 'Marines: 5x T4 Sv3+ W2'")
    opening = text.find("[")
    stop = len(text) if opening < 0 else opening
    colon = text.rfind(":", 0, stop)
    expected = "T4, Sv3+, InSv4+, W2, 10x, FNP5+, -1D or [KEYWORDS]"
    found = _scanned(text, colon + 1, stop, _of_target(rulebook()), expected)
    said = {
        name: fields[name].typed(value) if isinstance(value, str) else value for name, value in found.items()
    }
    missing = [
        label for field, label in (("toughness", "T"), ("save", "Sv"), ("wounds", "W")) if field not in said
    ]
    if missing:
        raise ParseError(f"expected also {', '.join(missing)}", text, stop)
    name = text[: max(colon, 0)].strip()
    if "models" not in said and (count := validation.counted(name)):
        raise ParseError(
            f"expected the number of models behind the name, as in 'Marines: {count}x T4'", text, 0
        )
    if "incoming" in said:
        said["incoming"] = tuple(map(_incoming, said["incoming"]))
    return {"name": name or "Target", **said, "keywords": _bracketed(text, opening)}


def continues(line: str, part: str) -> bool:
    """Whether a text behind a comma goes on with the stat line before it, which says its Toughness once."""
    if part.startswith("["):
        return True
    known = ":" not in part.partition("[")[0] and any(row[1].match(part) for row in _of_target(rulebook()))
    (toughness,) = (pattern.match for name, pattern, _ in _TARGET if name == "toughness")
    return known and not (toughness(part) and any(map(toughness, line.split())))


_INCOMING = re.compile(
    r"(?:(?P<sign>[-+−])(?P<n>\d)\s+to\s+(?P<roll>\w+)|AP\s+(?P<how>worse|better)\s+by\s+(?P<ap>\d))"
    r"(?:\s+(?P<kind>ranged|melee))?(?P<stronger>\s+if\b.*)?",
    re.IGNORECASE,
)


def _incoming(text: str) -> Incoming:
    """Read a modifier of attacks against the target: ``-1 to wound melee``, ``AP worse by 1``."""
    match = cast("re.Match[str]", _INCOMING.fullmatch(text))  # the row has matched
    if match["ap"]:
        worse = match["how"].lower() == "worse"
        modifier = Modifier("worsen" if worse else "improve", int(match["ap"]), "target", of="ap")
    else:
        more = match["sign"] == "+"
        modifier = Modifier(
            "add" if more else "subtract", int(match["n"]), "target", of=match["roll"].lower()
        )
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
    several: dict[str, Iterable[object]] = {
        "save": ["-" if target.save is None else f"{target.save}+"],
        "invulnerable": [f"{roll}+ {against or ''}".strip() for roll, against in target.invulnerable],
        "incoming": map(_print_incoming, target.incoming),
    }
    items = [
        form.format(value)
        for name, _, form in _of_target(rulebook())
        if form
        for value in several.get(name, [getattr(target, name)])
        if value or (name == "points" and value is not None)
    ]
    if target.keywords:
        # A keyword of several words alone would read back as as many keywords, were it not for a comma.
        comma = "," * (len(target.keywords) == 1 and " " in target.keywords[0])
        items.append(f"[{', '.join(target.keywords)}{comma}]")
    return f"{target.name}: {' '.join(items)}"
