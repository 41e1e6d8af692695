"""Rolls: pools of which some dice are kept, re-rolls, conditions, explosions, and what dice show together.

Re-rolls are at most one for each die, judged on the unmodified value, before any modifier: Warhammer 40,000 core rules,
Re-rolls; The 9th Age: Fantasy Battles, Rerolling Dice.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, ClassVar

from mathhammer import validation
from mathhammer.arithmetic import mass_type
from mathhammer.arithmetic.pools import kept_between, kept_highest, require_steps, rerolled_best
from mathhammer.distributions import Distribution
from mathhammer.distributions.combination import explode
from mathhammer.errors import MathhammerError
from mathhammer.expressions.base import Expression
from mathhammer.expressions.die import Compound, Die, Faces, Repeated
from mathhammer.expressions.operations import Difference, Extreme, Sum
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mathhammer.expressions.check import FaceCondition

Entries = tuple[tuple[int, Expression], ...]


class Pool(Expression):
    """The sum of a pool of dice without its lowest and its highest ones."""

    entries: Entries
    drop_lowest: int
    drop_highest: int

    def __post_init__(self) -> None:
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
            each = -die.compute() if self.drop_highest else die.compute()
            weights, denominator = each._mass.weights()
            # The answer is put in lowest terms: four steps for each word of its denominator, of its length.
            bits = count * denominator.bit_length()
            require_steps(bits // 16, bits, f"{count:,} dice keep {self.kept:,}")
            mass = kept_highest(weights, denominator, count, self.kept)
            kept = Distribution._new(mass, self.kept * each._low)
            return -kept if self.drop_highest else kept
        bounds = [die.bounds() for die in kinds]
        spread = max(high for _, high in bounds) - min(low for low, _ in bounds)
        what = f"a pool of dice whose values are {spread:,} apart"
        require_steps(spread * self.size, 0, what)
        dice = [(count, die.compute()) for die, count in kinds.items()]
        low = min(die._low for _, die in dice)
        weighted, bits, denominator = [], 0, 1
        for count, rolled in dice:
            weights, one = rolled._mass.weights()
            weighted.append((count, [0] * (rolled._low - low) + weights))
            bits += count * one.bit_length()
            require_steps(1, bits, what)
            denominator *= one**count
        mass = kept_between(weighted, denominator, self.drop_lowest, self.drop_highest)
        return Distribution._new(mass, low * self.kept)

    def _text(self) -> str:
        dice = _dice_of(self.entries)
        if not self.drop_highest:
            return f"highest({self.kept} of {dice})"
        if not self.drop_lowest:
            return f"lowest({self.kept} of {dice})"
        return f"drop({self.drop_lowest} lowest, {self.drop_highest} highest of {dice})"


class OfRoll(Expression):
    """A roll made otherwise, with no other values than its own."""

    roll: Expression

    def bounds(self) -> tuple[int, int]:
        return self.roll.bounds()


class ExtraDice(OfRoll):
    """A roll with +DICE and -DICE: ``2D6[+2 DICE]`` is four dice of which the two highest count.

    Source: Trench Crusade core rules, +/- Dice.
    """

    plus: int
    minus: int
    literal: ClassVar[bool] = False
    name: ClassVar[str] = "+/- DICE"
    words: ClassVar[tuple[str, str]] = "+{} DICE", "-{} DICE"

    def __post_init__(self) -> None:
        ((count, die),) = _entries((self.roll,))
        if count < 1 or not isinstance(die, Die | Faces):
            raise MathhammerError(f"expected dice of one kind, such as 2D6, for {self.name}; got {self.roll}")
        validation.set_whole(self, "plus", self.name, 0)
        validation.set_whole(self, "minus", self.name, 0)
        if not (self.plus or self.minus):
            raise MathhammerError(f"expected 1 or more of {self.name}, got 0 and 0")

    def compute(self) -> Distribution:
        """Opposite kinds cancel in pairs unless they are taken literally."""
        cancelled = 0 if self.literal else min(self.plus, self.minus)
        ((count, die),) = _entries((self.roll,))
        more, fewer = self.plus - cancelled, self.minus - cancelled
        return Pool(((count + more + fewer, die),), more, fewer).compute()

    def _text(self) -> str:
        both = zip(self.words, (self.plus, self.minus), strict=True)
        words = [word.format(number).removesuffix(" 1") for word, number in both if number]
        return f"{self.roll}[{', '.join(words + ['literal'] * self.literal)}]"


class Maximised(ExtraDice):
    """A roll under Maximised Roll and Minimised Roll: ``2D6[maximised]``, ``2D6[maximised 2, minimised]``."""

    literal: bool = False  # type: ignore[misc] # of the other kind no field
    name: ClassVar[str] = "Maximised and Minimised Roll"
    words: ClassVar[tuple[str, str]] = "maximised {}", "minimised {}"


class Rerolled(OfRoll):
    """A roll that is re-rolled, as a whole and once, where it meets a condition: ``reroll(D6, 1)``."""

    #: Which values are re-rolled.
    condition: FaceCondition
    #: Of a D3: judge the face of the D6 rather than the halved value.
    natural: bool = False

    def __post_init__(self) -> None:
        _require_roll(self.roll)
        object.__setattr__(self, "natural", validation.flag(self.natural, "natural"))
        if self.natural and self.roll != Die(3):
            raise MathhammerError(
                f"expected a D3 for a re-roll judged on the natural face, got {self.roll}; the value of any "
                "other die is its face"
            )

    def compute(self) -> Distribution:
        if self.natural:
            return Die(6).compute().reroll(self.condition).map(lambda face: (face + 1) // 2)
        return self.roll.compute().reroll(self.condition)

    def _text(self) -> str:
        return f"reroll({self.roll}, {'natural ' if self.natural else ''}{self.condition})"


class BestReroll(OfRoll):
    """A roll that may be re-rolled once if that helps: as a whole, or the dice of it that are chosen best.

    ``reroll(2D6, best for 9+)``, ``reroll(1 best of 2D6 for 9+)``.
    """

    target: int | None = None
    dice: int | None = None

    def __post_init__(self) -> None:
        _require_roll(self.roll)
        if self.target is not None:
            validation.set_whole(self, "target", "target")
        if self.dice is not None:
            validation.set_whole(self, "dice", "dice to re-roll", 0)
            if not (isinstance(self.roll, Repeated) and 1 <= self.dice <= self.roll.count):
                count, dice = validation.shown(getattr(self.roll, "count", 1)), validation.shown(self.dice)
                raise MathhammerError(f"expected 1 to {count} dice of {count} to re-roll, got {dice}")

    def compute(self) -> Distribution:
        roll, target = self.roll, self.target
        if self.dice is not None and isinstance(roll, Repeated):
            die = roll.each.compute()
            weights, denominator = die._complete("best re-roll").weights()
            low = roll.count * die._low
            above = None if target is None else target - low
            return Distribution._new(rerolled_best(weights, denominator, roll.count, self.dice, above), low)
        rolled = roll.compute()
        if target is not None:
            return rolled.reroll(lambda value: value < target)
        # The mean is compared exactly, so that a tie is no matter of rounding.
        weights, denominator = rolled._complete("best re-roll").weights()
        total = sum(value * weight for value, weight in zip(rolled.support, weights, strict=True))
        return rolled.reroll(lambda value: value * denominator < total)

    def _text(self) -> str:
        purpose = "" if self.target is None else f" for {self.target}+"
        what = f"{self.roll}, best" if self.dice is None else f"{self.dice} best of {self.roll}"
        return f"reroll({what}{purpose})"


def _require_roll(expression: Expression) -> None:
    """Refuse what is no roll: a number, a modified value, or dice that were re-rolled already."""
    stack = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, Rerolled | BestReroll):
            raise MathhammerError(
                f"expected dice that were not re-rolled yet, got {part}; no die is re-rolled twice"
            )
        if not isinstance(
            part, Die | Faces | Compound | Repeated | Sum | Difference | Extreme | Pool | ExtraDice
        ):
            raise MathhammerError(
                f"expected a roll of dice to re-roll, got {expression}; re-rolls come before modifiers, as in "
                "reroll(D6, 1)+1"
            )
        stack += [part.each] if isinstance(part, Compound) else part.parts()


class Given(OfRoll):
    """A value under a condition: ``given(2D6, 7+)``."""

    condition: FaceCondition
    form: ClassVar[str] = "given({0.roll}, {0.condition})"

    def compute(self) -> Distribution:
        return self.roll.compute().given(self.condition)


class Exploded(Expression):
    """A die that is rolled again and added while it meets a condition: ``explode(D6, 6, depth 3)``."""

    die: Expression
    #: Which values are followed by another roll, and the most further rolls.
    condition: FaceCondition
    rolls: int
    #: If true (``depth n``), dice that would go on after these are left out, their probability is carried as missing
    #: mass. If false (``at most n``), the rule itself stops: the last roll counts whatever it shows.
    truncated: bool

    def __post_init__(self) -> None:
        validation.set_whole(self, "rolls", "depth", 0)

    def bounds(self) -> tuple[int, int]:
        low, high = self.die.bounds()
        return min(low, low * (self.rolls + 1)), max(high, high * (self.rolls + 1))

    def compute(self) -> Distribution:
        return explode(self.die.compute(), self.condition, self.rolls, truncated=self.truncated)

    def _text(self) -> str:
        end = "depth" if self.truncated else "at most"
        return f"explode({self.die}, {self.condition}, {end} {self.rolls})"


#: Of each word: what is known of (a run that goes on, the answer) once so many dice of the pool show the next face.
_NEXT: dict[str, Callable[[int, int, int, int], tuple[int, int]]] = {
    "distinct": lambda _, known, dice, __: (0, known + (dice > 0)),
    "matching": lambda _, known, dice, __: (0, max(known, dice)),
    "sets": lambda _, known, dice, size: (0, known + dice // size),
    "straight": lambda run, known, dice, _: (run + 1, max(known, run + 1)) if dice else (0, known),
}


class Pattern(Expression):
    """What dice show together: different faces, dice of the largest set, sets of a size, faces of the longest run.

    ``distinct(5D6)``, ``matching(5D6)``, ``sets(3 of 6D6)`` with 2 for six equal dice, ``straight(5D6)``.
    """

    word: str
    entries: Entries
    size: int = 1

    def __post_init__(self) -> None:
        validation.set_whole(self, "size", "dice of a set", 1)
        if len(self.entries) > 1 or self.entries[0][0] < 1:
            raise MathhammerError(f"expected dice of one kind, such as 5D6, got {shown(self.entries)}")

    def bounds(self) -> tuple[int, int]:
        return 0, self.entries[0][0]

    def compute(self) -> Distribution:
        """Sweep over the faces: so many dice of those that are left show it."""
        ((count, die),) = self.entries
        weights, denominator = die.compute()._complete("pattern of dice").weights()
        states = min(count, len(weights)) ** 2 if self.word == "straight" else count // self.size + 1
        steps = 2 * len(weights) * states * count**2  # each takes longer than a multiplication
        require_steps(steps, count * denominator.bit_length(), f"{self}")
        reached = {(count, 0, 0): 1}
        for weight in weights:
            before, reached = reached, {}
            for (left, run, known), ways in before.items():
                for dice in range(left + 1 if weight else 1):
                    after = (left - dice, *_NEXT[self.word](run, known, dice, self.size))
                    reached[after] = reached.get(after, 0) + ways * comb(left, dice) * weight**dice
        found = [0] * (count + 1)
        for (left, _, known), ways in reached.items():
            found[known] += 0 if left else ways
        low = next(value for value, ways in enumerate(found) if ways)
        return Distribution._new(mass_type(exact=True).from_weights(found[low:], denominator**count), low)

    def _text(self) -> str:
        return f"{self.word}({f'{self.size} of ' * (self.word == 'sets')}{_dice_of(self.entries)})"


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


def _dice_of(entries: Entries) -> str:
    return ", ".join(f"{str(count) * (count > 1)}{die:each}" for count, die in entries)
