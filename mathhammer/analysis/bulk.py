"""The numbers of many attacks on many targets, computed together where they can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer.arithmetic.products import row_products
from mathhammer.sequence.bulk import bulk_losses
from mathhammer.systems.wh40k.attacks.attack import attack
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.profiles.target_unit import points_destroyed
from mathhammer.systems.wh40k.rules.active import joins_rolls
from mathhammer.systems.wh40k.sequence.compile import kinds_of
from mathhammer.systems.wh40k.situation import read_situation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import UnnamedVolley
    from mathhammer.sequence import Group
    from mathhammer.systems.wh40k.attacks.result import AttackResult
    from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
    from mathhammer.systems.wh40k.sequence.bulk import BulkCompiler, BulkVolleys

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]


def compute_attacks(
    volleys: Sequence[UnnamedVolley],
    targets: Sequence[Target | TargetUnit],
    attacks: Indices,
    target_of: Indices,
    compiler: BulkCompiler,
    *,
    rulings: Mapping[str, str],
    kills: bool,
    losses: bool,
) -> BulkResults:
    """Compute attacks: ``attacks[i]`` are the indices of the volleys of attack i, -1 for none, in order."""
    rules = compiler.edition
    result = BulkResults(targets, target_of, kills=kills, losses=losses)
    uniform = [
        (index, target)
        for index, target in enumerate(targets)
        if isinstance(target, Target) and not joins_rolls(target, rules)
    ]
    column = np.full(len(targets), -1, dtype=np.intp)
    column[[index for index, _ in uniform]] = np.arange(len(uniform))
    alone = column[target_of] < 0
    together: Iterable[tuple[Group, Indices, Floats]] = ()
    if uniform:
        tied = [joins_rolls(volley.situation, rules) for volley in volleys]
        plain = read_situation({})
        bulk = compiler.compile(
            [
                (volley.weapon, volley.count, plain if by_itself else volley.situation)
                for volley, by_itself in zip(volleys, tied, strict=True)
            ],
            [target for _, target in uniform],
        )
        alone |= _depends_on_deferring(bulk, attacks, column[target_of])
        alone |= ((attacks >= 0) & np.array(tied)[attacks]).any(axis=1)
        together = _together(bulk, attacks, column[target_of], np.flatnonzero(~alone))
    # These come first: what is refused is mostly one of them, and then the others need not be walked.
    for row in np.flatnonzero(alone).tolist():
        used = [volleys[index] for index in attacks[row].tolist() if index >= 0]
        options: Any = {"edition": rules.name, "rulings": rulings, **used[0].shared}  # that of all the table
        target = targets[int(target_of[row])]
        result.put_single(row, attack([each.volley() for each in used], target, **options))
    for unit, rows, losses_of in together:
        result.put(unit, rows, losses_of)
    return result


def _together(
    bulk: BulkVolleys, attacks: Indices, column: Indices, rows: Indices
) -> Iterator[tuple[Group, Indices, Floats]]:
    """Walk the attacks of some rows together, and yield units with the rows of attacks on them and their losses."""
    distributions = bulk.distributions[attacks[rows], column[rows][:, None]]
    distributions[attacks[rows] < 0] = -1
    for unit, found, losses in bulk_losses(bulk.table, distributions, bulk.unit_of[column[rows]]):
        yield bulk.table.units[unit], rows[found], losses


def _depends_on_deferring(bulk: BulkVolleys, attacks: Indices, column: Indices) -> NDArray[np.bool_]:
    """Say of which attacks deferred wounds make a difference: where not every wound moves the unit alike."""
    at = np.maximum(column, 0)[:, None]
    present = attacks >= 0
    damage = bulk.distributions[attacks, at, 2]
    unlike = (present & (damage != damage[:, :1])).any(axis=1)
    deferred = (present & bulk.defers[attacks, at]).any(axis=1)
    differs = (present & bulk.differs[attacks, at]).any(axis=1)
    return np.asarray((deferred & unlike) | differs)


def _means(distributions: Floats) -> Floats:
    """Return the mean of each row of probabilities of 0, 1, ..."""
    return row_products(distributions, np.arange(distributions.shape[1], dtype=np.float64)[:, None])[:, 0]


class BulkResults:
    """Results of the attacks, in their order, filled in any."""

    def __init__(
        self, targets: Sequence[Target | TargetUnit], target_of: Indices, *, kills: bool, losses: bool
    ) -> None:
        #: Points of one model, where all are alike.
        self._points = np.array(
            [
                points_destroyed([target], [1]) or np.nan if isinstance(target, Target) else np.nan
                for target in targets
            ]
        )
        self._target_of = target_of
        #: A row each for the means of wounds lost and models destroyed, the probability that the whole unit is
        #: destroyed, and the mean of points destroyed, not a number where the target has none.
        self.means = np.full((4, len(target_of)), np.nan)
        kinds = [kinds_of(target) for target in targets] if kills or losses else []
        models = [sum(kind.models for kind in each) for each in kinds if kills]
        wounds = [
            sum(kind.models * kind.wounds - kind.wounds_lost for kind in each) for each in kinds if losses
        ]
        #: For each target the distributions of the models destroyed and of the wounds lost, a row for each attack on
        #: it; nothing of what is not kept. They are kept of attackers that attack every target in turn.
        rows = len(target_of) // len(targets)
        self.kills = tuple(np.zeros((rows, most + 1)) for most in models)
        self.losses = tuple(np.zeros((rows, most + 1)) for most in wounds)

    def put(self, unit: Group, rows: Indices, distributions: Floats) -> None:
        """Put attacks on targets of one size: distributions of the wounds that they have lost in all."""
        kills = np.empty((len(rows), unit.models + 1))
        kills[:, :-1] = distributions[:, :-1].reshape(len(rows), unit.models, -1).sum(axis=2)
        kills[:, -1] = distributions[:, -1]
        mean = _means(kills)
        np.minimum(kills, 1.0, out=kills)  # a sum of floats may end a few units in the last place above it
        self.means[0, rows] = _means(distributions) - unit.lost
        self.means[1, rows] = mean
        self.means[2, rows] = kills[:, -1]
        self.means[3, rows] = mean * self._points[self._target_of[rows]]
        for kept, found in ((self.kills, kills), (self.losses, distributions[:, unit.lost :])):
            if kept:
                row, target_of = np.divmod(rows, len(kept))
                for target in np.unique(target_of).tolist():
                    kept[target][row[target_of == target]] = found[target_of == target]

    def put_single(self, row: int, result: AttackResult) -> None:
        """Put one attack that was computed by itself."""
        points = result.points_destroyed
        self.means[:, row] = (
            result.wounds_lost.mean(),
            result.kills.mean(),
            result.probability_destroyed,
            np.nan if points is None else points,
        )
        for kept, found in ((self.kills, result.kills), (self.losses, result.wounds_lost)):
            if kept:
                place, target = divmod(row, len(kept))
                kept[target][place, found.support[0] : found.support[-1] + 1] = found.to_array()
