"""Gains: what changes to an attack add, and each rule of an army's units with it on, minus without."""

from __future__ import annotations

from dataclasses import replace
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
from mathhammer.analysis.grids import compute, grid, usable_rows
from mathhammer.analysis.matchups import require_work_that_fits
from mathhammer.analysis.tabular import Answer, known
from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.armies.army import Army
from mathhammer.systems.wh40k.armies.attachment import unit_keys
from mathhammer.systems.wh40k.armies.unit import Unit
from mathhammer.systems.wh40k.attacks.changes import Change, every_change
from mathhammer.systems.wh40k.unit_rules.applied import is_for_one_friend
from mathhammer.systems.wh40k.unit_rules.rule import is_computed
from mathhammer.systems.wh40k.unit_rules.switches import is_for_all, reached_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attack, Defender, Targets
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.situation import SituationKeywords
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule


_AS_IT_IS, _COMMAND_REROLL = "as it is", "Command Re-roll, used best"
#: What a change adds to.
_NUMBERS = ("mean_kills", "points_destroyed", "mean_wounds_lost", "probability_destroyed")


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
