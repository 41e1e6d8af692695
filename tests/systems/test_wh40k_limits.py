"""The walks of a question count together: what would take too long is refused (see also `refusals/limits*.txt`)."""

from __future__ import annotations

import pytest
from tenth import wh40k

from mathhammer.distributions import kernel
from mathhammer.errors import TooLargeError


@pytest.mark.slow
def test_the_walks_of_a_question_count_together(monkeypatch):
    """One attack, or a few in turn, are done; hundreds, of which each takes as long, are not."""
    monkeypatch.setattr(kernel, "MAXIMUM_SECONDS", 0.1)
    gun = wh40k.Volley(wh40k.Weapon.parse("Gun: A3 BS5+ S4 AP0 DD3"), 5)
    wall = wh40k.Target("Wall", toughness=8, save="3+", wounds=40, models=5)
    assert wh40k.needed(gun, wall, 0.9, most=5, exact=True).count is None
    with pytest.raises(
        TooLargeError, match="at most 0 seconds, but what was asked so far and up to 15 wounds"
    ):
        wh40k.needed(gun, wall, 0.9, most=500, exact=True)
    # The one that was refused has left nothing behind.
    assert wh40k.needed(gun, wall, 0.9, most=5, exact=True).count is None
