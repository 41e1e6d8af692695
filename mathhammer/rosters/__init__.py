"""Army lists: BattleScribe and New Recruit exports, ListForge links and text.

``.ros``, ``.rosz`` and New Recruit ``.json`` files carry the full characteristics of all that was chosen, so
nothing else is needed to compute with them. Text exports carry names only; their characteristics come from a
source of datasheets that the user names. What a file is, its content says, not its name.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import IO, TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import RosterError
from mathhammer.rosters.datasheets import PUBLISHERS, DatasheetSource
from mathhammer.rosters.reading import as_text, parse_roster, read_bytes, read_content
from mathhammer.rosters.tree import CRUSADE, NINTH, SIGMAR, shorten

if TYPE_CHECKING:
    from mathhammer.systems.wh40k import Army, Edition

__all__ = ["open_datasheets", "read_army", "sample_army"]

_NO_PROFILES = (
    "the list carries no profiles; name their source (datasheets=, on the command line --datasheets): a folder of "
    "BSData catalogues, or another list; 'mathhammer data get bsdata' fetches one, "
    "for the 10th edition 'mathhammer data get bsdata-10e'"
)


def read_army(
    path: str | os.PathLike[str] | bytes | IO[bytes] | IO[str],
    *,
    edition: str | Edition | None = None,
    datasheets: DatasheetSource | str | os.PathLike[str] | None = None,
) -> Army:
    """Read a Warhammer 40,000 army list.

    Parameters
    ----------
    path
        A ``.ros``, ``.rosz`` or New Recruit ``.json`` file, a ListForge link, or a text export; or what such a file
        holds, as bytes or as an open file.
    edition
        The rules to use, ``"10e"``, ``"11e"`` or an edition of your own made of one of these; by default those that
        the list was written for.
    datasheets
        Where the characteristics of a text export are, and of units that a file lists without profiles: a folder of
        BSData catalogues, a ZIP archive of one, another army list, the name of a publisher, or what ``open_datasheets``
        returned for one. Without them it uses what ``mathhammer data get`` has fetched. Most files need none.

    Returns
    -------
    Army
        The army; see ``army.warnings`` and ``army.simplifications`` for what was left out or simplified.

    References
    ----------
    The roster schema of BattleScribe 2.03 (``http://www.battlescribe.net/schema/rosterSchema``) and the
    identifiers of BSData/wh40k-10e and BSData/wh40k-11e.

    Examples
    --------
    >>> from pathlib import Path
    >>> import mathhammer.rosters
    >>> path = Path(mathhammer.rosters.__file__).parent / "sample" / "sample-army.ros"
    >>> read_army(path).points
    1365
    """
    from mathhammer.rosters.assemble import army_from_text
    from mathhammer.rosters.datasheets import complete
    from mathhammer.rosters.text import parse_text_list
    from mathhammer.rosters.wh40k import army_from_roster, count_once, require_edition

    edition, like = require_edition(edition)
    data, name = read_content(path)
    listed = None if (text := as_text(data)) is None else parse_text_list(text, name)
    if isinstance(datasheets, str | os.PathLike):
        source: DatasheetSource | None = open_datasheets(datasheets)
    elif datasheets is not None:
        message = "a folder, a list or what open_datasheets returned as datasheets"
        source = validation.instance(datasheets, DatasheetSource, message)
    else:
        source = None if listed is None else _fetched_datasheets(like or listed.edition)
    if listed is not None and source is not None:
        return army_from_text(listed, source, edition=edition)
    roster = parse_roster(data, name)
    warnings: tuple[str, ...] = ()
    bare = not any(node.profiles for node in roster.nodes())
    if source is None and bare:
        source = _fetched_datasheets(like or roster.edition)
        warnings = (_NO_PROFILES,)
    if source is not None:
        roster, warnings = complete(roster, source)
    army = army_from_roster(roster, edition=edition)
    if not bare:
        army = count_once(army, roster, lambda: source or _fetched_datasheets(army.file_edition))
    return replace(army, warnings=(*warnings, *army.warnings))


@validation.called
def open_datasheets(path: str | os.PathLike[str]) -> DatasheetSource:
    """Open a source of datasheets; what it is, its content says.

    Parameters
    ----------
    path
        A folder of BSData catalogues (``.cat``, ``.gst`` or ``.json``), the folder around one, a ZIP archive of one
        as code hosts serve it, an army list, or the name of a publisher whose data were fetched, such as
        ``"bsdata"``.

    References
    ----------
    Repositories BSData/wh40k-10e and BSData/wh40k-11e.

    Examples
    --------
    >>> from pathlib import Path
    >>> import mathhammer.rosters
    >>> path = Path(mathhammer.rosters.__file__).parent / "sample" / "sample-army.ros"
    >>> source = open_datasheets(path)  # a list knows the datasheets of its units
    >>> "Storm Augur" in source.names()
    True
    """
    import zipfile

    from mathhammer.rosters.bsdata import MAX_ARCHIVE, BSDataSource, archived, in_folder, of_list

    place = os.fspath(validation.instance(path, (str, os.PathLike), "the path of a folder of datasheets"))
    if not os.path.exists(place):  # noqa: PTH110 - pathlib costs 10 ms that the command line does not have
        from mathhammer.rosters.data import cached

        if (table := cached(place)) is not None:
            return table
        remedy = f"get them with 'mathhammer data get {place}'" if place in PUBLISHERS else "check the path"
        raise RosterError(f"no datasheets at {shorten(place)}; {remedy}")
    if os.path.isdir(place):  # noqa: PTH112 - as above
        return BSDataSource(in_folder(place))
    if zipfile.is_zipfile(place) and not place.casefold().endswith(".rosz"):
        return BSDataSource(archived(read_bytes(place, MAX_ARCHIVE), shorten(place)))
    return of_list(parse_roster(*read_content(place)))


def _fetched_datasheets(edition: str | None) -> DatasheetSource | None:
    """Return the datasheets in the user's cache folder: those of an edition first, then the newest."""
    from mathhammer.rosters.data import cached

    own = [
        name for name, publisher in PUBLISHERS.items() if publisher.edition not in {SIGMAR, CRUSADE, NINTH}
    ]
    names = sorted(own, key=lambda name: PUBLISHERS[name].edition != edition)
    return next((found for name in names if (found := cached(name)) is not None), None)


@validation.called
def sample_army(*, edition: str | Edition | None = None) -> Army:
    """Return the army list that ships with the package: an invented army with abilities of every kind.

    Parameters
    ----------
    edition
        As for :func:`read_army`; the list is of the 10th edition.

    Examples
    --------
    >>> army = sample_army()
    >>> army.points, len(army.units)
    (1365, 11)
    """
    from pkgutil import get_data  # importlib.resources would cost 20 ms more on every start

    from mathhammer.rosters.wh40k import army_from_roster

    data = get_data("mathhammer.rosters", "sample/sample-army.ros") or b""
    return army_from_roster(parse_roster(data, "the sample army list"), edition=edition)
