"""For every parameter of every class, and for every keyword, a value that is not the default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tenth import wh40k

import mathhammer as mh  # noqa: F401 - named in classes.txt
from mathhammer import aos, t9a
from mathhammer import trench_crusade as tc
from mathhammer.systems.t9a.attributes import Attribute  # noqa: F401 - named in classes.txt

RIFLE = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1 [RAPID FIRE 1]')
MELTA = wh40k.Weapon.parse("Melta: A1 BS3+ S9 AP-4 DD6 [MELTA 2]")
MARINES = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5, keywords="Infantry")
CAPTAIN = wh40k.Target("Captain", toughness=4, save="3+", wounds=5, keywords="Character", points=80)
SPEARS = t9a.ModelPart("Spears", attacks=3, offensive_skill=3, strength=3)
ORCS = t9a.Target("Orcs", models=4, defensive_skill=3, resilience=3)
AXE = aos.Weapon.parse("3 x Axe 2 3+ 4+ 1 D3")
SHOTGUN = tc.WEAPONS["Shotgun"]
SWORD = tc.WEAPONS["Sword"]
BRUTE = tc.Target("Brute", armour="standard", blood=2)
ADDED = wh40k.Modifier("add", 1, "a banner")


def read(name: str, names: dict[str, Any]) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return of each line of a file its least arguments, and values that are not the default."""
    found = {}
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            key, _, said = line.partition(": ")
            least, others = (eval(each, dict(names)) for each in said.split(" => "))  # noqa: S307 - of the tests
            found[key] = least, others
    return found


FIELDS = {eval(key): each for key, each in read("classes.txt", globals()).items()}  # noqa: S307 - of the tests
#: What else a parameter's value needs, or what it excludes, beside the least arguments.
NEEDED = {
    **{(tc.Attack, name): {"weapon": SWORD} for name in ("off_hand", "charged", "diving")},
    (tc.Attack, "in_melee"): {"weapon": tc.Weapon("Pistol", kind="ranged", keywords="PISTOL")},
    (wh40k.Trigger, "roll"): {"wounds": False},
    (wh40k.Modifier, "unmodified"): {"when": (1,)},
    (aos.Target, "damage"): {"health": 9},
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
