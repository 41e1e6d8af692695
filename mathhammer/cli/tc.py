"""``mathhammer tc success``, ``injury``, ``attack``, ``table``: Trench Crusade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.dice import distribution_fields, probability_text
from mathhammer.cli.grouping import GroupedCommand
from mathhammer.cli.page import Page
from mathhammer.cli.results import (
    Shown,
    field_options,
    options,
    outcomes,
    prints,
    probabilities,
    reroll_option,
    rulings_option,
)
from mathhammer.page.situations import TRENCH_CRUSADE

if TYPE_CHECKING:
    from mathhammer.arithmetic.protocol import P
    from mathhammer.distributions import CategoricalDistribution
    from mathhammer.systems.trench_crusade import AttackResult, Roll

_dice = click.option(
    "--dice", "-d", multiple=True, metavar="TEXT", help='"+1", "-1 cover"; repeatable, pairs cancel.'
)
_modifier = click.option(
    "--modifier",
    "-m",
    multiple=True,
    metavar="TEXT",
    help='INJURY MODIFIER: "-1 Standard Armour". Repeatable.',
)


_markers: dict[str, Any] = {"type": click.IntRange(0, 6), "default": 0, "metavar": "N"}
_edition = click.option(
    "--edition",
    type=click.Choice(["1.0.2", "beta_2026_04"]),
    default="1.0.2",
    show_default=True,
    help="Edition of the rules.",
)


@click.group("tc", short_help="Success Rolls, Injury Rolls and attacks of Trench Crusade.")
def command() -> None:
    """Compute rolls and attacks of Trench Crusade."""


command.command_class = GroupedCommand


@command.command("success", epilog='Example: mathhammer tc success -d "+2 elevated" -d "-1 cover" --exact')
@_dice
@reroll_option
@prints("tc success")
def success(**given: Any) -> Shown:
    """Print the distribution of a Success Roll."""
    from mathhammer.systems import trench_crusade as tc

    return _shown_roll("Success Roll", tc.success_roll(**given))


@command.command(
    "injury", epilog='Example: mathhammer tc injury -d "+2 Blood" -m "-1 Standard Armour" --explain'
)
@_dice
@_modifier
@click.option("--bloodbath", is_flag=True, help="It is a Bloodbath Roll.")
@click.option("--deadly", is_flag=True, help="The weapon has DEADLY.")
@rulings_option
@prints("tc injury")
def injury(
    *, dice: tuple[str, ...], modifier: tuple[str, ...], bloodbath: bool, deadly: bool, **given: Any
) -> Shown:
    """Print the distribution of an Injury Roll or of a Bloodbath Roll."""
    from mathhammer.systems import trench_crusade as tc

    make = tc.bloodbath_roll if bloodbath else tc.injury_roll
    roll = make(dice, modifier, keywords="DEADLY" if deadly else "", **given)
    return _shown_roll("Bloodbath Roll" if bloodbath else "Injury Roll", roll)


@command.command("table", epilog="Example: mathhammer tc table injury --at-least down")
@click.argument("roll", type=click.Choice(["success", "injury", "bloodbath"]))
@click.option(
    "--at-least",
    type=click.Choice(["minor hit", "down", "out of action"]),
    default="out of action",
    show_default=True,
    help="The result or a worse one.",
)
def table(roll: str, at_least: str) -> None:
    """Print chances over net dice and modifiers."""
    from mathhammer.systems import trench_crusade as tc

    if roll == "success":
        found = tc.success_table()
    else:
        found = tc.injury_table(at_least=at_least, bloodbath=roll == "bloodbath")
    page = Page()
    page.line(str(found))
    page.print()


@command.command(
    "attack",
    epilog="""\b
Examples:
  mathhammer tc attack Shotgun --armour standard --shield --blood 2 --cover --spend best --explain
  mathhammer tc attack "Machine Gun" --blood 3 --blessing 2 --spend best --reply best --initiative attacker
  mathhammer tc attack "Halberd (melee): +1 INJURY DICE, CRITICAL" --target-keywords TOUGH --exact
""",
)
@click.argument("weapons", nargs=-1, required=True, metavar="WEAPON...")
@click.option("--armour", type=click.Choice(["none", "standard", "reinforced", "machine"]), default="none")
@click.option("--shield", is_flag=True, help="The target has a Trench Shield.")
@click.option("--blood", help="Blood Markers of the target.", **_markers)
@click.option("--infection", help="Infection Markers of the target.", **_markers)
@click.option("--blessing", help="Blessing Markers of the target.", **_markers)
@click.option("--down", is_flag=True, help="The target is Down.")
@click.option("--target-keywords", default="", metavar="LIST", help='Such as "TOUGH, FEAR".')
@click.option("--ranged", type=int, default=0, metavar="N", help="Ranged Characteristic of the attacker.")
@click.option("--melee", type=int, default=0, metavar="N", help="Melee Characteristic of the attacker.")
@click.option("--own-blood", help="Blood Markers of the attacker.", **_markers)
@click.option("--own-blessing", help="Blessing Markers of the attacker.", **_markers)
@click.option(
    "--spend", type=click.Choice(["nothing", "best"]), default="nothing", help="The attacking player."
)
@click.option(
    "--reply", type=click.Choice(["nothing", "best"]), default="nothing", help="The defending player."
)
@click.option("--objective", type=click.Choice(["out of action", "down or worse"]), default="out of action")
@click.option("--spends-first", type=click.Choice(["attacker", "defender"]), help="On each roll.")
@click.option(
    "--initiative", type=click.Choice(["attacker", "defender"]), help="Who chooses who spends first."
)
@options(*field_options(TRENCH_CRUSADE))
@_edition
@rulings_option
@prints("tc attack")
def attack(weapons: tuple[str, ...], **given: Any) -> Shown:
    """Print what weapons do to one model, one after another in one Activation.

    A WEAPON is the name of a common one or its line, "Halberd (melee): +1 INJURY DICE, CRITICAL".
    """
    from mathhammer.systems import trench_crusade as tc
    from mathhammer.systems.trench_crusade.presets import as_weapon

    situation: dict[str, Any] = {each.name: True for each in TRENCH_CRUSADE if given.pop(each.name)}
    target = tc.Target(
        blessing=given.pop("blessing") or None,
        keywords=given.pop("target_keywords"),
        **{name: given.pop(name) for name in ("armour", "shield", "blood", "infection", "down")},
    )
    attacker = tc.Attacker(
        ranged=given.pop("ranged"),
        melee=given.pop("melee"),
        blood=given.pop("own_blood"),
        blessing=given.pop("own_blessing"),
    )
    attacks = [tc.Attack(weapon=as_weapon(text), **situation) for text in weapons]
    result: AttackResult[Any] = tc.attack(attacks, target, attacker=attacker, **given)

    def write(page: Page) -> None:
        for each in attacks:
            page.heading(str(each.weapon))
        page.line()
        _write_attack(page, result)

    return Shown(result, lambda: _data(result), write)


def _shown_roll(title: str, roll: Roll[P]) -> Shown:
    def data() -> dict[str, object]:
        found = {"net_dice": roll.net, "modifier": roll.modifier, "outcomes": _outcomes(roll.outcome)}
        return {**found, "total": distribution_fields(roll.total)}

    def write(page: Page) -> None:
        modifier = f", {roll.modifier:+d} INJURY MODIFIER" if roll.modifiers else ""
        page.heading(f"{title}, net {roll.net:+d} dice{modifier}")
        _write_distribution(page, roll.outcome)

    return Shown(roll, data, write)


def _write_distribution(page: Page, distribution: CategoricalDistribution[str, P]) -> None:
    for name in distribution:
        page.line(f"{name:<18}{probability_text(distribution.pmf(name), exact=distribution.exact)}")


def _write_attack(page: Page, result: AttackResult[P]) -> None:
    _write_distribution(page, result.outcome)
    page.line()
    for name in ("out of action", "down or worse"):
        chance = getattr(result, f"probability_{name.replace(' ', '_')}")
        page.line(f"{f'P({name})':<18}{probability_text(chance, exact=result.exact)}")
    if len(result.plan):
        page.line()
        page.heading(f"Best plan for {result.plan.objective}")
        for line in str(result.plan).split("\n"):
            own = " " * (len(line) - len(line.lstrip()))
            page.paragraph(line.strip(), indent=own, hanging=f"{own}  ")


def _outcomes(distribution: CategoricalDistribution[str, P]) -> list[dict[str, object]]:
    found = (((name,), distribution.pmf(name)) for name in distribution)
    return outcomes(("outcome",), found, exact=distribution.exact)


def _data(result: AttackResult[P]) -> dict[str, object]:
    names = ("probability_out_of_action", "probability_down_or_worse")
    return {
        **probabilities({name: getattr(result, name) for name in names}, exact=result.exact),
        "outcomes": _outcomes(result.outcome),
        "plan": [str(decision) for decision in result.plan],
        "state": outcomes(result.state.axes, result.state.items(), exact=result.exact),
    }
