"""Attacks of one unit on one target: the sequence from the hit roll to the last model destroyed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from mathhammer.arithmetic import arithmetic
from mathhammer.display import Named, listed
from mathhammer.errors import MathhammerError
from mathhammer.sequence import (
    AttackResult,
    EqualModels,
    MixedResult,
    UnitLaw,
    asked,
    continued,
    losses,
    rulings_in_force,
    start_index,
)
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.systems.wh40k.profiles import Target, Weapon
from mathhammer.systems.wh40k.selection import selections
from mathhammer.systems.wh40k.situation import SituationKeywords, read_situation
from mathhammer.systems.wh40k.stages import compile_stages
from mathhammer.systems.wh40k.target_unit import TargetUnit
from mathhammer.systems.wh40k.triggered import TriggeredResult
from mathhammer.systems.wh40k.unit_attack import attack_unit, leaders_begun_first

if TYPE_CHECKING:
    from sympy import Rational

    from mathhammer.distributions import Distribution
    from mathhammer.sequence import Explanation, Rulings
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.selection import Selection
    from mathhammer.systems.wh40k.situation import Situation
    from mathhammer.systems.wh40k.stages import Stages

__all__ = ["Volley", "Weapons", "as_volleys", "attack", "met_after"]


@dataclass(frozen=True, init=False, repr=False)
class Volley(Named):
    """Some equal weapons used in one situation.

    Parameters
    ----------
    weapon
        The profile.
    count
        How many such weapons.
    **situation
        What is true of this volley: see :class:`mathhammer.wh40k.SituationKeywords`.

    Examples
    --------
    >>> melta = Weapon("Melta rifle", range='18"', attacks=1, skill=3, strength=9, ap=-4, damage="D6",
    ...                keywords="Melta 2")
    >>> Volley(melta, 3, half_range=True).count
    3
    """

    weapon: Weapon
    count: int
    situation: Mapping[str, Any]

    def __init__(self, weapon: Weapon, count: int = 1, /, **situation: Unpack[SituationKeywords]) -> None:
        if not isinstance(weapon, Weapon):
            raise MathhammerError(f"expected a Weapon in a Volley, got {weapon!r}")
        if isinstance(count, bool) or not hasattr(count, "__index__") or index(count) < 1:
            raise MathhammerError(f"expected a number of weapons of 1 or more, got {count!r}")
        read_situation(situation)
        object.__setattr__(self, "weapon", weapon)
        object.__setattr__(self, "count", index(count))
        object.__setattr__(self, "situation", dict(situation))

    def __hash__(self) -> int:
        return hash((self.weapon, self.count, tuple(self.situation)))

    def __str__(self) -> str:
        situation = listed(self.situation)
        return f"{self.count} × {self.weapon}{f' ({situation})' if situation else ''}"


Weapons = Weapon | Volley | Sequence[Weapon | Volley]


@overload
def attack(
    weapons: Weapons,
    target: Target | TargetUnit,
    /,
    *,
    count: int = ...,
    edition: str = ...,
    rulings: Mapping[str, str] | None = ...,
    exact: Literal[False] = ...,
    start: UnitLaw[float] | None = ...,
    **situation: Unpack[SituationKeywords],
) -> AttackResult[float]: ...
@overload
def attack(
    weapons: Weapons,
    target: Target | TargetUnit,
    /,
    *,
    count: int = ...,
    edition: str = ...,
    rulings: Mapping[str, str] | None = ...,
    exact: Literal[True],
    start: UnitLaw[Rational] | None = ...,
    **situation: Unpack[SituationKeywords],
) -> AttackResult[Rational]: ...
@overload
def attack(
    weapons: Weapons,
    target: Target | TargetUnit,
    /,
    *,
    count: int = ...,
    edition: str = ...,
    rulings: Mapping[str, str] | None = ...,
    exact: bool,
    start: UnitLaw[Any] | None = ...,
    **situation: Unpack[SituationKeywords],
) -> AttackResult[float] | AttackResult[Rational]: ...
@asked("40k")
def attack(
    weapons: Weapons,
    target: Target | TargetUnit,
    /,
    *,
    count: int = 1,
    edition: str = "10e",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: UnitLaw[Any] | None = None,
    **situation: Unpack[SituationKeywords],
) -> AttackResult[Any]:
    """Resolve the attacks of one unit on a target.

    Parameters
    ----------
    weapons
        A weapon, or volleys one after another: the state of the target is carried over, and devastating wounds
        of all of them come last.
    target
        The unit that is attacked: a :class:`Target` of equal models, or a :class:`TargetUnit`.
    count
        Number of such weapons, where one weapon is given.
    edition
        The rules: ``"10e"`` or ``"9e"``.
    rulings
        Options for disputed points, by name; the others keep their defaults.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.
    start
        The state of the target before: the result of an earlier attack on it, or what
        :meth:`mathhammer.sequence.UnitLaw.given` makes of one; of an earlier phase what
        :meth:`mathhammer.sequence.UnitLaw.new_phase` makes of it. Blast counts the models left, and the Toughness
        of a mixed unit is the highest of those left.
    **situation
        What is true of all volleys that do not say otherwise: see
        :class:`mathhammer.wh40k.SituationKeywords`.

    Returns
    -------
    AttackResult
        ``kills``, ``wounds_lost``, ``damage``, ``hits``, ``wounds``, ``unsaved``, ``state``,
        ``probability_destroyed``, ``rulings``, ``explain()``.

    Raises
    ------
    MathhammerError
        If a value does not fit the rules.
    TooLargeError
        If the work would not fit.

    Examples
    --------
    >>> lascannon = Weapon("Lascannon", range='48"', attacks=1, skill="3+", strength=12, ap=-3, damage="D6+1")
    >>> tank = Target("Tank", toughness=10, save="3+", invulnerable="5+", wounds=12, keywords="Vehicle")
    >>> attack(lascannon, tank, count=2, exact=True).probability_destroyed
    32/2187

    References
    ----------
    Warhammer 40,000 10th edition core rules, Making Attacks and Weapon Abilities; Core Rules Updates; Rules
    Commentary.
    """
    if not isinstance(target, (Target, TargetUnit)):
        raise MathhammerError(f"expected a Target or a TargetUnit to attack, got {target!r}")
    rules = find_edition(edition)
    in_force = rulings_in_force(rules.rulings, rulings)
    volleys = [
        (volley.weapon, volley.count, read_situation({**situation, **volley.situation}))
        for volley in as_volleys(weapons, count)
    ]
    if start is None:
        return _resolve(volleys, target, rules, in_force, None, exact=exact)
    met, laws, seen = met_after(volleys, target, rules, in_force, start, exact=exact)
    results = [
        _resolve(volleys, target, rules, in_force, law, exact=exact, selection=one)
        for one, law in zip(met, laws, strict=True)
    ]
    return results[0] if len(results) == 1 else MixedResult(seen, results)


def met_after(
    volleys: Sequence[tuple[Weapon, int, Situation]],
    target: Target | TargetUnit,
    rules: Edition,
    in_force: Mapping[str, str],
    start: UnitLaw[Any],
    *,
    exact: bool,
) -> tuple[list[Selection], list[UnitLaw[Any]], Distribution[Any]]:
    """Return what the attackers can meet when they choose the target, see :func:`selections`."""
    if isinstance(target, TargetUnit):
        begun_first = leaders_begun_first(in_force)
        continued(target.states(single_out=False, begun_first=begun_first), start, exact=exact)
    else:
        start_index(EqualModels(target.models, target.wounds, target.wounds_lost), start, exact=exact)
    blast = any(weapon.has("Blast") for weapon, _, _ in volleys)
    named = {keyword.target.lower() for weapon, _, _ in volleys for keyword in weapon.keywords} - {""}
    return selections(target, start, blast=blast, by_fives=rules.blast == "every five", named=named)


def _resolve(
    volleys: Sequence[tuple[Weapon, int, Situation]],
    target: Target | TargetUnit,
    rules: Edition,
    in_force: Rulings,
    start: UnitLaw[Any] | None,
    *,
    exact: bool,
    selection: Selection | None = None,
) -> AttackResult[Any]:
    """Resolve volleys on a target of which it is known what the attackers met when they chose it."""
    kind: Any = arithmetic(exact=exact)
    if isinstance(target, TargetUnit):
        return attack_unit(volleys, target, rules, in_force, kind, start, exact=exact, selection=selection)
    met = target if selection is None else replace(target, models=selection.models)
    stages = tuple(compile_stages(weapon, number, at, met, rules, in_force) for weapon, number, at in volleys)
    laws = [stage.law for stage in stages]
    unit = EqualModels(target.models, target.wounds, target.wounds_lost)
    after_unit = "after-weapon" not in (
        in_force.get("devastating_timing"),
        in_force.get("mortal_wounds_timing"),
    )
    states = losses(
        laws,
        unit,
        arithmetic=kind,
        deferred_after_all=after_unit,
        start=target.wounds_lost if start is None else start_index(unit, start, exact=exact),
    )
    if any(stage.situation.triggers for stage in stages):
        return TriggeredResult(
            unit,
            states,
            laws,
            arithmetic=kind,
            edition=rules.name,
            rulings=in_force,
            explanation=partial(_explained, stages, target, rules),
            bearers=[bearer for stage in stages for bearer in stage.bearers],
        )
    return AttackResult(
        unit,
        states,
        laws,
        arithmetic=kind,
        edition=rules.name,
        rulings=in_force,
        explanation=partial(_explained, stages, target, rules),
    )


def _explained(
    stages: Sequence[Stages], target: Target, rules: Edition, result: AttackResult[Any]
) -> Explanation:
    from mathhammer.systems.wh40k.explanation import explain

    return explain(stages, target, rules, result)


def as_volleys(weapons: Weapons, count: int) -> list[Volley]:
    """Return volleys; a bare weapon is a volley of `count`."""
    if isinstance(weapons, Weapon):
        return [Volley(weapons, count)]
    if count != 1:
        raise MathhammerError(
            f"expected count with one weapon only, got count={count!r} with volleys; give each Volley its count"
        )
    if isinstance(weapons, Volley):
        return [weapons]
    if not isinstance(weapons, Sequence) or isinstance(weapons, str):
        raise MathhammerError(f"expected a Weapon, a Volley or several of them, got {weapons!r}")
    volleys = [weapon if isinstance(weapon, Volley) else Volley(weapon) for weapon in weapons]
    if not volleys:
        raise MathhammerError("expected at least one weapon or volley, got none")
    return volleys
