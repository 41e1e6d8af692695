"""Exact arithmetic without NumPy, SciPy and SymPy: what no text holds. `test_every_field` answers every text so."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

#: A name that stands for None cannot be imported. A rifle hits with 2/3 and wounds with 1/2.
_BEGIN = """
import sys
for name in ('numpy', 'scipy', 'sympy'):
    sys.modules[name] = None
from mathhammer import distribution, wh40k
from mathhammer.cli import main

def show(each):
    assert str(each) and repr(each) and each._repr_html_()
    return each

rifle = wh40k.Weapon.parse("Rifle: A1 BS3+ S4 AP0 D1")
volley = wh40k.Volley(rifle)
guard = wh40k.Target("Guard", toughness=4, save=None, wounds=1)
guards = wh40k.Target("Guards", toughness=4, save=None, wounds=1, models=2)
unit = wh40k.Target("Unit", toughness=4, save=None, wounds=2, models=5)
small, large = (wh40k.Volley(wh40k.Weapon.parse(f"{n}: A1 BS3+ S4 AP0 D{d}")) for n, d in (("Small", 1), ("Large", 2)))
earlier = wh40k.attack(rifle, unit, exact=True).given(lambda state: state == (0, 0))
"""


def printed(script: str) -> str:
    """Return what a script prints where they cannot be imported."""
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", _BEGIN + script], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout.rstrip()


@pytest.mark.parametrize("name", ["numpy", "scipy", "sympy"])
def test_they_cannot_be_imported_here(name):
    assert printed(f"try:\n    import {name}\nexcept ImportError:\n    print('blocked')") == "blocked"


def test_calls_that_no_text_holds():
    script = """
print(*(row.split()[-4:] for row in str(show(wh40k.activations([[volley, volley]], guard, exact=True)[0])).split("\\n")
        if "Rifle: A1" in row))
for more in ({}, {"start": earlier}, {"reroll": "best"}):
    best = show(wh40k.best_order([small, large], unit, objective="wounds_lost", exact=True, **more))
    print(*(each.weapon.name for each in best.volleys))
for given in (rifle, volley):
    found = show(wh40k.needed(given, guards, 0.25, exact=True, edition="10e"))
    print(found.count, "%d/%d" % list(found.result.kills.fractions())[2])
show(wh40k.compare_editions(rifle, guards, exact=True))
dice = show(distribution("explode(D2, 2, depth 1)", exact=True))
print(dice.to_text() and dice == type(dice).from_json(dice.to_json()), [f"{n}/{d}" for n, d in dice.fractions()])
"""
    assert printed(script).split("\n") == [
        # The second of two shots at one model finds it with 2/3.
        "['0.33', '0.33', '1.00', '0'] ['0.22', '0.22', '1.00', '0.33']",
        # One wound first, then two: the models have two each, so that the larger gun comes first.
        *["Large Small"] * 3,
        # One shot wounds with 1/3: of two models with 1/9 (2), 7/27 (3); three units in turn the same.
        *["3 7/27"] * 2,
        "True ['1/2', '0/1', '1/4']",  # what lies beyond is missing
    ]


COMMANDS = [
    *(["dice", text] for text in ("2D6", "4D6÷2+1", "highest(3 of 4D6)", "let x = D6 in x×x")),
    *(
        ["dice", "2D6", *more]
        for more in (["--exact"], ["--json", "--exact"], ["--at-least", "9", "--exact"])
    ),
    *(
        ["40k", "attack", "2x Rifle: A1 BS3+ S4 AP0 D1", "--target", "MEQ", "--exact", more]
        for more in ("--explain", "--json")
    ),
    *([*command, "--help"] for command in ([], ["40k", "attack"], ["t9a", "attack"])),
]


def test_commands_import_none_of_them():
    script = f"""
for command in {COMMANDS!r}:
    main(command, standalone_mode=False)
print([name for name in ("pandas", "rich", "matplotlib") if name in sys.modules])
"""
    *shown, last = printed(script).split("\n")
    assert (len(shown) > 100, last) == (True, "[]")
