"""``mathhammer army``: an army list against the standard targets. The main job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.cli import lists
from mathhammer.cli.page import sentences
from mathhammer.cli.reports import target_line
from mathhammer.display.numbers import count, number, percent
from mathhammer.errors import RosterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.cli.lists import Record
    from mathhammer.cli.page import Page
    from mathhammer.systems.wh40k import Army, Unit

_BEST = 3
_NAMED = 2
_LEGEND = (
    "wounds: mean wounds lost, and their share of the target's. models: mean models destroyed. odds: probability that "
    "the whole target is destroyed. pts/pt: that share of the target's points per point of attacker. Each unit "
    "attacks a fresh target. Weapons with modes use the best one, shown by name."
)
_STATES = {
    "on": "Rules on",
    "automatic": "Conditional rules",
    "off": "Switched off (--rule turns one on)",
}


class _ArmyReport(lists.Report):
    """Print what each unit of an army list does to each target, shooting and melee apart.

    FILE is a New Recruit or BattleScribe export (.ros, .rosz, New Recruit's .json), a ListForge link, or with
    --datasheets a text export. Without one a sample army is taken. Situational rules are off unless an option
    turns them on.
    """

    def __init__(self, asked: lists.Lists) -> None:
        from mathhammer.analysis import army_table

        self.asked, self.army = asked, (army := asked.army())
        targets, enemy = asked.targets(army.edition)
        if not any(unit.weapons for unit in army.units):
            first = f"; {army.warnings[0]}" if army.warnings else ""
            raise RosterError(f"none of the {len(army.units)} units of {army.name!r} has a weapon{first}")
        kept = {"keep_distributions": asked.pictures, "needed": asked.needed, "progress": asked.progress}
        self.table = table = army_table(army, targets, **kept, **asked.options)
        left_out = [*lists.army_notes(enemy), *lists.leaders_note(enemy, "--attach-enemy")] if enemy else []
        self.simplifications = [*table.simplifications, *left_out]
        self.left_out = list(_left_out(army, self.simplifications))
        self.rows = lists.in_order(table.records, asked.sort)
        self.several = len(table.targets) > 1
        self.names = lists.NUMBERS + " needed" * bool(asked.needed)
        self.lines = list(self._lines(lists.lone_targets(enemy) if enemy else frozenset()))
        notes = [f"{line['unit']}: {note}" for line, _, _ in self.lines for note in line["notes"]]
        self.answer = lists.said(table, self.rows, notes=notes + self.left_out)

    def _lines(self, apart: frozenset[str]) -> Iterator[tuple[Record, list[Record], int]]:
        """Yield what each unit is and does best, its records, and how many are equal; those without weapons last.

        What it does best is that with the best return, by points where they are known, else by share. Targets `apart`
        are no choice while there are others: leaders that can stand in a unit.
        """
        every = list(map(self._notes, self.army.units))
        for equal in lists.equal_units(self.rows):
            choices = [record for record in equal[0] if record["target"] not in apart] or equal[0]
            priced = any(record["points_lost_per_point"] is not None for record in choices)
            by = "points_lost_per_point" if priced else "share_lost"
            best = max(choices, key=lambda record: record[by] or 0.0)
            notes = dict.fromkeys(note for unit in equal for note in every[unit[0]["index"]])
            line = {"unit": lists.name_of(best, len(equal)), "points": best["points"], "best": best}
            yield {**line, "notes": list(notes)}, equal[0], len(equal)
        armed = {record["index"] for record in self.rows}
        for index, unit in enumerate(self.army.units):
            if index not in armed:
                unarmed = {"kind": "no weapons"}
                line = {"unit": unit.name, "points": unit.points, "best": unarmed, "notes": every[index]}
                yield line, [], 1

    def _notes(self, unit: Unit) -> list[str]:
        """Return what is not computed of a unit or simplified, without its name."""
        start, parts = f"{unit.name}: ", tuple(f"{name}: " for name in unit.joined)
        said = [*self.army.warnings, *self.simplifications, *unit.notes]
        own = lists.not_computed([unit])
        own += [note.removeprefix(start) for note in said if note.startswith(start)]
        own += [note for note in unit.notes if not note.startswith(start)]
        own += [note for note in self.army.warnings if note.startswith(parts)]
        return list(dict.fromkeys(note.rstrip(".") for note in own))

    def write(self, page: Page) -> None:
        from mathhammer.rosters.datasheets import OTHER_DATASHEETS

        army, file = self.army, self.asked.file
        source = "the sample army: no file was given" if file is None else lists.origin(file)
        page.heading(f"{army.name or 'Army'} ({source})")
        page.paragraph(lists.facts_of(army))
        page.paragraph(self.asked.rules(self.table.edition))
        if army.file_edition != self.table.edition:
            page.paragraph(f"The list was written for the rules of the {army.file_edition[:-1]}th edition.")
        for sentence in sentences(each for each in army.warnings if OTHER_DATASHEETS in each):
            page.paragraph(sentence[:1].upper() + sentence[1:])
        if marked := [line["notes"] for line, _, _ in self.lines if line["notes"]]:
            notes = count(sum(map(len, marked)), "note")
            where = count(len(marked), "unit")
            page.paragraph(f"{notes} on {where} about what is not computed or is simplified: look for '!'.")
        targets, legend = self.table.targets, _LEGEND
        page.line()
        page.line("Targets")
        for target in targets:
            page.paragraph(target_line(target), indent="  ", hanging="      ")
        page.line()
        if self.asked.needed:
            odds = percent(self.asked.needed, digits=0)
            legend += f" needed: such units, one after another, for odds of {odds}."
        if self.several and self.asked.sort in lists.SORTED_BY:
            legend += f" Sorted by {self.asked.sort}: its mean over the {len(targets)} targets."
        page.paragraph(legend)
        page.line()
        self._overview(page)
        if self.several:
            self._blocks(page)
        lists.draw_maps(page, self.rows)
        self._best(page)
        lists.print_left_out(page, self.left_out)

    def _overview(self, page: Page) -> None:
        """Print for each unit what it does best; for one target both phases, and what is not computed below them."""
        rows: list[Record] = []
        notes: list[list[str]] = []
        for line, records, _ in self.lines:
            shown = [line["best"]] if self.several else records or [line["best"]]
            head = {"unit": line["unit"] + " !" * bool(line["notes"]), "points": line["points"]}
            rows += [{**record, **head, "best_at": record.get("target", "")} for record in shown]
            notes += [[]] * (len(shown) - 1) + [line["notes"]]
        names = self.names.replace("mean_wounds_lost ", "").replace("mean_kills ", "")
        columns = f"unit points best_at kind {names}" if self.several else f"unit points kind {self.names}"
        lists.print_table(page, rows, columns, () if self.several else notes)

    def _blocks(self, page: Page) -> None:
        """Print what each unit uses, and its numbers for each phase and target."""
        for line, records, copies in self.lines:
            page.line()
            if records:
                page.heading(lists.unit_facts(records[0], copies))
                for phase in lists.grouped(records, "kind"):
                    page.listing(f"  {phase[0]['kind'] + ':':<9} ", _weapons(phase))
                lists.print_table(page, records, f"kind target {self.names}")
                lists.draw_losses(page, records, copies)
            else:
                page.heading(f"{line['unit']} · {line['points']:,g} points")
            for note in line["notes"]:
                page.paragraph(note, indent="  ! ", hanging="    ")

    def _best(self, page: Page) -> None:
        """Print the units with the best return against each target."""
        lines = []
        different = [record for _, records, _ in self.lines for record in records]
        for records in lists.grouped(different, "target"):
            each = {
                f"{record['unit']} ({record['kind']})": record["points_lost_per_point"] or 0.0
                for record in records
            }
            if best := sorted(filter(each.get, each), key=lambda use: -each[use])[:_BEST]:
                lines.append((records[0]["target"], [f"{number(each[use])} {use}" for use in best]))
        if lines:
            page.line()
            page.heading("Best return, in pts/pt")
        width = max((len(target.name) for target in self.table.targets), default=0)
        for name, texts in lines:
            page.listing(f"  {name:<{width}}  ", texts)


def _weapons(phase: Sequence[Record]) -> list[str]:
    """Return what a unit used; what it used against some of the targets only says against which."""
    against: dict[str, list[str]] = {}
    place: dict[str, int] = {}
    for record in phase:
        for i, (name, copies) in enumerate(record["weapons"].items()):
            against.setdefault(use := f"{copies}x {name}", []).append(record["target"])
            place.setdefault(use, i)
    return [
        use if len(against[use]) == len(phase) else f"{use} ({', '.join(against[use])})"
        for use in sorted(against, key=place.__getitem__)  # modes of one weapon stand together
    ]


def _left_out(army: Army, simplifications: Sequence[str]) -> Iterator[str]:
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
            several = {rule: list(dict.fromkeys(names)) for rule, names in found.items()}
            whose = (
                f"{rule} ({', '.join(names) if len(names) <= _NAMED else f'{len(found[rule])} units'})"
                for rule, names in several.items()
            )
            yield f"{_STATES[state]}: {', '.join(whose)}."
    for missing in lists.not_computed([army]):
        yield f"Rules of the army, {missing}."


command = lists.reports(
    "army",
    _ArmyReport,
    "What each unit of your list does to targets or to another list.",
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
    f"""
Options | --against | against | TARGETS... | Standard targets (see 'mathhammer targets') or stat lines, separated by \
commas, or another army list. | MEQ,TEQ,VEQ,KEQ
Options | --needed | needed | PERCENT | Add how many copies of the unit it takes (up to 20) to destroy the target with \
this probability: 80%.
{lists.SORT}list
""",
)
