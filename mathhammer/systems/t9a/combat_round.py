"""A round of combat as stages of dice and choices: Fear, initiative steps, Combat Scores, and the Break Test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial, reduce
from itertools import chain, islice, product
from math import prod
from operator import or_, sub
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.errors import MathhammerError
from mathhammer.systems.t9a.rolls import BreakTest, rolled, unstable_losses, up_to
from mathhammer.systems.t9a.units import STATE, Aim, Aims, Lost, Pair, Side, Unit, require_steps
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.t9a.situation import Edition

#: Full Ranks from which a unit in the flank counts more, and disrupts ranks.
DEEP = 2
#: How a combat can end, in the order of their numbers; a unit that breaks and is caught is destroyed.
ENDS = (
    *("still fighting", "first destroyed", "second destroyed", "both destroyed"),
    *("first breaks", "second breaks", "first caught", "second caught"),
)
#: Who has won by each of them where no scores are compared: 1 the first side, -1 the second.
WON = 0, -1, 1, 0, -1, 1, -1, 1

#: More ways to aim than there are steps for.
MOST_AIMS = 300_001
#: What an Unstable side does that fails its Break Test or takes none.
CRUMBLES = len(ENDS)

#: What comes in a state: the rest of it; weights of a first thing that is put into that, by the options of the player,
#: and, independent, of a second one; and what the weights of each pair are out of.
Node = tuple["RoundState", Sequence[Mapping[Any, Any]], Mapping[Any, Any], int]
#: Weights where there is nothing to roll for.
_ONE: Mapping[Any, int] = {None: 1}
#: Weight, state and what the first side holds; how it ends from there, each end with a weight; what these are out of.
Score = tuple[Any, "RoundState", int, list[tuple["Ended", Any]], int]


class RoundState(NamedTuple):
    """Where a round of combat stands; what there is for each side comes as a pair.

    The score that a round begins with comes beside it: it changes no blow, so that one pass serves all scores.
    """

    lost: tuple[Lost, Lost]
    #: A bit for each Breath Attack that was made.
    made: Pair
    #: Whether it failed its Fear Test.
    afraid: Pair
    #: Which of its alternatives fights this round.
    drawn: Pair
    #: What was allocated in this initiative step by a player who chooses.
    aims: tuple[Aims, Aims] = ((), ())

    def struck(self, mine: Lost, theirs: Lost) -> RoundState:
        """Return the state in which both sides have lost so much."""
        return RoundState((mine, theirs), *self[1:])


class Formation(NamedTuple):
    """A unit that has lost so much: Full Ranks, its Rank Bonus, and its Combat Score."""

    gone: bool
    ranks: int
    #: Whether it disrupts the ranks of the enemy.
    disrupts: bool
    rank_bonus: int
    #: What no blow scores; and all that counts for it after the blows, less what counts for its enemy.
    static: int
    score: int


class Ended(NamedTuple):
    """How a round ended: the losses, those of Unstable units among them, the scores, and the place among the ends."""

    lost: tuple[Lost, Lost]
    difference: int
    #: 1 where the first unit won, -1 where the second did, 0 where both count as winners.
    won: int
    made: Pair
    end: int
    #: How many rounds there were.
    rounds: int = 1


class Moment(NamedTuple):
    """What comes in a state at one point of a round; who chooses, and in which initiative step, -1 at the start."""

    node: Callable[[RoundState], Node]
    put: Callable[[RoundState, Any, Any], RoundState]
    side: int = -1
    step: int = -1


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
        scored: bool = True,
        caught: Sequence[Pair] = ((0, 1), (0, 1)),
    ) -> None:
        first, second = self.units = units
        self.rules, self.rulings, self._caught, self._scored = rules, rulings, caught, scored
        side_of = partial(Side, rules=rules, rulings=rulings, first_round=first_round, duel=duel)
        self.sides = side_of(first, second), side_of(second, first)
        pairs = enumerate(zip(units, units[::-1], strict=True))
        #: The sides that take a Fear Test, of which it is not said whether they failed it.
        self.frightened = [each for each, (unit, foe) in pairs if unit.afraid is None and unit.fears(foe)]
        self._left = self.sides[0].pools.left, self.sides[1].pools.left
        self.nothing = (0,) * len(self.sides[0].pools.pools), (0,) * len(self.sides[1].pools.pools)
        # Ranks and scores follow from the losses of one side: far fewer of these than of both sides together.
        self._formation, self._broken = cache(self._formation_of), cache(self._break_test)
        self._blows = cache(self._blows_of)
        more = "steady", "solid", "unbreakable"
        self._tests = [BreakTest(unit.discipline, 0, **unit.test(rules, rulings, *more)) for unit in units]
        self._rolls = [rolled(test.roll, rulings, reroll=test.reroll, exact=True) for test in self._tests]
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
        """Yield what comes one after the other before the scores, in a turn of a side, where some players choose."""
        # 2nd edition, Model Rules, Fear; Turns: Active and Reactive Player, Simultaneous Effects.

        def fear_test(side: int, state: RoundState) -> Node:
            failed, below = self._failed(side, self._tests[side].needed(1))
            weights = (0, below - failed), (1, failed)
            return state, [{fails: each for fails, each in weights if each}], _ONE, below

        def draw(side: int, state: RoundState) -> Node:
            return state, [{option: 1} for option in range(len(self.units[side].alternatives))], _ONE, 1

        def allocate(step: int, side: int, state: RoundState) -> Node:
            ways = [list(islice(each, MOST_AIMS)) for each in self.aims(step, side, state)]
            require_steps(STATE * prod(map(len, ways)))
            return state, [{option: 1} for option in product(*ways)], _ONE, 1

        yield from (
            Moment(partial(fear_test, side), partial(_put, "afraid", side)) for side in self.frightened
        )
        choosing = [side for side in (active, 1 - active) if side in players]
        for side in choosing:
            if self.units[side].alternatives:
                yield Moment(partial(draw, side), partial(_put, "drawn", side), side)
        for step, (_, parts) in enumerate(self.steps):
            for side in choosing:
                own = self.sides[side]
                if any(len(own.at[part]) > 1 or own.breath[part] for part in parts[side]):
                    yield Moment(partial(allocate, step, side), partial(_put, "aims", side), side, step)
            yield Moment(partial(self._blows, step), RoundState.struck)

    def begin(self, lost: tuple[Lost, Lost], made: Pair) -> tuple[RoundState, int]:
        """Return the state before the Fear Tests, and what the first side has beside what it will inflict."""
        # What is counted of its score before the blows, and its losses so far less those of the other side.
        ahead = self._ahead(lost) if self.rules.static_before_blows else 0
        afraid = int(bool(self.units[0].afraid)), int(bool(self.units[1].afraid))
        drawn = self.sides[0].first_alternative(made[0]), self.sides[1].first_alternative(made[1])
        return RoundState(lost, made, afraid, drawn), ahead + sum(lost[0]) - sum(lost[1])

    def aims(self, step: int, side: int, state: RoundState) -> list[Iterator[Aim]]:
        """Return the ways to allocate the attacks of each part in an initiative step, the fixed one first."""
        # 2nd edition, Allocating Attacks; Breath Attack.
        now = state.lost[side], state.lost[1 - side], state.made[side], state.drawn[side]
        return [self.sides[side].aims(part, *now) for part in self.steps[step][1][side]]

    def _blows_of(self, step: int, state: RoundState) -> Node:
        """Both sides strike as the last initiative step left them."""
        laws: list[tuple[Mapping[Lost, Any], int]] = [({each: 1}, 1) for each in state.lost]
        made = list(state.made)
        for side, parts in enumerate(self.steps[step][1]):
            if parts:
                striking, lost = self.sides[side], state.lost[side]
                aims = state.aims[side] or tuple(map(next, self.aims(step, side, state)))
                breaths = [striking.breath[part] for part, aim in zip(parts, aims, strict=True) if aim]
                afraid = state.afraid[side], state.afraid[1 - side]
                laws[1 - side] = striking.struck(parts, aims, lost, state.lost[1 - side], afraid)
                made[side] = reduce(or_, breaths, made[side])
        (mine, one), (theirs, other) = laws
        kept = (state.afraid, state.drawn) if step + 1 < len(self.steps) else ((0, 0), (0, 0))
        return RoundState(((), ()), (made[0], made[1]), *kept), [mine], theirs, one * other

    def score(self, state: RoundState, weights: Mapping[int, Any]) -> list[Score]:
        """Compare the Combat Scores, and take the Break Test of the side that lost, by what the first side holds."""
        # 2nd edition, Break Test (No More Foes); 3rd edition, Determine the Winner.
        lost, made, *_ = state
        forms = mine, theirs = self._formation(0, lost[0]), self._formation(1, lost[1])
        ahead = mine.score - theirs.score
        if mine.gone or theirs.gone:
            end, left = mine.gone + 2 * theirs.gone, self._left
            lost = tuple(map(min, lost[0], left[0])), tuple(map(min, lost[1], left[1]))
            sure = [Ended(lost, (held + ahead) * self._scored, WON[end], made, end) for held in weights]
            return [
                (weights[held], state, held, [(end, 1)], 1) for held, end in zip(weights, sure, strict=True)
            ]
        # 2nd edition, Break Test (Steadfast, Disrupted Ranks), unless it is given.
        first, second = self.units[0].steadfast, self.units[1].steadfast
        steadfast = (
            mine.ranks > theirs.ranks and not theirs.disrupts if first is None else first,
            theirs.ranks > mine.ranks and not mine.disrupts if second is None else second,
        )
        plain = None if self._scored else [Ended(lost, 0, WON[end], made, end) for end in range(CRUMBLES)]
        found: list[Score] = []
        for held in weights:
            by = held + ahead
            loser = 1 if by > 0 else 0
            points, won = by if loser else -by, loser - (by < 0)
            ends, below = self._broken(loser, points, steadfast[loser]) if by else (((0, 1),), 1)
            rows = [
                (plain[end] if plain else Ended(lost, by, won, made, end), weight)
                for end, weight in ends
                if end != CRUMBLES
            ]
            if ends[-1][0] == CRUMBLES:
                rank_bonus = forms[loser].rank_bonus
                after = self._crumbled(loser, points, lost, rank_bonus, steadfast=steadfast[loser])
                end = self._formation(loser, after[loser]).gone << loser
                scored = (by, won) if self._scored else (0, WON[end])
                rows.append((Ended(after, *scored, made, end), ends[-1][1]))
            found += [(weights[held], state, held, rows, below)]
        return found

    def _ahead(self, lost: tuple[Lost, Lost]) -> int:
        return self._formation(0, lost[0]).static - self._formation(1, lost[1]).static

    def _formation_of(self, side: int, lost: Lost) -> Formation:
        """Return the formation of a unit that has lost so much; each Full Rank after the first is one of Rank Bonus."""
        # 2nd edition, Combat Score (Flank Bonus); 3rd edition, Static Combat Score (Proper Ranks).
        unit, rules, rulings = self.units[side], self.rules, self.rulings
        width, bonus, behind = unit.rank_width, unit.rank_bonus, unit.behind_the_enemy
        ranks = None if width is None else self.sides[side].pools.standing(lost) // width
        deep = bool(bonus) if ranks is None else ranks >= DEEP
        if bonus is None:
            counted = 0 if rules.proper_ranks and rulings["proper_ranks"] == "all" else 1
            bonus = 0 if ranks is None else max(0, ranks - counted)
        bonus = min(bonus, rules.rank_bonus_cap)
        static = bonus + unit.charging + unit.standards + unit.bonus
        if rules.each_flank_bonus:
            static += rules.each_flank_bonus * (unit.flanks + unit.rear)
        elif behind:
            static += 1 + (deep and rulings["flank_bonus"] == "by-full-ranks")
            static += unit.rear > 0 and rulings["rear_bonus"] == "one-more"
        gone = sum(lost) >= sum(self.sides[side].pools.left)  # more in a Duel
        score = static * (not rules.static_before_blows) - sum(lost) - gone * rules.destroyed_bonus
        return Formation(gone, ranks or 0, deep and behind, bonus, static, score)

    def _break_test(self, side: int, by: int, steadfast: bool) -> tuple[Sequence[Pair], int]:  # noqa: FBT001 - a key of the cache
        """Return the ends of a round for a side that has lost by so much and still stands, each with its weight."""
        unit, test, rules, (caught, of) = self.units[side], self._tests[side], self.rules, self._caught[side]
        if unit.crumbles and not unit.supernal:
            return ((CRUMBLES, 1),), 1
        # In the 3rd edition, Steady and Solid stand in the place of Steadfast.
        ignored = unit.stubborn or (steadfast and rules.steady_penalty is None)
        need = test.needed(test.penalty(by, ignored=ignored) + unit.fears(self.units[1 - side]))
        failed, below = self._failed(side, max(need, test.always))
        if unit.supernal:
            rows = [(0, below - failed), (CRUMBLES, failed)]
        elif unit.target.has("War Machine"):  # 2nd edition, War Machine: it is destroyed
            rows = [(0, below - failed), (1 + side, failed)]
        else:
            rows = [
                (0, (below - failed) * of),
                (4 + side, failed * (of - caught)),
                (6 + side, failed * caught),
            ]
            below *= of
        return [row for row in rows if row[1]], below

    def _failed(self, side: int, most: int) -> Pair:
        """Return the weight of a test that a roll of more than so much fails, and its denominator."""
        _, failed = up_to(self._rolls[side], most)
        return int(failed.numerator), int(failed.denominator)

    def _crumbled(
        self, side: int, points: int, lost: tuple[Lost, Lost], rank_bonus: int, *, steadfast: bool
    ) -> tuple[Lost, Lost]:
        """Return the losses after an Unstable side has lost what its defeat costs."""
        # 2nd edition, Model Rules, Unstable: the characters last, as evenly as possible.
        unit = self.units[side]
        if unit.undead:
            points = unstable_losses(
                points,
                stubborn=unit.stubborn,
                steadfast=steadfast,
                rank_bonus=rank_bonus,
                battle_standard=unit.battle_standard,
            )
        total, full = list(lost[side]), self.sides[side].pools.left
        first, left = len(full) - len(unit.characters), list(map(sub, full, total))
        body = (place for place in range(first) for _ in range(left[place]))
        turns = range(max(left))
        lords = (place for turn in turns for place in range(first, len(full)) if turn < left[place])
        for place in islice(chain(body, lords), points):
            total[place] += 1
        return (lost[0], tuple(total)) if side else (tuple(total), lost[1])


def _put(field: str, side: int, rest: RoundState, value: Any, _: None) -> RoundState:
    """Return the state with one side's entry of a field changed."""
    first, second = getattr(rest, field)
    change: Any = {field: (first, value) if side else (value, second)}
    return rest._replace(**change)
