"""The 9th Age as a registered system: its editions, and the serialisation of its calls."""

from __future__ import annotations

from typing import Any

from mathhammer.modifiers import Modifier
from mathhammer.systems.t9a import rolls
from mathhammer.systems.t9a.attack import attack
from mathhammer.systems.t9a.attributes import Attribute
from mathhammer.systems.t9a.profiles import Bracketed, ModelPart, Target, as_parts
from mathhammer.systems.t9a.rounds import fight, rounds_of_combat
from mathhammer.systems.t9a.situation import EDITIONS, Situation, find_edition, read_situation
from mathhammer.systems.t9a.units import Unit
from mathhammer.systems.text_format import Line, TextFormat, TextGame

#: What follows the line of a side of a round of combat: what it strikes with.
_PARTS = {"parts": Line("part", ModelPart), "characters": Line("character", Target)}


def _parts(arguments: dict[str, Any]) -> dict[str, Any]:
    """Read stat lines, and put one model part into a tuple."""
    parts, target = as_parts(arguments["parts"], "model parts"), Target.given(arguments["target"], "a target")
    return {**arguments, "parts": parts, "target": target}


_TESTS = ("break", "discipline", "characteristic", "panic", "rally", "fear")
TEXT_FORMAT = TextFormat(
    functions={
        **{each.__name__: each for each in (attack, fight, rounds_of_combat, rolls.cast_spell)},
        **{name: getattr(rolls, name) for name in ("charge", *(f"{each}_test" for each in _TESTS))},
    },
    kinds=(ModelPart, Target, Unit, Bracketed, Attribute, Modifier),
    rulings=lambda edition: find_edition(edition).rulings,
    lines={
        "parts": (Line("part", ModelPart, many=True),),
        "target": (Line("target", Target),),
        **{side: (Line(side, Unit, parts=_PARTS),) for side in ("first", "second")},
    },
    normalise={"attack": _parts},
    keywords={"attack": (lambda: Situation.fields, read_situation)},
)

SYSTEM = TextGame("t9a", "The 9th Age: Fantasy Battles", tuple(EDITIONS), TEXT_FORMAT)
