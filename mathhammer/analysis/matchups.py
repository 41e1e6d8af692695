"""An army against a list of targets: what each unit does to each, shooting and melee apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from mathhammer import validation
from mathhammer.analysis.attackers import Rules, edition_of, read_defenders, unit_rows
from mathhammer.analysis.grids import compute, counting, usable_rows
from mathhammer.analysis.tabular import known, pairs_panel
from mathhammer.display import Displayed
from mathhammer.display.numbers import count
from mathhammer.errors import TooLargeError
from mathhammer.systems.wh40k.armies.army import Army
from mathhammer.systems.wh40k.armies.attachment import unit_keys
from mathhammer.systems.wh40k.attacks.attack import read_weapons
from mathhammer.systems.wh40k.attacks.needed import needed as needed_of
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.rules.circumstances import INDIRECT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mathhammer.analysis.attackers import Attacker, Defender, Targets
    from mathhammer.display.panel import Panel
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.wh40k import Target, TargetUnit
    from mathhammer.systems.wh40k.situation import SituationKeywords

# Ten to a hundred times what the largest of real lists need against each other: 1,456, 4,994 and 128,547.
_MOST_IN_ONE = 200_000
_MOST_ATTACKS = 50_000
_MOST_DICE = 10_000_000
#: The most units of one kind that are tried against one target.
_MOST_NEEDED = 20
#: Attacks of one block: enough to share their parts, few enough to see progress.
_BLOCK = 5_000


@dataclass(frozen=True, slots=True)
class WeaponUse:
    """A weapon that was used, mode included, and how many copies of it."""

    name: str
    count: int


class Cell(NamedTuple):
    """Effect of one unit on one target; what needs points is ``None`` where one of the two has none."""

    target: str
    mean_wounds_lost: float
    share_lost: float
    mean_kills: float
    probability_destroyed: float
    points_lost: float | None
    points_lost_per_point: float | None
    points_destroyed: float | None
    points_per_point: float | None
    #: The best mode of each against this target.
    weapons: tuple[WeaponUse, ...]
    #: Probability that the target loses so many wounds or more, from 0 on; empty unless the distributions were kept.
    wounds_at_least: tuple[float, ...] = ()
    #: How many such units, one after another, destroy the target; ``None`` where 20 do not, or nobody asked.
    needed: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """Effect of one unit in one phase, a cell for each target."""

    unit: str
    #: Its place in the army: two units may have one name.
    index: int
    kind: str
    points: float
    models: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ArmyTable(Displayed):
    """An army against a list of targets, as :func:`army_table` returns it."""

    army: str
    edition: str
    #: In the order of the cells of a row.
    targets: tuple[Target | TargetUnit, ...]
    #: In the order of the army: for each unit shooting and melee, where it has weapons for it.
    rows: tuple[Row, ...]
    rulings: Rulings
    situation: SituationKeywords
    #: What was left out or taken as equal, a sentence each.
    simplifications: tuple[str, ...]

    def _line(self) -> str:
        return f"{self.army}: {len(self.rows)} rows x {len(self.targets)} targets, edition {self.edition}"

    def _panel(self) -> Panel:
        said = count(len(self.simplifications), "thing")
        return pairs_panel(
            f"{self.army} against {count(len(self.targets), 'target')}",
            self,
            [f"{row.unit} ({row.kind})" for row in self.rows],
            [target.name for target in self.targets],
            [[cell.share_lost for cell in row.cells] for row in self.rows],
            [[cell.probability_destroyed for cell in row.cells] for row in self.rows],
            [f"{said} left out or taken as equal: see .simplifications."] if self.simplifications else [],
        )


def army_table(
    army: Army,
    targets: Targets,
    *,
    edition: str | None = None,
    rulings: Mapping[str, str] | None = None,
    keep_distributions: bool = False,
    needed: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    **situation: Unpack[SituationKeywords],
) -> ArmyTable:
    """Compute what each unit of an army does to each target.

    A unit shoots with everything it may shoot with at once, and fights with the best weapon of each model and
    all its Extra Attacks weapons. Of weapon modes the one with the most mean wounds lost is taken, target by
    target; of equals the first listed. Weapons attack in the order of the list, equal ones together.

    Parameters
    ----------
    army
        The attackers.
    targets
        The defenders, as for :func:`mathhammer.analysis.grid`: targets, units, an army, labels.
        Each attack finds its target fresh; of several with one name the later ones are numbered.
    keep_distributions
        Whether each cell keeps the whole distribution of wounds lost.
    needed
        A probability: each cell then says how many such units destroy the target with it, which takes longer.
    progress
        Called after each block of rows with how many are done and how many there are.
    edition, rulings, **situation
        As for :func:`mathhammer.wh40k.attack`, for all attacks alike; the edition that of the army unless said.

    Examples
    --------
    >>> from mathhammer.rosters import sample_army
    >>> from mathhammer.systems.wh40k.profiles.targets import TARGETS
    >>> table = army_table(sample_army(), [TARGETS["MEQ"]])
    >>> {row.kind for row in table.rows} == {"shooting", "melee"}
    True
    """
    validation.instance(
        army, Army, "an Army", "read_army(path) reads one; for units and weapons use grid(...)"
    )
    edition = edition_of(edition, army)
    columns = read_defenders(targets, edition)
    validation.flag(keep_distributions, "keep_distributions")
    # Checked here, so that a wrong name is refused even where no unit has a weapon.
    rules = Rules.of(edition, rulings, situation, losses=keep_distributions, weapons=True)
    require_work_that_fits(army, columns)
    labels = unit_keys(army.units)
    rows = [row for label, unit in zip(labels, army.units, strict=True) for row in unit_rows(unit, label)]
    usable = usable_rows(tuple(rows), situation)
    done, size = counting(len(usable), progress), -(-_BLOCK // len(columns))
    table = compute(usable, columns, rules, done, size=size)

    @cache
    def count_needed(unit: Any, kind: Any, column: int) -> int | None:
        target = columns[column].target
        options: Any = {"edition": edition, "rulings": rules.rulings, **situation}
        volleys = read_weapons(unit.only(kind), 1, target, **options)
        return needed_of(volleys, target, needed or 0, most=_MOST_NEEDED, **options).count

    def cells(place: int, row: Attacker) -> Iterator[Cell]:
        metrics = [[*map(known, values[place].tolist())] for values in table.metrics().values()]
        for column, numbers in enumerate(zip(*metrics, strict=True)):
            uses = tuple(WeaponUse(*use) for use in table.weapons[place][column])
            at_least = _at_least(table.wound_distributions[column][place]) if rules.losses else ()
            number = None if needed is None else count_needed(row.attacks, row.kind, column)
            yield Cell._make((columns[column].label, *numbers, uses, at_least, number))

    found = []
    for place, row in enumerate(usable):
        unit = army.units[index := labels.index(row.label)]
        found.append(Row(unit.name, index, row.kind, unit.points, unit.size, tuple(cells(place, row))))
    return ArmyTable(
        army=army.name,
        edition=edition,
        targets=tuple(
            column.target if column.target.name == column.label else replace(column.target, name=column.label)
            for column in columns
        ),
        rows=tuple(found),
        rulings=rules.rulings,
        situation=situation,
        simplifications=tuple(_simplifications(army, situation)),
    )


def _at_least(distribution: Sequence[float]) -> tuple[float, ...]:
    """Return the probabilities of so many or more, from 0 on."""
    return tuple(min(1.0, float(value)) for value in accumulate(distribution[::-1]))[::-1]


def require_work_that_fits(army: Army, targets: Sequence[Defender]) -> None:
    """Refuse a table that would take hours, before anything of it is computed."""
    wounds = sum(target.wounds for target in targets)
    most = max(target.wounds for target in targets)
    attacks = dice = 0
    for unit in army.units:
        own = [weapon.attacks.bounds()[1] * line.count for line in unit.weapons for weapon in line.modes]
        if sum(own) * most > _MOST_IN_ONE:
            raise TooLargeError(
                f"expected at most {_MOST_IN_ONE:,} attack dice times wounds of a target, got {sum(own):,} dice of "
                f"{unit.name!r} and {most:,} wounds; use smaller units"
            )
        attacks += (len(own) + 2) * len(targets)  # and a unit shoots and fights
        dice += sum(own) * wounds
    if attacks > _MOST_ATTACKS or dice > _MOST_DICE:
        raise TooLargeError(
            f"expected a table of at most {_MOST_ATTACKS:,} attacks, weapon by weapon and target by target, with "
            f"{_MOST_DICE:,} dice times wounds, got {attacks:,} with {dice:,}; use fewer units or fewer targets"
        )


def _simplifications(army: Army, situation: SituationKeywords) -> Iterator[str]:
    """Yield a sentence for all that the numbers leave out, the attackers' side only."""
    yield "Every weapon is taken to be in range and able to attack"
    yield (
        "Weapons attack in the order of the list; pistols or other guns, and one melee weapon for each model, are "
        "chosen by mean wounds lost"
    )
    if situation.get(INDIRECT.name):
        permitting = " or ".join(rulebook().permitting(INDIRECT))
        yield f"Indirect: ranged weapons without {permitting} cannot shoot and are left out"
    attached = any(unit.joined for unit in army.units)
    joins = (
        "a Leader is in a unit only where it was attached" if attached else "a Leader does not join a unit"
    )
    yield f"Units attack one by one: {joins}, and no unit's rules help another"
    for unit in army.units:
        yield from unit.notes
        if not any(line.modes for line in unit.weapons):
            yield f"{unit.name}: no weapons"
    weapons = [weapon for unit in army.units for line in unit.weapons for weapon in line.modes]
    for ability, rule in rulebook().by_name.items():
        names = dict.fromkeys(weapon.name for weapon in weapons if rule.left_out and weapon.has(ability))
        if names:
            yield f"{rule.left_out}: {', '.join(names)}"
