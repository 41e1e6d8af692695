"""``mathhammer army``: an army list against the standard targets. The main job."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

import click

from mathhammer.cli import lists, units
from mathhammer.cli.page import sentences
from mathhammer.cli.situation import as_data, target_line
from mathhammer.display.numbers import count, number, percent
from mathhammer.display.text import columns
from mathhammer.errors import RosterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.analysis.matchups import Row
    from mathhammer.cli.page import Page
    from mathhammer.systems.wh40k.armies.army import Army

#: The numbers of a cell and their widths, the last one if it is asked for.
_COLUMNS = {"wounds": 6, "share": 5, "models": 6, "odds": 6, "pts/pt": 6, "needed": 6}
#: What is beside the numbers on a line at least: blanks, and a letter of the name.
_LEAST = 6
_BEST = 3
_NAMED = 2
_ALONE = (
    "shooting, melee: mean wounds lost, and their share of the target's. odds: probability that the whole target is "
    "destroyed. pts/pt: that share of the target's points per point of attacker, in the better phase. Each unit "
    "attacks a fresh target; of weapon modes the best by mean wounds lost is used (--csv and --json name it)."
)
_SEVERAL = (
    "wounds: mean wounds lost, and their share of the target's. models: mean models destroyed. odds: probability that "
    "the whole target is destroyed. pts/pt: that share of the target's points per point of attacker. Each unit "
    "attacks a fresh target; of weapon modes the best by mean wounds lost is used and named."
)
_STATES = {
    "on": "Rules on",
    "automatic": "Rules that list, leader, weapon, target or situation decide",
    "off": "Switches that are off (--rule turns one on)",
}


@lists.file_argument
@click.option(
    "--against",
    default=["MEQ,TEQ,VEQ,KEQ"],
    show_default="MEQ,TEQ,VEQ,KEQ",
    multiple=True,
    callback=lists.all_targets,
    metavar="TARGETS",
    help="Labels of 'mathhammer targets' or stat lines, with commas between them, or another army list.",
)
@click.option(
    "--needed",
    type=units.Percentage(),
    metavar="PERCENT",
    help="Add how many such units destroy the target with this probability, one after another, if 20 do: 80%.",
)
@units.sort_option("list")
class _ArmyReport:
    """Print what each unit of an army list does to each target, shooting and melee apart.

    FILE is a New Recruit or BattleScribe export (.ros, .rosz, New Recruit's .json), a ListForge link, or with
    --datasheets a text export. Without one a sample army is taken. Situational rules are off unless an option
    turns them on.
    """

    def __init__(
        self, asked: lists.Lists, *, file: str | None, against: str, needed: float | None, sort: str
    ) -> None:
        from mathhammer.analysis import army_table

        self.file, self.needed, self.sort = file, needed, sort
        self.army = army = asked.army(file)
        targets, enemy = asked.targets(against, army.edition)
        if not any(unit.weapons for unit in army.units):
            first = f"; {army.warnings[0]}" if army.warnings else ""
            raise RosterError(
                f"expected at least one unit with a weapon, but none of the {len(army.units)} units of {army.name!r} "
                f"has one{first}"
            )
        table = army_table(
            army,
            targets,
            keep_distributions=asked.pictures,
            needed=needed,
            progress=asked.progress,
            **asked.options,
        )
        left_out = [*lists.army_notes(enemy), *(lists.leaders_note(enemy, "--attach-enemy") if enemy else ())]
        table = units.sort_rows(table, sort)
        self.table = replace(table, simplifications=(*table.simplifications, *left_out))
        self.lines = units.unit_lines(army, self.table, lists.lone_targets(enemy))
        self.rules = asked.rules(table.edition)

    def records(self) -> list[dict[str, object]]:
        return units.table_records(self.table, needed=self.needed is not None)

    def data(self) -> dict[str, object]:
        army, table = self.army, self.table
        return {
            "army": {
                "name": army.name,
                "file": self.file,
                "sample": self.file is None,
                "faction": army.faction,
                "detachments": list(army.detachments),
                "points": army.points,
                "units": len(army.units),
                "written_for": army.file_edition,
                "data_revision": army.data_revision,
            },
            "edition": table.edition,
            "situation": as_data(table.situation),
            "rulings": dict(table.rulings),
            "targets": [lists.target_data(target) for target in table.targets],
            "units": [line.data() for line in self.lines],
            "rows": units.table_data(table, needed=self.needed is not None),
            "warnings": list(army.warnings),
            "simplifications": list(table.simplifications),
            "abilities_not_computed": [
                {"unit": unit.name, "index": index, "abilities": list(unit.unparsed_abilities)}
                for index, unit in enumerate(army.units)
                if unit.unparsed_abilities
            ],
            "army_rules_not_computed": list(army.unparsed_abilities),
            "rules": _rules_data(army),
        }

    def write(self, page: Page) -> None:
        army, table, lines = self.army, self.table, self.lines
        source = "the sample army: no file was given" if self.file is None else lists.origin(self.file)
        page.heading(f"{army.name or 'Army'} ({source})")
        page.paragraph(lists.facts_of(army))
        page.paragraph(self.rules)
        if army.file_edition != table.edition:
            page.paragraph(f"The list was written for the rules of {army.file_edition}, not for these.")
        for sentence in _other_datasheets(army):
            page.paragraph(sentence[:1].upper() + sentence[1:])
        if marked := [line for line in lines if line.notes]:
            notes = count(sum(len(line.notes) for line in marked), "note")
            where = f"{count(len(marked), 'unit')}, each at its unit after a '!'"
            page.paragraph(f"{notes} on {where}: what is not computed or is simplified.")
        alone = len(table.targets) == 1
        self._legend(page, _ALONE if alone else _SEVERAL)
        units.print_lines(page, lines, alone=alone, needed=self.needed is not None)
        if not alone:
            self._units(page)
        page.draw("maps", table)
        self._best(page)
        lists.print_left_out(page, _left_out(army, table.simplifications))

    def _units(self, page: Page) -> None:
        for line, equal in zip_longest(self.lines, units.equal_units(self.table.rows)):
            page.line()
            if equal is None:  # units without weapons come last
                page.heading(f"{line.name} · {line.points:,g} points")
            else:
                page.heading(units.unit_facts(equal[0][0], len(equal)))
                self._numbers(page, equal[0])
                page.draw("losses", equal[0], len(equal))
            units.print_notes(page, line.notes)

    def _legend(self, page: Page, legend: str) -> None:
        """Print what the targets are and what the columns hold."""
        targets = self.table.targets
        page.line()
        page.line("Targets")
        for target in targets:
            page.paragraph(target_line(target), indent="  ", hanging="      ")
        page.line()
        if self.needed:
            odds = percent(self.needed, digits=0)
            legend += f" needed: such units, one after another, for odds of {odds}."
        if len(targets) > 1 and self.sort in units.SORTED_BY:
            legend += f" Sorted by {self.sort}: its mean over the {len(targets)} targets."
        page.paragraph(legend)
        page.line()

    def _numbers(self, page: Page, rows: list[Row]) -> None:
        """Print what a unit uses, and numbers for each target, of both phases beside each other where there is room."""
        for row in rows:
            page.listing(f"  {row.kind + ':':<9} ", _weapons(row))
        titles = [name for name in _COLUMNS if name != "needed" or self.needed is not None]
        names = [target.name for target in self.table.targets]
        block = sum(_COLUMNS[name] + 1 for name in titles) - 1
        if page.rich or page.width < block + _LEAST:
            for row in rows:
                texts = [[cell.target, *units.cell_texts(cell, *titles)] for cell in row.cells]
                page.table((row.kind, *titles), texts, "<" + ">" * len(titles), quiet=True)
            return
        room = max(map(len, ["target", *names]))
        beside = page.width >= 2 * (block + 3) + 2 + room
        room = min(room, page.width - block - 5)

        def joined(texts: list[str]) -> str:
            return " ".join(f"{text:>{_COLUMNS[title]}}" for title, text in zip(titles, texts, strict=True))

        for shown in [rows] if beside else [[row] for row in rows]:
            # A long name has a line of its own: cut short it might be another's.
            held = [name if len(name) <= room else "" for name in ["target", *names]]
            cells = [
                [" " * room, *(f"{f' {row.kind} ':-^{block}}" for row in shown)],
                *([name, *[joined(titles)] * len(shown)] for name in held[:1]),
                *(
                    [name, *(joined(units.cell_texts(row.cells[place], *titles)) for row in shown)]
                    for place, name in enumerate(held[1:])
                ),
            ]
            lines = columns(cells, "<" + ">" * len(shown), gap=3)
            for place, line in enumerate(lines):
                if place > 1 and not held[place - 1]:
                    page.line(f"  {names[place - 2]}")
                (page.line if place > 1 else page.quiet)(f"  {line}")

    def _best(self, page: Page) -> None:
        """Print the units with the best return against each target."""
        lines = []
        for i, target in enumerate(self.table.targets):
            returns: dict[str, float] = {}
            for row in self.table.rows:  # units of one name may cost more or less
                use = f"{row.unit} ({row.kind})"
                returns[use] = max(returns.get(use, 0.0), row.cells[i].points_lost_per_point or 0.0)
            best = sorted(filter(returns.get, returns), key=lambda use: -returns[use])[:_BEST]
            if best:
                lines.append((target.name, [f"{number(returns[use])} {use}" for use in best]))
        if lines:
            page.line()
            page.heading("Best return, in pts/pt")
        width = max((len(target.name) for target in self.table.targets), default=0)
        for name, texts in lines:
            page.listing(f"  {name:<{width}}  ", texts)


def _other_datasheets(army: Army) -> list[str]:
    """Return what the header says of datasheets of another edition than the list's."""
    from mathhammer.rosters.datasheets.source import OTHER_DATASHEETS

    return sentences(warning for warning in army.warnings if OTHER_DATASHEETS in warning)


def _weapons(row: Row) -> list[str]:
    """Return what a unit used; what it used against some of the targets only says against which."""
    against: dict[tuple[str, int], list[str]] = {}
    place: dict[tuple[str, int], int] = {}
    for cell in row.cells:
        for i, use in enumerate(cell.weapons):
            against.setdefault((use.name, use.count), []).append(cell.target)
            place.setdefault((use.name, use.count), i)
    return [
        f"{use[1]}x {use[0]}"
        + ("" if len(against[use]) == len(row.cells) else f" ({', '.join(against[use])})")
        for use in sorted(against, key=place.__getitem__)  # modes of one weapon stand together
    ]


def _left_out(army: Army, simplifications: tuple[str, ...]) -> Iterator[str]:
    """Yield a sentence for what was left out or taken as equal and is about no single unit, and for rules by state."""
    starts = tuple(f"{name}: " for unit in army.units for name in (unit.name, *unit.joined))
    own = {note for unit in army.units for note in unit.notes}
    drift = f"Characteristics and points are of revision {army.data_revision} of the list builder's data"
    said = [*army.warnings, *([drift] if army.data_revision else []), *simplifications]
    yield from sentences(note for note in said if not note.startswith(starts) and note not in own)
    yield from sentences(lists.leaders_note(army))
    owners: dict[str, dict[str, list[str]]] = {state: {} for state in _STATES}
    for name, rules in (*((unit.name, unit.rules) for unit in army.units), ("army", army.rules)):
        for rule in rules:
            if rule.is_computed:
                owners[rule.state].setdefault(rule.name, []).append(name)
    for state, found in owners.items():
        if found:
            yield f"{_STATES[state]}: {', '.join(f'{rule} ({_whose(names)})' for rule, names in found.items())}."
    for what, missing in units.not_computed(army.rules).items():
        yield f"Rules of the army, {what}: {', '.join(missing)}."


def _whose(names: list[str]) -> str:
    """Name the units that have a rule, or count them where they are many."""
    distinct = list(dict.fromkeys(names))
    return ", ".join(distinct) if len(distinct) <= _NAMED else f"{len(names)} units"


def _rules_data(army: Army) -> list[dict[str, object]]:
    """Return the rules that act on attacks, of each unit and of the army, for JSON."""
    owners = [(unit.name, index, unit.rules) for index, unit in enumerate(army.units)]
    return [
        {
            "unit": name,
            "index": index,
            "rule": rule.name,
            "of": rule.of,
            "source": rule.source,
            "state": rule.state,
            "effects": [str(effect) for effect in rule.effects],
            "choices": list(rule.choices),
            "not_computed": list(rule.not_computed),
        }
        for name, index, rules in (*owners, ("", None, army.rules))
        for rule in rules
        if rule.effects or rule.unread
    ]


command = lists.reports(
    "army",
    _ArmyReport,
    "What each unit of an army list does to targets or to another list.",
    """
  mathhammer army
  mathhammer army my-army.rosz --against MEQ,TEQ,VEQ,KEQ
  mathhammer army my-army.json --against their-army.rosz --sort return
  mathhammer army my-army.json --against KEQ --needed 80% --sort share
  mathhammer army my-army.json --rule "Canis Rex: Legendary Freeblade" --no-rule Stealth
  mathhammer army my-army.txt --datasheets bsdata/ --attach "Captain=Intercessor Squad"
  mathhammer army my-army.ros --against "Tank: T10 Sv3+ InSv5+ W12 190pts [VEHICLE]" --json
  mathhammer army my-army.ros --cover --half-range --html report.html
""",
)
