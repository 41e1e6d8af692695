"""The two sides of a turn: the states of a unit, what it attacks with in each, and what happens to it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import product
from math import comb
from typing import TYPE_CHECKING

from mathhammer.distributions import IntegerDistribution
from mathhammer.errors import MathhammerError
from mathhammer.sequence import UnitDistribution
from mathhammer.systems.wh40k.attacks.attack_sequence import AttackSequence
from mathhammer.systems.wh40k.attacks.hazards import failed_tests, hazardous_tests, is_machine
from mathhammer.systems.wh40k.attacks.unit_rolls import battle_shock, states_at_half_strength
from mathhammer.systems.wh40k.profiles.volleys import MortalWounds, Volley, read_entries
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.sequence.compile import compile_entries, unit_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.arithmetic import Arithmetic
    from mathhammer.distributions import Distribution
    from mathhammer.expressions import Expression
    from mathhammer.sequence import Unit
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.volleys import Entry
    from mathhammer.systems.wh40k.rules.unit_rolls import Hazard
    from mathhammer.systems.wh40k.turns.combatant import Combatant, Gifts, Loadout

#: Models of each kind.
Alive = tuple[int, ...]


class Side:
    """One side of a turn: a unit against its enemy."""

    def __init__(
        self, combatant: Combatant, enemy: Combatant, rules: Edition, arithmetic: Arithmetic
    ) -> None:
        self.combatant, self.enemy = combatant, enemy
        self.rules, self.arithmetic = rules, arithmetic
        volleys = [volley for phase in ("shooting", "melee") for volley in enemy.weapons(phase)]
        every = enemy.given([kind.models for kind in enemy.kinds])
        compiled = compile_entries(_entries(volleys, every), combatant.unit, rules)
        directed = any(each.volley.directed for each in compiled)
        self.unit: Unit = unit_of(combatant.unit, rules, single_out=directed)
        #: What it attacks with, by the number that stands for it; the first is nothing.
        self.loadouts: list[Loadout] = [()]
        self._losses: dict[tuple[str, Loadout, Gifts, int], Distribution] = {}
        # What is needed again and again, kept as long as the side.
        self.at = cache(self._at)
        self.loadout = cache(self._loadout)
        self._attacks = cache(self._attack_sequence)
        self.weapons_used = cache(self._weapons_used)
        self.after_hazards = cache(self._after_hazards)
        self.after_escape = cache(self._after_escape)
        self.after_explosions = cache(self._after_explosions)

    # States ----------------------------------------------------------------------------------------------------

    @property
    def gone(self) -> int:
        """The state in which nothing of it is left."""
        return self.unit.states - 1

    @cached_property
    def alive(self) -> list[Alive]:
        """Number of models of each kind that are alive, for every state."""
        kinds = self.combatant.kinds
        return [
            tuple(kind.models - dead for kind, dead in zip(kinds, state[::2], strict=True))
            for state in self.unit.coordinates()
        ]

    def _at(self, state: int) -> Distribution:
        """Return the distribution that is certain of a state."""
        return IntegerDistribution(state, (1,), 1).distribution(self.arithmetic)

    def _point(self, state: int) -> UnitDistribution:
        return UnitDistribution(self.unit, self.at(state))

    # What it attacks with --------------------------------------------------------------------------------------

    def _loadout(self, phase: str, alive: Alive, engaged: bool) -> Loadout:  # noqa: FBT001 - of a key
        """Return how many of each weapon it uses."""
        return self.combatant.loadout(
            phase, alive, partial(self._fires, engaged) if phase == "shooting" else None
        )

    def _fires(self, engaged: bool, kind: Target, weapons: Loadout) -> list[int]:  # noqa: FBT001 - of a key
        """Return with which of its guns a model shoots at what it is engaged with, or at another unit.

        References
        ----------
        Warhammer 40,000 10th edition core rules, Pistol, Blast, and Big Guns Never Tire; 11th edition core rules,
        10.06 Close-Quarters Shooting, 24.05 Blast and 24.07 Close-Quarters.
        """
        close: list[int] = []
        others: list[int] = []
        for place in weapons:
            volley = self.combatant.shooting[place]
            assert isinstance(volley, Volley)  # noqa: S101 - nobody carries mortal wounds
            abilities = abilities_of(volley.weapon, self.rules.abilities)
            if volley.situation.get("engaged"):
                (close if engaged else others).append(place)
            elif any(rule.instead_of_others for rule in abilities):
                close.append(place)
            elif not (engaged and any(rule.counts_models for rule in abilities)):
                others.append(place)
        if is_machine(kind):
            return close + others
        return close if engaged or not others else others

    def _volleys(self, phase: str, loadout: Loadout) -> list[Volley | MortalWounds]:
        return [
            Volley(volley.weapon, number, **volley.situation) if isinstance(volley, Volley) else volley
            for volley, number in zip(self.combatant.weapons(phase), loadout, strict=True)
            if number
        ]

    # What happens to it -------------------------------------------------------------------------------------------

    def attacked(
        self, by: Side, phase: str, loadout: Loadout, keywords: Gifts, before: Distribution
    ) -> Distribution:
        """Return its states after the attacks of so many weapons of the enemy."""
        if not any(loadout) or before.support[0] == self.gone:
            return before
        key = (phase, loadout, keywords, before.support[0])
        if len(before.support) == 1 and key in self._losses:
            return self._losses[key]
        after = by._attacks(*key[:3], self).states_after(UnitDistribution(self.unit, before))
        if len(before.support) == 1:
            self._losses[key] = after
        return after

    def _attack_sequence(self, phase: str, loadout: Loadout, keywords: Gifts, target: Side) -> AttackSequence:
        """Return what it attacks with."""
        entries = _entries(self._volleys(phase, loadout), keywords)
        return AttackSequence(entries, target.combatant.unit, self.rules, self.arithmetic)

    def _weapons_used(
        self,
        phase: str,
        alive: Alive,
        fallen: Alive,
        engaged: bool,  # noqa: FBT001 - of a key
        living: bool,  # noqa: FBT001 - the same
    ) -> Distribution:
        """Return the number of the loadout of its living models and its fallen ones, each of which rolls to fight."""
        own = self.loadout(phase, alive, engaged) if living else (0,) * len(self.combatant.weapons(phase))
        roll = self.combatant.fights_on_death or 7
        dead: Counter[Loadout] = Counter()
        for models, left, number in zip(self.combatant.carried(phase), alive, fallen, strict=True):
            dead.update(models[len(models) - left - number : len(models) - left])
        weights: dict[int, int] = {}
        for fighting in product(*(range(number + 1) for number in dead.values())):
            weight, used = 1, list(own)
            for number, (weapons, of) in zip(fighting, dead.items(), strict=True):
                weight *= comb(of, number) * (7 - roll) ** number * (roll - 1) ** (of - number)
                for weapon in weapons:
                    used[weapon] += number
            if weight:
                place = self._number(tuple(used))
                weights[place] = weights.get(place, 0) + weight
        low = min(weights)
        numbers = tuple(weights.get(place, 0) for place in range(low, max(weights) + 1))
        return IntegerDistribution(low, numbers, sum(numbers)).distribution(self.arithmetic)

    def _number(self, loadout: Loadout) -> int:
        if loadout not in self.loadouts:
            self.loadouts.append(loadout)
        return self.loadouts.index(loadout)

    def _after_hazards(self, phase: str, loadout: int, state: int) -> Distribution:
        """Return its states after the hazardous weapons that it used were tested."""
        tests = hazardous_tests(self._volleys(phase, self.loadouts[loadout]) if loadout else [])
        return self._tested(tests, self.rules.hazard, state)

    def _after_escape(self, state: int) -> Distribution:
        """Return its states after a Desperate Escape from one."""
        return self._tested({False: sum(self.alive[state])}, self.rules.desperate_escape, state)

    def _tested(self, tests: Mapping[bool, int], hazard: Hazard | None, state: int) -> Distribution:
        if not any(tests.values()) or state == self.gone:
            return self.at(state)
        assert hazard is not None  # noqa: S101 - turns are of editions with such rolls
        return failed_tests(
            tests, hazard, self.combatant.unit, self.rules, self.arithmetic, self._point(state)
        )[1]

    @cached_property
    def is_hazardous(self) -> bool:
        """Whether any of its weapons is hazardous."""
        volleys = [*self.combatant.shooting, *self.combatant.melee]
        if not any(hazardous_tests(volleys).values()):
            return False
        self._require_bearers()
        return True

    def _require_bearers(self) -> None:
        """Refuse hazards of some models only where a bearer suffers them, whom the states do not know."""
        if self.rules.hazard is None or not self.rules.hazard.on_one_bearer:
            return
        target = self.combatant.unit
        for phase in ("shooting", "melee"):
            hazardous = [any(hazardous_tests([volley]).values()) for volley in self.combatant.weapons(phase)]
            if not any(hazardous):
                continue
            (models, *others) = self.combatant.carried(phase)
            whole = not others and all(any(hazardous[place] for place in weapons) for weapons in models)
            if not whole or not self.unit.is_simple:
                raise MathhammerError(
                    f"hazardous weapons of {target.name!r} must be carried by each of its models, equal ones, in the "
                    f"{self.rules.title}, where one bearer suffers the mortal wounds (got some that are not); leave "
                    "the ability out, or compute hazardous() apart"
                )

    @cached_property
    def explodes(self) -> list[tuple[int, Expression]]:
        """The kinds of models with Deadly Demise, and the mortal wounds of each."""
        kinds = enumerate(self.combatant.kinds)
        return [(place, kind.deadly_demise) for place, kind in kinds if kind.deadly_demise is not None]

    def _after_explosions(self, explosions: tuple[tuple[int, Expression], ...], state: int) -> Distribution:
        """Return its states after so many explosions of each strength."""
        wounds = [MortalWounds(number @ each) for number, each in explosions if number]
        if not wounds or state == self.gone:
            return self.at(state)
        sequence = AttackSequence(wounds, self.combatant.unit, self.rules, self.arithmetic)
        return sequence.states_after(self._point(state))

    # Battle-shock ----------------------------------------------------------------------------------------------

    @cached_property
    def shock(self) -> Distribution | None:
        """Whether it fails a battle-shock roll; None where it takes none."""
        if self.combatant.leadership is None:
            return None
        roll = battle_shock(self.combatant.leadership, edition=self.rules.name, exact=True)
        weights = int(roll.passed * 36), int(roll.failed * 36)
        return IntegerDistribution(0, weights, 36).distribution(self.arithmetic)

    @cached_property
    def takes_battle_shock(self) -> Sequence[int]:
        """Of each state whether it is small enough for a battle-shock roll."""
        assert self.rules.battle_shock is not None  # noqa: S101 - turns are of editions with such rolls
        return states_at_half_strength(self.unit, self.rules.battle_shock)


def _entries(volleys: Sequence[Volley | MortalWounds], more: Gifts) -> list[Entry]:
    """Return what attacks with further keywords of the situation and abilities of the weapons."""
    abilities = [ability for name, value in more if name == "abilities" for ability in value]
    armed = [
        Volley(
            replace(each.weapon, keywords=(*each.weapon.keywords, *abilities)), each.count, **each.situation
        )
        if isinstance(each, Volley)
        else each
        for each in volleys
    ]
    return read_entries(armed, {name: value for name, value in more if name != "abilities"})
