"""Each disputed point of the 10th edition moves the number it should, and results say which reading they used."""

from __future__ import annotations

from typing import Any

import pytest
from by_hand import distribution, play, unit, volleys_of, weapon
from sympy import Rational
from tenth import wh40k


def test_rulings_in_force_are_reported() -> None:
    """Every result says how the disputed points were decided, also those left at their defaults."""
    defaults = play().rulings
    chosen = play(rulings={"save_cap": "gross"}).rulings
    assert dict(chosen) == {**defaults, "save_cap": "gross"}
    assert set(defaults) == {
        "critical_hit_wording",
        "save_cap",
        "devastating_damage_modifiers",
        "devastating_timing",
        "mortal_wounds_order",
        "blast_fixed_attacks",
        "devastating_precision",
        "damage_reroll_of_several_dice",
        "indirect_against_critical",
        "torrent_overwatch",
        "failing_wounds_against_critical",
        "cover_condition",
        "damage_condition",
        "damage_reductions",
        "damage_to_0",
        "damage_set_to_0",
        "lethal_hits",
        "leaders_begun",
        "ignored_mortal_wounds",
        "fast_rolling",
        "mixed_toughness",
    }


def both(ruling: str, *options: str, **given: Any) -> list[Any]:
    return [play(rulings={ruling: option}, **given) for option in options]


def test_ruling_critical_hit_wording() -> None:
    """Rules Commentary, Critical Hit: "an unmodified 5+" hits by itself, "a successful 5+" must hit first."""
    default, other = both(
        "critical_hit_wording",
        "unmodified",
        "successful",
        keywords="Sustained Hits 1",
        skill=6,
        critical_hit=5,
    )
    assert distribution(default.hits) == {0: Rational(2, 3), 2: Rational(1, 3)}
    assert distribution(other.hits) == {0: Rational(5, 6), 2: Rational(1, 6)}


def test_ruling_save_cap() -> None:
    """Core rules, Saving Throws: is it the net modifier that cannot exceed +1, or the bonuses before AP."""
    given: dict[str, Any] = {
        "keywords": "Torrent",
        "strength": 12,
        "ap": -1,
        "cover": True,
        "save_modifier": 1,
        "target": unit(save=4),
    }
    net, gross = both("save_cap", "net", "gross", **given)
    assert net.unsaved.mean() / Rational(5, 6) == Rational(1, 3)
    assert gross.unsaved.mean() / Rational(5, 6) == Rational(1, 2)


def test_ruling_devastating_damage_modifiers() -> None:
    """Core Rules Updates, Devastating Wounds: does -1 Damage act on them."""
    given: dict[str, Any] = {
        "keywords": "Torrent, Devastating Wounds",
        "strength": 12,
        "damage": 3,
        "critical_wound": 2,
        "target": unit(damage_reduction=1),
    }
    apply, ignore = both("devastating_damage_modifiers", "apply", "ignore", **given)
    assert apply.damage.mean() == Rational(5, 6) * 2
    assert ignore.damage.mean() == Rational(5, 6) * 3


def test_ruling_devastating_damage_modifiers_leave_melta() -> None:
    """Core rules, Melta: it changes the weapon's own Damage, so it is not among the target's reductions."""
    given: dict[str, Any] = {
        "keywords": "Torrent, Devastating Wounds, Melta 2",
        "strength": 12,
        "half_range": True,
        "critical_wound": 2,
        "target": unit(half_damage=True),
        "damage": 4,
    }
    apply, ignore = both("devastating_damage_modifiers", "apply", "ignore", **given)
    assert apply.damage.mean() == Rational(5, 6) * 4
    assert ignore.damage.mean() == Rational(5, 6) * 6


def test_ruling_devastating_timing() -> None:
    """Core rules, Mortal Wounds: after all attacks of the unit, or after those of the weapon."""
    volleys = volleys_of("2 critical", "1")
    target = unit(wounds=2, models=5)
    last = wh40k.attack(volleys, target, exact=True)
    at_once = wh40k.attack(volleys, target, exact=True, rulings={"devastating_timing": "after-weapon"})
    assert last.state.pmf((1, 1)) == 0
    assert at_once.state.pmf((1, 1)) == Rational(25, 36)


def test_ruling_blast_fixed_attacks() -> None:
    """Core rules, Blast: does it add to a number of attacks that is not rolled; it always adds to one that is."""
    target = unit(models=10)
    apply, ignore = both(
        "blast_fixed_attacks", "apply", "ignore", keywords="Torrent, Blast", attacks=3, target=target
    )
    assert (distribution(apply.hits), distribution(ignore.hits)) == ({5: 1}, {3: 1})
    apply, ignore = both(
        "blast_fixed_attacks", "apply", "ignore", keywords="Torrent, Blast", attacks="D3", target=target
    )
    assert apply.hits == ignore.hits


def test_ruling_indirect_against_critical() -> None:
    """Core Rules Updates, Indirect Fire: does an unmodified 3 fail that another rule makes critical."""
    given: dict[str, Any] = {"keywords": "Indirect Fire", "skill": 6, "indirect": True, "critical_hit": 3}
    fail, critical = both("indirect_against_critical", "fail", "critical", **given)
    assert fail.hits.mean() == Rational(1, 2)
    assert critical.hits.mean() == Rational(2, 3)


def test_ruling_damage_reroll_of_several_dice() -> None:
    """Rules Commentary, Re-rolls: a total of two dice is never 1, while either of the dice can be."""
    given: dict[str, Any] = {"keywords": "Torrent", "strength": 12, "damage": "2D6", "reroll_damage": "ones"}
    whole, each_die = both("damage_reroll_of_several_dice", "whole", "each-die", **given)
    assert whole.damage.mean() == Rational(5, 6) * 7
    # A D6 whose 1 is re-rolled: (2 + 3 + 4 + 5 + 6) / 6 + 7/2 / 6 = 47/12.
    assert each_die.damage.mean() == Rational(5, 6) * 2 * Rational(47, 12)


def test_ruling_torrent_overwatch() -> None:
    """Core rules, Torrent and Fire Overwatch: no hit roll is made, or only unmodified 6s hit, which are critical."""
    given: dict[str, Any] = {"keywords": "Torrent, Sustained Hits 2", "overwatch": True}
    automatic, sixes = both("torrent_overwatch", "automatic", "needs-6", **given)
    assert distribution(automatic.hits) == {1: 1}
    assert distribution(sixes.hits) == {0: Rational(5, 6), 3: Rational(1, 6)}
    # A 6 that is critical is not re-rolled where what is not critical may be.
    again = both("torrent_overwatch", "automatic", "needs-6", reroll_hits="non-critical", **given)[1]
    assert distribution(again.hits) == {0: Rational(25, 36), 3: Rational(11, 36)}
    lethal = play("Torrent, Lethal Hits", overwatch=True, rulings={"torrent_overwatch": "needs-6"})
    assert lethal.wounds.mean() == Rational(1, 6)


def test_ruling_failing_wounds_against_critical() -> None:
    """Core Rules Updates, Priority of Rules: "unmodified 1-3 fail" against Anti 2+."""
    given: dict[str, Any] = {
        "keywords": "Torrent, Anti-Infantry 2+",
        "wound_fails_up_to": 3,
        "target": unit(keywords="Infantry"),
    }
    critical, fail = both("failing_wounds_against_critical", "critical", "fail", **given)
    assert (critical.wounds.mean(), fail.wounds.mean()) == (Rational(5, 6), Rational(1, 2))


def test_ruling_cover_condition() -> None:
    """Core rules, Benefit of Cover: a Save of 3+ worsened to 4+ has cover against AP 0, or has not."""
    given: dict[str, Any] = {
        "keywords": "Torrent",
        "strength": 12,
        "cover": True,
        "target": unit(save=3),
        "modifiers": [wh40k.Modifier("worsen", 1, "corrosion", of="save")],
    }
    modified, printed = both("cover_condition", "modified", "printed", **given)
    assert modified.unsaved.mean() == Rational(5, 6) * Rational(1, 3)
    assert printed.unsaved.mean() == Rational(5, 6) * Rational(1, 2)


def test_ruling_damage_condition() -> None:
    """Rules Commentary, Against: "+1 to armour saves against Damage 1" and an attack of Damage 2 that is halved."""
    given: dict[str, Any] = {
        "keywords": "Torrent",
        "strength": 12,
        "damage": 2,
        "target": unit(save=4, half_damage=True, damage_1_save_bonus=1),
    }
    modified, printed = both("damage_condition", "modified", "printed", **given)
    assert modified.unsaved.mean() == Rational(5, 6) * Rational(1, 3)
    assert printed.unsaved.mean() == Rational(5, 6) * Rational(1, 2)


def test_ruling_damage_reductions() -> None:
    """Rules Commentary, Modifiers: -1 Damage and -2 Damage are -3, or the larger of them."""
    given: dict[str, Any] = {
        "keywords": "Torrent",
        "strength": 12,
        "damage": 6,
        "target": unit(damage_reduction=1),
        "modifiers": [wh40k.Modifier("subtract", 2, "a shell", of="damage")],
    }
    cumulative, largest = both("damage_reductions", "cumulative", "largest", **given)
    assert (cumulative.damage.mean(), largest.damage.mean()) == (Rational(5, 6) * 3, Rational(5, 6) * 4)
    given["modifiers"] = [wh40k.Modifier("add", -1, "a veil", of="damage")]
    cumulative, largest = both("damage_reductions", "cumulative", "largest", **given)
    assert (cumulative.damage.mean(), largest.damage.mean()) == (Rational(5, 6) * 4, Rational(5, 6) * 5)


def test_ruling_damage_set_to_0() -> None:
    """Core Rules Updates: Damage changed to 0 before Melta 2 adds, so that 2 is left, or 0 whatever adds to it."""
    given: dict[str, Any] = {
        "keywords": "Torrent, Melta 2",
        "strength": 12,
        "damage": "D6",
        "half_range": True,
        "modifiers": [wh40k.Modifier("set", 0, "a ward", of="damage")],
    }
    modified, final = both("damage_set_to_0", "modified", "final", **given)
    assert (modified.damage.mean(), final.damage.mean()) == (Rational(5, 6) * 2, 0)


def test_ruling_lethal_hits() -> None:
    """Core rules, Lethal Hits: forced even where a wound roll could be devastating, or declined."""
    given: dict[str, Any] = {"keywords": "Lethal Hits, Devastating Wounds", "target": unit(save=2)}
    forced, declined = both("lethal_hits", "forced", "declined", **given)
    # Ordinary and devastating wounds: 1/3 and 1/12, or 2/9 and 1/9; one ordinary wound of six gets through.
    assert forced.unsaved.mean() == Rational(1, 3) / 6 + Rational(1, 12)
    assert declined.unsaved.mean() == Rational(2, 9) / 6 + Rational(1, 9)


def squad(**leader: Any) -> wh40k.TargetUnit:
    """Two men of one wound without a save, and a leader."""
    man = wh40k.Target("Man", toughness=4, save=None, wounds=1, models=2)
    return wh40k.TargetUnit(
        "Squad", [man], [wh40k.Target("Leader", **{"toughness": 4, "save": None, "wounds": 1, **leader})]
    )


def test_ruling_leaders_begun() -> None:
    """Core rules, Leader and Allocate Attack: a hurt leader waits for his bodyguards to die, or goes first."""
    sure = weapon("Torrent", strength=12, attacks=2)
    hurt = squad(wounds=3, wounds_lost=2)
    waits, first = (
        wh40k.attack(sure, hurt, exact=True, rulings={"leaders_begun": option})
        for option in ("waits", "goes-first")
    )
    assert (waits.kills_of("Leader").mean(), first.kills_of("Leader").mean()) == (0, Rational(35, 36))
    assert first.kills_of("Man").mean() == Rational(25, 36)


def test_ruling_leaders_begun_by_precision() -> None:
    """The same of an unhurt leader to whom an attack with Precision was allocated."""
    volleys = [weapon("Torrent, Precision", strength=12), weapon("Torrent", strength=12)]
    fresh = squad(wounds=5, save=2)
    waits, first = (
        wh40k.attack(volleys, fresh, exact=True, rulings={"leaders_begun": option})
        for option in ("waits", "goes-first")
    )
    assert waits.kills_of("Man").mean() == Rational(5, 6)
    assert first.kills_of("Man").mean() == Rational(1, 6) * Rational(5, 6)  # the first attack did not wound


def test_ruling_ignored_mortal_wounds() -> None:
    """Core rules, Mortal Wounds: after Feel No Pain ignored one, may the next go to another model.

    One wound is best taken by the Ogre, who has two; of two the first by the Scout: where he ignores it, the second
    must be his too, or is the Ogre's.
    """
    scout = wh40k.Target("Scout", toughness=4, save=None, wounds=1, feel_no_pain=5)
    ogre = wh40k.Target("Ogre", toughness=4, save=None, wounds=2)
    target = wh40k.TargetUnit("Pair", [scout, ogre], allocation="best")
    gun = weapon("Torrent, Devastating Wounds", strength=12, attacks=2)
    found = [
        wh40k.attack(gun, target, exact=True, critical_wound=2, rulings={"ignored_mortal_wounds": option})
        for option in ("allocated", "not-allocated")
    ]
    both_wound = Rational(25, 36)
    assert [each.kills.mean() for each in found] == [both_wound * Rational(8, 9), both_wound * Rational(2, 3)]


@pytest.mark.parametrize("allocation", ["given", "best"])
def test_ruling_devastating_precision(allocation: Any) -> None:
    """Core rules, Precision and Mortal Wounds: a devastating wound goes to the leader, or to a man."""
    target = wh40k.TargetUnit("Squad", squad().models, squad().leaders, allocation=allocation)
    sniper = weapon("Torrent, Precision, Devastating Wounds", strength=4)
    follow, stay = (
        wh40k.attack(sniper, target, exact=True, rulings={"devastating_precision": option})
        for option in ("follow", "stay")
    )
    # 4+ wounds, and a third of that is devastating.
    assert (follow.kills_of("Leader").mean(), follow.kills_of("Man").mean()) == (Rational(1, 2), 0)
    assert (stay.kills_of("Leader").mean(), stay.kills_of("Man").mean()) == (Rational(1, 3), Rational(1, 6))


def test_precision_at_a_leader_who_is_named() -> None:
    """Core rules, Precision: the attacker chooses the Character; the first in order unless one is named."""
    leaders = [wh40k.Target(name, toughness=4, save=None, wounds=1) for name in ("Captain", "Medic")]
    target = wh40k.TargetUnit("Squad", [wh40k.Target("Man", toughness=4, save=None, wounds=1)], leaders)
    sniper = weapon("Torrent, Precision", strength=12)
    for named, dead in ((True, "Captain"), ("Captain", "Captain"), ("Medic", "Medic"), (False, "Man")):
        result = wh40k.attack(sniper, target, exact=True, precision=named)
        assert [result.kills_of(name).mean() for name in ("Man", "Captain", "Medic")] == [
            Rational(5 if name == dead else 0, 6) for name in ("Man", "Captain", "Medic")
        ]
