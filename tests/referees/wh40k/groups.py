"""Units of the 11th edition, their groups, and mortal wounds and hazards; see `pools` for the rules."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING, Any

from plain_dice import Pmf, certainly, then
from referees.wh40k import saves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referees.wh40k.profiles import Unit

State = tuple[int, ...]


def members(unit: Unit) -> tuple[int, ...]:
    """Return the kind of every model, in order."""
    return tuple(place for place, kind in enumerate(unit) for _ in range(kind.models))


def fresh(unit: Unit) -> State:
    return tuple(
        kind.wounds - (kind.lost if number == 0 else 0) for kind in unit for number in range(kind.models)
    )


def toughness(unit: Unit, state: State) -> int:
    alive = {place for place, left in zip(members(unit), state, strict=True) if left}
    guards = [unit[place].toughness for place in alive if not unit[place].leader]
    return max(guards or [unit[place].toughness for place in alive])


def coordinates(unit: Unit, state: State) -> tuple[int, ...]:
    """Models destroyed and wounds lost by the next, for each kind."""
    numbers: list[int] = []
    for place, kind in enumerate(unit):
        left = [each for of, each in zip(members(unit), state, strict=True) if of == place and each]
        numbers += [kind.models - len(left), kind.wounds - min(left) if left else 0]
    return tuple(numbers)


def merged(unit: Unit, distribution: Pmf) -> Pmf:
    return then(distribution, lambda state: certainly(coordinates(unit, state)))


def hurt(unit: Unit, state: State, model: int) -> bool:
    return state[model] < unit[members(unit)[model]].wounds


def groups(unit: Unit, state: State) -> list[list[int]]:
    """Living models of each group, in the order given, whoever of it is left."""
    kinds = members(unit)
    found: dict[Any, list[int]] = {}
    for model, left in enumerate(state):
        kind = unit[kinds[model]]
        key = model if kind.character else (kind.wounds, kind.save, kind.invulnerable)
        group = found.setdefault(key, [])
        if left:
            group.append(model)
    return [group for group in found.values() if group]


def orders(unit: Unit, state: State, named: Sequence[int], *, free: bool) -> list[list[list[int]]]:
    """Orders in which wounds reach the groups, the one given first; Characters that are named come before all."""
    kinds = members(unit)

    def rank(group: list[int]) -> tuple[int, bool, bool]:
        kind = kinds[group[0]]
        aimed = named.index(kind) if unit[kind].character and kind in named else len(named)
        return aimed, unit[kind].character, not any(hurt(unit, state, model) for model in group)

    given = sorted(groups(unit, state), key=rank)
    ranks = [rank(group) for group in given]
    return (
        [list(way) for way in permutations(given) if [rank(group) for group in way] == ranks]
        if free
        else [given]
    )


def candidates(unit: Unit, state: State, models: Sequence[int], *, free: bool) -> list[int]:
    """Return a hurt model, or the first of each kind; that of the first kind alone where nothing is chosen."""
    alive = [model for model in models if state[model]]
    row = [model for model in alive if hurt(unit, state, model)] or alive
    if not free:
        return row[:1]
    kinds = members(unit)
    found = {kinds[model]: model for model in reversed(row)}
    return [found[kind] for kind in sorted(found)]


def mortal_models(unit: Unit, state: State, named: Sequence[int] = (), *, free: bool = False) -> list[int]:
    """Return the models that the next mortal wound may be allocated to."""
    kinds = members(unit)
    alive = [model for model, left in enumerate(state) if left]
    aimed = [model for kind in named[:1] for model in alive if kinds[model] == kind]
    guards = [model for model in alive if not unit[kinds[model]].character]
    return aimed[:1] or candidates(unit, state, guards or alive, free=free)


@cache
def lose(unit: Unit, state: State, model: int, points: int, *, mortal: bool) -> Pmf:
    """So many wounds on one model, point by point until it is dead."""
    need = saves.feel_no_pain(unit[members(unit)[model]], mortal=mortal)
    lost = saves.suffer(points, state[model], need)
    return {(*state[:model], state[model] - n, *state[model + 1 :]): chance for n, chance in lost.items()}


def mortal_wounds(unit: Unit, state: State, number: int) -> Pmf:
    """One at a time; what is left when a model dies goes on to the next."""

    def one(now: State) -> Pmf:
        return lose(unit, now, mortal_models(unit, now)[0], 1, mortal=True) if any(now) else certainly(now)

    distribution = certainly(state)
    for _ in range(number):
        distribution = then(distribution, one)
    return distribution
