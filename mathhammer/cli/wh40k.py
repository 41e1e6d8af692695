"""``mathhammer 40k attack``: weapons against one target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.grouping import GroupedOption
from mathhammer.cli.lists import profile_line, read_unit, read_weapons, target_line
from mathhammer.cli.results import Shown, asks, prints
from mathhammer.cli.situation import (
    SituationCommand,
    count_option,
    edition_option,
    objective_option,
    rules_in_force,
    rulings_option,
    target_option,
)
from mathhammer.cli.wh40k_rules import abilities_command, editions_command, rulings_command
from mathhammer.cli.wh40k_turn import turn

if TYPE_CHECKING:
    from mathhammer.systems.wh40k import (
        AttackResult,
        MortalWounds,
        SituationKeywords,
        Volley,
    )


@click.group("40k", short_help="Single attacks, charges, tests and turns of Warhammer 40,000.")
def command() -> None:
    """Compute single attacks, charges, tests and turns of Warhammer 40,000."""


asks(
    command,
    "charge",
    "mathhammer.systems.wh40k:charge",
    "\b\nExamples:\n  mathhammer 40k charge 9 --reroll\n  mathhammer 40k charge 8 --more-than",
    "Print the chance to charge a unit some DISTANCE away in inches, and the chances over all distances.",
)
asks(
    command,
    "battleshock",
    "mathhammer.systems.wh40k:battle_shock",
    "\b\nExample:\n  mathhammer 40k battleshock 7+ --worsen 1 --edition 10e",
    "Print the chance that a unit of some LEADERSHIP passes a battle-shock roll; of several the best is used.",
)
for _other in (turn, editions_command, rulings_command, abilities_command):
    command.add_command(_other)


_UNIT = "Units of several kinds of models"


@command.command(
    "attack",
    cls=SituationCommand,
    epilog="""\b
Examples:
  mathhammer 40k attack "Lascannon: A1 BS3+ S12 AP-3 DD6+1 [HEAVY]" --count 2 --target VEQ --exact
  mathhammer 40k attack "9x Bolt rifle: A2 BS3+ S4 AP-1 D1" "Melta rifle: A1 BS3+ S9 AP-4 DD6 [MELTA 2]" \\
      --target "5x T5 Sv2+ InSv4+ W3" --half-range --explain
  mathhammer 40k attack "10x Sniper: A1 BS3+ S5 AP-1 D2 [PRECISION]" --leader "Captain: T4 Sv3+ InSv4+ W5" \\
      --target "Sergeant: 1x T4 Sv3+ W2" --target "Marines: 9x T4 Sv3+ W2" --allocation best
""",
)
@click.argument("weapons", nargs=-1, metavar="[WEAPON...]")
@target_option(
    "A label such as MEQ, or a stat line; several are the kinds of models of one unit, in the order in which "
    "they are attacked."
)
@count_option
@edition_option
@click.option(
    "--mortal-wounds",
    multiple=True,
    metavar="NUMBER",
    help="Mortal wounds of no attack, a number or dice, with a name after it: 'D3 Hex'. Repeatable.",
)
@click.option(
    "--bearers",
    metavar="TARGET",
    help="The models that carry the weapons: prints what Hazardous tests do to them.",
)
@click.option(
    "--leader",
    "leaders",
    cls=GroupedOption,
    group=_UNIT,
    multiple=True,
    metavar="TARGET",
    help="A leader attached to the unit: attacks reach it last. Repeatable.",
)
@click.option(
    "--allocation",
    cls=GroupedOption,
    group=_UNIT,
    type=click.Choice(["given", "best", "worst"]),
    default="given",
    show_default=True,
    help="Order in which the kinds are attacked: as given, or the best or worst for the unit's player.",
)
@objective_option(
    "What best and worst are measured by, that of --order best and --reroll best too.",
    cls=GroupedOption,
    group=_UNIT,
)
@click.option(
    "--order",
    type=click.Choice(["given", "best"]),
    default="given",
    show_default=True,
    help="The weapons one after another as given, or each chosen when what the others did is seen.",
)
@rulings_option
@prints("40k attack")
def attack(
    *,
    weapons: tuple[str, ...],
    targets: tuple[str, ...],
    copies: int | None,
    exact: bool,
    edition: str,
    mortal_wounds: tuple[str, ...],
    bearers: str | None,
    leaders: tuple[str, ...],
    allocation: str,
    objective: str,
    order: str,
    rulings: dict[str, str] | None,
    situation: SituationKeywords,
) -> Shown:
    """Print what weapons do to a target, one weapon after another.

    A WEAPON is a stat line, "Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]" (BS ranged, WS melee), with the
    number of copies before it if there are several: "9x Bolt rifle: ...". D3 is Damage 3, and DD3
    and DD6 are dice. A TARGET is a label of
    'mathhammer targets' or a stat line, "10x T4 Sv3+ InSv5+ W2 FNP6+ [INFANTRY]"; with a name before it,
    "Marines: 9x T4 ...", where there are several.
    """
    from mathhammer.systems import wh40k
    from mathhammer.systems.wh40k.profiles.targets import read_target

    if len(weapons) > 1 and not any(" " in text for text in weapons):
        raise click.UsageError(
            f'expected each weapon in quotes, got {len(weapons)} words: "{" ".join(weapons)}"'
        )
    volleys: list[Volley | MortalWounds] = [*read_weapons(weapons, copies)]
    volleys += map(_mortal_wounds, mortal_wounds)
    if not volleys:
        raise click.UsageError("expected a WEAPON or --mortal-wounds, got neither")
    defender = read_unit(targets, leaders, allocation, objective, edition)
    carriers = None if bearers is None else read_target(bearers, edition)
    # What was not asked is not passed on, or a text of the result would hold it.
    given = {"bearers": (carriers, None), "objective": (objective, "kills"), "order": (order, "given")}
    fired: dict[str, Any] = {name: value for name, (value, usual) in given.items() if value != usual}
    result: AttackResult = wh40k.attack(
        volleys, defender, edition=edition, rulings=rulings, exact=exact, **fired, **situation
    )
    plan = result.plan if result.rerolls_by_plan else None
    # A re-roll that is spent on the first low roll has no plan, unless something else is chosen best.
    chosen = {order, situation.get("precision"), *(rulings or {}).values()}
    fixed = situation.get("reroll") == "first" and "best" not in chosen
    if plan is not None and (fixed or not (plan.holds_reroll or plan.decisions)):
        plan = None

    asked = f"{'; '.join(map(profile_line, volleys))} against {target_line(defender)}."
    notes = [asked, rules_in_force(edition, situation, rulings)]
    if plan is not None:
        notes.append(f"Best plan for {plan._line()}")  # noqa: SLF001 - the package's own
        if objective == "kills":
            notes.append("--objective wounds_lost or probability_destroyed asks for another plan.")
    return Shown(result, notes, plan)


def _mortal_wounds(text: str) -> MortalWounds:
    """Read a number or dice, and the name of what inflicts them."""
    from mathhammer.systems import wh40k

    number, _, source = text.strip().partition(" ")
    return wh40k.MortalWounds(number, *([source.strip()] if source.strip() else []))
