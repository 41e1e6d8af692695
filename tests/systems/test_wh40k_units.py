"""Units of unequal models: whom attacks are allocated to, leaders, Precision, wounded models, plans of the defender."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Rational
from tenth import wh40k
from translation import mixed_unit, points

from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError

parse = wh40k.Weapon.parse
SURE = "S16 AP0 [TORRENT, ANTI-INFANTRY 2+]"


def target(name: str, **options) -> wh40k.Target:
    values = {"toughness": 4, "save": None, "wounds": 1}
    return wh40k.Target(name, **{**values, **options})


def state(weapon: str, unit: wh40k.TargetUnit, **options) -> dict[tuple[int, ...], object]:
    return points(wh40k.attack(parse(weapon), unit, exact=True, **options).state)


def test_the_toughness_of_an_attached_unit_is_its_bodyguards():
    """Core rules, Leader: T4 bodyguards with a T5 leader are T4, also for attacks with Precision at the leader."""
    unit = wh40k.TargetUnit("Squad", [target("Guard", models=5)], [target("Leader", toughness=5, wounds=5)])
    assert unit.toughness == 4
    assert wh40k.attack(
        parse("Gun: A1 BS2+ S4 AP0 D1 [PRECISION]"), unit, exact=True
    ).wounds.mean() == Rational(5, 12)


def test_the_toughness_of_a_mixed_unit_is_its_highest_and_does_not_drop():
    """Rules Commentary: fixed when the unit is selected as the target, though the tough model dies first."""
    unit = wh40k.TargetUnit("Mob", [target("Big", toughness=8), target("Small", toughness=4, models=3)])
    result = wh40k.attack(parse("Gun: A4 BS2+ S4 AP0 D1"), unit, exact=True)
    assert result.wounds.mean() == 4 * Rational(5, 36)
    assert result.kills.pmf(4) == Rational(5, 36) ** 4


def test_leaders_come_last_even_if_hurt():
    """Core rules, Leader: a character cannot be chosen while a bodyguard lives, even if it has lost wounds."""
    unit = wh40k.TargetUnit("Squad", [target("Guard", models=2)], [target("Leader", wounds=3, wounds_lost=2)])
    distribution = wh40k.attack(parse(f"Gun: A2 D1 {SURE}"), unit, exact=True)
    assert distribution.kills_of("Leader").pmf(0) == 1
    assert distribution.state.pmf((0, 0, 0, 2)) == Rational(1, 36)
    assert distribution.wounds_lost.pmf(0) == Rational(
        1, 36
    )  # what it had lost before is not lost to the attack


def test_what_two_bodyguards_leave_to_their_leader():
    """newrecruit.eu/wiki, Leader: four unsaved attacks of Damage 2, two guards of one wound, a leader of four."""
    unit = wh40k.TargetUnit("Squad", [target("Guard", models=2)], [target("Leader", wounds=4)])
    distribution = wh40k.attack(parse("Gun: A4 S8 AP0 D2 [TORRENT]"), unit, exact=True)
    # Four wounds on 2+: excess on a guard is lost, so that two attacks are left for the leader, and kill him.
    assert distribution.state.pmf((2, 0, 1, 0)) == Rational(5, 6) ** 4
    assert distribution.kills_of("Leader").pmf(1) == Rational(5, 6) ** 4


def test_a_character_that_is_not_attached_is_a_model_like_others():
    """Core Rules Updates: a unit of characters and others that is not attached follows the normal rule."""
    unit = wh40k.TargetUnit("Court", [target("Lord", wounds=2, keywords="Character"), target("Guard")])
    assert state(f"Gun: A1 D1 {SURE}", unit) == {(0, 0, 0, 0): Rational(1, 6), (0, 1, 0, 0): Rational(5, 6)}


def test_precision_may_be_declined():
    unit = mixed_unit()
    weapon = parse("Sniper: A3 BS2+ S8 AP-6 D3 [PRECISION]")
    at_leader = wh40k.attack(weapon, unit, exact=True)
    declined = wh40k.attack(weapon, unit, exact=True, precision=False)
    plain = wh40k.attack(replace(weapon, keywords=()), unit, exact=True)
    assert at_leader.kills_of("Trooper").pmf(1) > 0  # once the captain is dead, they go on to the others
    assert at_leader.kills_of("Captain").mean() > 0 == declined.kills_of("Captain").mean()
    assert points(declined.state) == points(plain.state)
    assert wh40k.attack(weapon, unit, precision="Captain", exact=True).state.total() == 1
    with pytest.raises(UnknownNameError, match="expected a leader of Captain"):
        wh40k.attack(weapon, unit, precision="Sergeant")


def test_devastating_wounds_with_precision_follow_the_leader():
    """Core rules, Mortal Wounds: those of an attack with Precision may be allocated to a character."""
    unit = wh40k.TargetUnit(
        "Squad", [target("Guard", models=3, save="2+")], [target("Leader", save="2+", wounds=2)]
    )
    text = "Gun: A1 S8 AP0 D2 [TORRENT, DEVASTATING WOUNDS, PRECISION]"
    distribution = wh40k.attack(parse(text), unit, exact=True)
    # 1/6 critical, or 2/3 wounded and 1/6 of the saves failed
    assert distribution.kills_of("Leader").mean() == Rational(1, 6) + Rational(2, 3) / 6
    assert distribution.kills_of("Guard").mean() == 0


def test_an_attack_without_precision_after_one_with_it():
    """The state of the unit is carried over although the second attack needs fewer of its states."""
    unit = mixed_unit()
    first = wh40k.attack(parse("Sniper: A1 BS2+ S8 AP-6 D3 [PRECISION]"), unit, exact=True)
    second = wh40k.attack(parse("Gun: A2 BS3+ S4 AP0 D1"), unit, start=first, exact=True)
    assert second.kills_of("Captain").mean() == first.kills_of("Captain").mean()
    third = wh40k.attack(parse("Gun: A2 BS3+ S4 AP0 D1"), unit, exact=True)
    fourth = wh40k.attack(parse("Sniper: A1 BS2+ S8 AP-6 D3 [PRECISION]"), unit, start=third, exact=True)
    assert points(fourth.state) == points(
        second.state
    )  # they meet different models: the order makes no difference


def test_blast_counts_every_model():
    """Core rules, Blast: one attack for every five models in the unit, of whatever kind."""
    unit = mixed_unit()  # four troopers, a sergeant, a captain
    assert wh40k.attack(parse("Bomb: A1 BS2+ S4 AP0 D1 [BLAST]"), unit, exact=True).attacks.mean() == 2


@pytest.mark.parametrize(("first", "expected"), [(0, (1, 2)), (2, (2, 0))])
def test_three_times_two_damage_on_three_wounds(first, expected):
    """Making Attacks: three unsaved attacks of Damage 2 on W3: (1, 2) on a fresh unit, (2, 0) with one wound left."""
    unit = target("Unit", wounds=3, models=3, wounds_lost=first)
    result = wh40k.attack(parse("Gun: A3 S8 AP0 D2 [TORRENT]"), unit, exact=True)
    most = max(points(result.state))
    assert most == expected
    assert result.state.pmf(most) == Rational(5, 6) ** 3
    assert result.wounds_lost.pmf(0) == Rational(1, 6) ** 3


@pytest.mark.parametrize(
    ("weapon", "unsaved"), [("A1 BS2+ S8 AP-6 D1", Rational(1, 2)), ("A1 WS2+ S8 AP-6 D1", Rational(2, 3))]
)
def test_several_invulnerable_saves(weapon, unsaved):
    """Making Attacks: of several invulnerable saves one is used, the best that applies."""
    unit = target("Unit", save="3+", invulnerable=("5+", "4+ ranged", "6+ melee"))
    result = wh40k.attack(parse(f"Weapon: {weapon}"), unit, exact=True)
    assert result.unsaved.mean() == unsaved * Rational(25, 36)
    assert wh40k.Target.parse(str(unit)) == unit


def test_a_shield_is_kept_for_the_right_attacks():
    """Whoever chooses best lets the armoured models take weak attacks, and the cheap ones strong attacks."""
    kinds = [target("Cheap", save="6+", points=5), target("Armoured", save="2+", points=5)]
    weak = parse("Weak: A2 S8 AP0 D1 [TORRENT]")
    given = wh40k.TargetUnit("Unit", kinds)
    best = wh40k.TargetUnit("Unit", kinds, allocation="best")
    worst = wh40k.TargetUnit("Unit", kinds, allocation="worst")
    means = [wh40k.attack(weak, unit, exact=True).kills.mean() for unit in (best, given, worst)]
    assert means[0] < means[1] == means[2]
    assert "best for the unit's player" in str(wh40k.attack(weak, best).explain())


def test_points_destroyed_are_those_of_each_kind():
    """Two attacks that kill one time in four: the first model dies in 7 of 16 cases, the second in 1 of 16."""
    kinds = [target("Guard", points=10), target("Captain", points=50)]
    gun = parse("Gun: A2 BS4+ S4 AP0 D1")
    result = wh40k.attack(gun, wh40k.TargetUnit("Squad", kinds[:1], kinds[1:]), exact=True)
    assert result.points_destroyed == Rational(10 * 7 + 50 * 1, 16)
    for unknown in ([target("Guard"), kinds[1]], [target("Guard", points=0), target("Captain", points=0)]):
        assert wh40k.attack(gun, wh40k.TargetUnit("Squad", unknown)).points_destroyed is None
    alike = target("Guard", models=2, points=60)
    assert (
        wh40k.attack(gun, alike, exact=True).points_destroyed == 15
    )  # half a model in the mean, at 30 points


def test_points_may_matter_more_than_models():
    cheap, dear = target("Cheap", points=1), target("Dear", save="5+", points=100)
    gun = parse("Gun: A1 S8 AP0 D1 [TORRENT]")

    def killed(objective):
        unit = wh40k.TargetUnit("Unit", [cheap, dear], allocation="best", objective=objective)
        result = wh40k.attack(gun, unit, exact=True)
        return result.kills_of("Cheap").mean(), result.kills_of("Dear").mean()

    assert killed("kills") == (0, Rational(5, 9))
    assert killed("points") == (Rational(5, 6), 0)


def test_a_plan_in_both_arithmetics():
    volleys = [
        wh40k.Volley(parse("Gun: AD6 BS3+ S5 AP-1 DD3 [DEVASTATING WOUNDS]"), 2),
        parse("Fist: A3 WS3+ S8 AP-2 D2"),
    ]
    unit = mixed_unit(allocation="best", objective="points")
    exact, floats = (wh40k.attack(volleys, unit, exact=kind) for kind in (True, False))
    assert exact.state.total() == 1
    for outcome, probability in exact.state.items():
        assert floats.state.pmf(outcome) == pytest.approx(float(probability), rel=1e-12)


def test_what_is_refused():
    with pytest.raises(MathhammerError, match="points of every kind"):
        wh40k.TargetUnit("Unit", [target("A"), target("B")], allocation="best", objective="points")
    with pytest.raises(UnknownNameError, match="expected objective of"):
        wh40k.TargetUnit("Unit", [target("A")], objective="luck")
    with pytest.raises(MathhammerError, match="different names"):
        wh40k.TargetUnit("Unit", [target("A"), target("A", wounds=2)])
    crowd = [target(name, models=10, wounds=3) for name in "ABCDE"]
    with pytest.raises(TooLargeError, match="states"):
        wh40k.attack(parse("Gun: A1 BS3+ S4 AP0 D1"), wh40k.TargetUnit("Crowd", crowd, allocation="best"))
    many = parse("Gun: A400 BS3+ S4 AP0 D1 [DEVASTATING WOUNDS]")
    with pytest.raises(TooLargeError, match="decisions"):
        wh40k.attack(many, mixed_unit(allocation="worst"))


def test_a_leader_that_saved_an_attack_goes_before_one_singled_out_by_the_next_unit():
    """The bodyguard falls, the first leader saves one attack; Precision then hurts the second, a mortal wound follows.

    Both leaders had an attack allocated in this phase, so that the order given decides again: the first one.
    """
    guard = wh40k.Target("Guard", toughness=4, save=None, wounds=1)
    first = wh40k.Target("First", toughness=4, save="2+", wounds=2)
    second = wh40k.Target("Second", toughness=4, save=None, wounds=3)
    unit = wh40k.TargetUnit("Unit", [guard], leaders=[first, second])
    sure = wh40k.Weapon.parse("Sure: A2 S8 AP0 D1 [TORRENT]")
    aimed = wh40k.Weapon.parse("Aimed: A1 S8 AP0 D1 [TORRENT, PRECISION]")
    before = wh40k.attack(sure, unit, exact=True)
    result = wh40k.attack(
        [wh40k.Volley(aimed, precision="Second"), wh40k.MortalWounds(1)], unit, exact=True, start=before
    )
    # Two wounds of two: the guard dies of one, the leader saves the other with 5/6, or is hurt; then the aimed one.
    saved, hurt = (Rational(25, 36) * Rational(chance, 6) for chance in (5, 1))
    assert result.state.pmf((1, 0, 0, 1, 0, 1)) == saved * Rational(5, 6)
    assert result.state.pmf((1, 0, 1, 0, 0, 1)) == hurt * Rational(5, 6)


def test_a_rule_used_by_a_leader_is_remembered_by_an_attack_that_singles_out():
    """Core rules, Precision: the next unit's attacks may single out leaders; what was spared once stays so."""
    guard = wh40k.Target("Guard", toughness=4, save=None, wounds=1)
    heroes = [
        wh40k.Target(name, toughness=4, save=None, wounds=1, damage_to_0=True) for name in ("One", "Two")
    ]
    unit = wh40k.TargetUnit("Unit", [guard], leaders=heroes)
    sure = wh40k.Weapon.parse("Sure: A2 S8 AP0 D1 [TORRENT]")
    aimed = wh40k.Weapon.parse("Aimed: A1 S8 AP0 D1 [TORRENT, PRECISION]")
    before = wh40k.attack(sure, unit, exact=True)
    result = wh40k.attack(wh40k.Volley(aimed, precision="One"), unit, exact=True, start=before)
    assert result.kills_of("One").pmf(1) == Rational(25, 36) * Rational(5, 6)


def test_units_whose_player_chooses_and_does_not_are_not_mixed():
    kinds = [wh40k.Target(name, toughness=4, save=None, wounds=w) for name, w in (("Weak", 1), ("Strong", 2))]
    given, best = (wh40k.TargetUnit("Pair", kinds, allocation=name) for name in ("given", "best"))
    before = wh40k.attack(wh40k.MortalWounds(1), best)
    with pytest.raises(MathhammerError, match="with the same allocation"):
        wh40k.attack(wh40k.MortalWounds(1), given, start=before)
