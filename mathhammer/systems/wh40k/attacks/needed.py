"""The number of weapons, or units, that destroy a target with a given probability."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Unpack

from mathhammer import validation
from mathhammer.display import Named
from mathhammer.display.numbers import percent
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.kernel import together
from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.attacks.attack import read_weapons, resolved
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION
from mathhammer.systems.wh40k.profiles.profiles import Weapon
from mathhammer.systems.wh40k.profiles.targets import read_target
from mathhammer.systems.wh40k.profiles.volleys import Volley, read_volley
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.sequence.unit_distribution import UnitDistribution
    from mathhammer.systems.wh40k.attacks.attack import Attacking, AttackOptions
    from mathhammer.systems.wh40k.attacks.result import AttackResult
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.targets import Attackable
    from mathhammer.systems.wh40k.profiles.volleys import MortalWounds
    from mathhammer.systems.wh40k.situation import SituationKeywords

#: The most weapons or units that are tried.
MAXIMUM = 1_000
#: Tolerance of a probability that is reached, so that rounding does not call for one more.
_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Needed(Named):
    """The number of attacks that destroy a target."""

    attacker: str
    target: str
    probability: float
    #: The least number that reaches the probability; ``None`` if the most that were to be tried do not.
    count: int | None
    #: What so many do, or the most if they do not suffice; and one fewer, where there are.
    result: AttackResult
    fewer: AttackResult | None
    most: int

    @property
    def probability_destroyed(self) -> Any:
        """Probability that the number found, or the most that were tried, destroy the target."""
        return self.result.probability_destroyed

    @property
    def one_fewer(self) -> Any | int:
        """The same of one fewer: below the probability that was wanted."""
        return 0 if self.fewer is None else self.fewer.probability_destroyed

    def __str__(self) -> str:
        who, reached = self.attacker, percent(in_fractions(self.result).probability_destroyed)
        if self.count is None:
            few = f"less than {percent(self.probability)}"
            return f"{self.most} × {who} destroy {self.target} with {reached}, {few}"
        less = ""
        if self.fewer is not None:
            less = f" ({self.count - 1}: {percent(in_fractions(self.fewer).probability_destroyed)})"
        verb = "destroys" if self.count == 1 else "destroy"
        return f"{self.count} × {who} {verb} {self.target} with {reached}{less}"


@together()
def needed(
    attacks: Attacking,
    target: Attackable,
    /,
    probability: float = 0.8,
    *,
    most: int = 100,
    edition: str | Edition = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: UnitDistribution | None = None,
    **situation: Unpack[SituationKeywords],
) -> Needed:
    """Find how many weapons, or units, destroy a target with a probability.

    Parameters
    ----------
    attacks
        A weapon or its stat line: so many weapons of one unit. A volley, volleys or a unit of an army with the weapons
        of one phase: so many such units, one after another, each of which finds what the ones before it have left.
    target
        As for :func:`mathhammer.wh40k.attack`.
    probability
        Above 0 and below 1.
    most
        The number after which the search ends, at most 1,000.
    edition, rulings, exact, start, **situation
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> lascannon = wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1")
    >>> found = wh40k.needed(lascannon, "TANK", 0.8, edition="10e")
    >>> found.count, wh40k.attack(lascannon, "TANK", count=found.count - 1, edition="10e").probability_destroyed < 0.8
    (16, True)
    """
    wanted = wanted_probability(probability)
    most = validation.whole(most, "most", 1, MAXIMUM)
    target = read_target(target, edition)
    options: AttackOptions = {"edition": edition, "rulings": rulings, "start": start, **situation}
    weapon = attacks if isinstance(attacks, Weapon) else None
    if isinstance(attacks, str) and (volley := read_volley(attacks, MAXIMUM)).count == MAXIMUM:
        weapon = volley.weapon  # without a number: a unit may have any
    name = getattr(weapon or attacks, "name", None) or _name(
        read_weapons(attacks, 1, target, exact=exact, **options)
    )

    def reached(count: int) -> AttackResult:
        if weapon is not None:
            return resolved(weapon, target, count=count, exact=exact, **options)
        found = resolved(attacks, target, exact=exact, **options)
        options["start"] = found  # which the next unit finds
        return found

    def enough(result: AttackResult) -> bool:
        return float(in_fractions(result).probability_destroyed) >= wanted - _TOLERANCE

    fewer, result, tries, low, high = None, reached(1), most, 0, 1
    if weapon is None and start is None and not in_fractions(result).wounds_lost.mean():
        tries = 1  # a fresh target that loses nothing to one of them loses nothing to any number
    # More weapons are never worse: the number is doubled until it is enough, and the interval halved from there.
    while not enough(result) and high < tries:
        low, fewer, high = high, result, high + 1 if weapon is None else min(2 * high, most)
        result = reached(high)
    if not enough(result):
        return Needed(name, target.name, wanted, None, result, None, most)
    while high - low > 1:
        middle = (low + high) // 2
        if enough(found := reached(middle)):
            high, result = middle, found
        else:
            low, fewer = middle, found
    return Needed(name, target.name, wanted, high, result, fewer, most)


def _name(volleys: Sequence[Volley | MortalWounds]) -> str:
    texts = [
        f"{each.count} {each.weapon.name}" if isinstance(each, Volley) else each.source for each in volleys
    ]
    return f"({', '.join(texts)})"


def wanted_probability(given: float, of: str = "") -> float:
    """Read the probability that is wanted, above 0 and below 1."""
    wanted = float(validation.instance(given, Real, f"a probability such as 0.8{of}"))
    if not 0 < wanted < 1:
        remedy = f"; 80 % is 0.8, so write {wanted / 100:g}" if 1 < wanted < 100 else ""
        raise MathhammerError(f"expected a probability above 0 and below 1{of}, got {shown(given)}{remedy}")
    return wanted
