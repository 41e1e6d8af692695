"""The 9th Age as a registered system: its editions, small cases for its proof, and the serialisation of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.modifiers import Modifier
from mathhammer.systems.registry import Resolve, Sample
from mathhammer.systems.t9a.attack import attack
from mathhammer.systems.t9a.attributes import Attribute
from mathhammer.systems.t9a.editions import EDITIONS, find_edition
from mathhammer.systems.t9a.moves import charge
from mathhammer.systems.t9a.nerve import break_test, characteristic_test, discipline_test
from mathhammer.systems.t9a.profiles import Bracketed, ModelPart, Target, as_parts, as_target
from mathhammer.systems.t9a.rounds import fight, rounds_of_combat
from mathhammer.systems.t9a.situation import SituationKeywords, read_situation
from mathhammer.systems.t9a.units import Unit
from mathhammer.systems.text_format import Line, TextFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_DISTRIBUTIONS = ("health_points_lost", "hits", "wounds", "unsaved", "damage", "kills", "overkill")


class NinthAge:
    """The 9th Age: Fantasy Battles."""

    name = "t9a"
    title = "The 9th Age: Fantasy Battles"

    @property
    def editions(self) -> Sequence[str]:
        """Names of its editions, the default first."""
        return tuple(EDITIONS)

    @property
    def text_format(self) -> TextFormat:
        """Serialisation of calls of its functions."""
        return TEXT_FORMAT

    def samples(self, edition: str) -> Sequence[Sample]:
        """Small cases under the rules of one edition."""

        def case(part: ModelPart, **target: Any) -> Resolve:
            return lambda *, exact: attack(part, Target("target", **target), edition=edition, exact=exact)

        blows = ModelPart(
            "blows", attacks=2, offensive_skill=4, strength=4, attributes="Lethal Strike, Multiple Wounds (2)"
        )
        trolls = {"models": 1, "health_points": 3, "defensive_skill": 3, "resilience": 4, "fortitude": 5}
        shots = ModelPart("shots", attacks=2, aim="5+", strength=3, attributes="Poison Attacks")
        men = {"models": 5, "resilience": 3, "armour": 2}
        spears = ModelPart(
            "spears", attacks=20, offensive_skill=3, strength=3, attributes="Spear, Battle Focus"
        )
        guard = {
            "models": 15,
            "champion": 1,
            "defensive_skill": 4,
            "resilience": 3,
            "armour": 3,
            "aegis": "5+",
        }
        breath = ModelPart("breath", attacks="2D6", strength=4, attributes="Flaming Attacks", special=True)
        return (
            Sample(
                "two blows on trolls",
                case(blows, **trolls),
                _DISTRIBUTIONS,
                (case(blows, **{**trolls, "resilience": 5}), case(blows, **{**trolls, "defensive_skill": 8})),
                _play_blows,
            ),
            Sample(
                "two shots",
                case(shots, **men),
                _DISTRIBUTIONS,
                (case(shots, **{**men, "armour": 4}),),
                _play_shots,
            ),
            Sample(
                "twenty spears",
                case(spears, **guard),
                _DISTRIBUTIONS,
                (case(spears, **{**guard, "aegis": "3+"}),),
            ),
            Sample(
                "a breath",
                case(breath, **men),
                _DISTRIBUTIONS,
                (case(breath, **{**men, "attributes": "Fly"}),),
            ),
        )


def _play_blows(roll: Callable[[], int]) -> int:
    """Two blows with Lethal Strike on a troll of 3 Health Points: 3+, 4+, no armour, Fortitude 5+."""
    lost = 0
    for _ in range(2):
        if roll() < 3:
            continue
        wound = roll()
        if wound >= 4 and (wound == 6 or roll() < 5):
            lost += 2
    return min(lost, 3)


def _play_shots(roll: Callable[[], int]) -> int:
    """Two poisoned shots at five men: 5+, 4+ unless the first was a 6, Armour Save 5+."""
    lost = 0
    for _ in range(2):
        hit = roll()
        if hit >= 5 and (hit == 6 or roll() >= 4) and roll() < 5:
            lost += 1
    return lost


def _target(target: Target) -> dict[str, Any]:
    """Return the arguments of a target: Aegis and Fortitude apart."""
    arguments = {name: getattr(target, name) for name in Target.__dataclass_fields__}
    saves = arguments.pop("special_saves")
    texts = {
        name: tuple(str(save).removeprefix(f"{name} ") for save in saves if save.name == name)
        for name in ("Aegis", "Fortitude")
    }
    return {**arguments, "aegis": texts["Aegis"], "fortitude": next(iter(texts["Fortitude"]), None)}


def _unit(unit: Unit) -> dict[str, Any]:
    """Return the arguments of a unit: those of its Break Test are kept together."""
    arguments: dict[str, Any] = {name: getattr(unit, name) for name in Unit.__dataclass_fields__}
    test = arguments.pop("test")
    return {**arguments, **test}


def _write_unit(unit: Unit) -> tuple[str, Mapping[str, Any]]:
    arguments = _unit(unit)
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


TEXT_FORMAT = TextFormat(
    functions={
        each.__name__: each
        for each in (
            attack,
            fight,
            rounds_of_combat,
            charge,
            break_test,
            discipline_test,
            characteristic_test,
        )
    },
    kinds=(ModelPart, Target, Unit, Bracketed, Attribute, Modifier),
    rulings=lambda edition: find_edition(edition).rulings,
    lines={
        "parts": (Line("part", ModelPart, many=True),),
        "target": (Line("target", Target),),
        "first": (_side("first"),),
        "second": (_side("second"),),
    },
    constructors={Target: _target, Unit: _unit},
    normalise={"attack": _parts},
    keywords={"attack": (SituationKeywords.__annotations__, read_situation)},
)

SYSTEM = NinthAge()
