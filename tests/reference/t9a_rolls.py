"""Dice, tests, charges and tables of The 9th Age: Fantasy Battles; the source in each row.

Probabilities are text and compared exactly; a distribution is text of outcomes and probabilities.
"""

from __future__ import annotations

from reference.t9a_case import Case

#: From the rules, by enumerating dice or as printed there.
ROLLS = (
    Case(
        "d3",
        "The 9th Age rulebook, 2nd edition, Dice",
        {"roll": "D3"},
        {"dist": "1: 1/3, 2: 1/3, 3: 1/3", "p_natural_1": "1/6", "p_natural_6": "1/6"},
    ),
    Case(
        "3plus",
        "The 9th Age rulebook, 2nd edition, Dice",
        {"roll": "D6", "success": "3+"},
        {"p": "2/3"},
    ),
    Case(
        "3d6",
        "The 9th Age rulebook, 2nd edition, Dice",
        {"roll": "3D6"},
        {
            "dist": (
                "3: 1/216, 4: 1/72, 5: 1/36, 6: 5/108, 7: 5/72, 8: 7/72, 9: 25/216, 10: 1/8, 11: 1/8, 12: "
                "25/216, 13: 7/72, 14: 5/72, 15: 5/108, 16: 1/36, 17: 1/72, 18: 1/216 "
            ),
            "mean": "21/2",
        },
    ),
    Case(
        "d6p1",
        "The 9th Age rulebook, 2nd edition, Dice",
        {"roll": "D6+1"},
        {"dist": "2: 1/6, 3: 1/6, 4: 1/6, 5: 1/6, 6: 1/6, 7: 1/6", "mean": "9/2"},
    ),
    Case(
        "d6x2",
        "The 9th Age rulebook, 2nd edition, Dice",
        {"roll": "D6x2"},
        {"dist": "2: 1/6, 4: 1/6, 6: 1/6, 8: 1/6, 10: 1/6, 12: 1/6", "mean": "7"},
    ),
    Case(
        "reroll-failed-4plus",
        "The 9th Age rulebook, 2nd edition, Dice",
        {"roll": "D6", "success": "4+", "reroll": "failed"},
        {"p": "3/4"},
    ),
    Case(
        "aegis4-reroll-ones",
        "The 9th Age rulebook, 2nd edition, Dice",
        {"roll": "Aegis 4+", "reroll": "natural 1s"},
        {"p_pass": "7/12"},
    ),
    Case(
        "2d6-max2",
        "The 9th Age rulebook, 2nd edition, Dice",
        {"roll": "2D6", "maximised": 2},
        {
            "dist": (
                "2: 1/1296, 3: 1/324, 4: 5/432, 5: 2/81, 6: 65/1296, 7: 1/12, 8: 19/144, 9: 14/81, 10: "
                "29/144, 11: 61/324, 12: 19/144 "
            ),
            "mean": "6055/648",
            "dice_rolled": 4,
            "discard_lowest": 2,
        },
    ),
    Case(
        "2d6-max1",
        "The 9th Age rulebook, 2nd edition, Dice",
        {"roll": "2D6", "maximised": 1},
        {
            "dist": (
                "2: 1/216, 3: 1/72, 4: 7/216, 5: 1/18, 6: 19/216, 7: 1/8, 8: 17/108, 9: 1/6, 10: 17/108, "
                "11: 1/8, 12: 2/27 "
            ),
            "mean": "203/24",
            "p_ge_7": "29/36",
            "p_ge_9": "113/216",
        },
    ),
    Case(
        "2d6-min1",
        "The 9th Age rulebook, 2nd edition, Dice",
        {"roll": "2D6", "minimised": 1},
        {
            "dist": (
                "2: 2/27, 3: 1/8, 4: 17/108, 5: 1/6, 6: 17/108, 7: 1/8, 8: 19/216, 9: 1/18, 10: 7/216, 11: "
                "1/72, 12: 1/216 "
            ),
            "mean": "133/24",
            "p_le_7": "29/36",
        },
    ),
    Case(
        "2d6-max1-min1-cancel",
        "The 9th Age rulebook, dice (3rd-edition text: instances cancel one for one)",
        {"roll": "2D6", "maximised": 1, "minimised": 1, "policy": "cancel"},
        {
            "dist": (
                "2: 1/36, 3: 1/18, 4: 1/12, 5: 1/9, 6: 5/36, 7: 1/6, 8: 5/36, 9: 1/9, 10: 1/12, 11: 1/18, "
                "12: 1/36 "
            ),
            "p_ge_9": "5/18",
        },
    ),
    Case(
        "2d6-max1-min1-literal",
        "The 9th Age rulebook, 2nd edition, Dice; literal reading, roll 4D6 drop highest and lowest",
        {"roll": "2D6", "maximised": 1, "minimised": 1, "policy": "literal"},
        {
            "dist": (
                "2: 7/432, 3: 1/24, 4: 37/432, 5: 13/108, 6: 67/432, 7: 35/216, 8: 67/432, 9: 13/108, 10: "
                "37/432, 11: 1/24, 12: 7/432 "
            ),
            "p_ge_9": "19/72",
            "mean": "7",
        },
    ),
    Case(
        "d6-max1",
        "2nd edition army books (BSData/The-9th-Age): Stomp hits under Maximised Roll",
        {"roll": "D6", "maximised": 1},
        {"dist": "1: 1/36, 2: 1/12, 3: 5/36, 4: 7/36, 5: 1/4, 6: 11/36", "mean": "161/36"},
    ),
    Case(
        "d3-max1",
        "The 9th Age rulebook, 2nd edition, Dice and ruling",
        {"roll": "D3", "maximised": 1},
        {"dist": "1: 1/9, 2: 1/3, 3: 5/9", "mean": "22/9"},
    ),
    Case(
        "char-test-9",
        "The 9th Age rulebook, characteristic-tests",
        {"test": "characteristic", "value": 9},
        {"p_pass": "5/6"},
    ),
    Case(
        "disc-7",
        "The 9th Age rulebook, discipline-tests; The 9th Age rulebook, 2nd edition, Dice; BSData Rally Around the Flag",
        {"test": "discipline", "value": 7},
        {"p_pass": "7/12", "p_pass_min1": "29/36", "p_pass_max1": "23/72", "p_pass_reroll_failed": "119/144"},
    ),
    Case(
        "charge-4-11",
        "The 9th Age rulebook, move-chargers; 2nd edition (BSData/The-9th-Age), Swiftstride",
        {"test": "charge", "advance": 4, "distance": 11},
        {"p": "7/12", "p_swiftstride": "29/36", "p_swiftstride_plus_one_minimised_cancel": "7/12"},
    ),
    Case(
        "charge-champion-7-11",
        "The 9th Age rulebook, ordering-the-charge",
        {"test": "charge", "advance": 7, "distance": 11, "ordering_the_charge": True},
        {"p": "1", "p_without": "11/12"},
    ),
    Case(
        "break-8-3",
        "The 9th Age rulebook, break-test",
        {"test": "break", "discipline": 8, "lost_by": 3},
        {"p_pass": "5/18", "p_pass_reroll": "155/324", "p_pass_steadfast": "13/18", "p_pass_min1": "113/216"},
    ),
    Case(
        "tohit-published",
        "The 9th Age rulebook, rolling-to-hit",
        {"off": 3, "def": [2, 8], "edition": "2e"},
        {"needs": [3, 5]},
    ),
    Case(
        "melee-mod--4",
        "The 9th Age rulebook, rolling-to-hit",
        {"off": 5, "def": 4, "to_hit_modifier": -4},
        {"need": 7, "p_hit": "1/6"},
    ),
    Case(
        "shoot-4--3",
        "The 9th Age rulebook, hopeless-shots (2e), to-hit-modifiers (3e)",
        {"aim": "4+", "modifiers": -3},
        {"need": 7, "p_hit_2e": "1/12", "p_hit_3e": "0"},
    ),
    Case(
        "shoot-4--4",
        "The 9th Age rulebook, hopeless-shots (2e), to-hit-modifiers (3e)",
        {"aim": "4+", "modifiers": -4},
        {"need": 8, "p_hit_2e": "0", "p_hit_3e": "0"},
    ),
    Case(
        "trolls-pool",
        "The 9th Age rulebook, r&f-models",
        {"model_hp": 3, "models": 10, "losses": [7, 2]},
        {"models_removed": [2, 1], "left_over": [1, 0]},
    ),
    Case(
        "modifier-order",
        "The 9th Age rulebook, priority-of-modifiers (2e)",
        {"value": 3, "modifiers": ["+1", "half"]},
        {"result": 3},
    ),
    Case(
        "modifier-order-limit",
        "The 9th Age rulebook, modifiers (3rd-edition text)",
        {"value": 3, "modifiers": ["+2 to a maximum of 4"], "edition": "3e"},
        {"result": 4},
    ),
    Case(
        "set-then-add",
        "The 9th Age rulebook, priority-of-modifiers",
        {"value": 5, "modifiers": ["set to 3", "+1", "x2"]},
        {"result": 7},
    ),
    Case(
        "panic-threshold-8",
        "The 9th Age rulebook, panic-test, panic-tests",
        {"health_points_at_phase_start": 8},
        {"losses_needed_2e": 2, "losses_needed_3e": 3},
    ),
    Case(
        "break-steady-3e",
        "The 9th Age rulebook, determine-the-winner, take-break-test (3rd-edition text)",
        {"test": "break", "edition": "3e", "courage": 8, "lost_by": 5},
        {"p_pass": "1/12", "p_pass_steady": "5/12", "p_pass_steady_and_solid": "13/18"},
    ),
)

#: What other programs and players published.
PUBLISHED = (
    Case(
        "tohit-+4",
        "xstraza/t9a_simulator and billrobertson42/ninthodds, the same tables",
        {"offensive_minus_defensive": 4},
        {"need": 2},
    ),
    Case(
        "tohit-+1",
        "xstraza/t9a_simulator and billrobertson42/ninthodds, the same tables",
        {"offensive_minus_defensive": 1},
        {"need": 3},
    ),
    Case(
        "tohit-+0",
        "xstraza/t9a_simulator and billrobertson42/ninthodds, the same tables",
        {"offensive_minus_defensive": 0},
        {"need": 4},
    ),
    Case(
        "tohit--3",
        "xstraza/t9a_simulator and billrobertson42/ninthodds, the same tables",
        {"offensive_minus_defensive": -3},
        {"need": 4},
    ),
    Case(
        "tohit--7",
        "xstraza/t9a_simulator and billrobertson42/ninthodds, the same tables",
        {"offensive_minus_defensive": -7},
        {"need": 5},
    ),
    Case(
        "tohit--8",
        "xstraza/t9a_simulator and billrobertson42/ninthodds, the same tables",
        {"offensive_minus_defensive": -8},
        {"need": 6},
    ),
    Case(
        "towound-+3",
        "xstraza/t9a_simulator and billrobertson42/ninthodds, the same tables",
        {"strength_minus_resilience": 3},
        {"need": 2},
    ),
    Case(
        "towound-+2",
        "xstraza/t9a_simulator and billrobertson42/ninthodds, the same tables",
        {"strength_minus_resilience": 2},
        {"need": 2},
    ),
    Case(
        "towound-+0",
        "xstraza/t9a_simulator and billrobertson42/ninthodds, the same tables",
        {"strength_minus_resilience": 0},
        {"need": 4},
    ),
    Case(
        "towound--1",
        "xstraza/t9a_simulator and billrobertson42/ninthodds, the same tables",
        {"strength_minus_resilience": -1},
        {"need": 5},
    ),
    Case(
        "readme-10-attacks",
        "billrobertson42/ninthodds README (question)",
        {"attacks": 10, "offensive_minus_defensive": 0, "strength_minus_resilience": 0},
        {"p_2": "295245/1048576", "p_3": "32805/131072", "p_2_or_3": "557685/1048576"},
    ),
    Case(
        "poison-4+5+-reroll-hits",
        "billrobertson42/ninthodds melee.cljs",
        {"to_hit": 4, "to_wound": 5, "poison": True, "reroll_failed_hits": True},
        {"p_wound": "5/12"},
    ),
)
