"""Stat lines of models: which profile is whose, and its characteristics as numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer.rosters.limits import MAX_COUNT, shorten
from mathhammer.rosters.wh40k.identifiers import is_stat_line, plain
from mathhammer.systems.wh40k.army import ModelGroup

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.rosters.tree import Profile, Selection
    from mathhammer.rosters.wh40k.draft import Draft

__all__ = ["read_models"]

_NOTHING = {"", "-", "–"}
_SAVE = re.compile(r"([2-7])\+?")
_INVULNERABLE = re.compile(r"([2-6]\+)(?: ?\((ranged|melee)\))?", re.IGNORECASE)


def read_models(draft: Draft) -> None:
    """Fill in the groups of models, each with its stat line.

    The stat line is on the model, else on the unit, else on wargear of the model, else anywhere in the unit.
    """
    for model in draft.models:
        profile = _find(draft, model)
        draft.groups.append(_group(draft, model, profile))


def _find(draft: Draft, model: Selection) -> Profile | None:
    own = _distinct(model.profiles)
    if own:
        return _choose(draft, model, own)
    on_unit = _distinct(draft.root.profiles)
    if on_unit:
        return _choose(draft, model, on_unit)
    for owner in (model, draft.root):
        below = _distinct(profile for node in owner.walk() for profile in node.profiles)
        if below:
            return _choose(draft, model, below)
    return None


def _distinct(profiles: Iterable[Profile]) -> list[Profile]:
    """Stat lines in force, each line of characteristics once."""
    lines: dict[tuple[object, ...], Profile] = {}
    for profile in profiles:
        if is_stat_line(profile) and not profile.hidden:
            lines.setdefault((plain(profile.name), profile.characteristics), profile)
    return list(lines.values())


def _choose(draft: Draft, model: Selection, profiles: list[Profile]) -> Profile:
    """Profile named like the model, or the only line there is, or the first, and then it is said."""
    name = plain(model.name)
    same = [profile for profile in profiles if _stem(profile) == name.rstrip("s")]
    inside = [profile for profile in profiles if re.search(rf"\b{re.escape(_stem(profile))}s?\b", name)]
    if same or inside:
        return same[0] if same else max(inside, key=lambda profile: len(profile.name))
    if len({profile.characteristics for profile in profiles}) > 1:
        draft.note(
            f"the list has several stat lines and does not say whose: {model.name} has {profiles[0].name}'s"
        )
    return profiles[0]


def _stem(profile: Profile) -> str:
    return plain(profile.name).rstrip("s")  # "Noise Makers" is the line of "Noise Maker w/ horn"


def _group(draft: Draft, model: Selection, profile: Profile | None) -> ModelGroup:
    keywords = () if model is draft.root else model.categories
    if profile is None:
        draft.warn(f"the list holds no stat line for {model.name}: it cannot be a target")
        return ModelGroup(model.name, model.number, keywords=keywords)
    toughness = _number(profile, "T")
    wounds = _number(profile, "W")
    save_text = profile.get("SV") or ""
    save = _SAVE.fullmatch(save_text)
    if toughness is None or wounds is None or not (save or save_text in _NOTHING):
        line = ", ".join(f"{key} {shorten(profile.get(key), 20)}" for key in ("T", "SV", "W"))
        draft.warn(f"the stat line {profile.name!r} cannot be read ({line}) and is left out")
        return ModelGroup(model.name, model.number, keywords=keywords)
    if not save:
        draft.warn(f"the stat line {profile.name!r} has no SV: read as no save")
    return ModelGroup(
        model.name,
        model.number,
        toughness=toughness,
        save=int(save[1]) if save else None,
        wounds=wounds,
        movement=profile.get("M") or "",
        leadership=profile.get("LD") or "",
        objective_control=profile.get("OC") or "",
        invulnerable=_invulnerable(draft, profile),
        keywords=keywords,
    )


def _number(profile: Profile, name: str) -> int | None:
    text = profile.get(name) or ""
    return int(text) if re.fullmatch(r"[0-9]{1,4}", text) and 1 <= int(text) <= MAX_COUNT else None


def _invulnerable(draft: Draft, profile: Profile) -> str | None:
    """Read the characteristic InSv of the 11th edition's data; abilities may say more (``5+*``)."""
    text = profile.get("InSv") or ""
    match = _INVULNERABLE.fullmatch(text)
    if match:
        return f"{match[1]} {match[2].lower()}" if match[2] else match[1]
    if text not in _NOTHING:
        draft.note(
            f"the invulnerable save {text!r} of {profile.name} carries a condition the stat line does not say"
        )
    return None
