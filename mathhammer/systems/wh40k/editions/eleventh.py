"""The 11th edition: its rules and numbers, as they are at several dates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mathhammer.modifiers import Order
from mathhammer.sequence import Ruling
from mathhammer.systems.wh40k.editions import base
from mathhammer.systems.wh40k.editions.edition import Edition, Readings, characteristics, table
from mathhammer.systems.wh40k.rules import attacks, damage, hit, wound
from mathhammer.systems.wh40k.rules import circumstances as at
from mathhammer.systems.wh40k.rules.cover import Cover, cover, ignores_cover, smokescreen
from mathhammer.systems.wh40k.rules.rule import Ability
from mathhammer.systems.wh40k.rules.unit_rolls import BattleShock, Charge, Hazard

#: Core Rules of June 2026; sections are numbered alike in the rules of the official app.
_CORE = "11th edition core rules"
_CLOSE_QUARTERS = Ability(
    "Close-quarters",
    help="May shoot while engaged.",
    source=f"{_CORE}, 24.07 Close-Quarters, which Pistol (24.27) is identical to",
    note="may shoot while engaged",
    instead_of_others=True,
)
_INDIRECT: dict[str, Any] = {"fails_up_to": 5, "when_spotted": 3}


def _devastating_wounds(reduced: Any) -> Ability:
    ability = wound.devastating_wounds(damage.devastating_damage(reduced))
    return replace(ability, source=f"{_CORE}, 24.10 Devastating Wounds")


ABILITIES = table(
    base.ABILITIES,
    wound.ANTI,
    replace(base.ASSAULT, source=f"{_CORE}, 24.04 Assault"),
    replace(attacks.blast_by_number(5, takes_number=True), source=f"{_CORE}, 24.05 Blast"),
    attacks.cleave(5),
    _CLOSE_QUARTERS,
    hit.conversion(4),
    _devastating_wounds("by wording"),
    attacks.EXTRA_ATTACKS_AS_ANY,
    replace(
        base.HAZARDOUS,
        source=f"{_CORE}, 24.15 Hazardous",
        help="After its attacks the unit of the bearer may suffer mortal wounds.",
        note="acts on the unit that attacks, after all its attacks",
    ),
    hit.moving("Heavy", at.STATIONARY, 1, source=f"{_CORE}, 24.16 Heavy"),
    Ability(
        "Hunter",
        help="Chooses among targets.",
        source="11th edition datasheets, Hunter",
        note="says what can be chosen as its target",
    ),
    ignores_cover("hit"),
    hit.indirect_shooting(**_INDIRECT),
    replace(wound.lance(1), source=f"{_CORE}, Lance"),
    hit.lethal_hits("on average"),
    replace(base.ONE_SHOT, source=f"{_CORE}, 24.26 One Shot"),
    replace(
        base.PRECISION,
        source=f"{_CORE}, 24.28 Precision",
        help="The group of one Character may be the first to which its wounds are allocated.",
    ),
    damage.PSYCHIC_IGNORES_MODIFIERS,
    attacks.rapid_fire(doubles=False),
    hit.SUSTAINED_HITS,
    wound.TWIN_LINKED,
)
CONDITIONS = table(
    base.SITUATION,
    hit.STATIONARY_SHOOTERS,
    hit.SPOTTED,
    attacks.DIVIDED,
    hit.overwatch(rerolls_hits=False),
    hit.engaged("Close-quarters", "Pistol"),
    at.plunging_fire(source=f"{_CORE}, 13.09 Plunging Fire", text="BS better by 1", hit=hit.improve_skill),
    hit.DAMAGED,
    replace(cover("hit"), source=f"{_CORE}, 13.08 Benefit of Cover"),
    hit.STEALTH_AS_COVER,
    smokescreen(gives_stealth=False),
    base.ROLLS,
)
TARGET_RULES = table(hit.STEALTH_AS_COVER_OF_TARGET, base.TARGET_RULES)
#: 02.02, Modified Characteristics: a value set to 0 is modified no further, and WS and BS are 2+ to 6+.
_ORDER = Order((("set",), ("multiply",), ("add",), ("divide",), ("subtract",)), final=frozenset((0,)))

_DATES = ("2026-10", "2026-08", "2026-06")
RULINGS = (
    Ruling(
        "rules_date",
        "The rules as they were at which date: after the changes of October, of August, or as published in June?",
        _DATES,
        _DATES[0],
        "app rules of 30 September 2026, 24.37.01: hits of snap shooting are not critical; app FAQ of 26 August 2026 "
        "and Universal Rules Updates v1.1: a lowered critical threshold also hits; app rules of 22 July 2026, "
        "24.28.01: devastating wounds with Precision go to the character",
        is_date=True,
    ),
    Ruling(
        "dw_and_damage_reduction",
        "What reduces the Damage of critical wounds with Devastating Wounds: what modifies the weapon's, nothing, all?",
        ("by wording", "never", "always"),
        "by wording",
        f"{_CORE}, 24.10 Devastating Wounds: such an attack ends before it is allocated; 04.01.04: what modifies "
        "attacks that target a unit modifies the weapon",
    ),
    Ruling(
        "snap_torrent",
        "Snap shooting with Torrent: do its attacks hit automatically, or need an unmodified 6 too?",
        ("automatic", "only 6"),
        "automatic",
        f"{_CORE}, 24.37 Torrent: no hit roll is made, so that 15.09 has nothing to act on",
    ),
    Ruling(
        "crit_wording",
        "Does an unmodified roll at a lowered critical threshold hit when the modified roll would miss?",
        ("plain", "successful"),
        "plain",
        "app FAQ of 26 August 2026: such a roll also hits, unless the rule says 'successful'",
    ),
    Ruling(
        "lethal_choice",
        "Lethal Hits: does the attacker wound without a roll where that is worth more on average for the weapon, as is "
        "best for each critical hit when all hits are known, always, or never?",
        ("on average", "best", "always", "never"),
        "on average",
        f"{_CORE}, 24.23 Lethal Hits: the attacker can choose it for each critical hit",
    ),
    Ruling(
        "precision_second_character",
        "Precision: once the Character is destroyed, does another one become the current group of the same attacks?",
        ("no", "yes"),
        "no",
        f"{_CORE}, 24.28 Precision: one group is selected; Ruleshammer, 'Save Groups, Precision, and Feel No Pain'",
    ),
    Ruling(
        "critical_extra_hits",
        "A rule gives something to critical hits: to the critical hit alone, or to its Sustained Hits too?",
        ("the critical hit only", "all its hits"),
        "the critical hit only",
        f"{_CORE}, 24.36 Sustained Hits: the additional hits are not critical hits",
    ),
    Ruling(
        "armour_bonus_scope",
        "A bonus to armour saving throws: for the test against Sv alone, or for the die and so for InSv too?",
        ("Sv test only", "whole die"),
        "Sv test only",
        f"{_CORE}, 05.04: one die is tested against InSv and against Sv; the wording is that of older datasheets",
    ),
    Ruling(
        "save_cap",
        "Is the sum of all modifiers of a save, AP included, capped at +1?",
        ("none", "+1 net"),
        "none",
        f"{_CORE}, 02.03 Modifying Dice Rolls: only hit and wound rolls have a cap",
    ),
    Ruling(
        "save_reroll_scope",
        "Whose re-rolls of saves are used: those of the first group, for all dice, or of each model as it is selected?",
        ("first group", "each model"),
        "first group",
        "official FAQ of the tournament of 17 to 19 July 2026: all save dice are rolled together",
    ),
    Ruling(
        "split_pool_order",
        "Attacks that their own roll changed are saved apart: are they resolved before the others, or after them?",
        ("special first", "special last"),
        "special first",
        "app rules of 22 July 2026, 05.03.02: the attacker chooses the order, when all wound rolls are made",
    ),
    Ruling(
        "special_pools_order",
        "Of those attacks: the ones whose hit roll gave them Precision first, or those with a better AP?",
        ("precision first", "better AP first"),
        "precision first",
        "app rules of 22 July 2026, 05.03.02: the attacker chooses the order; attacks with both come first",
    ),
    Ruling(
        "pool_order",
        "Pools of one unit: as they are given, or the attacker picks the next one by what those before have done?",
        ("as given", "best"),
        "as given",
        f"{_CORE}, 04.03: the attacker picks the next pool before its dice are rolled",
    ),
    Ruling(
        "group_order",
        "Groups of models that save apart: as they are given, or as is best for the unit's player, pool by pool?",
        ("as given", "best"),
        "as given",
        f"{_CORE}, 05.03: the player of the unit declares the order before saves are rolled",
    ),
    Ruling(
        "extra_attacks_bonus",
        "Do rules that add to Attacks add to those of Extra Attacks weapons?",
        ("applies", "barred"),
        "applies",
        f"{_CORE}, 24.11 Extra Attacks: no sentence keeps their Attacks from being modified",
    ),
    Ruling(
        "mortal_order",
        "Mortal wounds of one pool: Devastating Wounds before those of other rules, or after them?",
        ("devastating first", "other first"),
        "devastating first",
        f"{_CORE}, 24.10 and 06.02: no order is stated, and the active player orders their own rules",
    ),
    Ruling(
        "damage_to_zero_use",
        "A rule changes the Damage of one failed save to 0: that of the first, or of the one best changed?",
        ("first failed save", "best"),
        "first failed save",
        "app FAQ of 26 August 2026: it is used after the save, at a moment of its owner's choice",
    ),
    Ruling(
        "d3_reroll_ones",
        "Ones of a Damage of D3 are re-rolled: the halved value 1, or the face 1 of the D6 alone?",
        ("halved value", "face"),
        "halved value",
        "10th edition core rules, Dice, which say so; the 11th has no such sentence (01.05)",
    ),
    Ruling(
        "indirect_v_low_critical",
        "Indirect shooting: does an unmodified 1-5 (1-3) fail, even where a rule makes that face a critical hit?",
        ("fails", "critical"),
        "fails",
        f"{_CORE}, 10.07 Indirect Shooting: such rolls fail; the FAQ of 26 August 2026 names snap shooting alone",
    ),
    Ruling(
        "precision_without_saves",
        "Precision where every wound of the pool was devastating: may a Character be named?",
        ("a character may be named", "none was named"),
        "a character may be named",
        "app rules of 22 July 2026, 24.28.01; nothing says that the allocation order step is left out without saves",
    ),
    Ruling(
        "precision_and_order",
        "Precision: does the attacker name a Character before the defender orders the groups, or after it?",
        ("attacker first", "defender first"),
        "attacker first",
        f"{_CORE}, 24.28 Precision: a group is selected at the start of the step; 05.03: who declares first is open",
    ),
    Ruling(
        "treated_as_seven",
        "A roll that a rule treats as a 7 or more: is it a success only, or a critical one?",
        ("success",),
        "success",
        f"{_CORE}, 01.05.08: such a roll is a success; only an unmodified 6 is critical",
    ),
    Ruling(
        "fnp_choice",
        "Several Feel No Pain abilities apply to a wound: which one is used?",
        ("best applicable",),
        "best applicable",
        f"{_CORE}, abilities that a model has twice: the owner picks one each time it matters",
    ),
    Ruling(
        "target_destroyed_between_pools",
        "The target is destroyed before all pools are resolved: what becomes of the attacks that are left?",
        ("attacks lost",),
        "attacks lost",
        f"{_CORE}, 05.04: what is left of the attacks at a destroyed unit is lost; 04.03.03 speaks of units that moved",
    ),
)


def _lethal(choice: Any) -> dict[str, Any]:
    return {"abilities": table(hit.lethal_hits(choice))}


def _devastating(reduced: Any) -> dict[str, Any]:
    return {"abilities": table(_devastating_wounds(reduced))}


_MUST_SUCCEED = {"conditions": table(hit.critical_hit(hit.lower_critical_hits(must_succeed=True)))}
READINGS: Readings = {
    ("rules_date", "2026-08"): {"snap_shots_are_critical": True},
    ("rules_date", "2026-06"): {
        **_MUST_SUCCEED,
        "snap_shots_are_critical": True,
        "deferred_precision": False,
    },
    ("snap_torrent", "only 6"): {"conditions": table(hit.overwatch(with_torrent=True, rerolls_hits=False))},
    ("dw_and_damage_reduction", "never"): _devastating("never"),
    ("dw_and_damage_reduction", "always"): _devastating("always"),
    ("crit_wording", "successful"): _MUST_SUCCEED,
    ("lethal_choice", "best"): _lethal("best"),
    ("lethal_choice", "always"): _lethal("always"),
    ("lethal_choice", "never"): _lethal("never"),
    ("precision_second_character", "yes"): {"second_precision": True},
    ("critical_extra_hits", "all its hits"): {"extra_hits_alike": True},
    ("armour_bonus_scope", "whole die"): {"armour_bonus_on_the_die": True},
    ("save_cap", "+1 net"): {"save_cap": 1},
    ("save_reroll_scope", "each model"): {"saves_rerolled_together": False},
    ("split_pool_order", "special last"): {"special_pools_first": False},
    ("special_pools_order", "better AP first"): {"precision_first": False},
    ("pool_order", "best"): {"orders_pools": True},
    ("group_order", "best"): {"orders_groups": True},
    ("extra_attacks_bonus", "barred"): {"abilities": table(attacks.EXTRA_ATTACKS)},
    ("mortal_order", "other first"): {"order_of_deferred": {"mortal": 0, "devastating": 1}},
    ("damage_to_zero_use", "best"): {"chooses_negated": True},
    ("d3_reroll_ones", "face"): {"conditions": table(damage.reroll_damage(ones_by_face=True))},
    ("indirect_v_low_critical", "critical"): {
        "abilities": table(hit.indirect_shooting(**_INDIRECT, spares_criticals=True))
    },
    ("precision_without_saves", "none was named"): {"precision_without_saves": False},
    ("precision_and_order", "defender first"): {"precision_before_order": False},
}

#: 06.03, Hazard Rolls.
_HAZARD_ROLL = Hazard(2, 1, 3)
ELEVENTH = Edition(
    name="11e",
    title="Warhammer 40,000 11th edition",
    roll_cap=1,
    save_cap=None,
    criticals=((6, False),),
    models_of_blast=5,
    abilities=ABILITIES,
    conditions=CONDITIONS,
    target_rules=TARGET_RULES,
    covers=(Cover("cover", "ranged", "skill", -1),),
    characteristics=characteristics(_ORDER, skill_worst=6),
    rulings=RULINGS,
    readings=READINGS,
    in_pools=True,
    command_reroll_of_one_die=True,  # 15.02, Command Re-roll
    snap_shots_are_critical=False,
    order_of_deferred={"devastating": 0, "mortal": 1},
    waits_for_unit={"mortal": False, "devastating": False},
    order_of_direct=-1,
    ignored_allocate=False,
    hazard=_HAZARD_ROLL,
    desperate_escape=_HAZARD_ROLL,
    charge=Charge(reach=0, most=12, into_the_fray=6, skies=2, answered=False),
    battle_shock=BattleShock(at_half=True, after_escape=True),
    active_player_fights_first=True,
)
