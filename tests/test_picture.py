"""The picture of the README shows what the library computes now, and what dice expressions say without it."""

import re
import runpy
from fractions import Fraction
from pathlib import Path

import mathhammer as mh

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "notebooks" / "first_picture.py"
SHOWN = SCRIPT.with_suffix(".svg").read_text(encoding="utf-8")


def test_drawn_again():
    assert runpy.run_path(str(SCRIPT))["picture"]() == SHOWN


def test_lascannons_by_hand():
    """Hit 2/3, wound 2/3, the invulnerable save fails 2/3: 8/27 for D6+1 damage, four times."""
    nothing = float(Fraction(19, 27) ** 4)
    damage = mh.distribution("4(mixture(19: 0, 8: D6+1))")
    assert f"4 lascannons: nothing {nothing:.1%}, destroyed {damage.at_least(12):.1%}" in SHOWN


def test_autocannons_by_hand():
    """Hit 2/3, wound 1/3, the save fails 1/2: 1/9 for 3 damage, sixteen times."""
    nothing = float(Fraction(8, 9) ** 16)
    hits = mh.distribution("16(mixture(8: 0, 1: 1))")
    assert f"8 autocannons: nothing {nothing:.1%}, destroyed {hits.at_least(4):.1%}" in SHOWN
    bars = re.findall(r"<title>(\d+) wounds: (\d+%)</title>", SHOWN)
    for number in (1, 2, 3):
        assert (str(3 * number), f"{hits.pmf(number):.0%}") in bars


def test_readme_shows_it_first():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "notebooks/first_picture.svg" in readme.split("## See it work", maxsplit=1)[0]
