"""``mathhammer army``: an army list against the standard targets. The main job."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

import click

from mathhammer.cli.lists import (
    Lists,
    Progress,
    Report,
    all_targets,
    army_notes,
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
from mathhammer.cli.stat_lines import target_line
from mathhammer.cli.units import (
    SORTED_BY,
    Percentage,
    cell_texts,
    equal_units,
    marked_units,
    not_computed,
    of_no_unit,
    print_lines,
    print_notes,
    row_data,
    sort_rows,
    table_records,
    unit_facts,
    unit_lines,
)
from mathhammer.display import number, percent
from mathhammer.errors import RosterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.analysis.matchups import ArmyTable, Cell, Row
    from mathhammer.cli.units import UnitLine
    from mathhammer.systems.wh40k import Target, TargetUnit
    from mathhammer.systems.wh40k.armies.army import Army

_KINDS = ("shooting", "melee")
#: The numbers of a cell and their widths, the last one if it is asked for.
_COLUMNS = {"wounds": 6, "share": 5, "models": 6, "odds": 6, "pts/pt": 6, "needed": 6}
#: What is beside the numbers on a line at least: blanks, and a letter of the name.
_LEAST = 6
_BEST = 3
_NAMED = 2


@click.command(
    "army",
    cls=QuestionCommand,
    parts={"situation": Situation()},
    short_help="What each unit of an army list does to targets or to another list.",
    epilog="""\b
Examples:
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
@click.argument("file", required=False, type=click.Path())
@click.option(
    "--against",
    default=["MEQ,TEQ,VEQ,KEQ"],
    show_default="MEQ,TEQ,VEQ,KEQ",
    multiple=True,
    callback=all_targets,
    metavar="TARGETS",
    help="Labels of 'mathhammer targets' or stat lines, with commas between them, or another army list.",
)
@click.option(
    "--needed",
    type=Percentage(),
    metavar="PERCENT",
    help="Add how many such units destroy the target with this probability, one after another, if 20 do: 80%.",
)
@reports("army", sort="list")
def command(file: str | None, *, against: str, needed: float | None, lists: Lists, sort: str) -> Report:
    """Print what each unit of an army list does to each target, shooting and melee apart.

    FILE is a New Recruit or BattleScribe export (.ros, .rosz, New Recruit's .json), a ListForge link, or with
    --datasheets a text export. Without one a sample army is taken. Situational rules are off unless an option
    turns them on.
    """
    from mathhammer.analysis import army_table

    army = lists.army(file)
    targets, enemy = lists.targets(against, army.edition)
    if not any(unit.weapons for unit in army.units):
        first = f"; {army.warnings[0]}" if army.warnings else ""
        raise RosterError(
            f"expected at least one unit with a weapon, but none of the {len(army.units)} units of {army.name!r} has "
            f"one{first}"
        )
    with Progress("Computing", len(army.units)) as progress:
        table = army_table(
            army,
            targets,
            keep_distributions=lists.pictures,
            needed=needed,
            progress=progress.update,
            **lists.options,
        )
    table = sort_rows(table, sort)
    left_out = [*army_notes(enemy), *(leaders_note(enemy, "--attach-enemy") if enemy else ())]
    table = replace(table, simplifications=(*table.simplifications, *left_out))
    lines = unit_lines(army, table, lone_targets(enemy))
    rules, notes = lists.rules(table.edition), notes_of(army, table)

    return Report(
        lambda: _data(army, table, lines, file, needed),
        lambda: table_records(table, with_needed=needed is not None),
        lambda page: _write(page, army, table, lines, file, rules, notes, needed, sort),
    )


def _write(
    page: Page,
    army: Army,
    table: ArmyTable,
    lines: Sequence[UnitLine],
    file: str | None,
    rules: str,
    notes: Sequence[str],
    needed: float | None,
    sort: str,
) -> None:
    source = "the sample army: no file was given" if file is None else origin(file)
    page.heading(f"{army.name or 'Army'} ({source})")
    page.paragraph(facts_of(army))
    page.paragraph(rules)
    if army.file_edition != table.edition:
        page.paragraph(f"The list was written for the rules of {army.file_edition}, not for these.")
    for sentence in _other_datasheets(army):
        page.paragraph(sentence)
    if marked := marked_units(lines):
        page.paragraph(marked)
    alone = len(table.targets) == 1
    _legend(page, table, needed, sort)
    columns = {name: width for name, width in _COLUMNS.items() if name != "needed" or needed is not None}
    page.line()
    print_lines(page, lines, one_target=alone, with_needed=needed is not None)
    if not alone:
        for line, units in zip_longest(lines, equal_units(table.rows)):
            page.line()
            if units is None:  # units without weapons come last
                page.heading(f"{line.name} · {line.points:,g} points")
            else:
                page.heading(unit_facts(units[0][0], len(units)))
                _unit(page, units[0], table.targets, columns)
                page.draw("losses", units[0], len(units))
            print_notes(page, line.notes)
    page.draw("maps", table)
    _best(page, table)
    print_left_out(page, notes)


def _other_datasheets(army: Army) -> list[str]:
    """Return what the header says of datasheets of another edition than the list's."""
    from mathhammer.rosters.datasheets.source import OTHER_DATASHEETS

    said = sentences(warning for warning in army.warnings if OTHER_DATASHEETS in warning)
    return [sentence[:1].upper() + sentence[1:] for sentence in said]


def _legend(page: Page, table: ArmyTable, needed: float | None, sort: str) -> None:
    """Print what the targets are and what the columns hold."""
    more = (
        f" needed: such units, one after another, for odds of {percent(needed, digits=0)}." if needed else ""
    )
    page.line()
    page.line("Targets")
    for target in table.targets:
        page.paragraph(target_line(target), indent="  ", hanging="      ")
    page.line()
    if len(table.targets) == 1:
        page.paragraph(
            "shooting, melee: mean wounds lost, and their share of the target's. odds: probability that the whole "
            "target is destroyed. pts/pt: that share of the target's points per point of attacker, in the better "
            "phase. Each unit attacks a fresh target; of weapon modes the best by mean wounds lost is used (--csv and "
            "--json name it)." + more
        )
        return
    page.paragraph(
        "wounds: mean wounds lost, and their share of the target's. models: mean models destroyed. odds: probability "
        "that the whole target is destroyed. pts/pt: that share of the target's points per point of attacker. Each "
        "unit attacks a fresh target; of weapon modes the best by mean wounds lost is used and named."
        + more
        + (f" Sorted by {sort}: its mean over the {len(table.targets)} targets." if sort in SORTED_BY else "")
    )


def _unit(
    page: Page, rows: list[Row], targets: Sequence[Target | TargetUnit], columns: Mapping[str, int]
) -> None:
    for row in rows:
        page.listing(f"  {row.kind + ':':<9} ", _weapons(row))
    # Both phases beside each other where the page is wide enough for the names too, else below each other.
    block = sum(columns.values()) + len(columns) - 1
    label = max(len("target"), *(len(target.name) for target in targets))
    if page.rich or page.width < block + _LEAST:
        for row in rows:
            texts = [(cell.target, *map(cell_texts(cell).__getitem__, columns)) for cell in row.cells]
            page.table((row.kind, *columns), texts, "<" + ">" * len(columns), quiet=True)
        return
    for shown in [rows] if page.width >= 2 * (block + 3) + 2 + label else [[row] for row in rows]:
        _numbers(page, shown, targets, columns, block, min(label, page.width - block - 5))


def _numbers(
    page: Page,
    rows: list[Row],
    targets: Sequence[Target | TargetUnit],
    columns: Mapping[str, int],
    block: int,
    label: int,
) -> None:
    """Print a line for each target, with the numbers of each phase; how wide these and the names are."""
    page.quiet(f"  {'':{label}}" + "".join(f"   {f' {row.kind} ':-^{block}}" for row in rows))
    titles = " ".join(f"{title:>{width}}" for title, width in columns.items())
    name = "target" if label >= len("target") else ""
    page.quiet(f"  {name:{label}}" + f"   {titles}" * len(rows))
    for i, target in enumerate(targets):
        cells = "".join(f"   {_cell(row.cells[i], columns)}" for row in rows)
        name = target.name
        if len(name) > label:  # a long name has a line of its own: cut short it might be another's
            page.line(f"  {name}")
            name = ""
        page.line(f"  {name:{label}}{cells}")


def _cell(cell: Cell, columns: Mapping[str, int]) -> str:
    texts = cell_texts(cell)
    return " ".join(f"{texts[name]:>{width}}" for name, width in columns.items())


def _weapons(row: Row) -> list[str]:
    """Return what a unit used; what it used against some of the targets only says against which."""
    against: dict[tuple[str, int], list[str]] = {}
    place: dict[tuple[str, int], int] = {}
    for cell in row.cells:
        for i, use in enumerate(cell.weapons):
            against.setdefault((use.name, use.count), []).append(cell.target)
            place.setdefault((use.name, use.count), i)
    parts = []
    for name, copies in sorted(against, key=place.__getitem__):  # modes of one weapon stand together
        targets = against[name, copies]
        only = "" if len(targets) == len(row.cells) else f" ({', '.join(targets)})"
        parts.append(f"{copies}x {name}{only}")
    return parts


def _best(page: Page, table: ArmyTable) -> None:
    """Print the units with the best return against each target."""
    width = max((len(target.name) for target in table.targets), default=0)
    lines = []
    for i, target in enumerate(table.targets):
        returns: dict[tuple[str, str], float] = {}
        for row in table.rows:  # units of one name may cost more or less
            use = (row.unit, row.kind)
            returns[use] = max(returns.get(use, 0.0), row.cells[i].points_lost_per_point or 0.0)
        best = sorted(filter(returns.get, returns), key=lambda use: -returns[use])[:_BEST]
        if best:
            lines.append((target.name, [f"{number(returns[use])} {use[0]} ({use[1]})" for use in best]))
    if lines:
        page.line()
        page.heading("Best return, in pts/pt")
    for name, texts in lines:
        page.listing(f"  {name:<{width}}  ", texts)


def notes_of(army: Army, table: ArmyTable) -> list[str]:
    """Return a sentence for what was left out or taken as equal and is about no single unit."""
    drift = f"Characteristics and points are of revision {army.data_revision} of the list builder's data"
    said = [*army.warnings, *([drift] if army.data_revision else []), *table.simplifications]
    notes = sentences(of_no_unit(army, said))
    notes += sentences(leaders_note(army))
    notes += rules_by_state(army)
    missing = not_computed(army.rules).items()
    return [*notes, *(f"Rules of the army, {what}: {', '.join(names)}." for what, names in missing)]


def rules_by_state(army: Army) -> list[str]:
    """Return a sentence for each state: the rules that are in force, and the switches that are off."""
    owners: dict[str, dict[str, list[str]]] = {}
    for name, rules in (*((unit.name, unit.rules) for unit in army.units), ("army", army.rules)):
        for rule in rules:
            if rule.is_computed:
                owners.setdefault(rule.state, {}).setdefault(rule.name, []).append(name)
    said = {
        "on": "Rules on",
        "automatic": "Rules that list, leader, weapon, target or situation decide",
        "off": "Switches that are off (--rule turns one on)",
    }
    return [
        f"{sentence}: {', '.join(f'{rule} ({_whose(names)})' for rule, names in owners[state].items())}."
        for state, sentence in said.items()
        if state in owners
    ]


def _whose(names: list[str]) -> str:
    """Name the units that have a rule, or count them where they are many."""
    distinct = list(dict.fromkeys(names))
    return ", ".join(distinct) if len(distinct) <= _NAMED else f"{len(names)} units"


def _data(
    army: Army, table: ArmyTable, lines: Sequence[UnitLine], file: str | None, needed: float | None
) -> dict[str, object]:
    return {
        "army": {
            "name": army.name,
            "file": file,
            "sample": file is None,
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
        "targets": [target_data(target) for target in table.targets],
        "units": [line.data() for line in lines],
        "rows": [row_data(row, with_needed=needed is not None) for row in table.rows],
        "warnings": list(army.warnings),
        "simplifications": list(table.simplifications),
        "abilities_not_computed": [
            {"unit": unit.name, "index": index, "abilities": list(unit.unparsed_abilities)}
            for index, unit in enumerate(army.units)
            if unit.unparsed_abilities
        ],
        "army_rules_not_computed": list(army.unparsed_abilities),
        "rules": rules_data(army),
    }


def rules_data(army: Army) -> list[dict[str, object]]:
    """Return the rules that act on attacks, of each unit and of the army, for JSON."""
    owners = [
        *((unit.name, index, unit.rules) for index, unit in enumerate(army.units)),
        ("", None, army.rules),
    ]
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
        for name, index, rules in owners
        for rule in rules
        if rule.effects or rule.unread
    ]
