"""Attacks of one unit on one target: the sequence from the hit roll to the last model destroyed."""

from __future__ import annotations

from functools import cache
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, Unpack

from mathhammer import validation
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.sequence.call import records_call
from mathhammer.systems.wh40k.attacks.attack_sequence import AttackSequence
from mathhammer.systems.wh40k.attacks.explanation import explain
from mathhammer.systems.wh40k.attacks.result import AttackResult, MixedAttackResult
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
from mathhammer.systems.wh40k.profiles.targets import Objective, TargetUnit, read_target, require_objective
from mathhammer.systems.wh40k.situation import (
    SITUATION_NAMES,
    MortalWounds,
    SituationKeywords,
    Volley,
    Weapons,
    as_volleys,
    read_entries,
    takes_situation,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mathhammer.sequence.unit_distribution import UnitDistribution
    from mathhammer.systems.wh40k.armies.unit import Unit as ArmyUnit
    from mathhammer.systems.wh40k.armies.unit import WeaponLine
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.targets import Attackable
    from mathhammer.systems.wh40k.unit_rules.applied import Acting

    Attacking = Weapons | ArmyUnit


class AttackOptions(SituationKeywords, total=False):
    """Options of every function of attacks: those of the situation, and these."""

    edition: str | Edition
    rulings: Mapping[str, str] | None
    exact: bool
    start: UnitDistribution | None


class VolleyOptions(AttackOptions, total=False):
    """Options of one attack, beside its objective."""

    count: int
    bearers: Target | TargetUnit | str | None
    order: Literal["given", "best"]


P = ParamSpec("P")
ResultT = TypeVar("ResultT")


def passes_options(function: Callable[P, ResultT]) -> Callable[P, ResultT]:
    """Show the options that a function passes on to `attack` in its signature."""
    own, shown = signature(function), signature(attack).parameters
    names = ("edition", "rulings", "exact", "start", "situation")
    # Their types are known to the module of `attack` alone.
    passed = [shown[name].replace(annotation=Parameter.empty) for name in names]
    parameters = [*own.parameters.values()][:-1] + passed
    function.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function


@takes_situation
@records_call("40k")
def attack(
    weapons: Attacking,
    target: Attackable,
    /,
    *,
    count: int = 1,
    edition: str | Edition = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: UnitDistribution | None = None,
    bearers: Target | TargetUnit | str | None = None,
    objective: Objective | None = None,
    order: Literal["given", "best"] = "given",
    **situation: Unpack[SituationKeywords],
) -> AttackResult:
    """Resolve the attacks of one unit on a target.

    Parameters
    ----------
    weapons
        A weapon, or volleys one after another, or their stat lines (``"5x Rifle: A2 BS3+ S4 AP0 D1"``): the state
        of the target is carried over, and devastating wounds of all of them come last.
        :class:`mathhammer.wh40k.MortalWounds` or ``"D3 mortal wounds (Hex)"`` among them come after normal damage. A
        unit of an army, with the weapons of one phase (``unit.only("shooting")``), uses those that cost the target most
        wounds on average.
    target
        The unit that is attacked: a :class:`Target` of equal models, a :class:`TargetUnit`, a unit of an army, the
        label of a standard target or a stat line. Several are the kinds of models of one unit; ``{"models": [...],
        "leaders": [...], "allocation": "best"}`` says more of it.
    count
        Number of each weapon that is given without one.
    edition
        The rules: a name in ``wh40k.EDITIONS``, or an edition of your own.
    rulings
        Options for disputed points, by name; the others keep their defaults. ``{"rules_date": "2026-06"}`` are the
        rules of the 11th edition as they were then.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.
    start
        The state of the target before: the result of an earlier attack on it, or what
        :meth:`mathhammer.wh40k.UnitDistribution.given` makes of one; of an earlier phase what
        :meth:`mathhammer.wh40k.UnitDistribution.new_phase` makes of it. Blast counts the models left, and the
        Toughness of a mixed unit is that of those left. The losses of the result count those before too.
    bearers
        The models that carry the weapons: the result then says what Hazardous tests do to them.
    objective
        What the attacker's choices maximise, such as a re-roll: the mean of ``"kills"`` (the default),
        ``"wounds_lost"`` or ``"points"``, or ``"probability_destroyed"``. With ``limited_rerolls`` the default is
        wounds lost, by which a unit of an army chooses its weapons too.
    order
        The order of the volleys: as given, or ``"best"``, where the attacker chooses each after seeing the last.
    at
        A :class:`mathhammer.wh40k.Situation` may stand behind the target: what it says is as if given by keywords.
    **situation
        The situation of all volleys that do not have their own: see
        :class:`mathhammer.wh40k.SituationKeywords`. One re-roll given here is one for the whole unit.

    Returns
    -------
    AttackResult
        ``kills``, ``wounds_lost``, ``damage``, ``hits``, ``wounds``, ``unsaved``, ``mortal_wounds``, ``state``,
        ``probability_destroyed``, ``hazardous``, ``deadly_demise``, ``plan``, ``rulings``, ``explain()``.

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
        target = read_target(target, edition)
    rules, exact = find_edition(edition), validation.flag(exact, "exact")
    in_force = rules.in_force(rulings)
    options: Any = {"edition": edition, "rulings": rulings, "exact": exact, "start": start, **situation}
    volleys = read_weapons(weapons, count, target, **options)
    entries, ruled = read_entries(volleys, situation), rules.ruled(in_force)
    sequence = AttackSequence(entries, target, ruled, objective, exact=exact)
    if bearers is not None:
        bearers = read_target(bearers, edition)
        if not any(rule.tests_bearers for rule in sequence.abilities):
            raise MathhammerError(
                f"expected a weapon that is Hazardous in the {rules.title} where bearers are given, got none; "
                "leave them out"
            )
    if objective is not None:
        require_objective(objective)
    best_order = order != "given" and validation.one_of(order, ("given", "best"), "order") == "best"
    (seen, which), results = sequence.cases(start), []
    parts: dict[str, Any] = {"exact": exact, "edition": rules.name, "rulings": in_force}
    parts |= {"explanation": explain, "sequence": sequence, "bearers": bearers}
    any_order = best_order or sequence.rules.orders_pools
    for before, selection in seen:
        compiled, unit, states, play = sequence.resolve(before, selection, any_order=any_order)
        results.append(AttackResult(unit, states, compiled, play=play, start=before, **parts))
    if len(results) == 1:
        return results[0]
    return MixedAttackResult(which, results, sequence=sequence, bearers=bearers)


def read_weapons(
    weapons: Attacking, count: int, target: Attackable, **options: Unpack[AttackOptions]
) -> list[Volley | MortalWounds]:
    """Return what attacks a target as volleys; a unit of an army chooses its weapons by the mean of wounds lost."""
    if isinstance(weapons, (Weapon, Volley, MortalWounds, str, list, tuple)):
        return as_volleys(weapons, count)
    from mathhammer.systems.wh40k.armies.choices import unit_volleys, usable
    from mathhammer.systems.wh40k.armies.unit import Unit
    from mathhammer.systems.wh40k.unit_rules.applied import acting, alone, ruled

    if not isinstance(weapons, Unit) or count != 1:
        return as_volleys(weapons, count)  # type: ignore[arg-type] # which says what is expected

    unit = usable(weapons, options)
    effective_target = read_target(target, options.get("edition", DEFAULT_EDITION))
    situation = {name: value for name, value in options.items() if name in SITUATION_NAMES}
    every = acting(unit)

    def volley(effects: tuple[Acting, ...], line: WeaponLine, weapon: Weapon) -> Volley:
        changed, given = ruled(effects, unit, line.group, weapon, effective_target, situation)
        own: Any = {} if given is situation else given
        return Volley(changed, line.count, **own)

    @cache
    def worth(weapon: Weapon, line: WeaponLine) -> float:
        result = in_fractions(attack(volley(alone(every), line, weapon), target, **options))
        return result.wounds_lost.mean()  # type: ignore[no-any-return] # a number that needs no SymPy

    return list(unit_volleys(unit, worth, lambda line: volley(every, line, line.modes[0])))
