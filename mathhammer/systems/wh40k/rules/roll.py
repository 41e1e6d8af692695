"""A roll while rules change it, and what rules do to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from mathhammer.expressions.base import Constant
from mathhammer.modifiers import Characteristic, CharacteristicRules, Modifier, clamped_total

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from mathhammer.distributions.integer_distribution import IntegerDistribution
    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Reroll
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.rules.rule import ActiveRule, Effect
    from mathhammer.systems.wh40k.sequence.stages import Stages

#: Whether critical hits wound without a wound roll: no, always, where that is better on average, or as is best.
LethalHits = Literal["", "always", "on average", "best"]
#: Whether rules that reduce Damage act on critical wounds that are mortal wounds.
Reduces = Literal["always", "by wording", "never"]
MadeT_co = TypeVar("MadeT_co", covariant=True)


class Maker(NamedTuple, Generic[MadeT_co]):
    """A roll of the attack sequence: what it reads of weapon and target, and what makes it."""

    name: str
    of_weapon: Callable[[Weapon, int], tuple[Hashable, ...]]
    of_target: Callable[[Target], tuple[Hashable, ...]]
    make: Callable[..., MadeT_co]


@dataclass(slots=True)
class Making:
    """A roll while rules change it; a text is the name of the rule that makes it so."""

    roll: str
    edition: Edition
    melee: bool = False
    characteristics: tuple[Modifier, ...] = ()
    modifiers: list[Modifier] = field(default_factory=list)
    ignored: frozenset[str] = frozenset()
    reroll: Reroll = None
    modified_characteristics: list[Characteristic] = field(default_factory=list)
    #: The number of attacks: of one weapon, against so many models, and what is added.
    each: Expression = Constant(0)  # noqa: RUF009 - it never changes
    models: int = 0
    bonuses: list[tuple[Expression, str]] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    only_named: str = ""
    divided: str = ""
    #: Cover: given by the situation, by Indirect Fire, and what takes it away.
    given: bool | frozenset[str] = False
    indirect: str = ""
    target_charged: str = ""
    denied_by: str = ""
    #: Hits.
    automatic: str = ""
    criticals: tuple[tuple[int, bool], ...] = ()
    critical_hits_wound: LethalHits = ""
    extra_hits: IntegerDistribution | None = None
    fails_up_to: int = 1
    fails_by: str = ""
    only_sixes: str = ""
    sixes_of_automatic: bool = False
    overwatch_hits_on: int = 6
    spares_criticals: bool = False
    no_rerolls: str = ""
    spotted: str = ""
    stationary: str = ""
    #: Wounds: modifiers of rolls with a Strength greater than the Toughness; whether the target's rule loses to a
    #: critical wound.
    if_stronger: list[Modifier] = field(default_factory=list)
    deferred: str = ""
    rerolls_failed: str = ""
    enough: int = 7
    threshold: int = 6
    yields: bool = True
    #: Saves: modifiers of the armour save alone, and of the Armour Penetration whatever is ignored.
    invulnerable: tuple[tuple[int, str | None], ...] = ()
    armour: list[Modifier] = field(default_factory=list)
    further: tuple[Modifier, ...] = ()
    #: Damage.
    of_target: list[Modifier] = field(default_factory=list)
    feel_no_pain: dict[str, int] = field(default_factory=dict)
    psychic: str = ""
    reduces_deferred: Reduces = "always"
    changes_to_0: str = ""
    each_die: bool = False
    rerolls_one: bool = False
    ones_by_face: bool = False

    def under(self, *rules: Iterable[ActiveRule]) -> Making:
        """Return it when rules have changed it."""
        for each in rules:
            for rule in each:
                getattr(rule.rule, self.roll)(self, rule)
        return self

    def modifiers_of(self, name: str, printed: int | Expression) -> tuple[Modifier, ...]:
        """Return the modifiers of a characteristic, those left out that are ignored."""
        modifiers = tuple(modifier for modifier in self.characteristics if modifier.of == name)
        if name not in self.ignored:
            return modifiers
        rules = self.edition.characteristics[name]
        return tuple(modifier for modifier in modifiers if not harms(printed, modifier, rules))

    def characteristic(self, name: str, printed: Any, further: tuple[Modifier, ...] = ()) -> Any:
        """Return a characteristic under all modifiers, and keep the calculation to be shown."""
        if not (self.characteristics or further) or printed is None:
            return printed
        modifiers = (*self.modifiers_of(name, printed), *further)
        if not modifiers:
            return printed
        modified = Characteristic(printed, self.edition.characteristics[name], modifiers)
        self.modified_characteristics.append(modified)
        return modified.value

    def net_modifier(self) -> int:
        """Return the modifiers' sum within limits, without ignored harm (Rules Commentary, Ignoring Modifiers)."""
        if self.roll in self.ignored:
            self.modifiers = [
                m for m in self.modifiers if (m.value if m.operation in {"add", "improve"} else -m.value) > 0
            ]
        cap = self.edition.roll_cap
        return clamped_total(self.modifiers, -cap, cap) if self.modifiers else 0

    def cover(
        self, roll: str, save: tuple[int, int] = (7, 7), ap: tuple[int, int] = (0, 0)
    ) -> list[Modifier]:
        """Return what cover adds to a roll; Save and Armour Penetration are the modified and the printed ones."""
        if self.denied_by or not (self.given or self.indirect):
            return []
        found = []
        for index, cover in enumerate(self.edition.covers):
            # An edition with one kind of cover takes any for it; Indirect Fire gives it to a target without.
            named = isinstance(self.given, frozenset) and len(self.edition.covers) > 1
            present = cover.name in self.given if named else index == 0  # type: ignore[operator]
            if not present or cover.roll != roll or (cover.against == "melee") != self.melee:
                continue
            printed = cover.tests_printed
            exempt = cover.exempt is not None and save[printed] <= cover.exempt and ap[printed] == 0
            if exempt or (cover.not_if_charged and self.target_charged):
                continue
            name = "benefit of cover" if cover.name == "cover" else f"{cover.name} cover"
            name = name if self.given else f"{name} from Indirect Fire"
            worse = cover.roll == "skill"
            said = ("worsen", -cover.value, name, "skill") if worse else ("add", cover.value, name)
            found.append(Modifier(*said))
        return found


def harms(printed: int | Expression, modifier: Modifier, rules: CharacteristicRules) -> bool:
    """Whether a modifier alone would do harm, whatever floor hides it: another one may lift the value again."""
    value = printed if isinstance(printed, int) else printed.bounds()[1]
    better = -1 if rules.lower_is_better else 1
    if modifier.operation in {"improve", "worsen"}:
        return modifier.operation == "worsen"
    if modifier.operation in {"add", "subtract"}:
        return (modifier.value if modifier.operation == "add" else -modifier.value) * better < 0
    if modifier.operation == "divide":
        return modifier.value > 1 and bool(value * better > 0)
    if modifier.operation == "multiply":
        return bool((modifier.value - 1) * value * better < 0)
    # Set, or treated as: worse than what it replaces, where it says what that is.
    replaced = (value,) if modifier.when is None else tuple(modifier.when)
    return any((modifier.value - each) * better < 0 for each in replaced)


def unless(holds: Callable[[Stages], object], why: str) -> Callable[[Stages], str]:
    """Return what says why a rule has no effect where something does not hold."""
    return lambda stages: "" if holds(stages) else why


def puts(**values: Any) -> Effect:
    """Return an effect that sets fields of a roll."""

    def effect(roll: Making, _: ActiveRule) -> None:
        for name, value in values.items():
            setattr(roll, name, value)

    return effect


def changes(name: str, to: Callable[[Any, ActiveRule], Any]) -> Effect:
    """Return an effect that makes another value of one that a roll has, and of the rule."""
    return lambda roll, each: setattr(roll, name, to(getattr(roll, name), each))


def sets(name: str) -> Effect:
    """Return an effect that gives a roll the value of a rule."""
    return changes(name, lambda _, each: each.value)


def names_itself(name: str) -> Effect:
    """Return an effect that makes something true of a roll: it holds the name of the rule that does."""
    return changes(name, lambda _, each: each.rule.name)


def in_order(*effects: Effect) -> Effect:
    """Return an effect that is several, one after another."""

    def effect(roll: Making, each: ActiveRule) -> None:
        for one in effects:
            one(roll, each)

    return effect


def adds(value: int) -> Effect:
    """Return an effect that adds to a roll."""
    return lambda roll, each: roll.modifiers.append(Modifier("add", value, each.source))


def adds_its_number(roll: Making, each: ActiveRule) -> None:
    """Add the X of a weapon ability to a roll."""
    roll.modifiers.append(Modifier("add", each.value.number, each.source))


def adds_once(value: int, source: str) -> Effect:
    """Return an effect that adds to a roll, unless a modifier of the same source does so already."""

    def effect(roll: Making, _: ActiveRule) -> None:
        if source not in {modifier.source for modifier in roll.modifiers}:
            roll.modifiers.append(Modifier("add", value, source))

    return effect
