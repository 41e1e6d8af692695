"""A plan for spending markers, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.display import Named
from mathhammer.distributions.decisions import reached
from mathhammer.errors import MathhammerError
from mathhammer.systems.trench_crusade.game import ATTACKER, ORDER, SIDES, SUCCESS, Game, Position
from mathhammer.systems.trench_crusade.state import OUTCOMES
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NOTHING = "nothing"


@dataclass(frozen=True, slots=True, repr=False)
class Decision(Named):
    """One decision: who spends what on which roll, and when.

    Parameters
    ----------
    player
        ``"attacker"`` or ``"defender"``; ``"order"`` where the one with the Initiative says who spends first.
    attack
        The attack, as the plan names it.
    roll
        ``"Success Roll"`` or ``"Injury Roll"``.
    situation
        What the player sees: markers, Down, what the other has spent.
    action
        What is spent.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> pilgrim = tc.Target("Trench Pilgrim", armour="standard", shield=True, blood=2)
    >>> best = tc.attack(tc.WEAPONS["Shotgun"], pilgrim, spend="best", exact=True)
    >>> decision = best.plan.decisions[0]
    >>> decision.roll, decision.action
    ('Injury Roll', '2 Blood')
    """

    player: str
    attack: str
    roll: str
    situation: str
    action: str

    def __str__(self) -> str:
        return f"{self.attack}, {self.roll}, {self.situation}: {self.player} spends {self.action}"


@dataclass(frozen=True, slots=True, repr=False)
class SpendPolicy(Named):
    """Situations in which the attacking player spends markers; in all others they spend nothing.

    Parameters
    ----------
    decisions
        The attacker's, each for a situation of its own.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> pilgrim = tc.Target("Trench Pilgrim", armour="standard", shield=True, blood=2)
    >>> one = tc.Decision("attacker", "1. Shotgun", "Injury Roll", "2 Blood", "1 Blood")
    >>> policy = tc.SpendPolicy([one])
    >>> spent = tc.attack(tc.WEAPONS["Shotgun"], pilgrim, spend=policy, exact=True)
    >>> best = tc.attack(tc.WEAPONS["Shotgun"], pilgrim, spend="best", exact=True)
    >>> spent.probability_out_of_action < best.probability_out_of_action
    True
    """

    decisions: tuple[Decision, ...]

    def __post_init__(self) -> None:
        found = validation.items(self.decisions, Decision, "Decisions in a list as a SpendPolicy")
        object.__setattr__(self, "decisions", found)
        known: dict[tuple[str, str, str], Decision] = {}
        for each in found:
            if each.player != ATTACKER:
                raise MathhammerError(f"expected decisions of the attacker, got {shown(str(each))}")
            other = known.setdefault((each.attack, each.roll, each.situation), each)
            if other != each:
                raise MathhammerError(
                    f"expected one decision for a situation, got {shown(str(other))} and {shown(str(each))}"
                )

    def __str__(self) -> str:
        return "; ".join(map(str, self.decisions)) or NOTHING

    def choice(self, game: Game, position: Position) -> int:
        """Return the place of the option that the attacker takes in a position."""
        words = [option.words() for option in game.options(position, ATTACKER)]
        here = game.stage(position.place).label, position.step, _situation(game, position)
        actions = (each.action for each in self.decisions if (each.attack, each.roll, each.situation) == here)
        action = next(actions, NOTHING)
        if action not in words:
            raise MathhammerError(
                f"expected of a policy one of {', '.join(map(repr, words))} for {', '.join(here)}; "
                f"got {shown(action)}"
            )
        return words.index(action)


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Named):
    """A player's best plan: what they spend in each situation that can come up.

    Parameters
    ----------
    decisions
        In the order of the attacks; situations in which there is nothing to spend are left out.
    objective
        What the attacker makes most likely.
    choices
        The place of the option taken in each position of the game: what is followed where the plan is given as
        ``spend`` to the same attacks on the same target.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> pilgrim = tc.Target("Trench Pilgrim", armour="standard", shield=True, blood=2)
    >>> best = tc.attack(tc.WEAPONS["Shotgun"], pilgrim, spend="best", exact=True)
    >>> print(best.plan)
    1. Shotgun, Injury Roll: attacker spends 2 Blood, whatever happened before
    """

    decisions: tuple[Decision, ...]
    objective: str
    choices: Mapping[Position, int] = field(default_factory=dict, repr=False, compare=False)
    _made: tuple[Game, Position] | None = field(default=None, repr=False, compare=False)

    @property
    def policy(self) -> SpendPolicy:
        """The attacker's plan as plain data, whatever the defender does: what a text says where it is ``spend``."""
        if self._made is None:
            return SpendPolicy(tuple(each for each in self.decisions if each.player == ATTACKER))
        game, start = self._made
        found = [_decision(game, *each) for each in attackers_choices(game, start, self)]
        return SpendPolicy(tuple(dict.fromkeys(each for each in found if each.action != NOTHING)))

    def choice(self, game: Game, position: Position) -> int:
        """Return the place of the option that the attacker takes in a position."""
        choice = self.choices.get(position)
        if choice is None or choice >= len(game.options(position, ATTACKER)):
            raise MathhammerError(
                "expected as spend a plan that says what the attacker spends in every situation that can come up, got "
                "one that does not; give the plan of the same attacks on the same target, with the same reply and order"
            )
        return choice

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.decisions)

    def __len__(self) -> int:
        return len(self.decisions)

    def __str__(self) -> str:
        if not self.decisions:
            return "no markers to decide about"
        groups: dict[tuple[str, str, str], list[Decision]] = {}
        for decision in self.decisions:
            groups.setdefault((decision.attack, decision.roll, decision.player), []).append(decision)
        lines = []
        for (attack, roll, player), found in groups.items():
            who = "first to spend" if player == ORDER else f"{player} spends"
            if len({decision.action for decision in found}) == 1:
                lines.append(f"{attack}, {roll}: {who} {found[0].action}, whatever happened before")
                continue
            lines.append(f"{attack}, {roll}: {who}")
            lines += [f"  {decision.situation}: {decision.action}" for decision in found]
        return "\n".join(lines)


def attackers_choices(
    game: Game, start: Position, plan: Plan | SpendPolicy
) -> Iterator[tuple[Position, int]]:
    """Yield every position in which the attacker decides, while they follow a plan, and what they do."""
    stack, known = [start], {start}
    while stack:
        position = stack.pop()
        decision = game.decision(position)
        options = decision.options if decision else ()
        if len(options) > 1 and position.turn[0] == ATTACKER:
            choice = plan.choice(game, position)
            yield position, choice
            options = [options[choice]]
        after = [each for option in options for each in option if each not in known]
        known.update(after)
        stack += after


def plan_in_words(game: Game, start: Position, choices: Mapping[Position, int], objective: str) -> Plan:
    """Return the decisions that can come up when both players follow their best plans."""
    positions = [position for position, _ in reached(game.decision, [start], choices) if position in choices]
    decisions = [_decision(game, position, choices[position]) for position in sorted(positions, key=_order)]
    return Plan(tuple(dict.fromkeys(decisions)), objective, choices, (game, start))


def _order(position: Position) -> tuple[int | bool, ...]:
    """Sort by attack, roll and who decides first, then by what makes a plan easy to look up."""
    state = position.state
    markers = (-state.blood, -state.infection, -state.blessing, position.bloodbath, position.extra)
    return (
        position.place,
        position.step != SUCCESS,
        ORDER not in position.turn,
        -len(position.turn),
        state.tough_used,
        state.down,
        position.critical,
        *markers,
    )


def _decision(game: Game, position: Position, choice: int) -> Decision:
    player = position.turn[0]
    # The one with the Initiative chooses between two orders, everybody else between numbers of markers.
    words = [option.words() for option in game.options(position, player)] if player != ORDER else SIDES
    action = words[choice]
    stage = game.stage(position.place)
    return Decision(player, stage.label, position.step, _situation(game, position), action)


def _situation(game: Game, position: Position) -> str:
    """Return what the players see before the roll: the markers that may be spent, and what matters for them."""
    stage, state = game.stage(position.place), position.state
    own = state.attackers[stage.player_place]
    if position.step == SUCCESS:
        numbers, of_whom = (own.blessing, own.blood, own.infection), " of the attacker"
        names = ("Blessing", "Blood", "Infection")
    else:
        numbers, of_whom = (state.blood, state.infection, state.blessing), ""
        names = ("Blood", "Infection", "Blessing")
    parts = [f"{number} {name}{of_whom}" for number, name in zip(numbers, names, strict=True) if number]
    parts += ["critical"] * position.critical + ["target Down"] * state.down
    parts += ["TOUGH used"] * (state.tough_used and not game.target.tough_used)
    parts += ["Bloodbath"] * position.bloodbath
    parts += [f"{position.extra:+d} from markers"] * bool(position.extra)
    if position.step == SUCCESS:
        parts += [f"target has {state.blood} Blood"] * bool(state.blood)
        parts += [f"worst result {OUTCOMES[state.outcome]}"] * bool(state.outcome)
    return ", ".join(parts)
