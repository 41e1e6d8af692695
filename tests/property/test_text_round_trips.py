"""Random questions of every system: what their texts reproduce is equal in every distribution."""

from __future__ import annotations

from dice_strategies import expressions
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reproduced import reproduced
from tenth import wh40k

import mathhammer as mh
from mathhammer import t9a
from mathhammer import trench_crusade as tc
from mathhammer.errors import MathhammerError
from mathhammer.systems.t9a.attributes import ATTACK_ATTRIBUTES, PROTECTIONS, WEAPONS

flags = st.booleans()
names = st.one_of(
    st.sampled_from(
        ["Bolt rifle", 'The "Old": one', "a | b", "2x twin", "[x] y: z", "Ærø", "end", "with: x"]
    ),
    st.text(min_size=1, max_size=8).filter(lambda text: text.isprintable() and text.strip()),
)
rolls = st.one_of(st.none(), st.integers(2, 6))


def chosen(rulings):
    """Options for some rulings, the default one among them."""
    return st.fixed_dictionaries(
        {},
        optional={
            ruling.name: st.sampled_from(ruling.options) for ruling in rulings if len(ruling.options) > 1
        },
    )


def computed(function, *arguments, **keywords):
    """Return the result of a random question, if the rules allow it."""
    try:
        return function(*arguments, **keywords)
    except MathhammerError:
        assume(False)  # noqa: FBT003 - hypothesis has it so
        raise


modifiers = st.builds(
    wh40k.Modifier,
    st.sampled_from(["add", "subtract"]),
    st.integers(1, 2),
    names,
)


attributes = st.lists(
    st.sampled_from([*ATTACK_ATTRIBUTES, *WEAPONS, "Multiple Wounds (D3)", "Area Attack (2x2)"]), max_size=2
).map(", ".join)


@st.composite
def parts(draw, *, shooting=True):
    skill = draw(st.sampled_from(["offensive_skill", "aim", "none"] if shooting else ["offensive_skill"]))
    return t9a.ModelPart(
        draw(names),
        attacks=draw(st.sampled_from([1, 2, "D3"])),
        models=draw(st.integers(1, 2)),
        strength=draw(st.integers(2, 6)),
        armour_penetration=draw(st.integers(0, 3)),
        agility=draw(st.integers(1, 6)),
        attributes=draw(attributes),
        bracketed=draw(st.sampled_from([None, t9a.Bracketed(strength=5, armour_penetration=1)])),
        behind=draw(st.integers(0, 1)),
        special=draw(flags),
        **({} if skill == "none" else {skill: draw(st.integers(2, 5))}),
    )


bodies = st.builds(
    t9a.Target,
    names,
    models=st.integers(1, 4),
    health_points=st.integers(1, 2),
    resilience=st.integers(2, 5),
    defensive_skill=st.integers(1, 5),
    armour=st.integers(0, 4),
    aegis=st.sampled_from([None, "5+", ("6+", "4+ against Magical Attacks")]),
    fortitude=st.sampled_from([None, 5]),
    attributes=st.lists(st.sampled_from(PROTECTIONS[:4]), max_size=2, unique=True).map(", ".join),
    champion=st.sampled_from([None, 1]),
    started_as=st.sampled_from([None, 20]),
)
T9A_RULINGS = {name: chosen(edition.rulings) for name, edition in t9a.EDITIONS.items()}
rules_of_t9a = st.sampled_from(["2e", "3e"]).flatmap(
    lambda edition: st.fixed_dictionaries(
        {"edition": st.just(edition), "rulings": T9A_RULINGS[edition], "exact": flags}
    )
)
circumstances = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(
            ("charging", "first_round", "moved", "long_range", "attacker_afraid", "in_combat"), flags
        ),
        "cover": st.sampled_from([None, "soft", "hard"]),
        "hit_modifier": st.one_of(st.integers(-2, 2), st.lists(modifiers, max_size=2)),
        "reroll_hits": st.sampled_from([None, "ones", "failed"]),
        "width": st.sampled_from([None, 2]),
    },
)


@settings(max_examples=100)
@given(st.lists(parts(), min_size=1, max_size=2), bodies, rules_of_t9a, circumstances)
def test_attacks_of_the_9th_age(striking, target, rules, situation):
    reproduced(computed(t9a.attack, striking, target, **rules, **situation))


@settings(max_examples=30)
@given(st.data(), rules_of_t9a, flags)
def test_rounds_of_combat(data, rules, first_round):
    sides = [
        computed(
            t9a.Unit,
            data.draw(bodies),
            data.draw(parts(shooting=False)),
            discipline=data.draw(st.integers(5, 9)),
            charging=data.draw(flags),
            rank_width=data.draw(st.sampled_from([None, 2])),
            steadfast=data.draw(st.sampled_from([None, True, False])),
            unstable=data.draw(flags),
            bonus=data.draw(st.integers(-1, 1)),
            reroll=data.draw(flags),
            situation=data.draw(circumstances),
        )
        for _ in range(2)
    ]
    reproduced(computed(t9a.fight, *sides, first_round=first_round, **rules))


@settings(max_examples=60)
@given(st.integers(0, 10), st.integers(0, 5), flags, flags, st.integers(0, 2), rules_of_t9a)
def test_tests_and_charges(value, number, reroll, champion, dice, rules):
    reproduced(t9a.break_test(value, number, reroll=reroll, steadfast=champion, minimised=dice, **rules))
    reproduced(t9a.discipline_test(value, modifier=-number, reroll=reroll, maximised=dice, **rules))
    reproduced(
        t9a.charge(distance=value, advance=number, champion=champion, maximised=dice, reroll=reroll, **rules)
    )


shots = st.builds(
    lambda weapon, flags_on, **options: (weapon, flags_on, options),
    st.sampled_from(list(tc.WEAPONS.values())),
    st.sets(
        st.sampled_from(["cover", "long_range", "elevated", "charged", "shaken", "reroll", "moved"]),
        max_size=2,
    ),
    dice=st.one_of(st.integers(-1, 1), st.sampled_from(["-1 smoke", ["+1 a hill", "-1 rain"]])),
    injury_dice=st.integers(-1, 1),
)
models = st.builds(
    tc.Target,
    names,
    armour=st.sampled_from(["none", "standard", "reinforced", "machine"]),
    characteristic=st.integers(-1, 0),
    blood=st.integers(0, 2),
    infection=st.integers(0, 1),
    down=flags,
    keywords=st.sampled_from(["", "TOUGH", "FEAR, NEGATE FIRE"]),
)
attackers = st.builds(
    tc.Attacker,
    names,
    ranged=st.integers(-1, 1),
    blessing=st.integers(0, 1),
    keywords=st.sampled_from(["", "STRONG"]),
)
plans = st.sampled_from([None, "best", tc.Spend(blood=1), tc.Spend(success=1, bloodbath=True)])
replies = st.sampled_from([None, "best", tc.Reply(blessing=1)])


TC_RULINGS = chosen(tc.RULINGS)


@settings(max_examples=80)
@given(st.data(), st.lists(shots, min_size=1, max_size=2), models, plans, replies, flags)
def test_attacks_of_trench_crusade(data, given_shots, target, spend, reply, exact):
    attacks = [
        computed(tc.Attack, weapon=weapon, **dict.fromkeys(on, True), **options)
        for weapon, on, options in given_shots
    ]
    if data.draw(flags):
        attacks = [
            tc.TargetActivation(stands_up=True),
            computed(tc.Activation, attacks, data.draw(attackers)),
        ]
    options = {"rulings": data.draw(TC_RULINGS), "edition": data.draw(st.sampled_from(sorted(tc.EDITIONS)))}
    reproduced(
        computed(
            tc.attack,
            attacks,
            target,
            spend=spend,
            reply=reply,
            initiative="defender",
            exact=exact,
            **options,
        )
    )


@settings(max_examples=100)
@given(expressions, flags)
def test_distributions_of_dice(expression, exact):
    distribution = computed(mh.distribution, expression, exact=exact)
    assert mh.from_text(distribution.to_text()) == distribution
    assert mh.from_text((distribution + 0).to_text()) == distribution
