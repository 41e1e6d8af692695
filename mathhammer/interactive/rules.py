"""The rules of a unit as switches in a panel: those that act on the side on which the unit stands."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Literal

from mathhammer.interactive.controls import choice, ipywidgets

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.interactive.controls import Widget
    from mathhammer.systems.wh40k import RuleEffect, Unit, UnitRule

_IN_FORCE = frozenset(("on", "automatic"))


class RuleSwitches:
    """Switches for the rules of whichever unit is chosen."""

    def __init__(self, title: str, side: Literal["attack", "defence"], changed: Callable[[], None]) -> None:
        widgets = ipywidgets()
        self._side, self._changed = side, changed
        self._heading = widgets.HTML(f"<h3>{escape(title)}</h3>")
        self._unit: Unit | None = None
        self.controls: dict[str, Widget] = {}
        self.widget = widgets.VBox([])
        self.choose(None)

    def choose(self, unit: Unit | None) -> None:
        """Show the switches of a unit, as its list has them; nothing where there is none."""
        if unit is self._unit and unit is not None:
            return
        self._unit, self.controls = unit, {}
        rows: list[Widget] = []
        for rule in () if unit is None else unit.rules:
            if rule.name not in self.controls and rule.is_computed and any(map(self._acts, rule.effects)):
                control = _control(rule)
                control.observe(lambda _: self._changed(), names="value")
                self.controls[rule.name] = control
                effects = "; ".join(str(effect) for effect in rule.effects if self._acts(effect))
                rows += [control, ipywidgets().HTML(f"<small>{escape(effects)}</small>")]
        self.widget.children = (self._heading, *rows) if rows else ()
        self.widget.layout.display = None if rows else "none"

    def _acts(self, effect: RuleEffect) -> bool:
        own = effect.side == "attack"
        return effect.scope != "friends" and own == (self._side == "attack")

    def switched(self) -> Unit | None:
        """Return the chosen unit with what was switched by hand; nothing where no unit was chosen."""
        if self._unit is None:
            return None
        on, off = self._by_hand()
        return self._unit.with_rules(on=on, off=off) if on or off else self._unit

    def words(self) -> list[str]:
        """Say what was switched by hand."""
        on, off = self._by_hand()
        return [*(f"{name} on" for name in on), *(f"{name} off" for name in off)]

    def _by_hand(self) -> tuple[list[str], list[str]]:
        on, off = [], []
        for name, control in self.controls.items():
            rule = self._unit.rule(name) if self._unit is not None else None
            if rule is None or control.value == _value(rule):
                continue
            if control.value:
                on.append(f"{name}={control.value}" if rule.choices else name)
            else:
                off.append(name)
        return on, off


def _value(rule: UnitRule) -> bool | str:
    """Return what a control shows for a rule as the list has it."""
    in_force = rule.state in _IN_FORCE
    return (rule.choice if in_force else "") if rule.choices else in_force


def _control(rule: UnitRule) -> Widget:
    if rule.choices:
        return choice(rule.name, [("off", ""), *((item, item) for item in rule.choices)], _value(rule))
    return ipywidgets().Checkbox(description=rule.name, value=_value(rule), indent=False)
