"""The 11th edition's rolls against equal models, by hand: core rules of June 2026 by section, app FAQs by date."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

from mathhammer import wh40k
from mathhammer.errors import UnknownNameError


def attack(line: str, rulings: dict[str, str] | None = None, **given: Any) -> Any:
    target = {"toughness": 4, "save": None, "wounds": 1}
    of_target = {name: given.pop(name) for name in wh40k.Target.__dataclass_fields__ if name in given}
    count = given.pop("count", 1)
    return wh40k.attack(
        wh40k.Weapon.parse(f"Gun: {line}"),
        wh40k.Target("Unit", **{**target, **of_target}),
        count=count,
        edition="11e",
        rulings=rulings,
        exact=True,
        **given,
    )


def test_ones_of_a_d3_are_halved_values_or_faces() -> None:
    """01.05: of the D6 the faces 1 and 2 are re-rolled, so that 1, 2, 3 come up 1/9, 4/9, 4/9; or the face 1 alone."""
    shot = '24" A1 BS2+ S8 AP0 D{} [TORRENT]'
    hit = Rational(5, 6)
    for option, mean in (("halved value", Rational(7, 3)), ("face", Rational(13, 6))):
        rulings = {"d3_reroll_ones": option}
        for damage, more in (("D3", 0), ("D3+1", 1)):
            found = attack(shot.format(damage), rulings, save=None, wounds=9, reroll_damage="ones")
            assert found.wounds_lost.mean() == hit * (mean + more)
            kept: Any = {"reroll": lambda _: "keep", "reroll_damage": "ones"}
            played = attack(shot.format(damage), rulings, save=None, wounds=9, **kept)
            assert played.wounds_lost == found.wounds_lost
        # A Command Re-roll beside it is for a failed wound roll, or for a 1 that the face 2 shows.
        spare = Rational(1, 6) if option == "face" else 0
        best: Any = {"reroll": "best", "reroll_damage": "ones", "objective": "wounds_lost"}
        spent = attack(shot.format("D3"), rulings, save=None, wounds=9, **best)
        assert spent.wounds_lost.mean() == hit * (mean + spare) + (1 - hit) * hit * mean
        six = attack(shot.format("D6"), rulings, save=None, wounds=9, reroll_damage="ones")
        assert six.wounds_lost.mean() == hit * Rational(47, 12)


@pytest.mark.parametrize(
    ("wording", "weights"), [("-1 to damage", {0: 13, 2: 5}), ("-1D", {0: 13, 2: 2, 3: 3})]
)
def test_the_two_wordings_of_less_damage(wording: str, weights: dict[int, int]) -> None:
    """Critical wounds 3/18, saved on 2+ another 2/18: 04.01.04 lessens both, what acts at allocation the latter."""
    target = wh40k.Target.parse(f"T4 Sv2+ W9 {wording}")
    assert wh40k.Target.parse(str(target)) == target
    found = wh40k.attack("Gun: A1 S8 AP0 D3 [TORRENT, DEVASTATING WOUNDS]", target, edition="11e", exact=True)
    assert {lost: found.wounds_lost.pmf(lost) * 18 for lost in weights} == weights


def test_what_is_not_of_the_edition_is_named() -> None:
    blade, unit = wh40k.Weapon.parse("Blade: A3 WS3+ S4 AP0 D1 [CLEAVE 1]"), wh40k.TARGETS["MEQ"]
    page = str(wh40k.attack(blade, unit, edition="10e").explain())
    assert "Cleave 1 is an ability of the 11th edition" in " ".join(page.split())
    gun = wh40k.Weapon.parse('Gun: 24" A3 BS3+ S4 AP0 D1 [BLAST 2]')
    tenth = wh40k.attack(gun, wh40k.TARGETS["MEQ"], edition="10e", exact=True)
    assert tenth.attacks.mean() == 3
    with pytest.raises(UnknownNameError, match="'devastating_timing', which is a ruling of the 10th edition"):
        attack("A1 WS3+ S4 AP0 D1", {"devastating_timing": "after-unit"})
    with pytest.raises(UnknownNameError, match="expected '2026-10' or '2026-08' or '2026-06' for the ruling"):
        attack("A1 WS3+ S4 AP0 D1", {"rules_date": "2025-01"})
