"""Army lists of Age of Sigmar: units of a file that carries their profiles, or of a text and its warscrolls."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.errors import RosterError
from mathhammer.rosters import open_datasheets
from mathhammer.rosters.datasheets import DatasheetSource, Lookup
from mathhammer.rosters.names import plain, shorten
from mathhammer.rosters.reading import as_text, parse_roster, read_content
from mathhammer.rosters.text.lines import TextUnit, read_item, read_unit_line, split
from mathhammer.systems.aos import Target, Unit, Weapon

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.rosters.tree import Profile, Selection

_WARD = re.compile(r"ward \((\d)\+\)", re.IGNORECASE)
_DAMAGED = re.compile(r"(\d+) or more damage points.*?Attacks characteristic of (.+?) is (\d+)")
_NUMBER = re.compile(r"(\d+)\"?\+?")
_STATS = "Move", "Health", "Save", "Control"
_KINDS = ("Melee Weapon", "Ranged Weapon")
#: In a text: points without a word, models in brackets, seasons, what is no unit, and options, some of no effect.
_BARE = re.compile(rb"(?<= \()(\d{2,4})(?=\)\s*$)", re.MULTILINE)
_MODELS = re.compile(r"(.+) \((\d{1,3}) models?\)")
_SEASON = re.compile(r"Scourge of (\w+):? (.+)")
_MARKS = {"[SoG]": "(Scourge of Ghyran)", "[SoA]": "(Scourge of Aqshy)"}
_LORE = re.compile(r"\w+ lore\b", re.IGNORECASE)
_OPTION = re.compile(r"(?:(\d{1,3})x? )?(.*?)(?: x(\d{1,3}))?")
_SETTINGS = {"general", "legends", "reinforced"}


class _Models(NamedTuple):
    """Models of one kind, and how many weapons of each profile they carry in all."""

    number: int
    weapons: dict[Profile, int]
    champion: bool


class _Listed(NamedTuple):
    """A unit of a list: its profiles, and its models."""

    name: str
    points: float
    categories: Sequence[str]
    profiles: Sequence[Profile]
    models: Sequence[_Models]
    notes: list[str]


def read_units(
    path: str | os.PathLike[str], /, *, datasheets: DatasheetSource | str | os.PathLike[str] | None = None
) -> tuple[Unit, ...]:
    """Read the units of an Age of Sigmar list of New Recruit, the official app or Listbot.

    Champions, Wards and Battle Damaged are as the list or the warscroll has them; models of a rarer kind are slain
    last. ``notes`` of a unit say what of it is not computed, those of the first one what of the list was not found.

    Parameters
    ----------
    path
        A ``.ros``, ``.rosz`` or ``.json`` file of New Recruit, or a text export.
    datasheets
        Where the warscrolls of a text are, as for :func:`mathhammer.rosters.read_army`; by default what ``mathhammer
        data get bsdata-aos`` has fetched. What the text does not say is the warscroll's default.

    References
    ----------
    The roster schema of BattleScribe 2.03, and BSData/age-of-sigmar-4th.
    """
    data, name = read_content(path)
    warnings: list[str] = []
    if (text := as_text(_BARE.sub(rb"\1 pts", data))) is not None:
        source = datasheets or "bsdata-aos"
        source = open_datasheets(source) if isinstance(source, str | os.PathLike) else source
        listed = _of_text(split(text, name)[0], source, warnings)
    else:
        roster = parse_roster(data, name)
        if "sigmar" not in (game := roster.game_system_name).casefold():
            raise RosterError(f"expected a list of Age of Sigmar, but {name} is of {shorten(game)}")
        listed = map(_of_file, roster.selections())
    stats = [(each, next((of for of in each.profiles if of.type_name == "Unit"), None)) for each in listed]
    found = [_unit(each, line) for each, line in stats if line is not None]
    if not found:
        more = f"; {warnings[0]}" if warnings else ""
        raise RosterError(f"expected a list of Age of Sigmar with units, but {name} has none{more}")
    return (found[0].changed(notes=[*found[0].notes, *dict.fromkeys(warnings)]), *found[1:])


def _of_file(selection: Selection) -> _Listed:
    nodes = list(selection.walk())
    models = [
        _Models(
            model.number,
            {
                each: node.number
                for node in model.walk()
                for each in node.profiles
                if each.type_name in _KINDS
            },
            any(node.name == "Champion" for node in model.walk()),
        )
        for model in [node for node in nodes if node.type == "model"] or [selection]
    ]
    points = sum(node.points for node in nodes)
    profiles = [each for node in nodes for each in node.profiles]
    return _Listed(selection.name, points, selection.categories, profiles, models, [])


def _of_text(lines: list[str], source: DatasheetSource, warnings: list[str]) -> Iterator[_Listed]:
    header: list[str] = []
    units: list[TextUnit] = []
    for line in lines:
        unit, item = read_unit_line(line.lstrip("- ")), read_item(line)
        if unit is not None and not _LORE.match(line):
            units.append(unit)
        elif not units:
            header.append(line)
        elif item is not None and (item.bullet or line.startswith("[")):
            units[-1].marks += filter(
                re.compile(r"\w").search, (each.strip(" []") for each in item.text.split(";"))
            )
    lookup = Lookup(source, ",".join(header).replace("|", ","), warnings)
    yield from (_of_warscroll(unit, lookup) for unit in units)


def _of_warscroll(listed: TextUnit, lookup: Lookup) -> _Listed:
    name = _SEASON.sub(r"\2 (Scourge of \1)", listed.name)
    for mark, season in _MARKS.items():
        name = name.replace(mark, season)
    match = _MODELS.fullmatch(name)
    name, count = (match[1], int(match[2])) if match else (name, listed.count)
    sheet = lookup.sheet(name)
    of = sheet.datasheet

    def weapons(owner: str) -> tuple[Profile, ...]:
        held = [
            each for part in sheet.defaults.find(owner) or (owner,) for each in sheet.wargear.find(part) or ()
        ]
        return tuple(dict.fromkeys(each for each in held if each.type_name in _KINDS))

    usual = Counter(each for each in sheet.defaults.find("") or () if sheet.models.find(each) is not None)
    usual = usual or Counter([name])
    # A number in the text is that of all models.
    times = count / usual.total() if count > 1 else 1 + ("reinforced" in map(str.casefold, listed.marks))
    kinds = [each for each, number in usual.most_common() for _ in range(round(number * times) or 1)]
    armed = [(0, weapons(each) or weapons("")) for each in kinds]
    notes = []
    for mark in (each for each in listed.marks if each.casefold() not in _SETTINGS):
        before, option, after = _OPTION.fullmatch(mark).groups()  # type: ignore[union-attr] # any text
        given = weapons(option) or tuple(each for part in option.split(" and ") for each in weapons(part))
        number = int(before or after or 1)
        if not given or number > len(armed):
            notes.append(f"{mark} is not computed")
            continue
        # First those that have it anyway; with others it takes the place of the weapons of its kind.
        types = {each.type_name for each in given}
        armed.sort(key=lambda each: (given[0] not in each[1], each[0]))
        for place, (changes, own) in enumerate(armed[:number]):
            kept = [each for each in own if each.type_name not in types or each in given]
            armed[place] = changes + 1, own if given[0] in own else (*kept, *given)
    alike = Counter(own for _, own in armed).most_common()
    notes += [f"the list names no weapon of {number} of its models" for own, number in alike if not own]
    models = [
        _Models(number, dict.fromkeys(own, number), "CHAMPION" in of.categories and not place)
        for place, (own, number) in enumerate(alike)
    ]
    return _Listed(listed.name, listed.points, of.categories, of.profiles, models, notes)


def _number(profile: Profile, name: str) -> int | None:
    """Return a characteristic that is a plain number; none where it is dice or a dash."""
    match = _NUMBER.fullmatch(profile.get(name) or "")
    return int(match[1]) if match else None


def _unit(listed: _Listed, stats: Profile) -> Unit:
    wards = [match[1] for each in listed.categories if (match := _WARD.fullmatch(each))]
    texts = " ".join(text for each in listed.profiles for _, text in each.characteristics)
    damaged = _DAMAGED.search(texts.replace("*", ""))
    numbers: dict[str, Any] = {each.lower(): _number(stats, each) for each in _STATS}
    target = Target(
        listed.name,
        **numbers,
        models=sum(each.number for each in listed.models),
        ward=min(wards, default=None),
        battle_damaged_at=int(damaged[1]) if damaged else None,
        points=int(listed.points) or None,
        attributes=[each.title() for each in listed.categories if not _WARD.fullmatch(each)],
    )
    found: dict[Profile, Weapon] = {}
    before, notes = 0, listed.notes
    arms = Counter({frozenset(each.weapons): 0 for each in listed.models})
    for each in listed.models:
        arms[frozenset(each.weapons)] += each.number
    for models in sorted(listed.models, key=lambda each: arms[frozenset(each.weapons)]):
        for profile, number in models.weapons.items():
            if _number(profile, "Wnd") is None:
                notes.append(f"{profile.name} is not computed: its rolls are those of an ability")
                continue
            weapon = found.get(profile)
            held = weapon or _weapon(profile, before, damaged)
            led = models.champion and (not held.has("Companion") or target.has("Beast"))
            total = number + (weapon.models if weapon else 0)
            found[profile] = held.changed(models=total, champion=held.champion or led)
        before += models.number
    return Unit(target, tuple(found.values()), notes=[*dict.fromkeys(notes)])


def _weapon(profile: Profile, behind: int, damaged: re.Match[str] | None) -> Weapon:
    own = damaged if damaged and plain(profile.name) in plain(damaged[2]) else None
    names = {"attacks": "Atk", "hit": "Hit", "wound": "Wnd", "damage": "Dmg", "attributes": "Ability"}
    said: dict[str, Any] = {name: profile.get(text) or "" for name, text in names.items()}
    return Weapon(
        profile.name,
        **said,
        range=_number(profile, "Rng"),
        rend=_number(profile, "Rnd") or 0,
        battle_damaged=int(own[3]) if own else None,
        behind=behind,
    )
