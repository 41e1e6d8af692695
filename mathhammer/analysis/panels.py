"""Panels of tables of attackers against targets: a number for each pair, deeper where it is greater."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.display import HeatTable, Panel, count, format_items, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.analysis.grids import Grid
    from mathhammer.analysis.matchups import ArmyTable
    from mathhammer.sequence import Rulings

#: What a pair of numbers in a cell is.
_CAPTION = "mean share of the target's wounds lost (probability that the whole target is destroyed)"


def grid_panel(grid: Grid) -> Panel:
    """Return the mean share of wounds that each target loses, and the probability that the whole of it is destroyed."""
    table = _pairs(
        [target.label for target in grid.targets],
        [attacker.name for attacker in grid.attackers],
        grid.share_lost.tolist(),
        grid.probability_destroyed.tolist(),
    )
    return _panel(
        f"{count(len(grid.attackers), 'attacker')} against {count(len(grid.targets), 'target')}", grid, table
    )


def army_table_panel(table: ArmyTable) -> Panel:
    """Return the same of an army, a row for each unit and phase."""
    pairs = _pairs(
        [target.name for target in table.targets],
        [f"{row.unit} ({row.kind})" for row in table.rows],
        [[cell.share_lost for cell in row.cells] for row in table.rows],
        [[cell.probability_destroyed for cell in row.cells] for row in table.rows],
    )
    left_out = count(len(table.simplifications), "thing")
    notes = [f"{left_out} left out or taken as equal: see .simplifications."] if table.simplifications else []
    return _panel(f"{table.army} against {count(len(table.targets), 'target')}", table, pairs, notes)


def _panel(title: str, table: Grid | ArmyTable, pairs: HeatTable, notes: Sequence[str] = ()) -> Panel:
    facts = {"edition": table.edition}
    if situation := format_items(table.situation):
        facts["situation"] = situation
    rulings: Rulings = table.rulings
    return Panel(title, facts, [pairs] if pairs.rows else [], notes, [(rulings.sentence, rulings.table())])


def _pairs(
    columns: Sequence[str],
    rows: Sequence[str],
    shares: Sequence[Sequence[float]],
    chances: Sequence[Sequence[float]],
) -> HeatTable:
    texts = [
        [
            f"{percent(min(share, 1.0), digits=0)} ({percent(min(chance, 1.0), digits=0)})"
            for share, chance in zip(*pair, strict=True)
        ]
        for pair in zip(shares, chances, strict=True)
    ]
    return HeatTable(columns, list(zip(rows, shares, strict=True)), texts, caption=_CAPTION)
