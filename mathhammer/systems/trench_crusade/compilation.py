"""From the attacks that are given to single attacks in order: Activations, the joint ones of a Fireteam, the models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError
from mathhammer.systems.trench_crusade.presets import as_weapon
from mathhammer.systems.trench_crusade.profiles import Attacker, Weapon, several
from mathhammer.systems.trench_crusade.situation import (
    MAXIMUM_ATTACKS,
    Activation,
    Armed,
    Attack,
    SituationKeywords,
    TargetActivation,
    as_attacks,
)
from mathhammer.systems.trench_crusade.stages import Stage
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.sequence import Rulings
    from mathhammer.systems.trench_crusade.profiles import Target

Given = Armed | Activation | Sequence[Armed | Activation | TargetActivation]
Item = Stage | TargetActivation

_ARMED = (Attack, Weapon, str)
_ATTACKS = "a Weapon, Attacks, Activations or TargetActivations"


def as_activations(
    attacks: Given, attacker: Attacker | None, situation: SituationKeywords
) -> list[Activation | TargetActivation]:
    """Return the Activations; attacks that are in none make one together."""
    own = attacker or Attacker()
    if isinstance(attacks, Weapon | str):
        _require_known(situation)
        return [Activation((Attack(weapon=as_weapon(attacks), **situation),), own)]
    if situation:
        raise MathhammerError(
            f"expected the situation inside each Attack, got {', '.join(situation)} beside attacks; "
            "write Attack(weapon=..., ...)"
        )
    given = [attacks] if isinstance(attacks, Attack | Activation) else attacks
    found: list[Activation | TargetActivation] = []
    loose: list[Attack] = []
    for item in several(given, (*_ARMED, Activation, TargetActivation), _ATTACKS, 2 * MAXIMUM_ATTACKS):
        if isinstance(item, _ARMED):
            loose += as_attacks(item, _ATTACKS)
            continue
        found += [Activation(tuple(loose), own)] if loose else []
        loose = []
        found.append(item)
    found += [Activation(tuple(loose), own)] if loose else []
    if not any(isinstance(item, Activation) for item in found):
        raise MathhammerError("expected at least one attack, got none")
    return found


def _require_known(situation: Iterable[str]) -> None:
    """Refuse a keyword that no attack has."""
    known = [field.name for field in fields(Attack) if field.name != "weapon"]
    for name in situation:
        if name not in known:
            hint = validation.nearest(name, known)
            raise UnknownNameError(f"expected a keyword of an attack, got {shown(name)}; {hint}")


def compiled(
    activations: Sequence[Activation | TargetActivation], target: Target, edition: str, rulings: Rulings
) -> tuple[list[Item], list[Attacker]]:
    """Return every single attack in order, and the models with markers of their own.

    Source: Trench Crusade rules 1.0.2, Keywords, FIRETEAM: two models; when one's Activation ends, so does the other's.
    """
    count = sum(
        given.copies for each in activations if isinstance(each, Activation) for given in each.attacks
    )
    if count > MAXIMUM_ATTACKS:
        raise TooLargeError(f"expected at most {MAXIMUM_ATTACKS} attacks, got {count}; use fewer")
    attackers: list[Attacker] = []
    items: list[Item] = []
    before: Activation | TargetActivation | None = None
    partner: int | None = None  # the place of the first model of a joint Activation
    number = 0
    for activation in activations:
        if isinstance(activation, TargetActivation):
            items.append(activation)
            before = activation
            continue
        joint = _joint(before, activation)
        if joint:
            _require_joint(before, activation, partner)
        number += not joint
        player = _player(activation.attacker, attackers, partner if joint else None)
        several_models = len(activations) > 1
        for place, given in enumerate(each for each in activation.attacks for _ in range(each.copies)):
            items.append(
                Stage(
                    _label(given, activation, len(items) + 1, several=several_models),
                    given,
                    target,
                    activation,
                    number=number,
                    player_place=player,
                    starts=place == 0,
                    edition=edition,
                    rulings=rulings,
                )
            )
        before, partner = activation, None if joint else player
    return items, attackers


def _player(attacker: Attacker, attackers: list[Attacker], partner: int | None) -> int:
    """Return the place of a model among the attackers: equal ones are one model, unless they are partners."""
    for place, known in enumerate(attackers):
        if known == attacker and place != partner:
            return place
    attackers.append(attacker)
    return len(attackers) - 1


def _joint(before: Activation | TargetActivation | None, after: Activation | TargetActivation) -> bool:
    """Whether two Activations in a row are the joint Activation of a Fireteam."""
    return all(isinstance(each, Activation) and each.fireteam for each in (before, after))


def cut_off(before: Activation | TargetActivation, after: Activation | TargetActivation) -> bool:
    """Whether RELOAD ends a joint Activation before the partner attacks."""
    reloads = isinstance(before, Activation) and any(given.has("RELOAD") for given in before.attacks)
    return reloads and _joint(before, after)


def _require_joint(
    before: Activation | TargetActivation | None, after: Activation, partner: int | None
) -> None:
    """Refuse what a joint Activation cannot be."""
    if partner is None:
        raise MathhammerError(
            "expected two Activations in a row in a Fireteam, got three; put what happens between two Fireteams "
            "between them, or leave out fireteam=True"
        )
    if isinstance(before, Activation) and cut_off(before, after):
        raise MathhammerError(
            f"expected no attack of {after.attacker.name} after one with RELOAD, which ends the joint Activation of "
            f"the Fireteam; put the Activation of {before.attacker.name} last"
        )


def _label(given: Attack, activation: Activation, number: int, *, several: bool) -> str:
    label = f"{number}. {given.weapon.name}" + " (off-hand)" * given.off_hand
    return f"{label} of {activation.attacker.name}" if several else label
