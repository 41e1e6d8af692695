"""Many attacks at once: the distinct distributions of all volleys, and which of them each attack is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mathhammer.distributions.bulk import advance_rows, after_steps, compounds, row_products, transition
from mathhammer.distributions.kernel import MAXIMUM_SECONDS
from mathhammer.errors import TooLargeError
from mathhammer.sequence.group import model_block, require_wounds
from mathhammer.sequence.volley import MAXIMUM_ATTACKS
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from mathhammer.distributions import Distribution
    from mathhammer.distributions.bulk import Floats, Indices
    from mathhammer.distributions.integer_distribution import IntegerDistribution
    from mathhammer.sequence.group import Group

#: Seconds of one product of matrix entries.
PRODUCT = 1e-9

#: Most numbers held at once between the tables and the result: 8 MB.
WORKING_NUMBERS = 1_000_000


@dataclass(frozen=True, slots=True)
class DistributionTable:
    """The distinct distributions that many volleys are made of."""

    #: Numbers of attacks.
    numbers: Sequence[Distribution]
    #: What one attack produces: ``unsaved[i][k]`` is the probability of k unsaved wounds.
    unsaved: Sequence[Floats]
    #: Wounds that one of them takes off a model that has enough.
    damages: Sequence[IntegerDistribution]
    #: The units, each with the wounds that it has lost before.
    units: Sequence[Group]


def bulk_losses(
    table: DistributionTable, volleys: NDArray[np.intp], unit_of: Indices
) -> Iterator[tuple[int, Indices, Floats]]:
    """Distributions of the wounds that units have lost, many attacks at a time."""
    if (largest := max((number.support[-1] for number in table.numbers), default=0)) > MAXIMUM_ATTACKS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKS:,} attacks in a volley, got up to {shown(largest)}; "
            "use fewer weapons"
        )
    most = np.array([number.support[-1] for number in table.numbers], dtype=np.intp)
    degrees = np.array([len(distribution) - 1 for distribution in table.unsaved], dtype=np.intp)
    _require_size(table, most, volleys, unit_of)
    counts = (
        most[volleys[:, :, 0]] * degrees[volleys[:, :, 1]]
    )  # of unsaved wounds, the most of any one volley
    counts[volleys[:, :, 0] < 0] = 0
    paths = _Paths(table)
    # Attacks of like size together: few wounds are not padded to the length of many.
    for attacks in _like_sizes(counts.max(axis=1), max(unit.states for unit in table.units)):
        paths.learn(volleys[attacks])
        order = attacks[np.argsort(unit_of[attacks], kind="stable")]
        units, starts = np.unique(unit_of[order], return_index=True)
        for unit, on_unit in zip(units.tolist(), np.split(order, starts[1:]), strict=True):
            yield unit, on_unit, _advance(paths, volleys[on_unit], unit, table.units[unit])


def _like_sizes(counts: Indices, states: int) -> Iterator[Indices]:
    """Yield attacks in groups whose working arrays are of a bounded size, the small ones first."""
    order = np.argsort(counts, kind="stable")
    counts = counts[order]
    first = 0
    while first < len(order):
        widest = max(8, 2 * int(counts[first]))
        last = int(np.searchsorted(counts, widest, side="right"))
        last = min(last, first + max(1, WORKING_NUMBERS // (widest + states)))
        yield order[first:last]
        first = last


def _advance(paths: _Paths, volleys: NDArray[np.intp], unit: int, models: Group) -> Floats:
    """Walk the volleys of attacks on one unit, all first volleys together, then all second ones."""
    distributions = np.zeros((len(volleys), models.states))
    distributions[:, models.lost] = 1.0
    for turn in range(volleys.shape[1]):
        active = np.flatnonzero(volleys[:, turn, 0] >= 0)
        if not len(active):
            break
        counts, own = paths.counts(volleys[active, turn])
        order = np.argsort(volleys[active, turn, 2], kind="stable")
        damages, starts = np.unique(volleys[active[order], turn, 2], return_index=True)
        for damage, part in zip(damages, np.split(order, starts[1:]), strict=True):
            rows, distribution = active[part], counts[own[part]]
            if turn == 0:
                distributions[rows] = row_products(
                    distribution, paths.after(int(damage), unit, distribution.shape[1] - 1)
                )
            else:
                distributions[rows] = advance_rows(
                    distributions[rows], paths.matrix(int(damage), unit), distribution
                )
    return distributions


class _Paths:
    """What attacks share: distributions of the number of wounds, and of the state after so many of them."""

    def __init__(self, table: DistributionTable) -> None:
        self._table = table
        self._matrices: dict[tuple[int, int], Floats] = {}
        self._after: dict[tuple[int, int], Floats] = {}
        self._known: Indices = np.empty(0, dtype=np.intp)
        self._counts: Floats = np.empty((0, 1))

    def learn(self, volleys: NDArray[np.intp]) -> None:
        """Compute the distributions of the number of unsaved wounds of all volleys, each distinct one once."""
        keys = self._keys(volleys)[volleys[:, :, 0] >= 0]
        self._known = np.unique(keys)
        number_of, term_of = np.divmod(self._known, len(self._table.unsaved))
        self._counts = compounds(self._table.numbers, self._table.unsaved, number_of, term_of)

    def counts(self, volleys: NDArray[np.intp]) -> tuple[Floats, Indices]:
        """Distributions of the number of unsaved wounds, and which is each volley's; all of them were learnt."""
        return self._counts, np.searchsorted(self._known, self._keys(volleys))

    def _keys(self, volleys: NDArray[np.intp]) -> Indices:
        return np.asarray(volleys[..., 0] * len(self._table.unsaved) + volleys[..., 1])

    def matrix(self, damage: int, unit: int) -> Floats:
        """Transition of one wound."""
        key = (damage, unit)
        if key not in self._matrices:
            models = self._table.units[unit]
            weights, denominator = model_block(self._table.damages[damage], models.wounds)
            block = np.array([[weight / denominator for weight in row] for row in weights])
            self._matrices[key] = transition(block, models.models)
        return self._matrices[key]

    def after(self, damage: int, unit: int, steps: int) -> Floats:
        """Distributions of the state after 0, 1, ... `steps` wounds."""
        key = (damage, unit)
        known = self._after.get(key)
        if known is None:
            known = np.zeros((1, self._table.units[unit].states))
            known[0, self._table.units[unit].lost] = 1.0
        if len(known) <= steps:
            more = after_steps(self.matrix(damage, unit), known[-1], steps + 1 - len(known))
            known = self._after[key] = np.concatenate((known, more[1:]))
        return known[: steps + 1]


def _require_size(
    table: DistributionTable, most: Indices, volleys: NDArray[np.intp], unit_of: Indices
) -> None:
    """Refuse what a single attack refuses, before anything is computed."""
    for unit in table.units:
        require_wounds(unit.models, unit.wounds)
    numbers = volleys[:, :, 0]
    steps = np.where(numbers >= 0, most[numbers], 0).max(axis=1, initial=0)
    states = np.array([unit.states for unit in table.units], dtype=np.intp)[unit_of]
    seconds = steps * states**2 * PRODUCT
    if seconds.max(initial=0) > MAXIMUM_SECONDS:
        raise TooLargeError(
            f"expected a question that takes at most {MAXIMUM_SECONDS:.0f} seconds, but {steps[seconds.argmax()]:,} "
            f"attacks on one of the targets take about {seconds.max():,.0f}; use fewer attacks or a smaller unit"
        )
