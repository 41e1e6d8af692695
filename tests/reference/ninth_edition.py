"""Numbers players and programs published for the 9th edition, each with the value its core rules give.

`source` names where the number or question was published.
"""

from __future__ import annotations

ADEPTUS = "github.com/ebonnal/adeptus-optimus-backend, tests"
COGPUNK = "github.com/cogpunk/mathhammer, AttackDamageProfileCalculatorTest"
LASGUNS = "notebook.community, B4cchus/wh40k-hitscalc, 'Mathhammer-Intro' (printed: 1.7 on average)"
BATTLE = "github.com/BAcommander/ba-mathhammer, changelog v0.4"
BLAST = "9th edition core rules, Blast Weapons"
RAPID_FIRE = "9th edition core rules, Rapid Fire, Heavy and Assault Weapons"

#: Weapon, distribution of its hits, source.
HITS = [({"attacks": "D3"}, ["13/81", "4/9", "8/27", "8/81"], COGPUNK)]

#: Weapon, target, distribution of the models destroyed, source.
KILLS = [
    (
        {"attacks": 10, "skill": 4, "strength": 3},
        {"toughness": 3, "save": 5, "models": 10},
        [
            "9765625/60466176",
            "9765625/30233088",
            "1953125/6718464",
            "390625/2519424",
            "546875/10077696",
            "21875/1679616",
            "21875/10077696",
            "625/2519424",
            "125/6718464",
            "25/30233088",
            "1/60466176",
        ],
        LASGUNS,
    )
]

#: Weapon, target, situation, name of a distribution, its mean, source.
MEANS = [
    ({"attacks": "D3", "keywords": "Blast"}, {"models": 6}, {}, "attacks", "3", ADEPTUS),
    ({"attacks": "2D6", "keywords": "Blast"}, {"models": 11}, {}, "attacks", "12", ADEPTUS),
    ({"attacks": "4D3", "keywords": "Blast"}, {"models": 11}, {}, "attacks", "12", ADEPTUS),
    ({"attacks": "D6", "keywords": "Blast"}, {"models": 6}, {}, "attacks", "4", BLAST),
    ({"attacks": "D6", "keywords": "Blast"}, {"models": 10}, {}, "attacks", "4", BLAST),
    ({"attacks": "D6", "keywords": "Blast"}, {"models": 11}, {}, "attacks", "6", BLAST),
    ({"attacks": "D6", "keywords": "Blast"}, {"models": 5}, {}, "attacks", "7/2", BLAST),
    ({"keywords": "Rapid Fire 1"}, {}, {"half_range": True}, "attacks", "2", RAPID_FIRE),
    ({"attacks": 2, "keywords": "Rapid Fire 1"}, {}, {"half_range": True}, "attacks", "4", RAPID_FIRE),
    ({"keywords": "Heavy"}, {}, {"moved": True}, "hits", "1/2", RAPID_FIRE),
    ({"keywords": "Heavy"}, {}, {"stationary": True}, "hits", "2/3", RAPID_FIRE),
    ({"keywords": "Assault"}, {}, {"advanced": True}, "hits", "1/2", RAPID_FIRE),
    (
        {"keywords": "Torrent", "skill": None, "strength": 12, "damage": "max(D6, D6)"},
        {"wounds": 8},
        {},
        "damage",
        "805/216",  # 5/6 to wound, times 161/36
        BATTLE,
    ),
]
