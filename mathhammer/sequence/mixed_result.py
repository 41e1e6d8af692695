"""The result of an attack of several cases, such as what was left of the unit when it was chosen as the target."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mathhammer.distributions import in_fractions
from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.sequence.explanation import Explanation, Step
from mathhammer.sequence.result import AttackResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.distributions import Distribution


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
            arithmetic=first._arithmetic,  # noqa: SLF001
            edition=first.edition,
            rulings=first.rulings,
            explanation=explanation or self._explained,
            **further,
        )
        self._seen = seen
        self._results = tuple(results)

    @cached_property
    def attacks(self) -> Distribution:
        """Distribution of the number of attacks."""
        return self._mixture(lambda result: result.attacks)

    @cached_property
    def hits(self) -> Distribution:
        """Distribution of the number of hits, as if every attack were resolved."""
        return self._mixture(lambda result: result.hits)

    @cached_property
    def wounds(self) -> Distribution:
        """Distribution of the number of successful wounds before saves."""
        return self._mixture(lambda result: result.wounds)

    @cached_property
    def unsaved(self) -> Distribution:
        """Distribution of the number of attacks that inflict damage."""
        return self._mixture(lambda result: result.unsaved)

    @cached_property
    def damage(self) -> Distribution:
        """Distribution of the damage inflicted after saves and Feel No Pain, excess counted."""
        return self._mixture(lambda result: result.damage)

    def _mixture(self, distribution: Callable[[Any], Distribution]) -> Distribution:
        return _mixed(self._seen, [distribution(result) for result in self._results])

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
