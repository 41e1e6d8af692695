"""Source: Trench Crusade rules 1.0.2, its worked examples, Rules Commentaries and players' tables, as fractions.

Each row names the page or place it rests on; "worked out" marks fractions counted over all dice by the rules named.
Rows of attacks give the keyword arguments of a weapon, its situation, the attacker and the target.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

BOOK = "Trench Crusade rules 1.0.2"
DICE_PAGE = f"{BOOK}, +/- Dice, p24-26"
ARTICLE_SUCCESS = "Goonhammer, Trench Club of Math: The Dice of Trench Crusade; worked out"
ARTICLE_INJURY = "Goonhammer, Trench Club of Math: Injuries, Armour, and Bloodbaths; worked out"
COMMENTARY = "Rules Commentaries 1.0.2, Keywords Q5"

#: net dice; failure, success, critical, 7 or more, mean; the distribution of the sum from 2 to 12 where it was printed.
SUCCESS_ROLLS: list[tuple[int, str, str, str]] = [
    (-4, "4919/5184 149/2916 1/46656 265/5184 21319/5832", "", f"{BOOK}, p24; worked out"),
    (-3, "7043/7776 61/648 1/7776 733/7776 10549/2592", "", ARTICLE_SUCCESS),
    (
        -2,
        "119/144 14/81 1/1296 25/144 3017/648",
        "19/144 61/324 29/144 14/81 19/144 1/12 65/1296 2/81 5/432 1/324 1/1296",
        DICE_PAGE,
    ),
    (
        -1,
        "49/72 17/54 1/216 23/72 133/24",
        "2/27 1/8 17/108 1/6 17/108 1/8 19/216 1/18 7/216 1/72 1/216",
        DICE_PAGE,
    ),
    (0, "5/12 5/9 1/36 7/12 7", "", ARTICLE_SUCCESS),
    (
        1,
        "7/36 79/108 2/27 29/36 203/24",
        "1/216 1/72 7/216 1/18 19/216 1/8 17/108 1/6 17/108 1/8 2/27",
        DICE_PAGE,
    ),
    (
        2,
        "13/144 7/9 19/144 131/144 6055/648",
        "1/1296 1/324 5/432 2/81 65/1296 1/12 19/144 14/81 29/144 61/324 19/144",
        DICE_PAGE,
    ),
    (3, "41/972 329/432 763/3888 931/972 25739/2592", "", ARTICLE_SUCCESS),
    (4, "103/5184 4181/5832 12281/46656 5081/5184 60329/5832", "", f"{BOOK}, p24; worked out"),
]

#: DICE that cancel: +, -, what is left (p25).
CANCELLED = [(2, 1, 1), (1, 3, -2), (1, 1, 0), (1, 2, -1)]

#: Dice that came up: net dice, modifier, what was rolled, the total, the outcome.
ROLLED = [
    ("success", -1, 0, (5, 5, 1), 6, "failure", f"{BOOK}, p26, the Trench Pilgrim"),
    ("success", 0, 0, (4, 3), 7, "success", f"{BOOK}, p26, +1 and -1 cancel"),
    ("injury", 1, 0, (5, 1, 4), 9, "out of action", f"{BOOK}, p27, one Blood Marker"),
    ("injury", 1, -1, (2, 4, 5), 8, "down", f"{BOOK}, p46"),
    ("injury", 2, -1, (2, 5, 4, 1), 8, "down", f"{BOOK}, p48, two Blood Markers, Standard Armour"),
]

#: dice, modifier, DEADLY, Bloodbath; no effect, minor hit, down, out of action.
INJURY_ROLLS: list[tuple[int, int, bool, bool, str, str]] = [
    (-1, 0, False, False, "0 49/72 23/108 23/216", ARTICLE_INJURY),
    (-1, -2, False, False, "43/216 25/36 19/216 1/54", ARTICLE_INJURY),
    (0, -1, False, False, "1/36 5/9 1/4 1/6", ARTICLE_INJURY),
    (0, -2, False, False, "1/12 23/36 7/36 1/12", ARTICLE_INJURY),
    (0, -3, False, False, "1/6 2/3 5/36 1/36", ARTICLE_INJURY),
    (1, -2, False, False, "1/54 11/24 35/108 43/216", ARTICLE_INJURY),
    (1, -3, False, False, "11/216 16/27 61/216 2/27", ARTICLE_INJURY),
    (2, 0, False, False, "0 13/144 31/144 25/36", ARTICLE_INJURY),
    (2, -2, False, False, "5/1296 391/1296 485/1296 415/1296", ARTICLE_INJURY),
    (3, 0, False, False, "0 41/972 1181/7776 2089/2592", ARTICLE_INJURY),
    (0, 0, False, True, "0 5/54 1/6 20/27", ARTICLE_INJURY),
    (1, 0, False, True, "0 1/36 25/324 145/162", ARTICLE_INJURY),
    (-1, 0, False, True, "0 25/108 83/324 83/162", f"{BOOK}, p47: 4D6, the 3 lowest count"),
    (0, -2, False, True, "1/216 55/216 13/54 1/2", ARTICLE_INJURY),
    (0, -3, False, True, "1/54 77/216 1/4 3/8", ARTICLE_INJURY),
    (0, -3, True, False, "1/54 77/216 1/4 3/8", f"{BOOK}, p54, DEADLY"),
    (0, -3, True, True, "1/1296 125/1296 23/162 493/648", f"{BOOK}, p47, DEADLY"),
]

#: Rows of net INJURY DICE, columns of INJURY MODIFIERS 0, -1, -2, -3 (worked out from p46-48).
OUT_OF_ACTION = {
    -3: "13/864 37/7776 1/1296 1/7776",
    -2: "13/324 5/324 5/1296 1/1296",
    -1: "23/216 11/216 1/54 1/216",
    0: "5/18 1/6 1/12 1/36",
    1: "113/216 77/216 43/216 2/27",
    2: "25/36 169/324 415/1296 19/144",
    3: "2089/2592 563/864 3371/7776 763/3888",
}
DOWN_OR_WORSE = {
    -3: "733/7776 41/972 13/864 37/7776",
    -2: "25/144 13/144 13/324 5/324",
    -1: "23/72 7/36 23/216 11/216",
    0: "7/12 5/12 5/18 1/6",
    1: "29/36 49/72 113/216 77/216",
    2: "131/144 119/144 25/36 169/324",
    3: "931/972 7043/7776 2089/2592 563/864",
}
#: The same for a Bloodbath with modifiers 0, -1, -3.
BLOODBATH_OUT = {
    -2: "439/1296 1753/7776 103/1296",
    -1: "83/162 497/1296 227/1296",
    0: "20/27 5/8 3/8",
    1: "145/162 1069/1296 799/1296",
    2: "3727/3888 1193/1296 6023/7776",
    3: "5737/5832 833/864 4511/5184",
}


@dataclass(frozen=True)
class Row:
    """One attack and the distribution of its outcome: miss, no effect, minor hit, down, out of action."""

    id: str
    expected: str
    source: str
    kind: str = "ranged"
    weapon: dict[str, Any] = field(default_factory=dict)
    situation: dict[str, Any] = field(default_factory=dict)
    attacker: dict[str, Any] = field(default_factory=dict)
    target: dict[str, Any] = field(default_factory=dict)
    spend: dict[str, Any] = field(default_factory=dict)
    reply: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.id


STANDARD = {"armour": "standard"}
THREE = {"armour": "reinforced", "shield": True}
PLAIN = "5/12 0 307/1296 1381/7776 1313/7776"
AGAINST_ONE = "5/12 121/7776 617/1944 575/3888 797/7776"
AGAINST_THREE = "5/12 731/7776 94/243 661/7776 17/972"

ATTACKS = [
    Row("plain", PLAIN, f"{BOOK}, p42-48"),
    Row(
        "cover-standard",
        "49/72 409/46656 2057/11664 1871/23328 2525/46656",
        f"{BOOK}, p43, p80",
        situation={"cover": True},
        target=STANDARD,
    ),
    Row(
        "cover-long-elevated",
        "49/72 0 1027/7776 4549/46656 4193/46656",
        f"{BOOK}, p43",
        situation={"cover": True, "long_range": True, "elevated": True},
    ),
    Row(
        "reinforced-shield",
        "7/36 733/5832 775/1458 1429/11664 301/11664",
        f"{BOOK}, p80",
        attacker={"ranged": 1},
        target=THREE,
    ),
    Row("four-cap", AGAINST_THREE, f"{BOOK}, p46: -4 is -3", target={**THREE, "characteristic": -1}),
    Row(
        "armour-piercing-two",
        AGAINST_ONE,
        f"{BOOK}, p52: -2 becomes -1",
        weapon={"keywords": "ARMOUR PIERCING"},
        target={"armour": "reinforced"},
    ),
    Row(
        "armour-piercing-four",
        AGAINST_THREE,
        f"{BOOK}, p46, p52",
        weapon={"keywords": "ARMOUR PIERCING"},
        target={**THREE, "characteristic": -1},
    ),
    Row(
        "hammer-three",
        "5/12 91/1944 953/2592 455/3888 403/7776",
        f"{BOOK}, p46, p76; Great Hammer, armour -3 without Standfast",
        kind="melee",
        weapon={"injury_modifier": 1},
        target=THREE,
    ),
    Row(
        "critical-keyword",
        "7/36 713/34992 3667/8748 7189/34992 2809/17496",
        f"{BOOK}, p54; Sword",
        kind="melee",
        weapon={"keywords": "CRITICAL"},
        attacker={"melee": 1},
        target=STANDARD,
    ),
    Row(
        "critical-with-minus",
        "5/12 0 505/1296 493/3888 65/972",
        f"{BOOK}, p25, p48; Musket",
        weapon={"keywords": "-1 INJURY DICE"},
    ),
    Row(
        "sniper",
        "41/972 329/5184 282331/559872 106561/559872 13979/69984",
        f"{BOOK}, p54; Sniper Rifle",
        weapon={"dice": 1, "keywords": "CRITICAL, RISKY, IGNORE ARMOUR ON CRITICAL"},
        attacker={"ranged": 2},
        target={"armour": "reinforced"},
    ),
    Row(
        "flamethrower",
        "0 0 49/72 23/108 23/216",
        f"{BOOK}, p55; armour -3 without Standfast",
        weapon={"injury_dice": -1, "keywords": "FLAMETHROWER, IGNORE ARMOUR"},
        target=THREE,
    ),
    Row(
        "shotgun-long",
        "7/36 41/729 6721/11664 2881/23328 1157/23328",
        f"{BOOK}, p57",
        weapon={"keywords": "SHOTGUN, +1 DICE"},
        situation={"long_range": True},
        target=STANDARD,
    ),
    Row(
        "ignore-armour",
        "5/12 0 3821/34992 45101/279936 29209/93312",
        f"{BOOK}, p55; Anti-Materiel Rifle",
        weapon={"injury_dice": 1, "keywords": "CRITICAL, IGNORE ARMOUR"},
        target=THREE,
    ),
    Row(
        "melee-down",
        "5/12 121/46656 131/729 8795/46656 2479/11664",
        f"{BOOK}, p48-49",
        kind="melee",
        target={**STANDARD, "down": True},
    ),
    Row("ranged-down", AGAINST_ONE, f"{BOOK}, p48-49", target={**STANDARD, "down": True}),
    Row(
        "two-blood-injury",
        "5/12 121/279936 767/7776 1543/8748 28729/93312",
        f"{BOOK}, p28, p48",
        target={**STANDARD, "blood": 2},
        spend={"blood": 2},
    ),
    Row(
        "blessing-defence",
        "5/12 0 191/1728 2533/15552 1205/3888",
        f"{BOOK}, p28",
        target={"blood": 2, "blessing": 1},
        spend={"blood": 2},
        reply={"blessing": 1},
    ),
    Row("tough-one", "5/12 0 307/1296 449/1296 0", f"{BOOK}, p57", target={"keywords": "TOUGH"}),
    Row("golem", "5/12 0 307/1296 449/1296 0", f"{BOOK}, p55", target={"keywords": "GOLEM"}),
    Row(
        "standfast-tough",
        "5/12 731/7776 3805/7776 0 0",
        COMMENTARY,
        target={"armour": "machine", "keywords": "TOUGH"},
    ),
]

#: Blood Markers after one attack while the model is not Out of Action, and that it is.
MARKERS = [
    Row(
        "shrapnel",
        "0:5/12 1:731/7776 2:1223/2592 out:17/972",
        f"{BOOK}, p57",
        weapon={"keywords": "SHRAPNEL"},
        target=THREE,
    ),
    Row(
        "cap-of-six",
        "5:5/12 6:3223/7776 out:1313/7776",
        f"{BOOK}, p27",
        weapon={"keywords": "FIRE"},
        target={"blood": 5},
    ),
    Row(
        "already-down",
        "1:3361/7776 2:617/1944 3:575/3888 out:797/7776",
        f"{BOOK}, p48",
        target={**STANDARD, "down": True, "blood": 1},
    ),
]
