"""A unit of an army list in a battle: the weapons that it uses, and what attacks on it meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, cast

from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
from mathhammer.systems.wh40k.profiles.volleys import Volley
from mathhammer.systems.wh40k.rules.conditions import INDIRECT
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.unit_rules.applied import defended, leaders_gifts, leaders_rules, needed

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.armies.unit import ModelGroup, Unit, WeaponLine
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon

Estimate = Callable[["Weapon", "WeaponLine"], float]
"""Estimate of all copies of a weapon in a line against the target: mean wounds lost, say."""


def shooting_lines(unit: Unit, worth: Estimate) -> tuple[WeaponLine, ...]:
    """Choose what a unit shoots with: each model its guns or its pistols, machines everything (core rules, Pistol)."""
    lines = _best_modes(unit, worth, melee=False)
    chosen: list[WeaponLine] = []
    for group in dict.fromkeys(line.group for line in lines):
        own = [line for line in lines if line.group == group]
        keywords = unit.all_keywords if group is None else (*unit.keywords, *unit.models[group].keywords)
        machine = not {"monster", "vehicle"}.isdisjoint(keyword.casefold() for keyword in keywords)
        chosen += own if machine else _guns_or_pistols(own, _models(unit, own), worth)
    return _strongest_first(chosen, worth)


def melee_lines(unit: Unit, worth: Estimate) -> tuple[WeaponLine, ...]:
    """Choose what a unit fights with: one weapon a model, Extra Attacks besides (core rules, Fight, Extra Attacks)."""
    lines = _best_modes(unit, worth, melee=True)
    used, known = [], rulebook().by_name
    for group in dict.fromkeys(line.group for line in lines):
        own = [line for line in lines if line.group == group]
        free = _models(unit, own)
        for line in sorted(own, key=lambda line: -_of_one(line, worth)):
            count = line.count
            if not any(rule.beside_others for rule in abilities_of(line.modes[0], known)):
                count = min(count, free)
                free -= count
            used += [replace(line, count=count)] * bool(count)
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
            if modes := [weapon for weapon in choice if weapon.melee is melee]:
                best = max(modes, key=lambda weapon: worth(weapon, line))
                lines.append(replace(line, choices=((best,),)))
    return lines


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


def defender(unit: Unit) -> Target | TargetUnit:
    """Return a unit as a target; its player keeps the few special models until last (core rules, Allocate Attack)."""
    whole = _as_it_is(replace(unit, models=unit.effective_models, rules=()), {})
    gifts = leaders_gifts(unit) if unit.joined else {}
    if not (gifts and isinstance(whole, TargetUnit)):
        return whole
    alone = _as_it_is(replace(unit, models=defended(unit, alone=True), rules=()), gifts)
    if not isinstance(alone, TargetUnit):
        return whole
    gifted = [
        replace(each, invulnerable=tuple(needed(each.invulnerable)))
        for each in map(alone.gifted, alone.kinds)
    ]
    return alone if gifted == list(whole.kinds) else whole


def lasting_gifts(unit: Unit) -> tuple[str, ...]:
    """Return a note on what leaders give their unit as a target where it does not end with them."""
    if not unit.joined or not leaders_rules(unit, ending=False):
        return ()
    rules = leaders_rules(unit, ending=bool(getattr(defender(unit), "gifts", ())))
    return (f"{unit.name}: {', '.join(rules)} lasts when its leader is destroyed",) if rules else ()


def _as_it_is(unit: Unit, gifts: Mapping[int, Mapping[str, Any]]) -> Target | TargetUnit:
    kinds = _kinds(unit)
    if len(kinds) == 1:
        return unit.as_target()
    names = numbered([max(groups, key=lambda group: group.count).name for groups in kinds], "{} ({})")
    points = [[group.points for group in groups] for groups in kinds]
    known = [None if None in each else sum(cost or 0 for cost in each) for each in points]
    costs = priced(unit.points, known, [_count(groups) for groups in kinds])
    sides: tuple[list[Target], list[Target]] = ([], [])
    givers = {}
    for name, groups, cost in zip(names, kinds, costs, strict=True):
        words = dict.fromkeys((*unit.keywords, *(word for each in groups for word in each.keywords)))
        profile = cast("Target", groups[0].profile)  # a kind begins with one that has a stat line: see _kinds
        about: Any = {"name": name, "models": _count(groups), "keywords": tuple(words), "points": cost}
        sides[groups[0].leader].append(replace(profile, **about))
        for place, gift in gifts.items():
            if unit.models[place] in groups:
                givers[name] = gift
    return TargetUnit(unit.name, *sides, gifts=givers)


def priced(points: int, costs: Sequence[int | None], counts: Sequence[int]) -> list[int]:
    """Return costs that add up to the points, those unknown in whole numbers in proportion to their models."""
    unknown = [number for cost, number in zip(costs, counts, strict=True) if cost is None]
    rest, every = max(0, points - sum(cost or 0 for cost in costs)), sum(unknown)
    # The running total is cut, at the nearest whole number, so that nothing is lost on the way.
    cuts = [(2 * rest * end + every) // (2 * every) if every else 0 for end in (0, *accumulate(unknown))]
    shares = iter([right - left for left, right in pairwise(cuts)])
    return [next(shares) if cost is None else cost for cost in costs]


def _kinds(unit: Unit) -> list[list[ModelGroup]]:
    """Return the groups of equal models, the largest number first and leaders last."""
    kinds: dict[tuple[object, ...], list[ModelGroup]] = {}
    unknown = []
    for group in unit.models:
        if group.has_stat_line:
            # Two leaders stay apart: Precision chooses one of them.
            key = (group.leader, group.name if group.leader else "", group.defence)
            kinds.setdefault(key, []).append(group)
        else:
            unknown.append(group)
    majority_models = unit.majority_models  # raises if no model has a stat line
    for groups in kinds.values():
        if majority_models in groups:
            groups.extend(unknown)
    return sorted(kinds.values(), key=lambda groups: (groups[0].leader, -_count(groups)))


def _count(groups: list[ModelGroup]) -> int:
    return sum(group.count for group in groups)


def numbered(names: Iterable[str], form: str = "{} #{}") -> list[str]:
    """Return different names: the second ``Wardens`` is ``Wardens #2``."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        number = seen[name] = seen.get(name, 0) + 1
        found.append(name if number == 1 else form.format(name, number))
    return found
