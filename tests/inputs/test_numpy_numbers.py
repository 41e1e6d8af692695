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
from tenth import analysis, wh40k

from mathhammer.distributions import Distribution, JointDistribution
from mathhammer.errors import MathhammerError
from mathhammer.serialisation.values import called

sys.path.append(str(Path(__file__).parents[1] / "serialisation"))
from field_values import FIELDS, GUN, MARINES, WH40K_SITUATION, Attribute

pytest.importorskip("matplotlib").use("Agg")

WHOLE = (np.int64, np.int32, np.int8, np.uint8, np.uint64)
#: The other games read their own profiles; what is done with a text or a file holds no numbers.
GAMES_OF_THEIR_OWN = ("rosters.", "registry.", "plot.")


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
@pytest.mark.parametrize("made", [made for made in FIELDS if made not in {wh40k.Keyword, Attribute}])
def test_every_field_of_a_profile(made, kind):
    least, others = FIELDS[made]
    for values in (least, *({**least, name: value} for name, value in others.items() if name != "situation")):
        with suppress(MathhammerError):  # it needs another one beside it
            expected = called(made, values)
            require_same(called(made, in_numpy(values, kind)), expected)


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("name", WH40K_SITUATION)
def test_every_keyword_of_a_situation(name, kind):
    given = {name: WH40K_SITUATION[name]}
    with suppress(MathhammerError):  # of another edition
        expected = wh40k.attack(GUN, MARINES, **given)
        assert wh40k.attack(GUN, MARINES, **in_numpy(given, kind)).to_text() == expected.to_text()
    require_same(wh40k.Volley(GUN, kind(3), **in_numpy(given, kind)), wh40k.Volley(GUN, 3, **given))


def test_a_pandas_row():
    pandas = pytest.importorskip("pandas")
    gun = {"name": "Gun", "range": '24"', "attacks": 2, "skill": 3, "strength": 4, "ap": -1, "damage": 1}
    blade = gun | {"name": "Blade", "range": "Melee", "keywords": "Lance"}
    table = pandas.DataFrame([gun | {"keywords": "Heavy"}, blade])
    targets = pandas.DataFrame(
        {"toughness": [4], "save": [3], "wounds": [2], "models": [5], "half_damage": [True]}
    )
    (target,) = [wh40k.Target("Unit", **row) for row in targets.astype(object).to_dict("records")]
    assert target == wh40k.Target("Unit", **{name: targets[name][0] for name in targets})
    for _, row in table.iterrows():
        assert wh40k.attack(wh40k.Weapon(**row), target, count=table["attacks"][0]).kills.mean() > 0
    grid = analysis.grid([wh40k.Weapon(**row) for row in table.to_dict("records")], target)
    assert grid.mean_wounds_lost.shape == (2, 1)
