"""Results of attacks: the joint distribution of the state, the plan, the rulings in force, and the steps in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mathhammer.display import Displayed, percent
from mathhammer.distributions import CategoricalDistribution, in_fractions
from mathhammer.distributions.decisions import Decision, end_distribution
from mathhammer.sequence import Explanation, Probability, Reproducible, Step
from mathhammer.systems.trench_crusade.compilation import Stage
from mathhammer.systems.trench_crusade.keywords import NO_EFFECT
from mathhammer.systems.trench_crusade.profiles import whole
from mathhammer.systems.trench_crusade.rolls import (
    INJURIES,
    SUCCESSES,
    net,
    probabilities,
    roll_text,
    values,
    weights,
)
from mathhammer.systems.trench_crusade.rulings import EDITIONS
from mathhammer.systems.trench_crusade.state import AXES, OUT, OUTCOMES, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mathhammer.display import Panel, Part, Pictures
    from mathhammer.distributions import Distribution, JointDistribution
    from mathhammer.sequence import Rulings
    from mathhammer.systems.trench_crusade.game import Game, Position
    from mathhammer.systems.trench_crusade.plan import Plan

#: What can become of the target and of its attackers.
EVENTS: Mapping[str, Callable[[State], bool]] = {
    "out of action": lambda state: state.outcome == OUT,
    "down or worse": lambda state: state.down or state.outcome == OUT,
    "hit": lambda state: state.outcome > 0,
    "fumble": lambda state: state.fumbled,
}


def _chance(event: str, words: str) -> property:
    """Return the property that is the probability of an event."""
    return property(lambda result: result.value(event), doc=words)


@dataclass(frozen=True, eq=False, repr=False)
class AttackResult(Displayed, Reproducible):
    """The distribution of what one or more attacks do to a model.

    Attributes
    ----------
    edition
        The edition whose rules were used.
    rulings
        The option in force for each disputed ruling.
    plan
        What players who play to win do, in words; empty where plans are fixed.
    order
        The attackers in the order in which they attack.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> shot = tc.attack(tc.WEAPONS["Shotgun"], tc.Target(), exact=True)
    >>> shot.probability_hit  # the highest two of three dice come to 7 or more
    29/36
    """

    edition: str
    rulings: Rulings
    plan: Plan
    order: tuple[str, ...]
    _states: CategoricalDistribution[State]
    _game: Game
    _start: Position
    _choices: Mapping[Position, int]

    @property
    def exact(self) -> bool:
        """Whether probabilities are ``sympy.Rational`` rather than ``float``."""
        return self._states.exact

    @property
    def positions(self) -> int:
        """Number of positions of the game that were computed: a measure of the work."""
        return self._game.positions

    @cached_property
    def outcome(self) -> CategoricalDistribution[str]:
        """Distribution of the worst result: miss, no effect, minor hit, down, out of action."""
        return self._states.map(lambda state: OUTCOMES[state.outcome], OUTCOMES)

    @cached_property
    def state(self) -> JointDistribution:
        """Joint distribution of the worst result (an index of `OUTCOMES`), markers, Down, TOUGH used and a fumble."""
        return self._states.joint(AXES, lambda state: state.coordinates)

    @cached_property
    def severity(self) -> Distribution:
        """Distribution of the worst result as an index of `OUTCOMES`: 0 for a miss, 4 for Out of Action."""
        return self.state.marginal("outcome")

    @cached_property
    def kills(self) -> Distribution:
        """Distribution of the number of models Out of Action: 0 or 1."""
        return self.severity.map(lambda outcome: int(outcome == OUT))

    @cached_property
    def blood(self) -> Distribution:
        """Distribution of the target's Blood Markers; a model Out of Action has none."""
        return self.state.marginal("blood")

    probability_out_of_action = _chance("out of action", "Probability that the target is Out of Action.")
    probability_destroyed = _chance(
        "out of action", "Probability that the target is Out of Action, as the results of every game name it."
    )
    probability_down_or_worse = _chance(
        "down or worse", "Probability that the target ends Down or Out of Action."
    )
    probability_hit = _chance("hit", "Probability that at least one attack hits.")
    probability_fumble = _chance("fumble", "Probability that an attacker hits itself.")

    def probability_made(self, attack: int, /) -> Any:
        """Probability that an attack comes to be made: no failed Risky roll, the target still there.

        Parameters
        ----------
        attack
            Its number, from 1.
        """
        places = [place for place, item in enumerate(self._game.items) if isinstance(item, Stage)]
        wanted = places[whole("the number of an attack", attack, 1, len(places)) - 1]

        def until(position: Position) -> Decision[Position] | None:
            return None if position.place >= wanted else self._game.decision(position)

        start = CategoricalDistribution.certain(self._start, exact=self.exact)
        ends = end_distribution(until, start, self._choices)
        return ends.probability(lambda position: position.place == wanted)

    def explain(self) -> Explanation:
        """Step by step: dice and modifiers with their sources, probabilities, the plan and the result."""
        game = self._game
        stages = [item for item in game.items if isinstance(item, Stage)]
        steps: list[Step] = []
        shown: dict[tuple[object, object], str] = {}
        for item in game.items:
            if not isinstance(item, Stage):
                steps.append(Step("Activation", "the target activates" + ", and stands up" * item.stands_up))
                continue
            same = shown.setdefault((item.attack, item.attacker), item.label)
            as_before = Step("Attack", f"{item.label}: as {same}, with the state that is left")
            steps += _attack_steps(item) if same == item.label else [as_before]
        for name, plans in (("Attacker", game.spend), ("Defender", game.reply)):
            for item, plan in zip(game.items, plans or (), strict=plans is not None):
                if isinstance(item, Stage) and str(plan) != "nothing":
                    text = "as a function of the state says" if callable(plan) else plan
                    steps.append(Step(name, f"spends on {item.label}: {text}"))
        if len(self.plan):
            first, *rest = str(self.plan).split("\n")
            steps.append(Step("Best plan", first, tuple(rest)))
        chosen = [f"{name} = {option}" for name, option in self.rulings.changed.items()]
        steps.append(Step("Rulings", ", ".join(chosen) or "all as by default"))
        text = ", ".join(f"{name} {float(p):.4f}" for name, p in in_fractions(self.outcome).items())
        steps.append(Step("Result", text))
        names = ", ".join(stage.label for stage in stages)
        return Explanation(f"{names} against {game.target.name} ({EDITIONS[self.edition]})", tuple(steps))

    def value(self, objective: str) -> Any:
        """Return the probability that an objective names."""
        return self._states.probability(EVENTS[objective])

    def _pictures(self) -> Pictures:
        from mathhammer.distributions.presentation import bars

        return {
            "outcome": lambda: self.outcome.part("worst result"),
            "blood": lambda: bars(self.blood, "Blood Markers of the target"),
        }

    def _chances(self) -> dict[str, Any]:
        """Return how probable each of the events is."""
        states = in_fractions(self._states)
        return {event: states.probability(condition) for event, condition in EVENTS.items()}

    def _line(self) -> str:
        kind = "exact" if self.exact else "float64"
        chances = list(self._chances().items())[:2]
        return f"edition {self.edition}, {kind}: " + ", ".join(
            f"P({event}) {percent(chance)}" for event, chance in chances
        )

    def _panel(self) -> Panel:
        from mathhammer.display import Panel
        from mathhammer.distributions.presentation import bars

        chances = {event: p for event, p in self._chances().items() if event != "fumble" or p}
        facts: dict[str, object] = {"arithmetic": "exact" if self.exact else "float64"}
        facts |= {f"P({event})": p for event, p in chances.items()}
        parts: list[Part] = [self.outcome.part("worst result")]
        if self.blood.support[-1]:
            parts.append(bars(self.blood, "Blood Markers of the target"))
        notes = [f"Plan for {self.plan.objective}:", *str(self.plan).split("\n")] if len(self.plan) else []
        folded = [(self.rulings.sentence, self.rulings.table())]
        return Panel(self.explain().heading, facts, parts, notes, folded)


def _attack_steps(stage: Stage) -> Iterator[Step]:
    yield Step("Attack", f"{stage.label}: {stage.weapon}")
    if stage.starts and stage.attacker.down and stage.activation.stands_up:
        yield Step("Down", f"{stage.attacker.name} stands up when it is activated")
    if stage.attack.into_melee:
        yield Step("Into melee", "on 1 to 3 a friend is the target", (), (Probability("aimed at it", 1, 2),))
    if stage.automatic:
        yield Step("Success Roll", "none: FLAMETHROWER hits automatically", (), (Probability("hit", 1, 1),))
    else:
        surplus = net(stage.success_dice)
        text = roll_text(2, surplus) + ", Risky" * stage.risky + ", failures re-rolled" * stage.attack.reroll
        law = weights(SUCCESSES, 2, surplus, reroll=stage.attack.reroll)
        yield Step("Success Roll", text, tuple(map(str, stage.success_dice)), probabilities(law))
    yield _injury_step(stage, critical=False)
    if not stage.automatic and not stage.attack.bystander:
        yield _injury_step(stage, critical=True)
    yield from _rule_steps(stage)


def _rule_steps(stage: Stage) -> Iterator[Step]:
    """Yield what follows the Injury Roll, and the keywords without effect here."""
    if stage.extra_markers:
        yield Step(
            "Markers", f"{stage.extra_markers} more {stage.marker} after the Injury Roll, whatever it says"
        )
    if stage.weapon.has("DANGEROUS"):
        yield Step("DANGEROUS", "each hit places 1 Blood Marker on its user")
    if stage.marker == "Infection":
        yield Step("INFECTION MARKERS", "the target gets Infection Markers in place of Blood Markers")
    for rule, text in (
        ("TOUGH", "the first Out of Action is Down"),
        ("GOLEM", "Out of Action is Down but for a Bloodbath"),
    ):
        if stage.target.has(rule):
            yield Step(rule, text)
    if stage.target.armour == "machine":
        yield Step("Standfast", "Down is a Minor Hit")
    for keyword in stage.attack.keywords:
        if keyword.name in NO_EFFECT:
            yield Step(str(keyword), f"has no effect here: {NO_EFFECT[keyword.name]}")


def _injury_step(stage: Stage, *, critical: bool) -> Step:
    known = {"critical": critical, "down": stage.target.down}
    dice, modifiers = stage.injury_dice(**known), stage.injury_modifiers(**known)
    keep, surplus, added = stage.keep(bloodbath=False), net(dice), stage.modifier(**known)
    text = roll_text(keep, surplus) + (f", {added:+d}" if modifiers else "")
    sources = [f"{modifier} INJURY DICE" for modifier in dice]
    sources += [f"{modifier} INJURY MODIFIER" for modifier in modifiers]
    if sum(values(modifiers)) != added:
        sources.append(f"the negative ones are never worse than -3: {added:+d} in all")
    name = "On a critical" if critical else "Injury Roll"
    return Step(name, text, tuple(sources), probabilities(weights(INJURIES, keep, surplus, added)))
