"""Records of what units do to targets, for the commands of lists: in order, unit by unit, as texts and as data."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mathhammer.display.html import svg_curves
from mathhammer.display.numbers import count, number, percent
from mathhammer.display.panel import HeatTable
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mathhammer.cli.page import Page
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule

    Record = dict[str, Any]

KINDS = ("shooting", "melee")
#: Numbers of the table to sort by, each its mean over all targets, in the unit's better phase.
SORTED_BY = {
    "share": "share_lost",
    "wounds": "mean_wounds_lost",
    "models": "mean_kills",
    "destroyed": "probability_destroyed",
    "return": "points_lost_per_point",
}
#: What stands above the values of a record, how they are written, and what stands for none.
COLUMNS: dict[str, tuple[str, Callable[[Any], str], str]] = {
    "unit": ("unit", str, ""),
    "kind": ("phase", str, ""),
    "points": ("pts", "{:g}".format, "-"),
    "target": ("target", str, ""),
    "best_at": ("best at", str, ""),
    "mean_wounds_lost": ("wounds", number, "-"),
    "share_lost": ("share", lambda share: percent(min(share, 1.0), digits=0), "-"),
    "mean_kills": ("models", number, "-"),
    "probability_destroyed": ("odds", partial(percent, digits=1), "-"),
    "points_lost_per_point": ("pts/pt", number, "-"),
    "trade_ratio": ("trade", number, "-"),
    "needed": ("needed", str, ">20"),
}
_TEXTS = ("unit", "kind", "target", "best_at")
#: Numbers of a unit and a target, those against several targets, and what is said of the best that a unit does.
NUMBERS = "mean_wounds_lost share_lost mean_kills probability_destroyed points_lost_per_point"
_KEPT = "wounds_at_least"


def sort_option(default: str) -> Callable[[Any], Any]:
    """Return the option of the order of the units."""
    return click.option(
        "--sort",
        type=click.Choice(["list", "name", "points", *SORTED_BY]),
        default=default,
        show_default=True,
        help="Order of the units: as in the list, or the best first over all targets; 'return' is points destroyed per "
        "point spent.",
    )


def percent_option(flag: str, text: str, default: str | None = None) -> Callable[[Any], Any]:
    """Return an option of a probability as people write it: ``80%``, ``80`` or ``0.8``."""

    def read(_context: click.Context, _parameter: click.Parameter, said: str | None) -> float | None:
        try:
            given = float((said or "80%").strip().removesuffix("%"))
        except ValueError:
            given = -1.0
        probability = given / 100 if given >= 1 or str(said).strip().endswith("%") else given
        if said is not None and not 0 < probability < 1:
            raise click.BadParameter(f"expected a probability such as 80% or 0.8, got {shown(said)}")
        return None if said is None else probability

    return click.option(flag, metavar="PERCENT", callback=read, default=default, show_default=True, help=text)


def grouped(records: Iterable[Record], *names: str) -> list[list[Record]]:
    """Return the records that are alike in some columns together."""
    groups: dict[tuple[object, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(record[name] for name in names), []).append(record)
    return list(groups.values())


def equal_units(records: Iterable[Record]) -> list[list[list[Record]]]:
    """Return the records of each unit, units with the same name and the same numbers together."""
    equal: dict[str, list[list[Record]]] = {}
    for unit in grouped(records, "index"):
        equal.setdefault(repr([{**record, "index": 0} for record in unit]), []).append(unit)
    return list(equal.values())


def equal_phases(records: Iterable[Record]) -> list[tuple[list[Record], int]]:
    """Return the records of each phase of different units, and how many are equal."""
    return [(phase, len(each)) for each in equal_units(records) for phase in grouped(each[0], "kind")]


def in_order(records: Iterable[Record], order: str) -> list[Record]:
    """Return the records with the units in another order, the greatest first; the phases of a unit stay together."""

    def key(unit: list[Record]) -> Any:
        if order in SORTED_BY:
            phases = grouped(unit, "kind")
            return -max(sum(record[SORTED_BY[order]] or 0.0 for record in phase) for phase in phases)
        name, points = unit[0]["unit"].casefold(), -unit[0]["points"]
        return {"name": name, "points": points}.get(order, 0)

    return [record for unit in sorted(grouped(records, "index"), key=key) for record in unit]


def name_of(record: Record, copies: int) -> str:
    """Return the name of a unit, and before it how many of it there are: ``2 x Lamplighters``."""
    return f"{copies} x {record['unit']}" if copies > 1 else str(record["unit"])


def facts_of(record: Record, copies: int) -> str:
    """Return the name of a unit, its models and its points."""
    each = " each" if copies > 1 else ""
    models = count(record["models"], "model")
    return f"{name_of(record, copies)} · {models}, {record['points']:,g} points{each}"


def texts(record: Record, *names: str) -> list[str]:
    """Return values of a record as people read them; what it does not have is empty."""
    columns = [(record[name], *COLUMNS[name]) if name in record else ("", "", str, "") for name in names]
    return [unknown if value is None else written(value) for value, _, written, unknown in columns]


def print_table(
    page: Page, records: Sequence[Record], names: str, notes: Sequence[Sequence[str]] = ()
) -> None:
    """Print some columns of records, with blanks between their names."""
    columns = names.split()
    align = "".join("<" if name in _TEXTS else ">" for name in columns)
    rows = [texts(record, *columns) for record in records]
    page.table([COLUMNS[name][0] for name in columns], rows, align, notes)


def flat(records: Iterable[Record]) -> list[dict[str, object]]:
    """Return the records without distributions, the weapons in a text."""
    from mathhammer.analysis.tabular import plain

    return [{name: plain(each) for name, each in record.items() if name != _KEPT} for record in records]


def not_computed(rules: Iterable[UnitRule]) -> dict[str, list[str]]:
    """Return the names of the rules that are not computed, and of those of which a part is not."""
    found: dict[str, list[str]] = {"not computed": [], "computed in part": []}
    for rule in rules:
        names = found["computed in part" if rule.is_computed else "not computed"]
        if rule.not_computed and rule.name not in names:
            names.append(rule.name)
    return {what: names for what, names in found.items() if names}


def draw_maps(page: Page, records: Sequence[Record]) -> None:
    """Draw heat maps: points for points, or the share where there are none, and the odds of destroying all."""
    if not page.rich or not records:
        return
    odds = "Destroyed in one go", "Probability that the whole target is destroyed", "probability_destroyed"
    maps = [("Wounds lost", "Share of the target's wounds lost, on average", "share_lost"), odds]
    if any(record["points_lost_per_point"] for record in records):
        caption = "The target's points per point of attacker, by the share of its wounds lost, on average"
        maps[0] = "Points for points", caption, "points_lost_per_point"
    rows = equal_phases(records)
    for title, caption, name in maps:
        values = [
            (f"{name_of(phase[0], copies)} ({phase[0]['kind']})", [record[name] or 0.0 for record in phase])
            for phase, copies in rows
        ]
        cells = [[text for record in phase for text in texts(record, name)] for phase, _ in rows]
        page.heading(title)
        page.draw(
            HeatTable([record["target"] for record in rows[0][0]], values, cells, caption=caption).html()
        )


def draw_losses(page: Page, unit: Sequence[Record], copies: int) -> None:
    """Draw the curves of the wounds that targets lose to a unit, phase by phase."""
    for phase in grouped(unit, "kind") if page.rich else ():
        title = f"{name_of(phase[0], copies)} ({phase[0]['kind']}): wounds lost"
        page.draw(svg_curves({record["target"]: record[_KEPT] for record in phase}, title=title))
