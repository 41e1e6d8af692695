"""Attacks on one unit, from the hit roll to the last point of damage, and fights of two units in turn."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mathhammer import validation
from mathhammer.display.numbers import count, exact_number
from mathhammer.distributions import Distribution, JointDistribution
from mathhammer.distributions.chain import extended
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions import dice
from mathhammer.expressions.base import as_expression
from mathhammer.sequence.attack_distribution import repeated
from mathhammer.sequence.call import records_call
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.sequence.pools import SharedPools
from mathhammer.sequence.result import AttackResult, MixedResult, last_steps, total_of
from mathhammer.sequence.unit_distribution import UnitDistribution, start_distribution
from mathhammer.systems.aos.profiles import KNOWN, Attacked, Unit, Weapons, as_target, as_weapons
from mathhammer.systems.aos.rules import EDITIONS, MortalDamage, Situation, Stages, Wards, rules_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.expressions.check import Check
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.aos.profiles import Target

#: Most rage dice of one Eruption of Fury (General's Handbook 2026-27).
MAXIMUM_FURY = 3
NAMES = "Models slain", "Damage points"
_CRITS = {
    "2 Hits": "a critical scores 2 hits",
    "Auto-wound": "a critical wounds without a roll",
    "Mortal": "a critical inflicts its Damage as mortal damage, and the sequence ends",
}


@records_call("aos")
def attack(
    weapons: Weapons,
    target: Attacked,
    /,
    *,
    edition: str = "4e",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: UnitDistribution | None = None,
    guard: Attacked | None = None,
    user: Attacked | None = None,
    rage_dice: int = MAXIMUM_FURY,
    **situation: Any,
) -> AttackResult:
    """Resolve the attacks of one ability, which fill one pool of damage points, on a unit.

    Parameters
    ----------
    weapons
        One or more, each as a `Weapon` or as the warscroll prints it: ``"Hellblade 2 3+ 3+ 1 1 Crit (Mortal)"``.
    target
        The unit that is attacked: the label of a standard target, a stat line, or a `Target`.
    edition
        The rules: ``"4e"``, or ``"4e-2024"`` as they were published.
    rulings
        Options for disputed points, by name; the others keep their defaults.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.
    start
        The result of earlier attacks on the same target: points stay on a unit between abilities.
    guard
        Another unit, which is allocated a point for each ward that the target passes; the state has both.
    user
        The unit that attacks, where its attacks are the rage dice of an Eruption of Fury: a 6 inflicts D3 mortal damage
        too, a 1 allocates D3 points to the user; the state has both.
    rage_dice
        The number of these dice, 1 to 3.
    **situation
        What else is true: the fields of :class:`mathhammer.aos.Situation`.

    Examples
    --------
    >>> blades = "Blades: 5 models, champion, Atk 2, Hit 3+, Wnd 3+, Rnd 1, Dmg 1 [Crit (Mortal)]"
    >>> attack(blades, "Liberators: 5 models, Health 2, Save 3+", exact=True).damage.mean()
    11/3

    References
    ----------
    Warhammer Age of Sigmar Core Rules (July 2024), 16 to 18; General's Handbook 2026-27, Eruption of Fury.
    """
    in_force = rules_of(edition, rulings)
    unit, at, struck_with = as_target(target), Situation(**situation), as_weapons(weapons)
    other = None if guard is None and user is None else as_target(user if guard is None else guard)
    fury = validation.whole(rage_dice, "rage_dice", 1, MAXIMUM_FURY) * (user is not None)
    if fury:
        if guard is not None or at.pain_dice or at.mortal_damage.bounds()[1] or len(struck_with) != 1:
            raise MathhammerError(
                "expected one weapon with user=..., and neither guard, pain_dice nor mortal_damage; attack once more"
            )
        struck_with = (struck_with[0].changed(attacks=fury, models=1, champion=False, battle_damaged=None),)
    stages = [Stages(weapon, unit, at, in_force, fury=fury > 0) for weapon in struck_with]
    wards = Wards(unit, at, in_force)
    mortal = [MortalDamage(at.mortal_damage, wards)] if at.mortal_damage.bounds()[1] else []
    volleys: list[Any] = [*stages, *mortal]
    if not (volleys or at.recovers):
        raise MathhammerError("expected a Weapon or more, or mortal_damage=..., got neither")
    if at.recovers and unit.damage:
        raise MathhammerError(
            f"expected start=... of a unit that heals, got {unit.damage} damage points on it"
        )
    struck, step = _erupted(stages[0], fury) if fury else _struck(volleys, wards, at, in_force, bool(guard))
    pools = pools_of(unit, other, "user" if fury else "guard")
    exact = validation.flag(exact, "exact")
    before = start_distribution(pools, start, exact=exact)
    states = _allocated(pools, struck, step, before, at, first=in_force["rally_spend"])

    def explained(result: AttackResult) -> Explanation:
        steps = [each for stage in stages for each in weapon_steps(stage)]
        more = [Step("Mortal damage", str(each.points), (), _mean(each.points.compute())) for each in mortal]
        names = ", ".join(stage.weapon.name for stage in stages) or "Mortal damage"
        text = f"heals {at.heal}, rallies with {count(at.rally, 'die', 'dice')} (Core Rules, 21 and 22)"
        steps += [*more, *_wards(wards), *[Step("Afterwards", text)] * at.recovers]
        return explanation(result, f"{names} against {unit.name}", steps, other)

    rules: Any = {"edition": edition, "rulings": in_force, "explanation": explained, "names": NAMES}
    return AttackResult(pools, states, volleys, exact=exact, **rules)


def pools_of(unit: Target, other: Target | None, what: str) -> SharedPools:
    """Return the Health of a unit, and that of another one which the same dice hurt."""
    both = () if other is None else (other.pool(f"{what} {other.name}"),)
    return SharedPools((unit.pool(unit.name), *both), others=len(both))


def _erupted(stages: Stages, dice: int) -> tuple[Distribution, int]:
    """Return the points on the target times a step, and those on the user."""
    counts = repeated(stages.erupting(), IntegerDistribution(dice, (1,), 1)).plain.coefficients
    step = 1 + max(hurt for _, hurt in counts)
    codes = {points * step + hurt: ways for (points, hurt), ways in counts.items()}
    return Distribution.from_weights(codes, exact=True), step


def _struck(
    volleys: Sequence[Any],
    wards: Wards,
    at: Situation,
    rulings: Rulings,
    guarded: bool,  # noqa: FBT001
) -> tuple[Distribution, int]:
    """Return the points that are allocated: those of the target times a step, and those of its guard."""
    # Each die of Fight Through the Pain removes a point on 3+ (General's Handbook 2026-27).
    pain = dice(f"{at.pain_dice}(D6>=3)" if at.pain_dice else "0").compute()
    early = at.pain_dice > 0 and rulings["fight_through_pain"] == "before-wards"
    pool = total_of(volleys, lambda each: each.damage(warded=not (guarded or early)))
    if not (guarded or early):
        return (pool - pain).map(lambda points: max(0, points)), 1
    joint = JointDistribution.from_distribution(["pool"], pool, lambda points: (points,))
    joint = extended(joint, "pain", lambda _: pain)

    def left(of: Sequence[int]) -> Distribution:
        points = IntegerDistribution(max(0, of[0] - early * of[1]), (1,), 1)
        return wards.thinned(points).distribution()

    joint = extended(joint, "left", left)
    step = 1 + pool.support[-1] if guarded else 1

    def allocated(points: int, less: int, left: int) -> int:
        passed = max(0, points - early * less) - left
        return (left if early else max(0, left - less)) * step + guarded * passed

    return joint.map(allocated), step


def _allocated(
    pools: SharedPools,
    struck: Distribution,
    step: int,
    before: Distribution | None,
    at: Situation,
    *,
    first: str,
) -> Distribution:
    """Return the states once points are allocated one by one, those beyond the last model lost, and it recovers."""
    # Core Rules, 18.2, 21 and 22; Advanced Rules, Rally: each 4+ heals a point, or Health of them return a model.
    if len(pools.pools) == 1:
        struck = struck.map(lambda points: min(points, pools.left[0]))
    rallied = dice(f"{at.rally}(D6>=4)" if at.rally else "0").compute()
    start = before or Distribution.from_weights({0: 1}, exact=True)
    axes, pool = [each.name for each in pools.pools], pools.pools[0]
    joint = JointDistribution.from_distribution(axes, start, pools.lost.__getitem__)
    for name, law in (("points", struck), ("healed", at.heal.compute()), ("rallied", rallied)):
        joint = extended(joint, name, lambda _, law=law: law)  # type: ignore[misc]

    def after(*found: int) -> int:
        *lost, points, healed, returning = found
        own, *others = pools.after(lost, divmod(points, step))
        slain, hurt = divmod(own, pool.wounds)
        if slain < pool.models:
            hurt -= min(hurt, healed)
            early = min(hurt, returning) if first == "heal-first" else 0
            returned = min(slain, (returning - early) // pool.wounds)
            slain, hurt = slain - returned, hurt - min(hurt, returning - returned * pool.wounds)
        return pools.index((slain * pool.wounds + hurt, *others))

    return joint.map(after)


def explanation(
    result: AttackResult, heading: str, steps: Sequence[Step], other: Target | None
) -> Explanation:
    """Return what is common to all: what another unit loses jointly, and what it comes to."""
    found = list(steps)
    if other is not None:
        state, name = in_fractions(result).state, result.unit.axes[2].removesuffix(" destroyed")
        lost = state.marginal(f"{name} destroyed").mean() * other.health - other.damage
        lost += state.marginal(f"{name} wounds lost by next").mean()
        found.append(Step("Other unit", f"{name}: mean {exact_number(lost)} damage points"))
    found += last_steps(result, "Damaging hits", "Damage points", "Models slain")
    return Explanation(f"{heading} ({EDITIONS[result.edition]})", tuple(found))


def _wards(wards: Wards) -> list[Step]:
    text, said = f"{_needed(wards.check)} for each point (Core Rules, 18.1)", map(str, wards.modifiers)
    chance = (Probability("left", wards.left, 36),)
    return [Step("Ward", text, tuple(said), chance)] if wards.left < 36 else []


def weapon_steps(stages: Stages) -> Iterator[Step]:
    """Yield the steps of one weapon, each with its section of the Core Rules of July 2024."""
    weapon, save = stages.weapon, stages.save
    said = {name: tuple(map(str, each)) for name, each in stages.modifiers.items()}
    yield Step("Weapon", str(weapon))
    yield Step("Attacks", f"{stages.number.expression} (Core Rules, 26)", said["attacks"])
    critical = Probability("critical", stages.hit.weights()[2], 36)
    text = f"{_needed(stages.hit)}{'' if stages.fury else f'; critical on {stages.criticals_on}+'}"
    chances = (_chance("hit", stages.hit), *([critical] if critical.numerator else []))
    yield Step("To hit", f"{text} (Core Rules, 17)", said["hit"], chances)
    yield from (Step(f"Crit ({crit})", f"{_CRITS[crit]} (Core Rules, 20)") for crit in sorted(stages.crits))
    chances = (_chance("wound", stages.wound),)
    yield Step("To wound", f"{_needed(stages.wound)} (Core Rules, 17)", said["wound"], chances)
    needed = "none" if stages.target.save is None else _needed(save)
    rend = (f"-{stages.rend} (Rend)",) if stages.rend else ()
    more = (*rend, *map("Rend {}".format, said["rend"]), *said["save"])
    unsaved = (Probability("unsaved", save.weights()[0], 36),)
    yield Step("Save", f"{needed}; modifiers together at most +1 (Core Rules, 17.1)", more, unsaved)
    each = stages.unsaved().plain
    counts = enumerate(each.of_sum())
    found = [Probability(f"{count} unsaved", ways, each.denominator) for count, ways in counts if count]
    yield Step("Each attack", "hits that inflict their Damage", (), tuple(found))
    mean = _mean(stages.points().distribution())
    yield Step("Damage", f"{weapon.damage} (Core Rules, 17)", said["damage"], mean)
    if stages.fury:
        yield Step("Rage dice", "a 6: D3 mortal damage too; a 1: D3 points on the user (Handbook 2026-27)")
    if weapon.has("Companion"):
        yield Step("Companion", "bonuses of friends do not reach it (Core Rules, 20)")
    idle = (each for each in weapon.attributes if not KNOWN.match(each))
    yield from (Step(each, "is not computed: no ability of the core rules") for each in idle)


def _needed(check: Check) -> str:
    after = f"; after modifiers {check.need - check.modifier}+" if check.modifier else ""
    return f"{check.need}+{f'; re-roll {check.reroll}' if check.reroll else ''}{after}"


def _chance(name: str, check: Check) -> Probability:
    return Probability(name, 36 - check.weights()[0], 36)


def _mean(found: Distribution) -> tuple[Probability, ...]:
    mean = in_fractions(found).mean()
    return (Probability("mean", int(mean.numerator), int(mean.denominator)),)


#: When units strike, by their abilities (Core Rules, 19): before, with and after all others; both cancel.
_STEPS = {"first": 0, None: 1, "last": 2}


@records_call("aos")
def fight(
    first: Unit,
    second: Unit,
    /,
    *,
    active: Literal["first", "second", "roll"] = "first",
    first_situation: Situation | None = None,
    second_situation: Situation | None = None,
    edition: str = "4e",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: UnitDistribution | None = None,
) -> AttackResult:
    """Fight with two units in turn, of which the slain strike no more: what becomes of both, jointly.

    The result is that of the attacks on the second unit; its `state` has the first one too.

    Parameters
    ----------
    first, second
        Each a `Unit` with its melee weapons.
    active
        Whose turn it is: those units strike first unless abilities say otherwise. ``"roll"`` for the priority roll,
        after a round in which the first player went first.
    first_situation, second_situation
        What else is true of the attacks of each; All-out Attack worsens the saves of its user afterwards.
    edition, rulings, exact
        As for `attack`.
    start
        The result of an earlier fight of these two units.

    Examples
    --------
    >>> guard = Unit("Guard: 5 models, Health 2, Save 3+", "Hammer: 5 models, Atk 2, Hit 3+, Wnd 3+, Rnd 1")
    >>> mob = Unit("Mob: 10 models, Health 1, Save 5+", "Club: 10 models, Atk 2, Hit 4+, Wnd 4+")
    >>> fight(guard, mob, exact=True).kills.mean()
    100/27

    References
    ----------
    Warhammer Age of Sigmar Core Rules (July 2024), 12, 13.1 and 19.
    """
    in_force = rules_of(edition, rulings)
    units = validation.items((first, second), Unit, "two Units that fight")
    validation.one_of(active, ("first", "second", "roll"), "active")
    given = [Situation() if each is None else each for each in (first_situation, second_situation)]
    at = validation.items(given, Situation, "a Situation of each unit")
    if any(each.pain_dice or each.recovers for each in at):
        raise MathhammerError(
            "expected no pain_dice, heal or rally in a fight, got some; attack() knows them"
        )
    pools = pools_of(second.target, first.target, "own")
    game = _UnitFight((units[0], units[1]), at, pools, edition, in_force, validation.flag(exact, "exact"))
    start_of = start_distribution(pools, start, exact=exact) or Distribution.from_weights({0: 1}, exact=True)
    if active != "roll":
        return game.result(active, start_of)
    chances = Distribution.from_weights({0: 21, 1: 15}, exact=exact)
    return MixedResult(chances, [game.result(each, start_of) for each in ("first", "second")], names=NAMES)


class _UnitFight(NamedTuple):
    """Two units that strike in turn: a state is the points lost by the second one and by the first one."""

    units: tuple[Unit, Unit]
    situations: Sequence[Situation]
    pools: SharedPools
    edition: str
    rulings: Rulings
    exact: bool

    def standing(self, place: int, lost: Sequence[int]) -> tuple[int, bool]:
        # Models that are left, and whether the unit is Battle Damaged.
        pool, gone = self.pools.pools[1 - place], lost[1 - place]
        most = self.units[place].target.battle_damaged_at or pool.wounds + 1
        return -(-(pool.left - gone) // pool.wounds), (pool.lost + gone) % pool.wounds >= most

    def volleys(self, place: int, models: int, damaged: bool, after: bool) -> list[Any]:  # noqa: FBT001
        unit, target, at = self.units[place], self.units[1 - place].target, self.situations[place]
        # All-out Attack worsens the saves of its user for the rest of the turn.
        exposed = at.target_all_out_attack or (after and self.situations[1 - place].all_out_attack)
        at = at.changed(battle_damaged=at.battle_damaged or damaged, target_all_out_attack=exposed)
        using = ((weapon, min(weapon.models, models - weapon.behind)) for weapon in unit.only("melee"))
        armed = [weapon.changed(models=number) for weapon, number in using if number > 0]
        found = [Stages(weapon, target, at, self.rulings) for weapon in armed]
        points = unit.mortal_damage + at.mortal_damage if models else as_expression(0)
        return [*found, MortalDamage(points, Wards(target, at, self.rulings))]

    def struck(self, states: Distribution, place: int, *, after: bool) -> Distribution:
        @cache
        def points(models: int, damaged: bool) -> Distribution:  # noqa: FBT001
            return total_of(self.volleys(place, models, damaged, after), lambda each: each.damage())

        axes = [pool.name for pool in self.pools.pools]
        joint = JointDistribution.from_distribution(axes, states, self.pools.lost.__getitem__)
        reached = extended(joint, "points", lambda lost: points(*self.standing(place, lost)))
        # The first unit strikes at the first pool.
        hurt = (lambda more: (0, more)) if place else (lambda more: (more, 0))
        return reached.map(lambda *lost: self.pools.index(self.pools.after(lost[:2], hurt(lost[2]))))

    def result(self, active: str, states: Distribution) -> AttackResult:
        # The attacks of the first unit, by what is left of it when it strikes.
        mine, theirs = (_STEPS[unit.strikes] for unit in self.units)
        after = theirs < mine or (theirs == mine and active == "second")
        states = self.struck(states, 1, after=False) if after else states
        before, own = UnitDistribution(self.pools, states), self.units[0].target
        cases, given, which = before.cases(
            lambda at: self.standing(0, (0, at[2] * own.health + at[3] - own.damage))
        )
        results, explained = [], partial(self.explained, after)
        for case, each in zip(cases, given, strict=True):
            ends = self.struck(each._states, 0, after=after)  # noqa: SLF001 - whole numbers, as they are made here
            ends = ends if after else self.struck(ends, 1, after=True)
            volleys = self.volleys(0, *case, after)
            rules: Any = {"edition": self.edition, "rulings": self.rulings, "explanation": explained}
            results.append(AttackResult(self.pools, ends, volleys, exact=self.exact, names=NAMES, **rules))
        seen = which.handed_out(exact=self.exact)
        return results[0] if len(results) == 1 else MixedResult(seen, results, explained, names=NAMES)

    def explained(self, after: bool, result: AttackResult) -> Explanation:  # noqa: FBT001
        steps: list[Step] = []
        for place in (1, 0) if after else (0, 1):
            unit, then = self.units[place], bool(steps)
            steps.append(
                Step("Strikes", f"{unit.target.name}, {'then' if then else 'first'} (Core Rules, 19)")
            )
            volleys = self.volleys(place, unit.target.models, damaged=False, after=then)
            steps += [step for each in volleys if isinstance(each, Stages) for step in weapon_steps(each)]
        first, second = (unit.target for unit in self.units)
        return explanation(result, f"{first.name} and {second.name}", steps, first)
