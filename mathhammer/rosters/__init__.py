"""Army-list files: BattleScribe and New Recruit exports read into the army of a game system.

``.ros``, ``.rosz`` and New Recruit ``.json`` files carry the full characteristics of all that was chosen, so
nothing else is needed to compute with them. What a file is, its content says, not its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.reading import parse_roster, read_roster
from mathhammer.rosters.tree import Cost, Force, Profile, RosterFile, Selection

if TYPE_CHECKING:
    import os

    from mathhammer.systems.wh40k.army import Army

__all__ = [
    "Cost",
    "Force",
    "Profile",
    "RosterFile",
    "Selection",
    "parse_roster",
    "read_army",
    "read_roster",
    "sample_army",
]


def read_army(path: str | os.PathLike[str], *, edition: str | None = None) -> Army:
    """Read a Warhammer 40,000 army list.

    Parameters
    ----------
    path
        A ``.ros``, ``.rosz`` or New Recruit ``.json`` file.
    edition
        The edition whose rules are wanted: that of the list unless said. A list of the 11th edition is read,
        and computed only if ``"10e"`` asks for the rules of the 10th.

    Returns
    -------
    Army
        The army; ``army.warnings`` and ``army.simplifications`` say what was not understood as it stands.

    Raises
    ------
    RosterError
        If the file is not such a list; the message says what it is instead and what to do.

    References
    ----------
    The roster schema of BattleScribe 2.03 (``http://www.battlescribe.net/schema/rosterSchema``) and the
    identifiers of BSData/wh40k-10e.
    """
    from mathhammer.rosters.wh40k import army_from_roster

    return army_from_roster(read_roster(path), edition=edition)


def sample_army() -> Army:
    """Return the army list that ships with the package: an invented army with abilities of every kind.

    Examples
    --------
    >>> army = sample_army()
    >>> army.points, len(army.units)
    (1365, 11)
    """
    from pkgutil import get_data  # importlib.resources would cost 20 ms more on every start

    from mathhammer.rosters.wh40k import army_from_roster

    data = get_data("mathhammer.rosters", "sample/sample-army.ros")
    if data is None:
        raise RosterError(
            "expected the sample army list inside the package, but it is gone; install mathhammer again"
        )
    return army_from_roster(parse_roster(data, "the sample army list"))
