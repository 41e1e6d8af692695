"""``mathhammer rules``: what each rule of an army list adds against targets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer.cli import lists, units
from mathhammer.cli.page import sentences

if TYPE_CHECKING:
    from mathhammer.cli.page import Page

_LEGEND = (
    "Effect of each rule on its own, averaged over the targets (or the attacking units) and added up over the units "
    "that have it. share: of the target's wounds; 'against': of its own wounds saved. probability: to destroy all of "
    "it, or to survive. now: on or off; --rule and --no-rule switch it."
)


class _RuleList:
    """Rank the rules of an army list by what they add in attack and in defence.

    FILE is an army list as 'mathhammer army' takes it; without one a sample army is taken.
    """

    def __init__(self, asked: lists.Lists) -> None:
        from mathhammer.analysis import rule_worths

        self.asked, self.army = asked, (army := asked.army())
        targets, self.enemy = asked.targets(army.edition)
        attacked = self.enemy and replace(  # without the units that cannot be targets, as the notes say
            self.enemy,
            units=tuple(u for u in self.enemy.units if any(group.has_stat_line for group in u.models)),
        )
        self.worths = rule_worths(army, attacked or targets, **asked.options)
        self.records = self.worths.to_records

    def data(self) -> dict[str, object]:
        missing = [f"{unit.name}: {rule}" for unit in self.army.units for rule in unit.unparsed_abilities]
        return lists.document(self.worths, self.worths.records, missing)

    def write(self, page: Page) -> None:
        page.panel(self.worths)
        page.line()
        page.paragraph(self.asked.rules(self.army.edition))
        page.line()
        page.paragraph(_LEGEND)
        notes = []
        if self.enemy is None:
            notes.append("To see what rules of defence are worth, give the attacking list with --against")
        missing: dict[str, list[str]] = {}
        for unit in self.army.units:
            for what, names in units.not_computed(unit.rules).items():
                missing.setdefault(what, []).extend(f"{name} ({unit.name})" for name in names)
        notes += [
            f"{what.capitalize()}: {', '.join(missing[what])}" for what in sorted(missing, reverse=True)
        ]
        for note in sentences([*notes, *lists.army_notes(self.enemy)]):
            page.line()
            page.paragraph(note)


command = lists.reports(
    "rules",
    _RuleList,
    "What each rule of your list adds, the best first.",
    """
  mathhammer rules my-army.rosz
  mathhammer rules my-army.rosz --against TANK,KEQ --charged
  mathhammer rules my-army.rosz --against their-army.rosz --attach "Captain=Intercessor Squad"
""",
    lists.file_argument,
    lists.against(
        "Standard targets (see 'mathhammer targets') or stat lines, separated by commas, or another army list; "
        "that list attacks too, which shows what rules of defence are worth."
    ),
)
