"""The rules of Age of Sigmar: disputed points, situations, what changes rolls, and one weapon roll by roll."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from flint import fmpq

from mathhammer.display import Catalogue
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.integer_distribution import (
    GeneratingFunction,
    IntegerDistribution,
    number_passing,
)
from mathhammer.errors import MathhammerError
from mathhammer.expressions import dice
from mathhammer.expressions.base import as_expression
from mathhammer.expressions.check import Check
from mathhammer.fields.kinds import Additions, Amount, Boolean, Checked, Enough, Integer, MaybeInteger, OneOf
from mathhammer.fields.profile import Record
from mathhammer.modifiers import Modifier
from mathhammer.sequence.attack_distribution import AttackDistribution, roll, saving_throw
from mathhammer.sequence.result import damage_parts
from mathhammer.sequence.rulings import Ruling, Rulings, rulings_in_force
from mathhammer.sequence.volley import AttackNumber, measures
from mathhammer.systems.aos.profiles import ANTI, CHARGE, CRIT
from mathhammer.systems.asked import Question, ResultT
from mathhammer.systems.text_format import read_rulings
from mathhammer.validation import unknown_edition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Reroll
    from mathhammer.sequence.result import Counts
    from mathhammer.systems.aos.profiles import Target, Weapon

_CR = "Core Rules (July 2024)"

RULINGS = read_rulings(
    f"""
    A1 rend_in_save_cap: yes, no
    Is Rend among the modifiers of a save whose sum is at most +1?
    {_CR}, 17.1: all are added first
    A2 critical_hits_always_hit: yes, no
    Does a critical hit hit where its roll, modified, would fail?
    {_CR}, 17: a critical hit is scored
    A3 two_crits: one, both
    A weapon with a Crit ability is given another one: does the one that is given replace it?
    battletomes: texts that give Crit abilities replace those that are there
    A4 reroll_sum: all, any
    A re-roll of several dice: all of them, or any of them?
    {_CR}, 2.2: some or all; battletomes have texts for both
    A5 companion: 2026, 2024
    Do re-rolls, Crit abilities and criticals on 5+ that friends give reach Companion weapons, or none of them?
    General's Handbook 2025-26, FAQ of 2025-12-17: it names modifiers only; {_CR}, 20: no ability of friends does
    A5b all_out_attack: 2026, 2024
    Does All-out Attack cost its user 1 save for the rest of the turn?
    General's Handbook 2025-26; not in 2024
    A6 fight_through_pain: after-wards, before-wards
    Fight Through the Pain: are points removed after or before wards?
    General's Handbook 2026-27: before points are allocated
    A7 ward_of_one: may-save, fails
    Does an unmodified 1 fail a ward roll that is modified?
    {_CR}, 18.1: no failure is written for wards
    A10 rally_spend: models-first, heal-first
    Points of a Rally: do they return models before they heal?
    Advanced Rules, Rally: the player chooses
    A11 two_hits_damage: each-hit, one-roll
    Random Damage of Crit (2 Hits): is it rolled for each of the hits?
    {_CR}, 26: for each attack
    """
)
"""The disputed points, with their defaults and sources."""


_TITLE = "Warhammer Age of Sigmar, 4th edition"
EDITIONS = Catalogue("editions of Age of Sigmar", {"4e": _TITLE, "4e-2024": f"{_TITLE} of 2024"})
"""The rules of now, ``"4e"``, and those of the Core Rules as published, ``"4e-2024"``."""


def disputed(edition: str) -> tuple[Ruling, ...]:
    """Return the disputed and the dated points of an edition, with its defaults."""
    if not isinstance(edition, str) or edition not in EDITIONS:
        raise unknown_edition(edition, EDITIONS)
    year = edition.partition("-")[2]
    return tuple(replace(each, default=year) if year in each.options else each for each in RULINGS)


#: What no die reaches; and the most that the modifiers of a roll come to (Core Rules, 17.1).
_NEVER, _CAP = 99, 1
Rerolled = Literal["ones", "failed", "non-critical"] | None
#: The save modifiers that count with a target that ignores some.
_KEPT = {"all": (0, 0), "negative": (0, _NEVER), "positive": (-_NEVER, 0)}


class Asked(Question[ResultT]):
    """What is asked under the rules of an edition."""

    edition: Checked[str, str] = Checked(lambda given: given, '``"4e"`` or ``"4e-2024"``.', default="4e")
    rulings: Checked[Mapping[str, str] | None, Mapping[str, str] | None] = Checked(
        lambda given: given, "Options for disputed points, by name.", default=None
    )
    exact: Boolean = Boolean("Whether probabilities are ``sympy.Rational`` rather than ``float``.")

    @cached_property
    def in_force(self) -> Rulings:
        """The option in force for each disputed point."""
        return rulings_in_force(disputed(self.edition), self.rulings)


class Situation(Record):
    """The situation of attacks, as keywords of `attack`; all are off by default.

    Examples
    --------
    >>> from mathhammer import aos
    >>> aos.attack("Hellblade 2 4+ 3+ 1 1", "LIBERATORS", exact=True, all_out_attack=True).hits.mean()
    4/3
    """

    charged: Boolean = Boolean("The attackers charged this turn (Charge)")
    target_charged: Boolean = Boolean("The target charged this turn (Anti-charge, no cover)")
    in_combat: Boolean = Boolean("The attackers are in combat: they shoot only with Shoot in Combat")
    battle_damaged: Boolean = Boolean("The attackers are Battle Damaged")
    all_out_attack: Boolean = Boolean("All-out Attack: +1 to hit")
    covering_fire: Boolean = Boolean("Covering Fire: -1 to hit")
    all_out_defence: Boolean = Boolean("All-out Defence of the target: +1 to save")
    target_all_out_attack: Boolean = Boolean("The target used All-out Attack this turn: -1 to save")
    cover: Boolean = Boolean("The target is in cover")
    guarded_hero: Boolean = Boolean("The target is a Guarded Hero")
    hit_modifier: Additions = Additions("Added to hit rolls", "hit modifier")
    wound_modifier: Additions = Additions("Added to wound rolls", "wound modifier")
    save_modifier: Additions = Additions("Added to save rolls", "save modifier")
    ward_modifier: Additions = Additions("Added to ward rolls", "ward modifier")
    attacks_modifier: Additions = Additions("Added to Attacks", "Attacks modifier")
    rend_modifier: Additions = Additions("Added to Rend", "Rend modifier")
    damage_modifier: Additions = Additions("Added to Damage", "Damage modifier")
    maximum_damage: MaybeInteger = MaybeInteger("The most Damage of one attack", least=1)
    reroll_hits: OneOf[Rerolled] = OneOf("Re-roll hit rolls", "ones", "failed", "non-critical", default=None)
    reroll_wounds: OneOf[Rerolled] = OneOf("Re-roll wound rolls", "ones", "failed", default=None)
    reroll_saves: OneOf[Rerolled] = OneOf("Re-roll saves", "ones", "failed", default=None)
    reroll_wards: OneOf[Rerolled] = OneOf("Re-roll wards", "ones", "failed", default=None)
    critical_hits_on: Enough = Enough("Critical hits on this or more", default=None, least=2, most=6)
    crit: OneOf[str | None] = OneOf("A Crit that is given", "2 Hits", "Auto-wound", "Mortal", default=None)
    ward: Enough = Enough("A Ward that the target is given", default=None, least=2, most=6)
    no_ward: Boolean = Boolean("No ward rolls can be made")
    ignores_save_modifiers: OneOf[str | None] = OneOf("Save modifiers it ignores", *_KEPT, default=None)
    mortal_damage: Amount = Amount("Further mortal damage: (D6>=2)×D3", default=0, least=0, most=500)
    pain_dice: Integer = Integer("Rage dice of the target for Fight Through the Pain", default=0, most=7)
    kept_dice_worth: Amount = Amount("Points that a rage die kept for an Eruption is worth", default=0)
    heal: Amount = Amount("Heal (N) of the target afterwards: 3, D3", default=0, least=0, most=500)
    rally: Integer = Integer("Rally dice of the target afterwards: 6, 7 with a musician", default=0, most=20)

    @property
    def recovers(self) -> bool:
        """Whether the target heals or rallies."""
        return self.rally > 0 or self.heal.bounds()[1] > 0


def signed(modifier: Modifier) -> int:
    """Return what a modifier adds."""
    return modifier.value if modifier.operation == "add" else -modifier.value


_NOTHING = AttackDistribution.of(GeneratingFunction.one(1))
_ONE = AttackDistribution.of(GeneratingFunction.unit(0, 1))
_D3 = IntegerDistribution.of_dice(1, 3)


class Foe:
    """What is attacked in a situation, and what takes points away: ward rolls (Core Rules, 18.1), and rage dice."""

    def __init__(self, target: Target, at: Situation, rulings: Rulings) -> None:
        self.target, self.at, self.rulings = target, at, rulings
        wards = [each for each in (target.ward, at.ward) if each and not at.no_ward]
        added, fails = sum(map(signed, at.ward_modifier)), int(rulings["ward_of_one"] == "fails")
        self.check = Check(min(wards, default=_NEVER), added, fails_up_to=fails, reroll=at.reroll_wards)
        #: The chance of a point that no ward roll removes, out of 36.
        self.left = self.check.weights()[0]
        self.large = any(map(target.has, ("Monster", "War Machine")))
        self.exposes = rulings["all_out_attack"] == "2026"
        self.early = rulings["fight_through_pain"] == "before-wards"

    def thinned(self, points: IntegerDistribution) -> IntegerDistribution:
        """Return how many of some points are left."""
        weights = [0] * points.low + list(points.weights)
        passing, denominator = number_passing(weights, points.denominator, self.left, 36)
        return IntegerDistribution(0, tuple(passing), denominator)

    @cached_property
    def spent(self) -> list[int]:
        """How many rage dice are best spent on 0, 1, ... points: each removes one on 3+, or up to 3 are kept.

        General's Handbook 2026-27, Fight Through the Pain; Eruption of Fury.
        """
        most, worth = self.at.pain_dice, in_fractions(self.at.kept_dice_worth.compute()).mean()

        def value(points: int, number: int) -> Any:
            removed = sum(comb(number, hit) * 2**hit * min(points, hit) for hit in range(number + 1))
            each = fmpq(self.left if self.early else 36, 36 * 3**number)
            return removed * each + worth * min(3, most - number)

        return [max(range(most + 1), key=partial(value, points)) for points in range(most + 1)]


def _against(weapon: Weapon, aim: Foe) -> int:
    charge, has = {"charge"} if aim.at.target_charged else set(), aim.target.has
    found = (each for each in weapon.matching(ANTI) if has(each[1]) or each[1].lower() in charge)
    return sum(int(each[2]) for each in found)


#: Commands and abilities that add: to what, their name, how much (Advanced Rules, Commands, as changed by the General's
#: Handbooks 2025-26 and 2026-27; Core Rules, 20 and 25).
RULES: tuple[tuple[str, str, Callable[[Weapon, Foe], int]], ...] = (
    ("hit", "All-out Attack", lambda _, aim: aim.at.all_out_attack),
    ("hit", "Covering Fire", lambda _, aim: -aim.at.covering_fire),
    ("hit", "Cover", lambda _, aim: -(aim.at.cover and not (aim.at.target_charged or aim.target.has("Fly")))),
    ("hit", "Guarded Hero", lambda of, aim: -(aim.at.guarded_hero and not (of.range is None or aim.large))),
    ("save", "All-out Defence", lambda _, aim: aim.at.all_out_defence),
    ("save", "All-out Attack", lambda _, aim: -(aim.at.target_all_out_attack and aim.exposes)),
    ("rend", "Anti", _against),
    ("damage", "Charge", lambda of, aim: aim.at.charged * sum(int(each[1]) for each in of.matching(CHARGE))),
)


def modifiers_of(name: str, weapon: Weapon, aim: Foe) -> tuple[Modifier, ...]:
    """Return what is added to a roll or to a characteristic, with sources."""
    # Bonuses that friends give pass a Companion weapon by; commands, penalties and its own abilities reach it
    # (Core Rules, 20; General's Handbook 2025-26, FAQ of 2025-12-17).
    given: tuple[Modifier, ...] = getattr(aim.at, f"{name}_modifier")
    if weapon.has("Companion") and name != "save":
        given = tuple(each for each in given if signed(each) < 0)
    found = [(source, int(more(weapon, aim))) for of, source, more in RULES if of == name]
    return (*(Modifier("add", number, source) for source, number in found if number), *given)


class MortalDamage(NamedTuple):
    """Points that no attack inflicts, straight into the pool (Core Rules, 17.2); it counts among no attacks."""

    points: Expression
    aim: Foe
    own: frozenset[str] = frozenset()
    number: AttackNumber = AttackNumber(as_expression(1))

    def hits(self) -> AttackDistribution:
        """No attack hits."""
        return _NOTHING

    attacks = wounds = unsaved = hits  # type: ignore[misc] # methods

    def damage(self, *, warded: bool = True) -> Counts:
        """Points after wards or before."""
        points = IntegerDistribution.from_distribution(self.points.compute())
        return damage_parts(_ONE, [self.aim.thinned(points) if warded else points])


class AttackStages:
    """A weapon compiled against a target: a volley in the words of the sequence."""

    own: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, weapon: Weapon, aim: Foe, *, fury: bool = False) -> None:
        #: Whether its attacks are rage dice.
        self.weapon, self.aim, self.fury = weapon, aim, fury
        at, rulings = aim.at, aim.rulings
        if at.in_combat and weapon.range is not None and not weapon.has("Shoot in Combat"):
            raise MathhammerError(f"expected Shoot in Combat of weapons, got {weapon.name!r}; leave it out")
        names = ("attacks", "hit", "wound", "rend", "save", "damage")
        self.modifiers = {name: modifiers_of(name, weapon, aim) for name in names}
        # Gifts of friends to a Companion weapon (General's Handbook 2025-26, FAQ of 2025-12-17).
        self.gifted = rulings["companion"] == "2026" or not weapon.has("Companion")
        self.rend = max(0, weapon.rend + self._sum("rend"))
        own = next((each[1] for each in weapon.matching(CRIT)), None)
        given = at.crit if self.gifted else None
        chosen = (own, given) if rulings["two_crits"] == "both" else (given or own,)
        #: What critical hits do; none of rage dice does anything (General's Handbook 2026-27).
        self.crits = set() if fury else {each for each in chosen if each}
        self.criticals_on = at.critical_hits_on or 6 if self.gifted else 6
        criticals = () if fury else ((self.criticals_on, rulings["critical_hits_always_hit"] == "no"),)
        self.hit = self._check("hit", weapon.hit, at.reroll_hits, *criticals)
        self.wound = self._check("wound", weapon.wound, at.reroll_wounds)
        self.save = self._save()
        self.number = AttackNumber(self._attacks())

    def _sum(self, name: str) -> int:
        return sum(map(signed, self.modifiers[name]))

    def _check(self, name: str, need: int | None, reroll: Reroll, *criticals: tuple[int, bool]) -> Check:
        modifier = max(-_CAP, min(_CAP, self._sum(name)))
        again = reroll if self.gifted else None
        return Check(need or _NEVER, modifier, criticals=criticals, reroll=again)

    def _save(self) -> Check:
        """Rend is one of the modifiers, whose sum is at most +1 and as low as it comes (Core Rules, 17.1)."""
        low, high = _KEPT.get(self.aim.at.ignores_save_modifiers or "", (-_NEVER, _NEVER))
        given = (-self.rend, *map(signed, self.modifiers["save"]))
        rend, *others = (max(low, min(high, each)) for each in given)
        inside = self.aim.rulings["rend_in_save_cap"] == "yes"
        total = min(_CAP, rend + sum(others)) if inside else min(_CAP, sum(others)) + rend
        return Check(self.aim.target.save or _NEVER, total, reroll=self.aim.at.reroll_saves)

    def _attacks(self) -> Expression:
        """Return the number of attacks: random Attacks are rolled for each model (Core Rules, 26)."""
        weapon, more = self.weapon, self._sum("attacks")
        own = weapon.battle_damaged if self.aim.at.battle_damaged else None
        each = weapon.attacks if own is None else as_expression(own)
        if more:
            each = dice(f"max({each}{more:+d}, 1)") if each.bounds()[0] + more < 1 else each + more
        low, high = each.bounds()
        every = as_expression(low * weapon.models) if low == high else weapon.models @ each
        return every + 1 if weapon.champion else every

    def points(self, hits: int = 1) -> IntegerDistribution:
        """Return the Damage of some hits that share a roll, before wards."""
        more, most = self._sum("damage"), self.aim.at.maximum_damage or _NEVER * 100
        rolled = self.weapon.damage.compute().map(lambda value: hits * min(most, max(1, value + more)))
        return IntegerDistribution.from_distribution(rolled)

    def _then(
        self, each: AttackDistribution, by_itself: AttackDistribution, mortal: AttackDistribution
    ) -> AttackDistribution:
        """Return what an attack leads to, by what a hit does, one that wounds by itself, and mortal damage."""
        crit = mortal if "Mortal" in self.crits else by_itself if "Auto-wound" in self.crits else each
        twice = crit * crit if "2 Hits" in self.crits else crit
        return roll(self.hit, {"fail": _NOTHING, "success": each, "critical": twice})

    def _wounded(self, after: AttackDistribution) -> AttackDistribution:
        nothing = AttackDistribution.of(GeneratingFunction.one(after.plain.width))
        return roll(self.wound, {"fail": nothing, "success": after, "critical": after})

    def hits(self) -> AttackDistribution:
        """Hits of one attack."""
        return self._then(_ONE, _ONE, _ONE)

    def wounds(self) -> AttackDistribution:
        """Wounds of one attack, before saves; mortal damage is none."""
        return self._then(self._wounded(_ONE), _ONE, _NOTHING)

    def unsaved(self) -> AttackDistribution:
        """Hits of one attack that inflict their Damage: failed saves, and mortal damage."""
        saved = saving_throw(self.save.weights()[0], _ONE)
        return self._then(self._wounded(saved), saved, _ONE)

    def damage(self, *, warded: bool = True) -> Counts:
        """Points of one attack after wards or before."""
        if self.fury:
            return measures(self.erupting().marginal(0))
        once, each = self.unsaved(), self.points()
        damages = [each]
        if "2 Hits" in self.crits and self.aim.rulings["two_hits_damage"] == "one-roll":
            # Two unsaved hits of one attack are one thing, of twice the Damage that is rolled.
            counts = once.plain.coefficients.items()
            paired: dict[tuple[int, ...], int] = {(int(n == 1), int(n == 2)): ways for (n,), ways in counts}
            once = AttackDistribution.of(GeneratingFunction(paired, once.plain.denominator))
            damages.append(self.points(2))
        return damage_parts(once, [self.aim.thinned(points) if warded else points for points in damages])

    def erupting(self) -> AttackDistribution:
        """Points of one rage die on the target after wards, and on its user (General's Handbook 2026-27)."""

        def points(number: IntegerDistribution, place: int) -> AttackDistribution:
            return AttackDistribution.of(GeneratingFunction.of_number(number, place, 2))

        saved = saving_throw(self.save.weights()[0], points(self.aim.thinned(self.points()), 0))
        nothing = AttackDistribution.of(GeneratingFunction.one(saved.plain.width))
        after = {"fail": nothing, "success": self._wounded(saved)}
        faces = [after[outcome] for outcome in self.hit.outcomes()]
        faces[0], faces[5] = points(_D3, 1), faces[5] * points(self.aim.thinned(_D3), 0)
        return roll(self.hit, faces)
