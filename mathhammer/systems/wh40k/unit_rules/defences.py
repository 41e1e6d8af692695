"""What the rules of a unit that are on do to its models as targets."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.profiles.incoming import Incoming
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.unit_rules.computed import is_computed
from mathhammer.systems.wh40k.unit_rules.holds import decided, groups_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.modifiers import Operation
    from mathhammer.systems.wh40k.armies.army import ModelGroup, Unit
    from mathhammer.systems.wh40k.unit_rules.rule import RuleEffect, UnitRule


#: Characteristics, and rules that are in force once, which no gift of a target unit is.
_LASTING = frozenset(("toughness", "save", "wounds", "deadly_demise", "damage_to"))


class _Defence(NamedTuple):
    """An effect in force for groups of models."""

    rule: UnitRule
    effect: RuleEffect
    groups: frozenset[int]
    stronger: bool

    def is_leaders(self, unit: Unit) -> bool:
        """Whether leaders give it to their whole unit."""
        owners = [unit.models[group].leader for group in self.rule.groups]
        return all((*owners, owners)) and len(unit.models) == len(self.groups) > len(owners)

    def is_gift(self, unit: Unit) -> bool:
        """Whether it ends with them: a :class:`TargetUnit` can say so of it."""
        return self.effect.kind not in _LASTING and self.is_leaders(unit)

    def granted(self, profile: Target) -> Target:
        return _granted(profile, self.rule, self.effect, stronger=self.stronger)


@lru_cache(maxsize=1024)
def _in_force(unit: Unit) -> tuple[_Defence, ...]:
    found = []
    for rule in unit.rules:
        for effect in rule.effects:
            if effect.side == "attack" or not is_computed(effect):
                continue
            left = decided(rule, effect, unit)
            if left is not None:
                stronger = any(each.kind == "stronger" for each in left)
                found.append(_Defence(rule, effect, groups_of(effect, rule, unit), stronger))
    return tuple(found)


def leaders_rules(unit: Unit, *, ending: bool) -> tuple[str, ...]:
    """Return the names of the rules by which leaders give their whole unit, as a target, what does not end with them.

    `ending` says that gifts do.
    """
    lasting = (
        each.rule.name
        for each in _in_force(unit)
        if each.is_leaders(unit) and not (ending and each.is_gift(unit))
    )
    return tuple(dict.fromkeys(lasting))


def leaders_gifts(unit: Unit) -> dict[int, dict[str, Any]]:
    """Return what leaders give their whole unit, arguments of a Target by the places of their models."""
    nothing = Target("nothing", toughness=1, save=None, wounds=1)
    given: dict[int, Target] = {}
    for each in _in_force(unit):
        for group in each.rule.groups if each.is_gift(unit) else ():
            given[group] = each.granted(given.get(group, nothing))
    return {
        group: {
            field.name: getattr(gift, field.name)
            for field in fields(gift)
            if getattr(gift, field.name) != getattr(nothing, field.name)
        }
        for group, gift in given.items()
    }


def defended(unit: Unit, *, alone: bool = False) -> tuple[ModelGroup, ...]:
    """Return the models of a unit with what its rules that are on give to them, but `alone` not its leaders' gifts."""
    changed: dict[int, Target] = {}
    for each in _in_force(unit):
        for group in each.groups if not (alone and each.is_gift(unit)) else ():
            profile = changed.get(group, unit.models[group].profile)
            if profile is not None:
                changed[group] = each.granted(profile)
    if not changed:
        return unit.models
    return tuple(
        replace(model, profile=changed[index]) if index in changed else model
        for index, model in enumerate(unit.models)
    )


#: The arguments of a target that are true, where they are called otherwise.
_FLAGS = {"damage_to": "damage_to_0", "cover": "in_cover"}


def _granted(  # noqa: C901 - one case for each kind of effect
    profile: Target, rule: UnitRule, effect: RuleEffect, *, stronger: bool
) -> Target:
    kind, value = effect.kind, effect.number
    source = f"{rule.of}: {rule.name}"
    changes: dict[str, Any] = {}
    match kind:
        case "invulnerable":
            against = None if effect.attacks == "any" else effect.attacks
            changes[kind] = needed((*profile.invulnerable, (value, against)))
        case "feel_no_pain":
            need, against = effect.pain
            for which in ("mortal", "psychic") if against == "both" else (against,):
                name = f"{kind}_{which}".rstrip("_")
                changes[name] = min(getattr(profile, name) or 7, need)
        case "damage_allocated":
            changes["damage_reduction"] = profile.damage_reduction + 1
        case "half_damage" | "damage_to" | "stealth" | "cover":
            changes[_FLAGS.get(kind, kind)] = True
        case "save_modifier":
            changes["damage_1_save_bonus"] = profile.damage_1_save_bonus + value
        case "deadly_demise":
            changes[kind] = effect.value
        case "toughness" | "wounds":
            before = getattr(profile, kind)
            after = {"set": value, "multiply": before * value}.get(effect.operation, before + value)
            changes[kind] = max(1, after)
        case "save":
            before = profile.save or 7
            changes[kind] = value if effect.operation == "set" else max(2, before - value)
        case _:
            modifier = Modifier("add", value, source, of=kind)
            if effect.operation in {"improve", "worsen"}:
                modifier = Modifier(cast("Operation", effect.operation), abs(value), source, of=kind)
            attacks = cast('Literal["any", "ranged", "melee"]', effect.attacks)
            changes["incoming"] = (*profile.incoming, Incoming(modifier, attacks, if_stronger=stronger))
    return replace(profile, **changes)


def needed(given: Iterable[tuple[int, str | None]]) -> list[tuple[int, str | None]]:
    """Return invulnerable saves without those that another makes needless, the one against all attacks first."""
    saves = set(given)
    for value in {value for value, _ in saves}:
        if {(value, "ranged"), (value, "melee")} <= saves:
            saves.add((value, None))
    needed = [
        (value, against)
        for value, against in saves
        if not any(
            other <= value and for_all in {None, against} for other, for_all in saves - {(value, against)}
        )
    ]
    return sorted(needed, key=lambda save: (-save[0], save[1] or ""))
