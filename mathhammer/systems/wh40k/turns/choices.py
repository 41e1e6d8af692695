"""Choices between the rolls of a turn: whether to do a stage at all, and whether to re-roll a failed charge."""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.distributions import JointDistribution
from mathhammer.distributions.chain import parted, transformed, united
from mathhammer.distributions.decisions import Decision, solved
from mathhammer.errors import TooLargeError
from mathhammer.systems.wh40k.turns.play import AXES, END, FAILED, POSITION, STAGES, Play

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mathhammer.systems.wh40k.turns.combatant import Side

#: The choice to spend a Command Re-roll on a charge roll that failed.
REROLL = "charge re-roll"
#: Most pairs of states of both units where choices are made: each is followed to the end by itself.
MAXIMUM_PAIRS = 2_500


class Choice(NamedTuple):
    """A choice of one of the players."""

    #: The stage that is done or left out, or the re-roll.
    name: str
    #: 0 for the attacker's, 1 for the defender's.
    player: int
    #: Number of the steps that follow that are left out.
    skips: int


Outcome = tuple[int, ...]
Step = str | Choice
#: For each choice, by its place among the steps, the outcomes before it in which the stage is left out.
Plan = dict[int, frozenset[Outcome]]


def steps_of(stages: Sequence[str], best: Collection[str], *, answered: bool) -> tuple[list[Step], list[int]]:
    """Return stages with the choices before them, and where the steps of each stage end.

    Warhammer 40,000 10th edition core stratagems, Fire Overwatch; 11th edition core stratagems, 15.08: at the end of
    the opponent's Movement phase.
    """
    steps: list[Step] = []
    ends: list[int] = []
    places = iter(range(len(stages)))
    for place in places:
        pair = tuple(stages[place : place + 2]) == ("overwatch", "charge")
        together = answered and pair and "charge" in best
        pieces = [_piece(stage, best) for stage in stages[place : place + 1 + together]]
        if together:
            next(places)
            pieces[1] = pieces[1][1:]  # the choice to charge comes before both
            steps.append(Choice("charge", STAGES["charge"], sum(map(len, pieces))))
        for piece in pieces:
            steps += piece
            ends.append(len(steps))
    if steps[-1] in ("attacker fights", "defender fights"):
        steps.append(END)
        ends[-1] += 1
    return steps, ends


def _piece(stage: str, best: Collection[str]) -> list[Step]:
    """Return the steps of one stage."""
    steps: list[Step] = [stage]
    if stage == "charge" and REROLL in best:
        steps += [Choice(REROLL, STAGES[stage], 1), REROLL]
    return [Choice(stage, STAGES[stage], len(steps)), *steps] if stage in best else steps


def best_choices(
    play: Play,
    steps: Sequence[Step],
    start: Sequence[Outcome],
    values: tuple[Sequence[int], Sequence[int]],
) -> Plan:
    """Return the best plan of both players, each against the other's, from any outcome of the turns before."""
    pairs = play.sides[0].unit.states * play.sides[1].unit.states
    if pairs > MAXIMUM_PAIRS:
        raise TooLargeError(
            f"expected two units of at most {MAXIMUM_PAIRS:,} pairs of states for choices within a turn, got "
            f"{pairs:,}; use smaller units, or compute the turn with and without the stage and compare their values"
        )

    def game(position: tuple[int, Outcome]) -> Decision[tuple[int, Outcome]] | None:
        place, outcome = position
        if place == len(steps):
            return None
        step = steps[place]
        if isinstance(step, Choice):
            does, leaves = {(place + 1, outcome): 1}, {(place + 1 + step.skips, outcome): 1}
            if not _chooses(step, play.sides, outcome):
                return Decision([leaves if step.name == REROLL else does])
            # Of equally good options the first is taken, so that a re-roll without effect is kept.
            options = [leaves, does] if step.name == REROLL else [does, leaves]
            return Decision(options, 1, step.player == 0)
        mass = play.sides[0].at(0)._mass  # noqa: SLF001 - certain
        after = done(play, step, JointDistribution(AXES, [outcome], mass))
        weights, denominator = after._mass.weights()  # noqa: SLF001 - whole numbers for the solver
        onward = {
            (place + 1, each): int(weight)
            for each, weight in zip(after._outcomes, weights, strict=True)  # noqa: SLF001
            if weight
        }
        return Decision([onward], int(denominator))

    own, theirs = values

    def worth(end: tuple[int, Outcome]) -> int:
        _, outcome = end
        return theirs[outcome[1]] - own[outcome[0]]

    plan, _ = solved(game, [(0, outcome) for outcome in start], worth)
    found: dict[int, set[Outcome]] = {}
    for (place, outcome), option in plan.items():
        left_out, step = found.setdefault(place, set()), steps[place]
        if (option == 0) is (isinstance(step, Choice) and step.name == REROLL):
            left_out.add(outcome)
    return {place: frozenset(outcomes) for place, outcomes in found.items()}


def _chooses(choice: Choice, sides: tuple[Side, Side], outcome: Outcome) -> bool:
    """Whether there is anything to choose: both units are left, and a charge failed that may be re-rolled."""
    if any(outcome[place] == side.gone for place, side in enumerate(sides)):
        return False
    return choice.name != REROLL or outcome[POSITION] == FAILED


def done(play: Play, stage: str, joint: JointDistribution) -> JointDistribution:
    """Return the joint distribution after a stage or a re-roll."""
    return play.charge(joint, again=True) if stage == REROLL else play.after(stage, joint)


def planned(
    play: Play, steps: Sequence[Step], start: JointDistribution, plan: Plan
) -> tuple[list[JointDistribution], dict[int, JointDistribution]]:
    """Return the joint distribution before each step and after the last, and of each choice where it is made."""
    pending: dict[int, list[JointDistribution]] = {0: [start]}
    before: list[JointDistribution] = []
    choices: dict[int, JointDistribution] = {}
    for place in range(len(steps) + 1):
        here = pending.pop(place, [])
        before.append(_together([*here, *(joint for later in pending.values() for joint in later)]))
        if place == len(steps) or not here:
            continue
        joint, step = _together(here), steps[place]
        if not isinstance(step, Choice):
            pending.setdefault(place + 1, []).append(done(play, step, joint))
            continue
        made, idle = parted(joint, partial(_chooses, step, play.sides))
        left_out, does = parted(made, plan.get(place, frozenset()).__contains__)
        choices[place] = made
        after_idle = place + 1 + (step.skips if step.name == REROLL else 0)
        for part, to in ((left_out, place + 1 + step.skips), (does, place + 1), (idle, after_idle)):
            if part._outcomes:  # noqa: SLF001 - a total would be a number of SymPy
                pending.setdefault(to, []).append(part)
    return before, choices


def _together(parts: Sequence[JointDistribution]) -> JointDistribution:
    """Return the sum of parts, some of which may hold the same outcomes."""
    if len(parts) == 1:
        return parts[0]
    return transformed(reduce(united, parts), AXES, lambda outcome: outcome)
