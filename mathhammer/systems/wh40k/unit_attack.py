"""Attacks on units of unequal models."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Never, cast

from mathhammer.arithmetic import P
from mathhammer.errors import MathhammerError
from mathhammer.sequence import AllocatedVolley, AttackResult, WoundLaw, chosen_losses, continued, unit_losses
from mathhammer.systems.wh40k.stages import compile_stages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.arithmetic import Arithmetic
    from mathhammer.distributions import Distribution
    from mathhammer.sequence import Chances, Rulings, UnitLaw
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles import Weapon
    from mathhammer.systems.wh40k.selection import Selection
    from mathhammer.systems.wh40k.situation import Situation
    from mathhammer.systems.wh40k.stages import Stages
    from mathhammer.systems.wh40k.target_unit import TargetUnit

__all__ = ["UnitAttackResult", "attack_unit", "compile_unit", "leaders_begun_first"]


class UnitAttackResult(AttackResult[P]):
    """The result of an attack on a unit of unequal models.

    Saves and damage belong to the model that a wound is allocated to: of their numbers only what the unit lost
    has a law of its own here.
    """

    @property
    def unsaved(self) -> Never:
        """Not a law of the attacks alone."""
        raise MathhammerError(
            "expected a unit of equal models for the law of unsaved wounds; the saves of this unit differ by model, "
            "see kills, wounds_lost and kills_of"
        )

    @property
    def damage(self) -> Never:
        """Not a law of the attacks alone."""
        raise MathhammerError(
            "expected a unit of equal models for the law of damage; the saves of this unit differ by model, "
            "see kills, wounds_lost and kills_of"
        )

    def kills_of(self, kind: str, /) -> Distribution[P]:
        """Law of the number of models of one kind that are destroyed."""
        return self.state.marginal(f"{kind} destroyed")


def attack_unit(
    volleys: Sequence[tuple[Weapon, int, Situation]],
    target: TargetUnit,
    edition: Edition,
    rulings: Rulings,
    arithmetic: Arithmetic[P],
    start: UnitLaw[P] | None,
    *,
    exact: bool,
    selection: Selection | None = None,
) -> UnitAttackResult[P]:
    """Resolve volleys on a unit of unequal models; see :func:`mathhammer.wh40k.attack`."""
    compiled, laws = compile_unit(volleys, target, edition, rulings, selection)
    directed = [law.directed for law in laws]
    states = target.states(single_out=any(directed), begun_first=leaders_begun_first(rulings))
    unit, before = continued(states, start, exact=exact)
    walk = unit_losses
    if target.allocation != "given":
        walk = partial(chosen_losses, values=target.values(unit), maximise=target.allocation == "worst")
    law = walk(
        laws,
        unit,
        arithmetic=arithmetic,
        deferred_after_all=rulings.get("devastating_timing") != "after-weapon",
        start=before,
    )
    from mathhammer.systems.wh40k.explanation import explain_unit

    return UnitAttackResult(
        unit,
        law,
        [stages[0].law for stages in compiled],
        arithmetic=arithmetic,
        edition=edition.name,
        rulings=rulings,
        explanation=partial(explain_unit, compiled, directed, target, edition),
    )


def compile_unit(
    volleys: Sequence[tuple[Weapon, int, Situation]],
    target: TargetUnit,
    edition: Edition,
    rulings: Mapping[str, str],
    selection: Selection | None = None,
) -> tuple[list[list[Stages]], list[AllocatedVolley]]:
    """Work out every roll of each volley against each kind of models, and the laws they make."""
    compiled: list[list[Stages]] = []
    laws = []
    allocated = rulings.get("ignored_mortal_wounds") != "not-allocated"
    for weapon, count, situation in volleys:
        stages = [
            compile_stages(weapon, count, situation, target.faced(kind, selection), edition, rulings)
            for kind in target.kinds
        ]
        if situation.triggers:
            raise MathhammerError(
                f"expected volleys without triggers on {target.name!r}, whose models differ; "
                "attack a Target of equal models with them"
            )
        if "reroll_saves" in situation.one_reroll:
            raise MathhammerError(
                f"expected no reroll_saves='one' on {target.name!r}, whose models differ; re-roll a hit or wound roll"
            )
        compiled.append(stages)
        laws.append(
            AllocatedVolley(
                stages[0].law.attacks,
                cast("Chances", stages[0].law.chances),
                {i: WoundLaw(stage.chances.unsaved, stage.law.damage) for i, stage in enumerate(stages)},
                {i: WoundLaw(36, stage.law.deferred_damage, allocated) for i, stage in enumerate(stages)},
                _directed(weapon, situation, target),
            )
        )
    return compiled, laws


def leaders_begun_first(rulings: Mapping[str, str]) -> bool:
    """Whether a leader that is hurt, or was allocated an attack, comes before the bodyguards."""
    return rulings.get("leaders_begun") == "goes-first"


def _directed(weapon: Weapon, situation: Situation, target: TargetUnit) -> tuple[int, ...]:
    """Return the groups at which an attack with Precision is directed: the attacker may decline it.

    References
    ----------
    Core rules, Precision; of several characters the first living one in order unless one is named.
    """
    return target.singled_out(situation.precision) if weapon.has("Precision") else ()
