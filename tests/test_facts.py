"""What holds: an expression of `facts/*.txt`, ``==`` and what it is, or ``~=`` to twelve digits, or a truth by itself.

``for name in ... ::`` before it repeats it, as in `test_refusals`; ``NAME := value`` is what rows below it name. Lines
with ``#`` give the reason or the source.
"""

from __future__ import annotations

import copy
import math
import pickle
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_refusals import NAMES, repeated

from mathhammer import characteristics, cli, display, errors, modifiers, sequence, validation
from mathhammer.distributions import Distribution, JointDistribution
from mathhammer.expressions.condition import as_condition
from mathhammer.expressions.die import Die, DirectionDie
from mathhammer.systems.t9a.attributes import PROTECTIONS
from mathhammer.systems.t9a.situation import read_situation
from mathhammer.systems.t9a.stages import armed

IN_ROWS = (
    *(characteristics, cli, copy, display, errors, math, modifiers, pickle, sequence, validation),
    *(as_condition, armed, permutations, product, read_situation, replace),
    *(Counter, Die, DirectionDie, Distribution, JointDistribution),
    *(np.int8, np.int32, np.int64, np.uint8, np.uint64, np.iinfo),
)
OTHERS = {"bool_": np.bool_, "PROTECTIONS": PROTECTIONS}


NAMED = re.compile(r"(\w+) := (.*)")


@cache
def named(file: Path) -> dict[str, Any]:
    """Return what names mean in a file."""
    names = NAMES | {each.__name__.rpartition(".")[2]: each for each in IN_ROWS} | OTHERS
    for name, value in map(
        re.Match.groups, filter(None, map(NAMED.fullmatch, file.read_text("utf-8").splitlines()))
    ):
        names[name] = eval(value, names)  # noqa: S307 - the files are part of the tests
    return names


def facts() -> list[Any]:
    found = []
    for file in sorted((Path(__file__).parent / "facts").glob("*.txt")):
        slow = [pytest.mark.slow] * (file.stem == "limits")
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            if line and not line.startswith("#") and not NAMED.fullmatch(line):
                found.append(pytest.param(line, file, id=f"{file.stem}:{number}", marks=slow))
    return found


@pytest.mark.parametrize(("line", "file"), facts())
def test_fact(line: str, file: Path) -> None:
    for fact, values in repeated(line, named(file)):
        left, relation, right = re.fullmatch(r"(.*) (==|~=) (.*)|.*", fact).groups()  # type: ignore[union-attr]
        found = eval(left or fact, dict(values))  # noqa: S307
        expected = eval(right, dict(values)) if relation else True  # noqa: S307
        assert found == (pytest.approx(expected, rel=1e-12) if relation == "~=" else expected)
