"""The grid: hand-computed cells, equality with single attacks, labels and the forms it is written in."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from tenth import analysis, wh40k

from mathhammer import MathhammerError
from mathhammer.analysis import blocks
from mathhammer.errors import TooLargeError
from mathhammer.rosters import sample_army
from mathhammer.serialisation.ask import schema

pytestmark = pytest.mark.slow

RIFLE = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP0 D1')
CLOSE = {"rtol": 1e-12, "atol": 1e-300}


def test_cells_by_hand():
    lascannon = wh40k.Weapon.parse('Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1')
    tank = wh40k.Target(
        "Tank", toughness=10, save="3+", invulnerable="5+", wounds=12, keywords="Vehicle", points=130
    )
    sure = wh40k.Weapon.parse('Sure: 12" A1 S8 AP-6 D2 [TORRENT]')  # hits, wounds on 2+: 5/6 of two wounds
    pair = wh40k.Target("Pair", toughness=4, save="2+", wounds=2, models=2, points=50)
    table = analysis.grid({"two": wh40k.Volley(lascannon, 2), "sure": sure}, [tank, pair])
    assert table.probability_destroyed[0, 0] == pytest.approx(32 / 2187, rel=1e-14)
    assert table.points_destroyed[0, 0] == pytest.approx(130 * 32 / 2187, rel=1e-14)
    assert table.mean_wounds_lost[1, 1] == pytest.approx(10 / 6, rel=1e-14)
    assert table.share_lost[1, 1] == pytest.approx(10 / 24, rel=1e-14)  # of two models of two wounds
    assert table.points_lost[1, 1] == pytest.approx(50 * 10 / 24, rel=1e-14)
    # A lascannon wounds with 2/3 x 2/3 x 2/3 of 4.5 on average; of twelve wounds two of them waste 4/36.
    assert table.points_lost[0, 0] == pytest.approx(130 / 12 * (9 - 4 / 36 * 8 / 27) * 8 / 27, rel=1e-14)
    assert table.mean_kills[1, 1] == pytest.approx(5 / 6, rel=1e-14)
    assert table.points_destroyed[1, 1] == pytest.approx(25 * 5 / 6, rel=1e-14)
    assert table.probability_destroyed[1, 1] == 0
    assert table.kill_distributions[1][1] == pytest.approx([1 / 6, 5 / 6, 0], rel=1e-14)
    assert np.isnan(table.points_per_point).all()


ABILITIES = (
    *("Torrent", "Lethal Hits", "Sustained Hits 1", "Sustained Hits D3", "Devastating Wounds", "Blast"),
    *("Anti-Vehicle 3+", "Anti-Infantry 4+", "Twin-linked", "Rapid Fire 1", "Rapid Fire D3", "Melta 2"),
    *("Lance", "Heavy", "Indirect Fire", "Ignores Cover", "Conversion", "Pistol"),
)
SITUATIONS = (
    {},
    {"half_range": True, "cover": True},
    {"stationary": True, "indirect": True, "reroll_hits": "ones"},
    {"hit_modifier": -1, "wound_modifier": 1, "critical_hit": 5, "reroll_wounds": "failed"},
    {"long_range": True, "save_modifier": 1, "reroll_damage": "ones", "reroll_saves": "failed"},
    {"reroll_damage": "one"},
)


def _weapon(rng: random.Random, name: str) -> wh40k.Weapon:
    return wh40k.Weapon(
        name,
        range=rng.choice(("Melee", '24"')),
        attacks=rng.choice((1, 2, 5, "D3", "D6+1", "2D6")),
        skill=rng.randint(2, 6),
        strength=rng.choice((3, 4, 6, 8, 12, "D6+2")),
        ap=-rng.randint(0, 4),
        damage=rng.choice((1, 2, 3, "D3", "D6", "D6+2")),
        keywords=", ".join(rng.sample(ABILITIES, rng.randint(0, 4))),
    )


def _targets() -> list[wh40k.Target | wh40k.TargetUnit]:
    standard = [wh40k.TARGETS[label] for label in ("CHAFF", "MEQ", "TEQ", "VEQ", "ARMIGER", "CTAN")]
    hurt = replace(wh40k.TARGETS["KEQ"], name="hurt", wounds_lost=9)
    warded = wh40k.Target(
        "warded", toughness=5, save="4+", wounds=3, models=3, feel_no_pain_mortal="4+", half_damage=True
    )
    armoured = wh40k.Target("armoured", toughness=4, save="4+", wounds=2, models=3, damage_1_save_bonus=1)
    boys = wh40k.Target("Boy", toughness=5, save="5+", wounds=1, models=9, keywords="Infantry", points=80)
    boss = wh40k.Target("Boss", toughness=6, save="4+", invulnerable="5+", wounds=6, points=70)
    return [*standard, hurt, warded, armoured, wh40k.TargetUnit("Mob", [boys], leaders=[boss])]


@pytest.mark.parametrize("index", range(len(SITUATIONS)))
@pytest.mark.parametrize("edition", ["10e", "9e"])
def test_equal_to_single_attacks(edition: str, index: int):
    situation = SITUATIONS[index]
    rng = random.Random(10 * index + len(edition))
    if edition == "9e":
        situation = {name: value for name, value in situation.items() if name != "critical_hit"}
    attacks = {
        str(row): [
            wh40k.Volley(_weapon(rng, f"w{row}{part}"), rng.randint(1, 4)) for part in range(1 + row % 3)
        ]
        for row in range(18)
    }
    targets = _targets()
    table = analysis.grid(attacks, targets, edition=edition, **situation)
    for row, volleys in enumerate(attacks.values()):
        for column, target in enumerate(targets):
            single = wh40k.attack(volleys, target, edition=edition, **situation)
            distribution = np.zeros(table.targets[column].models + 1)
            distribution[single.kills.support[0] : single.kills.support[-1] + 1] = single.kills.to_array()
            np.testing.assert_allclose(table.kill_distributions[column][row], distribution, **CLOSE)
            np.testing.assert_allclose(
                [table.mean_wounds_lost[row, column], table.probability_destroyed[row, column]],
                [single.wounds_lost.mean(), single.probability_destroyed],
                **CLOSE,
            )


def test_the_trade_ratio_is_points_for_points():
    """Two squads with a gun that wounds with 1/2: three models of 60 points, and one of 100."""
    gun = wh40k.Weapon.parse('Gun: 12" A1 S4 AP0 D1 [TORRENT]')
    many, one = (
        wh40k.Unit(
            name,
            points,
            (wh40k.ModelGroup(name, models, wh40k.Target.parse("T4 Sv- W2")),),
            (wh40k.WeaponLine("Gun", models, name, 0, ((gun,),)),),
        )
        for name, points, models in (("Many", 60, 3), ("One", 100, 1))
    )
    table = analysis.grid([many], [one], both_ways=True)
    # Three guns: 0 wounds with 1/8, 1 with 3/8, else 2 of 2. One gun: 1/2 of a wound of 6.
    assert table.points_lost[0, 0] == pytest.approx(100 * (3 / 8 + 2 * 4 / 8) / 2, rel=1e-14)
    assert table.points_lost_per_point[0, 0] == pytest.approx(100 * 11 / 16 / 60, rel=1e-14)
    assert table.trade_ratio[0, 0] == pytest.approx((100 * 11 / 16) / (60 * 1 / 12), rel=1e-14)


def test_the_share_of_a_mixed_unit_counts_all_its_wounds():
    """A bodyguard of two wounds and a leader of four: 7 + 3 points a wound are 30 points for 6 wounds."""
    gun = wh40k.Weapon.parse('Gun: 12" A1 S4 AP0 D1 [TORRENT]')
    guard = wh40k.Target("Guard", toughness=4, save=None, wounds=2, points=10)
    chief = wh40k.Target("Chief", toughness=4, save=None, wounds=4, points=20)
    table = analysis.grid([gun], [wh40k.TargetUnit("Led", [guard], [chief])])
    assert table.share_lost[0, 0] == pytest.approx(1 / 12, rel=1e-14)
    assert table.points_lost[0, 0] == pytest.approx(30 / 12, rel=1e-14)
    assert table.points_destroyed[0, 0] == 0


def test_list_against_list_both_ways():
    army = sample_army()
    table = analysis.grid(army, army, both_ways=True)
    assert table.swapped is not None
    names = [attacker.name for attacker in table.attackers]
    labels = [target.label for target in table.targets]
    for row, attacker in enumerate(table.attackers):
        own = labels.index(attacker.label)
        if table.points_lost[row, own] > 0:
            assert table.trade_ratio[row, own] == pytest.approx(1)  # a unit against its like
        for column, target in enumerate(labels):
            back = f"{target} ({attacker.kind})"
            if back in names and table.points_lost[names.index(back), own] > 0:
                there, here = table.points_lost[row, column], table.points_lost[names.index(back), own]
                assert table.trade_ratio[row, column] == pytest.approx(there / here)


def test_units_of_one_name_meet_themselves_both_ways():
    """The first of two units of one name has no melee weapon: numbers must not slip."""
    squad = next(
        unit for unit in sample_army().units if any(w.melee for line in unit.weapons for w in line.modes)
    )
    ranged = tuple(line for line in squad.weapons if not any(weapon.melee for weapon in line.modes))
    table = analysis.grid([replace(squad, weapons=ranged), squad], [squad], both_ways=True)
    melee = [attacker.name for attacker in table.attackers].index(f"{squad.name} #2 (melee)")
    assert table.trade_ratio[melee, 0] == pytest.approx(1)


def test_volleys_are_those_that_a_cell_was_computed_from():
    """As an attack they have the numbers of the cell; in the table of the list they have the same names."""
    army = sample_army()
    targets = [wh40k.TARGETS[label] for label in ("MEQ", "TANK")]
    table = analysis.grid(army, targets, half_range=True, cover=True)
    uses = {
        (record["unit"], record["kind"], record["target"]): set(record["weapons"].items())
        for record in analysis.army_table(army, targets, half_range=True, cover=True).records
    }
    for row, attacker in enumerate(table.attackers):
        for column, target in enumerate(targets):
            volleys = table.volleys(attacker.name, target.name)
            result = wh40k.attack(volleys, target)
            assert result.wounds_lost.mean() == pytest.approx(table.mean_wounds_lost[row, column], rel=1e-12)
            assert {volley.weapon.melee for volley in volleys} == {attacker.kind == "melee"}
            if (label := attacker.label) in {unit.name for unit in army.units}:
                used = {(volley.weapon.name, volley.count) for volley in volleys}
                assert used == uses[label, attacker.kind, target.name]


def test_volleys_keep_the_names_and_the_situation_that_were_given():
    gun = wh40k.Weapon.parse('Gun: 24" A1 BS3+ S4 AP0 D1 [RAPID FIRE 1]')
    table = analysis.grid({"all": [wh40k.Volley(RIFLE, 3), wh40k.Volley(gun, 2, half_range=True)]}, "MEQ")
    rifles, guns = table.volleys("all", "MEQ")
    assert (rifles.weapon, rifles.count, dict(rifles.situation)) == (RIFLE, 3, {})
    assert (guns.weapon, guns.count, dict(guns.situation)) == (gun, 2, {"half_range": True})


def test_quantiles_are_those_of_the_distributions():
    table = analysis.grid([wh40k.Volley(RIFLE, 10), RIFLE], "GEQ, MEQ, VEQ")
    for probability in (0.0, 0.05, 0.5, 0.9, 1.0):
        for row in range(2):
            for column in range(3):
                assert table.quantile(probability)[row, column] == table.kills(row, column).icdf(probability)


def test_equal_names_are_numbered_and_equal_rows_agree():
    table = analysis.grid([RIFLE, replace(RIFLE, name="Carbine"), RIFLE], ["MEQ", "MEQ", "TEQ"])
    assert [attacker.name for attacker in table.attackers] == ["Rifle", "Carbine", "Rifle #2"]
    assert [target.label for target in table.targets] == ["MEQ", "MEQ #2", "TEQ"]
    assert (table.mean_wounds_lost == table.mean_wounds_lost[0]).all()
    assert (table.mean_wounds_lost[:, 0] == table.mean_wounds_lost[:, 1]).all()


def test_blocks_do_not_change_a_number():
    rng = random.Random(3)
    weapons = [_weapon(rng, str(index)) for index in range(30)]
    whole = analysis.grid(weapons, "MEQ, VEQ, TEQ")
    seen = []
    parts = analysis.grid(weapons, "MEQ, VEQ, TEQ", block=7, progress=lambda *at: seen.append(at))
    np.testing.assert_allclose(parts.mean_wounds_lost, whole.mean_wounds_lost, rtol=1e-14)
    for mine, theirs in zip(parts.kill_distributions, whole.kill_distributions, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-14)
    assert seen == [(7, 30), (14, 30), (21, 30), (28, 30), (30, 30)]


def test_working_arrays_of_any_size_give_the_same(monkeypatch):
    rng = random.Random(4)
    attacks = [[wh40k.Volley(_weapon(rng, str(index)), 3), _weapon(rng, "more")] for index in range(20)]
    whole = analysis.grid(attacks, "GEQ, MEQ, VEQ, CTAN")
    monkeypatch.setattr("mathhammer.sequence.bulk.WORKING_NUMBERS", 300)
    small = analysis.grid(attacks, "GEQ, MEQ, VEQ, CTAN")
    for mine, theirs in zip(small.kill_distributions, whole.kill_distributions, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-13)


def test_records_csv_and_json(tmp_path):
    free = wh40k.Target("<free>", toughness=4, save="3+", wounds=2)
    table = analysis.grid(analysis.Attacker("Squad, veteran", RIFLE, points=80), [wh40k.TARGETS["MEQ"], free])
    first, second = table.to_records()
    assert first["target_points"] == 160
    assert first["points_destroyed"] == pytest.approx(16 * first["mean_kills"])
    assert first["points_per_point"] == pytest.approx(first["points_destroyed"] / 80)
    assert second["points_destroyed"] is None
    document = json.loads(table.to_json(tmp_path / "grid.json"))
    assert (document["schema"], document["schema_version"]) == ("mathhammer.grid", 2)
    assert document["records"] == [first, second]
    assert schema("table")["required"] == ["schema", "schema_version", "records"]
    assert schema("table")["properties"]["schema_version"] == {"const": document["schema_version"]}
    assert json.loads((tmp_path / "grid.json").read_text(encoding="utf-8")) == document
    text = table.to_csv(tmp_path / "grid.csv")
    assert text.splitlines()[1].startswith('"Squad, veteran",attack,80,MEQ,160,')
    assert (tmp_path / "grid.csv").read_bytes().decode() == text
    assert "&lt;free&gt;" in table._repr_html_()


def test_data_frame_without_pandas(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MathhammerError, match="pip install pandas"):
        analysis.grid([RIFLE], "MEQ").to_dataframe()


def test_a_unit_that_is_too_large_is_refused_before_the_others_are_walked(monkeypatch):
    monkeypatch.setattr(blocks, "bulk_losses", lambda *_: pytest.fail("walked the attacks that fit"))
    kinds = [wh40k.Target(f"kind {n}", toughness=4, save=f"{2 + n}+", wounds=5, models=20) for n in range(4)]
    too_large = wh40k.TargetUnit("horde", kinds, allocation="best")
    with pytest.raises(TooLargeError, match="expected a unit"):
        analysis.grid({"rifle": wh40k.Volley(RIFLE, 5)}, [wh40k.TARGETS["MEQ"], too_large])
