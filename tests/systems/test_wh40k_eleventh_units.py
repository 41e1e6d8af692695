"""Units of unequal models in the 11th edition, by hand: core rules of June 2026 by section, app rules by date."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

from mathhammer import wh40k
from mathhammer.errors import MathhammerError, TooLargeError


def weapon(line: str) -> wh40k.Weapon:
    return wh40k.Weapon.parse(f"Gun: {line}")


def models(name: str, save: int, wounds: int = 1, number: int = 1, **given: Any) -> wh40k.Target:
    return wh40k.Target(name, **{"toughness": 4, "save": save, "wounds": wounds, "models": number, **given})


def character(save: int, wounds: int, invulnerable: int | None = None, **given: Any) -> wh40k.Target:
    return models("hero", save, wounds, invulnerable=invulnerable, keywords="Character", **given)


def attack(
    weapons: Any, unit: wh40k.Target | wh40k.TargetUnit, rulings: dict[str, str] | None = None, **given: Any
) -> Any:
    return wh40k.attack(weapons, unit, edition="11e", rulings=rulings, exact=True, **given)


def kills(distribution: Any, most: int) -> list[Any]:
    return [distribution.kills.pmf(number) for number in range(most + 1)]


SQUAD = wh40k.TargetUnit(
    "squad", [models("marine", 3, 2, 2, toughness=5)], leaders=[character(2, 4, 4, toughness=5)]
)


def test_gifts_end_with_their_giver() -> None:
    """19.04: the guard's Feel No Pain 4+ lasts through the mortal wounds that destroy it, and no longer."""
    guard, hero = models("guard", 7), models("hero", 7, 2)
    unit = wh40k.TargetUnit("unit", [guard], [hero], gifts={"guard": {"feel_no_pain": "4+"}})
    torrent = weapon("A1 S8 AP0 D1 [TORRENT]")
    first = wh40k.mortal_wounds(6, unit, edition="11e", exact=True)
    assert attack(torrent, unit, start=first).probability_destroyed == Rational(109, 128)
    several = wh40k.focus([wh40k.MortalWounds(6), torrent], unit, edition="11e", exact=True)
    assert several.probability_destroyed == Rational(109, 128)
    # So of later mortal wounds and hazards: of one more the hero loses one, or the guard ignores half.
    gone = wh40k.mortal_wounds(1, unit, edition="11e", exact=True)
    once = wh40k.mortal_wounds(1, unit, edition="11e", exact=True, start=gone)
    assert once.wounds_lost.mean() - gone.wounds_lost.mean() == Rational(3, 4)
    tests = wh40k.hazardous(weapon("A1 BS3+ S4 AP0 D1 [HAZARDOUS]"), unit, start=gone, exact=True)
    assert tests.wounds_lost.mean() - gone.wounds_lost.mean() == Rational(3, 4) / 3


def test_gifts_make_groups() -> None:
    """05.03: models of equal invulnerable saves are one group, whoever gives them."""
    kinds = [models("guard", 7), models("sergeant", 7, invulnerable=4)]
    for gifts, groups in (({}, [1, 1, 1]), ({"hero": {"invulnerable": "4+"}}, [2, 1])):
        unit = wh40k.TargetUnit("unit", kinds, [character(7, 2)], gifts=gifts)
        assert [len(group) for group in unit.save_groups()] == groups


@pytest.mark.parametrize(
    ("line", "given", "match"),
    [
        ("A1 S4 AP0 D1 [TORRENT, PRECISION]", {}, "without Precision .* give precision=False"),
        (
            "A1 S4 AP0 D1 [TORRENT, INDIRECT FIRE]",
            {"indirect": True},
            "without Indirect Fire .* indirect=False",
        ),
        (
            "A1 BS3+ S4 AP0 D1",
            {"overwatch": True, "engaged": True},
            "no overwatch .* the attacker is engaged",
        ),
    ],
)
def test_what_excludes_each_other(line: str, given: dict[str, Any], match: str) -> None:
    """24.37.01: a Torrent weapon has neither Indirect Fire nor Precision; 15.08: unengaged units fire Overwatch."""
    with pytest.raises(MathhammerError, match=match):
        attack(weapon(line), SQUAD, **given)
    squad = attack(weapon(line), SQUAD, **dict.fromkeys(given or {"precision"}, False))
    assert squad.kills_of("hero").pmf(0) == 1


def test_devastating_wounds_come_after_their_own_pool() -> None:
    """24.10 and 05.03.02: two hits wound on 4+; a 5 has AP-3 and comes in a pool after them, a 6 is devastating.

    At W2 models with -1 Damage one of each takes 2 and then 1 wound, or 1 and then the rest of the same model.
    """
    unit = models("brute", 4, 2, 5, damage_reduction=1)
    rend = wh40k.Trigger("wound", "unmodified 5", "Rend", ap=-3)
    gun = weapon("A2 S4 AP0 D2 [TORRENT, DEVASTATING WOUNDS]")
    for order, chance in (("special last", Rational(1, 18)), ("special first", 0)):
        found = attack(gun, unit, {"split_pool_order": order}, triggers=rend)
        assert found.wounds_lost.pmf(3) == chance
        assert found.wounds_lost.pmf(4) == Rational(1, 36)
        assert found.unsaved.mean() == Rational(5, 6)
    with pytest.raises(MathhammerError, match="expected split_pool_order='special first'"):
        attack(gun, unit, {"split_pool_order": "special last"}, triggers=rend, reroll="best")


def test_the_steps_of_a_pool_are_explained() -> None:
    """05.03, 05.04 and 13.08: groups, dice from the lowest, cover on the skill; the edition with its date."""
    found = attack(weapon('24" A3 BS3+ S5 AP-1 D2 [DEVASTATING WOUNDS]'), SQUAD, cover=True)
    page = " ".join(str(found.explain()).split())
    for text in (
        "(Warhammer 40,000 11th edition, rules of 2026-10)",
        "marine | hero: hurt ones first, Characters last, each until it is destroyed",
        "resolved from the lowest result to the highest",
        "worsened by 1 (benefit of cover)",
        "a critical wound allows no save and is resolved after the other attacks of its pool",
    ):
        assert text in page
    assert repr(found).startswith("<AttackResult edition 11e of 2026-10")
    june = attack(weapon("A1 WS3+ S4 AP0 D1"), SQUAD, {"rules_date": "2026-06"})
    assert june.rules_date == "2026-06"


def test_a_start_of_an_edition_that_allocates_otherwise_is_refused() -> None:
    shot = weapon("A1 S8 AP0 D1 [TORRENT]")
    tenth = wh40k.attack(shot, SQUAD, edition="10e", exact=True)
    with pytest.raises(MathhammerError, match="an edition that allocates wounds alike"):
        attack(shot, SQUAD, start=tenth)


@pytest.mark.parametrize(("shielded_first", "lost"), [(False, Rational(5, 6)), (True, Rational(5, 12))])
def test_models_with_another_invulnerable_save_are_a_group_of_their_own(shielded_first, lost) -> None:
    """05.03: 2+ to wound, AP-3 at two models of Sv4+; the second or the first has InSv4+ too."""
    kinds = [models("plain", 4), models("shielded", 4, invulnerable=4)]
    unit = wh40k.TargetUnit("unit", kinds[::-1] if shielded_first else kinds)
    found = attack(weapon("A1 S8 AP-3 D1 [TORRENT]"), unit)
    assert found.wounds_lost.mean() == lost
    assert [len(group) for group in unit.save_groups()] == [1, 1]


def test_pools_that_would_take_long_to_count_in_are_refused() -> None:
    led = wh40k.TargetUnit(
        "Led", [models("guard", 5, number=20, toughness=3)], leaders=[character(5, 6, toughness=6)]
    )
    shots = [weapon("A60 BS3+ S4 AP0 D1 [DEVASTATING WOUNDS]")] * 2
    found = attack([*shots, weapon("A1 BS3+ S4 AP0 D1")], led)
    with pytest.raises(TooLargeError, match="see kills and wounds_lost"):
        _ = found.wounds
    tied = attack(shots, led, reroll_hits="one")
    with pytest.raises(MathhammerError, match="pools without a single re-roll"):
        _ = tied.wounds
    assert tied.absent == {"wounds", "unsaved", "damage"}


def test_a_pool_after_the_last_model_is_destroyed() -> None:
    """By hand: shots destroy both in 340 of 1296, leave the hero alone in 920; the sniper kills him in 25 of 216."""
    squad = wh40k.Target.parse("Squad: 1x T4 Sv- W1"), wh40k.Target.parse("Hero: 1x T4 Sv2+ W1")
    unit = wh40k.TargetUnit("Unit", squad[:1], leaders=squad[1:])
    shots = '2x Gun: 12" A1 S8 AP0 D1 [TORRENT, DEVASTATING WOUNDS]', "Sniper: A1 BS2+ S8 AP0 D1 [PRECISION]"
    expected = Rational(340 * 216 + 920 * 25, 1296 * 216)
    assert wh40k.attack(shots, unit, exact=True).probability_destroyed == expected
