"""Conditions of an attack beyond the profiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from mathhammer import validation
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.modifiers import Modifier, as_modifiers
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

Modifiers = int | Modifier | Iterable[Modifier]
Rerolled = Literal["ones", "failed"] | None


class SituationKeywords(TypedDict, total=False):
    """Keywords of a situation; none of them is on unless given.

    Attributes
    ----------
    charging
        The attacker charged in this turn (Charging Momentum, lances, Devastating Charge).
    first_round
        It is the first Round of Combat (Hatred, spears).
    in_combat
        These are struck in combat, as Close Combat Attacks always are: no Panic Test follows.
    flank_or_rear
        The attack comes from the flank or rear, so that Parry is no help.
    flanked
        The attacker's own unit is engaged in its flank or rear (Spears).
    long_range
        The target is beyond half of the maximum range.
    moved
        The shooters moved.
    stand_and_shoot
        The shots are a charge reaction.
    cover
        ``"soft"`` or ``"hard"``.
    attacker_afraid, target_afraid
        The unit failed its Fear test in this round.
    width, depth
        Models of the target in the rank or file that an Area Attack reaches along, and such ranks or files;
        `depth` is also the number of ranks or files that a Penetrating shot meets.
    hit_modifier, wound_modifier, armour_modifier
        A number or Modifiers: added to to-hit rolls, to-wound rolls, and to the target's Armour.
    reroll_hits, reroll_wounds, reroll_armour, reroll_special, reroll_aegis
        ``"ones"`` or ``"failed"``; of all Special Saves, and of Aegis alone.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> situation: SituationKeywords = {"long_range": True}
    >>> bows = t9a.ModelPart("Longbows", attacks=15, aim="4+", strength=3)
    >>> orcs = t9a.Target("Orcs", models=20, resilience=3, armour=1)
    >>> t9a.attack(bows, orcs, exact=True, **situation).hits.mean()  # 5+ where 4+ was needed
    5
    """

    charging: bool
    first_round: bool
    in_combat: bool
    flank_or_rear: bool
    flanked: bool
    long_range: bool
    moved: bool
    stand_and_shoot: bool
    cover: Literal["soft", "hard"] | None
    attacker_afraid: bool
    target_afraid: bool
    width: int | None
    depth: int | None
    hit_modifier: Modifiers
    wound_modifier: Modifiers
    armour_modifier: Modifiers
    reroll_hits: Rerolled
    reroll_wounds: Rerolled
    reroll_armour: Rerolled
    reroll_special: Rerolled
    reroll_aegis: Rerolled


@dataclass(frozen=True, slots=True)
class Situation:
    """A situation that was read: see `SituationKeywords` for what its fields mean."""

    charging: bool = False
    first_round: bool = False
    in_combat: bool = False
    flank_or_rear: bool = False
    flanked: bool = False
    long_range: bool = False
    moved: bool = False
    stand_and_shoot: bool = False
    cover: str | None = None
    attacker_afraid: bool = False
    target_afraid: bool = False
    width: int | None = None
    depth: int | None = None
    hit_modifier: tuple[Modifier, ...] = ()
    wound_modifier: tuple[Modifier, ...] = ()
    armour_modifier: tuple[Modifier, ...] = ()
    reroll_hits: Rerolled = None
    reroll_wounds: Rerolled = None
    reroll_armour: Rerolled = None
    reroll_special: Rerolled = None
    reroll_aegis: Rerolled = None


_NAMES = tuple(Situation.__dataclass_fields__)
_MODIFIERS = {
    "hit_modifier": "to-hit modifier",
    "wound_modifier": "to-wound modifier",
    "armour_modifier": "Armour modifier",
}
_CHOICES: dict[str, tuple[str | None, ...]] = {
    "cover": (None, "soft", "hard"),
    **dict.fromkeys(
        ("reroll_hits", "reroll_wounds", "reroll_armour", "reroll_special", "reroll_aegis"),
        (None, "ones", "failed"),
    ),
}


def read_situation(given: Mapping[str, Any]) -> Situation:
    """Return a checked situation."""
    return Situation(**{name: _read(name, value) for name, value in given.items()})


def _read(name: str, value: Any) -> Any:
    if not isinstance(name, str) or name not in _NAMES:
        hint = validation.nearest(name, _NAMES)
        raise UnknownNameError(f"expected a keyword of a situation, got {shown(name)}; {hint}")
    if name in _MODIFIERS:
        number = hasattr(value, "__index__") and not isinstance(value, bool)
        modifiers = as_modifiers(validation.whole(value, name) if number else value, _MODIFIERS[name])
        for modifier in modifiers:
            if modifier.operation not in {"add", "subtract"}:
                raise MathhammerError(f"expected a {_MODIFIERS[name]} to add or subtract, got {modifier}")
        return modifiers
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise MathhammerError(
                f"expected {' or '.join(repr(each) for each in _CHOICES[name])} as {name}, got {shown(value)}"
            )
        return value
    if name in {"width", "depth"}:
        return value if value is None else validation.whole(value, name, 1)
    if not isinstance(value, bool):
        raise MathhammerError(f"expected True or False as {name}, got {shown(value)}")
    return value
