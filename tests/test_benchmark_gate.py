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
    monkeypatch.setattr(module, "BASELINE", tmp_path / "baseline.json")
    return module


KNOWN = {"calls": 1000, "step resolve": 10}


@pytest.fixture
def known(gate):
    gate.BASELINE.write_text(
        json.dumps({"script": {"job": KNOWN}, "other": {"left": KNOWN}}), encoding="utf-8"
    )


def status(module, counts, **given):
    """Exit status of a script that counts so."""
    options = argparse.Namespace(**{"gate": True, "json": None, "record": False, **given})
    costs = {"power": module.Cost.of([1.7, 1.76, 9.0])}
    return module.finish("script", options, lambda: costs, counts)


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("counts", "worse"),
    [
        (KNOWN, ""),
        ({"calls": 1050}, ""),
        ({"calls": 1051}, "job makes 1,051 calls, at most 1,050"),
        ({"calls": 500, "step resolve": 11}, "job makes 11 step resolve, at most 10"),
        ({"calls": 500, "step convolution": 1}, "job makes 1 step convolution, at most 0"),
    ],
)
def test_five_in_a_hundred_more_calls_fail_and_so_does_one_more_step(gate, counts, worse, capsys):
    assert status(gate, {"job": counts}) == bool(worse)
    assert (f"worse than the baseline: {worse}" in capsys.readouterr().out) is bool(worse)


@pytest.mark.usefixtures("known")
def test_the_baseline_goes_down_by_itself_and_never_up(gate):
    def now():
        return json.loads(gate.BASELINE.read_text(encoding="utf-8"))

    assert status(gate, {"job": {"calls": 1040, "step resolve": 9}}) == 0
    assert now() == {"script": {"job": {"calls": 1000, "step resolve": 9}}, "other": {"left": KNOWN}}
    assert status(gate, {"job": {"calls": 2000}}) == 1
    assert now()["script"]["job"]["calls"] == 1000
    assert status(gate, {"job": {"calls": 2000}}, gate=False, record=True) == 0
    assert now()["script"] == {"job": {"calls": 2000}}


def test_what_the_baseline_does_not_know_fails(gate, capsys):
    assert status(gate, {"new": KNOWN}) == 1
    assert "new is not in the baseline: record it" in capsys.readouterr().out


def test_without_the_gate_nothing_fails_and_json_says_what_was_measured(gate, tmp_path):
    path = tmp_path / "found.json"
    assert status(gate, {"job": KNOWN}, gate=False, json=str(path)) == 0
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["costs"]["power"] == {"median": 1.76, "spread": pytest.approx(7.3 / 1.76)}
    assert found["counts"] == {"job": KNOWN}
    assert {"commit", "python", "versions", "script"} <= found.keys()


@pytest.mark.parametrize(
    ("before", "after", "files", "body", "wrong"),
    [
        (1000, 900, ["a.py", "benchmarks/baseline.json"], "", False),
        (1000, 1001, ["benchmarks/baseline.json"], "A rule more is asked.", False),
        (1000, 1001, ["benchmarks/baseline.json"], "", True),
        (1000, 1001, ["a.py", "benchmarks/baseline.json"], "A rule more is asked.", True),
    ],
)
def test_the_baseline_goes_up_in_a_commit_of_its_own(gate, before, after, files, body, wrong):
    documents = [{"script": {"job": {"calls": number}}} for number in (before, after)]
    assert bool(gate.raised([("c0ffee", *documents, files, body)])) is wrong
    assert not gate.raised([("c0ffee", {}, documents[1], files, body)])  # a new question


def test_calls_are_the_same_each_time(gate):
    from mathhammer import distribution
    from mathhammer.expressions import dice

    def work():
        dice.cache_clear()
        distribution("3D6+2", exact=True).mean()

    work()
    first, second = gate.calls_of(work), gate.calls_of(work)
    assert first == second
    assert first["calls"] > 10
    assert first["step Mass.power"] == 1
    assert gate.calls_of(lambda: (work(), work()))["calls"] == 2 * first["calls"]


def test_the_checked_in_baseline_knows_every_script_of_the_gate():
    known = json.loads((BENCHMARKS / "baseline.json").read_text(encoding="utf-8"))
    assert known.keys() == {"convolution", "sequence", "t9a", "bulk", "sequence_hard", "cliffs"}
    assert all(counts for entry in known.values() for counts in entry.values())


def test_every_step_is_counted_somewhere(gate):
    known = json.loads((BENCHMARKS / "baseline.json").read_text(encoding="utf-8"))
    counted = {name for entry in known.values() for counts in entry.values() for name in counts}
    assert {f"step {name}" for name in gate.STEPS} <= counted
