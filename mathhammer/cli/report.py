"""Pages for the browser: what a command prints, with pictures, in one file that asks nothing of any other machine."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mathhammer.cli.page import Page
from mathhammer.display.html import html_page, html_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class BrowserPage(Page):
    """Lines on their way to a browser, in which tables and names are as wide as they are."""

    rich = True

    def paragraph(self, text: str = "", *, indent: str = "", hanging: str | None = None) -> None:  # noqa: ARG002
        if text:
            self.draw(f"<p>{escape(text)}</p>")

    line = paragraph

    def listing(self, prefix: str, items: Iterable[str]) -> None:
        self.paragraph(f"{prefix} {', '.join(items)}")

    def heading(self, text: str) -> None:
        tag = "h2" if self._lines else "h1"
        self.title = self.title or text
        self.draw(f"<{tag}>{escape(text)}</{tag}>")

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        align: str,
        *,
        quiet: bool = False,  # noqa: ARG002
        notes: Sequence[Iterable[str]] = (),
    ) -> None:
        self.draw(html_table(header, rows, text_last=align.endswith("<")))
        for row, texts in zip(rows, notes, strict=False):
            for text in texts:
                self.paragraph(f"{row[0].removesuffix(' !')}: {text}")

    def draw(self, picture: str) -> None:
        self._lines.append(picture)

    def html(self) -> str:
        """Return the page."""
        return html_page(f"{self.title} - mathhammer", self._lines)
