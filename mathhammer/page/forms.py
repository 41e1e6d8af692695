"""What the page asks for: the controls of an edition as data, made from the entries of its rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.page.fields import ruling_fields
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, EDITIONS, find_edition
from mathhammer.systems.wh40k.profiles.targets import TARGETS
from mathhammer.systems.wh40k.rules import values

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon

_REROLLS = {
    "ones": "results of 1",
    "failed": "failed rolls",
    "failed-unmodified": "rolls that fail before modifiers",
    "non-critical": "all but critical",
    "one": "one of all (Command Re-roll)",
}


def controls(edition: str | None = None) -> dict[str, Any]:
    """Return what can be asked under an edition: its situation, rulings, abilities and standard targets."""
    chosen = find_edition(edition or DEFAULT_EDITION)
    return {
        "edition": chosen.name,
        "title": chosen.title,
        "editions": [{"name": each.name, "title": each.title} for each in reversed(list(EDITIONS.values()))],
        "situation": [
            control | {"name": name, "group": rule.group, "help": rule.help, "offered": rule.offered}
            for name, rule in chosen.conditions.items()
            if (control := _control(rule.label, rule.value, chosen)) is not None
        ],
        "rulings": ruling_fields(chosen.rulings),
        "abilities": [{"name": each.name, "help": each.help} for each in chosen.abilities.values()],
        "targets": [target_fields(target) for target in TARGETS.of(chosen.name).values()],
    }


def _control(label: str, value: values.Value, edition: Edition) -> dict[str, Any] | None:
    """Return the control of a kind of value; none for what is written in Python or chosen among leaders."""
    kind = type(value)
    if kind is values.Flag or (kind is values.Kinds and len(edition.covers) < 2):
        return {"label": label, "kind": "flag"}
    options = _options(value, edition)
    return {"label": label, "kind": "choice", "options": options} if options else None


def _options(value: values.Value, edition: Edition) -> list[tuple[str, Any]]:
    kind = type(value)
    if kind is values.Kinds:
        return [(cover.name, cover.name) for cover in edition.covers]
    if kind is values.RollModifiers:
        return [(f"{step:+d}", step) for step in (2, 1, -1, -2)]
    if kind is values.Critical:
        return [(f"{face}+", face) for face in range(5, 1, -1)]
    if isinstance(value, values.Face):
        return [(str(face), face) for face in range(value.least, value.most + 1) if face != value.usual]
    if isinstance(value, values.Rerolls):
        return [(_REROLLS.get(word, word), word) for word in value.words]
    return []


def _roll(face: int | None) -> str:
    return "" if face is None else f"{face}+"


def _set(flag: bool) -> str:  # noqa: FBT001 - a box of the form, ticked or not
    return "1" if flag else ""


def weapon_fields(weapon: Weapon, count: int) -> dict[str, str]:
    """Return a weapon as the fields of its row."""
    return {
        "count": str(count),
        "name": weapon.name,
        "melee": _set(weapon.melee),
        "range": "" if weapon.melee else str(weapon.range),
        "attacks": str(weapon.attacks),
        "skill": _roll(weapon.skill),
        "strength": str(weapon.strength),
        "ap": str(weapon.ap),
        "damage": str(weapon.damage),
        "abilities": ", ".join(map(str, weapon.keywords)),
    }


def target_fields(target: Target) -> dict[str, str]:
    """Return a kind of models as the fields of its row."""
    return {
        "name": target.name,
        "models": str(target.models),
        "toughness": str(target.toughness),
        "save": _roll(target.save),
        "invulnerable": ", ".join(f"{roll}+ {kind or ''}".strip() for roll, kind in target.invulnerable),
        "wounds": str(target.wounds),
        "feel_no_pain": _roll(target.feel_no_pain),
        "feel_no_pain_mortal": _roll(target.feel_no_pain_mortal),
        "damage_reduction": str(target.damage_reduction or ""),
        "half_damage": _set(target.half_damage),
        "stealth": _set(target.stealth),
        "wounds_lost": str(target.wounds_lost or ""),
        "keywords": ", ".join(target.keywords),
        "points": str(target.points or ""),
        "deadly_demise": str(target.deadly_demise or ""),
        "damage_1_save_bonus": str(target.damage_1_save_bonus or ""),
        "line": str(target),
    }
