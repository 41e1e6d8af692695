"""Exchanges of Activations: against every ordered roll, hand-worked duels, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import trench_crusade_enumeration as table

from mathhammer import from_text
from mathhammer import trench_crusade as tc
from mathhammer.errors import TooLargeError

SWORD, RIFLE, GRENADE = (tc.WEAPONS[name] for name in ("Sword", "Bolt-Action Rifle", "Musket"))
CUT = table.Blow(melee=True, keywords=frozenset({"CRITICAL"}))
SHOT = table.Blow()
BURNT = table.Blow(injury_dice=-1, keywords=frozenset({"FIRE", "FLAMETHROWER", "IGNORE ARMOUR"}))
FLAMER = tc.WEAPONS["Flamethrower"]
PIERCED = replace(BURNT, keywords=BURNT.keywords - {"FIRE"})
LANCE = tc.Weapon("Lance", kind="ranged", keywords="FLAMETHROWER, IGNORE ARMOUR, -1 INJURY DICE")


def _found(result: Any) -> dict[Any, Fraction]:
    """Return every joint state: of each model whether it is out, its Blood Markers, Down, TOUGH used."""
    found: dict[Any, Fraction] = {}
    for standing, chance in result._states.items():
        key = tuple(
            tuple((each.out, each.blood, each.down, each.tough_used) for each in side)
            for side in standing.sides
        )
        found[key] = found.get(key, Fraction()) + Fraction(int(chance.p), int(chance.q))
    return found


def _expected(sides: Any, turns: int) -> dict[Any, Fraction]:
    found: dict[Any, Fraction] = {}
    for standing, chance in table.exchange(sides, turns).items():
        key = tuple(
            tuple(
                (True, 0, False, False)
                if model.result == 4
                else (False, model.blood, model.down, model.tough_used)
                for model in side
            )
            for side in standing
        )
        found[key] = found.get(key, Fraction()) + chance
    return found


@pytest.mark.slow
@pytest.mark.parametrize("turns", [1, 4])
def test_exchange_of_two_models(turns: int) -> None:
    brute = tc.Target("Brute", armour="standard", keywords="TOUGH, REGENERATE (1)")
    first = tc.Fighter(brute, SWORD, melee=1, opening=RIFLE)
    second = tc.Fighter(tc.Target("Yeoman", armour="reinforced", blood=1, down=True), [FLAMER, SWORD])
    result = tc.exchange(first, second, activations=turns, exact=True)
    defence = table.Defence(armour=-1, keywords=frozenset({"TOUGH"}), regenerate=1)
    cut = table.Blow(melee=True, dice=1, keywords=frozenset({"CRITICAL"}))
    sides = (
        (table.Fighter(table.Model(), defence, (cut,), (SHOT,)),),
        (table.Fighter(table.Model(blood=1, down=True), table.Defence(armour=-2), (BURNT, CUT)),),
    )
    assert _found(result) == _expected(sides, turns)


def test_exchange_of_a_fireteam() -> None:
    team = [tc.Fighter(tc.Target(name), RIFLE) for name in ("One", "Two")]
    brute = tc.Fighter(tc.Target("Brute", keywords="TOUGH"), SWORD)
    result = tc.exchange(team, brute, activations=4, exact=True)
    sides = (
        tuple(table.Fighter(table.Model(), table.Defence(), (SHOT,)) for _ in range(2)),
        (table.Fighter(table.Model(), table.Defence(keywords=frozenset({"TOUGH"})), (CUT,)),),
    )
    expected = _expected(sides, 4)
    for key, chance in _found(result).items():
        if key[1][0][0]:  # what is out remembers nothing
            continue
        assert chance == expected[key]
    gone = sum(chance for key, chance in expected.items() if key[1][0][0])
    assert Fraction(str(result.probability_first_wins)) == gone


def test_exchange_spends_markers() -> None:
    # One Blood Marker of the target buys an INJURY DIE, and is gone.
    yeoman = tc.Fighter(tc.Target("Yeoman", blood=1), RIFLE)
    result = tc.exchange(yeoman, yeoman, activations=1, first_spend=tc.Spend(blood=1), exact=True)
    attack = tc.attack(RIFLE, tc.Target(blood=1), spend=tc.Spend(blood=1), exact=True)
    assert result.probability_first_wins == attack.probability_out_of_action
    assert result.condition("second").probability(lambda each: each.out) == result.probability_first_wins


@pytest.mark.parametrize("activations", [2, 20])
def test_exchange_without_memory_is_a_geometric_duel(activations: int) -> None:
    """Markers that nobody spends change nothing, and who is Down stands up: each Activation wins with 1313/7776."""
    p = 1313 / 7776
    yeoman = tc.Fighter(tc.Target("Yeoman"), RIFLE)
    result = tc.exchange(yeoman, yeoman, activations=activations)
    likely = p / (1 - (1 - p) ** 2) * (1 - (1 - p) ** activations)
    assert result.probability_first_wins == pytest.approx(likely, rel=1e-12)
    assert result.probability_second_wins == pytest.approx((1 - p) * likely, rel=1e-12)
    assert result.length.pmf(1) == pytest.approx(p, rel=1e-12)


def test_exchange_reads_back_from_its_text() -> None:
    team = [
        tc.Fighter(tc.Target(name), RIFLE, opening=tc.Attack(weapon=RIFLE, cover=True))
        for name in ("One", "Two")
    ]
    brute = tc.Fighter(tc.Target("Brute", keywords="TOUGH"), SWORD, melee=1)
    result = tc.exchange(team, brute, activations=2, second_spend=tc.Spend(blood=2), exact=True)
    assert from_text(result.to_text()).end == result.end
    assert "second out" in str(result.explain())
    assert result._repr_html_().count("<svg") == 1


@pytest.mark.parametrize(
    "first", [FLAMER, "Bolt-Action Rifle", tc.Weapon("gun", kind="ranged", keywords="RISKY")]
)
def test_both_of_a_fireteam_are_activated(first: Any) -> None:
    """Keywords, FIRETEAM: REGENERATE and Infection, though the first takes the enemy out or ends the Activation."""
    second = tc.Target("Y", blood=3, infection=1, down=True, keywords="REGENERATE 3")
    team = [tc.Fighter(tc.Target("X"), first), tc.Fighter(second, SWORD)]
    result = tc.exchange(team, tc.Fighter(tc.Target("Z"), SWORD), activations=1, exact=True)
    left = result.condition("first", 1)
    assert left.probability(lambda each: (each.blood, each.infection, each.down) == (0, 2, False)) == 1


def test_what_a_weapon_does_beside_its_target() -> None:
    """Keywords, BLOCK, of who holds it; Battlekit, Anti-Tank Hammer (Dangerous); Satchel Charge (Heavy Explosive)."""
    guard = tc.Fighter(tc.Target("Guard", armour="machine", keywords="TOUGH"), "Polearm")
    charge = tc.Fighter(tc.Target("Knight"), tc.Attack(weapon=SWORD, charged=True))
    pike = tc.Fighter(tc.Target("Pike"), "Shovel", opening="Polearm")
    assert str(tc.exchange(charge, pike, activations=1, exact=True).probability_first_wins) == "235/2592"
    hammer = tc.Fighter(tc.Target("Hammer", blood=5), ["Anti-Tank Hammer"] * 2)
    marked = tc.exchange(hammer, guard, activations=1, exact=True).condition("first")
    # A miss ends it, the sixth is the last.
    assert str(marked.probability(lambda each: each.blood == 6)) == "7/12"
    assert tc.Fighter(tc.Target(), SWORD, opening="Satchel Charge").opening


@pytest.mark.parametrize(
    ("spend", "reply"), [("best", "best"), ("best", None), (None, "best"), (tc.Spend(blood=1), "best")]
)
@pytest.mark.parametrize(
    ("weapon", "blow", "numbers", "turns"),
    [(SWORD, CUT, (2, 0), 2), (RIFLE, SHOT, (1, 1), 2), (FLAMER, BURNT, (2, 1), 3)],
)
def test_best_spending_against_every_plan(
    weapon: Any, blow: Any, numbers: tuple[int, int], turns: int, spend: Any, reply: Any
) -> None:
    """What is best for whoever spends, from the last roll to the first, with every ordered roll (Q1)."""
    blood, blessing = numbers
    sides = [tc.Fighter(tc.Target(name, blood=blood, blessing=blessing), weapon) for name in ("Ann", "Ben")]
    options: dict[str, Any] = {"activations": turns, "spends_first": "attacker", "exact": True}
    result = tc.exchange(*sides, spend=spend, reply=reply, **options)
    kinds = [kind for kind, given in (("spend", spend), ("reply", reply)) if given == "best"]
    duel = table.Duel(
        table.Model(blood=blood, blessing=blessing),
        blow,
        turns,
        kinds,
        fixed=int(isinstance(spend, tc.Spend)),
    )
    found = result.probability_first_wins - result.probability_second_wins
    assert Fraction(str(found)) == duel.value()


@pytest.mark.parametrize(("weapon", "blow", "turns"), [(RIFLE, SHOT, 1), (LANCE, PIERCED, 2)])
def test_best_spending_against_plans_one_by_one(weapon: Any, blow: Any, turns: int) -> None:
    """What the first side is sure of and what the second can hold it to, each plan of one against each of the other."""
    duel = table.Duel(table.Model(blood=1), blow, turns)
    mine, theirs = duel.plans(0), duel.plans(1)
    values = [[duel.value(a | b) for b in theirs] for a in mine]
    assert len(mine) * len(theirs) == 32
    best = max(map(min, values))
    assert best == min(map(max, zip(*values, strict=True)))
    sides = [tc.Fighter(tc.Target(name, blood=1), weapon) for name in ("Ann", "Ben")]
    options: dict[str, Any] = {"activations": turns, "spends_first": "attacker", "exact": True}
    result = tc.exchange(*sides, spend="best", reply="best", **options)
    assert Fraction(str(result.probability_first_wins - result.probability_second_wins)) == best


def test_plan_of_an_exchange_in_words() -> None:
    sides = [tc.Fighter(tc.Target(name, blood=1), FLAMER) for name in ("Ann", "Ben")]
    result = tc.exchange(*sides, activations=2, spend="best")
    assert [str(each) for each in result.plan][:1] == [
        "Activation 1 of Ann, 1. Flamethrower, Injury Roll, Ann 1 Blood; Ben 1 Blood: attacker spends 1 Blood"
    ]
    assert any("Best plan" in line for line in str(result.explain()).split("\n"))
    assert from_text(result.to_text()).plan == result.plan


@pytest.mark.slow
def test_exchange_that_would_not_fit() -> None:
    armoured: dict[str, Any] = {"armour": "reinforced", "shield": True, "keywords": "TOUGH", "blessing": 6}
    teams = [
        [tc.Fighter(tc.Target(name, blood=3, **armoured), [RIFLE, RIFLE]) for name in names]
        for names in ("ab", "cd")
    ]
    with pytest.raises(
        TooLargeError, match=r"at most 50,000 positions in all Activations, got some .*; this"
    ):
        tc.exchange(*teams, activations=20, spend="best", reply="best")


@pytest.mark.slow
def test_what_is_said_to_fit_does() -> None:
    """Twelve Activations of two rifles with Blood a side (issue 36) fit, and of more as many as the message says."""
    sides = [[tc.Fighter(tc.Target(name, blood=1), RIFLE) for name in names] for names in ("ab", "cd")]
    options: dict[str, Any] = {"spend": "best", "reply": "best", "spends_first": "attacker"}
    with pytest.raises(TooLargeError, match=r"fits with activations=1\d:") as refused:
        tc.exchange(*sides, activations=20, **options)
    most = int(str(refused.value).partition("activations=")[2][:2])
    assert most >= 12
    result = tc.exchange(*sides, activations=most, **options)
    # Who begins has the advantage, and the most that both sides can make of their markers does not turn it.
    assert 0.5 < result.probability_first_wins < 1
