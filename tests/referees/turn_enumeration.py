"""A turn of two units of Warhammer 40,000 played at the table, model by model and die by die, in fractions.

Nothing here comes from the package. A unit is the wounds left to each of its models, in the order in which their
player removes them; every die is thrown by itself. The rules, 10th and 11th edition core rules:

* A hit needs the skill, a wound the number of Strength against Toughness, a save the Save worsened by AP; 1 fails, and
  6 succeeds for hits and wounds. Damage beyond a model is lost. A hurt model takes the next wound.
* All attacks of a unit are chosen before the first is rolled: models that die by them count once for Blast.
* Overwatch hits on 6s only. A charge needs the distance (11th), or an inch less (10th).
* Fight phase: units with Fights First, among them those that charged; in the 10th edition the player whose turn it is
  not picks first, in the 11th the one whose turn it is, and whoever then has no such unit picks first of the others.
* A unit that charged adds 1 to wound with Lance.
* Hazardous, after the attacks, a die for each such weapon: 10th: 1, 3 wounds to one bearer; 11th: 1 or 2, a mortal
  wound on the unit, or 3 on one of Monsters and Vehicles.
* Models that fight on death roll, and fight once the enemy's attacks are done, if they have not fought in this phase
  (10th); or they wait until their unit fights, and fight with it, which their unit's explosions wait for too (11th).
* Deadly Demise: a 6, and every unit near suffers mortal wounds, rolled for each; what dies of it rolls in turn.
* Desperate Escape: a die for every model; 1 or 2 kills one (10th), or is a hazard of the unit, which then takes a
  battle-shock roll (11th).
* Battle-shock: 2D6 of Leadership or more, below half strength (10th), at half or below, or if shocked already (11th).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

D6 = [(Fraction(1, 6), face) for face in range(1, 7)]
APART, ENGAGED, CHARGED = "apart", "engaged", "charged"


@dataclass(frozen=True)
class Weapon:
    attacks: int = 1
    skill: int | None = 4
    strength: int = 4
    ap: int = 0  # a depth: 1 is AP-1
    damage: tuple[int, ...] = (1,)  # by the equally likely results of its roll
    melee: bool = True
    lance: bool = False
    blast: bool = False
    hazardous: bool = False


@dataclass(frozen=True)
class Unit:
    """Equal models, each with its weapons; the first of them is removed first."""

    wounds: int = 1
    toughness: int = 4
    save: int | None = None
    feel_no_pain: int | None = None
    carried: tuple[tuple[Weapon, ...], ...] = ((),)
    leadership: int | None = None
    fights_first: bool = False
    fights_on_death: int | None = None
    demise: tuple[int, ...] = ()
    machine: bool = False

    @property
    def fresh(self) -> tuple[int, ...]:
        return (self.wounds,) * len(self.carried)


@dataclass(frozen=True)
class State:
    wounds: tuple[tuple[int, ...], tuple[int, ...]]
    place: str = APART
    shocked: tuple[bool, bool] = (False, False)
    #: Places of the destroyed models that are still on the table.
    fallen: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    def hurt(self, side: int, wounds: tuple[int, ...]) -> State:
        both = (wounds, self.wounds[1]) if side == 0 else (self.wounds[0], wounds)
        return replace(self, wounds=both)


Table = dict[State, Fraction]


def each(table: Table, step: Callable[[State], Iterable[tuple[Fraction, State]]]) -> Table:
    """Carry every state on by itself."""
    found: Table = {}
    for state, chance in table.items():
        for part, after in step(state):
            found[after] = found.get(after, Fraction()) + chance * part
    return found


def on_table(state: State) -> list[tuple[int, ...]]:
    """Return what is left of each model, and 1 of a destroyed one that is still there."""
    return [
        tuple(left or place in state.fallen[side] for place, left in enumerate(state.wounds[side]))
        for side in (0, 1)
    ]


def wound_need(strength: int, toughness: int) -> int:
    if strength >= 2 * toughness:
        return 2
    if strength > toughness:
        return 3
    if strength == toughness:
        return 4
    return 6 if 2 * strength <= toughness else 5


class Game:
    """Two units, the one whose turn it is first."""

    def __init__(self, first: Unit, second: Unit, edition: str, *, distance: int = 0) -> None:
        self.units = (first, second)
        self.edition = edition
        self.distance = distance

    def play(self, stages: Iterable[str], *, engaged: bool = False) -> Table:
        table: Table = {
            State((self.units[0].fresh, self.units[1].fresh), ENGAGED if engaged else APART): Fraction(1)
        }
        for stage in stages:
            table = self.stage(table, stage)
        return table

    def stage(self, table: Table, stage: str) -> Table:
        if stage == "shoot":
            return each(table, lambda state: self.activation(state, 0, melee=False))
        if stage == "overwatch":
            return each(table, lambda state: self.activation(state, 1, melee=False, snap=True))
        if stage == "charge":
            return each(table, self.charge)
        if stage == "fight":
            return each(table, self.fight)
        if stage == "desperate escape":
            return each(table, self.escape)
        if stage == "battle-shock":
            return each(each(table, lambda state: self.shock(state, 0)), lambda state: self.shock(state, 1))
        raise ValueError(stage)

    # Charge and nerve ------------------------------------------------------------------------------------------

    def charge(self, state: State) -> Iterator[tuple[Fraction, State]]:
        if state.place != APART or not all(map(any, state.wounds)):
            yield Fraction(1), state
            return
        need = self.distance - (self.edition == "10e")
        for chance, first in D6:
            for again, second in D6:
                reached = first + second >= need
                yield chance * again, State(state.wounds, CHARGED if reached else APART, state.shocked)

    def escape(self, state: State) -> Iterator[tuple[Fraction, State]]:
        """Fall back with the first unit, every model of which tests: 1 or 2 kills one, or hurts the unit (11th)."""
        if state.place == APART:
            yield Fraction(1), state
            return
        unit = self.units[0]
        table: Table = {state: Fraction(1)}
        for _ in range(sum(map(bool, state.wounds[0]))):
            table = each(
                table, self.destroys_one if self.edition == "10e" else lambda after: self.hazard(after, 0)
            )
        for after, chance in table.items():
            away = State(after.wounds, APART, after.shocked)
            if (
                self.edition == "10e"
                or unit.leadership is None
                or after.shocked[0]
                or not any(after.wounds[0])
            ):
                yield chance, away
                continue
            for p, first in D6:
                for q, second in D6:
                    shocked = first + second < unit.leadership
                    yield chance * p * q, State(away.wounds, APART, (shocked, away.shocked[1]))

    def destroys_one(self, state: State) -> Iterator[tuple[Fraction, State]]:
        left = state.wounds[0]
        alive = [place for place, each in enumerate(left) if each]
        if not alive:
            yield Fraction(1), state
            return
        place = min(alive, key=lambda place: (left[place] == self.units[0].wounds, place))
        yield Fraction(2, 3), state
        yield Fraction(1, 3), state.hurt(0, (*left[:place], 0, *left[place + 1 :]))

    def shock(self, state: State, side: int) -> Iterator[tuple[Fraction, State]]:
        unit, wounds = self.units[side], state.wounds[side]
        if unit.leadership is None:
            yield Fraction(1), state
            return
        size, left = len(wounds), sum(map(bool, wounds))
        if size == 1:
            size, left = unit.wounds, wounds[0]
        below = 2 * left < size
        if self.edition == "11e":
            below = 2 * left <= size or state.shocked[side]
        for chance, first in D6:
            for again, second in D6:
                fails = bool(left) and below and first + second < unit.leadership
                shocked = (fails, state.shocked[1]) if side == 0 else (state.shocked[0], fails)
                yield chance * again, State(state.wounds, state.place, shocked)

    # The fight -------------------------------------------------------------------------------------------------

    def fight(self, state: State) -> Iterator[tuple[Fraction, State]]:
        if state.place == APART:
            yield Fraction(1), state
            return
        first = [self.units[0].fights_first or state.place == CHARGED, self.units[1].fights_first]
        picks = 0 if self.edition == "11e" else 1
        order = []
        for fast in (True, False):
            if self.edition == "10e":
                picks = 1
            waiting = [side for side in (0, 1) if first[side] is fast]
            while waiting:
                side = picks if picks in waiting else 1 - picks
                waiting.remove(side)
                order.append(side)
                picks = 1 - side
        table: Table = {state: Fraction(1)}
        for number, side in enumerate(order):
            fought = 1 - side in order[:number]
            table = each(
                table,
                lambda state, side=side, fought=fought: self.activation(
                    state, side, melee=True, fought=fought
                ),
            )
        removed = each(table, lambda after: self.explosions(replace(after, fallen=((), ())), on_table(after)))
        for after, chance in removed.items():
            yield chance, after

    # Attacks ---------------------------------------------------------------------------------------------------

    def activation(
        self, state: State, side: int, *, melee: bool, snap: bool = False, fought: bool = False
    ) -> Iterator[tuple[Fraction, State]]:
        """Play all attacks of a unit, and what follows from them."""
        enemy = 1 - side
        if (
            (melee and state.place == APART)
            or (not melee and state.place != APART)
            or not any(state.wounds[enemy])
        ):
            yield Fraction(1), state
            return
        living = [place for place, left in enumerate(state.wounds[side]) if left]
        seen, fallen = on_table(state), list(state.fallen[side])
        state, table = replace(state, fallen=((), ())), Table()
        for part, risen in self.rising(side, fallen):
            fighting = sorted([*living, *risen])
            done = self.attacks({state: part}, side, fighting, melee=melee, snap=snap)
            tests = sum(
                weapon.hazardous
                for place in fighting
                for weapon in self.units[side].carried[place]
                if weapon.melee is melee
            )
            for _ in range(tests):
                done = each(done, lambda after: self.hazard(after, side))
            for after, chance in done.items():
                table[after] = table.get(after, Fraction()) + chance
        may_fight = melee and not fought and self.units[enemy].fights_on_death is not None
        if may_fight and self.edition == "10e":
            table = each(table, lambda after: self.dead_fight(state, after, enemy))
        waits = enemy if may_fight and self.edition == "11e" else None
        table = each(table, lambda after: self.explosions(after, seen, waits))
        for after, chance in table.items():
            yield chance, after

    def rising(self, side: int, dead: list[int]) -> Iterator[tuple[Fraction, list[int]]]:
        """Roll for each destroyed model whether it fights."""
        chance = Fraction(7 - (self.units[side].fights_on_death or 7), 6)
        for picked in product((True, False), repeat=len(dead)):
            part = chance ** sum(picked) * (1 - chance) ** (len(dead) - sum(picked))
            if part:
                yield part, [place for place, fights in zip(dead, picked, strict=True) if fights]

    def attacks(
        self, table: Table, side: int, fighting: list[int], *, melee: bool, snap: bool = False
    ) -> Table:
        """Play the attacks of these models, one kind of weapon after another."""
        models = {len([left for left in state.wounds[1 - side] if left]) for state in table}
        kinds = list(dict.fromkeys(weapon for carried in self.units[side].carried for weapon in carried))
        for kind in kinds:
            for place in fighting:
                for weapon in self.units[side].carried[place]:
                    if weapon is not kind or weapon.melee is not melee:
                        continue
                    number = weapon.attacks + (min(models) // 5 if weapon.blast else 0)
                    for _ in range(number):
                        table = each(
                            table, lambda state, weapon=weapon: self.attack(state, side, weapon, snap=snap)
                        )
        return table

    def attack(
        self, state: State, side: int, weapon: Weapon, *, snap: bool
    ) -> Iterator[tuple[Fraction, State]]:
        target = self.units[1 - side]
        lance = weapon.lance and state.place == CHARGED and side == 0
        for p, hit in D6 if weapon.skill is not None else [(Fraction(1), 6)]:
            hits = hit == 6 or (hit != 1 and not snap and weapon.skill is not None and hit >= weapon.skill)
            if not hits:
                yield p, state
                continue
            for q, wound in D6:
                rolled = wound + lance
                if not (
                    wound == 6 or (wound != 1 and rolled >= wound_need(weapon.strength, target.toughness))
                ):
                    yield p * q, state
                    continue
                for r, save in D6:
                    if target.save is not None and save != 1 and save - weapon.ap >= target.save:
                        yield p * q * r, state
                        continue
                    for damage in weapon.damage:
                        share = p * q * r / len(weapon.damage)
                        for s, after in self.suffers(state, 1 - side, damage, spills=False):
                            yield share * s, after

    def suffers(
        self, state: State, side: int, wounds: int, *, spills: bool
    ) -> Iterator[tuple[Fraction, State]]:
        """Lose wounds one at a time, each with its Feel No Pain die; beyond a model only mortal wounds go on."""
        unit, left = self.units[side], state.wounds[side]
        if not wounds or not any(left):
            yield Fraction(1), state
            return
        hurt = [place for place, each in enumerate(left) if 0 < each < unit.wounds]
        place = hurt[0] if hurt else next(place for place, each in enumerate(left) if each)
        yield from self._suffers(state, side, place, wounds, spills=spills)

    def _suffers(
        self, state: State, side: int, place: int, wounds: int, *, spills: bool
    ) -> Iterator[tuple[Fraction, State]]:
        unit, left = self.units[side], list(state.wounds[side])
        if not wounds:
            yield Fraction(1), state
            return
        if not left[place]:
            if spills:
                yield from self.suffers(state, side, wounds, spills=True)
            else:
                yield Fraction(1), state
            return
        lost = Fraction(1)
        if unit.feel_no_pain is not None:
            ignored = Fraction(7 - unit.feel_no_pain, 6)
            lost = 1 - ignored
            for chance, after in self._suffers(state, side, place, wounds - 1, spills=spills):
                yield ignored * chance, after
        left[place] -= 1
        for chance, after in self._suffers(
            state.hurt(side, tuple(left)), side, place, wounds - 1, spills=spills
        ):
            yield lost * chance, after

    # Aftermath -------------------------------------------------------------------------------------------------

    def hazard(self, state: State, side: int) -> Iterator[tuple[Fraction, State]]:
        for chance, face in D6:
            if face > (1 if self.edition == "10e" else 2):
                yield chance, state
                continue
            spills = self.edition == "11e"
            wounds = 3 if self.edition == "10e" or self.units[side].machine else 1
            for part, after in self.suffers(state, side, wounds, spills=spills):
                yield chance * part, after

    def dead_fight(self, before: State, after: State, side: int) -> Iterator[tuple[Fraction, State]]:
        dead = [
            place
            for place, (had, left) in enumerate(zip(before.wounds[side], after.wounds[side], strict=True))
            if had and not left
        ]
        for part, fighting in self.rising(side, dead):
            for state, share in self.attacks({after: Fraction(1)}, side, fighting, melee=True).items():
                yield part * share, state

    def explosions(
        self, state: State, seen: list[tuple[int, ...]], waits: int | None = None
    ) -> Iterator[tuple[Fraction, State]]:
        """Roll for every destroyed model with Deadly Demise that was not yet rolled for; those of one side may wait."""
        for side in {0, 1} - {waits}:
            unit = self.units[side]
            for place, (had, left) in enumerate(zip(seen[side], state.wounds[side], strict=True)):
                if not unit.demise or not had or left:
                    continue
                known = list(seen)
                known[side] = (*seen[side][:place], 0, *seen[side][place + 1 :])
                near = state.place != APART or 0 < self.distance <= 6
                for chance, face in D6:
                    if face < 6 or not near:
                        for part, after in self.explosions(state, known, waits):
                            yield chance * part, after
                        continue
                    table: Table = {state: Fraction(1)}
                    for victim in (1 - side, side):
                        table = each(
                            table,
                            lambda each, victim=victim, wounds=unit.demise: self.explodes_on(
                                each, victim, wounds
                            ),
                        )
                    for after, part in table.items():
                        for share, end in self.explosions(after, known, waits):
                            yield chance * part * share, end
                return
        fallen = [
            tuple(place for place, had in enumerate(seen[side]) if had and not state.wounds[side][place])
            if side == waits
            else ()
            for side in (0, 1)
        ]
        yield Fraction(1), replace(state, fallen=(fallen[0], fallen[1]))

    def explodes_on(
        self, state: State, victim: int, wounds: tuple[int, ...]
    ) -> Iterator[tuple[Fraction, State]]:
        for number in wounds:
            for part, after in self.suffers(state, victim, number, spills=True):
                yield part / len(wounds), after
