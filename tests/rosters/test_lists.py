"""Small lists and what is read of them: rows of ``tests/lists/*.txt``, with the rule that they show above them.

A row is a unit or a whole list as `roster_files` builds it, or a pair of it and an edition. Behind ``>>`` stands what
holds of its `army`, the first `unit` of it and the first `weapon` of that; behind ``!!`` of the refusal's `message`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import roster_files
from tenth import wh40k

from mathhammer.analysis import army_table, grid
from mathhammer.errors import RosterError
from mathhammer.systems.wh40k import TARGETS

NAMES: dict[str, Any] = {
    **vars(roster_files),
    "army_table": army_table,
    "grid": grid,
    "TARGETS": TARGETS,
    "wh40k": wh40k,
    "pytest": pytest,
    "re": re,
}


def rows() -> list[Any]:
    found = []
    for file in sorted((Path(__file__).parents[1] / "lists").glob("*.txt")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line and not line.startswith("#"):
                found.append(pytest.param(*re.split(" (>>|!!) ", line), id=f"{file.stem}:{number}"))
    return found


@pytest.mark.parametrize(("text", "relation", "checks"), rows())
def test_list(text: str, relation: str, checks: str) -> None:
    given = eval(text, dict(NAMES))  # noqa: S307 - the files are part of the tests
    tree, edition = given if isinstance(given, tuple) else (given, None)
    tree = tree if "forces" in tree else roster_files.roster(tree)
    if relation == "!!":
        with pytest.raises(RosterError) as caught:
            roster_files.read(tree, edition=edition)
        names = {**NAMES, "message": str(caught.value)}
    else:
        army = roster_files.read(tree, edition=edition)
        modes = [mode for line in army.units[0].weapons for mode in line.modes]
        names = {**NAMES, "army": army, "unit": army.units[0], "weapon": modes[0] if modes else None}
    for check in checks.split(" && "):
        assert eval(check, names), check  # noqa: S307
