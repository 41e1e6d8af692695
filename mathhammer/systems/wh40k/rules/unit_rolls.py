"""What an edition says of rolls that are no attacks: hazards, charges, and battle-shock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hazard:
    """One D6 for a weapon or a model, and the effect on its unit on a low roll."""

    #: The highest roll that fails.
    fails_up_to: int
    #: The mortal wounds that a failed roll inflicts; None where a model is destroyed.
    wounds: int | None
    #: The same where every model of the unit is a Monster or a Vehicle.
    wounds_of_machines: int | None
    #: Whether one bearer suffers them, a wounded one first, and what is left when it dies is lost; otherwise the unit
    #: suffers them as any mortal wounds.
    on_one_bearer: bool = False


@dataclass(frozen=True, slots=True)
class Charge:
    """A charge roll: what it must reach, and what limits it."""

    #: The inches between the models where the charge ends that need not be rolled.
    reach: int
    #: The inches within which a unit is engaged, and does not charge.
    engagement: int = 1
    #: The inches within which a target must be.
    within: int = 12
    #: The most that the roll is after modifiers; None without a limit.
    most: int | None = None
    #: What a higher roll becomes of a unit that intervenes so; None where there is no such rule.
    into_the_fray: int | None = None
    #: The inches that taking to the skies costs; None where there is no such rule.
    skies: int | None = None
    #: Whether Fire Overwatch may answer its declaration; otherwise it comes before, when the enemy has moved.
    answered: bool = True


@dataclass(frozen=True, slots=True)
class BattleShock:
    """Who takes a battle-shock roll."""

    #: Whether a unit at half strength takes it, or only one below.
    at_half: bool
    #: Whether a unit takes it after a Desperate Escape.
    after_escape: bool
