"""Datasheets out of Wahapedia's CSV export, which the user has downloaded."""

from __future__ import annotations

import os
import re
from html import unescape
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.container import read_bytes
from mathhammer.rosters.datasheets.source import Datasheet, KnownUnits
from mathhammer.rosters.limits import shorten
from mathhammer.rosters.names import name_key, one_line
from mathhammer.rosters.tree import Profile

if TYPE_CHECKING:
    from collections.abc import Iterable

_TAG = re.compile(r"<[^<>]*>")
_SUFFIX = re.compile(r"\s+[-–—]\s+")
_NONE = {"", "-"}
_Row = dict[str, str]


class WahapediaSource(KnownUnits[str]):
    """The datasheets of a folder of Wahapedia's CSV files; those of keywords, abilities and leaders may be missing."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = os.fspath(folder)
        sheets = self._table("Datasheets.csv", "id", "name")
        factions = {row["id"]: row["name"] for row in self._optional("Factions.csv", "id", "name")}
        identifiers: dict[str, dict[str, str]] = {}
        for row in sheets:
            if row.get("virtual", "").casefold() != "true":  # a virtual one stands for no unit
                faction = row.get("faction_id", "")
                identifiers.setdefault(row["name"], {}).setdefault(factions.get(faction, faction), row["id"])
        super().__init__("10e", identifiers)
        names = {row["id"]: row["name"] for row in sheets}
        self._footers = {row["id"]: row.get("leader_footer", "") for row in sheets}
        self._led: dict[str, list[str]] = {}
        for row in self._optional("Datasheets_leader.csv", "leader_id", "attached_id"):
            if row["attached_id"] in names:
                self._led.setdefault(row["leader_id"], []).append(names[row["attached_id"]])
        self._models = _by_sheet(self._table("Datasheets_models.csv", "datasheet_id", "name", "T", "Sv", "W"))
        weapon = ("name", "range", "A", "BS_WS", "S", "AP", "D")
        self._wargear = _by_sheet(self._table("Datasheets_wargear.csv", "datasheet_id", *weapon))
        self._keywords = _by_sheet(self._optional("Datasheets_keywords.csv", "datasheet_id", "keyword"))
        self._abilities = _by_sheet(self._optional("Datasheets_abilities.csv", "datasheet_id", "name"))
        self._shared = {row["id"]: row["name"] for row in self._optional("Abilities.csv", "id", "name")}

    def sheet(self, name: str, unit: str) -> Datasheet:
        """Return the datasheet of an identifier."""
        models = self._models.get(unit, [])
        profiles = [profile for row in models for profile in _model_profiles(row, alone=len(models) == 1)]
        rules, texts = self._rules(unit)
        return Datasheet(
            name,
            (*profiles, *texts),
            rules,
            tuple(_keyword(row) for row in self._keywords.get(unit, [])),
            tuple((row["name"], ()) for row in models),
            _wargear(self._wargear.get(unit, [])),
        )

    def _rules(self, sheet: str) -> tuple[tuple[str, ...], tuple[Profile, ...]]:
        """Return core rules by name and parameter, and abilities with their text."""
        rules: list[str] = []
        texts: list[Profile] = []
        for row in self._abilities.get(sheet, []):
            name = row["name"] or self._shared.get(row.get("ability_id", ""), "")
            description = row.get("description", "")
            if description and row["name"]:
                texts.append(Profile(name, "Abilities", "", (("Description", description),)))
            elif name:
                parameter = row.get("parameter", "")
                rules.append(name if parameter in _NONE else f"{name} {parameter}")
        if sheet in self._led:  # the ability stands in a table of its own
            units = " ".join(f"■ {name}" for name in self._led[sheet])
            text = (
                f"This model can be attached to the following units: {units} {self._footers[sheet]}".strip()
            )
            texts.append(Profile("Leader", "Abilities", "", (("Description", text),)))
        return tuple(rules), tuple(texts)

    def _table(self, name: str, *needed: str) -> list[_Row]:
        path = os.path.join(self._folder, name)  # noqa: PTH118 - as in container
        if not os.path.isfile(path):  # noqa: PTH113
            raise RosterError(
                f"expected {name} beside the other files of Wahapedia's export, but it is not there; download it"
            )
        text = read_bytes(path).decode("utf-8-sig", "replace")
        lines = [line for line in text.splitlines() if line.strip()]
        header = [cell.strip() for cell in lines[0].split("|")] if lines else []
        missing = [column for column in needed if column not in header]
        if missing:
            raise RosterError(
                f"expected columns {', '.join(needed)} in {shorten(name)}, but {', '.join(missing)} is missing; "
                "download Wahapedia's export again"
            )
        return [
            {column: _clean(cell) for column, cell in zip(header, line.split("|"), strict=False) if column}
            | {column: "" for column in header[line.count("|") + 1 :] if column}
            for line in lines[1:]
        ]

    def _optional(self, name: str, *needed: str) -> list[_Row]:
        path = os.path.join(self._folder, name)  # noqa: PTH118 - as in container
        return self._table(name, *needed) if os.path.isfile(path) else []  # noqa: PTH113


def _clean(cell: str) -> str:
    return one_line(unescape(_TAG.sub("", cell)))


def _by_sheet(rows: Iterable[_Row]) -> dict[str, list[_Row]]:
    sheets: dict[str, list[_Row]] = {}
    for row in rows:
        sheets.setdefault(row["datasheet_id"], []).append(row)
    return sheets


def _model_profiles(row: _Row, *, alone: bool) -> list[Profile]:
    """Return the stat line of a row, and its invulnerable save as the ability that it is in the 10th edition."""
    line = (("M", row.get("M", "")), ("T", row["T"]), ("SV", row["Sv"]), ("W", row["W"]))
    more = (("LD", row.get("Ld", "")), ("OC", row.get("OC", "")))
    profiles = [Profile(row["name"], "Unit", "", (*line, *more))]
    save = row.get("inv_sv", "").rstrip("+")
    if save.rstrip("*").isdigit():
        plain = not save.endswith("*")
        holder = "This model" if alone else row["name"]
        text = f"{holder} has a {save}+ invulnerable save." if plain else row.get("inv_sv_descr", "")
        profiles.append(Profile("Invulnerable Save", "Abilities", "", (("Description", text),)))
    return profiles


def _keyword(row: _Row) -> str:
    faction = row.get("is_faction_keyword", "").casefold() == "true"
    return f"Faction: {row['keyword']}" if faction else row["keyword"]


def _wargear(rows: Iterable[_Row]) -> tuple[tuple[str, tuple[Profile, ...]], ...]:
    """Return the weapons; rows that share the name before the dash are modes of one weapon."""
    weapons: dict[str, tuple[str, list[Profile]]] = {}
    for row in rows:
        if row["A"] in _NONE:
            continue  # wargear that is no weapon
        base = _SUFFIX.split(row["name"])[0]
        weapons.setdefault(name_key(base), (base, []))[1].append(_weapon(row))
    return tuple((name, tuple(profiles)) for name, profiles in weapons.values())


def _weapon(row: _Row) -> Profile:
    melee = "melee" in (row.get("type", "").casefold(), row["range"].casefold())
    reach = row["range"]
    keywords = row.get("description", "").replace(". ", ", ").rstrip(".")
    skill = row["BS_WS"]
    return Profile(
        row["name"],
        "Melee Weapons" if melee else "Ranged Weapons",
        "",
        (
            ("Range", "Melee" if melee else reach),
            ("A", row["A"]),
            ("WS" if melee else "BS", skill),
            ("S", row["S"]),
            ("AP", row["AP"]),
            ("D", row["D"]),
            ("Keywords", keywords or "-"),
        ),
    )
