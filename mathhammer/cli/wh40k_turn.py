"""``mathhammer 40k turn``: two units against each other, stage by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from mathhammer.cli.dice import distribution_fields, probability_text, summary, table
from mathhammer.cli.grouping import GroupedOption
from mathhammer.cli.lists import read_unit, target_line
from mathhammer.cli.page import Page, probability_fields
from mathhammer.cli.rolls import finish, print_data, probabilities
from mathhammer.cli.show import as_text_option, print_text
from mathhammer.cli.situation import RulesCommand, edition_option, read_rulings, rules_in_force

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mathhammer.systems.wh40k import Combatant, TurnResult

_F = TypeVar("_F", bound="Callable[..., Any]")
_SIDES = ("attacker", "defender")


def _sides(function: _F) -> _F:
    """Add the options of both sides."""
    for side in reversed(_SIDES):
        for name, text, more in reversed(
            [
                ("", "A label such as MEQ, or a stat line; several are kinds of models.", {"required": True}),
                ("-leader", "A leader attached to it. Repeatable.", {}),
                ("-weapon", "What its models carry, stat lines in their order. Repeatable.", {}),
                ("-leadership", "As '7+': it takes battle-shock rolls.", {"multiple": False}),
                ("-fights-first", "It has Fights First.", {"is_flag": True, "multiple": False}),
                (
                    "-fights-on-death",
                    "As '4+': a model destroyed before it fought still fights on that.",
                    {"multiple": False},
                ),
            ]
        ):
            option: dict[str, Any] = {
                "multiple": True,
                "metavar": None if "is_flag" in more else "TEXT",
                **more,
            }
            parameter = f"{side}{name}".replace("-", "_")
            function = click.option(
                f"--{side}{name}", parameter, cls=GroupedOption, group=side.capitalize(), help=text, **option
            )(function)
    return function


@click.command(
    "turn",
    cls=RulesCommand,
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
@_sides
@click.option(
    "--stage",
    "stages",
    multiple=True,
    default=("shoot", "charge", "fight"),
    metavar="STAGE",
    help="In their order: shoot, overwatch, charge, fight, attacker fights, defender fights, desperate escape, "
    "battle-shock; without any shoot, charge and fight. Repeatable.",
)
@click.option("--distance", type=click.IntRange(0), metavar="N", help="Of the charge, in inches.")
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
@click.option(
    "--objective",
    type=click.Choice(["kills", "wounds_lost", "points", "probability_destroyed"]),
    default="kills",
    show_default=True,
    help="What is best: this of the defender less this of the attacker.",
)
@click.option("--exact", is_flag=True, help="Fractions instead of floating point.")
@click.option("--explain", is_flag=True, help="Print what is left after each stage.")
@edition_option
@click.option("--json", "as_json", is_flag=True, help="Print data instead of tables.")
@as_text_option
def turn(
    stages: tuple[str, ...],
    rulings: tuple[str, ...],
    explain: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    as_text: bool,  # noqa: FBT001
    **options: Any,
) -> None:
    """Print what a turn leaves of two units that shoot, charge and fight.

    Weapons are carried in the order in which they and the models are listed, one for each model: nine choppas and a
    klaw are ten models, and ten sluggas after them are their second weapons. Models whose weapons are listed first
    are removed first.
    """
    from mathhammer.systems import wh40k

    attacker, defender = (_combatant(side, options) for side in _SIDES)
    chosen = read_rulings(rulings)
    result: TurnResult[Any] = wh40k.turn(attacker, defender, stages, rulings=chosen, **options)
    if as_text:
        print_text(result)
        return
    if as_json:
        print_data("40k turn", result, _data(result), explain=explain)
        return
    page = Page()
    for side, combatant in zip(_SIDES, (attacker, defender), strict=True):
        page.paragraph(f"{side}: {target_line(combatant.unit)}", hanging="  ")
    page.paragraph(rules_in_force(result.edition, {}, chosen))
    page.line()
    for name, chance in _chances(result).items():
        page.line(f"P({name})".ljust(24) + probability_text(chance, exact=result.exact))
    _print_choices(page, result)
    for name, side in zip(result.names, _SIDES, strict=True):
        page.line()
        page.paragraph(f"wounds lost by {name}: {summary(result.wounds_lost.marginal(side))}", hanging="    ")
        page.line(table(result.kills.marginal(side), page, heading=f"models lost by {name}"))
    finish(page, result, explain=explain)


def _combatant(side: str, options: dict[str, Any]) -> Combatant:
    """Read one side, and take its options away."""
    from mathhammer.systems import wh40k
    from mathhammer.systems.wh40k.profiles.volleys import read_volley

    prefix = f"{side}_"
    unit = read_unit(options.pop(side), options.pop(f"{prefix}leader"), "given", "kills", options["edition"])
    volleys = [read_volley(text) for text in options.pop(f"{prefix}weapon")]
    return wh40k.Combatant(
        unit,
        shooting=[volley for volley in volleys if not volley.weapon.melee],
        melee=[volley for volley in volleys if volley.weapon.melee],
        **{name: options.pop(prefix + name) for name in ("leadership", "fights_first", "fights_on_death")},
    )


def _chances(result: TurnResult[Any]) -> Mapping[str, Any]:
    """Return the probabilities that most people ask for."""
    charged = {"charge succeeds": result.probability_charged} if "charge" in result.stages else {}
    shocked = {
        f"{side} battle-shocked": result.probability_shocked(side)
        for side in _SIDES
        if {"battle-shock", "desperate escape"}.intersection(result.stages)
    }
    return {**charged, **dict(result.outcome.items()), **shocked}


def _print_choices(page: Page, result: TurnResult[Any]) -> None:
    if not result.plan:
        return
    page.line()
    page.heading(f"Best choices for {result.objective}: {_worth(result)}")
    for each in result.plan:
        chance = probability_text(each.probability, exact=result.exact)
        page.paragraph(f"{each.name} ({each.player}): done with {chance}", hanging="    ")


def _worth(result: TurnResult[Any]) -> str:
    from mathhammer.display import number

    return f"worth {number(result.value)} to the attacker"


def _data(result: TurnResult[Any]) -> dict[str, Any]:
    found = {
        f"probability_{name.replace(' ', '_').replace('-', '_')}": p for name, p in _chances(result).items()
    }
    losses = [
        {"attacker": lost[0], "defender": lost[1], **probability_fields("probability", p, exact=result.exact)}
        for lost, p in result.kills.items()
    ]
    distributions = {
        f"{what}_{side}": distribution_fields(getattr(result, what).marginal(side))
        for side in _SIDES
        for what in ("kills", "wounds_lost")
    }
    choices = [
        {
            "choice": each.name,
            "player": each.player,
            **probability_fields("probability", each.probability, exact=result.exact),
        }
        for each in result.plan
    ]
    return {
        "stages": list(result.stages),
        **probabilities(found, exact=result.exact),
        **probability_fields("value", result.value, exact=result.exact),
        **distributions,
        "losses": losses,
        "choices": choices,
    }
