"""The fuzz run: changed inputs over every surface, from a seed, until the time is over.

``python tests/fuzz/fuzz.py --seconds 60`` tries what it can in a minute; ``--seed 7 --only dice --first 1234`` begins
again at the input that was found. The exit status is 1 where something was found.
"""

from __future__ import annotations

import argparse
import re
import sys

from harness import Finding, fuzz
from surfaces import SURFACES


def main() -> int:
    """Run, and print each kind of finding once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first input of each surface")
    parser.add_argument("--only", action="append", default=[], choices=list(SURFACES))
    options = parser.parse_args()
    tried, kinds = 0, {}
    run = fuzz(
        SURFACES, seed=options.seed, seconds=options.seconds, first=options.first, names=tuple(options.only)
    )
    for found in run:
        if not isinstance(found, Finding):
            tried += found
            continue
        key = (found.surface, re.sub(r"[0-9]+(?! <|$)", "", found.reason))
        kinds[key] = kinds.get(key, 0) + 1
        if kinds[key] == 1:
            sys.stdout.write(f"{found}\n")
            sys.stdout.flush()
    report = f"seed {options.seed}: {tried:,} inputs, {sum(kinds.values()):,} findings of {len(kinds)} kinds"
    sys.stdout.write(f"{report}\n")
    return int(bool(kinds))


if __name__ == "__main__":
    sys.exit(main())
