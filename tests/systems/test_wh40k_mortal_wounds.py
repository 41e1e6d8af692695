"""Mortal wounds beside attacks: of stratagems and abilities, in addition, devastating ones, hazards, explosions."""

from __future__ import annotations

import pytest
from sympy import Rational
from tenth import wh40k

from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError

#: Hits always and wounds on 2+; a damage of 2.
SURE = wh40k.Weapon.parse("Sure: A1 S8 AP0 D2 [TORRENT]")
TOUGH = wh40k.Target("Tough", toughness=12, save=None, wounds=2, models=3)


def unit(target: wh40k.Target, **options: str) -> wh40k.TargetUnit:
    """The same models as a unit of one kind, which the other walk resolves."""
    return wh40k.TargetUnit(target.name, [target], **options)  # type: ignore[arg-type]


def test_the_result_says_what_hazardous_tests_do_to_the_bearers():
    plasma = wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]")
    bearers = wh40k.Target("Bearers", toughness=4, save="3+", wounds=2, models=5)
    result = wh40k.attack(plasma, TOUGH, count=5, bearers=bearers, exact=True)
    assert result.hazardous.failed.at_least(1) == Rational(4651, 7776)  # E47
    assert result.hazardous.kills.mean() == Rational(5, 6)
    with pytest.raises(MathhammerError, match=r"bearers=Target\(\.\.\.\)"):
        _ = wh40k.attack(plasma, TOUGH).hazardous
    for weapon, edition in ((SURE, "10e"), (plasma, "9e")):
        with pytest.raises(MathhammerError, match="expected a weapon that is Hazardous"):
            wh40k.attack(weapon, TOUGH, bearers=bearers, edition=edition)
    with pytest.raises(MathhammerError, match="expected the label of a standard target"):
        wh40k.attack(plasma, TOUGH, bearers="me")  # type: ignore[call-overload]


def test_what_mortal_wounds_cannot_be_is_refused():
    with pytest.raises(MathhammerError, match="0 or more"):
        wh40k.MortalWounds(-1)
    with pytest.raises(MathhammerError, match="leave them out"):
        wh40k.fast_roll_check([wh40k.Volley(SURE), wh40k.MortalWounds(1)], TOUGH)
    with pytest.raises(MathhammerError, match="every hit is '1\\+'"):
        wh40k.Trigger("hit", "each", "Hex", mortal_wounds=1)
    with pytest.raises(UnknownNameError, match="expected a kind of models of Tough"):
        wh40k.attack(SURE, TOUGH).kills_of("Soft")


def test_a_result_shows_what_befell_others():
    plasma = wh40k.Weapon.parse("Plasma: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]")
    bearers = wh40k.Target("Bearers", toughness=4, save="3+", wounds=2)
    walker = wh40k.Target("Walker", toughness=4, save=None, wounds=1, deadly_demise="D3")
    shown = str(wh40k.attack([wh40k.Volley(plasma), wh40k.MortalWounds(1)], walker, bearers=bearers))
    # One test, which a 1 fails; the walker dies for certain, and a 6 makes D3 of it.
    _, _, others = shown.partition('Mortal wounds on each other unit within 6"')
    assert "83.33%" in others.partition("Bearers destroyed by Hazardous tests")[0]
    assert "16.67%" in others.partition("Bearers destroyed by Hazardous tests")[2]


def test_what_is_too_much_or_means_nothing_is_refused_at_once():
    with pytest.raises(TooLargeError, match="at most 20,000 wounds without an attack at once, but 20001D6"):
        wh40k.attack(wh40k.MortalWounds("20001D6"), TOUGH)
    with pytest.raises(MathhammerError, match="1 or more as deadly_demise, got 'D3-1'"):
        wh40k.Target("Walker", toughness=4, save=None, wounds=1, deadly_demise="D3-1")
    critical = wh40k.Trigger("wound", "critical", "Hex", mortal_wounds=1)
    with pytest.raises(MathhammerError, match="no Trigger on 'critical' in the Warhammer 40,000 9th edition"):
        wh40k.attack(SURE, TOUGH, edition="9e", triggers=[critical])
