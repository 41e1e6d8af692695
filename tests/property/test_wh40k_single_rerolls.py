"""Single re-rolls of every roll, with every rule beside them, against a game played die by die.

The other side is `enumeration_rerolls`, which imports nothing of the package.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Any

import pytest
from enumeration_reroll_dice import D3, Profile, Rule, Shots
from enumeration_rerolls import Game
from enumeration_units import Kind
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import then
from tenth import wh40k
from translation import plain_number, points

ROLLS = ("attacks", "hits", "wounds", "saves", "damage")
#: What a weapon's Strength is called, by the strengths that it rolls.
STRENGTHS = {"4": (4,), "5": (5,), "8": (8,), "2": (2,), "D3+2": (3, 4, 5), "D6": (1, 2, 3, 4, 5, 6)}
NAMES = ("Trooper", "Sergeant", "Captain")

RULES = (
    Rule("hit", "extra_hits", 1),
    Rule("hit", "extra_attacks", 1),
    Rule("hit", "mortal", 1),
    Rule("hit", "instead", 2),
    Rule("hit", "wounds"),
    Rule("hit", "ap", 2),
    Rule("wound", "mortal", 2),
    Rule("wound", "instead", 1),
    Rule("wound", "ap", 3),
)


def makes_sense(rules: tuple[Rule, ...]) -> bool:
    """An attack that ends scores nothing else; better AP comes of one roll, so that its order is plain."""
    named = [rule.what for rule in rules]
    ends = any(rule.what == "instead" and rule.roll == "hit" for rule in rules)
    return len(set(named)) == len(named) and not (ends and {"extra_hits", "wounds", "ap"} & set(named))


@st.composite
def volleys(draw: st.DrawFn, rerolls: tuple[str, ...], *, most: int, leader: bool) -> Shots:
    found = draw(st.lists(st.sampled_from(RULES), max_size=2, unique=True).map(tuple).filter(makes_sense))
    ends = any(rule.what == "instead" and rule.roll == "hit" for rule in found)
    said = [(roll, draw(st.sampled_from([None, None, "own", "none"]))) for roll in rerolls]
    shots = Shots(
        attacks=draw(st.integers(1, most)),
        hit=draw(st.sampled_from([None, 2, 3, 4, 4, 5, 6])),
        strengths=draw(st.sampled_from(list(STRENGTHS.values()))),
        damage=draw(st.sampled_from([2, D3, D3] if "damage" in rerolls else [1, 2, D3])),
        lethal=draw(st.booleans()),
        sustained=0 if ends else draw(st.sampled_from([0, 0, 1])),
        devastating=draw(st.booleans()),
        rules=found,
        directed=(2,) if leader and draw(st.booleans()) else (),
        says=tuple((roll, of) for roll, of in said if of is not None),
    )
    if "attacks" not in rerolls or draw(st.booleans()):
        return shots
    # Up to three attacks: fewer rules beside.
    return replace(shots, attacks=D3, strengths=(5,), rules=(), sustained=0, devastating=False)


@st.composite
def kinds(draw: st.DrawFn, most: int, *, leader: bool = False) -> Kind:
    roll = st.sampled_from([None, None, 6, 4])
    profile = Profile(
        save=draw(st.sampled_from([None, 2, 3, 4, 5, 6])),
        wounds=draw(st.integers(1, 3)),
        models=draw(st.integers(1, most)),
        feel_no_pain=draw(roll),
        feel_no_pain_mortal=draw(roll),
    )
    return Kind(profile, draw(st.integers(0, profile.wounds - 1)), leader)  # type: ignore[arg-type]


@st.composite
def games(draw: st.DrawFn, *, mixed: bool = False, leader: bool = False, choice: bool = False) -> Game:
    rerolls = tuple(draw(st.lists(st.sampled_from(ROLLS), min_size=1, max_size=3, unique=True)))
    numbers = draw(st.sampled_from([(2,), (1, 1)] if choice or leader else [(2,), (2, 1), (1, 1), (1, 1, 1)]))
    fired = tuple(draw(volleys(rerolls, most=most, leader=leader)) for most in numbers)
    if leader:
        unit = (draw(kinds(1)), draw(kinds(1)), draw(kinds(1, leader=True)))
    elif mixed:
        unit = (draw(kinds(2)), draw(kinds(1)))
    else:
        unit = (draw(kinds(3)),)
    shared = draw(st.frozensets(st.sampled_from(rerolls), min_size=1))
    return Game(fired, unit, shared)


# ------------------------------------------------------------------------------------------ as a player would type it


def trigger(rule: Rule) -> wh40k.Trigger:
    does: dict[str, Any] = {
        "extra_hits": {"extra_hits": rule.number},
        "extra_attacks": {"extra_attacks": rule.number},
        "mortal": {"mortal_wounds": rule.number},
        "instead": {"mortal_wounds": rule.number, "instead": True},
        "wounds": {"wounds": True},
        "ap": {"improve_ap": rule.number},
    }[rule.what]
    roll: Any = rule.roll
    return wh40k.Trigger(roll, "unmodified 6", f"{rule.what} on {roll}", **does)


def volley(shots: Shots) -> wh40k.Volley:
    words = [f"Sustained Hits {shots.sustained}"] if shots.sustained else []
    words += ["Lethal Hits"] if shots.lethal else []
    words += ["Devastating Wounds"] if shots.devastating else []
    words += ["Torrent"] if shots.hit is None else []
    words += ["Precision"] if shots.directed else []
    weapon = wh40k.Weapon(
        "Gun",
        range='24"',
        attacks=shots.attacks or "D3",
        skill=shots.hit,
        strength=next(text for text, values in STRENGTHS.items() if values == shots.strengths),
        ap=0,
        damage=shots.damage or "D3",
        keywords=", ".join(words),
    )
    said: dict[str, Any] = {f"reroll_{roll}": "one" if of == "own" else None for roll, of in shots.says}
    if shots.rules:
        said["triggers"] = [trigger(rule) for rule in shots.rules]
    return wh40k.Volley(weapon, shots.weapons, **said)


def target(game: Game, **options: Any) -> wh40k.Target | wh40k.TargetUnit:
    def model(kind: Kind, name: str) -> wh40k.Target:
        profile: Any = kind.profile
        return wh40k.Target(
            name,
            toughness=4,
            save=profile.save,
            wounds=profile.wounds,
            models=profile.models,
            feel_no_pain=profile.feel_no_pain,
            feel_no_pain_mortal=profile.feel_no_pain_mortal,
            wounds_lost=kind.lost,
        )

    named = [model(kind, name) for kind, name in zip(game.unit, NAMES, strict=False)]
    if len(named) == 1 and not options:
        return named[0]
    guards = sum(not kind.leader for kind in game.unit)
    return wh40k.TargetUnit("Unit", named[:guards], named[guards:], **options)


def given_to_all(game: Game) -> dict[str, Any]:
    return {f"reroll_{roll}": "one" for roll in game.shared}


def the_same(distribution: Any, expected: dict[Any, Fraction], *, exact: bool) -> None:
    found = points(distribution)
    if exact:
        assert found == expected
    else:
        assert found == pytest.approx({at: float(p) for at, p in expected.items()}, rel=1e-12, abs=0)


def check(game: Game, *, exact: bool) -> None:
    (done,) = wh40k.activations(
        [[volley(shots) for shots in game.volleys]], target(game), exact=exact, **given_to_all(game)
    )
    distribution, result = game.final(), done.result
    the_same(result.state, game.states(distribution), exact=exact)
    the_same(result.hits, then(distribution, lambda table: {table.hits: 1}), exact=exact)
    the_same(result.wounds, then(distribution, lambda table: {table.wounded: 1}), exact=exact)
    for share, kills, left_over in zip(done.shares, game.kills, game.left_over, strict=True):
        assert plain_number(share.kills) == (
            kills if exact else pytest.approx(float(kills), rel=1e-12, abs=1e-14)
        )
        assert plain_number(share.attacks_left_over) == (
            left_over if exact else pytest.approx(float(left_over), rel=1e-12, abs=1e-14)
        )
    total = sum(plain_number(share.wounds_lost) for share in done.shares)
    mean = plain_number(result.wounds_lost.mean())
    assert total == (mean if exact else pytest.approx(mean, rel=1e-12, abs=1e-14))


# ------------------------------------------------------------------------------------------------------------- tests


@settings(max_examples=15)
@given(game=games(), exact=st.booleans())
def test_equal_models(game: Game, *, exact: bool) -> None:
    """Rules Commentary, Rules That Allow One Re-roll: the state, and what is counted, of equal models."""
    check(game, exact=exact)
    result = wh40k.attack(
        [volley(shots) for shots in game.volleys], target(game), exact=exact, **given_to_all(game)
    )
    counted = game.counted()
    for place, distribution in enumerate((result.unsaved, result.damage, result.mortal_wounds)):
        the_same(distribution, then(counted, lambda counts, place=place: {counts[place]: 1}), exact=exact)


@settings(max_examples=15)
@given(game=games(mixed=True), exact=st.booleans())
def test_a_mixed_unit(game: Game, *, exact: bool) -> None:
    """Core rules, Making Attacks: saves and Damage belong to the model that a wound is allocated to."""
    check(game, exact=exact)


@settings(max_examples=15)
@given(game=games(leader=True), exact=st.booleans())
def test_a_leader_singled_out(game: Game, *, exact: bool) -> None:
    """Core rules, Leader and Precision, beside single re-rolls."""
    check(game, exact=exact)


@settings(max_examples=15)
@given(game=games(mixed=True, choice=True), allocation=st.sampled_from(["best", "worst"]))
def test_a_player_who_allocates_well(game: Game, allocation: Any) -> None:
    """Core rules, Allocate Attack: the least, or greatest, mean loss over all plans."""
    result = wh40k.attack(
        [volley(shots) for shots in game.volleys],
        target(game, allocation=allocation),
        exact=True,
        **given_to_all(game),
    )
    assert plain_number(result.kills.mean()) == game.best(for_defender=allocation == "best")


def test_an_additional_attack_has_the_re_roll_that_is_left() -> None:
    """Rules Commentary, Rules That Allow One Re-roll: of all hit rolls that an attack leads to the first that fails."""
    weapon = wh40k.Weapon.parse("Gun: A1 BS4+ S8 AP0 D1")
    more = wh40k.Trigger("hit", "unmodified 6", "more", extra_attacks=1)
    model = wh40k.Target("Model", toughness=4, save=None, wounds=1)
    result = wh40k.attack(weapon, model, triggers=more, reroll_hits="one", exact=True)
    # 1/2 fails: re-rolled 1/2, and 1/6 of one more at 1/2; 1/2 hits, 1/6 of one more at 3/4.
    assert plain_number(result.hits.mean()) == Fraction(1, 2) * Fraction(7, 12) + Fraction(1, 2) + Fraction(
        1, 8
    )


@pytest.mark.parametrize("number", [520, 1000])
def test_many_dice(number: int) -> None:
    """Closed form: of K saves that fail, binomial, the first is re-rolled if there is one, and half of those stay.

    Rules Commentary, Rules That Allow One Re-roll.
    """
    gun = wh40k.Weapon.parse(f"Gun: A{number} BS6+ S2 AP0 D1")  # 1/6 hit, 1/6 wound, 1/2 of the saves fail
    fails = Fraction(1, 72)
    binomial = [comb(number, k) * fails**k * (1 - fails) ** (number - k) for k in range(7)]
    expected = [binomial[0] + binomial[1] / 2, *((binomial[k] + binomial[k + 1]) / 2 for k in range(1, 5))]
    expected.append(1 - sum(expected))
    equal = wh40k.Target("Model", toughness=4, save="4+", wounds=1, models=5)
    parts = [replace(equal, name=f"{models} models", models=models) for models in (2, 3)]
    mixed = wh40k.TargetUnit("Unit", parts)
    for target in (equal, mixed):
        kills = wh40k.attack(gun, target, reroll_saves="one").kills
        assert [kills.pmf(k) for k in range(6)] == pytest.approx([float(p) for p in expected], rel=1e-12)


def test_mortal_wounds_after_a_re_roll_of_a_volley_that_inflicts_none() -> None:
    """Rules Commentary, Rules That Allow One Re-roll: what a die of another volley has used is gone."""
    gun = wh40k.Weapon.parse("Gun: A1 BS4+ S4 AP0 D1")
    curse = wh40k.Trigger("hit", "unmodified 6", "a curse", mortal_wounds=1)
    model = wh40k.Target("Model", toughness=4, save=None, wounds=1, models=2)
    pair = [wh40k.Volley(gun), wh40k.Volley(gun, triggers=curse)]
    result = wh40k.attack(pair, model, reroll_hits="one", exact=True)
    # The first shot keeps the re-roll with 1/2: 1/6 + 1/2 of 1/6 then, and 1/6 without.
    assert plain_number(result.mortal_wounds.mean()) == Fraction(1, 2) * (Fraction(1, 4) + Fraction(1, 6))


@pytest.mark.parametrize("numbers", [(2,), (1, 1)])
@pytest.mark.parametrize("profile", [Profile(feel_no_pain_mortal=4), Profile(save=4, feel_no_pain_mortal=5)])
def test_damage_re_rolled_in_the_order_of_resolution(numbers: tuple[int, ...], profile: Profile) -> None:
    """Core stratagems, Command Re-roll: Devastating Wounds come last, where Feel No Pain may ignore more of them."""
    fired = tuple(Shots(attacks=n, hit=None, strengths=(8,), damage=D3, devastating=True) for n in numbers)
    game = Game(fired, (Kind(profile),), frozenset({"damage"}))  # type: ignore[arg-type]
    for exact in (True, False):
        volleys = [volley(shots) for shots in fired]
        result = wh40k.attack(volleys, target(game), exact=exact, reroll_damage="one")
        the_same(result.damage, then(game.counted(), lambda counts: {counts[1]: 1}), exact=exact)


TWO_KINDS = (Kind(Profile(save=3, wounds=2)), Kind(Profile(save=5, wounds=1)))  # type: ignore[arg-type]
SHARP = Shots(attacks=2, hit=None, strengths=(4,), damage=1, rules=(Rule("wound", "ap", 3),))


@pytest.mark.parametrize(
    ("fired", "shared"),
    [
        ((SHARP,), {"saves"}),
        ((Shots(hit=3, strengths=(8,), sustained=1, rules=(Rule("hit", "ap", 3),)),), {"saves"}),
        ((replace(SHARP, attacks=1, damage=D3),) * 2, {"saves", "damage"}),
        ((replace(SHARP, attacks=1), Shots(hit=None, damage=2)), {"wounds"}),
        (
            (replace(SHARP, attacks=1, says=(("saves", "own"),)), Shots(hit=4, says=(("saves", "none"),))),
            {"hits"},
        ),
    ],
)
def test_every_plan_of_allocation(fired: tuple[Shots, ...], shared: set[str]) -> None:
    """Core rules, Allocate Attack: the best and the worst of all plans, each of them played through."""
    game = Game(fired, TWO_KINDS, frozenset(shared))
    values = game.every_policy()
    assert min(values) < max(values)
    for allocation, value in (("best", min(values)), ("worst", max(values))):
        volleys, unit = [volley(shots) for shots in fired], target(game, allocation=allocation)
        result = wh40k.attack(volleys, unit, exact=True, **given_to_all(game))
        assert plain_number(result.kills.mean()) == value


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("fired", "unit", "shared"),
    [
        # A sharp wound allows no save: no die of it fails, and the re-roll waits for one of the others.
        ((SHARP,), (Kind(Profile(save=5)), Kind(Profile(save=6, wounds=2))), {"saves"}),  # type: ignore[arg-type]
        # Devastating Wounds of the first volley, whose Damage alone is re-rolled, come after the second volley.
        (
            (
                Shots(hit=None, strengths=(8,), damage=D3, devastating=True),
                Shots(hit=None, strengths=(8,), damage=D3, says=(("damage", "none"),)),
            ),
            (Kind(Profile(wounds=3, models=2)),),  # type: ignore[arg-type]
            {"damage"},
        ),
    ],
)
def test_whose_turn_it_is(
    fired: tuple[Shots, ...], unit: tuple[Kind, ...], shared: set[str], *, exact: bool
) -> None:
    """Rules Commentary, Rules That Allow One Re-roll; core rules, Mortal Wounds: the order of the dice."""
    check(Game(fired, unit, frozenset(shared)), exact=exact)
