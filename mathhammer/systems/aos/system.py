"""Age of Sigmar as a registered system: its editions, and the serialisation of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.modifiers import Modifier
from mathhammer.systems.aos.attack import attack, fight
from mathhammer.systems.aos.profiles import Target, Unit, Weapon, as_target, as_weapons
from mathhammer.systems.aos.rolls import cast, chant, charge
from mathhammer.systems.aos.rules import EDITIONS, Situation, disputed
from mathhammer.systems.text_format import Line, TextFormat, TextGame

if TYPE_CHECKING:
    from collections.abc import Mapping


def _write_unit(unit: Unit) -> tuple[str, Mapping[str, Any]]:
    arguments = unit.arguments()
    return str(arguments.pop("target")), arguments


#: How a side of a fight is written: how it is struck, then what it strikes with.
_SIDE: dict[str, Any] = {
    "write": _write_unit,
    "read": lambda text, more: Unit(text, **more),
    "parts": {"weapons": Line("weapon", Weapon)},
}
_LINES = {"weapons": Weapon, "target": Target, "guard": Target, "user": Target}


def _read(arguments: dict[str, Any]) -> dict[str, Any]:
    """Read lines and labels."""
    units = {name: as_target(arguments[name]) for name in _LINES if name != "weapons" and arguments.get(name)}
    return {**arguments, **units, "weapons": as_weapons(arguments["weapons"])}


TEXT_FORMAT = TextFormat(
    functions={each.__name__: each for each in (attack, fight, charge, cast, chant)},
    kinds=(Weapon, Target, Unit, Situation, Modifier),
    rulings=disputed,
    lines={
        **{
            name: (Line(name.removesuffix("s"), kind, many=name == "weapons"),)
            for name, kind in _LINES.items()
        },
        **{name: (Line(name, Unit, **_SIDE),) for name in ("first", "second")},
    },
    normalise={"attack": _read},
    keywords={"attack": (lambda: Situation.fields, lambda given: Situation(**given))},
)

SYSTEM = TextGame("aos", "Warhammer Age of Sigmar", tuple(EDITIONS), TEXT_FORMAT)
