"""Defences out of names and texts; the texts here are the wordings that stand in the data, or made up."""

from __future__ import annotations

import pytest
from roster_files import (
    ability,
    feel_no_pain,
    gun,
    invulnerable,
    profile,
    read_one,
    selection,
    squad,
    stat_line,
)
from tenth import wh40k


def hero(*profiles, rules=(), children=()):
    return selection(
        "Hero", "model", 1, *children, profiles=(stat_line("Hero"), *profiles), rules=rules, points=50
    )


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("Invulnerable Save", "This model has a 4+ invulnerable save.", "4+"),
        ("Invulnerable Save", "This model has an invulnerable save of 6+", "6+"),
        ("Invulnerable Save", "Models in this unit have a 5+ invulnerable save.", "5+"),
        ("Invulnerable Save", "Models in this units have an Invulnerable save of 4+", "4+"),
        ("Invulnerable Save", "This model has a 5+ invulnerable save against ranged attacks.", "5+ ranged"),
        (
            "Invulnerable Save (5+*)",
            "This model has a 5+ invulnerable save against melee attacks.",
            "5+ melee",
        ),
        ("Invulnerable Save: Hero", "This model has a 4+ invulnerable save.", "4+"),
        ("Invulnerable Save", "Hero has a 4+ invulnerable save.", "4+"),
        ("Invulnerable Save 5+", "", "5+"),
        ("Invulnerable Save (4+)", "", "4+"),
        ("Shield", "The bearer has a 4+ invulnerable save.", "4+"),
        ("Old shield", "Hero model only. The bearer has a 4+ invulnerable save.", "4+"),
        # The text of 36 profiles of the 10th edition data is the value alone (BSData/wh40k-10e at 801555bb).
        ("Invulnerable Save", "4+", "4+"),
        ("Invulnerable save", "5+", "5+"),
        ("Invulnerable Save", "6+.", "6+"),
        (
            "Invulnerable Save",
            "This model has a 5+ invulnerable save against ranged attacks only.",
            "5+ ranged",
        ),
        (
            "Invulnerable Save*",
            "4+\n* This model has a 4+ invulnerable save against melee attacks.",
            "4+ melee",
        ),
        ("Invulnerable Save", "Model in this unit have a 4+ invulnerable save.", "4+"),
        ("Invulnerable Save", "A Heros has a 4+ Invulnerable save", "4+"),
        ("Invulnerable Save (Hero)", "A Hero has a 4+ Invulnerable save", "4+"),
        ("Invulnerable Save", "The Hero has a 4+ Invulnerable save", "4+"),
        ("Invulnerable Save", "This unit's HERO model has a 5+ invulnerable save", "5+"),
        ("Dark glory", "Models in this unit have an invulnerable save characteristic of 5+.", "5+"),
    ],
)
def test_invulnerable_saves(name, text, value):
    unit, army = read_one(hero(ability(name, text)))
    assert invulnerable(unit) == value
    assert unit.unparsed_abilities == ()
    assert army.warnings == ()


@pytest.mark.parametrize(
    ("name", "text", "state"),
    [
        (
            "Grace",
            "Once per battle, until the end of the phase, this model has a 2+ invulnerable save.",
            "off",
        ),
        (
            "Banner",
            "While this model is leading a unit, models in that unit have a 4+ invulnerable save.",
            "automatic",
        ),
        (
            "Field (Aura)",
            'While a friendly unit is within 6" of this unit, models in it have a 6+ invulnerable save.',
            "off",
        ),
        ("Guards", "Bodyguard models have a 4+ invulnerable save.", "unread"),
        ("Transport", "Riders have a 5+ invulnerable save.", "unread"),
    ],
)
def test_conditions_are_decided_or_a_switch_that_is_off(name, text, state):
    unit, _ = read_one(hero(ability(name, text)))
    assert invulnerable(unit) is None
    assert unit.rule(name).state == state
    assert unit.unparsed_abilities == ((name,) if state == "unread" else ())


def test_an_invulnerable_save_that_cannot_be_read_is_said():
    unit, army = read_one(
        hero(ability("Invulnerable Save (5+*)", "This model has a 5+ save, but not on Sundays."))
    )
    assert invulnerable(unit) is None
    assert unit.unparsed_abilities == ("Invulnerable Save (5+*)",)
    assert army.warnings == (
        ("Hero: 'Invulnerable Save (5+*)' says more than a plain save: invulnerable save"),
    )
    _, army = read_one(hero(ability("Invulnerable Save (5+*)", "")))
    assert army.warnings == (
        "Hero: 'Invulnerable Save (5+*)' says more than a plain save: invulnerable save",
    )


def test_a_save_with_two_values_that_disagree_is_said():
    unit, army = read_one(hero(ability("Invulnerable Save (5+*)", "4+")))
    assert invulnerable(unit) is None
    assert army.warnings == (
        "Hero: 'Invulnerable Save (5+*)' says more than a plain save: invulnerable save",
    )


def test_a_save_that_is_lost_on_the_way_is_left_out():
    text = (
        "The bearer has an Invulnerable Save of 2+. Once it has failed, until the end of the battle, the bearer has "
        "no invulnerable saving throw."
    )
    unit, army = read_one(hero(ability("Invulnerable Save - Mirrors", text)))
    assert invulnerable(unit) is None
    assert unit.unparsed_abilities == ("Invulnerable Save - Mirrors",)
    assert "says more than a plain save: invulnerable" in army.warnings[0]


def test_a_bare_save_on_a_unit_is_that_of_all_its_models_and_on_wargear_of_its_bearers():
    """The profile stands on the unit of Terminators; on a shield it can only be for who carries it."""
    line = stat_line("Trooper")
    troopers = selection("Trooper", "model", 4, profiles=(line,))
    shield = selection("Shield", "upgrade", 1, profiles=(ability("Invulnerable Save", "4+"),))
    sergeant = selection("Sergeant", "model", 1, shield, profiles=(line,))
    unit, _ = read_one(squad(troopers, sergeant))
    assert [invulnerable(group) for group in unit.effective_models] == [None, "4+"]
    unit, army = read_one(
        squad(troopers, sergeant, profiles=(stat_line(), ability("Invulnerable Save", "5+")))
    )
    assert [invulnerable(group) for group in unit.effective_models] == ["5+", "4+"]
    assert (unit.unparsed_abilities, unit.notes, army.warnings) == ((), (), ())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Feel No Pain", "5+"),
        ("Feel No Pain 5+", ""),
        ("Feel No Pain 5+", "This model has a 5+ Feel No Pain."),
        ("Feel No Pain 5+", "5+"),
    ],
)
def test_feel_no_pain_as_an_ability_of_its_own(name, text):
    unit, _ = read_one(hero(ability(name, text)))
    assert (feel_no_pain(unit), unit.unparsed_abilities) == ("5+", ())


def test_deadly_demise_as_an_ability_of_its_own():
    unit, _ = read_one(hero(ability("Deadly Demise", "D3")))
    assert str(unit.effective_models[0].profile.deadly_demise) == "D3"


def test_a_plain_beginning_counts_and_the_rest_is_listed():
    text = "The bearer has the Feel No Pain 5+ ability. At the start of each turn, roll one D6."
    unit, _ = read_one(hero(ability("Strong heart", text)))
    assert feel_no_pain(unit) == "5+"
    assert unit.unparsed_abilities == ()  # the rest moves no dice of attacks
    text += " Each time it sings, add 1 to the Hit roll."
    unit, _ = read_one(hero(ability("Strong heart", text)))
    assert (feel_no_pain(unit), unit.unparsed_abilities) == ("5+", ("Strong heart",))


@pytest.mark.parametrize(
    ("saves", "kept"),
    [
        (("5+", "4+"), "4+"),
        (("4+", "5+ ranged"), "4+"),
        (("5+ ranged", "4+"), "4+"),
        (("5+", "4+ ranged"), "5+, 4+ ranged"),
        (("4+ melee", "5+"), "5+, 4+ melee"),
        (("5+ ranged", "5+ melee"), "5+"),
        (("5+ ranged", "4+ melee"), "5+ ranged, 4+ melee"),
        (("5+ ranged", "4+ melee", "4+"), "4+"),
    ],
)
def test_several_saves_of_one_model(saves, kept):
    """A model with several invulnerable saves uses one of those that apply (core rules, Invulnerable Saves)."""
    texts = []
    for i, save in enumerate(saves):
        value, _, against = save.partition(" ")
        text = f"This model has a {value} invulnerable save"
        texts.append(ability(f"Save {i}", f"{text} against {against} attacks." if against else f"{text}."))
    unit, _ = read_one(hero(*texts))
    assert (invulnerable(unit), unit.simplifications) == (kept, ())
    assert len(unit.as_target().invulnerable) == kept.count(",") + 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "This unit has a 5+ Invulnerable Save. This invulnerable save is improved to 4+ against melee attacks.",
            "5+, 4+ melee",
        ),
        (
            "Hero has a 6+ Invulnerable save against ranged attacks, and 4+ Invulnerable save against melee attacks.",
            "6+ ranged, 4+ melee",
        ),
        (
            "Hero has a 4+ invulnerable save against ranged attacks, and a 5+ invulnerable save against melee attacks.",
            "5+ melee, 4+ ranged",
        ),
    ],
)
def test_one_text_with_two_saves(text, kept):
    unit, army = read_one(hero(ability("Invulnerable Save", text)))
    assert (invulnerable(unit), unit.unparsed_abilities, army.warnings) == (kept, (), ())


# Feel No Pain


def test_feel_no_pain_is_a_rule_with_the_number_in_its_name():
    unit, _ = read_one(hero(rules=("Feel No Pain 5+", "Feel No Pain 6+", "Deep Strike", "Stealth")))
    assert feel_no_pain(unit) == "5+"
    assert unit.as_target().feel_no_pain == 5
    assert [rule.name for rule in unit.rules if rule.state == "no effect"] == ["Deep Strike"]
    assert unit.unparsed_abilities == ()


# Stealth


def test_a_unit_has_stealth_if_all_its_models_have_it():
    """Core rules, Stealth: if every model in a unit has this ability."""
    unit, _ = read_one(hero(rules=("Stealth",)))
    assert unit.as_target().stealth
    assert unit.unparsed_abilities == ()
    line = profile("Trooper", "Unit", M='6"', T="4", SV="3+", W="2")
    troopers = selection("Trooper", "model", 4, profiles=(line,))
    scout = selection("Scout", "model", 1, profiles=(line,), rules=("Stealth",))
    mixed, _ = read_one(squad(troopers, scout))
    target = mixed.as_target_unit()
    assert [(kind.name, kind.stealth) for kind in target.kinds] == [("Trooper", False), ("Scout", True)]
    assert not mixed.as_target().stealth
    rifle = wh40k.Weapon.parse("Rifle: A6 BS3+ S4 AP0 D1")
    assert wh40k.attack(rifle, target).hits.mean() == pytest.approx(4)
    assert wh40k.attack(rifle, unit.as_target()).hits.mean() == pytest.approx(3)


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("Deadly Demise D3", "D3"),
        ("Deadly Demise 1", "1"),
        ("Deadly Demise D6+3", "D6+3"),
        ("Deadly Demise", None),
    ],
)
def test_deadly_demise_is_what_others_suffer(rule, value):
    unit, _ = read_one(hero(rules=(rule,)))
    demise = unit.as_target().deadly_demise
    assert (None if demise is None else str(demise)) == value
    assert [rule.name for rule in unit.rules] == [rule]
    assert unit.unparsed_abilities == ()


def test_deadly_demise_belongs_to_the_models_that_have_it():
    line = profile("Trooper", "Unit", M='6"', T="4", SV="3+", W="2")
    troopers = selection("Trooper", "model", 4, profiles=(line,))
    cart = selection("Cart", "model", 1, profiles=(line,), rules=("Deadly Demise D3",))
    mixed, _ = read_one(squad(troopers, cart))
    found = [(kind.name, kind.deadly_demise is not None) for kind in mixed.as_target_unit().kinds]
    assert found == [("Trooper", False), ("Cart", True)]


def test_a_rule_that_an_ability_refers_to_holds_as_the_ability_says():
    collar = selection(
        "Collar",
        profiles=(ability("Collar", "The bearer has the Feel No Pain 3+ ability against Psychic Attacks."),),
        rules=("Feel No Pain 3+",),
    )
    unit, _ = read_one(hero(children=(collar,)))
    assert feel_no_pain(unit) is None
    assert unit.as_target().feel_no_pain_psychic == 3
    assert (unit.unparsed_abilities, unit.simplifications) == ((), ())


def test_feel_no_pain_against_mortal_wounds():
    text = "This model has the Feel No Pain 4+ ability against Mortal Wounds."
    unit, _ = read_one(hero(ability("Odd blood", text), rules=("Feel No Pain 4+",)))
    target = unit.as_target()
    assert (target.feel_no_pain, target.feel_no_pain_mortal) == (None, 4)
    assert unit.simplifications == ()
    assert unit.unparsed_abilities == ()


@pytest.mark.parametrize("name", ["Feel No Pain", "Feel No Pain 5+ (Prince model only)", "Feel No Pain 7+"])
def test_names_that_do_not_say_it_plainly(name):
    unit, _ = read_one(hero(rules=(name,)))
    assert feel_no_pain(unit) is None
    assert unit.unparsed_abilities == (name,)


def test_the_rules_of_wargear_repeat_the_weapon():
    rifle = selection("Rifle", profiles=(gun(Keywords="Heavy"),), rules=("Heavy",))
    unit, _ = read_one(hero(children=(rifle,)))
    assert unit.unparsed_abilities == ()


@pytest.mark.parametrize(
    ("rules", "listed"),
    [
        (("Sustained Hits", "Blast", "Anti-", "Twin-Linked", "Torrent"), ("Torrent",)),
        (("Sustained Hits 1", "Anti-Monster 4+"), ()),
        (("Sustained Hits 2", "Anti-Vehicle 4+"), ("Sustained Hits 2", "Anti-Vehicle 4+")),
        (("Blasted Hull",), ("Blasted Hull",)),
    ],
)
def test_a_model_that_repeats_what_its_weapons_say(rules, listed):
    """New Recruit writes the abilities of a Knight's guns on the Knight too: they are computed."""
    cannon = gun("Cannon", Keywords="Blast, Sustained Hits 1, Twin Linked")
    claw = gun("Claw", Keywords="Anti-Monster 4+")
    unit, _ = read_one(
        hero(rules=rules, children=(selection("Guns", profiles=(cannon,)), selection("C", profiles=(claw,))))
    )
    assert unit.unparsed_abilities == listed


def test_a_squad_that_repeats_what_one_of_its_weapons_says():
    trooper = selection(
        "Trooper", "model", 4, selection("Rifle", number=4, profiles=(gun(Keywords="Heavy"),))
    )
    unit, _ = read_one(squad(trooper, rules=("Heavy", "Assault")))
    assert unit.unparsed_abilities == ("Assault",)


def test_a_rule_of_wargear_that_begins_like_an_ability_is_not_one():
    rifle = selection("Rifle", profiles=(gun(Keywords="Assault"),), rules=("Assault", "Assault Vehicle"))
    unit, _ = read_one(hero(children=(rifle,)))
    assert unit.unparsed_abilities == ("Assault Vehicle",)


def test_other_rules_of_wargear_are_not_dropped():
    relic = selection(
        "Relic blade", profiles=(gun(),), rules=("Anti-", "Sustained Hits", "Feel No Pain 5+", "Relic")
    )
    unit, _ = read_one(hero(children=(relic,)))
    assert feel_no_pain(unit) == "5+"
    assert unit.unparsed_abilities == ("Relic",)


# Reduced damage


@pytest.mark.parametrize(
    ("text", "reduction", "half"),
    [
        (
            "Each time an attack is allocated to this model, subtract 1 from the Damage characteristic of that attack.",
            1,
            False,
        ),
        (
            "Each time an attack is allocated to this\u00a0model, subtract 1 from that attack’s Damage characteristic.",
            1,
            False,
        ),
        (
            "Each time an attack is allocated to this model, halve the Damage characteristic of that attack.",
            0,
            True,
        ),
    ],
)
def test_reduced_damage(text, reduction, half):
    unit, _ = read_one(hero(ability("Thick hide", text)))
    target = unit.as_target()
    assert (target.damage_reduction, target.half_damage) == (reduction, half)
    assert unit.unparsed_abilities == ()


def test_reduced_damage_once_per_battle_is_another_thing():
    text = (
        "Once per battle, when an attack is allocated to this model, change its Damage characteristic to 0."
    )
    unit, _ = read_one(hero(ability("Trick", text)))
    assert (unit.rule("Trick").state, unit.as_target().damage_to_0) == ("off", False)
    assert unit.with_rules(on="Trick").as_target().damage_to_0


# Whose it is


SAVE = "The bearer has a 4+ invulnerable save."


def mixed(shield_on, number=1, text=SAVE):
    shield = selection("Shield", number=number, profiles=(ability("Shield", text),))
    return squad(
        selection("Chief", "model", 1, *((shield,) if shield_on == "chief" else ())),
        selection("Trooper", "model", 4, *((shield,) if shield_on == "trooper" else ())),
        *((shield,) if shield_on == "unit" else ()),
    )


def saves(unit):
    return [invulnerable(group) for group in unit.effective_models]


def test_a_shield_is_for_the_models_that_carry_it():
    unit, _ = read_one(mixed("chief"))
    assert saves(unit) == ["4+", None]
    assert unit.as_target().invulnerable == ()
    assert unit.simplifications == (
        (
            "Squad: as a target all 5 models are taken as Trooper: 4x T4 Sv3+ W2, "
            "also Chief: 1x T4 Sv3+ InSv4+ W2"
        ),
    )
    assert saves(read_one(mixed("trooper", 4))[0]) == [None, "4+"]


@pytest.mark.parametrize("place", ["trooper", "unit"])
def test_a_shield_that_one_of_several_carries_is_left_out_and_said(place):
    unit, _ = read_one(mixed(place))
    assert saves(unit) == [None, None]
    assert unit.unparsed_abilities == ("Shield",)
    assert unit.simplifications == (
        "Squad: invulnerable save 4+ (Shield) is left out: not all models have it, or it is not said which",
    )


def test_an_ability_for_the_bearers_unit_is_for_all():
    text = "Models in the bearer’s unit have the Feel No Pain 6+ ability."
    unit, _ = read_one(mixed("unit", text=text))
    assert [feel_no_pain(group) for group in unit.effective_models] == ["6+", "6+"]


def test_a_save_on_the_unit_that_names_one_of_its_models():
    unit, _ = read_one(
        squad(
            selection("Chief", "model", 1),
            selection("Trooper", "model", 4),
            profiles=(stat_line(), ability("Invulnerable Save", "Chief has a 4+ invulnerable save.")),
        )
    )
    assert saves(unit) == ["4+", None]


def test_this_model_on_a_unit_is_each_of_its_models():
    unit, _ = read_one(
        squad(
            selection("Chief", "model", 1),
            selection("Trooper", "model", 4),
            profiles=(stat_line(), ability("Invulnerable Save", "This model has a 5+ invulnerable save.")),
        )
    )
    assert saves(unit) == ["5+", "5+"]


def test_other_kinds_of_profiles_are_listed_and_transport_is_not():
    unit, _ = read_one(
        hero(
            profile("Cosmic fire", "Star Powers", Effect="Roll one D6."),
            profile("Hero", "Transport", Capacity="12 models."),
            ability("Leader", "This model can be attached to a unit."),
        )
    )
    assert unit.unparsed_abilities == ()
    assert [rule.name for rule in unit.rules] == ["Cosmic fire", "Leader"]


def test_a_text_of_a_megabyte_is_read_at_once():
    text = "This model has a 4+ invulnerable save and " + "more, " * 200_000
    unit, army = read_one(hero(ability("Invulnerable Save", text)))
    assert invulnerable(unit) is None
    assert len(army.warnings[0]) < 300
