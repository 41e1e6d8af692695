"""Sparse steps of a walk, exact ones packed into long integers, against the plain sum over all paths."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.arithmetic.mass import Mass
from mathhammer.arithmetic.matrix import Matrix
from mathhammer.arithmetic.transition import Transition
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.distributions.kernel import Measure


@st.composite
def transitions(draw: st.DrawFn) -> tuple[list[dict[int, int]], int, Transition]:
    """Rows that lead on, of equal blocks or of any kind, in any order; their denominator; and the transition."""
    if draw(st.booleans()):
        width, copies = draw(st.integers(1, 4)), draw(st.integers(1, 5))
        block = []
        for lost in range(width):
            weights = draw(st.lists(st.integers(0, 3), min_size=width + 1, max_size=width + 1))
            row = [0] * lost + weights[lost:]
            row[-1] += 10 - sum(row) if sum(row) <= 10 else 0
            row[lost] += 12 - sum(row)
            block.append([max(0, weight) for weight in row])
        whole = max(map(sum, block))
        block = [[*row[:-1], row[-1] + whole - sum(row)] for row in block]
        last = width * copies
        rows = [
            {first + column: weight for column, weight in enumerate(row) if weight}
            for first in range(0, last, width)
            for row in block
        ]
        return [*rows, {last: whole}], whole, Transition.banded(block, whole, copies)
    size = draw(st.integers(1, 9))
    rows = []
    for state in range(size):
        after = draw(st.lists(st.integers(state, size - 1), max_size=3))
        row = {state: 12 - 2 * len(after)}
        for column in after:
            row[column] = row.get(column, 0) + 2
        rows.append(row)
    return rows, 12, Transition(rows, 12, draw(st.permutations(range(size))))


numbers = st.builds(
    lambda low, weights: IntegerDistribution(low, (*weights, 1), sum(weights) + 1),
    st.integers(0, 6),
    st.lists(st.integers(0, 3), max_size=4),
)


def stepped(distribution: list[Fraction], rows: list[dict[int, int]], whole: int) -> list[Fraction]:
    after = [Fraction(0)] * len(distribution)
    for mass, row in zip(distribution, rows, strict=True):
        for column, weight in row.items():
            after[column] += mass * Fraction(weight, whole)
    return after


def walked(
    distribution: list[Fraction], rows: list[dict[int, int]], whole: int, number: IntegerDistribution
) -> list[Fraction]:
    """Mix the states after every number of steps."""
    total = [Fraction(0)] * len(distribution)
    for made in range(number.low + len(number.weights)):
        if made >= number.low:
            chance = Fraction(number.weights[made - number.low], number.denominator)
            total = [before + chance * mass for before, mass in zip(total, distribution, strict=True)]
        distribution = stepped(distribution, rows, whole)
    return total


def of_number(number: IntegerDistribution) -> tuple[Any, int]:
    distribution = number.distribution()
    return distribution._mass, distribution.support[0]


@pytest.mark.parametrize("limits", [{}, {"MAXIMUM_DENSE": 1, "LONG": 0}], ids=["short", "long"])
@given(transitions(), numbers, st.data())
def test_a_random_number_of_steps(
    limits: dict[str, int],
    step: tuple[list[dict[int, int]], int, Transition],
    number: IntegerDistribution,
    data: st.DataObject,
) -> None:
    """From any distribution: several rows are walked one by one, and over equal blocks long numbers as a renewal."""
    steps, whole, transition = step
    size = len(steps)
    scale = 10 ** data.draw(st.sampled_from([0, 400]))
    weights = [each * scale for each in data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))]
    weights[0] += scale
    expected = walked([Fraction(weight, sum(weights)) for weight in weights], steps, whole, number)
    start = Matrix.row(Mass.from_weights(weights, sum(weights)), 0, size)
    with patch.dict("mathhammer.arithmetic.transition.__dict__", limits):
        rows = Matrix.stack([start, Matrix.point(0, size)]).advance(transition, *of_number(number))
        both = rows.slices(1, 2)[0].to_mass(), start.advance(transition, *of_number(number)).to_mass()
    for found in both:
        assert [
            Fraction(int(each.p), int(each.q)) for each in map(found.__getitem__, range(size))
        ] == expected


@given(transitions(), st.lists(st.integers(0, 4), min_size=1, max_size=4).filter(lambda weights: weights[-1]))
def test_a_polynomial_of_a_step(
    step: tuple[list[dict[int, int]], int, Transition], weights: list[int]
) -> None:
    """It is the mixture of the states after every number of steps, from every state."""
    rows, whole, transition = step
    total = sum(weights)
    made = transition.polynomial(weights, total)
    number = IntegerDistribution(0, tuple(weights), total)
    for state in range(len(rows)):
        distribution = [Fraction(int(other == state)) for other in range(len(rows))]
        expected = walked(distribution, rows, whole, number)
        for column, chance in enumerate(expected):
            assert Fraction(made.rows[state].get(column, 0), made.denominator) == chance
    both = made + transition.times(1, 2)
    assert sum(both.rows[0].values()) * 2 == both.denominator * 3


def test_more_states_than_a_matrix_should_have_are_sparse() -> None:
    """The entries of equal blocks are those of the same rows written out."""
    blocks = Transition.banded([[3, 2, 1], [0, 4, 2]], 6, 100)
    rows = Transition(blocks.rows, 6)
    assert blocks.entries == rows.entries == 501


@given(transitions(), numbers, st.data())
def test_a_random_number_of_steps_from_one_state(
    step: tuple[list[dict[int, int]], int, Transition], number: IntegerDistribution, data: st.DataObject
) -> None:
    """Over equal blocks it is a renewal process; few steps over few states are products with the matrix."""
    rows, whole, transition = step
    column = data.draw(st.integers(0, len(rows) - 1))
    if data.draw(st.booleans()):
        number = IntegerDistribution(data.draw(st.sampled_from([1, 30, 120])), (1,), 1)
    expected = walked([Fraction(int(state == column)) for state in range(len(rows))], rows, whole, number)
    found = Matrix.point(column, len(rows)).advance(transition, *of_number(number)).to_mass()
    assert [
        Fraction(int(each.p), int(each.q)) for each in (found[state] for state in range(len(rows)))
    ] == expected


@given(st.integers(1, 4), st.integers(1, 5), numbers, st.data())
def test_models_lost_at_once(
    width: int, copies: int, number: IntegerDistribution, data: st.DataObject
) -> None:
    """As if each were a step to the first wound of the next model, from one state or from a distribution."""
    size = width * copies + 1
    rows = [{(state // width + 1) * width: 1} for state in range(size - 1)] + [{size - 1: 1}]
    weights = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any))
    column = data.draw(st.integers(0, size - 1))
    point = [Fraction(int(state == column)) for state in range(size)]
    expected = walked([Fraction(weight, sum(weights)) for weight in weights], rows, 1, number)
    start = Matrix.row(Mass.from_weights(weights, sum(weights)), 0, size)
    many = Matrix.stack([start, Matrix.point(column, size)]).moved(*of_number(number), width)
    one = Matrix.point(column, size).moved(*of_number(number), width)
    for found, distribution in (
        (many.slices(1, 2)[0], expected),
        (many.slices(1, 2)[1], walked(point, rows, 1, number)),
        (one, walked(point, rows, 1, number)),
    ):
        mass = found.to_mass()
        assert [Fraction(*map(int, mass[state].as_numer_denom())) for state in range(size)] == distribution


@given(numbers, numbers, st.integers(0, 40), st.integers(1, 30))
def test_sums_cut_at_a_number(
    number: IntegerDistribution, term: IntegerDistribution, copies: int, cut: int
) -> None:
    """All that lies beyond is there: of powers and of random sums."""
    one = Measure(0, Mass.from_weights([0] * term.low + list(term.weights), term.denominator))
    many = Measure(0, Mass.from_weights([0] * number.low + list(number.weights), number.denominator))
    for whole, part in (
        (one.mass.power(copies), one.mass.power(copies, cut)),
        (many.compound(one).mass, many.compound(one, cut).mass),
    ):
        assert len(part) <= cut + 1
        expected = [whole[index] for index in range(min(cut, len(whole)))]
        if len(whole) > cut:
            expected.append(whole.total(cut))
        expected += [0] * (len(part) - len(expected))
        assert [part[index] for index in range(len(part))] == expected
