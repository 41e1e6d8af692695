"""One unit of each real list, with its rules on, worked out by hand.

Set MATHHAMMER_DATA to the folder that holds ``rosters/`` to run these tests. The target has more wounds than it can
lose, so that means are products: attacks x hits x wounds x failed saves x Damage.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tenth import wh40k

from mathhammer.rosters import read_army

DATA = os.environ.get("MATHHAMMER_DATA")
pytestmark = pytest.mark.skipif(
    not DATA, reason="MATHHAMMER_DATA does not name the folder of real army lists"
)


class Case(NamedTuple):
    """A unit that attacks with one of its weapons, its rules on and off, and the mean wounds by hand of both."""

    file: str
    unit: str
    weapon: str
    rule: str
    toughness: int
    with_it: float
    without: float
    attach: tuple[str, str] | None = None
    save: str | None = None
    situation: dict[str, Any] = {}  # noqa: RUF012 - of a NamedTuple
    switch: bool = True


CASES = [
    # Five attacks, WS3+, S6 against T6, Damage 3; damaged it hits on 4+.
    Case(
        "10e-chaos-daemons-battlescribe.rosz",
        "Lord of Change",
        "Staff of Tzeentch",
        "Lord of Change: Damaged: 1-6 wounds remaining",
        toughness=6,
        with_it=5 * 3 / 6 * 1 / 2 * 3,
        without=5 * 4 / 6 * 1 / 2 * 3,
    ),
    # Four sonic blasters of 3 attacks, BS3+, S5 against T5, Damage 2; led, a 6 is two hits.
    Case(
        "10e-emperors-children-newrecruit.json",
        "Noise Marines",
        "Sonic blaster",
        "Lord Kakophonist: Obsessive Annunciation",
        toughness=5,
        with_it=12 * (4 / 6 + 1 / 6) * 1 / 2 * 2,
        without=12 * 4 / 6 * 1 / 2 * 2,
        attach=("Lord Kakophonist", "Noise Marines"),
        switch=False,
    ),
    # Six attacks, BS3+, two more hits on a 6, S7 against T7 with re-rolled wounds; in the aura ones are re-rolled too.
    Case(
        "10e-necrons-rosterwriter.rosz",
        "Doom Scythe",
        "Twin tesla destructor",
        "The Silent King: Phaeron of the Stars (Aura)",
        toughness=7,
        with_it=6 * (4 / 6 + 2 / 6) * 7 / 6 * 3 / 4 * 2,
        without=6 * (4 / 6 + 2 / 6) * 3 / 4 * 2,
    ),
    # Five close combat weapons of 3 attacks, WS3+, S4 against T4; wound rolls of 1 are re-rolled.
    Case(
        "10e-shadow-legion-newrecruit.json",
        "Legionaries",
        "Close combat weapon",
        "Legionaries: Veterans of the Long War",
        toughness=4,
        with_it=15 * 4 / 6 * 1 / 2 * 7 / 6,
        without=15 * 4 / 6 * 1 / 2,
        switch=False,
    ),
    # The same list: 20 attacks, WS3+, S5 against T5; in a Dark Pact misses are re-rolled.
    Case(
        "10e-shadow-legion-newrecruit.json",
        "Chaos Terminator Squad",
        "Accursed weapon",
        "Chaos Terminator Squad: Despoilers",
        toughness=5,
        with_it=20 * (4 / 6 + 2 / 6 * 4 / 6) * 1 / 2,
        without=20 * 4 / 6 * 1 / 2,
    ),
    # Seven boltguns of one attack, BS3+, S4 against T4; led, a 6 wounds by itself.
    Case(
        "10e-sororitas-newrecruit.json",
        "Battle Sisters Squad",
        "Boltgun",
        "Palatine: Fury of the Righteous",
        toughness=4,
        with_it=7 * (3 / 6 * 1 / 2 + 1 / 6),
        without=7 * 4 / 6 * 1 / 2,
        attach=("Palatine", "Battle Sisters Squad"),
        switch=False,
    ),
    # Eight attacks, BS3+, S5 against T5; at a target marked by the Exocrine hit rolls of 1 are re-rolled.
    Case(
        "10e-tyranids-battlescribe.rosz",
        "Tyrannofex",
        "Stinger Salvoes",
        "Exocrine: Symbiotic Targeting",
        toughness=5,
        with_it=8 * 4 / 6 * 7 / 6 * 1 / 2,
        without=8 * 4 / 6 * 1 / 2,
    ),
    # Seven attacks, BS4+, S5 against T5, AP-2 against 4+ in cover, which the scanner ignores.
    Case(
        "10e-votann-battlescribe.rosz",
        "Hearthkyn Warriors",
        "Ion blaster",
        "Hearthkyn Warriors: Pan spectral scanner",
        toughness=5,
        with_it=7 * 3 / 6 * 3 / 6 * 5 / 6,
        without=7 * 3 / 6 * 3 / 6 * 4 / 6,
        save="4+",
        situation={"cover": True},
        switch=False,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.unit}-{case.rule}")
def test_a_unit_of_a_real_list(case):
    army = read_army(Path(DATA or "") / "rosters" / case.file)
    if case.attach:
        army = army.attach(*case.attach)
    target = wh40k.Target("Block", toughness=case.toughness, save=case.save, wounds=200)

    def mean(given):
        name = f"{case.unit} with {case.attach[0]}" if case.attach else case.unit
        unit = given[name].with_weapons(lambda weapon: weapon.name == case.weapon)
        return wh40k.attack(unit, target, **case.situation).wounds_lost.mean()

    # What always holds, or what the attachment decides, is on without being asked for.
    assert mean(army.with_rules(on=case.rule) if case.switch else army) == pytest.approx(
        case.with_it, rel=1e-12
    )
    assert mean(army.with_rules(off=case.rule)) == pytest.approx(case.without, rel=1e-12)
    if case.switch:
        assert mean(army) == pytest.approx(case.without, rel=1e-12)
