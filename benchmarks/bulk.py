"""A grid against single attacks: every distinct stat line of the game against the 25 standard targets.

Run ``python benchmarks/bulk.py``; ``--gate`` compares it with the baseline, see ``gate.py``, and fails where a number
differs. The stat lines are those of ``bsdata-weapons.csv`` in the folder that MATHHAMMER_DATA names; the gate takes as
many made-up ones, which are the same everywhere. ``--game`` writes every weapon against every unit of
``bsdata-units.csv`` to a file.

Both sides get profiles that are built before; nothing is kept from one call to the next.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import math
import os
import random
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from gate import Cost, add_options, calls_of, finish
from measure import markdown, total_time

from mathhammer import MathhammerError, wh40k
from mathhammer.analysis import grid

#: Single attacks that are measured and compared, and their greatest relative difference.
SAMPLE, DIFFERENCE = 500, 1e-12
#: Keywords of units that weapon abilities name.
KEYWORDS = frozenset(
    ("Infantry", "Vehicle", "Monster", "Mounted", "Beast", "Character", "Psyker", "Fly", "Titanic", "Walker")
)
#: Keywords of weapons, about as often as in the game.
WEAPON_KEYWORDS = (
    *(
        "",
        "",
        "",
        "",
        "",
        "Pistol",
        "Rapid Fire 1",
        "Blast",
        "Devastating Wounds",
        "Ignores Cover",
        "Lethal Hits",
    ),
    *(
        "Sustained Hits 1",
        "Twin-linked",
        "Melta 2",
        "Anti-Infantry 4+",
        "Anti-Vehicle 4+",
        "Anti-Monster 5+, Anti-Fly 2+",
    ),
)


def made_up() -> list[wh40k.Weapon]:
    """As many stat lines as the game has, of the kinds that it has."""
    each = itertools.product(
        (1, 2, 3, "D3", "D6", "2D6"), range(2, 7), range(3, 13), (0, -1, -3), (1, 2, "D6")
    )
    return [
        wh40k.Weapon("any", range='24"', attacks=a, skill=bs, strength=s, ap=ap, damage=d, keywords=keywords)
        for (a, bs, s, ap, d), keywords in zip(each, itertools.cycle(WEAPON_KEYWORDS))
    ]


def weapons_of(folder: str) -> dict[str, wh40k.Weapon]:
    """Every weapon of the data by its datasheet, name and line."""
    found: dict[str, wh40k.Weapon] = {}
    for line, row in enumerate(_rows(folder, "bsdata-weapons.csv")):
        try:
            found[f"{row['datasheet']}: {row['weapon']} {line}"] = wh40k.Weapon(
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
    return found


def units_of(folder: str) -> dict[str, wh40k.Target]:
    """Every unit of the data as a target: five models of few wounds, or one of many."""
    found: dict[str, wh40k.Target] = {}
    for line, row in enumerate(_rows(folder, "bsdata-units.csv")):
        try:
            wounds = int(row["W"])
            found[f"{row['datasheet']} {line}"] = wh40k.Target(
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
    return found


def _rows(folder: str, name: str) -> list[dict[str, str]]:
    with (Path(folder) / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def cost(weapons: list[wh40k.Weapon], blocks: int) -> Cost:
    """What an attack of a grid costs of a single one, in CPU time."""
    targets, rng = list(wh40k.TARGETS.of("10e").values()), random.Random()  # noqa: S311 - a sample, not a secret
    number = len(weapons) * len(targets)
    found = []
    for _ in range(blocks):
        pairs = [(rng.choice(weapons), rng.choice(targets)) for _ in range(SAMPLE)]
        single = total_time(lambda pair: wh40k.attack(*pair, edition="10e").kills, pairs) / SAMPLE
        bulk = total_time(lambda chosen: grid(chosen, targets, edition="10e"), [weapons]) / number
        found.append(bulk / single)
    return Cost.of(found)


def difference(weapons: list[wh40k.Weapon]) -> float:
    """Greatest relative difference of any probability of models destroyed that is a normal float."""
    targets, rng = list(wh40k.TARGETS.of("10e").values()), random.Random(8)  # noqa: S311 - a sample, not a secret
    table, worst = grid(weapons, targets, edition="10e"), 0.0
    for _ in range(SAMPLE):
        row, column = rng.randrange(len(weapons)), rng.randrange(len(targets))
        distribution = wh40k.attack(weapons[row], targets[column], edition="10e").kills
        for kills in distribution.support:
            expected = distribution.pmf(kills)
            if expected > 1e-290:
                worst = max(worst, abs(float(table.kill_distributions[column][row][kills]) / expected - 1))
    return worst


def game(folder: str, sink: str, *, distributions: bool) -> str:
    """Every weapon against every unit, here in one process, into a file."""
    weapons, targets = weapons_of(folder), units_of(folder)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, cpu = time.perf_counter(), time.process_time()
    cells = grid(weapons, targets, keep_distributions=distributions, edition="10e", sink=sink)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return markdown(
        ("cells", "time", "CPU time", "memory beyond the profiles", "file"),
        [
            (
                f"{len(weapons):,} x {len(targets):,} = {cells:,}",
                f"{seconds:.1f} s",
                f"{cpu:.1f} s",
                f"{memory:.0f} MB",
                f"{Path(sink).stat().st_size / 1e6:,.0f} MB",
            )
        ],
    )


def processes(folder: str, number: int) -> str:
    """The distinct stat lines against 250 targets in one process and in several."""
    weapons = list(dict.fromkeys(weapons_of(folder).values()))
    targets = list(dict.fromkeys(units_of(folder).values()))[:250]
    least: dict[str, float] = {}
    with ProcessPoolExecutor(number) as pool:
        for _ in range(5):  # in turns, as others may use the machine
            for name, executor in (("one process", None), (f"{number} processes", pool)):
                start = time.perf_counter()
                grid(weapons, targets, keep_distributions=False, edition="10e", executor=executor)
                least[name] = min(least.get(name, math.inf), time.perf_counter() - start)
    one = least["one process"]
    rows = [(name, f"{seconds:.2f} s", f"{one / seconds:.2f}x") for name, seconds in least.items()]
    return markdown((f"{len(weapons):,} x {len(targets)}", "least of five", ""), rows)


def main() -> int:
    """Measure, and compare with the baseline if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    parser.add_argument(
        "--game", metavar="FILE", help="write every weapon against every unit, .csv or .parquet"
    )
    parser.add_argument("--distributions", action="store_true", help="with --game, the distributions too")
    parser.add_argument("--processes", type=int, metavar="N", help="the game's stat lines on N processes")
    options = parser.parse_args()
    folder = os.environ.get("MATHHAMMER_DATA", "")
    if (options.game or options.processes) and not folder:
        parser.error("expected the folder with bsdata-weapons.csv and bsdata-units.csv in MATHHAMMER_DATA")
    if options.game:
        print(game(folder, options.game, distributions=options.distributions))
        return 0
    if options.processes:
        print(processes(folder, options.processes))
        return 0
    weapons, targets = made_up(), list(wh40k.TARGETS.of("10e").values())
    wh40k.attack(weapons[0], targets[0], edition="10e"), grid(weapons[:1], targets[:1], edition="10e")
    counts = {
        "grid": calls_of(lambda: grid(weapons, targets, edition="10e")),
        "attacks": calls_of(
            lambda: [wh40k.attack(each, targets[0], edition="10e").kills for each in weapons[::90]]
        ),
    }
    worst = difference(weapons)
    print(f"greatest relative difference of a grid and single attacks: {worst:.0e}")
    status = finish("bulk", options, lambda: {"an attack of a grid": cost(weapons, 5)}, counts)
    return int(bool(status) or (options.gate and worst > DIFFERENCE))


if __name__ == "__main__":
    sys.exit(main())
