"""Units that attack one target one after another: what each leaves to the next, and what each weapon did."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Unpack

from flint import fmpq

from mathhammer import validation
from mathhammer.arithmetic import mass_type
from mathhammer.display import Displayed
from mathhammer.display.numbers import number
from mathhammer.distributions.kernel import together
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.sequence.call import Reproducible, records_call
from mathhammer.sequence.shares import Share
from mathhammer.systems.wh40k.attacks.attack import read_weapons, resolved
from mathhammer.systems.wh40k.attacks.attack_sequence import AttackSequence
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.systems.wh40k.profiles.target_unit import require_objective
from mathhammer.systems.wh40k.profiles.targets import read_target
from mathhammer.systems.wh40k.profiles.volleys import MortalWounds, Volley, read_entries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.display.panel import Panel
    from mathhammer.sequence.unit_distribution import UnitDistribution
    from mathhammer.systems.wh40k.attacks.attack import Attacking, AttackOptions
    from mathhammer.systems.wh40k.attacks.result import AttackResult
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.target_unit import Objective, TargetUnit
    from mathhammer.systems.wh40k.profiles.targets import Attackable
    from mathhammer.systems.wh40k.situation import SituationKeywords

#: Most volleys of one unit whose orders are tried, 5,040 of them.
MAXIMUM_VOLLEYS = 7
#: Orders that differ by less are equally good: rounding shall not choose.
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
        parts = [sequence.shares(*each) for each in zip(cases.starts, cases.selections, strict=True)]
        return [
            Share(
                *(
                    sum(
                        (chance * mean for chance, mean in zip(cases.probabilities, means, strict=True)),
                        fmpq(0),
                    )
                    for means in zip(*row, strict=True)
                )
            )
            for row in zip(*parts, strict=True)
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
        names = ", ".join(
            each.source if isinstance(each, MortalWounds) else f"{each.count} × {each.weapon.name}"
            for each in self.volleys
        )
        return f"{names}: {self.result._line()}"  # noqa: SLF001 - what one displayed object is made of

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, Table

        after = self.result._panel()  # noqa: SLF001
        header, rows, notes = ["volley"], [[str(volley)] for volley in self.volleys], []
        try:
            shares = self._means
        except MathhammerError as error:  # that they cannot be separated is said below the result
            notes.append(f"Single volleys: {error}")
        else:
            header += ["models destroyed", "wounds lost", "attacks", "left over"]
            rows = [[*row, *map(number, share)] for row, share in zip(rows, shares, strict=True)]
        table = Table(header, rows, caption="In the order of the attacks, means")
        return Panel(after.title, after.facts, [table, *after.parts], notes, after.folded)


@together()
def activations(
    units: Sequence[Attacking],
    target: Attackable,
    /,
    *,
    order: Literal["given", "best"] = "given",
    objective: Objective | None = None,
    edition: str | Edition = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: UnitDistribution | None = None,
    **situation: Unpack[SituationKeywords],
) -> tuple[ActivationResult, ...]:
    """Resolve the attacks of several units on a target, one unit after another.

    Devastating wounds of a unit come after its own attacks and before those of the next unit.

    Parameters
    ----------
    units
        Of each unit a weapon, a volley, or several, or a unit of an army, as for :func:`mathhammer.wh40k.attack`.
    target
        The unit that is attacked.
    order
        ``"given"``, or ``"best"``: each unit's volleys in its best order, see :func:`best_order`.
    objective
        What ``"best"`` means: see :func:`best_order`.
    edition, rulings, exact, start, **situation
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> lascannon = wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1")
    >>> tank = wh40k.Target("Tank", toughness=10, save="3+", wounds=6)
    >>> one, two = wh40k.activations([wh40k.Volley(lascannon, 2), lascannon], tank, exact=True)
    >>> two.result.probability_destroyed > one.result.probability_destroyed
    True
    """
    validation.instance(
        units,
        (list, tuple),
        "a list of units, each of them a weapon or its volleys",
        "put one unit into a list",
    )
    if not units:
        raise MathhammerError("expected at least one unit, got none")
    validation.one_of(order, ("given", "best"), "order")
    if objective is not None:
        require_objective(objective)
    target = read_target(target, edition)
    options: AttackOptions = {"edition": edition, "rulings": rulings, "start": start, **situation}
    found: list[ActivationResult] = []
    for weapons in units:
        volleys = read_weapons(weapons, 1, target, exact=exact, **options)
        if order == "best":
            volleys = _in_best_order(volleys, target, objective, exact=exact, **options)
        found.append(_activation(volleys, target, objective=objective, exact=exact, **options))
        options["start"] = found[-1].result
    return tuple(found)


@together()
def best_order(
    weapons: Attacking,
    target: Attackable,
    /,
    *,
    objective: Objective | None = None,
    edition: str | Edition = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: UnitDistribution | None = None,
    **situation: Unpack[SituationKeywords],
) -> ActivationResult:
    """Resolve the volleys of a unit in the order that is best for the attacker.

    The order is chosen before the first roll. All orders are tried; of equally good ones the one nearest to that
    given is taken.

    Parameters
    ----------
    weapons
        The volleys.
    target
        The unit that is attacked.
    objective
        The greatest mean of ``"kills"``, ``"wounds_lost"`` or ``"points"``, or the greatest
        ``"probability_destroyed"``.
    edition, rulings, exact, start, **situation
        As for :func:`mathhammer.wh40k.attack`.

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
    options: AttackOptions = {"edition": edition, "rulings": rulings, "start": start, **situation}
    return activations([weapons], target, order="best", objective=objective, exact=exact, **options)[0]


def _in_best_order(
    volleys: Sequence[Volley | MortalWounds],
    target: Target | TargetUnit,
    objective: Objective | None,
    *,
    edition: str | Edition,
    rulings: Mapping[str, str] | None,
    exact: bool,
    start: UnitDistribution | None,
    **situation: Unpack[SituationKeywords],
) -> list[Volley | MortalWounds]:
    """Return volleys in the best order, of equally good ones in the nearest to that given."""
    if len(volleys) > MAXIMUM_VOLLEYS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_VOLLEYS} volleys to put in order, got {len(volleys)}; put equal weapons "
            "into one Volley, or give the order"
        )
    rules = find_edition(edition)
    ruled, entries = rules.ruled(rules.in_force(rulings)), read_entries(volleys, situation)
    sequence = AttackSequence(entries, target, ruled, objective, exact=exact)
    keys = [
        (volley.weapon, volley.count, volley.situation) if isinstance(volley, Volley) else place
        for place, volley in enumerate(volleys)
    ]
    alike, cases = [keys.index(key) for key in keys], sequence.cases(start)
    values: dict[tuple[int, ...], float] = {}
    for selection, before, probability in zip(*cases[:2], cases.probabilities, strict=True):
        for order, worth in sequence.by_order(alike, before, selection, cases=len(cases.starts)):
            values[order] = values.get(order, 0.0) + float(probability) * worth
    best, chosen = -1.0, tuple(range(len(volleys)))
    for order, value in values.items():
        if value > best + TOLERANCE * abs(best):
            best, chosen = value, order
    # Mortal wounds come after the normal damage in any case.
    apart = [volley for volley in volleys if isinstance(volley, MortalWounds)]
    return [*(volleys[place] for place in chosen if isinstance(volleys[place], Volley)), *apart]


@records_call("40k", "activation")
def _activation(
    volleys: Sequence[Volley | MortalWounds],
    target: Target | TargetUnit,
    *,
    objective: Objective | None,
    exact: bool,
    **options: Unpack[AttackOptions],
) -> ActivationResult:
    result = resolved(list(volleys), target, objective=objective, exact=exact, **options)
    return ActivationResult(tuple(volleys), result, options.get("start"))
