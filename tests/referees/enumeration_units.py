"""Units of unequal models, played one die and one model at a time; beside `enumeration`, and as slow.

Nothing here imports the package. A unit is a tuple of models, each with the wounds it has left and whether an attack
was allocated to it; the dead are taken out.

* An attack is allocated to a model that has lost wounds or had an attack allocated to it, even if it was saved; where
  there is none its player chooses (core rules, Making Attacks). Here he takes the first in order unless told otherwise.
* Attached leaders are chosen only when no other model is left, even if they are hurt; then those first to which an
  attack was allocated (core rules, Leader). An attack with PRECISION goes to a living leader: the one named, or the
  first in order; when the one named is dead, to whom it would go without. Devastating wounds of it follow.
* The Toughness is the highest of the models that are not leaders, however many of them are left; the unit has the
  keywords of all its models, and BLAST counts all of them.
* Saves, Feel No Pain and reductions of damage are those of the model that the attack was allocated to.
* A player who chooses has seen the hit and wound rolls of the whole volley: they are made together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

from enumeration import damage, feel_no_pain, hits_from_one_attack, number_of_attacks, save, suffer, wound
from plain_dice import Pmf, certainly, then

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from enumeration import Target, Volley


@dataclass(frozen=True)
class Kind:
    """Equal models; the first has lost some wounds."""

    profile: Target
    lost: int = 0
    leader: bool = False


@dataclass(frozen=True)
class Shots:
    """A volley; with PRECISION the kinds at which it is directed, the first living one of them."""

    volley: Volley
    directed: tuple[int, ...] = ()


@dataclass(frozen=True)
class Model:
    kind: int
    left: int
    allocated: bool = False


State = tuple[Model, ...]
Unit = tuple[Kind, ...]
#: What the defender sees when he chooses: volley, wounds of it left, devastating wounds waiting, the models.
Sight = tuple[int, int, tuple[int, ...], State]


def fresh(unit: Unit) -> State:
    return tuple(
        Model(place, kind.profile.wounds - (kind.lost if number == 0 else 0))
        for place, kind in enumerate(unit)
        for number in range(kind.profile.models)
    )


def faced(unit: Unit, place: int) -> Target:
    """A kind with the Toughness, size and keywords of the unit."""
    return replace(
        unit[place].profile,
        toughness=max(kind.profile.toughness for kind in unit if not kind.leader),
        models=sum(kind.profile.models for kind in unit),
        keywords=tuple(word for kind in unit for word in kind.profile.keywords),
    )


def as_met(unit: Unit, state: State) -> Unit:
    """The unit as the next attackers meet it: its Toughness is the highest of those bodyguards, or leaders, left."""
    alive = {model.kind for model in state}
    guards = [kind.profile.toughness for place, kind in enumerate(unit) if place in alive and not kind.leader]
    leaders = [kind.profile.toughness for place, kind in enumerate(unit) if place in alive and kind.leader]
    met = max(guards or leaders or [1])
    return tuple(
        kind if kind.leader else replace(kind, profile=replace(kind.profile, toughness=met)) for kind in unit
    )


def choices(unit: Unit, state: State, directed: tuple[int, ...]) -> list[int]:
    """Places in the state of the models that may be chosen; of equal models the first stands for all."""
    for kind in directed:
        aimed = [place for place, model in enumerate(state) if model.kind == kind]
        if aimed:
            return _begun_or_one_of_each(unit, state, aimed)[:1]
    row = [place for place, model in enumerate(state) if not unit[model.kind].leader]
    return _begun_or_one_of_each(unit, state, row or list(range(len(state))))


def _begun_or_one_of_each(unit: Unit, state: State, places: list[int]) -> list[int]:
    begun = [
        place
        for place in places
        if state[place].allocated or state[place].left < unit[state[place].kind].profile.wounds
    ]
    found = {}
    for place in begun or places:
        found.setdefault(state[place].kind, place)
    return list(found.values())


@cache
def strike(unit: Unit, state: State, place: int, volley: Volley, *, mortal: bool) -> Pmf:
    """One wound on one model: save, damage, Feel No Pain; it counts as allocated whatever comes of it."""
    model = state[place]
    target = faced(unit, model.kind)

    def lose(lost: int) -> Pmf:
        after = () if lost == model.left else (replace(model, left=model.left - lost, allocated=True),)
        return certainly((*state[:place], *after, *state[place + 1 :]))

    def hurt() -> Pmf:
        need = feel_no_pain(target, mortal=mortal)
        distribution = then(damage(volley, target), lambda points: suffer(points, model.left, need))
        return then(distribution, lose)

    if mortal:
        return hurt()
    return then(save(volley, target), lambda result: hurt() if result == "fail" else lose(0))


@cache
def wounds_of(volley: Volley, unit: Unit) -> Pmf:
    """(wounds that are saved against, devastating wounds) of a whole volley."""
    target = faced(unit, 0)

    def hit_by_hit(scored: tuple[int, int]) -> Pmf:
        hits, lethal = scored
        distribution = certainly((lethal, 0))
        for _ in range(hits - lethal):
            distribution = then(
                distribution, lambda so_far: then(wound(volley, target), lambda result: judge(so_far, result))
            )
        return distribution

    def judge(so_far: tuple[int, int], result: str) -> Pmf:
        ordinary, devastating = so_far
        if result == "critical" and volley.weapon.devastating_wounds:
            return certainly((ordinary, devastating + 1))
        return certainly((ordinary + (result != "fail"), devastating))

    one = then(hits_from_one_attack(volley), hit_by_hit)
    distribution = certainly((0, 0))
    for _ in range(volley.count):
        after: Pmf = {}
        number = number_of_attacks(volley, target)
        for made in range(max(number) + 1):
            for outcome, chance in distribution.items():
                after[outcome] = after.get(outcome, Fraction(0)) + chance * number.get(made, 0)
            distribution = then(
                distribution, lambda so_far: {(so_far[0] + i, so_far[1] + j): p for (i, j), p in one.items()}
            )
        distribution = {outcome: chance for outcome, chance in after.items() if chance}
    return distribution


def play(
    shots: tuple[Shots, ...],
    unit: Unit,
    decide: Callable[[Sight, dict[int, Pmf]], Pmf],
    finish: Callable[[State], Pmf],
    start: State | None = None,
) -> Pmf:
    """Fold the whole attack; `decide` is handed what follows each choice, by the kind chosen."""

    @cache
    def attacks(number: int, waiting: tuple[int, ...], state: State) -> Pmf:
        if number == len(shots):
            return devastate(waiting, state)
        distribution = wounds_of(shots[number].volley, unit)
        return then(distribution, lambda rolled: ordinary(number, rolled[0], (*waiting, rolled[1]), state))

    def allocate(sight: Sight, by: int, *, mortal: bool, rest: Callable[[State], Pmf]) -> Pmf:
        state, volley = sight[3], shots[by]
        places = choices(unit, state, volley.directed)
        return decide(
            sight,
            {
                state[place].kind: then(strike(unit, state, place, volley.volley, mortal=mortal), rest)
                for place in places
            },
        )

    @cache
    def ordinary(number: int, left: int, waiting: tuple[int, ...], state: State) -> Pmf:
        if not state or left == 0:
            return attacks(number + 1, waiting, state) if state else finish(state)
        sight = (number, left, waiting, state)
        return allocate(
            sight, number, mortal=False, rest=lambda now: ordinary(number, left - 1, waiting, now)
        )

    @cache
    def devastate(waiting: tuple[int, ...], state: State) -> Pmf:
        if not state or not any(waiting):
            return finish(state)
        by = next(place for place, number in enumerate(waiting) if number)
        fewer = (*waiting[:by], waiting[by] - 1, *waiting[by + 1 :])
        return allocate(
            (len(shots), 0, waiting, state), by, mortal=True, rest=lambda now: devastate(fewer, now)
        )

    return attacks(0, (), fresh(unit) if start is None else start)


def coordinates(unit: Unit, state: State) -> tuple[int, ...]:
    """Models destroyed and wounds lost by the next, for each kind."""
    numbers = []
    for place, kind in enumerate(unit):
        alive = [model.left for model in state if model.kind == place]
        numbers += [kind.profile.models - len(alive), kind.profile.wounds - min(alive) if alive else 0]
    return tuple(numbers)


def first(_sight: Sight, distributions: dict[int, Pmf]) -> Pmf:
    return next(iter(distributions.values()))


def final_states(shots: tuple[Shots, ...], unit: Unit, start: State | None = None) -> dict[State, Fraction]:
    """Distribution of the models left when they are taken in the order given."""
    return play(shots, unit, first, certainly, start)


def merged(unit: Unit, distribution: dict[State, Fraction]) -> dict[tuple[int, ...], Fraction]:
    return then(distribution, lambda state: certainly(coordinates(unit, state)))


def best(
    shots: tuple[Shots, ...], unit: Unit, worth: Callable[[State], int], *, for_defender: bool
) -> Fraction:
    """Least, or greatest, expected worth of the last state over all that the defender may choose."""

    def decide(_sight: Sight, distributions: dict[int, Pmf]) -> Pmf:
        values = [expected(distribution) for distribution in distributions.values()]
        return {"worth": min(values) if for_defender else max(values)}

    return expected(play(shots, unit, decide, lambda state: {"worth": Fraction(worth(state))}))


def expected(distribution: dict[Any, Fraction]) -> Fraction:
    """Distributions here hold one number under the probability of one outcome: a value is its own mass."""
    return sum(distribution.values(), Fraction(0))


def every_policy(shots: tuple[Shots, ...], unit: Unit, worth: Callable[[State], int]) -> list[Fraction]:
    """Expected worth under each map from what can be seen to a choice; only for a handful of decisions."""
    seen: dict[Hashable, list[int]] = {}

    def look(sight: Sight, distributions: dict[int, Pmf]) -> Pmf:
        if len(distributions) > 1:
            seen[sight] = list(distributions)
        return {None: Fraction(0)}

    play(shots, unit, look, lambda _: {None: Fraction(0)})
    assert len(seen) <= 12, len(seen)
    values = []
    for chosen in product(*seen.values()):
        policy = dict(zip(seen, chosen, strict=True))

        def follow(sight: Sight, distributions: dict[int, Pmf], policy: dict[Hashable, int] = policy) -> Pmf:
            return distributions[policy[sight]] if len(distributions) > 1 else first(sight, distributions)

        values.append(expected(play(shots, unit, follow, lambda state: {"worth": Fraction(worth(state))})))
    return values
