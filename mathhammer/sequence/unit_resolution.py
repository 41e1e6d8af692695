"""Volleys against a unit of unequal models: the walk over what each of its queues has lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer.distributions import Deferred, Walk, step_matrices
from mathhammer.errors import MathhammerError
from mathhammer.sequence.allocation import Allocation
from mathhammer.sequence.resolution import require_attacks, require_wounds
from mathhammer.sequence.unit_law import UnitLaw, start_index

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.arithmetic import Arithmetic, Matrix, P
    from mathhammer.distributions import Distribution, GeneratingFunction
    from mathhammer.expressions import Expression
    from mathhammer.sequence.wound_law import WoundLaw

__all__ = [
    "AllocatedDirectly",
    "AllocatedVolley",
    "AllocatedWounds",
    "continued",
    "unit_attack_matrix",
    "unit_losses",
]


@dataclass(frozen=True, slots=True)
class AllocatedWounds:
    """Wounds of one kind, which do different things to different models.

    Parameters
    ----------
    laws
        What one wound does to each group of models.
    rank
        Nothing for wounds that are allocated at once; for wounds that wait when their turn is, lower ones first, and
        those below 0 once their own volley is resolved.
    directed
        Whether the attacker directs them too, where he directs those of the volley.

    Examples
    --------
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.sequence import WoundLaw
    >>> AllocatedWounds({0: WoundLaw(18, IntegerLaw(1, (1,), 1))}, rank=0).laws[0].unsaved
    18
    """

    laws: Mapping[int, WoundLaw]
    rank: int | None = None
    directed: bool = True


@dataclass(frozen=True, slots=True)
class AllocatedVolley:
    """A volley whose wounds do different things to different models.

    Parameters
    ----------
    attacks
        The number of attacks.
    each
        Joint law of the wounds of each kind that one attack inflicts, before saves.
    kinds
        The kinds, those that wait after those that do not.
    directed
        The groups at the first living one of which the attacker directs every wound.

    Examples
    --------
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> from mathhammer.sequence import Chances, WoundLaw
    >>> chances = Chances((2, 3, 1), (3, 2, 1, 6), 36, False, None, False)  # 2/3 to hit, 1/2 to wound
    >>> save = WoundLaw(18, IntegerLaw(1, (1,), 1))  # 4+, then one wound
    >>> wounds = chances.unsaved_wounds().marginal(0)
    >>> volley = AllocatedVolley(dice("2"), wounds, (AllocatedWounds({0: save, 1: save}),))
    >>> volley.defers
    False
    """

    attacks: Expression
    each: GeneratingFunction
    kinds: tuple[AllocatedWounds, ...]
    directed: tuple[int, ...] = ()

    @property
    def at_once(self) -> int:
        """Number of the kinds that are allocated at once."""
        return sum(kind.rank is None for kind in self.kinds)

    @property
    def defers(self) -> bool:
        """Whether any wound of it can wait."""
        return any(any(counts[self.at_once :]) for counts in self.each.coefficients)


@dataclass(frozen=True, slots=True)
class AllocatedDirectly:
    """Wounds that no attack inflicts, each on its own; they wait until the attacks are resolved.

    Parameters
    ----------
    number
        How many they are.
    wounds
        What one of them does.

    Examples
    --------
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> from mathhammer.sequence import WoundLaw
    >>> one = AllocatedWounds({0: WoundLaw(36, IntegerLaw(1, (1,), 1))}, rank=0)
    >>> AllocatedDirectly(dice("D3"), one).number.bounds()
    (1, 3)
    """

    number: Expression
    wounds: AllocatedWounds


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
    if (
        not isinstance(start, UnitLaw)
        or not isinstance(start.unit, Allocation)
        or start.unit.groups != unit.groups
    ):
        return unit, start_index(unit, start, exact=exact)
    if start.unit.begun_first != unit.begun_first:
        raise MathhammerError(
            "expected as start the result of an attack under the same ruling on leaders that are hurt; give both "
            "attacks the same rulings"
        )
    if start.unit.any_order != unit.any_order:
        raise MathhammerError(
            "expected as start the result of an attack on a unit whose player chooses as now, got one where he "
            "chose and goes by the order given, or the other way round; give both attacks the same allocation"
        )
    wider = unit.widened(start.unit)
    before = start_index(start.unit, start, exact=exact)
    if wider != start.unit and not isinstance(before, int):
        before = before.map(wider.embedding(start.unit).__getitem__)
    return wider, before


def unit_losses(
    volleys: Sequence[AllocatedVolley | AllocatedDirectly],
    unit: Allocation,
    *,
    arithmetic: Arithmetic[P],
    start: Distribution[P] | int = 0,
) -> Distribution[P]:
    """Law of the state of a unit of unequal models after all volleys.

    Parameters
    ----------
    volleys
        In the order in which they are resolved, with wounds that no attack inflicts.
    unit
        The models, in the order in which they take wounds.
    arithmetic
        The arithmetic of the walk.
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
    >>> wounds = chances.unsaved_wounds().marginal(0)
    >>> volley = AllocatedVolley(dice("2"), wounds, (AllocatedWounds({0: save, 1: save}),))
    >>> unit = Allocation((Group("Boy", 1, 1), Group("Nob", 1, 2)))
    >>> law = unit_losses([volley], unit, arithmetic=arithmetic(exact=True))
    >>> law.map(unit.wounds_lost().__getitem__).pmf(2)
    1/36
    """
    walk = Walk(arithmetic, start, unit.states)
    for index, volley in enumerate(volleys):
        if isinstance(volley, AllocatedDirectly):
            require_wounds(volley.number)
            kind = _deferred(volley.wounds, unit, (), (index,), arithmetic)
            walk.defer(kind, volley.number.law(arithmetic))
        else:
            _advance(walk, volley, unit, index, arithmetic)
        walk.resolve(below=0)
    walk.resolve()
    return walk.law()


def _advance(
    walk: Walk[P], volley: AllocatedVolley, unit: Allocation, index: int, arithmetic: Arithmetic[P]
) -> None:
    require_attacks(volley.attacks)
    number = volley.attacks.law(arithmetic)
    once = _at_once(volley, unit, arithmetic)
    if volley.defers:
        kinds = [
            _deferred(kind, unit, volley.directed if kind.directed else (), (index, place), arithmetic)
            for place, kind in enumerate(volley.kinds[volley.at_once :])
        ]
        walk.advance_deferring(once, volley.each, number, kinds)
    elif len(once) == 1:
        walk.advance_powers(once[0], volley.each.of_sum(), volley.each.denominator, number)
    else:
        walk.advance(unit_attack_matrix(volley, unit, arithmetic), number)


def unit_attack_matrix(volley: AllocatedVolley, unit: Allocation, arithmetic: Arithmetic[P]) -> Matrix[P]:
    """Return the matrix of one attack of which no wound waits."""
    (matrix,) = step_matrices(_at_once(volley, unit, arithmetic), volley.each).values()
    return matrix


def _at_once(volley: AllocatedVolley, unit: Allocation, arithmetic: Arithmetic[P]) -> list[Matrix[P]]:
    """Return the matrices of one wound of each kind that does not wait."""
    return [_matrix(kind.laws, unit, volley.directed, arithmetic) for kind in volley.kinds[: volley.at_once]]


def _deferred(
    wounds: AllocatedWounds,
    unit: Allocation,
    directed: Sequence[int],
    key: tuple[int, ...],
    arithmetic: Arithmetic[P],
) -> Deferred[P]:
    return Deferred(_matrix(wounds.laws, unit, directed, arithmetic), key, wounds.rank or 0)


def _matrix(
    laws: Mapping[int, WoundLaw], unit: Allocation, directed: Sequence[int], arithmetic: Arithmetic[P]
) -> Matrix[P]:
    return arithmetic.matrix.from_rows(*unit.transition(laws, directed))
