"""The attack sequence where it is hard: devastating wounds that wait, units of unequal models, many attacks.

Run ``python benchmarks/sequence_hard.py``; ``--gate`` compares the calls with the baseline, see ``gate.py``, and fails
where the time grows faster than the square of the number of attacks; with ``--plot FILE`` it draws that growth.
Profiles are built anew in each call.
"""

from __future__ import annotations

import argparse
import sys
from math import log, log10

from gate import Cost, add_options, calls_of, costs_of, finish
from measure import blocks_of, interleaved_minima, markdown
from sequence import JOBS, ours

from mathhammer import wh40k

#: What a noisy run may miss of quadratic growth.
MARGIN = 1.25
ATTACKS = (10, 20, 50, 100, 200, 400)


def devastating(attacks: int, *, exact: bool = False, mortal: int | None = None) -> object:
    """Attacks with Devastating Wounds, Sustained Hits D3 and D3 damage on 20 models of 3 wounds with Feel No Pain.

    Alone, devastating wounds and others may be taken in any order. With another Feel No Pain against mortal wounds
    they may not, and their joint distribution is needed.
    """
    weapon = wh40k.Weapon(
        "weapon",
        range='24"',
        attacks=attacks,
        skill="3+",
        strength=5,
        ap=-1,
        damage="D3",
        keywords="Devastating Wounds, Sustained Hits D3",
    )
    target = wh40k.Target(
        "target", toughness=4, save="3+", wounds=3, models=20, feel_no_pain="5+", feel_no_pain_mortal=mortal
    )
    return wh40k.attack(weapon, target, exact=exact, edition="10e").kills


def plain(attacks: int) -> object:
    """Attacks of Damage D3 on ten models of 3 wounds with Feel No Pain."""
    weapon = wh40k.Weapon("weapon", range='24"', attacks=attacks, skill="3+", strength=5, ap=-1, damage="D3")
    target = wh40k.Target("target", toughness=4, save="3+", wounds=3, models=10, feel_no_pain="5+")
    return wh40k.attack(weapon, target, edition="10e").kills


PROFILES = (
    'Bolt rifle: 24" A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]',
    'Melta rifle: 18" A1 BS3+ S9 AP-4 DD6 [MELTA 2]',
    'Plasma: 24" A2 BS3+ S8 AP-3 D2 [RAPID FIRE 1]',
    'Sniper: 36" A1 BS3+ S5 AP-2 D3 [PRECISION, DEVASTATING WOUNDS]',
    'Flamer: 12" AD6 S4 AP0 D1 [TORRENT, IGNORES COVER]',
    'Autocannon: 48" A3 BS3+ S9 AP-1 D3 [SUSTAINED HITS 1]',
)
COUNTS = (5, 2, 2, 2, 1, 1)


def attached(*, exact: bool = False, precision: bool = True, allocation: str = "given") -> object:
    """Six weapon profiles against nine troopers, a sergeant and their leader."""
    volleys = [
        wh40k.Volley(wh40k.Weapon.parse(text), count, precision=precision)
        for text, count in zip(PROFILES, COUNTS, strict=True)
    ]
    unit = wh40k.TargetUnit(
        "squad",
        [
            wh40k.Target("trooper", toughness=4, save="3+", wounds=2, models=9),
            wh40k.Target("sergeant", toughness=4, save="3+", invulnerable="4+", wounds=3),
        ],
        [wh40k.Target("leader", toughness=4, save="2+", invulnerable="4+", wounds=5, feel_no_pain="5+")],
        allocation=allocation,
    )
    return wh40k.attack(volleys, unit, exact=exact, edition="10e").kills


HARD = {
    "200 devastating, Sustained Hits D3, D3 damage": lambda: devastating(200),
    "50 devastating, Feel No Pain 4+ against mortal wounds": lambda: devastating(50, mortal=4),
    "six profiles, attached unit, Precision at the leader": attached,
    "six profiles, attached unit, no Precision": lambda: attached(precision=False),
}


def hard() -> dict[str, Cost]:
    """Return what the hard calls cost, in multiples of job A."""
    reference = {"job A": lambda: ours(JOBS["A"], exact=False)}
    return costs_of(blocks_of({**HARD, **reference}, blocks=5, rounds=4, seconds=15), "job A")


KINDS = {
    "plain": plain,
    "devastating": devastating,
    "devastating, in order": lambda attacks: devastating(attacks, mortal=4),
}


def growth(rounds: int) -> dict[str, dict[int, float]]:
    """Least times of each kind of attacks by their number, in seconds."""
    calls = {(kind, n): lambda call=call, n=n: call(n) for kind, call in KINDS.items() for n in ATTACKS}
    least = interleaved_minima(calls, rounds=rounds, seconds=60)
    return {kind: {n: least[kind, n] for n in ATTACKS} for kind in KINDS}


def shown(times: dict[str, dict[int, float]]) -> tuple[str, bool]:
    """Return the times with bars, and whether they grow no worse than quadratically."""
    rows, holds = [], True
    for kind, by_number in times.items():
        for before, number in zip((None, *ATTACKS), ATTACKS, strict=False):
            time = by_number[number]
            bar = "#" * max(1, round(6 * log10(time * 1e5)))
            exponent = ""
            if before is not None:
                exponent = f"{log(time / by_number[before]) / log(number / before):.1f}"
            rows.append((kind, str(number), f"{time * 1e3:.2f} ms", exponent, bar))
        # From end to end: a single step of the shortest calls is as much noise as work.
        holds &= by_number[ATTACKS[-1]] / by_number[ATTACKS[0]] <= (ATTACKS[-1] / ATTACKS[0]) ** 2
        holds &= by_number[400] / by_number[100] <= 4**2 * MARGIN
    return markdown(("attacks", "number", "float64", "exponent", "logarithmic"), rows), holds


def drawn(times: dict[str, dict[int, float]], path: str) -> None:
    """Draw the times over the number of attacks, with the slope of a square beside them."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    _, axes = plt.subplots()
    for (kind, by_number), line in zip(times.items(), ("o-", "s--", "^:"), strict=True):
        axes.loglog(list(by_number), [time * 1e3 for time in by_number.values()], line, label=kind)
    square = [1e3 * times["plain"][ATTACKS[0]] * (n / ATTACKS[0]) ** 2 for n in ATTACKS]
    axes.loglog(ATTACKS, square, color="0.6", label="quadratic")
    axes.set(title="40k 10th edition, float64", xlabel="attacks", ylabel="time in ms")
    axes.legend()
    plt.savefig(path)


def others(rounds: int) -> str:
    """Return the times of what has no limit: exact arithmetic, wounds in order, and allocation by plan."""
    calls = {
        "50 devastating, exact": lambda: devastating(50, exact=True),
        "200 devastating, Feel No Pain 4+ against mortal wounds": lambda: devastating(200, mortal=4),
        "50 devastating, Feel No Pain 4+ against mortal wounds, exact": lambda: devastating(
            50, mortal=4, exact=True
        ),
        "six profiles, attached unit, exact": lambda: attached(exact=True),
        "six profiles, no Precision, best allocation": lambda: attached(precision=False, allocation="best"),
    }
    least = interleaved_minima(calls, rounds=rounds, seconds=60)
    return markdown(("call", "time"), [(name, f"{time * 1e3:.1f} ms") for name, time in least.items()])


def main() -> int:
    """Measure, and compare with the baseline if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    parser.add_argument("--plot", metavar="FILE", help="draw the growth with the number of attacks")
    options = parser.parse_args()
    plain(1)  # what a first attack loads is no part of the next
    counts = {name: calls_of(call) for name, call in HARD.items()}
    status = finish("sequence_hard", options, hard, counts)
    times = growth(4)
    if options.plot:
        drawn(times, options.plot)
    curve, quadratic = shown(times)
    print(curve, "", sep="\n")
    if not options.gate:
        print(others(3))
    return int(bool(status) or (options.gate and not quadratic))


if __name__ == "__main__":
    sys.exit(main())
