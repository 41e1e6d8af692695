"""Rulings: the points where the published rules can be read in more than one way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from mathhammer.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Ruling", "rulings_in_force"]


@dataclass(frozen=True, slots=True)
class Ruling:
    """One disputed point.

    Parameters
    ----------
    name
        How it is named in ``rulings={name: option}``.
    question
        What is disputed.
    options
        The possible answers.
    default
        The answer in force unless another is chosen.
    source
        Where the default comes from.

    Examples
    --------
    >>> Ruling("timing", "When?", ("early", "late"), default="late", source="core rules").default
    'late'
    """

    name: str
    question: str
    options: tuple[str, ...]
    default: str
    source: str


def rulings_in_force(known: Iterable[Ruling], chosen: Mapping[str, str] | None) -> dict[str, str]:
    """Return the option in force for each known ruling.

    Raises
    ------
    UnknownNameError
        If a chosen ruling or option does not exist.

    Examples
    --------
    >>> timing = Ruling("timing", "When?", ("early", "late"), "late", "core rules")
    >>> rulings_in_force([timing], {"timing": "early"})
    {'timing': 'early'}
    """
    if chosen is not None and not isinstance(chosen, Mapping):
        raise UnknownNameError(f"expected rulings as a mapping from name to option, got {chosen!r}")
    known = tuple(known)
    in_force = {ruling.name: ruling.default for ruling in known}
    if not chosen:
        return in_force
    table = {ruling.name: ruling for ruling in known}
    for name, option in chosen.items():
        if name not in table:
            near = get_close_matches(str(name), table, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known rulings: {', '.join(table)}"
            raise UnknownNameError(f"expected the name of a ruling, got {name!r}; {hint}")
        if option not in table[name].options:
            raise UnknownNameError(
                f"expected {' or '.join(map(repr, table[name].options))} for the ruling {name!r}, got {option!r}"
            )
        in_force[name] = option
    return in_force
