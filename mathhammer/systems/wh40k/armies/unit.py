"""A unit of an army list: its models, its weapons, and what it is as a target."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from mathhammer import validation
from mathhammer.display import Displayed, Named
from mathhammer.display.numbers import count
from mathhammer.errors import RosterError
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.targets import TargetUnit, of_all_models
from mathhammer.systems.wh40k.unit_rules.rule import UnitRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mathhammer.display.panel import Panel
    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon


@dataclass(frozen=True, slots=True, repr=False)
class ModelGroup(Named):
    """Models of a unit that share a name and a stat line.

    Parameters
    ----------
    name, count
        What the list calls them, and how many there are at the start of the battle.
    profile
        Characteristics and defences of one of them; its name, models, keywords and points are not read. ``None``
        if the list holds no stat line for them.
    keywords
        Keywords of these models beyond the unit's.
    leader
        Whether they are attached to the unit as its leaders: attacks reach them after all the others.
    points
        Of all these models together; ``None`` where only the points of the whole unit are known.
    movement, leadership, objective_control
        M, LD and OC as printed; they have no effect on attacks.

    Examples
    --------
    >>> from mathhammer.systems.wh40k.profiles.profiles import Target
    >>> str(ModelGroup("Warden", 5, Target.parse("T4 Sv3+ W2")))
    'Warden: 5x T4 Sv3+ W2'
    """

    name: str
    count: int
    profile: Target | None = None
    keywords: tuple[str, ...] = ()
    leader: bool = False
    points: int | None = None
    movement: str = ""
    leadership: str = ""
    objective_control: str = ""

    @property
    def has_stat_line(self) -> bool:
        """True if the models can be attacked: their characteristics are known."""
        return self.profile is not None

    @property
    def defence(self) -> Target | None:
        """The profile of a model without a name; groups that agree in it are equal models."""
        if self.profile is None:
            return None
        return replace(self.profile, name="any", models=1, keywords=(), points=None)

    def __str__(self) -> str:
        return _describe([self])


@dataclass(frozen=True, slots=True, repr=False)
class WeaponLine(Named):
    """One piece of wargear of a unit, with all its copies.

    Parameters
    ----------
    name, count
        What the list calls it, and how many copies there are in the unit, never per model.
    bearer, group
        The name of the models that carry it, and their index in the unit's `models`; that of the unit and ``None`` if
        the list puts it on the unit as a whole.
    choices
        Each inner tuple is one weapon, of which one mode is chosen when it is used; one piece of wargear may
        be several weapons (a spear that is thrown and stabbed with, two launchers on one mount).

    Examples
    --------
    >>> from mathhammer.systems.wh40k.profiles.profiles import Weapon
    >>> rifle = Weapon("Rifle", range='24"', attacks=2, skill="3+", strength=4, ap=0, damage=1)
    >>> line = WeaponLine("Rifle", 5, "Warden", 0, ((rifle,),))
    >>> line.modes == (rifle,), line.has_modes
    (True, False)
    """

    name: str
    count: int
    bearer: str
    group: int | None
    choices: tuple[tuple[Weapon, ...], ...]

    @property
    def modes(self) -> tuple[Weapon, ...]:
        """All profiles of the line, one after another."""
        return tuple(weapon for choice in self.choices for weapon in choice)

    @property
    def has_modes(self) -> bool:
        """True if the wargear has several modes, of which one is chosen."""
        return any(len(choice) > 1 for choice in self.choices)

    def __str__(self) -> str:
        return f"{self.bearer}: {self.count} × {'; '.join(map(str, self.modes))}"


@dataclass(frozen=True, slots=True, repr=False)
class Unit(Displayed):
    """A unit of an army list.

    Parameters
    ----------
    name, points
        What the list calls it, and the points of the whole unit, wargear and enhancements included.
    models, weapons
        Its kinds of models, and its wargear, a line for each piece.
    keywords, factions, enhancements
        Its keywords, factions apart; its faction keywords; and the names of the enhancements bought for it.
    rules
        Its rules: what they do to attacks, what was not understood of them, and whether they are on. A name alone
        is a rule without an effect on attacks, such as Deep Strike.
    unassigned_weapons
        Weapons listed on the unit though its models carry others: they are not used.
    notes
        What was simplified or left open while the unit was read, a sentence each.
    joined
        Names of the units that were put together, the bodyguard first; empty for a unit as the list has it.
    leads, led_as
        Units that it can be attached to, as its Leader ability lists them, empty where the list does not say; and units
        whose leaders can lead it too, as its Attached Unit ability says, each behind the keyword that such a leader
        must have, ``""`` for any leader.
    joins_led
        Whether its Leader ability lets it join a unit that has another leader; ``None`` where the list does not say.

    Examples
    --------
    >>> from mathhammer.systems.wh40k.profiles.profiles import Target
    >>> squad = Unit("Wardens", 90, (ModelGroup("Warden", 5, Target.parse("T4 Sv3+ W2")),))
    >>> squad.size, squad.as_target().wounds
    (5, 2)
    """

    name: str
    points: int
    models: tuple[ModelGroup, ...]
    weapons: tuple[WeaponLine, ...] = ()
    keywords: tuple[str, ...] = ()
    factions: tuple[str, ...] = ()
    enhancements: tuple[str, ...] = ()
    rules: tuple[UnitRule, ...] = ()
    unassigned_weapons: tuple[Weapon, ...] = ()
    notes: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    led_as: tuple[tuple[str, str], ...] = ()
    joins_led: bool | None = None

    def __post_init__(self) -> None:
        named = [UnitRule(x, "datasheet", self.name) if isinstance(x, str) else x for x in self.rules]
        object.__setattr__(self, "rules", validation.items(named, UnitRule, "the rules of a Unit"))

    @property
    def unparsed_abilities(self) -> tuple[str, ...]:
        """Names of its rules that act on dice and are not computed, not even in part or when switched on."""
        return tuple(dict.fromkeys(rule.name for rule in self.rules if rule.not_computed))

    def rule(self, name: str) -> UnitRule:
        """Return a rule by its name, with or without the unit's in front."""
        from mathhammer.systems.wh40k.unit_rules.switches import find_rule

        return find_rule(self, name)

    def with_rules(self, *, on: str | Iterable[str] = (), off: str | Iterable[str] = ()) -> Unit:
        """Return the unit with rules switched on and off.

        What list, attachment, weapon and target decide stays decided; a rule that is on has what the moment or the
        player decides.

        Parameters
        ----------
        on, off
            Names of rules; ``"Blessing=Fury"`` chooses one item of a rule that is one of several.
        """
        from mathhammer.systems.wh40k.unit_rules.switches import switch_unit

        return switch_unit(self, on=on, off=off)

    @property
    def size(self) -> int:
        """Number of models at the start of the battle."""
        return sum(group.count for group in self.models)

    @property
    def majority_models(self) -> ModelGroup:
        """First group of the most numerous equal models, leaders apart; :meth:`as_target` takes all as these."""
        models = self.effective_models
        totals: Counter[Target] = Counter()
        for group in models:
            if group.defence is not None and not group.leader:
                totals[group.defence] += group.count
        if not totals:
            remedy = "build the Target by hand, or export the list with its profiles"
            raise RosterError(f"the list holds no stat line (T, SV, W) for {self.name}; {remedy}")
        ((most, _),) = totals.most_common(1)  # of equals the first
        return next(group for group in models if group.defence == most and not group.leader)

    @property
    def all_keywords(self) -> tuple[str, ...]:
        """Keywords of the unit and of all its models.

        A rule that looks at the keywords of a unit finds those of every model in it (10th edition core rules,
        "Keywords").
        """
        return tuple(dict.fromkeys((*self.keywords, *(word for of in self.models for word in of.keywords))))

    def has_keyword(self, keyword: str) -> bool:
        """True if the unit or one of its models has the keyword; case does not matter."""
        return validation.text(keyword, "keyword").casefold() in map(str.casefold, self.all_keywords)

    @property
    def is_uniform(self) -> bool:
        """True if attacks meet the same characteristics in every model."""
        return len({group.defence for group in self._defending().models}) == 1

    @property
    def simplifications(self) -> tuple[str, ...]:
        """Simplifications of a computation with this unit, a sentence each."""
        from mathhammer.systems.wh40k.armies.choices import lasting_gifts

        return (*_mixed_models(self._defending()), *lasting_gifts(self), *self.notes)

    @property
    def effective_models(self) -> tuple[ModelGroup, ...]:
        """Its kinds of models with what its rules that are on give them: saves, Feel No Pain, modifiers."""
        if not any(rule.effects for rule in self.rules):
            return self.models
        from mathhammer.systems.wh40k.unit_rules.applied import defended

        return defended(self)

    def _defending(self) -> Unit:
        """Return the unit whose models have what its rules that are on give them."""
        models = self.effective_models
        return self if models is self.models else replace(self, models=models, rules=())

    def with_weapons(self, keep: Callable[[Weapon], bool]) -> Unit:
        """Return the unit with those of its weapons, and of their modes, that a condition lets pass."""
        kept = [
            replace(line, choices=tuple(filter(None, (tuple(filter(keep, each)) for each in line.choices))))
            for line in self.weapons
        ]
        return replace(self, weapons=tuple(line for line in kept if line.choices))

    def only(self, phase: Literal["shooting", "melee"]) -> Unit:
        """Return the unit with its ranged weapons alone, or its melee weapons alone: to attack with in that phase."""
        melee = validation.one_of(phase, ("shooting", "melee"), "phase") == "melee"
        return self.with_weapons(lambda weapon: weapon.melee is melee)

    def as_target(self) -> Target:
        """Return the unit as a target of equal models, those of the most numerous kind.

        The Toughness is the highest in the unit (10th edition Rules Commentary, "Toughness": a unit whose
        models differ uses the highest). :attr:`simplifications` says what was taken as equal.
        """
        defending = self._defending()
        if defending is not self:
            return defending.as_target()
        profiles = [group.profile for group in self.models if group.profile and not group.leader]
        return replace(
            cast("Target", self.majority_models.profile),
            name=self.name,
            toughness=max((profile.toughness for profile in profiles), default=1),
            models=self.size,
            **dict(of_all_models((group.profile for group in self.models), rulebook().target_rules)),
            keywords=self.all_keywords,
            points=self.points,
        )

    def as_target_unit(self) -> Target | TargetUnit:
        """Return the unit as it is: a target of equal models if they are, else one of several kinds.

        Nothing is taken as equal. Attacks reach the most numerous kind first, and leaders last; models without
        a stat line count as the most numerous kind.
        """
        from mathhammer.systems.wh40k.armies.choices import defender

        return defender(self)

    def _line(self) -> str:
        return f"{self.name}: {count(self.size, 'model')}, {self.points} points"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, TablePart

        kinds = [[str(group), "leader" if group.leader else "model"] for group in self.effective_models]
        wargear = [[str(each.count), str(mode), each.bearer] for each in self.weapons for mode in each.modes]
        rules = [
            [rule.name, rule.of, rule.state, "; ".join((*map(str, rule.effects), *unread))]
            for rule in self.rules
            if (unread := [f"not understood: {key}" for key in rule.unread]) or rule.effects
        ]
        tables = (
            TablePart(["models", "as"], kinds, "<<"),
            TablePart(["number", "weapon", "bearer"], wargear, "><<"),
            TablePart(["rule", "of", "state", "what it does"], rules, "<<<<"),
        )
        without = tuple(rule.name for rule in self.rules if rule.state == "no effect")
        named = {"Keywords": self.all_keywords, "Factions": self.factions, "Enhancements": self.enhancements}
        named |= {"Rules without an effect on attacks": without, "Not computed": self.unparsed_abilities}
        notes = [f"{name}: {', '.join(texts)}." for name, texts in named.items() if texts]
        facts = {"models": str(self.size), "points": str(self.points)}
        parts = [table for table in tables if table.rows]
        return Panel(self.name, facts, parts, [*notes, *self.simplifications])


def _mixed_models(unit: Unit) -> tuple[str, ...]:
    """Return what is taken as equal where a unit of several kinds of models is one target."""
    kinds: dict[Target | None, list[ModelGroup]] = {}
    for group in unit.models:
        kinds.setdefault(group.defence, []).append(group)
    if len(kinds) < 2 or not any(group.has_stat_line and not group.leader for group in unit.models):
        return ()
    target = unit.as_target()
    majority_models = kinds.pop(unit.majority_models.defence)
    taken, others = _describe(majority_models), "; ".join(map(_describe, kinds.values()))
    sentence = f"{unit.name}: as a target all {unit.size} models are taken as {taken}, also {others}"
    if any(group.profile and group.profile.toughness != target.toughness for group in unit.models):
        sentence += f"; attacks wound against the highest Toughness, {target.toughness}"
    return (sentence,)


def _describe(groups: list[ModelGroup]) -> str:
    """Return the stat line of equal models: ``Warden: 2x T4 Sv3+ W2``."""
    names = " and ".join(dict.fromkeys(group.name for group in groups[: 2 if len(groups) < 3 else 1]))
    number = sum(group.count for group in groups)
    profile = groups[0].profile
    if profile is None:
        return f"{names}: {number}x without a stat line"
    return str(replace(profile, name=names, models=number, keywords=(), points=None))
