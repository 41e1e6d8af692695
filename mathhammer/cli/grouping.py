"""Options of a command in groups, so that its help reads well."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable

#: How commands call what is attacked.
_TARGETS = ("--against", "--target", "--targets")
#: A keyword in a message, but for what a user has typed, which stands in quotes.
_KEYWORD = re.compile(r"(?<!['\w])([a-z]+(?:_[a-z]+)+|[a-z]+(?==[^,]))(?:=True)?(?!\w)")


class GroupedOption(click.Option):
    """An option that the help lists under a heading of its own."""

    def __init__(self, *arguments: Any, group: str, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help lists options group by group; those without a group come first.

    Further options, `more`, are made when they are first asked for.
    """

    def __init__(
        self, *arguments: Any, more: Callable[[], list[click.Parameter]] = list, **keywords: Any
    ) -> None:
        super().__init__(*arguments, **keywords)
        self._more = cache(more)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return its own options before the further ones."""
        return [*super().get_params(ctx), *self._more()]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; of what other commands call otherwise, and of blanks outside quotes, say the remedy."""
        options = {name for each in self.get_params(ctx) for name in each.opts}
        given = " ".join(args)
        try:
            return super().parse_args(ctx, args)
        except ValueError:  # half a character, or a NUL in a path: the system takes neither
            ctx.fail(f"expected text that can be written, got {shown(given)}")
        except click.NoSuchOption as error:
            meant = next((name for name in _TARGETS if name in options), None)
            if error.option_name in _TARGETS and meant:
                ctx.fail(f"No such option {error.option_name!r}. Did you mean {meant!r}?")
            raise
        except click.UsageError as error:
            if "unexpected extra argument" in error.message and "--against" in options:
                if re.search(r"\.(?:rosz?|json|txt)\)", error.message, re.IGNORECASE):
                    ctx.fail(f"{error.message}. Another list stands behind --against.")
                ctx.fail(f'{error.message}. Put several targets in quotes: --against "MEQ,TEQ"')
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a refusal that names keywords of the library names the options instead."""
        try:
            return super().invoke(ctx)
        except MathhammerError as error:
            flags = {each.name: each.opts[0] for each in self.get_params(ctx)}
            line, *rest = str(error).split("\n")
            named = _KEYWORD.sub(lambda word: flags.get(word[1], word[0]), line)
            raise MathhammerError("\n".join([named, *rest])) from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each group under its heading."""
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                heading = parameter.group if isinstance(parameter, GroupedOption) else "Options"
                groups.setdefault(heading, []).append(record)
        for heading, records in groups.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
