"""Random attacks of Trench Crusade against plain dice, and best plans against a search over all plans."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
import trench_crusade_enumeration as plain
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from translation import plain_number, points

from mathhammer import from_text
from mathhammer import trench_crusade as tc
from mathhammer.errors import MathhammerError

SETTINGS = settings(max_examples=100, deadline=None, derandomize=True)
ARMOUR = {0: "none", -1: "standard", -2: "reinforced", -3: "machine"}
RULES = (
    "CRITICAL",
    "DEADLY",
    "RISKY",
    "FIRE",
    "GAS",
    "SHRAPNEL",
    "IGNORE ARMOUR",
    "ARMOUR PIERCING",
    "INFECTION MARKERS",
)
RANGED = ("SHOTGUN", "FLAMETHROWER", "IGNORE COVER", "IGNORE LONG RANGE")


@st.composite
def blows(draw: st.DrawFn) -> plain.Blow:
    melee = draw(st.booleans())
    rules = (*RULES, "IGNORE OFF-HAND WEAPON") if melee else (*RULES, *RANGED)
    small = st.integers(-1, 1)
    return plain.Blow(
        melee=melee,
        dice=draw(small),
        injury_dice=draw(small),
        injury_modifier=draw(small),
        keywords=draw(st.frozensets(st.sampled_from(rules), max_size=3)),
        cover=draw(st.booleans()),
        far=not melee and draw(st.booleans()),
        off_hand=melee and draw(st.booleans()),
        spend=draw(st.integers(0, 2)),
        bloodbath=draw(st.booleans()),
        reply=draw(st.integers(0, 2)),
        spend_infection=draw(st.integers(0, 1)),
    )


@st.composite
def defences(draw: st.DrawFn) -> plain.Defence:
    armour = draw(st.integers(-3, 0))
    unchanging = draw(st.sampled_from(("", "TOUGH", "GOLEM")))
    keywords = {unchanging} | draw(st.sets(st.sampled_from(("NEGATE FIRE", "NEGATE SHRAPNEL", "COVER"))))
    if unchanging == "GOLEM":
        keywords.add("NEGATE GAS")
    return plain.Defence(
        characteristic=draw(st.integers(-1, 0)),
        armour=armour,
        shield=armour > -3 and draw(st.booleans()),
        hard=draw(st.frozensets(st.sampled_from(("characteristic", "armour", "shield")), max_size=1)),
        dice=draw(st.integers(-1, 0)),
        keywords=frozenset(keywords - {""}),
        regenerate=draw(st.integers(0, 2)),
    )


@st.composite
def models(draw: st.DrawFn) -> plain.Model:
    return plain.Model(
        blood=draw(st.integers(0, 6)),
        blessing=draw(st.integers(0, 3)),
        down=draw(st.booleans()),
        infection=draw(st.integers(0, 6)),
    )


def translated(blow: plain.Blow) -> tc.Attack:
    weapon = tc.Weapon(
        "weapon",
        kind="melee" if blow.melee else "ranged",
        dice=blow.dice,
        injury_dice=blow.injury_dice,
        injury_modifier=blow.injury_modifier,
        keywords=", ".join(sorted(blow.keywords)),
    )
    return tc.Attack(weapon=weapon, cover=blow.cover, long_range=blow.far, off_hand=blow.off_hand)


def target(model: plain.Model, defence: plain.Defence) -> tc.Target:
    return tc.Target(
        armour=ARMOUR[defence.armour],
        shield=defence.shield,
        characteristic=defence.characteristic,
        impervious=defence.hard,
        injury_dice=defence.dice,
        blood=model.blood,
        blessing=model.blessing,
        infection=model.infection,
        down=model.down,
        keywords=", ".join(
            [*sorted(defence.keywords), *[f"REGENERATE {defence.regenerate}"] * (defence.regenerate > 0)]
        ),
    )


def play(
    model: plain.Model, given_blows: list[plain.Blow], defence: plain.Defence, **options: Any
) -> tc.AttackResult[Any]:
    return tc.attack([translated(blow) for blow in given_blows], target(model, defence), **options)


def spending(found: list[plain.Blow]) -> tuple[list[tc.Spend], list[tc.Reply]]:
    spend = [
        tc.Spend(blood=blow.spend, infection=blow.spend_infection, bloodbath=blow.bloodbath) for blow in found
    ]
    return spend, [tc.Reply(blessing=blow.reply) for blow in found]


def distributions(result: tc.AttackResult[Any]) -> dict[plain.Model, Any]:
    return {
        plain.Model(outcome, blood, blessing, bool(down), bool(tough), infection): p
        for (outcome, blood, infection, blessing, down, tough, _), p in result.state.items()
    }


@SETTINGS
@given(models(), st.lists(blows(), min_size=1, max_size=3), defences())
def test_random_attacks(model: plain.Model, found: list[plain.Blow], defence: plain.Defence) -> None:
    """The joint distribution of result, markers, Down and TOUGH used is that of all ordered rolls, exactly."""
    spend, reply = spending(found)
    markers = model.blood + model.infection
    if len(found) == 1 and found[0].bloodbath and markers < (3 if model.down else 6):
        with pytest.raises(MathhammerError, match="for a Bloodbath"):
            play(model, found, defence, spend=spend, reply=reply, exact=True)
        return
    result = play(model, found, defence, spend=spend, reply=reply, exact=True)
    assert from_text(result.to_text()).state == result.state
    exact = distributions(result)
    counted = {key: p for key, p in plain.attacks(model, found, defence).items() if p}
    assert points(exact) == counted
    rounded = distributions(play(model, found, defence, spend=spend, reply=reply))
    assert all(rounded[key] == pytest.approx(float(p), rel=1e-12) for key, p in counted.items())


@st.composite
def orders(draw: st.DrawFn) -> list[plain.Act | None]:
    """Up to three Activations, the target's own among them, never three of a Fireteam in a row."""
    acts: list[plain.Act | None] = []
    for _ in range(draw(st.integers(1, 3))):
        made = tuple(draw(st.lists(blows(), min_size=1, max_size=2)))
        three = len(acts) >= 2 and all(act is not None and act.fireteam for act in acts[-2:])
        acts.append(plain.Act(made, not three and draw(st.booleans()), draw(st.booleans())))
        acts += [None] * draw(st.booleans())
    return acts


@SETTINGS
@given(
    models(),
    orders(),
    defences(),
    st.builds(plain.Readings, piercing_after_cap=st.booleans(), net_cap=st.booleans()),
)
def test_random_activations(
    model: plain.Model, acts: list[plain.Act | None], defence: plain.Defence, readings: plain.Readings
) -> None:
    """Activations of several models, joint ones and the target's own: as played with plain dice, exactly."""
    made = [blow for act in acts if act is not None for blow in act.blows]
    given_acts: list[tc.Activation | tc.TargetActivation] = []
    for act in acts:
        if act is None:
            given_acts.append(tc.TargetActivation())
        else:
            keywords = "CONCENTRATED ATTACK" * act.concentrated
            # It stands up: no -1 DICE.
            attacker = tc.Attacker(str(len(given_acts)), down=True, keywords=keywords)
            given_acts.append(tc.Activation(tuple(map(translated, act.blows)), attacker, act.fireteam))
    assume(len(made) > 1 or not made[0].bloodbath)
    spend, reply = spending(made)
    rulings = {
        "armour_piercing_and_cap": "after-cap" if readings.piercing_after_cap else "before-cap",
        "modifier_cap": "net" if readings.net_cap else "negatives-first",
    }
    options: dict[str, Any] = {"spend": spend, "reply": reply, "rulings": rulings, "exact": True}
    result = tc.attack(given_acts, target(model, defence), **options)
    assert from_text(result.to_text()).state == result.state
    exact = distributions(result)
    counted = {key: p for key, p in plain.activations(model, acts, defence, readings).items() if p}
    assert points(exact) == counted


def every_plan(
    model: plain.Model, found: list[plain.Blow], defence: plain.Defence, *, worse: bool
) -> Fraction:
    """The best chance over all plans: every way to spend on every Injury Roll of every history, tried out.

    The plans of different histories are independent, so trying all of them is taking the best at each history; this
    walks the histories themselves, one roll after another, and merges none.
    """

    def value(before: plain.Model, left: int) -> Fraction:
        if before.result == 4:
            return Fraction(1)
        if not left:
            return Fraction(int(worse and before.down))
        blow = found[len(found) - left]
        total = Fraction(0)
        flame = "FLAMETHROWER" in blow.keywords
        for roll, p in [(7, Fraction(1))] if flame else plain.chances(2, plain.success_dice(blow, defence)):
            if roll < 7:
                total += p * value(before, left - 1)
                continue
            options = [(number, bath) for number in range(before.blood + 1) for bath in (False, True)]
            worths = []
            for number, bath in options:
                cost = 3 if before.down else 6
                if bath and number < cost:
                    continue
                spent = plain.Blow(
                    **{
                        **{name: getattr(blow, name) for name in blow.__dataclass_fields__},
                        "spend": number - cost * bath,
                        "bloodbath": bath,
                        "reply": 0,
                    }
                )
                distribution = plain.injury(before, spent, defence, critical=roll == 12)
                worths.append(sum(q * known(after, left - 1) for after, q in distribution.items()))
            total += p * max(worths)
        return total

    known = cache(value)
    return value(model, len(found))


@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    blood=st.integers(0, 4),
    found=st.lists(blows(), min_size=1, max_size=2),
    armour=st.integers(-2, 0),
    objective=st.sampled_from(tc.OBJECTIVES),
    down=st.booleans(),
)
def test_best_plan_of_the_attacker(
    blood: int,
    found: list[plain.Blow],
    armour: int,
    objective: str,
    *,
    down: bool,
) -> None:
    """Backward induction reaches what a search over all ways to spend reaches."""
    plainer = [
        plain.Blow(
            melee=blow.melee,
            dice=blow.dice,
            injury_dice=blow.injury_dice,
            cover=blow.cover,
            off_hand=blow.off_hand,
            keywords=blow.keywords - {"RISKY", "SHOTGUN", "INFECTION MARKERS"},
        )
        for blow in found
    ]
    model, defence = plain.Model(blood=blood, down=down), plain.Defence(armour=armour)
    best = play(model, plainer, defence, spend="best", objective=objective, exact=True)
    p = best.value(objective)
    assert plain_number(p) == every_plan(model, plainer, defence, worse=objective == tc.OBJECTIVES[1])


def strategies(situations: list[tuple[Any, int]]) -> list[dict[Any, int]]:
    """All functions from situations to one of so many options."""
    return [
        dict(zip([key for key, _ in situations], choice, strict=True))
        for choice in product(*(range(number) for _, number in situations))
    ]


@pytest.mark.parametrize("first", ["attacker", "defender"])
@pytest.mark.parametrize("blood", [1, 2])
def test_best_plans_against_each_other(first: str, blood: int) -> None:
    """Two hits without a roll, 1 Blessing: every pair of whole plans, the one who spends first fixed in advance.

    A plan of the first says what is spent given the state; a plan of the second also sees what the first has spent.
    """
    blow = plain.Blow(keywords=frozenset({"FLAMETHROWER"}))
    model, defence = plain.Model(blood=blood, blessing=1), plain.Defence(armour=-2)

    def value(before: plain.Model, left: int) -> Fraction:
        if before.result == 4 or not left:
            return Fraction(int(before.result == 4))
        spends, replies = range(before.blood + 1), range(before.blessing + 1)

        def outcome(number: int, reply: int) -> Fraction:
            chosen = plain.Blow(keywords=blow.keywords, spend=number, reply=reply)
            distribution = plain.injury(before, chosen, defence, critical=False)
            return sum((q * value(after, left - 1) for after, q in distribution.items()), Fraction(0))

        grid = {(number, reply): outcome(number, reply) for number in spends for reply in replies}
        if first == "attacker":
            answers = strategies([(number, len(replies)) for number in spends])
            return max(min(grid[number, answer[number]] for answer in answers) for number in spends)
        answers = strategies([(reply, len(spends)) for reply in replies])
        return min(max(grid[answer[reply], reply] for answer in answers) for reply in replies)

    result = play(model, [blow, blow], defence, spend="best", reply="best", spends_first=first, exact=True)
    p = result.probability_out_of_action
    assert plain_number(p) == value(model, 2)
