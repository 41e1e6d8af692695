"""Whatever is given in the place of an argument: one clear error, never one from the inside."""

from __future__ import annotations

import inspect

import pytest
from calls import BEASTS, CALLS, MADE_BY_THE_LIBRARY, MODULES, ORCS, RIFLE, SHOT, SPEARS, SWORDS
from tenth import wh40k

from mathhammer import aos, t9a
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
            if isinstance(error, MathhammerError) and "; check the path" not in str(error):
                # What must be, then what came; but of a file that is missing.
                assert str(error).startswith("expected ") or " must be " in str(error), (place, error)


SITUATIONS = [
    *((name, wh40k.attack, (RIFLE, "MEQ")) for name in sorted(SITUATION_NAMES)),
    *((name, t9a.attack, (SPEARS, ORCS)) for name in sorted(OldSituation.__dataclass_fields__)),
    *((name, aos.attack, (SWORDS, BEASTS)) for name in sorted(inspect.signature(aos.Situation).parameters)),
]


@pytest.mark.parametrize(("name", "attack", "given"), SITUATIONS)
def test_a_wrong_keyword_of_a_situation(name, attack, given):
    for wrong in WRONG:
        error = refusal(attack, given, {name: wrong})
        assert error is not None or wrong is not ANYTHING
        assert error is None or isinstance(error, MathhammerError)


@pytest.mark.parametrize("spent", ["spend", "reply"])
def test_wrong_markers(spent):
    for wrong in (3, "x", [], ANYTHING):
        assert isinstance(refusal(tc.attack, (SHOT, tc.Target()), {spent: wrong}), MathhammerError)


def test_a_wrong_type_is_also_pythons_own_error():
    assert issubclass(WrongTypeError, TypeError)
    assert issubclass(WrongTypeError, MathhammerError)
