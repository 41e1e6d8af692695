"""The 9th edition of 40k, and where it parts from the 10th: each published value with its source.

Pages: Goonhammer, "Ruleshammer: Dice, Dice Modifiers, Re-rolls, Modifiers and Fast Rolling"; 9th edition core rules.
"""

from __future__ import annotations

from typing import Any

import pytest
from reference.ninth_edition import HITS, KILLS, MEANS
from sympy import Rational
from tenth import analysis, wh40k

from mathhammer import dice
from mathhammer.errors import MathhammerError
from mathhammer.expressions.check import Check, On
from mathhammer.modifiers import Modifier

EDITIONS = ("9e", "10e")


def weapon(keywords: str = "", **given: Any) -> wh40k.Weapon:
    profile = {"range": '24"', "attacks": 1, "skill": 3, "strength": 4, "ap": 0, "damage": 1, **given}
    return wh40k.Weapon("Weapon", **profile, keywords=keywords)


def unit(**given: Any) -> wh40k.Target:
    return wh40k.Target("Unit", **{"toughness": 4, "save": None, "wounds": 1, "models": 10, **given})


def hits(edition: str = "9e", skill: int = 3, **situation: Any) -> Any:
    return wh40k.attack(
        weapon(skill=skill), unit(models=1), edition=edition, exact=True, **situation
    ).hits.mean()


@pytest.mark.parametrize(("given", "expected", "source"), HITS)
def test_published_hits(given: dict[str, Any], expected: list[str], source: str) -> None:
    distribution = wh40k.attack(weapon(**given), unit(models=1), edition="9e", exact=True).hits
    assert [distribution.pmf(k) for k in distribution.support] == list(map(Rational, expected)), source


@pytest.mark.parametrize(("given", "target", "expected", "source"), KILLS)
def test_published_kills(
    given: dict[str, Any], target: dict[str, Any], expected: list[str], source: str
) -> None:
    distribution = wh40k.attack(weapon(**given), unit(**target), edition="9e", exact=True).kills
    assert [distribution.pmf(k) for k in range(len(expected))] == list(map(Rational, expected)), source


@pytest.mark.parametrize(("given", "target", "situation", "name", "expected", "source"), MEANS)
def test_published_means(
    given: dict[str, Any],
    target: dict[str, Any],
    situation: dict[str, Any],
    name: str,
    expected: str,
    source: str,
) -> None:
    result = wh40k.attack(weapon(**given), unit(**target), edition="9e", exact=True, **situation)
    assert getattr(result, name).mean() == Rational(expected), source


def test_smasha_gun() -> None:
    """github.com/ebonnal/adeptus-optimus-backend, tests: 2D6 against Toughness 7."""
    assert dice("2D6").distribution(exact=True).at_least(7) == Rational(21, 36)


def test_kill_ratio() -> None:
    """github.com/cogpunk/mathhammer, README: damage by wounds of one attack each way."""
    shot = weapon(ap=-1)
    first = wh40k.attack(shot, unit(save=4), edition="9e", exact=True).damage.mean()
    second = wh40k.attack(shot, unit(save=3, wounds=2), edition="9e", exact=True).damage.mean() / 2
    assert first / second == Rational(8, 3)


def test_plain_mortal_wounds_spill() -> None:
    """warhammer-stats 0.1.1, kill_phase, which forgets to spill; core rules, Mortal Wounds."""
    two_wounds = unit(wounds=2, models=5)
    assert wh40k.mortal_wounds(6, two_wounds, exact=True).kills.pmf(3) == 1
    assert wh40k.mortal_wounds(3, two_wounds, exact=True).state.pmf((1, 1)) == 1
    assert wh40k.mortal_wounds("D3", two_wounds).kills.pmf(0) == pytest.approx(1 / 3)
    ignoring = wh40k.mortal_wounds(3, unit(models=5, feel_no_pain=5), exact=True).kills
    assert [ignoring.pmf(k) for k in range(4)] == [Rational(n, 27) for n in (1, 6, 12, 8)]


# ------------------------------------------------------------------------------ dice modifiers and re-rolls


@pytest.mark.parametrize("failed", ["failed", "failed-unmodified"])
def test_failed_before_modifiers(failed: Any) -> None:
    """Goonhammer, "Ruleshammer: Dice": BS3+ at -1, where a 3 has not failed yet, and at +1 where a 2 may be kept."""
    assert hits(hit_modifier=-1, reroll_hits=failed) == Rational(2, 3)
    assert hits(cover="dense", reroll_hits=failed) == Rational(2, 3)
    assert hits(hit_modifier=-1, reroll_hits={1, 2, 3}) == Rational(3, 4)
    assert hits(hit_modifier=1, reroll_hits=failed) == Rational(35, 36)
    assert hits(hit_modifier=1, reroll_hits={1, 2}) == Rational(17, 18)
    assert hits(reroll_hits=failed) == Rational(8, 9)
    # S4 against T4 at -1: a 4 has not failed. Sv3+ against AP-2: a 3 and a 4 have not, though both are failures.
    sure = weapon("Torrent", skill=None, ap=-2)
    at: dict[str, Any] = {"edition": "9e", "exact": True}
    wounded = wh40k.attack(sure, unit(), wound_modifier=-1, reroll_wounds=failed, **at)
    assert wounded.wounds.mean() == Rational(1, 3) + Rational(1, 2) * Rational(1, 3)
    saved = wh40k.attack(sure, unit(save=3), reroll_saves=failed, **at)
    assert saved.unsaved.mean() == Rational(1, 2) * (Rational(1, 3) + Rational(1, 3) * Rational(2, 3))


def test_failed_in_the_10th_edition() -> None:
    """Rules Commentary, Re-rolls: the 10th edition says "re-roll the Hit roll", whatever it shows."""
    assert hits("10e", hit_modifier=-1, reroll_hits="failed") == Rational(3, 4)
    assert hits("10e", hit_modifier=-1, reroll_hits="failed-unmodified") == Rational(2, 3)


@pytest.mark.parametrize("edition", EDITIONS)
def test_fire_overwatch(edition: str) -> None:
    """Core rules of both editions, Fire Overwatch: an unmodified 6 is needed, whatever skill and modifiers."""
    for skill, modifier in ((2, 0), (3, 1), (3, -1), (6, 1)):
        assert hits(edition, skill, overwatch=True, hit_modifier=modifier) == Rational(1, 6)
    assert hits(edition, overwatch=True, reroll_hits="ones") == Rational(7, 36)
    assert hits(edition, overwatch=True, reroll_hits="failed") == Rational(11, 36)
    blow = wh40k.attack(weapon(range="Melee"), unit(), edition=edition, overwatch=True, exact=True)
    assert blow.hits.mean() == Rational(2, 3)


@pytest.mark.parametrize("edition", EDITIONS)
def test_rules_that_read_the_roll_in_fire_overwatch(edition: str) -> None:
    """Goonhammer, "Ruleshammer: Dice": a plain number reads the modified roll, also where only a 6 hits."""

    def extra(on: str, **at: Any) -> Any:
        return hits(edition, overwatch=True, triggers=wh40k.Trigger("hit", on, "a rule", extra_hits=1), **at)

    assert extra("unmodified 6") == Rational(1, 3)
    assert extra("6+", hit_modifier=-1) == Rational(1, 6)
    assert extra("6+", hit_modifier=1) == extra("7+", hit_modifier=1) == Rational(1, 3)
    slain = wh40k.Trigger("hit", "1", "Supercharge", bearer="slain")
    for modifier, expected in ((-1, "1/3"), (0, "1/6"), (1, "0")):
        result = wh40k.attack(
            weapon(),
            unit(),
            edition=edition,
            overwatch=True,
            hit_modifier=modifier,
            triggers=slain,
            exact=True,
        )
        assert result.bearers_slain.mean() == Rational(expected)


# ------------------------------------------------------------------------------ units of unequal Toughness


def mixed(low: int, high: int, **given: Any) -> wh40k.TargetUnit:
    kinds = [
        wh40k.Target(f"T{t}", toughness=t, save=None, wounds=1, models=n) for t, n in ((3, low), (5, high))
    ]
    return wh40k.TargetUnit("Mixed", kinds, **given)


def wounds_on(target: wh40k.TargetUnit, edition: str = "9e", **options: Any) -> Any:
    """Mean wounds of one attack that hits with 2/3: S4 wounds T3 with 2/3, T5 with 1/3."""
    return wh40k.attack(weapon(), target, edition=edition, exact=True, **options).wounds.mean()


def test_toughness_of_the_majority() -> None:
    """9th edition datasheets, Mixed Unit: the Toughness of most of its models, of a tie that which its player picks."""
    assert wounds_on(mixed(9, 1)) == Rational(4, 9)
    assert wounds_on(mixed(1, 9)) == wounds_on(mixed(5, 5)) == Rational(2, 9)
    assert wounds_on(mixed(9, 1), rulings={"mixed_toughness": "highest"}) == Rational(2, 9)
    three = wh40k.TargetUnit(
        "Three", [*mixed(2, 2).models, wh40k.Target("T8", toughness=8, save=None, wounds=1)]
    )
    assert wounds_on(three) == Rational(2, 9)  # the tie is of T3 and T5 alone


def test_toughness_of_the_majority_of_those_left() -> None:
    """9th edition datasheets, Mixed Unit: two of T3 and one of T5; a T3 is destroyed first."""
    for lost, expected in ((0, Rational(4, 9)), (1, Rational(2, 9)), (2, Rational(2, 9))):
        unit = mixed(2, 1)
        before = wh40k.mortal_wounds(lost, unit, exact=True)
        assert wounds_on(unit, start=before) == expected
    several = wh40k.activations([wh40k.Volley(weapon(), 2)] * 2, mixed(2, 1), edition="9e", exact=True)
    first, second = (each.result for each in several)
    none = first.kills.pmf(0)
    assert second.wounds.mean() == 2 * (none * Rational(4, 9) + (1 - none) * Rational(2, 9))


def test_toughness_of_a_mixed_unit_in_the_10th_edition() -> None:
    """10th edition core rules, Leader: the highest; datasheets of Kill Teams: the majority, of a tie the highest."""
    assert wounds_on(mixed(9, 1), "10e") == Rational(2, 9)
    assert wounds_on(mixed(9, 1), "10e", rulings={"mixed_toughness": "majority"}) == Rational(4, 9)
    assert wounds_on(mixed(5, 5), "10e", rulings={"mixed_toughness": "majority"}) == Rational(2, 9)


def test_a_grid_and_a_fast_roll_use_the_toughness_of_the_edition() -> None:
    """Against nine of T3 and one of T5 a wound destroys a model: 4/9 in the 9th edition, 2/9 in the 10th."""
    for edition, expected in (("9e", Rational(4, 9)), ("10e", Rational(2, 9))):
        table = analysis.grid([weapon()], [mixed(9, 1)], edition=edition)
        assert table.mean_kills[0, 0] == pytest.approx(float(expected), rel=1e-12)
        rolled = wh40k.fast_roll_check(weapon(), mixed(9, 1), edition=edition, exact=True)
        assert rolled.one_at_a_time.kills.mean() == rolled.for_defender.kills.mean() == expected


@pytest.mark.parametrize("edition", EDITIONS)
def test_clamp_and_natural_rolls(edition: str) -> None:
    """Core rules, Making Attacks: the sum is capped; 6 hits and 1 misses."""
    table = [(4, 2, "2/3"), (4, -2, "1/3"), (6, -1, "1/6"), (2, 1, "5/6"), (2, -1, "2/3")]
    for skill, modifier, expected in table:
        assert hits(edition, skill, hit_modifier=modifier) == Rational(expected)


@pytest.mark.parametrize("edition", EDITIONS)
def test_successes_with_rerolls(edition: str) -> None:
    """Core rules, Re-rolls: 2+ to 6+ plain, with ones and with failures re-rolled."""
    table = {
        2: "5/6 35/36 35/36",
        3: "2/3 7/9 8/9",
        4: "1/2 7/12 3/4",
        5: "1/3 7/18 5/9",
        6: "1/6 7/36 11/36",
    }
    for skill, expected in table.items():
        found = [hits(edition, skill, reroll_hits=policy) for policy in (None, "ones", "failed")]
        assert found == list(map(Rational, expected.split()))


def test_on_a_1_and_on_an_unmodified_1() -> None:
    """Goonhammer, "Ruleshammer: Dice": with +1 no roll is a 1; with -1 a 2 is."""
    for modifier, plain in ((0, 1), (1, 0), (-1, 2)):
        check = Check(need=3, modifier=modifier)
        assert len(On.parse("1").faces(check)) == plain
        assert On.parse("unmodified 1").faces(check) == {1}


def test_overheating() -> None:
    """Goonhammer, "Ruleshammer: Dice": the bearer is slain on a 1, which +1 to hit prevents unless it is unmodified."""
    gun = weapon(attacks=2)
    for on, modifier, expected in (
        ("1", 0, "11/36"),
        ("1", 1, "0"),
        ("unmodified 1", 1, "11/36"),
        ("1", -1, "5/9"),
    ):
        trigger = wh40k.Trigger("hit", on, "Supercharge", bearer="slain")
        result: Any = wh40k.attack(
            gun, unit(), count=3, edition="9e", exact=True, hit_modifier=modifier, triggers=trigger
        )
        assert result.bearers_slain.mean() == 3 * Rational(expected)
    hurt = wh40k.Trigger("hit", "1", "Overcharge", bearer=1)
    hurt_result: Any = wh40k.attack(gun, unit(), edition="9e", exact=True, triggers=hurt, reroll_hits="ones")
    assert hurt_result.bearer_mortal_wounds.mean() == Rational(1, 18)


def test_additional_hits_are_no_additional_attacks() -> None:
    """Goonhammer, "Ruleshammer: Dice": the first hits by itself, the second needs a roll."""
    extra = wh40k.Trigger("hit", "unmodified 6", "a rule", extra_hits=1)
    again = wh40k.Trigger("hit", "unmodified 6", "a rule", extra_attacks=1)
    assert hits(triggers=extra) == Rational(5, 6)
    assert hits(triggers=again) == Rational(7, 9)
    assert hits(skill=2, triggers=wh40k.Trigger("hit", "5+", "a rule", extra_hits=1)) == Rational(7, 6)


def test_mortal_wounds_in_addition() -> None:
    """9th edition core rules, Mortal Wounds: given a hit, wound 4+, Sv3+."""
    trigger = wh40k.Trigger("wound", "unmodified 6", "a rule", mortal_wounds=1)
    sure = weapon("Torrent", skill=None)
    result: Any = wh40k.attack(sure, unit(save=3), edition="9e", exact=True, triggers=[trigger])
    assert result.damage.mean() == Rational(1, 3)
    assert (result.unsaved.mean(), result.mortal_wounds.mean()) == (Rational(1, 6), Rational(1, 6))
    assert "in addition" in " ".join(str(result.explain()).split())


def test_armour_penetration_of_a_particular_roll() -> None:
    """Goonhammer, "Ruleshammer: Dice": an unmodified wound roll of 6 has AP-3."""
    sure = weapon("Torrent", skill=None)
    rending = wh40k.Trigger("wound", "unmodified 6", "Rending", ap=-3)
    found = wh40k.attack(sure, unit(save=3), edition="9e", exact=True, triggers=rending).unsaved.mean()
    assert found == Rational(1, 3) * Rational(1, 3) + Rational(1, 6) * Rational(5, 6)


# ------------------------------------------------------------------------------ cover, editions, modifiers


def test_cover() -> None:
    """9th edition core rules, Terrain: light, heavy and dense; no exception and no cap, unlike the 10th."""
    shot, blow = weapon(), weapon(range="Melee")

    def unsaved(arm: wh40k.Weapon, edition: str = "9e", save: int = 3, **situation: Any) -> Any:
        return wh40k.attack(arm, unit(save=save), edition=edition, exact=True, **situation).unsaved.mean()

    both = wh40k.compare_editions(shot, unit(save=3), cover={"light", "dense"}, exact=True)
    assert [both[name].unsaved.mean() for name in EDITIONS] == [Rational(1, 24), Rational(1, 9)]
    assert "mean unsaved" in str(both)
    assert unsaved(shot, cover=True) == Rational(1, 18)
    assert unsaved(blow, cover="heavy") == Rational(1, 18)
    assert unsaved(blow, cover="heavy", target_charged=True) == Rational(1, 9)
    assert unsaved(shot, save=4, cover=True, save_modifier=1) == Rational(1, 18)
    assert unsaved(shot, "10e", save=4, cover=True, save_modifier=1) == Rational(1, 9)


@pytest.mark.parametrize("edition", EDITIONS)
def test_modifiers_of_anything_name_their_source(edition: str) -> None:
    """Goonhammer, "Ruleshammer: Dice": Bastion treats what Dour Duty worsened; both editions show it."""
    rules = [
        Modifier("treat", 0, "Bastion", of="ap", when=frozenset({-1})),
        Modifier("worsen", 1, "Dour Duty", of="ap"),
        Modifier("multiply", 2, "Frenzy", of="attacks"),
        Modifier("add", 1, "Storm", of="attacks"),
        Modifier("add", 4, "Might", of="strength"),
        Modifier("improve", 1, "Focus", of="skill"),
        Modifier("add", 1, "Hatred", of="hit"),
        Modifier("add", 1, "Fury", of="damage"),
    ]
    found = wh40k.attack(
        weapon(attacks=3, ap=-2), unit(save=3, wounds=2), edition=edition, exact=True, modifiers=rules
    )
    assert found.unsaved.mean() == 7 * Rational(5, 6) * Rational(5, 6) * Rational(1, 3)
    text = str(found.explain())
    assert all(modifier.source in text for modifier in rules)
    assert "3 ×2 = 6, +1 = 7" in text


def test_worsened_ap_0_is_a_ruling() -> None:
    """Goonhammer, "Ruleshammer: Dice", the open question on AP 0."""
    smoke = Modifier("worsen", 1, "smoke", of="ap")

    def unsaved(option: str) -> Any:
        rulings = {"worsened_ap_0": option}
        return wh40k.attack(
            weapon(), unit(save=4), edition="9e", rulings=rulings, exact=True, modifiers=smoke
        )

    assert unsaved("stays").unsaved.mean() == Rational(1, 6)
    assert unsaved("improves-save").unsaved.mean() == Rational(1, 9)


def test_other_abilities_are_named_and_move_nothing() -> None:
    """Core rules, Weapon Abilities: Lethal Hits is of the 10th edition."""
    result = wh40k.attack(weapon("Lethal Hits"), unit(), edition="9e", exact=True)
    assert result.wounds.mean() == Rational(1, 3)
    assert "not an ability of the Warhammer 40,000 9th edition" in " ".join(str(result.explain()).split())


@pytest.mark.parametrize(
    ("situation", "message"),
    [
        ({"critical_hit": 5}, "no critical rolls"),
        ({"reroll_hits": "non-critical"}, "no critical rolls"),
        ({"cover": "thick"}, "kinds of light"),
        ({"modifiers": [Modifier("add", 1, "x")]}, "of="),
        (
            {"modifiers": [Modifier("add", 1, "x", of="hit", when=frozenset({1}))]},
            "a trigger acts on results",
        ),
        ({"triggers": ["6"]}, "Triggers"),
    ],
)
def test_what_is_refused(situation: dict[str, Any], message: str) -> None:
    with pytest.raises(MathhammerError, match=message):
        wh40k.attack(weapon(), unit(), edition="9e", **situation)


@pytest.mark.parametrize("edition", EDITIONS)
def test_allocation_and_random_damage(edition: str) -> None:
    """Core rules, Inflict Damage: three D3 into two-wound models, given that all three wound; excess is lost."""
    distribution = wh40k.attack(
        weapon("Torrent", skill=None, strength=12, attacks=3, damage="D3"),
        unit(wounds=2),
        edition=edition,
        exact=True,
    )
    # Exactly three wounds have probability (5/6)^3, and only they destroy three models.
    assert distribution.kills.pmf(3) == Rational(5, 6) ** 3 * Rational(8, 27)


def test_what_acts_on_a_successful_5_and_on_any_5() -> None:
    """Core rules of both editions: BS6+ with rules on an unmodified 5+; only the 10th makes the 5 a hit by itself."""
    assert hits("10e", 6, critical_hit=5) == Rational(1, 3)
    assert hits("10e", 6, critical_hit=5, rulings={"critical_hit_wording": "successful"}) == Rational(1, 6)
    assert hits("10e", 4, critical_hit=5, hit_modifier=-1) == Rational(1, 3)
    extra = wh40k.Trigger("hit", "unmodified 5+", "a rule", extra_hits=1)
    assert hits("9e", 6, triggers=extra) == Rational(1, 3)
    assert hits("9e", 4, hit_modifier=-1, triggers=extra) == Rational(2, 3)


def test_precision_is_an_ability_of_the_10th_alone() -> None:
    """Core rules of both editions: the 9th has no Precision, so no attack passes over the bodyguards."""
    guards = wh40k.Target("Guards", toughness=4, save=None, wounds=1, models=2)
    captain = wh40k.Target("Captain", toughness=4, save=None, wounds=1)
    led = wh40k.TargetUnit("Led", models=[guards], leaders=[captain])
    hit = {
        edition: wh40k.attack(weapon("Torrent, Precision", skill=None), led, edition=edition, exact=True)
        for edition in EDITIONS
    }
    assert [hit[edition].kills_of("Captain").mean() for edition in EDITIONS] == [0, Rational(1, 2)]
