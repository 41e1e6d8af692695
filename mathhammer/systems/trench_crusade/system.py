"""Trench Crusade as a registered system: its editions, and the serialisation of its calls."""

from __future__ import annotations

from typing import Any

from mathhammer.modifiers import Modifier
from mathhammer.systems import trench_crusade as tc
from mathhammer.systems.text_format import Line, TextFormat, TextGame
from mathhammer.systems.trench_crusade.result import Plan

_FUNCTIONS = "attack blast charge exchange success_roll injury_roll bloodbath_roll morale"
#: What may be said beside a weapon, which makes an Attack of both.
_SITUATION = {name: tc.Attack.fields[name] for name in tc.SituationKeywords.__annotations__}


def _attacks(said: dict[str, Any]) -> dict[str, Any]:
    """Put weapons and their situation into Attacks, and one thing into a tuple."""
    given, at = said["attacks"], {name: said.pop(name) for name in _SITUATION.keys() & said.keys()}
    items = (given,) if isinstance(given, tc.Weapon | str | tc.Attack | tc.Activation) else given
    bare = tc.Weapon | str
    attacks = tuple(tc.Attack(weapon=each, **at) if isinstance(each, bare) else each for each in items)
    for name, kind in ("target", tc.Target), ("attacker", tc.Attacker):
        if said.get(name) is not None:
            said[name] = kind.given(said[name], name)
    if isinstance(said.get("spend"), Plan):
        said["spend"] = said["spend"].policy
    spent = ("spend", "reply")
    said = {name: each for name, each in said.items() if name not in spent or each != "nothing"}
    return {**said, "attacks": attacks}


TEXT_FORMAT = TextFormat(
    functions={name: getattr(tc, name) for name in _FUNCTIONS.split()},
    kinds=(
        *(tc.Weapon, tc.Attack, tc.Activation, tc.TargetActivation, tc.Attacker, tc.Target, tc.Fighter),
        *(tc.Spend, tc.SpendPolicy, tc.Decision, tc.Reply, tc.Keyword, Modifier),
    ),
    rulings=lambda _: tc.RULINGS,
    lines={"attacks": (Line("attack", tc.Attack, many=True),)},
    normalise={"attack": _attacks},
    keywords={"attack": (lambda: _SITUATION, dict)},
)

SYSTEM = TextGame("tc", "Trench Crusade", tuple(tc.EDITIONS), TEXT_FORMAT)
