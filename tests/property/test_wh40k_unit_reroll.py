"""One re-roll for all volleys of a unit, against a game played die by die; nothing of the package is used there."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational
from tenth import grid, wh40k

from mathhammer import from_text
from mathhammer.analysis import Attacker

ROLLS = ("attacks", "hits", "wounds", "saves")


@dataclass(frozen=True)
class Shots:
    """Equal weapons: attacks of each (0 for a D3), what hits and wounds, Damage, and what they say of the re-roll."""

    weapons: int
    attacks: int
    hit: int | None
    wound: int
    damage: int
    own: str = "shares"

    def volley(self, roll: str) -> wh40k.Volley:
        """The same for the package: Strength 1 wounds Toughness 4 on 6+, and a rule on what is said here."""
        weapon = wh40k.Weapon(
            "Gun",
            range='24"',
            attacks=self.attacks or "D3",
            skill=self.hit,
            strength=1,
            ap=0,
            damage=self.damage,
            keywords="" if self.hit else "Torrent",
        )
        said: dict[str, Any] = {"wounds_on": self.wound}
        if self.own != "shares":
            said[f"reroll_{roll}"] = "one" if self.own == "own" else None
        return wh40k.Volley(weapon, self.weapons, **said)


#: Wounds and save of each model, in the order in which they are attacked.
Models = tuple[tuple[int, int | None], ...]
#: Models destroyed, wounds lost by the next; attacks, hits, wounds; whether the re-roll was used.
State = tuple[int, int, int, int, int, bool]


class Game:
    """Every roll of the dice, one after another."""

    def __init__(self, volleys: list[Shots], models: Models, roll: str) -> None:
        self.models, self.roll = models, roll
        self.left_over: list[Fraction] = []
        self.killed: list[Fraction] = []
        distribution: dict[State, Fraction] = {(0, 0, 0, 0, 0, False): Fraction(1)}
        for shots in volleys:
            before = sum(chance * state[0] for state, chance in distribution.items())
            lost = [Fraction(0)]
            distribution = self.fired(distribution, shots, lost)
            self.killed.append(sum(chance * state[0] for state, chance in distribution.items()) - before)
            self.left_over += lost
        self.distribution = distribution

    def fired(
        self, distribution: dict[State, Fraction], shots: Shots, lost: list[Fraction]
    ) -> dict[State, Fraction]:
        after: dict[State, Fraction] = {}
        for state, chance in distribution.items():
            used = {"shares": state[-1], "own": False, "none": True}[shots.own]
            for number, used_now, part in self.numbers(shots, used=used):
                rows = {(*state[:2], state[2] + number, *state[3:5], used_now): chance * part}
                for _ in range(number):
                    lost[0] += sum(mass for row, mass in rows.items() if row[0] == len(self.models))
                    rows = self.shot(rows, shots)
                for row, mass in rows.items():
                    key = row if shots.own == "shares" else (*row[:5], state[5])
                    after[key] = after.get(key, Fraction(0)) + mass
        return after

    def numbers(self, shots: Shots, *, used: bool) -> list[tuple[int, bool, Fraction]]:
        """Attacks of all weapons; of a D3 the first roll below 2 is re-rolled."""
        found = [(0, used, Fraction(1))]
        for _ in range(shots.weapons):
            if shots.attacks:
                found = [(total + shots.attacks, now, chance) for total, now, chance in found]
                continue
            rolled = []
            for total, now, chance in found:
                for face in (1, 2, 3):
                    if face == 1 and self.roll == "attacks" and not now:
                        rolled += [(total + again, True, chance / 9) for again in (1, 2, 3)]
                    else:
                        rolled.append((total + face, now, chance / 3))
            found = rolled
        return found

    def die(self, need: int, roll: str, *, used: bool) -> list[tuple[bool, bool, Fraction]]:
        """Whether a die succeeds, whether the re-roll is used after it."""
        good = Fraction(7 - need, 6)
        if roll != self.roll or used:
            return [(True, used, good), (False, used, 1 - good)]
        return [(True, False, good), (True, True, (1 - good) * good), (False, True, (1 - good) ** 2)]

    def shot(self, rows: dict[State, Fraction], shots: Shots) -> dict[State, Fraction]:
        after: dict[State, Fraction] = {}

        def put(row: State, mass: Fraction) -> None:
            after[row] = after.get(row, Fraction(0)) + mass

        for (dead, hurt, attacks, hits, wounds, used), mass in rows.items():
            rolled = (
                [(True, used, Fraction(1))] if shots.hit is None else self.die(shots.hit, "hits", used=used)
            )
            for is_hit, used_1, p in rolled:
                if not is_hit:
                    put((dead, hurt, attacks, hits, wounds, used_1), mass * p)
                    continue
                for wounded, used_2, q in self.die(shots.wound, "wounds", used=used_1):
                    if not wounded:
                        put((dead, hurt, attacks, hits + 1, wounds, used_2), mass * p * q)
                    elif dead == len(self.models):
                        # Nobody is left to save; a re-roll of a save that nobody makes moves nothing.
                        put((dead, hurt, attacks, hits + 1, wounds + 1, used_2), mass * p * q)
                    else:
                        full, save = self.models[dead]
                        saves = (
                            [(False, used_2, Fraction(1))]
                            if save is None
                            else self.die(save, "saves", used=used_2)
                        )
                        for saved, used_3, r in saves:
                            now = hurt if saved else hurt + shots.damage
                            place = (dead + 1, 0) if now >= full else (dead, now)
                            put((*place, attacks, hits + 1, wounds + 1, used_3), mass * p * q * r)
        return after

    def of(self, *places: int) -> dict[Any, Fraction]:
        found: dict[Any, Fraction] = {}
        for state, chance in self.distribution.items():
            key = tuple(state[place] for place in places) if len(places) > 1 else state[places[0]]
            found[key] = found.get(key, Fraction(0)) + chance
        return {key: chance for key, chance in found.items() if chance}


def the_same(distribution: Any, expected: dict[Any, Fraction], *, exact: bool) -> None:
    found = {outcome: chance for outcome, chance in distribution.items() if chance}
    assert found.keys() == expected.keys()
    for outcome, chance in found.items():
        if exact:
            assert Fraction(str(chance)) == expected[outcome]
        else:
            assert chance == pytest.approx(float(expected[outcome]), rel=1e-12, abs=0)


def shots(own: tuple[str, ...] = ("shares",), *, most: int = 3) -> st.SearchStrategy[Shots]:
    return st.builds(
        Shots,
        weapons=st.just(1),
        attacks=st.integers(1, most),
        hit=st.one_of(st.none(), st.integers(2, 6)),
        wound=st.integers(2, 6),
        damage=st.integers(1, 2),
        own=st.sampled_from(own),
    )


def target_of(models: Models, *, as_unit: bool) -> Any:
    def kind(place: int, wounds: int, save: int | None, count: int = 1) -> wh40k.Target:
        return wh40k.Target(f"Kind {place}", toughness=4, save=save, wounds=wounds, models=count)

    if not as_unit:
        return kind(0, *models[0], count=len(models))
    return wh40k.TargetUnit("Unit", [kind(place, *each) for place, each in enumerate(models)])


@settings(max_examples=40, deadline=None)
@given(
    volleys=st.lists(shots(("shares", "shares", "shares", "own", "none")), min_size=1, max_size=3),
    roll=st.sampled_from(("hits", "wounds", "saves")),
    count=st.integers(1, 3),
    model=st.tuples(st.integers(1, 2), st.one_of(st.none(), st.integers(2, 6))),
    exact=st.booleans(),
)
def test_equal_models(volleys: list[Shots], roll: str, count: int, model: Any, exact: bool) -> None:  # noqa: FBT001
    """Rules Commentary, Fast Dice Rolling and Rules That Allow One Re-roll: distributions on the way and the shares."""
    game = Game(volleys, (model,) * count, roll)
    target = target_of((model,) * count, as_unit=False)
    used = [each.volley(roll) for each in volleys]
    reroll: dict[str, Any] = {f"reroll_{roll}": "one"}
    (done,) = wh40k.activations([used], target, exact=exact, **reroll)
    result = done.result
    the_same(result.state, game.of(0, 1), exact=exact)
    the_same(result.attacks, game.of(2), exact=exact)
    the_same(result.hits, game.of(3), exact=exact)
    the_same(result.wounds, game.of(4), exact=exact)
    for share, killed, lost in zip(done.shares, game.killed, game.left_over, strict=True):
        assert float(share.kills) == pytest.approx(float(killed), rel=1e-12, abs=1e-14)
        assert float(share.attacks_left_over) == pytest.approx(float(lost), rel=1e-12, abs=1e-14)
    assert [float(share.attacks) for share in done.shares] == pytest.approx(
        [each.attacks for each in volleys]
    )


@settings(max_examples=30, deadline=None)
@given(
    volleys=st.lists(shots(), min_size=2, max_size=3),
    roll=st.sampled_from(("hits", "wounds")),
    models=st.lists(
        st.tuples(st.integers(1, 2), st.one_of(st.none(), st.integers(2, 6))), min_size=2, max_size=3
    ),
    exact=st.booleans(),
)
def test_unequal_models(volleys: list[Shots], roll: str, models: Any, exact: bool) -> None:  # noqa: FBT001
    """Core rules, Making Attacks: the models take wounds in order; the re-roll is one for all volleys."""
    game = Game(volleys, tuple(models), roll)
    target = target_of(tuple(models), as_unit=True)
    reroll: dict[str, Any] = {f"reroll_{roll}": "one"}
    (done,) = wh40k.activations([[each.volley(roll) for each in volleys]], target, exact=exact, **reroll)
    the_same(done.result.kills, game.of(0), exact=exact)
    the_same(done.result.hits, game.of(3), exact=exact)
    the_same(done.result.wounds, game.of(4), exact=exact)
    for share, killed, lost in zip(done.shares, game.killed, game.left_over, strict=True):
        assert float(share.kills) == pytest.approx(float(killed), rel=1e-12, abs=1e-14)
        assert float(share.attacks_left_over) == pytest.approx(float(lost), rel=1e-12, abs=1e-14)


@settings(max_examples=12, deadline=None)
@given(
    first=st.tuples(st.integers(1, 2), st.integers(0, 2)),
    second=st.tuples(st.integers(1, 2), st.integers(0, 2)),
    third=shots(most=2),
    exact=st.booleans(),
)
def test_numbers_of_attacks(first: Any, second: Any, third: Shots, exact: bool) -> None:  # noqa: FBT001
    """Core stratagem Command Re-roll: of all weapons of the unit the first that rolls below its mean rolls again."""
    volleys = [Shots(*first, 4, 4, 1), Shots(*second, 3, 3, 1), third]
    game = Game(volleys, ((1, 5), (1, 5)), "attacks")
    target = target_of(((1, 5), (1, 5)), as_unit=False)
    used = [each.volley("attacks") for each in volleys]
    (done,) = wh40k.activations([used], target, exact=exact, reroll_attacks="one")
    the_same(done.result.attacks, game.of(2), exact=exact)
    the_same(done.result.hits, game.of(3), exact=exact)
    the_same(done.result.state, game.of(0, 1), exact=exact)
    for share, killed, lost in zip(done.shares, game.killed, game.left_over, strict=True):
        assert float(share.kills) == pytest.approx(float(killed), rel=1e-12)
        assert float(share.attacks_left_over) == pytest.approx(float(lost), rel=1e-12, abs=1e-14)


RIFLE = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP0 D1')
PISTOL = wh40k.Weapon.parse('Pistol: 24" A2 BS3+ S4 AP0 D1')
GUARD = wh40k.Target("Guard", toughness=4, save="4+", wounds=1, models=5)


def test_four_shots_of_two_weapons() -> None:
    """Four shots that hit on 3+ with one hit re-roll for the unit score 778/243 hits, whoever fires them."""
    pair = [RIFLE, PISTOL]
    for exact in (True, False):
        result = wh40k.attack(pair, GUARD, reroll_hits="one", exact=exact)
        assert float(result.hits.mean()) == pytest.approx(778 / 243, rel=1e-12)
    assert wh40k.attack(pair, GUARD, reroll_hits="one", exact=True).hits.mean() == Rational(778, 243)
    both = [wh40k.Volley(weapon, reroll_hits="one") for weapon in pair]  # 2 x (4/3 + 5/9 x 2/3)
    assert wh40k.attack(both, GUARD, exact=True).hits.mean() == Rational(92, 27)


@pytest.mark.parametrize("roll", ROLLS)
@pytest.mark.parametrize("as_unit", [False, True])
def test_after_an_earlier_attack(roll: str, *, as_unit: bool) -> None:
    """Core rules, Making Attacks: a unit that shoots later has its own re-roll, and what it meets is mixed over."""
    if as_unit and roll == "saves":
        return
    models: Models = ((1, 4), (2, 4), (2, 4))
    models = models if as_unit else ((2, 4),) * 3
    volleys = [Shots(1, 2, 3, 3, 1, "none"), Shots(1, 0, 3, 4, 1), Shots(1, 2, 4, 3, 2)]
    game = Game(volleys, models, roll)
    target = target_of(models, as_unit=as_unit)
    first = wh40k.attack(volleys[0].volley(roll), target, exact=True)
    reroll: dict[str, Any] = {f"reroll_{roll}": "one"}
    later = [each.volley(roll) for each in volleys[1:]]
    second = wh40k.attack(later, target, exact=True, start=first, **reroll)
    the_same(second.kills, game.of(0), exact=True)


def test_texts_keep_whose_re_roll_it_is() -> None:
    """The text of a result says whether the unit or each volley has the re-roll; of one volley both are the same."""
    of_unit = wh40k.attack([RIFLE, PISTOL], GUARD, reroll_hits="one", exact=True)
    of_each = wh40k.attack(
        [wh40k.Volley(RIFLE, reroll_hits="one"), wh40k.Volley(PISTOL, reroll_hits="one")], GUARD, exact=True
    )
    assert of_unit.kills != of_each.kills
    for result in (of_unit, of_each):
        assert from_text(result.to_text()).kills == result.kills
    single = wh40k.attack(wh40k.Volley(RIFLE, 2), GUARD, reroll_hits="one", exact=True)
    own = wh40k.attack(wh40k.Volley(RIFLE, 2, reroll_hits="one"), GUARD, exact=True)
    assert single.state == own.state == of_unit.state
    told = str(of_unit.explain())
    assert "the unit has one for all its volleys" in told
    assert "the unit has one" not in str(of_each.explain())


@pytest.mark.parametrize("roll", ROLLS)
def test_tables_of_units(roll: str) -> None:
    """A row of several weapons has the re-roll of the table once; what a volley says of its own stays its own."""
    reroll: dict[str, Any] = {f"reroll_{roll}": "one"}
    gun = wh40k.Weapon.parse('Gun: 24" AD6 BS4+ S5 AP-1 D1')
    rows = [
        Attacker("Both", (wh40k.Volley(RIFLE, 2), wh40k.Volley(gun))),
        Attacker("Own", (wh40k.Volley(RIFLE, 2, **reroll), wh40k.Volley(gun, **reroll))),
        Attacker("One", wh40k.Volley(gun)),
    ]
    table = grid(rows, [GUARD], **reroll)
    assert not isinstance(rows[0].attacks, (wh40k.Weapon, wh40k.Volley))
    for row, attacker in enumerate(rows):
        result = wh40k.attack(attacker.attacks, GUARD, **reroll)  # type: ignore[arg-type]
        assert table.metric("mean_wounds_lost")[row][0] == pytest.approx(result.wounds_lost.mean(), rel=1e-12)
    shared, own, _ = table.metric("mean_wounds_lost")[:, 0]
    # Attackers lose by sharing, targets of them too; of the attacks only one of both is rolled for.
    assert {"attacks": shared == own, "saves": shared > own}.get(roll, shared < own)


def test_the_best_order_and_rolling_together() -> None:
    """Core rules, Making Attacks: orders are compared with the one re-roll; equal weapons rolled together keep it."""
    best = wh40k.best_order([RIFLE, PISTOL], GUARD, reroll_hits="one", exact=True)
    alone = wh40k.attack(wh40k.Volley(RIFLE, 2), GUARD, reroll_hits="one", exact=True)
    assert best.result.kills == alone.kills
    check = wh40k.fast_roll_check([RIFLE, PISTOL], GUARD, reroll_hits="one", exact=True)
    assert check.one_at_a_time.kills == alone.kills
    assert check.for_defender.kills == alone.kills


def test_many_dice_of_many_volleys() -> None:
    """Cases whose probability is no normal float move nothing, and no distribution loses mass."""
    volleys = [wh40k.Volley(RIFLE, 200) for _ in range(4)]
    result = wh40k.attack(volleys, GUARD, reroll_hits="one")
    assert result.hits.mean() == pytest.approx(1600 * 2 / 3 + 2 / 3, rel=1e-12)
