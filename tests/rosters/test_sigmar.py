"""Age of Sigmar lists, written by hand as New Recruit's files are: stat lines, Wards, Champions, Battle Damaged."""

import json

import pytest
from click.testing import CliRunner

from mathhammer.cli import main
from mathhammer.errors import RosterError
from mathhammer.rosters.sigmar import read_units

DAMAGED = "While this unit has 10 or more damage points, the Attacks characteristic of its **Jaws** is 4."


def profile(name, kind, **characteristics):
    texts = [{"name": key, "$text": value} for key, value in characteristics.items()]
    known = {"Melee Weapon": "9074-76b6-9e2f-81e3"}
    return {"name": name, "typeName": kind, "typeId": known.get(kind, kind), "characteristics": texts}


def node(name, kind="upgrade", number=1, profiles=(), selections=(), categories=()):
    parts = {
        "profiles": [*profiles],
        "selections": [*selections],
        "categories": [{"name": c} for c in categories],
    }
    return {"name": name, "type": kind, "number": number, **parts}


def melee(name, attacks, ability="", wound="3+"):
    given = {"Atk": attacks, "Hit": "3+", "Wnd": wound, "Rnd": "-", "Dmg": "1", "Ability": ability}
    return profile(name, "Melee Weapon", **given)


def armed(*profiles, number=1, more=()):
    held = [node(each["name"], number=number, profiles=[each]) for each in profiles]
    return node("A model", "model", number, selections=[*held, *more])


def unit(name, stats, models, *categories, more=()):
    line = profile(name, "Unit", **dict(zip(("Move", "Health", "Save", "Control"), stats, strict=True)))
    return node(name, "unit", profiles=[line, *more], selections=models, categories=categories)


def written(path, units, game="Age of Sigmar 4.0"):
    force = {"name": "Regiment", "catalogueName": "Invented", "selections": units}
    header = {"name": "Invented", "gameSystemName": game, "gameSystemId": "invented"}
    path.write_text(json.dumps({"roster": {**header, "forces": [force]}}), encoding="utf-8")
    return path


BLADE, AXE = melee("Blade", "2", "Crit (Mortal)"), melee("Axe", "3", "Anti-**^^Hero^^** (+1 Rend), Zeal")
MOUNT = melee("Hooves", "2", "Companion")
MODELS = [armed(BLADE, MOUNT, more=[node("Champion")]), armed(AXE, MOUNT), armed(BLADE, MOUNT, number=3)]
RIDERS = unit("Riders", ('10"', "3", "4+", "1"), MODELS, "CAVALRY", "WARD (6+)")
JAWS = [armed(melee("Jaws", "6"), melee("Beam", "1", wound="See 'Beam'"), melee("Song", "X"))]
HURT = profile("Battle Damaged", "Ability (Passive)", Effect=DAMAGED)
BEAST = unit("Beast", ("-", "14", "3+", "5"), JAWS, "MONSTER", more=[HURT])


def test_units_of_a_list(tmp_path):
    riders, beast = read_units(written(tmp_path / "list.json", [RIDERS, BEAST, node("Battle Tactics")]))
    assert str(riders.target) == 'Riders: 5 models, Move 10", Health 3, Save 4+, Control 1, Ward 6+ [Cavalry]'
    # The rarer axe is slain last.
    assert [str(each) for each in riders.weapons] == [
        "Axe: Atk 3, Hit 3+, Wnd 3+, Rnd 0, Dmg 1 [Anti-Hero (+1 Rend), Zeal]",
        "Hooves: 5 models, Atk 2, Hit 3+, Wnd 3+, Rnd 0, Dmg 1 [Companion]",
        "Blade: 4 models, champion, Atk 2, Hit 3+, Wnd 3+, Rnd 0, Dmg 1, 1 behind [Crit (Mortal)]",
    ]
    assert (
        str(beast.target) == "Beast: 1 model, Health 14, Save 3+, Control 5, battle damaged at 10 [Monster]"
    )
    assert [*map(str, beast.weapons)] == ["Jaws: Atk 6, Hit 3+, Wnd 3+, Rnd 0, Dmg 1, battle damaged Atk 4"]
    assert beast.notes == tuple(
        f"{each} is not computed: its rolls are those of an ability" for each in ("Beam", "Song")
    )


def test_a_list_of_another_game_is_refused(tmp_path):
    path = written(tmp_path / "list.json", [RIDERS], game="Warhammer 40,000 10th Edition")
    with pytest.raises(RosterError, match="expected a list of Age of Sigmar, but"):
        read_units(path)


def test_the_command_prints_each_unit(tmp_path):
    path = written(tmp_path / "list.json", [RIDERS, BEAST])
    done = CliRunner().invoke(main, ["aos", "army", str(path), "--against", "CHAFF"])
    assert done.exit_code == 0, done.output
    # Against Save 5+: of 6 attacks 4/9 wound and 2/3 are unsaved.
    assert f"{6 * 4 / 9 * 2 / 3:.2f}" in done.output
    assert "Beam is not computed" in done.output


def entry(name, kind, *below, least=0, profiles=(), **more):
    constraint = {"type": "min", "field": "selections", "scope": "parent", "value": least}
    parts = {"selectionEntries": list(below), "profiles": list(profiles), "constraints": [constraint]}
    return {"id": name, "name": name, "type": kind, **parts, **more}


def weapon(name, attacks, *, least=0):
    return entry(name, "upgrade", least=least, profiles=[melee(name, attacks)])


@pytest.fixture(scope="module")
def warscrolls(tmp_path_factory):
    """Three warscrolls as catalogues have them: of 5 models, of models of two kinds, and of a season."""
    guard = entry("Guard", "model", weapon("Hammer", "2", least=1), weapon("Great Hammer", "3"), least=5)
    line = profile("Guards", "Unit", Move='5"', Health="2", Save="3+", Control="1")
    links = {"categoryLinks": [{"name": each} for each in ("CHAMPION", "INFANTRY", "WARD (6+)")]}
    pair = entry("Herder", "model", weapon("Prod", "1", least=1), least=1)
    herd = entry("Squig", "model", weapon("Fangs", "2", least=1), least=4)
    units = [
        entry("Guards", "unit", guard, profiles=[line], **links),
        entry("Herd", "unit", pair, herd, profiles=[line]),
        entry("Guards (Scourge of Aqshy)", "unit", guard, profiles=[line]),
    ]
    tree = {
        "id": "c",
        "name": "Guild",
        "gameSystemId": "e51d-b1a3-75fc-dc3g",
        "sharedSelectionEntries": units,
    }
    place = tmp_path_factory.mktemp("warscrolls")
    (place / "Guild.json").write_text(json.dumps({"catalogue": tree}), encoding="utf-8")
    return place


APP = """Ash Watch 360/1000 pts
-----
Grand Alliance Order | Guild | Example Formation
Spell Lore - Lore of Ash (20 Points)
-----
General's Regiment
Guards (220)
• General
• Reinforced
• 2 Great Hammers
• Amulet
---
Regiment 1
Herd (90)
Guards (2 models) (50)
Scourge of Aqshy: Guards (110)
Gnawhole (20)
"""


def test_a_text_of_the_app_is_read_with_warscrolls(tmp_path, monkeypatch, warscrolls):
    (tmp_path / "list.txt").write_text(APP, encoding="utf-8")
    monkeypatch.setenv("MATHHAMMER_CACHE", str(tmp_path))
    with pytest.raises(RosterError, match="get them with 'mathhammer data get bsdata-aos'"):
        read_units(tmp_path / "list.txt")
    done = CliRunner().invoke(main, ["data", "get", "bsdata-aos", "--from", str(warscrolls / "Guild.json")])
    assert "3 datasheets of the AoS 4e" in done.output
    guards, herd, two, season = read_units(tmp_path / "list.txt")
    assert (guards.target.models, guards.target.ward, guards.target.points) == (10, 6, 220)
    assert {each.name: (each.models, each.champion, each.behind) for each in guards.weapons} == {
        "Great Hammer": (2, False, 0),
        "Hammer": (8, True, 2),
    }
    assert guards.notes == (
        "Amulet is not computed",
        "Gnawhole: the datasheets have no such unit, and none with a name like it",
    )
    assert {each.name: each.models for each in herd.weapons} == {"Fangs": 4, "Prod": 1}
    assert [each.target.models for each in (two, season)] == [2, 5]


@pytest.mark.parametrize(
    ("text", "armed"),
    [
        (
            "Guild\nGuards [SoA] (110)\n[General]\n- 10 x Guards (220)\n[Great Hammer x3 ; Hammer]",
            [(5,), (3, 7)],
        ),
        ("Guild\n5 x Guards (9 points)\n* 6 Great Hammers\nGuards (90)\n* 2x Great Hammers", [(5,), (2, 3)]),
        ("Guild\nGuards (110 pts)\n* 1 Great Hammer and Hammer", [(1, 5)]),
    ],
)
def test_other_texts(tmp_path, warscrolls, text, armed):
    (tmp_path / "list.txt").write_text(text, encoding="utf-8")
    units = read_units(tmp_path / "list.txt", datasheets=warscrolls)
    assert [tuple(sorted(weapon.models for weapon in unit.weapons)) for unit in units] == armed


def test_a_list_without_known_units_says_what_it_names(tmp_path, warscrolls):
    (tmp_path / "list.txt").write_text("Guild\nGards (110)\n• General", encoding="utf-8")
    with pytest.raises(RosterError, match="Gards: the datasheets have no such unit; nearest are Guards"):
        read_units(tmp_path / "list.txt", datasheets=warscrolls)
