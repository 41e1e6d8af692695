"""Trench Crusade played with every ordered roll of plain dice: slow, and nothing in common with the package.

Written from the rules alone (Trench Crusade 1.0.2, Success Rolls to Injuries), so that a mistake in one of the two
ways to count shows as a difference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations_with_replacement, product
from math import factorial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

Mod = dict[str, int]


@dataclass(frozen=True)
class Model:
    """The target as it is before an attack."""

    result: int = 0  # 0 miss, 1 no effect, 2 minor hit, 3 down, 4 out of action
    blood: int = 0
    blessing: int = 0
    down: bool = False
    tough_used: bool = False
    infection: int = 0


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
    spend_infection: int = 0


@dataclass(frozen=True)
class Act:
    """The attacks of one model in its Activation; two in a row of a Fireteam are Activated together."""

    blows: tuple[Blow, ...]
    fireteam: bool = False
    concentrated: bool = False


@dataclass(frozen=True)
class Readings:
    """How disputed points are read."""

    piercing_after_cap: bool = False
    net_cap: bool = False


@dataclass(frozen=True)
class Defence:
    """What the target wears and is."""

    characteristic: int = 0
    armour: int = 0
    shield: bool = False
    hard: frozenset[str] = frozenset()
    dice: int = 0
    keywords: frozenset[str] = frozenset()
    regenerate: int = 0


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


def success_dice(blow: Blow, defence: Defence) -> int:
    """What is added to the two dice of a Success Roll (p43, p45, p54, p55, p57)."""
    net = blow.dice
    behind = blow.cover or "COVER" in defence.keywords
    if blow.melee:
        net -= behind
        net -= blow.off_hand and "IGNORE OFF-HAND WEAPON" not in blow.keywords
    else:
        net -= behind and "IGNORE COVER" not in blow.keywords
        net -= blow.far and "SHOTGUN" not in blow.keywords and "IGNORE LONG RANGE" not in blow.keywords
    return net


def one_attack(
    model: Model, blow: Blow, defence: Defence, *, cheap: bool = False, readings: Readings = Readings()
) -> dict[tuple[Model, bool, bool], Fraction]:
    """Distribution of the model afterwards, whether a Risky roll failed, and whether the attack hit."""
    distribution: dict[tuple[Model, bool, bool], Fraction] = {}
    flame = "FLAMETHROWER" in blow.keywords
    rolls = [(7, Fraction(1))] if flame else chances(2, success_dice(blow, defence))
    for total, p in rolls:
        if total < 7:
            key = (model, "RISKY" in blow.keywords, False)
            distribution[key] = distribution.get(key, Fraction(0)) + p
            continue
        critical = total == 12
        for after, q in injury(
            model, blow, defence, critical=critical, cheap=cheap, readings=readings
        ).items():
            distribution[after, False, True] = distribution.get((after, False, True), Fraction(0)) + p * q
    return distribution


def injury(
    model: Model,
    blow: Blow,
    defence: Defence,
    *,
    critical: bool,
    cheap: bool = False,
    readings: Readings = Readings(),
) -> dict[Model, Fraction]:
    blood, infection, net, keep, bath = model.blood, model.infection, blow.injury_dice, 2, False
    if critical:
        net += 2 if "CRITICAL" in blow.keywords else 1
    if blow.melee and model.down:
        net += 1
    if blow.far and "SHOTGUN" in blow.keywords and "IGNORE LONG RANGE" not in blow.keywords:
        net -= 1
    net += defence.dice
    price = 3 if model.down or cheap else 6
    if blow.bloodbath and blood + infection >= price:
        bath = True
        keep += 1
        for _ in range(price):  # Blood Markers first
            if blood:
                blood -= 1
            else:
                infection -= 1
    if "DEADLY" in blow.keywords:
        keep += 1
    for _ in range(blow.spend):
        if blood:
            blood, net = blood - 1, net + 1
    for _ in range(blow.spend_infection):
        if infection:
            infection, net = infection - 1, net + 1
    blessing = model.blessing
    for _ in range(blow.reply):
        if blessing:
            blessing, net = blessing - 1, net - 1
    distribution: dict[Model, Fraction] = {}
    spent = replace(model, blood=blood, infection=infection, blessing=blessing)
    for total, p in chances(keep, net):
        after = settle(spent, blow, defence, total + modifier(blow, defence, readings), bath=bath)
        distribution[after] = distribution.get(after, Fraction(0)) + p
    return distribution


def modifier(blow: Blow, defence: Defence, readings: Readings = Readings()) -> int:
    worn: Mod = {
        "characteristic": defence.characteristic,
        "armour": defence.armour,
        "shield": -1 if defence.shield else 0,
    }
    soft = sum(value for name, value in worn.items() if name not in defence.hard)
    hard = sum(value for name, value in worn.items() if name in defence.hard)
    if "IGNORE ARMOUR" in blow.keywords:
        soft = 0
    bad, good = soft + hard, 0
    if "ARMOUR PIERCING" in blow.keywords and soft < 0:
        if (
            readings.piercing_after_cap
        ):  # 3 of the armour count, of which one is pierced, but none that is impervious
            bad = -max(min(3, -bad) - 1, min(3, -hard))
        else:
            bad += 1
    if blow.injury_modifier < 0:
        bad += blow.injury_modifier
    else:
        good += blow.injury_modifier
    return max(bad + good, -3) if readings.net_cap else max(bad, -3) + good


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
    infects = "INFECTION MARKERS" in blow.keywords  # Warbands, p127: in place of Blood Markers
    return Model(
        max(model.result, result),
        min(6, model.blood + (0 if infects else gained)),
        model.blessing,
        model.down or result == 3,
        tough,
        min(6, model.infection + (gained if infects else 0)),
    )


def activated(model: Model, defence: Defence) -> Model:
    """The target is Activated: it stands up (p49), infection spreads (Warbands, p128), REGENERATE (p55, p56)."""
    removed = 0 if "GOLEM" in defence.keywords else defence.regenerate
    return replace(
        model,
        down=False,
        blood=max(0, model.blood - removed),
        infection=min(6, model.infection + 1) if model.infection else 0,
    )


def attacks(model: Model, blows: list[Blow], defence: Defence) -> dict[Model, Fraction]:
    """All attacks in one Activation; the target that is gone and the Activation that is over end them."""
    return activations(model, [Act(tuple(blows))], defence)


def activations(
    model: Model, acts: list[Act | None], defence: Defence, readings: Readings = Readings()
) -> dict[Model, Fraction]:
    """Activations in a row; ``None`` is the target's own.

    In the joint Activation of a Fireteam (p54) what ends one member's Activation ends the other's; for who has
    Concentrated Attack a Bloodbath is cheap on a target that the other has hit (Warbands, p23).
    """
    distribution: dict[tuple[Model, bool, bool], Fraction] = {(model, False, False): Fraction(1)}
    before: Act | None = None
    for act in acts:
        joint = before is not None and act is not None and before.fireteam and act.fireteam
        start: dict[tuple[Model, bool, bool], Fraction] = {}
        for (found, over, partner_hit), p in distribution.items():
            alive = found if act is not None or found.result == 4 else activated(found, defence)
            key = (alive, over, partner_hit) if joint else (alive, False, False)
            start[key] = start.get(key, Fraction(0)) + p
        distribution = start if act is None else one_activation(start, act, defence, readings)
        before = act
    ends: dict[Model, Fraction] = {}
    for (found, _, _), p in distribution.items():
        ends[found] = ends.get(found, Fraction(0)) + p
    return ends


def one_activation(
    distribution: dict[tuple[Model, bool, bool], Fraction], act: Act, defence: Defence, readings: Readings
) -> dict[tuple[Model, bool, bool], Fraction]:
    """Distribution of the model, of whether the Activation is over and of whether this member of a Fireteam hit."""
    now = {(model, over, partner_hit, False): p for (model, over, partner_hit), p in distribution.items()}
    for blow in act.blows:
        after: dict[tuple[Model, bool, bool, bool], Fraction] = {}
        for (model, over, partner_hit, hit), p in now.items():
            if over or model.result == 4:
                keys = {(model, over, partner_hit, hit): Fraction(1)}
            else:
                made = one_attack(
                    model, blow, defence, cheap=partner_hit and act.concentrated, readings=readings
                )
                keys = {}
                for (found, failed, hits), q in made.items():
                    key = (found, failed, partner_hit, hit or hits)
                    keys[key] = keys.get(key, Fraction(0)) + q
            for key, q in keys.items():
                after[key] = after.get(key, Fraction(0)) + p * q
        now = after
    left: dict[tuple[Model, bool, bool], Fraction] = {}
    for (model, over, _, hit), p in now.items():
        left[model, over, hit and act.fireteam] = (
            left.get((model, over, hit and act.fireteam), Fraction(0)) + p
        )
    return left


@dataclass(frozen=True)
class Fighter:
    """A model, what it wears, and what it does when it is activated; the first time it may do something else."""

    model: Model
    defence: Defence
    blows: tuple[Blow, ...]
    opening: tuple[Blow, ...] = ()


def exchange(
    sides: tuple[tuple[Fighter, ...], tuple[Fighter, ...]], turns: int
) -> dict[tuple[tuple[Model, ...], tuple[Model, ...]], Fraction]:
    """Activate both sides in turn, each against the first enemy that is left; two models are activated together.

    Who is activated stands up (p49). Whose enemies are all Out of Action is not activated any more.
    """
    start = tuple(tuple(fighter.model for fighter in side) for side in sides)
    table = {(start[0], start[1]): Fraction(1)}
    for turn in range(turns):
        by, after = turn % 2, {}
        for (first, second), p in table.items():
            own, enemy = (first, second) if by == 0 else (second, first)
            left = [place for place, model in enumerate(own) if model.result != 4]
            aim = [place for place, model in enumerate(enemy) if model.result != 4]
            if not left or not aim:
                after[first, second] = after.get((first, second), Fraction(0)) + p
                continue
            fighters = [sides[by][place] for place in left]
            acts: list[Act | None] = [
                Act((turn < 2 and fighter.opening) or fighter.blows, len(left) > 1) for fighter in fighters
            ]
            mine = tuple(
                activated(model, sides[by][place].defence) if model.result != 4 else model
                for place, model in enumerate(own)
            )
            fresh = replace(enemy[aim[0]], result=0)
            for model, q in activations(fresh, acts, sides[1 - by][aim[0]].defence).items():
                hurt = (*enemy[: aim[0]], model, *enemy[aim[0] + 1 :])
                key = (mine, hurt) if by == 0 else (hurt, mine)
                after[key] = after.get(key, Fraction(0)) + p * q
        table = after
    return table


Plan = dict[object, int]


class Duel:
    """Two equal models that attack in turn, one attack each time; the attacker spends first on an Injury Roll.

    Worth the chance that the second is Out of Action less that of the first, which the first wants great.
    """

    def __init__(
        self,
        model: Model,
        blow: Blow,
        turns: int,
        kinds: Collection[str] = ("spend", "reply"),
        fixed: int = 0,
    ) -> None:
        self.start, self.blow, self.turns, self.kinds, self.fixed = (model, model), blow, turns, kinds, fixed
        self.asked: dict[int, dict[object, int]] = {0: {}, 1: {}}
        self.known: dict[object, Fraction] = {}

    def value(self, plan: Plan | None = None) -> Fraction:
        """What it is worth under a plan of both, or where each does what is best for it."""
        self.plan, self.known = plan, {}
        return self.turn(0, self.start)

    def plans(self, player: int) -> list[Plan]:
        """Every plan of one side."""
        self.value()
        asked = self.asked[player]
        return [dict(zip(asked, each, strict=True)) for each in product(*map(range, asked.values()))]

    def choice(self, player: int, kind: str, here: object, options: list[Callable[[], Fraction]]) -> Fraction:
        """What one of the options is worth, the plan's or the best."""
        if kind not in self.kinds:
            return options[min(self.fixed, len(options) - 1) if kind == "spend" else 0]()
        if self.plan is not None and len(options) > 1:
            return options[self.plan[here]]()
        if len(options) > 1:
            self.asked[player][here] = len(options)
        return (max if player == 0 else min)(option() for option in options)

    def turn(self, made: int, models: tuple[Model, Model]) -> Fraction:
        if models[0].result == 4 or models[1].result == 4 or made == self.turns:
            return Fraction((models[1].result == 4) - (models[0].result == 4))
        if (made, models) not in self.known:
            self.known[made, models] = self.attack(made, activated(models[made % 2], Defence()), models)
        return self.known[made, models]

    def attack(self, made: int, own: Model, models: tuple[Model, Model]) -> Fraction:
        by, enemy = made % 2, replace(models[1 - made % 2], result=0)

        def after(own: Model, enemy: Model) -> Fraction:
            return self.turn(made + 1, (own, enemy) if by == 0 else (enemy, own))

        def hit(own: Model, *, critical: bool) -> Fraction:
            ways = [replace(self.blow, spend=number) for number in range(enemy.blood + 1)]
            price = 3 if enemy.down else 6
            spare = range(enemy.blood - price + 1) if "spend" in self.kinds else ()
            ways += [replace(self.blow, bloodbath=True, spend=number) for number in spare]

            def answered(way: Blow) -> Fraction:
                replies = [replace(way, reply=number) for number in range(enemy.blessing + 1)]

                def worth(made_with: Blow) -> Fraction:
                    table = injury(enemy, made_with, Defence(), critical=critical)
                    return sum((p * after(own, found) for found, p in table.items()), Fraction())

                here = made, own, enemy, critical, way
                return self.choice(1 - by, "reply", here, [partial(worth, each) for each in replies])

            return self.choice(
                by, "spend", (made, own, enemy, critical), [partial(answered, way) for way in ways]
            )

        def aimed(blessed: int, number: int) -> Fraction:
            left = replace(own, blood=own.blood - number, blessing=own.blessing - blessed)
            rolls = chances(2, success_dice(self.blow, Defence()) + blessed - number)
            worth = (
                p * (after(left, enemy) if total < 7 else hit(left, critical=total == 12))
                for total, p in rolls
            )
            return sum(worth, Fraction())

        def answered_by_blood(blessed: int) -> Fraction:
            ways = [partial(aimed, blessed, number) for number in range(own.blood + 1)]
            return self.choice(1 - by, "reply", (made, own, enemy, blessed), ways)

        if "FLAMETHROWER" in self.blow.keywords:
            return hit(own, critical=False)
        blessings = range(own.blessing + 1 if "spend" in self.kinds else 1)
        ways = [partial(answered_by_blood, number) for number in blessings]
        return self.choice(by, "spend", (made, own, enemy, "aim"), ways)
