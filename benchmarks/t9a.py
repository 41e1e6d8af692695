"""A round of combat of The 9th Age against job A of the 40k benchmark: 20 attacks a side, joint law and Break Test.

Run ``python benchmarks/t9a.py``; with ``--gate`` it fails where the round takes more than 100 times job A, less a
margin for noise. Profiles are built anew in each call on both sides.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

from measure import interleaved_minima, markdown
from sequence import JOBS, ours

from mathhammer import t9a

#: The round may take so many times job A, and a noisy run a part more.
RATIO, MARGIN = 100.0, 1.25


def side(name: str, agility: int) -> t9a.Unit:
    """Forty models, of which twenty strike."""
    part = t9a.ModelPart(
        "blades", attacks=1, models=20, offensive_skill=4, strength=4, armour_penetration=1, agility=agility
    )
    target = t9a.Target(name, models=40, defensive_skill=3, resilience=3, armour=3)
    return t9a.Unit(target, part, rank_width=10, standards=1)


def round_of_combat(agility: int, *, exact: bool) -> object:
    """Losses of both sides, who wins, and whether the second breaks."""
    result = t9a.fight(side("first", 4), side("second", agility), exact=exact)
    return result.losses, result.probability_first_wins, result.probability_second_breaks


def main() -> int:
    """Print the table; with ``--gate``, say by the exit status whether the ratio holds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--gate", action="store_true", help="fail where the ratio is above the promise")
    options = parser.parse_args()
    jobs = {
        "40k job A": partial(ours, JOBS["A"], exact=False),
        "one after the other": partial(round_of_combat, 3, exact=False),
        "both at once": partial(round_of_combat, 4, exact=False),
        "one after the other, exact": partial(round_of_combat, 3, exact=True),
    }
    least = interleaved_minima(jobs, rounds=options.rounds, seconds=30)
    base = least["40k job A"]
    rows = [(name, f"{seconds * 1e3:.2f} ms", f"{seconds / base:.0f}x") for name, seconds in least.items()]
    print(markdown(("round of combat", "time", "against job A"), rows))
    fast = max(least["one after the other"], least["both at once"]) <= RATIO * MARGIN * base
    return int(options.gate and not fast)


if __name__ == "__main__":
    sys.exit(main())
