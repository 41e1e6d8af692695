"""Where an attack stands that is played as a game, and what its players see there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mathhammer.sequence.attack_dice import given_up
from mathhammer.sequence.reroll_plan import KEEP
from mathhammer.sequence.rolled_dice import ResultChoice, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from mathhammer.distributions.integer_distribution import IntegerDistribution
    from mathhammer.distributions.kernel import Held
    from mathhammer.sequence.attack_game import AttackGame
    from mathhammer.sequence.grouped_unit import Order
    from mathhammer.sequence.rolled_dice import Counts, Seen, VolleyDice
    from mathhammer.sequence.volley import SequenceVolley


#: The part of no volley: before the next is chosen, and behind the last.
BETWEEN = -1


class Turn(NamedTuple):
    """A volley in its place."""

    #: The volley.
    volley: SequenceVolley
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
    #: What the die shows, by place.
    result: int = 0
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


class RerollSpend(NamedTuple):
    """A way to spend a re-roll: which one, on one of how many dice of which result, and whether that is a low one."""

    name: str
    label: str
    low: bool
    dice: int


class PlayerView:
    """What a player sees in a position of an attack, and what they may do."""

    def __init__(self, game: AttackGame) -> None:
        self._game = game

    def decided(self, position: int) -> str:
        """Return what the attackers' player decides about in a position: a roll, or nothing."""
        key = self._game.key(position)
        if isinstance(key.seen, DamageSeen):
            return "" if key.seen.failed else "damage"
        if key.part == BETWEEN and key.left:
            return "order"
        step = self._game.parts[key.part].steps[key.step] if key.part != BETWEEN else None
        if isinstance(step, (ResultChoice, Stage)):
            return "" if step.roll == "save" else step.roll
        return "precision" if self._game.names_now(key, self._game.state(position)) else ""

    def options(self, position: int) -> list[str]:
        """Return what each option of the attackers' player is called."""
        game, key, decided = self._game, self._game.key(position), self.decided(position)
        if decided == "order":
            return [game.turns[place].name for place in game.next_volleys(key.left)]
        if decided == "precision":
            return [self._named(named) for named in game.directions(key, game.state(position))]
        step = game.parts[key.part].steps[key.step] if key.part != BETWEEN else None
        if isinstance(step, ResultChoice):
            return ["take all", *("roll " + "+".join(map(str, given)) for given in given_up(key, step)[1:])]
        return [KEEP, *(each.label for each in self.rerolls_of(position))]

    def _named(self, named: tuple[int, ...]) -> str:
        return " and ".join(self._game.unit.groups[group].name for group in named) or "nobody"

    def rerolls_of(self, position: int) -> list[RerollSpend]:
        """Return the ways in which a player can spend a re-roll in a position: all its options but the first."""
        key = self._game.key(position)
        if key.seen is None:
            return []
        if isinstance(key.seen, DamageSeen):
            part = self._game.kinds[key.seen.kind][0]
            shown = [(self._game.die(key.seen.kind).results[key.seen.result], 1)]
            names = self._game.usable_of(part, key.held, "damage")
        else:
            stage = self._game.stage(key)
            shown = [(stage.results[place], number) for place, number in enumerate(key.seen.fresh) if number]
            names = self._game.usable_of(key.part, key.held, stage.roll)
        several = len(names) > 1
        return [
            RerollSpend(
                name,
                (each.names[place] if each.names else each.label)
                + (f" ({name.split(' ', 1)[-1]})" if several else ""),
                each.low,
                number,
            )
            for name in names
            for each, number in shown
            for place in range(len(each.rerolls))
        ]

    def usable_names(self, position: int) -> Collection[str]:
        """Return the re-rolls that a volley may use whose dice are looked at in a position."""
        key = self._game.key(position)
        part = self._game.kinds[key.seen.kind][0] if isinstance(key.seen, DamageSeen) else key.part
        return () if part == BETWEEN else self._game.usable[part]

    def shown(self, key: Key) -> list[tuple[str, int]]:
        """Return what lies on the table, and how many dice show it."""
        seen = key.seen
        if isinstance(seen, DamageSeen):
            return [(self._game.die(seen.kind).results[seen.result].label, 1)]
        if seen is not None:
            found = zip(self._game.stage(key).results, seen.results, strict=True)
            return [(each.label, count) for each, count in found if count]
        step = self._game.parts[key.part].steps[key.step] if key.part != BETWEEN else None
        if isinstance(step, ResultChoice):
            return [(step.label, sum(key.counts[place] for place in step.places))]
        return []

    def to_come(self, key: Key) -> tuple[tuple[str, int], ...]:
        """Return the dice and wounds of each kind that are still to come, by their names."""
        found: dict[str, int] = {}
        if key.part != BETWEEN:
            step = self._game.parts[key.part].steps[key.step]
            chosen = step.places if isinstance(step, ResultChoice) else ()
            for place, (name, number) in enumerate(
                zip(self._game.parts[key.part].names, key.counts, strict=True)
            ):
                if number and place not in chosen:
                    found[name] = found.get(name, 0) + number
        for kind, number in enumerate(key.deferred):
            if number:
                name = self.name_of(kind)
                found[name] = found.get(name, 0) + number
        return tuple(found.items())

    def volley_at(self, key: Key) -> int:
        """Return the place of the volley that is resolved, of those that are to come the first; the last at the end."""
        if isinstance(key.seen, DamageSeen):
            return self._game.volley_of[self._game.kinds[key.seen.kind][0]]
        if key.part != BETWEEN:
            return self._game.volley_of[key.part]
        return key.left[0] if key.left else len(self._game.turns) - 1

    def name_of(self, kind: int) -> str:
        """Return what a kind of wounds is called."""
        part, place = self._game.kinds[kind]
        return self._game.parts[part].names[self._game.parts[part].first + place]
