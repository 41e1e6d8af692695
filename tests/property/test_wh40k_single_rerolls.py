"""Single re-rolls of every roll, with every rule beside them, against a game played die by die.

The other side is `referees.wh40k`, which imports nothing of the package.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import Dice, certainly, fixed, then
from referees.wh40k import models, sequence
from referees.wh40k.profiles import TENTH, Kind, Rule, Unit, Volley
from tenth import wh40k
from translation import defenders, plain_number, points, target_unit, values, volley

if TYPE_CHECKING:
    from plain_dice import Pmf

ROLLS = ("attacks", "hits", "wounds", "saves", "damage")
D3, D6 = Dice(1, 3), Dice(1, 6)
STRENGTHS = (fixed(4), fixed(5), fixed(8), fixed(2), Dice(1, 3, 2), D6)
RULES = (
    Rule("hit", extra_hits=fixed(1)),
    Rule("hit", extra_attacks=fixed(1)),
    Rule("hit", mortal_wounds=fixed(1)),
    Rule("hit", mortal_wounds=fixed(2), instead=True),
    Rule("hit", wounds=True),
    Rule("hit", improve_ap=2),
    Rule("wound", mortal_wounds=fixed(2)),
    Rule("wound", mortal_wounds=fixed(1), instead=True),
    Rule("wound", improve_ap=3),
)


@dataclass(frozen=True)
class Game:
    """Volleys of one unit against another; `shared` are the re-rolls that the unit has for all volleys."""

    volleys: tuple[Volley, ...]
    unit: Unit
    shared: frozenset[str]

    def ends(self, *track: Any) -> Pmf:
        return sequence.final(self.volleys, self.unit, shared=self.shared, track=track)

    def mean(self, name: str, place: int) -> Fraction:
        """Mean of what is counted of the volley at a place."""
        ends = self.ends((name, place))
        return sum((end.counts[0] * chance for end, chance in ends.items()), Fraction(0))

    def policies(self) -> list[Fraction]:
        worth = models.worth("kills", self.unit)
        return sequence.every_policy(self.volleys, self.unit, worth, shared=self.shared)


def ends_attack(rule: Rule) -> bool:
    return rule.roll == "hit" and rule.instead


def makes_sense(rules: tuple[Rule, ...]) -> bool:
    """An attack that ends scores nothing else; better AP comes of one roll, so that its order is plain."""
    effects = [tuple(sorted(_does(rule))) for rule in rules]
    ends = any(map(ends_attack, rules))
    scores = any(rule.roll == "hit" and (rule.extra_hits or rule.wounds or rule.improve_ap) for rule in rules)
    ap = any(rule.improve_ap for rule in rules)
    return len(set(effects)) == len(effects) and not (ends and (scores or ap))


def _does(rule: Rule) -> set[str]:
    names = ("extra_hits", "extra_attacks", "mortal_wounds", "instead", "wounds", "improve_ap")
    return {name for name in names if getattr(rule, name)}


@st.composite
def volleys(draw: st.DrawFn, rerolls: tuple[str, ...], *, most: int, leader: bool) -> Volley:
    found = draw(st.lists(st.sampled_from(RULES), max_size=2, unique=True).map(tuple).filter(makes_sense))
    said = [(roll, draw(st.sampled_from([None, None, "own", "none"]))) for roll in rerolls]
    skill = draw(st.sampled_from([None, 2, 3, 4, 4, 5, 6]))
    damages = [fixed(2), D3, D3] if "damage" in rerolls else [fixed(1), fixed(2), D3]
    shots = Volley(
        attacks=fixed(draw(st.integers(1, most))),
        skill=skill,
        torrent=skill is None,
        strength=draw(st.sampled_from(STRENGTHS)),
        damage=draw(st.sampled_from(damages)),
        lethal_hits=draw(st.booleans()),
        sustained_hits=() if any(map(ends_attack, found)) else draw(st.sampled_from([(), (), (fixed(1),)])),
        devastating_wounds=draw(st.booleans()),
        rules=found,
        precision=(2,) if leader and draw(st.booleans()) else (),
        says=tuple((roll, of) for roll, of in said if of is not None),
    )
    if "attacks" not in rerolls or draw(st.booleans()):
        return shots
    # Up to three attacks: fewer rules beside.
    return replace(
        shots, attacks=D3, strength=fixed(5), rules=(), sustained_hits=(), devastating_wounds=False
    )


@st.composite
def kinds(draw: st.DrawFn, most: int, *, leader: bool = False) -> Kind:
    roll = st.sampled_from([None, None, 6, 4])
    wounds = draw(st.integers(1, 3))
    return Kind(
        save=draw(st.sampled_from([None, 2, 3, 4, 5, 6])),
        wounds=wounds,
        models=draw(st.integers(1, most)),
        feel_no_pain=draw(roll),
        feel_no_pain_mortal=draw(roll),
        lost=draw(st.integers(0, wounds - 1)),
        leader=leader,
    )


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


def given_to_all(game: Game) -> dict[str, Any]:
    return {f"reroll_{roll}": "one" for roll in game.shared}


def the_same(distribution: Any, expected: dict[Any, Fraction], *, exact: bool) -> None:
    found = points(distribution)
    if exact:
        assert found == expected
    else:
        assert found == pytest.approx({at: float(p) for at, p in expected.items()}, rel=1e-12, abs=0)


def typed(game: Game) -> list[wh40k.Volley]:
    return [volley(shots, game.unit) for shots in game.volleys]


def check(game: Game, *, exact: bool) -> None:
    (done,) = wh40k.activations([typed(game)], defenders(game.unit), exact=exact, **given_to_all(game))
    ends, result = game.ends("hits", "wounds"), done.result
    states = then(ends, lambda end: certainly(models.coordinates(game.unit, end.models)))
    the_same(result.state, states, exact=exact)
    for place, name in enumerate(("hits", "wounds")):
        expected = then(ends, lambda end, place=place: certainly(end.counts[place]))
        the_same(getattr(result, name), expected, exact=exact)
    for place, share in enumerate(done.shares):
        for found, name in ((share.kills, "kills"), (share.attacks_left_over, "left_over")):
            mean = game.mean(name, place)
            near = mean if exact else pytest.approx(float(mean), rel=1e-12, abs=1e-14)
            assert plain_number(found) == near
    total = sum(plain_number(share.wounds_lost) for share in done.shares)
    mean = plain_number(result.wounds_lost.mean())
    assert total == (mean if exact else pytest.approx(mean, rel=1e-12, abs=1e-14))


# ------------------------------------------------------------------------------------------------------------- tests


@settings(max_examples=15)
@given(game=games(), exact=st.booleans())
def test_equal_models(game: Game, *, exact: bool) -> None:
    """Rules Commentary, Rules That Allow One Re-roll: the state, and what is counted, of equal models."""
    check(game, exact=exact)
    result = wh40k.attack(typed(game), defenders(game.unit), exact=exact, **given_to_all(game))
    for name in ("unsaved", "damage", "mortal_wounds"):
        counted = sequence.counted(game.volleys, game.unit, name, TENTH, game.shared)
        the_same(getattr(result, name), counted, exact=exact)


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
    to = target_unit(game.unit, allocation=allocation)
    result = wh40k.attack(typed(game), to, exact=True, **given_to_all(game))
    players: Any = {"allocation": min if allocation == "best" else max}
    worth = models.worth("kills", game.unit)
    best = sequence.best(game.volleys, game.unit, worth, players, shared=game.shared)
    assert values(result, "kills") == best


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


SURE = Volley(skill=None, torrent=True, strength=fixed(8), damage=D3, devastating_wounds=True)


@pytest.mark.parametrize("numbers", [(2,), (1, 1)])
@pytest.mark.parametrize("kind", [Kind(feel_no_pain_mortal=4), Kind(save=4, feel_no_pain_mortal=5)])
def test_damage_re_rolled_in_the_order_of_resolution(numbers: tuple[int, ...], kind: Kind) -> None:
    """Core stratagems, Command Re-roll: Devastating Wounds come last, where Feel No Pain may ignore more of them."""
    game = Game(tuple(replace(SURE, attacks=fixed(n)) for n in numbers), (kind,), frozenset({"damage"}))
    counted = sequence.counted(game.volleys, game.unit, "damage", TENTH, game.shared)
    for exact in (True, False):
        result = wh40k.attack(typed(game), defenders(game.unit), exact=exact, reroll_damage="one")
        the_same(result.damage, counted, exact=exact)


TWO_KINDS = (Kind(save=3, wounds=2), Kind(save=5))
AP_3 = Rule("wound", improve_ap=3)
SHARP = Volley(attacks=fixed(2), skill=None, torrent=True, rules=(AP_3,))
ONE = replace(SHARP, attacks=fixed(1))
SUSTAINED = Volley(strength=fixed(8), sustained_hits=(fixed(1),), rules=(Rule("hit", improve_ap=3),))
PLAIN = Volley(skill=None, torrent=True, damage=fixed(2))


@pytest.mark.parametrize(
    ("fired", "shared"),
    [
        ((SHARP,), {"saves"}),
        ((SUSTAINED,), {"saves"}),
        ((replace(ONE, damage=D3),) * 2, {"saves", "damage"}),
        ((ONE, PLAIN), {"wounds"}),
        ((replace(ONE, says=(("saves", "own"),)), Volley(skill=4, says=(("saves", "none"),))), {"hits"}),
    ],
)
def test_every_plan_of_allocation(fired: tuple[Volley, ...], shared: set[str]) -> None:
    """Core rules, Allocate Attack: the best and the worst of all plans, each of them played through."""
    game = Game(fired, TWO_KINDS, frozenset(shared))
    policies = game.policies()
    assert min(policies) < max(policies)
    for allocation, value in (("best", min(policies)), ("worst", max(policies))):
        to = target_unit(game.unit, allocation=allocation)
        result = wh40k.attack(typed(game), to, exact=True, **given_to_all(game))
        assert values(result, "kills") == value


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("fired", "unit", "shared"),
    [
        # A sharp wound allows no save: no die of it fails, and the re-roll waits for one of the others.
        ((SHARP,), (Kind(save=5), Kind(save=6, wounds=2)), {"saves"}),
        # Devastating Wounds of the first volley, whose Damage alone is re-rolled, come after the second volley.
        (
            (SURE, replace(SURE, devastating_wounds=False, says=(("damage", "none"),))),
            (Kind(wounds=3, models=2),),
            {"damage"},
        ),
    ],
)
def test_whose_turn_it_is(fired: tuple[Volley, ...], unit: Unit, shared: set[str], *, exact: bool) -> None:
    """Rules Commentary, Rules That Allow One Re-roll; core rules, Mortal Wounds: the order of the dice."""
    check(Game(fired, unit, frozenset(shared)), exact=exact)
