"""BLAST and SCATTER: one Success Roll, one Injury Roll for each model hit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Literal

from mathhammer import validation
from mathhammer.arithmetic import P
from mathhammer.display import Displayed, count, number
from mathhammer.distributions import CategoricalDistribution, Distribution, in_fractions
from mathhammer.distributions.decisions import end_distribution
from mathhammer.errors import MathhammerError
from mathhammer.sequence import Reproducible, records_call
from mathhammer.systems.trench_crusade.compilation import compiled
from mathhammer.systems.trench_crusade.game import ATTACKER, Game
from mathhammer.systems.trench_crusade.presets import as_weapon
from mathhammer.systems.trench_crusade.profiles import Attacker, Target, Weapon, several, whole
from mathhammer.systems.trench_crusade.rolls import kept, net, success_of
from mathhammer.systems.trench_crusade.rulings import in_force, require_edition
from mathhammer.systems.trench_crusade.situation import Activation, Attack
from mathhammer.systems.trench_crusade.state import OUTCOMES, Reply, Spend, fixed, start_state

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sympy import Rational

    from mathhammer.display import Panel
    from mathhammer.systems.trench_crusade.rolls import SourcedText
    from mathhammer.systems.trench_crusade.situation import Armed
    from mathhammer.systems.trench_crusade.state import State

#: Most models under one BLAST.
MAXIMUM_TARGETS = 30


@dataclass(frozen=True, repr=False)
class BlastResult(Displayed, Reproducible, Generic[P]):
    """Results of a BLAST.

    Attributes
    ----------
    outcomes
        Of each model the distribution of its result; `OUTCOMES` names them.
    out_of_action
        Distribution of the number of models Out of Action.
    scatter
        Distribution of the inches that the point moves; 0 for a hit, and for a failure that does not scatter.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> frag = tc.Attack(weapon=tc.WEAPONS["Frag Grenade"])
    >>> result = tc.blast(frag, [tc.Target(), tc.Target()], exact=True)
    >>> len(result.outcomes), list(result.out_of_action.support)
    (2, [0, 1, 2])
    """

    outcomes: tuple[CategoricalDistribution[str, P], ...]
    out_of_action: Distribution[P]
    scatter: Distribution[P]

    def _line(self) -> str:
        mean = number(in_fractions(self.out_of_action).mean())
        return f"{count(len(self.outcomes), 'model')}: mean {mean} out of action"

    def _panel(self) -> Panel:
        from mathhammer.display import Panel
        from mathhammer.distributions.presentation import bars

        distributions = [
            distribution.part(f"model {place}") for place, distribution in enumerate(self.outcomes, start=1)
        ]
        parts = [bars(self.out_of_action, "Models out of action"), bars(self.scatter, "Inches of scatter")]
        facts = {"mean out of action": number(in_fractions(self.out_of_action).mean())}
        return Panel(f"BLAST on {count(len(self.outcomes), 'model')}", facts, [*distributions, *parts])


def scatter(dice: SourcedText = 0, *, exact: bool = False) -> Distribution[float] | Distribution[Rational]:
    """Distribution of the inches that the point of a SCATTER weapon moves: 0 for a hit, else 7 less the roll.

    Examples
    --------
    >>> scatter(exact=True).pmf(3), scatter(exact=True).pmf(0)
    (1/12, 7/12)

    References
    ----------
    Trench Crusade rules 1.0.2, Keywords, SCATTER.
    """
    from mathhammer.systems.trench_crusade.rolls import success_roll

    return success_roll(dice, exact=exact).total.map(lambda found: max(0, 7 - found))


@records_call("tc")
def blast(
    attack: Armed,
    targets: Sequence[Target],
    *,
    attacker: Attacker | None = None,
    scattered: Mapping[int, Sequence[int]] | None = None,
    spend: Spend | Literal["nothing"] | None = None,
    reply: Reply | Literal["nothing"] | None = None,
    edition: str = "1.0.2",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
) -> BlastResult[float] | BlastResult[Rational]:
    """Distribution of what one attack with BLAST does to all models under it.

    The models' results are independent once the Success Roll is known; they are not before.

    Parameters
    ----------
    attack
        The attack on the first of the targets, or its weapon, which may be a text.
    targets
        The models under the BLAST if it hits: the one aimed at first. Only it suffers a critical success.
    attacker
        Who makes it.
    scattered
        With SCATTER: for each number of inches, 1 to 5, the indices of the targets under the BLAST after that.
    spend, reply
        What the players spend on the Injury Roll of each model.
    edition, rulings, exact
        As for `attack`.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> frag = tc.Attack(weapon=tc.WEAPONS["Frag Grenade"])
    >>> tc.blast(frag, [tc.Target(), tc.Target()], exact=True).out_of_action.mean()
    2573/7776

    References
    ----------
    Trench Crusade rules 1.0.2, Keywords, BLAST, SCATTER.
    """
    if isinstance(attack, Weapon | str):
        attack = Attack(weapon=as_weapon(attack))
    validation.instance(attack, Attack, "an Attack with BLAST")
    targets = several(targets, Target, "Targets in a list under the BLAST", MAXIMUM_TARGETS)
    own = Attacker() if attacker is None else attacker
    validation.instance(own, Attacker, "an Attacker")
    spent, replied = fixed(spend, Spend), fixed(reply, Reply)
    validation.mapping({} if scattered is None else scattered, "targets by inches as scattered")
    validation.flag(exact, "exact")
    if not attack.has("BLAST") or not targets:
        raise MathhammerError(f"expected a weapon with BLAST and one target or more, got {attack.weapon}")
    after = _landing(attack, len(targets), scattered or {})
    rules, options = require_edition(edition), in_force(rulings)
    games = []
    for place, target in enumerate(targets):
        activation = Activation((replace(attack, bystander=place > 0),), own)
        items, _ = compiled([activation], target, rules, options)
        games.append(Game(items, target, [spent], [replied], None, ATTACKER))
    stage = games[0].stage(0)
    roll = kept(2, net(stage.success_dice), exact=exact)
    aimed = CategoricalDistribution.of(roll, lambda found: (success_of(found), max(0, 7 - found)))
    distributions: dict[tuple[int, bool], CategoricalDistribution[State, Any]] = {}

    def result(place: int, landed: tuple[str, int]) -> CategoricalDistribution[State, Any]:
        game, start = games[place], start_state(targets[place], [own])
        if place not in after(landed):
            return CategoricalDistribution.certain(start, exact=exact)
        critical = landed[0] == "critical" and place == 0
        if (place, critical) not in distributions:
            first = CategoricalDistribution.certain(game.after_success(start, critical=critical), exact=exact)
            distributions[place, critical] = end_distribution(game.decision, first, {}).map(
                lambda end: end.state
            )
        return distributions[place, critical]

    def losses(landed: tuple[str, int]) -> CategoricalDistribution[int, Any]:
        out = [result(place, landed).number(_is_out) for place in range(len(targets))]
        return CategoricalDistribution.of(sum(out[1:], out[0]), lambda number: number)

    def outcome(place: int) -> CategoricalDistribution[str, Any]:
        distribution = aimed.then(lambda landed: result(place, landed))
        return distribution.map(lambda state: OUTCOMES[state.outcome], OUTCOMES)

    moved = aimed.number(lambda landed: landed[1] if attack.has("SCATTER") else 0)
    number = aimed.then(losses).number(lambda count: count)
    return BlastResult(tuple(outcome(place) for place in range(len(targets))), number, moved)


def _is_out(state: State) -> int:
    return int(OUTCOMES[state.outcome] == OUTCOMES[-1])


def _landing(
    attack: Attack, targets: int, scattered: Mapping[int, Sequence[int]]
) -> Callable[[tuple[str, int]], Sequence[int]]:
    """Return the function from where the point lands to the indices of the models under it."""
    if scattered and not attack.has("SCATTER"):
        raise MathhammerError(f"expected scattered for a weapon with SCATTER, got it for {attack.weapon}")
    under_inches: dict[int, tuple[int, ...]] = {}
    for inches, places in scattered.items():
        hit = several(places, object, f"indices of the {targets} targets as scattered", MAXIMUM_TARGETS)
        under_inches[whole("the inches of scattered", inches, 1, 5)] = tuple(
            whole("an index of the targets in scattered", place, 0, targets - 1) for place in hit
        )

    def under(landed: tuple[str, int]) -> Sequence[int]:
        return range(targets) if landed[0] != "failure" else under_inches.get(landed[1], ())

    return under
