"""A walk over a finite state space: the absorbing Markov chain behind every loss of models."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, product
from math import prod
from operator import add, itemgetter
from typing import TYPE_CHECKING

from mathhammer.arithmetic.mass import Mass
from mathhammer.arithmetic.matrix import Matrix
from mathhammer.distributions.kernel import (
    COMPOSITION,
    NO_REROLLS,
    NUMBER,
    POWER,
    PRODUCT_LIMB,
    Held,
    Kernel,
    Measure,
    Number,
    add_block,
    all_stepped,
    require_seconds,
    starts,
)
from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from mathhammer.arithmetic.transition import Transition as Step
    from mathhammer.distributions.integer_distribution import GeneratingFunction

#: Most numbers that a walk holds at once, and the bits that each of them may have: 64 MB.
MAXIMUM_NUMBERS, BITS = 500_000, 1_024

#: Rows by the re-rolls held and the counts of deferred steps.
_Blocks = dict[tuple[Held, tuple[int, ...]], Matrix]


@dataclass(frozen=True, slots=True)
class Deferred:
    """A kind of steps that are made later."""

    #: One of them.
    kernel: Kernel
    #: Equal for equal steps: those of one kind in a row need one count.
    key: Hashable
    #: Steps of a lower rank are made first, whenever they were deferred; those below 0 do not wait for the
    #: last one.
    rank: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Axis:
    """A count of deferred steps beside the state, and its turn: the rank, then when it was opened."""

    counts: int
    kind: Deferred
    order: tuple[int, int]


class Walk:
    """The distribution of the state of a chain, with re-rolls held and counts of deferred steps beside it."""

    def __init__(self, start: int | Distribution, states: int) -> None:
        self._states = states
        if isinstance(start, int):
            block = Matrix.point(start, states)
        else:
            block = Matrix.row(start._mass, start.support[0], states)
        #: The states by the re-rolls held: while no step is deferred, one row each.
        self.blocks: dict[Held, Matrix] = {NO_REROLLS: block}
        self._axes: list[_Axis] = []
        self._apart: list[tuple[tuple[int, int], Kernel, Measure]] = []
        self._opened = count()

    def copy(self) -> Walk:
        """Return the same walk, to go on in another way."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.blocks, other._axes, other._apart = dict(self.blocks), list(self._axes), list(self._apart)
        return other

    # Re-rolls --------------------------------------------------------------------------------------------------

    def hold(self, rerolls: Held) -> None:
        """Give further re-rolls, which can be made from now on."""
        self.blocks = {held | rerolls: block for held, block in self.blocks.items()}

    def drop(self, rerolls: Held) -> None:
        """Take re-rolls away, whether they were made or not."""
        blocks: dict[Held, Matrix] = {}
        for held, block in self.blocks.items():
            add_block(blocks, held - rerolls, block)
        self.blocks = blocks

    def at(self, blocks: Mapping[Held, Matrix], states: int) -> Walk:
        """Return a walk over so many states that goes on from others."""
        other = self.copy()
        other.blocks, other._states = dict(blocks), states
        return other

    # Steps -----------------------------------------------------------------------------------------------------

    def advance(self, kernel: Kernel | int, number: Number) -> None:
        """Make a random number of equal steps; a number of wounds for a step is what equal models lose in each."""
        rerolls = NO_REROLLS if isinstance(kernel, int) else kernel.rerolls
        if len(number) == len(self.blocks) == 1 and not rerolls:
            ((held, block),) = self.blocks.items()
            self.blocks = {held: self._advanced(block, kernel, number[0][2])}
            return
        total: dict[Held, Matrix] = {}
        for held, block, steps in starts(self.blocks, number):
            if isinstance(kernel, int) or not held & rerolls:
                add_block(total, held, self._advanced(block, kernel, steps))
                continue
            self.require(steps.most, kernel)
            parts = [block.scaled(steps.mass, made - steps.low) for made in range(steps.most + 1)]
            for left, reached in all_stepped({held: parts}, kernel).items():
                add_block(total, left, reached)
        self.blocks = total

    def _advanced(self, block: Matrix, kernel: Kernel | int, steps: Measure) -> Matrix:
        if isinstance(kernel, int):
            return block.moved(steps.mass, steps.low, kernel)
        self.require(steps.most, kernel)
        return block.advance(kernel.plain, steps.mass, steps.low)

    def advance_deferring(
        self,
        kernels: Mapping[tuple[int, ...], Kernel],
        number: Number,
        kinds: Sequence[Deferred],
        *,
        split: tuple[Step, GeneratingFunction] | None = None,
        cut: int | None = None,
    ) -> None:
        """Make a random number of steps, each of which may defer further steps."""
        blocks, orders = self._by_counts(kinds)
        if split is None:
            total = self._step_by_step(blocks, kernels, number, cut)
        else:
            total = self._split(blocks, *split, number[0][2], cut)
        lengths = [1 + counted for counted in map(max, zip(*(counts for _, counts in total), strict=True))]
        # The last kind varies slowest, as the axis that is opened last does.
        places = [place[::-1] for place in product(*map(range, reversed(lengths)))]
        zero = next(iter(total.values()))
        nothing = zero.scaled(Mass.from_weights([0], 1), 0)
        self.blocks = {
            held: Matrix.stack([total.get((held, place), nothing) for place in places])
            for held in dict.fromkeys(held for held, _ in total)
        }
        self._axes += [
            _Axis(length, kind, order) for length, kind, order in zip(lengths, kinds, orders, strict=True)
        ]

    def _step_by_step(
        self,
        blocks: _Blocks,
        kernels: Mapping[tuple[int, ...], Kernel],
        number: Number,
        cut: int | None,
    ) -> _Blocks:
        """Return the states after steps of which each may spend re-rolls and defer others."""
        deepest = [max(column) for column in zip(*kernels, strict=True)]
        rerolls = NO_REROLLS.union(*(held for held, _, _ in number))
        total: _Blocks = {}
        for before, left, steps in number:
            least, most = steps.low, steps.most
            growth = prod(1 + _least(most * deferred, cut) for deferred in deepest)
            self.require(most, next(iter(kernels.values())), rows=len(kernels) * growth)
            reached = {
                (held - rerolls | left, counts): block
                for (held, counts), block in blocks.items()
                if held & rerolls == before
            }
            for made in range(most + 1):
                if made >= least:
                    for key, block in reached.items():
                        add_block(total, key, block.scaled(steps.mass, made - least))
                if made == most:
                    break
                moved: _Blocks = {}
                for ((held, counts), block), (more, kernel) in product(reached.items(), kernels.items()):
                    after = tuple(map(add, counts, more))
                    for rest, matrix in kernel.from_held(held):
                        _add_cut(moved, (rest, after), block @ matrix, cut)
                reached = moved
        return total

    def _joint(
        self, each: GeneratingFunction, number: Measure, cut: int | None
    ) -> tuple[Matrix, Mass | None]:
        """Return how many of a random number of things are deferred (by rows) and made (by columns) in all."""
        whole, weights = each.denominator, each.of_sum()
        if (shares := each.shares()) is not None:
            in_all = number.compound(Measure.from_weights(weights, whole), cut)
            first, second = shares
            if cut is None or in_all.most < cut:
                return Matrix.binomial(in_all.mass, in_all.low, first, second), None
            last = cut - in_all.low
            below, beyond = in_all.mass.window(0, last), in_all.mass.window(last, last + 1)
            return Matrix.binomial(below, in_all.low, first, second), beyond
        # The two counts are one number, in which their sum is the higher digit: what is beyond the cut comes last.
        size = _least(1 + number.most * each.degree, cut)
        term = [0] * (1 + min(each.degree * (size + 1), size**2))
        for (made, deferred), weight in each.coefficients.items():
            term[min((made + deferred) * size + deferred, size**2)] += weight
        found = number.compound(Measure.from_weights(term, whole), size**2).mass
        places = [(code % size) * (size - 1) + code // size for code in range(len(found))]
        if len(found) <= size**2:
            return Matrix.table(found.image(places, size**2), size), None
        places[-1] = size**2
        found = found.image(places, size**2 + 1)
        beyond = found.window(size**2, len(found))
        return Matrix.table(found.window(0, size**2), size), beyond

    def _split(
        self,
        blocks: _Blocks,
        one: Step,
        each: GeneratingFunction,
        number: Measure,
        cut: int | None,
    ) -> _Blocks:
        """Return the states by deferred count from the joint distribution of the numbers made and deferred."""
        total: _Blocks = {}
        counts = _least(1 + number.most * each.degree, cut)
        # Of two counts, of which the sum is at most so many, half the pairs can be.
        products = len(blocks) * counts**2 // 2 * next(iter(blocks.values())).shape[0] * self._states
        grown = number.most * each.denominator.bit_length()
        limbs = 1 + grown // 64
        had = max(block.bits for block in blocks.values()) // 64
        power = POWER if len(number.mass) == 1 else COMPOSITION
        seconds = products * (NUMBER + (limbs + had) * PRODUCT_LIMB) + counts**2 * limbs * power
        self.require(counts - 1, Kernel.of(one), held=counts, further=seconds, grown=grown)
        joint, beyond = self._joint(each, number, cut)
        counts = joint.shape[0]
        for (held, (before,)), block in blocks.items():
            if beyond is not None:
                add_block(total, (held, (0,)), block.in_last().scaled(beyond, 0))
            after = [block]
            for _ in range(counts - 1):
                after.append(after[-1] @ one)
            for more in range(counts):
                _add_cut(total, (held, (before + more,)), joint.mixture(more, after), cut)
        return total

    def defer(self, kind: Deferred, number: Measure) -> None:
        """Make a random number of steps later: as many as they are, whatever the state is until then."""
        self._apart.append((self._order(kind), kind.kernel, number))

    def resolve(self, *, below: int | None = None) -> None:
        """Walk the deferred steps of ranks below a number, or all: lower ranks first, of equal ones the earliest."""
        if not (self._axes or self._apart):
            return
        deferred: list[tuple[tuple[int, int], _Axis | tuple[Kernel, Measure]]] = [
            (axis.order, axis) for axis in self._axes if below is None or axis.kind.rank < below
        ]
        later = [apart for apart in self._apart if below is not None and apart[0][0] >= below]
        deferred += [(apart[0], apart[1:]) for apart in self._apart if apart not in later]
        self._apart = later
        for _, each in sorted(deferred, key=itemgetter(0)):
            if isinstance(each, _Axis):
                self.require(each.counts, each.kind.kernel, parts=each.counts)
                place = self._axes.index(each)
                slices = {held: self._slices(block, place) for held, block in self.blocks.items()}
                del self._axes[place]
                self.blocks = all_stepped(slices, each.kind.kernel)
            else:
                kernel, number = each
                self.advance(kernel, [(NO_REROLLS, NO_REROLLS, number)])

    def _by_counts(self, kinds: Sequence[Deferred]) -> tuple[_Blocks, list[tuple[int, int]]]:
        """Take the blocks apart by the counts of the axes that these kinds go on with; return their orders too."""
        blocks: _Blocks = {(held, ()): block for held, block in self.blocks.items()}
        orders: list[tuple[int, int]] = []
        for kind in kinds:
            opened = [*(axis.order for axis in self._axes), *(order for order, *_ in self._apart), *orders]
            latest = max([order for order in opened if order[0] == kind.rank], default=None)
            alike = (axis for axis in self._axes if (axis.order, axis.kind.key) == (latest, kind.key))
            if (last := next(alike, None)) is None:
                orders.append(self._order(kind))
                blocks = {(held, (*counts, 0)): block for (held, counts), block in blocks.items()}
                continue
            orders.append(last.order)
            place = self._axes.index(last)
            blocks = {
                (held, (*counts, made)): part
                for (held, counts), block in blocks.items()
                for made, part in enumerate(self._slices(block, place))
            }
            del self._axes[place]
        return blocks, orders

    def _slices(self, block: Matrix, place: int) -> list[Matrix]:
        """Return the rows of a block for each count of the axis at a place."""
        stride, length = prod(axis.counts for axis in self._axes[:place]), self._axes[place].counts
        return block.slices(stride, length)

    def _order(self, kind: Deferred) -> tuple[int, int]:
        return kind.rank, next(self._opened)

    def distribution(self) -> Distribution:
        """Distribution of the index of the state."""
        if len(self.blocks) == 1:
            (block,) = self.blocks.values()
        else:
            block = Matrix.stack(list(self.blocks.values()))
        return Distribution._new(block.to_mass(), 0)

    def require(
        self,
        steps: int,
        kernel: Kernel,
        *,
        rows: int = 1,
        parts: int = 1,
        held: int = 1,
        further: float = 0,
        grown: int = 0,
    ) -> None:
        """Refuse work that would take longer than some seconds, before it is begun."""
        rows *= max([block.shape[0] for block in self.blocks.values()]) // parts
        counts = rows * held
        numbers = counts * self._states
        bits = max([block.bits for block in self.blocks.values()])
        if counts > 1 and numbers * max(1, (bits + grown) // BITS) > MAXIMUM_NUMBERS:
            raise TooLargeError(
                f"expected at most {MAXIMUM_NUMBERS:,} numbers at once, where a long one counts several times, but "
                f"{counts:,} counts of wounds that wait beside {self._states:,} states of the unit are more; "
                "use fewer attacks, fewer weapons whose wounds wait, or a smaller unit"
            )
        require_seconds(
            kernel.seconds(steps, rows, bits=bits) + further,
            f"up to {steps:,} wounds one by one on a unit of {self._states:,} states"
            + (f" beside {rows:,} counts of wounds that wait" if rows > 1 else ""),
            "fewer attacks or a smaller unit",
        )


def _add_cut(blocks: _Blocks, key: tuple[Held, tuple[int, ...]], block: Matrix, cut: int | None) -> None:
    """Add rows; where more steps wait than there can be, all ends in the last state."""
    held, counts = key
    if cut is not None and sum(counts) >= cut:
        add_block(blocks, (held, (0,) * len(counts)), block.in_last())
    else:
        add_block(blocks, key, block)


def _least(number: int, cut: int | None) -> int:
    return number if cut is None else min(number, cut)
