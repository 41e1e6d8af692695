"""Attacks on one unit: the sequence from the to-hit roll to the last Health Point, and its steps in words."""

from __future__ import annotations

from functools import cache, cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Unpack

from mathhammer import validation
from mathhammer.distributions import Distribution, JointDistribution
from mathhammer.distributions.chain import extended
from mathhammer.distributions.combination import convolution, mixture_by_mass
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.sequence.call import records_call
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.sequence.result import AttackResult as SequenceResult
from mathhammer.sequence.result import count_of, damage_of, last_steps, total_of
from mathhammer.sequence.unit_distribution import UnitDistribution, start_distribution
from mathhammer.systems.t9a.attributes import not_computed
from mathhammer.systems.t9a.profiles import (
    ModelPart,
    Parts,
    Target,
    apart,
    as_parts,
    require_compatible,
)
from mathhammer.systems.t9a.situation import SituationKeywords, find_edition, read_situation, rules_of
from mathhammer.systems.t9a.stages import PartStages, ToWound, again
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.sequence.pools import SharedPools


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

    The 9th Age rulebook, 2nd edition, Attack Sequence.

    Parameters
    ----------
    parts
        What strikes, shoots or hits: one or more, each as a `ModelPart` or as its stat line, such as
        ``"15 attacks, Off 3, Str 3"``.
    target
        The unit that is attacked: a stat line, such as ``"20 models, Def 3, Res 4, Arm 3"``. It may be a `Target`.
    edition, rulings, exact
        The rules, ``"2e"`` or ``"3e"``; options for disputed points, by name, the others keep their defaults; and
        whether probabilities are ``sympy.Rational`` rather than ``float``.
    start
        The result of earlier attacks on the same target in this phase.
    **situation
        What else is true: see :class:`mathhammer.t9a.SituationKeywords`.

    Examples
    --------
    >>> spears = ModelPart("Spearmen", attacks=5, offensive_skill=4, strength=3)
    >>> orcs = Target("Orcs", models=20, defensive_skill=3, resilience=3, armour=2)
    >>> attack(spears, orcs, exact=True).kills.mean()
    10/9
    """
    target = Target.given(target, "a Target to attack, or its stat line")
    rules = rules_of(edition, rulings)
    read = read_situation(situation)
    given = as_parts(parts, "one ModelPart or more, or their stat lines")
    struck_with = tuple(apart(given, charging=read.charging))
    if not struck_with:
        raise MathhammerError("expected one ModelPart or more, got none")
    require_compatible(struck_with, "give one of them, or say whose each is with of=...")
    pools, exact = target.pools(rules[0]), validation.flag(exact, "exact")
    places = len(pools.pools)
    standing = pools.standing((0,) * places)
    stages = [PartStages(part, target, read, rules, standing=standing) for part in struck_with]
    at = [_place(part, pools) for part in struck_with]
    # Models that earlier attacks have removed matter only as far as a shot could hit them all.
    most = max(1, min(standing, max(stage.hits_each for stage in stages)))
    nothing = Distribution.from_weights({0: 1}, exact=True)

    @cache
    def volleys(models: int) -> list[PartStages]:
        return [stage.against(models, stage.part.models) for stage in stages]

    def left(*lost: int) -> int:
        return max(1, min(most, pools.standing(lost)))

    @cache
    def damage(place: int, models: int) -> Distribution:
        pairs = zip(volleys(models), at, strict=True)
        return convolution([nothing, *(damage_of(volley) for volley, each in pairs if each == place)])

    before = start_distribution(pools, start, exact=exact) or nothing
    axes = [pool.name for pool in pools.pools]
    struck = JointDistribution.from_distribution(axes, before, pools.lost.__getitem__)
    models_before = struck.map(left)
    for place, pool in enumerate(pools.pools):

        def to_pool(outcome: tuple[int, ...], place: int = place) -> Distribution:
            return damage(place, left(*outcome[:places]))

        struck = extended(struck, f"damage to {pool.name}", to_pool)
    cases = models_before, list(map(volleys, models_before.support))
    return AttackResult(pools, struck, stages, cases, edition=edition, rulings=rules[1], exact=exact)


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


class AttackResult(SequenceResult):
    """The result of simultaneous attacks on one unit.

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
        stages: Sequence[PartStages],
        standing: tuple[Distribution, Sequence[Sequence[PartStages]]],
        **more: Any,
    ) -> None:
        places = len(pools.pools)
        states = struck.map(lambda *outcome: pools.index(pools.after(outcome[:places], outcome[places:])))
        explained: Any = type(self).explain
        super().__init__(pools, states, standing[1][-1], explanation=explained, **more)
        self._pools, self._struck, self._stages = pools, struck, stages
        #: How many models stood, and the attacks by each number of them.
        self._standing, self._cases = standing

    def explain(self) -> Explanation:
        """Step by step: needs, modifiers and their sources, probabilities that multiply out to the result."""
        steps = [
            *(step for stage in self._stages for step in part_steps(stage)),
            *(Step(each.name, each.idle) for each in self._stages[0].target.attributes if each.idle),
            *last_steps(self, "Unsaved wounds", "HP lost", "Models removed"),
        ]
        target, names = self._stages[0].target, ", ".join(stage.part.name for stage in self._stages)
        return Explanation(
            f"{names} against {target.name} ({find_edition(self.edition).title})", tuple(steps)
        )

    def _total(self, name: str) -> Distribution:
        """Mix a count over the models that stood: an Area Attack hits no more than were there."""
        counts = [total_of(volleys, partial(count_of, name)) for volleys in self._cases]
        # The indices of the mass are those of the cases.
        return mixture_by_mass(self._standing._mass, counts).handed_out(exact=self.exact)  # noqa: SLF001

    health_points_lost = property(
        attrgetter("wounds_lost"),
        doc="Distribution of the Health Points that the unit lost: nothing beyond its last.",
    )

    @cached_property
    def overkill(self) -> Distribution:
        """Distribution of the wounds beyond the last Health Point, which count in a Duel only (Combat Score)."""
        places = len(self._pools.pools)

        def beyond(*outcome: int) -> int:
            before, damage = outcome[:places], outcome[places:]
            return sum(before) + sum(damage) - sum(self._pools.after(before, damage))

        return self._struck.map(beyond)

    def _facts(self) -> Mapping[str, object]:
        lost = in_fractions(self)
        return {
            "arithmetic": "exact" if self.exact else "float64",
            "Health Points lost": lost.wounds_lost.mean(),
            "models lost": (lost.kills.mean(), f" of {self._unit.models}"),
            "P(destroyed)": lost.probability_destroyed,
            "P(Panic Test)": lost.wounds_lost.at_least(self._losses_to_panic()),
            **not_computed(self._stages[0].target, *(stages.part for stages in self._stages)),
        }

    @property
    def probability_panic_test(self) -> Any:
        """Probability that the losses of this phase call for a Panic Test: 0 in combat, or against a single model."""
        return self.wounds_lost.at_least(self._losses_to_panic())

    def _losses_to_panic(self) -> int:
        """Return the Health Points lost that call for a Panic Test; more than there are where nothing does."""
        at_start, first = sum(self._pools.left), self._stages[0]
        if first.target.started_as == 1 or any(each.part.is_melee(first.situation) for each in self._stages):
            return 1 + at_start
        return panic_threshold(at_start, edition=self.edition, rounding=self.rulings["panic_threshold"])


def panic_threshold(health_points: int, *, edition: str = "2e", rounding: str = "at-least") -> int:
    """Return the losses in one phase that call for a Panic Test.

    The 9th Age rulebook, 2nd edition, Panic Test; 3rd edition, Panic Tests.

    Parameters
    ----------
    health_points
        Those that the unit had at the start of the phase.
    edition, rounding
        ``"2e"`` or ``"3e"``, and the option of the ruling ``panic_threshold``.

    Examples
    --------
    >>> panic_threshold(20), panic_threshold(8), panic_threshold(8, edition="3e")
    (5, 2, 3)
    """
    held = validation.whole(health_points, "health_points", 0)
    validation.one_of(rounding, ("at-least", "rounded-down"), "rounding")
    quarter = -(-held // 4) if rounding == "at-least" else held // 4
    return max(find_edition(edition).least_panic_losses, quarter)


def part_steps(stages: PartStages) -> Iterator[Step]:
    """Yield the steps of one model part."""
    part, hit = stages.part, stages.hit
    yield Step("Model part", str(part))
    yield Step("Attacks", str(stages.number.expression))
    _, ordinary, natural_6 = hit.weights
    need = "" if hit.need is None or not hit.modifiers else f"; after modifiers {hit.need}+"
    chances = [Probability("hit", ordinary + natural_6, sum(hit.weights))]
    chances += [Probability("natural 6", natural_6, sum(hit.weights))] * bool(natural_6)
    yield Step("To hit", hit.text + need, tuple(map(str, hit.modifiers)), tuple(chances))
    if (hits := min(stages.hits_each, stages.standing)) > 1:
        yield Step("Hits", f"{hits} of each attack that hits")
    on_6 = {"Poison Attacks": "wounds without a to-wound roll", "Battle Focus": "scores one more hit"}
    yield from (
        Step(name, f"a natural 6 to hit {does}")
        for name, does in on_6.items()
        if natural_6 and part.has(name)
    )
    profile = f"Str {stages.armed.strength} against Res {stages.target.resilience}"
    yield from _wound_steps("To wound", profile, stages.wound, stages)
    if stages.bracketed is not None:
        yield from _wound_steps("One hit", "the profile in brackets", stages.bracketed, stages)
    each = stages.unsaved().plain
    counts = enumerate(each.of_sum())
    found = [Probability(f"{count} unsaved", weight, each.denominator) for count, weight in counts if count]
    yield Step("Each attack", "unsaved wounds", (), tuple(found) or (Probability("unsaved", 0, 1),))
    numerator, denominator = stages.wound.damage.mean()
    if denominator != 1 or numerator != 1:
        each_of = f"each unsaved wound, of a model of {stages.health_points} HP"
        text = "before saves" if stages.wound.before_saves else each_of
        yield Step("Multiple Wounds", text, (), (Probability("mean", numerator, denominator),))
    yield from (Step(each.name, each.idle) for each in part.attributes if each.idle)


def _wound_steps(name: str, profile: str, wound: ToWound, stages: PartStages) -> Iterator[Step]:
    situation, changes = stages.situation, stages.changes
    fail, success, natural_6 = wound.check.weights()
    own = [f"Str {each}" for each in changes.get("Strength", ())]
    modifiers = (*own, *map(str, situation.wound_modifier))
    text = f"{profile}: {wound.check.need}+{again(wound.check.reroll)}"
    chance = Probability("wound", success + natural_6, fail + success + natural_6)
    yield Step(name, text, modifiers, (chance,))
    armour = "none" if wound.saves.armour is None else f"{wound.saves.armour}+"
    text = f"Arm {stages.armour} against AP {stages.armed.armour_penetration}: {armour}"
    if wound.saves.special:
        text += f"; {', '.join(map(str, wound.saves.special))}"
    own = [f"AP {each}" for each in changes.get("Armour Penetration", ())]
    modifiers = (*own, *map(str, situation.armour_modifier))
    yield Step("Saves", text, modifiers, (Probability("unsaved", *wound.saves.unsaved),))
    if wound.lethal[:2] != wound.saves[:2]:
        text = f"a natural 6 to wound: {', '.join(map(str, wound.lethal.special)) or 'no save'}"
        yield Step("Lethal Strike", text, (), (Probability("unsaved", *wound.lethal.unsaved),))
