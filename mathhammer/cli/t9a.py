"""``mathhammer t9a attack``, ``charge``, ``break``, ``discipline``, ``fight``: The 9th Age: Fantasy Battles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.grouping import GroupedCommand
from mathhammer.cli.results import field_options, options, prints, reroll_option, rulings_option
from mathhammer.page.situations import T9A

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mathhammer.cli.results import F
    from mathhammer.systems.t9a import (
        Unit,
    )
    from mathhammer.systems.t9a.choices import Objective, Players

_SIDES = ("first", "second")
_UNIT = {
    "charging": "It charged.",
    "battle_standard": "It receives Rally Around the Flag.",
    "reroll": "A failed Break Test is rerolled.",
    "stubborn": "It is Stubborn.",
    "unbreakable": "It is Unbreakable.",
    "unstable": "It is Unstable.",
    "undead": "It is Undead.",
    "supernal": "It is Supernal.",
    "fear": "Its models have Fear.",
    "fearless": "Its models are Fearless.",
}


def _name(key: str) -> str:
    return f"--{key.replace('_', '-')}"


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
_rolls = options(
    click.option("--maximised", type=click.IntRange(0, 20), default=0, metavar="N", help="Maximised Roll."),
    click.option("--minimised", type=click.IntRange(0, 20), default=0, metavar="N", help="Minimised Roll."),
    reroll_option,
)
_situation = options(
    *field_options(T9A),
    *(
        click.option(f"--{key}", type=click.IntRange(1), metavar="N", help=f"{text} of an Area Attack.")
        for key, text in (("width", "Models in a rank"), ("depth", "Ranks"))
    ),
)


@click.group("t9a", short_help="The 9th Age: attacks, charges, tests, rounds of combat.")
def command() -> None:
    """Compute attacks, charges and tests of The 9th Age: Fantasy Battles."""


command.command_class = GroupedCommand


@command.command(
    "attack",
    epilog="""\b
Examples:
  mathhammer t9a attack "Spearmen: 15 attacks, Off 3, Str 3, AP 1 [Lightning Reflexes]" \\
      --target "Orcs: 20 models, Def 3, Res 4, Arm 3, Aegis 5+"
  mathhammer t9a attack "15 shots, Aim 4+, Str 3" -t "20 models, Res 3, Arm 1" --long-range --exact
""",
)
@click.argument("parts", nargs=-1, required=True, metavar="MODEL_PART...")
@click.option("--target", "-t", required=True, metavar="TARGET", help="A stat line.")
@_situation
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
    strikers, defender = [t9a.ModelPart.parse(text) for text in parts], t9a.Target.parse(target)
    return t9a.attack(strikers, defender, edition=edition, rulings=rulings, exact=exact, **situation)


@command.command(
    "charge", epilog="\b\nExample:\n  mathhammer t9a charge --advance 5 --distance 12 --swiftstride"
)
@click.option(
    "--distance", type=click.IntRange(0, 100), required=True, metavar="INCHES", help="To the target."
)
@click.option("--advance", type=click.IntRange(0, 100), metavar="INCHES", help="The lowest Advance Rate.")
@click.option("--random-movement", metavar="DICE", help="The unit's own dice, instead of an Advance Rate.")
@click.option("--swiftstride", is_flag=True, help="The whole unit has Swiftstride.")
@click.option("--champion", is_flag=True, help="A Champion orders the charge.")
@_rolls
@_common
@prints("t9a charge")
def charge(rulings: dict[str, str] | None, **given: Any) -> object:
    """Print the chance of a charge, and the chances over all distances."""
    from mathhammer.systems import t9a

    return t9a.charge(rulings=rulings, **given)


@command.command("break", epilog="\b\nExample:\n  mathhammer t9a break 8 --lost-by 3 --reroll")
@click.argument("discipline", type=click.IntRange(0, 20))
@click.option(
    "--lost-by", type=click.IntRange(0, 100), required=True, metavar="N", help="Difference of the scores."
)
@click.option("--steadfast", is_flag=True, help="More Full Ranks than the enemy.")
@click.option("--stubborn", is_flag=True, help="The unit is Stubborn.")
@click.option("--steady", is_flag=True, help="The unit is Steady (3e).")
@click.option("--solid", is_flag=True, help="The unit is Solid (3e).")
@click.option("--unbreakable", is_flag=True, help="The unit is Unbreakable.")
@click.option("--modifier", type=int, default=0, metavar="N", help="Added to the Discipline.")
@_rolls
@_common
@prints("t9a break")
def break_(rulings: dict[str, str] | None, **given: Any) -> object:
    """Print the chance that a unit of some DISCIPLINE holds after losing a round of combat."""
    from mathhammer.systems import t9a

    return t9a.break_test(rulings=rulings, **given)


@command.command("discipline", epilog="\b\nExample:\n  mathhammer t9a discipline 8 --minimised 1 --reroll")
@click.argument("discipline", type=click.IntRange(0, 20))
@click.option("--modifier", type=int, default=0, metavar="N", help="Added to the Discipline.")
@_rolls
@_common
@prints("t9a discipline")
def discipline_(rulings: dict[str, str] | None, **given: Any) -> object:
    """Print the chance of a Discipline Test (Panic, rally and the like)."""
    from mathhammer.systems import t9a

    return t9a.discipline_test(rulings=rulings, **given)


def _side(side: str) -> Iterator[Callable[[F], F]]:
    """Yield the options of a side."""
    few: dict[str, Any] = {"type": click.IntRange(0, 9), "default": 0}
    yield click.option(f"--{side}", required=True, metavar="TARGET", help=f"The {side} unit, a stat line.")
    parts = f"{side}_parts"
    yield click.option(f"--{side}-part", parts, multiple=True, metavar="MODEL_PART", help="It strikes so.")
    others = f"{side}_alternatives"
    words = "One of two or more ways to strike, chosen at the start of each round (Weapon Master)."
    yield click.option(f"--{side}-alternative", others, multiple=True, metavar="MODEL_PART", help=words)
    yield from (click.option(_name(f"{side}_{key}"), is_flag=True, help=text) for key, text in _UNIT.items())
    yield click.option(f"--{side}-flanks", help="Enemy flanks it fights.", **few)
    yield click.option(f"--{side}-rear", help="Enemy rears it fights.", **few)
    yield click.option(f"--{side}-discipline", type=click.IntRange(0, 20), default=7, show_default=True)
    yield click.option(f"--{side}-rank-width", type=click.IntRange(1), metavar="N", help="Models in a rank.")
    yield click.option(f"--{side}-standards", help="Standards.", **few)


@command.command(
    "fight",
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

    keys = (*_UNIT, "discipline", "rank_width", "standards", "flanks", "rear")
    return t9a.Unit(
        t9a.Target.parse(given[side]),
        [t9a.ModelPart.parse(text) for text in given[f"{side}_parts"]],
        alternatives=[t9a.ModelPart.parse(text) for text in given[f"{side}_alternatives"]],
        **{key: given[f"{side}_{key}"] for key in keys},
    )
