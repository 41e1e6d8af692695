"""``mathhammer compare``: two army lists, each against the other."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import click

from mathhammer.analysis.tabular import known
from mathhammer.cli import lists, units
from mathhammer.cli.page import sentences
from mathhammer.display.numbers import count, number, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.cli.page import Page
    from mathhammer.cli.units import Record
    from mathhammer.systems.wh40k.armies.army import Army

_LEGEND = (
    "pts/pt: points that the target loses per point of attacker, by the share of its wounds, the mean over the other "
    "list. trade: points destroyed per point lost in return, in the same phase. best at: the unit that loses most "
    "points; odds: the probability that it is destroyed. Each attack finds a fresh target; 'mathhammer army FILE "
    "--against FILE' shows every pair."
)


class _ListSide:
    """One army attacking the other: what each unit of the one does to each different unit of the other."""

    def __init__(self, army: Army, enemy: Army, asked: lists.Lists, place: int) -> None:
        from mathhammer.analysis import army_table

        self.army, self.enemy, targets = army, enemy, lists.army_targets(enemy)
        #: How many units of the enemy each target stands for, and of each of them which target it is.
        self.copies = {target.name: len(places) for target, places in targets.items()}
        self.target_of = {each: target.name for target, places in targets.items() for each in places}
        self.lone = lists.lone_targets(enemy)
        self.table = army_table(
            army,
            list(targets),
            keep_distributions=asked.pictures,
            progress=lambda done, rows: asked.progress(place * rows + done, 2 * rows),
            **asked.options,
        )
        self.records = units.in_order(self.table.records, asked.sort)
        self.phases = units.grouped(self.records, "index", "kind")

    def mean(self, phase: Sequence[Record], name: str) -> float:
        """Mean of a number of the records of a phase, each unit of the enemy as likely to be the target."""
        lost = sum(self.copies[record["target"]] * (record[name] or 0.0) for record in phase)
        return float(lost / sum(self.copies.values()))

    def sums(self, name: str) -> dict[str, float]:
        """The same of all units in each phase, each attacking once."""
        phases = {kind: [each for each in self.phases if each[0]["kind"] == kind] for kind in units.KINDS}
        return {kind: sum(self.mean(phase, name) for phase in found) for kind, found in phases.items()}

    def trade(self, other: _ListSide, phase: Sequence[Record]) -> float | None:
        """Points that the enemy loses to a unit for each that the unit loses to the enemy, in the same phase."""
        if (attacked := other.target_of.get(phase[0]["index"])) is None:
            return None
        back = (
            each for each in other.records if each["kind"] == phase[0]["kind"] and each["target"] == attacked
        )
        lost = sum(each["points_lost"] or 0.0 for each in back) / len(self.enemy.units)
        gained = self.mean(phase, "points_lost")
        return gained / lost if lost else inf if gained else None

    def data(self, other: _ListSide) -> dict[str, object]:
        trades = [
            {
                "unit": phase[0]["unit"],
                "kind": phase[0]["kind"],
                "trade_ratio": known(self.trade(other, phase) or 0.0),
            }
            for phase in self.phases
        ]
        about = {"against": self.enemy.name, "copies": self.copies, "points_lost": self.sums("points_lost")}
        return {**lists.document(self.table, self.records), **about, "trades": trades}

    def write(self, page: Page, other: _ListSide) -> None:
        page.line()
        page.heading(f"{self.army.name} attacks {self.enemy.name}")
        rows = []
        for phase, copies in units.equal_phases(self.records):
            # Leaders that can stand in a unit are the best where nothing else can be chosen.
            choices = [record for record in phase if record["target"] not in self.lone] or phase
            best = max(choices, key=lambda record: record["points_lost"] or 0.0)
            row = {**best, "unit": units.name_of(best, copies), "trade_ratio": self.trade(other, phase)}
            row["best_at"] = best["target"] if best["points_lost"] else "-"
            rows.append({**row, "points_lost_per_point": self.mean(phase, "points_lost_per_point")})
        units.print_table(page, rows, _COLUMNS)
        units.draw_maps(page, self.records)
        for each in units.equal_units(self.records) if page.rich else ():
            page.heading(units.facts_of(each[0][0], len(each)))
            units.draw_losses(page, each[0], len(each))


_COLUMNS = "unit kind points points_lost_per_point trade_ratio best_at probability_destroyed"


class _Compare:
    """Print what the units of two army lists do to each other, shooting and melee apart.

    Each FILE is an army list as 'mathhammer army' takes it; --attach is for the first, --attach-enemy for the
    second. Situational rules are off unless an option turns them on, for both sides.
    """

    def __init__(self, asked: lists.Lists) -> None:
        from mathhammer.analysis.attackers import read_defenders
        from mathhammer.analysis.matchups import require_work_that_fits

        mine = asked.army()
        theirs = asked.enemy(asked.second, mine.edition)
        if mine.name == theirs.name:
            mine = replace(mine, name=f"{mine.name} ({lists.origin(asked.file)})")
            theirs = replace(theirs, name=f"{theirs.name} ({lists.origin(asked.second)}, second)")
        both = (mine, theirs), (theirs, mine)
        for army, enemy in both:
            require_work_that_fits(army, read_defenders(list(lists.army_targets(enemy))))
        self.sides = [_ListSide(*armies, asked, place) for place, armies in enumerate(both)]
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
            yield from lists.army_notes(army)
            yield from lists.leaders_note(army, option)
            yield from side.table.simplifications
            rules = {
                *army.unparsed_abilities,
                *(rule for unit in army.units for rule in unit.unparsed_abilities),
            }
            if rules:
                rest = count(len(rules), "rule")
                yield f"{army.name}: {rest} not computed; 'mathhammer army' lists them"

    def records(self) -> list[dict[str, object]]:
        return [{"army": side.army.name, **row} for side in self.sides for row in units.flat(side.records)]

    def data(self) -> dict[str, object]:
        mine, theirs = self.sides
        return {
            "edition": mine.table.edition,
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
        page.paragraph("On average, if each unit attacks once, against a random enemy unit:")
        for side in self.sides:
            for kind, lost in side.sums("points_lost").items():
                share = _share(lost, side.enemy.points)
                text = f"{side.army.name}, {kind}: takes {number(lost, digits=1)} points ({share})"
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


command = lists.reports(
    "compare",
    _Compare,
    "Two army lists, each against the other.",
    """
  mathhammer compare my-army.rosz their-army.json
  mathhammer compare mine.ros theirs.ros --cover --csv
  mathhammer compare mine.ros theirs.ros --html report.html
""",
    click.argument("file", type=click.Path()),
    click.argument("second", type=click.Path(), metavar="FILE"),
    units.sort_option("return"),
)
