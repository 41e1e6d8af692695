"""Attacks on one target: compiled for what the attackers may see of it, then walked or played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache, cached_property, partial
from itertools import chain, permutations
from math import e, factorial, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.distributions.combination import mixture_by_mass
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import MathhammerError
from mathhammer.sequence.grouped_unit import GroupedUnit, alike
from mathhammer.sequence.resolution import Share, resolve, resolve_orders, shares
from mathhammer.sequence.unit import ModelUnit
from mathhammer.sequence.unit_distribution import UnitDistribution, resume
from mathhammer.sequence.volley import require_walks
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.profiles.targets import TargetUnit, of_all_models, toughness_of
from mathhammer.systems.wh40k.rules.rule import Ability, abilities_of
from mathhammer.systems.wh40k.sequence.compile import (
    Compiled,
    CompiledMortalWounds,
    CompiledVolley,
    Selection,
    compile_entries,
    kinds_of,
    state_values,
    unit_of,
    volleys_of,
)
from mathhammer.systems.wh40k.situation import Entry, MortalWounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.distributions import Distribution
    from mathhammer.sequence.attack_dice import Turn
    from mathhammer.sequence.attack_play import AttackPlay
    from mathhammer.sequence.volley import SequenceVolley
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.sequence.dice_stages import Saving


#: Volleys, the states of the target, and their distribution before; none where it is fresh.
Resumed = tuple[Sequence[Compiled], ModelUnit, "Distribution | None"]


class Cases(NamedTuple):
    """Cases that the attackers may see when they choose the target: its state in each, and their distribution."""

    seen: Sequence[tuple[UnitDistribution | None, Selection | None]]
    which: Distribution

    @property
    def probabilities(self) -> list[Any]:
        """Probability of each case, in numbers that need no SymPy."""
        which = in_fractions(self.which.handed_out(exact=True))
        return [*map(which.pmf, range(len(self.seen)))]


#: Of a target that is fresh there is one.
_FRESH = Cases([(None, None)], IntegerDistribution(0, (1,), 1).distribution())


class AttackSequence:
    """Attacks of a unit on a target under an edition as read."""

    def __init__(
        self,
        entries: Sequence[Entry],
        target: Target | TargetUnit,
        rules: Edition,
        objective: str | None = None,
        *,
        exact: bool = True,
    ) -> None:
        self.entries, self.target, self.rules, self.exact = entries, target, rules, exact
        self._volleys = [entry for entry in entries if not isinstance(entry, MortalWounds)]
        limited = any("limited_rerolls" in at.keywords for *_, at in self._volleys)
        self.objective = objective or ("wounds_lost" if limited else "kills")
        #: The volleys and mortal wounds with all their rolls, by what the attackers see.
        self._compiled: dict[Selection | None, list[Compiled]] = {}

    @property
    def abilities(self) -> list[Ability]:
        """The rules of the weapons in this edition."""
        return [rule for weapon, *_ in self._volleys for rule in abilities_of(weapon, self.rules.abilities)]

    def cases(self, start: UnitDistribution | None) -> Cases:
        """Return what the attackers may see after an earlier attack."""
        if start is None:
            return _FRESH
        resume(unit_of(self.target, self.rules), start, exact=self.exact)
        keywords = chain.from_iterable(weapon.keywords for weapon, *_ in self._volleys)
        named = frozenset(word for keyword in keywords if keyword.target for word in keyword.filter)
        selection = cache(partial(self._selection, named))
        selections, starts, which = start.cases(lambda state: selection(state[::2]))
        return Cases(list(zip(starts, selections, strict=True)), which)

    def _selection(self, named: frozenset[str], dead: tuple[int, ...]) -> Selection:
        """Return what a unit meets when so many models of each kind are destroyed.

        Warhammer 40,000 10th edition, Rules Commentary: Toughness and the number of models are those of the moment when
        the target is selected; core rules, Leader: leaders whose bodyguards are all destroyed are units of their own;
        core rules, Keywords: a unit has those of all its models.
        """
        target, rules = self.target, self.rules
        alive = ((kind, kind.models - lost) for kind, lost in zip(kinds_of(target), dead, strict=True))
        left = [(kind, number) for kind, number in alive if number]
        living, giving = [kind for kind, _ in left], None
        models = sum(number for _, number in left) if self._counts_models else 1
        foremost: Any = left or [(target, 1)]
        if isinstance(target, TargetUnit):
            giving = target.giving(living)
            living = [target.gifted(kind, giving) for kind in living]
            foremost = [each for each in left if each[0] not in target.leaders] or foremost
        return Selection(
            max(1, models // rules.models_of_blast * rules.models_of_blast),
            toughness_of(
                [(kind.toughness, number) for kind, number in foremost], majority=rules.majority_toughness
            ),
            tuple(sorted({word for kind in living for word in kind.keywords if word.lower() in named})),
            of_all_models(living, rules.target_rules),
            giving,
        )

    @cached_property
    def _counts_models(self) -> bool:
        """Whether it matters to any of the weapons how many models the target has left."""
        return any(rule.counts_models for rule in self.abilities)

    def resolve(
        self, start: UnitDistribution | None, selection: Selection | None = None, *, any_order: bool = False
    ) -> tuple[Sequence[Compiled], ModelUnit, Distribution, AttackPlay | None]:
        """Return the volleys, the states of the target, their distribution afterwards, and how they are played."""
        resumed = compiled, unit, _ = self._resumed(start, selection)
        return compiled, unit, *self._resolved(resumed, any_order=any_order and len(compiled) > 1)

    def states_after(self, start: UnitDistribution) -> Distribution:
        """Return the distribution of the state of the target after the attacks."""
        any_order = self.rules.orders_pools
        if isinstance(self.target, Target) and not self._counts_models:
            # A unit of equal models is attacked as if it were whole.
            return self.resolve(start, any_order=any_order)[2]
        seen, which = self.cases(start)
        found = [self.resolve(*each, any_order=any_order)[2] for each in seen]
        if len(found) == 1:
            return found[0]
        return mixture_by_mass(which._mass, found)  # noqa: SLF001 - its indices are theirs

    def by_order(
        self, alike: Sequence[int], start: UnitDistribution | None, selection: Selection | None, cases: int
    ) -> Iterator[tuple[tuple[int, ...], float]]:
        """Yield the places of the attacks in every order that differs, and what it is worth by the objective."""
        compiled, unit, before = self._resumed(start, selection)
        volleys = [each.volley for each in compiled]
        attacks = [place for place, volley in enumerate(volleys) if volley.attack is not None]
        same = Counter(alike[place] for place in attacks).values()
        orders = factorial(len(attacks)) // prod(map(factorial, same))
        # Each model of equal ones is worth the same, whether its points are known or not.
        plain = self.objective == "points" and isinstance(self.target, Target)
        values, out_of = state_values(self.target, unit, "kills" if plain else self.objective)

        def worth(states: Distribution) -> float:
            possible, found = states.support, in_fractions(states)
            return float(found._image(values[possible.start : possible.stop]).mean()) / out_of  # noqa: SLF001 - one value a state

        if not (is_played(compiled, unit) or unit.leaves_choices):
            # Of n volleys in all orders those of the first places are walked but once for all that follow.
            part = min(1.0, e / max(1, len(attacks)))
            require_walks(volleys, unit, orders=orders * cases, walked=part)
            for order, states in resolve_orders(volleys, alike, unit, start=before):
                yield order, worth(states)
            return
        require_walks(volleys, unit, orders=orders * cases)
        differ: dict[tuple[int, ...], tuple[int, ...]] = {}
        for order in permutations(attacks):
            differ.setdefault(tuple(alike[place] for place in order), order)
        for order in differ.values():
            ordered = [compiled[place] for place in order]
            ordered += [each for each in compiled if each.volley.attack is None]
            yield order, worth(self._resolved((ordered, unit, before))[0])

    def shares(self, start: UnitDistribution | None, selection: Selection | None) -> list[Share]:
        """Return what each volley does, in numbers that need no SymPy."""
        compiled, unit, before = self._resumed(start, selection)
        if unit.leaves_choices:
            raise MathhammerError(
                "the shares of single volleys need a unit whose player has nothing to choose (got one with choices: "
                "their plan is for all volleys together)"
            )
        return shares([each.volley for each in compiled], unit, start=before)

    def _resumed(self, start: UnitDistribution | None, selection: Selection | None) -> Resumed:
        if selection not in self._compiled:
            self._compiled[selection] = compile_entries(self.entries, self.target, self.rules, selection)
        compiled = self._compiled[selection]
        directed = any(each.volley.directed for each in compiled)
        unit = unit_of(self.target, self.rules, single_out=directed)
        return compiled, *resume(unit, start, exact=self.exact)

    def _resolved(
        self, resumed: Resumed, *, any_order: bool = False
    ) -> tuple[Distribution, AttackPlay | None]:
        """Return the states after volleys in an order, and how they are played where players look at dice."""
        compiled, unit, before = resumed
        played = is_played(compiled, unit)
        if any_order or played or unit.leaves_choices:
            play = self._play(resumed, played=played, any_order=any_order)
            return play.states, play if any_order or played else None
        return resolve([each.volley for each in compiled], unit, start=before), None

    def _play(self, resumed: Resumed, *, played: bool, any_order: bool) -> AttackPlay:
        """Return the attack as it is played; where only the unit's player chooses, nobody looks at its dice."""
        compiled, unit, before = resumed
        volleys, target, objective = volleys_of(compiled), self.target, self.objective
        given = (each.stages[0].situation.reroll for each in volleys)
        policies = [policy for policy in given if policy is not None]
        if any(policy != policies[0] for policy in policies):
            raise MathhammerError(
                "expected one policy for the re-rolls of all volleys, got several; give the same reroll to each"
            )
        if any(
            len(each.volley.wounds) - each.volley.immediate > len(each.counts.deferred) for each in volleys
        ):
            raise MathhammerError(
                "expected split_pool_order='special first' where players look at dice and some wounds are deferred; "
                "leave out the choices, or the ruling"
            )
        # Whatever the attack is asked for, few of them have a choice: the game is loaded when one has.
        from mathhammer.sequence.attack_dice import Turn
        from mathhammer.sequence.attack_game import AttackGame
        from mathhammer.sequence.attack_play import AttackPlay
        from mathhammer.sequence.attack_size import require_at_once
        from mathhammer.sequence.rolled_dice import rolled_at_once
        from mathhammer.sequence.volley import require_numbers

        looked_at, every = any_order or played, [each.volley for each in compiled]
        require_numbers(every)
        if not (any_order or any(map(_is_chosen_in, volleys))):
            objective = (
                target.objective if isinstance(target, TargetUnit) else objective if looked_at else "kills"
            )
        if looked_at:
            turns = _turns(compiled, unit, rolled=any_order and not played)
        else:
            require_at_once(every, unit)  # before all attacks of a volley are multiplied out
            turns = [Turn(volley, [rolled_at_once(volley)]) for volley in every]
        values, out_of = state_values(target, unit, objective)
        game = AttackGame(
            turns,
            unit,
            any_order=any_order,
            defender_maximises=isinstance(target, TargetUnit) and target.allocation == "worst",
        )
        start = unit.first if before is None else before
        policy = policies[0] if policies else "best"
        return AttackPlay(game, start, values, out_of, _OBJECTIVES[objective], self.exact, policy)


#: Name of each objective where its value is shown.
_OBJECTIVES = {
    "kills": "mean models destroyed",
    "wounds_lost": "mean wounds lost",
    "points": "mean points destroyed",
    "probability_destroyed": "P(destroyed)",
}


def is_played(compiled: Sequence[Compiled], unit: ModelUnit) -> bool:
    """Whether a player looks at dice, or chooses what no fixed rule settles."""
    volleys = volleys_of(compiled)
    if unit.leaves_choices and any(each.stages[0].edition.in_pools for each in volleys):
        return True  # all saves of a pool are seen before any choice about its wounds
    if isinstance(unit, GroupedUnit) and any(
        wound.rank is None
        and wound.effects[0].save_reroll is not None
        and not alike(wound, range(len(unit.groups)))
        for each in volleys
        for wound in each.volley.wounds
    ):
        return True  # a single save may be re-rolled of which it matters whose it is
    return any(map(_is_chosen_in, volleys))


def _is_chosen_in(volley: CompiledVolley) -> bool:
    """Whether the attackers' player chooses something in a volley."""
    first = volley.stages[0]
    keywords = first.situation.keywords
    directs = volley.volley.directed and first.situation.precision == "best"
    return directs or "reroll" in keywords or "limited_rerolls" in keywords or first.chooses_lethal


def _turns(compiled: Sequence[Compiled], unit: ModelUnit, *, rolled: bool) -> list[Turn]:
    """Return the volleys with the dice that they can have, and what comes of those that are rolled as a whole."""
    from mathhammer.sequence.attack_dice import Turn
    from mathhammer.systems.wh40k.sequence.dice_stages import volley_dice

    grouped = unit if isinstance(unit, GroupedUnit) else None
    in_pools = any(each.stages[0].edition.in_pools for each in volleys_of(compiled))
    saves: Saving = "all" if unit.is_simple or in_pools else "each"
    if grouped is not None:
        saves = "pool" if grouped.leaves_choices_in_pools else "in order"
    dice_of = partial(volley_dice, saves=saves, only=len(compiled) == 1)
    turns, known = [], []
    for each in compiled:
        if isinstance(each, CompiledMortalWounds):
            turns.append(Turn(each.volley, [dice_of(each)], None, each.entry.source))
            continue
        first = each.stages[0]
        what = first.weapon, first.number, first.situation
        known += [what] * (what not in known)
        name = f"{first.number} × {first.weapon.name}" if first.number > 1 else first.weapon.name
        parts, part_of = [each], None
        if grouped is not None and each.against is not None:
            met = [each.against[grouped.living(state)] for state in range(unit.states)]
            parts = list(dict.fromkeys(met))
            part_of = [parts.index(one) for one in met] if len(parts) > 1 else None
        turns.append(Turn(each.volley, [*map(dice_of, parts)], part_of, name, known.index(what)))
    # Whether nothing of a volley but what the target has lost bears on others: no single re-roll, no late wounds.
    alone = not unit.leaves_choices and not any(
        volley.rerolls
        or volley.own
        or (volley.defers and any(wound.rank is not None and wound.rank >= 0 for wound in volley.wounds))
        for volley in (each.volley for each in volleys_of(compiled))
    )
    if not (rolled and alone) or any(turn.part_of is not None for turn in turns):
        return turns
    return [
        turn._replace(outcome=Outcomes(turn.volley, unit).__getitem__) if turn.volley.attack else turn
        for turn in turns
    ]


class Outcomes(dict[int, IntegerDistribution]):
    """Distribution of the state of a unit after a volley, by the state in which it begins."""

    def __init__(self, volley: SequenceVolley, unit: ModelUnit) -> None:
        self._volley, self._unit = volley, unit
        super().__init__({unit.states - 1: IntegerDistribution(unit.states - 1, (1,), 1)})

    def __missing__(self, state: int) -> IntegerDistribution:
        states = resolve([self._volley], self._unit, start=state)
        self[state] = IntegerDistribution.from_distribution(states)
        return self[state]
