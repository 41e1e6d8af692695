"""Text lists of four factions have the stat lines that another program read from the same datasheets.

Set MATHHAMMER_DATA to the folder that holds ``bsdata-units.csv``, and fetch the datasheets of the 10th edition with
``mathhammer data get bsdata-10e``, or name their folder as MATHHAMMER_DATASHEETS, to run these tests.
"""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from pathlib import Path

import pytest

from mathhammer.rosters import open_datasheets, read_army
from mathhammer.rosters.data import cached

TABLE = Path(os.environ.get("MATHHAMMER_DATA") or "") / "bsdata-units.csv"
FOLDER = os.environ.get("MATHHAMMER_DATASHEETS")
pytestmark = pytest.mark.skipif(
    not TABLE.is_file() or not (FOLDER or cached("bsdata-10e")),
    reason="MATHHAMMER_DATA names no table of units, or there are no datasheets",
)
#: The faction that a list names, and the catalogue that its units stand in.
FACTIONS = {
    "World Eaters": "Chaos - World Eaters",
    "T'au Empire": "T'au Empire",
    "Chaos Knights": "Chaos - Chaos Knights Library",
    "Imperial Knights": "Imperium - Imperial Knights - Library",
    "Space Marines": "Imperium - Space Marines",
}


@pytest.fixture(scope="module")
def sheets():
    return open_datasheets(FOLDER) if FOLDER else cached("bsdata-10e")


def needed(text):
    return int(text.rstrip("+*")) if text.rstrip("+*").isdigit() else None


@pytest.mark.parametrize("faction", FACTIONS)
def test_units_have_the_stat_lines_of_their_datasheets(tmp_path, sheets, faction):
    known = defaultdict(set)
    with TABLE.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["catalogue"] == FACTIONS[faction]:
                known[row["datasheet"]].add((int(row["T"]), needed(row["SV"]), int(row["W"])))
    lines = [
        f"March ({10 * len(known)} Points)",
        "",
        faction,
        "Strike Force (2,000 Points)",
        "",
        "CHARACTERS",
    ]
    for name in known:
        lines += ["", f"{name} (10 Points)"]
    (tmp_path / "list.txt").write_text("\n".join(lines), encoding="utf-8")
    army = read_army(tmp_path / "list.txt", datasheets=sheets)
    assert [unit.name for unit in army.units] == list(known)
    found = {
        unit.name: {
            (each.profile.toughness, each.profile.save, each.profile.wounds)
            for each in unit.models
            if each.profile
        }
        for unit in army.units
    }
    assert {name for name, lines in found.items() if not lines or not lines <= known[name]} == set()
