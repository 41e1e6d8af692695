"""Conditions of an attack beyond the profiles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from mathhammer import validation
from mathhammer.errors import UnknownNameError
from mathhammer.fields.kinds import Additions, Boolean, MaybeInteger, OneOf
from mathhammer.fields.profile import Record
from mathhammer.modifiers import Modifier
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

#: A number that is added to a roll, or Modifiers.
Added = int | Modifier | Iterable[Modifier]
Rerolled = Literal["ones", "failed"] | None


class SituationKeywords(TypedDict, total=False):
    """Keywords of a situation; none of them is on unless given.

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
    hit_modifier: Added
    wound_modifier: Added
    armour_modifier: Added
    reroll_hits: Rerolled
    reroll_wounds: Rerolled
    reroll_armour: Rerolled
    reroll_special: Rerolled
    reroll_aegis: Rerolled


class Situation(Record):
    """A situation that was read; its fields are the `SituationKeywords`."""

    charging: Boolean = Boolean("The attackers charged this turn")
    first_round: Boolean = Boolean("It is the first Round of Combat (Hatred, spears)")
    in_combat: Boolean = Boolean("Automatic hits are struck in combat (no Panic Test)")
    flank_or_rear: Boolean = Boolean("The attack is on flank or rear (no Parry)")
    flanked: Boolean = Boolean("The attackers are engaged in flank or rear (no braced Spears)")
    long_range: Boolean = Boolean("The target is at long range")
    moved: Boolean = Boolean("The shooters moved")
    stand_and_shoot: Boolean = Boolean("The shots are a charge reaction")
    attacker_afraid: Boolean = Boolean("The attackers failed their Fear Test")
    target_afraid: Boolean = Boolean("The target failed its Fear Test")
    cover: OneOf[Literal["soft", "hard"] | None] = OneOf("Cover", "soft", "hard", default=None)
    width: MaybeInteger = MaybeInteger("Models in a rank of an Area Attack", least=1, most=None)
    depth: MaybeInteger = MaybeInteger("Ranks of an Area Attack", least=1, most=None)
    hit_modifier: Additions = Additions("Added to to-hit rolls", "to-hit modifier")
    wound_modifier: Additions = Additions("Added to to-wound rolls", "to-wound modifier")
    armour_modifier: Additions = Additions("Added to the target's Armour", "Armour modifier")
    reroll_hits: OneOf[Rerolled] = OneOf("Re-roll to-hit rolls", "ones", "failed", default=None)
    reroll_wounds: OneOf[Rerolled] = OneOf("Re-roll to-wound rolls", "ones", "failed", default=None)
    reroll_armour: OneOf[Rerolled] = OneOf("Re-roll Armour Saves", "ones", "failed", default=None)
    reroll_special: OneOf[Rerolled] = OneOf("Re-roll Special Saves", "ones", "failed", default=None)
    reroll_aegis: OneOf[Rerolled] = OneOf("Re-roll Aegis Saves", "ones", "failed", default=None)


Situation.document(SituationKeywords)


def read_situation(given: Mapping[str, Any]) -> Situation:
    """Return a checked situation."""
    for name in given:
        if not isinstance(name, str) or name not in Situation.fields:
            hint = validation.nearest(name, Situation.fields)
            raise UnknownNameError(f"expected a keyword of a situation, got {shown(name)}; {hint}")
    return Situation(**given)
