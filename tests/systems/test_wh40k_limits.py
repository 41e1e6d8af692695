"""Every limit is asked before anything is built: what would not fit is refused at once, with little memory."""

from __future__ import annotations

import tracemalloc

import pytest
from click.testing import CliRunner
from tenth import analysis, wh40k

from mathhammer import MathhammerError
from mathhammer.cli import main
from mathhammer.distributions import kernel
from mathhammer.errors import TooLargeError

pytestmark = pytest.mark.slow

GUN = wh40k.Weapon.parse("Gun: A2 BS3+ S4 AP-1 DD3")
PLASMA = wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]")
SQUAD = wh40k.Target("Squad", toughness=4, save="3+", wounds=2, models=5)
SPARED = wh40k.Target("Spared", toughness=4, save="3+", wounds=1000, damage_to_0=True)
HORDE = wh40k.Target("Horde", toughness=4, save="3+", wounds=1, models=10**9)
TITANS = wh40k.Target("Titans", toughness=4, save="3+", wounds=1000, models=4)
LED = wh40k.TargetUnit("Led", [SPARED], leaders=[wh40k.Target("Leader", toughness=4, save="3+", wounds=2)])


DICED = wh40k.Weapon.parse("Gun: AD6+3 BS3+ S4 AP-1 D1")
MIXED = wh40k.TargetUnit(
    "Mixed",
    [
        wh40k.Target("First", toughness=4, save="5+", wounds=6),
        wh40k.Target("Second", toughness=4, save="6+", wounds=3, models=5),
        wh40k.Target("Third", toughness=4, save="3+", wounds=4, models=9),
    ],
    leaders=[wh40k.Target("Leader", toughness=4, save="2+", wounds=6, feel_no_pain="4+")],
)
DEVASTATING = wh40k.Weapon.parse("Gun: A300 BS3+ S4 AP-1 DD3 [DEVASTATING WOUNDS]")
RENDING = wh40k.Trigger("wound", "unmodified 6", "a rule", mortal_wounds=1)
VOLLEYS = [
    wh40k.Volley(wh40k.Weapon.parse(f"Gun{number}: A{number} BS3+ S4 AP-1 DD6"), 200)
    for number in range(1, 7)
]


def multiplied(times: int) -> list[wh40k.Modifier]:
    return [wh40k.Modifier("multiply", 1000, "a rule", of="damage")] * times


CALLS = {
    "tests": (
        lambda: wh40k.hazardous(PLASMA, SQUAD, count=20_000),
        "at most 2,000 Hazardous tests, got 20,000",
    ),
    "tests of many volleys": (
        lambda: wh40k.hazardous([wh40k.Volley(PLASMA, 1500)] * 2, SQUAD),
        "at most 2,000 Hazardous tests, got 3,000",
    ),
    "damage to 0": (lambda: wh40k.attack(GUN, SPARED), "at most 200,000 ways"),
    "damage to 0 in a grid": (lambda: analysis.grid(GUN, SPARED), "at most 200,000 ways"),
    "damage to 0 in a unit": (lambda: wh40k.attack(GUN, LED), "at most 200,000 ways"),
    "a modifier": (
        lambda: wh40k.Modifier("add", 10**8, "a rule", of="damage"),
        "from -1000 to 1000 as value from",
    ),
    "a modifier downwards": (
        lambda: wh40k.Modifier("add", -(10**8), "a rule"),
        "from -1000 to 1000 as value from",
    ),
    "damage": (
        lambda: wh40k.attack(GUN, SQUAD, modifiers=multiplied(2)),
        "Damage of at most 10,000 after all",
    ),
    "damage of a grid": (
        lambda: analysis.grid(GUN, SQUAD, modifiers=multiplied(2)),
        "Damage of at most 10,000 after all",
    ),
    "damage beyond all digits": (
        lambda: wh40k.attack(GUN, SQUAD, modifiers=multiplied(2000)),
        "Damage of at most 10,000 after all",
    ),
    "models": (lambda: wh40k.attack(GUN, HORDE), "at most 4,000 wounds in all"),
    "models in a grid": (lambda: analysis.grid(GUN, HORDE), "at most 4,000 wounds in all"),
    "models of a unit in a grid": (
        lambda: analysis.grid(GUN, wh40k.TargetUnit("U", [HORDE, SQUAD])),
        "at most 4,000 wounds in all",
    ),
    "models to divide over": (
        lambda: analysis.assign(GUN, HORDE, objective="models"),
        "at most 4,000 wounds in all",
    ),
    "attacks": (lambda: wh40k.attack(wh40k.Volley(GUN, 10**9), SQUAD), "at most 20,000 attacks"),
    "attacks in a grid": (lambda: analysis.grid(wh40k.Volley(GUN, 10**9), SQUAD), "at most 20,000 attacks"),
    "a long walk": (
        lambda: wh40k.attack(wh40k.Volley(GUN, 5000), TITANS, exact=True),
        "walks of at most 5 seconds, but",
    ),
    "a long walk in a grid": (
        lambda: analysis.grid(wh40k.Volley(GUN, 5000), TITANS),
        "walks of at most 5 seconds",
    ),
    "orders": (lambda: wh40k.best_order(VOLLEYS, TITANS), "walks of at most 5 seconds together"),
    "orders of activations": (
        lambda: wh40k.activations([VOLLEYS], TITANS, order="best"),
        "walks of at most 5 seconds together",
    ),
    "orders against what is left": (
        lambda: wh40k.best_order(VOLLEYS, TITANS, start=wh40k.attack(GUN, TITANS)),
        "walks of at most 5 seconds together",
    ),
    "wounds deferred in two ways": (
        lambda: wh40k.attack(DEVASTATING, TITANS, triggers=[RENDING]),
        "walk with at most 5e+05 numbers at once",
    ),
    "dice for attacks that are looked at": (
        lambda: wh40k.attack(wh40k.Volley(DICED, 20), SQUAD, reroll="best"),
        "dice that can be looked at in about a second",
    ),
    "dice that are looked at": (
        lambda: wh40k.attack(wh40k.Volley(GUN, 200), SQUAD, reroll="best"),
        "dice that can be looked at in about a second",
    ),
    "saves of all kinds of models": (
        lambda: wh40k.attack(wh40k.Volley(DICED, 60), MIXED, edition="11e", exact=True),
        "walks of at most 5 seconds, but saves of up to",
    ),
    "orders of volleys with a re-roll": (
        lambda: wh40k.attack(VOLLEYS, SQUAD, edition="11e", order="best", reroll="best"),
        "decisions in at most 100,000 positions",
    ),
    "points": (
        lambda: wh40k.Target("T", toughness=4, save="3+", wounds=1, points=10**400),
        "from 0 to 1000000 as points",
    ),
}


@pytest.mark.parametrize(("call", "message"), CALLS.values(), ids=CALLS)
def test_what_would_not_fit_is_refused_before_it_is_built(call, message):
    tracemalloc.start()
    try:
        with pytest.raises(MathhammerError) as caught:
            call()
        assert message in str(caught.value)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 200 << 20


def test_the_largest_of_each_is_computed():
    assert wh40k.hazardous(PLASMA, SQUAD, count=2000).probability_destroyed == pytest.approx(1)
    modifiers = [*multiplied(1), wh40k.Modifier("multiply", 10, "a rule", of="damage")]
    assert wh40k.attack(
        wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP-1 D1"), SQUAD, modifiers=modifiers
    ).damage.support == range(10_001)
    with pytest.raises(TooLargeError, match=r"got 20,?000; use smaller modifiers"):
        wh40k.attack(wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP-1 D2"), SQUAD, modifiers=modifiers)


def test_the_walks_of_a_question_count_together(monkeypatch):
    """One attack, or a few in turn, are done; hundreds, of which each takes as long, are not."""
    monkeypatch.setattr(kernel, "MAXIMUM_SECONDS", 0.1)
    gun = wh40k.Volley(wh40k.Weapon.parse("Gun: A3 BS5+ S4 AP0 DD3"), 5)
    wall = wh40k.Target("Wall", toughness=8, save="3+", wounds=40, models=5)
    assert wh40k.needed(gun, wall, 0.9, most=5, exact=True).count is None
    with pytest.raises(
        TooLargeError, match="walks of at most 0 seconds, but those so far and 15 steps over 201"
    ):
        wh40k.needed(gun, wall, 0.9, most=500, exact=True)
    # The one that was refused has left nothing behind.
    assert wh40k.needed(gun, wall, 0.9, most=5, exact=True).count is None


def test_an_exact_turn_of_many_outcomes():
    tank = wh40k.Target("Tank", toughness=10, save="3+", wounds=30, deadly_demise="D6")
    mob = wh40k.Target("Mob", toughness=4, save="2+", wounds=6, models=10, deadly_demise="D6")
    crushing = wh40k.Volley(wh40k.Weapon.parse("Treads: Melee A4D6 WS2+ S10 AP-1 D4"), 20)
    claws = wh40k.Volley(wh40k.Weapon.parse("Claws: Melee A2D3 WS2+ S5 AP-2 DD6"), 10)
    sides = wh40k.Combatant(tank, melee=crushing), wh40k.Combatant(mob, melee=claws)
    with pytest.raises(TooLargeError, match="bits; use smaller units or fewer attacks"):
        wh40k.turn(*sides, ["charge", "fight"], distance=7, exact=True)


def test_weights_that_are_too_long_for_a_float():
    """20 weapons of D6+3 attacks that re-roll ones have weights of some 1,500 bits."""
    unit = wh40k.TargetUnit("Unit", MIXED.models[:2], allocation="worst")
    options = {"reroll_hits": "ones", "reroll_wounds": "ones", "count": 20}
    exact = wh40k.attack(DICED, unit, **options, exact=True).kills
    assert wh40k.attack(DICED, unit, **options).kills.mean() == pytest.approx(float(exact.mean()), rel=1e-12)


def test_a_modifier_of_the_command_line_is_refused():
    words = [
        "40k",
        "attack",
        "Gun: A2 BS3+ S4 AP-1 D1",
        "--target",
        "MEQ",
        "--modifier",
        "damage +100000000",
    ]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "from -1000 to 1000" in done.stderr
