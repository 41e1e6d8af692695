"""Volleys whose player may re-roll single dice, and sees them before they decide: positions, decisions, the best plan.

All hit dice of a volley are rolled together, then all wound dice, then the saves of equal models; damage is rolled one
wound at a time. Each player sees everything that lies on the table. Against a unit of different models saves belong to
the model that a wound is allocated to, and are made one at a time.
"""

from __future__ import annotations

from math import comb, gcd, lcm
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.distributions import CategoricalDistribution, IntegerDistribution
from mathhammer.distributions.decisions import Decision, require_positions
from mathhammer.errors import TooLargeError
from mathhammer.sequence.attack_distribution import NO_REROLLS
from mathhammer.sequence.resolution import require_number
from mathhammer.sequence.rolled_dice import Seen, StageDice, total

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.arithmetic import P
    from mathhammer.distributions import Distribution, GeneratingFunction
    from mathhammer.sequence.attack_distribution import Held
    from mathhammer.sequence.rolled_dice import Counts, Die, Result, VolleyDice
    from mathhammer.sequence.unit import Rows, Unit
    from mathhammer.sequence.volley import Volley
    from mathhammer.sequence.wound import Wound, WoundEffect

__all__ = ["DamageSeen", "Key", "RerollGame", "Spend"]

#: Most weights of dice that are looked at together, long ones counted by their length: some ten seconds.
MAXIMUM_WORK = 20_000_000


class DamageSeen(NamedTuple):
    """A damage die that lies on the table.

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
    """

    kind: int
    choice: int
    result: int | None
    way: int = 0


class Key(NamedTuple):
    """Where a volley stands, whatever the state of its target.

    Parameters
    ----------
    volley
        Its place; one past the last at the end.
    stage
        The stage of its dice; one past the last where its wounds are resolved.
    counts
        Dice and wounds of each kind to come.
    held
        The names of the re-rolls that are held.
    waiting
        Deferred wounds of each kind of all volleys.
    seen
        What lies on the table, if a player looks at it.
    """

    volley: int
    stage: int
    counts: Counts
    held: Held
    waiting: Counts
    seen: Seen | DamageSeen | None = None


class Spend(NamedTuple):
    """A way to spend a re-roll: which one, on one of how many dice of which result, and whether that is a low one.

    More dice than re-rolls are held are not counted.
    """

    name: str
    label: str
    low: bool
    dice: int


class _Rolls(NamedTuple):
    """Dice, or a decision about them, whatever the state: for each option weights by the number of the key after."""

    options: tuple[Mapping[int, int], ...]
    denominator: int


class _WoundStep(NamedTuple):
    """A wound whatever the state: its kind, the key without it, what follows, and where its damage is looked at."""

    kind: int
    after: Key
    following: int
    usable: bool
    looks: dict[tuple[int, int], int]


class _Kind:
    """A kind of wounds against a unit: what a save and each result of the damage die do in each state.

    Parameters
    ----------
    wound
        The wounds.
    dice
        The damage die for each group.
    unit, directed
        As for `Unit.options`.
    volley
        The place of the volley.
    """

    def __init__(
        self, wound: Wound, dice: Sequence[Die], unit: Unit, directed: Sequence[int], volley: int
    ) -> None:
        self.volley, self.wound, self.die = volley, wound, dice[0]
        self.choices = unit.choices(wound, directed)
        self._unsaved = [effect.unsaved for effect in wound.effects]
        self._alike: dict[tuple[int, int], Sequence[int]] = {}
        rows = [self._rows(unit, directed, None)]
        rows += [
            self._rows(unit, directed, [die.results[place] for die in dice])
            for place in range(len(self.die.results))
        ]
        self.scale = lcm(*(each[1] for each in rows))
        scaled = [
            [[_scaled(row, self.scale // denominator) for row in options] for options in found]
            for found, denominator in rows
        ]
        #: Of each state and choice the states after a save that is made, then after each result.
        self.saved, self.inflicted = scaled[0], scaled[1:]

    def unsaved(self, state: int, choice: int) -> int:
        """Weight of failing the save, out of 36."""
        return self._unsaved[self.choices[state][choice][0]]

    def alike(self, state: int, choice: int) -> Sequence[int]:
        """Return for each result the first one that does the same and can be re-rolled in the same ways."""
        key = state, choice
        if key not in self._alike:
            seen: dict[tuple[object, ...], int] = {}
            self._alike[key] = [
                seen.setdefault((shown.rerolls, *rows[state][choice].items()), result)
                for result, (shown, rows) in enumerate(zip(self.die.results, self.inflicted, strict=True))
            ]
        return self._alike[key]

    def _rows(
        self, unit: Unit, directed: Sequence[int], results: Sequence[Result] | None
    ) -> tuple[list[Rows], int]:
        effects = tuple(
            effect._replace(unsaved=0, save_reroll=None, damage_reroll=None)
            if results is None
            else _showing(effect, results[group])
            for group, effect in enumerate(self.wound.effects)
        )
        found, denominator = unit.options(self.wound._replace(effects=effects), directed)
        rows = found[NO_REROLLS, NO_REROLLS]
        divisor = gcd(denominator, *(weight for each in rows for row in each for weight in row.values()))
        return [[_scaled(row, 1, divisor) for row in each] for each in rows], denominator // divisor


class RerollGame:
    """The positions of volleys with re-rolls, and what each leads to.

    A position is the number of a key and a state of the unit, as one whole number.

    Parameters
    ----------
    volleys
        In the order in which they are resolved.
    dice
        The dice of each.
    unit
        The models.
    attacker_maximises, defender_maximises
        Whether the value shall be high for the player of the attackers, and for that of the unit.
    """

    def __init__(
        self,
        volleys: Sequence[Volley],
        dice: Sequence[VolleyDice],
        unit: Unit,
        *,
        attacker_maximises: bool = True,
        defender_maximises: bool = False,
    ) -> None:
        for volley in volleys:
            what = "attacks in a volley" if volley.attack is not None else "wounds without an attack at once"
            require_number(volley.number.expression, what)
        self.volleys, self.dice, self.unit = volleys, dice, unit
        self._states = unit.states
        _require_size(volleys, dice, unit)
        self._maximises = attacker_maximises, defender_maximises
        self._usable = [
            {(each.name if each.shared else f"{index} {each.name}"): each.rolls for each in one.rerolls}
            for index, one in enumerate(dice)
        ]
        self.stages = [[StageDice(stage, len(one.start)) for stage in one.stages] for one in dice]
        self.kinds: list[_Kind] = []
        self._first: list[int] = []
        for index, (volley, one) in enumerate(zip(volleys, dice, strict=True)):
            self._first.append(len(self.kinds))
            # Saves of equal models are a stage of the dice: a wound is one whose save has failed then.
            wounds = _after_stage(volley) if unit.is_simple else volley.wounds
            for wound, die in zip(wounds, one.damage, strict=True):
                self.kinds.append(_Kind(wound, die, unit, volley.directed if wound.directed else (), index))
        deferred = [place for place, kind in enumerate(self.kinds) if kind.wound.rank is not None]
        #: Lower ranks first; of equal ones in the order in which they arose.
        self._turns = sorted(deferred, key=lambda place: (self.kinds[place].wound.rank or 0, place))
        self._own = [
            frozenset(f"{index} {each.name}" for each in one.rerolls if not each.shared)
            for index, one in enumerate(dice)
        ]
        #: Wounds of any kind that do not wait for the other volleys.
        self._soon = [place for place in self._turns if (self.kinds[place].wound.rank or 0) < 0]
        self._spendable: dict[tuple[int, Held, str], Sequence[str]] = {}
        self._wounds: dict[int, _WoundStep] = {}
        self._looks: dict[int, tuple[int, Sequence[int]]] = {}
        self._numbers: dict[Key, int] = {}
        self.keys: list[Key] = []
        self._rolls: dict[int, _Rolls] = {}
        self._decisions: dict[int, Decision[int] | None] = {}
        self._end = self._number(Key(len(volleys), 0, (), NO_REROLLS, ()))

    # Positions -------------------------------------------------------------------------------------------------

    def start(
        self, before: Distribution[P] | int, *, held: bool = True, exact: bool
    ) -> CategoricalDistribution[int, P]:
        """Return the distribution of the first position, from the state before or its distribution.

        Parameters
        ----------
        before
            The state of the unit.
        held
            Whether the re-rolls are held that all volleys share.
        exact
            The arithmetic.
        """
        shared = {each.name for one in self.dice for each in one.rerolls if each.shared}
        first = self._begin(0, frozenset(shared) if held else NO_REROLLS, (0,) * len(self.kinds), own=held)
        if isinstance(before, int):
            return CategoricalDistribution.certain(first * self._states + before, exact=exact)
        return CategoricalDistribution.of(before, lambda state: first * self._states + state)

    def state(self, position: int) -> int:
        """Return the state of the unit in a position."""
        return position % self._states

    def key(self, position: int) -> Key:
        """Return where the volley stands in a position."""
        return self.keys[position // self._states]

    def decision(self, position: int) -> Decision[int] | None:
        """Return what comes in a position."""
        if position not in self._decisions:
            self._decisions[position] = self._decision(*divmod(position, self._states))
        return self._decisions[position]

    def _decision(self, number: int, state: int) -> Decision[int] | None:
        if number == self._end or state == self._states - 1:
            return None
        key = self.keys[number]
        if key.volley == len(self.volleys) or key.stage == len(self.stages[key.volley]):
            seen = key.seen
            return (
                self._damage(number, seen, state)
                if isinstance(seen, DamageSeen)
                else self._wound(number, state)
            )
        rolls = self._rolls.get(number)
        if rolls is None:
            rolls = self._rolls[number] = self._roll(key) if key.seen is None else self._look(key, key.seen)
        options, denominator = rolls
        found = [{first * self._states + state: weight for first, weight in each.items()} for each in options]
        return Decision(found, denominator, self._maximises[self._of_defender(key)])

    def _of_defender(self, key: Key) -> bool:
        return self.stages[key.volley][key.stage].roll == "save"

    def _number(self, key: Key) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.keys)
            self.keys.append(key)
        return number

    def _begin(self, volley: int, held: Held, waiting: Counts, *, own: bool = True) -> int:
        """Return the number of the key before a volley, with the re-rolls of its own."""
        if volley == len(self.volleys):
            return self._number(Key(volley, 0, (), held, waiting)) if any(waiting) else self._end
        mine = self._own[volley] if own else NO_REROLLS
        return self._next(Key(volley, 0, self.dice[volley].start, held | mine, waiting))

    def _next(self, key: Key) -> int:
        """Return the number of the first key from one on where something is rolled."""
        volley, stage, counts, held, waiting, _ = key
        stages = self.stages[volley]
        while stage < len(stages) and not any(counts[place] for place in stages[stage].places):
            stage += 1
        if stage < len(stages):
            return self._number(Key(volley, stage, counts, held, waiting))
        # The deferred wounds wait; what is left are the immediate ones.
        first, place = self._first[volley], self.dice[volley].wounds
        immediate = self.volleys[volley].immediate if self.volleys[volley].attack is not None else 0
        if self.unit.is_simple:
            immediate = min(immediate, 1)
        left = counts[place : place + immediate]
        if deferred := counts[place + immediate :]:
            waiting = (
                *waiting[: first + immediate],
                *total(waiting[first + immediate : first + len(counts) - place], deferred),
                *waiting[first + len(counts) - place :],
            )
        if any(left) or any(waiting[turn] for turn in self._turns if (self.kinds[turn].wound.rank or 0) < 0):
            return self._number(Key(volley, stage, left, held, waiting))
        return self._begin(volley + 1, held - self._own[volley], waiting)

    def _usable_of(self, volley: int, held: Held, roll: str) -> Sequence[str]:
        """Return the re-rolls that are held and may be spent on a roll of a volley."""
        key = volley, held, roll
        found = self._spendable.get(key)
        if found is None:
            known = self._usable[volley].items()
            found = self._spendable[key] = sorted(n for n, rolls in known if n in held and roll in rolls)
        return found

    def rerolls_of(self, position: int) -> list[Spend]:
        """Return the ways in which a player can spend a re-roll in a position: all its options but the first."""
        key = self.key(position)
        if key.seen is None:
            return []
        if isinstance(key.seen, DamageSeen):
            kind = self.kinds[key.seen.kind]
            if key.seen.result is None:
                return []
            shown = [(kind.die.results[key.seen.result], 1)]
            names = self._usable_of(kind.volley, key.held, "damage")
        else:
            stage = self.stages[key.volley][key.stage]
            shown = [(stage.results[place], number) for place, number in enumerate(key.seen.fresh) if number]
            names = self._usable_of(key.volley, key.held, stage.roll)
        several = len(names) > 1
        return [
            Spend(
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

    def is_attackers(self, position: int) -> bool:
        """Whether the attackers' player decides about a re-roll in a position."""
        key = self.key(position)
        return isinstance(key.seen, DamageSeen) or (key.seen is not None and not self._of_defender(key))

    def to_come(self, key: Key) -> tuple[tuple[str, int], ...]:
        """Return the dice and wounds of each kind that are still to come, by their names."""
        found: dict[str, int] = {}
        if key.volley < len(self.volleys):
            names = self.dice[key.volley].names
            first = self.dice[key.volley].wounds if key.stage == len(self.stages[key.volley]) else 0
            for name, number in zip(names[first:], key.counts, strict=False):
                if number:
                    found[name] = found.get(name, 0) + number
        for place, number in enumerate(key.waiting):
            if number:
                name = self.name_of(place)
                found[name] = found.get(name, 0) + number
        return tuple(found.items())

    def name_of(self, place: int) -> str:
        """Return what a kind of wounds is called."""
        volley = self.kinds[place].volley
        return self.dice[volley].names[self.dice[volley].wounds + place - self._first[volley]]

    # Dice that are rolled together -----------------------------------------------------------------------------

    def _roll(self, key: Key) -> _Rolls:
        """Roll the dice of a stage."""
        stage = self.stages[key.volley][key.stage]
        dice = tuple(key.counts[place] for place in stage.places)
        rest = tuple(0 if place in stage.places else number for place, number in enumerate(key.counts))
        rolled = key._replace(counts=rest)
        usable = self._usable_of(key.volley, key.held, stage.roll)
        if not usable:
            return _Rolls((self._added(rolled, stage.plain(dice)),), stage.plain(dice).denominator)
        weights, denominator = stage.rolled(dice, len(usable))
        found: dict[int, int] = {}
        parts: list[tuple[int, GeneratingFunction]] = []
        for seen, weight in weights.items():
            if any(seen.fresh):
                number = self._number(rolled._replace(seen=seen))
                found[number] = found.get(number, 0) + weight
            else:
                parts.append((weight, stage.added(seen.results)))
        common = lcm(*(added.denominator for _, added in parts))
        found = {number: weight * common for number, weight in found.items()}
        for weight, added in parts:
            for number, each in self._added(rolled, added).items():
                found[number] = found.get(number, 0) + weight * each * (common // added.denominator)
        return _Rolls((found,), denominator * common)

    def _added(self, key: Key, added: GeneratingFunction) -> dict[int, int]:
        """Return weights of the keys after the dice of a stage have added to the counts."""
        found: dict[int, int] = {}
        for counts, weight in added.coefficients.items():
            after = key._replace(stage=key.stage + 1, counts=total(key.counts, counts), seen=None)
            number = self._next(after)
            found[number] = found.get(number, 0) + weight
        return found

    def _look(self, key: Key, seen: Seen | DamageSeen) -> _Rolls:
        """Keep what lies on the table, or re-roll one die of it."""
        assert isinstance(seen, Seen)  # noqa: S101 - damage is looked at elsewhere
        stage = self.stages[key.volley][key.stage]
        kept = stage.added(seen.results)
        options = [(self._added(key, kept), kept.denominator)]
        usable = self._usable_of(key.volley, key.held, stage.roll)
        for name in usable:
            left = key._replace(held=key.held - {name}, seen=None)
            for _, _, after, denominator in stage.rerolled(seen, len(usable) - 1):
                common = lcm(
                    *(stage.added(each.results).denominator for each in after if not any(each.fresh))
                )
                found: dict[int, int] = {}
                for each, weight in after.items():
                    if any(each.fresh):
                        parts = {self._number(left._replace(seen=each)): common}
                    else:
                        added = stage.added(each.results)
                        factor = common // added.denominator
                        parts = {n: w * factor for n, w in self._added(left, added).items()}
                    for number, part in parts.items():
                        found[number] = found.get(number, 0) + weight * part
                options.append((found, denominator * common))
        common = lcm(*(denominator for _, denominator in options))
        return _Rolls(
            tuple(
                {number: weight * (common // denominator) for number, weight in found.items()}
                for found, denominator in options
            ),
            common,
        )

    # One wound at a time ---------------------------------------------------------------------------------------

    def _wound(self, number: int, state: int) -> Decision[int]:
        """Allocate a wound, make its save and roll its damage."""
        step = self._wounds.get(number)
        if step is None:
            key = self.keys[number]
            place, after = self._taken(key)
            usable = bool(self._usable_of(self.kinds[place].volley, key.held, "damage"))
            following = self._next_wound(after) * self._states
            step = self._wounds[number] = _WoundStep(place, after, following, usable, {})
        place, after, following, usable, looks = step
        kind = self.kinds[place]
        each, scale = kind.die.denominator, kind.scale
        options = []
        for choice in range(len(kind.choices[state])):
            found: dict[int, int] = {}
            failed = kind.unsaved(state, choice)
            if failed < 36:
                for column, weight in kind.saved[state][choice].items():
                    found[following + column] = weight * (36 - failed) * each
            alike = kind.alike(state, choice)
            for result, shown in enumerate(kind.die.results):
                settled = failed * shown.settled
                if usable and shown.rerolls and shown.fresh:
                    sight = choice, alike[result]
                    look = looks.get(sight)
                    if look is None:
                        seen = DamageSeen(place, *sight)
                        look = looks[sight] = self._number(after._replace(seen=seen)) * self._states
                    position = look + state
                    found[position] = found.get(position, 0) + failed * shown.fresh * scale
                else:
                    settled += failed * shown.fresh
                if settled:
                    for column, weight in kind.inflicted[result][state][choice].items():
                        position = following + column
                        found[position] = found.get(position, 0) + settled * weight
            options.append(found)
        return Decision(options, 36 * each * scale, self._maximises[1])

    def _damage(self, number: int, seen: DamageSeen, state: int) -> Decision[int]:
        """Keep a damage roll, or re-roll it; or roll it again."""
        kind = self.kinds[seen.kind]
        if number not in self._looks:
            self._looks[number] = self._after_look(self.keys[number], seen)
        following, agains = self._looks[number]
        if seen.result is None:
            weights = kind.die.rerolls[seen.way]
            found: dict[int, int] = {}
            for weight, rows in zip(weights, kind.inflicted, strict=True):
                for column, part in rows[state][seen.choice].items():
                    found[following + column] = found.get(following + column, 0) + weight * part
            return Decision((found,), sum(weights) * kind.scale)
        row = kind.inflicted[seen.result][state][seen.choice]
        options = [{following + column: weight for column, weight in row.items()}]
        options += [{again + state: kind.scale} for again in agains]
        return Decision(options, kind.scale, self._maximises[0])

    def _after_look(self, key: Key, seen: DamageSeen) -> tuple[int, Sequence[int]]:
        """Return the first position once a damage roll stands, and that of each way to roll it again."""
        kind = self.kinds[seen.kind]
        following = self._next_wound(key._replace(seen=None)) * self._states
        if seen.result is None:
            return following, ()
        agains = [
            self._number(key._replace(held=key.held - {name}, seen=seen._replace(result=None, way=way)))
            for name in self._usable_of(kind.volley, key.held, "damage")
            for way in kind.die.results[seen.result].rerolls
        ]
        return following, [again * self._states for again in agains]

    def _taken(self, key: Key) -> tuple[int, Key]:
        """Return the kind of the next wound, and the key without it."""
        if key.volley < len(self.volleys):
            for place, number in enumerate(key.counts):
                if number:
                    left = (*key.counts[:place], number - 1, *key.counts[place + 1 :])
                    return self._first[key.volley] + place, key._replace(counts=left)
        place = next(turn for turn in self._turns if key.waiting[turn])
        waiting = (*key.waiting[:place], key.waiting[place] - 1, *key.waiting[place + 1 :])
        return place, key._replace(waiting=waiting)

    def _next_wound(self, key: Key) -> int:
        """Return the number of the key once a wound is dealt with."""
        if key.volley == len(self.volleys):
            return self._number(key) if any(key.waiting) else self._end
        own = any(key.waiting[turn] for turn in self._soon)
        if own or any(key.counts):
            return self._number(key)
        return self._begin(key.volley + 1, key.held - self._own[key.volley], key.waiting)


def _require_size(volleys: Sequence[Volley], dice: Sequence[VolleyDice], unit: Unit) -> None:
    """Refuse at once what could not fit; what may fit is counted as it is found.

    Raises
    ------
    TooLargeError
        If there are too many positions.
    """
    work, positions, before, waiting = 0, 0, 1, 1
    for volley, one in zip(volleys, dice, strict=True):
        most, rows = volley.number.most, 1
        for stage in one.stages:
            results = [result.leads_to for die in stage.dice.values() for result in die.results]
            leading = [leads for leads in results if any(map(any, leads.coefficients))]
            numbers = stage.roll in {"attacks", ""}  # what is rolled is a number of dice, not these
            if not numbers:
                most *= max([1, *(leads.degree for leads in leading)])
            rolled = sum(one.start[place] for place in stage.dice) if numbers else most
            after = comb(rolled + len(leading), len(leading))
            work += rows * after * before * waiting * (1 + most // 16)
            after = 1 + most if numbers else after
            rows = after
        deferred = len(volley.wounds) - (volley.immediate if volley.attack is not None else 0)
        waiting *= (1 + most) ** deferred if volley.defers else 1
        shown = max(len(die.results) for kind in one.damage for die in kind)
        positions += (1 + most) * waiting * unit.states * (1 + shown)
        before = unit.states
    require_positions(positions)
    if work > MAXIMUM_WORK:
        raise TooLargeError(
            "expected dice that can be looked at in about ten seconds where a re-roll is spent by a policy, but these "
            f"take about {10 * work // MAXIMUM_WORK:,}; use fewer attacks, or a fixed re-roll such as reroll_hits='one'"
        )


def _scaled(row: Mapping[int, int], factor: int, divisor: int = 1) -> dict[int, int]:
    return {state: weight * factor // divisor for state, weight in row.items()}


def _showing(effect: WoundEffect, result: Result) -> WoundEffect:
    """Return what a wound does whose save has failed and whose damage die shows a result."""
    counts = result.leads_to.coefficients
    most = max(number for (number,) in counts)
    weights = tuple(counts.get((number,), 0) for number in range(most + 1))
    distribution = IntegerDistribution(0, weights, result.leads_to.denominator)
    return effect._replace(unsaved=36, damage=distribution, save_reroll=None, damage_reroll=None)


def _after_stage(volley: Volley) -> tuple[Wound, ...]:
    """Return the wounds of a volley once the saves of equal models are made: immediate ones are of one kind then."""
    first = volley.immediate
    if volley.attack is None or not first:
        return volley.wounds
    return (volley.wounds[0].failed(), *volley.wounds[first:])
