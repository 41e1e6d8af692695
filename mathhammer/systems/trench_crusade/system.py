"""Trench Crusade as a registered system: its editions, and the serialisation of its calls."""

from __future__ import annotations

from typing import Any

from mathhammer.modifiers import Modifier
from mathhammer.systems.text_format import Line, TextFormat, TextGame
from mathhammer.systems.trench_crusade.attack import attack
from mathhammer.systems.trench_crusade.battlefield import blast, charge, morale
from mathhammer.systems.trench_crusade.exchange import Fighter, exchange
from mathhammer.systems.trench_crusade.profiles import Attacker, Target, Weapon
from mathhammer.systems.trench_crusade.result import Decision, Plan, SpendPolicy
from mathhammer.systems.trench_crusade.rolls import bloodbath_roll, injury_roll, success_roll
from mathhammer.systems.trench_crusade.rules import EDITIONS, RULINGS, Keyword
from mathhammer.systems.trench_crusade.situation import (
    Activation,
    Attack,
    Reply,
    SituationKeywords,
    Spend,
    TargetActivation,
)


def _attacks(arguments: dict[str, Any]) -> dict[str, Any]:
    """Put a weapon and its situation into an Attack, and one thing into a tuple."""
    given = arguments["attacks"]
    if isinstance(given, Weapon | str):
        names = SituationKeywords.__annotations__.keys() & arguments.keys()
        given = Attack(weapon=given, **{name: arguments.pop(name) for name in names})
    items = (given,) if isinstance(given, Attack | Activation) else given
    attacks = tuple(Attack(weapon=item) if isinstance(item, Weapon | str) else item for item in items)
    for name, kind in ("target", Target), ("attacker", Attacker):
        if isinstance(arguments.get(name), str):
            arguments[name] = kind.parse(arguments[name])
    if isinstance(arguments.get("spend"), Plan):
        arguments["spend"] = arguments["spend"].policy
    said = {
        name: each for name, each in arguments.items() if name not in ("spend", "reply") or each != "nothing"
    }
    return {**said, "attacks": attacks}


TEXT_FORMAT = TextFormat(
    functions={
        each.__name__: each
        for each in (attack, blast, charge, exchange, success_roll, injury_roll, bloodbath_roll, morale)
    },
    kinds=(
        *(Weapon, Attack, Activation, TargetActivation, Attacker, Target, Fighter),
        *(Spend, SpendPolicy, Decision, Reply, Keyword, Modifier),
    ),
    rulings=lambda _: RULINGS,
    lines={"attacks": (Line("attack", Attack, many=True),)},
    normalise={"attack": _attacks},
    keywords={
        "attack": (lambda: {name: Attack.fields[name] for name in SituationKeywords.__annotations__}, dict)
    },
)

SYSTEM = TextGame("tc", "Trench Crusade", tuple(EDITIONS), TEXT_FORMAT)
