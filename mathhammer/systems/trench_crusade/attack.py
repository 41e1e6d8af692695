"""Attacks on one model, one after another: the public entry of the system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, permutations, starmap
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from mathhammer import validation
from mathhammer.distributions import CategoricalDistribution, decisions
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.sequence.call import records_call
from mathhammer.systems.trench_crusade.compilation import RollStage, as_activations, compiled, cut_off
from mathhammer.systems.trench_crusade.game import SIDES, Game, PlannedReply, PlannedSpend, State, condition
from mathhammer.systems.trench_crusade.keywords import several
from mathhammer.systems.trench_crusade.profiles import Attacker, Target
from mathhammer.systems.trench_crusade.result import (
    EVENTS,
    AttackResult,
    Plan,
    SpendPolicy,
    following,
    plan_in_words,
)
from mathhammer.systems.trench_crusade.rulings import EDITIONS, in_force
from mathhammer.systems.trench_crusade.situation import (
    Activation,
    Reply,
    SituationKeywords,
    Spend,
    SpentT,
    TargetActivation,
    fixed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.systems.trench_crusade.compilation import Given, Item
    from mathhammer.systems.trench_crusade.game import Position

#: Most attackers whose orders are all tried, and most positions of all.
MAXIMUM_ORDERED, MAXIMUM_POSITIONS = 5, decisions.MAXIMUM_POSITIONS
OBJECTIVES = ("out of action", "down or worse")
"""Objectives of a plan: what it makes most likely."""

Spending = PlannedSpend | Sequence[PlannedSpend] | Plan | SpendPolicy | Literal["best", "nothing"] | None
Replying = PlannedReply | Sequence[PlannedReply] | Literal["best", "nothing"] | None


@records_call("tc")
def attack(
    attacks: Given,
    target: Target | str,
    *,
    edition: str = "1.0.2",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    attacker: Attacker | str | None = None,
    spend: Spending = None,
    reply: Replying = None,
    objective: str = "out of action",
    spends_first: str | None = None,
    initiative: str | None = None,
    **situation: Unpack[SituationKeywords],
) -> AttackResult:
    """Distribution of what attacks do to one model, markers and all.

    Parameters
    ----------
    attacks
        A weapon (with the situation in keyword arguments), an `Attack`, an `Activation` of several, or a sequence of
        these and of `TargetActivation`. A weapon may be the name of a common one, or a line such as
        ``"Halberd (melee): +1 INJURY DICE, CRITICAL"``.
    target
        The model attacked, or its line, ``"Yeoman: armour standard, Trench Shield, Blood 2 [TOUGH]"``.
    edition
        ``"1.0.2"`` or ``"beta_2026_04"``.
    rulings
        Options for disputed points, by name.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.
    attacker
        Who makes the attacks that are in no `Activation`, or the line, ``"Yeoman: Ranged +1 [STRONG]"``.
    spend
        What the attacking player spends: ``"nothing"`` (the default), ``"best"``, or a `Spend` for every attack or
        one for each. A function from the `State` before a roll to a `Spend` may stand for one. The ``plan`` of a
        result is followed where it is given for the same attacks on the same target, or a `SpendPolicy`.
    reply
        What the defending player spends: ``"nothing"``, ``"best"``, or a `Reply` for every attack or each.
    objective
        What ``"best"`` makes most likely: ``"out of action"`` or ``"down or worse"``. The defender wants the opposite.
    spends_first
        ``"attacker"`` or ``"defender"``: who spends first on each roll. Both at their best need this or the next.
    initiative
        ``"attacker"`` or ``"defender"``: who chooses, for each roll, who spends first.
    **situation
        Fields of `Attack`, where a weapon is given: see :class:`mathhammer.trench_crusade.SituationKeywords`.

    Examples
    --------
    >>> pilgrim = "Trench Pilgrim: armour standard, Trench Shield, Blood 2"
    >>> attack("Shotgun", pilgrim, long_range=True, cover=True, exact=True).probability_out_of_action
    49/3888

    Trench Crusade rules 1.0.2, Ranged Attacks; Melee Attacks; Injuries; Blood Markers and Blessing Markers.
    """
    target = Target.given(target, "a Target to attack, or its line")
    if attacker is not None:
        attacker = Attacker.given(attacker, "an Attacker, or its line")
    validation.flag(exact, "exact")
    rules = validation.one_of(edition, EDITIONS, "the edition"), in_force(rulings)
    validation.one_of(objective, OBJECTIVES, "an objective")
    followed = spend if isinstance(spend, Plan | SpendPolicy) else None
    spend = "best" if followed is not None else spend
    activations = as_activations(attacks, attacker, situation)
    items, attackers = compiled(activations, target, *rules)
    _require_order(spend, reply, spends_first, initiative)
    plans = _plans(spend, Spend, items), _plans(reply, Reply, items)
    game = Game([*items, None], *plans, spends_first, initiative or SIDES[0])
    start = game.arrive(0, State(tuple(map(condition, (target, *attackers)))))
    _require_payable(spend, game, start)
    choices: dict[Position, int] = {}
    if "best" in (spend, reply):
        decisions.require_positions(game.fewest_positions(start))
        worth = EVENTS[objective]
        choices |= decisions.best_plan(
            following(game, followed, choices), [start], lambda end: int(worth(end.state))
        )
    plan = plan_in_words(game, start, choices, objective)
    ends = decisions.end_distribution(
        game.decision, CategoricalDistribution.certain(start, exact=True), choices
    )
    states = ends.map(lambda position: position.state)
    return AttackResult(*rules, states if exact else states.to_floats(), plan)


def best_order(
    activations: Sequence[Activation], target: Target | str, *, exact: bool = False, **options: Any
) -> AttackResult:
    """Distribution of the attacks of several models in the order that serves the attacker best: a Fireteam's plan.

    Options are those of `attack`: ``objective`` is what the order makes most likely.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> rifle = tc.Activation(tc.Attack(weapon=tc.WEAPONS["Bolt-Action Rifle"]), tc.Attacker("Yeoman"))
    >>> charge = tc.Activation(tc.Attack(weapon=tc.WEAPONS["Sword"]), tc.Attacker("Lieutenant", melee=1))
    >>> best_order([charge, rifle], tc.Target(armour="standard"), spend="best").order
    ('Yeoman', 'Lieutenant')
    """
    kinds = Activation, TargetActivation
    given = several(activations, kinds, "Activations to order", MAXIMUM_ORDERED)
    if not given:
        raise MathhammerError("expected at least one Activation to order, got none")
    exact = validation.flag(exact, "exact")
    for name in ("spend", "reply"):
        if isinstance(options.get(name), list | tuple):
            raise MathhammerError(
                f"expected one value or 'best' as {name} while the order is open, got several"
            )
    possible = [order for order in permutations(given) if not any(starmap(cut_off, pairwise(order)))]
    # Where no order is possible, the first one says why.
    orders = possible or [given]
    results: list[AttackResult] = []
    for order in orders:
        results.append(attack(order, target, exact=True, **options))
        if sum(len(result.plan.game.known) for result in results) > MAXIMUM_POSITIONS and len(results) < len(
            orders
        ):
            raise TooLargeError(
                f"expected {len(orders)} orders with at most {MAXIMUM_POSITIONS:,} positions together, got more; "
                "order fewer Activations, with fewer attacks or markers, or give a fixed plan"
            )
    objective = options.get("objective", OBJECTIVES[0])
    best = max(range(len(results)), key=lambda place: results[place].value(objective))
    if exact:
        return results[best]
    return attack(orders[best], target, exact=False, **options)


def _require_payable(spend: Spending, game: Game, start: Position) -> None:
    """Refuse a Bloodbath of a single attack that nobody can pay: it would be left out in silence."""
    single = spend[0] if isinstance(spend, list | tuple) and len(spend) == 1 else spend
    if len(game.items) != 2 or not isinstance(single, Spend) or not single.bloodbath:
        return
    cost, there = game.price(start), game.target.blood + game.target.infection
    if there < cost:
        raise MathhammerError(
            f"expected {cost} Blood or Infection Markers on the target for a Bloodbath, got {there}; leave out "
            "bloodbath=True, or give the target its markers"
        )


def _require_order(spend: Spending, reply: Replying, first: str | None, initiative: str | None) -> None:
    """Refuse to decide who spends first, where that moves the answer."""
    for name, value in (("spends_first", first), ("initiative", initiative)):
        if value is not None:
            validation.one_of(value, SIDES, name)
    if first and initiative:
        raise MathhammerError("expected spends_first=... or initiative=..., got both; leave out one of them")
    both = all(isinstance(each, str) and each == "best" for each in (spend, reply))
    if both and not (first or initiative):
        raise MathhammerError(
            "expected who spends first where both sides play their best, for it moves the answer: give "
            "spends_first='attacker' or spends_first='defender', or initiative=... for the one who chooses"
        )


def _plans(
    given: object, kind: type[SpentT], items: Sequence[Item]
) -> list[SpentT | Callable[[State], SpentT] | None]:
    if isinstance(given, str) and given == "best":
        return [None] * len(items)
    count = sum(isinstance(item, RollStage) for item in items)
    alone = isinstance(given, str) or not isinstance(given, Sequence)
    values: list[Any] = [given] * count if alone else list(cast("Any", given)[: count + 1])
    for place, each in enumerate(values):
        if not callable(each) or isinstance(each, type):  # a class is no function of the state
            values[place] = fixed(each, kind, ", several of them, 'nothing' or 'best'")
    if len(values) != count:
        raise MathhammerError(
            f"expected one {kind.__name__} for each of {count} attacks, got {len(cast('Any', given))}"
        )
    left = iter(values)
    return [next(left) if isinstance(item, RollStage) else kind() for item in items]
