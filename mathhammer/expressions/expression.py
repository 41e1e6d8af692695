"""All kinds of dice expressions in one place, for those who build or take apart trees."""

from __future__ import annotations

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
