"""``mathhammer tc success``, ``injury``, ``attack``, ``exchange``, ``table``: Trench Crusade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.grouping import GroupedCommand
from mathhammer.cli.page import Page
from mathhammer.cli.results import field_options, options, prints, rulings_option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mathhammer.cli.results import F

_SIDES = ("first", "second")

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


#: What is said of a model that is attacked, and of one that attacks and is attacked.
_TARGET = ("armour", "shield", "blood", "infection", "blessing", "down")
_FIGHTER = (*_TARGET, "keywords")


def _attack_options() -> list[click.Parameter]:
    from mathhammer.systems.trench_crusade import Attacker, Target
    from mathhammer.systems.trench_crusade.situation import SITUATION

    own = Attacker.fields
    return [
        *field_options({name: Target.fields[name] for name in _TARGET}),
        *field_options({"keywords": Target.fields["keywords"]}, "target-"),
        *field_options({name: own[name] for name in ("ranged", "melee")}),
        *field_options({name: own[name] for name in ("blood", "blessing")}, "own-"),
        *field_options(SITUATION),
    ]


def _exchange_options() -> list[click.Parameter]:
    from mathhammer.systems.trench_crusade import Attacker, Target

    fields = {name: Target.fields[name] for name in _FIGHTER}
    fields |= {name: Attacker.fields[name] for name in ("ranged", "melee")}
    return [option for side in _SIDES for option in field_options(fields, f"{side}-")]


def _taken(given: dict[str, Any], names: Iterable[str], prefix: str = "") -> dict[str, Any]:
    """Take options away, and return those that say something."""
    own = {name: given.pop(f"{prefix}{name}") for name in names}
    return {name: value for name, value in own.items() if value is not None}


@click.group("tc", short_help="Success Rolls, Injury Rolls and attacks of Trench Crusade.")
def command() -> None:
    """Compute rolls and attacks of Trench Crusade."""


command.command_class = GroupedCommand


@command.command("success", epilog='Example: mathhammer tc success -d "+2 elevated" -d "-1 cover" --exact')
@_dice
@click.option("--reroll", is_flag=True, help="A roll that fails is re-rolled.")
@prints("tc success")
def success(**given: Any) -> object:
    """Print the distribution of a Success Roll."""
    from mathhammer.systems import trench_crusade as tc

    return tc.success_roll(**given)


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
) -> object:
    """Print the distribution of an Injury Roll or of a Bloodbath Roll."""
    from mathhammer.systems import trench_crusade as tc

    make = tc.bloodbath_roll if bloodbath else tc.injury_roll
    return make(dice, modifier, keywords="DEADLY" if deadly else "", **given)


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
    more=_attack_options,
    epilog="""\b
Examples:
  mathhammer tc attack Shotgun --armour standard --shield --blood 2 --cover --spend best --explain
  mathhammer tc attack "Machine Gun" --blood 3 --blessing 2 --spend best --reply best --initiative attacker
  mathhammer tc attack "Halberd (melee): +1 INJURY DICE, CRITICAL" --target-keywords TOUGH --exact
""",
)
@click.argument("weapons", nargs=-1, required=True, metavar="WEAPON...")
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
@_edition
@rulings_option
@prints("tc attack")
def attack(weapons: tuple[str, ...], **given: Any) -> object:
    """Print what weapons do to one model, one after another in one Activation.

    A WEAPON is the name of a common one or its line, "Halberd (melee): +1 INJURY DICE, CRITICAL".
    """
    from mathhammer.systems import trench_crusade as tc
    from mathhammer.systems.trench_crusade.profiles import as_weapon
    from mathhammer.systems.trench_crusade.situation import SITUATION

    situation: dict[str, Any] = {name: True for name, value in _taken(given, SITUATION).items() if value}
    target = tc.Target(**_taken(given, _TARGET), **_taken(given, ["keywords"], "target_"))
    own = _taken(given, ("blood", "blessing"), "own_")
    attacker = tc.Attacker(**_taken(given, ("ranged", "melee")), **own)
    attacks = [tc.Attack(weapon=as_weapon(text), **situation) for text in weapons]
    return tc.attack(attacks, target, attacker=attacker, **given)


def _fighter(side: str) -> Iterator[Callable[[F], F]]:
    """Yield the options of one side of an exchange."""
    whose = f"the {side} model"
    several: dict[str, Any] = {"multiple": True, "metavar": "WEAPON"}
    yield click.option(f"--{side}", required=True, metavar="NAME", help=f"Name of {whose}.")
    words = "What it attacks with in an Activation, in order. Repeatable."
    yield click.option(f"--{side}-weapon", required=True, help=words, **several)
    words = "What it does in its first Activation instead. Repeatable."
    yield click.option(f"--{side}-opening", help=words, **several)
    words = "Blood Markers of the enemy that it spends on each Injury Roll."
    yield click.option(f"--{side}-spend-blood", help=words, **_markers)
    words = "It makes a Bloodbath where the price can be paid."
    yield click.option(f"--{side}-bloodbath", is_flag=True, help=words)
    words = "Blessing Markers of its own that it spends against each Injury Roll on it."
    yield click.option(f"--{side}-reply-blessing", help=words, **_markers)


@command.command(
    "exchange",
    more=_exchange_options,
    short_help="Two models that attack each other in turn.",
    epilog="""\b
Example:
  mathhammer tc exchange --first Lieutenant --first-weapon Sword --first-weapon Axe --first-melee 2 \\
      --second Yeoman --second-weapon Bayonet --second-armour standard --activations 6
""",
)
@options(*(option for side in _SIDES for option in _fighter(side)))
@click.option(
    "--activations",
    type=click.IntRange(1, 20),
    default=4,
    show_default=True,
    metavar="N",
    help="How many at most, both sides counted.",
)
@_edition
@rulings_option
@prints("tc exchange")
def exchange(activations: int, **given: Any) -> object:
    """Print how it ends when two models attack each other in turn, the first one first.

    A WEAPON is the name of a common one or its line, "Halberd (melee): +1 INJURY DICE, CRITICAL".
    """
    from mathhammer.systems import trench_crusade as tc

    fighters: list[tc.Fighter] = []
    for side in _SIDES:
        own = _taken(given, ("opening", "ranged", "melee"), f"{side}_")
        target = tc.Target(given.pop(side), **_taken(given, _FIGHTER, f"{side}_"))
        fighters.append(tc.Fighter(target, given.pop(f"{side}_weapon"), **own))
        given[f"{side}_spend"] = tc.Spend(
            blood=given.pop(f"{side}_spend_blood"), bloodbath=given.pop(f"{side}_bloodbath")
        )
        given[f"{side}_reply"] = tc.Reply(blessing=given.pop(f"{side}_reply_blessing"))
    return tc.exchange(*fighters, activations=activations, **given)
