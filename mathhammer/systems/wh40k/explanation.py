"""The steps of an attack in words and fractions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mathhammer.sequence import Explanation, Probability, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.distributions import IntegerLaw
    from mathhammer.expressions.check import Check
    from mathhammer.sequence import AttackResult
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles import Target
    from mathhammer.systems.wh40k.stages import Stages
    from mathhammer.systems.wh40k.target_unit import TargetUnit

__all__ = ["explain", "explain_unit"]

#: Abilities that are read and kept but that move nothing in one unit's attacks on a unit of equal models.
MOVES_NOTHING = {
    "Assault": "may shoot after advancing",
    "Extra Attacks": "is used beside another melee weapon",
    "One Shot": "can be used once per battle",
    "Pistol": "may shoot while engaged",
    "Precision": "chooses among different models, and these are equal",
    "Psychic": "only names the attack",
}
#: Abilities whose effect is not computed yet.
NOT_COMPUTED = {"Hazardous": "mortal wounds on the attacker"}


def explain(
    stages: Sequence[Stages], target: Target, edition: Edition, result: AttackResult[Any]
) -> Explanation:
    """Return the steps of every volley and the result."""
    steps = [step for volley in stages for step in _volley_steps(volley, target, edition)]
    steps += list(_result_steps(target, result))
    names = ", ".join(f"{volley.number} × {volley.weapon.name}" for volley in stages)
    return Explanation(f"{names} against {target.name} ({edition.title})", tuple(steps))


def explain_unit(
    compiled: Sequence[Sequence[Stages]],
    directed: Sequence[Sequence[int]],
    target: TargetUnit,
    edition: Edition,
    result: AttackResult[Any],
) -> Explanation:
    """Return the steps of every volley on a unit of unequal models: the rolls to wound once, the saves by kind."""
    steps: list[Step] = []
    own = ("Save", "Each attack", "Damage", "Feel No Pain", "Each unsaved", "Precision")
    for volley, groups in zip(compiled, directed, strict=True):
        steps += [
            step
            for step in _volley_steps(volley[0], target.faced(target.kinds[0]), edition)
            if step.name not in own
        ]
        if groups:
            leaders = " or ".join(target.kinds[group].name for group in groups)
            steps.append(Step("Precision", f"directed at {leaders} while it lives"))
        for kind, stages in zip(target.kinds, volley, strict=True):
            for step in (_save_step(stages), *_damage_steps(stages, kind)):
                steps.append(replace(step, text=f"{kind.name}: {step.text}"))
    if target.allocation != "given":
        steps.append(Step("Allocation", f"{target.allocation} for the unit's player, by {target.objective}"))
    steps += list(
        _losses_steps(target.model_count, sum(kind.models * kind.wounds for kind in target.kinds), result)
    )
    names = ", ".join(f"{volley[0].number} × {volley[0].weapon.name}" for volley in compiled)
    return Explanation(f"{names} against {target.name} ({edition.title})", tuple(steps))


def _volley_steps(stages: Stages, target: Target, edition: Edition) -> Iterator[Step]:
    chances = stages.chances
    yield Step("Weapon", f"{stages.number} × {stages.weapon}")
    yield from _touched_steps(stages)
    yield Step("Attacks", _attacks_text(stages), stages.attacks.modifiers)
    if stages.hit is None:
        yield Step("Hit", "automatic, no roll (Torrent)", (), (Probability("hit", 1, 1),))
    else:
        yield Step(
            "Hit",
            _check_text(stages.hit, f"{'WS' if stages.weapon.melee else 'BS'}{stages.used.skill}+"),
            _capped(stages.hit_modifiers, stages.hit.modifier, edition.roll_cap),
            _probabilities("hit", chances.hit, 36),
        )
    if chances.critical_hits_wound and chances.hit[2]:
        yield Step("Lethal Hits", "a critical hit wounds without a wound roll")
    if chances.extra_hits is not None and chances.hit[2]:
        yield Step("Sustained Hits", f"a critical hit scores {_law_text(chances.extra_hits)} further hits")
    for wound in stages.wounds:
        weights = wound.check.weights()
        given = "" if len(stages.wounds) == 1 else f", with weight {wound.weight}"
        yield Step(
            "Wound",
            _check_text(wound.check, f"S{wound.strength} against T{target.toughness}{given}"),
            _capped(stages.wound_modifiers, wound.check.modifier, edition.roll_cap),
            _probabilities("wound", weights, 36),
        )
    if chances.critical_wounds_deferred:
        yield Step("Devastating", "a critical wound allows no save and is resolved after the other attacks")
    yield _save_step(stages)
    if stages.situation.triggers:
        yield from (Step("Trigger", str(trigger)) for trigger in stages.situation.triggers)
    else:
        yield _each_attack_step(stages)
    yield from _damage_steps(stages, target)
    yield from _keyword_steps(stages, edition)


def _touched_steps(stages: Stages) -> Iterator[Step]:
    """Show the sums of the characteristics that rules of the situation modify."""
    for characteristic in stages.touched:
        working = characteristic.explain()
        yield Step(characteristic.rules.name, str(working), working.sources)


def _keyword_steps(stages: Stages, edition: Edition) -> Iterator[Step]:
    """Name the abilities that move nothing, and why."""
    for keyword in stages.weapon.keywords:
        if not keyword.known:
            yield Step(str(keyword), "not known, not computed")
        elif keyword.name not in edition.abilities:
            yield Step(str(keyword), f"moves nothing here: not an ability of the {edition.title}")
        elif keyword.name in NOT_COMPUTED:
            yield Step(str(keyword), f"not computed: {NOT_COMPUTED[keyword.name]}")
        elif keyword.name in MOVES_NOTHING:
            yield Step(str(keyword), f"moves nothing here: {MOVES_NOTHING[keyword.name]}")


def _attacks_text(stages: Stages) -> str:
    total = stages.attacks.total
    each = str(stages.attacks.each)
    return (
        each
        if stages.number == 1
        else f"{stages.number} × {each} = {total}"
        if each.isdigit()
        else str(total)
    )


def _check_text(check: Check, base: str) -> str:
    parts = [f"{base}: {check.need}+" if not base.endswith(f"S{check.need}+") else base]
    if check.fails_up_to > 1:
        parts.append(f"unmodified 1-{check.fails_up_to} fail")
    for threshold, must_succeed in check.criticals:
        if threshold < 6:
            parts.append(f"critical on {'a successful ' if must_succeed else ''}unmodified {threshold}+")
    faces = sorted(check.rerolled())
    if faces:
        parts.append(f"re-roll {', '.join(map(str, faces))}")
    return "; ".join(parts)


def _law_text(law: IntegerLaw) -> str:
    most = law.low + len(law.weights) - 1
    return str(most) if law.low == most else f"{law.low} to {most}"


def _capped(modifiers: Sequence[Any], applied: int, cap: int) -> tuple[str, ...]:
    lines = [str(modifier) for modifier in modifiers]
    if modifiers and abs(applied) == cap and len(modifiers) > 1:
        lines.append(f"in all {applied:+d}, capped at {cap}")
    return tuple(lines)


def _probabilities(name: str, weights: Sequence[int], total: int) -> tuple[Probability, ...]:
    _, success, critical = weights
    found = [Probability(name, success + critical, total)]
    if critical:
        found.append(Probability("critical", critical, total))
    return tuple(found)


def _save_step(stages: Stages) -> Step:
    if stages.save is None:
        return Step("Save", "none", (), (Probability("unsaved", 1, 1),))
    choices = ", ".join(f"{save.name} {save.characteristic}+" for save in stages.saves)
    needed = stages.save.check.need - stages.save.check.modifier
    used = "cannot be made" if needed > 6 else f"rolls {max(2, needed)}+"
    text = f"{choices}; {stages.save.name} {used}" if len(stages.saves) > 1 else f"{choices} {used}"
    faces = sorted(stages.save.check.rerolled())
    if faces:
        text += f"; re-roll {', '.join(map(str, faces))}"
    probability = Probability("unsaved", stages.save.unsaved, 36)
    return Step("Save", text, tuple(map(str, stages.save.modifiers)), (probability,))


def _each_attack_step(stages: Stages) -> Step:
    """Return the law of one attack; with one kind of wound its probabilities multiply out."""
    chances = stages.chances
    law = chances.unsaved_wounds()
    _, success, critical, total = chances.wound
    simple = (
        chances.extra_hits is None
        and not chances.critical_hits_wound
        and not chances.critical_wounds_deferred
    )
    if simple:
        factors = (
            Probability("", chances.hit[1] + chances.hit[2], 36),
            Probability("", success + critical, total),
            Probability("", chances.unsaved, 36),
        )
        text = " × ".join(factor.fraction for factor in factors)
        return Step(
            "Each attack", f"hit × wound × unsaved = {text}", (), (_unsaved(law.of_sum(), law.denominator),)
        )
    found = []
    for (i, j), weight in sorted(law.coefficients.items()):
        if weight and (i or j):
            name = f"{i} unsaved" + (f" and {j} devastating" if j else "")
            found.append(Probability(name, weight, law.denominator))
    return Step("Each attack", "wounds that inflict damage", (), tuple(found))


def _unsaved(weights: Sequence[int], denominator: int) -> Probability:
    return Probability("unsaved", weights[1] if len(weights) > 1 else 0, denominator)


def _damage_steps(stages: Stages, target: Target) -> Iterator[Step]:
    numerator, denominator = stages.damage.law.mean()
    mean = Probability("mean wounds lost", numerator, denominator)
    yield Step("Damage", str(stages.weapon.damage), tuple(map(str, stages.damage.modifiers)), ())
    if stages.damage.feel_no_pain is not None:
        kept = Probability("lost", stages.damage.feel_no_pain - 1, 6)
        yield Step("Feel No Pain", f"{stages.damage.feel_no_pain}+ for each wound", (), (kept,))
    if (
        stages.chances.critical_wounds_deferred
        and stages.damage.deferred_feel_no_pain != stages.damage.feel_no_pain
    ):
        kept = Probability("lost", (stages.damage.deferred_feel_no_pain or 7) - 1, 6)
        yield Step(
            "Feel No Pain", f"{stages.damage.deferred_feel_no_pain}+ against mortal wounds", (), (kept,)
        )
    yield Step("Each unsaved", f"from a model of {target.wounds} wounds, excess counted", (), (mean,))


def _result_steps(target: Target, result: AttackResult[Any]) -> Iterator[Step]:
    yield Step("Damage in all", f"mean {_shown(result.damage.mean())}, excess counted")
    yield from _losses_steps(target.models, target.models * target.wounds, result)


def _losses_steps(models: int, wounds: int, result: AttackResult[Any]) -> Iterator[Step]:
    yield Step("Wounds lost", f"mean {_shown(result.wounds_lost.mean())} of {wounds}")
    yield Step("Models lost", f"mean {_shown(result.kills.mean())} of {models}")
    yield Step("Destroyed", f"probability {_shown(result.probability_destroyed)}")


def _shown(value: Any) -> str:
    """Return a float in six digits; a fraction beside it where it is short enough to read."""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    return f"{text} = {float(value):.6g}" if len(text) <= 40 else f"{float(value):.6g}"
