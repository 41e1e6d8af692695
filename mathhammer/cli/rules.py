"""``mathhammer rules``: what each rule of an army list adds against targets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from mathhammer.cli.lists import Lists, Report, army_notes, reports
from mathhammer.cli.page import Page, sentences
from mathhammer.cli.questions import QuestionCommand
from mathhammer.cli.situation import Situation, as_data
from mathhammer.cli.units import not_computed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.analysis.tabular import Answer
    from mathhammer.systems.wh40k.armies.army import Army

_LEGEND = (
    "What each rule adds with everything else as it is: the mean over the targets, or over the units that attack, and "
    "the sum over the units that have it. share: of the target's wounds; 'against': of its own that it is spared. "
    "odds: of destroying the whole target, or of surviving. now: whether it is on; --rule and --no-rule switch it."
)


@click.command(
    "rules",
    cls=QuestionCommand,
    parts={"situation": Situation()},
    short_help="What each rule of an army list adds, the best first.",
    epilog="""\b
Examples:
  mathhammer rules my-army.rosz
  mathhammer rules my-army.rosz --against TANK,KEQ --charged
  mathhammer rules my-army.rosz --against their-army.rosz --attach "Captain=Intercessor Squad"
""",
)
@click.argument("file", required=False, type=click.Path())
@click.option(
    "--against",
    default="MEQ,TEQ,VEQ,KEQ",
    show_default=True,
    metavar="TARGETS",
    help="Labels of 'mathhammer targets' or stat lines, with commas between them, or another army list, which attacks "
    "too: so that rules of defence are worth something.",
)
@reports("rules")
def command(file: str | None, *, against: str, lists: Lists) -> Report:
    """Print what each rule of the units of an army list adds to what they do, and what it spares them.

    FILE is an army list as 'mathhammer army' takes it; without one a sample army is taken.
    """
    from mathhammer.analysis import rule_worths

    army = lists.army(file)
    targets, enemy = lists.targets(against, army.edition)
    worths = rule_worths(army, targets if enemy is None else _attacked(enemy), **lists.options)
    rules = lists.rules(army.edition)
    return Report(
        lambda: _data(army, worths, lists.situation),
        worths.to_records,
        lambda page: _write(page, army, enemy, worths, rules),
    )


def _attacked(enemy: Army) -> Army:
    """Return the other list without the units that cannot be targets, as the notes say."""
    return replace(
        enemy, units=tuple(u for u in enemy.units if any(group.has_stat_line for group in u.models))
    )


def _data(army: Army, worths: Answer, situation: Mapping[str, object]) -> dict[str, object]:
    return {
        "army": army.name,
        "edition": worths.edition,
        "situation": as_data(situation),
        "targets": worths.targets,
        "rules": worths.to_records(),
        "without_gain": worths.without_gain,
        "not_computed": [f"{unit.name}: {rule}" for unit in army.units for rule in unit.unparsed_abilities],
    }


def _write(page: Page, army: Army, enemy: Army | None, worths: Answer, rules: str) -> None:
    page.heading(f"Rules of {army.name or 'the army'} against {', '.join(worths.targets)}")
    page.paragraph(rules)
    page.line()
    page.paragraph(_LEGEND)
    page.line()
    for part in worths.parts:
        page.table(part.header, part.rows, part.align)
    notes = []
    if enemy is None:
        notes.append(
            "Rules of defence are weighed against a list that attacks: --against with the other list"
        )
    if worths.without_gain:
        notes.append(f"Without an effect on any number: {', '.join(worths.without_gain)}")
    missing: dict[str, list[str]] = {}
    for unit in army.units:
        for what, names in not_computed(unit.rules).items():
            missing.setdefault(what, []).extend(f"{name} ({unit.name})" for name in names)
    notes += [
        f"{what.capitalize()}: {', '.join(names)}" for what, names in sorted(missing.items(), reverse=True)
    ]
    for note in sentences([*notes, *army_notes(enemy)]):
        page.line()
        page.paragraph(note)
