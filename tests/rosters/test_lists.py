"""Small lists and what is read of them: rows of ``tests/lists/*.txt``, with the rule that they show above them.

A row is a unit or a whole list as `roster_files` builds it, a pair of it and an edition, a text as it was exported, or
a pair of a text and of a list whose datasheets it has; ``for name in ... ::`` before it repeats it. Behind ``>>``
stands what holds of its `army`, the first `unit` of it and the first `weapon` of that; behind ``!!`` of the refusal's
`message`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import roster_files
from datasheet_files import LIST, TEXT
from rows import repeated, rows
from tenth import wh40k

from mathhammer.analysis import army_table, grid
from mathhammer.errors import RosterError
from mathhammer.rosters import read_army
from mathhammer.systems.wh40k import TARGETS

if TYPE_CHECKING:
    from pathlib import Path

NAMES: dict[str, Any] = {
    **vars(roster_files),
    "LIST": LIST,
    "TEXT": TEXT,
    "army_table": army_table,
    "grid": grid,
    "TARGETS": TARGETS,
    "wh40k": wh40k,
    "pytest": pytest,
    "re": re,
}


def lists() -> list[Any]:
    return [
        pytest.param(*re.split(" (>>|!!) ", line), id=f"{file.stem}:{number}")
        for file, number, line in rows("lists")
    ]


def read(given: Any, folder: Path) -> Any:
    """Return the army of a text as exported, of one with datasheets, of a tree, or of a tree under an edition."""
    if isinstance(given, tuple) and isinstance(given[0], str):
        (folder / "list.txt").write_text(given[0], encoding="utf-8")
        (folder / "sheets.json").write_bytes(roster_files.as_json(given[1]))
        return read_army(folder / "list.txt", datasheets=folder / "sheets.json")
    if isinstance(given, str):
        return roster_files.parse_text_list(given, "'x'")
    tree, edition = given if isinstance(given, tuple) else (given, None)
    return roster_files.read(tree if "forces" in tree else roster_files.roster(tree), edition=edition)


@pytest.mark.parametrize(("text", "relation", "checks"), lists())
def test_list(text: str, relation: str, checks: str, tmp_path: Path) -> None:
    for once, values in repeated(text, NAMES):
        known = NAMES | values
        given = eval(once, dict(known))  # noqa: S307 - the files are part of the tests
        if relation == "!!":
            with pytest.raises(RosterError) as caught:
                read(given, tmp_path)
            names = {**known, "message": str(caught.value)}
        else:
            army = read(given, tmp_path)
            weapons = [] if isinstance(given, str) else army.units[0].weapons
            modes = [mode for line in weapons for mode in line.modes]
            names = {**known, "army": army, "unit": army.units[0], "weapon": modes[0] if modes else None}
        for check in checks.split(" && "):
            assert eval(check, names), check  # noqa: S307
