"""A walk over a finite state space: the absorbing Markov chain behind every loss of models.

A volley makes a random number of steps. Each step may also produce *deferred* steps, which are counted beside
the state and walked later: rules that resolve some damage after all other damage need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic

from mathhammer.arithmetic import Arithmetic, Matrix, P
from mathhammer.distributions.integer_law import IntegerLaw
from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mathhammer.distributions.generating_function import GeneratingFunction

__all__ = ["Walk"]

#: Most multiplications of one walk, of exact numbers counted limb by limb.
MAXIMUM_PRODUCTS = 30_000_000_000
#: Products that one entry of the joint law of steps made and deferred is worth.
SPLITTING = 300


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
        # Of each axis: its length, the transition of one deferred step, and the key of that transition.
        self._axes: list[tuple[int, Matrix[P], Hashable]] = []

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
        one: Matrix[P],
        each: GeneratingFunction,
        number: Distribution[P],
        deferred: Matrix[P],
        key: Hashable,
    ) -> None:
        """Make a random number of steps, each of which may defer further steps.

        Parameters
        ----------
        one
            The transition of one step that is not deferred.
        each
            Joint law of the transitions that one step makes at once and of those that it defers.
        number
            Law of the number of steps.
        deferred
            The transition of one deferred step.
        key
            Equal for equal transitions: deferred steps of one kind in a row need one count.
        """
        by_count = [self._block]
        if self._axes and self._axes[-1][2] == key:
            counts = self._axes.pop()[0]
            rows = self._block.shape[0] // counts
            by_count = [self._block.rows(range(i * rows, (i + 1) * rows)) for i in range(counts)]
        shares = each.shares()
        if shares is None:
            kernels = [one.polynomial(row, each.denominator) for row in each.by_second()]
            total = self._step_by_step(by_count, kernels, number)
        else:
            in_all = IntegerLaw(0, tuple(each.of_sum()), each.denominator).distribution(self._arithmetic)
            total = self._split(by_count, one, number.compound(in_all), shares)
        self._block = self._arithmetic.matrix.stack(total)
        self._axes.append((len(total), deferred, key))

    def _step_by_step(
        self, by_count: list[Matrix[P]], kernels: Sequence[Matrix[P]], number: Distribution[P]
    ) -> list[Matrix[P]]:
        """Return the states by deferred count: ``kernels[j]`` is the (sub-stochastic) step that defers j others."""
        least, most = number.support[0], number.support[-1]
        self.require(most, kernels=len(kernels) * (1 + most * (len(kernels) - 1)), bits=kernels[0].bits)
        total: list[Matrix[P]] = []
        for made in range(most + 1):
            if made >= least:
                scaled = [block.scaled(number._mass, made - least) for block in by_count]
                total = [a + b for a, b in zip(total, scaled[: len(total)], strict=True)] + scaled[
                    len(total) :
                ]
            if made < most:
                by_count = _convolve(by_count, kernels)
        return total

    def _split(
        self,
        by_count: Sequence[Matrix[P]],
        one: Matrix[P],
        number: Distribution[P],
        shares: tuple[int, int],
    ) -> list[Matrix[P]]:
        """Return the states by deferred count where of a random number of steps each is deferred by one chance.

        The steps that are made are powers of one transition, whatever the number of those deferred: their joint
        law, times the states after each number of steps, is all that is needed.
        """
        most, rows = number.support[-1], by_count[0].shape[0]
        self.require(most, kernels=(1 + most) * max(1, SPLITTING // self._states**2), bits=one.bits)
        joint = self._arithmetic.matrix.binomial(number._mass, number._low, *shares)
        total: list[Matrix[P]] = []
        for before, block in enumerate(by_count):
            after = [block]
            for _ in range(most):
                after.append(after[-1] @ one)
            made = self._arithmetic.matrix.stack(after)
            alike = [joint @ made.rows(range(row, (1 + most) * rows, rows)) for row in range(rows)]
            stacked = alike[0] if rows == 1 else self._arithmetic.matrix.stack(alike)
            for count in range(1 + most):
                part = stacked.rows(range(count, (1 + most) * rows, 1 + most))
                if before + count < len(total):
                    total[before + count] += part
                else:
                    total.append(part)
        return total

    def resolve(self) -> None:
        """Walk all deferred steps, those of the axis opened first before those of the next."""
        while self._axes:
            counts, deferred, _ = self._axes.pop(0)
            self.require(counts, bits=deferred.bits)
            rows = self._block.shape[0]
            block = self._block.rows(range(counts - 1, rows, counts))
            for count in range(counts - 2, -1, -1):
                block = block @ deferred + self._block.rows(range(count, rows, counts))
            self._block = block

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


def _convolve(by_count: Sequence[Matrix[P]], kernels: Sequence[Matrix[P]]) -> list[Matrix[P]]:
    """One step: the deferred count grows by the index of the kernel."""
    moved: list[Matrix[P] | None] = [None] * (len(by_count) + len(kernels) - 1)
    for count, block in enumerate(by_count):
        for more, kernel in enumerate(kernels):
            part = block @ kernel
            present = moved[count + more]
            moved[count + more] = part if present is None else present + part
    return [block for block in moved if block is not None]
