"""Leaders that join units, and units by name."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher, get_close_matches
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError, UnknownNameError
from mathhammer.systems.wh40k.armies.choices import numbered, priced
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mathhammer.systems.wh40k.armies.army import Army
    from mathhammer.systems.wh40k.armies.unit import ModelGroup, Unit


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
            warnings.append(
                "the list attaches {} to {}, and one of them elsewhere too: left out".format(*names)
            )
    found = tuple(unit for unit in units if unit is not None)
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
    return any(
        _means(listed, _words(name), keywords) for name in names for listed in map(_words, leader.leads)
    )


def _means(listed: list[str], name: list[str], keywords: set[str]) -> bool:
    """Whether an ability lists a part of a name, keywords, or a name in another spelling, such as Plague Bearers."""
    part = name[: len(listed)] == listed or (len(listed) == 1 and listed[0] in name)
    spelt = SequenceMatcher(None, "".join(name)[:_LONGEST], "".join(listed)[:_LONGEST])
    return part or keywords.issuperset(listed) or spelt.ratio() >= _ALIKE


def _words(text: str) -> list[str]:
    """Return the words of a name, in the singular as far as an "s" tells."""
    return [word.removesuffix("s") for word in re.findall(r"[\w-]+", text.replace("\u2011", "-").casefold())]


def unit_keys(units: Sequence[Unit]) -> list[str]:
    """Return a name for each unit that finds it: ``"Wardens #2"`` is the second of that name."""
    return numbered(unit.name for unit in units)


def find_unit(units: Sequence[Unit], name: str, *, but: int | None = None) -> int:
    """Return the place of the unit with a name, or whose bodyguard had it; unattached units are preferred."""
    numbered = _NUMBERED.fullmatch(name.strip())
    wanted, number = (numbered[1], int(numbered[2])) if numbered else (name.strip(), None)
    matches = [
        index
        for index, unit in enumerate(units)
        if index != but and wanted.casefold() in {text.casefold() for text in (unit.name, *unit.joined[:1])}
    ]
    if not matches:
        known = {unit.name.casefold(): unit.name for index, unit in enumerate(units) if index != but}
        near = [known[match] for match in get_close_matches(name.casefold(), known, n=3, cutoff=0.4)]
        hint = (
            f"did you mean {' or '.join(map(repr, near))}?" if near else f"it has {', '.join(known.values())}"
        )
        raise UnknownNameError(f"expected the name of a unit of the army, got {shown(name)}; {hint}")
    if number is not None:
        if number > len(matches):
            raise UnknownNameError(
                f"expected a number up to {len(matches)} after {wanted!r}, got {shown(name)}; "
                f"the army has {len(matches)} of them left"
            )
        return matches[number - 1]
    return min(matches, key=lambda index: (units[index].name.casefold() != wanted.casefold(), index))


def join(leader: Unit, bodyguard: Unit) -> Unit:
    """Return one unit of the two, the bodyguard's models first."""
    if leader.joined:
        raise RosterError(
            f"expected a leader that stands alone, but {leader.name!r} is attached already; "
            f"attach {leader.joined[1]!r} to another unit of the army as it was read"
        )
    protected = (
        leader.has_keyword("Character")
        or any(rule.name == "Leader" for rule in leader.rules)
        or not leader.all_keywords
    )
    shared = {keyword.casefold() for keyword in leader.keywords}
    common = tuple(keyword for keyword in bodyguard.keywords if keyword.casefold() in shared)
    attacked = f"{bodyguard.name}: {leader.name} is no Character, so its models are attacked like the others"
    notes = [*bodyguard.notes, *leader.notes, *[attacked] * (not protected)]
    names = (*(bodyguard.joined or (bodyguard.name,)), leader.name)
    shift = len(bodyguard.models)  # the places of what belongs to the leader's models
    only = 0 if len(leader.models) == 1 else None
    places = [line.group if line.group is not None else only for line in leader.weapons]
    weapons = [
        replace(line, group=None if place is None else place + shift)
        for line, place in zip(leader.weapons, places, strict=True)
    ]
    rules = [replace(rule, groups=tuple(place + shift for place in rule.groups)) for rule in leader.rules]
    return type(bodyguard)(
        name=f"{names[0]} with {' and '.join(names[1:])}",
        points=bodyguard.points + leader.points,
        models=(*_models(bodyguard, common, leader=False), *_models(leader, common, leader=True)),
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


def _models(unit: Unit, common: tuple[str, ...], *, leader: bool) -> list[ModelGroup]:
    """Return the models with all their keywords but the common ones, and with their share of the points."""
    own = [keyword for keyword in unit.keywords if keyword not in common]
    if any(_is_character(group.keywords) for group in unit.models):
        # Where the data say which of the models are Characters, the others are their attendants.
        own = [keyword for keyword in own if not _is_character((keyword,))]
    costs = priced(
        unit.points, [group.points for group in unit.models], [group.count for group in unit.models]
    )
    return [
        replace(
            group,
            keywords=tuple(dict.fromkeys((*own, *group.keywords))),
            leader=group.leader or leader,
            points=cost,
        )
        for group, cost in zip(unit.models, costs, strict=True)
    ]


def _is_character(keywords: Iterable[str]) -> bool:
    return any(keyword.casefold() == "character" for keyword in keywords)
