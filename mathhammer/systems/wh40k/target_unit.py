"""Units of unequal models: mixed units, and leaders attached to bodyguards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.sequence import Allocation
from mathhammer.systems.wh40k.profiles import Target

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TargetUnit"]


@dataclass(frozen=True, slots=True, init=False)
class TargetUnit:
    """A unit of several kinds of models, in the order in which its player allocates attacks to them.

    A kind with a model that has lost wounds comes first, whatever the order given; attached leaders come last,
    and are attacked before only with Precision (Warhammer 40,000 10th edition core rules, Making Attacks and
    Leader).

    Parameters
    ----------
    name
        Any text.
    models
        The kinds of models, each a :class:`Target` with the number of its models.
    leaders
        Attached characters.

    Raises
    ------
    MathhammerError
        If two kinds have one name, or there is no kind at all.

    Examples
    --------
    >>> boys = Target("Boy", toughness=5, save="5+", wounds=1, models=9, keywords="Infantry")
    >>> nob = Target("Nob", toughness=5, save="4+", wounds=2, keywords="Infantry")
    >>> warboss = Target("Warboss", toughness=6, save="4+", invulnerable="5+", wounds=6, keywords="Character")
    >>> mob = TargetUnit("Mob", [boys, nob], leaders=[warboss])
    >>> mob.toughness, mob.model_count
    (5, 11)
    """

    name: str
    models: tuple[Target, ...]
    leaders: tuple[Target, ...]

    def __init__(self, name: str, models: Sequence[Target], leaders: Sequence[Target] = ()) -> None:
        put = object.__setattr__
        put(self, "name", name)
        put(self, "models", tuple(models))
        put(self, "leaders", tuple(leaders))
        for kind in (*self.models, *self.leaders):
            if not isinstance(kind, Target):
                raise MathhammerError(f"expected Targets as the models of {name!r}, got {kind!r}")
        if not self.models:
            raise MathhammerError(f"expected at least one kind of models in {name!r}, got none")
        names = [kind.name for kind in self.kinds]
        if len(set(names)) < len(names):
            raise MathhammerError(f"expected kinds of models with different names in {name!r}, got {names}")

    @property
    def kinds(self) -> tuple[Target, ...]:
        """All kinds: first those with a wounded model, leaders last."""
        hurt_first = sorted(self.models, key=lambda kind: kind.wounds_lost == 0)
        hurt_leaders = sorted(self.leaders, key=lambda kind: kind.wounds_lost == 0)
        return (*hurt_first, *hurt_leaders)

    @property
    def toughness(self) -> int:
        """The highest Toughness among the models that are not leaders, fixed when the unit is targeted.

        References
        ----------
        Core rules, Leader; Rules Commentary, Units with different Toughness.
        """
        return max(kind.toughness for kind in self.models)

    @property
    def model_count(self) -> int:
        """Number of models, leaders included."""
        return sum(kind.models for kind in self.kinds)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Every keyword of any of its models."""
        return tuple(dict.fromkeys(keyword for kind in self.kinds for keyword in kind.keywords))

    @property
    def points(self) -> int | None:
        """Cost of the whole unit, if the cost of every kind is known."""
        points = [kind.points for kind in self.kinds]
        return None if None in points else sum(cost for cost in points if cost is not None)

    def faced(self, kind: Target) -> Target:
        """Return one kind as an attack meets it: with the Toughness, size and keywords of the whole unit."""
        return Target(
            kind.name,
            toughness=self.toughness,
            save=kind.save,
            wounds=kind.wounds,
            models=self.model_count,
            invulnerable=None
            if kind.invulnerable is None
            else " ".join(str(part) for part in kind.invulnerable if part is not None),
            feel_no_pain=kind.feel_no_pain,
            feel_no_pain_mortal=kind.feel_no_pain_mortal,
            damage_reduction=kind.damage_reduction,
            half_damage=kind.half_damage,
            keywords=self.keywords,
        )

    def allocation(self, *, single_out: bool) -> Allocation:
        """Return the queues of models; leaders stand in queues of their own where they can be singled out."""
        queues = [
            [(index, kind.wounds - (kind.wounds_lost if first else 0)) for first in _firsts(kind.models)]
            for index, kind in enumerate(self.kinds)
        ]
        bodyguards = [model for queue in queues[: len(self.models)] for model in queue]
        leaders = queues[len(self.models) :]
        if not single_out:
            bodyguards += [model for queue in leaders for model in queue]
            leaders = []
        return Allocation(
            tuple(kind.name for kind in self.kinds),
            (tuple(bodyguards), *(tuple(queue) for queue in leaders)),
        )

    def leader_queue(self, leader: str | None) -> int:
        """Return the queue of a leader: the one named, or the first in order.

        Raises
        ------
        UnknownNameError
            If no leader has that name.
        """
        names = [kind.name for kind in self.kinds[len(self.models) :]]
        if leader is None:
            return 1
        if leader not in names:
            raise UnknownNameError(f"expected a leader of {', '.join(names) or 'none'}; got {leader!r}")
        return 1 + names.index(leader)


def _firsts(models: int) -> list[bool]:
    """One flag for each model: whether it is the first of its kind."""
    return [True] + [False] * (models - 1)
