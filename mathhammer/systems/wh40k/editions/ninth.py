"""The 9th edition: its rules and numbers."""

from __future__ import annotations

from dataclasses import replace

from mathhammer.characteristics import CUMULATIVE
from mathhammer.systems.wh40k.editions import base
from mathhammer.systems.wh40k.editions.edition import Edition, characteristics, disputed, separated, table
from mathhammer.systems.wh40k.rules import attacks, hit, wound
from mathhammer.systems.wh40k.rules import circumstances as at
from mathhammer.systems.wh40k.rules.circumstances import Cover, cover, ignores_cover
from mathhammer.systems.wh40k.rules.unit_rolls import Charge

_CORE = "9th edition core rules"
ABILITIES = table(
    base.ABILITIES,
    hit.moving("Assault", at.ADVANCED, -1, source=f"{_CORE}, Assault weapons", permits=at.ADVANCED),
    attacks.blast_by_size(6, 11, 3),
    hit.moving("Heavy", at.MOVED, -1, source=f"{_CORE}, Heavy weapons: for infantry"),
    ignores_cover("hit", "save"),
    attacks.rapid_fire(doubles=True),
)
CONDITIONS = table(
    base.SITUATION,
    replace(at.MOVED, help="The attacker moved (Heavy, for infantry)."),
    cover("hit", "save"),
    base.ROLLS,
    replace(at.TARGET_CHARGED, help="The target charged (no heavy cover)."),
    hit.critical_hit(hit.no_critical_rolls),
    wound.critical_wound(hit.no_critical_rolls),
)
TARGET_RULES = table(base.TARGET_RULES)
_COVERS = (
    Cover("light", "ranged", "save", 1),
    Cover("heavy", "melee", "save", 1, not_if_charged=True),
    Cover("dense", "ranged", "hit", -1),
)
_CHARACTERISTICS = characteristics(CUMULATIVE, leadership=(1, None))

RULINGS, READINGS = separated(
    (
        disputed(
            "worsened_ap_0",
            "What becomes of AP 0 that is worsened: AP 0, or AP+1, which is easier to save?",
            "the later 9th edition glossary; Goonhammer, 'Ruleshammer: Dice', left it open",
            {
                "stays": {},
                "improves-save": {"characteristics": {"ap": replace(_CHARACTERISTICS["ap"], most=None)}},
            },
        ),
        disputed(
            "mortal_wounds_timing",
            "Do mortal wounds wait for all attacks of the unit, or for those of their weapon?",
            "9th edition core rules, Mortal Wounds: all normal damage of the attacking unit comes first",
            {"after-unit": {}, "after-weapon": {"deferred_to_end_of_unit": {"mortal": False}}},
        ),
        *base.disputed(fast_rolling="strict", mixed_toughness="majority"),
    )
)
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
    charge=Charge(reach=1),
)
