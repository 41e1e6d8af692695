"""``mathhammer compare``: two army lists, each against the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isinf
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.lists import (
    Lists,
    Progress,
    Report,
    army_notes,
    army_targets,
    facts_of,
    leaders_note,
    lone_targets,
    origin,
    print_left_out,
    reports,
    target_data,
)
from mathhammer.cli.page import Page, sentences
from mathhammer.cli.questions import QuestionCommand
from mathhammer.cli.situation import Situation, as_data
from mathhammer.cli.units import row_data, row_name, rows_once, sort_rows, table_records
from mathhammer.display import count, number, percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.analysis.matchups import ArmyTable, Cell, Row
    from mathhammer.systems.wh40k.armies.army import Army

_KINDS = ("shooting", "melee")
_NAME = 22
_TITLES = ("unit", "phase", "pts", "pts/pt", "trade", "best against", "odds")


@dataclass(frozen=True, slots=True)
class Side:
    """One army attacking the other."""

    #: The two.
    army: Army
    enemy: Army
    #: What each unit of the one does to each different unit of the other.
    table: ArmyTable
    #: The places in its list of the units of the enemy that each column stands for.
    places: tuple[tuple[int, ...], ...]

    @property
    def copies(self) -> tuple[int, ...]:
        """How many units of the enemy each column stands for."""
        return tuple(map(len, self.places))

    def mean(self, row: Row, number_of: Callable[[Cell], float | None]) -> float:
        """Mean of a number of the cells of a row, each unit of the enemy as likely to be the target."""
        total = sum(
            copies * (number_of(cell) or 0.0) for copies, cell in zip(self.copies, row.cells, strict=True)
        )
        return total / sum(self.copies)

    def best(self, row: Row) -> Cell:
        """The unit that loses most points, but for leaders that can stand in a unit, where they cannot be chosen."""
        lone = lone_targets(self.enemy)
        cells = [cell for cell in row.cells if cell.target not in lone]
        return max(cells or row.cells, key=lambda cell: cell.points_lost or 0.0)

    def trade(self, other: Side, row: Row) -> float | None:
        """Points that the enemy loses to a unit for each that the unit loses to the enemy, in the same phase."""
        column = next((column for column, alike in enumerate(other.places) if row.index in alike), None)
        if column is None:
            return None
        back = [each.cells[column].points_lost or 0.0 for each in other.table.rows if each.kind == row.kind]
        gained, lost = self.mean(row, lambda cell: cell.points_lost), sum(back) / len(self.enemy.units)
        return gained / lost if lost else inf if gained else None

    def lost(self, kind: str) -> float:
        """Points that the enemy loses in one phase, by the share of wounds, each unit attacking once."""
        return self._sum(kind, lambda cell: cell.points_lost)

    def destroyed(self, kind: str) -> float:
        """Points of the models that are destroyed."""
        return self._sum(kind, lambda cell: cell.points_destroyed)

    def _sum(self, kind: str, number_of: Callable[[Cell], float | None]) -> float:
        return sum(self.mean(row, number_of) for row in self.table.rows if row.kind == kind)


@click.command(
    "compare",
    cls=QuestionCommand,
    parts={"situation": Situation()},
    short_help="Two army lists, each against the other.",
    epilog="""\b
Examples:
  mathhammer compare my-army.rosz their-army.json
  mathhammer compare mine.ros theirs.ros --cover --csv
  mathhammer compare mine.ros theirs.ros --html report.html
""",
)
@click.argument("first", type=click.Path(), metavar="FILE")
@click.argument("second", type=click.Path(), metavar="FILE")
@reports("compare", sort="return")
def command(first: str, second: str, *, lists: Lists, sort: str) -> Report:
    """Print what the units of two army lists do to each other, shooting and melee apart.

    Each FILE is an army list as 'mathhammer army' takes it; --attach is for the first, --attach-enemy for the
    second. Situational rules are off unless an option turns them on, for both sides.
    """
    from mathhammer.analysis.attackers import read_defenders
    from mathhammer.analysis.matchups import require_work_that_fits

    mine = lists.army(first)
    theirs = lists.enemy(second, mine.edition)
    if mine.name == theirs.name:
        mine = replace(mine, name=f"{mine.name} ({origin(first)})")
        theirs = replace(theirs, name=f"{theirs.name} ({origin(second)}, second)")
    for army, enemy in ((mine, theirs), (theirs, mine)):
        require_work_that_fits(army, read_defenders(list(army_targets(enemy))))
    keywords = {"keep_distributions": lists.pictures, **lists.options}
    with Progress("Computing", 2) as progress:
        sides = [
            _side(
                army,
                enemy,
                sort,
                lambda done, rows, side=side: progress.update(side * rows + done, 2 * rows),  # type: ignore[misc]
                keywords,
            )
            for side, (army, enemy) in enumerate(((mine, theirs), (theirs, mine)))
        ]
    rules, notes = lists.rules(mine.edition), _notes(sides)

    return Report(
        lambda: _data(sides, notes),
        lambda: [{"army": side.army.name, **row} for side in sides for row in table_records(side.table)],
        lambda page: _write(page, sides, rules, notes),
    )


def _side(
    army: Army,
    enemy: Army,
    sort: str,
    progress: Callable[[int, int], None],
    keywords: dict[str, Any],
) -> Side:
    from mathhammer.analysis import army_table

    targets = army_targets(enemy)
    table = army_table(
        army,
        list(targets),
        progress=progress,
        **keywords,
    )
    return Side(army, enemy, sort_rows(table, sort), tuple(targets.values()))


def _share(lost: float, points: float) -> str:
    """Return the share of a list that is lost; each attack finds it fresh, so that it may be more than all of it."""
    if not points:
        return "-"
    return ">100%" if lost > points * (1 + 1e-12) else percent(min(1.0, lost / points), digits=1)


def _write(page: Page, sides: list[Side], rules: str, notes: list[str]) -> None:
    for side in sides:
        page.heading(side.army.name)
        page.paragraph(f"  {facts_of(side.army)}", hanging="  ")
    page.paragraph(rules)
    page.line()
    page.paragraph(
        "If each unit attacks once, with each unit of the other list as likely its target, on average:"
    )
    for side in sides:
        for kind in _KINDS:
            lost = side.lost(kind)
            share = _share(lost, side.enemy.points)
            text = f"{side.army.name}, {kind}: takes {number(lost, digits=1)} points ({share})"
            page.paragraph(text, indent="  ", hanging="    ")
    for side, other in (sides, sides[::-1]):
        _table(page, side, other)
    page.line()
    page.paragraph(
        "pts/pt: points that the target loses per point of attacker, by the share of its wounds, the mean over the "
        "other list. trade: the same points per point that the attacker loses when each unit of the other list "
        "attacks it in the same phase. best against: the unit that loses most points; odds: the probability that it "
        "is destroyed. "
        "Each attack finds a fresh target; 'mathhammer army FILE --against FILE' shows every pair."
    )
    print_left_out(page, notes)


def _table(page: Page, side: Side, other: Side) -> None:
    page.line()
    page.heading(f"{side.army.name} attacks {side.enemy.name}")
    rows = []
    for row, copies in rows_once(side.table.rows):
        best = side.best(row)
        trade = side.trade(other, row)
        rows.append(
            (
                _short(page, row_name(row, copies)),
                row.kind,
                f"{row.points:g}",
                number(side.mean(row, lambda cell: cell.points_lost_per_point)),
                "-" if trade is None else "inf" if isinf(trade) else number(trade),
                _short(page, best.target) if best.points_lost else "-",
                percent(best.probability_destroyed, digits=1),
            )
        )
    page.table(_TITLES, rows, "<<>>><>", quiet=True)
    page.draw("maps", side.table)
    page.draw("each_loss", side.table.rows)


def _short(page: Page, name: str) -> str:
    """Return a name that fits its column; the other forms of output hold the whole of it."""
    return name if page.rich or len(name) <= _NAME else f"{name[: _NAME - 3].rstrip()}..."


def _notes(sides: list[Side]) -> list[str]:
    notes = []
    mine, theirs = (side.army for side in sides)
    if mine.data_revision != theirs.data_revision and mine.data_revision and theirs.data_revision:
        notes.append(
            f"The lists were written with different data, revisions {mine.data_revision} and "
            f"{theirs.data_revision}: their characteristics and points are not of one day"
        )
    for side in sides:
        army = side.army
        option = "--attach" if side is sides[0] else "--attach-enemy"
        notes += [*army_notes(army), *leaders_note(army, option), *side.table.simplifications]
        rules = {*army.unparsed_abilities, *(rule for unit in army.units for rule in unit.unparsed_abilities)}
        if rules:
            rest = count(len(rules), "rule")
            notes.append(
                f"{army.name}: {rest} of army and datasheets not computed, which 'mathhammer army' lists"
            )
    return sentences(notes)


def _data(sides: list[Side], notes: list[str]) -> dict[str, object]:
    table = sides[0].table
    return {
        "edition": table.edition,
        "situation": as_data(table.situation),
        "rulings": dict(table.rulings),
        "sides": [
            {
                "army": side.army.name,
                "against": side.enemy.name,
                "points": side.army.points,
                "data_revision": side.army.data_revision,
                "points_lost": {kind: side.lost(kind) for kind in _KINDS},
                "points_destroyed": {kind: side.destroyed(kind) for kind in _KINDS},
                "targets": [
                    {**target_data(target), "units": copies}
                    for target, copies in zip(side.table.targets, side.copies, strict=True)
                ],
                "rows": [row_data(row) for row in side.table.rows],
                "trades": [
                    {
                        "unit": row.unit,
                        "index": row.index,
                        "kind": row.kind,
                        "trade_ratio": _finite(side.trade(other, row)),
                    }
                    for row in side.table.rows
                ],
            }
            for side, other in (sides, sides[::-1])
        ],
        "notes": notes,
    }


def _finite(value: float | None) -> float | None:
    """Return a number that JSON can hold."""
    return None if value is None or isinf(value) else value
