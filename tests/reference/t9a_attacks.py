"""Attacks of The 9th Age: Fantasy Battles, computed by enumerating dice; the source of each rule in its row.

Probabilities are text and compared exactly; a distribution is text of outcomes and probabilities.
"""

from __future__ import annotations

from reference.t9a_case import Case

#: Skills and needs as inputs; what is not named is 0, absent or off.
ATTACKS = (
    Case(
        "seq-basic",
        "The 9th Age rulebook, attack-sequence",
        {"attacks": 5, "to_hit": 3, "kind": "melee", "strength": 3, "res": 3, "arm": 2, "ap": 0},
        {
            "per_attack": "0: 7/9, 1: 2/9",
            "mean_per_attack": "2/9",
            "mean_total": "10/9",
            "total": (
                "0: 16807/59049, 1: 24010/59049, 2: 13720/59049, 3: 3920/59049, 4: 560/59049, 5: 32/59049 "
            ),
        },
    ),
    Case(
        "seq-aegis",
        "The 9th Age rulebook, saves; 2nd edition (BSData/The-9th-Age), Aegis",
        {"attacks": 4, "to_hit": 4, "kind": "melee", "strength": 4, "res": 4, "arm": 3, "ap": 1, "aegis": 5},
        {
            "per_attack": "0: 8/9, 1: 1/9",
            "mean_per_attack": "1/9",
            "mean_total": "4/9",
            "total": "0: 4096/6561, 1: 2048/6561, 2: 128/2187, 3: 32/6561, 4: 1/6561",
        },
    ),
    Case(
        "seq-divine",
        "2nd edition (BSData/The-9th-Age), Divine Attacks",
        {
            "attacks": 1,
            "to_hit": 4,
            "kind": "melee",
            "strength": 4,
            "res": 4,
            "arm": 0,
            "ap": 0,
            "aegis": 4,
            "divine": True,
        },
        {"per_attack": "0: 13/16, 1: 3/16", "mean_per_attack": "3/16", "mean_total": "3/16"},
    ),
    Case(
        "poison",
        "2nd edition (BSData/The-9th-Age), Poison Attacks",
        {
            "attacks": 6,
            "to_hit": 4,
            "kind": "melee",
            "strength": 3,
            "res": 4,
            "arm": 0,
            "ap": 0,
            "poison": True,
        },
        {
            "per_attack": "0: 13/18, 1: 5/18",
            "mean_per_attack": "5/18",
            "mean_total": "5/3",
            "total": (
                "0: 4826809/34012224, 1: 1856465/5668704, 2: 3570125/11337408, 3: 1373125/8503056, 4: "
                "528125/11337408, 5: 40625/5668704, 6: 15625/34012224 "
            ),
        },
    ),
    Case(
        "poison-armour",
        "2nd edition (BSData/The-9th-Age), Poison Attacks",
        {
            "attacks": 1,
            "to_hit": 4,
            "kind": "melee",
            "strength": 3,
            "res": 4,
            "arm": 3,
            "ap": 1,
            "poison": True,
        },
        {"per_attack": "0: 22/27, 1: 5/27", "mean_per_attack": "5/27", "mean_total": "5/27"},
    ),
    Case(
        "battle-focus",
        "2nd edition (BSData/The-9th-Age), Battle Focus",
        {
            "attacks": 3,
            "to_hit": 4,
            "kind": "melee",
            "strength": 4,
            "res": 4,
            "arm": 2,
            "ap": 0,
            "battle_focus": True,
        },
        {
            "per_attack": "0: 43/54, 1: 5/27, 2: 1/54",
            "mean_per_attack": "2/9",
            "mean_total": "2/3",
            "total": (
                "0: 79507/157464, 1: 9245/26244, 2: 6149/52488, 3: 895/39366, 4: 143/52488, 5: 5/26244, 6: "
                "1/157464 "
            ),
        },
    ),
    Case(
        "battle-focus-poison",
        "2nd edition (BSData/The-9th-Age), Poison Attacks (only one of the hits auto-wounds)",
        {
            "attacks": 1,
            "to_hit": 4,
            "kind": "melee",
            "strength": 3,
            "res": 5,
            "arm": 0,
            "ap": 0,
            "battle_focus": True,
            "poison": True,
        },
        {"per_attack": "0: 7/9, 1: 7/36, 2: 1/36", "mean_per_attack": "1/4", "mean_total": "1/4"},
    ),
    Case(
        "lethal",
        "2nd edition (BSData/The-9th-Age), Lethal Strike",
        {
            "attacks": 1,
            "to_hit": 4,
            "kind": "melee",
            "strength": 4,
            "res": 4,
            "arm": 4,
            "ap": 1,
            "lethal": True,
        },
        {"per_attack": "0: 5/6, 1: 1/6", "mean_per_attack": "1/6", "mean_total": "1/6"},
    ),
    Case(
        "lethal-fortitude",
        "2nd edition (BSData/The-9th-Age), Lethal Strike, Fortitude",
        {
            "attacks": 1,
            "to_hit": 3,
            "kind": "melee",
            "strength": 3,
            "res": 4,
            "arm": 3,
            "ap": 0,
            "lethal": True,
            "fort": 5,
        },
        {"per_attack": "0: 23/27, 1: 4/27", "mean_per_attack": "4/27", "mean_total": "4/27"},
    ),
    Case(
        "poison-lethal",
        "2nd edition (BSData/The-9th-Age), Poison + Lethal and ruling",
        {
            "attacks": 1,
            "to_hit": 4,
            "kind": "melee",
            "strength": 4,
            "res": 4,
            "arm": 4,
            "ap": 1,
            "lethal": True,
            "poison": True,
        },
        {"per_attack": "0: 29/36, 1: 7/36", "mean_per_attack": "7/36", "mean_total": "7/36"},
    ),
    Case(
        "hatred",
        "2nd edition (BSData/The-9th-Age), Hatred",
        {
            "attacks": 4,
            "to_hit": 4,
            "kind": "melee",
            "reroll": "failed",
            "strength": 3,
            "res": 3,
            "arm": 1,
            "ap": 0,
        },
        {
            "per_attack": "0: 11/16, 1: 5/16",
            "mean_per_attack": "5/16",
            "mean_total": "5/4",
            "total": "0: 14641/65536, 1: 6655/16384, 2: 9075/32768, 3: 1375/16384, 4: 625/65536",
        },
    ),
    Case(
        "hatred-battle-focus",
        "2nd edition (BSData/The-9th-Age), Hatred + Battle Focus",
        {
            "attacks": 1,
            "to_hit": 4,
            "kind": "melee",
            "reroll": "failed",
            "strength": 4,
            "res": 4,
            "arm": 0,
            "ap": 0,
            "battle_focus": True,
        },
        {"per_attack": "0: 9/16, 1: 3/8, 2: 1/16", "mean_per_attack": "1/2", "mean_total": "1/2"},
    ),
    Case(
        "flaming-flammable",
        "2nd edition (BSData/The-9th-Age), Flaming Attacks, Flammable",
        {
            "attacks": 1,
            "to_hit": 4,
            "kind": "melee",
            "strength": 3,
            "res": 5,
            "arm": 0,
            "ap": 0,
            "flaming": True,
            "flammable": True,
            "fort": 4,
        },
        {"per_attack": "0: 61/72, 1: 11/72", "mean_per_attack": "11/72", "mean_total": "11/72"},
    ),
    Case(
        "toxic",
        "2nd edition (BSData/The-9th-Age), Toxic Attacks",
        {"attacks": 3, "to_hit": 4, "kind": "shoot", "strength": 3, "res": 5, "arm": 6, "ap": 10},
        {
            "per_attack": "0: 11/12, 1: 1/12",
            "mean_per_attack": "1/12",
            "mean_total": "1/4",
            "total": "0: 1331/1728, 1: 121/576, 2: 11/576, 3: 1/1728",
        },
    ),
    Case(
        "mw-d3",
        "2nd edition (BSData/The-9th-Age), Multiple Wounds",
        {
            "attacks": 1,
            "to_hit": 4,
            "kind": "melee",
            "strength": 5,
            "res": 4,
            "arm": 0,
            "ap": 0,
            "mw": "D3",
            "hp": 3,
        },
        {"per_attack": "0: 2/3, 1: 1/9, 2: 1/9, 3: 1/9", "mean_per_attack": "2/3", "mean_total": "2/3"},
    ),
    Case(
        "mw-d6-trolls",
        "2nd edition (BSData/The-9th-Age), Multiple Wounds (published: a 5 against HP 3 counts 3)",
        {"attacks": 1, "to_hit": 0, "kind": "auto", "to_wound": 2, "arm": 0, "ap": 0, "mw": "D6", "hp": 3},
        {"per_attack": "0: 1/6, 1: 5/36, 2: 5/36, 3: 5/9", "mean_per_attack": "25/12", "mean_total": "25/12"},
    ),
    Case(
        "mw-2-hp1",
        "2nd edition (BSData/The-9th-Age), Multiple Wounds",
        {"attacks": 1, "to_hit": 4, "kind": "melee", "strength": 4, "res": 4, "mw": 2, "hp": 1},
        {"per_attack": "0: 3/4, 1: 1/4", "mean_per_attack": "1/4", "mean_total": "1/4"},
    ),
    Case(
        "mw-d3-pool",
        "The 9th Age rulebook, r&f-models + Multiple Wounds",
        {
            "attacks": 3,
            "to_hit": 0,
            "kind": "auto",
            "to_wound": 2,
            "arm": 0,
            "ap": 0,
            "mw": "D3",
            "hp": 3,
            "health_pool": 6,
            "model_hp": 3,
            "already_lost": 0,
        },
        {
            "per_attack": "0: 1/6, 1: 5/18, 2: 5/18, 3: 5/18",
            "mean_per_attack": "5/3",
            "mean_total": "5",
            "total": (
                "0: 1/216, 1: 5/216, 2: 5/81, 3: 355/2916, 4: 175/972, 5: 50/243, 6: 275/1458, 7: 125/972, "
                "8: 125/1944, 9: 125/5832 "
            ),
            "hp_lost_pool": "0: 1/216, 1: 5/216, 2: 5/81, 3: 355/2916, 4: 175/972, 5: 50/243, 6: 1175/2916",
            "models_removed": "0: 29/324, 1: 370/729, 2: 1175/2916",
        },
    ),
    Case(
        "mw-d3-pool-prelost",
        "The 9th Age rulebook, r&f-models + Multiple Wounds",
        {
            "attacks": 2,
            "to_hit": 0,
            "kind": "auto",
            "to_wound": 2,
            "arm": 0,
            "ap": 0,
            "mw": "D3",
            "hp": 3,
            "health_pool": 8,
            "model_hp": 3,
            "already_lost": 1,
        },
        {
            "per_attack": "0: 1/6, 1: 5/18, 2: 5/18, 3: 5/18",
            "mean_per_attack": "5/3",
            "mean_total": "10/3",
            "total": "0: 1/36, 1: 5/54, 2: 55/324, 3: 20/81, 4: 25/108, 5: 25/162, 6: 25/324",
            "hp_lost_pool": "0: 1/36, 1: 5/54, 2: 55/324, 3: 20/81, 4: 25/108, 5: 25/162, 6: 25/324",
            "models_removed": "0: 13/108, 1: 35/54, 2: 25/108",
        },
    ),
    Case(
        "crush",
        "2nd edition (BSData/The-9th-Age), Crush Attack",
        {
            "attacks": 1,
            "to_hit": 3,
            "kind": "melee",
            "strength": 10,
            "res": 5,
            "arm": 4,
            "ap": 10,
            "mw": "D3+1",
            "hp": 4,
        },
        {"per_attack": "0: 4/9, 2: 5/27, 3: 5/27, 4: 5/27", "mean_per_attack": "5/3", "mean_total": "5/3"},
    ),
    Case(
        "breath",
        "2nd edition (BSData/The-9th-Age), Breath Attack",
        {"strength": 4, "res": 3, "arm": 2, "ap": 1},
        {
            "mean_hits": "7",
            "mean": "35/9",
            "dist": (
                "0: 44494839844/2541865828329, 1: 65014255670/847288609443, 2: 514806409675/3389154437772, "
                "3: 1005775748125/5083731656658, 4: 225417026875/1129718145924, 5: "
                "45427371875/282429536481, 6: 355804484375/3389154437772, 7: 31603984375/564859072962, 8: "
                "27323828125/1129718145924, 9: 20779296875/2541865828329, 10: 6806640625/3389154437772, 11: "
                "537109375/1694577218886, 12: 244140625/10167463313316 "
            ),
        },
    ),
    Case(
        "impact-d6p1",
        "2nd edition (BSData/The-9th-Age), Impact Hits",
        {"strength": 5, "res": 3, "arm": 3, "ap": 2},
        {
            "mean_hits": "9/2",
            "mean": "25/8",
            "dist": (
                "0: 10527052151/470184984576, 1: 58260366175/470184984576, 2: 37146610625/156728328192, 3: "
                "105803046875/470184984576, 4: 89789453125/470184984576, 5: 20224609375/156728328192, 6: "
                "27587890625/470184984576, 7: 6103515625/470184984576 "
            ),
        },
    ),
    Case(
        "stomp-d6-max",
        "2nd edition army books (BSData/The-9th-Age): Stomp under Maximised Roll",
        {"strength": 5, "res": 3, "arm": 2, "ap": 2},
        {
            "mean_hits": "161/36",
            "mean": "805/216",
            "dist": (
                "0: 13061/1679616, 1: 4195/69984, 2: 77875/559872, 3: 11125/52488, 4: 143125/559872, 5: "
                "15625/69984, 6: 171875/1679616 "
            ),
        },
    ),
    Case(
        "grind-2d3",
        "2nd edition (BSData/The-9th-Age), Grind Attacks (2D3)",
        {"strength": 4, "res": 4, "arm": 1, "ap": 1},
        {
            "mean_hits": "4",
            "mean": "2",
            "dist": "0: 49/576, 1: 77/288, 2: 191/576, 3: 31/144, 4: 47/576, 5: 5/288, 6: 1/576",
        },
    ),
    Case(
        "longbows-15",
        "The 9th Age rulebook, 2nd edition, hopeless-shots, panic-test; Longbow (BSData/The-9th-Age)",
        {
            "attacks": 15,
            "to_hit": 5,
            "kind": "shoot",
            "strength": 3,
            "res": 3,
            "arm": 1,
            "ap": 0,
            "target_health_points": 20,
        },
        {
            "per_attack": "0: 31/36, 1: 5/36",
            "mean_total": "25/12",
            "p_at_least_5_losses_25_percent": "10266875876316572040625/221073919720733357899776",
            "p_0": "23465261991844685929951/221073919720733357899776",
        },
    ),
    Case(
        "two-special-saves",
        "The 9th Age rulebook, saves and ruling",
        {"hits": 1, "to_wound": 4, "arm": 0, "ap": 0, "aegis": 5, "fort": 4},
        {"unsaved": "1/4", "unsaved_if_flaming": "1/3"},
    ),
)
