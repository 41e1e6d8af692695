"""``mathhammer t9a attack``, ``charge``, ``break``, ``discipline``, ``fight``: The 9th Age: Fantasy Battles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.grouping import GroupedCommand
from mathhammer.cli.results import asks, field_options, options, prints, rulings_option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mathhammer.cli.results import F
    from mathhammer.systems.t9a import (
        Unit,
    )
    from mathhammer.systems.t9a.choices import Objective, Players

_SIDES = ("first", "second")
#: What is said of a unit beside its lines.
_UNIT = (
    *("charging", "battle_standard", "reroll", "stubborn", "unbreakable", "unstable", "undead", "supernal"),
    *("fear", "fearless", "flanks", "rear", "discipline", "rank_width", "standards"),
)


_common = options(
    click.option(
        "--edition",
        type=click.Choice(["2e", "3e"]),
        default="2e",
        show_default=True,
        help="Edition of the rules.",
    ),
    rulings_option,
)


def _situation() -> list[click.Parameter]:
    from mathhammer.systems.t9a.situation import Situation

    return field_options(Situation.fields)


def _sides() -> list[click.Parameter]:
    from mathhammer.systems.t9a import Unit

    said = {name: Unit.fields[name] for name in _UNIT}
    return [option for side in _SIDES for option in field_options(said, f"{side}-")]


@click.group("t9a", short_help="The 9th Age: attacks, charges, tests, rounds of combat.")
def command() -> None:
    """Compute attacks, charges and tests of The 9th Age: Fantasy Battles."""


command.command_class = GroupedCommand


@command.command(
    "attack",
    more=_situation,
    epilog="""\b
Examples:
  mathhammer t9a attack "Spearmen: 15 attacks, Off 3, Str 3, AP 1 [Lightning Reflexes]" \\
      --target "Orcs: 20 models, Def 3, Res 4, Arm 3, Aegis 5+"
  mathhammer t9a attack "15 shots, Aim 4+, Str 3" -t "20 models, Res 3, Arm 1" --long-range --exact
""",
)
@click.argument("parts", nargs=-1, required=True, metavar="MODEL_PART...")
@click.option("--target", "-t", required=True, metavar="TARGET", help="A stat line.")
@_common
@prints("t9a attack")
def attack(
    *,
    parts: tuple[str, ...],
    target: str,
    exact: bool,
    edition: str,
    rulings: dict[str, str] | None,
    **given: Any,
) -> object:
    """Print what simultaneous attacks do to a unit.

    A MODEL_PART is a stat line, "Spearmen: 15 attacks, Off 3, Str 3, AP 1 [Spear]", with shots and Aim instead for
    shooting, or "2D6 hits" for automatic hits; a TARGET is "Orcs: 20 models, HP 1, Def 3, Res 4, Arm 3, Aegis 5+".
    """
    from mathhammer.systems import t9a

    situation = {key: value for key, value in given.items() if value not in {None, False}}
    return t9a.attack(parts, target, edition=edition, rulings=rulings, exact=exact, **situation)


asks(
    command,
    "charge",
    "mathhammer.systems.t9a:charge",
    "\b\nExample:\n  mathhammer t9a charge --advance 5 --distance 12 --swiftstride",
    "Print the chance of a charge, and the chances over all distances.",
)
asks(
    command,
    "break",
    "mathhammer.systems.t9a:break_test",
    "\b\nExample:\n  mathhammer t9a break 8 --lost-by 3 --reroll",
    "Print the chance that a unit of some DISCIPLINE holds after losing a round of combat.",
)
asks(
    command,
    "discipline",
    "mathhammer.systems.t9a:discipline_test",
    "\b\nExample:\n  mathhammer t9a discipline 8 --minimised 1 --reroll",
    "Print the chance of a Discipline Test (Panic, rally and the like).",
)


def _side(side: str) -> Iterator[Callable[[F], F]]:
    """Yield the options of the lines of a side."""
    yield click.option(f"--{side}", required=True, metavar="TARGET", help=f"The {side} unit, a stat line.")
    parts = f"{side}_parts"
    yield click.option(f"--{side}-part", parts, multiple=True, metavar="MODEL_PART", help="It strikes so.")
    others = f"{side}_alternatives"
    words = "One of two or more ways to strike, chosen at the start of each round (Weapon Master)."
    yield click.option(f"--{side}-alternative", others, multiple=True, metavar="MODEL_PART", help=words)


@command.command(
    "fight",
    more=_sides,
    epilog="""\b
Example:
  mathhammer t9a fight --first "Knights: 5 models, Def 4, Res 3, Arm 5" \\
      --first-part "Knights: 5 x 1 attacks, Off 4, Str 4, AP 1, Agi 4 [Lance]" --first-charging \\
      --second "Orcs: 20 models, Def 3, Res 4, Arm 2" \\
      --second-part "Orcs: 10 x 1 attacks, Off 3, Str 4, Agi 2" --second-rank-width 5 --rounds 5
""",
)
@click.option("--rounds", type=click.IntRange(1, 12), metavar="N", help="Fight on for N rounds at most.")
@click.option("--pursue", is_flag=True, help="With --rounds: who breaks is pursued.")
@click.option(
    "--best", type=click.Choice(["first", "second", "both"]), help="Whose choices are the best ones."
)
@click.option(
    "--objective",
    type=click.Choice(["break", "hold", "health points"]),
    help="With --best: what the choices are for: that the enemy breaks, that the own unit holds, or Health Points.  "
    "[default: break]",
)
@options(*(option for side in _SIDES for option in _side(side)))
@_common
@prints("t9a fight")
def fight(
    *,
    exact: bool,
    edition: str,
    rulings: dict[str, str] | None,
    rounds: int | None,
    pursue: bool,
    best: Players,
    objective: Objective | None,
    **given: Any,
) -> object:
    """Print what a first Round of Combat of two units comes to, or several rounds."""
    from mathhammer.systems import t9a

    sides = [_unit(side, given) for side in _SIDES]
    call: dict[str, Any] = {"edition": edition, "rulings": rulings, "exact": exact, "best": best}
    if objective is not None:
        if best is None:
            raise click.UsageError(
                "--objective says what choices are for; give --best first, second or both too"
            )
        call["objective"] = objective
    if rounds is not None:
        return t9a.rounds_of_combat(*sides, rounds=rounds, pursue=pursue, **call)
    if pursue:
        raise click.UsageError("--pursue is about several rounds; give --rounds N too")
    return t9a.fight(*sides, **call)


def _unit(side: str, given: Mapping[str, Any]) -> Unit:
    from mathhammer.systems import t9a

    said = {key: given[f"{side}_{key}"] for key in _UNIT}
    return t9a.Unit(
        given[side],
        given[f"{side}_parts"],
        alternatives=given[f"{side}_alternatives"],
        **{key: value for key, value in said.items() if value is not None},
    )
