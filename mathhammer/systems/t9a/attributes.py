"""Rules as army books write them, ``Multiple Wounds (D3), Poison Attacks``; Aegis, Fortitude, and pieces of armour."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.expressions import dice
from mathhammer.expressions.check import Check, Reroll, reroll_faces
from mathhammer.fields.kinds import Field
from mathhammer.fields.profile import split_items
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from mathhammer.expressions import Expression


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(", "))


#: Weapons that change a model part (The 9th Age rulebook, 2nd edition, Weapons).
WEAPONS = _names("Great Weapon, Halberd, Lance, Light Lance, Paired Weapons, Spear")
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
#: The pools of every unit, which attacks are allocated to.
RANK_AND_FILE, CHAMPION = "rank and file", "champion"
#: Most models of a rank or file, and most of these, that an Area Attack reaches; books print 5 at most.
MOST_AREA = 20
_STRIKERS = _names("Fight in Extra Rank, Harnessed, Inanimate, Restraints")
#: Rules that books print with model parts and that change no roll of an attack, and why.
NO_EFFECT = {
    "Magical Attacks": "only switches on other rules",
    "Fear": "it is the unit's: fear=True",
    "Terror": "it is of declaring charges",
    **dict.fromkeys(
        ("Shoot in Extra Rank", "Volley Fire"), "who shoots is given by the number of model parts"
    ),
    **dict.fromkeys(_STRIKERS, "who strikes is given by the number of model parts"),
    "Two-Handed": "it is of the bearer's armour: armour_of(..., two_handed=True)",
    "Weapon Master": "the weapon in hand is given",
    **dict.fromkeys(("March and Shoot", "Move or Fire"), "it is of movement"),
    "Reload!": "it is of charge reactions",
}
#: Sizes and types of models, which rules such as Hatred (against Large) ask for.
_KINDS = (
    "Standard, Large, Gigantic, Infantry, Beast, Cavalry, Construct, Character, Channel, Towering Presence"
)
#: Personal protections and other rules of the model that is struck; the last two with a value.
PROTECTIONS = _names(f"Cannot be Stomped, Distracting, Flammable, Parry, {_KINDS}, Fly, Hard Target")
#: Rules that may count against some targets only, and what these are.
_SCOPED = (*ATTACK_ATTRIBUTES, "Multiple Wounds")
_SUBJECTS = _names(f"{_KINDS}, Fly, Flammable, Aegis, Fortitude")

_ITEM = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<value>.*)\))?")
_SCOPE = re.compile(r"(?:(?P<value>.*?),?\s*\b)?against (?P<against>.+)", re.IGNORECASE)
_BONUS = re.compile(r"\+\s?(?P<number>\d{1,2})[\"”″′']*\s(?P<name>[A-Za-z ]+)")
#: What stands in parentheses as a pair of numbers.
_AREA = re.compile(r"(\d{1,2})\s*[x×]\s*(\d{1,2})", re.IGNORECASE)
_INCHES = re.compile(r"(\d{1,2})[\"”″′']{0,2},\s*(\d{1,2})[\"”″′']{0,2}")
#: Characteristics that Devastating Charge adds to, by their names in books.
_BONUSES = {
    "strength": "Strength",
    "armour penetration": "Armour Penetration",
    "attack value": "Attack Value",
    "offensive skill": "Offensive Skill",
    "agility": "Agility",
    "advance rate": "Advance Rate",
}
_BONUSES |= dict(zip(("str", "ap", "att", "off", "agi", "adv"), _BONUSES.values(), strict=True))


@dataclass(frozen=True, slots=True)
class Attribute:
    """One rule of a model part or of a target."""

    #: ``"Multiple Wounds"``.
    name: str
    #: The X of Multiple Wounds (X) or Hard Target (X).
    value: Expression | None = None
    #: Width and depth of an Area Attack.
    area: tuple[int, int] | None = None
    #: Pairs of a characteristic and its bonus, of Devastating Charge.
    bonuses: tuple[tuple[str, int], ...] = ()
    #: Attributes that Devastating Charge adds, or Clipped Wings within Multiple Wounds.
    grants: tuple[Attribute, ...] = ()
    #: Advance and March Rate of Fly.
    inches: tuple[int, int] | None = None
    #: What the target must be for the rule to count: all names of one of these groups.
    against: tuple[tuple[str, ...], ...] = ()

    @property
    def number(self) -> int:
        """The X of a rule whose X is no dice, 1 unless it is said."""
        return 1 if self.value is None else self.value.bounds()[0]

    def counts_against(self, names: AbstractSet[str]) -> bool:
        """Whether it counts against a target that has these names."""
        return not self.against or any(names >= set(group) for group in self.against)

    def __str__(self) -> str:
        inside = [f"+{number} {name}" for name, number in self.bonuses]
        inside += [str(self.value)] * (self.value is not None)
        inside += [f"{self.area[0]}×{self.area[1]}"] if self.area else []
        inside += [f'{self.inches[0]}", {self.inches[1]}"'] if self.inches else []
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
    attacks = (*_VALUED, *WEAPONS, *SPECIAL_ATTACKS, *NO_EFFECT)
    table = {_key(name): name for name in (*known, *(() if known == PROTECTIONS else attacks))}
    items = (item.strip() for _, item in split_items(text.replace("\xa0", " ")))
    return tuple(_parse_item(item, table) for item in items if item not in {"", "-"})


def _key(name: str) -> str:
    return " ".join(name.lower().replace("-", " ").split())


def _parse_item(item: str, table: dict[str, str]) -> Attribute:
    match = _ITEM.fullmatch(item)
    name = table.get(_key(match["name"])) if match else None
    if match is None or name is None:
        near = get_close_matches(_key(match["name"] if match else item), table, n=1, cutoff=0.5)
        hint = f"did you mean {table[near[0]]!r}?" if near else f"known: {', '.join(sorted(table.values()))}"
        raise UnknownNameError(f"expected a rule of The 9th Age, got {shown(item)}; {hint}")
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


def _read_value(name: str, value: str | None, item: str) -> Attribute:
    """Read what stands in parentheses after the name of a rule."""
    text, expected = (value or "").strip(), f"{name!r} without a value"
    if name == "Devastating Charge":
        return _devastating_charge(text, item)
    if name == "Area Attack":
        expected = f"a size such as 'Area Attack (3×2)', at most {MOST_AREA}×{MOST_AREA}"
        if (area := _AREA.fullmatch(text)) and all(1 <= int(each) <= MOST_AREA for each in area.groups()):
            return Attribute(name, area=(int(area[1]), int(area[2])))
    elif name == "Fly" and value is not None:
        expected = """distances such as 'Fly (8", 16")'"""
        if inches := _INCHES.fullmatch(text):
            return Attribute(name, inches=(int(inches[1]), int(inches[2])))
    elif name == "Multiple Wounds":
        first, _, rest = text.partition(",")
        grants = (Attribute("Clipped Wings"),) * bool(rest)
        expected = (
            "a value, or a value and Clipped Wings" if rest else "a value such as 'Multiple Wounds (D3)'"
        )
        if first.strip() and (not rest or _key(rest) == "clipped wings"):
            return Attribute(name, _number(first, name, item), grants=grants)
    elif value is None:
        return Attribute(name)
    elif name in {"Hard Target", "Unwieldy"}:
        return Attribute(name, _number(text, name, item))
    raise MathhammerError(f"expected {expected}, got {shown(item)}")


def _number(text: str, name: str, item: str) -> Expression:
    expression = dice(text.strip())
    low, high = expression.bounds()
    if low < 1 or high > 100 or (low != high and name != "Multiple Wounds"):
        raise MathhammerError(
            f"expected a value from 1 to 100, dice only for Multiple Wounds, after {name!r}; got {shown(item)}"
        )
    return expression


def _devastating_charge(value: str, item: str) -> Attribute:
    bonuses: list[tuple[str, int]] = []
    grants: list[Attribute] = []
    for part in (part.strip() for _, part in split_items(value)):
        match = _BONUS.fullmatch(part)
        if match is None:
            grants += parse_attributes(part)
            continue
        name = _BONUSES.get(_key(match["name"]))
        if name is None:
            known = ", ".join(dict.fromkeys(_BONUSES.values()))
            raise UnknownNameError(f"expected a bonus to one of {known} in {shown(item)}, got {part!r}")
        bonuses.append((name, int(match["number"])))
    if not bonuses and not grants:
        raise MathhammerError(
            f"expected what it adds, as in 'Devastating Charge (+1 Strength)', got {shown(item)}"
        )
    return Attribute("Devastating Charge", bonuses=tuple(bonuses), grants=tuple(grants))


class Attributes(Field["tuple[Attribute, ...]", "str | tuple[Attribute, ...]"]):
    """A list of rules, as text or read before."""

    accepts = "str | tuple[Attribute, ...]"
    usual = ()

    def __init__(self, help: str, known: tuple[str, ...], **more: Any) -> None:  # noqa: A002
        super().__init__(help, **more)
        self.known = known

    def read(self, value: Any) -> tuple[Attribute, ...]:
        """Return the rules."""
        if isinstance(value, str):
            return parse_attributes(value, self.known)
        return validation.items(value, Attribute, "the text of attributes, or Attributes that were read")


_SAVE = re.compile(
    r"\(?(?P<need>[1-6])\+?(?:,? \+(?P<bonus>\d),? max\.? (?P<limit>[1-6])\+)?(?:,? against (?P<against>[a-z ]+))?\)?",
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
        """Return the saves."""
        texts = value if isinstance(value, tuple) else () if value is None else (value,)
        if self.name == "fortitude" and len(texts) > 1:
            raise MathhammerError(f"expected one Fortitude, got {' and '.join(map(str, texts))}")
        return tuple(map(self._save, texts))

    def _save(self, value: int | str) -> SpecialSave:
        name = self.name.capitalize()
        text = value if isinstance(value, str) else str(validation.whole(value, f"the roll of {name}"))
        match = _SAVE.fullmatch(re.sub(rf"^\s*{name}\s*", "", text, flags=re.IGNORECASE).strip())
        if match is None:
            raise MathhammerError(
                f"expected {name} such as '5+', '5+ against Magical Attacks' or '6+, +1 max 4+', got {shown(value)}"
            )
        need, against = int(match["need"]), (match["against"] or "").strip().title()
        if match["bonus"]:
            # A bonus with a limit improves up to the limit, and never makes worse what is better already.
            need = min(need, max(need - int(match["bonus"]), int(match["limit"])))
        if against and against not in _AGAINST:
            raise UnknownNameError(f"expected {name} against {' or '.join(_AGAINST)}, got {shown(value)}")
        return SpecialSave(name, need, against)

    def argument(self, value: Any) -> tuple[str, ...]:
        """Return the texts of the saves."""
        return tuple(str(save).removeprefix(f"{save.name} ") for save in value)

    def said(self, value: Any) -> list[str]:
        """Return each save."""
        return [str(save) for save in value]


#: Armour of each piece (The 9th Age rulebook, 2nd edition, Armour).
PIECES = {"shield": 1, "light armour": 1, "heavy armour": 2, "plate armour": 3}
MOST_ARMOUR = 6


def armour_of(pieces: str, *, two_handed: bool = False) -> int:
    """Return the sum of pieces of armour, of which a Two-Handed weapon switches off the shield in melee.

    Examples
    --------
    >>> armour_of("Heavy Armour, Shield"), armour_of("Heavy Armour, Shield", two_handed=True)
    (3, 2)

    References
    ----------
    The 9th Age rulebook, 2nd edition, Armour; Two-Handed.
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
