"""Every distribution of `wh40k.attack`, compared exactly with the enumeration of every die (see `referees.wh40k`)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
import strategies
import translation
from checking import NAMES, disagreements, enumerated
from hypothesis import given, settings
from plain_dice import Dice, fixed
from referees.wh40k.profiles import Kind, Volley

ABILITIES: dict[str, object] = {
    "torrent": True,
    "lethal_hits": True,
    "sustained_hits": (Dice(1, 3),),
    "devastating_wounds": True,
    "anti": (("Vehicle", 4),),
    "twin_linked": True,
    "rapid_fire": fixed(1),
    "blast": 1,
    "melta": 2,
    "lance": True,
    "heavy": True,
    "indirect_fire": True,
    "ignores_cover": True,
    "conversion": True,
}
REROLLS = {
    "reroll_hits": ["ones", "failed", "non-critical", frozenset({1, 2, 5})],
    "reroll_wounds": ["ones", "failed", "non-critical", frozenset({1, 2, 5})],
    "reroll_damage": ["ones", frozenset({1, 2, 3})],
    "reroll_saves": ["ones", "failed", frozenset({1, 2, 5})],
}
UNIT = Kind(
    toughness=6,
    save=3,
    wounds=3,
    models=5,
    feel_no_pain=6,
    feel_no_pain_mortal=5,
    damage_reduction=1,
    keywords=("Vehicle",),
)
PLAIN = Volley(attacks=fixed(2), skill=4, strength=fixed(5), ap=-1, damage=Dice(1, 6))


def situated(weapon: Volley, **rerolls: object) -> Volley:
    """A volley in which every ability that depends on the situation acts."""
    return replace(
        weapon,
        half_range=not weapon.conversion,
        long_range=weapon.conversion,
        stationary=not weapon.lance,
        charged=weapon.lance,
        cover=True,
        indirect=not weapon.torrent,
        **rerolls,  # type: ignore[arg-type]
    )


def assert_equal(volleys: tuple[Volley, ...], target: Kind) -> None:
    expected = enumerated(volleys, target)
    found = translation.distributions(volleys, target, exact=True)
    approximate = translation.distributions(volleys, target, exact=False)
    for name in NAMES:
        positive = {outcome: probability for outcome, probability in expected[name].items() if probability}
        assert found[name] == positive, name
        assert sum(found[name].values()) == 1
        assert not disagreements(approximate[name], positive), name


@settings(max_examples=100)
@given(volleys=strategies.attacking_units(1), target=strategies.targets())
def test_one_volley(volleys: tuple[Volley, ...], target: Kind) -> None:
    """Core rules, Making Attacks and Weapon Abilities: any one profile in any situation."""
    assert_equal(volleys, target)


@settings(max_examples=80)
@given(volleys=strategies.attacking_units(2), target=strategies.targets())
def test_two_volleys(volleys: tuple[Volley, ...], target: Kind) -> None:
    """Core rules, Mortal Wounds: the second weapon meets what the first left, devastating wounds of both come last."""
    assert_equal(volleys, target)


@settings(max_examples=60)
@given(volleys=strategies.attacking_units(3), target=strategies.targets())
def test_three_volleys(volleys: tuple[Volley, ...], target: Kind) -> None:
    """Core rules, Mortal Wounds: three weapons one after another."""
    assert_equal(volleys, target)


@pytest.mark.parametrize("roll", REROLLS)
def test_every_ability_with_every_reroll(roll: str) -> None:
    """Rules Commentary, Re-rolls: each weapon ability alone, each way to re-roll, each roll of the sequence."""
    for ability, value in ABILITIES.items():
        for policy in REROLLS[roll]:
            assert_equal((situated(replace(PLAIN, **{ability: value}), **{roll: policy}),), UNIT)  # type: ignore[arg-type]


@pytest.mark.parametrize("first", ABILITIES)
def test_every_two_abilities(first: str) -> None:
    """Core rules, Weapon Abilities: each pair on one weapon, with the re-rolls that go fishing."""
    for pair in combinations(ABILITIES, 2):
        if pair[0] != first or pair == ("torrent", "indirect_fire"):
            continue
        weapon = replace(PLAIN, **{name: ABILITIES[name] for name in pair})  # type: ignore[arg-type]
        assert_equal((situated(weapon, reroll_hits="non-critical", reroll_wounds="non-critical"),), UNIT)


def test_random_strength_is_rolled_for_each_wound_roll() -> None:
    """Core rules, Random Characteristics: with SUSTAINED HITS the extra hit has a strength of its own."""
    weapon = replace(PLAIN, strength=Dice(2, 6), sustained_hits=(fixed(1),), twin_linked=True)
    assert_equal((weapon,), UNIT)


@pytest.mark.parametrize("policy", ["ones", frozenset({2, 3, 4, 5, 6}), frozenset({4})])
@pytest.mark.parametrize("dice", [Dice(2, 6), Dice(2, 3, 1)])
def test_damage_of_several_dice_is_rerolled_whole(policy: str | frozenset[int], dice: Dice) -> None:
    """Rules Commentary, Re-rolls: a result of several dice added together is re-rolled with all of them."""
    assert_equal((replace(PLAIN, damage=dice, reroll_damage=policy),), replace(UNIT, wounds=8))
