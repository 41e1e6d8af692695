"""``mathhammer 40k charge`` and ``mathhammer 40k battleshock``."""

from __future__ import annotations

from typing import Any

import click

from mathhammer.cli.grouping import GroupedCommand
from mathhammer.cli.results import options, prints, reroll_option
from mathhammer.cli.situation import edition_option

_common = options(
    click.option("--modifier", type=int, default=0, metavar="N", help="Added to the roll."),
    reroll_option,
    edition_option,
)


@click.command(
    "charge",
    cls=GroupedCommand,
    epilog="\b\nExamples:\n  mathhammer 40k charge 9 --reroll\n  mathhammer 40k charge 8 --more-than",
)
@click.argument("distance", type=int)
@click.option("--more-than", is_flag=True, help="The target is farther away, by less than an inch.")
@click.option("--skies", is_flag=True, help="The unit takes to the skies (11th edition).")
@click.option(
    "--into-the-fray", is_flag=True, help="It is a Heroic Intervention of that sort (11th edition)."
)
@_common
@prints("40k charge")
def charge(distance: int, **given: Any) -> object:
    """Print the chance to charge a unit some DISTANCE away in inches, and the chances over all distances."""
    from mathhammer.systems import wh40k

    return wh40k.charge(distance, **given)


@click.command(
    "battleshock",
    cls=GroupedCommand,
    epilog="\b\nExample:\n  mathhammer 40k battleshock 7+ --worsen 1 --edition 10e",
)
@click.argument("leadership", nargs=-1, required=True)
@click.option("--worsen", type=int, default=0, metavar="N", help="By how much the Leadership is worse.")
@_common
@prints("40k battleshock")
def battleshock(leadership: tuple[str, ...], **given: Any) -> object:
    """Print the chance that a unit of some LEADERSHIP passes a battle-shock roll; of several the best is used."""
    from mathhammer.systems import wh40k

    return wh40k.battle_shock(leadership, **given)
