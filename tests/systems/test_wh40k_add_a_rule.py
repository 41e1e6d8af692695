"""A rule has one home: a made-up ability is one entry in the table of an edition, and everything knows it."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from by_hand import play, unit, weapon
from click.testing import CliRunner
from sympy import Rational
from tenth import analysis, wh40k

import mathhammer
from mathhammer import MathhammerError, from_text
from mathhammer.cli import main
from mathhammer.page.requests import answer
from mathhammer.rosters import read_army, sample_army
from mathhammer.systems.wh40k.armies.unit import ModelGroup, Unit
from mathhammer.systems.wh40k.rules.abilities import ANTI, HALF_DAMAGE
from mathhammer.systems.wh40k.rules.conditions import CHARGED
from mathhammer.systems.wh40k.rules.roll import adds_its_number, adds_once
from mathhammer.systems.wh40k.rules.rule import Ability, Condition

CRUSHING = Ability(
    "Crushing",
    source="made up",
    help="Adds X to wound rolls after a charge.",
    value="number",
    needs=(CHARGED,),
    wound=adds_its_number,
    on_results=True,
    offers=("Crushing 1",),
)
MOONLIGHT = Condition(
    "moonlight",
    source="made up",
    help="The moon shines on the target.",
    group="Situation of the target",
    against="ranged",
    hit=adds_once(1, "Moonlight"),
)
_KINDS = (("Tough", True), ("Plain", False))
AXE = "Axe: A6 WS3+ S4 AP0 D1 [CRUSHING 1]"
LIST = Path(mathhammer.__file__).parent / "rosters" / "sample" / "sample-army.ros"


@pytest.fixture
def _in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {
        **wh40k.EDITIONS,
        "10e": wh40k.EDITIONS["10e"].with_rules(CRUSHING, MOONLIGHT),
    }
    monkeypatch.setattr("mathhammer.systems.wh40k.editions.EDITIONS", known)


def test_the_types_of_the_keywords_are_those_of_the_table() -> None:
    names = {name for edition in wh40k.EDITIONS.values() for name in edition.conditions}
    assert set(wh40k.SituationKeywords.__annotations__) == names


def test_without_an_entry_it_is_unknown() -> None:
    with pytest.raises(MathhammerError, match="expected a weapon ability, got 'CRUSHING 1'"):
        wh40k.Weapon.parse(AXE)


def test_an_edition_of_ones_own_is_known_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """S4 against T4 wounds on 4+, after a charge with +1: in attacks, grids, lists and comparisons alike."""
    monkeypatch.setattr("mathhammer.systems.wh40k.system.OWN", {})
    monkeypatch.setattr("mathhammer.systems.wh40k.editions.edition.OWN", own := {})
    monkeypatch.setattr("mathhammer.systems.wh40k.editions.OWN", own)
    monkeypatch.setattr("mathhammer.systems.wh40k.profiles.standard_targets.OWN", own)
    monkeypatch.setattr("mathhammer.rosters.wh40k.OWN", own)
    house = wh40k.EDITIONS["10e"].with_rules(CRUSHING, MOONLIGHT, name="10e house")
    for edition in (house, "10e house"):
        found = wh40k.attack(AXE, unit(), edition=edition, charged=True, exact=True)
        assert found.wounds.mean() == 6 * Rational(2, 3) * Rational(2, 3)
        assert found.edition == "10e house"
        table = analysis.grid({"axe": AXE}, "MEQ", edition=edition, charged=True)
        assert table.mean_kills[0, 0] == pytest.approx(
            wh40k.attack(AXE, "MEQ", edition=edition, charged=True).kills.mean(), rel=1e-12
        )
        assert analysis.army_table(sample_army(), "MEQ", edition=edition).edition == "10e house"
        assert wh40k.charge(9, edition=edition).edition == "10e house"
        listed = read_army(LIST, edition=edition)
        assert (listed.edition, sample_army(edition=edition).edition) == ("10e house", "10e house")
        assert mathhammer.analysis.army_table(listed, "MEQ").edition == "10e house"
    again = house.with_rules(name="10e again")  # made of one that is one's own too
    assert wh40k.attack(AXE, "MEQ", edition=again, charged=True).edition == "10e again"
    compared = wh40k.compare_editions(AXE, "MEQ", editions=("10e", "10e house"), charged=True)
    assert [each.step for each in compared.differences()] == ["Wound", "Crushing"]
    with pytest.raises(MathhammerError, match=r"expected an edition of .*, got '10e house'"):
        found.to_text()
    with pytest.raises(MathhammerError, match="edition with a name of its own, got another '10e'"):
        wh40k.attack(AXE, "MEQ", edition=wh40k.EDITIONS["10e"].with_rules(CRUSHING))
    with pytest.raises(MathhammerError, match="which another has"):
        wh40k.EDITIONS["10e"].with_rules(name="9e")


@pytest.mark.usefixtures("_in_the_table")
class TestMadeUpAbility:
    def test_it_is_parsed_and_rolled(self) -> None:
        """S4 against T4 wounds on 4+, with +1 on 3+; the sum of modifiers is capped at +1."""
        axe = wh40k.Weapon.parse(AXE)
        assert str(wh40k.Weapon.parse(str(axe))) == str(axe)
        plain, charged = (wh40k.attack(axe, unit(), exact=True, charged=at) for at in (False, True))
        assert plain.wounds.mean() == 6 * Rational(2, 3) * Rational(1, 2)
        assert charged.wounds.mean() == 6 * Rational(2, 3) * Rational(2, 3)
        assert play("Torrent, Crushing 3", charged=True).wounds.mean() == Rational(2, 3)

    def test_a_value_must_fit(self) -> None:
        with pytest.raises(MathhammerError, match="without dice for Crushing"):
            wh40k.parse_keywords("Crushing D3")
        with pytest.raises(MathhammerError, match="'Crushing' needs a value"):
            wh40k.parse_keywords("Crushing")

    def test_it_is_explained_and_missed_in_words(self) -> None:
        axe = wh40k.Weapon.parse(AXE)
        assert "+1 (Crushing 1, charged)" in str(wh40k.attack(axe, unit(), charged=True).explain())
        assert "not in force: did not charge" in str(wh40k.attack(axe, unit()).explain())
        ninth = " ".join(str(wh40k.attack(axe, unit(), edition="9e", charged=True).explain()).split())
        assert "not an ability of the Warhammer 40,000 9th edition" in ninth

    def test_the_command_line_knows_it(self) -> None:
        data = json.loads(
            CliRunner()
            .invoke(main, ["40k", "attack", AXE, "--edition", "10e", "-t", "MEQ", "--charged", "--json"])
            .output
        )
        assert data["pictures"]["wounds"]["mean"] == pytest.approx(6 * 2 / 3 * 2 / 3, rel=1e-12)
        page = CliRunner().invoke(main, ["40k", "abilities", "--edition", "10e"]).output
        said = "name: Crushing X needs: --charged help: Adds X to wound rolls after a charge."
        assert said in " ".join(page.split())

    def test_what_if_offers_it(self) -> None:
        blade = weapon(range="Melee", attacks=6)
        worths = {
            row["change"]: row["added_wounds_lost"]
            for row in analysis.what_if(blade, unit(points=90), charged=True).records
        }
        assert worths["Crushing 1"] == pytest.approx(worths["+1 to wound"], rel=1e-12)
        assert worths["Crushing 1"] > 0

    def test_it_acts_on_a_particular_roll_if_it_says_so(self) -> None:
        axe = wh40k.Weapon.parse(AXE)
        strict = wh40k.fast_roll_check(axe, unit(), rulings={"fast_rolling": "strict"})
        assert "abilities act on particular rolls: Crushing" in strict.hits_and_wounds

    def test_a_text_holds_it(self) -> None:
        result = wh40k.attack(wh40k.Weapon.parse(AXE), unit(), charged=True, exact=True)
        assert from_text(result.to_text()).state == result.state

    def test_a_text_and_a_comparison_know_the_edition_by_its_name(self) -> None:
        house = wh40k.EDITIONS["10e"].with_rules(name="10e of this test")
        result = wh40k.attack("Gun: A1 BS3+ S4 AP0 D1", "MEQ", edition=house)
        assert from_text(result.to_text()).state == result.state
        assert list(wh40k.compare_editions(AXE, "MEQ", editions=[house, "11e"])) == [house.name, "11e"]
        with pytest.raises(MathhammerError, match="known only in the process that made it"):
            wh40k.attack(AXE, "MEQ", edition="10e of another")

    def test_a_grid_is_what_attacks_are(self) -> None:
        weapons = [
            wh40k.Volley(weapon(text, range="Melee", attacks=4), 2, **at)
            for text in ("", "Crushing 1", "Crushing 2")
            for at in ({}, {"charged": True}, {"charged": True, "moonlight": True})
        ]
        targets = [unit(toughness=t, models=5, points=90) for t in (3, 4, 8)]
        table = analysis.grid(weapons, targets)
        single = np.array(
            [[wh40k.attack(each, target).wounds_lost.mean() for target in targets] for each in weapons]
        )
        np.testing.assert_allclose(table.mean_wounds_lost, single, rtol=1e-12)
        assert (table.mean_wounds_lost[4] > table.mean_wounds_lost[3]).all()


def test_a_rule_that_all_models_must_have_says_so_in_its_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half Damage as if it were such a rule: a mixed unit, what is left of it, and a list's unit ask the entry."""
    tough, plain = (
        wh40k.Target(name, toughness=4, save=None, wounds=9, half_damage=half) for name, half in _KINDS
    )
    gun = weapon("Torrent", strength=8, attacks=1, damage=4)

    def lost(*kinds: Any, **more: Any) -> Any:
        target = wh40k.TargetUnit("Unit", kinds)
        wounding = wh40k.attack(gun, target, exact=True, wounds_on=2, **more)
        return wounding.wounds_lost.mean() / wounding.wounds.mean()

    mixed = wh40k.TargetUnit("Unit", [plain, tough])
    group = [ModelGroup(each.name, 1, each) for each in (tough, plain)]
    assert (lost(tough, plain), lost(tough)) == (2, 2)
    of_all = replace(HALF_DAMAGE, of_all=True)
    known = {name: edition.with_rules(of_all) for name, edition in wh40k.EDITIONS.items()}
    monkeypatch.setattr("mathhammer.systems.wh40k.editions.EDITIONS", known)
    assert (lost(tough, plain), lost(tough)) == (4, 2)
    assert not Unit("Unit", 90, tuple(group)).as_target().half_damage
    assert Unit("Unit", 90, tuple(group[:1])).as_target().half_damage
    # Once the others are dead all that are left have it.
    shots = wh40k.attack(wh40k.Volley(gun, 3), mixed, exact=True, wounds_on=2)
    alone = shots.given(lambda state: state[:2] == (1, 0) and state[3] == 0)
    after = wh40k.attack(gun, mixed, exact=True, wounds_on=2, start=alone)
    assert after.wounds_lost.mean() - alone.wounds_lost.mean() == 2 * after.wounds.mean()


def test_an_ability_with_a_keyword_and_a_roll_is_known_by_its_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Anti under another name: it is read, printed, chosen and rolled by what its entry says of its value."""
    known = {**wh40k.EDITIONS, "10e": wh40k.EDITIONS["10e"].with_rules(replace(ANTI, name="Bane"))}
    monkeypatch.setattr("mathhammer.systems.wh40k.editions.EDITIONS", known)
    text = "Bane-Infantry 5+, Bane-Infantry 2+, Torrent"
    assert ", ".join(map(str, wh40k.parse_keywords(text.lower()))) == text
    assert play(text, target=unit(toughness=8, keywords="Infantry")).wounds.mean() == Rational(5, 6)
    with pytest.raises(MathhammerError, match="one keyword and its roll after Bane"):
        wh40k.parse_keywords("Bane-Infantry/Vehicle 4+")


@pytest.mark.usefixtures("_in_the_table")
class TestMadeUpCondition:
    def test_it_is_a_keyword_an_option_and_a_control(self) -> None:
        at: dict[str, Any] = {"moonlight": True}
        assert play(skill=4, **at).hits.mean() == Rational(2, 3)
        assert "+1 (Moonlight)" in str(play(skill=4, **at).explain())
        assert "moonlight       has no effect here: a melee weapon" in str(
            play(range="Melee", **at).explain()
        )
        assert wh40k.Situation(**at).moonlight is True
        page = CliRunner().invoke(main, ["40k", "attack", "--help"]).output
        assert "--moonlight" in page
        told = CliRunner().invoke(
            main, ["40k", "attack", "Gun: A1 BS3+ S4 AP0 D1", "--edition", "10e", "-t", "MEQ", "--moonlight"]
        )
        assert "Situational rules on: moonlight." in told.output
        groups = json.loads(answer('{"kind": "form", "game": "40k", "edition": "10e"}'))["groups"]
        assert "The moon shines on the target" in {each["label"] for each in groups[-1]["fields"]}

    def test_it_is_unknown_elsewhere(self) -> None:
        page = " ".join(str(play(skill=4, edition="9e", moonlight=True).explain()).split())
        assert "moonlight has no effect here: not a rule of the Warhammer 40,000 9th edition" in page


@pytest.mark.slow
def test_no_file_but_the_tables_asks_which_edition_it_is() -> None:
    """Names of editions stand in their tables, in those of the standard targets, and in readers of files."""
    package = Path(mathhammer.__file__).parent
    homes = ("editions/", "profiles/standard_targets.py", "rosters/", "system.py")
    found = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in ("9e", "10e", "11e")
    }
    assert {path for path in found if not any(home in path for home in homes)} == set()
