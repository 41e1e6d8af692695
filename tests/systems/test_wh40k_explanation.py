"""The printed steps of an attack: fractions that multiply out to the result (its words are `cases/explanation.txt`)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from by_hand import play, unit
from sympy import Rational

FRACTION = re.compile(r"(?P<name>[a-z0-9 ]+) (?P<value>\d+(?:/\d+)?)(?=,|$)")


def printed(result: Any) -> dict[str, dict[str, Rational]]:
    """The fractions of each step as the page prints them."""
    page: dict[str, dict[str, Rational]] = {}
    for step in result.explain():
        lines = " ".join(str(step).split())
        if " = " in lines and step.probabilities:
            found = FRACTION.findall(lines.rsplit(" = ", 1)[1])
            page[step.name] = {name.strip(): Rational(value) for name, value in found}
    return page


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("", {}),
        ("", {"hit_modifier": -1, "reroll_hits": "ones", "target": unit(save=4, feel_no_pain=5)}),
        ("Twin-linked, Melta 2", {"damage": "D6", "half_range": True, "target": unit(half_damage=True)}),
        ("Torrent", {"strength": "D6+2", "reroll_damage": "ones", "damage": "D3"}),
        ("", {"overwatch": True, "attacks": 7}),
        (
            "Lethal Hits, Sustained Hits D3, Devastating Wounds",
            {"target": unit(save=4, feel_no_pain_mortal=4)},
        ),
    ],
)
def test_printed_fractions_multiply_out(words: str, given: dict[str, Any]) -> None:
    """Core rules, Making Attacks: all that may come of an attack is printed, and its damage is the mean of all."""
    result = play(words, **given)
    page = printed(result)
    each = page["Each attack"]
    assert sum(each.values()) == 1
    inflicted = {
        what: page.get(f"Each {what}", {}).get("mean damage", 0) for what in ("unsaved", "devastating")
    }
    mean = Rational(0)
    for name, probability in each.items():
        if name != "nothing":
            for part in re.findall(r"\d+ \w+", f"1 {name}" if name == "unsaved" else name):
                number, what = part.split()
                mean += probability * int(number) * inflicted[what]
    assert result.attacks.mean() * mean == result.damage.mean()
    if not words and "unsaved" in each:
        assert page["Hit"]["hit"] * page["Wound"]["wound"] * page["Save"]["unsaved"] == each["unsaved"]
        assert result.attacks.mean() * each["unsaved"] == result.unsaved.mean()
