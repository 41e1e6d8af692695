"""Abilities and conditions that move nothing in a volley, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.sequence import Step
from mathhammer.systems.wh40k.conditions import out_of_force

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.keywords import Keyword
    from mathhammer.systems.wh40k.stages import Stages

__all__ = ["ELSEWHERE", "MOVES_NOTHING", "not_in_force"]

#: Abilities that are read and kept but that move nothing in one unit's attacks on a unit of equal models.
MOVES_NOTHING = {
    "Assault": "may shoot after advancing",
    "Extra Attacks": "is used beside another melee weapon",
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
    if name == "Twin-linked" and at.reroll_wounds is not None:
        return "the wound re-roll of the situation is used"
    return ""


#: Of an ability the situation that it needs, and what is so where it is not.
_NEEDS = {
    "Rapid Fire": ("half_range", "beyond half range"),
    "Melta": ("half_range", "beyond half range"),
    "Lance": ("charged", "did not charge"),
    "Indirect Fire": ("indirect", "the target is visible"),
    "Conversion": ("long_range", "not beyond the distance that it names"),
}
