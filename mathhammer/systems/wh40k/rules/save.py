"""The saving throw, and the rules that change it: armour under Armour Penetration, invulnerable under none."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.expressions.check import Check
from mathhammer.modifiers import Modifier, clamped_total
from mathhammer.systems.wh40k.rules.circumstances import (
    MODIFIERS,
    Covered,
    gives_cover,
    rerolls,
    roll_modifier,
    says_one_die,
)
from mathhammer.systems.wh40k.rules.roll import KEPT, Roll, sets
from mathhammer.systems.wh40k.rules.rule import ActiveRule, Condition, Rules, TargetRule, Whole

if TYPE_CHECKING:
    from mathhammer.characteristics import Characteristic
    from mathhammer.expressions.check import Reroll
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Weapon
    from mathhammer.systems.wh40k.rules.damage import Damage


class Save(NamedTuple):
    """One saving throw that the defender may choose, with the weight of its failure out of 36."""

    name: str
    characteristic: int
    check: Check
    modifiers: tuple[Modifier, ...]
    unsaved: int
    notes: tuple[str, ...] = ()


class Saves(NamedTuple):
    """The saving throws to choose from; the defender uses the likeliest, and the armour where both are alike."""

    choices: tuple[Save, ...]
    best: Save | None
    modified_characteristics: tuple[Characteristic, ...]
    reroll: Reroll = None

    @property
    def unsaved(self) -> int:
        """Weight of a failed save, out of 36."""
        return 36 if self.best is None else self.best.unsaved


@dataclass(slots=True, kw_only=True)
class _Saving(Covered):
    invulnerable: tuple[tuple[int, str | None], ...]
    #: Modifiers of the armour save alone, and of the Armour Penetration whatever is ignored.
    armour: list[Modifier] = field(default_factory=list)
    further: tuple[Modifier, ...] = ()

    roll = "save"


@lru_cache(maxsize=KEPT)
def save_roll(
    ap: int,
    melee: bool,  # noqa: FBT001 - a fact of the weapon
    rules: Rules,
    save: int | None,
    invulnerable: tuple[tuple[int, str | None], ...],
    of_target: Rules,
    edition: Edition,
) -> Saves:
    """Return the saving throws of a target."""
    roll = _Saving(edition, melee=melee, invulnerable=invulnerable)
    roll.apply(rules)
    roll.apply(of_target)
    printed = save, ap
    save = roll.characteristic("save", _set(roll, "save") if save is None else save)
    given = _set(roll, "invulnerable")
    if given is not None and all(against for _, against in roll.invulnerable):
        roll.invulnerable = (*roll.invulnerable, (given, None))
    invulnerable = tuple(
        (roll.characteristic("invulnerable", need), kind) for need, kind in roll.invulnerable
    )
    choices = []
    ap = roll.characteristic("ap", ap, roll.further)
    if save is not None:
        choices.append(_armour(roll, save, ap, (printed[0] or 7, printed[1])))
    cap = 99 if edition.save_cap is None else edition.save_cap
    modifiers = [*roll.modifiers, *roll.armour] if edition.armour_bonus_on_the_die else roll.modifiers
    for need, against in invulnerable:
        if against is None or (against == "melee") == melee:
            bonus = clamped_total(modifiers, -99, cap) if modifiers else 0
            check = Check(need=need, modifier=bonus, reroll=roll.reroll)
            choices.append(Save("invulnerable", need, check, tuple(modifiers), check.weights()[0]))
    best = min(choices, key=attrgetter("unsaved"), default=None)
    return Saves(tuple(choices), best, tuple(roll.modified_characteristics), roll.reroll)


SAVE = Roll(
    "save",
    lambda weapon, _: (weapon.ap, weapon.melee),
    lambda target: (target.save, target.invulnerable),
    save_roll,
)


def _set(roll: _Saving, name: str) -> int | None:
    """Return what a rule sets, whatever the characteristic was: a model without one has it too."""
    setting = (
        m.value for m in roll.characteristics if m.of == name and m.operation == "set" and m.when is None
    )
    return next(setting, None)


def _armour(roll: _Saving, save: int, ap: int, printed: tuple[int, int]) -> Save:
    """Return the armour save under Armour Penetration and cover."""
    edition = roll.edition
    cap = 99 if edition.save_cap is None else edition.save_cap
    cover = roll.cover("save", (save, printed[0]), (ap, printed[1]))
    modifiers = [*roll.modifiers, *roll.armour, *cover]
    bonus = clamped_total(modifiers, -99, 99) if modifiers else 0
    net = min(bonus, cap) + ap if edition.caps_bonuses else min(bonus + ap, cap)
    if ap:
        modifiers.append(_of_ap(ap))
    check = Check(need=save, modifier=net, reroll=roll.reroll)
    return Save("armour", save, check, tuple(modifiers), check.weights()[0], roll.why_no_cover(cover))


@lru_cache(maxsize=64)
def _of_ap(ap: int) -> Modifier:
    return Modifier("add", ap, f"AP{ap:+d}")


def under(modifiers: tuple[Modifier, ...]) -> ActiveRule[tuple[Modifier, ...]]:
    """Return what a trigger does to the Armour Penetration, as a rule in force."""
    return ActiveRule(_TRIGGERED, modifiers)


_TRIGGERED = replace(MODIFIERS, save=sets("further"))


# Conditions, and rules of the target --------------------------------------------------------------------------


SAVE_MODIFIER = roll_modifier("save", "saving throws", "Saving Throws")
REROLL_SAVES = rerolls(
    "saves", "save", ("one", "ones", "failed", "failed-unmodified"), says_one_die("saving throw")
)


def go_to_ground(invulnerable: int) -> Condition:
    """Return Go to Ground: cover and an invulnerable save."""

    def save(roll: _Saving, each: ActiveRule[object]) -> None:
        gives_cover(roll, each)
        roll.invulnerable = (*roll.invulnerable, (invulnerable, None))

    return Condition(
        "go_to_ground",
        source="10th edition core stratagems, Go to Ground",
        group="Situation of the target",
        help=f"Go to Ground: cover and a {invulnerable}+ invulnerable save.",
        against="ranged",
        save=save,
    )


def improve_ap(roll: _Saving, _: ActiveRule[object]) -> None:
    """Improve Armour Penetration by 1: Plunging Fire."""
    roll.characteristics += (Modifier("improve", 1, "Plunging Fire", of="ap"),)


def damage_1_save_bonus(*, printed: bool = False) -> TargetRule:
    """Return the rule that adds to armour saves against Damage 1: the modified Damage, or the printed one."""

    def save(roll: _Saving, each: ActiveRule[int]) -> None:
        roll.armour.append(Modifier("add", each.value, "against Damage 1"))

    def is_1(weapon: Weapon, damage: Damage) -> bool:
        if printed:
            return weapon.damage.bounds() == (1, 1)
        return damage.characteristic.low == 1 and len(damage.characteristic.weights) == 1

    return TargetRule(
        "damage_1_save_bonus",
        source="datasheets; Rules Commentary, Against: tested when the attack is allocated",
        help="Added to armour saves against Damage 1",
        short="Sv against D1",
        value=Whole(most=2),
        save=save,
        reads_damage=is_1,
    )
