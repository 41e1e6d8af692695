"""Products of arrays: on one thread, and a row of them whatever stands in the rows beside it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mathhammer.distributions.bulk import row_products

pytestmark = pytest.mark.slow

#: Runs the statement and prints how often a thread of BLAS was woken. A thread is counted as it goes to sleep again,
#: after it has spun for a while, so the numbers are read when all sleep: before the statement and after it.
WATCH = """
import os, time
from pathlib import Path

import numpy as np
THREADS = [each for each in Path("/proc/self/task").iterdir() if each.name != str(os.getpid())]
def switches():
    lines = [line for each in THREADS for line in (each / "status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if "ctxt_switches" in line)

from mathhammer import analysis, wh40k
gun = wh40k.Weapon.parse("Gun: A2 BS3+ S4 AP-1 DD6 [DEVASTATING WOUNDS]")
other = wh40k.Weapon.parse("Other: A2 BS3+ S4 AP-1 D2 [LETHAL HITS]")
unit = wh40k.Target("Unit", toughness=4, save="3+", wounds=10, models=20, feel_no_pain="5+")
ten = wh40k.Target("Ten", toughness=4, save="3+", wounds=10, models=10)
huge = wh40k.Target("Huge", toughness=4, save="3+", wounds=10, models=20)
def asleep():
    last = -1
    while last != (last := switches()):
        time.sleep(0.2)
    return last
before = asleep()
STATEMENT
print(asleep() - before, len(THREADS))
"""

STATEMENTS = {
    "a grid": "analysis.grid([wh40k.Volley(gun, n) for n in range(1, 99)], [unit, huge, 'MEQ'])",
    "an assignment": (
        "analysis.assign([wh40k.Volley(gun, n) for n in range(1, 9)], [ten, 'MEQ'], objective='models')"
    ),
}


def woken(statement: str) -> int:
    """How often a thread of BLAS is woken by a statement, in a process that has three of them."""
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", WATCH.replace("STATEMENT", statement)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "4"},
    )
    count, threads = map(int, done.stdout.split())
    if threads == 0:
        pytest.skip("numpy's BLAS has no threads here")
    return count


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are watched in /proc")


@needs_proc
def test_the_watch_sees_a_product_of_numpy_on_threads():
    assert woken("np.ones((900, 900)) @ np.ones((900, 900))") > 0


@needs_proc
@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_no_product_wakes_the_threads_of_blas(statement):
    assert woken(statement) == 0


@pytest.mark.parametrize(("sums", "columns"), [(7, 5), (41, 33), (120, 130), (700, 21)])
def test_a_row_is_the_same_beside_other_rows_and_zeros(sums, columns):
    rng = np.random.default_rng(sums)
    rows, matrix = rng.random((50, sums)), rng.random((sums, columns))
    whole = row_products(rows, matrix)
    more = row_products(
        np.concatenate((rows, np.zeros((50, 9))), axis=1), np.concatenate((matrix, rng.random((9, columns))))
    )
    assert (whole == more).all()
    for first, last in ((0, 1), (3, 4), (7, 20), (48, 50)):
        assert (row_products(rows[first:last], matrix) == whole[first:last]).all()
