"""Where an attack stands that is played as a game: its volleys, what is still to come, and what lies on the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.sequence.attack_distribution import Held
    from mathhammer.sequence.grouped_unit import Order
    from mathhammer.sequence.rolled_dice import Counts, Seen, VolleyDice
    from mathhammer.sequence.volley import Volley

__all__ = ["BETWEEN", "Case", "DamageSeen", "Key", "Spend", "Turn"]

#: The part of no volley: before the next is chosen, and behind the last.
BETWEEN = -1


class Turn(NamedTuple):
    """A volley in its place.

    Parameters
    ----------
    volley
        The volley.
    parts
        The dice that it can have.
    part_of
        Of each state of the unit when it begins the place of its dice; None where it has but one.
    name
        What the volley is called.
    alike
        Equal numbers for equal volleys.
    """

    volley: Volley
    parts: Sequence[VolleyDice]
    part_of: Sequence[int] | None = None
    name: str = ""
    alike: int = 0


class DamageSeen(NamedTuple):
    """A damage die that lies on the table, or a save that has failed.

    Parameters
    ----------
    kind
        The kind of wounds, numbered through all volleys.
    choice
        The place of the choice of the target's player: which model, and whether it negates the damage.
    result
        What the die shows, by place; None where it is about to be re-rolled.
    way
        How it is re-rolled then.
    failed
        Whether it is a failed save that may be re-rolled.
    """

    kind: int
    choice: int
    result: int | None
    way: int = 0
    failed: bool = False


class Case(NamedTuple):
    """Who takes wounds: at whom they are directed, if that is settled, and the order of those that save in groups."""

    named: tuple[int, ...] | None
    order: Order | None = None


class Key(NamedTuple):
    """Where an attack stands, whatever the state of its target.

    Parameters
    ----------
    part
        The dice of a volley, numbered through all volleys; before a volley is chosen and at the end `BETWEEN`.
    step
        The step of the volley.
    counts
        Dice and wounds of each kind to come.
    held
        The names of the re-rolls that are held.
    waiting
        Deferred wounds of each kind of all volleys.
    left
        The volleys that come later.
    case
        Who takes wounds, where that has been settled.
    seen
        What lies on the table, if a player looks at it.
    """

    part: int
    step: int
    counts: Counts
    held: Held
    waiting: Counts
    left: tuple[int, ...]
    case: Case | None = None
    seen: Seen | DamageSeen | None = None


class Spend(NamedTuple):
    """A way to spend a re-roll: which one, on one of how many dice of which result, and whether that is a low one.

    More dice than re-rolls are held are not counted.
    """

    name: str
    label: str
    low: bool
    dice: int
