"""Editions, disputed points and situations of Age of Sigmar, and the rules that change its rolls, as rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from mathhammer.display import Catalogue
from mathhammer.fields.kinds import Additions, Amount, Boolean, Enough, Integer, MaybeInteger, OneOf
from mathhammer.fields.profile import Record
from mathhammer.modifiers import Modifier
from mathhammer.sequence.rulings import Rulings, rulings_in_force
from mathhammer.systems.ruling_texts import read_rulings
from mathhammer.validation import unknown_edition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.systems.aos.profiles import Target, Weapon

_CR = "Core Rules (July 2024)"

RULINGS = read_rulings(
    f"""
    A1 rend_in_save_cap: yes, no
    Is Rend among the modifiers of a save whose sum is at most +1?
    {_CR}, 17.1: all are added first
    A2 critical_hits_always_hit: yes, no
    Does a critical hit hit where its roll, modified, would fail?
    {_CR}, 17: a critical hit is scored
    A3 two_crits: one, both
    A weapon with a Crit ability is given another one: does the one that is given replace it?
    battletomes: texts that give Crit abilities replace those that are there
    A4 reroll_sum: all, any
    A re-roll of several dice: all of them, or any of them?
    {_CR}, 2.2: some or all; battletomes have texts for both
    A5 companion_gifts: yes, no
    Do re-rolls, Crit abilities and criticals on 5+ that friends give reach Companion weapons?
    General's Handbook 2025-26, FAQ of 2025-12-17: it names modifiers only
    A6 fight_through_pain: after-wards, before-wards
    Fight Through the Pain: are points removed after or before wards?
    General's Handbook 2026-27: before points are allocated
    A7 ward_of_one: may-save, fails
    Does an unmodified 1 fail a ward roll that is modified?
    {_CR}, 18.1: no failure is written for wards
    A8 chant_floor: nothing-banked
    A chanting roll of 2 that is modified to 1: what comes of it?
    {_CR}, Advanced Rules, Prayers: it is neither an unmodified 1 nor a result of 2 or more
    A9 eruption_split: same-pool
    Eruption of Fury: do the points of a 6 go into the pool of the attacks?
    General's Handbook 2026-27: they are of one ability
    A10 rally_spend: most-models
    Rally: are points spent on models or on healing first?
    {_CR}, Advanced Rules, Commands: as the player likes
    A11 two_hits_damage: each-hit, one-roll
    Random Damage of Crit (2 Hits): is it rolled for each of the hits?
    {_CR}, 26: for each attack
    """
)


class Edition(NamedTuple):
    """Rules at a date, where dates differ."""

    name: str
    title: str
    #: What All-out Attack adds to the saves of its user for the rest of the turn.
    all_out_attack_save: int
    #: Whether re-rolls and Crit abilities that friends give may reach Companion weapons.
    companion_takes_gifts: bool


_TITLE = "Warhammer Age of Sigmar, 4th edition"
EDITIONS = Catalogue(
    "editions of Age of Sigmar",
    {
        "4e": Edition("4e", _TITLE, -1, companion_takes_gifts=True),
        "4e-2024": Edition("4e-2024", f"{_TITLE} of 2024", 0, companion_takes_gifts=False),
    },
)
"""The rules of now, ``"4e"``, and those of the Core Rules as published, ``"4e-2024"``."""


def rules_of(edition: str, rulings: Mapping[str, str] | None) -> tuple[Edition, Rulings]:
    """Return an edition, and the option in force for each of the disputed points."""
    if not isinstance(edition, str) or edition not in EDITIONS:
        raise unknown_edition(edition, EDITIONS)
    return EDITIONS[edition], rulings_in_force(RULINGS, rulings)


Rerolled = Literal["ones", "failed", "non-critical"] | None
Crit = Literal["2 Hits", "Auto-wound", "Mortal"] | None
Ignored = Literal["all", "negative", "positive"] | None


class Situation(Record):
    """What is true of attacks beyond the profiles: the keywords of `attack`; none of them is on unless given.

    Examples
    --------
    >>> from mathhammer import aos
    >>> aos.attack("Hellblade 2 4+ 3+ 1 1", "LIBERATORS", exact=True, all_out_attack=True).hits.mean()
    4/3
    """

    charged: Boolean = Boolean("The attackers charged this turn (Charge)")
    target_charged: Boolean = Boolean("The target charged this turn (Anti-charge, no cover)")
    in_combat: Boolean = Boolean("The attackers are in combat: they shoot only with Shoot in Combat")
    battle_damaged: Boolean = Boolean("The attackers are Battle Damaged")
    all_out_attack: Boolean = Boolean("All-out Attack: +1 to hit")
    covering_fire: Boolean = Boolean("Covering Fire: -1 to hit")
    all_out_defence: Boolean = Boolean("All-out Defence of the target: +1 to save")
    target_all_out_attack: Boolean = Boolean("The target used All-out Attack this turn: -1 to save")
    cover: Boolean = Boolean("The target is in cover")
    guarded_hero: Boolean = Boolean("The target is a Guarded Hero")
    hit_modifier: Additions = Additions("Added to hit rolls", "hit modifier")
    wound_modifier: Additions = Additions("Added to wound rolls", "wound modifier")
    save_modifier: Additions = Additions("Added to save rolls", "save modifier")
    ward_modifier: Additions = Additions("Added to ward rolls", "ward modifier")
    attacks_modifier: Additions = Additions("Added to Attacks", "Attacks modifier")
    rend_modifier: Additions = Additions("Added to Rend", "Rend modifier")
    damage_modifier: Additions = Additions("Added to Damage", "Damage modifier")
    maximum_damage: MaybeInteger = MaybeInteger("The most Damage of one attack", least=1)
    reroll_hits: OneOf[Rerolled] = OneOf("Re-roll hit rolls", "ones", "failed", "non-critical", default=None)
    reroll_wounds: OneOf[Rerolled] = OneOf("Re-roll wound rolls", "ones", "failed", default=None)
    reroll_saves: OneOf[Rerolled] = OneOf("Re-roll saves", "ones", "failed", default=None)
    reroll_wards: OneOf[Rerolled] = OneOf("Re-roll wards", "ones", "failed", default=None)
    critical_hits_on: Enough = Enough("Critical hits on this or more", default=None, least=2, most=6)
    crit: OneOf[Crit] = OneOf("A Crit that is given", "2 Hits", "Auto-wound", "Mortal", default=None)
    ward: Enough = Enough("A Ward that the target is given", default=None, least=2, most=6)
    no_ward: Boolean = Boolean("No ward rolls can be made")
    ignores_save_modifiers: OneOf[Ignored] = OneOf(
        "Modifiers of its saves that the target ignores", "all", "negative", "positive", default=None
    )
    mortal_damage: Amount = Amount(
        "Mortal damage of other abilities into the same pool, dice such as (D6>=2)×D3",
        default=0,
        least=0,
        most=500,
    )
    pain_dice: Integer = Integer("Rage dice of the target for Fight Through the Pain", default=0, most=7)


#: How much a rule adds, of a situation, a weapon, its target and the edition.
Added = Callable[[Situation, "Weapon", "Target", Edition], int]


def _cover(at: Situation, _: Weapon, target: Target, __: Edition) -> int:
    return -(at.cover and not at.target_charged and not target.has("Fly"))


def _guarded(at: Situation, weapon: Weapon, target: Target, _: Edition) -> int:
    large = target.has("Monster") or target.has("War Machine")
    return -(at.guarded_hero and weapon.range is not None and not large)


def _against(at: Situation, weapon: Weapon, target: Target, _: Edition) -> int:
    charged = {"charge"} if at.target_charged else set()
    return sum(more for name, more in weapon.anti if target.has(name) or name.casefold() in charged)


#: Commands and abilities that add: to what, their name, how much (Advanced Rules, Commands, as changed by the General's
#: Handbooks 2025-26 and 2026-27; Core Rules, 20 and 25).
RULES: tuple[tuple[str, str, Added], ...] = (
    ("hit", "All-out Attack", lambda at, *_: at.all_out_attack),
    ("hit", "Covering Fire", lambda at, *_: -at.covering_fire),
    ("hit", "Cover", _cover),
    ("hit", "Guarded Hero", _guarded),
    ("save", "All-out Defence", lambda at, *_: at.all_out_defence),
    ("save", "All-out Attack", lambda at, _, __, rules: at.target_all_out_attack * rules.all_out_attack_save),
    ("rend", "Anti", _against),
    ("damage", "Charge", lambda at, weapon, *_: weapon.charge_damage * at.charged),
)


def modifiers_of(
    name: str, at: Situation, weapon: Weapon, target: Target, edition: Edition
) -> tuple[Modifier, ...]:
    """Return what is added to a roll or to a characteristic, with sources.

    Bonuses that friends give pass a Companion weapon by; commands, penalties and its own abilities reach it
    (Core Rules, 20; General's Handbook 2025-26, FAQ of 2025-12-17).
    """
    given: tuple[Modifier, ...] = getattr(at, f"{name}_modifier")
    if weapon.has("Companion") and name != "save":
        given = tuple(each for each in given if signed(each) < 0)
    found = [(source, int(more(at, weapon, target, edition))) for of, source, more in RULES if of == name]
    return (*(Modifier("add", number, source) for source, number in found if number), *given)


def signed(modifier: Modifier) -> int:
    """Return what a modifier adds."""
    return modifier.value if modifier.operation == "add" else -modifier.value
