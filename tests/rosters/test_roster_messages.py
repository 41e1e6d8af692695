"""A list inside a chat message: greetings before and after, quotes and fences are left out, and said."""

from __future__ import annotations

import time

import pytest
from click.testing import CliRunner
from test_roster_text import DIALECTS

from mathhammer.cli import main
from mathhammer.rosters import read_army
from mathhammer.rosters.text import parse_text_list

GREETINGS = {
    "plain": (
        "Hi all, long time no see!\nHere's what I want to bring on Sunday:\n\n",
        "\n\nThoughts?\nCheers, Tom\n",
    ),
    "with points": (
        "Hey, this is my list for Saturday (2000 points):\n\n",
        "\n\nWhat would you change? I have 40 points left.\n- Tom\n",
    ),
    "at once": ("Hello there, my list:\n", "\nthanks in advance!\n"),
    "with a time": ("[12:03] Tom: so, this is it, finally:\n\n", "\n\n[12:05] Ann: looks strong to me :)\n"),
    "one word": ("yo\n\n", "\n\ncheers\n"),
    "links": (
        "https://example.org/event is next week, so:\n\n",
        "\n\nPS: see https://example.org/pack.pdf\n",
    ),
}
SHELLS = {
    "bare": lambda text: text,
    "quoted": lambda text: "\n".join(f"> {line}" for line in text.splitlines()),
    "fenced": lambda text: f"```\n{text}```\n",
    "windows": lambda text: text.replace("\n", "\r\n"),
    "indented": lambda text: "\n".join(f"    {line}" if line.strip() else "" for line in text.splitlines()),
}


@pytest.mark.parametrize("shell", SHELLS.values(), ids=SHELLS)
@pytest.mark.parametrize("greeting", GREETINGS.values(), ids=GREETINGS)
@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS)
def test_a_list_in_a_message_is_the_list_alone(text, greeting, shell):
    before, after = greeting
    alone, found = parse_text_list(text, "'x'"), parse_text_list(before + shell(text) + after, "'x'")
    for name in (
        "title",
        "faction",
        "detachments",
        "points",
        "units",
        "attachments",
        "edition",
        "unread",
    ):
        assert getattr(found, name) == getattr(alone, name), name
    said = [line.strip() for line in (before + after).splitlines() if line.strip()]
    assert list(found.around) == said


def test_a_message_that_is_quoted_whole():
    before, after = GREETINGS["plain"]
    text = "\n".join(f"> {line}" for line in (before + DIALECTS["gw-app"] + after).splitlines())
    assert parse_text_list(text, "'x'").units == parse_text_list(DIALECTS["gw-app"], "'x'").units


DATASHEETS = "mathhammer/rosters/sample/sample-army.ros"
MESSAGE = "Hi,\n\nmy list:\n\nHill Battery (130 points)\n• 2x Hill mortar\n\nbye\n"


def test_standard_input_and_files(tmp_path):
    run = CliRunner().invoke(
        main, ["army", "-", "--datasheets", DATASHEETS, "--against", "MEQ"], input=MESSAGE
    )
    assert run.exit_code == 0
    assert "Hill Battery" in run.output
    said = " ".join(run.output.split())
    assert "these lines around the list were not read: 'Hi,', 'my list:', 'bye'" in said
    path = tmp_path / "message.txt"
    path.write_text(MESSAGE, encoding="utf-8")
    assert [unit.name for unit in read_army(path, datasheets=DATASHEETS).units] == ["Hill Battery"]


@pytest.mark.parametrize(
    "message",
    ["Hi all, see you on Sunday!", "we play 2000 points", "[12:03] Tom: who has a list?", "", "   \n"],
)
@pytest.mark.parametrize("datasheets", [(), ("--datasheets", DATASHEETS)])
def test_a_message_without_a_list_says_what_was_expected(message, datasheets):
    run = CliRunner().invoke(main, ["army", "-", *datasheets], input=message)
    assert run.exit_code == 2
    expected = "standard input is empty" if not message.strip() else "such as 'Name (90 points)'"
    assert expected in " ".join(run.stderr.split())


@pytest.mark.slow
def test_hostile_messages_cost_nothing():
    start = time.process_time()
    for line in ("> " * 400, "Hi! " * 200, "``` " * 200, "(90 points) " * 80, ", " * 400):
        parse_text_list(
            (line + "\n") * 400 + "Wardens (90 points)\n• 5x Warden\n" + (line + "\n") * 400, "'x'"
        )
    assert time.process_time() - start < 3
