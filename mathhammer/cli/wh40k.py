"""``mathhammer 40k``: weapons against one target, a turn, charges and tests, and what the editions decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.page import json_option, say
from mathhammer.cli.questions import Part, Shown, asks, asks_each
from mathhammer.cli.situation import (
    SituationOptions,
    attacked,
    describe,
    edition_option,
    read_unit,
    read_weapons,
    rules_in_force,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.systems.wh40k import AttackResult, Combatant, MortalWounds

    Said = dict[str, Any]


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
_UNIT, _LEADER, _REST = "wh40k:TargetUnit", {"leaders": "leader"}, ("name", "models", "gifts")
_WORDS = {
    "leaders": "A leader attached to the unit: attacks reach it last",
    "shooting": "What its models carry, stat lines in their order",
    "allocation": "Order in which the kinds are attacked: as given, or the best or worst for the unit's player",
}
_weapons = click.argument("weapons", nargs=-1, metavar="[WEAPON...]")
_count = click.option(
    "--count",
    "copies",
    type=int,
    metavar="N",
    help="Copies of each weapon written without a number. Default: 1.",
)
_target = click.option(
    "--target",
    "-t",
    "targets",
    required=True,
    multiple=True,
    metavar="TARGET",
    help="A label such as MEQ, or a stat line; several are the kinds of models of one unit, in the order in which they "
    "are attacked.",
)


@_weapons
@_target
@_count
@click.option(
    "--mortal-wounds",
    multiple=True,
    metavar="NUMBER",
    help="Extra mortal wounds, a number or dice and a name: 'D3 Hex'. Repeatable.",
)
def _attack(
    call: Said,
    situation: Said,
    unit: Said,
    weapons: tuple[str, ...],
    targets: tuple[str, ...],
    copies: int | None,
    mortal_wounds: tuple[str, ...],
) -> Shown:
    """Print what weapons do to a target, one weapon after another.

    A WEAPON is a stat line, "Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]" (BS ranged, WS melee), with the
    number of copies before it if there are several: "9x Bolt rifle: ...". D3 is Damage 3, and DD3
    and DD6 are dice. A TARGET is a label of
    'mathhammer targets' or a stat line, "10x T4 Sv3+ InSv5+ W2 FNP6+ [INFANTRY]"; with a name before it,
    "Marines: 9x T4 ...", where there are several.
    """
    from mathhammer.systems import wh40k

    if len(weapons) > 1 and not any(" " in text for text in weapons):
        raise click.UsageError(
            f'expected each weapon in quotes, got {len(weapons)} words: "{" ".join(weapons)}"'
        )
    volleys = [*read_weapons(weapons, copies), *map(_mortal_wounds, mortal_wounds)]
    if not volleys:
        raise click.UsageError("expected a WEAPON or --mortal-wounds, got neither")
    objective = call.get("objective", "kills")
    defender = read_unit(targets, call.get("edition"), objective=objective, **unit)
    result: AttackResult = wh40k.attack(volleys, defender, **call, **situation)
    plan = result.plan if result.rerolls_by_plan else None
    # A re-roll that is spent on the first low roll has no plan, unless something else is chosen best.
    chosen = {call.get("order"), situation.get("precision"), *call.get("rulings", {}).values()}
    fixed = situation.get("reroll") == "first" and "best" not in chosen
    if plan is not None and (fixed or not (plan.holds_reroll or plan.decisions)):
        plan = None

    notes = [
        attacked(volleys, defender),
        rules_in_force(result.edition, situation, call.get("rulings")),
    ]
    if plan is not None:
        notes.append(f"Best plan for {plan._line()}")  # noqa: SLF001 - the package's own
        if objective == "kills":
            notes.append("--objective wounds_lost or probability_destroyed asks for another plan.")
    return Shown(result, notes, plan)


def _mortal_wounds(text: str) -> MortalWounds:
    """Read a number or dice, and the name of what inflicts them."""
    from mathhammer.systems import wh40k

    number, _, source = text.strip().partition(" ")
    return wh40k.MortalWounds(number, *filter(None, [source.strip()]))


asks(
    command,
    "attack",
    """
  mathhammer 40k attack "Lascannon: A1 BS3+ S12 AP-3 DD6+1 [HEAVY]" --count 2 --target VEQ --exact
  mathhammer 40k attack "9x Bolt rifle: A2 BS3+ S4 AP-1 D1" "Melta rifle: A1 BS3+ S9 AP-4 DD6 [MELTA 2]" \\
      --target "5x T5 Sv2+ InSv4+ W3" --half-range --explain
  mathhammer 40k attack "10x Sniper: A1 BS3+ S5 AP-1 D2 [PRECISION]" --leader "Captain: T4 Sv3+ InSv4+ W5" \\
      --target "Sergeant: 1x T4 Sv3+ W2" --target "Marines: 9x T4 Sv3+ W2" --allocation best
""",
    _attack,
    call=Part("wh40k:attack", leave=("weapons", "target", "count")),
    unit=Part(_UNIT, "", _LEADER, (*_REST, "objective"), ("leaders",), _WORDS),
    situation=SituationOptions(),
)


def _turn(call: Said, **sides: Any) -> object:
    """Play a turn of two units: shooting, charge and fight.

    Weapons are carried in the order in which they and the models are listed, one for each model: nine choppas and a
    klaw are ten models, and ten sluggas after them are their second weapons. Models whose weapons are listed first
    are removed first.
    """
    from mathhammer.systems import wh40k

    attacker, defender = (_combatant(side, sides, call) for side in _SIDES)
    return wh40k.turn(attacker, defender, **call)


def _combatant(side: str, given: dict[str, Said], call: Said) -> Combatant:
    from mathhammer.systems import wh40k

    said = given[side]
    unit = read_unit(said.pop("unit"), call.get("edition"), **given[f"{side}_unit"])
    volleys = read_weapons(said.pop("shooting", ()), None)
    said["melee"] = [volley for volley in volleys if volley.weapon.melee]
    return wh40k.Combatant(unit, shooting=[each for each in volleys if each not in said["melee"]], **said)


def _side(side: str) -> dict[str, Part]:
    names = {
        "unit": "",
        "shooting": "weapon",
        "leadership": "leadership",
        "fights_on_death": "fights-on-death",
    }
    return {
        side: Part("wh40k:Combatant", side, names, ("melee",), ("unit", "shooting"), _WORDS),
        f"{side}_unit": Part(_UNIT, side, _LEADER, (*_REST, "allocation", "objective"), ("leaders",), _WORDS),
    }


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
    _turn,
    call=Part("wh40k:turn", names={"stages": "stage"}, leave=_SIDES, many=("best",)),
    **_side("attacker"),
    **_side("defender"),
)


@_weapons
@_target
@_count
@click.option("--editions", help="Names separated by commas. Default: all.")
def _editions(
    call: Said,
    situation: Said,
    weapons: tuple[str, ...],
    targets: tuple[str, ...],
    copies: int | None,
    editions: str | None,
) -> Shown:
    """Compare one attack under several editions, and their rules.

    It is given as for '40k attack'; a label is the standard target of the default edition in all of them.
    """
    from mathhammer.systems import wh40k

    names = list(wh40k.EDITIONS) if editions is None else [name.strip() for name in editions.split(",")]
    volleys, defender = read_weapons(weapons, copies), read_unit(targets)
    rulings = _by_edition(names, call.pop("rulings", {}))
    compared = wh40k.compare_editions(volleys, defender, editions=names, rulings=rulings, **call, **situation)
    rules = f"Situational rules on: {describe(situation)}."
    return Shown(compared, [attacked(volleys, defender), rules])


def _by_edition(names: list[str], chosen: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return the chosen rulings for each edition that has them; the last is asked for those that none has."""
    from mathhammer.systems.wh40k.editions import find_edition

    known = {name: {ruling.name for ruling in find_edition(name).rulings} for name in names}
    everywhere = set().union(*known.values())
    return {
        name: {
            ruling: option
            for ruling, option in chosen.items()
            if ruling in known[name] or (ruling not in everywhere and name == names[-1])
        }
        for name in names
    }


asks(
    command,
    "editions",
    """
  mathhammer 40k editions "5x Bolt rifle: A2 BS3+ S4 AP-1 D1 [HEAVY]" --target MEQ --cover --stationary
""",
    _editions,
    call=Part("wh40k:compare_editions", leave=("weapons", "target", "editions", "count"), several=True),
    situation=SituationOptions(),
)


def _listing(name: str, title: str, words: str, example: str, record: Callable[[Any], Said]) -> None:
    """Add a command that lists something of an edition, of which each entry is a record."""

    @command.command(name, help=words, epilog=f"\b\nExample:\n{example}")
    @edition_option
    @json_option
    def listed(*, edition: str, as_json: bool) -> None:
        from mathhammer.analysis.tabular import Answer
        from mathhammer.systems.wh40k.editions import find_edition

        rules = find_edition(edition)
        known = getattr(rules, name)
        records = list(map(record, known.values() if isinstance(known, dict) else known))
        facts, head = {"edition": rules.name}, f"{rules.title}: {title}"
        say(Answer(f"mathhammer.{name}", head, records, facts, unshown=("edition",)), as_json=as_json)


def _ability(rule: Any) -> Said:
    name = rule.name + {"roll": "-X Y+", "": ""}.get(rule.value, " X")
    needs = ", ".join(f"--{need.name.replace('_', '-')}" for need in rule.needs)
    return {"name": name, "needs": needs, "help": rule.help, "source": rule.source}


_listing(
    "rulings",
    "disputed points",
    "List the disputed rules, with their options and sources.",
    """  mathhammer 40k rulings
  mathhammer 40k attack "Gun: A9 BS3+ S4 AP-1 D1" --target MEQ --cover --ruling save_cap=gross""",
    lambda each: {name: getattr(each, name) for name in ("name", "default", "options", "question", "source")},
)
_listing(
    "abilities",
    "weapon abilities",
    "List the weapon abilities, with what they need and sources.",
    "  mathhammer 40k abilities --edition 9e",
    _ability,
)
