"""Commands of The 9th Age and of Trench Crusade: attacks, rolls, fights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.page import Page
from mathhammer.cli.questions import Part, asks, asks_each

if TYPE_CHECKING:
    Said = dict[str, Any]


@click.group("t9a", short_help="The 9th Age: attacks, charges, tests, rounds of combat.")
def t9a_command() -> None:
    """Compute attacks, charges and tests of The 9th Age: Fantasy Battles."""


asks(
    t9a_command,
    "attack",
    """
  mathhammer t9a attack "Spearmen: 15 attacks, Off 3, Str 3, AP 1 [Lightning Reflexes]" \\
      --target "Orcs: 20 models, Def 3, Res 4, Arm 3, Aegis 5+"
  mathhammer t9a attack "15 shots, Aim 4+, Str 3" -t "20 models, Res 3, Arm 1" --long-range --exact
""",
    """Print what simultaneous attacks do to a unit.

    PARTS are stat lines, "Spearmen: 15 attacks, Off 3, Str 3, AP 1 [Spear]", with shots and Aim instead for
    shooting, or "2D6 hits" for automatic hits; a target is "Orcs: 20 models, HP 1, Def 3, Res 4, Arm 3, Aegis 5+".
    """,
    call=Part("t9a:attack", many=("parts",)),
    situation=Part("t9a.situation:Situation"),
)
asks_each(
    t9a_command,
    """
t9a:charge | charge --advance 5 --distance 12 --swiftstride | Print the chance that a charge reaches its target.
t9a:break_test | break 8 --lost-by 3 --reroll | Print the chance to hold after losing a round of combat.
t9a:discipline_test | discipline 8 --minimised 1 --reroll | Print the chance to pass a Discipline Test, such as Panic.
""",
)


@click.option("--rounds", type=click.IntRange(1, 12), metavar="N", help="Fight on for N rounds at most.")
@click.option("--pursue", is_flag=True, help="With --rounds: who breaks is pursued.")
def _fight(
    *, call: dict[str, Any], first: dict[str, Any], second: dict[str, Any], rounds: int | None, pursue: bool
) -> object:
    """Play the first Round of Combat of two units, or several."""
    from mathhammer.systems import t9a

    sides = t9a.Unit(**first), t9a.Unit(**second)
    if call.get("best") is None and call.get("objective", "break") != "break":
        raise click.UsageError("--objective says what choices are for; give --best first, second or both too")
    if rounds is not None:
        return t9a.rounds_of_combat(*sides, rounds=rounds, pursue=pursue, **call)
    if pursue:
        raise click.UsageError("--pursue is about several rounds; give --rounds N too")
    return t9a.fight(*sides, **call)


_UNIT = {"target": "", "parts": "part", "alternatives": "alternative"}
asks(
    t9a_command,
    "fight",
    """
  mathhammer t9a fight --first "Knights: 5 models, Def 4, Res 3, Arm 5" \\
      --first-part "Knights: 5 x 1 attacks, Off 4, Str 4, AP 1, Agi 4 [Lance]" --first-charging \\
      --second "Orcs: 20 models, Def 3, Res 4, Arm 2" \\
      --second-part "Orcs: 10 x 1 attacks, Off 3, Str 4, Agi 2" --second-rank-width 5 --rounds 5
""",
    _fight,
    call=Part("t9a:fight", leave=("first", "second", "duel")),
    **{side: Part("t9a:Unit", side, _UNIT, many=("parts", "alternatives")) for side in ("first", "second")},
)


_WEAPON = 'A weapon is the name of a common one or its line, "Halberd (melee): +1 INJURY DICE, CRITICAL".'


@click.group("tc", short_help="Success Rolls, Injury Rolls and attacks of Trench Crusade.")
def tc_command() -> None:
    """Compute rolls and attacks of Trench Crusade."""


asks_each(
    tc_command,
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
    tc_command,
    "injury",
    '  mathhammer tc injury -d "+2 Blood" -m "-1 Standard Armour" --explain',
    _injury,
    call=Part("trench_crusade:injury_roll", leave=("keywords",)),
)


@tc_command.command("table", epilog="Example: mathhammer tc table injury --at-least down")
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
    tc_command,
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
    tc_command,
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
