"""A roll while rules change it, and what of weapon and target it reads."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple, TypeVar, cast

from mathhammer.characteristics import Characteristic
from mathhammer.modifiers import Modifier, clamped_total

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from mathhammer.characteristics import CharacteristicRules
    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Reroll
    from mathhammer.modifiers import Operation
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.rules.rule import ActiveRule, Effect
    from mathhammer.systems.wh40k.sequence.stages import Stages

#: How many results of each roll are kept.
KEPT = 1 << 14


PrintedT = TypeVar("PrintedT", bound="int | Expression | None")
MadeT_co = TypeVar("MadeT_co", covariant=True)


class Roll(NamedTuple, Generic[MadeT_co]):
    """A roll of the attack sequence: what it reads of weapon and target, and what makes it."""

    name: str
    of_weapon: Callable[[Weapon, int], tuple[Hashable, ...]]
    of_target: Callable[[Target], tuple[Hashable, ...]]
    make: Callable[..., MadeT_co]


@dataclass(slots=True)
class Making:
    """A roll while rules change it."""

    edition: Edition
    _: KW_ONLY
    characteristics: tuple[Modifier, ...] = ()
    modifiers: list[Modifier] = field(default_factory=list)
    ignored: frozenset[str] = frozenset()
    reroll: Reroll = None
    modified_characteristics: list[Characteristic] = field(default_factory=list)

    roll: ClassVar[str]

    def apply(self, rules: Iterable[ActiveRule[object]]) -> None:
        """Let rules change it."""
        for each in rules:
            getattr(each.rule, self.roll)(self, each)

    def modifiers_of(self, name: str, printed: int | Expression) -> tuple[Modifier, ...]:
        """Return the modifiers of a characteristic, those left out that are ignored."""
        modifiers = tuple(modifier for modifier in self.characteristics if modifier.of == name)
        if name not in self.ignored:
            return modifiers
        rules = self.edition.characteristics[name]
        return tuple(modifier for modifier in modifiers if not harms(printed, modifier, rules))

    def characteristic(self, name: str, printed: PrintedT, further: tuple[Modifier, ...] = ()) -> PrintedT:
        """Return a characteristic under all modifiers, and keep the calculation to be shown."""
        if not (self.characteristics or further) or printed is None:
            return printed
        modifiers = (*self.modifiers_of(name, printed), *further)
        if not modifiers:
            return printed
        modified = Characteristic(printed, self.edition.characteristics[name], modifiers)
        self.modified_characteristics.append(modified)
        return cast("PrintedT", modified.value)

    def net_modifier(self) -> int:
        """Return the sum of the modifiers of the roll within the edition's limits, those left out that are ignored.

        (Warhammer 40,000 10th edition, Rules Commentary, Ignoring Modifiers: any or all of them may be ignored.)
        """
        if self.roll in self.ignored:
            self.modifiers = [
                m for m in self.modifiers if (m.value if m.operation in {"add", "improve"} else -m.value) > 0
            ]
        cap = self.edition.roll_cap
        return clamped_total(self.modifiers, -cap, cap) if self.modifiers else 0


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


def modifies(operation: Operation, value: int, of: str = "") -> Effect:
    """Return an effect that modifies a roll, or a characteristic."""
    return lambda roll, each: roll.modifiers.append(Modifier(operation, value, each.source, of=of))


def adds(value: int) -> Effect:
    """Return an effect that adds to a roll."""
    return modifies("add", value)


def adds_its_number(roll: Making, each: ActiveRule[Keyword]) -> None:
    """Add the X of a weapon ability to a roll."""
    roll.modifiers.append(Modifier("add", each.value.number, each.source))


def adds_once(value: int, source: str) -> Callable[[Making, ActiveRule[object]], None]:
    """Return an effect that adds to a roll, unless a modifier of the same source does so already."""

    def effect(roll: Making, _: ActiveRule[object]) -> None:
        if source not in {modifier.source for modifier in roll.modifiers}:
            roll.modifiers.append(Modifier("add", value, source))

    return effect


def adds_value(roll: Making, each: ActiveRule[tuple[Modifier, ...]]) -> None:
    """Add what the situation says."""
    roll.modifiers += each.value


def takes_modifiers(roll: Making, each: ActiveRule[tuple[Modifier, ...]]) -> None:
    """Take the modifiers of characteristics."""
    roll.characteristics += each.value


def sets(name: str) -> Effect:
    """Return an effect that gives a roll the value of a rule."""
    return lambda roll, each: setattr(roll, name, each.value)


def names_itself(name: str) -> Effect:
    """Return an effect that makes something true of a roll: it holds the name of the rule that does."""
    return lambda roll, each: setattr(roll, name, each.rule.name)
