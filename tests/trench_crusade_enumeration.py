"""Trench Crusade played with every ordered roll of plain dice: slow, and nothing in common with the package.

Written from the rules alone (Trench Crusade 1.0.2, Success Rolls to Injuries), so that a mistake in one of the two
ways to count shows as a difference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import factorial

Mod = dict[str, int]


@dataclass(frozen=True)
class Model:
    """The target as it is before an attack."""

    result: int = 0  # 0 miss, 1 no effect, 2 minor hit, 3 down, 4 out of action
    blood: int = 0
    blessing: int = 0
    down: bool = False
    tough_used: bool = False


@dataclass(frozen=True)
class Blow:
    """One attack: numbers and keywords as printed, and what both sides spend on its Injury Roll."""

    melee: bool = False
    dice: int = 0
    injury_dice: int = 0
    injury_modifier: int = 0
    keywords: frozenset[str] = frozenset()
    cover: bool = False
    far: bool = False
    off_hand: bool = False
    spend: int = 0
    bloodbath: bool = False
    reply: int = 0


@dataclass(frozen=True)
class Defence:
    """What the target wears and is."""

    characteristic: int = 0
    armour: int = 0
    shield: bool = False
    hard: frozenset[str] = frozenset()
    dice: int = 0
    keywords: frozenset[str] = frozenset()


@cache
def rolled(keep: int, net: int) -> Counter[int]:
    """How many of all ordered rolls have each sum of the dice that count; rolls of the same faces counted at once."""
    count: Counter[int] = Counter()
    for ordered in combinations_with_replacement(range(1, 7), keep + abs(net)):
        orders = factorial(len(ordered))
        for same in Counter(ordered).values():
            orders //= factorial(same)
        count[sum(ordered[-keep:] if net > 0 else ordered[:keep])] += orders
    return count


def chances(keep: int, net: int) -> list[tuple[int, Fraction]]:
    count = rolled(keep, net)
    return [(total, Fraction(ways, 6 ** (keep + abs(net)))) for total, ways in count.items()]


def one_attack(model: Model, blow: Blow, defence: Defence) -> dict[tuple[Model, bool], Fraction]:
    """Law of the model afterwards, and whether a Risky roll failed."""
    law: dict[tuple[Model, bool], Fraction] = {}
    if "FLAMETHROWER" in blow.keywords:
        rolls = [(7, Fraction(1))]
    else:
        net = blow.dice - blow.cover - blow.off_hand - (blow.far and "SHOTGUN" not in blow.keywords)
        rolls = chances(2, net)
    for total, p in rolls:
        if total < 7:
            key = (model, "RISKY" in blow.keywords)
            law[key] = law.get(key, Fraction(0)) + p
            continue
        for after, q in injury(model, blow, defence, critical=total == 12).items():
            law[after, False] = law.get((after, False), Fraction(0)) + p * q
    return law


def injury(model: Model, blow: Blow, defence: Defence, *, critical: bool) -> dict[Model, Fraction]:
    blood, net, keep, bath = model.blood, blow.injury_dice, 2, False
    if critical:
        net += 2 if "CRITICAL" in blow.keywords else 1
    if blow.melee and model.down:
        net += 1
    if blow.far and "SHOTGUN" in blow.keywords:
        net -= 1
    net += defence.dice
    if blow.bloodbath and blood >= (3 if model.down else 6):
        blood -= 3 if model.down else 6
        bath = True
        keep += 1
    if "DEADLY" in blow.keywords:
        keep += 1
    for _ in range(blow.spend):
        if blood:
            blood, net = blood - 1, net + 1
    blessing = model.blessing
    for _ in range(blow.reply):
        if blessing:
            blessing, net = blessing - 1, net - 1
    law: dict[Model, Fraction] = {}
    spent = replace(model, blood=blood, blessing=blessing)
    for total, p in chances(keep, net):
        after = settle(spent, blow, defence, total + modifier(blow, defence), bath=bath)
        law[after] = law.get(after, Fraction(0)) + p
    return law


def modifier(blow: Blow, defence: Defence) -> int:
    worn: Mod = {
        "characteristic": defence.characteristic,
        "armour": defence.armour,
        "shield": -1 if defence.shield else 0,
    }
    soft = sum(value for name, value in worn.items() if name not in defence.hard)
    hard = sum(value for name, value in worn.items() if name in defence.hard)
    if "IGNORE ARMOUR" in blow.keywords:
        soft = 0
    elif "ARMOUR PIERCING" in blow.keywords and soft < 0:
        soft += 1
    bad, good = soft + hard, 0
    if blow.injury_modifier < 0:
        bad += blow.injury_modifier
    else:
        good += blow.injury_modifier
    return max(bad, -3) + good


def settle(model: Model, blow: Blow, defence: Defence, total: int, *, bath: bool) -> Model:
    result = 1 if total <= 1 else 2 if total <= 6 else 3 if total <= 8 else 4
    tough = model.tough_used
    if result == 4 and "GOLEM" in defence.keywords and not bath:
        result = 3
    if result == 4 and "TOUGH" in defence.keywords and not tough:
        result, tough = 3, True
    if result == 3 and defence.armour == -3:
        result = 2
    if result == 4:
        return Model(result=4, tough_used=tough)
    gained = 0
    if result == 2:
        gained = 1
    elif result == 3:
        gained = 2 if model.down else 1
    for keyword in ("FIRE", "GAS", "SHRAPNEL"):
        if keyword in blow.keywords and f"NEGATE {keyword}" not in defence.keywords:
            gained += 1
    return Model(
        max(model.result, result),
        min(6, model.blood + gained),
        model.blessing,
        model.down or result == 3,
        tough,
    )


def attacks(model: Model, blows: list[Blow], defence: Defence) -> dict[Model, Fraction]:
    """All attacks in one Activation; the target that is gone and the Activation that is over end them."""
    law = {(model, False): Fraction(1)}
    for blow in blows:
        after: dict[tuple[Model, bool], Fraction] = {}
        for (before, over), p in law.items():
            if over or before.result == 4:
                after[before, over] = after.get((before, over), Fraction(0)) + p
                continue
            for key, q in one_attack(before, blow, defence).items():
                after[key] = after.get(key, Fraction(0)) + p * q
        law = after
    ends: dict[Model, Fraction] = {}
    for (found, _), p in law.items():
        ends[found] = ends.get(found, Fraction(0)) + p
    return ends
