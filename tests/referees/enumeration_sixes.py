"""One die of a whole volley re-rolled, and rules on an unmodified 6, attack by attack; beside `enumeration_extra`.

Nothing here imports the package.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from enumeration_extra import (
    ONE,
    Model,
    Shot,
    Unit,
    attacks,
    hit,
    hurt,
    judge_hit,
    judge_wound,
    met_toughness,
    one_attack,
    save,
    strike,
    wound,
)
from enumeration_units import choices, coordinates, fresh
from plain_dice import Pmf, Reroll, certainly, faces_rerolled, roll, then

if TYPE_CHECKING:
    from collections.abc import Callable

    from enumeration_units import State


# ------------------------------------------------------------------------------------------------- one die re-rolled


#: State, hits, wounds, devastating wounds that wait, whether the re-roll is used.
Table = tuple["State", int, int, int, bool]


def with_one_reroll(shot: Shot, unit: Unit, roll_again: str) -> tuple[Pmf, Pmf, Pmf]:
    """Distributions of the unit's coordinates, hits and wounds when the first failed die of one roll is re-rolled.

    `roll_again` is "hits", "wounds" or "saves": the attacks are made one after another, and what has been re-rolled is
    remembered.
    """
    toughness = met_toughness(unit)

    def failing_once(distribution: Pmf, roll: str, *, used: bool) -> Pmf:
        """(result, whether the re-roll is used)."""
        return then(
            distribution,
            lambda result: (
                then(distribution, lambda again: certainly((again, True)))
                if result == "fail" and roll == roll_again and not used
                else certainly((result, used))
            ),
        )

    def allocated(table: Table) -> Pmf:
        state, hits, wounds, waiting, used = table
        places = choices(unit, state, shot.directed)
        if not places:
            return certainly((state, hits, wounds + 1, waiting, used))
        model: Model = unit[state[places[0]].kind].profile  # type: ignore[assignment]

        def after(saved: tuple[str, bool]) -> Pmf:
            result, now_used = saved
            distribution = hurt(unit, state, shot, unsaved=result == "fail")
            return {
                (now, hits, wounds + 1, waiting, now_used): chance for now, chance in distribution.items()
            }

        return then(failing_once(save(shot, model), "saves", used=used), after)

    def wounding(table: Table) -> Pmf:
        def after(rolled: tuple[str, bool]) -> Pmf:
            state, hits, wounds, waiting, _ = table
            result, used = rolled
            if result == "fail":
                return certainly((state, hits, wounds, waiting, used))
            if result == "critical" and shot.devastating_wounds:
                return certainly((state, hits, wounds + 1, waiting + 1, used))
            return allocated((state, hits, wounds, waiting, used))

        return then(failing_once(wound(shot, toughness), "wounds", used=table[4]), after)

    def attack(table: Table) -> Pmf:
        def after(rolled: tuple[str, bool]) -> Pmf:
            state, hits, wounds, waiting, _ = table
            result, used = rolled
            if result == "fail":
                return certainly((state, hits, wounds, waiting, used))
            extra = shot.sustained_hits if result == "critical" else 0
            lethal = result == "critical" and shot.lethal_hits
            distribution = certainly((state, hits + 1 + extra, wounds, waiting, used))
            if lethal:
                distribution = then(distribution, allocated)
            for _ in range(1 + extra - lethal):
                distribution = then(distribution, wounding)
            return distribution

        return then(failing_once(hit(shot), "hits", used=table[4]), after)

    distribution = certainly((fresh(unit), 0, 0, 0, False))
    for _ in range(attacks(shot)):
        distribution = then(distribution, attack)

    def devastate(table: Table) -> Pmf:
        states = certainly(table[0])
        for _ in range(table[3]):
            states = then(states, lambda now: strike(unit, now, shot, mortal=True))
        return then(states, lambda state: certainly(coordinates(unit, state)))

    return (
        then(distribution, devastate),
        then(distribution, lambda table: certainly(table[1])),
        then(distribution, lambda table: certainly(table[2])),
    )


# ------------------------------------------------------------------------------------------- rules on an unmodified 6

#: State of equal models, hits, wounds, mortal wounds that wait, devastating wounds that wait.
Waiting = tuple["State", int, int, int, int]


def with_triggers(shot: Shot, unit: Unit) -> tuple[Pmf, Pmf, Pmf]:
    """Distributions of the coordinates of equal models, of the hits and of the wounds, where unmodified sixes do more.

    An additional hit of SUSTAINED HITS is no hit roll, and a wound of LETHAL HITS no wound roll. Mortal wounds come
    after all normal damage, one at a time, and spill over; devastating wounds come last.
    """
    (kind,) = unit
    model: Model = kind.profile  # type: ignore[assignment]

    def rolled(judge: Callable[[int], str], again: Reroll) -> Pmf:
        """(unmodified 6 or not, result)."""
        return roll(lambda face: (face == 6, judge(face)), faces_rerolled(again, judge))

    def saved(table: Waiting, better: int) -> Pmf:
        state, hits, wounds, mortals, waiting = table
        if not state:
            return certainly((state, hits, wounds + 1, mortals, waiting))
        fired = replace(shot, ap_change=(*shot.ap_change, better) if better else shot.ap_change)
        distribution = then(
            save(fired, model), lambda result: hurt(unit, state, shot, unsaved=result == "fail")
        )
        return {(now, hits, wounds + 1, mortals, waiting): chance for now, chance in distribution.items()}

    def wounding(table: Waiting, better: int) -> Pmf:
        def after(face: tuple[bool, str]) -> Pmf:
            state, hits, wounds, mortals, waiting = table
            six, result = face
            if result == "fail":
                return certainly(table)
            mortals += shot.mortals_on_wound if six else 0
            if result == "critical" and shot.devastating_wounds:
                return certainly((state, hits, wounds + 1, mortals, waiting + 1))
            more = better + (shot.ap_on_wound if six else 0)
            return saved((state, hits, wounds, mortals, waiting), more)

        return then(rolled(lambda face: judge_wound(shot, model.toughness, face), shot.reroll_wounds), after)

    def attack(table: Waiting) -> Pmf:
        def after(face: tuple[bool, str]) -> Pmf:
            state, hits, wounds, mortals, waiting = table
            six, result = face
            if result == "fail":
                return certainly(table)
            extra = shot.sustained_hits if result == "critical" else 0
            more = shot.mortals_on_hit if six else 0
            distribution = certainly((state, hits + 1 + extra, wounds, mortals + more, waiting))
            better = shot.ap_on_hit if six else 0
            own = saved if result == "critical" and shot.lethal_hits else wounding
            distribution = then(distribution, lambda now: own(now, better))
            for _ in range(extra):
                distribution = then(distribution, lambda now: wounding(now, 0))
            return distribution

        if shot.torrent:
            return after((False, "success"))
        return then(rolled(lambda face: judge_hit(shot, face), shot.reroll_hits), after)

    distribution = certainly((fresh(unit), 0, 0, 0, 0))
    for _ in range(attacks(shot)):
        distribution = then(distribution, attack)

    def later(table: Waiting) -> Pmf:
        state, _, _, mortals, waiting = table
        one = replace(shot, damage=ONE, damage_change=(), damage_halved=False)
        bare = (replace(kind, profile=replace(model, damage_reduction=0, half_damage=False)),)  # type: ignore[type-var]
        states = certainly(state)
        for _ in range(mortals):
            states = then(states, lambda now: strike(bare, now, one, mortal=True))
        for _ in range(waiting):
            states = then(states, lambda now: strike(unit, now, shot, mortal=True))
        return then(states, lambda now: certainly(coordinates(unit, now)))

    return (
        then(distribution, later),
        then(distribution, lambda table: certainly(table[1])),
        then(distribution, lambda table: certainly(table[2])),
    )


# --------------------------------------------------------------------------------------- a damage that becomes 0


def with_damage_to_0(shots: tuple[Shot, ...], unit: Unit) -> Pmf:
    """Distribution of the unit's coordinates when each kind that can changes the Damage of its first failed save to 0.

    It is a modifier of Damage: an attacker who ignores those that harm him ignores it.
    """
    toughness = met_toughness(unit)

    def allocated(state: State, used: frozenset[int], shot: Shot) -> Pmf:
        """(state, kinds that have used it)."""
        places = choices(unit, state, shot.directed)
        if not places:
            return certainly((state, used))
        kind = state[places[0]].kind
        model: Model = unit[kind].profile  # type: ignore[assignment]
        able = model.damage_to_0 and kind not in used and "damage" not in shot.ignored

        def after(result: str) -> Pmf:
            failed = result == "fail"
            distribution = hurt(unit, state, shot, unsaved=failed, place=places[0], to_0=failed and able)
            now_used = used | {kind} if failed and able else used
            return {(now, now_used): chance for now, chance in distribution.items()}

        return then(save(shot, model), after)

    distribution = certainly((fresh(unit), frozenset(), (0,) * len(shots)))
    for place, shot in enumerate(shots):

        def attack(
            table: tuple[State, frozenset[int], tuple[int, ...]], place: int = place, shot: Shot = shot
        ) -> Pmf:
            def resolved(result: tuple[int, int, int]) -> Pmf:
                state, used, waiting = table
                more = (*waiting[:place], waiting[place] + result[2], *waiting[place + 1 :])
                states = certainly((state, used))
                for _ in range(result[1]):
                    states = then(states, lambda now: allocated(*now, shot))
                return {(*now, more): chance for now, chance in states.items()}

            return then(one_attack(shot, toughness), resolved)

        for _ in range(attacks(shot)):
            distribution = then(distribution, attack)

    def devastate(table: tuple[State, frozenset[int], tuple[int, ...]]) -> Pmf:
        states = certainly(table[0])
        for shot, number in zip(shots, table[2], strict=True):
            for _ in range(number):
                states = then(states, lambda now, shot=shot: strike(unit, now, shot, mortal=True))
        return then(states, lambda state: certainly(coordinates(unit, state)))

    return then(distribution, devastate)
