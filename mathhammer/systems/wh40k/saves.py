"""Saving throws of a target: armour under Armour Penetration and cover, invulnerable under neither."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.expressions.check import Check
from mathhammer.modifiers import Modifier, clamped_total

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.keywords import Keyword
    from mathhammer.systems.wh40k.profiles import Target, Weapon
    from mathhammer.systems.wh40k.situation import Situation

__all__ = ["Save", "cover_modifiers", "saves_against"]


class Save(NamedTuple):
    """One saving throw that the defender may choose, with the weight of its failure out of 36."""

    name: str
    characteristic: int
    check: Check
    modifiers: tuple[Modifier, ...]
    unsaved: int


def saves_against(
    weapon: Weapon,
    ap: int,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    edition: Edition,
    rulings: Mapping[str, str],
    armour: tuple[Modifier, ...] = (),
    printed_save: int | None = None,
) -> tuple[Save, ...]:
    """Return the saving throws to choose from: armour under AP and cover, invulnerable under neither.

    `armour` are modifiers of the armour save alone; `printed_save` is the Save before modifiers.
    """
    saves = []
    depth = -ap
    cap = 99 if edition.save_cap is None else edition.save_cap
    if target.save is not None:
        modifiers = [*situation.save_modifier, *armour]
        indirect = situation.indirect and "Indirect Fire" in abilities
        if situation.cover or indirect:
            printed = rulings.get("cover_condition") == "printed" and printed_save is not None
            tested = (printed_save or 7, weapon.ap) if printed else (target.save, ap)
            modifiers += cover_modifiers(weapon, "save", abilities, situation, edition, *tested)
        bonus = clamped_total(modifiers, -99, 99) if modifiers else 0
        gross = rulings.get("save_cap") == "gross"
        net = min(bonus, cap) - depth if gross else min(bonus - depth, cap)
        if depth:
            modifiers.append(_of_ap(ap))
        check = Check(need=target.save, modifier=net, reroll=situation.reroll_saves)
        saves.append(Save("armour", target.save, check, tuple(modifiers), check.weights()[0]))
    for need, against in target.invulnerable:
        if against is None or (against == "melee") == weapon.melee:
            modifier = clamped_total(situation.save_modifier, -99, cap) if situation.save_modifier else 0
            check = Check(need=need, modifier=modifier, reroll=situation.reroll_saves)
            saves.append(Save("invulnerable", need, check, situation.save_modifier, check.weights()[0]))
    return tuple(saves)


@lru_cache(maxsize=64)
def _of_ap(ap: int) -> Modifier:
    return Modifier("add", ap, f"AP{ap:+d}")


def cover_modifiers(
    weapon: Weapon,
    roll: str,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    edition: Edition,
    save: int = 0,
    ap: int = 0,
) -> list[Modifier]:
    """Return what the cover that the target is in adds to the hit roll, or to its armour save."""
    if "Ignores Cover" in abilities:
        return []
    given = situation.cover
    found = []
    for index, cover in enumerate(edition.covers):
        # An edition with one kind of cover takes any for it; Indirect Fire gives it to a target without.
        named = isinstance(given, frozenset) and len(edition.covers) > 1
        present = cover.name in given if named else index == 0  # type: ignore[operator]
        if not present or cover.roll != roll or (cover.against == "melee") != weapon.melee:
            continue
        if (cover.exempt and save <= 3 and ap == 0) or (cover.not_if_charged and situation.target_charged):
            continue
        name = "benefit of cover" if cover.name == "cover" else f"{cover.name} cover"
        found.append(Modifier("add", cover.value, name if given else f"{name} from Indirect Fire"))
    return found
