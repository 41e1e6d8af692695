"""A Command Re-roll used best, by a plan or a policy of one's own; its values are rows of `cases/best_reroll.txt`."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from sympy import Rational
from tenth import wh40k

from mathhammer import from_text
from mathhammer.errors import MathhammerError

pytestmark = pytest.mark.slow

LASCANNON = wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1")


def vehicle(wounds: int) -> wh40k.Target:
    return wh40k.Target("Vehicle", toughness=10, save="3+", wounds=wounds)


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


def test_a_plan_is_a_policy() -> None:
    """Handed back it does the same; for another objective it is not better than the plan for that."""
    kills = wh40k.attack(BOLTER, MARINES, count=2, reroll="best", edition="10e", exact=True)
    again = wh40k.attack(BOLTER, MARINES, count=2, reroll=kills.plan, edition="10e", exact=True)
    assert again.state == kills.state
    own = wh40k.attack([wh40k.Volley(BOLTER, 2, reroll=kills.plan)], MARINES, edition="10e", exact=True)
    for handed in (again, own):
        assert from_text(handed.to_text()).state == kills.state
    best = wh40k.attack(BOLTER, MARINES, count=2, reroll="best", objective="wounds_lost", exact=True)
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


def test_what_the_11th_edition_re_rolls() -> None:
    """Hits of Fire Overwatch are not re-rolled."""
    snap = {"overwatch": True, "exact": True, "objective": "wounds_lost", "reroll": "best"}
    for edition, hit in (("10e", {"hit", "wound", "damage"}), ("11e", {"wound", "damage"})):
        plan = wh40k.attack(LASCANNON, vehicle(8), edition=edition, **snap).plan
        assert {decision.state.roll for decision in plan} == hit


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
    blast = wh40k.Weapon.parse("Mortar: A1 BS3+ S4 AP-1 D1 [BLAST]")
    guards = wh40k.Target("Guards", toughness=3, save=None, wounds=1, models=6)
    shot = wh40k.attack(BOLTER, guards, edition="10e")
    seen = wh40k.attack(blast, guards, start=shot, reroll="best", edition="10e")
    assert seen.hits.mean() > 0
    with pytest.raises(MathhammerError, match="each with a plan of its own"):
        seen.plan  # noqa: B018
