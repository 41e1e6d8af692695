"""The calls of `inputs/calls.txt` with values that do not belong there."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import calls as valid
import numpy as np
from sympy import Rational

from mathhammer import wh40k

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random

#: All that calls are made with, and guns and targets whose answers are large.
_OBJECTS = [value for name, value in vars(valid).items() if name.isupper() and not isinstance(value, dict)]
_OBJECTS += [
    wh40k.Volley(wh40k.Weapon.parse(line), count)
    for line in (
        "Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS, BLAST, PRECISION]",
        "Blade: AD3 WS3+ S5 AP-2 DD3 [LETHAL HITS, DEVASTATING WOUNDS]",
        "Cannon: A3D6 BS4+ S12 AP-3 DD6+1 [DEVASTATING WOUNDS, SUSTAINED HITS D3]",
    )
    for count in (1, 20)
]
_TARGETS = [
    wh40k.Target("Titan", toughness=13, save="2+", wounds=100, models=3, feel_no_pain=5),
    wh40k.Target("Spared", toughness=4, save="3+", wounds=4, models=3, damage_to_0=True),
]
_OBJECTS += [*_TARGETS, wh40k.TargetUnit("Led", _TARGETS, leaders=[wh40k.TARGETS["CTAN"]]), _OBJECTS[-4:]]
_VALUES = (
    *(None, True, False, 0, 1, 2, 3, 4, 5, 6, 7, -1, 20, 199, 20_000, 10**9, 10**30, -(10**9), 3.5, 1e308),
    *(float("nan"), float("inf"), "", "one", "ones", "failed", "4", "6+", "-1", "D6", "2D6+3", "9" * 5000),
    *("critical", "light,heavy", "\x1b[31m", "\ud800", "all", "save", "x" * 3000, b"one", [], {}, set(), ()),
    *({1, 2}, {6, 7}, [1] * 500, [[[]]], {"a": 1}, object(), np.int64(3), np.float64(2.5), np.arange(3)),
    *(
        np.array([]),
        np.array([[1, 2]]),
        np.array(["a"]),
        Fraction(1, 3),
        Decimal("NaN"),
        Rational(1, 3),
        [None],
    ),
    *(
        10**400,
        2**31,
        2**64,
        1e-320,
        -0.0,
        0.5,
        {None: 1},
        [[1], [2]],
        MappingProxyType({"a": 1}),
        ...,
        "MEQ",
    ),
    *(np.array(2), 1j, range(10**9), lambda _: 1, "best", "nothing", "attacker", "9e", "10e", "11e"),
    *(
        wh40k.Modifier("add", number, "a rule", of=name)
        for number in (-1, 1, 1000)
        for name in ("damage", "hit")
    ),
    *(wh40k.Trigger("wound", "unmodified 6", "a rule", mortal_wounds=number) for number in (1, "D3", "6D6")),
    *(
        [wh40k.Modifier("add", 1, "a rule", of="attacks")] * 300,
        wh40k.Trigger("hit", "5+", "a", extra_hits="D3"),
    ),
    *(
        wh40k.Trigger("hit", "6", "a", extra_attacks=3),
        wh40k.Trigger("hit", "unmodified 1", "a", bearer="slain"),
    ),
)
_SITUATION = tuple(wh40k.SituationKeywords.__annotations__)


def calls(game: str) -> Any:
    """Return the surface of the functions of a game, with values that fit and values that do not."""
    names = [name for name in valid.CALLS if name.startswith(f"{game}.") and ".to_" not in name]

    def surface(rng: Random) -> tuple[str, Callable[[], object]]:
        name = rng.choice(names)
        function, arguments, keywords = valid.CALLS[name]
        given: dict[Any, Any] = {**dict(enumerate(arguments)), **keywords}
        places = [*given]
        if name in {"wh40k.attack", "wh40k.best_order", "wh40k.activations", "analysis.grid"}:
            places = [0, 0, 1, *places, *_SITUATION]
        for _ in range(rng.choice((0, 1, 1, 2, 3)) if places else 0):
            given[rng.choice(places)] = rng.choice(_OBJECTS if rng.random() < 0.4 else _VALUES)
        options = {each: value for each, value in given.items() if isinstance(each, str)}
        arguments = tuple(given[place] for place in range(len(arguments)))
        words = [*map(_short, arguments), *(f"{each}={_short(value)}" for each, value in options.items())]
        return f"{name}({', '.join(words)})", partial(_called, function, arguments, options)

    return surface


def _short(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value[:9]))}]"
    return repr(value).split(" at 0x")[0][:120]


def _called(function: Callable[..., Any], given: Sequence[Any], options: Mapping[str, Any]) -> str:
    found = function(*given, **options)
    return "\n".join(map(_shown, found if isinstance(found, tuple) else (found,)))


def _shown(answer: Any) -> str:
    """Return all that an answer shows of itself: in a terminal, in a notebook, step by step."""
    ways = [found for name in ("_repr_html_", "explain", "to_text") if (found := getattr(answer, name, None))]
    numbers = [getattr(answer, name, None) for name in ("hazardous", "kills", "wounds_lost")]
    parts = [str(answer), repr(answer), *(str(way()) for way in ways), *map(str, numbers)]
    return "\n".join(parts).replace("\x1b[1m", "")
