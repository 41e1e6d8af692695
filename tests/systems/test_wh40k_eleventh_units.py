"""Units of unequal models in the 11th edition, by hand: core rules of June 2026 by section, app rules by date."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from math import prod
from typing import Any

import pytest
from sympy import Rational

from mathhammer import wh40k
from mathhammer.errors import MathhammerError, TooLargeError


def weapon(line: str) -> wh40k.Weapon:
    return wh40k.Weapon.parse(f"Gun: {line}")


def models(name: str, save: int, wounds: int = 1, number: int = 1, **given: Any) -> wh40k.Target:
    return wh40k.Target(name, **{"toughness": 4, "save": save, "wounds": wounds, "models": number, **given})


def character(save: int, wounds: int, invulnerable: int | None = None, **given: Any) -> wh40k.Target:
    return models("hero", save, wounds, invulnerable=invulnerable, keywords="Character", **given)


def attack(
    weapons: Any, unit: wh40k.Target | wh40k.TargetUnit, rulings: dict[str, str] | None = None, **given: Any
) -> Any:
    return wh40k.attack(weapons, unit, edition="11e", rulings=rulings, exact=True, **given)


def kills(distribution: Any, most: int) -> list[Any]:
    return [distribution.kills.pmf(number) for number in range(most + 1)]


SQUAD = wh40k.TargetUnit(
    "squad", [models("marine", 3, 2, 2, toughness=5)], leaders=[character(2, 4, 4, toughness=5)]
)


def test_two_shots_at_a_led_squad() -> None:
    """05.03 and 05.04, every die of two shots enumerated: cover makes BS3+ 4+, S5 AP-1 D2, Lethal, Sustained Hits 1."""
    shots = weapon('24" A2 BS3+ S5 AP-1 D2 [LETHAL HITS, SUSTAINED HITS 1]')
    found = attack(shots, SQUAD, cover=True)
    assert kills(found, 3) == [
        Rational(169, 256),
        Rational(13, 48),
        Rational(12863, 186624),
        Rational(1, 11664),
    ]


def test_three_devastating_shots_at_a_led_squad() -> None:
    """24.10, every die of three shots enumerated: what is devastating comes after the saves of the pool."""
    shots = weapon('24" A3 BS3+ S5 AP-1 D2 [DEVASTATING WOUNDS]')
    found = attack(shots, SQUAD, cover=True).wounds_lost
    assert [found.pmf(lost) for lost in range(0, 8, 2)] == [
        Rational(125, 216),
        Rational(25, 72),
        Rational(3259, 46656),
        Rational(197, 46656),
    ]


@pytest.mark.parametrize(
    ("strengths", "lost"),
    [((5, 5), Rational(142, 729)), ((4, 8), Rational(17, 64)), ((8, 4), Rational(403, 1728))],
)
def test_toughness_is_that_of_the_bodyguards_left(strengths: tuple[int, int], lost: Any) -> None:
    """05.02.01: a T4 bodyguard (W1 Sv4+) and a T6 leader (W5 Sv3+), two pools of two hits, AP0 D1."""
    unit = wh40k.TargetUnit("unit", [models("guard", 4)], leaders=[character(3, 5, toughness=6)])
    pools = [wh40k.Weapon.parse(f"G{s}: A2 S{s} AP0 D1 [TORRENT]") for s in strengths]
    distribution = attack(pools, unit).state.marginal("hero wounds lost by next")
    assert distribution.mean() == lost


def test_gifts_end_with_their_giver() -> None:
    """19.04: the guard's Feel No Pain 4+ lasts through the mortal wounds that destroy it, and no longer."""
    guard, hero = models("guard", 7), models("hero", 7, 2)
    unit = wh40k.TargetUnit("unit", [guard], [hero], gifts={"guard": {"feel_no_pain": "4+"}})
    torrent = weapon("A1 S8 AP0 D1 [TORRENT]")
    first = wh40k.mortal_wounds(6, unit, edition="11e", exact=True)
    assert attack(torrent, unit, start=first).probability_destroyed == Rational(109, 128)
    several = wh40k.focus([wh40k.MortalWounds(6), torrent], unit, edition="11e", exact=True)
    assert several.probability_destroyed == Rational(109, 128)
    # So of later mortal wounds and hazards: of one more the hero loses one, or the guard ignores half.
    gone = wh40k.mortal_wounds(1, unit, edition="11e", exact=True)
    once = wh40k.mortal_wounds(1, unit, edition="11e", exact=True, start=gone)
    assert once.wounds_lost.mean() - gone.wounds_lost.mean() == Rational(3, 4)
    tests = wh40k.hazardous(weapon("A1 BS3+ S4 AP0 D1 [HAZARDOUS]"), unit, start=gone, exact=True)
    assert tests.wounds_lost.mean() - gone.wounds_lost.mean() == Rational(3, 4) / 3


def test_gifts_make_groups() -> None:
    """05.03: models of equal invulnerable saves are one group, whoever gives them."""
    kinds = [models("guard", 7), models("sergeant", 7, invulnerable=4)]
    for gifts, groups in (({}, [1, 1, 1]), ({"hero": {"invulnerable": "4+"}}, [2, 1])):
        unit = wh40k.TargetUnit("unit", kinds, [character(7, 2)], gifts=gifts)
        assert [len(group) for group in unit.save_groups()] == groups


@pytest.mark.parametrize(
    "gifts", [{"squire": {"feel_no_pain": 4}}, {"guard": {"courage": 4}}, 3, {"guard": 3}]
)
def test_gifts_that_are_none(gifts: Any) -> None:
    with pytest.raises(MathhammerError, match=r"expected (the giver of )?a gift"):
        wh40k.TargetUnit("unit", [models("guard", 4)], gifts=gifts)


def test_attendants_of_a_leader_are_no_bodyguards() -> None:
    """19: Toughness is that of the bodyguard unit; two hits at S5 wound T4 on 3+, whatever the T10 attendant has."""
    attendant = models("attendant", 7, 5, toughness=10, keywords="Infantry")
    unit = wh40k.TargetUnit("unit", [models("guard", 7, 9)], leaders=[character(7, 9), attendant])
    assert attack(weapon("A2 S5 AP0 D1 [TORRENT]"), unit).wounds_lost.mean() == Rational(4, 3)


@pytest.mark.parametrize("date", ["2026-10", "2026-08", "2026-06"])
def test_devastating_wounds_with_precision(date: str) -> None:
    """24.28.01 (22 July 2026): they go to the character; two hits, each with 5/6, 4+ to wound, AP-1 D2, W4 Sv3+ 5++."""
    unit = wh40k.TargetUnit("unit", [models("guard", 4, 1, 3)], leaders=[character(3, 4, 5)])
    found = attack(weapon("A2 BS2+ S4 AP-1 D2 [PRECISION, DEVASTATING WOUNDS]"), unit, {"rules_date": date})
    both = Rational(1, 36) if date == "2026-06" else Rational(1, 9)
    assert found.kills_of("hero").pmf(1) == both * Rational(25, 36)


def test_precision_without_saves() -> None:
    """24.28: two devastating criticals, no save made: nobody was named by one reading, and the guards suffer."""
    unit = wh40k.TargetUnit("unit", [models("guard", 7, 2, 3)], leaders=[character(7, 4)])
    line = weapon("A2 BS2+ S2 AP0 D2 [PRECISION, DEVASTATING WOUNDS, ANTI-CHARACTER 2+]")
    by_default = attack(line, unit)
    assert by_default.kills_of("hero").pmf(1) == Rational(25, 36) ** 2
    other = attack(line, unit, {"precision_without_saves": "none was named"})
    assert other.kills_of("hero").pmf(1) == 0
    assert other.kills_of("guard").pmf(2) == Rational(25, 36) ** 2


def test_precision_names_one_character() -> None:
    """24.28: when the first is destroyed the guards are next, by the other reading the second character."""
    heroes = [character(7, 1), models("other", 7, 1, keywords="Character")]
    unit = wh40k.TargetUnit("unit", [models("guard", 7, 1, 3)], leaders=heroes)
    sniper = weapon("A2 BS2+ S8 AP0 D1 [PRECISION]")
    one, both = 1 - Rational(11, 36) ** 2, Rational(25, 36) ** 2
    for rulings, name in ((None, "guard"), ({"precision_second_character": "yes"}, "other")):
        found = attack(sniper, unit, rulings)
        assert found.kills_of("hero").pmf(1) == one
        assert found.kills_of(name).pmf(1) == both
    assert attack(sniper, unit, precision="other").kills_of("other").pmf(1) == one
    assert attack(sniper, unit, precision=False).kills_of("guard").pmf(0) == 1 - one


@pytest.mark.parametrize(
    ("line", "given", "match"),
    [
        ("A1 S4 AP0 D1 [TORRENT, PRECISION]", {}, "without Precision .* give precision=False"),
        (
            "A1 S4 AP0 D1 [TORRENT, INDIRECT FIRE]",
            {"indirect": True},
            "without Indirect Fire .* indirect=False",
        ),
        (
            "A1 BS3+ S4 AP0 D1",
            {"overwatch": True, "engaged": True},
            "no overwatch .* the attacker is engaged",
        ),
    ],
)
def test_what_excludes_each_other(line: str, given: dict[str, Any], match: str) -> None:
    """24.37.01: a Torrent weapon has neither Indirect Fire nor Precision; 15.08: unengaged units fire Overwatch."""
    with pytest.raises(MathhammerError, match=match):
        attack(weapon(line), SQUAD, **given)
    squad = attack(weapon(line), SQUAD, **dict.fromkeys(given or {"precision"}, False))
    assert squad.kills_of("hero").pmf(0) == 1


def test_a_character_among_the_models_is_a_group_of_its_own() -> None:
    """05.03: no Character before another model, wherever the list has it."""
    unit = wh40k.TargetUnit("unit", [character(7, 1), models("guard", 7, 1, 2)])
    found = attack(weapon("A2 S8 AP0 D1 [TORRENT]"), unit)
    assert (found.kills_of("guard").pmf(2), found.kills_of("hero").mean()) == (Rational(25, 36), 0)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("special first", [Rational(121, 324), Rational(19, 81), Rational(127, 324)]),
        ("special last", [Rational(121, 324), Rational(53, 162), Rational(97, 324)]),
    ],
)
def test_attacks_that_their_own_roll_changed_are_saved_apart(order: str, expected: list[Any]) -> None:
    """05.03.02 (22 July 2026), every die enumerated: critical wounds on 4+ have AP-3; Sv2+ before three of Sv5+."""
    unit = wh40k.TargetUnit("unit", [models("veteran", 2), models("recruit", 5, 1, 3)])
    rend = wh40k.Trigger("wound", "critical", "Rend", ap=-3)
    found = attack(
        weapon("A2 S8 AP0 D1 [TORRENT]"),
        unit,
        {"split_pool_order": order},
        critical_wound=4,
        triggers=rend,
    )
    assert kills(found, 2) == expected


@pytest.mark.parametrize(
    ("rulings", "on_hero", "on_guards"),
    [(None, (5, 36), (25, 36)), ({"critical_extra_hits": "all its hits"}, (10, 36), (20, 36))],
)
def test_critical_hits_with_precision(rulings: Any, on_hero: Any, on_guards: Any) -> None:
    """05.03.02: one shot, BS2+ and 2+ to wound; a 6 has Precision, and scores a further hit without or with it."""
    unit = wh40k.TargetUnit("unit", [models("guard", 7, 1, 3)], leaders=[character(7, 4)])
    sniper = wh40k.Trigger("hit", "critical", "Marksmen", precision=True)
    found = attack(weapon("A1 BS2+ S8 AP0 D1 [SUSTAINED HITS 1]"), unit, rulings, triggers=sniper)
    assert found.state.marginal("hero wounds lost by next").mean() == Rational(*on_hero)
    assert found.kills_of("guard").mean() == Rational(*on_guards)
    tenth = wh40k.attack(
        weapon("A1 BS2+ S8 AP0 D1 [SUSTAINED HITS 1]"), unit, edition="10e", exact=True, triggers=sniper
    )
    assert tenth.kills_of("guard").mean() == Rational(25, 36)


def test_devastating_wounds_of_critical_hits_with_precision() -> None:
    """24.28.01 and 05.03.02: only those of attacks that their hit roll gave Precision go to the character."""
    unit = wh40k.TargetUnit("unit", [models("guard", 7, 2, 3)], leaders=[character(7, 4)])
    sniper = wh40k.Trigger("hit", "critical", "Marksmen", precision=True)
    gun = weapon("A1 BS2+ S2 AP0 D2 [DEVASTATING WOUNDS, ANTI-CHARACTER 2+]")
    found = attack(gun, unit, triggers=sniper)
    assert found.state.marginal("hero wounds lost by next").mean() == Rational(5, 36) * 2
    assert found.kills_of("guard").mean() == Rational(20, 36)


def test_precision_splits_nothing_without_a_character() -> None:
    """FAQ on 04.03: sorted saves of two dice are those of one pool, AP0 D1 at Sv2+ and then Sv5+."""
    unit = wh40k.TargetUnit("unit", [models("veteran", 2), models("recruit", 5, 1, 3)])
    gun = weapon("A2 BS2+ S8 AP0 D1")
    sniper = wh40k.Trigger("hit", "critical", "Marksmen", precision=True)
    assert attack(gun, unit, triggers=sniper).kills == attack(gun, unit).kills


@pytest.mark.parametrize(("number", "lost"), [(4, 1), (5, 2)])
def test_mortal_wounds_go_to_the_hurt_then_to_others_then_to_characters(number: int, lost: int) -> None:
    """06.02: two models of W2, one hurt by 1, and a character of W4."""
    unit = wh40k.TargetUnit("unit", [models("guard", 3, 2, 2, wounds_lost=1)], leaders=[character(2, 4)])
    found = attack(wh40k.MortalWounds(number), unit)
    assert found.state.pmf((2, 0, 0, lost)) == 1


def test_mortal_wounds_are_resolved_where_they_stand() -> None:
    """06.02 and 05: nothing in the 11th edition makes mortal wounds of a rule wait for the attacks that follow."""
    unit = wh40k.Target("unit", toughness=4, save=None, wounds=3)
    volley = wh40k.Volley(weapon("A1 S8 AP0 D2 [TORRENT]"))
    first = attack([wh40k.MortalWounds(1), volley], unit)  # type: ignore[arg-type]
    assert first.probability_destroyed == Rational(5, 6)
    # At two models of W2 the shot only takes the rest of the model that the mortal wound has hurt.
    pair = wh40k.Target("pair", toughness=4, save=None, wounds=2, models=2)
    assert attack([wh40k.MortalWounds(1), volley], pair).wounds_lost.pmf(2) == Rational(5, 6)  # type: ignore[arg-type]
    assert attack([volley, wh40k.MortalWounds(1)], pair).wounds_lost.pmf(3) == Rational(5, 6)  # type: ignore[arg-type]


def test_blast_counts_the_models_that_are_left_five_at_a_time() -> None:
    """24.05: a second unit adds a die against five models, none against the four that a first kill leaves."""
    unit = wh40k.Target("unit", toughness=4, save=None, wounds=1, models=5)
    first = attack(weapon("A1 S8 AP0 D1 [TORRENT]"), unit)
    second = attack(weapon("A2 S4 AP0 D1 [TORRENT, BLAST]"), unit, start=first)
    assert second.attacks.mean() == 2 + Rational(1, 6)


def test_devastating_wounds_come_after_their_own_pool() -> None:
    """24.10 and 05.03.02: two hits wound on 4+; a 5 has AP-3 and comes in a pool after them, a 6 is devastating.

    At W2 models with -1 Damage one of each takes 2 and then 1 wound, or 1 and then the rest of the same model.
    """
    unit = models("brute", 4, 2, 5, damage_reduction=1)
    rend = wh40k.Trigger("wound", "unmodified 5", "Rend", ap=-3)
    gun = weapon("A2 S4 AP0 D2 [TORRENT, DEVASTATING WOUNDS]")
    for order, chance in (("special last", Rational(1, 18)), ("special first", 0)):
        found = attack(gun, unit, {"split_pool_order": order}, triggers=rend)
        assert found.wounds_lost.pmf(3) == chance
        assert found.wounds_lost.pmf(4) == Rational(1, 36)
        assert found.unsaved.mean() == Rational(5, 6)
    with pytest.raises(MathhammerError, match="expected split_pool_order='special first'"):
        attack(gun, unit, {"split_pool_order": "special last"}, triggers=rend, reroll="best")


def test_a_later_attack_meets_what_is_left() -> None:
    """05.02.01 and 24.05: Toughness and keywords are of the moment, the models that Blast counts of the selection."""
    unit = wh40k.TargetUnit("unit", [models("guard", 7, 1, 5)], leaders=[character(7, 5, toughness=8)])
    first = attack(weapon("A5 S8 AP0 D1 [TORRENT]"), unit)
    gone = first.given(lambda state: state[0] == 5)
    blast = attack(weapon("A2 S4 AP0 D1 [TORRENT, BLAST]"), unit, start=gone)
    assert blast.attacks.mean() == 2
    assert blast.kills_of("guard").mean() == 5
    assert blast.state.marginal("hero wounds lost by next").mean() == 2 * Rational(1, 6)


def test_the_steps_of_a_pool_are_explained() -> None:
    """05.03, 05.04 and 13.08: groups, dice from the lowest, cover on the skill; the edition with its date."""
    found = attack(weapon('24" A3 BS3+ S5 AP-1 D2 [DEVASTATING WOUNDS]'), SQUAD, cover=True)
    page = " ".join(str(found.explain()).split())
    for text in (
        "(Warhammer 40,000 11th edition, rules of 2026-10)",
        "marine | hero: hurt ones first, Characters last, each until it is destroyed",
        "resolved from the lowest result to the highest",
        "worsened by 1 (benefit of cover)",
        "a critical wound allows no save and is resolved after the other attacks of its pool",
    ):
        assert text in page
    assert repr(found).startswith("<AttackResult edition 11e of 2026-10")
    june = attack(weapon("A1 WS3+ S4 AP0 D1"), SQUAD, {"rules_date": "2026-06"})
    assert june.rules_date == "2026-06"


def test_a_start_of_an_edition_that_allocates_otherwise_is_refused() -> None:
    shot = weapon("A1 S8 AP0 D1 [TORRENT]")
    tenth = wh40k.attack(shot, SQUAD, edition="10e", exact=True)
    with pytest.raises(MathhammerError, match="an edition that allocates wounds alike"):
        attack(shot, SQUAD, start=tenth)


def test_what_each_pool_did() -> None:
    """05.04: one guard and one hero of W1 without saves, three pools of a sure hit, 2+ to wound."""
    unit = wh40k.TargetUnit("unit", [models("guard", 7)], leaders=[character(7, 1)])
    shot = weapon("A1 S8 AP0 D1 [TORRENT]")
    [found] = wh40k.activations([[shot, shot, shot]], unit, edition="11e", exact=True)
    assert [share.kills for share in found.shares] == [
        Rational(5, 6),
        Rational(5, 6),
        Rational(5, 6) * Rational(11, 36),
    ]
    assert [share.attacks_left_over for share in found.shares] == [0, 0, Rational(25, 36)]


def _dead(first: int, second: int, again: tuple[int, int], *, together: bool) -> int:
    """Models dead of one Sv4+ and then three Sv2+, of W1, of two dice AP0 of which failed ones are re-rolled once."""
    dice = [first, second]
    if together:  # as the first group's save says, before any is resolved
        dice = [more if die < 4 else die for die, more in zip(dice, again, strict=True)]
        again = (0, 0)
    dead = 0
    for die, more in sorted(zip(dice, again, strict=True), key=lambda each: each[0]):
        needed = 2 if dead else 4
        dead += (die if die >= needed or together else more) < needed
    return dead


@pytest.mark.parametrize(("option", "together"), [("first group", True), ("each model", False)])
def test_whose_rerolls_of_saves_are_used(option: str, together: bool) -> None:  # noqa: FBT001 - a parameter
    """05.03: the dice of two wounds and their re-rolls enumerated, by either reading of whose re-rolls count."""
    unit = wh40k.TargetUnit("unit", [models("recruit", 4), models("veteran", 2, 1, 3)])
    gun = weapon("A2 S8 AP0 D1 [TORRENT]")
    found = attack(gun, unit, {"save_reroll_scope": option}, reroll_saves="failed").kills.mean()
    faces = range(1, 7)
    two = Rational(
        sum(
            _dead(a, b, (c, d), together=together) for a in faces for b in faces for c in faces for d in faces
        ),
        6**4,
    )
    # Each hit wounds on 2+; a single die fails with 1/4 after its re-roll.
    assert found == Rational(25, 36) * two + Rational(10, 36) * Rational(1, 4)


def test_a_hurt_model_of_the_group_is_selected_first() -> None:
    """05.04: kinds of equal W, Sv and InSv are one group, of which the hurt model comes first, whatever the order."""
    unit = wh40k.TargetUnit(
        "unit", [models("fresh", 7, 2), models("hurt", 7, 2, wounds_lost=1, feel_no_pain=4)]
    )
    found = attack(weapon("A1 S8 AP0 D1 [TORRENT]"), unit)
    assert (found.kills_of("hurt").mean(), found.kills_of("fresh").mean()) == (Rational(5, 12), 0)
    assert found.state.marginal("fresh wounds lost by next").mean() == 0


@pytest.mark.parametrize(("shielded_first", "lost"), [(False, Rational(5, 6)), (True, Rational(5, 12))])
def test_models_with_another_invulnerable_save_are_a_group_of_their_own(shielded_first, lost) -> None:
    """05.03: 2+ to wound, AP-3 at two models of Sv4+; the second or the first has InSv4+ too."""
    kinds = [models("plain", 4), models("shielded", 4, invulnerable=4)]
    unit = wh40k.TargetUnit("unit", kinds[::-1] if shielded_first else kinds)
    found = attack(weapon("A1 S8 AP-3 D1 [TORRENT]"), unit)
    assert found.wounds_lost.mean() == lost
    assert [len(group) for group in unit.save_groups()] == [1, 1]


def kills_in_pools(order: list[str]) -> Rational:
    """Mean kills of three shots, every die: pools of attacks in an order, lowest die first.

    BS2+, 2+ to wound; a hit of 6 has Precision ("P"), a wound of 6 AP-3 ("A"); a hero without a save, then a veteran
    of Sv2+ and recruits of Sv5+, of one wound each.
    """
    weights = {"": 11, "N": 16, "A": 4, "P": 4, "PA": 1}
    total = Rational(0)
    for shots in product(weights, repeat=3):
        states = {("veteran", "recruit", "recruit", "recruit", "hero"): Rational(1)}
        for pool in order:
            number, after = shots.count(pool), defaultdict(lambda: Rational(0))
            for living, chance in states.items():
                for dice in product(range(1, 7), repeat=number):
                    left = list(living)
                    for die in sorted(dice):
                        named = "hero" if "P" in pool and "hero" in living else left[0]
                        first = named if named in left else left[0]
                        need = {"hero": 7, "veteran": 2, "recruit": 5}[first] + 3 * ("A" in pool)
                        if die == 1 or die < need:
                            left.remove(first)
                    after[tuple(left)] += chance / 6**number
            states = after
        dead = sum(chance * (5 - len(living)) for living, chance in states.items())
        total += dead * prod(weights[shot] for shot in shots) / 36**3
    return total


@pytest.mark.parametrize(
    ("option", "order"),
    [("precision first", ["PA", "P", "A", "N"]), ("better AP first", ["PA", "A", "P", "N"])],
)
def test_attacks_with_precision_come_before_those_with_better_ap(option: str, order: list[str]) -> None:
    """05.03.02 (22 July 2026): the attacker's choice; attacks with both come first."""
    guards = [models("veteran", 2), models("recruit", 5, 1, 3)]
    unit = wh40k.TargetUnit("unit", guards, leaders=[character(7, 1)])
    triggers = [
        wh40k.Trigger("hit", "critical", "Marksmen", precision=True),
        wh40k.Trigger("wound", "critical", "Rend", ap=-3),
    ]
    found = attack(weapon("A3 BS2+ S8 AP0 D1"), unit, {"special_pools_order": option}, triggers=triggers)
    assert found.kills.mean() == kills_in_pools(order)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("first", "second", "wounds", "damage", "none"),
    [
        # The guard dies with 5/6; then S4 wounds on 5+ in place of 3+.
        ("A1 S6 AP0 D1", "A1 S4 AP0 D1", "11/9", "11/9", "1/18"),
        # Dead with 35/36: 5/3 wounds, and two more of 1/3 or 2/3, each of mean Damage 2.
        ("A2 S6 AP0 D1", "A2 S4 AP0 DD3", "127/54", "82/27", "1/324"),
    ],
)
def test_wounds_and_damage_by_the_toughness_of_each_pool(first, second, wounds, damage, none, exact) -> None:
    """05.02.01: guard T3 and hero T6; the Toughness is that of who is alive as a pool begins."""
    guard = wh40k.Target("Guard", toughness=3, save=None, wounds=1)
    hero = wh40k.Target("Hero", toughness=6, save=None, wounds=9)
    shots = [f"One: {first} [TORRENT]", f"Two: {second} [TORRENT]"]
    led = wh40k.TargetUnit("Led", [guard], leaders=[hero])
    found = wh40k.attack(shots, led, edition="11e", exact=exact)
    means = [each.mean() for each in (found.wounds, found.unsaved, found.damage)]
    expected = [Rational(wounds), Rational(wounds), Rational(damage)]
    assert means == (expected if exact else pytest.approx([float(each) for each in expected], rel=1e-12))
    assert found.wounds.pmf(0) == (
        Rational(none) if exact else pytest.approx(float(Rational(none)), rel=1e-12)
    )


def test_pools_that_would_take_long_to_count_in_are_refused() -> None:
    led = wh40k.TargetUnit(
        "Led", [models("guard", 5, number=20, toughness=3)], leaders=[character(5, 6, toughness=6)]
    )
    shots = [weapon("A60 BS3+ S4 AP0 D1 [DEVASTATING WOUNDS]")] * 2
    found = attack([*shots, weapon("A1 BS3+ S4 AP0 D1")], led)
    with pytest.raises(TooLargeError, match="see kills and wounds_lost"):
        _ = found.wounds
    tied = attack(shots, led, reroll_hits="one")
    with pytest.raises(MathhammerError, match="pools without a single re-roll"):
        _ = tied.wounds
    assert tied.absent == {"wounds", "unsaved", "damage"}
