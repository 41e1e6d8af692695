"""Units one after another: the order of weapons, attacks left over, what each weapon did, conditions in between."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
import translation
from sympy import Rational
from tenth import wh40k
from translation import mixed_unit

from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError

parse = wh40k.Weapon.parse
BOLTER = parse("Bolter: A2 BS3+ S4 AP0 D1 [SUSTAINED HITS 1]")
MELTA = parse("Melta: A1 BS3+ S9 AP-4 DD6 [DEVASTATING WOUNDS]")
PLASMA = parse("Plasma: AD3 BS3+ S7 AP-2 D2 [LETHAL HITS, DEVASTATING WOUNDS, PRECISION]")
SURE = parse("Sure: A1 S8 AP0 D1 [TORRENT, ANTI-INFANTRY 2+]")
MARINES = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=3, feel_no_pain="6+")


@pytest.mark.parametrize("target", [MARINES, mixed_unit()], ids=["equal", "mixed"])
@pytest.mark.parametrize("order", list(permutations([BOLTER, MELTA, PLASMA])), ids=lambda o: o[0].name)
def test_shares_add_up(target, order):
    """Every model and wound lost was lost to one volley; the last to come leave most over."""
    (done,) = wh40k.activations([[wh40k.Volley(each, 2) for each in order]], target, exact=True)
    assert sum(share.kills for share in done.shares) == done.result.kills.mean()
    assert sum(share.wounds_lost for share in done.shares) == done.result.wounds_lost.mean()
    left_over = [share.attacks_left_over / share.attacks for share in done.shares]
    assert left_over == sorted(left_over)
    assert sum(share.attacks for share in done.shares) == done.result.attacks.mean()


def test_the_share_of_devastating_wounds_belongs_to_their_weapon():
    """Core rules, Mortal Wounds: they come after the other volley, and count for the volley that made them."""
    sure = parse("Sure: A1 S8 AP0 D2 [TORRENT, DEVASTATING WOUNDS]")
    plain = parse("Plain: A1 S8 AP0 D1 [TORRENT]")
    unit = wh40k.Target("Unit", toughness=4, save=None, wounds=2, models=2)
    done = wh40k.activations([[sure, plain]], unit, exact=True)[0]
    one, two = done.shares
    # 2/3: a plain wound of 2 kills at once. 1/6: a devastating wound comes last, on a model that has lost one wound
    # (5/6) or none (1/6).
    assert one.kills == Fraction(2, 3) + Fraction(1, 6)
    assert one.wounds_lost == 2 * Fraction(2, 3) + Fraction(1, 6) * (Fraction(5, 6) + 2 * Fraction(1, 6))
    assert (two.kills, two.wounds_lost) == (0, Fraction(5, 6))


def test_attacks_left_over_by_counting():
    """Core Rules Updates: attacks on a destroyed unit are lost."""
    target = wh40k.Target("Two", toughness=4, save="4+", wounds=1, models=2)
    weapon = parse("Gun: A2D3 BS3+ S4 AP0 D1")
    done = wh40k.activations([weapon], target, exact=True)[0]
    each = Fraction(2, 3) * Fraction(1, 2) * Fraction(1, 2)
    expected = Fraction(0)
    for number, weight in {2: 1, 3: 2, 4: 3, 5: 2, 6: 1}.items():
        for made in range(2, number):
            # destroyed by exactly this attack
            chance = (made - 1) * each**2 * (1 - each) ** (made - 2)
            expected += Fraction(weight, 9) * chance * (number - made)
    assert translation.plain_number(done.expected_waste) == expected
    assert abs(wh40k.activations([weapon], target)[0].expected_waste - float(expected)) < 1e-15


def test_a_second_unit_meets_what_the_first_left():
    one, two = wh40k.activations([[BOLTER, MELTA], wh40k.Volley(PLASMA, 2)], MARINES, exact=True)
    alone = wh40k.attack([BOLTER, MELTA], MARINES, exact=True)
    assert dict(one.result.state.items()) == dict(alone.state.items())
    again = wh40k.attack(wh40k.Volley(PLASMA, 2), MARINES, start=alone, exact=True)
    assert dict(two.result.state.items()) == dict(again.state.items())
    # a unit of its own resolves its devastating wounds before the next one shoots
    together = wh40k.attack([BOLTER, MELTA, wh40k.Volley(PLASMA, 2)], MARINES, exact=True)
    assert together.kills.mean() != two.result.kills.mean()


def test_what_if_the_first_unit_failed():
    """Conditions: three models left after the first unit, how likely is the finish?"""
    first = wh40k.attack(wh40k.Volley(BOLTER, 3), MARINES, exact=True)
    failed = first.given(lambda state: state == (0, 0))
    assert failed.kills.pmf(0) == 1
    finish = wh40k.activations([wh40k.Volley(MELTA, 3)], MARINES, start=failed, exact=True)[0]
    fresh = wh40k.attack(wh40k.Volley(MELTA, 3), MARINES, exact=True)
    assert finish.result.probability_destroyed == fresh.probability_destroyed
    lucky = first.given(lambda state: state[0] >= 1)
    better = wh40k.attack(wh40k.Volley(MELTA, 3), MARINES, start=lucky, exact=True)
    assert better.probability_destroyed > fresh.probability_destroyed
    with pytest.raises(MathhammerError):
        first.given(lambda state: state[0] > 3)


@pytest.mark.parametrize("objective", ["kills", "wounds_lost", "probability_destroyed"])
def test_no_order_is_better_than_the_best(objective):
    """Making Attacks: the attacker chooses which weapons are resolved first."""
    volleys = [wh40k.Volley(BOLTER, 2), wh40k.Volley(MELTA, 2), wh40k.Volley(PLASMA)]
    for target in (MARINES, mixed_unit(), mixed_unit(allocation="best")):
        best = wh40k.best_order(volleys, target, objective=objective, exact=True)

        def value(result, objective=objective):
            distribution = getattr(result, objective)
            return distribution if objective == "probability_destroyed" else distribution.mean()

        every = [value(wh40k.attack(list(order), target, exact=True)) for order in permutations(volleys)]
        assert value(best.result) == max(every)
        assert value(
            wh40k.activations([volleys], target, order="best", objective=objective, exact=True)[0].result
        ) == max(every)


def test_d1_before_d2_and_after():
    """Section Inflict Damage: D1 then D2 on two-wound models is (1, 0), D2 then D1 is (1, 1)."""
    one, two = parse("One: A1 S8 AP0 D1 [TORRENT]"), parse("Two: A1 S8 AP0 D2 [TORRENT]")
    unit = wh40k.Target("Unit", toughness=4, save=None, wounds=2, models=3)
    assert wh40k.attack([one, two], unit, exact=True).state.pmf((1, 1)) == 0
    assert wh40k.best_order([one, two], unit, objective="wounds_lost").volleys[0].weapon == two
    kept = wh40k.best_order([one, two], unit, objective="kills").volleys[0].weapon
    assert kept == one  # a model dies where the second wounds, in either order: that given stands


def test_points_of_a_mixed_unit():
    unit = mixed_unit()
    best = wh40k.best_order([BOLTER, PLASMA], unit, objective="points")
    assert {each.weapon.name for each in best.volleys} == {"Bolter", "Plasma"}


def test_what_is_refused():
    with pytest.raises(UnknownNameError, match="'given' or 'best' as order"):
        wh40k.activations([BOLTER], MARINES, order="random")
    with pytest.raises(UnknownNameError, match="expected objective of"):
        wh40k.best_order(BOLTER, MARINES, objective="luck")
    with pytest.raises(TooLargeError, match="at most 7 volleys"):
        wh40k.best_order([wh40k.Volley(BOLTER, n) for n in range(1, 9)], MARINES)
    with pytest.raises(MathhammerError, match="at least one unit"):
        wh40k.activations([], MARINES)
    planned = wh40k.activations([BOLTER], mixed_unit(allocation="best"))[0]
    with pytest.raises(MathhammerError, match="plan"):
        _ = planned.shares
    with pytest.raises(UnknownNameError, match="expected allocation of"):
        mixed_unit(allocation="random")


def test_blast_of_a_second_unit_counts_the_models_left():
    """Rules Commentary: the number of models is that of the moment when the target is selected."""
    unit = wh40k.Target("Ten", toughness=4, save=None, wounds=1, models=10)
    sure = parse("Sure: A1 S8 AP0 D1 [TORRENT]")
    bomb = parse("Bomb: A1 BS2+ S4 AP0 D1 [BLAST]")
    first = wh40k.attack(sure, unit, exact=True)
    both = wh40k.activations([sure, bomb], unit, exact=True)[1]
    # with probability 5/6 there are nine left, and one attack fewer
    assert dict(both.result.attacks.items()) == {2: Rational(5, 6), 3: Rational(1, 6)}
    expected = Rational(5, 6) + Rational(5, 12) * (2 * Rational(5, 6) + 3 * Rational(1, 6))
    assert both.result.kills.mean() == expected
    assert sum(share.kills for share in both.shares) == expected - first.kills.mean()
    assert both.result.state.total() == 1
    assert both.result.hits.mean() == 2 * Rational(25, 36) + 3 * Rational(5, 36)
    assert "most likely left" in str(both.result.explain())


def test_the_toughness_of_a_second_target_is_that_of_the_models_left():
    """Core rules, Leader; Rules Commentary: when the bodyguards are dead, the leader is met with his own Toughness."""
    guard = wh40k.Target("Guard", toughness=8, save=None, wounds=1)
    leader = wh40k.Target("Leader", toughness=4, save=None, wounds=4)
    unit = wh40k.TargetUnit("Squad", [guard], [leader])
    sure = parse("Sure: A1 S16 AP0 D1 [TORRENT]")
    gun = parse("Gun: A1 S4 AP0 D1 [TORRENT]")
    one, two = wh40k.activations([sure, gun], unit, exact=True)
    assert one.result.kills.mean() == Rational(5, 6)
    # 5/6: the guard is dead, and the leader is wounded on 4+; otherwise the guard, on 6+
    assert two.result.wounds.mean() == Rational(5, 12) + Rational(1, 36)
    assert two.result.state.pmf((1, 0, 0, 1)) == Rational(5, 12)


def test_a_new_phase_forgets_whom_attacks_were_allocated_to():
    """Making Attacks: a model that had attacks allocated to it this phase goes first; a wounded one in any phase."""
    man = wh40k.Target("Man", toughness=4, save=None, wounds=1)
    captain = wh40k.Target("Captain", toughness=4, save=None, wounds=2)
    medic = wh40k.Target("Medic", toughness=4, save="2+", wounds=2)
    unit = wh40k.TargetUnit("Squad", [man], [captain, medic])
    sniper = parse("Sniper: A1 S8 AP0 D1 [TORRENT, PRECISION]")
    sure = parse("Sure: A2 S8 AP0 D1 [TORRENT]")
    first = wh40k.attack(sniper, unit, precision="Medic", exact=True)
    unhurt = first.given(lambda state: not any(state))
    both_wound = Rational(25, 36)
    # He was not wounded (1/6), or saved (25/36): then the second attack is his, and he saves five of six.
    chosen = Rational(6, 31)
    found = [wh40k.attack(sure, unit, start=start, exact=True) for start in (unhurt, unhurt.new_phase())]
    captain_hurt = [result.state.marginal("Captain wounds lost by next").mean() for result in found]
    assert captain_hurt == [both_wound * chosen, both_wound]
    hurt = first.given(any).new_phase()
    later = wh40k.attack(sure, unit, start=hurt, exact=True)
    assert later.state.marginal("Captain wounds lost by next").mean() == 0
    equal = wh40k.attack(sure, MARINES, exact=True)
    assert dict(equal.new_phase().state.items()) == dict(equal.state.items())


def test_the_keywords_of_a_second_target_are_those_of_the_models_left():
    """Core rules, Keywords: a unit has the keywords of its models, and Anti finds none of those that are dead."""
    rider = wh40k.Target("Rider", toughness=4, save=None, wounds=1, keywords="Mounted")
    walker = wh40k.Target("Walker", toughness=4, save=None, wounds=4, keywords="Infantry")
    unit = wh40k.TargetUnit("Mixed", [rider, walker])
    sure = parse("Sure: A1 S16 AP0 D1 [TORRENT]")
    lance = parse("Lance: A1 S4 AP0 D1 [TORRENT, ANTI-MOUNTED 2+]")
    assert wh40k.attack(lance, unit, exact=True).wounds.mean() == Rational(5, 6)
    second = wh40k.activations([sure, lance], unit, exact=True)[1].result
    # 5/6: the rider is dead, and the walker is wounded on 4+; otherwise the rider is there, and it is 2+.
    assert second.wounds.mean() == Rational(5, 6) * Rational(1, 2) + Rational(1, 6) * Rational(5, 6)
    assert second.state.marginal("Rider destroyed").mean() == Rational(35, 36)


@pytest.mark.parametrize("as_unit", [False, True])
@pytest.mark.parametrize("attacks", ["2", "4", "D3+1"])
def test_attacks_left_over_with_one_reroll(attacks, as_unit):
    """Core Rules Updates: attacks on a destroyed unit are lost; the first failed hit roll is re-rolled.

    Every attack that hits wounds and kills the one model there is on 2+, after a hit on 4+.
    """
    target = wh40k.Target("One", toughness=4, save=None, wounds=1)
    gun = parse(f"Gun: A{attacks} BS4+ S8 AP0 D1")
    unit = wh40k.TargetUnit("One", [target]) if as_unit else target
    (done,) = wh40k.activations([wh40k.Volley(gun, reroll_hits="one")], unit, exact=True)
    (share,) = done.shares
    numbers = (
        {2: Fraction(1, 3), 3: Fraction(1, 3), 4: Fraction(1, 3)} if "D" in attacks else {int(attacks): 1}
    )
    left_over = Fraction(0)
    for number, chance in numbers.items():
        # (alive, re-roll used) after each attack
        states = {(True, False): Fraction(1)}
        for made in range(number):
            after = {}
            for (alive, used), mass in states.items():
                hit, missed = (Fraction(1, 2), Fraction(1, 2))
                again = Fraction(0) if used else missed
                for now_used, hits in ((used, hit), (True, again * Fraction(1, 2))):
                    for lives, wounds in ((False, Fraction(5, 6)), (alive, Fraction(1, 6))):
                        key = (lives and alive, now_used)
                        after[key] = after.get(key, Fraction(0)) + mass * hits * wounds
                rest = missed * Fraction(1, 2) if not used else missed
                key = (alive, True)
                after[key] = after.get(key, Fraction(0)) + mass * rest
            states = after
            dead = sum(mass for (alive, _), mass in states.items() if not alive)
            left_over += chance * dead * (made + 1 < number)
    mean = sum(number * chance for number, chance in numbers.items())
    assert translation.plain_number(share.attacks) == mean
    assert translation.plain_number(share.attacks_left_over) == left_over
    assert share.kills == done.result.kills.mean()
    floats = wh40k.activations([wh40k.Volley(gun, reroll_hits="one")], unit)[0].shares[0]
    assert floats.attacks_left_over == pytest.approx(float(left_over), rel=1e-12)
