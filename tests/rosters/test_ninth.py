"""Units of The 9th Age, out of a catalogue written by hand as the community's is."""

import json

import pytest
from click.testing import CliRunner

from mathhammer import t9a
from mathhammer.cli import main
from mathhammer.errors import RosterError, UnknownNameError
from mathhammer.rosters.ninth import read_units

GAME = {"gameSystemId": "aa64-1e8e-66fc-9abf", "id": "book", "name": "Invented"}
MARCH = {"Adv": '5"', "Mar": '10"', "Dis": "8"}


def profile(name, kind, texts):
    return {
        "name": name,
        "typeName": kind,
        "characteristics": [{"name": k, "$text": v} for k, v in texts.items()],
    }


def struck(hp, rules, **more):
    return profile(
        "Defence", "2 Defensive", {"HP": hp, "Def": "4", "Res": "3", "Arm": "0", "Rules": rules, **more}
    )


def striking(name, att, rules, off="3"):
    texts = {"Att": att, "Off": off, "Str": "4", "AP": "1", "Agi": "3", "Rules": rules}
    return profile(f"{name} Offensive", "3 Offensive", texts)


def entry(name, kind, profiles=(), rules=(), **more):
    links = [{"type": "rule", "name": rule, "targetId": rule} for rule in rules]
    links[:1] = [
        {**each, "modifiers": [{"type": "append", "field": "name", "value": "(4+)"}]} for each in links[:1]
    ]
    return {"id": name, "name": name, "type": kind, "profiles": [*profiles], "infoLinks": links, **more}


GLOBAL = profile("Whole", "1 Global", MARCH)
SIZE = profile("Size", "0 Size", {"Height": "Large", "Type": "Construct", "Base": "round"})
CART = entry(
    "Cart",
    "unit",
    [GLOBAL, SIZE, struck("4", "Aegis (5+), Light Armour"), striking("Crew (2)", "1", "Halberd, Bow (4+)")],
    ["Engineer", "Swiftstride", "Light Armour"],
)
CART["profiles"] += [striking("Chassis", "", "Inanimate, Impact Hits (D6)", off="")]
SPEARS = entry("Spear", "model", [GLOBAL, struck("1", "Shield"), striking("Spear", "2", "Spear, Old Grudge")])
HERD = entry("Herd", "unit", selectionEntries=[SPEARS])
IDOL = entry("Idol", "unit", [struck("3", "", Def="*")])
TREE = {"catalogue": {**GAME, "sharedSelectionEntries": [CART, HERD, IDOL, entry("Option", "unit")]}}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "book.json").write_text(json.dumps(TREE), encoding="utf-8")
    other = {
        **TREE["catalogue"],
        "gameSystemId": "8c9a-3026-84b4-cf16",
        "id": "new",
        "name": "Another edition",
    }
    (tmp_path / "book" / "new.json").write_text(json.dumps({"catalogue": other}), encoding="utf-8")
    return tmp_path / "book"


def test_a_unit_has_what_its_profiles_print(folder):
    found = read_units(folder)
    assert list(found) == ["Cart", "Herd"]
    [note] = found.notes
    assert note.startswith("Idol is not read: expected a characteristic")
    assert "Def *" in note
    cart = found["Cart"]
    line = '1 model, Adv 5", Mar 10", Dis 8, HP 4, Def 4, Res 3, Arm 1, Aegis 5+'
    assert cart.target == t9a.Target.parse(f"Cart: {line} [Large, Construct, Engineer (4+), Swiftstride]")
    impact = t9a.impact_hits("D6", strength=4, armour_penetration=1)
    crew = t9a.ModelPart.parse("Crew (2): Att 2, Off 3, Str 4, AP 1, Agi 3 [Halberd, Bow (4+)]")
    assert cart.parts == (crew, impact.changed(name="Impact Hits of Chassis", agility=3))
    assert cart.discipline == 8


def test_ranks_support_the_first(folder):
    herd = read_units(folder, models=12, rank_width=5)["Herd"]
    assert (herd.target.models, herd.target.armour, herd.rank_width) == (12, 1, 5)
    assert [(each.models, str(each.attacks), each.behind) for each in herd.parts] == [
        (5, "2", 0),
        (5, "1", 5),
    ]
    assert "Old Grudge" in str(t9a.fight(herd, herd.changed(charging=True)))
    with pytest.raises(UnknownNameError, match="did you mean 'Herd'"):
        read_units(folder)["Hert"]


def test_it_is_fetched_by_name(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("MATHHAMMER_CACHE", str(tmp_path / "cache"))
    with pytest.raises(RosterError, match="get them with 'mathhammer data get t9a'"):
        read_units()
    done = CliRunner().invoke(main, ["data", "get", "t9a", "--from", str(folder / "book.json")])
    assert "4 datasheets of the T9A 2e" in done.output
    assert str(read_units(models=3)["Herd"]) == str(read_units(folder, models=3)["Herd"])
    wrong = {"catalogue": {**TREE["catalogue"], "gameSystemId": "sys-4f3d-c5c9-7df1-ad01"}}
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "book.json").write_text(json.dumps(wrong), encoding="utf-8")
    with pytest.raises(RosterError, match="expected datasheets of The 9th Age, got some of the TC"):
        read_units(tmp_path / "wrong")
