"""The initiative steps of a round of combat: both sides strike, then score, and the loser tests whether it breaks."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import groupby, product
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.distributions import Distribution, JointDistribution, convolution
from mathhammer.distributions.chain import extended, redrawn, transformed
from mathhammer.errors import MathhammerError
from mathhammer.expressions import as_expression
from mathhammer.modifiers import Modifier
from mathhammer.sequence import damage_of
from mathhammer.systems.t9a.armament import with_attributes
from mathhammer.systems.t9a.attributes import Attribute
from mathhammer.systems.t9a.outcome import CombatResult, Scoring
from mathhammer.systems.t9a.situation import read_situation
from mathhammer.systems.t9a.stages import Stages, compile_stages
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.arithmetic import Arithmetic
    from mathhammer.sequence import Rulings, SharedPools
    from mathhammer.systems.t9a.choices import CombatPlan
    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.units import Unit

#: Most wounds beyond the last Health Point that count in a Duel.
MOST_OVERKILL = 3

#: What the pools of both sides have lost, by how much the first side is ahead in blows, and of each side: wounds beyond
#: the last Health Point, a bit for each Breath Attack that was made, whether it failed its Fear Test, and which of its
#: alternatives fights this round.
State = tuple[int, ...]
#: Coordinates behind the losses, and the first of those of Fear Tests.
SIZE, FEAR = 9, 5
#: Where a part's attacks go: pairs of a place of the enemy's and a number of attacks, 0 for a random number of them.
Aim = tuple[tuple[int, int], ...]
#: The aims of all parts of a side that strike in an initiative step.
Aims = tuple[Aim, ...]


class Striking(NamedTuple):
    """Attacks of one part at one pool: how many model parts or attacks, and the models that one attack can hit.

    Then whether those who strike and those who are struck are afraid.
    """

    part: int
    place: int
    models: int
    attacks: int
    foes: int
    afraid: int
    enemy_afraid: int


class Policy(NamedTuple):
    """Choices of both players in a round: alternatives by its start, aims by initiative step and state."""

    alternatives: Callable[[State], tuple[int, int]]
    aims: Callable[[int, State], tuple[Aims, Aims]]


class Round:
    """A round of combat of two units, whatever they have lost before it."""

    def __init__(
        self,
        first: Unit,
        second: Unit,
        rules: Edition,
        rulings: Rulings,
        kind: Arithmetic,
        *,
        first_round: bool,
        duel: bool = False,
    ) -> None:
        self.sides = (
            Side(first, second, rules, rulings, kind, first_round=first_round),
            Side(second, first, rules, rulings, kind, first_round=first_round),
        )
        self._kind = kind
        self._duel = duel
        pools = self.sides[0].pools, self.sides[1].pools
        self.scoring = Scoring((first, second), pools, rules, rulings, exact=kind.mass.exact)
        self.places = self.scoring.places
        #: Agility, and side and part of all that strike with it, the quickest first.
        self.steps = _initiative_steps(self.sides)

    def require_combat(self) -> None:
        """Refuse two units without model parts of which neither is ahead by anything else that is scored."""
        first, second = self.scoring.units
        nothing = (0,) * (self.places + 2)
        if first.all_parts or second.all_parts or self.ended(self.begin(nothing))[self.places]:
            return
        raise MathhammerError(
            "expected a unit that strikes, or one that leads by its charge, ranks, flanks or standards; neither "
            f"{shown(first.name)} nor {shown(second.name)} does. Give one of them a model part, such as "
            "'Orcs: 10 x 1 attacks, Off 3, Str 4, Agi 2'"
        )

    def start(self) -> JointDistribution:
        """Return that nothing is lost: for each side what its pools have lost, and no Breath Attack made."""
        return self.certain((0,) * (self.places + 2))

    def certain(self, outcome: State) -> JointDistribution:
        """Return a joint distribution of one outcome."""
        axes = tuple(map(str, range(len(outcome))))
        return JointDistribution(axes, [outcome], self._kind.mass.from_weights((1,), 1))

    def result(self, policy: Policy | None, plan: CombatPlan | None = None) -> CombatResult:
        """Return what the round comes to of two units that have lost nothing."""
        scored = self.scored(self.start(), policy)
        stages = [stages for side in self.sides for each in side.stages for stages in each[:1]]
        outcome = transformed(scored, self.scoring.axes(), lambda each: each[: self.places + 1])
        return CombatResult(self.scoring, outcome, stages, plan)

    def scored(self, lost: JointDistribution, policy: Policy | None) -> JointDistribution:
        """Joint distribution of losses, difference of the Combat Scores and Breath Attacks made after the blows."""
        state = self.feared(transformed(lost, _axes(self.places + SIZE), self.begin))
        if policy is not None:
            state = transformed(state, state.axes, lambda each: (*each[:-2], *policy.alternatives(each)))
        for step in range(len(self.steps)):
            state = self.struck(state, step, None if policy is None else partial(policy.aims, step))
        return transformed(state, _axes(self.places + 3), self.ended)

    def begin(self, outcome: State) -> State:
        """Return the state before the Fear Tests of a round from the losses and the Breath Attacks made."""
        lost, made = outcome[: self.places], outcome[self.places :]
        afraid = [bool(side.unit.afraid) for side in self.sides]
        drawn = [side.first_alternative(bits) for side, bits in zip(self.sides, made, strict=True)]
        return (*lost, self.scoring.ahead_before(lost), 0, 0, *made, *afraid, *drawn)

    def feared(self, state: JointDistribution) -> JointDistribution:
        """Joint distribution after the Fear Tests.

        The 9th Age rulebook, 2nd edition, Model Rules, Fear: at the start of each Round of Combat.
        """
        for side in self.scoring.frightened:
            state = redrawn(state, str(self.places + FEAR + side), partial(self.scoring.fear_test, side))
        return state

    def ended(self, state: State) -> State:
        """Return losses, the difference of the Combat Scores and the Breath Attacks made."""
        places = self.places
        ahead, beyond, enemy_beyond = state[places : places + 3]
        difference = self.scoring.difference(state[:places], ahead + enemy_beyond - beyond)
        return (*state[:places], difference, *state[places + 3 : places + FEAR])

    def aims(self, step: int, side: int, state: State) -> Iterator[Aims]:
        """Yield the ways to allocate the attacks of a side in an initiative step, the fixed one first.

        The 9th Age rulebook, 2nd edition, Allocating Attacks; Breath Attack.
        """
        lost = self.scoring.split(state)
        made, drawn = state[self.places + 3 + side], state[-2 + side]
        yield from product(
            *(
                self.sides[side].aims(part, lost[side], lost[1 - side], made, drawn)
                for part in self.steps[step][1][side]
            )
        )

    def struck(
        self,
        state: JointDistribution,
        step: int,
        policy: Callable[[State], tuple[Aims, Aims]] | None = None,
    ) -> JointDistribution:
        """Joint distribution after an initiative step, in which both sides are as the last one left them."""

        @cache
        def aims(each: State) -> tuple[Aims, Aims]:
            if policy is not None:
                return policy(each)
            return next(self.aims(step, 0, each)), next(self.aims(step, 1, each))

        parts = self.steps[step][1]
        size = self.places + SIZE
        struck = [
            (side, place)
            for side in (0, 1)
            for place in sorted({place for part in parts[side] for place in self.sides[side].at[part]})
        ]
        for side, place in struck:

            def damage(outcome: State, side: int = side, place: int = place) -> Distribution:
                each = outcome[:size]
                return self._damage(side, place, parts[side], aims(each)[side], each)

            state = extended(state, f"damage {side} {place}", damage)

        return transformed(state, state.axes[:size], self._after(struck, parts, aims))

    def _after(
        self,
        struck: Sequence[tuple[int, int]],
        parts: Sequence[Sequence[int]],
        aims: Callable[[State], tuple[Aims, Aims]],
    ) -> Callable[[State], State]:
        """Return what makes a state of one before some damage of both sides, which stands behind it."""
        size, pools = self.places + SIZE, [side.pools for side in self.sides]
        own = len(pools[0].pools)
        #: Where each pool's damage stands, of a pool that is not struck at the end: a 0.
        places = [
            [
                size + struck.index((1 - victim, place)) if (1 - victim, place) in struck else -1
                for place in range(len(each.pools))
            ]
            for victim, each in enumerate(pools)
        ]
        breathes = [any(side.breath) for side in self.sides]

        @cache
        def fallen(victim: int, lost: State, damage: State) -> tuple[State, int, int]:
            """What one side has lost after damage, how much more than before, and the excess."""
            after = pools[victim].after(lost, damage)
            fell = sum(after) - sum(lost)
            return after, fell, sum(damage) - fell

        def after(outcome: State) -> State:
            padded = (*outcome, 0)
            mine, fell, excess = fallen(0, outcome[:own], tuple([padded[place] for place in places[0]]))
            theirs, enemies, beyond = fallen(
                1, outcome[own : self.places], tuple([padded[place] for place in places[1]])
            )
            ahead, *rest = outcome[self.places : size]
            if self._duel:
                rest[0], rest[1] = min(MOST_OVERKILL, rest[0] + excess), min(MOST_OVERKILL, rest[1] + beyond)
            for side, breath in enumerate(breathes):
                if breath:
                    for part, aim in zip(parts[side], aims(outcome[:size])[side], strict=True):
                        rest[2 + side] |= self.sides[side].breath[part] if aim else 0
            return (*mine, *theirs, ahead + enemies - fell, *rest)

        return after

    def _damage(self, side: int, place: int, parts: Sequence[int], aims: Aims, state: State) -> Distribution:
        lost = self.scoring.split(state)
        strikers, enemy = self.sides[side], self.sides[1 - side]
        foes = enemy.pools.standing(lost[1 - side])
        afraid = state[self.places + FEAR : self.places + FEAR + 2][:: -1 if side else 1]
        striking = tuple(
            strikers.striking(part, place, attacks, lost[side], foes, afraid)
            for part, aim in zip(parts, aims, strict=True)
            for at, attacks in aim
            if at == place
        )
        return strikers.damage(striking)


class Side:
    """One unit with its attacks compiled against the other, and the distributions of their damage."""

    def __init__(
        self,
        unit: Unit,
        enemy: Unit,
        rules: Edition,
        rulings: Rulings,
        kind: Arithmetic,
        *,
        first_round: bool,
    ) -> None:
        self.unit = unit
        self.pools: SharedPools = unit.pools(rules)
        self._enemy = enemy.pools(rules)
        self._rulings = rulings
        self._kind = kind
        self._distributions: dict[Striking, Distribution] = {}
        self._sums: dict[tuple[Striking, ...], Distribution] = {}
        self.parts = unit.all_parts
        #: Which alternative each part belongs to, or None.
        self._of = [None] * len(unit.parts) + [
            index for index, parts in enumerate(unit.alternatives) for _ in parts
        ]
        #: The places of the enemy that each part may strike at, and how it does that.
        self.at = [
            tuple(enemy.place(name, f"{part.name!r} strikes at") for name in part.allowed)
            for part in self.parts
        ]
        given = {
            "charging": unit.charging,
            "first_round": first_round,
            "in_combat": True,
            "flank_or_rear": unit.behind_the_enemy,
            "flanked": enemy.behind_the_enemy,
        }
        standing = self._enemy.standing((0,) * len(self._enemy.pools))

        @cache
        def compiled(afraid: int, enemy_afraid: int) -> list[tuple[Stages, ...]]:
            fear = {"attacker_afraid": bool(afraid), "target_afraid": bool(enemy_afraid)}
            situation = read_situation({**given, **fear, **unit.situation})
            # The 9th Age rulebook, 3rd edition, Combat Formation (Advantaged Position).
            formed = rules.steady_penalty is not None and unit.steady and unit.solid
            if formed and rulings["advantaged_position"] != "nothing":
                more = Modifier("add", 1, "Advantaged Position")
                situation = replace(situation, wound_modifier=(*situation.wound_modifier, more))
            return [
                tuple(
                    compile_stages(
                        # All attacks of a Supernal model are Magical (2nd edition, Model Rules, Supernal).
                        with_attributes(
                            one, (*one.attributes, *[Attribute("Magical Attacks")] * unit.supernal)
                        ),
                        enemy.bodies()[place][1],
                        situation,
                        rules,
                        rulings,
                        standing=standing,
                    )
                    for one, place in zip(part.each_allowed(), places, strict=True)
                )
                for part, places in zip(self.parts, self.at, strict=True)
            ]

        #: Each part against each place, by whether those who strike and those who are struck are afraid.
        self.compiled = compiled
        self.stages = compiled(bool(unit.afraid), bool(enemy.afraid))
        # Impact Hits are of the charge (The 9th Age rulebook, 2nd edition, Special Attacks).
        charging = unit.situation.get("charging", unit.charging)
        self.strikes = [charging or not part.has("Impact Hits") for part in self.parts]
        breaths = [part.has("Breath Attack") for part in self.parts]
        #: The bit of each Breath Attack, 0 for other parts: it is made once in a game (the same, Breath Attack).
        self.breath = [breath << sum(breaths[:place]) for place, breath in enumerate(breaths)]

        self._attacks = [stages[0].armed.attacks.bounds() for stages in self.stages]
        self._numbers: dict[tuple[int, State], int] = {}

    def first_alternative(self, made: int) -> int:
        """Return the first of its alternatives that can strike in this round."""
        striking = [
            of
            for of, strikes, breath in zip(self._of, self.strikes, self.breath, strict=True)
            if of is not None and strikes and not made & breath
        ]
        return min(striking, default=0)

    def number(self, part: int, lost: State) -> int:
        """Return how many of a part are left to strike."""
        found = self._numbers.get((part, lost))
        if found is None:
            found = self._numbers[part, lost] = self.unit.present(self.parts[part], self.pools, lost)
        return found

    @cached_property
    def nothing(self) -> Distribution:
        """Distribution of no damage."""
        return Distribution._new(self._kind.mass.from_weights((1,), 1), 0)  # noqa: SLF001 - of whole weights

    def aims(self, part: int, lost: State, enemy_lost: State, made: int, drawn: int) -> Iterator[Aim]:
        """Yield where the attacks of a part may go, the fixed way first: no aim for one that does not strike."""
        number = self.number(part, lost)
        if not number or self._of[part] not in {None, drawn} or made & self.breath[part]:
            yield ()
            return
        left = [place for place in self.at[part] if enemy_lost[place] < self._enemy.left[place]]
        places = left or self.at[part][:1]
        low, high = (each * number for each in self._attacks[part])
        if low != high or self.parts[part].special:
            yield from (((place, 0),) for place in places)
        else:
            yield from _splits(places, low)
        if self.breath[part]:
            yield ()

    def striking(
        self, part: int, place: int, attacks: int, lost: State, foes: int, afraid: State
    ) -> Striking:
        """Return attacks of a part at a place of the enemy, of whom so many models stand; then who is afraid."""
        number = self.number(part, lost)
        most = self.stages[part][0].distribution.hits_each
        return Striking(part, place, number, attacks, max(1, min(foes, most)), *afraid)

    def damage(self, striking: tuple[Striking, ...]) -> Distribution:
        """Distribution of the damage of several attacks at one pool."""
        if not striking:
            return self.nothing
        if striking not in self._sums:
            self._sums[striking] = convolution([self._of_part(each) for each in striking])
        return self._sums[striking]

    def _of_part(self, striking: Striking) -> Distribution:
        if striking not in self._distributions:
            part, place, number, attacks, foes, *afraid = striking
            stages = self.compiled(*afraid)[part][self.at[part].index(place)]
            volley = stages.against(foes, number, self._rulings)
            if attacks:
                volley = replace(volley, attacks=as_expression(attacks))
            self._distributions[striking] = damage_of(volley, self._kind)
        return self._distributions[striking]


def _splits(places: Sequence[int], attacks: int) -> Iterator[Aim]:
    """Yield the ways to divide attacks over places, all at the first place first."""
    first, *others = places
    if not others:
        yield ((first, attacks),) if attacks else ()
        return
    for here in range(attacks, -1, -1):
        for rest in _splits(others, attacks - here):
            yield (*(((first, here),) if here else ()), *rest)


def _axes(size: int) -> tuple[str, ...]:
    return tuple(map(str, range(size)))


def _initiative_steps(sides: Sequence[Side]) -> list[tuple[int, tuple[list[int], list[int]]]]:
    """Return each Agility with the parts of both sides that strike with it, the quickest first."""
    striking = sorted(
        (-stages[0].armed.agility, index, part)
        for index, side in enumerate(sides)
        for part, stages in enumerate(side.stages)
        if side.strikes[part]
    )
    steps = []
    for agility, group in groupby(striking, lambda item: -item[0]):
        found: tuple[list[int], list[int]] = ([], [])
        for _, side, part in group:
            found[side].append(part)
        steps.append((agility, found))
    return steps
