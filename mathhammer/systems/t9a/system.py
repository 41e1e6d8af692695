"""The 9th Age as a registered system: its editions, and the serialisation of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.modifiers import Modifier
from mathhammer.systems.t9a import rolls
from mathhammer.systems.t9a.attack import attack
from mathhammer.systems.t9a.attributes import Attribute
from mathhammer.systems.t9a.editions import EDITIONS, find_edition
from mathhammer.systems.t9a.profiles import Bracketed, ModelPart, Target, as_parts, as_target
from mathhammer.systems.t9a.rounds import fight, rounds_of_combat
from mathhammer.systems.t9a.situation import Situation, read_situation
from mathhammer.systems.t9a.units import Unit
from mathhammer.systems.text_format import Line, TextFormat, TextGame

if TYPE_CHECKING:
    from collections.abc import Mapping


def _write_unit(unit: Unit) -> tuple[str, Mapping[str, Any]]:
    arguments = unit.arguments()
    return str(arguments.pop("target")), arguments


def _read_unit(text: str, more: Mapping[str, Any]) -> Unit:
    rest = dict(more)
    return Unit(Target.parse(text), rest.pop("parts", ()), **rest)


def _side(label: str) -> Line:
    """Return how a side of a round of combat is written: how it is struck, then what it strikes with."""
    parts = {"parts": Line("part", ModelPart), "characters": Line("character", Target)}
    return Line(label, Unit, write=_write_unit, read=_read_unit, parts=parts)


def _parts(arguments: dict[str, Any]) -> dict[str, Any]:
    """Read stat lines, and put one model part into a tuple."""
    parts, target = as_parts(arguments["parts"], "model parts"), as_target(arguments["target"], "a target")
    return {**arguments, "parts": parts, "target": target}


_TESTS = ("break", "discipline", "characteristic", "panic", "rally", "fear")
TEXT_FORMAT = TextFormat(
    functions={
        **{each.__name__: each for each in (attack, fight, rounds_of_combat)},
        **{name: getattr(rolls, name) for name in ("charge", *(f"{each}_test" for each in _TESTS))},
    },
    kinds=(ModelPart, Target, Unit, Bracketed, Attribute, Modifier),
    rulings=lambda edition: find_edition(edition).rulings,
    lines={
        "parts": (Line("part", ModelPart, many=True),),
        "target": (Line("target", Target),),
        "first": (_side("first"),),
        "second": (_side("second"),),
    },
    normalise={"attack": _parts},
    keywords={"attack": (lambda: Situation.fields, read_situation)},
)

SYSTEM = TextGame("t9a", "The 9th Age: Fantasy Battles", tuple(EDITIONS), TEXT_FORMAT)
