"""Source: published values of plain dice notation; every row names the place.

`(text, what is asked, answer, source)`, where what is asked is "mean", an outcome, or ">=" and a number.
"""

from __future__ import annotations

DICE: list[tuple[str, str, str, str]] = [
    *(
        ("4D2", point, answer, "github.com/Manbeardo/mathhammer, Profile_test.go")
        for point, answer in {"4": "1/16", "5": "1/4", "6": "3/8", "7": "1/4", "8": "1/16"}.items()
    ),
    # read as a plain D6 in github.com/toadchild/40kdice
    *(
        ("D6-1", str(point), "1/6", "github.com/toadchild/40kdice, parse_dice_prob_array")
        for point in range(6)
    ),
    # read as one attack before version 1.0
    ("D6 + 3", "mean", "13/2", "github.com/BAcommander/ba-mathhammer, changelog v1.0"),
    ("2D6", ">=6", "13/18", "goonhammer.com, 'Hammer of Math: Codex Death Guard Odds and Ends' (2025)"),
    ("D3", "mean", "2", "core rules, Dice"),
    ("D6+1", "mean", "9/2", "core rules, Dice"),
    ("2D6+3", "10", "1/6", "core rules, Dice"),
]
