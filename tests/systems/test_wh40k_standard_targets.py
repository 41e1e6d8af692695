"""The standard targets, and targets as stat lines."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

from mathhammer import analysis, wh40k
from mathhammer.cli import main
from mathhammer.errors import MathhammerError, ParseError, UnknownNameError
from mathhammer.systems.wh40k import Target
from mathhammer.systems.wh40k.profiles.targetline import print_target
from mathhammer.systems.wh40k.profiles.targets import TARGETS, find_target, standard_targets

LABELS = (
    "CHAFF GEQ SISTERS SKITARII BOYZ WARRIORS MEQ GRAVIS BLADEGUARD TEQ CUSTODES MEGANOBZ CRISIS WRAITHS BIKES "
    "LIGHT VEQ DREADNOUGHT TANK HEAVY ARMIGER KEQ MONSTER DAEMON CTAN"
)


def test_all_are_there_in_order_and_can_be_built():
    assert list(TARGETS) == LABELS.split()
    assert len(TARGETS) == 25
    assert all(isinstance(target, Target) for target in TARGETS.values())
    assert all(target.name == label for label, target in TARGETS.items())


@pytest.mark.parametrize(
    ("label", "line"),
    [
        ("GEQ", "GEQ: 10x T3 Sv5+ W1 65pts [Infantry]"),
        ("MEQ", "MEQ: 10x T4 Sv3+ W2 160pts [Infantry]"),
        ("TEQ", "TEQ: 5x T5 Sv2+ InSv4+ W3 170pts [Infantry]"),
        ("VEQ", "VEQ: 1x T9 Sv3+ W10 75pts [Vehicle]"),
        ("KEQ", "KEQ: 1x T11 Sv3+ InSv5+ ranged W26 375pts [Vehicle, Titanic]"),
        ("CTAN", "CTAN: 1x T11 Sv3+ InSv4+ W16 FNP5+ -1D 340pts [Monster, Character]"),
    ],
)
def test_what_players_quote(label, line):
    assert print_target(TARGETS.of("10e")[label]) == line


@pytest.mark.parametrize(
    ("label", "line"),
    [
        # Codex Space Marines, 30 September 2026: every label that is like one of its datasheets.
        ("MEQ", "MEQ: 10x T5 Sv3+ W2 170pts [Infantry]"),
        ("GRAVIS", "GRAVIS: 3x T6 Sv3+ W3 90pts [Infantry]"),
        ("BLADEGUARD", "BLADEGUARD: 3x T5 Sv3+ InSv4+ W3 90pts [Infantry]"),
        ("TEQ", "TEQ: 5x T6 Sv2+ InSv4+ W3 190pts [Infantry]"),
        ("BIKES", "BIKES: 3x T6 Sv3+ W4 80pts [Mounted]"),
        ("VEQ", "VEQ: 1x T9 Sv3+ W10 70pts [Vehicle]"),
        ("DREADNOUGHT", "DREADNOUGHT: 1x T10 Sv2+ W12 170pts [Vehicle]"),
        ("HEAVY", "HEAVY: 1x T12 Sv2+ W16 245pts [Vehicle]"),
        # Codex Orks, 2 September 2026.
        ("CHAFF", "CHAFF: 10x T2 Sv6+ W1 45pts [Infantry]"),
        ("BOYZ", "BOYZ: 10x T5 Sv5+ W1 85pts [Infantry]"),
        ("MEGANOBZ", "MEGANOBZ: 3x T6 Sv2+ W3 105pts [Infantry]"),
        ("GEQ", "GEQ: 10x T3 Sv5+ W1 70pts [Infantry]"),
        ("CTAN", "CTAN: 1x T11 Sv3+ InSv4+ W16 FNP5+ -1D 360pts [Monster, Character]"),
    ],
)
def test_what_players_quote_in_the_11th_edition(label, line):
    assert print_target(find_target(label, "11e")) == line


def test_what_did_not_change_is_one_target():
    tenth, eleventh = TARGETS.of("10e"), TARGETS.of("11e")
    alike = {label for label in LABELS.split() if tenth[label] is eleventh[label]}
    assert alike == {"SKITARII", "LIGHT", "ARMIGER", "KEQ"}
    # In all others the price differs, in these the characteristics too.
    moved = {
        label
        for label in LABELS.split()
        if replace(tenth[label], points=None) != replace(eleventh[label], points=None)
    }
    assert moved == {"CHAFF", "MEQ", "BLADEGUARD", "TEQ", "BIKES"}


def test_a_label_means_the_target_of_the_edition_asked_for():
    gun = wh40k.Weapon.parse("Gun: A6 BS3+ S4 AP0 D1")
    for edition in wh40k.EDITIONS:
        expected = wh40k.attack(gun, find_target("MEQ", edition), edition=edition, exact=True)
        given = wh40k.attack(gun, "MEQ", edition=edition, exact=True)
        assert given.wounds == expected.wounds
        # 6 shots, 3+ to hit; S4 wounds T4 on 4+ and T5 on 5+.
        assert given.wounds.mean() == 4 * Rational(1, 3 if edition == "11e" else 2)
        cell = analysis.grid(gun, "MEQ", edition=edition)
        assert cell.targets[0].target is find_target("MEQ", edition)


def test_the_command_line_lists_the_targets_of_an_edition():
    found = {}
    for edition in ("10e", "11e"):
        result = CliRunner().invoke(main, ["targets", "--edition", edition, "--json"])
        found[edition] = json.loads(result.output)
    assert [data["edition"] for data in found.values()] == ["10e", "11e"]
    assert [data["date"] for data in found.values()] == ["June 2026", "2 October 2026"]
    rows = {edition: {row["label"]: row for row in data["targets"]} for edition, data in found.items()}
    assert [rows[edition]["TEQ"]["toughness"] for edition in rows] == [5, 6]
    text = CliRunner().invoke(main, ["targets", "--edition", "11e"], terminal_width=110).output
    assert "the 11th edition, 2 October" in " ".join(text.split())


def test_all_numbers_are_those_of_the_published_table():
    rows = standard_targets("10e")
    # Sums over the table of typical targets that the characteristics were retyped from.
    sums = [sum(column) for column in zip(*((r.models, r.toughness, r.wounds) for r in rows), strict=True)]
    assert sums == [108, 168, 177]
    assert sum(int(row.save[0]) for row in rows) == 80
    assert [row.label for row in rows if row.feel_no_pain] == ["DAEMON", "CTAN"]


@pytest.mark.parametrize("name", ["meq", " MEQ ", "Intercessors", "intercessors"])
def test_found_by_label_or_datasheet_whatever_the_case(name):
    assert find_target(name) is TARGETS["MEQ"]


@pytest.mark.parametrize(
    "line",
    [
        "T10 Sv3+ InSv5+ W12 [VEHICLE]",
        "Target: 1x T10 Sv3+ 5++ W12 [VEHICLE]",
        "t10, sv3, inv 5, w12; [VEHICLE]",
        "1 model W12 T 10 Sv 3+ InSv 5+ [VEHICLE]",
        "×1 W12 T10 Sv3+ InSv5+[VEHICLE]",
    ],
)
def test_one_target_written_in_many_ways(line):
    assert Target.parse(line) == Target(
        "Target", toughness=10, save=3, invulnerable=5, wounds=12, keywords=("VEHICLE",)
    )


def _targets():
    roll = st.integers(2, 6)
    return st.builds(
        lambda name, against, **values: Target(
            name,
            **{
                **values,
                "invulnerable": values["invulnerable"] and f"{values['invulnerable']}+{against}",
            },
        ),
        st.sampled_from(["Tank", "Wardens of the Gate", "A-7"]),
        st.sampled_from(["", " ranged", " melee"]),
        toughness=st.integers(1, 16),
        save=st.none() | st.integers(2, 7),
        invulnerable=st.none() | roll,
        wounds=st.integers(3, 40),
        models=st.integers(1, 30),
        feel_no_pain=st.none() | roll,
        feel_no_pain_mortal=st.none() | roll,
        feel_no_pain_psychic=st.none() | roll,
        damage_1_save_bonus=st.integers(0, 2),
        damage_to_0=st.booleans(),
        wounds_lost=st.integers(0, 2),
        deadly_demise=st.sampled_from([None, 1, "D3", "D3+1", "2D6"]),
        damage_reduction=st.integers(0, 2),
        half_damage=st.booleans(),
        keywords=st.sampled_from([(), ("Vehicle",), ("Epic Hero", "Monster")]),
        points=st.none() | st.integers(0, 999),
    )


@pytest.mark.slow
@given(_targets())
def test_a_printed_target_reads_back(target):
    assert Target.parse(print_target(target)) == target


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "T4 Sv3+ W2 Q5",
            "expected one of T4, Sv3+, InSv4+, W2, 10x, FNP5+, -1D or [KEYWORDS]\n    T4 Sv3+ W2 Q5\n               ^",
        ),
        (
            "Tank T10 Sv3+ W12",
            (
                "expected one of T4, Sv3+, InSv4+, W2, 10x, FNP5+, -1D or [KEYWORDS]; a name before them needs ':'\n"
                "    Tank T10 Sv3+ W12\n    ^"
            ),
        ),
        ("T4 W2", "expected also Sv\n    T4 W2\n         ^"),
        ("T4 T5 Sv3+ W2", "expected toughness once\n    T4 T5 Sv3+ W2\n       ^"),
        (
            "T4 Sv3+ W2 [INFANTRY",
            "expected ']' at the end of the keywords\n    T4 Sv3+ W2 [INFANTRY\n" + " " * 24 + "^",
        ),
        (
            "T4 Sv3+ W2 [A] W3",
            "expected nothing after ']': the keywords stand last\n    T4 Sv3+ W2 [A] W3\n" + " " * 18 + "^",
        ),
        ("", "expected also T, Sv, W\n    \n    ^"),
    ],
)
def test_a_wrong_stat_line_is_shown_with_a_caret(line, message):
    with pytest.raises(ParseError) as caught:
        Target.parse(line)
    assert str(caught.value) == message


@pytest.mark.parametrize("line", ["T0 Sv3+ W1", "0x T4 Sv3+ W1", "T4 Sv9+ W1", "T4 Sv3+ 9++ W1"])
def test_numbers_that_no_unit_has_are_refused(line):
    with pytest.raises(MathhammerError):
        Target.parse(line)


@pytest.mark.slow
@given(st.text(max_size=60))
def test_no_text_crashes_the_reader(text):
    with suppress(MathhammerError):
        Target.parse(text)


def test_an_unknown_label_names_the_near_ones():
    for label, near in (("TNK", "TANK"), ("meq", "MEQ")):
        with pytest.raises(UnknownNameError, match=f"did you mean .*{near}"):
            TARGETS[label]
        assert TARGETS.get(label) is None
        assert label not in TARGETS
    with pytest.raises(KeyError):
        TARGETS["nobody knows it"]
