"""The attack sequence of Age of Sigmar: one weapon, roll by roll against a target."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from mathhammer.distributions.integer_distribution import (
    GeneratingFunction,
    IntegerDistribution,
    number_passing,
)
from mathhammer.errors import MathhammerError
from mathhammer.expressions import dice
from mathhammer.expressions.base import as_expression
from mathhammer.expressions.check import Check
from mathhammer.sequence.attack_distribution import AttackDistribution, roll, saving_throw
from mathhammer.sequence.result import damage_parts
from mathhammer.sequence.volley import AttackNumber, measures
from mathhammer.systems.aos.situation import modifiers_of, signed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.distributions import Distribution
    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Reroll
    from mathhammer.sequence.result import Counts
    from mathhammer.systems.aos.profiles import Target, Weapon
    from mathhammer.systems.aos.situation import Edition, Situation

    Rules = tuple[Edition, Mapping[str, str]]

#: What no die reaches; and the most that the modifiers of a roll come to (Core Rules, 17.1).
_NEVER, _CAP = 99, 1
_NOTHING = AttackDistribution.of(GeneratingFunction.one(1))
_ONE = AttackDistribution.of(GeneratingFunction.unit(0, 1))
_D3 = IntegerDistribution.of_dice(1, 3)


class Wards:
    """The ward rolls of a target, one for each point (Core Rules, 18.1)."""

    def __init__(self, target: Target, situation: Situation, rulings: Mapping[str, str]) -> None:
        wards = [each for each in (target.ward, situation.ward) if each is not None and not situation.no_ward]
        self.modifiers = situation.ward_modifier
        self.check = Check(
            min(wards, default=_NEVER),
            sum(map(signed, self.modifiers)),
            fails_up_to=1 if rulings["ward_of_one"] == "fails" else 0,
            reroll=situation.reroll_wards,
        )
        #: The chance of a point that no ward roll removes, out of 36.
        self.left = self.check.weights()[0]

    def of_points(self, number: int) -> Distribution:
        """Distribution of what is left of a number of points."""
        return self.thinned(IntegerDistribution(number, (1,), 1)).distribution()

    def thinned(self, points: IntegerDistribution) -> IntegerDistribution:
        """Return how many of some points are left."""
        weights = [0] * points.low + list(points.weights)
        passing, denominator = number_passing(weights, points.denominator, self.left, 36)
        return IntegerDistribution(0, tuple(passing), denominator)


class MortalDamage:
    """Points that no attack inflicts, straight into the pool (Core Rules, 17.2)."""

    own: ClassVar[frozenset[str]] = frozenset()
    number = AttackNumber(as_expression(1))
    #: It counts among no attacks.
    attacks_each = _NOTHING

    def __init__(self, points: Expression, wards: Wards) -> None:
        self.points, self.wards = points, wards

    def hits(self) -> AttackDistribution:
        """No attack hits."""
        return _NOTHING

    wounds = unsaved = hits

    def damage(self, *, warded: bool = True) -> Counts:
        """Points after wards or before."""
        points = IntegerDistribution.from_distribution(self.points.compute())
        return damage_parts(_ONE, [self.wards.thinned(points) if warded else points])


class Stages:
    """A weapon compiled against a target: a volley in the words of the sequence."""

    own: ClassVar[frozenset[str]] = frozenset()

    def __init__(
        self, weapon: Weapon, target: Target, at: Situation, rules: Rules, *, fury: bool = False
    ) -> None:
        edition, self.rulings = rules
        self.weapon, self.target, self.situation = weapon, target, at
        #: Whether its attacks are rage dice.
        self.fury = fury
        if at.in_combat and weapon.range is not None and not weapon.has("Shoot in Combat"):
            raise MathhammerError(
                f"expected weapons with Shoot in Combat of attackers in combat, got {weapon.name!r}; leave it out"
            )
        names = ("attacks", "hit", "wound", "rend", "save", "damage")
        self.modifiers = {name: modifiers_of(name, at, weapon, target, edition) for name in names}
        # Gifts of friends to a Companion weapon (General's Handbook 2025-26, FAQ of 2025-12-17).
        takes = edition.companion_takes_gifts and self.rulings["companion_gifts"] == "yes"
        self.gifted = takes or not weapon.has("Companion")
        self.rend = max(0, weapon.rend + self._sum("rend"))
        given = at.crit if self.gifted else None
        chosen = (weapon.crit, given) if self.rulings["two_crits"] == "both" else (given or weapon.crit,)
        #: What critical hits do; none of rage dice does anything (General's Handbook 2026-27).
        self.crits = set() if fury else {each for each in chosen if each}
        self.criticals_on = at.critical_hits_on or 6 if self.gifted else 6
        must = self.rulings["critical_hits_always_hit"] == "no"
        criticals = () if fury else ((self.criticals_on, must),)
        self.hit = self._check("hit", weapon.hit, at.reroll_hits, criticals)
        self.wound = self._check("wound", weapon.wound, at.reroll_wounds)
        self.save = self._save()
        self.wards = Wards(target, at, self.rulings)
        self.number = AttackNumber(self._attacks())

    def _sum(self, name: str) -> int:
        return sum(map(signed, self.modifiers[name]))

    def _check(
        self, name: str, need: int | None, reroll: Reroll, criticals: tuple[tuple[int, bool], ...] = ()
    ) -> Check:
        modifier = max(-_CAP, min(_CAP, self._sum(name)))
        return Check(need or _NEVER, modifier, 1, 7, criticals, reroll if self.gifted else None)

    def _save(self) -> Check:
        """Rend is one of the modifiers, whose sum is at most +1 and as low as it comes (Core Rules, 17.1)."""
        kept = {"all": (0, 0), "negative": (0, _NEVER), "positive": (-_NEVER, 0), None: (-_NEVER, _NEVER)}
        low, high = kept[self.situation.ignores_save_modifiers]
        given = (-self.rend, *map(signed, self.modifiers["save"]))
        rend, *others = (max(low, min(high, each)) for each in given)
        inside = self.rulings["rend_in_save_cap"] == "yes"
        total = min(_CAP, rend + sum(others)) if inside else min(_CAP, sum(others)) + rend
        return Check(self.target.save or _NEVER, total, reroll=self.situation.reroll_saves)

    def _attacks(self) -> Expression:
        """Return the number of attacks: random Attacks are rolled for each model (Core Rules, 26)."""
        weapon, more = self.weapon, self._sum("attacks")
        own = weapon.battle_damaged if self.situation.battle_damaged else None
        each = weapon.attacks if own is None else as_expression(own)
        if more:
            each = dice(f"max({each}{more:+d}, 1)") if each.bounds()[0] + more < 1 else each + more
        low, high = each.bounds()
        if low == high:
            return as_expression(low * weapon.models + weapon.champion)
        every = each if weapon.models == 1 else weapon.models @ each
        return every + 1 if weapon.champion else every

    def points(self, hits: int = 1) -> IntegerDistribution:
        """Return the Damage of some hits that share a roll, before wards."""
        more, most = self._sum("damage"), self.situation.maximum_damage or _NEVER * 100
        rolled = self.weapon.damage.compute().map(lambda value: hits * min(most, max(1, value + more)))
        return IntegerDistribution.from_distribution(rolled)

    def _then(
        self, each: AttackDistribution, by_itself: AttackDistribution, mortal: AttackDistribution
    ) -> AttackDistribution:
        """Return what an attack leads to, by what a hit does, one that wounds by itself, and mortal damage."""
        crit = mortal if "Mortal" in self.crits else by_itself if "Auto-wound" in self.crits else each
        twice = crit * crit if "2 Hits" in self.crits else crit
        nothing = AttackDistribution.of(GeneratingFunction.one(each.plain.width))
        return roll(self.hit, {"fail": nothing, "success": each, "critical": twice})

    def _wounded(self, after: AttackDistribution) -> AttackDistribution:
        nothing = AttackDistribution.of(GeneratingFunction.one(after.plain.width))
        return roll(self.wound, {"fail": nothing, "success": after, "critical": after})

    def _unsaved(self, one: AttackDistribution) -> AttackDistribution:
        saved = saving_throw(self.save.weights()[0], one)
        return self._then(self._wounded(saved), saved, one)

    def hits(self) -> AttackDistribution:
        """Hits of one attack."""
        return self._then(_ONE, _ONE, _ONE)

    def wounds(self) -> AttackDistribution:
        """Wounds of one attack, before saves; mortal damage is none."""
        return self._then(self._wounded(_ONE), _ONE, _NOTHING)

    def unsaved(self) -> AttackDistribution:
        """Hits of one attack that inflict their Damage: failed saves, and mortal damage."""
        return self._unsaved(_ONE)

    def damage(self, *, warded: bool = True) -> Counts:
        """Points of one attack after wards or before."""
        if self.fury:
            return measures(self.erupting().marginal(0))
        once, each = self.unsaved(), self.points()
        damages = [each]
        if "2 Hits" in self.crits and self.rulings["two_hits_damage"] == "one-roll":
            # Two unsaved hits of one attack are one thing, of twice the Damage that is rolled.
            counts = once.plain.coefficients.items()
            paired: dict[tuple[int, ...], int] = {(int(n == 1), int(n == 2)): ways for (n,), ways in counts}
            once = AttackDistribution.of(GeneratingFunction(paired, once.plain.denominator))
            damages.append(self.points(2))
        return damage_parts(once, [self.wards.thinned(points) if warded else points for points in damages])

    def erupting(self) -> AttackDistribution:
        """Points of one rage die on the target after wards, and on its user (General's Handbook 2026-27).

        An unmodified 6 inflicts D3 mortal damage too, an unmodified 1 allocates D3 points to the user without wards.
        """

        def points(number: IntegerDistribution, place: int) -> AttackDistribution:
            return AttackDistribution.of(GeneratingFunction.of_number(number, place, 2))

        nothing = AttackDistribution.of(GeneratingFunction.one(2))
        saved = saving_throw(self.save.weights()[0], points(self.wards.thinned(self.points()), 0))
        after = {"fail": nothing, "success": self._wounded(saved)}
        faces = [after[outcome] for outcome in self.hit.outcomes()]
        faces[0], faces[5] = points(_D3, 1), faces[5] * points(self.wards.thinned(_D3), 0)
        return roll(self.hit, faces)
