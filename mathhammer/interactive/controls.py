"""The controls of an attack, by the name of the argument that each of them sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from mathhammer.errors import MathhammerError
from mathhammer.page.forms import situation_fields
from mathhammer.page.profiles import ABILITIES, WEAPON, target_table
from mathhammer.systems.wh40k import EDITIONS, parse_keywords
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, rulebook
from mathhammer.systems.wh40k.rules import values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mathhammer.page.fields import Field
    from mathhammer.page.profiles import Characteristic
    from mathhammer.systems.wh40k import Target, Volley, Weapon

    Widget: TypeAlias = Any  # of ipywidgets, which has no types
    Controls = dict[str, Widget]

#: What a control says that says nothing: a widget cannot hold None as a choice.
_NONE = "-"
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


def _text(label: str, value: str, hint: str = "") -> Widget:
    return ipywidgets().Text(value=value, placeholder=hint, **_labelled(label))


def _slider(label: str, value: int, least: int, most: int) -> Widget:
    return ipywidgets().IntSlider(value=value, min=least, max=most, **_labelled(label))


def _steps(label: str, options: Iterable[object], value: object) -> Widget:
    return ipywidgets().SelectionSlider(options=list(options), value=value, **_labelled(label))


def choice(label: str, options: Iterable[object], value: object, width: str = _NARROW) -> Widget:
    """Return a list to choose from."""
    return ipywidgets().Dropdown(options=list(options), value=value, **_labelled(label, width))


def buttons(label: str, options: Iterable[object], value: object) -> Widget:
    """Return buttons of which one is pressed."""
    found = _labelled(label)
    found["style"]["button_width"] = "5.5em"
    return ipywidgets().ToggleButtons(options=list(options), value=value, **found)


def _toggle(label: str) -> Widget:
    # Not the label's own width: a long one wraps instead of running out of the panel.
    return ipywidgets().Checkbox(value=False, description=label, indent=False, layout={"width": "auto"})


def _labelled(label: str, width: str = _NARROW) -> dict[str, Any]:
    return {
        "description": label,
        "tooltip": label,
        "style": {"description_width": width},
        "layout": {"width": "auto"},
    }


def _control(of: Characteristic) -> Widget:
    """Return the control of a characteristic: a text, a box, a slider of numbers or of rolls."""
    match of.value:
        case values.Flag():
            return _toggle(of.label)
        case values.Whole(least=least, most=most):
            return _slider(of.label, int(of.start or 0), least, most)
        case values.Face(least=least, most=most):
            rolls = [(f"{roll}+", roll) for roll in range(least, most + 1)]
            options = [("none", _NONE), *reversed(rolls)] if of.start is None else [*rolls, ("none", _NONE)]
            return _steps(of.label, options, _NONE if of.start is None else of.start)
    return _text(of.label, str(of.start), of.hint)


def weapon_controls() -> Controls:
    """Return the controls of a weapon and its number."""
    made = {each.name: _control(each) for each in WEAPON}
    return {
        "count": made.pop("count"),
        "range": buttons("Kind", [("Ranged", ""), ("Melee", "Melee")], ""),
        **made,
        **{name: _toggle(name) for name in boxed_abilities()},
        "keywords": _text("Other abilities", "", ABILITIES.hint),
    }


def target_controls() -> Controls:
    """Return the controls of a target."""
    return {each.name: _control(each) for each in _target_table()}


def targets_in_sight() -> frozenset[str]:
    """Return the names of the controls of a target that are used most."""
    return frozenset(each.name for each in _target_table() if not each.more)


def _target_table() -> tuple[Characteristic, ...]:
    return target_table(rulebook().target_rules)


def boxed_abilities() -> tuple[str, ...]:
    """Return the abilities with a box of their own; all the others are written as on the datasheet."""
    return tuple(text for texts in rulebook().offers.values() for text in texts)


def situation_controls() -> Controls:
    """Return the controls of a situation, each at the value that means nothing is so."""
    covers = choice(rulebook().conditions["cover"].label, cover_options(DEFAULT_EDITION), False)  # noqa: FBT003
    fields = situation_fields(rulebook().conditions, ())
    return {name: covers if name == "cover" else _of_field(field) for name, field in fields.items()}


def _of_field(field: Field) -> Widget:
    if field.kind == "flag":
        return _toggle(field.label)
    options = [(text, tuple(value) if isinstance(value, list) else value) for text, value in field.options]
    return choice(field.label, [(field.usual, _NONE), *options], _NONE, _WIDE)


def label_situation(controls: Controls, edition: str) -> None:
    """Say beside each control what it means in an edition; what that does not know keeps the newest words."""
    conditions = EDITIONS[edition].conditions
    for name, control in controls.items():
        control.description = conditions.get(name, rulebook().conditions[name]).label
        control.tooltip = control.description


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


def _put(control: Widget, value: object) -> None:
    """Set a control; a slider whose ends are too near is widened first, for it would cut the value off."""
    if hasattr(control, "max") and not control.min <= value <= control.max:
        control.min, control.max = min(control.min, value), max(control.max, value)
    control.value = value


def fill_weapon(controls: Mapping[str, Widget], volley: Volley) -> None:
    """Put the characteristics of a weapon, and how many there are, into the controls."""
    weapon = volley.weapon
    abilities = [str(keyword) for keyword in weapon.keywords]
    boxes = boxed_abilities()
    controls["range"].value = "Melee" if weapon.melee else ""
    controls["keywords"].value = ", ".join(name for name in abilities if name not in boxes)
    for name in boxes:
        controls[name].value = name in abilities
    _fill(controls, weapon, WEAPON[1:])
    _put(controls["count"], volley.count)


def fill_target(controls: Mapping[str, Widget], target: Target) -> None:
    """Put the characteristics of a target into its controls."""
    _fill(controls, target, _target_table())


def _fill(controls: Mapping[str, Widget], profile: Weapon | Target, table: Iterable[Characteristic]) -> None:
    for each in table:
        value = getattr(profile, each.name)
        if each.value is None:
            value = each.text(value)
        _put(controls[each.name], _NONE if value is None else value)


def weapon_arguments(controls: Mapping[str, Widget]) -> dict[str, Any]:
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


def worded(control: Widget) -> str:
    """Return what a control says, as words."""
    if isinstance(control.value, bool):
        return str(control.description)
    return f"{control.description}: {getattr(control, 'label', control.value)}"
