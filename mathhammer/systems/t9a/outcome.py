"""What a round of combat came to: losses, Combat Score, and who breaks."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal

from mathhammer.arithmetic import P
from mathhammer.display import Displayed, exact_number, number, percent
from mathhammer.distributions import CategoricalDistribution, Distribution, JointDistribution
from mathhammer.distributions.chain import extended, transformed
from mathhammer.sequence import Explanation, Reproducible, Step
from mathhammer.systems.t9a.explanation import part_steps, rulings_step
from mathhammer.systems.t9a.nerve import break_test, unstable_losses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from mathhammer.display import Panel
    from mathhammer.sequence import Rulings, SharedPools
    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.stages import Stages
    from mathhammer.systems.t9a.units import Unit

__all__ = ["CombatResult", "Scoring"]

State = tuple[int, ...]


@dataclass(frozen=True)
class Scoring:
    """How the losses of both sides are scored."""

    first: Unit
    second: Unit
    first_pools: SharedPools
    second_pools: SharedPools
    rules: Edition
    rulings: Rulings
    exact: bool = field(kw_only=True)
    # Full Ranks follow from the losses of one side: far fewer of these than of both sides together.
    _ranks: dict[tuple[bool, State], int | None] = field(default_factory=dict, kw_only=True, repr=False)

    def full_ranks(self, unit: Unit, lost: State) -> int | None:
        """Return the Full Ranks that a unit has left."""
        key = unit is self.first, lost
        if key not in self._ranks:
            self._ranks[key] = unit.full_ranks(self.first_pools if key[0] else self.second_pools, lost)
        return self._ranks[key]

    def axes(self) -> tuple[str, ...]:
        """Names of the coordinates of an outcome."""
        sides = (("first", self.first_pools), ("second", self.second_pools))
        return (*(f"{side} {pool.name}" for side, pools in sides for pool in pools.pools), "difference")

    def split(self, outcome: State) -> tuple[State, State]:
        """Return what the pools of each side have lost."""
        one, two = len(self.first_pools.pools), len(self.second_pools.pools)
        return outcome[:one], outcome[one : one + two]

    def scored(self, state: State) -> State:
        """Return the losses of both sides, and by how much the first one won."""
        one = len(self.first_pools.pools)
        lost, beyond = state[:one], state[one]
        enemy_lost, enemy_beyond = state[one + 1 : -1], state[-1]
        mine = self._score(self.first, lost, self.second_pools, enemy_lost) + enemy_beyond
        theirs = self._score(self.second, enemy_lost, self.first_pools, lost) + beyond
        return (*lost, *enemy_lost, mine - theirs)

    def _score(self, unit: Unit, lost: State, enemy: SharedPools, enemy_lost: State) -> int:
        counted = (0,) * len(lost) if self.rules.static_before_blows else lost
        ranks = unit.ranks_score(self.full_ranks(unit, counted), self.rules)
        destroyed = self.rules.destroyed_bonus if _gone(enemy, enemy_lost) else 0
        return sum(enemy_lost) + unit.static_score(self.rules) + ranks + destroyed

    def steadfast(self, unit: Unit, outcome: State) -> bool:
        """Return whether a unit has more Full Ranks than its enemy, unless it was told."""
        if unit.steadfast is not None:
            return unit.steadfast
        lost, enemy_lost = self.split(outcome)
        ranks = self.full_ranks(self.first, lost)
        enemy_ranks = self.full_ranks(self.second, enemy_lost)
        if unit is self.second:
            ranks, enemy_ranks = enemy_ranks, ranks
        return ranks is not None and ranks > (enemy_ranks or 0)

    def losses_of_unstable(self, outcome: State) -> State:
        """Return the outcome after an Unstable loser has crumbled."""
        (lost, enemy_lost), difference = self.split(outcome), outcome[-1]
        if difference < 0 and self.first.unstable:
            lost = self._crumbled(self.first, self.first_pools, lost, outcome)
        if difference > 0 and self.second.unstable:
            enemy_lost = self._crumbled(self.second, self.second_pools, enemy_lost, outcome)
        return (*lost, *enemy_lost, difference)

    def _crumbled(self, unit: Unit, pools: SharedPools, lost: State, outcome: State) -> State:
        losses = abs(outcome[-1])
        if unit.undead:
            losses = unstable_losses(
                losses,
                stubborn=unit.stubborn,
                steadfast=self.steadfast(unit, outcome),
                rank_bonus=unit.ranks_score(self.full_ranks(unit, lost), self.rules),
                battle_standard=unit.standards > 0,
            )
        return pools.after(lost, (losses, *(0 for _ in lost[1:])))

    def break_test_of(self, side: int, outcome: State) -> tuple[int, bool] | None:
        """Return what a side's Break Test depends on: by how much it lost, and whether that is ignored.

        None where it takes none: it did not lose, it is destroyed, or it is Unstable.
        """
        unit = (self.first, self.second)[side]
        pools = (self.first_pools, self.second_pools)[side]
        one, both = len(self.first_pools.pools), len(self.first_pools.pools) + len(self.second_pools.pools)
        by = outcome[both] if side else -outcome[both]
        lost = outcome[one:both] if side else outcome[:one]
        if by <= 0 or unit.unstable or _gone(pools, lost):
            return None
        if unit.stubborn:
            return by, True
        # In the 3rd edition, Steady and Solid stand in the place of Steadfast.
        return by, self.rules.steady_penalty is None and self.steadfast(unit, outcome)

    def break_chances(self, side: int, by: int, *, ignored: bool) -> tuple[Any, Any]:
        """Return the probabilities that a side holds and that it breaks."""
        unit = (self.first, self.second)[side]
        result = break_test(
            unit.discipline,
            by,
            steadfast=ignored,
            steady=unit.steady,
            solid=unit.solid,
            edition=self.rules.name,
            rulings=self.rulings,
            exact=self.exact,
            **unit.test,
        )
        return result.probability_success, result.probability_failure


class CombatResult(Displayed, Reproducible, Generic[P]):
    """The outcome of a round of combat between a first and a second unit.

    Attributes
    ----------
    edition
        The edition whose rules were used.
    rulings
        The option in force for each disputed ruling.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> part = t9a.ModelPart("spear", attacks=1, models=2, offensive_skill=3, strength=3)
    >>> side = t9a.Unit(t9a.Target("guards", models=2, defensive_skill=3, resilience=3), part)
    >>> t9a.fight(side, side, exact=True).first_lost.mean()  # two attacks, 1/2 to hit and 1/2 to wound
    1/2
    """

    def __init__(self, scoring: Scoring, outcome: JointDistribution[P], stages: Sequence[Stages]) -> None:
        self._scoring = scoring
        self._scored = outcome
        self._stages = tuple(stages)
        self.edition = scoring.rules.name
        self.rulings = scoring.rulings

    @property
    def exact(self) -> bool:
        """Whether probabilities are ``sympy.Rational`` rather than ``float``."""
        return self._scored.exact

    @cached_property
    def outcome(self) -> JointDistribution[P]:
        """Joint law of what every Health Pool lost and of the difference of the Combat Scores.

        What Unstable units lose after the scores are compared is among the losses.
        """
        scoring = self._scoring
        if not scoring.first.unstable and not scoring.second.unstable:
            return self._scored
        return transformed(self._scored, self._scored.axes, scoring.losses_of_unstable)

    @cached_property
    def losses(self) -> JointDistribution[P]:
        """Joint law of the Health Points that both sides lost: axes ``first`` and ``second``."""

        def totals(outcome: State) -> State:
            lost, enemy_lost = self._scoring.split(outcome)
            return sum(lost), sum(enemy_lost)

        return transformed(self.outcome, ("first", "second"), totals)

    @property
    def first_lost(self) -> Distribution[P]:
        """Law of the Health Points that the first unit lost."""
        return self.losses.marginal("first")

    @property
    def second_lost(self) -> Distribution[P]:
        """Law of the Health Points that the second unit lost."""
        return self.losses.marginal("second")

    @cached_property
    def difference(self) -> Distribution[P]:
        """Law of the Combat Score of the first unit less that of the second."""
        return self._scored.marginal("difference")

    @property
    def probability_first_wins(self) -> P:
        """Probability that the first unit has the higher Combat Score."""
        return self.difference.at_least(1)

    @property
    def probability_second_wins(self) -> P:
        """Probability that the second unit has the higher Combat Score."""
        return self.difference.cdf(-1)

    @property
    def probability_draw(self) -> P:
        """Probability of equal Combat Scores: both sides count as winners."""
        return self.difference.pmf(0)

    @property
    def probability_first_destroyed(self) -> P:
        """Probability that the first unit is destroyed, by Unstable losses or before."""
        return self._gone(0)

    @property
    def probability_second_destroyed(self) -> P:
        """Probability that the second unit is destroyed, by Unstable losses or before."""
        return self._gone(1)

    def _gone(self, side: int) -> P:
        pools = (self._scoring.first_pools, self._scoring.second_pools)[side]
        return self.outcome.map(lambda *outcome: int(_gone(pools, self._scoring.split(outcome)[side]))).pmf(1)

    @cached_property
    def broken(self) -> JointDistribution[P]:
        """Joint law of whether the first and the second unit break: axes ``first`` and ``second``."""
        scoring, known = self._scoring, dict[tuple[int, int], Distribution[P]]()
        none = Distribution.from_weights({0: 1}, exact=self.exact)

        def tested(outcome: State) -> State:
            """Return what the Break Test depends on; one side at most takes one."""
            difference = outcome[-1]
            test = scoring.break_test_of(int(difference > 0), outcome) if difference else None
            return (0, 0) if test is None else (difference, int(test[1]))

        def breaks(test: State, loser: int) -> Distribution[P]:
            difference, ignored = test[:2]
            if not difference or (difference > 0) != bool(loser):
                return none  # type: ignore[return-value]
            if (difference, ignored) not in known:
                held, broken = scoring.break_chances(loser, abs(difference), ignored=bool(ignored))
                known[difference, ignored] = Distribution({0: held, 1: broken})
            return known[difference, ignored]

        both = transformed(self._scored, ("difference", "ignored"), tested)
        both = extended(both, "first broken", lambda test: breaks(test, 0))
        both = extended(both, "second broken", lambda test: breaks(test, 1))
        return transformed(both, ("first", "second"), lambda outcome: outcome[-2:])

    @property
    def probability_first_breaks(self) -> P:
        """Probability that the first unit loses, survives, and fails its Break Test."""
        return self.broken.marginal("first").pmf(1)

    @property
    def probability_second_breaks(self) -> P:
        """Probability that the second unit loses, survives, and fails its Break Test."""
        return self.broken.marginal("second").pmf(1)

    def explain(self) -> Explanation:
        """Step by step: who strikes when, with what chances, and what comes of it."""
        order = sorted(self._stages, key=lambda stages: -stages.armed.agility)
        steps = [step for stages in order for step in part_steps(stages)]
        heading = (
            f"{self._scoring.first.name} against {self._scoring.second.name} ({self._scoring.rules.title})"
        )
        return Explanation(heading, (*steps, *self._result_steps()))

    def _result_steps(self) -> Iterator[Step]:
        names = {"first": self._scoring.first.name, "second": self._scoring.second.name}
        for side, name in names.items():
            lost = self.losses.marginal(side).mean()
            yield Step("HP lost", f"{name}: mean {exact_number(lost)}")
        for side, name in names.items():
            wins = getattr(self, f"probability_{side}_wins")
            yield Step("Wins", f"{name}: probability {exact_number(wins)}")
        for side, name in names.items():
            breaks = getattr(self, f"probability_{side}_breaks")
            yield Step("Breaks", f"{name}: probability {exact_number(breaks)}")
        yield rulings_step(self.rulings)

    @cached_property
    def winner(self) -> CategoricalDistribution[str, P]:
        """Law of who has the higher Combat Score: first, draw or second."""
        order = ("first", "draw", "second")
        return CategoricalDistribution.of(
            self.difference, lambda ahead: order[1 - (ahead > 0) + (ahead < 0)], order
        )

    def plot(
        self,
        kind: Literal["losses", "winner", "difference"] = "losses",
        *,
        ax: Axes | None = None,
        title: str | None = None,
        **artist: Any,
    ) -> Axes:
        """Draw the fight and return the Axes: see :func:`mathhammer.plot.combat`."""
        from mathhammer import plot

        return plot.combat(self, kind, ax=ax, title=title, **artist)

    @property
    def names(self) -> tuple[str, str]:
        """Names of the first and the second unit."""
        return self._scoring.first.name, self._scoring.second.name

    def _line(self) -> str:
        kind = "exact" if self.exact else "float64"
        return (
            f"edition {self.edition}, {kind}: P(first wins) {percent(self.probability_first_wins)}, "  # type: ignore[arg-type]
            f"P(second wins) {percent(self.probability_second_wins)}"  # type: ignore[arg-type]
        )

    def _panel(self) -> Panel:
        from mathhammer.display import Panel, Table
        from mathhammer.distributions.presentation import bars, heat

        rows = [
            [
                name,
                number(self.losses.marginal(side).mean()),  # type: ignore[arg-type]
                *(
                    percent(getattr(self, f"probability_{side}_{what}"))
                    for what in ("wins", "breaks", "destroyed")
                ),
            ]
            for name, side in zip(self.names, ("first", "second"), strict=True)
        ]
        header = ["unit", "mean HP lost", "P(wins)", "P(breaks)", "P(destroyed)"]
        first, second = self.names
        lost = heat(self.losses, f"Health Points lost by {first} (first, across) and {second} (second, down)")
        score = bars(self.difference, f"Combat Score of {first} less that of {second}")
        heading = f"{' against '.join(self.names)} ({self._scoring.rules.title})"
        facts = {"arithmetic": "exact" if self.exact else "float64"}
        facts["P(draw)"] = percent(self.probability_draw)  # type: ignore[arg-type]
        return Panel(
            heading,
            facts,
            [Table(header, rows), *([lost] if lost else []), score],
            folded=[(self.rulings.sentence, self.rulings.table())],
        )


def _gone(pools: SharedPools, lost: State) -> bool:
    return lost == pools.left
