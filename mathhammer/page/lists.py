"""Army lists on the page: one is read and kept, and its units are asked for row by row."""

from __future__ import annotations

import base64
import binascii
from collections import OrderedDict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from mathhammer import analysis, rosters, validation
from mathhammer.arithmetic.pace import begin
from mathhammer.display.numbers import number
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.page.fields import whole, written
from mathhammer.page.report import odds
from mathhammer.systems import wh40k
from mathhammer.systems.wh40k.armies.attachment import unit_keys
from mathhammer.systems.wh40k.armies.choices import usable
from mathhammer.systems.wh40k.attacks.attack import read_weapons
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mathhammer.page.fields import Request
    from mathhammer.systems.wh40k import Army, Target, TargetUnit, Unit
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule

#: Lists that are kept: the player's and the opponent's, and one that was looked at before.
_KEPT = 3
_armies: OrderedDict[str, Army] = OrderedDict()
#: Of each list what was switched last, and the army that it made.
_switched: dict[str, tuple[object, Army]] = {}
#: Seconds of each pair of units that are put in order: some attacks, most of whose time is Python's, which a browser
#: slows down less than exact numbers.
_PAIR = 1e-3
#: Points that sums may differ by without a meaning.
_ROUNDING = 1e-9
_PHASES: tuple[Literal["shooting", "melee"], ...] = ("shooting", "melee")


def read(request: Request) -> dict[str, object]:
    """Read a list from its bytes in base64, or from a pasted text, and return its units."""
    name = Path(validation.text(request.get("name"), "the name of a list")).name or "list"
    army = rosters.sample_army() if name == "sample" else _read(name, request)
    _armies[name] = army
    _armies.move_to_end(name)
    while len(_armies) > _KEPT:
        _armies.popitem(last=False)
    _switched.clear()
    return {
        "key": name,
        "name": army.name,
        "edition": army.edition,
        "points": army.points,
        "warnings": list(army.warnings),
        "units": [
            {
                "label": label,
                "models": unit.size,
                "points": unit.points,
                "notes": list(unit.notes),
                "rows": [kind for kind in _PHASES if unit.only(kind).weapons],
                "defence": _defence(unit) is not None,
                "rules": _rules(label, unit.rules),
            }
            for label, unit in zip(unit_keys(army.units), army.units, strict=True)
        ],
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
    """Read a list; datasheets are a file of a folder of their own, as their readers want it."""
    text, sheets = request.get("text"), request.get("datasheets")
    data = _decoded(request.get("data")) if text is None else text.encode("utf-8", "replace")
    with TemporaryDirectory() as folder:
        source = Path(folder) / "datasheets"
        if sheets:
            source.write_bytes(_decoded(sheets))
        try:
            return rosters.read_army(
                data, datasheets=source if sheets else None, edition=request.get("edition") or None
            )
        except MathhammerError as error:
            raise type(error)(f"{shown(name)}: {error}") from error


def _decoded(data: object) -> bytes:
    try:
        return base64.b64decode(validation.text(data, "data"), validate=True)
    except binascii.Error as error:
        raise MathhammerError("expected a file in base64 as data, got something else") from error


def _defence(unit: Unit) -> Target | TargetUnit | None:
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
    armed, options = army.units[place].only(kind), {"edition": edition, "exact": True, **situation}
    cells: list[dict[str, object]] = []
    for target in _targets(request, edition):
        able = usable(armed, options)
        if not able.weapons:
            cells.append({"target": target.name, "text": ""})
            continue
        result = wh40k.attack(read_weapons(able, 1, target, **options), target, **options)
        share = float(in_fractions(result).wounds_lost.mean()) / sum(
            each.wounds * each.models for each in _kinds(target)
        )
        said = {"text": result.to_text(), "share": share, "odds": list(odds(result).items())}
        cells.append({"target": target.name, **said})
    return {"cells": cells}


def _kinds(target: Target | TargetUnit) -> Sequence[Target]:
    return (target,) if isinstance(target, wh40k.Target) else target.kinds


def situation_of(request: Request) -> dict[str, Any]:
    """Return what the controls of a situation say, as keywords; several names are a set."""
    given = request.get("situation", {}).items()
    return {name: frozenset(value) if isinstance(value, list) else value for name, value in given if value}


def focus(request: Request) -> dict[str, object]:
    """Return what several units do to one target, one after another."""
    army = _army(request, "key")
    edition = request.get("edition") or army.edition
    targets, units = _targets(request, edition), request.get("units", ())
    if len(targets) != 1:
        raise MathhammerError(f"expected one target, got {len(targets)}")
    kind, goal = _phase(request), whole(written(request, "goal") or "80", "goal")
    begin(_PAIR * len(units) ** 2)
    order: Literal["best", "given"] = "best" if request.get("best") else "given"
    options: dict[str, Any] = {"kind": kind, "goal": goal / 100, "edition": edition, "exact": True}
    found = wh40k.focus(army, targets[0], units=units, order=order, **options)
    return {"sentence": found.sentence(), "html": found._repr_html_()}


def assign(request: Request) -> dict[str, object]:
    """Return which unit should attack which unit of another list."""
    army, enemies = _army(request, "key"), _army(request, "enemy").units
    kind, wanted = _phase(request), request.get("units", ())
    attackers = {
        label: armed
        for label, unit in zip(unit_keys(army.units), army.units, strict=True)
        if label in wanted and (armed := unit.only(kind)).weapons
    }
    labelled = zip(unit_keys(enemies), map(_defence, enemies), strict=True)
    targets = {label: target for label, target in labelled if target is not None}
    if not attackers or not targets:
        raise MathhammerError(f"expected units with weapons for {kind} and units to attack, got none")
    objective: Literal["points", "models"] = (
        "points" if all(target.points for target in targets.values()) else "models"
    )
    edition = request.get("edition") or army.edition
    plan = analysis.assign(attackers, targets, objective=objective, kind=kind, edition=edition, exact=True)
    names = list(targets)
    rows = [
        {"unit": unit, "target": names[place]} for unit, place in zip(attackers, plan.chosen, strict=True)
    ]
    more = f" than {number(plan.bound)}" if plan.gap > _ROUNDING else ""
    return {
        "rows": rows,
        "sentence": f"{number(plan.value)} {objective} destroyed on average. No division of these units destroys "
        f"more{more}.",
        "html": plan._repr_html_(),
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


def _targets(request: Request, edition: str) -> list[Target | TargetUnit]:
    """Return standard targets, the units of another list, or one of them; none without a stat line."""
    if not request.get("enemy"):
        return [wh40k.find_target(name, edition) for name in request.get("targets", ())]
    units = _army(request, "enemy").units
    place = request.get("enemy_unit")
    if place is not None:
        units = units[validation.whole(place, "the place of a unit", 0, len(units) - 1) :][:1]
    return [target for unit in units if (target := _defence(unit)) is not None]
