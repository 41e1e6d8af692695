"""An army against targets: what each unit does to each, and what changes and rules add."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import accumulate
from math import isclose
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import (
    Attacker,
    Rules,
    edition_of,
    one_attack,
    read_attackers,
    read_defenders,
    unit_rows,
    units_of,
    volleys_of,
)
from mathhammer.analysis.grids import compute, counting, grid, usable_rows
from mathhammer.analysis.tabular import Answer, known
from mathhammer.display.numbers import count
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.systems.wh40k import Army, Unit
from mathhammer.systems.wh40k.armies.choices import unit_keys
from mathhammer.systems.wh40k.attacks.activations import needed as needed_of
from mathhammer.systems.wh40k.attacks.attack import read_weapons
from mathhammer.systems.wh40k.attacks.changes import Change, every_change
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.rules.conditions import INDIRECT
from mathhammer.systems.wh40k.unit_rules.applied import is_for_one_friend
from mathhammer.systems.wh40k.unit_rules.rule import is_computed
from mathhammer.systems.wh40k.unit_rules.switches import is_for_all, reached_units
from mathhammer.validation import called

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attack, Defender, Targets
    from mathhammer.systems.wh40k import Edition, SituationKeywords, UnitRule

# Ten to a hundred times what the largest of real lists need against each other: 1,456, 4,994 and 128,547.
_MOST_IN_ONE = 200_000
_MOST_ATTACKS = 50_000
_MOST_DICE = 10_000_000
#: The most units of one kind that are tried against one target.
_MOST_NEEDED = 20
#: Attacks of one block: enough to share their parts, few enough to see progress.
_BLOCK = 5_000


@called
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
    >>> from mathhammer.systems.wh40k.profiles.standard_targets import TARGETS
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
        head = {"unit": row.label, "index": index, "kind": row.kind, "points": unit.points}
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
        pictures=table._pictures(),  # noqa: SLF001
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


_AS_IT_IS, _COMMAND_REROLL = "as it is", "Command Re-roll, used best"
#: What a change adds to.
_NUMBERS = ("mean_kills", "points_destroyed", "mean_wounds_lost", "probability_destroyed")


@called
def what_if(
    attacks: Army | Attack,
    target: Targets,
    *,
    changes: Iterable[Change] | None = None,
    edition: str | Edition | None = None,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> Answer:
    """Rank changes to an attack by the models, then the wounds, that they add; for an army, rank its rules.

    Besides changes to each volley, a Command Re-roll of the whole attack is tried, used at its best. Of equals
    the one that the attack sequence meets first comes first. ``left_out`` says what could not be tried, and why.

    Parameters
    ----------
    attacks
        A weapon, a volley, a stat line, or a list of them that attack together: a change is made to all of them. A
        unit of an army, with the weapons of one phase (``unit.only("shooting")``), has those that it would choose as
        it is. Of an army the rules of its units are ranked, as by :func:`rule_worths`.
    target
        One target: as for :func:`mathhammer.wh40k.attack`; of an army any number of them.
    changes
        What to try; by default :data:`mathhammer.wh40k.CHANGES` and the Command Re-roll.
    edition, rulings, **situation
        As for :func:`mathhammer.wh40k.attack`; the default edition is that of the army, if one is given.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> lascannon = wh40k.Weapon.parse('Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1')
    >>> answer = what_if(wh40k.Volley(lascannon, 4), "TANK")
    >>> [row["change"] for row in answer.records[:3]]
    ['+1 Attack', 'Command Re-roll, used best', '+1 Damage']
    """
    if isinstance(attacks, Army):
        if changes is not None:
            raise MathhammerError(
                "expected no changes with an army, whose rules are ranked; give them with a unit's weapons of one phase"
            )
        return rule_worths(attacks, target, edition=edition, rulings=rulings, **situation)
    edition = edition_of(edition, attacks)
    attacker, defender = one_attack(attacks, target, edition, rulings, situation)
    volleys = volleys_of(attacker)
    tried = validation.items(
        every_change() if changes is None else changes,
        Change,
        "Changes to try",
        "wh40k.changes makes them: ability('Lethal Hits'), say",
    )
    changed = [
        Attacker(change.name, tuple(change.apply(volley, situation) for volley in volleys))
        for change in tried
    ]
    refused: dict[str, MathhammerError] = {}

    def computed(rows: Sequence[Attacker], **at: Any) -> dict[str, list[float]]:
        try:
            table = grid(rows, defender, edition=edition, rulings=rulings, keep_distributions=False, **at)
        except MathhammerError as error:
            if len(rows) > 1:
                return {name: each for row in rows for name, each in computed([row], **at).items()}
            refused[rows[0].name] = error
            return {}
        numbers = np.hstack([table.metric(name) for name in _NUMBERS]).tolist()
        return dict(zip((row.name for row in rows), numbers, strict=True))

    found = computed([Attacker(_AS_IT_IS, volleys), *changed], **situation)
    if _AS_IT_IS in refused:
        raise refused[_AS_IT_IS]
    before = found.pop(_AS_IT_IS)
    if changes is None:
        found |= computed([Attacker(_COMMAND_REROLL, volleys)], **{**situation, "reroll": "best"})
    added = [f"added_{name.removeprefix('mean_')}" for name in _NUMBERS]
    records: list[dict[str, Any]] = [
        {"change": name, **dict(zip(added, map(known, map(difference, row, before)), strict=True))}
        for name, row in found.items()
    ]
    # Rounding must not decide between equals.
    records.sort(key=lambda row: (-round(row["added_kills"], 12), -round(row["added_wounds_lost"], 12)))
    against = f"{attacker.name} against {defender.label}"
    left_out = [f"{name}: {error}" for name, error in refused.items()]
    return Answer(
        "mathhammer.what_if",
        f"What a change is worth: {against}",
        records,
        {"attacker": attacker.name, "target": defender.label, "mean_kills": before[0], "left_out": left_out},
        unshown=("left_out",),
        notes=[f"Left out: {each}." for each in left_out],
    )


#: A rule as ``with_rules`` and ``--rule`` take it, the units that differ with it and without it, and whether it is on.
_Switch: TypeAlias = "tuple[str, list[tuple[Unit, Unit]], bool]"


@called
def rule_worths(
    army: Army | Unit,
    targets: Targets,
    *,
    edition: str | Edition | None = None,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> Answer:
    """Rank the rules of an army or of a unit by what they add against targets, the greatest gain first.

    Each rule that is computed is switched on where it is off and off where it is on, everything else as it is; what
    list, attachment, weapon and target decide stays decided. Of a rule that is one of several items each item is
    tried, and each friendly unit that a rule can be used on. Rules that act on attacks against a unit are worth
    something where the targets are an army or units: these attack it.

    A record names the rule, whether it is on ``now`` (then the gain is what would be missed), and the ``kind`` of
    attacks: ``"against shooting"`` is what its units no longer lose. Gains are means over the targets, or over the
    enemies that attack, and sums over the units that the rule acts on; points are ``None`` where a target or unit has
    none. ``without_gain`` names the rules that are computed and move no number.

    Parameters
    ----------
    army
        The attackers.
    targets
        As for :func:`mathhammer.analysis.grid`.
    edition, rulings, **situation
        As for :func:`mathhammer.wh40k.attack`; the default edition is that of the army, if one is given.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rule = wh40k.UnitRule("Aim", "datasheet", "Squad", (wh40k.RuleEffect("attack", "hit", 1),))
    >>> gun = wh40k.Weapon.parse('Gun: 24" A6 BS4+ S4 AP0 D1 ')
    >>> squad = wh40k.Unit("Squad", 90, (wh40k.ModelGroup("Trooper", 1),),
    ...                    (wh40k.WeaponLine("Gun", 1, "Trooper", 0, ((gun,),)),), rules=(rule,))
    >>> [worth] = rule_worths(squad, "Wall: T4 Sv- W10", edition="10e").records
    >>> worth["rule"], round(worth["gain_share"], 9)  # 6 x 1/6 x 1/2 wounds of ten
    ('Squad: Aim', 0.05)
    """
    if isinstance(army, Unit):
        army = Army(army.name, "", edition_of(edition), army.points, (army,))
    validation.instance(army, Army, "an Army or a Unit", "read_army(path) reads an army list")
    edition = edition_of(edition, army)
    columns = read_defenders(targets, edition)
    rules = Rules.of(edition, rulings, situation)
    enemies = read_attackers(targets) if units_of(targets) is not None else ()
    switches = list(_switches(army, attacked=bool(enemies)))
    variants = list(dict.fromkeys(unit for _, pairs, _ in switches for pair in pairs for unit in pair))
    require_work_that_fits(replace(army, units=tuple(variants)), columns)
    attacks = _attacks(variants, columns, rules)
    defences = _defences(variants, enemies, rules)
    gains = {switch[0]: [*_gains(switch, attacks, 1), *_gains(switch, defences, -1)] for switch in switches}
    records = [row for rows in gains.values() for row in rows]
    # Rounding must not decide between equals.
    records.sort(key=lambda row: (-round(row["gain_share"], 12), -round(row["gain_models"], 12)))
    labels = [column.label for column in columns]
    idle = [name for name, rows in gains.items() if not rows]
    return Answer(
        "mathhammer.rule_worths",
        f"What rules are worth: {army.name} against {', '.join(labels)}",
        records,
        {"army": army.name, "targets": labels, "edition": edition, "without_gain": idle},
        unshown=("army", "targets", "without_gain"),
        notes=[f"No effect here: {', '.join(idle)}."] if idle else [],
    )


def _switches(army: Army, *, attacked: bool) -> Iterator[_Switch]:
    """Yield every rule that moves attacks, switched both ways; those of defence where there are attackers."""
    rules = {rule.name: rule for rule in army.rules}
    owned = [rule for unit in army.units for rule in unit.rules if rule.source != "friend"]
    for rule in owned:
        shared = is_for_all(rule) and any(each.name == rule.name and each.of != rule.of for each in owned)
        rules.setdefault(rule.name if shared else f"{rule.of}: {rule.name}", rule)
    for name, rule in rules.items():
        if any(
            (effect.side == "attack" or attacked) and effect.kind != "deadly_demise" and is_computed(effect)
            for effect in rule.effects
        ):
            yield from _both_ways(army, rule, name)


def _both_ways(army: Army, rule: UnitRule, name: str) -> Iterator[_Switch]:
    """Yield a rule with each of its items, and with each friendly unit that it can be used on."""
    without = army.with_rules(off=name)
    if rule.state in {"on", "automatic"} and not (rule.choices and not rule.choice):
        text = f"{name}={rule.choice}" if rule.choice else name
        yield text, _differing(army, without), True
        return
    reached = reached_units(army, rule)
    if not reached and (rule.source == "army" or all(effect.scope == "friends" for effect in rule.effects)):
        yield name, [], False  # it is for units that the army has none of
        return
    keys, by_friend = unit_keys(army.units), any(map(is_for_one_friend, rule.effects))
    for choice in [f"={choice}" for choice in rule.choices] or [""]:
        for friend in [f" > {keys[place]}" for place in reached] if by_friend else [""]:
            text = f"{name}{choice}{friend}"
            yield text, _differing(army.with_rules(on=text), without), False


def _differing(with_it: Army, without: Army) -> list[tuple[Unit, Unit]]:
    return [pair for pair in zip(with_it.units, without.units, strict=True) if pair[0] != pair[1]]


_Means = dict[tuple[Unit, str], list[float]]
"""For a unit and a phase the mean of each number over all targets, or over all enemies."""


def _attacks(units: Sequence[Unit], columns: tuple[Defender, ...], rules: Rules) -> _Means:
    """Return what units do to the targets."""
    owned = [
        (unit, row)
        for unit in units
        for row in usable_rows(tuple(unit_rows(unit, unit.name)), rules.situation)
    ]
    if not owned:
        return {}
    means = _numbers(tuple(row for _, row in owned), columns, rules).mean(axis=2).T.tolist()
    return {(unit, row.kind): mean for (unit, row), mean in zip(owned, means, strict=True)}


def _defences(units: Sequence[Unit], enemies: tuple[Attacker, ...], rules: Rules) -> _Means:
    """Return what enemies do to the units: those that attack in a phase, on average over all of them."""
    attacked = [unit for unit in units if any(group.has_stat_line for group in unit.models)]
    found: _Means = {}
    for kind in dict.fromkeys(row.kind for row in enemies) if attacked else ():
        if rows := usable_rows(tuple(row for row in enemies if row.kind == kind), rules.situation):
            means = _numbers(rows, read_defenders(attacked), rules).mean(axis=1).T.tolist()
            found |= zip(((unit, f"against {kind}") for unit in attacked), means, strict=True)
    return found


def _numbers(rows: tuple[Attacker, ...], columns: tuple[Defender, ...], rules: Rules) -> NDArray[np.float64]:
    table = compute(rows, columns, rules)
    names = ("share_lost", "mean_kills", "probability_destroyed", "points_lost")
    return np.stack([table.metric(name) for name in names])


def _gains(switch: _Switch, means: _Means, sign: int) -> Iterator[dict[str, Any]]:
    """Yield what a rule moves in each phase, summed over its units; nothing where it has no effect."""
    name, pairs, on = switch
    for kind in dict.fromkeys(kind for pair in pairs for unit, kind in means if unit in pair):
        moved = [
            map(difference, means[with_it, kind], means[without, kind])
            for with_it, without in pairs
            if (with_it, kind) in means and (without, kind) in means
        ]
        sums = [sum(sign * value for value in each) for each in zip(*moved, strict=True)]
        share, models, odds, points = sums or (0.0, 0.0, 0.0, 0.0)
        if share or models or odds:
            yield {
                "rule": name,
                "now": "on" if on else "off",
                "kind": kind,
                "gain_share": share,
                "gain_models": models,
                "gain_probability": odds,
                "gain_points": known(points),
            }


def difference(after: float, before: float) -> float:
    """Return by how much two numbers differ; by rounding alone, as the same sum in another order, they do not."""
    return 0.0 if isclose(after, before, rel_tol=1e-12) else after - before
