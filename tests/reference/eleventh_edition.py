"""Source: the 11th edition core rules (June 2026), Universal Rules Updates 1.0 and 1.1, and the FAQs of the app.

The worked examples were computed twice with fractions, by classes of dice and die by die. A row names the sections it
rests on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from plain_dice import Dice, fixed
from referees.wh40k.profiles import ELEVENTH, Kind, Rules, Volley

D3 = Dice(1, 3)
D6 = Dice(1, 6)


@dataclass(frozen=True)
class Answer:
    """One row.

    `expected` maps what is asked to its value: ``hits``, ``kills`` or ``wounds_lost``, of one kind of models with
    ``:`` and its place; before it ``mean_``, or ``some_`` for P(1 or more); ``state`` is (destroyed, lost) kind by
    kind. `given_wounds` reads it as if every attack had wounded: the attacks then hit without a roll and wound on 2+.
    """

    id: str
    pools: tuple[Volley, ...]
    unit: tuple[Kind, ...]
    expected: dict[str, str | dict[int, str] | dict[tuple[int, ...], str]]
    source: str
    rules: Rules = ELEVENTH
    given_wounds: bool = False

    def __str__(self) -> str:
        return self.id


NOBODY = (Kind(wounds=200),)
HIT = "11th edition core rules, 05.01"
COVER = f"{HIT}; 13.08, Benefit of Cover"
GROUPS = "11th edition core rules, 05.03 and 05.04"
DEVASTATING = "11th edition core rules, 24.10, Devastating Wounds"
JUNE = Rules("11e", snap_criticals=True)


def _hits(name: str, mean: str, source: str, rules: Rules = ELEVENTH, **attacks: object) -> Answer:
    return Answer(name, (Volley(**attacks),), NOBODY, {"mean_hits": mean}, source, rules)  # type: ignore[arg-type]


def _wounds(number: int, **attacks: object) -> Volley:
    """So many attacks that hit without a roll and wound on 2+."""
    return Volley(attacks=fixed(number), torrent=True, strength=fixed(16), **attacks)  # type: ignore[arg-type]


def _saves(
    name: str, expected: object, unit: tuple[Kind, ...], *pools: Volley, source: str = GROUPS
) -> Answer:
    return Answer(name, pools, unit, expected, source, given_wounds=True)  # type: ignore[arg-type]


HITS = [
    _hits("BS3+ in cover", "1/2", COVER, skill=3, cover=True),
    _hits("BS3+ in cover at -1", "1/3", COVER, skill=3, cover=True, hit_modifier=(-1,)),
    _hits("BS3+ in cover, plunging fire", "2/3", f"{COVER}; 22.05", skill=3, cover=True, plunging_fire=True),
    _hits("BS3+ in cover, Heavy", "2/3", f"{COVER}; 24.16", skill=3, cover=True, heavy=True, stationary=True),
    _hits("BS6+ in cover", "1/6", f"{COVER}; 02.02.01", skill=6, cover=True),
    _hits("BS6+ in cover at -1", "1/6", f"{COVER}; 02.02.01", skill=6, cover=True, hit_modifier=(-1,)),
    # The skill is 6+ at worst before the +1 to the roll: 5s hit.
    _hits(
        "BS6+ in cover, Heavy", "1/3", f"{COVER}; 02.02.01", skill=6, cover=True, heavy=True, stationary=True
    ),
    _hits(
        "BS2+ plunging fire at -1", "2/3", "22.05; 02.02.01", skill=2, plunging_fire=True, hit_modifier=(-1,)
    ),
    _hits("BS5+ in cover, Heavy", "1/3", COVER, skill=5, cover=True, heavy=True, stationary=True),
    _hits("BS4+ in cover, -1 and +1", "1/3", COVER, skill=4, cover=True, hit_modifier=(-1, 1)),
    _hits("Psychic", "2/3", "24.29, Psychic", skill=4, cover=True, hit_modifier=(-1, 1), psychic=True),
    _hits(
        "damaged, Heavy",
        "2/3",
        "24.39, Damaged; 24.16",
        skill=3,
        hit_modifier=(-1,),
        heavy=True,
        stationary=True,
    ),
    _hits(
        "damaged, -1, Heavy",
        "1/2",
        "24.39; 24.16",
        skill=3,
        hit_modifier=(-1, -1),
        heavy=True,
        stationary=True,
    ),
    _hits(
        "critical on 5+ at BS6+",
        "2/3",
        "FAQ of 26 August 2026",
        skill=6,
        critical_hit=5,
        sustained_hits=(fixed(1),),
    ),
    _hits(
        "critical on a successful 5+ at BS6+",
        "1/3",
        f"{HIT}; datasheets",
        Rules("11e", critical_must_hit=True),
        skill=6,
        critical_hit=5,
        sustained_hits=(fixed(1),),
    ),
    _hits(
        "critical on 5+ at BS4+ and -1",
        "2/3",
        "FAQ of 26 August 2026",
        skill=4,
        critical_hit=5,
        sustained_hits=(fixed(1),),
        hit_modifier=(-1,),
    ),
    *(
        _hits(
            f"Indirect Fire, {seen}, BS{skill}+{', Heavy' * heavy}",
            mean,
            "10.07, Indirect Shooting",
            skill=skill,
            indirect_fire=True,
            indirect=True,
            spotted=seen == "spotted",
            heavy=heavy,
            stationary=heavy or seen == "spotted",
        )
        for seen, heavy, means in [
            ("blind", False, ["1/6", "1/6", "1/6", "1/6"]),
            ("spotted", False, ["1/2", "1/2", "1/3", "1/6"]),
            ("spotted", True, ["1/2", "1/2", "1/2", "1/3"]),
        ]
        for skill, mean in enumerate(means, 2)
    ),
    _hits(
        "snap shooting",
        "5/3",
        "15.09; app of 30 September 2026",
        attacks=fixed(10),
        overwatch=True,
        sustained_hits=(fixed(1),),
    ),
    _hits(
        "snap shooting in June",
        "10/3",
        "15.09",
        JUNE,
        attacks=fixed(10),
        overwatch=True,
        sustained_hits=(fixed(1),),
    ),
    _hits("snap shooting with Torrent", "7/2", "24.37, Torrent", attacks=D6, torrent=True, overwatch=True),
    _hits(
        "snap shooting with Torrent that needs 6s",
        "7/12",
        "15.09, Snap Shooting",
        Rules("11e", snap_torrent=True),
        attacks=D6,
        torrent=True,
        overwatch=True,
    ),
    Answer(
        "no snap shot hits",
        (Volley(attacks=fixed(10), overwatch=True),),
        NOBODY,
        {"some_hits": "50700551/60466176"},
        "15.09, Snap Shooting: 1 - (5/6)^10",
    ),
    *(
        Answer(
            f"size of the unit: {name}",
            (Volley(torrent=True, **attacks),),  # type: ignore[arg-type]
            (Kind(models=models, wounds=50),),
            {"mean_hits": number},
            source,
        )
        for name, attacks, models, number, source in [
            ("Blast 2", {"attacks": fixed(3), "blast": 2}, 12, "7", "24.05, Blast"),
            ("Cleave 1", {"attacks": fixed(3), "cleave": 1, "melee": True}, 16, "6", "24.06, Cleave"),
            (
                "Rapid Fire 2",
                {"attacks": fixed(3), "rapid_fire": fixed(2), "half_range": True},
                1,
                "5",
                "24.30",
            ),
        ]
    ),
]

_LETHAL = Volley(lethal_hits=True, devastating_wounds=True)
_TOUGH = Kind(1, 2, 4, models=2)
_WEAK = Kind(1, 3, 6, models=5)
_CAPTAIN = Kind(4, 3, 5, toughness=4, character=True, leader=True)
_GUARDS = Kind(1, 4, models=3)

WOUNDS = [
    *(
        Answer(
            f"Lethal Hits {lethal} and Devastating Wounds v Sv{save}+",
            (_LETHAL,),
            (Kind(20, save),),
            {"mean_wounds_lost": mean},
            "11th edition core rules, 24.23, Lethal Hits; 24.10",
            Rules("11e", lethal=lethal),
        )
        for save, means in {2: ("5/36", "4/27", "4/27"), 6: ("13/36", "8/27", "13/36")}.items()
        for lethal, mean in zip(("always", "never", "best"), means, strict=True)
    ),
    Answer(
        "Lethal Hits and Sustained Hits D3",
        (Volley(lethal_hits=True, sustained_hits=(D3,)),),
        (Kind(20),),
        {"mean_wounds_lost": "7/12", "some_wounds_lost": "5/12"},
        "24.23, Lethal Hits; 24.36, Sustained Hits",
    ),
    Answer(
        "Anti-Vehicle 4+ and Anti-Fly 2+",
        (Volley(torrent=True, anti=(("Vehicle", 4), ("Fly", 2))),),
        (Kind(20, toughness=10, keywords=("Vehicle", "Fly")),),
        {"mean_wounds_lost": "5/6"},
        "24.02, duplicated abilities; 24.03, Anti",
    ),
    *(
        Answer(
            f"snap shooting with Lethal Hits, {name}",
            (Volley(overwatch=True, lethal_hits=True),),
            (Kind(20, toughness=8),),
            {"mean_wounds_lost": chance},
            "15.09, Snap Shooting; 24.23",
            rules,
        )
        for name, chance, rules in (("October 2026", "1/36", ELEVENTH), ("June 2026", "1/6", JUNE))
    ),
]

_SPLIT = Volley(attacks=fixed(2), torrent=True, strength=fixed(16), critical_wound=4, ap_on_critical_wounds=3)

ALLOCATION = [
    _saves("better group first", {"mean_kills": "325/162"}, (_TOUGH, _WEAK), _wounds(5, ap=-1)),
    _saves("weaker group first", {"mean_kills": "5/2"}, (_WEAK, _TOUGH), _wounds(5, ap=-1)),
    _saves(
        "hurt group first",
        {"some_kills:1": "91/216", "mean_kills": "23/54"},
        (Kind(2, 4, models=2), Kind(2, 2, models=2, lost=1)),
        _wounds(3),
    ),
    _saves(
        "Characters last",
        {
            "kills:0": {0: "1/729", 1: "4/243", 2: "20/243", 3: "656/729"},
            "wounds_lost:1": {0: "21/32", 1: "15/64", 2: "3/32", 3: "1/64"},
        },
        (_GUARDS, _CAPTAIN),
        _wounds(6, ap=-1),
    ),
    # Of three wounds the captain dies with 20/27 and a guard with 14/27, of two the captain with 4/9; 25/36 wound.
    Answer(
        "Precision",
        (replace(_wounds(3, ap=-2, damage=fixed(2), precision=(1,)), torrent=False, skill=2),),
        (_GUARDS, _CAPTAIN),
        {"some_kills:1": "8750/19683", "some_kills:0": "109375/629856"},
        "24.28, Precision",
    ),
    _saves(
        "without Precision",
        {"some_kills:1": "0", "mean_kills:0": "5/2"},
        (_GUARDS, _CAPTAIN),
        _wounds(3, ap=-2, damage=fixed(2)),
    ),
    _saves(
        "random Damage and Feel No Pain",
        {"kills:0": {0: "18469/59049", 1: "34180/59049", 2: "6400/59049"}},
        (Kind(2, 3, models=5, feel_no_pain=5), Kind(5, 2, 4, character=True, leader=True)),
        _wounds(2, ap=-3, damage=D3),
    ),
    _saves("one pool", {"mean_kills": "133/81"}, (Kind(1, 4, models=2), Kind(1, 2, models=2)), _wounds(4)),
    _saves(
        "two pools",
        {"mean_kills": "31/18"},
        (Kind(1, 4, models=2), Kind(1, 2, models=2)),
        _wounds(2),
        _wounds(2),
        source=f"{GROUPS}; 04.02",
    ),
    _saves(
        "two bonuses to saves",
        {"mean_kills": "1/6"},
        (Kind(1, 4),),
        _wounds(1, save_modifier=(1, 1)),
        source=f"{GROUPS}; 02.02.01: saving throws have no cap",
    ),
    *(
        Answer(
            f"better AP on critical wounds, {split}",
            (_SPLIT,),
            (Kind(1, 2), Kind(1, 5, models=3)),
            {"kills": {0: none, 1: one, 2: two}},
            "05.03.02, pools of attacks that their own rolls changed",
            Rules("11e", split=split),
        )
        for split, none, one, two in (
            ("special-first", "121/324", "19/81", "127/324"),
            ("special-last", "121/324", "53/162", "97/324"),
        )
    ),
]

_LEADER = (Kind(1, 4), Kind(5, 3, toughness=6, character=True, leader=True))


def _pool(strength: int) -> Volley:
    return Volley(attacks=fixed(2), torrent=True, strength=fixed(strength))


POOLS = [
    Answer(name, pools, _LEADER, {"mean_wounds_lost:1": mean}, "05.02.01, Toughness of an attached unit")
    for name, pools, mean in (
        ("Toughness read for each pool", (_pool(5), _pool(5)), "142/729"),
        ("S4 before S8", (_pool(4), _pool(8)), "17/64"),
        ("S8 before S4", (_pool(8), _pool(4)), "403/1728"),
    )
]

_AUTOMATIC = Volley(attacks=fixed(3), torrent=True, ap=-2, damage=fixed(2), devastating_wounds=True)
_SQUAD = (Kind(2, 3, models=2), Kind(4, 2, 4, character=True, leader=True))
_SHOT = Volley(attacks=fixed(2), cover=True, ap=-1, damage=fixed(2))
_THREE = replace(_SHOT, attacks=fixed(3), devastating_wounds=True)

CHAINS = [
    Answer(
        "Devastating Wounds after the damage of the pool",
        (_AUTOMATIC,),
        (Kind(3, 3, models=3),),
        {
            "state": {(0, 0): "1331/5832", (0, 2): "847/1944", (1, 0): "539/1944", (1, 2): "343/5832"},
            "mean_wounds_lost": "1456/729",
        },
        DEVASTATING,
    ),
    *(
        Answer(
            f"Devastating Wounds and a reduction of Damage, {'reduced' if reduced else 'by wording'}",
            (Volley(attacks=fixed(4), strength=fixed(3), ap=-3, damage=fixed(3), devastating_wounds=True),),
            (Kind(12, 3, damage_reduction=1),),
            {"mean_wounds_lost": mean},
            DEVASTATING,
            Rules("11e", reduces_devastating=reduced),
        )
        for reduced, mean in ((False, "56/27"), (True, "44/27"))
    ),
    Answer(
        "one devastating critical wound of D6 with Melta 2",
        (_wounds(1, devastating_wounds=True, critical_wound=2, damage=D6, melta=2, half_range=True),),
        (Kind(4, 2, 4, models=2),),
        {"state": {(0, 3): "1/6", (1, 0): "5/6"}},
        f"{DEVASTATING}; 24.25, Melta",
        given_wounds=True,
    ),
    Answer(
        "Devastating Wounds of the first pool before the second pool",
        (_wounds(1, devastating_wounds=True, critical_wound=2, damage=fixed(2)), _wounds(1)),
        (Kind(2, models=2),),
        {"state": {(1, 1): "1"}},
        f"{DEVASTATING}; 04.02",
        given_wounds=True,
    ),
    Answer(
        "Precision and Devastating Wounds",
        (replace(_AUTOMATIC, attacks=fixed(2), ap=-1, precision=(1,), torrent=False, skill=2),),
        (_GUARDS, _CAPTAIN),
        {"some_kills:1": "25/324"},  # both attacks hit, and of two that hit 1/9
        "24.28.01, Precision with Devastating Wounds",
    ),
    Answer(
        "Lethal Hits and Sustained Hits into a squad with a leader",
        (replace(_SHOT, lethal_hits=True, sustained_hits=(fixed(1),)),),
        _SQUAD,
        {"kills": {0: "169/256", 1: "13/48", 2: "12863/186624", 3: "1/11664"}, "mean_kills": "38159/93312"},
        GROUPS,
    ),
    Answer(
        "Devastating Wounds into a squad with a leader",
        (_THREE,),
        _SQUAD,
        {
            "wounds_lost": {0: "125/216", 2: "25/72", 4: "3259/46656", 6: "197/46656"},
            "mean_wounds_lost": "23309/23328",
        },
        DEVASTATING,
    ),
    Answer(
        "lascannons",
        (Volley(attacks=fixed(2), strength=fixed(12), ap=-3, damage=Dice(1, 6, 1)),),
        (Kind(12, 2, 5, toughness=14),),
        {"some_kills": "8/2187", "mean_wounds_lost": "8732/6561"},
        GROUPS,
    ),
    *(
        Answer(
            f"ten shots at marines of T{toughness}",
            (Volley(attacks=fixed(10)),),
            (Kind(2, 3, toughness=toughness, models=5),),
            {"mean_kills": mean},
            "datasheets before and since 30 September 2026",
        )
        for toughness, mean in ((4, "1136025157/3486784401"), (5, "35139819629620/205891132094649"))
    ),
]

# The squad of the two chains has Toughness 5: Strength 5 wounds it on 4+ as Strength 4 does Toughness 4.
ANSWERS = [*HITS, *WOUNDS, *ALLOCATION, *POOLS, *CHAINS]
