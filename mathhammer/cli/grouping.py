"""Options of a command in groups, so that its help reads well."""

from __future__ import annotations

from typing import Any

import click


class GroupedOption(click.Option):
    """An option that the help lists under a heading of its own."""

    def __init__(self, *arguments: Any, group: str, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help lists options group by group; those without a group come first."""

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
