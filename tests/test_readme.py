"""The README's console examples print what it says; its Python examples run as doctests."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
#: A line of dots stands for output that the README leaves out.
ELLIPSIS = "..."


def _examples() -> list[tuple[str, list[str]]]:
    blocks = re.findall(
        r"^```console\n(.*?)^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    found = []
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *expected = part.rstrip("\n").split("\n")
            found.append((command, expected))
    return found


@pytest.mark.parametrize(("command", "expected"), _examples(), ids=lambda value: str(value)[:60])
def test_console_example(command, expected):
    program, *arguments = shlex.split(command)
    assert program == "mathhammer"
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "mathhammer", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PYTHONIOENCODING": "utf-8", "COLUMNS": "80", "PATH": ""},
        check=False,
    )
    printed = [line.rstrip() for line in (done.stdout + done.stderr).rstrip("\n").split("\n")]
    expected = [line.rstrip() for line in expected]
    if ELLIPSIS in expected:
        cut = expected.index(ELLIPSIS)
        printed, expected = printed[:cut], expected[:cut]
    assert printed == expected


def test_there_are_examples():
    assert len(_examples()) >= 3
