"""Attacks of one unit on one target: the sequence from the hit roll to the last model destroyed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from mathhammer import validation
from mathhammer.arithmetic import arithmetic
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.sequence import (
    DirectWounds,
    EqualModels,
    UnitLaw,
    VolleyLaw,
    asked,
    continued,
    losses,
    start_index,
)
from mathhammer.systems.wh40k.damage import against_mortal_wounds, mortal_wound
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.systems.wh40k.profiles import Target
from mathhammer.systems.wh40k.result import AttackResult, Circumstances, MixedAttackResult
from mathhammer.systems.wh40k.selection import selections
from mathhammer.systems.wh40k.stages import compile_stages
from mathhammer.systems.wh40k.target_unit import TargetUnit, as_resolved
from mathhammer.systems.wh40k.triggered import waiting_rank
from mathhammer.systems.wh40k.unit_attack import attack_unit, rolls_one_damage_again
from mathhammer.systems.wh40k.unit_reroll import cases_of, is_shared, law_of_cases
from mathhammer.systems.wh40k.volleys import MortalWounds, Volley, Weapons, as_volleys, read_entries
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sympy import Rational

    from mathhammer.distributions import Distribution
    from mathhammer.sequence import Explanation, Rulings
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.selection import Selection
    from mathhammer.systems.wh40k.situation import SituationKeywords
    from mathhammer.systems.wh40k.stages import Stages
    from mathhammer.systems.wh40k.volleys import Entry

__all__ = ["Volley", "Weapons", "attack", "compile_entries", "laws_of", "met_after"]


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
    bearers: Target | TargetUnit | None = ...,
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
    bearers: Target | TargetUnit | None = ...,
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
    bearers: Target | TargetUnit | None = ...,
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
    bearers: Target | TargetUnit | None = None,
    **situation: Unpack[SituationKeywords],
) -> AttackResult[Any]:
    """Resolve the attacks of one unit on a target.

    Parameters
    ----------
    weapons
        A weapon, or volleys one after another: the state of the target is carried over, and devastating wounds
        of all of them come last. :class:`mathhammer.wh40k.MortalWounds` among them come after the normal damage.
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
        of a mixed unit is that of those left. The losses of the result count those before too.
    bearers
        The models that carry the weapons: the result then says what Hazardous tests do to them.
    **situation
        What is true of all volleys that do not say otherwise: see
        :class:`mathhammer.wh40k.SituationKeywords`. One re-roll given here is one for the whole unit.

    Returns
    -------
    AttackResult
        ``kills``, ``wounds_lost``, ``damage``, ``hits``, ``wounds``, ``unsaved``, ``mortal_wounds``, ``state``,
        ``probability_destroyed``, ``hazardous``, ``deadly_demise``, ``rulings``, ``explain()``.

    Raises
    ------
    MathhammerError
        If a value does not fit the rules.
    TooLargeError
        If the work would not fit.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> lascannon = wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1")
    >>> tank = wh40k.Target("Tank", toughness=10, save="3+", invulnerable="5+", wounds=12, keywords="Vehicle")
    >>> wh40k.attack(lascannon, tank, count=2, exact=True).probability_destroyed
    32/2187

    References
    ----------
    Warhammer 40,000 10th edition core rules, Making Attacks and Weapon Abilities; Core Rules Updates; Rules
    Commentary.
    """
    if not isinstance(target, (Target, TargetUnit)):
        raise MathhammerError(
            f"expected a Target or a TargetUnit to attack, got {shown(target)}; a label is read by find_target(), "
            "a stat line by Target.parse(), and a unit of an army has as_target_unit()"
        )
    rules = find_edition(edition)
    in_force = rules.in_force(rulings)
    entries = read_entries(as_volleys(weapons, count), situation)
    target = as_resolved(target)
    if bearers is not None:
        _require_bearers(bearers, entries, rules)
    if start is None:
        return _resolve(entries, target, rules, in_force, None, bearers, exact=exact)
    met, laws, seen = met_after(entries, target, rules, in_force, start, exact=exact)
    results = [
        _resolve(entries, target, rules, in_force, law, bearers, exact=exact, selection=one)
        for one, law in zip(met, laws, strict=True)
    ]
    return results[0] if len(results) == 1 else MixedAttackResult.of(seen, results)


def _require_bearers(bearers: object, entries: Sequence[Entry], rules: Edition) -> None:
    """Refuse bearers that nothing can happen to."""
    validation.instance(
        bearers, (Target, TargetUnit), "a Target or a TargetUnit as the bearers of the weapons"
    )
    weapons = [entry[0] for entry in entries if not isinstance(entry, MortalWounds)]
    if "Hazardous" not in rules.abilities or not any(weapon.has("Hazardous") for weapon in weapons):
        raise MathhammerError(
            f"expected a weapon that is Hazardous in the {rules.title} where bearers are given, got none; leave "
            "them out"
        )


def met_after(
    entries: Sequence[Entry],
    target: Target | TargetUnit,
    rules: Edition,
    in_force: Mapping[str, str],
    start: UnitLaw[Any],
    *,
    exact: bool,
) -> tuple[list[Selection], list[UnitLaw[Any]], Distribution[Any]]:
    """Return what the attackers can meet when they choose the target, see :func:`selections`."""
    if isinstance(target, TargetUnit):
        continued(target.states(in_force, single_out=False), start, exact=exact)
    else:
        start_index(EqualModels(target.models, target.wounds, target.wounds_lost), start, exact=exact)
    weapons = [entry[0] for entry in entries if not isinstance(entry, MortalWounds)]
    blast = any(weapon.has("Blast") for weapon in weapons)
    named = {keyword.target.lower() for weapon in weapons for keyword in weapon.keywords} - {""}
    return selections(target, start, blast=blast, by=rules.models_of_blast, named=named, rulings=in_force)


def compile_entries(
    entries: Sequence[Entry], target: Target, edition: Edition, rulings: Mapping[str, str]
) -> list[Stages]:
    """Work out every roll of each volley."""
    stages: list[Stages] = []
    for entry in entries:
        if isinstance(entry, MortalWounds):
            continue
        weapon, _, at = entry
        if isinstance(at.precision, str) and weapon.has("Precision"):
            raise UnknownNameError(
                f"expected no name of a leader as precision against {target.name!r}, which has no leader, "
                f"got {shown(at.precision)}; leaders stand in a TargetUnit(..., leaders=[...])"
            )
        stages.append(compile_stages(*entry, target, edition, rulings))
    return stages


def laws_of(
    entries: Sequence[Entry], stages: Sequence[Stages], target: Target, rulings: Mapping[str, str]
) -> list[VolleyLaw | DirectWounds]:
    """Return the laws that volleys and mortal wounds make, in the order of the entries."""
    if len(stages) == len(entries):
        return [stage.law for stage in stages]
    volleys = iter(stages)
    return [
        DirectWounds(
            entry.number,
            mortal_wound(against_mortal_wounds(target)),
            waiting_rank("mortal", rulings, of_weapon=False),
        )
        if isinstance(entry, MortalWounds)
        else next(volleys).law
        for entry in entries
    ]


def _resolve(
    entries: Sequence[Entry],
    target: Target | TargetUnit,
    rules: Edition,
    in_force: Rulings,
    start: UnitLaw[Any] | None,
    bearers: Target | TargetUnit | None,
    *,
    exact: bool,
    selection: Selection | None = None,
) -> AttackResult[Any]:
    """Resolve entries on a target of which it is known what the attackers met when they chose it."""
    kind: Any = arithmetic(exact=exact)
    # Nearly every attack has none: then nothing more is asked.
    any_single_reroll = [
        entry for entry in entries if not isinstance(entry, MortalWounds) and entry[2].one_reroll
    ]
    if isinstance(target, TargetUnit) or (any_single_reroll and rolls_one_damage_again(entries)):
        return attack_unit(
            entries, target, rules, in_force, kind, start, bearers, exact=exact, selection=selection
        )
    met = target if selection is None else replace(target, models=selection.models)
    compiled = compile_entries(entries, met, rules, in_force)
    unit = EqualModels(target.models, target.wounds, target.wounds_lost)
    before = target.wounds_lost if start is None else start_index(unit, start, exact=exact)
    direct = [entry for entry in entries if isinstance(entry, MortalWounds)]
    explanation = partial(_explained, compiled, direct, target, rules, start is not None)

    def resolved(stages: Sequence[Stages]) -> AttackResult[Any]:
        laws = laws_of(entries, stages, met, in_force)
        return AttackResult(
            unit,
            losses(laws, unit, arithmetic=kind, start=before),
            [stage.law for stage in stages],
            arithmetic=kind,
            edition=rules.name,
            rulings=in_force,
            explanation=explanation,
            circumstances=Circumstances(
                entries,
                (target,),
                [law for law in laws if isinstance(law, DirectWounds)] if direct else (),
                [bearer for stage in stages for bearer in stage.bearers],
                bearers,
            ),
        )

    if not any_single_reroll or not is_shared(entries):
        return resolved(compiled)
    cases = cases_of(tuple((stage,) for stage in compiled), rules, in_force)
    results = [resolved([stage for (stage,) in case.rows]) for case in cases]
    return MixedAttackResult.of(law_of_cases(cases, kind), results, explanation)


def _explained(
    stages: Sequence[Stages],
    direct: Sequence[MortalWounds],
    target: Target,
    rules: Edition,
    later: bool,  # noqa: FBT001 - the result alone is left to be given
    result: AttackResult[Any],
) -> Explanation:
    from mathhammer.systems.wh40k.explanation import explain

    return explain(stages, direct, target, rules, result, later=later)
