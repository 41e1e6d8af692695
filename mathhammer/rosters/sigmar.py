"""Army lists of Age of Sigmar: units of a file that carries their profiles, or of a text and its warscrolls."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import Any

from mathhammer.errors import ParseError, RosterError
from mathhammer.rosters import open_datasheets
from mathhammer.rosters.datasheets import DatasheetSource, Lookup
from mathhammer.rosters.reading import as_text, parse_roster, read_content
from mathhammer.rosters.text import TextUnit, read_item, read_unit_line, split
from mathhammer.rosters.tree import Profile, RosterSelection, plain, shorten, stat_lines
from mathhammer.systems.aos import Target, Unit, Weapon

_WARD = re.compile(r"ward \((\d)\+\)", re.IGNORECASE)
_DAMAGED = re.compile(r"(\d+) or more damage points.*?Attacks characteristic of (.+?) is (\d+)")
#: What texts write in another way: points without a word, lores that cost some, numbers of models, seasons.
_SPELLED = {
    rb"(?<= \()(\d{2,4})(?=\)\s*$)": rb"\1 pts",
    rb"^(\w+ [Ll]ore\b.{0,99}) \(.{0,99}": rb"\1",
    rb"^(\W{0,4})(.{1,99}) \((\d{1,3}) models?\)": rb"\1\3x \2",
    rb"^(\W{0,4})Scourge of (\w+):? (.{1,99})(?= \()": rb"\1\3 (Scourge of \2)",
    rb"\[SoG\]": b"(Scourge of Ghyran)",
    rb"\[SoA\]": b"(Scourge of Aqshy)",
}
_OPTION = re.compile(r"(?:(\d{1,3})x? )?(.*?)(?: x(\d{1,3}))?")


def read_units(
    path: str | os.PathLike[str], /, *, datasheets: DatasheetSource | str | os.PathLike[str] | None = None
) -> tuple[Unit, ...]:
    """Read the units of an Age of Sigmar list of New Recruit, the official app or Listbot (BSData/age-of-sigmar-4th).

    Models of a rarer kind are slain last. ``notes`` of a unit say what of it is not computed, those of the first one
    what of the list was not found.

    Parameters
    ----------
    path
        A ``.ros``, ``.rosz`` or ``.json`` file of New Recruit, or a text export.
    datasheets
        Where the warscrolls of a text are: by default what ``mathhammer data get bsdata-aos`` has fetched.
    """
    (data, name), warnings = read_content(path), list[str]()
    spelled = data
    for pattern, usual in _SPELLED.items():
        spelled = re.sub(pattern, usual, spelled, flags=re.MULTILINE)
    if (text := as_text(spelled)) is not None:
        source = datasheets or "bsdata-aos"
        source = open_datasheets(source) if isinstance(source, str | os.PathLike) else source
        listed = _of_text(split(text, name)[0], source, warnings)
    else:
        roster = parse_roster(data, name)
        if "sigmar" not in (game := roster.game_system_name).casefold():
            raise RosterError(f"expected a list of Age of Sigmar, but {name} is of {shorten(game)}")
        listed = [(each, []) for each in roster.selections()]
    found = [unit for each in listed if (unit := _unit(*each)) is not None]
    if not found:
        none = f"expected a list of Age of Sigmar with units, but {name} has none"
        raise RosterError("; ".join([none, *warnings[:1]]))
    return (found[0].changed(notes=[*found[0].notes, *dict.fromkeys(warnings)]), *found[1:])


def _of_text(
    lines: list[str], source: DatasheetSource, warnings: list[str]
) -> list[tuple[RosterSelection, list[str]]]:
    """Return the units of a text as a file would have them, each with what of it is not computed."""
    header, units = list[str](), list[TextUnit]()
    for line in lines:
        unit, item = read_unit_line(line.lstrip("- ")), read_item(line)
        if unit is not None:
            units.append(unit)
        elif not units:
            header.append(line)
        elif item is not None and (item.bullet or line.startswith("[")):
            marks = f"{item.number or ''} {item.text}".split(";")
            units[-1].marks += [each.strip(" []") for each in marks if re.search(r"\w", each)]
    lookup = Lookup(source, ",".join(header).replace("|", ","), warnings)
    return [_of_warscroll(unit, lookup) for unit in units]


def _of_warscroll(listed: TextUnit, lookup: Lookup) -> tuple[RosterSelection, list[str]]:
    sheet, notes = lookup.sheet(listed.name), []

    def weapons(owner: str) -> tuple[Profile, ...]:
        parts = sheet.defaults.find(owner) or (owner,)
        held = (each for part in parts for each in sheet.wargear.find(part) or () if each.is_weapon)
        return tuple(dict.fromkeys(held))

    usual = [each for each in sheet.defaults.find("") or () if sheet.models.find(each) is not None]
    kinds, reinforced = Counter(usual or [listed.name]), "reinforced" in map(str.casefold, listed.marks)
    # A number in the text is that of all models.
    times = listed.count / kinds.total() if listed.count > 1 else 1 + reinforced
    numbers = ((each, round(number * times) or 1) for each, number in kinds.most_common())
    armed = [(0, weapons(each) or weapons("")) for each, number in numbers for _ in range(number)]
    for mark in (
        each for each in listed.marks if each.casefold() not in {"general", "legends", "reinforced"}
    ):
        before, option, after = _OPTION.fullmatch(mark).groups()  # type: ignore[union-attr] # any text
        given = weapons(option) or tuple(each for part in option.split(" and ") for each in weapons(part))
        number = int(before or after or 1)
        if not given or number > len(armed):
            notes.append(f"{mark} is not computed")
            continue
        # First those that have it anyway; with others it takes the place of the weapons of its kind.
        armed.sort(key=lambda each: (given[0] not in each[1], each[0]))
        for place, (changes, own) in enumerate(armed[:number]):
            kept = [each for each in own if each in given or each.kind not in {one.kind for one in given}]
            armed[place] = changes + 1, own if given[0] in own else (*kept, *given)
    models, of = list[RosterSelection](), (sheet.datasheet.categories, sheet.datasheet.profiles)
    for own, number in Counter(own for _, own in armed).most_common():
        notes += [f"the list names no weapon of {number} of its models"] * (not own)
        held = [RosterSelection("Champion")] * ("CHAMPION" in of[0] and not models)
        held += [RosterSelection(each.name, number=number, profiles=(each,)) for each in own]
        models.append(RosterSelection(listed.name, "model", number, selections=tuple(held)))
    return RosterSelection(listed.name, "unit", 1, "", listed.points, *of, (), tuple(models)), notes


def _row(profile: Profile, names: str) -> str:
    return " ".join(["x", *(profile.get(name) or "-" for name in names.split())])


def _unit(listed: RosterSelection, notes: list[str]) -> Unit | None:
    """Return a unit of a list; what has no stat line is none."""
    nodes = list(listed.walk())
    profiles = [each for node in nodes for each in node.profiles]
    if not (stats := stat_lines(profiles)):
        return None
    damaged = _DAMAGED.search(" ".join(each.text for each in profiles).replace("*", ""))
    models = [node for node in nodes if node.type == "model"] or [listed]
    target = Target.parse(_row(stats[0], "Move Health Save Control")).changed(
        name=listed.name,
        models=sum(each.number for each in models),
        ward=min((match[1] for each in listed.categories if (match := _WARD.fullmatch(each))), default=None),
        battle_damaged_at=int(damaged[1]) if damaged else None,
        points=int(sum(node.points for node in nodes)) or None,
        attributes=[each.title() for each in listed.categories if not _WARD.fullmatch(each)],
    )
    arms = [(each, {own: node.number for node in each.walk() for own in node.weapons}) for each in models]
    alike = Counter(frozenset(held) for each, held in arms for _ in range(each.number))
    found, before = dict[Profile, dict[str, Any]](), 0
    for each, held in sorted(arms, key=lambda pair: alike[frozenset(pair[1])]):
        champion = any(node.name == "Champion" for node in each.walk())
        for profile, number in held.items():
            said = found.setdefault(profile, {"models": 0, "champion": False, "behind": before})
            said |= {"models": said["models"] + number, "champion": said["champion"] or champion}
        before += each.number
    weapons = []
    for profile, said in found.items():
        try:
            weapon = Weapon.parse(_row(profile, "Atk Hit Wnd Rnd Dmg Ability"))
        except ParseError:
            notes.append(f"{profile.name} is not computed: its rolls are those of an ability")
            continue
        if damaged and plain(profile.name) in plain(damaged[2]):
            said["battle_damaged"] = int(damaged[3])
        said["champion"] &= not weapon.has("Companion") or target.has("Beast")
        reach = (profile.get("Rng") or "").strip('"')
        weapons.append(weapon.changed(name=profile.name, range=int(reach) if reach else None, **said))
    return Unit(target, weapons, notes=dict.fromkeys(notes))
