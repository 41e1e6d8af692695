"""Pages for the browser: what a command prints, with pictures, in one file that asks nothing of any other machine."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from mathhammer.cli import units
from mathhammer.cli.page import Page
from mathhammer.display.html import html_heat_map, html_page, html_table, svg_curves
from mathhammer.display.numbers import percent
from mathhammer.distributions.fractions import in_fractions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mathhammer.analysis.matchups import ArmyTable, Cell, Row
    from mathhammer.systems.wh40k.attacks.focus import Focus


class BrowserPage(Page):
    """Lines on their way to a browser, in which tables and names are as wide as they are."""

    rich = True

    def line(self, text: str = "") -> None:
        """Add a paragraph; blank lines are for terminals."""
        if text:
            self.paragraph(text)

    def paragraph(self, text: str, *, indent: str = "", hanging: str | None = None) -> None:  # noqa: ARG002
        """Add a paragraph."""
        self._lines.append(f"<p>{escape(text)}</p>")

    def listing(self, prefix: str, items: Iterable[str]) -> None:
        """Add a paragraph of a prefix and items."""
        self.paragraph(f"{prefix} {', '.join(items)}")

    def heading(self, text: str) -> None:
        """Add a heading, the first one that of the page."""
        tag = "h2" if self._lines else "h1"
        self.title = self.title or text
        self._lines.append(f"<{tag}>{escape(text)}</{tag}>")

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        align: str,
        *,
        quiet: bool = False,  # noqa: ARG002
        notes: Sequence[Iterable[str]] = (),
    ) -> None:
        """Add a table, and notes of its rows below it."""
        self._lines.append(html_table(header, rows, text_last=align.endswith("<")))
        for row, texts in zip(rows, notes, strict=False):
            for text in texts:
                self.paragraph(f"{row[0].removesuffix(' !')}: {text}")

    def draw(self, picture: str, *given: Any) -> None:
        """Draw a picture: one of the methods below."""
        getattr(self, picture)(*given)

    def after_each(self, focus: Focus) -> None:
        """Add the curves of the wounds lost after each unit."""
        series = {}
        for step in focus.steps:
            lost, most = in_fractions(step.result).wounds_lost, max(step.result.unit.wounds_lost())
            series[step.unit] = [min(1.0, float(lost.at_least(wounds))) for wounds in range(most + 1)]
        self._lines.append(svg_curves(series, title="wounds lost after each unit"))

    def maps(self, table: ArmyTable) -> None:
        """Add heat maps: points for points, or the share where there are none, and the odds of destroying all."""
        rows = list(units.rows_once(table.rows))
        priced = any(cell.points_lost_per_point for row, _ in rows for cell in row.cells)

        def odds(cell: Cell) -> str:
            return percent(cell.probability_destroyed, digits=0)

        for title, caption, value, text in (
            (
                "Points for points",
                "The target's points per point of attacker, by the share of its wounds lost, on average",
                "points_lost_per_point",
                lambda cell: units.cell_texts(cell, "pts/pt")[0],
            )
            if priced
            else (
                "Wounds lost",
                "Share of the target's wounds lost, on average",
                "share_lost",
                lambda cell: units.cell_texts(cell, "share")[0],
            ),
            (
                "Destroyed in one go",
                "Probability that the whole target is destroyed",
                "probability_destroyed",
                odds,
            ),
        ):
            cells = [
                (
                    f"{units.row_name(row, copies)} ({row.kind})",
                    [(getattr(each, value), text(each)) for each in row.cells],
                )
                for row, copies in rows
            ]
            self.heading(title)
            self._lines.append(html_heat_map([each.name for each in table.targets], cells, caption=caption))

    def losses(self, rows: Iterable[Row], copies: int) -> None:
        """Add the curves of a unit in each phase."""
        for row in rows:
            series = {cell.target: cell.wounds_at_least for cell in row.cells if cell.wounds_at_least}
            if series:
                title = f"{units.row_name(row, copies)} ({row.kind}): wounds lost"
                self._lines.append(svg_curves(series, title=title))

    def each_loss(self, rows: Iterable[Row]) -> None:
        """Add the same of all units, each under its name."""
        for equal in units.equal_units(rows):
            self.heading(units.unit_facts(equal[0][0], len(equal)))
            self.losses(equal[0], len(equal))

    def html(self) -> str:
        """Return the page."""
        return html_page(f"{self.title} - mathhammer", self._lines)
