"""Results of a round of combat: losses, Combat Score, and who breaks."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, Any

from mathhammer.display import Displayed, exact_number, number, percent
from mathhammer.distributions import CategoricalDistribution, Distribution, JointDistribution, in_fractions
from mathhammer.distributions.chain import extended, transformed
from mathhammer.sequence import Explanation, Reproducible, Step
from mathhammer.systems.t9a.nerve import break_test, fear_test, unstable_losses
from mathhammer.systems.t9a.result import part_steps, rulings_step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.display import Panel, Part, Pictures, Table
    from mathhammer.sequence import RollResult, Rulings, SharedPools
    from mathhammer.systems.t9a.choices import CombatPlan
    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.stages import Stages
    from mathhammer.systems.t9a.units import Unit

State = tuple[int, ...]
#: What a Break Test depends on: which side takes it, by how much it lost, and whether that is ignored.
NO_TEST = (0, 0, 0)
#: Full Ranks from which a unit in the flank counts more, and disrupts ranks.
DEEP = 2


@dataclass(frozen=True)
class Scoring:
    """How the losses of both sides are scored."""

    units: tuple[Unit, Unit]
    pools: tuple[SharedPools, SharedPools]
    rules: Edition
    rulings: Rulings
    exact: bool = field(kw_only=True)
    # Ranks and scores follow from the losses of one side: far fewer of these than of both sides together.
    _scores: dict[tuple[int, State], int] = field(default_factory=dict, kw_only=True, repr=False)
    _taken: dict[State, State] = field(default_factory=dict, kw_only=True, repr=False)
    _tests: dict[State, Distribution] = field(default_factory=dict, kw_only=True, repr=False)

    def axes(self) -> tuple[str, ...]:
        """Names of the coordinates of an outcome."""
        sides = zip(("first", "second"), self.pools, strict=True)
        return (*(f"{side} {pool.name}" for side, pools in sides for pool in pools.pools), "difference")

    def split(self, outcome: State) -> tuple[State, State]:
        """Return what the pools of each side have lost."""
        return outcome[: self._own], outcome[self._own : self.places]

    @cached_property
    def _own(self) -> int:
        return len(self.pools[0].pools)

    @cached_property
    def places(self) -> int:
        """Number of Health Pools of both sides."""
        return sum(len(each.pools) for each in self.pools)

    def gone(self, outcome: State) -> tuple[bool, bool]:
        """Return whether each side is destroyed."""
        lost, enemy_lost = self.split(outcome)
        return lost == self.pools[0].left, enemy_lost == self.pools[1].left

    def ahead_before(self, lost: State) -> int:
        """Return by how much the first side is ahead before the blows, where ranks are counted then."""
        return self._formations_ahead(lost) if self.rules.static_before_blows else 0

    def difference(self, lost: State, ahead: int) -> int:
        """Return by how much the first side won, which is so far ahead by blows and what was counted before them."""
        if not self.rules.static_before_blows:
            ahead += self._formations_ahead(lost)
        gone, enemy_gone = self.gone(lost)
        return ahead + (enemy_gone - gone) * self.rules.destroyed_bonus

    def _formations_ahead(self, lost: State) -> int:
        mine, theirs = self.split(lost)
        return self._formation(0, mine) - self._formation(1, theirs)

    def _formation(self, side: int, lost: State) -> int:
        """Return the Combat Score that is no blow's, of a unit that has lost so much.

        The 9th Age rulebook, 2nd edition, Combat Score (Flank Bonus); 3rd edition, Static Combat Score.
        """
        key = side, lost
        if key not in self._scores:
            unit, score = self.units[side], self._rank_bonus(side, lost)
            if self.rules.each_flank_bonus:
                score += self.rules.each_flank_bonus * (unit.flanks + unit.rear)
            elif unit.behind_the_enemy:
                deep = self.rulings["flank_bonus"] == "by-full-ranks" and self._deep(side, lost)
                score += 1 + deep + (unit.rear > 0 and self.rulings["rear_bonus"] == "one-more")
            self._scores[key] = score + unit.charging + unit.standards + unit.bonus
        return self._scores[key]

    def _ranks(self, side: int, lost: State) -> int | None:
        """Return the Full Ranks that are left, or None if the unit has no rank width."""
        width = self.units[side].rank_width
        return None if width is None else self.pools[side].standing(lost) // width

    def _deep(self, side: int, lost: State) -> bool:
        """Whether a unit has two Full Ranks or more, as one with a Rank Bonus has."""
        ranks = self._ranks(side, lost)
        return ranks >= DEEP if ranks is not None else bool(self.units[side].rank_bonus)

    def _rank_bonus(self, side: int, lost: State) -> int:
        """Return the Rank Bonus: one for each Full Rank after the first, up to a cap.

        The 9th Age rulebook, 2nd edition, Combat Score; 3rd edition, Static Combat Score (Proper Ranks).
        """
        given, ranks = self.units[side].rank_bonus, self._ranks(side, lost)
        if given is None:
            counted = 0 if self.rules.proper_ranks and self.rulings["proper_ranks"] == "all" else 1
            given = 0 if ranks is None else max(0, ranks - counted)
        return min(given, self.rules.rank_bonus_cap)

    def steadfast(self, side: int, outcome: State) -> bool:
        """Return whether a unit has more Full Ranks than its enemy and they are not disrupted, unless that is given.

        The 9th Age rulebook, 2nd edition, Break Test (Steadfast, Disrupted Ranks).
        """
        unit, both = self.units[side], self.split(outcome)
        if unit.steadfast is not None:
            return unit.steadfast
        if self.units[1 - side].behind_the_enemy and self._deep(1 - side, both[1 - side]):
            return False
        ranks = self._ranks(side, both[side])
        return ranks is not None and ranks > (self._ranks(1 - side, both[1 - side]) or 0)

    def lead(self, outcome: State) -> int:
        """Return by how much the first unit won, below 0 by how much it lost; 0 where both count as winners.

        The 9th Age rulebook, 2nd edition, Break Test (No More Foes); 3rd edition, Determine the Winner.
        """
        gone, enemy_gone = self.gone(outcome)
        return enemy_gone - gone if gone or enemy_gone else outcome[self.places]

    def loser(self, outcome: State) -> tuple[int, int]:
        """Return the side that has lost and still stands, and by how much; 0 where there is none."""
        difference = 0 if any(self.gone(outcome)) else outcome[self.places]
        return int(difference > 0), abs(difference)

    def crumbled(self, side: int, outcome: State) -> State:
        """Return the outcome after an Unstable side has lost what its defeat costs.

        The 9th Age rulebook, 2nd edition, Model Rules, Unstable: the characters last, as evenly as possible.
        """
        loser, points = self.loser(outcome)
        if loser != side or not points:
            return outcome
        unit, both = self.units[side], list(self.split(outcome))
        if unit.undead:
            points = unstable_losses(
                points,
                stubborn=unit.stubborn,
                steadfast=self.steadfast(side, outcome),
                rank_bonus=self._rank_bonus(side, both[side]),
                battle_standard=unit.battle_standard,
            )
        total, full = list(both[side]), self.pools[side].left
        first = len(full) - len(unit.characters)
        for place in range(first):
            taken = min(points, full[place] - total[place])
            total[place] += taken
            points -= taken
        while points and total[first:] != list(full[first:]):
            for place in range(first, len(full)):
                if points and total[place] < full[place]:
                    total[place] += 1
                    points -= 1
        both[side] = tuple(total)
        return (*both[0], *both[1], *outcome[self.places :])

    def break_test(self, outcome: State) -> State:
        """Return what the Break Test depends on that one side takes: which, by how much it lost, if that is ignored."""
        scored = outcome[: self.places + 1]
        if scored not in self._taken:
            side, by = self.loser(scored)
            unit, test = self.units[side], NO_TEST
            if by and (unit.supernal or not unit.crumbles):
                # In the 3rd edition, Steady and Solid stand in the place of Steadfast.
                ignored = self.rules.steady_penalty is None and self.steadfast(side, scored)
                test = side, by, int(unit.stubborn or ignored)
            self._taken[scored] = test
        return self._taken[scored]

    def failed(self, test: State) -> Distribution:
        """Distribution of whether a Break Test is failed; none is failed that is not taken."""
        if test not in self._tests:
            side, by, ignored = test
            unit, enemy = self.units[side], self.units[1 - side]
            options = self._options(unit)
            options["modifier"] -= unit.fears(enemy)
            options |= {name: getattr(unit, name) for name in ("steady", "solid", "unbreakable")}
            if test == NO_TEST:
                self._tests[test] = Distribution.from_weights({0: 1}, exact=self.exact)
            else:
                result = break_test(unit.discipline, by, steadfast=bool(ignored), **options)
                self._tests[test] = self._failed_in(result)
        return self._tests[test]

    def _options(self, unit: Unit) -> dict[str, Any]:
        """Return how a unit takes Discipline Tests."""
        test = {**unit.test, "reroll": unit.test["reroll"] or unit.battle_standard}
        return {**test, "edition": self.rules.name, "rulings": self.rulings, "exact": True}

    @cached_property
    def frightened(self) -> tuple[int, ...]:
        """The sides that take a Fear Test: those of which it is not said whether they failed it."""
        pairs = enumerate(zip(self.units, self.units[::-1], strict=True))
        return tuple(side for side, (unit, enemy) in pairs if unit.afraid is None and unit.fears(enemy))

    def fear_step(self, side: int) -> Step:
        """Return the Fear Test of a side in words."""
        unit = self.units[side]
        (step,) = fear_test(unit.discipline, **self._options(unit)).steps
        told = f"{unit.name}: {step.text}; who fails has -1 to hit and is hit at +1 in this round"
        return Step("Fear Test", told, step.modifiers, step.probabilities)

    def fear_test(self, side: int, _: State) -> Distribution:
        """Distribution of whether a side fails its Fear Test, whatever the state."""
        if (side,) not in self._tests:
            unit = self.units[side]
            self._tests[side,] = self._failed_in(fear_test(unit.discipline, **self._options(unit)))
        return self._tests[side,]

    def _failed_in(self, result: RollResult) -> Distribution:
        chances = {0: result.passed, 1: result.failed}
        common = lcm(*(int(chance.denominator) for chance in chances.values()))
        return Distribution.from_weights(
            {k: int(each * common) for k, each in chances.items()}, exact=self.exact
        )

    def ended(self, scored: JointDistribution) -> JointDistribution:
        """Joint distribution after the Break Test, and which side breaks: 1 the first, 2 the second, 0 none."""

        def after(each: State) -> State:
            *outcome, failed = each
            side = self.break_test(each)[0]
            found, breaks = tuple(outcome), failed and side + 1
            for place, unit in enumerate(self.units):
                if unit.crumbles and (failed or not unit.supernal):
                    found = self.crumbled(place, found)
                if unit.crumbles and side == place:
                    breaks = 0
            return (*found, breaks)

        tested = extended(scored, "breaks", lambda each: self.failed(self.break_test(each)))
        return transformed(tested, tested.axes, after)


class FightResult(Displayed, Reproducible):
    """Result of one or more rounds of combat between a first and a second unit."""

    def __init__(self, scoring: Scoring, plan: CombatPlan | None) -> None:
        self._scoring = scoring
        self.edition = scoring.rules.name
        self.rulings = scoring.rulings
        self.plan = plan

    @property
    def _outcome(self) -> JointDistribution:
        """Joint distribution whose first coordinates are what every pool lost in the end."""
        raise NotImplementedError

    @property
    def exact(self) -> bool:
        """Whether probabilities are ``sympy.Rational`` rather than ``float``."""
        return self._scoring.exact

    @property
    def names(self) -> tuple[str, str]:
        """Names of the first and the second unit."""
        first, second = self._scoring.units
        return first.name, second.name

    @cached_property
    def losses(self) -> JointDistribution:
        """Joint distribution of the Health Points that both sides lost: axes ``first`` and ``second``."""

        def totals(outcome: State) -> State:
            lost, enemy_lost = self._scoring.split(outcome)
            return sum(lost), sum(enemy_lost)

        return transformed(self._outcome, ("first", "second"), totals)

    def _opening_steps(self) -> Iterator[Step]:
        yield from map(self._scoring.fear_step, self._scoring.frightened)

    def _closing_steps(self) -> Iterator[Step]:
        if self.plan is not None:
            yield from (Step("Plan", line.strip()) for line in self.plan.lines())
        yield rulings_step(self.rulings)

    def _panel_of(self, facts: Mapping[str, object], table: Table, *more: Part) -> Panel:
        from mathhammer.display import Panel
        from mathhammer.distributions.presentation import heat

        first, second = self.names
        lost = heat(self.losses, f"Health Points lost by {first} (first, across) and {second} (second, down)")
        return Panel(
            f"{first} against {second} ({self._scoring.rules.title})",
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

    def __init__(
        self,
        scoring: Scoring,
        outcome: JointDistribution,
        stages: Sequence[Stages],
        plan: CombatPlan | None = None,
    ) -> None:
        super().__init__(scoring, plan)
        self._scored = outcome
        self._stages = tuple(stages)

    @cached_property
    def _ended(self) -> JointDistribution:
        return self._scoring.ended(self._scored)

    @cached_property
    def outcome(self) -> JointDistribution:
        """Joint distribution of what every Health Pool lost and of the difference of the Combat Scores.

        What Unstable units lose after the scores are compared is among the losses.
        """
        return transformed(self._ended, self._scored.axes, lambda each: each[:-1])

    @property
    def _outcome(self) -> JointDistribution:
        return self.outcome

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
        return self._scored.marginal("difference")

    @cached_property
    def _lead(self) -> Distribution:
        """Distribution of by how much the first unit won: of the scores, or 1 where no enemy is left."""
        return self._scored.map(lambda *outcome: self._scoring.lead(outcome))

    @property
    def probability_first_wins(self) -> Any:
        """Probability that the first unit has the higher Combat Score, or has no more foes."""
        return self._lead.at_least(1)

    @property
    def probability_second_wins(self) -> Any:
        """Probability that the second unit has the higher Combat Score, or has no more foes."""
        return self._lead.cdf(-1)

    @property
    def probability_draw(self) -> Any:
        """Probability that both sides count as winners: of equal Combat Scores, or where nobody is left."""
        return self._lead.pmf(0)

    @property
    def probability_first_destroyed(self) -> Any:
        """Probability that the first unit is destroyed, by Unstable losses or before."""
        return self._destroyed(0).pmf(1)

    @property
    def probability_second_destroyed(self) -> Any:
        """Probability that the second unit is destroyed, by Unstable losses or before."""
        return self._destroyed(1).pmf(1)

    def _destroyed(self, side: int) -> Distribution:
        """Distribution of whether a side is destroyed."""
        return self.outcome.map(lambda *outcome: int(self._scoring.gone(outcome)[side]))

    def _printed(self, side: str) -> tuple[Any, Any, Any, Any]:
        """Return mean losses of a side, and its chances to win, break and be destroyed, without SymPy."""
        lost, lead = in_fractions(self.losses.marginal(side)).mean(), in_fractions(self._lead)
        wins = lead.at_least(1) if side == "first" else lead.cdf(-1)
        breaks, destroyed = self.broken.marginal(side), self._destroyed(int(side == "second"))
        return lost, wins, in_fractions(breaks).pmf(1), in_fractions(destroyed).pmf(1)

    @cached_property
    def broken(self) -> JointDistribution:
        """Joint distribution of whether the first and the second unit break: axes ``first`` and ``second``."""
        return transformed(self._ended, ("first", "second"), lambda each: (int(each[-1] == 1), each[-1] // 2))

    @property
    def probability_first_breaks(self) -> Any:
        """Probability that the first unit loses, survives, and fails its Break Test."""
        return self.broken.marginal("first").pmf(1)

    @property
    def probability_second_breaks(self) -> Any:
        """Probability that the second unit loses, survives, and fails its Break Test."""
        return self.broken.marginal("second").pmf(1)

    def explain(self) -> Explanation:
        """Step by step: who strikes when, with what chances, and what comes of it."""
        order = sorted(self._stages, key=lambda stages: -stages.armed.agility)
        steps = [step for stages in order for step in part_steps(stages)]
        heading = f"{' against '.join(self.names)} ({self._scoring.rules.title})"
        return Explanation(heading, (*self._opening_steps(), *steps, *self._result_steps()))

    def _result_steps(self) -> Iterator[Step]:
        names = dict(zip(("first", "second"), self.names, strict=True))
        for side, name in names.items():
            yield Step("HP lost", f"{name}: mean {exact_number(self._printed(side)[0])}")
        for side, name in names.items():
            yield Step("Wins", f"{name}: probability {exact_number(self._printed(side)[1])}")
        for side, name in names.items():
            yield Step("Breaks", f"{name}: probability {exact_number(self._printed(side)[2])}")
        yield from self._closing_steps()

    @cached_property
    def winner(self) -> CategoricalDistribution[str]:
        """Distribution of who has won: first, draw or second."""
        order = ("first", "draw", "second")
        return CategoricalDistribution.of(
            self._lead, lambda ahead: order[1 - (ahead > 0) + (ahead < 0)], order
        )

    def _pictures(self) -> Pictures:
        from mathhammer.display import NamedBars
        from mathhammer.distributions.presentation import bars, whole_heat

        first, second = self.names
        chances = [float(in_fractions(self.winner).pmf(end)) for end in ("first", "draw", "second")]
        lost = [f"Health Points lost by {who}" for who in self.names]
        return {
            "losses": lambda: whole_heat(self.losses, *lost),
            "winner": lambda: NamedBars("who has the higher Combat Score", (first, "draw", second), chances),
            "difference": lambda: bars(self.difference, f"Combat Score of {first} less that of {second}"),
        }

    def _line(self) -> str:
        kind = "exact" if self.exact else "float64"
        return (
            f"edition {self.edition}, {kind}: P(first wins) {percent(self._printed('first')[1])}, "
            f"P(second wins) {percent(self._printed('second')[1])}"
        )

    def _panel(self) -> Panel:
        from mathhammer.display import Table
        from mathhammer.distributions.presentation import bars

        rows = []
        for name, side in zip(self.names, ("first", "second"), strict=True):
            lost, *chances = self._printed(side)
            rows.append([name, number(lost), *map(percent, chances)])
        header = ["unit", "mean HP lost", "P(wins)", "P(breaks)", "P(destroyed)"]
        first, second = self.names
        score = bars(self.difference, f"Combat Score of {first} less that of {second}")
        return self._panel_of({"P(draw)": in_fractions(self._lead).pmf(0)}, Table(header, rows), score)
