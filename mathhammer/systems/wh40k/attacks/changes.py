"""Improvements of a volley as data: each +1, re-roll, point of Armour Penetration and ability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import Named
from mathhammer.modifiers import Modifier, as_modifiers
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.keywords import parse_keywords
from mathhammer.systems.wh40k.profiles.volleys import Volley, own_keywords
from mathhammer.systems.wh40k.situation import EXCLUSIVE, conditions, read_situation, shared_reroll

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mathhammer.systems.wh40k.profiles.profiles import Weapon

__all__ = ["CHANGES", "Change", "ability", "every_change", "modifier", "profile", "situation"]


@dataclass(frozen=True, slots=True, repr=False)
class Change(Named):
    """One change to a volley.

    Parameters
    ----------
    name
        What a player would call it.
    apply
        Makes of a volley, and the situation that holds for all of them, the changed volley.

    Examples
    --------
    >>> from mathhammer.systems.wh40k.profiles.profiles import Weapon
    >>> rifle = Weapon.parse("Rifle: A2 BS3+ S4 AP0 D1")
    >>> CHANGES[0].name, str(CHANGES[0].apply(Volley(rifle), {}).weapon.attacks)
    ('+1 Attack', '2+1')
    """

    name: str
    apply: Callable[[Volley, Mapping[str, Any]], Volley]

    def __post_init__(self) -> None:
        validation.text(self.name, "the name of a change")
        validation.function(self.apply, "what makes a volley the changed one")

    def __str__(self) -> str:
        return self.name


def situation(name: str, **keywords: Any) -> Change:
    """Return a change of what is true of the volley; a re-roll or threshold that is there and as good stays."""
    read_situation(keywords)

    def apply(volley: Volley, common: Mapping[str, Any]) -> Volley:
        present = {**common, **volley.situation}
        better = {
            key: best
            for key, value in keywords.items()
            if (best := _better(key, present.get(key), value)) != present.get(key)
        }
        for one, other in (*EXCLUSIVE, *(pair[::-1] for pair in EXCLUSIVE)):
            if better.get(one):  # what was true instead is no longer
                present.pop(other, None)
        for other in common.keys() - present.keys():
            present[other] = False
        for roll in shared_reroll(common).keys() - volley.situation.keys():
            present.pop(roll, None)  # the unit has it, not this volley
        return Volley(volley.weapon, volley.count, **{**present, **better})

    return Change(name, apply)


def _better(name: str, present: Any, value: Any) -> Any:
    """Return the better of what is said already, if anything is, and what a change says."""
    return value if present is None else conditions()[name].value.better(present, value)


def modifier(name: str, roll: str, value: int) -> Change:
    """Return one more modifier of a roll; the caps of the rules stay in force."""
    validation.one_of(roll, ("hit_modifier", "wound_modifier", "save_modifier"), "roll to modify")
    validation.whole(value, "modifier")

    def apply(volley: Volley, common: Mapping[str, Any]) -> Volley:
        present = own_keywords(volley, common)
        given = as_modifiers(present.get(roll, 0), roll)
        present[roll] = (*given, Modifier("add", value, name))
        return Volley(volley.weapon, volley.count, **present)

    return Change(name, apply)


def profile(name: str, change: Callable[[Weapon], Mapping[str, Any]]) -> Change:
    """Return a change of the weapon's characteristics."""
    validation.function(change, "what changes a weapon", "such as lambda weapon: {'ap': weapon.ap - 1}")

    def apply(volley: Volley, common: Mapping[str, Any]) -> Volley:
        weapon = replace(volley.weapon, **change(volley.weapon))
        return Volley(weapon, volley.count, **own_keywords(volley, common))

    return Change(name, apply)


def ability(text: str) -> Change:
    """Return a weapon ability beside those that it has; of several instances the better one is used."""
    keywords = parse_keywords(text)
    return profile(text, lambda weapon: {"keywords": (*weapon.keywords, *keywords)})


#: Improvements of each roll, beside the abilities that change it.
_PLAIN = {
    "attacks": (profile("+1 Attack", lambda weapon: {"attacks": weapon.attacks + 1}),),
    "hit": (
        modifier("+1 to hit", "hit_modifier", 1),
        situation("re-roll hit rolls of 1", reroll_hits="ones"),
        situation("re-roll hits", reroll_hits="failed"),
        situation("critical hits on 5+", critical_hit=5),
    ),
    "wound": (
        profile("+1 Strength", lambda weapon: {"strength": weapon.strength + 1}),
        modifier("+1 to wound", "wound_modifier", 1),
        situation("re-roll wound rolls of 1", reroll_wounds="ones"),
        situation("re-roll wounds", reroll_wounds="failed"),
    ),
    "save": (profile("AP better by 1", lambda weapon: {"ap": weapon.ap - 1}),),
    "damage": (profile("+1 Damage", lambda weapon: {"damage": weapon.damage + 1}),),
}


def every_change() -> tuple[Change, ...]:
    """Return the changes that a player asks about: what the rules offer, in the order of the attack sequence."""
    rules = rulebook()
    found: list[Change] = []
    for roll, changes in _PLAIN.items():
        found += (*changes, *map(ability, rules.offers[roll]))
    found += [situation(rule.when, **{name: True}) for name, rule in rules.conditions.items() if rule.offered]
    return tuple(found)


CHANGES = every_change()
"""The changes that a player asks about, in the order of the attack sequence."""
