"""Attacks on one model, one after another: the public entry of the system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import permutations
from typing import TYPE_CHECKING, Any, Literal, overload

from mathhammer import validation
from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError
from mathhammer.sequence import asked
from mathhammer.sequence.decision import best_plan
from mathhammer.systems.trench_crusade.game import ATTACKER, DEFENDER, Game, PlannedReply, PlannedSpend
from mathhammer.systems.trench_crusade.plan import plan_in_words
from mathhammer.systems.trench_crusade.profiles import Attacker, Target, Weapon
from mathhammer.systems.trench_crusade.result import AttackResult
from mathhammer.systems.trench_crusade.rulings import in_force, require_edition
from mathhammer.systems.trench_crusade.situation import Activation, Attack, TargetActivation
from mathhammer.systems.trench_crusade.spending import Reply, Spend, price
from mathhammer.systems.trench_crusade.stages import Stage
from mathhammer.systems.trench_crusade.state import OUT, start_state

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sympy import Rational

    from mathhammer.sequence import Rulings
    from mathhammer.systems.trench_crusade.game import Position

__all__ = ["OBJECTIVES", "attack", "best_order"]

#: Most attacks of one calculation.
MAXIMUM_ATTACKS = 30
#: Most attackers whose orders are all tried.
MAXIMUM_ORDERED = 5
OBJECTIVES = ("out of action", "down or worse")
"""What a plan makes most likely."""

Given = Weapon | Attack | Activation | Sequence["Attack | Activation | TargetActivation"]
Spending = PlannedSpend | Sequence[PlannedSpend] | Literal["best"] | None
Replying = PlannedReply | Sequence[PlannedReply] | Literal["best"] | None
Item = Stage | TargetActivation


@overload
def attack(
    attacks: Given, target: Target, *, exact: Literal[False] = ..., **options: Any
) -> AttackResult[float]: ...
@overload
def attack(
    attacks: Given, target: Target, *, exact: Literal[True], **options: Any
) -> AttackResult[Rational]: ...
@overload
def attack(attacks: Given, target: Target, *, exact: bool, **options: Any) -> AttackResult[Any]: ...
@asked("tc")
def attack(
    attacks: Given,
    target: Target,
    *,
    attacker: Attacker | None = None,
    spend: Spending = None,
    reply: Replying = None,
    objective: str = "out of action",
    spends_first: str | None = None,
    initiative: str | None = None,
    edition: str = "1.0.2",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    **situation: Any,
) -> AttackResult[Any]:
    """Law of what attacks do to one model, markers and all.

    Parameters
    ----------
    attacks
        A weapon (with the situation in keyword arguments), an `Attack`, an `Activation` of several, or a sequence of
        these and of `TargetActivation`.
    target
        The model attacked.
    attacker
        Who makes the attacks that are in no `Activation`.
    spend
        What the attacking player spends: nothing, a `Spend` for every attack, one for each, or ``"best"``. A function
        from the `State` before a roll to a `Spend` may stand for one.
    reply
        What the defending player spends: nothing, a `Reply` for every attack, one for each, or ``"best"``.
    objective
        What ``"best"`` makes most likely: ``"out of action"`` or ``"down or worse"``. The defender wants the opposite.
    spends_first
        ``"attacker"`` or ``"defender"``: who spends first on each roll. Both at their best need this or the next.
    initiative
        ``"attacker"`` or ``"defender"``: who chooses, for each roll, who spends first.
    edition
        ``"1.0.2"`` or ``"beta_2026_04"``.
    rulings
        Options for disputed points, by name.
    exact
        Whether probabilities are ``sympy.Rational`` rather than ``float``.
    **situation
        Fields of `Attack`, where a weapon is given.

    Examples
    --------
    >>> shotgun = Weapon("Shotgun", kind="ranged", dice=+1, keywords="SHOTGUN")
    >>> pilgrim = Target("Trench Pilgrim", armour="standard", shield=True, blood=2)
    >>> attack(shotgun, pilgrim, long_range=True, cover=True, exact=True).probability_out_of_action
    49/3888
    >>> best = attack(shotgun, pilgrim, spend="best", exact=True)
    >>> print(best.plan)
    1. Shotgun, Injury Roll: attacker spends 2 Blood, whatever happened before

    References
    ----------
    Trench Crusade rules 1.0.2, Ranged Attacks; Melee Attacks; Injuries; Blood Markers and Blessing Markers.
    """
    validation.instance(target, Target, "a Target to attack")
    if attacker is not None:
        validation.instance(attacker, Attacker, "an Attacker")
    validation.flag(exact, "exact")
    options = in_force(rulings)
    _require_objective(objective)
    activations = _activations(attacks, attacker, situation)
    items, attackers = _compiled(activations, target, require_edition(edition), options)
    sides = _sides(spend, reply, spends_first, initiative)
    _require_payable(spend, items, target)
    arguments: dict[str, Any] = {
        "items": items,
        "target": target,
        "spend": _plans(spend, Spend, items),
        "reply": _plans(reply, Reply, items),
        **sides,
    }
    game = Game(**arguments, exact=exact)
    start = game.start(start_state(target, attackers))
    choices: dict[Position, int] = {}
    if "best" in (spend, reply):
        solved = game if exact else Game(**arguments, exact=True)
        choices = best_plan(solved.node, start, lambda end: _worth(end, objective))
    plan = plan_in_words(game, start, choices, objective)
    order = tuple(item.attacker.name for item in items if isinstance(item, Stage) and item.starts)
    return AttackResult(game, start, choices, plan=plan, edition=edition, rulings=options, order=order)


def best_order(
    activations: Sequence[Activation], target: Target, *, objective: str = "out of action", **options: Any
) -> AttackResult[Any]:
    """Law of the attacks of several models in the order that serves the attacker best: a Fireteam's plan.

    Parameters
    ----------
    activations
        Those to order, one for each model.
    target
        The model attacked.
    objective
        What the order makes most likely.
    **options
        As for `attack`; what both players spend is ``spend`` and ``reply``.

    Examples
    --------
    >>> rifle = Activation(Attack(weapon=Weapon("Rifle", kind="ranged")), Attacker("Yeoman"))
    >>> sword = Weapon("Sword", kind="melee", keywords="CRITICAL")
    >>> charge = Activation(Attack(weapon=sword), Attacker("Lieutenant", melee=1))
    >>> best_order([charge, rifle], Target(armour="standard"), spend="best").order
    ('Yeoman', 'Lieutenant')
    """
    activations = validation.items(activations, (Activation, TargetActivation), "Activations to order")
    if not 1 <= len(activations) <= MAXIMUM_ORDERED:
        raise TooLargeError(
            f"expected 1 to {MAXIMUM_ORDERED} Activations to order, got {len(activations)}; order some of them yourself"
        )
    exact = validation.flag(options.pop("exact", False), "exact")
    fixed = [name for name in ("spend", "reply") if isinstance(options.get(name), list | tuple)]
    if fixed:
        raise MathhammerError(
            f"expected one value or 'best' as {fixed[0]} while the order is open, got several"
        )
    results = [
        attack(list(order), target, objective=objective, exact=True, **options)
        for order in permutations(activations)
    ]
    best = max(range(len(results)), key=lambda place: (results[place].value(objective), -place))
    if exact:
        return results[best]
    chosen = list(permutations(activations))[best]
    return attack(chosen, target, objective=objective, exact=False, **options)


def single_game(
    single: Attack,
    target: Target,
    attacker: Attacker,
    spend: Spend,
    reply: Reply,
    *,
    edition: str,
    rulings: Mapping[str, str] | None,
    exact: bool,
) -> Game:
    """Return the game of one attack under fixed plans: what a BLAST makes for each model under it."""
    activation = Activation((single,), attacker)
    items, _ = _compiled([activation], target, require_edition(edition), in_force(rulings))
    return Game(items, target, [spend], [reply], None, "attacker", exact)


_ATTACKS = "a Weapon, Attacks, Activations or TargetActivations"


def _worth(end: Position, objective: str) -> int:
    out = end.state.outcome == OUT
    return int(out or (objective != "out of action" and end.state.down))


def _require_payable(spend: Spending, items: Sequence[Item], target: Target) -> None:
    """Refuse a Bloodbath of a single attack that nobody can pay: it would be left out in silence."""
    single = spend[0] if isinstance(spend, list | tuple) and len(spend) == 1 else spend
    if len(items) != 1 or not isinstance(single, Spend) or not single.bloodbath:
        return
    cost, there = price(down=target.down, partner_hit=False), target.blood + target.infection
    if there < cost:
        raise MathhammerError(
            f"expected {cost} Blood or Infection Markers on the target for a Bloodbath, got {there}; leave out "
            "bloodbath=True, or give the target its markers"
        )


def _require_objective(objective: str) -> None:
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        raise MathhammerError(
            f"expected an objective of {' or '.join(map(repr, OBJECTIVES))}, got {objective!r}"
        )


def _sides(spend: Spending, reply: Replying, first: str | None, initiative: str | None) -> dict[str, Any]:
    """Return who spends first."""
    for name, value in (("spends_first", first), ("initiative", initiative)):
        if value is not None and value not in (ATTACKER, DEFENDER):
            raise MathhammerError(f"expected {name} to be 'attacker' or 'defender', got {value!r}")
    if first and initiative:
        raise MathhammerError("expected spends_first or initiative, got both; the order is given or chosen")
    if spend == "best" and reply == "best" and not (first or initiative):
        raise MathhammerError(
            "expected who spends first where both sides play their best, for it moves the answer: give "
            "spends_first='attacker' or 'defender', or initiative=... for the one who chooses"
        )
    order = {None: None, ATTACKER: (ATTACKER, DEFENDER), DEFENDER: (DEFENDER, ATTACKER)}[first]
    return {"order": order, "initiative": initiative or ATTACKER}


def _activations(
    attacks: Given, attacker: Attacker | None, situation: dict[str, Any]
) -> list[Activation | TargetActivation]:
    """Return the Activations; attacks that are in none make one together."""
    own = attacker or Attacker()
    if isinstance(attacks, str):
        raise MathhammerError(
            f"expected a Weapon, got {attacks!r}; common ones are in WEAPONS, as WEAPONS['Shotgun']"
        )
    if isinstance(attacks, Weapon):
        _require_known(situation)
        return [Activation((Attack(weapon=attacks, **situation),), own)]
    if situation:
        raise MathhammerError(
            f"expected the situation inside each Attack, got {', '.join(situation)} beside attacks; "
            "write Attack(weapon=..., ...)"
        )
    given = [attacks] if isinstance(attacks, Attack | Activation) else attacks
    found: list[Activation | TargetActivation] = []
    loose: list[Attack] = []
    for item in validation.items(given, (Attack, Weapon, Activation, TargetActivation), _ATTACKS):
        if isinstance(item, Attack | Weapon):
            loose.append(item if isinstance(item, Attack) else Attack(weapon=item))
            continue
        found += [Activation(tuple(loose), own)] if loose else []
        loose = []
        found.append(item)
    found += [Activation(tuple(loose), own)] if loose else []
    if not any(isinstance(item, Activation) for item in found):
        raise MathhammerError("expected at least one attack, got none")
    return found


def _require_known(situation: dict[str, Any]) -> None:
    """Refuse a keyword that no attack has."""
    known = [field.name for field in fields(Attack) if field.name != "weapon"]
    for name in situation:
        if name not in known:
            hint = validation.nearest(name, known)
            raise UnknownNameError(f"expected a keyword of an attack, got {name!r}; {hint}")


def _compiled(
    activations: Sequence[Activation | TargetActivation], target: Target, edition: str, rulings: Rulings
) -> tuple[list[Item], list[Attacker]]:
    """Return every single attack in order, and the models with markers of their own."""
    attackers: list[Attacker] = []
    items: list[Item] = []
    for number, activation in enumerate(activations):
        if isinstance(activation, TargetActivation):
            items.append(activation)
            continue
        if activation.attacker not in attackers or activation.fireteam:
            attackers.append(activation.attacker)
        place = len(attackers) - 1 if activation.fireteam else attackers.index(activation.attacker)
        starts = True
        for given in activation.attacks:
            for _ in range(given.copies):
                label = _label(given, activation, len(items) + 1, several=len(activations) > 1)
                items.append(
                    Stage(
                        label,
                        given,
                        activation.attacker,
                        target,
                        number,
                        place,
                        starts,
                        activation.fireteam,
                        edition,
                        rulings,
                    )
                )
                starts = False
    if len(items) > MAXIMUM_ATTACKS:
        raise TooLargeError(f"expected at most {MAXIMUM_ATTACKS} attacks, got {len(items)}; use fewer")
    return items, attackers


def _label(given: Attack, activation: Activation, number: int, *, several: bool) -> str:
    label = f"{number}. {given.weapon.name}" + " (off-hand)" * given.off_hand
    return f"{label} of {activation.attacker.name}" if several else label


def _plans(given: Any, kind: type, items: Sequence[Item]) -> list[Any] | None:
    """Return what is spent on each item, or ``None`` for the best."""
    if given == "best":
        return None
    if given is None or isinstance(given, kind) or callable(given):
        return [given or kind()] * len(items)
    attacks = [place for place, item in enumerate(items) if isinstance(item, Stage)]
    values = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not all(isinstance(value, kind) or callable(value) for value in values):
        raise MathhammerError(f"expected a {kind.__name__}, several of them, or 'best'; got {given!r}")
    if len(values) != len(attacks):
        raise MathhammerError(
            f"expected one {kind.__name__} for each of {len(attacks)} attacks, got {len(values)}"
        )
    plans: list[Any] = [kind()] * len(items)
    for place, value in zip(attacks, values, strict=True):
        plans[place] = value
    return plans
