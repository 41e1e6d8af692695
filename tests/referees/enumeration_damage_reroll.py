"""One damage roll of an attack re-rolled, the first below its mean, die by die; beside `enumeration_extra`.

Nothing here imports the package. The attacker has one re-roll whoever is hit, which is carried beside the models.

* The roll that is judged is what the dice show together, against the mean of such dice; printed numbers and modifiers
  move neither. A printed Damage is no roll, and neither is one that a rule changes to 0.
* A save that is made leaves nothing to roll. Devastating wounds come last, and their damage is rolled then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from enumeration_extra import (
    Model,
    Shot,
    Unit,
    attacks,
    damage,
    met_toughness,
    modified_damage,
    one_attack,
    save,
    suffer,
)
from enumeration_units import choices, coordinates, fresh
from plain_dice import Pmf, certainly, then, total

if TYPE_CHECKING:
    from collections.abc import Callable

    from enumeration_units import State


@dataclass(frozen=True)
class Fired:
    """Attacks, whether the re-roll may be used for them, and whether wounds that are all ignored are allocated."""

    shot: Shot
    reroll: bool = True
    allocated: bool = True


@dataclass(frozen=True)
class Table:
    """The models left, whether the re-roll is used, and the kinds that have changed Damage to 0."""

    models: State
    used: bool = False
    spared: frozenset[int] = frozenset()


def damage_roll(fired: Fired, model: Model, *, used: bool) -> Pmf:
    """(damage, whether the re-roll is used): the dice are cast, and cast again if they show little."""
    dice = fired.shot.damage
    least = Fraction(dice.number * (dice.sides + 1), 2)

    def inflicted(shown: int, *, now_used: bool) -> Pmf:
        return certainly((modified_damage(fired.shot, model, shown), now_used))

    def judged(shown: int) -> Pmf:
        if fired.reroll and not used and shown < least:
            return then(total(dice), lambda again: inflicted(again, now_used=True))
        return inflicted(shown, now_used=used)

    return then(total(dice), judged)


@cache
def strike(unit: Unit, table: Table, place: int, fired: Fired, *, mortal: bool) -> Pmf:
    """One wound on one model: distribution of the table after it."""
    chosen = table.models[place]
    model: Model = unit[chosen.kind].profile  # type: ignore[assignment]
    to_0 = model.damage_to_0 and chosen.kind not in table.spared and "damage" not in fired.shot.ignored

    def lose(lost: int, *, used: bool, spared: frozenset[int]) -> Pmf:
        now = replace(chosen, left=chosen.left - lost, allocated=True)
        after = () if lost == chosen.left else (now if lost or fired.allocated or not mortal else chosen,)
        return certainly(Table((*table.models[:place], *after, *table.models[place + 1 :]), used, spared))

    def hurt(points: Pmf, spared: frozenset[int]) -> Pmf:
        return then(
            points,
            lambda rolled: then(
                suffer(model, rolled[0], chosen.left, mortal=mortal),
                lambda lost: lose(lost, used=rolled[1], spared=spared),
            ),
        )

    def failed() -> Pmf:
        if to_0 and not mortal:
            points = then(
                damage(fired.shot, model, to_0=True), lambda number: certainly((number, table.used))
            )
            return hurt(points, table.spared | {chosen.kind})
        return hurt(damage_roll(fired, model, used=table.used), table.spared)

    if mortal:
        return failed()
    made = lose(0, used=table.used, spared=table.spared)
    return then(save(fired.shot, model), lambda result: failed() if result == "fail" else made)


@cache
def wounds_of(shot: Shot, toughness: int) -> Pmf:
    """(wounds that are saved against, devastating wounds) of all attacks."""
    distribution = certainly((0, 0))
    for _ in range(attacks(shot)):
        distribution = then(
            distribution,
            lambda so_far: then(
                one_attack(shot, toughness), lambda one: certainly((so_far[0] + one[1], so_far[1] + one[2]))
            ),
        )
    return distribution


def play(volleys: tuple[Fired, ...], unit: Unit, decide: Callable[[list[Pmf]], Pmf], finish: Callable) -> Pmf:
    """Fold the whole attack; `decide` is handed what follows each choice of a model."""
    toughness = met_toughness(unit)

    @cache
    def attack(number: int, waiting: tuple[int, ...], table: Table) -> Pmf:
        if number == len(volleys):
            return devastate(waiting, table)
        return then(
            wounds_of(volleys[number].shot, toughness),
            lambda rolled: ordinary(number, rolled[0], (*waiting, rolled[1]), table),
        )

    def allocate(table: Table, by: int, rest: Callable[[Table], Pmf], *, mortal: bool) -> Pmf:
        fired = volleys[by]
        places = choices(unit, table.models, fired.shot.directed)
        return decide([then(strike(unit, table, place, fired, mortal=mortal), rest) for place in places])

    @cache
    def ordinary(number: int, left: int, waiting: tuple[int, ...], table: Table) -> Pmf:
        if not table.models:
            return finish(table)
        if not left:
            return attack(number + 1, waiting, table)
        return allocate(table, number, lambda now: ordinary(number, left - 1, waiting, now), mortal=False)

    @cache
    def devastate(waiting: tuple[int, ...], table: Table) -> Pmf:
        if not table.models or not any(waiting):
            return finish(table)
        by = next(place for place, number in enumerate(waiting) if number)
        fewer = (*waiting[:by], waiting[by] - 1, *waiting[by + 1 :])
        return allocate(table, by, lambda now: devastate(fewer, now), mortal=True)

    return attack(0, (), Table(fresh(unit)))


def final_states(volleys: tuple[Fired, ...], unit: Unit) -> Pmf:
    """Coordinates of the unit, whose models are taken in the order given."""
    return play(
        volleys,
        unit,
        lambda distributions: distributions[0],
        lambda table: certainly(coordinates(unit, table.models)),
    )


def best(volleys: tuple[Fired, ...], unit: Unit, worth: Callable[[State], int], *, for_defender: bool) -> Any:
    """Least, or greatest, expected worth of the models left over all that the defender may choose.

    Distributions hold one number under the probability of one outcome here: a value is its own mass.
    """

    def decide(distributions: list[Pmf]) -> Pmf:
        values = [sum(distribution.values(), Fraction(0)) for distribution in distributions]
        return {"worth": min(values) if for_defender else max(values)}

    distribution = play(volleys, unit, decide, lambda table: {"worth": Fraction(worth(table.models))})
    return sum(distribution.values(), Fraction(0))
