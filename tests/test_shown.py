"""What results say, whole: what `print` shows, the steps of `explain`, and the plan where somebody chooses.

A file of `shown/` holds questions as `cases/` does, each with all its words below it, and what fields accept. The
numbers are those of other tests; here it is the words that are read, in review. ``python tests/test_shown.py`` writes
the files again.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

import pytest
from test_cases import computed

from mathhammer import MathhammerError
from mathhammer.fields.kinds import NEEDED, Boolean, Checked, Field, MaybeBoolean, OneOf, Text
from mathhammer.fields.profile import Record

FILES = sorted(Path(__file__).with_name("shown").glob("*.txt"))


def records(base: type[Record] = Record) -> dict[str, type[Record]]:
    """Return the tables of fields of all games, by game and class."""
    game = re.match(r"mathhammer\.systems\.(\w+)", base.__module__)
    found = {f"{game[1]} {base.__qualname__}": base} if game else {}
    return found | {name: each for kind in base.__subclasses__() for name, each in records(kind).items()}


def described(field: Field) -> str:
    """Return what a field accepts: its default, least and most, and its words on a stat line."""
    facts = {"default": field.default, "line": field.line or None}
    if not isinstance(field, Checked | Text | Boolean | MaybeBoolean | OneOf):
        facts |= {"least": field.least, "most": field.most}
    usual = ", ".join(f"{name} {value}" for name, value in facts.items() if value not in (None, NEEDED, ()))
    return f"    {field.name}: {type(field).__name__} {usual}".rstrip()


def shown(question: str) -> str:
    """Return all that a result says, indented, without blanks at the ends of lines."""
    if question.startswith("fields of "):
        return "\n".join(map(described, records()[question.removeprefix("fields of ")].fields.values()))
    result = computed(question, exact=True)
    plan = None
    with suppress(MathhammerError):  # of a result that has no plan, as nobody chooses
        plan = getattr(result, "plan", plan)
    said = [result, *([result.explain()] if hasattr(result, "explain") else ()), *([plan] if plan else ())]
    lines = "\n\n".join(map(str, said)).splitlines()
    return "\n".join(f"    {line}".rstrip() for line in lines)


def questions(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith((" ", "#"))]


def written(file: Path) -> str:
    return "\n\n".join(f"{question}\n{shown(question)}" for question in questions(file)) + "\n"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_shown_is_what_was_read(file, monkeypatch):
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    assert written(file) == file.read_text(encoding="utf-8"), "read it, then: python tests/test_shown.py"


if __name__ == "__main__":
    os.environ["COLUMNS"] = "110"
    for each in FILES:
        each.write_text(written(each), encoding="utf-8")
