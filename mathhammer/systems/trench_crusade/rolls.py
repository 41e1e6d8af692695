"""Pools of 2D6 with +/- DICE: Success, Injury and Bloodbath Rolls by themselves, and tables of their chances."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, SupportsIndex

from mathhammer import validation
from mathhammer.arithmetic import arithmetic
from mathhammer.display import Displayed, percent
from mathhammer.display.text import page_width, table
from mathhammer.distributions import CategoricalDistribution, Distribution, in_fractions
from mathhammer.errors import MathhammerError, ParseError, TooLargeError
from mathhammer.expressions import dice as read_dice
from mathhammer.expressions.pool import ExtraDice
from mathhammer.modifiers import Modifier
from mathhammer.sequence import Explanation, Probability, Reproducible, Step, records_call
from mathhammer.systems.trench_crusade.keywords import has, parse_keywords, several
from mathhammer.systems.trench_crusade.profiles import (
    MAXIMUM_DICE,
    MAXIMUM_SOURCES,
    bounded_modifiers,
    whole,
)
from mathhammer.systems.trench_crusade.rulings import in_force
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sympy import Rational

    from mathhammer.display.panel import Panel, Part

SUCCESSES = ("failure", "success", "critical")
"""Outcomes of a Success Roll, the worst first."""
INJURIES = ("no effect", "minor hit", "down", "out of action")
"""Outcomes of an Injury Roll, the mildest first."""
#: Outcomes of a Success Roll with FUMBLE.
FUMBLES = ("fumble", *SUCCESSES)


@dataclass(frozen=True, repr=False)
class Roll(Displayed, Reproducible):
    """One roll: the distribution of its sum and of what it means.

    Attributes
    ----------
    outcome
        Distribution of the named outcomes.
    total
        Distribution of the sum of the dice that count, INJURY MODIFIERS added.
    keep
        How many dice count.
    net
        Net extra dice.
    dice, modifiers
        What adds dice, and what adds to the sum, with their sources.
    modifier
        What is added to the sum after the cap.
    reroll
        Whether failures were re-rolled.

    Examples
    --------
    >>> roll = success_roll(exact=True)
    >>> roll.pmf("critical"), roll.total.mean()
    (1/36, 7)
    """

    outcome: CategoricalDistribution[str]
    total: Distribution
    keep: int
    net: int
    dice: tuple[Modifier, ...]
    modifiers: tuple[Modifier, ...] = ()
    modifier: int = 0
    reroll: bool = False

    def pmf(self, outcome: str, /) -> Any:
        """Probability of a named outcome."""
        self._require(outcome)
        return self.outcome.pmf(outcome)

    def at_least(self, outcome: str, /) -> Any:
        """Probability of that outcome or a better one for the roller.

        Examples
        --------
        >>> success_roll(dice=1, exact=True).at_least("success")
        29/36
        """
        self._require(outcome)
        order = list(self.outcome)
        return self.outcome.probability(lambda name: order.index(name) >= order.index(outcome))

    def items(self) -> Iterator[tuple[str, Any]]:
        """Pairs of outcome and probability."""
        return self.outcome.items()

    def explain(self) -> Explanation:
        """Dice and modifiers with their sources, and the probabilities they lead to."""
        text = f"{roll_text(self.keep, self.net)} (net {self.net:+d})" + ", failures re-rolled" * self.reroll
        if self.modifiers:
            text += f", INJURY MODIFIERS {self.modifier:+d}"
        sources = tuple(map(str, (*self.dice, *self.modifiers)))
        return Explanation("One roll", (Step("Dice", text, sources, probabilities(self.outcome.weights())),))

    def _line(self) -> str:
        return f"{roll_text(self.keep, self.net)}: {self}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel
        from mathhammer.distributions.presentation import bars

        modifiers = ", ".join(map(str, (*self.dice, *self.modifiers)))
        parts: list[Part] = [self.outcome.part("outcome"), bars(self.total, "Sum of the dice that count")]
        facts = {"net dice": f"{self.net:+d}", "modifier": f"{self.modifier:+d}"}
        return Panel(
            roll_text(self.keep, self.net), facts, parts, [f"From {modifiers}."] if modifiers else []
        )

    def __str__(self) -> str:
        distribution = in_fractions(self.outcome)
        return ", ".join(f"{name} {percent(distribution.pmf(name))}" for name in distribution)

    def _require(self, outcome: str) -> None:
        if outcome not in tuple(self.outcome):
            raise MathhammerError(f"expected one of {', '.join(self.outcome)}; got {shown(outcome)}")


def success_of(total: int) -> str:
    """Name of a Success Roll's outcome (Trench Crusade rules 1.0.2, Success Rolls)."""
    return "failure" if total < 7 else "success" if total < 12 else "critical"


def injury_of(total: int) -> str:
    """Name of an Injury Roll's outcome (Trench Crusade rules 1.0.2, Injuries)."""
    if total <= 1:
        return "no effect"
    return "minor hit" if total <= 6 else "down" if total <= 8 else "out of action"


@lru_cache(maxsize=1024)
def total(keep: int, surplus: int, added: int = 0, *, reroll: bool = False) -> Distribution:
    """Exact distribution of the sum of the dice that count, of a Success Roll whose failures may be re-rolled."""
    roll = read_dice(f"{keep}D6")
    if surplus:
        roll = ExtraDice(roll, max(surplus, 0), max(-surplus, 0))
    found: Distribution = roll.compute(arithmetic(exact=True)) + added
    return found.reroll(lambda number: number < 7) if reroll else found


@lru_cache(maxsize=1024)
def weights(
    names: tuple[str, ...], keep: int, surplus: int, added: int = 0, *, reroll: bool = False
) -> tuple[dict[str, int], int]:
    """Return how many of all rolls mean each of the names, and how many rolls there are."""
    meaning = injury_of if names == INJURIES else success_of
    if names == FUMBLES:
        meaning = lambda total: "fumble" if total <= 2 else success_of(total)  # noqa: E731
    return CategoricalDistribution.of(total(keep, surplus, added, reroll=reroll), meaning, names).weights()


def probabilities(law: tuple[Mapping[str, int], int]) -> tuple[Probability, ...]:
    """Return the probabilities of the outcomes of a roll for an explanation."""
    return tuple(Probability(name, weight, law[1]) for name, weight in law[0].items())


def capped(modifiers: tuple[Modifier, ...], cap: str) -> int:
    """Return what is added to an Injury Roll."""
    added = values(modifiers)
    if cap == "net":
        return max(sum(added), -3)
    return max(sum(value for value in added if value < 0), -3) + sum(value for value in added if value > 0)


def dice_kept(*, deadly: bool, bloodbath: bool, ruling: str) -> int:
    """Return how many dice of an Injury Roll count (Trench Crusade rules 1.0.2, Bloodbath; Keywords, DEADLY)."""
    return 2 + bloodbath + (deadly and (bloodbath or ruling == "every-roll"))


@records_call("tc")
def success_roll(dice: SourcedText = 0, *, reroll: bool = False, exact: bool = False) -> Roll:
    """Distribution of a Success Roll.

    Parameters
    ----------
    dice
        +/- DICE: a number, or texts such as ``"+2 elevated"``; pairs cancel.
    reroll
        Whether a failure is re-rolled, once, with all its dice.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.

    Examples
    --------
    >>> roll = success_roll(dice=["+2 elevated", "-1 cover"], exact=True)
    >>> roll.net, roll.pmf("critical"), roll.total.mean()
    (1, 2/27, 203/24)

    References
    ----------
    Trench Crusade rules 1.0.2, Success Rolls; +/- Dice; Re-rolls.
    """
    return _roll(2, read_sourced(dice, "given"), reroll=validation.flag(reroll, "reroll"), exact=exact)


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
    rulings
        Options for disputed points: ``{"modifier_cap": "net"}``.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.

    Examples
    --------
    >>> injury_roll(dice=+1, modifier=-2, exact=True).pmf("out of action")
    43/216

    References
    ----------
    Trench Crusade rules 1.0.2, Injuries; Bloodbath.
    """
    options, deadly = in_force(rulings), has(parse_keywords(keywords), "DEADLY")
    keep = dice_kept(
        deadly=deadly, bloodbath=validation.flag(bloodbath, "bloodbath"), ruling=options["deadly"]
    )
    modifiers = read_sourced(modifier, "given")
    added = capped(modifiers, options["modifier_cap"])
    return _roll(keep, read_sourced(dice, "given"), modifiers, added, exact=exact)


def _roll(
    keep: int,
    dice: tuple[Modifier, ...],
    modifiers: tuple[Modifier, ...] | None = None,
    added: int = 0,
    *,
    reroll: bool = False,
    exact: bool,
) -> Roll:
    """Return a Success Roll, or the Injury Roll that has modifiers."""
    found = total(keep, net(dice), added, reroll=reroll)
    found = found if validation.flag(exact, "exact") else found.to_floats()
    outcome = CategoricalDistribution.of(
        found, *((success_of, SUCCESSES) if modifiers is None else (injury_of, INJURIES))
    )
    return Roll(outcome, found, keep, net(dice), dice, modifiers or (), added, reroll)


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

    References
    ----------
    Trench Crusade rules 1.0.2, Bloodbath.
    """
    return injury_roll(dice, modifier, keywords=keywords, bloodbath=True, rulings=rulings, exact=exact)


#: A number, ``"+2 elevated"``, or several texts or Modifiers.
SourcedText = int | str | Modifier | Iterable[str | Modifier]

_SOURCED = re.compile(
    r"\s*([+-]?\s*\d{1,9})(?!\d)\s*(?:DICE|INJURY DICE|INJURY MODIFIER)?\s*(.*?)\s*", re.IGNORECASE
)

#: Most characters of one source.
LONGEST_SOURCE = 200


def read_sourced(value: SourcedText, source: str) -> tuple[Modifier, ...]:
    """Return modifiers from numbers and texts."""
    if isinstance(value, bool | int | Modifier | SupportsIndex):
        return bounded_modifiers(value, source)
    items = (
        (value,)
        if isinstance(value, str)
        else several(
            value, (str, Modifier), "numbers with their sources, such as '+2 elevated'", MAXIMUM_SOURCES
        )
    )
    return bounded_modifiers(
        [_read(item, source) if isinstance(item, str) else item for item in items], source
    )


def _read(text: str, source: str) -> Modifier:
    if len(text) > LONGEST_SOURCE:
        raise TooLargeError(f"expected a source of at most {LONGEST_SOURCE} characters, got {len(text):,}")
    match = _SOURCED.fullmatch(text)
    if match is None:
        raise ParseError("expected a number and where it comes from, such as '+2 elevated'", text, 0)
    return Modifier("add", int(match[1].replace(" ", "")), match[2] or source)


def net(modifiers: Iterable[Modifier]) -> int:
    """Return the surplus after pairs of + and - cancel (Trench Crusade rules 1.0.2, +/- Dice)."""
    total = sum(values(modifiers))
    return whole("the net number of DICE", total)


def values(modifiers: Iterable[Modifier]) -> list[int]:
    """Return what each modifier adds."""
    found = []
    for modifier in modifiers:
        if modifier.operation not in {"add", "subtract"}:
            raise MathhammerError(f"expected DICE and INJURY MODIFIERS to add or subtract, got {modifier}")
        found.append(modifier.value if modifier.operation == "add" else -modifier.value)
    return found


def roll_text(keep: int, surplus: int) -> str:
    """Return the roll in words."""
    if not surplus:
        return f"{keep}D6"
    return f"{keep + abs(surplus)}D6, the {keep} {'highest' if surplus > 0 else 'lowest'} count"


NET_DICE = range(-4, 5)
MODIFIERS = (0, -1, -2, -3)


@dataclass(frozen=True, slots=True, repr=False)
class Table(Displayed):
    """Probabilities in rows and columns; ``print`` shows percentages.

    Attributes
    ----------
    title
        What the table shows.
    header
        Names of the columns; the first is that of the rows.
    rows
        Net dice, and a probability for each further column.

    Examples
    --------
    >>> print(Table("Success Rolls", ("dice", "success"), ((0, (7 / 12,)), (1, (29 / 36,)))))
    Success Rolls
    dice  success
      +0   58.33%
      +1   80.56%
    """

    title: str
    header: tuple[str, ...]
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
    """Return the numbers of a row or a column."""
    numbers = several(given, object, f"numbers of {what}", 2 * MAXIMUM_DICE + 1)
    return tuple(whole(f"a number of {what}", each) for each in numbers)


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

    References
    ----------
    Trench Crusade rules 1.0.2, Success Rolls; +/- Dice.
    """
    rolls = [(net, success_roll(net, exact=exact)) for net in _numbers(dice, "net dice")]
    rows = tuple(
        (net, (*(roll.pmf(name) for name in roll.outcome), roll.at_least("success"))) for net, roll in rolls
    )
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

    Parameters
    ----------
    dice, modifiers
        The rows and the columns.
    at_least
        The result: ``"minor hit"``, ``"down"`` or ``"out of action"``.
    bloodbath, keywords, rulings, exact
        As for `injury_roll`.

    Examples
    --------
    >>> print(injury_table([0, 1], [0, -3]))
    Injury Roll: out of action
    dice      +0      -3
      +0  27.78%   2.78%
      +1  52.31%   7.41%

    References
    ----------
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
