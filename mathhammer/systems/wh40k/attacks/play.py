"""An attack as a game: re-rolls spent by a policy, and what else is chosen as well as can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.arithmetic import arithmetic
from mathhammer.distributions import IntegerDistribution
from mathhammer.errors import MathhammerError
from mathhammer.sequence import GroupedUnit, resolve
from mathhammer.sequence.grouped_unit import alike
from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
from mathhammer.systems.wh40k.sequence.compile import (
    CompiledMortalWounds,
    state_values,
    volleys_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.sequence import Unit, Volley
    from mathhammer.sequence.attack_keys import Turn
    from mathhammer.sequence.attack_play import AttackPlay
    from mathhammer.systems.wh40k.attacks.attack_sequence import AttackSequence
    from mathhammer.systems.wh40k.sequence.compile import Compiled, CompiledVolley
    from mathhammer.systems.wh40k.sequence.dice_stages import Saving

#: Name of each objective where its value is shown.
_OBJECTIVES = {
    "kills": "mean models destroyed",
    "wounds_lost": "mean wounds lost",
    "points": "mean points destroyed",
    "probability_destroyed": "P(destroyed)",
}


def is_played(compiled: Sequence[Compiled], unit: Unit) -> bool:
    """Whether a player looks at dice, or chooses what no fixed rule settles."""
    volleys = volleys_of(compiled)
    if unit.leaves_choices and any(each.stages[0].edition.in_pools for each in volleys):
        return True  # all saves of a pool are seen before any choice about its wounds
    if isinstance(unit, GroupedUnit) and any(_rerolls_a_save(each, unit) for each in volleys):
        return True
    return _attacker_chooses(volleys)


def _attacker_chooses(volleys: Sequence[CompiledVolley]) -> bool:
    for each in volleys:
        first = each.stages[0]
        keywords = first.situation.keywords
        if "reroll" in keywords or "limited_rerolls" in keywords or first.chooses_lethal:
            return True
        if each.volley.directed and first.situation.precision == "best":
            return True
    return False


def _rerolls_a_save(each: CompiledVolley, unit: Unit) -> bool:
    """Whether a single save may be re-rolled of which it matters whose it is."""
    kinds = range(len(unit.groups))
    return any(
        wound.rank is None and wound.effects[0].save_reroll is not None and not alike(wound, kinds)
        for wound in each.volley.wounds
    )


def attack_play(
    sequence: AttackSequence,
    compiled: Sequence[Compiled],
    unit: Unit,
    before: Distribution | None,
    *,
    any_order: bool = False,
) -> AttackPlay:
    """Return the attack as it is played; where only the unit's player chooses, nobody looks at its dice."""
    volleys, target, objective = volleys_of(compiled), sequence.target, sequence.objective
    given = (each.stages[0].situation.keywords.get("reroll") for each in volleys)
    policies = [policy for policy in given if policy is not None]
    if any(policy != policies[0] for policy in policies):
        raise MathhammerError(
            "expected one policy for the re-rolls of all volleys, got several; give the same reroll to each"
        )
    if any(len(each.volley.wounds) - each.volley.immediate > len(each.counts.deferred) for each in volleys):
        raise MathhammerError(
            "expected split_pool_order='special first' where players look at dice and some wounds are deferred; leave "
            "out the choices, or the ruling"
        )
    # Whatever the attack is asked for, few of them have a choice: the game is loaded when one has.
    from mathhammer.sequence.attack_game import AttackGame
    from mathhammer.sequence.attack_keys import Turn
    from mathhammer.sequence.attack_play import AttackPlay
    from mathhammer.sequence.rolled_dice import rolled_at_once

    looked_at = any_order or is_played(compiled, unit)
    if not (any_order or _attacker_chooses(volleys)):
        objective = (
            target.objective if isinstance(target, TargetUnit) else objective if looked_at else "kills"
        )
    values, out_of = state_values(target, unit, objective)
    game = AttackGame(
        _turns(compiled, unit, rolled=any_order and not is_played(compiled, unit))
        if looked_at
        else [Turn(each.volley, [rolled_at_once(each.volley)]) for each in compiled],
        unit,
        any_order=any_order,
        defender_maximises=isinstance(target, TargetUnit) and target.allocation == "worst",
    )
    start = unit.first if before is None else before
    policy = policies[0] if policies else "best"
    return AttackPlay(game, start, values, out_of, _OBJECTIVES[objective], sequence.arithmetic, policy)


def _turns(compiled: Sequence[Compiled], unit: Unit, *, rolled: bool) -> list[Turn]:
    """Return the volleys with the dice that they can have, and what comes of those that are rolled as a whole."""
    from mathhammer.sequence.attack_keys import Turn
    from mathhammer.systems.wh40k.sequence.dice_stages import volley_dice

    grouped = unit if isinstance(unit, GroupedUnit) else None
    in_pools = any(each.stages[0].edition.in_pools for each in volleys_of(compiled))
    saves: Saving = "pool" if grouped is not None else "all" if unit.is_simple or in_pools else "each"
    only, turns, known = len(compiled) == 1, [], []
    rolled = rolled and not unit.leaves_choices and all(map(_is_apart, volleys_of(compiled)))
    for each in compiled:
        if isinstance(each, CompiledMortalWounds):
            turns.append(
                Turn(each.volley, [volley_dice(each, saves=saves, only=only)], None, each.entry.source)
            )
            continue
        first = each.stages[0]
        what = first.weapon, first.number, first.situation
        if what not in known:
            known.append(what)
        name = f"{first.number} × {first.weapon.name}" if first.number > 1 else first.weapon.name
        parts, part_of = [each], None
        if grouped is not None and each.against is not None:
            met = [each.against[grouped.living(state)] for state in range(unit.states)]
            parts = list(dict.fromkeys(met))
            part_of = [parts.index(one) for one in met] if len(parts) > 1 else None
        dice = [volley_dice(one, saves=saves, only=only) for one in parts]
        turns.append(Turn(each.volley, dice, part_of, name, known.index(what)))
    if not rolled or any(turn.part_of is not None for turn in turns):
        return turns
    return [
        turn._replace(outcome=Outcomes(turn.volley, unit).__getitem__) if turn.volley.attack else turn
        for turn in turns
    ]


def _is_apart(each: CompiledVolley) -> bool:
    """Whether nothing of a volley but what the target has lost bears on others: no single re-roll, no late wounds."""
    volley = each.volley
    late = any(wound.rank is not None and wound.rank >= 0 for wound in volley.wounds)
    return not (volley.rerolls or volley.own or (late and volley.defers))


class Outcomes(dict[int, IntegerDistribution]):
    """Distribution of the state of a unit after a volley, by the state in which it begins."""

    def __init__(self, volley: Volley, unit: Unit) -> None:
        self._volley, self._unit = volley, unit

    def __missing__(self, state: int) -> IntegerDistribution:
        states = resolve([self._volley], self._unit, arithmetic=arithmetic(exact=True), start=state)
        found = self[state] = IntegerDistribution.from_distribution(states)
        return found
