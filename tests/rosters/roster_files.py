"""Small army lists made in the test: plain trees, and the files that the list builders would write of them."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from mathhammer.rosters.reading import as_text, parse_roster, read_content
from mathhammer.rosters.text import parse_text_list
from mathhammer.rosters.wh40k import army_from_roster

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.armies.army import Army
    from mathhammer.systems.wh40k.armies.unit import Unit

TENTH = {"gameSystemId": "sys-352e-adc2-7639-d6a9", "gameSystemName": "Warhammer 40,000 10th Edition"}
ELEVENTH = {"gameSystemId": "sys-352e-adc2-7639-d610", "gameSystemName": "Warhammer 40,000 11th Edition"}

_ITEMS = {
    "forces": "force",
    "selections": "selection",
    "profiles": "profile",
    "rules": "rule",
    "costs": "cost",
    "categories": "category",
    "characteristics": "characteristic",
}


def profile(name: str, type_name: str, **characteristics: str) -> dict[str, Any]:
    identifiers = {
        "Unit": "c547-1836-d8a-ff4f",
        "Ranged Weapons": "f77d-b953-8fa4-b762",
        "Melee Weapons": "8a40-4aaa-c780-9046",
        "Abilities": "9cc3-6d83-4dd3-9b64",
    }
    return {
        "name": name,
        "typeName": type_name,
        "typeId": identifiers.get(type_name, "0"),
        "hidden": False,
        "characteristics": [{"name": key, "$text": text} for key, text in characteristics.items()],
    }


def gun(name: str = "Rifle", **changed: str) -> dict[str, Any]:
    line = {"Range": '24"', "A": "2", "BS": "3+", "S": "4", "AP": "-1", "D": "1", "Keywords": "-"}
    return profile(name, "Ranged Weapons", **{**line, **changed})


def blade(name: str = "Blade", **changed: str) -> dict[str, Any]:
    line = {"Range": "Melee", "A": "3", "WS": "3+", "S": "4", "AP": "0", "D": "1", "Keywords": "-"}
    return profile(name, "Melee Weapons", **{**line, **changed})


def stat_line(name: str = "Trooper", **changed: str) -> dict[str, Any]:
    return profile(
        name, "Unit", **{"M": '6"', "T": "4", "SV": "3+", "W": "2", "LD": "6+", "OC": "2", **changed}
    )


def ability(name: str, text: str) -> dict[str, Any]:
    return profile(name, "Abilities", Description=text)


def selection(
    name: str,
    kind: str = "upgrade",
    number: int = 1,
    *children: dict[str, Any],
    profiles: tuple[dict[str, Any], ...] = (),
    rules: tuple[str, ...] = (),
    points: float = 0,
    categories: tuple[str, ...] = (),
    group: str = "",
) -> dict[str, Any]:
    node: dict[str, Any] = {"name": name, "type": kind, "number": number}
    if group:
        node["group"] = group
    if rules:
        node["rules"] = [{"name": rule, "hidden": False} for rule in rules]
    if profiles:
        node["profiles"] = list(profiles)
    if children:
        node["selections"] = list(children)
    if points:
        node["costs"] = [{"name": "pts", "typeId": "51b2-306e-1021-d207", "value": points}]
    if categories:
        node["categories"] = [{"name": category, "primary": False} for category in categories]
    return node


def roster(*selections: dict[str, Any], points: float | None = None, **header: str) -> dict[str, Any]:
    costs = [] if points is None else [{"name": "pts", "typeId": "51b2-306e-1021-d207", "value": points}]
    force = {"name": "Army Roster", "catalogueName": "Test Faction", "selections": list(selections)}
    return {"name": "Test list", **TENTH, **header, "costs": costs, "forces": [force]}


def as_json(tree: dict[str, Any]) -> bytes:
    return json.dumps({"roster": tree}, ensure_ascii=False).encode()


def as_xml(tree: dict[str, Any]) -> bytes:
    return ('<?xml version="1.0" encoding="UTF-8"?>\n' + _element("roster", tree)).encode()


def as_zip(data: bytes, member: str = "inner name.ros", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr(member, data)
    return buffer.getvalue()


def _element(tag: str, node: dict[str, Any]) -> str:
    attributes = "".join(
        f" {key}={quoteattr(_attribute(value))}"
        for key, value in node.items()
        if key != "$text" and not isinstance(value, list)
    )
    inside = escape(node.get("$text", "")) + "".join(
        f"<{key}>{''.join(_element(_ITEMS[key], item) for item in items)}</{key}>"
        for key, items in node.items()
        if isinstance(items, list)
    )
    namespace = ' xmlns="http://www.battlescribe.net/schema/rosterSchema"' if tag == "roster" else ""
    return f"<{tag}{attributes}{namespace}>{inside}</{tag}>"


def _attribute(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read(tree: dict[str, Any], *, edition: str | None = None) -> Army:
    return army_from_roster(parse_roster(as_json(tree), "'test.json'"), edition=edition)


def read_one(unit: dict[str, Any]) -> tuple[Unit, Army]:
    army = read(roster(unit))
    return army.units[0], army


def squad(*children: dict[str, Any], **options: Any) -> dict[str, Any]:
    options = {
        "profiles": (stat_line(),),
        "categories": ("Infantry", "Faction: Test"),
        "points": 100,
        **options,
    }
    return selection("Squad", "unit", 1, *children, **options)


def invulnerable(models: Any) -> str | None:
    """Invulnerable saves of a group of models, or of a unit's principal ones, as a datasheet prints them."""
    saves = getattr(models, "majority_models", models).profile.invulnerable
    return ", ".join(f"{roll}+ {against or ''}".strip() for roll, against in saves) or None


def feel_no_pain(models: Any) -> str | None:
    """Feel No Pain of a group of models, or of a unit's principal ones, as a datasheet prints it."""
    roll = getattr(models, "majority_models", models).profile.feel_no_pain
    return None if roll is None else f"{roll}+"


def read_text_list(path):
    data, name = read_content(path)
    return parse_text_list(as_text(data), name)


def hero(*profiles, rules=(), children=()):
    return selection(
        "Hero", "model", 1, *children, profiles=(stat_line("Hero"), *profiles), rules=rules, points=50
    )


def armed(profile, copies=1):
    return squad(
        selection("Trooper", "model", copies, selection("Wargear", number=copies, profiles=(profile,)))
    )


def mixed(shield_on, number=1, text="The bearer has a 4+ invulnerable save."):
    shield = selection("Shield", number=number, profiles=(ability("Shield", text),))
    return squad(
        selection("Chief", "model", 1, *((shield,) if shield_on == "chief" else ())),
        selection("Trooper", "model", 4, *((shield,) if shield_on == "trooper" else ())),
        *((shield,) if shield_on == "unit" else ()),
    )


def lines(unit):
    return [(line.name, line.count, line.bearer) for line in unit.weapons]


def saves(unit):
    return [invulnerable(group) for group in unit.effective_models]


def several(*saves):
    """Abilities with a save each, such as "4+ melee"."""
    texts = [save.partition(" ") for save in saves]
    said = [
        f"This model has a {save} invulnerable save" + (f" against {of} attacks." if of else ".")
        for save, _, of in texts
    ]
    return [ability(f"Save {place}", text) for place, text in enumerate(said)]


def the_text(name):
    return (Path(__file__).parents[1] / "lists" / "texts" / f"{name}.txt").read_text(encoding="utf-8")


def shape(unit):
    """Models with their wargear, wherever a dialect puts it."""
    return [
        (item.count, item.name, [(below.count, below.name) for below in item.items]) for item in unit.items
    ]


def lost_indent(text):
    return "\n".join(line.strip() for line in text.splitlines())


def armed_model(name, *guns, line="", wounds="2", abilities=()):
    """A model of a datasheet with some guns and what else it carries."""
    wargear = [selection(each, profiles=(gun(each),)) for each in guns]
    wargear += [selection(each, profiles=(ability(each, rule),)) for each, rule in abilities]
    return selection(name, "model", 1, *wargear, profiles=(stat_line(line or name, W=wounds),))
