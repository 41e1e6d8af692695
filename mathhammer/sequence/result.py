"""What came of an attack: the law of the final state, and every law on the way to it."""

from __future__ import annotations

from functools import cached_property, reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic

from mathhammer.arithmetic import Arithmetic, Mass, P
from mathhammer.distributions import Distribution, GeneratingFunction, JointDistribution

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.sequence.explanation import Explanation
    from mathhammer.sequence.volley import IntegerLaw, VolleyLaw

__all__ = ["AttackResult"]


class AttackResult(Generic[P]):
    """The result of one or more volleys against a unit of equal models.

    All laws are computed from the same stages; those on the way are computed when they are asked for.

    Attributes
    ----------
    edition
        The edition whose rules were used.
    rulings
        The option in force for each disputed ruling.
    """

    def __init__(
        self,
        losses: Mass[P],
        volleys: Sequence[VolleyLaw],
        *,
        models: int,
        wounds: int,
        arithmetic: Arithmetic[P],
        edition: str,
        rulings: Mapping[str, str],
        explanation: Callable[[AttackResult[P]], Explanation],
    ) -> None:
        self._losses = losses
        self._volleys = tuple(volleys)
        self._models = models
        self._wounds = wounds
        self._arithmetic = arithmetic
        self._explanation = explanation
        self.edition = edition
        self.rulings: Mapping[str, str] = MappingProxyType(dict(rulings))

    @property
    def exact(self) -> bool:
        """Whether probabilities are ``sympy.Rational`` rather than ``float``."""
        return self._losses.exact

    @cached_property
    def state(self) -> JointDistribution[P]:
        """Joint law of the models destroyed and the wounds lost by the next; (models, 0) when destroyed."""
        outcomes = [divmod(lost, self._wounds) for lost in range(self._models * self._wounds + 1)]
        return JointDistribution(("models_destroyed", "wounds_lost_by_next"), outcomes, self._losses)

    @cached_property
    def kills(self) -> Distribution[P]:
        """Law of the number of models destroyed."""
        images = [lost // self._wounds for lost in range(len(self._losses))]
        return Distribution._new(self._losses.image(images, self._models + 1), 0)

    @cached_property
    def wounds_lost(self) -> Distribution[P]:
        """Law of the wounds that the unit lost: nothing beyond a model's last wound or the unit's."""
        return Distribution._new(self._losses, 0)

    @property
    def probability_destroyed(self) -> P:
        """Probability that the whole unit is destroyed."""
        return self._losses[len(self._losses) - 1]

    @cached_property
    def attacks(self) -> Distribution[P]:
        """Law of the number of attacks."""
        return _sum([volley.attacks.law(self._arithmetic) for volley in self._volleys])

    @cached_property
    def hits(self) -> Distribution[P]:
        """Law of the number of hits, as if every attack were resolved."""
        return self._total([volley.chances.hits() for volley in self._volleys])

    @cached_property
    def wounds(self) -> Distribution[P]:
        """Law of the number of successful wounds before saves."""
        return self._total([volley.chances.wounds() for volley in self._volleys])

    @cached_property
    def unsaved(self) -> Distribution[P]:
        """Law of the number of attacks that inflict damage: failed saves and critical wounds without one."""
        return self._total([volley.chances.unsaved_wounds() for volley in self._volleys])

    @cached_property
    def damage(self) -> Distribution[P]:
        """Law of the damage inflicted after saves and Feel No Pain, excess counted."""
        totals = []
        for volley in self._volleys:
            damage = self._distribution(volley.damage)
            deferred = self._distribution(volley.deferred_damage)
            each = volley.chances.unsaved_wounds()
            parts = [damage.repeat(i) + deferred.repeat(j) for i, j in each.coefficients]
            low = min(part._low for part in parts)
            weights = self._arithmetic.mass.from_weights(list(each.coefficients.values()), each.denominator)
            mass = weights.mixture([part._mass for part in parts], [part._low - low for part in parts])
            attack = Distribution._new(mass, low)
            totals.append(volley.attacks.law(self._arithmetic).compound(attack))
        return _sum(totals)

    def explain(self) -> Explanation:
        """Step by step: needs, modifiers and their sources, probabilities that multiply out to the result."""
        return self._explanation(self)

    def _distribution(self, law: IntegerLaw) -> Distribution[P]:
        return Distribution._new(self._arithmetic.mass.from_weights(law.weights, law.denominator), law.low)

    def _total(self, each: Sequence[GeneratingFunction]) -> Distribution[P]:
        """Law of a count summed over all attacks of all volleys."""
        totals = []
        for volley, function in zip(self._volleys, each, strict=True):
            attack = Distribution._new(
                self._arithmetic.mass.from_weights(function.of_sum(), function.denominator), 0
            )
            totals.append(volley.attacks.law(self._arithmetic).compound(attack))
        return _sum(totals)

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float64"
        return (
            f"<AttackResult, edition {self.edition}, {kind}: mean {float(self.kills.mean()):.4g} of {self._models} "  # type: ignore[arg-type]
            f"models destroyed, P(destroyed) {float(self.probability_destroyed):.4g}>"  # type: ignore[arg-type]
        )


def _sum(parts: Sequence[Distribution[P]]) -> Distribution[P]:
    return reduce(lambda a, b: a + b, parts)
