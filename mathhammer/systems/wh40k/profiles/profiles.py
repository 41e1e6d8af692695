"""Weapons and targets of Warhammer 40,000 as frozen profiles, with their stat lines both ways."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

from mathhammer import validation
from mathhammer.errors import MathhammerError, ParseError
from mathhammer.expressions import Expression
from mathhammer.expressions.base import as_expression
from mathhammer.fields.kinds import NULLS, Boolean, Checked, Enough, Field, Integer, MaybeInteger, enough
from mathhammer.fields.profile import Record
from mathhammer.systems.wh40k.editions import Rulebook, rulebook
from mathhammer.systems.wh40k.profiles.keywords import Keyword, automatic_hits, parse_keywords, split_keywords
from mathhammer.systems.wh40k.profiles.triggers import INCOMING, Incoming, read_incoming, rolled
from mathhammer.validation import shown

if TYPE_CHECKING:
    #: The field, how it is read, and how it is printed; nothing where another row prints it.
    Row = tuple[str, re.Pattern[str], str]

#: Most that attacks, strength or damage may be: no datasheet comes near, and a hostile one stays harmless; and points.
MAXIMUM_CHARACTERISTIC, MAXIMUM_POINTS = 1_000, 1_000_000
#: Faces of dice that list builders write where they add to what a datasheet prints.
UNREAL_DICE = {"D4": "D3+1", "D7": "D6+1"}
_DIE = re.compile(r"D(\d{1,9})", re.IGNORECASE)


def _name(value: str) -> str:
    if not validation.text(value, "a name").strip():
        raise MathhammerError(f"expected a name of one printable line, got {shown(value)}")
    return value


def _range(value: str) -> str:
    text = value.strip().strip('"”″').strip() if isinstance(value, str) else None
    if text is not None and text.isdecimal() and len(text) <= 3:
        return f'{text}"'
    if text is None or text.lower() not in {"melee", *NULLS}:
        raise MathhammerError(f"expected a range such as '24\"' or 'Melee', got {shown(value)}")
    return "" if text.lower() in NULLS else "Melee"


def _armour_penetration(value: int | str) -> int:
    if isinstance(value, str):
        text = value.strip().replace("−", "-").replace("–", "-")
        if not re.fullmatch(r"-|[-+]?\d{1,2}", text):
            raise MathhammerError(f"expected an Armour Penetration such as '-1' or '0', got {shown(value)}")
        value = 0 if text == "-" else int(text)
    return -abs(validation.whole(value, "Armour Penetration, such as -1 or 0", -99, 99))


def _invulnerable(given: object) -> tuple[tuple[int, str | None], ...]:
    """Read one invulnerable save or several; pairs are saves already read."""
    several = given.split(",") if isinstance(given, str) else given
    found = []
    for each in several if isinstance(several, tuple | list) else [several]:
        value, against = each if isinstance(each, tuple) and len(each) == 2 else (each, None)
        text = value.strip().lower() if isinstance(value, str) else ""
        for kind in ("ranged", "melee"):
            if text.endswith(kind):
                against, value = kind, text.removesuffix(kind)
        if (roll := enough(value, "invulnerable", 2, 6)) is not None:
            found.append((roll, against))
    return tuple(found)


def _characteristic(
    name: str, value: int | str | Expression, least: int = 1 - MAXIMUM_CHARACTERISTIC
) -> Expression:
    # A game without other dice than D6 and half of one (10th edition core rules, "Dice").
    if isinstance(value, str) and any(int(faces) not in {3, 6} for faces in _DIE.findall(value)):
        real = UNREAL_DICE.get(value.strip().upper())
        hint = f"; list builders write {value.strip().upper()} for {real}" if real else ""
        raise MathhammerError(f"expected {name} of D3 and D6, the dice of the game, got {shown(value)}{hint}")
    # Dice such as D6-1 may fall below 1; the rules then raise the finished value to 1.
    return rolled(name, value, least=least, most=MAXIMUM_CHARACTERISTIC)


class RolledNumber(Field[Expression, int | str | Expression]):
    """A characteristic that may be dice."""

    accepts = "int | str | Expression"

    def read(self, value: Any) -> Expression:
        """Return the expression."""
        if type(value) is int and 0 < value <= MAXIMUM_CHARACTERISTIC:
            return as_expression(value)
        return _characteristic(self.name, value)


class Abilities(Field[tuple[Keyword, ...], str | Iterable[str | Keyword]]):
    """Abilities of a weapon, as text or read before."""

    accepts = "str | Iterable[str | Keyword]"
    usual = ()

    def read(self, value: Any) -> tuple[Keyword, ...]:
        """Return the keywords."""
        if isinstance(value, str):
            return parse_keywords(value)
        if not validation.is_several(value):
            expected = "the text of weapon abilities, or several of them"
            raise MathhammerError(f"expected {expected}, got {shown(value)}")
        given = validation.items(value, (str, Keyword), "a weapon ability")
        read = (parse_keywords(each) if isinstance(each, str) else (each,) for each in given)
        return tuple(chain.from_iterable(read))

    def argument(self, value: Any) -> str | tuple[Keyword, ...]:
        """Return the datasheet's text, where it reads back."""
        text = ", ".join(map(str, value))
        try:
            return text if parse_keywords(text) == value else tuple(value)
        except MathhammerError:  # an ability that the core rules do not know
            return tuple(value)


def _unit_keywords(value: str | Iterable[str]) -> tuple[str, ...]:
    if isinstance(value, str):
        return split_keywords(value)
    expected = "the text of the unit's keywords, or several of them"
    return tuple(
        [validation.text(each, "a keyword") for each in validation.items(value, str, expected) if each]
    )


# Stat lines: a row says how a field is read, and of a target how it is printed.
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
_TOUGHNESS = "toughness", r"T\s*(\d{1,9})", "T{}"
_TARGET = _rows(
    ("models", r"(\d{1,9})\s*(?:x|×|models?\b)", "{}x"),
    ("models", r"[x×]\s*(\d{1,9})"),
    _TOUGHNESS,
    ("save", r"Sv\s*(\d\+?|-)", "Sv{}"),
    ("invulnerable", r"(?:InSv|Inv)\s*(\d\+?(?:\s+(?:ranged|melee)\b)?)", "InSv{}"),
    ("invulnerable", r"(\d)\+\+"),
    ("wounds", r"W\s*(\d{1,9})", "W{}"),
    ("feel_no_pain", r"FNP\s*(\d\+?)(?!\s+(?:mortal|psychic)\b)", "FNP{}+"),
    ("feel_no_pain_mortal", r"FNP\s*(\d\+?)\s+mortal\b", "FNP{}+ mortal"),
    ("feel_no_pain_psychic", r"FNP\s*(\d\+?)\s+psychic\b", "FNP{}+ psychic"),
    ("damage_reduction", r"[-−](\d)\s*D(?:amage)?\b", "-{}D"),
)
#: Behind the rules that a target has or has not.
_BEHIND = _rows(
    ("incoming", f"({INCOMING})", "{}"),
    ("damage_1_save_bonus", r"\+(\d)\s*Sv\s+against\s+D1\b", "+{}Sv against D1"),
    ("wounds_lost", r"(\d{1,9})\s+lost\b", "{} lost"),
    ("deadly_demise", r"Deadly\s+Demise\s+([\dD+]+)", "Deadly Demise {}"),
    ("points", r"(\d{1,9})\s*(?:pts|points)\b", "{}pts"),
)
#: Fields of which a line may say several.
_SEVERAL = {"invulnerable", "incoming"}
_SEPARATORS = " \t,;"


@lru_cache(maxsize=4)
def _of_target(known: Rulebook) -> tuple[Row, ...]:
    """Return the rows of a target with the rules that it has or has not."""
    printed = {name: rule.printed for name, rule in known.target_rules.items() if rule.printed}
    flags = [(name, r"[-\s]+".join(map(re.escape, said.split())), said) for name, said in printed.items()]
    return (*_TARGET, *_rows(*flags), *_BEHIND)


def _scanned(text: str, rows: Sequence[Row], expected: str) -> dict[str, Any]:
    """Return what a stat line says of each field; `expected` says which there are."""
    opening = text.find("[")
    colon = text.rfind(":", 0, opening if opening >= 0 else len(text))
    if opening >= 0 > colon:  # perhaps brackets in the name
        colon = text.rfind(":")
        opening = -1 if colon >= 0 else opening
    stop = opening if opening >= 0 else len(text)
    found: dict[str, Any] = {"name": text[: max(colon, 0)].strip(), "keywords": ""}
    position = colon + 1
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
    if opening >= 0:
        closing = text.find("]", opening)
        if closing < 0:
            raise ParseError("expected ']' at the end of the keywords", text, len(text))
        if text[closing + 1 :].strip():
            raise ParseError("expected nothing after ']': the keywords stand last", text, closing + 1)
        found["keywords"] = text[opening + 1 : closing]
    return found


def continues(line: str, part: str) -> bool:
    """Whether a text behind a comma goes on with the stat line before it, which says its Toughness once."""
    if part.startswith("["):
        return True
    known = ":" not in part.partition("[")[0] and any(row[1].match(part) for row in _of_target(rulebook()))
    ((_, toughness, _),) = _rows(_TOUGHNESS)
    return known and not (toughness.match(part) and any(map(toughness.match, line.split())))


class Weapon(Record):
    """A weapon profile.

    Examples
    --------
    >>> lascannon = Weapon(
    ...     "Lascannon", range='48"', attacks=1, skill="3+", strength=12, ap=-3, damage="D6+1", keywords="Heavy"
    ... )
    >>> print(lascannon)
    Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1 [HEAVY]
    """

    name: Checked[str, str] = Checked(_name, "Any text.", kw_only=False)
    range: Checked[str, str] = Checked(_range, """``'24"'``, or ``"Melee"`` for a melee weapon.""")
    attacks: RolledNumber = RolledNumber(
        'A number, or dice as text or expression: ``"D6+1"``, rolled anew for each weapon.'
    )
    skill: Enough = Enough(
        'Ballistic or Weapon Skill: ``"3+"``, ``3``; ``None`` or ``"N/A"`` for a weapon with Torrent.',
        least=2,
        most=6,
    )
    strength: RolledNumber = RolledNumber("The same as of attacks, rolled anew for each wound roll.")
    ap: Checked[int, int | str] = Checked(
        _armour_penetration,
        "Armour Penetration, 0 or less. A positive number is read as a depth: ``1`` is AP-1.",
    )
    damage: RolledNumber = RolledNumber("The same as of attacks, rolled anew for each unsaved wound.")
    keywords: Abilities = Abilities("The datasheet's text of weapon abilities, or keywords already read.")

    def _check(self) -> None:
        if self.skill is None and not any(map(self.has, automatic_hits())):
            why = "got None; only a weapon with Torrent has none"
            raise MathhammerError(f"expected a skill such as '3+' for {self.name!r}, {why}")

    @property
    def melee(self) -> bool:
        """True if it is a melee weapon."""
        return self.range == "Melee"

    def has(self, name: str) -> bool:
        """True if it has the ability of that name."""
        return any(keyword.name == name for keyword in self.keywords)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a stat line such as ``"Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]"``.

        ``BS`` makes it ranged and ``WS`` melee; a range in inches may stand before or after the attacks. ``D3``
        is Damage 3, and ``DD3`` and ``DD6`` are dice; ``D6`` alone is refused.
        """
        expected = 'A2, BS3+ or WS3+, S4, AP-1, D1, a range such as 24", or [KEYWORDS]'
        found = _scanned(validation.typed(text, "stat line"), _WEAPON, expected)
        if not found["name"]:
            place = max(text.find(":"), 0)
            raise ParseError("expected a weapon's name and ':' before its stat line", text, place)
        if count := validation.counted(found["name"]):
            so = f"Volley(Weapon.parse(...), {count}) is so many"
            raise ParseError(f"expected the stat line of one weapon, without a number of them; {so}", text, 0)
        labels = {"attacks": "A", "strength": "S", "ap": "AP", "damage": "D"}
        missing = [label for field, label in labels.items() if field not in found]
        if "bs" in found and "ws" in found:
            expected = "BS for a ranged weapon or WS for a melee weapon"
            raise MathhammerError(f"expected {expected}, got both in {text!r}")
        skill = found.pop("bs", None) or found.get("ws")
        if skill is None and not any(each.lower() in found["keywords"].lower() for each in automatic_hits()):
            missing.append("BS or WS")
        if missing:
            raise ParseError(f"expected also {', '.join(missing)}", text, len(text))
        reach = f'{found.pop("range")}"' if "range" in found else ""
        melee = any([found.pop("ws", None), found.pop("melee", None)])
        if melee and reach:
            raise MathhammerError(f"expected no range on a melee weapon, got one in {text!r}")
        return cls(range="Melee" if melee else reach, skill=skill or "N/A", **found)

    def __str__(self) -> str:
        reach = "" if self.melee or not self.range else f"{self.range} "
        skill = "N/A" if self.skill is None else f"{self.skill}+"
        keywords = ", ".join(str(keyword).upper() for keyword in self.keywords)
        # "D6" is refused, and "D3+D6" would be read as dice throughout.
        label = "Damage " if re.match(r"6$|\d+[+\-×]", str(self.damage)) else "D"
        return (
            f"{self.name}: {reach}A{self.attacks} {'WS' if self.melee else 'BS'}{skill} S{self.strength} "
            f"AP{self.ap} {label}{self.damage}" + (f" [{keywords}]" if keywords else "")
        )


_ward, _number = partial(Enough, default=None, least=2, most=6), partial(Integer, default=0, most=None)


class Target(Record):
    """A unit of equal models that is attacked.

    Examples
    --------
    >>> tank = Target("Tank", toughness=10, save="3+", invulnerable="5+", wounds=12, keywords="Vehicle")
    >>> tank.invulnerable, tank.models
    (((5, None),), 1)
    """

    name: Checked[str, str] = Checked(_name, "Any text.", kw_only=False)
    toughness: Integer = Integer("The characteristic.", least=1, most=None)
    save: Enough = Enough(
        '``"3+"`` or ``3``; ``None`` or ``"-"`` for no armour save at all. A save of 7+ can be made in cover.',
        least=2,
        most=7,
    )
    wounds: Integer = Integer("Those of one model.", least=1, most=None)
    models: Integer = Integer("How many there are.", default=1, least=1, most=None)
    invulnerable: Checked[
        tuple[tuple[int, str | None], ...], int | str | Sequence[int | str | tuple[int, str | None]] | None
    ] = Checked(
        _invulnerable,
        '``"4+"``, ``4``; ``"5+ ranged"`` or ``"5+ melee"`` where it counts only against such attacks; several as '
        '``("5+", "4+ ranged")`` or ``"5+, 4+ ranged"``, of which the best that applies is used.',
        default=None,
    )
    feel_no_pain: Enough = _ward(
        "The roll that ignores a lost wound. For each wound one such roll is used, the best of those that apply."
    )
    feel_no_pain_mortal: Enough = _ward("The same against mortal wounds only.")
    damage_reduction: Integer = _number("Subtracted from the Damage of each attack, to a minimum of 1.")
    half_damage: Boolean = Boolean("Whether the Damage of each attack is halved.")
    keywords: Checked[tuple[str, ...], str | Iterable[str]] = Checked(
        _unit_keywords,
        "The unit's keywords, separated by spaces or commas; they matter to Anti-X.",
        default=(),
    )
    points: MaybeInteger = MaybeInteger("Cost of the whole unit, if known.", most=MAXIMUM_POINTS)
    wounds_lost: Integer = _number("Wounds that one of its models has lost before.")
    damage_1_save_bonus: Integer = _number("Added to armour saves against attacks of Damage 1.")
    feel_no_pain_psychic: Enough = _ward("The same against Psychic Attacks only.")
    damage_to_0: Boolean = Boolean(
        "Whether once in a phase the Damage of an attack that they fail to save is changed to 0."
    )
    deadly_demise: Checked[Expression | None, int | str | Expression | None] = Checked(
        lambda value: None if value is None else _characteristic("deadly_demise", value, least=1),
        'Mortal wounds that each other unit within 6" suffers on a 6 when one of its models is destroyed: a number or '
        "dice.",
        default=None,
    )
    stealth: Boolean = Boolean(
        "Whether all its models have Stealth: -1 to hit for ranged attacks, with nothing said in the situation."
    )
    incoming: Checked[tuple[Incoming, ...], Incoming | Iterable[Incoming] | None] = Checked(
        read_incoming, "Modifiers of the attacks that target it, from its own rules.", default=None
    )
    in_cover: Boolean = Boolean("Whether a rule gives it the Benefit of Cover wherever it stands.")

    def _check(self) -> None:
        if (lost := self.wounds_lost) >= self.wounds:
            most = f"{self.wounds - 1} at most for a model of {self.wounds} wounds"
            raise MathhammerError(f"expected wounds_lost of {most}, got {lost}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a stat line such as ``"Marines: 10x T4 Sv3+ InSv5+ W2 FNP6+ [INFANTRY]"``."""
        validation.typed(text, "stat line", "such as 'Marines: 5x T4 Sv3+ W2'")
        expected = "T4, Sv3+, InSv4+, W2, 10x, FNP5+, -1D or [KEYWORDS]"
        found = _scanned(text, _of_target(rulebook()), expected)
        labels = {"toughness": "T", "save": "Sv", "wounds": "W"}
        if missing := [label for field, label in labels.items() if field not in found]:
            raise ParseError(f"expected also {', '.join(missing)}", text, len(text))
        if "models" not in found and (count := validation.counted(found["name"])):
            behind = f"the number of models behind the name, as in 'Marines: {count}x T4'"
            raise ParseError(f"expected {behind}", text, 0)
        known = cls.fields
        said = {
            name: known[name].typed(value) if isinstance(value, str) else value
            for name, value in found.items()
        }
        return cls(**{**said, "name": said["name"] or "Target"})

    def __str__(self) -> str:
        several: dict[str, Iterable[object]] = {
            "save": ["-" if self.save is None else f"{self.save}+"],
            "invulnerable": [f"{roll}+ {against or ''}".strip() for roll, against in self.invulnerable],
            "incoming": [each.line for each in self.incoming],
        }
        items = [
            form.format(value)
            for name, _, form in _of_target(rulebook())
            if form
            for value in several.get(name, [getattr(self, name)])
            if value or (name == "points" and value is not None)
        ]
        if self.keywords:
            # A keyword of several words alone would read back as as many keywords, were it not for a comma.
            comma = "," * (len(self.keywords) == 1 and " " in self.keywords[0])
            items.append(f"[{', '.join(self.keywords)}{comma}]")
        return f"{self.name}: {' '.join(items)}"
