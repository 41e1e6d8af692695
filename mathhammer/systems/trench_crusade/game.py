"""The attacks in a row as a game: states of the target, rolls, and decisions about markers before each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from math import prod
from operator import add, sub
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.distributions.decisions import DecisionNode
from mathhammer.errors import MathhammerError
from mathhammer.systems.trench_crusade.compilation import RollStage
from mathhammer.systems.trench_crusade.profiles import MAXIMUM_MARKERS
from mathhammer.systems.trench_crusade.rolls import INJURIES, fumble_of
from mathhammer.systems.trench_crusade.situation import Reply, Spend
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mathhammer.systems.trench_crusade.profiles import Attacker, Target
    from mathhammer.systems.trench_crusade.rolls import DicePool

SIDES = ATTACKER, DEFENDER = "attacker", "defender"
ORDER = "order"
AIM, SUCCESS, INJURY = "aim", "Success Roll", "Injury Roll"
#: What a fixed plan says for one attack: always the same, or as the state before the roll has it.
PlannedSpend = Spend | Callable[["State"], Spend]
PlannedReply = Reply | Callable[["State"], Reply]

OUTCOMES = ("miss", "no effect", "minor hit", "down", "out of action")
"""Outcomes of an attack, the mildest first."""
MISS, NO_EFFECT, MINOR_HIT, DOWN, OUT = range(5)

#: Names of the coordinates of the state that a result shows.
AXES = ("outcome", "blood", "infection", "blessing", "down", "tough_used", "fumbled")


class Markers(NamedTuple):
    """Markers of one model."""

    blood: int = 0
    infection: int = 0
    blessing: int = 0


class State(NamedTuple):
    """The target after some attacks, and the markers of those who attack it."""

    #: The worst result so far, as an index of `OUTCOMES`.
    outcome: int
    #: Its markers; a model that is Out of Action has none.
    blood: int
    infection: int
    blessing: int
    #: Whether it is Down, whether its TOUGH was used, and whether an attack on it was a FUMBLE.
    down: bool
    tough_used: bool
    fumbled: bool
    #: Places of those in the joint Activation of a Fireteam who have hit it in it.
    hit_by: frozenset[int]
    attackers: tuple[Markers, ...]
    #: Places of those whose Talisman was used, and what an exchange keeps beside all that.
    used: frozenset[int] = frozenset()
    rest: Any = None

    @property
    def markers(self) -> Markers:
        """The markers of the target."""
        return Markers(*self[1:4])

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Values of the coordinates in `AXES`."""
        return tuple(map(int, self[:7]))


def start_state(target: Any, attackers: Iterable[Any]) -> State:
    """Return the state before any attack."""
    own, *others = (Markers(each.blood, each.infection, each.blessing or 0) for each in (target, *attackers))
    now = target.down, target.tough_used
    return State(MISS, *own, *now, fumbled=False, hit_by=frozenset(), attackers=tuple(others))


def activated(markers: Markers, model: Attacker | Target) -> Markers:
    """Return the markers of a model that is activated (Keywords, REGENERATE, GOLEM; Warbands, Infection Markers)."""
    removed = 0 if model.has("GOLEM") else model.value("REGENERATE")
    infection = min(MAXIMUM_MARKERS, markers.infection + (markers.infection > 0))
    return markers._replace(blood=max(0, markers.blood - removed), infection=infection)


def injured(state: State, result: int, stage: RollStage, *, bloodbath: bool) -> State:
    """Return the state after an Injury Roll (Injuries; Keywords, TOUGH, GOLEM; Rules Commentaries, Keywords Q5)."""
    target, tough_used = stage.target, state.tough_used
    tough = stage.tough and (not bloodbath or stage.rulings["tough_in_bloodbath"] == "yes")
    if result == OUT and stage.golem and not bloodbath:
        result = DOWN
    elif result == OUT and tough and not tough_used:
        result, tough_used = DOWN, True
    if result == OUT:
        return State(OUT, 0, 0, 0, False, tough_used, *state[6:])  # noqa: FBT003 - faster than by name
    # Blood Markers of the result's row; Standfast makes a Down result the row of a Minor Hit.
    standfast = result == DOWN and target.armour == "machine"
    twice = result == DOWN and state.down
    twice &= not (standfast and stage.rulings["standfast_when_down"] == "one")
    gained = (result >= MINOR_HIT) + twice + stage.extra_markers
    result = MINOR_HIT if standfast else result
    blood, infection = (gained * (kind == stage.infects) for kind in (False, True))
    return State(
        max(state.outcome, result),
        min(MAXIMUM_MARKERS, state.blood + blood),
        min(MAXIMUM_MARKERS, state.infection + infection),
        state.blessing,
        state.down or result == DOWN,
        tough_used,
        *state[6:],
    )


def _with_markers(state: State, place: int, markers: Markers) -> State:
    return State(*state[:8], (*state.attackers[:place], markers, *state.attackers[place + 1 :]), *state[9:])


class Option(NamedTuple):
    """Markers that one player may spend on one roll."""

    blood: int = 0
    infection: int = 0
    blessing: int = 0
    #: Markers that are the price of a Bloodbath; 0 for an ordinary roll.
    price: int = 0

    @property
    def dice(self) -> int:
        """Number of dice that they add or take away."""
        return sum(self[:3]) - self.price

    def words(self) -> str:
        """Return what is done, for a player."""
        pools = ((self.blood, "Blood"), (self.infection, "Infection"), (self.blessing, "Blessing"))
        spent = " and ".join(f"{number} {name}" for number, name in pools if number)
        if not self.price:
            return spent or "nothing"
        rest = f", {self.dice} for INJURY DICE" if self.dice else ""
        return f"Bloodbath for {f'{self.price} of ' if self.dice else ''}{spent}{rest}"


class Position(NamedTuple):
    """A position of the game: which roll of which attack, who has yet to spend, and what was spent on it."""

    place: int
    step: str
    state: State
    critical: bool = False
    #: Players who have yet to decide; ``ORDER`` stands for the choice who is first.
    turn: tuple[str, ...] = ()
    extra: int = 0
    bloodbath: bool = False


@dataclass(frozen=True, eq=False)
class Game:
    """All attacks, and who decides what."""

    #: The attacks and the target's own Activations, in order.
    items: Sequence[Any]
    target: Target
    #: For each item what the attacking and the defending player spend, or ``None`` where they play to win.
    spend: Sequence[PlannedSpend] | None
    reply: Sequence[PlannedReply] | None
    #: Who spends first where both decide; ``None`` if the one with the Initiative chooses that each time.
    first: str | None = None
    initiative: str = ATTACKER
    #: Whether the worst result so far is kept, or only whether the target is Out of Action.
    worst: bool = True
    #: What comes in the positions that were looked at.
    known: dict[Position, DecisionNode[Position] | None] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, object]:
        # The positions that were computed come back when they are needed.
        return {**self.__dict__, "known": {}}

    def fewest_positions(self, start: Position) -> int:
        """Return a number of positions that come up in any case: those in which the first rolls are made."""
        plans = zip(SIDES, (self.spend, self.reply), strict=True)
        players = [player for player, plan in plans if plan is None]
        first = [start] if start.step in (SUCCESS, INJURY) else []
        if start.step == SUCCESS:
            # What was spent on the Success Roll does not change what may be spent on the Injury Roll.
            first.append(start._replace(step=INJURY, state=self._hit(start.state, self.items[start.place])))
        return prod(len(self.options(position, player)) for position in first for player in players)

    def decision(self, position: Position) -> DecisionNode[Position] | None:
        """Return what comes in a position: what the players can spend, a roll, or nothing at the end."""
        if position not in self.known:
            self.known[position] = self._decision(position)
        return self.known[position]

    def _decision(self, position: Position) -> DecisionNode[Position] | None:
        if position.place >= len(self.items):
            return None
        if position.turn:
            player, *rest = position.turn
            if player == ORDER:
                after = [position._replace(turn=turn) for turn in (SIDES, SIDES[::-1])]
            else:
                spent = (self._spent(position, player, option) for option in self.options(position, player))
                after = [each._replace(turn=tuple(rest)) for each in spent]
            chooses = self.initiative if player == ORDER else player
            return DecisionNode([{each: 1} for each in after], maximises=chooses == ATTACKER)
        rolls = {AIM: self._aim, SUCCESS: self._success_roll, INJURY: self._injury_roll}
        return rolls[position.step](position)

    def arrive(self, index: int, state: State) -> Position:
        """Return the next position with a roll in it, or the end."""
        if not self.worst and state.outcome < OUT:
            state = State(MISS, *state[1:])
        while state.outcome < OUT and index < len(self.items):
            item = self.items[index]
            if isinstance(item, RollStage):
                state = self._activated(state, item)
                here = Position(index, AIM, state)
                return here if item.attack.into_melee else self._aimed(here)
            markers = activated(state.markers, self.target)
            state = state._replace(**markers._asdict(), down=state.down and not item.stands_up)
            index += 1
        return Position(len(self.items), "", state)

    def _aimed(self, position: Position) -> Position:
        stage, state = self.items[position.place], position.state
        step, after = (INJURY, self._hit(state, stage)) if stage.automatic else (SUCCESS, state)
        return self.before(Position(position.place, step, after))

    def _hit(self, state: State, stage: RollStage) -> State:
        """Return the state once an attack has hit: partners remember it, and a weapon may mark its user."""
        place = stage.player_place
        if stage.marks:
            own = state.attackers[place]
            state = _with_markers(state, place, own._replace(blood=min(MAXIMUM_MARKERS, own.blood + 1)))
        # It is of use to a Concentrated Attack only.
        together = any(each.attacker.has("CONCENTRATED ATTACK") for each in self._joint[stage.number])
        return state._replace(hit_by=state.hit_by | {place}) if together else state

    @cached_property
    def _joint(self) -> dict[int, list[RollStage]]:
        found: dict[int, list[RollStage]] = {}
        for item in self.items:
            if isinstance(item, RollStage):
                found.setdefault(item.number, []).append(item)
        return found

    def _activated(self, state: State, stage: RollStage) -> State:
        """Return the state once an attacker has activated, in a FIRETEAM both members, whoever comes to attack."""
        if self._joint[stage.number][0] is not stage:
            return state
        for item in self._joint[stage.number]:
            if item.starts:
                markers = activated(state.attackers[item.player_place], item.attacker)
                state = _with_markers(state, item.player_place, markers)
        return state._replace(hit_by=frozenset()) if state.hit_by else state

    def _after_failure(self, stage: RollStage, index: int) -> int:
        """Return the place of the attack that follows a failed Success Roll (Risky Success Rolls; FIRETEAM)."""
        if not stage.risky or stage.rulings["risky_failure"] == "attack":
            return index + 1
        end = len(self.items)
        later = (
            place for place in range(index + 1, end) if self.items[place] not in self._joint[stage.number]
        )
        return end if stage.rulings["risky_failure_of_several"] == "all" else next(later, end)

    def before(self, position: Position) -> Position:
        """Spend what fixed plans say, and leave the rest to the players who decide."""
        deciding: list[str] = []
        for player, plans, kind in ((ATTACKER, self.spend, Spend), (DEFENDER, self.reply, Reply)):
            if plans is None:
                deciding += [player] * (len(self.options(position, player)) > 1)
            elif any(option := self._fixed(position, player, plans[position.place], kind)):
                position = self._spent(position, player, option)
        if len(deciding) == 2:
            deciding.sort(key=lambda player: player != self.first)
            deciding = deciding if self.first else [ORDER]
        return position._replace(turn=tuple(deciding)) if deciding else position

    def _holder(self, position: Position) -> Markers:
        stage, state = self.items[position.place], position.state
        if position.step == INJURY:
            return state.markers
        # A roll of the target's own: what is spent on it is given as its dice.
        return Markers() if stage.attack.on_failure else state.attackers[stage.player_place]

    def _pool(self, position: Position, player: str) -> Markers:
        """Return those of them that a player may spend: the owner Blessings, the opponent all others."""
        markers = self._holder(position)
        if (player == ATTACKER) == (position.step == INJURY):
            faith = position.step == SUCCESS and self.items[position.place].faith
            return Markers(0 if faith else markers.blood, markers.infection)
        return Markers(blessing=markers.blessing)

    def options(self, position: Position, player: str) -> list[Option]:
        """Return what a player may spend on the roll of a position, fewest markers first, Bloodbaths last of equals."""
        bath = player == ATTACKER and position.step == INJURY
        cost = self.price(position) if bath else 0
        return _options(self._pool(position, player), cost, self.items[position.place].spare_markers)

    def price(self, position: Position) -> int:
        """Return how many Blood Markers a Bloodbath costs (Bloodbath; Warbands, New Antioch, Concentrated Attack)."""
        stage, state = self.items[position.place], position.state
        partner = state.hit_by - {stage.player_place} and stage.attacker.has("CONCENTRATED ATTACK")
        return 3 if state.down or partner else 6

    def _fixed(self, position: Position, player: str, plan: Any, kind: type[Spend | Reply]) -> Option:
        """Return what a fixed plan spends: as much of it as is there."""
        found = plan(position.state) if callable(plan) else plan
        if not isinstance(found, kind):
            raise MathhammerError(f"expected a {kind.__name__} from the plan {plan!r}, got {shown(found)}")
        pool = self._pool(position, player)
        if not any(pool):
            return Option()
        bath = position.step == INJURY and getattr(found, "bloodbath", False)
        cost = self.price(position) if bath else 0
        cost *= cost <= sum(pool)
        blood = min(cost, pool.blood)
        paid = blood, cost - blood, 0
        wanted = found.blood, found.infection, found.success if isinstance(found, Spend) else found.blessing
        if cost and not self.items[position.place].spare_markers:
            wanted = 0, 0, 0
        blood, infection, blessing = map(add, paid, map(min, wanted, map(sub, pool, paid)))
        return Option(blood, infection, blessing, cost)

    def _spent(self, position: Position, player: str, option: Option) -> Position:
        left = Markers(*map(sub, self._holder(position), option[:3]))
        place, step, state, critical, turn, extra, bloodbath = position
        if step == INJURY:
            state = state._replace(blood=left.blood, infection=left.infection, blessing=left.blessing)
        else:
            state = _with_markers(state, self.items[place].player_place, left)
        extra += option.dice if player == ATTACKER else -option.dice
        return Position(place, step, state, critical, turn, extra, bloodbath or option.price > 0)

    def _aim(self, position: Position) -> DecisionNode[Position]:
        """Shooting at an enemy within 1" of a friend: on 1 to 3 the friend is the target."""
        elsewhere = self.arrive(position.place + 1, position.state)
        return DecisionNode([{elsewhere: 1, self._aimed(position): 1}], 2)

    def _success_roll(self, position: Position) -> DecisionNode[Position]:
        stage, state, index = self.items[position.place], position.state, position.place
        failed, missed, place = self._after_failure(stage, index), state, stage.player_place
        if failed > index + 1 and stage.attacker.has("TALISMAN") and place not in state.used:
            failed, missed = index + 1, state._replace(used=state.used | {place})
        hit = Position(index, INJURY, self._hit(state, stage))
        after = {"failure": self.arrive(failed, missed)}
        if stage.attack.on_failure:
            taken = injured(state, DOWN, stage, bloodbath=False) if stage.weapon.has("TAKEN DOWN") else state
            after["failure"] = self.before(Position(index, INJURY, taken))
        if stage.attack.on_failure or stage.action:
            after["success"] = after["critical"] = self.arrive(index + 1, state)
        else:
            after["success"] = self.before(hit)
            after["critical"] = self.before(hit._replace(critical=not stage.attack.bystander))
        pool = stage.success
        if stage.fumbles:
            pool = pool._replace(meaning=fumble_of)
            after["fumble"] = self.arrive(failed, state._replace(fumbled=True))
        return _rolled(pool, position.extra, after)

    def _injury_roll(self, position: Position) -> DecisionNode[Position]:
        stage, state, bath = self.items[position.place], position.state, position.bloodbath
        after = {
            name: self.arrive(position.place + 1, injured(state, row, stage, bloodbath=bath))
            for row, name in enumerate(INJURIES, NO_EFFECT)
        }
        pool = stage.injury(critical=position.critical, down=state.down, bloodbath=bath)
        return _rolled(pool, position.extra, after)


@cache
def _options(pool: Markers, cost: int, spare: bool) -> list[Option]:  # noqa: FBT001 - a key
    found = [Option(*each) for each in product(*(range(number + 1) for number in pool))]
    if cost:
        paid = [each for each in found if each.dice == cost or (spare and each.dice > cost)]
        found += [each._replace(price=cost) for each in paid]
    return sorted(found, key=lambda option: (sum(option[:3]), option.price, option))


def _rolled(pool: DicePool, extra: int, after: Mapping[str, Position]) -> DecisionNode[Position]:
    weights, out_of = pool.weights(extra)
    found: dict[Position, int] = {}
    for outcome, weight in weights.items():
        if weight:
            found[after[outcome]] = found.get(after[outcome], 0) + weight
    return DecisionNode([found], out_of)
