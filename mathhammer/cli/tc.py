"""``mathhammer tc success``, ``injury``, ``attack``, ``exchange``, ``table``: Trench Crusade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.page import Page
from mathhammer.cli.questions import Part, asks, asks_each

if TYPE_CHECKING:
    Said = dict[str, Any]

_WEAPON = 'A weapon is the name of a common one or its line, "Halberd (melee): +1 INJURY DICE, CRITICAL".'


@click.group("tc", short_help="Success Rolls, Injury Rolls and attacks of Trench Crusade.")
def command() -> None:
    """Compute rolls and attacks of Trench Crusade."""


asks_each(
    command,
    """
trench_crusade:success_roll | success -d "+2 elevated" -d "-1 cover" --exact | Print the distribution of a Success Roll.
""",
)


@click.option("--deadly", is_flag=True, help="The weapon has DEADLY.")
def _injury(*, call: Said, deadly: bool) -> object:
    """Print the distribution of an Injury Roll or of a Bloodbath Roll."""
    from mathhammer.systems import trench_crusade as tc

    return tc.injury_roll(**call, keywords="DEADLY" if deadly else "")


asks(
    command,
    "injury",
    '  mathhammer tc injury -d "+2 Blood" -m "-1 Standard Armour" --explain',
    _injury,
    call=Part("trench_crusade:injury_roll", leave=("keywords",)),
)


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

    page = Page()
    bloodbath = roll == "bloodbath"
    page.line(
        str(
            tc.success_table()
            if roll == "success"
            else tc.injury_table(at_least=at_least, bloodbath=bloodbath)
        )
    )
    page.print()


@click.argument("weapons", nargs=-1, required=True, metavar="WEAPON...")
def _attack(
    weapons: tuple[str, ...], call: Said, target: Said, attacker: Said, own: Said, situation: Said
) -> object:
    from mathhammer.systems import trench_crusade as tc
    from mathhammer.systems.trench_crusade.profiles import as_weapon

    attacks = [tc.Attack(weapon=as_weapon(text), **situation) for text in weapons]
    return tc.attack(attacks, tc.Target(**target), attacker=tc.Attacker(**attacker, **own), **call)


_attack.__doc__ = f"Print what weapons do to one model in one Activation.\n\n{_WEAPON}"
_CHARACTERISTICS = ("ranged", "melee")
_TARGET = ("blood", "blessing", "infection", "down", "keywords")
asks(
    command,
    "attack",
    """
  mathhammer tc attack Shotgun --armour standard --shield --blood 2 --cover --spend best --explain
  mathhammer tc attack "Machine Gun" --blood 3 --blessing 2 --spend best --reply best --initiative attacker
  mathhammer tc attack "Halberd (melee): +1 INJURY DICE, CRITICAL" --target-keywords TOUGH --exact
""",
    _attack,
    call=Part("trench_crusade:attack", leave=("attacks", "target", "attacker")),
    target=Part("trench_crusade:Target", names={"keywords": "target-keywords"}, leave=("name",)),
    attacker=Part("trench_crusade:Attacker", leave=("name", *_TARGET)),
    own=Part("trench_crusade:Attacker", "own", leave=("name", *_CHARACTERISTICS)),
    situation=Part(
        "trench_crusade:Attack", leave=("weapon", "ammunition", "dice", "injury_dice", "injury_modifier")
    ),
)


def _exchange(call: Said, **said: Said) -> object:
    from mathhammer.systems import trench_crusade as tc

    sides = [tc.Fighter(tc.Target(**said[f"{side}_target"]), **said[side]) for side in _SIDES]
    call |= {name: tc.Spend(**said[name]) for name in said if name.endswith("spend")}
    call |= {name: tc.Reply(**said[name]) for name in said if name.endswith("reply")}
    return tc.exchange(*sides, **call)


_exchange.__doc__ = f"Let two models attack each other in turn, the first one first.\n\n{_WEAPON}"

_WEAPONS = {"attacks": "weapon", "opening": "opening"}
_MARKERS = ("success", "blood", "infection", "blessing")


def _side(side: str) -> dict[str, Part]:
    spend, reply = ({name: f"{what}-{name}" for name in _MARKERS} for what in ("spend", "reply"))
    return {
        f"{side}_target": Part("trench_crusade:Target", side, {"name": ""}),
        side: Part("trench_crusade:Fighter", side, _WEAPONS, leave=("target",), many=tuple(_WEAPONS)),
        f"{side}_spend": Part("trench_crusade:Spend", side, spend),
        f"{side}_reply": Part("trench_crusade:Reply", side, reply),
    }


_SIDES = ("first", "second")
asks(
    command,
    "exchange",
    """
  mathhammer tc exchange --first Lieutenant --first-weapon Sword --first-weapon Axe --first-melee 2 \\
      --second Yeoman --second-weapon Bayonet --second-armour standard --activations 6
""",
    _exchange,
    call=Part(
        "trench_crusade:exchange",
        leave=(*_SIDES, "first_spend", "second_spend", "first_reply", "second_reply"),
    ),
    **_side("first"),
    **_side("second"),
)
