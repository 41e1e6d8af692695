"""Attack Attributes, weapons and protections as army books write them: ``Multiple Wounds (D3), Poison Attacks``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.expressions import dice

if TYPE_CHECKING:
    from mathhammer.expressions import Expression

__all__ = [
    "ATTACK_ATTRIBUTES",
    "PROTECTIONS",
    "SPECIAL_ATTACKS",
    "WEAPONS",
    "Attribute",
    "parse_attributes",
]

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
#: What a model part that is no Close Combat or Shooting Attack is (the same, Special Attacks).
SPECIAL_ATTACKS = (
    "Breath Attack",
    "Crush Attack",
    "Grind Attacks",
    "Impact Hits",
    "Stomp Attacks",
    "Sweeping Attack",
)
_VALUED = ("Area Attack", "Devastating Charge", "Multiple Wounds", "Unwieldy")
#: Personal protections and other rules of the model that is struck; the last one with a value.
PROTECTIONS = (
    "Cannot be Stomped",
    "Distracting",
    "Flammable",
    "Fly",
    "Gigantic",
    "Large",
    "Parry",
    "Standard",
    "Hard Target",
)

_ITEM = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<value>.*)\))?")
_COMMA = re.compile(r",(?![^()]*\))")
_BONUS = re.compile(r"\+(?P<number>\d{1,2}) (?P<name>[A-Za-z ]+)")
_AREA = re.compile(r"(?P<width>\d{1,2})\s*[x×]\s*(?P<depth>\d{1,2})", re.IGNORECASE)
_BONUSES = ("Strength", "Armour Penetration", "Attack Value", "Offensive Skill", "Agility")


@dataclass(frozen=True, slots=True)
class Attribute:
    """One rule of a model part or of a target.

    Parameters
    ----------
    name
        ``"Multiple Wounds"``.
    value
        The X of Multiple Wounds (X) or Hard Target (X).
    area
        Width and depth of an Area Attack.
    bonuses
        Pairs of a characteristic and its bonus, of Devastating Charge.
    grants
        Attributes that Devastating Charge adds.
    """

    name: str
    value: Expression | None = None
    area: tuple[int, int] | None = None
    bonuses: tuple[tuple[str, int], ...] = ()
    grants: tuple[Attribute, ...] = ()

    def __str__(self) -> str:
        inside = [f"+{number} {name}" for name, number in self.bonuses] + [str(each) for each in self.grants]
        if self.value is not None:
            inside.append(str(self.value))
        if self.area is not None:
            inside.append(f"{self.area[0]}×{self.area[1]}")
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

    Raises
    ------
    UnknownNameError
        If a rule is unknown; the message names the nearest one.

    Examples
    --------
    >>> [str(each) for each in parse_attributes("poison attacks, multiple wounds (D3), area attack (3x2)")]
    ['Poison Attacks', 'Multiple Wounds (D3)', 'Area Attack (3×2)']
    >>> print(*parse_attributes("Devastating Charge (+1 Strength, Battle Focus)"))
    Devastating Charge (+1 Strength, Battle Focus)
    """
    validation.text(text, "attributes", "such as 'Lethal Strike, Parry'")
    validation.items(known, str, "names of rules as known")
    names = known if known == PROTECTIONS else (*known, *_VALUED, *WEAPONS, *SPECIAL_ATTACKS)
    table = {_key(name): name for name in names}
    items = (item.strip() for item in _COMMA.split(text.replace("\xa0", " ")))
    return tuple(_parse_item(item, table) for item in items if item not in {"", "-"})


def _key(name: str) -> str:
    return " ".join(name.lower().replace("-", " ").split())


def _parse_item(item: str, table: dict[str, str]) -> Attribute:
    match = _ITEM.fullmatch(item)
    name = table.get(_key(match["name"])) if match else None
    if match is None or name is None:
        near = get_close_matches(_key(match["name"] if match else item), table, n=1, cutoff=0.5)
        hint = f"did you mean {table[near[0]]!r}?" if near else f"known: {', '.join(sorted(table.values()))}"
        raise UnknownNameError(f"expected a rule of The 9th Age, got {item!r}; {hint}")
    value = match["value"]
    if name == "Devastating Charge":
        return _devastating_charge(value or "", item)
    if name == "Area Attack":
        area = _AREA.fullmatch((value or "").strip())
        if area is None or min(int(area["width"]), int(area["depth"])) < 1:
            raise MathhammerError(f"expected a size such as 'Area Attack (3×2)', got {item!r}")
        return Attribute(name, area=(int(area["width"]), int(area["depth"])))
    if name in {"Multiple Wounds", "Hard Target", "Unwieldy"}:
        return _with_number(name, value, item)
    if value is not None:
        raise MathhammerError(f"expected {name!r} without a value, got {item!r}")
    return Attribute(name)


def _with_number(name: str, value: str | None, item: str) -> Attribute:
    if value is None and name == "Multiple Wounds":
        raise MathhammerError(f"expected a value such as 'Multiple Wounds (D3)', got {item!r}")
    expression = dice("1" if value is None else value)
    low, high = expression.bounds()
    if low < 1 or high > 100 or (low != high and name != "Multiple Wounds"):
        raise MathhammerError(
            f"expected a value from 1 to 100, dice only for Multiple Wounds, after {name!r}; got {item!r}"
        )
    return Attribute(name, None if value is None else expression)


def _devastating_charge(value: str, item: str) -> Attribute:
    bonuses: list[tuple[str, int]] = []
    grants: list[Attribute] = []
    for part in (part.strip() for part in value.split(",")):
        match = _BONUS.fullmatch(part)
        if match is None:
            grants += parse_attributes(part)
            continue
        found = [name for name in _BONUSES if _key(name) == _key(match["name"])]
        if not found:
            raise UnknownNameError(
                f"expected a bonus to one of {', '.join(_BONUSES)} in {item!r}, got {part!r}"
            )
        bonuses.append((found[0], int(match["number"])))
    if not bonuses and not grants:
        raise MathhammerError(
            f"expected what it adds, as in 'Devastating Charge (+1 Strength)', got {item!r}"
        )
    return Attribute("Devastating Charge", bonuses=tuple(bonuses), grants=tuple(grants))
