"""The dice of one attack for `enumeration_mortal`, which says by which rules; nothing here imports the package."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from enumeration_units import Model
from plain_dice import Dice, Pmf, Reroll, certainly, clamp, faces_rerolled, fixed, roll, then, value

if TYPE_CHECKING:
    from collections.abc import Callable

ONE = fixed(1)


@dataclass(frozen=True)
class Profile:
    toughness: int = 4
    save: int | None = None
    wounds: int = 1
    models: int = 1
    invulnerable: int | None = None
    feel_no_pain: int | None = None
    feel_no_pain_mortal: int | None = None
    feel_no_pain_psychic: int | None = None
    damage_reduction: int = 0
    half_damage: bool = False
    damage_to_0: bool = False
    deadly_demise: Dice | None = None


@dataclass(frozen=True)
class Kind:
    profile: Profile
    lost: int = 0
    leader: bool = False


@dataclass(frozen=True)
class Rule:
    """What happens on a roll: `on` is "critical", "each", "unmodified" or "modified", the last two from `low` on."""

    roll: str
    on: str
    low: int = 6
    extra_hits: Dice | None = None
    mortal_wounds: Dice | None = None
    instead: bool = False
    wounds: bool = False
    improve_ap: int = 0
    ap: int | None = None

    def fires(self, face: int, modifier: int, result: str) -> bool:
        if self.on in ("critical", "each"):
            return self.on == "each" or result == "critical"
        return (face if self.on == "unmodified" else max(1, face + modifier)) >= self.low


@dataclass(frozen=True)
class Shot:
    attacks: Dice = ONE
    skill: int | None = 3
    strength: int = 4
    ap: int = 0
    damage: Dice = ONE
    melta: int = 0
    lethal_hits: bool = False
    sustained_hits: Dice | None = None
    devastating_wounds: bool = False
    psychic: bool = False
    critical_wound: int = 6
    hit_modifier: int = 0
    wound_modifier: int = 0
    reroll_hits: Reroll = None
    reroll_wounds: Reroll = None
    rules: tuple[Rule, ...] = ()
    directed: tuple[int, ...] = ()


@dataclass(frozen=True)
class Mortals:
    number: Dice


@dataclass(frozen=True)
class Rulings:
    order: str = "plain-first"
    devastating_wait: bool = True
    mortal_wait: bool = True
    damage_to_0: str = "first-failed-save"
    ignored_count: bool = True
    critical: bool = True  # 10th edition: unmodified 6 are critical


Entry = Shot | Mortals
Unit = tuple[Kind, ...]


class State(NamedTuple):
    models: tuple[Model, ...]
    spared: tuple[bool, ...]  # by kind


def fresh(unit: Unit) -> State:
    models = tuple(
        Model(place, kind.profile.wounds - (kind.lost if number == 0 else 0))
        for place, kind in enumerate(unit)
        for number in range(kind.profile.models)
    )
    return State(models, (False,) * len(unit))


# ------------------------------------------------------------------------------------------------- hit and wound rolls


class Waits(NamedTuple):
    """What waits: mortal wounds in a row, or one devastating wound, of an entry."""

    entry: int
    what: str  # "mortal" or "devastating"
    number: int


class Save(NamedTuple):
    """A wound to be saved against: whether a rule on its hit, or its wound, changed the AP, and the AP."""

    by_hit: bool
    by_wound: bool
    ap: int


class Rolled(NamedTuple):
    """Hits and wounds of a shot, the wounds that are saved against in order, and what waits in order."""

    hits: int = 0
    wounds: int = 0
    saves: tuple[Save, ...] = ()
    waits: tuple[tuple[str, int], ...] = ()

    def plus(self, other: Rolled) -> Rolled:
        return Rolled(*(one + another for one, another in zip(self, other, strict=True)))


def both(first: Pmf, second: Pmf) -> Pmf:
    return then(first, lambda one: {one.plus(another): chance for another, chance in second.items()})


def repeated(number: Dice | None, each: Pmf) -> Pmf:
    def times(count: int) -> Pmf:
        distribution = certainly(Rolled())
        for _ in range(count):
            distribution = both(distribution, each)
        return distribution

    return certainly(Rolled()) if number is None else then(value(number), times)


def mortal(fired: list[Rule]) -> Pmf:
    distribution = certainly(Rolled())
    for rule in fired:
        if rule.mortal_wounds is not None:
            several = then(
                value(rule.mortal_wounds), lambda n: certainly(Rolled(waits=(("mortal", n),) if n else ()))
            )
            distribution = both(distribution, several)
    return distribution


def to_save(shot: Shot, hit_rules: tuple[Rule, ...], wound_rules: list[Rule]) -> Save:
    changed = [[r for r in fired if r.improve_ap or r.ap is not None] for fired in (hit_rules, wound_rules)]
    ap = shot.ap
    for rule in (*changed[0], *changed[1]):
        ap = ap if rule.ap is None else rule.ap
    better = sum(rule.improve_ap for rule in (*changed[0], *changed[1]))
    return Save(bool(changed[0]), bool(changed[1]), min(0, ap - better))


def judge(need: int, modifier: int, critical_from: int, face: int) -> str:
    if face == 1:
        return "fail"
    if face >= critical_from:
        return "critical"
    return "success" if face + modifier >= need or face == 6 else "fail"


def table(strength: int, toughness: int) -> int:
    if strength >= 2 * toughness:
        return 2
    if 2 * strength <= toughness:
        return 6
    return 4 - (strength > toughness) + (strength < toughness)


@cache
def one_wound(shot: Shot, toughness: int, hit_rules: tuple[Rule, ...], rulings: Rulings) -> Pmf:
    """Of one hit that rolls to wound."""
    modifier = clamp(shot.wound_modifier)
    need = table(shot.strength, toughness)
    critical_from = min(6, shot.critical_wound) if rulings.critical else 7

    def result(face: int) -> str:
        return judge(need, modifier, critical_from, face)

    def after(face: int) -> Pmf:
        if result(face) == "fail":
            return certainly(Rolled())
        fired = [r for r in shot.rules if r.roll == "wound" and r.fires(face, modifier, result(face))]
        if any(rule.instead for rule in fired):
            own = Rolled(wounds=1)
        elif shot.devastating_wounds and result(face) == "critical":
            own = Rolled(wounds=1, waits=(("devastating", 1),))
        else:
            own = Rolled(wounds=1, saves=(to_save(shot, hit_rules, fired),))
        return both(certainly(own), mortal(fired))

    def plain(face: int) -> str:
        return judge(need, 0, critical_from, face)

    return then(roll(int, rerolled(shot.reroll_wounds, result, plain, rulings)), after)


def wound_without_roll(shot: Shot, hit_rules: tuple[Rule, ...]) -> Pmf:
    fired = [rule for rule in shot.rules if rule.roll == "wound" and rule.on == "each"]
    if any(rule.instead for rule in fired):
        own = Rolled(wounds=1)
    else:
        own = Rolled(wounds=1, saves=(to_save(shot, hit_rules, fired),))
    return both(certainly(own), mortal(fired))


@cache
def one_attack(shot: Shot, toughness: int, rulings: Rulings) -> Pmf:
    modifier = clamp(shot.hit_modifier)
    rolling = one_wound(shot, toughness, (), rulings)
    if shot.skill is None:
        return both(certainly(Rolled(hits=1)), rolling)
    need = shot.skill

    def result(face: int) -> str:
        return judge(need, modifier, 6 if rulings.critical else 7, face)

    def after(face: int) -> Pmf:
        if result(face) == "fail":
            return certainly(Rolled())
        fired = [r for r in shot.rules if r.roll == "hit" and r.fires(face, modifier, result(face))]
        critical = result(face) == "critical"
        own = certainly(Rolled())
        if not any(rule.instead for rule in fired):
            if any(rule.wounds for rule in fired) or (critical and shot.lethal_hits):
                own = wound_without_roll(shot, tuple(fired))
            else:
                own = one_wound(shot, toughness, tuple(fired), rulings)
        distribution = both(both(certainly(Rolled(hits=1)), own), mortal(fired))
        extra = both(certainly(Rolled(hits=1)), rolling)
        for number in (shot.sustained_hits if critical else None, *(rule.extra_hits for rule in fired)):
            distribution = both(distribution, repeated(number, extra))
        return then(
            distribution, lambda rolled: certainly(rolled._replace(saves=tuple(sorted(rolled.saves))))
        )

    def plain(face: int) -> str:
        return judge(need, 0, 6 if rulings.critical else 7, face)

    return then(roll(int, rerolled(shot.reroll_hits, result, plain, rulings)), after)


def rerolled(
    policy: Reroll, result: Callable[[int], str], plain: Callable[[int], str], rulings: Rulings
) -> frozenset[int]:
    """9th edition: re-rolls come before modifiers, so that what has failed failed without them too."""
    faces = faces_rerolled(policy, result)
    if policy == "failed" and not rulings.critical:
        faces &= faces_rerolled(policy, plain)
    return faces


def of_most(toughness: list[int]) -> int:
    """9th edition, Mixed Unit: that of the majority of the models; of a tie its player picks the highest."""
    return max(toughness, key=lambda one: (toughness.count(one), one))


def met_toughness(unit: Unit, rulings: Rulings = Rulings()) -> int:
    models = [kind.profile.toughness for kind in unit if not kind.leader for _ in range(kind.profile.models)]
    return max(models) if rulings.critical else of_most(models)


@cache
def all_rolls(shot: Shot, toughness: int, rulings: Rulings) -> Pmf:
    return repeated(shot.attacks, one_attack(shot, toughness, rulings))


# ----------------------------------------------------------------------------------------------- saves and Feel No Pain


def is_saved(profile: Profile, ap: int) -> Pmf:
    """Whether; AP makes an armour save worse, and no other save."""
    needs = [profile.save - ap] if profile.save is not None else []
    needs += [profile.invulnerable] if profile.invulnerable is not None else []
    return roll(lambda face: bool(needs) and face > 1 and face >= min(needs))


@cache
def damage(shot: Shot, profile: Profile, *, to_0: bool) -> Pmf:
    def modified(rolled: int) -> Pmf:
        points = Fraction(0 if to_0 else rolled)
        if profile.half_damage:
            points /= 2
        points = max(Fraction(0 if to_0 else 1), points + shot.melta - profile.damage_reduction)
        return certainly(-(-points.numerator // points.denominator))

    return then(value(shot.damage), modified)


def ignoring(profile: Profile, *, is_mortal: bool, psychic: bool) -> Pmf:
    """Whether one wound is ignored."""
    usable = [
        profile.feel_no_pain,
        profile.feel_no_pain_mortal if is_mortal else None,
        profile.feel_no_pain_psychic if psychic else None,
    ]
    need = min((number for number in usable if number is not None), default=7)
    return roll(lambda face: face >= need)
