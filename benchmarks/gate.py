"""A benchmark that remembers: what was measured against a checked-in baseline.

Costs are times as multiples of another library's or of another call's, in the same process and in turns: machines
differ less in them than in seconds. The median of several blocks counts, and of up to four measurements the best, as a
busy machine only ever adds. Counts are calls of the package's functions, by folder: they are the same on every run, so
that they show a loss that noise would hide.

Each script takes ``--json FILE`` to write what it measured, ``--gate`` to fail where it is worse than the baseline, and
``--record`` to make it the baseline.
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
    from collections.abc import Callable, Mapping, Sequence

BASELINE = Path(__file__).with_name("baseline.json")
#: How much more than in the baseline a cost and a count may be; the baseline may allow a cost more, as processors weigh
#: libraries differently.
COST_TOLERANCE, COUNT_TOLERANCE = 1.25, 1.35
#: Calls that a folder may have more in any case, as a step may come once more: of few one more is a large part.
FEW_CALLS = 50
#: How often is measured before a cost counts as too high.
MOST_RUNS = 4
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
    """Count the calls of the package's functions and those that they make, by folder, and the steps by name.

    Comprehensions are none: what of them is a call differs between versions of Python.
    """
    counts: dict[str, int] = {}

    def count(frame: Any, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if event in {"call", "c_call"} and name.startswith(_PACKAGE) and frame.f_code.co_name[0] != "<":
            parts = Path(name[len(_PACKAGE) + 1 :]).parts[:-1]
            folder = "/".join(parts[:2]) or "mathhammer"
            counts[folder] = counts.get(folder, 0) + 1
            if event == "call" and frame.f_code.co_qualname in STEPS:
                step = f"step {frame.f_code.co_qualname}"
                counts[step] = counts.get(step, 0) + 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counts


def losses(
    baseline: Mapping[str, Any], costs: Mapping[str, Cost], counts: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """Return what is worse than the baseline allows, one sentence each."""
    found = []
    for name, cost in costs.items():
        known = baseline.get("costs", {}).get(name)
        if known is None:
            found.append(f"{name} is not in the baseline: record it")
        elif cost.median > (most := known["cost"] * known.get("tolerance", COST_TOLERANCE)):
            found.append(f"{name} costs {cost.median:.3g}, at most {most:.3g}")
    for name, by_folder in counts.items():
        known = baseline.get("counts", {}).get(name)
        if known is None:
            found.append(f"{name} is not in the baseline: record it")
            continue
        for folder, number in by_folder.items():
            before = known.get(folder, 0)
            step = folder.startswith("step ")
            allowed = (
                max(COUNT_TOLERANCE * before, before + 1) if step else COUNT_TOLERANCE * before + FEW_CALLS
            )
            if number > allowed:
                found.append(f"{name} makes {number:,} calls ({folder}), at most {allowed:,.0f}")
    return found


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that all scripts have."""
    parser.add_argument("--gate", action="store_true", help="fail where it is worse than the baseline")
    parser.add_argument("--json", metavar="FILE", help="write what was measured")
    parser.add_argument("--record", action="store_true", help="make it the baseline")


def finish(
    script: str,
    options: argparse.Namespace,
    measure: Callable[[], dict[str, Cost]],
    counts: Mapping[str, Mapping[str, int]],
) -> int:
    """Measure, print, write and compare as the options say; return the exit status."""
    remembered = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {}
    known = remembered.get(script, {})
    costs: dict[str, Cost] = {}
    for _ in range(MOST_RUNS):
        again = measure()
        costs = {
            name: min(cost, costs.get(name, cost), key=lambda each: each.median)
            for name, cost in again.items()
        }
        worse = losses(known, costs, counts)
        if not (options.gate and worse):
            break
    for name, cost in costs.items():
        print(f"{name}: {cost.median:.3g} (blocks {cost.spread:.0%} apart)")
    for name, by_folder in counts.items():
        print(f"{name}: {sum(by_folder.values()):,} calls")
    if options.json:
        Path(options.json).write_text(
            json.dumps(_document(script, costs, counts), indent=1), encoding="utf-8"
        )
    if options.record:
        remembered[script] = _entry(known, costs, counts)
        BASELINE.write_text(json.dumps(remembered, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    for sentence in worse:
        print(f"worse than the baseline: {sentence}")
    return int(options.gate and bool(worse))


def _entry(
    known: Mapping[str, Any], costs: Mapping[str, Cost], counts: Mapping[str, Mapping[str, int]]
) -> dict[str, Any]:
    """Return a new entry of the baseline, with the tolerances of the old one."""
    old = known.get("costs", {})
    return {
        "costs": {
            name: {
                "cost": float(f"{cost.median:.3g}"),
                **({"tolerance": old[name]["tolerance"]} if "tolerance" in old.get(name, {}) else {}),
            }
            for name, cost in costs.items()
        },
        "counts": {name: dict(by_folder) for name, by_folder in counts.items()},
    }


def _document(
    script: str, costs: Mapping[str, Cost], counts: Mapping[str, Mapping[str, int]]
) -> dict[str, Any]:
    return {
        "script": script,
        "commit": _commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name))},
        "costs": {name: asdict(cost) for name, cost in costs.items()},
        "counts": {name: dict(by_folder) for name, by_folder in counts.items()},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _commit() -> str:
    command = ["git", "-C", str(BASELINE.parent), "rev-parse", "HEAD"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    return found.stdout.strip()
