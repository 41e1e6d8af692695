"""State of the target after attacks: the worst result so far, markers, Down, TOUGH used."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mathhammer.systems.trench_crusade.keywords import total
from mathhammer.systems.trench_crusade.profiles import MAXIMUM_MARKERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.systems.trench_crusade.profiles import Attacker, Target
    from mathhammer.systems.trench_crusade.stages import Stage

OUTCOMES = ("miss", "no effect", "minor hit", "down", "out of action")
"""Outcomes of an attack, the mildest first."""
MISS, NO_EFFECT, MINOR_HIT, DOWN, OUT = range(5)

#: Names of the coordinates of the state that a result shows.
AXES = ("outcome", "blood", "infection", "blessing", "down", "tough_used", "fumbled")


class Markers(NamedTuple):
    """The markers of one attacker."""

    blood: int
    infection: int
    blessing: int


class State(NamedTuple):
    """The target after some attacks, and the markers of those who attack it.

    Parameters
    ----------
    outcome
        The worst result so far, as an index of `OUTCOMES`.
    blood, infection, blessing
        Its markers; a model that is Out of Action has none.
    down, tough_used
        Whether it is Down, and whether its TOUGH was used.
    fumbled
        Whether an attack on it was a FUMBLE.
    hit_by
        Places of those in the joint Activation of a Fireteam who have hit it in it.
    attackers
        Markers of each attacker.

    Examples
    --------
    >>> State(2, 1, 0, 0, True, False, False, frozenset(), ()).coordinates
    (2, 1, 0, 0, 1, 0, 0)
    """

    outcome: int
    blood: int
    infection: int
    blessing: int
    down: bool
    tough_used: bool
    fumbled: bool
    hit_by: frozenset[int]
    attackers: tuple[Markers, ...]

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Values of the coordinates in `AXES`."""
        return tuple(map(int, self[:7]))


def start_state(target: Target, attackers: Sequence[Attacker]) -> State:
    """Return the state before any attack."""
    now = target.blood, target.infection, target.blessing, target.down, target.tough_used
    markers = tuple(Markers(each.blood, each.infection, each.blessing) for each in attackers)
    return State(MISS, *now, fumbled=False, hit_by=frozenset(), attackers=markers)


def activated(blood: int, infection: int, model: Attacker | Target) -> tuple[int, int]:
    """Return the Blood and Infection Markers of a model that is activated.

    Source: Trench Crusade rules 1.0.2, Keywords, REGENERATE; GOLEM, of which its own side removes no Blood Markers;
    Warbands of Trench Crusade, Infection Markers.
    """
    removed = 0 if model.has("GOLEM") else total(model.keywords, "REGENERATE")
    return max(0, blood - removed), min(MAXIMUM_MARKERS, infection + (infection > 0))


def injured(state: State, result: int, stage: Stage, *, bloodbath: bool) -> State:
    """Return the state after an Injury Roll.

    Source: Trench Crusade rules 1.0.2, Injuries; Keywords, TOUGH, GOLEM, FIRE, GAS, SHRAPNEL; Rules Commentaries 1.0.2,
    Keywords Q5.
    """
    target, tough_used = stage.target, state.tough_used
    if result == OUT and target.has("GOLEM") and not bloodbath:
        result = DOWN
    elif result == OUT and not tough_used and _tough(stage, bloodbath=bloodbath):
        result, tough_used = DOWN, True
    if result == OUT:
        return state._replace(
            outcome=OUT, blood=0, infection=0, blessing=0, down=False, tough_used=tough_used
        )
    gained = _gained(result, state, stage) + stage.extra_markers
    infects = stage.marker == "Infection"
    if result == DOWN and target.armour == "machine":
        result = MINOR_HIT
    return state._replace(
        outcome=max(state.outcome, result),
        blood=min(MAXIMUM_MARKERS, state.blood + (0 if infects else gained)),
        infection=min(MAXIMUM_MARKERS, state.infection + (gained if infects else 0)),
        down=state.down or result == DOWN,
        tough_used=tough_used,
    )


def _tough(stage: Stage, *, bloodbath: bool) -> bool:
    """Whether TOUGH may change this Out of Action result."""
    works = not bloodbath or stage.rulings["tough_in_bloodbath"] == "yes"
    return stage.target.has("TOUGH") and works


def _gained(result: int, state: State, stage: Stage) -> int:
    """Blood Markers of the result's row; Standfast makes a Down result the row of a Minor Hit."""
    if result < MINOR_HIT:
        return 0
    if result == DOWN and state.down:
        standfast = stage.target.armour == "machine"
        return 1 if standfast and stage.rulings["standfast_when_down"] == "one" else 2
    return 1
