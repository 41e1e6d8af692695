"""The attacks in a row as a game: rolls, and the players' decisions about markers before each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from operator import add
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from mathhammer.distributions.decisions import Decision
from mathhammer.errors import MathhammerError
from mathhammer.systems.trench_crusade.compilation import Stage
from mathhammer.systems.trench_crusade.profiles import MAXIMUM_MARKERS
from mathhammer.systems.trench_crusade.rolls import FUMBLES, INJURIES, SUCCESSES, net, weights
from mathhammer.systems.trench_crusade.state import (
    OUT,
    Markers,
    Option,
    Reply,
    Spend,
    State,
    activated,
    injured,
)
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.systems.trench_crusade.profiles import Target
    from mathhammer.systems.trench_crusade.situation import TargetActivation

ATTACKER: Literal["attacker"] = "attacker"
DEFENDER: Literal["defender"] = "defender"
ORDER = "order"
SIDES = [ATTACKER, DEFENDER]
AIM, SUCCESS, INJURY = "aim", "Success Roll", "Injury Roll"
Side = Literal["attacker", "defender"]

T = TypeVar("T")
#: What a fixed plan says for one attack: always the same, or as the state before the roll has it.
PlannedSpend = Spend | Callable[[State], Spend]
PlannedReply = Reply | Callable[[State], Reply]


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
    order: tuple[Side, Side] | None
    #: Who has the Initiative.
    initiative: Side
    _decisions: dict[Position, Decision[Position] | None] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, object]:
        """Leave out the positions that were computed: they come back when they are needed."""
        return {**self.__dict__, "_decisions": {}}

    @property
    def positions(self) -> int:
        """Number of positions that were computed."""
        return len(self._decisions)

    def stage(self, index: int) -> Stage:
        """Return the attack at a place that is one."""
        item = self.items[index]
        assert isinstance(item, Stage)  # noqa: S101 - positions are made for attacks only
        return item

    def fewest_positions(self, start: Position) -> int:
        """Return a number of positions that can come up in any case: those before the first rolls."""
        before = self._decided(start) if start.step in (SUCCESS, INJURY) else []
        if start.step != SUCCESS:
            return len(before)
        rolled = [position for position in before if not position.turn]
        # What was spent on the Success Roll does not change what may be spent on the Injury Roll.
        hit = _hit(start.state, self.stage(start.place))
        return len(before) + len(rolled) * len(self._decided(self.before(Position(start.place, INJURY, hit))))

    def _decided(self, position: Position) -> dict[Position, None]:
        """Return the positions that decisions lead to before the next roll, the first one included."""
        found = {position: None}
        decision = self._decision(position) if position.turn else None
        for after in [each for option in decision.options for each in option] if decision else []:
            found |= self._decided(after)
        return found

    def decision(self, position: Position) -> Decision[Position] | None:
        """Return what comes in a position: what the players can spend, a roll, or nothing at the end."""
        if position not in self._decisions:
            self._decisions[position] = self._decision(position)
        return self._decisions[position]

    def _decision(self, position: Position) -> Decision[Position] | None:
        if position.place >= len(self.items):
            return None
        if position.turn[:1] == (ORDER,):
            both = ((ATTACKER, DEFENDER), (DEFENDER, ATTACKER))
            orders = [{position._replace(turn=turn): 1} for turn in both]
            return Decision(orders, maximises=self.initiative == ATTACKER)
        if position.turn:
            options = self.options(position, position.turn[0])
            after = [
                {self._spent(position, position.turn[0], option)._replace(turn=position.turn[1:]): 1}
                for option in options
            ]
            return Decision(after, maximises=position.turn[0] == ATTACKER)
        rolls = {AIM: self._aim, SUCCESS: self._success_roll, INJURY: self._injury_roll}
        return rolls[position.step](position)

    # From attack to attack ---------------------------------------------------------------------------------

    def arrive(self, index: int, state: State) -> Position:
        """Return the next position with a roll in it, or the end."""
        while state.outcome < OUT and index < len(self.items):
            item = self.items[index]
            if isinstance(item, Stage):
                state = self._attackers_activated(state, index, item) if item.starts else state
                here = Position(index, AIM, state)
                return here if item.attack.into_melee else self._aimed(here)
            blood, infection = activated(state.blood, state.infection, self.target)
            down = state.down and not item.stands_up
            state = state._replace(blood=blood, infection=infection, down=down)
            index += 1
        return Position(len(self.items), "", state)

    def _aimed(self, position: Position) -> Position:
        """Return the position before the first roll of an attack that is aimed at the target."""
        stage = self.stage(position.place)
        if not stage.automatic:
            return self.before(position._replace(step=SUCCESS))
        return self.before(position._replace(step=INJURY, state=_hit(position.state, stage)))

    def _attackers_activated(self, state: State, index: int, stage: Stage) -> State:
        """Return the state once an attacker has activated, in a Fireteam both members, whoever comes to attack.

        Source: Trench Crusade rules 1.0.2, Keywords, FIRETEAM; what it has hit matters in its joint Activation only.
        """
        before = self.items[index - 1] if index else None
        if isinstance(before, Stage) and before.number == stage.number:
            return state
        for item in self.items[index:]:
            if isinstance(item, Stage) and item.starts and item.number == stage.number:
                own = state.attackers[item.player_place]
                markers = Markers(*activated(own.blood, own.infection, item.attacker), own.blessing)
                state = _with_markers(state, item.player_place, markers)
        return state._replace(hit_by=frozenset())

    def _after_failure(self, stage: Stage, index: int) -> int:
        """Return the place of the attack that follows a failed Success Roll.

        Source: Trench Crusade rules 1.0.2, Risky Success Rolls; Keywords, FIRETEAM: it ends the joint Activation.
        """
        if not stage.risky or stage.rulings["risky_failure"] == "attack":
            return index + 1
        if stage.rulings["risky_failure_of_several"] == "all":
            return len(self.items)
        items = enumerate(self.items)
        later = (n for n, item in items if n > index and getattr(item, "number", None) != stage.number)
        return next(later, len(self.items))

    # Decisions ---------------------------------------------------------------------------------------------

    def before(self, position: Position) -> Position:
        """Spend what fixed plans say, and leave the rest to the players who decide."""
        deciding: list[str] = []
        for player, plan in ((ATTACKER, self.spend), (DEFENDER, self.reply)):
            options = self.options(position, player)
            if len(options) == 1:
                continue
            if plan is None:
                deciding.append(player)
            else:
                position = self._spent(position, player, self._fixed(position, player))
        if len(deciding) == 2:
            deciding = list(self.order) if self.order else [ORDER]
        return position._replace(turn=tuple(deciding))

    def _pool(self, position: Position, player: str) -> Markers:
        """Return the markers that a player may spend on the roll of a position."""
        stage, state = self.stage(position.place), position.state
        if position.step == INJURY:
            bad, good = Markers(state.blood, state.infection, 0), Markers(0, 0, state.blessing)
            return bad if player == ATTACKER else good
        own = state.attackers[stage.player_place]
        if stage.attack.on_failure:  # the roll is the target's own: what is spent on it is given as its dice
            own = Markers(0, 0, 0)
        return Markers(0, 0, own.blessing) if player == ATTACKER else own._replace(blessing=0)

    def options(self, position: Position, player: str) -> list[Option]:
        """Return what a player may spend on the roll of a position, fewest markers first, Bloodbaths last of equals."""
        pool = self._pool(position, player)
        found = [Option(*each) for each in product(*(range(number + 1) for number in pool))]
        if player == ATTACKER and position.step == INJURY:
            cost, spare = self.price(position), self._spare(position)
            paid = [each for each in found if each.markers == cost or (spare and each.markers > cost)]
            found += [each._replace(price=cost) for each in paid]
        return sorted(found, key=lambda option: (option.markers, option.price, option))

    def _spare(self, position: Position) -> bool:
        return self.stage(position.place).rulings["spare_markers"] == "allowed"

    def price(self, position: Position) -> int:
        """Return how many Blood Markers a Bloodbath costs.

        Source: Trench Crusade rules 1.0.2, Bloodbath; Warbands of Trench Crusade, New Antioch, Concentrated Attack.
        """
        stage, state = self.stage(position.place), position.state
        partner = stage.activation.partner_hit or bool(state.hit_by - {stage.player_place})
        return 3 if state.down or (partner and stage.attacker.has("CONCENTRATED ATTACK")) else 6

    def _fixed(self, position: Position, player: str) -> Option:
        """Return what a fixed plan spends: as much of it as is there."""
        pool, cost = self._pool(position, player), 0
        if player == DEFENDER:
            reply = self._planned(self.reply, position, Reply)
            wanted = reply.blood, reply.infection, reply.blessing
        else:
            spend = self._planned(self.spend, position, Spend)
            wanted = spend.blood, spend.infection, spend.success
            if spend.bloodbath and position.step == INJURY and self.price(position) <= sum(pool):
                cost = self.price(position)
        blood = min(cost, pool.blood)
        paid = blood, cost - blood, 0
        if cost and not self._spare(position):
            wanted = 0, 0, 0
        dice = (min(more, had - gone) for more, had, gone in zip(wanted, pool, paid, strict=True))
        return Option(*map(add, paid, dice))._replace(price=cost)

    @staticmethod
    def _planned(plans: Sequence[T | Callable[[State], T]] | None, position: Position, kind: type[T]) -> T:
        """Return what a plan says for the attack, and for the state if it is a function of it."""
        assert plans is not None  # noqa: S101 - players who decide have no plan to look up
        plan = plans[position.place]
        found = plan(position.state) if callable(plan) else plan
        if not isinstance(found, kind):
            raise MathhammerError(f"expected a {kind.__name__} from the plan {plan!r}, got {shown(found)}")
        return found

    def _spent(self, position: Position, player: str, option: Option) -> Position:
        """Return the position once a player has spent markers."""
        state = position.state
        if position.step == SUCCESS:
            place = self.stage(position.place).player_place
            left = Markers(
                *(had - gone for had, gone in zip(state.attackers[place], option[:3], strict=True))
            )
            state = _with_markers(state, place, left)
        else:
            state = state._replace(
                blood=state.blood - option.blood,
                infection=state.infection - option.infection,
                blessing=state.blessing - option.blessing,
            )
        return position._replace(
            state=state,
            extra=position.extra + (option.dice if player == ATTACKER else -option.dice),
            bloodbath=position.bloodbath or option.price > 0,
        )

    # Rolls -------------------------------------------------------------------------------------------------

    def _aim(self, position: Position) -> Decision[Position]:
        """Shooting at an enemy within 1" of a friend: on 1 to 3 the friend is the target."""
        here = self._aimed(position)
        elsewhere = self.arrive(position.place + 1, position.state)
        return Decision([{elsewhere: 1, here: 1}], 2)

    def _success_roll(self, position: Position) -> Decision[Position]:
        stage, state, index = self.stage(position.place), position.state, position.place
        failed = self._after_failure(stage, index)
        hit = _hit(state, stage)
        bonus = not stage.attack.bystander
        after = {
            "fumble": self.arrive(failed, state._replace(fumbled=True)),
            "failure": self.arrive(failed, state),
            "success": self.before(Position(index, INJURY, hit)),
            "critical": self.before(Position(index, INJURY, hit, critical=bonus)),
        }
        if stage.attack.on_failure:
            safe = self.arrive(index + 1, state)
            after = {"failure": after["success"], "success": safe, "critical": safe}
        surplus = net(stage.success_dice) + position.extra
        names = FUMBLES if stage.fumbles else SUCCESSES
        return _rolled(weights(names, 2, surplus, reroll=stage.attack.reroll), after)

    def _injury_roll(self, position: Position) -> Decision[Position]:
        stage, state = self.stage(position.place), position.state
        known = {"critical": position.critical, "down": state.down}
        keep = stage.keep(bloodbath=position.bloodbath)
        surplus = net(stage.injury_dice(**known)) + position.extra
        after = {
            name: self.arrive(
                position.place + 1, injured(state, row + 1, stage, bloodbath=position.bloodbath)
            )
            for row, name in enumerate(INJURIES)
        }
        return _rolled(weights(INJURIES, keep, surplus, stage.modifier(**known)), after)


def _rolled(law: tuple[Mapping[str, int], int], after: Mapping[str, Position]) -> Decision[Position]:
    """Return what the outcomes of a roll lead to."""
    found: dict[Position, int] = {}
    for outcome, weight in law[0].items():
        if weight:
            found[after[outcome]] = found.get(after[outcome], 0) + weight
    return Decision([found], law[1])


def _hit(state: State, stage: Stage) -> State:
    """Return the state once an attack has hit, which the partners in a Fireteam remember.

    Source: Trench Crusade rules 1.0.2, Battlekit, Anti-Tank Hammer (Dangerous): each hit marks its user.
    """
    if stage.weapon.has("DANGEROUS"):
        own = state.attackers[stage.player_place]
        hurt = own._replace(blood=min(MAXIMUM_MARKERS, own.blood + 1))
        state = _with_markers(state, stage.player_place, hurt)
    return state._replace(hit_by=state.hit_by | {stage.player_place}) if stage.activation.fireteam else state


def _with_markers(state: State, place: int, markers: Markers) -> State:
    """Return the state with other markers of one attacker."""
    return state._replace(attackers=(*state.attackers[:place], markers, *state.attackers[place + 1 :]))
