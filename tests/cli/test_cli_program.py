"""The program as a process: start-up, help, pipes, interrupts."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import mathhammer
from mathhammer.cli import main

PROGRAM = [sys.executable, "-m", "mathhammer"]


def run(*arguments, **options):
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, check=False, **options)  # noqa: S603


def test_the_module_is_the_program():
    result = run("--version")
    assert (result.returncode, result.stdout, result.stderr) == (
        0,
        f"mathhammer {mathhammer.__version__}\n",
        "",
    )


@pytest.mark.parametrize("command", [[], ["army"], ["dice"], ["targets"], ["40k"], ["40k", "attack"]])
def test_help_answers_to_both_names(command):
    pages = {CliRunner().invoke(main, [*command, flag]).output for flag in ("-h", "--help")}
    assert len(pages) == 1
    assert pages.pop().startswith("Usage: ")


@pytest.mark.parametrize("command", [["army"], ["dice"], ["targets"], ["40k", "attack"]])
def test_help_has_an_example(command):
    assert (
        f"mathhammer {' '.join(command)}"
        in CliRunner().invoke(main, [*command, "-h"]).output.split("Example")[1]
    )


def test_an_unknown_command_is_refused():
    result = CliRunner().invoke(main, ["rmy"])
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("Error: No such command 'rmy'")


def test_bad_input_ends_with_status_2_and_no_traceback():
    result = run("dice", "2D+3")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "Error: expected a number of sides after 'D'\n    2D+3\n      ^\n"


@pytest.mark.slow
def test_the_float_path_imports_nothing_heavy():
    script = (
        "import sys\n"
        "from mathhammer.cli import main\n"
        "try: main(['army', '--json'])\n"
        "except SystemExit as end: assert not end.code\n"
        "heavy = {'sympy', 'scipy', 'matplotlib', 'pandas'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)  # noqa: S603
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow
def test_a_roll_starts_without_what_it_does_not_need():
    """What a user waits for is mostly imports: no operators, no walks, no pages of the browser for two dice."""
    script = (
        "import sys\n"
        "from mathhammer.cli import main\n"
        "try: main(['dice', '2D6'])\n"
        "except SystemExit as ended: assert not ended.code, ended.code\n"
        "spared = ['html', 'json', 'mathhammer.distributions.joint', 'mathhammer.distributions.walk',\n"
        "    'mathhammer.display.html', 'mathhammer.expressions.operations', 'mathhammer.expressions.pool']\n"
        "sys.exit(', '.join(filter(sys.modules.get, spared)))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)  # noqa: S603
    assert result.stderr.strip() == ""


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_reader_that_leaves_early_gets_no_traceback():
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        result = subprocess.run(  # noqa: S603
            [*PROGRAM, "dice", "10D6"], stdout=closed, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.stderr == ""
    assert result.returncode == 1


def test_an_interrupt_ends_with_status_130(monkeypatch):
    def interrupted(*_given, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("mathhammer.analysis.army_table", interrupted)
    result = CliRunner().invoke(main, ["army"])
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "\nInterrupted.\n")


def test_a_terminal_without_colour_gets_none():
    def page(**environment):
        return CliRunner(env=environment).invoke(main, ["dice", "2D6"], color=True).output

    assert "\x1b[1m" in page()
    assert "\x1b" not in page(NO_COLOR="1")


def test_targets_are_listed():
    page = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["targets", "--edition", "10e"]).output.splitlines()
    assert max(map(len, page)) <= 80
    assert len([line for line in page if " Sv" in line]) == 25
    assert page[9].split(maxsplit=2) == ["MEQ", "Intercessors", "10x T4 Sv3+ W2 160pts [Infantry]"]
    data = json.loads(CliRunner().invoke(main, ["targets", "--json"]).output)
    assert data["schema_version"] == 2
    assert [row["label"] for row in data["records"]][:3] == ["CHAFF", "GEQ", "SISTERS"]


def test_a_bar_is_drawn_only_for_long_work_on_a_terminal(monkeypatch):
    from mathhammer.cli import page as pages

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    clock = iter([0.0, 0.1, 10.0, 10.0])
    monkeypatch.setattr(pages, "monotonic", lambda: next(clock))
    monkeypatch.setattr(pages.sys, "stderr", terminal := Terminal())
    bar = pages.Progress("Computing")
    bar(1, 3)
    assert not terminal.getvalue()
    bar(2, 3)
    assert "Computing" in terminal.getvalue()
    assert "66%" in terminal.getvalue()


def test_a_full_disk_is_one_message():
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device, opened as a shell would
        command = [*PROGRAM, "dice", "2D6"]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603
    assert result.returncode == 1
    assert result.stderr == (
        "Error: expected to write the page, but the output refused it: No space left on device\n"
    )


def test_a_closed_output_is_one_message():
    command = [*PROGRAM, "dice", "2D6"]
    result = subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr == "Error: expected an open standard output to write to, but it is closed\n"


def test_a_file_of_the_user_decides_what_options_leave_open(tmp_path, monkeypatch):
    file = tmp_path / "config.toml"
    monkeypatch.setenv("MATHHAMMER_CONFIG", str(file))
    shown = CliRunner().invoke(main, ["config"]).output
    assert "config.toml(notthereyet)" in "".join(shown.split())
    assert '# edition = "10e"' in shown
    file.write_text('edition = "10e"\nopponent = "VEQ"\n')
    assert 'edition = "10e"' in CliRunner().invoke(main, ["config"]).output
    data = json.loads(CliRunner().invoke(main, ["army", "--json"]).output)
    assert (data["edition"], {each["target"] for each in data["records"]}) == ("10e", {"VEQ"})
    # A target 9" away needs 8 in the 10th edition, where 2D6 have it in 15 of 36 cases, and 9 in the 11th: 10 of 36.
    for more, chance in (([], "41.67%"), (["--edition", "11e"], "27.78%")):
        assert chance in CliRunner().invoke(main, ["40k", "charge", "9", *more]).output
    for wrong, said in (("rolls = 3", "got rolls = 3"), ("edition =", "couldn't read the settings in")):
        file.write_text(wrong)
        refused = CliRunner().invoke(main, ["army"])
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert said in refused.stderr


def test_examples_stand_before_the_options():
    for command in ("army", "compare", "focus", "rules", "40k attack", "t9a fight"):
        page = CliRunner().invoke(main, [*command.split(), "--help"]).output
        assert page.index("Examples:") < page.index("Options:")
        assert page.count("Examples:") == 1
