"""Pools of 2D6 with +/- DICE: Success, Injury and Bloodbath Rolls by themselves, and tables of their chances."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import percent
from mathhammer.display.text import page_width, table
from mathhammer.distributions import CategoricalDistribution, Distribution
from mathhammer.distributions.fractions import in_fractions
from mathhammer.expressions import dice as read_dice
from mathhammer.expressions.pool import ExtraDice
from mathhammer.fields.kinds import Boolean
from mathhammer.sequence.call import Reproducible
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.systems.asked import Question, asked
from mathhammer.systems.trench_crusade.keywords import Keywords, several
from mathhammer.systems.trench_crusade.profiles import MAXIMUM_DICE, Sourced, whole
from mathhammer.systems.trench_crusade.rulings import EXACT, InForce

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sympy import Rational

    from mathhammer.display.panel import Panel, Part
    from mathhammer.modifiers import Modifier
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.trench_crusade.keywords import Keyword  # noqa: F401 - read by pdoc
    from mathhammer.systems.trench_crusade.profiles import SourcedText  # noqa: F401 - read by pdoc

SUCCESSES = ("failure", "success", "critical")
"""Outcomes of a Success Roll, the worst first."""
INJURIES = ("no effect", "minor hit", "down", "out of action")
"""Outcomes of an Injury Roll, the mildest first."""


def success_of(total: int) -> str:
    """Name of a Success Roll's outcome (Trench Crusade rules 1.0.2, Success Rolls)."""
    return "failure" if total < 7 else "success" if total < 12 else "critical"


def injury_of(total: int) -> str:
    """Name of an Injury Roll's outcome (Trench Crusade rules 1.0.2, Injuries)."""
    return INJURIES[(total > 1) + (total > 6) + (total > 8)]


def fumble_of(total: int) -> str:
    """Name of a Success Roll's outcome with FUMBLE (Trench Dispatch 1, April 2026, Public Beta)."""
    return "fumble" if total <= 2 else success_of(total)


_OUTCOMES: dict[Any, tuple[str, ...]] = {
    success_of: SUCCESSES,
    injury_of: INJURIES,
    fumble_of: ("fumble", *SUCCESSES),
}


@lru_cache(maxsize=1024)
def _rolled(
    meaning: Callable[[int], str], keep: int, surplus: int, added: int, *, reroll: bool
) -> tuple[Distribution, tuple[dict[str, int], int]]:
    roll = read_dice(f"{keep}D6")
    if surplus:
        roll = ExtraDice(roll, max(surplus, 0), max(-surplus, 0))
    total = roll.compute() + added
    total = total.reroll(lambda number: number < 7) if reroll else total
    return total, CategoricalDistribution.of(total, meaning, _OUTCOMES[meaning]).weights()


def values(modifiers: Iterable[Modifier]) -> list[int]:
    """Return what each modifier adds."""
    return [each.value if each.operation == "add" else -each.value for each in modifiers]


@dataclass(frozen=True, eq=False, repr=False)
class Roll(Displayed, Reproducible):
    """One roll: the distributions of its outcome by name, and of its total, INJURY MODIFIERS added.

    Examples
    --------
    >>> roll = success_roll(exact=True)
    >>> roll.pmf("critical"), roll.total.mean()
    (1/36, 7)
    """

    #: How many dice count, and what adds dice, with its sources.
    keep: int
    dice: tuple[Modifier, ...]
    #: What adds to the sum, with its sources, and what all that comes to after the cap.
    modifiers: tuple[Modifier, ...] = ()
    modifier: int = 0
    #: Whether failures are re-rolled, what a total is called, and whether probabilities are ``sympy.Rational``.
    reroll: bool = False
    meaning: Callable[[int], str] = success_of
    exact: bool = True
    #: The surplus of dice after pairs of + and - cancel (Trench Crusade rules 1.0.2, +/- Dice).
    net: int = field(init=False)

    @classmethod
    def injury(
        cls,
        dice: tuple[Modifier, ...],
        modifiers: tuple[Modifier, ...],
        rulings: Rulings,
        *,
        deadly: bool,
        bloodbath: bool,
        exact: bool = True,
    ) -> Roll:
        """Return an Injury Roll (Trench Crusade rules 1.0.2, Injuries; Bloodbath; Keywords, DEADLY)."""
        keep = 2 + bloodbath + (deadly and (bloodbath or rulings["deadly"] == "every-roll"))
        added = values(modifiers)
        positive = sum(value for value in added if value > 0)
        capped = max(sum(added) - positive, -3) + positive
        modifier = max(sum(added), -3) if rulings["modifier_cap"] == "net" else capped
        return cls(keep, dice, modifiers, modifier, meaning=injury_of, exact=exact)

    def __post_init__(self) -> None:
        object.__setattr__(self, "net", whole(sum(values(self.dice)), "the net number of DICE"))

    @cached_property
    def total(self) -> Distribution:
        """Distribution of the total of the dice that count."""
        total = self._rolled(0)[0]
        return total if self.exact else total.to_floats()

    @cached_property
    def outcome(self) -> CategoricalDistribution[str]:
        """Distribution of the outcome, by name."""
        return CategoricalDistribution.of(self.total, self.meaning, _OUTCOMES[self.meaning])

    def weights(self, extra: int = 0) -> tuple[dict[str, int], int]:
        """Return how many of all rolls with extra dice mean each of the outcomes, and how many rolls there are."""
        return self._rolled(extra)[1]

    def _rolled(self, extra: int) -> tuple[Distribution, tuple[dict[str, int], int]]:
        return _rolled(self.meaning, self.keep, self.net + extra, self.modifier, reroll=self.reroll)

    def probabilities(self) -> tuple[Probability, ...]:
        """Return the probabilities of the outcomes for an explanation."""
        found, out_of = self.weights()
        return tuple(Probability(name, weight, out_of) for name, weight in found.items())

    def pmf(self, outcome: str, /) -> Any:
        """Probability of a named outcome."""
        return self.outcome.pmf(self._known(outcome))

    def at_least(self, outcome: str, /) -> Any:
        """Probability of that outcome or a better one for the roller."""
        order = list(self.outcome)
        least = order.index(self._known(outcome))
        return self.outcome.probability(lambda name: order.index(name) >= least)

    def explain(self) -> Explanation:
        """Dice and modifiers with their sources, and the probabilities they lead to."""
        text = f"{self.counted} (net {self.net:+d})" + ", failures re-rolled" * self.reroll
        if self.modifiers:
            text += f", INJURY MODIFIERS {self.modifier:+d}"
        return Explanation("One roll", (Step("Dice", text, self._sources, self.probabilities()),))

    @property
    def counted(self) -> str:
        """The dice, and which of them count."""
        if not self.net:
            return f"{self.keep}D6"
        which = "highest" if self.net > 0 else "lowest"
        return f"{self.keep + abs(self.net)}D6, the {self.keep} {which} count"

    def _line(self) -> str:
        return f"{self.counted}: {self}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel
        from mathhammer.distributions.presentation import bars

        parts: list[Part] = [self.outcome.part("outcome"), bars(self.total, "Sum of the dice that count")]
        facts = {"net dice": f"{self.net:+d}", "modifier": f"{self.modifier:+d}"}
        notes = [f"From {', '.join(self._sources)}."] if self._sources else []
        return Panel(self.counted, facts, parts, notes)

    def __str__(self) -> str:
        distribution = in_fractions(self.outcome)
        return ", ".join(f"{name} {percent(distribution.pmf(name))}" for name in distribution)

    @property
    def _sources(self) -> tuple[str, ...]:
        return tuple(map(str, (*self.dice, *self.modifiers)))

    def _known(self, outcome: str) -> str:
        return validation.one_of(outcome, self.outcome, "an outcome")


class _SuccessRoll(Question[Roll]):
    """Distribution of a Success Roll.

    Examples
    --------
    >>> roll = success_roll(dice=["+2 elevated", "-1 cover"], exact=True)
    >>> roll.net, roll.pmf("critical"), roll.total.mean()
    (1, 2/27, 203/24)

    Trench Crusade rules 1.0.2, Success Rolls; +/- Dice; Re-rolls.
    """

    dice: Sourced = Sourced(
        '+/- DICE: a number, or texts such as ``"+2 elevated"``; pairs cancel.', kw_only=False
    )
    reroll: Boolean = Boolean("Whether a failure is re-rolled, once, with all its dice.")
    exact: Boolean = Boolean(EXACT)

    def answer(self) -> Roll:
        """Return the roll."""
        return Roll(2, self.dice, reroll=self.reroll, exact=self.exact)


class _BloodbathRoll(InForce[Roll]):
    """Distribution of a Bloodbath Roll: an Injury Roll of which 3 dice count, or 4 with DEADLY.

    Examples
    --------
    >>> bloodbath_roll(dice=-1, exact=True).pmf("out of action")
    83/162

    Trench Crusade rules 1.0.2, Bloodbath.
    """

    dice: Sourced = Sourced(
        '+/- INJURY DICE: a number, or texts such as ``"+2 Blood Markers"``; pairs cancel.', kw_only=False
    )
    modifier: Sourced = Sourced(
        "INJURY MODIFIERS alike; the negative ones are never worse than -3 in all.", kw_only=False
    )
    keywords: Keywords = Keywords('``"DEADLY"`` or nothing.')
    bloodbath = True

    def answer(self) -> Roll:
        """Return the roll."""
        deadly = any(keyword.name == "DEADLY" for keyword in self.keywords)
        given = self.dice, self.modifier, self.ruled
        return Roll.injury(*given, deadly=deadly, bloodbath=self.bloodbath, exact=self.exact)


class _InjuryRoll(_BloodbathRoll):
    """Distribution of an Injury Roll before TOUGH, GOLEM and Standfast.

    Examples
    --------
    >>> injury_roll(dice=+1, modifier=-2, exact=True).pmf("out of action")
    43/216

    Trench Crusade rules 1.0.2, Injuries; Bloodbath.
    """

    bloodbath: Boolean = Boolean("Whether it is a Bloodbath Roll.")


success_roll = asked(_SuccessRoll, "tc")
bloodbath_roll, injury_roll = asked(_BloodbathRoll, "tc"), asked(_InjuryRoll, "tc")


NET_DICE = range(-4, 5)
MODIFIERS = (0, -1, -2, -3)


@dataclass(frozen=True, slots=True, repr=False)
class Table(Displayed):
    """Probabilities in rows and columns, the net dice first; ``print`` shows percentages, below what is said of them.

    Examples
    --------
    >>> print(Table("Success Rolls", ("dice", "success"), ((0, (7 / 12,)), (1, (29 / 36,)))))
    Success Rolls
    dice  success
      +0   58.33%
      +1   80.56%
    """

    #: What it shows.
    title: str
    #: The names of its columns.
    header: tuple[str, ...]
    #: The net dice, and the probabilities of a row.
    rows: tuple[tuple[int, tuple[float | Rational, ...]], ...]

    def __str__(self) -> str:
        cells = [(f"{net:+d}", *(percent(chance) for chance in chances)) for net, chances in self.rows]
        lines = table(self.header, cells, ">" * len(self.header), width=page_width())
        return "\n".join([self.title, *lines])

    def _line(self) -> str:
        return f"{self.title}: {len(self.rows)} rows, {len(self.header) - 1} columns"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import HeatTable, Panel

        chances = [(f"{net:+d}", [float(chance) for chance in row]) for net, row in self.rows]
        texts = [[percent(chance) for chance in row] for _, row in self.rows]
        return Panel(self.title, parts=[HeatTable(self.header[1:], chances, texts, down=self.header[0])])


def _numbers(given: Iterable[int], what: str) -> tuple[int, ...]:
    numbers = several(given, object, f"numbers of {what}", 2 * MAXIMUM_DICE + 1)
    return tuple(whole(each, f"a number of {what}") for each in numbers)


def success_table(dice: Iterable[int] = NET_DICE, *, exact: bool = False) -> Table:
    """Table of Success Rolls over net dice.

    Examples
    --------
    >>> print(success_table([-1, 0, 1]))
    Success Roll
    dice  failure  success  critical  7 or more
      -1   68.06%   31.48%     0.46%     31.94%
      +0   41.67%   55.56%     2.78%     58.33%
      +1   19.44%   73.15%     7.41%     80.56%

    Trench Crusade rules 1.0.2, Success Rolls; +/- Dice.
    """
    rolls = [(net, success_roll(dice=net, exact=exact)) for net in _numbers(dice, "net dice")]
    rows = tuple((net, (*map(roll.pmf, SUCCESSES), roll.at_least("success"))) for net, roll in rolls)
    return Table("Success Roll", ("dice", "failure", "success", "critical", "7 or more"), rows)


def injury_table(
    dice: Iterable[int] = NET_DICE,
    modifiers: Iterable[int] = MODIFIERS,
    *,
    at_least: str = "out of action",
    bloodbath: bool = False,
    keywords: str = "",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
) -> Table:
    """Table of the chance of a result or a worse one, over net INJURY DICE and INJURY MODIFIERS.

    The result is ``"minor hit"``, ``"down"`` or ``"out of action"``; the rest is as for `injury_roll`.

    Examples
    --------
    >>> print(injury_table([0, 1], [0, -3]))
    Injury Roll: out of action
    dice      +0      -3
      +0  27.78%   2.78%
      +1  52.31%   7.41%

    Trench Crusade rules 1.0.2, Injuries.
    """
    added = _numbers(modifiers, "INJURY MODIFIERS")
    injury = partial(injury_roll, bloodbath=bloodbath, keywords=keywords, rulings=rulings, exact=exact)
    rows = tuple(
        (net, tuple(injury(dice=net, modifier=modifier).at_least(at_least) for modifier in added))
        for net in _numbers(dice, "net dice")
    )
    roll = "Bloodbath" if bloodbath else "Injury Roll"
    worse = at_least if at_least == "out of action" else f"{at_least} or worse"
    return Table(f"{roll}: {worse}", ("dice", *(f"{modifier:+d}" for modifier in added)), rows)
