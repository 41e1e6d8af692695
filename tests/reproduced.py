"""What it means that a text reproduces a result: the same class, and equal in all that the result says."""

from __future__ import annotations

from functools import cached_property

import mathhammer as mh
from mathhammer.errors import MathhammerError
from mathhammer.sequence.unit_distribution import UnitDistribution

#: Names that say what was called, not what came out.
_CALLED = {"call", "unit"}


def reproduced(result):
    """Return the result that the text of one gives, which must be equal to it."""
    text = result.to_text()
    again = mh.from_text(text)
    assert type(again) is type(result)
    assert again.to_text() == text
    mine, its = said(result), said(again)
    assert mine.keys() == its.keys()
    assert len(mine) > 1
    for name, value in mine.items():
        assert its[name] == value, name
    return again


def said(result):
    """Return all that a result says by name: every distribution and number, edition, rulings, the explanation."""
    found = {"state": getattr(result, "_states", None), **getattr(result, "__dict__", {})}
    found = {name: value for name, value in found.items() if not name.startswith("_") and name not in _CALLED}
    for name in dir(type(result)):
        attribute = getattr(type(result), name)
        if name.startswith("_") or name in _CALLED or not isinstance(attribute, property | cached_property):
            continue
        try:
            found[name] = getattr(result, name)
        except MathhammerError as error:  # a distribution that this kind of result does not have
            found[name] = str(error)
    if hasattr(result, "explain"):
        found["explanation"] = str(result.explain())
    found.pop("origin", None)
    # A result within a result has no equality of its own.
    return {
        name: value.state if isinstance(value, UnitDistribution) else value for name, value in found.items()
    }
