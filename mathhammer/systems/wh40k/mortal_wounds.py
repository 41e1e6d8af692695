"""Mortal wounds on their own: no hit roll, no wound roll, no save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from mathhammer.arithmetic import arithmetic
from mathhammer.distributions import GeneratingFunction, IntegerLaw
from mathhammer.expressions import Expression, as_expression, dice
from mathhammer.sequence import EqualModels, UnitLaw, VolleyLaw, asked, ignoring_wounds, losses, start_index
from mathhammer.systems.wh40k.triggered import TriggeredChances

if TYPE_CHECKING:
    from sympy import Rational

    from mathhammer.systems.wh40k.profiles import Target

__all__ = ["mortal_wounds"]


@overload
def mortal_wounds(
    number: int | str | Expression,
    target: Target,
    /,
    *,
    exact: Literal[False] = ...,
    start: UnitLaw[float] | None = ...,
) -> UnitLaw[float]: ...
@overload
def mortal_wounds(
    number: int | str | Expression,
    target: Target,
    /,
    *,
    exact: Literal[True],
    start: UnitLaw[Rational] | None = ...,
) -> UnitLaw[Rational]: ...
@asked("40k")
def mortal_wounds(
    number: int | str | Expression,
    target: Target,
    /,
    *,
    exact: bool = False,
    start: UnitLaw[Any] | None = None,
) -> UnitLaw[Any]:
    """Inflict plain mortal wounds, which spill over from model to model in every edition.

    Parameters
    ----------
    number
        A number or dice.
    target
        The unit.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.
    start
        The state of the target before.

    Examples
    --------
    >>> from mathhammer.systems.wh40k.profiles import Target
    >>> marines = Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> mortal_wounds(6, marines, exact=True).kills.pmf(3)
    1

    References
    ----------
    Warhammer 40,000 9th and 10th edition core rules, Mortal Wounds.
    """
    attacks = dice(number) if isinstance(number, str) else as_expression(number)
    rolls = [roll for roll in (target.feel_no_pain, target.feel_no_pain_mortal) if roll is not None]
    one = IntegerLaw(1, (1,), 1)
    each = GeneratingFunction({(1, 0): 1}, 1)
    damage = ignoring_wounds(one, min(rolls, default=None))
    law = VolleyLaw(attacks, TriggeredChances(each, each, each, each), damage, damage)
    unit = EqualModels(target.models, target.wounds)
    states = losses(
        [law],
        unit,
        arithmetic=arithmetic(exact=exact),
        deferred_after_all=True,
        start=target.wounds_lost if start is None else start_index(unit, start, exact=exact),
    )
    return UnitLaw(unit, states)
