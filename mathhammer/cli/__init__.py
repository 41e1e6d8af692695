"""The command line: an army against targets or another list, single attacks, dice, each a command of its own."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from mathhammer import __version__
from mathhammer.errors import MathhammerError, escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

_OTHERS = "mathhammer.cli.others"
_COMMANDS = {
    "army": "mathhammer.cli.army:command",
    "compare": "mathhammer.cli.reports:compare_command",
    "focus": "mathhammer.cli.reports:focus_command",
    "rules": "mathhammer.cli.reports:rules_command",
    "dice": f"{_OTHERS}:dice_command",
    "40k": "mathhammer.cli.wh40k:command",
    "aos": "mathhammer.cli.games:aos_command",
    "t9a": "mathhammer.cli.games:t9a_command",
    "tc": "mathhammer.cli.games:tc_command",
    "targets": f"{_OTHERS}:targets",
    "show": f"{_OTHERS}:show",
    "ask": f"{_OTHERS}:ask",
    "schema": f"{_OTHERS}:schema",
    "data": f"{_OTHERS}:data",
    "page": f"{_OTHERS}:page",
    "config": f"{_OTHERS}:config",
}
#: Letters that are enough to tell which command was meant.
_BEGINNING = 3
_INTERRUPTED = 130  # what shells report for a program ended by Ctrl-C: 128 + SIGINT


class _InputError(click.ClickException):
    """Input that was refused: the message and exit status 2, as for a wrong option."""

    exit_code = 2


class _Program(click.Group):
    """The commands, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        module, _, name = _COMMANDS.get(cmd_name, "").partition(":")
        found = getattr(import_module(module), name) if module else None
        for each in filter(None, (found, *getattr(found, "commands", {}).values())):
            each.make_parser = partial(_parser_of, each)
        return found

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the arguments, and what the user's own file says where they say nothing."""
        from mathhammer.cli.others import defaults

        try:
            with _harmless_refusals():
                return super().make_context(*args, default_map=defaults(), **extra)
        except MathhammerError as error:
            raise _InputError(str(error)) from error

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Point out that an option given before a command belongs after it."""
        command = next((word for word in args if word in _COMMANDS), None)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if command is None:
                raise
            ctx.fail(
                f"No such option before a command: {error.option_name}. "
                f"Its options stand after it: 'mathhammer {command} ... {error.option_name}'."
            )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first word; of a wrong word say what was probably meant."""
        word = args[0]
        if word not in _COMMANDS and (meant := self._meant(ctx, word)):
            ctx.fail(f"No such command {word!r}. Did you mean {meant}?")
        return super().resolve_command(ctx, args)

    def _meant(self, ctx: click.Context, word: str) -> str:
        from difflib import get_close_matches

        if word.casefold().endswith((".ros", ".rosz", ".json", ".txt")):
            return f"'mathhammer army {word}'"
        if word in {"help", "version"}:
            return f"'mathhammer --{word}'"
        begin = word[:_BEGINNING].casefold()
        found = [name for name in _COMMANDS if name.startswith(begin)] if len(begin) == _BEGINNING else []
        found = found or get_close_matches(word.casefold(), _COMMANDS, n=1)
        for name in _COMMANDS:
            command = self.get_command(ctx, name)
            if isinstance(command, click.Group) and word in command.commands:
                found.append(f"{name} {word}")
        return " or ".join(f"'mathhammer {each}'" for each in found)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; every refusal becomes one message without a traceback."""
        if os.environ.get("NO_COLOR"):  # https://no-color.org
            ctx.color = False
        if sys.stdout is None:
            click.echo("Error: expected an open standard output to write to, but it is closed", err=True)
            ctx.exit(1)
        try:
            with _harmless_refusals():
                return super().invoke(ctx)
        except MathhammerError as error:
            raise _InputError(str(error)) from error
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            ctx.exit(_INTERRUPTED)
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise  # a reader that left early is no fault; click ends quietly
            click.echo(
                f"Error: expected to write the page, but the output refused it: {error.strerror}", err=True
            )
            # The interpreter's last flush goes nowhere: what is still buffered cannot be written.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            with suppress(OSError):
                os.dup2(nowhere, 1)
            os.close(nowhere)
            ctx.exit(1)


def _parser_of(command: click.Command, ctx: click.Context) -> Any:
    """Return the parser of a command, which refuses a second value of an option that takes one."""
    parser = type(command).make_parser(command, ctx)
    read = parser.parse_args

    def read_once(args: list[str]) -> Any:
        values, rest, order = read(args)
        for each in order:
            if order.count(each) > 1 and not each.multiple and not getattr(each, "is_flag", False):
                ctx.fail(f"expected {each.opts[0]} once, got it {order.count(each)} times")
        return values, rest, order

    parser.parse_args = read_once  # type: ignore[method-assign]
    return parser


@contextmanager
def _harmless_refusals() -> Iterator[None]:
    """Escape what click quotes as it was typed."""
    try:
        yield
    except click.ClickException as error:
        message = "\n".join(map(escaped, error.message.split("\n")))
        error.message = message  # type: ignore[misc] # final for click, which quotes what it was given
        raise


@click.group(
    cls=_Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with 'mathhammer army': what a sample army does to four standard targets.",
)
@click.version_option(__version__, "--version", prog_name="mathhammer", message="%(prog)s %(version)s")
def main() -> None:
    """Exact odds for tabletop wargames: what a unit or an army really does to its target."""
