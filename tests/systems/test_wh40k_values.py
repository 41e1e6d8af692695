"""Profiles, volleys and results as values: equal, hashable, copied between processes, printed and read back."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from tenth import wh40k

import mathhammer as mh
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import MathhammerError, ParseError
from mathhammer.systems.wh40k.sequence.damage import integer_distribution

RIFLE = 'Bolt rifle: 24" A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]'
MARINES = "Marines: 5x T4 Sv3+ W2 [INFANTRY]"


def attack(*, exact: bool = True):
    return wh40k.attack(wh40k.Weapon.parse(RIFLE), wh40k.Target.parse(MARINES), count=5, exact=exact)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])  # noqa: S301
def test_a_result_can_be_copied(copied, exact):
    result = attack(exact=exact)
    other = copied(result)
    assert other.kills == result.kills
    assert other.rulings == result.rulings
    assert str(other.explain()) == str(result.explain())


LED = wh40k.TargetUnit(
    "Led",
    [wh40k.Target.parse("Guard: 3x T4 Sv3+ W2")],
    leaders=[wh40k.Target.parse("Captain: T5 Sv2+ InSv4+ W4")],
)


@pytest.mark.parametrize("edition", ["10e", "11e"])
@pytest.mark.parametrize("target", [wh40k.Target.parse(MARINES), LED])
@pytest.mark.parametrize(
    "made",
    [
        wh40k.attack,
        lambda *given, **at: wh40k.attack(*given, order="best", **at),
        lambda *given, **at: wh40k.attack(*given, reroll="best", **at).plan,
        lambda *given, **at: wh40k.attack(*given, reroll="best", start=wh40k.attack(*given, **at), **at),
        lambda weapons, *target, **at: wh40k.activations([weapons, weapons], *target, **at),
        wh40k.best_order,
        lambda weapons, *target, **at: wh40k.focus([weapons, weapons], *target, order="best", **at),
    ],
)
def test_results_are_data(made, target, edition):
    found = made([RIFLE, "Melta: A1 BS3+ S9 AP-4 DD6"], target, edition=edition)
    other = pickle.loads(pickle.dumps(found))  # noqa: S301
    assert str(other) == str(found)
    assert str(pickle.loads(pickle.dumps(other))) == str(found)  # noqa: S301


def test_faces_of_numpy_and_names_that_a_terminal_would_obey():
    arrays = {"reroll_hits": np.array([1, 2]), "reroll_wounds": [1]}
    same = {"reroll_hits": {1, 2}, "reroll_wounds": {1}}
    assert wh40k.attack(RIFLE, MARINES, **arrays).kills == wh40k.attack(RIFLE, MARINES, **same).kills
    with pytest.raises(MathhammerError, match="printable characters as the leader of precision"):
        wh40k.Situation(precision="\x1b]0;x")


def test_a_result_comes_back_from_another_process():
    with ProcessPoolExecutor(1) as pool:
        assert pool.submit(attack).result().kills == attack().kills
        with pytest.raises(ParseError, match="expected a number of sides"):
            pool.submit(mh.distribution, "2D+3").result()


def test_values_are_equal_and_hashable():
    weapon = wh40k.Weapon.parse(RIFLE)
    one, other = (wh40k.Volley(weapon, 3, reroll_hits={1, 2}, cover=True) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != wh40k.Volley(weapon, 3)
    assert {wh40k.Target.parse(MARINES), wh40k.Target.parse(MARINES)} == {wh40k.Target.parse(MARINES)}


def test_stat_lines_round_trip():
    for text, kind in ((RIFLE, wh40k.Weapon), (MARINES, wh40k.Target)):
        assert str(kind.parse(text)) == text


def test_numpy_numbers_are_numbers():
    weapon, target = wh40k.Weapon.parse(RIFLE), wh40k.Target.parse(MARINES)
    counts = [wh40k.attack(weapon, target, count=count).attacks.mean() for count in np.arange(1, 4)]
    assert counts == [2, 4, 6]


def test_keywords_may_be_a_list():
    common = {"range": '24"', "attacks": 1, "skill": 3, "strength": 4, "ap": 0, "damage": 1}
    listed = wh40k.Weapon("Gun", keywords=["Heavy", "Lethal Hits"], **common)
    assert listed == wh40k.Weapon("Gun", keywords="Heavy, Lethal Hits", **common)
    with pytest.raises(MathhammerError, match="did you mean 'Blast'"):
        wh40k.Weapon("Gun", keywords=["Blasst"], **common)
    with pytest.raises(MathhammerError, match="expected a weapon ability, got 5"):
        wh40k.Weapon("Gun", keywords=[5], **common)


@pytest.mark.parametrize("text", ["D6", "2D6", "D3+3", "4D6", "3D3", "2D6+6", "10D6"])
def test_plain_dice_have_the_distribution_of_the_algebra(text):
    distribution = integer_distribution(mh.dice(text))
    assert distribution == IntegerDistribution.from_distribution(mh.distribution(text, exact=True))


def test_half_a_roll_is_refused():
    for count in (1.5, True, "2"):
        with pytest.raises(MathhammerError, match="expected a whole number of rolls"):
            count @ mh.dice("D6")


def test_editions_of_a_unit_of_unequal_models_can_be_shown():
    boss = wh40k.Target("Boss", toughness=5, save=4, wounds=6, keywords="Character")
    led = wh40k.TargetUnit("Led", [wh40k.Target.parse(MARINES)], leaders=[boss])
    page = str(wh40k.compare_editions(wh40k.Weapon.parse(RIFLE), led))
    assert "mean kills" in page
    assert "unsaved" not in page
    for editions in ("10e", ()):
        with pytest.raises(MathhammerError, match="expected several editions"):
            wh40k.compare_editions(wh40k.Weapon.parse(RIFLE), led, editions=editions)


def test_labels_are_in_the_words_of_their_edition() -> None:
    for edition in wh40k.EDITIONS.values():
        labels = {name: rule.label for name, rule in edition.conditions.items() if "dition" in rule.label}
        assert not labels, edition
    moved = [wh40k.EDITIONS[name].conditions["moved"].label for name in ("9e", "11e")]
    assert moved == ["The attacker moved (Heavy, for infantry)", "The attacker moved"]
