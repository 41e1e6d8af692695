"""The README on a package index: every link and picture leads to the repository."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOOK = runpy.run_path(str(ROOT / ".ci" / "readme.py"))


def test_links_are_absolute():
    text = HOOK["absolute"]((ROOT / "README.md").read_text(encoding="utf-8"), "someone/mathhammer")
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) > 5
    assert all(target.startswith("https://") for target in targets)
    assert "](https://raw.githubusercontent.com/someone/mathhammer/main/notebooks/first_picture.svg)" in text


def test_a_link_with_an_address_stays():
    text = "[a](https://x.org/y) ![b](c.svg) [d](#e)"
    assert HOOK["absolute"](text, "o/n") == (
        "[a](https://x.org/y) ![b](https://raw.githubusercontent.com/o/n/main/c.svg) [d](#e)"
    )
