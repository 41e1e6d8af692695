"""The same invented datasheets in every form of source, and a list without profiles that names them."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

from roster_files import (
    ability,
    as_json,
    blade,
    gun,
    roster,
    selection,
    squad,
    stat_line,
    the_text,
)

from mathhammer.rosters import open_datasheets
from mathhammer.rosters.datasheets import DatasheetSource

TEXT = the_text("wardens")
WARGEAR = (
    selection("Sabre", profiles=(blade("Sabre"),)),
    selection("Rifle", number=5, profiles=(gun(),)),
    selection(
        "Plasma gun",
        profiles=(gun("➤ Plasma gun - standard"), gun("➤ Plasma gun - supercharge", Keywords="Hazardous")),
    ),
)
LIST = roster(
    selection(
        "Wardens",
        "unit",
        1,
        selection("Warden", "model", 4, *WARGEAR[1:]),
        selection("Sergeant", "model", 1, WARGEAR[0], profiles=(stat_line("Sergeant", W="3"),)),
        profiles=(
            stat_line("Warden"),
            ability("Invulnerable Save", "Models in this unit have a 5+ invulnerable save."),
        ),
        categories=("Infantry", "Faction: League"),
        rules=("Feel No Pain 6+",),
    ),
    squad(),
)


def xml_profile(plain):
    cells = "".join(
        f'<characteristic name="{cell["name"]}">{cell["$text"].replace("&", "&amp;")}</characteristic>'
        for cell in plain["characteristics"]
    )
    return (
        f'<profile id="p-{plain["name"]}" name="{plain["name"]}" typeName="{plain["typeName"]}" '
        f'typeId="{plain["typeId"]}"><characteristics>{cells}</characteristics></profile>'
    )


def catalogues(folder):
    """A library with the wargear, and a catalogue whose unit links to it, to itself and to a rule."""
    return copytree(Path(__file__).parents[1] / "lists" / "catalogues", folder, dirs_exist_ok=True)


def json_catalogue(folder):
    """The same unit as one JSON catalogue of the 10th edition, links resolved."""
    unit = LIST["forces"][0]["selections"][0]
    document = {"catalogue": {"gameSystemId": "sys-352e-adc2-7639-d6a9", "selectionEntries": [entry(unit)]}}
    (folder / "League.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def list_file(folder):
    (folder / "list.json").write_bytes(as_json(LIST))
    return folder / "list.json"


class Own(DatasheetSource):
    """A source of our own making: three members are enough."""

    edition = "10e"

    def __init__(self, sheet):
        self.sheet = sheet

    def names(self):
        return [self.sheet.name]

    def datasheet(self, name, faction=""):  # noqa: ARG002
        return self.sheet if name == self.sheet.name else None


def own(folder):
    return Own(open_datasheets(list_file(folder)).datasheet("Wardens"))


SOURCES = {
    "BSData XML": catalogues,
    "BSData JSON": json_catalogue,
    "another list": list_file,
    "our own": own,
}


def entry(node, **more):
    """Return an entry of a JSON catalogue that holds all options of a selection."""
    plain = {key: value for key, value in node.items() if key not in {"selections", "categories", "number"}}
    plain["selectionEntries"] = [entry(child) for child in node.get("selections", [])]
    plain["categoryLinks"] = node.get("categories", [])
    return plain | more


def factions(folder, **catalogues):
    """Write catalogues that name each other: what stands in each beside its units."""
    for name, content in catalogues.items():
        root = {"id": name, "name": f"Chaos - {name}", "gameSystemId": "sys-352e-adc2-7639-d6a9", **content}
        root["catalogueLinks"] = [{"targetId": target} for target in content.get("catalogueLinks", ())]
        (folder / f"{name}.json").write_text(json.dumps({"catalogue": root}), encoding="utf-8")
    return folder
