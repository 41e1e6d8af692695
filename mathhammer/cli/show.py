"""``mathhammer show``: the result that a text reproduces."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

import click

from mathhammer import validation
from mathhammer.cli.page import Page
from mathhammer.errors import MathhammerError


@click.command(
    "show",
    short_help="The result that a text reproduces.",
    epilog="""\b
Examples:
  mathhammer show result.txt
  mathhammer 40k attack "Bolt rifle: A2 BS3+ S4 AP-1 D1" --target MEQ --as-text | mathhammer show -
""",
)
@click.argument("file")
@click.option("--explain", is_flag=True, help="Print each step and its probabilities.")
def command(file: str, explain: bool) -> None:  # noqa: FBT001
    """Compute and print what a text describes.

    FILE holds a text as to_text() of a result, or --as-text of a command, writes it: from 'mathhammer 1: ...' to
    'end'. With - it is read from standard input.
    """
    from mathhammer.serialisation import from_text

    result = from_text(_read(file))
    page = Page()
    page.line(str(result))
    if explain:
        if not hasattr(result, "explain"):
            raise MathhammerError(
                "expected a result of a game for --explain, got a distribution; leave the option out"
            )
        page.line()
        page.line(str(result.explain()))
    page.print()


def _read(file: str) -> str:
    """Return the text of a file, or of standard input."""
    from mathhammer.serialisation import MAXIMUM_LENGTH

    try:
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as source:
            data = source.read(MAXIMUM_LENGTH + 1)  # a device such as /dev/zero has no end
        text = data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not text; 'mathhammer army' reads army lists"
        raise MathhammerError(
            f"expected a file with a text as --as-text or to_text() writes it, but {file!r} is none: {reason}"
        ) from error
    return validation.limited(text, "the content of a file", MAXIMUM_LENGTH)
