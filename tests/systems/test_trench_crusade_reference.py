"""The answer tables of Trench Crusade 1.0.2 against the public API, exactly and in float64."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reference import trench_crusade_1_0_2 as table

from mathhammer import trench_crusade as tc
from mathhammer.systems.trench_crusade.rolls import injury_of, success_of

BOTH = pytest.mark.parametrize("exact", [True, False])


def same(found: Any, expected: str) -> bool:
    """Equal as fractions, or to 1e-12 in float64."""
    wanted = Fraction(expected)
    if isinstance(found, float):
        return abs(found - wanted) <= 1e-12 * max(wanted, Fraction(1, 10**6))
    return bool(Fraction(int(found.numerator), int(found.denominator)) == wanted)


def weapon(kind: str = "ranged", **options: Any) -> tc.Weapon:
    return tc.Weapon("weapon", kind=kind, **options)


def distribution_of(row: table.Row, *, exact: bool) -> tc.AttackResult[Any]:
    return tc.attack(
        weapon(row.kind, **row.weapon),
        tc.Target(**row.target),
        attacker=tc.Attacker(**row.attacker),
        spend=tc.Spend(**row.spend),
        reply=tc.Reply(**row.reply),
        exact=exact,
        **row.situation,
    )


@BOTH
@pytest.mark.parametrize(("net", "expected", "distribution", "source"), table.SUCCESS_ROLLS)
def test_success_roll(net: int, expected: str, distribution: str, source: str, *, exact: bool) -> None:
    """Trench Crusade rules 1.0.2, Success Rolls; +/- Dice."""
    roll = tc.success_roll(net, exact=exact)
    found = [roll.pmf(name) for name in tc.SUCCESSES]
    found += [roll.at_least("success"), roll.total.mean()]
    assert all(map(same, found, expected.split())), source
    assert all(same(roll.total.pmf(k), p) for k, p in enumerate(distribution.split(), start=2)), source


@pytest.mark.parametrize(("plus", "minus", "left"), table.CANCELLED)
def test_pairs_cancel(plus: int, minus: int, left: int) -> None:
    """Trench Crusade rules 1.0.2, +/- Dice: the surplus counts, and the sources are kept."""
    roll = tc.success_roll([f"+{plus} elevated", f"-{minus} cover"], exact=True)
    assert roll.net == left
    assert [str(modifier) for modifier in roll.dice] == [f"+{plus} (elevated)", f"-{minus} (cover)"]
    assert roll.outcome == tc.success_roll(left, exact=True).outcome


@pytest.mark.parametrize(("roll", "net", "modifier", "dice", "total", "outcome", "source"), table.ROLLED)
def test_rolled_dice(
    roll: str, net: int, modifier: int, dice: tuple[int, ...], total: int, outcome: str, source: str
) -> None:
    """The rulebook's own examples: which dice count, their sum and what it means."""
    counted = sorted(dice, reverse=net > 0)[:2]
    distribution = tc.success_roll(net) if roll == "success" else tc.injury_roll(net, modifier)
    assert len(dice) == 2 + abs(distribution.net)
    assert sum(counted) + modifier == total, source
    assert (success_of if roll == "success" else injury_of)(total) == outcome, source
    assert distribution.total.pmf(total) > 0


@BOTH
@pytest.mark.parametrize(
    ("dice", "modifier", "deadly", "bloodbath", "expected", "source"), table.INJURY_ROLLS
)
def test_injury_roll(
    dice: int, modifier: int, *, deadly: bool, bloodbath: bool, expected: str, source: str, exact: bool
) -> None:
    """Trench Crusade rules 1.0.2, Injuries; Bloodbath; DEADLY."""
    make = tc.bloodbath_roll if bloodbath else tc.injury_roll
    roll = make(dice, modifier, keywords="DEADLY" if deadly else "", exact=exact)
    assert all(map(same, (roll.pmf(name) for name in tc.INJURIES), expected.split())), source


@pytest.mark.parametrize(
    ("rows", "modifiers", "at_least", "bloodbath"),
    [
        (table.OUT_OF_ACTION, (0, -1, -2, -3), "out of action", False),
        (table.DOWN_OR_WORSE, (0, -1, -2, -3), "down", False),
        (table.BLOODBATH_OUT, (0, -1, -3), "out of action", True),
    ],
)
def test_printed_tables(
    rows: dict[int, str], modifiers: tuple[int, ...], at_least: str, *, bloodbath: bool
) -> None:
    """Chances over net INJURY DICE and INJURY MODIFIERS."""
    found = tc.injury_table(rows, modifiers, at_least=at_least, bloodbath=bloodbath, exact=True)
    for net, chances in found.rows:
        assert all(map(same, chances, rows[net].split())), net


@BOTH
@pytest.mark.parametrize("row", table.ATTACKS, ids=str)
def test_attack(row: table.Row, *, exact: bool) -> None:
    """Trench Crusade rules 1.0.2: each row names its pages."""
    found = distribution_of(row, exact=exact)
    assert all(map(same, (found.outcome.pmf(name) for name in tc.OUTCOMES), row.expected.split())), row.source
    assert found.state.total() == pytest.approx(1)


@BOTH
@pytest.mark.parametrize("row", table.MARKERS, ids=str)
def test_markers(row: table.Row, *, exact: bool) -> None:
    """Trench Crusade rules 1.0.2, Blood Markers; FIRE, GAS, SHRAPNEL."""
    found = distribution_of(row, exact=exact)
    expected = dict(pair.split(":") for pair in row.expected.split())
    assert same(found.probability_out_of_action, expected.pop("out"))
    alive = dict.fromkeys(range(7), 0 * found.probability_hit)
    for outcome, p in found.state.items():
        if outcome[0] < 4:
            alive[outcome[1]] += p
    assert {str(blood) for blood, p in alive.items() if p} == expected.keys(), row.source
    assert all(same(alive[int(blood)], p) for blood, p in expected.items()), row.source


def test_two_shots() -> None:
    """p53: AUTOMATIC 2 against Standard Armour, nothing spent; then the first shot's markers on the second."""
    gun, target = weapon(keywords="AUTOMATIC 2"), tc.Target(armour="standard")
    assert same(tc.attack(weapon(), target, exact=True).probability_out_of_action, "797/7776")
    assert same(tc.attack(gun, target, exact=True).probability_out_of_action, "11759735/60466176")
    plan = (tc.Spend(), tc.Spend(blood=tc.ALL))
    spent = tc.attack(gun, target, spend=plan, exact=True)
    assert same(spent.probability_out_of_action, "14855537/60466176")


def test_off_hand_weapon() -> None:
    """p45, p48: Melee +1, the second weapon at -1 DICE; a Down model gives +1 INJURY DICE."""
    blows = [tc.Attack(weapon=weapon("melee")), tc.Attack(weapon=weapon("melee"), off_hand=True)]
    found = tc.attack(blows, tc.Target(armour="standard"), attacker=tc.Attacker(melee=1), exact=True)
    assert same(found.probability_out_of_action, "70303805/272097792")
    assert same(found.probability_down_or_worse, "5206595/10077696")


def test_tough() -> None:
    """p57, p48: the first Out of Action is Down, which helps the next Melee Attack."""
    target = tc.Target(keywords="TOUGH")
    once = tc.attack(weapon(), target, exact=True)
    assert same(once.state.marginal("tough_used").pmf(1), "1313/7776")
    for kind, keyword, expected in (
        ("ranged", "AUTOMATIC 2", "1723969/60466176"),
        ("melee", "CLEAVE 2", "1582165/30233088"),
    ):
        found = tc.attack(weapon(kind, keywords=keyword), target, exact=True)
        assert same(found.probability_out_of_action, expected)


def test_golem_in_a_bloodbath() -> None:
    """p47, p55: only a Bloodbath takes it Out of Action."""
    target = tc.Target(keywords="GOLEM", blood=6)
    found = tc.attack(weapon(), target, spend=tc.Spend(bloodbath=True), exact=True)
    assert same(found.probability_out_of_action, "2545/5832")


@pytest.mark.parametrize(
    ("target", "bath", "dice"),
    [({}, "145/162", "20455/23328"), (table.THREE, "799/1296", "12281/46656")],
)
def test_three_markers_on_a_down_model(target: dict[str, Any], bath: str, dice: str) -> None:
    """p28, p47: a Bloodbath beats three INJURY DICE, and the best plan says so."""
    automatic = weapon("melee", keywords="FLAMETHROWER")
    model = tc.Target(down=True, blood=3, **target)
    for spend, expected in ((tc.Spend(bloodbath=True), bath), (tc.Spend(blood=3), dice), ("best", bath)):
        found = tc.attack(automatic, model, spend=spend, exact=True)
        assert same(found.probability_out_of_action, expected)
    assert found.plan.decisions[0].action == "Bloodbath for 3 Blood"


def test_scatter() -> None:
    """p57: a roll of 4 scatters 3"."""
    distribution = tc.scatter(exact=True)
    expected = {0: "7/12", 1: "5/36", 2: "1/9", 3: "1/12", 4: "1/18", 5: "1/36"}
    assert all(same(distribution.pmf(inches), p) for inches, p in expected.items())


@pytest.mark.parametrize(("net", "expected"), [(0, "1/36"), (-1, "2/27"), (1, "1/216")])
def test_fumble_of_the_beta(net: int, expected: str) -> None:
    """Trench Dispatch 1, April 2026, Public Beta: a Success Roll of 2 or less."""
    grenade = weapon("grenade", keywords="FUMBLE", dice=net)
    beta = tc.attack(grenade, tc.Target(), edition="beta_2026_04", exact=True)
    assert same(beta.probability_fumble, expected)
    assert same(tc.attack(grenade, tc.Target(), exact=True).probability_fumble, "0")


def test_morale() -> None:
    """p50, p56: half of 5 is 3; LEADER +1 DICE."""
    plain, led = tc.morale(5, exact=True), tc.morale(5, leader=True, exact=True)
    assert (plain.threshold, led.threshold) == (3, 3)
    assert same(plain.probability_shaken, "5/12")
    assert same(led.probability_shaken, "7/36")
    assert same(plain.probability_flees, "25/144")
    assert same(led.probability_flees, "49/1296")


def test_fall() -> None:
    """p41: +1 INJURY DICE for each full 3"."""
    found = tc.fall(tc.Target(), 6, exact=True)
    expected = ("0", "0", "13/144", "31/144", "25/36")
    assert all(map(same, (found.outcome.pmf(name) for name in tc.OUTCOMES), expected))
    assert found.outcome == tc.fall(tc.Target(), 8, exact=True).outcome


def test_charge() -> None:
    """p36: Movement + D6, at most 12"; HEAVY has no Charge Bonus."""
    distribution = tc.charge(6, exact=True)
    expected = {7: "1", 8: "5/6", 9: "2/3", 10: "1/2", 11: "1/3", 12: "1/6", 13: "0"}
    assert all(same(distribution.at_least(inches), p) for inches, p in expected.items())
    assert same(tc.charge(8, exact=True).at_least(12), "1/2")
    assert same(tc.charge(6, heavy=True, exact=True).pmf(6), "1")


def test_risky_automatic() -> None:
    """p24, p57: a failed Risky roll ends the Activation."""
    gun = weapon(keywords="AUTOMATIC 2, RISKY", dice=1)
    target = tc.Target(armour="machine", keywords="TOUGH")
    assert same(tc.attack(gun, target, exact=True).probability_made(2), "29/36")


def test_reroll() -> None:
    """p31: all dice are re-rolled, once."""
    assert same(tc.success_roll(reroll=True, exact=True).at_least("success"), "119/144")


@pytest.mark.parametrize("exact", [True, False])
def test_a_roll_explains_its_re_roll(*, exact: bool) -> None:
    """5/12 fail and are re-rolled: 25/144 fail again, 20/36 and 1/36 of first rolls become 17/12 of that."""
    text = str(tc.success_roll(reroll=True, exact=exact).explain())
    assert "failure 25/144, success 85/108, critical 17/432" in text
    assert "failures re-rolled" in text


def test_who_spends_first_moves_the_answer() -> None:
    """Rules Commentaries 1.0.2, Q1: Down, armour -3, 4 Blood, 2 Blessings, two hits without a roll."""
    target = tc.Target(armour="reinforced", shield=True, down=True, blood=4, blessing=2)
    shots = weapon(keywords="AUTOMATIC 2, FLAMETHROWER")
    found = {
        first: float(
            tc.attack(shots, target, spend="best", reply="best", spends_first=first).probability_out_of_action
        )
        for first in ("attacker", "defender")
    }
    assert {first: round(p, 3) for first, p in found.items()} == {"attacker": 0.393, "defender": 0.540}
    for side, best in (("attacker", max(found.values())), ("defender", min(found.values()))):
        chosen = tc.attack(shots, target, spend="best", reply="best", initiative=side)
        # To choose the order of each roll is worth at least as much as the better of the two fixed orders.
        p = chosen.probability_out_of_action
        assert p >= best - 1e-12 if side == "attacker" else p <= best + 1e-12
