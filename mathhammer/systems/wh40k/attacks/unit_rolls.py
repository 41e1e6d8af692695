"""Charge rolls, battle-shock, and dice that inflict mortal wounds without an attack."""

from __future__ import annotations

import re
from collections import Counter
from math import comb
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.arithmetic import mass_type
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.joint import JointDistribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions.base import Expression, as_expression
from mathhammer.expressions.die import faces
from mathhammer.expressions.parser import dice
from mathhammer.fields.kinds import Boolean, Checked, Integer
from mathhammer.modifiers import Modifier
from mathhammer.sequence.call import records_call
from mathhammer.sequence.explanation import Step
from mathhammer.sequence.rolls import ChargeResult, RollResult, fraction
from mathhammer.sequence.unit import ModelUnit
from mathhammer.sequence.unit_distribution import UnitDistribution
from mathhammer.systems.asked import Question, ResultT, asked
from mathhammer.systems.wh40k.attacks.attack_sequence import AttackSequence
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, EDITIONS, find_edition
from mathhammer.systems.wh40k.profiles.targets import read_target
from mathhammer.systems.wh40k.sequence.damage import integer_distribution
from mathhammer.systems.wh40k.situation import MortalWounds
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.distributions.univariate import Distribution
    from mathhammer.systems.wh40k.editions.edition import BattleShockRules, ChargeRules, Edition
    from mathhammer.systems.wh40k.profiles.targets import Attackable


_ROLL = dice("2D6")
_ROLL_OR_MORE = re.compile(r"(\d{1,2})\+?")
#: Most that any rule adds to a roll of two dice, or subtracts from it.
MOST_MODIFIER = 12
AS_ATTACK = "As for :func:`mathhammer.wh40k.attack`."


def as_given(value: Any) -> Any:
    """Read what can only be read together with other fields."""
    return value


class OfEdition(Question[ResultT]):
    """A question that an edition answers."""

    edition: Checked[Edition, str | Edition] = Checked(find_edition, AS_ATTACK, default=DEFAULT_EDITION)
    exact: Boolean = Boolean(AS_ATTACK)

    @property
    def rules(self) -> Edition:
        """The edition."""
        return find_edition(self.edition)


class _Charge(OfEdition[ChargeResult]):
    """Make a charge roll of two D6.

    In the 9th and the 10th edition the charge ends within 1" of its target, so that a target 9" away needs 8 or
    more. In the 11th edition targets are chosen after the roll, among those within the distance rolled, so that it
    needs 9.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> wh40k.charge(9, edition="10e", exact=True).probability_success
    5/12

    References
    ----------
    Warhammer 40,000 9th and 10th edition core rules, Charge Phase; 11th edition core rules, Charge Phase, with
    02.02.01 for the limit, and Heroic Intervention.
    """

    distance: Checked[int, int] = Checked(as_given, "To the target, in inches.", kw_only=False)
    more_than: Boolean = Boolean(
        'Whether the target is a little beyond the distance, as a unit set up more than 8" away.'
    )
    modifier: Integer = Integer(
        "Added to the roll; in the 11th edition it is 12 at most afterwards.",
        default=0,
        least=-MOST_MODIFIER,
        most=MOST_MODIFIER,
    )
    skies: Boolean = Boolean('Whether the unit takes to the skies, which costs 2" (11th edition).')
    into_the_fray: Boolean = Boolean(
        "Whether the charge is a Heroic Intervention of that sort, of which a result above 6 is 6 (11th edition)."
    )
    reroll: Boolean = Boolean("Whether a roll that does not reach the target is re-rolled.")

    def answer(self) -> ChargeResult:
        """Return the chances of the distance, and of all others."""
        rules, added, farther, again = self.rules, self.modifier, self.more_than, self.reroll
        found: ChargeRules = required(rules, "charge", "charge")
        inches = validation.whole(self.distance, "distance in inches", 0, found.within - farther)
        if inches + farther <= found.engagement:
            raise MathhammerError(
                f'expected a distance of more than {found.engagement}" in the {rules.title}, within which a unit is '
                f'engaged and does not charge, got {inches}"'
            )
        cost = self._rule("skies")
        limits = {"": found.most, " (Into the Fray)": self._rule("into_the_fray")}
        most = {who: limit for who, limit in limits.items() if limit is not None}
        notes = [f"{added:+d} (modifier)"] * bool(added)
        notes += [f"{limit} at most{who}" for who, limit in most.items()]
        notes += [f"-{cost} (taking to the skies)"] * (cost is not None)
        notes += ["re-rolled if it falls short"] * again
        covered = _ROLL.distribution(exact=self.exact).map(
            lambda rolled: min([max(1, rolled + added), *most.values()]) - (cost or 0)
        )
        need = inches + farther - found.reach
        success, _ = _chances(covered, need, again=again)
        within = [each for each in covered.support if found.engagement < each + found.reach <= found.within]
        table = tuple((each + found.reach, _chances(covered, each, again=again)[0]) for each in within)
        roll = Step("Roll", str(_ROLL), tuple(notes))
        steps = roll, Step("Success", f'{need}" or more', (), fraction(success))
        in_force = rules.in_force(None)
        return ChargeResult(success, covered, None, table, inches, rules.name, in_force, steps, farther)

    def _rule(self, name: str) -> int | None:
        """Return the number of a rule of charges where it is given."""
        if not getattr(self, name):
            return None
        number: int | None = getattr(self.rules.charge, name)
        if number is None:
            known = [each.name for each in EDITIONS.values() if getattr(each.charge, name, None) is not None]
            raise MathhammerError(
                f"{name} must be left out in the {self.rules.title}: it is a rule of {', '.join(known)}"
            )
        return number


charge = asked(_Charge, "40k")


def _chances(roll: Distribution, need: int, *, again: bool) -> tuple[Any, Any]:
    """Return the probabilities of so much or more and of less, where less is re-rolled or is not."""
    passed, failed = in_fractions(roll).at_least(need), in_fractions(roll).cdf(need - 1)
    return (passed + failed * passed, failed * failed) if again else (passed, failed)


def required(edition: Edition, rule: str, what: str) -> Any:
    """Return a rule that not every edition has."""
    if (found := getattr(edition, rule)) is None:
        known = ", ".join(each.name for each in EDITIONS.values() if getattr(each, rule) is not None)
        raise MathhammerError(f"{what}: edition must be one of {known} (got {edition.name!r})")
    return found


class _BattleShock(OfEdition[RollResult]):
    """Take a battle-shock roll, which is a Leadership roll: two D6 against the Leadership of the unit.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> wh40k.battle_shock("7+", edition="10e", exact=True).probability_success
    7/12

    References
    ----------
    Warhammer 40,000 10th edition core rules, Battle-shock; 11th edition core rules, 01.07, Battle-shock, and
    02.02.01 for the limits of Leadership.
    """

    leadership: Checked[Any, int | str | Sequence[int | str]] = Checked(
        as_given,
        '``"7+"`` or ``7``; of a unit with several, all of them: the best is used.',
        kw_only=False,
    )
    modifier: Integer = Integer("Added to the roll.", default=0, least=-MOST_MODIFIER, most=MOST_MODIFIER)
    worsen: Integer = Integer(
        "By how much rules make the Leadership worse, negative where they make it better; it stays from 5+ to 8+.",
        default=0,
        least=-MOST_MODIFIER,
        most=MOST_MODIFIER,
    )
    reroll: Boolean = Boolean("Whether a failed roll is re-rolled.")

    def answer(self) -> RollResult:
        """Return the chances of the roll."""
        rules, given, added, worse = self.rules, self.leadership, self.modifier, self.worsen
        required(rules, "battle_shock", "battle_shock")
        printed = min(
            map(read_leadership, given if isinstance(given, (list, tuple)) else (given,)), default=None
        )
        if printed is None:
            raise MathhammerError("expected a Leadership such as '7+', got none")
        changes = (Modifier("worsen" if worse > 0 else "improve", abs(worse), "rules"),) if worse else ()
        need = rules.characteristics["leadership"].modified(printed, changes)
        roll = _ROLL.distribution(exact=self.exact)
        chances = _chances(roll, need - added, again=self.reroll)
        notes = [f"{added:+d} (modifier)"] * bool(added) + ["re-rolled if it fails"] * self.reroll
        notes += [f"Leadership {printed}+ worsened by {worse} is {need}+"] * (need != printed)
        steps = (Step("Roll", f"{_ROLL} of {need} or more", tuple(notes), fraction(chances[0])),)
        shown, in_force = roll.map(lambda rolled: max(1, rolled + added)), rules.in_force(None)
        return RollResult(
            *chances, shown, need, rules.name, in_force, "Battle-shock roll", steps, at_least=True
        )


battle_shock = asked(_BattleShock, "40k")


def read_leadership(value: object) -> int:
    """Return the number of a Leadership such as ``"7+"``."""
    return read_roll(value, 2, 12, "a Leadership from '2+' to '12+'")


def read_roll(value: object, least: int, most: int, what: str) -> int:
    """Return the number of a roll such as ``"7+"``."""
    match = _ROLL_OR_MORE.fullmatch(value.strip()) if isinstance(value, str) else None
    number = int(match[1]) if match is not None else validation.as_whole(value)
    if number is None or not least <= number <= most:
        raise MathhammerError(f"expected {what}, got {shown(value)}")
    return number


def probability_half_strength(
    after: UnitDistribution,
    /,
    *,
    starting_strength: int | None = None,
    edition: str | Edition = DEFAULT_EDITION,
) -> Any:
    """Probability that a unit is left, and so small that it takes a battle-shock roll.

    That is below half of its models in the 10th edition, and at half of them or below in the 11th; of a unit of one
    model the same of its wounds.

    Parameters
    ----------
    after
        The result of what happened to the unit.
    starting_strength
        The number of its models when the battle began; by default those that it had before.
    edition
        The rules: a name in ``wh40k.EDITIONS``, or an edition of your own.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> squad = wh40k.Target("Squad", toughness=4, save=None, wounds=1, models=4)
    >>> two_lost = wh40k.mortal_wounds(2, squad, exact=True)
    >>> wh40k.probability_half_strength(two_lost, edition="10e")
    0

    References
    ----------
    Warhammer 40,000 10th edition core rules, Below Half-strength; 11th edition core rules, 01.07, Battle-shock.
    """
    rule = find_edition(edition).battle_shock
    validation.instance(after, UnitDistribution, "the result of an attack on the unit")
    if rule is None or not isinstance(after.unit, ModelUnit):
        raise MathhammerError(
            f"expected the result of an attack of an edition with battle-shock, got {after}"
        )
    few = states_at_half_strength(after.unit, rule, starting_strength)
    return after._distribution_of(few).pmf(1)  # noqa: SLF001 - what each state is worth, as kills are


def states_at_half_strength(
    unit: ModelUnit, rule: BattleShockRules, starting_strength: int | None = None
) -> list[int]:
    """Return for each state of a unit whether it is left, and so small that it takes a battle-shock roll."""
    least = unit.models
    given = least if starting_strength is None else starting_strength
    whole, lost = validation.whole(given, "starting_strength", least), unit.kills()
    already = whole - least
    if whole == 1:
        whole, lost = unit.groups[0].wounds, unit.wounds_lost()
    limit = whole if rule.at_half else whole - 1
    return [int(left > 0 and 2 * left <= limit) for left in (whole - already - number for number in lost)]


@records_call("40k")
def mortal_wounds(
    number: int | str | Expression | MortalWounds,
    target: Attackable,
    /,
    *,
    edition: str | Edition = DEFAULT_EDITION,
    exact: bool = False,
    start: UnitDistribution | None = None,
) -> UnitDistribution:
    """Inflict plain mortal wounds, which spill over from model to model in every edition.

    Parameters
    ----------
    number
        A number or dice, or :class:`mathhammer.wh40k.MortalWounds`.
    target, edition, exact, start
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> wh40k.mortal_wounds(6, marines, exact=True).kills.pmf(3)
    1

    References
    ----------
    Warhammer 40,000 9th and 10th edition core rules, Mortal Wounds; 11th edition core rules, Mortal Wounds.
    """
    wounds = number if isinstance(number, MortalWounds) else MortalWounds(number)
    target, rules = read_target(target, edition), find_edition(edition)
    sequence = AttackSequence([wounds], target, rules.by_default, exact=validation.flag(exact, "exact"))
    _, unit, states, _ = sequence.resolve(start)
    return UnitDistribution(unit, states if start is None else sequence.states_after(start), exact=exact)


def grenade() -> Expression:
    """Number of mortal wounds of a Grenade, in the 11th edition of Explosives: six D6, one for each 4+.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> wh40k.grenade().distribution(exact=True).mean()
    3

    References
    ----------
    Warhammer 40,000 10th edition core stratagems, Grenade; 11th edition core stratagems, Explosives.
    """
    return dice("6(D6>=4)")


def tank_shock(toughness: int) -> Expression:
    """Number of mortal wounds of Tank Shock: a D6 for each point of Toughness, one for each 5+, 6 at most.

    Examples
    --------
    >>> tank_shock(3).distribution(exact=True).mean()
    1

    References
    ----------
    Warhammer 40,000 10th edition core stratagems, Tank Shock; Core Rules Updates.
    """
    return dice(f"min(6, {validation.whole(toughness, 'toughness', 1, 100)}(D6>=5))")


def crushing_impact(toughness: int, /, *, exact: bool = False) -> JointDistribution:
    """Mortal wounds of Crushing Impact on the enemy unit and on the own one, together (11th edition).

    A D6 is rolled for each point of the Toughness of one of the own models: each 5+ is one on the enemy, each 1 one on
    the own unit, 6 at most on either.

    Parameters
    ----------
    toughness
        Of the model, from 1 to 100.
    exact
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> impact = wh40k.crushing_impact(9, exact=True)
    >>> impact.marginal("enemy").mean(), impact.marginal("enemy").pmf(6)
    (19622/6561, 835/19683)

    References
    ----------
    Warhammer 40,000 11th edition core stratagems, Crushing Impact.
    """
    rolled = validation.whole(toughness, "toughness", 1, 100)
    weights: Counter[tuple[int, int]] = Counter()
    for enemy in range(rolled + 1):
        for own in range(rolled - enemy + 1):
            ways = comb(rolled, enemy) * comb(rolled - enemy, own) * 2**enemy * 3 ** (rolled - enemy - own)
            weights[min(6, enemy), min(6, own)] += ways
    mass = mass_type(exact=exact).from_weights([*weights.values()], 6**rolled)
    return JointDistribution(("enemy", "own"), tuple(weights), mass)


def deadly_demise(value: int | str | Expression, /) -> Expression:
    """Number of mortal wounds that each unit within 6" suffers when one such model is destroyed.

    It is rolled when the model is destroyed: on a 6 each unit in range suffers that many, a random number rolled
    for each unit.

    Parameters
    ----------
    value
        The X of Deadly Demise X.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> wh40k.deadly_demise("D6").distribution(exact=True).mean()
    7/12

    References
    ----------
    Warhammer 40,000 10th edition core rules, Deadly Demise; 11th edition core rules, 24.08.
    """
    distribution = integer_distribution(dice(value) if isinstance(value, str) else as_expression(value))
    if distribution.low < 1:
        raise MathhammerError(f"expected mortal wounds of 1 or more as Deadly Demise, got {shown(value)}")
    return faces({0: 5 * distribution.denominator, **dict(distribution.items())})
