"""Trench Crusade: the weapons of the community's catalogue, and the fighters of a warband."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mathhammer.display import Catalogue
from mathhammer.errors import RosterError, UnknownNameError
from mathhammer.rosters import open_datasheets, tree
from mathhammer.rosters.datasheets import DatasheetSource, Lookup
from mathhammer.rosters.reading import parse_roster, read_content, start_of
from mathhammer.rosters.text import clean
from mathhammer.rosters.tree import CRUSADE, GAME_SYSTEMS, Profile, name_key, stat_lines
from mathhammer.systems.trench_crusade import Fighter, Keyword, Target, Weapon, parse_keywords
from mathhammer.systems.trench_crusade.profiles import ARMOUR

if TYPE_CHECKING:
    from collections.abc import Iterator

_Source = DatasheetSource | str | os.PathLike[str]
_Model = tuple[str, list[Profile], tuple[str, ...]]  # its name, all its profiles, its keywords

#: Special rules by the names in front of their texts, as keywords (Trench Crusade rules 1.0.2, Battlekit).
_RULES = """
bull's eye: IGNORE ARMOUR ON CRITICAL; liquid fire: IGNORE ARMOUR ON CRITICAL; despatch: IGNORE ARMOUR ON DOWN;
dangerous: DANGEROUS; heavy explosive: ONCE A GAME; unwieldy: -; fire shield: FIRE SHIELD; standfast: -;
ballistic box armour: BALLISTIC BOX; tungsten-orichalcum alloy shot: +1 INJURY DICE AT SHORT RANGE
"""
_KEYWORDS = dict(rule.strip().split(": ") for rule in _RULES.split(";"))
_AROUND = re.compile(r"^[^\w\"]*(?:\d+\s*x?\s+)?|\s*[(\[][^()\[\]]*[)\]]\s*$")  # bullet, count; price


def read_weapons(datasheets: _Source = "trench-crusade") -> Catalogue[Any]:
    """Read the weapons of Fawkstrot11/TrenchCrusade: a folder, an archive, or what ``mathhammer data get`` fetched.

    Its ``notes`` say what of them is not computed.
    """
    sheet, notes = _opened(datasheets).datasheet("Weapons"), list[str]()
    first = {each.name: each for _, parts in reversed(sheet.wargear if sheet else ()) for each in parts}
    read = {each: _weapon(first[each], notes) for each in sorted(first)}
    return Catalogue("weapons of the catalogue", read, notes)


def read_warband(
    path: str | os.PathLike[str], /, *, datasheets: _Source = "trench-crusade"
) -> Catalogue[Any]:
    """Read the fighters of a warband; each attacks with the first of its guns, else its melee weapons, its grenades.

    It is a file of New Recruit, or a text: the name of each, and behind a colon or below, between commas, its kit.
    """
    (data, name), notes = read_content(path), list[str]()
    if not start_of(data).startswith((b"<", b"{", b"PK", b"\x1f\x8b")):
        tree.require_room(len(data), 2**20, "MiB", name)
        models = list(_of_text(data.decode("utf-8-sig", "replace"), _opened(datasheets), notes))
    else:
        roster = parse_roster(data, name)
        if GAME_SYSTEMS.get(roster.game_system_id) != CRUSADE:
            raise RosterError(
                f"expected a list of Trench Crusade, got {tree.shorten(roster.game_system_name)}"
            )
        nodes = [each for each in roster.nodes() if stat_lines(each.profiles) for _ in range(each.number)]
        models = [(n.name, [p for part in n.walk() for p in part.profiles], n.categories) for n in nodes]
    tree.require_room(len(models), 1_000, "models", name)
    numbers = [1 + sum(each[0] == model[0] for each in models[:place]) for place, model in enumerate(models)]
    fighters = [_fighter(*each, notes) for each in zip(models, numbers, strict=True)]
    found = {each.target.name: each for each in fighters if each}
    if not found:
        raise RosterError("; ".join([f"expected a warband of armed fighters, {name} has none", *notes[:1]]))
    return Catalogue(f"fighters of {name}", found, notes)


def _opened(given: _Source) -> DatasheetSource:
    source = given if isinstance(given, DatasheetSource) else open_datasheets(given)
    if source.edition != CRUSADE:
        raise RosterError(f"expected datasheets of Trench Crusade, got some of the {source.edition}")
    return source


def _of_text(text: str, source: DatasheetSource, notes: list[str]) -> Iterator[_Model]:
    lookup, known = (
        Lookup(source, text.partition("\n")[0], notes),
        set(map(name_key, source.names())) - {"weapons"},
    )
    carried: list[Profile] = []
    for line in map(clean, text.splitlines()):
        head, _, rest = line.partition(":")
        if begins := name_key(name := _AROUND.sub("", head)) in known:
            sheet = lookup.sheet(name)
            carried = [*sheet.datasheet.profiles]
            yield sheet.datasheet.name, carried, sheet.datasheet.categories
        for each in (rest if begins else line).split(",") if carried else ():
            if (kit := _AROUND.sub("", each.strip())) and (profiles := sheet.wargear.find(kit)):
                carried.extend(profiles)
            elif kit:
                lookup.missing(f"{sheet.datasheet.name}: the datasheet has no {kit!r}", kit, sheet.wargear)


def _keywords(profile: Profile, notes: list[str]) -> tuple[Keyword, ...]:
    given = (profile.get("Keywords") or "").replace("HEAVY IGNORE", "HEAVY, IGNORE")  # a misprint
    rules = tree.plain(profile.get("Rules") or profile.get("Description") or "").replace("*", "").strip("-")
    special = [keyword for rule, keyword in _KEYWORDS.items() if f"{rule}:" in rules]
    notes += [f"{profile.name}: its special rule is not computed"] * bool(rules and not special)
    return parse_keywords(", ".join([given, *special]))


def _weapon(profile: Profile, notes: list[str]) -> Weapon:
    kind = Weapon.parse(f"x | {profile.get('Type') or ''} | {profile.get('Range') or ''} |").kind
    off_hand = 0 if "unwieldy" in (profile.get("Rules") or "").casefold() else None
    return Weapon(profile.name, kind=kind, keywords=_keywords(profile, notes), dice_off_hand=off_hand)


def _fighter(model: _Model, number: int, notes: list[str]) -> Fighter | None:
    (name, profiles, categories), line = model, next(iter(stat_lines(model[1])), None)
    armour, shield, worn, keywords = "none", False, 0, list[Keyword]()
    for each in categories:
        with suppress(UnknownNameError):  # a role of the list builder
            keywords += parse_keywords(each)
    for kit in (each for each in profiles if each.kind == "Battlekit"):
        kind, found = (kit.get("Type") or "").casefold(), _keywords(kit, notes)
        counted = [each for each in found if each.name == "INJURY MODIFIER" and kind in {"armour", "shield"}]
        value = sum(each.value or 0 for each in counted)
        keywords += [each for each in found if each not in counted]
        worn, shield = worn + value, shield or (kind == "shield" and value == -1)
        if kind == "armour" and (value != ARMOUR["machine"] or "Machine" in kit.name):
            armour = {known: each for each, known in ARMOUR.items()}.get(value, armour)
    texts = (str(line and line.get(each)) for each in ("Ranged", "Melee", "Armour"))
    ranged, melee, printed = (int((re.findall(r"[+-]?\d{1,2}", each) or [0])[0]) for each in texts)
    # What a list prints holds what is worn; what the catalogue prints need not.
    own = min(0, min(printed, worn) - ARMOUR[armour] + shield)
    called, shield = name + f" {number}" * (number > 1), shield and armour != "machine"
    target = Target(called, armour=armour, shield=shield, characteristic=own, keywords=keywords)
    order = lambda each: (each.has("ONCE A GAME"), "rmg".index(each.kind[0]))  # noqa: E731 - guns first
    held = sorted((_weapon(each, notes) for each in profiles if each.is_weapon), key=order)
    notes += [f"{name}: {each.name} is not computed" for each in profiles if each.kind == "Ability"]
    notes += [f"{name}: {each.name} is another attack" for each in held[1:]]
    able = held and not held[0].has("ONCE A GAME")
    notes += [f"{name} has no weapon for every Activation"] * (not able)
    return Fighter(target, held[0], ranged=ranged, melee=melee) if able else None
