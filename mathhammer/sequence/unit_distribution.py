"""The distribution of the state of a unit: how many models are destroyed, and what the next one has lost."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import count, number, percent
from mathhammer.distributions import Distribution, JointDistribution, mixture
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.sequence.call import Reproducible
from mathhammer.sequence.group import UnitStates  # noqa: TC001 - read by pdoc
from mathhammer.sequence.unit import ModelUnit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.display.panel import Panel, Part

C = TypeVar("C")


class UnitDistribution(Displayed, Reproducible):
    """The distribution of the state of one unit.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A1 BS3+ S4 AP0 D2")
    >>> marines = wh40k.Target("Marines", toughness=4, save=None, wounds=2, models=3)
    >>> first = wh40k.attack(rifle, marines, count=2, exact=True)
    >>> first.kills.pmf(2)
    1/9
    """

    origin: tuple[UnitDistribution, str] | None = None
    """The distribution that this one was made of, and by what: ``"given"`` or ``"new_phase"``; None for all others."""
    distribution_names: tuple[str, str] = ("Models destroyed", "Wounds lost")
    """What the models destroyed and the wounds lost are called in the game."""

    def __init__(self, unit: UnitStates, states: Distribution, *, exact: bool | None = None) -> None:
        self._unit = unit
        self._states = states if exact is None else states.handed_out(exact=exact)

    @property
    def unit(self) -> UnitStates:
        """The states of the unit."""
        return self._unit

    @property
    def exact(self) -> bool:
        """True if the probabilities are ``sympy.Rational``, False if ``float``."""
        return self._states.exact

    def _in_fractions(self) -> UnitDistribution:
        """Return the losses in numbers that need no SymPy."""
        return UnitDistribution(self._unit, in_fractions(self._states))

    @cached_property
    def state(self) -> JointDistribution:
        """Joint distribution of the coordinates of the state.

        For a unit of equal models these are the models destroyed and the wounds lost by the next one, (models, 0)
        when the unit is destroyed.
        """
        coordinates = self._unit.coordinates()
        axes = self._unit.axes
        state = JointDistribution.from_distribution(axes, self._states, coordinates.__getitem__)
        # States that differ only in what they remember have the same coordinates: their mass adds up.
        return state if len(set(coordinates)) == len(coordinates) else state.marginal(axes[0], *axes[1:])

    @cached_property
    def kills(self) -> Distribution:
        """Distribution of the number of models destroyed."""
        return self._distribution_of(self._unit.kills())

    @cached_property
    def wounds_lost(self) -> Distribution:
        """Distribution of the wounds that the unit lost: nothing beyond a model's last wound or the unit's."""
        return self._distribution_of(self._unit.wounds_lost())

    def _distribution_of(self, values: Sequence[int]) -> Distribution:
        """Distribution of what each state is worth."""
        possible = self._states.support
        return self._states._image(values[possible.start : possible.stop])  # noqa: SLF001 - one value a state

    @property
    def probability_destroyed(self) -> Any:
        """Probability that the whole unit is destroyed."""
        return self._states.at_least(getattr(self._unit, "first_destroyed", self._unit.states - 1))

    def given(self, condition: Callable[[tuple[int, ...]], bool], /) -> UnitDistribution:
        """Return the distribution of the state given that its coordinates fulfil a condition."""
        validation.function(condition, "condition", "such as lambda state: state[0] >= 2")
        coordinates = self._unit.coordinates()
        given = UnitDistribution(self._unit, self._states.given(lambda state: condition(coordinates[state])))
        given.origin = (self, "given")
        return given

    def cases(
        self, case: Callable[[tuple[int, ...]], C], /
    ) -> tuple[list[C], list[UnitDistribution], Distribution]:
        """Return the values of a function of the coordinates, the state given each of them, and their distribution.

        Parameters
        ----------
        case
            What makes a difference between states: the number of models left, say.

        Returns
        -------
        tuple
            The values that can be, the distribution of the state given each, and that of their places.

        Examples
        --------
        >>> from mathhammer import wh40k
        >>> rifle = wh40k.Weapon.parse("Rifle: A1 BS3+ S4 AP0 D2")
        >>> marines = wh40k.Target("Marines", toughness=4, save=None, wounds=2, models=3)
        >>> first = wh40k.attack(rifle, marines, count=2, exact=True)
        >>> left, states, which = first.cases(lambda state: 3 - state[0])
        >>> left, which.pmf(2), states[2].kills.mean()
        ([3, 2, 1], 1/9, 2)
        """
        coordinates = self._unit.coordinates()
        terms, _ = self._states._mass.terms()  # noqa: SLF001 - a float may be 0 where the exact number is not
        possible = (state for state, term in zip(self._states.support, terms, strict=True) if term)
        found = list(dict.fromkeys(case(coordinates[state]) for state in possible))
        place = dict(zip(found, range(len(found)), strict=True))
        which = self._states.map(lambda state: place.get(case(coordinates[state]), 0))
        if len(found) == 1:
            return found, [self], which
        return found, [self.given(lambda state, one=one: case(state) == one) for one in found], which  # type: ignore[misc]

    def new_phase(self) -> UnitDistribution:
        """Return the distribution as a later phase finds it.

        Wounded models stay wounded. That an attack was allocated to a model that lost nothing by it counts until the
        end of the phase only.

        Examples
        --------
        >>> from mathhammer import wh40k
        >>> captain = wh40k.Target("Captain", toughness=4, save="2+", wounds=1)
        >>> guard = wh40k.Target("Guard", toughness=4, save=None, wounds=1)
        >>> unit = wh40k.TargetUnit("Unit", [guard], leaders=[captain])
        >>> options = {"exact": True, "edition": "10e", "rulings": {"leaders_begun": "goes-first"}}
        >>> sniper = wh40k.Weapon.parse("Sniper: A1 BS3+ S4 AP0 D1 [PRECISION]")
        >>> sword = wh40k.Weapon.parse("Sword: A1 WS3+ S4 AP0 D1")
        >>> shot = wh40k.attack(sniper, unit, **options)
        >>> for start in (shot, shot.new_phase()):
        ...     print(wh40k.attack(sword, unit, start=start, **options).kills_of("Guard").mean())
        13/54
        1/3

        References
        ----------
        Warhammer 40,000 core rules, Making Attacks: a model that had attacks allocated to it this phase.
        """
        states = self._states
        if isinstance(self._unit, ModelUnit):
            states = states.map(self._unit.new_phase().__getitem__)
        later = UnitDistribution(self._unit, states)
        later.origin = (self, "new_phase")
        return later

    @staticmethod
    def mixture(weights: Sequence[int], distributions: Sequence[UnitDistribution], /) -> UnitDistribution:
        """Return the distribution of the state after one of several attacks on a unit, chosen by dice.

        Parameters
        ----------
        weights
            Whole numbers, one for each distribution: of the faces of a die, say, on which a weapon has a profile.
        distributions
            Results of attacks on the same target, in the same arithmetic.

        Examples
        --------
        A gun whose Damage is rolled for each time that it shoots, 1 on 1-4 and 3 on 5-6:

        >>> from mathhammer import wh40k
        >>> ogre = wh40k.Target("Ogre", toughness=4, save=None, wounds=3)
        >>> profiles = [wh40k.Weapon.parse(f"Gun: A1 BS3+ S4 AP0 D{damage}") for damage in (1, 3)]
        >>> shots = [wh40k.attack(profile, ogre, exact=True) for profile in profiles]
        >>> shots[0].mixture([4, 2], shots).probability_destroyed
        1/9
        """
        distributions = validation.items(distributions, UnitDistribution, "results of attacks to mix")
        if any(distribution.unit != distributions[0].unit for distribution in distributions):
            raise MathhammerError("expected results of attacks on one target to mix, got some on another")
        states = [distribution._states for distribution in distributions]  # noqa: SLF001 - of this class
        return UnitDistribution(distributions[0].unit, mixture(weights, states))

    def _line(self) -> str:
        kind, lost = "exact" if self.exact else "float64", in_fractions(self)
        return (
            f"{kind}: mean {number(lost.kills.mean())} of {self._unit.models} {self.distribution_names[0].lower()}, "
            f"P(destroyed) {percent(lost.probability_destroyed)}"
        )

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel

        return Panel(self._title(), self._facts(), self._distributions(), folded=self._folded())

    def _title(self) -> str:
        """Return what attacked what, if it is known."""
        return f"State of a unit of {count(self._unit.models, 'model')}"

    def _facts(self) -> Mapping[str, object]:
        """Return the numbers that most people ask for."""
        lost = in_fractions(self)
        models, wounds = (each[:1].lower() + each[1:] for each in self.distribution_names)
        return {
            "arithmetic": "exact" if self.exact else "float64",
            models: (lost.kills.mean(), f" of {self._unit.models}"),
            wounds: lost.wounds_lost.mean(),
            "P(destroyed)": lost.probability_destroyed,
        }

    def _distributions(self) -> Sequence[Part]:
        """Return the distributions that are drawn; those of models of one wound are the same."""
        from mathhammer.distributions.presentation import bars

        laws = dict(zip(self.distribution_names, (self.kills, self.wounds_lost), strict=True))
        shown = [bars(law, name) for name, law in laws.items()][: 1 + (self.kills != self.wounds_lost)]
        # What other units lose by the same dice.
        others = self._unit.axes[::2][::-1][: self._unit.others]
        return shown + [bars(self.state.marginal(axis), axis[:1].upper() + axis[1:]) for axis in others]

    def _folded(self) -> Sequence[tuple[str, Part]]:
        """Return what is said below the distributions."""
        return ()

    def to_floats(self) -> UnitDistribution:
        """Return the same distribution in float64."""
        return UnitDistribution(self._unit, self._states.to_floats())


def start_distribution(
    unit: UnitStates, start: UnitDistribution | None, *, exact: bool
) -> Distribution | None:
    """Return where a walk starts: the state that an earlier attack left, or None where there was none."""
    if start is None:
        return None
    if not isinstance(start, UnitDistribution):
        raise MathhammerError(
            f"start must be the result of an attack, or what its given() makes of it (got {validation.shown(start)})"
        )
    if start.exact != exact:
        raise MathhammerError(
            f"start must be in the arithmetic of this attack (got exact={start.exact} and exact={exact}); "
            "give both attacks the same exact=..."
        )
    if start._unit != unit:  # noqa: SLF001 - the same class of this module
        raise MathhammerError("start must be the result of an attack on this target (got one on another)")
    return start._states.handed_out(exact=True)  # noqa: SLF001


def resume(
    unit: ModelUnit, start: UnitDistribution | None, *, exact: bool
) -> tuple[ModelUnit, Distribution | None]:
    """Return the unit with the states that it needs now and needed before, and the state it starts from."""
    if start is None:
        return unit, None
    if not isinstance(start, UnitDistribution) or not isinstance(start.unit, ModelUnit):
        return unit, start_distribution(unit, start, exact=exact)
    wider, places = unit.resume(start.unit)
    before = start_distribution(start.unit, start, exact=exact)
    if wider != start.unit and before is not None:
        before = before.map(places.__getitem__)
    return wider, before
