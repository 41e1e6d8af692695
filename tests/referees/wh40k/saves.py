"""Saves, Damage and Feel No Pain, in every edition.

Decisions, with the rule each rests on (10th-edition core rules unless another source is named):

* Saves: AP and cover change the armour roll, bonuses to saving throws the invulnerable save too. In the 10th edition
  the net modifier is +1 at most, and cover is nothing for a Save of 3+ or better against AP 0 (Benefit of Cover).
* Damage: halving, then MELTA, then reductions; fractions up, once, at the end; 1 at least, unless it was changed to 0
  (Rules Commentary, Modifiers; Core Rules Updates). In the 11th edition MELTA is added before the halving (02.02.01).
* A damage re-roll looks at what the dice show before the printed bonus, several dice together (Re-rolls).
* Feel No Pain: one die a wound, until the model dies; the best one that applies.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from plain_dice import Pmf, certainly, faces_rerolled, then
from referees.wh40k.dice import NONE, Held, die, is_indirect, kept, number

if TYPE_CHECKING:
    from referees.wh40k.profiles import Kind, Rules, Volley


def final_ap(volley: Volley, ap: int, rules: Rules) -> int:
    """AP with all that changes it, which is never worse than 0."""
    plunging = volley.plunging_fire and not volley.melee and rules.edition == "10e"
    return min(0, ap - plunging)


def needed_to_save(volley: Volley, kind: Kind, ap: int, rules: Rules) -> int:
    """The lowest face that saves; 7 if none does."""
    bonus = sum(volley.save_modifier)
    side = "melee" if volley.melee else "ranged"
    shields = [kind.invulnerable if kind.invulnerable_against in (None, side) else None]
    tenth = rules.edition == "10e"
    if tenth and volley.go_to_ground and not volley.melee:
        shields.append(6)
    armour = bonus + cover(volley, kind, ap, rules) + ap
    if tenth and set(damage(volley, kind, rules)) == {1}:
        armour += kind.damage_1_save_bonus
    needs = [need - (min(1, bonus) if tenth else bonus) for need in shields if need is not None]
    if kind.save is not None:
        needs.append(kind.save - (min(1, armour) if tenth else armour))
    return max(2, min([7, *needs]))


def cover(volley: Volley, kind: Kind, ap: int, rules: Rules) -> int:
    """What cover adds to the armour save."""
    if volley.ignores_cover or rules.edition == "11e":
        return 0
    if rules.edition == "9e":
        heavy = "heavy" in volley.terrain and not volley.target_charged
        return int(heavy if volley.melee else "light" in volley.terrain)
    has = volley.cover or volley.smokescreen or volley.go_to_ground or is_indirect(volley)
    good = kind.save is not None and kind.save <= 3 and ap == 0
    return int(has and not volley.melee and not good)


def save(
    volley: Volley, kind: Kind, ap: int, rules: Rules, held: Held = NONE, flag: str | None = None
) -> Pmf:
    """(whether it is made, re-rolls held), at a final AP."""
    need = needed_to_save(volley, kind, ap, rules)

    def judge(face: int) -> str:
        return "success" if face >= need else "fail"

    rolled = die(judge, faces_rerolled(volley.reroll_saves, judge), held, flag)
    return then(rolled, lambda after: certainly((after[0] >= need, after[1])))


def modified_damage(
    volley: Volley, kind: Kind, shown: int, rules: Rules, *, to_0: bool = False, reduced: bool = True
) -> int:
    """What becomes of damage dice that show so much."""
    points = Fraction(0 if to_0 else shown + volley.damage.plus)
    melta = volley.melta * volley.half_range
    if rules.edition == "11e":
        points += melta
    if "damage" not in volley.ignored and reduced:
        points /= (2 if kind.half_damage else 1) * (2 if volley.damage_halved else 1)
        points -= kind.damage_reduction
    points += kept(volley.damage_change, volley, "damage")
    if rules.edition != "11e":
        points += melta
    return max(0 if to_0 else 1, -(-points.numerator // points.denominator))


def damage_roll(
    volley: Volley,
    kind: Kind,
    rules: Rules,
    held: Held = NONE,
    flag: str | None = None,
    *,
    reduced: bool = True,
) -> Pmf:
    """(Damage of one attack before Feel No Pain, re-rolls held)."""
    dice = volley.damage

    def modified(rolled: tuple[int, Held]) -> Pmf:
        return certainly((modified_damage(volley, kind, rolled[0], rules, reduced=reduced), rolled[1]))

    rolled = number(dice, held, flag if dice.number else None)
    if volley.reroll_damage is not None and dice.number:
        again = {1} if volley.reroll_damage == "ones" else volley.reroll_damage
        rolled = then(rolled, lambda one: number(dice, held) if one[0] in again else certainly(one))
    return then(rolled, modified)


@cache
def damage(volley: Volley, kind: Kind, rules: Rules, *, reduced: bool = True) -> Pmf:
    """Damage of one attack before Feel No Pain."""
    rolled = damage_roll(volley, kind, rules, reduced=reduced)
    return then(rolled, lambda one: certainly(one[0]))


def feel_no_pain(kind: Kind, *, mortal: bool, psychic: bool = False) -> int:
    """The lowest face that ignores a wound; 7 if none does."""
    usable = [
        kind.feel_no_pain,
        kind.feel_no_pain_mortal if mortal else None,
        kind.feel_no_pain_psychic if psychic else None,
    ]
    return min((need for need in usable if need is not None), default=7)


@cache
def suffer(points: int, left: int | None, need: int) -> Pmf:
    """Wounds lost by a model with so many left (None: no end of them), point by point until it is dead."""
    distribution = certainly(0)
    ignores = Fraction(7 - need, 6)
    for _ in range(points):
        distribution = then(
            distribution,
            lambda lost: certainly(lost) if lost == left else {lost + 1: 1 - ignores, lost: ignores},
        )
    return {lost: chance for lost, chance in distribution.items() if chance}
