"""A walk over a finite state space: the absorbing Markov chain behind every loss of models.

A volley makes a random number of steps. Each step may also produce *deferred* steps, which are counted beside
the state and walked later: rules that resolve some damage after all other damage need it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from operator import add, itemgetter
from typing import TYPE_CHECKING, Generic

from mathhammer.arithmetic import Arithmetic, Matrix, P
from mathhammer.distributions.integer_law import IntegerLaw
from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mathhammer.distributions.generating_function import GeneratingFunction

__all__ = ["Deferred", "Walk", "step_matrices"]

#: Most multiplications of one walk, of exact numbers counted limb by limb.
MAXIMUM_PRODUCTS = 30_000_000_000
#: Products that one entry of the joint law of steps made and deferred is worth.
SPLITTING = 300

#: Blocks by the counts of deferred steps.
_ByCounts = dict[tuple[int, ...], Matrix[P]]


@dataclass(frozen=True, slots=True)
class Deferred(Generic[P]):
    """A kind of steps that are made later.

    Parameters
    ----------
    transition
        The matrix of one of them.
    key
        Equal for equal transitions: steps of one kind in a row need one count.
    rank
        Steps of a lower rank are made first, whenever they were deferred; those below 0 do not wait for the last one.

    Examples
    --------
    From state 0 to 1 and from there to 2, two steps later on:

    >>> from mathhammer import distribution
    >>> from mathhammer.arithmetic import arithmetic
    >>> kind = arithmetic(exact=True)
    >>> step = kind.matrix.from_rows([{1: 1}, {2: 1}, {2: 1}], 1)
    >>> walk = Walk(kind, 0, 3)
    >>> walk.defer(Deferred(step, "step"), distribution("D2", exact=True))
    >>> walk.resolve()
    >>> walk.law().mean()
    3/2
    """

    transition: Matrix[P]
    key: Hashable
    rank: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Axis(Generic[P]):
    """A count of deferred steps beside the state, and its turn: the rank, then when it was opened."""

    counts: int
    kind: Deferred[P]
    order: tuple[int, int]


class Walk(Generic[P]):
    """The law of the state of a chain, with counts of deferred steps beside it.

    Parameters
    ----------
    arithmetic
        The arithmetic of the walk.
    start
        Index of the starting state, or its law.
    states
        Number of states.

    Notes
    -----
    The block has one row for each combination of deferred counts and one column for each state. The axis that
    was opened first varies fastest.

    Examples
    --------
    >>> from mathhammer import distribution
    >>> from mathhammer.arithmetic import arithmetic
    >>> exact = arithmetic(exact=True)
    >>> rows = [{0: 1, 1: 1}, {1: 1, 2: 1}, {2: 2}]  # forward with 1/2, up to state 2
    >>> step = exact.matrix.from_rows(rows, 2)
    >>> walk = Walk(exact, 0, 3)
    >>> walk.advance(step, distribution("D2", exact=True))
    >>> walk.law().pmf(2)  # two steps with 1/2, both forward with 1/4
    1/8
    """

    def __init__(self, arithmetic: Arithmetic[P], start: int | Distribution[P], states: int) -> None:
        self._arithmetic = arithmetic
        self._states = states
        self._block: Matrix[P]
        if isinstance(start, int):
            self._block = arithmetic.matrix.point(start, states)
        else:
            self._block = arithmetic.matrix.row(start._mass, start.support[0], states)
        self._axes: list[_Axis[P]] = []
        self._apart: list[tuple[tuple[int, int], Matrix[P], Distribution[P]]] = []
        self._opened = 0
        self._latest: dict[int, int] = {}

    def __repr__(self) -> str:
        return f"<Walk over {self._states} states, axes of deferred steps: {len(self._axes)}>"

    def advance(self, transition: Matrix[P], number: Distribution[P]) -> None:
        """Make a random number of steps of one transition.

        Parameters
        ----------
        transition
            The matrix of one step.
        number
            Law of the number of steps.
        """
        mass, least = number._mass, number._low
        self.require(least + len(mass) - 1, bits=transition.bits)
        self._block = self._block.advance(transition, mass, least)

    def advance_powers(
        self, one: Matrix[P], weights: Sequence[int], denominator: int, number: Distribution[P]
    ) -> None:
        """Make a random number of steps, each of which is so many of one transition by chance.

        Parameters
        ----------
        one
            The matrix of one transition.
        weights, denominator
            Weights of none, one, two, ... of them in a step.
        number
            Law of the number of steps.
        """
        least, most = number.support[0], number.support[-1]
        degree = len(weights) - 1
        if self._arithmetic.mass.exact or degree < 2 or most * degree > self._states:
            self.advance(one.polynomial(weights, denominator), number)
            return
        # Few steps over many states: rows times a matrix a few times cost less than one product of matrices.
        chances = self._arithmetic.mass.from_weights(weights, denominator)
        total = None
        for made in range(most + 1):
            if made:
                before = self._block
                self._block = before.scaled(chances, degree)
                for power in range(degree - 1, -1, -1):
                    self._block = self._block @ one + before.scaled(chances, power)
            if made >= least:
                part = self._block.scaled(number._mass, made - least)
                total = part if total is None else total + part
        self._block = self._block if total is None else total

    def advance_deferring(
        self,
        once: Sequence[Matrix[P]],
        each: GeneratingFunction,
        number: Distribution[P],
        kinds: Sequence[Deferred[P]],
    ) -> None:
        """Make a random number of steps, each of which may defer further steps.

        Parameters
        ----------
        once
            The transitions of the kinds of steps that are not deferred.
        each
            Joint law of the transitions of each kind that one step makes at once, and of those that it defers.
        number
            Law of the number of steps.
        kinds
            The kinds of deferred steps.
        """
        by_counts, orders = self._by_counts(kinds)
        shares = each.shares() if len(once) == len(kinds) == 1 else None
        if shares is None:
            total = self._step_by_step(by_counts, step_matrices(once, each), number)
        else:
            in_all = IntegerLaw(0, tuple(each.of_sum()), each.denominator).distribution(self._arithmetic)
            total = self._split(by_counts, once[0], number.compound(in_all), shares)
        lengths = [1 + counted for counted in map(max, zip(*total, strict=True))]
        # The last kind varies slowest, as the axis that is opened last does.
        places = [place[::-1] for place in product(*map(range, reversed(lengths)))]
        nothing = (
            next(iter(total.values())) @ once[0].polynomial([0], 1) if len(total) < len(places) else None
        )
        blocks = [total.get(place, nothing) for place in places]
        self._block = self._arithmetic.matrix.stack([block for block in blocks if block is not None])
        self._axes += [
            _Axis(length, kind, order) for length, kind, order in zip(lengths, kinds, orders, strict=True)
        ]

    def _step_by_step(
        self, by_counts: _ByCounts[P], matrices: _ByCounts[P], number: Distribution[P]
    ) -> _ByCounts[P]:
        """Return the states by deferred counts, for the (sub-stochastic) steps that defer so many others."""
        least, most = number.support[0], number.support[-1]
        growth = prod(1 + most * deferred for deferred in map(max, zip(*matrices, strict=True)))
        self.require(most, kernels=len(matrices) * growth, bits=next(iter(matrices.values())).bits)
        total: _ByCounts[P] = {}
        for made in range(most + 1):
            if made >= least:
                for counts, block in by_counts.items():
                    _add(total, counts, block.scaled(number._mass, made - least))
            if made < most:
                by_counts = _convolve(by_counts, matrices)
        return total

    def _split(
        self, by_counts: _ByCounts[P], one: Matrix[P], number: Distribution[P], shares: tuple[int, int]
    ) -> _ByCounts[P]:
        """Return the states by deferred count where of a random number of steps each is deferred by one chance.

        The steps that are made are powers of one transition, whatever the number of those deferred: their joint
        law, times the states after each number of steps, is all that is needed.
        """
        most, rows = number.support[-1], next(iter(by_counts.values())).shape[0]
        self.require(most, kernels=(1 + most) * max(1, SPLITTING // self._states**2), bits=one.bits)
        joint = self._arithmetic.matrix.binomial(number._mass, number._low, *shares)
        total: _ByCounts[P] = {}
        for (before,), block in by_counts.items():
            after = [block]
            for _ in range(most):
                after.append(after[-1] @ one)
            made = self._arithmetic.matrix.stack(after)
            alike = [joint @ made.rows(range(row, (1 + most) * rows, rows)) for row in range(rows)]
            stacked = alike[0] if rows == 1 else self._arithmetic.matrix.stack(alike)
            for count in range(1 + most):
                _add(total, (before + count,), stacked.rows(range(count, (1 + most) * rows, 1 + most)))
        return total

    def defer(self, kind: Deferred[P], number: Distribution[P]) -> None:
        """Make a random number of steps later: as many as they are, whatever the state is until then."""
        self._apart.append((self._order(kind), kind.transition, number))

    def resolve(self, *, below: int | None = None) -> None:
        """Walk the deferred steps of ranks below a number, or all: lower ranks first, of equal ones the earliest."""
        if not (self._axes or self._apart):
            return
        waiting: list[tuple[tuple[int, int], _Axis[P] | tuple[Matrix[P], Distribution[P]]]] = [
            (axis.order, axis) for axis in self._axes if below is None or axis.kind.rank < below
        ]
        later = [apart for apart in self._apart if below is not None and apart[0][0] >= below]
        waiting += [(apart[0], apart[1:]) for apart in self._apart if apart not in later]
        self._apart = later
        for _, each in sorted(waiting, key=itemgetter(0)):
            if isinstance(each, _Axis):
                self._resolve(each)
            else:
                self.advance(*each)

    def _resolve(self, axis: _Axis[P]) -> None:
        deferred = axis.kind.transition
        self.require(axis.counts, bits=deferred.bits)
        *fewer, block = self._slices(self._block, self._axes.index(axis))
        for part in reversed(fewer):
            block = block @ deferred + part
        self._axes.remove(axis)
        self._block = block

    def _by_counts(self, kinds: Sequence[Deferred[P]]) -> tuple[_ByCounts[P], list[tuple[int, int]]]:
        """Take the block apart by the counts of the axes that these kinds go on with; return their orders too.

        A kind goes on with an axis of its own transition, if nothing else of its rank was deferred since.
        """
        by_counts: _ByCounts[P] = {(): self._block}
        orders = []
        for kind in kinds:
            last = max(
                (axis for axis in self._axes if axis.kind.rank == kind.rank),
                key=lambda axis: axis.order,
                default=None,
            )
            if (
                last is None
                or last.kind.key != kind.key
                or last.order != (kind.rank, self._latest[kind.rank])
            ):
                orders.append(self._order(kind))
                by_counts = {(*counts, 0): block for counts, block in by_counts.items()}
                continue
            orders.append(last.order)
            place = self._axes.index(last)
            by_counts = {
                (*counts, count): part
                for counts, block in by_counts.items()
                for count, part in enumerate(self._slices(block, place))
            }
            del self._axes[place]
        return by_counts, orders

    def _slices(self, block: Matrix[P], place: int) -> list[Matrix[P]]:
        """Return the rows of a block for each count of the axis at a place."""
        stride, length = prod(axis.counts for axis in self._axes[:place]), self._axes[place].counts
        rows, period = block.shape[0], stride * length
        if stride == 1:
            return [block.rows(range(count, rows, length)) for count in range(length)]
        parts = [
            [block.rows(range(low, low + stride)) for low in range(count * stride, rows, period)]
            for count in range(length)
        ]
        return [part[0] if len(part) == 1 else self._arithmetic.matrix.stack(part) for part in parts]

    def _order(self, kind: Deferred[P]) -> tuple[int, int]:
        self._opened += 1
        self._latest[kind.rank] = self._opened
        return kind.rank, self._opened

    def law(self) -> Distribution[P]:
        """Law of the index of the state."""
        return Distribution._new(self._block.to_mass(), 0)

    def require(self, steps: int, *, degree: int = 1, kernels: int = 1, bits: int = 0) -> None:
        """Refuse work that would take longer than about half a minute, before it is begun.

        Parameters
        ----------
        steps
            Most steps of the walk.
        degree
            Degree of the polynomial that makes the transition of one step.
        kernels
            Number of transitions applied at each step.
        bits
            Bits by which exact numbers grow at each step; 0 for floats.

        Raises
        ------
        TooLargeError
            With the estimate and the knobs to turn.
        """
        products = steps * kernels * self._block.shape[0] * self._states**2
        # Products of exact numbers cost as many limbs as the numbers have, which grow at every step.
        products += products * steps * bits // 128
        products += (degree - 1) * self._states**3
        if products > MAXIMUM_PRODUCTS:
            raise TooLargeError(
                f"expected a walk of at most {MAXIMUM_PRODUCTS:.0e} products, but {steps:,} steps over "
                f"{self._states:,} states with {self._block.shape[0]:,} deferred counts take about {products:.0e}; "
                f"use fewer attacks or a smaller unit{', or exact=False' if bits else ''}"
            )


def step_matrices(once: Sequence[Matrix[P]], each: GeneratingFunction) -> _ByCounts[P]:
    """Return the matrix of one step for each number of transitions of every kind that it defers.

    Of the transitions that it makes at once, those of the first kind come first.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> from mathhammer.distributions import GeneratingFunction
    >>> one = arithmetic(exact=True).matrix.from_rows([{1: 1}, {1: 1}], 1)
    >>> sorted(step_matrices([one], GeneratingFunction({(1, 0): 1, (0, 1): 2}, 3)))
    [(0,), (1,)]
    """
    first, *others = once
    matrices: _ByCounts[P] = {}
    for further, weights in each.by_further().items():
        part = first.polynomial(weights, each.denominator)
        for transition, count in zip(others, further, strict=False):
            if count:
                part = part @ transition.polynomial([0] * count + [1], 1)
        _add(matrices, further[len(others) :], part)
    return matrices


def _convolve(by_counts: _ByCounts[P], matrices: _ByCounts[P]) -> _ByCounts[P]:
    """One step: the deferred counts grow by those of the step."""
    moved: _ByCounts[P] = {}
    for counts, block in by_counts.items():
        for more, matrix in matrices.items():
            _add(moved, tuple(map(add, counts, more)), block @ matrix)
    return moved


def _add(blocks: _ByCounts[P], counts: tuple[int, ...], block: Matrix[P]) -> None:
    present = blocks.get(counts)
    blocks[counts] = block if present is None else present + block
