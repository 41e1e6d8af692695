"""What is refused, and in which words: a call of `refusals/*.txt`, ``!!``, and what its error says.

``ParseError`` stands before the words where a kind of error is asked for. ``says '...'`` are words of the message,
``begins`` and ``ends`` where they stand, ``is`` all of it, ``matches`` a pattern. Lines with ``#`` name the rule.
"""

from __future__ import annotations

import re
from ast import literal_eval
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sympy import Rational

import mathhammer as mh
from mathhammer import analysis, distributions, errors, t9a, wh40k
from mathhammer import trench_crusade as tc
from mathhammer.modifiers import Modifier

NAMES: dict[str, Any] = {
    "mh": mh,
    "wh40k": wh40k,
    "t9a": t9a,
    "tc": tc,
    "analysis": analysis,
    "dists": distributions,
    "Rational": Rational,
    "Modifier": Modifier,
    "array": np.array,
    "inf": float("inf"),
    "nan": float("nan"),
}
HOLDS = {
    "says": str.__contains__,
    "begins": str.startswith,
    "ends": str.endswith,
    "is": str.__eq__,
    "matches": lambda message, pattern: re.search(pattern, message) is not None,
}


def refusals() -> list[Any]:
    found = []
    for file in sorted((Path(__file__).parent / "refusals").glob("*.txt")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line and not line.startswith("#"):
                call, _, said = line.rpartition(" !! ")
                found.append(pytest.param(call, said, id=f"{file.stem}:{number}"))
    return found


@pytest.mark.parametrize(("call", "said"), refusals())
def test_refusal(call: str, said: str) -> None:
    kind, *rest = re.split(r"(?:^| ; )(says|begins|ends|is|matches) ", said)
    with pytest.raises(getattr(errors, kind or "MathhammerError")) as caught:
        eval(call, dict(NAMES))  # noqa: S307 - the files are part of the tests
    for relation, words in zip(rest[::2], rest[1::2], strict=True):
        assert HOLDS[relation](str(caught.value), literal_eval(words)), f"{relation} {words}: {caught.value}"
