"""Tables of chances over net dice and modifiers, as players print them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mathhammer.display import Displayed, page_width, percent, table
from mathhammer.systems.trench_crusade.profiles import MAXIMUM_DICE, several, whole
from mathhammer.systems.trench_crusade.rolls import injury_roll, success_roll

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sympy import Rational

    from mathhammer.display import Panel

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
        from mathhammer.display import HeatTable, Panel

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
