"""From profiles and a situation to the dice and modifiers of one attack, each with its source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mathhammer.modifiers import Modifier
from mathhammer.systems.trench_crusade.pools import values
from mathhammer.systems.trench_crusade.profiles import ARMOUR
from mathhammer.systems.trench_crusade.rolls import capped, dice_kept

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.sequence import Rulings
    from mathhammer.systems.trench_crusade.profiles import Attacker, Target
    from mathhammer.systems.trench_crusade.situation import Attack

__all__ = ["Stage"]


def _when(condition: bool, value: int, source: str) -> tuple[Modifier, ...]:  # noqa: FBT001
    return (Modifier("add", value, source),) if condition and value else ()


@dataclass(frozen=True)
class Stage:
    """One attack of one attacker on the target.

    Parameters
    ----------
    label
        How the plan and the explanation name it.
    attack, attacker, target
        The profiles and the situation.
    activation
        Number of the Activation; the attacks of one Activation end together.
    player_place
        Place of the attacker among those with markers of their own.
    starts
        Whether the attacker activates with this attack.
    fireteam
        Whether the attacker is of the Fireteam.
    edition, rulings
        The rules in force.
    """

    label: str
    attack: Attack
    attacker: Attacker
    target: Target
    activation: int
    player_place: int
    starts: bool
    fireteam: bool
    edition: str
    rulings: Rulings

    @property
    def automatic(self) -> bool:
        """Whether it hits without a Success Roll."""
        return self.attack.has("FLAMETHROWER") and not self.attack.on_failure

    @property
    def risky(self) -> bool:
        """Whether its Success Roll is Risky."""
        return self.attack.has("RISKY") or self.attack.shaken

    @property
    def fumbles(self) -> bool:
        """Whether a Success Roll of 2 or less hits the attacker."""
        return self.edition == "beta_2026_04" and self.attack.has("FUMBLE")

    @property
    def deadly(self) -> bool:
        """Whether its weapon has DEADLY."""
        return self.attack.has("DEADLY")

    @cached_property
    def extra_markers(self) -> int:
        """Blood Markers that follow any Injury Roll of it."""
        found = sum(
            self.attack.has(name) and not self.target.negates(name) for name in ("FIRE", "GAS", "SHRAPNEL")
        )
        return min(found, 1) if self.rulings["extra_markers"] == "one" else found

    @cached_property
    def success_dice(self) -> tuple[Modifier, ...]:
        """DICE of its Success Roll before markers.

        References
        ----------
        Trench Crusade rules 1.0.2, Ranged Attacks; Melee Attacks; Down.
        """
        attack = self.attack
        if attack.on_failure:
            down = _when(self.target.down, -1, "the model is Down")
            return (*down, *attack.dice)  # type: ignore[misc]
        weapon_dice = attack.weapon.dice_off_hand if attack.off_hand else attack.weapon.dice
        return (
            *(self._melee_dice() if attack.melee else self._ranged_dice()),
            *_when(True, weapon_dice, attack.weapon.name),  # noqa: FBT003
            *_when(self.attacker.down, -1, "the attacker is Down"),
            *attack.dice,  # type: ignore[misc]
        )

    def _ranged_dice(self) -> Iterator[Modifier]:
        attack = self.attack
        yield from _when(True, self.attacker.ranged, "Ranged Characteristic")  # noqa: FBT003
        yield from _when(attack.cover and not attack.has("IGNORE COVER"), -1, "Cover")
        far = attack.long_range and not attack.has("IGNORE LONG RANGE")
        yield from _when(far and not attack.has("SHOTGUN"), -1, "Long Range")
        yield from _when(attack.elevated, +1, "Elevated")

    def _melee_dice(self) -> Iterator[Modifier]:
        attack, attacker = self.attack, self.attacker
        either = max(attacker.melee, attacker.ranged)
        characteristic = either if attack.has("PISTOL") else attacker.melee
        name = "Ranged" if characteristic != attacker.melee else "Melee"
        yield from _when(True, characteristic, f"{name} Characteristic")  # noqa: FBT003
        yield from _when(attack.cover, -1, "Defended Obstacle")
        yield from _when(attack.off_hand, -1, "Off-Hand Weapon")
        yield from _when(self._afraid(), -1, "FEAR")
        yield from _when(attack.charged and self.target.has("BLOCK"), -1, "BLOCK")
        yield from _when(attack.diving, +1, "Diving Charge")

    def _afraid(self) -> bool:
        """Whether the target's FEAR works on the attacker."""
        if not self.target.has("FEAR") or self.attacker.has("NEGATE FEAR") or self.attacker.has("GOLEM"):
            return False
        return not self.attacker.has("FEAR") or self.rulings["fear_against_fear"] == "penalty"

    def ignores_armour(self, *, critical: bool, down: bool) -> bool:
        """Whether the Injury Roll ignores armour."""
        has = self.attack.has
        return (
            has("IGNORE ARMOUR")
            or (critical and has("IGNORE ARMOUR ON CRITICAL"))
            or (down and has("IGNORE ARMOUR ON DOWN"))
        )

    def injury_dice(self, *, critical: bool, down: bool) -> tuple[Modifier, ...]:
        """INJURY DICE before markers.

        Parameters
        ----------
        critical
            Whether the Success Roll was a critical success.
        down
            Whether the target is Down before the roll.

        References
        ----------
        Trench Crusade rules 1.0.2, Injuries; Keywords, CRITICAL, SHOTGUN, IGNORE ARMOUR, IMPERVIOUS.
        """
        attack, target = self.attack, self.target
        far = attack.long_range and attack.has("SHOTGUN") and not attack.has("IGNORE LONG RANGE")
        bonus = 1
        if attack.has("CRITICAL"):
            bonus = 2 if self.rulings["critical_keyword"] == "replaces" else 3
        ignored = self.ignores_armour(critical=critical, down=down)
        hard = "armour" in target.impervious and self.rulings["impervious_dice"] == "kept"
        return (
            *_when(True, attack.weapon.injury_dice, attack.weapon.name),  # noqa: FBT003
            *attack.injury_dice,  # type: ignore[misc]
            *_when(far, -1, "Long Range with SHOTGUN"),
            *_when(critical, bonus, "critical success"),
            *_when(down and (attack.melee or self.rulings["down_bonus"] == "all"), +1, "the target is Down"),
            *_when(not ignored or hard, target.armour_dice, "armour"),
            *self._of_abilities(target.injury_dice, ignored=ignored),
        )

    def injury_modifiers(self, *, critical: bool, down: bool) -> tuple[Modifier, ...]:
        """INJURY MODIFIERS that count, before the cap.

        References
        ----------
        Trench Crusade rules 1.0.2, Armour; Keywords, ARMOUR PIERCING, IGNORE ARMOUR, IMPERVIOUS.
        """
        attack = self.attack
        ignored = self.ignores_armour(critical=critical, down=down)
        return (
            *self._armour(ignored=ignored),
            *self._of_abilities(self.target.injury_modifier, ignored=ignored),
            *_when(True, attack.weapon.injury_modifier, attack.weapon.name),  # noqa: FBT003
            *attack.injury_modifier,  # type: ignore[misc]
        )

    def _armour(self, *, ignored: bool) -> tuple[Modifier, ...]:
        target = self.target
        items = (
            ("characteristic", target.characteristic, "Armour Characteristic"),
            ("armour", ARMOUR[target.armour], f"{target.armour.title()} Armour"),
            ("shield", -1 if target.shield else 0, "Trench Shield"),
        )
        hard = [item for item in items if item[1] and item[0] in target.impervious]
        soft = [item for item in items if item[1] and item[0] not in target.impervious]
        if ignored:
            soft = []
        pierced = soft or (hard if self.rulings["armour_piercing_and_impervious"] == "all-items" else [])
        found = [Modifier("add", value, source) for _, value, source in hard + soft]
        if not pierced or not self.attack.has("ARMOUR PIERCING"):
            return tuple(found)
        if self.rulings["armour_piercing_and_cap"] == "after-cap":
            return (*found, Modifier("add", 1, "ARMOUR PIERCING"))
        # One better before the cap: taken off one of the items, so that the cap never sees it as a bonus.
        place = [source for _, _, source in hard + soft].index(pierced[0][2])
        first = found.pop(place)
        better = _when(True, first.value + 1, f"{first.source}, ARMOUR PIERCING")  # noqa: FBT003
        return (*better, *found)

    def _of_abilities(self, given: tuple[Modifier, ...], *, ignored: bool) -> tuple[Modifier, ...]:
        if ignored and self.rulings["ignore_armour_and_abilities"] == "abilities-too":
            return tuple(m for m, value in zip(given, values(given), strict=True) if value > 0)
        return given

    def modifier(self, *, critical: bool, down: bool) -> int:
        """Return what is added to the Injury Roll."""
        return capped(self.injury_modifiers(critical=critical, down=down), self.rulings["modifier_cap"])

    def keep(self, *, bloodbath: bool) -> int:
        """How many dice of the Injury Roll count."""
        return dice_kept(deadly=self.deadly, bloodbath=bloodbath, ruling=self.rulings["deadly"])
