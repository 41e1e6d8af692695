"""New Recruit's JSON export: the XML tree with its wrappers flattened to lists, under one key ``roster``."""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from mathhammer.errors import RosterError
from mathhammer.rosters.limits import MAX_NODES, check_nodes, shorten

if TYPE_CHECKING:
    from mathhammer.rosters.battlescribe import PlainTree

_MAX_VALUES = 10 * MAX_NODES  # a node has about ten attributes


def parse_json(data: bytes, name: str) -> PlainTree:
    """Read a New Recruit JSON export."""
    document = load_json(data, name)
    roster = _roster(document)
    if roster is None:
        raise RosterError(
            f"expected a New Recruit army list (one object under the key 'roster'), but {name} holds "
            f"{_describe(document)}; export the list from New Recruit as JSON, or as .ros or .rosz"
        )
    return roster


def load_json(data: bytes, name: str) -> object:
    """Read JSON of any shape within the limits of an army list; the caller judges what it is."""
    import json

    # Memory is spent while parsing, so the size of the tree is estimated before: each node opens a bracket.
    check_nodes(data.count(b"{") + data.count(b"["), name)
    if data.count(b",") > _MAX_VALUES:
        raise RosterError(
            f"expected an army list of at most {_MAX_VALUES:,} values, but {name} holds more; "
            "no army is that large: export the list again"
        )
    try:
        document: object = json.loads(data.removeprefix(BOM_UTF8), parse_constant=_refuse_constant)
    except RecursionError:
        raise RosterError(
            f"expected a New Recruit army list, but {name} is JSON nested without end; export the list again"
        ) from None
    except ValueError as error:  # JSONDecodeError and UnicodeDecodeError are both ValueErrors
        raise RosterError(
            f"expected well-formed JSON, but {name} breaks off or is damaged: {shorten(error, 120)[1:-1]}; "
            "download or export it again"
        ) from error
    return document


def _roster(document: object) -> PlainTree | None:
    """Return the roster: under its key as New Recruit writes it, or bare as in the links of ListForge."""
    if not isinstance(document, dict):
        return None
    bare = document if isinstance(document.get("forces"), list) else None
    roster: PlainTree | None = document["roster"] if isinstance(document.get("roster"), dict) else bare
    return roster


def _refuse_constant(text: str) -> object:
    raise ValueError(f"{text} is no number of an army list")


def _describe(document: object) -> str:
    if isinstance(document, dict):
        keys = ", ".join(shorten(key, 20) for key in list(document)[:5])
        return f"an object with the keys {keys}" if keys else "an empty object"
    return "a list" if isinstance(document, list) else shorten(document)
