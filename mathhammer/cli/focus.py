"""``mathhammer focus``: several units of an army list into one enemy unit, or divided over several."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli import lists, units
from mathhammer.cli.page import sentences
from mathhammer.cli.questions import Part
from mathhammer.cli.situation import as_data, target_line
from mathhammer.display.numbers import number, percent
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.validation import nearest, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.cli.page import Page
    from mathhammer.systems.wh40k import Target, TargetUnit
    from mathhammer.systems.wh40k.armies.army import Army
    from mathhammer.systems.wh40k.attacks.focus import Focus

_PHASES = {
    "shooting": "shooting (others with --kind melee or both)",
    "melee": "melee",
    "both": "shooting, then melee",
}
_HEADER = ("unit", "pts", "wounds by it", "wounds", "models", "destroyed", "needed")


@lists.file_argument
@click.option(
    "--against",
    required=True,
    multiple=True,
    callback=lists.all_targets,
    metavar="TARGET",
    help="A label of 'mathhammer targets', a stat line, or another army list. Several targets: who attacks which.",
)
@click.option(
    "--at",
    "enemy_units",
    multiple=True,
    metavar="UNIT",
    help="The unit of the other list that is attacked. Repeatable.",
)
@click.option("--best", is_flag=True, help="Find the units that are needed, and their best order.")
@click.option(
    "--goal",
    type=units.Percentage(),
    default="80%",
    show_default=True,
    help="How likely the target shall die.",
)
class _Focused:
    """Print the odds that an enemy unit is destroyed, after each of several units that attack it.

    FILE is an army list as 'mathhammer army' takes it; without one a sample army is taken. The units attack one after
    another, in the order of the list or of --unit, and each finds what those before it have left.
    """

    def __init__(
        self,
        asked: lists.Lists,
        *,
        file: str | None,
        against: str,
        enemy_units: tuple[str, ...],
        best: bool,
        goal: float,
        call: dict[str, Any],
    ) -> None:
        from mathhammer.systems import wh40k

        units, kind = call.pop("units", ()), call.get("kind", "shooting")

        self.army = army = asked.army(file)
        targets = _named(asked.targets(against, army.edition)[0], enemy_units)
        attackers: list[Sequence[str] | None] = [units or None]
        if len(targets) > 1:
            attackers = _divided(army, targets, units, kind, asked.options, best=best)
        self.found: list[Focus] = [
            wh40k.focus(
                army,
                target,
                units=mine,
                goal=goal,
                order="best" if best else "given",
                **call,
                **asked.options,
            )
            for target, mine in zip(targets, attackers, strict=True)
            if mine is None or mine
        ]
        attacked = Counter(focus.target.name for focus in self.found)
        self.spared = [*(Counter(target.name for target in targets) - attacked).elements()]
        self.rules = f"{asked.rules(army.edition)} Phase: {_PHASES[kind]}."
        self.situation, self.notes = asked.situation, _notes(army, self.found)

    def records(self) -> list[dict[str, object]]:
        return [{"target": each.target.name, **record} for each in self.found for record in each.to_records()]

    def data(self) -> dict[str, object]:
        targets = []
        for focus in self.found:
            result = in_fractions(focus.result)
            lost = result.wounds_lost
            targets.append(
                {
                    "target": focus.target.name,
                    "profile": target_line(focus.target),
                    "goal": focus.goal,
                    "order": focus.order,
                    "spare": focus.by,
                    "enough": focus.enough,
                    "probability_destroyed": float(result.probability_destroyed),
                    "points_spared": focus.points_spared,
                    "left_over": list(focus.left_over),
                    "steps": focus.to_records(),
                    "wounds_lost": [float(lost.pmf(wounds)) for wounds in range(lost.support[-1] + 1)],
                }
            )
        return {
            "army": self.army.name,
            "edition": self.army.edition,
            "situation": as_data(self.situation),
            "targets": targets,
            "not_attacked": self.spared,
            "notes": self.notes,
        }

    def write(self, page: Page) -> None:
        names = " and ".join(focus.target.name for focus in self.found)
        page.heading(f"{self.army.name or 'Army'} into {names}")
        page.paragraph(self.rules)
        together = 1.0
        for focus in self.found:
            together *= float(in_fractions(focus.result).probability_destroyed)
            page.line()
            page.paragraph(target_line(focus.target))
            page.table(_HEADER, [_texts(record) for record in focus.to_records()], "<>>>>>>")
            page.draw("after_each", focus)
            page.paragraph(focus.sentence())
            if focus.points_spared is not None and len(focus.steps) > 1:
                points = number(focus.points_spared, digits=0)
                page.paragraph(
                    f"On average {points} points of these are not needed, and can attack something else."
                )
            if focus.left_over:
                page.paragraph(f"Not needed: {', '.join(focus.left_over)}.")
        if self.spared:
            page.line()
        for name in self.spared:
            page.paragraph(f"{name}: nobody attacks it.")
        if len(self.found) > 1:  # no unit attacks two of them
            who = "Both" if len(self.found) == 2 else f"All {len(self.found)}"
            page.line()
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


def _divided(
    army: Army,
    targets: Sequence[Target | TargetUnit],
    units: Sequence[str],
    kind: Any,
    options: dict[str, Any],
    *,
    best: bool,
) -> list[Sequence[str] | None]:
    """Return for each target the units that should attack it, so that they destroy most points."""
    from mathhammer.analysis import assign
    from mathhammer.systems.wh40k import TargetUnit
    from mathhammer.systems.wh40k.armies.attachment import find_unit, unit_keys

    mixed = next((target.name for target in targets if isinstance(target, TargetUnit)), None)
    if best or kind == "both" or mixed is not None:
        what = "--best" if best else "--kind both"
        expected = f"one target for {what}, got {len(targets)}"
        if not best and kind != "both":
            expected = (
                f"one target, or several of equal models to divide the units over, got {len(targets)}, of which "
                f"{shown(mixed)} has models of several kinds"
            )
        raise click.BadParameter(f"expected {expected}; name one of them with --at", param_hint="--against")
    keys = unit_keys(army.units)
    places = [find_unit(army.units, name) for name in units] or range(len(keys))
    able = {keys[place]: army.units[place] for place in places if army.units[place].only(kind).weapons}
    if not able:
        raise MathhammerError(f"expected a unit with weapons for {kind}, got none")
    chosen = assign(able, list(targets), kind=kind, edition=army.edition, **options).chosen
    return [
        [key for key, place in zip(able, chosen, strict=True) if place == each]
        for each in range(len(targets))
    ]


def _texts(record: dict[str, Any]) -> list[str]:
    return [
        record["unit"] + " (melee)" * (record["phase"] == "melee"),
        "-" if record["points"] is None else f"{record['points']:g}",
        *(number(record[name]) for name in ("mean_wounds_lost_by_it", "mean_wounds_lost", "mean_kills")),
        *(percent(record[name], digits=1) for name in ("probability_destroyed", "probability_needed")),
    ]


def _notes(army: Army, found: Sequence[Focus]) -> list[str]:
    """Return what is simplified, for the units that attack."""
    from mathhammer.systems.wh40k.armies.attachment import unit_keys

    attacking = {step.unit for focus in found for step in focus.steps}
    notes = ["Every unit is taken to be in range; it uses the weapons that are best against the fresh target"]
    for key, unit in zip(unit_keys(army.units), army.units, strict=True):
        if key in attacking:
            notes += unit.notes
            missing = units.not_computed(unit.rules).items()
            notes += [f"{key}: {what}: {', '.join(names)}" for what, names in missing]
    return sentences([*army.warnings, *notes])


command = lists.reports(
    "focus",
    _Focused,
    "Several units of an army list into one enemy unit.",
    """
  mathhammer focus --against VEQ
  mathhammer focus my-army.rosz --against their-army.rosz --at "Land Raider"
  mathhammer focus my-army.rosz --against KEQ --unit Eradicators --unit "Gladiator Lancer #2"
  mathhammer focus my-army.rosz --against KEQ --best --spare points --goal 90%
  mathhammer focus my-army.rosz --against "MEQ, VEQ"
""",
    call=Part(
        "wh40k:focus",
        names={"units": "unit", "by": "spare"},
        leave=("attackers", "target", "order", "goal", "edition", "rulings"),
        many=("units",),
    ),
)
