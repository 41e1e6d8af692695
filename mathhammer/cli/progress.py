"""A progress bar on stderr, for work that takes long enough to be worth one."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

__all__ = ["Progress"]

_PATIENCE = 0.5  # seconds: shorter work shows no bar, and does not pay for the import of one


class Progress:
    """Context manager whose ``update(done, total)`` draws a bar once the work has lasted a while.

    Nothing is drawn when stderr is not a terminal.
    """

    def __init__(self, description: str, total: int) -> None:
        self._description = description
        self._total = total
        self._began = monotonic()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: int, total: int) -> None:
        """Say that ``done`` of ``total`` parts are finished."""
        if self._bar is None and monotonic() - self._began > _PATIENCE and sys.stderr.isatty():
            self._start()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._description, total=self._total)
        self._bar.start()
