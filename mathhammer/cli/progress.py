"""A progress bar on stderr, for work that takes long enough to be worth one."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from types import TracebackType

    from click._termui_impl import ProgressBar

_PATIENCE = 0.5  # seconds: shorter work shows no bar


class Progress:
    """Context manager whose ``update(done, total)`` draws a bar once the work has lasted a while."""

    def __init__(self, description: str, total: int) -> None:
        self._description = description
        self._total = total
        self._began = monotonic()
        self._bar: ProgressBar[int] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def update(self, done: int, total: int) -> None:
        """Say that ``done`` of ``total`` parts are finished."""
        if self._bar is None and monotonic() - self._began > _PATIENCE and sys.stderr.isatty():
            self._bar = click.progressbar(length=self._total, label=self._description, file=sys.stderr)
            self._bar.render_progress()
        if self._bar is not None:
            self._bar.length = total
            self._bar.update(done - self._bar.pos)
