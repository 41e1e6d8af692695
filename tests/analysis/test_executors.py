"""The grid on threads, on processes and on a cluster: equal numbers, and what happens when a worker ends."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from tenth import analysis, wh40k

from mathhammer import MathhammerError
from mathhammer.rosters import sample_army

pytestmark = pytest.mark.cluster

TARGETS = "CHAFF, MEQ, TEQ, VEQ, KEQ, CTAN"


def _weapons() -> list[wh40k.Weapon]:
    return [
        wh40k.Weapon.parse(f'Gun {index}: 24" A{1 + index % 5} BS{2 + index % 4}+ S{3 + index % 7} AP-1 DD3')
        for index in range(24)
    ]


def _same(one: analysis.Grid, other: analysis.Grid) -> None:
    for metric in ("mean_wounds_lost", "mean_kills", "probability_destroyed", "points_destroyed"):
        np.testing.assert_array_equal(one.metric(metric), other.metric(metric))
    for mine, theirs in zip(one.kill_distributions, other.kill_distributions, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("block", [1, 2, 5, 7, 50])
def test_no_digit_differs_with_the_size_of_the_blocks(block):
    hordes = [
        wh40k.Target("Horde", toughness=3, save="5+", wounds=1, models=60, feel_no_pain="5+"),
        wh40k.Target("Herd", toughness=6, save="4+", wounds=10, models=20, feel_no_pain="6+"),
    ]
    for attackers in (_weapons(), [wh40k.Volley(weapon, 7) for weapon in _weapons()], sample_army()):
        for targets in (TARGETS, hordes):
            _same(analysis.grid(attackers, targets, block=block), analysis.grid(attackers, targets))


def test_threads():
    with ThreadPoolExecutor(2) as pool:
        _same(analysis.grid(_weapons(), TARGETS, executor=pool, block=5), analysis.grid(_weapons(), TARGETS))


def test_processes():
    army = sample_army()
    seen = []
    with ProcessPoolExecutor(2) as pool:
        table = analysis.grid(army, TARGETS, executor=pool, block=4, progress=lambda *at: seen.append(at))
    _same(table, analysis.grid(army, TARGETS))
    assert seen[-1] == (len(table.attackers), len(table.attackers))


class Replacing(Executor):
    """A pool that does something else as its second task."""

    def __init__(self, pool: Executor, function: Any, argument: int) -> None:
        self.pool, self.other, self.tasks = pool, (function, argument), 0

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.tasks += 1
        return (
            self.pool.submit(*self.other) if self.tasks == 2 else self.pool.submit(function, *args, **kwargs)
        )


def test_a_broken_pool_is_one_clear_error():
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(
            MathhammerError, match=r"a worker of it ended first: BrokenProcessPool: .* try fewer workers"
        ),
    ):
        analysis.grid(_weapons(), TARGETS, executor=Replacing(pool, os._exit, 1), block=2)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_a_closed_pool_is_one_clear_error(kind):
    with kind(1) as pool:
        pool.shutdown()
        with pytest.raises(
            MathhammerError, match=r"it takes no work: .* after shutdown; give one that is open"
        ):
            analysis.grid(_weapons(), TARGETS, executor=pool, block=2)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_a_pool_that_is_closed_in_the_middle_is_one_clear_error(kind):
    with kind(1) as pool:  # of which all other tasks wait for a sleep

        def close(done: int, total: int) -> None:
            assert done < total
            pool.shutdown(wait=False, cancel_futures=True)

        with pytest.raises(
            MathhammerError, match=r"it was closed first; leave it open until the table is finished"
        ):
            analysis.grid(
                _weapons(), TARGETS, executor=Replacing(pool, time.sleep, 2), block=1, progress=close
            )


def test_a_killed_worker_of_a_pool_is_one_clear_error():
    with ProcessPoolExecutor(1) as pool:

        def kill(*_: int) -> None:
            for worker in pool._processes:
                os.kill(worker, signal.SIGKILL)

        with pytest.raises(MathhammerError, match=r"a worker of it ended first: BrokenProcessPool: "):
            analysis.grid(
                _weapons(), TARGETS, executor=Replacing(pool, time.sleep, 60), block=1, progress=kill
            )


def test_errors_of_a_block_come_through():
    many = [*_weapons(), wh40k.Volley(_weapons()[0], 10**6)]
    with ProcessPoolExecutor(1) as pool, pytest.raises(MathhammerError, match="20,000 attacks"):
        analysis.grid(many, TARGETS, executor=pool, block=5)


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_of_two_and_a_worker_killed_in_the_middle():
    distributed = pytest.importorskip("distributed", reason="a cluster needs the extra 'distributed'")
    expected = analysis.grid(_weapons(), TARGETS)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor()
        _same(analysis.grid(_weapons(), TARGETS, executor=executor, block=4), expected)
        victims = list(client.run(os.getpid).values())

        def kill_one(done: int, total: int) -> None:
            if victims and done < total:
                os.kill(victims.pop(), 9)
                victims.clear()

        _same(
            analysis.grid(_weapons(), TARGETS, executor=executor, block=2, progress=kill_one, cover=False),
            expected,
        )
        assert not victims
        client.close()
        with pytest.raises(MathhammerError, match=r"it (was closed first|takes no work)"):
            analysis.grid(_weapons(), TARGETS, executor=executor, block=2)
