"""A table computed in blocks of rows: here, or on whatever an executor runs."""

from __future__ import annotations

from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from itertools import product
from queue import SimpleQueue
from secrets import token_hex
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import Attacker, Defender, UnnamedVolley, attack_of, volleys_of
from mathhammer.analysis.tabular import CELLS_AT_ONCE
from mathhammer.distributions.bulk import row_products
from mathhammer.errors import MathhammerError
from mathhammer.sequence.bulk import bulk_losses
from mathhammer.systems.wh40k import Target, Unit, Volley, attack
from mathhammer.systems.wh40k.armies.choices import melee_lines, shooting_lines
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.systems.wh40k.profiles.targets import TargetUnit, points_destroyed
from mathhammer.systems.wh40k.rules.roll import joins_rolls
from mathhammer.systems.wh40k.sequence.bulk import BulkCompiler
from mathhammer.systems.wh40k.situation import read_situation
from mathhammer.systems.wh40k.unit_rules.applied import acting, alone, ruled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Rules
    from mathhammer.sequence.group import Group
    from mathhammer.systems.wh40k import AttackResult, Weapon, WeaponLine
    from mathhammer.systems.wh40k.sequence.bulk import BulkVolleys
    from mathhammer.systems.wh40k.unit_rules.applied import Acting

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]
    _Computing = Future[tuple["BulkResults", "Chosen"]]

#: Attacks of one block: enough to share their parts, few enough to see progress.
BLOCK_ATTACKS = 500_000
#: Blocks of a table for each worker, or for all where their number is unknown; and the attacks that are worth the way
#: to a worker. Each block takes the cost of some thousand attacks again.
SHARES, ALL_SHARES, LEAST_ATTACKS = 2, 32, 20_000


class PartOfGrid(NamedTuple):
    """The numbers of some rows of a table."""

    rows: Indices
    #: Wounds lost, models destroyed, probability of destruction and points destroyed, by row and column.
    means: Floats
    #: For each target the distributions of models destroyed and of wounds lost; nothing of what is not kept.
    kills: tuple[Floats, ...]
    losses: tuple[Floats, ...]
    #: For each row and target the weapons that a unit chose, if they are kept.
    weapons: list[tuple[tuple[tuple[str, int], ...], ...]]


def computed_parts(
    rows: tuple[Attacker, ...],
    columns: tuple[Defender, ...],
    rules: Rules,
    executor: Executor | None,
    size: int | None,
) -> Iterator[PartOfGrid]:
    """Compute rows against columns, distinct ones once; each row of the table comes once."""
    if attack := attack_of(rules):
        result = BulkResults(
            [each.target for each in columns], np.tile(np.arange(len(columns)), len(rows)), rules
        )
        for place, (row, column) in enumerate(product(rows, columns)):
            result.put_single(place, attack(row.attacks, column.target))
        means = result.means.reshape(4, len(rows), -1)
        yield PartOfGrid(np.arange(len(rows)), means, result.kills, result.losses, [])
        return
    distinct, number_of = deduplicate(
        replace(row, label="", points=None)
        if isinstance(row.attacks, Unit)
        else tuple(UnnamedVolley.of(volley, rules.situation) for volley in volleys_of(row))
        for row in rows
    )
    targets, column_of = deduplicate(column.target for column in columns)
    # Volleys whose first has the same damage share most of a walk: in one block it is made once.
    walks = ["" if isinstance(row, Attacker) else str(row[0].weapon.damage) for row in distinct]
    order = sorted(range(len(distinct)), key=walks.__getitem__, reverse=True)
    if size is None:
        size = _block_size(len(order), len(targets), executor)
    size, name = min(validation.whole(size, "block", 1), max(1, len(order))), token_hex(8)
    blocks = [
        Block(tuple(distinct[row] for row in order[first : first + size]), targets, rules, name)
        for first in range(0, len(order), size)
    ]
    places = np.argsort(np.array(order, dtype=np.intp))[number_of]
    at_once = max(1, CELLS_AT_ONCE // len(columns))
    for index, (done, chosen) in compute_blocks(blocks, executor):
        found = np.flatnonzero(places // size == index)
        means = done.means.reshape(4, -1, len(targets))
        for first in range(0, len(found), at_once):
            here = found[first : first + at_once]
            sources = places[here] % size
            kills, losses = (
                tuple(kept[column][sources] for column in column_of) if kept else ()
                for kept in (done.kills, done.losses)
            )
            used = [
                tuple(chosen.get((source, column), ()) for column in column_of.tolist())
                for source in (sources.tolist() if rules.weapons else ())
            ]
            yield PartOfGrid(here, means[np.ix_(np.arange(4), sources, column_of)], kills, losses, used)


def deduplicate(keys: Iterable[Any]) -> tuple[tuple[Any, ...], Indices]:
    """Return the distinct keys, and for each key its number among them."""
    number: dict[Any, int] = {}
    numbers = [number.setdefault(key, len(number)) for key in keys]
    return tuple(number), np.array(numbers, dtype=np.intp)


def _block_size(rows: int, targets: int, executor: Executor | None) -> int:
    """Return the rows of a block: fewer where several workers want one."""
    most = max(1, BLOCK_ATTACKS // targets)
    if executor is None:
        return most
    # Those of the standard library know how many workers they may have; a cluster can have any number.
    workers = getattr(executor, "_max_workers", None)
    shares = SHARES * workers if isinstance(workers, int) else ALL_SHARES
    return max(1, min(most, max(LEAST_ATTACKS // targets, -(-rows // shares))))


#: The compiler of the last table that a thread worked at.
_COMPILED = local()

#: What decides the numbers of a row: a unit in one phase, without a label, or volleys.
BlockRow = Attacker | tuple[UnnamedVolley, ...]
Chosen = dict[tuple[int, int], tuple[tuple[str, int], ...]]
"""Names and copies of the weapons that the unit of a row uses against the target of a column."""


@dataclass(frozen=True, slots=True)
class Block:
    """Some rows of a table, before they are computed."""

    rows: tuple[BlockRow, ...]
    targets: tuple[Target | TargetUnit, ...]
    rules: Rules
    table: str = field(default_factory=lambda: token_hex(8))

    def compiler(self) -> BulkCompiler:
        """Return what this thread has compiled of the table; that of another table goes."""
        if getattr(_COMPILED, "table", None) != self.table:
            _COMPILED.compiler = BulkCompiler(find_edition(self.rules.edition), self.rules.rulings)
            _COMPILED.table = self.table
        compiler: BulkCompiler = _COMPILED.compiler
        return compiler

    @np.errstate(under="ignore")  # a probability below the smallest float is 0
    def compute(self) -> tuple[BulkResults, Chosen]:
        """Return the attacks row by row, each against every target, and the weapons that units chose for them."""
        chooser = _Chooser(self)
        attacks = chooser.attacks()
        target_of = np.tile(np.arange(len(self.targets)), len(self.rows))
        done = _computed(self, chooser.volleys, attacks.reshape(len(target_of), -1), target_of)
        return done, chooser.chosen if self.rules.weapons else {}


def compute_blocks(
    blocks: Sequence[Block], executor: Executor | None
) -> Iterator[tuple[int, tuple[BulkResults, Chosen]]]:
    """Yield the index and the results of each block, in the order in which they are finished."""
    if executor is None:
        for index, block in enumerate(blocks):
            yield index, block.compute()
        return
    futures: dict[_Computing, int] = {}
    # A future that shutdown(cancel_futures=True) cancels calls back, but as_completed would wait for it for ever.
    finished: SimpleQueue[_Computing] = SimpleQueue()
    refused = "it takes no work: {1}; give one that is open, or executor=None"
    try:
        for index, block in enumerate(blocks):
            future = executor.submit(Block.compute, block)
            futures[future] = index
            future.add_done_callback(finished.put)
        refused = (
            "a worker of it ended first: {0}: {1}; processes need the line if __name__ == '__main__': in a script and "
            "enough memory: try fewer workers, a smaller block=..., or executor=None"
        )
        while futures:
            future = finished.get()
            index = futures.pop(future)  # a result is held by the table alone
            yield index, future.result()
    except MathhammerError:  # of the block itself
        raise
    except Exception as error:
        why = refused.format(type(error).__name__, error)
        if isinstance(error, CancelledError):
            why = "it was closed first; leave it open until the table is finished, or give executor=None"
        raise MathhammerError(
            f"{type(executor).__name__} did not finish the {len(blocks):,} blocks of the table: {why}"
        ) from error
    finally:
        for future in futures:
            future.cancel()


class _Chooser:
    """The volleys of all attackers of a block, with the weapons that units choose for each target."""

    def __init__(self, block: Block) -> None:
        self._block = block
        #: The volleys with their numbers, in whose order they stand.
        self.volleys: dict[UnnamedVolley, int] = {}
        #: Mean wounds lost by a volley and a target, and those that a choice still needs.
        self._losses: dict[tuple[int, int], float] = {}
        self._missing: set[tuple[int, int]] = set()
        self._plain: dict[tuple[Weapon, int], UnnamedVolley] = {}
        self.chosen: Chosen = {}

    def attacks(self) -> NDArray[np.intp]:
        """Return the volleys of each attacker against each target, -1 where there are no more of them."""
        rows, targets = self._block.rows, range(len(self._block.targets))
        fixed = [() if isinstance(row, Attacker) else tuple(map(self._index, row)) for row in rows]
        units = [(index, row) for index, row in enumerate(rows) if isinstance(row, Attacker)]
        while True:
            chosen = {(at, to): self._of_unit(at, row, to) for at, row in units for to in targets}
            if not self._missing:
                break
            # What the choices need is computed in one batch.
            keys = sorted(self._missing)
            self._missing.clear()
            volleys, aims = np.array(keys, dtype=np.intp).T
            means_alone = replace(self._block, rules=replace(self._block.rules, kills=False, losses=False))
            found = _computed(means_alone, self.volleys, volleys[:, None], aims)
            self._losses.update(zip(keys, found.means[0].tolist(), strict=True))
        width = max(map(len, (*fixed, *chosen.values())))
        attacks = np.full((len(fixed), len(targets), width), -1, dtype=np.intp)
        for row, volleys in enumerate(fixed):
            attacks[row, :, : len(volleys)] = volleys
        for at, volleys in chosen.items():
            attacks[(*at, slice(len(volleys)))] = volleys
        return attacks

    def _index(self, volley: UnnamedVolley) -> int:
        return self.volleys.setdefault(volley, len(self.volleys))

    def _of_unit(self, row: int, attacking: Attacker, target: int) -> tuple[int, ...]:
        """Choose as :mod:`mathhammer.systems.wh40k.armies.choices` does, by the mean of wounds lost."""
        unit: Any = attacking.attacks
        effects, situation = acting(unit), self._block.rules.situation

        def volley_of(
            line: WeaponLine, weapon: Weapon, count: int, acts: tuple[Acting, ...]
        ) -> UnnamedVolley:
            """Return copies of a weapon with what the rules of the unit do to them."""
            aim = self._block.targets[target]
            changed, given = ruled(acts, unit, line.group, weapon, aim, situation)
            if given is not situation:
                return UnnamedVolley.of(Volley(changed, count), given)
            if (changed, count) not in self._plain:
                self._plain[changed, count] = UnnamedVolley.of(Volley(changed, count), situation)
            return self._plain[changed, count]

        def mean_losses(weapon: Weapon, line: WeaponLine) -> float:
            key = (self._index(volley_of(line, weapon, line.count, alone(effects))), target)
            if key not in self._losses:
                self._missing.add(key)
            return self._losses.get(key, 0.0)

        lines = (melee_lines if attacking.kind == "melee" else shooting_lines)(unit, mean_losses)
        copies: dict[UnnamedVolley, int] = {}
        names: dict[str, int] = {}
        for line in lines:
            for weapon in line.modes:
                volley = volley_of(line, weapon, 1, effects)
                copies[volley] = copies.get(volley, 0) + line.count
                names[weapon.name] = names.get(weapon.name, 0) + line.count
        self.chosen[row, target] = tuple(names.items())
        return tuple(self._index(replace(volley, count=count)) for volley, count in copies.items())


def _computed(
    block: Block, numbers: Iterable[UnnamedVolley], attacks: Indices, target_of: Indices
) -> BulkResults:
    """Compute attacks: ``attacks[i]`` are the numbers of the volleys of attack i, -1 for none, in order."""
    compiler, volleys, targets = block.compiler(), list(numbers), block.targets
    rules, result = compiler.edition, BulkResults(targets, target_of, block.rules)
    uniform = [
        (index, target)
        for index, target in enumerate(targets)
        if isinstance(target, Target) and not joins_rolls(target, rules)
    ]
    column = np.full(len(targets), -1, dtype=np.intp)
    column[[index for index, _ in uniform]] = np.arange(len(uniform))
    column = column[target_of]
    alone = column < 0
    if uniform:
        tied = [joins_rolls(volley.situation, rules) for volley in volleys]
        plain = read_situation({})
        at = [plain if single else volley.situation for volley, single in zip(volleys, tied, strict=True)]
        fired = [(volley.weapon, volley.count, each) for volley, each in zip(volleys, at, strict=True)]
        bulk = compiler.compile(fired, [target for _, target in uniform])
        alone |= _depends_on_deferring(bulk, attacks, column)
        alone |= ((attacks >= 0) & np.array(tied)[attacks]).any(axis=1)
    # These come first: what is refused is mostly one of them, and then the others need not be walked.
    for row in np.flatnonzero(alone).tolist():
        used = [volleys[index] for index in attacks[row].tolist() if index >= 0]
        options: Any = {"edition": rules.name, "rulings": block.rules.rulings, **used[0].shared}
        target = targets[int(target_of[row])]
        result.put_single(row, attack([each.volley() for each in used], target, **options))
    if uniform:
        rows = np.flatnonzero(~alone)
        distributions = bulk.distributions[attacks[rows], column[rows][:, None]]
        distributions[attacks[rows] < 0] = -1
        for unit, found, losses in bulk_losses(bulk.table, distributions, bulk.unit_of[column[rows]]):
            result.put(bulk.table.units[unit], rows[found], losses)
    return result


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

    def __init__(self, targets: Sequence[Target | TargetUnit], target_of: Indices, rules: Rules) -> None:
        #: Points of one model, where all are alike.
        alike = [not isinstance(each, TargetUnit) and points_destroyed([each], [1]) for each in targets]
        self._points = np.array([each or np.nan for each in alike])
        self._target_of = target_of
        #: A row each for the means of wounds lost and models destroyed, the probability that the whole unit is
        #: destroyed, and the mean of points destroyed, NaN where the target has none.
        self.means = np.full((4, len(target_of)), np.nan)
        #: For each target the distributions of the models destroyed and of the wounds lost, a row for each attack on
        #: it; nothing of what is not kept. They are kept of attackers that attack every target in turn.
        rows, units = len(target_of) // len(targets), [Defender("", target) for target in targets]
        self.kills = tuple(np.zeros((rows, unit.models + 1)) for unit in units if rules.kills)
        self.losses = tuple(np.zeros((rows, unit.wounds + 1)) for unit in units if rules.losses)

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
        mean = result.kills.mean()
        points = getattr(result, "points_destroyed", mean * self._points[self._target_of[row]])
        points = np.nan if points is None else points
        self.means[:, row] = result.wounds_lost.mean(), mean, result.probability_destroyed, points
        for kept, found in ((self.kills, result.kills), (self.losses, result.wounds_lost)):
            if kept:
                place, target = divmod(row, len(kept))
                kept[target][place, found.support[0] : found.support[-1] + 1] = found.to_array()
