"""Pools of 2D6 with +/- DICE: Success, Injury and Bloodbath Rolls by themselves, and tables of their chances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import percent
from mathhammer.display.text import page_width, table
from mathhammer.distributions import CategoricalDistribution, Distribution
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.expressions import dice as read_dice
from mathhammer.expressions.pool import ExtraDice
from mathhammer.sequence.call import Reproducible, records_call
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.systems.trench_crusade.keywords import parse_keywords, several
from mathhammer.systems.trench_crusade.profiles import MAXIMUM_DICE, SourcedText, read_sourced, whole
from mathhammer.systems.trench_crusade.rulings import in_force

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sympy import Rational

    from mathhammer.display.panel import Panel, Part
    from mathhammer.modifiers import Modifier
    from mathhammer.sequence.rulings import Rulings

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
    found = []
    for modifier in modifiers:
        if modifier.operation not in {"add", "subtract"}:
            raise MathhammerError(f"expected DICE and INJURY MODIFIERS to add or subtract, got {modifier}")
        found.append(modifier.value if modifier.operation == "add" else -modifier.value)
    return found


class DicePool(NamedTuple):
    """The dice of one roll: how many count, and what adds dice or adds to their sum."""

    keep: int
    dice: tuple[Modifier, ...]
    modifiers: tuple[Modifier, ...] = ()
    #: What they add after the cap.
    modifier: int = 0
    reroll: bool = False
    meaning: Callable[[int], str] = success_of

    @classmethod
    def injury(
        cls,
        dice: tuple[Modifier, ...],
        modifiers: tuple[Modifier, ...],
        rulings: Rulings,
        *,
        deadly: bool,
        bloodbath: bool,
    ) -> DicePool:
        """Return the dice of an Injury Roll (Trench Crusade rules 1.0.2, Injuries; Bloodbath; Keywords, DEADLY)."""
        keep = 2 + bloodbath + (deadly and (bloodbath or rulings["deadly"] == "every-roll"))
        added = values(modifiers)
        positive = sum(value for value in added if value > 0)
        capped = max(sum(added) - positive, -3) + positive
        modifier = max(sum(added), -3) if rulings["modifier_cap"] == "net" else capped
        return cls(keep, dice, modifiers, modifier, meaning=injury_of)

    @property
    def net(self) -> int:
        """The surplus after pairs of + and - cancel (Trench Crusade rules 1.0.2, +/- Dice)."""
        return whole(sum(values(self.dice)), "the net number of DICE")

    @property
    def total(self) -> Distribution:
        """Exact distribution of the sum of the dice that count."""
        return self._rolled(0)[0]

    def weights(self, extra: int = 0) -> tuple[dict[str, int], int]:
        """Return how many of all rolls with extra dice mean each of the outcomes, and how many rolls there are."""
        return self._rolled(extra)[1]

    def _rolled(self, extra: int) -> tuple[Distribution, tuple[dict[str, int], int]]:
        return _rolled(self.meaning, self.keep, self.net + extra, self.modifier, reroll=self.reroll)

    def probabilities(self) -> tuple[Probability, ...]:
        """Return the probabilities of the outcomes for an explanation."""
        found, out_of = self.weights()
        return tuple(Probability(name, weight, out_of) for name, weight in found.items())

    def __str__(self) -> str:
        if not self.net:
            return f"{self.keep}D6"
        which = "highest" if self.net > 0 else "lowest"
        return f"{self.keep + abs(self.net)}D6, the {self.keep} {which} count"

    def roll(self, *, exact: bool) -> Roll:
        """Return the roll by itself."""
        total = self.total if validation.flag(exact, "exact") else self.total.to_floats()
        return Roll(CategoricalDistribution.of(total, self.meaning, _OUTCOMES[self.meaning]), total, self)


@dataclass(frozen=True, repr=False)
class Roll(Displayed, Reproducible):
    """One roll: the distributions of its outcome by name, and of its total, INJURY MODIFIERS added.

    Examples
    --------
    >>> roll = success_roll(exact=True)
    >>> roll.pmf("critical"), roll.total.mean()
    (1/36, 7)
    """

    #: The outcomes of the roll, by name.
    outcome: CategoricalDistribution[str]
    #: The total of the dice that count.
    total: Distribution
    _pool: DicePool

    keep = property(attrgetter("_pool.keep"), doc="How many dice count.")
    net = property(attrgetter("_pool.net"), doc="Net extra dice.")
    dice = property(attrgetter("_pool.dice"), doc="What adds dice, with its sources.")
    modifiers = property(attrgetter("_pool.modifiers"), doc="What adds to the sum, with its sources.")
    modifier = property(attrgetter("_pool.modifier"), doc="What is added to the sum after the cap.")
    reroll = property(attrgetter("_pool.reroll"), doc="Whether failures were re-rolled.")

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
        text = f"{self._pool} (net {self.net:+d})" + ", failures re-rolled" * self.reroll
        if self.modifiers:
            text += f", INJURY MODIFIERS {self.modifier:+d}"
        return Explanation("One roll", (Step("Dice", text, self._sources, self._pool.probabilities()),))

    def _line(self) -> str:
        return f"{self._pool}: {self}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel
        from mathhammer.distributions.presentation import bars

        parts: list[Part] = [self.outcome.part("outcome"), bars(self.total, "Sum of the dice that count")]
        facts = {"net dice": f"{self.net:+d}", "modifier": f"{self.modifier:+d}"}
        notes = [f"From {', '.join(self._sources)}."] if self._sources else []
        return Panel(str(self._pool), facts, parts, notes)

    def __str__(self) -> str:
        distribution = in_fractions(self.outcome)
        return ", ".join(f"{name} {percent(distribution.pmf(name))}" for name in distribution)

    @property
    def _sources(self) -> tuple[str, ...]:
        return tuple(map(str, (*self.dice, *self.modifiers)))

    def _known(self, outcome: str) -> str:
        return validation.one_of(outcome, self.outcome, "an outcome")


@records_call("tc")
def success_roll(dice: SourcedText = 0, *, reroll: bool = False, exact: bool = False) -> Roll:
    """Distribution of a Success Roll.

    Parameters
    ----------
    dice
        +/- DICE: a number, or texts such as ``"+2 elevated"``; pairs cancel.
    reroll
        Whether a failure is re-rolled, once, with all its dice.

    Examples
    --------
    >>> roll = success_roll(dice=["+2 elevated", "-1 cover"], exact=True)
    >>> roll.net, roll.pmf("critical"), roll.total.mean()
    (1, 2/27, 203/24)

    Trench Crusade rules 1.0.2, Success Rolls; +/- Dice; Re-rolls.
    """
    pool = DicePool(2, read_sourced(dice, "given"), reroll=validation.flag(reroll, "reroll"))
    return pool.roll(exact=exact)


@records_call("tc")
def injury_roll(
    dice: SourcedText = 0,
    modifier: SourcedText = 0,
    *,
    keywords: str = "",
    bloodbath: bool = False,
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
) -> Roll:
    """Distribution of an Injury Roll before TOUGH, GOLEM and Standfast.

    Parameters
    ----------
    dice
        +/- INJURY DICE: a number, or texts such as ``"+2 Blood Markers"``; pairs cancel.
    modifier
        INJURY MODIFIERS alike; the negative ones are never worse than -3 in all.
    keywords
        ``"DEADLY"`` or nothing.
    bloodbath
        Whether it is a Bloodbath Roll.

    Examples
    --------
    >>> injury_roll(dice=+1, modifier=-2, exact=True).pmf("out of action")
    43/216

    Trench Crusade rules 1.0.2, Injuries; Bloodbath.
    """
    deadly = any(keyword.name == "DEADLY" for keyword in parse_keywords(keywords))
    given = read_sourced(dice, "given"), read_sourced(modifier, "given")
    bath = validation.flag(bloodbath, "bloodbath")
    return DicePool.injury(*given, in_force(rulings), deadly=deadly, bloodbath=bath).roll(exact=exact)


@records_call("tc")
def bloodbath_roll(
    dice: SourcedText = 0,
    modifier: SourcedText = 0,
    *,
    keywords: str = "",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
) -> Roll:
    """Distribution of a Bloodbath Roll: an Injury Roll of which 3 dice count, or 4 with DEADLY.

    Examples
    --------
    >>> bloodbath_roll(dice=-1, exact=True).pmf("out of action")
    83/162

    Trench Crusade rules 1.0.2, Bloodbath.
    """
    return injury_roll(dice, modifier, keywords=keywords, bloodbath=True, rulings=rulings, exact=exact)


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
    rolls = [(net, success_roll(net, exact=exact)) for net in _numbers(dice, "net dice")]
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
        (net, tuple(injury(net, modifier).at_least(at_least) for modifier in added))
        for net in _numbers(dice, "net dice")
    )
    roll = "Bloodbath" if bloodbath else "Injury Roll"
    worse = at_least if at_least == "out of action" else f"{at_least} or worse"
    return Table(f"{roll}: {worse}", ("dice", *(f"{modifier:+d}" for modifier in added)), rows)
