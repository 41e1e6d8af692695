"""The editions of Warhammer 40,000 as data: each is tables of rules, numbers, and rulings."""

from __future__ import annotations

import copyreg
from dataclasses import replace
from functools import partial
from typing import Any

from mathhammer.display import Catalogue
from mathhammer.modifiers import CUMULATIVE, Order
from mathhammer.systems.text_format import read_rulings
from mathhammer.systems.wh40k.editions.edition import (
    EVERY,
    OWN,
    BattleShockRules,
    ChargeRules,
    Edition,
    Hazard,
    Readings,
    characteristics,
    table,
)
from mathhammer.systems.wh40k.rules import abilities as has
from mathhammer.systems.wh40k.rules import conditions as at
from mathhammer.systems.wh40k.rules.rule import ROLLS, Ability, Condition, TargetRule
from mathhammer.validation import unknown_edition

#: Disputed in several editions; the first, of `fast_roll_check`, has no effect on an attack.
_SHARED_RULINGS = read_rulings("""
    * fast_rolling: similar, strict
    May attacks with abilities that act on particular rolls be rolled together, and saves at all?
    10th edition core rules, Fast Dice Rolling: the same abilities, and saves where their order makes no difference; \
      Goonhammer, 'Ruleshammer: Dice', for the 9th: such abilities affect each attack differently, and saves are made \
      one at a time
    * mixed_toughness: highest, majority
    Models of a unit have different Toughness: the highest, or that of most of them (of a tie the highest)?
    10th edition core rules, Leader, and Rules Commentary, Toughness: the highest, which datasheets of Kill Teams \
      replace; 9th edition datasheets, Mixed Unit: that of most of them, of a tie that which the unit's player picks
""")
_SHARED_READINGS: Readings = {("mixed_toughness", "majority"): {"majority_toughness": True}}
_NINTH = "9th edition core rules"
_LIMITS = characteristics(CUMULATIVE, leadership=(1, None))
NINTH = Edition(
    name="9e",
    title="Warhammer 40,000 9th edition",
    save_cap=None,
    criticals=(),
    models_of_blast=1,
    abilities=table(
        *has.ABILITIES,
        has.moving("Assault", at.ADVANCED, -1, source=f"{_NINTH}, Assault weapons", permits=at.ADVANCED),
        has.BLAST_BY_SIZE,
        has.moving("Heavy", at.MOVED, -1, source=f"{_NINTH}, Heavy weapons: for infantry"),
        *(has.ignores_cover("hit", "save"), has.RAPID_FIRE_DOUBLES),
    ),
    conditions=table(
        *at.SITUATION,
        replace(at.MOVED, help="The attacker moved (Heavy, for infantry)."),
        *(has.cover("hit", "save"), *at.ON_ROLLS),
        replace(at.TARGET_CHARGED, help="The target charged (no heavy cover)."),
    ),
    target_rules=table(*has.TARGET_RULES),
    covers=(
        has.Cover("light", "ranged", "save", 1),
        has.Cover("heavy", "melee", "save", 1, not_if_charged=True),
        has.Cover("dense", "ranged", "hit", -1),
    ),
    characteristics=_LIMITS,
    rulings=(
        *read_rulings("""
    * worsened_ap_0: stays, improves-save
    What becomes of AP 0 that is worsened: AP 0, or AP+1, which is easier to save?
    the later 9th edition glossary; Goonhammer, 'Ruleshammer: Dice', left it open
    * mortal_wounds_timing: after-unit, after-weapon
    Do mortal wounds wait for all attacks of the unit, or for those of their weapon?
    9th edition core rules, Mortal Wounds: all normal damage of the attacking unit comes first
    """),
        *(replace(each, default=each.options[1]) for each in _SHARED_RULINGS),
    ),
    readings={
        ("worsened_ap_0", "improves-save"): {"characteristics": {"ap": replace(_LIMITS["ap"], most=None)}},
        ("mortal_wounds_timing", "after-weapon"): {"deferred_to_end_of_unit": {"mortal": False}},
        **_SHARED_READINGS,
    },
    failed="failed-unmodified",
    charge=ChargeRules(reach=1),
)
_TENTH = "10th edition core rules"
_COVER = has.Cover("cover", "ranged", "save", 1, exempt=3)
_CHARACTERISTICS = characteristics(CUMULATIVE)
_DEVASTATING_FIRST: Any = {"order_of_deferred": {"mortal": 1, "devastating": 0}}
_FINAL_AT_0 = replace(_CHARACTERISTICS["damage"], order=replace(CUMULATIVE, final=frozenset((0,))))
_RULINGS = """
    * critical_hit_wording: unmodified, successful
    Does an unmodified roll at a lowered critical threshold hit when the modified roll would miss?
    Rules Commentary, Critical Hit: a rule that says 'an unmodified 5+' scores a hit by itself
    * save_cap: net, gross
    Is the +1 cap on a saving throw for the sum of all modifiers, AP included, or for the bonuses alone?
    core rules, Saving Throws, read as the commentary reads hit and wound rolls: the sum is capped
    * devastating_damage_modifiers: apply, ignore
    Do the target's reduction and halving of Damage act on an attack with Devastating Wounds?
    Core Rules Updates, Devastating Wounds: Damage is modified when the attack is allocated
    * devastating_timing: after-unit, after-weapon
    Do Devastating Wounds wait for all attacks of the unit, or for those of their weapon?
    core rules, Mortal Wounds: all normal damage of the attacking unit comes first
    * mortal_wounds_order: plain-first, devastating-first, as-listed
    After the attacks: do plain mortal wounds come first, or Devastating Wounds, or one entry after another?
    Core Rules Updates, Devastating Wounds: such attacks wait until all others are resolved
    * devastating_precision: follow, stay
    Devastating Wounds of an attack with Precision: on the Character as the attack is, or as without it?
    core rules, Mortal Wounds: those of an attack with Precision can be allocated to a Character
    * blast_fixed_attacks: apply, ignore
    Does Blast add attacks to a weapon whose number of attacks is not random?
    core rules, Blast; the text has random attacks in mind
    * damage_reroll_of_several_dice: whole, each-die
    Is a Damage roll of several dice re-rolled as a whole, judged by its total, or each die for itself?
    Rules Commentary, Re-rolls: dice that are added together are re-rolled together
    * indirect_against_critical: fail, critical
    Indirect Fire: does an unmodified 1-3 fail, even where a rule makes that face a critical hit?
    Core Rules Updates, Indirect Fire: such rolls always fail
    * torrent_overwatch: automatic, needs-6
    Fire Overwatch with Torrent: do its attacks hit automatically, or need an unmodified 6 too?
    core rules, Torrent: no hit roll is made; the attacker's rule has priority
    * failing_wounds_against_critical: critical, fail
    Does an unmodified wound roll that the target's rule makes fail still wound where it is critical?
    Core Rules Updates, Priority of Rules: the attacker's rule has priority
    * cover_condition: modified, printed
    Cover is nothing for a Save of 3+ or better against AP 0: the modified values, or the printed ones?
    Rules Commentary, Modifiers: a characteristic is what it is after all modifiers
    * damage_condition: modified, printed
    A rule about attacks of Damage 1: the modified Damage, or the printed one?
    Rules Commentary, Against: such a rule is tested when the attack is allocated
    * damage_reductions: cumulative, largest
    Several rules that subtract from Damage: all of them together, or only the one that subtracts most?
    Rules Commentary, Modifiers: all modifiers are cumulative
    * damage_to_0: first-failed-save, best-failed-save, off
    A rule changes the Damage of one failed save to 0: that of the first, of the one best changed, or of none?
    datasheets that change the Damage of one attack to 0 leave the choice; Core Rules Updates name no order
    * damage_set_to_0: modified, final
    Damage that a rule sets to 0: do Melta and other modifiers still change it, or is 0 final?
    Rules Commentary, Modifiers: a rule that sets comes first, and the other modifiers act on what it sets
    * lethal_hits: forced, declined
    Lethal Hits: does each critical hit wound without a roll, or does the attacker always roll to wound?
    core rules, Lethal Hits: a critical hit wounds automatically; the 10th edition leaves no choice
    * leaders_begun: waits, goes-first
    A leader that is hurt, or had an attack allocated, while bodyguards live: does it wait for them to die?
    core rules, Leader: attacks cannot be allocated to a Character while a bodyguard is left
    * ignored_mortal_wounds: allocated, not-allocated
    Mortal wounds that Feel No Pain ignores: was the model they would have hurt allocated an attack?
    core rules, Mortal Wounds: they are allocated to a model as an attack is, and only then ignored
"""
#: What their options change; the other rulings are read where wounds are allocated.
_READINGS: Readings = {
    ("critical_hit_wording", "successful"): {"conditions": table(at.critical("hit", must_succeed=True))},
    ("save_cap", "gross"): {"caps_bonuses": True},
    ("devastating_damage_modifiers", "ignore"): {"abilities": table(has.devastating_wounds("by wording"))},
    ("devastating_timing", "after-weapon"): {"deferred_to_end_of_unit": {"devastating": False}},
    ("mortal_wounds_order", "devastating-first"): {**_DEVASTATING_FIRST, "order_of_direct": 1},
    ("mortal_wounds_order", "as-listed"): {"order_of_deferred": {"devastating": 0}},
    ("devastating_precision", "stay"): {"deferred_precision": False},
    ("blast_fixed_attacks", "ignore"): {"abilities": table(has.BLAST_OF_DICE)},
    ("damage_reroll_of_several_dice", "each-die"): {"conditions": table(at.reroll_damage(each_die=True))},
    ("indirect_against_critical", "critical"): {"abilities": table(has.indirect_fire(spares_criticals=True))},
    ("torrent_overwatch", "needs-6"): {"conditions": table(at.overwatch(with_torrent=True))},
    ("failing_wounds_against_critical", "fail"): {"conditions": table(at.CRITICAL_WOUND_FAILS)},
    ("cover_condition", "printed"): {"covers": (replace(_COVER, tests_printed=True),)},
    ("damage_condition", "printed"): {"target_rules": table(has.DAMAGE_1_AS_PRINTED)},
    ("damage_reductions", "largest"): {"reductions_add_up": False},
    ("damage_to_0", "best-failed-save"): {"chooses_negated": True},
    ("damage_to_0", "off"): {"target_rules": table(has.NO_DAMAGE_TO_0)},
    ("damage_set_to_0", "final"): {"characteristics": {"damage": _FINAL_AT_0}},
    ("lethal_hits", "declined"): {"abilities": table(has.lethal_hits(""))},
    ("leaders_begun", "goes-first"): {"wounded_leader_first": True},
    ("ignored_mortal_wounds", "not-allocated"): {"ignored_allocate": False},
    **_SHARED_READINGS,
}
TENTH = Edition(
    name="10e",
    title="Warhammer 40,000 10th edition",
    save_cap=1,
    criticals=((6, False),),
    models_of_blast=5,
    one_leader=True,
    abilities=table(
        *(*has.ABILITIES, has.ASSAULT, has.ANTI, has.BLAST, has.CONVERSION, has.devastating_wounds()),
        *(has.EXTRA_ATTACKS, has.HAZARDOUS),
        has.moving("Heavy", at.STATIONARY, 1, source=f"{_TENTH}, Heavy"),
        *(has.ignores_cover("save"), has.indirect_fire(), has.LANCE, has.lethal_hits(), has.ONE_SHOT),
        *(has.PRECISION, has.PSYCHIC, has.RAPID_FIRE, has.SUSTAINED_HITS, has.TWIN_LINKED),
    ),
    conditions=table(
        *(*at.SITUATION, at.BIG_GUNS, replace(at.TARGET_ENGAGED, exempt=("Pistol",))),
        *(at.plunging_fire(f"{_TENTH},", "ap", "save"), at.DAMAGED, has.cover("save")),
        *(has.STEALTH, has.SMOKESCREEN, has.GO_TO_GROUND, *at.ON_ROLLS),
    ),
    target_rules=table(has.STEALTH_OF_TARGET, *has.TARGET_RULES),
    covers=(_COVER,),
    characteristics=_CHARACTERISTICS,
    rulings=(*read_rulings(_RULINGS), *_SHARED_RULINGS),
    readings=_READINGS,
    hazard=Hazard(1, 3, 3, on_one_bearer=True),
    desperate_escape=Hazard(2, None, None),
    charge=ChargeRules(reach=1),
    battle_shock=BattleShockRules(at_half=False, after_escape=False),
    active_player_fights_first=False,
)

#: Core Rules of June 2026; sections are numbered alike in the rules of the official app.
_ELEVENTH = "11th edition core rules"
_devastating_wounds = partial(has.devastating_wounds, source=f"{_ELEVENTH}, 24.10 Devastating Wounds")
#: 02.02, Modified Characteristics: a value set to 0 is modified no further, and WS and BS are 2+ to 6+.
_ORDER = Order(("set", "multiply", "add", "divide", "subtract"), final=frozenset((0,)))
#: 06.03, Hazard Rolls.
_HAZARD_ROLL = Hazard(2, 1, 3)
_MUST_SUCCEED = {"conditions": table(at.critical("hit", must_succeed=True))}
_RULINGS_11 = f"""
    * rules_date: 2026-10, 2026-08, 2026-06
    The rules as they were at which date: after the changes of October, of August, or as published in June?
    app rules of 30 September 2026, 24.37.01: hits of snap shooting are not critical; app FAQ of 26 August 2026 and \
      Universal Rules Updates v1.1: a lowered critical threshold also hits; app rules of 22 July 2026, 24.28.01: \
      devastating wounds with Precision go to the character; 05.04.05: models that fight after they are destroyed do \
      so with their unit
    * dw_and_damage_reduction: by wording, never, always
    What reduces the Damage of critical wounds with Devastating Wounds: what modifies the weapon's, nothing, all?
    {_ELEVENTH}, 24.10 Devastating Wounds: such an attack ends before it is allocated; 04.01.04: what modifies attacks \
      that target a unit modifies the weapon
    * snap_torrent: automatic, only 6
    Snap shooting with Torrent: do its attacks hit automatically, or need an unmodified 6 too?
    {_ELEVENTH}, 24.37 Torrent: no hit roll is made, so that 15.09 has nothing to act on
    * crit_wording: plain, successful
    Does an unmodified roll at a lowered critical threshold hit when the modified roll would miss?
    app FAQ of 26 August 2026: such a roll also hits, unless the rule says 'successful'
    * lethal_choice: on average, best, always, never
    Lethal Hits: does the attacker wound without a roll where that is worth more on average for the weapon, as is \
      best for each critical hit when all hits are known, always, or never?
    {_ELEVENTH}, 24.23 Lethal Hits: the attacker can choose it for each critical hit
    * precision_second_character: no, yes
    Precision: once the Character is destroyed, does another one become the current group of the same attacks?
    {_ELEVENTH}, 24.28 Precision: one group is selected; Ruleshammer, 'Save Groups, Precision, and Feel No Pain'
    * critical_extra_hits: the critical hit only, all its hits
    A rule gives something to critical hits: to the critical hit alone, or to its Sustained Hits too?
    {_ELEVENTH}, 24.36 Sustained Hits: the additional hits are not critical hits
    * armour_bonus_scope: Sv test only, whole die
    A bonus to armour saving throws: for the test against Sv alone, or for the die and so for InSv too?
    {_ELEVENTH}, 05.04: one die is tested against InSv and against Sv; the wording is that of older datasheets
    * save_cap: none, +1 net
    Is the sum of all modifiers of a save, AP included, capped at +1?
    {_ELEVENTH}, 02.03 Modifying Dice Rolls: only hit and wound rolls have a cap
    * save_reroll_scope: first group, each model
    Whose re-rolls of saves are used: those of the first group, for all dice, or of each model as it is selected?
    official FAQ of the tournament of 17 to 19 July 2026: all save dice are rolled together
    * split_pool_order: special first, special last
    Attacks that their own roll changed are saved apart: are they resolved before the others, or after them?
    app rules of 22 July 2026, 05.03.02: the attacker chooses the order, when all wound rolls are made
    * special_pools_order: precision first, better AP first
    Of those attacks: the ones whose hit roll gave them Precision first, or those with a better AP?
    app rules of 22 July 2026, 05.03.02: the attacker chooses the order; attacks with both come first
    * pool_order: as given, best
    Pools of one unit: as they are given, or the attacker picks the next one by what those before have done?
    {_ELEVENTH}, 04.03: the attacker picks the next pool before its dice are rolled
    * group_order: as given, best
    Groups of models that save apart: as they are given, or as is best for the unit's player, pool by pool?
    {_ELEVENTH}, 05.03: the player of the unit declares the order before saves are rolled
    * extra_attacks_bonus: applies, barred
    Do rules that add to Attacks add to those of Extra Attacks weapons?
    {_ELEVENTH}, 24.11 Extra Attacks: no sentence keeps their Attacks from being modified
    * mortal_order: devastating first, other first
    Mortal wounds of one pool: Devastating Wounds before those of other rules, or after them?
    {_ELEVENTH}, 24.10 and 06.02: no order is stated, and the active player orders their own rules
    * damage_to_zero_use: first failed save, best
    A rule changes the Damage of one failed save to 0: that of the first, or of the one best changed?
    app FAQ of 26 August 2026: it is used after the save, at a moment of its owner's choice
    * d3_reroll_ones: halved value, face
    Ones of a Damage of D3 are re-rolled: the halved value 1, or the face 1 of the D6 alone?
    10th edition core rules, Dice, which say so; the 11th has no such sentence (01.05)
    * indirect_v_low_critical: fails, critical
    Indirect shooting: does an unmodified 1-5 (1-3) fail, even where a rule makes that face a critical hit?
    {_ELEVENTH}, 10.07 Indirect Shooting: such rolls fail; the FAQ of 26 August 2026 names snap shooting alone
    * precision_without_saves: a character may be named, none was named
    Precision where every wound of the pool was devastating: may a Character be named?
    app rules of 22 July 2026, 24.28.01; nothing says that the allocation order step is left out without saves
    * precision_and_order: attacker first, defender first
    Precision: does the attacker name a Character before the defender orders the groups, or after it?
    {_ELEVENTH}, 24.28 Precision: a group is selected at the start of the step; 05.03: who declares first is open
    * treated_as_seven: success
    A roll that a rule treats as a 7 or more: is it a success only, or a critical one?
    {_ELEVENTH}, 01.05.08: such a roll is a success; only an unmodified 6 is critical
    * fnp_choice: best applicable
    Several Feel No Pain abilities apply to a wound: which one is used?
    {_ELEVENTH}, abilities that a model has twice: the owner picks one each time it matters
    * target_destroyed_between_pools: attacks lost
    The target is destroyed before all pools are resolved: what becomes of the attacks that are left?
    {_ELEVENTH}, 05.04: what is left of the attacks at a destroyed unit is lost; 04.03.03 speaks of units that moved
"""
_READINGS_11: Readings = {
    ("rules_date", "2026-08"): {"snap_shots_are_critical": True},
    ("rules_date", "2026-06"): {
        **_MUST_SUCCEED,
        "snap_shots_are_critical": True,
        "deferred_precision": False,
        "dead_fight_with_unit": False,
    },
    ("dw_and_damage_reduction", "never"): {"abilities": table(_devastating_wounds("never"))},
    ("dw_and_damage_reduction", "always"): {"abilities": table(_devastating_wounds("always"))},
    ("snap_torrent", "only 6"): {"conditions": table(at.overwatch(with_torrent=True, rerolls_hits=False))},
    ("crit_wording", "successful"): _MUST_SUCCEED,
    ("lethal_choice", "best"): {"abilities": table(has.lethal_hits("best"))},
    ("lethal_choice", "always"): {"abilities": table(has.lethal_hits("always"))},
    ("lethal_choice", "never"): {"abilities": table(has.lethal_hits(""))},
    ("precision_second_character", "yes"): {"second_precision": True},
    ("critical_extra_hits", "all its hits"): {"extra_hits_alike": True},
    ("armour_bonus_scope", "whole die"): {"armour_bonus_on_the_die": True},
    ("save_cap", "+1 net"): {"save_cap": 1},
    ("save_reroll_scope", "each model"): {"saves_rerolled_together": False},
    ("split_pool_order", "special last"): {"special_pools_first": False},
    ("special_pools_order", "better AP first"): {"precision_first": False},
    ("pool_order", "best"): {"orders_pools": True},
    ("group_order", "best"): {"orders_groups": True},
    ("extra_attacks_bonus", "barred"): {"abilities": table(has.EXTRA_ATTACKS)},
    ("mortal_order", "other first"): {"order_of_deferred": {"mortal": 0, "devastating": 1}},
    ("damage_to_zero_use", "best"): {"chooses_negated": True},
    ("d3_reroll_ones", "face"): {"conditions": table(at.reroll_damage(ones_by_face=True))},
    ("indirect_v_low_critical", "critical"): {
        "abilities": table(has.indirect_shooting(spares_criticals=True))
    },
    ("precision_without_saves", "none was named"): {"precision_without_saves": False},
    ("precision_and_order", "defender first"): {"precision_before_order": False},
}
_DATE, *_OTHERS = read_rulings(_RULINGS_11)
ELEVENTH = Edition(
    name="11e",
    title="Warhammer 40,000 11th edition",
    save_cap=None,
    criticals=((6, False),),
    models_of_blast=5,
    abilities=table(
        *(*has.ABILITIES, has.ANTI, replace(has.ASSAULT, source=f"{_ELEVENTH}, 24.04 Assault")),
        *(replace(has.BLAST_X, source=f"{_ELEVENTH}, 24.05 Blast"), has.CLEAVE, has.CLOSE_QUARTERS),
        *(has.CONVERSION, _devastating_wounds("by wording"), has.EXTRA_ATTACKS_AS_ANY),
        replace(
            has.HAZARDOUS,
            source=f"{_ELEVENTH}, 24.15 Hazardous",
            help="After its attacks the unit of the bearer may suffer mortal wounds.",
            note="acts on the unit that attacks, after all its attacks",
        ),
        replace(
            has.moving("Heavy", at.STATIONARY, 1, source=f"{_ELEVENTH}, 24.16 Heavy"),
            barred_by=(at.CLOSE_QUARTERS,),
        ),
        *(has.HUNTER, has.ignores_cover("hit"), has.indirect_shooting()),
        *(replace(has.LANCE, source=f"{_ELEVENTH}, Lance"), has.lethal_hits("on average")),
        replace(has.ONE_SHOT, source=f"{_ELEVENTH}, 24.26 One Shot"),
        replace(
            has.PRECISION,
            source=f"{_ELEVENTH}, 24.28 Precision",
            help="The group of one Character may be the first to which its wounds are allocated.",
        ),
        *(has.PSYCHIC_IGNORES_MODIFIERS, has.RAPID_FIRE),
        replace(
            has.TORRENT,
            source=f"{_ELEVENTH}, 24.37 Torrent; app rules, 24.37.01",
            excludes=("Indirect Fire", "Precision"),
        ),
        *(has.SUSTAINED_HITS, has.TWIN_LINKED),
    ),
    conditions=table(
        *(*at.SITUATION, at.STATIONARY_SHOOTERS, at.SPOTTED, at.DIVIDED),
        replace(at.overwatch(rerolls_hits=False), barred_by=(at.CLOSE_QUARTERS,)),
        *(at.CLOSE_QUARTERS, at.TARGET_ENGAGED, at.plunging_fire(f"{_ELEVENTH}, 22.05", "skill", "hit")),
        *(at.DAMAGED, has.cover("hit", source=f"{_ELEVENTH}, 13.08 Benefit of Cover")),
        *(has.STEALTH_AS_COVER, has.SMOKESCREEN_ALONE, *at.ON_ROLLS),
    ),
    target_rules=table(has.STEALTH_AS_COVER_OF_TARGET, *has.TARGET_RULES),
    covers=(has.Cover("cover", "ranged", "skill", -1),),
    characteristics=characteristics(_ORDER, skill_worst=6),
    rulings=(replace(_DATE, is_date=True), *_OTHERS),
    readings=_READINGS_11,
    in_pools=True,
    command_reroll_of_one_die=True,  # 15.02, Command Re-roll
    snap_shots_are_critical=False,
    **_DEVASTATING_FIRST,
    deferred_to_end_of_unit={"mortal": False, "devastating": False},
    order_of_direct=-1,
    ignored_allocate=False,
    hazard=_HAZARD_ROLL,
    desperate_escape=_HAZARD_ROLL,
    charge=ChargeRules(reach=0, engagement=2, most=12, into_the_fray=6, skies=2, answered=False),
    battle_shock=BattleShockRules(at_half=True, after_escape=True),
    active_player_fights_first=True,
    dead_fight_with_unit=True,  # 05.04.05, Fight On Death
)

EDITIONS = Catalogue("editions of Warhammer 40,000", {each.name: each for each in (NINTH, TENTH, ELEVENTH)})
"""The editions by name: ``"9e"``, ``"10e"`` and ``"11e"``."""
EVERY[:] = EDITIONS.values()


def _named(name: str, read_as: tuple[tuple[str, str], ...] | None) -> Edition:
    edition = find_edition(name)
    return edition if read_as is None else edition.ruled(dict(read_as))


# By name: entries hold functions, and another process has the same ones.
copyreg.pickle(Edition, lambda edition: (_named, (edition.name, edition.read_as)))


class Rulebook:
    """What some edition knows, each rule as the newest edition has it."""

    def __init__(self, *editions: Edition) -> None:
        #: The weapon abilities by their names as datasheets print them, and as names are compared.
        self.by_name: dict[str, Ability] = {}
        self.target_rules: dict[str, TargetRule] = {}
        for each in editions:
            self.by_name |= each.abilities
            self.target_rules |= each.target_rules
        self.abilities = {rule_key(name): rule for name, rule in self.by_name.items()}
        #: The keywords of a situation, those of the newest edition first.
        self.conditions: dict[str, Condition] = {}
        for each in reversed(editions):
            self.conditions |= {**each.conditions, **self.conditions}

    def permitting(self, condition: Condition) -> tuple[str, ...]:
        """Return the names of the abilities without which nothing can be shot under a condition."""
        return tuple(name for name, rule in self.by_name.items() if rule.permits is condition)

    @property
    def offers(self) -> dict[str, tuple[str, ...]]:
        """Abilities to try, as a stat line has them, by the first roll that each changes."""
        found: dict[str, tuple[str, ...]] = dict.fromkeys(ROLLS, ())
        for rule in self.abilities.values():
            if rule.rolls:
                found[rule.rolls[0]] += rule.offers
        return found


def rule_key(name: str) -> str:
    """Return the name of a rule as it is compared."""
    return name.lower().replace("-", " ")


_known = EDITIONS, 0, Rulebook(*EDITIONS.values())


def rulebook() -> Rulebook:
    """Return what the editions know, worked out anew where they are others."""
    global _known  # noqa: PLW0603 - asked for by every attack
    if _known[0] is not EDITIONS or _known[1] != len(OWN):
        _known = EDITIONS, len(OWN), Rulebook(*(own for own, _ in OWN.values()), *EDITIONS.values())
    return _known[2]


#: The edition of calls that name none.
DEFAULT_EDITION = "11e"


def find_edition(name: str | Edition) -> Edition:
    """Return the edition of that name, among them those of somebody's own."""
    if isinstance(name, Edition):
        name = name.known_as()
    if isinstance(name, str) and name in OWN:
        return OWN[name][0]
    if not isinstance(name, str) or name not in EDITIONS:
        raise unknown_edition(name, EDITIONS)
    return EDITIONS[name]
