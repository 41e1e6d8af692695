"""The 9th Age as a registered system: its editions and small cases for its proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.systems.registry import Resolve, Sample
from mathhammer.systems.t9a.attack import attack
from mathhammer.systems.t9a.editions import EDITIONS
from mathhammer.systems.t9a.profiles import ModelPart, Target

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.systems.text_format import TextFormat

_DISTRIBUTIONS = ("health_points_lost", "hits", "wounds", "unsaved", "damage", "kills", "overkill")


class NinthAge:
    """The 9th Age: Fantasy Battles."""

    name = "t9a"
    title = "The 9th Age: Fantasy Battles"

    @property
    def editions(self) -> Sequence[str]:
        """Names of its editions, the default first."""
        return tuple(EDITIONS)

    @property
    def text_format(self) -> TextFormat:
        """Serialisation of calls of its functions."""
        from mathhammer.systems.t9a.text_format import TEXT_FORMAT

        return TEXT_FORMAT

    def samples(self, edition: str) -> Sequence[Sample]:
        """Small cases under the rules of one edition."""

        def case(part: ModelPart, **target: Any) -> Resolve:
            return lambda *, exact: attack(part, Target("target", **target), edition=edition, exact=exact)

        blows = ModelPart(
            "blows", attacks=2, offensive_skill=4, strength=4, attributes="Lethal Strike, Multiple Wounds (2)"
        )
        trolls = {"models": 1, "health_points": 3, "defensive_skill": 3, "resilience": 4, "fortitude": 5}
        shots = ModelPart("shots", attacks=2, aim="5+", strength=3, attributes="Poison Attacks")
        men = {"models": 5, "resilience": 3, "armour": 2}
        spears = ModelPart(
            "spears", attacks=20, offensive_skill=3, strength=3, attributes="Spear, Battle Focus"
        )
        guard = {
            "models": 15,
            "champion": 1,
            "defensive_skill": 4,
            "resilience": 3,
            "armour": 3,
            "aegis": "5+",
        }
        breath = ModelPart("breath", attacks="2D6", strength=4, attributes="Flaming Attacks", special=True)
        return (
            Sample(
                "two blows on trolls",
                case(blows, **trolls),
                _DISTRIBUTIONS,
                (case(blows, **{**trolls, "resilience": 5}), case(blows, **{**trolls, "defensive_skill": 8})),
                _play_blows,
            ),
            Sample(
                "two shots",
                case(shots, **men),
                _DISTRIBUTIONS,
                (case(shots, **{**men, "armour": 4}),),
                _play_shots,
            ),
            Sample(
                "twenty spears",
                case(spears, **guard),
                _DISTRIBUTIONS,
                (case(spears, **{**guard, "aegis": "3+"}),),
            ),
            Sample(
                "a breath",
                case(breath, **men),
                _DISTRIBUTIONS,
                (case(breath, **{**men, "attributes": "Fly"}),),
            ),
        )


def _play_blows(roll: Callable[[], int]) -> int:
    """Two blows with Lethal Strike on a troll of 3 Health Points: 3+, 4+, no armour, Fortitude 5+."""
    lost = 0
    for _ in range(2):
        if roll() < 3:
            continue
        wound = roll()
        if wound >= 4 and (wound == 6 or roll() < 5):
            lost += 2
    return min(lost, 3)


def _play_shots(roll: Callable[[], int]) -> int:
    """Two poisoned shots at five men: 5+, 4+ unless the first was a 6, Armour Save 5+."""
    lost = 0
    for _ in range(2):
        hit = roll()
        if hit >= 5 and (hit == 6 or roll() >= 4) and roll() < 5:
            lost += 1
    return lost


SYSTEM = NinthAge()
