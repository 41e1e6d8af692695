"""What an edition says of rolls that are no attacks: hazards, charges, and battle-shock."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BattleShock", "Charge", "Hazard"]


@dataclass(frozen=True, slots=True)
class Hazard:
    """One D6 for a weapon or a model, and what befalls its unit on a low roll.

    Parameters
    ----------
    fails_up_to
        The highest roll that fails.
    wounds
        The mortal wounds that a failed roll inflicts; None where a model is destroyed.
    wounds_of_machines
        The same where every model of the unit is a Monster or a Vehicle.
    on_one_bearer
        Whether one bearer suffers them, a wounded one first, and what is left when it dies is lost; otherwise the
        unit suffers them as any mortal wounds.
    """

    fails_up_to: int
    wounds: int | None
    wounds_of_machines: int | None
    on_one_bearer: bool = False


@dataclass(frozen=True, slots=True)
class Charge:
    """A charge roll: what it must reach, and what limits it.

    Parameters
    ----------
    reach
        The inches between the models where the charge ends that need not be rolled.
    within
        The inches within which a target must be.
    most
        The most that the roll is after modifiers; None without a limit.
    into_the_fray
        What a higher roll becomes of a unit that intervenes so; None where there is no such rule.
    skies
        The inches that taking to the skies costs; None where there is no such rule.
    """

    reach: int
    within: int = 12
    most: int | None = None
    into_the_fray: int | None = None
    skies: int | None = None


@dataclass(frozen=True, slots=True)
class BattleShock:
    """Who takes a battle-shock roll.

    Parameters
    ----------
    at_half
        Whether a unit at half strength takes it, or only one below.
    after_escape
        Whether a unit takes it after a Desperate Escape.
    """

    at_half: bool
    after_escape: bool
