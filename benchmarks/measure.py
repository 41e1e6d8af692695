"""Interleaved minima: how long calls take on a shared and noisy machine, as ratios within one run."""

from __future__ import annotations

import gc
import resource
import subprocess
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def interleaved_minima(
    calls: Mapping[str, Callable[[], object]], *, rounds: int, seconds: float = 60.0
) -> dict[str, float]:
    """Least CPU time of each call in seconds, the calls taking turns so that all see the same weather.

    Other programs on the machine take none of it.

    A turn is three calls in a row: the first one finds the processor's caches as the others left them, which on
    a call of microseconds would measure the others.
    """
    least = dict.fromkeys(calls, float("inf"))
    deadline = time.perf_counter() + seconds
    gc.collect()
    gc.disable()
    try:
        for done in range(rounds):
            for name, call in calls.items():
                for _ in range(3):
                    start = time.thread_time()
                    call()
                    least[name] = min(least[name], time.thread_time() - start)
            if done >= 2 and time.perf_counter() > deadline:
                break
    finally:
        gc.enable()
    return least


def blocks_of(
    calls: Mapping[str, Callable[[], object]], *, blocks: int, rounds: int, seconds: float
) -> list[dict[str, float]]:
    """Return the least times of each call in several blocks, one after the other."""
    return [interleaved_minima(calls, rounds=rounds, seconds=seconds / blocks) for _ in range(blocks)]


def total_time(call: Callable[[Any], object], inputs: Sequence[Any]) -> float:
    """Return the CPU seconds of one call for each input: other programs on the machine take none of them."""
    gc.collect()
    gc.disable()
    try:
        start = time.thread_time()
        for each in inputs:
            call(each)
        return time.thread_time() - start
    finally:
        gc.enable()


def cpu_seconds(command: Sequence[str], *, rounds: int) -> float:
    """Least CPU time, user and system, of a command."""
    least = float("inf")
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own commands
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)
