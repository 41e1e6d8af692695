"""Attacks of one unit on one target: the sequence from the hit roll to the last model destroyed."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import permutations
from math import e, factorial
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from mathhammer import validation
from mathhammer.arithmetic import arithmetic
from mathhammer.distributions import in_fractions
from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.errors import MathhammerError
from mathhammer.sequence import (
    UnitDistribution,
    records_call,
    require_walks,
    resolve,
    resolve_orders,
    resolve_with_choices,
    resume,
)
from mathhammer.systems.wh40k.attacks.play import attack_play, is_played
from mathhammer.systems.wh40k.attacks.result import AttackContext, AttackResult, MixedAttackResult
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit, require_objective
from mathhammer.systems.wh40k.profiles.targets import read_target
from mathhammer.systems.wh40k.profiles.volleys import MortalWounds, Volley, Weapons, as_volleys, read_entries
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.sequence.compile import CompiledVolley, compile_entries, kinds_of, unit_of
from mathhammer.systems.wh40k.sequence.selection import selections
from mathhammer.systems.wh40k.situation import SITUATION_NAMES, takes_situation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sympy import Rational

    from mathhammer.distributions import Distribution
    from mathhammer.sequence import Explanation, Rulings, Unit
    from mathhammer.systems.wh40k.armies.army import Unit as ArmyUnit
    from mathhammer.systems.wh40k.armies.army import WeaponLine
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles.target_unit import Objective
    from mathhammer.systems.wh40k.profiles.targets import Attackable
    from mathhammer.systems.wh40k.profiles.volleys import Entry
    from mathhammer.systems.wh40k.sequence.compile import CompiledMortalWounds
    from mathhammer.systems.wh40k.sequence.selection import Selection
    from mathhammer.systems.wh40k.situation import Situation, SituationKeywords

    Attacking = Weapons | ArmyUnit

__all__ = [
    "Volley",
    "Weapons",
    "attack",
    "losses",
    "met_after",
    "read_weapons",
    "states_after",
    "states_by_order",
]

_GIVEN = (Weapon, Volley, MortalWounds, str, list, tuple)


@overload
def attack(
    weapons: Attacking,
    target: Attackable,
    at: Situation = ...,
    /,
    *,
    count: int = ...,
    edition: str = ...,
    rulings: Mapping[str, str] | None = ...,
    exact: Literal[False] = ...,
    start: UnitDistribution[float] | None = ...,
    bearers: Target | TargetUnit | None = ...,
    objective: Objective = ...,
    order: Literal["given", "best"] = ...,
    **situation: Unpack[SituationKeywords],
) -> AttackResult[float]: ...
@overload
def attack(
    weapons: Attacking,
    target: Attackable,
    at: Situation = ...,
    /,
    *,
    count: int = ...,
    edition: str = ...,
    rulings: Mapping[str, str] | None = ...,
    exact: Literal[True],
    start: UnitDistribution[Rational] | None = ...,
    bearers: Target | TargetUnit | None = ...,
    objective: Objective = ...,
    order: Literal["given", "best"] = ...,
    **situation: Unpack[SituationKeywords],
) -> AttackResult[Rational]: ...
@overload
def attack(
    weapons: Attacking,
    target: Attackable,
    at: Situation = ...,
    /,
    *,
    count: int = ...,
    edition: str = ...,
    rulings: Mapping[str, str] | None = ...,
    exact: bool,
    start: UnitDistribution[Any] | None = ...,
    bearers: Target | TargetUnit | None = ...,
    objective: Objective = ...,
    order: Literal["given", "best"] = ...,
    **situation: Unpack[SituationKeywords],
) -> AttackResult[float] | AttackResult[Rational]: ...
@takes_situation
@records_call("40k")
def attack(
    weapons: Attacking,
    target: Attackable,
    /,
    *,
    count: int = 1,
    edition: str = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: UnitDistribution[Any] | None = None,
    bearers: Target | TargetUnit | None = None,
    objective: Objective = "kills",
    order: Literal["given", "best"] = "given",
    **situation: Unpack[SituationKeywords],
) -> AttackResult[Any]:
    """Resolve the attacks of one unit on a target.

    Parameters
    ----------
    weapons
        A weapon, or volleys one after another, or their stat lines (``"5x Rifle: A2 BS3+ S4 AP0 D1"``): the state
        of the target is carried over, and devastating wounds of all of them come last.
        :class:`mathhammer.wh40k.MortalWounds` among them come after the normal damage. A unit of an army, with the
        weapons of one phase (``unit.only("shooting")``), uses those that cost the target most wounds on average.
    target
        The unit that is attacked: a :class:`Target` of equal models, a :class:`TargetUnit`, a unit of an army, the
        label of a standard target or a stat line.
    count
        Number of such weapons, where one weapon is given.
    edition
        The rules, by their name in ``wh40k.EDITIONS``.
    rulings
        Options for disputed points, by name; the others keep their defaults. ``{"rules_date": "2026-06"}`` are the
        rules of the 11th edition as they were then.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.
    start
        The state of the target before: the result of an earlier attack on it, or what
        :meth:`mathhammer.sequence.UnitDistribution.given` makes of one; of an earlier phase what
        :meth:`mathhammer.sequence.UnitDistribution.new_phase` makes of it. Blast counts the models left, and the
        Toughness of a mixed unit is that of those left. The losses of the result count those before too.
    bearers
        The models that carry the weapons: the result then says what Hazardous tests do to them.
    objective
        What choices of the attacker make as great as can be, such as that of a re-roll: the mean of ``"kills"``,
        ``"wounds_lost"`` or ``"points"``, or ``"probability_destroyed"``.
    order
        The volleys as they are given, or ``"best"``: the attacker sees what each has done before they choose the
        next one.
    at
        A :class:`mathhammer.wh40k.Situation` may stand behind the target: what it says is as if given by keywords.
    **situation
        What is true of all volleys that do not say otherwise: see
        :class:`mathhammer.wh40k.SituationKeywords`. One re-roll given here is one for the whole unit.

    Returns
    -------
    AttackResult
        ``kills``, ``wounds_lost``, ``damage``, ``hits``, ``wounds``, ``unsaved``, ``mortal_wounds``, ``state``,
        ``probability_destroyed``, ``hazardous``, ``deadly_demise``, ``plan``, ``rulings``, ``explain()``.

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
        target = read_target(target, edition)
    rules = find_edition(edition)
    in_force = rules.in_force(rulings)
    ruled = rules.ruled(in_force)
    volleys = read_weapons(
        weapons, count, target, edition=edition, rulings=rulings, exact=exact, start=start, **situation
    )
    entries = read_entries(volleys, situation)
    if bearers is not None:
        _require_bearers(bearers, entries, rules)
    require_objective(objective)
    any_order = validation.one_of(order, ("given", "best"), "order") == "best"
    resolved = partial(
        _resolve,
        entries,
        target,
        ruled,
        in_force,
        bearers=bearers,
        objective=objective,
        any_order=any_order,
        exact=exact,
    )
    if start is None:
        return resolved(None)
    met, distributions, seen = met_after(entries, target, ruled, start, exact=exact)
    results = [
        resolved(distribution, selection=one) for one, distribution in zip(met, distributions, strict=True)
    ]
    return results[0] if len(results) == 1 else MixedAttackResult.of(seen, results)


def read_weapons(
    weapons: Attacking, count: int, target: Attackable, **options: Any
) -> list[Volley | MortalWounds]:
    """Return what attacks a target as volleys; a unit of an army chooses its weapons by the mean of wounds lost."""
    if isinstance(weapons, _GIVEN):
        return as_volleys(weapons, count)
    from mathhammer.systems.wh40k.armies.army import Unit
    from mathhammer.systems.wh40k.armies.choices import unit_volleys, usable
    from mathhammer.systems.wh40k.unit_rules.attacks import volley

    if not isinstance(weapons, Unit) or count != 1:
        return as_volleys(weapons, count)  # type: ignore[arg-type] # which says what is expected

    unit, met = usable(weapons, options), read_target(target, options["edition"])
    situation = {name: value for name, value in options.items() if name in SITUATION_NAMES}

    def volley_of(weapon: Weapon, line: WeaponLine) -> Volley:
        return volley(unit, line, weapon, met, situation)

    def worth(weapon: Weapon, line: WeaponLine) -> float:
        lost: float = in_fractions(attack(volley_of(weapon, line), target, **options)).wounds_lost.mean()
        return lost

    return list(unit_volleys(unit, worth, lambda line: volley_of(line.modes[0], line)))


def _require_bearers(bearers: object, entries: Sequence[Entry], rules: Edition) -> None:
    """Refuse bearers that nothing can happen to."""
    validation.instance(
        bearers, (Target, TargetUnit), "a Target or a TargetUnit as the bearers of the weapons"
    )
    weapons = [entry[0] for entry in entries if not isinstance(entry, MortalWounds)]
    if not any(rule.tests_bearers for weapon in weapons for rule in abilities_of(weapon, rules.abilities)):
        raise MathhammerError(
            f"expected a weapon that is Hazardous in the {rules.title} where bearers are given, got none; leave "
            "them out"
        )


def met_after(
    entries: Sequence[Entry],
    target: Target | TargetUnit,
    rules: Edition,
    start: UnitDistribution[Any],
    *,
    exact: bool,
) -> tuple[list[Selection], list[UnitDistribution[Any]], Distribution[Any]]:
    """Return what the attackers can meet when they choose the target, see :func:`selections`."""
    resume(unit_of(target, rules), start, exact=exact)
    named = {
        word
        for entry in entries
        if not isinstance(entry, MortalWounds)
        for keyword in entry[0].keywords
        if keyword.target
        for word in keyword.filter
    }
    counts = _counts_models(entries, rules)
    return selections(target, start, counts_models=counts, named=named, edition=rules)


def _counts_models(entries: Sequence[Entry], rules: Edition) -> bool:
    """Whether it matters to any of the weapons how many models the target has left."""
    return any(
        rule.counts_models
        for entry in entries
        if not isinstance(entry, MortalWounds)
        for rule in abilities_of(entry[0], rules.abilities)
    )


def _resolve(
    entries: Sequence[Entry],
    target: Target | TargetUnit,
    rules: Edition,
    in_force: Rulings,
    start: UnitDistribution[Any] | None,
    bearers: Target | TargetUnit | None,
    objective: str,
    *,
    any_order: bool,
    exact: bool,
    selection: Selection | None = None,
) -> AttackResult[Any]:
    """Resolve entries on a target of which it is known what the attackers met when they chose it."""
    compiled = compile_entries(entries, target, rules, selection)
    unit, before = _before(compiled, target, rules, start, exact=exact)
    any_order = (any_order or rules.orders_pools) and len(compiled) > 1
    play = attack_play(compiled, target, unit, before, objective, any_order=any_order, exact=exact)
    return AttackResult(
        unit,
        _states(compiled, target, unit, before, exact=exact) if play is None else play.states,
        compiled,
        arithmetic=arithmetic(exact=exact),
        edition=rules.name,
        rulings=in_force,
        explanation=partial(_explained, compiled, target, rules, start is not None),
        context=AttackContext(entries, kinds_of(target), bearers),
        play=play,
    )


def states_after(
    entries: Sequence[Entry],
    target: Target | TargetUnit,
    rules: Edition,
    start: UnitDistribution[Any],
    compiled: Callable[[Selection | None], Sequence[CompiledVolley | CompiledMortalWounds]],
    *,
    exact: bool,
) -> Distribution[Any]:
    """Return the distribution of the state of a target after entries, compiled for what the attackers can meet."""

    def after(selection: Selection | None, at: UnitDistribution[Any]) -> Distribution[Any]:
        volleys = compiled(selection)
        unit, before = _before(volleys, target, rules, at, exact=exact)
        any_order = rules.orders_pools and len(volleys) > 1
        play = attack_play(volleys, target, unit, before, "kills", any_order=any_order, exact=exact)
        return _states(volleys, target, unit, before, exact=exact) if play is None else play.states

    if isinstance(target, Target) and not _counts_models(entries, rules):
        return after(None, start)  # one of equal models is met as all of them are
    met, starts, seen = met_after(entries, target, rules, start, exact=exact)
    found = [after(one, at) for one, at in zip(met, starts, strict=True)]
    return found[0] if len(found) == 1 else mixture_by_mass(seen._mass, found)  # noqa: SLF001 - its indices are theirs


def losses(
    compiled: Sequence[CompiledVolley | CompiledMortalWounds],
    target: Target | TargetUnit,
    edition: Edition,
    start: UnitDistribution[Any] | None,
    *,
    exact: bool,
) -> tuple[Unit, Distribution[Any]]:
    """Return the states of a target, and their distribution after what was compiled."""
    unit, before = _before(compiled, target, edition, start, exact=exact)
    return unit, _states(compiled, target, unit, before, exact=exact)


def _before(
    compiled: Sequence[CompiledVolley | CompiledMortalWounds],
    target: Target | TargetUnit,
    edition: Edition,
    start: UnitDistribution[Any] | None,
    *,
    exact: bool,
) -> tuple[Unit, Any]:
    """Return the states of a target, and the one before or its distribution."""
    directed = any(each.volley.directed for each in compiled)
    return resume(unit_of(target, edition, single_out=directed), start, exact=exact)


def _states(
    compiled: Sequence[CompiledVolley | CompiledMortalWounds],
    target: Target | TargetUnit,
    unit: Unit,
    before: Any,
    *,
    exact: bool,
) -> Distribution[Any]:
    volleys = [each.volley for each in compiled]
    kind: Any = arithmetic(exact=exact)
    if not unit.leaves_choices:
        return resolve(volleys, unit, arithmetic=kind, start=before)
    return resolve_with_choices(
        volleys,
        unit,
        arithmetic=kind,
        start=before,
        values=target.values(unit)[0] if isinstance(target, TargetUnit) else unit.kills(),
        maximise=isinstance(target, TargetUnit) and target.allocation == "worst",
    )


def states_by_order(
    compiled: Sequence[CompiledVolley | CompiledMortalWounds],
    alike: Sequence[int],
    target: Target | TargetUnit,
    edition: Edition,
    start: UnitDistribution[Any] | None,
    objective: str,
    *,
    cases: int = 1,
    exact: bool = False,
) -> Iterator[tuple[tuple[int, ...], UnitDistribution[Any]]]:
    """Yield the places of the attacks in every order that differs, and the state of the target after it."""
    volleys = [each.volley for each in compiled]
    unit, before = _before(compiled, target, edition, start, exact=exact)
    attacks = [place for place, volley in enumerate(volleys) if volley.attack is not None]
    orders = factorial(len(attacks))
    for number in Counter(alike[place] for place in attacks).values():
        orders //= factorial(number)
    if not (is_played(compiled, unit) or unit.leaves_choices):
        # Of n volleys in all orders those of the first places are walked but once for all that follow.
        part = min(1.0, e / max(1, len(attacks)))
        require_walks(volleys, unit, orders=orders * cases, walked=part, exact=exact)
        kind: Any = arithmetic(exact=exact)
        for order, states in resolve_orders(volleys, alike, unit, arithmetic=kind, start=before):
            yield order, UnitDistribution(unit, states)
        return
    require_walks(volleys, unit, orders=orders * cases, exact=exact)
    seen = set()
    for order in permutations(attacks):
        numbers = tuple(alike[place] for place in order)
        if numbers not in seen:
            seen.add(numbers)
            ordered = [compiled[place] for place in order]
            ordered += [each for each in compiled if each.volley.attack is None]
            play = attack_play(ordered, target, unit, before, objective, exact=exact)
            yield (
                order,
                UnitDistribution(
                    unit, _states(ordered, target, unit, before, exact=exact) if play is None else play.states
                ),
            )


def _explained(
    compiled: Sequence[CompiledVolley | CompiledMortalWounds],
    target: Target | TargetUnit,
    rules: Edition,
    later: bool,  # noqa: FBT001 - the result alone is left to be given
    result: AttackResult[Any],
) -> Explanation:
    from mathhammer.systems.wh40k.attacks.explanation import explain

    return explain(compiled, result, target, rules, later=later)
