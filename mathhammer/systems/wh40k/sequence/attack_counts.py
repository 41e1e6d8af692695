"""Results of the hit and wound rolls of one attack, with every rule that acts on particular results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.modifiers import Modifier
from mathhammer.sequence.attack_distribution import AttackDistribution, repeated, roll, saving_throw
from mathhammer.systems.wh40k.sequence.damage import integer_distribution

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Check
    from mathhammer.systems.wh40k.profiles.triggers import Trigger

#: The kinds of wounds of an attack that are deferred: critical wounds without a save, those of attacks that their own
#: hit roll gave Precision, and mortal wounds.
DeferredKind = Literal["devastating", "directed devastating", "mortal"]

#: What follows from a roll, by outcome or by face.
Results = Mapping[str, AttackDistribution] | Sequence[AttackDistribution]
#: What the Armour Penetration of a wound is modified by.
Penetration = tuple[Modifier, ...]
#: What modifies it by nothing and says that the wound is directed.
_DIRECTED = Modifier("improve", 0, "Precision", of="precision")
_FACES = range(1, 7)
NOTHING = AttackDistribution.of(GeneratingFunction.one(1))
ONE = AttackDistribution.of(GeneratingFunction.unit(0, 1))


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

    @property
    def penetrations(self) -> tuple[Penetration, ...]:
        """What the Armour Penetration of a wound can be modified by, nothing first."""
        checks = {
            "hit": [self.hit] if self.hit is not None else [],
            "wound": [each for _, each in self.wounds],
        }
        of_rolls = [
            {
                (): None,
                **{self.better(self.fired(name, each, face)): None for each in rolled for face in _FACES},
            }
            for name, rolled in checks.items()
        ]
        return tuple(dict.fromkeys((*on_hit, *on_wound) for on_hit, on_wound in product(*of_rolls)))


def _better(fired: Sequence[Trigger]) -> Penetration:
    return tuple(modifier for trigger in fired for modifier in trigger.ap)


def is_directed(penetration: Penetration) -> bool:
    """Whether a wound is directed by a result of its own attack."""
    return _DIRECTED in penetration


class Counting(NamedTuple):
    """Rolls, and what each result of them counts in one attack."""

    rolls: Rolls
    #: Nothing.
    nothing: AttackDistribution
    #: What a wound counts, by the modifiers of its Armour Penetration and whether it allows no save.
    wound: Callable[[Penetration, bool], AttackDistribution]
    #: What each mortal wound counts.
    mortal_wound: AttackDistribution
    #: What a hit counts; a hit of None goes on to its wound roll. What a wound roll counts that ends the attack.
    hit: AttackDistribution | None = None
    instead: AttackDistribution | None = None
    #: What a wound die that is yet to be rolled counts, by the place of its strength and the modifiers of its Armour
    #: Penetration; by default it is rolled at once.
    die: Callable[[int, Penetration], AttackDistribution] | None = None
    #: What a critical hit counts that may wound without a roll; by default it does.
    choice: Callable[[Penetration], AttackDistribution] | None = None

    def attack(self, *, further: bool = True) -> AttackDistribution:
        """Return one attack; `further` is whether it may make additional attacks."""
        check = self.rolls.hit
        if check is None:
            return self.hit_follows((), automatic=False)
        return roll(check, self.hit_results(check, further=further), once=self.rolls.reroll_hit)

    def hit_results(self, check: Check, *, further: bool = True) -> Results:
        """Return what follows from a hit roll, by outcome or by face."""
        rolls = self.rolls
        if not rolls.triggers:
            hit = self.hit_follows((), automatic=False)
            critical = self._scored((), critical=True) if rolls.lethal or rolls.extra_hits else hit
            return {"fail": self.nothing, "success": hit, "critical": critical}
        again = further and any(trigger.extra_attacks is not None for trigger in rolls.triggers)
        additional = self.attack(further=False) if again else self.nothing
        faces = []
        for face, outcome in enumerate(check.outcomes(), 1):
            follows = self.nothing
            if outcome != "fail":
                fired = rolls.fired("hit", check, face)
                follows = self._scored(fired, critical=outcome == "critical")
                for trigger in fired if further else ():
                    if trigger.extra_attacks is not None:
                        follows = follows * self._repeated(additional, trigger.extra_attacks)
            faces.append(follows)
        return faces

    def _scored(self, fired: Sequence[Trigger], *, critical: bool) -> AttackDistribution:
        """Return one successful hit roll: its own hit, the additional ones, and mortal wounds."""
        rolls, ap = self.rolls, self.rolls.better(fired)
        wounds = any(trigger.wounds for trigger in fired)
        automatic = (critical and rolls.lethal) or wounds
        if any(trigger.instead for trigger in fired):
            follows = self.hit or self.nothing
        elif self.choice and automatic and not wounds:
            follows = self.choice(ap)
        else:
            follows = self.hit_follows(ap, automatic=automatic)
        extra: list[IntegerDistribution | Expression] = [
            each.extra_hits for each in fired if each.extra_hits is not None
        ]
        if critical and rolls.extra_hits is not None:
            extra.append(rolls.extra_hits)
        for number in extra:
            further = self.hit_follows(ap if rolls.extra_hits_alike else (), automatic=False)
            follows = follows * self._repeated(further, number)
        return self._with_mortal_wounds(follows, fired)

    def hit_follows(self, ap: Penetration, *, automatic: bool) -> AttackDistribution:
        """Return one hit: its wound roll, if it makes one."""
        if self.hit is not None:
            return self.hit
        if automatic:
            return self._wound(
                ap, tuple(t for t in self.rolls.triggers if t.on == "each" and t.roll == "wound")
            )
        parts = [
            (
                weight,
                self.die(place, ap)
                if self.die
                else roll(check, self.wound_results(check, ap), once=self.rolls.reroll_wound),
            )
            for place, (weight, check) in enumerate(self.rolls.wounds)
        ]
        if len(parts) == 1:
            return parts[0][1]
        return AttackDistribution.mixture(parts, sum(weight for weight, _ in parts))

    def wound_results(self, check: Check, ap: Penetration) -> Results:
        """Return what follows from a wound roll, by outcome or by face."""
        rolls = self.rolls
        if not rolls.triggers:
            success = self.wound(ap, False)  # noqa: FBT003 - a pair with the Armour Penetration
            critical = self.wound(ap, True) if rolls.devastating else success  # noqa: FBT003
            return {"fail": self.nothing, "success": success, "critical": critical}
        return [
            self.nothing
            if outcome == "fail"
            else self._wound(
                ap,
                rolls.fired("wound", check, face),
                unsaveable=rolls.devastating and outcome == "critical",
            )
            for face, outcome in enumerate(check.outcomes(), 1)
        ]

    def _wound(
        self, ap: Penetration, fired: Sequence[Trigger], *, unsaveable: bool = False
    ) -> AttackDistribution:
        """Return one wound, and what it triggers."""
        instead = any(trigger.instead for trigger in fired)
        follows = self.instead or self.nothing if instead else self.wound((*ap, *_better(fired)), unsaveable)
        return self._with_mortal_wounds(follows, fired)

    def _with_mortal_wounds(
        self, follows: AttackDistribution, fired: Sequence[Trigger]
    ) -> AttackDistribution:
        for trigger in fired:
            if trigger.mortal_wounds is not None:
                follows = follows * self._repeated(self.mortal_wound, trigger.mortal_wounds)
        return follows

    def _repeated(
        self, each: AttackDistribution, number: IntegerDistribution | Expression
    ) -> AttackDistribution:
        times = number if isinstance(number, IntegerDistribution) else integer_distribution(number)
        return repeated(each, times, self.nothing.plain)


class AttackCounts:
    """Joint distributions of what one attack produces before saves."""

    def __init__(self, rolls: Rolls) -> None:
        self.rolls = rolls
        self.penetrations = rolls.penetrations if rolls.triggers else ((),)
        kinds: list[DeferredKind] = ["devastating"] if rolls.devastating else []
        if kinds and any(map(is_directed, self.penetrations)):
            kinds.append("directed devastating")
        if any(trigger.mortal_wounds is not None for trigger in rolls.triggers):
            kinds.append("mortal")
        self.deferred: tuple[DeferredKind, ...] = tuple(kinds)

    def __repr__(self) -> str:
        return f"<AttackCounts {self.saves!r}>"

    @cached_property
    def hits(self) -> AttackDistribution:
        """Hits of one attack."""
        return Counting(self.rolls, NOTHING, lambda *_: ONE, NOTHING, hit=ONE).attack()

    @cached_property
    def wounds(self) -> AttackDistribution:
        """Successful wounds of one attack."""
        return Counting(self.rolls, NOTHING, lambda *_: ONE, NOTHING, instead=ONE).attack()

    @cached_property
    def saves(self) -> AttackDistribution:
        """Saves to be made at each Armour Penetration, then the deferred wounds of each kind."""
        first = len(self.penetrations)
        counts = first + len(self.deferred)
        units = [AttackDistribution.of(GeneratingFunction.unit(place, counts)) for place in range(counts)]

        def wound(penetration: Penetration, unsaveable: bool) -> AttackDistribution:  # noqa: FBT001
            if unsaveable:
                return units[first + ("directed devastating" in self.deferred and is_directed(penetration))]
            return units[self.penetrations.index(penetration)]

        nothing = AttackDistribution.of(GeneratingFunction.one(counts))
        return Counting(self.rolls, nothing, wound, units[-1]).attack()


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
