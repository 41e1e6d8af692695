"""Change the engine on purpose, one place at a time, and list the changes that no test notices.

``python .ci/mutate.py [--sample N] [--seed K] [FILE ...]`` draws N places of the files, by default the engines. Each
is tried in a copy of the project with the tests below, the quick ones first. Exit status 1 if a change survives.
"""

from __future__ import annotations

import argparse
import ast
import copy
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
ENGINES = ("mathhammer/distributions", "mathhammer/sequence", "mathhammer/systems/wh40k/rules")
#: The quick tests first: most changes end there.
TESTS = (
    ("tests/sequence", "tests/test_enumeration_11e.py", "tests/distributions"),
    ("tests/systems",),
    ("tests/property",),
)
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


def changes(node: ast.AST) -> Iterator[tuple[str, object]]:
    """Yield the field of a node that can be changed, and its other value."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield "ops", [SWAPS[type(node.ops[0])](), *node.ops[1:]]
    elif isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in SWAPS:
        yield "op", SWAPS[type(node.op)]()
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "value", node.value + 1
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield "value", not node.value
    elif isinstance(node, ast.IfExp) or (isinstance(node, ast.If) and not _only_for_types(node)):
        yield "test", ast.UnaryOp(ast.Not(), node.test)


def _only_for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def mutants(file: Path) -> list[tuple[int, str, str]]:
    """Return line, change in words, and text of the file with it, for each place of a file."""
    source = file.read_text(encoding="utf-8")
    tree = ast.parse(source)
    found = []
    for place, node in enumerate(ast.walk(tree)):
        for field, value in changes(node):
            other = copy.deepcopy(tree)
            changed = next(each for number, each in enumerate(ast.walk(other)) if number == place)
            before = ast.unparse(changed)
            setattr(changed, field, value)
            ast.fix_missing_locations(other)
            found.append(
                (node.lineno, f"{_line(before)}  ->  {_line(ast.unparse(changed))}", ast.unparse(other))
            )  # type: ignore[attr-defined]
    return found


def _line(text: str) -> str:
    return text.splitlines()[0]


def survives(copy_of: Path) -> bool:
    """Whether all tests pass in a copy of the project."""
    for tests in TESTS:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-o",
            "addopts=",
            *tests,
        ]
        try:
            done = subprocess.run(command, cwd=copy_of, capture_output=True, check=False, timeout=900)  # noqa: S603
        except subprocess.TimeoutExpired:
            return False
        if done.returncode:
            return False
    return True


def main() -> int:
    """Run the mutants and print the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--sample", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    files = given.files or [file for room in ENGINES for file in sorted((ROOT / room).rglob("*.py"))]
    places = [(file.resolve().relative_to(ROOT), *mutant) for file in files for mutant in mutants(file)]
    drawn = random.Random(given.seed).sample(places, min(given.sample, len(places)))  # noqa: S311
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        shutil.copytree(ROOT, project, ignore=shutil.ignore_patterns(".git", ".venv", "site", "*cache*"))
        for number, (file, line, change, text) in enumerate(drawn, 1):
            whole = (project / file).read_text(encoding="utf-8")
            (project / file).write_text(text, encoding="utf-8")
            began = time.monotonic()
            alive = survives(project)
            (project / file).write_text(whole, encoding="utf-8")
            survivors += alive
            word = "SURVIVES" if alive else "caught"
            print(
                f"{number}/{len(drawn)} {word} {time.monotonic() - began:.0f} s {file}:{line}  {change}",
                flush=True,
            )
    print(f"{len(drawn)} of {len(places)} changes tried, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
