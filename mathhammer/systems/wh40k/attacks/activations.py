"""Units that attack one target one after another: what each leaves to the next, and how many are needed."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property
from numbers import Real
from operator import mul
from typing import TYPE_CHECKING, Any, Literal, Unpack

from flint import fmpq

from mathhammer import validation
from mathhammer.arithmetic import mass_type
from mathhammer.display import Displayed
from mathhammer.display.numbers import number, percent
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.kernel import together
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.sequence.call import Reproducible, records_call
from mathhammer.sequence.resolution import Share
from mathhammer.systems.wh40k.attacks.attack import AttackOptions, attack, passes_options, read_weapons
from mathhammer.systems.wh40k.attacks.attack_sequence import AttackSequence
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
from mathhammer.systems.wh40k.profiles.targets import Objective, TargetUnit, read_target, require_objective
from mathhammer.systems.wh40k.situation import MortalWounds, Volley, read_entries, read_volley
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mathhammer.display.panel import Panel, Pictures
    from mathhammer.sequence.unit_distribution import UnitDistribution
    from mathhammer.systems.wh40k.attacks.attack import Attacking
    from mathhammer.systems.wh40k.attacks.result import AttackResult
    from mathhammer.systems.wh40k.profiles.targets import Attackable

#: Most volleys of one unit whose orders are tried, 5,040 of them.
MAXIMUM_VOLLEYS = 7
#: Orders that differ by less are equally good, and a probability is reached: rounding shall not choose.
TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class ActivationResult(Displayed, Reproducible):
    """The attacks of one unit: its weapons in the order in which they were resolved, and the target after them."""

    volleys: tuple[Volley | MortalWounds, ...]
    result: AttackResult
    #: The state of the target before; None where it is the first.
    before: UnitDistribution | None

    @cached_property
    def _means(self) -> list[Share]:
        """The shares in numbers that need no SymPy: of several cases the means of those of each."""
        if self.result.rerolls_by_plan:
            raise MathhammerError(
                "the shares of single volleys need dice that no player looks at (got a Command Re-roll or another "
                "choice: its plan is for all volleys together)"
            )
        sequence = self.result._sequence  # noqa: SLF001 - of this folder
        cases = sequence.cases(self.before)
        parts = [sequence.shares(*each) for each in cases.seen]
        return [
            Share(*(sum(map(mul, cases.probabilities, each), fmpq(0)) for each in zip(*row, strict=True)))
            for row in zip(*parts, strict=True)  # of one volley in every case
        ]

    @cached_property
    def shares(self) -> tuple[Share, ...]:
        """Share of each volley: mean ``kills``, ``wounds_lost``, ``attacks`` and ``attacks_left_over``."""
        return tuple(Share(*map(self._given, share)) for share in self._means)

    def _given(self, mean: fmpq) -> Any:
        return mass_type(exact=self.result.exact).quotient(mean.numerator, mean.denominator)

    @property
    def expected_waste(self) -> Any:
        """Mean number of attacks left over when the target was destroyed: they are lost (Core Rules Updates)."""
        return self._given(sum((share.attacks_left_over for share in self._means), fmpq(0)))

    def _line(self) -> str:
        return f"{named(self.volleys, ' × ')}: {self.result._line()}"  # noqa: SLF001 - what one displayed object is made of

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, TablePart

        after = self.result._panel()  # noqa: SLF001
        header, rows, notes = ["volley"], [[str(volley)] for volley in self.volleys], []
        try:
            shares = self._means
        except MathhammerError as error:  # that they cannot be separated is said below the result
            notes.append(f"Single volleys: {error}")
        else:
            header += ["models destroyed", "wounds lost", "attacks", "left over"]
            rows = [[*row, *map(number, share)] for row, share in zip(rows, shares, strict=True)]
        table = TablePart(header, rows, caption="In the order of the attacks, means")
        return Panel(after.title, after.facts, [table, *after.parts], notes, after.folded)


@together()
@passes_options
def activations(
    units: Sequence[Attacking],
    target: Attackable,
    /,
    *,
    order: Literal["given", "best"] = "given",
    objective: Objective | None = None,
    **options: Unpack[AttackOptions],
) -> tuple[ActivationResult, ...]:
    """Resolve the attacks of several units on a target, one unit after another.

    Devastating wounds of a unit come after its own attacks and before those of the next unit.

    Parameters
    ----------
    units
        Of each unit a weapon, a volley, or several, or a unit of an army, as for :func:`mathhammer.wh40k.attack`.
    target, **options
        As for :func:`mathhammer.wh40k.attack`.
    order
        ``"given"``, or ``"best"``: each unit's volleys in its best order, see :func:`best_order`.
    objective
        What ``"best"`` means: see :func:`best_order`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> lascannon = wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1")
    >>> tank = wh40k.Target("Tank", toughness=10, save="3+", wounds=6)
    >>> one, two = wh40k.activations([wh40k.Volley(lascannon, 2), lascannon], tank, exact=True)
    >>> two.result.probability_destroyed > one.result.probability_destroyed
    True
    """
    expected = "a list of units, each of them a weapon or its volleys"
    validation.instance(units, (list, tuple), expected, "put one unit into a list")
    if not units:
        raise MathhammerError("expected at least one unit, got none")
    validation.one_of(order, ("given", "best"), "order")
    if objective is not None:
        require_objective(objective)
    target = read_target(target, options.get("edition", DEFAULT_EDITION))
    found: list[ActivationResult] = []
    for weapons in units:
        volleys = read_weapons(weapons, 1, target, **options)
        if order == "best":
            volleys = _in_best_order(volleys, target, objective, **options)
        found.append(activation(volleys, target, objective=objective, **options))
        options["start"] = found[-1].result
    return tuple(found)


def named(volleys: Iterable[Volley | MortalWounds], times: str) -> str:
    """Return the names of what attacks, with the numbers of the weapons."""
    return ", ".join(
        each.source if isinstance(each, MortalWounds) else f"{each.count}{times}{each.weapon.name}"
        for each in volleys
    )


@together()
@passes_options
def best_order(
    weapons: Attacking,
    target: Attackable,
    /,
    *,
    objective: Objective | None = None,
    **options: Unpack[AttackOptions],
) -> ActivationResult:
    """Resolve the volleys of a unit in the order that is best for the attacker.

    The order is chosen before the first roll. All orders are tried; of equally good ones the one nearest to that
    given is taken.

    Parameters
    ----------
    weapons, target, **options
        As for :func:`mathhammer.wh40k.attack`.
    objective
        The greatest mean of ``"kills"``, ``"wounds_lost"`` or ``"points"``, or the greatest
        ``"probability_destroyed"``.

    Examples
    --------
    One wound first, then two: the models have two each.

    >>> from mathhammer import wh40k
    >>> small = wh40k.Volley(wh40k.Weapon.parse("Small: A1 S8 AP0 D1 [TORRENT]"))
    >>> large = wh40k.Volley(wh40k.Weapon.parse("Large: A1 S8 AP0 D2 [TORRENT]"))
    >>> unit = wh40k.Target("Unit", toughness=4, save=None, wounds=2, models=5)
    >>> [volley.weapon.name for volley in wh40k.best_order([small, large], unit, objective="wounds_lost").volleys]
    ['Large', 'Small']

    References
    ----------
    Warhammer 40,000 10th edition core rules, Making Attacks: the attacker chooses which of a unit's weapons is
    resolved first.
    """
    return activations([weapons], target, order="best", objective=objective, **options)[0]


def _in_best_order(
    volleys: Sequence[Volley | MortalWounds],
    target: Target | TargetUnit,
    objective: Objective | None,
    **options: Unpack[AttackOptions],
) -> list[Volley | MortalWounds]:
    """Return volleys in the best order, of equally good ones in the nearest to that given."""
    if len(volleys) > MAXIMUM_VOLLEYS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_VOLLEYS} volleys to put in order, got {len(volleys)}; put equal weapons "
            "into one Volley, or give the order"
        )
    start, exact = options.pop("start", None), options.pop("exact", False)
    rules = find_edition(options.pop("edition", DEFAULT_EDITION))
    ruled = rules.ruled(rules.in_force(options.pop("rulings", None)))
    sequence = AttackSequence(read_entries(volleys, options), target, ruled, objective, exact=exact)
    keys = [
        (each.weapon, each.count, each.situation) if isinstance(each, Volley) else each for each in volleys
    ]
    alike, cases = [keys.index(key) for key in keys], sequence.cases(start)
    values: dict[tuple[int, ...], float] = defaultdict(float)
    for case, probability in zip(cases.seen, cases.probabilities, strict=True):
        for order, worth in sequence.by_order(alike, *case, len(cases.seen)):
            values[order] += float(probability) * worth
    best, chosen = -1.0, tuple(range(len(volleys)))
    for order, value in values.items():
        if value > best + TOLERANCE * abs(best):
            best, chosen = value, order
    # Mortal wounds come after the normal damage in any case.
    apart = [volley for volley in volleys if isinstance(volley, MortalWounds)]
    return [*(volleys[place] for place in chosen if isinstance(volleys[place], Volley)), *apart]


@records_call("40k")
@passes_options
def activation(
    weapons: Attacking,
    target: Attackable,
    /,
    *,
    objective: Objective | None = None,
    **options: Unpack[AttackOptions],
) -> ActivationResult:
    """Resolve the attacks of one unit in the order given: one of the results of `activations`."""
    volleys = read_weapons(weapons, 1, target, **options)
    result = attack(volleys, target, objective=objective, **options)
    return ActivationResult(tuple(volleys), result, options.get("start"))


#: The most weapons or units that are tried.
MAXIMUM = 1_000


@dataclass(frozen=True, eq=False, repr=False)
class Needed(Displayed):
    """The number of attacks that destroy a target."""

    attacker: str
    target: str
    probability: float
    #: The least number that reaches the probability; ``None`` if the most that were to be tried do not.
    count: int | None
    #: What so many do, or the most if they do not suffice; and one fewer, where there are.
    result: AttackResult
    fewer: AttackResult | None
    most: int

    @property
    def probability_destroyed(self) -> Any:
        """Probability that the number found, or the most that were tried, destroy the target."""
        return self.result.probability_destroyed

    @property
    def one_fewer(self) -> Any | int:
        """The same of one fewer: below the probability that was wanted."""
        return 0 if self.fewer is None else self.fewer.probability_destroyed

    def _line(self) -> str:
        who, (reached, less) = self.attacker, self._chances()
        if self.count is None:
            few = f"less than {percent(self.probability)}"
            return f"{self.most} × {who} destroy {self.target} with {percent(reached)}, {few}"
        text = f"{self.count} × {who} destroy{'s' * (self.count == 1)} {self.target} with {percent(reached)}"
        return text if less is None else f"{text} ({self.count - 1}: {percent(less)})"

    def _chances(self) -> tuple[Any, Any | None]:
        """Return the probability of the number found and of one fewer, in numbers that need no SymPy."""
        after, fewer = in_fractions(self.result), self.fewer and in_fractions(self.fewer)
        return after.probability_destroyed, fewer and fewer.probability_destroyed

    def _data(self) -> dict[str, Any]:
        return {**super()._data(), "count": self.count, "probability": self.probability}

    def _pictures(self) -> Pictures:
        return self.result._pictures()  # noqa: SLF001 - of this folder

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel

        chance, less = self._chances()
        facts = {
            "needed": "none" if self.count is None else str(self.count),
            "wanted": percent(self.probability),
        }
        facts["P(destroyed)"] = chance
        if less is not None:
            facts["P(destroyed) by one fewer"] = less
        return Panel(self._line(), facts)


@together()
@passes_options
def needed(
    attacks: Attacking,
    target: Attackable,
    /,
    probability: float = 0.8,
    *,
    most: int = 100,
    **options: Unpack[AttackOptions],
) -> Needed:
    """Find how many weapons, or units, it takes to destroy a target with a given probability.

    Parameters
    ----------
    attacks
        A weapon or its stat line: copies of it in one unit. A volley, volleys or a unit of an army with the weapons
        of one phase: copies of the unit, one after another, each of which finds what the ones before it have left.
    target, **options
        As for :func:`mathhammer.wh40k.attack`.
    probability
        Above 0 and below 1.
    most
        The number after which the search ends, at most 1,000.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> lascannon = wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1")
    >>> found = wh40k.needed(lascannon, "TANK", 0.8, edition="10e")
    >>> found.count, wh40k.attack(lascannon, "TANK", count=found.count - 1, edition="10e").probability_destroyed < 0.8
    (16, True)
    """
    wanted = wanted_probability(probability)
    most = validation.whole(most, "most", 1, MAXIMUM)
    target = read_target(target, options.get("edition", DEFAULT_EDITION))
    weapon = attacks if isinstance(attacks, Weapon) else None
    if isinstance(attacks, str) and (volley := read_volley(attacks, MAXIMUM)).count == MAXIMUM:
        weapon = volley.weapon  # without a number: a unit may have any
    if not (name := getattr(weapon or attacks, "name", None)):
        name = f"({named(read_weapons(attacks, 1, target, **options), ' ')})"

    @cache
    def reached(count: int) -> AttackResult:
        if weapon is not None:
            return attack(weapon, target, count=count, **options)
        if count > 1:
            options["start"] = reached(count - 1)  # which the next unit finds
        return attack(attacks, target, **options)

    def enough(count: int) -> bool:
        return float(in_fractions(reached(count)).probability_destroyed) >= wanted - TOLERANCE

    low, high = 0, 1
    # More weapons are never worse: the number is doubled until it is enough, and the interval halved from there.
    while not enough(high) and high < most:
        low, high = high, high + 1 if weapon is None else min(2 * high, most)
    if not enough(high):
        return Needed(name, target.name, wanted, None, reached(high), None, most)
    least = bisect_left(range(high), True, low + 1, high, key=enough)  # noqa: FBT003 - what is sought
    fewer = reached(least - 1) if least > 1 else None
    return Needed(name, target.name, wanted, least, reached(least), fewer, most)


def wanted_probability(given: float, of: str = "") -> float:
    """Read the probability that is wanted, above 0 and below 1."""
    wanted = validation.instance(given, Real, f"a probability such as 0.8{of}")
    if not TOLERANCE < wanted < 1:
        remedy = f"; 80 % is 0.8, so write {float(wanted) / 100:g}" if 2 <= wanted < 100 else ""
        raise MathhammerError(f"expected a probability above 0 and below 1{of}, got {shown(given)}{remedy}")
    return float(wanted)
