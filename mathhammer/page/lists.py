"""Army lists on the page: one is read and kept, and its units are asked for row by row."""

from __future__ import annotations

import base64
import binascii
from collections import OrderedDict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from mathhammer import validation
from mathhammer.arithmetic.pace import begin
from mathhammer.display import number, percent
from mathhammer.display.html import html_table
from mathhammer.distributions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.page.division import divide
from mathhammer.page.fields import whole
from mathhammer.rosters import read_army
from mathhammer.systems import wh40k
from mathhammer.systems.wh40k.armies.attachment import unit_keys
from mathhammer.systems.wh40k.armies.choices import usable
from mathhammer.systems.wh40k.attacks.attack import read_weapons
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mathhammer.page.fields import Request
    from mathhammer.systems.wh40k import Army, Unit
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule

#: Lists that are kept: the player's and the opponent's, and one that was looked at before.
_KEPT = 3
_armies: OrderedDict[str, Army] = OrderedDict()
#: Of each list what was switched last, and the army that it made.
_switched: dict[str, tuple[object, Army]] = {}
#: Seconds of each pair of units that are put in order, and of a unit and a target in a division: some attacks, most
#: of whose time is Python's, which a browser slows down less than exact numbers.
_PAIR, _DIVIDED = 1e-3, 1.5e-3
_PHASES: tuple[Literal["shooting", "melee"], ...] = ("shooting", "melee")


def read(request: Request) -> dict[str, object]:
    """Read a list from its bytes in base64, or from a pasted text, and return its units."""
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
    _switched.clear()
    labels = unit_keys(army.units)
    return {
        "key": name,
        "name": army.name,
        "edition": army.edition,
        "points": army.points,
        "warnings": list(army.warnings),
        "units": [_unit(label, unit) for label, unit in zip(labels, army.units, strict=True)],
        "rules": _rules("army", army.rules),
    }


def _rules(owner: str, rules: Iterable[UnitRule]) -> list[dict[str, object]]:
    """Return the rules that act on attacks as switches: what each does, and whether it is on."""
    found = {rule.name: rule for rule in rules if rule.is_computed and rule.source != "friend"}
    return [
        {
            "name": f"{owner}: {name}",
            "label": name,
            "help": "; ".join(map(str, rule.effects)),
            "on": rule.state in {"on", "automatic"},
            "choices": list(rule.choices),
        }
        for name, rule in found.items()
    ]


def _read(name: str, request: Request) -> Army:
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


def _data(request: Request) -> bytes:
    if isinstance(text := request.get("text"), str):
        return text.encode("utf-8", "replace")
    return _decoded(request.get("data"))


def _decoded(data: object) -> bytes:
    try:
        return base64.b64decode(validation.text(data, "data"), validate=True)
    except binascii.Error as error:
        raise MathhammerError("expected a file in base64 as data, got something else") from error


def _unit(label: str, unit: Unit) -> dict[str, object]:
    return {
        "label": label,
        "models": unit.size,
        "points": unit.points,
        "notes": list(unit.notes),
        "rows": [kind for kind in _PHASES if any(_weapons(unit, kind))],
        "defence": _defence(unit) is not None,
        "rules": _rules(label, unit.rules),
    }


def _weapons(unit: Unit, kind: str) -> Iterator[bool]:
    return (weapon.melee is (kind == "melee") for line in unit.weapons for weapon in line.modes)


def _defence(unit: Unit) -> wh40k.Target | wh40k.TargetUnit | None:
    """Return the unit as a target; none where the list gives no stat line."""
    try:
        return unit.as_target_unit()
    except MathhammerError:
        return None  # shown among the list's warnings


def row(request: Request) -> dict[str, object]:
    """Return what one unit does to each of some targets, shooting or fighting."""
    army = _army(request, "key")
    place, kind = request.get("unit"), request.get("row")
    if type(place) is not int or not 0 <= place < len(army.units) or kind not in _PHASES:
        raise MathhammerError("expected a unit of a list that was read, got none; drop the list again")
    situation = situation_of(request)
    edition = request.get("edition") or army.edition
    unit = army.units[place]
    return {"cells": [_cell(unit, kind, target, edition, situation) for target in _targets(request, edition)]}


def situation_of(request: Request) -> dict[str, Any]:
    """Return what the controls of a situation say, as keywords; several names are a set."""
    given = request.get("situation", {}).items()
    return {name: frozenset(value) if isinstance(value, list) else value for name, value in given if value}


def focus(request: Request) -> dict[str, object]:
    """Return what several units do to one target, one after another."""
    army = _army(request, "key")
    edition = request.get("edition") or army.edition
    targets = _targets(request, edition)
    if len(targets) != 1:
        raise MathhammerError(f"expected one target, got {len(targets)}")
    kind, goal = _phase(request), whole(request, "goal", 80)
    begin(_PAIR * len(request.get("units", ())) ** 2)
    found = wh40k.focus(
        army,
        targets[0],
        units=request.get("units", ()),
        kind=kind,
        order="best" if request.get("best") else "given",
        goal=goal / 100,
        edition=edition,
        exact=True,
    )
    return {"sentence": found.sentence(), "html": found._repr_html_()}


def assign(request: Request) -> dict[str, object]:
    """Return which unit should attack which unit of another list."""
    army, enemies = _army(request, "key"), _army(request, "enemy").units
    kind = _phase(request)
    wanted = request.get("units", ())
    attackers = {
        label: armed
        for label, unit in zip(unit_keys(army.units), army.units, strict=True)
        if label in wanted and (armed := unit.only(kind)).weapons
    }
    targets = {
        label: (target, float(unit.points))
        for label, unit in zip(unit_keys(enemies), enemies, strict=True)
        if (target := _defence(unit)) is not None
    }
    if not attackers or not targets:
        raise MathhammerError(f"expected units with weapons for {kind} and units to attack, got none")
    options = {"edition": request.get("edition") or army.edition, "exact": True}
    begin(_DIVIDED * len(attackers) * len(targets))
    chosen, points = divide(list(attackers.values()), list(targets.values()), options)
    names = list(targets)
    rows = [{"unit": unit, "target": names[place]} for unit, place in zip(attackers, chosen, strict=True)]
    table = html_table(["Unit", "attacks"], [[row["unit"], row["target"]] for row in rows])
    return {
        "rows": rows,
        "sentence": f"{number(points)} points of models destroyed on average. No move of one unit to another target "
        "gives more; every division of all of them was not tried.",
        "html": f'<div class="mathhammer-shown">{table}</div>',
    }


def _phase(request: Request) -> Literal["shooting", "melee"]:
    kind = request.get("row")
    if kind not in _PHASES:
        raise MathhammerError(f"expected a phase of {', '.join(_PHASES)}, got {shown(kind)}")
    return "shooting" if kind == "shooting" else "melee"


def _army(request: Request, name: str) -> Army:
    """Return a list that was read, with the rules on and off that the player has switched."""
    key = request.get(name, "")
    if key not in _armies:
        raise MathhammerError("expected a list that was read, got none; drop the list again")
    switched = request.get("switched", {}).get(key)
    if not switched:
        return _armies[key]
    if key not in _switched or _switched[key][0] != switched:
        on, off = (validation.items(switched.get(state), str, "names of rules") for state in ("on", "off"))
        _switched[key] = switched, _armies[key].with_rules(on=on, off=off)
    return _switched[key][1]


def _targets(request: Request, edition: str) -> list[wh40k.Target | wh40k.TargetUnit]:
    """Return standard targets, the units of another list, or one of them; none without a stat line."""
    if not request.get("enemy"):
        return [wh40k.find_target(name, edition) for name in request.get("targets", ())]
    units = _army(request, "enemy").units
    place = request.get("enemy_unit")
    if place is not None:
        units = units[validation.whole(place, "the place of a unit", 0, len(units) - 1) :][:1]
    return [target for unit in units if (target := _defence(unit)) is not None]


def _wounds(target: wh40k.Target | wh40k.TargetUnit) -> int:
    kinds = (target,) if isinstance(target, wh40k.Target) else target.kinds
    return sum(kind.wounds * kind.models for kind in kinds)


def _cell(
    unit: Unit,
    kind: Literal["shooting", "melee"],
    target: wh40k.Target | wh40k.TargetUnit,
    edition: str,
    situation: Mapping[str, Any],
) -> dict[str, object]:
    options: dict[str, Any] = {"edition": edition, "exact": True, **situation}
    armed = usable(unit, situation).only(kind)
    if not armed.weapons:
        return {"target": target.name, "text": ""}
    result = wh40k.attack(read_weapons(armed, 1, target, **options), target, **options)
    lost = in_fractions(result)
    return {
        "target": target.name,
        "text": result.to_text(),
        "share": float(lost.wounds_lost.mean()) / _wounds(target),
        "kills": number(lost.kills.mean()),
        "wounds_lost": number(lost.wounds_lost.mean()),
        "destroyed": percent(lost.probability_destroyed),
    }
