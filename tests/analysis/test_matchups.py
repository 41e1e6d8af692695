"""The army table against values worked out by hand from the rules: binomials and single dice."""

from __future__ import annotations

import csv
import io
import json
import pickle
import sys
from concurrent.futures import Executor, ThreadPoolExecutor
from copy import copy, deepcopy
from math import comb
from types import SimpleNamespace

import pytest
from tenth import analysis, army_table, grid, wh40k

from mathhammer.analysis import blocks
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.rosters import sample_army
from mathhammer.sequence import bulk as walks
from mathhammer.systems.wh40k.armies.army import Army
from mathhammer.systems.wh40k.armies.unit import ModelGroup, Unit, WeaponLine
from mathhammer.systems.wh40k.sequence.bulk import BulkCompiler

GUNS = [
    wh40k.Weapon.parse(
        f'Gun {index}: 24" A{1 + index % 3} BS{2 + index % 4}+ S{3 + index % 7} AP-1 D{1 + index % 2}'
    )
    for index in range(12)
]
ATTACKERS = [
    analysis.Attacker('Squad "A", veteran', GUNS[0], points=80),
    analysis.Attacker("=1+2", GUNS[0], points=62.5),
    *GUNS,
]
TARGETS = [wh40k.TARGETS["MEQ"], wh40k.Target("Żółw", toughness=4, save="3+", wounds=2), wh40k.TARGETS["VEQ"]]


@pytest.fixture
def table():
    return analysis.grid(ATTACKERS, TARGETS)


def test_csv_is_what_the_csv_module_writes(table):
    stream = io.StringIO()
    records = table.to_records()
    writer = csv.DictWriter(stream, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(record | {"attacker": record["attacker"].replace("=1+2", "'=1+2")} for record in records)
    assert table.to_csv() == stream.getvalue()
    assert records[1]["points_per_point"] is None
    assert records[0]["mean_wounds_lost"] == table.mean_wounds_lost[0, 0]


def test_json_and_data_frame_hold_the_records(table):
    pandas = pytest.importorskip("pandas", reason="a data frame needs pandas")
    assert json.loads(table.to_json())["records"] == table.to_records()
    pandas.testing.assert_frame_equal(
        table.to_dataframe(), pandas.DataFrame.from_records(table.to_records()), check_exact=True
    )


def test_cells_at_once_change_nothing(table, monkeypatch):
    pytest.importorskip("pandas", reason="a data frame needs pandas")
    whole = table.to_csv(), table.to_json(), table.to_dataframe()
    monkeypatch.setattr("mathhammer.analysis.grids.CELLS_AT_ONCE", 7)
    assert (table.to_csv(), table.to_json()) == whole[:2]
    assert table.to_dataframe().equals(whole[2])


@pytest.mark.parametrize("keep_distributions", [True, False])
@pytest.mark.parametrize("block", [None, 2])
def test_a_csv_sink_holds_what_to_csv_gives(tmp_path, monkeypatch, keep_distributions, block):
    monkeypatch.setattr(blocks, "CELLS_AT_ONCE", 5)
    seen = []
    number = analysis.grid(
        ATTACKERS,
        TARGETS,
        keep_distributions=keep_distributions,
        block=block,
        sink=tmp_path / "cells.csv",
        progress=lambda *at: seen.append(at),
    )
    head, *lines = (tmp_path / "cells.csv").read_text(encoding="utf-8").splitlines()
    expected, *rows = (
        analysis.grid(ATTACKERS, TARGETS, keep_distributions=keep_distributions).to_csv().splitlines()
    )
    assert number == len(ATTACKERS) * len(TARGETS)
    assert (head, sorted(lines)) == (expected, sorted(rows))
    assert seen[-1] == (len(ATTACKERS), len(ATTACKERS))


@pytest.mark.parametrize("keep_distributions", [True, False])
def test_a_parquet_sink_holds_the_records_and_the_distributions(
    tmp_path, monkeypatch, table, keep_distributions
):
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs the extra 'parquet'")
    monkeypatch.setattr(blocks, "CELLS_AT_ONCE", 5)
    path = tmp_path / "cells.parquet"
    analysis.grid(ATTACKERS, TARGETS, keep_distributions=keep_distributions, sink=path)
    rows = {(row["attacker"], row["target"]): row for row in parquet.read_table(path).to_pylist()}
    assert len(rows) == len(ATTACKERS) * len(TARGETS)
    for record in table.to_records():
        row = rows[record["attacker"], record["target"]]
        distribution = row.pop("kills", None)
        assert row == {name: value for name, value in record.items() if "_q" not in name}
        if keep_distributions:
            names = [attacker.name for attacker in table.attackers]
            kept = table.kill_distributions[table.column(record["target"])][names.index(record["attacker"])]
            assert distribution == kept.tolist()
        else:
            assert distribution is None


def test_a_sink_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("kept", encoding="utf-8")
    with pytest.raises(MathhammerError, match="20,000 attacks"):
        analysis.grid([*GUNS, wh40k.Volley(GUNS[0], 10**6)], TARGETS, block=1, sink=path)
    assert path.read_text(encoding="utf-8") == "kept"
    assert list(tmp_path.iterdir()) == [path]


def test_sinks_that_are_refused(tmp_path, monkeypatch):
    for name in ("cells.xlsx", "cells", "army.json"):
        with pytest.raises(MathhammerError, match=r"ends in \.csv or \.parquet"):
            analysis.grid(GUNS, TARGETS, sink=tmp_path / name)
    with pytest.raises(MathhammerError, match="No such file or directory"):
        analysis.grid(GUNS, TARGETS, sink=tmp_path / "nowhere" / "cells.csv")
    with pytest.raises(MathhammerError, match="leave out both_ways, or the sink"):
        analysis.grid(sample_army(), sample_army(), both_ways=True, sink=tmp_path / "cells.csv")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MathhammerError, match="pip install pyarrow"):
        analysis.grid(GUNS, TARGETS, sink=tmp_path / "cells.parquet")
    assert not list(tmp_path.iterdir())


def test_blocks_do_not_repeat_what_they_share(monkeypatch):
    """Work is counted, not timed: distributions of one attack, and transitions of one wound."""
    counts = {"compiled": 0, "transitions": 0}
    of_one_attack, transition = BulkCompiler._of_one_attack, walks.transition

    def compiled(self, *key):
        counts["compiled"] += 1
        return of_one_attack(self, *key)

    def counted(block, copies):
        counts["transitions"] += 1
        return transition(block, copies)

    monkeypatch.setattr(BulkCompiler, "_of_one_attack", compiled)
    monkeypatch.setattr(walks, "transition", counted)
    many = [
        wh40k.Weapon("any", range='24"', attacks=2, skill="3+", strength=strength, ap=-1, damage=damage)
        for strength in range(3, 13)
        for damage in (1, 2, 3, "D3", "D6", "D6+1", "D3+3", 6)
    ]
    targets = list(wh40k.TARGETS.values())
    work = []
    for block in (len(many), len(many) // 8):
        counts.update(dict.fromkeys(counts, 0))
        analysis.grid(many, targets, block=block, keep_distributions=False)
        work.append(tuple(counts.values()))
    assert work[1][0] == work[0][0]
    assert work[1][1] <= 1.1 * work[0][1]


def test_a_spread_table_has_two_blocks_a_worker_or_blocks_that_are_worth_it():
    assert blocks._block_size(2677, 250, None) == 2000
    assert blocks._block_size(2677, 250, Executor()) == 84  # of how many workers nobody knows
    assert blocks._block_size(10, 10**6, Executor()) == 1
    with ThreadPoolExecutor(2) as pool:
        assert blocks._block_size(2677, 250, pool) == 670
        assert blocks._block_size(30, 6, pool) == 3333
        assert blocks._block_size(10, 10**6, pool) == 1


def weapon(name="Gun", *, attacks=1, skill=3, strength=4, ap=0, damage=1, keywords="", reach='24"'):
    return wh40k.Weapon(
        name,
        range=reach,
        attacks=attacks,
        skill=skill,
        strength=strength,
        ap=ap,
        damage=damage,
        keywords=keywords,
    )


def unit(*lines, name="Squad", points=50, models=5, notes=()):
    weapons = tuple(WeaponLine(modes[0].name, count, "Model", 0, (tuple(modes),)) for count, *modes in lines)
    return Unit(
        name, points, (ModelGroup("Model", models, wh40k.Target.parse("T4 Sv3+ W1")),), weapons, notes=notes
    )


def army(*units):
    return Army("Test army", "Nobody", "10e", sum(unit.points for unit in units), tuple(units))


def target(**changes):
    values = {"toughness": 4, "save": None, "wounds": 1, "models": 2, "points": 30, **changes}
    return wh40k.Target("Target", **values)


def only_cell(attacker, defender, **options):
    (record,) = army_table(army(attacker), [defender], **options).records
    return SimpleNamespace(**record)


@pytest.mark.parametrize(("probability", "count"), [(0.3, 1), (0.5, 2), (0.8, 4), (0.99, 12), (0.9999, None)])
def test_how_many_units_are_needed(probability, count):
    """One shot of 1/3 on one model: 1 - (2/3)^n is .33, .56, .70, 65/81, ..., .9923 of twelve, .9997 of twenty."""
    cell = only_cell(unit((1, weapon())), target(models=1), needed=probability)
    assert cell.needed == count
    assert not hasattr(only_cell(unit((1, weapon())), target(models=1)), "needed")


def test_a_cell_by_the_binomial():
    # 4 shots, each 2/3 to hit and 1/2 to wound, no save, one wound a model, two models.
    cell = only_cell(unit((4, weapon())), target())
    none, one = (comb(4, k) * (1 / 3) ** k * (2 / 3) ** (4 - k) for k in (0, 1))
    assert cell.probability_destroyed == pytest.approx(1 - none - one, rel=1e-13)
    mean = one + 2 * (1 - none - one)
    assert cell.mean_kills == pytest.approx(mean, rel=1e-13)
    assert cell.mean_wounds_lost == pytest.approx(mean, rel=1e-13)
    # 30 points for two models: 15 each; the attacker costs 50.
    assert cell.points_destroyed == pytest.approx(15 * mean, rel=1e-13)
    assert cell.points_per_point == pytest.approx(15 * mean / 50, rel=1e-13)


def test_excess_damage_is_lost():
    # One hit in two (4+ in 2+ to hit is certain enough to leave out: BS2+, S8 against T4 wounds on 2+).
    gun = weapon(skill=2, strength=8, damage=6)
    cell = only_cell(unit((1, gun)), target(wounds=2))
    assert cell.mean_wounds_lost == pytest.approx(2 * 25 / 36, rel=1e-13)
    assert cell.mean_kills == pytest.approx(25 / 36, rel=1e-13)


def test_shooting_and_melee_are_rows_apart():
    sword = weapon("Sword", reach="Melee", skill=2, strength=8)
    table = army_table(army(unit((1, weapon()), (1, sword), models=1)), [target()])
    assert [[record[name] for name in ("unit", "index", "kind")] for record in table.records] == [
        ["Squad", 0, "shooting"],
        ["Squad", 0, "melee"],
    ]
    shooting, melee = (record["mean_wounds_lost"] for record in table.records)
    assert shooting == pytest.approx(1 / 3, rel=1e-13)
    assert melee == pytest.approx(25 / 36, rel=1e-13)


def test_a_unit_without_weapons_for_a_phase_has_no_row_and_one_without_any_is_named():
    table = army_table(army(unit((1, weapon())), unit(name="Bearers")), [target()])
    assert [record["kind"] for record in table.records] == ["shooting"]
    assert "Bearers: no weapons" in table.simplifications


def test_the_best_mode_is_taken_target_by_target_and_named():
    # Against one wound the modes do the same, and the first listed is taken; against two the damage tells.
    steady = weapon("Plasma - steady", strength=8, ap=-3)
    hot = weapon("Plasma - hot", strength=8, ap=-3, damage=2)
    table = army_table(army(unit((1, steady, hot))), [target(), target(wounds=2)])
    assert [record["weapons"] for record in table.records] == [{"Plasma - steady": 1}, {"Plasma - hot": 1}]


def test_copies_on_several_kinds_of_models_are_used_together():
    # The sergeant's rifle and the others' are one weapon: five shots in all, named once.
    cell = only_cell(unit((1, weapon()), (4, weapon())), target(models=6))
    assert cell.weapons == {"Gun": 5}
    assert cell.mean_kills == pytest.approx(5 / 3, rel=1e-13)


def test_a_weapon_carries_on_where_the_one_before_stopped():
    # Two certain-but-for-ones hits of damage 2 into three wounds: the second finishes what the first began.
    first = weapon("First", skill=2, strength=8, damage=2)
    second = weapon("Second", skill=2, strength=9, damage=2)
    cell = only_cell(unit((1, first), (1, second)), target(models=1, wounds=3))
    assert cell.probability_destroyed == pytest.approx((25 / 36) ** 2, rel=1e-13)


def test_the_situation_is_that_of_all_attacks_and_is_kept():
    melta = weapon("Melta", strength=8, skill=2, damage=1, keywords="Melta 2")
    attacker, defender = unit((1, melta)), target(wounds=3)
    assert only_cell(attacker, defender).mean_wounds_lost == pytest.approx(25 / 36, rel=1e-13)
    assert only_cell(attacker, defender, half_range=True).mean_wounds_lost == pytest.approx(
        75 / 36, rel=1e-13
    )
    table = army_table(army(attacker), [defender], half_range=True, rulings={"save_cap": "gross"})
    assert table.situation == {"half_range": True}
    assert table.rulings["save_cap"] == "gross"


def test_without_points_there_is_no_return():
    cell = only_cell(unit((1, weapon())), target(points=None))
    assert (cell.points_destroyed, cell.points_per_point) == (None, None)
    cell = only_cell(unit((1, weapon()), points=0), target())
    assert cell.points_destroyed == pytest.approx(15 / 3, rel=1e-13)
    assert cell.points_per_point is None


def test_weapons_of_one_stat_line_keep_their_names():
    cell = only_cell(unit((1, weapon("Heirloom")), (4, weapon("Gun"))), target())
    assert cell.weapons == {"Heirloom": 1, "Gun": 4}


def test_progress_counts_the_rows_that_are_done():
    told = []
    attackers = army(unit((1, weapon())), unit((1, weapon())), unit())
    army_table(attackers, [target()], progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (2, 2)


def test_wounds_at_least_are_the_binomials_tail():
    # 4 shots, each 2/3 to hit and 1/2 to wound; the target, of two models of two wounds, has lost one before.
    cell = only_cell(unit((4, weapon())), target(wounds=2, wounds_lost=1), keep_distributions=True)
    exactly = [comb(4, k) * (1 / 3) ** k * (2 / 3) ** (4 - k) for k in range(5)]
    assert cell.wounds_at_least == pytest.approx([sum(exactly[k:]) for k in range(4)], rel=1e-13)


def test_an_army_that_cannot_attack_has_no_rows():
    """Core rules, Indirect Fire: nothing of this army shoots at what nobody sees."""
    attackers = army(unit((1, weapon())))
    assert not army_table(attackers, [target()], indirect=True).records
    assert grid(attackers, [target()], indirect=True).mean_wounds_lost.shape == (0, 1)


def test_what_is_left_out_is_said():
    hazard = weapon("Hot gun", keywords="Hazardous")
    rocket = weapon("Rocket", keywords="One Shot")
    table = army_table(army(unit((1, hazard), (1, rocket), notes=("Squad: read with a doubt",))), [target()])
    assert table.simplifications == (
        "Every weapon is taken to be in range and able to attack",
        (
            "Weapons attack in the order of the list; pistols or other guns, and one melee weapon for each model, are "
            "chosen by mean wounds lost"
        ),
        "Units attack one by one: a Leader does not join a unit, and no unit's rules help another",
        "Squad: read with a doubt",
        "Hazardous (mortal wounds on the attacker) is not computed here: Hot gun",
        "One Shot weapons are taken not to be fired before: Rocket",
    )


def test_an_unknown_edition_is_refused_even_for_an_army_without_weapons():
    with pytest.raises(UnknownNameError):
        army_table(army(unit()), [target()], edition="12e")


def test_rerolled_ones_never_make_twin_linked_worse() -> None:
    """Core rules, Twin-linked: any wound roll may be re-rolled, also in an army that re-rolls ones."""
    gun = weapon("Twin gun", keywords="Twin-linked")
    plain, ones = (
        army_table(army(unit((1, gun))), [target()], **at) for at in ({}, {"reroll_wounds": "ones"})
    )
    assert plain.records[0]["mean_wounds_lost"] == ones.records[0]["mean_wounds_lost"]


def test_only_indirect_fire_shoots_at_what_nobody_sees() -> None:
    """Core rules, Indirect Fire: the other ranged weapons are left out, and the page says so."""
    mortar = weapon("Mortar", keywords="Indirect Fire")
    table = army_table(army(unit((1, weapon()), (1, mortar))), [target()], indirect=True)
    assert list(table.records[0]["weapons"]) == ["Mortar"]
    assert not army_table(army(unit((1, weapon()))), [target()], indirect=True).records
    assert any("without Indirect Fire" in sentence for sentence in table.simplifications)


@pytest.mark.parametrize("situation", [{"indirect": True}, {"reroll_wounds": "ones"}])
def test_a_grid_leaves_out_the_same(situation):
    """Core rules, Indirect Fire and Twin-linked: the grid of an army is its table, whatever the situation."""
    twin = weapon("Twin gun", keywords="Twin-linked", attacks=3)
    mortar = weapon("Mortar", keywords="Indirect Fire", attacks=2)
    attackers = army(unit((1, weapon()), (2, mortar), (1, twin)), unit((1, weapon()), name="Blind"))
    table = army_table(attackers, [target()], **situation)
    found = grid(attackers, [target()], **situation)
    lost = [record["mean_wounds_lost"] for record in table.records]
    assert found.mean_wounds_lost[:, 0].tolist() == pytest.approx(lost)


def test_a_table_is_copied_pickled_and_written():
    table = army_table(army(unit((4, weapon()))), "MEQ", cover=True, keep_distributions=True)
    for again in (copy(table), deepcopy(table), pickle.loads(pickle.dumps(table))):  # noqa: S301 - our own
        assert (again.records, again.edition) == (table.records, "10e")
    assert not hasattr(table, "nothing")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        table.nothing  # noqa: B018
    assert json.loads(table.to_json())["situation"] == {"cover": True}
    assert table.to_records()[0]["weapons"] == "4x Gun"


def test_tables_for_spreadsheets_and_for_polars(tmp_path):
    polars, openpyxl = pytest.importorskip("polars"), pytest.importorskip("openpyxl")
    table = analysis.grid(ATTACKERS, TARGETS)
    frame = polars.DataFrame(table.to_records())
    assert frame["mean_kills"].to_list() == table.mean_kills.ravel().tolist()
    table.to_dataframe().to_excel(tmp_path / "grid.xlsx", index=False)
    rows = list(openpyxl.load_workbook(tmp_path / "grid.xlsx").active.values)
    assert rows[0] == tuple(table.to_dataframe().columns)
    assert len(rows) == 1 + table.mean_kills.size
