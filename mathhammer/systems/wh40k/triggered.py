"""The law of one attack under rules that act on particular results of its rolls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from mathhammer.arithmetic import Arithmetic, P
from mathhammer.distributions import GeneratingFunction, IntegerLaw
from mathhammer.errors import MathhammerError
from mathhammer.sequence import AttackResult
from mathhammer.systems.wh40k.damage import integer_law

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Check
    from mathhammer.modifiers import Modifier
    from mathhammer.sequence import Explanation, Rulings, Volley
    from mathhammer.sequence.unit_law import UnitStates
    from mathhammer.systems.wh40k.triggers import Trigger

__all__ = ["Bearer", "Rolls", "TriggeredChances", "TriggeredResult", "triggered_chances"]

_FIRST = GeneratingFunction({(1, 0): 1}, 1)
_SECOND = GeneratingFunction({(0, 1): 1}, 1)
_Count = Literal["hits", "wounds", "failed saves", "unsaved"]


@dataclass(frozen=True, slots=True)
class TriggeredChances:
    """The laws of one attack, worked out face by face.

    Parameters
    ----------
    of_hits, of_wounds, of_failed_saves
        Laws of single counts.
    of_unsaved
        Joint law of the failed saves, and of the mortal wounds or of the critical wounds without a save.
    """

    of_hits: GeneratingFunction
    of_wounds: GeneratingFunction
    of_failed_saves: GeneratingFunction
    of_unsaved: GeneratingFunction

    @property
    def defers(self) -> bool:
        """Whether it can produce wounds of the second kind."""
        return any(j for _, j in self.of_unsaved.coefficients)

    def hits(self) -> GeneratingFunction:
        """Law of the hits of one attack."""
        return self.of_hits

    def wounds(self) -> GeneratingFunction:
        """Law of the successful wounds of one attack, before saves."""
        return self.of_wounds

    def unsaved_wounds(self) -> GeneratingFunction:
        """Joint law of the unsaved wounds of the two kinds."""
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
    unsaved: Callable[[tuple[Modifier, ...]], int]
    lethal: bool
    extra_hits: IntegerLaw | None
    devastating: bool
    triggers: tuple[Trigger, ...]


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
    if rolls.devastating and any(trigger.mortal_wounds is not None for trigger in rolls.triggers):
        raise MathhammerError(
            "expected mortal wounds or Devastating Wounds from one weapon, got both; they are inflicted apart, "
            "so give the mortal wounds to another volley"
        )
    counts: tuple[_Count, ...] = ("hits", "wounds", "failed saves", "unsaved")
    return TriggeredChances(*(_attack(rolls, count, further=True) for count in counts))


def _attack(rolls: Rolls, count: _Count, *, further: bool) -> GeneratingFunction:
    """Law of one attack; `further` is whether it may make additional attacks."""
    if rolls.hit is None:
        return _hit(rolls, count, (), automatic=False)
    again = [t for t in rolls.triggers if t.extra_attacks is not None] if further else []
    additional = _attack(rolls, count, further=False) if again else GeneratingFunction.one()
    parts = []
    judged = zip(range(1, 7), rolls.hit.face_weights(), rolls.hit.outcomes(), strict=True)
    for face, weight, outcome in judged:
        if outcome == "fail":
            parts.append((weight, GeneratingFunction.one()))
            continue
        fired = [t for t in rolls.triggers if t.roll == "hit" and face in t.faces(rolls.hit)]
        law = _scored(rolls, count, fired, critical=outcome == "critical")
        for trigger in fired:
            if trigger.extra_attacks is not None and further:
                law = law * _repeated(additional, integer_law(trigger.extra_attacks))
        parts.append((weight, law))
    return GeneratingFunction.mixture(parts, 36)


def _scored(rolls: Rolls, count: _Count, fired: Sequence[Trigger], *, critical: bool) -> GeneratingFunction:
    """Law of one successful hit roll: its own hit, the additional ones, and mortal wounds."""
    ap = tuple(modifier for trigger in fired for modifier in trigger.ap)
    automatic = (critical and rolls.lethal) or any(trigger.wounds for trigger in fired)
    if any(trigger.instead for trigger in fired):
        law = _FIRST if count == "hits" else GeneratingFunction.one()
    else:
        law = _hit(rolls, count, ap, automatic=automatic)
    extra = [integer_law(trigger.extra_hits) for trigger in fired if trigger.extra_hits is not None]
    if critical and rolls.extra_hits is not None:
        extra.append(rolls.extra_hits)
    for number in extra:
        law = law * _repeated(_hit(rolls, count, (), automatic=False), number)
    return law * _mortal_wounds(fired, count)


def _hit(rolls: Rolls, count: _Count, ap: tuple[Modifier, ...], *, automatic: bool) -> GeneratingFunction:
    """Law of one hit: its wound roll and its save."""
    if count == "hits":
        return _FIRST
    if automatic:
        return _wound(rolls, count, ap)
    parts, total = [], 0
    for strength_weight, check in rolls.wounds:
        total += strength_weight
        judged = zip(range(1, 7), check.face_weights(), check.outcomes(), strict=True)
        for face, weight, outcome in judged:
            law = GeneratingFunction.one()
            if outcome != "fail":
                fired = [t for t in rolls.triggers if t.roll == "wound" and face in t.faces(check)]
                better = (*ap, *(modifier for trigger in fired for modifier in trigger.ap))
                if not any(trigger.instead for trigger in fired):
                    unsaveable = rolls.devastating and outcome == "critical"
                    law = _wound(rolls, count, better, unsaveable=unsaveable)
                elif count == "wounds":
                    law = _FIRST
                law = law * _mortal_wounds(fired, count)
            parts.append((strength_weight * weight, law))
    return GeneratingFunction.mixture(parts, 36 * total)


def _wound(
    rolls: Rolls, count: _Count, ap: tuple[Modifier, ...], *, unsaveable: bool = False
) -> GeneratingFunction:
    if count == "wounds":
        return _FIRST
    if unsaveable:
        return _SECOND if count == "unsaved" else _FIRST
    unsaved = rolls.unsaved(ap)
    return GeneratingFunction({(0, 0): 36 - unsaved, (1, 0): unsaved}, 36)


def _mortal_wounds(fired: Sequence[Trigger], count: _Count) -> GeneratingFunction:
    law = GeneratingFunction.one()
    if count == "unsaved":
        for trigger in fired:
            if trigger.mortal_wounds is not None:
                law = law * _repeated(_SECOND, integer_law(trigger.mortal_wounds))
    return law


def _repeated(each: GeneratingFunction, number: IntegerLaw) -> GeneratingFunction:
    """Law of a random number of equal terms."""
    power, parts = GeneratingFunction.one(), []
    for count in range(number.low + len(number.weights)):
        if count:
            power = power * each
        if count >= number.low:
            parts.append((number.weights[count - number.low], power))
    return GeneratingFunction.mixture(parts, number.denominator)


@dataclass(frozen=True, slots=True)
class Bearer:
    """What overheating does to those who carry the weapons of one volley.

    Parameters
    ----------
    count
        How many carry one.
    attacks
        Attacks of one weapon.
    weight
        Of one attack, out of 36, that it overheats.
    suffers
        ``"slain"``, or the mortal wounds of each such roll.
    """

    count: int
    attacks: Expression
    weight: int
    suffers: Literal["slain"] | Expression

    def law(self, arithmetic: Arithmetic[P]) -> Distribution[P]:
        """Law of the bearers slain, or of the mortal wounds that all of them suffer."""
        each = IntegerLaw(0, (36 - self.weight, self.weight), 36).distribution(arithmetic)
        rolls = self.attacks.law(arithmetic).compound(each)
        if self.suffers == "slain":
            return rolls.map(lambda number: min(number, 1)).repeat(self.count)
        return rolls.compound(self.suffers.law(arithmetic)).repeat(self.count)


class TriggeredResult(AttackResult[P]):
    """The result of attacks with triggers: what they did to their bearers, and the mortal wounds, have laws too."""

    def __init__(
        self,
        unit: UnitStates,
        states: Distribution[P],
        volleys: Sequence[Volley],
        *,
        arithmetic: Arithmetic[P],
        edition: str,
        rulings: Rulings,
        explanation: Callable[[AttackResult[P]], Explanation],
        bearers: Sequence[Bearer],
    ) -> None:
        super().__init__(
            unit,
            states,
            volleys,
            arithmetic=arithmetic,
            edition=edition,
            rulings=rulings,
            explanation=explanation,
        )
        self._bearers = tuple(bearers)

    @cached_property
    def unsaved(self) -> Distribution[P]:
        """Law of the failed saves; mortal wounds are not among them."""
        return self._total([_failed(volley.chances) for volley in self._volleys])

    @cached_property
    def mortal_wounds(self) -> Distribution[P]:
        """Law of the mortal wounds on the target, before any is ignored and as if it could not run out."""
        return self._total([_of_second(volley.chances) for volley in self._volleys])

    @cached_property
    def bearers_slain(self) -> Distribution[P]:
        """Law of the number of bearers slain by their own weapons, once the weapons' attacks are resolved."""
        return self._of_bearers(lambda bearer: bearer.suffers == "slain")

    @cached_property
    def bearer_mortal_wounds(self) -> Distribution[P]:
        """Law of the mortal wounds that the bearers suffer in all."""
        return self._of_bearers(lambda bearer: bearer.suffers != "slain")

    def _of_bearers(self, condition: Callable[[Bearer], bool]) -> Distribution[P]:
        law = IntegerLaw(0, (1,), 1).distribution(self._arithmetic)
        for bearer in self._bearers:
            if condition(bearer):
                law = law + bearer.law(self._arithmetic)
        return law


def _failed(chances: Any) -> GeneratingFunction:
    if isinstance(chances, TriggeredChances):
        return chances.of_failed_saves
    found: GeneratingFunction = chances.unsaved_wounds()
    return found


def _of_second(chances: Any) -> GeneratingFunction:
    if not isinstance(chances, TriggeredChances):
        return GeneratingFunction.one()
    law: dict[tuple[int, int], int] = {}
    for (_, j), weight in chances.of_unsaved.coefficients.items():
        law[j, 0] = law.get((j, 0), 0) + weight
    return GeneratingFunction(law, chances.of_unsaved.denominator)
