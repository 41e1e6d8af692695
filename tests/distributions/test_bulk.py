"""Bulk walks against the same walks one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from mathhammer import distribution
from mathhammer.distributions.bulk import (
    advance_rows,
    after_steps,
    compounds,
    distribution_of_row,
    transition,
)

CLOSE = {"rtol": 1e-13, "atol": 0}


def test_compounds_are_those_of_the_algebra():
    numbers = [distribution(text) for text in ("1", "D6", "2D6+1", "D3-1")]
    terms = [np.array(term) for term in ([0.5, 0.5], [0.25, 0.5, 0.25], [1.0], [0.7, 0.0, 0.0, 0.3])]
    pairs = [(number, term) for number in range(len(numbers)) for term in range(len(terms))]
    number_of, term_of = np.array(pairs * 2).T
    distributions = compounds(numbers, terms, number_of, term_of)
    for row, (number, term) in enumerate(pairs * 2):
        expected = numbers[number].compound(distribution_of_row(terms[term]))
        np.testing.assert_allclose(
            distributions[row], [expected.pmf(count) for count in range(distributions.shape[1])], **CLOSE
        )


def test_a_tail_keeps_its_digits():
    """The chance of 60 in 60 is a power, to the last digits, where 1 - cdf would see nothing."""
    distributions = compounds([distribution("60")], [np.array([0.9, 0.1])], np.array([0]), np.array([0]))
    assert distributions[0, 60] == pytest.approx(0.1**60, rel=1e-13)
    assert distributions[0].sum() == pytest.approx(1, rel=1e-14)


def test_rows_advance_by_their_own_number_of_steps():
    matrix = transition(np.array([[0.2, 0.3, 0.5], [0.0, 0.4, 0.6]]), 3)
    rng = np.random.default_rng(1)
    rows, counts = rng.dirichlet(np.ones(7), 5), rng.dirichlet(np.ones(4), 5)
    expected = [
        sum(counts[row, n] * (rows[row] @ np.linalg.matrix_power(matrix, n)) for n in range(4))
        for row in range(5)
    ]
    np.testing.assert_allclose(advance_rows(rows, matrix, counts), expected, **CLOSE)


def test_steps_of_an_absorbed_walk():
    """One wound a step: after three steps nothing is left, and nothing changes any more."""
    sure = transition(np.array([[0.0, 1.0]]), 3)
    distributions = after_steps(sure, np.array([1.0, 0, 0, 0]), 6)
    assert distributions.argmax(axis=1).tolist() == [0, 1, 2, 3, 3, 3, 3]
    assert (distributions.sum(axis=1) == 1).all()
