"""Attacks on one unit, from the hit roll to the last point of damage, and fights of two units in turn."""

from __future__ import annotations

import sys
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

from mathhammer import validation
from mathhammer.display.numbers import count, exact_number
from mathhammer.distributions import Distribution, JointDistribution
from mathhammer.distributions.chain import extended
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions import dice
from mathhammer.expressions.base import as_expression
from mathhammer.fields.kinds import Checked
from mathhammer.sequence.attack_distribution import repeated
from mathhammer.sequence.call import records_call
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.sequence.pools import SharedPools
from mathhammer.sequence.result import AttackResult, MixedResult, last_steps, total_of
from mathhammer.sequence.rolls import fraction
from mathhammer.sequence.rulings import rulings_in_force
from mathhammer.sequence.unit_distribution import UnitDistribution, start_distribution
from mathhammer.systems.aos.profiles import KNOWN, Attacked, Unit, Weapons, as_target, as_weapons
from mathhammer.systems.aos.rules import EDITIONS, Asked, AttackStages, Foe, MortalDamage, Situation, disputed
from mathhammer.systems.asked import asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mathhammer.expressions.check import Check
    from mathhammer.systems.aos.profiles import Target

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
    rage_dice: int = 3,
    **situation: Any,
) -> AttackResult:
    """Resolve the attacks of one ability, which fill one pool of damage points, on a unit.

    Parameters
    ----------
    weapons
        One or more, each as a `Weapon` or as the warscroll prints it: ``"Hellblade 2 3+ 3+ 1 1 Crit (Mortal)"``.
    target
        The unit that is attacked: the label of a standard target or a stat line. It may be a `Target`.
    edition, rulings, exact
        The rules, ``"4e"`` or ``"4e-2024"``; options for disputed points, by name; and whether to compute in fractions.
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
    in_force = rulings_in_force(disputed(edition), rulings)
    at, struck_with = Situation(**situation), as_weapons(weapons)
    aim, named = Foe(as_target(target), at, in_force), "guard" if user is None else "user"
    other = None if guard is None and user is None else as_target(user if guard is None else guard)
    fury = validation.whole(rage_dice, "rage_dice", 1, 3) * (user is not None)
    if fury:
        if guard is not None or at.pain_dice or at.mortal_damage.bounds()[1] or len(struck_with) != 1:
            raise MathhammerError(
                "expected one weapon with user=..., and neither guard, pain_dice nor mortal_damage; attack once more"
            )
        struck_with = (struck_with[0].changed(attacks=fury, models=1, champion=False, battle_damaged=None),)
    stages = [AttackStages(weapon, aim, fury=fury > 0) for weapon in struck_with]
    mortal = [MortalDamage(at.mortal_damage, aim)] if at.mortal_damage.bounds()[1] else []
    volleys: list[Any] = [*stages, *mortal]
    if not (volleys or at.recovers):
        raise MathhammerError("expected a Weapon or more, or mortal_damage=..., got neither")
    if at.recovers and (hurt := aim.target.damage):
        raise MathhammerError(f"expected start=... of a unit that heals, got {hurt} damage points on it")
    if fury:  # the points on the target times a step, and those on the user
        counts = repeated(stages[0].erupting(), IntegerDistribution(fury, (1,), 1)).plain.coefficients
        step = 1 + max(hurt for _, hurt in counts)
        codes = {points * step + hurt: ways for (points, hurt), ways in counts.items()}
        struck = Distribution.from_weights(codes, exact=True)
    else:
        struck, step = _struck(volleys, aim, guarded=other is not None)
    pools = pools_of(aim.target, other, named)
    if other is None:
        struck = struck.map(lambda points: min(points, pools.left[0]))
    exact = validation.flag(exact, "exact")
    before = start_distribution(pools, start, exact=exact)
    states = _allocated(pools, lambda _: struck, step, before, aim)
    explained = partial(_explained, stages, mortal, aim)
    rules: Any = {"edition": edition, "rulings": in_force, "explanation": explained, "names": NAMES}
    return AttackResult(pools, states, volleys, exact=exact, **rules)


def _explained(
    stages: Sequence[AttackStages], mortal: Sequence[MortalDamage], aim: Foe, result: AttackResult
) -> Explanation:
    at, steps = aim.at, [each for stage in stages for each in weapon_steps(stage)]
    for each in mortal:
        mean = fraction(in_fractions(each.points.compute()).mean(), "mean")
        steps.append(Step("Mortal damage", str(each.points), (), mean))
    if aim.left < 36:
        text, said = f"{_needed(aim.check)} for each point (Core Rules, 18.1)", map(str, at.ward_modifier)
        steps.append(Step("Ward", text, tuple(said), (Probability("left", aim.left, 36),)))
    if at.pain_dice:
        text = f"Fight Through the Pain, on 0, 1, ... points: {', '.join(map(str, aim.spent))} (Handbook 2026-27)"
        steps.append(Step("Rage dice", text))
    text = f"heals {at.heal}, rallies with {count(at.rally, 'die', 'dice')} (Core Rules, 21 and 22)"
    steps += [Step("Afterwards", text)] * at.recovers
    names = ", ".join(stage.weapon.name for stage in stages) or "Mortal damage"
    return explanation(result, f"{names} against {aim.target.name}", steps)


def pools_of(unit: Target, other: Target | None, what: str) -> SharedPools:
    """Return the Health of a unit, and that of another one which the same dice hurt."""
    both = () if other is None else (other.pool(f"{what} {other.name}"),)
    return SharedPools((unit.pool(unit.name), *both), others=len(both))


def _struck(volleys: Sequence[Any], aim: Foe, *, guarded: bool) -> tuple[Distribution, int]:
    """Return the points that are allocated: those of the target times a step, and those of its guard."""
    apart = guarded or aim.at.pain_dice > 0
    pool = total_of(volleys, lambda each: each.damage(warded=not apart))
    if not apart:
        return pool, 1

    def warded(points: int) -> Distribution:
        return aim.thinned(IntegerDistribution(points, (1,), 1)).distribution()

    def eased(points: int) -> Distribution:
        number = aim.spent[min(points, aim.at.pain_dice)]
        return dice(f"max({points}-{number}(D6>=3), 0)" if number else f"{points}").compute()

    joint = JointDistribution.from_distribution(["pool"], pool, lambda points: (points,))
    for name, law in zip(("first", "last"), (eased, warded) if aim.early else (warded, eased), strict=True):
        joint = extended(joint, name, lambda of, law=law: law(of[-1]))  # type: ignore[misc]
    step = 1 + pool.support[-1] if guarded else 1
    return joint.map(lambda *of: of[-1] * step + guarded * (of[aim.early] - of[aim.early + 1])), step


def _allocated(
    pools: SharedPools, struck: Callable[..., Distribution], step: int, before: Distribution | None, aim: Foe
) -> Distribution:
    """Return the states once points are allocated one by one, those beyond the last model lost, and it recovers."""
    # Core Rules, 18.2, 21 and 22; Advanced Rules, Rally: each 4+ heals a point, or Health of them return a model.
    rallied = dice(f"{aim.at.rally}(D6>=4)" if aim.at.rally else "0").compute()
    healed, heals_first = aim.at.heal.compute(), aim.rulings["rally_spend"] == "heal-first"
    start = before or dice("0").compute()
    axes, pool = [each.name for each in pools.pools], pools.pools[0]
    joint = JointDistribution.from_distribution(axes, start, pools.lost.__getitem__)
    for name, law in (("points", struck), ("healed", lambda _: healed), ("rallied", lambda _: rallied)):
        joint = extended(joint, name, law)

    def after(*found: int) -> int:
        *lost, points, healed, returning = found
        own, *others = pools.after(lost, divmod(points, step))
        slain, hurt = divmod(own, pool.wounds)
        if slain < pool.models:
            hurt -= min(hurt, healed)
            early = min(hurt, returning) * heals_first
            returned = min(slain, (returning - early) // pool.wounds)
            slain, hurt = slain - returned, hurt - min(hurt, returning - returned * pool.wounds)
        return pools.index((slain * pool.wounds + hurt, *others))

    return joint.map(after)


def explanation(result: AttackResult, heading: str, steps: Sequence[Step]) -> Explanation:
    """Return what is common to all: what another unit loses jointly, and what it comes to."""
    pools: Any = result.unit
    lost = in_fractions(result)._states.map(lambda state: pools.lost[state][-1]).mean()  # noqa: SLF001
    name = f"{pools.pools[-1].name}: mean {exact_number(lost)} damage points"
    last = last_steps(result, "Damaging hits", "Damage points", "Models slain")
    found = (*steps, *[Step("Other unit", name)] * pools.others, *last)
    return Explanation(f"{heading} ({EDITIONS[result.edition]})", found)


def weapon_steps(stages: AttackStages) -> Iterator[Step]:
    """Yield the steps of one weapon, each with its section of the Core Rules of July 2024."""
    weapon, save = stages.weapon, stages.save
    said = {name: tuple(map(str, each)) for name, each in stages.modifiers.items()}
    yield Step("Weapon", str(weapon))
    yield Step("Attacks", f"{stages.number.expression} (Core Rules, 26)", said["attacks"])
    missed, _, critical = stages.hit.weights()
    text = f"{_needed(stages.hit)}{'' if stages.fury else f'; critical on {stages.criticals_on}+'}"
    chances = Probability("hit", 36 - missed, 36), Probability("critical", critical, 36)
    yield Step("To hit", f"{text} (Core Rules, 17)", said["hit"], chances[: 1 + bool(critical)])
    yield from (Step(f"Crit ({crit})", f"{_CRITS[crit]} (Core Rules, 20)") for crit in sorted(stages.crits))
    chance = Probability("wound", 36 - stages.wound.weights()[0], 36)
    yield Step("To wound", f"{_needed(stages.wound)} (Core Rules, 17)", said["wound"], (chance,))
    needed = "none" if stages.aim.target.save is None else _needed(save)
    rend = (f"-{stages.rend} (Rend)",) if stages.rend else ()
    more = (*rend, *map("Rend {}".format, said["rend"]), *said["save"])
    unsaved = (Probability("unsaved", save.weights()[0], 36),)
    yield Step("Save", f"{needed}; modifiers together at most +1 (Core Rules, 17.1)", more, unsaved)
    each = stages.unsaved().plain
    counts = enumerate(each.of_sum())
    found = [Probability(f"{count} unsaved", ways, each.denominator) for count, ways in counts if count]
    yield Step("Each attack", "hits that inflict their Damage", (), tuple(found))
    mean = fraction(in_fractions(stages.points().distribution()).mean(), "mean")
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


#: When units strike, by their abilities (Core Rules, 19): before, with and after all others; both cancel.
_STEPS = {"first": 0, None: 1, "last": 2}


def _situation(given: Any) -> Situation:
    at = validation.instance(Situation() if given is None else given, Situation, "a Situation of each unit")
    if at.pain_dice or at.recovers:
        raise MathhammerError("expected no pain_dice, heal or rally in a fight, got some; use attack()")
    return at


_turn = partial(validation.one_of, options=("first", "second", "roll"), name="active")
_fighter = partial(validation.instance, kinds=Unit, expected="two Units that fight")


class _AosFight(Asked[AttackResult]):
    """Fight with two units in turn, of which the slain strike no more: what becomes of both, jointly.

    The result is that of the attacks on the second unit; its `state` has the first one too. Units of the active player
    strike first unless abilities say otherwise, ``"roll"`` is the priority roll after a round in which the first player
    went first; All-out Attack worsens the saves of its user afterwards.

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

    first: Checked[Unit, Unit] = Checked(_fighter, "A unit with its melee weapons.", kw_only=False)
    second: Checked[Unit, Unit] = Checked(_fighter, "The other one.", kw_only=False)
    active: Checked[str, Literal["first", "second", "roll"]] = Checked(_turn, "Whose turn", default="first")
    first_situation: Checked[Situation, Situation | None] = Checked(
        _situation, "Of its attacks", default=None
    )
    second_situation: Checked[Situation, Situation | None] = Checked(_situation, "The same", default=None)
    start: Checked[UnitDistribution | None, UnitDistribution | None] = Checked(
        lambda given: given, "The result of an earlier fight of these two units.", default=None
    )

    def answer(self) -> AttackResult:
        """Return what becomes of both, whoever is active."""
        start = start_distribution(self.pools, self.start, exact=self.exact)
        start = start or dice("0").compute()
        if self.active != "roll":
            return self.result(self.active, start)
        chances = Distribution.from_weights({0: 21, 1: 15}, exact=self.exact)
        return MixedResult(chances, [self.result(each, start) for each in ("first", "second")], names=NAMES)

    @property
    def units(self) -> tuple[Unit, Unit]:
        """Both, of which the first strikes at the first pool."""
        return self.first, self.second

    @cached_property
    def pools(self) -> SharedPools:
        """A state is the points lost by the second one and by the first one."""
        return pools_of(self.second.target, self.first.target, "own")

    def standing(self, place: int, gone: int) -> tuple[int, bool]:
        # Models that are left, and whether the unit is Battle Damaged.
        pool = self.pools.pools[1 - place]
        most = self.units[place].target.battle_damaged_at or pool.wounds + 1
        return -(-(pool.left - gone) // pool.wounds), (pool.lost + gone) % pool.wounds >= most

    def volleys(self, place: int, models: int, damaged: bool, after: bool) -> list[Any]:  # noqa: FBT001
        at, other = (self.first_situation, self.second_situation)[:: 1 - 2 * place]
        # All-out Attack worsens the saves of its user for the rest of the turn.
        exposed = at.target_all_out_attack or (after and other.all_out_attack)
        at = at.changed(battle_damaged=at.battle_damaged or damaged, target_all_out_attack=exposed)
        unit, aim = self.units[place], Foe(self.units[1 - place].target, at, self.in_force)
        using = ((weapon, min(weapon.models, models - weapon.behind)) for weapon in unit.only("melee"))
        found = [AttackStages(weapon.changed(models=number), aim) for weapon, number in using if number > 0]
        points = unit.mortal_damage + at.mortal_damage if models else as_expression(0)
        return [*found, MortalDamage(points, aim)]

    def struck(self, states: Distribution, place: int, *, after: bool) -> Distribution:
        @cache
        def points(models: int, damaged: bool) -> Distribution:  # noqa: FBT001
            return total_of(self.volleys(place, models, damaged, after), lambda each: each.damage())

        aim, step = Foe(self.units[1 - place].target, Situation(), self.in_force), sys.maxsize if place else 1
        return _allocated(
            self.pools, lambda lost: points(*self.standing(place, lost[1 - place])), step, states, aim
        )

    def result(self, active: str, states: Distribution) -> AttackResult:
        # The attacks of the first unit, by what is left of it when it strikes.
        mine, theirs = (_STEPS[unit.strikes] for unit in self.units)
        after = theirs < mine or (theirs == mine and active == "second")
        states = self.struck(states, 1, after=False) if after else states
        before, own = UnitDistribution(self.pools, states), self.units[0].target
        cases, given, which = before.cases(
            lambda at: self.standing(0, at[2] * own.health + at[3] - own.damage)
        )
        results, explained = [], partial(self.explained, after)
        for case, each in zip(cases, given, strict=True):
            ends = self.struck(each._states, 0, after=after)  # noqa: SLF001 - whole numbers, as they are made here
            ends = ends if after else self.struck(ends, 1, after=True)
            volleys = self.volleys(0, *case, after)
            rules: Any = {"edition": self.edition, "rulings": self.in_force, "explanation": explained}
            results.append(AttackResult(self.pools, ends, volleys, exact=self.exact, names=NAMES, **rules))
        seen = which.handed_out(exact=self.exact)
        return results[0] if len(results) == 1 else MixedResult(seen, results, explained, names=NAMES)

    def explained(self, after: bool, result: AttackResult) -> Explanation:  # noqa: FBT001
        steps: list[Step] = []
        for place in (1, 0) if after else (0, 1):
            target, then = self.units[place].target, bool(steps)
            steps.append(Step("Strikes", f"{target.name}, {'then' if then else 'first'} (Core Rules, 19)"))
            volleys = self.volleys(place, target.models, damaged=False, after=then)
            weapons = (each for each in volleys if isinstance(each, AttackStages))
            steps += [step for each in weapons for step in weapon_steps(each)]
        return explanation(result, f"{self.first.name} and {self.second.name}", steps)


fight = asked(_AosFight, "aos")
