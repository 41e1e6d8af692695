"""A benchmark that remembers: how much is called for each question, against a checked-in baseline.

Counts are calls of the package's functions and those that they make: they are the same on every run and machine, so
that a loss of five in a hundred shows. Costs are times as multiples of another library's or of another call's, in the
same process and in turns, the median of several blocks: they are shown, and gate nothing, as they drift.

Each script takes ``--json FILE`` to write what it measured, and ``--gate`` to fail where a count is above the
baseline's; one below it becomes the baseline. ``--record`` makes every count the baseline: a commit that raises one
changes nothing else and says why, to which ``python benchmarks/gate.py`` holds the history.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

BASELINE = Path(__file__).with_name("baseline.json")
#: How much more than the baseline a count of calls may be.
TOLERANCE = 1.05
#: When the rule for commits that raise the baseline began.
SINCE = "2026-11-24T03:40:00Z"
#: Steps that are counted by themselves: one more of them is much more work.
STEPS = frozenset(
    {
        *("compile_entries", "resolve", "BulkCompiler.compile", "Block.compute"),
        *("Mass.power", "row_products", "convolution"),
    }
)
_PACKAGES = ("numpy", "python-flint", "sympy", "icepool", "dyce", "warhammer-stats")
_PACKAGE = str(Path(__file__).parents[1] / "mathhammer")


@dataclass(frozen=True)
class Cost:
    """A time as a multiple of another one: the median of blocks, and how far they are apart as a part of it."""

    median: float
    spread: float

    @classmethod
    def of(cls, blocks: Sequence[float]) -> Cost:
        middle = median(blocks)
        return cls(middle, (max(blocks) - min(blocks)) / middle)


def costs_of(blocks: Sequence[Mapping[str, float]], reference: str) -> dict[str, Cost]:
    """Return the cost of each call as a multiple of one of them."""
    names = [name for name in blocks[0] if name != reference]
    return {name: Cost.of([block[name] / block[reference] for block in blocks]) for name in names}


def calls_of(work: Callable[[], object]) -> dict[str, int]:
    """Count the calls of the package's functions and those that they make, together, and the steps by name.

    Comprehensions are none: what of them is a call differs between versions of Python.
    """
    counts = {"calls": 0}

    def count(frame: Any, event: str, _: object) -> None:
        if event in {"call", "c_call"} and frame.f_code.co_filename.startswith(_PACKAGE):
            if frame.f_code.co_name[0] == "<":
                return
            counts["calls"] += 1
            if event == "call" and frame.f_code.co_qualname in STEPS:
                step = f"step {frame.f_code.co_qualname}"
                counts[step] = counts.get(step, 0) + 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counts


def losses(baseline: Mapping[str, Mapping[str, int]], counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return what is more than the baseline allows, one sentence each."""
    found = []
    for name, now in counts.items():
        if (known := baseline.get(name)) is None:
            found.append(f"{name} is not in the baseline: record it")
            continue
        for what, number in now.items():
            most = int(known.get(what, 0) * (1 if what.startswith("step ") else TOLERANCE))
            if number > most:
                found.append(f"{name} makes {number:,} {what}, at most {most:,}")
    return found


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that all scripts have."""
    parser.add_argument("--gate", action="store_true", help="fail where it is worse than the baseline")
    parser.add_argument("--json", metavar="FILE", help="write what was measured")
    parser.add_argument("--record", action="store_true", help="make it the baseline")


def finish(
    script: str,
    options: argparse.Namespace,
    measure: Callable[[], Mapping[str, Cost]],
    counts: Mapping[str, Mapping[str, int]],
) -> int:
    """Print, measure, write and compare as the options say; return the exit status."""
    remembered = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {}
    known = remembered.get(script, {})
    costs = {} if options.gate or options.record else measure()
    for name, cost in costs.items():
        print(f"{name}: {cost.median:.3g} (blocks {cost.spread:.0%} apart)")
    for name, found in counts.items():
        print(f"{name}: " + ", ".join(f"{n:,} {what}" for what, n in found.items() if what[:5] != "step "))
    if options.json:
        Path(options.json).write_text(
            json.dumps(_document(script, costs, counts), indent=1), encoding="utf-8"
        )
    worse = [] if options.record else losses(known, counts)
    for sentence in worse:
        print(f"worse than the baseline: {sentence}")
    if options.record or (options.gate and not worse):
        lowest = {
            name: {
                what: number if options.record else min(number, known[name][what])
                for what, number in found.items()
            }
            for name, found in counts.items()
        }
        if lowest != known:
            remembered[script] = lowest
            BASELINE.write_text(json.dumps(remembered, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return int(options.gate and bool(worse))


def _document(
    script: str, costs: Mapping[str, Cost], counts: Mapping[str, Mapping[str, int]]
) -> dict[str, Any]:
    return {
        "script": script,
        "commit": _git("rev-parse", "HEAD"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name))},
        "costs": {name: asdict(cost) for name, cost in costs.items()},
        "counts": {name: dict(found) for name, found in counts.items()},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _git(*words: str) -> str:
    command = ["git", "-C", str(BASELINE.parent), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603 - our own command


def raised(
    history: Iterable[tuple[str, Mapping[str, Any], Mapping[str, Any], Sequence[str], str]],
) -> list[str]:
    """Return the commits (name, baseline before and after, files, body) that raise a count against the rule."""
    return [
        f"{commit} raises the baseline: it may change nothing else, and says why in its body"
        for commit, before, after, files, body in history
        if (len(files) > 1 or not body)
        and any(
            number > before[script][name].get(what, number)
            for script, questions in after.items()
            for name, counts in questions.items()
            if name in before.get(script, {})
            for what, number in counts.items()
        )
    ]


def _history() -> Iterator[tuple[str, Any, Any, list[str], str]]:
    """Yield the commits since the rule that change the baseline."""
    path = "benchmarks/baseline.json"
    for commit in _git("log", "--no-merges", f"--since={SINCE}", "--format=%H", "--", ":/" + path).split():
        before, after = (
            json.loads(_git("show", f"{each}:{path}") or "{}") for each in (f"{commit}^", commit)
        )
        files = _git("show", "--format=", "--name-only", commit).splitlines()
        yield commit, before, after, files, _git("show", "--no-patch", "--format=%b", commit)


if __name__ == "__main__":
    wrong = raised(_history())
    print("\n".join(wrong) or "the baseline went up in commits of its own alone")
    sys.exit(bool(wrong))
