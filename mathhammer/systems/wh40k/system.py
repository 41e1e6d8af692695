"""Warhammer 40,000 as a registered system: its editions and the serialisation of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, EDITIONS
from mathhammer.systems.wh40k.editions.edition import OWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.systems.text_format import TextFormat


class Warhammer40000:
    """Warhammer 40,000."""

    name = "40k"
    title = "Warhammer 40,000"

    @property
    def editions(self) -> Sequence[str]:
        """Names of its editions, the default first, and of those of somebody's own."""
        return tuple(sorted([*EDITIONS, *OWN], key=lambda name: name != DEFAULT_EDITION))

    @property
    def text_format(self) -> TextFormat:
        """Serialisation of calls of its functions."""
        from mathhammer.systems.wh40k.text_format import TEXT_FORMAT

        return TEXT_FORMAT


SYSTEM = Warhammer40000()
