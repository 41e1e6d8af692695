"""The steps of attacks in words and fractions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.display import exact_number
from mathhammer.distributions import in_fractions
from mathhammer.sequence import Explanation, Probability, Step
from mathhammer.systems.t9a.attributes import NO_EFFECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.sequence import AttackResult, Rulings
    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.profiles import Target
    from mathhammer.systems.t9a.stages import PartDistribution, Stages, ToWound


def explain(
    stages: Sequence[Stages], target: Target, edition: Edition, result: AttackResult[Any]
) -> Explanation:
    """Return the steps of every model part and the result."""
    steps = [step for stage in stages for step in part_steps(stage)]
    steps += list(_result_steps(result))
    names = ", ".join(stage.armed.part.name for stage in stages)
    return Explanation(f"{names} against {target.name} ({edition.title})", tuple(steps))


def part_steps(stages: Stages) -> Iterator[Step]:
    """Yield the steps of one model part."""
    part, distribution = stages.armed.part, stages.distribution
    yield Step("Model part", str(part))
    yield Step("Attacks", str(stages.distribution.attacks))
    _, hit, natural_6 = distribution.hit.weights
    need = (
        ""
        if distribution.hit.need is None or not distribution.hit.modifiers
        else f"; after modifiers {distribution.hit.need}+"
    )
    yield Step(
        "To hit",
        distribution.hit.text + need,
        tuple(map(str, distribution.hit.modifiers)),
        (
            Probability("hit", hit + natural_6, distribution.hit.denominator),
            *([Probability("natural 6", natural_6, distribution.hit.denominator)] if natural_6 else []),
        ),
    )
    yield from _rule_steps(distribution)
    profile = f"Str {stages.armed.strength} against Res {stages.resilience}"
    yield _wound_step("To wound", profile, distribution.wound, stages)
    yield from _save_steps(distribution.wound, stages)
    if distribution.bracketed is not None:
        yield _wound_step("One hit", "the profile in brackets", distribution.bracketed, stages)
        yield from _save_steps(distribution.bracketed, stages)
    yield _each_attack(distribution)
    numerator, denominator = distribution.wound.damage.mean()
    if denominator != 1 or numerator != 1:
        text = (
            "before saves"
            if distribution.before_saves
            else f"each unsaved wound, of a model of {stages.health_points} HP"
        )
        yield Step("Multiple Wounds", text, (), (Probability("mean", numerator, denominator),))
    for attribute in part.attributes:
        if attribute.name in NO_EFFECT:
            yield Step(attribute.name, f"has no effect on these rolls: {NO_EFFECT[attribute.name]}")


def _rule_steps(distribution: PartDistribution) -> Iterator[Step]:
    hits = min(distribution.hits_each, distribution.standing)
    if hits > 1:
        yield Step("Hits", f"{hits} of each attack that hits")
    if distribution.poison and distribution.hit.weights[2]:
        yield Step("Poison Attacks", "a natural 6 to hit wounds without a to-wound roll")
    if distribution.extra_on_6 and distribution.hit.weights[2]:
        yield Step("Battle Focus", "a natural 6 to hit scores one more hit")


def _wound_step(name: str, profile: str, wound: ToWound, stages: Stages) -> Step:
    fail, success, natural_6 = wound.check.weights()
    text = f"{profile}: {wound.need}+" + (f"; reroll {wound.check.reroll}" if wound.check.reroll else "")
    modifiers = (
        *(f"Str {modifier}" for modifier in stages.armed.strength_modifiers),
        *map(str, stages.wound_modifiers),
    )
    return Step(
        name, text, modifiers, (Probability("wound", success + natural_6, fail + success + natural_6),)
    )


def _save_steps(wound: ToWound, stages: Stages) -> Iterator[Step]:
    penetration = stages.armed.armour_penetration
    armour = "none" if wound.armour is None else f"{wound.armour}+"
    text = f"Arm {stages.target_armour} against AP {penetration}: {armour}"
    if wound.special_saves:
        text += f"; {', '.join(map(str, wound.special_saves))}"
    modifiers = (
        *(f"AP {modifier}" for modifier in stages.armed.penetration_modifiers),
        *map(str, stages.armour_modifiers),
    )
    yield Step("Saves", text, modifiers, (Probability("unsaved", *wound.unsaved),))
    if (wound.lethal_armour, wound.lethal_special_saves) != (wound.armour, wound.special_saves):
        left = ", ".join(map(str, wound.lethal_special_saves)) or "no save"
        yield Step(
            "Lethal Strike",
            f"a natural 6 to wound: {left}",
            (),
            (Probability("unsaved", *wound.lethal_unsaved),),
        )


def _each_attack(distribution: PartDistribution) -> Step:
    each = distribution.unsaved().plain
    weights = each.of_sum()
    found = [
        Probability(f"{count} unsaved", weight, each.denominator) for count, weight in enumerate(weights)
    ]
    return Step("Each attack", "unsaved wounds", (), tuple(found[1:]) or (Probability("unsaved", 0, 1),))


def _result_steps(result: AttackResult[Any]) -> Iterator[Step]:
    lost = in_fractions(result)
    yield Step("Unsaved wounds", f"mean {exact_number(in_fractions(result.unsaved).mean())}")
    yield Step("HP lost", f"mean {exact_number(lost.wounds_lost.mean())}")
    yield Step("Models removed", f"mean {exact_number(lost.kills.mean())}")
    yield Step("Destroyed", f"probability {exact_number(lost.probability_destroyed)}")
    yield rulings_step(result.rulings)


def rulings_step(rulings: Rulings) -> Step:
    """Name the rulings that were chosen against their default, and say how many are in force by default."""
    changed = tuple(f"{name}={option}" for name, option in rulings.changed.items())
    others = len(rulings) - len(changed)
    return Step("Rulings", f"{others} by default" if changed else f"all {others} by default", changed)
