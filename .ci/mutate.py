"""Change the engines on purpose, one place at a time, and list the changes that no test notices.

``python .ci/mutate.py [--quick] [--sample N] [--seed K] [--budget S] [--jobs J] [--work FOLDER] [FILE ...]`` copies
the project and runs its tests once, J at a time, with ``--quick`` those that are not marked slow, with coverage, which
says for each line the tests that run it and how long they take. Then N places of the files, by default the engines,
are drawn; each is changed, and the tests of its line run, quick ones first, until one fails or S seconds of tests have
passed. With ``--work`` the copy and its coverage stay, and a later run begins with them. Needs ``pytest-cov``. Exit
status 1 if a change survives that no row of ``tests/explained.txt`` explains, 2 if a trial broke off or the
tests do not pass where nothing is changed, which is tried first.

A function is changed in a fork of a process that has all tests collected; what runs at import, in the copy's file.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from _pytest.runner import runtestprotocol

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
#: Seconds of tests of a change, and memory that they may take.
BUDGET, MEMORY = 900, 6 << 30
#: What becomes of a change, by the exit status of its trial; any other one means that the trial itself broke off.
SURVIVES, CAUGHT, BROKE = 0, 1, 3
#: Of a change of what runs at import, such as the limits of a field: the test that reads all fields, which no coverage
#: of that line can name.
FIELDS = "tests/test_shown.py::test_what_is_shown_is_what_was_read[fields]"
#: Arguments that only guard against a wrong caller: changing them changes no answer.
GUARDS = {
    "strict",
    "frozen",
    "eq",
    "repr",
    "slots",
    "kw_only",
    "maxsize",
    "covariant",
    "contravariant",
    "total",
}
#: What no answer can show: functions that only estimate, and changes.
EXPLAINED = ROOT / "tests" / "explained.txt"
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
    elif isinstance(node, ast.IfExp) or (
        isinstance(node, ast.If) and ast.unparse(node.test) != "TYPE_CHECKING"
    ):
        yield "test", ast.UnaryOp(ast.Not(), node.test)


def is_guard(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a place is the value of an argument that only guards."""
    keyword = parents.get(node)
    return isinstance(keyword, ast.keyword) and keyword.arg in GUARDS


@cache
def rows_of_explained() -> tuple[list[list[str]], list[list[str]]]:
    """Return file, functions and reason of what only estimates; and file, change, part and reason of equal answers."""
    lines = EXPLAINED.read_text(encoding="utf-8").splitlines()
    rows = [re.split(" ?; ?" if ";" in line else ": ", line) for line in lines if line and line[0] != "#"]
    functions = [row for row in rows if len(row) == 3]
    for file, names, _ in functions:
        text = (ROOT / file).read_text(encoding="utf-8")
        if missing := [name for name in names.split() if f"def {name}(" not in text]:
            raise SystemExit(f"expected functions of {file} in {EXPLAINED.name}, got {', '.join(missing)}")
    return functions, [row for row in rows if len(row) == 4]


def explained(mutant: Mutant) -> str | None:
    """Why no test can notice a change, if the table says so."""
    functions, equal = rows_of_explained()
    for file, names, why in functions:
        if mutant.file == file and mutant.name in names.split():
            return why
    for file, change, part, why in equal:
        if mutant.file == file and mutant.change.startswith(change) and part in mutant.statement:
            return why
    return None


@dataclass(frozen=True)
class Mutant:
    """A change of one place of a file.

    The lines of its statement and of its function, the text of the file, and the code of its functions before and
    after, none if it shows at import only.
    """

    file: str
    lines: range
    function: range
    name: str
    change: str
    statement: str
    text: str
    code: tuple[tuple[CodeType, CodeType], ...]


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
        inside = any(
            here in above.body if isinstance(above, ast.FunctionDef) else here is above.body
            for here, above in _upwards(node, parents)
            if isinstance(above, ast.FunctionDef | ast.Lambda)
        )
        path = str(self.project / self.file)
        old = compile(tree, path, "exec", dont_inherit=True)
        before = ast.unparse(node).splitlines()[0]
        context = ast.unparse(statement).splitlines()[0]
        ((field, value),) = changes(node)
        setattr(node, field, value)
        after = ast.unparse(ast.fix_missing_locations(node)).splitlines()[0]
        new = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
        pairs = zip(_codes(old), _codes(new), strict=False)  # a constant condition may leave out a part
        code = tuple((one, other) for one, other in pairs if inside and one != other)[1:]
        name = getattr(function, "name", "")
        said = f"{before}  ->  {after}"
        return Mutant(self.file, head, body, name, said, context, ast.unparse(tree), code)


def _upwards(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[tuple[ast.AST, ast.AST]]:
    while node in parents:
        yield node, parents[node]
        node = parents[node]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a module, and that of all functions in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


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

    def __init__(self, work: Path, budget: float) -> None:
        self.work = work
        self.budget = budget
        self.seconds: dict[str, float] = {}

    def measure(self, which: str, jobs: int) -> None:
        """Run all tests of the copy once; those that fail there, as without a repository, are left out later."""
        options = [f"--junitxml={self.work / 'times.xml'}", "-o", "junit_family=xunit1", "-n", str(jobs)]
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
        first = [FIELDS] * (lines is not mutant.lines and FIELDS in self.seconds)
        return [*first, *self._quick_first(found)]

    def _quick_first(self, tests: list[str]) -> list[str]:
        """Of each test function its quickest case, then their second ones, as many as the budget allows."""
        rank: Counter[str] = Counter()
        order = []
        for test in sorted(tests, key=self._time):
            name = test.split("[")[0]
            order.append((rank[name], self._time(test), test))
            rank[name] += 1
        chosen = [test for _, _, test in sorted(order)]
        if not chosen:
            return []
        number = sum(spent <= self.budget for spent in accumulate(map(self._time, chosen)))
        return chosen[: max(1, number)]

    def _time(self, test: str) -> float:
        return self.seconds[_case(test)]


def _case(test: str) -> str:
    """Return a test as the report of times names it: without its class."""
    path, _, rest = test.partition("::")
    name, bracket, case = rest.partition("[")
    return f"{path}::{name.split('::')[-1]}{bracket}{case}"


def _numbers(bits: bytes) -> set[int]:
    return {8 * place + bit for place, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1}


class Tried:
    """A session of pytest that runs tests of each change in a fork of itself."""

    def __init__(self, drawn: list[Mutant], coverage: Coverage) -> None:
        self.drawn, self.coverage = drawn, coverage
        self.project = coverage.work / "project"
        #: How many trials ended with which status; why none can be trusted.
        self.ended: Counter[int] = Counter()
        self.unfit = "no test was collected"
        self.items: dict[str, pytest.Item] = {}
        self.functions: dict[str, list[FunctionType]] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Print what becomes of each change."""
        self.items = {item.nodeid: item for item in session.items}
        for each in filter(lambda each: isinstance(each, FunctionType), gc.get_objects()):
            self.functions.setdefault(each.__code__.co_filename, []).append(each)
        gc.freeze()  # so that forks share what is collected
        named = [(each, filter(self.items.__contains__, self.coverage.tests(each))) for each in self.drawn]
        trials = [(each, [*map(self.items.__getitem__, tests)]) for each, tests in named]
        self.unfit = self._unfit(trials)
        for mutant, tests in [] if self.unfit else trials:
            began = time.monotonic()
            status = self._status(mutant, tests) if tests else SURVIVES
            self.ended[status] += 1
            words = {SURVIVES: "SURVIVES" if tests else "NO TEST", CAUGHT: "caught"}
            print(
                f"{words.get(status, f'BROKE OFF ({status})')} {time.monotonic() - began:.0f} s of {len(tests)} tests  "
                f"{mutant.file}:{mutant.lines.start}  {mutant.change}  in  {mutant.statement}",
                flush=True,
            )
        return True

    def _unfit(self, trials: list[tuple[Mutant, list[pytest.Item]]]) -> str:
        """Why no trial can be trusted: the first change with tests, but unchanged, in a fork and at import."""
        for mutant, tests in [each for each in trials if each[1]][:1]:
            path = self.project / mutant.file
            text = ast.unparse(ast.parse(path.read_text(encoding="utf-8")))
            same = tuple((each.__code__, each.__code__) for each in self.functions.get(str(path), ()))
            for code in same, ():
                if (status := self._status(replace(mutant, code=code, text=text), tests)) != SURVIVES:
                    return f"{len(tests)} tests of {mutant.file}, unchanged, end with status {status}"
        return ""

    def _status(self, mutant: Mutant, tests: list[pytest.Item]) -> int:
        """Run the tests in a fork; a change that takes too long is caught, a fork that a signal ends broke off."""
        file = self.project / mutant.file
        whole = file.read_text(encoding="utf-8")
        child = os.fork()
        if child:
            ends = time.monotonic() + 60 + 5 * self.coverage.budget
            while not (done := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < ends:
                time.sleep(0.02)
            if not done[0]:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
            file.write_text(whole, encoding="utf-8")
            return os.waitstatus_to_exitcode(done[1]) if done[0] else CAUGHT
        status, told = BROKE, os.dup(2)
        try:
            os.setpgid(0, 0)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(1, 2)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            status = SURVIVES if self._pass(mutant, tests) else CAUGHT
        except BaseException:  # noqa: BLE001 - whatever it is, it is told, and the fork ends here
            os.write(told, traceback.format_exc().encode())
        finally:
            os._exit(status)

    def _pass(self, mutant: Mutant, tests: list[pytest.Item]) -> bool:
        changed = False
        for function in self.functions.get(str(self.project / mutant.file), ()):
            for before, after in mutant.code:
                if function.__code__ == before and function.__code__.co_qualname == before.co_qualname:
                    function.__code__, changed = after, True
        if not changed or tests[0].nodeid == FIELDS:  # a function that runs at import has run
            return self._imported(mutant, tests)
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            if any(report.failed for report in runtestprotocol(test, log=False, nextitem=following)):
                return False
        return True

    def _imported(self, mutant: Mutant, tests: list[pytest.Item]) -> bool:
        """Whether the tests pass in a process that imports the changed file."""
        (self.project / mutant.file).write_text(mutant.text, encoding="utf-8")
        names = self.project / "tests-to-run"
        names.write_text("\n".join(test.nodeid for test in tests), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"@{names}"]
        code = subprocess.run(command, cwd=self.project, check=False).returncode  # noqa: S603
        # With 2 and 4 a test module or conftest.py could not be imported, which is noticed.
        if code not in {0, 1, 2, 4}:
            raise RuntimeError(f"pytest ended with status {code}")
        return code == 0


def main() -> int:
    """Run the mutants and print the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", default=ENGINES, help="files or folders, from the project's root")
    parser.add_argument("--sample", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of tests of a change")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="processes that measure the coverage"
    )
    parser.add_argument("--work", type=Path)
    parser.add_argument("--quick", action="store_true", help="run only tests that are not marked slow")
    given = parser.parse_args()
    which = "not browser and not cluster" + " and not slow" * given.quick
    with tempfile.TemporaryDirectory() as folder:
        coverage = Coverage((given.work or Path(folder)).resolve(), given.budget)
        project = coverage.work / "project"
        if not (coverage.work / "times.xml").exists():
            unneeded = shutil.ignore_patterns(".git", ".venv", "site", "*cache*")
            shutil.copytree(ROOT, project, ignore=unneeded)
            coverage.measure(which, given.jobs)
        coverage.read()
        every = places(project, given.files)
        sample = random.Random(given.seed).sample(every, min(given.sample, len(every)))  # noqa: S311
        drawn = [place.mutant() for place in sample]
        known = {mutant: why for mutant in drawn if (why := explained(mutant))}
        tried = Tried([mutant for mutant in drawn if mutant not in known], coverage)
        os.chdir(project)
        sys.path.insert(0, str(project))
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        options = ["-s", "-m", which, "-p", "no:cacheprovider", "-p", "no:terminal", "-o"]
        pytest.main([*options, "addopts=--doctest-modules --doctest-glob=*.md"], plugins=[tried])
        os.chdir(ROOT)
    if tried.unfit:
        print(f"nothing was tried: {tried.unfit}")
        return 2
    for mutant, why in known.items():
        print(f"explained  {mutant.file}  {mutant.change}  in  {mutant.statement}: {why}")
    print(f"{len(drawn)} of {len(every)} changes: {tried.ended[SURVIVES]} survived, {len(known)} explained")
    return 2 if tried.ended.keys() - {SURVIVES, CAUGHT} else 1 if tried.ended[SURVIVES] else 0


if __name__ == "__main__":
    sys.exit(main())
