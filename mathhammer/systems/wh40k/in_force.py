"""The characteristics in force for one volley: what is printed, under every modifier of the situation."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mathhammer.characteristics import Characteristic
from mathhammer.expressions import as_expression

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.characteristics import CharacteristicRules
    from mathhammer.modifiers import Modifier
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles import Target, Weapon
    from mathhammer.systems.wh40k.situation import Situation

__all__ = ["armour_penetration", "modified_profiles", "modifiers_of"]


#: What a model may lack, and have by a rule.
_SAVES = ("save", "invulnerable")


def modifiers_of(situation: Situation, name: str) -> tuple[Modifier, ...]:
    """Return the situation's modifiers of one characteristic."""
    return tuple(modifier for modifier in situation.modifiers if modifier.of == name)


def modified_profiles(
    weapon: Weapon, target: Target, situation: Situation, edition: Edition
) -> tuple[Weapon, Target, tuple[Characteristic, ...]]:
    """Return weapon and target under the situation's modifiers, and the characteristics that these touch.

    Attacks, Armour Penetration and Damage are left out: other rules modify them in the same pass.
    """
    touched: list[Characteristic] = []

    def changes(profile: Weapon | Target, names: tuple[str, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in names:
            modifiers, printed = modifiers_of(situation, name), getattr(profile, name)
            given = _given(modifiers) if name in _SAVES else None
            if isinstance(printed, tuple):  # invulnerable saves, each with the attacks that it is against
                if given is not None and all(against for _, against in printed):
                    printed = (*printed, (given, None))
                if modifiers and printed:
                    found[name] = tuple((under(name, need, modifiers), against) for need, against in printed)
            elif modifiers and (printed if printed is not None else given) is not None:
                found[name] = under(name, printed if printed is not None else given, modifiers)
        return found

    def under(name: str, printed: Any, modifiers: tuple[Modifier, ...]) -> Any:
        base = Characteristic(printed, edition.characteristics[name], modifiers)
        touched.append(base)
        return base.value

    on_weapon = changes(weapon, ("skill", "strength"))
    if "strength" in on_weapon:
        on_weapon["strength"] = as_expression(on_weapon["strength"])
    on_target = changes(target, ("toughness", "save", "invulnerable"))
    return _with(weapon, on_weapon), _with(target, on_target), tuple(touched)


def _given(modifiers: tuple[Modifier, ...]) -> int | None:
    """Return what a rule sets, whatever the characteristic was: a model without one has it too."""
    return next((m.value for m in modifiers if m.operation == "set" and m.when is None), None)


def _with(profile: Any, changes: Mapping[str, Any]) -> Any:
    """Return a copy with other values; modified ones may be such as no datasheet prints."""
    if not changes:
        return profile
    found = copy(profile)
    for name, value in changes.items():
        object.__setattr__(found, name, value)
    return found


def armour_penetration(
    weapon: Weapon, situation: Situation, edition: Edition, rulings: Mapping[str, str]
) -> Characteristic:
    """Return the Armour Penetration: AP 0 is the worst there is, unless a ruling says otherwise."""
    rules: CharacteristicRules = edition.characteristics["ap"]
    if rulings.get("worsened_ap_0") == "improves-save":
        rules = replace(rules, most=None)
    return Characteristic(weapon.ap, rules, modifiers_of(situation, "ap"))
