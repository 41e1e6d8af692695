"""The models of a unit in the 9th and 10th edition: who takes a wound.

* An attack is allocated to a model that has lost wounds or had an attack allocated to it, even if it was saved; where
  there is none its player chooses (core rules, Making Attacks); here the first in order unless told otherwise.
* Attached leaders are chosen only when no other model is left, even if they are hurt; then those first to which an
  attack was allocated (core rules, Leader). An attack with PRECISION goes to a living leader: the one named, or the
  first in order; when the one named is dead, to whom it would go without. Mortal wounds of it follow.
* The Toughness is the highest of the models that are not leaders; where none of them is left, of the leaders. In the
  9th edition it is that of most models, the highest of a tie (Mixed Unit). The keywords are those of the living models:
  a leader whose bodyguards are dead is a unit of their own (core rules, Leader).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from plain_dice import Pmf, certainly, roll, then, value
from referees.wh40k.saves import feel_no_pain, suffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from referees.wh40k.profiles import Rules, Unit


class Model(NamedTuple):
    kind: int
    left: int
    allocated: bool = False


Models = tuple[Model, ...]  # the dead are taken out


def fresh(unit: Unit) -> Models:
    return tuple(
        Model(place, kind.wounds - (kind.lost if number == 0 else 0))
        for place, kind in enumerate(unit)
        for number in range(kind.models)
    )


def toughness(unit: Unit, models: Models, rules: Rules) -> int:
    alive = [unit[model.kind] for model in models]
    found = [kind.toughness for kind in alive if not kind.leader] or [kind.toughness for kind in alive] or [1]
    if rules.edition == "9e":
        return max(found, key=lambda one: (found.count(one), one))
    return max(found)


def choices(unit: Unit, models: Models, directed: tuple[int, ...], *, begun_first: bool = False) -> list[int]:
    """Places of the models that may be chosen; of equal models the first stands for all."""
    for kind in directed:
        aimed = [place for place, model in enumerate(models) if model.kind == kind]
        if aimed:
            return _begun_or_one_of_each(unit, models, aimed)[:1]
    everybody = list(range(len(models)))
    if begun_first and (begun := _begun(unit, models, everybody)):
        return begun[:1]
    row = [place for place, model in enumerate(models) if not unit[model.kind].leader]
    return _begun_or_one_of_each(unit, models, row or everybody)


def _begun(unit: Unit, models: Models, places: list[int]) -> list[int]:
    return [p for p in places if models[p].allocated or models[p].left < unit[models[p].kind].wounds]


def _begun_or_one_of_each(unit: Unit, models: Models, places: list[int]) -> list[int]:
    found: dict[int, int] = {}
    for place in _begun(unit, models, places) or places:
        found.setdefault(models[place].kind, place)
    return list(found.values())


def coordinates(unit: Unit, models: Models) -> tuple[int, ...]:
    """Models destroyed and wounds lost by the next, for each kind."""
    numbers = []
    for place, kind in enumerate(unit):
        alive = [model.left for model in models if model.kind == place]
        numbers += [kind.models - len(alive), kind.wounds - min(alive) if alive else 0]
    return tuple(numbers)


def worth(objective: str, unit: Unit) -> Callable[[Models], int]:
    """What models that are left are worth to the attacker."""
    whole = fresh(unit)

    def of(left: Models) -> int:
        if objective == "probability_destroyed":
            return int(not left)
        if objective == "kills":
            return len(whole) - len(left)
        return sum(model.left for model in whole) - sum(model.left for model in left)

    return of


def later_phase(models: Models) -> Models:
    """What was allocated is forgotten; wounds are not."""
    return tuple(model._replace(allocated=False) for model in models)


def explosions(unit: Unit, models: Models) -> Pmf:
    """Mortal wounds that a unit nearby suffers from the models destroyed (core rules, Deadly Demise)."""
    distribution = certainly(0)
    for place, kind in enumerate(unit):
        demise = kind.deadly_demise
        for _ in range(0 if demise is None else kind.models - sum(model.kind == place for model in models)):
            one = then(roll(), lambda face, demise=demise: value(demise) if face == 6 else certainly(0))
            distribution = then(
                distribution, lambda so_far, one=one: {so_far + n: chance for n, chance in one.items()}
            )
    return distribution


def hazards(weapons: int, unit: Unit) -> Pmf:
    """Models after Hazardous tests: three mortal wounds on one of them for each 1, the excess lost."""

    def test(models: Models) -> Pmf:
        if not models:
            return certainly(models)
        place = next((p for p, model in enumerate(models) if model.left < unit[model.kind].wounds), 0)
        model = models[place]

        def failed() -> Pmf:
            lost = suffer(3, model.left, feel_no_pain(unit[model.kind], mortal=True))
            return then(lost, lambda number: certainly(without(models, place, number, allocated=True)))

        return then(roll(), lambda face: failed() if face == 1 else certainly(models))

    distribution = certainly(fresh(unit))
    for _ in range(weapons):
        distribution = then(distribution, test)
    return distribution


def without(models: Models, place: int, lost: int, *, allocated: bool) -> Models:
    """The models when one of them has lost so many wounds, and whether an attack was allocated to it."""
    model = models[place]
    after = (
        () if model.left == lost else (Model(model.kind, model.left - lost, model.allocated or allocated),)
    )
    return (*models[:place], *after, *models[place + 1 :])
