"""``mathhammer tc success``, ``injury``, ``attack``, ``table``: Trench Crusade."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.dice import distribution_fields, probability_text
from mathhammer.cli.page import Page, print_json, probability_fields
from mathhammer.cli.show import as_text_option, print_text
from mathhammer.cli.situation import read_rulings
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.distributions import CategoricalDistribution
    from mathhammer.systems.trench_crusade import AttackResult, Roll, Weapon

_SITUATION = (
    "long_range",
    "elevated",
    "cover",
    "off_hand",
    "charged",
    "diving",
    "into_melee",
    "shaken",
    "reroll",
)
_WEAPON = re.compile(
    r"(?P<name>[^:(]+)\((?P<kind>ranged|melee|grenade)\)\s*(?::(?P<keywords>.*))?", re.IGNORECASE
)

_exact = click.option("--exact", is_flag=True, help="Fractions instead of floating point.")
_explain = click.option("--explain", is_flag=True, help="Print each step and its probabilities.")
_json = click.option("--json", "as_json", is_flag=True, help="Print data instead of tables.")
_dice = click.option(
    "--dice", "-d", multiple=True, metavar="TEXT", help='"+1", "-1 cover"; repeatable, pairs cancel.'
)
_modifier = click.option(
    "--modifier",
    "-m",
    multiple=True,
    metavar="TEXT",
    help='INJURY MODIFIER: "-1 Standard Armour". Repeatable.',
)
_rulings = click.option(
    "--ruling", "rulings", multiple=True, metavar="NAME=OPTION", help="Decide a disputed point otherwise."
)


@click.group("tc", short_help="Success Rolls, Injury Rolls and attacks of Trench Crusade.")
def command() -> None:
    """Compute rolls and attacks of Trench Crusade."""


@command.command("success", epilog='Example: mathhammer tc success -d "+2 elevated" -d "-1 cover" --exact')
@_dice
@click.option("--reroll", is_flag=True, help="A failure is re-rolled.")
@_exact
@_explain
@_json
def success(
    dice: tuple[str, ...],
    reroll: bool,  # noqa: FBT001
    exact: bool,  # noqa: FBT001
    explain: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Print the distribution of a Success Roll."""
    from mathhammer.systems import trench_crusade as tc

    roll = tc.success_roll(dice, reroll=reroll, exact=exact)
    _print_roll("tc success", "Success Roll", roll, explain=explain, as_json=as_json)


@command.command(
    "injury", epilog='Example: mathhammer tc injury -d "+2 Blood" -m "-1 Standard Armour" --explain'
)
@_dice
@_modifier
@click.option("--bloodbath", is_flag=True, help="It is a Bloodbath Roll.")
@click.option("--deadly", is_flag=True, help="The weapon has DEADLY.")
@_rulings
@_exact
@_explain
@_json
def injury(
    dice: tuple[str, ...],
    modifier: tuple[str, ...],
    bloodbath: bool,  # noqa: FBT001
    deadly: bool,  # noqa: FBT001
    rulings: tuple[str, ...],
    exact: bool,  # noqa: FBT001
    explain: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Print the distribution of an Injury Roll or of a Bloodbath Roll."""
    from mathhammer.systems import trench_crusade as tc

    make = tc.bloodbath_roll if bloodbath else tc.injury_roll
    keywords = "DEADLY" if deadly else ""
    roll = make(dice, modifier, keywords=keywords, rulings=read_rulings(rulings), exact=exact)
    title = "Bloodbath Roll" if bloodbath else "Injury Roll"
    _print_roll("tc injury", title, roll, explain=explain, as_json=as_json)


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

    if roll == "success":
        found = tc.success_table()
    else:
        found = tc.injury_table(at_least=at_least, bloodbath=roll == "bloodbath")
    page = Page()
    page.line(str(found))
    page.print()


@command.command(
    "attack",
    epilog="""\b
Examples:
  mathhammer tc attack Shotgun --armour standard --shield --blood 2 --cover --spend best --explain
  mathhammer tc attack "Machine Gun" --blood 3 --blessing 2 --spend best --reply best --initiative attacker
  mathhammer tc attack "Halberd (melee): +1 INJURY DICE, CRITICAL" --target-keywords TOUGH --exact
""",
)
@click.argument("weapons", nargs=-1, required=True, metavar="WEAPON...")
@click.option("--armour", type=click.Choice(["none", "standard", "reinforced", "machine"]), default="none")
@click.option("--shield", is_flag=True, help="The target has a Trench Shield.")
@click.option("--blood", type=int, default=0, metavar="N", help="Blood Markers of the target.")
@click.option("--infection", type=int, default=0, metavar="N", help="Infection Markers of the target.")
@click.option("--blessing", type=int, default=0, metavar="N", help="Blessing Markers of the target.")
@click.option("--down", is_flag=True, help="The target is Down.")
@click.option("--target-keywords", default="", metavar="LIST", help='Such as "TOUGH, FEAR".')
@click.option("--ranged", type=int, default=0, metavar="N", help="Ranged Characteristic of the attacker.")
@click.option("--melee", type=int, default=0, metavar="N", help="Melee Characteristic of the attacker.")
@click.option("--own-blood", type=int, default=0, metavar="N", help="Blood Markers of the attacker.")
@click.option("--own-blessing", type=int, default=0, metavar="N", help="Blessing Markers of the attacker.")
@click.option(
    "--spend", type=click.Choice(["nothing", "best"]), default="nothing", help="The attacking player."
)
@click.option(
    "--reply", type=click.Choice(["nothing", "best"]), default="nothing", help="The defending player."
)
@click.option("--objective", type=click.Choice(["out of action", "down or worse"]), default="out of action")
@click.option("--spends-first", type=click.Choice(["attacker", "defender"]), help="On each roll.")
@click.option(
    "--initiative", type=click.Choice(["attacker", "defender"]), help="Who chooses who spends first."
)
@click.option("--long-range", is_flag=True, help="Beyond half the weapon's range.")
@click.option("--elevated", is_flag=True, help='The attacker stands 3" higher.')
@click.option("--cover", is_flag=True, help="Cover, or a Defended Obstacle in melee.")
@click.option("--off-hand", is_flag=True, help="The weapon is the second of its Fight ACTION.")
@click.option("--charged", is_flag=True, help="The attacker charged this Turn.")
@click.option("--diving", is_flag=True, help="After a Diving Charge.")
@click.option("--into-melee", is_flag=True, help='A friend is within 1" of the target.')
@click.option("--shaken", is_flag=True, help="The attacker's Warband is Shaken.")
@click.option("--reroll", is_flag=True, help="Failed Success Rolls are re-rolled.")
@click.option("--edition", default="1.0.2", show_default=True, help="1.0.2 or beta_2026_04.")
@_rulings
@_exact
@_explain
@_json
@as_text_option
def attack(weapons: tuple[str, ...], **options: Any) -> None:
    """Print what weapons do to one model, one after another in one Activation.

    A WEAPON is the name of a common one or its line, "Halberd (melee): +1 INJURY DICE, CRITICAL".
    """
    from mathhammer.systems import trench_crusade as tc

    situation: dict[str, Any] = {name: True for name in _SITUATION if options[name]}
    target = tc.Target(
        armour=options["armour"],
        shield=options["shield"],
        blood=options["blood"],
        infection=options["infection"],
        blessing=options["blessing"] or None,
        down=options["down"],
        keywords=options["target_keywords"],
    )
    attacker = tc.Attacker(
        ranged=options["ranged"],
        melee=options["melee"],
        blood=options["own_blood"],
        blessing=options["own_blessing"],
    )
    result = tc.attack(
        [tc.Attack(weapon=read_weapon(text), **situation) for text in weapons],
        target,
        attacker=attacker,
        spend=options["spend"],
        reply=options["reply"],
        objective=options["objective"],
        spends_first=options["spends_first"],
        initiative=options["initiative"],
        edition=options["edition"],
        rulings=read_rulings(options["rulings"]),
        exact=options["exact"],
    )
    if options["as_text"]:
        print_text(result)
        return
    if options["as_json"]:
        print_json("tc attack", _attack_data(result, explain=options["explain"]))
        return
    page = Page()
    for text in weapons:
        page.heading(str(read_weapon(text)))
    page.line()
    _print_result(page, result)
    if options["explain"]:
        page.line()
        page.line(str(result.explain()))
    page.print()


def read_weapon(text: str) -> Weapon:
    """Return the common weapon of that name, or read a line."""
    from difflib import get_close_matches

    from mathhammer.errors import UnknownNameError
    from mathhammer.systems.trench_crusade import WEAPONS, Weapon

    by_name = {name.lower(): weapon for name, weapon in WEAPONS.items()}
    if (known := by_name.get(text.strip().lower())) is not None:
        return known
    if line := _WEAPON.fullmatch(text.strip()):
        return Weapon(line["name"].strip(), kind=line["kind"].lower(), keywords=line["keywords"] or "")
    near = get_close_matches(text.lower(), by_name, n=1)
    hint = f"did you mean {by_name[near[0]].name!r}?" if near else f"common weapons: {', '.join(WEAPONS)}"
    raise UnknownNameError(
        f"expected a common weapon or a line such as 'Halberd (melee): CRITICAL', got {shown(text)}; {hint}"
    )


def _print_roll(name: str, title: str, roll: Roll[Any], *, explain: bool, as_json: bool) -> None:
    if as_json:
        data = {"net_dice": roll.net, "modifier": roll.modifier, "outcomes": _outcomes(roll.outcome)}
        print_json(name, {**data, "total": distribution_fields(roll.total)})
        return
    page = Page()
    modifier = f", {roll.modifier:+d} INJURY MODIFIER" if roll.modifiers else ""
    page.heading(f"{title}, net {roll.net:+d} dice{modifier}")
    _print_distribution(page, roll.outcome)
    if explain:
        page.line()
        page.line(str(roll.explain()))
    page.print()


def _print_distribution(page: Page, distribution: CategoricalDistribution[str, Any]) -> None:
    for name in distribution:
        page.line(f"{name:<18}{probability_text(distribution.pmf(name), exact=distribution.exact)}")


def _print_result(page: Page, result: AttackResult[Any]) -> None:
    _print_distribution(page, result.outcome)
    page.line()
    page.line(
        f"{'P(out of action)':<18}{probability_text(result.probability_out_of_action, exact=result.exact)}"
    )
    page.line(
        f"{'P(down or worse)':<18}{probability_text(result.probability_down_or_worse, exact=result.exact)}"
    )
    if len(result.plan):
        page.line()
        page.heading(f"Best plan for {result.plan.objective}")
        for line in str(result.plan).split("\n"):
            own = " " * (len(line) - len(line.lstrip()))
            page.paragraph(line.strip(), indent=own, hanging=f"{own}  ")


def _outcomes(distribution: CategoricalDistribution[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "outcome": name,
            **probability_fields("probability", distribution.pmf(name), exact=distribution.exact),
        }
        for name in distribution
    ]


def _attack_data(result: AttackResult[Any], *, explain: bool) -> dict[str, Any]:
    exact = result.exact
    data: dict[str, Any] = {
        "edition": result.edition,
        "rulings": dict(result.rulings),
        **probability_fields("probability_out_of_action", result.probability_out_of_action, exact=exact),
        **probability_fields("probability_down_or_worse", result.probability_down_or_worse, exact=exact),
        "outcomes": _outcomes(result.outcome),
        "plan": [str(decision) for decision in result.plan],
        "state": [
            {
                **dict(zip(result.state.axes, outcome, strict=True)),
                **probability_fields("probability", p, exact=exact),
            }
            for outcome, p in result.state.items()
        ],
    }
    if explain:
        data["explanation"] = str(result.explain()).splitlines()
    return data
