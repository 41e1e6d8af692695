"""Rules as army books write them: ``Multiple Wounds (D3), Poison Attacks``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.expressions import dice
from mathhammer.fields.kinds import Field
from mathhammer.fields.profile import split_items
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.expressions import Expression

#: Weapons that change a model part (The 9th Age rulebook, 2nd edition, Weapons).
WEAPONS = ("Great Weapon", "Halberd", "Lance", "Light Lance", "Paired Weapons", "Spear")
#: Attack Attributes without a value (the same, Model Rules); then those with one.
ATTACK_ATTRIBUTES = (
    "Accurate",
    "Battle Focus",
    "Clipped Wings",
    "Divine Attacks",
    "Flaming Attacks",
    "Hatred",
    "Lethal Strike",
    "Lightning Reflexes",
    "Magical Attacks",
    "Penetrating",
    "Poison Attacks",
    "Quick to Fire",
    "Steady Aim",
    "Toxic Attacks",
)
#: The pools of every unit, which attacks are allocated to.
RANK_AND_FILE, CHAMPION = "rank and file", "champion"
#: What a model part that is no Close Combat or Shooting Attack is (the same, Special Attacks).
SPECIAL_ATTACKS = (
    "Breath Attack",
    "Crush Attack",
    "Grind Attacks",
    "Impact Hits",
    "Stomp Attacks",
    "Sweeping Attack",
)
#: Most models of a rank or file, and most of these, that an Area Attack reaches; books print 5 at most.
MOST_AREA = 20
#: Rules that books print with model parts and that change no roll of an attack, and why.
NO_EFFECT = {
    "Magical Attacks": "only switches on other rules",
    "Fear": "it is the unit's: fear=True",
    "Terror": "it is of declaring charges",
    "Fight in Extra Rank": "who strikes is given by the number of model parts",
    "Shoot in Extra Rank": "who shoots is given by the number of model parts",
    "Volley Fire": "who shoots is given by the number of model parts",
    "Harnessed": "who strikes is given by the number of model parts",
    "Inanimate": "who strikes is given by the number of model parts",
    "Restraints": "who strikes is given by the number of model parts",
    "Two-Handed": "it is of the bearer's armour: armour_of(..., two_handed=True)",
    "Weapon Master": "the weapon in hand is given",
    "March and Shoot": "it is of movement",
    "Move or Fire": "it is of movement",
    "Reload!": "it is of charge reactions",
}
_VALUED = ("Area Attack", "Devastating Charge", "Multiple Wounds", "Unwieldy")
#: Sizes and types of models, which rules such as Hatred (against Large) ask for.
_KINDS = (
    *("Standard", "Large", "Gigantic"),
    *("Infantry", "Beast", "Cavalry", "Construct"),
    *("Character", "Channel", "Towering Presence"),
)
#: Personal protections and other rules of the model that is struck; the last two with a value.
PROTECTIONS = ("Cannot be Stomped", "Distracting", "Flammable", "Parry", *_KINDS, "Fly", "Hard Target")
#: Rules that may count against some targets only, and what these are.
_SCOPED = (*ATTACK_ATTRIBUTES, "Multiple Wounds")
_SUBJECTS = (*_KINDS, "Fly", "Flammable", "Aegis", "Fortitude")

_ITEM = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<value>.*)\))?")
_SCOPE = re.compile(r"(?:(?P<value>.*?),?\s*\b)?against (?P<against>.+)", re.IGNORECASE)
_BONUS = re.compile(r"\+\s?(?P<number>\d{1,2})[\"”″′']*\s(?P<name>[A-Za-z ]+)")
_AREA = re.compile(r"(?P<width>\d{1,2})\s*[x×]\s*(?P<depth>\d{1,2})", re.IGNORECASE)
_INCHES = re.compile(r"(\d{1,2})[\"”″′']{0,2},\s*(\d{1,2})[\"”″′']{0,2}")
#: Characteristics that Devastating Charge adds to, by their names in books.
_BONUSES = {
    "strength": "Strength",
    "str": "Strength",
    "armour penetration": "Armour Penetration",
    "ap": "Armour Penetration",
    "attack value": "Attack Value",
    "att": "Attack Value",
    "offensive skill": "Offensive Skill",
    "off": "Offensive Skill",
    "agility": "Agility",
    "agi": "Agility",
    "advance rate": "Advance Rate",
    "adv": "Advance Rate",
}


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

    def counts_against(self, names: frozenset[str]) -> bool:
        """Whether it counts against a target that has these names."""
        return not self.against or any(names.issuperset(group) for group in self.against)

    def __str__(self) -> str:
        inside = [f"+{number} {name}" for name, number in self.bonuses]
        inside += [str(self.value)] * (self.value is not None)
        inside += [f"{self.area[0]}×{self.area[1]}"] if self.area else []
        inside += [f'{self.inches[0]}", {self.inches[1]}"'] if self.inches else []
        inside += map(str, self.grants)
        if self.against:
            inside.append(f"against {', '.join(' and '.join(group) for group in self.against)}")
        return f"{self.name} ({', '.join(inside)})" if inside else self.name


@lru_cache(maxsize=1024)
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
    validation.items(known, str, "names of rules as known")
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
    return _read_value(name, match["value"], item)


def _read_value(name: str, value: str | None, item: str) -> Attribute:
    """Read what stands in parentheses after the name of a rule."""
    if name == "Devastating Charge":
        return _devastating_charge(value or "", item)
    if name == "Area Attack":
        area = _AREA.fullmatch((value or "").strip())
        size = (int(area["width"]), int(area["depth"])) if area else (0, 0)
        if not 1 <= min(size) <= max(size) <= MOST_AREA:
            raise MathhammerError(
                f"expected a size such as 'Area Attack (3×2)', at most {MOST_AREA}×{MOST_AREA}, got {shown(item)}"
            )
        return Attribute(name, area=size)
    if name == "Fly" and value is not None:
        inches = _INCHES.fullmatch(value.strip())
        if inches is None:
            raise MathhammerError(f"""expected distances such as 'Fly (8", 16")', got {shown(item)}""")
        return Attribute(name, inches=(int(inches[1]), int(inches[2])))
    scope = _SCOPE.fullmatch(value.strip()) if value and name in _SCOPED else None
    if scope is None:
        return _with_value(name, value, item)
    read = _with_value(name, scope["value"] or None, item)
    return replace(read, against=_against(scope["against"], item))


def _with_value(name: str, value: str | None, item: str) -> Attribute:
    if name == "Multiple Wounds":
        first, _, rest = (value or "").partition(",")
        if rest and _key(rest) != "clipped wings":
            raise MathhammerError(f"expected a value, or a value and Clipped Wings, got {shown(item)}")
        grants = (Attribute("Clipped Wings"),) if rest else ()
        return replace(_with_number(name, first.strip() or None, item), grants=grants)
    if name in {"Hard Target", "Unwieldy"}:
        return _with_number(name, value, item)
    if value is not None:
        raise MathhammerError(f"expected {name!r} without a value, got {shown(item)}")
    return Attribute(name)


def _against(text: str, item: str) -> tuple[tuple[str, ...], ...]:
    """Read "Large and Beast, Gigantic": the groups of names of which one must be the target's."""
    known = {_key(name): name for name in _SUBJECTS}

    def read(name: str) -> str:
        key = _key(name)
        found = known.get(key) or known.get(key.removesuffix("s"))
        if found is None:
            raise UnknownNameError(
                f"expected a rule against {', '.join(_SUBJECTS)}, got {name.strip()!r} in {shown(item)}"
            )
        return found

    return tuple(
        tuple(map(read, re.split(r" and ", group, flags=re.IGNORECASE))) for group in text.split(",")
    )


def _with_number(name: str, value: str | None, item: str) -> Attribute:
    if value is None and name == "Multiple Wounds":
        raise MathhammerError(f"expected a value such as 'Multiple Wounds (D3)', got {shown(item)}")
    expression = dice("1" if value is None else value)
    low, high = expression.bounds()
    if low < 1 or high > 100 or (low != high and name != "Multiple Wounds"):
        raise MathhammerError(
            f"expected a value from 1 to 100, dice only for Multiple Wounds, after {name!r}; got {shown(item)}"
        )
    return Attribute(name, None if value is None else expression)


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
            known = dict.fromkeys(_BONUSES.values())
            raise UnknownNameError(
                f"expected a bonus to one of {', '.join(known)} in {shown(item)}, got {part!r}"
            )
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
