"""What results say, whole: what `print` shows, the steps of `explain`, and the plan where somebody chooses.

A file of `shown/` holds questions and calls as `cases/` does, each with all its words below it, what fields accept,
the ``defaults of`` the functions of a game, and ``limits of`` a package. The numbers are those of other tests; here it
is the words that are read, in review. ``python tests/test_shown.py`` writes the files again.
"""

from __future__ import annotations

import inspect
import os
import pkgutil
import re
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from rows import NAMES, names
from test_cases import computed

from mathhammer import MathhammerError, systems
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


def modules(package: Any) -> list[Any]:
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [import_module(each.name) for each in found]


def limits(module: Any) -> list[str]:
    """Return the numbers by which a module refuses what is too large."""
    named = re.findall(r"^([A-Z][A-Z_, ]+) = ", inspect.getsource(module), re.MULTILINE)
    found = [name for names in named for name in names.split(", ")]
    place = module.__name__.partition(".")[2]
    limited = filter(re.compile("MAXIMUM|MOST|LONGEST").match, found)
    return [f"{place} {name} {getattr(module, name):,}" for name in limited]


def functions(game: str) -> dict[str, Any]:
    """Return the public functions and methods of a game, by name."""
    found = {name: getattr(NAMES[game], name) for name in sorted(NAMES[game].__all__)}
    for name, kind in [(name, each) for name, each in found.items() if isinstance(each, type)]:
        del found[name]
        public = {at: inspect.getattr_static(kind, at) for at in sorted(vars(kind)) if at[0] != "_"}
        found |= {f"{name}.{at}": getattr(each, "__func__", each) for at, each in public.items()}
    return {name: each for name, each in found.items() if inspect.isfunction(each)}


def defaults(function: Any) -> str:
    given = inspect.signature(function).parameters.values()
    return ", ".join(f"{each.name} {each.default!r}" for each in given if each.default is not each.empty)


def shown(question: str, file: Path) -> str:
    """Return all that a result says, indented, without blanks at the ends of lines."""
    if question.startswith("#") or " := " in question:
        return ""
    if game := question.partition("defaults of ")[2]:
        said = {name: defaults(each) for name, each in functions(game).items()}
        return "\n".join(f"    {name}: {usual}" for name, usual in said.items() if usual)
    if limited := question.partition("limits of ")[2]:
        return "\n".join(f"    {line}" for module in modules(NAMES[limited]) for line in limits(module))
    if question.startswith("fields of "):
        modules(systems)
        return "\n".join(map(described, records()[question.removeprefix("fields of ")].fields.values()))
    call = question.partition("call: ")[2]
    result = eval(call, names(file)) if call else computed(question, exact=True)  # noqa: S307
    plan = None
    with suppress(MathhammerError):  # of a result that has no plan, as nobody chooses
        plan = getattr(result, "plan", plan)
    if isinstance(plan, tuple):  # decisions that the explanation names
        plan = None
    said = [result, *([result.explain()] if hasattr(result, "explain") else ()), *([plan] if plan else ())]
    lines = "\n\n".join(map(str, said)).splitlines()
    return "\n".join(f"    {line}".rstrip() for line in lines)


def questions(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and line[0] != " "]


def written(file: Path) -> str:
    said = (f"{question}\n{shown(question, file)}".rstrip("\n") for question in questions(file))
    return "\n\n".join(said) + "\n"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_shown_is_what_was_read(file, monkeypatch):
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    assert written(file) == file.read_text(encoding="utf-8"), "read it, then: python tests/test_shown.py"


if __name__ == "__main__":
    os.environ["COLUMNS"] = "110"
    for each in FILES:
        each.write_text(written(each), encoding="utf-8")
