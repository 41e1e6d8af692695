"""Special Attacks: they hit without a roll, in an initiative step of their own, and take nothing from weapons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Required, TypedDict, Unpack

from mathhammer.systems.t9a.armament import FIRST_STEP, LAST_STEP
from mathhammer.systems.t9a.profiles import ModelPart

if TYPE_CHECKING:
    from mathhammer.expressions import Expression


class SpecialKeywords(TypedDict, total=False):
    """Keywords of a Special Attack, as of `ModelPart`."""

    strength: Required[int]
    armour_penetration: int
    models: int
    attributes: str
    at: str


def breath_attack(*, agility: int = 3, **profile: Unpack[SpecialKeywords]) -> ModelPart:
    """Return a Breath Attack: 2D6 hits, once in a game.

    Examples
    --------
    >>> print(breath_attack(strength=4))
    Breath Attack: 2D6 automatic hits, Str 4, AP 0, Agi 3 [Breath Attack]

    References
    ----------
    The 9th Age rulebook, 2nd edition, Breath Attack.
    """
    return _special("Breath Attack", "2D6", agility, **profile)


def impact_hits(hits: int | str | Expression, **profile: Unpack[SpecialKeywords]) -> ModelPart:
    """Return Impact Hits (X), rolled for each model part, in the first initiative step of the round of its charge.

    Examples
    --------
    >>> print(impact_hits("D6+1", strength=5, armour_penetration=2))
    Impact Hits: D6+1 automatic hits, Str 5, AP 2, Agi 10 [Impact Hits]

    References
    ----------
    The 9th Age rulebook, 2nd edition, Impact Hits.
    """
    return _special("Impact Hits", hits, FIRST_STEP, **profile)


def grind_attacks(
    hits: int | str | Expression, *, agility: int = 3, **profile: Unpack[SpecialKeywords]
) -> ModelPart:
    """Return Grind Attacks (X), rolled for each model part; not in one round with Impact Hits.

    Examples
    --------
    >>> print(grind_attacks("D3", strength=5, models=3))
    Grind Attacks: 3 × D3 automatic hits, Str 5, AP 0, Agi 3 [Grind Attacks]

    References
    ----------
    The 9th Age rulebook, 2nd edition, Grind Attacks.
    """
    return _special("Grind Attacks", hits, agility, **profile)


def stomp_attacks(hits: int | str | Expression, **profile: Unpack[SpecialKeywords]) -> ModelPart:
    """Return Stomp Attacks (X) against models of Standard size, in the last initiative step.

    Examples
    --------
    >>> print(stomp_attacks(1, strength=4, models=3))
    Stomp Attacks: 3 × 1 automatic hits, Str 4, AP 0, Agi 0 [Stomp Attacks]

    References
    ----------
    The 9th Age rulebook, 2nd edition, Stomp Attacks.
    """
    return _special("Stomp Attacks", hits, LAST_STEP, **profile)


def sweeping_attack(hits: int | str | Expression, **profile: Unpack[SpecialKeywords]) -> ModelPart:
    """Return a Sweeping Attack: automatic ranged hits on a unit that was moved over.

    Examples
    --------
    >>> print(sweeping_attack("2D6", strength=4))
    Sweeping Attack: 2D6 automatic hits, Str 4, AP 0, Agi 0 [Sweeping Attack]

    References
    ----------
    The 9th Age rulebook, 2nd edition, Sweeping Attack.
    """
    return _special("Sweeping Attack", hits, LAST_STEP, **profile)


def crush_attack(*, offensive_skill: int, at: str | tuple[str, ...] = "rank and file") -> ModelPart:
    """Return a Crush Attack: one attack that rolls to hit, in the last initiative step, instead of all others.

    Examples
    --------
    >>> print(crush_attack(offensive_skill=3))
    Crush Attack: 1 attacks, Off 3, Str 10, AP 10, Agi 0 [Crush Attack, Multiple Wounds (D3+1)]

    References
    ----------
    The 9th Age rulebook, 2nd edition, Crush Attack.
    """
    return ModelPart(
        "Crush Attack",
        attacks=1,
        offensive_skill=offensive_skill,
        strength=10,
        armour_penetration=10,
        agility=LAST_STEP,
        attributes="Crush Attack, Multiple Wounds (D3+1)",
        at=at,
    )


def _special(
    name: str, hits: int | str | Expression, agility: int, **profile: Unpack[SpecialKeywords]
) -> ModelPart:
    others: dict[str, Any] = {**profile, "attributes": f"{name}, {profile.get('attributes', '')}"}
    return ModelPart(name, attacks=hits, agility=agility, **others)
