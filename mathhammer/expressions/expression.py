"""All kinds of dice expressions in one place, for those who build or take apart trees.

Names load when they are first used: most texts hold dice and sums only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mathhammer.expressions.base import Constant, Expression, as_expression
    from mathhammer.expressions.branching import Exploded, Given, Let, Mixture, Variable
    from mathhammer.expressions.die import Compound, Die, Faces, Repeated
    from mathhammer.expressions.operations import (
        Comparison,
        Difference,
        Maximum,
        Minimum,
        Product,
        Quotient,
        Rounded,
        Sum,
    )
    from mathhammer.expressions.pool import ExtraDice, Maximised, Pool
    from mathhammer.expressions.reroll import BestDiceReroll, BestReroll, Rerolled

__all__ = [
    "BestDiceReroll",
    "BestReroll",
    "Comparison",
    "Compound",
    "Constant",
    "Die",
    "Difference",
    "Exploded",
    "Expression",
    "ExtraDice",
    "Faces",
    "Given",
    "Let",
    "Maximised",
    "Maximum",
    "Minimum",
    "Mixture",
    "Pool",
    "Product",
    "Quotient",
    "Repeated",
    "Rerolled",
    "Rounded",
    "Sum",
    "Variable",
    "as_expression",
]

_HOMES = {
    "BestDiceReroll": "reroll",
    "BestReroll": "reroll",
    "Comparison": "operations",
    "Compound": "die",
    "Constant": "base",
    "Die": "die",
    "Difference": "operations",
    "Exploded": "branching",
    "Expression": "base",
    "ExtraDice": "pool",
    "Faces": "die",
    "Given": "branching",
    "Let": "branching",
    "Maximised": "pool",
    "Maximum": "operations",
    "Minimum": "operations",
    "Mixture": "branching",
    "Pool": "pool",
    "Product": "operations",
    "Quotient": "operations",
    "Repeated": "die",
    "Rerolled": "reroll",
    "Rounded": "operations",
    "Sum": "operations",
    "Variable": "branching",
    "as_expression": "base",
}


def __getattr__(name: str) -> Any:
    """Import a name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"mathhammer.expressions.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
