"""Units of an army list in a battle: the weapons they use, what attacks on them meet, and leaders that join them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher, get_close_matches
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, cast

from mathhammer.errors import MathhammerError, RosterError, UnknownNameError
from mathhammer.systems.wh40k.editions import find_edition, rulebook
from mathhammer.systems.wh40k.profiles.targets import TargetUnit
from mathhammer.systems.wh40k.rules.conditions import INDIRECT
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.situation import Volley
from mathhammer.systems.wh40k.unit_rules.applied import defended, leaders_gifts, leaders_rules, needed
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.armies.army import Army
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
        for line in sorted(own, key=lambda line: -worth(line.modes[0], line) / line.count):
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
        got = f"{unit.name!r} with {'ranged and melee weapons' if melee else 'no weapon that it can use'}"
        got += "; Unit.only('shooting') and Unit.only('melee') leave out the others"
        raise MathhammerError(f"expected a unit with the weapons of one phase to attack with, got {got}")
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
    pistols = [each for each in lines if any(r.instead_of_others for r in abilities_of(each.modes[0], known))]
    guns = [line for line in lines if line not in pistols]
    # Fewer guns than models: at least so many models hold nothing but their pistols, and use them.
    without = models - sum(line.count for line in guns)
    if without > 0:
        guns += [replace(line, count=count) for line in pistols if (count := line.count * without // models)]
    by_guns, by_pistols = (sum(worth(each.modes[0], each) for each in some) for some in (guns, pistols))
    return pistols if by_pistols > by_guns else guns


def _models(unit: Unit, lines: list[WeaponLine]) -> int:
    """Models that carry these lines, which are all of one group."""
    group = lines[0].group
    return max(line.count for line in lines) if group is None else unit.models[group].count


def _strongest_first(lines: Iterable[WeaponLine], worth: Estimate) -> tuple[WeaponLine, ...]:
    """Return lines of one mode each by what a copy is worth, in one order however the list has them."""

    def key(line: WeaponLine) -> tuple[float, str]:
        return -round(worth(line.modes[0], line) / line.count, 9), str(line.modes[0])

    return tuple(sorted(lines, key=key))


def defender(unit: Unit) -> Target | TargetUnit:
    """Return a unit as a target; its player keeps the few special models until last (core rules, Allocate Attack)."""
    whole = _as_it_is(replace(unit, models=unit.effective_models, rules=()), {})
    gifts = leaders_gifts(unit) if unit.joined else {}
    if not (gifts and isinstance(whole, TargetUnit)):
        return whole
    alone = _as_it_is(replace(unit, models=defended(unit, alone=True), rules=()), gifts)
    if not isinstance(alone, TargetUnit):
        return whole
    given = map(alone.gifted, alone.kinds)
    gifted = [replace(each, invulnerable=tuple(needed(each.invulnerable))) for each in given]
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


# Units by name, and leaders that join them:
_LONGEST, _ALIKE = 60, 0.9
_NUMBERED = re.compile(r"(.+?)\s*#([1-9]\d{0,2})")


def attach_all(army: Army, pairs: Sequence[tuple[int, int]]) -> Army:
    """Attach units by their places in the list, leader first; what contradicts a pair before it is a warning."""
    units: list[Unit | None] = list(army.units)
    warnings = []
    for leader, bodyguard in pairs:
        first, second = units[leader], units[bodyguard]
        if first is not None and second is not None and leader != bodyguard and not first.joined:
            units[bodyguard] = join(first, second)
            units[leader] = None
        else:
            names = (army.units[leader].name, army.units[bodyguard].name)
            both = " to ".join(names)
            warnings.append(f"the list attaches {both}, and one of them elsewhere too: left out")
    found = tuple(filter(None, units))
    return replace(army, units=found, warnings=(*army.warnings, *dict.fromkeys(warnings)))


def bodyguards(army: Army, leader: int) -> list[int]:
    """Return the places of the units that a leader can join, as far as is known (10th edition core rules, Leader)."""
    # In the 11th a unit has one leader and one support (core rules 19.01), and lists do not say who is which.
    first, one_leader = army.units[leader], find_edition(army.edition).one_leader
    return [
        place
        for place, unit in enumerate(army.units)
        if place != leader
        and can_lead(first, unit)
        and (not unit.joined or not one_leader or _shared(first, unit) is not False)
    ]


def require_legal(army: Army, leader: int, bodyguard: int) -> None:
    """Refuse a pair that the abilities of the two are known not to allow; the message names those that they do."""
    first, second = army.units[leader], army.units[bodyguard]
    places = bodyguards(army, leader)
    if not first.leads or bodyguard in places:
        return
    keys = unit_keys(army.units)
    legal = ", ".join(repr(keys[place]) for place in places)
    in_army = f"in this army it can lead {legal}" if legal else "this army has no unit that it can lead"
    if can_lead(first, second):
        raise RosterError(
            f"expected a unit without another leader for {first.name!r}, got {second.name!r}, and no Leader ability of "
            f"theirs lets a unit have two; {in_army}"
        )
    raise RosterError(
        f"expected a unit that {first.name!r} can be attached to, got {second.name!r}; its Leader ability lists "
        f"{', '.join(first.leads)}; {in_army}"
    )


def _shared(leader: Unit, bodyguard: Unit) -> bool | None:
    """Whether one of them lets a unit have two leaders; nothing where that is not known of one of them."""
    said = {leader.joins_led, bodyguard.joins_led}
    return True if True in said else None if None in said else False


def can_lead(leader: Unit, bodyguard: Unit) -> bool:
    """Whether the ability of a leader, or of a bodyguard, says that they can be one unit (core rules, Leader)."""
    names = [(bodyguard.joined or (bodyguard.name,))[0]]
    names += [unit for who, unit in bodyguard.led_as if not who or leader.has_keyword(who)]
    if any(_words(name) == _words(listed) for name in names for listed in leader.leads):
        return True
    leads_itself = bodyguard.leads or any(rule.name in {"Leader", "Support"} for rule in bodyguard.rules)
    if not bodyguard.joined and leads_itself:
        return False
    keywords = {word for text in (*bodyguard.all_keywords, *bodyguard.factions) for word in _words(text)}

    def means(listed: list[str], name: list[str]) -> bool:
        """Whether a listed unit is this one: by part of its name, keywords, or another spelling (Plague Bearers)."""
        part = name[: len(listed)] == listed or (len(listed) == 1 and listed[0] in name)
        spelt = SequenceMatcher(None, "".join(name)[:_LONGEST], "".join(listed)[:_LONGEST])
        return part or keywords.issuperset(listed) or spelt.ratio() >= _ALIKE

    return any(means(listed, _words(name)) for name in names for listed in map(_words, leader.leads))


def _words(text: str) -> list[str]:
    """Return the words of a name, in the singular as far as an "s" tells."""
    return [word.removesuffix("s") for word in re.findall(r"[\w-]+", text.replace("\u2011", "-").casefold())]


def unit_keys(units: Sequence[Unit]) -> list[str]:
    """Return a name for each unit that finds it: ``"Wardens #2"`` is the second of that name."""
    return numbered(unit.name for unit in units)


def find_unit(units: Sequence[Unit], name: str, *, but: int | None = None) -> int:
    """Return the place of the unit with a name, or whose bodyguard had it; unattached units are preferred."""
    counted = _NUMBERED.fullmatch(name.strip())
    wanted, number = (counted[1], int(counted[2])) if counted else (name.strip(), None)
    matches = [
        index
        for index, unit in enumerate(units)
        if index != but and wanted.casefold() in {text.casefold() for text in (unit.name, *unit.joined[:1])}
    ]
    if not matches:
        known = {unit.name.casefold(): unit.name for index, unit in enumerate(units) if index != but}
        near = [repr(known[match]) for match in get_close_matches(name.casefold(), known, n=3, cutoff=0.4)]
        hint = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(known.values())}"
        raise UnknownNameError(f"expected the name of a unit of the army, got {shown(name)}; {hint}")
    if number is not None:
        if number > (most := len(matches)):
            left = f"got {shown(name)}; the army has {most} of them left"
            raise UnknownNameError(f"expected a number up to {most} after {wanted!r}, {left}")
        return matches[number - 1]
    return min(matches, key=lambda index: (units[index].name.casefold() != wanted.casefold(), index))


def join(leader: Unit, bodyguard: Unit) -> Unit:
    """Return one unit of the two, the bodyguard's models first."""
    if leader.joined:
        attached = (
            f"{leader.name!r} is attached already; attach {leader.joined[1]!r} to another unit of the army"
        )
        raise RosterError(f"expected a leader that stands alone, but {attached} as it was read")
    leads = leader.has_keyword("Character") or any(rule.name == "Leader" for rule in leader.rules)
    shared = {keyword.casefold() for keyword in leader.keywords}
    common = tuple(keyword for keyword in bodyguard.keywords if keyword.casefold() in shared)
    attacked = f"{bodyguard.name}: {leader.name} is no Character, so its models are attacked like the others"
    notes = [*bodyguard.notes, *leader.notes, *[attacked] * (not leads and bool(leader.all_keywords))]
    names = (*(bodyguard.joined or (bodyguard.name,)), leader.name)
    shift = len(bodyguard.models)  # the places of what belongs to the leader's models
    weapons = list(leader.weapons)
    for at, line in enumerate(weapons):
        if line.group is not None or len(leader.models) == 1:
            weapons[at] = replace(line, group=(line.group or 0) + shift)
    rules = [replace(rule, groups=tuple(place + shift for place in rule.groups)) for rule in leader.rules]
    return type(bodyguard)(
        name=f"{names[0]} with {' and '.join(names[1:])}",
        points=bodyguard.points + leader.points,
        models=(*_joining(bodyguard, common, leader=False), *_joining(leader, common, leader=True)),
        weapons=(*bodyguard.weapons, *weapons),
        keywords=common,
        factions=tuple(dict.fromkeys((*bodyguard.factions, *leader.factions))),
        enhancements=(*bodyguard.enhancements, *leader.enhancements),
        rules=tuple(dict.fromkeys((*bodyguard.rules, *rules))),
        unassigned_weapons=(*bodyguard.unassigned_weapons, *leader.unassigned_weapons),
        notes=tuple(dict.fromkeys(notes)),
        joined=names,
        led_as=bodyguard.led_as,
        joins_led=_shared(leader, bodyguard) if bodyguard.joined else leader.joins_led,
    )


def _joining(unit: Unit, common: tuple[str, ...], *, leader: bool) -> list[ModelGroup]:
    """Return the models with all their keywords but the common ones, and with their share of the points."""
    own = [keyword for keyword in unit.keywords if keyword not in common]
    if any(_is_character(group.keywords) for group in unit.models):
        # Where the data say which of the models are Characters, the others are their attendants.
        own = [keyword for keyword in own if not _is_character((keyword,))]
    costs = priced(unit.points, [each.points for each in unit.models], [each.count for each in unit.models])
    words = [tuple(dict.fromkeys((*own, *group.keywords))) for group in unit.models]
    return [
        replace(group, keywords=said, leader=group.leader or leader, points=cost)
        for group, said, cost in zip(unit.models, words, costs, strict=True)
    ]


def _is_character(keywords: Iterable[str]) -> bool:
    return any(keyword.casefold() == "character" for keyword in keywords)
