"""Warhammer 40,000 as a registered system: its editions and small cases for its proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.systems.registry import Resolve, Sample
from mathhammer.systems.wh40k.attacks.attack import attack
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, EDITIONS
from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.systems.text_format import TextFormat

_DISTRIBUTIONS = ("wounds_lost", "hits", "wounds", "unsaved", "damage", "kills")


class Warhammer40000:
    """Warhammer 40,000."""

    name = "40k"
    title = "Warhammer 40,000"

    @property
    def editions(self) -> Sequence[str]:
        """Names of its editions, the default first."""
        return tuple(sorted(EDITIONS, key=lambda name: name != DEFAULT_EDITION))

    @property
    def text_format(self) -> TextFormat:
        """Serialisation of calls of its functions."""
        from mathhammer.systems.wh40k.text_format import TEXT_FORMAT

        return TEXT_FORMAT

    def samples(self, edition: str) -> Sequence[Sample]:
        """Small cases under the rules of one edition."""

        def case(weapon: Weapon, **target: Any) -> Resolve:
            return lambda *, exact: attack(weapon, Target("target", **target), edition=edition, exact=exact)

        shots = Weapon("shots", range='24"', attacks=2, skill="3+", strength=4, ap=-1, damage=3)
        marines = {"toughness": 4, "save": "3+", "wounds": 2, "models": 2}
        lascannon = Weapon("lascannon", range='48"', attacks=1, skill="3+", strength=12, ap=-3, damage="D6+1")
        tank = {"toughness": 10, "save": "3+", "invulnerable": "5+", "wounds": 12}
        return (
            Sample(
                "two shots at two marines",
                case(shots, **marines),
                _DISTRIBUTIONS,
                (case(shots, **{**marines, "toughness": 5}), case(shots, **{**marines, "save": "2+"})),
                _play_shots,
            ),
            Sample(
                "a lascannon at a tank",
                case(lascannon, **tank),
                _DISTRIBUTIONS,
                (case(lascannon, **{**tank, "feel_no_pain": 5}),),
                _play_lascannon,
            ),
        )


def _play_shots(roll: Callable[[], int]) -> int:
    """Two shots of Damage 3 at marines of 2 wounds: 3+, 4+, save 4+; damage beyond a model is lost."""
    lost = 0
    for _ in range(2):
        if roll() >= 3 and roll() >= 4 and roll() < 4:
            lost += 2
    return lost


def _play_lascannon(roll: Callable[[], int]) -> int:
    """One shot: 3+, 3+, invulnerable save 5+, damage D6+1."""
    if roll() >= 3 and roll() >= 3 and roll() < 5:
        return roll() + 1
    return 0


SYSTEM = Warhammer40000()
