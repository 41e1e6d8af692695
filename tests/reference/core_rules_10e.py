"""Source: the 10th-edition core rules, Core Rules Updates and Rules Commentary, worked out by hand with fractions.

Every row names the section it rests on. Of the worked examples this table was written from, these are left to the
changes that bring their rules: the order of two AP rules (set, improve, treated as), effects on a roll of 1, one
re-roll for a whole unit, damage changed to 0, Fire Overwatch, mortal wounds that spill, HAZARDOUS, Deadly Demise,
mixed units and attached leaders, the 9th and the 11th edition.
"""

from __future__ import annotations

from dataclasses import replace

from plain_dice import Dice, fixed
from referees.wh40k.profiles import Kind, Volley
from reference.answers import Answer, devastating, one, wounding

D3 = Dice(1, 3)
D6 = Dice(1, 6)
HIT = "core rules, Hit Roll"
WOUND = "core rules, Wound Roll"
SAVE = "core rules, Saving Throw"
COVER = "core rules, Benefit of Cover"
DAMAGE = "core rules, Inflict Damage"
MODIFIERS = "Rules Commentary, Modifiers"
REROLLS = "Rules Commentary, Re-rolls"
FEEL_NO_PAIN = "core rules, Feel No Pain"
NOBODY = Kind(toughness=4, wounds=1, models=1)


def hits(
    name: str,
    distribution: dict[int, str],
    source: str,
    skill: int,
    weapon: dict[str, object] | None = None,
    **situation: object,
) -> Answer:
    volley = Volley(skill=skill, **(weapon or {}), **situation)  # type: ignore[arg-type]
    return Answer(name, (volley,), NOBODY, {"hits": distribution}, source)


def saves(name: str, failed: str, source: str, target: Kind, ap: int = 0, **situation: object) -> Answer:
    volley = replace(wounding(ap=ap), **situation)  # type: ignore[arg-type]
    return Answer(name, (volley,), target, {"mean_unsaved": failed}, source, given_wounds=True)


def damages(name: str, distribution: dict[int, str], source: str, volley: Volley, **target: object) -> Answer:
    return Answer(
        name,
        (volley,),
        Kind(wounds=99, **target),
        {"damage": distribution},
        source,
        given_wounds=True,  # type: ignore[arg-type]
    )


HALF_RANGE_MELTA = replace(wounding(D6, melta=2), half_range=True)
SUSTAINED_1: dict[str, object] = {"sustained_hits": (fixed(1),)}

CHECKS = [
    *(
        Answer(
            f"check-{need}+-{reroll}",
            (Volley(skill=need, reroll_hits=reroll),),
            NOBODY,
            {"mean_hits": answer},
            f"{HIT}; {REROLLS}",
        )
        for need, answers in {
            2: ("5/6", "35/36", "35/36"),
            3: ("2/3", "7/9", "8/9"),
            4: ("1/2", "7/12", "3/4"),
            5: ("1/3", "7/18", "5/9"),
            6: ("1/6", "7/36", "11/36"),
        }.items()
        for reroll, answer in zip((None, "ones", "failed"), answers, strict=True)
    ),
    *(
        Answer(
            f"needed-S{strength}-T{toughness}",
            one(skill=None, torrent=True, strength=fixed(strength)),
            Kind(toughness=toughness),
            {"mean_wounds": answer},
            WOUND,
        )
        for strength, toughness, answer in [
            (8, 4, "5/6"),
            (7, 4, "2/3"),
            (4, 4, "1/2"),
            (4, 5, "1/3"),
            (4, 7, "1/3"),
            (4, 8, "1/6"),
            (3, 5, "1/3"),
            (3, 6, "1/6"),
            (5, 9, "1/3"),
            (5, 10, "1/6"),
            (1, 2, "1/6"),
            (2, 1, "5/6"),
        ]
    ),
    hits(
        "reroll-what-fails-as-modified",
        {0: "1/4", 1: "3/4"},
        REROLLS,
        3,
        hit_modifier=(-1,),
        reroll_hits="failed",
    ),
    hits(
        "keep-the-2-that-hits", {0: "1/36", 1: "35/36"}, REROLLS, 3, hit_modifier=(1,), reroll_hits="failed"
    ),
    hits(
        "reroll-the-2-as-well",
        {0: "1/18", 1: "17/18"},
        REROLLS,
        3,
        hit_modifier=(1,),
        reroll_hits=frozenset({1, 2}),
    ),
    hits("clamp-plus-2", {0: "1/3", 1: "2/3"}, HIT, 4, hit_modifier=(2,)),
    hits("clamp-minus-2", {0: "2/3", 1: "1/3"}, HIT, 4, hit_modifier=(-2,)),
    hits("natural-6-hits", {0: "5/6", 1: "1/6"}, HIT, 6, hit_modifier=(-1,)),
    hits("natural-1-misses", {0: "1/6", 1: "5/6"}, HIT, 2, hit_modifier=(1,)),
    hits("2+-minus-1", {0: "1/3", 1: "2/3"}, HIT, 2, hit_modifier=(-1,)),
    hits(
        "stealth-and-minus-1", {0: "1/2", 1: "1/2"}, "core rules, Stealth; Hit Roll", 3, hit_modifier=(-1, -1)
    ),
    hits(
        "all-hits-critical",
        {0: "2/3", 2: "1/3"},
        "core rules, Critical Hit",
        4,
        SUSTAINED_1,
        hit_modifier=(-1,),
        critical_hit=5,
    ),
    hits(
        "critical-5+-on-6+", {0: "2/3", 2: "1/3"}, "core rules, Critical Hit", 6, SUSTAINED_1, critical_hit=5
    ),
    hits(
        "conversion-4+",
        {0: "1/3", 1: "1/6", 2: "1/2"},
        "datasheets, Conversion",
        3,
        {**SUSTAINED_1, "conversion": True},
        long_range=True,
    ),
    *(
        hits(
            f"indirect-{skill}+",
            {0: miss, 1: hit},
            "Core Rules Updates, Indirect Fire",
            skill,
            {"indirect_fire": True},
            indirect=True,
        )
        for skill, miss, hit in [(2, "1/2", "1/2"), (3, "1/2", "1/2"), (4, "2/3", "1/3"), (5, "5/6", "1/6")]
    ),
]

ABILITIES = [
    Answer(
        "lethal-S4-T8",
        one(lethal_hits=True),
        Kind(toughness=8),
        {"mean_wounds": "1/4"},
        "core rules, Lethal Hits",
    ),
    *(
        Answer(
            f"sustained-{extra}",
            one(sustained_hits=(fixed(extra),)),
            NOBODY,
            {"mean_hits": answer},
            "core rules, Sustained Hits",
        )
        for extra, answer in [(1, "5/6"), (2, "1"), (3, "7/6")]
    ),
    hits(
        "sustained-D3",
        {0: "1/2", 1: "1/3", 2: "1/18", 3: "1/18", 4: "1/18"},
        "core rules, Sustained Hits",
        4,
        {"sustained_hits": (D3,)},
    ),
    Answer(
        "sustained-D3-twice",
        (Volley(skill=4, sustained_hits=(D3,), weapons=2),),
        NOBODY,
        {"some_hits": {4: "31/324", 8: "1/324"}, "mean_hits": "5/3"},
        "core rules, Sustained Hits",
    ),
    Answer(
        "lethal-sustained",
        one(lethal_hits=True, sustained_hits=(fixed(1),)),
        NOBODY,
        {"mean_wounds": "1/2"},
        "core rules, Lethal Hits; Sustained Hits",
    ),
    hits(
        "sustained-reroll-ones",
        {0: "2/9", 1: "7/12", 2: "7/36"},
        f"core rules, Sustained Hits; {REROLLS}",
        3,
        SUSTAINED_1,
        reroll_hits="ones",
    ),
    *(
        Answer(
            f"sustained-2-reroll-{policy}",
            (Volley(sustained_hits=(fixed(2),), reroll_hits=policy),),
            NOBODY,
            {"mean_hits": "4/3"},
            f"core rules, Sustained Hits; {REROLLS}",
        )
        for policy in ("failed", "non-critical")
    ),
    Answer(
        "anti-devastating",
        one(skill=None, torrent=True, devastating_wounds=True, anti=(("Monster", 4),), damage=D6),
        Kind(toughness=10, save=2, wounds=99, keywords=("Monster",)),
        {"mean_wounds": "1/2", "mean_unsaved": "1/2", "mean_damage": "7/4"},
        "core rules, Anti; Devastating Wounds",
    ),
    Answer(
        "anti-devastating-on-2+",
        one(skill=None, torrent=True, strength=fixed(8), devastating_wounds=True, anti=(("Monster", 4),)),
        Kind(save=2, wounds=99, keywords=("Monster",)),
        {"mean_wounds": "5/6", "mean_unsaved": "5/9"},  # critical 1/2, ordinary 1/3
        "core rules, Anti; Devastating Wounds",
    ),
    Answer(
        "lethal-devastating",
        one(lethal_hits=True, devastating_wounds=True),
        Kind(save=2),
        {"mean_wounds": "5/12", "mean_unsaved": "5/36"},  # ordinary 1/3, devastating 1/12
        "core rules, Lethal Hits; Devastating Wounds",
    ),
    *(
        Answer(
            f"twin-linked-devastating-{policy}-{save}+",
            (
                Volley(
                    skill=None,
                    torrent=True,
                    devastating_wounds=True,
                    twin_linked=True,
                    damage=fixed(2),
                    reroll_wounds=policy,
                ),
            ),
            Kind(save=save, wounds=99),
            {"mean_damage": answer},
            "core rules, Twin-linked; Devastating Wounds",
        )
        for save, policy, answer in [
            (3, "failed", "5/6"),
            (3, None, "5/6"),
            (3, "non-critical", "43/54"),
            (2, "failed", "2/3"),
            (2, "non-critical", "19/27"),
        ]
    ),
    Answer(
        "lance-on-4+",
        (Volley(skill=None, torrent=True, lance=True, devastating_wounds=True, charged=True),),
        Kind(save=2),
        {"mean_wounds": "2/3", "mean_unsaved": "1/4"},  # ordinary 1/2, critical 1/6
        "core rules, Lance",
    ),
    *(
        Answer(
            f"blast-D6-v-{models}",
            one(skill=None, torrent=True, attacks=D6, blast=1),
            Kind(models=models),
            {"mean_hits": answer},
            "core rules, Blast",
        )
        for models, answer in [(11, "11/2"), (9, "9/2"), (4, "7/2")]
    ),
    Answer(
        "rapid-fire-1",
        (Volley(skill=None, torrent=True, rapid_fire=fixed(1), half_range=True),),
        NOBODY,
        {"hits": {2: "1"}},
        "core rules, Rapid Fire",
    ),
    Answer(
        "lethal-devastating-anti",
        one(lethal_hits=True, devastating_wounds=True, anti=(("Infantry", 2),)),
        Kind(save=2, keywords=("Infantry",)),
        {"mean_unsaved": "4/9"},
        "core rules, Lethal Hits; Devastating Wounds; Anti",
    ),
]

SAVES = [
    saves("no-cover-for-3+-at-AP0", "1/3", COVER, Kind(save=3), cover=True),
    saves("cover-for-4+-at-AP0", "1/3", COVER, Kind(save=4), cover=True),
    saves("cover-for-3+-at-AP1", "1/3", COVER, Kind(save=3), ap=-1, cover=True),
    saves("cover-for-2+-at-AP1", "1/6", COVER, Kind(save=2), ap=-1, cover=True),
    saves("cover-and-plus-1", "1/3", SAVE, Kind(save=4), cover=True, save_modifier=(1,)),
    saves("cover-and-plus-1-at-AP1", "1/3", SAVE, Kind(save=4), ap=-1, cover=True, save_modifier=(1,)),
    saves("invulnerable-4+", "1/2", "core rules, Invulnerable Save", Kind(save=3, invulnerable=4), ap=-3),
    saves("invulnerable-5+", "2/3", "core rules, Invulnerable Save", Kind(save=3, invulnerable=5), ap=-3),
    saves(
        "invulnerable-5+-in-cover",
        "2/3",
        "core rules, Invulnerable Save",
        Kind(save=3, invulnerable=5),
        ap=-3,
        cover=True,
    ),
    saves("no-automatic-6", "1", SAVE, Kind(save=6), ap=-1),
]

DAMAGES = [
    damages(
        "D3-reroll-ones", {1: "1/9", 2: "4/9", 3: "4/9"}, REROLLS, replace(wounding(D3), reroll_damage="ones")
    ),
    damages("melta-2-halved", {3: "1/3", 4: "1/3", 5: "1/3"}, MODIFIERS, HALF_RANGE_MELTA, half_damage=True),
    damages(
        "printed-plus-2-halved",
        {2: "1/3", 3: "1/3", 4: "1/3"},
        MODIFIERS,
        wounding(Dice(1, 6, 2)),
        half_damage=True,
    ),
    damages(
        "melta-2-halved-minus-1",
        {2: "1/3", 3: "1/3", 4: "1/3"},
        MODIFIERS,
        HALF_RANGE_MELTA,
        half_damage=True,
        damage_reduction=1,
    ),
    *(
        Answer(
            name,
            (wounding(dice),),
            Kind(wounds=99, **target),
            {"mean_damage": answer},
            MODIFIERS,
            given_wounds=True,
        )  # type: ignore[arg-type]
        for name, dice, target, answer in [
            ("D3-minus-1", D3, {"damage_reduction": 1}, "4/3"),
            ("D6-minus-1", D6, {"damage_reduction": 1}, "8/3"),
            ("D6-halved", D6, {"half_damage": True}, "2"),
            ("D3-halved", D3, {"half_damage": True}, "4/3"),
        ]
    ),
    Answer(
        "2D6-rerolled-whole-below-7",
        (replace(wounding(Dice(2, 6)), reroll_damage=frozenset(range(2, 7))),),
        Kind(wounds=99),
        {"mean_damage": "287/36"},
        REROLLS,
        given_wounds=True,
    ),
]


def walk(
    name: str,
    expected: dict[tuple[int, int], str],
    source: str,
    volleys: tuple[Volley, ...],
    wounds: int,
    **target: object,
) -> Answer:
    unit = Kind(wounds=wounds, models=9, **target)  # type: ignore[arg-type]
    return Answer(name, volleys, unit, {"state": expected}, source, given_wounds=True)


UNITS = [
    walk("damage-1-2-3", {(2, 0): "1"}, DAMAGE, (wounding(1), wounding(2), wounding(3)), 2),
    walk("damage-3-2-1", {(2, 1): "1"}, DAMAGE, (wounding(3), wounding(2), wounding(1)), 2),
    walk(
        "three-times-D3-into-W2",
        {(1, 1): "1/9", (2, 0): "4/9", (2, 1): "4/27", (3, 0): "8/27"},
        DAMAGE,
        (wounding(D3),) * 3,
        2,
    ),
    walk(
        "D2-feel-no-pain-5+",
        {(0, 0): "1/9", (0, 1): "4/9", (1, 0): "4/9"},
        FEEL_NO_PAIN,
        (wounding(2),),
        2,
        feel_no_pain=5,
    ),
    walk(
        "D3-feel-no-pain-5+",
        {(0, 0): "13/81", (0, 1): "4/9", (1, 0): "32/81"},
        FEEL_NO_PAIN,
        (wounding(D3),),
        2,
        feel_no_pain=5,
    ),
    walk(
        "devastating-does-not-spill",
        {(2, 0): "1"},
        "core rules, Devastating Wounds",
        (devastating(3),) * 2,
        2,
    ),
    walk("three-times-2-into-W3", {(1, 2): "1"}, DAMAGE, (wounding(2),) * 3, 3),
    walk("wounded-model-first", {(2, 0): "1"}, "core rules, Allocate Attack", (wounding(2),) * 4, 3),
    walk("1-then-2", {(1, 0): "1"}, DAMAGE, (wounding(1), wounding(2)), 2),
    walk("2-then-1", {(1, 1): "1"}, DAMAGE, (wounding(2), wounding(1)), 2),
    Answer(
        "devastating-D6-on-W3",
        (devastating(D6),),
        Kind(wounds=3, models=1),
        {"state": {(0, 1): "1/6", (0, 2): "1/6", (1, 0): "2/3"}},
        "core rules, Devastating Wounds",
        given_wounds=True,
    ),
    Answer(
        "three-times-D3-into-W3",
        (wounding(D3),) * 3,
        Kind(wounds=3, models=9),
        {"kills": {1: "14/27", 2: "4/9", 3: "1/27"}},
        DAMAGE,
        given_wounds=True,
    ),
    Answer(
        "feel-no-pain-mortal-only-v-ordinary",
        (wounding(2),),
        Kind(wounds=2, models=9, feel_no_pain_mortal=4),
        {"kills": {1: "1"}},
        FEEL_NO_PAIN,
        given_wounds=True,
    ),
    Answer(
        "feel-no-pain-mortal-only-v-devastating",
        (devastating(2),),
        Kind(wounds=2, models=9, feel_no_pain_mortal=4),
        {"kills": {0: "3/4", 1: "1/4"}},
        FEEL_NO_PAIN,
        given_wounds=True,
    ),
]

CHAINS = [
    Answer(
        "twenty-termagants",
        (Volley(skill=4, strength=fixed(5), ap=-1, weapons=20),),
        Kind(toughness=5, save=2, wounds=1, models=20),
        {"mean_unsaved": "5/3", "some_unsaved": {0: f"{11**20}/{12**20}"}},
        "core rules, Making Attacks (its worked example)",
    ),
    Answer(
        "three-shots-damage-2",
        one(attacks=fixed(3), strength=fixed(5), ap=-1, damage=fixed(2)),
        Kind(toughness=4, save=3, wounds=2, models=3),
        {"kills": {0: "343/729", 1: "98/243", 2: "28/243", 3: "8/729"}, "mean_damage": "4/3"},
        "core rules, Making Attacks",
    ),
    Answer(
        "two-lascannons",
        (Volley(strength=fixed(12), ap=-3, damage=Dice(1, 6, 1), heavy=True, weapons=2),),
        Kind(toughness=10, save=3, invulnerable=5, wounds=12, keywords=("Vehicle",)),
        {"probability_destroyed": "32/2187", "mean_damage": "8/3", "some_state": {(1, 0): "32/2187"}},
        "core rules, Making Attacks",
    ),
    Answer(
        "cover-is-nothing-for-3+-at-AP0",
        (Volley(cover=True),),
        Kind(toughness=4, save=3),
        {"mean_unsaved": "1/9"},
        COVER,
    ),
    Answer(
        "lethal-sustained-devastating",
        one(lethal_hits=True, sustained_hits=(fixed(1),), devastating_wounds=True, ap=-1, damage=fixed(2)),
        Kind(toughness=4, save=4, wounds=2, models=9, feel_no_pain=6),
        {
            "state": {
                (0, 0): "142927/209952",
                (0, 1): "4175/52488",
                (1, 0): "5525/26244",
                (1, 1): "875/104976",
                (2, 0): "4375/209952",
            },
            "mean_kills": "13675/52488",
        },
        "core rules, Lethal Hits; Sustained Hits; Devastating Wounds; Feel No Pain",
    ),
    Answer(
        "flamer",
        one(skill=None, torrent=True, attacks=D6, strength=fixed(5), ap=-1),
        Kind(toughness=4, save=4, wounds=1, models=20),
        {"mean_unsaved": "14/9", "some_unsaved": {0: "322385/1594323"}},
        "core rules, Torrent",
    ),
]

ANSWERS: list[Answer] = [*CHECKS, *ABILITIES, *SAVES, *DAMAGES, *UNITS, *CHAINS]
