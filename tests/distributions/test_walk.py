"""Walks with deferred steps against the same walk made state by state with fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mathhammer.arithmetic.transition import Transition
from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.distributions.kernel import Kernel, Measure
from mathhammer.distributions.walk import Deferred, Walk

STATES = 4
Pmf = dict[tuple[int, ...], Fraction]


@st.composite
def transitions(draw: st.DrawFn) -> list[dict[int, int]]:
    """Rows of weights that sum to 12, never back; the last state is the end."""
    rows = []
    for state in range(STATES - 1):
        rest, row = 12, {}
        for after in range(STATES - 1, state, -1):
            row[after] = draw(st.integers(0, rest))
            rest -= row[after]
        rows.append({**row, state: rest})
    return [*rows, {STATES - 1: 12}]


@st.composite
def attacks(draw: st.DrawFn) -> GeneratingFunction:
    """Any distribution of two small counts, or one of a count whose things are of the second kind by one chance."""
    pairs = [(i, j) for i in range(3) for j in range(3) if i + j <= 2]
    if draw(st.booleans()):
        weights = draw(st.lists(st.integers(0, 5), min_size=len(pairs), max_size=len(pairs)).filter(any))
        return GeneratingFunction(
            {pair: weight for pair, weight in zip(pairs, weights, strict=True) if weight}, sum(weights)
        )
    first, second = draw(st.integers(0, 4)), draw(st.integers(1, 4))
    thing = GeneratingFunction({(1, 0): first, (0, 1): second}, first + second)
    none, one, two = (draw(st.integers(least, 4)) for least in (0, 1, 0))
    distribution = GeneratingFunction.mixture(
        [(none, GeneratingFunction.one()), (one, thing), (two, thing * thing)], none + one + two
    )
    return GeneratingFunction(
        {pair: weight for pair, weight in distribution.coefficients.items() if weight},
        distribution.denominator,
    )


@st.composite
def volleys(draw: st.DrawFn) -> list[tuple[GeneratingFunction, IntegerDistribution, int]]:
    """What each step does, how many there are, and which of two transitions the deferred ones are."""
    found = []
    for _ in range(draw(st.integers(1, 3))):
        weights = (1, *draw(st.lists(st.integers(0, 3), max_size=1)))
        number = IntegerDistribution(draw(st.integers(0, 2)), weights, sum(weights))
        found.append((draw(attacks()), number, draw(st.integers(0, 1))))
    return found


def moved(distribution: Pmf, rows: list[dict[int, int]]) -> Pmf:
    """One step of the state, which stands first."""
    found: Pmf = {}
    for (state, *counts), chance in distribution.items():
        for after, weight in rows[state].items():
            found[after, *counts] = found.get((after, *counts), Fraction(0)) + chance * Fraction(weight, 12)
    return found


def added(distribution: Pmf, other: Pmf, chance: Fraction, place: int = 0, more: int = 0) -> None:
    for key, each in other.items():
        counted = (*key[:place], key[place] + more, *key[place + 1 :])
        distribution[counted] = distribution.get(counted, Fraction(0)) + chance * each


def by_definition(
    one: list[dict[int, int]],
    others: list[list[dict[int, int]]],
    ranks: list[int],
    made: list[Any],
    start: int,
) -> list[Fraction]:
    """Make every step of every volley, with the number deferred by each beside the state, and those at the end."""
    distribution: Pmf = {(start, *(0 for _ in made)): Fraction(1)}
    for place, (each, number, _) in enumerate(made, 1):
        after: Pmf = {}
        for steps in range(number.low + len(number.weights)):
            if steps >= number.low:
                added(after, distribution, Fraction(number.weights[steps - number.low], number.denominator))
            stepped: Pmf = {}
            for (i, j), weight in each.coefficients.items():
                part = distribution
                for _ in range(i):
                    part = moved(part, one)
                added(stepped, part, Fraction(weight, each.denominator), place, j)
            distribution = stepped
        distribution = after
    for place in sorted(range(len(made)), key=lambda place: (ranks[made[place][2]], place)):
        after = {}
        for (state, *counts), chance in distribution.items():
            part = {(state, *counts): chance}
            for _ in range(counts[place]):
                part = moved(part, others[made[place][2]])
            added(after, part, Fraction(1))
        distribution = after
    found = [Fraction(0)] * STATES
    for (state, *_), chance in distribution.items():
        found[state] += chance
    return found


@given(
    transitions(),
    st.lists(transitions(), min_size=2, max_size=2),
    st.lists(st.integers(0, 1), min_size=2, max_size=2),
    volleys(),
    st.integers(0, 1),
    st.booleans(),
)
def test_deferred_steps(
    one: list[dict[int, int]],
    others: list[list[dict[int, int]]],
    ranks: list[int],
    made: list[Any],
    start: int,
    joint: bool,  # noqa: FBT001 - drawn
) -> None:
    """Those of a lower rank are made first, of equal ranks those of the earlier volley; step by step or all at once."""
    expected = by_definition(one, others, ranks, made, start)
    walk = Walk(start, STATES)
    matrix = Transition(one, 12)
    for each, number, other in made:
        deferred = Kernel.of(Transition(others[other], 12))
        kernels = {
            further: Kernel.of(matrix.polynomial(weights, each.denominator))
            for further, weights in each.by_further().items()
        }
        split = (matrix, each) if joint else None
        steps = [(frozenset[str](), frozenset[str](), Measure.of(number.distribution()))]
        walk.advance_deferring(kernels, steps, [Deferred(deferred, other, ranks[other])], split=split)
    walk.resolve()
    distribution = walk.distribution()
    for state, chance in enumerate(expected):
        assert Fraction(*map(int, distribution.pmf(state).as_numer_denom())) == chance


def test_the_distribution_of_two_kinds_is_seen_in_the_weights() -> None:
    """Three kinds of things, of which two are counted: the shares are theirs; what is joint has none."""
    thing = GeneratingFunction({(0, 0): 1, (1, 0): 4, (0, 1): 2}, 7)
    assert thing.shares() == (2, 1)
    three = GeneratingFunction({(0, 0, 0): 1, (1, 0, 0): 4, (0, 1, 0): 2, (0, 0, 1): 6}, 13)
    assert (three * three).shares() == (2, 1, 3)
    assert (thing * thing * thing).shares() == (2, 1)
    assert GeneratingFunction({(0, 0): 1, (1, 1): 1}, 2).shares() is None
    assert GeneratingFunction({(1, 0): 1, (2, 0): 1, (0, 1): 1}, 3).shares() is None
