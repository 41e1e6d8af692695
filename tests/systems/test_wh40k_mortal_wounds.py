"""Mortal wounds beside attacks: of stratagems and abilities, in addition, devastating ones, hazards, explosions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Rational
from tenth import wh40k

from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError

#: Hits always and wounds on 2+; a damage of 2.
SURE = wh40k.Weapon.parse("Sure: A1 S8 AP0 D2 [TORRENT]")
#: Hits always, wounds on a 6 only where it is critical too.
DEVASTATING = wh40k.Weapon.parse("Devastating: A1 S1 AP0 D2 [TORRENT, DEVASTATING WOUNDS]")
TOUGH = wh40k.Target("Tough", toughness=12, save=None, wounds=2, models=3)
PLAIN = wh40k.MortalWounds(1, "Hex")


def unit(target: wh40k.Target, **options: str) -> wh40k.TargetUnit:
    """The same models as a unit of one kind, which the other walk resolves."""
    return wh40k.TargetUnit(target.name, [target], **options)  # type: ignore[arg-type]


ALIKE = pytest.mark.parametrize("as_unit", [lambda target: target, unit], ids=["equal", "unit"])


@ALIKE
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("ruling", "state"),
    # A model of two wounds takes one and then two: the excess of the attack is lost. Two and then one: it is not.
    [("plain-first", (1, 0)), ("devastating-first", (1, 1)), ("as-listed", (1, 0))],
)
def test_plain_mortal_wounds_come_before_devastating_ones_unless_ruled_otherwise(
    as_unit, exact, ruling, state
):
    result = wh40k.attack(
        [PLAIN, wh40k.Volley(DEVASTATING)],
        as_unit(TOUGH),
        rulings={"mortal_wounds_order": ruling},
        exact=exact,
    )
    # A wound roll of 6 is critical; all others fail against Toughness 12.
    assert float(result.state.pmf(state)) == pytest.approx(1 / 6, rel=1e-12)
    assert float(result.state.pmf((0, 1))) == pytest.approx(5 / 6, rel=1e-12)


@ALIKE
@pytest.mark.parametrize(("ruling", "state"), [("plain-first", (1, 0)), ("devastating-first", (1, 1))])
def test_which_mortal_wounds_come_first_does_not_hang_on_the_list(as_unit, ruling, state):
    """The same with the mortal wound listed last."""
    rulings = {"mortal_wounds_order": ruling}
    result = wh40k.attack([wh40k.Volley(DEVASTATING), PLAIN], as_unit(TOUGH), rulings=rulings, exact=True)
    assert result.state.pmf(state) == Rational(1, 6)


@ALIKE
def test_as_listed_means_the_order_of_the_list(as_unit):
    rulings = {"mortal_wounds_order": "as-listed"}
    result = wh40k.attack([wh40k.Volley(DEVASTATING), PLAIN], as_unit(TOUGH), rulings=rulings, exact=True)
    assert result.state.pmf((1, 1)) == Rational(1, 6)


@ALIKE
def test_as_listed_a_mortal_wound_stands_between_two_equal_volleys(as_unit):
    """Two, one and two on models of two wounds: two of them die. Two, two and one would hurt a third."""
    result = wh40k.attack(
        [wh40k.Volley(DEVASTATING), PLAIN, wh40k.Volley(DEVASTATING)],
        as_unit(TOUGH),
        rulings={"mortal_wounds_order": "as-listed"},
        exact=True,
    )
    assert result.state.pmf((2, 0)) == Rational(1, 36)
    assert result.state.pmf((2, 1)) == 0
    # One critical wound: the first one dies and the second is hurt, or the first is hurt and then dies.
    assert (result.state.pmf((1, 1)), result.state.pmf((1, 0))) == (Rational(5, 36), Rational(5, 36))


@ALIKE
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("edition", "ruling"), [("10e", "devastating_timing"), ("9e", "mortal_wounds_timing")]
)
def test_mortal_wounds_of_no_weapon_wait_for_all_attacks_whatever_those_of_weapons_do(
    as_unit, order, edition, ruling
):
    soft = wh40k.Target("Soft", toughness=1, save=None, wounds=2, models=3)
    volley = wh40k.Volley(wh40k.Weapon.parse("Sure: A1 S8 AP0 D2 [TORRENT]"))
    options = {"edition": edition, "rulings": {ruling: "after-weapon"}, "exact": True}
    result = wh40k.attack([PLAIN, volley][::order], as_unit(soft), **options)
    assert result.state.pmf((1, 1)) == Rational(5, 6)
    (done,) = wh40k.activations([[PLAIN, volley][::order]], as_unit(soft), **options)
    assert sum(share.wounds_lost for share in done.shares) == result.wounds_lost.mean()
    assert done.shares[0 if order == 1 else 1].wounds_lost == 1


@ALIKE
def test_devastating_wounds_after_their_weapon_and_its_plain_mortal_wounds_after_the_unit(as_unit):
    """Two wounds from the devastating one, then the attack's two, and the mortal wound last of all."""
    hex_ = wh40k.Trigger("wound", "critical", "Hex", mortal_wounds=1)
    sure = wh40k.Weapon.parse("Sure: A1 S24 AP0 D2 [TORRENT]")
    result = wh40k.attack(
        [wh40k.Volley(DEVASTATING, triggers=[hex_]), wh40k.Volley(sure)],
        as_unit(TOUGH),
        rulings={"devastating_timing": "after-weapon"},
        exact=True,
    )
    assert result.state.pmf((2, 1)) == Rational(5, 36)
    assert result.state.pmf((1, 1)) == Rational(1, 36)
    assert result.state.pmf((1, 0)) == Rational(25, 36)


@ALIKE
@pytest.mark.parametrize("order", [1, -1])
def test_mortal_wounds_come_after_normal_damage_wherever_they_are_listed(as_unit, order):
    soft = wh40k.Target("Soft", toughness=1, save=None, wounds=2, models=3)
    result = wh40k.attack([PLAIN, wh40k.Volley(SURE)][::order], as_unit(soft), exact=True)
    # 5/6: the attack destroys the first model, the mortal wound hurts the second one.
    assert result.state.pmf((1, 1)) == Rational(5, 6)
    assert result.state.pmf((0, 1)) == Rational(1, 6)


@ALIKE
def test_plain_mortal_wounds_spill_over_and_devastating_ones_do_not(as_unit):
    """Three plain mortal wounds on models of two wounds: one dies, the next is hurt (core rules, Mortal Wounds)."""
    assert wh40k.attack(wh40k.MortalWounds(3), as_unit(TOUGH), exact=True).state.pmf((1, 1)) == 1
    assert wh40k.mortal_wounds(6, as_unit(TOUGH), exact=True).kills.pmf(3) == 1
    sure = wh40k.Weapon.parse("Sure: A1 S1 AP0 D3 [TORRENT, DEVASTATING WOUNDS, ANTI-TOUGH 2+]")
    target = wh40k.Target("Tough", toughness=12, save="2+", wounds=2, models=3, keywords="Tough")
    result = wh40k.attack(sure, as_unit(target), count=2, exact=True)
    assert result.state.pmf((2, 0)) == Rational(25, 36)


@ALIKE
@pytest.mark.parametrize("exact", [True, False])
def test_feel_no_pain_against_mortal_wounds_counts_for_plain_ones(as_unit, exact):
    target = wh40k.Target("Warded", toughness=4, save=None, wounds=1, models=5, feel_no_pain_mortal="5+")
    result = wh40k.attack(wh40k.MortalWounds(3), as_unit(target), exact=exact)
    expected = {0: Fraction(1, 27), 1: Fraction(2, 9), 2: Fraction(4, 9), 3: Fraction(8, 27)}  # E56
    for kills, probability in expected.items():
        assert float(result.kills.pmf(kills)) == pytest.approx(float(probability), rel=1e-12)


def test_the_distributions_on_the_way_tell_attacks_from_mortal_wounds():
    result = wh40k.attack([wh40k.Volley(SURE, 2), wh40k.MortalWounds("D3", "Hex")], TOUGH, exact=True)
    assert result.attacks.mean() == 2
    assert result.mortal_wounds.mean() == 2
    # Strength 8 against Toughness 12 wounds on 5+: two thirds of a wound of Damage 2, and the mortal wounds.
    assert result.unsaved.mean() == Rational(2, 3)
    assert result.damage.mean() == Rational(4, 3) + 2
    alone = wh40k.attack(wh40k.MortalWounds(0), TOUGH, exact=True)
    assert (alone.attacks.mean(), alone.damage.mean(), alone.kills.mean()) == (0, 0, 0)


@ALIKE
@pytest.mark.parametrize(
    ("on", "mortal_wounds"),
    # Hits on 3+, a 6 is critical and Lethal: of 36, 6 wounds without a roll; of the 18 normal hits half wound on 4+.
    # A critical wound is a rolled 6 of a normal hit.
    [("each", Rational(6 * 6 + 18 * 3, 216)), ("critical", Rational(18, 216)), ("4+", Rational(18 * 3, 216))],
)
def test_mortal_wounds_in_addition_on_each_wound_count_lethal_hits_and_on_a_critical_wound_do_not(
    as_unit, on, mortal_wounds
):
    gun = wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP0 D1 [LETHAL HITS]")
    target = wh40k.Target("Target", toughness=4, save="2+", wounds=1, models=3)
    trigger = wh40k.Trigger("wound", on, "Hex", mortal_wounds=1)
    result = wh40k.attack(gun, as_unit(target), triggers=[trigger], exact=True)
    assert result.mortal_wounds.mean() == mortal_wounds


@ALIKE
def test_damage_reduction_does_not_act_on_mortal_wounds_in_addition(as_unit):
    gun = wh40k.Weapon.parse("Gun: A1 S8 AP0 D2 [TORRENT]")
    target = wh40k.Target("Target", toughness=4, save="2+", wounds=9, damage_reduction=1)
    trigger = wh40k.Trigger("wound", "each", "Hex", mortal_wounds=2)
    result = wh40k.attack(gun, as_unit(target), triggers=[trigger], exact=True)
    # Wounds on 2+; saved on 2+: the attack takes 1 if unsaved, its two mortal wounds are whole.
    assert result.wounds_lost.pmf(2) == Rational(25, 36)
    assert result.wounds_lost.pmf(3) == Rational(5, 36)


@ALIKE
@pytest.mark.parametrize(("ruling", "state"), [("plain-first", (1, 0)), ("devastating-first", (1, 1))])
def test_one_weapon_may_have_devastating_wounds_and_mortal_wounds_in_addition(as_unit, ruling, state):
    trigger = wh40k.Trigger("wound", "critical", "Hex", mortal_wounds=1)
    result = wh40k.attack(
        DEVASTATING,
        as_unit(TOUGH),
        triggers=[trigger],
        rulings={"mortal_wounds_order": ruling},
        exact=True,
    )
    assert result.state.pmf(state) == Rational(1, 6)
    assert result.unsaved.mean() == Rational(1, 6)
    assert result.mortal_wounds.mean() == Rational(1, 6)


def test_a_trigger_that_improves_ap_meets_the_save_of_each_kind():
    """One wound on a unit whose first model saves on 3+ and whose second on 5+; a 6 to wound improves AP by 2."""
    first = wh40k.Target("First", toughness=8, save="3+", wounds=1)
    second = wh40k.Target("Second", toughness=8, save="5+", wounds=1)
    gun = wh40k.Weapon.parse("Gun: A2 S8 AP0 D1 [TORRENT]")
    rend = wh40k.Trigger("wound", "unmodified 6", "Rending", improve_ap=2)
    result = wh40k.attack(gun, wh40k.TargetUnit("Pair", [first, second]), triggers=[rend], exact=True)
    # Of a wound roll 3 fail, 2 wound plainly, 1 with AP-2: the first fails 2 or 4 faces of six, the second 4 or 6.
    lost_first = Rational(2 * 2 + 1 * 4, 36)
    lost_second = Rational(2 * 4 + 1 * 6, 36)
    assert result.kills_of("Second").pmf(1) == lost_first * lost_second
    assert result.kills_of("First").pmf(1) == 1 - (1 - lost_first) ** 2


def test_the_unit_s_player_may_choose_who_takes_mortal_wounds():
    weak = wh40k.Target("Weak", toughness=4, save=None, wounds=1)
    strong = wh40k.Target("Strong", toughness=4, save=None, wounds=2)
    for allocation, kills in (("best", 0), ("worst", 1)):
        target = wh40k.TargetUnit("Pair", [weak, strong], allocation=allocation)
        assert wh40k.attack(wh40k.MortalWounds(1), target, exact=True).kills.mean() == kills
        assert wh40k.mortal_wounds(1, target, exact=True).kills.mean() == kills


@pytest.mark.parametrize("allocation", ["given", "best", "worst"])
def test_equal_models_leave_nothing_to_choose_of_devastating_and_plain_mortal_wounds(allocation):
    trigger = wh40k.Trigger("wound", "critical", "Hex", mortal_wounds="D3")
    entries = [wh40k.Volley(DEVASTATING, 2, triggers=[trigger]), wh40k.MortalWounds("D3"), wh40k.Volley(SURE)]
    one = wh40k.attack(entries, TOUGH, exact=True)
    other = wh40k.attack(entries, unit(TOUGH, allocation=allocation), exact=True)
    assert one.kills == other.kills
    assert one.wounds_lost == other.wounds_lost


@ALIKE
@pytest.mark.parametrize(
    ("ruling", "mortal", "devastating"),
    [
        ("plain-first", (1, 1), (0, 0)),
        ("devastating-first", (Rational(1, 6), Rational(1, 6)), (Rational(5, 6), Rational(5, 6))),
        ("as-listed", (Rational(1, 6), 1), (Rational(5, 6), 0)),
    ],
)
def test_shares_of_mortal_and_devastating_wounds(as_unit, ruling, mortal, devastating):
    """Core rules, Mortal Wounds: whichever comes first destroys the only model; 5/6 is a devastating wound."""
    gun = wh40k.Weapon.parse("Sure: A1 S8 AP0 D1 [TORRENT, DEVASTATING WOUNDS]")
    entries = [wh40k.Volley(gun, critical_wound=2), wh40k.MortalWounds(1)]
    alone = wh40k.Target("Alone", toughness=4, save=None, wounds=1)
    for turn, order in enumerate((entries, entries[::-1])):
        options = {"rulings": {"mortal_wounds_order": ruling}, "exact": True}
        shares = wh40k.activations([order], as_unit(alone), **options)[0].shares
        expected = [devastating[turn], mortal[turn]][:: 1 if turn == 0 else -1]
        assert [share.kills for share in shares] == expected
        assert [share.wounds_lost for share in shares] == expected


@ALIKE
@pytest.mark.parametrize(
    ("ruling", "expected"),
    [
        ("plain-first", (Rational(1, 6) * Rational(5, 6), Rational(5, 6))),
        ("devastating-first", (Rational(5, 6), Rational(1, 6) * Rational(5, 6))),
    ],
)
def test_shares_of_volleys_with_either(as_unit, ruling, expected):
    """Core rules, Mortal Wounds: the wounds of one volley are devastating, those of the other mortal, each 5/6."""
    gun = wh40k.Weapon.parse("Sure: A1 S8 AP0 D1 [TORRENT, DEVASTATING WOUNDS]")
    hex_ = wh40k.Trigger("wound", "each", "Hex", mortal_wounds=1, instead=True)
    volleys = [wh40k.Volley(gun, critical_wound=2), wh40k.Volley(SURE, triggers=hex_)]
    alone = wh40k.Target("Alone", toughness=1, save=None, wounds=1)
    options = {"rulings": {"mortal_wounds_order": ruling}, "exact": True}
    shares = wh40k.activations([volleys], as_unit(alone), **options)[0].shares
    assert tuple(share.kills for share in shares) == expected


def test_a_grenade_and_tank_shock_are_entries():
    marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    result = wh40k.attack([wh40k.MortalWounds(wh40k.grenade(), "Grenade")], marines, exact=True)
    assert result.kills.pmf(3) == Rational(1, 64)
    assert result.mortal_wounds.mean() == 3
    assert "Grenade" in str(result.explain())
    shares = wh40k.activations(
        [[wh40k.MortalWounds(2, "Tank Shock"), wh40k.Volley(SURE)]], marines, exact=True
    )[0].shares
    assert (
        sum(share.kills for share in shares)
        == wh40k.attack([wh40k.MortalWounds(2), wh40k.Volley(SURE)], marines, exact=True).kills.mean()
    )
    assert shares[0].attacks == 0


def test_the_result_says_what_hazardous_tests_do_to_the_bearers():
    plasma = wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]")
    bearers = wh40k.Target("Bearers", toughness=4, save="3+", wounds=2, models=5)
    result = wh40k.attack(plasma, TOUGH, count=5, bearers=bearers, exact=True)
    assert result.hazardous.failed.at_least(1) == Rational(4651, 7776)  # E47
    assert result.hazardous.kills.mean() == Rational(5, 6)
    with pytest.raises(MathhammerError, match=r"bearers=Target\(\.\.\.\)"):
        _ = wh40k.attack(plasma, TOUGH).hazardous
    for weapon, edition in ((SURE, "10e"), (plasma, "9e")):
        with pytest.raises(MathhammerError, match="expected a weapon that is Hazardous"):
            wh40k.attack(weapon, TOUGH, bearers=bearers, edition=edition)
    with pytest.raises(MathhammerError, match="expected a Target or a TargetUnit as the bearers"):
        wh40k.attack(plasma, TOUGH, bearers="me")  # type: ignore[call-overload]


@pytest.mark.parametrize(("demise", "mean"), [("D3", Rational(1, 3)), ("D6", Rational(7, 12))])
def test_deadly_demise_is_rolled_for_each_model_destroyed(demise, mean):
    """Core rules, Deadly Demise: a sixth of the mean of its dice for each unit in range of a model surely lost."""
    walker = wh40k.Target("Walker", toughness=4, save=None, wounds=1, models=2, deadly_demise=demise)
    sure = wh40k.MortalWounds(1)
    assert wh40k.attack(sure, walker, exact=True).deadly_demise.mean() == mean
    assert wh40k.attack([sure, sure], walker, exact=True).deadly_demise.mean() == 2 * mean
    both = wh40k.TargetUnit("Both", [TOUGH, walker])
    assert wh40k.attack(wh40k.MortalWounds(8), both, exact=True).deadly_demise.mean() == 2 * mean
    assert wh40k.attack(wh40k.MortalWounds(7), both, exact=True).deadly_demise.mean() == mean
    assert wh40k.attack(sure, TOUGH, exact=True).deadly_demise.pmf(0) == 1


def test_results_after_an_earlier_attack_hold_mortal_wounds_too():
    blast = wh40k.Weapon.parse("Blast: AD6 BS4+ S4 AP0 D1 [BLAST]")
    horde = wh40k.Target("Horde", toughness=3, save=None, wounds=1, models=10)
    first = wh40k.attack(blast, horde, exact=True)
    second = wh40k.attack([wh40k.Volley(blast), wh40k.MortalWounds(2)], horde, start=first, exact=True)
    assert second.mortal_wounds.mean() == 2
    assert second.damage.mean() == second.unsaved.mean() + 2


def test_what_mortal_wounds_cannot_be_is_refused():
    with pytest.raises(MathhammerError, match="0 or more"):
        wh40k.MortalWounds(-1)
    with pytest.raises(MathhammerError, match="leave them out"):
        wh40k.fast_roll_check([wh40k.Volley(SURE), wh40k.MortalWounds(1)], TOUGH)
    with pytest.raises(MathhammerError, match="every hit is '1\\+'"):
        wh40k.Trigger("hit", "each", "Hex", mortal_wounds=1)
    with pytest.raises(UnknownNameError, match="expected a kind of models of Tough"):
        wh40k.attack(SURE, TOUGH).kills_of("Soft")


def test_a_result_shows_what_befell_others():
    plasma = wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]")
    bearers = wh40k.Target("Bearers", toughness=4, save="3+", wounds=2)
    walker = wh40k.Target("Walker", toughness=4, save=None, wounds=1, deadly_demise="D3")
    shown = str(wh40k.attack([wh40k.Volley(plasma), wh40k.MortalWounds(1)], walker, bearers=bearers))
    # One test, which a 1 fails; the walker dies for certain, and a 6 makes D3 of it.
    _, _, others = shown.partition('Mortal wounds on each other unit within 6"')
    assert "83.33%" in others.partition("Bearers destroyed by Hazardous tests")[0]
    assert "16.67%" in others.partition("Bearers destroyed by Hazardous tests")[2]


def test_what_is_too_much_or_means_nothing_is_refused_at_once():
    with pytest.raises(TooLargeError, match="at most 20,000 wounds without an attack at once, but 20001D6"):
        wh40k.attack(wh40k.MortalWounds("20001D6"), TOUGH)
    with pytest.raises(MathhammerError, match="1 or more as deadly_demise, got 'D3-1'"):
        wh40k.Target("Walker", toughness=4, save=None, wounds=1, deadly_demise="D3-1")
    critical = wh40k.Trigger("wound", "critical", "Hex", mortal_wounds=1)
    with pytest.raises(MathhammerError, match="no Trigger on 'critical' in the Warhammer 40,000 9th edition"):
        wh40k.attack(SURE, TOUGH, edition="9e", triggers=[critical])


@ALIKE
def test_mortal_wounds_instead_end_the_attack_of_a_hit_or_a_devastating_wound(as_unit):
    """One wound and not two more; on a hit two mortal wounds and no wound roll."""
    instead = wh40k.Trigger("wound", "critical", "Hex", mortal_wounds=1, instead=True)
    result = wh40k.attack(DEVASTATING, as_unit(TOUGH), triggers=[instead], exact=True)
    assert (result.wounds_lost.pmf(1), result.wounds_lost.pmf(0)) == (Rational(1, 6), Rational(5, 6))
    gun = wh40k.Weapon.parse("Gun: A1 BS6+ S24 AP0 D1")
    on_hit = wh40k.Trigger("hit", "unmodified 6", "Hex", mortal_wounds=2, instead=True)
    assert wh40k.attack(gun, as_unit(TOUGH), triggers=[on_hit], exact=True).wounds_lost.pmf(2) == Rational(
        1, 6
    )


@ALIKE
def test_an_additional_hit_has_nothing_of_the_better_ap_of_the_roll(as_unit):
    """Of a 6 to hit: the own wound, 5/6, is never saved; that of the additional hit only fails a 2+ with 1/6."""
    gun = wh40k.Weapon.parse("Gun: A1 BS6+ S24 AP0 D1")
    rules = [
        wh40k.Trigger("hit", "unmodified 6", "More", extra_hits=1),
        wh40k.Trigger("hit", "unmodified 6", "Rending", improve_ap=6),
    ]
    target = wh40k.Target("Target", toughness=4, save="2+", wounds=1, models=3)
    result = wh40k.attack(gun, as_unit(target), triggers=rules, exact=True)
    assert result.kills.mean() == Rational(1, 6) * (Rational(5, 6) + Rational(5, 36))


@ALIKE
def test_mortal_wounds_of_a_psychic_weapon_are_psychic(as_unit):
    mind = wh40k.Weapon.parse("Mind: A1 S24 AP0 D1 [TORRENT, PSYCHIC]")
    hex_ = wh40k.Trigger("wound", "each", "Hex", mortal_wounds=1, instead=True)
    target = wh40k.Target("Null", toughness=4, save=None, wounds=2, feel_no_pain_psychic="4+")
    assert wh40k.attack(mind, as_unit(target), triggers=[hex_], exact=True).wounds_lost.mean() == Rational(
        5, 12
    )
