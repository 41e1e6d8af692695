"""A table computed in blocks of rows: here, or on whatever an executor runs."""

from __future__ import annotations

from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from secrets import token_hex
from threading import local
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import UnnamedVolley, read_attackers, unnamed, volleys_of
from mathhammer.analysis.bulk import compute_attacks
from mathhammer.arithmetic.products import QUIET
from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.armies.army import Unit
from mathhammer.systems.wh40k.armies.choices import melee_lines, shooting_lines, usable
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.systems.wh40k.profiles.volleys import Volley
from mathhammer.systems.wh40k.sequence.bulk import BulkCompiler
from mathhammer.systems.wh40k.situation import read_situation
from mathhammer.systems.wh40k.unit_rules.applied import acting, alone, ruled

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attacker, Defender
    from mathhammer.analysis.bulk import BulkResults

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Future

    from mathhammer.analysis.attackers import Attack
    from mathhammer.sequence import Rulings
    from mathhammer.systems.wh40k import Target, TargetUnit, Weapon
    from mathhammer.systems.wh40k.armies.army import WeaponLine
    from mathhammer.systems.wh40k.situation import SituationKeywords
    from mathhammer.systems.wh40k.unit_rules.applied import Acting

    _Computing = Future[tuple[BulkResults, "Chosen"]]


_Key = TypeVar("_Key", bound="Hashable")

#: Attacks of one block: enough to share their parts, few enough to see progress.
BLOCK_ATTACKS = 500_000
#: Blocks of a table for each worker, or for all where their number is unknown; and the attacks that are worth the way
#: to a worker. Each block takes the cost of some thousand attacks again.
SHARES, ALL_SHARES, LEAST_ATTACKS = 2, 32, 20_000


@dataclass(frozen=True, slots=True)
class BlockResult:
    """Results of a block, for some rows of the table."""

    #: Which attackers of the table.
    rows: Indices
    _sources: Indices
    _columns: Indices
    _done: BulkResults
    _chosen: Chosen

    def means(self, part: slice) -> Floats:
        """Return wounds lost, models destroyed, probability of destruction and points destroyed of some rows."""
        at = np.ix_(np.arange(4), self._sources[part], self._columns)
        means: Floats = self._done.means.reshape(4, -1, int(self._columns.max()) + 1)[at]
        return means

    def kills(self, part: slice) -> tuple[Floats, ...]:
        """Return for each target the distributions of models destroyed of some rows; nothing if they were not kept."""
        return self._distributions(self._done.kills, part)

    def losses(self, part: slice) -> tuple[Floats, ...]:
        """Return the same of wounds lost."""
        return self._distributions(self._done.losses, part)

    def _distributions(self, found: tuple[Floats, ...], part: slice) -> tuple[Floats, ...]:
        return tuple(found[column][self._sources[part]] for column in self._columns) if found else ()

    def weapons(self) -> Iterator[tuple[tuple[tuple[str, int], ...], ...]]:
        """Yield for each row the weapons that were chosen for each target."""
        columns = self._columns.tolist()
        for source in self._sources.tolist():
            yield tuple(self._chosen.get((source, column), ()) for column in columns)


def block_results(
    rows: tuple[Attacker, ...],
    columns: tuple[Defender, ...],
    rules: Rules,
    executor: Executor | None,
    size: int | None,
) -> Iterator[BlockResult]:
    """Compute distinct rows against distinct columns; each row of the table comes once."""
    distinct, number_of = deduplicate(block_row(row, rules.situation) for row in rows)
    ordered, place_of = _in_order_of_walks(distinct)
    targets, column_of = deduplicate(column.target for column in columns)
    if size is None:
        size = _block_size(len(ordered), len(targets), executor)
    size, name = validation.whole(size, "block", 1), token_hex(8)
    blocks = [
        Block(ordered[first : first + size], targets, rules, name) for first in range(0, len(ordered), size)
    ]
    places = place_of[number_of]
    for index, (done, chosen) in compute_blocks(blocks, executor):
        found = np.flatnonzero(places // size == index)
        yield BlockResult(found, places[found] % size, column_of, done, chosen)


def deduplicate(keys: Iterable[_Key]) -> tuple[tuple[_Key, ...], Indices]:
    """Return the distinct keys, and for each key its number among them."""
    number: dict[_Key, int] = {}
    numbers = [number.setdefault(key, len(number)) for key in keys]
    return tuple(number), np.array(numbers, dtype=np.intp)


def _in_order_of_walks(rows: tuple[BlockRow, ...]) -> tuple[tuple[BlockRow, ...], Indices]:
    """Return rows that share much beside each other, so that few blocks compute the same, and where each stands."""
    order = sorted(range(len(rows)), key=lambda row: walks_like(rows[row]), reverse=True)
    places = np.empty(len(rows), dtype=np.intp)
    places[order] = np.arange(len(rows))
    return tuple(rows[row] for row in order), places


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


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules and the situation of a whole table, and what it keeps."""

    edition: str
    rulings: Rulings
    situation: SituationKeywords
    kills: bool = False
    losses: bool = False
    weapons: bool = False

    @classmethod
    def of(
        cls, edition: str, rulings: Mapping[str, str] | None, situation: SituationKeywords, **kept: bool
    ) -> Rules:
        """Return the rules of an edition, of which a wrong name is refused before anything is computed."""
        in_force = find_edition(edition).in_force(rulings)
        read_situation(situation)
        return cls(edition, in_force, situation, **kept)


class UnitRow(NamedTuple):
    """A unit in one phase."""

    unit: Unit
    kind: str


BlockRow = UnitRow | tuple[UnnamedVolley, ...]
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

    @QUIET
    def compute(self) -> tuple[BulkResults, Chosen]:
        """Return the attacks row by row, each against every target, and the weapons that units chose for them."""
        chooser = _Chooser(self)
        attacks = chooser.attacks()
        target_of = np.tile(np.arange(len(self.targets)), len(self.rows))
        done = chooser.results(attacks.reshape(len(target_of), -1), target_of, self.rules)
        return done, chooser.chosen if self.rules.weapons else {}

    def volleys(self, names: dict[Weapon, str] | None = None) -> list[list[list[Volley]]]:
        """Return the volleys of each row against each target; `names` takes those of weapons that rules changed."""
        chooser = _Chooser(self)
        found = [
            [[chooser.volleys[index].volley() for index in found if index >= 0] for found in row]
            for row in chooser.attacks().tolist()
        ]
        if names is not None:
            names.update(chooser.names)
        return found


def block_row(row: Attacker, situation: SituationKeywords) -> BlockRow:
    """Return what decides the numbers of a row, without its name."""
    if isinstance(row.attacks, Unit):
        return UnitRow(row.attacks, row.kind)
    return tuple(UnnamedVolley.of(volley, situation) for volley in volleys_of(row))


def walks_like(row: BlockRow) -> str:
    """Return what rows share that share most of a walk: of volleys the damage of the first."""
    return "" if isinstance(row, UnitRow) else str(row[0].weapon.damage)


def named_volleys(row: Attacker, target: Target | TargetUnit, rules: Rules) -> list[Volley]:
    """Return the volleys of one row against one target; equal weapons have the name of the first of them."""
    names: dict[Weapon, str] = {}
    [[chosen]] = Block((block_row(row, rules.situation),), (target,), rules).volleys(names)
    used = (
        (weapon for line in row.attacks.weapons for weapon in line.modes)
        if isinstance(row.attacks, Unit)
        else (volley.weapon for volley in volleys_of(row))
    )
    for weapon in used:
        names.setdefault(unnamed(weapon), weapon.name)
    return [
        Volley(replace(volley.weapon, name=names[volley.weapon]), volley.count, **volley.situation)
        for volley in chosen
    ]


def one_attack(attacks: Attack, defender: Defender, rules: Rules) -> Attacker:
    """Return what attacks together as volleys; a unit with weapons of one phase has chosen them for a target."""
    rows = read_attackers([attacks])
    if len(rows) != 1:
        raise MathhammerError(
            f"expected one attack, got {len(rows)} rows: {', '.join(row.name for row in rows)}; ask for one after "
            "another, of a unit with unit.only('shooting') and unit.only('melee')"
        )
    (row,) = rows
    if isinstance(row.attacks, Unit):
        unit = usable(row.attacks, rules.situation)
        volleys = named_volleys(replace(row, attacks=unit), defender.target, rules)
        if not volleys:
            raise MathhammerError(
                f"expected a unit with a weapon that it can use, got {row.name!r} with none"
            )
        # What is true of all attacks is said again by whoever computes them; here stands what the unit's rules add.
        common = rules.situation
        given = (
            Volley(
                each.weapon,
                each.count,
                **{name: value for name, value in each.situation.items() if common.get(name) != value},
            )
            for each in volleys
        )
        return replace(row, label=row.name, attacks=tuple(given), kind="attack")
    return row


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
    awaited = f"expected {type(executor).__name__} to finish {len(blocks):,} blocks of the table, but"
    try:
        for index, block in enumerate(blocks):
            try:
                future = executor.submit(Block.compute, block)
            except Exception as error:
                raise MathhammerError(
                    f"{awaited} it takes no work: {error}; give one that is open, or executor=None"
                ) from error
            futures[future] = index
            future.add_done_callback(finished.put)
        while futures:
            future = finished.get()
            index = futures.pop(future)  # a result is held by the table alone
            yield index, _result(future, awaited)
    finally:
        for future in futures:
            future.cancel()


def _result(future: _Computing, awaited: str) -> tuple[BulkResults, Chosen]:
    """Return the result of a finished future; whatever is no error of the block itself is one of the executor."""
    try:
        return future.result()
    except MathhammerError:
        raise
    except CancelledError as error:
        raise MathhammerError(
            f"{awaited} it was closed first; leave it open until the table is finished, or give executor=None"
        ) from error
    except Exception as error:
        raise MathhammerError(
            f"{awaited} a worker of it ended first: {type(error).__name__}: {error}; processes need the line "
            "if __name__ == '__main__': in a script and enough memory: try fewer workers, a smaller block=..., "
            "or executor=None"
        ) from error


class _Chooser:
    """The volleys of all attackers of a block, with the weapons that units choose for each target."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._number: dict[UnnamedVolley, int] = {}
        self.volleys: list[UnnamedVolley] = []
        #: Mean wounds lost by a volley and a target, and those that a choice still needs.
        self._losses: dict[tuple[int, int], float] = {}
        self._missing: set[tuple[int, int]] = set()
        self._plain: dict[tuple[Weapon, int], UnnamedVolley] = {}
        self._names: dict[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]] = {}
        self.chosen: Chosen = {}
        #: Names of weapons that rules have changed.
        self.names: dict[Weapon, str] = {}

    def attacks(self) -> NDArray[np.intp]:
        """Return the volleys of each attacker against each target, -1 where there are no more of them."""
        fixed = [() if isinstance(row, UnitRow) else tuple(map(self._index, row)) for row in self._block.rows]
        chosen = self._choose()
        while self._missing:  # computed in one batch
            self._compute_missing()
            chosen = self._choose()
        width = max(map(len, (*fixed, *chosen.values())))
        attacks = np.full((len(fixed), len(self._block.targets), width), -1, dtype=np.intp)
        for row, volleys in enumerate(fixed):
            attacks[row, :, : len(volleys)] = volleys
        for (row, target), volleys in chosen.items():
            attacks[row, target, : len(volleys)] = volleys
        return attacks

    def results(self, attacks: NDArray[np.intp], target_of: NDArray[np.intp], rules: Rules) -> BulkResults:
        return compute_attacks(
            self.volleys,
            self._block.targets,
            attacks,
            target_of,
            self._block.compiler(),
            rulings=rules.rulings,
            kills=rules.kills,
            losses=rules.losses,
        )

    def _index(self, volley: UnnamedVolley) -> int:
        index = self._number.setdefault(volley, len(self.volleys))
        if index == len(self.volleys):
            self.volleys.append(volley)
        return index

    def _choose(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """Choose the weapons of every unit for every target."""
        return {
            (index, target): self._of_unit(index, row.unit, row.kind, target)
            for index, row in enumerate(self._block.rows)
            if isinstance(row, UnitRow)
            for target in range(len(self._block.targets))
        }

    def _of_unit(self, row: int, unit: Unit, kind: str, target: int) -> tuple[int, ...]:
        """Choose as :mod:`mathhammer.systems.wh40k.armies.choices` does, by the mean of wounds lost."""
        effects = acting(unit)
        compared = alone(effects)

        def volley_of(
            weapon: Weapon, line: WeaponLine, count: int, effects: tuple[Acting, ...] = effects
        ) -> UnnamedVolley:
            if not effects:
                return self._unchanged(weapon, count)
            return self._ruled(effects, unit, line.group, weapon, self._block.targets[target], count)

        def mean_losses(weapon: Weapon, line: WeaponLine) -> float:
            key = (self._index(volley_of(weapon, line, line.count, compared)), target)
            if key not in self._losses:
                self._missing.add(key)
            return self._losses.get(key, 0.0)

        lines = (melee_lines if kind == "melee" else shooting_lines)(unit, mean_losses)
        copies: dict[UnnamedVolley, int] = {}
        names: dict[str, int] = {}
        for line in lines:
            for weapon in line.modes:
                volley = volley_of(weapon, line, 1)
                copies[volley] = copies.get(volley, 0) + line.count
                names[weapon.name] = names.get(weapon.name, 0) + line.count
        named = tuple(names.items())
        self.chosen[row, target] = self._names.setdefault(named, named)
        return tuple(self._index(replace(volley, count=count)) for volley, count in copies.items())

    def _unchanged(self, weapon: Weapon, count: int) -> UnnamedVolley:
        known = self._plain.get((weapon, count))
        if known is None:
            known = replace(UnnamedVolley.of(Volley(weapon), self._block.rules.situation), count=count)
            self._plain[weapon, count] = known
        return known

    def _ruled(
        self,
        effects: tuple[Acting, ...],
        unit: Unit,
        group: int | None,
        weapon: Weapon,
        target: Target | TargetUnit,
        count: int,
    ) -> UnnamedVolley:
        """Return the volley of a weapon with what the rules of its unit do to it against a target."""
        situation = self._block.rules.situation
        changed, given = ruled(effects, unit, group, weapon, target, situation)
        if given is situation and changed is weapon:
            return self._unchanged(weapon, count)
        self.names.setdefault(unnamed(changed), weapon.name)
        return replace(UnnamedVolley.of(Volley(changed), given), count=count)

    def _compute_missing(self) -> None:
        keys = sorted(self._missing)
        self._missing.clear()
        volleys, targets = np.array(keys, dtype=np.intp).T
        found = self.results(volleys[:, None], targets, replace(self._block.rules, kills=False, losses=False))
        self._losses.update(zip(keys, found.means[0].tolist(), strict=True))
