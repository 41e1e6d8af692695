"""Injury Rolls that no attack causes, Morale Checks, charges; BLAST and SCATTER: an Injury Roll for each model hit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import count, number, percent
from mathhammer.distributions import CategoricalDistribution, Distribution
from mathhammer.distributions.decisions import end_distribution
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.expressions import distribution
from mathhammer.fields.kinds import Boolean, Checked, Integer, MaybeBoolean
from mathhammer.sequence.call import Reproducible, records_call
from mathhammer.sequence.rolls import as_given
from mathhammer.systems.asked import Question, asked
from mathhammer.systems.trench_crusade.attack import attack
from mathhammer.systems.trench_crusade.compilation import compiled
from mathhammer.systems.trench_crusade.game import INJURY, OUTCOMES, Game, Position, State, condition
from mathhammer.systems.trench_crusade.keywords import parse_keywords, several
from mathhammer.systems.trench_crusade.profiles import Attacker, Target, Weapon, read_sourced
from mathhammer.systems.trench_crusade.rolls import DicePool, success_of, success_roll
from mathhammer.systems.trench_crusade.rulings import EDITIONS, in_force
from mathhammer.systems.trench_crusade.situation import (
    Activation,
    Attack,
    Reply,
    Sourced,
    Spend,
    as_attacks,
    fixed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.display.panel import Panel
    from mathhammer.systems.trench_crusade.profiles import SourcedText
    from mathhammer.systems.trench_crusade.result import AttackResult
    from mathhammer.systems.trench_crusade.situation import Armed

MAXIMUM_INCHES = 60
MAXIMUM_MODELS = 1_000
LONGEST_CHARGE = 12


def fall(target: Target, inches: int, *, exact: bool = False, **options: Any) -> AttackResult:
    """Distribution of what a fall of 3" or more does: an Injury Roll with +1 INJURY DICE for each full 3".

    Options are those of `attack`.

    Examples
    --------
    >>> fall(Target(), 6, exact=True).probability_out_of_action
    25/36

    Trench Crusade rules 1.0.2, Falling; Rules Commentaries 1.0.2, Q9 (who spends markers).
    """
    return attack(_falling(target, inches), target, exact=exact, **options)


def ledge(
    target: Target, inches: int, *, exact: bool = False, dice: SourcedText = 0, **options: Any
) -> AttackResult:
    """Distribution of what the edge does to a model taken Down within 1" of it: a Success Roll, and a fall if it fails.

    Examples
    --------
    >>> ledge(Target(), 3, exact=True).probability_hit
    5/12

    Trench Crusade rules 1.0.2, Down.
    """
    roll = Attack(weapon=_falling(target, inches), on_failure=True, dice=dice)
    return attack(roll, target, exact=exact, **options)


def diving_charge(
    target: Target, inches: int, *, exact: bool = False, dice: SourcedText = 0, **options: Any
) -> AttackResult:
    """Distribution of what a Diving Charge does to who dives: if its Success Roll fails it is Down, and falls.

    Examples
    --------
    >>> diving_charge(Target(), 3, exact=True).probability_out_of_action
    565/2592

    Trench Crusade rules 1.0.2, Diving Charge; Falling; Rules Commentaries 1.0.2, Q10 (taken Down).
    """
    falling = _falling(target, inches)
    weapon = falling.changed(keywords=(*falling.keywords, *parse_keywords("TAKEN DOWN")))
    return attack(Attack(weapon=weapon, on_failure=True, dice=dice), target, exact=exact, **options)


def dangerous_terrain(
    target: Target, *, exact: bool = False, dice: SourcedText = 0, keyword: str = "", **options: Any
) -> AttackResult:
    """Distribution of what Dangerous Terrain does: a Risky Success Roll, and an Injury Roll if it fails.

    The keyword is what stands in brackets, such as ``"SHRAPNEL"`` for a minefield: the Injury Roll has it.

    Examples
    --------
    >>> dangerous_terrain(Target(), keyword="FIRE", exact=True).blood.mean()
    65/108

    Trench Crusade rules 1.0.2, Dangerous Terrain; Keywords, DANGEROUS TERRAIN.
    """
    terrain = Weapon("Dangerous Terrain", kind="ranged", keywords=keyword)
    return attack(Attack(weapon=terrain, on_failure=True, dice=dice), target, exact=exact, **options)


def _falling(target: Target, inches: int) -> Weapon:
    validation.instance(target, Target, "a Target that falls")
    if target.has("FLYING"):
        raise MathhammerError("expected a model without FLYING, for those never fall; leave out the roll")
    dice = validation.whole(inches, "the inches of a fall", 3, MAXIMUM_INCHES) // 3
    return Weapon(f'Fall of {inches}"', kind="ranged", injury_dice=dice, keywords="FLAMETHROWER")


@dataclass(frozen=True, repr=False)
class Morale(Displayed, Reproducible):
    """Results of Morale Checks."""

    #: How many models Down or Out of Action call for a check.
    threshold: int
    #: The probabilities below, where exact in numbers that need no SymPy.
    shaken: Any
    flees: Any

    probability_shaken = property(
        lambda self: as_given(self.shaken), doc="Probability that the first check fails."
    )
    probability_flees = property(
        lambda self: as_given(self.flees),
        doc="Probability that the second one, in the next Turn, fails as well, which loses the game.",
    )

    def _line(self) -> str:
        chances = f"P(shaken) {percent(self.shaken)}, P(flees) {percent(self.flees)}"
        return f"from {count(self.threshold, 'model')} lost: {chances}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import NamedBars, Panel

        chances = [self.shaken, self.flees]
        exact = None if isinstance(self.shaken, float) else list(map(str, chances))
        labels = ["first check fails: shaken", "second fails too: flees"]
        checks = NamedBars("Morale Check", labels, list(map(float, chances)), exact)
        needed = f"{count(self.threshold, 'model')} Down or Out of Action"
        return Panel("Morale", {"a check is called for by": needed}, [checks])


class _Morale(Question[Morale]):
    """Distribution of a Warband's Morale Checks.

    Examples
    --------
    >>> checks = morale(5, leader=True, exact=True)
    >>> checks.threshold, checks.probability_shaken, checks.probability_flees
    (3, 7/36, 49/1296)

    Trench Crusade rules 1.0.2, Morale; Keywords, LEADER; Battlekit, Field Shrine (Site of Worship).
    """

    models: Integer = Integer(
        "The number of models that it started with.", least=1, most=MAXIMUM_MODELS, kw_only=False
    )
    shrines: Integer = Integer("Field Shrines, each of which counts as 3 models more, all as 9.", default=0)
    leader: Boolean = Boolean("Whether a model with LEADER is up at the first check.")
    leader_later: MaybeBoolean = MaybeBoolean("The same at the second check; by default as at the first.")
    dice: Sourced = Sourced("Other +/- DICE.")
    down: Boolean = Boolean("Whether the model that rolls is Down, which matters under one ruling only.")
    rulings: Checked[Any, Mapping[str, str] | None] = Checked(
        in_force, "Options for disputed points, by name.", default=None
    )
    exact: Boolean = Boolean("Whether probabilities are ``sympy.Rational`` rather than ``float``.")

    def answer(self) -> Morale:
        """Return the chances of both checks."""
        down = self.down and self.rulings["down_own_rolls"] == "morale-too"
        common = [*self.dice, *read_sourced(["-1 Down"] * down, "")]
        later = self.leader if self.leader_later is None else self.leader_later
        pools = [DicePool(2, (*common, *read_sourced(["+1 LEADER"] * up, ""))) for up in (self.leader, later)]
        failures = [pool.total.map(lambda found: int(found < 7)) for pool in pools]
        chances = (failures[0], 1), (failures[0] + failures[1], 2)
        shown = ((law if self.exact else law.to_floats(), failed) for law, failed in chances)
        first, both = (in_fractions(law).pmf(failed) for law, failed in shown)
        return Morale(-(-(self.models + min(9, 3 * self.shrines)) // 2), first, both)


class _Charge(Question[Distribution]):
    """Distribution of the inches that a charge covers, or of the greatest distance that it closes.

    Examples
    --------
    >>> charge(6, exact=True).at_least(10)
    1/2

    Trench Crusade rules 1.0.2, Charge; Keywords, HEAVY, SKIRMISHER; Warbands of Trench Crusade, New Antioch, Machine
    Armour (Bulky), Shock Troopers (Shock Charge).
    """

    movement: Integer = Integer("Movement in inches.", most=MAXIMUM_INCHES, kw_only=False)
    heavy: Boolean = Boolean("Whether the model is HEAVY without STRONG, so that it has no Charge Bonus.")
    machine_armour: Boolean = Boolean('Whether it has Machine Armour, so that its Charge Bonus is D3".')
    shock_charge: Boolean = Boolean(
        "Whether it is a Shock Trooper, whose Charge Bonus is the highest of 2D6."
    )
    skirmisher: Boolean = Boolean(
        'Whether the target is a SKIRMISHER, who evades D3": then it is that of the charge less the evasion.'
    )
    exact: Boolean = Boolean("Whether probabilities are ``sympy.Rational`` rather than ``float``.")

    def answer(self) -> Distribution:
        """Return that of the dice."""
        if self.machine_armour and self.shock_charge:
            raise MathhammerError(
                "expected machine_armour or shock_charge, got both; no Shock Trooper has Machine Armour"
            )
        dice = "D3" if self.machine_armour else "highest(1 of 2D6)" if self.shock_charge else "D6"
        bonus = distribution("0" if self.heavy else dice, exact=self.exact)
        covered = (bonus + self.movement).map(lambda inches: min(inches, LONGEST_CHARGE))
        return covered - distribution("D3", exact=self.exact) if self.skirmisher else covered


morale, charge = asked(_Morale, "tc"), asked(_Charge)


MAXIMUM_TARGETS = 30


@dataclass(frozen=True, repr=False)
class BlastResult(Displayed, Reproducible):
    """Results of a BLAST."""

    #: Of each model the distribution of its result; `OUTCOMES` names them.
    outcomes: tuple[CategoricalDistribution[str], ...]
    out_of_action: Distribution
    #: Distribution of the inches that the point moves; 0 for a hit, and for a failure that does not scatter.
    scatter: Distribution

    def _line(self) -> str:
        mean = number(in_fractions(self.out_of_action).mean())
        return f"{count(len(self.outcomes), 'model')}: mean {mean} out of action"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel
        from mathhammer.distributions.presentation import bars

        models = [law.part(f"model {place}") for place, law in enumerate(self.outcomes, start=1)]
        parts = [bars(self.out_of_action, "Models out of action"), bars(self.scatter, "Inches of scatter")]
        facts = {"mean out of action": in_fractions(self.out_of_action).mean()}
        return Panel(f"BLAST on {count(len(self.outcomes), 'model')}", facts, [*models, *parts])


def scatter(dice: SourcedText = 0, *, exact: bool = False) -> Distribution:
    """Distribution of the inches that the point of a SCATTER weapon moves: 0 for a hit, else 7 less the roll.

    Examples
    --------
    >>> scatter(exact=True).pmf(3), scatter(exact=True).pmf(0)
    (1/12, 7/12)

    Trench Crusade rules 1.0.2, Keywords, SCATTER.
    """
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
) -> BlastResult:
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

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> frag = tc.Attack(weapon=tc.WEAPONS["Frag Grenade"])
    >>> tc.blast(frag, [tc.Target(), tc.Target()], exact=True).out_of_action.mean()
    2573/7776

    Trench Crusade rules 1.0.2, Keywords, BLAST, SCATTER.
    """
    [made] = as_attacks([attack], "an Attack with BLAST")
    targets = several(targets, Target, "Targets in a list under the BLAST", MAXIMUM_TARGETS)
    own = Attacker() if attacker is None else validation.instance(attacker, Attacker, "an Attacker")
    spent, replied = fixed(spend, Spend), fixed(reply, Reply)
    validation.mapping({} if scattered is None else scattered, "targets by inches as scattered")
    validation.flag(exact, "exact")
    if not made.has("BLAST") or not targets:
        raise MathhammerError(f"expected a weapon with BLAST and one target or more, got {made.weapon}")
    after = _landing(made, len(targets), scattered or {})
    rules, options = validation.one_of(edition, EDITIONS, "the edition"), in_force(rulings)
    games = []
    for place, target in enumerate(targets):
        activation = Activation((made.changed(bystander=place > 0),), own)
        items, _ = compiled([activation], target, rules, options)
        games.append(Game([*items, None], [spent], [replied]))
    roll = games[0].items[0].success.total
    aimed = CategoricalDistribution.of(roll, lambda found: (success_of(found), max(0, 7 - found)))

    @cache
    def outcome(place: int, landed: tuple[str, int]) -> CategoricalDistribution[str]:
        game, start = games[place], State((condition(targets[place]), condition(own)))
        if place not in after(landed):
            return CategoricalDistribution.certain(OUTCOMES[start.outcome], exact=True)
        first = game.before(Position(0, INJURY, start, landed[0] == "critical" and place == 0))
        ends = end_distribution(game.decision, CategoricalDistribution.certain(first, exact=True), {})
        return ends.map(lambda end: OUTCOMES[end.state.outcome], OUTCOMES)

    def losses(landed: tuple[str, int]) -> CategoricalDistribution[int]:
        laws = (outcome(place, landed) for place in range(len(targets)))
        first, *others = (law.number(lambda name: int(name == OUTCOMES[-1])) for law in laws)
        return CategoricalDistribution.of(sum(others, first), int)

    def edge(law: Any) -> Any:
        return law if exact else law.to_floats()

    moved = aimed.number(lambda landed: landed[1] if made.has("SCATTER") else 0)
    outcomes = (aimed.then(partial(outcome, place)).map(str, OUTCOMES) for place in range(len(targets)))
    return BlastResult(tuple(map(edge, outcomes)), edge(aimed.then(losses).number(int)), edge(moved))


def _landing(
    attack: Attack, targets: int, scattered: Mapping[int, Sequence[int]]
) -> Callable[[tuple[str, int]], Sequence[int]]:
    if scattered and not attack.has("SCATTER"):
        raise MathhammerError(f"expected scattered for a weapon with SCATTER, got it for {attack.weapon}")
    under: dict[int, tuple[int, ...]] = {}
    for inches, places in scattered.items():
        found = several(places, object, f"indices of the {targets} targets as scattered", MAXIMUM_TARGETS)
        under[validation.whole(inches, "the inches of scattered", 1, 5)] = tuple(
            validation.whole(place, "an index of the targets in scattered", 0, targets - 1) for place in found
        )
    return lambda landed: range(targets) if landed[0] != "failure" else under.get(landed[1], ())
