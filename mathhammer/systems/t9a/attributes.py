"""Rules as army books write them, ``Multiple Wounds (D3), Poison Attacks``; Aegis, Fortitude, and pieces of armour."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from mathhammer import validation
from mathhammer.errors import MathhammerError, ParseError, UnknownNameError
from mathhammer.expressions import Expression, dice
from mathhammer.expressions.check import Check, Reroll, reroll_faces
from mathhammer.fields.kinds import Field
from mathhammer.fields.profile import split_items
from mathhammer.validation import shown


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(", "))


#: Weapons that change a model part (The 9th Age rulebook, 2nd edition, Weapons).
WEAPONS = _names("Great Weapon, Halberd, Lance, Light Lance, Paired Weapons, Spear")
#: Shots, Strength, Armour Penetration and Attack Attributes of Shooting Weapons (the same); None is the user's.
SHOOTING_WEAPONS: dict[str, tuple[int, int | None, int | None, str]] = {
    "Bow": (1, 3, 0, "Volley Fire"),
    "Longbow": (1, 3, 0, "Volley Fire"),
    "Crossbow": (1, 4, 1, "Unwieldy"),
    "Handgun": (1, 4, 2, "Unwieldy"),
    "Pistol": (1, 4, 2, "Quick to Fire"),
    "Brace of Pistols": (2, 4, 2, "Quick to Fire"),
    "Throwing Weapons": (2, None, None, "Accurate, Quick to Fire"),
}
#: Attack Attributes without a value (the same, Model Rules); then those with one.
ATTACK_ATTRIBUTES = _names(
    "Accurate, Battle Focus, Clipped Wings, Divine Attacks, Flaming Attacks, Hatred, Lethal Strike, "
    "Lightning Reflexes, Magical Attacks, Penetrating, Poison Attacks, Quick to Fire, Steady Aim, Toxic Attacks"
)
_VALUED = _names("Area Attack, Devastating Charge, Multiple Wounds, Unwieldy")
#: What a model part that is no Close Combat or Shooting Attack is (the same, Special Attacks).
SPECIAL_ATTACKS = _names(
    "Breath Attack, Crush Attack, Grind Attacks, Impact Hits, Stomp Attacks, Sweeping Attack"
)
#: Those that books print with a value among the rules of a part.
BESIDE = _names("Breath Attack, Grind Attacks, Impact Hits, Stomp Attacks")
#: The pools of every unit, which attacks are allocated to.
RANK_AND_FILE, CHAMPION = "rank and file", "champion"
#: Most models of a rank or file, and most of these, that an Area Attack reaches; books print 5 at most.
MOST_AREA = 20
#: Rules of a model that a `Unit` has as fields of these names; of the first one model is enough (the same).
ONE_IS_ENOUGH = _names("Fear, Stubborn, Unbreakable, Unstable")
TRAITS = (*ONE_IS_ENOUGH, *_names("Fearless, Supernal, Undead"))
_IDLE = """
Magical Attacks | only switches on other rules
Fear, Stubborn, Unbreakable, Unstable, Fearless, Supernal, Undead | it is the unit's in a round of combat
Terror | it is of declaring charges
Shoot in Extra Rank, Volley Fire | who shoots is given by the number of model parts
Extra Support, Fight in Extra Rank, Harnessed, Inanimate, Restraints | who strikes is given by the number of model parts
Two-Handed | it is of the bearer's armour: armour_of(..., two_handed=True)
Hand Weapon, Weapon Master | the weapon in hand is given
Feigned Flight, Light Troops, March and Shoot, Move or Fire, Swift Reform | it is of movement
Random Movement, Swiftstride | it is of charge(), flee() and pursuit()
Chariot, Ghost Step, Strider | it is of dangerous_terrain()
Ambush, Hidden, Scout, Special Ambush, Vanguard | it is of deployment
Attached, Exclusive, Front Rank, Matching Bases, Skirmisher, Stand Behind, Tall, War Platform | it is of formations
Insignificant, Scoring | it is of objectives and of others' Panic
Channel, Pathmaster, Protean Magic, Wizard Adept, Wizard Apprentice, Wizard Conclave, Wizard Master | it is of spells
Magic Resistance | it is of cast_spell(..., magic_resistance=...)
Frenzy | its tests are Maximised: discipline_test(..., maximised=1)
Bodyguard, Hold the Line, Not a Leader | it is of the tests of units near by
Battle Standard Bearer, Deafening Clamour, Rally Around the Flag | it is of tests: battle_standard=True
Commanding Presence | it is of tests: commanding_presence=...
Massive Bulk | Armour and protections of the whole model are given
Engineer | it is of misfires
Reload! | it is of charge reactions
War Machine | where it breaks it is destroyed
"""
#: Rules that books print and that change no roll of an attack, and why.
NO_EFFECT = {
    name: why
    for line in _IDLE.strip().splitlines()
    for names, why in (line.split(" | "),)
    for name in _names(names)
}
#: Sizes and types of models, which rules such as Hatred (against Large) ask for.
_KINDS = (
    "Standard, Large, Gigantic, Infantry, Beast, Cavalry, Construct, Character, Channel, Towering Presence"
)
#: Personal protections and other rules of the model that is struck; the last three with a value.
PROTECTIONS = _names(f"Cannot be Stomped, Distracting, Flammable, Parry, {_KINDS}, Fly, Hard Target, Immune")
#: What is said of a rule that is kept by name only.
NOT_COMPUTED = "is not computed"
#: All rules that are known by name.
_OF_PARTS = (*ATTACK_ATTRIBUTES, *_VALUED, *WEAPONS, *SHOOTING_WEAPONS, *SPECIAL_ATTACKS, *NO_EFFECT)
_KNOWN = (*_OF_PARTS, *PROTECTIONS)
#: Rules that may count against some targets only, and what these are.
_SCOPED = (*ATTACK_ATTRIBUTES, "Multiple Wounds")
_SUBJECTS = _names(f"{_KINDS}, Champion, Fly, Flammable, Aegis, Fortitude")

_ITEM = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<value>.*)\))?")
_SCOPE = re.compile(r"(?:(?P<value>.*?),?\s*\b)?against (?P<against>.+)", re.IGNORECASE)
#: What a book, or a copy of it, has beside plain blanks.
_BLANKS = {**dict.fromkeys((0x09, 0x0A, 0x0D, 0xA0), " "), 0x200B: ""}
#: The profile of a Breath Attack, and the Aim of a Shooting Weapon.
_PROFILE = re.compile(r"(?P<name>Str(?:ength)?|AP|Armour Penetration)\s?(?P<number>\d{1,2})", re.IGNORECASE)
_PAIR = re.compile(r"\([^()]*\)")
_AIM = re.compile(r"[1-6]\+|")
_PRINTED_NAME = re.compile(r"[^\W\d_][\w\s'’!…\[\]-]*")
_BONUS = re.compile(r"\+\s?(?P<number>\d{1,2})[\"”″′']*\s(?P<name>[A-Za-z ]+)")
#: What stands in parentheses as a pair of numbers.
_AREA = re.compile(r"(\d{1,2})\s*[x×]\s*(\d{1,2})", re.IGNORECASE)
_INCHES = re.compile(r"(\d{1,2})[\"”″′']{0,2},\s*(\d{1,2})[\"”″′']{0,2}")
_CHARACTERISTICS = _names(
    "Strength, Armour Penetration, Attack Value, Offensive Skill, Agility, Advance Rate"
)
#: Characteristics that Devastating Charge adds to, by their names in books.
_BONUSES = dict(zip(("str", "ap", "att", "off", "agi", "adv"), _CHARACTERISTICS, strict=True))
_BONUSES |= {name.lower(): name for name in _CHARACTERISTICS}


@dataclass(frozen=True, slots=True)
class Attribute:
    """One rule of a model part or of a target."""

    #: ``"Multiple Wounds"``.
    name: str
    #: The X of Multiple Wounds (X) or Hard Target (X).
    value: Expression | None = None
    #: Width and depth of an Area Attack.
    area: tuple[int, int] | None = None
    #: Pairs of a characteristic and its bonus, of Devastating Charge; or its value, of a Breath Attack.
    bonuses: tuple[tuple[str, int], ...] = ()
    #: Attributes that Devastating Charge adds, a Special Attack has, or Immune takes; Clipped Wings within Multiple
    #: Wounds.
    grants: tuple[Attribute, ...] = ()
    #: What stands in parentheses and is not computed with, the distances of Fly and the Aim of a weapon too.
    text: str = ""
    #: What the target must be for the rule to count: all names of one of these groups.
    against: tuple[tuple[str, ...], ...] = ()
    #: Whether it stands for attacks besides those of the part that a book prints it with.
    apart: bool = False

    @property
    def idle(self) -> str:
        """Why it changes no roll of the attacks that it is printed with; empty if it does."""
        if self.name in NO_EFFECT:
            return f"has no effect on these rolls: {NO_EFFECT[self.name]}"
        if self.apart:
            return f"{NOT_COMPUTED}: it is another attack, to be given by itself"
        return "" if self.name in _KNOWN else NOT_COMPUTED

    @property
    def number(self) -> int:
        """The X of a rule whose X is no dice, 1 unless it is said."""
        return 1 if self.value is None else self.value.bounds()[0]

    def __str__(self) -> str:
        shape = "{0} {1}" if self.apart else "+{1} {0}"
        inside = [shape.format(*each) for each in self.bonuses]
        inside += [str(self.value)] * (self.value is not None)
        inside += [f"{self.area[0]}×{self.area[1]}"] if self.area else []
        inside += [self.text] * bool(self.text)
        inside += map(str, self.grants)
        if self.against:
            inside.append(f"against {', '.join(' and '.join(group) for group in self.against)}")
        return f"{self.name} ({', '.join(inside)})" if inside else self.name


def parse_attributes(text: str, known: tuple[str, ...] = ATTACK_ATTRIBUTES) -> tuple[Attribute, ...]:
    """Read a comma-separated list of rules.

    Parameters
    ----------
    text
        ``"Lightning Reflexes, Multiple Wounds (D3)"``; letter case does not matter.
    known
        `ATTACK_ATTRIBUTES` (weapons are read as well), or `PROTECTIONS`.

    Examples
    --------
    >>> [str(each) for each in parse_attributes("poison attacks, multiple wounds (D3), area attack (3x2)")]
    ['Poison Attacks', 'Multiple Wounds (D3)', 'Area Attack (3×2)']
    """
    validation.typed(text, "attributes", "such as 'Lethal Strike, Parry'")
    return _parsed(text, validation.items(known, str, "names of rules as known"))


@lru_cache(maxsize=1024)
def _parsed(text: str, known: tuple[str, ...]) -> tuple[Attribute, ...]:
    require_closed(text)
    validation.text(text := text.translate(_BLANKS), "attributes")
    struck = known == PROTECTIONS
    table = {_key(name): name for name in (*known, *(NO_EFFECT if struck else _OF_PARTS))}
    items = (item.strip() for _, item in split_items(text))
    whose = "the unit that is struck" if struck else "a model part"
    return tuple(_parse_item(item, table, whose) for item in items if item not in {"", "-"})


def require_closed(text: str) -> None:
    """Refuse a text with a parenthesis that is not closed."""
    closed, before = text, ""
    while closed != before:
        before, closed = closed, _PAIR.sub(lambda pair: "." * len(pair[0]), closed)
    if "(" in closed:
        raise ParseError("expected a rule with ')' for each '('", text, closed.rindex("("))


def _key(name: str) -> str:
    return " ".join(name.lower().replace("-", " ").split())


def _parse_item(item: str, table: dict[str, str], whose: str) -> Attribute:
    match = _ITEM.fullmatch(item)
    key = _key(match["name"] if match else item)
    name = next((table[each] for each in (key, f"{key}s", key.removesuffix("s")) if each in table), None)
    if match is None or name is None:
        every = {_key(each): each for each in _KNOWN}
        near = get_close_matches(key, every, n=1, cutoff=0.88)
        if match is not None and not near and _PRINTED_NAME.fullmatch(match["name"]):
            return Attribute(match["name"], text=match["value"] or "")  # a rule of an army book
        hint = f"did you mean {every[near[0]]!r}?" if near else "such as 'Lethal Strike'"
        hint = f"{every[key]!r} is none of these" if key in every else hint
        raise UnknownNameError(f"expected a rule of {whose} in The 9th Age, got {shown(item)}; {hint}")
    value = match["value"]
    scope = _SCOPE.fullmatch(value.strip()) if value and name in _SCOPED else None
    if scope is None:
        return _read_value(name, value, item)
    known: dict[str, str] = {_key(each): each for each in _SUBJECTS}
    groups: list[list[str]] = []
    for group in scope["against"].split(","):
        groups.append([])
        for one in re.split(r" and ", group, flags=re.IGNORECASE):
            found = known.get(_key(one)) or known.get(_key(one).removesuffix("s"))
            if found is None:
                expected = f"a rule against {', '.join(_SUBJECTS)}"
                raise UnknownNameError(f"expected {expected}, got {one.strip()!r} in {shown(item)}")
            groups[-1].append(found)
    return replace(_read_value(name, scope["value"] or None, item), against=tuple(map(tuple, groups)))


def _read_value(name: str, value: str | None, item: str) -> Attribute:  # noqa: C901, PLR0911, PLR0912 - a kind of value each
    """Read what stands in parentheses after the name of a rule."""
    text, expected = (value or "").strip(), f"{name!r} without a value"
    if name in NO_EFFECT and name not in ATTACK_ATTRIBUTES:
        return Attribute(name, text=text)
    if name == "Devastating Charge" or (name == "Breath Attack" and value is not None):
        return _bonuses(name, text, item)
    if name == "Area Attack":
        expected = f"a size such as 'Area Attack (3×2)', at most {MOST_AREA}×{MOST_AREA}"
        if (area := _AREA.fullmatch(text)) and all(1 <= int(each) <= MOST_AREA for each in area.groups()):
            return Attribute(name, area=(int(area[1]), int(area[2])))
    elif name == "Fly" and value is not None:
        expected = """distances such as 'Fly (8", 16")'"""
        if inches := _INCHES.fullmatch(text):
            return Attribute(name, text=f'{inches[1]}", {inches[2]}"')
    elif name == "Multiple Wounds":
        first, _, rest = text.partition(",")
        grants = (Attribute("Clipped Wings"),) * bool(rest)
        expected = (
            "a value, or a value and Clipped Wings" if rest else "a value such as 'Multiple Wounds (D3)'"
        )
        if first.strip() and (not rest or _key(rest) == "clipped wings"):
            return Attribute(name, _number(first, name, item), grants=grants)
    elif name in SHOOTING_WEAPONS:
        expected = f"an Aim, such as '{name} (3+)'"
        if _AIM.fullmatch(text):
            return Attribute(name, text=text)
    elif value is None:
        return Attribute(name)
    elif name == "Immune":
        return Attribute(name, grants=parse_attributes(text))
    elif name in BESIDE:
        hits, _, rest = text.partition(",")
        return Attribute(name, _number(hits, name, item), grants=parse_attributes(rest), apart=True)
    elif name in {"Hard Target", "Unwieldy"}:
        return Attribute(name, _number(text, name, item))
    raise MathhammerError(f"expected {expected}, got {shown(item)}")


def _number(text: str, name: str, item: str) -> Expression:
    expression = dice(text.strip())
    low, high = expression.bounds()
    if low < 1 or high > 100 or (low != high and name in {"Hard Target", "Unwieldy"}):
        raise MathhammerError(f"expected a value from 1 to 100 after {name!r}, got {shown(item)}")
    return expression


def _bonuses(name: str, value: str, item: str) -> Attribute:
    """Read what Devastating Charge adds, or the profile of a Breath Attack, and the attributes beside it."""
    bonuses: list[tuple[str, int]] = []
    grants: list[Attribute] = []
    breath = name == "Breath Attack"
    for part in (part.strip() for _, part in split_items(value)):
        match = (_PROFILE if breath else _BONUS).fullmatch(part)
        if match is None:
            grants += _parsed(part, ATTACK_ATTRIBUTES if breath else _KNOWN)
        elif characteristic := _BONUSES.get(_key(match["name"])):
            bonuses.append((characteristic, int(match["number"])))
        else:
            known = ", ".join(_CHARACTERISTICS)
            raise UnknownNameError(f"expected a bonus to one of {known} in {shown(item)}, got {part!r}")
    if breath and "Strength" not in dict(bonuses) and Attribute("Toxic Attacks") not in grants:
        raise MathhammerError(f"expected a profile, as in 'Breath Attack (Str 4, AP 1)', got {shown(item)}")
    if not bonuses and not grants:
        raise MathhammerError(
            f"expected what it adds, as in 'Devastating Charge (+1 Strength)', got {shown(item)}"
        )
    return Attribute(name, bonuses=tuple(bonuses), grants=tuple(grants), apart=breath)


def not_computed(*whose: Any) -> dict[str, object]:
    """Return the rules of profiles that are kept by name only, as a fact to print."""
    names = (str(each) for one in whose for each in one.attributes if each.idle.startswith(NOT_COMPUTED))
    return {"not computed": said} if (said := ", ".join(dict.fromkeys(names))) else {}


class Attributes(Field["tuple[Attribute, ...]", "str | tuple[Attribute, ...]"]):
    """A list of rules, as text or read before."""

    accepts = "str | tuple[Attribute, ...]"
    usual = ()

    def __init__(self, help: str, known: tuple[str, ...], **more: Any) -> None:  # noqa: A002
        super().__init__(help, **more)
        self.known = known

    def read(self, value: Any) -> tuple[Attribute, ...]:
        if isinstance(value, str):
            return parse_attributes(value, self.known)
        return validation.items(value, Attribute, "the text of attributes, or Attributes that were read")


#: The worst roll that a save may need.
MOST_NEED = 6
_SAVE = re.compile(
    r"\(?(?:(?P<need>[1-6])\+?)?(?:,? ?\+(?P<bonus>\d),? max\.? (?P<limit>[1-6])\+)?"
    r"(?:,? against (?P<against>[a-z ]+))?\)?",
    re.IGNORECASE,
)
#: What an Aegis may be against: attributes of attacks, and what attacks are (2nd edition, Classification of Attacks).
_AGAINST = _names(
    "Magical Attacks, Flaming Attacks, Toxic Attacks, Melee Attacks, Ranged Attacks, Special Attacks"
)


@dataclass(frozen=True, slots=True)
class SpecialSave:
    """An Aegis or a Fortitude."""

    #: ``"Aegis"`` or ``"Fortitude"``.
    name: str
    #: The roll that passes.
    need: int
    #: The attribute that an attack must have for it to count; empty for all attacks.
    against: str = ""

    def passes(self, reroll: Reroll, *, divine: bool, natural_1_fails: bool) -> int:
        """Return the weight of a passed save out of 36 (2nd edition, Divine Attacks and Rerolling Dice)."""
        outcomes = Check(self.need, fails_up_to=1 if natural_1_fails else 0).outcomes()
        passing = {face for face, outcome in enumerate(outcomes, 1) if outcome != "fail"}
        again = set(reroll_faces(reroll, outcomes))
        if divine and self.name == "Aegis":
            again |= passing
        return 6 * len(passing - again) + len(again) * len(passing)

    def __str__(self) -> str:
        return f"{self.name} {self.need}+" + (f" against {self.against}" if self.against else "")


class SpecialSaves(Field["tuple[SpecialSave, ...]", "int | str | tuple[int | str, ...] | None"]):
    """Aegis or Fortitude, by the name of the field; of Fortitude one."""

    accepts = "int | str | tuple[int | str, ...] | None"
    usual = None

    def read(self, value: Any) -> tuple[SpecialSave, ...]:
        texts = value if isinstance(value, tuple) else () if value is None else (value,)
        if self.name == "fortitude" and len(texts) > 1:
            raise MathhammerError(f"expected one Fortitude, got {' and '.join(map(str, texts))}")
        # What has no roll of its own improves the others; without any it is as if there were one of 7+.
        found: list[SpecialSave] = []
        for save, bonus, limit in sorted(map(self._save, texts), key=lambda each: each[0].need > MOST_NEED):
            improves = save.need > MOST_NEED
            others = [each for each in found if improves and save.against in {"", each.against}]
            for each in others or [save]:
                # A bonus with a limit improves up to the limit, and never makes worse what is better already.
                better = replace(each, need=min(each.need, max(each.need - bonus, limit)))
                found = [*(one for one in found if one is not each), better]
        return tuple(found)

    def _save(self, value: int | str) -> tuple[SpecialSave, int, int]:
        """Return a save, 7+ where none is given, and a bonus to it with its limit."""
        name = self.name.capitalize()
        text = value if isinstance(value, str) else str(validation.whole(value, f"the roll of {name}"))
        require_closed(text)
        match = _SAVE.fullmatch(re.sub(rf"^\s*{name}\s*", "", text, flags=re.IGNORECASE).strip())
        if match is None or not (match["need"] or match["bonus"]):
            raise MathhammerError(
                f"expected {name} such as '5+', '5+ against Magical Attacks' or '6+, +1 max 4+', got {shown(value)}"
            )
        against = (match["against"] or "").strip().title()
        if against and against not in _AGAINST:
            raise UnknownNameError(f"expected {name} against {' or '.join(_AGAINST)}, got {shown(value)}")
        need, bonus, limit = (int(match[each] or 0) for each in ("need", "bonus", "limit"))
        return SpecialSave(name, need or MOST_NEED + 1, against), bonus, limit

    def argument(self, value: Any) -> tuple[str, ...]:
        return tuple(str(save).removeprefix(f"{save.name} ") for save in value)

    def said(self, value: Any) -> list[str]:
        return [str(save) for save in value]


#: Armour of each piece (The 9th Age rulebook, 2nd edition, Armour).
PIECES = {"shield": 1, "light armour": 1, "heavy armour": 2, "plate armour": 3}
MOST_ARMOUR = 6


def armour_of(pieces: str, *, two_handed: bool = False) -> int:
    """Return the sum of pieces of armour, of which a Two-Handed weapon switches off the shield in melee.

    The 9th Age rulebook, 2nd edition, Armour; Two-Handed.

    Examples
    --------
    >>> armour_of("Heavy Armour, Shield"), armour_of("Heavy Armour, Shield", two_handed=True)
    (3, 2)
    """
    total = 0
    validation.flag(two_handed, "two_handed")
    for piece in validation.typed(pieces, "pieces of armour", "such as 'Heavy Armour, Shield'").split(","):
        name = piece.strip().lower()
        if name not in PIECES:
            known = ", ".join(PIECES)
            raise UnknownNameError(f"expected pieces of armour of {known}; got {shown(piece.strip())}")
        total += 0 if two_handed and name == "shield" else PIECES[name]
    return min(total, MOST_ARMOUR)
