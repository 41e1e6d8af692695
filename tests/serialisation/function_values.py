"""For every parameter of every function whose result is written, a value that is not the default."""

from __future__ import annotations

from field_values import ADDED, BRUTE, CAPTAIN, GUN, MARINES, ORCS, RIFLE, SHOTGUN, SPEARS, SWORD

import mathhammer as mh
from mathhammer import t9a, wh40k
from mathhammer import trench_crusade as tc
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION

FIRST = wh40k.attack(RIFLE, MARINES, exact=True)
LED = wh40k.TargetUnit("Led", [MARINES], leaders=[CAPTAIN])
SPREAD = [t9a.Unit(ORCS, SPEARS, rank_width=2), t9a.Unit(ORCS, SPEARS, charging=True, discipline=6)]
MORTAR = tc.Attack(weapon=tc.Weapon("Mortar", kind="ranged", keywords="SCATTER, BLAST 3"))
GRENADE = tc.Attack(weapon=tc.WEAPONS["Frag Grenade"])
LONE = t9a.Unit(t9a.Target("Hero", defensive_skill=3, resilience=3), SPEARS)
BRAWLER = wh40k.Combatant(
    wh40k.Target("Brawler", toughness=4, save=None, wounds=1, points=10), melee=["Axe: A1 WS4+ S4 AP0 D1"]
)
GUNNERS = wh40k.Combatant(MARINES, shooting=RIFLE, leadership="6+")
MELEE = {"stages": ["charge", "fight"], "distance": 7}
SWORDSMAN = tc.Fighter(BRUTE, SWORD)
#: Of the editions with hazards and battle-shock the one that is not the default.
_OTHER = next(name for name in ("11e", "10e") if name != DEFAULT_EDITION)
_T9A = {"edition": "3e", "rulings": {"special_saves": "each"}, "exact": True}
#: A ruling of the default edition, decided otherwise.
_CHOSEN = {ruling.name: ruling.options[1] for ruling in wh40k.EDITIONS[DEFAULT_EDITION].rulings[:1]}
#: What else a function's argument needs; None takes one away.
FUNCTION_NEEDS = {
    ("charge", "random_movement"): {"advance": None},
    **{
        (name, "rulings"): {"rulings": {"reroll_of_maximised": "kept-dice"}}
        for name in ("charge", "break_test", "discipline_test", "characteristic_test")
    },
    ("charge", "skies"): {"edition": "11e"},
    ("turn", "skies"): {"edition": "11e"},
    ("turn", "start"): {"stages": ["shoot"], "attacker": GUNNERS, "defender": GUNNERS},
    ("charge", "into_the_fray"): {"edition": "11e"},
    ("desperate_escape", "leadership"): {"edition": "11e"},
    ("break_test", "steady"): {"edition": "3e"},
    ("break_test", "solid"): {"edition": "3e"},
    ("fight", "duel"): {"first": LONE, "second": LONE},
    ("attack", "initiative"): {"spend": "best"},
    ("attack", "bearers"): {
        "edition": "10e",
        "weapons": wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]"),
    },
    ("blast", "scattered"): {"attack": MORTAR},
}
#: Of each function its least arguments, and for every parameter a value that is not the default.
FUNCTIONS = {
    ("40k", "attack"): (
        {"weapons": RIFLE, "target": MARINES},
        {
            "weapons": [wh40k.Volley(RIFLE, 2), wh40k.MortalWounds("D3", "Hex"), GUN],
            "target": LED,
            "count": 3,
            "edition": "9e",
            "rulings": _CHOSEN,
            "exact": True,
            "start": FIRST,
            "bearers": CAPTAIN,
            "objective": "points",
            "order": "best",
            "situation": {"cover": True},
        },
    ),
    ("40k", "activation"): (
        {"weapons": RIFLE, "target": MARINES},
        {
            "weapons": [wh40k.Volley(RIFLE, 2), GUN],
            "target": LED,
            "edition": "9e",
            "rulings": _CHOSEN,
            "exact": True,
            "start": FIRST,
            "objective": "wounds_lost",
            "situation": {"cover": True},
        },
    ),
    ("40k", "mortal_wounds"): (
        {"number": 2, "target": MARINES},
        {
            "number": wh40k.MortalWounds("D6", "Hex"),
            "target": CAPTAIN,
            "exact": True,
            "edition": "9e",
            "start": FIRST,
        },
    ),
    ("40k", "hazardous"): (
        {"weapons": wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]"), "bearers": MARINES},
        {
            "weapons": [wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]"), RIFLE],
            "bearers": LED,
            "count": 3,
            "fails_up_to": 3,
            "command_reroll": True,
            "edition": _OTHER,
            "exact": True,
            "start": wh40k.hazardous(
                wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]"), MARINES, exact=True
            ),
        },
    ),
    ("40k", "desperate_escape"): (
        {"unit": MARINES},
        {
            "unit": LED,
            "leadership": ("7+", 8),
            "fails_up_to": 3,
            "command_reroll": True,
            "edition": _OTHER,
            "exact": True,
        },
    ),
    ("40k", "charge"): (
        {"distance": 9},
        {
            "distance": 8,
            "more_than": True,
            "modifier": 1,
            "skies": True,
            "into_the_fray": True,
            "reroll": True,
            "edition": "9e",
            "exact": True,
        },
    ),
    ("40k", "battle_shock"): (
        {"leadership": 7},
        {
            "leadership": ("7+", 8),
            "modifier": 1,
            "worsen": 1,
            "reroll": True,
            "edition": _OTHER,
            "exact": True,
        },
    ),
    ("40k", "turn"): (
        {"attacker": BRAWLER, "defender": BRAWLER, **MELEE},
        {
            "attacker": GUNNERS,
            "defender": GUNNERS,
            "stages": ["overwatch", "charge", "attacker fights"],
            "distance": 9,
            "more_than": True,
            "charge_modifier": 1,
            "skies": True,
            "charge_reroll": True,
            "engaged": True,
            "best": ["charge", "charge re-roll"],
            "objective": "points",
            "edition": _OTHER,
            "rulings": _CHOSEN,
            "exact": True,
            "start": FIRST,
        },
    ),
    ("40k", "fast_roll_check"): (
        {"weapons": RIFLE, "target": MARINES},
        {
            "weapons": [wh40k.Volley(RIFLE, 2), GUN],
            "target": LED,
            "count": 3,
            "edition": "9e",
            "rulings": {"save_cap": "gross"},
            "exact": True,
            "situation": {"cover": True},
        },
    ),
    ("t9a", "attack"): (
        {"parts": SPEARS, "target": ORCS},
        {
            "parts": [SPEARS, SPEARS],
            "target": t9a.Target("Elves", models=3, defensive_skill=5, resilience=3),
            "start": t9a.attack(SPEARS, ORCS, exact=True),
            "situation": {"charging": True},
            **_T9A,
        },
    ),
    ("t9a", "fight"): (
        {"first": SPREAD[0], "second": SPREAD[0]},
        {
            "first": SPREAD[1],
            "second": SPREAD[1],
            "first_round": False,
            "duel": True,
            "best": "second",
            "objective": "hold",
            **_T9A,
        },
    ),
    ("t9a", "rounds_of_combat"): (
        {"first": SPREAD[0], "second": SPREAD[0]},
        {
            "first": SPREAD[1],
            "second": SPREAD[1],
            "rounds": 2,
            "pursue": True,
            "first_swiftstride": True,
            "second_swiftstride": True,
            "best": "both",
            "objective": "health points",
            **_T9A,
        },
    ),
    ("t9a", "charge"): (
        {"distance": 11, "advance": 4},
        {
            "distance": 9,
            "advance": 5,
            "swiftstride": True,
            "maximised": 1,
            "minimised": 2,
            "champion": True,
            "reroll": True,
            "random_movement": mh.dice("3D6"),
            **_T9A,
        },
    ),
    ("t9a", "break_test"): (
        {"discipline": 7, "lost_by": 3},
        {
            "discipline": 8,
            "lost_by": 1,
            "steadfast": True,
            "stubborn": True,
            "steady": True,
            "solid": True,
            "unbreakable": True,
            "modifier": -1,
            "commanding_presence": 9,
            "minimised": 1,
            "maximised": 2,
            "reroll": True,
            **_T9A,
        },
    ),
    ("t9a", "discipline_test"): (
        {"discipline": 7},
        {
            "discipline": 8,
            "modifier": -1,
            "commanding_presence": 9,
            "minimised": 1,
            "maximised": 2,
            "reroll": True,
            **_T9A,
        },
    ),
    ("t9a", "characteristic_test"): ({"value": 4}, {"value": (2, 3), "reroll": True, **_T9A}),
    ("tc", "attack"): (
        {"attacks": SHOTGUN, "target": BRUTE},
        {
            "attacks": [tc.Attack(weapon=SHOTGUN, cover=True), tc.TargetActivation(), SWORD],
            "target": tc.Target(armour="reinforced"),
            "attacker": tc.Attacker("Yeoman", ranged=1),
            "spend": "best",
            "reply": [tc.Reply(blessing=1)],
            "objective": "down or worse",
            "spends_first": "attacker",
            "initiative": "defender",
            "edition": "beta_2026_04",
            "rulings": {"down_bonus": "all"},
            "exact": True,
            "situation": {"cover": True},
        },
    ),
    ("tc", "blast"): (
        {"attack": GRENADE, "targets": [BRUTE]},
        {
            "attack": tc.Attack(weapon=tc.WEAPONS["Gas Grenade"], cover=True),
            "targets": [BRUTE, tc.Target(armour="reinforced")],
            "attacker": tc.Attacker("Yeoman", ranged=1),
            "scattered": {1: [0], 2: ()},
            "spend": tc.Spend(blood=1),
            "reply": tc.Reply(blessing=1),
            "edition": "beta_2026_04",
            "rulings": {"down_bonus": "all"},
            "exact": True,
        },
    ),
    ("tc", "exchange"): (
        {"first": SWORDSMAN, "second": SWORDSMAN, "activations": 1},
        {
            "first": tc.Fighter(tc.Target("Yeoman"), SHOTGUN),
            "second": [SWORDSMAN, tc.Fighter(tc.Target("Yeoman"), SHOTGUN, opening=SWORD)],
            "activations": 2,
            "first_spend": tc.Spend(blood=1),
            "second_spend": tc.Spend(blood=1),
            "first_reply": tc.Reply(blessing=1),
            "second_reply": tc.Reply(blessing=1),
            "edition": "beta_2026_04",
            "rulings": {"down_bonus": "all"},
            "exact": True,
        },
    ),
    ("tc", "success_roll"): ({}, {"dice": ["+2 elevated", "-1 cover"], "reroll": True, "exact": True}),
    ("tc", "injury_roll"): (
        {},
        {
            "dice": "+1 Blood",
            "modifier": -2,
            "keywords": "DEADLY",
            "bloodbath": True,
            "rulings": {"deadly": "bloodbath-only"},
            "exact": True,
        },
    ),
    ("tc", "bloodbath_roll"): (
        {},
        {
            "dice": ADDED,
            "modifier": "-1 Standard Armour",
            "keywords": "DEADLY",
            "rulings": {"deadly": "bloodbath-only"},
            "exact": True,
        },
    ),
    ("tc", "morale"): (
        {"models": 5},
        {
            "models": 6,
            "leader": True,
            "leader_later": True,
            "dice": -1,
            "down": True,
            "rulings": {"down_own_rolls": "morale-too"},
            "exact": True,
        },
    ),
}
