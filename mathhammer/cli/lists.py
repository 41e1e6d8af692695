"""Army lists on the command line: read, attached, attacked; and tables of what units do to targets."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import partial
from inspect import cleandoc
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import click

from mathhammer.cli.page import Page, Progress, json_option, print_csv, print_json
from mathhammer.cli.questions import (
    GroupedOption,
    Part,
    QuestionCommand,
    SituationOptions,
    describe,
    examples_of,
    is_list,
    rulings_option,
)
from mathhammer.display.html import svg_curves
from mathhammer.display.numbers import count, number, percent
from mathhammer.display.panel import HeatTable
from mathhammer.errors import RosterError, escaped
from mathhammer.files import require_output, write_text
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mathhammer.analysis.tabular import Answer
    from mathhammer.systems.wh40k import Army, Target, TargetUnit, Unit, UnitRule

    Record = dict[str, Any]

KINDS: tuple[Literal["shooting", "melee"], ...] = ("shooting", "melee")
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


def grouped(records: Iterable[Record], *names: str) -> list[list[Record]]:
    """Return the records that are alike in some columns together."""
    groups: dict[tuple[object, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(record[name] for name in names), []).append(record)
    return list(groups.values())


def equal_units(records: Iterable[Record]) -> list[list[list[Record]]]:
    """Return the records of each unit, units with the same numbers and, but for a ``#2``, the same name together."""
    equal: dict[str, list[list[Record]]] = {}
    for unit in grouped(records, "index"):
        name = re.sub(r" #\d+$", "", unit[0]["unit"])
        equal.setdefault(repr([{**record, "index": 0, "unit": name} for record in unit]), []).append(unit)
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


def unit_facts(record: Record, copies: int) -> str:
    """Return the name of a unit, its models and its points."""
    each = " each" if copies > 1 else ""
    models = count(record["models"], "model")
    return f"{name_of(record, copies)} · {models}, {record['points']:,g} points{each}"


def text_of(record: Record, name: str) -> str:
    """Return a value of a record as people read it; what it does not have is empty."""
    _, written, unknown = COLUMNS[name]
    return unknown if record.get(name, "") is None else written(record[name]) if name in record else ""


def print_table(
    page: Page, records: Sequence[Record], names: str, notes: Sequence[Sequence[str]] = ()
) -> None:
    """Print some columns of records, with blanks between their names."""
    columns = names.split()
    align = "".join("<" if name in _TEXTS else ">" for name in columns)
    rows = [[text_of(record, name) for name in columns] for record in records]
    page.table([COLUMNS[name][0] for name in columns], rows, align, notes)


def said(answer: Answer, records: Iterable[Record], **facts: object) -> Answer:
    """Return an answer with its records in another order and without distributions, and more facts."""
    kept = [{name: each for name, each in record.items() if name != _KEPT} for record in records]
    return replace(answer, records=kept, facts={**answer.facts, **facts})


def not_computed(units: Iterable[Unit | Army], whose: str = "") -> list[str]:
    """Return which rules of units are not computed, and of which a part is not, with words behind their names."""
    found: dict[str, dict[str, None]] = {}
    for unit in units:
        for rule in filter(lambda rule: rule.not_computed, unit.rules):
            what = "computed in part" if rule.is_computed else "not computed"
            found.setdefault(what, {})[rule.name + whose.format(unit.name)] = None
    return [f"{what}: {', '.join(found[what])}" for what in sorted(found, reverse=True)]


def draw_maps(page: Page, records: Sequence[Record]) -> None:
    """Draw heat maps: points for points, or the share where there are none, and the odds of destroying all."""
    if not page.rich or not records:
        return
    odds = "Destroyed in one go", "Probability that the whole target is destroyed", "probability_destroyed"
    lost = "Wounds lost", "Share of the target's wounds lost, on average", "share_lost"
    if any(record["points_lost_per_point"] for record in records):
        caption = "The target's points per point of attacker, by the share of its wounds lost, on average"
        lost = "Points for points", caption, "points_lost_per_point"
    rows = equal_phases(records)
    names = [f"{name_of(phase[0], copies)} ({phase[0]['kind']})" for phase, copies in rows]
    for title, caption, name in (lost, odds):
        values = [[record[name] or 0.0 for record in phase] for phase, _ in rows]
        cells = [[text_of(record, name) for record in phase] for phase, _ in rows]
        targets, lines = [record["target"] for record in rows[0][0]], list(zip(names, values, strict=True))
        page.heading(title)
        page.draw(HeatTable(targets, lines, cells, caption=caption).html())


def draw_losses(page: Page, unit: Sequence[Record], copies: int) -> None:
    """Draw the curves of the wounds that targets lose to a unit, phase by phase."""
    for phase in grouped(unit, "kind") if page.rich else ():
        title = f"{name_of(phase[0], copies)} ({phase[0]['kind']}): wounds lost"
        page.draw(svg_curves({record["target"]: record[_KEPT] for record in phase}, title=title))


class Lists(SimpleNamespace):
    """What the options of a command say: how lists are read, what is true of all attacks, and what is its own.

    Besides them it has `pictures`: whether a page for the browser is written; and `progress`.
    """

    @property
    def options(self) -> dict[str, Any]:
        """What is true of all attacks, as keywords of the library."""
        return {"rulings": self.rulings, **self.situation}

    def rules(self, edition: str) -> str:
        """Return which rules the attacks are computed with."""
        from mathhammer.systems.wh40k.editions import find_edition

        chosen = ", ".join(f"{name}={option}" for name, option in (self.rulings or {}).items())
        more = f" Rulings chosen: {chosen}." if chosen else ""
        return f"{find_edition(edition).title}. Situational rules on: {describe(self.situation)}.{more}"

    def targets(self, edition: str) -> tuple[list[Target | TargetUnit], Army | None]:
        """Return targets: labels of the edition and stat lines, or the units of a list, and then the list too."""
        from mathhammer.systems.wh40k.profiles.targets import read_target, split_targets

        if is_list(self.against):
            army = self.read(self.against, edition, "enemy_")
            return list(army_targets(army)), army
        got = shown(self.against)
        if self.enemy_attachments or self.enemy_rules_on or self.enemy_rules_off:
            hint, what = "--rule-enemy", "switch rules of"
            if self.enemy_attachments:
                hint, what = "--attach-enemy", "attach leaders in"
            raise click.BadParameter(f"expected a list as targets to {what}, got {got}", param_hint=hint)
        parts = split_targets(self.against)
        if not parts:
            raise click.BadParameter(
                f"expected a target or more, got {got}; 'mathhammer targets' lists the standard ones",
                param_hint="--against",
            )
        return [read_target(part, edition) for part in parts], None

    def army(self) -> Army:
        """Read the attacking list, the sample army if none is named."""
        return self.read(self.file, self.edition)

    def read(self, file: str | None, edition: str | None, side: str = "") -> Army:
        """Read a list, attach its leaders and switch its rules; its edition is that of its data unless said."""
        from mathhammer.rosters import read_army, sample_army
        from mathhammer.rosters.wh40k import require_edition

        attachments, on, off = (
            getattr(self, f"{side}{name}") for name in ("attachments", "rules_on", "rules_off")
        )
        require_edition(edition)
        if file is not None and not os.path.exists(file):  # noqa: PTH110 - as in container
            _require_no_target(file)
        if file is None and self.datasheets is not None:
            raise click.UsageError("expected an army list that --datasheets are for, got none; name its file")
        sources = {} if self.datasheets is None else {"datasheets": self.datasheets}
        army = sample_army(edition=edition) if file is None else read_army(file, edition=edition, **sources)
        if self.stratagems is not None and not side:
            army = replace(army, rules=(*army.rules, *_stratagems(self.stratagems)))
        for text in attachments:
            leader, separator, bodyguard = text.partition("=")
            if not separator:
                option = "--attach-enemy" if side else "--attach"
                raise click.BadParameter(f"expected LEADER=UNIT, got {shown(text)}", param_hint=option)
            army = army.attach(leader.strip(), bodyguard.strip())
        if both := [name for name in on if name in off]:
            raise click.UsageError(f"expected the rule {shown(both[0])} switched on or off, got both")
        if self.bare and not side:  # all rules that act on its units' own attacks
            rules = [rule for unit in army.units for rule in unit.rules]
            names = (rule.name for rule in rules if any(effect.side == "attack" for effect in rule.effects))
            army = army.with_rules(off=tuple(dict.fromkeys(names)))
        return army.with_rules(on=on, off=off) if on or off else army


def _stratagems(file: str) -> tuple[UnitRule, ...]:
    """Return the stratagems of a text file."""
    from mathhammer.cli.others import text_of
    from mathhammer.systems.wh40k.unit_rules.reader import read_stratagems

    if found := read_stratagems(text_of(file)):
        return found
    raise click.BadParameter(
        f"{shown(file)} holds no stratagems; write each as 'NAME (1CP)' and below it WHEN:, TARGET: and EFFECT:",
        param_hint="--stratagems",
    )


def _joined(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> str:  # noqa: ARG001
    """Return the targets of an option that was given several times as one text; another list must stand alone."""
    if len(texts) > 1 and (lists := [text for text in texts if is_list(text)]):
        raise click.BadParameter(
            f"expected one other list or several targets, got the list {shown(lists[0])} and {len(texts) - 1} more; "
            "name the list only"
        )
    return ",".join(texts)


def _percent(_context: click.Context, _parameter: click.Parameter, said: str | None) -> float | None:
    """Return a probability as people write it: ``80%``, ``80`` or ``0.8``."""
    try:
        given = float((said or "80%").strip().removesuffix("%"))
    except ValueError:
        given = -1.0
    probability = given / 100 if given >= 1 or str(said).strip().endswith("%") else given
    if said is not None and not 0 < probability < 1:
        raise click.BadParameter(f"expected a probability such as 80% or 0.8, got {shown(said)}")
    return None if said is None else probability


#: What options take whose value is called so, beside a text.
_TAKEN: dict[str, dict[str, Any]] = {
    "TARGETS...": {"callback": _joined},
    "PERCENT": {"callback": _percent},
    "ORDER": {"type": click.Choice(["list", "name", "points", *SORTED_BY]), "metavar": None},
}
SORT = """Options | --sort | sort | ORDER | Order of the units: as in the list, or the best first over all targets; \
'return' is points destroyed per point spent. | """
#: Options of every command of lists: group, flag, what it is in Python, metavar, what it says, perhaps a default.
_ROWS = """
Lists | --edition | edition | EDITION | Edition of the rules. Default: the list's edition.
Lists | --datasheets | datasheets | PATH | Datasheets for lists of names: a BSData folder, or another list.
Lists | --attach | attachments | LEADER=UNIT... | Attach a leader to a unit; 'UNIT #2' is the second of that name.
Lists | --attach-enemy | enemy_attachments | LEADER=UNIT... | Attach a leader in the other list.
Unit rules | --rule | rules_on | RULE... | Switch a rule on: 'Canis Rex: Legendary Freeblade', or its name alone for \
every unit with it; 'RULE=ITEM' chooses an item, 'RULE > UNIT' the friendly unit that it is used on.
Unit rules | --no-rule | rules_off | RULE... | Switch a rule off.
Unit rules | --stratagems | stratagems | FILE | Text of stratagems: 'NAME (1CP)', then WHEN:, TARGET: and EFFECT:. \
Each is a switch: --rule 'NAME > UNIT'.
Unit rules | --no-rules | bare | | Switch off all rules about the attacks of the list's units.
Unit rules | --rule-enemy | enemy_rules_on | RULE... | Switch on a rule of the other list.
Unit rules | --no-rule-enemy | enemy_rules_off | RULE... | Switch off a rule of the other list.
Options | --csv | as_csv | | Print CSV; cells that look like formulas are escaped.
Options | --html | html_file | FILE | Write a page for the browser.
"""


def _options(rows: str) -> Iterator[Callable[[Any], Any]]:
    for row in rows.strip("\n").splitlines():
        group, flag, name, metavar, text, *default = (part.strip() for part in row.split("|"))
        many = metavar.endswith("...")
        more: dict[str, Any] = {"metavar": metavar.removesuffix("...")} if metavar else {"is_flag": True}
        more |= {"multiple": many, "required": many and default == [""], **_TAKEN.get(metavar, {})}
        if any(default):
            more |= {"default": default if many else default[0], "show_default": default[0] if many else True}
        text += " Repeatable." * (many and metavar not in _TAKEN)
        yield click.option(flag, name, cls=GroupedOption, group=group, help=text, **more)


_INPUTS = ("file", "second", "against", "datasheets", "stratagems")


class Report:
    """What is computed of lists: an answer for JSON and CSV unless it has both otherwise; `write` fills a page."""

    answer: Answer

    def data(self) -> dict[str, object]:
        """Return its JSON."""
        return self.answer._data()  # noqa: SLF001 - the package's own

    def records(self) -> list[dict[str, Any]]:
        """Return its rows."""
        return self.answer.to_records()


def reports(
    name: str,
    make: Callable[[Lists], Any],
    short: str,
    examples: str,
    own: str,
    *,
    lists: Iterable[str] = (),
    **parts: Part,
) -> click.Command:
    """Return the command of what computes a report of lists, with its documentation as help, and options in rows.

    The arguments that name lists are needed; without any there may be one.
    """

    def command(*, as_json: bool, as_csv: bool, html_file: str | None, **given: Any) -> None:
        asked = Lists(**given, pictures=html_file is not None, progress=Progress("Computing"))
        inputs = [*map(given.get, _INPUTS)]
        if as_json and as_csv:
            raise click.UsageError("expected --json or --csv, got both")
        if inputs.count("-") > 1:
            raise click.UsageError(
                "expected one army list from standard input, got two; name the file of one"
            )
        if html_file is not None:
            require_output(html_file, ".html", inputs)
        try:
            report = make(asked)
        finally:
            asked.progress.finish()
        page = Page(rich=html_file is not None)
        if html_file is not None or not (as_json or as_csv):
            report.write(page)
        if html_file is not None:
            write_text(html_file, page.html())
        if as_json or as_csv:
            print_json(report.data()) if as_json else print_csv(report.records())
        elif html_file is not None:
            click.echo(f"Wrote {escaped(html_file)}")
        else:
            page.print()

    named = (click.argument(each, type=click.Path(), metavar="FILE") for each in lists)
    files = [*named] or [click.argument("file", required=False, type=click.Path())]
    for option in reversed((*files, *_options(own.rstrip() + _ROWS), json_option, rulings_option)):
        command = option(command)
    return click.command(
        name,
        cls=QuestionCommand,
        parts={"situation": SituationOptions(), **parts},
        short_help=short,
        help=cleandoc(make.__doc__ or ""),
        epilog=examples_of(examples),
    )(command)


def _require_no_target(file: str) -> None:
    from mathhammer.systems.wh40k.profiles.standard_targets import TARGETS

    if (label := file.strip(", ").upper()) in TARGETS:
        other = "TEQ" if label == "MEQ" else "MEQ"
        raise click.UsageError(
            f"expected an army list, got the target {shown(file)}; 'mathhammer army' takes targets, several in quotes: "
            f'--against "{other},{label}"'
        )


def facts_of(army: Army) -> str:
    """Return what an army is: its faction, detachment, points and units."""
    size = f"{army.points:,g} points, {count(len(army.units), 'unit')}"
    return " · ".join(filter(None, (army.faction, army.detachment, size)))


def print_left_out(page: Page, notes: Iterable[str]) -> None:
    """Print what was left out or taken as equal."""
    page.line()
    page.heading("Left out or simplified")
    for note in notes:
        page.paragraph(note, indent="  ", hanging="    ")


def origin(file: str) -> str:
    """Return where a list is from, in a word or two."""
    return "standard input" if file == "-" else Path(file).name


def army_targets(army: Army) -> dict[Target | TargetUnit, tuple[int, ...]]:
    """Return the units of a list that have a stat line, and the places in the list of those that are alike."""
    from mathhammer.systems.wh40k.armies.choices import numbered

    places: dict[Target | TargetUnit, list[int]] = {}
    for place, unit in enumerate(army.units):
        if any(group.has_stat_line for group in unit.models):
            places.setdefault(unit.as_target_unit(), []).append(place)
    if not places:
        raise RosterError(
            f"no unit of {army.name!r} has a stat line, so none can be a target; export the list with its profiles"
        )
    labels = numbered([target.name for target in places])
    return {
        target if target.name == label else replace(target, name=label): tuple(alike)
        for label, (target, alike) in zip(labels, places.items(), strict=True)
    }


def lone_targets(army: Army) -> frozenset[str]:
    """Return the names of the targets of a list that are nothing but leaders who could join a unit of it."""
    from mathhammer.systems.wh40k.armies.choices import unit_keys

    lone = {place for place, key in enumerate(unit_keys(army.units)) if army.leaders.get(key)}
    return frozenset(target.name for target, places in army_targets(army).items() if lone.issuperset(places))


def leaders_note(army: Army, option: str = "--attach") -> list[str]:
    """Return a sentence about the leaders that stand alone, if any could be attached to a unit of the list."""
    lone = "; ".join(f"{leader} ({', '.join(units)})" for leader, units in army.leaders.items() if units)
    words = f"Unattached leaders of {army.name}, and whom they can join ({option} LEADER=UNIT): {lone}"
    return [words] if lone else []


def army_notes(army: Army) -> list[str]:
    """Return what a list leaves out as targets: doubts of reading, and units that cannot be attacked."""
    bare = (unit.name for unit in army.units if not any(group.has_stat_line for group in unit.models))
    reason = f"of {army.name} is no target: its list holds no stat line for it"
    return [*(f"{army.name}: {warning}" for warning in army.warnings), *(f"{name} {reason}" for name in bare)]
