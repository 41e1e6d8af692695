"""The stages of a turn as steps of the joint distribution of what is left of both units."""

from __future__ import annotations

from functools import cache, partial
from math import comb
from typing import TYPE_CHECKING

from mathhammer.distributions.chain import extended, moved, parted, redrawn, transformed, united
from mathhammer.distributions.integer_distribution import IntegerDistribution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mathhammer.distributions import Distribution, JointDistribution
    from mathhammer.systems.wh40k.turns.combatant import Side

#: The stages that a turn can have, and whose they are: 0 is the attacker, whose turn it is, 1 the defender.
STAGES = {
    "shoot": 0,
    "overwatch": 1,
    "charge": 0,
    "fight": 0,
    "attacker fights": 0,
    "defender fights": 1,
    "desperate escape": 0,
    "battle-shock": 0,
}
#: The end of the last phase, which is no stage that anybody names.
END = "end of the phase"
#: States of both units, where they are to each other, and whether each is battle-shocked.
SHOWN = ("attacker", "defender", "position", "attacker shocked", "defender shocked")
#: Beside them 1 more than the state in which each unit had the destroyed models that are not yet removed; 0 for none.
AXES = (*SHOWN, "attacker before", "defender before")
POSITION = 2
_SHOCKED = 3
_BEFORE = len(SHOWN)
#: The units are apart, engaged, engaged by a charge of this turn, or apart after a charge that may be re-rolled.
APART, ENGAGED, CHARGED, FAILED = range(4)
#: Range of an explosion, in inches.
DEMISE = 6

Outcome = tuple[int, ...]


class Play:
    """The two sides of a turn, and what each stage does to them."""

    def __init__(self, sides: tuple[Side, Side], reached: Distribution | None, *, near: bool) -> None:
        self.sides = sides
        self._reached = reached
        self._near = near
        self._rules = sides[0].rules
        self._sixes = cache(self._number_of_sixes)

    def step(self, stage: str) -> Callable[[JointDistribution], JointDistribution]:
        """Return what a stage does."""
        steps: dict[str, Callable[[JointDistribution], JointDistribution]] = {
            "shoot": lambda joint: self._activation(joint, 0, "shooting", ()),
            "overwatch": lambda joint: self._activation(joint, 1, "shooting", ("overwatch",)),
            "charge": self.charge,
            "fight": self._fight,
            "attacker fights": lambda joint: self._fights(joint, (0,)),
            "defender fights": lambda joint: self._fights(joint, (1,)),
            "desperate escape": self._escape,
            "battle-shock": self._battle_shock,
            END: lambda joint: joint,
        }
        return steps[stage]

    def after(self, stage: str, joint: JointDistribution) -> JointDistribution:
        """Return the joint distribution after a stage, as a later phase finds it."""
        if stage not in ("attacker fights", "defender fights"):
            joint = self.end_of_phase(joint)
        joint = self.step(stage)(joint)
        if all(side.unit.is_simple for side in self.sides):
            return joint
        later = [side.unit.new_phase() for side in self.sides]
        return transformed(joint, AXES, lambda each: (later[0][each[0]], later[1][each[1]], *each[POSITION:]))

    # The charge ------------------------------------------------------------------------------------------------

    def charge(self, joint: JointDistribution, *, again: bool = False) -> JointDistribution:
        """Charge where units are apart; or re-roll the charges that failed."""
        assert self._reached is not None  # noqa: S101 - a turn with a charge has a distance
        rolled = self._reached.map(lambda reached: CHARGED if reached else FAILED)
        rolls = FAILED if again else APART

        def position(outcome: Outcome) -> Distribution:
            both = all(outcome[place] != side.gone for place, side in enumerate(self.sides))
            return rolled if both and outcome[POSITION] == rolls else self.sides[0].at(outcome[POSITION])

        return redrawn(joint, AXES[POSITION], position)

    # Attacks ---------------------------------------------------------------------------------------------------

    def _fight(self, joint: JointDistribution) -> JointDistribution:
        """Fight with both units where they are engaged, in the order of the rules.

        Warhammer 40,000 10th edition core rules, Fight Phase: in each step the player whose turn it is not selects
        first. 11th edition core rules, 12: with Fights First the player whose turn it is selects first; whoever then
        has no such unit selects first among the others.
        """
        charged, rest = parted(joint, lambda outcome: outcome[POSITION] == CHARGED)
        parts = []
        for part, charges in ((charged, True), (rest, False)):
            if part._outcomes:  # noqa: SLF001 - a total would be a number of SymPy
                parts.append(self._fights(part, self._order(charges=charges)))
        return parts[0] if len(parts) == 1 else united(*parts)

    def _order(self, *, charges: bool) -> tuple[int, ...]:
        attacker, defender = (side.combatant.fights_first for side in self.sides)
        attacker = attacker or charges
        if attacker != defender:
            return (0, 1) if attacker else (1, 0)
        return (0, 1) if self._rules.active_player_fights_first else (1, 0)

    def _fights(self, joint: JointDistribution, order: Sequence[int]) -> JointDistribution:
        """Fight with units, one after the other."""
        for place, by in enumerate(order):
            joint = self._activation(joint, by, "melee", (), enemy_fought=1 - by in order[:place])
        return self.end_of_phase(joint) if len(order) > 1 else joint

    def _activation(
        self,
        joint: JointDistribution,
        by: int,
        phase: str,
        keywords: tuple[str, ...],
        *,
        enemy_fought: bool = False,
    ) -> JointDistribution:
        """Make all attacks of a unit, and what comes of them: hazards, destroyed models that fight, explosions.

        References
        ----------
        Warhammer 40,000 10th edition Rules Commentary, Fight on Death; 11th edition app rules, 05.04.05: what is
        destroyed stays until its unit has fought, or to the end of the phase, and only then explodes.
        """
        side, enemy = self.sides[by], self.sides[1 - by]
        if not side.combatant.weapons(phase):
            return joint
        dead_fight = phase == "melee" and not enemy_fought and enemy.combatant.fights_on_death is not None
        waiting = 1 - by if dead_fight and self._rules.dead_fight_with_unit else None
        if dead_fight or any(each.explodes for each in self.sides):
            joint = transformed(joint, joint.axes, lambda each: (*each[:_BEFORE], *self._seen(each)))
        joint = self._attacks(joint, by, phase, keywords)
        if dead_fight and waiting is None:
            joint = self._attacks(joint, 1 - by, phase, (), living=False)
        return self._removed(joint, waiting)

    def end_of_phase(self, joint: JointDistribution) -> JointDistribution:
        """Remove the destroyed models whose unit has not fought."""
        return self._removed(joint, None)

    def _removed(self, joint: JointDistribution, waiting: int | None) -> JointDistribution:
        """Remove destroyed models, which may explode, but for those of a unit that wait to fight."""
        if not any(any(outcome[_BEFORE:]) for outcome in joint._outcomes):  # noqa: SLF001
            return joint
        joint = self._explosions(joint, waiting)

        def before(outcome: Outcome) -> Iterator[int]:
            for by, side in enumerate(self.sides):
                had = outcome[_BEFORE + by]
                yield had if by == waiting and had and side.alive[had - 1] != side.alive[outcome[by]] else 0

        return transformed(joint, joint.axes, lambda each: (*each[:_BEFORE], *before(each)))

    def _seen(self, outcome: Outcome) -> tuple[int, int]:
        """Return 1 more than the state of each unit in which it last had the destroyed models that are not removed."""
        attacker, defender = (outcome[_BEFORE + by] or outcome[by] + 1 for by in (0, 1))
        return attacker, defender

    def _attacks(
        self,
        joint: JointDistribution,
        by: int,
        phase: str,
        keywords: tuple[str, ...],
        *,
        living: bool = True,
    ) -> JointDistribution:
        """Make the attacks of the living and of the destroyed that wait, or of these alone; then take the hazards."""
        side, enemy = self.sides[by], self.sides[1 - by]

        def weapons(outcome: Outcome) -> Distribution:
            engaged, had = outcome[POSITION] in (ENGAGED, CHARGED), [seen - 1 for seen in self._seen(outcome)]
            barred = any(self._rules.conditions[keyword].barred_by for keyword in keywords)
            if had[1 - by] == enemy.gone or (not engaged if phase == "melee" else engaged and barred):
                return side.at(0)
            left = side.alive[outcome[by]]
            fallen = tuple(many - few for many, few in zip(side.alive[had[by]], left, strict=True))
            return side.weapons_used(phase, left, fallen, engaged, living)

        def step(outcome: Outcome, before: Distribution) -> Distribution:
            more = keywords
            if phase == "melee" and outcome[POSITION] == CHARGED:
                more = ("target_charged",) if by else ("charged",)
            elif phase == "shooting" and outcome[POSITION] in (ENGAGED, CHARGED):
                more = (*keywords, "engaged")
            given = (*side.combatant.given(side.alive[outcome[by]]), *((name, True) for name in more))
            return enemy.attacked(side, phase, side.loadouts[outcome[-1]], given, before)

        joint = moved(extended(joint, "weapons", weapons), AXES[1 - by], step)
        if living and side.is_hazardous:
            joint = redrawn(joint, AXES[by], lambda each: side.after_hazards(phase, each[-1], each[by]))
        return transformed(joint, AXES, lambda each: each[:-1])

    # Explosions ------------------------------------------------------------------------------------------------

    def _explosions(self, joint: JointDistribution, waiting: int | None) -> JointDistribution:
        """Roll for models with Deadly Demise that were destroyed, until none is left to roll for.

        Warhammer 40,000 10th edition core rules, Deadly Demise; 11th edition core rules, 24.08: each unit within 6"
        suffers, that of the model itself included.
        """
        while True:
            for by, side in enumerate(self.sides):
                outcomes = joint._outcomes if side.explodes and by != waiting else ()  # noqa: SLF001
                if any(self._destroyed(by, outcome) for outcome in outcomes):
                    joint = self._exploded(joint, by)
                    break
            else:
                return joint

    def _destroyed(self, by: int, outcome: Outcome) -> tuple[int, ...]:
        """Return how many models of each kind that explodes were destroyed since the last look; nothing for none."""
        side = self.sides[by]
        had, left = side.alive[self._seen(outcome)[by] - 1], side.alive[outcome[by]]
        numbers = tuple(had[place] - left[place] for place, _ in side.explodes)
        return numbers if any(numbers) else ()

    def _exploded(self, joint: JointDistribution, by: int) -> JointDistribution:
        side = self.sides[by]
        width = len(joint.axes)
        for place in range(len(side.explodes)):

            def sixes(outcome: Outcome, place: int = place) -> Distribution:
                engaged = outcome[POSITION] in (ENGAGED, CHARGED)
                numbers = self._destroyed(by, outcome) if engaged or self._near else ()
                return self._sixes(numbers[place] if numbers else 0)

            joint = extended(joint, f"explosions {place}", sixes)
        seen = _BEFORE + by
        joint = transformed(joint, joint.axes, lambda each: (*each[:seen], each[by] + 1, *each[seen + 1 :]))
        for victim in (1 - by, by):

            def after(outcome: Outcome, victim: int = victim) -> Distribution:
                strengths = tuple(
                    (number, wounds)
                    for number, (_, wounds) in zip(outcome[width:], side.explodes, strict=True)
                )
                return self.sides[victim].after_explosions(strengths, outcome[victim])

            joint = redrawn(joint, AXES[victim], after)
        return transformed(joint, joint.axes[:width], lambda each: each[:width])

    def _number_of_sixes(self, dice: int) -> Distribution:
        """Return how many of so many dice show a 6."""
        weights = [comb(dice, sixes) * 5 ** (dice - sixes) for sixes in range(dice + 1)]
        return IntegerDistribution(0, tuple(weights), 6**dice).distribution()

    # Nerve -----------------------------------------------------------------------------------------------------

    def _battle_shock(self, joint: JointDistribution) -> JointDistribution:
        """Take the battle-shock rolls of both units, each in its own next Command phase."""
        for place, side in enumerate(self.sides):
            if side.shock is not None:
                joint = redrawn(joint, AXES[_SHOCKED + place], partial(self._shocked, place, side.shock))
        return joint

    def _shocked(self, place: int, shock: Distribution, outcome: Outcome) -> Distribution:
        """Return whether a unit is battle-shocked after its Command phase."""
        side, state = self.sides[place], outcome[place]
        again = self._rules.battle_shock.at_half and outcome[_SHOCKED + place] and state != side.gone  # type: ignore[union-attr] # editions with turns have it
        return shock if side.takes_battle_shock[state] or again else self.sides[0].at(0)

    def _escape(self, joint: JointDistribution) -> JointDistribution:
        """Fall back with the attacker, each of whose models tests."""
        side = self.sides[0]
        rule, shock = self._rules.battle_shock, side.shock

        def escapes(outcome: Outcome) -> bool:
            return outcome[POSITION] in (ENGAGED, CHARGED)

        joint = redrawn(
            joint, AXES[0], lambda each: side.after_escape(each[0]) if escapes(each) else side.at(each[0])
        )
        if rule is not None and rule.after_escape and shock is not None:
            joint = redrawn(
                joint,
                AXES[_SHOCKED],
                lambda each: (
                    shock
                    if escapes(each) and each[0] != side.gone and not each[_SHOCKED]
                    else self.sides[0].at(each[_SHOCKED])
                ),
            )
        return transformed(joint, AXES, lambda each: (*each[:POSITION], APART, *each[POSITION + 1 :]))
