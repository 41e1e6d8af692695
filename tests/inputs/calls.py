"""A valid call of every public name, from `calls.txt`, and objects to make calls with."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, NamedTuple

from tenth import analysis, wh40k

import mathhammer
from mathhammer import aos, distributions, expressions, modifiers, plot, rosters, t9a
from mathhammer import trench_crusade as tc
from mathhammer.modifiers import Modifier  # noqa: F401 - named in calls.txt
from mathhammer.rosters import sample_army
from mathhammer.systems import registry
from mathhammer.systems.wh40k.armies import army
from mathhammer.systems.wh40k.attacks import changes

MODULES = {
    "mh": mathhammer,
    "analysis": analysis,
    "plot": plot,
    "rosters": rosters,
    "wh40k": wh40k,
    "t9a": t9a,
    "tc": tc,
    "aos": aos,
    "distributions": distributions,
    "expressions": expressions,
    "modifiers": modifiers,
    "registry": registry,
    "army": army,
    "changes": changes,
}


class Call(NamedTuple):
    """A valid call, of which one argument after another is replaced."""

    function: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


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

SWORDS = aos.Weapon("Swords", models=5, attacks=2, hit="3+", wound="3+", rend=1)
BEASTS = aos.Target("Beasts", models=3, health=3, save="4+")
PACK = aos.Unit(BEASTS, SWORDS)

RULES: dict[str, Any] = {"rulings": None, "exact": False}
FORTY: dict[str, Any] = {"edition": "10e", "rulings": None, "exact": False}
TABLE: dict[str, Any] = {"edition": "10e", "rulings": None}
OLD: dict[str, Any] = {"edition": "2e", "rulings": None}


def _value(node: ast.expr) -> Any:
    whole = ast.fix_missing_locations(ast.Expression(node))
    return eval(compile(whole, "calls.txt", "eval"), globals())  # noqa: S307 - a part of the tests


def _call(text: str) -> Call:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    keywords: dict[str, Any] = {}
    for each in node.keywords:
        value = _value(each.value)
        keywords |= value if each.arg is None else {each.arg: value}
    return Call(_value(node.func), _value(ast.Tuple(node.args, ast.Load())), keywords)


_LINES = [
    line.partition(": ")
    for line in Path(__file__).with_name("calls.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
CALLS = {name: _call(text) for name, _, text in _LINES if text}
#: What the library makes and users only read.
MADE_BY_THE_LIBRARY = {name for name, _, text in _LINES if not text}
