"""Seconds that a whole question takes where it is asked, as estimated before each part of it is begun."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Pace:
    """How many times longer work takes there, how many seconds are enough, and how many were begun."""

    def __init__(self, slower: float, most: float) -> None:
        self.slower, self.most = slower, most
        self.seconds = 0.0

    @property
    def refused(self) -> bool:
        """Whether a part was refused."""
        return self.seconds > self.most


_PACE: ContextVar[Pace | None] = ContextVar("_PACE", default=None)


@contextmanager
def paced(slower: float, most: float) -> Iterator[Pace]:
    """Let all parts of a question within take no longer than so many seconds, each so many times slower."""
    pace = Pace(slower, most)
    token = _PACE.set(pace)
    try:
        yield pace
    finally:
        _PACE.reset(token)


def begin(seconds: float) -> None:
    """Raise TooLargeError where the next part of a question would make it longer than is enough."""
    pace = _PACE.get()
    if pace is None:
        return
    pace.seconds += seconds * pace.slower
    if pace.refused:
        raise TooLargeError(
            f"expected a question that takes at most {pace.most:.0f} seconds here, but this one takes about "
            f"{pace.seconds:,.0f} or more; ask for fewer dice, attacks, weapons or models"
        )
