"""``mathhammer 40k charge`` and ``battleshock``: what they print, as tables, data and text, and what they refuse."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from click.testing import CliRunner, Result

import mathhammer as mh
from mathhammer.cli import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["40k", *arguments])


def data(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json", "--exact")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.output)
    return found


def test_charge_as_a_table() -> None:
    page = run("charge", "9", "--edition", "11e", "--explain").output
    assert page.startswith('Charge over 9"\nedition 11e, P(success) 27.78%')
    assert re.search(r'12" +2.78%', page)
    assert "12 at most" in page


def test_battleshock() -> None:
    found = data("battleshock", "8+", "6+", "--worsen", "1", "--edition", "11e")
    assert (found["facts"]["compared with"], found["exact"]["P(success)"]) == ("7", "7/12")
    again = data("battleshock", "7", "--reroll", "--modifier", "-1", "--edition", "10e")
    assert again["exact"]["P(failure)"] == "49/144"  # 6 of 12 or less twice: (21/36)^2
    page = run("battleshock", "7+", "--edition", "10e").output
    assert page.startswith("Battle-shock roll\nedition 10e, compared with 7,")
    assert "P(failure) 41.67%" in page


@pytest.mark.parametrize("command", [["charge", "9"], ["battleshock", "7+", "8+"]])
def test_as_text(command: list[str]) -> None:
    result = run(*command, "--exact", "--as-text")
    assert result.exit_code == 0, result.output
    again: Any = mh.from_text(result.output)
    printed = data(*command)
    assert str(again.probability_success) == printed["exact"]["P(success)"]
