"""Fight a round of combat, or rounds until one side is gone or breaks: losses, scores, who wins and who breaks."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cache, cached_property
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import exact_number, number, percent
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.kernel import together
from mathhammer.errors import MathhammerError
from mathhammer.fields.kinds import Boolean, Checked, Integer, OneOf
from mathhammer.sequence.call import Reproducible
from mathhammer.sequence.explanation import Explanation, Step
from mathhammer.systems.asked import ResultT, asked
from mathhammer.systems.t9a.attack import part_steps
from mathhammer.systems.t9a.attributes import not_computed
from mathhammer.systems.t9a.choices import OBJECTIVES, PLAYERS, Combat, Objective, Players
from mathhammer.systems.t9a.combat_round import ENDS, Ended, Round
from mathhammer.systems.t9a.rolls import fear_test, flee, pursuit
from mathhammer.systems.t9a.situation import Ruled
from mathhammer.systems.t9a.units import Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mathhammer.display.panel import Panel, Part, Pictures
    from mathhammer.distributions import CategoricalDistribution, Distribution, JointDistribution

MOST_ROUNDS = 12


def _unit(given: Unit) -> Unit:
    return validation.instance(given, Unit, "two Units to fight", "t9a.Unit(target, parts)")


_SIDES = ("first", "second")
_DESTROYED = "Probability that the {} unit is destroyed, by Unstable losses or before."
_BREAKS = "Probability that the {} unit loses, survives, and fails its Break Test."
_LOST = "Distribution of the Health Points that the {} unit lost."


def _chance(words: str, holds: Callable[[Ended], bool]) -> Any:
    """Return the probability of what holds of the end."""
    return property(lambda result: result._ends.probability(holds), doc=words)  # noqa: SLF001 - of this file


class FightResult(Displayed, Reproducible):
    """Result of one or more rounds of combat between a first and a second unit."""

    names: tuple[str, str]
    """Names of the first and the second unit."""
    #: How many rounds there were, in words.
    _length = ""

    def __init__(self, combat: Combat, *, exact: bool) -> None:
        begun = combat.rounds[0]
        self._units, self._frightened, self._rules = begun.units, begun.frightened, begun.rules
        self.edition, self.rulings, self.rounds = begun.rules.name, begun.rulings, len(combat.rounds)
        self._stages = [stages[0] for side in begun.sides for stages in side.stages]
        sides = zip(_SIDES, begun.sides, strict=True)
        self._pools = [f"{name} {pool.name}" for name, side in sides for pool in side.pools.pools]
        ends = combat.over()
        #: Distribution of the number of rounds and of how it ended.
        self._ends, self.plan = ends if exact else ends.to_floats(), combat.plan
        self.names = begun.units[0].name, begun.units[1].name
        self._length = self._length.format(self.rounds)

    def _in_fractions(self) -> Self:
        other = copy(self)
        other.__dict__.pop("losses", None)
        other._ends = in_fractions(self._ends)  # noqa: SLF001 - of this class
        return other

    @property
    def exact(self) -> bool:
        """True if the probabilities are ``sympy.Rational``, False if ``float``."""
        return self._ends.exact

    @cached_property
    def losses(self) -> JointDistribution:
        """Joint distribution of the Health Points that both sides lost: axes ``first`` and ``second``."""
        total = cache(sum)  # there are few losses of one side
        return self._ends.joint(_SIDES, lambda each: (total(each.lost[0]), total(each.lost[1])))

    @property
    def winner(self) -> CategoricalDistribution[str]:
        """Distribution of who has won: first, draw or second."""
        names = ("draw", *_SIDES)
        return self._ends.map(lambda each: names[each.won], ("first", "draw", "second"))

    probability_first_wins = _chance(
        """Probability that the first unit wins.

        In one round that is the higher Combat Score, or no more foes; in several, that the second unit is gone or has
        broken, and the first is not.
        """,
        lambda ended: ended.won == 1,
    )
    probability_second_wins = _chance(
        "Probability that the second unit wins, as of the first.", lambda ended: ended.won == -1
    )

    def _line(self) -> str:
        kind, printed = "exact" if self.exact else "float64", in_fractions(self)
        return (
            f"edition {self.edition}, {kind}{self._length and ','}{self._length}: "
            f"P(first wins) {percent(printed.probability_first_wins)}, "
            f"P(second wins) {percent(printed.probability_second_wins)}"
        )

    def explain(self) -> Explanation:
        """Step by step: who strikes when and with what chances, or how each round ended; and what comes of it."""
        steps = []
        for unit in (self._units[side] for side in self._frightened):
            (step,) = fear_test(unit.discipline, **unit.test(self._rules, self.rulings)).steps
            told = f"{unit.name}: {step.text}; who fails has -1 to hit and is hit at +1 in this round"
            steps.append(replace(step, name="Fear Test", text=told))
        steps += self._steps()
        if self.plan is not None:
            steps += [Step("Plan", line.strip()) for line in self.plan.lines()]
        heading = f"{' against '.join(self.names)}{self._length and ':'}{self._length} ({self._rules.title})"
        return Explanation(heading, (*steps, self.rulings.step()))

    def _steps(self) -> Iterator[Step]:
        """Yield what the blows or the rounds come to."""
        raise NotImplementedError

    def _panel_of(self, facts: Mapping[str, object], header: list[str], rows: Any, *more: Part) -> Panel:
        from mathhammer.display.panel import Panel, TablePart
        from mathhammer.distributions.presentation import heat

        first, second = self.names
        printed = ((unit.target, *unit.characters, *unit.all_parts) for unit in self._units)
        unread = not_computed(*chain(*printed))
        lost = heat(self.losses, f"Health Points lost by {first} (first, across) and {second} (second, down)")
        return Panel(
            f"{first} against {second} ({self._rules.title})",
            {"arithmetic": "exact" if self.exact else "float64", **facts, **unread},
            [TablePart(header, rows), *([lost] if lost else []), *more],
            [] if self.plan is None else [f"Plan for {self.plan.objective}:", *self.plan.lines()],
            folded=[(self.rulings.sentence, self.rulings.table())],
        )


class CombatResult(FightResult):
    """The outcome of a round of combat between a first and a second unit.

    Its ``plan`` is what a player who chooses best does in each situation; None where nobody chooses.
    """

    @property
    def outcome(self) -> JointDistribution:
        """Joint distribution of what every Health Pool lost and of the difference of the Combat Scores.

        What Unstable units lose after the scores are compared is among the losses.
        """
        return self._ends.joint(
            (*self._pools, "difference"), lambda each: (*chain(*each.lost), each.difference)
        )

    first_lost = property(lambda result: result.losses.marginal("first"), doc=_LOST.format("first"))
    second_lost = property(lambda result: result.losses.marginal("second"), doc=_LOST.format("second"))

    @property
    def difference(self) -> Distribution:
        """Distribution of the Combat Score of the first unit less that of the second."""
        return self._ends.number(attrgetter("difference"))

    @property
    def broken(self) -> JointDistribution:
        """Joint distribution of whether the first and the second unit break: axes ``first`` and ``second``."""
        return self._ends.joint(_SIDES, lambda each: (int(each.end == 4), int(each.end == 5)))

    probability_draw = _chance(
        "Probability that both sides count as winners: of equal Combat Scores, or where nobody is left.",
        lambda ended: not ended.won,
    )
    probability_first_destroyed = _chance(_DESTROYED.format("first"), lambda ended: ended.end in {1, 3})
    probability_second_destroyed = _chance(_DESTROYED.format("second"), lambda ended: ended.end in {2, 3})
    probability_first_breaks = _chance(_BREAKS.format("first"), lambda ended: ended.end == 4)
    probability_second_breaks = _chance(_BREAKS.format("second"), lambda ended: ended.end == 5)

    def _printed(self) -> Iterator[list[Any]]:
        """Yield name, mean losses, and chances to win, break and be destroyed of each side, without SymPy."""
        printed: Any = in_fractions(self)
        for name, side in zip(self.names, _SIDES, strict=True):
            chances = (f"probability_{side}_{what}" for what in ("wins", "breaks", "destroyed"))
            mean = getattr(printed, f"{side}_lost").mean()
            yield [name, mean, *(getattr(printed, each) for each in chances)]

    def _steps(self) -> Iterator[Step]:
        for stages in sorted(self._stages, key=lambda stages: -stages.armed.agility):
            yield from part_steps(stages)
        rows = list(self._printed())
        for place, name in enumerate(("HP lost", "Wins", "Breaks"), 1):
            what = "mean" if place == 1 else "probability"
            yield from (Step(name, f"{row[0]}: {what} {exact_number(row[place])}") for row in rows)

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
        rows = [[name, number(lost), *map(percent, chances)] for name, lost, *chances in self._printed()]
        header = ["unit", "mean HP lost", "P(wins)", "P(breaks)", "P(destroyed)"]
        facts = {"P(draw)": in_fractions(self).probability_draw}
        return self._panel_of(facts, header, rows, self._pictures()["difference"]())  # type: ignore[arg-type]


class RoundsResult(FightResult):
    """Result of several rounds of combat: ``rounds`` at most; its ``plan`` is that of a `CombatResult`."""

    _length = " {} rounds"

    @property
    def end(self) -> CategoricalDistribution[str]:
        """Distribution of how it has ended, in the words of ``ENDS``."""
        return self.after(self.rounds)

    def after(self, rounds: int) -> CategoricalDistribution[str]:
        """Return the distribution of how it has ended after so many rounds."""
        validation.whole(rounds, "rounds", 1, self.rounds)
        return self._ends.map(lambda each: ENDS[each.end if each.rounds <= rounds else 0], ENDS)

    @property
    def length(self) -> Distribution:
        """Distribution of the number of rounds that were fought."""
        return self._ends.number(attrgetter("rounds"))

    def _each_round(self) -> list[CategoricalDistribution[str]]:
        printed = in_fractions(self)
        return [printed.after(place) for place in range(1, self.rounds + 1)]

    def _steps(self) -> Iterator[Step]:
        for place, after in enumerate(self._each_round(), 1):
            ends = (f"{end} {exact_number(chance)}" for end, chance in after.items() if chance)
            yield Step(f"Round {place}", ", ".join(ends))

    def _panel(self) -> Panel:
        shown, printed = self._each_round(), in_fractions(self)
        ends = [end for end in ENDS if shown[-1].pmf(end)]
        rows = [[str(place), *(percent(after.pmf(e)) for e in ends)] for place, after in enumerate(shown, 1)]
        facts = {"mean rounds": printed.length.mean()}
        for name, side in zip(self.names, _SIDES, strict=True):
            facts[f"mean HP lost by {name}"] = printed.losses.marginal(side).mean()
        return self._panel_of(facts, ["after round", *ends], rows)


class _Fought(Ruled[ResultT]):
    """What is asked of two units that fight."""

    first: Checked[Unit, Unit] = Checked(_unit, "The one side.", kw_only=False)
    second: Checked[Unit, Unit] = Checked(_unit, "The other side.", kw_only=False)
    best: OneOf[Players] = OneOf(
        'Who makes the best choices: ``"first"``, ``"second"`` or ``"both"`` against each other. They choose one '
        "of the unit's `alternatives` at the start of a round, and in each initiative step, with all before it in "
        "view, where the attacks go of parts with several `at`, split in any way, and whether a Breath Attack is made. "
        "Others take the first of their alternatives, strike at the first of `at` that stands, and use a Breath Attack "
        "at once. Of two players the Active Player chooses first: the one that charged, or the first; after a round "
        "the other one, and so on by turns.",
        *PLAYERS,
        default=None,
    )
    objective: OneOf[Objective] = OneOf(
        'What the choices maximise: the probability to ``"break"`` or destroy the enemy, that to '
        '``"hold"`` and be neither, or the mean ``"health points"`` that the enemy loses, less one\'s own. A unit '
        "that is caught has broken. With both at their best it is the first side's, and the second wants the opposite.",
        *OBJECTIVES,
        default="break",
    )

    def _check(self) -> None:
        if self.best is None and self.objective != "break":
            raise MathhammerError(
                f"expected best='first', 'second' or 'both' with objective={self.objective!r}, which says what choices "
                "are for; got none"
            )


class _RoundsOfCombat(_Fought[RoundsResult]):
    """Fight rounds of combat until one side is gone or breaks, or so many rounds are over.

    From the second round on nobody charges, what counts in the first round only is over, and models and Full Ranks that
    were lost are missing; a Breath Attack is made once. All else that the units are given holds in every round.

    The 9th Age rulebook, 2nd edition, Round of Combat Sequence; Break Test; Pursuit; Charging Momentum; Breath Attack;
    Turns (Active and Reactive Player).

    Examples
    --------
    >>> from mathhammer.systems.t9a.profiles import ModelPart, Target
    >>> part = ModelPart("claw", attacks=1, models=1, offensive_skill=3, strength=3, agility=3)
    >>> side = Unit(Target("beast", models=1, defensive_skill=3, resilience=3), part, unbreakable=True)
    >>> result = rounds_of_combat(side, side, rounds=2, exact=True)
    >>> result.end.pmf("still fighting"), result.end.pmf("both destroyed")  # 1/4 to wound, at the same time
    (81/256, 25/256)
    """

    rounds: Integer = Integer("How many at most, from 1 to 12.", default=5, least=1, most=MOST_ROUNDS)
    pursue: Boolean = Boolean("Whether a unit that broke is pursued; if it is caught it is destroyed.")
    first_swiftstride: Boolean = Boolean(
        "Whether the whole first unit has Swiftstride, when it flees or pursues."
    )
    second_swiftstride: Boolean = Boolean("The same of the second unit.")

    @together()
    def answer(self) -> RoundsResult:
        (rules, in_force), units = self.rules, (self.first, self.second)
        caught, swift = [(0, 1)] * 2, (self.first_swiftstride, self.second_swiftstride)
        if self.pursue:
            under: dict[str, Any] = {"edition": rules.name, "rulings": in_force, "exact": True}
            for side in (each for each in (0, 1) if not units[1 - each].target.has("War Machine")):
                fled = flee(swiftstride=swift[side], **under)
                followed = pursuit(swiftstride=swift[1 - side], **under)
                chance = in_fractions(followed - fled).at_least(0)
                caught[side] = int(chance.p), int(chance.q)
        begins = Round(units, rules, in_force, first_round=True, scored=False, caught=caught)
        charged = self.first.changed(charging=False), self.second.changed(charging=False)
        later = Round(charged, rules, in_force, first_round=False, scored=False, caught=caught)
        combat = Combat([begins, *[later] * (self.rounds - 1)], self.best, self.objective)
        return RoundsResult(combat, exact=self.exact)


class _Fight(_Fought[CombatResult]):
    """Resolve a round of combat of two units.

    Model parts strike in order of their Agility after modifiers, those of equal Agility of both sides at once; what
    was lost in one initiative step strikes no more in the next.

    The 9th Age rulebook, 2nd edition, Turns (Simultaneous Effects); Round of Combat Sequence; Set Agility Order
    (Charging Momentum); Allocating Attacks; Weapon Master; Breath Attack; Crush Attack; Attack Sequence; Combat Score;
    Break Test (No More Foes, Disrupted Ranks); Unstable; 3rd edition, Static Combat Score, Determine the Winner.

    Examples
    --------
    >>> from mathhammer.systems.t9a.profiles import ModelPart, Target
    >>> def side(name, agility):
    ...     part = ModelPart("spear", attacks=1, models=2, offensive_skill=3, strength=3, agility=agility)
    ...     return Unit(Target(name, models=2, defensive_skill=3, resilience=3), part)
    >>> result = fight(side("swift", 5), side("slow", 3), exact=True)
    >>> result.first_lost.mean(), result.second_lost.mean()
    (3/8, 1/2)
    """

    first_round: Boolean = Boolean("Whether it is the first Round of Combat of these two.", default=True)
    duel: Boolean = Boolean(
        "Whether two single models fight a Duel: up to 3 wounds beyond the last Health Point count."
    )

    def answer(self) -> CombatResult:
        units = self.first, self.second
        if self.duel and any(unit.target.models > 1 or len(unit.bodies()) > 1 for unit in units):
            raise MathhammerError("expected single models in a Duel; give each fighter as a Unit of its own")
        fighting = Round(units, *self.rules, first_round=self.first_round, duel=self.duel)
        return CombatResult(Combat([fighting], self.best, self.objective), exact=self.exact)


rounds_of_combat, fight = asked(_RoundsOfCombat, "t9a"), asked(_Fight, "t9a")
