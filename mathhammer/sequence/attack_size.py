"""How much work it is to play an attack as a game."""

from __future__ import annotations

from collections import Counter
from math import comb, prod
from typing import TYPE_CHECKING

from mathhammer.distributions.decisions import MAXIMUM_POSITIONS, require_positions
from mathhammer.errors import TooLargeError
from mathhammer.sequence.grouped_unit import GroupedUnit
from mathhammer.sequence.rolled_dice import PoolStep, Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.sequence.attack_dice import Turn
    from mathhammer.sequence.rolled_dice import VolleyDice
    from mathhammer.sequence.unit import ModelUnit
    from mathhammer.sequence.volley import SequenceVolley

#: Most weights of dice that are looked at together, long ones counted by their length: about a second.
MAXIMUM_WORK = 5_000_000
#: Each way to re-roll a die that is read as a number is as much work as so many of them.
NUMBERS = 16
#: Most states at all points of an attack at whose dice nobody looks, which cost little each: two or three seconds.
MAXIMUM_AT_ONCE = 300_000


def require_size(turns: Sequence[Turn], unit: ModelUnit, *, any_order: bool = False) -> int:
    """Refuse at once what could not fit, and return how many positions may: they are counted as they are found."""
    alike = Counter(turn.alike for turn in turns if turn.volley.attack is not None)
    sets = prod(1 + number for number in alike.values()) if any_order else 1
    if any(turn.outcome is not None for turn in turns):
        # Of each volley that can be next the states after it are gone through.
        require_positions(sets * unit.states * (1 + len(alike) * unit.states // 60))
        return MAXIMUM_POSITIONS
    work, positions, before, counts, earlier = 0, 0, 1, 1, 0
    for turn in turns:
        volley, one = turn.volley, turn.parts[0]
        most, rows, faces = volley.number.most, 1, 0
        for stage in one.steps:
            if not isinstance(stage, Stage):
                continue
            results = [result.leads_to for die in stage.dice.values() for result in die.results]
            leading = [leads for leads in results if any(map(any, leads.coefficients))]
            numbers = stage.roll in {"attacks", ""}  # what is rolled is a number of dice, not these
            if not numbers:
                most *= max([1, *(leads.degree for leads in leading)])
            rolled = sum(one.start[place] for place in stage.dice) if numbers else most
            after = comb(rolled + len(leading), len(leading))
            work += rows * after * before * counts * (1 + most // 16)
            if numbers:
                if any(stage.roll in each.rolls for each in one.rerolls):
                    shown = len(results) - 1
                    work += comb(rolled + shown, shown) * NUMBERS * min(rolled, 1 + shown) * (1 + shown)
                after = 1 + most
            rows = after
            faces = max(faces, len(leading)) if stage.roll == "save" else faces
        deferred = len(volley.wounds) - (volley.immediate if volley.attack is not None else 0)
        counts *= (1 + most) ** deferred if volley.defers else 1
        shown = max(len(die.results) for kind in one.damage for die in kind)
        looks = shown if any("damage" in each.rolls for each in one.rerolls) else 0
        # A volley begins once for each set of the others that can be before it; measured: a quarter comes together.
        begun = max(1, sets // (4 + 4 * alike[turn.alike]))
        some = _together(one, unit, most, earlier, faces + deferred * volley.defers, counts)
        positions += begun * some * (1 + looks)
        before, earlier = unit.states, earlier + most
    most_positions = MAXIMUM_POSITIONS if any(turn.parts[0].rerolls for turn in turns) else MAXIMUM_AT_ONCE
    require_positions(positions, most_positions)
    if work > MAXIMUM_WORK:
        raise TooLargeError(
            "expected dice that can be looked at in about a second where choices are made as well as can be, but "
            f"these take about {1 + work // MAXIMUM_WORK:,}; use fewer attacks, or what is fixed, such as "
            "reroll_hits='one' for a re-roll"
        )
    return most_positions


def _together(dice: VolleyDice, unit: ModelUnit, most: int, earlier: int, kinds: int, counts: int) -> int:
    """Return how many numbers of dice and states come together in a volley of so many wounds, others before it."""
    saves = sum(isinstance(step, Stage) and step.roll == "save" for step in dice.steps)
    if saves > sum(isinstance(step, PoolStep) for step in dice.steps) and isinstance(unit, GroupedUnit):
        # One face after another; measured: two fifths, and seven states for each wound of earlier volleys.
        return 2 * (saves * most) ** 2 // 5 * min(unit.states, most + 7 * earlier)
    if isinstance(unit, GroupedUnit):
        # Measured: an eighth of all numbers of dice and of all states come together.
        return comb(most + kinds, kinds) * (1 + bool(dice.rerolls)) // 8 * unit.states
    return (1 + most) * counts * unit.states


def require_at_once(volleys: Sequence[SequenceVolley], unit: ModelUnit) -> None:
    """The same where nobody looks at dice, so that wounds are all there is to count."""
    positions, deferred = 0, 1
    for volley in volleys:
        if volley.attack is None:
            deferred *= 1 + volley.number.most
            positions += deferred
            continue
        most = volley.number.most * max(part.degree for part in volley.attack.parts.values())
        if volley.defers:
            deferred *= (1 + most) ** (len(volley.wounds) - volley.immediate)
        positions += deferred * (1 + most if volley.immediate < 2 else volley.immediate ** min(most, 64))
    require_positions(positions // 5 * unit.states, MAXIMUM_AT_ONCE)
