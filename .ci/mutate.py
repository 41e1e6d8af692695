"""Change the engines on purpose, one place at a time, and list the changes that no test notices.

``python .ci/mutate.py [--quick] [--sample N] [--seed K] [--jobs J] [--work FOLDER] [FILE ...]`` copies the project
and runs its tests once, with ``--quick`` those that are not marked slow, with coverage, which says for each line the
tests that run it and how long they take. Then N places of the files, by default the engines, are drawn; each is
changed in a copy, and the tests of its line run, quick ones first, until one fails. With ``--work`` the copy and its
coverage stay, and a later run begins with them. Needs ``pytest-cov``. Exit status 1 if a change survives that
``EQUIVALENT`` does not explain.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
SYSTEMS = "mathhammer/systems"
ENGINES = (
    "mathhammer/distributions",
    "mathhammer/sequence",
    *(f"{SYSTEMS}/wh40k/{room}" for room in ("rules", "sequence", "attacks", "turns")),
    f"{SYSTEMS}/t9a",
    f"{SYSTEMS}/trench_crusade",
    f"{SYSTEMS}/aos",
)
#: Seconds of the tests that run at first, and of all tests of a change; memory that they may take.
SOON, BUDGET, MEMORY = 60, 900, 6 << 30
#: Of a change of what runs at import, such as the limits of a field: the test that reads all fields, which no coverage
#: of that line can name.
FIELDS = "tests/test_shown.py::test_what_is_shown_is_what_was_read[fields]"
#: Arguments that only guard against a wrong caller: changing them changes no answer.
GUARDS = {"strict", "frozen", "eq", "repr", "slots", "kw_only"}
#: Changes that no answer can show: file, change, part of its statement, why.
EQUIVALENT = (
    (
        "mathhammer/distributions/walk.py",
        "1  ->  2",
        "term = [0] * (1 + min(",
        "one more 0 at the end of a list of weights",
    ),
    (
        "mathhammer/distributions/kernel.py",
        "",
        "return steps * (STEP + rows * each)",
        "an estimate of seconds",
    ),
    (
        "mathhammer/sequence/wound_options.py",
        "10  ->  11",
        "raise TooLargeError(",
        "seconds in a message, said to be about so many",
    ),
    (
        "mathhammer/systems/wh40k/sequence/dice_stages.py",
        "1  ->  2",
        "attacks_of_one(stages, faces({value: 1}))",
        "the weight of the only face there is",
    ),
    (
        "mathhammer/systems/wh40k/rules/roll.py",
        "0  ->  1",
        "bool(value * better > 0)",
        "a half or a third of 1 is rounded up to 1 again, whatever is added to it",
    ),
    (
        "mathhammer/systems/t9a/combat_round.py",
        "1  ->  2",
        "caught: Sequence[Pair]=((0, 1), (0, 1))",
        "a chance of 0 in 2 is one of 0 in 1",
    ),
    (
        "mathhammer/distributions/univariate.py",
        "1  ->  2",
        "found = mass.image(",
        "one more 0 at the end of the weights, which is cut off",
    ),
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


def is_guard(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a place is the value of an argument that only guards."""
    keyword = parents.get(node)
    return isinstance(keyword, ast.keyword) and keyword.arg in GUARDS


def explained(mutant: Mutant) -> str | None:
    """Why no test can notice a change, if the table says so."""
    for file, change, part, why in EQUIVALENT:
        if mutant.file == file and mutant.change.startswith(change) and part in mutant.statement:
            return why
    return None


def _only_for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@dataclass(frozen=True)
class Mutant:
    """A change of one place of a file: the lines of its statement and of its function, and the text of the file."""

    file: str
    lines: range
    function: range
    change: str
    statement: str
    text: str


@dataclass(frozen=True)
class Place:
    """A place of a file that can be changed: the number of its node in a walk of the tree."""

    project: Path
    file: str
    node: int

    def mutant(self) -> Mutant:
        """Return the file with the change."""
        tree = ast.parse((self.project / self.file).read_text(encoding="utf-8"))
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        node = list(ast.walk(tree))[self.node]
        statement: ast.AST = node
        while not isinstance(statement, ast.stmt):
            statement = parents[statement]
        function: ast.AST = statement
        while not isinstance(function, (ast.FunctionDef, ast.Module)):
            function = parents[function]
        if hasattr(statement, "body"):  # of a compound statement its head
            head = range(statement.lineno, statement.body[0].lineno)
        else:
            head = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        body = range(function.body[0].lineno, (function.body[-1].end_lineno or 0) + 1)
        before = ast.unparse(node).splitlines()[0]
        context = ast.unparse(statement).splitlines()[0]
        ((field, value),) = changes(node)
        setattr(node, field, value)
        after = ast.unparse(ast.fix_missing_locations(node)).splitlines()[0]
        return Mutant(self.file, head, body, f"{before}  ->  {after}", context, ast.unparse(tree))


def places(project: Path, rooms: list[str]) -> list[Place]:
    """Return the places of files and folders that can be changed."""
    found = []
    for room in rooms:
        for file in sorted((project / room).rglob("*.py")) or [project / room]:
            tree = ast.parse(file.read_text(encoding="utf-8"))
            above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
            name = str(file.relative_to(project))
            for number, node in enumerate(ast.walk(tree)):
                if any(changes(node)) and not is_guard(node, above):
                    found.append(Place(project, name, number))
    return found


class Coverage:
    """Which tests run a line, and how long they take."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.seconds: dict[str, float] = {}

    def measure(self, which: str) -> None:
        """Run all tests of the copy once; those that fail there, as without a repository, are left out later."""
        options = [f"--junitxml={self.work / 'times.xml'}", "-o", "junit_family=xunit1", "-n", "auto"]
        settings = self.work / "coverage.ini"
        settings.write_text(f"[run]\nsource = mathhammer\ndata_file = {self.work / 'lines.sqlite'}\n")
        options += ["--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report="]
        command = [sys.executable, "-m", "pytest", "-q", "-m", which, *options]
        subprocess.run(command, cwd=self.work / "project", check=False)  # noqa: S603

    def read(self) -> None:
        """Read how long each test takes that passes as the project is."""
        for case in ET.parse(self.work / "times.xml").iter("testcase"):  # noqa: S314 - of our own run
            if case.find("failure") is None and case.find("error") is None:
                self.seconds[f"{case.get('file')}::{case.get('name')}"] = float(case.get("time", 0))

    def tests(self, mutant: Mutant) -> list[str]:
        """Tests of the changed statement; of its function or file if it runs at import only."""
        with sqlite3.connect(self.work / "lines.sqlite") as connection:
            rows = connection.execute(
                "SELECT context.context, line_bits.numbits FROM line_bits JOIN context ON context.id = context_id"
                " JOIN file ON file.id = file_id WHERE file.path LIKE ?",
                [f"%/{mutant.file}"],
            ).fetchall()
        run = [
            (context.removesuffix("|run"), _numbers(bits))
            for context, bits in rows
            if context.endswith("|run")
        ]
        for lines in (mutant.lines, mutant.function):
            found = [
                test for test, numbers in run if not numbers.isdisjoint(lines) and _case(test) in self.seconds
            ]
            if found:
                break
        if lines is not mutant.lines and FIELDS in self.seconds:
            found.append(FIELDS)
        return self._quick_first(found)

    def _quick_first(self, tests: list[str]) -> list[str]:
        """Of each test function its quickest case, then their second ones, as many as the budget allows."""
        rank: Counter[str] = Counter()
        order = []
        for test in sorted(tests, key=self._time):
            name = test.split("[")[0]
            order.append((rank[name], self._time(test), test))
            rank[name] += 1
        chosen = [test for _, _, test in sorted(order)]
        return chosen[: self.within(BUDGET, chosen)]

    def within(self, seconds: float, tests: list[str]) -> int:
        """Return how many of the tests take so many seconds together, one at least."""
        number = sum(spent <= seconds for spent in accumulate(map(self._time, tests)))
        return max(1, number)

    def _time(self, test: str) -> float:
        return self.seconds[_case(test)]


def _case(test: str) -> str:
    """Return a test as the report of times names it: without its class."""
    path, _, rest = test.partition("::")
    name, bracket, case = rest.partition("[")
    return f"{path}::{name.split('::')[-1]}{bracket}{case}"


def _numbers(bits: bytes) -> set[int]:
    return {8 * place + bit for place, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1}


def survives(project: Path, tests: list[str]) -> bool:
    """Whether all of the tests pass in a copy of the project."""
    if not tests:
        return True
    (project / "tests-to-run").write_text("\n".join(tests), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "@tests-to-run"]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    try:
        done = subprocess.run(  # noqa: S603
            command,
            cwd=project,
            capture_output=True,
            check=False,
            timeout=3 * BUDGET,
            preexec_fn=limited,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def run(drawn: list[Mutant], coverage: Coverage, jobs: int) -> list[Mutant]:
    """Try the mutants, print what becomes of each, and return the survivors."""
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        for job in range(jobs):
            copies.put(Path(shutil.copytree(coverage.work / "project", Path(folder) / str(job))))

        def attempt(mutant: Mutant) -> bool:
            project = copies.get()
            tests = coverage.tests(mutant)
            file = project / mutant.file
            whole = file.read_text(encoding="utf-8")
            file.write_text(mutant.text, encoding="utf-8")
            began = time.monotonic()
            soon = coverage.within(SOON, tests)
            alive = not tests or (survives(project, tests[:soon]) and survives(project, tests[soon:]))
            file.write_text(whole, encoding="utf-8")
            copies.put(project)
            word = "caught" if not alive else "SURVIVES" if tests else "NO TEST"
            said = f"{word} {time.monotonic() - began:.0f} s of {len(tests)} tests"
            print(
                f"{said}  {mutant.file}:{mutant.lines.start}  {mutant.change}  in  {mutant.statement}",
                flush=True,
            )
            return alive

        return [mutant for mutant, alive in zip(drawn, pool.map(attempt, drawn), strict=True) if alive]


def main() -> int:
    """Run the mutants and print the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", default=ENGINES, help="files or folders, from the project's root")
    parser.add_argument("--sample", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--work", type=Path)
    parser.add_argument("--quick", action="store_true", help="run only tests that are not marked slow")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        coverage = Coverage((given.work or Path(folder)).resolve())
        if not (coverage.work / "times.xml").exists():
            unneeded = shutil.ignore_patterns(".git", ".venv", "site", "*cache*")
            shutil.copytree(ROOT, coverage.work / "project", ignore=unneeded)
            coverage.measure("not browser and not cluster" + " and not slow" * given.quick)
        coverage.read()
        every = places(coverage.work / "project", given.files)
        sample = random.Random(given.seed).sample(every, min(given.sample, len(every)))  # noqa: S311
        drawn = [place.mutant() for place in sample]
        known = {mutant: why for mutant in drawn if (why := explained(mutant))}
        survivors = run([mutant for mutant in drawn if mutant not in known], coverage, given.jobs)
    for mutant, why in known.items():
        print(f"equivalent  {mutant.file}  {mutant.change}  in  {mutant.statement}: {why}")
    print(f"{len(drawn)} of {len(every)} changes: {len(survivors)} survived, {len(known)} equivalent")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
