"""Walks of exact numerators, those of all states that a step treats alike packed into one long integer."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from flint import fmpz

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.arithmetic.transition import Transition

#: Numbers of more bits together are packed and taken apart as bytes, shorter ones by shifts.
_LONG = 4096
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
        bits, found = self._bits, []
        for place, start in enumerate(self._bounds[:-1]):
            numbers = [values[state] for state in self._order[start : self._bounds[place + 1]]]
            if len(numbers) == 1:
                found.append(numbers[0])
            elif not any(numbers):
                found.append(_NONE)
            elif len(numbers) * bits > _LONG:
                each = b"".join([int(number).to_bytes(bits // 8, "little") for number in numbers])
                found.append(fmpz(int.from_bytes(each, "little")))
            else:
                packed = _NONE
                for number in reversed(numbers):
                    packed = (packed << bits) + number
                found.append(packed)
        return found

    def unpack(self, packed: Sequence[fmpz]) -> list[fmpz]:
        """Return the numerator of every state."""
        bits = self._bits
        values = [_NONE] * len(self._order)
        for place, lane in enumerate(packed):
            start, stop = self._bounds[place], self._bounds[place + 1]
            if not lane:
                continue
            if stop - start == 1:
                values[self._order[start]] = lane
            elif (stop - start) * bits > _LONG:
                size = bits // 8
                each = int(lane).to_bytes((stop - start) * size, "little")
                for at, state in enumerate(self._order[start:stop]):
                    values[state] = fmpz(int.from_bytes(each[at * size : (at + 1) * size], "little"))
            else:
                rest = lane
                for at in range(stop - start - 1, -1, -1):
                    number = rest >> at * bits
                    if number:
                        rest -= number << at * bits
                        values[self._order[start + at]] = number
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
