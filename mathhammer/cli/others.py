"""Small commands: dice, standard targets, results of texts, datasheets, the page, the user's settings."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Any

import click

from mathhammer import validation
from mathhammer.cli.page import Page, Progress, json_option, print_json, say
from mathhammer.cli.questions import edition_option
from mathhammer.display.numbers import MAXIMUM_FRACTION, percent, value_text
from mathhammer.display.records import SCHEMA_VERSION
from mathhammer.errors import MathhammerError, RosterError


@click.command(
    "dice",
    short_help="The distribution of a dice expression such as 2D6+3.",
    epilog="""\b
Examples:
  mathhammer dice "2D6+3"
  mathhammer dice "2D6" --at-least 9 --exact
  mathhammer dice "10D6" --json
""",
)
@click.argument("expression", nargs=-1, required=True, metavar="EXPRESSION")
@click.option("--exact", is_flag=True, help="Print fractions.")
@click.option(
    "--at-least", type=int, multiple=True, metavar="K", help="Also print P(result >= K). Repeatable."
)
@json_option
def dice_command(
    *, expression: tuple[str, ...], exact: bool, at_least: tuple[int, ...], as_json: bool
) -> None:
    """Print the distribution of a dice EXPRESSION such as 2D6+3, D3 or 4D6*2."""
    from mathhammer.distributions.fractions import in_fractions
    from mathhammer.distributions.presentation import bars, table
    from mathhammer.expressions import dice

    parsed = dice(" ".join(expression))
    distribution = parsed.distribution(exact=exact)
    asked = [(k, in_fractions(distribution).at_least(k)) for k in at_least]
    if as_json:
        exactly = {k: {"probability_exact": value_text(each)} if exact else {} for k, each in asked}
        rows = [{"k": k, "probability": float(each), **exactly[k]} for k, each in asked]
        head = {"schema": "mathhammer.dice", "schema_version": SCHEMA_VERSION}
        said = {"readings": parsed.readings, "at_least": rows}
        print_json({**head, **bars(distribution, str(parsed))._asdict(), **said})
        return
    page = Page()
    page.heading(str(parsed))
    for reading in parsed.readings:
        page.line(reading)
    page.line(table(distribution, width=page.width))
    for k, each in asked:
        text = f" = {value_text(each, limit=MAXIMUM_FRACTION)}" if exact and each not in (0, 1) else ""
        page.line(f"P(result >= {k}) = {percent(each)}{text}")
    page.print()


@click.command(
    "targets", short_help="The standard targets.", epilog="Example: mathhammer targets --edition 10e --json"
)
@click.argument("game", type=click.Choice(["40k", "aos"]), default="40k")
@edition_option
@json_option
def targets(*, game: str, edition: str, as_json: bool) -> None:
    """List the standard targets of a GAME, 40k or aos, that --against and --target know."""
    from mathhammer.analysis.tabular import Answer
    from mathhammer.systems import aos
    from mathhammer.systems.wh40k.profiles.standard_targets import PRICED, TARGETS

    shown: Any = TARGETS.of(edition) if game == "40k" else aos.TARGETS
    of_40k = {"edition": edition, "date": PRICED[edition]} if game == "40k" else {}
    notes = [f"Characteristics and prices, of the whole unit, are those of {PRICED[edition]}."] * bool(of_40k)
    rows = [{"label": label, "stat_line": str(each), **each.arguments()} for label, each in shown.items()]
    panel, about = shown._panel(), {"game": game, **of_40k}  # noqa: SLF001 - the package's own
    more: Any = {"unshown": [*about], "notes": notes, "parts": panel.parts}
    say(Answer("mathhammer.targets", panel.title, rows, about, **more), as_json=as_json)


@click.command(
    "show",
    short_help="Compute a shared result again from its text.",
    epilog="""\b
Examples:
  mathhammer show result.txt
  mathhammer 40k attack "Bolt rifle: A2 BS3+ S4 AP-1 D1" --target MEQ --as-text | mathhammer show -
""",
)
@click.argument("file")
@click.option("--explain", is_flag=True, help="Print each step and its probabilities.")
def show(*, file: str, explain: bool) -> None:
    """Compute a shared result again from its text.

    FILE holds what to_text() of a result or --as-text of a command wrote; - reads standard input.
    """
    from mathhammer.serialisation import from_text

    result = from_text(text_of(file))
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


@click.command("ask", short_help="Answer questions given as JSON.", epilog="Example: mathhammer ask -")
@click.argument("file")
def ask(file: str) -> None:
    """Answer a question given as JSON, in JSON.

    FILE holds a question, {"game": "t9a", "question": "break_test", "discipline": 8, "lost_by": 3}, or a list of
    them; - reads standard input. 'mathhammer schema' prints what each may say.
    """
    import json

    from mathhammer.serialisation.ask import ask as answer

    expected, text = "expected a question as JSON, such as mathhammer ask --help shows", text_of(file)
    try:
        asked = json.loads(text)
    except RecursionError as error:
        raise MathhammerError(f"{expected}, got brackets within brackets too deep in {file!r}") from error
    except ValueError as error:
        raise MathhammerError(f"{expected}, got {validation.shown(text)} in {file!r}: {error}") from error
    print_json(answer(asked))


@click.command(
    "schema", short_help="The JSON schema of each question.", epilog="Example: mathhammer schema t9a.attack"
)
@click.argument("question", default="")
def schema(question: str) -> None:
    """Print the JSON schema of a QUESTION such as 40k.attack, or of all of them; of a "result", of a "table"."""
    from mathhammer.serialisation.ask import schema as schema_of

    print_json(schema_of(question))


def text_of(file: str) -> str:
    """Return the text of a file, or of standard input."""
    from mathhammer.serialisation import MAXIMUM_LENGTH

    try:
        with contextlib.nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as source:
            data = source.read(MAXIMUM_LENGTH + 1)  # a device such as /dev/zero has no end
        text = data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not text; 'mathhammer army' reads army lists"
        raise MathhammerError(f"couldn't read {file!r}: {reason}") from error
    return validation.limited(text, "the content of a file", MAXIMUM_LENGTH)


@click.group("data", short_help="Get datasheets for lists that hold names only.")
def data() -> None:
    """Fetch, list and remove the datasheets that publishers offer; none of them is part of this program.

    A text export of an army list holds names only: with datasheets fetched, it is read like any other list.
    """


@data.command(
    "get",
    short_help="Fetch the datasheets of a publisher.",
    epilog="""\b
Examples:
  mathhammer data get bsdata
  mathhammer army my-list.txt""",
)
@click.argument("name")
@click.option("--from", "address", metavar="ADDRESS", help="Another archive: a mirror's, or a file.")
@click.option("--sha256", metavar="HASH", help="Accept only an archive with this SHA-256 hash.")
def get(name: str, address: str | None, sha256: str | None) -> None:
    """Fetch the datasheets of NAME over https: bsdata, bsdata-10e, bsdata-aos, trench-crusade or t9a."""
    from mathhammer.rosters.data import fetch

    progress = Progress("Fetching")
    found = fetch(name, address=address, sha256=sha256, progress=progress)
    progress.finish()
    _say(str(found))


@data.command("list")
def listed() -> None:
    """List the datasheets that were fetched, and that can be."""
    from mathhammer.rosters.data import cache_folder, cached
    from mathhammer.rosters.datasheets import PUBLISHERS

    for name, publisher in PUBLISHERS.items():
        try:
            found = cached(name)
            _say(f"{name}: not fetched; {publisher.title}" if found is None else str(found.about))
        except RosterError as error:
            _say(f"{name}: {error}")
    _say(f"in {cache_folder()}")


@data.command("remove")
@click.argument("name")
def removed(name: str) -> None:
    """Remove the datasheets of NAME from the cache folder."""
    from mathhammer.rosters.data import remove

    _say(f"{name}: removed" if remove(name) else f"{name}: was not there")


def _say(line: str) -> None:
    page = Page()
    page.paragraph(line, hanging="  ")
    page.print()


@click.group("page", short_help="The calculator as a web page.")
def page() -> None:
    """Write or serve the calculator as a page: it computes in the browser and sends nothing."""


@page.command(
    "build",
    short_help="Write the page into a folder.",
    epilog="""\b
Examples:
  mathhammer page build mathhammer-page
  mathhammer page build mathhammer-page --datasheets wh40k-11e-main.zip
  python -m http.server --directory mathhammer-page""",
)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--datasheets", type=click.Path(path_type=Path, exists=True), help="An archive to put beside it."
)
def build(*, folder: Path, datasheets: Path | None) -> None:
    """Write the page into FOLDER, which any static host can serve.

    This needs a connection: the Python runtime for browsers is downloaded, in a pinned version.
    """
    from mathhammer.page.build import build_page

    size = build_page(folder, datasheets=datasheets, progress=lambda step: click.echo(step, err=True))
    click.echo(f"{folder}: {size / 1e6:.1f} MB")


@page.command("serve", short_help="Serve the page on this computer and open it.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path("mathhammer-page"))
@click.option("--port", type=click.IntRange(0, 65535), default=8642, help="8642 by default, 0 any free one.")
@click.option("--open/--no-open", "opened", default=True, help="Open it in the browser.")
def serve(*, folder: Path, port: int, opened: bool) -> None:
    """Serve the page in FOLDER on this computer; build it first if it is missing."""
    from mathhammer.page.build import build_page, is_page, server

    if not is_page(folder):
        build_page(folder, progress=lambda step: click.echo(step, err=True))
    with server(folder, port) as serving:
        address = f"http://127.0.0.1:{serving.server_address[1]}/"
        click.echo(f"{address} (Ctrl-C ends it)")
        if opened:
            click.launch(address)
        with contextlib.suppress(KeyboardInterrupt):
            serving.serve_forever()


_LISTS = ("army", "compare", "focus", "rules")
#: What the file may say, and an example of each; of an edition the one before the newest.
_KEYS = {"edition": None, "opponent": "their-army.rosz", "datasheets": "~/bsdata"}


def _path() -> Path:
    from platformdirs import user_config_path

    return Path(os.environ.get("MATHHAMMER_CONFIG") or user_config_path("mathhammer") / "config.toml")


def _read() -> dict[str, str]:
    """Return what the file says; nothing where there is none."""
    path = _path()
    if not path.is_file():
        return {}
    import tomllib

    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise MathhammerError(f"couldn't read the settings in {str(path)!r}: {error}") from error
    for key, value in said.items():
        if key not in _KEYS or not isinstance(value, str):
            raise MathhammerError(
                f"expected {', '.join(_KEYS)} as texts in {str(path)!r}, got {key} = {value!r}; "
                "'mathhammer config' shows an example"
            )
    return said


def defaults() -> dict[str, Any]:
    """Return the options that the file decides, by command, as click reads them."""
    if not (said := _read()):
        return {}
    own: dict[str, Any] = {key: said[key] for key in ("edition",) if key in said}
    lists = dict(own)
    if "datasheets" in said:
        lists["datasheets"] = str(Path(said["datasheets"]).expanduser())
    if "opponent" in said:
        lists["against"] = [said["opponent"]]
    return {**dict.fromkeys(_LISTS, lists), "targets": own, "40k": _Each(own)}


class _Each(dict[str, Any]):
    """The same options for every command of a group."""

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ARG002 - as click asks
        return dict(self)


@click.command("config", short_help="Your own defaults: edition, opponent, datasheets.")
def config() -> None:
    """Show where the settings file is and what it sets; command-line options win."""
    from mathhammer.systems.wh40k import EDITIONS

    page, said = Page(), _read()
    examples = _KEYS | {"edition": list(EDITIONS)[-2]}
    page.line(f"{_path()}{'' if _path().is_file() else ' (not there yet)'}")
    for key, example in examples.items():
        value = f'{key} = "{said[key]}"' if key in said else f'# {key} = "{example}"'
        page.line(f"  {value}")
    page.print()
