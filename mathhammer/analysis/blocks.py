"""A table computed in blocks of rows: here, or on whatever an executor runs."""

from __future__ import annotations

from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from secrets import token_hex
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import UnnamedVolley, read_attackers, read_defenders, volleys_of
from mathhammer.analysis.bulk import compute_attacks
from mathhammer.analysis.tabular import CELLS_AT_ONCE
from mathhammer.arithmetic.products import QUIET
from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.armies.army import Unit
from mathhammer.systems.wh40k.armies.choices import melee_lines, shooting_lines
from mathhammer.systems.wh40k.attacks.attack import read_weapons
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.systems.wh40k.profiles.volleys import Volley, own_keywords
from mathhammer.systems.wh40k.sequence.bulk import BulkCompiler
from mathhammer.systems.wh40k.situation import read_situation
from mathhammer.systems.wh40k.unit_rules.applied import acting, alone, ruled

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor, Future

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attack, Attacker, Defender, Targets
    from mathhammer.analysis.bulk import BulkResults
    from mathhammer.sequence import Rulings
    from mathhammer.systems.wh40k import Target, TargetUnit, Weapon
    from mathhammer.systems.wh40k.armies.army import WeaponLine
    from mathhammer.systems.wh40k.situation import SituationKeywords
    from mathhammer.systems.wh40k.unit_rules.applied import Acting

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]
    _Computing = Future[tuple[BulkResults, "Chosen"]]


_Key = TypeVar("_Key", bound="Hashable")

#: Attacks of one block: enough to share their parts, few enough to see progress.
BLOCK_ATTACKS = 500_000
#: Blocks of a table for each worker, or for all where their number is unknown; and the attacks that are worth the way
#: to a worker. Each block takes the cost of some thousand attacks again.
SHARES, ALL_SHARES, LEAST_ATTACKS = 2, 32, 20_000


class Part(NamedTuple):
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
) -> Iterator[Part]:
    """Compute rows against columns, distinct ones once; each row of the table comes once."""
    distinct, number_of = deduplicate(block_row(row, rules.situation) for row in rows)
    targets, column_of = deduplicate(column.target for column in columns)
    # Rows that share most of a walk stand beside each other, so that few blocks compute the same.
    order = sorted(range(len(distinct)), key=lambda row: _walk_of(distinct[row]), reverse=True)
    if size is None:
        size = _block_size(len(order), len(targets), executor)
    size, name = validation.whole(size, "block", 1), token_hex(8)
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
            yield Part(here, means[np.ix_(range(4), sources, column_of)], kills, losses, used)


def deduplicate(keys: Iterable[_Key]) -> tuple[tuple[_Key, ...], Indices]:
    """Return the distinct keys, and for each key its number among them."""
    number: dict[_Key, int] = {}
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


def block_row(row: Attacker, situation: SituationKeywords) -> BlockRow:
    """Return what decides the numbers of a row, without its name."""
    if isinstance(row.attacks, Unit):
        return UnitRow(row.attacks, row.kind)
    return tuple(UnnamedVolley.of(volley, situation) for volley in volleys_of(row))


def _walk_of(row: BlockRow) -> str:
    """Return what rows share that share most of a walk: of volleys the damage of the first."""
    return "" if isinstance(row, UnitRow) else str(row[0].weapon.damage)


def volleys_at(row: Attacker, target: Target | TargetUnit, rules: Rules) -> list[Volley]:
    """Return the volleys of one row against one target; a unit chooses its weapons."""
    volleys: Iterable[Any] = volleys_of(row)
    if isinstance(row.attacks, Unit):
        options: Any = {"edition": rules.edition, "rulings": rules.rulings, **rules.situation}
        unit = row.attacks.only("melee" if row.kind == "melee" else "shooting")
        volleys = read_weapons(unit, 1, target, **options)
    return [Volley(each.weapon, each.count, **own_keywords(each, rules.situation)) for each in volleys]


def one_attack(
    attacks: Attack,
    target: Targets,
    edition: str,
    rulings: Mapping[str, str] | None,
    situation: SituationKeywords,
) -> tuple[Attacker, Defender]:
    """Return what attacks together as volleys, which a unit with weapons of one phase has chosen, and one target."""
    defenders, rules = read_defenders(target, edition), Rules.of(edition, rulings, situation)
    if len(defenders) != 1:
        raise MathhammerError(f"expected one target, got {len(defenders)}; ask for one after another")
    rows = read_attackers([attacks])
    if len(rows) != 1:
        raise MathhammerError(
            f"expected one attack, got {len(rows)} rows: {', '.join(row.name for row in rows)}; ask for one after "
            "another, of a unit with unit.only('shooting') and unit.only('melee')"
        )
    (row,) = rows
    if not isinstance(row.attacks, Unit):
        return row, defenders[0]
    # What is true of all attacks is said again by whoever computes them; here stands what the unit's rules add.
    common = rules.situation
    given = (
        Volley(
            each.weapon,
            each.count,
            **{name: value for name, value in each.situation.items() if common.get(name) != value},
        )
        for each in volleys_at(row, defenders[0].target, rules)
    )
    return replace(row, label=row.name, attacks=tuple(given), kind="attack"), defenders[0]


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
            f"expected {type(executor).__name__} to finish {len(blocks):,} blocks of the table, but {why}"
        ) from error
    finally:
        for future in futures:
            future.cancel()


class _Chooser:
    """The volleys of all attackers of a block, with the weapons that units choose for each target."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._number: dict[UnnamedVolley, int] = {}
        #: Mean wounds lost by a volley and a target, and those that a choice still needs.
        self._losses: dict[tuple[int, int], float] = {}
        self._missing: set[tuple[int, int]] = set()
        self._plain: dict[tuple[Weapon, int], UnnamedVolley] = {}
        self.chosen: Chosen = {}

    def attacks(self) -> NDArray[np.intp]:
        """Return the volleys of each attacker against each target, -1 where there are no more of them."""
        rows, targets = self._block.rows, range(len(self._block.targets))
        fixed = [() if isinstance(row, UnitRow) else tuple(map(self._index, row)) for row in rows]
        units = [(index, row) for index, row in enumerate(rows) if isinstance(row, UnitRow)]
        while True:
            chosen = {
                (index, target): self._of_unit(index, row, target)
                for index, row in units
                for target in targets
            }
            if not self._missing:
                break
            self._compute_missing()
        width = max(map(len, (*fixed, *chosen.values())))
        attacks = np.full((len(fixed), len(targets), width), -1, dtype=np.intp)
        for row, volleys in enumerate(fixed):
            attacks[row, :, : len(volleys)] = volleys
        for at, volleys in chosen.items():
            attacks[(*at, slice(len(volleys)))] = volleys
        return attacks

    def results(self, attacks: NDArray[np.intp], target_of: NDArray[np.intp], rules: Rules) -> BulkResults:
        return compute_attacks(
            list(self._number),
            self._block.targets,
            attacks,
            target_of,
            self._block.compiler(),
            rulings=rules.rulings,
            kills=rules.kills,
            losses=rules.losses,
        )

    def _index(self, volley: UnnamedVolley) -> int:
        return self._number.setdefault(volley, len(self._number))

    def _of_unit(self, row: int, attacking: UnitRow, target: int) -> tuple[int, ...]:
        """Choose as :mod:`mathhammer.systems.wh40k.armies.choices` does, by the mean of wounds lost."""
        unit = attacking.unit
        effects = acting(unit)
        compared = alone(effects)

        def mean_losses(weapon: Weapon, line: WeaponLine) -> float:
            key = (self._index(self._volley(compared, unit, line, weapon, line.count, target)), target)
            if key not in self._losses:
                self._missing.add(key)
            return self._losses.get(key, 0.0)

        lines = (melee_lines if attacking.kind == "melee" else shooting_lines)(unit, mean_losses)
        copies: dict[UnnamedVolley, int] = {}
        names: dict[str, int] = {}
        for line in lines:
            for weapon in line.modes:
                volley = self._volley(effects, unit, line, weapon, 1, target)
                copies[volley] = copies.get(volley, 0) + line.count
                names[weapon.name] = names.get(weapon.name, 0) + line.count
        self.chosen[row, target] = tuple(names.items())
        return tuple(self._index(replace(volley, count=count)) for volley, count in copies.items())

    def _volley(
        self,
        effects: tuple[Acting, ...],
        unit: Unit,
        line: WeaponLine,
        weapon: Weapon,
        count: int,
        target: int,
    ) -> UnnamedVolley:
        """Return copies of a weapon with what the rules of its unit do to them against a target."""
        situation = self._block.rules.situation
        changed, given = (
            ruled(effects, unit, line.group, weapon, self._block.targets[target], situation)
            if effects
            else (weapon, situation)
        )
        if given is not situation or changed is not weapon:
            return UnnamedVolley.of(Volley(changed, count), given)
        known = self._plain.get((weapon, count))
        if known is None:
            known = self._plain[weapon, count] = UnnamedVolley.of(Volley(weapon, count), situation)
        return known

    def _compute_missing(self) -> None:
        """Compute what the choices need, in one batch."""
        keys = sorted(self._missing)
        self._missing.clear()
        volleys, targets = np.array(keys, dtype=np.intp).T
        found = self.results(volleys[:, None], targets, replace(self._block.rules, kills=False, losses=False))
        self._losses.update(zip(keys, found.means[0].tolist(), strict=True))
