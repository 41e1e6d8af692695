"""Result of attacks on a unit, in the words of The 9th Age, and its steps in words and fractions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import exact_number
from mathhammer.distributions import in_fractions
from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.sequence import AttackResult as SequenceResult
from mathhammer.sequence import Explanation, Probability, Step
from mathhammer.systems.t9a.attributes import NO_EFFECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.distributions import Distribution, JointDistribution
    from mathhammer.sequence import Rulings, SharedPools
    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.profiles import Target
    from mathhammer.systems.t9a.stages import PartDistribution, Stages, ToWound


class AttackResult(SequenceResult):
    """The result of simultaneous attacks on one unit.

    Attributes
    ----------
    edition
        The edition whose rules were used.
    rulings
        The option in force for each disputed ruling.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> spears = t9a.ModelPart("Spearmen", attacks=5, offensive_skill=4, strength=3)
    >>> orcs = t9a.Target("Orcs", models=20, defensive_skill=3, resilience=3, armour=2)
    >>> t9a.attack(spears, orcs, exact=True).health_points_lost.mean()
    10/9
    """

    distribution_names = ("Models lost", "Health Points lost")
    """Names of the models destroyed and the wounds lost in the game."""

    def __init__(
        self,
        pools: SharedPools,
        struck: JointDistribution,
        states: Distribution,
        volleys: Mapping[int, Sequence[PartDistribution]],
        *,
        standing: Distribution,
        target: Target,
        rules: Edition,
        in_combat: bool,
        **keywords: Any,
    ) -> None:
        models = standing.support
        super().__init__(pools, states, volleys[models[-1]], **keywords)
        self._standing = standing
        self._cases = [SequenceResult(pools, states, volleys[each], **keywords) for each in models[:-1]]
        self._pools = pools
        self._struck = struck
        self._target = target
        self._rules = rules
        self._in_combat = in_combat

    @cached_property
    def hits(self) -> Distribution:
        """Distribution of the number of hits, as if every attack were resolved."""
        return self._by_standing("hits", super().hits)

    @cached_property
    def wounds(self) -> Distribution:
        """Distribution of the number of wounds before saves."""
        return self._by_standing("wounds", super().wounds)

    @cached_property
    def unsaved(self) -> Distribution:
        """Distribution of the number of unsaved wounds before they are multiplied."""
        return self._by_standing("unsaved", super().unsaved)

    @cached_property
    def damage(self) -> Distribution:
        """Distribution of the wounds after saves, excess counted."""
        return self._by_standing("damage", super().damage)

    def _by_standing(self, count: str, most: Distribution) -> Distribution:
        """Mix a count over the models that stood: an Area Attack hits no more than were there."""
        if not self._cases:
            return most
        distributions = [*(getattr(case, count) for case in self._cases), most]
        return mixture_by_mass(self._standing._mass, distributions)  # noqa: SLF001 - its indices are those of the cases

    @property
    def health_points_lost(self) -> Distribution:
        """Distribution of the Health Points that the unit lost: nothing beyond its last."""
        return self.wounds_lost

    @cached_property
    def overkill(self) -> Distribution:
        """Distribution of the wounds beyond the last Health Point of the unit, which count in a Duel only.

        References
        ----------
        The 9th Age rulebook, 2nd edition, Combat Score.
        """
        places = len(self._pools.pools)

        def beyond(*outcome: int) -> int:
            before, damage = outcome[:places], outcome[places:]
            return sum(before) + sum(damage) - sum(self._pools.after(before, damage))

        return self._struck.map(beyond)

    def _facts(self) -> Mapping[str, object]:
        lost = in_fractions(self)
        panic = lost.wounds_lost.at_least(self._losses_to_panic())
        return {
            "arithmetic": "exact" if self.exact else "float64",
            "Health Points lost": lost.wounds_lost.mean(),
            "models lost": (lost.kills.mean(), f" of {self._unit.models}"),
            "P(destroyed)": lost.probability_destroyed,
            "P(Panic Test)": panic,
        }

    @property
    def probability_panic_test(self) -> Any:
        """Probability that the losses of this phase call for a Panic Test.

        It is 0 in combat, and against a unit that started as a single model.
        """
        return self.wounds_lost.at_least(self._losses_to_panic())

    def _losses_to_panic(self) -> int:
        """Return the Health Points lost that call for a Panic Test; more than there are where nothing does."""
        at_start = sum(pool.left for pool in self._pools.pools)
        if self._in_combat or self._target.started_as == 1:
            return 1 + at_start
        return panic_threshold(at_start, edition=self._rules.name, rounding=self.rulings["panic_threshold"])


def panic_threshold(health_points: int, *, edition: str = "2e", rounding: str = "at-least") -> int:
    """Return the losses in one phase that call for a Panic Test.

    Parameters
    ----------
    health_points
        Those that the unit had at the start of the phase.
    edition
        ``"2e"`` or ``"3e"``.
    rounding
        The option of the ruling ``panic_threshold``.

    Examples
    --------
    >>> panic_threshold(20), panic_threshold(8), panic_threshold(8, edition="3e")
    (5, 2, 3)

    References
    ----------
    The 9th Age rulebook, 2nd edition, Panic Test; 3rd edition, Panic Tests.
    """
    from mathhammer.systems.t9a.editions import find_edition

    held = validation.whole(health_points, "health_points", 0)
    validation.one_of(rounding, ("at-least", "rounded-down"), "rounding")
    quarter = -(-held // 4) if rounding == "at-least" else held // 4
    return max(find_edition(edition).least_panic_losses, quarter)


def explain(stages: Sequence[Stages], target: Target, edition: Edition, result: AttackResult) -> Explanation:
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


def _result_steps(result: AttackResult) -> Iterator[Step]:
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
