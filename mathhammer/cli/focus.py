"""``mathhammer focus``: several units of an army list into one enemy unit, or divided over several."""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli import lists, units
from mathhammer.cli.page import sentences
from mathhammer.cli.questions import Part
from mathhammer.cli.situation import target_line
from mathhammer.display.numbers import percent
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.validation import nearest, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.cli.page import Page
    from mathhammer.systems.wh40k import Target, TargetUnit
    from mathhammer.systems.wh40k.attacks.focus import Focus

_PHASES = {
    "shooting": "shooting (others with --kind melee or both)",
    "melee": "melee",
    "both": "shooting, then melee",
}


class _Focused:
    """Print the odds that several units, one after another, destroy an enemy unit.

    FILE is an army list as 'mathhammer army' takes it; without one a sample army is taken. The units attack one after
    another, in the order of the list or of --unit, and each finds what those before it have left.
    """

    def __init__(self, asked: lists.Lists) -> None:
        from mathhammer.systems import wh40k

        self.asked, self.army = asked, (army := asked.army())
        targets = _named(asked.targets(army.edition)[0], asked.enemy_units)
        attackers: list[Sequence[str] | None] = [asked.call.pop("units", None)]
        self.kind = asked.call.get("kind", "shooting")
        if len(targets) > 1:
            attackers = self._divided(targets, attackers[0] or ())
        how: dict[str, Any] = {"goal": asked.goal, "order": "best" if asked.best else "given"}
        self.found: list[Focus] = [
            wh40k.focus(army, target, units=mine, **how, **asked.call, **asked.options)
            for target, mine in zip(targets, attackers, strict=True)
            if mine is None or mine
        ]
        attacked = Counter(focus.target.name for focus in self.found)
        self.spared = [*(Counter(target.name for target in targets) - attacked).elements()]
        self.notes = self._notes()

    def _divided(
        self, targets: Sequence[Target | TargetUnit], names: Sequence[str]
    ) -> list[Sequence[str] | None]:
        """Return for each target the units that should attack it, so that they destroy most points."""
        from mathhammer.analysis import assign
        from mathhammer.systems.wh40k.armies.attachment import find_unit, unit_keys

        army, kind = self.army, self.kind
        if self.asked.best or kind == "both":
            expected = f"one target for {'--best' if self.asked.best else '--kind both'}, got {len(targets)}"
            raise click.BadParameter(
                f"expected {expected}; name one of them with --at", param_hint="--against"
            )
        keys = unit_keys(army.units)
        places = [find_unit(army.units, name) for name in names] or range(len(keys))
        able = {keys[place]: army.units[place] for place in places if army.units[place].only(kind).weapons}
        if not able:
            raise MathhammerError(f"expected a unit with weapons for {kind}, got none")
        chosen = assign(able, list(targets), kind=kind, edition=army.edition, **self.asked.options).chosen
        return [
            [key for key, place in zip(able, chosen, strict=True) if place == each]
            for each in range(len(targets))
        ]

    def _notes(self) -> list[str]:
        """Return what is simplified, for the units that attack."""
        from mathhammer.systems.wh40k.armies.attachment import unit_keys

        attacking = {step.unit for focus in self.found for step in focus.steps}
        notes = [
            "Every unit is taken to be in range; it uses the weapons that are best against the fresh target"
        ]
        for key, unit in zip(unit_keys(self.army.units), self.army.units, strict=True):
            if key in attacking:
                missing = units.not_computed(unit.rules).items()
                notes += [*unit.notes, *(f"{key}: {what}: {', '.join(names)}" for what, names in missing)]
        return sentences([*self.army.warnings, *notes])

    def records(self) -> list[dict[str, object]]:
        return [{"target": each.target.name, **record} for each in self.found for record in each.to_records()]

    def data(self) -> dict[str, object]:
        targets = [
            {
                **focus._data(),  # noqa: SLF001 - the package's own
                **{name: getattr(focus, name) for name in ("enough", "points_spared", "left_over")},
                "target": focus.target.name,
                "steps": focus.to_records(),
            }
            for focus in self.found
        ]
        return {"targets": targets, "not_attacked": self.spared, "notes": self.notes}

    def write(self, page: Page) -> None:
        names = " and ".join(focus.target.name for focus in self.found)
        page.heading(f"{self.army.name or 'Army'} into {names}")
        page.paragraph(f"{self.asked.rules(self.army.edition)} Phase: {_PHASES[self.kind]}.")
        for focus in self.found:
            page.line()
            page.paragraph(target_line(focus.target))
            page.panel(focus)
        if self.spared or len(self.found) > 1:
            page.line()
        for name in self.spared:
            page.paragraph(f"{name}: nobody attacks it.")
        if len(self.found) > 1:  # no unit attacks two of them
            who = "Both" if len(self.found) == 2 else f"All {len(self.found)}"
            together = prod(float(in_fractions(focus.result).probability_destroyed) for focus in self.found)
            page.paragraph(f"{who} are destroyed with {percent(together)}.")
        lists.print_left_out(page, self.notes)


def _named(targets: Sequence[Target | TargetUnit], names: Sequence[str]) -> list[Target | TargetUnit]:
    """Return the targets of these names, all of them where none is named."""
    known = {target.name.casefold(): target for target in targets}
    for name in names:
        if name.strip().casefold() not in known:
            hint = nearest(name, [target.name for target in targets])
            raise UnknownNameError(f"expected a unit of the other list, got {shown(name)}; {hint}")
    return [known[name.strip().casefold()] for name in names] or list(targets)


command = lists.reports(
    "focus",
    _Focused,
    "Whether several units of your list can kill one enemy unit.",
    """
  mathhammer focus --against VEQ
  mathhammer focus my-army.rosz --against their-army.rosz --at "Land Raider"
  mathhammer focus my-army.rosz --against KEQ --unit Eradicators --unit "Gladiator Lancer #2"
  mathhammer focus my-army.rosz --against KEQ --best --spare points --goal 90%
  mathhammer focus my-army.rosz --against "MEQ, VEQ"
""",
    lists.file_argument,
    lists.against(
        "A standard target, a stat line, or another army list. With several, the units are divided among them.",
        None,
    ),
    click.option(
        "--at",
        "enemy_units",
        multiple=True,
        metavar="UNIT",
        help="Attack this unit of the other list. Repeatable.",
    ),
    click.option("--best", is_flag=True, help="Find the fewest units that are enough, in their best order."),
    units.percent_option("--goal", "Wanted chance to destroy the target.", "80%"),
    call=Part(
        "wh40k:focus",
        names={"units": "unit", "by": "spare"},
        leave=("attackers", "target", "order", "goal", "edition", "rulings"),
        many=("units",),
    ),
)
