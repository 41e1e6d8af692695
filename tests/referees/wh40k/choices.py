"""Games as steps: what follows a table, and whose choice it is; played forward, or through all that may be chosen.

A game's `ways` is handed a table and returns what is asked and the distributions of the next table, one for each
answer; None at the end. What can be seen of a table is all of it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from plain_dice import certainly

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plain_dice import Pmf

    Ways = Callable[[Any], tuple[str, list[Pmf]] | None]
    #: Of each question that is not answered by the first way: how the values of its answers are compared.
    Players = dict[str, Callable[[Sequence[Fraction]], Fraction]]


class Tree:
    """All tables that can be reached, each with what follows it."""

    def __init__(self, ways: Ways, start: Any) -> None:
        self.start = start
        self.follows: dict[Any, tuple[str, list[Pmf]] | None] = {}
        self.order: list[Any] = []  # every table after those that lead to it
        stack = [(start, False)]
        while stack:
            table, done = stack.pop()
            if done:
                self.order.append(table)
            elif table not in self.follows:
                self.follows[table] = follows = ways(table)
                stack.append((table, True))
                for distribution in follows[1] if follows else []:
                    stack.extend((after, False) for after in distribution if after not in self.follows)
        self.order.reverse()

    def values(self, worth: Callable[[Any], int], players: Players) -> dict[Any, list[Fraction]]:
        """Of each table the expected worth of its answers, when all that follow are the best of their players."""
        best: dict[Any, Fraction] = {}
        found = {}
        for table in reversed(self.order):
            follows = self.follows[table]
            if follows is None:
                best[table] = Fraction(worth(table))
                continue
            found[table] = [
                sum((chance * best[after] for after, chance in way.items()), Fraction(0))
                for way in follows[1]
            ]
            best[table] = players.get(follows[0], lambda values: values[0])(found[table])
        self.best = best
        return found

    def play(self, choose: Callable[[Any], int] = lambda _: 0) -> Pmf:
        """Distribution of the last table."""
        mass = {self.start: Fraction(1)}
        ends: Pmf = {}
        for table in self.order:
            chance = mass.pop(table, Fraction(0))
            follows = self.follows[table]
            if not chance:
                continue
            if follows is None:
                ends[table] = chance
                continue
            way = follows[1][choose(table) if len(follows[1]) > 1 else 0]
            for after, part in way.items():
                mass[after] = mass.get(after, Fraction(0)) + chance * part
        return ends


def play(
    ways: Ways, start: Any, worth: Callable[[Any], int] | None = None, players: Players | None = None
) -> Pmf:
    """Distribution of the last table; each player takes the first of equally good ways."""
    tree = Tree(ways, start)
    if worth is None or players is None:
        return tree.play()
    values = tree.values(worth, players)
    return tree.play(lambda table: values[table].index(tree.best[table]))


def best(ways: Ways, start: Any, worth: Callable[[Any], int], players: Players) -> Fraction:
    """Expected worth of the last table when the players choose as well as can be."""
    tree = Tree(ways, start)
    tree.values(worth, players)
    return tree.best[start]


def moved(table: Any) -> tuple[str, list[Pmf]]:
    """What follows without a die and without a choice."""
    return "", [certainly(table)]
