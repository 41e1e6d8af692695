"""Abilities of real lists and datasheets, read as a player reads them."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from mathhammer.rosters import read_army
from mathhammer.systems.wh40k.unit_rules.reader import read_rule

DATA = os.environ.get("MATHHAMMER_DATA")
#: A folder of BSData/wh40k-10e at 801555bb, which is no part of any list.
CATALOGUES = os.environ.get("MATHHAMMER_CATALOGUES_10E")
ROWS = [
    tuple(line.split(" | "))
    for line in Path(__file__).with_name("real_abilities.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
OF_LISTS, OF_DATASHEETS = ([row for row in ROWS if len(row) == size] for size in (5, 3))


@cache
def army_of(name):
    return read_army(Path(DATA or "") / "rosters" / name, edition="10e")


@pytest.mark.skipif(DATA is None, reason="MATHHAMMER_DATA does not name the folder of real army lists")
@pytest.mark.parametrize(("file", "unit", "ability", "state", "effects"), OF_LISTS)
def test_rules_of_real_lists(file, unit, ability, state, effects):
    rules = [
        rule
        for each in army_of(file).units
        if each.name == unit
        for rule in each.rules
        if rule.name == ability
    ]
    assert (state, effects) in [(rule.state, " & ".join(map(str, rule.effects))) for rule in rules]


@cache
def texts():
    """Return the text of every ability of every datasheet by both names."""
    from mathhammer.rosters.bsdata import BSDataSource

    folder = Path(CATALOGUES or "")
    files = (path for path in sorted(folder.iterdir()) if path.suffix in {".cat", ".gst"})
    source = BSDataSource((path.name, path.read_bytes()) for path in files)
    found = {}
    for name in source.names():
        for node in source._selection(next(iter(source.units[name].values())), frozenset(), [100_000]).walk():
            for profile in node.profiles:
                found[name, profile.name] = "\n".join(text for _, text in profile.characteristics)
    return found


@pytest.mark.skipif(
    CATALOGUES is None, reason="MATHHAMMER_CATALOGUES_10E does not name a folder of catalogues"
)
@pytest.mark.parametrize(("sheet", "ability", "effects"), OF_DATASHEETS)
def test_abilities_of_real_datasheets(sheet, ability, effects):
    reading = read_rule(ability, texts()[sheet, ability])
    assert (" & ".join(map(str, reading.effects)), reading.unread) == (effects, ())


def test_there_are_a_hundred_of_them():
    assert len({row[1:] for row in OF_LISTS}) + len(set(OF_DATASHEETS)) > 150
