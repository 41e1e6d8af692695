"""A grid against single attacks: every distinct stat line of the game against the 25 standard targets.

Run ``python benchmarks/bulk.py``; with ``--gate`` it fails where the ratio is below the promise less a margin
for noise, or where a number differs. The stat lines are those of ``bsdata-weapons.csv`` in the folder that
MATHHAMMER_DATA names; without it, as many made-up ones. ``--game`` takes every stat line against every unit of
``bsdata-units.csv`` and reckons what the game against itself costs on a cluster.

Both sides get profiles that are built before; nothing is kept from one call to the next.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import random
import resource
import sys
import time
from pathlib import Path

from measure import interleaved_minima, markdown

from mathhammer import MathhammerError, wh40k
from mathhammer.analysis import grid

#: How many times faster than a single attack one of a grid must be, and the part of it a noisy run may miss.
RATIO, MARGIN = 10.0, 0.8
#: Single attacks that are measured and compared, and their greatest relative difference.
SAMPLE, DIFFERENCE = 500, 1e-12
#: Keywords of units that weapon abilities name.
KEYWORDS = frozenset(
    ("Infantry", "Vehicle", "Monster", "Mounted", "Beast", "Character", "Psyker", "Fly", "Titanic", "Walker")
)
#: What an hour of one core of a rented machine costs, in US dollars: a round number to scale.
CORE_HOUR = 0.05


def stat_lines() -> list[wh40k.Weapon]:
    """Every distinct stat line of the data, or as many made-up ones."""
    folder = os.environ.get("MATHHAMMER_DATA")
    if not folder:
        made = itertools.product(
            (1, 2, 3, "D3", "D6", "2D6"), range(2, 7), range(3, 13), (0, -1, -3), (1, 2, "D6")
        )
        return [
            wh40k.Weapon("any", range='24"', attacks=a, skill=bs, strength=s, ap=ap, damage=d)
            for a, bs, s, ap, d in made
        ]
    found: dict[wh40k.Weapon, None] = {}
    for row in _rows(folder, "bsdata-weapons.csv"):
        try:
            weapon = wh40k.Weapon(
                "any",
                range="Melee" if row["kind"] == "melee" else "",
                attacks=row["A"],
                skill=row["skill"],
                strength=row["S"],
                ap=row["AP"],
                damage=row["D"],
                keywords=wh40k.parse_keywords(row["keywords"], "keep"),
            )
        except MathhammerError as error:
            print(f"left out: {row['datasheet']}, {row['weapon']}: {error}", file=sys.stderr)
            continue
        found[weapon] = None
    return list(found)


def units() -> list[wh40k.Target]:
    """Every distinct unit of the data as a target: five models of few wounds, or one of many."""
    folder = os.environ.get("MATHHAMMER_DATA")
    if not folder:
        return list(wh40k.TARGETS.of("10e").values())
    found: dict[wh40k.Target, None] = {}
    for row in _rows(folder, "bsdata-units.csv"):
        try:
            wounds = int(row["W"])
            target = wh40k.Target(
                "any",
                toughness=int(row["T"]),
                save=row["SV"],
                wounds=wounds,
                models=5 if wounds < 5 else 1,
                invulnerable=row["invuln"].rstrip("*"),
                feel_no_pain=row["fnp"],
                keywords=tuple(word for word in row["keywords"].split("; ") if word in KEYWORDS),
            )
        except (MathhammerError, ValueError) as error:
            print(f"left out: {row['datasheet']}: {error}", file=sys.stderr)
            continue
        found[target] = None
    return list(found)


def _rows(folder: str, name: str) -> list[dict[str, str]]:
    with (Path(folder) / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def standard(rounds: int) -> tuple[str, bool]:
    """The table of rates, and whether the promise holds."""
    weapons, targets = stat_lines(), list(wh40k.TARGETS.of("10e").values())
    rng = random.Random(8)  # noqa: S311 - a sample, not a secret
    pairs = [(rng.randrange(len(weapons)), rng.randrange(len(targets))) for _ in range(SAMPLE)]
    least = interleaved_minima(
        {
            "attack": lambda: [
                wh40k.attack(weapons[row], targets[column], edition="10e").kills for row, column in pairs
            ],
            "grid": lambda: grid(weapons, targets, edition="10e"),
        },
        rounds=rounds,
        seconds=60,
    )
    single, bulk = least["attack"] / SAMPLE, least["grid"] / (len(weapons) * len(targets))
    difference = _difference(weapons, targets, pairs)
    table = markdown(
        ("matchups", "attack", "grid", "", "greatest relative difference"),
        [
            (
                f"{len(weapons):,} x {len(targets)}",
                f"{single * 1e6:.0f} us",
                f"{bulk * 1e6:.1f} us",
                f"{single / bulk:.0f}x",
                f"{difference:.0e}",
            )
        ],
    )
    return table, single / bulk >= RATIO * MARGIN and difference <= DIFFERENCE


def _difference(
    weapons: list[wh40k.Weapon], targets: list[wh40k.Target], pairs: list[tuple[int, int]]
) -> float:
    """Greatest relative difference of any probability of models destroyed that is a normal float."""
    table, worst = grid(weapons, targets, edition="10e"), 0.0
    for row, column in pairs:
        law = wh40k.attack(weapons[row], targets[column], edition="10e").kills
        for kills in law.support:
            expected = law.pmf(kills)
            if expected > 1e-290:
                worst = max(worst, abs(float(table.kill_laws[column][row][kills]) / expected - 1))
    return worst


def game() -> str:
    """Every stat line against every unit, here on one core, and the cost of it."""
    weapons, targets = stat_lines(), units()
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grid(weapons, targets, keep_laws=False, edition="10e")
    seconds = time.perf_counter() - start
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    attacks = len(weapons) * len(targets)
    hundred, cost = 100 * attacks / 1e6, 100 * seconds / 3600 * CORE_HOUR
    return markdown(
        (
            "matchups",
            "one core",
            "rate",
            "memory beyond the profiles",
            f"a hundred such tables on 64 cores at {CORE_HOUR} dollars a core hour",
        ),
        [
            (
                f"{len(weapons):,} x {len(targets):,} = {attacks / 1e6:.1f} million",
                f"{seconds:.0f} s",
                f"{attacks / seconds / 1000:.0f} thousand a second",
                f"{memory:.0f} MB",
                f"{hundred:.0f} million: {100 * seconds / 64:.0f} s, {cost:.2f} dollars",
            )
        ],
    )


def main() -> int:
    """Print the tables; with ``--gate``, say by the exit status whether the promise holds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--gate", action="store_true", help="fail where the ratio is below the promise")
    parser.add_argument("--game", action="store_true", help="every stat line against every unit")
    options = parser.parse_args()
    table, holds = standard(options.rounds)
    print(table)
    if options.game:
        print("", game(), sep="\n")
    return int(options.gate and not holds)


if __name__ == "__main__":
    sys.exit(main())
