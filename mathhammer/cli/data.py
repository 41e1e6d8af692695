"""``mathhammer data``: datasheets of their publishers in the user's cache folder."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mathhammer.cli.page import Page
from mathhammer.errors import RosterError

if TYPE_CHECKING:
    from collections.abc import Callable


@click.group("data", short_help="Datasheets for lists that hold names only.")
def command() -> None:
    """Fetch, list and remove the datasheets that publishers offer; none of them is part of this program.

    A text export of an army list holds names only: with datasheets fetched, it is read like any other list.
    """


@command.command(
    "get",
    short_help="Fetch the datasheets of a publisher.",
    epilog="""\b
Examples:
  mathhammer data get bsdata
  mathhammer army my-list.txt""",
)
@click.argument("name")
@click.option("--from", "address", metavar="ADDRESS", help="Another archive: a mirror's, or a file.")
@click.option("--sha256", metavar="HASH", help="Refuse anything else.")
def get(name: str, address: str | None, sha256: str | None) -> None:
    """Fetch the datasheets of NAME over https: bsdata or bsdata-10e."""
    from mathhammer.rosters.data.store import fetch

    found = fetch(name, address=address, sha256=sha256, progress=_progress())
    if sys.stderr.isatty():
        click.echo(err=True)
    _say(str(found))


@command.command("list")
def listed() -> None:
    """Print which datasheets were fetched, and which can be."""
    from mathhammer.rosters.data.table import PUBLISHERS, cache_folder, cached

    for name, publisher in PUBLISHERS.items():
        try:
            found = cached(name)
            _say(f"{name}: not fetched; {publisher.title}" if found is None else str(found.about))
        except RosterError as error:
            _say(f"{name}: {error}")
    _say(f"in {cache_folder()}")


@command.command("remove")
@click.argument("name")
def removed(name: str) -> None:
    """Remove the datasheets of NAME from the cache folder."""
    from mathhammer.rosters.data.store import remove

    _say(f"{name}: removed" if remove(name) else f"{name}: was not there")


def _progress() -> Callable[[int, int | None], None]:
    """Return what shows the bytes so far, on a terminal."""
    if not sys.stderr.isatty():
        return lambda *_: None

    def show(done: int, size: int | None) -> None:
        of = "" if size is None else f" of {size / 1e6:.1f}"
        click.echo(f"\r{done / 1e6:.1f}{of} MB", nl=False, err=True)

    return show


def _say(line: str) -> None:
    page = Page()
    page.paragraph(line, hanging="  ")
    page.print()
