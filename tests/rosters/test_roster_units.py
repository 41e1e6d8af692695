"""The 40k reader, case by case: models, numbers, stat lines, points, what is left out and said."""

from __future__ import annotations

import pytest
from roster_files import (
    ability,
    blade,
    gun,
    read,
    read_one,
    roster,
    selection,
    squad,
    stat_line,
)

from mathhammer.errors import RosterError


def lines(unit):
    return [(line.name, line.count, line.bearer) for line in unit.weapons]


def test_the_number_of_a_selection_is_its_total_and_never_multiplied():
    rifles = selection("Rifle", number=4, profiles=(gun(),))
    pistols = selection("Two pistols", "upgrade", 4, selection("Pistol", number=8, profiles=(gun("Pistol"),)))
    unit, army = read_one(squad(selection("Trooper", "model", 4, rifles, pistols)))
    assert unit.size == 4
    assert lines(unit) == [("Rifle", 4, "Trooper"), ("Pistol", 8, "Trooper")]
    assert army.warnings == ()


def test_models_below_upgrades_count_and_keep_their_weapons():
    box = selection(
        "9 Guards",
        "upgrade",
        1,
        selection("Guard", "model", 7, selection("Rifle", number=7, profiles=(gun(),))),
        selection("Guard with flamer", "model", 2, selection("Flamer", number=2, profiles=(gun("Flamer"),))),
    )
    unit, _ = read_one(squad(selection("Sergeant", "model", 1), box))
    assert [(group.name, group.count) for group in unit.models] == [
        ("Sergeant", 1),
        ("Guard", 7),
        ("Guard with flamer", 2),
    ]
    assert lines(unit) == [("Rifle", 7, "Guard"), ("Flamer", 2, "Guard with flamer")]
    assert [line.group for line in unit.weapons] == [1, 2]


def test_a_unit_without_models_is_its_own_model():
    tank = selection(
        "Tank",
        "model",
        1,
        selection("Gun", number=2, profiles=(gun(),)),
        profiles=(stat_line("Tank", W="12"),),
    )
    unit, _ = read_one(tank)
    assert (unit.size, unit.models[0].profile.wounds) == (1, 12)
    assert lines(unit) == [("Gun", 2, "Tank")]


def test_a_pack_of_models_at_the_top_is_one_unit():
    unit, _ = read_one(selection("Bikers", "model", 3, profiles=(stat_line("Biker"),)))
    assert unit.size == 3


def test_crew_is_not_on_the_table_at_the_start():
    knight = selection(
        "Knight",
        "model",
        1,
        selection("Pilot on foot", "crew", 1, selection("Pistol", profiles=(gun("Pistol"),))),
        profiles=(stat_line("Knight"),),
    )
    unit, _ = read_one(knight)
    assert (unit.size, unit.weapons) == (1, ())
    assert unit.simplifications == (
        "Knight: Pilot on foot starts the battle inside another model and is not counted",
    )


def test_what_is_listed_no_times_is_left_out_and_said():
    unit, army = read_one(
        squad(selection("Trooper", "model", 5), selection("Old gun", number=0, profiles=(gun(),)))
    )
    assert unit.weapons == ()
    assert army.warnings == ("Squad: 'Old gun' is listed 0 times and left out",)
    with pytest.raises(RosterError, match="holds none"):
        read(roster(squad() | {"number": 0}))


def test_a_unit_listed_several_times_is_one_unit():
    unit, army = read_one(squad(selection("Trooper", "model", 10)) | {"number": 2})
    assert unit.size == 10
    assert army.warnings[0] == "Squad: it is listed 2 times in one entry; read as one unit of 10 models"


def test_a_model_that_holds_models():
    unit, army = read_one(
        selection(
            "Beast master", "model", 1, selection("Hound", "model", 3), profiles=(stat_line(),), points=5
        )
    )
    assert unit.size == 3
    assert army.warnings[0] == "Beast master: it is a model that holds other models; only those are counted"


def test_too_many_models_for_a_unit():
    with pytest.raises(RosterError, match="at most 1,000 models in a unit, but Squad has 1,800"):
        read(roster(squad(selection("A", "model", 900), selection("B", "model", 900))))


@pytest.mark.parametrize(
    "units",
    [
        [squad(*(selection(f"Gun {i}", profiles=(gun(),)) for i in range(1001)))],
        [squad(*(selection(f"Gun {i}", profiles=(gun(),)) for i in range(900)))] * 12,
        [squad()] * 11_000,
    ],
    ids=["one unit", "large units", "many units"],
)
def test_what_no_army_is(units):
    with pytest.raises(
        RosterError, match="at most 2,000 selections, profiles and rules in a unit and 20,000 in an"
    ):
        read(roster(*units))


# Stat lines


@pytest.mark.parametrize("place", ["model", "unit", "sibling", "wargear"])
def test_the_stat_line_may_be_in_any_of_four_places(place):
    line = (stat_line("Trooper", T="5"),)
    armour = selection("Armour", number=4, profiles=line if place == "wargear" else ())
    unit, army = read_one(
        squad(
            selection("Trooper", "model", 4, armour, profiles=line if place == "model" else ()),
            selection(
                "Trooper with horn", "model", 1, profiles=line if place in {"model", "sibling"} else ()
            ),
            profiles=line if place == "unit" else (),
        )
    )
    assert [group.profile.toughness for group in unit.models] == [5, 5]
    assert army.warnings == ()
    assert unit.simplifications == ()


def test_stat_lines_on_the_unit_are_told_apart_by_name():
    unit, _ = read_one(
        squad(
            selection("Noble", "model", 1),
            selection("Lads w/ clubs", "model", 9),
            profiles=(stat_line("Lad", W="1"), stat_line("Noble", W="2")),
        )
    )
    assert [group.profile.wounds for group in unit.models] == [2, 1]
    assert unit.as_target().wounds == 1
    assert unit.simplifications == (
        (
            "Squad: as a target all 10 models are taken as Lads w/ clubs: 9x T4 Sv3+ W1, "
            "also Noble: 1x T4 Sv3+ W2"
        ),
    )


def test_stat_lines_that_cannot_be_told_apart():
    unit, _ = read_one(
        squad(selection("Warrior", "model", 3), profiles=(stat_line("A"), stat_line("B", W="9")))
    )
    assert unit.models[0].profile.wounds == 2
    assert unit.simplifications == (
        "Squad: the list has several stat lines and does not say whose: Warrior has A's",
    )


@pytest.mark.parametrize(
    ("changed", "save"),
    [
        ({"SV": "2"}, 2),
        ({"SV": "7+"}, 7),
        ({"SV": "-"}, None),
        ({"SV": ""}, None),
        ({"Sv": "4+", "SV": "4+"}, 4),
    ],
)
def test_saves_as_the_data_writes_them(changed, save):
    unit, _ = read_one(squad(selection("Trooper", "model", 5), profiles=(stat_line(**changed),)))
    assert unit.models[0].profile.save == save
    assert unit.as_target().save == save


@pytest.mark.parametrize(
    "changed", [{"T": "*"}, {"W": ""}, {"SV": "x"}, {"T": "0"}, {"W": "5000"}, {"T": "4+"}]
)
def test_a_stat_line_that_cannot_be_read_is_left_out_and_said(changed):
    unit, army = read_one(squad(selection("Trooper", "model", 5), profiles=(stat_line(**changed),)))
    assert army.warnings[0].startswith("Squad: the stat line 'Trooper' cannot be read (T ")
    with pytest.raises(
        RosterError, match=r"expected a stat line \(T, SV, W\) for Squad, but the list holds none"
    ):
        unit.as_target()


def test_no_stat_line_at_all():
    unit, army = read_one(squad(selection("Trooper", "model", 5), profiles=()))
    assert army.warnings == ("Squad: the list holds no stat line for Trooper: it cannot be a target",)
    assert not unit.models[0].has_stat_line


# Keywords, points, enhancements


def test_keywords_of_unit_and_models():
    unit, _ = read_one(
        squad(
            selection("Rider", "model", 1, categories=("Mounted",)),
            selection("Trooper", "model", 4),
            categories=("Infantry", "Faction: Test", "Epic Hero", "Configuration"),
        )
    )
    assert unit.keywords == ("Infantry", "Epic Hero")
    assert unit.factions == ("Test",)
    assert unit.models[0].keywords == ("Mounted",)
    assert unit.as_target().keywords == ("Infantry", "Epic Hero", "Mounted")
    assert unit.has_keyword("EPIC HERO")


def test_points_are_all_costs_below_the_unit():
    unit, army = read_one(
        squad(
            selection("Trooper", "model", 5, selection("Better gun", number=5, points=20)),
            selection("Banner of Tests", points=15, group="Enhancements"),
            points=100,
        )
    )
    assert (unit.points, army.points) == (135, 135)
    assert unit.enhancements == ("Banner of Tests",)
    assert unit.as_target().points == 135


def test_other_currencies_are_no_points():
    tree = roster(squad())
    tree["forces"][0]["selections"][0]["costs"].append({"name": "Crusade Points", "typeId": "x", "value": 3})
    assert read(tree).points == 100


def test_points_that_do_not_add_up_are_said():
    assert read(roster(squad(), points=110)).warnings == (
        "the list says 110 points, but its selections add up to 100",
    )
    assert read(roster(squad(points=0))).warnings == (
        "the list holds no points: nothing can be said per point",
    )


@pytest.mark.parametrize(("cost", "taken"), [(97.5, 98), (-20, 0)])
def test_points_that_no_unit_costs(cost, taken):
    unit, army = read_one(squad(points=cost))
    assert unit.points == taken
    assert f"Squad: its costs add up to {cost} points, which no unit costs: taken as {taken}" in army.warnings
    assert unit.as_target().points == taken


def test_detachment_and_configuration():
    army = read(
        roster(
            selection("Battle Size", "upgrade", 1, selection("Strike Force")),
            selection(
                "Detachment Choice",
                "upgrade",
                1,
                selection("Iron Host", rules=("Iron Will",)),
                selection("Fire Host", profiles=(ability("Fire Will", "All shall burn."),)),
            ),
            squad(),
        )
    )
    assert army.detachments == ("Iron Host", "Fire Host")
    assert army.detachment == "Iron Host, Fire Host"
    assert army.unparsed_abilities == ("Iron Will",)  # the other text speaks of no dice
    assert [rule.name for rule in army.rules] == ["Iron Will", "Fire Will"]
    assert [unit.name for unit in army.units] == ["Squad"]
    assert army.faction == "Test Faction"


def test_a_unit_that_is_listed_as_an_option_is_not_dropped_in_silence():
    army = read(roster(squad(), selection("Drone", profiles=(gun(),), points=10)))
    assert army.warnings == ("'Drone' holds profiles but is not listed as a unit: it is left out",)


# Wargear


def test_wargear_on_the_unit_itself_when_the_models_carry_weapons():
    unit, army = read_one(
        squad(
            selection("Pink", "model", 10, selection("Flames", number=10, profiles=(gun("Flames"),))),
            profiles=(stat_line(), gun("Blue flames"), blade("Blue claws")),
        )
    )
    assert lines(unit) == [("Flames", 10, "Pink")]
    assert [weapon.name for weapon in unit.unassigned_weapons] == ["Blue flames", "Blue claws"]
    assert army.warnings == (
        "Squad: no bearer is listed for these weapons, so they are not used: Blue flames, Blue claws",
    )


def test_wargear_on_the_unit_itself_when_the_models_carry_none():
    unit, _ = read_one(squad(selection("Hound", "model", 6), profiles=(stat_line(), blade("Teeth"))))
    assert lines(unit) == [("Squad", 6, "Squad")]
    assert unit.weapons[0].modes[0].name == "Teeth"
    assert unit.unassigned_weapons == ()


def test_wargear_beside_the_models_is_used_once_for_each_copy():
    unit, _ = read_one(
        squad(
            selection("Sergeant", "model", 1),
            selection("Trooper", "model", 5, selection("Rifle", number=5, profiles=(gun(),))),
            selection("Support turret", profiles=(gun("Turret gun"),)),
        )
    )
    assert lines(unit) == [("Rifle", 5, "Trooper"), ("Support turret", 1, "Squad")]
    assert unit.weapons[1].group is None
    assert unit.simplifications == (
        "Squad: the list does not say which model carries Support turret: it is used once for each copy",
    )


def test_wargear_beside_the_only_kind_of_models_is_theirs():
    unit, _ = read_one(
        squad(
            selection("Trooper", "model", 5, selection("Rifle", number=5, profiles=(gun(),))),
            selection("Heavy gun", profiles=(gun("Heavy gun"),)),
        )
    )
    assert lines(unit) == [("Rifle", 5, "Trooper"), ("Heavy gun", 1, "Trooper")]
    assert unit.simplifications == ()


def test_marked_profiles_are_modes_and_others_are_weapons_of_their_own():
    node = selection(
        "Spear and launchers",
        profiles=(
            gun("Spear"),
            blade("Spear"),
            gun("Great launcher"),
            gun("➤ Small launcher - blast"),
            gun("➤ Small launcher – focused"),
            blade("➤ Sword - strike"),
            blade("➤ Sword - sweep"),
        ),
    )
    unit, _ = read_one(squad(selection("Hero", "model", 1, node)))
    (line,) = unit.weapons
    assert [[weapon.name for weapon in choice] for choice in line.choices] == [
        ["Spear"],
        ["Spear"],
        ["Great launcher"],
        ["Small launcher - blast", "Small launcher – focused"],
        ["Sword - strike", "Sword - sweep"],
    ]
    assert [weapon.melee for weapon in line.modes] == [False, True, False, False, False, True, True]
    assert line.has_modes


@pytest.mark.parametrize(
    ("names", "sizes"),
    [
        (["➤ Frag", "➤ Krak"], [2]),
        (["➤ Pistol - standard", "➤ Pistol- supercharge"], [2]),
        (["➤ A - x", "➤ A - y", "➤ B - x", "➤ B - y"], [2, 2]),
        (["➤ A - x", "➤ A - y", "➤ B"], [3]),
        (["A - x", "A - y"], [2]),
        (["A", "A"], [2]),
        (["A", "B"], [1, 1]),
        (["Twin-linked gun", "Twin gun"], [1, 1]),
    ],
)
def test_which_profiles_are_modes_of_each_other(names, sizes):
    node = selection("Gun", profiles=tuple(gun(name) for name in names))
    unit, _ = read_one(squad(selection("Hero", "model", 1, node)))
    assert [len(choice) for choice in unit.weapons[0].choices] == sizes


def test_hidden_profiles_are_inactive_rules():
    hidden = gun("Old rifle") | {"hidden": True}
    unit, army = read_one(
        squad(selection("Trooper", "model", 1, selection("Rifle", profiles=(gun(), hidden))))
    )
    assert [weapon.name for weapon in unit.weapons[0].modes] == ["Rifle"]
    assert army.warnings == ("Squad: 'Old rifle' is hidden in the list and left out",)


def test_profiles_of_unknown_identifiers_are_told_by_the_name_of_their_kind():
    line = gun() | {"typeId": ""}
    unit, _ = read_one(squad(selection("Trooper", "model", 1, selection("Rifle", profiles=(line,)))))
    assert lines(unit) == [("Rifle", 1, "Trooper")]


def test_profiles_are_told_by_their_identifier_first():
    line = gun() | {"typeName": "Armes de tir"}
    unit, _ = read_one(squad(selection("Trooper", "model", 1, selection("Rifle", profiles=(line,)))))
    assert lines(unit) == [("Rifle", 1, "Trooper")]


# Editions and games
