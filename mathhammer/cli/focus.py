"""``mathhammer focus``: several units of an army list into one enemy unit, or divided over several."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.lists import Lists, Report, all_targets, print_left_out, reports
from mathhammer.cli.page import Page, sentences
from mathhammer.cli.questions import QuestionCommand
from mathhammer.cli.situation import Situation, as_data
from mathhammer.cli.stat_lines import target_line
from mathhammer.cli.units import Percentage, not_computed
from mathhammer.display import number, percent
from mathhammer.distributions import in_fractions
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.validation import nearest, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.systems.wh40k import Focus, Target, TargetUnit
    from mathhammer.systems.wh40k.armies.army import Army

_PHASES = {
    "shooting": "shooting (others with --kind melee or both)",
    "melee": "melee",
    "both": "shooting, then melee",
}
_HEADER = ("unit", "pts", "wounds by it", "wounds", "models", "destroyed", "needed")


@click.command(
    "focus",
    cls=QuestionCommand,
    parts={"situation": Situation()},
    short_help="Several units of an army list into one enemy unit.",
    epilog="""\b
Examples:
  mathhammer focus --against VEQ
  mathhammer focus my-army.rosz --against their-army.rosz --at "Land Raider"
  mathhammer focus my-army.rosz --against KEQ --unit Eradicators --unit "Gladiator Lancer #2"
  mathhammer focus my-army.rosz --against KEQ --best --spare points --goal 90%
  mathhammer focus my-army.rosz --against "MEQ, VEQ"
""",
)
@click.argument("file", required=False, type=click.Path())
@click.option(
    "--against",
    required=True,
    multiple=True,
    callback=all_targets,
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
@click.option(
    "--unit", "units", multiple=True, metavar="UNIT", help="A unit that attacks, in this order. Repeatable."
)
@click.option(
    "--kind",
    type=click.Choice(["shooting", "melee", "both"]),
    default="shooting",
    show_default=True,
    help="The phase; both: all shoot before any fights.",
)
@click.option("--best", is_flag=True, help="Find the units that are needed, and their best order.")
@click.option(
    "--spare",
    type=click.Choice(["units", "points"]),
    default="units",
    show_default=True,
    help="What --best needs as little of as can be.",
)
@click.option(
    "--goal", type=Percentage(), default="80%", show_default=True, help="How likely the target shall die."
)
@reports("focus")
def command(
    file: str | None,
    *,
    against: str,
    enemy_units: tuple[str, ...],
    units: tuple[str, ...],
    kind: Any,
    best: bool,
    spare: Any,
    goal: float,
    lists: Lists,
) -> Report:
    """Print the odds that an enemy unit is destroyed, after each of several units that attack it.

    FILE is an army list as 'mathhammer army' takes it; without one a sample army is taken. The units attack one after
    another, in the order of the list or of --unit, and each finds what those before it have left.
    """
    army = lists.army(file)
    targets, _ = lists.targets(against, army.edition)
    targets = _named(targets, enemy_units)
    call = {"kind": kind, "goal": goal, "by": spare, "order": "best" if best else "given"}
    found: list[Focus] = _focused(army, targets, units, call, lists.options)
    rules = f"{lists.rules(army.edition)} Phase: {_PHASES[kind]}."
    attacked = Counter(focus.target.name for focus in found)
    spared = [*(Counter(target.name for target in targets) - attacked).elements()]
    notes = _notes(army, found)
    return Report(
        lambda: _data(army, found, lists.situation, notes, spared),
        lambda: [{"target": each.target.name, **record} for each in found for record in each.to_records()],
        lambda page: _write(page, army, found, rules, notes, spared),
    )


def _named(targets: Sequence[Target | TargetUnit], names: Sequence[str]) -> list[Target | TargetUnit]:
    """Return the targets of these names, all of them where none is named."""
    if not names:
        return list(targets)
    known = {target.name.casefold(): target for target in targets}
    for name in names:
        if name.strip().casefold() not in known:
            hint = nearest(name, [target.name for target in targets])
            raise UnknownNameError(f"expected a unit of the other list, got {shown(name)}; {hint}")
    return [known[name.strip().casefold()] for name in names]


def _focused(
    army: Army,
    targets: Sequence[Target | TargetUnit],
    units: Sequence[str],
    call: dict[str, Any],
    options: Mapping[str, Any],
) -> list[Focus]:
    """Return what the units do to the only target, or to that of several that each of them should attack."""
    from mathhammer.systems import wh40k

    if len(targets) == 1:
        return [wh40k.focus(army, targets[0], units=units or None, **call, **options)]
    if call["order"] == "best" or call["kind"] == "both":
        what = "--best" if call["order"] == "best" else "--kind both"
        raise click.BadParameter(
            f"expected one target for {what}, got {len(targets)}; name one of them with --at",
            param_hint="--against",
        )
    mixed = next((target.name for target in targets if isinstance(target, wh40k.TargetUnit)), None)
    if mixed is not None:
        raise click.BadParameter(
            f"expected one target, or several of equal models to divide the units over, got {len(targets)}, of which "
            f"{shown(mixed)} has models of several kinds; name one of them with --at",
            param_hint="--against",
        )
    return _divided(army, targets, units, call, options)


def _divided(
    army: Army,
    targets: Sequence[Target | TargetUnit],
    units: Sequence[str],
    call: Mapping[str, Any],
    options: Mapping[str, Any],
) -> list[Focus]:
    """Divide the units over targets so that they destroy most points, and resolve each part."""
    from mathhammer.analysis import assign
    from mathhammer.systems import wh40k
    from mathhammer.systems.wh40k.armies.attachment import find_unit, unit_keys

    keys = unit_keys(army.units)
    places = [find_unit(army.units, name) for name in units] or list(range(len(keys)))
    named = {keys[place]: army.units[place] for place in places}
    kind = call["kind"]
    able = {key: unit for key, unit in named.items() if unit.only(kind).weapons}
    if not able:
        raise MathhammerError(f"expected a unit with weapons for {kind}, got none")
    plan = assign(able, list(targets), kind=kind, edition=army.edition, **options)
    keywords = {key: call[key] for key in ("kind", "goal")}
    found = []
    for place, target in enumerate(targets):
        mine = [key for key, chosen in zip(able, plan.chosen, strict=True) if chosen == place]
        if mine:
            found.append(wh40k.focus(army, target, units=mine, **keywords, **options))
    return found


def _write(
    page: Page,
    army: Army,
    found: Sequence[Focus],
    rules: str,
    notes: Sequence[str],
    spared: Sequence[str],
) -> None:
    names = " and ".join(focus.target.name for focus in found)
    page.heading(f"{army.name or 'Army'} into {names}")
    page.paragraph(rules)
    for focus in found:
        page.line()
        page.paragraph(target_line(focus.target))
        page.table(_HEADER, [_row(record) for record in focus.to_records()], "<>>>>>>")
        page.draw("after_each", focus)
        for sentence in _sentences(focus):
            page.paragraph(sentence)
    if spared:
        page.line()
    for name in spared:
        page.paragraph(f"{name}: nobody attacks it.")
    if len(found) > 1:
        page.line()
        page.paragraph(_together(found))
    print_left_out(page, notes)


def _row(record: Mapping[str, Any]) -> list[str]:
    name = record["unit"] + (" (melee)" if record["phase"] == "melee" else "")
    return [
        name,
        "-" if record["points"] is None else f"{record['points']:g}",
        number(record["mean_wounds_lost_by_it"]),
        number(record["mean_wounds_lost"]),
        number(record["mean_kills"]),
        percent(record["probability_destroyed"], digits=1),
        percent(record["probability_needed"], digits=1),
    ]


def _sentences(focus: Focus) -> list[str]:
    said = [focus.sentence()]
    spared = focus.points_spared
    if spared is not None and len(focus.steps) > 1:
        said.append(
            f"On average {number(spared, digits=0)} points of these are not needed, and can attack something else."
        )
    if focus.left_over:
        said.append(f"Not needed: {', '.join(focus.left_over)}.")
    return said


def _together(found: Sequence[Focus]) -> str:
    """Return the odds that all targets are destroyed: no unit attacks two of them."""
    product = 1.0
    for focus in found:
        product *= float(in_fractions(focus.result).probability_destroyed)
    who = "Both" if len(found) == 2 else f"All {len(found)}"
    return f"{who} are destroyed with {percent(product)}."


def _notes(army: Army, found: Sequence[Focus]) -> list[str]:
    """Return what is simplified, for the units that attack."""
    attacking = {step.unit for focus in found for step in focus.steps}
    from mathhammer.systems.wh40k.armies.attachment import unit_keys

    notes = ["Every unit is taken to be in range; it uses the weapons that are best against the fresh target"]
    for key, unit in zip(unit_keys(army.units), army.units, strict=True):
        if key in attacking:
            notes += unit.notes
            missing = not_computed(unit.rules).items()
            notes += [f"{key}: {what}: {', '.join(names)}" for what, names in missing]
    return sentences([*army.warnings, *notes])


def _data(
    army: Army,
    found: Sequence[Focus],
    situation: Mapping[str, object],
    notes: Sequence[str],
    spared: Sequence[str],
) -> dict[str, object]:
    return {
        "army": army.name,
        "edition": army.edition,
        "situation": as_data(situation),
        "targets": [
            {
                "target": focus.target.name,
                "profile": target_line(focus.target),
                "goal": focus.goal,
                "order": focus.order,
                "spare": focus.by,
                "enough": focus.enough,
                "probability_destroyed": float(in_fractions(focus.result).probability_destroyed),
                "points_spared": focus.points_spared,
                "left_over": list(focus.left_over),
                "steps": focus.to_records(),
                "wounds_lost": _distribution(focus),
            }
            for focus in found
        ],
        "not_attacked": list(spared),
        "notes": list(notes),
    }


def _distribution(focus: Focus) -> list[float]:
    """Return the probabilities of the wounds that the target loses, from 0 on."""
    lost = in_fractions(focus.result).wounds_lost
    return [float(lost.pmf(wounds)) for wounds in range(lost.support[-1] + 1)]
