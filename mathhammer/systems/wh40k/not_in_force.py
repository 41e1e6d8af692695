"""Abilities and conditions that move nothing in a volley, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.sequence import Step
from mathhammer.systems.wh40k.conditions import out_of_force

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.keywords import Keyword
    from mathhammer.systems.wh40k.saves import Save
    from mathhammer.systems.wh40k.stages import Stages

__all__ = ["ELSEWHERE", "MOVES_NOTHING", "cover_denied", "not_in_force"]

#: Abilities that are read and kept but that move nothing in one unit's attacks on a unit of equal models.
MOVES_NOTHING = {
    "Assault": "may shoot after advancing",
    "Extra Attacks": "is used beside another melee weapon; its Attacks change only by rules that name it",
    "One Shot": "can be used once per battle",
    "Pistol": "may shoot while engaged",
    "Precision": "chooses among different models, and these are equal",
    "Psychic": "the target has no Feel No Pain against Psychic Attacks",
}
#: Abilities whose effect is not part of what happens to the target, and where it is computed.
ELSEWHERE = {
    "Hazardous": "moves nothing on the target: wh40k.hazardous computes what it does to the attacker"
}


def not_in_force(stages: Stages, edition: Edition) -> Iterator[Step]:
    """Yield a step for each ability and condition that moves nothing here."""
    for keyword in stages.weapon.keywords:
        text = _why(keyword, stages, edition)
        if text:
            yield Step(str(keyword), text)
    for name, reason in out_of_force(stages.weapon, stages.situation, edition):
        yield Step(name, f"moves nothing here: {reason}")
    for name, reason in _unused(stages, edition):
        yield Step(name, f"moves nothing here: {reason}")
    if stages.situation.ignored:
        yield Step(
            "Ignored",
            f"the modifiers of {', '.join(sorted(stages.situation.ignored))} that harm the attacker",
        )


def _unused(stages: Stages, edition: Edition) -> Iterator[tuple[str, str]]:
    """Yield what is true of the volley and moves nothing, though a player could expect it to."""
    at, melee = stages.situation, stages.weapon.melee
    if at.overwatch and melee:
        yield "overwatch", "a melee weapon"
    if at.cover and melee and all(cover.against == "ranged" for cover in edition.covers):
        yield "cover", "a melee weapon"
    if at.indirect and not melee and not stages.weapon.has("Indirect Fire"):
        yield "indirect", "no Indirect Fire, so that it can attack only what is visible"
    if at.advanced and not melee and not stages.weapon.has("Assault"):
        yield "advanced", "no Assault, so that it cannot shoot after advancing"
    if at.wound_fails_up_to > 1 and all(wound.check.fails_up_to == 1 for wound in stages.wounds):
        yield "wound_fails_up_to", "the attacker's rule has priority"


def cover_denied(stages: Stages, save: Save, edition: Edition) -> tuple[str, ...]:
    """Say why a target in cover has no benefit of it for its armour save; nothing where it has."""
    at = stages.situation
    in_cover = at.cover or (at.indirect and "Indirect Fire" in stages.abilities)
    if save.name != "armour" or stages.weapon.melee or not in_cover:
        return ()
    if "Ignores Cover" in stages.abilities:
        return ("no benefit of cover (Ignores Cover)",)
    exempt = any(cover.exempt for cover in edition.covers)
    given = any("cover" in modifier.source for modifier in save.modifiers)
    return ("no benefit of cover (Save of 3+ or better against AP 0)",) if exempt and not given else ()


def _why(keyword: Keyword, stages: Stages, edition: Edition) -> str:  # noqa: PLR0911 - one line a reason
    if not keyword.known:
        return "not known, not computed"
    if keyword.name not in edition.abilities:
        return f"moves nothing here: not an ability of the {edition.title}"
    if keyword.name == "Psychic" and stages.faced.feel_no_pain_psychic is not None:
        return ""
    if keyword.name in ELSEWHERE or keyword.name in MOVES_NOTHING:
        return ELSEWHERE.get(keyword.name) or f"moves nothing here: {MOVES_NOTHING[keyword.name]}"
    best = stages.abilities.get(keyword.name)
    if best is None:
        return f"not in force: the target is no {keyword.target}"
    if best != keyword:
        return f"not in force: {best} is used instead"
    if keyword.name == "Indirect Fire" and stages.situation.indirect and stages.hit is None:
        return "in force for cover alone: no hit roll is made; Torrent can be used only at what is visible"
    reason = _missing(keyword.name, stages, edition)
    return f"not in force: {reason}" if reason else ""


def _missing(name: str, stages: Stages, edition: Edition) -> str:  # noqa: PLR0911 - one line an ability
    """What an ability lacks; nothing where it is in force."""
    at = stages.situation
    if name in _NEEDS and not getattr(at, _NEEDS[name][0]):
        return _NEEDS[name][1]
    for ability, when, _ in edition.movement:
        if ability == name and not getattr(at, when):
            return {"stationary": "moved", "moved": "did not move", "advanced": "did not advance"}[when]
    if (
        name in {"Heavy", "Indirect Fire", "Conversion", "Lethal Hits", "Sustained Hits"}
        and stages.hit is None
    ):
        return "no hit roll is made"
    if name == "Blast" and not any("Blast" in line for line in stages.attacks.modifiers):
        return f"adds nothing against {stages.faced.models} models"
    if name == "Ignores Cover" and not (at.cover or at.indirect):
        return "the target is not in cover"
    if name == "Twin-linked" and at.reroll_wounds in {"failed", "non-critical"}:
        return "every failed wound roll is re-rolled in any case"
    return ""


#: Of an ability the situation that it needs, and what is so where it is not.
_NEEDS = {
    "Rapid Fire": ("half_range", "beyond half range"),
    "Melta": ("half_range", "beyond half range"),
    "Lance": ("charged", "did not charge"),
    "Indirect Fire": ("indirect", "the target is visible"),
    "Conversion": ("long_range", "not beyond the distance that it names"),
}
