"""The stages of a turn as steps of the joint distribution of what is left of both units."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import product
from math import comb, prod
from operator import sub
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from mathhammer.distributions.chain import extended, moved, parted, redrawn, transformed, united
from mathhammer.distributions.univariate import Distribution
from mathhammer.errors import MathhammerError
from mathhammer.sequence.unit_distribution import UnitDistribution, resume
from mathhammer.systems.wh40k.attacks.attack_sequence import AttackSequence
from mathhammer.systems.wh40k.attacks.hazards import failed_tests, hazardous_tests, is_machine
from mathhammer.systems.wh40k.attacks.unit_rolls import battle_shock, states_at_half_strength
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.sequence.compile import compile_entries, unit_of
from mathhammer.systems.wh40k.situation import Entry, MortalWounds, Volley, read_entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.distributions.joint import JointDistribution
    from mathhammer.expressions.base import Expression
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.targets import Gifts
    from mathhammer.systems.wh40k.turns.combatant import Combatant, Loadout

#: The stages that a turn can have, and whose they are: 0 is the attacker, whose turn it is, 1 the defender.
STAGES = {"shoot": 0, "overwatch": 1, "charge": 0, "fight": 0, "attacker fights": 0, "defender fights": 1}
STAGES |= {"desperate escape": 0, "battle-shock": 0}
#: A Command Re-roll of a charge roll that failed; and the end of the last phase. Neither is a stage that is named.
REROLL, END = "charge re-roll", "end of the phase"
#: States of both units, where they are to each other, and whether each is battle-shocked.
SHOWN = ("attacker", "defender", "position", "attacker shocked", "defender shocked")
#: Beside them 1 more than the state in which each unit had the destroyed models that are not yet removed; 0 for none.
AXES = (*SHOWN, "attacker before", "defender before")
POSITION = 2
_SHOCKED = 3
_BEFORE = len(SHOWN)
#: The units are apart, engaged, engaged by a charge of this turn, or apart after a charge that may be re-rolled.
APART, ENGAGED, CHARGED, FAILED = range(4)
TOGETHER = (ENGAGED, CHARGED)
#: Range of an explosion, in inches.
DEMISE = 6

Outcome = tuple[int, ...]
#: Models of each kind.
Alive = tuple[int, ...]
#: Numbers of explosions, each with its mortal wounds.
Explosions = tuple[tuple[int, "Expression"], ...]
T = TypeVar("T")


@cache
def certain(value: int) -> Distribution:
    """Return the distribution of one number: the same object each time, by which others know it."""
    return Distribution.from_weights({value: 1}, exact=True)


def _place(of: list[T], what: T) -> int:
    """Return the place of a thing in a list, at the end of it if it is new."""
    if what not in of:
        of.append(what)
    return of.index(what)


def _showing(dice: Sequence[int], faces: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield how many of some sorts of D6 show one of so many faces, and in how many ways."""
    for shown in product(*(range(number + 1) for number in dice)):
        sorts = zip(dice, shown, strict=True)
        yield shown, prod(comb(of, few) * faces**few * (6 - faces) ** (of - few) for of, few in sorts)


class TurnSide:
    """One side of a turn: a unit against its enemy."""

    def __init__(
        self, combatant: Combatant, enemy: Combatant, rules: Edition, start: UnitDistribution | None = None
    ) -> None:
        self.combatant, self.rules = combatant, rules
        every = enemy.given([kind.models for kind in enemy.kinds])
        compiled = compile_entries(_entries([*enemy.shooting, *enemy.melee], every), combatant.unit, rules)
        directed = any(each.volley.directed for each in compiled)
        unit = unit_of(combatant.unit, rules, single_out=directed)
        self.unit, self.before = resume(unit, start, exact=start is not None and start.exact)
        #: The state in which nothing of it is left, and the models of each kind that are alive in every state.
        self.gone = self.unit.states - 1
        models = [kind.models for kind in combatant.kinds]
        self.alive: list[Alive] = [tuple(map(sub, models, state[::2])) for state in self.unit.coordinates()]
        #: The kinds of models with Deadly Demise, and the mortal wounds of each.
        kinds = enumerate(combatant.kinds)
        self.explodes = [(place, of.deadly_demise) for place, of in kinds if of.deadly_demise is not None]
        #: What it attacks with and how it explodes, by the number that stands for it; the first is nothing.
        self.loadouts: list[Loadout] = [()]
        self.explosions: list[Explosions] = [()]
        for name in (
            "sequence",
            "attacked_in",
            "weapons_used",
            "exploding",
            "after_tests",
            "after_explosions",
        ):
            setattr(self, name, cache(getattr(self, name)))  # kept as long as the side

    def _fires(self, engaged: bool, kind: Target, weapons: Loadout) -> list[int]:  # noqa: FBT001 - of a key
        """Return with which of its guns a model shoots at what it is engaged with, or at another unit."""
        # 10th edition core rules, Pistol, Blast, Big Guns Never Tire; 11th edition core rules, 10.06, 24.05, 24.07.
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
            for volley, number in zip(self.combatant.weapons(phase), loadout, strict=False)
            if number
        ]

    def sequence(self, phase: str, loadout: Loadout, keywords: Gifts, target: TurnSide) -> AttackSequence:
        """Return its attacks on the enemy with so many of each weapon."""
        entries = _entries(self._volleys(phase, loadout), keywords)
        return AttackSequence(entries, target.combatant.unit, self.rules)

    def weapons_used(
        self,
        phase: str,
        alive: Alive,
        fallen: Alive,
        engaged: bool,  # noqa: FBT001 - of a key
        living: bool,  # noqa: FBT001 - the same
    ) -> Distribution:
        """Return the number of the loadout of its living models and its fallen ones, each of which rolls to fight."""
        uses = partial(self._fires, engaged) if phase == "shooting" else None
        own = self.combatant.loadout(phase, alive if living else [0] * len(alive), uses)
        roll = self.combatant.fights_on_death or 7
        dead: Counter[Loadout] = Counter()
        for models, left, number in zip(self.combatant.carried(phase), alive, fallen, strict=True):
            dead.update(models[len(models) - left - number : len(models) - left])
        weights: Counter[int] = Counter()
        for fighting, ways in _showing([*dead.values()], 7 - roll):
            used = list(own)
            for number, weapons in zip(fighting, dead, strict=True):
                for weapon in weapons:
                    used[weapon] += number
            if ways:
                weights[_place(self.loadouts, tuple(used))] += ways
        return Distribution.from_weights(weights, exact=True)

    def attacked(
        self, by: TurnSide, phase: str, loadout: Loadout, keywords: Gifts, before: Distribution
    ) -> Distribution:
        """Return its states after the attacks of so many weapons of the enemy."""
        if not any(loadout) or before.support[0] == self.gone:
            return before
        sequence, known = by.sequence(phase, loadout, keywords, self), len(before.support) == 1
        found = UnitDistribution(self.unit, before)
        return self.attacked_in(sequence, before.support[0]) if known else sequence.states_after(found)

    def attacked_in(self, sequence: AttackSequence, state: int) -> Distribution:
        """Return the same from one state."""
        return sequence.states_after(UnitDistribution(self.unit, certain(state)))

    def after_tests(self, state: int, phase: str = "", loadout: int = 0) -> Distribution:
        """Return its states after the hazardous weapons used in a phase were tested, or its models that escape."""
        tests, hazard = {False: sum(self.alive[state])}, self.rules.desperate_escape
        if phase:
            tests = hazardous_tests(self._volleys(phase, self.loadouts[loadout]))
            hazard = self.rules.hazard
        if not any(tests.values()) or state == self.gone:
            return certain(state)
        assert hazard is not None  # noqa: S101 - turns are of editions with such rolls
        before = UnitDistribution(self.unit, certain(state))
        return failed_tests(tests, hazard, self.combatant.unit, self.rules, before)[1]

    def exploding(self, destroyed: tuple[int, ...]) -> Distribution:
        """Return the number of the explosions of so many destroyed models of each kind that can explode."""
        weights: Counter[int] = Counter()
        for sixes, ways in _showing(destroyed, 1):
            every = zip(sixes, (wounds for _, wounds in self.explodes), strict=False)
            weights[_place(self.explosions, tuple(each for each in every if each[0]))] += ways
        return Distribution.from_weights(weights, exact=True)

    def after_explosions(self, explosions: Explosions, state: int) -> Distribution:
        """Return its states after so many explosions of each strength."""
        if not explosions or state == self.gone:
            return certain(state)
        wounds = [MortalWounds(number @ each) for number, each in explosions]
        return self.attacked_in(AttackSequence(wounds, self.combatant.unit, self.rules), state)

    @cached_property
    def is_hazardous(self) -> bool:
        """Whether any of its weapons is hazardous: where one bearer suffers, the states must know who carries it."""
        found = False
        for phase in ("shooting", "melee"):
            tests = [any(hazardous_tests([each]).values()) for each in self.combatant.weapons(phase)]
            found = found or any(tests)
            if self.rules.hazard is None or not self.rules.hazard.on_one_bearer or not any(tests):
                continue
            models, *others = self.combatant.carried(phase)
            if others or not self.unit.is_simple or not all(any(tests[at] for at in each) for each in models):
                raise MathhammerError(
                    f"hazardous weapons of {self.combatant.name!r} must be carried by each of its models, equal ones, "
                    f"in the {self.rules.title}, where one bearer suffers the mortal wounds (got some that are not); "
                    "leave the ability out, or compute hazardous() apart"
                )
        return found

    @cached_property
    def shock(self) -> Distribution | None:
        """Whether it fails a battle-shock roll; None where it takes none."""
        if self.combatant.leadership is None:
            return None
        roll = battle_shock(self.combatant.leadership, edition=self.rules.name, exact=True)
        return Distribution.from_weights({0: int(roll.passed * 36), 1: int(roll.failed * 36)}, exact=True)


def _entries(volleys: Sequence[Volley | MortalWounds], more: Gifts) -> list[Entry]:
    """Return what attacks with further keywords of the situation and abilities of the weapons."""
    abilities = [ability for name, value in more if name == "abilities" for ability in value]

    def armed(each: Volley) -> Volley:
        weapon = replace(each.weapon, keywords=(*each.weapon.keywords, *abilities))
        return Volley(weapon, each.count, **each.situation)

    entries = [armed(each) if isinstance(each, Volley) else each for each in volleys]
    return read_entries(entries, {name: value for name, value in more if name != "abilities"})


class Play(NamedTuple):
    """The two sides of a turn, where a charge leads to, and what each stage does to them."""

    sides: tuple[TurnSide, TurnSide]
    reached: Distribution | None
    near: bool

    def after(self, stage: str, joint: JointDistribution) -> JointDistribution:
        """Return the joint distribution after a stage or a re-roll, as a later phase finds it."""
        if stage in ("attacker fights", "defender fights"):
            joint = self._fights(joint, [STAGES[stage]])
        else:
            joint = self._removed(joint)
        if stage == "fight":
            joint = self._fight(joint)
        elif stage in ("shoot", "overwatch"):
            joint = self._activation(joint, STAGES[stage], "shooting", overwatch=stage == "overwatch")
        elif stage in ("charge", REROLL):
            assert self.reached is not None  # noqa: S101 - a turn with a charge has a distance
            rolled = self.reached

            def charges(outcome: Outcome) -> Distribution:
                rolls = outcome[POSITION] == (FAILED if stage == REROLL else APART)
                return rolled if rolls and self.both_left(outcome) else certain(outcome[POSITION])

            joint = redrawn(joint, AXES[POSITION], charges)
        elif stage == "desperate escape":
            joint = self._escape(joint)
        elif stage == "battle-shock":
            joint = self._battle_shock(joint)
        if all(side.unit.is_simple for side in self.sides):
            return joint
        later = [side.unit.new_phase() for side in self.sides]
        return transformed(joint, AXES, lambda each: (later[0][each[0]], later[1][each[1]], *each[POSITION:]))

    def both_left(self, outcome: Outcome) -> bool:
        """Whether neither unit is destroyed."""
        return all(outcome[place] != side.gone for place, side in enumerate(self.sides))

    def _fight(self, joint: JointDistribution) -> JointDistribution:
        """Fight with both units where they are engaged, in the order of the rules."""
        # 10th edition core rules, Fight Phase: in each step the player whose turn it is not selects first. 11th, 12:
        # with Fights First the player whose turn it is does; whoever then has no such unit, first among the others.
        own, enemy = (side.combatant.fights_first for side in self.sides)
        found = []
        parts = parted(joint, lambda outcome: outcome[POSITION] == CHARGED)
        for part, charges in zip(parts, (True, False), strict=True):
            alike = (own or charges) == enemy
            first = self.sides[0].rules.active_player_fights_first if alike else own or charges
            if part._outcomes:  # noqa: SLF001 - a total would be a number of SymPy
                found.append(self._fights(part, (0, 1) if first else (1, 0)))
        return found[0] if len(found) == 1 else united(*found)

    def _fights(self, joint: JointDistribution, order: Sequence[int]) -> JointDistribution:
        """Fight with units, one after the other."""
        for place, by in enumerate(order):
            joint = self._activation(joint, by, "melee", enemy_fought=1 - by in order[:place])
        return self._removed(joint) if len(order) > 1 else joint

    def _activation(
        self,
        joint: JointDistribution,
        by: int,
        phase: str,
        *,
        overwatch: bool = False,
        enemy_fought: bool = False,
    ) -> JointDistribution:
        """Make all attacks of a unit, and what comes of them: hazards, destroyed models that fight, explosions."""
        # 10th edition Rules Commentary, Fight on Death; 11th edition app rules, 05.04.05: what is destroyed stays until
        # its unit has fought, or to the end of the phase, and only then explodes.
        if not self.sides[by].combatant.weapons(phase):
            return joint
        fights_on_death = self.sides[1 - by].combatant.fights_on_death
        dead_fight = phase == "melee" and not enemy_fought and fights_on_death is not None
        waiting = 1 - by if dead_fight and self.sides[0].rules.dead_fight_with_unit else None
        if dead_fight or any(each.explodes for each in self.sides):
            joint = transformed(joint, AXES, lambda each: (*each[:_BEFORE], *self._seen(each)))
        joint = self._attacks(joint, by, phase, overwatch=overwatch)
        if dead_fight and waiting is None:
            joint = self._attacks(joint, 1 - by, phase, living=False)
        return self._removed(joint, waiting)

    def _removed(self, joint: JointDistribution, waiting: int | None = None) -> JointDistribution:
        """Remove destroyed models, which may explode, but for those of a unit that wait to fight."""
        # Core rules, Deadly Demise; 11th edition, 24.08: each unit within 6" suffers, that of the model included.
        if not any(any(outcome[_BEFORE:]) for outcome in joint._outcomes):  # noqa: SLF001
            return joint
        while exploding := [
            by
            for by in (0, 1)
            if by != waiting and any(map(partial(self._destroyed, by), joint._outcomes))  # noqa: SLF001
        ]:
            joint = self._exploded(joint, exploding[0])

        def before(outcome: Outcome) -> Outcome:
            had = [outcome[_BEFORE + by] * (by == waiting) for by in (0, 1)]
            for by, side in enumerate(self.sides):
                had[by] *= had[by] > 0 and side.alive[had[by] - 1] != side.alive[outcome[by]]
            return (*outcome[:_BEFORE], *had)

        return transformed(joint, AXES, before)

    def _seen(self, outcome: Outcome) -> tuple[int, int]:
        """Return 1 more than the state of each unit in which it last had the destroyed models that are not removed."""
        attacker, defender = (outcome[_BEFORE + by] or outcome[by] + 1 for by in (0, 1))
        return attacker, defender

    def _destroyed(self, by: int, outcome: Outcome) -> tuple[int, ...]:
        """Return how many models of each kind that explodes were destroyed since the last look; nothing for none."""
        side = self.sides[by]
        had, left = side.alive[self._seen(outcome)[by] - 1], side.alive[outcome[by]]
        numbers = tuple(had[place] - left[place] for place, _ in side.explodes)
        return numbers if any(numbers) else ()

    def _exploded(self, joint: JointDistribution, by: int) -> JointDistribution:
        """Roll for the models with Deadly Demise of a unit that were destroyed."""
        side, seen = self.sides[by], _BEFORE + by

        def explosions(outcome: Outcome) -> Distribution:
            near = self.near or outcome[POSITION] in TOGETHER
            return side.exploding(self._destroyed(by, outcome) if near else ())

        joint = extended(joint, "explosions", explosions)
        joint = transformed(joint, joint.axes, lambda each: (*each[:seen], each[by] + 1, *each[seen + 1 :]))
        for victim in (1 - by, by):

            def after(outcome: Outcome, victim: int = victim) -> Distribution:
                return self.sides[victim].after_explosions(side.explosions[outcome[-1]], outcome[victim])

            joint = redrawn(joint, AXES[victim], after)
        return transformed(joint, AXES, lambda each: each[:-1])

    def _attacks(
        self, joint: JointDistribution, by: int, phase: str, *, overwatch: bool = False, living: bool = True
    ) -> JointDistribution:
        """Make the attacks of the living and of the destroyed that wait, or of these alone; then take the hazards."""
        side, enemy = self.sides[by], self.sides[1 - by]
        barred = phase == "melee" or (overwatch and bool(side.rules.conditions["overwatch"].barred_by))

        def weapons(outcome: Outcome) -> Distribution:
            engaged, had = outcome[POSITION] in TOGETHER, [seen - 1 for seen in self._seen(outcome)]
            if had[1 - by] == enemy.gone or (barred and engaged is not (phase == "melee")):
                return certain(0)
            left = side.alive[outcome[by]]
            return side.weapons_used(phase, left, tuple(map(sub, side.alive[had[by]], left)), engaged, living)

        def step(outcome: Outcome, before: Distribution) -> Distribution:
            more = ["overwatch"] if overwatch else []
            if phase == "melee" and outcome[POSITION] == CHARGED:
                more = ["target_charged" if by else "charged"]
            elif phase == "shooting" and outcome[POSITION] in TOGETHER:
                more.append("engaged")
            given = (*side.combatant.given(side.alive[outcome[by]]), *((name, True) for name in more))
            return enemy.attacked(side, phase, side.loadouts[outcome[-1]], given, before)

        joint = moved(extended(joint, "weapons", weapons), AXES[1 - by], step)
        if living and side.is_hazardous:
            joint = redrawn(joint, AXES[by], lambda each: side.after_tests(each[by], phase, each[-1]))
        return transformed(joint, AXES, lambda each: each[:-1])

    def _battle_shock(self, joint: JointDistribution) -> JointDistribution:
        """Take the battle-shock rolls of both units, each in its own next Command phase."""
        rule = self.sides[0].rules.battle_shock
        assert rule is not None  # noqa: S101 - turns are of editions with such rolls
        for by, side in enumerate(self.sides):
            small = states_at_half_strength(side.unit, rule)

            def shocked(
                outcome: Outcome, by: int = by, side: TurnSide = side, small: list[int] = small
            ) -> Distribution:
                again = rule.at_half and outcome[_SHOCKED + by] and outcome[by] != side.gone
                return side.shock if (small[outcome[by]] or again) and side.shock is not None else certain(0)

            joint = redrawn(joint, AXES[_SHOCKED + by], shocked)
        return joint

    def _escape(self, joint: JointDistribution) -> JointDistribution:
        """Fall back with the attacker, each of whose models tests."""
        side, rule = self.sides[0], self.sides[0].rules.battle_shock

        def escaped(outcome: Outcome) -> Distribution:
            return (side.after_tests if outcome[POSITION] in TOGETHER else certain)(outcome[0])

        def shocked(outcome: Outcome) -> Distribution:
            rolls = outcome[POSITION] in TOGETHER and outcome[0] != side.gone and not outcome[_SHOCKED]
            return side.shock if rolls and side.shock is not None else certain(outcome[_SHOCKED])

        joint = redrawn(joint, AXES[0], escaped)
        if rule is not None and rule.after_escape:
            joint = redrawn(joint, AXES[_SHOCKED], shocked)
        return transformed(joint, AXES, lambda each: (*each[:POSITION], APART, *each[POSITION + 1 :]))
