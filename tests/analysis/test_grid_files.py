"""Grids as CSV, JSON, data frames and Parquet, and cells that are written as they are computed."""

from __future__ import annotations

import csv
import io
import json
import sys
from concurrent.futures import Executor, ThreadPoolExecutor

import numpy as np
import pytest
from tenth import analysis, wh40k

from mathhammer import MathhammerError
from mathhammer.analysis import blocks, grids, tabular
from mathhammer.rosters import sample_army
from mathhammer.sequence import bulk as walks
from mathhammer.systems.wh40k.sequence.bulk import BulkCompiler

GUNS = [
    wh40k.Weapon.parse(
        f'Gun {index}: 24" A{1 + index % 3} BS{2 + index % 4}+ S{3 + index % 7} AP-1 D{1 + index % 2}'
    )
    for index in range(12)
]
ATTACKERS = [
    analysis.Attacker('Squad "A", veteran', GUNS[0], points=80),
    analysis.Attacker("=1+2", GUNS[0], points=62.5),
    *GUNS,
]
TARGETS = [wh40k.TARGETS["MEQ"], wh40k.Target("Żółw", toughness=4, save="3+", wounds=2), wh40k.TARGETS["VEQ"]]


@pytest.fixture
def table():
    return analysis.grid(ATTACKERS, TARGETS)


def test_csv_is_what_the_csv_module_writes(table):
    stream = io.StringIO()
    records = table.to_records()
    writer = csv.DictWriter(stream, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(record | {"attacker": record["attacker"].replace("=1+2", "'=1+2")} for record in records)
    assert table.to_csv() == stream.getvalue()
    assert records[1]["points_per_point"] is None
    assert records[0]["mean_wounds_lost"] == table.mean_wounds_lost[0, 0]


def test_json_and_data_frame_hold_the_records(table):
    pandas = pytest.importorskip("pandas", reason="a data frame needs pandas")
    assert json.loads(table.to_json())["records"] == table.to_records()
    pandas.testing.assert_frame_equal(
        table.to_dataframe(), pandas.DataFrame.from_records(table.to_records()), check_exact=True
    )


def test_cells_at_once_change_nothing(table, monkeypatch):
    pytest.importorskip("pandas", reason="a data frame needs pandas")
    whole = table.to_csv(), table.to_json(), table.to_dataframe()
    monkeypatch.setattr("mathhammer.analysis.grid_result.CELLS_AT_ONCE", 7)
    assert (table.to_csv(), table.to_json()) == whole[:2]
    assert table.to_dataframe().equals(whole[2])


@pytest.mark.parametrize("keep_distributions", [True, False])
@pytest.mark.parametrize("block", [None, 2])
def test_a_csv_sink_holds_what_to_csv_gives(tmp_path, monkeypatch, keep_distributions, block):
    monkeypatch.setattr(grids, "CELLS_AT_ONCE", 5)
    seen = []
    number = analysis.grid(
        ATTACKERS,
        TARGETS,
        keep_distributions=keep_distributions,
        block=block,
        sink=tmp_path / "cells.csv",
        progress=lambda *at: seen.append(at),
    )
    head, *lines = (tmp_path / "cells.csv").read_text(encoding="utf-8").splitlines()
    expected, *rows = (
        analysis.grid(ATTACKERS, TARGETS, keep_distributions=keep_distributions).to_csv().splitlines()
    )
    assert number == len(ATTACKERS) * len(TARGETS)
    assert (head, sorted(lines)) == (expected, sorted(rows))
    assert seen[-1] == (len(ATTACKERS), len(ATTACKERS))


@pytest.mark.parametrize("keep_distributions", [True, False])
def test_a_parquet_sink_holds_the_records_and_the_distributions(
    tmp_path, monkeypatch, table, keep_distributions
):
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs the extra 'parquet'")
    monkeypatch.setattr(grids, "CELLS_AT_ONCE", 5)
    path = tmp_path / "cells.parquet"
    analysis.grid(ATTACKERS, TARGETS, keep_distributions=keep_distributions, sink=path)
    rows = {(row["attacker"], row["target"]): row for row in parquet.read_table(path).to_pylist()}
    assert len(rows) == len(ATTACKERS) * len(TARGETS)
    for record in table.to_records():
        row = rows[record["attacker"], record["target"]]
        distribution = row.pop("kills", None)
        assert row == {name: value for name, value in record.items() if "_q" not in name}
        if keep_distributions:
            names = [attacker.name for attacker in table.attackers]
            kept = table.kill_distributions[table.column(record["target"])][names.index(record["attacker"])]
            assert distribution == kept.tolist()
        else:
            assert distribution is None


def test_a_sink_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("kept", encoding="utf-8")
    with pytest.raises(MathhammerError, match="20,000 attacks"):
        analysis.grid([*GUNS, wh40k.Volley(GUNS[0], 10**6)], TARGETS, block=1, sink=path)
    assert path.read_text(encoding="utf-8") == "kept"
    assert list(tmp_path.iterdir()) == [path]


def test_sinks_that_are_refused(tmp_path, monkeypatch):
    for name in ("cells.xlsx", "cells", "army.json"):
        with pytest.raises(MathhammerError, match=r"ends in \.csv or \.parquet"):
            analysis.grid(GUNS, TARGETS, sink=tmp_path / name)
    with pytest.raises(MathhammerError, match="No such file or directory"):
        analysis.grid(GUNS, TARGETS, sink=tmp_path / "nowhere" / "cells.csv")
    with pytest.raises(MathhammerError, match="leave out both_ways, or the sink"):
        analysis.grid(sample_army(), sample_army(), both_ways=True, sink=tmp_path / "cells.csv")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MathhammerError, match="pip install pyarrow"):
        analysis.grid(GUNS, TARGETS, sink=tmp_path / "cells.parquet")
    assert not list(tmp_path.iterdir())


def test_blocks_do_not_repeat_what_they_share(monkeypatch):
    """Work is counted, not timed: distributions of one attack, and transitions of one wound."""
    counts = {"compiled": 0, "transitions": 0}
    of_one_attack, transition = BulkCompiler._of_one_attack, walks.transition

    def compiled(self, *key):
        counts["compiled"] += 1
        return of_one_attack(self, *key)

    def counted(block, copies):
        counts["transitions"] += 1
        return transition(block, copies)

    monkeypatch.setattr(BulkCompiler, "_of_one_attack", compiled)
    monkeypatch.setattr(walks, "transition", counted)
    many = [
        wh40k.Weapon("any", range='24"', attacks=2, skill="3+", strength=strength, ap=-1, damage=damage)
        for strength in range(3, 13)
        for damage in (1, 2, 3, "D3", "D6", "D6+1", "D3+3", 6)
    ]
    targets = list(wh40k.TARGETS.values())
    work = []
    for block in (len(many), len(many) // 8):
        counts.update(dict.fromkeys(counts, 0))
        analysis.grid(many, targets, block=block, keep_distributions=False)
        work.append(tuple(counts.values()))
    assert work[1][0] == work[0][0]
    assert work[1][1] <= 1.1 * work[0][1]


def test_a_spread_table_has_two_blocks_a_worker_or_blocks_that_are_worth_it():
    assert blocks._block_size(2677, 250, None) == 2000
    assert blocks._block_size(2677, 250, Executor()) == 84  # of how many workers nobody knows
    assert blocks._block_size(10, 10**6, Executor()) == 1
    with ThreadPoolExecutor(2) as pool:
        assert blocks._block_size(2677, 250, pool) == 670
        assert blocks._block_size(30, 6, pool) == 3333
        assert blocks._block_size(10, 10**6, pool) == 1


def test_quantiles_need_distributions():
    assert tabular.quantiles([]) == {}
    distribution = np.array([[0.5, 0.5], [0.0, 1.0]])
    assert {name: values.tolist() for name, values in tabular.quantiles([distribution]).items()} == {
        "kills_q05": [[0], [1]],
        "kills_q50": [[0], [1]],
        "kills_q95": [[1], [1]],
    }
