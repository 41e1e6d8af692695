"""The hit roll and the wound roll of a volley: what they need, what modifies them, what is critical."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mathhammer.expressions.check import Check
from mathhammer.expressions.expression import Constant
from mathhammer.modifiers import Modifier, clamped_total
from mathhammer.systems.wh40k.conditions import without_harm
from mathhammer.systems.wh40k.damage import integer_law
from mathhammer.systems.wh40k.saves import cover_modifiers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.expressions.check import Reroll
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.keywords import Keyword
    from mathhammer.systems.wh40k.profiles import Target, Weapon
    from mathhammer.systems.wh40k.situation import Situation

__all__ = ["Wound", "hit_roll", "wound_need", "wound_rolls", "wound_weights"]

#: A target number that no roll reaches.
_NEVER = 99
_SIXES: tuple[tuple[int, bool], ...] = ((6, False),)
#: Situations in words.
_WHEN = {"stationary": "remained stationary", "moved": "moved", "advanced": "advanced"}


class Wound(NamedTuple):
    """One wound roll: the strength it is made with and the weight of that strength."""

    strength: int
    weight: int
    check: Check


def hit_roll(
    weapon: Weapon,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    edition: Edition,
    rulings: Mapping[str, str],
) -> tuple[Check | None, tuple[Modifier, ...]]:
    """Return the hit roll, or nothing where attacks hit without one (Torrent)."""
    torrent = "Torrent" in abilities or weapon.skill is None
    overwatch = situation.overwatch and not weapon.melee  # it is a shooting attack
    if torrent and not (overwatch and rulings.get("torrent_overwatch") == "needs-6"):
        return None, ()
    modifiers = list(situation.hit_modifier)
    for ability, when, value in edition.movement if abilities else ():
        if ability in abilities and getattr(situation, when):
            modifiers.append(Modifier("add", value, f"{ability}, {_WHEN[when]}"))
    if situation.cover:
        modifiers += cover_modifiers(weapon, "hit", abilities, situation, edition)
    indirect = situation.indirect and "Indirect Fire" in abilities
    if indirect:
        modifiers.append(Modifier("subtract", 1, "Indirect Fire, target not visible"))
    if situation.ignored:
        modifiers = without_harm(modifiers, "hit" in situation.ignored)
    criticals = _critical_hits(abilities, situation, edition, rulings)
    if overwatch:  # what modifies the roll does not help it to succeed, but rules may read the modified roll
        criticals = _SIXES if edition.critical else ()
    fails_up_to = 3 if indirect else 1
    if indirect and rulings.get("indirect_against_critical") == "critical":
        fails_up_to = min(3, max(1, _lowest(criticals) - 1))
    check = Check(
        need=_NEVER if overwatch else weapon.skill or _NEVER,
        modifier=clamped_total(modifiers, -edition.roll_cap, edition.roll_cap) if modifiers else 0,
        fails_up_to=fails_up_to,
        succeeds_from=7 if edition.critical else 6,
        criticals=criticals,
        reroll=situation.reroll_hits,
    )
    return check, tuple(modifiers)


def _critical_hits(
    abilities: Mapping[str, Keyword], situation: Situation, edition: Edition, rulings: Mapping[str, str]
) -> tuple[tuple[int, bool], ...]:
    """Return the faces from which a hit is critical, and whether it must also succeed."""
    if not edition.critical:
        return ()
    criticals = _SIXES
    if situation.critical_hit < 6:
        must_succeed = (
            "critical_hit" in situation.successful or rulings.get("critical_hit_wording") == "successful"
        )
        criticals = (*criticals, (situation.critical_hit, must_succeed))
    if situation.long_range and "Conversion" in abilities:
        criticals = (*criticals, (4, True))
    return criticals


def _lowest(criticals: Sequence[tuple[int, bool]]) -> int:
    """Lowest face that succeeds because it is critical."""
    return min(face for face, must_succeed in criticals if not must_succeed)


def wound_rolls(
    weapon: Weapon,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    edition: Edition,
    rulings: Mapping[str, str],
) -> tuple[tuple[Wound, ...], tuple[Modifier, ...]]:
    """Return the wound roll for each strength that the weapon can have."""
    modifiers = list(situation.wound_modifier)
    if situation.charged and "Lance" in abilities:
        modifiers.append(Modifier("add", 1, "Lance, charged"))
    if situation.ignored:
        modifiers = without_harm(modifiers, "wound" in situation.ignored)
    threshold = 6 if "critical_wound" in situation.successful else situation.critical_wound
    if "Anti" in abilities:
        anti = abilities["Anti"].value
        threshold = min(threshold, anti.value if isinstance(anti, Constant) else threshold)
    modifier = clamped_total(modifiers, -edition.roll_cap, edition.roll_cap) if modifiers else 0
    always = 7 if edition.critical else 6
    criticals: tuple[tuple[int, bool], ...] = ((threshold, False),) if edition.critical else ()
    if "critical_wound" in situation.successful:
        criticals = (*criticals, (situation.critical_wound, True))
    fails_up_to = _failing_wounds(situation, threshold, modifier, rulings)
    enough = situation.wounds_on or 7
    strengths = integer_law(weapon.strength)
    wounds = []
    for rolled, weight in enumerate(strengths.weights, strengths.low):
        if weight:
            strength = max(1, rolled)
            need = min(enough, wound_need(strength, target.toughness))
            check = Check(need, modifier, fails_up_to, always, criticals, situation.reroll_wounds)
            if "Twin-linked" in abilities:
                check = check._replace(reroll=_also_failed(check))
            wounds.append(Wound(strength, weight, check))
    return tuple(wounds), tuple(modifiers)


def _also_failed(check: Check) -> Reroll:
    """Return the re-roll of a check whose failures may be re-rolled too: its owner picks the rule for each die.

    References
    ----------
    Warhammer 40,000 10th edition core rules, Twin-linked; Rules Commentary, Re-rolls.
    """
    if isinstance(check.reroll, frozenset):
        return check.reroll | check._replace(reroll="failed").rerolled()
    return "non-critical" if check.reroll == "non-critical" else "failed"


def _failing_wounds(situation: Situation, critical: int, modifier: int, rulings: Mapping[str, str]) -> int:
    """Return up to which unmodified face a wound roll fails: the attacker's rules beat the target's.

    They do so where both speak of one roll: a roll that is too low for the attacker's rule still fails.

    References
    ----------
    Warhammer 40,000 10th edition, Core Rules Updates, Priority of Rules.
    """
    faces = situation.wound_fails_up_to
    if faces == 1:
        return 1
    if situation.wounds_on is not None:
        faces = min(faces, max(1, situation.wounds_on - modifier - 1))
    if rulings.get("failing_wounds_against_critical") == "fail":
        return faces
    return min(faces, max(1, critical - 1))


def wound_need(strength: int, toughness: int) -> int:
    """Return the wound roll that strength needs against toughness.

    Examples
    --------
    >>> [wound_need(8, 4), wound_need(5, 4), wound_need(4, 4), wound_need(4, 7), wound_need(4, 8)]
    [2, 3, 4, 5, 6]

    References
    ----------
    Warhammer 40,000 10th edition core rules, Making Attacks, Wound Roll.
    """
    if strength >= 2 * toughness:
        return 2
    if strength > toughness:
        return 3
    if strength == toughness:
        return 4
    return 6 if 2 * strength <= toughness else 5


def wound_weights(wounds: tuple[Wound, ...]) -> tuple[int, int, int, int]:
    """Return the weights of fail, success and critical over all strengths, and their sum."""
    if len(wounds) == 1:
        return (*wounds[0].check.weights(), 36)
    fail = success = critical = total = 0
    for wound in wounds:
        weights = wound.check.weights()
        fail += wound.weight * weights[0]
        success += wound.weight * weights[1]
        critical += wound.weight * weights[2]
        total += wound.weight * 36
    return fail, success, critical, total
