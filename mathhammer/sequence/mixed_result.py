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


def of_each(kind: type[AttackResult], name: str) -> cached_property[Distribution]:
    """Return a quantity of a mixture: that of each of its results, mixed."""

    def mixture(self: MixedResult) -> Distribution:
        return _mixed(self._seen, [getattr(result, name) for result in self._results])

    mixture.__doc__ = getattr(kind, name).__doc__
    return cached_property(mixture)


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

    attacks = of_each(AttackResult, "attacks")
    hits = of_each(AttackResult, "hits")
    wounds = of_each(AttackResult, "wounds")
    unsaved = of_each(AttackResult, "unsaved")
    damage = of_each(AttackResult, "damage")

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
