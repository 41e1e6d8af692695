"""A round of combat of The 9th Age played at the table, from the text of the rules, with exact fractions.

Nothing here comes from the package. Each attack is played die by die by `t9a_enumeration`; what several of them come
to is plain convolution, and every state of both sides is carried on by itself.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import t9a_enumeration as table

if TYPE_CHECKING:
    from collections.abc import Iterator

Lost = tuple[int, ...]
State = tuple[Lost, Lost]
_T = TypeVar("_T")

BODY = 0  # the pool of the rank and file comes first, then the Champion's, then one of each character


@dataclass(frozen=True)
class Strikes:
    """What some equal models strike with; without a skill they hit automatically."""

    attacks: int = 1
    models: int = 1
    skill: int | None = 4
    strength: int = 3
    penetration: int = 0
    agility: int = 3
    weapon: str = ""
    kind: str = ""  # "Impact Hits", "Stomp Attacks" or "Grind Attacks"
    area: tuple[int, int] | None = None
    bearer: int = BODY  # the pool of the models that strike
    victim: int = BODY  # the pool that is struck


@dataclass(frozen=True)
class Side:
    """One unit, and what is true of it in this round."""

    models: int = 5
    hit_points: int = 1
    defence: int = 4
    resilience: int = 3
    armour: int = 0
    champion: int | None = None
    characters: tuple[int, ...] = ()
    strikes: tuple[Strikes, ...] = ()
    charging: bool = False
    discipline: int = 7
    width: int | None = None
    standards: int = 0
    battle_standard: bool = False
    flanks: bool = False  # it fights the enemy's flank
    rear: bool = False
    bonus: int = 0
    stubborn: bool = False
    nature: str = ""  # "unstable", "undead", "supernal" or "unbreakable"
    fear: bool = False
    fearless: bool = False
    afraid: bool = False  # it failed its Fear Test in this round

    @property
    def pools(self) -> tuple[int, ...]:
        """Health Points of each pool."""
        champion = () if self.champion is None else (self.champion,)
        return (self.models * self.hit_points, *champion, *self.characters)

    def standing(self, lost: Lost) -> int:
        """Models that are left."""
        body = -(-(self.pools[BODY] - lost[BODY]) // self.hit_points)
        return body + sum(gone < full for gone, full in zip(lost[1:], self.pools[1:], strict=True))

    def full_ranks(self, lost: Lost) -> int:
        """Ranks that have all their models."""
        return 0 if self.width is None else self.standing(lost) // self.width

    def rank_bonus(self, lost: Lost) -> int:
        """One for each Full Rank after the first, at most three."""
        return min(3, max(0, self.full_ranks(lost) - 1))

    def destroyed(self, lost: Lost) -> bool:
        """Whether nobody is left."""
        return lost == self.pools


@dataclass(frozen=True)
class Round:
    """What a round comes to: final losses of both, breaking of each, and who has won, as exact distributions."""

    losses: dict[State, Fraction]
    breaks: tuple[Fraction, Fraction]
    difference: dict[int, Fraction]
    winner: dict[int, Fraction]  # 1 the first, -1 the second, 0 both


def fought(first: Side, second: Side, *, first_round: bool) -> Round:
    """Play the round."""
    sides = (first, second)
    fresh = ((0,) * len(first.pools), (0,) * len(second.pools))
    return _scored(sides, _blows_exchanged(sides, fresh, first_round=first_round))


def fought_on(first: Side, second: Side, rounds: int) -> dict[tuple[State, str], Fraction]:
    """Play rounds until one side is gone or breaks: what both have lost, and who broke."""
    sides = (first, second)
    fresh = ((0,) * len(first.pools), (0,) * len(second.pools))
    going: dict[State, Fraction] = {fresh: Fraction(1)}
    ended: dict[tuple[State, str], Fraction] = defaultdict(Fraction)
    for number in range(rounds):
        after: dict[State, Fraction] = defaultdict(Fraction)
        for before, p in going.items():
            states = _blows_exchanged(sides, before, first_round=not number)
            for state, broken, q in _tested(sides, states, before):
                if broken or any(side.destroyed(lost) for side, lost in zip(sides, state, strict=True)):
                    ended[state, broken] += p * q
                else:
                    after[state] += p * q
        going = dict(after)
        sides = (replace(first, charging=False), replace(second, charging=False))
    for state, p in going.items():
        ended[state, ""] += p
    return _found(ended)


def feared(sides: tuple[Side, Side]) -> list[tuple[tuple[Side, Side], Fraction]]:
    """The Fear Test at the start of a round, at -1: both sides as they fight in it, and how likely that is."""
    ways = [(sides, Fraction(1))]
    for side in (0, 1):
        own, enemy = sides[side], sides[1 - side]
        if enemy.fear and not own.fear and not own.fearless:
            held = _passes(own, own.discipline - 1)
            scared = (replace(own, afraid=True), enemy) if side == 0 else (enemy, replace(own, afraid=True))
            ways = [(sides, held), (scared, 1 - held)]
    return ways


def _blows_exchanged(sides: tuple[Side, Side], before: State, *, first_round: bool) -> dict[State, Fraction]:
    """The distribution of the losses after the Fear Tests and all blows."""
    states: dict[State, Fraction] = defaultdict(Fraction)
    for both, p in feared(sides):
        for state, q in _all_blows(both, before, first_round=first_round).items():
            states[state] += p * q
    return dict(states)


def _all_blows(sides: tuple[Side, Side], before: State, *, first_round: bool) -> dict[State, Fraction]:
    first, second = sides
    states = {before: Fraction(1)}
    steps = {
        _step(sides, side, one, first_round=first_round) for side in (0, 1) for one in sides[side].strikes
    }
    for step in sorted(steps, reverse=True):
        after: dict[State, Fraction] = defaultdict(Fraction)
        for state, p in states.items():
            blows = [
                _blows(sides, side, state, step, first_round=first_round) for side in (0, 1)
            ]  # what the first deals, and what the second deals
            for dealt, q in blows[0].items():
                for taken, r in blows[1].items():
                    fallen = (_fallen(first, state[0], taken), _fallen(second, state[1], dealt))
                    after[fallen] += p * q * r
        states = dict(after)
    return states


def _step(sides: tuple[Side, Side], side: int, strikes: Strikes, *, first_round: bool) -> int:
    """The Initiative Step: Agility, one more on the charge, ten at the most."""
    if strikes.kind == "Impact Hits":
        return 10
    if strikes.kind == "Stomp Attacks" or strikes.weapon == "Great Weapon":
        return 0
    agility = strikes.agility + sides[side].charging
    if strikes.weapon == "Spear" and _braced(sides, side, first_round=first_round):
        agility += 2
    return min(10, agility)


def _braced(sides: tuple[Side, Side], side: int, *, first_round: bool) -> bool:
    own, enemy = sides[side], sides[1 - side]
    return first_round and not own.charging and not enemy.flanks and not enemy.rear


def _blows(
    sides: tuple[Side, Side], side: int, state: State, step: int, *, first_round: bool
) -> dict[Lost, Fraction]:
    """The distribution of the wounds that a side deals to each pool of the other in this step."""
    own, enemy = sides[side], sides[1 - side]
    distribution: dict[Lost, Fraction] = {(0,) * len(enemy.pools): Fraction(1)}
    for strikes in own.strikes:
        if _step(sides, side, strikes, first_round=first_round) != step:
            continue
        if strikes.kind == "Impact Hits" and not own.charging:
            continue
        number = strikes.attacks * _striking(own, strikes, state[side])
        attack = _attack(strikes, own, enemy, braced=_braced(sides, side, first_round=first_round))
        hits = 1
        if strikes.area is not None:
            hits = min(strikes.area[0] * strikes.area[1], enemy.standing(state[1 - side]))
        distribution = _together(
            distribution, dict(_several(_damage_of(attack, hits), number)), strikes.victim
        )
    return distribution


def _striking(own: Side, strikes: Strikes, lost: Lost) -> int:
    left = own.pools[strikes.bearer] - lost[strikes.bearer]
    if strikes.bearer != BODY:
        return strikes.models if left else 0
    return min(strikes.models, -(-left // own.hit_points))


def _attack(strikes: Strikes, own: Side, enemy: Side, *, braced: bool) -> table.Attack:
    """One attack with the weapon in hand."""
    strength, penetration = strikes.strength, strikes.penetration
    if strikes.weapon == "Great Weapon":
        strength, penetration = strength + 2, penetration + 2
    if strikes.weapon == "Lance" and own.charging:
        strength, penetration = strength + 2, penetration + 2
    if strikes.weapon == "Spear":
        penetration += 2 if braced else 1
    need = 4
    if strikes.skill is not None:
        lead = strikes.skill - enemy.defence
        need = 2 if lead >= 4 else 3 if lead >= 1 else 4 if lead >= -3 else 5 if lead >= -7 else 6
    return table.Attack(
        kind="automatic" if strikes.skill is None else "melee",
        hit=need,
        modifier=enemy.afraid - own.afraid,
        strength=strength,
        penetration=penetration,
        resilience=enemy.resilience,
        armour=enemy.armour,
    )


@cache
def _damage_of(attack: table.Attack, hits: int) -> tuple[tuple[int, Fraction], ...]:
    """The distribution of the wounds of one attack that makes so many hits if it hits at all, die by die."""
    distribution: dict[int, Fraction] = defaultdict(Fraction)
    if hits > 1 and attack.kind != "automatic":
        sure = _damage_of(replace(attack, kind="automatic"), hits)
        for (hit, *_), p in table.enumerated(lambda roll: table.play(attack, roll)).items():  # type: ignore[misc]
            for damage, q in sure if hit else ((0, Fraction(1)),):
                distribution[damage] += p * q
        return tuple(distribution.items())
    for counts, p in table.enumerated(lambda roll: table.play(attack, roll)).items():
        distribution[counts[3]] += p  # type: ignore[index]
    return _several(tuple(distribution.items()), hits)


@cache
def _several(each: tuple[tuple[int, Fraction], ...], number: int) -> tuple[tuple[int, Fraction], ...]:
    distribution = {0: Fraction(1)}
    for _ in range(number):
        longer: dict[int, Fraction] = defaultdict(Fraction)
        for total, p in distribution.items():
            for damage, q in each:
                longer[total + damage] += p * q
        distribution = dict(longer)
    return tuple(distribution.items())


def _together(
    distribution: dict[Lost, Fraction], more: dict[int, Fraction], victim: int
) -> dict[Lost, Fraction]:
    found: dict[Lost, Fraction] = defaultdict(Fraction)
    for damage, p in distribution.items():
        for points, q in more.items():
            found[(*damage[:victim], damage[victim] + points, *damage[victim + 1 :])] += p * q
    return dict(found)


def _fallen(side: Side, lost: Lost, damage: Lost) -> Lost:
    """Losses after damage: what the rank and file cannot lose goes on to the Champion only."""
    total = [before + more for before, more in zip(lost, damage, strict=True)]
    if side.champion is not None:
        total[1] += max(0, total[BODY] - side.pools[BODY])
    return tuple(min(gone, full) for gone, full in zip(total, side.pools, strict=True))


def _scored(sides: tuple[Side, Side], states: dict[State, Fraction]) -> Round:
    losses: dict[State, Fraction] = defaultdict(Fraction)
    difference: dict[int, Fraction] = defaultdict(Fraction)
    winner: dict[int, Fraction] = defaultdict(Fraction)
    breaks = {"first": Fraction(0), "second": Fraction(0)}
    fresh = ((0,) * len(sides[0].pools), (0,) * len(sides[1].pools))
    for state, p in states.items():
        ahead = _score(sides, 0, state, fresh) - _score(sides, 1, state, fresh)
        difference[ahead] += p
        winner[_won(sides, state, ahead)] += p
    for state, broken, p in _tested(sides, states, fresh):
        losses[state] += p
        if broken:
            breaks[broken] += p
    return Round(_found(losses), (breaks["first"], breaks["second"]), _found(difference), _found(winner))


def _won(sides: tuple[Side, Side], state: State, ahead: int) -> int:
    """Who has no more foes has won, whatever the scores: 1 the first, -1 the second."""
    gone = [side.destroyed(lost) for side, lost in zip(sides, state, strict=True)]
    return gone[1] - gone[0] if any(gone) else (ahead > 0) - (ahead < 0)


def _tested(
    sides: tuple[Side, Side], states: dict[State, Fraction], before: State
) -> Iterator[tuple[State, str, Fraction]]:
    """Final losses of both and who broke, with its probability."""
    for state, p in states.items():
        ahead = _score(sides, 0, state, before) - _score(sides, 1, state, before)
        loser = {1: 1, -1: 0}.get(_won(sides, state, ahead))
        if loser is None or sides[loser].destroyed(state[loser]):
            yield state, "", p
            continue
        by = abs(ahead)
        nature = sides[loser].nature
        held = Fraction(1) if nature == "unbreakable" else _holds(sides, loser, state, by)
        if nature in {"", "unbreakable"}:
            yield state, ("first", "second")[loser], p * (1 - held)
            yield state, "", p * held
            continue
        crumbled = list(state)
        crumbled[loser] = _crumbled(sides, loser, state, by)
        stays = held if nature == "supernal" else Fraction(0)
        yield state, "", p * stays
        yield (crumbled[0], crumbled[1]), "", p * (1 - stays)


def _found(distribution: dict[_T, Fraction]) -> dict[_T, Fraction]:
    return {outcome: p for outcome, p in distribution.items() if p}


def _score(sides: tuple[Side, Side], side: int, state: State, before: State) -> int:
    own, dealt = sides[side], sum(state[1 - side]) - sum(before[1 - side])
    score = dealt + own.charging + own.standards + own.bonus + own.rank_bonus(state[side])
    if own.flanks or own.rear:
        score += 2 if own.full_ranks(state[side]) >= 2 else 1
    return score


def _steadfast(sides: tuple[Side, Side], side: int, state: State) -> bool:
    own, enemy = sides[side], sides[1 - side]
    foes = enemy.full_ranks(state[1 - side])
    disrupted = (enemy.flanks or enemy.rear) and foes >= 2
    return not disrupted and own.full_ranks(state[side]) > foes


def _holds(sides: tuple[Side, Side], side: int, state: State, by: int) -> Fraction:
    own, enemy = sides[side], sides[1 - side]
    value = own.discipline
    if not own.stubborn and not _steadfast(sides, side, state):
        value -= by
    if enemy.fear and not own.fear and not own.fearless:
        value -= 1
    return _passes(own, value)


def _passes(own: Side, value: int) -> Fraction:
    value = min(10, max(0, value))
    passed = Fraction(sum(one + two <= value for one in range(1, 7) for two in range(1, 7)), 36)
    return passed + (1 - passed) * passed if own.battle_standard else passed


def _crumbled(sides: tuple[Side, Side], side: int, state: State, by: int) -> Lost:
    """Unstable losses: rank and file, Champion, then the characters one Health Point after the other."""
    own, lost = sides[side], list(state[side])
    points = by
    if own.nature == "undead":
        if own.stubborn:
            points = (points + 1) // 2
        if _steadfast(sides, side, state):
            points = min(points, 12)
        if own.battle_standard:
            points -= max(1, own.rank_bonus(state[side]))
    order = [BODY] if own.champion is None else [BODY, 1]
    characters = [place for place in range(len(lost)) if place not in order]
    while points > 0:
        place = next((place for place in order if lost[place] < own.pools[place]), None)
        if place is None:
            alive = [place for place in characters if lost[place] < own.pools[place]]
            if not alive:
                break
            place = min(alive, key=lambda each: lost[each] - state[side][each])
        lost[place] += 1
        points -= 1
    return tuple(lost)
