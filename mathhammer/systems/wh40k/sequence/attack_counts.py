"""Results of the hit and wound rolls of one attack, with every rule that acts on particular results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.modifiers import Modifier
from mathhammer.sequence.attack_distribution import AttackDistribution, repeated, roll, saving_throw
from mathhammer.systems.wh40k.sequence.damage import integer_distribution

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Check
    from mathhammer.systems.wh40k.profiles.triggers import Trigger

#: The kinds of wounds of an attack that are deferred: critical wounds without a save, those of attacks that their own
#: hit roll gave Precision, and mortal wounds.
DeferredKind = Literal["devastating", "directed devastating", "mortal"]

#: What the Armour Penetration of a wound is modified by.
Penetration = tuple[Modifier, ...]
#: What modifies it by nothing and says that the wound is directed.
_DIRECTED = Modifier("improve", 0, "Precision", of="precision")


class Rolls(NamedTuple):
    """The rolls of one attack before the saves."""

    #: The hit roll; None where attacks hit without one.
    hit: Check | None
    #: Of each strength its weight and its wound roll.
    wounds: tuple[tuple[int, Check], ...]
    #: Whether critical hits wound without a roll.
    lethal: bool = False
    #: Further hits that a critical hit scores.
    extra_hits: IntegerDistribution | None = None
    #: Whether critical wounds allow no save and are deferred.
    devastating: bool = False
    #: What particular results do.
    triggers: tuple[Trigger, ...] = ()
    #: Names of the single re-rolls that these rolls may use.
    reroll_hit: str | None = None
    reroll_wound: str | None = None
    #: Whether every attack is directed, or none can be, so that Precision on some results changes nothing.
    directs: bool = False
    #: Whether additional hits have what triggers give to the hit that scores them.
    extra_hits_alike: bool = False

    def better(self, fired: Sequence[Trigger]) -> Penetration:
        """Return what triggers do to the Armour Penetration, and whether they direct an attack that is not anyway."""
        directed = not self.directs and any(trigger.precision for trigger in fired)
        return (*_better(fired), _DIRECTED) if directed else _better(fired)

    def fired(self, name: str, check: Check, face: int) -> tuple[Trigger, ...]:
        """Return the triggers that a face of a successful roll sets off."""
        return tuple(t for t in self.triggers if t.roll == name and face in t.faces(check))


@dataclass(frozen=True, slots=True)
class Counting:
    """Counts of each result in one attack."""

    #: None of it.
    nothing: AttackDistribution
    #: What a hit counts, and a wound roll that ends the attack; a hit of None goes on to its wound roll.
    hit: AttackDistribution | None
    instead: AttackDistribution
    #: What a wound counts, by the modifiers of its Armour Penetration and whether it allows no save.
    wound: Callable[[Penetration, bool], AttackDistribution]
    #: What each mortal wound counts.
    mortal_wound: AttackDistribution
    #: What a wound die that is yet to be rolled counts, by the place of its strength and the modifiers of its Armour
    #: Penetration; by default it is rolled at once.
    die: Callable[[int, Penetration], AttackDistribution] | None = None
    #: What a critical hit counts that may wound without a roll; by default it does.
    choice: Callable[[Penetration], AttackDistribution] | None = None


_NONE = AttackDistribution.of(GeneratingFunction.one(1))
_ONE = AttackDistribution.of(GeneratingFunction.unit(0, 1))


class AttackCounts:
    """Joint distributions of what one attack produces before saves."""

    def __init__(self, rolls: Rolls) -> None:
        self._rolls = rolls
        #: Whether every attack is directed, or none can be.
        self.directs = rolls.directs
        mortal = any(trigger.mortal_wounds is not None for trigger in rolls.triggers)
        kinds: list[DeferredKind] = []
        self.penetrations = _penetrations(rolls) if rolls.triggers else ((),)
        if rolls.devastating:
            kinds.append("devastating")
            if any(map(is_directed, self.penetrations)):
                kinds.append("directed devastating")
        if mortal:
            kinds.append("mortal")
        self.deferred: tuple[DeferredKind, ...] = tuple(kinds)

    def __repr__(self) -> str:
        return f"<AttackCounts {self.saves!r}>"

    @cached_property
    def hits(self) -> AttackDistribution:
        """Hits of one attack."""
        return _attack(self._rolls, Counting(_NONE, _ONE, _NONE, lambda *_: _ONE, _NONE))

    @cached_property
    def wounds(self) -> AttackDistribution:
        """Successful wounds of one attack."""
        return _attack(self._rolls, Counting(_NONE, None, _ONE, lambda *_: _ONE, _NONE))

    @cached_property
    def saves(self) -> AttackDistribution:
        """Saves to be made at each Armour Penetration, then the deferred wounds of each kind."""
        first = len(self.penetrations)
        counts = first + len(self.deferred)
        units = [AttackDistribution.of(GeneratingFunction.unit(place, counts)) for place in range(counts)]
        nothing = AttackDistribution.of(GeneratingFunction.one(counts))

        def wound(penetration: Penetration, unsaveable: bool) -> AttackDistribution:  # noqa: FBT001
            if unsaveable:
                return units[first + ("directed devastating" in self.deferred and is_directed(penetration))]
            return units[self.penetrations.index(penetration)]

        return _attack(self._rolls, Counting(nothing, None, nothing, wound, units[-1]))

    @cached_property
    def defers(self) -> bool:
        """Whether any wound can be deferred."""
        first = len(self.penetrations)
        return any(any(counts[first:]) for part in self.saves.parts.values() for counts in part.coefficients)


@lru_cache(maxsize=4096)
def attack_counts(rolls: Rolls) -> AttackCounts:
    """Return what one attack produces; attacks of equal rolls share it."""
    return AttackCounts(rolls)


def each_attack(rolls: Rolls, unsaved: int) -> GeneratingFunction:
    """Return the failed saves and the devastating wounds of one attack without triggers."""
    plain = attack_counts(rolls._replace(reroll_hit=None, reroll_wound=None))
    failed, devastating = (AttackDistribution.of(GeneratingFunction.unit(place, 2)) for place in range(2))
    following = [saving_throw(unsaved, failed), devastating]
    return plain.saves.then(following[: plain.saves.plain.width]).plain


def _penetrations(rolls: Rolls) -> tuple[Penetration, ...]:
    """Return what the Armour Penetration of a wound can be modified by, nothing first."""
    of_rolls: list[dict[Penetration, None]] = []
    for name, checks in (
        ("hit", () if rolls.hit is None else (rolls.hit,)),
        ("wound", [check for _, check in rolls.wounds]),
    ):
        found: dict[Penetration, None] = {(): None}
        for check in checks:
            for face in range(1, 7):
                found[rolls.better(rolls.fired(name, check, face))] = None
        of_rolls.append(found)
    on_hit, on_wound = of_rolls
    return tuple(dict.fromkeys((*first, *second) for first in on_hit for second in on_wound))


def is_directed(penetration: Penetration) -> bool:
    """Whether a wound is directed by a result of its own attack."""
    return _DIRECTED in penetration


def _better(fired: Sequence[Trigger]) -> Penetration:
    return tuple(modifier for trigger in fired for modifier in trigger.ap)


def _attack(rolls: Rolls, counting: Counting, *, further: bool = True) -> AttackDistribution:
    """Return one attack; `further` is whether it may make additional attacks."""
    check = rolls.hit
    if check is None:
        return hit_follows(rolls, counting, (), automatic=False)
    return roll(check, hit_results(rolls, check, counting, further=further), once=rolls.reroll_hit)


def hit_results(
    rolls: Rolls, check: Check, counting: Counting, *, further: bool
) -> Mapping[str, AttackDistribution] | Sequence[AttackDistribution]:
    """Return what follows from a hit roll, by outcome or by face."""
    if not rolls.triggers:
        hit = hit_follows(rolls, counting, (), automatic=False)
        critical = _scored(rolls, counting, (), critical=True) if rolls.lethal or rolls.extra_hits else hit
        return {"fail": counting.nothing, "success": hit, "critical": critical}
    again = further and any(trigger.extra_attacks is not None for trigger in rolls.triggers)
    additional = _attack(rolls, counting, further=False) if again else counting.nothing
    faces = []
    for face, outcome in enumerate(check.outcomes(), 1):
        follows = counting.nothing
        if outcome != "fail":
            fired = rolls.fired("hit", check, face)
            follows = _scored(rolls, counting, fired, critical=outcome == "critical")
            for trigger in fired:
                if trigger.extra_attacks is not None and further:
                    follows = follows * _repeated(additional, trigger.extra_attacks, counting)
        faces.append(follows)
    return faces


def _scored(
    rolls: Rolls, counting: Counting, fired: Sequence[Trigger], *, critical: bool
) -> AttackDistribution:
    """Return one successful hit roll: its own hit, the additional ones, and mortal wounds."""
    wounds = any(trigger.wounds for trigger in fired)
    automatic = (critical and rolls.lethal) or wounds
    if any(trigger.instead for trigger in fired):
        follows = counting.hit or counting.nothing
    elif counting.choice and automatic and not wounds:
        follows = counting.choice(rolls.better(fired))
    else:
        follows = hit_follows(rolls, counting, rolls.better(fired), automatic=automatic)
    extra: list[IntegerDistribution | Expression] = [t.extra_hits for t in fired if t.extra_hits is not None]
    if critical and rolls.extra_hits is not None:
        extra.append(rolls.extra_hits)
    shared = rolls.better(fired) if rolls.extra_hits_alike else ()
    for number in extra:
        follows = follows * _repeated(hit_follows(rolls, counting, shared, automatic=False), number, counting)
    return _with_mortal_wounds(follows, fired, counting)


def hit_follows(rolls: Rolls, counting: Counting, ap: Penetration, *, automatic: bool) -> AttackDistribution:
    """Return one hit: its wound roll, if it makes one."""
    if counting.hit is not None:
        return counting.hit
    if automatic:
        every = tuple(
            trigger for trigger in rolls.triggers if trigger.on == "each" and trigger.roll == "wound"
        )
        return _wound(counting, ap, every)
    parts = [
        (weight, counting.die(place, ap) if counting.die else _wound_roll(rolls, check, counting, ap))
        for place, (weight, check) in enumerate(rolls.wounds)
    ]
    return (
        parts[0][1]
        if len(parts) == 1
        else AttackDistribution.mixture(parts, sum(weight for weight, _ in parts))
    )


def _wound_roll(rolls: Rolls, check: Check, counting: Counting, ap: Penetration) -> AttackDistribution:
    return roll(check, wound_results(rolls, check, counting, ap), once=rolls.reroll_wound)


def wound_results(
    rolls: Rolls, check: Check, counting: Counting, ap: Penetration
) -> Mapping[str, AttackDistribution] | Sequence[AttackDistribution]:
    """Return what follows from a wound roll, by outcome or by face."""
    if not rolls.triggers:
        success = counting.wound(ap, False)  # noqa: FBT003 - a pair with the Armour Penetration
        critical = counting.wound(ap, True) if rolls.devastating else success  # noqa: FBT003
        return {"fail": counting.nothing, "success": success, "critical": critical}
    return [
        counting.nothing
        if outcome == "fail"
        else _wound(
            counting,
            ap,
            rolls.fired("wound", check, face),
            unsaveable=rolls.devastating and outcome == "critical",
        )
        for face, outcome in enumerate(check.outcomes(), 1)
    ]


def _wound(
    counting: Counting, ap: Penetration, fired: Sequence[Trigger], *, unsaveable: bool = False
) -> AttackDistribution:
    """Return one wound, and what it triggers."""
    if any(trigger.instead for trigger in fired):
        follows = counting.instead
    else:
        follows = counting.wound((*ap, *_better(fired)), unsaveable)
    return _with_mortal_wounds(follows, fired, counting)


def _with_mortal_wounds(
    follows: AttackDistribution, fired: Sequence[Trigger], counting: Counting
) -> AttackDistribution:
    for trigger in fired:
        if trigger.mortal_wounds is not None:
            follows = follows * _repeated(counting.mortal_wound, trigger.mortal_wounds, counting)
    return follows


def _repeated(
    each: AttackDistribution, number: IntegerDistribution | Expression, counting: Counting
) -> AttackDistribution:
    times = number if isinstance(number, IntegerDistribution) else integer_distribution(number)
    return repeated(each, times, counting.nothing.plain)
