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
from mathhammer.modifiers import Modifier
from mathhammer.sequence.call import Reproducible
from mathhammer.sequence.explanation import Step
from mathhammer.sequence.rolls import ChargeResult, as_given, fraction
from mathhammer.systems.asked import asked
from mathhammer.systems.trench_crusade.attack import attack, compiled
from mathhammer.systems.trench_crusade.game import INJURY, OUTCOMES, Game, Position, State, condition
from mathhammer.systems.trench_crusade.profiles import Attacker, Sourced, Target, Weapon
from mathhammer.systems.trench_crusade.rolls import SUCCESSES, Roll, named, success_roll
from mathhammer.systems.trench_crusade.rules import InEdition, InForce, several
from mathhammer.systems.trench_crusade.situation import Activation, Attack, Reply, Spend, as_attacks, fixed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.display.panel import Panel
    from mathhammer.systems.trench_crusade.profiles import SourcedText
    from mathhammer.systems.trench_crusade.result import AttackResult
    from mathhammer.systems.trench_crusade.situation import Armed

MAXIMUM_INCHES = 60
MAXIMUM_MODELS, MAXIMUM_TARGETS = 1_000, 30
LONGEST_CHARGE = 12


def fall(target: Target | str, inches: int, *, exact: bool = False, **options: Any) -> AttackResult:
    """Distribution of what a fall of 3" or more does: an Injury Roll with +1 INJURY DICE for each full 3".

    Options are those of `attack` (Trench Crusade rules 1.0.2, Falling; Rules Commentaries 1.0.2, Q9: who spends).

    Examples
    --------
    >>> fall(Target(), 6, exact=True).probability_out_of_action
    25/36
    """
    return attack(_falling(target, inches), target, exact=exact, **options)


def ledge(
    target: Target | str, inches: int, *, exact: bool = False, dice: SourcedText = 0, **options: Any
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
    target: Target | str, inches: int, *, exact: bool = False, dice: SourcedText = 0, **options: Any
) -> AttackResult:
    """Distribution of what a Diving Charge does to who dives: if its Success Roll fails it is Down, and falls.

    Examples
    --------
    >>> diving_charge(Target(), 3, exact=True).probability_out_of_action
    565/2592

    Trench Crusade rules 1.0.2, Diving Charge; Falling; Rules Commentaries 1.0.2, Q10 (taken Down).
    """
    weapon = _falling(target, inches, "FLAMETHROWER, TAKEN DOWN")
    return attack(Attack(weapon=weapon, on_failure=True, dice=dice), target, exact=exact, **options)


def dangerous_terrain(
    target: Target | str, *, exact: bool = False, dice: SourcedText = 0, keyword: str = "", **options: Any
) -> AttackResult:
    """Distribution of what Dangerous Terrain does: a Risky Success Roll, and an Injury Roll if it fails.

    The keyword is what stands in brackets, such as ``"SHRAPNEL"`` for a minefield: the Injury Roll has it (Trench
    Crusade rules 1.0.2, Dangerous Terrain; Keywords, DANGEROUS TERRAIN).

    Examples
    --------
    >>> dangerous_terrain(Target(), keyword="FIRE", exact=True).blood.mean()
    65/108
    """
    terrain = Weapon("Dangerous Terrain", kind="ranged", keywords=keyword)
    return attack(Attack(weapon=terrain, on_failure=True, dice=dice), target, exact=exact, **options)


def _falling(target: Target | str, inches: int, keywords: str = "FLAMETHROWER") -> Weapon:
    if Target.given(target, "a Target that falls, or its line").has("FLYING"):
        raise MathhammerError("expected a model without FLYING, for those never fall; leave out the roll")
    dice = validation.whole(inches, "the inches of a fall", 3, MAXIMUM_INCHES) // 3
    return Weapon(f'Fall of {inches}"', kind="ranged", injury_dice=dice, keywords=keywords)


@dataclass(frozen=True, repr=False)
class MoraleResult(Displayed, Reproducible):
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


class _Morale(InForce[MoraleResult]):
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

    def answer(self) -> MoraleResult:
        """Return the chances of both checks."""
        down = self.down and self.ruled["down_own_rolls"] == "morale-too"
        later = self.leader if self.leader_later is None else self.leader_later
        dice = [(Modifier("add", up - down, "LEADER, Down"), *self.dice) for up in (self.leader, later)]
        first, second = (in_fractions(Roll(2, each).outcome).pmf("failure") for each in dice)
        shown = [each if self.exact else int(each.p) / int(each.q) for each in (first, first * second)]
        return MoraleResult(-(-(self.models + min(9, 3 * self.shrines)) // 2), *shown)


class _TcCharge(InEdition[ChargeResult]):
    """Chance that a charge closes a distance.

    Examples
    --------
    >>> charge(10, movement=6, exact=True).probability_success
    1/2

    Trench Crusade rules 1.0.2, Charge; Keywords, HEAVY, SKIRMISHER; Warbands of Trench Crusade, New Antioch, Machine
    Armour (Bulky), Shock Troopers (Shock Charge).
    """

    distance: Integer = Integer("To the target, in inches.", most=MAXIMUM_INCHES, kw_only=False)
    movement: Integer = Integer("Movement in inches.", most=MAXIMUM_INCHES)
    heavy: Boolean = Boolean("Whether the model is HEAVY without STRONG, so that it has no Charge Bonus.")
    machine_armour: Boolean = Boolean('Whether it has Machine Armour, so that its Charge Bonus is D3".')
    shock_charge: Boolean = Boolean(
        "Whether it is a Shock Trooper, whose Charge Bonus is the highest of 2D6."
    )
    skirmisher: Boolean = Boolean('Whether the target is a SKIRMISHER, who evades D3" farther away.')

    def answer(self) -> ChargeResult:
        """Return the chances of the distance, and of all others."""
        if self.machine_armour and self.shock_charge:
            raise MathhammerError(
                "expected machine_armour or shock_charge, got both; no Shock Trooper has Machine Armour"
            )
        dice = "D3" if self.machine_armour else "highest(1 of 2D6)" if self.shock_charge else "D6"
        bonus = "0" if self.heavy else dice
        closed = (distribution(bonus, exact=self.exact) + self.movement).map(partial(min, LONGEST_CHARGE))
        closed = closed - distribution("D3", exact=self.exact) if self.skirmisher else closed
        evaded = ["less the D3 of a SKIRMISHER"] * self.skirmisher
        at_least = in_fractions(closed).at_least
        success = at_least(self.distance)
        steps = (
            Step("Roll", bonus, (f"+{self.movement} (Movement)", f"{LONGEST_CHARGE} at most", *evaded)),
            Step("Success", f'{self.distance}" or more', (), fraction(success)),
        )
        table = tuple((inches, at_least(inches)) for inches in closed.support if inches >= 0)
        return ChargeResult(success, closed, None, table, self.distance, self.edition, self.ruled, steps)


morale, charge = asked(_Morale, "tc"), asked(_TcCharge, "tc")


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
    return success_roll(dice=dice, exact=exact).total.map(lambda found: max(0, 7 - found))


class _Blast(InEdition[BlastResult]):
    """Distribution of what one attack with BLAST does to all models under it.

    The models' results are independent once the Success Roll is known; they are not before (Trench Crusade rules 1.0.2,
    Keywords, BLAST, SCATTER).

    Examples
    --------
    >>> blast("Frag Grenade", [Target(), Target()], exact=True).out_of_action.mean()
    2573/7776
    """

    attack: Checked[Attack, Armed] = Checked(
        lambda given: as_attacks([given], "an Attack with BLAST")[0],
        "The attack on the first of the targets, or its weapon, which may be a text.",
        kw_only=False,
    )
    targets: Checked[tuple[Target, ...], Sequence[Target]] = Checked(
        lambda given: several(given, Target, "Targets in a list under the BLAST", MAXIMUM_TARGETS),
        "The models under the BLAST if it hits: the one aimed at first. Only it suffers a critical success.",
        kw_only=False,
    )
    attacker: Checked[Attacker, Attacker | None] = Checked(
        lambda given: Attacker() if given is None else Attacker.given(given, "an Attacker, or its line"),
        "Who makes it.",
        default=None,
    )
    scattered: Checked[Mapping[int, Sequence[int]], Mapping[int, Sequence[int]] | None] = Checked(
        lambda given: validation.mapping({} if given is None else given, "targets by inches as scattered"),
        "With SCATTER: for each number of inches, 1 to 5, the indices of the targets under the BLAST after that.",
        default=None,
    )
    spend: Checked[Spend, Spend | Literal["nothing"] | None] = Checked(
        lambda given: fixed(given, Spend),
        "What the attacking player spends on the Injury Roll of each model.",
        default=None,
    )
    reply: Checked[Reply, Reply | Literal["nothing"] | None] = Checked(
        lambda given: fixed(given, Reply),
        "What the defending player spends on the Injury Roll of each model.",
        default=None,
    )

    def _check(self) -> None:
        attack, most = self.attack, len(self.targets) - 1
        if not attack.has("BLAST") or not self.targets:
            raise MathhammerError(f"expected a weapon with BLAST and one target or more, got {attack.weapon}")
        if self.scattered and not attack.has("SCATTER"):
            raise MathhammerError(f"expected scattered for a weapon with SCATTER, got it for {attack.weapon}")
        expected = f"indices of the {most + 1} targets as scattered"
        under = {
            validation.whole(inches, "the inches of scattered", 1, 5): tuple(
                validation.whole(place, "an index of the targets in scattered", 0, most)
                for place in several(places, object, expected, MAXIMUM_TARGETS)
            )
            for inches, places in self.scattered.items()
        }
        self._put("scattered", under)

    def answer(self) -> BlastResult:
        """Return the results of all models."""
        games = []
        for target in self.targets:
            made = Activation((self.attack,), self.attacker)
            items, _ = compiled([made], target, self.edition, self.ruled)
            games.append(Game([*items, None], [(self.spend, self.reply)]))
        roll = games[0].items[0].success.total
        aimed = CategoricalDistribution.of(roll, lambda found: (named(SUCCESSES, found), max(0, 7 - found)))

        @cache
        def outcome(place: int, landed: tuple[str, int]) -> CategoricalDistribution[str]:
            name, inches = landed
            under = self.scattered.get(inches, ()) if name == "failure" else range(len(games))
            if place not in under:
                return CategoricalDistribution.certain(OUTCOMES[0], exact=True)
            start = State((condition(self.targets[place]), condition(self.attacker)))
            first = games[place].before(Position(0, INJURY, start, name == "critical" and place == 0))
            begin = CategoricalDistribution.certain(first, exact=True)
            ends = end_distribution(games[place].decision, begin, {})
            return ends.map(lambda end: OUTCOMES[end.state.outcome], OUTCOMES)

        def losses(landed: tuple[str, int]) -> CategoricalDistribution[int]:
            laws = (outcome(place, landed) for place in range(len(games)))
            first, *others = (law.number(lambda name: int(name == OUTCOMES[-1])) for law in laws)
            return CategoricalDistribution.of(sum(others, first), int)

        def edge(law: Any) -> Any:
            return law if self.exact else law.to_floats()

        moved = aimed.number(lambda landed: landed[1] if self.attack.has("SCATTER") else 0)
        outcomes = (aimed.then(partial(outcome, place)).map(str, OUTCOMES) for place in range(len(games)))
        return BlastResult(tuple(map(edge, outcomes)), edge(aimed.then(losses).number(int)), edge(moved))


blast = asked(_Blast, "tc")
