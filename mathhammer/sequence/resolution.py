"""Volleys against a unit of equal models: the walk from the first attack to the last lost model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.distributions import Walk
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.arithmetic import Arithmetic, Matrix, P
    from mathhammer.distributions import Distribution, IntegerLaw
    from mathhammer.sequence.volley import VolleyLaw

__all__ = ["MAXIMUM_ATTACKS", "MAXIMUM_WOUNDS", "losses"]

#: Most attacks of one volley, and most wounds of one unit.
MAXIMUM_ATTACKS = 20_000
MAXIMUM_WOUNDS = 4_000


def losses(
    volleys: Sequence[VolleyLaw],
    *,
    models: int,
    wounds: int,
    arithmetic: Arithmetic[P],
    deferred_after_all: bool,
) -> Distribution[P]:
    """Law of the wounds that a unit of equal models has lost after all volleys.

    The wounded model is always the next to be wounded, and damage beyond a model's last wound is lost, so the
    total of lost wounds says which models are destroyed.

    Parameters
    ----------
    volleys
        In the order in which they are resolved.
    models, wounds
        Number of models, and wounds of each.
    arithmetic
        The arithmetic of the walk.
    deferred_after_all
        Whether deferred critical wounds wait for the last volley rather than for the end of their own.

    Returns
    -------
    Distribution
        Of the lost wounds, from 0 to ``models * wounds``.
    """
    _require_size(volleys, models, wounds)
    walk = Walk(arithmetic, 0, models * wounds + 1)
    kinds: list[tuple[IntegerLaw, IntegerLaw | None]] = []
    for volley in volleys:
        defers = volley.chances.critical_wounds_deferred and volley.chances.wound[2] > 0
        kinds.append((volley.damage, volley.deferred_damage if defers else None))
    for index, volley in enumerate(volleys):
        later = kinds[index + 1 :] if deferred_after_all else []
        _advance(walk, volley, kinds[index][1], [volley.damage, *_damages(later)], models, wounds, arithmetic)
        if not deferred_after_all:
            walk.resolve()
    walk.resolve()
    return walk.law()


def _damages(kinds: Sequence[tuple[IntegerLaw, IntegerLaw | None]]) -> list[IntegerLaw]:
    return [damage for pair in kinds for damage in pair if damage is not None]


def _advance(
    walk: Walk[P],
    volley: VolleyLaw,
    deferred: IntegerLaw | None,
    before_deferred: Sequence[IntegerLaw],
    models: int,
    wounds: int,
    arithmetic: Arithmetic[P],
) -> None:
    """Walk one volley; what it defers is walked at once where the order can make no difference."""
    each = volley.chances.unsaved_wounds()
    number = volley.attacks.law(arithmetic)
    block, denominator = _model_block(volley.damage, wounds)
    waits = deferred is not None and any(
        _model_block(damage, wounds) != _model_block(deferred, wounds) for damage in before_deferred
    )
    if deferred is None or not waits:
        transition = _transition(block, denominator, each.of_sum(), each.denominator, models, arithmetic)
        walk.advance(transition, number)
        return
    one_wound = arithmetic.matrix.banded(block, denominator, models)
    kernels = [one_wound.polynomial(row, each.denominator) for row in each.by_second()]
    deferred_block = _model_block(deferred, wounds)
    walk.advance_deferring(
        kernels,
        number,
        arithmetic.matrix.banded(*deferred_block, models),
        key=(tuple(map(tuple, deferred_block[0])), deferred_block[1]),
    )


def _model_block(damage: IntegerLaw, wounds: int) -> tuple[list[list[int]], int]:
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


def _require_size(volleys: Sequence[VolleyLaw], models: int, wounds: int) -> None:
    if models * wounds > MAXIMUM_WOUNDS:
        raise TooLargeError(
            f"expected a unit of at most {MAXIMUM_WOUNDS:,} wounds in all, but {models:,} models of {wounds:,} "
            f"wounds have {models * wounds:,}; use fewer models"
        )
    for volley in volleys:
        most = volley.attacks.bounds()[1]
        if most > MAXIMUM_ATTACKS:
            raise TooLargeError(
                f"expected at most {MAXIMUM_ATTACKS:,} attacks in a volley, but {volley.attacks} can be {most:,}; "
                "use fewer weapons or attacks"
            )
