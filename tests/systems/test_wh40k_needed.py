"""How many weapons or units destroy a target with a probability that is asked for, by hand."""

import pytest
from tenth import wh40k

from mathhammer.rosters import sample_army

#: Inflicts its wound with 1/2: it hits without a roll and wounds on 4+, and there is no save.
FLAMER = wh40k.Weapon.parse('Flamer: 12" A1 S4 AP0 D1 [TORRENT]')
ONE = wh40k.Target("One", toughness=4, save=None, wounds=1)
#: 1/2 + 1/2 * 1/2 with its re-roll.
REROLLED = {"reroll_wounds": "one"}


@pytest.mark.parametrize(
    ("probability", "count", "reached", "one_fewer"),
    [
        (0.5, 1, 1 / 2, 0),
        (0.8, 3, 7 / 8, 3 / 4),
        (0.875, 3, 7 / 8, 3 / 4),
        (0.8751, 4, 15 / 16, 7 / 8),
        (0.999, 10, 1023 / 1024, 511 / 512),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_weapons_of_one_unit(probability, count, reached, one_fewer, exact):
    found = wh40k.needed(FLAMER, ONE, probability, exact=exact)
    assert (found.count, found.probability) == (count, probability)
    assert found.probability_destroyed == pytest.approx(reached, rel=1e-12)
    assert found.one_fewer == pytest.approx(one_fewer, rel=1e-12)


def test_it_is_the_least_number_that_a_plain_attack_confirms():
    cannon = wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1")
    found = wh40k.needed(cannon, "TANK", 0.8)
    probabilities = [wh40k.attack(cannon, "TANK", count=n).probability_destroyed for n in range(1, 30)]
    assert found.count == 1 + next(i for i, each in enumerate(probabilities) if each >= 0.8)
    assert found.one_fewer == probabilities[found.count - 2] < 0.8 <= found.probability_destroyed


def test_one_reroll_for_all_weapons_and_one_for_each_unit():
    # One unit of n: 1 - 1/2**(n + 1). Units of one weapon each: 1 - 1/4**n.
    assert wh40k.needed(FLAMER, ONE, 0.9, **REROLLED).count == 3
    assert wh40k.needed(wh40k.Volley(FLAMER, 1), ONE, 0.9, **REROLLED).count == 2
    assert wh40k.needed([FLAMER], ONE, 0.9, **REROLLED).probability_destroyed == pytest.approx(15 / 16)


def test_units_of_a_list_attack_one_after_another():
    battery = sample_army()["Hill Battery"].only("shooting")
    found = wh40k.needed(battery, "VEQ", 0.5)
    turns = wh40k.activations([battery] * found.count, "VEQ")
    assert turns[-1].result.probability_destroyed == pytest.approx(found.probability_destroyed, rel=1e-12)
    assert turns[-2].result.probability_destroyed == pytest.approx(found.one_fewer, rel=1e-12)
    assert found.one_fewer < 0.5 <= found.probability_destroyed


def test_what_earlier_attacks_have_left():
    two = wh40k.Target("Two", toughness=4, save=None, wounds=2)
    start = wh40k.attack(FLAMER, two, count=2).given(lambda state: state == (0, 1))
    assert wh40k.needed(FLAMER, two, 0.8, start=start).count == 3  # as against a model of one wound


def test_never():
    assert wh40k.needed(FLAMER, ONE, 0.8, most=2).count is None
    assert wh40k.needed([FLAMER], ONE, 0.8, most=2).count is None
    assert wh40k.needed(wh40k.MortalWounds(0), ONE).count is None


def test_a_text_is_as_what_it_reads():
    assert wh40k.needed("Flamer: A1 S4 AP0 D1 [TORRENT]", ONE, 0.9, **REROLLED).count == 3
    assert wh40k.needed("1x Flamer: A1 S4 AP0 D1 [TORRENT]", ONE, 0.9, **REROLLED).count == 2


def test_it_is_shown():
    text = str(wh40k.needed(FLAMER, ONE))
    assert text == "3 × Flamer destroy One with 87.50% (2: 75.00%)"
    assert str(wh40k.needed(FLAMER, ONE, most=2)) == "2 × Flamer destroy One with 75.00%, less than 80.00%"
