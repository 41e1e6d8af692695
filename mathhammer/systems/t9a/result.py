"""Result of attacks on a unit, in the words of The 9th Age."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.arithmetic import P
from mathhammer.display import number, percent
from mathhammer.distributions import in_fractions
from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.sequence import AttackResult as SequenceResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.distributions import Distribution, JointDistribution
    from mathhammer.sequence import SharedPools
    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.profiles import Target
    from mathhammer.systems.t9a.stages import PartDistribution


class AttackResult(SequenceResult[P]):
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
        struck: JointDistribution[P],
        states: Distribution[P],
        volleys: Mapping[int, Sequence[PartDistribution]],
        *,
        standing: Distribution[P],
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
    def hits(self) -> Distribution[P]:
        """Distribution of the number of hits, as if every attack were resolved."""
        return self._by_standing("hits", super().hits)

    @cached_property
    def wounds(self) -> Distribution[P]:
        """Distribution of the number of wounds before saves."""
        return self._by_standing("wounds", super().wounds)

    @cached_property
    def unsaved(self) -> Distribution[P]:
        """Distribution of the number of unsaved wounds before they are multiplied."""
        return self._by_standing("unsaved", super().unsaved)

    @cached_property
    def damage(self) -> Distribution[P]:
        """Distribution of the wounds after saves, excess counted."""
        return self._by_standing("damage", super().damage)

    def _by_standing(self, count: str, most: Distribution[P]) -> Distribution[P]:
        """Mix a count over the models that stood: an Area Attack hits no more than were there."""
        if not self._cases:
            return most
        distributions = [*(getattr(case, count) for case in self._cases), most]
        return mixture_by_mass(self._standing._mass, distributions)  # noqa: SLF001 - its indices are those of the cases

    @property
    def health_points_lost(self) -> Distribution[P]:
        """Distribution of the Health Points that the unit lost: nothing beyond its last."""
        return self.wounds_lost

    @cached_property
    def overkill(self) -> Distribution[P]:
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

    def _facts(self) -> Mapping[str, str]:
        lost = in_fractions(self)
        panic = lost.wounds_lost.at_least(self._losses_to_panic())
        return {
            "arithmetic": "exact" if self.exact else "float64",
            "Health Points lost": number(lost.wounds_lost.mean()),
            "models lost": f"{number(lost.kills.mean())} of {self._unit.models}",
            "P(destroyed)": percent(lost.probability_destroyed),
            "P(Panic Test)": percent(panic),
        }

    @property
    def probability_panic_test(self) -> P:
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
