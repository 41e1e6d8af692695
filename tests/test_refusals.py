"""What is refused, and in which words: a call of `refusals/*.txt`, ``!!``, and what its error says.

``ParseError`` stands before the words where a kind of error is asked for. ``says '...'`` are words of the message,
``begins`` and ``ends`` where they stand, ``is`` all of it, ``matches`` a pattern; ``for name in ... ::`` before a call
repeats it, ``NAME := ...`` names what several calls use. Lines with ``#`` name the rule. What is refused for its size,
in `limits*.txt`, takes little memory.
"""

from __future__ import annotations

import re
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from rows import names, repeated, rows

from mathhammer import errors

if TYPE_CHECKING:
    from pathlib import Path

HOLDS = {
    "says": str.__contains__,
    "begins": str.startswith,
    "ends": str.endswith,
    "is": str.__eq__,
    "matches": lambda message, pattern: re.search(pattern, message) is not None,
}


def refusals() -> list[Any]:
    found = []
    for file, number, line in rows("refusals"):
        call, _, said = line.rpartition(" !! ")
        slow = [pytest.mark.slow] * (file.stem == "limits_that_take_seconds")
        found.append(pytest.param(file, call, said, id=f"{file.stem}:{number}", marks=slow))
    return found


@pytest.mark.parametrize(("file", "call", "said"), refusals())
def test_refusal(file: Path, call: str, said: str) -> None:
    kind, *rest = re.split(r"(?:^| ; )(says|begins|ends|is|matches) ", said)
    measured = file.stem.startswith("limits")
    for once, values in repeated(call, names(file)):
        known = names(file) | values
        if measured:
            tracemalloc.start()
        with pytest.raises(getattr(errors, kind or "MathhammerError")) as caught:
            eval(once, known)  # noqa: S307 - the files are part of the tests
        if measured:
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert most < 200 << 20
        for relation, words in zip(rest[::2], rest[1::2], strict=True):
            wanted = eval(words, known)  # noqa: S307
            assert HOLDS[relation](str(caught.value), wanted), f"{relation} {words}: {caught.value}"
