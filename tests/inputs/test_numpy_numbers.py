"""Whole numbers and flags of NumPy, as arrays and pandas rows hold them, are taken wherever Python's are."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest
from calls import CALLS
from sympy import Rational
from tenth import analysis, wh40k

from mathhammer import dice, distribution
from mathhammer.distributions import Distribution, JointDistribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions import faces
from mathhammer.expressions.condition import as_condition
from mathhammer.modifiers import Modifier
from mathhammer.serialisation.values import called
from mathhammer.systems.wh40k.situation import SITUATION_NAMES

sys.path.append(str(Path(__file__).parents[1] / "serialisation"))
from field_values import FIELDS

pytest.importorskip("matplotlib").use("Agg")

WHOLE = (np.int64, np.int32, np.int8, np.uint8, np.uint64)
#: The other games read their own profiles; what is done with a text or a file holds no numbers.
GAMES_OF_THEIR_OWN = ("t9a.", "tc.", "rosters.", "registry.", "plot.")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    from matplotlib import pyplot as plt

    plt.close("all")


def in_numpy(value, kind):
    """Return a value with every whole number and every flag in it as NumPy's."""
    if isinstance(value, bool):
        return np.bool_(value)
    if isinstance(value, int):
        return kind(value) if np.iinfo(kind).min <= value <= np.iinfo(kind).max else value
    if type(value) in {list, tuple, set, frozenset}:
        return type(value)(in_numpy(each, kind) for each in value)
    if type(value) is dict:
        return {in_numpy(name, kind): in_numpy(each, kind) for name, each in value.items()}
    return value


def greatest(kind):
    """The greatest number of a kind that is an outcome: one more of a small kind would wrap around."""
    return kind(min(int(np.iinfo(kind).max), 10**15))


def numpy_inside(value, seen=None):
    """Return the first number of NumPy that an object keeps, which would wrap around or print in its own way."""
    seen = set() if seen is None else seen
    if isinstance(value, np.generic):
        return value
    if id(value) in seen or isinstance(value, str | bytes | int | float):
        return None
    seen.add(id(value))
    parts = []
    if isinstance(value, Mapping):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | AbstractSet):
        parts = list(value)
    elif is_dataclass(value):
        parts = [getattr(value, each.name, None) for each in fields(value)]
    elif isinstance(value, Distribution):
        parts = [value.support.start, value.support.stop]
    elif isinstance(value, JointDistribution):
        parts = [value._outcomes]
    return next((found for each in parts if (found := numpy_inside(each, seen)) is not None), None)


def require_same(found, expected):
    assert type(found) is type(expected)
    assert repr(found) == repr(expected)
    if not isinstance(expected, np.ndarray):
        assert numpy_inside(found) is None


def holds_numbers(call):
    given = call.arguments, call.keywords
    return repr(in_numpy(given, np.int64)) != repr(given)


NUMBERED = [
    name for name, call in CALLS.items() if not name.startswith(GAMES_OF_THEIR_OWN) and holds_numbers(call)
]


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("name", NUMBERED)
def test_every_public_call(name, kind):
    call = CALLS[name]
    arguments, keywords = in_numpy(call.arguments, kind), in_numpy(call.keywords, kind)
    if name == "Distribution.sample":
        assert call.function(*arguments, **keywords).shape == (3,)
        return
    expected = call.function(*call.arguments, **call.keywords)
    require_same(call.function(*arguments, **keywords), expected)


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("made", [kind for kind in FIELDS if f"wh40k.{kind.__name__}" in CALLS])
def test_every_field_of_a_profile(made, kind):
    least, others = FIELDS[made]
    for values in (least, *({**least, name: value} for name, value in others.items())):
        with suppress(MathhammerError):  # it needs another one beside it
            expected = called(made, values)
            require_same(called(made, in_numpy(values, kind)), expected)


RIFLE = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1 [RAPID FIRE 1]')
MARINES = wh40k.Target.parse("Marines: 5x T4 Sv3+ W2 [INFANTRY]")
SITUATION = {
    name: value
    for name, value in {
        "hit_modifier": 1,
        "wound_modifier": -1,
        "save_modifier": 1,
        "attacks_modifier": 1,
        "damage_modifier": 1,
        "ap_modifier": 1,
        "strength_modifier": 1,
        "critical_hit": 5,
        "critical_wound": 5,
        "half_range": True,
        "cover": True,
        "stationary": True,
    }.items()
    if name in SITUATION_NAMES
}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("name", SITUATION)
def test_every_number_of_a_situation(name, kind):
    given = {name: SITUATION[name]}
    if isinstance(SITUATION[name], int) and SITUATION[name] < 0 and np.iinfo(kind).min == 0:
        given = {name: -SITUATION[name]}
    expected = wh40k.attack(RIFLE, MARINES, **given)
    found = wh40k.attack(RIFLE, MARINES, **in_numpy(given, kind))
    assert found.damage == expected.damage
    assert found.to_text() == expected.to_text()
    volley = wh40k.Volley(RIFLE, kind(3), **in_numpy(given, kind))
    require_same(volley, wh40k.Volley(RIFLE, 3, **given))


@pytest.mark.parametrize("kind", WHOLE)
def test_what_the_issue_found(kind):
    weapon = {
        "range": '24"',
        "skill": kind(3),
        "strength": kind(4),
        "ap": kind(1),
        "damage": kind(2),
        "keywords": "",
    }
    assert wh40k.Weapon("Gun", attacks=kind(2), **weapon) == wh40k.Weapon.parse('Gun: 24" A2 BS3+ S4 AP-1 D2')
    assert Distribution.from_weights({kind(1): kind(1), kind(2): kind(3)}, exact=True).pmf(2) == Rational(
        3, 4
    )
    assert Distribution({kind(1): 0.5, kind(2): 0.5}).support == range(1, 3)
    high = greatest(kind)
    assert Distribution({high: 0.5, kind(high - 1): 0.5}).support.stop == int(high) + 1


@pytest.mark.parametrize("kind", WHOLE)
def test_numbers_do_not_wrap(kind):
    high = greatest(kind)
    die = dice("D6")
    for made, expected in (
        (die + high, die + int(high)),
        (high + die, int(high) + die),
        (die - high, die - int(high)),
        (high - die, int(high) - die),
        (die * kind(2), die * 2),
        (kind(2) * die, 2 * die),
        (kind(2) @ die, 2 @ die),
        (die / kind(2), die / 2),
        (faces([kind(1), high]), faces([1, int(high)])),
        (faces({kind(1): high}), faces({1: int(high)})),
        (die.explode(kind(6), depth=kind(2)), die.explode(6, depth=2)),
        (die.reroll({kind(1), kind(2)}), die.reroll({1, 2})),
        ((2 @ die).with_dice(plus=kind(2)), (2 @ die).with_dice(plus=2)),
        ((2 @ die).maximised(kind(2)), (2 @ die).maximised(2)),
        ((2 @ die).reroll_best(target=kind(9), dice=kind(1)), (2 @ die).reroll_best(target=9, dice=1)),
    ):
        require_same(made, expected)
        assert made == expected
        assert str(made) == str(expected)
    dist = distribution("D6")
    assert dist + high == high + dist == dist + int(high)
    assert high - dist == int(high) - dist
    assert kind(2) @ dist == dist.repeat(2)
    assert as_condition(kind(4)) == as_condition(4)
    assert Modifier("add", kind(1), "rule", when={kind(1)}) == Modifier("add", 1, "rule", when={1})


def test_values_of_functions():
    dist = distribution("D6")
    assert dist.map(lambda face: np.int8(face) * np.int8(20)) == dist.map(lambda face: face * 20)
    high = dist.map(lambda face: int(face > 3))
    assert dist.map(lambda face: face > 3) == dist.map(lambda face: np.bool_(face > 3)) == high
    assert dist.joint(big=lambda face: np.bool_(face > 3)).marginal("big").pmf(1) == 0.5
    joint = dist.joint(face=np.uint8)
    assert joint.map(lambda face: np.uint8(face) - np.uint8(1)).support == range(6)


def test_a_pandas_row():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {
            "name": ["Gun", "Blade"],
            "range": ['24"', "Melee"],
            "attacks": [2, 3],
            "skill": [3, 4],
            "strength": [4, 5],
            "ap": [-1, 0],
            "damage": [1, 2],
            "keywords": ["Heavy", ""],
        }
    )
    targets = pandas.DataFrame(
        {"toughness": [4], "save": [3], "wounds": [2], "models": [5], "half_damage": [True]}
    )
    (target,) = [wh40k.Target("Unit", **row) for row in targets.astype(object).to_dict("records")]
    assert target == wh40k.Target("Unit", **{name: targets[name][0] for name in targets})
    for _, row in table.iterrows():
        weapon = wh40k.Weapon(**row)
        assert wh40k.attack(weapon, target, count=table["attacks"][0]).kills.mean() > 0
    grid = analysis.grid([wh40k.Weapon(**row) for row in table.to_dict("records")], target)
    assert grid.mean_wounds_lost.shape == (2, 1)


@pytest.mark.parametrize(
    "wrong", [np.True_, True, np.array([1, 2]), np.array([1]), np.array(["1"]), 2.0, np.float64(2)]
)
def test_what_is_no_whole_number(wrong):
    die = dice("D6")
    for act in (
        lambda: wh40k.Weapon("Gun", range="", attacks=wrong, skill=3, strength=4, ap=0, damage=1),
        lambda: wh40k.Weapon("Gun", range="", attacks=1, skill=3, strength=4, ap=wrong, damage=1),
        lambda: wh40k.Weapon("Gun", range="", attacks=1, skill=wrong, strength=4, ap=0, damage=1),
        lambda: wh40k.Target("Unit", toughness=wrong, save=3, wounds=1),
        lambda: wh40k.Target("Unit", toughness=3, save=wrong, wounds=1),
        lambda: wh40k.Volley(RIFLE, wrong),
        lambda: wh40k.attack(RIFLE, MARINES, count=wrong),
        lambda: wh40k.attack(RIFLE, MARINES, hit_modifier=wrong),
        lambda: wh40k.attack(RIFLE, MARINES, critical_hit=wrong),
        lambda: die + wrong,
        lambda: wrong @ die,
        lambda: die / wrong,
        lambda: faces([wrong]),
        lambda: die.reroll([wrong]),
        lambda: die.explode(6, depth=wrong),
        lambda: (2 @ die).with_dice(plus=wrong),
        lambda: Modifier("add", wrong, "rule"),
        lambda: Distribution({wrong: 1}) if not isinstance(wrong, np.ndarray) else Distribution(wrong),
        lambda: Distribution.from_weights({1: wrong}),
        lambda: distribution("D6").repeat(wrong),
        lambda: distribution("D6") + wrong,
    ):
        with pytest.raises((TypeError, ValueError), match=r"expected|unsupported operand|does not support"):
            act()
