"""Army lists of Age of Sigmar: the units of a file that carries their profiles."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.names import plain, shorten
from mathhammer.rosters.reading import parse_roster, read_content
from mathhammer.systems.aos import Target, Unit, Weapon

if TYPE_CHECKING:
    import os

    from mathhammer.rosters.tree import Profile, Selection

_WARD = re.compile(r"ward \((\d)\+\)", re.IGNORECASE)
_DAMAGED = re.compile(r"(\d+) or more damage points.*?Attacks characteristic of (.+?) is (\d+)")
_NUMBER = re.compile(r"(\d+)\"?\+?")
_KINDS = ("Melee Weapon", "Ranged Weapon")


def read_units(path: str | os.PathLike[str], /) -> tuple[Unit, ...]:
    """Read an army list of Age of Sigmar: a ``.ros``, ``.rosz`` or ``.json`` file of New Recruit.

    Parameters
    ----------
    path
        The file. Text exports hold no profiles and are refused.

    Returns
    -------
    tuple of Unit
        The units, with Ward, Battle Damaged and Champions as the file has them. Models with rarer weapons are taken
        to be slain last.

    References
    ----------
    The roster schema of BattleScribe 2.03, and BSData/age-of-sigmar-4th.
    """
    data, name = read_content(path)
    roster = parse_roster(data, name)
    if "sigmar" not in roster.game_system_name.casefold():
        raise RosterError(
            f"expected an army list of Age of Sigmar, but {name} is of {shorten(roster.game_system_name)}"
        )
    return tuple(_unit(each) for each in roster.selections() if any(_stats(each)))


def _stats(selection: Selection) -> list[Profile]:
    return [each for node in selection.walk() for each in node.profiles if each.type_name == "Unit"]


def _arms(model: Selection) -> frozenset[Profile]:
    return frozenset(each for node in model.walk() for each in node.profiles if each.type_name in _KINDS)


def _number(profile: Profile, name: str) -> int | None:
    """Return a characteristic that is a plain number; none where it is dice or a dash."""
    match = _NUMBER.fullmatch(profile.get(name) or "")
    return int(match[1]) if match else None


def _unit(selection: Selection) -> Unit:
    stats, nodes = _stats(selection)[0], list(selection.walk())
    wards = [match[1] for each in selection.categories if (match := _WARD.fullmatch(each))]
    models = [node for node in nodes if node.type == "model"] or [selection]
    texts = " ".join(text for node in nodes for each in node.profiles for _, text in each.characteristics)
    damaged = _DAMAGED.search(texts.replace("*", ""))
    target = Target(
        selection.name,
        **{name.lower(): _number(stats, name) for name in ("Move", "Health", "Save", "Control")},
        models=sum(model.number for model in models),
        ward=min(wards, default=None),
        battle_damaged_at=int(damaged[1]) if damaged else None,
        points=int(sum(node.points for node in nodes)) or None,
        attributes=[each.title() for each in selection.categories if not _WARD.fullmatch(each)],
    )
    found: dict[Profile, Weapon] = {}
    before, notes = 0, []
    # Models of a rarer kind are slain last.
    kinds = Counter(arms for model in models for arms in [_arms(model)] * model.number)
    order = sorted(kinds, key=kinds.__getitem__)
    for model in sorted(models, key=lambda each: order.index(_arms(each))):
        champion = any(node.name == "Champion" for node in model.walk())
        weapons = [
            (each, node.number) for node in model.walk() for each in node.profiles if each.type_name in _KINDS
        ]
        for profile, copies in weapons:
            if _number(profile, "Wnd") is None:
                notes.append(f"{profile.name} is not computed: its rolls are those of an ability")
                continue
            weapon = found.get(profile)
            held = weapon or _weapon(profile, before, damaged)
            led = champion and (not held.has("Companion") or target.has("Beast"))
            total = copies + (weapon.models if weapon else 0)
            found[profile] = held.changed(models=total, champion=held.champion or led)
        before += model.number
    return Unit(target, tuple(found.values()), notes=notes)


def _weapon(profile: Profile, behind: int, damaged: re.Match[str] | None) -> Weapon:
    own = damaged if damaged and plain(profile.name) in plain(damaged[2]) else None
    return Weapon(
        profile.name,
        range=_number(profile, "Rng"),
        attacks=profile.get("Atk") or "1",
        hit=profile.get("Hit"),
        wound=profile.get("Wnd"),
        rend=_number(profile, "Rnd") or 0,
        damage=profile.get("Dmg") or "1",
        battle_damaged=int(own[3]) if own else None,
        behind=behind,
        attributes=profile.get("Ability") or "",
    )
