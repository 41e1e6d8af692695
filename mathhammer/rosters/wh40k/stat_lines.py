"""Stat lines of models: the profile of each model, and its characteristics as numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mathhammer.rosters.limits import MAX_COUNT, shorten
from mathhammer.rosters.names import plain, singular
from mathhammer.rosters.wh40k.identifiers import is_stat_line, keywords_of
from mathhammer.systems.wh40k.armies.army import ModelGroup
from mathhammer.systems.wh40k.profiles.profiles import Target

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.rosters.tree import Profile, Selection
    from mathhammer.rosters.wh40k.draft import Draft

_NOTHING = {"", "-", "–"}
_SAVE = re.compile(r"([2-7])\+?")
_INVULNERABLE = re.compile(r"([2-6]\+)(?: ?\((ranged|melee)\))?", re.IGNORECASE)


def read_models(draft: Draft) -> None:
    """Fill in the groups of models, each with its stat line."""
    on_unit = _distinct(draft.root.profiles)
    anywhere = _distinct(profile for node, _ in draft.nodes for profile in node.profiles)
    below: dict[int | None, list[Profile]] = {}
    for node, group in draft.nodes:
        below.setdefault(group, []).extend(node.profiles)
    for index, model in enumerate(draft.models):
        places = _distinct(model.profiles) or on_unit or _distinct(below[index]) or anywhere
        draft.groups.append(_group(draft, model, _choose(draft, model, places) if places else None))


def _distinct(profiles: Iterable[Profile]) -> list[Profile]:
    """Stat lines in force, each line of characteristics once."""
    lines: dict[tuple[object, ...], Profile] = {}
    for profile in profiles:
        if is_stat_line(profile) and not profile.hidden:
            lines.setdefault((plain(profile.name), profile.characteristics), profile)
    return list(lines.values())


def _choose(draft: Draft, model: Selection, profiles: list[Profile]) -> Profile:
    """Profile named like the model, or the only line there is, or the first, and then it is said."""
    name = f" {singular(model.name)} "
    named = {profile: f" {singular(profile.name)} " for profile in profiles}
    inside = [profile for profile in profiles if named[profile] in name]  # " warden " in " warden with horn "
    if inside:
        return max(inside, key=lambda profile: len(profile.name))
    if len({profile.characteristics for profile in profiles}) > 1:
        draft.note(
            f"the list has several stat lines and does not say whose: {model.name} has {profiles[0].name}'s"
        )
    return profiles[0]


def _group(draft: Draft, model: Selection, profile: Profile | None) -> ModelGroup:
    keywords = () if model is draft.root else keywords_of(model)
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
        Target(
            "Model",
            toughness=toughness,
            save=int(save[1]) if save else None,
            wounds=wounds,
            invulnerable=_invulnerable(draft, profile),
        ),
        keywords,
        movement=profile.get("M") or "",
        leadership=profile.get("LD") or "",
        objective_control=profile.get("OC") or "",
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
