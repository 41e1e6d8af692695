"""``mathhammer config``: a file with the edition, the opponent and the datasheets that a user always means."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from mathhammer.cli.page import Page
from mathhammer.errors import MathhammerError

_LISTS = ("army", "compare", "focus", "rules")
#: What the file may say, and an example of each; of an edition the one before the newest.
_KEYS = {"edition": None, "opponent": "their-army.rosz", "datasheets": "~/bsdata"}


def _path() -> Path:
    from platformdirs import user_config_path

    return Path(os.environ.get("MATHHAMMER_CONFIG") or user_config_path("mathhammer") / "config.toml")


def _read() -> dict[str, str]:
    """Return what the file says; nothing where there is none."""
    import tomllib

    path = _path()
    if not path.is_file():
        return {}
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
def command() -> None:
    """Show where the settings file is and what it sets; command-line options win."""
    from mathhammer.systems.wh40k import EDITIONS

    page, said = Page(), _read()
    examples = _KEYS | {"edition": list(EDITIONS)[-2]}
    page.line(f"{_path()}{'' if _path().is_file() else ' (not there yet)'}")
    for key, example in examples.items():
        value = f'{key} = "{said[key]}"' if key in said else f'# {key} = "{example}"'
        page.line(f"  {value}")
    page.print()
