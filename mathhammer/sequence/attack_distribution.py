"""What one attack produces: joint distributions of counts, while single re-rolls are held."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from math import lcm
from typing import TYPE_CHECKING

from mathhammer.display import shorten
from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.distributions.kernel import NO_REROLLS, Held

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.expressions.check import Check


class AttackDistribution:
    """Joint distribution of some counts, by the re-rolls held before and left after."""

    __slots__ = ("parts", "rerolls")

    def __init__(self, parts: Mapping[tuple[Held, Held], GeneratingFunction], rerolls: Held) -> None:
        #: A generating function for each pair of the re-rolls held before and left after; the coefficients of all with
        #: the same re-rolls before sum to 1.
        self.parts = parts
        #: The single re-rolls that a die of this attack may use.
        self.rerolls = rerolls

    def __repr__(self) -> str:
        return shorten(f"<AttackDistribution {'; '.join(map(str, self.parts.values()))}>")

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
        width = following[0].plain.width
        nothing = AttackDistribution.of(GeneratingFunction.one(width))
        powers = [[nothing] for _ in following]
        found: list[tuple[Held, Held, int, AttackDistribution, int]] = []
        for (held, left), counts in self.parts.items():
            for exponents, weight in counts.coefficients.items():
                product = nothing
                for place, exponent in enumerate(exponents):
                    while len(powers[place]) <= exponent:
                        powers[place].append(powers[place][-1] * following[place])
                    if exponent:
                        product = product * powers[place][exponent]
                found.append((held, left, weight, product, counts.denominator))
        later = frozenset[str]().union(*(each.rerolls for each in following))
        return _composed(found, self.rerolls, later)

    def marginal(self, *indices: int) -> AttackDistribution:
        """Return the distribution of the counts at the given places."""
        return AttackDistribution(
            {key: part.marginal(*indices) for key, part in self.parts.items()}, self.rerolls
        )


def _composed(
    found: Sequence[tuple[Held, Held, int, AttackDistribution, int]], rerolls: Held, later: Held
) -> AttackDistribution:
    """Add up what weighted counts lead to; re-rolls of the counts and of what follows are different ones."""
    groups: dict[tuple[Held, Held], list[tuple[int, GeneratingFunction, int]]] = {}
    for held, left, weight, product, denominator in found:
        for before, after, part in product.over(later):
            groups.setdefault((held | before, left | after), []).append((weight, part, denominator))
    parts = {}
    for key, each in groups.items():
        common = lcm(*(denominator for _, _, denominator in each))
        weighted = [(weight * (common // denominator), part) for weight, part, denominator in each]
        parts[key] = GeneratingFunction.mixture(weighted, common)
    return AttackDistribution(parts, rerolls | later)


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
    outcomes, weights = check.outcomes(), defaultdict[AttackDistribution, int](int)
    faces = _by_face(then, outcomes)
    if once is not None and len(set(outcomes)) > 1:
        rerolled = check.rerolled()
        fresh = [
            face for face, outcome in enumerate(outcomes, 1) if outcome == "fail" and face not in rerolled
        ]
        if fresh:
            return _roll_once(check, faces, fresh, once)
    for weight, follows in zip(check.face_weights(), faces, strict=True):
        weights[follows] += weight
    return AttackDistribution.mixture([(weight, follows) for follows, weight in weights.items()], 36)


def _by_face(
    then: Mapping[str, AttackDistribution] | Sequence[AttackDistribution], outcomes: Sequence[str]
) -> Sequence[AttackDistribution]:
    return [then[outcome] for outcome in outcomes] if isinstance(then, dict) else then  # type: ignore[return-value]


def _roll_once(
    check: Check, then: Sequence[AttackDistribution], fresh: Sequence[int], once: str
) -> AttackDistribution:
    """Return a roll of which a failed face that was not re-rolled uses the single re-roll."""
    again = len(check.rerolled())
    gone = AttackDistribution.mixture(list(zip(check.face_weights(), then, strict=True)), 36)
    kept = AttackDistribution.mixture(
        [
            (again + (0 if face in fresh or face in check.rerolled() else 6), follows)
            for face, follows in enumerate(then, 1)
        ],
        36,
    )
    spent = AttackDistribution.mixture([(len(fresh), follows) for follows in then], 36)
    return with_reroll(once, kept, spent, gone)


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
