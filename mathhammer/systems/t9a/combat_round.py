"""A round of combat as stages of dice and choices: Fear, initiative steps, Combat Scores, and the Break Test."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, partial, reduce
from itertools import chain, islice, product
from math import prod
from operator import or_, sub
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from mathhammer.distributions import Distribution
from mathhammer.errors import MathhammerError
from mathhammer.modifiers import Modifier
from mathhammer.sequence.result import damage_of
from mathhammer.systems.t9a.attributes import Attribute
from mathhammer.systems.t9a.rolls import BreakTest, RollLaws, unstable_losses
from mathhammer.systems.t9a.situation import read_situation
from mathhammer.systems.t9a.stages import PartStages, with_attributes
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
#: Who has won by each of them where no scores are compared: 1 the first side, -1 the second.
WON = 0, -1, 1, 0, -1, 1, -1, 1, 0

#: What an Unstable side does that fails its Break Test or takes none.
CRUMBLES = len(ENDS)

#: What each pool of a unit has lost.
Lost = tuple[int, ...]
Pair = tuple[int, int]
#: Where a part's attacks go: pairs of a place of the enemy's and a number of attacks, 0 for a random number of them.
Aim = tuple[tuple[int, int], ...]
#: The aims of all parts of a side that strike in an initiative step.
Aims = tuple[Aim, ...]
_NO_DAMAGE = Distribution.from_weights({0: 1}, exact=True)
#: What strikes at one pool, each as part, place, model parts, attacks, hits of one attack, and who is afraid.
Volley = tuple[tuple[int, int, int, int, int, Pair], ...]

#: Options, each whole weights of what comes next, and what the weights of each are out of.
Node = tuple[Sequence[Mapping[Any, int]], int]


class RoundState(NamedTuple):
    """Where a round of combat stands; what there is for each side comes as a pair.

    The score that a round begins with comes beside it: it changes no blow, so that one pass serves all scores.
    """

    lost: tuple[Lost, Lost]
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
    """A unit that has lost so much: Full Ranks, None without a rank width, its Rank Bonus, and its Combat Score."""

    gone: bool
    ranks: int | None
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
    side: int = -1
    step: int = -1


class Compiled:
    """What is pickled as what it was made of: what it has computed is computed again."""

    _made: Callable[[], Compiled]

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Keep what it is made of."""
        made = object.__new__(cls)
        made._made = partial(cls, *given, **named)
        return made

    def __reduce__(self) -> tuple[Callable[[], Compiled], tuple[()]]:
        return self._made, ()


class Side(Compiled):
    """One unit with its attacks compiled against the other, and the weights of the damage of its volleys."""

    def __init__(
        self, unit: Unit, enemy: Unit, rules: Edition, rulings: Rulings, *, first_round: bool, duel: bool
    ) -> None:
        # All attacks of a Supernal model are Magical (2nd edition, Model Rules, Supernal).
        magical = (Attribute("Magical Attacks"),) * unit.supernal
        self.unit, self.pools, self._enemy = unit, unit.pools(rules), enemy.pools(rules)
        self.parts = [with_attributes(part, (*part.attributes, *magical)) for part in unit.all_parts]
        self._most_excess = MOST_OVERKILL if duel else 0
        others = [index for index, parts in enumerate(unit.alternatives) for _ in parts]
        #: Which alternative each part belongs to, or None; whose it is, and the places that it may strike at.
        self._of = [None] * len(unit.parts) + others
        self._whose = [unit.place(part.of, f"{part.name!r} is a part of") for part in self.parts]
        self.at = [
            [enemy.place(name, f"{part.name!r} strikes at") for name in part.allowed] for part in self.parts
        ]
        bodies, standing = list(enemy.bodies().values()), self._enemy.standing((0,) * len(self._enemy.pools))
        given = {
            "charging": unit.charging,
            "first_round": first_round,
            "in_combat": True,
            "flank_or_rear": unit.behind_the_enemy,
            "flanked": enemy.behind_the_enemy,
        }
        # The 9th Age rulebook, 3rd edition, Combat Formation (Advantaged Position).
        formed = rules.steady_penalty is not None and unit.steady and unit.solid
        formed &= rulings["advantaged_position"] != "nothing"
        more = (Modifier("add", 1, "Advantaged Position"),) * formed

        @cache
        def compiled(afraid: int, enemy_afraid: int) -> list[list[PartStages]]:
            fear = {"attacker_afraid": bool(afraid), "target_afraid": bool(enemy_afraid)}
            read = read_situation({**given, **fear, **unit.situation})
            situation = read.changed(wound_modifier=(*read.wound_modifier, *more)) if more else read
            return [
                [
                    PartStages(
                        part.with_value("at", name),
                        bodies[place],
                        situation,
                        rules,
                        rulings,
                        standing=standing,
                    )
                    for name, place in zip(part.allowed, places, strict=True)
                ]
                for part, places in zip(self.parts, self.at, strict=True)
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
        self._number, self._law = cache(self._present), cache(self._law_of)
        self._struck = cache(self._struck_of)

    def first_alternative(self, made: int) -> int:
        """Return the first of its alternatives that can strike in this round."""
        parts = zip(self._of, self.strikes, self.breath, strict=True)
        return min(
            (of for of, can, breath in parts if of is not None and can and not made & breath), default=0
        )

    def _present(self, part: int, lost: Lost) -> int:
        """Return how many model parts of a kind are left to strike."""
        place, models = self._whose[part], self.parts[part].models
        pool = self.pools.pools[place]
        left = -(-(pool.left - lost[place]) // pool.wounds)
        return max(0, min(left - self.parts[part].behind, models)) if not place else models * (left > 0)

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

    def struck(
        self, parts: Sequence[int], aims: Aims, lost: Lost, enemy_lost: Lost, afraid: Pair
    ) -> tuple[Mapping[tuple[Lost, int], int], int]:
        """Return the weights of what the enemy has lost after parts have struck so, and of the excess."""
        foes = self._enemy.standing(enemy_lost)
        found: list[list[Any]] = [[] for _ in self._enemy.pools]
        for part, aim in zip(parts, aims, strict=True):
            hit = max(1, min(foes, self.stages[part][0].hits_each))
            for place, attacks in aim:
                found[place].append((part, place, self._number(part, lost), attacks, hit, afraid))
        return self._struck(enemy_lost, tuple(map(tuple, found)))

    def _struck_of(
        self, lost: Lost, volleys: tuple[Volley, ...]
    ) -> tuple[Mapping[tuple[Lost, int], int], int]:
        laws = [self._law(volley) for volley in volleys]
        found: dict[tuple[Lost, int], int] = defaultdict(int)
        for case in product(*(law for law, _ in laws)):
            taken, weights = zip(*case, strict=True)
            after = self._enemy.after(lost, taken)
            excess = sum(lost) + sum(taken) - sum(after) if self._most_excess else 0
            found[after, min(excess, self._most_excess)] += prod(weights)
        return found, prod(below for _, below in laws)

    def _law_of(self, volley: Volley) -> tuple[list[Pair], int]:
        """Return the possible damage of a volley with its weights, and what these are out of."""
        damage = _NO_DAMAGE
        for part, place, number, attacks, foes, afraid in volley:
            stages = self._compiled(*afraid)[part][self.at[part].index(place)]
            each = damage_of(stages.against(foes, number, attacks))
            damage = each if damage is _NO_DAMAGE else damage + each
        weights, below = damage._mass.weights()  # noqa: SLF001 - whole numbers
        return [pair for pair in zip(damage.support, weights, strict=True) if pair[1]], below


class Round(Compiled):
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
        compiled: dict[str, Any] = {"first_round": first_round, "duel": duel}
        self.sides = (
            Side(first, second, rules, rulings, **compiled),
            Side(second, first, rules, rulings, **compiled),
        )
        #: The sides that take a Fear Test, of which it is not said whether they failed it.
        self.frightened = frightened(units)
        nothing, none = ((0,) * len(side.pools.pools) for side in self.sides)
        self.nothing = nothing, none
        # Ranks and scores follow from the losses of one side: far fewer of these than of both sides together.
        self._formation, self._broken = cache(self._formation_of), cache(self._break_test)
        self._blows, self.score = cache(self._blows_of), cache(self._score_of)
        kinds = ("steady", "solid", "unbreakable")
        self._given = [unit.steadfast for unit in units]
        self._tests = [
            BreakTest(
                unit.discipline,
                0,
                **{name: getattr(unit, name) for name in kinds},
                **test_options(unit, rules, rulings),
            )
            for unit in units
        ]
        self._rolls = [
            RollLaws.of(test.roll, rulings, reroll=test.reroll, exact=True) for test in self._tests
        ]
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
            return [{state.put("afraid", side, fails): each for fails, each in weights if each}], below

        def choose(field: str, side: int, options: Callable[..., Iterable[Any]], state: RoundState) -> Node:
            return [{state.put(field, side, option): 1} for option in options(state)], 1

        yield from (Moment(partial(fear_test, side)) for side in self.frightened)
        choosing = [side for side in (active, 1 - active) if side in players]
        for side in choosing:
            if number := len(self.units[side].alternatives):
                yield Moment(partial(choose, "drawn", side, lambda _, number=number: range(number)), side)
        for step, (_, parts) in enumerate(self.steps):
            for side in choosing:
                own = self.sides[side]
                if any(len(own.at[part]) > 1 or own.breath[part] for part in parts[side]):
                    aims = partial(self.aims, step, side)
                    yield Moment(partial(choose, "aims", side, aims), side, step)
            yield Moment(partial(self._blows, step))

    def begin(self, lost: tuple[Lost, Lost], made: Pair) -> tuple[RoundState, int]:
        """Return the state before the Fear Tests of a round, and what the first side has beside what it will inflict.

        That is what is counted of its score before the blows, and its losses so far less those of the other side.
        """
        ahead = self._ahead(lost) if self.rules.static_before_blows else 0
        afraid = bool(self.units[0].afraid), bool(self.units[1].afraid)
        drawn = self.sides[0].first_alternative(made[0]), self.sides[1].first_alternative(made[1])
        return RoundState(lost, (0, 0), made, afraid, drawn), ahead + sum(lost[0]) - sum(lost[1])

    def aims(self, step: int, side: int, state: RoundState) -> Iterator[Aims]:
        """Yield the ways to allocate the attacks of a side in an initiative step, the fixed one first."""
        # 2nd edition, Allocating Attacks; Breath Attack.
        lost, enemy_lost = state.lost[side], state.lost[1 - side]
        made, drawn = state.made[side], state.drawn[side]
        parts = self.steps[step][1][side]
        return product(*(self.sides[side].aims(part, lost, enemy_lost, made, drawn) for part in parts))

    def _blows_of(self, step: int, state: RoundState) -> Node:
        """Both sides strike as the last initiative step left them."""
        laws, made = [], []
        for side, striking in enumerate(self.sides):
            parts = self.steps[step][1][side]
            aims = state.aims[side] or next(self.aims(step, side, state))
            afraid = state.afraid[side], state.afraid[1 - side]
            laws.append(striking.struck(parts, aims, state.lost[side], state.lost[1 - side], afraid))
            breaths = [striking.breath[part] for part, aim in zip(parts, aims, strict=True) if aim]
            made.append(reduce(or_, breaths, state.made[side]))
        (theirs, one), (mine, other) = laws
        (beyond, enemy_beyond), kept = state.beyond, ((made[0], made[1]), state.afraid, state.drawn)
        found: dict[RoundState, int] = defaultdict(int)
        lost_by_enemy = list(theirs.items())
        for (lost, excess), weight in mine.items():
            for (enemy_lost, more), each in lost_by_enemy:
                both = beyond + excess, enemy_beyond + more
                found[RoundState((lost, enemy_lost), both, *kept)] += weight * each
        return [found], one * other

    def _score_of(
        self, lost: tuple[Lost, Lost], beyond: Pair, made: Pair, held: int
    ) -> tuple[list[tuple[Ended, int]], int]:
        """Compare the Combat Scores, and take the Break Test of the side that lost."""
        # 2nd edition, Break Test (No More Foes); 3rd edition, Determine the Winner.
        forms = self._formation(0, lost[0]), self._formation(1, lost[1])
        mine, theirs = forms
        difference = held + mine.score - theirs.score
        if beyond != (0, 0):  # in a Duel
            difference += min(MOST_OVERKILL, beyond[1]) - min(MOST_OVERKILL, beyond[0])
        won, steadfast = theirs.gone - mine.gone, False
        ends: Sequence[Pair]
        if mine.gone or theirs.gone or not difference:
            ends, below = ((mine.gone + 2 * theirs.gone, 1),), 1
        else:
            won, loser = (1, 1) if difference > 0 else (-1, 0)
            losing, winning, given = forms[loser], forms[1 - loser], self._given[loser]
            # 2nd edition, Break Test (Steadfast, Disrupted Ranks), unless it is given.
            steadfast = bool(given)
            if given is None:
                deeper = losing.ranks is not None and losing.ranks > (winning.ranks or 0)
                steadfast = deeper and not winning.disrupts
            ends, below = self._broken(loser, difference * won, steadfast)
        scored = (difference, won) if self._scored else None
        found = [(Ended(lost, *(scored or (0, WON[end])), made, end), weight) for end, weight in ends]
        if ends[-1][0] == CRUMBLES:
            fallen, weight = found.pop()
            after = self._crumbled(loser, difference * won, lost, losing.rank_bonus, steadfast=steadfast)
            end = self._formation(loser, after[loser]).gone << loser
            won = won if scored else WON[end]
            found.append((fallen._replace(lost=after, end=end, won=won), weight))
        return found, below

    def _ahead(self, lost: tuple[Lost, Lost]) -> int:
        return self._formation(0, lost[0]).static - self._formation(1, lost[1]).static

    def _formation_of(self, side: int, lost: Lost) -> Formation:
        """Return the formation of a unit that has lost so much; each Full Rank after the first is one of Rank Bonus."""
        # 2nd edition, Combat Score (Flank Bonus); 3rd edition, Static Combat Score (Proper Ranks).
        unit, rules, rulings = self.units[side], self.rules, self.rulings
        width, bonus = unit.rank_width, unit.rank_bonus
        ranks = None if width is None else self.sides[side].pools.standing(lost) // width
        deep = bool(bonus) if ranks is None else ranks >= DEEP
        if bonus is None:
            counted = 0 if rules.proper_ranks and rulings["proper_ranks"] == "all" else 1
            bonus = 0 if ranks is None else max(0, ranks - counted)
        bonus = min(bonus, rules.rank_bonus_cap)
        static = bonus + unit.charging + unit.standards + unit.bonus
        if rules.each_flank_bonus:
            static += rules.each_flank_bonus * (unit.flanks + unit.rear)
        elif unit.behind_the_enemy:
            static += 1 + (deep and rulings["flank_bonus"] == "by-full-ranks")
            static += unit.rear > 0 and rulings["rear_bonus"] == "one-more"
        gone = lost == self.sides[side].pools.left
        score = static * (not rules.static_before_blows) - sum(lost) - gone * rules.destroyed_bonus
        return Formation(gone, ranks, deep and unit.behind_the_enemy, bonus, static, score)

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
        _, failed = self._rolls[side].up_to(most)
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
