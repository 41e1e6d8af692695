"""For every parameter of every function whose result is written, a value that is not the default."""

from __future__ import annotations

from field_values import ADDED, AXE, BRUTE, CAPTAIN, GUN, MARINES, ORCS, RIFLE, SHOTGUN, SPEARS, SWORD, read  # noqa: F401

import mathhammer as mh  # noqa: F401 - named in functions.txt
from mathhammer import aos, t9a, wh40k
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
_AOS = {"edition": "4e-2024", "rulings": {"reroll_sum": "any", "two_hits_damage": "one-roll"}, "exact": True}
GUARDS = aos.Unit("Guards: 3 models, Health 2, Save 4+", AXE)
_T9A = {"edition": "3e", "rulings": {"special_saves": "each"}, "exact": True}
#: A ruling of the default edition, decided otherwise.
_CHOSEN = {ruling.name: ruling.options[1] for ruling in wh40k.EDITIONS[DEFAULT_EDITION].rulings[:1]}
_TESTS = ("break", "characteristic", "discipline", "fear", "panic", "rally")
#: What else a function's argument needs; None takes one away.
FUNCTION_NEEDS = {
    ("charge", "random_movement"): {"advance": None},
    ("attack", "rage_dice"): {"user": aos.TARGETS["GOD"]},
    **{
        (name, "rulings"): {"rulings": {"reroll_of_maximised": "kept-dice"}}
        for name in ("charge", *(f"{each}_test" for each in _TESTS))
    },
    ("charge", "skies"): {"edition": "11e"},
    ("turn", "skies"): {"edition": "11e"},
    ("turn", "start"): {"stages": ["shoot"], "attacker": GUNNERS, "defender": GUNNERS},
    ("charge", "into_the_fray"): {"edition": "11e"},
    ("desperate_escape", "leadership"): {"edition": "11e"},
    ("break_test", "steady"): {"edition": "3e"},
    ("break_test", "solid"): {"edition": "3e"},
    ("fight", "duel"): {"first": LONE, "second": LONE},
    **{(name, "objective"): {"best": "first"} for name in ("fight", "rounds_of_combat")},
    ("attack", "initiative"): {"spend": "best"},
    ("attack", "bearers"): {
        "edition": "10e",
        "weapons": wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]"),
    },
    ("blast", "scattered"): {"attack": MORTAR},
}
#: Of each function its least arguments, and for every parameter a value that is not the default.
FUNCTIONS = {tuple(key.split()): each for key, each in read("functions.txt", globals()).items()}
#: What one game's needs where another's function of that name needs something else.
OWN_NEEDS = {
    ("aos", "charge", "rulings"): {"rulings": {"reroll_sum": "any"}},
    ("tc", "charge", "rulings"): {"rulings": {"down_bonus": "all"}},
}
