"""Trench Crusade as one of the systems: its editions, and samples for the suite that proves every system."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mathhammer.systems.registry import Sample
from mathhammer.systems.trench_crusade.attack import attack
from mathhammer.systems.trench_crusade.presets import WEAPONS
from mathhammer.systems.trench_crusade.profiles import Attacker, Target
from mathhammer.systems.trench_crusade.rulings import EDITIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.systems.text_format import TextFormat


class TrenchCrusade:
    """Trench Crusade, as the registry of systems knows it."""

    name = "tc"
    title = "Trench Crusade"
    editions = tuple(EDITIONS)

    @property
    def text_format(self) -> TextFormat:
        """Serialisation of calls of its functions."""
        from mathhammer.systems.trench_crusade.text_format import TEXT_FORMAT

        return TEXT_FORMAT

    def samples(self, edition: str) -> tuple[Sample, ...]:
        """Return a shot to play, and a plan over three of them."""
        rifle = partial(attack, WEAPONS["Bolt-Action Rifle"], edition=edition)
        shot = partial(rifle, Target("Pilgrim", armour="standard"), cover=True)
        guns = partial(
            attack,
            WEAPONS["Machine Gun"],
            Target("Brute", armour="reinforced", blood=2, keywords="TOUGH"),
            attacker=Attacker(ranged=1, blessing=1),
            spend="best",
            edition=edition,
        )
        return (
            Sample(
                "a shot at a model in cover",
                shot,
                ("severity", "blood"),
                harder=(
                    partial(rifle, Target("Pilgrim", armour="reinforced"), cover=True),
                    partial(rifle, Target("Pilgrim", armour="standard"), cover=True, long_range=True),
                ),
                play=_shot,
            ),
            Sample("three shots with the best plan", guns, ("severity", "blood")),
        )


def _shot(roll: Callable[[], int]) -> int:
    """A shot with -1 DICE at Standard Armour: the index of the result."""
    kept = sum(sorted(roll() for _ in range(3))[:2])
    if kept < 7:
        return 0
    dice = sorted(roll() for _ in range(3 if kept == 12 else 2))
    total = sum(dice[-2:]) - 1
    return 1 + (total > 1) + (total > 6) + (total > 8)


#: What the registry finds.
SYSTEM = TrenchCrusade()
