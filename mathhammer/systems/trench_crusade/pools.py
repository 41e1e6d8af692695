"""The dice of the game: 2D6 with +/- DICE, sources kept, pairs cancelled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, SupportsIndex

from mathhammer.arithmetic import arithmetic
from mathhammer.errors import MathhammerError, ParseError, TooLargeError
from mathhammer.expressions import dice as read_dice
from mathhammer.expressions.pool import ExtraDice
from mathhammer.modifiers import Modifier
from mathhammer.systems.trench_crusade.profiles import (
    MAXIMUM_SOURCES,
    bounded_modifiers,
    several,
    whole,
)

if TYPE_CHECKING:
    from mathhammer.distributions import Distribution

#: A number, ``"+2 elevated"``, or several texts or Modifiers.
SourcedText = int | str | Modifier | Iterable[str | Modifier]

_SOURCED = re.compile(
    r"\s*([+-]?\s*\d{1,9})(?!\d)\s*(?:DICE|INJURY DICE|INJURY MODIFIER)?\s*(.*?)\s*", re.IGNORECASE
)

#: Most characters of one source.
LONGEST_SOURCE = 200


def read_sourced(value: SourcedText, source: str) -> tuple[Modifier, ...]:
    """Return modifiers from numbers and texts."""
    if isinstance(value, bool | int | Modifier | SupportsIndex):
        return bounded_modifiers(value, source)
    items = (
        (value,)
        if isinstance(value, str)
        else several(
            value, (str, Modifier), "numbers with their sources, such as '+2 elevated'", MAXIMUM_SOURCES
        )
    )
    return bounded_modifiers(
        [_read(item, source) if isinstance(item, str) else item for item in items], source
    )


def _read(text: str, source: str) -> Modifier:
    if len(text) > LONGEST_SOURCE:
        raise TooLargeError(f"expected a source of at most {LONGEST_SOURCE} characters, got {len(text):,}")
    match = _SOURCED.fullmatch(text)
    if match is None:
        raise ParseError("expected a number and where it comes from, such as '+2 elevated'", text, 0)
    return Modifier("add", int(match[1].replace(" ", "")), match[2] or source)


def net(modifiers: Iterable[Modifier]) -> int:
    """Return the surplus after pairs of + and - cancel (Trench Crusade rules 1.0.2, +/- Dice)."""
    total = sum(values(modifiers))
    return whole("the net number of DICE", total)


def values(modifiers: Iterable[Modifier]) -> list[int]:
    """Return what each modifier adds."""
    found = []
    for modifier in modifiers:
        if modifier.operation not in {"add", "subtract"}:
            raise MathhammerError(f"expected DICE and INJURY MODIFIERS to add or subtract, got {modifier}")
        found.append(modifier.value if modifier.operation == "add" else -modifier.value)
    return found


@lru_cache(maxsize=1024)
def kept(keep: int, surplus: int, *, exact: bool) -> Distribution[Any]:
    """Distribution of the sum of the dice that count."""
    roll = read_dice(f"{keep}D6")
    if surplus:
        roll = ExtraDice(roll, max(surplus, 0), max(-surplus, 0))
    return roll.compute(arithmetic(exact=exact))


def roll_text(keep: int, surplus: int) -> str:
    """Return the roll in words."""
    if not surplus:
        return f"{keep}D6"
    return f"{keep + abs(surplus)}D6, the {keep} {'highest' if surplus > 0 else 'lowest'} count"
