"""Age of Sigmar played at the table: every die of an attack is rolled to each of its faces, with exact fractions.

Nothing here comes from the package. One attack is played die by die, then each point is warded by a die of its own;
attacks are independent, so their counts are added by plain convolution, and the unit is looked at last.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from t9a_enumeration import Roll, added, enumerated

Counts = tuple[int, int, int, int]  # hits, wounds, hits that inflict their Damage, points
Law = dict[Any, Fraction]


@dataclass(frozen=True)
class Attack:
    """One attack, and the unit that it strikes."""

    hit: int = 4
    wound: int = 4
    rend: int = 0
    damage: str = "1"
    crit: str = ""
    given_crit: str = ""
    crit_on: int = 6
    companion: bool = False
    anti: bool = False
    charge: bool = False
    all_out_attack: bool = False
    cover: bool = False
    hit_modifier: int = 0
    wound_modifier: int = 0
    rend_modifier: int = 0
    damage_modifier: int = 0
    save_modifier: int = 0
    exposed: bool = False  # the target has used All-out Attack
    ward_modifier: int = 0
    save: int | None = 4
    ward: int | None = None
    ignores: str = ""
    maximum_damage: int = 99
    reroll_hits: str | None = None
    reroll_wounds: str | None = None
    reroll_saves: str | None = None
    reroll_wards: str | None = None

    def given(self, modifier: int) -> int:
        """Bonuses of friends pass a Companion weapon by."""
        return min(0, modifier) if self.companion else modifier


def thrown(roll: Roll, judged: Any, reroll: str | None) -> str:
    """A die, re-rolled once where that is allowed."""
    face = roll()
    again = {"ones": face == 1, "failed": judged(face) == "fail", "non-critical": judged(face) != "critical"}
    return str(judged(roll() if reroll and again[reroll] else face))


def distribution_of(attack: Attack) -> Law:
    """The distribution of one attack: its hit roll, then each of its hits, which are independent."""
    after: Law = defaultdict(Fraction)
    hit = enumerated(lambda roll: one_hit(attack, roll, needs_wound=True))
    by_itself = enumerated(lambda roll: one_hit(attack, roll, needs_wound=False))
    mortal = enumerated(lambda roll: (1, 0, 1, points(attack, roll)))
    crit = attack.given_crit or attack.crit
    for result, chance in enumerated(lambda roll: to_hit(attack, roll)).items():
        parts: list[Any] = [hit]
        if result == "fail":
            parts = []
        elif result == "critical" and crit == "2 Hits":
            parts = [hit, hit]
        elif result == "critical" and crit == "Auto-wound":
            parts = [by_itself]
        elif result == "critical" and crit == "Mortal":
            parts = [mortal]
        for counts, probability in added(parts).items():
            after[counts] += chance * probability
    return warded(attack, after)


def to_hit(attack: Attack, roll: Roll) -> str:
    given = attack.given(attack.hit_modifier) + attack.all_out_attack - attack.cover
    modifier = max(-1, min(1, given))

    def judged(face: int) -> str:
        if face == 1:
            return "fail"
        if face >= attack.crit_on:
            return "critical"
        return "success" if face + modifier >= attack.hit else "fail"

    return thrown(roll, judged, attack.reroll_hits)


def one_hit(attack: Attack, roll: Roll, *, needs_wound: bool) -> Counts:
    modifier = max(-1, min(1, attack.given(attack.wound_modifier)))

    def wounds(face: int) -> str:
        return "success" if face != 1 and face + modifier >= attack.wound else "fail"

    if needs_wound and thrown(roll, wounds, attack.reroll_wounds) == "fail":
        return 1, 0, 0, 0
    rend = max(0, attack.rend + attack.anti + attack.given(attack.rend_modifier))
    parts = [-rend, attack.save_modifier, -attack.exposed]
    if attack.ignores:
        kept = {"all": [], "negative": [p for p in parts if p > 0], "positive": [p for p in parts if p < 0]}
        parts = kept[attack.ignores]
    total = min(1, sum(parts))

    def saves(face: int) -> str:
        return "success" if attack.save and face != 1 and face + total >= attack.save else "fail"

    if thrown(roll, saves, attack.reroll_saves) == "success":
        return 1, 1, 0, 0
    return 1, 1, 1, points(attack, roll)


def points(attack: Attack, roll: Roll) -> int:
    dice, _, plus = attack.damage.partition("+")
    number = {"D3": lambda: (roll() + 1) // 2, "D6": roll}.get(dice, lambda: int(dice))()
    total = number + int(plus or 0) + attack.charge + attack.given(attack.damage_modifier)
    return min(attack.maximum_damage, max(1, total))


def warded(attack: Attack, law: Law) -> Law:
    """One ward roll for each point."""

    def wards(face: int) -> str:
        held = attack.ward is not None and face + attack.ward_modifier >= attack.ward
        return "success" if held else "fail"

    one = enumerated(lambda roll: thrown(roll, wards, attack.reroll_wards))
    left = one.get("fail", Fraction())
    found: Law = defaultdict(Fraction)
    for (*counts, number), chance in law.items():
        kept: Law = {0: Fraction(1)}
        for _ in range(number):
            longer: Law = defaultdict(Fraction)
            for stay, p in kept.items():
                longer[stay + 1] += p * left
                longer[stay] += p * (1 - left)
            kept = longer
        for stay, p in kept.items():
            found[*counts, stay] += chance * p
    return {counts: chance for counts, chance in found.items() if chance}


def several(one: Law, models: int, attacks: str, *, champion: bool) -> Law:
    """All attacks: random Attacks are rolled for each model, and a champion has one more."""
    total: Law = {(0, 0, 0, 0): Fraction(1)}
    numbers = {"D3": range(1, 4), "D6": range(1, 7)}.get(attacks) or [int(attacks)]
    each: Law = defaultdict(Fraction)
    for number in numbers:
        for counts, chance in added([one] * number).items():
            each[counts] += chance / len(numbers)
    for _ in range(models):
        total = added([total, dict(each)])
    return added([total, one]) if champion else total


def fought(strikes: list[tuple[int, Any]], units: list[tuple[int, int]]) -> Law:
    """Two units of models and Health that strike in turn, each with a law of points for each number of models left."""
    law: Law = {(0, 0): Fraction(1)}
    for striker, points_of in strikes:
        later: Law = defaultdict(Fraction)
        for lost, chance in law.items():
            models, health = units[striker]
            left = models - lost[striker] // health
            enemy = 1 - striker
            most = units[enemy][0] * units[enemy][1]
            for hurt, p in points_of(left).items():
                after = list(lost)
                after[enemy] = min(most, after[enemy] + hurt)
                later[tuple(after)] += chance * p
        law = later
    return dict(law)
