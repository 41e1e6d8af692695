"""Each disputed point of the 10th edition moves the number it should, and results say which reading they used."""

from __future__ import annotations

from typing import Any

from by_hand import law, play, unit, volleys_of
from sympy import Rational

from mathhammer import wh40k


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
        "blast_fixed_attacks",
        "damage_reroll_of_several_dice",
        "indirect_against_critical",
        "torrent_overwatch",
        "failing_wounds_against_critical",
        "cover_condition",
        "damage_condition",
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
    assert law(default.hits) == {0: Rational(2, 3), 2: Rational(1, 3)}
    assert law(other.hits) == {0: Rational(5, 6), 2: Rational(1, 6)}


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
    assert (law(apply.hits), law(ignore.hits)) == ({5: 1}, {3: 1})
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
    # A D6 whose 1 is rolled again: (2 + 3 + 4 + 5 + 6) / 6 + 7/2 / 6 = 47/12.
    assert each_die.damage.mean() == Rational(5, 6) * 2 * Rational(47, 12)


def test_ruling_torrent_overwatch() -> None:
    """Core rules, Torrent and Fire Overwatch: no hit roll is made, or only unmodified 6s hit; neither is critical."""
    given: dict[str, Any] = {"keywords": "Torrent, Sustained Hits 2", "overwatch": True}
    automatic, sixes = both("torrent_overwatch", "automatic", "needs-6", **given)
    assert law(automatic.hits) == {1: 1}
    assert law(sixes.hits) == {0: Rational(5, 6), 1: Rational(1, 6)}


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
