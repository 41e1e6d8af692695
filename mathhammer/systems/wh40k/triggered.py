"""The law of one attack under rules that act on particular results of its rolls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mathhammer.distributions import GeneratingFunction
from mathhammer.systems.wh40k.damage import integer_law

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.distributions import IntegerLaw
    from mathhammer.expressions.check import Check
    from mathhammer.modifiers import Modifier
    from mathhammer.systems.wh40k.triggers import Trigger

__all__ = ["Rolls", "TriggeredChances", "WaitingKind", "triggered_chances", "waiting_rank"]

#: The further kinds of wounds of an attack, which wait: critical wounds without a save, and mortal wounds.
WaitingKind = Literal["devastating", "mortal"]

_Penetration = tuple["Modifier", ...]

#: Of each option when each kind of waiting wounds has its turn.
_RANKS: dict[str | None, dict[WaitingKind, int]] = {
    None: {"mortal": 0, "devastating": 1},
    "plain-first": {"mortal": 0, "devastating": 1},
    "devastating-first": {"mortal": 1, "devastating": 0},
    "as-listed": {"mortal": 0, "devastating": 0},
}


#: The ruling that says of each kind whether it waits for all weapons.
_TIMINGS: dict[WaitingKind, str] = {"devastating": "devastating_timing", "mortal": "mortal_wounds_timing"}


def waiting_rank(kind: WaitingKind, rulings: Mapping[str, str], *, of_weapon: bool = True) -> int:
    """Return when wounds that wait have their turn: those of a lower rank come first.

    Those below 0 wait for their own weapon only.
    """
    if of_weapon and rulings.get(_TIMINGS[kind]) == "after-weapon":
        return -1
    return _RANKS[rulings.get("mortal_wounds_order")][kind]


@dataclass(frozen=True, slots=True)
class TriggeredChances:
    """The laws of one attack, worked out face by face.

    Parameters
    ----------
    of_hits, of_wounds, of_failed_saves
        Laws of single counts.
    of_unsaved
        Joint law of the failed saves and of each waiting kind of wounds.
    of_saves
        Joint law of the saves to be made at each Armour Penetration, and of each waiting kind of wounds.
    penetrations
        What each Armour Penetration is modified by.
    unsaved
        The weight of a failed save at each of them, out of 36.
    waiting
        The waiting kinds, at least one.
    """

    of_hits: GeneratingFunction
    of_wounds: GeneratingFunction
    of_failed_saves: GeneratingFunction
    of_unsaved: GeneratingFunction
    of_saves: GeneratingFunction
    penetrations: tuple[_Penetration, ...]
    unsaved: tuple[int, ...]
    waiting: tuple[WaitingKind, ...]

    @property
    def defers(self) -> bool:
        """Whether it can produce wounds that wait."""
        return any(any(further) for _, *further in self.of_unsaved.coefficients)

    def hits(self) -> GeneratingFunction:
        """Law of the hits of one attack."""
        return self.of_hits

    def wounds(self) -> GeneratingFunction:
        """Law of the successful wounds of one attack, before saves."""
        return self.of_wounds

    def unsaved_wounds(self) -> GeneratingFunction:
        """Joint law of the unsaved wounds of each kind."""
        return self.of_unsaved


@dataclass(frozen=True, slots=True)
class Rolls:
    """All rolls of one attack.

    Parameters
    ----------
    hit
        The hit roll; none where attacks hit without one.
    wounds
        Of each strength its weight and its wound roll.
    unsaved
        The weight of a failed save out of 36, under further modifiers of the Armour Penetration.
    lethal, extra_hits, devastating
        What critical rolls do.
    triggers
        What particular results do.
    """

    hit: Check | None
    wounds: tuple[tuple[int, Check], ...]
    unsaved: Callable[[_Penetration], int]
    lethal: bool
    extra_hits: IntegerLaw | None
    devastating: bool
    triggers: tuple[Trigger, ...]

    def fired(self, roll: str, check: Check, face: int) -> list[Trigger]:
        """Return the triggers that a face of a successful roll sets off."""
        return [trigger for trigger in self.triggers if trigger.roll == roll and face in trigger.faces(check)]

    def fired_by_every_wound(self) -> list[Trigger]:
        """Return the triggers that a wound without a roll sets off."""
        return [trigger for trigger in self.triggers if trigger.on == "each" and trigger.roll == "wound"]

    def waiting(self) -> tuple[WaitingKind, ...]:
        """Return the kinds of wounds that can wait; one is named even where none can."""
        mortal = any(trigger.mortal_wounds is not None for trigger in self.triggers)
        if mortal:
            return ("devastating", "mortal") if self.devastating else ("mortal",)
        return ("devastating",)


@dataclass(frozen=True, slots=True)
class _Counting:
    """What is counted in one attack.

    Parameters
    ----------
    nothing
        The law of nothing.
    hit, instead
        What a hit counts by itself, and a wound roll that ends the attack; none where it goes on or comes to nothing.
    wound
        What a wound counts, by the modifiers of its Armour Penetration and whether it allows no save.
    mortal_wound
        What each mortal wound counts.
    """

    nothing: GeneratingFunction
    hit: GeneratingFunction | None
    instead: GeneratingFunction
    wound: Callable[[_Penetration, bool], GeneratingFunction]
    mortal_wound: GeneratingFunction


def triggered_chances(rolls: Rolls) -> TriggeredChances:
    """Work out the laws of one attack.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> gun = wh40k.Weapon.parse("Tesla: A1 BS3+ S4 AP0 D1")
    >>> arc = wh40k.Trigger("hit", "unmodified 6", "Tesla", extra_hits=2)
    >>> wh40k.attack(gun, wh40k.TARGETS["MEQ"], edition="9e", triggers=[arc], exact=True).hits.mean()
    1

    References
    ----------
    Goonhammer, "Ruleshammer: Dice, Dice Modifiers, Re-rolls, Modifiers and Fast Rolling"; Warhammer 40,000 9th
    edition core rules, Mortal Wounds.
    """
    one, none = GeneratingFunction.unit(0), GeneratingFunction.one()
    waiting = rolls.waiting()
    penetrations = _penetrations(rolls)

    def joint(first: int, wound: Callable[[_Penetration, int], GeneratingFunction]) -> GeneratingFunction:
        """Law of so many counts of ordinary wounds, then of each waiting kind."""
        counts = first + len(waiting)
        nothing, devastating = GeneratingFunction.one(counts), GeneratingFunction.unit(first, counts)
        counting = _Counting(
            nothing,
            None,
            nothing,
            lambda ap, unsaveable: devastating if unsaveable else wound(ap, counts),
            GeneratingFunction.unit(counts - 1, counts),
        )
        return _attack(rolls, counting)

    def failed(ap: _Penetration, counts: int) -> GeneratingFunction:
        weight = rolls.unsaved(ap)
        return GeneratingFunction({(0,) * counts: 36 - weight, (1,) + (0,) * (counts - 1): weight}, 36)

    return TriggeredChances(
        _attack(rolls, _Counting(none, one, none, lambda *_: one, none)),
        _attack(rolls, _Counting(none, None, one, lambda *_: one, none)),
        _attack(
            rolls,
            _Counting(none, None, none, lambda ap, unsaveable: one if unsaveable else failed(ap, 2), none),
        ),
        joint(1, failed),
        joint(len(penetrations), lambda ap, counts: GeneratingFunction.unit(penetrations.index(ap), counts)),
        penetrations,
        tuple(map(rolls.unsaved, penetrations)),
        waiting,
    )


def _penetrations(rolls: Rolls) -> tuple[_Penetration, ...]:
    """Return what the Armour Penetration of a wound can be modified by, nothing first."""
    of_rolls: list[dict[_Penetration, None]] = []
    for roll, checks in (
        ("hit", () if rolls.hit is None else (rolls.hit,)),
        ("wound", [check for _, check in rolls.wounds]),
    ):
        found: dict[_Penetration, None] = {(): None}
        for check in checks:
            for face in range(1, 7):
                found[_better(rolls.fired(roll, check, face))] = None
        of_rolls.append(found)
    on_hit, on_wound = of_rolls
    return tuple(dict.fromkeys((*first, *second) for first in on_hit for second in on_wound))


def _better(fired: Sequence[Trigger]) -> _Penetration:
    return tuple(modifier for trigger in fired for modifier in trigger.ap)


def _attack(rolls: Rolls, counting: _Counting, *, further: bool = True) -> GeneratingFunction:
    """Law of one attack; `further` is whether it may make additional attacks."""
    if rolls.hit is None:
        return _hit(rolls, counting, (), automatic=False)
    again = [t for t in rolls.triggers if t.extra_attacks is not None] if further else []
    additional = _attack(rolls, counting, further=False) if again else counting.nothing
    parts = []
    judged = zip(range(1, 7), rolls.hit.face_weights(), rolls.hit.outcomes(), strict=True)
    for face, weight, outcome in judged:
        if outcome == "fail":
            parts.append((weight, counting.nothing))
            continue
        fired = rolls.fired("hit", rolls.hit, face)
        law = _scored(rolls, counting, fired, critical=outcome == "critical")
        for trigger in fired:
            if trigger.extra_attacks is not None and further:
                law = law * additional.repeated(integer_law(trigger.extra_attacks))
        parts.append((weight, law))
    return GeneratingFunction.mixture(parts, 36)


def _scored(
    rolls: Rolls, counting: _Counting, fired: Sequence[Trigger], *, critical: bool
) -> GeneratingFunction:
    """Law of one successful hit roll: its own hit, the additional ones, and mortal wounds."""
    automatic = (critical and rolls.lethal) or any(trigger.wounds for trigger in fired)
    if any(trigger.instead for trigger in fired):
        law = counting.hit or counting.nothing
    else:
        law = _hit(rolls, counting, _better(fired), automatic=automatic)
    extra = [integer_law(trigger.extra_hits) for trigger in fired if trigger.extra_hits is not None]
    if critical and rolls.extra_hits is not None:
        extra.append(rolls.extra_hits)
    for number in extra:
        law = law * _hit(rolls, counting, (), automatic=False).repeated(number)
    return law * _mortal_wounds(fired, counting)


def _hit(rolls: Rolls, counting: _Counting, ap: _Penetration, *, automatic: bool) -> GeneratingFunction:
    """Law of one hit: its wound roll and its save."""
    if counting.hit is not None:
        return counting.hit
    if automatic:
        return _wound(counting, ap, rolls.fired_by_every_wound())
    parts, total = [], 0
    for strength_weight, check in rolls.wounds:
        total += strength_weight
        judged = zip(range(1, 7), check.face_weights(), check.outcomes(), strict=True)
        for face, weight, outcome in judged:
            law = counting.nothing
            if outcome != "fail":
                fired = rolls.fired("wound", check, face)
                law = _wound(counting, ap, fired, unsaveable=rolls.devastating and outcome == "critical")
            parts.append((strength_weight * weight, law))
    return GeneratingFunction.mixture(parts, 36 * total)


def _wound(
    counting: _Counting, ap: _Penetration, fired: Sequence[Trigger], *, unsaveable: bool = False
) -> GeneratingFunction:
    """Law of one wound, and of what it triggers."""
    if any(trigger.instead for trigger in fired):
        law = counting.instead
    else:
        law = counting.wound((*ap, *_better(fired)), unsaveable)
    return law * _mortal_wounds(fired, counting)


def _mortal_wounds(fired: Sequence[Trigger], counting: _Counting) -> GeneratingFunction:
    law = counting.nothing
    for trigger in fired:
        if trigger.mortal_wounds is not None:
            law = law * counting.mortal_wound.repeated(integer_law(trigger.mortal_wounds))
    return law
