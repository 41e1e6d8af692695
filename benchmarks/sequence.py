"""The attack sequence against warhammer-stats, the one other Python package with distributions.

Run ``python benchmarks/sequence.py``. Both sides answer the same question about the same attacks, which neither has
seen before: ``kills_dist`` against ``.kills``, and ``run()`` against all five distributions. With ``--gate`` it fails
where a job makes more calls than in the baseline, the first attack of a process does, or the command line loads more
modules: see ``gate.py``.

Jobs A-D: 20 attacks of Damage 1 on ten two-wound models; 10 attacks of Damage D6 on five three-wound models with
Feel No Pain; 60 attacks of Damage D3 on ten such models; job A with 2D6 attacks. Skill, Strength, AP, Toughness and
Save are drawn anew for each call. Profiles are built in each call on both sides, and the peer's memo tables are
emptied.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from dataclasses import dataclass, replace

import warhammer_stats as peer
from gate import Cost, add_options, calls_of, finish
from measure import cpu_seconds, total_time
from warhammer_stats.attack.phases import kill_phase

from mathhammer import wh40k

#: Attacks of each kind in a block, and blocks.
DRAWN, BLOCKS = 8, 9


@dataclass(frozen=True)
class Job:
    """One attack, as both packages are told of it."""

    attacks: int | str
    strength: int
    ap: int
    damage: int | str
    toughness: int
    save: int
    wounds: int
    models: int
    invulnerable: int | None = None
    feel_no_pain: int | None = None
    skill: int = 3

    def drawn(self, rng: random.Random) -> Job:
        """Return the same kind of attack with other characteristics."""
        attacks = self.attacks + rng.randint(-2, 2) if isinstance(self.attacks, int) else self.attacks
        return replace(
            self,
            attacks=attacks,
            skill=rng.randint(2, 5),
            strength=rng.randint(3, 12),
            ap=-rng.randint(0, 3),
            toughness=rng.randint(3, 12),
            save=rng.randint(2, 6),
        )


JOBS = {
    "A": Job(20, 4, -1, 1, 4, 3, 2, 10),
    "B": Job(10, 8, -3, "D6", 5, 2, 3, 5, invulnerable=4, feel_no_pain=5),
    "C": Job(60, 5, -1, "D3", 4, 3, 3, 10, feel_no_pain=5),
    "D": Job("2D6", 4, -1, 1, 4, 3, 2, 10),
}


def ours(job: Job, *, exact: bool, all_five: bool = False) -> object:
    """Build the profiles and ask for the distribution of models destroyed, or for all five."""
    weapon = wh40k.Weapon(
        "weapon",
        range='24"',
        attacks=job.attacks,
        skill=job.skill,
        strength=job.strength,
        ap=job.ap,
        damage=job.damage,
    )
    target = wh40k.Target(
        "target",
        toughness=job.toughness,
        save=job.save,
        invulnerable=job.invulnerable,
        wounds=job.wounds,
        models=job.models,
        feel_no_pain=job.feel_no_pain,
    )
    result = wh40k.attack(weapon, target, exact=exact, edition="10e")
    if all_five:
        return result.hits, result.wounds, result.unsaved, result.damage, result.kills
    return result.kills


def theirs(job: Job, *, all_five: bool = False) -> object:
    """The same through warhammer-stats 0.1.1."""
    for name in (
        "generate_kill_tree",
        "generate_mortal_kill_tree",
        "generate_one_kill_tree",
        "calculate_kills",
    ):
        getattr(kill_phase, name).cache_clear()
    weapon = peer.Weapon(
        bs=job.skill, shots=_pmf(job.attacks), strength=job.strength, ap=-job.ap, damage=_pmf(job.damage)
    )
    target = peer.Target(
        toughness=job.toughness,
        save=job.save,
        invuln=job.invulnerable or 7,
        fnp=job.feel_no_pain or 7,
        wounds=job.wounds,
    )
    attack = peer.Attack(weapon, target)
    return attack.run() if all_five else attack.kills_dist


def _pmf(value: int | str) -> object:
    if isinstance(value, int):
        return peer.PMFCollection.static(value)
    count, _, sides = value.partition("D")
    return peer.PMFCollection.mdn(int(count or 1), int(sides))


def measure(rng: random.Random) -> dict[str, Cost]:
    """Return what each job costs of the peer's time, on attacks that no call has seen before."""
    times: dict[str, list[tuple[float, float]]] = {}
    for _ in range(BLOCKS):
        for name, job in JOBS.items():
            for question, all_five in (("", False), (", all five", True)):
                jobs = [job.drawn(rng) for _ in range(DRAWN)]
                peers = total_time(lambda each, five=all_five: theirs(each, all_five=five), jobs)
                for kind, exact in (("float64", False), ("exact", True)):
                    mine = total_time(
                        lambda each, x=exact, five=all_five: ours(each, exact=x, all_five=five), jobs
                    )
                    times.setdefault(f"{name} {kind}{question}", []).append((mine, peers))
    return {name: Cost.of([mine / peers for mine, peers in blocks]) for name, blocks in times.items()}


def counted(first: dict[str, int]) -> dict[str, dict[str, int]]:
    """Count the calls of each kind of job, beside those of the first attack of all."""
    rng = random.Random(16)  # noqa: S311 - a sample, not a secret
    found = {
        "the first attack of a process": first,
        "start of mathhammer army": {"modules": modules_of_army()},
    }
    for name, job in JOBS.items():
        jobs = [job.drawn(rng) for _ in range(DRAWN)]
        for kind, exact in (("float64", False), ("exact", True)):

            def work(jobs: list[Job] = jobs, exact: bool = exact) -> None:  # noqa: FBT001 - bound
                for each in jobs:
                    ours(each, exact=exact)

            found[f"{name} {kind}"] = calls_of(work)
    return found


TARGETS = "CHAFF,GEQ,MEQ,TEQ,VEQ,TANK,KEQ,CTAN"


def modules_of_army() -> int:
    """Return how many modules ``mathhammer army`` on the sample roster loads."""
    code = (
        "import atexit, runpy, sys;"
        "atexit.register(lambda: print(len(sys.modules), file=sys.stderr));"
        f"sys.argv = ['mathhammer', 'army', '--against', '{TARGETS}'];"
        "runpy.run_module('mathhammer', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - ours
    return int(done.stderr)


def start_up(rounds: int) -> Cost:
    """CPU time of ``mathhammer army`` on the sample roster, as a multiple of that of importing numpy."""
    army = [sys.executable, "-m", "mathhammer", "army", "--against", TARGETS]
    numpy = [sys.executable, "-c", "import numpy"]
    return Cost.of([cpu_seconds(army, rounds=1) / cpu_seconds(numpy, rounds=1) for _ in range(rounds)])


def main() -> int:
    """Measure, and compare with the baseline if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    options = parser.parse_args()
    first = calls_of(lambda: ours(JOBS["A"], exact=True))
    for job in JOBS.values():  # load what is loaded once
        theirs(job), ours(job, exact=False, all_five=True), ours(job, exact=True, all_five=True)
    counts, rng = counted(first), random.Random()  # noqa: S311 - a sample, not a secret

    def all_costs() -> dict[str, Cost]:
        return {**measure(rng), "start of mathhammer army": start_up(5)}

    return finish("sequence", options, all_costs, counts)


if __name__ == "__main__":
    sys.exit(main())
