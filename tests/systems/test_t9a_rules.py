"""A round of combat of The 9th Age that would take too long; rules stand in `facts/t9a.txt` and `cases/t9a.txt`."""

from __future__ import annotations

import pytest

from mathhammer import t9a
from mathhammer.errors import TooLargeError


def test_several_parts_take_longer() -> None:
    """Each Initiative Step is fought from every state that the one before it leads to."""

    def of(*steps: int) -> t9a.Unit:
        parts = (t9a.ModelPart(f"Agility {each}", attacks=30, strength=3, agility=each) for each in steps)
        return t9a.Unit("30 models, Def 3, Res 3", parts)

    t9a.rounds_of_combat(of(5), of(4))
    with pytest.raises(TooLargeError, match=r"this one takes more; .*, or one round only"):
        t9a.rounds_of_combat(of(5, 4, 3), of(5, 4, 3))
