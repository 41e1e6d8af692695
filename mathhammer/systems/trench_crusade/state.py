"""State of the target after attacks, and the markers that both players spend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from mathhammer import validation
from mathhammer.errors import WrongTypeError
from mathhammer.systems.trench_crusade.keywords import total
from mathhammer.systems.trench_crusade.profiles import MAXIMUM_MARKERS, put, whole
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.systems.trench_crusade.compilation import Stage
    from mathhammer.systems.trench_crusade.profiles import Attacker, Target

OUTCOMES = ("miss", "no effect", "minor hit", "down", "out of action")
"""Outcomes of an attack, the mildest first."""
MISS, NO_EFFECT, MINOR_HIT, DOWN, OUT = range(5)

#: Names of the coordinates of the state that a result shows.
AXES = ("outcome", "blood", "infection", "blessing", "down", "tough_used", "fumbled")


class Markers(NamedTuple):
    """The markers of one attacker."""

    blood: int
    infection: int
    blessing: int


class State(NamedTuple):
    """The target after some attacks, and the markers of those who attack it.

    Parameters
    ----------
    outcome
        The worst result so far, as an index of `OUTCOMES`.
    blood, infection, blessing
        Its markers; a model that is Out of Action has none.
    down, tough_used
        Whether it is Down, and whether its TOUGH was used.
    fumbled
        Whether an attack on it was a FUMBLE.
    hit_by
        Places of those in the joint Activation of a Fireteam who have hit it in it.
    attackers
        Markers of each attacker.

    Examples
    --------
    >>> State(2, 1, 0, 0, True, False, False, frozenset(), ()).coordinates
    (2, 1, 0, 0, 1, 0, 0)
    """

    outcome: int
    blood: int
    infection: int
    blessing: int
    down: bool
    tough_used: bool
    fumbled: bool
    hit_by: frozenset[int]
    attackers: tuple[Markers, ...]

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Values of the coordinates in `AXES`."""
        return tuple(map(int, self[:7]))


def start_state(target: Target, attackers: Sequence[Attacker]) -> State:
    """Return the state before any attack."""
    now = target.blood, target.infection, target.blessing, target.down, target.tough_used
    markers = tuple(Markers(each.blood, each.infection, each.blessing) for each in attackers)
    return State(MISS, *now, fumbled=False, hit_by=frozenset(), attackers=markers)


def activated(blood: int, infection: int, model: Attacker | Target) -> tuple[int, int]:
    """Return the Blood and Infection Markers of a model that is activated.

    Source: Trench Crusade rules 1.0.2, Keywords, REGENERATE; GOLEM, of which its own side removes no Blood Markers;
    Warbands of Trench Crusade, Infection Markers.
    """
    removed = 0 if model.has("GOLEM") else total(model.keywords, "REGENERATE")
    return max(0, blood - removed), min(MAXIMUM_MARKERS, infection + (infection > 0))


def injured(state: State, result: int, stage: Stage, *, bloodbath: bool) -> State:
    """Return the state after an Injury Roll.

    Source: Trench Crusade rules 1.0.2, Injuries; Keywords, TOUGH, GOLEM, FIRE, GAS, SHRAPNEL; Rules Commentaries 1.0.2,
    Keywords Q5.
    """
    target, tough_used = stage.target, state.tough_used
    tough = target.has("TOUGH") and (not bloodbath or stage.rulings["tough_in_bloodbath"] == "yes")
    if result == OUT and target.has("GOLEM") and not bloodbath:
        result = DOWN
    elif result == OUT and tough and not tough_used:
        result, tough_used = DOWN, True
    if result == OUT:
        return state._replace(
            outcome=OUT, blood=0, infection=0, blessing=0, down=False, tough_used=tough_used
        )
    # Blood Markers of the result's row; Standfast makes a Down result the row of a Minor Hit.
    standfast = result == DOWN and target.armour == "machine"
    twice = result == DOWN and state.down
    twice &= not (standfast and stage.rulings["standfast_when_down"] == "one")
    gained = (result >= MINOR_HIT) + twice + stage.extra_markers
    infects = stage.marker == "Infection"
    result = MINOR_HIT if standfast else result
    return state._replace(
        outcome=max(state.outcome, result),
        blood=min(MAXIMUM_MARKERS, state.blood + (0 if infects else gained)),
        infection=min(MAXIMUM_MARKERS, state.infection + (gained if infects else 0)),
        down=state.down or result == DOWN,
        tough_used=tough_used,
    )


T = TypeVar("T")

ALL = MAXIMUM_MARKERS
"""As many markers as there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """Markers that the attacking player spends on an attack, as far as they are there.

    Parameters
    ----------
    success
        Blessing Markers of the attacker for +1 DICE each on the Success Roll.
    blood, infection
        Blood and Infection Markers of the target for +1 INJURY DICE each, beside the price of a Bloodbath.
    bloodbath
        Whether to make a Bloodbath of the Injury Roll if its price can be paid.

    Examples
    --------
    >>> print(Spend(blood=2))
    up to 2 Blood Markers on the Injury Roll

    References
    ----------
    Trench Crusade rules 1.0.2, Blood Markers and Blessing Markers; Bloodbath.
    """

    success: int = 0
    blood: int = 0
    infection: int = 0
    bloodbath: bool = False

    def __post_init__(self) -> None:
        _check_markers(self, "success", "blood", "infection")
        validation.flag(self.bloodbath, "bloodbath")

    def __str__(self) -> str:
        return _in_words(
            (self.success, "Blessing", "Success"),
            (self.bloodbath, "a Bloodbath if it can be paid", ""),
            (self.blood, "Blood", "Injury"),
            (self.infection, "Infection", "Injury"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Markers that the defending player spends on an attack, as far as they are there.

    Parameters
    ----------
    blood, infection
        Blood and Infection Markers of the attacker for -1 DICE each on its Success Roll.
    blessing
        Blessing Markers of the target for -1 INJURY DICE each on the Injury Roll.

    Examples
    --------
    >>> print(Reply(blessing=1))
    up to 1 Blessing Marker on the Injury Roll
    """

    blood: int = 0
    infection: int = 0
    blessing: int = 0

    def __post_init__(self) -> None:
        _check_markers(self, "blood", "infection", "blessing")

    def __str__(self) -> str:
        success = (self.blood, "Blood", "Success"), (self.infection, "Infection", "Success")
        return _in_words(*success, (self.blessing, "Blessing", "Injury"))


def _check_markers(spent: Spend | Reply, *names: str) -> None:
    for name in names:
        put(spent, **{name: whole(name, getattr(spent, name), 0, MAXIMUM_MARKERS)})


def _in_words(*spent: tuple[int, str, str]) -> str:
    """Return what is spent, from rows of a number, the markers and the roll."""
    parts = (
        f"up to {number} {marker} Marker{'s' * (number != 1)} on the {roll} Roll" if roll else marker
        for number, marker, roll in spent
        if number
    )
    return "; ".join(parts) or "nothing"


def or_nothing(given: object, kind: type) -> object:
    """Return what is spent; ``None`` and ``"nothing"`` are nothing."""
    return kind() if given is None or (isinstance(given, str) and given == "nothing") else given


def fixed(given: object, kind: type[T]) -> T:
    """Return what is spent on every attack alike."""
    spent = or_nothing(given, kind)
    if not isinstance(spent, kind):
        raise WrongTypeError(f"expected a {kind.__name__} or 'nothing', got {shown(spent)}")
    return spent


class Option(NamedTuple):
    """Markers that one player may spend on one roll."""

    blood: int = 0
    infection: int = 0
    blessing: int = 0
    #: Markers that are the price of a Bloodbath; 0 for an ordinary roll.
    price: int = 0

    @property
    def markers(self) -> int:
        """Number of markers spent."""
        return self.blood + self.infection + self.blessing

    @property
    def dice(self) -> int:
        """Number of dice that they add or take away."""
        return self.markers - self.price

    def words(self) -> str:
        """Return what is done, for a player."""
        pools = ((self.blood, "Blood"), (self.infection, "Infection"), (self.blessing, "Blessing"))
        spent = " and ".join(f"{number} {name}" for number, name in pools if number)
        if not self.price:
            return spent or "nothing"
        rest = f", {self.dice} for INJURY DICE" if self.dice else ""
        return f"Bloodbath for {f'{self.price} of ' if self.dice else ''}{spent}{rest}"
