"""The choices in rounds of combat of The 9th Age, tried one by one, with exact fractions.

Nothing here comes from the package. Blows, Combat Scores and Break Tests are those of `t9a_fight_enumeration`.
`best` asks both players at every turn what is best for them; `every_policy` plays the whole fight once for each way
in which one player may answer all situations that can come up.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import t9a_fight_enumeration as table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Options = dict[Any, "Callable[[], Fraction]"]
Ask = "Callable[[int, tuple[Any, ...], Options], Fraction]"


@dataclass(frozen=True)
class Fight:
    """Two sides, and what each may choose."""

    sides: tuple[table.Side, table.Side]
    rounds: int = 1
    victims: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)  # by side and strike
    alternatives: dict[int, tuple[tuple[int, ...], ...]] = field(default_factory=dict)  # sets of strikes
    breaths: tuple[tuple[int, int], ...] = ()
    objective: str = "break"
    of: int = 0  # whose objective it is


def best(fight: Fight, players: tuple[int, ...]) -> Fraction:
    """What the fight is worth if these players choose what is best for them."""

    def ask(player: int, situation: tuple[Any, ...], options: Options) -> Fraction:  # noqa: ARG001
        if player not in players:
            return next(iter(options.values()))()
        return (max if player == fight.of else min)(option() for option in options.values())

    return _played(fight, ask)


def every_policy(fight: Fight, player: int) -> Iterator[Fraction]:
    """What the fight is worth under each policy of one player, while the other makes no choices."""
    open_policies: list[dict[tuple[Any, ...], Any]] = [{}]
    while open_policies:
        policy = open_policies.pop()

        def ask(whose: int, situation: tuple[Any, ...], options: Options, policy: Any = policy) -> Fraction:
            if whose != player or len(options) == 1:
                return next(iter(options.values()))()
            if situation not in policy:
                raise _Unanswered(situation, tuple(options))
            return options[policy[situation]]()

        try:
            yield _played(fight, ask)
        except _Unanswered as missing:
            open_policies += [{**policy, missing.situation: each} for each in missing.options]


class _Unanswered(Exception):  # noqa: N818 - no error
    def __init__(self, situation: tuple[Any, ...], options: tuple[Any, ...]) -> None:
        super().__init__()
        self.situation = situation
        self.options = options


def _played(fight: Fight, ask: Any) -> Fraction:
    fresh = tuple((0,) * len(side.pools) for side in fight.sides)
    charged = fight.sides[1].charging and not fight.sides[0].charging

    @cache
    def start(number: int, state: Any, made: Any) -> Fraction:
        active = (number + charged) % 2
        ways = table.feared(fight.sides)
        return sum(
            (p * drawn(number, sides, state, made, (active, 1 - active), ()) for sides, p in ways), Fraction()
        )

    def drawn(
        number: int, sides: Any, state: Any, made: Any, turns: tuple[int, ...], chosen: Any
    ) -> Fraction:
        if len(chosen) == 2:
            if number:
                sides = tuple(replace(side, charging=False) for side in sides)
            found = dict(zip(turns, chosen, strict=True))
            steps = sorted(
                {
                    table._step(sides, side, one, first_round=not number)
                    for side in (0, 1)
                    for one in sides[side].strikes
                },
                reverse=True,
            )
            return stepped(number, sides, state, state, made, turns, found, tuple(steps))
        side = turns[len(chosen)]
        sets = fight.alternatives.get(side, ((),))
        # Who makes no choices takes the first that can strike.
        sets = sorted(sets, key=lambda one: all((side, index) in made for index in one))
        return ask(
            side,
            (number, "start", _afraid(sides), state, made, chosen),
            {one: lambda one=one: drawn(number, sides, state, made, turns, (*chosen, one)) for one in sets},
        )

    def stepped(
        number: int, sides: Any, before: Any, state: Any, made: Any, turns: Any, found: Any, steps: Any
    ) -> Fraction:
        if not steps:
            return ended(number, sides, before, state, made)
        return aimed(number, sides, before, state, made, turns, found, steps, ())

    def aimed(
        number: int,
        sides: Any,
        before: Any,
        state: Any,
        made: Any,
        turns: Any,
        found: Any,
        steps: Any,
        aims: Any,
    ) -> Fraction:
        if len(aims) == 2:
            said = dict(zip(turns, aims, strict=True))
            acting = tuple(replace(sides[side], strikes=said[side][0]) for side in (0, 1))
            used = made | said[0][1] | said[1][1]
            first_round, step = not number, steps[0]
            dealt, taken = (
                _blows(acting, sides, side, state, step, first_round=first_round) for side in (0, 1)
            )
            total = Fraction(0)
            for hit, p in dealt.items():
                for got, q in taken.items():
                    after = table._fallen(sides[0], state[0], got), table._fallen(sides[1], state[1], hit)
                    total += p * q * stepped(number, sides, before, after, used, turns, found, steps[1:])
            return total
        side = turns[len(aims)]
        ways = _ways(fight, sides, side, state, made, found[side], steps[0], first_round=not number)
        return ask(
            side,
            (number, steps[0], _afraid(sides), before, state, made, tuple(found.items()), aims),
            {
                way: lambda way=way: aimed(
                    number, sides, before, state, made, turns, found, steps, (*aims, way)
                )
                for way in ways
            },
        )

    def ended(number: int, sides: Any, before: Any, state: Any, made: Any) -> Fraction:
        total = Fraction(0)
        for lost, broken, p in table._tested(sides, {state: Fraction(1)}, before):
            gone = [side.destroyed(each) for side, each in zip(sides, lost, strict=True)]
            if not p:
                continue
            if broken or any(gone) or number + 1 == fight.rounds:
                total += p * _worth(
                    fight, lost, [gone[0] or broken == "first", gone[1] or broken == "second"]
                )
            else:
                total += p * start(number + 1, lost, made)
        return total

    return start(0, fresh, frozenset())


def _afraid(sides: Any) -> tuple[bool, ...]:
    return tuple(side.afraid for side in sides)


def _worth(fight: Fight, lost: Any, over: list[bool]) -> int:
    own = fight.of
    if fight.objective == "health points":
        return sum(lost[1 - own]) - sum(lost[own])
    return int(over[1 - own] if fight.objective == "break" else not over[own])


def _ways(
    fight: Fight, sides: Any, side: int, state: Any, made: Any, drawn: Any, step: int, *, first_round: bool
) -> list[Any]:
    """All that a side may do in a step: the strikes with where they go, and the breaths that are made."""
    own, enemy = sides[side], sides[1 - side]
    in_sets = {index for each in fight.alternatives.get(side, ()) for index in each}
    ways: list[tuple[Any, frozenset[Any]]] = [((), frozenset())]
    for index, strikes in enumerate(own.strikes):
        if table._step(sides, side, strikes, first_round=first_round) != step:
            continue
        number = strikes.attacks * table._striking(own, strikes, state[side])
        if not number or (index in in_sets and index not in drawn) or (side, index) in made:
            continue
        victims = fight.victims.get((side, index), (strikes.victim,))
        standing = [each for each in victims if state[1 - side][each] < enemy.pools[each]] or [victims[0]]
        one = replace(strikes, models=1)
        split = [
            tuple(
                replace(one, attacks=count, victim=victim)
                for count, victim in zip(counts, standing, strict=True)
                if count
            )
            for counts in _counts(number, len(standing))
        ]
        breath = {(side, index)} if (side, index) in fight.breaths else set()
        more: list[Any] = [(each, breath) for each in split] + ([((), set())] if breath else [])
        ways = [((*old, *new), used | also) for old, used in ways for new, also in more]
    return ways


def _counts(number: int, places: int) -> list[tuple[int, ...]]:
    if places == 1:
        return [(number,)]
    return [(here, *rest) for here in range(number, -1, -1) for rest in _counts(number - here, places - 1)]


def _blows(
    acting: Any, sides: Any, side: int, state: Any, step: int, *, first_round: bool
) -> dict[Any, Fraction]:
    """What a side deals in a step with just these strikes."""
    both = (acting[0], sides[1]) if side == 0 else (sides[0], acting[1])
    return table._blows(both, side, state, step, first_round=first_round)
