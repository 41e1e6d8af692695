"""Injury Rolls that no attack causes, Morale Checks, charges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Unpack

from mathhammer import validation
from mathhammer.arithmetic import P
from mathhammer.display import Displayed, count, percent
from mathhammer.distributions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.expressions import distribution
from mathhammer.sequence import Reproducible, records_call
from mathhammer.sequence.rolls import as_given
from mathhammer.systems.trench_crusade.attack import attack
from mathhammer.systems.trench_crusade.profiles import Target, Weapon, whole
from mathhammer.systems.trench_crusade.rolls import net, read_sourced, success_total
from mathhammer.systems.trench_crusade.rulings import in_force
from mathhammer.systems.trench_crusade.situation import Attack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sympy import Rational

    from mathhammer.display import Panel
    from mathhammer.distributions import Distribution
    from mathhammer.systems.trench_crusade.attack import ActivationOptions, AttackOptions
    from mathhammer.systems.trench_crusade.result import AttackResult
    from mathhammer.systems.trench_crusade.rolls import SourcedText

    Fallen = AttackResult[float] | AttackResult[Rational]

MAXIMUM_INCHES = 60
MAXIMUM_MODELS = 1_000
LONGEST_CHARGE = 12


def fall(target: Target, inches: int, *, exact: bool = False, **options: Unpack[AttackOptions]) -> Fallen:
    """Distribution of what a fall does: an Injury Roll with +1 INJURY DICE for each full 3".

    Parameters
    ----------
    target
        The model that falls, without FLYING.
    inches
        How far, 3 or more: below that there is no roll.
    exact, **options
        As for `attack`.

    Examples
    --------
    >>> fall(Target(), 6, exact=True).probability_out_of_action
    25/36

    References
    ----------
    Trench Crusade rules 1.0.2, Falling; Rules Commentaries 1.0.2, Q9 (who spends markers).
    """
    return attack(_falling(target, inches), target, exact=exact, **options)


def ledge(
    target: Target,
    inches: int,
    *,
    exact: bool = False,
    dice: SourcedText = 0,
    **options: Unpack[ActivationOptions],
) -> Fallen:
    """Distribution of what the edge does to a model taken Down within 1" of it: a Success Roll, and a fall if it fails.

    Examples
    --------
    >>> ledge(Target(), 3, exact=True).probability_hit
    5/12

    References
    ----------
    Trench Crusade rules 1.0.2, Down.
    """
    return attack(
        Attack(weapon=_falling(target, inches), on_failure=True, dice=dice), target, exact=exact, **options
    )


def dangerous_terrain(
    target: Target,
    *,
    exact: bool = False,
    dice: SourcedText = 0,
    mined: bool = False,
    **options: Unpack[ActivationOptions],
) -> Fallen:
    """Distribution of what Dangerous Terrain does: a Risky Success Roll, and an Injury Roll if it fails.

    Parameters
    ----------
    target
        The model in it.
    dice
        +/- DICE of its Success Roll.
    mined
        Whether it is DANGEROUS TERRAIN (SHRAPNEL), as a minefield, so that the Injury Roll has SHRAPNEL.
    exact, **options
        As for `attack`.

    Examples
    --------
    >>> dangerous_terrain(Target(), exact=True).probability_out_of_action
    25/216

    References
    ----------
    Trench Crusade rules 1.0.2, Dangerous Terrain; Keywords, DANGEROUS TERRAIN.
    """
    validation.flag(mined, "mined")
    terrain = Weapon("Dangerous Terrain", kind="ranged", keywords="SHRAPNEL" if mined else "")
    return attack(Attack(weapon=terrain, on_failure=True, dice=dice), target, exact=exact, **options)


def _falling(target: Target, inches: int) -> Weapon:
    validation.instance(target, Target, "a Target that falls")
    if target.has("FLYING"):
        raise MathhammerError("expected a model without FLYING, for those never fall; leave out the roll")
    dice = whole("the inches of a fall", inches, 3, MAXIMUM_INCHES) // 3
    return Weapon(f'Fall of {inches}"', kind="ranged", injury_dice=dice, keywords="FLAMETHROWER")


@dataclass(frozen=True, repr=False)
class Morale(Displayed, Reproducible, Generic[P]):
    """Results of Morale Checks.

    Attributes
    ----------
    threshold
        How many models Down or Out of Action call for a check.
    shaken, flees
        The probabilities below, where exact in numbers that need no SymPy.

    Examples
    --------
    >>> morale(5, exact=True).probability_shaken
    5/12
    """

    threshold: int
    shaken: Any
    flees: Any

    @property
    def probability_shaken(self) -> P:
        """Probability that the first check fails."""
        return as_given(self.shaken)  # type: ignore[no-any-return]

    @property
    def probability_flees(self) -> P:
        """Probability that the second one, in the next Turn, fails as well, which loses the game."""
        return as_given(self.flees)  # type: ignore[no-any-return]

    def _line(self) -> str:
        return (
            f"from {count(self.threshold, 'model')} lost: P(shaken) {percent(self.shaken)}, "
            f"P(flees) {percent(self.flees)}"
        )

    def _panel(self) -> Panel:
        from mathhammer.display import NamedBars, Panel

        chances = [self.shaken, self.flees]
        exact = None if isinstance(chances[0], float) else list(map(str, chances))
        labels = ["first check fails: shaken", "second fails too: flees"]
        checks = NamedBars("Morale Check", labels, list(map(float, chances)), exact)
        needed = f"{count(self.threshold, 'model')} Down or Out of Action"
        return Panel("Morale", {"a check is called for by": needed}, [checks])


@records_call("tc")
def morale(
    models: int,
    *,
    leader: bool = False,
    leader_later: bool | None = None,
    dice: SourcedText = 0,
    down: bool = False,
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
) -> Morale[float] | Morale[Rational]:
    """Distribution of a Warband's Morale Checks.

    Parameters
    ----------
    models
        The number of models that it started with.
    leader, leader_later
        Whether a model with LEADER is up at the first check, and at the second (by default as at the first).
    dice
        Other +/- DICE.
    down
        Whether the model that rolls is Down, which matters under one ruling only.
    rulings
        Options for disputed points: ``{"down_own_rolls": "morale-too"}``.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.

    Examples
    --------
    >>> checks = morale(5, leader=True, exact=True)
    >>> checks.threshold, checks.probability_shaken, checks.probability_flees
    (3, 7/36, 49/1296)

    References
    ----------
    Trench Crusade rules 1.0.2, Morale; Keywords, LEADER.
    """
    models = whole("the number of models", models, 1, MAXIMUM_MODELS)
    validation.flag(exact, "exact")
    options = in_force(rulings)
    for name, value in (("leader", leader), ("leader_later", leader_later), ("down", down)):
        if value is not None or name != "leader_later":
            validation.flag(value, name)
    common = [*read_sourced(dice, "given")]
    if down and options["down_own_rolls"] == "morale-too":
        common += read_sourced("-1 Down", "")
    failures = []
    for up in (leader, leader if leader_later is None else leader_later):
        sources = [*common, *(read_sourced("+1 LEADER", "") if up else ())]
        total = success_total(net(sources), reroll=False, exact=exact)
        failures.append(total.map(lambda found: int(found < 7)))
    both = in_fractions(failures[0] + failures[1])
    return Morale(-(-models // 2), in_fractions(failures[0]).pmf(1), both.pmf(2))


@validation.called
def charge(
    movement: int,
    *,
    heavy: bool = False,
    machine_armour: bool = False,
    shock_charge: bool = False,
    skirmisher: bool = False,
    exact: bool = False,
) -> Distribution[float] | Distribution[Rational]:
    """Distribution of the inches that a charge covers, or of the greatest distance that it closes.

    Parameters
    ----------
    movement
        Movement in inches.
    heavy
        Whether the model is HEAVY without STRONG, so that it has no Charge Bonus.
    machine_armour
        Whether it has Machine Armour, so that its Charge Bonus is D3".
    shock_charge
        Whether it is a Shock Trooper, whose Charge Bonus is the highest of 2D6.
    skirmisher
        Whether the target is a SKIRMISHER, who evades D3": then it is that of the charge less the evasion.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.

    Examples
    --------
    >>> charge(6, exact=True).at_least(10)
    1/2

    References
    ----------
    Trench Crusade rules 1.0.2, Charge; Keywords, HEAVY, SKIRMISHER; Warbands of Trench Crusade, New Antioch, Machine
    Armour (Bulky), Shock Troopers (Shock Charge).
    """
    movement = whole("movement", movement, 0, MAXIMUM_INCHES)
    flags = {"heavy": heavy, "machine_armour": machine_armour, "shock_charge": shock_charge}
    for name, value in {**flags, "skirmisher": skirmisher}.items():
        validation.flag(value, name)
    if machine_armour and shock_charge:
        raise MathhammerError(
            "expected machine_armour or shock_charge, got both; no Shock Trooper has Machine Armour"
        )
    dice = "D3" if machine_armour else "highest(1 of 2D6)" if shock_charge else "D6"
    bonus: Distribution[Any] = distribution("0" if heavy else dice, exact=exact)
    covered = (bonus + movement).map(lambda inches: min(inches, LONGEST_CHARGE))
    return covered - distribution("D3", exact=exact) if skirmisher else covered
