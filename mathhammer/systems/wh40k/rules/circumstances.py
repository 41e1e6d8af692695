"""Circumstances of attacks: what is true of both units, cover, and what the target's rules change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mathhammer.errors import MathhammerError
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.rules.roll import (
    Making,
    adds_once,
    adds_value,
    names_itself,
    sets,
    takes_modifiers,
    unless,
)
from mathhammer.systems.wh40k.rules.rule import (
    ROLLS,
    Ability,
    Condition,
    Critical,
    Flag,
    Kinds,
    Leader,
    Modifiers,
    Names,
    Rerolls,
    RollModifiers,
    TargetRule,
    Triggers,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.expressions.check import Reroll
    from mathhammer.systems.wh40k.profiles.incoming import Incoming
    from mathhammer.systems.wh40k.profiles.triggers import Trigger
    from mathhammer.systems.wh40k.rules.damage import Inflicting
    from mathhammer.systems.wh40k.rules.rule import ActiveRule, Effect
    from mathhammer.systems.wh40k.rules.wound import Wounding
    from mathhammer.systems.wh40k.sequence.stages import Stages


def plunging_fire(*, source: str, text: str, **changed: Effect) -> Condition:
    """Return Plunging Fire: what shooting down from terrain makes better."""
    return Condition(
        "plunging_fire",
        source=source,
        help=f"The attacker shoots down from terrain: {text}.",
        against="ranged",
        **changed,  # type: ignore[arg-type]
    )


_SOURCE = "core rules, Making Attacks"
HALF_RANGE = Condition(
    "half_range",
    source=_SOURCE,
    help="The target is within half range (Rapid Fire, Melta).",
    when="within half range",
    unless="beyond half range",
    offered=True,
    excludes=("long_range",),
)
LONG_RANGE = Condition(
    "long_range",
    source=_SOURCE,
    help="The target is beyond the distance that Conversion names.",
    when="beyond its distance",
    unless="not beyond the distance that it names",
)
STATIONARY = Condition(
    "stationary",
    source=_SOURCE,
    help="The attacker remained stationary (Heavy).",
    when="remained stationary",
    unless="moved",
    offered=True,
    excludes=("moved", "advanced", "charged"),
)
MOVED = Condition("moved", source=_SOURCE, help="The attacker moved.", when="moved", unless="did not move")
ADVANCED = Condition(
    "advanced",
    source=_SOURCE,
    help="The attacker advanced (Assault).",
    when="advanced",
    unless="did not advance",
    barred="it cannot shoot after advancing",
)
CHARGED = Condition(
    "charged",
    source=_SOURCE,
    help="The attacker charged this turn (Lance).",
    when="charged",
    unless="did not charge",
    offered=True,
)
INDIRECT = Condition(
    "indirect",
    source=_SOURCE,
    help="No model of the target is visible (Indirect Fire).",
    when="target not visible",
    unless="the target is visible",
    barred="it can attack only what is visible",
)
TARGET_CHARGED = Condition(
    "target_charged",
    source=_SOURCE,
    group="Situation of the target",
    help="The target charged.",
    when="the target charged",
    unless="the target did not charge",
    save=names_itself("target_charged"),
)
PRECISION = Condition(
    "precision",
    source="10th edition core rules, Precision",
    value=Leader(),
    group="Situation of the target",
    help="The leader at which Precision is directed, the first unless said; none: at no leader; 'best': as is best.",
    shown="Precision at: {}",
)
MODIFIERS = Condition(
    "modifiers",
    source="Rules Commentary, Modifiers",
    value=Modifiers(),
    group="Modifiers",
    help="Of a characteristic or a roll: 'damage +1 (rule)', 'strength x2', 'ap improved by 1'.",
    shown="{}",
    option="modifier",
    **dict.fromkeys(ROLLS, takes_modifiers),  # type: ignore[arg-type]
)
IGNORE_MODIFIERS = Condition(
    "ignore_modifiers",
    source="Rules Commentary, Ignoring Modifiers",
    value=Names(names=("hit", "skill", "wound", "attacks", "strength", "ap", "damage")),
    group="Modifiers",
    help="Harmful modifiers of these are ignored, with commas: hit, skill, wound, attacks, strength, ap, damage.",
    shown="ignores modifiers of {}",
    **dict.fromkeys(ROLLS, sets("ignored")),  # type: ignore[arg-type]
)


def _require_critical_rolls(roll: Making, each: ActiveRule[tuple[Trigger, ...]]) -> None:
    if not roll.edition.critical and any(trigger.on == "critical" for trigger in each.value):
        raise MathhammerError(
            f"expected no Trigger on 'critical' in the {roll.edition.title}, which has no critical rolls; use "
            "'unmodified 6' for those rolls"
        )


TRIGGERS = Condition(
    "triggers",
    source="core rules, Making Attacks; datasheets",
    value=Triggers(),
    group="Rolls",
    help="What happens on a result: 'unmodified 6 to wound: AP improved by 3 (Rending)'.",
    shown="{}",
    option="trigger",
    joins_rolls=bool,
    hit=_require_critical_rolls,
)


def _reroll(roll: Making, each: ActiveRule[Reroll | Literal["one"]]) -> None:
    """Re-roll a die once; one re-roll of a single die is no property of every die."""
    if each.value == "non-critical" and not roll.edition.critical:
        raise MathhammerError(
            f"expected a re-roll other than 'non-critical' in the {roll.edition.title}, which has no critical rolls; "
            "give the faces to re-roll"
        )
    if each.value == "failed":
        roll.reroll = roll.edition.failed
    elif each.value != "one":
        roll.reroll = each.value


def says_one_die(die: str) -> Callable[[Stages, bool], str]:
    """Return what a page says of one re-roll of a die that failed."""

    def text(_: Stages, shared: bool) -> str:  # noqa: FBT001 - as the field of a Condition has it
        which = (
            f"the unit has one for all its volleys: the first failed {die} in their order is re-rolled"
            if shared
            else f"of all of them, one failed {die} is re-rolled"
        )
        return f"{which}; the probabilities above are those of a die without it"

    return text


def roll_modifier(roll: str, rolls: str, source: str) -> Condition:
    """Return the keyword of modifiers of a roll, which stand in the plural in help."""
    return Condition(
        f"{roll}_modifier",
        source=f"core rules, {source}",
        value=RollModifiers(),
        group="Modifiers",
        help=f"Added to {rolls}.",
        shown=f"{{:+d}} to {rolls}",
        **{roll: adds_value},  # type: ignore[arg-type]
    )


def critical(roll: str, source: str, effect: Effect) -> Condition:
    """Return the keyword of lowered thresholds of critical rolls."""
    return Condition(
        f"critical_{roll}",
        source=source,
        value=Critical(),
        group="Rolls",
        help=f"Least unmodified {roll} roll that is critical: 5, or 'successful 5+'.",
        shown=f"critical {roll}s on {{}}+",
        **{roll: effect},  # type: ignore[arg-type]
    )


def rerolls(
    rolls: str,
    roll: str,
    words: tuple[str, ...],
    says_one: Callable[[Stages, bool], str],
    *,
    most: int = 6,
    once: str = "",
    of_unit: bool = False,
    effect: Effect = _reroll,
) -> Condition:
    """Return the keyword of the re-rolls of a roll; `once` says which die is re-rolled where one is."""
    once = once or "one failed die for the whole unit, the first"
    faces = ", or faces such as 1,2" if most else ""
    of_1 = "; ones: rolls of 1" if "ones" in words else ""
    return Condition(
        f"reroll_{rolls}",
        source="core rules, Re-rolls; Rules Commentary, Re-rolls; core stratagems, Command Re-roll",
        value=Rerolls(words=words, most=most, of_unit=of_unit),
        group="Re-rolls",
        help=f"Re-roll {rolls}: {', '.join(words)}{faces} (one: {once}{of_1}).",
        shown=f"re-roll {rolls}: {{}}",
        joins_rolls=lambda value: value == "one",
        says_one=says_one,
        **{roll: effect},  # type: ignore[arg-type]
    )


@dataclass(frozen=True, slots=True)
class Cover:
    """One kind of cover."""

    #: ``"light"``.
    name: str
    #: The attacks that it protects from.
    against: Literal["ranged", "melee"]
    #: What it changes: the armour save, the hit roll, or the skill that the hit roll is made with.
    roll: Literal["save", "hit", "skill"]
    #: What it adds to that roll, or by how much it improves the skill.
    value: int
    #: Whether it is nothing against a model that charged.
    not_if_charged: bool = False
    #: The Save from which on it is of no use against AP 0, if there is one.
    exempt: int | None = None
    #: Whether that is tested on the printed Save and Armour Penetration.
    tests_printed: bool = False


@dataclass(slots=True, kw_only=True)
class Covered(Making):
    """A roll that cover may change."""

    melee: bool
    given: bool | frozenset[str] = False
    indirect: str = ""
    target_charged: str = ""
    denied_by: str = ""

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
            tested = save[cover.tests_printed], ap[cover.tests_printed]
            if cover.exempt is not None and tested[0] <= cover.exempt and tested[1] == 0:
                continue
            if cover.not_if_charged and self.target_charged:
                continue
            name = "benefit of cover" if cover.name == "cover" else f"{cover.name} cover"
            name = name if self.given else f"{name} from Indirect Fire"
            if cover.roll == "skill":
                found.append(Modifier("worsen", -cover.value, name, of="skill"))
            else:
                found.append(Modifier("add", cover.value, name))
        return found

    def why_no_cover(self, found: list[Modifier]) -> tuple[str, ...]:
        """Say why a target in cover has no benefit of it; nothing where it has, or where it is in none."""
        if self.melee or found or not (self.given or self.indirect):
            return ()
        if self.denied_by:
            return (f"no benefit of cover ({self.denied_by})",)
        exempt = [cover.exempt for cover in self.edition.covers if cover.exempt is not None]
        return (f"no benefit of cover (Save of {exempt[0]}+ or better against AP 0)",) if exempt else ()


def gives_cover(roll: Covered, _: ActiveRule[object]) -> None:
    """Give the benefit of cover to a target without."""
    roll.given = roll.given or True


def _denies(roll: Covered, each: ActiveRule[object]) -> None:
    roll.denied_by = each.rule.name


#: The kinds of cover of all editions.
_KINDS = ("light", "heavy", "dense")


def cover(*rolls: str) -> Condition:
    """Return the keyword of cover, which changes some rolls of an edition."""
    return Condition(
        "cover",
        source="core rules, Benefit of Cover; 9th edition core rules, Terrain Features",
        value=Kinds(names=_KINDS),
        group="Situation of the target",
        help="The target has the Benefit of Cover.",
        shown="cover: {}",
        idle=unless(
            lambda stages: (
                not stages.weapon.melee or any(c.against != "ranged" for c in stages.edition.covers)
            ),
            "has no effect here: a melee weapon",
        ),
        **dict.fromkeys(rolls, sets("given")),  # type: ignore[arg-type]
    )


def ignores_cover(*rolls: str) -> Ability:
    """Return Ignores Cover, for the rolls that cover changes."""
    return Ability(
        "Ignores Cover",
        help="The target has no benefit of cover.",
        source="core rules, Ignores Cover",
        idle=unless(
            lambda stages: stages.situation.cover or stages.situation.indirect,
            "not in force: the target is not in cover",
        ),
        offers=("Ignores Cover",),
        **dict.fromkeys(rolls, _denies),  # type: ignore[arg-type]
    )


#: What Stealth does, which counts once wherever it comes from.
stealth = adds_once(-1, "Stealth")


def _stealth_and_cover(roll: Covered, each: ActiveRule[object]) -> None:
    stealth(roll, each)
    gives_cover(roll, each)


def smokescreen(*, gives_stealth: bool) -> Condition:
    """Return Smokescreen: cover, with Stealth or alone; it does not add up with either."""
    what = "Stealth and cover" if gives_stealth else "cover"
    edition = "10th edition core stratagems" if gives_stealth else "11th edition core rules 15.10"
    return Condition(
        "smokescreen",
        source=f"{edition}, Smokescreen: {what}",
        group="Situation of the target",
        help=f"Smokescreen: {what}.",
        against="ranged",
        hit=_stealth_and_cover if gives_stealth else gives_cover,
        save=gives_cover,
    )


def _of(
    name: str, roll: Covered | Wounding | Inflicting, each: ActiveRule[tuple[Incoming, ...]]
) -> list[Incoming]:
    return [i for i in each.value if i.modifier.of == name and i.about(melee=roll.melee)]


def _hit(roll: Covered, each: ActiveRule[tuple[Incoming, ...]]) -> None:
    roll.modifiers += [i.modifier for i in _of("hit", roll, each)]


def _wound(roll: Wounding, each: ActiveRule[tuple[Incoming, ...]]) -> None:
    for incoming in _of("wound", roll, each):
        (roll.if_stronger if incoming.if_stronger else roll.modifiers).append(incoming.modifier)
    roll.characteristics += tuple(i.modifier for i in _of("strength", roll, each))


def _save(roll: Covered, each: ActiveRule[tuple[Incoming, ...]]) -> None:
    roll.characteristics += tuple(i.modifier for i in _of("ap", roll, each))


def _damage(roll: Inflicting, each: ActiveRule[tuple[Incoming, ...]]) -> None:
    roll.characteristics += tuple(i.modifier for i in _of("damage", roll, each))


INCOMING = TargetRule(
    "incoming",
    help="Modifiers of the attacks that target it",
    source="datasheets; Rules Commentary, Modifiers",
    hit=_hit,
    wound=_wound,
    save=_save,
    damage=_damage,
)
COVER_OF_TARGET = TargetRule(
    "in_cover",
    printed="in cover",
    help="It always has the Benefit of Cover",
    value=Flag(),
    source="datasheets; core rules, Benefit of Cover",
    against="ranged",
    hit=gives_cover,
    save=gives_cover,
)
