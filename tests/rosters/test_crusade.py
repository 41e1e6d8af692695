"""Warbands of Trench Crusade and the weapons of a catalogue, written by hand as the community's is."""

import json
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

from mathhammer import trench_crusade as tc
from mathhammer.cli import main
from mathhammer.errors import RosterError
from mathhammer.rosters.crusade import read_warband, read_weapons

GAME = {"gameSystemId": "sys-4f3d-c5c9-7df1-ad01", "gameSystemName": "Trench Crusade"}


def profile(name, kind, **texts):
    found = [{"name": key, "$text": text} for key, text in texts.items()]
    known = {"Weapon": "090c-b12e-592a-9874"}.get(kind, "")
    return {"id": f"p-{name}", "name": name, "typeName": kind, "typeId": known, "characteristics": found}


def kit(name, held, keywords="-", rules="-", reach="-", kind="Battlekit"):
    shown = profile(name, kind, Type=held, Range=reach, Keywords=keywords, Rules=rules)
    return {"id": name, "name": name, "type": "upgrade", "number": 1, "profiles": [shown]}


def gun(name, held, reach, keywords="-", rules="-"):
    return kit(name, held, keywords, rules, reach, "Weapon")


LANCE = gun("Long Lance", "2-Handed", '24"', "+1 DICE, CRITICAL", "**Bull’s Eye**: Some text.")
CLUB = gun("Odd Club", "1-handed", "Melee", "+1 DICE", "Unwieldy: Some text.")
BOMB = gun("Big Bomb", "Grenade", '6"', "BLAST 3'', HEAVY IGNORE ARMOUR", "Heavy Explosive: Some text.")
ODD = gun("Whistle (loud)", "Special", '8"/Melee', "-", "Nobody knows what it does.")
PLATE = kit("Standard Armour", "Armour", "-1 INJURY MODIFIER, NEGATE GAS")
SHIELD = kit("Trench Shield", "Shield", "-1 INJURY MODIFIER")
SUIT = kit("Machine Armour", "Armour", "-3 INJURY MODIFIER", "Standfast: Some text.")
WINGS = kit("Winged Mail", "Armour", "-3 INJURY MODIFIER")


def model(name, armour, *held, number=1, ranged="+1 Dice"):
    line = profile(name, "Unit", Movement='6"', Ranged=ranged, Melee="-1 Dice", Armour=armour)
    named = [{"name": each} for each in ("Tough", "Troop")]
    parts = {"selections": list(held), "categories": named, "categoryLinks": named, "profiles": [line]}
    return {"id": name, "name": name, "type": "model", "number": number, **parts}


@pytest.fixture
def catalogue(tmp_path):
    entries = [{**model("Rifleman", "0"), "selectionEntries": [LANCE, CLUB, BOMB, PLATE, SHIELD]}]
    tree = {**GAME, "id": "c", "name": "Guild", "sharedSelectionEntries": [*entries, ODD]}
    with ZipFile(tmp_path / "guild.zip", "w") as archive:
        archive.writestr("Guild/Guild.json", json.dumps({"catalogue": tree}))
    return tmp_path / "guild.zip"


def written(path, *models, game=GAME):
    forces = [{"name": "Warband", "catalogueName": "Guild", "selections": models}]
    path.write_text(json.dumps({"roster": {"name": "Invented", **game, "forces": forces}}), encoding="utf-8")
    return path


def test_weapons_of_what_was_fetched(tmp_path, monkeypatch, catalogue):
    monkeypatch.setenv("MATHHAMMER_CACHE", str(tmp_path / "cache"))
    with pytest.raises(RosterError, match="get them with 'mathhammer data get trench-crusade'"):
        read_weapons()
    done = CliRunner().invoke(main, ["data", "get", "trench-crusade", "--from", str(catalogue)])
    assert "2 datasheets of the TC 1.0.2" in done.output
    found = read_weapons()
    assert list(map(str, found.values())) == [
        "Big Bomb (grenade): BLAST 3, HEAVY, IGNORE ARMOUR, ONCE A GAME",
        "Long Lance (ranged): +1 DICE, CRITICAL, IGNORE ARMOUR ON CRITICAL",
        "Odd Club (melee): +1 DICE",
        "Whistle (loud) (ranged)",
    ]
    assert found["Odd Club"].dice_off_hand == 0
    assert found.notes == ("Whistle (loud): its special rule is not computed",)


def test_a_list_has_its_profiles(tmp_path):
    path = tmp_path / "list.json"
    written(
        path,
        model("Rifleman", "-2", CLUB, LANCE, PLATE, SHIELD, number=2),
        model("Brute", "-3", CLUB, SUIT, ranged="N/A"),
        model("Flyer", "-3", CLUB, WINGS),
        model("Sapper", "0", BOMB),
    )
    found = read_warband(path)
    assert list(found) == ["Rifleman", "Rifleman 2", "Brute", "Flyer"]
    assert found["Rifleman"] == tc.Fighter(
        tc.Target("Rifleman", armour="standard", shield=True, keywords="TOUGH, NEGATE GAS"),
        "Long Lance (ranged): +1 DICE, CRITICAL, IGNORE ARMOUR ON CRITICAL",
        ranged=1,
        melee=-1,
    )
    brute, flyer = found["Brute"], found["Flyer"]
    assert (brute.target.armour, brute.target.characteristic, brute.ranged) == ("machine", 0, 0)
    assert (flyer.target.armour, flyer.target.characteristic) == ("none", -3)
    assert found.notes == (
        "Rifleman: Odd Club is another attack",
        "Sapper has no weapon for every Activation",
    )


def test_a_text_is_read_with_a_catalogue(tmp_path, catalogue):
    path = tmp_path / "list.txt"
    path.write_text(
        "Guild\n- Rifleman [40 Ducats]: Standard Armour, Lance\n • Trench Shield\n • 1x Long Lance"
    )
    found = read_warband(path, datasheets=catalogue)
    target = tc.Target("Rifleman", armour="standard", shield=True, keywords="TOUGH, NEGATE GAS")
    assert found["Rifleman"].target == target
    assert found.notes == ("Rifleman: the datasheet has no 'Lance'; nearest are Long Lance",)


def test_what_is_no_warband(tmp_path, catalogue):
    other = {"gameSystemId": "sys-352e-adc2-7639-d610", "gameSystemName": "Warhammer 40,000 11th Edition"}
    with pytest.raises(RosterError, match="expected a list of Trench Crusade, got 'Warhammer"):
        read_warband(written(tmp_path / "list.json", model("Rifleman", "0", LANCE), game=other))
    (tmp_path / "list.txt").write_text("Weapons: Long Lance\nnobody")
    with pytest.raises(RosterError, match=r"expected a warband of armed fighters, 'list.txt' has none"):
        read_warband(tmp_path / "list.txt", datasheets=catalogue)
    tree = {"gameSystemId": "e51d-b1a3-75fc-dc3g", "sharedSelectionEntries": [model("Guard", "0")]}
    (tmp_path / "Guild.json").write_text(json.dumps({"catalogue": tree}))
    (tmp_path / "Other").mkdir()
    (tmp_path / "Guild.json").rename(tmp_path / "Other" / "Guild.json")
    with pytest.raises(RosterError, match="expected datasheets of Trench Crusade, got some of the AoS 4e"):
        read_weapons(tmp_path / "Other")
