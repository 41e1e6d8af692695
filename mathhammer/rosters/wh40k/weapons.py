"""Weapon profiles of an army list: the exporters' spellings, then :class:`mathhammer.wh40k.Weapon`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError, RosterError
from mathhammer.rosters.names import MAX_COUNT, plain, shorten
from mathhammer.rosters.wh40k.identifiers import is_ranged
from mathhammer.systems.wh40k.profiles.keywords import parse_keywords
from mathhammer.systems.wh40k.profiles.profiles import UNREAL_DICE, Weapon

if TYPE_CHECKING:
    from mathhammer.rosters.tree import Profile

_MODE_MARK = "➤"
_AMOUNT = re.compile(r"(\d{0,4})D([36])(?:\+(\d{1,4}))?|(\d{1,4})", re.IGNORECASE)
_NOTHING = {"", "-", "–", "—"}
_ANTI_SEVERAL = re.compile(r"anti[- ]([^/]+(?:/[^/]+)+) ([2-6]\+?)", re.IGNORECASE)
_SUFFIX = re.compile(r"\s*[-–—]\s+")


def read_weapon(profile: Profile, copies: int) -> tuple[Weapon | None, list[str]]:
    """Read one weapon profile."""
    doubts: list[str] = []
    try:
        weapon = Weapon(
            mode_name(profile.name),
            range=_range(profile),
            attacks=_amount(profile, "A", copies, doubts),
            skill=_skill(profile),
            strength=_amount(profile, "S", 1, doubts),
            ap=_armour_penetration(profile, doubts),
            damage=_amount(profile, "D", 1, doubts),
            keywords=parse_keywords(_keywords(profile), on_unknown="keep"),
        )
    except MathhammerError as error:
        return None, [*doubts, " ".join(str(error).split())]
    unknown = [str(keyword) for keyword in weapon.keywords if not keyword.known]
    doubts += [f"its ability {shorten(keyword)} is not computed" for keyword in unknown]
    return weapon, doubts


def mode_name(name: str) -> str:
    """Name of a profile without the mark of a mode."""
    return name.replace(_MODE_MARK, " ").strip()


def base_name(name: str) -> str:
    """Name of the weapon that a profile is a mode of."""
    return _SUFFIX.split(mode_name(name))[0]


def group_modes(profiles: list[Profile]) -> list[list[Profile]]:
    """Group the weapon profiles of one selection into weapons, each a choice of modes."""
    groups: dict[tuple[bool, bool, str], list[Profile]] = {}
    for profile in profiles:
        marked = _MODE_MARK in profile.name
        base = plain(base_name(profile.name))
        groups.setdefault((is_ranged(profile), marked, base), []).append(profile)
    lonely = {ranged for (ranged, marked, _), group in groups.items() if marked and len(group) == 1}
    merged: dict[tuple[bool, bool, str], list[Profile]] = {}
    for (ranged, marked, base), group in groups.items():
        key = (ranged, marked, "" if marked and ranged in lonely else base)
        merged.setdefault(key, []).extend(group)
    return list(merged.values())


def _keywords(profile: Profile) -> str:
    """Text of the abilities; ``Anti-A/B 3+``, as the 11th edition writes it, is ``Anti-A 3+, Anti-B 3+``."""
    items = [
        ", ".join(f"Anti-{target.strip()} {match[2]}" for target in match[1].split("/")) if match else item
        for item in (profile.get("Keywords") or "-").split(",")
        for match in [_ANTI_SEVERAL.fullmatch(item.strip())]
    ]
    return ",".join(items)


def _range(profile: Profile) -> str:
    return (profile.get("Range") or "-") if is_ranged(profile) else "Melee"


def _skill(profile: Profile) -> str | None:
    text = profile.get("BS" if is_ranged(profile) else "WS") or ""
    return None if text in _NOTHING or text.casefold() == "n/a" else text


def _amount(profile: Profile, name: str, copies: int, doubts: list[str]) -> str:
    """Text of A, S or D in one spelling, with all its numbers checked."""
    text = re.sub(r"\s*\+\s*", "+", profile.get(name) or "").strip()
    if name == "S" and re.fullmatch(r"\d{1,2}\+", text):
        doubts.append(f"Strength {text!r} is read as {text[:-1]}")
        text = text[:-1]
    real = UNREAL_DICE.get(text.upper())
    if real is not None:
        label = {"A": "Attacks", "S": "Strength", "D": "Damage"}[name]
        doubts.append(f"{label} {text!r} is read as {real}, for no die of the game has {text[1:]} faces")
        text = real
    match = _AMOUNT.fullmatch(text)
    if not match:
        raise RosterError(f"expected {name} to be a number or dice such as D6+1, got {shorten(text)}")
    dice, faces, constant, number = match.groups()
    most = int(number) if number else int(dice or 1) * int(faces) + int(constant or 0)
    if most * copies > MAX_COUNT:
        raise RosterError(
            f"expected at most {MAX_COUNT:,} attacks and as much Strength and Damage, got {text}"
        )
    return text.upper()


def _armour_penetration(profile: Profile, doubts: list[str]) -> int:
    text = (profile.get("AP") or "").replace("−", "-").replace("–", "-")
    if text in _NOTHING:
        return 0
    match = re.fullmatch(r"(-?)(\d{1,2})", text)
    if not match:
        raise RosterError(f"expected AP to be 0 or a number such as -2, got {shorten(text)}")
    if not match[1] and int(match[2]):
        doubts.append(f"AP {text!r} without a sign is read as -{text}")
    return -int(match[2])
