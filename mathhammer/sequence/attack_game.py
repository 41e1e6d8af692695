"""An attack as a game of two players who see all dice: positions, decisions, and who takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from itertools import chain
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.distributions.kernel import NO_REROLLS
from mathhammer.sequence.attack_dice import (
    BETWEEN,
    Case,
    DamageSeen,
    Key,
    RollsMade,
    RollsTogether,
    Turn,
    plain_name,
)
from mathhammer.sequence.attack_distribution import subsets
from mathhammer.sequence.attack_size import MAXIMUM_AT_ONCE, require_size
from mathhammer.sequence.grouped_unit import GroupedUnit
from mathhammer.sequence.rolled_dice import (
    PoolStep,
    ResultChoice,
    Rolled,
    Stage,
    StageDice,
    Wounds,
    with_more,
)
from mathhammer.sequence.wound_options import WoundOptions, WoundStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mathhammer.distributions import Distribution
    from mathhammer.distributions.kernel import Held
    from mathhammer.sequence.group import Rows
    from mathhammer.sequence.rolled_dice import Counts, TableDie, VolleyStep
    from mathhammer.sequence.unit import ModelUnit
    from mathhammer.sequence.wound_options import WoundOption


#: A key, with weights of the states of the target there and a factor of them all.
Branch = tuple[int, Mapping[int, int], int]
#: What comes in a position: the branches of each option; what their weights add up to, and whether the player wants the
#: objective high.
Moves = tuple[Sequence[Sequence[Branch]], int, bool]
#: Weights of positions, and what they are out of.
Start = tuple[Mapping[int, Any], Any]


class Allocation(NamedTuple):
    """A wound at whose dice nobody looks: for each key after it the rows of which one is chosen in each state."""

    after: Sequence[tuple[int, Sequence[Rows]]]
    denominator: int
    maximises: bool

    def __call__(self, state: int, /) -> Moves:
        """Return what comes in a state."""
        choices = range(len(self.after[0][1][state]))
        options = [[(number, rows[state][place], 1) for number, rows in self.after] for place in choices]
        return options, self.denominator, self.maximises


class AttackGame:
    """The positions of an attack, and what each leads to."""

    def __init__(
        self,
        turns: Sequence[Turn],
        unit: ModelUnit,
        *,
        any_order: bool = False,
        defender_maximises: bool = False,
    ) -> None:
        self.turns, self.unit = turns, unit
        self._grouped = unit if isinstance(unit, GroupedUnit) else None
        self._states, self._any_order = unit.states, any_order
        #: Whether anybody looks at dice, and the most positions that there may be.
        self.looked_at = any(dice.damage for turn in turns for dice in turn.parts)
        self.most = require_size(turns, unit, any_order=any_order) if self.looked_at else MAXIMUM_AT_ONCE
        self._maximises = True, defender_maximises
        #: The dice of every part, and the volley that it is of.
        self.parts = [dice for turn in turns for dice in turn.parts]
        self.volley_of = [place for place, turn in enumerate(turns) for _ in turn.parts]
        self.usable = [
            {(each.name if each.shared else f"{volley} {each.name}"): each.rolls for each in dice.rerolls}
            for volley, dice in zip(self.volley_of, self.parts, strict=True)
        ]
        self._stages = {
            (part, place): StageDice(step, len(dice.start))
            for part, dice in enumerate(self.parts)
            for place, step in enumerate(dice.steps)
            if isinstance(step, Stage)
        }
        #: Every kind of wounds: the part that it is of, and its place there.
        self.kinds = [
            (part, place) for part, dice in enumerate(self.parts) for place in range(len(dice.wounds))
        ]
        self._first = [self.kinds.index((part, 0)) - dice.first for part, dice in enumerate(self.parts)]
        ranks = [self.parts[part].wounds[place].rank for part, place in self.kinds]
        deferred = [kind for kind, rank in enumerate(ranks) if rank is not None]
        #: Lower ranks first; of equal ones in the order in which they arose.
        self._turns = sorted(deferred, key=lambda kind: (ranks[kind] or 0, kind))
        #: Kinds that are inflicted before the next volley.
        self._within_volley = [kind for kind in self._turns if (ranks[kind] or 0) < 0]
        self._own = [frozenset(name for name in names if name != plain_name(name)) for names in self.usable]
        #: What was found before: what comes at a key, the re-rolls that a roll can use, and what wounds do.
        self.node, self.usable_of = cache(self._node), cache(self._usable)
        self._useful_of, self._options_of = cache(self._useful), cache(self._options)
        self._rows, self.next = cache(self._rows_of), cache(self._next)
        self._numbers: dict[Key, int] = {}
        self.keys: list[Key] = []
        self._together = RollsTogether(self)
        #: The number of the key at the end.
        self.end = self.number(Key(BETWEEN, 0, (), NO_REROLLS, (), ()))

    def __reduce__(self) -> tuple[object, ...]:
        return partial(AttackGame, any_order=self._any_order, defender_maximises=self._maximises[1]), (
            self.turns,
            self.unit,
        )

    # Positions -------------------------------------------------------------------------------------------------

    def start(self, before: Distribution | int, *, held: bool = True) -> Start:
        """Return the weights of the first positions, from the state before or its distribution."""
        names = frozenset(name for usable in self.usable for name in usable) if held else NO_REROLLS
        first = self._begin(tuple(range(len(self.turns))), names, (0,) * len(self.kinds)) * self._states
        if isinstance(before, int):
            return {first + before: 1}, 1
        terms, whole = before._mass.terms()  # noqa: SLF001 - a distribution of the project's own
        return {first + state: int(term) for state, term in zip(before.support, terms, strict=True)}, whole

    def step(self, key: Key) -> VolleyStep | None:
        """Return the step of a volley that comes at a key; None between volleys."""
        return None if key.part == BETWEEN else self.parts[key.part].steps[key.step]

    def _node(self, number: int) -> RollsMade | Allocation | Callable[[int], Moves]:
        """Return what comes at a key: dice and choices about them whatever the state, or else state by state."""
        key = self.keys[number]
        seen, step = key.seen, self.step(key)
        if isinstance(seen, DamageSeen):
            return (self._save if seen.failed else self._damage)(key._replace(seen=None), seen)
        if isinstance(step, ResultChoice):
            return self._together.choose(key, step)
        if isinstance(step, Rolled):
            return self._together.at_once(key, step)
        if isinstance(step, Stage):
            found = self._together.roll(key) if seen is None else self._together.look(key, seen)
            return found._replace(maximises=self._maximises[step.roll == "save"])
        if isinstance(step, PoolStep):
            return partial(self._choose_case, key, step)
        return partial(self._choose_volley, key) if step is None and key.left else self._wound(key)

    def rank(self, number: int) -> tuple[int, ...]:
        """Return numbers by which a key comes before all that can follow it."""
        key = self.keys[number]
        seen, between = key.seen, key.part == BETWEEN
        wounds = 0
        if between or isinstance(self.step(key), Wounds):
            wounds = sum(key.counts) + sum(key.deferred)
        phase = 3 if key.case is None else 3 + (key.case.named is not None) + (key.case.order is not None)
        if isinstance(seen, DamageSeen):
            phase = 0 if seen.failed else 1
        return -len(key.left), int(between), key.step, -wounds, phase, -len(key.held), int(seen is not None)

    def number(self, key: Key) -> int:
        """Return the number of a key."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.keys)
            self.keys.append(key)
        return number

    def _begin(self, left: tuple[int, ...], held: Held, deferred: Counts) -> int:
        """Return the number of the key before the volleys that are left."""
        if not left and not any(deferred):
            return self.end
        first = self.turns[left[0]] if left else None
        if first is None or first.outcome or first.part_of or len(self.next_volleys(left)) > 1:
            return self.number(Key(BETWEEN, 0, (), held, deferred, left))
        return self._enter(left[0], 0, Key(BETWEEN, 0, (), held, deferred, left))

    def next_volleys(self, left: tuple[int, ...]) -> Sequence[int]:
        """Return the volleys that can be next: of equal ones the first, wounds that no attack inflicts last."""
        if not self._any_order:
            return left[:1]
        attacks = {
            self.turns[place].alike: place
            for place in reversed(left)
            if self.turns[place].volley.attack is not None
        }
        return sorted(attacks.values()) or left[:1]

    def _choose_volley(self, key: Key, state: int) -> Moves:
        """Choose the next volley: begin it with the dice that it has now, or roll it where nobody decides anything."""
        numbers, outcomes = [], []
        for place in self.next_volleys(key.left):
            turn = self.turns[place]
            if turn.outcome is None:
                numbers.append(self._enter(place, 0 if turn.part_of is None else turn.part_of[state], key))
            else:
                left = tuple(other for other in key.left if other != place)
                outcomes.append((self._begin(left, key.held, key.deferred), turn.outcome(state)))
        if not outcomes:
            return self._one_of(numbers, state, attacker=True)
        common = lcm(*(outcome.denominator for _, outcome in outcomes))
        options = [
            ((after, dict(outcome.items()), common // outcome.denominator),) for after, outcome in outcomes
        ]
        return options, common, self._maximises[0]

    def _one_of(self, numbers: Sequence[int], state: int, *, attacker: bool) -> Moves:
        """Return a choice between keys."""
        row = {state: 1}
        return [((number, row, 1),) for number in numbers], 1, self._maximises[not attacker]

    def _enter(self, place: int, part: int, key: Key) -> int:
        """Return the number of the first key of a volley."""
        part += self.volley_of.index(place)
        left = tuple(other for other in key.left if other != place)
        return self.next(key._replace(part=part, left=left), 0, self.parts[part].start)

    def _next(self, key: Key, step: int, counts: Counts) -> int:
        """Return the number of the first key from a step on where something is rolled or decided."""
        steps, deferred = self.parts[key.part].steps, key.deferred
        for place in range(step, len(steps)):
            at = steps[place]
            if isinstance(at, Wounds):
                for each in at.deferred:
                    deferred = with_more(deferred, self._first[key.part] + each, counts[each])
                    counts = with_more(counts, each, -counts[each])
                if any(deferred[kind] for kind in self._within_volley):
                    break
            if any(counts[each] for each in at.places):
                break
        else:
            return self._begin(key.left, key.held - self._own[key.part], deferred)
        # Who takes the wounds of a pool is chosen anew, also where those before it were all saved.
        case = None if isinstance(steps[place], PoolStep) else key.case
        held = self._useful_of(key.part, place, key.left, key.held)
        return self.number(Key(key.part, place, counts, held, deferred, key.left, case))

    def _usable(self, part: int, held: Held, roll: str) -> Sequence[str]:
        """Return the re-rolls that are held and may be spent on a roll of a volley."""
        return sorted(name for name, rolls in self.usable[part].items() if name in held and roll in rolls)

    def _useful(self, part: int, step: int, left: tuple[int, ...], held: Held) -> Held:
        """Return those of the re-rolls held that a roll from a step on can use; others make no position."""
        if not held or any(dice.declines for dice in self.parts):
            return held
        steps = [(part, each) for each in self.parts[part].steps[step:]]
        later = [other for other, volley in enumerate(self.volley_of) if volley in left]
        steps += [(other, each) for other in later for each in self.parts[other].steps]
        steps += [(other, Wounds(())) for other, _ in (self.kinds[kind] for kind in self._turns)]
        return held & frozenset(name for other, each in steps for name in self._useful_at(other, each))

    def _useful_at(self, part: int, step: VolleyStep) -> list[str]:
        """Return the re-rolls that a step of a volley can use."""
        rolls, damage = {"save"}, self.parts[part].damage
        if isinstance(step, Rolled) or (isinstance(step, Stage) and _can_be_rerolled(step.dice.values())):
            rolls = {step.roll}
        elif isinstance(step, Wounds) and (not damage or _can_be_rerolled(chain(*damage))):
            rolls = {"save", "damage"}
        return [name for name, known in self.usable[part].items() if rolls & known]

    def stage(self, key: Key) -> StageDice:
        """Return the dice that are rolled at a key."""
        return self._stages[key.part, key.step]

    # Who takes wounds ------------------------------------------------------------------------------------------

    def directions(self, key: Key, state: int) -> list[tuple[int, ...]]:
        """Return the groups at which the attackers' player can direct what is resolved, the first choice first."""
        if not isinstance(pool := self.step(key), PoolStep):
            kind, _ = self._taken(key)
            part, place = self.kinds[kind]
            directed = self.turns[self.volley_of[part]].volley.directed
            if not (directed and self.parts[part].declines and self.parts[part].wounds[place].directed):
                return []
            opened = self.unit.opened
            return [directed, ()] if opened(directed)[state] != opened(())[state] else []
        assert self._grouped is not None  # noqa: S101 - pools are saved in groups
        directed = self.turns[self.volley_of[key.part]].volley.directed
        none_saved = pool.saves is None or not key.counts[pool.saves]
        if not (directed and pool.directed) or (pool.only_saved and none_saved):
            return [()]
        if self.parts[key.part].declines:
            living = self._grouped.living(state)
            return [*((kind,) for kind in directed if living[kind]), ()]
        return [self._grouped.named(state, directed)]

    def _choose_case(self, key: Key, pool: PoolStep, state: int) -> Moves:
        """Name a group for a pool, then order the groups that save it."""
        unit = self._grouped
        assert unit is not None  # noqa: S101 - pools are saved in groups
        names, case = self.directions(key, state), key.case
        if self.names_now(key, state):
            order = None if case is None else case.order
            cases = [
                Case(named, unit.named_first(order, named) if order is not None else None) for named in names
            ]
            numbers = [self._chosen_case(key, each) for each in cases]
            return self._one_of(numbers, state, attacker=True)
        waits = case is None and len(names) > 1
        named = () if waits else names[0] if case is None or case.named is None else case.named
        saved = 0 if pool.saves is None else key.counts[pool.saves]
        orders = unit.orders(state, named, saved) if saved else [()]
        numbers = [self._chosen_case(key, Case(None if waits else named, order)) for order in orders]
        return self._one_of(numbers, state, attacker=False)

    def _chosen_case(self, key: Key, case: Case) -> int:
        """Return the number of the key once who takes wounds is chosen, or a part of that."""
        key = key._replace(case=case)
        if case.named is None or case.order is None:
            return self.number(key)
        return self.next(key, key.step + 1, key.counts)

    def names_now(self, key: Key, state: int) -> bool:
        """Whether the attackers' player says now at whom wounds are directed, and has a choice."""
        now, step = key.case is None, self.step(key)
        if isinstance(step, PoolStep) and not step.names_first:
            now = key.case is not None and key.case.named is None
        return now and len(self.directions(key, state)) > 1

    def _options(self, kind: int, case: Case | None) -> WoundOptions:
        """Return what the unit's player can choose about a wound, and what comes of it."""
        part, place = self.kinds[kind]
        dice = self.parts[part]
        wound = dice.wounds[place]
        directed = self.turns[self.volley_of[part]].volley.directed
        named = directed if case is None or case.named is None else case.named
        if case is not None and case.order is not None and wound.rank is None and self._grouped:
            opened = self._grouped.opened_in_turn(case.order)
        else:
            opened = self.unit.opened(named if wound.directed else ())
        return WoundOptions(wound, dice.damage[place], self.unit, opened)

    # One wound at a time ---------------------------------------------------------------------------------------

    def _wound(self, key: Key) -> Callable[[int], Moves] | Allocation:
        """Allocate a wound, make its save and roll its damage."""
        kind, after = self._taken(key)
        if not self.parts[self.kinds[kind][0]].damage:
            return self._at_once(kind, after)
        step = self._step(kind, after)
        if key.case is not None or not any(each.declines for each in self.parts):
            return partial(self._wounded, step)

        def moves(state: int) -> Moves:
            if not self.names_now(key, state):
                return self._wounded(step, state)
            # The attackers' player says at whom the wound is directed.
            numbers = [self.number(key._replace(case=Case(named))) for named in self.directions(key, state)]
            return self._one_of(numbers, state, attacker=True)

        return moves

    def _wounded(self, step: WoundStep, state: int) -> Moves:
        """Return the choices of the unit's player about a wound."""
        whole, following, known = step.options.rolled, step.following, step.options.at(state)
        if not (step.damage or step.saves):
            return [((following, option.all, 1),) for option in known], 36 * whole, self._maximises[1]
        options = []
        for place, option in enumerate(known):
            found: list[Branch] = []
            if option.unsaved < 36:
                found.append((following, {option.saved: 36 - option.unsaved}, whole))
            if step.saves and 0 < option.unsaved < 36:
                seen = DamageSeen(step.kind, place, failed=True)
                found.append((self.number(step.after._replace(seen=seen)), {state: option.unsaved}, whole))
            elif option.unsaved:
                found += self._unsaved(step, place, option, state, option.unsaved)
            options.append(found)
        return options, 36 * whole, self._maximises[1]

    def _at_once(self, kind: int, key: Key) -> Allocation:
        """Allocate a wound at whose dice nobody looks, which spends re-rolls as it must."""
        part, _ = self.kinds[kind]
        rerolls, rows, whole = self._rows(kind)
        held = {plain_name(name): name for name in self.usable[part] if name in key.held}
        own = rerolls.intersection(held)
        after = []
        for left in subsets(own):
            spent = key._replace(held=key.held.difference(held[name] for name in own - left))
            after.append((self._next_wound(spent), rows[own, left]))
        return Allocation(after, whole, self._maximises[1])

    def _rows_of(self, kind: int) -> tuple[Held, Mapping[tuple[Held, Held], Sequence[Rows]], int]:
        """Return the re-rolls of such a wound, its rows by those held before and after, and what they are out of."""
        part, place = self.kinds[kind]
        wound = self.parts[part].wounds[place]
        directed = self.turns[self.volley_of[part]].volley.directed if wound.directed else ()
        every, out_of = self.unit.options(wound, self.unit.opened(directed))
        weights = (row.values() for each in every.values() for options in each for row in options)
        divisor = gcd(out_of, *chain.from_iterable(weights))
        shortened = {
            key: [
                [{after: each // divisor for after, each in row.items()} for row in rows] for rows in options
            ]
            for key, options in every.items()
        }
        return wound.rerolls, shortened, out_of // divisor

    def _step(self, kind: int, after: Key) -> WoundStep:
        part = self.kinds[kind][0]
        damage, saves = (self.usable_of(part, after.held, roll) for roll in ("damage", "save"))
        options = self._options_of(kind, after.case)
        return WoundStep(kind, options, after, self._next_wound(after), damage, saves)

    def _unsaved(
        self, step: WoundStep, choice: int, option: WoundOption, state: int, weight: int
    ) -> list[Branch]:
        """Return what follows from a save that has failed: its damage is rolled, and may be looked at."""
        if not step.damage:
            return [(step.following, option.rolled, weight)]
        found: list[Branch] = [(step.following, option.unseen, weight)] if option.unseen else []
        for result, each in option.seen.items():
            seen = DamageSeen(step.kind, choice, result)
            found.append((self.number(step.after._replace(seen=seen)), {state: each}, weight))
        return found

    def _save(self, key: Key, seen: DamageSeen) -> Callable[[int], Moves]:
        """Let a failed save stand, or re-roll it."""
        names = self.usable_of(self.kinds[seen.kind][0], key.held, "save")
        again = [self._step(seen.kind, key._replace(held=key.held - {name})) for name in names]
        step = self._step(seen.kind, key)

        def moves(state: int) -> Moves:
            option, whole = step.options.at(state)[seen.choice], step.options.rolled
            options = [self._unsaved(step, seen.choice, option, state, 36)]
            for after in again:
                saved = after.following, {option.saved: 36 - option.unsaved}, whole
                options.append([saved, *self._unsaved(after, seen.choice, option, state, option.unsaved)])
            return options, 36 * whole, self._maximises[1]

        return moves

    def _damage(self, key: Key, seen: DamageSeen) -> Callable[[int], Moves]:
        """Keep a damage roll, or re-roll it."""
        options, following = self._options_of(seen.kind, key.case), self._next_wound(key)
        again = [
            (self._next_wound(key._replace(held=key.held - {name})), way)
            for name in self.usable_of(self.kinds[seen.kind][0], key.held, "damage")
            for way in options.die.results[seen.result].rerolls
        ]

        def moves(state: int) -> Moves:
            option, common = options.at(state)[seen.choice], options.rerolled
            found = [((following, option.inflicted[seen.result], common),)]
            for after, way in again:
                found.append(((after, option.rerolled[way], common // sum(options.die.rerolls[way])),))
            return found, options.scale * common, self._maximises[0]

        return moves

    def die(self, kind: int) -> TableDie:
        """Return the damage die of a kind of wounds, of which all groups have the same results."""
        part, place = self.kinds[kind]
        return self.parts[part].damage[place][0]

    def _taken(self, key: Key) -> tuple[int, Key]:
        """Return the kind of the next wound, and the key without it."""
        if step := self.step(key):
            first = self._first[key.part]
            for place in step.places:
                if number := key.counts[place]:
                    kind, left = place, number - 1
                    if isinstance(step, Wounds) and step.kinds:
                        left, digit = divmod(number, step.kinds)
                        kind, left = self.parts[key.part].first + digit, left if left > 1 else 0
                    counts = (*key.counts[:place], left, *key.counts[place + 1 :])
                    return first + kind, key._replace(counts=counts)
        kind = next(turn for turn in self._turns if key.deferred[turn])
        deferred = (*key.deferred[:kind], key.deferred[kind] - 1, *key.deferred[kind + 1 :])
        return kind, key._replace(deferred=deferred)

    def _next_wound(self, key: Key) -> int:
        """Return the number of the key once a wound is dealt with."""
        in_pool = key.case is not None and key.case.order is not None
        if key.part == BETWEEN:
            return self.number(key._replace(case=None)) if any(key.deferred) else self.end
        places = self.parts[key.part].steps[key.step].places
        if any(key.counts[place] for place in places) or any(
            key.deferred[kind] for kind in self._within_volley
        ):
            return self.number(key if in_pool else key._replace(case=None))
        # What has been chosen about a pool holds for all its wounds: the next pool forgets it.
        return self.next(key if in_pool else key._replace(case=None), key.step + 1, key.counts)


def _can_be_rerolled(dice: Iterable[TableDie]) -> bool:
    return any(result.fresh and result.rerolls for die in dice for result in die.results)
