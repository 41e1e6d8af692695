"""A second opinion on the 9th edition: the same plain dice as `enumeration`, played by the rules of that edition.

Decisions, with the rule each rests on (9th-edition core rules unless another source is named):

* An unmodified 1 fails and an unmodified 6 succeeds, to hit and to wound; nothing is critical. The sum of the modifiers
  is clamped to -1..+1. The modified roll is never below 1.
* A plain number in a rule reads the modified roll, "unmodified" the face (Goonhammer, "Ruleshammer: Dice").
* What a trigger gives needs a successful roll. Additional hits are not rolled; an additional attack is, and makes no
  further attack. Neither inherits the better AP of the roll that gave it.
* Mortal wounds come in addition, one wound each, after all normal damage of the unit, and spill.
* Blast: from 6 models on a random number of attacks is at least 3, from 11 on it is the most there can be.
* Rapid Fire doubles the attacks within half range. Heavy and moved, Assault and advanced: -1 to hit.
* Light cover: +1 to armour saves against ranged attacks; heavy: against melee, unless the target charged; dense:
  -1 to ranged hit rolls. There is no cap on a save and no exception for good ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from enumeration import needed_to_wound, suffer
from plain_dice import Dice, Pmf, Reroll, certainly, clamp, fixed, roll, then, value

ONE = fixed(1)


@dataclass(frozen=True)
class Trigger:
    roll: str = "hit"
    low: int = 6
    high: int | None = None  # nothing: this or more
    unmodified: bool = True
    extra_hits: Dice | None = None
    extra_attacks: Dice | None = None
    mortal_wounds: Dice | None = None
    instead: bool = False
    wounds: bool = False
    improve_ap: int = 0

    def fires(self, face: int, modifier: int) -> bool:
        shown = face if self.unmodified else max(1, face + modifier)
        return shown >= self.low and (self.high is None or shown <= self.high)


@dataclass(frozen=True)
class Attack:
    attacks: Dice = ONE
    skill: int = 3
    strength: int = 4
    ap: int = 0
    damage: Dice = ONE
    count: int = 1
    melee: bool = False
    torrent: bool = False
    rapid_fire: bool = False
    heavy: bool = False
    assault: bool = False
    blast: bool = False
    ignores_cover: bool = False
    half_range: bool = False
    moved: bool = False
    advanced: bool = False
    target_charged: bool = False
    cover: frozenset[str] = frozenset()
    hit_modifier: tuple[int, ...] = ()
    wound_modifier: tuple[int, ...] = ()
    save_modifier: tuple[int, ...] = ()
    reroll_hits: Reroll = None
    reroll_wounds: Reroll = None
    triggers: tuple[Trigger, ...] = ()


@dataclass(frozen=True)
class Unit:
    toughness: int = 4
    save: int | None = None
    wounds: int = 1
    models: int = 1
    invulnerable: int | None = None
    ignore_wounds: int | None = None
    ignore_mortal_wounds: int | None = None


def judged(need: int, modifier: int, face: int) -> bool:
    return face == 6 or (face > 1 and face + modifier >= need)


def rerolled(policy: Reroll, need: int, modifier: int) -> frozenset[int]:
    fails = frozenset(face for face in range(1, 7) if not judged(need, modifier, face))
    if policy is None:
        return frozenset()
    if policy == "ones":
        return frozenset({1})
    if policy in ("failed", "failed-unmodified"):  # re-rolls come before modifiers
        return fails & frozenset(face for face in range(1, 7) if not judged(need, 0, face))
    assert not isinstance(policy, str)
    return policy


def attacks_of(attack: Attack, unit: Unit) -> Pmf:
    distribution = value(attack.attacks)
    if attack.blast and unit.models >= 11:
        distribution = certainly(max(distribution))
    elif attack.blast and unit.models >= 6 and attack.attacks.number:
        distribution = then(distribution, lambda n: certainly(max(3, n)))
    return then(distribution, lambda n: certainly(2 * n if attack.rapid_fire and attack.half_range else n))


def save_of(attack: Attack, unit: Unit, ap: int) -> Pmf:
    cover = not attack.ignores_cover and (
        ("light" in attack.cover and not attack.melee)
        or ("heavy" in attack.cover and attack.melee and not attack.target_charged)
    )
    bonus = sum(attack.save_modifier)
    needs = [] if unit.save is None else [unit.save - bonus - cover - ap]
    if unit.invulnerable is not None:
        needs.append(unit.invulnerable - bonus)
    return roll(lambda face: bool(needs) and face > 1 and face >= min(needs))


@cache
def one_attack(attack: Attack, unit: Unit, *, further: bool = True) -> Pmf:
    """(hits, wounds, failed saves, mortal wounds) of one attack."""
    if attack.torrent:
        return one_hit(attack, unit, 0)
    dense = "dense" in attack.cover and not attack.melee and not attack.ignores_cover
    modifier = clamp(
        sum(attack.hit_modifier)
        - (attack.heavy and attack.moved)
        - (attack.assault and attack.advanced)
        - dense
    )

    def scored(face: int) -> Pmf:
        if not judged(attack.skill, modifier, face):
            return certainly((0, 0, 0, 0))
        fired = [t for t in attack.triggers if t.roll == "hit" and t.fires(face, modifier)]
        ap = -sum(t.improve_ap for t in fired)
        if any(t.instead for t in fired):
            distribution = certainly((1, 0, 0, 0))
        else:
            distribution = one_hit(attack, unit, ap, automatic=any(t.wounds for t in fired))
        for trigger in fired:
            if trigger.extra_hits is not None:
                distribution = plus(distribution, times(value(trigger.extra_hits), one_hit(attack, unit, 0)))
            if trigger.extra_attacks is not None and further:
                distribution = plus(
                    distribution, times(value(trigger.extra_attacks), one_attack(attack, unit, further=False))
                )
            distribution = with_mortal_wounds(distribution, trigger)
        return distribution

    return then(roll(int, rerolled(attack.reroll_hits, attack.skill, modifier)), scored)


@cache
def one_hit(attack: Attack, unit: Unit, ap: int, *, automatic: bool = False) -> Pmf:
    def saved(better: int) -> Pmf:
        return then(
            save_of(attack, unit, attack.ap + better), lambda ok: certainly((1, 1, 0 if ok else 1, 0))
        )

    if automatic:
        return saved(ap)
    need = needed_to_wound(attack.strength, unit.toughness)
    modifier = clamp(sum(attack.wound_modifier))

    def wounded(face: int) -> Pmf:
        if not judged(need, modifier, face):
            return certainly((1, 0, 0, 0))
        fired = [t for t in attack.triggers if t.roll == "wound" and t.fires(face, modifier)]
        distribution = certainly((1, 1, 0, 0))
        if not any(t.instead for t in fired):
            distribution = saved(ap - sum(t.improve_ap for t in fired))
        for trigger in fired:
            distribution = with_mortal_wounds(distribution, trigger)
        return distribution

    return then(roll(int, rerolled(attack.reroll_wounds, need, modifier)), wounded)


def with_mortal_wounds(distribution: Pmf, trigger: Trigger) -> Pmf:
    if trigger.mortal_wounds is None:
        return distribution
    return plus(distribution, then(value(trigger.mortal_wounds), lambda n: certainly((0, 0, 0, n))))


def plus(first: Pmf, second: Pmf) -> Pmf:
    return then(
        first,
        lambda a: {tuple(i + j for i, j in zip(a, b, strict=True)): p for b, p in collected(second).items()},
    )


def collected(distribution: Pmf) -> Pmf:
    return then(distribution, certainly)


def times(number: Pmf, each: Pmf) -> Pmf:
    def repeat(n: int) -> Pmf:
        distribution = certainly((0, 0, 0, 0))
        for _ in range(n):
            distribution = plus(distribution, each)
        return distribution

    return then(number, repeat)


def total(attacks: tuple[Attack, ...], unit: Unit) -> Pmf:
    """(hits, wounds, failed saves, mortal wounds) of all attacks, as if the unit could not run out."""
    distribution = certainly((0, 0, 0, 0))
    for attack in attacks:
        for _ in range(attack.count):
            distribution = plus(distribution, times(attacks_of(attack, unit), one_attack(attack, unit)))
    return distribution


def final_state(attacks: tuple[Attack, ...], unit: Unit) -> Pmf:
    """(models destroyed, wounds lost by the next) after all normal damage, then all mortal wounds."""

    def struck(state: tuple[int, int], points: int, need: int | None) -> Pmf:
        destroyed, lost = state
        if destroyed == unit.models:
            return certainly(state)
        return then(
            suffer(points, unit.wounds - lost, need),
            lambda more: certainly(
                (destroyed + 1, 0) if lost + more == unit.wounds else (destroyed, lost + more)
            ),
        )

    distribution = certainly(((0, 0), 0))
    for attack in attacks:
        for _ in range(attack.count):
            number = attacks_of(attack, unit)
            after: Pmf = {}
            for made in range(max(number) + 1):
                for table, p in distribution.items():
                    after[table] = after.get(table, 0) + p * number.get(made, 0)

                def play(table: tuple[tuple[int, int], int], attack: Attack = attack) -> Pmf:
                    state, waiting = table

                    def resolve(result: tuple[int, ...]) -> Pmf:
                        states = certainly(state)
                        for _ in range(result[2]):
                            states = then(
                                states,
                                lambda now: then(
                                    value(attack.damage), lambda n: struck(now, n, unit.ignore_wounds)
                                ),
                            )
                        return {(now, waiting + result[3]): p for now, p in states.items()}

                    return then(one_attack(attack, unit), resolve)

                if made < max(number):
                    distribution = then(distribution, play)
            distribution = after
    needs = [n for n in (unit.ignore_wounds, unit.ignore_mortal_wounds) if n is not None]

    def inflict(table: tuple[tuple[int, int], int]) -> Pmf:
        state, waiting = table
        states = certainly(state)
        for _ in range(waiting):
            states = then(states, lambda now: struck(now, 1, min(needs, default=None)))
        return states

    return then(distribution, inflict)
