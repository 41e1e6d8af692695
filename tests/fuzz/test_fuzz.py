"""The fuzz run finds what it is for, and a seed is always the same inputs."""

from __future__ import annotations

import itertools
import re
from contextlib import suppress
from random import Random

import pytest
from harness import Finding, fuzz
from mutation import mutated
from surfaces import SURFACES

from mathhammer.errors import MathhammerError

pytestmark = pytest.mark.slow


def forever():
    for _ in itertools.count():
        pass


def refuse():
    raise MathhammerError("expected nothing")


ACTS = {
    "answer": lambda: "4",
    "refusal": refuse,
    "foreign error": lambda: int("x"),
    "hang": forever,
    "hang in C": lambda: re.match(r"(a*)*b", "a" * 60),
    "memory": lambda: bytes(600 * 2**20),
    "control": lambda: "\x1b[31m",
}
EXPECTED = {
    "foreign error": "ValueError: ",
    "hang": "no answer within",
    "hang in C": "no answer within",
    "memory": "more than 500 MiB",
    "control": "a control character",
}


@pytest.mark.parametrize("name", ACTS)
def test_what_is_a_finding(name, monkeypatch):
    monkeypatch.setattr("harness._BATCH", 1)
    monkeypatch.setattr("harness._WALL", 10.0)
    run = fuzz({name: lambda _: (name, ACTS[name])}, seed=0, seconds=60)
    found = list(itertools.takewhile(lambda each: isinstance(each, Finding), run))
    assert [each.surface for each in found] == ([name] if name in EXPECTED else [])
    assert all(each.reason.startswith(EXPECTED[name]) for each in found)


def test_a_seed_is_always_the_same_inputs():
    for surface in SURFACES.values():
        first, second = (surface(Random("1 x 7"))[0] for _ in range(2))
        assert first == second
    texts = {mutated(Random(number), ["2D6+3"]) for number in range(200)}
    assert len(texts) > 100
    assert "2D6+3" in texts  # what is valid is tried too


@pytest.mark.parametrize("name", SURFACES)
def test_inputs_are_answered_or_refused(name):
    for number in range(25):
        with suppress(MathhammerError):
            SURFACES[name](Random(f"test {name} {number}"))[1]()
