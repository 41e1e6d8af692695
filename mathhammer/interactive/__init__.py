"""Panels of sliders and toggles for a notebook, or for a page without any code.

A panel only maps its controls to a public function of the library and shows what that returns. ipywidgets is
imported when a panel is made: ``pip install 'mathhammer[interactive]'``. ``voila notebooks/interactive.ipynb`` serves
the panel of that notebook as a page.

Examples
--------
>>> panel = AttackPanel(edition="10e")
>>> panel.weapon["count"].value = 12
>>> panel.result.attacks
Distribution({24: 1.0})
"""

from __future__ import annotations

from mathhammer.interactive.panel import AttackPanel

__all__ = ["AttackPanel"]


def __dir__() -> list[str]:
    return sorted(__all__)
