"""Age of Sigmar as a registered system: its editions, and the serialisation of its calls."""

from __future__ import annotations

from typing import Any

from mathhammer.modifiers import Modifier
from mathhammer.systems.aos.attack import attack, fight
from mathhammer.systems.aos.profiles import Target, Unit, Weapon, as_target, as_weapons
from mathhammer.systems.aos.rolls import cast, chant, charge
from mathhammer.systems.aos.rules import EDITIONS, Situation, disputed
from mathhammer.systems.text_format import Line, TextFormat, TextGame


def _read(arguments: dict[str, Any]) -> dict[str, Any]:
    """Read lines and labels."""
    units = {name: as_target(arguments[name]) for name in _UNITS if arguments.get(name)}
    return {**arguments, **units, "weapons": as_weapons(arguments["weapons"])}


_UNITS = "target", "guard", "user"
#: What follows the line of a side of a fight: what it strikes with.
_PARTS = {"weapons": Line("weapon", Weapon)}
TEXT_FORMAT = TextFormat(
    functions={each.__name__: each for each in (attack, fight, charge, cast, chant)},
    kinds=(Weapon, Target, Unit, Situation, Modifier),
    rulings=disputed,
    lines={
        "weapons": (Line("weapon", Weapon, many=True),),
        **{name: (Line(name, Target),) for name in _UNITS},
        **{name: (Line(name, Unit, parts=_PARTS),) for name in ("first", "second")},
    },
    normalise={"attack": _read},
    keywords={"attack": (lambda: Situation.fields, lambda given: Situation(**given))},
)

SYSTEM = TextGame("aos", "Warhammer Age of Sigmar", tuple(EDITIONS), TEXT_FORMAT, as_target)
