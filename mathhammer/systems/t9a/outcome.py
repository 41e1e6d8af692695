"""Results of one or more rounds of combat: losses, Combat Scores, who wins and who breaks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.arithmetic import arithmetic
from mathhammer.display import Displayed, exact_number, number, percent
from mathhammer.distributions import CategoricalDistribution, Distribution, JointDistribution, in_fractions
from mathhammer.distributions.chain import transformed
from mathhammer.sequence import Explanation, Reproducible, Step
from mathhammer.systems.t9a.combat_round import ENDS, frightened, test_options
from mathhammer.systems.t9a.nerve import fear_test
from mathhammer.systems.t9a.result import part_steps, rulings_step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.display.panel import Panel, Part, Pictures, Table
    from mathhammer.sequence import Rulings
    from mathhammer.systems.t9a.choices import Combat
    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.stages import Stages
    from mathhammer.systems.t9a.units import Unit

_SIDES = ("first", "second")
#: Axes of the joint distribution behind those of the losses of every pool.
_AXES = ("difference", "won", "end", "rounds")


class FightResult(Displayed, Reproducible):
    """Result of one or more rounds of combat between a first and a second unit."""

    #: Whether it is decided by the scores of one round; how many rounds there were, in words.
    _scored, _length = True, ""

    def __init__(
        self,
        units: tuple[Unit, Unit],
        combat: Combat,
        *,
        rules: Edition,
        rulings: Rulings,
        exact: bool,
    ) -> None:
        self._units, self._rules = units, rules
        self.edition, self.rulings = rules.name, rulings
        weights, below = combat.over(scored=self._scored)
        self.plan = combat.plan
        outcomes = sorted(weights)
        mass = arithmetic(exact=exact).mass.from_terms([weights[each] for each in outcomes], below)
        pools = [
            f"{side} {pool.name}"
            for side, unit in zip(_SIDES, units, strict=True)
            for pool in unit.pools(rules).pools
        ]
        self._law: JointDistribution = JointDistribution((*pools, *_AXES), outcomes, mass)

    @property
    def exact(self) -> bool:
        """Whether probabilities are ``sympy.Rational`` rather than ``float``."""
        return self._law.exact

    @property
    def names(self) -> tuple[str, str]:
        """Names of the first and the second unit."""
        first, second = self._units
        return first.name, second.name

    @cached_property
    def losses(self) -> JointDistribution:
        """Joint distribution of the Health Points that both sides lost: axes ``first`` and ``second``."""
        own, places = len(self._units[0].bodies()), -len(_AXES)
        return transformed(self._law, _SIDES, lambda each: (sum(each[:own]), sum(each[own:places])))

    @property
    def winner(self) -> CategoricalDistribution[str]:
        """Distribution of who has won: first, draw or second."""
        order = ("second", "draw", "first")
        return CategoricalDistribution.of(self._won, lambda sign: order[1 + sign], order[::-1])

    @cached_property
    def _won(self) -> Distribution:
        """Distribution of 1 where the first unit has won, -1 where the second has, else 0."""
        return self._law.marginal("won")

    @property
    def probability_first_wins(self) -> Any:
        """Probability that the first unit wins.

        In one round that is the higher Combat Score, or no more foes; in several, that the second unit is gone or has
        broken, and the first is not.
        """
        return self._won.pmf(1)

    @property
    def probability_second_wins(self) -> Any:
        """Probability that the second unit wins, as of the first."""
        return self._won.pmf(-1)

    def _line(self) -> str:
        kind, won = "exact" if self.exact else "float64", in_fractions(self._won)
        return (
            f"edition {self.edition}, {kind}{self._length and ','}{self._length}: P(first wins) {percent(won.pmf(1))}, "
            f"P(second wins) {percent(won.pmf(-1))}"
        )

    def explain(self) -> Explanation:
        """Step by step: who strikes when and with what chances, or how each round ended; and what comes of it."""
        steps = []
        for side in frightened(self._units):
            unit = self._units[side]
            (step,) = fear_test(unit.discipline, **test_options(unit, self._rules, self.rulings)).steps
            told = f"{unit.name}: {step.text}; who fails has -1 to hit and is hit at +1 in this round"
            steps.append(Step("Fear Test", told, step.modifiers, step.probabilities))
        steps += self._steps()
        if self.plan is not None:
            steps += [Step("Plan", line.strip()) for line in self.plan.lines()]
        heading = f"{' against '.join(self.names)}{self._length and ':'}{self._length} ({self._rules.title})"
        return Explanation(heading, (*steps, rulings_step(self.rulings)))

    def _steps(self) -> Iterator[Step]:
        """Yield what the blows or the rounds come to."""
        raise NotImplementedError

    def _panel_of(self, facts: Mapping[str, object], table: Table, *more: Part) -> Panel:
        from mathhammer.display.panel import Panel
        from mathhammer.distributions.presentation import heat

        first, second = self.names
        lost = heat(self.losses, f"Health Points lost by {first} (first, across) and {second} (second, down)")
        return Panel(
            f"{first} against {second} ({self._rules.title})",
            {"arithmetic": "exact" if self.exact else "float64", **facts},
            [table, *([lost] if lost else []), *more],
            [] if self.plan is None else [f"Plan for {self.plan.objective}:", *self.plan.lines()],
            folded=[(self.rulings.sentence, self.rulings.table())],
        )


class CombatResult(FightResult):
    """The outcome of a round of combat between a first and a second unit.

    Attributes
    ----------
    edition
        The edition whose rules were used.
    rulings
        The option in force for each disputed ruling.
    plan
        Choices of a player who chooses best, in each situation; None where nobody chooses.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> part = t9a.ModelPart("spear", attacks=1, models=2, offensive_skill=3, strength=3)
    >>> side = t9a.Unit(t9a.Target("guards", models=2, defensive_skill=3, resilience=3), part)
    >>> t9a.fight(side, side, exact=True).first_lost.mean()  # two attacks, 1/2 to hit and 1/2 to wound
    1/2
    """

    def __init__(self, *given: Any, stages: Sequence[Stages], **keywords: Any) -> None:
        super().__init__(*given, **keywords)
        self._stages = tuple(stages)

    @cached_property
    def outcome(self) -> JointDistribution:
        """Joint distribution of what every Health Pool lost and of the difference of the Combat Scores.

        What Unstable units lose after the scores are compared is among the losses.
        """
        return self._law.marginal(*self._law.axes[:-3])

    @property
    def first_lost(self) -> Distribution:
        """Distribution of the Health Points that the first unit lost."""
        return self.losses.marginal("first")

    @property
    def second_lost(self) -> Distribution:
        """Distribution of the Health Points that the second unit lost."""
        return self.losses.marginal("second")

    @cached_property
    def difference(self) -> Distribution:
        """Distribution of the Combat Score of the first unit less that of the second."""
        return self._law.marginal("difference")

    @property
    def probability_draw(self) -> Any:
        """Probability that both sides count as winners: of equal Combat Scores, or where nobody is left."""
        return self._won.pmf(0)

    @property
    def probability_first_destroyed(self) -> Any:
        """Probability that the first unit is destroyed, by Unstable losses or before."""
        return self._ends_in(1, 3).pmf(1)

    @property
    def probability_second_destroyed(self) -> Any:
        """Probability that the second unit is destroyed, by Unstable losses or before."""
        return self._ends_in(2, 3).pmf(1)

    def _ends_in(self, *ends: int) -> Distribution:
        """Distribution of whether it ends in one of some ways."""
        return self._law.map(lambda *outcome: int(outcome[-2] in ends))

    def _printed(self) -> Iterator[tuple[str, Any, Any, Any, Any]]:
        """Yield name, mean losses, and chances to win, break and be destroyed of each side, without SymPy."""
        won = in_fractions(self._won)
        for place, (name, side) in enumerate(zip(self.names, _SIDES, strict=True)):
            lost, wins = (
                in_fractions(self.losses.marginal(side)).mean(),
                won.pmf(-1 if place else 1),
            )
            breaks, destroyed = self._ends_in(4 + place), self._ends_in(1 + place, 3)
            yield name, lost, wins, in_fractions(breaks).pmf(1), in_fractions(destroyed).pmf(1)

    @cached_property
    def broken(self) -> JointDistribution:
        """Joint distribution of whether the first and the second unit break: axes ``first`` and ``second``."""
        return transformed(self._law, _SIDES, lambda each: (int(each[-2] == 4), int(each[-2] == 5)))

    @property
    def probability_first_breaks(self) -> Any:
        """Probability that the first unit loses, survives, and fails its Break Test."""
        return self.broken.marginal("first").pmf(1)

    @property
    def probability_second_breaks(self) -> Any:
        """Probability that the second unit loses, survives, and fails its Break Test."""
        return self.broken.marginal("second").pmf(1)

    def _steps(self) -> Iterator[Step]:
        for stages in sorted(self._stages, key=lambda stages: -stages.armed.agility):
            yield from part_steps(stages)
        printed = list(self._printed())
        for place, (name, what) in enumerate(
            (("HP lost", "mean"), ("Wins", "probability"), ("Breaks", "probability"))
        ):
            for unit, *numbers in printed:
                yield Step(name, f"{unit}: {what} {exact_number(numbers[place])}")

    def _pictures(self) -> Pictures:
        from mathhammer.display.panel import NamedBars
        from mathhammer.distributions.presentation import bars, whole_heat

        first, second = self.names
        chances = [float(in_fractions(self.winner).pmf(end)) for end in ("first", "draw", "second")]
        lost = [f"Health Points lost by {who}" for who in self.names]
        return {
            "losses": lambda: whole_heat(self.losses, *lost),
            "winner": lambda: NamedBars("who has the higher Combat Score", (first, "draw", second), chances),
            "difference": lambda: bars(self.difference, f"Combat Score of {first} less that of {second}"),
        }

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Table
        from mathhammer.distributions.presentation import bars

        rows = [[name, number(lost), *map(percent, chances)] for name, lost, *chances in self._printed()]
        header = ["unit", "mean HP lost", "P(wins)", "P(breaks)", "P(destroyed)"]
        first, second = self.names
        score = bars(self.difference, f"Combat Score of {first} less that of {second}")
        return self._panel_of({"P(draw)": in_fractions(self._won).pmf(0)}, Table(header, rows), score)


class RoundsResult(FightResult):
    """Result of several rounds of combat.

    Attributes
    ----------
    rounds
        How many were fought at most.
    edition, rulings
        The edition whose rules were used, and the option in force for each disputed point.
    plan
        Choices of a player who chooses best, in each situation; None where nobody chooses.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> part = t9a.ModelPart("spear", attacks=1, models=2, offensive_skill=3, strength=3)
    >>> side = t9a.Unit(t9a.Target("guards", models=2, defensive_skill=3, resilience=3), part)
    >>> result = t9a.rounds_of_combat(side, side, rounds=1, exact=True)
    >>> result.losses == t9a.fight(side, side, exact=True).losses
    True
    """

    _scored = False

    def __init__(self, *given: Any, rounds: int, **keywords: Any) -> None:
        super().__init__(*given, **keywords)
        self.rounds, self._length = rounds, f" {rounds} rounds"

    @cached_property
    def end(self) -> CategoricalDistribution[str]:
        """Distribution of how it has ended, in the words of ``ENDS``."""
        return self.after(self.rounds)

    def after(self, rounds: int) -> CategoricalDistribution[str]:
        """Return the distribution of how it has ended after so many rounds."""
        validation.whole(rounds, "rounds", 1, self.rounds)
        end = self._law.map(lambda *outcome: outcome[-2] if outcome[-1] <= rounds else 0)
        return CategoricalDistribution.of(end, ENDS.__getitem__, ENDS)

    @cached_property
    def length(self) -> Distribution:
        """Distribution of the number of rounds that were fought."""
        return self._law.marginal("rounds")

    def _steps(self) -> Iterator[Step]:
        for place in range(1, self.rounds + 1):
            after = in_fractions(self.after(place))
            ends = ", ".join(
                f"{end} {exact_number(probability)}" for end, probability in after.items() if probability
            )
            yield Step(f"Round {place}", ends)

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Table

        shown = [in_fractions(self.after(place)) for place in range(1, self.rounds + 1)]
        ends = [end for end in ENDS if shown[-1].pmf(end)]
        rows = [
            [str(place), *(percent(after.pmf(end)) for end in ends)] for place, after in enumerate(shown, 1)
        ]
        means = {
            f"mean HP lost by {name}": in_fractions(self.losses.marginal(side)).mean()
            for name, side in zip(self.names, _SIDES, strict=True)
        }
        facts = {"mean rounds": in_fractions(self.length).mean(), **means}
        return self._panel_of(facts, Table(["after round", *ends], rows))
