"""Which rules are in force on each roll of a volley, and why others are not."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.errors import MathhammerError
from mathhammer.sequence.explanation import Step
from mathhammer.systems.wh40k.rules.rolls import KEPT
from mathhammer.systems.wh40k.rules.rule import ROLLS, Ability, ActiveRule, Rule, Rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.sequence.stages import Stages
    from mathhammer.systems.wh40k.situation import Situation


class ByRoll(NamedTuple):
    """The rules in force on each roll, and the one instance of each weapon ability that is used."""

    attacks: Rules = ()
    hit: Rules = ()
    wound: Rules = ()
    save: Rules = ()
    damage: Rules = ()
    abilities: Mapping[str, Keyword] = {}

    @classmethod
    def of(cls, rules: list[ActiveRule], abilities: Mapping[str, Keyword]) -> ByRoll:
        """Sort rules by the rolls that they change."""
        by_roll = (tuple(each for each in rules if getattr(each.rule, roll) is not None) for roll in ROLLS)
        return cls._make((*by_roll, abilities))


_NOTHING = ByRoll()


def rules_of_attacker(
    weapon: Weapon, target_keywords: tuple[str, ...], situation: Situation, edition: Edition
) -> ByRoll:
    """Return the rules of a weapon in a situation, against a target with such keywords."""
    if not weapon.keywords and not situation.keywords:
        return _NOTHING
    # In small letters, those keywords of the target that an ability of the weapon names.
    known: tuple[str, ...] = ()
    if target_keywords and (of := [keyword for keyword in weapon.keywords if keyword.target]):
        named = {word for keyword in of for word in keyword.filter}
        known = tuple(sorted(named.intersection(map(str.lower, target_keywords))))
    return _of_attacker(weapon.keywords, weapon.melee, known, situation, edition)


@lru_cache(maxsize=KEPT)
def _of_attacker(
    keywords: tuple[Keyword, ...],
    melee: bool,  # noqa: FBT001 - a fact of the weapon
    named: tuple[str, ...],
    situation: Situation,
    edition: Edition,
) -> ByRoll:
    given = situation.keywords
    conditions = [
        ActiveRule(condition, value)
        for name, value in given.items()
        if (condition := edition.conditions.get(name)) is not None
        and not condition.exempts(keywords, melee=melee)
    ]
    for each in conditions:
        if why := why_not(each.rule, situation):
            raise MathhammerError(
                f"expected no {each.rule.name} in the {edition.title} where {why}, got both"
            )
    abilities = _used(keywords, named, edition)
    active = [
        ActiveRule(rule, keyword)
        for name, keyword in abilities.items()
        if not why_not(rule := edition.abilities[name], situation)
    ]
    return ByRoll.of([*conditions, *active], abilities)


def why_not(rule: Rule, situation: Situation) -> str:
    """Say what keeps a rule from being in force in a situation; nothing where it is."""
    given = situation.keywords
    missing = [need.unless for need in rule.needs if not given.get(need.name)]
    return next(iter([*missing, *(bar.when for bar in rule.barred_by if given.get(bar.name))]), "")


def _used(keywords: tuple[Keyword, ...], named: tuple[str, ...], edition: Edition) -> dict[str, Keyword]:
    """Return one instance of each ability: duplicates never add up (Rules Commentary, Duplicate Abilities)."""
    best: dict[str, Keyword] = {}
    for keyword in keywords:
        rule = edition.abilities.get(keyword.name) if keyword.known else None
        if rule is None or (keyword.value is not None and not rule.value):
            continue
        if keyword.target and not keyword.applies_to(named):
            continue
        present = best.get(keyword.name)
        if present is None or _worth(rule, keyword) > _worth(rule, present):
            best[keyword.name] = keyword
    return best


def _worth(rule: Ability, keyword: Keyword) -> int:
    """Twice the mean of a value, which is whole for sums of dice; lower rolls are worth more."""
    low, high = (0, 0) if keyword.value is None else keyword.value.bounds()
    return -(low + high) if rule.value == "roll" else low + high


def rules_of_target(target: Target, edition: Edition) -> ByRoll:
    """Return the rules of a target."""
    values: tuple[object, ...] = attrgetter(*edition.target_rules)(target)
    return _of_target(values, edition) if any(values) else _NOTHING


@lru_cache(maxsize=KEPT)
def _of_target(values: tuple[object, ...], edition: Edition) -> ByRoll:
    rules = zip(edition.target_rules.values(), values, strict=True)
    return ByRoll.of([ActiveRule(rule, value) for rule, value in rules if value], {})


def joins_rolls(one: Situation | Target, edition: Edition) -> bool:
    """Whether a rule in a situation, or of a target, ties the rolls of an attack together."""
    from mathhammer.systems.wh40k.situation import Situation

    if not isinstance(one, Situation):
        rules = edition.target_rules.items()
        return any(getattr(one, name) for name, rule in rules if rule.once or rule.reads_damage is not None)
    known = edition.conditions
    return any(
        name in known and (known[name].value.joins_rolls or value == "one")
        for name, value in one.keywords.items()
    )


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
    rule = stages.edition.abilities.get(keyword.name)
    if rule is None or (keyword.value is not None and not rule.value):
        return f"has no effect here: {_other_edition(keyword, stages.edition)}"
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
    if stages.hit is None and rule.rolls == ("hit",) and not rule.hits_automatically:
        return "not in force: no hit roll is made"
    return rule.idle(stages) if rule.idle is not None else ""


def _other_edition(keyword: Keyword, edition: Edition) -> str:
    """Say of which editions an ability is that this one does not know."""
    from mathhammer.systems.wh40k.editions import EDITIONS

    known = [
        other.ordinal
        for other in EDITIONS.values()
        if (rule := other.abilities.get(keyword.name)) is not None and (keyword.value is None or rule.value)
    ]
    missing = f"not an ability of the {edition.title}"
    return f"{missing}: {keyword} is an ability of the {' and the '.join(known)}" if known else missing


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
