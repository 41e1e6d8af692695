"""The 10th edition: its rules and numbers."""

from __future__ import annotations

from dataclasses import replace

from mathhammer.modifiers import CUMULATIVE
from mathhammer.systems.ruling_texts import read_rulings
from mathhammer.systems.wh40k.editions.edition import (
    SHARED_READINGS,
    SHARED_RULINGS,
    BattleShock,
    Charge,
    Edition,
    Hazard,
    Readings,
    characteristics,
    table,
)
from mathhammer.systems.wh40k.rules import abilities as has
from mathhammer.systems.wh40k.rules import conditions as at
from mathhammer.systems.wh40k.rules import defences

_CORE = "10th edition core rules"
_COVER = defences.Cover("cover", "ranged", "save", 1, exempt=3)
_CHARACTERISTICS = characteristics(CUMULATIVE)
_DAMAGE = _CHARACTERISTICS["damage"]
_FINAL_AT_0 = replace(_DAMAGE, order=replace(_DAMAGE.order, final=frozenset((0,))))
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
    ("mortal_wounds_order", "devastating-first"): {
        "order_of_deferred": {"mortal": 1, "devastating": 0},
        "order_of_direct": 1,
    },
    ("mortal_wounds_order", "as-listed"): {"order_of_deferred": {"devastating": 0}},
    ("devastating_precision", "stay"): {"deferred_precision": False},
    ("blast_fixed_attacks", "ignore"): {"abilities": table(has.blast(fixed=False))},
    ("damage_reroll_of_several_dice", "each-die"): {"conditions": table(at.reroll_damage(each_die=True))},
    ("indirect_against_critical", "critical"): {"abilities": table(has.indirect_fire(spares_criticals=True))},
    ("torrent_overwatch", "needs-6"): {"conditions": table(at.overwatch(with_torrent=True))},
    ("failing_wounds_against_critical", "fail"): {"conditions": table(at.wound_fails_up_to(yields=False))},
    ("cover_condition", "printed"): {"covers": (replace(_COVER, tests_printed=True),)},
    ("damage_condition", "printed"): {"target_rules": table(defences.damage_1_save_bonus(printed=True))},
    ("damage_reductions", "largest"): {"reductions_add_up": False},
    ("damage_to_0", "best-failed-save"): {"chooses_negated": True},
    ("damage_to_0", "off"): {"target_rules": table(defences.damage_to_0(off=True))},
    ("damage_set_to_0", "final"): {"characteristics": {"damage": _FINAL_AT_0}},
    ("lethal_hits", "declined"): {"abilities": table(has.lethal_hits(""))},
    ("leaders_begun", "goes-first"): {"wounded_leader_first": True},
    ("ignored_mortal_wounds", "not-allocated"): {"ignored_allocate": False},
    **SHARED_READINGS,
}
TENTH = Edition(
    name="10e",
    title="Warhammer 40,000 10th edition",
    save_cap=1,
    criticals=((6, False),),
    models_of_blast=5,
    one_leader=True,
    abilities=table(
        *(has.ABILITIES, has.ASSAULT, has.ANTI, has.blast(), has.CONVERSION, has.devastating_wounds()),
        *(has.EXTRA_ATTACKS, has.HAZARDOUS),
        has.moving("Heavy", at.STATIONARY, 1, source=f"{_CORE}, Heavy"),
        *(has.ignores_cover("save"), has.indirect_fire(), has.LANCE, has.lethal_hits(), has.ONE_SHOT),
        *(has.PRECISION, has.PSYCHIC, has.RAPID_FIRE, has.SUSTAINED_HITS, has.TWIN_LINKED),
    ),
    conditions=table(
        at.SITUATION,
        at.BIG_GUNS,
        replace(at.TARGET_ENGAGED, exempt=("Pistol",)),
        at.plunging_fire(f"{_CORE},", "ap", "save"),
        at.DAMAGED,
        defences.cover("save"),
        defences.STEALTH,
        defences.SMOKESCREEN,
        defences.GO_TO_GROUND,
        at.ON_ROLLS,
    ),
    target_rules=table(defences.STEALTH_OF_TARGET, defences.TARGET_RULES),
    covers=(_COVER,),
    characteristics=_CHARACTERISTICS,
    rulings=(*read_rulings(_RULINGS), *SHARED_RULINGS),
    readings=_READINGS,
    hazard=Hazard(1, 3, 3, on_one_bearer=True),
    desperate_escape=Hazard(2, None, None),
    charge=Charge(reach=1),
    battle_shock=BattleShock(at_half=False, after_escape=False),
    active_player_fights_first=False,
)
