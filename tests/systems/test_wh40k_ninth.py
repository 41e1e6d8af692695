"""The 9th edition of 40k, and where it parts from the 10th: each published value with its source.

Pages: Goonhammer, "Ruleshammer: Dice, Dice Modifiers, Re-rolls, Modifiers and Fast Rolling"; 9th edition core rules.
"""

from __future__ import annotations

from typing import Any

import pytest
from reference.ninth_edition import HITS, KILLS, MEANS
from sympy import Rational

from mathhammer import dice, wh40k
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
    law = wh40k.attack(weapon(**given), unit(models=1), edition="9e", exact=True).hits
    assert [law.pmf(k) for k in law.support] == list(map(Rational, expected)), source


@pytest.mark.parametrize(("given", "target", "expected", "source"), KILLS)
def test_published_kills(
    given: dict[str, Any], target: dict[str, Any], expected: list[str], source: str
) -> None:
    law = wh40k.attack(weapon(**given), unit(**target), edition="9e", exact=True).kills
    assert [law.pmf(k) for k in range(len(expected))] == list(map(Rational, expected)), source


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


def test_failed_before_modifiers() -> None:
    """Goonhammer, "Ruleshammer: Dice": BS3+ at -1, and at +1 where a 2 may be kept."""
    assert hits(hit_modifier=-1, reroll_hits="failed-unmodified") == Rational(2, 3)
    assert hits(hit_modifier=-1, reroll_hits="failed") == Rational(3, 4)
    assert hits(hit_modifier=1, reroll_hits="failed-unmodified") == Rational(35, 36)
    assert hits(hit_modifier=1, reroll_hits={1, 2}) == Rational(17, 18)


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
    assert "in addition" in str(result.explain())


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
    assert "not an ability of the Warhammer 40,000 9th edition" in str(result.explain())


@pytest.mark.parametrize(
    ("situation", "message"),
    [
        ({"critical_hit": 5}, "no critical rolls"),
        ({"reroll_hits": "non-critical"}, "no critical rolls"),
        ({"cover": "thick"}, "kinds of light"),
        ({"modifiers": [Modifier("add", 1, "x")]}, "of="),
        ({"modifiers": [Modifier("add", 1, "x", of="hit", when=frozenset({1}))]}, "Trigger"),
        ({"triggers": ["6"]}, "Triggers"),
    ],
)
def test_what_is_refused(situation: dict[str, Any], message: str) -> None:
    with pytest.raises(MathhammerError, match=message):
        wh40k.attack(weapon(), unit(), edition="9e", **situation)


@pytest.mark.parametrize("edition", EDITIONS)
def test_allocation_and_random_damage(edition: str) -> None:
    """Core rules, Inflict Damage: three D3 into two-wound models, given that all three wound; excess is lost."""
    law = wh40k.attack(
        weapon("Torrent", skill=None, strength=12, attacks=3, damage="D3"),
        unit(wounds=2),
        edition=edition,
        exact=True,
    )
    # Exactly three wounds have probability (5/6)^3, and only they destroy three models.
    assert law.kills.pmf(3) == Rational(5, 6) ** 3 * Rational(8, 27)


def test_what_acts_on_a_successful_5_and_on_any_5() -> None:
    """Core rules of both editions: BS6+ with rules on an unmodified 5+; only the 10th makes the 5 a hit by itself."""
    assert hits("10e", 6, critical_hit=5) == Rational(1, 3)
    assert hits("10e", 6, critical_hit=5, rulings={"critical_hit_wording": "successful"}) == Rational(1, 6)
    assert hits("10e", 4, critical_hit=5, hit_modifier=-1) == Rational(1, 3)
    extra = wh40k.Trigger("hit", "unmodified 5+", "a rule", extra_hits=1)
    assert hits("9e", 6, triggers=extra) == Rational(1, 3)
    assert hits("9e", 4, hit_modifier=-1, triggers=extra) == Rational(2, 3)
