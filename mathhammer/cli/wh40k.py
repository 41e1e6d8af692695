"""``mathhammer 40k``: weapons against one target, a turn, charges and tests, and what the editions decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.page import json_option, say
from mathhammer.cli.questions import (
    Part,
    Shown,
    SituationOptions,
    asks,
    asks_each,
    describe,
    edition_option,
    is_list,
    rules_in_force,
    target_line,
)
from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.systems.wh40k import AttackResult, Target, TargetUnit, Volley

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
    "count": "Copies of each weapon written without a number",
    "target": "A label such as MEQ, or a stat line; several are the kinds of models of one unit, in the order in "
    "which they are attacked",
}
#: Of an attack what is read here, and what is said otherwise.
_ASKED: dict[str, Any] = {"names": {"target": "target"}, "many": ("target",), "words": _WORDS}
_weapons = click.argument("weapons", nargs=-1, metavar="[WEAPON...]")


def _target(
    texts: Sequence[str], edition: str | None = None, leaders: Sequence[str] = (), **how: Any
) -> Target | TargetUnit:
    """Return one target, or the unit that several kinds of models and leaders make."""
    from mathhammer.systems.wh40k import TargetUnit
    from mathhammer.systems.wh40k.editions import DEFAULT_EDITION
    from mathhammer.systems.wh40k.profiles.targets import read_target, split_targets

    for text in (*texts, *leaders):
        if is_list(text) or len(split_targets(text)) > 1:
            raise MathhammerError(
                f"expected one target, got {shown(text)}; 'mathhammer army' takes several targets, and lists"
            )
    kinds, characters = (
        [read_target(text, edition or DEFAULT_EDITION) for text in some] for some in (texts, leaders)
    )
    name = " and ".join(kind.name for kind in kinds)
    if characters:
        name += f" with {' and '.join(kind.name for kind in characters)}"
    elif len(kinds) == 1:
        if (said := how.get("allocation", "given")) != "given":
            raise click.UsageError(
                f"expected several --target, or a --leader, for --allocation {said}; equal models have one order"
            )
        return kinds[0]
    return TargetUnit(name, kinds, characters, **how)


def _volleys(texts: Sequence[str], copies: int | None = None) -> list[Volley]:
    """Return the volleys of stat lines; the number of copies is for those that name none."""
    from mathhammer.systems.wh40k.situation import COPIES, read_volley

    if copies is not None and all(map(COPIES.match, texts)):
        got = shown(texts[0]) if texts else "none"
        raise click.UsageError(
            f"expected a weapon without a number for --count {copies}, got {got}; leave one of the two numbers out"
        )
    if lists := list(filter(is_list, texts)):
        raise click.UsageError(
            f"expected the stat line of a weapon, got {shown(lists[0])}; 'mathhammer army' reads lists"
        )
    return [read_volley(text, 1 if copies is None else copies) for text in texts]


def _attacked(volleys: Sequence[object], target: Target | TargetUnit) -> str:
    """Return what attacks what, with their stat lines."""
    return f"{'; '.join(str(each).removeprefix('1 × ') for each in volleys)} against {target_line(target)}."


@_weapons
@click.option(
    "--mortal-wounds",
    multiple=True,
    metavar="NUMBER",
    help="Extra mortal wounds, a number or dice and a name: 'D3 Hex'. Repeatable.",
)
def _attack(
    call: Said, situation: Said, unit: Said, weapons: tuple[str, ...], mortal_wounds: tuple[str, ...]
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
    volleys = [
        *_volleys(weapons, call.pop("count", None)),
        *map(wh40k.MortalWounds.parse, mortal_wounds),
    ]
    if not volleys:
        raise click.UsageError("expected a WEAPON or --mortal-wounds, got neither")
    objective = call.get("objective", "kills")
    defender = _target(call.pop("target"), call.get("edition"), objective=objective, **unit)
    result: AttackResult = wh40k.attack(volleys, defender, **call, **situation)
    notes = [
        _attacked(volleys, defender),
        rules_in_force(result.edition, situation, call.get("rulings")),
    ]
    # A re-roll that is spent on the first low roll has no plan, unless something else is chosen best.
    chosen = {call.get("order"), situation.get("precision"), *call.get("rulings", {}).values()}
    fixed = situation.get("reroll") == "first" and "best" not in chosen
    plan = result.plan if result.rerolls_by_plan and not fixed else None
    if plan is None or not (plan.holds_reroll or plan.decisions):
        return Shown(result, notes)
    notes.append(f"Best plan for {plan._line()}")  # noqa: SLF001 - the package's own
    if objective == "kills":
        notes.append("--objective wounds_lost or probability_destroyed asks for another plan.")
    return Shown(result, notes, plan)


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
    call=Part("wh40k:attack", leave=("weapons",), **_ASKED),
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

    for side in _SIDES:
        said = sides[side]
        unit = _target(said.pop("unit"), call.get("edition"), **sides[f"{side}_unit"])
        volleys = _volleys(said.pop("shooting", ()))
        carried: Said = {
            name: [each for each in volleys if each.weapon.melee is melee] for name, melee in _PHASES
        }
        sides[side] = wh40k.Combatant(unit, **carried, **said)
    return wh40k.turn(*map(sides.__getitem__, _SIDES), **call)


_PHASES = (("shooting", False), ("melee", True))


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
@click.option("--editions", help="Names separated by commas. Default: all.")
def _editions(call: Said, situation: Said, weapons: tuple[str, ...], editions: str | None) -> Shown:
    """Compare one attack under several editions, and their rules.

    It is given as for '40k attack'; a label is the standard target of the default edition in all of them.
    """
    from mathhammer.systems import wh40k
    from mathhammer.systems.wh40k.editions import find_edition

    names = list(wh40k.EDITIONS) if editions is None else [name.strip() for name in editions.split(",")]
    volleys, defender = _volleys(weapons, call.pop("count", None)), _target(call.pop("target"))
    # Each ruling is for the editions that have it; the last is asked for those that none has.
    chosen = call.pop("rulings", {})
    known = {name: {ruling.name for ruling in find_edition(name).rulings} for name in names}
    known[names[-1]] |= chosen.keys() - set().union(*known.values())
    rulings = {name: {each: chosen[each] for each in chosen if each in of} for name, of in known.items()}
    compared = wh40k.compare_editions(volleys, defender, editions=names, rulings=rulings, **call, **situation)
    return Shown(compared, [_attacked(volleys, defender), f"Situational rules on: {describe(situation)}."])


asks(
    command,
    "editions",
    """
  mathhammer 40k editions "5x Bolt rifle: A2 BS3+ S4 AP-1 D1 [HEAVY]" --target MEQ --cover --stationary
""",
    _editions,
    call=Part("wh40k:compare_editions", leave=("weapons", "editions"), several=True, **_ASKED),
    situation=SituationOptions(),
)


@_weapons
def _what_if(call: Said, situation: Said, weapons: tuple[str, ...]) -> object:
    """Rank changes to an attack by what each adds: a re-roll, +1 to wound, a weapon ability, a stratagem.

    It is given as for '40k attack'.
    """
    from mathhammer.analysis import what_if

    if not weapons:
        raise click.UsageError("expected a WEAPON, got none")
    target = _target(call.pop("target"), call.get("edition"))
    return what_if(_volleys(weapons), target, **call, **situation)


asks(
    command,
    "what-if",
    '  mathhammer 40k what-if "10x Rifle: A2 BS3+ S4 AP-1 D1" --target MEQ --cover',
    _what_if,
    call=Part(".analysis:what_if", leave=("attacks", "changes"), several=True, **_ASKED),
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
