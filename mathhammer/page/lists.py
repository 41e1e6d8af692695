"""Army lists on the page: one is read and kept, and its units are asked for row by row."""

from __future__ import annotations

import base64
import binascii
from collections import OrderedDict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from mathhammer import validation
from mathhammer.display import number, percent
from mathhammer.distributions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.page.forms import target_fields, weapon_fields
from mathhammer.rosters import read_army
from mathhammer.systems import wh40k
from mathhammer.systems.wh40k.armies.attachment import unit_keys
from mathhammer.systems.wh40k.armies.choices import usable
from mathhammer.systems.wh40k.attacks.attack import read_weapons
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mathhammer.systems.wh40k import Army, Unit

__all__ = ["read", "row"]

#: Lists that are kept: the player's and the opponent's, and one that was looked at before.
_KEPT = 3
_armies: OrderedDict[str, Army] = OrderedDict()
_PHASES: tuple[Literal["shooting", "melee"], ...] = ("shooting", "melee")


def read(request: Mapping[str, Any]) -> dict[str, Any]:
    """Read a list from its bytes in base64, or from a pasted text, and return its units.

    Examples
    --------
    >>> found = read({"name": "sample"})
    >>> found["name"], found["units"][0]["rows"]
    ('The Lantern League marches', ['shooting', 'melee'])
    """
    name = Path(validation.text(request.get("name"), "the name of a list")).name or "list"
    if name == "sample":
        from mathhammer.rosters import sample_army

        army = sample_army()
    else:
        army = _read(name, request)
    _armies[name] = army
    _armies.move_to_end(name)
    while len(_armies) > _KEPT:
        _armies.popitem(last=False)
    labels = unit_keys(army.units)
    return {
        "key": name,
        "name": army.name,
        "edition": army.edition,
        "points": army.points,
        "warnings": list(army.warnings),
        "units": [_unit(label, unit) for label, unit in zip(labels, army.units, strict=True)],
    }


def _read(name: str, request: Mapping[str, Any]) -> Army:
    """Read a list as a file of a folder of its own: the readers are those of files."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "list"
        path.write_bytes(_data(request))
        source = None
        if request.get("datasheets"):
            source = Path(folder) / "datasheets"
            source.write_bytes(_decoded(request["datasheets"]))
        try:
            return read_army(path, datasheets=source, edition=request.get("edition") or None)
        except MathhammerError as error:
            raise type(error)(f"{shown(name)}: {error}") from error


def _data(request: Mapping[str, Any]) -> bytes:
    if isinstance(text := request.get("text"), str):
        return text.encode("utf-8", "replace")
    return _decoded(request.get("data"))


def _decoded(data: Any) -> bytes:
    try:
        return base64.b64decode(validation.text(data, "data"), validate=True)
    except binascii.Error as error:
        raise MathhammerError("expected a file in base64 as data, got something else") from error


def _unit(label: str, unit: Unit) -> dict[str, Any]:
    return {
        "label": label,
        "models": unit.size,
        "points": unit.points,
        "notes": list(unit.notes),
        "rows": [kind for kind in _PHASES if any(_weapons(unit, kind))],
        "defence": _defence(unit),
    }


def _weapons(unit: Unit, kind: str) -> Iterator[bool]:
    return (weapon.melee is (kind == "melee") for line in unit.weapons for weapon in line.modes)


def _defence(unit: Unit) -> dict[str, Any] | None:
    """Return the unit as a target's fields; none where the list gives no stat line."""
    try:
        target = unit.as_target_unit()
    except MathhammerError:
        return None  # shown among the list's warnings
    return _fields(target)


def _fields(target: wh40k.Target | wh40k.TargetUnit) -> dict[str, Any]:
    """Return the rows of a target's form."""
    if isinstance(target, wh40k.Target):
        return {"models": [target_fields(target)], "leaders": []}
    return {
        "models": [target_fields(each) for each in target.models],
        "leaders": [target_fields(each) for each in target.leaders],
    }


def row(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what one unit does to each of some targets, shooting or fighting.

    Examples
    --------
    >>> _ = read({"name": "sample"})
    >>> asked = {"key": "sample", "unit": 0, "row": "shooting", "targets": ["MEQ"], "edition": "10e"}
    >>> sorted(row(asked)["cells"][0])
    ['destroyed', 'fields', 'kills', 'share', 'target', 'weapons', 'wounds_lost']
    """
    army = _armies.get(str(request.get("key")))
    place, kind = request.get("unit"), request.get("row")
    if army is None or type(place) is not int or not 0 <= place < len(army.units) or kind not in _PHASES:
        raise MathhammerError("expected a unit of a list that was read, got none; drop the list again")
    situation = {name: value for name, value in dict(request.get("situation") or {}).items() if value}
    edition = request.get("edition") or army.edition
    targets = [wh40k.find_target(name, edition) for name in request.get("targets") or ()]
    if request.get("enemy"):
        targets = _units_of(str(request["enemy"]))
    return {"cells": [_cell(army.units[place], kind, target, edition, situation) for target in targets]}


def _units_of(key: str) -> list[Any]:
    """Return the units of a list as targets, but for those without a stat line."""
    if key not in _armies:
        raise MathhammerError("expected another list that was read as targets, got none; drop it again")
    return [unit.as_target_unit() for unit in _armies[key].units if _defence(unit)]


def _wounds(target: wh40k.Target | wh40k.TargetUnit) -> int:
    kinds = (target,) if isinstance(target, wh40k.Target) else target.kinds
    return sum(kind.wounds * kind.models for kind in kinds)


def _cell(
    unit: Unit,
    kind: Literal["shooting", "melee"],
    target: wh40k.Target | wh40k.TargetUnit,
    edition: str,
    situation: Mapping[str, Any],
) -> dict[str, Any]:
    options: dict[str, Any] = {"edition": edition, "exact": True, **situation}
    armed = usable(unit, situation).only(kind)
    if not armed.weapons:
        return {
            "target": target.name,
            "weapons": [],
            "share": 0.0,
            **dict.fromkeys(("kills", "wounds_lost", "destroyed"), ""),
        }
    volleys = read_weapons(armed, 1, target, **options)
    lost = in_fractions(wh40k.attack(volleys, target, **options))
    return {
        "target": target.name,
        "weapons": [
            weapon_fields(volley.weapon, volley.count)
            for volley in volleys
            if isinstance(volley, wh40k.Volley)
        ],
        "share": float(lost.wounds_lost.mean()) / _wounds(target),
        "fields": _fields(target),
        "kills": number(lost.kills.mean()),
        "wounds_lost": number(lost.wounds_lost.mean()),
        "destroyed": percent(lost.probability_destroyed),
    }
