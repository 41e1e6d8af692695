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
    return {"name": name, "typeName": kind, "typeId": kind, "characteristics": texts}


def node(name, kind="upgrade", number=1, profiles=(), selections=(), categories=()):
    parts = {"profiles": list(profiles), "selections": list(selections)}
    return {
        "name": name,
        "type": kind,
        "number": number,
        **parts,
        "categories": [{"name": c} for c in categories],
    }


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
JAWS = [armed(melee("Jaws", "6"), melee("Beam", "1", wound="See 'Beam'"))]
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
    [jaws] = beast.weapons
    assert str(jaws) == "Jaws: Atk 6, Hit 3+, Wnd 3+, Rnd 0, Dmg 1, battle damaged Atk 4"
    assert beast.notes == ("Beam is not computed: its rolls are those of an ability",)


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
