"""A valid call, and objects to make calls with."""

from __future__ import annotations

from typing import Any, NamedTuple

from tenth import analysis, wh40k

import mathhammer
from mathhammer import t9a
from mathhammer import trench_crusade as tc
from mathhammer.rosters import sample_army


class Call(NamedTuple):
    """A valid call, of which one argument after another is replaced."""

    function: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


def call(function: Any, *arguments: Any, **keywords: Any) -> Call:
    return Call(function, arguments, keywords)


RIFLE = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1')
BLADE = wh40k.Weapon.parse("Blade: A2 WS3+ S4 AP-1 D1 [HAZARDOUS]")
MARINES = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=3, points=60)
CAPTAIN = wh40k.Target("Captain", toughness=4, save="3+", wounds=5, points=80)
BEARER = wh40k.Target("Bearer", toughness=4, save="3+", wounds=2, models=3, keywords="Infantry")
FIRST = wh40k.attack(RIFLE, MARINES)
MIXED = wh40k.attack(RIFLE, wh40k.TargetUnit("Squad", [MARINES], [CAPTAIN]))
ARMY = sample_army()
NAMES = [unit.name for unit in ARMY.units]
DIE = mathhammer.dice("D6")
DISTRIBUTION = mathhammer.distribution("2D6")
JOINT = FIRST.state
BRAWLER = wh40k.Combatant(MARINES, melee="3x Axe: A1 WS4+ S4 AP0 D1")
GRID = analysis.grid({"rifle": analysis.Attacker("rifle", wh40k.Volley(RIFLE, 5), points=80)}, "MEQ")
SWEEP = analysis.sweep(RIFLE, "MEQ", {"toughness": (3, 4)})

SPEARS = t9a.ModelPart("Spears", attacks=1, models=4, strength=3, offensive_skill=3)
ORCS = t9a.Target("Orcs", models=4, resilience=4, defensive_skill=3)
REGIMENT = t9a.Unit(ORCS, SPEARS)
T9A = t9a.attack(SPEARS, ORCS)

GUN = tc.WEAPONS["Shotgun"]
SHOT = tc.Attack(weapon=GUN)
YEOMAN = tc.Target("Yeoman")

RULES: dict[str, Any] = {"rulings": None, "exact": False}
FORTY: dict[str, Any] = {"edition": "10e", "rulings": None, "exact": False}
TABLE: dict[str, Any] = {"edition": "10e", "rulings": None}
OLD: dict[str, Any] = {"edition": "2e", "rulings": None}
