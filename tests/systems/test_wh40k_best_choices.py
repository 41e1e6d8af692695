"""Choices of both players in an attack, against a search over all of them die by die."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from referees.wh40k.best_choices import Groups, Kind
from referees.wh40k.best_reroll import Shots

from mathhammer import wh40k

pytestmark = pytest.mark.slow


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
