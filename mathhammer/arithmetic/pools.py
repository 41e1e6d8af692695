"""Pools of dice in exact integers: which dice are kept, and which are re-rolled."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, combinations_with_replacement
from math import comb, factorial, prod
from typing import TYPE_CHECKING

from flint import fmpz, fmpz_poly

from mathhammer.arithmetic.mass import Mass
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: Most steps, in multiplications of long integers, that a pool may take: a second.
MAXIMUM_STEPS = 20_000_000
#: Most 64-bit words that these multiplications may run through, and bits that one number may have.
MAXIMUM_LIMBS, MAXIMUM_BITS = 1_000_000_000, 4_000_000


def kept_highest(weights: Sequence[int], denominator: int, count: int, keep: int) -> Mass:
    """Distribution of the sum of the highest `keep` of `count` equal dice."""
    faces = len(weights)
    length = keep * (faces - 1) + 1
    bits = count * denominator.bit_length()
    require_steps(faces * keep * length, bits, f"{count:,} dice keep {keep:,}")
    total, below = fmpz_poly([]), 0
    above_kept = [comb(count, j) for j in range(keep)]
    at_least = [comb(count - j - 1, keep - j - 1) for j in range(keep)]
    for value, weight in enumerate(weights):
        if weight:
            # For each j the ways to choose j dice above, times the weight of the others: at most this, enough this.
            any_die, outer = weight + below, [0] * keep
            tail, shown = any_die ** (count - keep), below ** (count - keep + 1)
            for j in range(keep - 1, -1, -1):
                tail = any_die * tail - shown * at_least[j]
                shown *= weight
                outer[j] = tail * above_kept[j]
            above = fmpz_poly([0, *weights[value + 1 :]])
            total += fmpz_poly(outer)(above).left_shift(keep * value)
        below += weight
    return Mass(total, fmpz(denominator) ** count, length)


def kept_between(
    kinds: Sequence[tuple[int, Sequence[int]]], denominator: int, drop_lowest: int, drop_highest: int
) -> Mass:
    """Distribution of the sum of a pool of different dice without its lowest and its highest ones."""
    total = sum(count for count, _ in kinds)
    values = max(len(weights) for _, weights in kinds)
    length = (total - drop_lowest - drop_highest) * (values - 1) + 1
    mirrored = [(count, [0] * (values - len(weights)) + list(weights)[::-1]) for count, weights in kinds]
    sweeps = [
        _Sweep(_families(kinds), drop_highest, total - drop_lowest),
        _Sweep(_families(mirrored), drop_lowest, total - drop_highest),
    ]
    sweep = min(sweeps, key=_Sweep.states)
    steps = sweep.states() * values * (len(sweep.families) + min(total, sweep.last)) * length // 4
    require_steps(steps, denominator.bit_length(), f"a pool of {total:,} dice")
    numerators = sweep.distribution(values)
    if sweep is sweeps[1]:
        mirror = numerators.coeffs()[::-1]
        numerators = fmpz_poly(mirror).left_shift(length - len(mirror))
    scale, divisor = sweep.scale()
    return Mass(numerators * scale, fmpz(denominator) * divisor, length)


@dataclass(frozen=True, slots=True)
class _Family:
    """Dice that are equal below the highest face of each: the weights of the longest, and number and top of each."""

    weights: Sequence[int]
    up_to: list[int]
    members: list[tuple[int, int, int]]

    def joined(self, value: int) -> int:
        """Number of dice that can show a value."""
        return sum(count for count, top, _ in self.members if top >= value)


def _families(kinds: Sequence[tuple[int, Sequence[int]]]) -> list[_Family]:
    """Put dice together of which each is a part of the longest, up to a factor."""
    families: list[_Family] = []
    tops = [max(value for value, weight in enumerate(weights) if weight) for _, weights in kinds]
    for top, (count, weights) in sorted(zip(tops, kinds, strict=True), key=lambda kind: -kind[0]):
        for family in families:
            whole = family.weights[: top + 1]
            if whole[top] and all(
                w * whole[top] == u * weights[top] for w, u in zip(weights, whole, strict=False)
            ):
                break
        else:
            family = _Family(weights, list(accumulate(weights)), [])
            families.append(family)
        family.members.append((count, top, weights[top]))
    return families


@dataclass(frozen=True, slots=True)
class _Sweep:
    """A sweep from the highest value; of the dice in falling order those from `first` to before `last` count."""

    families: list[_Family]
    first: int
    last: int

    def states(self) -> int:
        """Most numbers of shown dice of each family that are reached before all dice that count are known."""
        sizes = [family.joined(0) for family in self.families]
        return min(prod(size + 1 for size in sizes), comb(self.last - 1 + len(sizes), len(sizes)))

    def scale(self) -> tuple[int, int]:
        """Return the factor between the weights of the families and those of the dice, as a fraction."""
        pairs = [
            (weight**count, family.weights[top] ** count)
            for family in self.families
            for count, top, weight in family.members
        ]
        return prod(weight for weight, _ in pairs), prod(whole for _, whole in pairs)

    def distribution(self, values: int) -> fmpz_poly:
        """Weights of the sums of the dice that count."""
        known = fmpz_poly([])
        reached = {(0,) * len(self.families): fmpz_poly([1])}
        for value in range(values - 1, -1, -1):
            for index, family in enumerate(self.families):
                if value < len(family.weights) and family.weights[value]:
                    reached, complete = self._show(reached, index, value)
                    known += complete
        return known

    def _show(
        self, reached: dict[tuple[int, ...], fmpz_poly], index: int, value: int
    ) -> tuple[dict[tuple[int, ...], fmpz_poly], fmpz_poly]:
        """Let any number of the dice of one family show a value; return apart what knows all dice that count."""
        family = self.families[index]
        weight, joined = family.weights[value], family.joined(value)
        below = family.up_to[value] - weight
        moved: dict[tuple[int, ...], fmpz_poly] = {}
        complete = fmpz_poly([])
        for state, distribution in reached.items():
            placed, left = sum(state), joined - state[index]
            need = self.last - placed
            free = (weight + below) ** left
            for shown in range(min(left + 1, need)):
                ways = comb(left, shown) * weight**shown
                free -= ways * below ** (left - shown)
                if below or shown == left:
                    kept = max(0, placed + shown - max(placed, self.first))
                    term = (distribution * ways).left_shift(kept * value)
                    after = (*state[:index], state[index] + shown, *state[index + 1 :])
                    moved[after] = moved[after] + term if after in moved else term
            if free:
                kept = self.last - max(placed, self.first)
                complete += (distribution * (free * self._others(state, index, value))).left_shift(
                    kept * value
                )
        return moved, complete

    def _others(self, state: tuple[int, ...], index: int, value: int) -> int:
        """Weight of all dice but those of one family that can show a value, where none of them counts any more."""
        ways = 1
        for other, (family, shown) in enumerate(zip(self.families, state, strict=True)):
            if other != index:
                at_most = min(value - (other < index), len(family.weights) - 1)
                ways *= (family.up_to[at_most] if at_most >= 0 else 0) ** (family.joined(value) - shown)
            for count, top, _ in family.members:
                if top < value:
                    ways *= family.up_to[top] ** count
        return ways


def rerolled_best(
    weights: Sequence[int], denominator: int, count: int, rerolls: int, target: int | None
) -> Mass:
    """Distribution of the sum of equal dice, of which at most `rerolls` are re-rolled, chosen best and together."""
    faces = len(weights)
    length = count * (faces - 1) + 1
    what, bits = f"{rerolls:,} re-rolls of {count:,} dice", (count + rerolls) * denominator.bit_length()
    require_steps(faces * (rerolls + 1) * count * length, bits, what)
    lows = comb(faces + rerolls - 1, rerolls)
    require_steps(lows * length * (rerolls + 1) // (2 if target is not None else 25), bits, what)
    die = fmpz_poly(list(weights))
    powers = [die**r for r in range(rerolls + 1)]
    choose = _choice(weights, denominator, powers, target)
    stands = [fmpz_poly([]) for _ in powers]
    for lowest, ways, rest in _lowest_and_rest(weights, count, rerolls):
        for chosen, part in choose(lowest, rest):
            stands[chosen] += (part * ways).left_shift(sum(lowest[chosen:]))
    total = fmpz_poly([])
    for chosen, (kept, again) in enumerate(zip(stands, powers, strict=True)):
        total += kept * again * fmpz(denominator) ** (rerolls - chosen)
    return Mass(total, fmpz(denominator) ** (count + rerolls), length)


def _lowest_and_rest(
    weights: Sequence[int], count: int, rerolls: int
) -> Iterator[tuple[tuple[int, ...], fmpz, fmpz_poly]]:
    """Yield the lowest dice in order, the weight of them, and the distribution of the sum of all other dice."""
    others = count - rerolls
    for value, weight in enumerate(weights):
        if not weight:
            continue
        above = fmpz_poly([0] * (value + 1) + list(weights[value + 1 :]))
        above_powers = [above**n for n in range(others + 1)]
        for ties in range(1, rerolls + 1):
            rest = fmpz_poly([])
            for more in range(others + 1):
                ways = comb(others + ties, ties + more) * weight ** (ties + more)
                rest += (above_powers[others - more] * fmpz(ways)).left_shift(more * value)
            for lower in combinations_with_replacement(range(value), rerolls - ties):
                ways = factorial(count) // factorial(others + ties)
                for face in set(lower):
                    times = lower.count(face)
                    ways = ways * weights[face] ** times // factorial(times)
                if ways:
                    yield (*lower, *[value] * ties), fmpz(ways), rest


def _choice(
    weights: Sequence[int], denominator: int, powers: Sequence[fmpz_poly], target: int | None
) -> Callable[[tuple[int, ...], fmpz_poly], list[tuple[int, fmpz_poly]]]:
    """Return the function that splits the distribution of the other dice by how many of the lowest are re-rolled."""
    if target is None:
        mean = sum(value * weight for value, weight in enumerate(weights))
        return lambda lowest, rest: [(sum(value * denominator < mean for value in lowest), rest)]
    # tails[r][n]: weight of r dice summing to n or more, all over the same denominator.
    most = len(powers) - 1
    tails = [
        [tail * fmpz(denominator) ** (most - r) for tail in accumulate(reversed(power.coeffs()))][::-1]
        for r, power in enumerate(powers)
    ]

    def to_reach(lowest: tuple[int, ...], rest: fmpz_poly) -> list[tuple[int, fmpz_poly]]:
        parts: dict[int, list[fmpz]] = {}
        coefficients = rest.coeffs()
        for total, coefficient in enumerate(coefficients):
            if coefficient:
                chances = []
                for r, tail in enumerate(tails):
                    need = max(0, target - total - sum(lowest[r:]))
                    chances.append(tail[need] if need < len(tail) else fmpz(0))
                best = chances.index(max(chances))
                parts.setdefault(best, [fmpz(0)] * len(coefficients))[total] = coefficient
        return [(chosen, fmpz_poly(part)) for chosen, part in parts.items()]

    return to_reach


def require_steps(steps: int, bits: int, what: str) -> None:
    """Refuse a pool that takes too many steps, or too long ones, before it begins."""
    most = min(MAXIMUM_STEPS, MAXIMUM_LIMBS // (1 + bits // 64)) if bits <= MAXIMUM_BITS else 0
    if steps > most:
        raise TooLargeError(
            f"expected a pool that takes at most {most:,} steps with numbers of {bits * 3 // 10:,} digits, but {what} "
            f"takes about {min(steps, 10**300):.0e}; use fewer dice or fewer kinds"
        )
