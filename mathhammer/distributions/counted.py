"""States of a chain with numbers of steps that are still to be made beside them."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from mathhammer.arithmetic.mass import Mass
from mathhammer.arithmetic.matrix import Matrix
from mathhammer.distributions.kernel import add_block, require_seconds, starts, stepped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mathhammer.arithmetic.in_order import DiceInOrder
    from mathhammer.distributions.kernel import Held, Kernel, Number


#: Seconds for each exact number and each of its limbs of 64 bits, which are added one polynomial to another.
NUMBER, LIMB = 5e-8, 4.5e-9


class Counted:
    """Mass by the re-rolls held, the numbers of steps to be made, and the state."""

    __slots__ = ("_sizes", "blocks")

    def __init__(self, blocks: Mapping[Held, Matrix], sizes: tuple[int, ...] = ()) -> None:
        #: The rows for each set of re-rolls held.
        self.blocks = blocks
        self._sizes = sizes

    def opened(self, number: Number, sizes: tuple[int, ...]) -> Counted:
        """Return the states, beside which nothing stands, with random numbers."""
        rows = prod(sizes)
        found: dict[Held, Matrix] = {}
        for left, block, counts in starts(self.blocks, number):
            column = Matrix.table(Matrix.row(counts.mass, counts.low, rows).to_mass(), rows)
            add_block(found, left, column @ block)
        return Counted(found, sizes)

    def occupied(self) -> list[int]:
        """States that hold mass."""
        return sorted(set().union(*(block.occupied() for block in self.blocks.values())))

    def within(self, states: Sequence[int], among: Sequence[int]) -> Counted:
        """Return the mass of some states, as numbers of places among those that it can go to."""
        place = {state: number for number, state in enumerate(among)}
        columns = [place[state] for state in states]
        blocks = {held: block.placed(columns, len(among), states) for held, block in self.blocks.items()}
        return Counted(blocks, self._sizes)

    @staticmethod
    def gathered(parts: Iterable[tuple[Counted, Sequence[int]]], states: int) -> Counted:
        """Return parts together: each with the numbers of its states among all."""
        found: dict[Held, Matrix] = {}
        for part, among in parts:
            for held, block in part.blocks.items():
                add_block(found, held, block.placed(among, states))
        return Counted(found, part._sizes)

    def without_first(self) -> tuple[Counted, Counted]:
        """Return the part of which the first number is 0, and the rest."""
        each, rows = prod(self._sizes[1:]), prod(self._sizes)
        none = {held: block.kept(0, each) for held, block in self.blocks.items()}
        some = {held: block.kept(each, rows) for held, block in self.blocks.items()}
        return Counted(none, self._sizes), Counted(some, self._sizes)

    def in_order(self, dice: DiceInOrder) -> Counted:
        """Return the states after dice, beside which nothing stands."""
        return Counted({held: block.after_dice(dice) for held, block in self.blocks.items()})

    def spend(self, kernel: Kernel | None, taken: int = 1, out_of: int = 1, *, kinds: int = 1) -> Counted:
        """Make each of the steps of the first number with the chance ``taken / out_of``, or all; the others are left.

        None stands for steps that do nothing.
        """
        size, sizes = self._sizes[0], self._sizes
        each = kept = prod(sizes[1:])
        if taken == out_of:
            sizes, kept = sizes[1:], 0
        if kernel is not None:
            self._require(kernel, each * size // 2 if kept else each, out_of, kinds)
        if kernel is None or not kernel.rerolls:
            step = None if kernel is None else kernel.plain
            blocks = {held: block.spent(step, size, taken, out_of) for held, block in self.blocks.items()}
            return Counted(blocks, sizes)
        chances = Mass.from_weights([taken, out_of - taken], out_of)
        slices = {held: block.slices(each, size) for held, block in self.blocks.items()}
        done = {held: parts[-1] for held, parts in slices.items()}
        for number in range(size - 2, -1, -1):
            left: dict[Held, Matrix] = {}
            for held, block in done.items() if kept else ():
                left[held] = block.scaled(chances, 1).padded(kept, 0)
            for held, block in stepped(done, kernel).items():
                add_block(left, held, block.scaled(chances, 0).padded(0, kept))
            for held, parts in slices.items():
                add_block(left, held, parts[number].padded(0, (size - 1 - number) * kept))
            done = left
        return Counted(done, sizes)

    def _require(self, kernel: Kernel, rows: int, out_of: int, kinds: int) -> None:
        """Raise TooLargeError if all steps of the first number, of so many kinds, take longer than some seconds."""
        steps = self._sizes[0]
        grown = steps * (kernel.bits + out_of.bit_length())
        limbs = (max(block.bits for block in self.blocks.values()) + grown) // 64
        seconds = steps * rows * kernel.entries * (NUMBER + limbs * LIMB)
        require_seconds(
            seconds * kinds,
            f"saves of up to {steps - 1:,} dice in {rows:,} cases",
            "fewer attacks or a smaller unit",
        )
