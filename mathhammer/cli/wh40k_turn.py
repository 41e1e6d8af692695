"""``mathhammer 40k turn``: two units against each other, stage by stage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.grouping import GroupedCommand, GroupedOption
from mathhammer.cli.lists import read_unit, read_weapons
from mathhammer.cli.results import options, prints
from mathhammer.cli.situation import edition_option, objective_option, rulings_option
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mathhammer.cli.results import F
    from mathhammer.systems.wh40k import Combatant

_SIDES = ("attacker", "defender")


def _roll(_ctx: click.Context, _parameter: click.Parameter, text: str | None) -> str | None:
    """Return a roll that is enough."""
    if text is not None and re.fullmatch(r"[2-6]\+", text.strip()) is None:
        raise click.BadParameter(f"expected a roll from 2+ to 6+, got {shown(text)}")
    return text


def _side(side: str) -> Iterator[Callable[[F], F]]:
    """Yield the options of a side."""
    several: dict[str, Any] = {"multiple": True, "metavar": "TEXT"}
    for name, text, more in (
        (
            "",
            "A label such as MEQ, or a stat line; several are kinds of models.",
            {**several, "required": True},
        ),
        ("-leader", "A leader attached to it. Repeatable.", several),
        ("-weapon", "What its models carry, stat lines in their order. Repeatable.", several),
        ("-leadership", "As '7+': it takes battle-shock rolls.", {"metavar": "TEXT"}),
        ("-fights-first", "It has Fights First.", {"is_flag": True}),
        (
            "-fights-on-death",
            "As '4+': a model destroyed before it fought still fights on that.",
            {"metavar": "TEXT", "callback": _roll},
        ),
    ):
        yield click.option(f"--{side}{name}", cls=GroupedOption, group=side.capitalize(), help=text, **more)


@click.command(
    "turn",
    cls=GroupedCommand,
    short_help="A turn of two units: shooting, the charge, the fight.",
    epilog="""\b
Example:
  mathhammer 40k turn --attacker "Boys: 10x T5 Sv5+ W1" --attacker-weapon "9x Choppa: A3 WS3+ S4 AP-1 D1" \\
      --attacker-weapon "Klaw: A3 WS4+ S9 AP-2 D2" --attacker-weapon "10x Slugga: A1 BS5+ S4 AP0 D1" \\
      --defender "Guards: 10x T3 Sv5+ W1" --defender-weapon "10x Lasgun: A1 BS4+ S3 AP0 D1" \\
      --defender-weapon "10x Bayonet: A1 WS4+ S3 AP0 D1" --stage shoot --stage overwatch --stage charge \\
      --stage fight --distance 8 --best overwatch --best "charge re-roll"
""",
)
@options(*(option for side in _SIDES for option in _side(side)))
@click.option(
    "--stage",
    "stages",
    multiple=True,
    default=("shoot", "charge", "fight"),
    metavar="STAGE",
    help="In their order: shoot, overwatch, charge, fight, attacker fights, defender fights, desperate escape, "
    "battle-shock; without any shoot, charge and fight. Repeatable.",
)
@click.option("--distance", type=int, metavar="N", help="Of the charge, in inches.")
@click.option("--more-than", is_flag=True, help="The target is farther away, by less than an inch.")
@click.option("--charge-modifier", type=int, default=0, metavar="N", help="Added to the charge roll.")
@click.option("--charge-reroll", is_flag=True, help="A charge roll that falls short is re-rolled.")
@click.option("--skies", is_flag=True, help="The charging unit takes to the skies (11th edition).")
@click.option("--engaged", is_flag=True, help="The units are engaged from the start.")
@click.option(
    "--best",
    multiple=True,
    metavar="CHOICE",
    help="A stage that its player may leave out, and does where that is better; or 'charge re-roll'. Repeatable.",
)
@objective_option("What is best: this of the defender less this of the attacker.")
@edition_option
@rulings_option
@prints("40k turn")
def turn(stages: tuple[str, ...], rulings: dict[str, str] | None, **given: Any) -> object:
    """Print what a turn leaves of two units that shoot, charge and fight.

    Weapons are carried in the order in which they and the models are listed, one for each model: nine choppas and a
    klaw are ten models, and ten sluggas after them are their second weapons. Models whose weapons are listed first
    are removed first.
    """
    from mathhammer.systems import wh40k

    attacker, defender = (_combatant(side, given) for side in _SIDES)
    return wh40k.turn(attacker, defender, stages, rulings=rulings, **given)


def _combatant(side: str, given: dict[str, Any]) -> Combatant:
    """Read one side, and take its options away."""
    from mathhammer.systems import wh40k

    prefix = f"{side}_"
    unit = read_unit(given.pop(side), given.pop(f"{prefix}leader"), "given", "kills", given["edition"])
    volleys = read_weapons(given.pop(f"{prefix}weapon"), None)
    return wh40k.Combatant(
        unit,
        shooting=[volley for volley in volleys if not volley.weapon.melee],
        melee=[volley for volley in volleys if volley.weapon.melee],
        **{name: given.pop(prefix + name) for name in ("leadership", "fights_first", "fights_on_death")},
    )
