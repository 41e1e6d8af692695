"""Text exports with characteristics from each kind of source, all invented."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from datasheet_files import LIST, SOURCES, TEXT, entry, factions, list_file
from roster_files import (
    as_json,
    feel_no_pain,
    gun,
    invulnerable,
    roster,
    selection,
    stat_line,
    the_text,
)
from test_roster_text import DIALECTS, GW_APP, NESTED_APP, REAL

from mathhammer.analysis import army_table
from mathhammer.errors import RosterError
from mathhammer.rosters import open_datasheets, read_army
from mathhammer.rosters.data import Fetched, TableSource, write_table
from mathhammer.rosters.reading import parse_roster
from mathhammer.rosters.wh40k import army_from_roster

DATA = os.environ.get("MATHHAMMER_DATA")
OTHER_EDITION = (
    "the list is of the 11th edition, the datasheets are of the 10th; "
    "'mathhammer data get bsdata' fetches its own"
)


def read_text(folder, text, source):
    (folder / "list.txt").write_text(text, encoding="utf-8")
    return read_army(folder / "list.txt", datasheets=source)


@pytest.fixture(params=SOURCES)
def army(request, tmp_path):
    (tmp_path / "list.txt").write_text(TEXT, encoding="utf-8")
    sheets = tmp_path / "sheets"
    sheets.mkdir()
    return read_army(tmp_path / "list.txt", datasheets=SOURCES[request.param](sheets))


def test_the_unit_is_the_same_from_every_source(army):
    assert (army.points, len(army.units), army.edition) == (300, 2, "10e")
    assert (army.faction, army.detachments) == ("Lantern League", ("Beacon Chain",))
    wardens = army.units[0]
    assert [
        (group.name, group.count, group.profile.wounds, group.profile.save) for group in wardens.models
    ] == [
        ("Sergeant", 1, 3, 3),
        ("Warden", 4, 2, 3),
    ]
    assert {(invulnerable(group), feel_no_pain(group)) for group in wardens.effective_models} == {
        ("5+", "6+")
    }
    assert (wardens.keywords, wardens.factions) == (("Infantry",), ("League",))
    assert [(line.name, line.count, line.bearer) for line in wardens.weapons] == [
        ("Sâbre", 1, "Sergeant"),
        ("Rifle", 1, "Sergeant"),
        ("Rifles", 3, "Warden"),
        ("Plasma gun", 1, "Warden"),
    ]
    assert [len(choice) for choice in wardens.weapons[3].choices] == [2]
    assert wardens.weapons[1].modes[0].attacks.bounds() == (2, 2)


def test_what_the_source_does_not_know_is_reported_and_kept(army):
    assert "Wardens: the datasheet has no 'Rocket'" in " ".join(army.warnings)
    crawler = army.units[1]
    assert (crawler.name, crawler.points, crawler.size) == ("Cralwer", 210, 1)
    assert any(text.startswith("Cralwer: the datasheets have no such unit") for text in army.unparsed)


ALIKE = the_text("alike")
SPELLED = {name: the_text(f"spelled-{name}") for name in ("simple", "app", "tournament")}


def least(number):
    return [{"type": "min", "field": "selections", "scope": "parent", "value": number}]


@pytest.mark.parametrize(
    ("text", "weapons", "said"),
    [
        ("Lampers (90 points)", {"Sabre": 1, "Rifle": 4}, "1x Boss, 4x Lamper, 1x Sabre, 4x Rifle"),
        ("5x Lampers (90 pts)", {"Sabre": 1, "Rifle": 4}, "1x Boss, 4x Lamper, 1x Sabre, 4x Rifle"),
        ("Lampers (90 pts)\n• 1x Boss\n• 4x Lamper", {"Sabre": 1, "Rifle": 4}, "1x Sabre, 4x Rifle"),
        (
            "Lampers (90 pts)\n• 1x Boss: Sabre\n• 4x Lamper: Plasma gun, Gun drone",
            {"Sabre": 1, "Plasma gun": 4, "Twin gun": 8},
            "8x Twin gun",
        ),
    ],
)
def test_what_an_export_leaves_out_is_the_default_of_the_datasheet(tmp_path, text, weapons, said):
    def armed(name, number=0):
        return entry(selection(name, profiles=(gun(name),)), id=name, constraints=least(number))

    guns = [armed("Rifle"), armed("Plasma gun")]
    guns = {
        "name": "Guns",
        "constraints": least(1),
        "defaultSelectionEntryId": "Rifle",
        "selectionEntries": guns,
    }
    drone = entry(selection("Gun drone"), selectionEntries=[armed("Twin gun", 2)])
    lamper = entry(selection("Lamper", "model", 1, profiles=(stat_line("Lamper"),)), id="lamper")
    lamper |= {"selectionEntryGroups": [guns], "selectionEntries": [drone]}
    lampers = {"name": "4-9 Lampers", "constraints": least(4), "defaultSelectionEntryId": "lamper"}
    boss = selection("Boss", "model", 1, profiles=(stat_line("Boss", W="3"),))
    boss = entry(boss, constraints=least(1), selectionEntries=[armed("Sabre", 1)])
    unit = entry(selection("Lampers", "unit", 1), selectionEntries=[boss])
    unit |= {"selectionEntryGroups": [lampers | {"selectionEntries": [lamper]}]}
    factions(tmp_path, League={"selectionEntries": [unit]})
    army = read_text(tmp_path, f"{text}\n\n7x Lampers (150 pts)", tmp_path)
    models = [(model.name, model.count, model.profile.wounds) for model in army.units[0].models]
    assert models == [("Boss", 1, 3), ("Lamper", 4, 2)]
    assert {line.name: line.count for line in army.units[0].weapons} == weapons
    assert [warning for warning in army.warnings if "the list" in warning and "stat line" not in warning] == [
        f"Lampers: the list does not say these, so they are the datasheet's default: {said}",
        "Lampers: the list names no weapon of it",
    ]


#: What begins a heading, a signature or a field, and words that are no names.
NO_ITEMS = ("+", "#", "Force Disposition", "Export", "Created", "Attached unit", "Attached Unit", "Unité")
NO_NAMES = set(the_text("no-names").split())


@pytest.mark.parametrize("text", [*DIALECTS.values(), *SPELLED.values(), NESTED_APP, TEXT, ALIKE])
def test_every_line_ended_in_the_army_or_in_a_note(tmp_path, text):
    """The datasheets know some of the units, and of those some of the wargear."""
    (tmp_path / "list.txt").write_text(text, encoding="utf-8")
    assert lost_words(text, read_army(tmp_path / "list.txt", datasheets=list_file(tmp_path))) == {}


@pytest.mark.skipif(not DATA, reason="MATHHAMMER_DATA does not name the folder of real army lists")
@pytest.mark.parametrize("name", REAL)
def test_every_line_of_real_lists_ended_in_the_army_or_in_a_note(name):
    folder = Path(DATA or "") / "rosters"
    army = read_army(folder / name, datasheets=folder / "10e-shadow-legion-newrecruit.json")
    assert lost_words((folder / name).read_text(encoding="utf-8"), army) == {}


def lost_words(text, army):
    """Words of names in the lines of a list that are neither in the army nor in what is said of it."""
    found = [army.name, army.faction, *army.detachments, *army.warnings]
    for unit in army.units:
        found += [unit.name, *unit.joined, *unit.enhancements, *unit.notes]
        found += [each.name for each in (*unit.models, *unit.weapons, *unit.rules)]
    said = " ".join(found).casefold()
    lines = [
        line
        for line in text.splitlines()
        if not (line.isupper() or line.endswith(":") or line.startswith(NO_ITEMS))
    ]
    words = {
        line: {each.casefold() for each in re.findall(r"(?:[A-Z]|\b)[a-zâé]{2,}", line)} for line in lines
    }
    lost = {line: {each for each in own - NO_NAMES if each not in said} for line, own in words.items()}
    return {line: own for line, own in lost.items() if own}


def test_datasheets_change_nothing_in_a_list_that_has_its_own(tmp_path):
    path = list_file(tmp_path)
    assert read_army(path, datasheets=path) == read_army(path)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "holds no BSData catalogues"),
        ({"a.txt": "x"}, "holds no BSData catalogues"),
        ({"a.cat": "<roster/>"}, "the root of 'a.cat' is <roster>"),
        ({"a.cat": '<!DOCTYPE x [<!ENTITY a "b">]><catalogue/>'}, "document type declaration"),
        ({"a.cat": "<catalogue>" + "<as><a>" * 40 + "</a></as>" * 40 + "</catalogue>"}, "at most 64 levels"),
        ({"a.cat": "<catalogue/>"}, "no catalogue in the folder"),
        ({"a.json": "[]"}, "no catalogue in the folder of datasheets has units"),
        ({"a.json": "{"}, "breaks off"),
    ],
)
def test_folders_that_are_no_source(tmp_path, files, said):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(RosterError) as caught:
        open_datasheets(tmp_path)
    assert said in str(caught.value)


def test_a_catalogue_that_grows_without_end_is_refused(tmp_path):
    link = '<entryLink targetId="g{}"/>'.format
    groups = [
        f'<selectionEntryGroup id="g{i}" name="g"><entryLinks>{link(i + 1) * 8}</entryLinks></selectionEntryGroup>'
        for i in range(20)
    ]
    unit = f'<selectionEntry id="u" name="U" type="unit"><entryLinks>{link(0)}</entryLinks></selectionEntry>'
    (tmp_path / "a.cat").write_text(
        f"<catalogue><sharedSelectionEntries>{unit}</sharedSelectionEntries><sharedSelectionEntryGroups>"
        f"{''.join(groups)}</sharedSelectionEntryGroups></catalogue>"
    )
    with pytest.raises(RosterError, match="at most 20,000 entries of a datasheet"):
        open_datasheets(tmp_path).datasheet("U")


@pytest.mark.skipif(not DATA, reason="MATHHAMMER_DATA does not name the folder of real army lists")
def test_a_real_text_with_a_real_list_as_its_source():
    folder = Path(DATA or "") / "rosters"
    army = read_army(
        folder / "nr-gw-text-chaos-knights.txt", datasheets=folder / "10e-shadow-legion-newrecruit.json"
    )
    assert (army.points, len(army.units)) == (2000, 16)
    nurglings = army.units[-1]
    assert [(line.name, line.count) for line in nurglings.weapons] == [("Diseased claws and teeth", 3)]
    assert nurglings.as_target().wounds == 4
    assert "War Dog Stalker: the datasheets have no such unit; nearest are War Dog Brigand" in army.warnings


def _spawn(toughness, name="Spawn", **more):
    return entry(
        selection(name, "unit", profiles=(stat_line(name, T=str(toughness)),)),
        id=f"{name}{toughness}",
        **more,
    )


def _catalogues(folder):
    """Two factions with a unit of one name, what one of them links to, and a library."""
    return factions(
        folder,
        Amber={"sharedSelectionEntries": [_spawn(2, "Titan"), _spawn(9, "Hound")]},
        Green={"sharedSelectionEntries": [_spawn(7)]},
        Red={
            "sharedSelectionEntries": [_spawn(5)],
            "entryLinks": [
                {"targetId": "Ally4", "categoryLinks": [{"name": "Faction: Red"}]},
                {"targetId": "Spawn5", "rules": [{"name": "Frenzy", "description": "No dice."}]},
            ],
            "catalogueLinks": ["Zoo"],
        },
        Vault={"sharedSelectionEntries": [_spawn(10, "Titan")], "library": True},
        Zoo={"sharedSelectionEntries": [_spawn(4, "Hound"), _spawn(4, "Ally")], "catalogueLinks": ["Red"]},
    )


@pytest.mark.parametrize(
    ("faction", "unit", "toughness", "others"),
    [
        ("Red", "Spawn", 5, ()),
        ("Chaos - Green", "Spawn", 7, ()),
        ("Lantern League, Green", "Spawn", 7, ()),
        ("Red, Crimson Chapter", "Hound", 4, ()),
        ("Red", "Titan", 10, ()),
        ("Red", "Ally", 4, ()),
        ("", "Ally", 4, ("Chaos - Zoo",)),
        ("", "Spawn", 7, ("Chaos - Red",)),
        ("Unheard-of", "Titan", 2, ("Chaos - Vault",)),
    ],
)
def test_a_name_means_the_datasheet_of_the_lists_own_faction(tmp_path, faction, unit, toughness, others):
    """Its catalogue's, then that of what it links to, then a library's; of an unknown faction both are named."""
    (tmp_path / "list.txt").write_text(
        f"Gate Watch (300 Points)\n\n{faction}\n\nBATTLELINE\n\n{unit} (90 Points)\n  • 1x Horn"
    )
    (tmp_path / "sheets").mkdir()
    source = open_datasheets(_catalogues(tmp_path / "sheets"))
    write_table(source, tmp_path / "table", Fetched("bsdata", "10e", "", "", 0, ""))
    for each in (source, TableSource("bsdata", tmp_path / "table")):
        army = read_army(tmp_path / "list.txt", datasheets=each)
        assert army.units[0].as_target().toughness == toughness
        said = [text for text in army.warnings if text.startswith(f"{unit}: the datasheets of ")]
        assert len(said) == bool(others)
        assert all(other in text for other in others for text in said)


def test_what_a_catalogue_adds_to_an_entry_that_it_links_to(tmp_path):
    source = open_datasheets(_catalogues(tmp_path))
    assert source.datasheet("Ally", "Red").categories == ("Faction: Red",)
    assert source.datasheet("Spawn", "Red").rules == (("Frenzy", "No dice."),)


RULES = {
    "Waves": "Models from your army have a 6+ invulnerable save.",
    "Beacon": "Each time a model from your army makes a melee attack, re-roll a Wound roll of 1.",
    "Frenzy": "Each time this model makes an attack, re-roll a Hit roll of 1.",
}


@pytest.mark.parametrize("bare", [False, True])
def test_rules_of_army_and_detachment_are_read_like_those_of_a_file(tmp_path, bare):
    """Links lead to rules that stand elsewhere; a detachment that the datasheets do not have is listed too."""
    mentioned = [{"type": "rule", "name": "Lethal Hits"}]
    link = {name: [{"type": "rule", "name": name, "targetId": name}] for name in RULES}
    choices = {
        "name": "Choice",
        "selectionEntries": [{"name": "Chain", "type": "upgrade", "infoLinks": link["Beacon"] + mentioned}],
    }
    shared = [{"id": name, "name": name, "description": text} for name, text in RULES.items()]
    red = {
        "infoLinks": link["Waves"],
        "entryLinks": [{"targetId": "all", "name": "Detachments"}],
        "sharedSelectionEntries": [_spawn(5, infoLinks=link["Frenzy"])],
        "catalogueLinks": ["Ally", "Vault"],
    }
    detachment = {"id": "all", "name": "Detachment", "type": "upgrade", "selectionEntryGroups": [choices]}
    ally = {"sharedSelectionEntries": [{"id": "theirs", "name": "Detachment", "type": "upgrade"}]}
    source = open_datasheets(
        factions(
            tmp_path,
            Ally=ally,
            Red=red,
            Vault={"sharedSelectionEntries": [detachment], "sharedRules": shared},
        )
    )

    def text(name):
        return {"name": name, "description": RULES[name]}

    chain, horns = selection("Chain"), selection("Horns")
    spawn = selection("Spawn", "unit", 1, selection("Spawn", "model"))
    tree = roster(selection("Detachment", "upgrade", 1, chain, horns), spawn)
    tree["forces"][0]["catalogueName"] = "Red"
    words = (
        "Gate (90 Points)\n\nRed\nDetachments: Chain, Horns\n\nBATTLELINE\n\nSpawn (90 Points)\n  • 1x Spawn"
    )
    (tmp_path / "list").write_bytes(as_json(tree) if bare else words.encode())
    found = read_army(tmp_path / "list", datasheets=source)
    tree["forces"][0]["rules"] = [text("Waves")]
    chain["rules"], horns["rules"] = [text("Beacon")], [{"name": "Horns"}]
    spawn |= {"rules": [text("Frenzy")], "profiles": [stat_line("Spawn", T="5")]}
    full = parse_roster(as_json(tree), "full")
    assert [(rule.name, rule.effects, rule.unread) for rule in (*found.rules, *found.units[0].rules)] == [
        (rule.name, rule.effects, rule.unread)
        for army in [army_from_roster(full)]
        for rule in (*army.rules, *army.units[0].rules)
    ]
    assert [rule.name for rule in (*found.rules, *found.units[0].rules) if rule.effects] == list(RULES)
    assert "the datasheets have no detachment 'Horns', and none with a name like it" in found.warnings


def test_datasheets_that_are_not_there():
    with pytest.raises(RosterError) as caught:
        open_datasheets("/nosuch")
    assert str(caught.value) == "no datasheets at '/nosuch'; check the path"


# The edition of a text and of its datasheets


def test_a_text_of_the_11th_with_datasheets_of_the_10th(tmp_path):
    path, source = tmp_path / "list.txt", tmp_path / "source.json"
    path.write_text(GW_APP, encoding="utf-8")
    source.write_bytes(as_json(LIST))
    army = read_army(path, datasheets=source)
    assert (army.edition, army.file_edition) == ("11e", "11e")
    assert OTHER_EDITION in army.warnings
    table = army_table(army, "MEQ")
    assert (table.edition, table.targets[0].toughness) == ("11e", 5)
    asked = read_army(path, datasheets=source, edition="10e")
    assert (asked.edition, asked.file_edition) == ("10e", "11e")
    assert asked.warnings[0] == (
        "the list is of the 11th edition; the rules of the 10th edition are applied to it"
    )
    assert [unit.name for unit in asked.units] == ["Wardens with Marshal", "Crawler"]


# Files without profiles


def _bare(node):
    return {
        key: [_bare(each) for each in value] if key == "selections" else value
        for key, value in node.items()
        if key not in {"profiles", "rules", "categories"}
    }


def test_a_file_without_profiles_has_those_of_its_datasheets(tmp_path):
    path, source = tmp_path / "bare.json", tmp_path / "source.json"
    units = [_bare(unit) for unit in LIST["forces"][0]["selections"]]
    path.write_bytes(as_json(roster(*units)))
    source.write_bytes(as_json(LIST))
    full, army = read_army(source), read_army(path, datasheets=source)
    assert army.warnings == full.warnings
    assert army.units == full.units
    bare = read_army(path)
    assert bare.warnings[0].startswith("the list carries no profiles; name their source (datasheets=")
    assert not any(unit.weapons for unit in bare.units)


def test_what_the_datasheets_of_a_file_lack_is_said(tmp_path):
    path, source = tmp_path / "bare.json", tmp_path / "source.json"
    rocket = selection(
        "Trooper", "model", 1, selection("Rifel"), selection("Bundle", "upgrade", 1, selection("Rifle"))
    )
    path.write_bytes(as_json(roster(selection("Wardens", "unit", 1, rocket), selection("Ghosts", "unit", 1))))
    source.write_bytes(as_json(LIST))
    army = read_army(path, datasheets=source)
    assert "Wardens: the datasheet has no 'Rifel'; nearest are Rifle" in army.warnings
    assert not any("Bundle" in warning for warning in army.warnings)
    assert "Ghosts: the datasheets have no such unit, and none with a name like it" in army.warnings
    assert [(line.name, line.count) for line in army.units[0].weapons] == [("Rifle", 1)]
