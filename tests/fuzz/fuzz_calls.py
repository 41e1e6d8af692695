"""Calls with values that do not belong there, and what else a text alone does not reach."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer import analysis, t9a, wh40k
from mathhammer import trench_crusade as tc

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random

__all__ = ["calls", "shown"]

RIFLE = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1 [SUSTAINED HITS 1, RAPID FIRE 1]')
PLASMA = wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS, BLAST, PRECISION]")
BLADE = wh40k.Weapon.parse("Blade: AD3 WS3+ S5 AP-2 DD3 [LETHAL HITS, DEVASTATING WOUNDS]")
CANNON = wh40k.Weapon.parse("Cannon: A3D6 BS4+ S12 AP-3 DD6+1 [DEVASTATING WOUNDS, SUSTAINED HITS D3]")
MEQ = wh40k.TARGETS["MEQ"]
TITAN = wh40k.Target("Titan", toughness=13, save="2+", wounds=100, models=3, feel_no_pain=5)
SPARED = wh40k.Target("Spared", toughness=4, save="3+", wounds=4, models=3, damage_to_0=True)
LED = wh40k.TargetUnit("Led", [MEQ, SPARED], leaders=[wh40k.TARGETS["CTAN"]])

_ONE_WAY = (
    *(None, True, False, 0, 1, 2, 3, 4, 5, 6, 7, -1, 20, 199, 20_000, 10**9, 10**30, -(10**9), 3.5, 1e308),
    *(float("nan"), float("inf"), "", "one", "ones", "failed", "4", "6+", "-1", "D6", "2D6+3", "9" * 5000),
    *("critical", "light,heavy", "\x1b[31m", "\ud800", "all", "save", "x" * 3000, b"one", [], {}, set(), ()),
    *({1, 2}, {6, 7}, [1] * 500, [[[]]], {"a": 1}, object, np.int64(3), np.float64(2.5), np.arange(3)),
    *(np.array(2), 1j, range(10**9), MEQ, RIFLE, lambda _: 1),
)
_VALUES = (
    *_ONE_WAY,
    *(
        wh40k.Modifier("add", number, "a rule", of=name)
        for number in (-1, 1, 1000)
        for name in ("damage", "hit")
    ),
    wh40k.Modifier("multiply", 1000, "a rule", of="damage"),
    [wh40k.Modifier("add", 1, "a rule", of="attacks")] * 300,
    *(wh40k.Trigger("wound", "unmodified 6", "a rule", mortal_wounds=number) for number in (1, "D3", "6D6")),
    wh40k.Trigger("hit", "5+", "a rule", extra_hits="D3"),
    wh40k.Trigger("hit", "6", "a rule", extra_attacks=3),
    wh40k.Trigger("hit", "unmodified 1", "a rule", bearer="slain"),
)
_WEAPONS = (
    *(RIFLE, PLASMA, BLADE, CANNON, wh40k.MortalWounds("D6", "Hex")),
    *(wh40k.Volley(weapon, count) for weapon in (RIFLE, PLASMA, BLADE, CANNON) for count in (3, 20)),
)
_TARGETS = (MEQ, TITAN, SPARED, LED, *wh40k.TARGETS.values())
_SITUATION = tuple(wh40k.SituationKeywords.__annotations__)


def shown(answer: Any) -> str:
    """Return all that an answer shows of itself: in a terminal, in a notebook, step by step."""
    ways = [found for name in ("_repr_html_", "explain", "to_text") if (found := getattr(answer, name, None))]
    numbers = [getattr(answer, name, None) for name in ("hazardous", "kills", "wounds_lost")]
    parts = [str(answer), repr(answer), *(str(way()) for way in ways), *map(str, numbers)]
    return "\n".join(parts).replace("\x1b[1m", "")


def _weapons(rng: Random) -> Any:
    if rng.random() < 0.05:
        return rng.choice(_VALUES)
    several = [rng.choice(_WEAPONS) for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 9)))]
    return several if len(several) > 1 or rng.random() < 0.5 else several[0]


def _target(rng: Random) -> Any:
    return rng.choice(_VALUES) if rng.random() < 0.05 else rng.choice(_TARGETS)


def _options(rng: Random, names: Sequence[str], most: int = 4) -> dict[str, Any]:
    return {rng.choice(names): rng.choice(_VALUES) for _ in range(rng.randrange(most))}


def _wh40k(rng: Random) -> tuple[Callable[..., Any], list[Any], dict[str, Any]]:
    functions: tuple[tuple[Callable[..., Any], tuple[str, ...]], ...] = (
        (wh40k.attack, ("count", "bearers", "rulings", "start", "edition", "exact")),
        (wh40k.best_order, ("objective", "rulings", "start", "edition", "exact")),
        (wh40k.activations, ("order", "objective", "rulings", "start", "exact")),
        (wh40k.fast_roll_check, ("count", "rulings", "edition", "exact")),
        (wh40k.hazardous, ("count", "exact")),
        (analysis.grid, ("edition", "rulings")),
    )
    function, own = rng.choice(functions)
    options = _options(rng, own if function is wh40k.hazardous else (*_SITUATION, *own))
    if function is wh40k.attack and rng.random() < 0.2:
        options["bearers"] = rng.choice(_TARGETS)
    if function is wh40k.activations and rng.random() < 0.5:
        options["order"] = "best"
    for name in set(options) & {"edition"}:
        options[name] = rng.choice(("9e", "10e", "11e", options[name]))
    return function, [_weapons(rng), _target(rng)], options


def _tc(rng: Random) -> tuple[Callable[..., Any], list[Any], dict[str, Any]]:
    several = rng.choice((1, 1, 2))
    names = ("blood", "infection", "blessing")

    def markers() -> dict[str, Any]:
        # More of them are some seconds of work that is allowed; all at once are tried in the tests of limits.
        return {name: rng.randrange(2) for name in names}

    attacker = tc.Attacker("A", **markers())
    target = tc.Target("T", **markers(), keywords=rng.choice(("", "TOUGH", "GOLEM")))
    weapons = [rng.choice(list(tc.WEAPONS.values())) for _ in range(several)]
    options: dict[str, Any] = {}
    for name, values in (
        ("spend", ("best", "nothing", tc.Spend(blood=1))),
        ("reply", ("best", "nothing", tc.Reply(blessing=1))),
        ("spends_first", ("attacker", "defender")),
        ("objective", ("out of action", "down or worse")),
    ):
        if rng.random() < 0.7:
            options[name] = (
                rng.choice((*values, rng.choice(_VALUES))) if rng.random() < 0.1 else rng.choice(values)
            )
    if rng.random() < 0.2:
        options |= _options(rng, ("attacker", "rulings", "edition", "cover", "initiative"))
    each = [tc.Activation([tc.Attack(weapon=weapon)], attacker) for weapon in weapons]
    if rng.random() < 0.3:
        return tc.best_order, [each, target], options
    return tc.attack, [each, target], options


def _t9a(rng: Random) -> tuple[Callable[..., Any], list[Any], dict[str, Any]]:
    function, names, given = rng.choice(
        (
            (t9a.charge, ("distance", "advance", "swiftstride", "maximised", "minimised", "exact"), []),
            (t9a.break_test, ("reroll", "maximised", "minimised", "exact"), [rng.choice((8, 5)), 2]),
            (t9a.discipline_test, ("reroll", "maximised", "minimised", "exact"), [7]),
        )
    )
    options = _options(rng, names, most=5)
    if function is t9a.charge:
        options = {"distance": 12, "advance": 5, **options}
    return function, [rng.choice((each, each, rng.choice(_VALUES))) for each in given], options


_FAMILIES = {"wh40k": _wh40k, "tc": _tc, "t9a": _t9a}


def calls(family: str) -> Any:
    """Return the surface of the functions of a game, with values that fit and values that do not."""

    def surface(rng: Random) -> tuple[str, Callable[[], object]]:
        function, given, options = _FAMILIES[family](rng)
        words = ", ".join(
            [*(_short(each) for each in given), *(f"{k}={_short(v)}" for k, v in options.items())]
        )
        return f"{function.__name__}({words})", partial(_called, function, given, options)

    return surface


def _short(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value[:9]))}]"
    text = str(value) if isinstance(value, (wh40k.Volley, wh40k.Weapon, wh40k.Trigger)) else repr(value)
    return text.split(" at 0x")[0][:120]


def _called(function: Callable[..., Any], given: Sequence[Any], options: Mapping[str, Any]) -> str:
    found = function(*given, **options)
    return "\n".join(map(shown, found if isinstance(found, tuple) else (found,)))
