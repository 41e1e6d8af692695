"""An army against a list of targets: what each unit does to each, shooting and melee apart."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Unpack

from mathhammer import validation
from mathhammer.analysis.attackers import Rules, edition_of, read_defenders, unit_rows
from mathhammer.analysis.grids import compute, counting, usable_rows
from mathhammer.analysis.tabular import Answer, known
from mathhammer.display.numbers import count
from mathhammer.errors import TooLargeError
from mathhammer.systems.wh40k.armies.army import Army
from mathhammer.systems.wh40k.armies.attachment import unit_keys
from mathhammer.systems.wh40k.attacks.activations import needed as needed_of
from mathhammer.systems.wh40k.attacks.attack import read_weapons
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.rules.conditions import INDIRECT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mathhammer.analysis.attackers import Defender, Targets
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.situation import SituationKeywords

# Ten to a hundred times what the largest of real lists need against each other: 1,456, 4,994 and 128,547.
_MOST_IN_ONE = 200_000
_MOST_ATTACKS = 50_000
_MOST_DICE = 10_000_000
#: The most units of one kind that are tried against one target.
_MOST_NEEDED = 20
#: Attacks of one block: enough to share their parts, few enough to see progress.
_BLOCK = 5_000


def army_table(
    army: Army,
    targets: Targets,
    *,
    edition: str | Edition | None = None,
    rulings: Mapping[str, str] | None = None,
    keep_distributions: bool = False,
    needed: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    **situation: Unpack[SituationKeywords],
) -> Answer:
    """Compute what each unit of an army does to each target.

    A unit shoots with everything it may shoot with at once, and fights with the best weapon of each model and
    all its Extra Attacks weapons. Of weapon modes the one with the most mean wounds lost is taken, target by
    target; of equals the first listed. Weapons attack in the order of the list, equal ones together.

    A record names the unit and its place (``index``) in the army, the ``kind`` of attack, the target, the numbers of
    :data:`mathhammer.analysis.METRICS`, ``None`` where points are unknown, and the ``weapons`` used, mode included,
    with their copies. ``targets``, ``rulings``, ``situation`` and ``simplifications`` say what holds of all.

    Parameters
    ----------
    army
        The attackers.
    targets
        The defenders, as for :func:`mathhammer.analysis.grid`: targets, units, an army, labels.
        Each attack finds its target fresh; of several with one name the later ones are numbered.
    keep_distributions
        Whether each record keeps the probabilities of so many wounds lost or more, from 0 on: ``wounds_at_least``.
    needed
        A probability: each record then says how many such units destroy the target with it, ``None`` where 20 do
        not; that takes longer.
    progress
        Called after each block of rows with how many are done and how many there are.
    edition, rulings, **situation
        As for :func:`mathhammer.wh40k.attack`, for all attacks; the default edition is that of the army.

    Examples
    --------
    >>> from mathhammer.rosters import sample_army
    >>> from mathhammer.systems.wh40k.profiles.targets import TARGETS
    >>> table = army_table(sample_army(), [TARGETS["MEQ"]])
    >>> {record["kind"] for record in table.records} == {"shooting", "melee"}
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
    table = compute(usable, columns, rules, counting(len(usable), progress), size=-(-_BLOCK // len(columns)))

    @cache
    def count_needed(unit: Any, kind: Any, column: int) -> int | None:
        target = columns[column].target
        options: Any = {"edition": edition, "rulings": rules.rulings, **situation}
        volleys = read_weapons(unit.only(kind), 1, target, **options)
        return needed_of(volleys, target, needed or 0, most=_MOST_NEEDED, **options).count

    records: list[dict[str, Any]] = []
    metrics = {name: each.tolist() for name, each in table.metrics().items()}
    for place, row in enumerate(usable):
        unit = army.units[index := labels.index(row.label)]
        head = {"unit": unit.name, "index": index, "kind": row.kind, "points": unit.points}
        for column, defender in enumerate(columns):
            record = {**head, "models": unit.size, "target": defender.label}
            record |= {name: known(each[place][column]) for name, each in metrics.items()}
            if needed is not None:
                record["needed"] = count_needed(row.attacks, row.kind, column)
            record["weapons"] = dict(table.weapons[place][column])
            if keep_distributions:
                tail = accumulate(table.wound_distributions[column][place][::-1].tolist())
                record["wounds_at_least"] = [min(1.0, each) for each in tail][::-1]
            records.append(record)
    shown, simplifications = table._panel(), tuple(_simplifications(army, situation))  # noqa: SLF001 - of this room
    said = f"{count(len(simplifications), 'thing')} left out or taken as equal: see .simplifications."
    return Answer(
        "mathhammer.army_table",
        f"{army.name} against {count(len(columns), 'target')}",
        records,
        {
            "army": army.name,
            "edition": edition,
            "situation": situation,
            "rulings": rules.rulings,
            "targets": tuple(replace(column.target, name=column.label) for column in columns),
            "simplifications": simplifications,
        },
        unshown=("army", "rulings", "targets", "simplifications"),
        notes=[said],
        parts=shown.parts,
        folded=shown.folded,
    )


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
