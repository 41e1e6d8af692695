"""The controls of an attack, by the name of the argument that each of them sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k import EDITIONS, parse_keywords
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, rulebook
from mathhammer.systems.wh40k.rules import values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mathhammer.systems.wh40k import Target, Volley

    Controls = dict[str, Any]

#: What a control says that says nothing: a widget cannot hold None as a choice.
_NONE = "-"
_REROLLS = {
    "ones": "results of 1",
    "failed": "failed rolls",
    "failed-unmodified": "rolls that fail before modifiers",
    "non-critical": "all but critical",
    "one": "one of all (Command Re-roll)",
    "first": "on the first low roll",
    "best": "as well as can be",
}
_IGNORED = {"of hit rolls and skill": ("hit", "skill"), "of hit and wound rolls": ("hit", "wound")}
_NARROW, _WIDE = "10.5em", "13em"


def ipywidgets() -> Any:
    """Return the module of the widgets."""
    try:
        import ipywidgets as module
    except ImportError as error:
        raise MathhammerError(
            "expected ipywidgets for a panel, which is not installed; pip install 'mathhammer[interactive]'"
        ) from error
    return module


def _text(label: str, value: str, hint: str = "") -> Any:
    return ipywidgets().Text(value=value, placeholder=hint, **_labelled(label))


def _slider(
    label: str, value: int, least: int, most: int, *, width: str = _NARROW, readout: str = "d"
) -> Any:
    ends = {"value": value, "min": least, "max": most}
    return ipywidgets().IntSlider(**ends, readout_format=readout, **_labelled(label, width))


def _steps(label: str, options: Iterable[Any], value: Any) -> Any:
    return ipywidgets().SelectionSlider(options=list(options), value=value, **_labelled(label))


def choice(label: str, options: Iterable[Any], value: Any, width: str = _NARROW) -> Any:
    """Return a list to choose from."""
    return ipywidgets().Dropdown(options=list(options), value=value, **_labelled(label, width))


def buttons(label: str, options: Iterable[Any], value: Any) -> Any:
    """Return buttons of which one is pressed."""
    found = _labelled(label)
    found["style"]["button_width"] = "5.5em"
    return ipywidgets().ToggleButtons(options=list(options), value=value, **found)


def _toggle(label: str) -> Any:
    # Not the label's own width: a long one wraps instead of running out of the panel.
    return ipywidgets().Checkbox(value=False, description=label, indent=False, layout={"width": "auto"})


def _labelled(label: str, width: str = _NARROW) -> dict[str, Any]:
    return {
        "description": label,
        "tooltip": label,
        "style": {"description_width": width},
        "layout": {"width": "auto"},
    }


def _rolls(best: int, worst: int) -> list[tuple[str, int]]:
    return [(f"{roll}+", roll) for roll in range(best, worst + 1)]


def weapon_controls() -> Controls:
    """Return the controls of a weapon and its number."""
    return {
        "count": _slider("Number of weapons", 10, 1, 40),
        "range": buttons("Kind", [("Ranged", ""), ("Melee", "Melee")], ""),
        "attacks": _text("Attacks (A)", "2", "2 or D6+1"),
        "skill": _steps("Hits on (BS, WS)", [*_rolls(2, 6), ("N/A", _NONE)], 3),
        "strength": _text("Strength (S)", "4", "4 or D6+2"),
        "ap": _slider("Penetration (AP)", -1, -6, 0),
        "damage": _text("Damage (D)", "1", "1 or D6+1"),
        **{name: _toggle(name) for name in boxed_abilities()},
        "keywords": _text("Other abilities", "", "Rapid Fire 1, Anti-Vehicle 4+"),
    }


def target_controls() -> Controls:
    """Return the controls of a target."""
    return {
        "models": _slider("Models", 10, 1, 30),
        "toughness": _slider("Toughness (T)", 4, 1, 14),
        "save": _steps("Save (Sv)", [*_rolls(2, 7), ("none", _NONE)], 3),
        "invulnerable": _text("Invulnerable", "", "4+, or 5+ ranged"),
        "wounds": _slider("Wounds (W)", 2, 1, 30),
        "feel_no_pain": _steps("Feel No Pain", [("none", _NONE), *reversed(_rolls(2, 6))], _NONE),
        "damage_reduction": _slider("Damage reduced by", 0, 0, 3),
        "half_damage": _toggle("Damage is halved"),
        "wounds_lost": _slider("Wounds lost before", 0, 0, 29),
        "keywords": _text("Keywords", "Infantry", "Infantry, Psyker"),
        "feel_no_pain_mortal": choice(
            "Feel No Pain (mortal)", [("none", _NONE), *_rolls(2, 6)], _NONE, _WIDE
        ),
        "damage_1_save_bonus": _slider("Save against Damage 1", 0, 0, 2, width=_WIDE, readout="+d"),
    }


def boxed_abilities() -> tuple[str, ...]:
    """Return the abilities with a box of their own; all the others are written as on the datasheet."""
    return tuple(text for texts in rulebook().offers.values() for text in texts)


def situation_controls() -> Controls:
    """Return the controls of a situation, each at the value that means nothing is so.

    Modifiers and triggers are written in Python; precision chooses among leaders, of whom a target has none.
    """
    return {
        name: _OF_VALUE[type(rule.value)](rule.label, rule.value)
        for name, rule in rulebook().conditions.items()
        if type(rule.value) in _OF_VALUE
    }


def label_situation(controls: Controls, edition: str) -> None:
    """Say beside each control what it means in an edition; what that does not know keeps the newest words."""
    conditions = EDITIONS[edition].conditions
    for name, control in controls.items():
        control.description = conditions.get(name, rulebook().conditions[name]).label
        control.tooltip = control.description


def _faces(label: str, value: values.Face) -> Any:
    faces = [(str(face), face) for face in range(value.least, value.most + 1)]
    if value.usual is None:
        return choice(label, [("-", _NONE), *faces], _NONE, _WIDE)
    return choice(label, faces, value.usual, _WIDE)


def _rerolls(label: str, value: values.Rerolls) -> Any:
    return choice(label, [("none", _NONE), *((_REROLLS[word], word) for word in value.words)], _NONE)


def _ignored(label: str, value: values.Names) -> Any:
    return choice(label, {"nothing": (), **_IGNORED, "of everything": value.names}.items(), (), _WIDE)


#: Of each kind of value the control that says it.
_OF_VALUE: dict[type, Callable[[str, Any], Any]] = {
    values.Flag: lambda label, _: _toggle(label),
    values.Kinds: lambda label, _: choice(label, cover_options(DEFAULT_EDITION), False),  # noqa: FBT003
    values.RollModifiers: lambda label, _: _slider(label, 0, -2, 2, readout="+d"),
    values.Critical: lambda label, _: choice(
        label, [(f"{face}+", face) for face in range(6, 1, -1)], 6, _WIDE
    ),
    values.Face: _faces,
    values.Rerolls: _rerolls,
    values.Names: _ignored,
}


def cover_options(edition: str) -> list[tuple[str, bool | str]]:
    """Return the kinds of cover of an edition as the options of a control."""
    covers = EDITIONS[edition].covers
    if len(covers) == 1:
        return [("none", False), ("Benefit of Cover", True)]
    return [("none", False), *((cover.name, cover.name) for cover in covers)]


def ruling_controls(edition: str) -> Controls:
    """Return a choice for each disputed point of an edition, its question beside it."""
    made = {}
    for ruling in EDITIONS[edition].rulings:
        made[ruling.name] = ipywidgets().RadioButtons(
            options=[(f"{o} (default)" if o == ruling.default else o, o) for o in ruling.options],
            value=ruling.default,
            description=ruling.question,
            style={"description_width": "30em"},
            layout={"width": "auto"},
        )
    return made


def _put(control: Any, value: Any) -> None:
    """Set a control; a slider whose ends are too near is widened first, for it would cut the value off."""
    if hasattr(control, "max") and not control.min <= value <= control.max:
        control.min, control.max = min(control.min, value), max(control.max, value)
    control.value = value


def fill_weapon(controls: Mapping[str, Any], volley: Volley) -> None:
    """Put the characteristics of a weapon, and how many there are, into the controls."""
    weapon = volley.weapon
    abilities = [str(keyword) for keyword in weapon.keywords]
    values = {
        "count": volley.count,
        "range": "Melee" if weapon.melee else "",
        "skill": _NONE if weapon.skill is None else weapon.skill,
        "ap": weapon.ap,
        **{name: str(getattr(weapon, name)) for name in ("attacks", "strength", "damage")},
        **{name: name in abilities for name in boxed_abilities()},
        "keywords": ", ".join(name for name in abilities if name not in boxed_abilities()),
    }
    for name, value in values.items():
        _put(controls[name], value)


def fill_target(controls: Mapping[str, Any], target: Target) -> None:
    """Put the characteristics of a target into its controls."""
    for name, control in controls.items():
        if name == "invulnerable":
            value: Any = ", ".join(f"{roll}+ {kind or ''}".strip() for roll, kind in target.invulnerable)
        else:
            value = getattr(target, name)
        if value is None:
            value = _NONE
        _put(control, ", ".join(value) if isinstance(value, tuple) else value)


def weapon_arguments(controls: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the controls say, all of them or some, as arguments of a weapon, its number apart."""
    boxes = {name: control for name, control in controls.items() if name in boxed_abilities()}
    found = {name: control.value for name, control in controls.items() if name not in {"count", *boxes}}
    if "keywords" in found:
        # The text is read by itself and not joined to the boxes: an error shows what the player has written.
        ticked = ", ".join(name for name, box in boxes.items() if box.value)
        found["keywords"] = tuple(
            dict.fromkeys((*parse_keywords(ticked), *parse_keywords(found["keywords"])))
        )
    return found


def target_arguments(controls: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the controls say, all of them or some, as arguments of a target."""
    return {name: control.value for name, control in controls.items()}


def worded(control: Any) -> str:
    """Return what a control says, as words."""
    if isinstance(control.value, bool):
        return str(control.description)
    return f"{control.description}: {getattr(control, 'label', control.value)}"
