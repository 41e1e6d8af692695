"""``mathhammer 40k``: weapons against one target, a turn, charges and tests, and what the editions decide."""

from __future__ import annotations

from typing import Any

import click

from mathhammer.cli.page import json_option
from mathhammer.cli.questions import (
    Part,
    SituationOptions,
    asks,
    asks_each,
    edition_option,
    lists_rulings,
    say_records,
)


@click.group("40k", short_help="Single attacks, charges, tests and turns of Warhammer 40,000.")
def command() -> None:
    """Compute single attacks, charges, tests and turns of Warhammer 40,000."""


asks_each(
    command,
    """
wh40k:charge | charge 9 --reroll; charge 8 --more-than | Print the chance that a charge reaches DISTANCE inches.
wh40k:battle_shock | battleshock 7+ --worsen 1 --edition 10e | Print the chance to pass a battle-shock roll. Of \
several values of LEADERSHIP the best is used.
""",
)

_SIDES = ("attacker", "defender")
_CARRIED = {name: name.replace("_", "-") for name in ("leadership", "fights_on_death")} | {
    "shooting": "weapon"
}
#: What is attacked, how its fields are called, and those that are said of all or not at all.
_UNIT, _KINDS = "wh40k.profiles.targets:unit_of", {"models": "target", "leaders": "leader"}
_LEFT = ("objective", "edition", "allocation")
#: What attacks what, as each of these commands is told.
_ATTACK: dict[str, Any] = {
    "target": Part(_UNIT, names=_KINDS, leave=_LEFT[:2], many=[*_KINDS]),
    "situation": SituationOptions(),
}
_WEAPONS = """

A WEAPON is a stat line, "Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]" (BS ranged, WS melee), with the number of
copies before it if there are several: "9x Bolt rifle: ...", or mortal wounds: "D3 mortal wounds (Grenade)". D3 is
Damage 3, and DD3 and DD6 are dice. A target is a label of 'mathhammer targets' or a stat line, "10x T4 Sv3+ InSv5+ W2
FNP6+ [INFANTRY]"; with a name before it, "Marines: 9x T4 ...", where there are several.
"""

asks(
    command,
    "attack",
    """
  mathhammer 40k attack "Lascannon: A1 BS3+ S12 AP-3 DD6+1 [HEAVY]" --count 2 --target VEQ --exact
  mathhammer 40k attack "9x Bolt rifle: A2 BS3+ S4 AP-1 D1" "Melta rifle: A1 BS3+ S9 AP-4 DD6 [MELTA 2]" \\
      "D3 mortal wounds (Grenade)" --target "5x T5 Sv2+ InSv4+ W3" --half-range --explain
  mathhammer 40k attack "10x Sniper: A1 BS3+ S5 AP-1 D2 [PRECISION]" --leader "Captain: T4 Sv3+ InSv4+ W5" \\
      --target "Sergeant: 1x T4 Sv3+ W2" --target "Marines: 9x T4 Sv3+ W2" --allocation best
""",
    f"Print what weapons do to a target, one weapon after another.{_WEAPONS}",
    call=Part("wh40k:attack", many=("weapons",)),
    **_ATTACK,
)
asks(
    command,
    "turn",
    """
  mathhammer 40k turn --attacker "Boys: 10x T5 Sv5+ W1" --attacker-weapon "9x Choppa: A3 WS3+ S4 AP-1 D1" \\
      --attacker-weapon "Klaw: A3 WS4+ S9 AP-2 D2" --attacker-weapon "10x Slugga: A1 BS5+ S4 AP0 D1" \\
      --defender "Guards: 10x T3 Sv5+ W1" --defender-weapon "10x Lasgun: A1 BS4+ S3 AP0 D1" \\
      --defender-weapon "10x Bayonet: A1 WS4+ S3 AP0 D1" --stage shoot --stage overwatch --stage charge \\
      --stage fight --distance 8 --best overwatch --best "charge re-roll"
""",
    """Play a turn of two units: shooting, charge and fight.

    Weapons are carried in the order in which they and the models are listed, one for each model: nine choppas and a
    klaw are ten models, and ten sluggas after them are their second weapons. Models whose weapons are listed first
    are removed first.
    """,
    call=Part("wh40k:turn", names={"stages": "stage"}, many=("best",)),
    **{f"{side}_unit": Part(_UNIT, side, _KINDS | {"models": ""}, _LEFT, [*_KINDS]) for side in _SIDES},
    **{
        side: Part("wh40k:Combatant", side, _CARRIED, leave=("unit", "melee"), many=("shooting",))
        for side in _SIDES
    },
)
asks(
    command,
    "editions",
    """
  mathhammer 40k editions "5x Bolt rifle: A2 BS3+ S4 AP-1 D1 [HEAVY]" --target MEQ --cover --stationary
""",
    """Compare one attack under several editions, and their rules.

    It is given as for '40k attack'; a label is the standard target of the default edition in all of them.
    """,
    call=Part("wh40k:compare_editions", many=("weapons",), several=True),
    **_ATTACK,
)
asks(
    command,
    "what-if",
    '  mathhammer 40k what-if "10x Rifle: A2 BS3+ S4 AP-1 D1" --target MEQ --cover',
    """Rank changes to an attack by what each adds: a re-roll, +1 to wound, a weapon ability, a stratagem.

    It is given as for '40k attack'.
    """,
    call=Part(
        ".analysis:what_if", names={"attacks": "WEAPONS"}, leave=("changes",), many=("attacks",), several=True
    ),
    **_ATTACK,
)


@command.command("abilities", epilog="Example: mathhammer 40k abilities --edition 9e")
@edition_option
@json_option
def abilities(*, edition: str, as_json: bool) -> None:
    """List the weapon abilities, with what they need and sources."""
    from mathhammer.systems.wh40k.editions import find_edition

    rules = find_edition(edition)
    records = [_ability(rule) for rule in rules.abilities.values()]
    say_records("abilities", f"{rules.title}: weapon abilities", records, rules.name, as_json=as_json)


def _ability(rule: Any) -> dict[str, Any]:
    name = rule.name + {"roll": "-X Y+", "": ""}.get(rule.value, " X")
    needs = ", ".join(f"--{need.name.replace('_', '-')}" for need in rule.needs)
    return {"name": name, "needs": needs, "help": rule.help, "source": rule.source}


lists_rulings(
    command,
    """  mathhammer 40k rulings
  mathhammer 40k attack "Gun: A9 BS3+ S4 AP-1 D1" --target MEQ --cover --edition 10e --ruling save_cap=gross""",
)
