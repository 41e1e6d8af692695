"""A Command Re-roll used best, against a player who tries everything with every die on its own."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import pytest
from referees.wh40k.best_reroll import ROLLS, Shots, Table, killed, models_lost
from sympy import Rational
from tenth import wh40k

from mathhammer import from_text
from mathhammer.errors import MathhammerError, TooLargeError

pytestmark = pytest.mark.slow

LASCANNON = wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1")

#: N lascannons at a vehicle with W wounds left, saved on a 6: none, first failed hit, first failed wound, best.
ANCHORS = [
    (2, 8, "650/6561", "3250/19683", "3250/19683", "5000/19683"),
    (3, 8, "125950/531441", "181700/531441", "187550/531441", "1322075/3188646"),
    (3, 12, "42950/531441", "69700/531441", "71050/531441", "290350/1594323"),
    (4, 12, "7209025/43046721", "31995175/129140163", "33415375/129140163", "12987700/43046721"),
    (4, 6, "907370/1594323", "3190160/4782969", "3296810/4782969", "3452930/4782969"),
]


def vehicle(wounds: int) -> wh40k.Target:
    return wh40k.Target("Vehicle", toughness=10, save="3+", wounds=wounds)


def shoot(count: int, wounds: int, **more: Any) -> Any:
    options = {"count": count, "objective": "probability_destroyed", "edition": "10e", "exact": True, **more}
    return wh40k.attack(LASCANNON, vehicle(wounds), **options)


@pytest.mark.parametrize(("count", "wounds", "none", "hit", "wound", "best"), ANCHORS)
def test_published_table(count: int, wounds: int, none: str, hit: str, wound: str, best: str) -> None:
    """Numbers computed elsewhere: they are those of the search, of fixed re-rolls, and of the plan."""
    table = Table((Shots(count, hit=3, wound=3, save=6, damage=(6, 1)),), 1, wounds, killed(1, wounds))
    assert (str(table.best(held=False)), str(table.best())) == (none, best)
    played = shoot(count, wounds, reroll="best")
    assert (str(played.plan.without), str(played.plan.value)) == (none, best)
    assert str(played.probability_destroyed) == best
    assert str(shoot(count, wounds, reroll_hits="one").probability_destroyed) == hit
    assert str(shoot(count, wounds, reroll_wounds="one").probability_destroyed) == wound
    rounded = shoot(count, wounds, reroll="best", exact=False)
    assert rounded.probability_destroyed == pytest.approx(float(Rational(best)), rel=1e-12)
    assert rounded.plan.value == pytest.approx(float(Rational(best)), rel=1e-12)
    assert [each.action for each in rounded.plan] == [each.action for each in played.plan]


def as_dice(dice: tuple[int, int]) -> str:
    sides, more = dice
    return str(more) if not sides else f"D{sides}+{more}" if more else f"D{sides}"


def volley(shots: Shots) -> wh40k.Volley:
    """The same weapon against Toughness 4, its Armour Penetration as if the save were a 2+."""
    abilities = [f"Sustained Hits {shots.sustained}"] * bool(shots.sustained)
    abilities += ["Lethal Hits"] * shots.lethal + ["Devastating Wounds"] * shots.devastating
    weapon = wh40k.Weapon(
        "Gun",
        range='24"',
        attacks=as_dice(shots.attacks),
        skill=shots.hit,
        strength={3: 5, 4: 4, 5: 3}[shots.wound],
        ap=2 - shots.save,
        damage=as_dice(shots.damage),
        keywords=", ".join(abilities),
    )
    free: dict[str, Any] = {}
    if shots.free_hits:
        free["reroll_hits"] = shots.free_hits
    if shots.free_wounds:
        free["reroll_wounds"] = shots.free_wounds
    return wh40k.Volley(weapon, shots.weapons, **free)


@pytest.mark.parametrize("seed", range(8))
def test_several_rerolls(seed: int) -> None:
    """A Command Re-roll beside single re-rolls of other rules, those of saves the other player's: all of them best."""
    random = Random(100 + seed)
    shots = Shots(
        weapons=random.choice([2, 3]),
        hit=random.choice([3, 4]),
        wound=random.choice([3, 4]),
        save=random.choice([3, 4, 5]),
        damage=random.choice([(0, 2), (3, 0)]),
        devastating=random.random() < 0.4,
        free_hits=random.choice([frozenset(), frozenset({1})]),
    )
    rolls = random.sample(["hits", "wounds", "saves", "damage"], 2)
    names = {"hits": "hit", "wounds": "wound", "saves": "save", "damage": "damage"}
    holds = (ROLLS, *(frozenset({names[roll]}) for roll in rolls))
    if shots.free_hits and "hits" in rolls:
        shots = replace(shots, free_hits=frozenset())
    table = Table((shots,), 2, 3, models_lost(3), holds)
    target = wh40k.Target("Target", toughness=4, save="2+", wounds=3, models=2)
    options = {f"reroll_{roll}": "one" for roll in rolls}
    result = wh40k.attack(volley(shots), target, reroll="best", edition="10e", exact=True, **options)
    assert str(result.kills.mean()) == str(result.plan.value) == str(table.best())
    assert str(result.plan.without) == str(table.best(held=False))
    again = wh40k.attack(volley(shots), target, reroll=result.plan, edition="10e", exact=True, **options)
    assert again.state == result.state


BOLTER = wh40k.Weapon.parse("Bolter: A2 BS3+ S4 AP-1 DD3 [SUSTAINED HITS 1]")
MARINES = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=3, points=60)


def first_miss(state: wh40k.RerollState) -> str:
    return "miss" if state.roll == "hit" and "miss" in state.rerollable else "keep"


def test_a_policy_of_ones_own() -> None:
    """Who re-rolls the first miss does what the re-roll of one hit die does: every distribution is the same."""
    many = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=9)  # so that all attacks are made
    for exact in (True, False):
        two = [wh40k.Volley(BOLTER, 1), wh40k.Volley(LASCANNON, 2)]
        played = wh40k.attack(two, many, reroll=first_miss, edition="10e", exact=exact)
        fixed = wh40k.attack(two, many, reroll_hits="one", edition="10e", exact=exact)
        for name in ("attacks", "hits", "wounds", "unsaved", "kills", "wounds_lost", "mortal_wounds"):
            one, other = getattr(played, name), getattr(fixed, name)
            if exact:
                assert one == other, name
            else:
                assert [one.pmf(k) for k in other.support] == pytest.approx(
                    [other.pmf(k) for k in other.support], rel=1e-12
                )
    with pytest.raises(MathhammerError, match="the distribution of damage"):
        played.damage  # noqa: B018
    with pytest.raises(MathhammerError, match="expected of a policy one of 'keep'"):
        wh40k.attack(BOLTER, MARINES, reroll=lambda _: "all of them", edition="10e")


def test_a_plan_is_a_policy() -> None:
    """Handed back it does the same; for another objective it is not better than the plan for that."""
    kills = wh40k.attack(BOLTER, MARINES, count=2, reroll="best", edition="10e", exact=True)
    again = wh40k.attack(BOLTER, MARINES, count=2, reroll=kills.plan, edition="10e", exact=True)
    assert again.state == kills.state
    own = wh40k.attack([wh40k.Volley(BOLTER, 2, reroll=kills.plan)], MARINES, edition="10e", exact=True)
    for handed in (again, own):
        assert from_text(handed.to_text()).state == kills.state
    best = wh40k.attack(
        BOLTER, MARINES, count=2, reroll="best", objective="wounds_lost", edition="10e", exact=True
    )
    assert again.wounds_lost.mean() <= best.wounds_lost.mean()
    assert kills.kills.mean() >= best.kills.mean()
    for decision in kills.plan:
        assert kills.plan(decision.state) == decision.action
        assert decision.gain == abs(decision.keep - decision.reroll)
        assert (decision.action == "keep") is bool(decision.keep >= decision.reroll)
    with pytest.raises(MathhammerError, match="expected a state in which a die can be re-rolled"):
        kills.plan(wh40k.RerollState("hit", (("hit", 99),), ("miss",)))
    points = wh40k.attack(
        BOLTER, MARINES, count=2, reroll="best", objective="points", edition="10e", exact=True
    )
    assert points.plan.value == 20 * kills.plan.value == points.points_destroyed
    assert points.plan.worth == 20 * kills.plan.worth


def test_the_11th_edition_of_equal_models() -> None:
    """Pools change nothing for one weapon and equal models; hits of Fire Overwatch are not re-rolled."""
    assert shoot(3, 8, reroll="best", edition="11e").probability_destroyed == Rational(1322075, 3188646)
    snap = {"overwatch": True, "exact": True, "objective": "wounds_lost", "reroll": "best"}
    for edition, hit in (("10e", {"hit", "wound", "damage"}), ("11e", {"wound", "damage"})):
        plan = wh40k.attack(LASCANNON, vehicle(8), edition=edition, **snap).plan
        assert {decision.state.roll for decision in plan} == hit


def test_refusals() -> None:
    with pytest.raises(MathhammerError, match="with a Command Re-roll"):
        wh40k.attack(BOLTER, MARINES, edition="10e").plan  # noqa: B018
    volleys = [wh40k.Volley(BOLTER, 1, reroll="best"), wh40k.Volley(BOLTER, 1, reroll="first")]
    with pytest.raises(MathhammerError, match="one policy for the re-rolls of all volleys"):
        wh40k.attack(volleys, MARINES, edition="10e")
    with pytest.raises(MathhammerError, match="'first' or 'best' or a policy"):
        wh40k.attack(BOLTER, MARINES, reroll="never", edition="10e")  # type: ignore[arg-type]
    with pytest.raises(TooLargeError, match="fewer attacks"):
        wh40k.attack(BOLTER, MARINES, count=400, reroll="best", edition="10e")


def unsaved_damage(save: int, again: frozenset[int]) -> Fraction:
    """Mean damage of one wound roll of 4+ with Devastating Wounds, Damage 2, if some faces are re-rolled."""
    failed = Fraction(save - 1, 6)
    worth = {face: 2 * (1 if face == 6 else failed if face >= 4 else 0) for face in range(1, 7)}
    mean = Fraction(sum(worth.values()), 6)
    return sum((mean if face in again else worth[face] for face in range(1, 7)), Fraction(0)) / 6


@pytest.mark.parametrize("save", [2, 3, 4, 6])
def test_the_best_faces(save: int) -> None:
    """Devastating Wounds and Twin-linked: fishing pays against a save of 2+ only; by every set of faces."""
    gun = wh40k.Weapon.parse("Gun: A1 S4 AP0 D2 [DEVASTATING WOUNDS, TORRENT]")
    target = wh40k.Target("Unit", toughness=4, save=save, wounds=2, models=3)
    found = wh40k.best_faces(gun, target, objective="wounds_lost", edition="10e", exact=True)
    every = [frozenset(some) for size in range(7) for some in combinations(range(1, 7), size)]
    assert str(found.value) == str(max(unsaved_damage(save, again) for again in every))
    assert str(found.value) == str(unsaved_damage(save, found.faces["Gun"]["wounds"]))
    assert str(found.failures) == str(unsaved_damage(save, frozenset({1, 2, 3})))
    assert str(found.non_critical) == str(unsaved_damage(save, frozenset({1, 2, 3, 4, 5})))
    assert str(found.without) == str(unsaved_damage(save, frozenset()))
    assert (found.gain > 0) == (save == 2)


def test_fishing_for_lethal_hits_at_something_hard() -> None:
    """Wounded on 6+ only: of a re-rolled hit 1/6 wounds at once; of one that is kept a sixth does."""
    rifle = wh40k.Weapon.parse("Rifle: A6 BS3+ S4 AP0 D1 [LETHAL HITS]")
    wall = wh40k.Target("Wall", toughness=12, save=None, wounds=100)
    fished = wh40k.best_faces(rifle, wall, rolls=["hits"], objective="wounds_lost", edition="10e", exact=True)
    assert fished.faces == {"Rifle": {"hits": frozenset({1, 2, 3, 4, 5})}}
    assert (fished.value, fished.failures) == (Rational(9, 4), 2)
    both = wh40k.best_faces(
        rifle, wall, rolls=("hits", "wounds"), objective="wounds_lost", edition="10e", exact=True
    )
    # A kept hit wounds with 11/36: less than the 1/6 + 1/2 * 11/36 of another try.
    again = Rational(1, 6) + Rational(1, 2) * Rational(11, 36)
    assert both.value == 6 * (Rational(1, 6) + Rational(1, 2) * max(Rational(11, 36), again) + again / 3)
    with pytest.raises(MathhammerError, match="rolls"):
        wh40k.best_faces(rifle, wall, rolls="saves")  # type: ignore[arg-type]
    ninth = wh40k.best_faces(rifle, wall, rolls="wounds", edition="9e", objective="wounds_lost")
    assert ninth.non_critical is None


def test_each_weapon_has_its_own_best_faces() -> None:
    """Hits of 2+ and 5+: failures are re-rolled, 5/6 + 5/36 and 6 (1/3 + 2/9) hits of which half wound."""
    shots = ["B: A1 BS2+ S4 AP0 D1", "C: A6 BS5+ S4 AP0 D1", "C: A6 BS5+ S4 AP0 D1 [LETHAL HITS]"]
    wall = wh40k.Target("Wall", toughness=4, save=None, wounds=100)
    options = {"rolls": "hits", "objective": "wounds_lost", "edition": "10e", "exact": True}
    found = wh40k.best_faces(shots[:2], wall, **options)
    assert found.faces == {"B": {"hits": {1}}, "C": {"hits": {1, 2, 3, 4}}}
    assert found.value == found.failures == (Rational(35, 36) + 6 * Rational(5, 9)) / 2
    assert set(wh40k.best_faces(shots[1:], wall, **options).faces) == {"C", "C #2"}
    ten = wh40k.Target("Ten", toughness=4, save=None, wounds=1, models=10)
    assert f"{wh40k.best_faces(shots[:2], ten, rolls='hits').value:.2f}" == "2.15"
    with pytest.raises(TooLargeError, match="search one roll"):
        wh40k.best_faces(shots[2:] * 4, wall, rolls=("hits", "wounds"))


def test_units_one_after_another() -> None:
    """A re-roll of each activation; what single volleys did is not known, since one plan is for all of them."""
    volleys = [wh40k.Volley(LASCANNON, 1), wh40k.Volley(BOLTER, 1)]
    options = {"objective": "probability_destroyed", "reroll": "best", "edition": "10e", "exact": True}
    one, two = wh40k.activations([volleys, [wh40k.Volley(LASCANNON, 1)]], vehicle(8), **options)
    first = wh40k.attack(volleys, vehicle(8), **options)
    assert one.result.state == first.state
    second = wh40k.attack(LASCANNON, vehicle(8), start=first, **options)
    assert (two.result.state, two.result.plan.value) == (second.state, second.probability_destroyed)
    with pytest.raises(MathhammerError, match="its plan is for all volleys together"):
        one.shares  # noqa: B018
    assert "volleys together" in str(one)
    best = wh40k.best_order(volleys, vehicle(8), **options)
    orders = [wh40k.attack(order, vehicle(8), **options) for order in (volleys, volleys[::-1])]
    assert best.result.probability_destroyed == max(each.probability_destroyed for each in orders)
    with pytest.raises(MathhammerError, match="expected attacks without reroll"):
        wh40k.fast_roll_check(BOLTER, MARINES, reroll="best", edition="10e")
    blast = wh40k.Weapon.parse("Mortar: A1 BS3+ S4 AP-1 D1 [BLAST]")
    guards = wh40k.Target("Guards", toughness=3, save=None, wounds=1, models=6)
    shot = wh40k.attack(BOLTER, guards, edition="10e")
    seen = wh40k.attack(blast, guards, start=shot, reroll="best", edition="10e")
    assert seen.hits.mean() > 0
    with pytest.raises(MathhammerError, match="each with a plan of its own"):
        seen.plan  # noqa: B018
