"""Situations of The 9th Age and Trench Crusade: one table for the forms of the page and the options of commands."""

from __future__ import annotations

from mathhammer.page.fields import chosen, flags, modifiers

T9A = (
    *flags(
        charging="The attackers charged this turn",
        first_round="It is the first Round of Combat (Hatred, spears)",
        in_combat="Automatic hits are struck in combat (no Panic Test)",
        flank_or_rear="The attack is on flank or rear (no Parry)",
        flanked="The attackers are engaged in flank or rear (no braced Spears)",
        long_range="The target is at long range",
        moved="The shooters moved",
        stand_and_shoot="The shots are a charge reaction",
        attacker_afraid="The attackers failed their Fear Test",
        target_afraid="The target failed its Fear Test",
    ),
    chosen("cover", "Cover", {"soft": "soft", "hard": "hard"}),
    *modifiers(
        hit_modifier="Added to to-hit rolls",
        wound_modifier="Added to to-wound rolls",
        armour_modifier="Added to the target's Armour",
    ),
    *(
        chosen(f"reroll_{name}", f"Re-roll {what}", {"ones": "ones", "failed": "failed"})
        for name, what in {
            "hits": "to-hit rolls",
            "wounds": "to-wound rolls",
            "armour": "Armour Saves",
            "special": "Special Saves",
            "aegis": "Aegis Saves",
        }.items()
    ),
)
TRENCH_CRUSADE = tuple(
    flags(
        long_range="The target is beyond half the weapon's range",
        cover="The target is in cover, or behind a Defended Obstacle in melee",
        elevated='The attacker stands at least 3" higher',
        charged="The attacker charged this Turn",
        diving="It is after a Diving Charge",
        moved="The attacker moves in this Activation",
        in_melee="A PISTOL is used in melee",
        into_melee='A friend is within 1" of the target',
        off_hand="It is the Off-Hand Weapon",
        shaken="The Warband is Shaken",
        reroll="A failed Success Roll is re-rolled",
    )
)
