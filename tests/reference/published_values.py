"""Source: numbers players and programs published for the 10th edition, each with the value the core rules give.

`source` names where the number or question was published; a comment says what was printed there when it was not
right. Tests of their own have rows about points, attached leaders, Deadly Demise and one re-roll (`tests/systems`,
`test_wh40k_published_cases.py` above all); for other editions and dice notation see the files beside.
"""

from __future__ import annotations

from dataclasses import replace

from plain_dice import Dice, fixed
from referees.wh40k.profiles import Kind, Volley
from reference.answers import Answer, one, wounding

D3 = Dice(1, 3)
D6 = Dice(1, 6)
NOBODY = Kind(toughness=4, wounds=1, models=1)
SUSTAINED_1: dict[str, object] = {"sustained_hits": (fixed(1),)}

RAPTOR = "raptor1313.blogspot.com, 'Thoughts on Math-hammer' (2017), table of rolls"
KDICE = "github.com/toadchild/40kdice"
LOGANMJ = "github.com/loganmj/WarhammerCombatMathLibrary, unit tests"
ADEPTUS = "github.com/ebonnal/adeptus-optimus-backend, tests"
STATS = "warhammer-stats 0.1.1 (PyPI)"
BATTLE = "github.com/BAcommander/ba-mathhammer, changelog"
KDC = "github.com/wn-mitch/40kdc-data, conformance cases"


def roll(need: int, answer: str, source: str, name: str, **situation: object) -> Answer:
    volley = Volley(skill=need, **situation)  # type: ignore[arg-type]
    return Answer(f"d6-{need}+-{name}", (volley,), NOBODY, {"mean_hits": answer}, source)


def hits(
    name: str, distribution: dict[int, str], source: str, weapon: dict[str, object], **situation: object
) -> Answer:
    return Answer(name, (Volley(**weapon, **situation),), NOBODY, {"hits": distribution}, source)  # type: ignore[arg-type]


def wounds(
    name: str, answer: str, source: str, strength: int, toughness: int = 4, **weapon: object
) -> Answer:
    situation = {
        key: weapon.pop(key) for key in ("hit_modifier", "reroll_wounds", "critical_hit") if key in weapon
    }
    volley = Volley(strength=fixed(strength), **weapon, **situation)  # type: ignore[arg-type]
    return Answer(name, (volley,), Kind(toughness=toughness), {"mean_wounds": answer}, source)


def points(distribution: str) -> dict[int, str]:
    """The probabilities of 0, 1, 2, ... as printed in a row, without the zeros."""
    return {
        outcome: probability for outcome, probability in enumerate(distribution.split()) if probability != "0"
    }


ROLLS = [
    *(
        roll(need, answer, RAPTOR, name, **situation)
        for need, answers in {
            2: {"plain": "5/6", "plus-1": "5/6"},
            3: {"plain": "2/3", "ones": "7/9", "failed": "8/9"},
            5: {"plain": "1/3", "ones": "7/18", "plus-1": "1/2"},
            6: {"ones": "7/36", "failed": "11/36", "plus-1": "1/3"},
        }.items()
        for name, answer in answers.items()
        for situation in [
            {"plain": {}, "plus-1": {"hit_modifier": (1,)}}.get(name, {"reroll_hits": name})  # type: ignore[dict-item]
        ]
    ),
    *(
        hits(
            f"d6-{need}+-non-critical",
            {0: miss, 1: hit, 2: "11/36"},  # two hits where it is critical
            f"{KDICE} test.js and issue 23",
            {"skill": need, **SUSTAINED_1},
            reroll_hits="non-critical",
        )
        # success 31/36, 13/18, 7/12 and 4/9
        for need, miss, hit in [
            (2, "5/36", "5/9"),
            (3, "5/18", "5/12"),
            (4, "5/12", "5/18"),
            (5, "5/9", "5/36"),
        ]
    ),
    roll(
        6, "1/6", f"{ADEPTUS} (6 always succeeds)", "minus-1", hit_modifier=(-1,)
    ),  # warhammer-stats 0.1.1: 0
    roll(2, "5/6", f"{ADEPTUS} (1 always fails); {LOGANMJ}", "plus-1-natural-1", hit_modifier=(1,)),
    hits(
        "critical-5+-though-modified-to-miss",
        {0: "2/3", 2: "1/3"},
        f"{LOGANMJ}, rules notes; {KDICE} success_chance",  # the other reading, 1/6: BA Mathhammer since July 2026
        {"skill": 6, **SUSTAINED_1},
        hit_modifier=(-1,),
        critical_hit=5,
    ),
    hits(
        "sustained-1-on-5+", {0: "2/3", 1: "1/6", 2: "1/6"}, f"{KDICE} test.js", {"skill": 5, **SUSTAINED_1}
    ),
    hits(
        "sustained-D3-on-5+",
        {0: "2/3", 1: "1/6", 2: "1/18", 3: "1/18", 4: "1/18"},
        f"{KDICE} test.js",
        {"skill": 5, "sustained_hits": (D3,)},
    ),
    hits(  # 40kdice multiplies one D3 by the number of criticals: the same mean, P(5) = 0
        "sustained-D3-two-dice",
        points("1/36 0 5/54 5/54 55/324 25/162 25/108 25/162 25/324"),
        f"{KDICE} dice.js",
        {"attacks": fixed(2), "skill": 2, "sustained_hits": (D3,)},
        critical_hit=2,
    ),
    hits(
        "sustained-1-on-3+", {0: "1/3", 1: "1/2", 2: "1/6"}, STATS, {**SUSTAINED_1}
    ),  # printed .278, .611, .111
    hits(  # printed probabilities .03, -.39, 1.36
        "torrent-has-nothing-to-reroll",
        {2: "1"},
        f"{KDICE} dice.js",
        {"attacks": fixed(2), "skill": None, "torrent": True},
        reroll_hits="ones",
    ),
    hits(  # the same in every edition
        "D3-attacks-on-3+",
        points("13/81 4/9 8/27 8/81"),
        "github.com/cogpunk/mathhammer, tests",
        {"attacks": D3},
    ),
    hits(
        "indirect-unseen-5+",
        {0: "5/6", 1: "1/6"},
        "public 10th-edition digests quoting the balance dataslate",
        {"skill": 5, "indirect_fire": True},
        indirect=True,
    ),
    Answer(
        "blast-2D6-v-11",
        one(skill=None, torrent=True, attacks=Dice(2, 6), blast=1),
        Kind(models=11),
        {"mean_hits": "9"},
        "core rules, Blast",
    ),
]

WOUNDS = [
    *(
        Answer(
            f"wound-need-S{strength}",
            one(skill=None, torrent=True, strength=fixed(strength)),
            NOBODY,
            {"mean_wounds": answer},
            ADEPTUS,
        )
        for strength, answer in [(3, "1/3"), (5, "2/3"), (6, "2/3"), (7, "2/3")]
    ),
    wounds("lethal-S6-T4", "11/18", LOGANMJ, 6, skill=2, lethal_hits=True),  # printed .5556
    Answer(  # printed .6481
        "sustained-1-S6-T4",
        one(skill=2, strength=fixed(6), **SUSTAINED_1),
        NOBODY,
        {"mean_wounds": "2/3", "wounds": points("11/27 14/27 2/27")},
        LOGANMJ,
    ),
    wounds(
        "lethal-sustained-1-S6-T4", "13/18", LOGANMJ, 6, skill=2, lethal_hits=True, **SUSTAINED_1
    ),  # printed .6296
    wounds("reroll-wounds-of-1-S6-T4", "35/54", LOGANMJ, 6, skill=2, reroll_wounds="ones"),  # printed .6327
    wounds(  # printed 3.5
        "lethal-sustained-critical-5+",
        "8/3",
        f"{KDICE}/issues/29",
        4,
        8,
        attacks=fixed(6),
        critical_hit=5,
        lethal_hits=True,
        **SUSTAINED_1,
    ),
    wounds("wounds-itself-on-6-S3-T4", "1/3", ADEPTUS, 3, lethal_hits=True),
    wounds(  # 4/9 of hits wound there, because 2+ with +1 is read as 1+
        "wounds-itself-on-6-2+-plus-1", "7/18", ADEPTUS, 3, skill=2, hit_modifier=(1,), lethal_hits=True
    ),
    wounds("explodes-and-wounds-on-6", "7/18", ADEPTUS, 3, lethal_hits=True, **SUSTAINED_1),  # printed 5/12
]

EIGHT_SHOTS: dict[str, object] = {
    "attacks": fixed(8),
    "skill": 4,
    "strength": fixed(3),
    "ap": -1,
    "damage": fixed(3),
}
FOUR_SHOTS: dict[str, object] = {"attacks": fixed(4), "strength": fixed(5), "ap": -1, "damage": fixed(2)}
KHARN: dict[str, object] = {
    "attacks": fixed(8),
    "skill": 2,
    "strength": fixed(6),
    "ap": -2,
    "damage": fixed(3),
    "melee": True,
}

SAVES_AND_DAMAGE = [
    Answer(  # printed 4
        "devastating-v-2+",
        one(**EIGHT_SHOTS, devastating_wounds=True),
        Kind(toughness=11, save=2, wounds=13),
        {"mean_damage": "2"},
        f"{KDICE}/issues/16",
    ),
    Answer(
        "not-devastating-v-2+",
        one(**EIGHT_SHOTS),
        Kind(toughness=11, save=2, wounds=13),
        {"mean_damage": "2/3"},
        f"{KDICE}/issues/16",
    ),
    Answer(
        "two-saves-at-3+",
        (wounding(),) * 2,
        Kind(save=3),
        {"unsaved": points("4/9 4/9 1/9")},
        f"{KDICE} test.js",
        given_wounds=True,
    ),
    Answer(
        "two-saves-at-3+-AP4",
        (wounding(ap=-4),) * 2,
        Kind(save=3),
        {"unsaved": {2: "1"}},
        f"{KDICE} test.js",
        given_wounds=True,
    ),
    *(
        Answer(
            f"cover-3+-AP{-ap}",
            (replace(wounding(ap=ap), cover=True),),
            Kind(save=3),
            {"mean_unsaved": "1/3"},
            "core rules, Benefit of Cover",
            given_wounds=True,
        )
        for ap in (0, -1)
    ),
    Answer(  # averages divided by the wounds of a model print 0.8333 kills
        "bolt-rifles-v-intercessors",
        one(attacks=fixed(10), ap=-1),
        Kind(save=3, wounds=2, models=5),
        {"mean_hits": "20/3", "mean_wounds": "10/3", "mean_unsaved": "5/3", "mean_kills": "138805/236196"},
        KDC,
    ),
    Answer(  # printed .3056
        "lethal-devastating-S6-T4",
        one(strength=fixed(6), ap=-2, damage=fixed(3), lethal_hits=True, devastating_wounds=True),
        Kind(save=3, wounds=2, models=10),
        {"mean_unsaved": "13/36"},
        LOGANMJ,
    ),
    *(
        Answer(
            f"four-shots-{ability}",
            one(**FOUR_SHOTS, **{ability: True}),
            Kind(save=4, wounds=2, models=10),
            {"mean_damage": "8/3", "kills": points("16/81 32/81 8/27 8/81 1/81")},
            f"{KDICE}/issues/14",
        )
        for ability in ("lethal_hits", "devastating_wounds")
    ),
    Answer(
        "half-damage-melta-2",
        (replace(wounding(D6, melta=2), half_range=True),),
        Kind(wounds=99, half_damage=True),
        {"mean_damage": "4"},
        f"{BATTLE} v0.41",
        given_wounds=True,
    ),
    Answer(
        "half-damage-minus-1",
        (wounding(D6),),
        Kind(wounds=99, half_damage=True, damage_reduction=1),
        {"mean_damage": "4/3"},  # not there: 10th edition halves, then subtracts, then rounds up
        f"{BATTLE} v0.41",
        given_wounds=True,
    ),
    Answer(  # the better of two dice would be 161/36; a re-roll keeps the second
        "damage-reroll-below-average",
        (replace(wounding(D6), reroll_damage=frozenset({1, 2, 3})),),
        Kind(wounds=99),
        {"mean_damage": "17/4"},
        f"{BATTLE} v0.4",
        given_wounds=True,
    ),
    Answer(
        "damage-reroll-D3-ones",
        (replace(wounding(D3), reroll_damage="ones"),),
        Kind(wounds=99),
        {"mean_damage": "7/3"},
        ADEPTUS,
        given_wounds=True,
    ),
]

KILLS = [
    Answer(  # means of damage over wounds per model (1.666667 in wh40kdc and adeptus-optimus) are not kills
        "twenty-attacks-v-ten-marines",
        one(attacks=fixed(20), ap=-1),
        Kind(save=3, wounds=2, models=10),
        {
            "mean_unsaved": "10/3",
            "kills": points(
                "476837158203125/3656158440062976 797271728515625/1828079220031488 404144287109375/1218719480020992"
                " 13800048828125/152339935002624 19477783203125/1828079220031488 533076171875/914039610015744"
                " 9210546875/609359740010496 1009375/5642219814912 1056875/1218719480020992 2425/1828079220031488"
                " 1/3656158440062976"
            ),
            "mean_kills": "19759493515/13947137604",
            "mean_wounds_lost": "10/3",
        },
        f"{KDICE} prints 1.416742, {STATS} 1.416731",
    ),
    Answer(
        "ten-D6-attacks-v-five-terminators",
        one(attacks=fixed(10), strength=fixed(8), ap=-3, damage=D6),
        Kind(toughness=5, save=2, invulnerable=4, wounds=3, models=5, feel_no_pain=5),
        {
            "mean_unsaved": "20/9",
            "kills": points(
                "0.2638757311317722 0.41540216914824896 0.23434699982105314 0.07112537745094569 0.013421258323313902"
                " 0.001828464124666105"
            ),
            "mean_kills": "1.1602996550597784",
            "mean_wounds_lost": "4.043195961077719",
            "probability_destroyed": "0.001828464124666105",
        },
        f"{KDICE} prints 1.160459 without a unit size, {STATS} 0.8565",
    ),
    Answer(
        "two-D3-into-W2",
        (wounding(D3),) * 2,
        Kind(wounds=2, models=5),
        {"kills": {1: "5/9", 2: "4/9"}},
        f"{KDICE} test.js",
        given_wounds=True,
    ),
    Answer(  # readers divided 9.33 damage by 2 wounds and expected more than 4 kills
        "D6-into-W2",
        one(attacks=fixed(6), strength=fixed(6), damage=D6),
        Kind(wounds=2, models=20),
        {
            "kills": points(
                "3125/59049 1015000/4782969 4708340/14348907 417488/1594323 14909200/129140163 10400000/387420489"
                " 1000000/387420489"
            ),
            "mean_kills": "877724512/387420489",
        },
        f"{KDICE}/issues/25",
    ),
    Answer(
        "sustained-devastating-into-W2",
        one(attacks=fixed(6), skill=2, damage=fixed(2), devastating_wounds=True, **SUSTAINED_1),
        Kind(save=2, wounds=2, models=20),
        {"mean_kills": "4/3"},
        f"{KDICE}/issues/26",
    ),
    Answer(  # printed: 11 to 22 and more
        "ten-into-W11",
        (wounding(10),) * 3,
        Kind(wounds=11, models=3),
        {"kills": {1: "1"}, "wounds_lost": {21: "1"}},
        "github.com/akabbeke/WarhammerStatsEngine/issues/21",
        given_wounds=True,
    ),
    Answer(  # printed 4 kills
        "damage-3-into-W2",
        one(attacks=fixed(10), strength=fixed(8), ap=-2, damage=fixed(3)),
        Kind(save=4, wounds=2, models=10),
        {"mean_unsaved": "125/27", "mean_kills": "125/27"},
        f"{BATTLE} v0.4",
    ),
    Answer(  # printed .205761
        "feel-no-pain-before-excess",
        one(skill=2, strength=fixed(8), damage=fixed(6)),
        Kind(wounds=3, models=1, feel_no_pain=5),
        {"kills": points("2461/6561 4100/6561")},
        STATS,
    ),
    Answer(  # printed 5.5556 kills: the unit has ten models, and the mean feels it
        "chainswords-v-cultists",
        one(attacks=fixed(20), melee=True),
        Kind(save=6, wounds=1, models=10),
        {
            "mean_hits": "40/3",
            "mean_wounds": "20/3",
            "mean_unsaved": "50/9",
            "mean_kills": "5.542962093852817",
        },
        KDC,
    ),
    Answer(  # printed with 6, 7 and 8 models killed out of 5
        "eight-attacks-v-terminators",
        one(**KHARN),
        Kind(toughness=5, save=2, invulnerable=4, wounds=3, models=5),
        {
            "mean_damage": "20/3",
            "kills": points(
                "815730721/11019960576 313742585/1377495072 844691575/2754990144 324881375/1377495072"
                " 624771875/5509980288 466928125/11019960576"
            ),
            "mean_kills": "8132480635/3673320192",
        },
        LOGANMJ,
    ),
    Answer(
        "eight-attacks-v-feel-no-pain",
        one(**KHARN),
        Kind(toughness=5, save=3, invulnerable=5, wounds=3, models=5, feel_no_pain=5),
        {
            "kills": points(
                "10601056573908138158401/79766443076872509863361 32911699050306925125760/79766443076872509863361"
                " 26122544766056259251200/79766443076872509863361 8583081546389475328000/79766443076872509863361"
                " 1414597886944460800000/79766443076872509863361 133463253267251200000/79766443076872509863361"
            ),
            "mean_kills": "39077247011900656270720/26588814358957503287787",
        },
        LOGANMJ,
    ),
    Answer(  # printed 75.4 % and 1.3 % from 10,000 simulations; the damage was probably typed wrong there
        "doom-scythe",
        (
            Volley(attacks=fixed(3), strength=fixed(16), ap=-4, damage=Dice(1, 3, 1), sustained_hits=(D3,)),
            Volley(
                attacks=fixed(6),
                strength=fixed(8),
                damage=fixed(2),
                sustained_hits=(fixed(2),),
                reroll_wounds="failed",
            ),
        ),
        Kind(save=2, invulnerable=4, wounds=3, models=5),
        {
            "kills": points(
                "0.2617213051828226 0.3904802871343421 0.2292423036350284 0.08643160351087513 0.024960603975108422"
                " 0.007163896561823373"
            ),
            "mean_kills": "1.2439216036465748",
            "probability_destroyed": "0.007163896561823373",
        },
        "reddit.com/r/UnitCrunch, 2024-03-11",
    ),
    Answer(  # printed P(one kill) = 0
        "second-weapon-meets-the-wounded-model",
        one(skill=2, strength=fixed(8), damage=fixed(2)) * 2,
        Kind(wounds=3, models=5),
        {"kills": points("671/1296 625/1296")},
        STATS,
    ),
    *(
        Answer(
            f"long-run-D{damage}-into-W{wounds_of_model}",
            (wounding(damage),) * attacks,
            Kind(wounds=wounds_of_model, models=5),
            {"state": {(1, 0): "1"}},
            f"{ADEPTUS} (kills per unsaved attack)",
            given_wounds=True,
        )
        for damage, wounds_of_model, attacks in [(2, 2, 1), (6, 16, 3), (5, 6, 2)]
    ),
    Answer(  # the text around it says 47 % for at most one kill; it is 48.45 %
        "ten-lasguns-v-ten-guards",
        one(attacks=fixed(10), skill=4, strength=fixed(3)),
        Kind(toughness=3, save=5, wounds=1, models=10),
        {
            "kills": points(
                "9765625/60466176 9765625/30233088 1953125/6718464 390625/2519424 546875/10077696 21875/1679616"
                " 21875/10077696 625/2519424 125/6718464 25/30233088 1/60466176"
            ),
            "mean_kills": "5/3",
        },
        "notebook.community, B4cchus/wh40k-hitscalc 'Mathhammer-Intro' (8th edition, the same here)",
    ),
]

ANSWERS: list[Answer] = [*ROLLS, *WOUNDS, *SAVES_AND_DAMAGE, *KILLS]
