"""Parts of distributions, and steps between states by the re-rolls held."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from flint import fmpz_poly

from mathhammer.arithmetic.mass import Mass
from mathhammer.arithmetic.pace import begin
from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.arithmetic.matrix import Matrix
    from mathhammer.arithmetic.transition import Transition as Step


class Measure(NamedTuple):
    """Mass on the numbers from `low` on: what a distribution is the sum of, one part for each case."""

    #: The first number.
    low: int
    #: Mass of that number and of those that follow.
    mass: Mass

    @classmethod
    def of(cls, distribution: Distribution) -> Measure:
        """Return the whole of a distribution."""
        return cls(distribution._low, distribution._mass)

    @classmethod
    def at(cls, number: int) -> Measure:
        """Return all mass at one number."""
        return cls(number, Mass.from_weights([1], 1))

    @classmethod
    def from_weights(cls, weights: Sequence[int], denominator: int) -> Measure:
        """Return mass ``weights[i] / denominator`` on the number i."""
        return cls(0, Mass.from_weights(weights, denominator))

    @property
    def most(self) -> int:
        """The last number."""
        return self.low + self.mass._length - 1

    def distribution(self) -> Distribution:
        """Return the distribution that this is the whole of."""
        return Distribution._new(self.mass, self.low)

    def scaled(self, weight: int, denominator: int) -> Measure:
        """Return a fraction of it."""
        return Measure(self.low, Mass.from_weights([weight], denominator).mixture([self.mass], [0]))

    def plus(self, other: Measure) -> Measure:
        """Return the sum of two independent numbers."""
        return Measure(self.low + other.low, self.mass.convolve(other.mass))

    def about_one(self) -> Measure:
        """Return the first two terms of its generating function about 1: its mass, and its mean times that."""
        mass = self.mass.padded(self.low)
        return Measure(0, Mass(mass._numerators(fmpz_poly([1, 1])).truncate(2), mass._denominator, 2))

    def compound(self, term: Measure, cut: int | None = None) -> Measure:
        """Return the sum of so many independent terms of 0 or more; of a sum that is more than `cut`, that."""
        inner = term.mass.padded(term.low)
        if self.mass._length == 1 and not self.mass.deficit()[0]:
            return Measure(0, inner.power(self.low, cut))
        return Measure(0, self.mass.padded(self.low).compound(inner, cut))

    def tails(self, out_of: int) -> Measure:
        """Return the mass above each number from 0 on, over a whole number."""
        terms, denominator = self.mass.terms()
        tail = list(accumulate(reversed(terms)))[::-1]
        weights = [tail[0]] * self.low + tail[1:]
        return Measure(0, type(self.mass).from_terms(weights, denominator * out_of))

    def mixture(self, parts: Sequence[Measure]) -> Measure:
        """Return the sum of parts, each times the mass of a number from `low` on."""
        low = min(part.low for part in parts)
        mass = self.mass.window(0, len(parts))
        return Measure(low, mass.mixture([part.mass for part in parts], [part.low - low for part in parts]))

    @staticmethod
    def union(parts: Sequence[Measure]) -> Measure:
        """Return all parts together."""
        if len(parts) == 1:
            return parts[0]
        return Measure(0, Mass.from_weights([1] * len(parts), 1)).mixture(parts)


#: Most seconds that a walk, or all walks of a question, may take, as estimated before each is begun.
MAXIMUM_SECONDS = 5.0
#: The seconds of the walks so far of a question that takes several.
_TOGETHER: ContextVar[list[float] | None] = ContextVar("_TOGETHER", default=None)


#: Seconds of one step for each weight of the transition and each limb of 64 bits; and for each number, however short.
LIMB, NUMBER = 1e-9, 1e-7
#: Where a walk begins with numbers of more bits than this: each limb, and each product of one with those that grow.
SHORT, LONG_LIMB, LIMB_PRODUCT = 64, 3e-9, 5e-10
#: The same of each limb of two long numbers that are multiplied.
PRODUCT_LIMB = 1e-8
#: The same of each limb of a power, and of a composition, of a polynomial in two variables, for each pair of powers.
POWER, COMPOSITION = 5e-7, 4e-6

#: Names of the single re-rolls that can still be made.
Held = frozenset[str]
NO_REROLLS: Held = frozenset()

#: A random number of steps, by the re-rolls held before and left after it is rolled; each part has its share of mass.
Number = list[tuple[Held, Held, Measure]]


class Kernel:
    """The transition of one step, by the re-rolls held before and after it."""

    def __init__(self, parts: Mapping[tuple[Held, Held], Step], rerolls: Held = NO_REROLLS) -> None:
        #: A transition for each pair of re-rolls held before and left after: those from one set are parts of one.
        self.parts = parts
        #: The re-rolls that the step may use.
        self.rerolls = rerolls

    @classmethod
    def of(cls, transition: Step) -> Kernel:
        """Return a step that uses no re-roll."""
        return cls({(NO_REROLLS, NO_REROLLS): transition})

    @cached_property
    def plain(self) -> Step:
        """The transition when no re-roll is held."""
        return self.parts[NO_REROLLS, NO_REROLLS]

    @cached_property
    def entries(self) -> int:
        """Number of the products that a step of one row takes."""
        return sum([transition.entries for transition in self.parts.values()])

    @cached_property
    def bits(self) -> int:
        """Bits by which the numbers of a walk grow at each step."""
        return max([matrix.denominator.bit_length() for matrix in self.parts.values()])

    def from_held(self, held: Held) -> Iterator[tuple[Held, Step]]:
        """Yield what is left of the re-rolls held, and the transition to there."""
        own = held & self.rerolls
        for (before, left), matrix in self.parts.items():
            if before == own:
                yield held - own | left, matrix

    def __matmul__(self, other: Kernel) -> Kernel:
        """Return this step and another after it, which use the same re-rolls."""
        found: dict[tuple[Held, Held], Step] = {}
        for (held, between), matrix in self.parts.items():
            for left, after in other.from_held(between):
                add_block(found, (held, left), matrix @ after)
        return Kernel(found, self.rerolls)

    def polynomial(self, weights: Sequence[int], denominator: int) -> Kernel:
        """Sum of ``weights[i] / denominator`` times i of these steps."""
        if not self.rerolls:
            return Kernel.of(self.plain.polynomial(weights, denominator))
        identity = self.plain.polynomial([1], 1)
        power: Kernel = Kernel(
            {(held, held): identity for held in {held for held, _ in self.parts}}, self.rerolls
        )
        found: dict[tuple[Held, Held], Step] = {}
        for steps, weight in enumerate(weights):
            if steps:
                power = power @ self
            if weight:
                for key, matrix in power.parts.items():
                    add_block(found, key, matrix.times(weight, denominator))
        return Kernel(found, self.rerolls)

    def seconds(self, steps: int, rows: int, *, bits: int) -> float:
        """Return about how long so many steps of so many rows take, of numbers of so many bits."""
        grown = steps * self.bits // 64
        limbs = 1 + bits // 64 + grown
        each = LIMB if bits <= SHORT else LONG_LIMB + grown * LIMB_PRODUCT
        return steps * rows * self.entries * (NUMBER + limbs * each)


def starts(blocks: Mapping[Held, Matrix], number: Number) -> list[tuple[Held, Matrix, Measure]]:
    """Return the blocks that the parts of a number of steps begin from, by what is held after it is rolled."""
    rerolls = NO_REROLLS.union(*[held for held, _, _ in number])
    return [
        (held - rerolls | left, block, steps)
        for held, block in blocks.items()
        for before, left, steps in number
        if before == held & rerolls
    ]


def stepped(blocks: Mapping[Held, Matrix], kernel: Kernel) -> dict[Held, Matrix]:
    """One step of every block."""
    moved: dict[Held, Matrix] = {}
    for held, block in blocks.items():
        for left, matrix in kernel.from_held(held):
            add_block(moved, left, block @ matrix)
    return moved


def all_stepped(slices: Mapping[Held, Sequence[Matrix]], kernel: Kernel) -> dict[Held, Matrix]:
    """As many steps of each block as its place among those of the same re-rolls says."""
    blocks = {held: parts[-1] for held, parts in slices.items()}
    for place in range(len(next(iter(slices.values()))) - 2, -1, -1):
        blocks = stepped(blocks, kernel)
        for held, parts in slices.items():
            add_block(blocks, held, parts[place])
    return blocks


def add_block(blocks: dict[Any, Any], key: Any, block: Any) -> None:
    """Add rows to those that are there under a key."""
    present = blocks.get(key)
    blocks[key] = block if present is None else present + block


@contextmanager
def together() -> Iterator[None]:
    """Let all walks within, and around that, take no longer than one walk may."""
    token = _TOGETHER.set(_TOGETHER.get() or [0.0])
    try:
        yield
    finally:
        _TOGETHER.reset(token)


def require_seconds(seconds: float, what: str, remedy: str) -> None:
    """Raise TooLargeError if a walk, with those of its question before it, takes longer than some seconds."""
    begin(seconds)
    total = _TOGETHER.get() or [0.0]
    total[0] += seconds
    if total[0] > MAXIMUM_SECONDS:
        what = what if total[0] == seconds else f"what was asked so far and {what}"
        raise TooLargeError(
            f"expected a question that takes at most {MAXIMUM_SECONDS:.0f} seconds, but {what} take about "
            f"{total[0]:,.0f}; use {remedy}"
        )
