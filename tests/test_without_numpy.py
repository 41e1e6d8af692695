"""Exact arithmetic without NumPy, SciPy and SymPy: nothing of it imports them before a user is given a number."""

import json
import subprocess
import sys
from itertools import product

import pytest

pytestmark = pytest.mark.slow

#: A name that stands for None cannot be imported.
_BLOCKED = "import sys\nfor name in ('numpy', 'scipy', 'sympy'):\n    sys.modules[name] = None\n"

#: A rifle hits with 2/3 and wounds with 1/2.
_MODELS = """
import json
from mathhammer import distribution, wh40k

def show(*objects):
    for each in objects:
        assert str(each) and repr(each) and each._repr_html_()

def fractions(distribution):
    return {low + distribution.support[0]: f"{n}/{d}" for low, (n, d) in enumerate(distribution.fractions()) if n}

def attack(weapons, target, **options):
    result = wh40k.attack(weapons, target, exact=True, edition=edition, **options)
    show(result, result.explain(), result.state, result.damage if result.hurt_alike else result.hits)
    assert result.to_text()
    return result

rifle = wh40k.Weapon.parse("Rifle: A1 BS3+ S4 AP0 D1")
guards = wh40k.Target("Guards", toughness=4, save=None, wounds=1, models=2)
kinds = [
    wh40k.Target("Veteran", toughness=4, save=None, wounds=1),
    wh40k.Target("Guard", toughness=4, save="4+", wounds=1),
]
squad = wh40k.TargetUnit("Squad", kinds)
chosen = wh40k.TargetUnit("Squad", kinds, allocation="best")
frenzy = wh40k.Trigger("hit", "unmodified 6", "Frenzy", extra_hits=1)
"""

_ATTACKS = {
    "attack(rifle, guards, count=2)": {0: "4/9", 1: "4/9", 2: "1/9"},
    "attack([wh40k.Volley(rifle), wh40k.Volley(rifle)], guards)": {0: "4/9", 1: "4/9", 2: "1/9"},
    "attack(rifle, guards, start=attack(rifle, guards))": {0: "4/9", 1: "4/9", 2: "1/9"},
    # The first wound is lost; of the second, with 1/9, half.
    "attack(rifle, squad, count=2)": {0: "4/9", 1: "1/2", 2: "1/18"},
    # It goes to the model that saves half of them.
    "attack(rifle, chosen)": {0: "5/6", 1: "1/6"},
    # Of a 6, with 1/6, come two hits: none wounds with 1/3 + 1/2 * 1/2 + 1/6 * 1/4, both with 1/6 * 1/4.
    "attack(rifle, guards, triggers=(frenzy,))": {0: "5/8", 1: "1/3", 2: "1/24"},
    # It hits with 2/3 + 1/3 * 2/3 = 8/9.
    "attack(rifle, guards, reroll_hits='failed')": {0: "5/9", 1: "4/9"},
    # Wounds, fails to wound, fails to hit: 1/3 each, and after the last, once, again. None: 1/3 * 5/9 + 2/9 * 2/3, two:
    # 1/3 * 4/9 + 1/9 * 1/3.
    "attack(rifle, guards, count=2, reroll_hits='one')": {0: "1/3", 1: "13/27", 2: "5/27"},
    "attack(wh40k.MortalWounds('D2', 'Hex'), guards)": {1: "1/2", 2: "1/2"},
}

_DICE = {
    "D2+3": {4: "1/2", 5: "1/2"},
    "max(D2, D2)": {1: "1/4", 2: "3/4"},
    "highest(1 of 2D2)": {1: "1/4", 2: "3/4"},
    "let x = D2 in x×x": {1: "1/2", 4: "1/2"},
    "(D2)D2": {1: "1/4", 2: "3/8", 3: "1/4", 4: "1/8"},
    "explode(D2, 2, depth 1)": {1: "1/2", 3: "1/4"},  # what lies beyond is missing
}


def _run(script):
    """Return what a script prints where they cannot be imported."""
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", _BLOCKED + script], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout.rstrip()


def _found(calls, before):
    """Return the fractions of several distributions, as one run finds them."""
    lines = [f"print(json.dumps(fractions({call})))" for call in calls]
    rows = [json.loads(line) for line in _run("\n".join([_MODELS, before, *lines])).split("\n")]
    return {
        call: {int(outcome): text for outcome, text in row.items()}
        for call, row in zip(calls, rows, strict=True)
    }


@pytest.mark.parametrize("name", ["numpy", "scipy", "sympy"])
def test_they_cannot_be_imported_here(name):
    assert _run(f"try:\n    import {name}\nexcept ImportError:\n    print('blocked')") == "blocked"


@pytest.mark.parametrize("edition", ["9e", "10e"])
def test_attacks(edition):
    calls = {f"{call}.kills": fractions for call, fractions in _ATTACKS.items()}
    assert _found(calls, f"edition = {edition!r}") == calls


def test_dice():
    calls = {f"dice({text!r})": fractions for text, fractions in _DICE.items()}
    before = """
def dice(text):
    dist = distribution(text, exact=True)
    show(dist)
    assert dist.to_json() and dist.to_text() and dist == type(dist).from_json(dist.to_json())
    return dist
"""
    assert _found(calls, before) == calls


def test_shares_of_the_volleys():
    # The second of two shots at one model finds it with 2/3.
    script = """
guard = wh40k.Target("Guard", toughness=4, save=None, wounds=1)
[unit] = wh40k.activations([[wh40k.Volley(rifle), wh40k.Volley(rifle)]], guard, exact=True)
print(unit)
"""
    rows = [row.split()[-4:] for row in _run(_MODELS + script).split("\n") if "Rifle: A1" in row]
    assert rows == [["0.33", "0.33", "1.00", "0"], ["0.22", "0.22", "1.00", "0.33"]]


@pytest.mark.parametrize("more", ["", ", start=earlier", ", reroll='best'"])
def test_the_best_order(more):
    """One wound first, then two: the models have two each, so that the larger gun comes first."""
    script = f"""
small, large = (wh40k.Volley(wh40k.Weapon.parse(f"{{name}}: A1 BS3+ S4 AP0 D{{d}}")) for name, d in _GUNS)
unit = wh40k.Target("Unit", toughness=4, save=None, wounds=2, models=5)
earlier = wh40k.attack(rifle, unit, exact=True).given(lambda state: state == (0, 0))
found = wh40k.best_order([small, large], unit, objective="wounds_lost", exact=True{more})
show(found)
print([volley.weapon.name for volley in found.volleys])
"""
    guns = "_GUNS = (('Small', 1), ('Large', 2))"
    assert _run(f"{_MODELS}{guns}{script}") == "['Large', 'Small']"


def test_rounds_of_combat():
    """Who strikes first hits and wounds with 1/2 each: of both, who strike at the same time, neither with 9/16."""
    script = """
from mathhammer import t9a
part = t9a.ModelPart("claw", attacks=1, models=1, offensive_skill=3, strength=3, agility=3)
side = t9a.Unit(t9a.Target("beast", models=1, defensive_skill=3, resilience=3), part)
for pursue in (False, True):
    result = t9a.rounds_of_combat(side, side, rounds=2, pursue=pursue, exact=True)
    show(result, result.explain(), result.length, result.losses, result.end)
print(fractions(t9a.rounds_of_combat(side, side, rounds=1, exact=True).losses.marginal("first")))
"""
    assert _run(_MODELS + script) == "{0: '3/4', 1: '1/4'}"


def test_how_many_are_needed():
    """One shot wounds with 1/3: of two models with 1/9 (2), 7/27 (3); three units in turn the same."""
    script = """
for given in (rifle, wh40k.Volley(rifle)):
    found = wh40k.needed(given, guards, 0.25, exact=True, edition="10e")
    show(found)
    print(found.count, fractions(found.result.kills)[2])
"""
    assert _run(_MODELS + script).split("\n") == ["3 7/27", "3 7/27"]


def test_editions_side_by_side():
    script = "show(wh40k.compare_editions(rifle, guards, exact=True))\nprint('shown')"
    assert _run(_MODELS + script) == "shown"


def test_an_attack_of_the_9th_age():
    # Equal skill hits on 4+, equal strength wounds on 4+.
    script = """
from mathhammer import t9a
part = t9a.ModelPart("Spear", attacks=1, offensive_skill=3, strength=3)
unit = t9a.Target("Unit", models=2, defensive_skill=3, resilience=3)
result = t9a.attack(part, unit, exact=True)
show(result, result.explain())
print(fractions(result.kills), result.to_text().split()[-1])
"""
    assert _run(_MODELS + script) == "{0: '3/4', 1: '1/4'} end"


def test_an_attack_of_trench_crusade():
    rolls = [sum(sorted(dice)[1:]) >= 7 for dice in product(range(1, 7), repeat=3)]
    script = """
from mathhammer import trench_crusade as tc
result = tc.attack(tc.WEAPONS["Shotgun"], tc.Target(), exact=True)
show(result, result.explain(), result.blood)
print(result)
"""
    assert f"P(hit) {100 * sum(rolls) / len(rolls):.2f}%" in _run(_MODELS + script)


_SHOWN = {
    "t9a": (
        "t9a.characteristic_test(3, exact=True)",
        "t9a.discipline_test(7, exact=True)",
        "t9a.break_test(7, 2, reroll=True, exact=True)",
        "t9a.charge(advance=4, distance=11, reroll=True, exact=True)",
        "t9a.fight(side, side, exact=True)",
    ),
    "trench_crusade": (
        "tc.morale(5, exact=True)",
        "tc.charge(6, exact=True)",
        "tc.blast(frag, [tc.Target(), tc.Target()], exact=True)",
    ),
    "wh40k": (
        "wh40k.charge(7, exact=True)",
        "wh40k.battle_shock('7+', exact=True)",
        "wh40k.mortal_wounds('D6', guards, exact=True)",
    ),
}


@pytest.mark.parametrize("game", _SHOWN)
def test_tests_charges_and_fights_are_printed(game):
    script = """
from mathhammer import t9a, trench_crusade as tc
spear = t9a.ModelPart("Spear", attacks=1, offensive_skill=3, strength=3)
side = t9a.Unit(t9a.Target("Unit", models=2, defensive_skill=3, resilience=3), spear)
frag = tc.Attack(weapon=tc.Weapon("Frag", kind="grenade", keywords='BLAST 2"'))
"""
    lines = [f"each = {call}\nshow(each)\nprint(len(repr(each)) > 9)" for call in _SHOWN[game]]
    assert _run("\n".join([_MODELS, script, *lines])).split() == ["True"] * len(lines)


@pytest.mark.parametrize(
    "arguments", [[], ["--exact"], ["--json"], ["--json", "--exact"], ["--at-least", "9"]]
)
@pytest.mark.parametrize("text", ["2D6", "4D6÷2+1", "highest(3 of 4D6)", "let x = D6 in x×x"])
def test_the_command_for_dice_imports_none_of_them(text, arguments):
    script = f"""
import contextlib, io
from mathhammer.cli import main
shown = io.StringIO()
with contextlib.redirect_stdout(shown):
    main({["dice", text, *arguments]!r}, standalone_mode=False)
print(len(shown.getvalue()) > 200, [name for name in ("pandas", "rich", "matplotlib") if name in sys.modules])
"""
    assert _run(script) == "True []"
