"""Mortal wounds on their own: no hit roll, no wound roll, no save; and the dice of rules that inflict them."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.arithmetic import arithmetic
from mathhammer.distributions import JointDistribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression, as_expression, dice, faces
from mathhammer.sequence import UnitDistribution, records_call
from mathhammer.systems.wh40k.attacks.attack_sequence import AttackSequence
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.systems.wh40k.profiles.targets import read_target
from mathhammer.systems.wh40k.profiles.volleys import MortalWounds
from mathhammer.systems.wh40k.sequence.damage import integer_distribution
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.profiles.targets import Attackable


Number = int | str | Expression | MortalWounds


@records_call("40k")
def mortal_wounds(
    number: Number,
    target: Attackable,
    /,
    *,
    edition: str = DEFAULT_EDITION,
    exact: bool = False,
    start: UnitDistribution | None = None,
) -> UnitDistribution:
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
    kind = arithmetic(exact=exact)
    sequence = AttackSequence([wounds], target, find_edition(edition).by_default, kind)
    unit, states, _ = sequence.resolve(start)
    return UnitDistribution(unit, states if start is None else sequence.states_after(start))


def grenade() -> Expression:
    """Number of mortal wounds of a Grenade, in the 11th edition of Explosives: six D6, one for each 4+.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> wh40k.grenade().distribution(exact=True).mean()
    3

    References
    ----------
    Warhammer 40,000 10th edition core stratagems, Grenade; 11th edition core stratagems, Explosives.
    """
    return faces({number: comb(6, number) for number in range(7)})


def tank_shock(toughness: int) -> Expression:
    """Number of mortal wounds of Tank Shock: a D6 for each point of Toughness, one for each 5+, 6 at most.

    Examples
    --------
    >>> tank_shock(3).distribution(exact=True).mean()
    1

    References
    ----------
    Warhammer 40,000 10th edition core stratagems, Tank Shock; Core Rules Updates.
    """
    toughness = _toughness(toughness)
    weights: dict[int, int] = {}
    for number in range(toughness + 1):
        capped = min(6, number)
        weights[capped] = weights.get(capped, 0) + comb(toughness, number) * 2 ** (toughness - number)
    return faces(weights)


def crushing_impact(toughness: int, /, *, exact: bool = False) -> JointDistribution:
    """Mortal wounds of Crushing Impact on the enemy unit and on the own one, together (11th edition).

    A D6 is rolled for each point of the Toughness of one of the own models: each 5+ is one on the enemy, each 1 one on
    the own unit, 6 at most on either.

    Parameters
    ----------
    toughness
        Of the model, from 1 to 100.
    exact
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> impact = wh40k.crushing_impact(9, exact=True)
    >>> impact.marginal("enemy").mean(), impact.marginal("enemy").pmf(6)
    (19622/6561, 835/19683)

    References
    ----------
    Warhammer 40,000 11th edition core stratagems, Crushing Impact.
    """
    rolled = _toughness(toughness)
    weights: dict[tuple[int, int], int] = {}
    for enemy in range(rolled + 1):
        for own in range(rolled - enemy + 1):
            ways = comb(rolled, enemy) * comb(rolled - enemy, own) * 2**enemy * 3 ** (rolled - enemy - own)
            capped = min(6, enemy), min(6, own)
            weights[capped] = weights.get(capped, 0) + ways
    mass = arithmetic(exact=validation.flag(exact, "exact")).mass
    return JointDistribution(
        ("enemy", "own"), tuple(weights), mass.from_weights(list(weights.values()), 6**rolled)
    )


def _toughness(value: int) -> int:
    number = validation.as_whole(value)
    if number is None or not 1 <= number <= 100:
        raise MathhammerError(f"expected a Toughness from 1 to 100, got {shown(value)}")
    return number


def deadly_demise(value: int | str | Expression, /) -> Expression:
    """Number of mortal wounds that each unit within 6" suffers when one such model is destroyed.

    It is rolled when the model is destroyed: on a 6 each unit in range suffers that many, a random number rolled
    for each unit.

    Parameters
    ----------
    value
        The X of Deadly Demise X.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> wh40k.deadly_demise("D6").distribution(exact=True).mean()
    7/12

    References
    ----------
    Warhammer 40,000 10th edition core rules, Deadly Demise; 11th edition core rules, 24.08.
    """
    distribution = integer_distribution(dice(value) if isinstance(value, str) else as_expression(value))
    if distribution.low < 1:
        raise MathhammerError(f"expected mortal wounds of 1 or more as Deadly Demise, got {shown(value)}")
    return faces({0: 5 * distribution.denominator, **dict(distribution.items())})
