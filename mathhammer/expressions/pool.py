"""Pools: several dice of which some are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.distributions import Distribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions.base import Expression
from mathhammer.expressions.die import Die, Faces, Repeated, of_each
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Entries = tuple[tuple[int, Expression], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Pool(Expression):
    """The sum of a pool of dice without its lowest and its highest ones."""

    entries: Entries
    drop_lowest: int
    drop_highest: int

    def __post_init__(self) -> None:
        validation.set_whole(self, "drop_lowest", "dice to drop")
        validation.set_whole(self, "drop_highest", "dice to drop")
        if not self.entries or min(count for count, _ in self.entries) < 1:
            raise MathhammerError(
                f"expected one die or more of each kind in a pool, got {shown(self.entries)}"
            )
        if min(self.drop_lowest, self.drop_highest) < 0 or self.kept < 1:
            size = shown(self.size)
            raise MathhammerError(
                f"expected to keep 1 to {size} of {size} dice, got {shown(self.drop_lowest)} lowest and "
                f"{shown(self.drop_highest)} highest to drop"
            )

    @property
    def size(self) -> int:
        """Number of dice."""
        return sum(count for count, _ in self.entries)

    @property
    def kept(self) -> int:
        """Number of dice that count."""
        return self.size - self.drop_lowest - self.drop_highest

    def bounds(self) -> tuple[int, int]:
        each = [(die.bounds(), count) for count, die in self.entries]
        start, stop = self.drop_lowest, self.size - self.drop_highest
        totals = []
        for end in (0, 1):
            total, placed = 0, 0
            for value, count in sorted((bounds[end], count) for bounds, count in each):
                total += value * max(0, min(placed + count, stop) - max(placed, start))
                placed += count
            totals.append(total)
        return totals[0], totals[1]

    def compute(self) -> Distribution:
        kinds: dict[Expression, int] = {}
        for count, die in self.entries:
            kinds[die] = kinds.get(die, 0) + count
        if len(kinds) == 1 and not (self.drop_lowest and self.drop_highest):
            ((die, count),) = kinds.items()
            return _one_sided(die, count, self.kept, highest=not self.drop_highest)
        return _swept(kinds, self.drop_lowest, self.drop_highest)

    def __str__(self) -> str:
        dice = ", ".join(str(count) * (count > 1) + of_each(die) for count, die in self.entries)
        if not self.drop_highest:
            return f"highest({self.kept} of {dice})"
        if not self.drop_lowest:
            return f"lowest({self.kept} of {dice})"
        return f"drop({self.drop_lowest} lowest, {self.drop_highest} highest of {dice})"


class OfRoll(Expression):
    """A roll made otherwise, with no other values than its own."""

    __slots__ = ()
    roll: Expression

    def bounds(self) -> tuple[int, int]:
        return self.roll.bounds()


@dataclass(frozen=True, slots=True, repr=False)
class ExtraDice(OfRoll):
    """A roll with +DICE and -DICE: ``2D6[+2 DICE]`` is four dice of which the two highest count.

    Source: Trench Crusade core rules, +/- Dice.
    """

    roll: Expression
    plus: int
    minus: int

    def __post_init__(self) -> None:
        _equal_dice(self.roll, "+/- DICE")
        validation.set_whole(self, "plus", "+DICE", 0)
        validation.set_whole(self, "minus", "-DICE", 0)
        if not (self.plus or self.minus):
            raise MathhammerError("expected 1 or more +DICE or -DICE, got +0 and -0")

    def compute(self) -> Distribution:
        return _of_more(self.roll, self.plus, self.minus, literal=False).compute()

    def __str__(self) -> str:
        counts = [f"+{self.plus} DICE"] * bool(self.plus) + [f"-{self.minus} DICE"] * bool(self.minus)
        return f"{self.roll}[{', '.join(counts)}]"


@dataclass(frozen=True, slots=True, repr=False)
class Maximised(OfRoll):
    """A roll under Maximised Roll and Minimised Roll: ``2D6[maximised]``, ``2D6[maximised 2, minimised]``."""

    roll: Expression
    maximised_times: int
    minimised_times: int
    literal: bool = False

    def __post_init__(self) -> None:
        _equal_dice(self.roll, "Maximised and Minimised Roll")
        for field in ("maximised_times", "minimised_times"):
            validation.set_whole(self, field, "instances of Maximised or Minimised Roll", 0)
        if not (self.maximised_times or self.minimised_times):
            raise MathhammerError("expected 1 or more instances of Maximised or Minimised Roll, got 0 and 0")

    def compute(self) -> Distribution:
        more, fewer = self.maximised_times, self.minimised_times
        return _of_more(self.roll, more, fewer, literal=self.literal).compute()

    def __str__(self) -> str:
        options = []
        for name, times in (("maximised", self.maximised_times), ("minimised", self.minimised_times)):
            options += [name if times == 1 else f"{name} {times}"] * bool(times)
        options += ["literal"] * self.literal
        return f"{self.roll}[{', '.join(options)}]"


def highest(keep: int, /, *dice: Expression) -> Pool:
    """Keep the highest dice of a pool; ``4 @ D6`` stands for four dice.

    Examples
    --------
    >>> from mathhammer import dice
    >>> str(highest(2, 3 @ dice("D6"), dice("D8")))
    'highest(2 of 3D6, D8)'
    """
    entries = _entries(dice)
    return Pool(entries, sum(count for count, _ in entries) - validation.whole(keep, "dice to keep", 1), 0)


def lowest(keep: int, /, *dice: Expression) -> Pool:
    """Keep the lowest dice of a pool.

    Examples
    --------
    >>> from mathhammer import dice
    >>> lowest(1, 2 @ dice("D6")).distribution(exact=True).pmf(1)
    11/36
    """
    entries = _entries(dice)
    return Pool(entries, 0, sum(count for count, _ in entries) - validation.whole(keep, "dice to keep", 1))


def middle(drop_lowest: int, drop_highest: int, /, *dice: Expression) -> Pool:
    """Drop dice at both ends of a pool.

    Examples
    --------
    >>> from mathhammer import dice
    >>> middle(1, 1, 3 @ dice("D6")).distribution(exact=True).mean()
    7/2
    """
    fewest, most = (validation.whole(drop, "dice to drop", 0) for drop in (drop_lowest, drop_highest))
    return Pool(_entries(dice), fewest, most)


def _entries(dice: Iterable[Expression]) -> Entries:
    dice = validation.items(dice, Expression, "dice such as dice('D6')")
    return tuple((die.count, die.each) if isinstance(die, Repeated) else (1, die) for die in dice)


def _of_more(roll: Expression, more: int, fewer: int, *, literal: bool) -> Pool:
    """Return the pool of a roll with more dice and as many discarded at the ends; they cancel unless literal."""
    cancelled = 0 if literal else min(more, fewer)
    ((count, die),) = _entries((roll,))
    more, fewer = more - cancelled, fewer - cancelled
    return Pool(((count + more + fewer, die),), more, fewer)


def _equal_dice(roll: Expression, what: str) -> None:
    """Refuse what is no dice of one kind."""
    count, die = (roll.count, roll.each) if isinstance(roll, Repeated) else (1, roll)
    if count < 1 or not isinstance(die, Die | Faces):
        raise MathhammerError(f"expected dice of one kind, such as 2D6, for {what}; got {roll}")


def _one_sided(die: Expression, count: int, keep: int, *, highest: bool) -> Distribution:
    from mathhammer.arithmetic.pools import kept_highest, require_steps

    distribution = die.compute()
    if not highest:
        distribution = -distribution
    weights, denominator = distribution._mass.weights()
    # The answer is put in lowest terms: four steps for each word of its denominator, of its length.
    bits = count * denominator.bit_length()
    require_steps(bits // 16, bits, f"{count:,} dice keep {keep:,}")
    mass = kept_highest(weights, denominator, count, keep)
    kept = Distribution._new(mass, keep * distribution._low)
    return kept if highest else -kept


def _swept(kinds: dict[Expression, int], drop_lowest: int, drop_highest: int) -> Distribution:
    from mathhammer.arithmetic.pools import kept_between, require_steps

    bounds = [die.bounds() for die in kinds]
    spread = max(high for _, high in bounds) - min(low for low, _ in bounds)
    what = f"a pool of dice whose values are {spread:,} apart"
    require_steps(spread * sum(kinds.values()), 0, what)
    distributions = [die.compute() for die in kinds]
    low = min(distribution._low for distribution in distributions)
    weighted, bits, denominator = [], 0, 1
    counts: Sequence[int] = list(kinds.values())
    for distribution, count in zip(distributions, counts, strict=True):
        weights, each = distribution._mass.weights()
        weighted.append((count, [0] * (distribution._low - low) + weights))
        bits += count * each.bit_length()
        require_steps(1, bits, what)
        denominator *= each**count
    mass = kept_between(weighted, denominator, drop_lowest, drop_highest)
    return Distribution._new(mass, low * (sum(counts) - drop_lowest - drop_highest))
