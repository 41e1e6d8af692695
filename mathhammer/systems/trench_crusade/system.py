"""Trench Crusade as a registered system: its editions, and the serialisation of its calls."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from mathhammer.modifiers import Modifier
from mathhammer.systems.text_format import Line, TextFormat
from mathhammer.systems.trench_crusade.attack import attack
from mathhammer.systems.trench_crusade.battlefield import blast, morale
from mathhammer.systems.trench_crusade.exchange import Fighter, exchange
from mathhammer.systems.trench_crusade.keywords import Keyword
from mathhammer.systems.trench_crusade.profiles import Attacker, Target, Weapon, as_weapon
from mathhammer.systems.trench_crusade.result import Decision, Plan, SpendPolicy
from mathhammer.systems.trench_crusade.rolls import bloodbath_roll, injury_roll, success_roll
from mathhammer.systems.trench_crusade.rulings import EDITIONS, RULINGS
from mathhammer.systems.trench_crusade.situation import Activation, Attack, Reply, Spend, TargetActivation

if TYPE_CHECKING:
    from collections.abc import Mapping


class TrenchCrusade:
    """Trench Crusade, as the registry of systems knows it."""

    name = "tc"
    title = "Trench Crusade"
    editions = tuple(EDITIONS)

    @property
    def text_format(self) -> TextFormat:
        """Serialisation of calls of its functions."""
        return TEXT_FORMAT


def _write_attack(attack: Attack) -> tuple[str, Mapping[str, Any]]:
    bare = Attack(weapon=attack.weapon)
    names = [field.name for field in fields(Attack) if field.name != "weapon"]
    more = {name: getattr(attack, name) for name in names if getattr(attack, name) != getattr(bare, name)}
    return str(attack.weapon), more


def _attacks(arguments: dict[str, Any]) -> dict[str, Any]:
    """Put a weapon and its situation into an Attack, and one thing into a tuple."""
    given = arguments["attacks"]
    names = {field.name for field in fields(Attack)} - {"weapon"}
    situation = {name: arguments.pop(name) for name in names & arguments.keys()}
    if isinstance(given, Weapon | str):
        given = Attack(weapon=as_weapon(given), **situation)
        situation = {}
    items = (given,) if isinstance(given, Attack | Activation) else given
    attacks = tuple(
        Attack(weapon=as_weapon(item)) if isinstance(item, Weapon | str) else item for item in items
    )
    if isinstance(arguments.get("spend"), Plan):
        arguments["spend"] = arguments["spend"].policy
    for name in ("spend", "reply"):
        if isinstance(arguments.get(name), str) and arguments[name] == "nothing":
            del arguments[name]
    return {**arguments, **situation, "attacks": attacks}


TEXT_FORMAT = TextFormat(
    functions={
        each.__name__: each
        for each in (attack, blast, exchange, success_roll, injury_roll, bloodbath_roll, morale)
    },
    kinds=(
        *(Weapon, Attack, Activation, TargetActivation, Attacker, Target, Fighter),
        *(Spend, SpendPolicy, Decision, Reply, Keyword, Modifier),
    ),
    rulings=lambda _: RULINGS,
    lines={
        "attacks": (
            Line(
                "attack",
                Attack,
                many=True,
                write=_write_attack,
                read=lambda text, more: Attack(weapon=Weapon.parse(text), **more),
            ),
        )
    },
    normalise={"attack": _attacks},
)

#: What the registry finds.
SYSTEM = TrenchCrusade()
