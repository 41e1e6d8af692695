"""Results of an attack: the losses of the target, mortal wounds, and effects on bystanders."""

from __future__ import annotations

from functools import cache, cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer import sequence
from mathhammer.arithmetic import P, arithmetic
from mathhammer.distributions import IntegerDistribution, in_fractions
from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.sequence import Group, MixedResult, Unit, resolve, total_of
from mathhammer.sequence.volley import in_arithmetic
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.systems.wh40k.profiles.target_unit import points_destroyed
from mathhammer.systems.wh40k.profiles.volleys import MortalWounds, Volley
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.sequence.compile import CompiledMortalWounds, CompiledVolley
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.display import Part
    from mathhammer.distributions import Distribution
    from mathhammer.sequence import AttackDistribution, RerollPlan, UnitStates
    from mathhammer.sequence.attack_play import AttackPlay
    from mathhammer.systems.wh40k.attacks.hazards import HazardousResult
    from mathhammer.systems.wh40k.attacks.self_damage import SelfDamage
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
    from mathhammer.systems.wh40k.profiles.volleys import Entry


class AttackContext(NamedTuple):
    """What an attack was made with and of, beside the losses of its target."""

    #: What the unit attacked with.
    entries: Sequence[Entry]
    #: The kinds of models of the target.
    kinds: Sequence[Target]
    #: The models that carry the weapons, if known.
    bearers: Target | TargetUnit | None


class AttackResult(sequence.AttackResult[P]):
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
    >>> shot.deadly_demise.mean()
    1/9
    """

    def __init__(
        self,
        unit: UnitStates,
        states: Distribution[P],
        compiled: Sequence[CompiledVolley | CompiledMortalWounds],
        *,
        context: AttackContext,
        play: AttackPlay[P] | None = None,
        **keywords: Any,
    ) -> None:
        self._play = play
        self._compiled = tuple(compiled)
        self._context = context
        super().__init__(
            unit, states, [each for each in compiled if isinstance(each, CompiledVolley)], **keywords
        )

    def compiled(self) -> Sequence[CompiledVolley | CompiledMortalWounds]:
        """Return the volleys and mortal wounds with all their rolls, for those that look further."""
        return self._compiled

    @property
    def rerolls_by_plan(self) -> bool:
        """Whether players look at their dice, so that a plan says what they choose."""
        return self._play is not None

    @property
    def plan(self) -> RerollPlan:
        """The best plan for the Command Re-roll and what else the attacker chooses.

        Raises
        ------
        MathhammerError
            If they choose nothing.
        """
        if self._play is None:
            raise MathhammerError(
                "expected an attack with a Command Re-roll, as in attack(..., reroll='best'), or another choice"
            )
        return self._play.plan

    @property
    def saved_alike(self) -> bool:
        """Whether the models of the target have equal saves, so that there is a distribution of unsaved wounds."""
        if self._play is not None and not self._play.game.unit.is_simple:
            return False
        return all(each.saved_alike for each in self._compiled if isinstance(each, CompiledVolley))

    @property
    def hurt_alike(self) -> bool:
        """Whether a wound does the same to every model of the target, so that there is a distribution of damage.

        There is none where a damage roll is kept or re-rolled by what the model has left.
        """
        once = any(kind.damage_to_0 for kind in self._context.kinds)
        return self._play is None and not once and all(volley.hurt_alike for volley in self._compiled)

    @cached_property
    def unsaved(self) -> Distribution[P]:
        """Distribution of the attacks that inflict damage: failed saves and critical wounds without one.

        Mortal wounds are not among them.

        Raises
        ------
        MathhammerError
            If the models of the target do not have equal saves.
        """
        if not self.saved_alike:
            raise MathhammerError(
                "the distribution of unsaved wounds needs models with equal saves (got some that differ); "
                "see kills, wounds_lost and kills_of"
            )
        return super().unsaved if self._play is None else self._counted("damage", CompiledVolley.unsaved)

    @cached_property
    def damage(self) -> Distribution[P]:
        """Distribution of the damage inflicted after saves and Feel No Pain, with all mortal wounds, excess counted.

        Raises
        ------
        MathhammerError
            If it is not the same for every model of the target.
        """
        if self._play is not None:
            raise MathhammerError(
                "the distribution of damage needs rolls that do not depend on what the target has left (got a re-roll "
                "or another choice that does); see kills and wounds_lost"
            )
        if not self.hurt_alike:
            raise MathhammerError(
                "the distribution of damage needs models with equal saves that take equal damage (got some that "
                "differ, or a Damage changed to 0, which happens only once); see kills, wounds_lost and kills_of"
            )
        compiled: Any = self._compiled
        if self._damage_by_turn():
            return self._damage_in_order()
        return total_of(compiled, lambda each: each.damage(self._arithmetic), self._arithmetic)

    def _damage_by_turn(self) -> bool:
        """Whether it matters which Damage is rolled first: one re-roll, for deferred wounds and others unlike them."""
        rerolled = [
            (wound.rank is not None, wound.effects[0].damage, wound.effects[0].damage_reroll)
            for each in self._compiled
            for wound in each.volley.wounds
            if wound.effects[0].damage_reroll is not None
        ]
        return any(deferred for deferred, *_ in rerolled) and len({how[1:] for how in rerolled}) > 1

    def _damage_in_order(self) -> Distribution[P]:
        """Return the damage as what a single model loses whose wounds never run out."""
        volleys, most = [], 1
        for each in self._compiled:
            wounds = tuple(wound._replace(effects=wound.effects[:1]) for wound in each.volley.wounds)
            volley = each.volley._replace(wounds=wounds, directed=())
            made = 1 if volley.attack is None else max(part.degree for part in volley.attack.parts.values())
            hardest = max(len(effect.damage.weights) + effect.damage.low for (effect,), *_ in wounds)
            volleys.append(volley)
            most += volley.number.most * made * hardest
        return resolve(volleys, Unit((Group("damage", 1, most),)), arithmetic=self._arithmetic)

    @cached_property
    def mortal_wounds(self) -> Distribution[P]:
        """Distribution of the plain mortal wounds on the target, before any is ignored and as if it could not run out.

        Devastating Wounds are not among them: see ``unsaved``.
        """

        def each(one: Any) -> Any:
            if isinstance(one, CompiledMortalWounds):
                return None
            return in_arithmetic(one.mortal_wounds(), self._arithmetic)

        if self._play is not None:
            return self._counted("damage", CompiledVolley.mortal_wounds, mortal=True)
        compiled: Any = self._compiled
        return total_of(compiled, each, self._arithmetic)

    @cached_property
    def bearers_slain(self) -> Distribution[P]:
        """Distribution of the number of bearers slain by overheating once all attacks are resolved (9th edition).

        Raises
        ------
        MathhammerError
            If none of the weapons overheats, but one is Hazardous: that is another rule, see `hazardous`.
        """
        return self._of_bearers("bearers_slain", lambda bearer: bearer.effect == "slain")

    @cached_property
    def bearer_mortal_wounds(self) -> Distribution[P]:
        """Distribution of the mortal wounds that the bearers suffer in all by overheating (9th edition).

        Raises
        ------
        MathhammerError
            If none of the weapons overheats, but one is Hazardous: that is another rule, see `hazardous`.
        """
        return self._of_bearers("bearer_mortal_wounds", lambda bearer: bearer.effect != "slain")

    @cached_property
    def hazardous(self) -> HazardousResult[P]:
        """What the Hazardous tests do to the bearers, see :func:`mathhammer.wh40k.hazardous`.

        They are taken after all attacks, whatever became of the target.

        Raises
        ------
        MathhammerError
            If the attack was given no ``bearers``, or none of its weapons is Hazardous.
        """
        from mathhammer.systems.wh40k.attacks.hazards import hazardous

        bearers = self._context.bearers
        if bearers is None:
            raise MathhammerError(
                "expected the models that carry the weapons, as in attack(..., bearers=Target(...)), got none"
            )
        volleys = [Volley(*each[:2]) for each in self._context.entries if not isinstance(each, MortalWounds)]
        take: Any = hazardous
        found: HazardousResult[P] = take(volleys, bearers, edition=self.edition, exact=self.exact)
        return found

    @cached_property
    def deadly_demise(self) -> Distribution[P]:
        """Distribution of the mortal wounds that each other unit within 6" suffers from the models destroyed.

        References
        ----------
        Warhammer 40,000 10th edition core rules, Deadly Demise: a D6 for each model when it is destroyed, on a 6
        each unit in range suffers them, a random number rolled for each unit.
        """
        from mathhammer.systems.wh40k.attacks.mortal_wound_dice import deadly_demise

        exploding = [
            (
                f"{kind.name} destroyed" if len(self._context.kinds) > 1 else "kills",
                kind.deadly_demise,
            )
            for kind in self._context.kinds
            if kind.deadly_demise is not None
        ]
        nothing = IntegerDistribution(0, (1,), 1).distribution(self._arithmetic)
        if not exploding:
            return nothing
        axes = self.state.axes
        places = [axes.index(axis if axis in axes else axes[0]) for axis, _ in exploding]
        each = [deadly_demise(value).compute(self._arithmetic) for _, value in exploding]
        coordinates = self._unit.coordinates()
        destroyed = [tuple(state[place] for place in places) for state in coordinates]
        different = list(dict.fromkeys(destroyed))
        of_models = self._states.map(lambda state: different.index(destroyed[state]))
        distributions = [
            reduce(
                add, (distribution.repeat(count) for distribution, count in zip(each, counts, strict=True))
            )
            for counts in different[of_models.support[0] : of_models.support[-1] + 1]
        ]
        return mixture_by_mass(of_models._mass, distributions)  # noqa: SLF001 - its indices are those of the distributions

    @cached_property
    def attacks(self) -> Distribution[P]:
        """Distribution of the number of attacks."""
        return super().attacks if self._play is None else self._counted("hit", None)

    @cached_property
    def hits(self) -> Distribution[P]:
        """Distribution of the number of hits, as if every attack were resolved."""
        return super().hits if self._play is None else self._counted("wound", CompiledVolley.hits)

    @cached_property
    def wounds(self) -> Distribution[P]:
        """Distribution of the number of successful wounds before saves."""
        return super().wounds if self._play is None else self._counted("save", CompiledVolley.wounds)

    def _counted(
        self, roll: str, each: Callable[[CompiledVolley], AttackDistribution] | None, *, mortal: bool = False
    ) -> Distribution[P]:
        """Distribution of what comes to a roll where a re-roll is spent on what lies on the table."""
        assert self._play is not None  # noqa: S101 - the caller has looked
        exactly: Any = arithmetic(exact=True)

        def counts(one: Any) -> Any:
            return None if each is None else in_arithmetic(each(one), exactly)

        @cache
        def rest(left: tuple[int, ...]) -> IntegerDistribution:
            compiled = [self._compiled[place] for place in left]
            volleys: Any = [one for one in compiled if isinstance(one, CompiledVolley)]
            found = total_of(volleys, counts, exactly) if volleys else None
            return (
                IntegerDistribution(0, (1,), 1)
                if found is None
                else IntegerDistribution.from_distribution(found)
            )

        return self._play.counted(roll, lambda name: (name == "mortal wounds") is mortal, rest)

    def kills_of(self, kind: str, /) -> Distribution[P]:
        """Distribution of the number of models of one kind that are destroyed.

        Raises
        ------
        UnknownNameError
            If the target has no kind of that name.
        """
        names = [each.name for each in self._context.kinds]
        if kind not in names:
            raise UnknownNameError(f"expected a kind of models of {', '.join(names)}; got {shown(kind)}")
        return self.kills if len(names) == 1 else self.state.marginal(f"{kind} destroyed")

    @property
    def points_destroyed(self) -> P | None:
        """Mean points of the models destroyed, each kind at its own price; ``None`` where one has no points.

        Examples
        --------
        >>> from mathhammer import wh40k
        >>> rifle = wh40k.Weapon.parse("Rifle: A1 BS4+ S4 AP0 D1")
        >>> guards = wh40k.Target("Guards", toughness=4, save=None, wounds=1, models=5, points=60)
        >>> wh40k.attack(rifle, guards, exact=True).points_destroyed
        3
        """
        kills: list[Any] = [self.kills_of(kind.name).mean() for kind in self._context.kinds]
        worth: P | None = points_destroyed(self._context.kinds, kills)
        return worth

    def _distributions(self) -> Sequence[Part]:
        """Return what is shown: beside the losses of the target those of each kind, and effects on bystanders."""
        from mathhammer.distributions.presentation import bars

        kinds = self._context.kinds
        shown = [*([self._of_kinds()] if len(kinds) > 1 else []), *super()._distributions()]
        if any(kind.deadly_demise is not None for kind in kinds):
            shown.append(bars(self.deadly_demise, 'Mortal wounds on each other unit within 6"'))
        if self._context.bearers is not None:
            shown.append(bars(self.hazardous.kills, "Bearers destroyed by Hazardous tests"))
        return shown

    def _of_kinds(self) -> Part:
        """Return a table of losses by model type."""
        from mathhammer.display import Table, number, percent

        rows = []
        for kind in self._context.kinds:
            lost = in_fractions(self.kills_of(kind.name))
            cells = (number(lost.mean()), percent(lost.pmf(kind.models)))
            rows.append([kind.name, str(kind.models), *cells])
        return Table(["models", "number", "mean destroyed", "P(all destroyed)"], rows)

    def _of_bearers(self, name: str, condition: Callable[[SelfDamage], bool]) -> Distribution[P]:
        found = [
            bearer
            for each in self._compiled
            if isinstance(each, CompiledVolley)
            for bearer in each.bearers
            if condition(bearer)
        ]
        if not found and self._is_hazardous():
            raise MathhammerError(
                f"expected a weapon that overheats by a Trigger(..., bearer=...) for {name}, got one that is "
                "Hazardous; what Hazardous tests do is in hazardous, of an attack(..., bearers=Target(...))"
            )
        nothing = IntegerDistribution(0, (1,), 1).distribution(self._arithmetic)
        return reduce(add, (bearer.compute(self._arithmetic) for bearer in found), nothing)

    def _is_hazardous(self) -> bool:
        """Whether one of the weapons is Hazardous in this edition."""
        weapons = [entry[0] for entry in self._context.entries if not isinstance(entry, MortalWounds)]
        known = find_edition(self.edition).abilities
        return any(rule.tests_bearers for weapon in weapons for rule in abilities_of(weapon, known))


def objective_value(result: Any, objective: str) -> Any:
    """Return what an attack comes to by an objective."""
    if objective == "probability_destroyed":
        return result.probability_destroyed
    if objective == "wounds_lost":
        return result.wounds_lost.mean()
    if objective == "kills":
        return result.kills.mean()
    if result.points_destroyed is None:
        raise MathhammerError("expected points of every kind of the target to count points by, got none")
    return result.points_destroyed


class MixedAttackResult(MixedResult[P], AttackResult[P]):
    """A mixture of results, one for each thing that the attacker may see."""

    @classmethod
    def of(
        cls,
        seen: Distribution[P],
        results: Sequence[AttackResult[P]],
    ) -> MixedAttackResult[P]:
        """Mix results of one attack on one target."""
        context = results[0]._context  # noqa: SLF001 - a result of this class
        return cls(seen, results, context=context)

    @property
    def rerolls_by_plan(self) -> bool:
        """Whether a Command Re-roll is spent by a policy."""
        results: Any = self._results
        return any(result.rerolls_by_plan for result in results)

    @property
    def plan(self) -> RerollPlan:
        """The best plan for the Command Re-roll: there is one for each thing that the attacker may see."""
        raise MathhammerError(
            "expected one thing that the attackers may see when they choose the target, got several, each with a plan "
            "of its own; give start=result.given(...) of one of them"
        )

    @property
    def saved_alike(self) -> bool:
        """Whether the models of the target have equal saves."""
        results: Any = self._results
        return all(result.saved_alike for result in results)

    @property
    def hurt_alike(self) -> bool:
        """Whether a wound does the same to every model of the target."""
        results: Any = self._results
        return all(result.hurt_alike for result in results)

    @cached_property
    def mortal_wounds(self) -> Distribution[P]:
        """Distribution of plain mortal wounds on the target, before any is ignored and as if it could not run out."""
        return self._mixture(lambda result: result.mortal_wounds)

    @cached_property
    def bearers_slain(self) -> Distribution[P]:
        """Distribution of the number of bearers slain by overheating."""
        return self._mixture(lambda result: result.bearers_slain)

    @cached_property
    def bearer_mortal_wounds(self) -> Distribution[P]:
        """Distribution of the mortal wounds that the bearers suffer in all by overheating."""
        return self._mixture(lambda result: result.bearer_mortal_wounds)
