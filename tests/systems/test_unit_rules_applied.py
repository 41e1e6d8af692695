"""Rules that are on act as the same keywords written by hand; switches, leaders and gifts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Rational

from mathhammer import analysis, wh40k
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.systems.wh40k.unit_rules.reader import read_rule, read_stratagems, read_text

GUN = 'Gun: 24" A9 BS3+ S4 AP0 D2'
HOOK = "Hook: A4 WS3+ S5 AP-1 D1"
GIANT = wh40k.Target("Giant", toughness=8, save="3+", wounds=9, models=2, keywords="Monster")
HORDE = wh40k.Target("Horde", toughness=3, save="5+", wounds=1, models=20, keywords="Infantry")


def rule(text, *, name="Rule", source="datasheet", groups=(0,)):
    reading = read_text(text)
    assert not reading.unread
    return wh40k.UnitRule(name, source, "Squad", reading.effects, groups=groups)


def squad(*rules, name="Squad", keywords=("Infantry",), weapons=(GUN, HOOK), profile="Trooper: T4 Sv3+ W2"):
    lines = tuple(
        wh40k.WeaponLine(text.split(":")[0], 1, "Trooper", 0, ((wh40k.Weapon.parse(text),),))
        for text in weapons
    )
    models = (wh40k.ModelGroup("Trooper", 1, wh40k.Target.parse(profile)),)
    return wh40k.Unit(name, 100, models, lines, keywords, rules=rules)


def mean(unit, target=GIANT, phase="shooting", **situation):
    attack = wh40k.attack(unit.only(phase), target, edition="10e", exact=True, **situation)
    return attack.wounds_lost.mean()


def by_hand(text, target=GIANT, **situation):
    return wh40k.attack(text, target, edition="10e", exact=True, **situation).wounds_lost.mean()


EACH = "Each time this model makes an attack"
HIT = f"{EACH}, add 1 to the Hit roll."
IN_UNIT = "each time a model in that unit makes an attack, add 1 to the Hit roll."
SUSTAINED = "Weapons equipped by this model have the [SUSTAINED HITS 1] ability."
AP = "Improve the Armour Penetration characteristic of ranged weapons equipped by this model by 2."
LESS = "Each time an attack {}, subtract 1 from the Damage characteristic of that attack."
BLESSING = f"In your Command phase, select one friendly INFANTRY unit. Until the start of your next Command phase, {IN_UNIT}"


@pytest.mark.parametrize(
    ("text", "weapon", "situation"),
    [
        (HIT, GUN, {"hit_modifier": 1}),
        (f"{EACH}, re-roll a Wound roll of 1.", GUN, {"reroll_wounds": "ones"}),
        ("Weapons equipped by this model have the [LETHAL HITS] ability.", f"{GUN} [LETHAL HITS]", {}),
        ("Add 2 to the Attacks characteristic of this model's gun.", GUN.replace("A9", "A11"), {}),
        (AP, GUN.replace("AP0", "AP-2"), {}),
        (
            f"{EACH}, an unmodified Hit roll of 5+ scores a Critical Hit.",
            f"{GUN} [SUSTAINED HITS 1]",
            {"critical_hit": 5},
        ),
        (
            f"{EACH} that targets a MONSTER unit, you can re-roll the Hit roll.",
            GUN,
            {"reroll_hits": "failed"},
        ),
    ],
)
def test_a_rule_that_is_on_is_the_keywords_by_hand(text, weapon, situation):
    rules = [rule(text), *([rule(SUSTAINED, name="Second")] if "SUSTAINED" in weapon else [])]
    assert mean(squad(*rules)) == by_hand(weapon, **situation)
    assert mean(squad(*rules).with_rules(off=[each.name for each in rules])) == by_hand(GUN)


def test_a_state_of_the_army_is_in_force_once_for_each_unit():
    text = "While a unit is riled up:\n- Its ranged attacks have +1 A."
    units = tuple(squad(rule(text, name="Mill"), name=name, keywords=("Mill",)) for name in ("One", "Two"))
    army = wh40k.Army("Mill", "Orks", "10e", 100, units).with_rules(on="riled up")
    assert [len(unit.rules) for unit in army.units] == [1, 1]
    assert {mean(unit) for unit in army.units} == {by_hand(GUN.replace("A9", "A10"))}


def test_two_abilities_instead_of_one():
    text = "This unit's attacks have:\n- [LANCE].\n- Or: If the river doctrine is active for this unit, [LETHAL HITS] and [SUSTAINED HITS 1]."
    both = squad(rule(text)).with_rules(on="Rule")
    assert mean(both) == by_hand(f"{GUN} [LETHAL HITS, SUSTAINED HITS 1]")


def test_how_often_a_rule_is_used_can_stand_in_its_name():
    assert read_rule("Cry (Once per battle, per unit)", HIT).effects[0].when[0].kind == "once"


@pytest.mark.parametrize(("save", "better"), [(3, 3), (4, 3), (5, 4)])
def test_a_save_gets_no_better_than_the_rule_says(save, better):
    text = "Improve the Save characteristic of models in this unit by 1 (this cannot improve a model's Save to better than 3+)."
    assert squad(rule(text), profile=f"Trooper: T4 Sv{save}+ W2").as_target().save == better


def test_states_of_a_rule_are_switched_each_by_its_name():
    """Two of four abilities can be in force at once; one that is not leaves its effects off."""
    text = "Select any of the Mill abilities below.\n1 - Gloom\nEach time this model makes an attack, add 1 to the Hit roll.\n2 - Shade\nThis model has Stealth."
    army = wh40k.Army("Mill", "Orks", "10e", 100, (squad(rule(text, name="Mill")),))
    assert mean(army.units[0]) == by_hand(GUN)
    gloom, both = army.with_rules(on="Gloom"), army.with_rules(on=["Gloom", "Shade"])
    assert mean(gloom.units[0]) == by_hand(GUN, hit_modifier=1)
    assert [each.units[0].as_target().stealth for each in (gloom, both)] == [False, True]


@pytest.mark.parametrize(
    "text",
    [
        HIT.replace("an attack", "a melee attack"),
        HIT.replace("attack", "attack that targets an INFANTRY unit"),
        f"While this model is leading a unit, {IN_UNIT}",
        f"While this unit contains a Marshal, {IN_UNIT.replace('that', 'this')}",
        HIT.replace("attack", "attack with its harpoon"),
        f"Once per battle, {HIT[:1].lower()}{HIT[1:]}",
        HIT.replace("attack", "attack, if it made a Charge move this turn"),
    ],
)
def test_what_is_not_decided_so_is_not_on(text):
    assert mean(squad(rule(text))) == by_hand(GUN)


def test_a_situation_flips_its_condition_and_a_switch_the_players():
    charge = rule(HIT.replace("an attack", "a melee attack, if it made a Charge move this turn"))
    assert mean(squad(charge), phase="melee", charged=True) == by_hand(HOOK, hit_modifier=1)
    once = rule(f"Once per battle, {HIT}", name="Old: song")
    unit = squad(once)
    assert unit.rule("old: song").state == unit.rule("Squad: Old: song").state == "off"
    assert mean(unit.with_rules(on="Old: song")) == by_hand(GUN, hit_modifier=1)


def test_the_better_half_of_instead_counts_once():
    text = (
        f"{EACH}, add 1 to the Strength characteristic of that attack. If the target of that attack is a MONSTER, "
        "add 2 to the Strength characteristic of that attack instead."
    )
    ogre = wh40k.Target("Ogre", toughness=6, save="3+", wounds=3, models=9, keywords="Monster")
    assert mean(squad(rule(text)), ogre) == by_hand(GUN.replace("S4", "S6"), ogre)
    assert mean(squad(rule(text)), HORDE) == by_hand(GUN.replace("S4", "S5"), HORDE)


@pytest.mark.parametrize(("toughness", "added"), [(3, 0), (4, 1), (5, 1)])
def test_strength_of_at_most_the_toughness_is_the_same_too(toughness, added):
    text = (
        f"{EACH}, if the Strength characteristic of that attack is less than or equal to the Toughness characteristic "
        "of the target, add 1 to the Wound roll."
    )
    target = wh40k.Target("Ogre", toughness=toughness, save="3+", wounds=3, models=9)
    assert mean(squad(rule(text)), target) == by_hand(GUN, target, wound_modifier=added)


def test_any_reroll_of_damage_is_of_what_is_below_the_mean():
    gun = GUN.replace("D2", "DD6")
    unit = squad(rule(f"{EACH}, you can re-roll the Damage roll."), weapons=(gun,))
    assert mean(unit) == by_hand(gun, reroll_damage={1, 2, 3})


ONE_HIT = (
    "Each time this model is selected to shoot, you can re-roll one Hit roll when resolving those attacks."
)
ONE_OF_TWO = ONE_HIT.replace("one Hit roll", "one Hit roll or one Wound roll")


@pytest.mark.parametrize("edition", ["10e", "11e"])
@pytest.mark.parametrize(
    ("text", "lines", "lost"),
    [
        # A strong miss is re-rolled, else a weak one: 5/6 of 6 x 3/4 + (3/4 + 1/2) / 2 wounds.
        (ONE_HIT, ["Weak: A1 BS4+ S8 AP0 D1", "Strong: A1 BS4+ S8 AP0 Damage 6"], "205/48"),
        # A miss, else a failed wound: 1/2 x 3/4 + 1/2 x 1/4 of 4 wounds.
        (ONE_OF_TWO, ["Gun: A1 BS4+ S4 AP0 D4"], "2"),
        # It waits for the damage die: 1/4 x 17/4, where a D6 below 4 is re-rolled.
        (ONE_HIT.replace("Hit", "Damage"), ["Weak: A1 BS4+ S4 AP0 D1", "Gun: A1 BS4+ S4 AP0 DD6"], "21/16"),
    ],
)
def test_a_limited_reroll_goes_where_it_is_worth_most(text, lines, lost, edition):
    """Whatever the order of the weapons in the list, and whichever table or function is asked."""
    target = wh40k.Target("Titan", toughness=4, save=None, wounds=100)
    for order in (lines, lines[::-1]):
        tank = squad(rule(text), weapons=order)
        options = {"edition": edition, "exact": True}
        assert str(wh40k.attack(tank, target, **options).wounds_lost.mean()) == lost
        assert str(wh40k.focus([tank], target, **options).result.wounds_lost.mean()) == lost
        [row] = analysis.grid(tank, [target], edition=edition).to_records()
        assert row["mean_wounds_lost"] == pytest.approx(float(Rational(lost)), rel=1e-12)


def test_two_limited_rerolls_of_one_roll_are_two():
    shots = wh40k.Volley(wh40k.Weapon.parse("Gun: A2 BS4+ S8 AP0 D1"), 1, limited_rerolls=("hit", "hit"))
    assert wh40k.attack(shots, HORDE, edition="10e", exact=True).hits.mean() == Rational(3, 2)
    with pytest.raises(MathhammerError, match="expected attacks, hit, wound, damage or some"):
        wh40k.Situation(limited_rerolls="hit or save")


def test_defences_of_a_target_made_of_a_unit():
    hard = squad(
        rule("Each time an attack targets this unit, subtract 1 from the Wound roll."),
        rule(LESS.format("is allocated to this model"), name="B"),
        rule("This model has a 4+ invulnerable save.", name="C"),
    )
    by_fields = wh40k.Target(
        "T", toughness=4, save=3, wounds=2, invulnerable=4, damage_reduction=1, keywords="Infantry"
    )
    lance = 'Lance: 48" A3 BS3+ S9 AP-3 D3'
    assert by_hand(lance, hard) == by_hand(lance, by_fields, wound_modifier=-1)
    assert hard.with_rules(off=["Rule", "B", "C"]).as_target().invulnerable == ()


@pytest.mark.parametrize(
    ("text", "damage"), [("is allocated to this model", "55/36"), ("targets this unit", "25/18")]
)
def test_both_wordings_of_less_damage(text, damage):
    """One shot, hit and wound on 2+, no save, Damage 3 against 9 Wounds.

    Devastating Wounds of the 11th edition are not allocated (1/6 of the rolls inflict the 3 of the weapon, 4/6 inflict
    2): 5/6 (3/6 + 8/6) = 55/36 where what is allocated deals less, 5/6 (2/6 + 8/6) = 25/18 where the weapon does.
    """
    body = squad(rule(LESS.format(text)), profile="Trooper: T4 Sv7+ W9")
    shot = "Gun: A1 BS2+ S8 AP0 Damage 3 [DEVASTATING WOUNDS]"
    lost = wh40k.attack(shot, body, edition="11e", exact=True).wounds_lost.mean()
    assert str(lost) == damage


@pytest.mark.parametrize("edition", ["10e", "11e"])
def test_what_leaders_give_as_targets_ends_with_them(edition):
    """A leader's 4+ save for all: two shots of 5/6 * 5/6, the first at the leader, the second at the guard.

    The first kills with 25/72; then the second meets no save, else one of 4+: 2 (25/72 + 25/36 (1 + 25/72) / 2).
    """
    text = "While this model is leading a unit, models in that unit have a 4+ invulnerable save."
    chief = squad(rule(text), name="Chief", keywords=("Infantry", "Character"))
    (joined,) = wh40k.Army("A", "F", edition, 200, (chief, squad())).attach("Chief", "Squad").units
    shots = [f"Gun: A1 BS2+ S12 AP-6 Damage 2{ability}" for ability in (" [PRECISION]", "")]
    lost = wh40k.focus(shots, joined, edition=edition, exact=True).result.wounds_lost.mean()
    assert (lost, joined.simplifications[1:]) == (Rational(4225, 2592), ())
    tougher = "add 1 to the Toughness characteristic of models in that unit"
    effects = read_text(text.replace("models in that unit have a 4+ invulnerable save", tougher)).effects
    joined = replace(joined, rules=(replace(joined.rules[0], effects=effects),))
    assert "Squad with Chief: Rule lasts when its leader is destroyed" in joined.simplifications


def test_a_leaders_gift_acts_when_attached_alone_and_shifts_its_owner():
    given, own = f"While this model is leading a unit, {IN_UNIT}", f"{EACH}, you can re-roll the Hit roll."
    chief = squad(rule(given), rule(own, name="Own"), name="Chief", keywords=("Infantry", "Character"))
    army = wh40k.Army("A", "F", "10e", 200, (chief, squad())).attach("Chief", "Squad")
    (joined,) = army.units
    one, both = by_hand(GUN, hit_modifier=1), [each.groups for each in joined.rules]
    assert both == [(1,), (1,)]
    volleys = [(GUN, {"hit_modifier": 1}), (GUN, {"hit_modifier": 1, "reroll_hits": "failed"})]
    expected = wh40k.attack(
        [wh40k.Volley(wh40k.Weapon.parse(text), 1, **at) for text, at in volleys],
        GIANT,
        edition="10e",
        exact=True,
    )
    assert mean(joined) == expected.wounds_lost.mean() > one
    assert mean(chief.with_rules(off="Own")) == by_hand(GUN)


def test_gifts_reach_the_friends_that_have_the_keyword():
    song = rule(f'While a friendly INFANTRY unit is within 6" of this model, {IN_UNIT}', name="Song (Aura)")
    keeper = squad(song, name="Keeper")
    army = wh40k.Army("A", "F", "10e", 200, (keeper, squad()))
    assert mean(army.with_rules(on="Keeper: Song (Aura)")["Squad"]) == by_hand(GUN, hit_modifier=1)
    again = army.with_rules(on="Song (Aura)").with_rules(off="Song (Aura)")
    assert [mean(unit) for unit in again.units] == [by_hand(GUN)] * 2


def test_a_choice_has_to_be_made():
    choice = f"At the start of any phase, select one of the following:\n- Rage: {HIT}"
    text = f"{choice}\n- Care: {EACH}, re-roll a Hit roll of 1."
    unit = squad(rule(text, name="Moods"))
    assert mean(unit.with_rules(on="Moods=rage")) == by_hand(GUN, hit_modifier=1)
    assert mean(unit.with_rules(on="Moods=Care")) == by_hand(GUN, reroll_hits="ones")
    with pytest.raises(MathhammerError, match="expected one of 'Rage', 'Care' behind '=' for 'Moods'"):
        unit.with_rules(on="Moods")


def test_unknown_names_are_refused_with_the_nearest():
    unit = squad(rule(HIT, name="Old Song"))
    with pytest.raises(UnknownNameError, match="did you mean 'Old Song'"):
        unit.with_rules(on="Old Sing")
    with pytest.raises(MathhammerError, match="it has no effect on attacks"):
        squad("Deep Strike").with_rules(on="Deep Strike")


HATCH = HIT.replace("this model", "a friendly model that disembarked from this TRANSPORT this turn")


@pytest.mark.parametrize(
    ("text", "friends"), [(BLESSING, ["Owner", "Squad", "Others"]), (HATCH, ["Squad", "Others"])]
)
def test_a_rule_that_is_used_on_one_friend_acts_on_no_other_unit(text, friends):
    """And one for passengers never on their transport."""
    owner = squad(rule(text, name="Gift"), name="Owner")
    army = wh40k.Army("A", "F", "10e", 300, (owner, squad(), squad(name="Others")))
    plain, better = by_hand(GUN), by_hand(GUN, hit_modifier=1)
    with pytest.raises(MathhammerError, match="the friendly unit that 'Gift' is used on"):
        army.with_rules(on="Gift")
    for friend in ("Owner", "Squad", "Others"):
        if friend not in friends:
            with pytest.raises(MathhammerError, match=friend):
                army.with_rules(on=f"Gift > {friend}")
            continue
        given = army.with_rules(on=f"Gift > {friend}")
        assert [mean(unit) for unit in given.units if unit.name == friend] == [better]
        assert {mean(unit) for unit in given.units if unit.name != friend} == {plain}
        assert [mean(unit) for unit in given.with_rules(off="Gift").units] == [plain] * 3


def test_a_rule_for_units_that_there_are_none_of_is_refused():
    aura = f'While a friendly BEAST unit is within 6" of this model, {IN_UNIT}'
    priest = squad(rule(BLESSING, name="Blessing"), rule(aura, name="Howl"), name="Priest")
    tank = squad(name="Tank", keywords=("Vehicle",))
    army = wh40k.Army("A", "F", "10e", 200, (priest, tank))
    with pytest.raises(MathhammerError, match=r"'Blessing' is for \(Infantry\), got 'Tank'"):
        army.with_rules(on="Blessing > Tank")
    with pytest.raises(MathhammerError, match=r"'Howl' is for \(Beast\), but 'A' has none"):
        army.with_rules(on="Howl")
    worths = analysis.rule_worths(army, GIANT, edition="10e")
    assert {row["rule"] for row in worths.records} == {"Squad: Blessing > Priest"}
    assert worths.without_gain == ["Squad: Howl"]


STRATAGEMS = """
HIGH WATER (1CP)
WHEN: Your Shooting phase, when a friendly INFANTRY unit is selected to shoot.
TARGET: That INFANTRY unit.
EFFECT: Your unit's ranged attacks have +1 AP.

Low Water - 2 CP
WHEN: Fight phase.
TARGET: One INFANTRY unit from your army.
EFFECT: Until the end of the phase, models in your unit have a 4+ invulnerable save.
"""


def army(*units, rules=()):
    return wh40k.Army("Army", "", "10e", 100 * len(units), units, rules=rules)


def test_a_stratagem_is_a_switch_for_one_unit():
    """Its name with its cost stands on a line of its own; without a unit it is nobody's."""
    known = read_stratagems(STRATAGEMS)
    assert [each.name for each in known] == ["High Water (1 CP)", "Low Water (2 CP)"]
    two = army(squad(name="First"), squad(name="Second"), rules=known)
    assert [mean(unit) for unit in two.units] == [by_hand(GUN)] * 2
    used = two.with_rules(on="High Water > Second")
    expected = [by_hand(GUN), by_hand(GUN.replace("AP0", "AP-1"))]
    assert [mean(unit) for unit in used.units] == expected
    with pytest.raises(MathhammerError, match="expected the friendly unit that 'High Water"):
        two.with_rules(on="High Water")


def test_a_state_is_in_force_for_all_that_speak_of_it():
    """By the words of its name in any order; what else a rule depends on stays open."""
    text = "If the river doctrine is active for this unit, this unit's ranged attacks have +1 AP."
    once = f"Once per battle, if the river doctrine is active for this unit, {HIT[:1].lower()}{HIT[1:]}"
    before = army(squad(rule(text), rule(once, name="Once"), name="First"), squad(rule(text), name="Second"))
    assert mean(before.units[0]) == by_hand(GUN)
    after = before.with_rules(on="Doctrine: River")
    assert [mean(unit) for unit in after.units] == [by_hand(GUN.replace("AP0", "AP-1"))] * 2
    assert [each.state for each in after.units[0].rules] == ["on", "off"]
    assert after.with_rules(off="River Doctrine").units == before.units


def test_an_item_is_chosen_by_its_name():
    text = "Each time this unit is selected to shoot, it can use one of the following abilities:"
    choice = rule(f"{text}\n- Ebb: {AP}\n- Flow: {HIT}", name="Current")
    unit = army(squad(choice)).with_rules(on="Ebb").units[0]
    assert mean(unit) == by_hand(GUN.replace("AP0", "AP-2"))


def test_a_rule_of_the_army_on_each_of_its_units_counts_once():
    text = "Add 1 to the Attacks characteristic of ranged weapons equipped by INFANTRY models from your army."
    flood = rule(f"Once per battle, {text[:1].lower()}{text[1:]}", name="Flood")
    both = army(squad(flood, name="First"), squad(replace(flood, of="Second"), name="Second"))
    expected = by_hand(GUN.replace("A9", "A10"))
    assert [mean(unit) for unit in both.with_rules(on="Flood").units] == [expected] * 2
    worths = analysis.rule_worths(both, GIANT, edition="10e").records
    assert [row["rule"] for row in worths] == ["Flood"]
