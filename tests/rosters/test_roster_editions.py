"""Lists of other editions and other games: what is read, what is computed, what is refused."""

from __future__ import annotations

import pytest
from roster_files import (
    ELEVENTH,
    TENTH,
    gun,
    invulnerable,
    profile,
    read,
    roster,
    selection,
    squad,
)

from mathhammer.analysis import army_table, grid
from mathhammer.errors import RosterError
from mathhammer.rosters.reading import parse_roster
from mathhammer.rosters.wh40k import army_from_roster
from mathhammer.systems.wh40k import TARGETS


@pytest.mark.parametrize(("header", "own"), [(TENTH, "10e"), (ELEVENTH, "11e")])
def test_a_list_decides_its_edition(header, own):
    rifle = selection("Rifle", number=5, profiles=(gun(),))
    tree = roster(squad(selection("Trooper", "model", 5, rifle)), points=100, **header)
    army = read(tree)
    assert (army.edition, army.file_edition, army.warnings) == (own, own, ())
    # What computes with the army takes its edition, and labels mean that edition's targets.
    tables = (army_table(army, "MEQ"), grid(army, "MEQ"), grid([army], "MEQ"))
    assert [table.edition for table in tables] == [own] * 3
    assert tables[0].targets[0] == tables[1].targets[0].target == TARGETS.of(own)["MEQ"]
    assert grid("Gun: A1 BS3+ S4 AP0 D1", army).edition == own
    other = {"10e": "11e", "11e": "10e"}[own]
    army = read(tree, edition=other)
    assert (army.edition, army.file_edition) == (other, own)
    assert army.warnings == (
        f"the list is of the {own[:-1]}th edition; the rules of the {other[:-1]}th edition are applied to it",
    )
    assert army_table(army, "MEQ").edition == other
    assert army_table(army, "MEQ", edition=own).edition == own


def test_stat_lines_of_the_11th_edition_tell_it_whatever_the_header_says():
    tree = roster(
        squad(profiles=(profile("Trooper", "Unit", M='6"', T="4", Sv="3+", W="2", InSv="5+ (Ranged)"),))
    )
    army = read(tree, edition="10e")
    assert army.file_edition == "11e"
    assert army.warnings[0] == (
        "the list says that it is of the 10th edition, but its stat lines are of the 11th: its data has moved on"
    )
    assert army.units[0].as_target().invulnerable == ((5, "ranged"),)


@pytest.mark.parametrize(
    "ability", ["Cleave 1", "Blast 2", "Close-quarters", "Lethal Hits: non-Monster/Vehicle"]
)
def test_abilities_of_the_11th_edition_are_read(ability):
    rifle = selection("Rifle", profiles=(gun(Keywords=f"Heavy, {ability}"),))
    army = read(roster(squad(selection("Trooper", "model", 1, rifle)), **ELEVENTH), edition="10e")
    weapon = army.units[0].weapons[0].modes[0]
    assert [(str(keyword), keyword.known) for keyword in weapon.keywords] == [
        ("Heavy", True),
        (ability, True),
    ]


@pytest.mark.parametrize("ability", ["Anti-Fly 4+: Psyker", "Sustained Hits 1: Infantry and Fly"])
def test_abilities_that_no_edition_has_are_kept_and_said(ability):
    rifle = selection("Rifle", profiles=(gun(Keywords=f"Heavy, {ability}"),))
    army = read(roster(squad(selection("Trooper", "model", 1, rifle)), **ELEVENTH), edition="10e")
    weapon = army.units[0].weapons[0].modes[0]
    assert [(str(keyword), keyword.known) for keyword in weapon.keywords] == [
        ("Heavy", True),
        (ability, False),
    ]
    assert f"Squad: Rifle: its ability '{ability}' is not computed" in army.unparsed


def test_anti_against_several_keywords_of_the_11th_edition():
    rifle = selection("Rifle", profiles=(gun(Keywords="Anti-Monster/Vehicle 3+"),))
    army = read(roster(squad(selection("Trooper", "model", 1, rifle)), **ELEVENTH), edition="10e")
    assert [str(keyword) for keyword in army.units[0].weapons[0].modes[0].keywords] == [
        "Anti-Monster 3+",
        "Anti-Vehicle 3+",
    ]


def test_an_11th_edition_save_with_an_unsaid_condition_is_left_out():
    line = profile("Trooper", "Unit", M='6"', T="4", Sv="3+", W="2", InSv="5+*")
    unit = read(roster(squad(profiles=(line,)), **ELEVENTH), edition="10e").units[0]
    assert invulnerable(unit) is None
    assert unit.simplifications == (
        "Squad: the invulnerable save '5+*' of Trooper carries a condition the stat line does not say",
    )


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("Warhammer 40,000 10th Edition", ""),
        ("Warhammer 40000 10th Edition", "other"),
        ("Warhammer 40k 10th Edition", "other"),
        ("", "sys-352e-adc2-7639-d6a9"),
    ],
)
def test_the_game_by_identifier_or_name(name, identifier):
    assert read(roster(squad(), gameSystemName=name, gameSystemId=identifier)).edition == "10e"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Age of Sigmar 4.0", "is of 'Age of Sigmar 4.0'; this reader knows no other game"),
        ("Trench Crusade", "is of 'Trench Crusade'"),
        ("Warhammer 40,000 9th Edition", "is of 'Warhammer 40,000 9th Edition', whose profiles differ"),
        ("Warhammer 40,000 Kill Team", "is of 'Warhammer 40,000 Kill Team', whose profiles differ"),
    ],
)
def test_other_games_and_editions_are_refused(name, said):
    for edition in (None, "10e"):
        with pytest.raises(RosterError, match="Test list") as caught:
            read(roster(squad(), gameSystemName=name, gameSystemId=""), edition=edition)
        assert said in str(caught.value)


def test_a_list_of_no_game_says_so():
    message = (
        "expected an army list of Warhammer 40,000, but 'the list' names no game system and cannot be told from other "
        "games'; export the list again from its list builder"
    )
    with pytest.raises(RosterError) as caught:
        army_from_roster(parse_roster(b"<roster/>", "'empty.ros'"))
    assert str(caught.value) == message


def test_an_edition_nobody_computes():
    with pytest.raises(
        RosterError,
        match="expected edition '10e' or '11e' for an army list, got '12e': its rules are not computed",
    ):
        read(roster(squad()), edition="12e")


def test_a_list_without_units():
    with pytest.raises(RosterError, match="expected an army list with units, but 'Test list' holds none"):
        read(roster(selection("Battle Size")))
