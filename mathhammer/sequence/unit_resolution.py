"""Volleys against a unit of unequal models: the walk over what each of its queues has lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mathhammer.distributions import Walk
from mathhammer.errors import MathhammerError
from mathhammer.sequence.allocation import Allocation
from mathhammer.sequence.resolution import require_attacks
from mathhammer.sequence.unit_law import start_index

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.arithmetic import Arithmetic, Matrix, P
    from mathhammer.distributions import Distribution
    from mathhammer.expressions import Expression
    from mathhammer.sequence.allocation import WoundLaw
    from mathhammer.sequence.unit_law import UnitLaw
    from mathhammer.sequence.volley import Chances

__all__ = ["AllocatedVolley", "continued", "unit_attack_matrix", "unit_losses"]


@dataclass(frozen=True, slots=True)
class AllocatedVolley:
    """A volley whose wounds do different things to different models.

    Parameters
    ----------
    attacks
        The number of attacks.
    chances
        What one attack does up to the wound; its saves are those of ``wounds``.
    wounds, deferred
        What one wound, or one deferred critical wound, does to each kind of model.
    directed
        The groups at the first living one of which the attacker directs every wound.

    Examples
    --------
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> from mathhammer.sequence import Chances, WoundLaw
    >>> chances = Chances((2, 3, 1), (3, 2, 1, 6), 36, False, None, False)  # 2/3 to hit, 1/2 to wound
    >>> save = WoundLaw(18, IntegerLaw(1, (1,), 1))  # 4+, then one wound
    >>> volley = AllocatedVolley(dice("2"), chances, {0: save, 1: save}, {})
    >>> volley.defers
    False
    """

    attacks: Expression
    chances: Chances
    wounds: Mapping[int, WoundLaw]
    deferred: Mapping[int, WoundLaw]
    directed: tuple[int, ...] = ()

    @property
    def defers(self) -> bool:
        """Whether any wound of it can be deferred."""
        return self.chances.critical_wounds_deferred and self.chances.wound[2] > 0


def continued(
    unit: Allocation, start: UnitLaw[P] | None, *, exact: bool
) -> tuple[Allocation, Distribution[P] | int]:
    """Return the states that an attack needs beside those of an earlier one, and the law it starts from.

    Raises
    ------
    MathhammerError
        If the earlier law is of another unit, or in the other arithmetic.

    Examples
    --------
    >>> from mathhammer.sequence import Group
    >>> unit = Allocation((Group("Boy", 2, 1), Group("Nob", 1, 2)))
    >>> continued(unit, None, exact=True) == (unit, 0)
    True
    """
    if start is None or not isinstance(start.unit, Allocation) or start.unit.groups != unit.groups:
        return unit, start_index(unit, start, exact=exact)
    if start.unit.begun_first != unit.begun_first:
        raise MathhammerError(
            "expected as start the result of an attack under the same ruling on leaders that are hurt; give both "
            "attacks the same rulings"
        )
    wider = unit.widened(start.unit)
    before = start_index(start.unit, start, exact=exact)
    if wider != start.unit and not isinstance(before, int):
        before = before.map(wider.embedding(start.unit).__getitem__)
    return wider, before


def unit_losses(
    volleys: Sequence[AllocatedVolley],
    unit: Allocation,
    *,
    arithmetic: Arithmetic[P],
    deferred_after_all: bool,
    start: Distribution[P] | int = 0,
) -> Distribution[P]:
    """Law of the state of a unit of unequal models after all volleys.

    Parameters
    ----------
    volleys
        In the order in which they are resolved.
    unit
        The models, in the order in which they take wounds.
    arithmetic
        The arithmetic of the walk.
    deferred_after_all
        Whether deferred critical wounds wait for the last volley rather than for the end of their own.
    start
        The state before, or its law.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> from mathhammer.sequence import Chances, Group, WoundLaw
    >>> chances = Chances((2, 3, 1), (3, 2, 1, 6), 36, False, None, False)  # 2/3 to hit, 1/2 to wound
    >>> save = WoundLaw(18, IntegerLaw(1, (1,), 1))  # 4+, then one wound
    >>> volley = AllocatedVolley(dice("2"), chances, {0: save, 1: save}, {})
    >>> unit = Allocation((Group("Boy", 1, 1), Group("Nob", 1, 2)))
    >>> law = unit_losses([volley], unit, arithmetic=arithmetic(exact=True), deferred_after_all=True)
    >>> law.map(unit.wounds_lost().__getitem__).pmf(2)
    1/36
    """
    walk = Walk(arithmetic, start, unit.states)
    for index, volley in enumerate(volleys):
        require_attacks(volley.attacks)
        number = volley.attacks.law(arithmetic)
        # Saves belong to the model that a wound is allocated to, so that here every wound counts as unsaved.
        each = replace(volley.chances, unsaved=36).unsaved_wounds()
        one_wound = _matrix(volley.wounds, unit, volley.directed, arithmetic)
        if volley.defers:
            deferred = _matrix(volley.deferred, unit, volley.directed, arithmetic)
            walk.advance_deferring(one_wound, each, number, deferred, key=index)
        else:
            walk.advance_powers(one_wound, each.of_sum(), each.denominator, number)
        if not deferred_after_all:
            walk.resolve()
    walk.resolve()
    return walk.law()


def unit_attack_matrix(volley: AllocatedVolley, unit: Allocation, arithmetic: Arithmetic[P]) -> Matrix[P]:
    """Return the matrix of one attack whose wounds are all of the first kind."""
    each = replace(volley.chances, unsaved=36).unsaved_wounds()
    one_wound = _matrix(volley.wounds, unit, volley.directed, arithmetic)
    return one_wound.polynomial(each.of_sum(), each.denominator)


def _matrix(
    laws: Mapping[int, WoundLaw], unit: Allocation, directed: Sequence[int], arithmetic: Arithmetic[P]
) -> Matrix[P]:
    return arithmetic.matrix.from_rows(*unit.transition(laws, directed))
