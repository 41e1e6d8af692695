"""Who has the defences that the abilities of a unit grant: to its groups of models, or left out and said."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mathhammer.rosters.names import plain
from mathhammer.rosters.wh40k.abilities import (
    Defence,
    is_weapon_ability,
    moves_no_attack,
    read_ability,
    read_bodyguards,
    read_feel_no_pain_rule,
    same_subject,
)
from mathhammer.rosters.wh40k.identifiers import is_stat_line, is_transport, is_weapon

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.rosters.tree import Selection
    from mathhammer.rosters.wh40k.draft import Draft
    from mathhammer.systems.wh40k.profiles.profiles import Target

__all__ = ["read_defences"]

_STEALTH = "stealth"
_DEADLY_DEMISE = re.compile(r"deadly demise ([1-9]\d{0,2}|(?:[1-9]\d?)?d[36](?:\+\d{1,2})?)")


def read_defences(draft: Draft) -> None:
    """Read all abilities and rules of a unit; what is not wholly understood is listed."""
    for node, group in draft.nodes:
        texts: dict[str, str] = {}
        for profile in node.profiles:
            if profile.hidden:
                draft.warn(f"{profile.name!r} is hidden in the list and left out")
            elif not (is_weapon(profile) or is_stat_line(profile) or is_transport(profile)):
                texts[profile.name] = plain(" ".join(text for _, text in profile.characteristics))
                reading = read_ability(profile)
                applied = [_apply(draft, defence, profile.name, node, group) for defence in reading.defences]
                if reading.doubt:
                    draft.warn(reading.doubt)
                if plain(profile.name) == _STEALTH:
                    _read_stealth(draft, node, group)
                elif moves_no_attack(profile.name):
                    for rule in (profile.name, f"{profile.name} {texts[profile.name]}"):
                        _read_deadly_demise(draft, rule, node, group)
                    draft.leads += read_bodyguards(" ".join(text for _, text in profile.characteristics))
                    draft.rules.append(profile.name)
                elif not (reading.complete and all(applied)):
                    draft.unparsed.append(profile.name)
        _read_rules(draft, node, group, texts)


def _read_rules(draft: Draft, node: Selection, group: int | None, texts: dict[str, str]) -> None:
    is_wargear = node.type == "upgrade" and any(is_weapon(profile) for profile in node.profiles)
    carried = _weapon_abilities(node)
    for rule in dict.fromkeys(node.rules):
        if is_weapon_ability(rule, None if is_wargear else carried):
            continue  # it repeats the weapon's keywords, without their numbers
        if plain(rule) == _STEALTH:
            _read_stealth(draft, node, group)
            continue
        _read_deadly_demise(draft, rule, node, group)
        value = read_feel_no_pain_rule(rule)
        if value is None:
            (draft.rules if moves_no_attack(rule) else draft.unparsed).append(rule)
            continue
        # List builders attach the rule to any ability that mentions it, and then the text says when it holds.
        source = next((name for name, text in texts.items() if f"feel no pain {value}" in text), None)
        if source is None:
            if not _apply(draft, Defence("feel_no_pain", value), rule, node, group):
                draft.unparsed.append(rule)
        elif source in draft.unparsed:
            draft.note(f"{rule} is left out: it holds only as {source} says")


def _weapon_abilities(node: Selection) -> list[str]:
    """Return the abilities of the weapons on and below a selection."""
    profiles = (profile for each in node.walk() for profile in each.profiles if is_weapon(profile))
    return [ability for profile in profiles for ability in (profile.get("Keywords") or "").split(",")]


def _read_stealth(draft: Draft, node: Selection, group: int | None) -> None:
    """Give Stealth to the models that have it; a unit has it once all of them do (core rules, Stealth)."""
    indices = _bearers(draft, Defence("stealth", ""), node, group)
    _change(draft, indices, stealth=True)
    if not indices:
        draft.note("Stealth is left out: it is not said which models have it")
        draft.unparsed.append("Stealth")


def _read_deadly_demise(draft: Draft, rule: str, node: Selection, group: int | None) -> None:
    """Give Deadly Demise, which harms others alone, to the models that have it; a rule without a number to none."""
    match = _DEADLY_DEMISE.fullmatch(plain(rule))
    if match is not None:
        bearers = _bearers(draft, Defence("deadly_demise", match[1].upper()), node, group)
        _change(draft, bearers, deadly_demise=match[1])


def _apply(draft: Draft, defence: Defence, source: str, node: Selection, group: int | None) -> bool:
    """Give a defence to the models that have it; ``False`` if they cannot be told."""
    indices = _bearers(draft, defence, node, group)
    for index in indices:
        profile = draft.groups[index].profile
        if profile is not None:
            _change(draft, [index], **_granted(profile, defence))
    if not indices:
        plainly = defence.for_owner or defence.for_whole_unit
        reason = (
            "not all models have it, or it is not said which" if plainly else f"it is for {defence.subject}"
        )
        draft.note(f"{defence} ({source}) is left out: {reason}")
    return bool(indices)


def _bearers(draft: Draft, defence: Defence, node: Selection, group: int | None) -> list[int]:
    """Return the indices of the groups of models that have a defence; none if they cannot be told."""
    everyone = list(range(len(draft.groups)))
    if defence.for_whole_unit:
        return everyone
    if not defence.for_owner:
        named = [index for index in everyone if same_subject(draft.groups[index].name, defence.subject)]
        return named or (everyone if same_subject(draft.root.name, defence.subject) else [])
    if node is draft.root:
        # "This model" on a unit is a wording for all its models; a bearer is one of them.
        return everyone if len(everyone) == 1 or defence.subject == "this model" else []
    if group is None:
        return everyone if node.number >= draft.size else []
    is_model = node is draft.models[group]
    return [group] if is_model or node.number >= draft.groups[group].count else []


def _change(draft: Draft, indices: Iterable[int], **changes: Any) -> None:
    """Change the profiles of groups of models, where they have one."""
    for index in indices:
        group = draft.groups[index]
        if group.profile is not None:
            draft.groups[index] = replace(group, profile=replace(group.profile, **changes))


def _granted(profile: Target, defence: Defence) -> dict[str, Any]:
    """Return the field of a profile that a defence changes, the better of the old and the new."""
    if defence.kind == "invulnerable":
        against = defence.value.partition(" ")[2] or None
        return {"invulnerable": _needed((*profile.invulnerable, (int(defence.value[0]), against)))}
    if defence.kind in {"feel_no_pain", "feel_no_pain_mortal"}:
        return {defence.kind: min(getattr(profile, defence.kind) or 7, int(defence.value[0]))}
    if defence.kind == "damage_reduction":
        return {"damage_reduction": max(profile.damage_reduction, int(defence.value))}
    return {"half_damage": True}


def _needed(given: Iterable[tuple[int, str | None]]) -> list[tuple[int, str | None]]:
    """Return invulnerable saves without those that another makes needless, the one against all attacks first."""
    saves = set(given)
    for value in {value for value, _ in saves}:
        if {(value, "ranged"), (value, "melee")} <= saves:
            saves.add((value, None))
    needed = [
        (value, against)
        for value, against in saves
        if not any(
            other <= value and for_all in {None, against} for other, for_all in saves - {(value, against)}
        )
    ]
    return sorted(needed, key=lambda save: (-save[0], save[1] or ""))
