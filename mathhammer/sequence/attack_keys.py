"""Where an attack stands that is played as a game: its volleys, what is still to come, and what lies on the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.distributions import IntegerDistribution
    from mathhammer.sequence.attack_distribution import Held
    from mathhammer.sequence.grouped_unit import Order
    from mathhammer.sequence.rolled_dice import Counts, Seen, VolleyDice
    from mathhammer.sequence.volley import Volley

#: The part of no volley: before the next is chosen, and behind the last.
BETWEEN = -1


class Turn(NamedTuple):
    """A volley in its place."""

    #: The volley.
    volley: Volley
    #: The dice that it can have.
    parts: Sequence[VolleyDice]
    #: Of each state of the unit when it begins the place of its dice; None where it has but one.
    part_of: Sequence[int] | None = None
    #: What the volley is called.
    name: str = ""
    #: Equal numbers for equal volleys.
    alike: int = 0
    #: From a state of the unit the state after the volley, where nobody decides anything within it.
    outcome: Callable[[int], IntegerDistribution] | None = None


class DamageSeen(NamedTuple):
    """A damage die that lies on the table, or a save that has failed."""

    #: The kind of wounds, numbered through all volleys.
    kind: int
    #: The place of the choice of the target's player: which model, and whether it negates the damage.
    choice: int
    #: What the die shows, by place; None where it is about to be re-rolled.
    result: int | None
    #: How it is re-rolled then.
    way: int = 0
    #: Whether it is a failed save that may be re-rolled.
    failed: bool = False


class Case(NamedTuple):
    """Who takes wounds: at whom they are directed, if that has been chosen, and the order of the groups."""

    named: tuple[int, ...] | None
    order: Order | None = None


class Key(NamedTuple):
    """Where an attack stands, whatever the state of its target."""

    #: The dice of a volley, numbered through all volleys; before a volley is chosen and at the end `BETWEEN`.
    part: int
    #: The step of the volley.
    step: int
    #: Dice and wounds of each kind to come.
    counts: Counts
    #: The names of the re-rolls that are held.
    held: Held
    #: Deferred wounds of each kind of all volleys.
    deferred: Counts
    #: The volleys that come later.
    left: tuple[int, ...]
    #: Who takes wounds, where that has been chosen.
    case: Case | None = None
    #: What lies on the table, if a player looks at it.
    seen: Seen | DamageSeen | None = None


class Spend(NamedTuple):
    """A way to spend a re-roll: which one, on one of how many dice of which result, and whether that is a low one."""

    name: str
    label: str
    low: bool
    dice: int
