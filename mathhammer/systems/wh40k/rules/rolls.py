"""The five rolls of an attack: what each reads of weapon and target, and what it is under the rules in force."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from mathhammer.expressions.base import Constant, as_expression
from mathhammer.expressions.check import Check, Reroll
from mathhammer.expressions.die import Repeated
from mathhammer.expressions.operations import Sum, maximum
from mathhammer.modifiers import Characteristic, Modifier, clamped_total
from mathhammer.sequence.group import ignoring_wounds
from mathhammer.systems.wh40k.rules.roll import LethalHits, Maker, Making, harms
from mathhammer.systems.wh40k.sequence.damage import (
    damage_after_modifiers,
    integer_distribution,
    one_damage_reroll,
)

if TYPE_CHECKING:
    from mathhammer.distributions.integer_distribution import IntegerDistribution
    from mathhammer.expressions import Expression
    from mathhammer.sequence.group import DamageReroll
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.rules.rule import Rules

    Invulnerable = tuple[tuple[int, str | None], ...]

#: A target number that no roll reaches.
NEVER = 99


class Attacks(NamedTuple):
    """The number of attacks: that of one weapon with its bonuses, and that of all weapons."""

    each: Expression
    total: Expression
    modifiers: tuple[str, ...]


@lru_cache(maxsize=16_384)
def _attacks(
    attacks: Expression, count: int, rules: Rules, models: int, of_target: Rules, edition: Edition
) -> Attacks:
    """Return the number of attacks of a weapon and of all of them; never fewer than 1 each."""
    roll = Making("attacks", edition, each=attacks, models=models).under(rules, of_target)
    each, bonuses = roll.each, roll.bonuses
    # Modifiers of rules that name the weapon are of "extra attacks".
    left_out = "attacks" if roll.only_named else "extra attacks"
    kept = (m for m in roll.characteristics if m.of != left_out)
    roll.characteristics = tuple(replace(m, of="attacks") if m.of == "extra attacks" else m for m in kept)
    modifiers = [*roll.modifiers_of("attacks", attacks), *roll.modifiers]
    if modifiers:  # and whole bonuses, in one pass
        limits = edition.characteristics["attacks"]
        for more, source in bonuses:
            if isinstance(more, Constant):
                modifiers.append(Modifier("add", more.value, source, of="attacks"))
        bonuses = [(more, source) for more, source in bonuses if not isinstance(more, Constant)]
        if bonuses:  # the floor is for what all bonuses make together
            limits = replace(limits, least=None)
        characteristic = Characteristic(each, limits, tuple(modifiers))
        (working, sources), each = characteristic.explain(), characteristic.expression
        roll.added += [f"in all {working}", *sources]
    for more, source in bonuses:
        whole = isinstance(each, Constant) and isinstance(more, Constant)
        each = Constant(each.value + more.value) if whole else Sum(each, more)  # type: ignore[attr-defined] # of both
        roll.added.append(f"+{more} ({source})")
    if each.bounds()[0] < 1:
        each = maximum(each, 1)
    total = Constant(each.value * count) if isinstance(each, Constant) else Repeated(count, each)
    return Attacks(each, each if count == 1 else total, tuple(roll.added))


#: Of the target only what Blast counts is read.
ATTACKS = Maker(
    "attacks", lambda weapon, count: (weapon.attacks, count), lambda target: (target.models,), _attacks
)


class Hit(NamedTuple):
    """The hit roll, or none where attacks hit without one; what a critical hit does; why low rolls fail."""

    check: Check | None
    modifiers: tuple[Modifier, ...]
    skill: int | None
    critical_hits_wound: LethalHits
    extra_hits: IntegerDistribution | None
    fails_by: str
    modified_characteristics: tuple[Characteristic, ...]
    by: str = ""
    no_rerolls: str = ""

    @property
    def weights(self) -> tuple[int, int, int]:
        """Weights of miss, hit and critical hit, out of 36."""
        return (0, 36, 0) if self.check is None else self.check.weights()


@lru_cache(maxsize=16_384)
def _hit(skill: int | None, melee: bool, rules: Rules, of_target: Rules, edition: Edition) -> Hit:  # noqa: FBT001
    roll = Making("hit", edition, melee, criticals=edition.criticals)
    roll.under(rules, (each for each in of_target if not melee or each.rule.against != "ranged"))
    roll.characteristics += tuple(roll.cover("skill"))
    skill = roll.characteristic("skill", skill)
    lethal, more, found = roll.critical_hits_wound, roll.extra_hits, tuple(roll.modified_characteristics)
    automatic = Hit(None, (), skill, lethal, more, roll.fails_by, found, roll.only_sixes or roll.automatic)
    if (roll.automatic or skill is None) and not roll.sixes_of_automatic:
        return automatic
    roll.modifiers += roll.cover("hit")
    # Of overwatch what modifies the roll does not help it to succeed, but rules may read the modified roll.
    criticals, fails_up_to = roll.criticals, roll.fails_up_to
    if roll.only_sixes:
        criticals = edition.criticals if edition.snap_shots_are_critical else ()
    if roll.spares_criticals:
        lowest = min(face for face, must_succeed in criticals if not must_succeed)
        fails_up_to = min(fails_up_to, max(1, lowest - 1))
    need = NEVER if roll.only_sixes or skill is None else skill
    always = roll.overwatch_hits_on if roll.only_sixes else edition.succeeds_from
    reroll = None if roll.no_rerolls else roll.reroll
    check = Check(need, roll.net_modifier(), fails_up_to, always, criticals, reroll)
    return automatic._replace(check=check, modifiers=tuple(roll.modifiers), no_rerolls=roll.no_rerolls)


HIT = Maker("hit", lambda weapon, _: (weapon.skill, weapon.melee), lambda _: (), _hit)


class WoundRoll(NamedTuple):
    """One wound roll: the strength it is made with and the weight of that strength."""

    strength: int
    weight: int
    check: Check


class WoundRolls(NamedTuple):
    """The wound roll for each strength that the weapon can have, and what abilities do to it."""

    rolls: tuple[WoundRoll, ...]
    modifiers: tuple[Modifier, ...]
    strength: Expression
    toughness: int
    critical_wounds_deferred: bool
    rerolled_by: str
    modified_characteristics: tuple[Characteristic, ...]

    @property
    def weights(self) -> tuple[int, int, int, int]:
        """Weights of fail, success and critical over all strengths, and their sum."""
        fail, success, critical = (
            sum(wound.weight * wound.check.weights()[place] for wound in self.rolls) for place in range(3)
        )
        return fail, success, critical, 36 * sum(wound.weight for wound in self.rolls)


@lru_cache(maxsize=16_384)
def _wounds(
    strength: Expression,
    melee: bool,  # noqa: FBT001 - a fact of the weapon
    rules: Rules,
    toughness: int,
    of_target: Rules,
    edition: Edition,
) -> WoundRolls:
    roll = Making("wound", edition, melee).under(rules, of_target)
    strength = as_expression(roll.characteristic("strength", strength))
    toughness = roll.characteristic("toughness", toughness)
    modifier = if_stronger = roll.net_modifier()
    if roll.if_stronger:
        roll.modifiers += roll.if_stronger
        if_stronger = roll.net_modifier()
    criticals = ((roll.threshold, False), *roll.criticals) if edition.criticals else ()
    wounds = []
    strengths = integer_distribution(strength)
    for rolled, weight in enumerate(strengths.weights, strengths.low):
        if weight:
            s = max(1, rolled)
            need = min(roll.enough, wound_need(s, toughness))
            by = if_stronger if s > toughness else modifier
            # The attacker's rules beat the target's (Core Rules Updates, Priority of Rules).
            fails = roll.fails_up_to
            fails = min(fails, max(1, roll.enough - by - 1)) if roll.enough < 7 else fails
            fails = min(fails, max(1, roll.threshold - 1)) if roll.yields else fails
            check = Check(need, by, fails, edition.succeeds_from, criticals, roll.reroll)
            if roll.rerolls_failed and isinstance(check.reroll, frozenset):
                # The owner of a die picks the rule by which it is re-rolled (Rules Commentary, Re-rolls).
                check = check._replace(reroll=check.reroll | check._replace(reroll="failed").rerolled())
            elif roll.rerolls_failed and check.reroll != "non-critical":
                check = check._replace(reroll="failed")
            wounds.append(WoundRoll(s, weight, check))
    rerolled_by = "" if roll.reroll in {"failed", "non-critical"} else roll.rerolls_failed
    made = tuple(wounds), tuple(roll.modifiers), strength, toughness, bool(roll.deferred), rerolled_by
    return WoundRolls(*made, tuple(roll.modified_characteristics))


WOUND = Maker(
    "wound", lambda weapon, _: (weapon.strength, weapon.melee), lambda target: (target.toughness,), _wounds
)


def wound_need(strength: int, toughness: int) -> int:
    """Return the wound roll that strength needs against toughness (10th edition core rules, Wound Roll)."""
    if strength > toughness:
        return 2 if strength >= 2 * toughness else 3
    return 4 if strength == toughness else 6 if 2 * strength <= toughness else 5


class Save(NamedTuple):
    """One saving throw that the defender may choose, with the weight of its failure out of 36."""

    name: str
    characteristic: int
    check: Check
    modifiers: tuple[Modifier, ...]
    unsaved: int
    notes: tuple[str, ...] = ()


class Saves(NamedTuple):
    """The saving throws to choose from; the defender uses the likeliest, and the armour where both are alike."""

    choices: tuple[Save, ...]
    best: Save | None
    modified_characteristics: tuple[Characteristic, ...]
    reroll: Reroll = None

    @property
    def unsaved(self) -> int:
        """Weight of a failed save, out of 36."""
        return 36 if self.best is None else self.best.unsaved


@lru_cache(maxsize=16_384)
def _saves(
    ap: int,
    melee: bool,  # noqa: FBT001 - a fact of the weapon
    rules: Rules,
    save: int | None,
    invulnerable: Invulnerable,
    of_target: Rules,
    edition: Edition,
) -> Saves:
    roll = Making("save", edition, melee, invulnerable=invulnerable).under(rules, of_target)
    printed = save, ap
    save = roll.characteristic("save", _set(roll, "save") if save is None else save)
    given = _set(roll, "invulnerable")
    if given is not None and all(against for _, against in roll.invulnerable):
        roll.invulnerable = (*roll.invulnerable, (given, None))
    needs = [(roll.characteristic("invulnerable", need), against) for need, against in roll.invulnerable]
    choices: list[Save] = []
    notes: tuple[str, ...] = ()
    ap = roll.characteristic("ap", ap, roll.further)
    cap = NEVER if edition.save_cap is None else edition.save_cap
    if save is not None:  # the armour save under Armour Penetration and cover
        cover = roll.cover("save", (save, ap), (printed[0] or 7, printed[1]))
        modifiers = [*roll.modifiers, *roll.armour, *cover]
        bonus = clamped_total(modifiers, -NEVER, NEVER) if modifiers else 0
        net = min(bonus, cap) + ap if edition.caps_bonuses else min(bonus + ap, cap)
        if ap:
            modifiers.append(Modifier("add", ap, f"AP{ap:+d}"))
        check = Check(need=save, modifier=net, reroll=roll.reroll)
        # Why a target in cover has no benefit of it.
        if not (melee or cover) and (roll.given or roll.indirect):
            exempt = [f"Save of {c.exempt}+ or better against AP 0" for c in edition.covers if c.exempt]
            why = [roll.denied_by] if roll.denied_by else exempt[:1]
            notes = tuple(f"no benefit of cover ({each})" for each in why)
        choices.append(Save("armour", save, check, tuple(modifiers), check.weights()[0], notes))
    modifiers = [*roll.modifiers, *roll.armour] if edition.armour_bonus_on_the_die else roll.modifiers
    for need, against in needs:
        if against is None or (against == "melee") == melee:
            bonus = clamped_total(modifiers, -NEVER, cap) if modifiers else 0
            check = Check(need=need, modifier=bonus, reroll=roll.reroll)
            choices.append(Save("invulnerable", need, check, tuple(modifiers), check.weights()[0]))
    best = min(choices, key=attrgetter("unsaved"), default=None)
    return Saves(tuple(choices), best, tuple(roll.modified_characteristics), roll.reroll)


SAVE = Maker(
    "save",
    lambda weapon, _: (weapon.ap, weapon.melee),
    lambda target: (target.save, target.invulnerable),
    _saves,
)


def _set(roll: Making, name: str) -> int | None:
    """Return what a rule sets, whatever the characteristic was: a model without one has it too."""
    setting = (m for m in roll.characteristics if m.of == name and m.operation == "set" and m.when is None)
    return next((m.value for m in setting), None)


class Damage(NamedTuple):
    """What an unsaved wound inflicts, what a deferred critical wound does, Damage changed to 0, and one re-roll."""

    modifiers: tuple[Modifier, ...]
    deferred_modifiers: tuple[Modifier, ...]
    feel_no_pain: int | None
    deferred_feel_no_pain: int | None
    characteristic: IntegerDistribution
    distribution: IntegerDistribution
    deferred_distribution: IntegerDistribution
    negated: IntegerDistribution | None
    reroll: DamageReroll | None = None
    deferred_reroll: DamageReroll | None = None
    ones_by_face: bool = False


@lru_cache(maxsize=16_384)
def _damage(damage: Expression, melee: bool, rules: Rules, of_target: Rules, edition: Edition) -> Damage:  # noqa: FBT001
    roll = Making("damage", edition, melee).under(rules, of_target)
    ordinary, mortal = _best(*map(roll.feel_no_pain.get, WARDS), psychic_attack=bool(roll.psychic))
    limits, ignored = edition.characteristics["damage"], "damage" in roll.ignored
    own = (*roll.modifiers_of("damage", damage), *roll.modifiers)
    modifiers = later = _counting(own if ignored else (*own, *roll.of_target), edition)
    if roll.reduces_deferred != "always":
        if roll.reduces_deferred == "never":
            own = tuple(m for m in own if not harms(damage, m, limits))
        later = _counting(own, edition)
    rolled = integer_distribution(damage, roll.reroll, each_die=roll.each_die, ones_by_face=roll.ones_by_face)
    characteristic = damage_after_modifiers(rolled, modifiers, limits)

    def inflicted(
        dice: IntegerDistribution, by: tuple[Modifier, ...] = modifiers, need: int | None = ordinary
    ) -> IntegerDistribution:
        return ignoring_wounds(damage_after_modifiers(dice, by, limits), need)

    distribution = ignoring_wounds(characteristic, ordinary)
    deferred = inflicted(rolled, later, mortal) if roll.deferred else distribution
    negated = None
    if roll.changes_to_0 and not ignored:
        negated = inflicted(rolled, (Modifier("set", 0, "the target changes Damage to 0"), *modifiers))
    once = one_damage_reroll(rolled) if roll.rerolls_one else None
    again = later_again = None
    if once is not None:
        again = once._replace(kept=inflicted(once.kept))
        later_again = once._replace(kept=inflicted(once.kept, later, mortal))
    made = modifiers, later, ordinary, mortal, characteristic, distribution, deferred, negated
    return Damage(*made, again, later_again, roll.ones_by_face)


DAMAGE = Maker("damage", lambda weapon, _: (weapon.damage, weapon.melee), lambda _: (), _damage)
#: Feel No Pain against every wound, against mortal wounds, and against those of Psychic Attacks.
WARDS = ("feel_no_pain", "feel_no_pain_mortal", "feel_no_pain_psychic")


def against_mortal_wounds(target: Target, *, psychic: bool = False) -> int | None:
    """Return the best Feel No Pain of a target against mortal wounds, psychic ones or not."""
    return _best(*attrgetter(*WARDS)(target), psychic_attack=psychic)[1]


def _best(
    plain: int | None, mortal: int | None, psychic: int | None, *, psychic_attack: bool
) -> tuple[int | None, int | None]:
    """Return the best roll that ignores a wound, and that against mortal wounds: one is used for each wound."""
    ordinary = [need for need in (plain, psychic if psychic_attack else None) if need is not None]
    every = ordinary if mortal is None else [*ordinary, mortal]
    return min(ordinary, default=None), min(every, default=None)


def _counting(modifiers: tuple[Modifier, ...], edition: Edition) -> tuple[Modifier, ...]:
    """Leave out what does not count where only the largest reduction of Damage does."""
    if edition.reductions_add_up or not modifiers:
        return modifiers
    signs = {"subtract": 1, "worsen": 1, "add": -1}
    taken = [signs.get(m.operation, 0) * m.value for m in modifiers]
    largest = taken.index(max(taken))
    return tuple(m for place, m in enumerate(modifiers) if taken[place] <= 0 or place == largest)
