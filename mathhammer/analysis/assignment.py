"""Assignment of attackers to targets: units of one side over several targets, as well as it can be done."""

from __future__ import annotations

from functools import cache, partial, reduce
from math import inf
from operator import mul
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack, get_args

from mathhammer import validation
from mathhammer.analysis.attackers import (
    Rules,
    attack_of,
    edition_of,
    read_attackers,
    read_defenders,
    volleys_at,
)
from mathhammer.analysis.tabular import Answer
from mathhammer.arithmetic.pace import begin
from mathhammer.display.panel import HeatTable
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.systems.wh40k.attacks.focus_order import transitions
from mathhammer.validation import called

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mathhammer.analysis.attackers import Attacker, Attackers, Defender, Targets
    from mathhammer.systems.wh40k import Edition, SituationKeywords

    Masses = Mapping[int, float]

Objective = Literal["points", "points lost", "models", "all destroyed"]

#: Most products of a division of everybody and of a set and a state: some seconds.
MAXIMUM_PRODUCTS = 10_000_000
#: Most attackers, and most numbers of the matrices between the states of targets: about a second.
MAXIMUM_ATTACKERS, MAXIMUM_NUMBERS = 60, 500_000
#: Seconds of an exact attack from one state: most is Python's, which a browser slows down less than exact numbers.
_ATTACK = 5e-4
#: How often the bound is tightened.
_ROUNDS = 300


class _Aim(NamedTuple):
    """One target while it is attacked."""

    #: Of each attacker, from each state of the target, the states after and their probabilities.
    moves: Sequence[Mapping[int, Sequence[tuple[int, float]]]]
    #: Probabilities of its states before.
    before: Masses
    #: What each state is worth.
    worths: Sequence[float]

    def after(self, state: Masses, row: int) -> Masses:
        """Return the probabilities of the states after one more attacker."""
        found: dict[int, float] = {}
        for place, mass in state.items():
            for to, weight in self.moves[row][place]:
                found[to] = found.get(to, 0.0) + mass * weight
        return found

    def value(self, state: Masses) -> float:
        """Return what the target is worth on average."""
        return sum(mass * self.worths[place] for place, mass in state.items())


@called
def assign(
    attackers: Attackers,
    targets: Targets,
    *,
    objective: Objective = "points",
    kind: Literal["shooting", "melee", "both"] = "shooting",
    edition: str | Edition | None = None,
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    **situation: Unpack[SituationKeywords],
) -> Answer:
    """Find which attacker should attack which target; attackers of one target attack it in the order of the list.

    ``chosen`` has the place of each attacker's target, ``bound`` is an upper bound of all assignments, and ``gap`` its
    distance from this ``value``.

    Parameters
    ----------
    attackers
        An army, units or weapons, as for :func:`mathhammer.analysis.grid`. A unit uses the weapons that are
        best against the fresh target.
    targets
        Targets, units with leaders and models of several kinds among them.
    objective
        The expected ``"points"`` or ``"models"`` destroyed; ``"points lost"`` by the share of wounds, which sees what
        no attack destroys at once; or the probability that ``"all destroyed"`` comes true.
    kind
        The phase of units; with ``"both"`` what a unit shoots and what it fights are divided on their own, and all
        shooting comes first.
    exact
        Whether single attacks are computed in fractions, which takes longer and needs no NumPy.
    edition, rulings, **situation
        As for :func:`mathhammer.wh40k.attack`; the default edition is that of the army, if one is given.

    Notes
    -----
    Up to about 12 attackers every division is weighed, by dynamic programming over sets of attackers: the answer is the
    best there is. For more, divisions are improved move by move, and the bound is that of a linear program in which an
    attacker adds to a target at most the most that it can add to any state of it, by its Lagrangian dual.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifles = wh40k.Volley(wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP0 D1'), 10)
    >>> cannon = wh40k.Volley(wh40k.Weapon.parse('Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1'), 2)
    >>> plan = assign({"rifles": rifles, "cannon": cannon}, "GEQ, LIGHT")
    >>> plan.to_records()
    [{'attacker': 'rifles', 'target': 'GEQ'}, {'attacker': 'cannon', 'target': 'LIGHT'}]
    """
    validation.one_of(kind, ("shooting", "melee", "both"), "kind")
    validation.one_of(objective, get_args(Objective), "objective")
    validation.flag(exact, "exact")
    phases = ("shooting", "melee") if kind == "both" else (kind,)
    given = read_attackers(attackers)
    rows = [row for phase in phases for row in given if row.kind in {phase, "attack" * (phase == phases[0])}]
    edition = edition_of(edition, attackers, targets)
    columns = read_defenders(targets, edition)
    _require_few(rows, columns, objective, exact=exact)
    rules = Rules.of(edition, rulings, situation)
    fields = [_field(rows, column, rules, objective, exact=exact) for column in columns]
    product = objective == "all destroyed"
    edges = sum(len(after) for field in fields for moves in field.moves for after in moves.values())
    work = 3 ** len(rows) * len(fields) + 2 ** len(rows) * edges // len(rows)
    if work <= MAXIMUM_PRODUCTS:
        begin(work * 2e-7)
        chosen, value = _best_division(fields, len(rows), product=product)
        bound = value
    elif product:
        raise TooLargeError(
            f"expected at most {MAXIMUM_PRODUCTS:,} products of divisions and states for the objective {objective!r}, "
            f"got {work:,}; give fewer units or targets"
        )
    else:
        chosen, bound = _bounded(fields, len(rows))
        chosen, value = _improved(chosen, fields)
    bound = max(bound, value)
    labels = [column.label for column in columns]
    dealt = [[float(place == each) for each in range(len(columns))] for place in chosen]
    marks = [["✓" * bool(each) for each in row] for row in dealt]
    lines = list(zip([row.name for row in rows], dealt, strict=True))
    picture = partial(HeatTable, labels, lines, marks, "target", "attacker")
    dealing = zip(rows, chosen, strict=True)
    records = [{"attacker": row.name, "target": columns[place].label} for row, place in dealing]
    return Answer(
        "mathhammer.assignment",
        "Who attacks what",
        records,
        {"objective": objective, "value": value, "bound": bound, "gap": bound - value, "chosen": chosen},
        unshown=("gap", "chosen"),
        pictures={"attacks": picture},
    )


def _require_few(
    rows: Sequence[Attacker], columns: Sequence[Defender], objective: Objective, *, exact: bool
) -> None:
    """Refuse too many attackers and states, and targets without points where these count."""
    if not rows:
        raise MathhammerError("expected an attacker with weapons for the phase, got none")
    if len(rows) > MAXIMUM_ATTACKERS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKERS} attackers, got {len(rows)}; give fewer units"
        )
    numbers = len(rows) * sum(column.wounds**2 for column in columns)
    if numbers > MAXIMUM_NUMBERS:
        raise TooLargeError(
            "expected attackers times squares of the wounds of all targets to be at most "
            f"{MAXIMUM_NUMBERS:,} to divide them, got {numbers:,}; give fewer units or targets"
        )
    for column in columns:
        if objective.startswith("points") and not column.points:
            raise MathhammerError(
                f"expected targets with points, but {column.label!r} has none; use objective='models'"
            )
    if exact:
        begin(_ATTACK * len(rows) * sum(column.wounds for column in columns))


def _field(
    rows: Sequence[Attacker], column: Defender, rules: Rules, objective: Objective, *, exact: bool
) -> _Aim:
    """Return where each attacker leads from each state of a target, and what the states are worth."""
    if attack := attack_of(rules):
        if any(map(rules.situation.get, ("heal", "rally"))):
            raise MathhammerError("expected no heal or rally between attackers that are assigned, got some")
        # Points add up.
        results = [attack(row.attacks, column.target, exact=exact) for row in rows]
        laws, states = [result.wounds_lost for result in results], range(column.wounds + 1)
        moves = [
            {at: [(min(states[-1], at + more), float(mass)) for more, mass in law.items()] for at in states}
            for law in laws
        ]
        return _valued(moves, {0: 1.0}, column, objective, states, results[0].unit.coordinates())
    attacks = [volleys_at(row, column.target, rules, exact=exact) for row in rows]
    options: Any = {"edition": rules.edition, "rulings": rules.rulings, **rules.situation}
    # An attacker without any weapon that it can use leads nowhere.
    kinds = list(dict.fromkeys(tuple(each) for each in attacks if each))
    unit, before, found = transitions(kinds, column.target, exact=exact, **options)
    stay = {place: [(place, 1.0)] for place in range(unit.states)}
    moves = [found[kinds.index(tuple(each))] if each else stay for each in attacks]
    return _valued(moves, before, column, objective, list(unit.wounds_lost()), unit.coordinates())


def _valued(
    moves: Sequence[Mapping[int, Sequence[tuple[int, float]]]],
    before: Masses,
    column: Defender,
    objective: Objective,
    lost: Sequence[int],
    states: Sequence[tuple[int, ...]],
) -> _Aim:
    """Return a target whose states have a worth."""
    killed = [list(state[::2]) for state in states]
    first, last = next(iter(before)), len(lost) - 1
    values: dict[str, Callable[[int], float]] = {
        "points": lambda state: sum(
            each * (kind.points or 0) / kind.models
            for kind, each in zip(column.kinds, killed[state], strict=True)
        ),
        "points lost": lambda state: (
            (column.points or 0) * (lost[state] - lost[first]) / (lost[last] - lost[first])
        ),
        "models": lambda state: sum(killed[state]),
        "all destroyed": lambda state: state == last,
    }
    return _Aim(moves, before, [float(values[objective](state)) for state in range(last + 1)])


def _best_division(fields: Sequence[_Aim], attackers: int, *, product: bool) -> tuple[list[int], float]:
    """Weigh every division of the attackers over the targets: sets of attackers are bits of a number."""
    best, parts = [1.0 if product else 0.0] + [-inf] * ((1 << attackers) - 1), []
    for field in fields:
        states = [field.before]
        for row in range(attackers):
            states += [field.after(state, row) for state in states]
        value, before = list(map(field.value, states)), best
        best, part = [-inf] * len(states), [0] * len(states)
        for everybody in range(len(states)):
            group = everybody
            while group >= 0:  # each part of everybody, the empty one last
                rest = before[everybody ^ group]
                found = rest * value[group] if product and rest >= 0 else rest + value[group]
                if found >= best[everybody]:
                    best[everybody], part[everybody] = found, group
                group = (group - 1) & everybody if group else -1
        parts.append(part)
    chosen, remaining = [0] * attackers, (1 << attackers) - 1
    for column, part in reversed([*enumerate(parts)]):
        group = part[remaining]
        chosen = [column if group >> row & 1 else before for row, before in enumerate(chosen)]
        remaining ^= group
    return chosen, best[-1]


def _bounded(fields: Sequence[_Aim], attackers: int) -> tuple[list[int], float]:
    """Return a division and what none exceeds, by subgradients of the dual of the bounding program.

    Of the points of a target a part is given away, and each attacker gains the rest where that is most.
    """
    gains = [
        [
            max(field.value(dict(after)) - field.worths[place] for place, after in field.moves[row].items())
            for field in fields
        ]
        for row in range(attackers)
    ]
    floor = [field.value(field.before) for field in fields]
    most = [max(field.worths) - least for field, least in zip(fields, floor, strict=True)]
    shares, chosen, bound = [1.0] * len(fields), [0] * attackers, inf
    for number in range(1, _ROUNDS + 1):
        worths = [[*map(mul, row, shares)] for row in gains]
        places = [max(range(len(row)), key=row.__getitem__) for row in worths]
        given = sum(each * (1 - share) for each, share in zip(most, shares, strict=True))
        found = sum(floor) + given + sum(map(max, worths))
        if found < bound:
            chosen, bound = places, found
        slopes = [-each for each in most]
        for row, place in zip(gains, places, strict=True):
            slopes[place] += row[place]
        step = 1 / ((max(map(abs, slopes)) or 1.0) * number**0.5)
        moved = (share - step * slope for share, slope in zip(shares, slopes, strict=True))
        shares = [min(1.0, max(0.0, share)) for share in moved]
    return chosen, bound


def _improved(chosen: list[int], fields: Sequence[_Aim]) -> tuple[list[int], float]:
    """Move one attacker at a time, or swap two, while that helps."""

    @cache
    def value_of(column: int, group: tuple[int, ...]) -> float:
        return fields[column].value(reduce(fields[column].after, group, fields[column].before))

    def value(plan: list[int], columns: Iterable[int]) -> float:
        return sum(
            value_of(each, tuple(row for row, at in enumerate(plan) if at == each)) for each in columns
        )

    rows = range(len(chosen))
    while True:
        moves = [{row: column} for row in rows for column in range(len(fields))]
        swaps = [{row: chosen[other], other: chosen[row]} for row in rows for other in range(row)]
        for moved in moves + swaps:
            columns = {chosen[row] for row in moved}.union(moved.values())
            plan = [moved.get(row, at) for row, at in enumerate(chosen)]
            if value(plan, columns) > value(chosen, columns) * (1 + 1e-12):
                chosen = plan
                break
        else:
            return chosen, value(chosen, range(len(fields)))
