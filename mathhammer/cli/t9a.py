"""``mathhammer t9a attack``, ``charge``, ``break``, ``discipline``, ``fight``: The 9th Age: Fantasy Battles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from mathhammer.cli.dice import distribution_fields, probability_text, summary, table
from mathhammer.cli.page import Page, probability_fields
from mathhammer.cli.rolls import finish, print_charge, print_data, print_test, probabilities
from mathhammer.cli.show import as_text_option, print_text
from mathhammer.cli.situation import read_rulings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mathhammer.systems.t9a import AttackResult, ChargeResult, CombatResult, RollResult, RoundsResult

_F = TypeVar("_F", bound="Callable[..., Any]")

_DISTRIBUTIONS = ("hits", "wounds", "unsaved", "damage", "health_points_lost", "overkill", "kills")
_FLAGS = {
    "charging": "The attacker charged in this turn.",
    "first_round": "It is the first Round of Combat (Hatred, spears).",
    "in_combat": "Automatic hits struck in combat (no Panic Test).",
    "flank_or_rear": "The attack comes from the flank or rear (no Parry).",
    "flanked": "The attacker's own unit is engaged in its flank or rear (no braced Spears).",
    "long_range": "The target is beyond half range.",
    "moved": "The shooters moved.",
    "stand_and_shoot": "The shots are a charge reaction.",
    "attacker_afraid": "The attacker failed its Fear test.",
    "target_afraid": "The target failed its Fear test.",
}
_MODIFIERS = {
    "hit_modifier": "Added to to-hit rolls.",
    "wound_modifier": "Added to to-wound rolls.",
    "armour_modifier": "Added to the target's Armour.",
}
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


def _all_of(options: list[Callable[[_F], _F]]) -> Callable[[_F], _F]:
    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


_common = _all_of(
    [
        click.option("--exact", is_flag=True, help="Fractions instead of floating point."),
        click.option("--explain", is_flag=True, help="Print each step and its probabilities."),
        click.option(
            "--edition",
            type=click.Choice(["2e", "3e"]),
            default="2e",
            show_default=True,
            help="Edition of the rules.",
        ),
        click.option(
            "--ruling",
            "rulings",
            multiple=True,
            metavar="NAME=OPTION",
            help="Decide a disputed point of the rules otherwise. Repeatable.",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print data instead of tables."),
        as_text_option,
    ]
)
_rolls = _all_of(
    [
        click.option(
            "--maximised", type=click.IntRange(0, 20), default=0, metavar="N", help="Maximised Roll."
        ),
        click.option(
            "--minimised", type=click.IntRange(0, 20), default=0, metavar="N", help="Minimised Roll."
        ),
        click.option("--reroll", is_flag=True, help="A failed roll is rerolled."),
    ]
)
_situation = _all_of(
    [
        *(click.option(_name(key), is_flag=True, help=text) for key, text in _FLAGS.items()),
        *(click.option(_name(key), type=int, metavar="N", help=text) for key, text in _MODIFIERS.items()),
        click.option("--cover", type=click.Choice(["soft", "hard"]), help="Cover of the target."),
        *(
            click.option(f"--{key}", type=click.IntRange(1), metavar="N", help=f"{text} of an Area Attack.")
            for key, text in (("width", "Models in a rank"), ("depth", "Ranks"))
        ),
        *(
            click.option(f"--reroll-{what}", type=click.Choice(["ones", "failed"]), help=f"Reroll {what}.")
            for what in ("hits", "wounds", "armour", "special", "aegis")
        ),
    ]
)


@click.group("t9a", short_help="The 9th Age: attacks, charges, tests, rounds of combat.")
def command() -> None:
    """Compute attacks, charges and tests of The 9th Age: Fantasy Battles."""


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
def attack(
    parts: tuple[str, ...],
    target: str,
    exact: bool,  # noqa: FBT001
    explain: bool,  # noqa: FBT001
    edition: str,
    rulings: tuple[str, ...],
    as_json: bool,  # noqa: FBT001
    as_text: bool,  # noqa: FBT001
    **options: Any,
) -> None:
    """Print what simultaneous attacks do to a unit.

    A MODEL_PART is a stat line, "Spearmen: 15 attacks, Off 3, Str 3, AP 1 [Spear]", with shots and Aim instead for
    shooting, or "2D6 hits" for automatic hits; a TARGET is "Orcs: 20 models, HP 1, Def 3, Res 4, Arm 3, Aegis 5+".
    """
    from mathhammer.systems import t9a

    situation = {key: value for key, value in options.items() if value not in {None, False}}
    strikers, defender = [t9a.ModelPart.parse(text) for text in parts], t9a.Target.parse(target)
    result: AttackResult[Any] = t9a.attack(
        strikers, defender, edition=edition, rulings=read_rulings(rulings), exact=exact, **situation
    )
    if as_text:
        print_text(result)
        return
    if as_json:
        distributions = {name: distribution_fields(getattr(result, name)) for name in _DISTRIBUTIONS}
        found = {name: getattr(result, name) for name in ("probability_destroyed", "probability_panic_test")}
        data = {"model_parts": list(map(str, strikers)), "target": str(defender), "situation": situation}
        print_data(
            "t9a attack",
            result,
            {**data, **probabilities(found, exact=exact), **distributions},
            explain=explain,
        )
        return
    page = Page()
    for striker in strikers:
        page.heading(str(striker))
    page.paragraph(f"against {defender}", hanging="  ")
    page.paragraph(_rules(edition, [key.replace("_", " ") for key in situation], rulings))
    page.line()
    page.line(f"P(destroyed)        {probability_text(result.probability_destroyed, exact=exact)}")
    page.line(f"P(Panic Test)       {probability_text(result.probability_panic_test, exact=exact)}")
    page.paragraph(f"Health Points lost  {summary(result.health_points_lost)}", hanging="    ")
    page.line()
    page.line(table(result.health_points_lost, page, heading="Health Points lost"))
    if defender.models > 1 and defender.health_points > 1:
        page.line()
        page.line(table(result.kills, page, heading="models removed"))
    finish(page, result, explain=explain)


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
def charge(
    explain: bool,  # noqa: FBT001
    rulings: tuple[str, ...],
    as_json: bool,  # noqa: FBT001
    as_text: bool,  # noqa: FBT001
    **options: Any,
) -> None:
    """Print the chance of a charge, and the chances over all distances."""
    from mathhammer.systems import t9a

    result: ChargeResult[Any] = t9a.charge(rulings=read_rulings(rulings), **options)
    text = _rules(result.edition, [], rulings)
    print_charge("t9a charge", result, text, explain=explain, as_json=as_json, as_text=as_text)


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
def break_(discipline: int, **options: Any) -> None:
    """Print the chance that a unit of some DISCIPLINE holds after losing a round of combat."""
    from mathhammer.systems import t9a

    _test(t9a.break_test, discipline, options, "t9a break")


@command.command("discipline", epilog="\b\nExample:\n  mathhammer t9a discipline 8 --minimised 1 --reroll")
@click.argument("discipline", type=click.IntRange(0, 20))
@click.option("--modifier", type=int, default=0, metavar="N", help="Added to the Discipline.")
@_rolls
@_common
def discipline_(discipline: int, **options: Any) -> None:
    """Print the chance of a Discipline Test (Panic, rally and the like)."""
    from mathhammer.systems import t9a

    _test(t9a.discipline_test, discipline, options, "t9a discipline")


def _test(test: Callable[..., RollResult[Any]], discipline: int, options: dict[str, Any], name: str) -> None:
    rulings = options.pop("rulings")
    printed = {key: options.pop(key) for key in ("explain", "as_json", "as_text")}
    result = test(discipline, rulings=read_rulings(rulings), **options)
    print_test(name, result, _rules(result.edition, [], rulings), **printed)


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
@_all_of(
    [
        option
        for side in ("first", "second")
        for option in (
            click.option(f"--{side}", required=True, metavar="TARGET", help=f"The {side} unit, a stat line."),
            click.option(
                f"--{side}-part", f"{side}_parts", multiple=True, metavar="MODEL_PART", help="It strikes so."
            ),
            *(click.option(_name(f"{side}_{key}"), is_flag=True, help=text) for key, text in _UNIT.items()),
            click.option(
                f"--{side}-flanks", type=click.IntRange(0, 9), default=0, help="Enemy flanks it fights."
            ),
            click.option(
                f"--{side}-rear", type=click.IntRange(0, 9), default=0, help="Enemy rears it fights."
            ),
            click.option(f"--{side}-discipline", type=click.IntRange(0, 20), default=7, show_default=True),
            click.option(
                f"--{side}-rank-width", type=click.IntRange(1), metavar="N", help="Models in a rank."
            ),
            click.option(f"--{side}-standards", type=click.IntRange(0, 9), default=0, help="Standards."),
        )
    ]
)
@_common
def fight(
    exact: bool,  # noqa: FBT001
    explain: bool,  # noqa: FBT001
    edition: str,
    rulings: tuple[str, ...],
    as_json: bool,  # noqa: FBT001
    as_text: bool,  # noqa: FBT001
    rounds: int | None,
    pursue: bool,  # noqa: FBT001
    **options: Any,
) -> None:
    """Print what a first Round of Combat of two units comes to, or several rounds."""
    from mathhammer.systems import t9a

    sides = [_unit(side, options) for side in ("first", "second")]
    if rounds is not None:
        fought = t9a.rounds_of_combat(
            *sides, rounds=rounds, pursue=pursue, edition=edition, rulings=read_rulings(rulings), exact=exact
        )
        _print_rounds(fought, as_json=as_json, as_text=as_text, explain=explain)
        return
    if pursue:
        raise click.UsageError("--pursue is about several rounds; give --rounds N too")
    result: CombatResult[Any] = t9a.fight(*sides, edition=edition, rulings=read_rulings(rulings), exact=exact)
    events = ("wins", "breaks", "destroyed")
    found = {
        f"probability_{side}_{what}": getattr(result, f"probability_{side}_{what}")
        for side in ("first", "second")
        for what in events
    }
    found["probability_draw"] = result.probability_draw
    if as_text:
        print_text(result)
        return
    if as_json:
        distributions = {
            name: distribution_fields(getattr(result, name))
            for name in ("first_lost", "second_lost", "difference")
        }
        losses = [
            {"first": lost[0], "second": lost[1], **probability_fields("probability", p, exact=exact)}
            for lost, p in result.losses.items()
        ]
        print_data(
            "t9a fight",
            result,
            {**probabilities(found, exact=exact), **distributions, "losses": losses},
            explain=explain,
        )
        return
    page = Page()
    page.heading(f"{sides[0].target} against {sides[1].target}")
    page.paragraph(_rules(edition, [], rulings))
    page.line()
    for key, value in found.items():
        event = key.removeprefix("probability_").replace("_", " ")
        page.line(f"P({event})".ljust(22) + probability_text(value, exact=exact))
    for side, distribution in (("first", result.first_lost), ("second", result.second_lost)):
        page.line()
        page.line(table(distribution, page, heading=f"{side}: Health Points lost"))
    finish(page, result, explain=explain)


def _unit(side: str, options: Mapping[str, Any]) -> Any:
    from mathhammer.systems import t9a

    keys = (*_UNIT, "discipline", "rank_width", "standards", "flanks", "rear")
    return t9a.Unit(
        t9a.Target.parse(options[side]),
        [t9a.ModelPart.parse(text) for text in options[f"{side}_parts"]],
        **{key: options[f"{side}_{key}"] for key in keys},
    )


def _rules(edition: str, situation: list[str], rulings: tuple[str, ...]) -> str:
    from mathhammer.systems.t9a import find_edition

    text = f"{find_edition(edition).title}."
    if situation:
        text += f" Situation: {', '.join(situation)}."
    if rulings:
        text += f" Rulings chosen: {', '.join(rulings)}."
    return text


def _print_rounds(result: RoundsResult[Any], *, as_json: bool, as_text: bool, explain: bool) -> None:
    """Print how several rounds of combat end."""
    if as_text:
        print_text(result)
        return
    if as_json:
        after = [
            probabilities(dict(result.after(number).items()), exact=result.exact)
            for number in range(1, result.rounds + 1)
        ]
        print_data("t9a fight", result, {"after_rounds": after}, explain=explain)
        return
    page = Page()
    page.line(str(result))
    finish(page, result, explain=explain)
