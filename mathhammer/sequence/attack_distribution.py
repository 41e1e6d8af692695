"""What one attack produces: joint distributions of counts, while single re-rolls are held."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.distributions.kernel import NO_REROLLS, Held

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.expressions.check import Check


@dataclass(slots=True, eq=False)
class AttackDistribution:
    """Joint distribution of some counts, by the re-rolls held before and left after."""

    #: A generating function for each pair of the re-rolls held before and left after; the coefficients of all with the
    #: same re-rolls before sum to 1.
    parts: Mapping[tuple[Held, Held], GeneratingFunction]
    #: The single re-rolls that a die of this attack may use.
    rerolls: Held

    @classmethod
    def of(cls, counts: GeneratingFunction) -> AttackDistribution:
        """Return the distribution of counts that no re-roll changes."""
        return cls({(NO_REROLLS, NO_REROLLS): counts}, NO_REROLLS)

    @property
    def plain(self) -> GeneratingFunction:
        """The distribution when no re-roll is held."""
        return self.parts[NO_REROLLS, NO_REROLLS]

    def after(self, held: Held) -> dict[Held, GeneratingFunction]:
        """Return the parts that start from the given re-rolls, by what is left of them."""
        return {left: part for (before, left), part in self.parts.items() if before == held}

    def given(self, rerolls: Held) -> AttackDistribution:
        """Return the distribution where some re-rolls are given before and taken away after."""
        given = self.rerolls & rerolls
        if not given:
            return self
        found: dict[tuple[Held, Held], list[GeneratingFunction]] = {}
        for (held, left), part in self.parts.items():
            if given <= held:
                found.setdefault((held - given, left - given), []).append(part)
        return AttackDistribution({key: _sum(parts) for key, parts in found.items()}, self.rerolls - given)

    def over(self, rerolls: Held) -> Iterator[tuple[Held, Held, GeneratingFunction]]:
        """Yield the parts where more re-rolls are held than this attack may use: it leaves those alone."""
        others = subsets(rerolls - self.rerolls)
        for (held, left), part in self.parts.items():
            for other in others:
                yield held | other, left | other, part

    def __mul__(self, other: AttackDistribution) -> AttackDistribution:
        """Distribution of the sum of the counts of one thing and of another after it."""
        if not (self.rerolls or other.rerolls):
            return self.of(self.plain * other.plain)
        rerolls = self.rerolls | other.rerolls
        later: dict[Held, list[tuple[Held, GeneratingFunction]]] = {}
        for held, left, part in other.over(rerolls):
            later.setdefault(held, []).append((left, part))
        products: dict[tuple[Held, Held], list[GeneratingFunction]] = {}
        for held, between, first in self.over(rerolls):
            for left, second in later[between]:
                products.setdefault((held, left), []).append(first * second)
        return AttackDistribution({key: _sum(parts) for key, parts in products.items()}, rerolls)

    @classmethod
    def mixture(cls, parts: Sequence[tuple[int, AttackDistribution]], denominator: int) -> AttackDistribution:
        """Return what a die decides: each distribution with its weight over the denominator."""
        rerolls = NO_REROLLS.union(*[part.rerolls for _, part in parts])
        if not rerolls:
            whole = GeneratingFunction.mixture([(weight, part.plain) for weight, part in parts], denominator)
            return cls.of(whole)
        found: dict[tuple[Held, Held], list[tuple[int, GeneratingFunction]]] = {}
        for weight, part in parts:
            if weight:
                for held, left, counts in part.over(rerolls):
                    found.setdefault((held, left), []).append((weight, counts))
        mixed = {key: GeneratingFunction.mixture(each, denominator) for key, each in found.items()}
        return cls(mixed, rerolls)

    def then(self, following: Sequence[AttackDistribution]) -> AttackDistribution:
        """Return what follows from the counts: each of the i-th kind leads to ``following[i]``, in that order."""
        nothing = AttackDistribution.of(GeneratingFunction.one(following[0].plain.width))
        powers = [[nothing] for _ in following]
        later = NO_REROLLS.union(*(each.rerolls for each in following))
        found: dict[tuple[Held, Held], list[GeneratingFunction]] = {}
        for (held, left), counts in self.parts.items():
            products = []
            for exponents, weight in counts.coefficients.items():
                product = nothing
                for place, exponent in enumerate(exponents):
                    while len(powers[place]) <= exponent:
                        powers[place].append(powers[place][-1] * following[place])
                    if exponent:
                        product = product * powers[place][exponent]
                products.append((weight, product))
            # Re-rolls of the counts and of what follows are different ones.
            for before, after, part in self.mixture(products, counts.denominator).over(later):
                found.setdefault((held | before, left | after), []).append(part)
        return AttackDistribution({key: _sum(parts) for key, parts in found.items()}, self.rerolls | later)

    def marginal(self, *indices: int) -> AttackDistribution:
        """Return the distribution of the counts at the given places."""
        return AttackDistribution(
            {key: part.marginal(*indices) for key, part in self.parts.items()}, self.rerolls
        )


def _sum(parts: Sequence[GeneratingFunction]) -> GeneratingFunction:
    return parts[0] if len(parts) == 1 else GeneratingFunction.mixture([(1, part) for part in parts], 1)


def subsets(rerolls: Held) -> list[Held]:
    """Return every set of the given re-rolls."""
    names = sorted(rerolls)
    return [frozenset(chosen) for size in range(len(names) + 1) for chosen in combinations(names, size)]


def roll(
    check: Check,
    then: Mapping[str, AttackDistribution] | Sequence[AttackDistribution],
    *,
    once: str | None = None,
) -> AttackDistribution:
    """Return what one die leads to."""
    outcomes, rerolled = check.outcomes(), check.rerolled()
    follows = [then[outcome] for outcome in outcomes] if isinstance(then, Mapping) else then
    weights = defaultdict[AttackDistribution, int](int)
    for weight, each in zip(check.face_weights(), follows, strict=True):
        weights[each] += weight
    gone = AttackDistribution.mixture([(weight, each) for each, weight in weights.items()], 36)
    fresh = [face for face, outcome in enumerate(outcomes, 1) if outcome == "fail" and face not in rerolled]
    if once is None or not fresh or len(set(outcomes)) == 1:
        return gone
    # A failed face that was not re-rolled uses the single re-roll.
    kept = [
        (len(rerolled) + (0 if face in fresh or face in rerolled else 6), each)
        for face, each in enumerate(follows, 1)
    ]
    spent = [(len(fresh), each) for each in follows]
    return with_reroll(
        once, AttackDistribution.mixture(kept, 36), AttackDistribution.mixture(spent, 36), gone
    )


def with_reroll(
    once: str, kept: AttackDistribution, spent: AttackDistribution, gone: AttackDistribution
) -> AttackDistribution:
    """Return what happens while a single re-roll is kept, when it is spent, and once it is gone."""
    flag = frozenset((once,))
    rerolls = kept.rerolls | spent.rerolls | gone.rerolls | flag
    parts: dict[tuple[Held, Held], list[GeneratingFunction]] = {}
    for held, left, part in kept.over(rerolls):
        if once in held:
            parts.setdefault((held, left), []).append(part)
    for distribution, before in ((spent, flag), (gone, NO_REROLLS)):
        for held, left, part in distribution.over(rerolls):
            if once not in held:
                parts.setdefault((held | before, left), []).append(part)
    found = {key: _sum(each) for key, each in parts.items()}
    return AttackDistribution({key: part for key, part in found.items() if part.coefficients}, rerolls)


def saving_throw(
    unsaved: int, failed: AttackDistribution, *, out_of: int = 36, once: str | None = None
) -> AttackDistribution:
    """Return what a saving throw leads to that fails with a weight out of 36, or another number."""
    nothing = AttackDistribution.of(GeneratingFunction.one(failed.plain.width))
    plain = AttackDistribution.mixture([(out_of - unsaved, nothing), (unsaved, failed)], out_of)
    if once is None or unsaved in {0, out_of}:
        return plain
    saved = AttackDistribution.mixture([(out_of - unsaved, nothing)], out_of)
    return with_reroll(once, saved, AttackDistribution.mixture([(unsaved, plain)], out_of), plain)


def repeated(
    each: AttackDistribution, number: IntegerDistribution, nothing: GeneratingFunction | None = None
) -> AttackDistribution:
    """Return a random number of equal things, one after another; `nothing` is what none of them counts."""
    power, parts = AttackDistribution.of(nothing or GeneratingFunction.one(each.plain.width)), []
    for count in range(number.low + len(number.weights)):
        if count:
            power = power * each
        if count >= number.low:
            parts.append((number.weights[count - number.low], power))
    return AttackDistribution.mixture(parts, number.denominator)
