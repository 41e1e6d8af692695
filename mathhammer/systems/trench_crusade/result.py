"""Results of attacks: the joint law of the state, the plan for spending markers and the steps in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import Displayed, Named
from mathhammer.display.numbers import percent
from mathhammer.distributions import CategoricalDistribution
from mathhammer.distributions.decisions import backwards, end_distribution
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.sequence.call import Reproducible
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.systems.trench_crusade.game import (
    ATTACKER,
    ORDER,
    OUT,
    OUTCOMES,
    SIDES,
    SUCCESS,
    FighterCondition,
    Game,
    Position,
    State,
    markers,
)
from mathhammer.systems.trench_crusade.rolls import RollStage, injury_of, values
from mathhammer.systems.trench_crusade.rules import EDITIONS, NO_EFFECT
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mathhammer.display.panel import Panel, Pictures
    from mathhammer.distributions import Distribution, JointDistribution
    from mathhammer.distributions.decisions import DecisionNode as Branches
    from mathhammer.sequence.rulings import Rulings

NOTHING = "nothing"


@dataclass(frozen=True, slots=True, repr=False)
class Decision(Named):
    """One decision: who spends what on which roll, and when.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> pilgrim = tc.Target("Trench Pilgrim", armour="standard", shield=True, blood=2)
    >>> print(tc.attack(tc.WEAPONS["Shotgun"], pilgrim, spend="best").plan.decisions[0])
    1. Shotgun, Injury Roll, 2 Blood: attacker spends 2 Blood
    """

    #: ``"attacker"`` or ``"defender"``; ``"order"`` where the one with the Initiative says who spends first.
    player: str
    #: The attack, as the plan names it, and ``"Success Roll"`` or ``"Injury Roll"``.
    attack: str
    roll: str
    #: What the player sees: markers, Down, what the other has spent; and what is spent.
    situation: str
    action: str

    @property
    def here(self) -> tuple[str, str, str]:
        """When it is made: the attack, the roll and the situation."""
        return self.attack, self.roll, self.situation

    def __str__(self) -> str:
        return f"{', '.join(self.here)}: {self.player} spends {self.action}"


@dataclass(frozen=True, slots=True, repr=False)
class SpendPolicy(Named):
    """Situations in which the attacking player spends markers; in all others they spend nothing.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> pilgrim = tc.Target("Trench Pilgrim", armour="standard", shield=True, blood=2)
    >>> policy = tc.SpendPolicy([tc.Decision("attacker", "1. Shotgun", "Injury Roll", "2 Blood", "1 Blood")])
    >>> round(tc.attack(tc.WEAPONS["Shotgun"], pilgrim, spend=policy).probability_out_of_action, 4)
    0.1604
    """

    #: The attacker's, each for a situation of its own.
    decisions: tuple[Decision, ...]

    def __post_init__(self) -> None:
        found = validation.items(self.decisions, Decision, "Decisions in a list as a SpendPolicy")
        object.__setattr__(self, "decisions", found)
        known: dict[tuple[str, ...], Decision] = {}
        for each in found:
            if each.player != ATTACKER:
                raise MathhammerError(f"expected decisions of the attacker, got {shown(str(each))}")
            if (other := known.setdefault(each.here, each)) != each:
                raise MathhammerError(
                    f"expected one decision for a situation, got {shown(str(other))} and {shown(str(each))}"
                )

    def __str__(self) -> str:
        return "; ".join(map(str, self.decisions)) or NOTHING

    def choice(self, game: Game, position: Position) -> int:
        """Return the place of the option that the attacker takes in a position."""
        words = [option.words() for option in game.options(position, ATTACKER)]
        here = decision_of(game, position, 0).here
        action = next((each.action for each in self.decisions if each.here == here), NOTHING)
        if action not in words:
            raise MathhammerError(
                f"expected of a policy one of {', '.join(map(repr, words))} for {', '.join(here)}; "
                f"got {shown(action)}"
            )
        return words.index(action)


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Named):
    """A player's best plan: what they spend in each situation that can come up."""

    #: In the order of the attacks; situations in which there is nothing to spend are left out.
    decisions: tuple[Decision, ...]
    #: What the attacker makes most likely.
    objective: str
    #: The place of the option taken in each position of the game, which is followed where the plan is given as
    #: ``spend`` to the same attacks on the same target.
    choices: Mapping[Position, int] = field(repr=False, compare=False)
    game: Game = field(repr=False, compare=False)
    start: Position = field(repr=False, compare=False)

    @property
    def policy(self) -> SpendPolicy:
        """The attacker's plan as plain data, whatever the defender does: what a text says where it is ``spend``."""
        found: dict[Position, int] = {}
        list(backwards(following(self.game, self, found), [self.start]))
        return SpendPolicy(tuple(each for each in in_words(self.game, found) if each.action != NOTHING))

    def choice(self, game: Game, position: Position) -> int:
        """Return the place of the option that the attacker takes in a position."""
        choice = self.choices.get(position)
        if choice is None or choice >= len(game.options(position, ATTACKER)):
            raise MathhammerError(
                "expected as spend a plan that says what the attacker spends in every situation that can come up, got "
                "one that does not; give the plan of the same attacks on the same target, with the same reply and order"
            )
        return choice

    def __len__(self) -> int:
        return len(self.decisions)

    def __str__(self) -> str:
        return "\n".join(in_lines(self.decisions)) or "no markers to decide about"


def in_lines(decisions: Iterable[Decision]) -> list[str]:
    """Return the lines of a plan, the decisions about one roll together."""
    groups: dict[tuple[str, str, str], list[Decision]] = {}
    for decision in decisions:
        groups.setdefault((decision.attack, decision.roll, decision.player), []).append(decision)
    lines = []
    for (attack, roll, player), found in groups.items():
        who = f"{attack}, {roll}: " + ("first to spend" if player == ORDER else f"{player} spends")
        alike = len({decision.action for decision in found}) == 1
        each = [f"  {decision.situation}: {decision.action}" for decision in found]
        lines += [f"{who} {found[0].action}, whatever happened before"] if alike else [who, *each]
    return lines


def following(
    game: Game, plan: Plan | SpendPolicy | None, found: dict[Position, int]
) -> Callable[[Position], Branches[Position] | None]:
    """Return the game in which the attacker follows a plan, and note what they do in which position."""

    def played(position: Position) -> Branches[Position] | None:
        decision = game.decision(position)
        if plan is not None and decision and len(decision.options) > 1 and position.turn[0] == ATTACKER:
            found[position] = plan.choice(game, position)
            return decision._replace(options=(decision.options[found[position]],))
        return decision

    return played


def in_words(game: Game, chosen: Mapping[Position, int], fighters: Sequence[str] = ()) -> list[Decision]:
    """Return decisions by attack, roll and who decides first, then by what makes a plan easy to look up."""

    def order(position: Position) -> tuple[int | bool, ...]:
        stage = game.items[position.place]
        aim = position.state.models[stage.aim]
        first = stage.number, position.step != SUCCESS, ORDER not in position.turn, -len(position.turn)
        seen = aim.tough_used, aim.down, position.critical, *(-number for number in aim[1:4])
        return *first, *seen, position.bloodbath, position.extra

    found = (decision_of(game, each, chosen[each], fighters) for each in sorted(chosen, key=order))
    return list(dict.fromkeys(found))


def decision_of(game: Game, position: Position, choice: int, fighters: Sequence[str] = ()) -> Decision:
    """Return a decision; its situation is what the players see before the roll, in an exchange of all its fighters."""
    stage, state, player = game.items[position.place], position.state, position.turn[0]
    # The one with the Initiative chooses between two orders, everybody else between numbers of markers.
    words = [option.words() for option in game.options(position, player)] if player != ORDER else SIDES
    success, aim = position.step == SUCCESS, state.models[stage.aim]
    if fighters:
        seen = zip(fighters, (model.words() for model in state.models), strict=True)
        everybody = "; ".join(f"{name} {each}" for name, each in seen if each)
        said = [everybody] * bool(everybody)
        aim = aim._replace(down=False, tough_used=False, blood=0)
    elif success:  # the owner's Blessing Markers come first
        blood, infection, blessing = state.models[stage.place][1:4]
        own = " of the attacker"
        said = [*markers(0, 0, blessing, own), *markers(blood, infection, 0, own)]
    else:
        said = markers(*aim[1:4])
    rows: tuple[tuple[object, str], ...] = (
        (position.critical, "critical"),
        (aim.down, "target Down"),
        (aim.tough_used and not stage.target.tough_used, "TOUGH used"),
        (position.bloodbath, "Bloodbath"),
        (position.extra, f"{position.extra:+d} from markers"),
        (success and aim.blood, f"target has {aim.blood} Blood"),
        (success and state.outcome, f"worst result {OUTCOMES[state.outcome]}"),
    )
    situation = ", ".join([*said, *(text for holds, text in rows if holds)])
    return Decision(player, stage.label, position.step, situation, words[choice])


#: What can become of the target and of its attackers.
EVENTS: Mapping[str, Callable[[State], bool]] = {
    "out of action": lambda state: state.outcome == OUT,
    "down or worse": lambda state: state.down or state.outcome == OUT,
    "hit": lambda state: state.outcome > 0,
    "fumble": lambda state: state.fumbled,
}


@dataclass(frozen=True, eq=False, repr=False)
class RuledResult(Displayed, Reproducible):
    """What attacks lead to under the rules of an edition."""

    edition: str
    """The edition whose rules were used."""
    rulings: Rulings
    """The option in force for each disputed ruling."""
    _states: CategoricalDistribution[Any]

    @property
    def exact(self) -> bool:
        """True if the probabilities are ``sympy.Rational``, False if ``float``."""
        return self._states.exact

    @property
    def arithmetic(self) -> str:
        """The same in a word."""
        return "exact" if self.exact else "float64"

    def _ruled(self, title: str, facts: Mapping[str, Any], parts: Sequence[Any], notes: list[str]) -> Panel:
        from mathhammer.display.panel import Panel

        return Panel(title, facts, parts, notes, [(self.rulings.sentence, self.rulings.table())])


@dataclass(frozen=True, eq=False, repr=False)
class AttackResult(RuledResult):
    """The distribution of what one or more attacks do to a model.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> tc.attack("Shotgun", tc.Target(), exact=True).probability_hit  # the highest two of three come to 7 or more
    29/36
    """

    plan: Plan
    """What players who play to win do, in words; empty where plans are fixed."""

    @property
    def order(self) -> tuple[str, ...]:
        """The attackers in the order in which they attack."""
        return tuple(stage.attacker.name for stage in self._stages.values() if stage.starts)

    @cached_property
    def outcome(self) -> CategoricalDistribution[str]:
        """Distribution of the worst result: miss, no effect, minor hit, down, out of action."""
        return self._states.map(lambda state: OUTCOMES[state.outcome], OUTCOMES)

    @cached_property
    def state(self) -> JointDistribution:
        """Joint distribution of the worst result (an index of `OUTCOMES`), markers, Down, TOUGH used and a fumble."""
        axes = "outcome", *FighterCondition._fields[1:6], "fumbled"
        return self._states.joint(axes, lambda state: tuple(int(getattr(state, name)) for name in axes))

    @cached_property
    def severity(self) -> Distribution:
        """Distribution of the worst result as an index of `OUTCOMES`: 0 for a miss, 4 for Out of Action."""
        return self._states.number(attrgetter("outcome"))

    @cached_property
    def kills(self) -> Distribution:
        """Distribution of the number of models Out of Action: 0 or 1."""
        return self._states.number(lambda state: int(state.outcome == OUT))

    @cached_property
    def blood(self) -> Distribution:
        """Distribution of the target's Blood Markers; a model Out of Action has none."""
        return self._states.number(attrgetter("blood"))

    probability_out_of_action = property(
        lambda self: self.value("out of action"), doc="Probability that the target is Out of Action."
    )
    probability_destroyed = probability_out_of_action
    probability_down_or_worse = property(
        lambda self: self.value("down or worse"), doc="Probability that it ends Down or Out of Action."
    )
    probability_hit = property(
        lambda self: self.value("hit"), doc="Probability that at least one attack hits."
    )
    probability_fumble = property(
        lambda self: self.value("fumble"), doc="Probability that an attacker hits itself."
    )

    def probability_made(self, attack: int, /) -> Any:
        """Probability that an attack comes to be made, by its number: no failed Risky roll, the target still there."""
        game, places = self.plan.game, [*self._stages]
        wanted = places[validation.whole(attack, "the number of an attack", 1, len(places)) - 1]

        def until(position: Position) -> Branches[Position] | None:
            return None if position.place >= wanted else game.decision(position)

        start = CategoricalDistribution.certain(self.plan.start, exact=self.exact)
        ends = end_distribution(until, start, self.plan.choices)
        return ends.probability(lambda position: position.place == wanted)

    def explain(self) -> Explanation:
        """Step by step: dice and modifiers with their sources, probabilities, the plan and the result."""
        game, stages = self.plan.game, self._stages
        steps: list[Step] = []
        seen: dict[tuple[object, object], str] = {}
        for item in game.items[:-1]:
            if not isinstance(item, RollStage):
                steps.append(Step("Activation", "the target activates" + ", and stands up" * item.stands_up))
                continue
            same = seen.setdefault((item.attack, item.attacker), item.label)
            as_before = Step("Attack", f"{item.label}: as {same}, with the state that is left")
            steps += _attack_steps(item) if same == item.label else [as_before]
        for side, name in enumerate(("Attacker", "Defender")):
            for place, stage in stages.items():
                if (plan := game.plans[place][side]) is not None and str(plan) != NOTHING:
                    text = "as a function of the state says" if callable(plan) else plan
                    steps.append(Step(name, f"spends on {stage.label}: {text}"))
        if self.plan:
            first, *rest = str(self.plan).split("\n")
            steps.append(Step("Best plan", first, tuple(rest)))
        chosen = [f"{name} = {option}" for name, option in self.rulings.changed.items()]
        steps.append(Step("Rulings", ", ".join(chosen) or "all as by default"))
        text = ", ".join(f"{name} {float(p):.4f}" for name, p in in_fractions(self.outcome).items())
        steps.append(Step("Result", text))
        names = ", ".join(stage.label for stage in stages.values())
        return Explanation(f"{names} against {game.target.name} ({EDITIONS[self.edition]})", tuple(steps))

    @property
    def _stages(self) -> dict[int, RollStage]:
        return {place: item for place, item in enumerate(self.plan.game.items) if isinstance(item, RollStage)}

    def value(self, objective: str) -> Any:
        """Return the probability that an objective names."""
        return self._states.probability(EVENTS[objective])

    def _pictures(self) -> Pictures:
        from mathhammer.distributions.presentation import bars

        return {
            "outcome": lambda: self.outcome.part("worst result"),
            "blood": lambda: bars(self.blood, "Blood Markers of the target"),
        }

    def _facts(self) -> dict[str, Any]:
        states = in_fractions(self._states)
        chances = {f"P({event})": states.probability(holds) for event, holds in EVENTS.items()}
        return {"arithmetic": self.arithmetic, **chances}

    def _line(self) -> str:
        kind, *chances = list(self._facts().items())[:3]
        words = ", ".join(f"{name} {percent(chance)}" for name, chance in chances)
        return f"edition {self.edition}, {kind[1]}: {words}"

    def _panel(self) -> Panel:
        facts = {name: fact for name, fact in self._facts().items() if name != "P(fumble)" or fact}
        parts = [part() for part in self._pictures().values()][: 2 if self.blood.support[-1] else 1]
        notes = [f"Plan for {self.plan.objective}:", *str(self.plan).split("\n")] if self.plan else []
        return self._ruled(self.explain().heading, facts, parts, notes)


def _attack_steps(stage: RollStage) -> Iterator[Step]:
    yield Step("Attack", f"{stage.label}: {stage.weapon}")
    if stage.starts and stage.attacker.down and stage.activation.stands_up:
        yield Step("Down", f"{stage.attacker.name} stands up when it is activated")
    if stage.attack.into_melee:
        yield Step("Into melee", "on 1 to 3 a friend is the target", (), (Probability("aimed at it", 1, 2),))
    if stage.automatic:
        yield Step("Success Roll", "none: FLAMETHROWER hits automatically", (), (Probability("hit", 1, 1),))
    else:
        pool = stage.success
        text = f"{pool.counted}{', Risky' * stage.risky}{', failures re-rolled' * pool.reroll}"
        yield Step("Success Roll", text, tuple(map(str, pool.dice)), pool.probabilities())
    if stage.action:
        return
    weapon, target = stage.weapon, stage.target
    critical = not (stage.automatic or stage.attack.bystander or stage.attack.on_failure)
    for name in ("Injury Roll", "On a critical")[: 1 + critical]:
        pool = injury_of(stage, critical=name == "On a critical", down=target.down)
        sources = [f"{each} INJURY DICE" for each in pool.dice]
        sources += [f"{each} INJURY MODIFIER" for each in pool.modifiers]
        if sum(values(pool.modifiers)) != pool.modifier:
            sources.append(f"the negative ones are never worse than -3: {pool.modifier:+d} in all")
        text = f"{pool.counted}, {pool.modifier:+d}" if pool.modifiers else pool.counted
        yield Step(name, text, tuple(sources), pool.probabilities())
    marker = "Infection" if stage.infects else "Blood"
    more = f"{stage.extra_markers} more {marker} after the Injury Roll, whatever it says"
    infects = "the target gets Infection Markers in place of Blood Markers"
    rows = (
        ("Markers", more, stage.extra_markers),
        ("DANGEROUS", "each hit places 1 Blood Marker on its user", weapon.has("DANGEROUS")),
        ("INFECTION MARKERS", infects, stage.infects),
        ("TOUGH", "the first Out of Action is Down", target.has("TOUGH")),
        ("GOLEM", "Out of Action is Down but for a Bloodbath", target.has("GOLEM")),
        ("Standfast", "Down is a Minor Hit", target.armour == "machine"),
    )
    yield from (Step(rule, text) for rule, text, holds in rows if holds)
    idle = (keyword for keyword in stage.attack.keywords if keyword.name in NO_EFFECT)
    yield from (Step(str(each), f"has no effect here: {NO_EFFECT[each.name]}") for each in idle)
