"""Random rounds of combat of The 9th Age: the package against the round played at the table, exactly."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import t9a_choices_enumeration as choices
import t9a_fight_enumeration as table
from hypothesis import example, given, settings
from hypothesis import strategies as st
from translation import plain_number as ratio

from mathhammer import from_text, t9a

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


def compatible(found: list[table.Strikes]) -> bool:
    """Whether no models have both Impact Hits and Grind Attacks."""
    return len({one.bearer for one in found if one.kind in {"Impact Hits", "Grind Attacks"}}) == len(
        {(one.bearer, one.kind) for one in found if one.kind in {"Impact Hits", "Grind Attacks"}}
    )


@st.composite
def sides(draw: st.DrawFn) -> tuple[table.Side, table.Side]:
    first, second = draw(bodies()), draw(bodies())
    counts = (len(first.pools), len(second.pools))
    one = draw(st.lists(strikes(*counts), max_size=2).filter(compatible))
    two = draw(st.lists(strikes(*counts[::-1]), max_size=2).filter(compatible))
    return replace(first, strikes=tuple(one)), replace(second, strikes=tuple(two))


def names(side: table.Side) -> list[str]:
    champion = [] if side.champion is None else ["champion"]
    return ["rank and file", *champion, *(f"Lord {place}" for place in range(len(side.characters)))]


def unit(
    name: str, side: table.Side, enemy: table.Side, own: int = 0, fight: choices.Fight | None = None
) -> t9a.Unit:
    """The side as the package takes it, with what it may choose in a fight."""
    fight = fight or choices.Fight((side, enemy))
    profile = {"defensive_skill": side.defence, "resilience": side.resilience, "armour": side.armour}
    parts = []
    for number, one in enumerate(side.strikes):
        area = "" if one.area is None else f"Area Attack ({one.area[0]}×{one.area[1]})"
        breath = "Breath Attack" * ((own, number) in fight.breaths)
        victims = fight.victims.get((own, number), (one.victim,))
        parts.append(
            t9a.ModelPart(
                f"part {number}",
                attacks=one.attacks,
                models=one.models,
                offensive_skill=one.skill,
                strength=one.strength,
                armour_penetration=one.penetration,
                agility=one.agility,
                attributes=", ".join(filter(None, (one.weapon, one.kind, area, breath))),
                of=names(side)[one.bearer],
                at=tuple(names(enemy)[each] for each in victims),
            )
        )
    sets = fight.alternatives.get(own, ())
    body = t9a.Target(
        name, models=side.models, health_points=side.hit_points, champion=side.champion, **profile
    )
    return t9a.Unit(
        body,
        [part for number, part in enumerate(parts) if not any(number in each for each in sets)],
        alternatives=[[parts[number] for number in each] for each in sets],
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


MOB = table.Side(models=1, discipline=2, strikes=(table.Strikes(attacks=2, skill=9, strength=5, agility=9),))


def strike(both: tuple[table.Side, table.Side]) -> bool:
    """Whether a side strikes: a fight without blows is refused."""
    return any(side.strikes for side in both)


@settings(max_examples=80, deadline=None)
@example(both=(MOB, table.Side(models=1, standards=2)), first_round=True)
@example(
    both=(replace(MOB, nature="supernal"), table.Side(models=6, width=2, flanks=True, bonus=5)),
    first_round=False,
)
@given(both=sides().filter(strike), first_round=FLAG)
def test_random_rounds(*, both: tuple[table.Side, table.Side], first_round: bool) -> None:
    """Attack Sequence; Charging Momentum; Combat Score; No More Foes; Break Test; Unstable; Undead; Supernal; Fear."""
    expected = table.fought(*both, first_round=first_round)
    first, second = unit("first", *both), unit("second", *both[::-1])
    result = t9a.fight(first, second, first_round=first_round, exact=True)
    assert from_text(result.to_text()).outcome == result.outcome
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


def small(each: tuple[table.Side, table.Side]) -> bool:
    """Whether a second program can play several rounds in a moment."""
    return all(sum(side.pools) <= 5 and len(side.pools) < 3 for side in each)


def end(both: tuple[table.Side, table.Side], state: table.State, broken: str) -> str:
    gone = [side.destroyed(lost) for side, lost in zip(both, state, strict=True)]
    words = {
        (True, True): "both destroyed",
        (True, False): "first destroyed",
        (False, True): "second destroyed",
    }
    return words.get((gone[0], gone[1]), f"{broken} breaks" if broken else "still fighting")


@settings(max_examples=25, deadline=None)
@example(both=(replace(MOB, charging=True), table.Side(models=3, standards=1)), rounds=3)
@given(both=sides().filter(strike).filter(small), rounds=st.integers(2, 3))
def test_random_combats_of_several_rounds(*, both: tuple[table.Side, table.Side], rounds: int) -> None:
    """Losses stay, charges and first rounds are over, and nobody fights on after an end."""
    expected = table.fought_on(*both, rounds)
    result = t9a.rounds_of_combat(
        unit("first", *both), unit("second", *both[::-1]), rounds=rounds, exact=True
    )
    losses: dict[Any, Fraction] = defaultdict(Fraction)
    ends: dict[str, Fraction] = defaultdict(Fraction)
    for (state, broken), p in expected.items():
        losses[sum(state[0]), sum(state[1])] += p
        ends[end(both, state, broken)] += p
    assert {lost: ratio(p) for lost, p in result.losses.items() if p} == losses
    assert {name: ratio(p) for name, p in result.end.items() if p} == ends
    fast = t9a.rounds_of_combat(unit("first", *both), unit("second", *both[::-1]), rounds=rounds)
    assert all(abs(fast.end.pmf(name) - p) <= 1e-12 * p for name, p in ends.items())


@pytest.mark.parametrize("edition", ["2e", "3e"])
def test_a_duel_of_many_rounds_ends_as_a_race(edition: str) -> None:
    """Two that wound with 1/4 each, one after the other: the quicker wins with 1/4 / (1 - 9/16) = 4/7."""
    quick = table.Side(models=1, nature="unbreakable", strikes=(table.Strikes(agility=5),))
    slow = replace(quick, strikes=(table.Strikes(agility=3),))
    sides = unit("a", quick, slow), unit("b", slow, quick)
    result = t9a.rounds_of_combat(*sides, rounds=12, edition=edition, exact=True)
    going = Fraction(9, 16) ** 12
    assert ratio(result.end.pmf("still fighting")) == going
    assert ratio(result.end.pmf("second destroyed")) == Fraction(4, 7) * (1 - going)
    assert ratio(result.length.pmf(2)) == Fraction(9, 16) * Fraction(7, 16)


def test_who_breaks_is_caught() -> None:
    """Flight and pursuit of 2D6 each: caught with P(pursuit >= flight) = 721/1296."""
    mob, hero = replace(MOB, models=3), table.Side(models=2)
    one, other = unit("mob", mob, hero), unit("hero", hero, mob)
    plain = t9a.rounds_of_combat(one, other, rounds=2, exact=True)
    hunted = t9a.rounds_of_combat(one, other, rounds=2, pursue=True, exact=True)
    breaks = ratio(plain.end.pmf("second breaks"))
    assert breaks > 0
    assert ratio(hunted.end.pmf("second caught")) == breaks * Fraction(721, 1296)
    assert hunted.probability_first_wins == plain.probability_first_wins


PROBABILITIES = [
    f"probability_{side}_{what}" for side in ("first", "second") for what in ("wins", "breaks", "destroyed")
]


@settings(max_examples=60)
@given(both=sides().filter(strike), edition=st.sampled_from(["2e", "3e"]))
def test_mass_and_symmetry(*, both: tuple[table.Side, table.Side], edition: str) -> None:
    """All mass is there; the sides are interchangeable."""
    first, second = unit("first", *both), unit("second", *both[::-1])
    exact: Any = t9a.fight(first, second, edition=edition, exact=True)
    mirrored: Any = t9a.fight(second, first, edition=edition, exact=True)
    assert exact.losses.total() == 1
    assert exact.broken.total() == 1
    for lost, probability in exact.losses.items():
        assert mirrored.losses.pmf(lost[::-1]) == probability
    for name in PROBABILITIES:
        found = getattr(exact, name)
        swapped = name.replace("first", "x").replace("second", "first").replace("x", "second")
        assert getattr(mirrored, swapped) == found
