"""Any text is a list or is refused with one clear error, never another one."""

from __future__ import annotations

from functools import cache
from pkgutil import get_data

from hypothesis import given
from hypothesis import strategies as st

from mathhammer.errors import RosterError
from mathhammer.rosters.assemble import army_from_text
from mathhammer.rosters.bsdata import of_list
from mathhammer.rosters.reading import parse_roster
from mathhammer.rosters.text import parse_text_list

TOKENS = [
    *("Lamplighters (100 pts)", "Marshal of the League [110pts]", "Nobody (5 Points)", "1x", "3x", "9x"),
    *(":", "•", "◦", "\n", "\n", "\n  ", "3 with", ",", "Leading Lamplighters[1]", "Attached to Nobody[1]"),
    *(
        "+ DETACHMENT: A (B)",
        "Attached as: Leader (x)",
        "Attached as: Bodyguard ()",
        "Attached unit 1",
        "CAPITALS",
    ),
    *(
        "Enhancement: X (+5 pts)",
        "Y (+5 pts)",
        "# ++ A ++ [5 pts]",
        "Lamplighter",
        "Duelling pistol",
        "é",
        "Warlord",
    ),
]


@cache
def source():
    data = get_data("mathhammer.rosters", "sample/sample-army.ros") or b""
    return of_list(parse_roster(data, "the sample"))


@given(st.lists(st.sampled_from(TOKENS), max_size=60))
def test_any_text_is_read_or_refused(tokens):
    try:
        text = parse_text_list(" ".join(tokens).replace("\n ", "\n"), "'x'")
        army = army_from_text(text, source())
    except RosterError as error:
        assert str(error).startswith("expected ")  # noqa: PT017 - most texts raise nothing
        return
    # Nobody is dropped: units add up, whoever is attached to whom.
    assert sum(unit.points for unit in army.units) == sum(unit.points for unit in text.units) == army.points
    assert sum(max(1, len(unit.joined)) for unit in army.units) == len(text.units)
