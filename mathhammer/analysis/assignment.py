"""Assignment of attackers to targets: units of one side over several targets, as well as it can be done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import (
    Rules,
    UnnamedVolley,
    edition_of,
    read_attackers,
    read_defenders,
    volleys_at,
)
from mathhammer.analysis.blocks import Block
from mathhammer.analysis.tabular import Answer
from mathhammer.arithmetic.products import matrix_product
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.profiles.target_unit import points_destroyed
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mathhammer.analysis.attackers import Attacker, Attackers, Defender, Targets
    from mathhammer.systems.wh40k.profiles.volleys import Volley
    from mathhammer.systems.wh40k.situation import SituationKeywords

    Floats = NDArray[np.float64]

Objective = Literal["points", "points lost", "models", "all destroyed"]

#: Most attackers over whose every division the best is looked for: 3 ** 12 for each target.
MAXIMUM_EXACT = 12
#: Most attackers, and most numbers of the matrices between the states of targets: about a second.
MAXIMUM_ATTACKERS, MAXIMUM_NUMBERS = 60, 500_000


def assign(
    attackers: Attackers,
    targets: Targets,
    *,
    objective: Objective = "points",
    kind: Literal["shooting", "melee"] = "shooting",
    edition: str | None = None,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> Answer:
    """Find which attacker should attack which target; attackers of one target attack it in the order of the list.

    ``chosen`` has the place of each attacker's target, ``bound`` is what no assignment exceeds, and ``gap`` by how much
    the best can be better than this ``value``.

    Parameters
    ----------
    attackers
        An army, units or weapons, as for :func:`mathhammer.analysis.grid`. A unit uses the weapons that are
        best against the fresh target.
    targets
        Targets of equal models.
    objective
        The expected ``"points"`` or ``"models"`` destroyed; ``"points lost"`` by the share of wounds, which sees what
        no attack destroys at once; or the probability that ``"all destroyed"`` comes true.
    kind
        The phase of units.
    edition, rulings, **situation
        As for :func:`mathhammer.wh40k.attack`; the edition is that of an army that is given, unless said.

    Notes
    -----
    Up to 12 attackers every division is weighed, by dynamic programming over sets of attackers: the answer is the best
    there is. For more, a linear program in whole numbers (SciPy's ``milp``), in which an attacker adds at most the most
    that it can add to any state of the target, gives the bound; its solution is improved move by move.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifles = wh40k.Volley(wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP0 D1'), 10)
    >>> cannon = wh40k.Volley(wh40k.Weapon.parse('Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1'), 2)
    >>> plan = assign({"rifles": rifles, "cannon": cannon}, "GEQ, LIGHT")
    >>> plan.to_records()
    [{'attacker': 'rifles', 'target': 'GEQ'}, {'attacker': 'cannon', 'target': 'LIGHT'}]
    """
    validation.one_of(kind, ("shooting", "melee"), "kind")
    rows = [row for row in read_attackers(attackers) if row.kind in {"attack", kind}]
    edition = edition_of(edition, attackers, targets)
    columns = read_defenders(targets, edition)
    uniform = list(_checked(rows, columns, objective))
    rules = Rules.of(edition, rulings, situation)
    matrices = (_matrices([volleys_at(row, each, rules) for row in rows], each, rules) for each in uniform)
    moves = [list(each) for each in zip(*matrices, strict=True)]
    worths = [_worth(target, objective) for target in uniform]
    if len(rows) <= MAXIMUM_EXACT:
        chosen, value = _best_division(moves, worths, product=objective == "all destroyed")
        bound = value
    else:
        chosen, bound = _by_program(moves, worths)
        chosen, value = _improved(chosen, moves, worths)
    bound = max(bound, value)
    records = [
        {"attacker": row.name, "target": columns[place].label}
        for row, place in zip(rows, chosen, strict=True)
    ]
    return Answer(
        "mathhammer.assignment",
        "Who attacks what",
        records,
        {"objective": objective, "value": value, "bound": bound, "gap": bound - value, "chosen": chosen},
        unshown=("gap", "chosen"),
    )


def _checked(rows: Sequence[Attacker], columns: Sequence[Defender], objective: Objective) -> Iterator[Target]:
    """Yield the targets, which are of equal models and few enough."""
    validation.one_of(objective, ("points", "points lost", "models", "all destroyed"), "objective")
    if not rows:
        raise MathhammerError("expected an attacker with weapons for the phase, got none")
    most = MAXIMUM_EXACT if objective == "all destroyed" else MAXIMUM_ATTACKERS
    if len(rows) > most:
        raise TooLargeError(
            f"expected at most {most} attackers for the objective {objective!r}, got {len(rows)}; give fewer units"
        )
    numbers = len(rows) * sum(column.wounds**2 for column in columns)
    if numbers > MAXIMUM_NUMBERS:
        raise TooLargeError(
            "expected attackers times squares of the wounds of all targets to be at most "
            f"{MAXIMUM_NUMBERS:,} to divide them, got {numbers:,}; give fewer units or targets"
        )
    for column in columns:
        target = column.target
        if not isinstance(target, Target):
            raise MathhammerError(
                f"expected targets of equal models to divide attackers over, got {shown(column.label)}; "
                "a unit's as_target() takes its models as equal"
            )
        if target.damage_to_0:
            raise MathhammerError(
                f"expected targets without damage_to_0 to divide attackers over, got {column.label!r}: a Damage "
                "changed to 0 happens once for all attackers; leave it out"
            )
        if objective.startswith("points") and not column.points:
            raise MathhammerError(
                f"expected targets with points, but {column.label!r} has none; use objective='models'"
            )
        yield target


def _worth(target: Target, objective: Objective) -> Floats:
    """Return what each state of a target is worth, by the wounds that it loses here."""
    lost = np.arange(target.wounds_lost, target.models * target.wounds + 1)
    models = lost // target.wounds
    worths: dict[str, Any] = {
        "points": points_destroyed([target], [models]),
        "points lost": target.points * np.linspace(0, 1, len(lost)) if target.points else None,
        "models": models,
        "all destroyed": models == target.models,
    }
    return np.asarray(worths[objective], dtype=np.float64)


def _matrices(attacks: Sequence[Sequence[Volley]], target: Target, rules: Rules) -> list[Floats]:
    """Return for each attacker the matrix from the state of a target before to the one after.

    A state is the number of wounds that it has lost here; what is left of it in each of them is a target too.
    """
    states = target.models * target.wounds - target.wounds_lost + 1
    left = [
        replace(target, models=target.models - lost // target.wounds, wounds_lost=lost % target.wounds)
        for lost in range(target.wounds_lost, target.models * target.wounds)
    ]
    rows = tuple(tuple(UnnamedVolley.of(each, rules.situation) for each in volleys) for volleys in attacks)
    results, _ = Block(rows, tuple(left), replace(rules, losses=True)).compute()
    matrices = [np.eye(states) for _ in attacks]
    for row, matrix in enumerate(matrices):
        for state, losses in enumerate(results.losses):
            matrix[state, state:] = losses[row]
    return matrices


def _best_division(
    moves: list[list[Floats]], worths: list[Floats], *, product: bool
) -> tuple[list[int], float]:
    """Weigh every division of the attackers over the targets: sets of attackers are bits of a number."""
    attackers, targets = len(moves), len(worths)
    everybody = np.arange(1 << attackers)
    values = [_of_sets([row[column] for row in moves], worths[column]) for column in range(targets)]
    best, parts = values[0], []
    for value in values[1:]:
        most, part = np.full(len(everybody), -np.inf), np.zeros(len(everybody), dtype=np.intp)
        for group in everybody.tolist():
            sets = everybody[(everybody & group) == group]
            rest = best[sets ^ group]
            candidate = rest * value[group] if product else rest + value[group]
            better = candidate > most[sets]
            most[sets[better]] = candidate[better]
            part[sets[better]] = group
        best = most
        parts.append(part)
    chosen, remaining = [0] * attackers, (1 << attackers) - 1
    for column in range(targets - 1, 0, -1):
        group = int(parts[column - 1][remaining])
        chosen = [column if group >> row & 1 else before for row, before in enumerate(chosen)]
        remaining ^= group
    return chosen, float(best[-1])


def _of_sets(moves: list[Floats], worth: Floats) -> Floats:
    """Value of one target after each set of attackers, who attack in the order of the list."""
    distributions = np.eye(1, len(worth))
    for move in moves:
        distributions = np.concatenate((distributions, matrix_product(distributions, move)))
    return matrix_product(distributions, worth[:, None])[:, 0]


def _by_program(moves: list[list[Floats]], worths: list[Floats]) -> tuple[list[int], float]:
    """Solve the bounding program: an attacker adds at most what it adds to the state that suits it best."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    attackers, targets = len(moves), len(worths)
    ends = [worth[:, None] for worth in worths]
    gains = [
        [(matrix_product(*pair) - pair[1]).max() for pair in zip(row, ends, strict=True)] for row in moves
    ]
    # The variables: which attacker attacks which target, then what each target yields.
    pairs = attackers * targets
    once = np.hstack((np.kron(np.eye(attackers), np.ones(targets)), np.zeros((attackers, targets))))
    yields = np.hstack((-np.vstack([np.diag(row) for row in gains]).T, np.eye(targets)))
    most = np.concatenate((np.ones(pairs), [worth[-1] - worth[0] for worth in worths]))
    is_pair = np.arange(pairs + targets) < pairs
    solved = milp(
        is_pair - 1.0,
        integrality=is_pair,
        bounds=Bounds(0, most),
        constraints=[LinearConstraint(once, 1, 1), LinearConstraint(yields, -np.inf, 0)],
        options={"time_limit": 10.0},
    )
    if solved.x is None:
        raise MathhammerError(f"expected the program of the assignment to be solved, but {solved.message}")
    chosen = solved.x[:pairs].reshape(attackers, targets).argmax(axis=1).tolist()
    # The solver's own bound holds even where its time was up before it had proved the best.
    return chosen, float(-solved.mip_dual_bound + sum(worth[0] for worth in worths))


def _improved(chosen: list[int], moves: list[list[Floats]], worths: list[Floats]) -> tuple[list[int], float]:
    """Move one attacker at a time, or swap two, while that helps."""

    def value_of(plan: list[int]) -> float:
        total = 0.0
        for column, worth in enumerate(worths):
            distribution = np.eye(1, len(worth))
            for row, target in enumerate(plan):
                if target == column:
                    distribution = matrix_product(distribution, moves[row][column])
            total += float(distribution[0] @ worth)
        return total

    value = value_of(chosen)
    while True:
        tried = ((value_of(each), each) for each in _neighbours(chosen, len(worths)))
        better = next((each for each in tried if each[0] > value * (1 + 1e-12)), None)
        if better is None:
            return chosen, value
        value, chosen = better


def _neighbours(chosen: list[int], targets: int) -> Iterator[list[int]]:
    for row, present in enumerate(chosen):
        before, after = chosen[:row], chosen[row + 1 :]
        yield from ([*before, column, *after] for column in range(targets) if column != present)
        for other in range(row):
            if chosen[other] != present:
                yield [*before[:other], present, *before[other + 1 :], chosen[other], *after]
