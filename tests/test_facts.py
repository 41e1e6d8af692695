"""What holds: an expression of `facts/*.txt`, ``==`` and what it is, or ``~=`` to twelve digits, or a truth by itself.

``for name in ... ::`` before it repeats it; ``NAME := value`` is what rows below it name. Lines with ``#`` give the
reason or the source.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from rows import names, repeated, rows

if TYPE_CHECKING:
    from pathlib import Path


def facts() -> list[Any]:
    return [pytest.param(file, line, id=f"{file.stem}:{number}") for file, number, line in rows("facts")]


@pytest.mark.parametrize(("file", "line"), facts())
def test_fact(file: Path, line: str) -> None:
    for fact, values in repeated(line, names(file)):
        known = names(file) | values
        left, relation, right = re.fullmatch(r"(.*) (==|~=) (.*)|.*", fact).groups()  # type: ignore[union-attr]
        found = eval(left or fact, dict(known))  # noqa: S307 - the files are part of the tests
        expected = eval(right, dict(known)) if relation else True  # noqa: S307
        assert found == (pytest.approx(expected, rel=1e-12) if relation == "~=" else expected)
