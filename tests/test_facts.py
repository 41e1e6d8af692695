"""What holds: an expression of `facts/*.txt`, ``==`` and what it is, or ``~=`` to twelve digits, or a truth by itself.

``for name in ... ::`` before it repeats it, as in `test_refusals`; ``NAME := value`` is what rows below it name. Lines
with ``#`` give the reason or the source.
"""

from __future__ import annotations

import copy
import math
import pickle
import re
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_refusals import NAMES, repeated

from mathhammer import characteristics, cli, display, errors, modifiers, sequence, validation
from mathhammer.distributions import Distribution, JointDistribution
from mathhammer.expressions.condition import as_condition
from mathhammer.expressions.die import Die

IN_ROWS = (
    *(characteristics, cli, copy, display, errors, math, modifiers, pickle, sequence, validation),
    *(as_condition, permutations, replace, Die, Distribution, JointDistribution),
    *(np.int8, np.int32, np.int64, np.uint8, np.uint64, np.iinfo),
)


def facts() -> list[Any]:
    found = []
    for file in sorted((Path(__file__).parent / "facts").glob("*.txt")):
        names = NAMES | {each.__name__.rpartition(".")[2]: each for each in IN_ROWS} | {"bool_": np.bool_}
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if named := re.fullmatch(r"(\w+) := (.*)", line):
                names[named[1]] = eval(named[2], names)  # noqa: S307 - the files are part of the tests
            elif line and not line.startswith("#"):
                slow = [pytest.mark.slow] * (file.stem == "limits")
                found.append(pytest.param(line, names, id=f"{file.stem}:{number}", marks=slow))
    return found


@pytest.mark.parametrize(("line", "names"), facts())
def test_fact(line: str, names: dict[str, Any]) -> None:
    for fact, values in repeated(line, names):
        left, relation, right = re.fullmatch(r"(.*) (==|~=) (.*)|.*", fact).groups()  # type: ignore[union-attr]
        found = eval(left or fact, dict(values))  # noqa: S307
        expected = eval(right, dict(values)) if relation else True  # noqa: S307
        assert found == (pytest.approx(expected, rel=1e-12) if relation == "~=" else expected)
