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
    Allocation,
    DirectWounds,
    EqualModels,
    UnitLaw,
    WoundLaw,
    chosen_losses,
    continued,
    start_index,
    unit_losses,
)
from mathhammer.systems.wh40k.damage import against_mortal_wounds, mortal_wound
from mathhammer.systems.wh40k.profiles import Target
from mathhammer.systems.wh40k.result import AttackResult, Circumstances, MixedAttackResult
from mathhammer.systems.wh40k.stages import compile_stages
from mathhammer.systems.wh40k.target_unit import TargetUnit, as_unit
from mathhammer.systems.wh40k.triggered import TriggeredChances, waiting_rank
from mathhammer.systems.wh40k.unit_reroll import cases_of, is_shared, law_of_cases
from mathhammer.systems.wh40k.volleys import MortalWounds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.arithmetic import Arithmetic
    from mathhammer.distributions import Distribution, GeneratingFunction
    from mathhammer.sequence import Chances, Rulings
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles import Weapon
    from mathhammer.systems.wh40k.selection import Selection
    from mathhammer.systems.wh40k.situation import Situation
    from mathhammer.systems.wh40k.stages import Stages
    from mathhammer.systems.wh40k.unit_reroll import Rows
    from mathhammer.systems.wh40k.volleys import Entry

_T = TypeVar("_T")

__all__ = [
    "UnitAttackResult",
    "attack_unit",
    "compile_unit",
    "rolls_one_damage_again",
    "states_before",
    "unit_laws",
]


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
                "that differs by model or by what happens only once (a Damage changed to 0, a damage roll made again); "
                "see kills, wounds_lost and kills_of"
            )
        return super().damage


def rolls_one_damage_again(entries: Sequence[Entry]) -> bool:
    """Whether one damage roll is made again, so that the states of the target hold whether it was."""
    return any(
        "reroll_damage" in entry[2].one_reroll for entry in entries if not isinstance(entry, MortalWounds)
    )


def states_before(
    target: Target | TargetUnit,
    laws: Sequence[AllocatedVolley | AllocatedDirectly],
    rulings: Mapping[str, str],
    start: UnitLaw[P] | None,
    *,
    exact: bool,
) -> tuple[Allocation, Distribution[P] | int]:
    """Return the states that an attack needs, and the law it starts from; see :func:`as_unit` for equal models."""
    volleys = [law for law in laws if isinstance(law, AllocatedVolley)]
    single_out = any(volley.directed for volley in volleys)
    one_reroll = any(
        law.reroll is not None for volley in volleys for kind in volley.kinds for law in kind.laws.values()
    )
    unit = as_unit(target)
    states = unit.states(rulings, single_out=single_out, one_reroll=one_reroll)
    if start is not None and isinstance(target, Target):
        equal = EqualModels(target.models, target.wounds, target.wounds_lost)
        before = start_index(equal, start, exact=exact)
        if not isinstance(before, int):
            plain = unit.states(rulings, single_out=False)
            start = UnitLaw(plain, before.map(lambda lost: lost - target.wounds_lost))
    return continued(states, start, exact=exact)


def _after(
    unit: Allocation, law: Distribution[P], target: Target | TargetUnit
) -> tuple[Allocation | EqualModels, Distribution[P]]:
    """Return the states that a later attack starts from: they do not hold whether a re-roll was made."""
    if unit.one_reroll:
        unit, states = unit.after_attack()
        law = law.map(states.__getitem__)
    if isinstance(target, TargetUnit):
        return unit, law
    return EqualModels(target.models, target.wounds, target.wounds_lost), law.map(
        [target.wounds_lost + lost for lost in unit.wounds_lost()].__getitem__
    )


def attack_unit(
    entries: Sequence[Entry],
    attacked: Target | TargetUnit,
    edition: Edition,
    rulings: Rulings,
    arithmetic: Arithmetic[P],
    start: UnitLaw[P] | None,
    bearers: Target | TargetUnit | None,
    *,
    exact: bool,
    selection: Selection | None = None,
) -> AttackResult[P]:
    """Resolve entries on a unit of unequal models, or one of which the states hold more than what is lost.

    See :func:`mathhammer.wh40k.attack`.
    """
    target = as_unit(attacked)
    compiled = compile_unit(entries, target, edition, rulings, selection)
    laws = unit_laws(entries, compiled, target, rulings)
    directed = [law.directed for law in laws if isinstance(law, AllocatedVolley)]
    unit, before = states_before(attacked, laws, rulings, start, exact=exact)
    walk = unit_losses
    if unit.leaves_choices:
        walk = partial(chosen_losses, values=target.values(unit), maximise=target.allocation == "worst")
    from mathhammer.systems.wh40k.explanation import explain_unit

    direct = [entry for entry in entries if isinstance(entry, MortalWounds)]
    explanation = partial(explain_unit, compiled, directed, direct, target, edition, later=start is not None)

    def resolved(rows: Rows, walked: Sequence[AllocatedVolley | AllocatedDirectly]) -> UnitAttackResult[P]:
        after, law = _after(unit, walk(walked, unit, arithmetic=arithmetic, start=before), attacked)
        return UnitAttackResult(
            after,
            law,
            [stages[0].law for stages in rows],
            arithmetic=arithmetic,
            edition=edition.name,
            rulings=rulings,
            explanation=explanation,
            saved_alike=_alike(rows, lambda stage: stage.law.chances),
            hurt_alike=_alike(rows, lambda stage: (stage.law.chances, stage.law.damages))
            and _alike([target.kinds], against_mortal_wounds)
            and not any(kind.damage_to_0 for kind in target.kinds)
            and not unit.one_reroll,
            circumstances=Circumstances(
                entries,
                target.kinds,
                [
                    DirectWounds(entry.number, mortal_wound(against_mortal_wounds(target.kinds[0])))
                    for entry in direct
                ],
                [bearer for stages in rows for bearer in stages[0].bearers],
                bearers,
            ),
        )

    if not is_shared(entries):
        return resolved(compiled, laws)
    if unit.leaves_choices:
        raise MathhammerError(
            "expected a unit whose player has nothing to choose for one re-roll of the whole attack, got "
            f"{target.name!r} with choices: his plan would know where it is spent; give it to one Volley"
        )
    cases = cases_of(compiled, edition, rulings)
    results = [resolved(case.rows, unit_laws(entries, case.rows, target, rulings)) for case in cases]
    return MixedAttackResult.of(law_of_cases(cases, arithmetic), results, explanation)


def _alike(rows: Sequence[Sequence[_T]], what: Callable[[_T], object]) -> bool:
    """Whether the same is true of all members of each row."""
    return all(what(each) == what(row[0]) for row in rows for each in row)


def compile_unit(
    entries: Sequence[Entry],
    target: TargetUnit,
    edition: Edition,
    rulings: Mapping[str, str],
    selection: Selection | None = None,
) -> Rows:
    """Work out every roll of each volley against each kind of models."""
    compiled: list[tuple[Stages, ...]] = []
    for entry in entries:
        if isinstance(entry, MortalWounds):
            continue
        weapon, count, situation = entry
        if "reroll_saves" in situation.one_reroll:
            raise MathhammerError(
                f"expected no reroll_saves='one' on {target.name!r}, whose models differ or change a Damage to 0; "
                "re-roll a hit or wound roll"
            )
        compiled.append(
            tuple(
                compile_stages(
                    weapon, count, situation, target.faced(kind, rulings, selection), edition, rulings
                )
                for kind in target.kinds
            )
        )
    return tuple(compiled)


def unit_laws(
    entries: Sequence[Entry], rows: Rows, target: TargetUnit, rulings: Mapping[str, str]
) -> list[AllocatedVolley | AllocatedDirectly]:
    """Return the laws that volleys and mortal wounds make, in the order of the entries."""
    volleys = iter(rows)
    laws: list[AllocatedVolley | AllocatedDirectly] = []
    for entry in entries:
        if isinstance(entry, MortalWounds):
            needs = list(map(against_mortal_wounds, target.kinds))
            each_wound = _mortal_wounds(needs, rulings, of_weapon=False)
            laws.append(AllocatedDirectly(entry.number, each_wound))
        else:
            stages = next(volleys)
            each, kinds = _wounds(stages, rulings)
            laws.append(AllocatedVolley(stages[0].law.attacks, each, kinds, _directed(entry, target)))
    return laws


def _wounds(
    stages: Sequence[Stages], rulings: Mapping[str, str]
) -> tuple[GeneratingFunction, tuple[AllocatedWounds, ...]]:
    """Return the law of the wounds of one attack, and what those of each kind do to each kind of models.

    Saves belong to the model that a wound is allocated to, so that here every wound counts as unsaved.
    """
    chances = stages[0].law.chances
    devastating = AllocatedWounds(
        {
            i: WoundLaw(
                36, stage.damage.deferred_law, _allocated(rulings), reroll=stage.damage.deferred_reroll
            )
            for i, stage in enumerate(stages)
        },
        waiting_rank("devastating", rulings),
        rulings.get("devastating_precision") != "stay",
    )
    if isinstance(chances, TriggeredChances):
        failing = zip(*(cast("TriggeredChances", stage.law.chances).unsaved for stage in stages), strict=True)
        needs = [stage.damage.deferred_feel_no_pain for stage in stages]
        at_once = [_at_once(stages, unsaved) for unsaved in failing]
        waiting = {"devastating": devastating, "mortal": _mortal_wounds(needs, rulings)}
        return chances.of_saves, (*at_once, *(waiting[kind] for kind in chances.waiting))
    plain = cast("Chances", chances)
    ordinary = _at_once(stages, [stage.chances.unsaved for stage in stages])
    return replace(plain, unsaved=36).unsaved_wounds(), (ordinary, devastating)


def _at_once(stages: Sequence[Stages], unsaved: Sequence[int]) -> AllocatedWounds:
    """Return what a wound that is saved at once does to each kind of models, by the weights of failed saves."""
    return AllocatedWounds(
        {
            i: WoundLaw(weight, stage.damage.law, spared=stage.damage.spared, reroll=stage.damage.reroll)
            for i, (stage, weight) in enumerate(zip(stages, unsaved, strict=True))
        }
    )


def _mortal_wounds(
    feel_no_pain: Sequence[int | None], rulings: Mapping[str, str], *, of_weapon: bool = True
) -> AllocatedWounds:
    """Return what a mortal wound does to each kind of models by its Feel No Pain."""
    laws = {i: WoundLaw(36, mortal_wound(need), _allocated(rulings)) for i, need in enumerate(feel_no_pain)}
    return AllocatedWounds(laws, waiting_rank("mortal", rulings, of_weapon=of_weapon))


def _allocated(rulings: Mapping[str, str]) -> bool:
    """Whether a model whose mortal wounds were all ignored was allocated an attack."""
    return rulings.get("ignored_mortal_wounds") != "not-allocated"


def _directed(entry: tuple[Weapon, int, Situation], target: TargetUnit) -> tuple[int, ...]:
    """Return the groups at which an attack with Precision is directed: the attacker may decline it.

    References
    ----------
    Core rules, Precision; of several characters the first living one in order unless one is named.
    """
    weapon, _, situation = entry
    return target.singled_out(situation.precision) if weapon.has("Precision") else ()
