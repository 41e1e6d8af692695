"""A second opinion: the 10th-edition attack sequence played one die at a time.

Nothing here imports the package. Every random event is a plain D6 whose six faces are walked one by one, a
re-rolled die is a second D6, and whatever is equal afterwards is counted together in a dictionary of
fractions. It is slow, and meant to be: there is no formula in it that could be wrong in the same way as the
package's.

Decisions, with the rule each one rests on (10th-edition core rules unless another document is named):

* An unmodified hit or wound roll of 1 fails and of 6 is a critical success; the *sum* of the modifiers to a
  hit or wound roll is clamped to -1..+1 (Making Attacks; Rules Commentary, Modifying Dice Rolls).
* A lowered critical threshold turns its faces into successes even where the modified roll would miss,
  because a critical hit always succeeds; CONVERSION, beyond the distance it names, says *successful*
  unmodified hit roll of 4+, so there the modified roll must also hit.
* Re-rolls come before modifiers and a die is re-rolled once. "failed" means the faces that fail once
  modified, including those an indirect attack always fails; "non-critical" every face that is not a
  critical success. A strength rolled for the attack is known before its wound roll, so the faces that fail
  are judged against it, and it is not re-rolled.
* An attack of an INDIRECT FIRE weapon at a target nobody sees: -1 to hit, unmodified 1-3 fail whatever else
  is said of them (a lowered critical threshold included), and the target has cover (Core Rules Updates,
  Indirect Fire).
* TORRENT hits without a roll: nothing to re-roll, no critical, hence neither LETHAL HITS nor SUSTAINED
  HITS; no -1.
* SUSTAINED HITS: the extra hits are not rolled and not critical; each critical rolls its own D3. Two
  sources: the better one, never the sum (Rules Commentary, duplicated abilities). LETHAL HITS is not a
  choice: the critical hit itself wounds without a roll, so it can be no critical wound. The extra hits roll
  to wound.
* Attacks and strength are never below 1, damage is never below 1 after all modifiers. The number of attacks
  is rolled for each weapon, the strength for each wound roll, the damage for each attack that gets through.
* BLAST counts the models of the target when it is chosen, before any weapon of the attacking unit is fired,
  and adds to a fixed number of attacks as well. Of several instances of one ability the best is used.
* Saves: AP and cover change the armour roll. The +1 limit is on the net modifier, AP included. Bonuses and
  penalties to saving throws as such reach the invulnerable save too, AP and cover never do. Cover needs a
  ranged attack and is nothing for a Save of 3+ or better against AP 0. A printed Save of 7+ is a number
  like any other: with +1 a 6 makes it. `None` is no armour save at all. The defender takes the better of
  the two saves (Saving Throws; Benefit of Cover).
* Damage: halving, then MELTA, then "-1 Damage"; fractions up, once, at the end (Rules Commentary,
  Modifiers).
* A damage re-roll looks at what the dice show before the printed bonus: the halved value of a D3, the total
  of several dice, which are re-rolled together (Rules Commentary, Re-rolls).
* Feel No Pain: one die a wound about to be lost, until the model dies; the best applicable one. A critical
  wound with DEVASTATING WOUNDS inflicts mortal wounds, so a Feel No Pain against mortal wounds protects
  from it, and it waits until all other attacks of the unit are resolved; the attacks waiting keep their
  order. What is left when a model dies is lost.
* Attacks on a unit that is gone change nothing. `hits`, `wounds`, `unsaved` and `damage` count as if the
  unit could not run out, since these dice are rolled together; `damage` is what Feel No Pain leaves of
  every point, excess included.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from plain_dice import (
    Dice,
    Pmf,
    Reroll,
    certainly,
    clamp,
    faces_rerolled,
    fixed,
    mean,
    roll,
    then,
    total,
    value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


ONE, FOUR = fixed(1), fixed(4)


@dataclass(frozen=True)
class Weapon:
    skill: int | None = 3
    attacks: Dice = ONE
    strength: Dice = FOUR
    ap: int = 0
    damage: Dice = ONE
    melee: bool = False
    torrent: bool = False
    lethal_hits: bool = False
    sustained_hits: tuple[Dice, ...] = ()
    devastating_wounds: bool = False
    anti: tuple[tuple[str, int], ...] = ()
    twin_linked: bool = False
    rapid_fire: Dice | None = None
    blast: bool = False
    melta: int = 0
    lance: bool = False
    heavy: bool = False
    indirect_fire: bool = False
    ignores_cover: bool = False
    conversion: bool = False


@dataclass(frozen=True)
class Target:
    toughness: int = 4
    save: int | None = None
    wounds: int = 1
    models: int = 1
    invulnerable: int | None = None
    invulnerable_against: str | None = None  # "ranged" or "melee"; None for both
    feel_no_pain: int | None = None
    feel_no_pain_mortal: int | None = None
    damage_reduction: int = 0
    half_damage: bool = False
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True)
class Volley:
    weapon: Weapon
    count: int = 1
    half_range: bool = False
    long_range: bool = False
    stationary: bool = False
    charged: bool = False
    cover: bool = False
    indirect: bool = False
    hit_modifier: tuple[int, ...] = ()
    wound_modifier: tuple[int, ...] = ()
    save_modifier: tuple[int, ...] = ()
    critical_hit: int = 6
    critical_wound: int = 6
    reroll_hits: Reroll = None
    reroll_wounds: Reroll = None
    reroll_damage: Reroll = None
    reroll_saves: Reroll = None


@dataclass(frozen=True)
class Outcome:
    """The joint distribution of (models destroyed, wounds lost by the next) and the distributions on the way."""

    state: Pmf = field(hash=False)
    hits: Pmf = field(hash=False)
    wounds: Pmf = field(hash=False)
    unsaved: Pmf = field(hash=False)
    damage: Pmf = field(hash=False)

    @property
    def kills(self) -> Pmf:
        return then(self.state, lambda state: certainly(state[0]))


# ------------------------------------------------------------------------------------- the steps of one attack


def is_indirect(volley: Volley) -> bool:
    return volley.weapon.indirect_fire and volley.indirect


@cache
def number_of_attacks(volley: Volley, target: Target) -> Pmf:
    """Of one weapon."""
    weapon = volley.weapon
    distribution = value(weapon.attacks)
    if weapon.rapid_fire is not None and volley.half_range:
        extra = value(weapon.rapid_fire)
        distribution = then(
            distribution, lambda attacks: {attacks + more: chance for more, chance in extra.items()}
        )
    if weapon.blast:
        distribution = then(distribution, lambda attacks: certainly(attacks + target.models // 5))
    return then(distribution, lambda attacks: certainly(max(1, attacks)))


@cache
def hit(volley: Volley) -> Pmf:
    weapon = volley.weapon
    if weapon.torrent:
        return certainly("success")
    assert weapon.skill is not None
    need = weapon.skill
    modifier = clamp(
        sum(volley.hit_modifier) + (weapon.heavy and volley.stationary) - (1 if is_indirect(volley) else 0)
    )

    def judge(face: int) -> str:
        if face == 1 or (is_indirect(volley) and face <= 3):
            return "fail"
        if face >= min(6, volley.critical_hit):
            return "critical"
        if face + modifier < need:
            return "fail"
        return "critical" if weapon.conversion and volley.long_range and face >= 4 else "success"

    return roll(judge, faces_rerolled(volley.reroll_hits, judge))


@cache
def hits_from_one_attack(volley: Volley) -> Pmf:
    """(hits scored, how many of them wound without a roll)."""
    weapon = volley.weapon

    def count(result: str) -> Pmf:
        if result == "fail":
            return certainly((0, 0))
        lethal = 1 if result == "critical" and weapon.lethal_hits else 0
        if result == "critical" and weapon.sustained_hits:
            best = max(weapon.sustained_hits, key=lambda extra: mean(value(extra)))
            return then(value(best), lambda extra: certainly((1 + extra, lethal)))
        return certainly((1, lethal))

    return then(hit(volley), count)


def needed_to_wound(strength: int, toughness: int) -> int:
    if strength >= 2 * toughness:
        return 2
    if strength > toughness:
        return 3
    if strength == toughness:
        return 4
    return 6 if 2 * strength <= toughness else 5


@cache
def wound(volley: Volley, target: Target) -> Pmf:
    weapon = volley.weapon
    modifier = clamp(sum(volley.wound_modifier) + (weapon.lance and volley.charged))
    thresholds = [number for keyword, number in weapon.anti if keyword in target.keywords]
    critical = min([6, volley.critical_wound, *thresholds])

    def with_strength(strength: int) -> Pmf:
        need = needed_to_wound(max(1, strength), target.toughness)

        def judge(face: int) -> str:
            if face == 1:
                return "fail"
            if face >= critical:
                return "critical"
            return "success" if face + modifier >= need else "fail"

        faces = faces_rerolled(volley.reroll_wounds, judge)
        if weapon.twin_linked:
            faces |= faces_rerolled("failed", judge)
        return roll(judge, faces)

    return then(value(weapon.strength), with_strength)


@cache
def save(volley: Volley, target: Target) -> Pmf:
    weapon = volley.weapon
    cover = (volley.cover or is_indirect(volley)) and not weapon.melee and not weapon.ignores_cover
    if target.save is not None and target.save <= 3 and weapon.ap == 0:
        cover = False
    bonus = sum(volley.save_modifier)
    needs = []
    if target.save is not None:
        needs.append(target.save - min(1, bonus + cover + weapon.ap))
    side = "melee" if weapon.melee else "ranged"
    if target.invulnerable is not None and target.invulnerable_against in (None, side):
        needs.append(target.invulnerable - min(1, bonus))
    if not needs:
        return certainly("fail")

    def judge(face: int) -> str:
        return "success" if face > 1 and face >= min(needs) else "fail"

    return roll(judge, faces_rerolled(volley.reroll_saves, judge))


@cache
def damage(volley: Volley, target: Target) -> Pmf:
    """Of one attack that got through, before Feel No Pain."""
    weapon = volley.weapon
    first = total(weapon.damage)
    policy = volley.reroll_damage
    again: Collection[int] = ()
    if policy is not None and weapon.damage.number:
        again = {1} if policy == "ones" else frozenset(policy)
    stands = then(first, lambda shown: total(weapon.damage) if shown in again else certainly(shown))

    def modified(shown: int) -> Pmf:
        points = Fraction(shown + weapon.damage.plus)
        if target.half_damage:
            points /= 2
        if volley.half_range:
            points += weapon.melta
        points -= target.damage_reduction
        rounded_up = -(-points.numerator // points.denominator)
        return certainly(max(1, rounded_up))

    return then(stands, modified)


def feel_no_pain(target: Target, *, mortal: bool) -> int | None:
    usable = [target.feel_no_pain, target.feel_no_pain_mortal if mortal else None]
    return min((number for number in usable if number is not None), default=None)


def ignored(need: int | None) -> Pmf:
    """Whether one point is ignored."""
    return roll(lambda face: need is not None and face >= need)


def suffer(points: int, remaining: int, need: int | None) -> Pmf:
    """Wounds lost by a model with `remaining` wounds from one attack, point by point until it dies."""
    distribution = certainly(0)
    for _ in range(points):
        distribution = then(
            distribution,
            lambda lost: (
                certainly(lost)
                if lost == remaining
                else then(ignored(need), lambda saved: certainly(lost if saved else lost + 1))
            ),
        )
    return distribution


@cache
def inflicted(volley: Volley, target: Target, *, mortal: bool) -> Pmf:
    """Points Feel No Pain does not stop, as if the model could not die."""
    distribution = damage(volley, target)
    need = feel_no_pain(target, mortal=mortal)
    return then(distribution, lambda points: suffer(points, points, need))


@cache
def one_attack(volley: Volley, target: Target) -> Pmf:
    """(hits, wounds, unsaved, of which devastating) from one attack."""

    def try_to_save(table: tuple[int, ...]) -> Pmf:
        hits, wounds, unsaved, devastating = table
        return then(
            save(volley, target),
            lambda result: certainly((hits, wounds + 1, unsaved + (result == "fail"), devastating)),
        )

    def try_to_wound(table: tuple[int, ...]) -> Pmf:
        hits, wounds, unsaved, devastating = table

        def after(result: str) -> Pmf:
            if result == "fail":
                return certainly(table)
            if result == "critical" and volley.weapon.devastating_wounds:
                return certainly((hits, wounds + 1, unsaved + 1, devastating + 1))
            return try_to_save(table)

        return then(wound(volley, target), after)

    def play(scored: tuple[int, int]) -> Pmf:
        hits, lethal = scored
        distribution = certainly((hits, 0, 0, 0))
        for _ in range(lethal):
            distribution = then(distribution, try_to_save)
        for _ in range(hits - lethal):
            distribution = then(distribution, try_to_wound)
        return distribution

    return then(hits_from_one_attack(volley), play)


# -------------------------------------------------------------------------------------------- the whole unit


def make_attacks(distribution: Pmf, volley: Volley, target: Target, attack: Callable[[Any], Pmf]) -> Pmf:
    """Every weapon of the volley rolls its number of attacks and makes them, one after another."""
    number = number_of_attacks(volley, target)
    for _ in range(volley.count):
        after: Pmf = {}
        for made in range(max(number) + 1):
            if made in number:
                for outcome, probability in distribution.items():
                    after[outcome] = after.get(outcome, Fraction(0)) + probability * number[made]
            if made < max(number):
                distribution = then(distribution, attack)
        distribution = after
    return distribution


def allocate(state: tuple[int, int], points: int, target: Target, *, mortal: bool) -> Pmf:
    """One attack's damage on the model whose turn it is; nothing passes to the next model."""
    destroyed, lost = state
    if destroyed == target.models:
        return certainly(state)

    def after(more: int) -> Pmf:
        if lost + more == target.wounds:
            return certainly((destroyed + 1, 0))
        return certainly((destroyed, lost + more))

    return then(suffer(points, target.wounds - lost, feel_no_pain(target, mortal=mortal)), after)


def final_state(volleys: tuple[Volley, ...], target: Target) -> Pmf:
    """A table is (state of the unit, devastating wounds that wait, by volley)."""

    @cache
    def strike(state: tuple[int, int], volley: Volley, *, mortal: bool) -> Pmf:
        return then(damage(volley, target), lambda points: allocate(state, points, target, mortal=mortal))

    @cache
    def fate(state: tuple[int, int], volley: Volley) -> Pmf:
        """(state after one attack, devastating wounds it leaves to wait)."""

        def play(result: tuple[int, ...]) -> Pmf:
            _, _, unsaved, devastating = result
            states = certainly(state)
            for _ in range(unsaved - devastating):
                states = then(states, lambda now: strike(now, volley, mortal=False))
            return {(now, devastating): chance for now, chance in states.items()}

        return then(one_attack(volley, target), play)

    distribution = certainly(((0, 0), (0,) * len(volleys)))
    for place, volley in enumerate(volleys):

        def attack(
            table: tuple[tuple[int, int], tuple[int, ...]], place: int = place, volley: Volley = volley
        ) -> Pmf:
            state, waiting = table
            if state[0] == target.models:
                return certainly((state, (0,) * len(volleys)))

            def put_aside(outcome: tuple[tuple[int, int], int]) -> Pmf:
                now, more = outcome
                return certainly((now, (*waiting[:place], waiting[place] + more, *waiting[place + 1 :])))

            return then(fate(state, volley), put_aside)

        distribution = make_attacks(distribution, volley, target, attack)

    def devastate(table: tuple[tuple[int, int], tuple[int, ...]]) -> Pmf:
        state, waiting = table
        states = certainly(state)
        for volley, number in zip(volleys, waiting, strict=True):
            for _ in range(number):
                states = then(states, lambda now, volley=volley: strike(now, volley, mortal=True))
        return states

    return then(distribution, devastate)


def count(volleys: tuple[Volley, ...], target: Target, number: Callable[[Volley], Pmf]) -> Pmf:
    """The distribution of a sum over all attacks of all weapons."""
    distribution = certainly(0)
    for volley in volleys:
        of_one = number(volley)
        distribution = make_attacks(
            distribution,
            volley,
            target,
            lambda so_far, one=of_one: {so_far + n: chance for n, chance in one.items()},
        )
    return distribution


def attack(volleys: Volley | tuple[Volley, ...], target: Target) -> Outcome:
    """Play the whole attacking unit's weapons, in order, against the target unit."""
    if isinstance(volleys, Volley):
        volleys = (volleys,)

    def inflicted_by_one(volley: Volley) -> Pmf:
        def play(result: tuple[int, ...]) -> Pmf:
            _, _, unsaved, devastating = result
            distribution = certainly(0)
            for place in range(unsaved):
                more = inflicted(volley, target, mortal=place < devastating)
                distribution = then(
                    distribution, lambda so_far, more=more: {so_far + n: p for n, p in more.items()}
                )
            return distribution

        return then(one_attack(volley, target), play)

    def part(place: int) -> Pmf:
        return count(
            volleys,
            target,
            lambda volley: then(one_attack(volley, target), lambda result: certainly(result[place])),
        )

    return Outcome(
        state=final_state(volleys, target),
        hits=part(0),
        wounds=part(1),
        unsaved=part(2),
        damage=count(volleys, target, inflicted_by_one),
    )
