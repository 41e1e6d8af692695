"""Random rounds of combat of The 9th Age: the package against the round played at the table, exactly."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import Any

import t9a_fight_enumeration as table
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mathhammer import t9a

FLAG = st.booleans()
RARE = st.sampled_from([False, False, False, True])


@st.composite
def strikes(draw: st.DrawFn, bearers: int, victims: int) -> table.Strikes:
    kind = draw(st.sampled_from(["", "", "", "Impact Hits", "Stomp Attacks", "Grind Attacks"]))
    return table.Strikes(
        attacks=draw(st.integers(1, 2)),
        models=draw(st.integers(1, 3)),
        skill=None if kind else draw(st.integers(1, 9)),
        strength=draw(st.integers(2, 5)),
        penetration=draw(st.integers(0, 1)),
        agility=10 if kind == "Impact Hits" else draw(st.integers(1, 10)),
        weapon="" if kind else draw(st.sampled_from(["", "Spear", "Spear", "Lance", "Great Weapon"])),
        kind=kind,
        area=draw(st.sampled_from([None, None, None, (2, 2), (3, 1)])),
        bearer=draw(st.integers(0, bearers - 1)),
        victim=draw(st.integers(0, victims - 1)),
    )


@st.composite
def bodies(draw: st.DrawFn) -> table.Side:
    return table.Side(
        models=draw(st.integers(1, 6)),
        hit_points=draw(st.sampled_from([1, 1, 2])),
        defence=draw(st.integers(2, 5)),
        resilience=draw(st.integers(2, 4)),
        armour=draw(st.integers(0, 3)),
        champion=draw(st.sampled_from([None, None, 1, 2])),
        characters=draw(st.sampled_from([(), (), (2,), (1, 3)])),
        charging=draw(FLAG),
        discipline=draw(st.integers(3, 10)),
        width=draw(st.sampled_from([None, 1, 2])),
        standards=draw(st.integers(0, 2)),
        battle_standard=draw(FLAG),
        flanks=draw(RARE),
        rear=draw(RARE),
        bonus=draw(st.sampled_from([0, 0, 2, 5])),
        stubborn=draw(RARE),
        nature=draw(st.sampled_from(["", "", "unstable", "undead", "supernal", "unbreakable"])),
        fear=draw(RARE),
        fearless=draw(RARE),
    )


@st.composite
def sides(draw: st.DrawFn) -> tuple[table.Side, table.Side]:
    first, second = draw(bodies()), draw(bodies())
    counts = (len(first.pools), len(second.pools))
    one = tuple(draw(strikes(*counts)) for _ in range(draw(st.integers(0, 2))))
    two = tuple(draw(strikes(*counts[::-1])) for _ in range(draw(st.integers(0, 2))))
    return replace(first, strikes=one), replace(second, strikes=two)


def names(side: table.Side) -> list[str]:
    champion = [] if side.champion is None else ["champion"]
    return ["rank and file", *champion, *(f"Lord {place}" for place in range(len(side.characters)))]


def unit(name: str, side: table.Side, enemy: table.Side) -> t9a.Unit:
    profile = {"defensive_skill": side.defence, "resilience": side.resilience, "armour": side.armour}
    parts = []
    for number, one in enumerate(side.strikes):
        area = "" if one.area is None else f"Area Attack ({one.area[0]}×{one.area[1]})"
        parts.append(
            t9a.ModelPart(
                f"part {number}",
                attacks=one.attacks,
                models=one.models,
                offensive_skill=one.skill,
                strength=one.strength,
                armour_penetration=one.penetration,
                agility=one.agility,
                attributes=", ".join(filter(None, (one.weapon, one.kind, area))),
                of=names(side)[one.bearer],
                at=names(enemy)[one.victim],
            )
        )
    body = t9a.Target(
        name, models=side.models, health_points=side.hit_points, champion=side.champion, **profile
    )
    return t9a.Unit(
        body,
        parts,
        characters=[
            t9a.Target(f"Lord {place}", health_points=points, **profile)
            for place, points in enumerate(side.characters)
        ],
        discipline=side.discipline,
        charging=side.charging,
        rank_width=side.width,
        standards=side.standards,
        battle_standard=side.battle_standard,
        flanks=int(side.flanks),
        rear=int(side.rear),
        bonus=side.bonus,
        stubborn=side.stubborn,
        fear=side.fear,
        fearless=side.fearless,
        **({side.nature: True} if side.nature else {}),
    )


def ratio(value: Any) -> Fraction:
    return Fraction(int(value.numerator), int(value.denominator))


MOB = table.Side(models=1, discipline=2, strikes=(table.Strikes(attacks=2, skill=9, strength=5, agility=9),))


@settings(max_examples=80, deadline=None)
@example(both=(MOB, table.Side(models=1, standards=2)), first_round=True)
@example(
    both=(replace(MOB, nature="supernal"), table.Side(models=6, width=2, flanks=True, bonus=5)),
    first_round=False,
)
@given(both=sides(), first_round=FLAG)
def test_random_rounds(*, both: tuple[table.Side, table.Side], first_round: bool) -> None:
    """Attack Sequence; Charging Momentum; Combat Score; No More Foes; Break Test; Unstable; Undead; Supernal; Fear."""
    expected = table.fought(*both, first_round=first_round)
    first, second = unit("first", *both), unit("second", *both[::-1])
    result = t9a.fight(first, second, first_round=first_round, exact=True)
    pools = len(both[0].pools)
    losses: dict[Any, Fraction] = defaultdict(Fraction)
    for outcome, p in result.outcome.items():
        losses[outcome[:pools], outcome[pools:-1]] += ratio(p)
    assert dict(losses) == expected.losses
    assert {k: ratio(p) for k, p in result.difference.items() if p} == expected.difference
    assert {name: ratio(p) for name, p in result.winner.items() if p} == {
        {1: "first", 0: "draw", -1: "second"}[sign]: p for sign, p in expected.winner.items()
    }
    assert ratio(result.probability_first_wins) == expected.winner.get(1, 0)
    assert ratio(result.probability_second_wins) == expected.winner.get(-1, 0)
    assert ratio(result.probability_draw) == expected.winner.get(0, 0)
    assert (
        ratio(result.probability_first_breaks),
        ratio(result.probability_second_breaks),
    ) == expected.breaks
