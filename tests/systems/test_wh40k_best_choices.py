"""Choices of both players in an attack, against a search over all of them die by die."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from referees.wh40k.best_choices import Groups, Kind, Unlike
from referees.wh40k.best_reroll import ROLLS, Shots, Table, killed, models_lost

from mathhammer import wh40k

pytestmark = pytest.mark.slow

SAVE = frozenset({"save"})


def gun(shots: Shots, *more: str) -> wh40k.Volley:
    """The same weapon against Toughness 4, without Armour Penetration."""
    abilities = [*more, *["Lethal Hits"] * shots.lethal, *["Devastating Wounds"] * shots.devastating]
    abilities += [f"Sustained Hits {shots.sustained}"] * bool(shots.sustained)
    sides, fixed = shots.damage
    weapon = wh40k.Weapon(
        "Gun",
        range='24"',
        attacks=1,
        skill=shots.hit,
        strength={3: 5, 4: 4, 5: 3}[shots.wound],
        ap=0,
        damage=f"D{sides}+{fixed}" if sides else fixed,
        keywords=", ".join(abilities),
    )
    return wh40k.Volley(weapon, shots.weapons)


def as_target(name: str, kind: Kind, **more: Any) -> wh40k.Target:
    save = None if kind.save > 6 else f"{kind.save}+"
    return wh40k.Target(name, toughness=4, save=save, wounds=kind.wounds, models=kind.models, **more)


@pytest.mark.parametrize("seed", range(9))
def test_lethal_hits_for_each_critical_hit(seed: int) -> None:
    """Taken or rolled by what the target has left, with a re-roll in hand and without."""
    random = Random(seed)
    shots = Shots(
        weapons=2 if seed % 3 else 3,
        hit=random.choice([3, 4]),
        wound=random.choice([3, 4, 5]),
        save=random.choice([2, 3, 4, 6]),
        damage=random.choice([(0, 1), (0, 2), (3, 0)]),
        sustained=1 if seed % 3 == 1 else 0,
        lethal=True,
        devastating=True,
        may_decline=True,
    )
    models, wounds = random.choice([(1, 3), (2, 2), (3, 1), (1, 5)])
    target = as_target("Target", Kind(models, wounds, shots.save))
    for objective, worth in (
        ("kills", models_lost(wounds)),
        ("probability_destroyed", killed(models, wounds)),
    ):
        table = Table((shots,), models, wounds, worth)
        given = {"objective": objective, "exact": True, "rulings": {"lethal_choice": "best"}}
        best: Any = wh40k.attack(gun(shots), target, **given)  # type: ignore[call-overload]
        assert str(best.plan.value) == str(table.best(held=False))
        with_reroll: Any = wh40k.attack(gun(shots), target, reroll="best", **given)  # type: ignore[call-overload]
        assert str(with_reroll.plan.value) == str(table.best())
        assert str(with_reroll.plan.without) == str(table.best(held=False))
        for fixed in ("on average", "always", "never"):
            given["rulings"] = {"lethal_choice": fixed}
            other: Any = wh40k.attack(gun(shots), target, **given)  # type: ignore[call-overload]
            achieved = other.kills.mean() if objective == "kills" else other.probability_destroyed
            assert achieved <= best.plan.value


def some_kinds(random: Random) -> tuple[Kind, ...]:
    """Two kinds that save differently, and a leader."""
    first, second = random.sample([(1, 6), (2, 5), (1, 4), (2, 3), (3, 6)], 2)
    return (
        Kind(random.choice([1, 2]), *first),
        Kind(1, *second),
        Kind(1, random.choice([2, 3]), random.choice([2, 4, 5]), leader=True),
    )


def models_of(kinds: tuple[Kind, ...]) -> Any:
    return lambda lost: Fraction(sum(each // kind.wounds for each, kind in zip(lost, kinds, strict=True)))


def a_unit(kinds: tuple[Kind, ...], *, free: bool) -> wh40k.TargetUnit:
    models = [
        as_target(f"Kind {place}", kind, damage_to_0=kind.negates)
        for place, kind in enumerate(kinds)
        if not kind.leader
    ]
    leaders = [as_target("Leader", kind, keywords="Character") for kind in kinds if kind.leader]
    return wh40k.TargetUnit("Unit", models, leaders, allocation="best" if free else "given")


_PRECISION: dict[str, Any] = {"never": False, "always": True, "best": "best"}


@pytest.mark.parametrize("seed", range(16))
def test_groups_that_save_in_pools(seed: int) -> None:
    """Whom the attacker names, how the defender orders the groups, and the re-rolls of both."""
    random = Random(seed)
    shots = Shots(
        weapons=random.choice([2, 3]),
        hit=3,
        wound=random.choice([3, 4]),
        damage=random.choice([(0, 1), (0, 2), (3, 0)]),
        lethal=seed % 4 == 0,
        may_decline=seed % 4 == 0,
        devastating=seed % 2 == 0,
    )
    kinds, precision = some_kinds(random), random.choice(["never", "always", "best"])
    free = random.random() < 0.7
    if seed % 5 == 1:
        kinds = (replace(kinds[0], models=1, negates=True), *kinds[1:])
    holds = (ROLLS, SAVE) if seed % 3 == 0 else (ROLLS,)
    later = seed % 2 == 1
    table = Groups(
        shots, kinds, models_of(kinds), holds, precision=precision, free=free, defender_first=later
    )
    rulings = {"lethal_choice": "best", "damage_to_zero_use": "best"}
    rulings["precision_and_order"] = "defender first" if later else "attacker first"
    options: dict[str, Any] = {"precision": _PRECISION[precision], "rulings": rulings}
    if SAVE in holds:
        options["reroll_saves"] = "one"
    abilities = ["Precision"] if precision != "never" else []
    played: Any = wh40k.attack(
        gun(shots, *abilities), a_unit(kinds, free=free), reroll="best", exact=True, **options
    )
    assert str(played.plan.value) == str(table.best()) == str(played.kills.mean())
    assert played.plan.first <= played.plan.value
    rounded: Any = wh40k.attack(gun(shots, *abilities), a_unit(kinds, free=free), reroll="best", **options)
    assert rounded.kills.mean() == pytest.approx(float(table.best()), rel=1e-12)


@pytest.mark.parametrize("seed", range(16))
def test_models_that_save_one_by_one(seed: int) -> None:
    """Of each wound whether it is directed, who takes it, whether its save is re-rolled, and its Damage 0."""
    random = Random(seed)
    shots = Shots(
        weapons=random.choice([2, 3]),
        hit=3,
        wound=random.choice([3, 4]),
        damage=random.choice([(0, 1), (0, 2), (3, 0)]),
        devastating=seed % 2 == 0,
    )
    kinds, precision = some_kinds(random), random.choice(["never", "always", "best"])
    kinds = (replace(kinds[0], models=1, negates=seed % 3 == 1), *kinds[1:])
    free = random.random() < 0.7
    holds = (ROLLS, SAVE) if seed % 3 != 2 else (ROLLS,)
    table = Unlike(shots, kinds, models_of(kinds), holds, precision=precision, free=free)
    models = [
        as_target(f"Kind {place}", kind, damage_to_0=kind.negates) for place, kind in enumerate(kinds[:2])
    ]
    unit = wh40k.TargetUnit(
        "Unit", models, [as_target("Leader", kinds[2])], allocation="best" if free else "given"
    )
    options: dict[str, Any] = {
        "precision": _PRECISION[precision],
        "rulings": {"damage_to_0": "best-failed-save"},
    }
    if SAVE in holds:
        options["reroll_saves"] = "one"
    abilities = ["Precision"] if precision != "never" else []
    played: Any = wh40k.attack(
        gun(shots, *abilities), unit, reroll="best", edition="10e", exact=True, **options
    )
    assert str(played.plan.value) == str(table.best()) == str(played.kills.mean())


@pytest.mark.parametrize("seed", range(8))
def test_which_volley_is_next(seed: int) -> None:
    """Chosen when the volleys before have been resolved; never worse than the best order said before."""
    random = Random(seed)
    count = 3 if seed % 4 == 0 else 2
    every = [
        Shots(
            weapons=1 if count == 3 else random.choice([1, 2]),
            hit=random.choice([2, 3, 4]),
            wound=random.choice([3, 4]),
            save=random.choice([4, 5, 6, 7]),
            damage=random.choice([(0, 1), (0, 2), (0, 3), (3, 0)]),
        )
        for _ in range(count)
    ]
    every = [replace(shots, save=every[0].save) for shots in every]
    wounds, models = random.choice([2, 3, 4]), random.choice([1, 2])
    table = Table(tuple(every), models, wounds, models_lost(wounds), any_order=True)
    target = as_target("Target", Kind(models, wounds, every[0].save))
    volleys = [gun(shots) for shots in every]
    options: dict[str, Any] = {"edition": "10e", "exact": True, "order": "best"}
    best: Any = wh40k.attack(volleys, target, **options)  # type: ignore[call-overload]
    assert str(best.kills.mean()) == str(best.plan.value) == str(table.best(held=False))
    played: Any = wh40k.attack(volleys, target, reroll="best", **options)  # type: ignore[call-overload]
    assert str(played.kills.mean()) == str(table.best())
    said_before: Any = wh40k.best_order(volleys, target, edition="10e", exact=True)
    assert said_before.result.kills.mean() <= best.plan.value


def test_seven_volleys_in_any_order() -> None:
    """Which is next changes what is lost, not what is rolled; it is worth at least as much as any order said before."""
    lines = (
        '24" A4 BS3+ S4 AP0 D1',
        '24" A2 BS3+ S8 AP-2 D3',
        '24" A3 BS3+ S5 AP-1 D2',
        '24" A1 BS3+ S10 AP-3 DD6',
        '24" A6 BS3+ S4 AP-1 D1',
        '24" A2 BS4+ S6 AP-2 DD3',
        '24" AD3 BS4+ S7 AP-1 D2',
    )
    guns = [wh40k.Weapon.parse(f"Gun {place}: {line}") for place, line in enumerate(lines)]
    target = as_target("Target", Kind(4, 3, 3))
    said: Any = wh40k.attack(guns, target, edition="11e", exact=True)
    chosen: Any = wh40k.attack(guns, target, edition="11e", exact=True, order="best")
    assert (chosen.hits, chosen.wounds, chosen.unsaved) == (said.hits, said.wounds, said.unsaved)
    assert chosen.kills.mean() > said.kills.mean()
    assert (
        chosen.kills.mean() >= wh40k.best_order(guns, target, edition="11e", exact=True).result.kills.mean()
    )
    rounded: Any = wh40k.attack(guns, target, edition="11e", order="best")
    assert rounded.kills.mean() == pytest.approx(float(chosen.kills.mean()), rel=1e-12)


def test_wounds_after_the_unit_is_destroyed() -> None:
    """Of three mortal wounds on a model with one wound the first ends the attack."""
    gun = wh40k.Weapon.parse('Gun: 24" A1 BSN/A S4 AP0 D1 [TORRENT]')
    target = wh40k.Target("Target", toughness=4, save=None, wounds=1, models=1)
    found: Any = wh40k.attack([gun, wh40k.MortalWounds(3)], target, edition="11e", exact=True, reroll="best")
    assert found.plan.value == found.probability_destroyed == 1


@pytest.mark.parametrize("failing", [2, 3])
def test_whose_damage_becomes_0_of_equal_models(failing: int) -> None:
    """In the 11th edition all saves are rolled before the first damage: who has one failed save waits for no other."""
    kind = Kind(2, 3, 4, negates=True)
    shots = Shots(weapons=failing, hit=2, wound=3, damage=(3, 0))
    table = Groups(shots, (kind,), models_of((kind,)))
    target = as_target("Target", kind, damage_to_0=True)
    options: dict[str, Any] = {"rulings": {"damage_to_zero_use": "best"}, "exact": True}
    assert str(wh40k.attack(gun(shots), target, **options).kills.mean()) == str(table.best(held=False))
    played: Any = wh40k.attack(gun(shots), target, reroll="best", **options)
    assert str(played.kills.mean()) == str(table.best())


@pytest.mark.parametrize("first", ["attacker first", "defender first"])
def test_who_decides_first(first: str) -> None:
    """Two wounds of Damage 3 at two unlike models and their leader: who decides first, has the worse of it."""
    kinds = (Kind(1, 1, 6), Kind(1, 1, 4), Kind(1, 2, 5, leader=True))
    shots = Shots(weapons=2, hit=2, wound=3, damage=(0, 3))
    later = first == "defender first"
    table = Groups(shots, kinds, models_of(kinds), precision="best", free=True, defender_first=later)
    assert str(table.best(held=False)) == {"attacker first": "515/729", "defender first": "20/27"}[first]
    played: Any = wh40k.attack(
        gun(shots, "Precision"),
        a_unit(kinds, free=True),
        precision="best",
        rulings={"precision_and_order": first},
        exact=True,
    )
    assert str(played.plan.value) == str(table.best(held=False))
    assert {each.state.roll for each in played.plan} == {"precision"}


@pytest.mark.parametrize("damage", [(0, 1), (3, 0)])
@pytest.mark.parametrize("free", [True, False])
def test_kinds_that_save_alike_are_one_group(free: bool, damage: tuple[int, int]) -> None:  # noqa: FBT001 - the case
    """Their player picks among them, a hurt one first: here to lose few points."""
    kinds = (Kind(1, 2, 5), Kind(2, 2, 5), Kind(1, 1, 3), Kind(1, 2, 2, leader=True))
    points = (90, 40, 30, 10)
    shots = Shots(weapons=3, hit=2, wound=3, damage=damage, devastating=True)

    def worth(lost: tuple[int, ...]) -> Fraction:
        each = zip(lost, kinds, points, strict=True)
        return Fraction(sum(cost * (gone // kind.wounds) for gone, kind, cost in each))

    table = Groups(shots, kinds, worth, free=free)
    models = [
        as_target(f"Kind {place}", kind, points=cost * kind.models)
        for place, (kind, cost) in enumerate(zip(kinds[:3], points[:3], strict=True))
    ]
    leader = as_target("Leader", kinds[3], points=10, keywords="Character")
    unit = wh40k.TargetUnit(
        "Unit", models, [leader], allocation="best" if free else "given", objective="points"
    )
    played: Any = wh40k.attack(gun(shots), unit, reroll="best", objective="points", exact=True)
    assert str(played.plan.value) == str(table.best())


def keep(_: wh40k.RerollState) -> str:
    return "keep"


@pytest.mark.parametrize("seed", range(10))
def test_choices_against_fixed_rules(seed: int) -> None:
    """Kept re-rolls change nothing, also in pools; what is chosen anew is worth at least any fixed rule."""
    random = Random(seed)
    kinds = some_kinds(random)
    shots = Shots(
        weapons=random.choice([3, 4]),
        hit=random.choice([2, 3, 4]),
        wound=random.choice([3, 4]),
        damage=random.choice([(0, 1), (0, 2), (3, 0)]),
        lethal=random.random() < 0.5,
        devastating=random.random() < 0.7,
        sustained=random.choice([0, 1]),
    )
    given, best = a_unit(kinds, free=False), a_unit(kinds, free=True)
    worst = wh40k.TargetUnit("Unit", given.models, given.leaders, allocation="worst")
    one = gun(shots, "Precision")

    def kills(unit: wh40k.TargetUnit, exact: bool = False, **more: Any) -> Any:  # noqa: FBT001, FBT002
        return wh40k.attack(one, unit, exact=exact, **more)

    for precision in (False, True):
        plain = kills(given, exact=True, precision=precision)
        kept = kills(given, exact=True, precision=precision, reroll=keep)
        assert kept.state == plain.state
        for name in ("attacks", "hits", "wounds"):
            assert getattr(kept, name) == getattr(plain, name)
    values = {
        name: kills(unit, precision=False).kills.mean()
        for name, unit in (("given", given), ("best", best), ("worst", worst))
    }
    assert values["best"] <= values["given"] + 1e-12 <= values["worst"] + 2e-12
    fixed = [kills(given, precision=precision).kills.mean() for precision in (False, True)]
    chosen = kills(given, precision="best")
    assert max(fixed) <= chosen.kills.mean() + 1e-12
    # Nobody does better than one who may re-roll every failed die of any kind.
    seen_through = kills(
        given,
        precision="best",
        reroll_hits="failed",
        reroll_wounds="failed",
        rulings={"lethal_choice": "best"},
    )
    with_reroll = kills(given, precision="best", reroll=keep)
    assert with_reroll.kills.mean() == pytest.approx(chosen.kills.mean(), rel=1e-12)
    assert chosen.kills.mean() <= seen_through.kills.mean() + 1e-12
