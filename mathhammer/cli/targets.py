"""``mathhammer targets``: the standard targets."""

from __future__ import annotations

import click

from mathhammer.cli.page import Page, json_option, print_json
from mathhammer.cli.stat_lines import edition_option


@click.command(
    "targets", short_help="The standard targets.", epilog="Example: mathhammer targets --edition 10e --json"
)
@edition_option
@json_option
def command(edition: str, as_json: bool) -> None:  # noqa: FBT001
    """List the standard targets that --against and --target know."""
    from mathhammer.systems.wh40k.profiles.targets import PRICED, TARGETS, standard_targets

    if as_json:
        rows = [row._asdict() for row in standard_targets(edition)]
        print_json("targets", {"edition": edition, "date": PRICED[edition], "targets": rows})
        return
    page = Page()
    page.line(str(TARGETS.of(edition)))
    page.line()
    page.paragraph(
        f"Characteristics and prices, of the whole unit, are those of the {edition[:-1]}th edition, {PRICED[edition]}."
    )
    page.print()
