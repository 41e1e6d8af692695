"""The attacks in a row as a game: states of the target, rolls, and decisions about markers before each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from math import prod
from operator import add, sub
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.distributions.decisions import Decision
from mathhammer.errors import MathhammerError
from mathhammer.systems.trench_crusade.compilation import Stage
from mathhammer.systems.trench_crusade.profiles import MAXIMUM_MARKERS
from mathhammer.systems.trench_crusade.rolls import INJURIES, fumble_of
from mathhammer.systems.trench_crusade.situation import Reply, Spend
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.systems.trench_crusade.profiles import Attacker, Target
    from mathhammer.systems.trench_crusade.rolls import Pool
    from mathhammer.systems.trench_crusade.situation import TargetActivation

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
    """The target after some attacks, and the markers of those who attack it.

    Examples
    --------
    >>> State(2, 1, 0, 0, True, False, False, frozenset(), ()).coordinates
    (2, 1, 0, 0, 1, 0, 0)
    """

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
    #: Markers of each attacker.
    attackers: tuple[Markers, ...]

    @property
    def markers(self) -> Markers:
        """The markers of the target."""
        return Markers(*self[1:4])

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Values of the coordinates in `AXES`."""
        return tuple(map(int, self[:7]))


def start_state(target: Target, attackers: Sequence[Attacker]) -> State:
    """Return the state before any attack."""
    now = target.blood, target.infection, target.blessing, target.down, target.tough_used
    markers = tuple(Markers(each.blood, each.infection, each.blessing) for each in attackers)
    return State(MISS, *now, fumbled=False, hit_by=frozenset(), attackers=markers)


def activated(markers: Markers, model: Attacker | Target) -> Markers:
    """Return the markers of a model that is activated (Keywords, REGENERATE, GOLEM; Warbands, Infection Markers)."""
    removed = 0 if model.has("GOLEM") else model.value("REGENERATE")
    infection = min(MAXIMUM_MARKERS, markers.infection + (markers.infection > 0))
    return markers._replace(blood=max(0, markers.blood - removed), infection=infection)


def injured(state: State, result: int, stage: Stage, *, bloodbath: bool) -> State:
    """Return the state after an Injury Roll (Injuries; Keywords, TOUGH, GOLEM; Rules Commentaries, Keywords Q5)."""
    target, tough_used = stage.target, state.tough_used
    tough = target.has("TOUGH") and (not bloodbath or stage.rulings["tough_in_bloodbath"] == "yes")
    if result == OUT and target.has("GOLEM") and not bloodbath:
        result = DOWN
    elif result == OUT and tough and not tough_used:
        result, tough_used = DOWN, True
    if result == OUT:
        return state._replace(outcome=OUT, **Markers()._asdict(), down=False, tough_used=tough_used)
    # Blood Markers of the result's row; Standfast makes a Down result the row of a Minor Hit.
    standfast = result == DOWN and target.armour == "machine"
    twice = result == DOWN and state.down
    twice &= not (standfast and stage.rulings["standfast_when_down"] == "one")
    gained = (result >= MINOR_HIT) + twice + stage.extra_markers
    result = MINOR_HIT if standfast else result
    kind = "infection" if stage.infects else "blood"
    return state._replace(
        outcome=max(state.outcome, result),
        down=state.down or result == DOWN,
        tough_used=tough_used,
        **{kind: min(MAXIMUM_MARKERS, getattr(state, kind) + gained)},
    )


def _hit(state: State, stage: Stage) -> State:
    """Return the state once an attack has hit: partners remember it, and it marks the user of an Anti-Tank Hammer."""
    if stage.weapon.has("DANGEROUS"):
        own = state.attackers[stage.player_place]
        hurt = own._replace(blood=min(MAXIMUM_MARKERS, own.blood + 1))
        state = _with_markers(state, stage.player_place, hurt)
    return state._replace(hit_by=state.hit_by | {stage.player_place}) if stage.activation.fireteam else state


def _with_markers(state: State, place: int, markers: Markers) -> State:
    """Return the state with other markers of one attacker."""
    return state._replace(attackers=(*state.attackers[:place], markers, *state.attackers[place + 1 :]))


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
    items: Sequence[Stage | TargetActivation]
    #: The model attacked.
    target: Target
    #: For each item what the attacking and the defending player spend, or ``None`` where they play to win.
    spend: Sequence[PlannedSpend] | None
    reply: Sequence[PlannedReply] | None
    #: Who spends first where both decide; ``None`` if the one with the Initiative chooses that each time.
    first: str | None = None
    initiative: str = ATTACKER
    _known: dict[Position, Decision[Position] | None] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, object]:
        # The positions that were computed come back when they are needed.
        return {**self.__dict__, "_known": {}}

    @property
    def positions(self) -> int:
        """Number of positions that were computed."""
        return len(self._known)

    def stage(self, index: int) -> Stage:
        """Return the attack at a place that is one."""
        item = self.items[index]
        assert isinstance(item, Stage)  # noqa: S101 - positions are made for attacks only
        return item

    def fewest_positions(self, start: Position) -> int:
        """Return a number of positions that come up in any case: those in which the first rolls are made."""
        plans = (ATTACKER, self.spend), (DEFENDER, self.reply)
        players = [player for player, plan in plans if plan is None]
        first = [start] if start.step in (SUCCESS, INJURY) else []
        if start.step == SUCCESS:
            # What was spent on the Success Roll does not change what may be spent on the Injury Roll.
            hit = _hit(start.state, self.stage(start.place))
            first.append(start._replace(step=INJURY, state=hit))
        return prod(len(self.options(position, player)) for position in first for player in players)

    def decision(self, position: Position) -> Decision[Position] | None:
        """Return what comes in a position: what the players can spend, a roll, or nothing at the end."""
        if position not in self._known:
            self._known[position] = self._decision(position)
        return self._known[position]

    def _decision(self, position: Position) -> Decision[Position] | None:
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
            return Decision([{each: 1} for each in after], maximises=chooses == ATTACKER)
        rolls = {AIM: self._aim, SUCCESS: self._success_roll, INJURY: self._injury_roll}
        return rolls[position.step](position)

    def arrive(self, index: int, state: State) -> Position:
        """Return the next position with a roll in it, or the end."""
        while state.outcome < OUT and index < len(self.items):
            item = self.items[index]
            if isinstance(item, Stage):
                state = self._activated(state, item)
                here = Position(index, AIM, state)
                return here if item.attack.into_melee else self._aimed(here)
            markers = activated(state.markers, self.target)
            state = state._replace(**markers._asdict(), down=state.down and not item.stands_up)
            index += 1
        return Position(len(self.items), "", state)

    def _aimed(self, position: Position) -> Position:
        """Return the position before the first roll of an attack that is aimed at the target."""
        stage = self.stage(position.place)
        if not stage.automatic:
            return self.before(position._replace(step=SUCCESS))
        return self.before(position._replace(step=INJURY, state=_hit(position.state, stage)))

    def _activated(self, state: State, stage: Stage) -> State:
        """Return the state once an attacker has activated, in a FIRETEAM both members, whoever comes to attack."""
        joint = [item for item in self.items if isinstance(item, Stage) and item.number == stage.number]
        if joint[0] is not stage:
            return state
        for item in joint:
            if item.starts:
                markers = activated(state.attackers[item.player_place], item.attacker)
                state = _with_markers(state, item.player_place, markers)
        return state._replace(hit_by=frozenset())

    def _after_failure(self, stage: Stage, index: int) -> int:
        """Return the place of the attack that follows a failed Success Roll (Risky Success Rolls; FIRETEAM)."""
        if not stage.risky or stage.rulings["risky_failure"] == "attack":
            return index + 1
        end = len(self.items)
        numbers = [getattr(item, "number", None) for item in self.items]
        later = (place for place in range(index + 1, end) if numbers[place] != stage.number)
        return end if stage.rulings["risky_failure_of_several"] == "all" else next(later, end)

    def before(self, position: Position) -> Position:
        """Spend what fixed plans say, and leave the rest to the players who decide."""
        deciding: list[str] = []
        for player, plans, kind in ((ATTACKER, self.spend, Spend), (DEFENDER, self.reply, Reply)):
            if len(self.options(position, player)) == 1:
                continue
            if plans is None:
                deciding.append(player)
            else:
                option = self._fixed(position, player, plans[position.place], kind)
                position = self._spent(position, player, option)
        if len(deciding) == 2:
            deciding.sort(key=lambda player: player != self.first)
            deciding = deciding if self.first else [ORDER]
        return position._replace(turn=tuple(deciding))

    def _holder(self, position: Position) -> Markers:
        """Return the markers that count on the roll of a position: the attacker's, or the target's."""
        stage, state = self.stage(position.place), position.state
        if position.step == INJURY:
            return state.markers
        # A roll of the target's own: what is spent on it is given as its dice.
        return Markers() if stage.attack.on_failure else state.attackers[stage.player_place]

    def _pool(self, position: Position, player: str) -> Markers:
        """Return those of them that a player may spend: the owner Blessings, the opponent all others."""
        markers = self._holder(position)
        if (player == ATTACKER) == (position.step == INJURY):
            return markers._replace(blessing=0)
        return Markers(blessing=markers.blessing)

    def options(self, position: Position, player: str) -> list[Option]:
        """Return what a player may spend on the roll of a position, fewest markers first, Bloodbaths last of equals."""
        pool = self._pool(position, player)
        found = [Option(*each) for each in product(*(range(number + 1) for number in pool))]
        if player == ATTACKER and position.step == INJURY:
            cost, spare = self.price(position), self.stage(position.place).spare_markers
            paid = [each for each in found if each.dice == cost or (spare and each.dice > cost)]
            found += [each._replace(price=cost) for each in paid]
        return sorted(found, key=lambda option: (sum(option[:3]), option.price, option))

    def price(self, position: Position) -> int:
        """Return how many Blood Markers a Bloodbath costs (Bloodbath; Warbands, New Antioch, Concentrated Attack)."""
        stage, state = self.stage(position.place), position.state
        partner = stage.activation.partner_hit or bool(state.hit_by - {stage.player_place})
        return 3 if state.down or (partner and stage.attacker.has("CONCENTRATED ATTACK")) else 6

    def _fixed(self, position: Position, player: str, plan: Any, kind: type[Spend | Reply]) -> Option:
        """Return what a fixed plan spends: as much of it as is there."""
        found = plan(position.state) if callable(plan) else plan
        if not isinstance(found, kind):
            raise MathhammerError(f"expected a {kind.__name__} from the plan {plan!r}, got {shown(found)}")
        pool, price = self._pool(position, player), self.price(position)
        bath = position.step == INJURY and getattr(found, "bloodbath", False)
        cost = price if bath and price <= sum(pool) else 0
        blood = min(cost, pool.blood)
        paid = blood, cost - blood, 0
        wanted = [
            getattr(found, name)
            for name in ("blood", "infection", "success" if kind is Spend else "blessing")
        ]
        if cost and not self.stage(position.place).spare_markers:
            wanted = [0, 0, 0]
        return Option(*map(add, paid, map(min, wanted, map(sub, pool, paid))))._replace(price=cost)

    def _spent(self, position: Position, player: str, option: Option) -> Position:
        """Return the position once a player has spent markers."""
        left = Markers(*map(sub, self._holder(position), option[:3]))
        state = position.state
        if position.step == INJURY:
            state = state._replace(**left._asdict())
        else:
            state = _with_markers(state, self.stage(position.place).player_place, left)
        return position._replace(
            state=state,
            extra=position.extra + (option.dice if player == ATTACKER else -option.dice),
            bloodbath=position.bloodbath or option.price > 0,
        )

    def _aim(self, position: Position) -> Decision[Position]:
        """Shooting at an enemy within 1" of a friend: on 1 to 3 the friend is the target."""
        elsewhere = self.arrive(position.place + 1, position.state)
        return Decision([{elsewhere: 1, self._aimed(position): 1}], 2)

    def _success_roll(self, position: Position) -> Decision[Position]:
        stage, state, index = self.stage(position.place), position.state, position.place
        failed = self._after_failure(stage, index)
        hit = Position(index, INJURY, _hit(state, stage))
        after = {
            "fumble": self.arrive(failed, state._replace(fumbled=True)),
            "failure": self.arrive(failed, state),
            "success": self.before(hit),
            "critical": self.before(hit._replace(critical=not stage.attack.bystander)),
        }
        if stage.attack.on_failure:
            safe = self.arrive(index + 1, state)
            after = {"failure": after["success"], "success": safe, "critical": safe}
        pool = stage.success._replace(meaning=fumble_of) if stage.fumbles else stage.success
        return _rolled(pool, position.extra, after)

    def _injury_roll(self, position: Position) -> Decision[Position]:
        stage, state, bath = self.stage(position.place), position.state, position.bloodbath
        after = {
            name: self.arrive(position.place + 1, injured(state, row, stage, bloodbath=bath))
            for row, name in enumerate(INJURIES, NO_EFFECT)
        }
        pool = stage.injury(critical=position.critical, down=state.down, bloodbath=bath)
        return _rolled(pool, position.extra, after)


def _rolled(pool: Pool, extra: int, after: Mapping[str, Position]) -> Decision[Position]:
    """Return what the outcomes of a roll lead to."""
    weights, out_of = pool.weights(extra)
    found: dict[Position, int] = {}
    for outcome, weight in weights.items():
        if weight:
            found[after[outcome]] = found.get(after[outcome], 0) + weight
    return Decision([found], out_of)
