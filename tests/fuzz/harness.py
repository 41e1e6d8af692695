"""Inputs one after another, each within a limit of time and of memory: an answer, or an error of our own."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


#: Valid inputs are those of the other tests.
TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / room) for room in (".", "cli", "inputs", "referees", "rosters")]
#: What one input may take, in processor time and in memory: work of 5 s, as estimated, is not refused.
SECONDS = 8.0
MEBIBYTES = 500
#: What C code does without looking up, by the clock of a machine that others use too: the worker is ended from outside.
_WALL = 120.0
#: Inputs of one worker: a new one starts with empty caches.
_BATCH = 500


class _TooLongError(BaseException):
    """Raised by the clock inside the work: nothing of ours catches it."""


@dataclass(frozen=True)
class Finding:
    """An input that ended in neither an answer nor an error of ours."""

    surface: str
    number: int
    reason: str
    text: str

    def __str__(self) -> str:
        return f"{self.surface} {self.number}: {self.reason}\n    {self.text}"


def judge(act: Callable[[], object]) -> str:
    """Return what is wrong with an act; nothing where it ends in an answer or in our own error."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        shown = str(act())
    except MathhammerError as error:
        shown = str(error)
    except _TooLongError:
        return f"no answer within {SECONDS:g} s: {_place(*_ours())}"
    except MemoryError as error:
        return f"more than {MEBIBYTES} MiB: {_place(*_frames(error))}"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
        return f"{type(error).__name__}: {str(error)[:90]!r}: {_place(*_frames(error))}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if not all(char.isprintable() or char in "\n\t" for char in shown):
        return "a control character reaches the page"
    return ""


def _ours() -> list[str]:
    import sys

    return _frames(sys.exc_info()[1])


def _frames(error: BaseException | None) -> list[str]:
    frames = traceback.extract_tb(None if error is None else error.__traceback__)
    return [f"{frame.filename.split('mathhammer/')[-1]}:{frame.lineno}" for frame in frames]


def _place(*frames: str) -> str:
    inside = [frame for frame in frames if not frame.startswith("/") and "tests/" not in frame]
    return " < ".join(reversed(inside[-3:])) or " < ".join(reversed(frames[-2:]))


def _too_long(_signal: int, _frame: Any) -> None:
    raise _TooLongError


def _random(seed: int, surface: str, number: int) -> Random:
    return Random(f"{seed} {surface} {number}")


def _work(surfaces: Mapping[str, Any], tasks: list[tuple[str, int]], seed: int, pipe: int) -> None:
    """Do the tasks in a process of their own; say before each which one it is, and after it what was wrong."""
    signal.signal(signal.SIGPROF, _too_long)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    held = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    most = held + MEBIBYTES * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    with os.fdopen(pipe, "w", encoding="utf-8", errors="backslashreplace") as out:
        for place, (name, number) in enumerate(tasks):
            out.write(f"{place}\n")
            out.flush()
            text, act = surfaces[name](_random(seed, name, number))
            reason = judge(act)
            if reason:
                out.write(f"!{reason}\t{text[:400]!a}\n")
                out.flush()


def fuzz(
    surfaces: Mapping[str, Any], *, seed: int, seconds: float, first: int = 0, names: tuple[str, ...] = ()
) -> Iterator[Finding | int]:
    """Yield what was found, and after each worker how many inputs were tried.

    Parameters
    ----------
    surfaces
        By name: of a random source an input as text, and an act that takes no argument.
    seed, first
        The same seed, surface and number are the same input.
    seconds
        Time for all of it.
    names
        The surfaces; all by default.
    """
    chosen = names or tuple(surfaces)
    end, number = time.monotonic() + seconds, first
    while time.monotonic() < end:
        per_surface = -(-_BATCH // len(chosen))
        tasks = [(name, number + i) for i in range(per_surface) for name in chosen]
        number += per_surface
        yield from _batch(surfaces, tasks, seed, end)


def _batch(
    surfaces: Mapping[str, Any], tasks: list[tuple[str, int]], seed: int, end: float
) -> Iterator[Finding | int]:
    tried = 0
    while tasks and time.monotonic() < end:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                _work(surfaces, tasks, seed, writing)
            finally:
                os._exit(0)
        os.close(writing)
        done = yield from _watched(surfaces, tasks, seed, child, reading, end)
        tried += done
        tasks = tasks[done:]
    yield tried


def _watched(
    surfaces: Mapping[str, Any], tasks: list[tuple[str, int]], seed: int, child: int, reading: int, end: float
) -> Iterator[Finding]:
    """Read what a worker says; end it when it is silent for too long. Return how many tasks were begun."""
    import select

    place, buffered, ended = 0, b"", ""
    while True:
        ready, _, _ = select.select([reading], [], [], _WALL)
        if not ready:
            os.kill(child, signal.SIGKILL)
            ended = f"no answer within {_WALL:g} s of the clock, inside a library"
            break
        data = os.read(reading, 65536)
        if not data:
            break
        *lines, buffered = (buffered + data).split(b"\n")
        for line in lines:
            said = line.decode()
            if said.startswith("!"):
                reason, _, text = said[1:].partition("\t")
                yield Finding(*tasks[place], reason, text)
            else:
                place = int(said)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            break
    os.close(reading)
    _, status = os.waitpid(child, 0)
    if not ended and os.WIFSIGNALED(status) and time.monotonic() <= end:
        ended = f"ended the process by signal {os.WTERMSIG(status)}, as C code without memory does"
    if ended:
        name, number = tasks[place]
        yield Finding(name, number, ended, f"{surfaces[name](_random(seed, name, number))[0][:400]!a}")
    return place + 1
