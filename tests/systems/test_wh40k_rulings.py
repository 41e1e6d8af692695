"""Each disputed point of the 10th edition moves the number it should, and results say which reading they used."""

from __future__ import annotations

from by_hand import play


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
