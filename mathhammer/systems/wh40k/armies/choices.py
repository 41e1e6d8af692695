"""The weapons that a unit uses when it shoots and when it fights, where the rules let its player choose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.volleys import Volley
from mathhammer.systems.wh40k.rules.conditions import INDIRECT
from mathhammer.systems.wh40k.rules.rule import abilities_of

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.armies.unit import Unit, WeaponLine
    from mathhammer.systems.wh40k.profiles.profiles import Weapon

Estimate = Callable[["Weapon", "WeaponLine"], float]
"""Estimate of all copies of a weapon in a line against the target: mean wounds lost, say."""


def shooting_lines(unit: Unit, worth: Estimate) -> tuple[WeaponLine, ...]:
    """Choose what a unit shoots with: each model its guns or its pistols, machines everything (core rules, Pistol)."""
    lines = _best_modes(unit, worth, melee=False)
    chosen: list[WeaponLine] = []
    for group in dict.fromkeys(line.group for line in lines):
        own = [line for line in lines if line.group == group]
        chosen += own if _shoots_all(unit, group) else _guns_or_pistols(own, _models(unit, own), worth)
    return _strongest_first(chosen, worth)


def melee_lines(unit: Unit, worth: Estimate) -> tuple[WeaponLine, ...]:
    """Choose what a unit fights with: one weapon a model, Extra Attacks besides (core rules, Fight, Extra Attacks)."""
    lines = _best_modes(unit, worth, melee=True)
    copies: dict[int, int] = {}
    known = rulebook().by_name
    for group in dict.fromkeys(line.group for line in lines):
        own = [index for index, line in enumerate(lines) if line.group == group]
        free = _models(unit, [lines[index] for index in own])
        copies.update(
            (index, lines[index].count)
            for index in own
            if any(rule.beside_others for rule in abilities_of(lines[index].modes[0], known))
        )
        choose = [index for index in own if index not in copies]
        for index in sorted(choose, key=lambda index: -_of_one(lines[index], worth)):
            copies[index] = min(lines[index].count, free)
            free -= copies[index]
    used = [replace(line, count=copies[index]) for index, line in enumerate(lines) if copies[index]]
    return _strongest_first(used, worth)


def usable(unit: Unit, situation: Mapping[str, Any]) -> Unit:
    """Return a unit with the weapons that it can use: at what is not visible only Indirect Fire (core rules)."""
    if not situation.get(INDIRECT.name):
        return unit
    permitting = rulebook().permitting(INDIRECT)
    return unit.with_weapons(lambda weapon: weapon.melee or any(map(weapon.has, permitting)))


def unit_volleys(unit: Unit, worth: Estimate, volley_of: Callable[[WeaponLine], Volley]) -> list[Volley]:
    """Return what a unit with weapons of one phase attacks with; equal weapons in one situation are one volley."""
    melee = {weapon.melee for line in unit.weapons for weapon in line.modes}
    if len(melee) != 1:
        found = "ranged and melee weapons" if melee else "no weapon that it can use"
        raise MathhammerError(
            f"expected a unit with the weapons of one phase to attack with, got {unit.name!r} with {found}; "
            "Unit.only('shooting') and Unit.only('melee') leave out the others"
        )
    volleys: dict[Volley, Volley] = {}
    for line in (melee_lines if melee == {True} else shooting_lines)(unit, worth):
        volley = volley_of(line)
        alike = Volley(replace(volley.weapon, name="any"), 1, **volley.situation)
        first = volleys.get(alike, volley)
        count = volley.count if first is volley else first.count + volley.count
        volleys[alike] = Volley(first.weapon, count, **first.situation)
    return list(volleys.values())


def _best_modes(unit: Unit, worth: Estimate, *, melee: bool) -> list[WeaponLine]:
    """Lines of one mode each: every weapon of the wanted kind in its best mode."""
    lines = []
    for line in unit.weapons:
        for choice in line.choices:
            modes = [weapon for weapon in choice if weapon.melee is melee]
            if modes:
                best = max(modes, key=lambda weapon: worth(weapon, line))
                lines.append(replace(line, choices=((best,),)))
    return lines


def _shoots_all(unit: Unit, group: int | None) -> bool:
    """Whether these models are Monsters or Vehicles; what is said of the unit holds for all of them."""
    keywords = unit.all_keywords if group is None else (*unit.keywords, *unit.models[group].keywords)
    return not {"monster", "vehicle"}.isdisjoint(keyword.casefold() for keyword in keywords)


def _guns_or_pistols(lines: list[WeaponLine], models: int, worth: Estimate) -> list[WeaponLine]:
    known = rulebook().by_name
    pistols = [
        line for line in lines if any(rule.instead_of_others for rule in abilities_of(line.modes[0], known))
    ]
    guns = [line for line in lines if line not in pistols]
    # Fewer guns than models: at least so many models hold nothing but their pistols, and use them.
    without = models - sum(line.count for line in guns)
    if without > 0:
        guns += [replace(line, count=count) for line in pistols if (count := line.count * without // models)]
    by_guns = sum(worth(line.modes[0], line) for line in guns)
    by_pistols = sum(worth(line.modes[0], line) for line in pistols)
    return pistols if by_pistols > by_guns else guns


def _models(unit: Unit, lines: list[WeaponLine]) -> int:
    """Models that carry these lines, which are all of one group."""
    group = lines[0].group
    return max(line.count for line in lines) if group is None else unit.models[group].count


def _of_one(line: WeaponLine, worth: Estimate) -> float:
    """Return what one copy of a line of one mode is worth."""
    return float(worth(line.modes[0], line)) / line.count


def _strongest_first(lines: Iterable[WeaponLine], worth: Estimate) -> tuple[WeaponLine, ...]:
    """Return lines of one mode each by what a copy is worth, in one order however the list has them."""
    return tuple(sorted(lines, key=lambda line: (-round(_of_one(line, worth), 9), str(line.modes[0]))))
