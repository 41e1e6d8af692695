"""Unit rules, stratagems and conditions of the 10th edition, one fact each, by hand."""

from __future__ import annotations

from typing import Any

import pytest
from by_hand import distribution, failed_save, play, unit, weapon
from sympy import Rational
from tenth import analysis, wh40k

import mathhammer as mh
from mathhammer.errors import MathhammerError

HALF, THIRD = Rational(1, 2), Rational(1, 3)


@pytest.mark.parametrize("condition", ["stealth", "smokescreen", "engaged", "damaged"])
def test_minus_one_to_hit(condition: str) -> None:
    """Core rules, Stealth, Smokescreen, Big Guns Never Tire; datasheets, Damaged: 1 is subtracted from hit rolls."""
    assert play(**{condition: True}).hits.mean() == HALF
    assert play(**{condition: True}, hit_modifier=-1).hits.mean() == HALF  # the sum is capped


@pytest.mark.parametrize("condition", ["stealth", "smokescreen", "engaged"])
def test_rules_about_shooting_leave_melee_alone(condition: str) -> None:
    """Core rules, Stealth, Smokescreen, Big Guns Never Tire: ranged attacks only."""
    assert play(range="Melee", **{condition: True}).hits.mean() == 2 * THIRD


def test_damaged_is_for_every_attack() -> None:
    """Datasheets, Damaged: the model's own attacks, melee too."""
    assert play(range="Melee", damaged=True).hits.mean() == HALF


def test_smokescreen_does_not_stack() -> None:
    """Core stratagem Smokescreen: it gives Stealth and cover, neither of which counts twice."""
    once = play(smokescreen=True, skill=2, hit_modifier=1)
    twice = play(smokescreen=True, stealth=True, cover=True, skill=2, hit_modifier=1)
    assert once.hits.mean() == twice.hits.mean() == Rational(5, 6)
    target = unit(save=5)
    assert failed_save(smokescreen=True, target=target) == failed_save(cover=True, target=target) == HALF
    assert failed_save(smokescreen=True, cover=True, stealth=True, target=target) == HALF


def test_pistols_are_exempt_from_big_guns() -> None:
    """Core rules, Big Guns Never Tire: no -1 for pistols."""
    assert play("Pistol", engaged=True).hits.mean() == 2 * THIRD


def test_plunging_fire_improves_ap() -> None:
    """Core rules, Plunging Fire: AP is improved by 1, and cover counts against it."""
    target = unit(save=4)
    assert failed_save(plunging_fire=True, target=target) == 2 * THIRD
    assert failed_save(plunging_fire=True, target=unit(save=3), cover=True) == THIRD


def test_go_to_ground() -> None:
    """Core stratagem Go to Ground: cover and a 6+ invulnerable save."""
    assert failed_save(go_to_ground=True, target=unit(save=6, wounds=20), ap=-4) == Rational(5, 6)
    assert failed_save(go_to_ground=True, target=unit(save=5), ap=0) == HALF
    assert failed_save(go_to_ground=True, target=unit(save=5, invulnerable=4), ap=-3) == HALF


@pytest.mark.parametrize(("skill", "modifier"), [(2, 1), (6, -1)])
def test_overwatch(skill: int, modifier: int) -> None:
    """Core stratagem Fire Overwatch: only unmodified 6s hit, whatever the skill; re-rolls are not forbidden."""
    given: dict[str, Any] = {"overwatch": True, "skill": skill, "hit_modifier": modifier}
    assert play(**given).hits.mean() == Rational(1, 6)
    assert play(**given, critical_hit=5).hits.mean() == Rational(1, 6)
    assert play("Sustained Hits 1", **given).hits.mean() == THIRD
    assert play(**given, reroll_hits="failed").hits.mean() == Rational(11, 36)


def test_worsened_ap_stays_at_0() -> None:
    """Rules Commentary, Modifiers: AP is never worse than 0."""
    worse = [wh40k.Modifier("worsen", 1, "tough", of="ap")]
    assert failed_save(modifiers=worse, target=unit(save=4), ap=-1) == HALF
    assert failed_save(modifiers=worse, target=unit(save=4), ap=0) == HALF


def test_failing_wound_rolls_and_the_attackers_rule() -> None:
    """Core Rules Updates, Priority of Rules: "unmodified 1-3 fail" loses to "wounds on 2+"."""
    assert play("Torrent", strength=12, wound_fails_up_to=3).wounds.mean() == HALF
    assert play("Torrent", strength=12, wound_fails_up_to=3, wound_modifier=1).wounds.mean() == HALF
    assert play("Torrent", strength=1, wounds_on=2, wound_fails_up_to=3).wounds.mean() == Rational(5, 6)
    assert play("Torrent", strength=12, wounds_on=4).wounds.mean() == Rational(5, 6)
    assert play("Torrent", strength=1, wounds_on=4, wound_modifier=-1).wounds.mean() == THIRD


@pytest.mark.parametrize(
    ("wounds_on", "modifier", "wounding_faces"),
    [(5, 0, 3), (4, 0, 3), (4, 1, 4), (3, 0, 4), (3, -1, 3), (3, 1, 5), (2, 0, 5)],
)
def test_the_attackers_rule_wins_only_with_rolls_that_it_speaks_of(
    wounds_on: int, modifier: int, wounding_faces: int
) -> None:
    """Core Rules Updates, Priority of Rules: "wounds on 5+" does not save a 2, and the table alone loses to "1-3 fail".

    Strength 12 wounds on 2+. A face of 2 or 3 succeeds where, modified, it reaches what the attacker's rule asks.
    """
    given: dict[str, Any] = {"strength": 12, "wound_fails_up_to": 3, "wound_modifier": modifier}
    wounds = play("Torrent", **given, wounds_on=wounds_on).wounds.mean()
    assert wounds == Rational(wounding_faces, 6)


def test_precision_at_a_leader_needs_a_leader() -> None:
    """A name that nobody bears is refused by a target without leaders as by a unit with others."""
    with pytest.raises(MathhammerError, match=r"no name of a leader as precision against 'Unit'.*TargetUnit"):
        play("Precision", precision="Captain")
    assert (
        play("", precision="Captain").hits.mean() == 2 * THIRD
    )  # other weapons of the attacker may name one


def test_overwatch_leaves_melee_weapons_alone() -> None:
    """Core stratagem Fire Overwatch: the unit shoots."""
    assert play(range="Melee", overwatch=True).hits.mean() == 2 * THIRD


def test_ignoring_modifiers_keeps_the_good_ones() -> None:
    """Rules Commentary, Ignoring Modifiers: any or all of them, so the penalties only."""
    bad = [wh40k.Modifier("subtract", 1, "smoke"), wh40k.Modifier("add", 1, "aim")]
    assert play(hit_modifier=bad, ignore_modifiers="hit").hits.mean() == Rational(5, 6)
    assert play(stealth=True, ignore_modifiers="hit").hits.mean() == 2 * THIRD
    worse = [wh40k.Modifier("worsen", 1, "haze", of="skill")]
    assert play(modifiers=worse).hits.mean() == HALF
    assert play(modifiers=worse, ignore_modifiers={"skill", "hit"}).hits.mean() == 2 * THIRD
    hard = unit(half_damage=True, damage_reduction=1)
    assert play("Torrent", damage=6, target=hard).damage.mean() == 1
    assert play("Torrent", damage=6, target=hard, ignore_modifiers="damage").damage.mean() == 3
    weak = [wh40k.Modifier("subtract", 1, "dread", of="strength")]
    assert play("Torrent", modifiers=weak, ignore_modifiers="strength").wounds.mean() == HALF


def test_damage_1_attacks_and_the_cap() -> None:
    """Datasheets, "+1 to armour saves against Damage 1": not the invulnerable save, and +1 in all at most."""
    target = unit(save=4, invulnerable=4, damage_1_save_bonus=1)
    assert failed_save(target=target) == THIRD
    assert failed_save(target=target, cover=True) == THIRD
    assert failed_save(target=target, damage=2) == HALF
    assert failed_save(target=target, damage="D3") == HALF
    assert failed_save(target=target, ap=-3) == HALF


def test_extra_attacks_cannot_be_modified() -> None:
    """Core rules, Extra Attacks: their number changes only by a rule that names the weapon."""
    more = wh40k.Modifier("add", 2, "frenzy", of="attacks")
    named = wh40k.Modifier("add", 1, "sharp tails", of="extra attacks")
    assert play("Extra Attacks", range="Melee", modifiers=[more, named]).attacks.mean() == 2
    assert play(range="Melee", modifiers=[more, named]).attacks.mean() == 3


def test_linked_fire_sets_attacks_before_bonuses() -> None:
    """Datasheets, Linked Fire: A is set to 1, then Rapid Fire and Blast add, in one pass with all modifiers."""
    linked = wh40k.Modifier("set", 1, "Linked Fire", of="attacks")
    fewer = wh40k.Modifier("subtract", 1, "haywire", of="attacks")
    assert play("Rapid Fire 2", attacks=6, modifiers=[linked], half_range=True).attacks.mean() == 3
    assert play("Rapid Fire 2", attacks=1, modifiers=[fewer], half_range=True).attacks.mean() == 2


def test_the_floor_of_attacks_counts_random_bonuses() -> None:
    """Rules Commentary, Modifiers: 1 attack less 2, with Rapid Fire D3: of 0, 1 and 2 the first is raised to 1."""
    fewer = wh40k.Modifier("subtract", 2, "haywire", of="attacks")
    result = play("Rapid Fire D3", modifiers=[fewer], half_range=True)
    assert distribution(result.attacks) == {1: 2 * THIRD, 2: THIRD}
    one_less = wh40k.Modifier("subtract", 1, "haywire", of="attacks")
    assert distribution(
        play("Rapid Fire D3", modifiers=[one_less], half_range=True, count=2).attacks
    ) == distribution(play("Torrent", attacks="2D3").attacks)


@pytest.mark.parametrize("roll", ["hit", "wound"])
def test_successful_unmodified_5(roll: str) -> None:
    """Rules Commentary, Critical Hit: "a successful unmodified 5+" must succeed, rule by rule."""
    given: dict[str, Any] = {"Torrent": roll == "wound"}
    keywords = "Torrent, Devastating Wounds" if given.pop("Torrent") else "Sustained Hits 1"
    profile: dict[str, Any] = {"skill": 6} if roll == "hit" else {"strength": 1}
    loose = play(keywords, **profile, **{f"critical_{roll}": "5+"})
    strict = play(keywords, **profile, **{f"critical_{roll}": "successful 5+"})
    count = "hits" if roll == "hit" else "wounds"
    both = 2 if roll == "hit" else 1
    assert getattr(loose, count).mean() == both * THIRD
    assert getattr(strict, count).mean() == both * Rational(1, 6)


# ----------------------------------------------------------------------------------------------------- one re-roll


def test_one_hit_reroll_for_the_unit() -> None:
    """Rules Commentary, Fast Dice Rolling and Rules That Allow One Re-roll: pick the die after seeing all."""
    result = play(attacks=4, reroll_hits="one")
    assert result.hits.mean() == Rational(778, 243)
    assert result.hits.pmf(4) == Rational(2, 3) ** 4 + 4 * Rational(2, 3) ** 3 * THIRD * Rational(2, 3)
    assert distribution(result.attacks) == {4: 1}
    assert result.unsaved.mean() == Rational(778, 243) / 2


def test_one_wound_reroll_and_one_save_reroll() -> None:
    """Core stratagem Command Re-roll: one failed wound roll of two, or one failed save of two."""
    wounds = play("Torrent", attacks=2, reroll_wounds="one")
    assert wounds.wounds.mean() == 1 + Rational(3, 4) * HALF
    assert wounds.hits.mean() == 2
    target = unit(save=4, wounds=1, models=3)
    saves = play("Torrent", attacks=2, wounds_on=2, wound_modifier=1, reroll_saves="one", target=target)
    failing = Rational(5, 6) * HALF
    assert saves.unsaved.mean() == 2 * failing - (1 - (1 - failing) ** 2) * HALF
    assert saves.kills.mean() == saves.unsaved.mean()
    assert saves.wounds.mean() == Rational(5, 3)


def test_one_reroll_of_a_random_number_of_attacks() -> None:
    """Rules Commentary, Re-rolls: the number of attacks is known first; criticals of the re-rolled die count."""
    result = play("Sustained Hits 1", attacks="D3", reroll_hits="one")
    by_number = [
        number * Rational(5, 6) + (1 - Rational(2, 3) ** number) * Rational(5, 6) for number in (1, 2, 3)
    ]
    assert result.hits.mean() == sum(by_number) / 3


def test_a_twin_linked_die_is_not_rerolled_twice() -> None:
    """Core rules, Re-rolls: each failed wound roll has been re-rolled once already, so one more re-roll has no use."""
    result = play("Torrent, Twin-linked", reroll_wounds="one")
    assert result.wounds.mean() == Rational(3, 4)
    assert "none is re-rolled twice" in " ".join(str(result.explain()).split())
    assert play("Torrent", reroll_wounds="one").wounds.mean() == Rational(3, 4)


def test_ignored_modifiers_are_gone_before_the_floor() -> None:
    """Rules Commentary, Ignoring Modifiers: a -1 that a floor would hide still takes from a bonus beside it."""
    worse = wh40k.Modifier("worsen", 1, "tough", of="ap")
    given: dict[str, Any] = {"plunging_fire": True, "modifiers": worse, "target": unit(save=4)}
    assert failed_save(**given) == HALF
    assert failed_save(**given, ignore_modifiers="ap") == 2 * THIRD
    treated = wh40k.Modifier("treat", 0, "bastion", of="ap", when=frozenset({-1}))
    given["modifiers"] = treated
    assert (failed_save(**given), failed_save(**given, ignore_modifiers="ap")) == (HALF, 2 * THIRD)
    fewer = wh40k.Modifier("subtract", 1, "haywire", of="attacks")
    half_range: dict[str, Any] = {"half_range": True, "modifiers": fewer}
    assert play("Rapid Fire 2", **half_range).attacks.mean() == 2
    assert play("Rapid Fire 2", **half_range, ignore_modifiers="attacks").attacks.mean() == 3
    less = wh40k.Modifier("subtract", 1, "hide", of="damage")
    assert play("Torrent, Melta 2", half_range=True, modifiers=less).damage.mean() == 1
    full = play("Torrent, Melta 2", half_range=True, modifiers=less, ignore_modifiers="damage")
    assert full.damage.mean() == Rational(3, 2)


@pytest.mark.parametrize(
    "given",
    [
        {"critical_hit": "7+"},
        {"wounds_on": 1},
        {"wound_fails_up_to": 6},
        {"ignore_modifiers": "luck"},
        {"stealth": 1},
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any]) -> None:
    """Each refusal says what was expected and what came."""
    with pytest.raises(MathhammerError, match="expected"):
        play(given.pop("keywords", ""), **given)


def test_weapon_of_the_tests_is_plain() -> None:
    """The weapon the numbers above start from hits with 2 chances in 3."""
    assert wh40k.attack(weapon(), unit(), exact=True).hits.mean() == 2 * THIRD


def test_grids_know_every_condition() -> None:
    """A table of many attacks gives what single attacks give, whatever the situation."""
    target = unit(save=4, damage_1_save_bonus=1)
    plain = unit(save=4)
    for given in (
        {"stealth": True},
        {"overwatch": True},
        {"wounds_on": 2},
        {"wound_fails_up_to": 4},
        {"critical_hit": "successful 5+"},
        {"reroll_hits": "one"},
        {"hit_modifier": -1, "ignore_modifiers": "hit"},
    ):
        gun = weapon("Sustained Hits 1", attacks=3)
        found = analysis.grid([gun], [target, plain], **given)
        singles = [wh40k.attack(gun, each, **given).wounds_lost.mean() for each in (target, plain)]
        assert [float(cell) for cell in found.mean_wounds_lost[0]] == pytest.approx(singles)


def test_modified_invulnerable_saves() -> None:
    """Rules Commentary, Modifiers: an invulnerable save is a characteristic too, each of several for itself."""
    worse = wh40k.Modifier("worsen", 1, "a null field", of="invulnerable")
    assert failed_save(target=unit(invulnerable=4), modifiers=worse) == 2 * THIRD
    assert failed_save(target=unit(invulnerable=("5+", "4+ ranged")), modifiers=worse) == 2 * THIRD


def test_a_rule_that_sets_a_save_gives_it_to_models_without() -> None:
    """Rules Commentary, Modifiers: to set a characteristic replaces what there is, also where there is none."""
    shield = wh40k.Modifier("set", 5, "a shield", of="invulnerable")
    for save in (None, 6):
        assert failed_save(target=unit(save=save), modifiers=shield, ap=-3) == 2 * THIRD
        mortars = wh40k.Target("Mortars", toughness=4, save=save, wounds=1, models=9)
        gun = weapon("Torrent", attacks=6, strength=8, ap=-3)
        result = wh40k.attack(gun, mortars, modifiers=shield, exact=True)
        assert result.unsaved.mean() == Rational(10, 3)
        mixed = wh40k.TargetUnit("Mixed", [mortars], [wh40k.Target("Hero", toughness=4, save=2, wounds=1)])
        assert wh40k.attack(gun, mixed, modifiers=shield, exact=True).kills.mean() == Rational(10, 3)
        assert "a shield" in str(result.explain())
    better = wh40k.Modifier("improve", 1, "a relic", of="invulnerable")
    assert failed_save(target=unit(), modifiers=[shield, better]) == HALF
    assert failed_save(target=unit(), modifiers=better) == 1
    # A save against other attacks is none against these.
    assert failed_save(target=unit(invulnerable="4+ melee"), modifiers=shield) == 2 * THIRD
    assert failed_save(target=unit(invulnerable="4+ ranged"), modifiers=shield, range="Melee") == 2 * THIRD
    armour = wh40k.Modifier("set", 4, "armour", of="save")
    assert failed_save(target=unit(), modifiers=armour) == HALF
    assert failed_save(target=unit(), modifiers=armour, ap=-1) == 2 * THIRD
    # A value that stands for certain others is not one that is set.
    treated = wh40k.Modifier("treat", 4, "a mirage", of="save", when=frozenset({6}))
    assert failed_save(target=unit(), modifiers=treated) == 1


def test_stealth_of_the_target_itself():
    """Core rules, Stealth: a unit all of whose models have it; ranged attacks only; what gives it twice counts once."""
    rifle, blade = (
        wh40k.Weapon.parse("Rifle: A6 BS3+ S4 AP0 D1"),
        wh40k.Weapon.parse("Blade: A6 WS3+ S4 AP0 D1"),
    )
    hidden = wh40k.Target.parse("Hidden: 2x T4 Sv3+ W1 Stealth")
    assert hidden.stealth
    assert wh40k.Target.parse(str(hidden)) == hidden

    def hits(weapon, target, **keywords):
        return wh40k.attack(weapon, target, exact=True, **keywords).hits.mean()

    assert (hits(rifle, hidden), hits(blade, hidden), hits(rifle, hidden, edition="9e")) == (3, 4, 4)
    assert hits(rifle, hidden, smokescreen=True, stealth=True) == 3
    assert "-1 (Stealth)" in str(wh40k.attack(rifle, hidden).explain())
    # A leader without it takes it from the unit, until he is dead.
    leader = wh40k.Target.parse("Leader: T4 Sv- W1")
    unit = wh40k.TargetUnit("Unit", [hidden], [leader])
    assert hits(rifle, unit) == 4
    sniper = wh40k.Weapon.parse("Sniper: A1 BS2+ S8 AP0 D1 [PRECISION]")
    shot = wh40k.attack(sniper, unit, exact=True)
    alone = shot.given(lambda state: state[:2] == (0, 0) and state[2] == 1)
    assert hits(rifle, unit, start=alone) == 3


def test_stealth_of_a_target_in_a_grid():
    rifle = wh40k.Volley(wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP-1 D1 [LETHAL HITS]"), 5)
    blade = wh40k.Weapon.parse("Blade: A6 WS3+ S4 AP0 D1")
    targets = [
        wh40k.Target.parse(f"{name}: 5x T4 Sv3+ W2{more}") for name, more in (("A", ""), ("B", " Stealth"))
    ]
    table = analysis.grid([rifle, blade], targets)
    for row, weapons in enumerate((rifle, blade)):
        for column, target in enumerate(targets):
            distribution = wh40k.attack(weapons, target).kills
            assert table.mean_kills[row, column] == pytest.approx(distribution.mean(), rel=1e-12)


def test_a_situation_may_stand_behind_the_target() -> None:
    """It says what its keywords say; what is said beside it wins."""
    at = wh40k.Situation(cover=True, hit_modifier=-1)
    said = wh40k.attack(weapon(), unit(save=4), cover=True, hit_modifier=-1, exact=True)
    assert wh40k.attack(weapon(), unit(save=4), at, exact=True).state == said.state
    open_ground = wh40k.attack(weapon(), unit(save=4), hit_modifier=-1, exact=True)
    assert wh40k.attack(weapon(), unit(save=4), at, cover=False, exact=True).state == open_ground.state
    again = mh.from_text(wh40k.attack(weapon(), unit(save=4), at, exact=True).to_text())
    assert again.state == said.state
    with pytest.raises(MathhammerError, match="expected a Situation behind the target"):
        wh40k.attack(weapon(), unit(), {"cover": True})  # type: ignore[call-overload]
