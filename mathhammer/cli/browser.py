"""``mathhammer page``: the calculator as a folder of static files, and its server on this computer."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click


@click.group("page", short_help="The calculator as a page for the browser.")
def command() -> None:
    """Write or serve the calculator as a page: it computes in the browser and sends nothing."""


@command.command(
    "build",
    short_help="Write the page into a folder.",
    epilog="""\b
Examples:
  mathhammer page build mathhammer-page
  python -m http.server --directory mathhammer-page""",
)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def build(folder: Path) -> None:
    """Write the page into FOLDER, which any static host can serve.

    The runtime and the integers of exact arithmetic are fetched from their registries, in pinned versions.
    """
    from mathhammer.page.build import build_page

    size = build_page(folder, progress=lambda step: click.echo(step, err=True))
    click.echo(f"{folder}: {size / 1e6:.1f} MB")


@command.command("serve", short_help="Serve the page on this computer and open it.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path("mathhammer-page"))
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Any free one by default.")
@click.option("--open/--no-open", "opened", default=True, help="Open it in the browser.")
def serve(folder: Path, port: int, opened: bool) -> None:  # noqa: FBT001
    """Serve the page of FOLDER on the loopback address; it is built first if it is not there."""
    from mathhammer.page.build import build_page, is_page
    from mathhammer.page.serve import server

    if not is_page(folder):
        build_page(folder, progress=lambda step: click.echo(step, err=True))
    with server(folder, port) as serving:
        address = f"http://127.0.0.1:{serving.server_address[1]}/"
        click.echo(f"{address} (Ctrl-C ends it)")
        if opened:
            click.launch(address)
        with contextlib.suppress(KeyboardInterrupt):
            serving.serve_forever()
