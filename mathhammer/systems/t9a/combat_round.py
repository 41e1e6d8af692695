"""A round of combat as stages of dice and choices: Fear, initiative steps, Combat Scores, and the Break Test."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache, partial, reduce
from itertools import chain, islice, product
from math import prod
from operator import or_, sub
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mathhammer.distributions.combination import convolution
from mathhammer.distributions.decisions import Decision
from mathhammer.errors import MathhammerError
from mathhammer.modifiers import Modifier
from mathhammer.sequence.result import damage_of
from mathhammer.systems.t9a.attributes import Attribute
from mathhammer.systems.t9a.rolls import break_test, fear_test, unstable_losses
from mathhammer.systems.t9a.situation import read_situation
from mathhammer.systems.t9a.stages import Stages, with_attributes
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.sequence.rolls import RollResult
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.units import Unit

#: Most wounds beyond the last Health Point that count in a Duel.
MOST_OVERKILL = 3
#: Full Ranks from which a unit in the flank counts more, and disrupts ranks.
DEEP = 2
#: How a combat can end, in the order of their numbers; a unit that breaks and is caught is destroyed.
ENDS = (
    "still fighting",
    "first destroyed",
    "second destroyed",
    "both destroyed",
    "first breaks",
    "second breaks",
    "first caught",
    "second caught",
)

#: What each pool of a unit has lost.
Lost = tuple[int, ...]
Pair = tuple[int, int]
#: Where a part's attacks go: pairs of a place of the enemy's and a number of attacks, 0 for a random number of them.
Aim = tuple[tuple[int, int], ...]
#: The aims of all parts of a side that strike in an initiative step.
Aims = tuple[Aim, ...]
#: What strikes at one pool, each as part, place, model parts, attacks, hits of one attack, and who is afraid.
Volley = tuple[tuple[int, int, int, int, int, Pair], ...]

K = TypeVar("K")
#: Whole weights of outcomes, and what they are out of.
Law = tuple[Mapping[K, int], int]


class RoundState(NamedTuple):
    """Where a round of combat stands; what there is for each side comes as a pair."""

    lost: tuple[Lost, Lost]
    #: By how much the first side is ahead in what was counted so far.
    ahead: int
    #: Wounds beyond the last Health Point in a Duel.
    beyond: Pair
    #: A bit for each Breath Attack that was made.
    made: Pair
    #: Whether it failed its Fear Test.
    afraid: Pair
    #: Which of its alternatives fights this round.
    drawn: Pair
    #: What was allocated in this initiative step by a player who chooses.
    aims: tuple[Aims, Aims] = ((), ())

    def put(self, field: str, side: int, value: Any) -> RoundState:
        """Return the state with one side's entry of a field changed."""
        pair = getattr(self, field)
        change: Any = {field: (pair[0], value) if side else (value, pair[1])}
        return self._replace(**change)


class Formation(NamedTuple):
    """Full Ranks of a unit, None without a rank width; its Rank Bonus, and the Combat Score that is no blow's."""

    ranks: int | None
    deep: bool
    rank_bonus: int
    score: int


class Ended(NamedTuple):
    """How a round ended: the losses, those of Unstable units among them, the scores, and the place among the ends."""

    lost: tuple[Lost, Lost]
    difference: int
    #: 1 where the first unit won, -1 where the second did, 0 where both count as winners.
    won: int
    made: Pair
    end: int


class Moment(NamedTuple):
    """What comes in a state at one point of a round; who chooses, and in which initiative step, -1 at the start."""

    node: Callable[[RoundState], Decision[Any]]
    side: int = -1
    step: int = -1


class Side:
    """One unit with its attacks compiled against the other, and the distributions of their damage."""

    def __init__(
        self, unit: Unit, enemy: Unit, rules: Edition, rulings: Rulings, *, first_round: bool, duel: bool
    ) -> None:
        # All attacks of a Supernal model are Magical (2nd edition, Model Rules, Supernal).
        magical = (Attribute("Magical Attacks"),) * unit.supernal
        self.unit = unit
        self.parts = [with_attributes(part, (*part.attributes, *magical)) for part in unit.all_parts]
        self.pools, self._enemy = unit.pools(rules), enemy.pools(rules)
        self._most_excess = MOST_OVERKILL if duel else 0
        #: Which alternative each part belongs to, or None.
        self._of = [None] * len(unit.parts) + [
            index for index, parts in enumerate(unit.alternatives) for _ in parts
        ]
        #: The places of the enemy that each part may strike at.
        self.at = [
            tuple(enemy.place(name, f"{part.name!r} strikes at") for name in part.allowed)
            for part in self.parts
        ]
        standing, bodies = self._enemy.standing((0,) * len(self._enemy.pools)), enemy.bodies()

        @cache
        def compiled(afraid: int, enemy_afraid: int) -> list[tuple[Stages, ...]]:
            given = {
                "charging": unit.charging,
                "first_round": first_round,
                "in_combat": True,
                "flank_or_rear": unit.behind_the_enemy,
                "flanked": enemy.behind_the_enemy,
                "attacker_afraid": bool(afraid),
                "target_afraid": bool(enemy_afraid),
            }
            situation = read_situation({**given, **unit.situation})
            # The 9th Age rulebook, 3rd edition, Combat Formation (Advantaged Position).
            formed = rules.steady_penalty is not None and unit.steady and unit.solid
            if formed and rulings["advantaged_position"] != "nothing":
                more = Modifier("add", 1, "Advantaged Position")
                situation = situation.changed(wound_modifier=(*situation.wound_modifier, more))
            return [
                tuple(
                    Stages(
                        part.with_value("at", at), bodies[at], situation, rules, rulings, standing=standing
                    )
                    for at in part.allowed
                )
                for part in self.parts
            ]

        #: Each part against each place, by whether those who strike and those who are struck are afraid.
        self._compiled = compiled
        self.stages = compiled(bool(unit.afraid), bool(enemy.afraid))
        # Impact Hits are of the charge (The 9th Age rulebook, 2nd edition, Special Attacks).
        charging = unit.situation.get("charging", unit.charging)
        self.strikes = [charging or not part.has("Impact Hits") for part in self.parts]
        breaths = [part.has("Breath Attack") for part in self.parts]
        #: The bit of each Breath Attack, 0 for other parts: it is made once in a game (the same, Breath Attack).
        self.breath = [breath << sum(breaths[:place]) for place, breath in enumerate(breaths)]
        self._number = cache(lambda part, lost: unit.present(self.parts[part], self.pools, lost))
        self._damage, self._law = cache(self._damage_of_part), cache(self._law_of_volley)
        self.struck = cache(self._struck)

    def first_alternative(self, made: int) -> int:
        """Return the first of its alternatives that can strike in this round."""
        parts = zip(self._of, self.strikes, self.breath, strict=True)
        return min(
            (of for of, can, breath in parts if of is not None and can and not made & breath), default=0
        )

    def aims(self, part: int, lost: Lost, enemy_lost: Lost, made: int, drawn: int) -> Iterator[Aim]:
        """Yield where the attacks of a part may go, the fixed way first: no aim for one that does not strike."""
        number = self._number(part, lost)
        if not number or self._of[part] not in {None, drawn} or made & self.breath[part]:
            yield ()
            return
        left = [place for place in self.at[part] if enemy_lost[place] < self._enemy.left[place]]
        places = left or self.at[part][:1]
        low, high = (each * number for each in self.stages[part][0].armed.attacks.bounds())
        if low != high or self.parts[part].special:
            yield from (((place, 0),) for place in places)
        else:
            yield from _splits(places, low)
        if self.breath[part]:
            yield ()

    def volleys(
        self, parts: Sequence[int], aims: Aims, lost: Lost, enemy_lost: Lost, afraid: Pair
    ) -> tuple[Volley, ...]:
        """Return for each pool of the enemy what strikes at it."""
        foes = self._enemy.standing(enemy_lost)
        found: list[list[Any]] = [[] for _ in self._enemy.pools]
        for part, aim in zip(parts, aims, strict=True):
            hit = max(1, min(foes, self.stages[part][0].hits_each))
            for place, attacks in aim:
                found[place].append((part, place, self._number(part, lost), attacks, hit, afraid))
        return tuple(map(tuple, found))

    def _struck(self, lost: Lost, volleys: tuple[Volley, ...]) -> Law[tuple[Lost, int]]:
        """Return the weights of what the enemy has lost after volleys at its pools, and of the excess."""
        laws = [self._law(volley) for volley in volleys]
        found: dict[tuple[Lost, int], int] = defaultdict(int)
        for case in product(*(law for law, _ in laws)):
            taken, weights = zip(*case, strict=True)
            after = self._enemy.after(lost, taken)
            excess = sum(lost) + sum(taken) - sum(after)
            found[after, min(excess, self._most_excess)] += prod(weights)
        return found, prod(below for _, below in laws)

    def _law_of_volley(self, volley: Volley) -> tuple[list[Pair], int]:
        """Return the possible damage of a volley with its weights, and what these are out of."""
        if not volley:
            return [(0, 1)], 1
        damage = convolution([self._damage(*each) for each in volley])
        weights, below = damage._mass.weights()  # noqa: SLF001 - whole numbers
        return [pair for pair in zip(damage.support, weights, strict=True) if pair[1]], below

    def _damage_of_part(
        self, part: int, place: int, number: int, attacks: int, foes: int, afraid: Pair
    ) -> Distribution:
        """Distribution of the damage of so many of a part, or of so many attacks, of which each hits so many."""
        stages = self._compiled(*afraid)[part][self.at[part].index(place)]
        return damage_of(stages.against(foes, number, attacks))


class Round:
    """A round of combat of two units, whatever they have lost before it."""

    def __init__(
        self,
        units: tuple[Unit, Unit],
        rules: Edition,
        rulings: Rulings,
        *,
        first_round: bool,
        duel: bool = False,
        caught: Sequence[Pair] = ((0, 1), (0, 1)),
    ) -> None:
        first, second = self.units = units
        self.rules, self.rulings, self._caught = rules, rulings, caught
        self.sides = (
            Side(first, second, rules, rulings, first_round=first_round, duel=duel),
            Side(second, first, rules, rulings, first_round=first_round, duel=duel),
        )
        self._pools = self.sides[0].pools, self.sides[1].pools
        #: The sides that take a Fear Test, of which it is not said whether they failed it.
        self.frightened = frightened(units)
        self.nothing = (0,) * len(self._pools[0].pools), (0,) * len(self._pools[1].pools)
        # Ranks and scores follow from the losses of one side: far fewer of these than of both sides together.
        self._formation, self._broken = cache(self._formation_of), cache(self._break_test)
        self._blows, self._score = cache(self._blows_of), cache(self._score_of)
        striking: dict[int, tuple[list[int], list[int]]] = {}
        for index, side in enumerate(self.sides):
            for part, stages in enumerate(side.stages):
                if side.strikes[part]:
                    striking.setdefault(stages[0].armed.agility, ([], []))[index].append(part)
        #: Each Agility and the parts of both sides that strike with it, the quickest first.
        self.steps = sorted(striking.items(), key=lambda step: -step[0])

    def require_combat(self) -> None:
        """Refuse two units without model parts of which neither is ahead by anything else that is scored."""
        if not any(unit.all_parts for unit in self.units) and not self._ahead(self.nothing):
            first, second = (shown(unit.name) for unit in self.units)
            raise MathhammerError(
                "expected a unit that strikes, or one that leads by its charge, ranks, flanks or standards; neither "
                f"{first} nor {second} does. Give one of them a model part, such as "
                "'Orcs: 10 x 1 attacks, Off 3, Str 4, Agi 2'"
            )

    def stages(self, active: int, players: Sequence[int]) -> Iterator[Moment]:
        """Yield what comes one after the other, in a turn of a side, where some players choose.

        The 9th Age rulebook, 2nd edition, Model Rules, Fear; Turns: Active and Reactive Player, Simultaneous Effects.
        """
        yield from (Moment(partial(self._fear_test, side)) for side in self.frightened)
        choosing = [side for side in (active, 1 - active) if side in players]
        for side in choosing:
            if len(self.units[side].alternatives) > 1:
                yield Moment(partial(self._draw, side), side)
        for step, (_, parts) in enumerate(self.steps):
            for side in choosing:
                own = self.sides[side]
                if any(len(own.at[part]) > 1 or own.breath[part] for part in parts[side]):
                    yield Moment(partial(self._allocate, step, side), side, step)
            yield Moment(partial(self._blows, step))
        yield Moment(self._score)

    def begin(self, lost: tuple[Lost, Lost], made: Pair) -> RoundState:
        """Return the state before the Fear Tests of a round from the losses and the Breath Attacks made."""
        ahead = self._ahead(lost) if self.rules.static_before_blows else 0
        afraid = bool(self.units[0].afraid), bool(self.units[1].afraid)
        drawn = self.sides[0].first_alternative(made[0]), self.sides[1].first_alternative(made[1])
        return RoundState(lost, ahead, (0, 0), made, afraid, drawn)

    def _fear_test(self, side: int, state: RoundState) -> Decision[RoundState]:
        failed, below = self._failed(fear_test, side)
        weights = (0, below - failed), (1, failed)
        return Decision([{state.put("afraid", side, fails): each for fails, each in weights if each}], below)

    def _draw(self, side: int, state: RoundState) -> Decision[RoundState]:
        alternatives = enumerate(self.units[side].alternatives)
        return Decision([{state.put("drawn", side, place): 1} for place, _ in alternatives])

    def aims(self, step: int, side: int, state: RoundState) -> Iterator[Aims]:
        """Yield the ways to allocate the attacks of a side in an initiative step, the fixed one first.

        The 9th Age rulebook, 2nd edition, Allocating Attacks; Breath Attack.
        """
        lost, enemy_lost = state.lost[side], state.lost[1 - side]
        made, drawn = state.made[side], state.drawn[side]
        parts = self.steps[step][1][side]
        return product(*(self.sides[side].aims(part, lost, enemy_lost, made, drawn) for part in parts))

    def _allocate(self, step: int, side: int, state: RoundState) -> Decision[RoundState]:
        return Decision([{state.put("aims", side, aims): 1} for aims in self.aims(step, side, state)])

    def _blows_of(self, step: int, state: RoundState) -> Decision[RoundState]:
        """Both sides strike as the last initiative step left them."""
        laws, made = [], []
        for side, striking in enumerate(self.sides):
            parts = self.steps[step][1][side]
            aims = state.aims[side] or next(self.aims(step, side, state))
            lost, enemy_lost = state.lost[side], state.lost[1 - side]
            afraid = state.afraid[side], state.afraid[1 - side]
            laws.append(striking.struck(enemy_lost, striking.volleys(parts, aims, lost, enemy_lost, afraid)))
            breaths = [striking.breath[part] for part, aim in zip(parts, aims, strict=True) if aim]
            made.append(reduce(or_, breaths, state.made[side]))
        (theirs, one), (mine, other) = laws
        held = sum(state.lost[0]) - sum(state.lost[1]) + state.ahead
        found: dict[RoundState, int] = defaultdict(int)
        for (lost, excess), weight in mine.items():
            ahead, most = held - sum(lost), min(MOST_OVERKILL, state.beyond[0] + excess)
            for (enemy_lost, beyond), each in theirs.items():
                after = RoundState(
                    (lost, enemy_lost),
                    ahead + sum(enemy_lost),
                    (most, min(MOST_OVERKILL, state.beyond[1] + beyond)),
                    (made[0], made[1]),
                    state.afraid,
                    state.drawn,
                )
                found[after] += weight * each
        return Decision([found], one * other)

    def _score_of(self, state: RoundState) -> Decision[Ended]:
        """Compare the Combat Scores, and take the Break Test of the side that lost.

        The 9th Age rulebook, 2nd edition, Break Test (No More Foes); 3rd edition, Determine the Winner.
        """
        lost, difference = state.lost, state.ahead + state.beyond[1] - state.beyond[0]
        gone, enemy_gone = self._gone(lost)
        if not self.rules.static_before_blows:
            difference += self._ahead(lost)
        difference += (enemy_gone - gone) * self.rules.destroyed_bonus
        won = enemy_gone - gone if gone or enemy_gone else (difference > 0) - (difference < 0)
        # The side that has lost and still stands, and by how much.
        loser, by = int(difference > 0), 0 if gone or enemy_gone else abs(difference)
        unit, failed, below = self.units[loser], 0, 1
        if by and (unit.supernal or not unit.crumbles):
            # In the 3rd edition, Steady and Solid stand in the place of Steadfast.
            steadfast = self.rules.steady_penalty is None and self._steadfast(loser, lost)
            failed, below = self._broken(loser, by, unit.stubborn or steadfast)
        caught, of = self._caught[loser]
        found: dict[Ended, int] = defaultdict(int)
        for breaks, weight in ((False, below - failed), (True, failed)):
            after = lost
            if unit.crumbles and (breaks or not unit.supernal):
                after = self._crumbled(loser, by, lost)
            gone, enemy_gone = self._gone(after)
            ends = {gone + 2 * enemy_gone: of}
            if breaks and not unit.crumbles:
                ends = {4 + loser: of - caught, 6 + loser: caught}
            for end, each in ends.items():
                if weight * each:
                    found[Ended(after, difference, won, state.made, end)] += weight * each
        return Decision([found], below * of)

    def _gone(self, lost: tuple[Lost, Lost]) -> tuple[bool, bool]:
        return lost[0] == self._pools[0].left, lost[1] == self._pools[1].left

    def _ahead(self, lost: tuple[Lost, Lost]) -> int:
        return self._formation(0, lost[0]).score - self._formation(1, lost[1]).score

    def _formation_of(self, side: int, lost: Lost) -> Formation:
        """Return the formation of a unit that has lost so much: a Rank Bonus is one for each Full Rank after the first.

        The 9th Age rulebook, 2nd edition, Combat Score (Flank Bonus); 3rd edition, Static Combat Score (Proper Ranks).
        """
        unit, rules, rulings = self.units[side], self.rules, self.rulings
        width, bonus = unit.rank_width, unit.rank_bonus
        ranks = None if width is None else self._pools[side].standing(lost) // width
        deep = bool(bonus) if ranks is None else ranks >= DEEP
        if bonus is None:
            counted = 0 if rules.proper_ranks and rulings["proper_ranks"] == "all" else 1
            bonus = 0 if ranks is None else max(0, ranks - counted)
        bonus = min(bonus, rules.rank_bonus_cap)
        score = bonus + unit.charging + unit.standards + unit.bonus
        if rules.each_flank_bonus:
            score += rules.each_flank_bonus * (unit.flanks + unit.rear)
        elif unit.behind_the_enemy:
            score += 1 + (deep and rulings["flank_bonus"] == "by-full-ranks")
            score += unit.rear > 0 and rulings["rear_bonus"] == "one-more"
        return Formation(ranks, deep, bonus, score)

    def _steadfast(self, side: int, lost: tuple[Lost, Lost]) -> bool:
        """Return whether a unit has more Full Ranks than its enemy and they are not disrupted, unless that is given.

        The 9th Age rulebook, 2nd edition, Break Test (Steadfast, Disrupted Ranks).
        """
        unit, enemy_lost = self.units[side], lost[1 - side]
        if unit.steadfast is not None:
            return unit.steadfast
        mine, theirs = self._formation(side, lost[side]), self._formation(1 - side, enemy_lost)
        if self.units[1 - side].behind_the_enemy and theirs.deep:
            return False
        return mine.ranks is not None and mine.ranks > (theirs.ranks or 0)

    def _break_test(self, side: int, by: int, ignored: bool) -> Pair:  # noqa: FBT001 - a key of the cache
        """Return the weight of a failed Break Test and its denominator."""
        unit = self.units[side]
        more: dict[str, Any] = {name: getattr(unit, name) for name in ("steady", "solid", "unbreakable")}
        more["modifier"] = unit.modifier - unit.fears(self.units[1 - side])
        return self._failed(break_test, side, lost_by=by, steadfast=ignored, **more)

    def _failed(self, test: Callable[..., RollResult], side: int, **more: Any) -> Pair:
        """Return the weight of a failed test and its denominator."""
        unit = self.units[side]
        failed = test(unit.discipline, **{**test_options(unit, self.rules, self.rulings), **more}).failed
        return int(failed.numerator), int(failed.denominator)

    def _crumbled(self, side: int, points: int, lost: tuple[Lost, Lost]) -> tuple[Lost, Lost]:
        """Return the losses after an Unstable side has lost what its defeat costs.

        The 9th Age rulebook, 2nd edition, Model Rules, Unstable: the characters last, as evenly as possible.
        """
        unit = self.units[side]
        if unit.undead:
            points = unstable_losses(
                points,
                stubborn=unit.stubborn,
                steadfast=self._steadfast(side, lost),
                rank_bonus=self._formation(side, lost[side]).rank_bonus,
                battle_standard=unit.battle_standard,
            )
        total, full = list(lost[side]), self._pools[side].left
        first, left = len(full) - len(unit.characters), list(map(sub, full, total))
        body = (place for place in range(first) for _ in range(left[place]))
        turns = range(max(left))
        lords = (place for turn in turns for place in range(first, len(full)) if turn < left[place])
        for place in islice(chain(body, lords), points):
            total[place] += 1
        return (lost[0], tuple(total)) if side else (tuple(total), lost[1])


def frightened(units: tuple[Unit, Unit]) -> list[int]:
    """Return the sides that take a Fear Test: those of which it is not said whether they failed it."""
    pairs = enumerate(zip(units, units[::-1], strict=True))
    return [side for side, (unit, enemy) in pairs if unit.afraid is None and unit.fears(enemy)]


def test_options(unit: Unit, rules: Edition, rulings: Rulings) -> dict[str, Any]:
    """Return how a unit takes Discipline Tests."""
    test = {**unit.test, "reroll": unit.test["reroll"] or unit.battle_standard}
    return {**test, "edition": rules.name, "rulings": rulings, "exact": True}


def _splits(places: Sequence[int], attacks: int) -> Iterator[Aim]:
    """Yield the ways to divide attacks over places, all at the first place first."""
    first, *others = places
    if not others:
        yield ((first, attacks),) if attacks else ()
        return
    for here in range(attacks, -1, -1):
        for rest in _splits(others, attacks - here):
            yield (*(((first, here),) if here else ()), *rest)
