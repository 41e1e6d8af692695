"""The gate of the benchmarks, with made-up numbers: what passes, and what does not."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def gate(monkeypatch, tmp_path):
    spec = importlib.util.spec_from_file_location("benchmark_gate", BENCHMARKS / "gate.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "benchmark_gate", module)
    spec.loader.exec_module(module)
    baseline = tmp_path / "baseline.json"
    known = {"costs": {"power": {"cost": 1.0}, "job": {"cost": 0.02, "tolerance": 1.6}}}
    known["counts"] = {"job": {"systems/wh40k": 1000, "sequence": 200, "step resolve": 10}}
    baseline.write_text(json.dumps({"script": known}), encoding="utf-8")
    monkeypatch.setattr(module, "BASELINE", baseline)
    return module


def status(module, runs, counts, **given):
    """Exit status of a script whose measurements come out so, one after the other."""
    options = argparse.Namespace(gate=True, json=None, record=False)
    vars(options).update(given)
    measurements = iter(runs)

    def measure():
        return {name: module.Cost.of(blocks) for name, blocks in next(measurements).items()}

    return module.finish("script", options, measure, {"job": counts})


GOOD = {"power": [1.0, 1.1, 1.2], "job": [0.02, 0.021, 0.03]}
SLOW = {"power": [1.7, 1.76, 1.8], "job": [0.02, 0.021, 0.03]}
COUNTS = {"systems/wh40k": 1000, "sequence": 200}


def test_the_same_passes_at_once(gate):
    assert status(gate, [GOOD], COUNTS) == 0


def test_noise_passes_if_any_of_four_measurements_does(gate):
    assert status(gate, [SLOW, SLOW, SLOW, GOOD], COUNTS) == 0
    # the best of each, whichever run it was in
    loud = {"power": [1.0, 1.0, 1.0], "job": [0.05, 0.05, 0.05]}
    assert status(gate, [loud, SLOW], COUNTS) == 0


def test_one_loud_block_does_not_count(gate):
    assert status(gate, [{"power": [1.0, 1.0, 9.0], "job": [0.02] * 3}], COUNTS) == 0


def test_a_power_that_takes_three_quarters_longer_fails(gate, capsys):
    assert status(gate, [SLOW] * 4, COUNTS) == 1
    assert "worse than the baseline: power costs 1.76, at most 1.25" in capsys.readouterr().out


def test_a_tolerance_of_its_own(gate):
    assert status(gate, [{"power": [1.0], "job": [0.0319]}], COUNTS) == 0
    assert status(gate, [{"power": [1.0], "job": [0.0321]}] * 4, COUNTS) == 1


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"systems/wh40k": 1399, "sequence": 200}, 0),
        ({"systems/wh40k": 1401, "sequence": 200}, 1),  # 1.35 times 1,000, and 50
        ({"systems/wh40k": 2000, "sequence": 200}, 1),  # compiled twice
        ({"systems/wh40k": 1000, "sequence": 200, "analysis": 49}, 0),
        ({"systems/wh40k": 1000, "sequence": 200, "analysis": 51}, 1),
        ({"systems/wh40k": 500}, 0),
        ({"systems/wh40k": 1000, "step resolve": 13}, 0),
        ({"systems/wh40k": 1000, "step convolution": 1}, 0),
        ({"systems/wh40k": 1000, "step convolution": 2}, 1),
        ({"systems/wh40k": 1000, "step resolve": 14}, 1),  # 1.35 times 10
    ],
)
def test_counts_are_compared_folder_by_folder(gate, counts, expected):
    assert status(gate, [GOOD] * 4, counts) == expected


def test_what_the_baseline_does_not_know_fails(gate, capsys):
    assert status(gate, [{**GOOD, "new": [1.0]}] * 4, COUNTS) == 1
    assert "new is not in the baseline: record it" in capsys.readouterr().out


def test_without_the_gate_nothing_fails_and_json_says_what_was_measured(gate, tmp_path):
    path = tmp_path / "found.json"
    assert status(gate, [SLOW], COUNTS, gate=False, json=str(path)) == 0
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["costs"]["power"] == {"median": 1.76, "spread": pytest.approx(0.1 / 1.76)}
    assert found["counts"] == {"job": COUNTS}
    assert {"commit", "python", "versions", "script"} <= found.keys()


def test_a_recorded_baseline_passes_and_keeps_its_tolerances(gate):
    assert status(gate, [SLOW], COUNTS, gate=False, record=True) == 0
    assert status(gate, [SLOW], COUNTS) == 0
    known = json.loads(gate.BASELINE.read_text(encoding="utf-8"))["script"]
    assert known["costs"]["job"] == {"cost": 0.021, "tolerance": 1.6}


def test_calls_are_counted_by_folder_and_are_the_same_each_time(gate):
    from mathhammer import distribution
    from mathhammer.expressions import dice

    def work():
        dice.cache_clear()
        distribution("3D6+2", exact=True).mean()

    work()
    first, second = gate.calls_of(work), gate.calls_of(work)
    assert first == second
    assert first["expressions"] > 10
    assert first["step Mass.power"] == 1
    assert gate.calls_of(lambda: (work(), work()))["expressions"] == 2 * first["expressions"]


def test_the_checked_in_baseline_knows_every_script_of_the_gate():
    known = json.loads((BENCHMARKS / "baseline.json").read_text(encoding="utf-8"))
    assert known.keys() == {"convolution", "sequence", "t9a", "bulk", "sequence_hard", "cliffs"}
    for entry in known.values():
        assert entry["costs"]
        assert entry["counts"]
        assert all(cost.get("tolerance", 1.25) <= 2 for cost in entry["costs"].values())


def test_every_step_is_counted_somewhere(gate):
    known = json.loads((BENCHMARKS / "baseline.json").read_text(encoding="utf-8"))
    counted = {name for entry in known.values() for counts in entry["counts"].values() for name in counts}
    assert {f"step {name}" for name in gate.STEPS} <= counted
