"""``mathhammer aos attack``, ``fight``, ``charge``, ``cast``, ...: Warhammer Age of Sigmar."""

from __future__ import annotations

import json
from typing import Any, Literal

import click

from mathhammer.cli.page import Page, json_option, print_json
from mathhammer.cli.questions import Part, asks


@click.group("aos", short_help="Age of Sigmar: attacks, wards, charges, magic, fights.")
def command() -> None:
    """Compute attacks and rolls of Warhammer Age of Sigmar."""


asks(
    command,
    "attack",
    """
  mathhammer aos attack "10 x Hellblade 2 3+ 3+ 1 1 Crit (Mortal)" --target LIBERATORS --all-out-attack
  mathhammer aos attack "Axe: 5 models, champion, Atk 2, Hit 3+, Wnd 3+, Rnd 1, Dmg D3" \\
      -t "Ogors: 4 models, Health 4, Save 4+, Ward 6+" --charged --explain
""",
    """Print what the attacks of one ability do to a unit.

    WEAPONS are rows of warscrolls, "5 x Hellblade 2 3+ 3+ 1 1 Crit (Mortal)" or with labels, "Hellblade: 5 models,
    champion, Atk 2, Hit 3+, Wnd 3+, Rnd 1, Dmg 1"; a target is the label of a standard one or "Liberators: 5 models,
    Health 2, Save 3+, Ward 6+ [Infantry]".
    """,
    call=Part("aos:attack", many=("weapons",)),
    situation=Part("aos:Situation"),
)
for _line, _text in (
    ("charge 9 --reroll", "Print the chance that a charge reaches DISTANCE inches."),
    ("cast 7 --unbound", "Print the chance that a spell is cast, and not unbound."),
    ("chant 5 --turns 2", "Print the chance that a prayer is answered within some turns."),
):
    _name = _line.split()[0]
    asks(command, _name, f"  mathhammer aos {_line}", _text, call=Part(f"aos:{_name}"))


def _fight(*, call: dict[str, Any], **said: dict[str, Any]) -> object:
    """Print what becomes of two units that fight in turn."""
    from mathhammer.systems import aos

    units = [aos.Unit(**said[side]) for side in _SIDES]
    call |= {f"{side}_situation": aos.Situation(**said[f"{side}_at"]) for side in _SIDES}
    return aos.fight(*units, **call)


_SIDES = ("first", "second")
_UNIT = {"target": "", "weapons": "weapon"}
asks(
    command,
    "fight",
    """
  mathhammer aos fight --first LIBERATORS --first-weapon "5 x Warhammer 2 3+ 3+ 1 1" \\
      --second CHAFF --second-weapon "20 x Rusty Blade 2 4+ 5+ 0 1" --second-strikes first
""",
    _fight,
    call=Part("aos:fight", leave=(*_SIDES, "first_situation", "second_situation")),
    **{side: Part("aos:Unit", side, _UNIT, many=("weapons",)) for side in _SIDES},
    **{f"{side}_at": Part("aos:Situation", side, leave=("mortal_damage",)) for side in _SIDES},
)


@command.command(
    "army",
    short_help="Each unit of a list against targets.",
    epilog="Example: mathhammer aos army list.ros --against GOD",
)
@click.argument("file")
@click.option("--against", default="CHAFF,LIBERATORS,GOD", show_default=True, help="Labels of targets.")
@click.option("--shooting", is_flag=True, help="They shoot; otherwise they fight.")
@click.option("--datasheets", metavar="PATH", help="Warscrolls of a text: by default those of bsdata-aos.")
@json_option
def army(file: str, *, against: str, shooting: bool, datasheets: str | None, as_json: bool) -> None:
    """Print the mean damage points of each unit of a list of New Recruit (.ros, .rosz, .json), or of a text.

    A text is what the official app or Listbot exports, with 'mathhammer data get bsdata-aos' fetched before.
    """
    from mathhammer.analysis import Attacker, grid
    from mathhammer.rosters.sigmar import read_units
    from mathhammer.systems import aos

    kind: Literal["melee", "shooting"] = "shooting" if shooting else "melee"
    units = read_units(file, datasheets=datasheets)
    armed = [(unit.target, unit.only(kind)) for unit in units if unit.only(kind)]
    rows = [Attacker(each.name, weapons, each.points) for each, weapons in armed]
    table = grid(rows, against, edition=next(iter(aos.EDITIONS)))
    if as_json:
        print_json(json.loads(table.to_json()))
        return
    page = Page()
    for name, note in ((unit.target.name, note) for unit in units for note in unit.notes):
        page.paragraph(f"{name}: {note}")
    means = table._picture("mean_wounds_lost")  # noqa: SLF001 - the package's own
    page.verbatim(means.text(page.width, unicode=page.unicode))
    page.print()
