"""The standard targets: twenty-five units that stand for what is met on the table, from Gretchin to C'tan.

10th edition: BSData/wh40k-10e, commit 801555bb of 2026-06-14, characteristics and prices. 11th edition: game-
datacards/datasources, data of the official app up to version 972 of 2026-10-02 (Codex Orks with version 946, Codex
Space Marines with version 963 of 2026-09-30), and Munitorum Field Manual 1.5; BSData/wh40k-11e, commit 54c189f4 of
2026-07-22, has the same characteristics but those of the two codexes.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import Catalogue
from mathhammer.errors import UnknownNameError
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION
from mathhammer.systems.wh40k.editions.edition import OWN, Edition
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.display.panel import Panel


# What the 11th edition has otherwise stands behind a sign. Prices: BSData records that of a datasheet's smallest unit.
# Where it has as many models as listed here, the price is taken as it stands; where not, in proportion, and the end of
# the row says so; those of the 11th are of a first unit in an army.
_ROWS = """
    label; like; models; toughness; save; invulnerable; feel_no_pain; damage_reduction; wounds; keywords; points
    CHAFF; Gretchin; 10; 2; 7+ > 6+; -; -; 0; 1; Infantry; 40 > 45  # with the herder
    GEQ; Cadian Shock Troops; 10; 3; 5+; -; -; 0; 1; Infantry; 65 > 70
    SISTERS; Battle Sisters; 10; 3; 3+; 6+; -; 0; 1; Infantry; 105 > 100
    SKITARII; Skitarii Rangers; 10; 3; 4+; 5+; -; 0; 1; Infantry; 85
    BOYZ; Boyz; 10; 5; 5+; -; -; 0; 1; Infantry; 80 > 85
    WARRIORS; Necron Warriors; 10; 4; 4+; -; -; 0; 1; Infantry; 90 > 85
    MEQ; Intercessors; 10; 4 > 5; 3+; -; -; 0; 2; Infantry; 160 > 170  # 80 for five, twice
    GRAVIS; Aggressors; 3; 6; 3+; -; -; 0; 3; Infantry; 95 > 90
    BLADEGUARD; Bladeguard Veterans; 3; 4 > 5; 3+; 4+; -; 0; 3; Infantry; 80 > 90
    TEQ; Terminators; 5; 5 > 6; 2+; 4+; -; 0; 3; Infantry; 170 > 190
    CUSTODES; Custodian Guard; 5; 6; 2+; 4+; -; 0; 3; Infantry; 200 > 225  # 160 for four
    MEGANOBZ; Meganobz; 3; 6; 2+; -; -; 0; 3; Infantry; 98 > 105  # 65 for two
    # Of the three current kinds of Crisis team the Fireknife has these characteristics at the middle price.
    CRISIS; Crisis Battlesuits; 3; 5; 3+; -; -; 0; 4; Vehicle; 120 > 100
    WRAITHS; Canoptek Wraiths; 3; 6; 3+; 4+; -; 0; 4; Beast; 110 > 95
    BIKES; Outriders; 3; 5 > 6; 3+; -; -; 0; 4; Mounted; 80
    # BSData prices Sentinels and Carnifexes by the number of models only: these two are the prices of one model in the
    # points lists of 2025.
    LIGHT; Scout Sentinel; 1; 7; 3+; -; -; 0; 7; Vehicle; 55
    VEQ; Rhino; 1; 9; 3+; -; -; 0; 10; Vehicle; 75 > 70
    DREADNOUGHT; Redemptor Dreadnought; 1; 10; 2+; -; -; 0; 12; Vehicle; 205 > 170
    TANK; Leman Russ; 1; 11; 2+; -; -; 0; 13; Vehicle; 185 > 160
    HEAVY; Land Raider; 1; 12; 2+; -; -; 0; 16; Vehicle; 220 > 245
    ARMIGER; Armiger Warglaive; 1; 9; 3+; 5+ ranged; -; 0; 14; Vehicle; 140
    KEQ; Knight Paladin; 1; 11; 3+; 5+ ranged; -; 0; 26; Vehicle, Titanic; 375
    MONSTER; Carnifex; 1; 9; 2+; -; -; 0; 8; Monster; 115 > 90
    DAEMON; Great Unclean One; 1; 12; 5+; 4+; 6+; 0; 20; Monster; 250 > 265
    CTAN; Nightbringer; 1; 11; 3+; 4+; 5+; 1; 16; Monster, Character; 340 > 360
"""


@cache
def _read(place: int) -> dict[str, tuple[str, Target]]:
    lines = (line.partition("#")[0].split(";") for line in _ROWS.splitlines())
    (_, _, *columns), *rows = (
        [c.split(">")[place].strip() for c in cells] for cells in lines if len(cells) > 1
    )
    found = {}
    for label, like, *cells in rows:
        read: Any = (None if each == "-" else int(each) if each.isdigit() else each for each in cells)
        found[label] = like, Target(label, **dict(zip(columns, read, strict=True)))
    return found


PRICED = {"9e": "June 2026", "10e": "June 2026", "11e": "2 October 2026"}
"""The day that characteristics and prices of each edition's standard targets are of."""


def standard_targets(edition: str | Edition = DEFAULT_EDITION) -> dict[str, tuple[str, Target]]:
    """Return by label the datasheet that each standard target of an edition is like, and the target."""
    name = edition.known_as() if isinstance(edition, Edition) else edition
    if not isinstance(name, str) or name not in (*OWN, *PRICED):
        raise validation.unknown_edition(name, PRICED)
    return _read(-1 if (OWN[name][1] if name in OWN else name) == "11e" else 0)


class _Targets(Catalogue[Target]):
    """The standard targets of an edition by label."""

    def __init__(self, edition: str | Edition = DEFAULT_EDITION) -> None:
        self._edition = edition
        rows = {label: target for label, (_, target) in standard_targets(edition).items()}
        name = edition.ordinal if isinstance(edition, Edition) else f"{edition[:-1]}th edition"
        super().__init__(f"standard targets of the {name}", rows)

    def of(self, edition: str | Edition) -> Mapping[str, Target]:
        """Return the standard targets of another edition."""
        return _Targets(edition)

    def __getitem__(self, label: str) -> Target:
        if label not in self:
            found = find_target(label, self._edition)  # which raises for a name that is like none
            hint = f"did you mean {found.name!r}?"
            raise UnknownNameError(f"expected a label of the standard targets, got {shown(label)}; {hint}")
        return super().__getitem__(label)

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, TablePart

        found = standard_targets(self._edition).items()
        rows = [[label, like, str(each).partition(": ")[2]] for label, (like, each) in found]
        return Panel(f"{len(self)} {self._title}", parts=[TablePart(["label", "like", "unit"], rows, "<<<")])


TARGETS = _Targets()
"""The standard targets of the default edition by label, such as ``"MEQ"``; ``TARGETS.of("10e")`` are another's."""


def find_target(name: str, edition: str | Edition = DEFAULT_EDITION) -> Target:
    """Return the standard target of a label, or of the datasheet it is like; case does not matter.

    Parameters
    ----------
    name
        The label or the name of the datasheet.
    edition
        Whose characteristics it has.

    Examples
    --------
    >>> find_target("meq", "10e").toughness, find_target("Rhino").toughness
    (4, 9)
    """
    wanted = validation.text(name, "label of a standard target", "such as 'MEQ'").strip().casefold()
    rows = standard_targets(edition)
    known = {text.casefold(): label for label, (like, _) in rows.items() for text in (label, like)}
    if wanted in known:
        return rows[known[wanted]][1]
    near = dict.fromkeys(known[match] for match in get_close_matches(wanted, known, n=2))
    nearest = " or ".join(f"{label} ({rows[label][0]})" for label in near)
    hint = f"did you mean {nearest}?" if near else f"known are {', '.join(TARGETS)}"
    raise UnknownNameError(f"expected the label of a standard target such as MEQ, got {shown(name)}; {hint}")
