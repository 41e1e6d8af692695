"""Dice in order: a random number of equal dice, the lowest class first, each of which makes the step of its class.

Only the dice that change a state are followed, with exponential generating functions of how many there were: a state
that no class to come can change leaves at once, with the weight of all that the dice behind it may show.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property, reduce
from graphlib import TopologicalSorter
from itertools import pairwise
from math import factorial, gcd, lcm
from typing import TYPE_CHECKING

from flint import fmpz, fmpz_mat, fmpz_poly

from mathhammer.arithmetic.mass import composed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.arithmetic.mass import Mass
    from mathhammer.arithmetic.transition import Rows, Transition

_ZERO = fmpz(0)
#: Seconds for each number of a series and each of its limbs of 64 bits.
NUMBER, LIMB = 5e-8, 2.5e-9


class DiceInOrder:
    """So many dice in classes of some weights, each class with its step; None for dice that change nothing."""

    def __init__(
        self,
        classes: Sequence[tuple[Transition | None, int]],
        least: int,
        number: Mass,
        term: Sequence[int],
        below: int,
    ) -> None:
        self._least, self._number, self._term, self._below = least, number, term, below
        scale = lcm(*(step.denominator for step, _ in classes if step is not None))
        self._attacks = least + len(number) - 1
        #: The most dice that there can be.
        self.most = self._attacks * (len(term) - 1)
        self._whole = scale * sum(weight for _, weight in classes)
        self._idle, found = self._whole, list[tuple["Rows", int, int]]()
        for step, weight in classes:
            if step is not None and weight:
                rows, out_of, idle = _active(step)
                found.append((rows, out_of, weight * (scale // step.denominator) * (step.denominator - idle)))
                self._idle -= found[-1][2]
        divisor = gcd(self._idle, self._whole, *(weight for *_, weight in found))
        self._idle, self._whole = self._idle // divisor, self._whole // divisor
        self._out_of = lcm(*(out_of for _, out_of, _ in found))
        self._classes = [
            (
                [{state: each * (self._out_of // out_of) for state, each in row.items()} for row in rows],
                weight // divisor,
            )
            for rows, out_of, weight in found
        ]

    @cached_property
    def cut(self) -> int:
        """The most dice that can change a state one after another."""
        most = self.most
        for (one, _), (other, _) in pairwise(self._classes):
            # A later class may change a state that an earlier one leaves.
            if any(_still(one, state) and not _still(other, state) for state in range(len(one))):
                return most
        longest = _longest([rows for rows, _ in self._classes]) if self._classes else 0
        return most if longest is None else min(most, longest)

    @property
    def seconds(self) -> float:
        """About how long they take."""
        bits = self.cut * (self._whole * self._out_of).bit_length()
        bits += self._attacks * ((len(self._term) - 1) * self._whole.bit_length() + self._below.bit_length())
        entries = sum(len(row) for rows, _ in self._classes for row in rows)
        return self.cut**2 * entries * (NUMBER + bits // 64 * LIMB)

    def _series(self, shift: int, terms: int) -> list[fmpz]:
        """Return the first coefficients of the number's generating function in y, where x is (shift + y) / whole."""
        degree = len(self._term) - 1
        homogeneous = fmpz_poly([weight * self._whole ** (degree - n) for n, weight in enumerate(self._term)])
        each = homogeneous(fmpz_poly([shift, 1])).truncate(terms)
        outer, _ = self._number.terms()
        found = composed(outer, each, fmpz(self._below * self._whole**degree), terms)
        if self._least:
            found = found.mul_low(each.pow_trunc(self._least, terms), terms)
        return _padded(found, terms)

    def _behind(self, weight: int, later: int) -> list[list[fmpz]]:
        """Return the weights of k or more dice of a class behind m before it, where all further dice are free."""
        rest, every, found = (
            self._series(later, 2 * self.cut + 1),
            self._series(later + weight, self.cut + 1),
            [],
        )
        for before in range(self.cut + 1):
            ways, sums = fmpz(factorial(before)), [every[before] * factorial(before)]
            for number in range(self.cut - before):
                sums.append(sums[-1] - ways * rest[before + number])
                ways = ways * weight * (before + number + 1) // (number + 1)
            found.append(sums)
        return found

    def moved(self, start: Sequence[fmpz]) -> tuple[list[fmpz], fmpz]:
        """Return the weights of all states after the dice, and what they are over, from those before."""
        _, whole = self._number.terms()
        whole *= fmpz(self._below * self._whole ** (len(self._term) - 1)) ** self._attacks
        if not self._classes:
            return [each * whole for each in start], whole
        cut, size, last = self.cut, len(start), len(self._classes) - 1
        self._growth = [fmpz(self._out_of) ** n for n in range(cut + 1)]
        scale = fmpz(factorial(cut))  # of all series
        moving = {state: fmpz_poly([mass * scale]) for state, mass in enumerate(start) if mass}
        found, left = [_ZERO] * size, self._whole - self._idle
        for place, (_, weight) in enumerate(self._classes[:last]):
            left -= weight
            behind = self._behind(weight, self._idle + left)
            moving, ended = self._after(moving, place, behind)
            found = [one + other for one, other in zip(found, ended, strict=True)]
        ended = self._last(moving, size)
        return [one + other for one, other in zip(found, ended, strict=True)], whole * self._growth[
            cut
        ] * scale

    def _after(
        self, moving: dict[int, fmpz_poly], place: int, behind: Sequence[Sequence[fmpz]]
    ) -> tuple[dict[int, fmpz_poly], list[fmpz]]:
        """Return the series of the states that may still change after a class, and the weights of the others."""
        (rows, weight), cut = self._classes[place], self.cut
        lasting = {s for s in range(len(rows)) if all(_still(each, s) for each, _ in self._classes[place:])}
        orders = [fmpz(factorial(cut)) // factorial(n) for n in range(cut + 1)]
        after: dict[int, fmpz_poly] = defaultdict(fmpz_poly)
        ended = [_ZERO] * len(rows)
        for number in range(cut + 1):
            if leaving := [state for state in moving if state in lasting]:
                width = cut - number + 1
                ends = [behind[before][number] * self._growth[width - 1 - before] for before in range(width)]
                flat = [mass for state in leaving for mass in _padded(moving.pop(state), width)]
                weights = fmpz_mat(len(leaving), width, flat) * fmpz_mat(width, 1, ends)
                for state, mass in zip(leaving, weights.entries(), strict=True):
                    ended[state] += mass
            there: dict[int, fmpz_poly] = defaultdict(fmpz_poly)
            for state, each in moving.items():
                after[state] += (each * (weight**number * orders[number])).left_shift(number)
                for column, part in rows[state].items():
                    there[column] += each * part
            moving = {state: kept for state, each in there.items() if (kept := each.truncate(cut - number))}
        return {state: each.truncate(cut + 1) // orders[0] for state, each in after.items()}, ended

    def _last(self, moving: dict[int, fmpz_poly], size: int) -> list[fmpz]:
        """Return the weights after the dice of the last class, which need no count: powers of one step."""
        (rows, weight), cut = self._classes[-1], self.cut
        behind = self._behind(weight, self._idle)
        states = list(moving)
        begun = fmpz_mat(
            len(states), cut + 1, [mass for state in states for mass in _padded(moving[state], cut + 1)]
        )
        exactly: list[fmpz] = []
        for before, sums in enumerate(behind):
            each = [one - other for one, other in zip(sums, [*sums[1:], _ZERO], strict=True)]
            exactly += [mass * self._growth[cut - before - number] for number, mass in enumerate(each)]
            exactly += [_ZERO] * before
        made = fmpz_mat(cut + 1, cut + 1, exactly)
        added = (begun * made).entries()
        found = [_ZERO] * size
        for number in range(cut, -1, -1):
            after = [_ZERO] * size
            for state, mass in enumerate(found):
                if mass:
                    for column, part in rows[state].items():
                        after[column] += mass * part
            found = after
            for place, state in enumerate(states):
                found[state] += added[place * (cut + 1) + number]
        return found


def _still(rows: Rows, state: int) -> bool:
    return len(rows[state]) == 1 and state in rows[state]


def _active(step: Transition) -> tuple[Rows, int, int]:
    """Return a step given that it changes something, and the weight with which it does not, whatever the state."""
    rows, whole = step.rows, step.denominator
    idle = min(
        [row.get(state, 0) for state, row in enumerate(rows) if not _still(rows, state)], default=whole
    )
    if idle == whole:
        return rows, whole, whole
    out_of, found = whole - idle, []
    for state, row in enumerate(rows):
        if _still(rows, state):
            found.append({state: out_of})
        else:
            found.append(
                {there: w - idle * (there == state) for there, w in row.items() if there != state or w > idle}
            )
    divisor = reduce(gcd, (weight for row in found for weight in row.values()), out_of)
    return (
        [{there: weight // divisor for there, weight in row.items()} for row in found],
        out_of // divisor,
        idle,
    )


def _longest(classes: Sequence[Rows]) -> int | None:
    """Return the most changes of a state one after another; None where a die may leave a state that it can change."""
    after = [
        set().union(*(rows[state] for rows in classes if not _still(rows, state)))
        for state in range(len(classes[0]))
    ]
    if any(state in there for state, there in enumerate(after)):
        return None
    found: dict[int, int] = {}
    for state in TopologicalSorter(dict(enumerate(after))).static_order():
        found[state] = 1 + max([found[each] for each in after[state]], default=-1)
    return max(found.values())


def _padded(steps: fmpz_poly, length: int) -> list[fmpz]:
    found = steps.coeffs()[:length]
    return found + [_ZERO] * (length - len(found))
