"""The 10th edition: its rules and numbers."""

from __future__ import annotations

from dataclasses import replace

from mathhammer.characteristics import CUMULATIVE
from mathhammer.systems.wh40k.editions import base
from mathhammer.systems.wh40k.editions.edition import Edition, characteristics, disputed, separated, table
from mathhammer.systems.wh40k.rules import attacks, damage, hit, save, wound
from mathhammer.systems.wh40k.rules import circumstances as at
from mathhammer.systems.wh40k.rules.circumstances import Cover, cover, ignores_cover, smokescreen
from mathhammer.systems.wh40k.rules.unit_rolls import BattleShock, Charge, Hazard

_CORE = "10th edition core rules"
ABILITIES = table(
    base.ABILITIES,
    base.ASSAULT,
    wound.ANTI,
    attacks.blast_by_number(5),
    hit.conversion(4),
    wound.devastating_wounds(damage.devastating_damage()),
    attacks.EXTRA_ATTACKS,
    base.HAZARDOUS,
    hit.moving("Heavy", at.STATIONARY, 1, source=f"{_CORE}, Heavy"),
    ignores_cover("save"),
    hit.indirect_fire(-1, fails_up_to=3),
    wound.lance(1),
    hit.lethal_hits(),
    base.ONE_SHOT,
    base.PRECISION,
    damage.PSYCHIC,
    attacks.rapid_fire(doubles=False),
    hit.SUSTAINED_HITS,
    wound.TWIN_LINKED,
)
CONDITIONS = table(
    base.SITUATION,
    hit.BIG_GUNS,
    replace(hit.TARGET_ENGAGED, exempt=("Pistol",)),
    at.plunging_fire(source=f"{_CORE}, Plunging Fire", text="AP better by 1", save=save.improve_ap),
    hit.DAMAGED,
    cover("save"),
    hit.STEALTH,
    smokescreen(gives_stealth=True),
    save.go_to_ground(6),
    base.ROLLS,
)
TARGET_RULES = table(hit.STEALTH_OF_TARGET, base.TARGET_RULES)
_COVER = Cover("cover", "ranged", "save", 1, exempt=3)
_CHARACTERISTICS = characteristics(CUMULATIVE)
_DAMAGE = _CHARACTERISTICS["damage"]


#: What an option changes of the tables; the other rulings are read where wounds are allocated.
DISPUTED = (
    disputed(
        "critical_hit_wording",
        "Does an unmodified roll at a lowered critical threshold hit when the modified roll would miss?",
        "Rules Commentary, Critical Hit: a rule that says 'an unmodified 5+' scores a hit by itself",
        {
            "unmodified": {},
            "successful": {"conditions": table(hit.critical_hit(hit.lower_critical_hits(must_succeed=True)))},
        },
    ),
    disputed(
        "save_cap",
        "Is the +1 cap on a saving throw for the sum of all modifiers, AP included, or for the bonuses alone?",
        "core rules, Saving Throws, read as the commentary reads hit and wound rolls: the sum is capped",
        {"net": {}, "gross": {"caps_bonuses": True}},
    ),
    disputed(
        "devastating_damage_modifiers",
        "Do the target's reduction and halving of Damage act on an attack with Devastating Wounds?",
        "Core Rules Updates, Devastating Wounds: Damage is modified when the attack is allocated",
        {
            "apply": {},
            "ignore": {"abilities": table(wound.devastating_wounds(damage.devastating_damage("by wording")))},
        },
    ),
    disputed(
        "devastating_timing",
        "Do Devastating Wounds wait for all attacks of the unit, or for those of their weapon?",
        "core rules, Mortal Wounds: all normal damage of the attacking unit comes first",
        {"after-unit": {}, "after-weapon": {"deferred_to_end_of_unit": {"devastating": False}}},
    ),
    disputed(
        "mortal_wounds_order",
        "After the attacks: do plain mortal wounds come first, or Devastating Wounds, or one entry after another?",
        "Core Rules Updates, Devastating Wounds: such attacks wait until all others are resolved",
        {
            "plain-first": {},
            "devastating-first": {
                "order_of_deferred": {"mortal": 1, "devastating": 0},
                "order_of_direct": 1,
            },
            "as-listed": {"order_of_deferred": {"devastating": 0}},
        },
    ),
    disputed(
        "devastating_precision",
        "Devastating Wounds of an attack with Precision: on the Character as the attack is, or as without it?",
        "core rules, Mortal Wounds: those of an attack with Precision can be allocated to a Character",
        {"follow": {}, "stay": {"deferred_precision": False}},
    ),
    disputed(
        "blast_fixed_attacks",
        "Does Blast add attacks to a weapon whose number of attacks is not random?",
        "core rules, Blast; the text has random attacks in mind",
        {"apply": {}, "ignore": {"abilities": table(attacks.blast_by_number(5, fixed=False))}},
    ),
    disputed(
        "damage_reroll_of_several_dice",
        "Is a Damage roll of several dice re-rolled as a whole, judged by its total, or each die for itself?",
        "Rules Commentary, Re-rolls: dice that are added together are re-rolled together",
        {"whole": {}, "each-die": {"conditions": table(damage.reroll_damage(each_die=True))}},
    ),
    disputed(
        "indirect_against_critical",
        "Indirect Fire: does an unmodified 1-3 fail, even where a rule makes that face a critical hit?",
        "Core Rules Updates, Indirect Fire: such rolls always fail",
        {
            "fail": {},
            "critical": {"abilities": table(hit.indirect_fire(-1, fails_up_to=3, spares_criticals=True))},
        },
    ),
    disputed(
        "torrent_overwatch",
        "Fire Overwatch with Torrent: do its attacks hit automatically, or need an unmodified 6 too?",
        "core rules, Torrent: no hit roll is made; the attacker's rule has priority",
        {"automatic": {}, "needs-6": {"conditions": table(hit.overwatch(with_torrent=True))}},
    ),
    disputed(
        "failing_wounds_against_critical",
        "Does an unmodified wound roll that the target's rule makes fail still wound where it is critical?",
        "Core Rules Updates, Priority of Rules: the attacker's rule has priority",
        {"critical": {}, "fail": {"conditions": table(wound.wound_fails_up_to(yields=False))}},
    ),
    disputed(
        "cover_condition",
        "Cover is nothing for a Save of 3+ or better against AP 0: the modified values, or the printed ones?",
        "Rules Commentary, Modifiers: a characteristic is what it is after all modifiers",
        {"modified": {}, "printed": {"covers": (replace(_COVER, tests_printed=True),)}},
    ),
    disputed(
        "damage_condition",
        "A rule about attacks of Damage 1: the modified Damage, or the printed one?",
        "Rules Commentary, Against: such a rule is tested when the attack is allocated",
        {"modified": {}, "printed": {"target_rules": table(save.damage_1_save_bonus(printed=True))}},
    ),
    disputed(
        "damage_reductions",
        "Several rules that subtract from Damage: all of them together, or only the one that subtracts most?",
        "Rules Commentary, Modifiers: all modifiers are cumulative",
        {"cumulative": {}, "largest": {"reductions_add_up": False}},
    ),
    disputed(
        "damage_to_0",
        "A rule changes the Damage of one failed save to 0: that of the first, of the one best changed, or of none?",
        "datasheets that change the Damage of one attack to 0 leave the choice; Core Rules Updates name no order",
        {
            "first-failed-save": {},
            "best-failed-save": {"chooses_negated": True},
            "off": {"target_rules": table(damage.damage_to_0(off=True))},
        },
    ),
    disputed(
        "damage_set_to_0",
        "Damage that a rule sets to 0: do Melta and other modifiers still change it, or is 0 final?",
        "Rules Commentary, Modifiers: a rule that sets comes first, and the other modifiers act on what it sets",
        {
            "modified": {},
            "final": {
                "characteristics": {
                    "damage": replace(_DAMAGE, order=replace(_DAMAGE.order, final=frozenset((0,))))
                }
            },
        },
    ),
    disputed(
        "lethal_hits",
        "Lethal Hits: does each critical hit wound without a roll, or does the attacker always roll to wound?",
        "core rules, Lethal Hits: a critical hit wounds automatically; the 10th edition leaves no choice",
        {"forced": {}, "declined": {"abilities": table(hit.lethal_hits("never"))}},
    ),
    disputed(
        "leaders_begun",
        "A leader that is hurt, or had an attack allocated, while bodyguards live: does it wait for them to die?",
        "core rules, Leader: attacks cannot be allocated to a Character while a bodyguard is left",
        {"waits": {}, "goes-first": {"wounded_leader_first": True}},
    ),
    disputed(
        "ignored_mortal_wounds",
        "Mortal wounds that Feel No Pain ignores: was the model they would have hurt allocated an attack?",
        "core rules, Mortal Wounds: they are allocated to a model as an attack is, and only then ignored",
        {"allocated": {}, "not-allocated": {"ignored_allocate": False}},
    ),
    *base.disputed(),
)

RULINGS, READINGS = separated(DISPUTED)
TENTH = Edition(
    name="10e",
    title="Warhammer 40,000 10th edition",
    roll_cap=1,
    save_cap=1,
    criticals=((6, False),),
    models_of_blast=5,
    one_leader=True,
    abilities=ABILITIES,
    conditions=CONDITIONS,
    target_rules=TARGET_RULES,
    covers=(_COVER,),
    characteristics=_CHARACTERISTICS,
    rulings=RULINGS,
    readings=READINGS,
    hazard=Hazard(1, 3, 3, on_one_bearer=True),
    desperate_escape=Hazard(2, None, None),
    charge=Charge(reach=1),
    battle_shock=BattleShock(at_half=False, after_escape=False),
    active_player_fights_first=False,
)
