"""Bad input to the 40k API: refused at once, with what was expected, what came, and what to do."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from tenth import wh40k

import mathhammer as mh
from mathhammer.errors import MathhammerError, ParseError, UnknownNameError
from mathhammer.modifiers import Modifier

WEAPON: dict[str, Any] = {"range": '24"', "attacks": 2, "skill": "3+", "strength": 4, "ap": 0, "damage": 1}
UNIT: dict[str, Any] = {"toughness": 4, "save": "3+", "wounds": 2, "models": 5}


def weapon(**changed: Any) -> wh40k.Weapon:
    return wh40k.Weapon("Bolt rifle", **{**WEAPON, **changed})


def unit(**changed: Any) -> wh40k.Target:
    return wh40k.Target("Marines", **{**UNIT, **changed})


@pytest.mark.parametrize(
    ("text", "position"), [("2D", 2), ("D6+", 3), ("two", 0), ("D6+1)", 4), ("", 0), ("2D+3", 2)]
)
def test_wrong_dice_are_shown_with_a_caret(text: str, position: int) -> None:
    """Usage: a parse error shows the text and points at the place, in a weapon as on its own."""
    with pytest.raises(ParseError) as caught:
        mh.dice(text)
    shown, caret = str(caught.value).splitlines()[-2:]
    assert shown == "    " + text
    assert caret == "    " + " " * position + "^"
    with pytest.raises(MathhammerError, match=re.escape("^")):
        weapon(damage=text)


@pytest.mark.parametrize(
    ("situation", "said"),
    [
        ({"half_rnage": True}, ["'half_rnage'", "'half_range'"]),
        ({"reroll_hit": "ones"}, ["'reroll_hit'", "'reroll_hits'"]),
        ({"half_range": "yes"}, ["half_range", "'yes'"]),
        ({"hit_modifier": "+1"}, ["hit_modifier", "'+1'"]),
        ({"hit_modifier": 1.0}, ["hit_modifier", "1.0"]),
        ({"hit_modifier": Modifier("multiply", 2, "a rule")}, ["add or subtract"]),
        ({"critical_hit": 1}, ["critical_hit", "got 1"]),
        ({"critical_wound": 7}, ["critical_wound", "got 7"]),
        ({"reroll_hits": "misses"}, ["reroll_hits", "'misses'"]),
        ({"reroll_hits": {0, 1}}, ["reroll_hits"]),
        ({"reroll_hits": {7}}, ["reroll_hits"]),
        ({"reroll_damage": range(10**9)}, ["reroll_damage"]),
        ({"reroll_damage": "failed"}, ["reroll_damage", "'failed'"]),
        ({"reroll_damage": "non-critical"}, ["reroll_damage", "'non-critical'"]),
        ({"reroll_saves": "non-critical"}, ["reroll_saves", "'non-critical'"]),
    ],
)
@pytest.mark.parametrize("place", ["volley", "attack"])
def test_wrong_situation(situation: dict[str, Any], said: list[str], place: str) -> None:
    """Rules Commentary, Re-rolls, and usage: a damage roll cannot fail, nothing but hits and wounds can be critical."""

    def attack() -> None:
        if place == "volley":
            wh40k.attack(wh40k.Volley(weapon(), **situation), unit())
        else:
            wh40k.attack(weapon(), unit(), **situation)

    with pytest.raises(MathhammerError) as caught:
        attack()
    for words in said:
        assert words in str(caught.value)


ENDLESS: dict[str, Any] = {
    "count": lambda: wh40k.attack(weapon(), unit(), count=10**9),
    "attacks": lambda: wh40k.attack(weapon(attacks=10**9), unit()),
    "attacks-written": lambda: wh40k.attack(weapon(attacks="1000000000"), unit()),
    "dice": lambda: wh40k.attack(weapon(attacks="100000000D6"), unit()),
    "strength": lambda: wh40k.attack(weapon(strength="1000000D6"), unit()),
    "damage": lambda: wh40k.attack(weapon(damage=10**9), unit()),
    "damage-dice": lambda: wh40k.attack(weapon(damage="1000000D6"), unit()),
    "sustained": lambda: wh40k.attack(weapon(keywords="Sustained Hits 100000000"), unit()),
    "rapid-fire": lambda: wh40k.attack(weapon(keywords="Rapid Fire 100000000"), unit(), half_range=True),
    "melta": lambda: wh40k.attack(weapon(keywords="Melta 100000000"), unit(), half_range=True),
    "models": lambda: wh40k.attack(weapon(), unit(models=10**9)),
    "wounds": lambda: wh40k.attack(weapon(), unit(wounds=10**9)),
}


@pytest.mark.parametrize("attack", ENDLESS.values(), ids=ENDLESS)
def test_what_would_not_fit_is_refused_at_once(attack: Any) -> None:
    """Usage: work that would never end is refused before it starts, by name of what is too large."""
    start = time.process_time()
    with pytest.raises(MathhammerError, match="expected"):
        attack()
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    "attack",
    [
        lambda: wh40k.attack(weapon(), unit(), count=0),
        lambda: wh40k.attack(weapon(), unit(), count=-2),
        lambda: wh40k.Volley(weapon(), 0),
        lambda: wh40k.Volley(weapon(), 1.5),
        lambda: wh40k.Volley("Bolt rifle"),
        lambda: wh40k.attack([], unit()),
        lambda: wh40k.attack("Bolt rifle", unit()),
        lambda: wh40k.attack(weapon(), "NOBODY"),
        lambda: wh40k.attack([wh40k.Volley(weapon())], unit(), count=2),
    ],
)
def test_wrong_calls(attack: Any) -> None:
    """Usage: what is not a weapon, a number of weapons or a target is named in the error."""
    with pytest.raises(MathhammerError, match="expected"):
        attack()


def test_a_misspelt_keyword_of_a_unit_is_refused_where_a_player_wrote_it():
    """It would match nothing in silence; names of factions are open-ended, and lists are taken as they are."""
    with pytest.raises(UnknownNameError, match="got 'Infanty'; did you mean 'Infantry'"):
        wh40k.Target("T", toughness=4, save=3, wounds=1, keywords="Infanty")
    with pytest.raises(UnknownNameError, match="got 'Vehicel'; did you mean 'Vehicle'"):
        wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP0 D1 [Anti-Vehicel 4+]")
    for keywords in ("Adeptus Astartes, Infantry", "Tyranids", "Kroot", ("Infanty",)):
        assert wh40k.Target("T", toughness=4, save=3, wounds=1, keywords=keywords).keywords
