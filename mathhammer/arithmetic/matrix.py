"""Matrices of exact probability mass, and the arithmetic of both: rows that the steps of a walk move."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Self

from flint import fmpz, fmpz_mat, fmpz_poly

from mathhammer.arithmetic.mass import Mass, cut_at
from mathhammer.arithmetic.transition import MAXIMUM_DENSE, PackedWalk, Transition, after_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.arithmetic.in_order import DiceInOrder


#: Most products of a walk that is made with the matrix of its transition: few cost less than to leave out zeros.
FEW_PRODUCTS = 10_000


class Matrix:
    """A matrix of integer numerators over one denominator."""

    __slots__ = ("_denominator", "_numerators", "_row")

    def __init__(self, numerators: fmpz_mat | None, denominator: fmpz, row: Mass | None = None) -> None:
        if numerators is not None:
            self._numerators = numerators
        self._denominator = denominator
        # The only row, where the matrix was made of it.
        self._row = row

    def __getattr__(self, name: str) -> fmpz_mat:
        """Write out the only row, the first time that it is asked for."""
        if name != "_numerators" or self._row is None:
            raise AttributeError(name)
        self._numerators = fmpz_mat(1, self._row._length, self._row._coefficients())
        return self._numerators

    def _of(self, rows: int, entries: Sequence[fmpz], below: fmpz | None = None) -> Self:
        """Return so many rows of these entries, over another denominator or its own."""
        columns = len(entries) // rows if rows else self.shape[1]
        return type(self)(fmpz_mat(rows, columns, entries), below or self._denominator)

    @property
    def bits(self) -> int:
        """Bits of the denominator."""
        return self._denominator.bit_length()

    @classmethod
    def row(cls, mass: Mass, first: int, columns: int) -> Self:
        """One row that holds `mass` from the column `first` on."""
        numerators = mass._numerators.left_shift(first)
        return cls(None, mass._denominator, Mass(numerators, mass._denominator, columns))

    @classmethod
    def point(cls, column: int, columns: int) -> Self:
        """One row with all mass at `column`."""
        return cls.row(Mass(fmpz_poly([1]), fmpz(1), 1), column, columns)

    @classmethod
    def table(cls, mass: Mass, rows: int) -> Self:
        """So many rows that hold `mass`, one after another."""
        return cls(fmpz_mat(rows, len(mass) // rows, mass._coefficients()), mass._denominator)

    @classmethod
    def binomial(cls, mass: Mass, least: int, first: int, second: int) -> Self:
        """Joint distribution of the two kinds of N things, where N has the distribution `mass` moved up by `least`."""
        most = least + len(mass) - 1
        size, both = 1 + most, fmpz(first + second)
        flat = [fmpz(0)] * (size * size)
        given = fmpz_poly([1])
        for total in range(size):
            if total:
                given *= fmpz_poly([first, second])
            if total >= least:
                scale = mass._numerators[total - least] * both ** (most - total)
                for count, weight in enumerate((given * scale).coeffs()):
                    flat[count * size + total - count] = weight
        return cls(fmpz_mat(size, size, flat), mass._denominator * both**most)

    @classmethod
    def stack(cls, blocks: Sequence[Self]) -> Self:
        """All rows of the blocks, one block below the other."""
        common, entries = reduce(fmpz.lcm, [block._denominator for block in blocks]), list[fmpz]()
        for block in blocks:
            entries += (block._numerators * (common // block._denominator)).entries()
        return blocks[0]._of(sum([block.shape[0] for block in blocks]), entries, common)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        if self._row is not None:
            return 1, self._row._length
        return self._numerators.nrows(), self._numerators.ncols()

    def __matmul__(self, other: Self | Transition) -> Self:
        if isinstance(other, Matrix):
            return type(self)(self._numerators * other._numerators, self._denominator * other._denominator)
        rows, columns = self.shape
        whole = self._denominator * other.denominator
        if columns <= MAXIMUM_DENSE:
            return type(self)(self._numerators * other.dense, whole)
        values, after = self._numerators.entries(), [fmpz(0)] * (rows * columns)
        for first in range(0, rows * columns, columns):
            for value, row in zip(values[first : first + columns], other.rows, strict=True):
                if value:
                    for column, weight in row.items():
                        after[first + column] += value * weight
        return self._of(rows, after, whole)

    def __add__(self, other: Self) -> Self:
        if self._denominator == other._denominator:
            return type(self)(self._numerators + other._numerators, self._denominator)
        common = self._denominator.lcm(other._denominator)
        one, two = common // self._denominator, common // other._denominator
        return type(self)(self._numerators * one + other._numerators * two, common)

    def advance(self, transition: Transition, number: Mass, least: int) -> Self:
        """Rows after N steps of `transition`, where N has the distribution `number` moved up by `least`."""
        weights, denominator = number.terms()
        growth = fmpz(transition.denominator)
        longest = len(weights) - 1
        whole = self._denominator * growth ** (least + longest) * denominator
        size = len(transition.order)
        if transition.block is not None and self._row is not None:
            values = self._row._coefficients()
            if transition.renews(values, least + longest, whole.bit_length()):
                reached = after_blocks(transition.block, transition.denominator, values, least, weights)
                return type(self)(None, whole, Mass(reached, whole, size))
        if (least + longest) * size**2 <= FEW_PRODUCTS:
            step, factor = transition.dense, fmpz(1)
            moved = self._numerators * weights[-1]
            for weight in weights[-2::-1]:
                factor *= growth
                moved = moved * step + self._numerators * (weight * factor)
            for _ in range(least):
                moved = moved * step
            return type(self)(moved, whole)
        walk, (rows, columns) = PackedWalk(transition, int(whole.bit_length())), self.shape
        values, after = self._numerators.entries(), list[fmpz]()
        for first in range(0, rows * columns, columns):
            start = walk.pack(values[first : first + columns])
            packed = start if weights[-1] == 1 else [lane * weights[-1] for lane in start]
            factor = fmpz(1)
            for weight in weights[-2::-1]:
                packed = walk.step(packed)
                factor *= growth
                if weight:
                    scale = factor * weight
                    packed = [
                        lane + own * scale if own else lane for lane, own in zip(packed, start, strict=True)
                    ]
            for _ in range(least):
                packed = walk.step(packed)
            after += walk.unpack(packed)
        return self._of(rows, after, whole)

    def moved(self, number: Mass, least: int, width: int) -> Self:
        """Rows after N equal models of `width` wounds are destroyed at once, N distributed as `number` plus `least`."""
        rows, columns = self.shape
        if self._row is None:
            whole, values, after = self._denominator, self._numerators.entries(), []
            for first in range(0, rows * columns, columns):
                each = Mass(fmpz_poly(values[first : first + columns]), whole, columns)
                after += type(self)(None, whole, each).moved(number, least, width).to_mass()._coefficients()
            return self._of(rows, after, whole * number._denominator)
        row, models = self._row._numerators, (columns - 1) // width
        lost, whole = number._numerators.left_shift(least), self._denominator * number._denominator
        begun, stays = row, fmpz(0)
        if width > 1:
            # What loses nothing stays where it is, not at the beginning of its model.
            stays, values = lost[0], row.coeffs()
            begun = fmpz_poly([sum(values[at : at + width], fmpz(0)) for at in range(0, columns, width)])
        reached = begun * (lost - stays)
        if reached.degree() > models:
            reached = cut_at(models, reached, reached(1))
        if width > 1:
            reached = reached.inflate(width) + row * stays
        return type(self)(None, whole, Mass(reached, whole, columns))

    def mixture(self, row: int, blocks: Sequence[Self]) -> Self:
        """Sum of blocks, each times its entry of one row."""
        common = reduce(fmpz.lcm, [block._denominator for block in blocks])
        total = fmpz_mat(*blocks[0].shape)
        for column, block in enumerate(blocks):
            if weight := self._numerators[row, column]:
                total += block._numerators * (weight * (common // block._denominator))
        return type(self)(total, self._denominator * common)

    def in_last(self) -> Self:
        """All mass of each row in its last column."""
        rows, columns = self.shape
        total = self._of(rows, (self._numerators * fmpz_mat(columns, 1, [1] * columns)).entries())
        return total.placed([columns - 1], columns)

    def scaled(self, mass: Mass, index: int) -> Self:
        """Times the probability ``mass[index]``."""
        return type(self)(self._numerators * mass._numerators[index], self._denominator * mass._denominator)

    def kept(self, start: int, stop: int) -> Self:
        """With mass only in the rows from one on to before another."""
        (rows, columns), flat = self.shape, [fmpz(0)] * self._numerators.nrows() * self.shape[1]
        flat[start * columns : stop * columns] = self._numerators.entries()[start * columns : stop * columns]
        return self._of(rows, flat)

    def slices(self, stride: int, length: int) -> list[Self]:
        """For each of so many values of a count the rows of it, where each value stands for so many rows in turn."""
        rows, columns = self.shape
        entries, own = self._numerators.entries(), stride * columns
        return [
            self._of(
                rows // length,
                [
                    entry
                    for first in range(count * own, rows * columns, length * own)
                    for entry in entries[first : first + own]
                ],
            )
            for count in range(length)
        ]

    def after_dice(self, dice: DiceInOrder) -> Self:
        """The row after dice that are used in order."""
        found, whole = dice.moved(self._numerators.entries())
        divisor = reduce(fmpz.gcd, found, whole)
        return self._of(1, [each // divisor for each in found], self._denominator * (whole // divisor))

    def spent(self, transition: Transition | None, counts: int, taken: int, out_of: int) -> Self:
        """Rows of numbers of steps after each was made by one chance, as in Horner's rule."""
        rows, columns = self.shape
        each = rows // counts
        flat = self._numerators.entries()
        below, moves = 1, None
        if transition is not None:
            below = transition.denominator
            moves = [[(column, weight * taken) for column, weight in row.items()] for row in transition.rows]
        done = [fmpz_poly(flat[(rows - each) * columns + column :: columns]) for column in range(columns)]
        growth, left = fmpz(out_of) * below, fmpz(out_of - taken) * below
        factor = fmpz(1)
        for number in range(counts - 2, -1, -1):
            factor *= growth
            first, last = number * each * columns, (number + 1) * each * columns
            after = [fmpz_poly(flat[first + column : last : columns]) * factor for column in range(columns)]
            for column, polynomial in enumerate(done):
                if not polynomial:
                    continue
                if left:
                    after[column] += polynomial.left_shift(each) * left
                if moves is None:
                    after[column] += polynomial * taken
                    continue
                for other, weight in moves[column]:
                    after[other] += polynomial * weight
            done = after
        height = each if taken == out_of else rows
        values = [fmpz(0)] * (height * columns)
        for column, polynomial in enumerate(done):
            found = polynomial.coeffs()
            values[column : len(found) * columns : columns] = found
        return self._of(height, values, self._denominator * growth ** (counts - 1))

    def padded(self, above: int, below: int) -> Self:
        """With so many rows without mass above and below."""
        (rows, columns), zero = self.shape, [fmpz(0)]
        flat = zero * (above * columns) + self._numerators.entries() + zero * (below * columns)
        return self._of(above + rows + below, flat)

    def placed(self, indices: Sequence[int], columns: int, of: Sequence[int] | None = None) -> Self:
        """Its columns, or some of them, at the given indices of so many, the others without mass."""
        rows, width = self.shape
        flat, placed = self._numerators.entries(), [fmpz(0)] * (rows * columns)
        for place, index in zip(range(width) if of is None else of, indices, strict=True):
            placed[index::columns] = flat[place::width]
        return self._of(rows, placed)

    def occupied(self) -> list[int]:
        """Indices of the columns that hold mass."""
        width, flat = self.shape[1], self._numerators.entries()
        return [column for column in range(width) if any(flat[column::width])]

    def to_mass(self) -> Mass:
        """Sum of the rows as one vector of mass."""
        if self._row is not None:
            return self._row
        rows, columns = self.shape
        ones = fmpz_mat(1, rows, [1] * rows)
        return Mass(fmpz_poly((ones * self._numerators).entries()), self._denominator, columns)
