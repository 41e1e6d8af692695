"""For every parameter of every class, and for every keyword, a value that is not the default."""

from __future__ import annotations

from tenth import wh40k

import mathhammer as mh
from mathhammer import t9a
from mathhammer import trench_crusade as tc
from mathhammer.systems.t9a.attributes import Attribute

RIFLE = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1 [RAPID FIRE 1]')
MELTA = wh40k.Weapon.parse("Melta: A1 BS3+ S9 AP-4 DD6 [MELTA 2]")
MARINES = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5, keywords="Infantry")
CAPTAIN = wh40k.Target("Captain", toughness=4, save="3+", wounds=5, keywords="Character", points=80)
SPEARS = t9a.ModelPart("Spears", attacks=3, offensive_skill=3, strength=3)
ORCS = t9a.Target("Orcs", models=4, defensive_skill=3, resilience=3)
SHOTGUN = tc.WEAPONS["Shotgun"]
SWORD = tc.WEAPONS["Sword"]
BRUTE = tc.Target("Brute", armour="standard", blood=2)
ADDED = wh40k.Modifier("add", 1, "a banner")

#: Of each class its least arguments, and for every parameter a value that is not the default.
FIELDS = {
    wh40k.Weapon: (
        {
            "name": "Gun",
            "range": "",
            "attacks": 1,
            "skill": 4,
            "strength": 4,
            "ap": 0,
            "damage": 1,
        },
        {
            "name": "Gun: the [second] | one",
            "range": '24"',
            "attacks": "2D6",
            "skill": 2,
            "strength": "D6+3",
            "ap": -2,
            "damage": "D3+3",
            "keywords": "Heavy, Sustained Hits D3, Anti-Epic Hero 4+, Torrent",
        },
    ),
    wh40k.Target: (
        {"name": "Unit", "toughness": 4, "save": 3, "wounds": 3},
        {
            "name": 'The "Unit": two | [x]',
            "toughness": 5,
            "save": None,
            "wounds": 4,
            "models": 10,
            "invulnerable": ("5+", "4+ ranged"),
            "feel_no_pain": "5+",
            "feel_no_pain_mortal": "4+",
            "feel_no_pain_psychic": "3+",
            "damage_reduction": 1,
            "half_damage": True,
            "keywords": "Vehicle, Epic Hero",
            "points": 120,
            "wounds_lost": 2,
            "damage_1_save_bonus": 1,
            "damage_to_0": True,
            "deadly_demise": "D3",
            "stealth": True,
            "incoming": [wh40k.Incoming(wh40k.Modifier("worsen", 1, "Old armour", of="ap"), "ranged")],
            "in_cover": True,
        },
    ),
    wh40k.Combatant: (
        {"unit": wh40k.Target("Squad", toughness=4, save=3, wounds=2, models=5)},
        {
            "unit": wh40k.TargetUnit("Led", [wh40k.Target("Squad", toughness=4, save=3, wounds=2, models=5)]),
            "shooting": [wh40k.Volley(RIFLE, 5, half_range=True), wh40k.MortalWounds("D3", "Hex")],
            "melee": ["5x Blade: A2 WS3+ S4 AP-1 D1"],
            "leadership": "6+",
            "fights_first": True,
            "fights_on_death": "4+",
            "removed": "last",
            "gifts": {"Squad": {"reroll_hits": "ones", "abilities": "LETHAL HITS"}},
        },
    ),
    wh40k.Incoming: (
        {"modifier": wh40k.Modifier("subtract", 2, "Mist", of="wound")},
        {
            "modifier": wh40k.Modifier("subtract", 1, "Mist", of="wound"),
            "attacks": "melee",
            "if_stronger": True,
        },
    ),
    wh40k.MortalWounds: ({"number": 1}, {"number": mh.dice("D3+1"), "source": "Tank Shock"}),
    wh40k.TargetUnit: (
        {"name": "Unit", "models": [MARINES]},
        {
            "name": "Other",
            "models": [MARINES, CAPTAIN],
            "leaders": [CAPTAIN],
            "allocation": "worst",
            "objective": "wounds_lost",
            "gifts": {MARINES.name: {"feel_no_pain": "5+", "invulnerable": "4+ ranged", "stealth": True}},
        },
    ),
    wh40k.Volley: ({"weapon": RIFLE}, {"weapon": MELTA, "count": 7, "situation": {"half_range": True}}),
    wh40k.Keyword: (
        {"name": "Strange Ability"},
        {"name": "Blast", "value": mh.dice("D3"), "target": "Walker", "known": False},
    ),
    wh40k.Modifier: (
        {"operation": "add", "value": 1, "source": "a banner"},
        {
            "operation": "set",
            "value": -2,
            "source": 'rain, and "fog"',
            "of": "ap",
            "when": frozenset({-1, 2}),
            "unmodified": True,
        },
    ),
    wh40k.Trigger: (
        {"roll": "hit", "on": "unmodified 6", "source": "Tesla", "wounds": True, "mortal_wounds": "D3"},
        {
            "roll": "wound",
            "on": "5+",
            "source": "Rending",
            "extra_hits": "D3",
            "extra_attacks": 2,
            "mortal_wounds": 1,
            "instead": True,
            "wounds": False,
            "precision": True,
            "improve_ap": 3,
            "ap": -4,
            "bearer": "slain",
        },
    ),
    wh40k.RerollState: (
        {"roll": "hit", "shown": (), "rerollable": ("miss",)},
        {
            "roll": "wound",
            "shown": (("critical wound", 1), ("wound", 2)),
            "rerollable": ("failed wound", "wound"),
            "to_come": (("wounds", 2),),
            "target": (0, 3),
            "volley": 1,
            "held": (),
        },
    ),
    wh40k.RerollPolicy: (
        {"rerolls": ()},
        {"rerolls": ((wh40k.RerollState("hit", (("hit", 1),), ("hit", "miss"), target=(0, 0)), "miss"),)},
    ),
    t9a.ModelPart: (
        {"name": "Spears", "strength": 3},
        {
            "name": "Spears: [two]",
            "attacks": "2D3",
            "models": 5,
            "strength": 4,
            "armour_penetration": 2,
            "offensive_skill": 5,
            "aim": "4+",
            "agility": 6,
            "attributes": "Spear, Multiple Wounds (D3), Devastating Charge (+1 Strength, Battle Focus)",
            "bracketed": t9a.Bracketed(strength=5, armour_penetration=3, multiple_wounds="D3"),
            "at": "champion",
            "of": "champion",
            "behind": 5,
            "special": True,
        },
    ),
    t9a.Bracketed: (
        {"strength": 5, "armour_penetration": 1},
        {"strength": 6, "armour_penetration": 2, "multiple_wounds": "D6"},
    ),
    t9a.Target: (
        {"name": "Orcs", "resilience": 4},
        {
            "name": "Orcs | of the hill",
            "models": 20,
            "health_points": 3,
            "resilience": 5,
            "defensive_skill": 4,
            "armour": 3,
            "aegis": ("5+", "2+ against Magical Attacks"),
            "fortitude": "4+",
            "attributes": "Distracting, Hard Target (2)",
            "champion": 2,
            "lost": 3,
            "started_as": 25,
        },
    ),
    t9a.Unit: (
        {"target": ORCS, "parts": SPEARS},
        {
            "target": t9a.Target("Elves", models=3, defensive_skill=5, resilience=3),
            "parts": (SPEARS, SPEARS),
            "alternatives": ((SPEARS,), (SPEARS, SPEARS)),
            "discipline": 9,
            "characters": (t9a.Target("Hero", defensive_skill=6, resilience=4),),
            "charging": True,
            "rank_width": 2,
            "rank_bonus": 1,
            "standards": 2,
            "battle_standard": True,
            "flanks": 1,
            "rear": 1,
            "bonus": -1,
            "afraid": True,
            "fear": True,
            "fearless": True,
            "steadfast": False,
            "stubborn": True,
            "steady": True,
            "solid": True,
            "unbreakable": True,
            "unstable": True,
            "undead": True,
            "supernal": True,
            "modifier": -1,
            "commanding_presence": 8,
            "minimised": 1,
            "maximised": 2,
            "reroll": True,
            "situation": {"cover": "soft", "hit_modifier": -1},
        },
    ),
    Attribute: (
        {"name": "Multiple Wounds"},
        {
            "name": "Area Attack",
            "value": mh.dice("D3"),
            "area": (3, 2),
            "bonuses": (("Strength", 1),),
            "grants": (Attribute("Hatred"),),
            "inches": (8, 16),
            "against": (("Large", "Beast"), ("Fly",)),
        },
    ),
    tc.Weapon: (
        {"name": "Gun", "kind": "ranged"},
        {
            "name": "Gun (old): one",
            "kind": "grenade",
            "dice": -1,
            "injury_dice": 2,
            "injury_modifier": 1,
            "keywords": "AUTOMATIC 3, NEGATE GAS",
            "dice_off_hand": 3,
        },
    ),
    tc.Attack: (
        {"weapon": SHOTGUN},
        {
            **dict.fromkeys(("long_range", "elevated", "cover", "moved", "into_melee", "on_failure"), True),
            **dict.fromkeys(("bystander", "shaken", "reroll"), True),
            "weapon": tc.WEAPONS["Machine Gun"],
            "off_hand": True,
            "charged": True,
            "diving": True,
            "in_melee": True,
            "dice": ["+1 a hill", "-1 smoke"],
            "injury_dice": 2,
            "injury_modifier": "-1 luck",
            "ammunition": "FIRE",
        },
    ),
    tc.Activation: (
        {"attacks": (tc.Attack(weapon=SHOTGUN),)},
        {
            "attacks": (tc.Attack(weapon=SWORD), tc.Attack(weapon=SHOTGUN)),
            "attacker": tc.Attacker("Yeoman", ranged=1, keywords="CONCENTRATED ATTACK"),
            "fireteam": True,
            "partner_hit": True,
            "stands_up": False,
        },
    ),
    tc.TargetActivation: ({}, {"stands_up": False}),
    tc.Attacker: (
        {},
        {
            "name": "Yeoman",
            "ranged": 1,
            "melee": -1,
            "blood": 2,
            "blessing": 3,
            "infection": 1,
            "down": True,
            "keywords": "STRONG, BLESSED 2",
        },
    ),
    tc.Target: (
        {},
        {
            "name": "Brute",
            "armour": "reinforced",
            "shield": True,
            "characteristic": -1,
            "armour_dice": -1,
            "impervious": ("shield", "armour"),
            "injury_dice": -1,
            "injury_modifier": (ADDED,),
            "blood": 3,
            "blessing": 1,
            "infection": 2,
            "down": True,
            "tough_used": True,
            "keywords": "TOUGH, NEGATE FIRE",
        },
    ),
    tc.Decision: (
        {
            "player": "attacker",
            "attack": "1. Shotgun",
            "roll": "Injury Roll",
            "situation": "2 Blood",
            "action": "nothing",
        },
        {
            "player": "defender",
            "attack": "2. Rifle",
            "roll": "Success Roll",
            "situation": "1 Blessing of the attacker, target has 1 Blood",
            "action": "1 Blessing",
        },
    ),
    tc.SpendPolicy: (
        {"decisions": ()},
        {"decisions": (tc.Decision("attacker", "1. Shotgun", "Injury Roll", "2 Blood", "1 Blood"),)},
    ),
    tc.Fighter: (
        {"target": tc.Target("Yeoman"), "attacks": SHOTGUN},
        {
            "target": tc.Target("Brute", armour="standard"),
            "attacks": [tc.Attack(weapon=SHOTGUN, cover=True), SWORD],
            "ranged": 1,
            "melee": -1,
            "opening": SWORD,
        },
    ),
    tc.Spend: ({}, {"success": 1, "blood": 2, "infection": 3, "bloodbath": True}),
    tc.Reply: ({}, {"blood": 1, "infection": 2, "blessing": 3}),
    tc.Keyword: ({"name": "FIRE"}, {"name": "BLAST", "value": 3}),
}
#: What else a parameter's value needs, or what it excludes, beside the least arguments.
NEEDED = {
    **{(tc.Attack, name): {"weapon": SWORD} for name in ("off_hand", "charged", "diving")},
    (tc.Activation, "partner_hit"): {
        "fireteam": True,
        "attacker": tc.Attacker(keywords="CONCENTRATED ATTACK"),
    },
    (tc.Attack, "in_melee"): {"weapon": tc.Weapon("Pistol", kind="ranged", keywords="PISTOL")},
    (wh40k.Trigger, "roll"): {"wounds": False},
    (wh40k.Modifier, "unmodified"): {"when": (1,)},
    (t9a.Target, "lost"): {"models": 5},
    (t9a.Unit, "solid"): {"steady": True},
    (t9a.Unit, "characters"): {},
}

WH40K_SITUATION = {
    **dict.fromkeys(
        (
            *("half_range", "long_range", "stationary", "charged", "moved", "advanced", "target_charged"),
            *("indirect", "stealth", "smokescreen", "go_to_ground", "engaged", "plunging_fire", "damaged"),
            *("overwatch", "spotted", "divided", "target_engaged"),
        ),
        True,
    ),
    "cover": ("light", "dense"),
    "precision": False,
    "hit_modifier": -1,
    "wound_modifier": [ADDED],
    "save_modifier": ADDED,
    "modifiers": [wh40k.Modifier("worsen", 1, "smoke", of="ap", when={-1})],
    "triggers": wh40k.Trigger("hit", "unmodified 6", "Tesla", extra_hits="D3"),
    "critical_hit": "successful 5+",
    "critical_wound": 5,
    "overwatch_hits_on": 5,
    "wounds_on": 2,
    "wound_fails_up_to": 3,
    "ignore_modifiers": ["hit", "ap"],
    "reroll": "best",
    "limited_rerolls": ("damage", "hit or wound"),
    "reroll_attacks": "one",
    "reroll_hits": {1, 2},
    "reroll_wounds": "one",
    "reroll_damage": frozenset({1}),
    "reroll_saves": "failed",
}
#: A gun whose abilities several of these need.
GUN = wh40k.Weapon.parse('Gun: 24" AD3 BS3+ S5 AP-1 DD3 [RAPID FIRE 1, CONVERSION, HEAVY, INDIRECT FIRE]')


T9A_SITUATION = {
    **dict.fromkeys(
        (
            *("charging", "first_round", "in_combat", "flank_or_rear", "flanked", "long_range", "moved"),
            *("stand_and_shoot", "attacker_afraid", "target_afraid"),
        ),
        True,
    ),
    "cover": "hard",
    "width": 3,
    "depth": 2,
    "hit_modifier": -1,
    "wound_modifier": ADDED,
    "armour_modifier": [ADDED, wh40k.Modifier("subtract", 2, "rust")],
    "reroll_hits": "ones",
    "reroll_wounds": "failed",
    "reroll_armour": "ones",
    "reroll_special": "failed",
    "reroll_aegis": "ones",
}
