"""Source: rules pages and published analyses of dice; every row names its own.

`(text, what is asked, answer, source)`, where what is asked is "mean", an outcome, or a relation and a number.
"""

from __future__ import annotations

T9A = "The 9th Age: Fantasy Battles, rulebook page 'Dice'"
T9A_TESTS = "newrecruit.eu wiki, The 9th Age rules"
TC = "Trench Crusade core rules, page '+/- Dice'"
TC_BOOK = "Trench Crusade Digital Rulebook 1.0.2"
GOONHAMMER_TC = "goonhammer.com, 'Trench Club of Math'"
RAPTOR = "raptor1313.blogspot.com, 'Thoughts on Math-hammer' (2017-07)"

Row = tuple[str, str, str, str]


def _points(text: str, source: str, points: str) -> list[Row]:
    """Rows of a whole distribution: "outcome answer" pairs, separated by commas."""
    return [(text, *pair.split(), source) for pair in points.split(",")]  # type: ignore[misc]


CASES: list[Row] = [
    # one die and a target
    ("D6", ">=2", "5/6", RAPTOR),
    ("D6", ">=3", "2/3", RAPTOR),
    ("reroll(D6, <3)", ">=3", "8/9", RAPTOR),
    ("reroll(D6, 1)", ">=3", "7/9", RAPTOR),
    ("D6", ">=5", "1/3", RAPTOR),
    ("reroll(D6, 1)", ">=5", "7/18", RAPTOR),
    ("D6+1", ">=5", "1/2", RAPTOR),
    ("reroll(D6, <6)", ">=6", "11/36", RAPTOR),
    ("reroll(D6, 1)", ">=6", "7/36", RAPTOR),
    ("D6+1", ">=6", "1/3", RAPTOR),
    *(
        ("reroll(D6, not 6)", relation, answer, "github.com/toadchild/40kdice, test.js and issue 23")
        for relation, answer in ((">=6", "11/36"), (">=2", "31/36"), (">=3", "13/18"), (">=4", "7/12"))
    ),
    # sums and re-rolls of whole sums
    ("2D6", ">=6", "13/18", "goonhammer.com, 'Hammer of Math: Codex Death Guard Odds and Ends' (2025)"),
    (
        "reroll(2D6, <6)",
        ">=6",
        "299/324",
        "goonhammer.com, 'Hammer of Math: Codex Death Guard Odds and Ends' (2025)",
    ),
    ("2D6", ">=7", "7/12", "adeptus-optimus-backend, test.py, wounds_by_2D6"),
    # damage
    ("D6÷2+2", "mean", "4", "BAcommander/ba-mathhammer, changelog v0.41"),
    ("max(D6÷2-1, 1)", "mean", "4/3", "BAcommander/ba-mathhammer, changelog v0.41"),
    ("reroll(D6, best)", "mean", "17/4", "BAcommander/ba-mathhammer, changelog v0.4"),
    ("max(D6, D6)", "mean", "161/36", "BAcommander/ba-mathhammer, changelog v0.4"),
    ("reroll(D3, 1)", "mean", "7/3", "adeptus-optimus-backend, test_doms_alloc"),
    # attacks
    ("max(D3, 3)", "mean", "3", "adeptus-optimus-backend, test.py, blast of the 9th edition"),
    ("2D6+2", "mean", "9", "Warhammer 40,000 10th edition core rules, Blast"),
    *_points(
        "(D6>=6)×D3",
        "Warhammer 40,000 10th edition core rules, Deadly Demise",
        "0 5/6,1 1/18,2 1/18,3 1/18,mean 1/3",
    ),
    *_points(
        "(D3)((D6>=3)+0)", "cogpunk/mathhammer, testVariableAttackHitProfile", "0 13/81,1 4/9,2 8/27,3 8/81"
    ),
    *_points("2((D6<3))", "github.com/toadchild/40kdice, test.js, two saves at 3+", "0 4/9,1 4/9,2 1/9"),
    *_points(
        "2(let hit = D6 in (hit>=2)+(hit>=2)×D3)",
        "github.com/toadchild/40kdice, dice.js, two criticals roll their own D3",
        "0 1/36,1 0,2 5/54,3 5/54,4 55/324,5 25/162,6 25/108,7 25/162,8 25/324,mean 5",
    ),
    *_points(
        "let hit = D6 in (hit>=5)+(hit>=6)×D3",
        "github.com/toadchild/40kdice, test.js, one hit roll with variable extra attacks",
        "0 2/3,1 1/6,2 1/18,3 1/18,4 1/18",
    ),
    *_points(
        "let hit = D6 in (hit>=3)+(hit>=6)",
        "warhammer-stats 0.1.1, corrected: one die decides both",
        "0 1/3,1 1/2,2 1/6",
    ),
    # dice notation
    *_points("4D2", "github.com/Manbeardo/mathhammer, Profile_test.go", "4 1/16,5 1/4,6 3/8,7 1/4,8 1/16"),
    *_points(
        "D6-1", "github.com/toadchild/40kdice, parse_dice_prob_array, corrected", "0 1/6,1 1/6,5 1/6,6 0"
    ),
    ("D6 + 3", "mean", "13/2", "BAcommander/ba-mathhammer, changelog v1.0"),
    # The 9th Age
    *_points("D3", T9A, "1 1/3,2 1/3,3 1/3"),
    ("D6", ">=3", "2/3", T9A),
    *_points("3D6", T9A, "3 1/216,4 1/72,5 1/36,6 5/108,7 5/72,8 7/72,9 25/216,10 1/8,18 1/216,mean 21/2"),
    *_points("D6+1", T9A, "1 0,2 1/6,7 1/6,mean 9/2"),
    *_points("D6×2", T9A, "2 1/6,3 0,4 1/6,6 1/6,8 1/6,10 1/6,12 1/6,mean 7"),
    ("reroll(D6, <4)", ">=4", "3/4", T9A),
    ("reroll(D6, 1)", ">=4", "7/12", T9A),
    *_points(
        "2D6[maximised 2]",
        T9A,
        "2 1/1296,3 1/324,4 5/432,5 2/81,6 65/1296,7 1/12,8 19/144,9 14/81,10 29/144,11 61/324,12 19/144,mean 6055/648",
    ),
    *_points(
        "2D6[maximised]",
        T9A,
        "2 1/216,3 1/72,4 7/216,5 1/18,6 19/216,7 1/8,8 17/108,9 1/6,10 17/108,11 1/8,12 2/27,mean 203/24,>=9 113/216",
    ),
    *_points(
        "2D6[minimised]",
        T9A,
        "2 2/27,3 1/8,4 17/108,5 1/6,6 17/108,7 1/8,8 19/216,9 1/18,10 7/216,11 1/72,12 1/216,mean 133/24,<=7 29/36",
    ),
    *_points("2D6[maximised, minimised]", f"{T9A_TESTS}, dice, 3rd edition", "2 1/36,7 1/6,12 1/36,>=9 5/18"),
    *_points(
        "2D6[maximised, minimised, literal]",
        T9A,
        "2 7/432,3 1/24,4 37/432,5 13/108,6 67/432,7 35/216,8 67/432,9 13/108,10 37/432,11 1/24,12 7/432,"
        ">=9 19/72,mean 7",
    ),
    *_points(
        "D6[maximised]",
        "BSData, The 9th Age 2nd edition, Stomp",
        "1 1/36,2 1/12,3 5/36,4 7/36,5 1/4,6 11/36,mean 161/36",
    ),
    *_points("D3[maximised]", T9A, "1 1/9,2 1/3,3 5/9,mean 22/9"),
    ("D6", "<=5", "5/6", f"{T9A_TESTS}, characteristic-tests"),
    ("2D6", "<=7", "7/12", f"{T9A_TESTS}, discipline-tests"),
    ("2D6[maximised]", "<=7", "23/72", f"{T9A_TESTS}, discipline-tests"),
    ("reroll(2D6, 8+)", "<=7", "119/144", f"{T9A_TESTS}, discipline-tests"),
    ("2D6+4", ">=11", "7/12", f"{T9A_TESTS}, move-chargers"),
    ("2D6[maximised]+4", ">=11", "29/36", f"{T9A_TESTS}, move-chargers"),
    ("2D6[maximised, minimised]+4", ">=11", "7/12", f"{T9A_TESTS}, move-chargers"),
    ("2D6+7", ">=11", "11/12", f"{T9A_TESTS}, ordering-the-charge"),
    ("2D6", "<=5", "5/18", f"{T9A_TESTS}, break-test"),
    ("reroll(2D6, 6+)", "<=5", "155/324", f"{T9A_TESTS}, break-test"),
    ("2D6", "<=8", "13/18", f"{T9A_TESTS}, break-test"),
    ("2D6[minimised]", "<=5", "113/216", f"{T9A_TESTS}, break-test"),
    # Trench Crusade, Success Rolls
    *_points(
        "2D6[-2 DICE]",
        TC,
        "2 19/144,3 61/324,4 29/144,5 14/81,6 19/144,7 1/12,8 65/1296,9 2/81,10 5/432,11 1/324,12 1/1296,"
        "<=6 119/144,>=7 25/144,mean 3017/648",
    ),
    *_points("2D6[-1 DICE]", TC, "2 2/27,12 1/216,<=6 49/72,>=7 23/72,mean 133/24"),
    *_points("2D6[+1 DICE]", TC, "2 1/216,12 2/27,<=6 7/36,>=7 29/36,mean 203/24"),
    *_points("2D6[+2 DICE]", TC, "2 1/1296,12 19/144,<=6 13/144,>=7 131/144,mean 6055/648"),
    *_points("2D6[+2 DICE, -1 DICE]", TC, "<=6 7/36,12 2/27"),
    *_points("2D6[+1 DICE, -3 DICE]", TC, "<=6 119/144,12 1/1296"),
    *_points("2D6[-3 DICE]", GOONHAMMER_TC, ">=7 733/7776,12 1/7776"),
    *_points("2D6", GOONHAMMER_TC, ">=7 7/12,12 1/36"),
    *_points("2D6[+3 DICE]", GOONHAMMER_TC, ">=7 931/972,12 763/3888"),
    ("reroll(2D6, <7)", ">=7", "119/144", f"{TC_BOOK}, p. 31"),
    # Trench Crusade, Injury Rolls: 1 or less nothing, 2-6 minor, 7-8 down, 9 or more out of action
    *_points("2D6[-1 DICE]", GOONHAMMER_TC, "<=1 0,<=6 49/72,<=8 193/216,>=9 23/216"),
    *_points("2D6[-1 DICE]-2", GOONHAMMER_TC, "<=1 43/216,<=6 193/216,>=9 1/54"),
    *_points("2D6-1", GOONHAMMER_TC, "<=1 1/36,<=6 7/12,>=9 1/6"),
    *_points("2D6-2", GOONHAMMER_TC, "<=1 1/12,<=6 13/18,>=9 1/12"),
    *_points("2D6-3", GOONHAMMER_TC, "<=1 1/6,<=6 5/6,>=9 1/36"),
    *_points("2D6[+1 DICE]-2", GOONHAMMER_TC, "<=1 1/54,<=6 103/216,>=9 43/216"),
    *_points("2D6[+1 DICE]-3", GOONHAMMER_TC, "<=1 11/216,>=9 2/27"),
    *_points("2D6[+2 DICE]", GOONHAMMER_TC, "<=6 13/144,>=9 25/36"),
    *_points("2D6[+2 DICE]-2", GOONHAMMER_TC, "<=1 5/1296,<=6 11/36,>=9 415/1296"),
    *_points("2D6[+3 DICE]", GOONHAMMER_TC, "<=6 41/972,>=9 2089/2592"),
    *_points("3D6", GOONHAMMER_TC, "<=6 5/54,<=8 7/27,>=9 20/27"),
    *_points("3D6[+1 DICE]", GOONHAMMER_TC, "<=6 1/36,>=9 145/162"),
    *_points("3D6[-1 DICE]", GOONHAMMER_TC, "<=6 25/108,>=9 83/162"),
    *_points("3D6-2", GOONHAMMER_TC, "<=1 1/216,<=6 7/27,>=9 1/2"),
    *_points("3D6-3", GOONHAMMER_TC, "<=1 1/54,>=9 3/8"),
    *_points("4D6-3", f"{TC_BOOK}, p. 47", "<=1 1/1296,<=6 7/72,>=9 493/648"),
    # Trench Crusade, worked examples with the dice that were rolled
    ("lowest(2 of D{5}, D{5}, D{1})", "6", "1", TC),
    ("highest(2 of D{2}, D{4}, D{5})-1", "8", "1", f"{TC_BOOK}, p. 46"),
    ("highest(2 of D{5}, D{1}, D{4})", "9", "1", f"{TC_BOOK}, p. 27"),
    ("highest(2 of D{2}, D{5}, D{4}, D{1})-1", "8", "1", f"{TC_BOOK}, p. 48"),
    ("D{4}+D{3}", "7", "1", f"{TC_BOOK}, p. 26"),
    *_points("min(D6+6, 12)", f"{TC_BOOK}, p. 36", ">=7 1,>=8 5/6,>=9 2/3,>=10 1/2,>=11 1/3,>=12 1/6"),
    # sums and pools on which icepool, dyce and lea agree
    *(
        (text, "mean", answer, "icepool 2.1.3, dyce 0.7.0 and lea 4.4.0 agree")
        for text, answer in (
            ("highest(3 of 4D6)", "15869/1296"),
            ("highest(5 of 10D6)", "731015215/30233088"),
            ("highest(10 of 20D6)", "44795209791523325/914039610015744"),
            ("highest(2 of 3D6)", "203/24"),
            ("100(reroll(D6, 1))", "1175/3"),
            ("(3D6)D6", "147/4"),
            ("(30D6)D6", "735/2"),
        )
    ),
]
