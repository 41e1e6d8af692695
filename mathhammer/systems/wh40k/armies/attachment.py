"""Leaders that join units, units by name, and how an army shows itself."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.display.numbers import count
from mathhammer.display.panel import Panel, Table
from mathhammer.errors import RosterError, UnknownNameError
from mathhammer.systems.wh40k.armies.defenders import numbered, shares
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mathhammer.systems.wh40k.armies.army import Army
    from mathhammer.systems.wh40k.armies.unit import ModelGroup, Unit, WeaponLine
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule


_LONGEST, _ALIKE = 60, 0.9
_NUMBERED = re.compile(r"(.+?)\s*#([1-9]\d{0,2})")


def attach(army: Army, leader: str, bodyguard: str) -> Army:
    """Attach a leader to a unit; see :meth:`mathhammer.wh40k.Army.attach`."""
    for name, role in ((leader, "leader"), (bodyguard, "bodyguard")):
        validation.text(
            name, f"the name of the {role}", f"the army has {', '.join(unit.name for unit in army.units)}"
        )
    first = find_unit(army.units, leader)
    second = find_unit(army.units, bodyguard, but=first)
    _require_legal(army, first, second)
    joined = _join(army.units[first], army.units[second])
    units = [joined if index == second else unit for index, unit in enumerate(army.units) if index != first]
    return replace(army, units=tuple(units))


def attach_all(army: Army, pairs: Sequence[tuple[int, int]]) -> Army:
    """Attach units by their places in the list, leader first; what contradicts a pair before it is a warning."""
    units: list[Unit | None] = list(army.units)
    warnings = []
    for leader, bodyguard in pairs:
        first, second = units[leader], units[bodyguard]
        if first is not None and second is not None and leader != bodyguard and not first.joined:
            units[bodyguard] = _join(first, second)
            units[leader] = None
        else:
            names = (army.units[leader].name, army.units[bodyguard].name)
            warnings.append(
                "the list attaches {} to {}, and one of them elsewhere too: left out".format(*names)
            )
    found = tuple(unit for unit in units if unit is not None)
    return replace(army, units=found, warnings=(*army.warnings, *dict.fromkeys(warnings)))


def lone_leaders(army: Army) -> dict[str, tuple[str, ...]]:
    """Return who may lead whom in an army; see :attr:`mathhammer.wh40k.Army.leaders`."""
    keys = unit_keys(army.units)
    return {
        key: tuple(keys[index] for index in _bodyguards(army, place))
        for place, (key, unit) in enumerate(zip(keys, army.units, strict=True))
        if unit.leads and not unit.joined
    }


def _bodyguards(army: Army, leader: int) -> list[int]:
    """Return the places of the units that a leader can be attached to."""
    return [
        place
        for place, unit in enumerate(army.units)
        if place != leader
        and can_lead(army.units[leader], unit)
        and _may_share(army.units[leader], unit, army.edition)
    ]


def _require_legal(army: Army, leader: int, bodyguard: int) -> None:
    """Refuse a pair that the abilities of the two are known not to allow; the message names those that they do."""
    first, second = army.units[leader], army.units[bodyguard]
    if not first.leads or bodyguard in _bodyguards(army, leader):
        return
    keys = unit_keys(army.units)
    legal = ", ".join(repr(keys[place]) for place in _bodyguards(army, leader))
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


def _may_share(leader: Unit, bodyguard: Unit, edition: str) -> bool:
    """Whether a unit can have a leader beside those that it has, as far as their abilities are known.

    In the 10th edition a unit has one leader unless a Leader ability says otherwise (core rules, "Leader"). In the 11th
    it has one leader and one support (core rules 19.01), and lists do not say who is which.
    """
    return (
        not bodyguard.joined
        or not find_edition(edition).one_leader
        or _shared(leader, bodyguard) is not False
    )


def _shared(leader: Unit, bodyguard: Unit) -> bool | None:
    """Whether one of them lets a unit have two leaders; nothing where that is not known of one of them."""
    said = {leader.joins_led, bodyguard.joins_led}
    return True if True in said else None if None in said else False


def can_lead(leader: Unit, bodyguard: Unit) -> bool:
    """Whether the ability of a leader, or of a bodyguard, says that they can be one unit.

    10th edition core rules, "Leader".
    """
    names = [(bodyguard.joined or (bodyguard.name,))[0]]
    names += [unit for who, unit in bodyguard.led_as if not who or leader.has_keyword(who)]
    if any(_words(name) == _words(listed) for name in names for listed in leader.leads):
        return True
    if not bodyguard.joined and (bodyguard.leads or _has_leader_rule(bodyguard)):
        return False
    keywords = {word for text in (*bodyguard.all_keywords, *bodyguard.factions) for word in _words(text)}
    return any(
        _means(listed, _words(name), keywords) for name in names for listed in map(_words, leader.leads)
    )


def _means(listed: list[str], name: list[str], keywords: set[str]) -> bool:
    """Whether what an ability lists is a part of a name, keywords, or a name that is spelt in another way."""
    return bool(
        name[: len(listed)] == listed
        or (len(listed) == 1 and listed[0] in name)
        or keywords.issuperset(listed)
        or _misspelt(name, listed)
    )


def _has_leader_rule(unit: Unit) -> bool:
    return any(rule.name in {"Leader", "Support"} for rule in unit.rules)


def _misspelt(name: list[str], listed: list[str]) -> bool:
    """Whether a name is one that the ability spells in another way: "Plague Bearers", "Traitor Guardsman"."""
    from difflib import SequenceMatcher

    first, second = ("".join(words)[:_LONGEST] for words in (name, listed))
    return SequenceMatcher(None, first, second).ratio() >= _ALIKE


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
        raise _unknown(units, name, but)
    if number is not None:
        if number > len(matches):
            raise UnknownNameError(
                f"expected a number up to {len(matches)} after {wanted!r}, got {shown(name)}; "
                f"the army has {len(matches)} of them left"
            )
        return matches[number - 1]
    return min(matches, key=lambda index: (units[index].name.casefold() != wanted.casefold(), index))


def _unknown(units: Sequence[Unit], name: str, but: int | None) -> UnknownNameError:
    from difflib import get_close_matches

    known = {unit.name.casefold(): unit.name for index, unit in enumerate(units) if index != but}
    near = [known[match] for match in get_close_matches(name.casefold(), known, n=3, cutoff=0.4)]
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"it has {', '.join(known.values())}"
    return UnknownNameError(f"expected the name of a unit of the army, got {shown(name)}; {hint}")


def _join(leader: Unit, bodyguard: Unit) -> Unit:
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
    notes = [*bodyguard.notes, *leader.notes]
    if not protected:
        notes.append(
            f"{bodyguard.name}: {leader.name} is no Character, so its models are attacked like the others"
        )
    names = (*(bodyguard.joined or (bodyguard.name,)), leader.name)
    return type(bodyguard)(
        name=f"{names[0]} with {' and '.join(names[1:])}",
        points=bodyguard.points + leader.points,
        models=(
            *_models(bodyguard, common, leader=False),
            *_models(leader, common, leader=True),
        ),
        weapons=(*bodyguard.weapons, *_weapons(leader, len(bodyguard.models))),
        keywords=common,
        factions=tuple(dict.fromkeys((*bodyguard.factions, *leader.factions))),
        enhancements=(*bodyguard.enhancements, *leader.enhancements),
        rules=tuple(dict.fromkeys((*bodyguard.rules, *_rules(leader, len(bodyguard.models))))),
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
    unpriced = [group.count for group in unit.models if group.points is None]
    rest = iter(shares(max(0, unit.points - sum(group.points or 0 for group in unit.models)), unpriced))
    return [
        replace(
            group,
            keywords=tuple(dict.fromkeys((*own, *group.keywords))),
            leader=group.leader or leader,
            points=next(rest) if group.points is None else group.points,
        )
        for group in unit.models
    ]


def _is_character(keywords: Iterable[str]) -> bool:
    return any(keyword.casefold() == "character" for keyword in keywords)


def _weapons(unit: Unit, shift: int) -> list[WeaponLine]:
    """Return the weapon lines with the places of their bearers moved behind the bodyguard's models."""
    only = 0 if len(unit.models) == 1 else None
    places = [line.group if line.group is not None else only for line in unit.weapons]
    return [
        replace(line, group=None if place is None else place + shift)
        for line, place in zip(unit.weapons, places, strict=True)
    ]


def _rules(unit: Unit, shift: int) -> list[UnitRule]:
    """Return the rules with the places of their owners moved behind the bodyguard's models."""
    return [replace(rule, groups=tuple(place + shift for place in rule.groups)) for rule in unit.rules]


def army_panel(army: Army) -> Panel:
    """Return the units with their models, points and wargear."""
    facts = {"faction": army.faction, "edition": army.edition, "points": f"{army.points:g}"}
    if army.detachments:
        facts["detachment"] = army.detachment
    facts["units"] = str(len(army.units))
    facts["models"] = str(sum(unit.size for unit in army.units))
    rows = [[unit.name, str(unit.size), str(unit.points), _wargear(unit)] for unit in army.units]
    tables = [Table(["unit", "models", "points", "wargear"], rows, "<>><")] if rows else []
    notes = []
    if army.unparsed:
        notes.append(
            f"{count(len(army.unparsed), 'item')} not understood or not computed: see army.unparsed."
        )
    if army.simplifications:
        simplified = count(len(army.simplifications), "simplification")
        notes.append(f"{simplified} of mixed units and their rules: see army.simplifications.")
    return Panel(army.name, facts, tables, notes)


def rules_table(rules: Iterable[UnitRule]) -> Table:
    """Return the rules that act on attacks, with their states and what they do."""
    rows = [
        [
            rule.name,
            rule.of,
            rule.state,
            "; ".join((*map(str, rule.effects), *(f"not understood: {key}" for key in rule.unread))),
        ]
        for rule in rules
        if rule.effects or rule.unread
    ]
    return Table(["rule", "of", "state", "what it does"], rows, "<<<<")


def unit_panel(unit: Unit) -> Panel:
    """Return the models and the wargear of a unit, its keywords, and what is not computed."""
    models = [[str(group), "leader" if group.leader else "model"] for group in unit.effective_models]
    wargear = [[str(line.count), str(weapon), line.bearer] for line in unit.weapons for weapon in line.modes]
    parts = [Table(["models", "as"], models, "<<")] if models else []
    parts += [Table(["number", "weapon", "bearer"], wargear, "><<")] if wargear else []
    named = {
        "Keywords": unit.all_keywords,
        "Factions": unit.factions,
        "Enhancements": unit.enhancements,
        "Rules without an effect on attacks": [rule.name for rule in unit.rules if rule.state == "no effect"],
        "Not computed": unit.unparsed_abilities,
    }
    notes = [f"{name}: {', '.join(texts)}." for name, texts in named.items() if texts]
    if any(rule.effects or rule.unread for rule in unit.rules):
        parts.append(rules_table(unit.rules))
    facts = {"models": str(unit.size), "points": str(unit.points)}
    return Panel(unit.name, facts, parts, [*notes, *unit.simplifications])


def _wargear(unit: Unit) -> str:
    return ", ".join(f"{line.count} × {line.name}" if line.count > 1 else line.name for line in unit.weapons)
