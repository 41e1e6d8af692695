"""A round of combat of The 9th Age against job A of the 40k benchmark: 20 attacks a side, joint result and Break Test.

Run ``python benchmarks/t9a.py``; ``--gate`` compares it with the baseline, see ``gate.py``. Profiles are built anew in
each call on both sides.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

from gate import Cost, add_options, calls_of, costs_of, finish
from measure import blocks_of
from sequence import JOBS, ours

from mathhammer import t9a


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
    """Measure, and compare with the baseline if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    options = parser.parse_args()
    jobs = {
        "one after the other": partial(round_of_combat, 3, exact=False),
        "both at once": partial(round_of_combat, 4, exact=False),
        "one after the other, exact": partial(round_of_combat, 3, exact=True),
    }
    reference = {"40k job A": partial(ours, JOBS["A"], exact=False)}
    for job in jobs.values():  # load what is loaded once
        job()
    counts = {name: calls_of(job) for name, job in jobs.items()}

    def measure() -> dict[str, Cost]:
        return costs_of(blocks_of(jobs | reference, blocks=5, rounds=4, seconds=10), "40k job A")

    return finish("t9a", options, measure, counts)


if __name__ == "__main__":
    sys.exit(main())
