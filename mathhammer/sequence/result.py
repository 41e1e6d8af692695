"""What came of an attack: the law of the final state, and every law on the way to it."""

from __future__ import annotations

from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any, Literal

from mathhammer.arithmetic import Arithmetic, P
from mathhammer.distributions import Distribution, GeneratingFunction, IntegerLaw
from mathhammer.sequence.unit_law import UnitLaw

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from mathhammer.display import Part
    from mathhammer.sequence.explanation import Explanation
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.sequence.unit_law import UnitStates
    from mathhammer.sequence.volley import Volley

__all__ = ["AttackResult", "damage_of"]


class AttackResult(UnitLaw[P]):
    """The law of a unit's state after one or more volleys, and every law on the way to it.

    All laws are computed from the same stages; those on the way are computed when they are asked for.

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
        states: Distribution[P],
        volleys: Sequence[Volley],
        *,
        arithmetic: Arithmetic[P],
        edition: str,
        rulings: Rulings,
        explanation: Callable[[AttackResult[P]], Explanation],
    ) -> None:
        super().__init__(unit, states)
        self._volleys = tuple(volleys)
        self._arithmetic = arithmetic
        self._explanation = explanation
        self.edition = edition
        self._rulings = rulings

    @property
    def rulings(self) -> Rulings:
        """The option in force for each disputed ruling."""
        return self._rulings

    @cached_property
    def attacks(self) -> Distribution[P]:
        """Law of the number of attacks."""
        return self._sum(
            [_rolled(volley, "attacks").attacks.law(self._arithmetic) for volley in self._volleys]
        )

    @cached_property
    def hits(self) -> Distribution[P]:
        """Law of the number of hits, as if every attack were resolved."""
        rolled = [_rolled(volley, "hits") for volley in self._volleys]
        return self._total([volley.chances.hits() for volley in rolled], rolled)

    @cached_property
    def wounds(self) -> Distribution[P]:
        """Law of the number of successful wounds before saves."""
        rolled = [_rolled(volley, "wounds") for volley in self._volleys]
        return self._total([volley.chances.wounds() for volley in rolled], rolled)

    @cached_property
    def unsaved(self) -> Distribution[P]:
        """Law of the number of attacks that inflict damage: failed saves and critical wounds without one."""
        return self._total([volley.chances.unsaved_wounds() for volley in self._volleys])

    @cached_property
    def damage(self) -> Distribution[P]:
        """Law of the damage inflicted after saves and Feel No Pain, excess counted."""
        return self._sum([damage_of(volley, self._arithmetic) for volley in self._volleys])

    def explain(self) -> Explanation:
        """Step by step: needs, modifiers and their sources, probabilities that multiply out to the result."""
        return self._explanation(self)

    def plot(
        self,
        kind: Literal["pmf", "at_least", "cdf", "ccdf", "funnel", "state"] = "pmf",
        *,
        of: Literal["attacks", "hits", "wounds", "unsaved", "damage", "wounds_lost", "kills"] = "kills",
        ax: Axes | None = None,
        title: str | None = None,
        **artist: Any,
    ) -> Axes:
        """Draw the result and return the Axes: see :func:`mathhammer.plot.result`."""
        from mathhammer import plot

        return plot.result(self, kind, of=of, ax=ax, title=title, **artist)

    def _total(
        self, each: Sequence[GeneratingFunction], volleys: Sequence[Volley] | None = None
    ) -> Distribution[P]:
        """Law of a count summed over all attacks of all volleys."""
        totals = []
        for volley, function in zip(volleys or self._volleys, each, strict=True):
            attack = IntegerLaw(0, tuple(function.of_sum()), function.denominator).distribution(
                self._arithmetic
            )
            totals.append(volley.attacks.law(self._arithmetic).compound(attack))
        return self._sum(totals)

    def _sum(self, parts: Sequence[Distribution[P]]) -> Distribution[P]:
        """Law of the sum of independent terms, of which there may be none."""
        return reduce(add, parts) if parts else IntegerLaw(0, (1,), 1).distribution(self._arithmetic)

    def _line(self) -> str:
        return f"edition {self.edition}, {super()._line()}"

    def _title(self) -> str:
        return self.explain().heading

    def _folded(self) -> Sequence[tuple[str, Part]]:
        return [(self.rulings.sentence, self.rulings.table())]


def damage_of(volley: Volley, arithmetic: Arithmetic[P]) -> Distribution[P]:
    """Law of the damage that a volley inflicts, excess counted.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> from mathhammer.sequence import Chances, VolleyLaw
    >>> chances = Chances((2, 3, 1), (3, 2, 1, 6), 18, False, None, False)  # 2/3 to hit, 1/2 to wound, save 4+
    >>> one = IntegerLaw(1, (1,), 1)
    >>> volley = VolleyLaw(dice("2"), chances, (one, one))
    >>> damage_of(volley, arithmetic(exact=True)).mean()
    1/3
    """
    damages = [damage.distribution(arithmetic) for damage in volley.damages]
    attack = volley.chances.unsaved_wounds().mixture_of_sums(damages, arithmetic)
    return volley.attacks.law(arithmetic).compound(attack)


def _rolled(volley: Volley, count: str) -> Volley:
    """Return the volley that a count is of: the one before, where attacks stand for the successes of a roll."""
    before: Volley | None = getattr(volley, "before", None)
    return before if before is not None and count in volley.kept else volley  # type: ignore[attr-defined]
