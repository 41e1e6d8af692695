"""Volleys against a unit of equal models: the walk from the first attack to the last lost model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.distributions import Deferred, Walk
from mathhammer.errors import TooLargeError
from mathhammer.sequence.volley import DirectWounds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.arithmetic import Arithmetic, Matrix, P
    from mathhammer.distributions import Distribution, IntegerLaw
    from mathhammer.expressions import Expression
    from mathhammer.sequence.unit_law import EqualModels
    from mathhammer.sequence.volley import VolleyLaw

__all__ = [
    "MAXIMUM_ATTACKS",
    "MAXIMUM_WOUNDS",
    "attack_matrix",
    "losses",
    "model_block",
    "require_attacks",
    "require_wounds",
]

#: Most attacks of one volley, and most wounds of one unit.
MAXIMUM_ATTACKS = 20_000
MAXIMUM_WOUNDS = 4_000


def losses(
    volleys: Sequence[VolleyLaw | DirectWounds],
    unit: EqualModels,
    *,
    arithmetic: Arithmetic[P],
    start: Distribution[P] | int = 0,
) -> Distribution[P]:
    """Law of the wounds that a unit of equal models has lost after all volleys.

    The wounded model is always the next to be wounded, and damage beyond a model's last wound is lost, so the
    total of lost wounds says which models are destroyed.

    Parameters
    ----------
    volleys
        In the order in which they are resolved, with wounds that no attack inflicts.
    unit
        The models.
    arithmetic
        The arithmetic of the walk.
    start
        Wounds lost before, or their law.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> from mathhammer.distributions import IntegerLaw
    >>> from mathhammer.expressions import dice
    >>> from mathhammer.sequence import Chances, EqualModels, VolleyLaw
    >>> chances = Chances((2, 3, 1), (3, 2, 1, 6), 18, False, None, False)  # 2/3 to hit, 1/2 to wound, save 4+
    >>> one = IntegerLaw(1, (1,), 1)
    >>> volley = VolleyLaw(dice("2"), chances, (one, one))
    >>> losses([volley], EqualModels(2, 1), arithmetic=arithmetic(exact=True)).mean()
    1/3
    """
    _require_size(volleys, unit)
    walk = Walk(arithmetic, start, unit.states)
    waiting: list[IntegerLaw] = []
    for index, volley in enumerate(volleys):
        later = volleys[index + 1 :]
        if isinstance(volley, DirectWounds):
            walk.defer(_deferred(volley.damage, volley.rank, unit, arithmetic), volley.number.law(arithmetic))
            waiting.append(volley.damage)
        elif _advance(walk, volley, waiting, later, unit, arithmetic):
            waiting += [
                further for further, rank in zip(volley.damages[1:], volley.ranks, strict=True) if rank >= 0
            ]
        walk.resolve(below=0)
    walk.resolve()
    return walk.law()


def _damages(volleys: Sequence[VolleyLaw | DirectWounds]) -> Iterator[IntegerLaw]:
    """What else is resolved before wounds that wait for all volleys, or between them and those of others."""
    for other in volleys:
        if isinstance(other, DirectWounds):
            yield other.damage
        else:
            yield from other.damages if other.defers else other.damages[:1]


def _advance(
    walk: Walk[P],
    volley: VolleyLaw,
    waiting: Sequence[IntegerLaw],
    later: Sequence[VolleyLaw | DirectWounds],
    unit: EqualModels,
    arithmetic: Arithmetic[P],
) -> bool:
    """Walk one volley; return whether deferred wounds of it wait.

    They are walked at once where the order can make no difference: where every other wound that might come
    between moves the unit in the same way.
    """
    each = volley.chances.unsaved_wounds()
    number = volley.attacks.law(arithmetic)
    models, wounds = unit.models, unit.wounds
    events = each.of_sum()
    damage = volley.damages[0]
    bits = (each.denominator * damage.denominator).bit_length() if number.exact else 0
    walk.require(number.support[-1], degree=len(events) - 1, bits=bits)
    between = () if max(volley.ranks, default=0) < 0 else (*waiting, *_damages(later))
    one = block, denominator = model_block(damage, wounds)
    if not volley.defers or all(model_block(other, wounds) == one for other in (*volley.damages, *between)):
        transition = _transition(block, denominator, events, each.denominator, models, arithmetic)
        walk.advance(transition, number)
        return False
    one_wound = arithmetic.matrix.banded(block, denominator, models)
    kinds = [
        _deferred(further, rank, unit, arithmetic)
        for further, rank in zip(volley.damages[1:], volley.ranks, strict=True)
    ]
    walk.advance_deferring([one_wound], each, number, kinds)
    return True


def _deferred(damage: IntegerLaw, rank: int, unit: EqualModels, arithmetic: Arithmetic[P]) -> Deferred[P]:
    block, denominator = model_block(damage, unit.wounds)
    transition = arithmetic.matrix.banded(block, denominator, unit.models)
    return Deferred(transition, (tuple(map(tuple, block)), denominator), rank)


def attack_matrix(volley: VolleyLaw, unit: EqualModels, arithmetic: Arithmetic[P]) -> Matrix[P]:
    """Return the matrix of one attack whose wounds are all of the first kind."""
    each = volley.chances.unsaved_wounds()
    block, denominator = model_block(volley.damages[0], unit.wounds)
    return _transition(block, denominator, each.of_sum(), each.denominator, unit.models, arithmetic)


def model_block(damage: IntegerLaw, wounds: int) -> tuple[list[list[int]], int]:
    """Weights from each state of one model to the states of the same model and, last, to its destruction."""
    padded = [0] * damage.low + list(damage.weights)
    padded += [0] * (wounds - len(padded))
    block = []
    for lost in range(wounds):
        row = [0] * lost + padded[: wounds - lost]
        row.append(damage.denominator - sum(row))
        block.append(row)
    return block, damage.denominator


def _transition(
    block: list[list[int]],
    denominator: int,
    events: Sequence[int],
    events_denominator: int,
    models: int,
    arithmetic: Arithmetic[P],
) -> Matrix[P]:
    """Matrix of one attack that makes ``i`` wounds with weight ``events[i]``."""
    if len(events) > 2:
        return arithmetic.matrix.banded(block, denominator, models).polynomial(events, events_denominator)
    none = events[0] * denominator
    one = events[1] if len(events) == 2 else 0
    mixed = [[one * weight for weight in row] for row in block]
    for lost, row in enumerate(mixed):
        row[lost] += none
    return arithmetic.matrix.banded(mixed, denominator * events_denominator, models)


def _require_size(volleys: Sequence[VolleyLaw | DirectWounds], unit: EqualModels) -> None:
    models, wounds = unit.models, unit.wounds
    if models * wounds > MAXIMUM_WOUNDS:
        raise TooLargeError(
            f"expected a unit of at most {MAXIMUM_WOUNDS:,} wounds in all, but {models:,} models of {wounds:,} "
            f"wounds have {models * wounds:,}; use fewer models"
        )
    for volley in volleys:
        if isinstance(volley, DirectWounds):
            require_wounds(volley.number)
        else:
            require_attacks(volley.attacks)


def require_attacks(attacks: Expression) -> None:
    """Refuse more attacks than a walk can make in reasonable time.

    Raises
    ------
    TooLargeError
        If there can be too many.
    """
    most = attacks.bounds()[1]
    if most > MAXIMUM_ATTACKS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKS:,} attacks in a volley, but {attacks} can be {most:,}; "
            "use fewer weapons or attacks"
        )


def require_wounds(number: Expression) -> None:
    """Refuse more wounds without an attack than a walk can make in reasonable time.

    Raises
    ------
    TooLargeError
        If there can be too many.
    """
    most = number.bounds()[1]
    if most > MAXIMUM_ATTACKS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKS:,} wounds without an attack at once, but {number} can be {most:,}; "
            "use fewer of them"
        )
