"""The form of an answer table: what is attacked with what, the printed answer, and where the rule or number comes from.

Probabilities are text: `"7/36"` is compared exactly, a decimal (used where the fraction is too long to print) to 1e-12.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from plain_dice import Dice, fixed
from referees.wh40k.profiles import Kind, Volley

Expected = dict[str, str | dict[int, str] | dict[tuple[int, int], str]]


@dataclass(frozen=True)
class Answer:
    """One row.

    `expected` maps the name of a distribution (hits, wounds, unsaved, damage, kills, wounds_lost,
    state) to its points, all points not named having probability zero; `mean_` before the name asks for its mean,
    `some_` for the points named only, and `probability_destroyed` for that number.

    `given_wounds=True` reads every expected value as conditional on each attack having wounded: the volleys must then
    be single attacks that hit without a roll and wound on 2+ (see `wounding`).
    """

    id: str
    volleys: tuple[Volley, ...]
    target: Kind
    expected: Expected
    source: str
    given_wounds: bool = False

    def __str__(self) -> str:
        return self.id


def one(**weapon: object) -> tuple[Volley, ...]:
    """A volley of one weapon and nothing about the situation."""
    return (Volley(**weapon),)  # type: ignore[arg-type]


def wounding(damage: Dice | int = 1, ap: int = 0, **weapon: object) -> Volley:
    """One attack that hits without a roll and wounds Toughness 4 on 2+ (a 1 always fails)."""
    points = fixed(damage) if isinstance(damage, int) else damage
    return Volley(skill=None, torrent=True, strength=fixed(12), ap=ap, damage=points, **weapon)  # type: ignore[arg-type]


def devastating(damage: Dice | int) -> Volley:
    """The same, every wound of it a critical one."""
    volley = wounding(damage, devastating_wounds=True)
    return replace(volley, critical_wound=2)
