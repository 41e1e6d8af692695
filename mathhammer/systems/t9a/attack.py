"""Attacks on one unit: the sequence from the to-hit roll to the last Health Point."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Unpack

from mathhammer.arithmetic import arithmetic
from mathhammer.distributions import Distribution, JointDistribution, convolution
from mathhammer.distributions.chain import extended
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.sequence import damage_of, records_call, start_distribution
from mathhammer.systems.t9a.editions import rules_of
from mathhammer.systems.t9a.profiles import ModelPart, Parts, Target, as_parts, as_target, require_compatible
from mathhammer.systems.t9a.result import AttackResult
from mathhammer.systems.t9a.situation import SituationKeywords, read_situation
from mathhammer.systems.t9a.stages import Stages
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.sequence import SharedPools, UnitDistribution


class AttackKeywords(SituationKeywords, total=False):
    """Keywords of `attack` but for the arithmetic."""

    edition: str
    rulings: Mapping[str, str] | None
    start: UnitDistribution | None


@records_call("t9a")
def attack(
    parts: Parts,
    target: Target | str,
    /,
    *,
    edition: str = "2e",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: UnitDistribution | None = None,
    **situation: Unpack[SituationKeywords],
) -> AttackResult:
    """Resolve the simultaneous attacks of one or more model parts on a unit.

    Parameters
    ----------
    parts
        What strikes, shoots or hits: one or more, each as a `ModelPart` or as its stat line, such as
        ``"15 attacks, Off 3, Str 3"``.
    target
        The unit that is attacked: a `Target`, or its stat line, such as ``"20 models, Def 3, Res 4, Arm 3"``.
    edition
        The rules: ``"2e"`` or ``"3e"``.
    rulings
        Options for disputed points, by name; the others keep their defaults.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.
    start
        The result of earlier attacks on the same target in this phase.
    **situation
        What else is true: see :class:`mathhammer.t9a.SituationKeywords`.

    Returns
    -------
    AttackResult
        ``hits``, ``wounds``, ``unsaved``, ``damage``, ``health_points_lost``, ``kills``, ``state``, ``overkill``,
        ``probability_destroyed``, ``probability_panic_test``, ``rulings``, ``explain()``.

    Examples
    --------
    >>> spears = ModelPart("Spearmen", attacks=5, offensive_skill=4, strength=3)
    >>> orcs = Target("Orcs", models=20, defensive_skill=3, resilience=3, armour=2)
    >>> attack(spears, orcs, exact=True).kills.mean()
    10/9

    References
    ----------
    The 9th Age rulebook, 2nd edition, Attack Sequence.
    """
    target = as_target(target, "a Target to attack, or its stat line")
    rules, in_force = rules_of(edition, rulings)
    struck_with = as_parts(parts, "one ModelPart or more, or their stat lines")
    if not struck_with:
        raise MathhammerError("expected one ModelPart or more, got none")
    require_compatible(struck_with, "give one of them, or say whose each is with of=...")
    read = read_situation(situation)
    pools, kind = target.pools(rules), arithmetic(exact=exact)
    places = len(pools.pools)
    standing = pools.standing((0,) * places)
    stages = [Stages(part, target, read, rules, in_force, standing=standing) for part in struck_with]
    at = [_place(part, pools) for part in struck_with]
    # Models that earlier attacks have removed matter only as far as a shot could hit them all.
    most = max(1, min(standing, max(stage.hits_each for stage in stages)))
    volleys = {
        models: [stage.against(models, stage.part.models) for stage in stages]
        for models in range(1, most + 1)
    }

    def left(*lost: int) -> int:
        return max(1, min(most, pools.standing(lost)))

    @cache
    def damage(place: int, models: int) -> Distribution:
        """Return the damage to a pool of a unit of which so many models stand."""
        volleys_at = [volley for volley, each in zip(volleys[models], at, strict=True) if each == place]
        nothing = Distribution.from_weights({0: 1}, exact=kind.mass.exact)
        return convolution([nothing, *(damage_of(volley, kind) for volley in volleys_at)])

    before = start_distribution(pools, start, exact=kind.mass.exact)
    if before is None:
        before = Distribution.from_weights({0: 1}, exact=kind.mass.exact)
    axes = [pool.name for pool in pools.pools]
    struck = JointDistribution.from_distribution(axes, before, pools.lost.__getitem__)
    models_before = struck.map(left)
    for place, pool in enumerate(pools.pools):

        def to_pool(outcome: tuple[int, ...], place: int = place) -> Distribution:
            return damage(place, left(*outcome[:places]))

        struck = extended(struck, f"damage to {pool.name}", to_pool)
    return AttackResult(
        pools,
        struck,
        stages,
        [volleys[models] for models in models_before.support],
        models_before,
        target=target,
        rules=rules,
        rulings=in_force,
        arithmetic=kind,
        in_combat=any(part.is_melee(read) for part in struck_with),
    )


def _place(part: ModelPart, pools: SharedPools) -> int:
    """Return the index of the pool that a part is allocated to."""
    names = [pool.name for pool in pools.pools]
    if isinstance(part.at, tuple):
        raise MathhammerError(
            f"expected one pool that {part.name!r} strikes at, got {shown(part.at)}; fight() divides attacks among "
            "several"
        )
    if part.at not in names:
        raise UnknownNameError(
            f"expected attacks allocated to {' or '.join(map(repr, names))}; {part.name!r} strikes at {part.at!r}"
        )
    return names.index(part.at)
