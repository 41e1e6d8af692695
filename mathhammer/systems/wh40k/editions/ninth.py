"""The 9th edition: its rules and numbers."""

from __future__ import annotations

from dataclasses import replace

from mathhammer.modifiers import CUMULATIVE
from mathhammer.systems.ruling_texts import read_rulings
from mathhammer.systems.wh40k.editions.edition import (
    SHARED_READINGS,
    SHARED_RULINGS,
    Charge,
    Edition,
    characteristics,
    table,
)
from mathhammer.systems.wh40k.rules import abilities as has
from mathhammer.systems.wh40k.rules import conditions as at
from mathhammer.systems.wh40k.rules import defences

_CORE = "9th edition core rules"
_CHARACTERISTICS = characteristics(CUMULATIVE, leadership=(1, None))
NINTH = Edition(
    name="9e",
    title="Warhammer 40,000 9th edition",
    save_cap=None,
    criticals=(),
    models_of_blast=1,
    abilities=table(
        has.ABILITIES,
        has.moving("Assault", at.ADVANCED, -1, source=f"{_CORE}, Assault weapons", permits=at.ADVANCED),
        has.BLAST_BY_SIZE,
        has.moving("Heavy", at.MOVED, -1, source=f"{_CORE}, Heavy weapons: for infantry"),
        has.ignores_cover("hit", "save"),
        has.RAPID_FIRE_DOUBLES,
    ),
    conditions=table(
        at.SITUATION,
        replace(at.MOVED, help="The attacker moved (Heavy, for infantry)."),
        defences.cover("hit", "save"),
        at.ON_ROLLS,
        replace(at.TARGET_CHARGED, help="The target charged (no heavy cover)."),
        at.critical("hit", known=False),
        at.critical("wound", known=False),
    ),
    target_rules=table(defences.TARGET_RULES),
    covers=(
        defences.Cover("light", "ranged", "save", 1),
        defences.Cover("heavy", "melee", "save", 1, not_if_charged=True),
        defences.Cover("dense", "ranged", "hit", -1),
    ),
    characteristics=_CHARACTERISTICS,
    rulings=(
        *read_rulings("""
    * worsened_ap_0: stays, improves-save
    What becomes of AP 0 that is worsened: AP 0, or AP+1, which is easier to save?
    the later 9th edition glossary; Goonhammer, 'Ruleshammer: Dice', left it open
    * mortal_wounds_timing: after-unit, after-weapon
    Do mortal wounds wait for all attacks of the unit, or for those of their weapon?
    9th edition core rules, Mortal Wounds: all normal damage of the attacking unit comes first
    """),
        *(replace(each, default=each.options[1]) for each in SHARED_RULINGS),
    ),
    readings={
        ("worsened_ap_0", "improves-save"): {
            "characteristics": {"ap": replace(_CHARACTERISTICS["ap"], most=None)}
        },
        ("mortal_wounds_timing", "after-weapon"): {"deferred_to_end_of_unit": {"mortal": False}},
        **SHARED_READINGS,
    },
    failed="failed-unmodified",
    charge=Charge(reach=1),
)
