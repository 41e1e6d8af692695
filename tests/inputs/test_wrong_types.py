"""Whatever is given in the place of an argument: one clear error, never one from the inside."""

from __future__ import annotations

import inspect

import pytest
from calls import ARMY, CALLS, GRID, MADE_BY_THE_LIBRARY, MODULES, RIFLE, SHOT, SPEARS
from tenth import wh40k

from mathhammer import t9a
from mathhammer import trench_crusade as tc
from mathhammer.errors import MathhammerError, WrongTypeError
from mathhammer.systems.t9a.situation import Situation as OldSituation
from mathhammer.systems.wh40k.situation import SITUATION_NAMES

pytest.importorskip("matplotlib").use("Agg")


class Anything:
    """An object that nobody can mean."""

    def __repr__(self):
        return "object()"


ANYTHING = Anything()
WRONG = (None, 3, "x", [], ANYTHING)
#: Whatever it is: a name is only looked up, a title is only printed, and 1 + x is Python's own TypeError.
TAKES_ANYTHING = {
    ("Distribution.__add__", 0),
    ("wh40k.Weapon.has", 0),
    ("t9a.Target.has", 0),
    *((f"plot.{name}", "title") for name in ("compare", "draw")),
}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    from matplotlib import pyplot as plt

    plt.close("all")


def refusal(function, arguments, keywords):
    """Return the error of a call, nothing where it is taken; an error from the inside goes through."""
    try:
        function(*arguments, **keywords)
    except MathhammerError as error:
        return error
    except TypeError as error:
        # Python's own: a missing or an unknown argument, before any line of the function runs.
        if error.__traceback__.tb_next is None:
            return error
        raise
    return None


def test_every_public_name_is_called():
    names = {
        f"{short}.{name}"
        for short, module in MODULES.items()
        for name in getattr(module, "__all__", ())
        if inspect.isclass(getattr(module, name)) or inspect.isfunction(getattr(module, name))
    }
    assert names - CALLS.keys() - MADE_BY_THE_LIBRARY == set()
    assert MADE_BY_THE_LIBRARY - names == set()
    assert MADE_BY_THE_LIBRARY.isdisjoint(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_one_clear_error(name):
    call = CALLS[name]
    places = [*range(len(call.arguments)), *call.keywords]
    for place in places:
        for wrong in WRONG:
            arguments, keywords = list(call.arguments), dict(call.keywords)
            if isinstance(place, int):
                arguments[place] = wrong
            else:
                keywords[place] = wrong
            error = refusal(call.function, arguments, keywords)
            if wrong is ANYTHING:
                assert (error is None) == ((name, place) in TAKES_ANYTHING), (place, error)
            if isinstance(error, MathhammerError):
                # What must be, then what came.
                assert str(error).startswith("expected ") or " must be " in str(error), (place, error)


@pytest.mark.parametrize("name", sorted(SITUATION_NAMES))
def test_a_wrong_keyword_of_a_situation_of_40k(name):
    target = wh40k.TARGETS["MEQ"]
    for wrong in WRONG:
        error = refusal(wh40k.attack, (RIFLE, target), {name: wrong})
        assert error is not None or wrong is not ANYTHING
        assert error is None or isinstance(error, MathhammerError)


@pytest.mark.parametrize("name", sorted(OldSituation.__dataclass_fields__))
def test_a_wrong_keyword_of_a_situation_of_t9a(name):
    target = t9a.Target("Orcs", resilience=4, defensive_skill=3)
    for wrong in WRONG:
        error = refusal(t9a.attack, (SPEARS, target), {name: wrong})
        assert error is not None or wrong is not ANYTHING
        assert error is None or isinstance(error, MathhammerError)


@pytest.mark.parametrize("spent", ["spend", "reply"])
def test_wrong_markers(spent):
    for wrong in (3, "x", [], ANYTHING):
        error = refusal(tc.attack, (SHOT, tc.Target()), {spent: wrong})
        assert isinstance(error, MathhammerError)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda: ARMY.attach(3, None),
            (
                "expected a text as the name of the leader, got 3; the army has "
                f"{', '.join(unit.name for unit in ARMY.units)}"
            ),
        ),
        (
            lambda: wh40k.TargetUnit("x", wh40k.TARGETS["MEQ"]),
            f"expected Targets in a list as the models of 'x', got {wh40k.TARGETS['MEQ']!r}",
        ),
        (
            lambda: wh40k.activations(RIFLE, wh40k.TARGETS["MEQ"]),
            (
                "expected a list of units, each of them a weapon or its volleys, got "
                f"{RIFLE!r}; "
                "put one unit into a list"
            ),
        ),
        (
            lambda: GRID.kills(None, 0),
            "expected an attacker of the grid, got None; see its labels",
        ),
        (
            lambda: FIRST_DISTRIBUTION.given(3),
            "expected a function as condition, got 3; such as lambda state: state[0] >= 2",
        ),
    ],
)
def test_the_message_says_what_was_expected_what_came_and_the_remedy(act, message):
    with pytest.raises(MathhammerError) as caught:
        act()
    assert str(caught.value) == message


FIRST_DISTRIBUTION = wh40k.attack(RIFLE, wh40k.TARGETS["MEQ"])


def test_a_wrong_type_is_also_pythons_own_error():
    with pytest.raises(TypeError):
        wh40k.TargetUnit("x", 3)
    assert issubclass(WrongTypeError, MathhammerError)
