"""The wargear of a unit: one line for each selection that owns weapon profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.rosters.wh40k.identifiers import is_weapon
from mathhammer.rosters.wh40k.weapons import group_modes, read_weapon
from mathhammer.systems.wh40k.armies.army import WeaponLine

if TYPE_CHECKING:
    from mathhammer.rosters.tree import Selection
    from mathhammer.rosters.wh40k.draft import Draft
    from mathhammer.systems.wh40k.profiles.profiles import Weapon


def read_wargear(draft: Draft) -> tuple[tuple[WeaponLine, ...], tuple[Weapon, ...]]:
    """Read the weapon lines of a unit."""
    lines: list[WeaponLine] = []
    armed = any(group is not None and _profiles(node) for node, group in draft.nodes)
    unassigned: tuple[Weapon, ...] = ()
    for node, group in draft.nodes:
        if not _profiles(node):
            continue
        on_unit = node is draft.root and group is None
        line = _line(draft, node, group, draft.size if on_unit else node.number)
        if on_unit and armed:
            unassigned = line.modes
            names = ", ".join(weapon.name for weapon in unassigned)
            draft.warn(f"no bearer is listed for these weapons, so they are not used: {names}")
        elif line.modes:
            lines.append(line)
            if group is None:
                draft.note(
                    f"the list does not say which model carries {line.name}: it is used once for each copy"
                )
    return tuple(lines), unassigned


def _profiles(node: Selection) -> bool:
    return any(is_weapon(profile) for profile in node.profiles)


def _line(draft: Draft, node: Selection, group: int | None, count: int) -> WeaponLine:
    choices = []
    visible = [profile for profile in node.profiles if is_weapon(profile) and not profile.hidden]
    for modes in group_modes(visible):
        weapons = []
        for profile in modes:
            weapon, doubts = read_weapon(profile, count)
            if weapon is None:
                draft.warn(f"the weapon {profile.name!r} is left out: {doubts[-1]}")
            else:
                weapons.append(weapon)
                for doubt in doubts:
                    draft.warn(f"{weapon.name}: {doubt}")
        if weapons:
            choices.append(tuple(weapons))
    bearer = draft.root.name if group is None else draft.models[group].name
    return WeaponLine(node.name, count, bearer, group, tuple(choices))
