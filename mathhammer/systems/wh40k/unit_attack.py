"""Attacks on units of unequal models."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from mathhammer.arithmetic import P
from mathhammer.errors import MathhammerError
from mathhammer.sequence import (
    AllocatedDirectly,
    AllocatedVolley,
    AllocatedWounds,
    DirectWounds,
    WoundLaw,
    chosen_losses,
    continued,
    unit_losses,
)
from mathhammer.systems.wh40k.damage import against_mortal_wounds, mortal_wound
from mathhammer.systems.wh40k.result import AttackResult, Circumstances
from mathhammer.systems.wh40k.stages import compile_stages
from mathhammer.systems.wh40k.triggered import TriggeredChances, waiting_rank
from mathhammer.systems.wh40k.volleys import MortalWounds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.arithmetic import Arithmetic
    from mathhammer.distributions import Distribution, GeneratingFunction
    from mathhammer.sequence import Chances, Rulings, UnitLaw
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles import Target, Weapon
    from mathhammer.systems.wh40k.selection import Selection
    from mathhammer.systems.wh40k.situation import Situation
    from mathhammer.systems.wh40k.stages import Stages
    from mathhammer.systems.wh40k.target_unit import TargetUnit
    from mathhammer.systems.wh40k.volleys import Entry

_T = TypeVar("_T")

__all__ = ["UnitAttackResult", "attack_unit", "compile_unit"]


class UnitAttackResult(AttackResult[P]):
    """The result of an attack on a unit of unequal models.

    Saves and damage belong to the model that a wound is allocated to: of their numbers only what the unit lost
    has a law of its own here.
    """

    def __init__(self, *args: Any, saved_alike: bool, hurt_alike: bool, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self._saved_alike = saved_alike
        self._hurt_alike = hurt_alike

    @property
    def unsaved(self) -> Distribution[P]:
        """Law of the attacks that inflict damage, if all models have the same saves.

        Raises
        ------
        MathhammerError
            If they do not.
        """
        if not self._saved_alike:
            raise MathhammerError(
                "expected a unit whose models have equal saves for the law of unsaved wounds, got one whose saves "
                "differ; see kills, wounds_lost and kills_of"
            )
        return super().unsaved

    @property
    def damage(self) -> Distribution[P]:
        """Law of the damage inflicted, excess counted, if it is the same for every model.

        Raises
        ------
        MathhammerError
            If it is not.
        """
        if not self._hurt_alike:
            raise MathhammerError(
                "expected a unit whose models have equal saves and take equal damage for the law of damage, got one "
                "that differs by model or by what happened before; see kills, wounds_lost and kills_of"
            )
        return super().damage


def attack_unit(
    entries: Sequence[Entry],
    target: TargetUnit,
    edition: Edition,
    rulings: Rulings,
    arithmetic: Arithmetic[P],
    start: UnitLaw[P] | None,
    bearers: Target | TargetUnit | None,
    *,
    exact: bool,
    selection: Selection | None = None,
) -> UnitAttackResult[P]:
    """Resolve entries on a unit of unequal models; see :func:`mathhammer.wh40k.attack`."""
    compiled, laws = compile_unit(entries, target, edition, rulings, selection)
    volleys = [law for law in laws if isinstance(law, AllocatedVolley)]
    directed = [law.directed for law in volleys]
    states = target.states(rulings, single_out=any(directed))
    unit, before = continued(states, start, exact=exact)
    walk = unit_losses
    if unit.leaves_choices:
        walk = partial(chosen_losses, values=target.values(unit), maximise=target.allocation == "worst")
    law = walk(
        laws,
        unit,
        arithmetic=arithmetic,
        deferred_after_all="after-weapon"
        not in (rulings.get("devastating_timing"), rulings.get("mortal_wounds_timing")),
        start=before,
    )
    from mathhammer.systems.wh40k.explanation import explain_unit

    direct = [entry for entry in entries if isinstance(entry, MortalWounds)]
    return UnitAttackResult(
        unit,
        law,
        [stages[0].law for stages in compiled],
        arithmetic=arithmetic,
        edition=edition.name,
        rulings=rulings,
        explanation=partial(explain_unit, compiled, directed, direct, target, edition),
        saved_alike=_alike(compiled, lambda stage: stage.law.chances),
        hurt_alike=_alike(compiled, lambda stage: (stage.law.chances, stage.law.damages))
        and _alike([target.kinds], against_mortal_wounds)
        and not any(kind.damage_to_0 for kind in target.kinds),
        circumstances=Circumstances(
            entries,
            target.kinds,
            [
                DirectWounds(entry.number, mortal_wound(against_mortal_wounds(target.kinds[0])))
                for entry in direct
            ],
            [bearer for stages in compiled for bearer in stages[0].bearers],
            bearers,
        ),
    )


def _alike(rows: Sequence[Sequence[_T]], what: Callable[[_T], object]) -> bool:
    """Whether the same is true of all members of each row."""
    return all(what(each) == what(row[0]) for row in rows for each in row)


def compile_unit(
    entries: Sequence[Entry],
    target: TargetUnit,
    edition: Edition,
    rulings: Mapping[str, str],
    selection: Selection | None = None,
) -> tuple[list[list[Stages]], list[AllocatedVolley | AllocatedDirectly]]:
    """Work out every roll of each volley against each kind of models, and the laws they make."""
    compiled: list[list[Stages]] = []
    laws: list[AllocatedVolley | AllocatedDirectly] = []
    for entry in entries:
        if isinstance(entry, MortalWounds):
            laws.append(
                AllocatedDirectly(
                    entry.number, _mortal_wounds(list(map(against_mortal_wounds, target.kinds)), rulings)
                )
            )
            continue
        weapon, count, situation = entry
        if "reroll_saves" in situation.one_reroll:
            raise MathhammerError(
                f"expected no reroll_saves='one' on {target.name!r}, whose models differ; re-roll a hit or wound roll"
            )
        stages = [
            compile_stages(weapon, count, situation, target.faced(kind, selection), edition, rulings)
            for kind in target.kinds
        ]
        compiled.append(stages)
        each, kinds = _wounds(stages, rulings)
        laws.append(AllocatedVolley(stages[0].law.attacks, each, kinds, _directed(weapon, situation, target)))
    return compiled, laws


def _wounds(
    stages: Sequence[Stages], rulings: Mapping[str, str]
) -> tuple[GeneratingFunction, tuple[AllocatedWounds, ...]]:
    """Return the law of the wounds of one attack, and what those of each kind do to each kind of models.

    Saves belong to the model that a wound is allocated to, so that here every wound counts as unsaved.
    """
    chances = stages[0].law.chances
    devastating = AllocatedWounds(
        {i: WoundLaw(36, stage.damage.deferred_law, _allocated(rulings)) for i, stage in enumerate(stages)},
        waiting_rank("devastating", rulings),
        rulings.get("devastating_precision") != "stay",
    )
    if isinstance(chances, TriggeredChances):
        failing = [cast("TriggeredChances", stage.law.chances).unsaved for stage in stages]
        needs = [stage.damage.deferred_feel_no_pain for stage in stages]
        at_once = [
            AllocatedWounds(
                {
                    i: WoundLaw(failing[i][place], stage.damage.law, spared=stage.damage.spared)
                    for i, stage in enumerate(stages)
                }
            )
            for place in range(len(chances.penetrations))
        ]
        waiting = {"devastating": devastating, "mortal": _mortal_wounds(needs, rulings)}
        return chances.of_saves, (*at_once, *(waiting[kind] for kind in chances.waiting))
    plain = cast("Chances", chances)
    ordinary = {
        i: WoundLaw(stage.chances.unsaved, stage.law.damages[0], spared=stage.damage.spared)
        for i, stage in enumerate(stages)
    }
    return replace(plain, unsaved=36).unsaved_wounds(), (AllocatedWounds(ordinary), devastating)


def _mortal_wounds(feel_no_pain: Sequence[int | None], rulings: Mapping[str, str]) -> AllocatedWounds:
    """Return what a mortal wound does to each kind of models by its Feel No Pain."""
    laws = {i: WoundLaw(36, mortal_wound(need), _allocated(rulings)) for i, need in enumerate(feel_no_pain)}
    return AllocatedWounds(laws, waiting_rank("mortal", rulings))


def _allocated(rulings: Mapping[str, str]) -> bool:
    """Whether a model whose mortal wounds were all ignored was allocated an attack."""
    return rulings.get("ignored_mortal_wounds") != "not-allocated"


def _directed(weapon: Weapon, situation: Situation, target: TargetUnit) -> tuple[int, ...]:
    """Return the groups at which an attack with Precision is directed: the attacker may decline it.

    References
    ----------
    Core rules, Precision; of several characters the first living one in order unless one is named.
    """
    return target.singled_out(situation.precision) if weapon.has("Precision") else ()
