"""Answer tables: what is attacked with what, the printed answer, and where the rule or number comes from.

A row of ``*.txt`` is its name, the volleys, the unit ``against`` which they are (and the rules ``under`` which, where
not those of the 10th edition) in the words of the referee, and what is asked. The line with ``#`` above it, or above an
earlier row, names its source. Probabilities are text: ``7/36`` is compared exactly, a decimal (used where the
fraction is too long to print) to 1e-12.

What is asked: a distribution (hits, wounds, unsaved, damage, kills, wounds_lost, state; in the 11th edition of one
kind of models with ``:`` and its place), all points not named having probability zero; ``mean_`` before the name asks
for its mean, ``some_`` for the points named only or for P(1 or more), ``probability_destroyed`` for that number.
``[given every wound]`` reads every value as conditional on each attack having wounded: the volleys must then be attacks
that hit without a roll and wound on 2+.
"""

from __future__ import annotations

import re
from ast import literal_eval
from dataclasses import dataclass
from pathlib import Path

from plain_dice import Dice, fixed
from referees.wh40k.profiles import TENTH, Kind, Rules, Volley

Expected = dict[str, str | dict[int, str] | dict[tuple[int, ...], str]]

#: An outcome, one of several kinds of models in brackets, and its probability.
POINT = re.compile(r"(\(.*?\)|'.*?'|[^\s,]+) (\S+?)(?:, |$)")
_WORDS = {
    "Dice": Dice,
    "fixed": fixed,
    "Volley": Volley,
    "Kind": Kind,
    "Rules": Rules,
    "frozenset": frozenset,
}


@dataclass(frozen=True)
class Answer:
    """One row."""

    id: str
    volleys: tuple[Volley, ...]
    unit: tuple[Kind, ...]
    expected: Expected
    source: str
    rules: Rules = TENTH
    given_wounds: bool = False

    def __str__(self) -> str:
        return self.id


def answers(table: str) -> list[Answer]:
    """Return the rows of a table by the name of its file."""
    lines = (Path(__file__).parent / f"{table}.txt").read_text(encoding="utf-8").splitlines()
    rows, source = [], ""
    for place, line in enumerate(lines):
        if line.startswith("# "):
            source = line[2:]
        elif line and not line.startswith(("#", " ")):
            name, given, _ = line.partition(" [given every wound]")
            volleys, against, asked = (text.strip() for text in lines[place + 1 : place + 4])
            unit, _, rules = against.removeprefix("against ").partition(" under ")
            played = _read(rules)[0] if rules else TENTH
            expected = dict(map(_expected, asked.split(" ; ")))
            rows.append(Answer(name, _read(volleys), _read(unit), expected, source, played, bool(given)))
    return rows


def _read(text: str) -> tuple[object, ...]:
    together = text.replace(") + ", "), ")
    return tuple(eval(f"[{together}]", _WORDS))  # type: ignore[return-value]  # noqa: S307 - files of the tests


def _expected(text: str) -> tuple[str, str | dict[int, str]]:
    name, equals, value = text.partition(" = ")
    if equals:
        return name, value
    name, _, points = text.rpartition(": ")
    return name, {literal_eval(outcome): chance for outcome, chance in POINT.findall(points)}
