"""One unit of an army list, put together."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.build import whole_points
from mathhammer.rosters.names import MAX_COUNT, plain, shorten, singular
from mathhammer.rosters.wh40k.identifiers import factions_of, is_points, is_stat_line, is_weapon, keywords_of
from mathhammer.rosters.wh40k.unit_rules import read_rules
from mathhammer.rosters.wh40k.weapons import group_modes, read_weapon
from mathhammer.systems.wh40k.armies.army import ModelGroup, Unit, WeaponLine
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.unit_rules.applied import groups_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.rosters.tree import Cost, Profile, Selection
    from mathhammer.systems.wh40k.profiles.profiles import Weapon
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule


@dataclass(slots=True)
class Draft:
    """A unit while it is read."""

    #: The unit's own selection.
    root: Selection
    #: All selections in force, each with the index of its models, ``None`` for the unit itself.
    nodes: list[tuple[Selection, int | None]] = field(default_factory=list)
    #: The selections that are models; the root if there are none.
    models: list[Selection] = field(default_factory=list)
    #: The models read so far, in the order of ``models``.
    groups: list[ModelGroup] = field(default_factory=list)
    #: What goes into the unit and the army.
    rules: list[UnitRule] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)
    led_as: list[tuple[str, str]] = field(default_factory=list)
    joins_led: bool | None = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Add what is simplified when the unit is computed with."""
        self.notes.append(f"{self.root.name}: {sentence}")

    def warn(self, sentence: str) -> None:
        """Add what was read with a doubt or left out."""
        self.warnings.append(f"{self.root.name}: {sentence}")

    @property
    def size(self) -> int:
        """Number of models at the start of the battle."""
        return sum(model.number for model in self.models)


def open_draft(root: Selection) -> Draft:
    """Find the models of a unit and what belongs to which."""
    draft = Draft(root)
    _collect(draft, root, None)
    if not draft.models:
        draft.models.append(root)
        draft.nodes = [(node, 0) for node, _ in draft.nodes]
        return draft
    if len(draft.models) == 1:  # then wargear beside the models can be nobody else's
        draft.nodes = [(node, 0 if node is not root else None) for node, _ in draft.nodes]
    if root.type == "model":
        draft.warn("it is a model that holds other models; only those are counted")
    elif root.number > 1:
        draft.warn(f"it is listed {root.number} times in one entry; read as one unit of {draft.size} models")
    return draft


def _collect(draft: Draft, node: Selection, group: int | None) -> None:
    if node.number == 0:
        draft.warn(f"{node.name!r} is listed 0 times and left out")
        return
    if node.type == "crew":
        draft.note(f"{node.name} starts the battle inside another model and is not counted")
        return
    if node.type == "model" and node is not draft.root:
        group = len(draft.models)
        draft.models.append(node)
    draft.nodes.append((node, group))
    for child in node.selections:
        _collect(draft, child, group)


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


def read_unit(root: Selection) -> tuple[Unit, list[str]]:
    """Read a unit."""
    draft = open_draft(root)
    if draft.size > MAX_COUNT:
        raise RosterError(
            f"expected at most {MAX_COUNT:,} models in a unit, but {root.name} has {draft.size:,}; "
            "export the list again"
        )
    read_models(draft)
    read_rules(draft)
    weapons, unassigned = read_wargear(draft)
    enhancements = (node.name for node, _ in draft.nodes if node.group.startswith("Enhancement"))
    unit = Unit(
        name=root.name,
        points=_unit_points(draft),
        models=tuple(draft.groups),
        weapons=weapons,
        keywords=keywords_of(root),
        factions=factions_of(root),
        enhancements=tuple(enhancements),
        rules=tuple(draft.rules),
        leads=tuple(dict.fromkeys(draft.leads)),
        led_as=tuple(dict.fromkeys(draft.led_as)),
        joins_led=draft.joins_led,
        unassigned_weapons=unassigned,
        notes=tuple(dict.fromkeys(draft.notes)),
    )
    return _with_known_owners(unit), list(dict.fromkeys(draft.warnings))


def _with_known_owners(unit: Unit) -> Unit:
    """Return the unit whose rules for models that it does not name count as not understood."""
    rules = []
    for rule in unit.rules:
        named = [
            effect for effect in rule.effects if effect.scope == "named" and not groups_of(effect, rule, unit)
        ]
        for effect in named:
            rule = replace(rule, unread=(*rule.unread, f"for {', '.join(effect.who)}"))  # noqa: PLW2901
        rules.append(replace(rule, effects=tuple(effect for effect in rule.effects if effect not in named)))
    return replace(unit, rules=tuple(rules))


def total_points(costs: Iterable[Cost]) -> float:
    """Sum of all costs in points, a whole number if it is one but for binary noise."""
    return whole_points(sum(cost.value for cost in costs if is_points(cost)))


def _unit_points(draft: Draft) -> int:
    points = total_points(cost for node in draft.root.walk() for cost in node.costs)
    whole = max(0, round(points))
    if points != whole:
        draft.warn(f"its costs add up to {points} points, which no unit costs: taken as {whole}")
    return whole
