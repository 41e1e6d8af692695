"""Warhammer 40,000 as a registered system: its editions and the serialisation of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.modifiers import Modifier
from mathhammer.sequence.reroll_plan import RerollPlan, RerollPolicy, RerollState
from mathhammer.systems.text_format import Line, TextFormat
from mathhammer.systems.wh40k.attacks.activations import activation
from mathhammer.systems.wh40k.attacks.attack import attack, read_weapons
from mathhammer.systems.wh40k.attacks.fast_rolls import fast_roll_check
from mathhammer.systems.wh40k.attacks.hazards import desperate_escape, hazardous
from mathhammer.systems.wh40k.attacks.unit_rolls import battle_shock, charge, mortal_wounds
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, EDITIONS, find_edition
from mathhammer.systems.wh40k.editions.edition import OWN
from mathhammer.systems.wh40k.profiles.keywords import Keyword
from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
from mathhammer.systems.wh40k.profiles.targets import IN_STAT_LINE, TargetUnit, read_target
from mathhammer.systems.wh40k.profiles.triggers import Incoming, Trigger
from mathhammer.systems.wh40k.situation import (
    SITUATION_NAMES,
    MortalWounds,
    Volley,
    conditions,
    read_situation,
    read_volley,
)
from mathhammer.systems.wh40k.turns.combatant import Combatant
from mathhammer.systems.wh40k.turns.turn import STAGES_OF_A_TURN, turn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def _volleys(given: dict[str, Any]) -> dict[str, Any]:
    """Put what attacks into volleys, and read a target."""
    read, about = _target(given), {"edition", "rulings", "exact", "start", *SITUATION_NAMES}
    if isinstance(
        reroll := read.get("reroll"), RerollPlan
    ):  # its policy: its numbers are those of another attack
        read["reroll"] = reroll.policy
    options = {name: value for name, value in read.items() if name in about}
    volleys = read_weapons(read["weapons"], read.pop("count", 1), read.get("target", ""), **options)
    return {**read, "weapons": tuple(volleys)}


def _target(arguments: dict[str, Any]) -> dict[str, Any]:
    edition = arguments.get("edition", DEFAULT_EDITION)
    named = {name: arguments[name] for name in ("target", "bearers") if arguments.get(name) is not None}
    return {**arguments, **{name: read_target(each, edition) for name, each in named.items()}}


def _target_line(text: str, more: Mapping[str, Any]) -> Target | str:
    """Read a stat line; a label is left to the call, which knows the edition."""
    if more:
        return Target(**{**Target.parse(text).arguments(), **more})
    return Target.parse(text) if IN_STAT_LINE.search(text) else text


def _turn(arguments: dict[str, Any]) -> dict[str, Any]:
    """Put names of stages and choices into tuples."""
    found = {**arguments, "stages": tuple(arguments.get("stages", STAGES_OF_A_TURN))}
    best = arguments.get("best", ())
    if best := (best,) if isinstance(best, str) else tuple(sorted(best)):
        found["best"] = best
    return found


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(attack, activation, mortal_wounds, hazardous, fast_roll_check, desperate_escape, charge),
    *(battle_shock, turn),
)
_TEXT_FORMAT = TextFormat(
    functions={function.__name__: function for function in _FUNCTIONS},
    kinds=(
        *(Weapon, Volley, Target, TargetUnit, MortalWounds, Keyword, Modifier, Trigger, Incoming),
        *(RerollPolicy, RerollState, Combatant),
    ),
    rulings=lambda edition: find_edition(edition).rulings,
    lines={
        "weapons": (
            Line(
                "weapon",
                Volley,
                many=True,
                write=lambda volley: (f"{volley.count}x {volley.weapon}", volley.situation),
                read=lambda text, more: read_volley(text, **more),
            ),
            Line("also", MortalWounds, many=True),
        ),
        "target": (
            Line("target", Target, read=_target_line),
            Line(
                "unit", TargetUnit, parts={"models": Line("model", Target), "leaders": Line("leader", Target)}
            ),
        ),
        "bearers": (Line("bearers", Target, read=_target_line),),
    },
    normalise={
        **dict.fromkeys(("attack", "activation", "hazardous", "fast_roll_check"), _volleys),
        "mortal_wounds": _target,
        "turn": _turn,
    },
    keywords=dict.fromkeys(
        ("attack", "activation", "fast_roll_check"),
        (lambda: {name: rule.value for name, rule in conditions().items()}, read_situation),
    ),
)


class Warhammer40000:
    """Warhammer 40,000."""

    name = "40k"
    title = "Warhammer 40,000"
    text_format = _TEXT_FORMAT

    @property
    def editions(self) -> Sequence[str]:
        """Names of its editions, the default first, and of those of somebody's own."""
        return tuple(sorted([*EDITIONS, *OWN], key=lambda name: name != DEFAULT_EDITION))


SYSTEM = Warhammer40000()
