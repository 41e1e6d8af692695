"""Wordings that were read wrongly once, found by hand in samples of real abilities; the sentences are our own."""

from __future__ import annotations

import pytest

from mathhammer.systems.wh40k.unit_rules.reader import read_text


@pytest.mark.parametrize(
    ("text", "effects"),
    [
        # A drawback of the owner, and what is denied to its targets.
        ("This model cannot have the Benefit of Cover.", ["it has no cover"]),
        (
            "Each time this model makes a ranged attack, the target cannot have the Benefit of Cover.",
            ["the target has no cover at range"],
        ),
        # "those weapons" are those of the effect before.
        (
            "Improve the Strength characteristic of the bearer's melee weapons by 1, and those weapons have the [PRECISION] ability.",
            ["+1 Strength in melee", "[Precision] in melee"],
        ),
        (
            "Add 1 to the Damage characteristic of melee weapons equipped by the bearer. Those weapons have the [LANCE] ability.",
            ["+1 Damage in melee", "[Lance] in melee"],
        ),
        # Weapons of both kinds, and weapons named by kind and ability.
        (
            "While a MARSHAL model is leading this unit, improve the Ballistic Skill and Weapon Skill characteristics of ranged and melee weapons equipped by OARSMAN models in this unit by 1.",
            ["BS/WS better by 1 for Oarsman while led by Marshal"],
        ),
        (
            "Each time the bearer makes an attack with a Psychic melee weapon, improve the Strength characteristic of that attack by 1.",
            ["+1 Strength in melee with psychic"],
        ),
        (
            "Add 2 to the Strength characteristic of Extra Attacks melee weapons equipped by models in this unit.",
            ["+2 Strength in melee with extra attacks"],
        ),
        (
            "Add 1 to the Damage characteristic of ranged Psychic weapons equipped by the bearer.",
            ["+1 Damage at range with psychic"],
        ),
        # One list of weapons at the end of two effects.
        (
            "Each time this model's unit makes a Charge move, until the end of the turn, add 2 to the Attacks characteristic and add 1 to the Strength characteristic of melee weapons equipped by this model.",
            ["+2 Attacks in melee after a charge", "+1 Strength in melee after a charge"],
        ),
        # Who is left out of a mark or an aura.
        (
            "In your Shooting phase, after this model has shot, select one enemy unit (excluding MONSTERS and VEHICLES) hit by one or more of those attacks. Until the end of the phase, each time a friendly LEAGUE unit makes a ranged attack that targets that enemy unit, add 1 to the Hit roll.",
            [
                "+1 to hit rolls at range for friendly League against a marked enemy not against Monsters, Vehicles"
            ],
        ),
        (
            "In your Shooting phase, after this model has shot, select one enemy unit (excluding TITANIC units) hit by one or more of those attacks. Until the start of your next turn, that enemy unit is suppressed. While a unit is suppressed, each time a model in that unit makes an attack, subtract 1 from the Hit roll.",
            ["-1 to hit rolls for the enemy (not Titanic) against a marked enemy in its state suppressed"],
        ),
        (
            'While an enemy unit (excluding MONSTERS and VEHICLES) is within 6" of this unit, each time a model in that unit makes a melee attack, subtract 1 from the Hit roll.',
            ["-1 to hit rolls for the enemy (not Monsters, not Vehicles) in melee by an enemy near it"],
        ),
        # How much was lost.
        (
            "While the bearer's unit is below Starting Strength, each time a model in the bearer's unit makes an attack, add 1 to the Hit roll. In addition, while the bearer's unit is Below Half-strength, each time a model in the bearer's unit makes an attack, add 1 to the Wound roll.",
            [
                "+1 to hit rolls while below Starting Strength",
                "+1 to wound rolls while below half-strength",
            ],
        ),
        (
            "While this model has 1-5 wounds remaining, each time this model makes an attack, subtract 1 from the Hit roll.",
            ["-1 to hit rolls while at 1-5 wounds"],
        ),
        # A condition of the second effect is not one of the first.
        (
            "The bearer's melee weapons have the [PRECISION] ability, and each time the bearer makes a melee attack that targets a CHARACTER unit, improve the Strength characteristic of that attack by 1.",
            ["[Precision] in melee", "+1 Strength in melee against Character"],
        ),
        # Whose battle-shock it is.
        (
            "While the bearer is Battle-shocked, add 2 to the Attacks characteristic of the bearer's melee weapons.",
            ["+2 Attacks in melee while Battle-shocked"],
        ),
        (
            "Models in this model's unit have the Feel No Pain 6+ ability and you can target this model's unit with Stratagems even while it is Battle-shocked.",
            ["Feel No Pain 6+"],
        ),
        # "That unit" is the target of the sentence before; one's own unit is said to be.
        (
            "While this model is leading a unit, each time a model in that unit makes a melee attack that targets a unit that is below its Starting Strength, you can re-roll the Hit roll. If that unit is Below Half-strength, you can re-roll the Wound roll as well.",
            [
                "re-roll hits: failed in melee while leading against a unit below Starting Strength",
                "re-roll wounds: failed in melee while leading against a unit below Starting Strength against a unit below half-strength",
            ],
        ),
        (
            "Each time a model in this unit makes an attack that targets a VEHICLE unit, if this unit is Below Half-strength, add 1 to the Hit roll.",
            ["+1 to hit rolls against Vehicle while below half-strength"],
        ),
        # Two pieces of wargear, both of which must be there.
        (
            "If this model is equipped with an eel spear and a reed knife, add 2 to the Attacks characteristic of melee weapons equipped by this model.",
            ["+2 Attacks in melee if equipped with eel spear if equipped with reed knife"],
        ),
        # What may be marked at all.
        (
            "Each time this model has shot, select one enemy MONSTER or VEHICLE unit that was hit by one or more of those attacks. Until the end of the phase, each time a friendly LEAGUE unit makes a ranged attack that targets that enemy unit, add 1 to the Wound roll.",
            [
                "+1 to wound rolls at range for friendly League against a marked enemy against Monster, Vehicle"
            ],
        ),
        (
            "At the start of your opponent's Shooting phase, select one enemy INFANTRY unit visible to this model. Until the end of the phase, each time a model in that unit makes an attack, subtract 1 from the Hit roll.",
            ["-1 to hit rolls for the enemy (Infantry) at range against a marked enemy"],
        ),
        # Attacks that are left out.
        (
            "Each time a model in this unit makes a ranged attack (excluding attacks that target MONSTERS and VEHICLES), add 1 to the Hit roll.",
            ["+1 to hit rolls at range not against Monsters, Vehicles"],
        ),
        # Spaces that were lost.
        (
            "Each time the bearer makes a melee attack that targets a **Monster**or **Vehicle**unit, add 1 to the Wound roll.",
            ["+1 to wound rolls in melee against Monster, Vehicle"],
        ),
        (
            "Subtract 1 from the Attacks characteristic of ranged Lethal Hits weapons equipped by this model.",
            ["-1 Attacks at range with lethal hits"],
        ),
        # Bodyguards are the models that are not leaders.
        (
            "While this model is leading a unit, Bodyguard models in that unit have the Feel No Pain 6+ ability.",
            ["Feel No Pain 6+ for Bodyguard while leading"],
        ),
        # A friend that cannot be chosen.
        (
            'In your Command phase, select one friendly LEAGUE VEHICLE unit (excluding TITANIC units) within 6" of the bearer. Until the start of your next Command phase, each time a model in that unit makes an attack, add 1 to the Hit roll.',
            ["+1 to hit rolls for friendly League Vehicle, not Titanic on a chosen friend"],
        ),
        (
            "Each time a melee attack made by a model in this unit is allocated to a MONSTER model, add 1 to the Damage characteristic of that attack.",
            ["+1 Damage in melee against Monster"],
        ),
        # The terse style of the 11th edition.
        ("This unit has a 5+ InSv.", ["invulnerable save 5+"]),
        ("Models in this unit have +1 T.", ["+1 Toughness"]),
        ("OARSMAN model only. This model has +2 **W**.", ["+2 Wounds"]),
        ("This unit's ranged attacks have +1 BS.", ["BS/WS better by 1 at range"]),
        (
            "This unit's melee attacks have +1 WS and AP.",
            ["BS/WS better by 1 in melee", "AP better by 1 in melee"],
        ),
        ("This unit has +1 Sv against ranged attacks.", ["Save better by 1 at range"]),
        ("This model has a 2+ Sv and the Feel No Pain 5+ ability.", ["Save 2", "Feel No Pain 5+"]),
        ("Melee weapons equipped by the bearer have the Precision ability.", ["[Precision] in melee"]),
        # What has a price or is one of a choice, under a title.
        (
            "Double 4+ or Triple 1+\nMelee weapons equipped by models in this unit have the [LETHAL HITS] ability.",
            ["[Lethal Hits] in melee on a roll"],
        ),
        (
            "In your Command phase, select one of the following abilities. Until the start of your next Command phase, each LEAGUE INFANTRY unit from your army has that ability.\n\n**Oars Up**\nEach time a model in this unit makes an attack, add 1 to the Hit roll.\n\n**Oars Down**\nYou can re-roll Advance rolls made for this unit.",
            ["+1 to hit rolls for friendly League Infantry if Oars Up is chosen"],
        ),
        (
            "At the start of the Command phase, you can spend 1 or more of your OP to activate one of the following abilities until the end of the battle.\n\n**Lamps [2OP]**\nLEAGUE models from your army have the Feel No Pain 5+ ability.\n\n**Hooks [3OP]**\nMelee weapons equipped by LEAGUE units from your army have the [LANCE] ability.",
            [
                "Feel No Pain 5+ for friendly League if Lamps [2OP] is chosen",
                "[Lance] in melee for friendly League if Hooks [3OP] is chosen",
            ],
        ),
        # Who was given an ability that speaks of itself.
        (
            "HERALD units from your army have the following ability:\n\nSteer: In your Command phase, one model in this unit regains 1 lost wound.\n\nLEAGUE units from your army have the following ability:\n\nRow: Each time a model in this unit makes a ranged attack, re-roll a Hit roll of 1.",
            ["re-roll hits: ones at range for friendly League"],
        ),
        (
            "Each time an attack targets a LEAGUE unit from your army, if the Strength characteristic of that attack is greater than the Toughness characteristic of your unit, subtract 1 from the Wound roll.",
            ["-1 to wound rolls for attacks against it for friendly League if S > T"],
        ),
        # Each effect with the condition behind it; tokens are no weapons.
        (
            "Each time a LEAGUE model from your army makes an attack, add 1 to the Hit roll if the target of that attack is below its Starting Strength, and add 1 to the Wound roll as well if the target of that attack is Below Half-strength.",
            [
                "+1 to hit rolls for friendly League against a unit below Starting Strength",
                "+1 to wound rolls for friendly League against a unit below half-strength",
            ],
        ),
        (
            "Each time a LEAGUE model from your army makes an attack that targets a unit with one or more Drowned tokens, add 1 to the Hit roll.",
            ["+1 to hit rolls for friendly League in its state Drowned"],
        ),
    ],
)
def test_what_was_read_wrongly_once(text, effects):
    reading = read_text(text)
    assert ([str(effect) for effect in reading.effects], reading.unread) == (effects, ())


@pytest.mark.parametrize(
    "text",
    [
        # A keyword that is chosen is no weapon.
        "At the start of the battle, select one of the following keywords: Infantry, Monster. Each time this model makes an attack that targets a unit with the selected keyword, re-roll a Hit roll of 1.",
        # A save against some attacks is not one against mortal wounds alone.
        "Models in this unit have the Feel No Pain 6+ ability against mortal wounds and attacks with an unmodified Damage characteristic of 1.",
        # Two subjects of one effect.
        "Ranged weapons equipped by the bearer and HERALD models in the bearer's unit have the [PRECISION] ability.",
        # Attacks that are left out are no models.
        "Each time an attack targets this unit (excluding Psychic Attacks), subtract 1 from the Wound roll.",
        # Gifts that come one after the other.
        "LEAGUE units from your army gain a bonus depending on how many Oar points you have gained, as shown below (these are all cumulative).\n1+: Each time a model in this unit makes an attack, re-roll a Hit roll of 1.\n3+: Each time a model in this unit makes an attack, re-roll a Wound roll of 1.",
    ],
)
def test_what_is_understood_in_part_is_not_applied(text):
    reading = read_text(text)
    assert (reading.effects, bool(reading.unread)) == ((), True)
