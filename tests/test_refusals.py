"""What is refused, and in which words: a call of `refusals/*.txt`, ``!!``, and what its error says.

``ParseError`` stands before the words where a kind of error is asked for. ``says '...'`` are words of the message,
``begins`` and ``ends`` where they stand, ``is`` all of it, ``matches`` a pattern; ``for name in ... ::`` before a call
repeats it. Lines with ``#`` name the rule. What is refused for its size, in `limits*.txt`, takes little memory.
"""

from __future__ import annotations

import json
import re
import tracemalloc
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sympy import Rational

import mathhammer as mh
from mathhammer import analysis, characteristics, distributions, errors, modifiers, t9a, wh40k
from mathhammer import trench_crusade as tc
from mathhammer.cli.situation import read_modifier, read_trigger
from mathhammer.expressions import faces
from mathhammer.modifiers import Modifier
from mathhammer.rosters import sample_army


def doubled(times: int) -> Any:
    """A tree that holds itself twice, so many times."""
    return reduce(lambda tree, _: tree + tree, range(times), mh.dice("D6"))


def nested(levels: int) -> list[Any]:
    return reduce(lambda value, _: [value], range(levels), [])


def itself() -> list[Any]:
    """A list that holds itself."""
    made: list[Any] = []
    made.append(made)
    return made


NAMES: dict[str, Any] = {
    "mh": mh,
    "wh40k": wh40k,
    "t9a": t9a,
    "tc": tc,
    "analysis": analysis,
    "dists": distributions,
    "Rational": Rational,
    "Modifier": Modifier,
    "modifiers": modifiers,
    "characteristics": characteristics,
    "sample_army": sample_army,
    "array": np.array,
    "arange": np.arange,
    "zeros": np.zeros,
    "doubled": doubled,
    "nested": nested,
    "itself": itself,
    "faces": faces,
    "product": product,
    "reduce": reduce,
    "dumps": json.dumps,
    "read_modifier": read_modifier,
    "read_trigger": read_trigger,
    "RIFLE": wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP0 D1'),
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
                slow = [pytest.mark.slow] * file.stem.startswith("limits")
                found.append(pytest.param(call, said, id=f"{file.stem}:{number}", marks=slow))
    return found


def repeated(call: str, known: dict[str, Any] = NAMES) -> list[tuple[str, dict[str, Any]]]:
    """Return a call, as often as it stands, with what its names mean each time."""
    loop, _, call = call.rpartition(" :: ")
    if not loop:
        return [(call, known)]
    names, _, values = loop.removeprefix("for ").partition(" in ")
    several = names.split(", ")
    every = eval(f"[{values}]", dict(known))  # noqa: S307 - the files are part of the tests
    return [
        (call, known | dict(zip(several, each if several[1:] else [each], strict=True))) for each in every
    ]


@pytest.mark.parametrize(("call", "said"), refusals())
def test_refusal(call: str, said: str, request: pytest.FixtureRequest) -> None:
    kind, *rest = re.split(r"(?:^| ; )(says|begins|ends|is|matches) ", said)
    measured = "[limits" in request.node.name
    for once, names in repeated(call):
        if measured:
            tracemalloc.start()
        with pytest.raises(getattr(errors, kind or "MathhammerError")) as caught:
            eval(once, dict(names))  # noqa: S307 - the files are part of the tests
        if measured:
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert most < 200 << 20
        for relation, words in zip(rest[::2], rest[1::2], strict=True):
            wanted = eval(words, dict(names))  # noqa: S307
            assert HOLDS[relation](str(caught.value), wanted), f"{relation} {words}: {caught.value}"
