"""Mortal wounds beside attacks, and Damage changed to 0 once, played one die at a time; beside `enumeration_units`.

Nothing here imports the package. A unit is a tuple of models and what is left of the rule "Damage to 0" of each kind;
an entry is a shot of one weapon, or mortal wounds without an attack.

* The hit and wound rolls of a shot are made together, then its wounds are saved one at a time (core rules, Fast Dice
  Rolling), then the next shot follows. What a rule does on a roll needs a successful one, and a roll: an additional
  hit is no hit roll, a wound without a roll no wound roll; "each wound" counts the latter too. An additional hit has
  nothing of the roll that gave it: no better AP, no mortal wounds.
* "Instead": the attack ends with its mortal wounds, so that it is no devastating wound and has no save.
* AP: what a rule sets, then all that improves it, never worse than 0 (Rules Commentary, Modifiers). Of the wounds of
  one attack those whose AP no rule changed are saved first; no rule says in which order.
* Mortal wounds: after all shots of the unit, one at a time, each to the model that an attack would be allocated to, no
  save, no modifier of Damage, excess goes on; those of a weapon with PRECISION to a leader. Devastating wounds: an
  attack each, Damage modified, the excess lost. Which of them come first is a ruling (entry by entry:
  the devastating ones of each first), as is whether those of a weapon wait for the unit or for the weapon.
* Feel No Pain: the best one that applies; those against mortal wounds for both kinds of them, those against Psychic
  Attacks where the weapon is one. A model was allocated an attack whatever it ignored; that too is a ruling.
* Damage to 0: once for each kind of models, of a failed save. It sets the Damage; halving, Melta and reductions follow,
  and nothing keeps it at 1 then (Core Rules Updates).
* Who may choose sees the models, the wounds left of the shot and all that waits; not the dice still to be rolled.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from enumeration_mortal_rolls import (
    Entry,
    Mortals,
    Rolled,
    Rulings,
    Save,
    Shot,
    State,
    Unit,
    Waits,
    all_rolls,
    damage,
    fresh,
    ignoring,
    is_saved,
    met_toughness,
    of_most,
)
from enumeration_units import Model, choices
from plain_dice import Pmf, certainly, roll, then, value

if TYPE_CHECKING:
    from collections.abc import Callable

BY_DEFAULT = Rulings()


def suffer(points: int, left: int, ignored: Pmf) -> Pmf:
    """Wounds lost by a model with so many left; it rolls until it is dead."""
    distribution = certainly(0)
    for _ in range(points):
        distribution = then(
            distribution,
            lambda lost: (
                certainly(lost)
                if lost == left
                else then(ignored, lambda no: certainly(lost if no else lost + 1))
            ),
        )
    return distribution


def lose(state: State, place: int, lost: int, *, touch: bool = True, use: bool = False) -> State:
    model = state.models[place]
    gone = lost == model.left
    after = () if gone else (Model(model.kind, model.left - lost, model.allocated or touch),)
    spared = tuple(was or (use and kind == model.kind) for kind, was in enumerate(state.spared))
    return State((*state.models[:place], *after, *state.models[place + 1 :]), spared)


def hurt(unit: Unit, state: State, place: int, points: Pmf, **how: Any) -> Pmf:
    """Points of one attack on one model, the excess lost."""
    model = state.models[place]
    ignored = ignoring(unit[model.kind].profile, is_mortal=how.pop("is_mortal"), psychic=how.pop("psychic"))
    distribution = then(points, lambda number: suffer(number, model.left, ignored))
    return then(distribution, lambda lost: certainly(lose(state, place, lost, **how)))


# ------------------------------------------------------------------------------------------------------- the whole unit


def waits_for_all(one: Waits, entries: tuple[Entry, ...], rulings: Rulings) -> bool:
    if isinstance(entries[one.entry], Mortals):
        return True
    return rulings.mortal_wait if one.what == "mortal" else rulings.devastating_wait


def in_order(waiting: tuple[Waits, ...], rulings: Rulings) -> tuple[Waits, ...]:
    first = {"plain-first": "mortal", "devastating-first": "devastating"}.get(rulings.order)
    if first is None:
        return tuple(sorted(waiting, key=lambda one: (one.entry, one.what)))
    return tuple(sorted(waiting, key=lambda one: (one.what != first, one.entry)))


def play(
    entries: tuple[Entry, ...],
    unit: Unit,
    finish: Callable[[State], Pmf],
    *,
    rulings: Rulings = BY_DEFAULT,
    decide: Callable[[str, dict[Any, Pmf]], Pmf] | None = None,
    start: State | None = None,
    toughness: int | None = None,
) -> Pmf:
    """Fold the whole attack; `decide` is asked "allocation" and "damage to 0"."""
    met = met_toughness(unit, rulings) if toughness is None else toughness

    def chosen(question: str, distributions: dict[Any, Pmf]) -> Pmf:
        if decide is None or len(distributions) == 1:
            return next(iter(distributions.values()))
        return decide(question, distributions)

    def allocated(state: State, entry: Entry, follow: Callable[[int], Pmf]) -> Pmf:
        directed = entry.directed if isinstance(entry, Shot) else ()
        places = choices(unit, state.models, directed)  # type: ignore[arg-type]
        return chosen("allocation", {state.models[place].kind: follow(place) for place in places})

    @cache
    def entry_after(number: int, waiting: tuple[Waits, ...], state: State) -> Pmf:
        """Entries from this one on."""
        if not state.models:
            return finish(state)
        if number == len(entries):
            return inflict(in_order(waiting, rulings), None, state)
        entry = entries[number]
        if isinstance(entry, Mortals):
            distribution = then(
                value(entry.number),
                lambda n: certainly(Rolled(waits=(("mortal", n),) if n else ())),
            )
        else:
            distribution = all_rolls(entry, met, rulings)

        def rolled(result: Rolled) -> Pmf:
            more = tuple(Waits(number, what, count) for what, count in result.waits)
            return save_all(number, result.saves, (*waiting, *more), state)

        return then(distribution, rolled)

    @cache
    def save_all(number: int, saves: tuple[Save, ...], waiting: tuple[Waits, ...], state: State) -> Pmf:
        if not state.models:
            return finish(state)
        if not saves:
            now = tuple(one for one in waiting if not waits_for_all(one, entries, rulings))
            return inflict(
                in_order(now, rulings), (number + 1, tuple(w for w in waiting if w not in now)), state
            )
        shot = entries[number]
        assert isinstance(shot, Shot)

        def rest(now: State) -> Pmf:
            return save_all(number, saves[1:], waiting, now)

        def on(place: int) -> Pmf:
            profile = unit[state.models[place].kind].profile
            return then(
                is_saved(profile, saves[0].ap),
                lambda saved: rest(lose(state, place, 0)) if saved else failed(place),
            )

        def failed(place: int) -> Pmf:
            model = state.models[place]
            profile = unit[model.kind].profile

            def struck(*, to_0: bool) -> Pmf:
                points = damage(shot, profile, to_0=to_0)
                distribution = hurt(
                    unit, state, place, points, is_mortal=False, psychic=shot.psychic, use=to_0
                )
                return then(distribution, rest)

            if not profile.damage_to_0 or state.spared[model.kind] or rulings.damage_to_0 == "off":
                return struck(to_0=False)
            if rulings.damage_to_0 == "first-failed-save":
                return struck(to_0=True)
            return chosen("damage to 0", {False: struck(to_0=False), True: struck(to_0=True)})

        return allocated(state, shot, on)

    @cache
    def inflict(
        waiting: tuple[Waits, ...], then_on: tuple[int, tuple[Waits, ...]] | None, state: State
    ) -> Pmf:
        if not state.models:
            return finish(state)
        if not waiting:
            return finish(state) if then_on is None else entry_after(*then_on, state)
        first, entry = waiting[0], entries[waiting[0].entry]
        left = waiting[1:]
        if first.number > 1:
            left = (first._replace(number=first.number - 1), *left)

        def on(place: int) -> Pmf:
            points = certainly(1)
            if first.what == "devastating":
                assert isinstance(entry, Shot)
                points = damage(entry, unit[state.models[place].kind].profile, to_0=False)
            psychic = isinstance(entry, Shot) and entry.psychic
            distribution = hurt(
                unit, state, place, points, is_mortal=True, psychic=psychic, touch=rulings.ignored_count
            )
            return then(distribution, lambda now: inflict(left, then_on, now))

        return allocated(state, entry, on)

    return entry_after(0, (), fresh(unit) if start is None else start)


def final_states(entries: tuple[Entry, ...], unit: Unit, **options: Any) -> Pmf:
    return play(entries, unit, certainly, **options)


def best(
    entries: tuple[Entry, ...],
    unit: Unit,
    worth: Callable[[State], int],
    *,
    allocation: str = "given",
    **options: Any,
) -> Fraction:
    """Expected worth when the defender chooses what is changed to 0 for the least, and allocates as told."""

    def decide(question: str, distributions: dict[Any, Pmf]) -> Pmf:
        values = [sum(distribution.values(), Fraction(0)) for distribution in distributions.values()]
        if question == "allocation" and allocation == "given":
            return {"worth": values[0]}
        return {"worth": max(values) if allocation == "worst" else min(values)}

    distribution = play(
        entries, unit, lambda state: {"worth": Fraction(worth(state))}, decide=decide, **options
    )
    return sum(distribution.values(), Fraction(0))


def coordinates(unit: Unit, state: State) -> tuple[int, ...]:
    """Models destroyed and wounds lost by the next, for each kind."""
    numbers = []
    for place, kind in enumerate(unit):
        alive = [model.left for model in state.models if model.kind == place]
        numbers += [kind.profile.models - len(alive), kind.profile.wounds - min(alive) if alive else 0]
    return tuple(numbers)


def later_phase(state: State) -> State:
    """What was allocated and what was spared are forgotten; wounds are not."""
    models = tuple(Model(model.kind, model.left) for model in state.models)
    return State(models, (False,) * len(state.spared))


def toughness_met(unit: Unit, state: State, rulings: Rulings) -> int:
    """The highest of the living bodyguards, or that of most of them; where none is left, of the leaders."""
    alive = [unit[model.kind] for model in state.models]
    guards = [kind.profile.toughness for kind in alive if not kind.leader]
    leaders = [kind.profile.toughness for kind in alive if kind.leader]
    return (max if rulings.critical else of_most)(guards or leaders or [1])


def next_unit(
    entries: tuple[Entry, ...], unit: Unit, before: Pmf, rulings: Rulings, *, new_phase: bool = False
) -> Pmf:
    """Distribution of the models after the attacks of another unit."""

    def attacked(state: State) -> Pmf:
        begun = later_phase(state) if new_phase else state
        return final_states(
            entries, unit, rulings=rulings, start=begun, toughness=toughness_met(unit, begun, rulings)
        )

    return then(before, attacked)


class Counts(NamedTuple):
    """Of all entries, as if the unit could not run out; damage as Feel No Pain leaves it, excess counted."""

    hits: int = 0
    wounds: int = 0
    unsaved: int = 0
    damage: int = 0
    mortal_wounds: int = 0


def counts(entries: tuple[Entry, ...], unit: Unit, rulings: Rulings) -> Pmf:
    """Joint distribution of the counts against equal models."""
    profile = unit[0].profile

    def inflict(so_far: Counts, points: Pmf, *, is_mortal: bool, psychic: bool, **more: int) -> Pmf:
        ignored = ignoring(profile, is_mortal=is_mortal, psychic=psychic)
        distribution = then(points, lambda number: suffer(number, number, ignored))
        changed = {name: getattr(so_far, name) + number for name, number in more.items()}
        return then(distribution, lambda n: certainly(so_far._replace(damage=so_far.damage + n, **changed)))

    def of_entry(entry: Entry, so_far: Counts) -> Pmf:
        if isinstance(entry, Mortals):
            return then(value(entry.number), lambda n: mortals(n, certainly(so_far), psychic=False))
        return then(
            all_rolls(entry, profile.toughness, rulings), lambda rolled: of_shot(entry, rolled, so_far)
        )

    def mortals(number: int, distribution: Pmf, *, psychic: bool) -> Pmf:
        for _ in range(number):
            distribution = then(
                distribution,
                lambda now: inflict(now, certainly(1), is_mortal=True, psychic=psychic, mortal_wounds=1),
            )
        return distribution

    def of_shot(shot: Shot, rolled: Rolled, so_far: Counts) -> Pmf:
        points = damage(shot, profile, to_0=False)
        how = {"psychic": shot.psychic}
        distribution = certainly(
            so_far._replace(hits=so_far.hits + rolled.hits, wounds=so_far.wounds + rolled.wounds)
        )
        for each in rolled.saves:
            distribution = then(
                distribution,
                lambda now, each=each: then(
                    is_saved(profile, each.ap),
                    lambda saved: (
                        certainly(now) if saved else inflict(now, points, is_mortal=False, unsaved=1, **how)
                    ),
                ),
            )
        for what, number in rolled.waits:
            if what == "mortal":
                distribution = mortals(number, distribution, psychic=shot.psychic)
            else:
                distribution = then(
                    distribution, lambda now: inflict(now, points, is_mortal=True, unsaved=1, **how)
                )
        return distribution

    distribution = certainly(Counts())
    for entry in entries:
        distribution = then(distribution, lambda now, entry=entry: of_entry(entry, now))
    return distribution


def explosions(unit: Unit, state: State) -> Pmf:
    """Mortal wounds that a unit nearby suffers from the models destroyed."""
    distribution = certainly(0)
    for place, kind in enumerate(unit):
        demise = kind.profile.deadly_demise
        if demise is None:
            continue
        for _ in range(kind.profile.models - sum(model.kind == place for model in state.models)):
            one = then(roll(), lambda face, demise=demise: value(demise) if face == 6 else certainly(0))
            distribution = then(
                distribution, lambda so_far, one=one: {so_far + n: chance for n, chance in one.items()}
            )
    return distribution


def hazards(weapons: int, bearers: Unit) -> Pmf:
    """Models of the bearers after their tests: three mortal wounds on one of them for each 1, the excess lost."""

    def test(state: State) -> Pmf:
        def failed(place: int) -> Pmf:
            return hurt(bearers, state, place, certainly(3), is_mortal=True, psychic=False)

        hurt_before = [
            place
            for place, model in enumerate(state.models)
            if model.left < bearers[model.kind].profile.wounds
        ]
        if not state.models:
            return certainly(state)
        return then(roll(), lambda face: failed((hurt_before or [0])[0]) if face == 1 else certainly(state))

    distribution = certainly(fresh(bearers))
    for _ in range(weapons):
        distribution = then(distribution, test)
    return distribution
