"""A name may retitle no window: what came from outside is refused or shown without control characters."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import pytest
from calls import CALLS
from click.testing import CliRunner

from mathhammer import MathhammerError
from mathhammer.cli import main
from mathhammer.rosters import read_army
from mathhammer.validation import shown

sys.path.append(str(Path(__file__).parents[1] / "rosters"))
from datasheet_files import json_catalogue

pytest.importorskip("matplotlib").use("Agg")

#: Sets the title of a window; one byte that begins a sequence in 8-bit terminals; text from right to left; a bell.
NASTY = "\x1b]0;owned\x07\x9b31m\u202e\u2028"
ENDLESS = "9" * 5000
ATTACK = ("40k", "attack", "Gun: A2 BS3+ S4 AP-1 D1", "-t", "MEQ")
#: What is only drawn by matplotlib, or is a place that is looked up in the user's own data.
DRAWN = ("plot.",)


def harmless(text):
    assert all(char.isprintable() or char == "\n" for char in text), repr(text)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    from matplotlib import pyplot as plt

    plt.close("all")


@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith(DRAWN)])
def test_of_every_public_call(name):
    call = CALLS[name]
    for place in [*range(len(call.arguments)), *call.keywords]:
        arguments, keywords = list(call.arguments), dict(call.keywords)
        holder = arguments if isinstance(place, int) else keywords
        if not isinstance(holder[place], str):
            continue
        for text in (holder[place] + NASTY, NASTY + holder[place]):
            holder[place] = text
            try:
                answer = call.function(*arguments, **keywords)
            except (MathhammerError, TypeError) as error:
                harmless(str(error))
                continue
            for form in (str, repr, lambda shown: getattr(shown, "_repr_html_", str)() or ""):
                harmless(form(answer).replace(NASTY, "") if answer == text else form(answer))
            if dataclasses.is_dataclass(answer):
                harmless("".join(str(getattr(answer, field.name)) for field in dataclasses.fields(answer)))


def test_of_values_in_messages():
    deep: list[object] = []
    for _ in range(10**5):
        deep = [deep]
    for value in (
        deep,
        [10**5000] * 50,
        10**5000,
        {NASTY: [NASTY]},
        "x" * 10**6,
        type("T", (), {"name": NASTY})(),
    ):
        harmless(shown(value))
        assert len(shown(value)) < 300
    assert shown(-(10**5000)) == "a whole number of 5,001 digits"


def spoilt(value, change):
    """Return JSON with every text changed but the words of its form."""
    if isinstance(value, dict):
        return {
            name: spoilt(each, change if name in {"name", "$text"} else str) for name, each in value.items()
        }
    if isinstance(value, list):
        return [spoilt(each, change) for each in value]
    return change(value) if isinstance(value, str) else value


def test_of_datasheets(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    catalogue = json_catalogue(folder)
    changed = spoilt(json.loads((catalogue / "League.json").read_text()), lambda text: text + NASTY)
    (folder / "League.json").write_text(json.dumps(changed), encoding="utf-8")
    (folder / "settings.json").write_text('{"editor.tabSize": 2}')  # of another program
    (tmp_path / "list.txt").write_text(
        f"Wardens]0;owned 31m (50 points)\n• 1x Rifle{NASTY}\n• 1x No{NASTY}", encoding="utf-8"
    )
    army = read_army(tmp_path / "list.txt", datasheets=folder)
    harmless(str(army) + "".join(army.warnings) + "".join(str(unit) for unit in army.units))
    result = CliRunner().invoke(main, ["army", str(tmp_path / "list.txt"), "--datasheets", str(folder)])
    harmless(result.output)


@pytest.mark.parametrize("place", ["type", "name", "hidden", "typeName", "id", "targetId"])
@pytest.mark.parametrize("wrong", [["a"], {"a": 1}])
def test_a_list_where_a_catalogue_has_a_text(tmp_path, place, wrong):
    document = json.loads((json_catalogue(tmp_path) / "League.json").read_text())
    entry = document["catalogue"]["selectionEntries"][0]
    entry["profiles"][0][place] = entry[place] = entry["rules"][0][place] = wrong
    entry["entryLinks"] = [{place: wrong}]
    document["catalogue"]["gameSystemId"] = wrong
    (tmp_path / "League.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "list.txt").write_text("Wardens (50 points)\n• 1x Rifle")
    try:
        read_army(tmp_path / "list.txt", datasheets=tmp_path)
    except MathhammerError as error:
        harmless(str(error))


@pytest.mark.parametrize(
    "arguments",
    [
        *([f"--{NASTY}"], [f"--{NASTY}", "army"], [NASTY], ["army", f"-{NASTY}"], ["army", "a", NASTY]),
        *(["dice", "D6", f"--at-least={NASTY}"], ["army", f"{NASTY}.ros"], ["army", "--sort", NASTY]),
        *([f"{NASTY}.ros"], ["army", "--html", f"/no/{NASTY}"]),
        *(["40k", "attack", f"{ENDLESS}x Rifle: A2 BS3+ S4 AP-1 D1", "-t", "MEQ"], ["dice", f"{ENDLESS}D6"]),
        *(["t9a", "charge", ENDLESS, "--advance", "5"], ["dice", "2D6", "--at-least", ENDLESS]),
        *(["tc", "success", "--dice", ENDLESS], [*ATTACK, "--modifier", f"damage +{ENDLESS}"]),
    ],
)
def test_of_the_command_line(arguments):
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, type(result.exception)) == (2, SystemExit)
    harmless(result.output)
