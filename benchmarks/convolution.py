"""The dice algebra against icepool and dyce, in one run.

Run ``python benchmarks/convolution.py`` for the whole tables (some minutes, almost all of them the peers'), add
``--quick`` to leave out what takes a peer more than a second. ``--gate`` is the guard against regressions: some
seconds of interleaved minima against bare FLINT, and counts of calls (see ``gate.py``).

"Cold" is a call in a process that has computed other expressions, but nothing of this one: all memos are emptied
before it. Other rows are repeated calls of which ours reads the text and computes each time; where one names a
peer's memo, that is left to answer.
"""

from __future__ import annotations

import argparse
import functools
import gc
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dyce
import flint
import icepool
import sympy
from gate import Cost, add_options, calls_of, costs_of, finish
from icepool.evaluator.multiset_evaluator_base import MultisetEvaluatorBase
from measure import blocks_of, interleaved_minima, markdown

from mathhammer import distribution, wh40k
from mathhammer.distributions import Distribution
from mathhammer.distributions.combination import convolution
from mathhammer.expressions import dice

#: What is timed, as a function of the number of sides of its die.
Call = Callable[[int], object]
_Memo = type(functools.cache(print))


@dataclass(frozen=True)
class Task:
    """One row: what we do, what a peer does, and how many times faster we mean to be."""

    name: str
    ours: Call
    peer: Call
    peer_name: str
    goal: float
    slow: bool = False
    warm: bool = False


def ours(text: str, k: int, *, exact: bool) -> Call:
    return lambda sides: distribution(text.replace("D6", f"D{sides}"), exact=exact).pmf(k)


def bare_flint(sides: int) -> object:
    return flint.fmpz_poly([1] * sides) ** 1000


def die_of(sides: int) -> Any:
    """A die of icepool that remembers nothing."""
    return icepool.Die(range(1, sides + 1))


def icepool_attack(sides: int) -> object:
    """40 attacks, each of which wounds with 1/3 for half a die, on ten models of three wounds."""
    damage = icepool.Die([die_of(sides // 2), 0], times=[1, 2])

    def step(state: tuple[int, int], lost: int) -> tuple[int, int]:
        destroyed, wounds = state
        if destroyed == 10:
            return state
        return (destroyed + 1, 0) if wounds + lost >= 3 else (destroyed, wounds + lost)

    return icepool.map(step, (0, 0), damage, star=False, repeat=40)


_WEAPON = wh40k.Weapon(
    "w", range='24"', attacks=40, skill=None, strength=3, ap=0, damage="D3", keywords="Torrent"
)
_UNIT = wh40k.Target("t", toughness=5, save="7+", wounds=3, models=10)


def our_attack(_: int) -> object:
    return wh40k.attack(_WEAPON, _UNIT, edition="10e").kills.pmf(7)


def loaded(sides: int) -> object:
    faces = {face: face for face in range(1, sides + 6)}
    return Distribution.from_weights(faces, exact=True).repeat(1000).pmf(7000)


def loaded_icepool(sides: int) -> object:
    return 1000 @ icepool.Die({face: face for face in range(1, sides + 6)})


MIXED = (4, 6, 8, 10, 12)


def mixed_pool(_: int) -> object:
    dice_of = ", ".join(f"6D{sides}" for sides in MIXED)
    return distribution(f"highest(3 of {dice_of})", exact=True).pmf(30)


def mixed_pool_icepool(_: int) -> object:
    return icepool.Pool([die_of(sides) for sides in MIXED for _ in range(6)]).highest(3).sum()


def different_dice(_: int) -> object:
    return convolution([distribution(f"D{sides}", exact=True) for sides in range(2, 52)]).pmf(700)


def different_dice_icepool(_: int) -> object:
    total = die_of(2)
    for sides in range(3, 52):
        total = total + die_of(sides)
    return total


def tasks() -> list[Task]:
    """Every row of the table; ratios are peer to ours."""
    thousand = "sum of 1000 D6 and one pmf value"
    kept = {
        "4D6 keep 3": ("highest(3 of 4D6)", 12, 4, 3),
        "20D6 keep 10": ("highest(10 of 20D6)", 50, 20, 10),
    }
    rows = [
        Task(
            f"{thousand}, exact",
            ours("1000D6", 3500, exact=True),
            bare_flint,
            "bare FLINT",
            1 / 1.5,
            warm=True,
        ),
        Task(
            f"{thousand}, exact",
            ours("1000D6", 3500, exact=True),
            lambda s: 1000 @ die_of(s),
            "icepool",
            1000,
            slow=True,
        ),
        Task(
            f"{thousand}, exact",
            ours("1000D6", 3500, exact=True),
            lambda s: 1000 @ dyce.H(s),
            "dyce",
            1000,
            slow=True,
        ),
    ]
    for exact in (True, False):
        name, mine = f"sum of 10 D6, cold, {'exact' if exact else 'floats'}", ours("10D6", 35, exact=exact)
        rows.append(Task(name, mine, lambda s: 10 @ die_of(s), "icepool", 10))
        rows.append(Task(name, mine, lambda s: 10 @ dyce.H(s), "dyce", 10))
    for name, (text, k, count, keep) in kept.items():
        mine = ours(text, k, exact=True)

        def fresh(sides: int, count: int = count, keep: int = keep) -> object:
            return die_of(sides).highest(count, keep)

        def remembered(_: int, count: int = count, keep: int = keep, die: Any = icepool.d6) -> object:
            return die.highest(count, keep)

        rows.append(Task(f"{name}, cold, exact", mine, fresh, "icepool", 10))
        rows.append(Task(f"{name}, exact", mine, remembered, "icepool's memo", 1, warm=True))
    return [
        *rows,
        Task("highest 3 of 6 each of D4 to D12, cold, exact", mixed_pool, mixed_pool_icepool, "icepool", 10),
        Task(
            "sum of D2 to D51, cold, exact",
            different_dice,
            different_dice_icepool,
            "icepool",
            10,
            slow=True,
        ),
        Task(
            "(30D6)D6, exact",
            ours("(30D6)D6", 360, exact=True),
            lambda s: (30 @ die_of(s)) @ die_of(s),
            "icepool",
            100,
        ),
        Task("11-outcome die 1000 times, exact", loaded, loaded_icepool, "icepool", 100, slow=True),
        Task(
            "40 attacks, p = 1/3, D3, ten models of 3 wounds",
            our_attack,
            icepool_attack,
            "icepool",
            100,
            warm=True,
        ),
    ]


def cold(calls: dict[str, Call], *, rounds: int) -> dict[str, float]:
    """Least time of each call in one process, taking turns, each time with nothing of it remembered."""
    least = dict.fromkeys(calls, float("inf"))
    memos = find_memos()
    gc.disable()
    for _ in range(rounds):
        for name, call in calls.items():
            # The first two find the processor's caches as the others left them.
            for _ in range(3 if rounds > 1 else 1):
                forget(memos)
                start = time.perf_counter()
                call(6)
                least[name] = min(least[name], time.perf_counter() - start)
    gc.enable()
    return least


def find_memos() -> list[Any]:
    """Everything in which the three libraries remember results."""
    return [
        found
        for found in gc.get_objects()
        if isinstance(found, MultisetEvaluatorBase)
        or (isinstance(found, _Memo) and str(found.__module__).startswith(("mathhammer", "icepool", "dyce")))
    ]


def forget(memos: list[Any]) -> None:
    """Empty all of them; the dice themselves are made anew by each call."""
    for memo in memos:
        if isinstance(memo, MultisetEvaluatorBase):
            memo.__dict__.pop("_cache", None)
        else:
            memo.cache_clear()
    icepool.math.comb_row_cache.clear()


def peak(call: Call) -> float:
    """Most memory that a call adds to a forked child, in MiB."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        sys.setrecursionlimit(20_000)  # icepool recurses once for each die
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        kept = call(6)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        os.write(writer, str((after - before) / 1024).encode())
        os._exit(0 if kept is not None else 1)
    os.close(writer)
    with os.fdopen(reader) as answer:
        mebibytes = float(answer.read())
    os.waitpid(child, 0)
    return mebibytes


def speed_row(task: Task) -> list[str]:
    pair = {"ours": task.ours, "peer": task.peer}
    if task.warm:

        def forgetful() -> object:
            dice.cache_clear()
            return task.ours(6)

        least = interleaved_minima({"ours": forgetful, "peer": lambda: task.peer(6)}, rounds=60, seconds=8)
    else:
        # A slow peer is called once, at the end: it leaves hundreds of megabytes behind.
        least = cold({"ours": task.ours} if task.slow else pair, rounds=12)
        least |= cold({"peer": task.peer}, rounds=1) if task.slow else {}
    mine, peer = least["ours"], least["peer"]
    ratio = peer / mine
    verdict = "yes" if ratio >= task.goal else "NO"
    goal = f"{task.goal:,.0f}x" if task.goal >= 1 else f"{1 / task.goal:.1f}x its time"
    shown = (
        f"{ratio:,.0f}x faster"
        if ratio >= 10
        else f"{ratio:.1f}x faster"
        if ratio >= 1
        else f"{1 / ratio:.2f}x its time"
    )
    return [task.name, _time(mine), f"{task.peer_name} {_time(peer)}", shown, goal, verdict]


def memory_rows(*, quick: bool) -> list[list[str]]:
    dist = distribution("1000D6", exact=True)
    size = sum(int(weight).bit_length() for weight in dist.to_dict()["numerators"]) / 8 / 2**20
    mine = peak(ours("1000D6", 3500, exact=True))
    theirs = "not run" if quick else f"icepool {peak(lambda s: 1000 @ die_of(s)):,.0f} MiB"
    shown, verdict = f"{mine / size:.1f} times the result", "yes" if mine <= 5 * size else "NO"
    return [["memory for 1000 D6, exact", f"{mine:.1f} MiB", theirs, shown, "at most 5 times", verdict]]


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:,.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def guarded() -> dict[str, Cost]:
    """Compare the guarded calls with bare FLINT."""
    pairs = {
        "1000D6 exact": (ours("1000D6", 3500, exact=True), bare_flint),
        "20D6 keep 10 exact": (
            ours("highest(10 of 20D6)", 50, exact=True),
            lambda _: [flint.fmpz_poly([1] * 60)(flint.fmpz_poly([1] * 6)) for _ in range(3)],
        ),
    }
    found = {}
    for name, (mine, bare) in pairs.items():

        def forgetful(mine: Call = mine) -> object:
            dice.cache_clear()
            return mine(6)

        calls = {name: forgetful, "bare": lambda bare=bare: bare(6)}
        found |= costs_of(blocks_of(calls, blocks=5, rounds=30, seconds=3), "bare")
        print(f"{name}: {found[name].median:.2f} times the bare library")
    return found


def counted() -> dict[str, dict[str, int]]:
    """Count the calls of expressions that were not computed before."""
    texts = ("17D6", "9D6+4D8", "highest(3 of 5D6)", "highest(2 of 3D4, 2D6, D8)", "(6D6)D6", "D6÷2+3")

    def work(*, exact: bool) -> None:
        for text in texts:
            dice.cache_clear()
            distribution(text, exact=exact).mean()

    return {
        f"dice, {'exact' if exact else 'float64'}": calls_of(lambda exact=exact: work(exact=exact))
        for exact in (True, False)
    }


def warm_up() -> None:
    """Load what is loaded once, on both sides."""
    float(distribution("D8", exact=True).pmf(8) + sympy.Rational(1, 2))
    our_attack(6), icepool_attack(8)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out what takes a peer more than a second")
    add_options(parser)
    options = parser.parse_args()
    warm_up()
    sys.setrecursionlimit(20_000)  # icepool recurses once for each die
    if options.gate or options.json or options.record:
        return finish("convolution", options, guarded, counted())
    rows = [speed_row(task) for task in tasks() if not (options.quick and task.slow)]
    rows += memory_rows(quick=options.quick)
    print(markdown(["task, through the public API", "mathhammer", "peer", "ratio", "goal", "reached"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
