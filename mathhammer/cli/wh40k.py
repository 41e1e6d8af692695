"""``mathhammer 40k attack``: weapons against one target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.dice import distribution_fields, probability_text, summary, table
from mathhammer.cli.grouping import GroupedOption
from mathhammer.cli.lists import attack_head, models_of, read_unit, read_weapons, target_line
from mathhammer.cli.page import probability_fields
from mathhammer.cli.results import Shown, outcomes, prints, probabilities
from mathhammer.cli.situation import (
    SituationCommand,
    as_data,
    count_option,
    edition_option,
    objective_option,
    rules_in_force,
    rulings_option,
    target_option,
)
from mathhammer.cli.wh40k_rolls import battleshock, charge
from mathhammer.cli.wh40k_rules import abilities_command, editions_command, rulings_command
from mathhammer.cli.wh40k_turn import turn

if TYPE_CHECKING:
    from mathhammer.arithmetic.protocol import P
    from mathhammer.cli.page import Page
    from mathhammer.distributions import Distribution
    from mathhammer.sequence import RerollDecision, RerollPlan
    from mathhammer.systems.wh40k import (
        AttackResult,
        MortalWounds,
        SituationKeywords,
        Target,
        TargetUnit,
        Volley,
    )

_DISTRIBUTIONS = ("hits", "wounds", "unsaved", "mortal_wounds", "damage", "wounds_lost", "kills")


@click.group("40k", short_help="Single attacks, charges, tests and turns of Warhammer 40,000.")
def command() -> None:
    """Compute single attacks, charges, tests and turns of Warhammer 40,000."""


for _other in (charge, battleshock, turn, editions_command, rulings_command, abilities_command):
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
    result: AttackResult[Any] = wh40k.attack(
        volleys, defender, edition=edition, rulings=rulings, exact=exact, **fired, **situation
    )
    plan = result.plan if result.rerolls_by_plan else None
    # A re-roll that is spent on the first low roll has no plan, unless something else is chosen best.
    chosen = {order, situation.get("precision"), *(rulings or {}).values()}
    fixed = situation.get("reroll") == "first" and "best" not in chosen
    if plan is not None and (fixed or not (plan.holds_reroll or plan.decisions)):
        plan = None

    def write(page: Page) -> None:
        attack_head(page, volleys, defender)
        page.paragraph(rules_in_force(edition, situation, rulings))
        page.line()
        _body(page, defender, result)
        _others(page, defender, carriers, result)
        if plan is not None:
            _print_plan(page, plan)

    return Shown(
        result, lambda: _data(volleys, defender, situation, result, carriers, plan), write, plan or ""
    )


def _mortal_wounds(text: str) -> MortalWounds:
    """Read a number or dice, and the name of what inflicts them."""
    from mathhammer.systems import wh40k

    number, _, source = text.strip().partition(" ")
    return wh40k.MortalWounds(number, *([source.strip()] if source.strip() else []))


def _body(page: Page, target: Target | TargetUnit, result: AttackResult[P]) -> None:
    from mathhammer.distributions import in_fractions
    from mathhammer.systems import wh40k

    destroyed = probability_text(in_fractions(result).probability_destroyed, exact=result.exact)
    page.line(f"P(destroyed)      {destroyed}")
    page.paragraph(f"wounds lost       {summary(result.wounds_lost)}", hanging="    ")
    if "damage" not in result.absent:
        page.paragraph(f"damage inflicted  {summary(result.damage)}", hanging="    ")
    if models_of(target) > 1:
        page.paragraph(f"models destroyed  {summary(result.kills)}", hanging="    ")
    if isinstance(target, wh40k.TargetUnit):
        for kind, distribution in _by_kind(target, result).items():
            page.paragraph(f"  {kind}: {summary(distribution)}", hanging="    ")
    if models_of(target) > 1:
        page.line()
        page.line(table(result.kills, page, heading="models destroyed"))
    if isinstance(target, wh40k.TargetUnit) or target.models == 1 or target.wounds > 1:
        page.line()
        page.line(table(result.wounds_lost, page, heading="wounds lost"))


def _print_plan(page: Page, plan: RerollPlan) -> None:
    """Print what the best choices are and what a re-roll is worth."""
    from mathhammer.display import number, percent

    page.line()
    page.heading(f"Best plan for {plan.objective}")
    value, without, first = (
        percent(each, digits=2) if plan.objective.startswith("P(") else number(each, digits=4)
        for each in (plan.value, plan.without, plan.first)
    )
    reroll = f"; without the re-roll {without}, spent on the first low roll {first}"
    page.paragraph(value + (reroll if plan.holds_reroll else ""))
    page.paragraph(plan.sentence)
    if plan.objective == "mean models destroyed":
        page.paragraph(
            "This plan is for models destroyed; --objective wounds_lost or probability_destroyed asks for another."
        )


def _plan_data(plan: RerollPlan, *, exact: bool) -> dict[str, Any]:
    def numbers(record: RerollPlan | RerollDecision, *names: str) -> dict[str, object]:
        return probabilities({name: getattr(record, name) for name in names}, exact=exact)

    return {
        "objective": plan.objective,
        **numbers(plan, "value", "first", "without", "worth", "worth_of_waiting"),
        "sentence": plan.sentence,
        "decisions": [
            {
                "volley": each.state.volley + 1,
                "dice": str(each.state),
                "target": list(each.state.target),
                "action": each.action,
                **numbers(each, "keep", "reroll", "probability"),
            }
            for each in plan
        ],
    }


def _others(page: Page, target: Target | TargetUnit, bearers: Target | None, result: AttackResult[P]) -> None:
    """Print the effects on bystanders."""
    if _explodes(target):
        page.line()
        page.paragraph(
            f'mortal wounds on each other unit within 6": {summary(result.deadly_demise)}', hanging="    "
        )
    if bearers is not None:
        page.line()
        page.line(f"Hazardous tests of {target_line(bearers)}")
        page.paragraph(f"tests failed      {summary(result.hazardous.failed)}", hanging="    ")
        page.paragraph(f"wounds lost       {summary(result.hazardous.wounds_lost)}", hanging="    ")
        page.paragraph(f"models destroyed  {summary(result.hazardous.kills)}", hanging="    ")


def _explodes(target: Target | TargetUnit) -> bool:
    from mathhammer.systems import wh40k

    kinds = target.kinds if isinstance(target, wh40k.TargetUnit) else (target,)
    return any(kind.deadly_demise is not None for kind in kinds)


def _by_kind(target: TargetUnit, result: AttackResult[P]) -> dict[str, Distribution[P]]:
    """Return the distribution of the models destroyed of each kind, by its name."""
    return {kind.name: result.kills_of(kind.name) for kind in target.kinds}


def _data(
    entries: list[Volley | MortalWounds],
    target: Target | TargetUnit,
    situation: SituationKeywords,
    result: AttackResult[P],
    bearers: Target | None,
    plan: RerollPlan | None,
) -> dict[str, Any]:
    from mathhammer.distributions import in_fractions
    from mathhammer.systems import wh40k

    losses = in_fractions(result)
    distributions = [name for name in _DISTRIBUTIONS if name not in result.absent]
    data: dict[str, Any] = {
        "situation": as_data(situation),
        "weapons": [
            {"count": each.count, "profile": str(each.weapon)}
            for each in entries
            if not isinstance(each, wh40k.MortalWounds)
        ],
        "mortal_wounds_of": [str(each) for each in entries if isinstance(each, wh40k.MortalWounds)],
        "target": target_line(target),
        **probability_fields("probability_destroyed", losses.probability_destroyed, exact=result.exact),
        **{name: distribution_fields(getattr(result, name)) for name in distributions},
        "state": outcomes(result.state.axes, losses.state.items(), exact=result.exact),
    }
    if isinstance(target, wh40k.TargetUnit):
        data["allocation"], data["objective"] = target.allocation, target.objective
        data["kills_of"] = {
            kind: distribution_fields(distribution) for kind, distribution in _by_kind(target, result).items()
        }
    if _explodes(target):
        data["deadly_demise"] = distribution_fields(result.deadly_demise)
    if bearers is not None:
        data["bearers"] = target_line(bearers)
        distributions_of_bearers = ("failed", "wounds_lost", "kills")
        data["hazardous"] = {
            name: distribution_fields(getattr(result.hazardous, name)) for name in distributions_of_bearers
        }
    if plan is not None:
        data["plan"] = _plan_data(plan, exact=result.exact)
    return data
