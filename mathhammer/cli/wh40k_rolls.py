"""``mathhammer 40k charge`` and ``mathhammer 40k battleshock``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from mathhammer.cli.rolls import print_charge, print_test
from mathhammer.cli.show import as_text_option
from mathhammer.cli.situation import edition_option

if TYPE_CHECKING:
    from collections.abc import Callable

_F = TypeVar("_F", bound="Callable[..., Any]")


def _common(function: _F) -> _F:
    for option in (
        as_text_option,
        click.option("--json", "as_json", is_flag=True, help="Print data instead of tables."),
        edition_option,
        click.option("--explain", is_flag=True, help="Print each step and its probabilities."),
        click.option("--exact", is_flag=True, help="Fractions instead of floating point."),
        click.option("--reroll", is_flag=True, help="A roll that fails is re-rolled."),
        click.option("--modifier", type=int, default=0, metavar="N", help="Added to the roll."),
    ):
        function = option(function)
    return function


@click.command(
    "charge",
    epilog="\b\nExamples:\n  mathhammer 40k charge 9 --reroll\n  mathhammer 40k charge 8 --more-than",
)
@click.argument("distance", type=click.IntRange(0))
@click.option("--more-than", is_flag=True, help="The target is farther away, by less than an inch.")
@click.option("--skies", is_flag=True, help="The unit takes to the skies (11th edition).")
@click.option(
    "--into-the-fray", is_flag=True, help="It is a Heroic Intervention of that sort (11th edition)."
)
@_common
def charge(distance: int, explain: bool, as_json: bool, as_text: bool, **options: Any) -> None:  # noqa: FBT001
    """Print the chance to charge a unit some DISTANCE away in inches, and the chances over all distances."""
    from mathhammer.systems import wh40k

    result: wh40k.ChargeResult[Any] = wh40k.charge(distance, **options)
    title = f"{wh40k.EDITIONS[result.edition].title}."
    print_charge("40k charge", result, title, explain=explain, as_json=as_json, as_text=as_text)


@click.command("battleshock", epilog="\b\nExample:\n  mathhammer 40k battleshock 7+ --worsen 1 --edition 10e")
@click.argument("leadership", nargs=-1, required=True)
@click.option("--worsen", type=int, default=0, metavar="N", help="By how much the Leadership is worse.")
@_common
def battleshock(
    leadership: tuple[str, ...],
    explain: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    as_text: bool,  # noqa: FBT001
    **options: Any,
) -> None:
    """Print the chance that a unit of some LEADERSHIP passes a battle-shock roll; of several the best is used."""
    from mathhammer.systems import wh40k

    result: wh40k.RollResult[Any] = wh40k.battle_shock(leadership, **options)
    title = f"{wh40k.EDITIONS[result.edition].title}."
    print_test("40k battleshock", result, title, explain=explain, as_json=as_json, as_text=as_text)
