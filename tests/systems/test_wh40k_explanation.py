"""The printed steps of an attack: fractions that multiply out to the result, and why a rule does nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from by_hand import play, unit
from sympy import Rational
from tenth import wh40k

FRACTION = re.compile(r"(?P<name>[a-z0-9 ]+) (?P<value>\d+(?:/\d+)?)(?=,|$)")


def printed(result: Any) -> dict[str, dict[str, Rational]]:
    """The fractions of each step as the page prints them."""
    page: dict[str, dict[str, Rational]] = {}
    for step in result.explain():
        lines = " ".join(str(step).split())
        if " = " in lines and step.probabilities:
            found = FRACTION.findall(lines.rsplit(" = ", 1)[1])
            page[step.name] = {name.strip(): Rational(value) for name, value in found}
    return page


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"hit_modifier": -1, "reroll_hits": "ones", "target": unit(save=4, feel_no_pain=5)},
        {
            "keywords": "Twin-linked, Melta 2",
            "damage": "D6",
            "half_range": True,
            "target": unit(half_damage=True),
        },
        {"keywords": "Torrent", "strength": "D6+2", "reroll_damage": "ones", "damage": "D3"},
        {"overwatch": True, "attacks": 7},
    ],
)
def test_printed_fractions_multiply_out(given: dict[str, Any]) -> None:
    """Core rules, Making Attacks: attacks x hit x wound x unsaved x mean damage is the mean damage in all."""
    result = play(given.pop("keywords", ""), **given)
    page = printed(result)
    unsaved = page["Each attack"]["unsaved"]
    strengths = [step for step in result.explain() if step.name == "Wound"]
    if len(strengths) == 1:
        save = page["Save"]["unsaved"]
        assert page["Hit"]["hit"] * page["Wound"]["wound"] * save == unsaved
    assert unsaved + page["Each attack"]["nothing"] == 1
    assert result.attacks.mean() * unsaved == result.unsaved.mean()
    assert result.unsaved.mean() * page["Each unsaved"]["mean damage"] == result.damage.mean()


def test_outcomes_of_each_attack_sum_to_1() -> None:
    """Lethal Hits, Sustained Hits and Devastating Wounds: every outcome is printed, nothing among them."""
    result = play(
        "Lethal Hits, Sustained Hits D3, Devastating Wounds", target=unit(save=4, feel_no_pain_mortal=4)
    )
    page = printed(result)
    each = page["Each attack"]
    assert sum(each.values()) == 1
    mean = sum(
        probability
        * (
            int(name.split()[0]) * page["Each unsaved"]["mean damage"]
            + (int(name.split()[3]) if "devastating" in name else 0) * page["Each devastating"]["mean damage"]
        )
        for name, probability in each.items()
        if name != "nothing"
    )
    assert mean == result.damage.mean()


def test_damage_is_shown_in_the_order_applied() -> None:
    """Rules Commentary, Modifiers: divide, add, subtract, round up once, at least 1."""
    page = str(
        play(
            "Torrent, Melta 2",
            damage="D6",
            half_range=True,
            reroll_damage="ones",
            target=unit(half_damage=True, damage_reduction=1),
        ).explain()
    )
    places = [
        page.index(text) for text in ("D6, re-roll ones, rounded up", "÷2", "+2 (Melta 2", "-1 (the target")
    ]
    assert places == sorted(places)
    assert "at least 1" in str(play(damage="D3", target=unit(damage_reduction=1)).explain())


@pytest.mark.parametrize(
    ("keywords", "given", "line"),
    [
        ("Heavy", {}, "Heavy           not in force: moved"),
        ("Rapid Fire 1", {}, "not in force: beyond half range"),
        ("Melta 2", {}, "not in force: beyond half range"),
        ("Lance", {}, "not in force: did not charge"),
        ("Indirect Fire", {}, "not in force: the target is visible"),
        ("Anti-Vehicle 4+", {}, "not in force: the target is no Vehicle"),
        ("Blast", {}, "not in force: adds nothing against 1 models"),
        ("Ignores Cover", {}, "not in force: the target is not in cover"),
        ("Torrent, Lethal Hits", {}, "Lethal Hits     not in force: no hit roll is made"),
        ("Sustained Hits 1, Sustained Hits 2", {}, "not in force: Sustained Hits 2 is used instead"),
        ("Twin-linked", {}, "re-roll 1, 2, 3 (Twin-linked)"),
        ("Twin-linked", {"reroll_wounds": "ones"}, "re-roll 1, 2, 3 (Twin-linked)"),
        ("Twin-linked", {"reroll_wounds": "failed"}, "not in force: every failed wound roll is re-rolled"),
        ("Pistol", {"engaged": True}, "engaged         has no effect here: Pistol"),
        ("", {"stealth": True, "range": "Melee"}, "stealth         has no effect here: a melee weapon"),
        ("", {"plunging_fire": True}, "improved by 1 (Plunging Fire)"),
        ("", {"rulings": {"save_cap": "gross"}}, "save_cap: gross, not net as by default"),
        ("Hazardous", {}, "wh40k.hazardous"),
        ("", {"reroll_hits": "one"}, "one failed hit roll is re-rolled"),
        ("", {"overwatch": True, "range": "Melee"}, "overwatch       has no effect here: a melee weapon"),
        ("", {"cover": True, "range": "Melee"}, "cover           has no effect here: a melee weapon"),
        ("", {"indirect": True}, "indirect        has no effect here: no Indirect Fire"),
        ("", {"advanced": True}, "advanced        has no effect here: no Assault"),
        ("Indirect Fire", {"indirect": True}, "unmodified 1-3 fail (Indirect Fire)"),
        ("Indirect Fire, Torrent", {"indirect": True}, "in force for cover alone: no hit roll is made"),
        ("Ignores Cover", {"cover": True, "target": unit(save=4)}, "no benefit of cover (Ignores Cover)"),
        (
            "",
            {"cover": True, "target": unit(save=3), "ap": 0},
            "no benefit of cover (Save of 3+ or better against AP 0)",
        ),
        ("", {"strength": 1, "wounds_on": 2}, "S1 against T4, where 2+ is enough: 2+"),
        (
            "",
            {"wounds_on": 2, "wound_fails_up_to": 3},
            "has no effect here: the attacker's rule has priority",
        ),
        ("", {"stealth": True, "ignore_modifiers": "hit"}, "Ignored         the modifiers of hit that harm"),
        ("Extra Attacks", {"range": "Melee"}, "its Attacks change only"),
        ("", {"target": unit(models=2, wounds=3, wounds_lost=1)}, " of 5\n"),
    ],
)
def test_what_is_in_force_and_what_is_not(keywords: str, given: dict[str, Any], line: str) -> None:
    """The page names every ability, condition and chosen ruling, with why it does what it does."""
    page = str(play(keywords, **given).explain())
    assert " ".join(line.split()) in " ".join(page.split())


def test_a_unit_says_each_step_of_a_kind_once() -> None:
    """What is inflicted depends on the kind of model, so that no line stands without its name."""
    kind = wh40k.TargetUnit("Pair", [unit(wounds=2, damage_to_0=True)])
    spared = play("Devastating Wounds", target=kind).explain()
    own = [step for step in spared if step.name in {"Damage to 0", "Each devastating"}]
    assert len(own) == 2
    assert all(": " in step.text for step in own)


@pytest.mark.parametrize(("need", "lost"), [(5, Rational(2, 3)), (2, Rational(1, 6))])
def test_feel_no_pain_against_mortal_wounds_is_a_line_of_its_own(need: int, lost: Rational) -> None:
    """Core rules, Feel No Pain: one die for each wound, of which those below the number are lost."""
    page = printed(play("Devastating Wounds", target=unit(feel_no_pain_mortal=need)))
    assert page["Feel No Pain"]["lost"] == lost


@pytest.mark.parametrize("keywords", ["", "Precision"])
def test_precision_alone_is_directed_at_a_leader(keywords: str) -> None:
    """Core rules, Precision: the page says at whom, and says nothing without it."""
    leader = wh40k.Target("Captain", toughness=4, save="3+", wounds=4, keywords="Character")
    page = str(play(keywords, target=wh40k.TargetUnit("Squad", [unit()], [leader])).explain())
    assert ("directed at Captain while it lives" in page) is bool(keywords)


@pytest.mark.parametrize("target", [unit(wounds=9), wh40k.TargetUnit("Pair", [unit(wounds=9)])])
def test_losses_of_earlier_attacks_are_said_to_be_counted(target: Any) -> None:
    """The losses of two attacks are more than the damage of the second: the page says why."""
    first = play(target=target)
    second = play(target=target, start=first)
    assert "Start " not in str(first.explain())
    assert "losses below count theirs" in str(second.explain())
    assert second.wounds_lost.mean() == 2 * first.wounds_lost.mean()


def test_cover_that_is_of_use_is_not_denied() -> None:
    """Core rules, Benefit of Cover: Save 3+ has it against AP-1, and Save 4+ against AP 0."""
    for save, ap in ((3, -1), (4, 0)):
        assert "no benefit" not in str(play(cover=True, target=unit(save=save), ap=ap).explain())


def test_lines_fit_a_page() -> None:
    """Long steps are broken below their beginning."""
    gun = wh40k.Weapon(
        "A weapon with a name that is long enough to fill most of a line of any page, and then some",
        range='24"',
        attacks="2D6",
        skill=3,
        strength="D6+2",
        ap=-3,
        damage="D6",
        keywords="Sustained Hits 6, Devastating Wounds, Lethal Hits, Blast, Heavy, Anti-Monster 3+, Ignores Cover",
    )
    page = str(wh40k.attack(gun, unit(models=7), critical_wound=4).explain())
    assert max(len(line) for line in page.splitlines()[1:]) <= 100


def test_each_attack_says_that_a_choice_may_change_it() -> None:
    """11th edition, 24.23: the attacker may decline Lethal Hits; the printed fractions are those of taking them."""
    from mathhammer.systems import wh40k as eleventh

    gun = "Gun: A1 BS3+ S5 AP-1 D1 [LETHAL HITS, DEVASTATING WOUNDS]"
    for ruling, said in (("best", True), ("always", False)):
        result = eleventh.attack(gun, "VEQ", edition="11e", rulings={"lethal_choice": ruling}, exact=True)
        [step] = [step for step in result.explain() if step.name == "Each attack"]
        assert ("the attacker may choose otherwise" in step.text) is said
        # A critical hit is one unsaved wound in two; of three other hits in six one wounds, one devastates.
        assert {each.name: Rational(each.fraction) for each in step.probabilities}["1 unsaved"] == Rational(
            1, 8
        )


def test_the_damage_in_all_is_the_sum_of_the_weapons_means():
    """2 x 2/3 x 1/2 x 2 = 4/3 and 1/2 x 5/6 x 7/2 = 35/24, by hand: 67/24; a re-roll they share keeps the mean."""
    weapons = ["Gun: A2 BS3+ S4 AP0 DD3", "Lance: A1 BS4+ S8 AP0 DD6"]
    options = {"edition": "10e", "exact": True}
    steps = {
        step.name: step for step in wh40k.attack(weapons, "Unit: 5x T4 Sv- W2", **options).explain().steps
    }
    assert steps["Damage in all"].text.startswith("mean 67/24")
    for each in (True, False):
        shared = wh40k.attack(weapons, "Unit: 5x T4 Sv- W2", edition="10e", exact=each, reroll_hits="one")
        assert str(shared.mean_damage()) == str(shared.damage.mean())
