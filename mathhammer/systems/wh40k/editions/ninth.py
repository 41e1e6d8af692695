"""The 9th edition: its rules and numbers."""

from __future__ import annotations

from dataclasses import replace

from mathhammer.characteristics import CUMULATIVE
from mathhammer.sequence import Ruling
from mathhammer.systems.wh40k.editions.edition import (
    FAST_ROLLING,
    MIXED_TOUGHNESS,
    Edition,
    Readings,
    characteristics,
    table,
)
from mathhammer.systems.wh40k.rules import attacks, damage, hit, save, wound
from mathhammer.systems.wh40k.rules import circumstances as at
from mathhammer.systems.wh40k.rules.cover import Cover, cover, ignores_cover
from mathhammer.systems.wh40k.rules.rule import Ability

__all__ = ["NINTH"]

_CORE = "9th edition core rules"
ABILITIES = table(
    hit.moving("Assault", at.ADVANCED, -1, source=f"{_CORE}, Assault weapons", permits=at.ADVANCED),
    attacks.blast_by_size(6, 11, 3),
    hit.moving("Heavy", at.MOVED, -1, source=f"{_CORE}, Heavy weapons: for infantry"),
    ignores_cover("hit", "save"),
    damage.MELTA,
    Ability(
        "Pistol",
        help="May shoot while engaged.",
        source=f"{_CORE}, Pistol weapons",
        note="may shoot while engaged",
    ),
    attacks.rapid_fire(doubles=True),
    hit.TORRENT,
)
CONDITIONS = table(
    at.HALF_RANGE,
    at.LONG_RANGE,
    at.STATIONARY,
    at.MOVED,
    at.ADVANCED,
    at.CHARGED,
    at.INDIRECT,
    hit.overwatch(),
    cover("hit", "save"),
    at.TARGET_CHARGED,
    at.PRECISION,
    hit.HIT_MODIFIER,
    wound.WOUND_MODIFIER,
    save.SAVE_MODIFIER,
    at.MODIFIERS,
    at.IGNORE_MODIFIERS,
    hit.critical_hit(hit.no_critical_rolls),
    wound.critical_wound(hit.no_critical_rolls),
    wound.WOUNDS_ON,
    wound.wound_fails_up_to(yields=True),
    at.TRIGGERS,
    attacks.REROLL_ATTACKS,
    hit.REROLL_HITS,
    wound.REROLL_WOUNDS,
    damage.reroll_damage(),
    save.REROLL_SAVES,
)
TARGET_RULES = table(
    save.damage_1_save_bonus(),
    damage.FEEL_NO_PAIN,
    damage.HALF_DAMAGE,
    damage.DAMAGE_REDUCTION,
    damage.damage_to_0(),
)
_COVERS = (
    Cover("light", "ranged", "save", 1),
    Cover("heavy", "melee", "save", 1, not_if_charged=True),
    Cover("dense", "ranged", "hit", -1),
)
_CHARACTERISTICS = characteristics(CUMULATIVE, leadership=(1, None))

RULINGS = (
    Ruling(
        "worsened_ap_0",
        "What becomes of AP 0 that is worsened: AP 0, or AP+1, which is easier to save?",
        ("stays", "improves-save"),
        "stays",
        "the later 9th edition glossary; Goonhammer, 'Ruleshammer: Dice', left it open",
    ),
    Ruling(
        "mortal_wounds_timing",
        "Do mortal wounds wait for all attacks of the unit, or for those of their weapon?",
        ("after-unit", "after-weapon"),
        "after-unit",
        "9th edition core rules, Mortal Wounds: all normal damage of the attacking unit comes first",
    ),
    replace(FAST_ROLLING, default="strict"),
    replace(MIXED_TOUGHNESS, default="majority"),
)

READINGS: Readings = {
    ("mixed_toughness", "majority"): {"majority_toughness": True},
    ("mortal_wounds_timing", "after-weapon"): {"waits_for_unit": {"mortal": False}},
    ("worsened_ap_0", "improves-save"): {
        "characteristics": {"ap": replace(_CHARACTERISTICS["ap"], most=None)}
    },
}

NINTH = Edition(
    name="9e",
    title="Warhammer 40,000 9th edition",
    roll_cap=1,
    save_cap=None,
    criticals=(),
    models_of_blast=1,
    abilities=ABILITIES,
    conditions=CONDITIONS,
    target_rules=TARGET_RULES,
    covers=_COVERS,
    characteristics=_CHARACTERISTICS,
    rulings=RULINGS,
    readings=READINGS,
    failed="failed-unmodified",
)
