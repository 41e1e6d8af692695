"""The probability generating function as an object of sympy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer import validation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sympy import Expr, Symbol


def generating_function(items: Iterable[tuple[int, Any]], symbol: Symbol | str) -> Expr:
    """Return the sum of probability times power, a Laurent polynomial where outcomes are negative."""
    from sympy import Add, Mul, Pow, sympify
    from sympy import Symbol as sympy_Symbol

    validation.instance(symbol, (str, sympy_Symbol), "the name of a variable, or a symbol of SymPy")
    if isinstance(symbol, str):
        variable: Symbol = sympy_Symbol(validation.text(symbol, "the name of a variable"))  # type: ignore[no-untyped-call]
    else:
        variable = symbol
    return Add(*(Mul(sympify(probability), Pow(variable, outcome)) for outcome, probability in items))
