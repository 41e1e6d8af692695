"""Mortal wounds on their own: no hit roll, no wound roll, no save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Literal, TypedDict, Unpack, cast, overload

from mathhammer.arithmetic import P, arithmetic
from mathhammer.expressions import Expression
from mathhammer.sequence import UnitDistribution, records_call
from mathhammer.systems.wh40k.attacks.attack_sequence import AttackSequence
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.systems.wh40k.profiles.targets import read_target
from mathhammer.systems.wh40k.profiles.volleys import MortalWounds

if TYPE_CHECKING:
    from sympy import Rational

    from mathhammer.arithmetic import Arithmetic
    from mathhammer.systems.wh40k.profiles.targets import Attackable


class _Options(TypedDict, Generic[P], total=False):
    edition: str
    start: UnitDistribution[P] | None


Number = int | str | Expression | MortalWounds


@overload
def mortal_wounds(
    number: Number, target: Attackable, /, *, exact: Literal[False] = ..., **options: Unpack[_Options[float]]
) -> UnitDistribution[float]: ...
@overload
def mortal_wounds(
    number: Number, target: Attackable, /, *, exact: Literal[True], **options: Unpack[_Options[Rational]]
) -> UnitDistribution[Rational]: ...
@records_call("40k")
def mortal_wounds(
    number: Number,
    target: Attackable,
    /,
    *,
    edition: str = DEFAULT_EDITION,
    exact: bool = False,
    start: UnitDistribution[P] | None = None,
) -> UnitDistribution[P]:
    """Inflict plain mortal wounds, which spill over from model to model in every edition.

    Parameters
    ----------
    number
        A number or dice, or :class:`mathhammer.wh40k.MortalWounds`.
    target
        As for :func:`mathhammer.wh40k.attack`.
    edition, exact, start
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer.systems.wh40k.profiles.profiles import Target
    >>> marines = Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> mortal_wounds(6, marines, exact=True).kills.pmf(3)
    1

    References
    ----------
    Warhammer 40,000 9th and 10th edition core rules, Mortal Wounds; 11th edition core rules, Mortal Wounds.
    """
    target = read_target(target, edition)
    wounds = number if isinstance(number, MortalWounds) else MortalWounds(number)
    kind = cast("Arithmetic[P]", arithmetic(exact=exact))
    unit, states, _ = AttackSequence([wounds], target, find_edition(edition).by_default, kind).resolve(start)
    return UnitDistribution(unit, states)
