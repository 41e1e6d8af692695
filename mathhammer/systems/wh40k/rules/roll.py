"""Which rules are in force and why others are not; a roll while rules change it, and what they do to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter, gt, lt
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from mathhammer.errors import MathhammerError
from mathhammer.expressions.base import Constant
from mathhammer.modifiers import Characteristic, CharacteristicRules, Modifier, clamped_total
from mathhammer.sequence.explanation import Step
from mathhammer.systems.wh40k.rules.rule import ROLLS, Ability, ActiveRule, Rule, Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

    from mathhammer.distributions.integer_distribution import IntegerDistribution
    from mathhammer.expressions import Expression
    from mathhammer.expressions.check import Reroll
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.rules.rule import Effect
    from mathhammer.systems.wh40k.sequence.stages import Stages
    from mathhammer.systems.wh40k.situation import Situation

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
            self.modifiers = [m for m in self.modifiers if clamped_total([m], 0, 1)]
        cap = self.edition.roll_cap
        return clamped_total(self.modifiers, -cap, cap) if self.modifiers else 0

    def cover(self, of: str, *met: tuple[int, int]) -> list[Modifier]:
        """Return what cover adds to a roll; a save meets Save and Armour Penetration, as modified and as printed."""
        if self.denied_by or not (self.given or self.indirect):
            return []
        # An edition with one kind of cover takes any for it; Indirect Fire gives it to a target without.
        given = self.given if isinstance(self.given, frozenset) else ()
        found = []
        for cover in [each for each in self.edition.covers if each.name in given] or self.edition.covers[:1]:
            if cover.roll != of or (cover.against == "melee") != self.melee:
                continue
            if cover.not_if_charged and self.target_charged:
                continue
            if cover.exempt is not None:
                save, ap = met[cover.tests_printed]
                if save <= cover.exempt and ap == 0:
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
    worse: Callable[[Any, Any], bool] = gt if rules.lower_is_better else lt
    if modifier.operation in {"improve", "worsen"}:
        return modifier.operation == "worsen"
    if modifier.operation in {"add", "subtract"}:
        return worse(modifier.value if modifier.operation == "add" else -modifier.value, 0)
    if modifier.operation == "divide":
        return modifier.value > 1 and worse(0, value)
    if modifier.operation == "multiply":
        return worse((modifier.value - 1) * value, 0)
    # Set, or treated as: worse than what it replaces, where it says what that is.
    replaced = (value,) if modifier.when is None else modifier.when
    return any(worse(modifier.value, each) for each in replaced)


def unless(holds: Callable[[Stages], object], why: str) -> Callable[[Stages], str]:
    """Return what says why a rule has no effect where something does not hold."""
    return lambda stages: "" if holds(stages) else why


def puts(**values: Any) -> Effect:
    """Return an effect that sets fields of a roll: to a value, or to what is made of the present one and the rule."""

    def effect(roll: Making, each: ActiveRule) -> None:
        for name, to in values.items():
            setattr(roll, name, to(getattr(roll, name), each) if callable(to) else to)

    return effect


#: What a roll can be given of a rule: its value, or its name, which makes something true.
ITS_VALUE, ITS_NAME = lambda _, each: each.value, lambda _, each: each.rule.name


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


# Which rules are in force:
class ByRoll(NamedTuple):
    """The rules in force on each roll, and the one instance of each weapon ability that is used."""

    attacks: Rules
    hit: Rules
    wound: Rules
    save: Rules
    damage: Rules
    abilities: Mapping[str, Keyword]

    @classmethod
    def of(cls, rules: list[ActiveRule], abilities: Mapping[str, Keyword]) -> ByRoll:
        """Sort rules by the rolls that they change."""
        by_roll = (tuple(each for each in rules if getattr(each.rule, roll) is not None) for roll in ROLLS)
        return cls._make((*by_roll, abilities))


def rules_of_attacker(weapon: Weapon, words: tuple[str, ...], given: Situation, edition: Edition) -> ByRoll:
    """Return the rules of a weapon in a situation, against a target with such keywords."""
    # In small letters, those keywords of the target that an ability of the weapon names.
    known: tuple[str, ...] = ()
    if words and (of := [keyword for keyword in weapon.keywords if keyword.target]):
        named = {word for keyword in of for word in keyword.filter}
        known = tuple(sorted(named.intersection(map(str.lower, words))))
    return _of_attacker(weapon.keywords, weapon.melee, known, given, edition)


@lru_cache(maxsize=16_384)
def _of_attacker(
    keywords: tuple[Keyword, ...],
    melee: bool,  # noqa: FBT001 - a fact of the weapon
    named: tuple[str, ...],
    situation: Situation,
    edition: Edition,
) -> ByRoll:
    active: list[ActiveRule] = []
    for name, value in situation.keywords.items():
        condition = edition.conditions.get(name)
        if condition is None or condition.exempts(keywords, melee=melee):
            continue
        active.append(ActiveRule(condition, value))
        if why := why_not(condition, situation):
            raise MathhammerError(f"expected no {name} in the {edition.title} where {why}, got both")
    abilities = _used(keywords, named, edition)
    for name, keyword in abilities.items():
        if not why_not(rule := edition.abilities[name], situation):
            active.append(ActiveRule(rule, keyword))
    return ByRoll.of(active, abilities)


def why_not(rule: Rule, situation: Situation) -> str:
    """Say what keeps a rule from being in force in a situation; nothing where it is."""
    given = situation.keywords
    missing = [need.unless for need in rule.needs if not given.get(need.name)]
    return next(iter([*missing, *(bar.when for bar in rule.barred_by if given.get(bar.name))]), "")


def _used(keywords: tuple[Keyword, ...], named: tuple[str, ...], edition: Edition) -> dict[str, Keyword]:
    """Return one instance of each ability: duplicates never add up (Rules Commentary, Duplicate Abilities)."""
    best: dict[str, Keyword] = {}
    for keyword in keywords:
        rule = edition.ability(keyword) if keyword.known else None
        if rule is None or (keyword.target and not keyword.applies_to(named)):
            continue
        present = best.get(keyword.name)
        if present is None or _worth(rule, keyword) > _worth(rule, present):
            best[keyword.name] = keyword
    return best


def _worth(rule: Ability, keyword: Keyword) -> int:
    """Twice the mean of a value, which is whole for sums of dice; lower rolls are worth more."""
    low, high = keyword.dice.bounds()
    return -(low + high) if rule.value == "roll" else low + high


def rules_of_target(target: Target, edition: Edition) -> ByRoll:
    """Return the rules of a target."""
    values: tuple[object, ...] = attrgetter(*edition.target_rules)(target)
    return _of_target(values, edition)


@lru_cache(maxsize=16_384)
def _of_target(values: tuple[object, ...], edition: Edition) -> ByRoll:
    rules = map(ActiveRule, edition.target_rules.values(), values)
    return ByRoll.of([each for each in rules if each.value], {})


def joins_rolls(one: Situation | Target, edition: Edition) -> bool:
    """Whether a rule in a situation, or of a target, ties the rolls of an attack together."""
    if isinstance(one.keywords, tuple):  # of a target
        rules = edition.target_rules.items()
        return any(getattr(one, name) for name, rule in rules if rule.once or rule.reads_damage is not None)
    known = edition.conditions
    said = one.keywords.items()
    return any(name in known and (known[name].value.joins_rolls or x == "one") for name, x in said)


# What has no effect:
def inactive_rules(stages: Stages) -> Iterator[Step]:
    """Yield a step for each ability and condition that has no effect here, and why."""
    for keyword in stages.weapon.keywords:
        if text := _why_ability(keyword, stages):
            yield Step(str(keyword), text)
    for name in stages.situation.keywords:
        if text := _why_condition(name, stages):
            yield Step(name, text)
    if stages.situation.ignore_modifiers:
        ignored = ", ".join(sorted(stages.situation.ignore_modifiers))
        yield Step("Ignored", f"the modifiers of {ignored} that harm the attacker")


def _why_ability(keyword: Keyword, stages: Stages) -> str:  # noqa: PLR0911 - one line a reason
    if not keyword.known:
        return "not known, not computed"
    rule = stages.edition.ability(keyword)
    if rule is None:
        return f"has no effect here: not an ability of the {stages.edition.title}{stages.edition.others(keyword)}"
    if rule.note:
        return f"has no effect here: {rule.note}"
    best = stages.abilities.get(keyword.name)
    if best is None:
        is_not = "" if keyword.target.startswith("non-") else "no "
        return f"not in force: the target is {is_not}{keyword.target.removeprefix('non-')}"
    if best != keyword:
        return f"not in force: {best} is used instead"
    if why := why_not(rule, stages.situation):
        return f"not in force: {why}"
    if stages.to_hit.check is None and rule.rolls == ("hit",) and not rule.hits_automatically:
        return "not in force: no hit roll is made"
    return rule.idle(stages) if rule.idle is not None else ""


def _why_condition(name: str, stages: Stages) -> str:
    edition, weapon = stages.edition, stages.weapon
    rule = edition.conditions.get(name)
    if rule is None:
        return f"has no effect here: not a rule of the {edition.title}"
    if exempt := rule.exempts(weapon.keywords, melee=weapon.melee):
        return f"has no effect here: {exempt}"
    permitting = [each.name for each in edition.abilities.values() if each.permits is rule]
    if permitting and not weapon.melee and not any(map(weapon.has, permitting)):
        return f"has no effect here: no {' or '.join(permitting)}, so that {rule.barred}"
    return rule.idle(stages) if rule.idle is not None else ""
