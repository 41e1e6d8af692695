"""``mathhammer targets``: the standard targets."""

from __future__ import annotations

import click

from mathhammer.cli.page import Page, json_option, print_json
from mathhammer.cli.situation import edition_option

_HEADER = ("label", "like", "no.", "T", "Sv", "InSv", "FNP", "W", "pts", "keywords")


@click.command(
    "targets", short_help="The standard targets.", epilog="Example: mathhammer targets --edition 10e --json"
)
@edition_option
@json_option
def command(edition: str, as_json: bool) -> None:  # noqa: FBT001
    """List the standard targets that --against and --target know."""
    from mathhammer.systems.wh40k.profiles.targets import PRICED, standard_targets

    targets = standard_targets(edition)
    if as_json:
        data = {"edition": edition, "date": PRICED[edition], "targets": [row._asdict() for row in targets]}
        print_json("targets", data)
        return
    rows = []
    for row in targets:
        save = (row.invulnerable or "-").replace(" ranged", " r")
        like = row.like + (" *" if row.damage_reduction else "")
        numbers = (
            str(row.models),
            str(row.toughness),
            row.save,
            save,
            row.feel_no_pain or "-",
            str(row.wounds),
        )
        rows.append((row.label, like, *numbers, str(row.points), row.keywords))
    page = Page()
    page.table(_HEADER, rows, "<<>>>>>>><")
    page.line()
    page.paragraph(
        "no.: models of the unit. r: against ranged attacks only. *: -1 Damage. pts: of the whole unit. "
        f"Characteristics and prices are those of the {edition[:-1]}th edition, {PRICED[edition]}."
    )
    page.print()
