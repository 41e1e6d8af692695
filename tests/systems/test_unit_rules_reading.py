"""Ability texts read by grammar: sentences of our own, in the grammar of datasheets."""

from __future__ import annotations

import pytest

from mathhammer.systems.wh40k.unit_rules.reader import read_text

HIT = "each time a model in this unit makes an attack, add 1 to the Hit roll"


def read(text: str) -> list[str]:
    reading = read_text(text)
    assert reading.unread == ()
    return [str(effect) for effect in reading.effects]


@pytest.mark.parametrize(
    ("text", "effects"),
    [
        # Every core.
        (HIT, ["+1 to hit rolls"]),
        (
            "Each time this model makes a melee attack, subtract 1 from the Wound roll.",
            ["-1 to wound rolls in melee"],
        ),
        ("This unit's melee attacks have +1 to wound rolls.", ["+1 to wound rolls in melee"]),
        ("Each time this model makes an attack, re-roll a Hit roll of 1.", ["re-roll hits: ones"]),
        ("Each time this model makes an attack, you can re-roll the Wound roll.", ["re-roll wounds: failed"]),
        ("Each time this model makes an attack, you can re-roll the Damage roll.", ["re-roll damage: free"]),
        (
            "Each time this model is selected to fight, you can re-roll one Hit roll.",
            ["re-roll hits: one in melee"],
        ),
        ("Ranged weapons equipped by the bearer have the [LETHAL HITS] ability.", ["[Lethal Hits] at range"]),
        (
            "Weapons equipped by models in this unit have the [SUSTAINED HITS 2] and [LANCE] abilities.",
            ["[Sustained Hits 2]", "[Lance]"],
        ),
        (
            "Each time this model makes an attack, an unmodified Hit roll of 5+ scores a Critical Hit.",
            ["critical hits on 5+"],
        ),
        (
            "Add 2 to the Attacks characteristic of this model's river hooks.",
            ["+2 Attacks with river hooks"],
        ),
        (
            "Improve the Armour Penetration characteristic of melee weapons equipped by this model by 1.",
            ["AP better by 1 in melee"],
        ),
        (
            "Add 1 to the Strength and Damage characteristics of melee weapons equipped by models in this unit.",
            ["+1 Strength in melee", "+1 Damage in melee"],
        ),
        ("The bearer's melee weapons have an Armour Penetration characteristic of -2.", ["AP -2 in melee"]),
        (
            "Each time this model makes a ranged attack, you can ignore any or all modifiers to the Hit roll.",
            ["ignores modifiers of hit at range"],
        ),
        (
            "Each time an attack targets this unit, subtract 1 from the Hit roll.",
            ["-1 to hit rolls for attacks against it"],
        ),
        (
            (
                "Each time a ranged attack is allocated to this model, worsen the Armour Penetration characteristic of that "
                "attack by 1."
            ),
            ["AP worse by 1 for attacks against it at range"],
        ),
        (
            "Each time an attack is allocated to this model, halve the Damage characteristic of that attack.",
            ["Damage is halved"],
        ),
        (
            "Models in this unit have a 5+ invulnerable save against ranged attacks.",
            ["invulnerable save 5+ at range"],
        ),
        (
            "This model has the Feel No Pain 4+ ability against mortal wounds.",
            ["Feel No Pain 4+ against mortal wounds"],
        ),
        ("The bearer has a Save characteristic of 2+.", ["Save 2"]),
        ("Add 1 to the bearer's Toughness characteristic.", ["+1 Toughness"]),
        ("This unit has the Stealth ability.", ["Stealth"]),
        ("Models in this unit have the Benefit of Cover.", ["cover"]),
        # Every decided condition.
        (
            f"While this model is leading a unit, {HIT.replace('this', 'that')}.",
            ["+1 to hit rolls while leading"],
        ),
        (f"While a MARSHAL model is leading this unit, {HIT}.", ["+1 to hit rolls while led by Marshal"]),
        (
            f"While this unit contains a Beacon Keeper, {HIT}.",
            ["+1 to hit rolls while the unit contains Beacon Keeper"],
        ),
        (
            "Each time this model makes an attack that targets a MONSTER or VEHICLE unit, add 1 to the Wound roll.",
            ["+1 to wound rolls against Monster, Vehicle"],
        ),
        (
            "Each time this model makes an attack that targets a unit (excluding VEHICLE units), add 1 to the Wound roll.",
            ["+1 to wound rolls not against Vehicle"],
        ),
        (
            "Each time this model makes a ranged attack that targets a unit that cannot FLY, add 1 to the Hit roll.",
            ["+1 to hit rolls at range not against Fly"],
        ),
        (
            (
                "Each time an attack targets this unit, if the Strength characteristic of that attack is greater than the "
                "Toughness characteristic of this unit, subtract 1 from the Wound roll."
            ),
            ["-1 to wound rolls for attacks against it if S > T"],
        ),
        (
            "Each time this model makes an attack with its river cannon, re-roll a Wound roll of 1.",
            ["re-roll wounds: ones with river cannon"],
        ),
        # Situations and the player's.
        (
            "Each time this model makes a melee attack, if it made a Charge move this turn, add 1 to the Hit roll.",
            ["+1 to hit rolls in melee after a charge"],
        ),
        (
            (
                "Each time this unit Remains Stationary, until the start of your next turn, ranged weapons equipped by models "
                "in this unit have the [HEAVY] ability."
            ),
            ["[Heavy] at range if stationary"],
        ),
        (
            (
                "Once per battle, at the start of the Fight phase, this model can use this ability. If it does, until the end "
                "of the phase, add 3 to the Attacks characteristic of melee weapons equipped by this model."
            ),
            ["+3 Attacks in melee once per battle or turn when used"],
        ),
        (
            (
                "In your Shooting phase, after this unit has shot, select one enemy unit hit by those attacks. Until the end of "
                "the turn, each time a friendly LANTERN model makes an attack that targets that unit, add 1 to the Hit roll."
            ),
            ["+1 to hit rolls for friendly Lantern against a marked enemy"],
        ),
        (
            'While a friendly LANTERN unit is within 6" of this model, models in that unit have a 6+ invulnerable save.',
            ["invulnerable save 6+ for friendly Lantern within its aura"],
        ),
        (
            (
                'While an enemy unit is within 6" of this model, each time a model in that unit makes an attack, subtract 1 from '
                "the Hit roll."
            ),
            ["-1 to hit rolls for the enemy by an enemy near it"],
        ),
        (
            (
                "At the start of the Fight phase, select one of the following:\n- Rage: Each time this model makes an attack, "
                "add 1 to the Hit roll.\n- Calm: Each time an attack targets this model, subtract 1 from the Hit roll."
            ),
            [
                "+1 to hit rolls in melee if Rage is chosen",
                "-1 to hit rolls for attacks against it in melee if Calm is chosen",
            ],
        ),
        (
            (
                "Each time this model is selected to shoot, roll one D6:\n- On a 1-3, until the end of the phase, add 1 to the "
                "Strength characteristic of ranged weapons equipped by this model.\n- On a 4-6, until the end of the phase, "
                "add 1 to the Attacks characteristic of ranged weapons equipped by this model."
            ),
            ["+1 Strength at range if 1-3 is chosen", "+1 Attacks at range if 4-6 is chosen"],
        ),
        # "instead" replaces, "as well" adds; "those weapons" are the ones before.
        (
            (
                "Each time this model makes an attack, re-roll a Hit roll of 1. If the target of that attack is within range of an "
                "objective marker, you can re-roll the Hit roll instead."
            ),
            ["re-roll hits: ones", "re-roll hits: failed at an objective instead"],
        ),
        (
            (
                "While this model is leading a unit, each time a model in that unit makes an attack, add 1 to the Hit roll. If the "
                "target is Battle-shocked, add 1 to the Wound roll as well."
            ),
            [
                "+1 to hit rolls while leading",
                "+1 to wound rolls while leading against a Battle-shocked unit",
            ],
        ),
        (
            (
                "Add 1 to the Strength characteristic of melee weapons equipped by this model and improve the Armour Penetration "
                "characteristic of those weapons by 1."
            ),
            ["+1 Strength in melee", "AP better by 1 in melee"],
        ),
        # What is done besides is passed over; a second sentence stands for itself.
        (
            (
                'While this model is leading a unit, models in that unit have a Move characteristic of 12" and ranged weapons '
                "equipped by models in that unit have the [ASSAULT] ability."
            ),
            ["[Assault] at range while leading"],
        ),
        (
            (
                "Each time this model makes an attack with a hook that targets a MONSTER unit, add 1 to the Hit roll. Each time "
                "this model makes an attack with a net that targets an INFANTRY unit, that attack has the [PRECISION] ability."
            ),
            ["+1 to hit rolls with hook against Monster", "[Precision] with net against Infantry"],
        ),
        (
            "Ranged weapons equipped by models in this unit (excluding CHARACTER models) have the [BLAST] ability.",
            ["[Blast] at range for not Character"],
        ),
    ],
)
def test_what_a_sentence_says(text, effects):
    assert read(text[:1].upper() + text[1:]) == effects


@pytest.mark.parametrize(
    "text",
    [
        # Two ways to the same effect, numbers that count something, what nobody knows.
        (
            "Each time this model makes a ranged attack that targets the closest target, or makes a melee attack after a "
            "meal, add 1 to the Hit roll."
        ),
        "Add 1 to the Attacks characteristic of this model's hooks for each lantern within 6\" of it.",
        "Each time this model makes an attack, add 1 to the Hit roll for every 5 models in its unit.",
        "Each time this model is selected to shoot, you can re-roll one Hit roll or you can re-roll one Wound roll.",
        "While it rains, each time this model makes an attack, add 1 to the Hit roll.",
        "Each time this model makes an attack, add 1 to the Hit roll on Sundays.",
        "Other CHARACTER models in this unit have the Feel No Pain 4+ ability.",
        "Bodyguards of merit have a critical reading of Hit rolls.",
        "Each time this model makes an attack, a second Hit roll decides.",
        (
            "Select one of the following abilities: [LANCE]; [BLAST]. Until the end of the phase, weapons equipped by this "
            "model have that ability."
        ),
    ],
)
def test_a_word_left_over_spoils_the_effect(text):
    reading = read_text(text)
    assert reading.effects == ()
    assert reading.unread


@pytest.mark.parametrize("clause", ["while it rains", "unless the tide is high", "if the Marshal likes it"])
@pytest.mark.parametrize(
    "sentence",
    [
        "Each time this model makes an attack{}, add 1 to the Hit roll.",
        "Models in this unit have a 4+ invulnerable save{}.",
        "Melee weapons equipped by models in this unit have the [LANCE] ability{}.",
        "Each time an attack targets this unit{}, subtract 1 from the Wound roll.",
    ],
)
def test_a_nonsense_clause_makes_the_effect_unread(sentence, clause):
    assert read(sentence.format(""))
    reading = read_text(sentence.format(f", {clause}"))
    assert (reading.effects, bool(reading.unread)) == ((), True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "This model can climb.",
        "You can re-roll Charge rolls made for this unit.",
        'Add 2" to the Move characteristic of this model.',
    ],
)
def test_what_moves_no_dice_is_no_effect(text):
    assert read_text(text).effects == read_text(text).unread == ()


def test_a_save_that_is_lost_later_is_not_given():
    reading = read_text(
        "The bearer has a 2+ invulnerable save. Once it failed, the bearer has no invulnerable save."
    )
    assert (reading.effects, bool(reading.unread)) == ((), True)


def test_markup_breaks_and_spellings_of_the_data_do_not_matter():
    text = "Each time a model\nin this unit makes a **^^melee^^** attack, re‑roll a Wound\u00a0roll of 1."
    assert read(text) == ["re-roll wounds: ones in melee"]


@pytest.mark.parametrize(
    "text",
    [
        "add 1 to the Hit roll " * 200_000,
        "Each time " * 500 + "this model makes an attack, add 1 to the Hit roll.",
        "(" * 5_900,
        "[" * 3_000 + "]" * 2_900,
        "<" * 5_000 + "b>",
        "Add " + "9" * 1_000_000 + " to the Attacks characteristic of this model's hooks.",
        "Add " + "9" * 4_000 + " to the Attacks characteristic of this model's hooks.",
        "A Very Long Name " * 300 + "has a 4+ invulnerable save.",
        "a, " * 1_900 + "or b units",
        "that targets a Monster or " * 200 + "Vehicle unit",
        "re-roll the Hit roll and " * 230,
        "\n- " * 1_900,
        "\u202e\x1b[31mAdd 1 to the Hit roll.",
    ],
)
def test_hostile_texts_are_read_at_once_and_give_nothing(text):
    """A regular expression that explodes would stop the run here."""
    assert read_text(text).effects == ()
