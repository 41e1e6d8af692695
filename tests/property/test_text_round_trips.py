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
from mathhammer.systems.wh40k.editions import EDITIONS
from mathhammer.systems.wh40k.profiles.keywords import FLAGS

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
of_characteristics = st.builds(
    wh40k.Modifier,
    st.sampled_from(["add", "subtract", "set", "improve", "worsen", "multiply"]),
    st.integers(1, 2),
    names,
    of=st.sampled_from(["attacks", "skill", "strength", "ap", "damage", "toughness", "save"]),
    when=st.one_of(st.none(), st.sets(st.integers(-2, 4), min_size=1, max_size=2)),
)
rerolls = st.one_of(st.sampled_from([None, "ones", "failed"]), st.sets(st.integers(1, 6), max_size=3))
triggers = st.builds(
    wh40k.Trigger,
    st.just("hit"),
    st.sampled_from(["unmodified 6", "5+", "6"]),
    names,
    extra_hits=st.sampled_from([1, "D3"]),
    mortal_wounds=st.sampled_from([None, 1, "D3"]),
)
situations = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(
            ("stationary", "half_range", "indirect", "stealth", "plunging_fire", "overwatch"), flags
        ),
        "cover": st.one_of(flags, st.sampled_from(["light", ["dense", "heavy"]])),
        "hit_modifier": st.one_of(st.integers(-2, 2), modifiers, st.lists(modifiers, max_size=2)),
        "wound_modifier": st.integers(-2, 2),
        "save_modifier": st.lists(modifiers, max_size=2),
        "modifiers": st.one_of(of_characteristics, st.lists(of_characteristics, max_size=2)),
        "critical_hit": st.sampled_from([5, "5+", "successful 4+"]),
        "ignore_modifiers": st.sampled_from(["hit", ("wound", "ap"), ["skill"]]),
        "reroll_hits": rerolls,
        "reroll_wounds": rerolls,
        "reroll_damage": st.sampled_from([None, "one", "ones", frozenset({1, 2})]),
    },
)
abilities = st.lists(
    st.one_of(
        st.sampled_from([name for name in FLAGS if name not in {"Torrent", "One Shot"}]),
        st.sampled_from(["Sustained Hits D3", "Rapid Fire 1", "Melta 2", "Anti-Epic Hero 4+"]),
        st.just(wh40k.Keyword("Strange Ability", known=False)),
    ),
    max_size=3,
)
weapons = st.builds(
    wh40k.Weapon,
    names,
    range=st.sampled_from(['24"', "", "Melee"]),
    attacks=st.sampled_from([1, 2, "D3"]),
    skill=st.integers(2, 6),
    strength=st.sampled_from([3, 4, 9, "D6+2"]),
    ap=st.integers(-4, 0),
    damage=st.sampled_from([1, 2, "D3", "D3+1"]),
    keywords=abilities,
)
volleys = st.builds(
    lambda weapon, count, situation: wh40k.Volley(weapon, count, **situation),
    weapons,
    st.integers(1, 2),
    st.one_of(st.just({}), situations),
)


entries = st.lists(
    st.one_of(volleys, volleys, st.builds(wh40k.MortalWounds, st.sampled_from([1, "D3"]), names)),
    min_size=1,
    max_size=2,
)


@st.composite
def targets(draw, name=names):
    wounds = draw(st.integers(1, 3))
    return wh40k.Target(
        draw(name),
        toughness=draw(st.integers(3, 6)),
        save=draw(st.one_of(st.none(), st.integers(2, 7))),
        wounds=wounds,
        models=draw(st.integers(1, 3)),
        invulnerable=draw(st.sampled_from([None, "5+", "4+ ranged", ("6+", "5+ melee")])),
        feel_no_pain=draw(rolls),
        feel_no_pain_mortal=draw(rolls),
        damage_reduction=draw(st.integers(0, 1)),
        half_damage=draw(flags),
        keywords=draw(st.sampled_from(["", "Infantry", ("Vehicle", "Epic Hero")])),
        points=draw(st.one_of(st.none(), st.integers(0, 200))),
        wounds_lost=draw(st.integers(0, wounds - 1)),
        damage_1_save_bonus=draw(st.integers(0, 1)),
        deadly_demise=draw(st.sampled_from([None, 1, "D3"])),
    )


units = st.one_of(
    targets(),
    st.builds(
        wh40k.TargetUnit,
        names,
        st.tuples(targets(st.just("Boy"))),
        leaders=st.one_of(st.just(()), st.tuples(targets(st.just('Boss: "Big"')))),
        allocation=st.sampled_from(["given", "best", "worst"]),
        objective=st.sampled_from(["kills", "wounds_lost", "probability_destroyed"]),
    ),
)
WH40K_RULINGS = {name: chosen(edition.rulings) for name, edition in EDITIONS.items()}


@settings(max_examples=100)
@given(st.data(), units, situations, st.sampled_from(sorted(EDITIONS)), flags)
def test_attacks_of_warhammer_40000(data, target, situation, edition, exact):
    options = {"edition": edition, "rulings": data.draw(WH40K_RULINGS[edition]), "exact": exact, **situation}
    if data.draw(flags):
        options["triggers"] = data.draw(st.one_of(triggers, st.lists(triggers, max_size=2)))
    result = computed(wh40k.attack, data.draw(entries), target, **options)
    reproduced(result)


@settings(max_examples=40)
@given(st.data(), units, flags)
def test_attacks_after_others(data, target, exact):
    first = computed(wh40k.attack, data.draw(volleys), target, exact=exact, cover=True)
    kills = data.draw(st.integers(0, first.unit.models))
    start = computed(first.given, lambda state: sum(state[::2]) == kills) if data.draw(flags) else first
    start = start.new_phase() if data.draw(flags) else start
    reproduced(computed(wh40k.attack, data.draw(volleys), target, exact=exact, start=start))
    for each in computed(wh40k.activations, [data.draw(weapons)] * 2, target, exact=exact, start=start):
        assert mh.from_text(each.to_text()).result.state == each.result.state


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
