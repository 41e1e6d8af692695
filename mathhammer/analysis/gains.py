"""Gains of the rules of an army's units against given targets: each with it on, minus without."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose, isnan, nan
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Unpack, overload

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import (
    Attacker,
    edition_of,
    read_attackers,
    read_defenders,
    unit_rows,
    units_of,
    volleys_of,
)
from mathhammer.analysis.blocks import Rules, one_attack
from mathhammer.analysis.grids import Report, compute, grid, usable_rows
from mathhammer.analysis.matchups import require_work_that_fits
from mathhammer.analysis.tabular import Tabular
from mathhammer.display import Table, count
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.systems.wh40k.armies.army import Army, Unit
from mathhammer.systems.wh40k.armies.attachment import unit_keys
from mathhammer.systems.wh40k.attacks.attack import attack
from mathhammer.systems.wh40k.attacks.changes import Change, every_change
from mathhammer.systems.wh40k.situation import SituationKeywords
from mathhammer.systems.wh40k.unit_rules.applied import is_for_one_friend
from mathhammer.systems.wh40k.unit_rules.rule import is_computed
from mathhammer.systems.wh40k.unit_rules.switches import reached_units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attack, Defender, Targets
    from mathhammer.systems.wh40k.profiles.volleys import Volley
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule


_COMMAND_REROLL = "Command Re-roll, used best"
#: Most attacks of which the best use of a re-roll is tried beside other changes: about a second.
MAXIMUM_ATTACKS = 24


class Gain(NamedTuple):
    """What one change adds to the plain attack on average; points are ``None`` where the target has none."""

    change: str
    added_kills: float
    added_points_destroyed: float | None
    added_wounds_lost: float
    added_probability_destroyed: float


@dataclass(frozen=True, slots=True, repr=False)
class WhatIf(Tabular):
    """Changes to an attack, the best first, as :func:`what_if` returns them."""

    attacker: str
    target: str
    #: Of the attack as it is.
    mean_kills: float
    #: Of equals the one that the attack sequence meets first.
    changes: tuple[Gain, ...]
    #: What could not be tried, and why.
    left_out: tuple[str, ...] = ()

    schema: ClassVar[str] = "mathhammer.what_if"

    def to_records(self) -> list[dict[str, object]]:
        """One mapping for each change."""
        return [gain._asdict() for gain in self.changes]

    def _line(self) -> str:
        best = f"; best {self.changes[0].change}" if self.changes else ""
        return f"{self.attacker} against {self.target}: {count(len(self.changes), 'change')}{best}"

    def _title(self) -> str:
        return f"What a change is worth: {self.attacker} against {self.target}"

    def about(self) -> dict[str, object]:
        """The attack as it is."""
        return {
            "attacker": self.attacker,
            "target": self.target,
            "mean_kills": self.mean_kills,
            **({"left_out": "; ".join(self.left_out)} if self.left_out else {}),
        }


class _Options(SituationKeywords, total=False):
    """Options of both overloads of `what_if`."""

    edition: str | None
    rulings: Mapping[str, str] | None


@overload
def what_if(
    attacks: Army, target: Targets, *, changes: None = ..., **options: Unpack[_Options]
) -> RuleWorths: ...
@overload
def what_if(
    attacks: Attack,
    target: Targets,
    *,
    changes: Iterable[Change] | None = ...,
    **options: Unpack[_Options],
) -> WhatIf: ...
def what_if(
    attacks: Army | Attack,
    target: Targets,
    *,
    changes: Iterable[Change] | None = None,
    edition: str | None = None,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> WhatIf | RuleWorths:
    """Rank changes to an attack by the models that they add to the destroyed, then by wounds; of an army its rules.

    Beside the changes of each volley a Command Re-roll of the whole attack is tried, used as well as can be.

    Parameters
    ----------
    attacks
        A weapon, a volley, a stat line, or a list of them that attack together: a change is made to all of them. A
        unit of an army, with the weapons of one phase (``unit.only("shooting")``), has those that it would choose as
        it is. Of an army the rules of its units are ranked, as by :func:`rule_worths`.
    target
        One target: as for :func:`mathhammer.wh40k.attack`; of an army any number of them.
    changes
        What to try; :data:`mathhammer.wh40k.CHANGES` and the Command Re-roll unless said.
    edition
        The rules; those of an army, or the default edition, unless said.
    rulings, **situation
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> lascannon = wh40k.Weapon.parse('Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1')
    >>> answer = what_if(wh40k.Volley(lascannon, 4), "TANK")
    >>> [gain.change for gain in answer.changes[:3]]
    ['+1 Attack', 'Command Re-roll, used best', '+1 Damage']
    """
    if isinstance(attacks, Army):
        if changes is not None:
            raise MathhammerError(
                "expected no changes with an army, whose rules are ranked; give them with a unit's weapons of one phase"
            )
        return rule_worths(attacks, target, edition=edition, rulings=rulings, **situation)
    edition = edition_of(edition, attacks)
    defenders = read_defenders(target, edition)
    if len(defenders) != 1:
        raise MathhammerError(f"expected one target, got {len(defenders)}; ask for one after another")
    attacker = one_attack(attacks, defenders[0], Rules.of(edition, rulings, situation))
    volleys = volleys_of(attacker)
    tried = validation.items(
        every_change() if changes is None else changes,
        Change,
        "Changes to try",
        "wh40k.changes makes them: ability('Lethal Hits'), say",
    )
    plain = Attacker("as it is", volleys)
    changed = [
        Attacker(change.name, tuple(change.apply(volley, situation) for volley in volleys))
        for change in tried
    ]

    def computed(rows: Sequence[Attacker]) -> list[list[float]]:
        table = grid(rows, defenders, edition=edition, rulings=rulings, keep_distributions=False, **situation)
        numbers = (
            *(table.mean_kills, table.points_destroyed),
            *(table.mean_wounds_lost, table.probability_destroyed),
        )
        return [list(row) for row in np.hstack(numbers).tolist()]

    (before, *after), too_large = _without_too_large(computed, plain, changed)
    names = (change.name for change in tried if change.name not in too_large)
    gains = [_gain(name, before, row) for name, row in zip(names, after, strict=True)]
    left_out = tuple(f"{name}: {reason}" for name, reason in too_large.items())
    if changes is None:
        try:
            gains.append(_command_reroll(volleys, defenders[0], before, edition, rulings, situation))
        except MathhammerError as error:  # too many dice, or re-rolled by a rule of their own
            left_out += (f"{_COMMAND_REROLL}: {error}",)
    # Rounding must not decide between equals.
    gains.sort(key=lambda gain: (-round(gain.added_kills, 12), -round(gain.added_wounds_lost, 12)))
    return WhatIf(attacker.name, defenders[0].label, before[0], tuple(gains), left_out)


def _without_too_large(
    computed: Callable[[Sequence[Attacker]], list[list[float]]], plain: Attacker, changed: Sequence[Attacker]
) -> tuple[list[list[float]], dict[str, str]]:
    """Return the numbers of the attack and of its changes, and why each one that is left out is too large."""
    try:
        return computed([plain, *changed]), {}
    except TooLargeError:
        found = computed([plain])
    too_large = {}
    for row in changed:
        try:
            found += computed([row])
        except TooLargeError as error:
            too_large[row.name] = str(error)
    return found, too_large


def _command_reroll(
    volleys: Sequence[Volley],
    defender: Defender,
    before: Sequence[float],
    edition: str,
    rulings: Mapping[str, str] | None,
    situation: SituationKeywords,
) -> Gain:
    """Return what one re-roll of the whole attack adds, used best."""
    attacks = sum(volley.count * volley.weapon.attacks.bounds()[1] for volley in volleys)
    if attacks > MAXIMUM_ATTACKS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKS} attacks, got {attacks:,}; see attack(..., reroll='best')"
        )
    best: SituationKeywords = {**situation, "reroll": "best"}
    result = attack(list(volleys), defender.target, edition=edition, rulings=rulings, **best)
    points = nan if result.points_destroyed is None else result.points_destroyed
    after = (result.kills.mean(), points, result.wounds_lost.mean(), result.probability_destroyed)
    return _gain(_COMMAND_REROLL, before, after)


def _gain(name: str, before: Sequence[float], after: Sequence[float]) -> Gain:
    """Return what is added to models and points destroyed, wounds lost and the probability of destruction."""
    kills, points, wounds, destroyed = map(difference, after, before)
    return Gain(name, kills, None if isnan(points) else points, wounds, destroyed)


#: What the texts of a rule are.
HEADER = ("rule", "now", "phase", "share", "models", "odds", "points")
_NUMBERS = ("share_lost", "mean_kills", "probability_destroyed", "points_lost")


class RuleWorth(NamedTuple):
    """What one rule adds in one phase to the attacks of an army, or takes off attacks on it.

    Means over the targets, or over the enemies that attack, and sums over the units that the rule acts on, all units of
    its owner's name among them.
    """

    #: As ``with_rules`` and ``--rule`` take it: ``"Canis Rex: Legendary Freeblade"``.
    switch: str
    #: Whether it is in force now; then the gain is what would be missed.
    on: bool
    #: ``"shooting"``, ``"melee"``, or ``"against shooting"`` ... for what its units no longer lose.
    kind: str
    gain_share: float
    gain_models: float
    gain_probability: float
    #: The share in points; ``None`` where a target or unit has none.
    gain_points: float | None

    @property
    def texts(self) -> list[str]:
        """The gains as people read them, behind the rule, whether it is on, and the phase."""
        points = "" if self.gain_points is None else _signed(self.gain_points, 1)
        odds = f"{_signed(100 * self.gain_probability, 1)}%"
        share = f"{_signed(100 * self.gain_share, 1)}%"
        state = "on" if self.on else "off"
        return [self.switch, state, self.kind, share, _signed(self.gain_models, 2), odds, points]


@dataclass(frozen=True, slots=True, repr=False)
class RuleWorths(Tabular):
    """The rules of an army, the one with the greatest gain first, as :func:`rule_worths` returns them."""

    army: str
    targets: tuple[str, ...]
    edition: str
    #: A row for each rule and phase in which it moves a number.
    rules: tuple[RuleWorth, ...]
    #: Rules that are computed and move none here.
    without_gain: tuple[str, ...] = ()

    schema: ClassVar[str] = "mathhammer.rule_worths"

    def to_records(self) -> list[dict[str, object]]:
        """One mapping for each rule and phase."""
        return [
            {"rule": gain.pop("switch"), "now": "on" if gain.pop("on") else "off", **gain}
            for gain in map(RuleWorth._asdict, self.rules)
        ]

    def _line(self) -> str:
        best = f"; best {self.rules[0].switch}" if self.rules else ""
        return f"{self.army} against {', '.join(self.targets)}: {count(len(self.rules), 'gain')}{best}"

    def _parts(self) -> list[Table]:
        return [Table(HEADER, [worth.texts for worth in self.rules], "<<<>>>>")] if self.rules else []

    def _title(self) -> str:
        return f"What rules are worth: {self.army} against {', '.join(self.targets)}"

    def about(self) -> dict[str, object]:
        """The rules that move nothing."""
        return {"edition": self.edition, "without_gain": list(self.without_gain)}


class _Switch(NamedTuple):
    """A rule that is on in one army and off in the other, and whether it is on as things are."""

    name: str
    with_it: Army
    without: Army
    on: bool

    def pairs(self) -> list[tuple[Unit, Unit]]:
        """Return the units that differ, with the rule and without it."""
        return [
            pair for pair in zip(self.with_it.units, self.without.units, strict=True) if pair[0] != pair[1]
        ]


def rule_worths(
    army: Army | Unit,
    targets: Targets,
    *,
    edition: str | None = None,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> RuleWorths:
    """Rank the rules of an army or of a unit by what they add against targets.

    Each rule that is computed is switched on where it is off and off where it is on, everything else as it is; what
    list, attachment, weapon and target decide stays decided. Of a rule that is one of several items each item is
    tried, and each friendly unit that a rule can be used on. Rules that act on attacks against a unit are worth
    something where the targets are an army or units: these attack it.

    Parameters
    ----------
    army
        The attackers.
    targets
        As for :func:`mathhammer.analysis.grid`.
    edition
        The rules; those of the army unless said.
    rulings, **situation
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rule = wh40k.UnitRule("Aim", "datasheet", "Squad", (wh40k.RuleEffect("attack", "hit", 1),))
    >>> gun = wh40k.Weapon.parse('Gun: 24" A6 BS4+ S4 AP0 D1 ')
    >>> squad = wh40k.Unit("Squad", 90, (wh40k.ModelGroup("Trooper", 1),),
    ...                    (wh40k.WeaponLine("Gun", 1, "Trooper", 0, ((gun,),)),), rules=(rule,))
    >>> [worth] = rule_worths(squad, "Wall: T4 Sv- W10", edition="10e").rules
    >>> worth.switch, round(worth.gain_share, 9)  # 6 x 1/6 x 1/2 wounds of ten
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
    variants = list(dict.fromkeys(unit for switch in switches for pair in switch.pairs() for unit in pair))
    require_work_that_fits(replace(army, units=tuple(variants)), columns)
    attacks = _attacks(variants, columns, rules)
    defences = _defences(variants, enemies, rules)
    found, idle = [], []
    for switch in switches:
        rows = [*_gains(switch, attacks, 1), *_gains(switch, defences, -1)]
        found += rows
        if not rows:
            idle.append(switch.name)
    # Rounding must not decide between equals.
    found.sort(key=lambda worth: (-round(worth.gain_share, 12), -round(worth.gain_models, 12)))
    return RuleWorths(
        army.name,
        tuple(column.label for column in columns),
        edition,
        tuple(found),
        tuple(dict.fromkeys(idle)),
    )


def _signed(value: float, digits: int) -> str:
    """Return a gain with its sign; what is not zero never looks like zero."""
    least = 10**-digits
    if value and abs(value) < least / 2:
        return f"{'<+' if value > 0 else '>-'}{least:.{digits}f}"
    return f"{value:+.{digits}f}" if value else "0"


def _switches(army: Army, *, attacked: bool) -> Iterator[_Switch]:
    """Yield every rule that moves attacks, switched both ways; those of defence where there are attackers."""
    rules = {rule.name: rule for rule in army.rules}
    for unit in army.units:
        for rule in unit.rules:
            if rule.source != "friend":
                rules.setdefault(f"{rule.of}: {rule.name}", rule)
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
        yield _Switch(f"{name}={rule.choice}" if rule.choice else name, army, without, on=True)
        return
    reached = reached_units(army, rule)
    if not reached and (rule.source == "army" or all(effect.scope == "friends" for effect in rule.effects)):
        yield _Switch(name, without, without, on=False)  # it is for units that the army has none of
        return
    keys = unit_keys(army.units)
    by_friend = any(map(is_for_one_friend, rule.effects))
    friends = [f" > {keys[place]}" for place in reached] if by_friend else [""]
    for choice in rule.choices or ("",):
        for friend in friends:
            text = f"{name}={choice}{friend}" if choice else f"{name}{friend}"
            yield _Switch(text, army.with_rules(on=text), without, on=False)


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
    rows = usable_rows(enemies, rules.situation)
    attacked = [unit for unit in units if any(group.has_stat_line for group in unit.models)]
    if not rows or not attacked:
        return {}
    numbers, kinds = _numbers(rows, read_defenders(attacked), rules), np.array([row.kind for row in rows])
    return {
        (unit, f"against {kind}"): numbers[:, kinds == kind, column].mean(axis=1).tolist()
        for column, unit in enumerate(attacked)
        for kind in dict.fromkeys(kinds.tolist())
    }


def _numbers(rows: tuple[Attacker, ...], columns: tuple[Defender, ...], rules: Rules) -> NDArray[np.float64]:
    table = compute(rows, columns, rules, Report(len(rows), None))
    return np.stack([table.metric(name) for name in _NUMBERS])


def _gains(switch: _Switch, means: _Means, sign: int) -> Iterator[RuleWorth]:
    """Yield what a rule moves in each phase, summed over its units; nothing where it has no effect."""
    pairs = switch.pairs()
    for kind in dict.fromkeys(kind for pair in pairs for unit, kind in means if unit in pair):
        moved = [
            list(map(difference, means[with_it, kind], means[without, kind]))
            for with_it, without in pairs
            if (with_it, kind) in means and (without, kind) in means
        ]
        if not moved:
            continue
        gains = (sum(sign * value for value in each) for each in zip(*moved, strict=True))
        share, kills, destroyed, points = gains
        if share or kills or destroyed:
            worth = None if isnan(points) else points
            yield RuleWorth(switch.name, switch.on, kind, share, kills, destroyed, worth)


def difference(after: float, before: float) -> float:
    """Return by how much two numbers differ; by rounding alone, as the same sum in another order, they do not."""
    return 0.0 if isclose(after, before, rel_tol=1e-12) else after - before
