"""The steps of an attack in words and fractions."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from mathhammer.display.numbers import count, exact_number
from mathhammer.distributions.fractions import in_fractions
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.profiles.targets import TargetUnit
from mathhammer.systems.wh40k.rules.roll import inactive_rules
from mathhammer.systems.wh40k.rules.rolls import against_mortal_wounds, wound_need
from mathhammer.systems.wh40k.sequence.compile import (
    CompiledMortalWounds,
    CompiledVolley,
    kinds_of,
    volleys_of,
)
from mathhammer.systems.wh40k.sequence.stages import each_attack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.expressions.check import Check
    from mathhammer.modifiers import Modifier
    from mathhammer.systems.wh40k.attacks.result import AttackResult
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.sequence.stages import Stages


def explain(result: AttackResult) -> Explanation:
    """Return the steps of every volley, the mortal wounds and the result."""
    sequence, compiled = result._sequence, result.compiled()  # noqa: SLF001 - of this folder
    target, edition = sequence.target, sequence.rules
    volleys, kinds = volleys_of(compiled), kinds_of(target)
    steps: list[Step] = []
    for volley in volleys:
        on_unit = isinstance(target, TargetUnit)
        steps += _steps_on_unit(volley) if on_unit else _volley_steps(volley.stages[0])
    direct = [each.entry for each in compiled if isinstance(each, CompiledMortalWounds)]
    when = "in the order given" if edition.order_of_direct < 0 else "after the normal damage"
    steps += [
        Step("Mortal wounds", f"{each.number} ({each.source}), {when}; they spill over") for each in direct
    ]
    for kind in kinds if direct else ():
        if (need := against_mortal_wounds(kind)) is not None:
            whose = f"{kind.name}: " if len(kinds) > 1 else ""
            steps.append(_feel_no_pain(need, f"{whose}{need}+ against mortal wounds"))
    if isinstance(target, TargetUnit) and edition.in_pools:
        steps += _pool_steps(volleys, target, edition)
    elif isinstance(target, TargetUnit) and target.allocation != "given":
        steps.append(Step("Allocation", f"{target.allocation} for the unit's player, by {target.objective}"))
    steps += [
        Step("Ruling", f"{ruling.name}: {result.rulings[ruling.name]}, not {ruling.default} as by default")
        for ruling in edition.rulings
        if result.rulings[ruling.name] != ruling.default
    ]
    if result._start is not None:  # noqa: SLF001
        steps.append(Step("Start", "what earlier attacks left; the losses below count theirs too"))
    if isinstance(target, Target) and not (target.damage_to_0 or result.rerolls_by_plan):
        steps.append(Step("Damage in all", f"mean {exact_number(result.mean_damage())}, excess counted"))
    lost = in_fractions(result)
    wounds = sum(kind.models * kind.wounds - kind.wounds_lost for kind in kinds)
    models = sum(kind.models for kind in kinds)
    steps.append(Step("Wounds lost", f"mean {exact_number(lost.wounds_lost.mean())} of {wounds}"))
    steps.append(Step("Models lost", f"mean {exact_number(lost.kills.mean())} of {models}"))
    steps.append(Step("Destroyed", f"probability {exact_number(lost.probability_destroyed)}"))
    names = [f"{volley.stages[0].number} × {volley.stages[0].weapon.name}" for volley in volleys]
    heading = ", ".join([*names, *(each.source for each in direct)])
    title = edition.title if result.rules_date is None else f"{edition.title}, rules of {result.rules_date}"
    return Explanation(f"{heading} against {target.name} ({title})", tuple(steps))


#: Steps that differ by the kind of model, or that say less where models differ.
_OF_KINDS = {"Save", "Each attack", "Damage", "Feel No Pain", "Damage to 0"}
_OF_KINDS |= {"Each unsaved", "Each devastating"}


def _steps_on_unit(volley: CompiledVolley) -> Iterator[Step]:
    first, kinds = volley.stages[0], [stages.target for stages in volley.stages]
    directing = {name for name in first.abilities if first.edition.abilities[name].directs}
    yield from (step for step in _volley_steps(first) if step.name not in _OF_KINDS | directing)
    if volley.volley.directed:
        leaders = " or ".join(kinds[group].name for group in volley.volley.directed)
        some = "" if directing else "attacks of some results "
        yield Step(" and ".join(directing) or "Precision", f"{some}directed at {leaders} while it lives")
    for kind, stages in zip(kinds, volley.stages, strict=True):
        for step in (_save_step(stages), *_damage_steps(stages)):
            yield replace(step, text=f"{kind.name}: {step.text}")


def _pool_steps(volleys: Sequence[CompiledVolley], target: TargetUnit, edition: Edition) -> Iterator[Step]:
    """Yield how the saves of a pool are shared out among groups of models."""
    groups = " | ".join(", ".join(kind.name for kind in group) for group in target.save_groups())
    order = "hurt ones first, Characters last, each until it is destroyed; made anew for each pool"
    yield Step("Groups", f"{groups}: {order}")
    if len({kind.toughness for kind in target.kinds}) > 1:
        whose = "the highest of the bodyguard models left, then that of the others; read anew for each pool"
        yield Step("Toughness", f"T{target.toughness}, {whose}")
    rolled = "all dice of a pool are rolled together and resolved from the lowest result to the highest"
    yield Step("Saves", rolled)
    if any(len({wound.pool for wound in volley.volley.wounds}) > 1 for volley in volleys):
        when = "before" if edition.special_pools_first else "after"
        yield Step("Pools", f"attacks that their own roll changed are saved apart, {when} the others")


def _volley_steps(stages: Stages) -> Iterator[Step]:
    yield Step("Weapon", f"{stages.number} × {stages.weapon}")
    rolls = stages.to_hit, stages.to_wound, stages.to_save
    for characteristic in chain.from_iterable(roll.modified_characteristics for roll in rolls):
        yield Step(characteristic.rules.name, *characteristic.explain())
    total, each = stages.attacks.total, str(stages.attacks.each)
    several = f"{stages.number} × {each} = {total}" if each.isdigit() else str(total)
    yield Step("Attacks", each if stages.number == 1 else several, stages.attacks.modifiers)
    yield _hit_step(stages)
    yield from _said(stages, "hit")
    to_wound, enough = stages.to_wound, stages.situation.wounds_on
    for wound in stages.to_wound.rolls:
        text = f"S{wound.strength} against T{to_wound.toughness}"
        text += f", with weight {wound.weight}" * (len(stages.to_wound.rolls) > 1)
        if enough is not None and enough < wound_need(wound.strength, to_wound.toughness):
            text += f", where {enough}+ is enough"
        text = _check_text(wound.check, text) + f" ({to_wound.rerolled_by})" * bool(to_wound.rerolled_by)
        modifiers = _capped(to_wound.modifiers, wound.check.modifier, stages)
        yield Step("Wound", text, modifiers, _probabilities("wound", wound.check.weights(), 36))
    yield from _said(stages, "wound")
    yield _save_step(stages)
    if stages.situation.triggers:
        yield from (Step("Trigger", str(trigger)) for trigger in stages.situation.triggers)
    else:
        yield _each_attack_step(stages)
    for name in stages.situation.one_reroll:
        rule = stages.edition.conditions[name]
        reroll = stages.damage.reroll if rule.damage is not None else None
        below = (Probability("below the mean", reroll.low, reroll.denominator),) if reroll is not None else ()
        if rule.says_one is not None:
            yield Step("One re-roll", rule.says_one(stages, name in stages.situation.shared), (), below)
    yield from _damage_steps(stages)
    yield from inactive_rules(stages)


def _said(stages: Stages, roll: str) -> Iterator[Step]:
    """Yield what abilities in force say of themselves after the first roll that they change."""
    for name in stages.abilities:
        rule = stages.edition.abilities[name]
        if rule.says is not None and rule.rolls[0] == roll and (text := rule.says(stages)):
            yield Step(name, text)


def _hit_step(stages: Stages) -> Step:
    hit = stages.to_hit.check
    if hit is None:
        return Step("Hit", f"automatic, no roll ({stages.to_hit.by})", (), (Probability("hit", 1, 1),))
    probabilities = _probabilities("hit", stages.to_hit.weights, 36)
    if stages.to_hit.by:
        faces = "6s" if hit.succeeds_from == 6 else f"{hit.succeeds_from}+"
        text = f"only unmodified {faces} hit ({stages.to_hit.by})" + _rerolled(hit)
        return Step("Hit", text, (), probabilities)
    skill = f"{'WS' if stages.weapon.melee else 'BS'}{stages.to_hit.skill}+"
    text = _check_text(hit, skill, f" ({stages.to_hit.fails_by})")
    return Step("Hit", text, _capped(stages.to_hit.modifiers, hit.modifier, stages), probabilities)


def _check_text(check: Check, base: str, why_it_fails: str = "") -> str:
    parts = [f"{base}: {check.need}+" if not base.endswith(f"S{check.need}+") else base]
    if check.fails_up_to > 1:
        parts.append(f"unmodified 1-{check.fails_up_to} fail{why_it_fails}")
    for threshold, must_succeed in check.criticals:
        if threshold < 6:
            parts.append(f"critical on {'a successful ' if must_succeed else ''}unmodified {threshold}+")
    return "; ".join(parts) + _rerolled(check)


def _rerolled(check: Check) -> str:
    faces = sorted(check.rerolled())
    return f"; re-roll {', '.join(map(str, faces))}" if faces else ""


def _capped(modifiers: Sequence[Modifier], applied: int, stages: Stages) -> tuple[str, ...]:
    lines, cap = [str(modifier) for modifier in modifiers], stages.edition.roll_cap
    if len(modifiers) > 1 and abs(applied) == cap:
        lines.append(f"in all {applied:+d}, capped at {cap}")
    return tuple(lines)


def _probabilities(name: str, weights: Sequence[int], total: int) -> tuple[Probability, ...]:
    _, success, critical = weights
    found = Probability(name, success + critical, total), Probability("critical", critical, total)
    return found if critical else found[:1]


def _save_step(stages: Stages) -> Step:
    save, saves = stages.to_save.best, stages.to_save.choices
    if save is None:
        return Step("Save", "none", (), (Probability("unsaved", 1, 1),))
    choices = ", ".join(f"{each.name} {each.characteristic}+" for each in saves)
    needed = save.check.need - save.check.modifier
    used = "cannot be made" if needed > 6 else f"rolls {max(2, needed)}+"
    text = f"{choices}{f'; {save.name}' * (len(saves) > 1)} {used}{_rerolled(save.check)}"
    lines = (*map(str, save.modifiers), *save.notes)
    return Step("Save", text, lines, (Probability("unsaved", save.unsaved, 36),))


def _each_attack_step(stages: Stages) -> Step:
    """Return what one attack produces; with one kind of wound its probabilities multiply out."""
    rolls, unsaved = stages.rolls, stages.to_save.unsaved
    each = each_attack(rolls, unsaved)
    if rolls.extra_hits is None and not rolls.lethal and not rolls.devastating:
        _, success, critical, total = stages.to_wound.weights
        chances = (sum(stages.to_hit.weights[1:]), 36), (success + critical, total), (unsaved, 36)
        text = " × ".join(Probability("", *chance).fraction for chance in chances)
        failed = each.coefficients.get((1, 0), 0)
        outcomes = {"unsaved": failed, "nothing": each.denominator - failed}
        text = f"hit × wound × unsaved = {text}"
    else:
        outcomes = {
            f"{i} unsaved" + f" and {j} devastating" * bool(j) if i or j else "nothing": weight
            for (i, j), weight in sorted(each.coefficients.items())
            if weight
        }
        text = "wounds that inflict damage"
        if stages.chooses_lethal:
            text += ", where each critical hit wounds without a roll; the attacker may choose otherwise"
    found = (Probability(name, weight, each.denominator) for name, weight in outcomes.items())
    return Step("Each attack", text, (), tuple(found))


def _feel_no_pain(need: int | None, text: str) -> Step:
    return Step("Feel No Pain", text, (), (Probability("lost", (need or 7) - 1, 6),))


def _damage_steps(stages: Stages) -> Iterator[Step]:
    damage, printed, devastating = stages.damage, stages.weapon.damage, stages.rolls.devastating
    parts, reroll = [str(printed)], stages.situation.reroll_damage
    if reroll is not None:
        parts.append(f"re-roll {'ones' if reroll == 'ones' else ', '.join(map(str, sorted(reroll)))}")
    if any(modifier.operation == "divide" for modifier in damage.modifiers):
        parts.append("rounded up")
    if damage.characteristic.low == 1 and (damage.modifiers or printed.bounds()[0] < 1):
        parts.append("at least 1")
    # Modifiers are said in the order in which they are applied.
    also = {"add": "improve", "subtract": "worsen"}
    operations = stages.edition.characteristics["damage"].order.operations
    order = [*(each for name in operations for each in (name, also.get(name))), "treat"]
    modifiers = sorted(damage.modifiers, key=lambda modifier: order.index(modifier.operation))
    yield Step("Damage", ", ".join(parts), tuple(map(str, modifiers)))
    if damage.feel_no_pain is not None:
        yield _feel_no_pain(damage.feel_no_pain, f"{damage.feel_no_pain}+ for each wound")
    if devastating and damage.deferred_feel_no_pain != damage.feel_no_pain:
        need = damage.deferred_feel_no_pain
        yield _feel_no_pain(need, f"{need}+ against mortal wounds")
    if damage.negated is not None:
        low, most = damage.negated.low, damage.negated.most
        inflicts = str(most) if low == most else f"{low} to {most}"
        yield Step("Damage to 0", f"once in a phase, where a save has failed; the attack inflicts {inflicts}")
    text = f"on a model of {count(stages.target.wounds, 'wound')}, excess counted"
    yield Step("Each unsaved", text, (), (Probability("mean damage", *damage.distribution.mean()),))
    if devastating:
        mean = Probability("mean damage", *damage.deferred_distribution.mean())
        yield Step("Each devastating", text, (), (mean,))
