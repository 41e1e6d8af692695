"""Army lists on the page: one is read and kept, and its units are asked for row by row."""

from __future__ import annotations

import base64
import json
import re
import sqlite3
import zlib
from collections import Counter, OrderedDict
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

from mathhammer import analysis, rosters, validation
from mathhammer.analysis.attackers import unit_rows
from mathhammer.arithmetic.pace import begin
from mathhammer.display.numbers import number
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.page.forms import whole
from mathhammer.page.report import odds
from mathhammer.rosters.data import TABLE, Fetched, cache_folder, cached, remove, write_table
from mathhammer.rosters.datasheets import PUBLISHERS
from mathhammer.rosters.sigmar import read_units
from mathhammer.systems import aos, wh40k
from mathhammer.systems.wh40k import Army
from mathhammer.systems.wh40k.armies.choices import unit_keys, usable
from mathhammer.systems.wh40k.attacks.attack import read_weapons
from mathhammer.systems.wh40k.unit_rules.applied import is_for_one_friend
from mathhammer.systems.wh40k.unit_rules.switches import reached_units
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.page.forms import Request
    from mathhammer.systems.wh40k import Unit
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule

#: Lists that are kept: the player's and the opponent's, and one that was looked at before.
_KEPT = 3
_armies: OrderedDict[str, Any] = OrderedDict()
#: Of each list what was switched last, and the army that it made.
_switched: dict[str, tuple[object, Any]] = {}
#: Seconds of each pair of units that are put in order: some attacks, most of whose time is Python's, which a browser
#: slows down less than exact numbers.
_PAIR = 1e-3
_PHASES: tuple[Literal["shooting", "melee"], ...] = ("shooting", "melee")
#: Standard targets of a list of Age of Sigmar, and of Warhammer 40,000.
_STANDARD = ("CHAFF", "LIBERATORS", "CAVALRY", "MONSTER", "GOD"), ("GEQ", "MEQ", "TEQ", "VEQ", "KEQ")


def read(request: Request) -> dict[str, object]:
    """Read a list from its bytes in base64, or from a pasted text, and return its units."""
    name = Path(validation.text(request.get("name"), "the name of a list")).name or "list"
    try:
        army = rosters.sample_army() if name == "sample" else _read(name, request)
    except KeyError as error:  # datasheets that lie beside the page and were not fetched yet
        return {"need": error.args[0].replace("parts/", "").partition("/")[0]}
    _armies[name] = army
    _armies.move_to_end(name)
    while len(_armies) > _KEPT:
        _armies.popitem(last=False)
    _switched.clear()
    labels = unit_keys(army.units)
    return {
        "key": name,
        "standard": _STANDARD[isinstance(army, Army)],
        "name": army.name,
        "edition": army.edition,
        "points": army.points,
        "warnings": [*map(_here, army.warnings)],
        "units": [
            {
                "label": label,
                "points": _points(unit),
                "notes": list(unit.notes),
                "rows": [row.kind for row in unit_rows(unit, label)],
                "defence": _defence(unit) is not None,
                "rules": [_switch(f"{label}: ", each, army) for each in _computed(unit)],
            }
            for label, unit in zip(labels, army.units, strict=True)
        ],
        "rules": _of_all(army),
    }


def _points(unit: Unit | aos.Unit) -> float:
    """Return what a unit costs, 0 where that is not known."""
    return unit.target.points or 0 if isinstance(unit, aos.Unit) else unit.points


def _computed(owner: Any) -> list[UnitRule]:
    """Return the rules that act on attacks, one of each name."""
    rules = getattr(owner, "rules", ())
    return [*{rule.name: rule for rule in rules if rule.is_computed and rule.source != "friend"}.values()]


def _switch(owner: str, rule: UnitRule, army: Army) -> dict[str, object]:
    """Return a rule as a switch: what it does, whether it is on, what is chosen: an item, a friendly unit."""
    labels = unit_keys(army.units)
    friends = any(map(is_for_one_friend, rule.effects))
    items = [f"={each}" for each in rule.choices] or [""]
    whom = [f" > {labels[place]}" for place in reached_units(army, rule)] if friends else [""]
    return {
        "name": owner + rule.name,
        "label": rule.name,
        "help": "; ".join(map(str, rule.effects)),
        "on": rule.state in {"on", "automatic"},
        "choices": [choice for item in items for friend in whom if (choice := item + friend)],
    }


def _of_all(army: Army) -> list[dict[str, object]]:
    """Return what is switched for all units: rules of the army, those of several units that are off, and states."""
    of_units = [rule for unit in army.units for rule in _computed(unit)]
    alone = [
        rule for rule in of_units if rule.state == "off" and not any(map(is_for_one_friend, rule.effects))
    ]
    often = Counter(rule.name for rule in alone)
    shared = {rule.name: rule for rule in alone if often[rule.name] > 1}
    found = shared | {rule.name: rule for rule in _computed(army)}
    whens = (each for rule in of_units for effect in rule.effects for each in effect.when)
    states = dict.fromkeys(each.value[0] for each in whens if each.kind == "state" and each.value)
    more = {"help": "Rules of units speak of it.", "on": False, "choices": []}
    return [_switch("", rule, army) for rule in found.values()] + [
        {"name": name, "label": name, **more} for name in states if name not in found
    ]


def _read(name: str, request: Request) -> Any:
    text = request.get("text")
    data = _decoded(request.get("data")) if text is None else text.encode("utf-8", "replace")
    try:
        try:
            return rosters.read_army(data, edition=request.get("edition") or None)
        except MathhammerError as error:
            if not re.search("Age of Sigmar|without a unit", str(error)):
                raise
            units = read_units(data)  # type: ignore[arg-type] # it reads bytes too
            about = {"name": "Age of Sigmar", "edition": "4e", "warnings": (), "rules": ()}
            return SimpleNamespace(units=units, points=sum(map(_points, units)), **about)
    except MathhammerError as error:
        if isinstance(error.__cause__, KeyError):
            raise error.__cause__ from None
        raise type(error)(f"{shown(name)}: {_here(str(error))}") from error


def _here(text: str) -> str:
    """Return a text of the package with the remedies of the page."""
    others = "of the 10th edition wh40k-10e, of Age of Sigmar age-of-sigmar-4th"
    drop = f"drop the ZIP archive of BSData/wh40k-11e ({others}) here once"
    text = re.sub(
        r"(?:run|name|get them with) .*(?:mathhammer data get|--datasheets).*", drop, text, flags=re.DOTALL
    )
    return re.sub(
        r"'mathhammer data get (\S+)' fetches", "the archive of its catalogues, dropped here, brings", text
    )


def datasheets(request: Request) -> dict[str, object]:
    """Keep the datasheets of an archive or of another list, or remove some; return those that there are."""
    if request.get("data"):
        write_datasheets(_decoded(request["data"]), request.get("name", "a file"), cache_folder())
    if request.get("remove"):
        remove(request["remove"])
    if part := request.get("part"):
        held = json.loads(zlib.decompress((cache_folder() / part).read_bytes()))
        rows = ((key, zlib.compress(json.dumps(each).encode())) for key, each in held.items())
        place = cache_folder() / f"{part.partition('.')[0]}.sqlite"
        with closing(sqlite3.connect(place)) as base, base:
            base.executemany(f"INSERT OR IGNORE INTO {TABLE} VALUES (?, ?)", rows)  # noqa: S608 - a name of our own
    kept = {name: table for name in PUBLISHERS if (table := cached(name))}
    return {"kept": [{"name": name, "about": str(table.about)} for name, table in kept.items()]}


def write_datasheets(data: bytes, origin: str, folder: Path) -> tuple[Path, Fetched]:
    """Write datasheets as a table into a folder, in place of those of their edition."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder) as work:
        given, table = Path(work) / "given", Path(work) / "table"
        given.write_bytes(data)
        source: Any = rosters.open_datasheets(given)
        name = next(each for each, known in PUBLISHERS.items() if known.edition == source.edition)
        about = Fetched(name, source.edition, f"{datetime.now(UTC):%Y-%m-%d}", origin, len(data), "")
        about = write_table(source, table, about._replace(sha256=sha256(data).hexdigest()))
        return table.replace(folder / f"{name}.sqlite"), about


def by_faction(table: Path) -> dict[str, bytes]:
    """Return a table as files: what is known of all datasheets, which alone stays in it, and those of each faction."""
    parts: dict[str, dict[str, object]] = {}
    with closing(sqlite3.connect(table, isolation_level=None)) as base:
        for key, content in base.execute(f"SELECT * FROM {TABLE} WHERE key GLOB '*/*'"):  # noqa: S608 - as above
            faction = key.removeprefix("parts/").partition("/")[0]
            parts.setdefault(faction, {})[key] = json.loads(zlib.decompress(content))
        base.execute(f"DELETE FROM {TABLE} WHERE key GLOB '*/*'")  # noqa: S608 - as above
        base.execute("VACUUM")
    packed = {faction: zlib.compress(json.dumps(each).encode(), 9) for faction, each in parts.items()}
    found = {
        f"{table.stem}.{faction}.{sha256(each).hexdigest()[:8]}": each for faction, each in packed.items()
    }
    return found | {table.name: table.read_bytes()}


def _decoded(data: object) -> bytes:
    try:
        return base64.b64decode(validation.text(data, "data"), validate=True)
    except ValueError as error:
        raise MathhammerError("expected a file in base64 as data, got something else") from error


def _defence(unit: Unit | aos.Unit) -> Any:
    """Return the unit as a target; none where the list gives no stat line."""
    try:
        return unit.target if isinstance(unit, aos.Unit) else unit.as_target_unit()
    except MathhammerError:
        return None  # shown among the list's warnings


def row(request: Request) -> dict[str, object]:
    """Return what one unit does to each of some targets, shooting or fighting."""
    army = _army(request, "key")
    place, kind = request.get("unit"), request.get("row")
    if type(place) is not int or not 0 <= place < len(army.units) or kind not in _PHASES:
        raise MathhammerError("expected a unit of a list that was read, got none; drop the list again")
    edition = request.get("edition") or army.edition
    options: dict[str, Any] = {"edition": edition, "exact": True}
    armed, own = army.units[place].only(kind), isinstance(army, Army)
    able = usable(armed, options) if own else armed
    held = able.weapons if own else able
    cells: list[dict[str, object]] = []
    for target in _targets(request, army, edition):
        if not held:
            cells.append({"target": target.name, "text": ""})
            continue
        weapons = read_weapons(able, 1, target, **options) if own else held
        result: Any = (wh40k if own else aos).attack(weapons, target, **options)
        said = {"text": result.to_text(), "values": _values(result, target, _points(army.units[place]))}
        cells.append({"target": target.name, **said, "odds": list(odds(result).items())})
    return {"cells": cells}


def _values(result: Any, target: Any, points: float) -> dict[str, float | None]:
    """Return the numbers of a cell: wounds, their share, models, the odds to destroy all, and points per point."""
    kinds: Any = getattr(target, "kinds", (target,))
    plain = in_fractions(result)
    wounds, kills = float(plain.wounds_lost.mean()), float(plain.kills.mean())
    share = wounds / sum((getattr(each, "health", 0) or each.wounds) * each.models for each in kinds)
    odds = float(plain.probability_destroyed)
    worth = kills * (target.points or 0) / sum(each.models for each in kinds)
    worthwhile = worth / points if target.points and points else None
    return {"share": share, "wounds": wounds, "kills": kills, "odds": odds, "return": worthwhile}


def focus(request: Request) -> dict[str, object]:
    """Return what several units do to one target, one after another."""
    army, kind = _army(request, "key"), _phase(request)
    edition = request.get("edition") or army.edition
    targets, units = _targets(request, army, edition), request.get("units", ())
    if len(targets) != 1:
        raise MathhammerError(f"expected one target, got {len(targets)}")
    goal = whole(request.get("goal") or "80", "goal") / 100
    begin(_PAIR * len(units) ** 2)
    options: dict[str, Any] = {"kind": kind, "order": "best" if request.get("best") else "given"}
    found = wh40k.focus(army, targets[0], units=units, goal=goal, edition=edition, exact=True, **options)
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
    counted = all(target.points for target in targets.values())
    objective: Literal["points", "models"] = "points" if counted else "models"
    edition = request.get("edition") or army.edition
    plan = analysis.assign(attackers, targets, objective=objective, kind=kind, edition=edition, exact=True)
    more = f" than {number(plan.bound)}" if plan.gap > 1e-9 else ""  # more than rounding
    sentence = f"{number(plan.value)} {objective} destroyed on average. No division of these units destroys"
    return {"sentence": f"{sentence} more{more}.", "html": plan._repr_html_()}


def _phase(request: Request) -> Literal["shooting", "melee"]:
    validation.one_of(request.get("row"), _PHASES, "phase")
    validation.instance(_army(request, "key"), Army, "a list of Warhammer 40,000")
    return "shooting" if request["row"] == "shooting" else "melee"


def _army(request: Request, name: str) -> Any:
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


def _targets(request: Request, army: Any, edition: str) -> list[Any]:
    """Return standard targets, the units of another list, or one of them; none without a stat line."""
    if not request.get("enemy"):
        find = wh40k.find_target if isinstance(army, Army) else lambda name, _: aos.TARGETS[name]
        return [find(name, edition) for name in request.get("targets", ())]
    enemy, place = _army(request, "enemy"), request.get("enemy_unit")
    validation.instance(enemy, type(army), "two lists of one game")
    units = enemy.units
    if place is not None:
        units = units[validation.whole(place, "the place of a unit", 0, len(units) - 1) :][:1]
    return [target for unit in units if (target := _defence(unit)) is not None]
