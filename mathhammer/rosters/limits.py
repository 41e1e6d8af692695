"""Limits of what is read of a file, so that a hostile one costs an error and nothing else."""

from __future__ import annotations

from mathhammer.errors import RosterError

MAX_BYTES = 32 * 2**20
MAX_NODES = 500_000
MAX_DEPTH = 64
MAX_PARTS = 20_000  # selections, profiles and rules of an army
MAX_UNIT_PARTS = 2_000
MAX_COUNT = 1_000  # models or weapons in one selection, and every number inside a dice text


def shorten(text: object, length: int = 60) -> str:
    """Quote a text of any length for an error message; the backslashes of a path of Windows stay single."""
    plain = str(text)
    cut = plain if len(plain) <= length else plain[: length - 2]
    quoted = f"'{cut}'" if cut.isprintable() and "'" not in cut else repr(cut)
    return quoted if cut == plain else f"{quoted}..."


def check_nodes(nodes: int, name: str) -> None:
    """Refuse a document with more nodes than any army list has."""
    if nodes > MAX_NODES:
        raise RosterError(
            f"expected an army list of at most {MAX_NODES:,} nodes, but {name} holds more; "
            "no army is that large: export the list again"
        )


def check_depth(depth: int, name: str) -> None:
    """Refuse a document nested deeper than any army list is."""
    if depth > MAX_DEPTH:
        raise RosterError(
            f"expected an army list nested at most {MAX_DEPTH} levels deep, but {name} goes deeper; "
            "no army list does: export it again"
        )
