"""Real lists of the 11th edition, which belong to others and do not ship: their facts, counted by hand.

Set MATHHAMMER_DATA to the folder that holds ``rosters-11e/`` and the stat lines as CSV to run these tests.
"""

from __future__ import annotations

import csv
import os
from functools import cache
from pathlib import Path

import pytest
from roster_files import read_text_list

from mathhammer.rosters import read_army
from mathhammer.rosters.datasheets import Datasheet, DatasheetSource
from mathhammer.rosters.tree import Profile

DATA = os.environ.get("MATHHAMMER_DATA")
pytestmark = pytest.mark.skipif(
    not DATA, reason="MATHHAMMER_DATA does not name the folder of real army lists"
)

ORKS = "gw-app-orks-leader-support.txt"
TYRANIDS = "nr-wtc-tyranids-indexed-leaders.txt"
CUSTODES = "nr-custodes-without-profiles.rosz"

# Points, units with leaders and supports counted apart, models, lines and copies of wargear, attached units.
FACTS = {
    ORKS: (1995, 16, 63, 49, 143, 3),
    TYRANIDS: (1995, 18, 76, 34, 91, 4),
    CUSTODES: (435, 3, 6, 6, 12, 0),
}
# The app does not say which of its lines are models.
MODELS = {ORKS: {"Gretchin", "Tankbusta", "Nob"}, TYRANIDS: {"Tyranid Prime", "Tyranid Warrior"}}


class StatLines(DatasheetSource):
    """Stat lines of July 2026 out of two CSV files: models by their stat line, weapons by their name."""

    edition = "11e"

    def __init__(self) -> None:
        self.units = self._table("bsdata-11e-units.csv")
        self.weapons = self._table("bsdata-11e-weapons.csv")

    def _table(self, name):
        rows: dict[str, list[dict[str, str]]] = {}
        with (Path(DATA or "") / name).open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                rows.setdefault(row["datasheet"], []).append(row)
        return rows

    def names(self):
        return list(self.units)

    def datasheet(self, name, faction=""):  # noqa: ARG002
        rows = self.units.get(name)
        if rows is None:
            return None
        wargear: dict[str, list[Profile]] = {}
        for row in self.weapons.get(name, []):
            kind = row["kind"].title()
            skill = "BS" if kind == "Ranged" else "WS"
            line = {key: row[key] for key in ("A", "S", "AP", "D")}
            texts = {"Range": row["range"], skill: row["skill"], "Keywords": row["keywords"], **line}
            base = row["weapon"].replace("➤", "").strip().split(" - ")[0]
            wargear.setdefault(base, []).append(
                Profile(row["weapon"], f"{kind} Weapons", "", tuple(texts.items()))
            )
        keys = ("M", "T", "Sv", "W", "LD", "OC", "InSv")
        return Datasheet(
            name,
            tuple(
                Profile(row["model_profile"], "Unit", "", tuple((k, row[k]) for k in keys)) for row in rows
            ),
            categories=tuple(part.strip() for part in rows[0]["keywords"].split(";") if part.strip()),
            wargear=tuple((name, tuple(profiles)) for name, profiles in wargear.items()),
        )


@cache
def source():
    return StatLines()


def path(name):
    return Path(DATA or "") / "rosters-11e" / name


@cache
def army_of(name):
    return read_army(path(name), datasheets=source())


@pytest.mark.parametrize("name", FACTS)
def test_facts(name):
    points, units, models, _, _, attached = FACTS[name]
    army = army_of(name)
    assert army.points == points == sum(unit.points for unit in army.units)
    assert sum(len(unit.joined) or 1 for unit in army.units) == units
    assert sum(unit.size for unit in army.units) == models
    assert sum(bool(unit.joined) for unit in army.units) == attached
    assert army.file_edition == "11e"
    for unit in army.units:
        target = unit.as_target_unit()
        assert getattr(target, "model_count", None) or target.models == unit.size


@pytest.mark.parametrize("name", MODELS)
def test_wargear_of_texts(name):
    items = []
    for unit in read_text_list(path(name)).units:
        for item in unit.items:
            items += [item] if item.name not in MODELS[name] else []
            items += item.items
    assert (len(items), sum(item.count for item in items)) == FACTS[name][3:5]


def test_wargear_of_a_file():
    lines = [line for unit in army_of(CUSTODES).units for line in unit.weapons]
    assert (len(lines), sum(line.count for line in lines)) == FACTS[CUSTODES][3:5]


def test_without_datasheets_it_is_said_that_there_are_no_profiles():
    army = read_army(path(CUSTODES))
    assert "the list carries no profiles" in army.warnings[0]
    assert not any(unit.weapons for unit in army.units)


def test_detachments_and_warlord():
    orks, tyranids = (read_text_list(path(name)) for name in (ORKS, TYRANIDS))
    assert (orks.faction, tyranids.faction) == ("Orks", "Xenos - Tyranids")
    assert orks.detachments == ("Blitz Brigade", "Runt Swarm", "Wreckas")
    assert tyranids.detachments == ("Assimilation Swarm", "Warrior Bioform Onslaught")
    warlords = [[unit.name for unit in each.units if "Warlord" in unit.marks] for each in (orks, tyranids)]
    assert warlords == [["Ghazghkull Thraka"], ["The Swarmlord"]]
    assert army_of(CUSTODES).detachments == ()


def test_a_leader_and_a_support_with_one_bodyguard():
    gretchin = army_of(ORKS).units[0]
    assert gretchin.joined == ("Gretchin", "Zodgrod Wortsnagga", "Runtherd")
    assert [(group.name, group.count, group.leader) for group in gretchin.models] == [
        *(("Gretchin", 20, False), ("Zodgrod Wortsnagga", 1, True), ("Runtherd", 1, True))
    ]
    assert [kind.name for kind in gretchin.as_target_unit().leaders] == ["Zodgrod Wortsnagga", "Runtherd"]


def test_models_that_only_the_datasheet_tells_from_wargear():
    tankbustas = army_of(ORKS).units[1]
    assert [(group.name, group.count) for group in tankbustas.models[:2]] == [("Tankbusta", 5), ("Nob", 1)]
    assert [(line.bearer, line.count, line.name) for line in tankbustas.weapons[:2]] == [
        *(("Nob", 1, "Choppa"), ("Nob", 2, "Rokkit Pistol"))
    ]


def test_leaders_by_the_number_of_their_unit():
    attached = [unit.joined for unit in army_of(TYRANIDS).units if unit.joined]
    prime, warriors = "Tyranid Prime with Lash Whip", "Tyranid Warriors with Melee Bio-Weapons"
    assert attached == [
        *(("Hormagaunts", prime), ("Hormagaunts", prime)),
        *((warriors, prime), (warriors, "Winged Tyranid Prime")),
    ]
    assert [unit.enhancements for unit in army_of(TYRANIDS).units if prime in unit.joined] == [
        *(("Regenerating Monstrosity",), ("Ocular Adaptation",), ("Elevated Might",))
    ]
