"""Pools of 2D6 with +/- DICE: Success, Injury and Bloodbath Rolls by themselves, in tables, and those of an attack."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import percent
from mathhammer.display.text import page_width, table
from mathhammer.distributions import CategoricalDistribution, Distribution
from mathhammer.distributions.fractions import in_fractions
from mathhammer.expressions import dice as read_dice
from mathhammer.expressions.pool import ExtraDice
from mathhammer.fields.kinds import Boolean
from mathhammer.modifiers import Modifier
from mathhammer.sequence.call import Reproducible
from mathhammer.sequence.explanation import Explanation, Probability, Step
from mathhammer.systems.asked import asked
from mathhammer.systems.trench_crusade.profiles import ARMOUR, MAXIMUM_DICE, Sourced, whole
from mathhammer.systems.trench_crusade.rules import MARKING, Exact, InForce, Keywords, several

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sympy import Rational

    from mathhammer.display.panel import Panel, Part
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.trench_crusade.profiles import SourcedText, Target  # noqa: F401 - read by pdoc
    from mathhammer.systems.trench_crusade.rules import Keyword  # noqa: F401 - read by pdoc
    from mathhammer.systems.trench_crusade.situation import Activation, Attack

Meaning = tuple[tuple[str, int], ...]
#: The outcomes of rolls with the least total of each, the worst for the roller first, which all smaller totals mean too
#: (Trench Crusade rules 1.0.2, Success Rolls; Injuries; FUMBLE: Trench Dispatch 1, April 2026, Public Beta).
SUCCESSES: Meaning = (("failure", 3), ("success", 7), ("critical", 12))
FUMBLES: Meaning = (("fumble", 2), *SUCCESSES)
INJURIES: Meaning = (("no effect", 1), ("minor hit", 2), ("down", 7), ("out of action", 9))


def named(meaning: Meaning, total: int) -> str:
    """Return the name of a roll's outcome."""
    return next((name for name, least in reversed(meaning) if total >= least), meaning[0][0])


@lru_cache(maxsize=1024)
def _rolled(
    meaning: Meaning, keep: int, surplus: int, added: int, *, reroll: bool
) -> tuple[Distribution, tuple[dict[str, int], int]]:
    roll = read_dice(f"{keep}D6")
    if surplus:
        roll = ExtraDice(roll, max(surplus, 0), max(-surplus, 0))
    total = roll.compute() + added
    total = total.reroll(lambda number: number < 7) if reroll else total
    return total, CategoricalDistribution.of(total, partial(named, meaning), [*dict(meaning)]).weights()


def values(modifiers: Iterable[Modifier]) -> list[int]:
    """Return what each modifier adds."""
    return [each.value if each.operation == "add" else -each.value for each in modifiers]


@dataclass(frozen=True, eq=False, repr=False)
class Roll(Displayed, Reproducible):
    """One roll: the distributions of its outcome by name, and of its total, INJURY MODIFIERS added.

    Examples
    --------
    >>> roll = success_roll(exact=True)
    >>> roll.pmf("critical"), roll.total.mean()
    (1/36, 7)
    """

    #: How many dice count, and what adds dice, with its sources.
    keep: int
    dice: tuple[Modifier, ...]
    #: What adds to the sum, with its sources, and what all that comes to after the cap.
    modifiers: tuple[Modifier, ...] = ()
    modifier: int = 0
    #: Whether failures are re-rolled, what a total is called, and whether probabilities are ``sympy.Rational``.
    reroll: bool = False
    meaning: Meaning = SUCCESSES
    exact: bool = True
    #: The surplus of dice after pairs of + and - cancel (Trench Crusade rules 1.0.2, +/- Dice).
    net: int = field(init=False)

    @classmethod
    def injury(
        cls,
        dice: tuple[Modifier, ...],
        modifiers: tuple[Modifier, ...],
        rulings: Rulings,
        *,
        deadly: bool,
        bloodbath: bool,
        exact: bool = True,
    ) -> Roll:
        """Return an Injury Roll (Trench Crusade rules 1.0.2, Injuries; Bloodbath; Keywords, DEADLY)."""
        keep = 2 + bloodbath + (deadly and (bloodbath or rulings["deadly"] == "every-roll"))
        added = values(modifiers)
        positive = sum(value for value in added if value > 0)
        capped = max(sum(added) - positive, -3) + positive
        modifier = max(sum(added), -3) if rulings["modifier_cap"] == "net" else capped
        return cls(keep, dice, modifiers, modifier, meaning=INJURIES, exact=exact)

    def __post_init__(self) -> None:
        object.__setattr__(self, "net", whole(sum(values(self.dice)), "the net number of DICE"))

    @cached_property
    def total(self) -> Distribution:
        """Distribution of the total of the dice that count."""
        total = self.rolled()[0]
        return total if self.exact else total.to_floats()

    @cached_property
    def outcome(self) -> CategoricalDistribution[str]:
        """Distribution of the outcome, by name."""
        return CategoricalDistribution.of(self.total, partial(named, self.meaning), [*dict(self.meaning)])

    def rolled(self, extra: int = 0) -> tuple[Distribution, tuple[dict[str, int], int]]:
        """Return the total with extra dice, how many rolls mean each of the outcomes, and how many there are."""
        return _rolled(self.meaning, self.keep, self.net + extra, self.modifier, reroll=self.reroll)

    def probabilities(self) -> tuple[Probability, ...]:
        """Return the probabilities of the outcomes for an explanation."""
        found, out_of = self.rolled()[1]
        return tuple(Probability(name, weight, out_of) for name, weight in found.items())

    def pmf(self, outcome: str, /) -> Any:
        """Probability of a named outcome."""
        return self.outcome.pmf(validation.one_of(outcome, self.outcome, "an outcome"))

    def at_least(self, outcome: str, /) -> Any:
        """Probability of that outcome or a better one for the roller."""
        order = list(self.outcome)
        least = order.index(validation.one_of(outcome, order, "an outcome"))
        return self.outcome.probability(order[least:].__contains__)

    def explain(self) -> Explanation:
        """Dice and modifiers with their sources, and the probabilities they lead to."""
        text = f"{self.counted} (net {self.net:+d})" + ", failures re-rolled" * self.reroll
        if self.modifiers:
            text += f", INJURY MODIFIERS {self.modifier:+d}"
        sources = tuple(map(str, (*self.dice, *self.modifiers)))
        return Explanation("One roll", (Step("Dice", text, sources, self.probabilities()),))

    @property
    def counted(self) -> str:
        """The dice, and which of them count."""
        if not self.net:
            return f"{self.keep}D6"
        which = "highest" if self.net > 0 else "lowest"
        return f"{self.keep + abs(self.net)}D6, the {self.keep} {which} count"

    def _line(self) -> str:
        return f"{self.counted}: {self}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel
        from mathhammer.distributions.presentation import bars

        parts: list[Part] = [self.outcome.part("outcome"), bars(self.total, "Sum of the dice that count")]
        facts = {"net dice": f"{self.net:+d}", "modifier": f"{self.modifier:+d}"}
        (step,) = self.explain()
        notes = [f"From {', '.join(step.modifiers)}."] if step.modifiers else []
        return Panel(self.counted, facts, parts, notes)

    def __str__(self) -> str:
        distribution = in_fractions(self.outcome)
        return ", ".join(f"{name} {percent(distribution.pmf(name))}" for name in distribution)


class _SuccessRoll(Exact[Roll]):
    """Distribution of a Success Roll.

    Examples
    --------
    >>> roll = success_roll(dice=["+2 elevated", "-1 cover"], exact=True)
    >>> roll.net, roll.pmf("critical"), roll.total.mean()
    (1, 2/27, 203/24)

    Trench Crusade rules 1.0.2, Success Rolls; +/- Dice; Re-rolls.
    """

    dice: Sourced = Sourced(
        '+/- DICE: a number, or texts such as ``"+2 elevated"``; pairs cancel.', kw_only=False
    )
    reroll: Boolean = Boolean("Whether a failure is re-rolled, once, with all its dice.")

    def answer(self) -> Roll:
        """Return the roll."""
        return Roll(2, self.dice, reroll=self.reroll, exact=self.exact)


class _BloodbathRoll(InForce[Roll]):
    """Distribution of a Bloodbath Roll: an Injury Roll of which 3 dice count, or 4 with DEADLY.

    Examples
    --------
    >>> bloodbath_roll(dice=-1, exact=True).pmf("out of action")
    83/162

    Trench Crusade rules 1.0.2, Bloodbath.
    """

    dice: Sourced = Sourced(
        '+/- INJURY DICE: a number, or texts such as ``"+2 Blood Markers"``; pairs cancel.', kw_only=False
    )
    modifier: Sourced = Sourced(
        "INJURY MODIFIERS alike; the negative ones are never worse than -3 in all.", kw_only=False
    )
    keywords: Keywords = Keywords('``"DEADLY"`` or nothing.')
    bloodbath = True

    def answer(self) -> Roll:
        """Return the roll."""
        deadly = any(keyword.name == "DEADLY" for keyword in self.keywords)
        given = self.dice, self.modifier, self.ruled
        return Roll.injury(*given, deadly=deadly, bloodbath=self.bloodbath, exact=self.exact)


class _InjuryRoll(_BloodbathRoll):
    """Distribution of an Injury Roll before TOUGH, GOLEM and Standfast.

    Examples
    --------
    >>> injury_roll(dice=+1, modifier=-2, exact=True).pmf("out of action")
    43/216

    Trench Crusade rules 1.0.2, Injuries; Bloodbath.
    """

    bloodbath: Boolean = Boolean("Whether it is a Bloodbath Roll.")


success_roll = asked(_SuccessRoll, "tc")
bloodbath_roll, injury_roll = asked(_BloodbathRoll, "tc"), asked(_InjuryRoll, "tc")
NET_DICE, MODIFIERS = range(-4, 5), (0, -1, -2, -3)


@dataclass(frozen=True, slots=True, repr=False)
class Table(Displayed):
    """Probabilities in rows and columns, the net dice first; ``print`` shows percentages, below its title.

    Examples
    --------
    >>> print(Table("Success Rolls", ("dice", "success"), ((0, (7 / 12,)), (1, (29 / 36,)))))
    Success Rolls
    dice  success
      +0   58.33%
      +1   80.56%
    """

    #: What it shows.
    title: str
    #: The names of its columns.
    header: tuple[str, ...]
    #: The net dice, and the probabilities of a row.
    rows: tuple[tuple[int, tuple[float | Rational, ...]], ...]

    def __str__(self) -> str:
        cells = [(f"{net:+d}", *(percent(chance) for chance in chances)) for net, chances in self.rows]
        lines = table(self.header, cells, ">" * len(self.header), width=page_width())
        return "\n".join([self.title, *lines])

    def _line(self) -> str:
        return f"{self.title}: {len(self.rows)} rows, {len(self.header) - 1} columns"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import HeatTable, Panel

        chances = [(f"{net:+d}", [float(chance) for chance in row]) for net, row in self.rows]
        texts = [[percent(chance) for chance in row] for _, row in self.rows]
        return Panel(self.title, parts=[HeatTable(self.header[1:], chances, texts, down=self.header[0])])


def _numbers(given: Iterable[int], what: str) -> tuple[int, ...]:
    numbers = several(given, object, f"numbers of {what}", 2 * MAXIMUM_DICE + 1)
    return tuple(whole(each, f"a number of {what}") for each in numbers)


def success_table(dice: Iterable[int] = NET_DICE, *, exact: bool = False) -> Table:
    """Table of Success Rolls over net dice.

    Examples
    --------
    >>> print(success_table([-1, 0, 1]))
    Success Roll
    dice  failure  success  critical  7 or more
      -1   68.06%   31.48%     0.46%     31.94%
      +0   41.67%   55.56%     2.78%     58.33%
      +1   19.44%   73.15%     7.41%     80.56%

    Trench Crusade rules 1.0.2, Success Rolls; +/- Dice.
    """
    rolls = [(net, success_roll(dice=net, exact=exact)) for net in _numbers(dice, "net dice")]
    rows = tuple((net, (*map(roll.pmf, dict(SUCCESSES)), roll.at_least("success"))) for net, roll in rolls)
    return Table("Success Roll", ("dice", "failure", "success", "critical", "7 or more"), rows)


def injury_table(
    dice: Iterable[int] = NET_DICE,
    modifiers: Iterable[int] = MODIFIERS,
    *,
    at_least: str = "out of action",
    bloodbath: bool = False,
    keywords: str = "",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
) -> Table:
    """Table of the chance of a result or a worse one, over net INJURY DICE and INJURY MODIFIERS.

    The result is ``"minor hit"``, ``"down"`` or ``"out of action"``; the rest is as for `injury_roll` (Trench Crusade
    rules 1.0.2, Injuries).

    Examples
    --------
    >>> print(injury_table([0, 1], [0, -3]))
    Injury Roll: out of action
    dice      +0      -3
      +0  27.78%   2.78%
      +1  52.31%   7.41%
    """
    added = _numbers(modifiers, "INJURY MODIFIERS")
    injury = partial(injury_roll, bloodbath=bloodbath, keywords=keywords, rulings=rulings, exact=exact)
    rows = tuple(
        (net, tuple(injury(dice=net, modifier=modifier).at_least(at_least) for modifier in added))
        for net in _numbers(dice, "net dice")
    )
    roll = "Bloodbath" if validation.flag(bloodbath, "bloodbath") else "Injury Roll"
    worse = at_least if at_least == "out of action" else f"{at_least} or worse"
    return Table(f"{roll}: {worse}", ("dice", *(f"{modifier:+d}" for modifier in added)), rows)


def _sources(*rows: tuple[int, str] | tuple[int, str, bool]) -> tuple[Modifier, ...]:
    return tuple(Modifier("add", value, source) for value, source, *holds in rows if value and all(holds))


@dataclass(eq=False)
class RollStage:
    """One attack of one attacker on the target."""

    #: Among all of them, from 1; and what a plan calls it.
    number: int
    label: str
    attack: Attack
    target: Target
    activation: Activation
    edition: str
    rulings: Rulings
    #: All those of its Activation, or of the joint one of a Fireteam: they end together.
    joint: list[RollStage]
    #: The places of the attacker and of the target among the models; whether the attacker activates with this attack;
    #: and in an exchange the side that attacks, 0 or 1.
    place: int
    starts: bool
    aim: int
    side: int

    def __post_init__(self) -> None:
        self.attacker, self.weapon = self.activation.attacker, self.attack.loaded
        has, attack, target = self.weapon.has, self.attack, self.target
        self.automatic = has("FLAMETHROWER") and not attack.on_failure
        #: Whether it is an ACTION before attacks; whether its Success Roll is Risky, and one of 2 or less hits itself.
        self.action = self.weapon.kind == "action"
        self.risky = has("RISKY") or attack.shaken or self.action
        self.fumbles = self.edition == "beta_2026_04" and not attack.on_failure and has("FUMBLE")
        self.spare_markers = self.rulings["spare_markers"] == "allowed"
        #: Whether nobody may spend Blood Markers on its Success Roll.
        self.faith = self.attacker.has("ABSOLUTE FAITH") and not (attack.melee or self.action)
        self.infects, self.marks = has("INFECTION MARKERS"), has("DANGEROUS")
        self.golem, self.tough = target.has("GOLEM"), target.has("TOUGH")
        found = sum(has(name) and not target.negates(name) for name in MARKING)
        self.extra_markers = min(found, 1) if self.rulings["extra_markers"] == "one" else found
        #: Its Injury Rolls that were asked for.
        self.injuries: dict[tuple[bool, bool, bool], Roll] = {}

    def ignores(self, modifier: str) -> bool:
        """Whether its Success Roll ignores a modifier (Trench Crusade rules 1.0.2, Keywords, IGNORE [MODIFIER])."""
        keyword = f"IGNORE {modifier.upper()}{' POSITION' * (modifier == 'Elevated')}"
        return self.weapon.has(keyword) or self.attacker.has(keyword)

    @cached_property
    def success(self) -> Roll:
        """Its Success Roll before markers (Trench Crusade rules 1.0.2, Ranged Attacks; Melee Attacks; Down)."""
        attack, attacker, weapon, target = self.attack, self.attacker, self.weapon, self.target
        covered = attack.cover or target.has("COVER")
        if attack.melee:
            characteristic = max(attacker.melee, attacker.ranged if weapon.has("PISTOL") else -MAXIMUM_DICE)
            own = attacker.has("FEAR") and self.rulings["fear_against_fear"] == "no-penalty"
            situation = [
                (-1, "Defended Obstacle", covered),
                (-1, "Off-Hand Weapon", attack.off_hand),
                (-1, "FEAR", target.has("FEAR") and not (own or attacker.negates("FEAR"))),
                (-1, "BLOCK", attack.charged and target.has("BLOCK")),
                (+1, "Diving Charge", attack.diving),
            ]
        else:
            characteristic = attacker.ranged
            far = attack.long_range and not weapon.has("SHOTGUN")
            situation = [(-1, "Cover", covered), (-1, "Long Range", far), (+1, "Elevated", attack.elevated)]
        name = "Melee" if attack.melee and characteristic == attacker.melee else "Ranged"
        lies = attacker.down and not (self.activation.stands_up or self.ignores("Down"))
        rows = [
            (characteristic, f"{name} Characteristic", not self.action),
            *(row for row in situation if not (self.action or self.ignores(row[1]))),
            (weapon.dice_off_hand if attack.off_hand else weapon.dice, weapon.name, True),
            (attacker.value("DICE"), attacker.name, True),
            (-1, "the attacker is Down", lies),
        ]
        if attack.on_failure:
            rows = [(-1, "the model is Down", target.down), (target.value("DICE"), target.name, True)]
        return Roll(2, (*_sources(*rows), *attack.dice), reroll=attack.reroll)


def injury_of(stage: RollStage, *, critical: bool, down: bool, bloodbath: bool = False) -> Roll:
    """Return the Injury Roll of an attack before markers (Injuries; Keywords, CRITICAL, SHOTGUN, IGNORE ARMOUR)."""
    if roll := stage.injuries.get((critical, down, bloodbath)):
        return roll
    attack, target, weapon, rulings = stage.attack, stage.target, stage.weapon, stage.rulings
    situations = {"": True, " ON CRITICAL": critical, " ON DOWN": down}
    ignored = any(holds and weapon.has(f"IGNORE ARMOUR{when}") for when, holds in situations.items())
    weaker = ignored and rulings["ignore_armour_and_abilities"] == "abilities-too"

    def of_abilities(given: tuple[Modifier, ...]) -> Iterable[Modifier]:
        return (each for each in given if not weaker or values([each])[0] > 0)

    hard = "armour" in target.impervious and rulings["impervious_dice"] == "kept"
    bonus = 1 + weapon.has("CRITICAL") * (1 if rulings["critical_keyword"] == "replaces" else 2)
    far = attack.long_range and weapon.has("SHOTGUN") and not stage.ignores("LONG RANGE")
    near = not attack.melee and not attack.long_range
    against = ((target.value(f"INJURY DICE AGAINST {each}"), each, weapon.has(each)) for each in MARKING)
    dice = (
        *_sources((weapon.injury_dice, weapon.name)),
        *attack.injury_dice,
        *_sources(
            (weapon.value("INJURY DICE AT SHORT RANGE"), "Short Range", near),
            (-1, "Long Range with SHOTGUN", far),
            (bonus, "critical success", critical),
            (+1, "the target is Down", down and (attack.melee or rulings["down_bonus"] == "all")),
            (target.armour_dice, "armour", not ignored or hard),
        ),
        *of_abilities((*target.injury_dice, *_sources(*against))),
    )
    modifiers = (
        *_armour(stage, ignored=ignored),
        *of_abilities(target.injury_modifier),
        *_sources((weapon.injury_modifier, weapon.name)),
        *attack.injury_modifier,
    )
    roll = Roll.injury(dice, modifiers, rulings, deadly=weapon.has("DEADLY"), bloodbath=bloodbath)
    return stage.injuries.setdefault((critical, down, bloodbath), roll)


def _armour(stage: RollStage, *, ignored: bool) -> tuple[Modifier, ...]:
    """INJURY MODIFIERS of armour (Trench Crusade rules 1.0.2, Keywords, ARMOUR PIERCING, IMPERVIOUS)."""
    target, hard, rulings = stage.target, stage.target.impervious, stage.rulings
    items = (
        (target.characteristic, "Armour Characteristic", "characteristic" in hard),
        (ARMOUR[target.armour], f"{target.armour.title()} Armour", "armour" in hard),
        (-target.shield, "Trench Shield", "shield" in hard),
    )
    found = sorted((each for each in items if each[2] or not ignored), key=lambda item: not item[2])
    rows = _sources(*(each[:2] for each in found))
    piercing = sum(each.value or 1 for each in stage.weapon.keywords if each.name == "ARMOUR PIERCING")
    armour = sum(value for value, *_ in found)
    counts = rulings["armour_piercing_and_impervious"] == "other-items"
    untouched = sum(value for value, _, is_hard in found if is_hard and counts)
    if not piercing or armour == untouched:
        return rows
    # One better before the cap of the armour or after it, and never better than what it leaves untouched.
    worst = -3 if rulings["armour_piercing_and_cap"] == "after-cap" else armour
    better = min(max(armour, worst) + piercing, max(untouched, worst))
    return _sources((better, ", ".join([*(row.source for row in rows), "ARMOUR PIERCING"])))
