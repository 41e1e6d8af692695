"""The result of a turn: the joint distribution of what is left of both units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import number, percent
from mathhammer.display.panel import Panel, Part, Pictures, TablePart
from mathhammer.distributions.categorical import CategoricalDistribution
from mathhammer.distributions.chain import transformed
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.joint import JointDistribution
from mathhammer.distributions.presentation import bars, heat, whole_heat
from mathhammer.errors import MathhammerError
from mathhammer.sequence.call import Reproducible
from mathhammer.sequence.explanation import Explanation, Step
from mathhammer.sequence.rolls import fraction
from mathhammer.sequence.unit_distribution import UnitDistribution
from mathhammer.systems.wh40k.attacks.result import mean_points
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.systems.wh40k.sequence.compile import state_values
from mathhammer.systems.wh40k.turns.play import CHARGED, POSITION, REROLL, SHOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.arithmetic.mass import Mass
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.sequence.unit import ModelUnit
    from mathhammer.systems.wh40k.turns.combatant import Combatant

#: The ends of a turn.
OUTCOMES = ("both left", "defender destroyed", "attacker destroyed", "both destroyed")
_SIDES = ("attacker", "defender")


class PlannedChoice(NamedTuple):
    """A choice within a turn, and what is best."""

    #: The stage that is done or left out, or ``"charge re-roll"``.
    name: str
    #: ``"attacker"`` or ``"defender"``.
    player: str
    #: Probability that there is a choice and the stage is done, or the re-roll spent.
    probability: Any
    #: The states before, as (attacker's models destroyed, defender's models destroyed), in which it never is.
    left_out: tuple[tuple[int, int], ...]
    #: The same of those in which it always is; wounds of the next model decide in the others.
    done: tuple[tuple[int, int], ...]


class TurnPlan(Displayed, tuple[PlannedChoice, ...]):
    """The best choices of a turn, in the order in which they come up."""

    __slots__ = ()

    def _line(self) -> str:
        return ", ".join(f"{each.name} {percent(each.probability)}" for each in self) or "nothing to choose"

    def _panel(self) -> Panel:
        rows = [
            [choice, player, percent(chance), _said(done), _said(left_out)]
            for choice, player, chance, left_out, done in self
        ]
        header = ["choice", "player", "done", "always after losses of", "never after losses of"]
        caption = "The best choices; losses are models of the attacker and of the defender"
        table = TablePart(header, rows, caption=caption)
        return Panel(f"Best plan of the turn: {self._line()}", {}, [table] if self else [])


@dataclass(frozen=True, eq=False, repr=False)
class TurnResult(Displayed, Reproducible):
    """Result of a turn."""

    #: The attacker and the defender, and the states of both.
    combatants: tuple[Combatant, Combatant]
    units: tuple[ModelUnit, ModelUnit]
    #: What ``value`` counts.
    objective: str
    #: The rules used, and the option in force for each disputed ruling.
    edition: str
    rulings: Rulings
    #: What is after each stage; of each choice its name, whose it is, where it is done, and where it is left out.
    _stages: tuple[tuple[str, JointDistribution], ...]
    _choices: tuple[tuple[str, int, JointDistribution, JointDistribution], ...]
    #: The numbers that are handed out.
    _mass: type[Mass]

    def _in_fractions(self) -> TurnResult:
        """Return the same result, whose numbers need no SymPy."""
        return replace(self, _mass=type(self._mass.from_weights([1], 1).in_fractions()))

    def _given(self, joint: JointDistribution) -> JointDistribution:
        """Return a joint distribution in the numbers that are handed out."""
        return JointDistribution(joint.axes, joint._outcomes, self._mass.of(joint._mass))  # noqa: SLF001

    @cached_property
    def joint(self) -> JointDistribution:
        """Joint distribution of the numbers of the states of both units, where they are, and who is battle-shocked."""
        return transformed(self._given(self._stages[-1][1]), SHOWN, lambda each: each[: len(SHOWN)])

    @property
    def exact(self) -> bool:
        """True if the probabilities are ``sympy.Rational``, False if ``float``."""
        return self._mass.exact

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attacker and the defender, told apart."""
        names = tuple(combatant.name for combatant in self.combatants)
        return names if len({*names}) > 1 else tuple(map("{} ({})".format, names, _SIDES))

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages in their order."""
        return tuple(name for name, _ in self._stages)

    @cached_property
    def attacker(self) -> UnitDistribution:
        """State of the attacker: its ``kills`` are the models that it lost."""
        return UnitDistribution(self.units[0], self.joint.marginal("attacker"))

    @cached_property
    def defender(self) -> UnitDistribution:
        """State of the defender."""
        return UnitDistribution(self.units[1], self.joint.marginal("defender"))

    @cached_property
    def kills(self) -> JointDistribution:
        """Joint distribution of the models destroyed: axes ``attacker`` and ``defender``, whose models they were."""
        return self._of_both(_SIDES, *(list(zip(unit.kills())) for unit in self.units))

    @cached_property
    def wounds_lost(self) -> JointDistribution:
        """Joint distribution of the wounds lost by both."""
        return self._of_both(_SIDES, *(list(zip(unit.wounds_lost())) for unit in self.units))

    @cached_property
    def state(self) -> JointDistribution:
        """Joint distribution of the coordinates of both states: models destroyed and wounds lost by the next."""
        axes = [f"{side} {axis}" for side, unit in zip(_SIDES, self.units, strict=True) for axis in unit.axes]
        return self._of_both(axes, *(unit.coordinates() for unit in self.units))

    def _of_both(self, axes: Sequence[str], *values: Sequence[tuple[int, ...]]) -> JointDistribution:
        """Return the joint distribution of what each state of each unit comes to."""
        first, second = values
        return transformed(self.joint, axes, lambda each: (*first[each[0]], *second[each[1]]))

    @cached_property
    def outcome(self) -> CategoricalDistribution[str]:
        """Distribution of who is destroyed, in the words of ``OUTCOMES``."""
        gone = [unit.states - 1 for unit in self.units]
        number = self.joint.map(lambda first, second, *_: (second == gone[1]) + 2 * (first == gone[0]))
        return CategoricalDistribution.of(number, OUTCOMES.__getitem__, OUTCOMES)

    @cached_property
    def probability_charged(self) -> Any:
        """Probability that the attacker's charge succeeded."""
        charges = [joint for name, joint in self._stages if name == "charge"]
        if not charges:
            raise MathhammerError("expected a turn with a charge among its stages, got one without")
        return self._given(charges[-1]).map(lambda *each: int(each[POSITION] == CHARGED)).pmf(1)

    def probability_shocked(self, side: str) -> Any:
        """Probability that the ``"attacker"`` or the ``"defender"`` is left and battle-shocked."""
        place = _SIDES.index(validation.one_of(side, _SIDES, "side"))
        gone = self.units[place].states - 1
        return self.joint.map(lambda *each: int(each[POSITION + 1 + place] and each[place] != gone)).pmf(1)

    @property
    def points_destroyed(self) -> Any | None:
        """Mean points of the defender's models destroyed; ``None`` where a kind has no points."""
        return mean_points(self.defender, self.combatants[1].unit)

    @property
    def points_lost(self) -> Any | None:
        """Mean points of the attacker's models destroyed; ``None`` where a kind has no points."""
        return mean_points(self.attacker, self.combatants[0].unit)

    @cached_property
    def value(self) -> Any:
        """Value of the turn to the attacker: the mean of the objective of the defender's less of its own."""
        worth: Any = 0
        for combatant, unit, axis in zip(self.combatants, self.units, _SIDES, strict=True):
            values, below = state_values(combatant.unit, unit, self.objective)
            worth = self.joint.marginal(axis).map(values.__getitem__).mean() / below - worth
        return worth

    @cached_property
    def plan(self) -> TurnPlan:
        """The best choices, in the order in which they come up; empty where nothing was left to choose."""
        first, second = (unit.kills() for unit in self.units)
        found = []
        for name, player, *parts in self._choices:
            done, left = (
                {(first[own], second[theirs]) for own, theirs, *_ in part._outcomes}  # noqa: SLF001 - of this package
                for part in parts
            )
            rest, whole = parts[0]._mass.deficit()  # noqa: SLF001 - of this package
            chance = self._mass.quotient(whole - rest, whole)
            never, always = tuple(sorted(left - done)), tuple(sorted(done - left))
            found.append(PlannedChoice(name, _SIDES[player], chance, never, always))
        return TurnPlan(found)

    def explain(self) -> Explanation:
        """Stage by stage: what is lost by then on average, and how likely either unit is destroyed."""
        found, steps = in_fractions(self), []
        planned = {each.name: each for each in found.plan}
        for number_of, name in enumerate(self.stages, 1):
            reached = replace(found, _stages=self._stages[:number_of])
            choices = map(planned.get, [name, REROLL] if name == "charge" else [name])
            notes = tuple(
                f"{choice.name}: the {choice.player} chooses, and does it with {percent(choice.probability)}"
                for choice in filter(None, choices)
            )
            chances = {"charged": reached.probability_charged} if name == "charge" else {}
            chances |= reached._gone()  # noqa: SLF001 - of itself
            means = (number(reached.kills.marginal(side).mean()) for side in _SIDES)
            texts = [f"{who} lost {mean} models" for who, mean in zip(self.names, means, strict=True)]
            texts += [f"{word} {percent(chance)}" for word, chance in chances.items()]
            exactly = (each for word, chance in chances.items() for each in fraction(chance, word))
            steps.append(Step(name.capitalize(), ", ".join(texts), notes, tuple(exactly)))
        title = f"Turn of {' against '.join(self.names)} ({find_edition(self.edition).title})"
        return Explanation(title, tuple(steps))

    def _gone(self) -> dict[str, Any]:
        """Return the probabilities of who may be destroyed."""
        return {word: chance for word in OUTCOMES[1:] if (chance := self.outcome.pmf(word))}

    def _pictures(self) -> Pictures:
        return {
            "losses": lambda: whole_heat(self.kills, *(f"models lost by {who}" for who in self.names)),
            "outcome": lambda: self.outcome.part("what is left"),
        }

    def _line(self) -> str:
        gone, kind = in_fractions(self.outcome), "exact" if self.exact else "float64"
        chances = ", ".join(f"P({word}) {percent(gone.pmf(word))}" for word in OUTCOMES[1:3])
        return f"edition {self.edition}, {kind}, {', '.join(self.stages)}: {chances}"

    def _panel(self) -> Panel:
        (first, second), found = self.names, in_fractions(self)
        losses = {who: self.kills.marginal(side) for who, side in zip(self.names, _SIDES, strict=True)}
        kind = "exact" if self.exact else "float64"
        facts: dict[str, object] = {"edition": self.edition, "arithmetic": kind}
        if "charge" in self.stages:
            facts["P(charge succeeds)"] = found.probability_charged
        for (who, lost), unit in zip(losses.items(), self.units, strict=True):
            facts[f"models lost by {who}"] = (in_fractions(lost).mean(), f" of {unit.models}")
        facts |= {f"P({word})": chance for word, chance in found._gone().items()}  # noqa: SLF001 - of itself
        gained, spent = found.points_destroyed, found.points_lost
        if gained is not None and spent is not None:
            facts |= {"points destroyed": gained, "points lost": spent}
        if "battle-shock" in self.stages or "desperate escape" in self.stages:
            for who, side in zip(self.names, _SIDES, strict=True):
                facts[f"P({who} is battle-shocked)"] = found.probability_shocked(side)
        parts: list[Part] = [*found.plan._panel().parts] if found.plan else []  # noqa: SLF001 - of this package
        steps = [[each.name, each.text] for each in self.explain().steps]
        parts.append(TablePart(["after", "mean losses"], steps, "<<"))
        shown = heat(self.kills, f"Models lost by {first} (across) and by {second} (down)")
        parts += [shown] if shown else []
        parts += [bars(lost, f"Models lost by {who}") for who, lost in losses.items()]
        folded = [(self.rulings.sentence, self.rulings.table())]
        return Panel(f"Turn of {' against '.join(self.names)}", facts, parts, folded=folded)


def _said(states: tuple[tuple[int, int], ...]) -> str:
    few = ", ".join(f"{own} and {theirs}" for own, theirs in states[:4])
    return (few + f" and {len(states) - 4} more" * (len(states) > 4)) or "never"
