"""``mathhammer compare``: two army lists, each against the other."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING

import click

from mathhammer.cli import lists, units
from mathhammer.cli.page import sentences
from mathhammer.cli.situation import as_data
from mathhammer.display.numbers import count, number, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.analysis.matchups import Cell, Row
    from mathhammer.cli.page import Page
    from mathhammer.systems.wh40k.armies.army import Army

_NAME = 22
_TITLES = ("unit", "phase", "pts", "pts/pt", "trade", "best against", "odds")
_LEGEND = (
    "pts/pt: points that the target loses per point of attacker, by the share of its wounds, the mean over the other "
    "list. trade: the same points per point that the attacker loses when each unit of the other list attacks it in the "
    "same phase. best against: the unit that loses most points; odds: the probability that it is destroyed. Each "
    "attack finds a fresh target; 'mathhammer army FILE --against FILE' shows every pair."
)


class _Side:
    """One army attacking the other: what each unit of the one does to each different unit of the other."""

    def __init__(self, army: Army, enemy: Army, sort: str, asked: lists.Lists, place: int) -> None:
        from mathhammer.analysis import army_table

        self.army, self.enemy, targets = army, enemy, lists.army_targets(enemy)
        #: The places in its list of the units of the enemy that each column stands for.
        self.places = tuple(targets.values())
        table = army_table(
            army,
            list(targets),
            keep_distributions=asked.pictures,
            progress=lambda done, rows: asked.progress(place * rows + done, 2 * rows),
            **asked.options,
        )
        self.table = units.sort_rows(table, sort)

    def mean(self, row: Row, name: str) -> float:
        """Mean of a number of the cells of a row, each unit of the enemy as likely to be the target."""
        copies = [*map(len, self.places)]
        cells = zip(copies, row.cells, strict=True)
        return sum(many * (getattr(cell, name) or 0.0) for many, cell in cells) / sum(copies)

    def sum(self, kind: str, name: str) -> float:
        """The same of all units in one phase, each attacking once."""
        return sum(self.mean(row, name) for row in self.table.rows if row.kind == kind)

    def best(self, row: Row) -> Cell:
        """The unit that loses most points, but for leaders that can stand in a unit, where they cannot be chosen."""
        lone = lists.lone_targets(self.enemy)
        cells = [cell for cell in row.cells if cell.target not in lone]
        return max(cells or row.cells, key=lambda cell: cell.points_lost or 0.0)

    def trade(self, other: _Side, row: Row) -> float | None:
        """Points that the enemy loses to a unit for each that the unit loses to the enemy, in the same phase."""
        column = next((column for column, alike in enumerate(other.places) if row.index in alike), None)
        if column is None:
            return None
        back = [each.cells[column].points_lost or 0.0 for each in other.table.rows if each.kind == row.kind]
        gained, lost = self.mean(row, "points_lost"), sum(back) / len(self.enemy.units)
        return gained / lost if lost else inf if gained else None

    def data(self, other: _Side) -> dict[str, object]:
        trades = [(row, self.trade(other, row)) for row in self.table.rows]
        return {
            "army": self.army.name,
            "against": self.enemy.name,
            "points": self.army.points,
            "data_revision": self.army.data_revision,
            "points_lost": {kind: self.sum(kind, "points_lost") for kind in units.KINDS},
            "points_destroyed": {kind: self.sum(kind, "points_destroyed") for kind in units.KINDS},
            "targets": [
                {**lists.target_data(target), "units": len(alike)}
                for target, alike in zip(self.table.targets, self.places, strict=True)
            ],
            "rows": units.table_data(self.table),
            "trades": [
                {
                    "unit": row.unit,
                    "index": row.index,
                    "kind": row.kind,
                    "trade_ratio": trade if trade is not None and isfinite(trade) else None,
                }
                for row, trade in trades
            ],
        }

    def write(self, page: Page, other: _Side) -> None:
        page.line()
        page.heading(f"{self.army.name} attacks {self.enemy.name}")
        rows = []
        for row, copies in units.rows_once(self.table.rows):
            best, trade = self.best(row), self.trade(other, row)
            rows.append(
                (
                    _short(page, units.row_name(row, copies)),
                    row.kind,
                    f"{row.points:g}",
                    number(self.mean(row, "points_lost_per_point")),
                    "-" if trade is None else number(trade) if isfinite(trade) else "inf",
                    _short(page, best.target) if best.points_lost else "-",
                    percent(best.probability_destroyed, digits=1),
                )
            )
        page.table(_TITLES, rows, "<<>>><>", quiet=True)
        page.draw("maps", self.table)
        page.draw("each_loss", self.table.rows)


@click.argument("first", type=click.Path(), metavar="FILE")
@click.argument("second", type=click.Path(), metavar="FILE")
@units.sort_option("return")
class _Comparison:
    """Print what the units of two army lists do to each other, shooting and melee apart.

    Each FILE is an army list as 'mathhammer army' takes it; --attach is for the first, --attach-enemy for the
    second. Situational rules are off unless an option turns them on, for both sides.
    """

    def __init__(self, asked: lists.Lists, *, first: str, second: str, sort: str) -> None:
        from mathhammer.analysis.attackers import read_defenders
        from mathhammer.analysis.matchups import require_work_that_fits

        mine = asked.army(first)
        theirs = asked.enemy(second, mine.edition)
        if mine.name == theirs.name:
            mine = replace(mine, name=f"{mine.name} ({lists.origin(first)})")
            theirs = replace(theirs, name=f"{theirs.name} ({lists.origin(second)}, second)")
        both = (mine, theirs), (theirs, mine)
        for army, enemy in both:
            require_work_that_fits(army, read_defenders(list(lists.army_targets(enemy))))
        self.sides = [_Side(*armies, sort, asked, place) for place, armies in enumerate(both)]
        self.rules, self.notes = asked.rules(mine.edition), sentences(self._notes())

    def _notes(self) -> Iterator[str]:
        mine, theirs = (side.army.data_revision for side in self.sides)
        if mine != theirs and mine and theirs:
            yield (
                f"The lists were written with different data, revisions {mine} and {theirs}: their characteristics and "
                "points are not of one day"
            )
        for side, option in zip(self.sides, ("--attach", "--attach-enemy"), strict=True):
            army = side.army
            yield from (
                *lists.army_notes(army),
                *lists.leaders_note(army, option),
                *side.table.simplifications,
            )
            rules = {
                *army.unparsed_abilities,
                *(rule for unit in army.units for rule in unit.unparsed_abilities),
            }
            if rules:
                rest = count(len(rules), "rule")
                yield f"{army.name}: {rest} of army and datasheets not computed, which 'mathhammer army' lists"

    def records(self) -> list[dict[str, object]]:
        return [
            {"army": side.army.name, **row} for side in self.sides for row in units.table_records(side.table)
        ]

    def data(self) -> dict[str, object]:
        mine, theirs = self.sides
        return {
            "edition": mine.table.edition,
            "situation": as_data(mine.table.situation),
            "rulings": dict(mine.table.rulings),
            "sides": [mine.data(theirs), theirs.data(mine)],
            "notes": self.notes,
        }

    def write(self, page: Page) -> None:
        mine, theirs = self.sides
        for side in self.sides:
            page.heading(side.army.name)
            page.paragraph(f"  {lists.facts_of(side.army)}", hanging="  ")
        page.paragraph(self.rules)
        page.line()
        page.paragraph(
            "If each unit attacks once, with each unit of the other list as likely its target, on average:"
        )
        for side in self.sides:
            for kind in units.KINDS:
                lost, points = side.sum(kind, "points_lost"), side.enemy.points
                text = f"{side.army.name}, {kind}: takes {number(lost, digits=1)} points ({_share(lost, points)})"
                page.paragraph(text, indent="  ", hanging="    ")
        mine.write(page, theirs)
        theirs.write(page, mine)
        page.line()
        page.paragraph(_LEGEND)
        lists.print_left_out(page, self.notes)


def _share(lost: float, points: float) -> str:
    """Return the share of a list that is lost; each attack finds it fresh, so that it may be more than all of it."""
    if not points:
        return "-"
    return ">100%" if lost > points * (1 + 1e-12) else percent(min(1.0, lost / points), digits=1)


def _short(page: Page, name: str) -> str:
    """Return a name that fits its column; the other forms of output hold the whole of it."""
    return name if page.rich or len(name) <= _NAME else f"{name[: _NAME - 3].rstrip()}..."


command = lists.reports(
    "compare",
    _Comparison,
    "Two army lists, each against the other.",
    """
  mathhammer compare my-army.rosz their-army.json
  mathhammer compare mine.ros theirs.ros --cover --csv
  mathhammer compare mine.ros theirs.ros --html report.html
""",
)
