"""Attacks on one model, one after another: the public entry of the system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, pairwise, permutations, starmap
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from mathhammer import validation
from mathhammer.distributions import CategoricalDistribution, decisions
from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError
from mathhammer.sequence.call import records_call
from mathhammer.sequence.rulings import rulings_in_force
from mathhammer.systems.trench_crusade.game import SIDES, Game, PlannedReply, PlannedSpend, State, condition
from mathhammer.systems.trench_crusade.profiles import Attacker, Target, Weapon
from mathhammer.systems.trench_crusade.result import (
    EVENTS,
    AttackResult,
    Plan,
    SpendPolicy,
    following,
    in_words,
)
from mathhammer.systems.trench_crusade.rolls import RollStage
from mathhammer.systems.trench_crusade.rules import EDITIONS, RULINGS, several
from mathhammer.systems.trench_crusade.situation import (
    MAXIMUM_ATTACKS,
    Activation,
    Armed,
    Attack,
    Reply,
    SituationKeywords,
    Spend,
    SpentT,
    TargetActivation,
    as_attacks,
    fixed,
)
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.trench_crusade.game import Position

#: Most attackers whose orders are all tried, and most positions of all.
MAXIMUM_ORDERED, MAXIMUM_POSITIONS = 5, decisions.MAXIMUM_POSITIONS
OBJECTIVES = ("out of action", "down or worse")
"""Objectives of a plan: what it makes most likely."""

Given = Armed | Activation | Sequence[Armed | Activation | TargetActivation]
Spending = PlannedSpend | Sequence[PlannedSpend] | Plan | SpendPolicy | Literal["best", "nothing"] | None
Replying = PlannedReply | Sequence[PlannedReply] | Literal["best", "nothing"] | None
_ARMED = (Attack, Weapon, str)
_ATTACKS = "a Weapon, Attacks, Activations or TargetActivations"


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
    edition, rulings, exact
        ``"1.0.2"`` or ``"beta_2026_04"``; options for disputed points, by name; and whether probabilities are
        ``sympy.Rational`` rather than ``float``.
    attacker
        Who makes the attacks that are in no `Activation`, or the line, ``"Yeoman: Ranged +1 [STRONG]"``.
    spend
        What the attacking player spends: ``"nothing"`` (the default), ``"best"``, or the same on every attack,
        ``"blood 2, success 1"`` or ``"bloodbath"``, or one for each. One may be a `Spend`, or a function from the
        `State` before a roll to one. The ``plan`` of a result is followed where it is given for the same attacks on
        the same target, or a `SpendPolicy`.
    reply
        What the defending player spends: ``"nothing"``, ``"best"``, or markers, ``"blessing 1"``. It may be a `Reply`.
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
    rules = validation.one_of(edition, EDITIONS, "the edition"), rulings_in_force(RULINGS, rulings)
    validation.one_of(objective, OBJECTIVES, "an objective")
    followed = spend if isinstance(spend, Plan | SpendPolicy) else None
    spend = "best" if followed is not None else spend
    items, attackers = compiled(_activations(attacks, attacker, situation), target, *rules)
    for name, value in (("spends_first", spends_first), ("initiative", initiative)):
        if value is not None:
            validation.one_of(value, SIDES, name)
    if spends_first and initiative:
        raise MathhammerError("expected spends_first=... or initiative=..., got both; leave out one of them")
    best = [isinstance(each, str) and each == "best" for each in (spend, reply)]
    if all(best) and not (spends_first or initiative):
        raise MathhammerError(
            "expected who spends first where both sides play their best, for it moves the answer: give "
            "spends_first='attacker' or spends_first='defender', or initiative=... for the one who chooses"
        )
    plans = [*zip(_plans(spend, Spend, items), _plans(reply, Reply, items), strict=True)]
    game = Game([*items, None], plans, spends_first, initiative or SIDES[0])
    start = game.arrive(0, State(tuple(map(condition, (target, *attackers)))))
    alone, there = plans[0][0], target.blood + target.infection
    paid = len(items) == 1 and isinstance(alone, Spend) and alone.bloodbath
    if paid and there < (cost := game.price(start)):  # it would be left out in silence
        raise MathhammerError(
            f"expected {cost} Blood or Infection Markers on the target for a Bloodbath, got {there}; leave out "
            "bloodbath=True, or give the target its markers"
        )
    choices: dict[Position, int] = {}
    if any(best):
        decisions.require_positions(game.fewest_positions(start))
        worth = EVENTS[objective]
        played = following(game, followed, choices)
        choices |= decisions.best_plan(played, [start], lambda end: int(worth(end.state)))
    reached = decisions.reached(game.decision, [start], choices)
    chosen = {position: choices[position] for position, _ in reached if position in choices}
    plan = Plan(tuple(in_words(game, chosen)), objective, choices, game, start)
    certain = CategoricalDistribution.certain(start, exact=True)
    states = decisions.end_distribution(game.decision, certain, choices).map(lambda end: end.state)
    return AttackResult(*rules, states if exact else states.to_floats(), plan)


def best_order(
    activations: Sequence[Activation], target: Target | str, *, exact: bool = False, **options: Any
) -> AttackResult:
    """Distribution of the attacks of several models in the order that serves the attacker best: a Fireteam's plan.

    Options are those of `attack`: ``objective`` is what the order makes most likely.

    Examples
    --------
    >>> rifle = Activation("Bolt-Action Rifle", Attacker("Yeoman"))
    >>> charge = Activation("Sword", Attacker("Lieutenant", melee=1))
    >>> best_order([charge, rifle], Target(armour="standard"), spend="best").order
    ('Yeoman', 'Lieutenant')
    """
    given = several(activations, (Activation, TargetActivation), "Activations to order", MAXIMUM_ORDERED)
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
        positions = sum(len(result.plan.game.known) for result in results)
        if positions > MAXIMUM_POSITIONS and len(results) < len(orders):
            raise TooLargeError(
                f"expected {len(orders)} orders with at most {MAXIMUM_POSITIONS:,} positions together, got more; "
                "order fewer Activations, with fewer attacks or markers, or give a fixed plan"
            )
    objective = options.get("objective", OBJECTIVES[0])
    best = max(range(len(results)), key=lambda place: results[place].value(objective))
    return results[best] if exact else attack(orders[best], target, exact=False, **options)


def _plans(
    given: Any, kind: type[SpentT], items: Sequence[RollStage | TargetActivation]
) -> list[SpentT | Callable[[State], SpentT] | None]:
    if isinstance(given, str) and given == "best":
        return [None] * len(items)
    count = sum(isinstance(item, RollStage) for item in items)
    alone = isinstance(given, str) or not isinstance(given, Sequence)
    values: list[Any] = [given] * count if alone else list(given[: count + 1])
    for place, each in enumerate(values):
        if not callable(each) or isinstance(each, type):  # a class is no function of the state
            values[place] = fixed(each, kind, ", several of them, 'nothing' or 'best'")
    if len(values) != count:
        raise MathhammerError(f"expected one {kind.__name__} for each of {count} attacks, got {len(given)}")
    left = iter(values)
    return [next(left) if isinstance(item, RollStage) else kind() for item in items]


def _activations(
    attacks: Given, attacker: Attacker | None, situation: SituationKeywords
) -> list[Activation | TargetActivation]:
    """Return the Activations; attacks that are in none make one together."""
    own = attacker or Attacker()
    for name in situation.keys() - SituationKeywords.__annotations__.keys():
        hint = validation.nearest(name, SituationKeywords.__annotations__)
        raise UnknownNameError(f"expected a keyword of an attack, got {shown(name)}; {hint}")
    given = [attacks] if isinstance(attacks, (*_ARMED, Activation)) else attacks
    items = several(given, (*_ARMED, Activation, TargetActivation), _ATTACKS, 2 * MAXIMUM_ATTACKS)
    if situation and not all(isinstance(item, Weapon | str) for item in items):
        raise MathhammerError(
            f"expected the situation inside each Attack, got {', '.join(situation)} beside attacks; "
            "write Attack(weapon=..., ...)"
        )
    items = tuple(Attack(weapon=item, **situation) for item in items) if situation else items
    found: list[Activation | TargetActivation] = []
    for loose, run in groupby(items, lambda item: isinstance(item, _ARMED)):
        together = tuple(run)
        found += [Activation(as_attacks(together, _ATTACKS), own)] if loose else together
    if not any(isinstance(item, Activation) for item in found):
        raise MathhammerError("expected at least one attack, got none")
    return found


def compiled(
    activations: Sequence[Activation | TargetActivation],
    target: Target,
    edition: str,
    rulings: Rulings,
    *,
    places: Sequence[int] = range(1, MAXIMUM_ATTACKS + 1),
    aim: int = 0,
    side: int = 0,
) -> tuple[list[RollStage | TargetActivation], list[Attacker]]:
    """Return every single attack in order, and the models with markers of their own (Keywords, FIRETEAM)."""
    count = sum(each.copies for made in activations if isinstance(made, Activation) for each in made.attacks)
    if count > MAXIMUM_ATTACKS:
        raise TooLargeError(f"expected at most {MAXIMUM_ATTACKS} attacks, got {count}; use fewer")
    attackers: list[Attacker] = []
    items: list[RollStage | TargetActivation] = []
    before: Activation | None = None
    partner: int | None = None  # the place of the first model of a joint Activation
    together: list[RollStage] = []
    for activation in activations:
        if isinstance(activation, TargetActivation):
            items.append(activation)
            before = None
            continue
        joint = before is not None and before.fireteam and activation.fireteam
        if joint and partner is None:
            raise MathhammerError(
                "expected two Activations in a row in a Fireteam, got three; put what happens between two Fireteams "
                "between them, or leave out fireteam=True"
            )
        if before and cut_off(before, activation):
            raise MathhammerError(
                f"expected no attack of {activation.attacker.name} after one with RELOAD, which ends the joint "
                f"Activation of the Fireteam; put the Activation of {before.attacker.name} last"
            )
        # Equal attackers are one model, unless they are partners.
        same = (place for place, known in enumerate(attackers) if known == activation.attacker)
        player = next((place for place in same if not joint or place != partner), len(attackers))
        attackers += [activation.attacker] * (player == len(attackers))
        of_whom = f" of {activation.attacker.name}" if len(activations) > 1 else ""
        together = together if joint else []
        first = len(items) + 1
        for attack in (each for each in activation.attacks for _ in range(each.copies)):
            number, place = len(items) + 1, places[player]
            label = f"{number}. {attack.weapon.name}{' (off-hand)' * attack.off_hand}{of_whom}"
            made = number, label, attack, target, activation, edition, rulings, together, place
            together.append(RollStage(*made, starts=number == first, aim=aim, side=side))
            items.append(together[-1])
        before, partner = activation, None if joint else player
    return items, attackers


def cut_off(before: Activation | TargetActivation, after: Activation | TargetActivation) -> bool:
    """Whether RELOAD ends a joint Activation before the partner attacks."""
    joint = all(isinstance(each, Activation) and each.fireteam for each in (before, after))
    return joint and any(attack.has("RELOAD") for attack in cast("Activation", before).attacks)
