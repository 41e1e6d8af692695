"""Many walks of equal shape as one computation, in float64."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mathhammer.arithmetic.mass import RoundedMass
from mathhammer.distributions.univariate import Distribution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sympy import Rational

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

#: Relative accuracy of a float sum of probabilities: two that differ by less may be the same number.
_ROUNDING = 1e-12


def row_products(rows: Floats, matrix: Floats) -> Floats:
    """Product of each row and a matrix, on one thread, in order: the same whatever rows and zeros are beside it."""
    return np.asarray(np.einsum("rk,kc->rc", rows, matrix))


def compounds(
    numbers: Sequence[Distribution], terms: Sequence[Floats], number_of: Indices, term_of: Indices
) -> Floats:
    """Distributions of random sums: a random number of copies of a term, a row for each pair."""
    most = np.array([number.support[-1] for number in numbers])
    degrees = np.array([len(term) - 1 for term in terms])
    distributions = np.zeros((len(number_of), 1 + int((most[number_of] * degrees[term_of]).max(initial=0))))
    mass = np.zeros((len(numbers), 1 + int(most[number_of].max(initial=0))))
    for index in np.unique(number_of):
        number = numbers[index]
        mass[index, number.support[0] : number.support[-1] + 1] = number.to_array()
    for degree in np.unique(degrees[term_of]):
        rows = np.flatnonzero(degrees[term_of] == degree)
        used, own = np.unique(term_of[rows], return_inverse=True)
        each = np.stack([terms[index] for index in used])
        _add_powers(distributions, rows, mass[number_of[rows]], each, own)
    return distributions


def _add_powers(distributions: Floats, rows: Indices, mass: Floats, each: Floats, own: Indices) -> None:
    """Add to each row its powers of one term, n copies with weight ``mass[row, n]``."""
    degree = each.shape[1] - 1
    power = np.ones((len(each), 1))
    for copies in range(mass.shape[1]):
        weights = mass[:, copies]
        held = np.flatnonzero(weights)
        if len(held):
            distributions[rows[held], : power.shape[1]] += weights[held, None] * power[own[held]]
        if copies + 1 < mass.shape[1]:
            longer = np.zeros((len(each), power.shape[1] + degree))
            for count in range(degree + 1):
                longer[:, count : count + power.shape[1]] += each[:, count, None] * power
            power = longer


def transition(block: Floats, copies: int) -> Floats:
    """Transition matrix of equal blocks in a row and one absorbing state."""
    width = len(block)
    size = copies * width + 1
    matrix = np.zeros((size, size))
    for start in range(0, copies * width, width):
        matrix[start : start + width, start : start + width + 1] = block
    matrix[-1, -1] = 1.0
    return matrix


def after_steps(matrix: Floats, distribution: Floats, steps: int) -> Floats:
    """Distributions of the state after 0, 1, ... `steps` steps from a distribution, a row for each."""
    distributions = np.zeros((steps + 1, len(matrix)))
    distributions[0] = distribution
    for step in range(1, steps + 1):
        distribution = row_products(distribution[None], matrix)[0]
        if not distribution[:-1].any():  # absorbed: every further distribution is the same
            distributions[step:, -1] = distribution[-1]
            break
        distributions[step] = distribution
    return distributions


def advance_rows(rows: Floats, matrix: Floats, counts: Floats) -> Floats:
    """Each row after a number of steps of its own, ``counts[row]`` being the distribution of that number."""
    total = counts[:, :1] * rows
    for count in counts.T[1:]:
        rows = row_products(rows, matrix)
        total += count[:, None] * rows
    return total


def distribution_of_row(probabilities: Floats) -> Distribution:
    """Return the distribution of 0, 1, ... with these probabilities as a distribution."""
    return Distribution._new(RoundedMass.from_floats(probabilities.tolist()), 0)


def quantile_indices(rows: Floats, probability: float | Rational) -> Indices:
    """Return for every row of probabilities the first index at which its running sum reaches a probability."""
    near, beyond = float(probability), float(1 - probability)
    # Half the distance to the next smaller float rounds up to this one.
    half = (near - math.nextafter(near, 0)) / 2 if isinstance(probability, float) and near < 1 else 0.0
    if near <= 0.5:
        reached = np.cumsum(rows, axis=1) >= (near - half) * (1 - _ROUNDING)
    else:
        above = np.zeros_like(rows)
        above[:, :-1] = np.cumsum(rows[:, :0:-1], axis=1)[:, ::-1]
        reached = above <= (beyond + half) * (1 + _ROUNDING)
    reached[:, -1] = True
    indices: Indices = reached.argmax(axis=1)
    return indices
