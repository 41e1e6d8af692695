"""How the controls of a panel are arranged: what is used most in sight, the rest folded."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mathhammer.interactive.controls import boxed_abilities, ipywidgets, targets_in_sight
from mathhammer.page.report import STYLE
from mathhammer.systems.wh40k.editions import rulebook

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mathhammer.interactive.controls import Widget
    from mathhammer.interactive.panel import AttackPanel

#: Places of the folded parts.
EXPLANATION, MORE, RULINGS, TEXT = range(4)
#: Of the situation what stays in sight.
_REROLLS = ("reroll_hits", "reroll_wounds")
_MODIFIERS = ("hit_modifier", "wound_modifier", "save_modifier")


def arranged(
    panel: AttackPanel, notes: Mapping[Widget, Widget], output: Widget, details: Widget, folded: Widget
) -> Widget:
    """Return one widget: three groups of controls, what comes out below them, and what is folded."""
    widgets = ipywidgets()

    def rows(controls: Iterable[Widget]) -> list[Widget]:
        """Return the controls, each with the place for what is wrong with it."""
        return [
            row
            for control in controls
            for row in ((control, notes[control]) if control in notes else (control,))
        ]

    abilities = boxed_abilities()
    boxes = [panel.weapon[name] for name in abilities]
    weapon = [control for name, control in panel.weapon.items() if name not in {*abilities, "keywords"}]
    offered = (name for name, rule in rulebook().conditions.items() if rule.offered)
    in_sight = ("cover", *offered, *_REROLLS, *_MODIFIERS)
    situation, sight = panel.situation, targets_in_sight()
    targets = [control for name, control in panel.target.items() if name in sight]
    switches = widgets.HBox([panel.rules.widget, panel.target_rules.widget])
    groups = [
        _group(
            "Weapon", [panel.weapons, *rows(weapon), _side_by_side(boxes), *rows([panel.weapon["keywords"]])]
        ),
        _group("Target", [panel.targets, *rows(targets)]),
        _group("Situation", [panel.edition, *(situation[name] for name in in_sight)]),
    ]
    more = [control for name, control in panel.target.items() if name not in sight]
    more += [control for name, control in situation.items() if name not in in_sight]
    folded.children[MORE].children = more
    rest = _classed(widgets.HBox([panel.compare, panel.exact]), "mathhammer-columns")
    style = widgets.HTML(STYLE, layout={"display": "none"})
    columns = _classed(widgets.HBox(groups), "mathhammer-columns")
    _classed(output, "mathhammer-output")
    switches = _classed(switches, "mathhammer-columns")
    panel_widget = widgets.VBox([style, output, rest, columns, switches, details, folded])
    return _classed(panel_widget, "mathhammer-panel")


def folded() -> Widget:
    """Return what is folded at first: the steps, the controls of rarer rules, the disputed points, the text."""
    widgets = ipywidgets()
    titles = ("Step by step", "More of target and situation", "Disputed rules", "As text, to keep or to send")
    parts = [widgets.HTML(), _classed(widgets.Box(), "mathhammer-more"), widgets.VBox(), widgets.HTML()]
    return widgets.Accordion(parts, titles=titles, selected_index=None)


def _group(title: str, controls: Iterable[Widget]) -> Widget:
    widgets = ipywidgets()
    return _classed(widgets.VBox([widgets.HTML(f"<h3>{escape(title)}</h3>"), *controls]), "mathhammer-group")


def _side_by_side(controls: Iterable[Widget]) -> Widget:
    return _classed(ipywidgets().Box(list(controls)), "mathhammer-grid")


def _classed(widget: Widget, name: str) -> Widget:
    widget.add_class(name)
    return widget
