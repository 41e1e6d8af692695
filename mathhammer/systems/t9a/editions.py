"""The editions of The 9th Age: Fantasy Battles as data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from mathhammer.display import Catalogue, Named
from mathhammer.systems.t9a.rulings import RULINGS
from mathhammer.validation import unknown_edition

if TYPE_CHECKING:
    from mathhammer.sequence import Ruling


@dataclass(frozen=True, slots=True, repr=False)
class Edition(Named):
    """Rules of one edition where editions differ.

    Parameters
    ----------
    name, title
        ``"2e"``, and the name in full.
    test
        What a test of nerve is called.
    melee_table, melee_worst
        Pairs of a least difference of Offensive and Defensive Skill and the number needed, best first; then the
        number needed below them all.
    hopeless_shots
        Whether a shot that needs 7+ may still hit.
    stand_and_shoot
        The to-hit modifier of Stand and Shoot.
    steady_penalty
        The most that a Steady unit's Break Test is worsened by; None where there is no such rule.
    least_panic_losses
        Losses without which no Panic Test is taken.
    rank_bonus_cap, proper_ranks
        The most that ranks add to the Combat Score, and whether these are Proper Ranks.
    each_flank_bonus
        What each flank and rear adds to the Combat Score; 0 where a side counts them once.
    static_before_blows
        Whether ranks are counted before the blows are struck.
    destroyed_bonus
        Combat Score for a destroyed enemy unit.
    excess_to_champion
        Whether a Champion takes what the rank and file cannot lose.
    rulings
        The disputed points, with their defaults.

    Examples
    --------
    >>> EDITIONS["2e"].title
    'The 9th Age: Fantasy Battles, 2nd edition'
    """

    name: str
    title: str
    test: Literal["Discipline Test", "Courage Test"]
    melee_table: tuple[tuple[int, int], ...]
    melee_worst: int
    hopeless_shots: bool
    stand_and_shoot: int
    steady_penalty: int | None
    least_panic_losses: int
    rank_bonus_cap: int
    proper_ranks: bool
    each_flank_bonus: int
    static_before_blows: bool
    destroyed_bonus: int
    excess_to_champion: bool
    rulings: tuple[Ruling, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.title}, {len(self.rulings)} disputed rulings"


_SECOND = Edition(
    name="2e",
    title="The 9th Age: Fantasy Battles, 2nd edition",
    test="Discipline Test",
    melee_table=((4, 2), (1, 3), (-3, 4), (-7, 5)),
    melee_worst=6,
    hopeless_shots=True,
    stand_and_shoot=-1,
    steady_penalty=None,
    least_panic_losses=1,
    rank_bonus_cap=3,
    proper_ranks=False,
    each_flank_bonus=0,
    static_before_blows=False,
    destroyed_bonus=0,
    excess_to_champion=True,
    rulings=RULINGS,
)
_THIRD = replace(
    _SECOND,
    name="3e",
    title="The 9th Age: Fantasy Battles, 3rd edition",
    test="Courage Test",
    melee_table=((4, 2), (1, 3), (-3, 4)),
    melee_worst=5,
    hopeless_shots=False,
    stand_and_shoot=0,
    steady_penalty=2,
    least_panic_losses=3,
    rank_bonus_cap=4,
    proper_ranks=True,
    each_flank_bonus=2,
    static_before_blows=True,
    destroyed_bonus=1,
    excess_to_champion=False,
    rulings=(replace(RULINGS[0], default="cancel"), *RULINGS[1:]),
)
EDITIONS = Catalogue("editions of The 9th Age", {"2e": _SECOND, "3e": _THIRD})
"""The editions by name, ``"2e"`` and ``"3e"``."""


def find_edition(name: str) -> Edition:
    """Return the edition of that name.

    Examples
    --------
    >>> find_edition("2e").title
    'The 9th Age: Fantasy Battles, 2nd edition'

    References
    ----------
    The 9th Age rulebook, 2nd edition (2018 to 2024) and 3rd edition: Rolling to Hit and Standard Melee Attacks,
    Hopeless Shots and To-Hit Modifiers, Break Test and Take Break Test, Panic Test, Combat Score and Static Combat
    Score, Losing Health Points.
    """
    if not isinstance(name, str) or name not in EDITIONS:
        raise unknown_edition(name, EDITIONS)
    return EDITIONS[name]
