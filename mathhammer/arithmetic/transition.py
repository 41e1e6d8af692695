"""The sparse transition of one step of a walk; walks of numbers packed into long integers, and over equal blocks."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import chain, pairwise
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from flint import fmpz, fmpz_mat, fmpz_poly

from mathhammer.arithmetic.mass import cut_at
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence


#: Most states of a transition that one step multiplies as a matrix, and bits from which numbers are long.
MAXIMUM_DENSE, LONG = 64, 8_192
#: Seconds of a product of two generating functions for each bit of one, and most for all of them.
BIT, SECONDS = 1.2e-8, 5.0
_NONE = fmpz(0)


class PackedWalk:
    """Steps of one transition over packed numerators."""

    __slots__ = ("_bits", "_bounds", "_moves", "_order", "_windows")

    def __init__(self, transition: Transition, bits: int) -> None:
        lanes = transition.lanes
        self._order = transition.order
        self._bits = bits = -(-bits // 8) * 8
        self._bounds = [lane.start for lane in lanes] + [len(self._order)]
        windows: dict[tuple[int, int], int] = {}
        weights: dict[int, fmpz] = {}
        self._moves: list[list[tuple[int, fmpz]]] = []
        for place, (start, moves) in enumerate(lanes):
            stop, each = self._bounds[place + 1], []
            for distance, weight in moves:
                window = windows.setdefault((start + distance, stop + distance), len(windows))
                if weight not in weights:
                    weights[weight] = fmpz(weight)
                each.append((window, weights[weight]))
            self._moves.append(each)
        self._windows = [self._pieces(first, last) for first, last in windows]

    def _pieces(self, first: int, last: int) -> list[tuple[int, int, int]]:
        """Return the lanes that a window of targets lies in, the last one first."""
        found = []
        lane = bisect_right(self._bounds, first) - 1
        while first < last:
            found.append((lane, first, first - self._bounds[lane]))
            lane += 1
            first = self._bounds[lane]
        least = found[0][1]
        return [(lane, (begin - least) * self._bits, at * self._bits) for lane, begin, at in reversed(found)]

    def pack(self, values: Sequence[fmpz]) -> list[fmpz]:
        """Return one integer for each lane."""
        found, size = [], self._bits // 8
        for start, stop in pairwise(self._bounds):
            numbers = [values[state] for state in self._order[start:stop]]
            if len(numbers) == 1 or not any(numbers):
                found.append(numbers[0])
            else:
                each = b"".join([int(number).to_bytes(size, "little") for number in numbers])
                found.append(fmpz(int.from_bytes(each, "little")))
        return found

    def unpack(self, packed: Sequence[fmpz]) -> list[fmpz]:
        """Return the numerator of every state."""
        values, size = [_NONE] * len(self._order), self._bits // 8
        for lane, (start, stop) in zip(packed, pairwise(self._bounds), strict=True):
            if stop - start == 1:
                values[self._order[start]] = lane
            elif lane:
                each = int(lane).to_bytes((stop - start) * size, "little")
                for at, state in enumerate(self._order[start:stop]):
                    values[state] = fmpz(int.from_bytes(each[at * size : (at + 1) * size], "little"))
        return values

    def step(self, packed: Sequence[fmpz]) -> list[fmpz]:
        """Return the numerators after one step, which come over a denominator as many times as long as its own."""
        sums = [_NONE] * len(self._windows)
        for lane, moves in zip(packed, self._moves, strict=True):
            if lane:
                for window, weight in moves:
                    sums[window] += lane * weight
        after = [_NONE] * len(packed)
        for rest, pieces in zip(sums, self._windows, strict=True):
            if not rest:
                continue
            for place, cut, shift in pieces[:-1]:
                if high := rest >> cut:
                    after[place] += high << shift if shift else high
                    rest -= high << cut  # noqa: PLW2901 - what lies before
            place, _, shift = pieces[-1]
            after[place] += rest << shift if shift else rest
        return after


Rows = list[dict[int, int]]
Block = list[list[int]]


class Lane(NamedTuple):
    """States in a row that a step treats alike: by each distance that it moves them on, the weight."""

    start: int
    moves: tuple[tuple[int, int], ...]


class Transition:
    """From each state to others, by whole weights over one denominator."""

    def __init__(
        self, rows: Sequence[dict[int, int]], denominator: int, order: Sequence[int] | None = None
    ) -> None:
        divisor = gcd(denominator, *chain.from_iterable(map(dict.values, rows)))
        self.rows = [{column: weight // divisor for column, weight in row.items() if weight} for row in rows]
        self.denominator = denominator // divisor
        self.order: Sequence[int] = range(len(rows)) if order is None else order
        self.block: Block | None = None

    @classmethod
    def banded(cls, block: Block, denominator: int, copies: int) -> Transition:
        """Return the transition of equal blocks in a row and one absorbing state, see `Matrix.banded`."""
        divisor = gcd(denominator, *chain.from_iterable(block))
        made = object.__new__(cls)
        made.denominator = denominator // divisor
        made.block = block if divisor == 1 else [[weight // divisor for weight in row] for row in block]
        width = len(block)
        # The absorbing state comes after the first states of all blocks, which are moved on to it.
        made.order = [
            *range(0, copies * width + 1, width),
            *[state for first in range(1, width) for state in range(first, copies * width, width)],
        ]
        return made

    @cached_property
    def rows(self) -> Rows:
        """By each state the weights of those that it leads to; of equal blocks written out when it is asked for."""
        block, last = self.block or [], len(self.order) - 1
        rows = [
            {first + column: weight for column, weight in enumerate(row) if weight}
            for first in range(0, last, len(block))
            for row in block
        ]
        return [*rows, {last: self.denominator}]

    @cached_property
    def entries(self) -> int:
        """Number of the products that a step takes."""
        if self.block is None:
            return sum(map(len, self.rows))
        weights = list(chain.from_iterable(self.block))
        return 1 + (len(weights) - weights.count(0)) * ((len(self.order) - 1) // len(self.block))

    def renews(self, start: list[fmpz], most: int, bits: int) -> bool:
        """Return whether to walk `most` steps over equal blocks as a renewal process.

        From one state that is always done, and refused with a TooLargeError where it takes too long; from several
        states only where the numbers are long.
        """
        width, size = len(self.block or self.order), len(self.order)
        seconds = min(size // width, most) * most**2 * self.denominator.bit_length() * BIT
        if start.count(_NONE) < size - 1:
            return size > MAXIMUM_DENSE and bits > LONG and seconds * width <= SECONDS
        if seconds > SECONDS:
            raise TooLargeError(
                f"expected a question that takes at most {SECONDS:.0f} seconds, but up to {most:,} wounds on "
                f"{size // width:,} models take about {seconds:.0f}; use fewer attacks or a smaller unit"
            )
        return True

    @cached_property
    def dense(self) -> fmpz_mat:
        """The same as a matrix, which costs less where states are few."""
        size = len(self.order)
        matrix = fmpz_mat(size, size)
        for state, row in enumerate(self.rows):
            for column, weight in row.items():
                matrix[state, column] = weight
        return matrix

    @cached_property
    def lanes(self) -> list[Lane]:
        """The states in their order, those that are moved on alike together."""
        places = dict(zip(self.order, range(len(self.order)), strict=True))
        found: list[Lane] = []
        for place, state in enumerate(self.order):
            moves = tuple(
                sorted([(places[after] - place, weight) for after, weight in self.rows[state].items()])
            )
            if not found or moves != found[-1].moves:
                found.append(Lane(place, moves))
        return found

    def __matmul__(self, other: Transition) -> Transition:
        """Return this step and another after it."""
        product = _product(self.rows, other.rows)
        return Transition(product, self.denominator * other.denominator, self.order)

    def __add__(self, other: Transition) -> Transition:
        """Return the sum of two parts of one step."""
        one, two = other.denominator, self.denominator
        rows = _scaled(self.rows, one)
        for total, row in zip(rows, other.rows, strict=True):
            for column, weight in row.items():
                total[column] = total.get(column, 0) + weight * two
        return Transition(rows, one * two, self.order)

    def times(self, weight: int, denominator: int) -> Transition:
        """Times a fraction."""
        return Transition(_scaled(self.rows, weight), self.denominator * denominator, self.order)

    def polynomial(self, weights: Sequence[int], denominator: int) -> Transition:
        """Sum of ``weights[i] / denominator`` times i of these steps."""
        most = len(weights) - 1
        total: Rows = [{state: weights[-1]} for state in range(len(self.order))]
        for power in range(1, most + 1):
            total = _product(total, self.rows) if power > 1 else _scaled(self.rows, weights[-1])
            if weight := weights[-1 - power] * self.denominator**power:
                for state, row in enumerate(total):
                    row[state] = row.get(state, 0) + weight
        return Transition(total, self.denominator**most * denominator, self.order)


def _product(one: Rows, other: Rows) -> Rows:
    rows: Rows = []
    for row in one:
        after: dict[int, int] = {}
        for between, weight in row.items():
            for column, further in other[between].items():
                after[column] = after.get(column, 0) + weight * further
        rows.append(after)
    return rows


def _scaled(rows: Rows, weight: int) -> Rows:
    return [{column: each * weight for column, each in row.items()} for row in rows]


def after_blocks(
    block: Block,
    denominator: int,
    start: Sequence[fmpz],
    least: int,
    weights: Sequence[fmpz],
) -> fmpz_poly:
    """Return the numerators of all states after `least` and n steps with weight ``weights[n]``, a renewal process."""
    width, most, last = len(block), least + len(weights) - 1, len(start) - 1
    # The weights backwards: the last coefficient of a product with them is the sum over all numbers of steps.
    backwards = fmpz_poly(weights[::-1])
    number = backwards(fmpz_poly([0, denominator]))
    inside, leaves = _one_block(block, 0, most)
    found, total = fmpz_poly([]), fmpz(0)
    for begun in range(width):
        own = fmpz_poly(start[begun:last:width])
        if not own:
            continue
        total += own(1)
        left, before, values = last // width, [number], list[fmpz]()
        if begun:
            here, leaving = _one_block(block, begun, most)
            values, left, before = _last(before, here, most), left - 1, [number.mul_low(leaving, most + 1)]
        for _ in range(min(left, most + 1) - 1):
            before.append(before[-1].mul_low(leaves, most + 1))
        if left:
            values += _last(before, inside, most)
        found += own.inflate(width) * fmpz_poly(values)
    return cut_at(last, found, (total + start[last]) * backwards(1) * fmpz(denominator) ** most)


def _one_block(block: Block, begun: int, most: int) -> tuple[list[fmpz_poly], fmpz_poly]:
    """Return the generating functions of the steps to each place of a block, and of those that leave it."""
    width = len(block)
    arriving = [fmpz_poly([])] * (width + 1)
    arriving[begun] = fmpz_poly([1])
    for place in range(begun, width):
        stays = block[place][place]
        if stays:
            loops = fmpz_poly([fmpz(stays) ** steps for steps in range(most + 1)])
            arriving[place] = arriving[place].mul_low(loops, most + 1)
        further = arriving[place].left_shift(1).truncate(most + 1)
        for column in range(place + 1, width + 1):
            if weight := block[place][column]:
                arriving[column] += further * weight
    return arriving[:-1], arriving[-1]


def _last(before: Sequence[fmpz_poly], after: Sequence[fmpz_poly], most: int) -> list[fmpz]:
    """Return the last coefficient of the product of each of some series with each of others."""
    span = 1 + max([each.degree() for each in after])
    backwards = range(most, most - span, -1)
    left = fmpz_mat(len(before), span, [each[place] for each in before for place in backwards])
    right = fmpz_mat(span, len(after), [each[place] for place in range(span) for each in after])
    return (left * right).entries()
