"""Results of an attack: the distribution of the final state, every distribution on the way, and mixtures."""

from __future__ import annotations

from functools import cached_property, partial, reduce
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from flint import fmpq

from mathhammer.display import numbers as display
from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.kernel import NO_REROLLS, Held, Measure
from mathhammer.sequence.attack_distribution import AttackDistribution
from mathhammer.sequence.explanation import Explanation, Step
from mathhammer.sequence.unit_distribution import UnitDistribution
from mathhammer.sequence.volley import compound, measures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.display.panel import Bars, Means, Part, Pictures
    from mathhammer.distributions import Distribution
    from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
    from mathhammer.distributions.kernel import Number
    from mathhammer.sequence.group import UnitStates
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.sequence.volley import AttackNumber


#: The steps of the sequence whose distributions are drawn, and what each counts.
_QUANTITIES = {
    "attacks": "Attacks",
    "hits": "Hits",
    "wounds": "Wounds",
    "unsaved": "Unsaved wounds",
    "damage": "Damage",
}

#: What one attack counts, by the re-rolls held before and after it.
Counts = dict[tuple[Held, Held], Measure]


class Numbered(Protocol):
    """A number of attacks, or of other events."""

    @property
    def number(self) -> AttackNumber:
        """The number of attacks."""

    @property
    def own(self) -> Held:
        """The single re-rolls that this volley alone may use."""


class RolledVolley(Numbered, Protocol):
    """What a result needs to know of a volley, whatever the game: the counts of one attack on the way."""

    def hits(self) -> AttackDistribution:
        """Hits of one attack."""

    def wounds(self) -> AttackDistribution:
        """Successful wounds of one attack, before saves."""

    def unsaved(self) -> AttackDistribution:
        """Failed saves of one attack, and wounds that allow none."""

    def damage(self) -> Counts:
        """Damage of one attack, excess counted."""


V = TypeVar("V", bound=Numbered)


class AttackResult(UnitDistribution):
    """The distribution of a unit's state after one or more volleys, and every distribution on the way to it.

    All distributions are computed from the same stages; those on the way are computed when they are asked for.

    Attributes
    ----------
    edition
        The edition whose rules were used.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP-1 D1")
    >>> marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> result = wh40k.attack(rifle, marines, count=9, exact=True)
    >>> result.hits.mean(), result.wounds.mean(), result.unsaved.mean()
    (12, 6, 3)
    """

    def __init__(
        self,
        unit: UnitStates,
        states: Distribution,
        volleys: Sequence[RolledVolley],
        *,
        exact: bool,
        edition: str,
        rulings: Rulings,
        explanation: Callable[[AttackResult], Explanation],
        names: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(unit, states, exact=exact)
        self.distribution_names = names or type(self).distribution_names
        self._volleys = tuple(volleys)
        self._explanation = explanation
        self.edition = edition
        self._rulings = rulings

    @property
    def rulings(self) -> Rulings:
        """The option in force for each disputed ruling."""
        return self._rulings

    @property
    def rules_date(self) -> str | None:
        """The date of the rules, of an edition whose rules are dated."""
        return self.rulings.date

    @cached_property
    def attacks(self) -> Distribution:
        """Distribution of the number of attacks."""
        return self._total("attacks")

    @cached_property
    def hits(self) -> Distribution:
        """Distribution of the number of hits, as if every attack were resolved."""
        return self._total("hits")

    @cached_property
    def wounds(self) -> Distribution:
        """Distribution of the number of successful wounds before saves."""
        return self._total("wounds")

    @cached_property
    def unsaved(self) -> Distribution:
        """Distribution of the attacks that inflict damage: failed saves and critical wounds without one.

        Mortal wounds are not among them.
        """
        return self._total("unsaved")

    @cached_property
    def damage(self) -> Distribution:
        """Distribution of the damage inflicted after saves and Feel No Pain, with all mortal wounds, excess counted."""
        return self._total("damage")

    def explain(self) -> Explanation:
        """Step by step: needs, modifiers and their sources, probabilities that multiply out to the result."""
        return self._explanation(self)

    def _pictures(self) -> Pictures:
        from mathhammer.distributions.presentation import whole_heat

        models, wounds = self.distribution_names
        names = {"kills": models, "wounds_lost": wounds, **_QUANTITIES}
        return {
            **{each: partial(self._bars, each, name) for each, name in names.items()},
            "funnel": self._funnel,
            "state": lambda: whole_heat(self.state),
        }

    def _bars(self, quantity: str, name: str) -> Bars:
        from mathhammer.distributions.presentation import bars

        return bars(getattr(self, quantity), name)

    def _funnel(self) -> Means:
        """Return what is left after each step of the sequence, and among attacks the share of the step before."""
        from mathhammer.display.panel import Means

        steps = {**_QUANTITIES, "kills": self.distribution_names[0]}
        laws: list[Any] = [in_fractions(getattr(self, name)) for name in steps]
        means = [float(law.mean()) for law in laws]
        spans = [(float(law.icdf(0.05)), float(law.icdf(0.95))) for law in laws]
        words = [name.lower() for name in steps.values()]
        texts = [display.number(mean) for mean in means]
        for place in (1, 2, 3):
            if means[place - 1]:
                texts[place] += f" ({100 * means[place] / means[place - 1]:.0f}% of {words[place - 1]})"
        return Means(f"From attacks to {words[-1]}", words, means, spans, texts)

    def _total(self, name: str) -> Distribution:
        """Distribution of a count summed over all attacks of all volleys."""
        return total_of(self._volleys, partial(count_of, name)).handed_out(exact=self.exact)

    def _line(self) -> str:
        date = "" if self.rules_date is None else f" of {self.rules_date}"
        return f"edition {self.edition}{date}, {super()._line()}"

    def _title(self) -> str:
        return self.explain().heading

    def _folded(self) -> Sequence[tuple[str, Part]]:
        return [(self.rulings.sentence, self.rulings.table())]


def last_steps(result: AttackResult, unsaved: str, lost: str, models: str) -> Iterator[Step]:
    """Yield what an attack comes to, by what the game calls it, and the rulings."""
    found = in_fractions(result)
    yield Step(unsaved, f"mean {display.exact_number(in_fractions(result.unsaved).mean())}")
    yield Step(lost, f"mean {display.exact_number(found.wounds_lost.mean())}")
    yield Step(models, f"mean {display.exact_number(found.kills.mean())}")
    yield Step("Destroyed", f"probability {display.exact_number(found.probability_destroyed)}")
    yield result.rulings.step()


def count_of(name: str, volley: object) -> AttackDistribution | Counts | None:
    """Return what one attack of a volley counts; None counts the attacks themselves."""
    each: Callable[[], AttackDistribution | Counts] | None = getattr(volley, name, None)
    return None if each is None else each()


def total_of(
    volleys: Sequence[V],
    each: Callable[[V], AttackDistribution | Counts | None],
    cut: int | None = None,
) -> Distribution:
    """Distribution of a count summed over all attacks of volleys one after another; what is beyond `cut` as that."""
    numbers: list[tuple[V, Number]] = []
    for volley in volleys:
        number, counts = volley.number.parts(), each(volley)
        if isinstance(counts, AttackDistribution):
            counts = measures(counts)
        numbers.append((volley, number if counts is None else compound(number, counts, cut=cut)))
    if numbers and all(len(number) == 1 for _, number in numbers):
        return reduce(Measure.plus, (number[0][2] for _, number in numbers)).distribution()
    used = [NO_REROLLS.union(*(held for held, _, _ in number)) for _, number in numbers]
    shared = NO_REROLLS.union(*(own - volley.own for own, (volley, _) in zip(used, numbers, strict=True)))
    reached = {shared: Measure.from_weights([1], 1)}
    for own, (volley, number) in zip(used, numbers, strict=True):
        moved: dict[Held, list[Measure]] = {}
        for held, total in reached.items():
            here = held | volley.own
            for before, left, part in number:
                if before == here & own:
                    moved.setdefault((here - before | left) - volley.own, []).append(total.plus(part))
        reached = {held: Measure.union(parts) for held, parts in moved.items()}
    return Measure.union(list(reached.values())).distribution()


def mean_of(volleys: Sequence[V], each: Callable[[V], Counts]) -> fmpq:
    """Mean of that count: where no re-roll is held it is that of the attacks times that of one (Wald's identity)."""
    total = fmpq(0)
    for volley in volleys:
        number, counts = volley.number.parts(), each(volley)
        if len(number) > 1 or len(counts) > 1:
            # The mean is the second term of the generating function about 1, for which two terms of each are enough.
            whole = total_of(
                volleys, lambda volley: {k: part.about_one() for k, part in each(volley).items()}, 2
            )
            return in_fractions(whole).pmf(1)  # type: ignore[no-any-return]
        (one,), ((*_, attacks),) = counts.values(), number
        total += in_fractions(attacks.distribution()).mean() * in_fractions(one.distribution()).mean()
    return total


def damage_of(volley: RolledVolley) -> Distribution:
    """Distribution of the damage that one volley inflicts, excess counted."""
    return total_of([volley], lambda each: each.damage())


def damage_parts(unsaved: AttackDistribution, damages: Sequence[IntegerDistribution]) -> Counts:
    """Return the damage of one attack, by the re-rolls held before and after it."""
    if all(part.degree <= 1 for part in unsaved.parts.values()):
        return {key: _of_one(part, damages) for key, part in unsaved.parts.items()}
    each = [damage.distribution() for damage in damages]
    return {key: part.mixture_of_sums(each) for key, part in unsaved.parts.items()}


def _of_one(unsaved: GeneratingFunction, damages: Sequence[IntegerDistribution]) -> Measure:
    """Return the damage of one wound at most, in whole numbers."""
    common = lcm(*(damage.denominator for damage in damages))
    weights = [0] * (1 + max(damage.most for damage in damages))
    for counts, ways in unsaved.coefficients.items():
        if not any(counts):
            weights[0] += ways * common
            continue
        damage = damages[counts.index(1)]
        scale = ways * (common // damage.denominator)
        for number, weight in enumerate(damage.weights, damage.low):
            weights[number] += scale * weight
    divisor = gcd(unsaved.denominator * common, *weights)
    reduced = [weight // divisor for weight in weights]
    return Measure.from_weights(reduced, unsaved.denominator * common // divisor)


class MixedResult(AttackResult):
    """A mixture of results: one for each thing that the attacker may see when choosing the target, or other cases."""

    def __init__(
        self,
        seen: Distribution,
        results: Sequence[AttackResult],
        explanation: Callable[[AttackResult], Explanation] | None = None,
        **further: Any,
    ) -> None:
        first = results[0]
        super().__init__(
            first.unit,
            _mixed(seen, [result._states for result in results]),  # noqa: SLF001 - results of one class
            first._volleys,  # noqa: SLF001
            exact=first.exact,
            edition=first.edition,
            rulings=first.rulings,
            explanation=explanation or self._explained,
            **further,
        )
        self._seen = seen
        self._results = tuple(results)

    def _total(self, name: str) -> Distribution:
        return _mixed(self._seen, [getattr(result, name) for result in self._results])

    def _explained(self, _result: AttackResult) -> Explanation:
        """Explain the likeliest of the results."""
        seen = in_fractions(self._seen)
        chances = [float(seen.pmf(index)) for index in range(len(self._results))]
        likeliest = chances.index(max(chances))
        likely = self._results[likeliest].explain()
        note = Step("Target", f"as it is most likely left when it is chosen, probability {max(chances):.6g}")
        return Explanation(likely.heading, (note, *likely.steps))


def _mixed(seen: Distribution, distributions: Sequence[Distribution]) -> Distribution:
    return mixture_by_mass(seen._mass, distributions)  # noqa: SLF001 - its indices are those of the distributions
