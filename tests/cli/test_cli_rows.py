"""Commands and what they answer: ``$`` begins a command of `rows/*.txt`, and each line below it is something expected.

``! words`` is the whole refusal, ``!~ words`` a part of it, both with status 2 and no output; ``~ words`` stand on the
page, blanks aside, and ``- words`` do not; ``= place value`` stands in the data, a fraction where it is a number.
``NAME := words`` are what ``$NAME`` stands for in commands below it. Lines with ``#`` name the rule.
"""

from __future__ import annotations

import json
import re
import shlex
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from mathhammer.cli import main

#: None of these is a word of a player: values and calls of Python, its containers, its keyword arguments.
PYTHON = re.compile(
    r"\b(?:None|True|False|frozenset|Errno)\b|\w\(\w*\)|\[['\d]|\(['\d][^)]*,\)|\b[a-z]+=|(?<!')\b[a-z]+_[a-z_]+\b"
)


def rows():
    found = []
    for file in sorted((Path(__file__).parent / "rows").glob("*.txt")):
        names = {}
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if match := re.fullmatch(r"([A-Z]+) := (.*)", line):
                names[f"${match[1]}"] = match[2]
            elif line.startswith("$ "):
                words = [names.get(word, word) for word in shlex.split(line[2:])]
                found.append(pytest.param(words, [], id=f"{file.stem}:{number}"))
            elif line and not line.startswith("#"):
                found[-1].values[1].append(line.partition(" ")[::2])
    return found


def at(data, place):
    for part in place.split("/"):
        data = data[int(part) if isinstance(data, list) else part]
    return data


@pytest.mark.parametrize(("words", "expected"), rows())
def test_row(words, expected):
    """One message without a traceback, in the words of options, never in Python's; or what the rules say."""
    asked = ["--json"] if any(kind == "=" for kind, _ in expected) else []
    result = CliRunner(env={"COLUMNS": "200"}).invoke(main, [*words, *asked])
    if expected[0][0].startswith("!"):
        assert (result.exit_code, result.stdout) == (2, "")
    else:
        assert (result.exit_code, result.stderr) == (0, "")
    message = result.stderr.partition("Error: ")[2].rstrip("\n").replace("\n", r"\n")
    page = " ".join(result.output.split())
    for kind, said in expected:
        if kind == "!":
            assert message == said
            assert PYTHON.search(re.sub(r"\([^()]*on the command line [^()]*\)", "", message)) is None
        elif kind in {"!~", "~", "-"}:
            assert (said in page) != (kind == "-")
        else:
            place, _, value = said.rpartition(" ")
            held = at(json.loads(result.stdout), place)
            assert held == (
                pytest.approx(float(Fraction(value)), rel=1e-12) if isinstance(held, float) else value
            )
