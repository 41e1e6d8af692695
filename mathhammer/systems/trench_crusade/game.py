"""Attacks as a game: the models and their markers, rolls, and decisions about markers before each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from math import prod
from operator import add, attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.display import shorten
from mathhammer.distributions.decisions import DecisionNode
from mathhammer.errors import MathhammerError
from mathhammer.systems.trench_crusade.profiles import MAXIMUM_MARKERS
from mathhammer.systems.trench_crusade.rolls import FUMBLES, INJURIES, RollStage, injury_of
from mathhammer.systems.trench_crusade.situation import Reply, Spend
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.systems.trench_crusade.profiles import Attacker, Target

SIDES = ATTACKER, DEFENDER = "attacker", "defender"
ORDER = "order"
AIM, SUCCESS, INJURY = "aim", "Success Roll", "Injury Roll"
#: What a fixed plan says for one attack: always the same, or as the state before the roll has it.
PlannedSpend = Spend | Callable[["State"], Spend]
PlannedReply = Reply | Callable[["State"], Reply]

OUTCOMES = ("miss", *dict(INJURIES))
"""Outcomes of an attack, the mildest first."""
MISS, NO_EFFECT, MINOR_HIT, DOWN, OUT = range(5)


class FighterCondition(NamedTuple):
    """Condition of a model."""

    #: Whether it is Out of Action; it then has no markers.
    out: bool
    blood: int = 0
    infection: int = 0
    blessing: int = 0
    down: bool = False
    tough_used: bool = False
    talisman_used: bool = False

    def words(self) -> str:
        """Return what there is to see of it, for a player."""
        rows = (self.down, "Down"), (self.tough_used, "TOUGH used"), (self.out, "Out of Action")
        said = [text for holds, text in (*rows, (self.talisman_used, "Talisman used")) if holds]
        return ", ".join([*markers(*self[1:4]), *said])


def markers(blood: int, infection: int, blessing: int, whose: str = "") -> list[str]:
    """Return markers in words, those that are there."""
    pools = ((blood, "Blood"), (infection, "Infection"), (blessing, "Blessing"))
    return [f"{number} {name}{whose}" for number, name in pools if number]


class _Models(NamedTuple):
    models: tuple[FighterCondition, ...]
    #: The worst result so far, as an index of `OUTCOMES`, and whether an attack was a FUMBLE.
    outcome: int = 0
    fumbled: bool = False
    #: Places of those in the joint Activation of a Fireteam who have hit the target in it.
    hit_by: frozenset[int] = frozenset()


class State(_Models):
    """The models after some attacks: the target first, then those who attack it; in an exchange those of both sides."""

    __slots__ = ()
    target = property(lambda self: self.models[0])
    attackers = property(lambda self: self.models[1:])
    blood, infection, blessing, down, tough_used = (
        property(attrgetter(f"target.{name}")) for name in FighterCondition._fields[1:6]
    )

    def __repr__(self) -> str:
        return f"<State {shorten('; '.join(each.words() or 'unhurt' for each in self.models))}>"

    def put(self, place: int, model: FighterCondition, result: int = MISS) -> State:
        """Return the state in which a model is in another condition, by some result."""
        models = (*self.models[:place], model, *self.models[place + 1 :])
        return State(models, max(self.outcome, result), *self[2:])


def condition(model: Any) -> FighterCondition:
    """Return the condition of a model before any attack."""
    found = model.blood, model.infection, model.blessing or 0
    return FighterCondition(False, *found, model.down, getattr(model, "tough_used", False))  # noqa: FBT003


def activated(found: FighterCondition, model: Attacker | Target, *, stands_up: bool) -> FighterCondition:
    """Return a model that is activated (Down; Keywords, REGENERATE, GOLEM; Warbands, Infection Markers)."""
    removed = 0 if model.has("GOLEM") else model.value("REGENERATE")
    infection = min(MAXIMUM_MARKERS, found.infection + (found.infection > 0))
    blood, down = max(0, found.blood - removed), found.down and not stands_up
    return FighterCondition(found.out, blood, infection, found.blessing, down, *found[5:])


def injured(state: State, result: int, stage: RollStage, *, bloodbath: bool) -> State:
    """Return the state after an Injury Roll (Injuries; Keywords, TOUGH, GOLEM; Rules Commentaries, Keywords Q5)."""
    target, model = stage.target, state.models[stage.aim]
    tough_used = model.tough_used
    tough = stage.tough and (not bloodbath or stage.rulings["tough_in_bloodbath"] == "yes")
    if result == OUT and stage.golem and not bloodbath:
        result = DOWN
    elif result == OUT and tough and not tough_used:
        result, tough_used = DOWN, True
    if result == OUT:
        return state.put(stage.aim, FighterCondition(out=True, tough_used=tough_used), OUT)
    # Blood Markers of the result's row; Standfast makes a Down result the row of a Minor Hit.
    standfast = result == DOWN and target.armour == "machine"
    twice = result == DOWN and model.down
    twice &= not (standfast and stage.rulings["standfast_when_down"] == "one")
    gained = (result >= MINOR_HIT) + twice + stage.extra_markers
    result = MINOR_HIT if standfast else result
    kind, down = "infection" if stage.infects else "blood", model.down or result == DOWN
    more: Any = {kind: min(MAXIMUM_MARKERS, getattr(model, kind) + gained)}
    return state.put(stage.aim, model._replace(down=down, tough_used=tough_used, **more), result)


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
        spent = " and ".join(markers(*self[:3]))
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


@dataclass(eq=False)
class Game:
    """All attacks, and who decides what."""

    #: The attacks and the target's own Activations, in order; ``None`` where an Activation of an exchange ends.
    items: list[Any]
    #: For each item what the attacking and the defending player spend, or ``None`` where they play to win.
    plans: list[tuple[PlannedSpend | None, PlannedReply | None]]
    #: Who spends first where both decide; ``None`` if the one with the Initiative chooses that each time.
    first: str | None = None
    #: Who has the Initiative; in an exchange the attacker stands for the side that begins.
    initiative: str = ATTACKER
    #: Whether the worst result so far is kept, or only whether the target is Out of Action.
    worst: bool = True
    #: What comes in the positions that were looked at.
    known: dict[Position, DecisionNode[Position] | None] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "known": {}}  # they come back when they are needed

    def fewest_positions(self, start: Position) -> int:
        """Return a number of positions that come up in any case: those in which the first rolls are made."""
        players = [side for side, plan in zip(SIDES, self.plans[start.place], strict=True) if plan is None]
        # What was spent on the Success Roll does not change what may be spent on the Injury Roll.
        hit = start._replace(step=INJURY, state=self._hit(start.state, self.items[start.place]))
        first = [hit, *[start] * (start.step == SUCCESS)]
        return prod(len(self.options(position, player)) for position in first for player in players)

    def decision(self, position: Position) -> DecisionNode[Position] | None:
        """Return what comes in a position: what the players can spend, a roll, or nothing at the end."""
        if position not in self.known:
            self.known[position] = self._decision(position) if position.step else None
        return self.known[position]

    def _decision(self, position: Position) -> DecisionNode[Position]:
        if position.turn:
            player, *rest = position.turn
            side = SIDES.index(self.initiative) if player == ORDER else self.items[position.place].side
            if player == ORDER:
                after = [position._replace(turn=turn) for turn in (SIDES, SIDES[::-1])]
            else:
                side ^= player == DEFENDER
                left = position._replace(turn=tuple(rest))
                after = [self._spent(left, player, option) for option in self.options(position, player)]
            return DecisionNode([{each: 1} for each in after], maximises=not side)
        if position.step != AIM:
            return self._rolled(position)
        # Shooting at an enemy within 1" of a friend: on 1 to 3 the friend is the target.
        return DecisionNode(
            [{self.arrive(position.place + 1, position.state): 1, self._aimed(position): 1}], 2
        )

    def arrive(self, index: int, state: State) -> Position:
        """Return the next position with a roll in it, or the end."""
        if not self.worst:
            state = State(state.models, MISS, *state[2:])
        while (item := self.items[index]) is not None:
            if not isinstance(item, RollStage):
                state = state.put(0, activated(state.models[0], self.target, stands_up=item.stands_up))
            elif not state.models[item.aim].out:
                if item.joint[0] is item:  # in a FIRETEAM both members activate, whoever comes to attack
                    for each in item.joint:
                        if each.starts:
                            stands_up, place = each.activation.stands_up, each.place
                            model = activated(state.models[place], each.attacker, stands_up=stands_up)
                            state = state.put(place, model)
                    state = state._replace(hit_by=frozenset())
                here = Position(index, AIM, state)
                return here if item.attack.into_melee else self._aimed(here)
            index += 1
        return Position(index, "", state)

    @property
    def target(self) -> Target:
        """The model attacked; in an exchange the first of all."""
        return next(item.target for item in self.items if isinstance(item, RollStage))

    def _aimed(self, position: Position) -> Position:
        stage, state = self.items[position.place], position.state
        step, after = (INJURY, self._hit(state, stage)) if stage.automatic else (SUCCESS, state)
        return self.before(Position(position.place, step, after))

    def _hit(self, state: State, stage: RollStage) -> State:
        """Return the state once an attack has hit: partners remember it, and a weapon may mark its user."""
        if stage.marks:
            own = state.models[stage.place]
            state = state.put(stage.place, own._replace(blood=min(MAXIMUM_MARKERS, own.blood + 1)))
        # It is of use to a Concentrated Attack only.
        together = any(each.attacker.has("CONCENTRATED ATTACK") for each in stage.joint)
        return state._replace(hit_by=state.hit_by | {stage.place}) if together else state

    def _after_failure(self, stage: RollStage, index: int) -> int:
        """Return the place of the attack that follows a failed Success Roll (Risky Success Rolls; FIRETEAM)."""
        if not stage.risky or stage.rulings["risky_failure"] == "attack":
            return index + 1
        if stage.rulings["risky_failure_of_several"] == "all":
            return self.items.index(None, index)
        later = range(index + 1, len(self.items))
        return next(place for place in later if self.items[place] not in stage.joint)

    def before(self, position: Position) -> Position:
        """Spend what fixed plans say, and leave the rest to the players who decide."""
        deciding: list[str] = []
        for player, plan, kind in zip(SIDES, self.plans[position.place], (Spend, Reply), strict=True):
            if plan is None:
                deciding += [player] * (len(self.options(position, player)) > 1)
            elif any(option := self._fixed(position, player, plan, kind)):
                position = self._spent(position, player, option)
        if len(deciding) == 2:
            deciding = sorted(SIDES, key=lambda side: side != self.first) if self.first else [ORDER]
        return position._replace(turn=tuple(deciding)) if deciding else position

    def _pool(self, position: Position, player: str) -> tuple[int, int, int]:
        """Return the markers that a player may spend: the owner Blessings, the opponent all others."""
        stage, injury = self.items[position.place], position.step == INJURY
        if stage.attack.on_failure and not injury:
            # A roll of the target's own: what is spent on it is given as its dice.
            return 0, 0, 0
        holder = position.state.models[stage.aim if injury else stage.place]
        if (player == ATTACKER) == injury:
            return holder.blood * (injury or not stage.faith), holder.infection, 0
        return 0, 0, holder.blessing

    def options(self, position: Position, player: str) -> list[Option]:
        """Return what a player may spend on the roll of a position, fewest markers first, Bloodbaths last of equals."""
        bath = player == ATTACKER and position.step == INJURY
        cost = self.price(position) if bath else 0
        return _options(self._pool(position, player), cost, self.items[position.place].spare_markers)

    def price(self, position: Position) -> int:
        """Return how many Blood Markers a Bloodbath costs (Bloodbath; Warbands, New Antioch, Concentrated Attack)."""
        stage, state = self.items[position.place], position.state
        partner = state.hit_by - {stage.place} and stage.attacker.has("CONCENTRATED ATTACK")
        return 3 if state.models[stage.aim].down or partner else 6

    def _fixed(self, position: Position, player: str, plan: Any, kind: type[Spend | Reply]) -> Option:
        """Return what a fixed plan spends: as much of it as is there."""
        found = plan(position.state) if callable(plan) else plan
        if not isinstance(found, kind):
            raise MathhammerError(f"expected a {kind.__name__} from the plan {plan!r}, got {shown(found)}")
        pool = self._pool(position, player)
        bath = position.step == INJURY and getattr(found, "bloodbath", False)
        cost = self.price(position) if bath else 0
        cost *= cost <= sum(pool)
        blood = min(cost, pool[0])
        paid = blood, cost - blood, 0
        wanted = found.blood, found.infection, found.success if isinstance(found, Spend) else found.blessing
        if cost and not self.items[position.place].spare_markers:
            wanted = 0, 0, 0
        return Option(*map(min, pool, map(add, paid, wanted)))._replace(price=cost)

    def _spent(self, position: Position, player: str, option: Option) -> Position:
        place, step, state, critical, turn, extra, bloodbath = position
        stage = self.items[place]
        holder = stage.aim if step == INJURY else stage.place
        out, blood, infection, blessing, *more = state.models[holder]
        left = blood - option.blood, infection - option.infection, blessing - option.blessing
        state = state.put(holder, FighterCondition(out, *left, *more))
        extra += option.dice if player == ATTACKER else -option.dice
        return Position(place, step, state, critical, turn, extra, bloodbath or option.price > 0)

    def _rolled(self, position: Position) -> DecisionNode[Position]:
        stage, state, index = self.items[position.place], position.state, position.place
        if position.step == INJURY:
            down, bath = state.models[stage.aim].down, position.bloodbath
            pool = injury_of(stage, critical=position.critical, down=down, bloodbath=bath)
            after = {
                name: self.arrive(index + 1, injured(state, row, stage, bloodbath=bath))
                for row, (name, _) in enumerate(INJURIES, NO_EFFECT)
            }
        else:
            pool, failed, own = stage.success, self._after_failure(stage, index), state.models[stage.place]
            missed, hit = state, self._hit(state, stage)
            if failed > index + 1 and stage.attacker.has("TALISMAN") and not own.talisman_used:
                failed, missed = index + 1, state.put(stage.place, own._replace(talisman_used=True))
            after = {"failure": self.arrive(failed, missed)}
            if stage.attack.on_failure:
                taken = stage.weapon.has("TAKEN DOWN")
                fallen = injured(state, DOWN, stage, bloodbath=False) if taken else state
                after["failure"] = self.before(Position(index, INJURY, fallen))
            if stage.attack.on_failure or stage.action:
                after["success"] = after["critical"] = self.arrive(index + 1, state)
            else:
                after["success"] = self.before(Position(index, INJURY, hit))
                after["critical"] = self.before(Position(index, INJURY, hit, not stage.attack.bystander))
            if stage.fumbles:
                pool = replace(pool, meaning=FUMBLES)
                after["fumble"] = self.arrive(failed, state._replace(fumbled=True))
        weights, out_of = pool.rolled(position.extra)[1]
        found: dict[Position, int] = {}
        for outcome, weight in weights.items():
            if weight:
                found[after[outcome]] = found.get(after[outcome], 0) + weight
        return DecisionNode([found], out_of)


@cache
def _options(pool: tuple[int, int, int], cost: int, spare: bool) -> list[Option]:  # noqa: FBT001 - a key
    found = [Option(*each) for each in product(*(range(number + 1) for number in pool))]
    if cost:
        paid = [each for each in found if each.dice >= cost and (spare or each.dice == cost)]
        found += [each._replace(price=cost) for each in paid]
    return sorted(found, key=lambda option: (sum(option[:3]), option.price, option))
