"""The 11th edition: its rules and numbers, as they are at several dates."""

from __future__ import annotations

from dataclasses import replace

from mathhammer.modifiers import Order
from mathhammer.systems.wh40k.editions import base
from mathhammer.systems.wh40k.editions.edition import Edition, characteristics, disputed, separated, table
from mathhammer.systems.wh40k.rules import attacks, damage, hit, wound
from mathhammer.systems.wh40k.rules import circumstances as at
from mathhammer.systems.wh40k.rules.circumstances import Cover, cover, ignores_cover, smokescreen
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


def _devastating_wounds(reduced: damage.Reduces) -> Ability:
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
    replace(
        hit.moving("Heavy", at.STATIONARY, 1, source=f"{_CORE}, 24.16 Heavy"), barred_by=(hit.CLOSE_QUARTERS,)
    ),
    Ability(
        "Hunter",
        help="Chooses among targets.",
        source="11th edition datasheets, Hunter",
        note="says what can be chosen as its target",
    ),
    ignores_cover("hit"),
    hit.indirect_shooting(fails_up_to=5, when_spotted=3),
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
    replace(
        hit.TORRENT,
        source=f"{_CORE}, 24.37 Torrent; app rules, 24.37.01",
        excludes=("Indirect Fire", "Precision"),
    ),
    hit.SUSTAINED_HITS,
    wound.TWIN_LINKED,
)
CONDITIONS = table(
    base.SITUATION,
    hit.STATIONARY_SHOOTERS,
    hit.SPOTTED,
    attacks.DIVIDED,
    replace(hit.overwatch(rerolls_hits=False), barred_by=(hit.CLOSE_QUARTERS,)),
    hit.CLOSE_QUARTERS,
    hit.TARGET_ENGAGED,
    at.plunging_fire(source=f"{_CORE}, 22.05 Plunging Fire", text="BS better by 1", hit=hit.improve_skill),
    hit.DAMAGED,
    replace(cover("hit"), source=f"{_CORE}, 13.08 Benefit of Cover"),
    hit.STEALTH_AS_COVER,
    smokescreen(gives_stealth=False),
    base.ROLLS,
)
TARGET_RULES = table(hit.STEALTH_AS_COVER_OF_TARGET, base.TARGET_RULES)
#: 02.02, Modified Characteristics: a value set to 0 is modified no further, and WS and BS are 2+ to 6+.
_ORDER = Order((("set",), ("multiply",), ("add",), ("divide",), ("subtract",)), final=frozenset((0,)))

_MUST_SUCCEED = {"conditions": table(hit.critical_hit(hit.lower_critical_hits(must_succeed=True)))}
DISPUTED = (
    disputed(
        "rules_date",
        "The rules as they were at which date: after the changes of October, of August, or as published in June?",
        "app rules of 30 September 2026, 24.37.01: hits of snap shooting are not critical; app FAQ of 26 August 2026 "
        "and Universal Rules Updates v1.1: a lowered critical threshold also hits; app rules of 22 July 2026, "
        "24.28.01: devastating wounds with Precision go to the character; 05.04.05: models that fight after they are "
        "destroyed do so with their unit",
        {
            "2026-10": {},
            "2026-08": {"snap_shots_are_critical": True},
            "2026-06": {
                **_MUST_SUCCEED,
                "snap_shots_are_critical": True,
                "deferred_precision": False,
                "dead_fight_with_unit": False,
            },
        },
        is_date=True,
    ),
    disputed(
        "dw_and_damage_reduction",
        "What reduces the Damage of critical wounds with Devastating Wounds: what modifies the weapon's, nothing, all?",
        f"{_CORE}, 24.10 Devastating Wounds: such an attack ends before it is allocated; 04.01.04: what modifies "
        "attacks that target a unit modifies the weapon",
        {
            "by wording": {},
            "never": {"abilities": table(_devastating_wounds("never"))},
            "always": {"abilities": table(_devastating_wounds("always"))},
        },
    ),
    disputed(
        "snap_torrent",
        "Snap shooting with Torrent: do its attacks hit automatically, or need an unmodified 6 too?",
        f"{_CORE}, 24.37 Torrent: no hit roll is made, so that 15.09 has nothing to act on",
        {
            "automatic": {},
            "only 6": {"conditions": table(hit.overwatch(with_torrent=True, rerolls_hits=False))},
        },
    ),
    disputed(
        "crit_wording",
        "Does an unmodified roll at a lowered critical threshold hit when the modified roll would miss?",
        "app FAQ of 26 August 2026: such a roll also hits, unless the rule says 'successful'",
        {"plain": {}, "successful": _MUST_SUCCEED},
    ),
    disputed(
        "lethal_choice",
        "Lethal Hits: does the attacker wound without a roll where that is worth more on average for the weapon, as is "
        "best for each critical hit when all hits are known, always, or never?",
        f"{_CORE}, 24.23 Lethal Hits: the attacker can choose it for each critical hit",
        {
            "on average": {},
            "best": {"abilities": table(hit.lethal_hits("best"))},
            "always": {"abilities": table(hit.lethal_hits("always"))},
            "never": {"abilities": table(hit.lethal_hits("never"))},
        },
    ),
    disputed(
        "precision_second_character",
        "Precision: once the Character is destroyed, does another one become the current group of the same attacks?",
        f"{_CORE}, 24.28 Precision: one group is selected; Ruleshammer, 'Save Groups, Precision, and Feel No Pain'",
        {"no": {}, "yes": {"second_precision": True}},
    ),
    disputed(
        "critical_extra_hits",
        "A rule gives something to critical hits: to the critical hit alone, or to its Sustained Hits too?",
        f"{_CORE}, 24.36 Sustained Hits: the additional hits are not critical hits",
        {"the critical hit only": {}, "all its hits": {"extra_hits_alike": True}},
    ),
    disputed(
        "armour_bonus_scope",
        "A bonus to armour saving throws: for the test against Sv alone, or for the die and so for InSv too?",
        f"{_CORE}, 05.04: one die is tested against InSv and against Sv; the wording is that of older datasheets",
        {"Sv test only": {}, "whole die": {"armour_bonus_on_the_die": True}},
    ),
    disputed(
        "save_cap",
        "Is the sum of all modifiers of a save, AP included, capped at +1?",
        f"{_CORE}, 02.03 Modifying Dice Rolls: only hit and wound rolls have a cap",
        {"none": {}, "+1 net": {"save_cap": 1}},
    ),
    disputed(
        "save_reroll_scope",
        "Whose re-rolls of saves are used: those of the first group, for all dice, or of each model as it is selected?",
        "official FAQ of the tournament of 17 to 19 July 2026: all save dice are rolled together",
        {"first group": {}, "each model": {"saves_rerolled_together": False}},
    ),
    disputed(
        "split_pool_order",
        "Attacks that their own roll changed are saved apart: are they resolved before the others, or after them?",
        "app rules of 22 July 2026, 05.03.02: the attacker chooses the order, when all wound rolls are made",
        {"special first": {}, "special last": {"special_pools_first": False}},
    ),
    disputed(
        "special_pools_order",
        "Of those attacks: the ones whose hit roll gave them Precision first, or those with a better AP?",
        "app rules of 22 July 2026, 05.03.02: the attacker chooses the order; attacks with both come first",
        {"precision first": {}, "better AP first": {"precision_first": False}},
    ),
    disputed(
        "pool_order",
        "Pools of one unit: as they are given, or the attacker picks the next one by what those before have done?",
        f"{_CORE}, 04.03: the attacker picks the next pool before its dice are rolled",
        {"as given": {}, "best": {"orders_pools": True}},
    ),
    disputed(
        "group_order",
        "Groups of models that save apart: as they are given, or as is best for the unit's player, pool by pool?",
        f"{_CORE}, 05.03: the player of the unit declares the order before saves are rolled",
        {"as given": {}, "best": {"orders_groups": True}},
    ),
    disputed(
        "extra_attacks_bonus",
        "Do rules that add to Attacks add to those of Extra Attacks weapons?",
        f"{_CORE}, 24.11 Extra Attacks: no sentence keeps their Attacks from being modified",
        {"applies": {}, "barred": {"abilities": table(attacks.EXTRA_ATTACKS)}},
    ),
    disputed(
        "mortal_order",
        "Mortal wounds of one pool: Devastating Wounds before those of other rules, or after them?",
        f"{_CORE}, 24.10 and 06.02: no order is stated, and the active player orders their own rules",
        {"devastating first": {}, "other first": {"order_of_deferred": {"mortal": 0, "devastating": 1}}},
    ),
    disputed(
        "damage_to_zero_use",
        "A rule changes the Damage of one failed save to 0: that of the first, or of the one best changed?",
        "app FAQ of 26 August 2026: it is used after the save, at a moment of its owner's choice",
        {"first failed save": {}, "best": {"chooses_negated": True}},
    ),
    disputed(
        "d3_reroll_ones",
        "Ones of a Damage of D3 are re-rolled: the halved value 1, or the face 1 of the D6 alone?",
        "10th edition core rules, Dice, which say so; the 11th has no such sentence (01.05)",
        {"halved value": {}, "face": {"conditions": table(damage.reroll_damage(ones_by_face=True))}},
    ),
    disputed(
        "indirect_v_low_critical",
        "Indirect shooting: does an unmodified 1-5 (1-3) fail, even where a rule makes that face a critical hit?",
        f"{_CORE}, 10.07 Indirect Shooting: such rolls fail; the FAQ of 26 August 2026 names snap shooting alone",
        {
            "fails": {},
            "critical": {
                "abilities": table(
                    hit.indirect_shooting(fails_up_to=5, when_spotted=3, spares_criticals=True)
                )
            },
        },
    ),
    disputed(
        "precision_without_saves",
        "Precision where every wound of the pool was devastating: may a Character be named?",
        "app rules of 22 July 2026, 24.28.01; nothing says that the allocation order step is left out without saves",
        {"a character may be named": {}, "none was named": {"precision_without_saves": False}},
    ),
    disputed(
        "precision_and_order",
        "Precision: does the attacker name a Character before the defender orders the groups, or after it?",
        f"{_CORE}, 24.28 Precision: a group is selected at the start of the step; 05.03: who declares first is open",
        {"attacker first": {}, "defender first": {"precision_before_order": False}},
    ),
    disputed(
        "treated_as_seven",
        "A roll that a rule treats as a 7 or more: is it a success only, or a critical one?",
        f"{_CORE}, 01.05.08: such a roll is a success; only an unmodified 6 is critical",
        {"success": {}},
    ),
    disputed(
        "fnp_choice",
        "Several Feel No Pain abilities apply to a wound: which one is used?",
        f"{_CORE}, abilities that a model has twice: the owner picks one each time it matters",
        {"best applicable": {}},
    ),
    disputed(
        "target_destroyed_between_pools",
        "The target is destroyed before all pools are resolved: what becomes of the attacks that are left?",
        f"{_CORE}, 05.04: what is left of the attacks at a destroyed unit is lost; 04.03.03 speaks of units that moved",
        {"attacks lost": {}},
    ),
)

#: 06.03, Hazard Rolls.
_HAZARD_ROLL = Hazard(2, 1, 3)
RULINGS, READINGS = separated(DISPUTED)
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
    deferred_to_end_of_unit={"mortal": False, "devastating": False},
    order_of_direct=-1,
    ignored_allocate=False,
    hazard=_HAZARD_ROLL,
    desperate_escape=_HAZARD_ROLL,
    charge=Charge(reach=0, engagement=2, most=12, into_the_fray=6, skies=2, answered=False),
    battle_shock=BattleShock(at_half=True, after_escape=True),
    active_player_fights_first=True,
    dead_fight_with_unit=True,  # 05.04.05, Fight On Death
)
