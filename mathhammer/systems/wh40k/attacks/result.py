"""Results of an attack: the losses of the target, mortal wounds, and effects on bystanders."""

from __future__ import annotations

from contextlib import suppress
from functools import cache, cached_property, partial, reduce
from operator import add
from typing import TYPE_CHECKING, Any, cast

from mathhammer.display.numbers import number, percent
from mathhammer.distributions import Distribution
from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.sequence import result as sequence
from mathhammer.sequence.group import Group, UnitStates
from mathhammer.sequence.grouped_unit import GroupedUnit
from mathhammer.sequence.resolution import resolve
from mathhammer.sequence.result import MixedResult, count_of, mean_of, total_of
from mathhammer.sequence.unit import ModelUnit
from mathhammer.sequence.unit_distribution import UnitDistribution, resume
from mathhammer.systems.wh40k.attacks.by_pool import dependent, total_by_pool
from mathhammer.systems.wh40k.sequence.compile import (
    Compiled,
    CompiledVolley,
    kinds_of,
    state_values,
    volleys_of,
)
from mathhammer.systems.wh40k.situation import MortalWounds, Volley
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flint import fmpq

    from mathhammer.display.panel import Part
    from mathhammer.sequence.attack_play import AttackPlay
    from mathhammer.sequence.reroll_plan import RerollPlan
    from mathhammer.systems.wh40k.attacks.attack_sequence import AttackSequence
    from mathhammer.systems.wh40k.attacks.hazards import HazardousResult
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.targets import TargetUnit

#: What is counted by who is alive, as Toughness and saves may depend on it.
_BY_LIVING = "wounds", "unsaved", "damage"
#: The roll that what is counted comes to, where players look at dice.
_ROLLS = {"attacks": "hit", "hits": "wound", "wounds": "save", "unsaved": "damage", "mortal_wounds": "damage"}


class AttackResult(sequence.AttackResult):
    """Distributions of the target's state after an attack, of the rolls on the way, and of the attackers' losses.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> plasma = wh40k.Weapon.parse("Plasma gun: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]")
    >>> gunners = wh40k.Target("Gunners", toughness=4, save="3+", wounds=2, models=2)
    >>> walker = wh40k.Target("Walker", toughness=8, save=None, wounds=2, deadly_demise="D3")
    >>> shot = wh40k.attack(plasma, walker, edition="10e", bearers=gunners, exact=True)
    >>> shot.kills.mean(), shot.hazardous.kills.mean()
    (1/3, 1/6)
    """

    def __init__(
        self,
        unit: UnitStates,
        states: Distribution,
        compiled: Sequence[Compiled],
        *,
        sequence: AttackSequence,
        bearers: Target | TargetUnit | None,
        play: AttackPlay | None = None,
        start: UnitDistribution | None = None,
        **keywords: Any,
    ) -> None:
        self._compiled, self._play, self._start = tuple(compiled), play, start
        self._sequence, self._bearers = sequence, bearers
        super().__init__(unit, states, volleys_of(compiled), **keywords)

    def compiled(self) -> Sequence[Compiled]:
        """Return the volleys and mortal wounds with all their rolls."""
        return self._compiled

    @property
    def rerolls_by_plan(self) -> bool:
        """True if players decide while they roll, as `plan` says."""
        return self._play is not None

    @property
    def plan(self) -> RerollPlan:
        """The best plan for the Command Re-roll and what else the attacker chooses."""
        if self._play is None:
            raise MathhammerError(
                "expected an attack with a Command Re-roll, as in attack(..., reroll='best'), or another choice"
            )
        return self._play.plan

    @cached_property
    def absent(self) -> frozenset[str]:
        """Names of distributions that do not exist here, or would take long to compute."""
        found = {*_BY_LIVING}
        for name in _BY_LIVING:
            with suppress(MathhammerError):
                getattr(self, name)
                found.remove(name)
        return frozenset(found)

    def mean_damage(self) -> fmpq | float:
        """Return the mean of `damage`: the sum of the volleys' means, where none shares a re-roll."""
        if self._play is not None or self._damage_by_turn():
            mean: fmpq | float = in_fractions(self.damage).mean()
            return mean
        whole = mean_of(self._compiled, lambda each: each.damage())
        return whole if self.exact else int(whole.p) / int(whole.q)

    def _damage_by_turn(self) -> bool:
        """Whether it matters which Damage is rolled first: one re-roll, for deferred wounds and others unlike them."""
        rerolled = [
            (wound.rank is not None, wound.effects[0].damage, wound.effects[0].damage_reroll)
            for each in self._compiled
            for wound in each.volley.wounds
            if wound.effects[0].damage_reroll is not None
        ]
        return any(deferred for deferred, *_ in rerolled) and len({how[1:] for how in rerolled}) > 1

    def _damage_in_order(self) -> Distribution:
        """Return the damage as what a single model loses whose wounds never run out."""
        volleys = []
        for each in self._compiled:
            wounds = tuple(wound._replace(effects=wound.effects[:1]) for wound in each.volley.wounds)
            volleys.append(each.volley._replace(wounds=wounds, directed=()))
        most = total_of(self._compiled, partial(count_of, "damage")).support[-1]  # in whatever order
        return resolve(volleys, ModelUnit((Group("damage", 1, most + 1),))).handed_out(exact=self.exact)

    @cached_property
    def mortal_wounds(self) -> Distribution:
        """Distribution of the plain mortal wounds on the target, before any is ignored and as if it could not run out.

        Devastating Wounds are not among them: see ``unsaved``.
        """
        return self._total("mortal_wounds")

    @cached_property
    def bearers_slain(self) -> Distribution:
        """Distribution of the number of bearers slain by overheating once all attacks are resolved (9th edition)."""
        return self._total("bearers_slain")

    @cached_property
    def bearer_mortal_wounds(self) -> Distribution:
        """Distribution of the mortal wounds that the bearers suffer in all by overheating (9th edition)."""
        return self._total("bearer_mortal_wounds")

    @cached_property
    def hazardous(self) -> HazardousResult:
        """State of the bearers after the Hazardous tests, see :func:`mathhammer.wh40k.hazardous`.

        They are taken after all attacks, whatever became of the target.
        """
        from mathhammer.systems.wh40k.attacks.hazards import hazardous

        if self._bearers is None:
            raise MathhammerError(
                "expected the models that carry the weapons, as in attack(..., bearers=Target(...)), got none"
            )
        volleys = [Volley(*each[:2]) for each in self._sequence.entries if not isinstance(each, MortalWounds)]
        return hazardous(volleys, self._bearers, edition=self.edition, exact=self.exact)

    @cached_property
    def deadly_demise(self) -> Distribution:
        """Distribution of the mortal wounds that each other unit within 6" suffers from the models destroyed.

        References
        ----------
        Warhammer 40,000 10th edition core rules, Deadly Demise: a D6 for each model when it is destroyed, on a 6
        each unit in range suffers them, a random number rolled for each unit.
        """
        from mathhammer.systems.wh40k.attacks.unit_rolls import deadly_demise

        exploding = {
            2 * place: deadly_demise(kind.deadly_demise).compute()
            for place, kind in enumerate(kinds_of(self._sequence.target))
            if kind.deadly_demise is not None
        }
        if not exploding:
            return IntegerDistribution(0, (1,), 1).distribution(exact=self.exact)
        destroyed, _, which = self.cases(lambda state: tuple(map(state.__getitem__, exploding)))
        each = (map(Distribution.repeat, exploding.values(), counts) for counts in destroyed)
        return mixture_by_mass(which._mass, [reduce(add, some) for some in each])  # noqa: SLF001 - its indices are theirs

    def _total(self, name: str) -> Distribution:
        """Distribution of a count; where nobody looks at dice pools are rolled by who is alive as they begin."""
        self._require(name)
        if name.startswith("bearer"):
            return self._of_bearers(name)
        count, compiled, unit = partial(count_of, name), list[Any](self._volleys), self._unit
        if self._play is not None:

            @cache
            def rest(left: tuple[int, ...]) -> IntegerDistribution:
                total = total_of(volleys_of([self._compiled[place] for place in left]), count)
                return IntegerDistribution.from_distribution(total)

            mortal = name == "mortal_wounds"
            return self._play.counted(_ROLLS[name], lambda kind: (kind == "mortal wounds") is mortal, rest)
        if name == "damage" and self._damage_by_turn():
            return self._damage_in_order()
        if name in {"damage", "mortal_wounds"}:  # those of no attack come last, wherever they stand
            compiled += [other for other in self._compiled if not isinstance(other, CompiledVolley)]
        if name in _BY_LIVING and isinstance(unit, GroupedUnit) and (last := dependent(compiled)):
            _, before = resume(unit, self._start, exact=self.exact)
            whole = total_by_pool(compiled, last, unit, before, name, count)
        else:
            whole = total_of(compiled, count)
        return whole.handed_out(exact=self.exact)

    def _require(self, name: str) -> None:
        """Refuse a count that does not exist, as wounds do not do the same to all models or at any time."""
        play, volleys = self._play, volleys_of(self._compiled)
        if name == "unsaved" and not (
            (play is None or play.game.unit.is_simple) and all(each.saved_alike for each in volleys)
        ):
            raise MathhammerError(
                "the distribution of unsaved wounds needs models with equal saves (got some that differ); "
                "see kills, wounds_lost and kills_of"
            )
        if name != "damage":
            return
        if play is not None:
            raise MathhammerError(
                "the distribution of damage needs rolls that do not depend on what the target has left (got a re-roll "
                "or another choice that does); see kills and wounds_lost"
            )
        once = any(kind.damage_to_0 for kind in kinds_of(self._sequence.target))
        if once or not all(each.hurt_alike for each in self._compiled):
            raise MathhammerError(
                "the distribution of damage needs models with equal saves that take equal damage (got some that "
                "differ, or a Damage changed to 0, which happens only once); see kills, wounds_lost and kills_of"
            )

    def kills_of(self, kind: str, /) -> Distribution:
        """Distribution of the number of models of one kind that are destroyed."""
        names = [each.name for each in kinds_of(self._sequence.target)]
        if not isinstance(kind, str) or kind not in names:
            raise UnknownNameError(f"expected a kind of models of {', '.join(names)}; got {shown(kind)}")
        return self.kills if len(names) == 1 else self.state.marginal(f"{kind} destroyed")

    @property
    def points_destroyed(self) -> Any | None:
        """Mean points of the models destroyed, each kind at its own price; ``None`` where one has no points."""
        return mean_points(self, self._sequence.target)

    def _distributions(self) -> Sequence[Part]:
        """Return what is shown: beside the losses of the target those of each kind, and effects on bystanders."""
        from mathhammer.display.panel import TablePart
        from mathhammer.distributions.presentation import bars

        rows, shown = [], [*super()._distributions()]
        for kind in kinds_of(self._sequence.target):
            lost = in_fractions(self.kills_of(kind.name))
            rows.append([kind.name, str(kind.models), number(lost.mean()), percent(lost.pmf(kind.models))])
        if len(rows) > 1:
            shown.insert(0, TablePart(["models", "number", "mean destroyed", "P(all destroyed)"], rows))
        if any(kind.deadly_demise is not None for kind in kinds_of(self._sequence.target)):
            shown.append(bars(self.deadly_demise, 'Mortal wounds on each other unit within 6"'))
        if self._bearers is not None:
            shown.append(bars(self.hazardous.kills, "Bearers destroyed by Hazardous tests"))
        return shown

    def _folded(self) -> Sequence[tuple[str, Part]]:
        """Return what is said below: the plan of choices, if there are any, and the rulings."""
        told: list[tuple[str, Part]] = []
        if self._play is not None:
            from mathhammer.sequence.reroll_plan import REROLLED

            plan = self._play.plan_in_fractions
            # A re-roll that is spent on the first low roll has no plan, unless something else is chosen best.
            others = any(each.state.roll not in REROLLED for each in plan.decisions)
            if others or (self._play.policy != "first" and (plan.holds_reroll or plan.decisions)):
                told = [(f"Best plan for {plan._line()}", plan._panel().parts[0])]  # noqa: SLF001 - the package's own
        return [*told, *super()._folded()]

    def _of_bearers(self, name: str) -> Distribution:
        whole, found = IntegerDistribution(0, (1,), 1).distribution(), False
        for first in (volley.stages[0] for volley in volleys_of(self._compiled)):
            hit, triggers = first.to_hit.check, first.situation.triggers
            for trigger in triggers:
                if trigger.bearer is None or hit is None:
                    continue
                if any(other.extra_attacks is not None for other in triggers):
                    raise MathhammerError(
                        "expected overheating or additional attacks from one weapon, got both; the additional hit "
                        "rolls can overheat too, so give them to another volley"
                    )
                slain = trigger.bearer == "slain"
                if slain is not (name == "bearers_slain"):
                    continue
                weight = sum(hit.face_weights()[face - 1] for face in trigger.faces(hit))
                once = IntegerDistribution(0, (36 - weight, weight), 36).distribution()
                rolls = first.attacks.each.compute().compound(once)
                slays = rolls.map(lambda number: min(number, 1))
                each = slays if slain else rolls.compound(trigger.bearer.compute())
                whole, found = whole + each.repeat(first.number), True
        if not found and any(rule.tests_bearers for rule in self._sequence.abilities):
            raise MathhammerError(
                f"expected a weapon that overheats by a Trigger(..., bearer=...) for {name}, got one that is "
                "Hazardous; what Hazardous tests do is in hazardous, of an attack(..., bearers=Target(...))"
            )
        return whole.handed_out(exact=self.exact)


def mean_worth(after: UnitDistribution, target: Target | TargetUnit, objective: str) -> Any:
    """Return the mean of what a target is worth to its enemy in the states after an attack."""
    values, out_of = state_values(target, cast("ModelUnit", after.unit), objective)
    states = after._states  # noqa: SLF001 - no distribution: its outcomes would be all points there are
    worth = values[states.support.start : states.support.stop]
    return states._complete("mean").moment(worth, 1, central=False) / out_of  # noqa: SLF001


def mean_points(after: UnitDistribution, target: Target | TargetUnit) -> Any | None:
    """Return the mean points of the models that are destroyed; None where a kind has no points."""
    return mean_worth(after, target, "points") if target.points else None


class MixedAttackResult(MixedResult, AttackResult):
    """A mixture of results, one for each thing that the attacker may see."""

    _results: tuple[AttackResult, ...]

    @property
    def rerolls_by_plan(self) -> bool:
        """Whether a Command Re-roll is spent by a policy."""
        return any(result.rerolls_by_plan for result in self._results)

    @property
    def plan(self) -> RerollPlan:
        """The best plan for the Command Re-roll: there is one for each thing that the attacker may see."""
        raise MathhammerError(
            "expected one thing that the attackers may see when they choose the target, got several, each with a plan "
            "of its own; give start=result.given(...) of one of them"
        )
