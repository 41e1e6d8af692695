"""A unit of an army list as what attacks meet: its kinds of models, in the order in which they are attacked."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, cast

from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
from mathhammer.systems.wh40k.unit_rules.applied import defended, leaders_gifts, leaders_rules, needed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mathhammer.systems.wh40k.armies.unit import ModelGroup, Unit
    from mathhammer.systems.wh40k.profiles.profiles import Target


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
    targets = [
        replace(
            cast("Target", groups[0].profile),  # a kind begins with one that has a stat line: see _kinds
            name=name,
            models=_count(groups),
            keywords=tuple(
                dict.fromkeys((*unit.keywords, *(word for each in groups for word in each.keywords)))
            ),
            points=cost,
        )
        for name, groups, cost in zip(names, kinds, _points(unit, kinds), strict=True)
    ]
    sides = [
        [target for target, groups in zip(targets, kinds, strict=True) if groups[0].leader is leader]
        for leader in (False, True)
    ]
    givers = {
        name: gifts[place]
        for name, groups in zip(names, kinds, strict=True)
        for place, group in enumerate(unit.models)
        if place in gifts and group in groups
    }
    return TargetUnit(unit.name, *sides, gifts=givers)


def shares(points: int, counts: Sequence[int]) -> list[int]:
    """Return whole points for groups of so many models, in proportion; they add up to the points."""
    every = sum(counts)
    ends = [0, *accumulate(counts)]
    # The running total is cut, at the nearest whole number, so that nothing is lost on the way.
    cuts = [(2 * points * end + every) // (2 * every) if every else 0 for end in ends]
    return [right - left for left, right in pairwise(cuts)]


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


def _points(unit: Unit, kinds: list[list[ModelGroup]]) -> list[int]:
    """Return the points of each kind; they add up to those of the unit."""
    known = [
        sum(group.points or 0 for group in groups)
        if all(group.points is not None for group in groups)
        else None
        for groups in kinds
    ]
    rest = max(0, unit.points - sum(cost or 0 for cost in known))
    open_kinds = [_count(groups) for groups, cost in zip(kinds, known, strict=True) if cost is None]
    shared = iter(shares(rest, open_kinds))
    return [next(shared) if cost is None else cost for cost in known]
