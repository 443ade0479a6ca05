"""What does the farm cost: the driver, a second worker's gain, the memory of a long queue?"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from actors.crew import Crew
from actors.farm import Hands, Job, run
from actors.on_ray import cluster
from actors.store import Store
from actors.sweep import Sweep, jobs
from actors.work import do
from port.packs import week_ids
from port.view import View
from references.naive import naive

from . import Row

JOBS = 200
ROUNDS = 3
"""Bare loops, one worker and two in turn: what else the machine does meets them alike."""
QUEUE = 100_000


class Pondering:
    """Naive, planned so often that a week takes at least 50 ms: work that needs a core."""

    def __init__(self, times: int) -> None:
        self._times = times

    def __call__(self, view: View) -> object:
        for _ in range(self._times):
            naive(view)
        return naive(view)


class Waiting:
    """Naive, 50 ms late each week as one that asks a model is: work that needs no core."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __call__(self, view: View) -> object:
        if view.watch == 0:
            time.sleep(self._seconds)
        return naive(view)


def episodes(planner: str, number: int = JOBS) -> list[Job]:
    """So many episodes over the live weeks, played in turn."""
    weeks = week_ids("live")
    sweep = Sweep("live", weeks, [planner], repetitions=number // len(weeks) + 1)
    by_repetition = sorted(jobs(sweep), key=lambda job: int(job.fields["repetition"]))
    return list(islice(by_repetition, number))


def bare(asked: Sequence[Job]) -> float:
    """Episodes a second of a loop that does nothing else."""
    began = time.perf_counter()
    for job in asked:
        _, error = do(job.work, job.fields)
        assert error is None, error
    return len(asked) / (time.perf_counter() - began)


def farmed(asked: Sequence[Job], hands: Hands) -> float:
    """Episodes a second of the farm, every result on the disk."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder), {}) as store:
        began = time.perf_counter()
        progress = run(asked, store, hands)
        assert progress.done == len(asked), progress.first_error
        return len(asked) / (time.perf_counter() - began)


class Rates(NamedTuple):
    """Episodes a second: a bare loop, two of them at once, one worker of the farm and two."""

    loop: float
    loops: float
    one: float
    two: float


def at_work(workers: int) -> Crew:
    """Workers that have started and played: what follows is their pace, and not their start."""
    crew = Crew(workers)
    while crew.slots < workers:
        farmed(episodes("benchmarks.farm:Waiting[seconds=0.05]", 20 * workers), crew)
    return crew


def rates(planner: str, number: int = JOBS) -> Rates:
    """Medians, on one cluster of two cores."""
    asked = episodes(planner, number)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawn) as pair:
        bare(asked)
        side_by_side(pair, asked)
        rounds = [
            (
                bare(asked),
                side_by_side(pair, asked),
                farmed(asked, at_work(1)),
                farmed(asked, at_work(2)),
            )
            for _ in range(ROUNDS)
        ]
    return Rates(*(statistics.median(column) for column in zip(*rounds, strict=True)))


def side_by_side(pair: ProcessPoolExecutor, asked: Sequence[Job]) -> float:
    """What two bare loops do that share nothing but the machine: no farm of two can do more."""
    return sum(pair.map(bare, [asked, asked]))


def throughput() -> Iterator[Row]:
    """Naive as it is, and slowed down to the length of job the targets are for."""
    # Ray runs workers at low priority, so that they, and not the bare loop, would yield to others.
    os.environ |= {"RAY_worker_niceness": "0"}
    with cluster("local", cores=2):
        naive_weeks = rates("naive", 2 * JOBS)
        yield Row("naive weeks, bare loop", naive_weeks.loop, "per s")
        yield Row("naive weeks, farm with 1 worker", naive_weeks.one, "per s")
        yield Row("naive weeks, farm with 2 workers", naive_weeks.two, "per s")
        yield from against(rates("benchmarks.farm:Pondering[times=45]"), "longer weeks")
        yield from against(rates("benchmarks.farm:Waiting[seconds=0.05]"), "weeks that wait")


def against(rate: Rates, what: str) -> Iterator[Row]:
    """The farm against bare loops, on weeks of the length its targets are for."""
    yield Row(f"{what}, bare loop: a week's time", 1e3 / rate.loop, "ms", ">= 50")
    yield Row(f"{what}, 1 worker against the loop", 100 * (1 - rate.one / rate.loop), "%", "<= 5")
    yield Row(f"{what}, 2 workers against 1", rate.two / rate.one, "times", ">= 1.9")
    yield Row(f"{what}, 2 bare loops against 1", rate.loops / rate.loop, "times")


LONG_QUEUE = f"""
import resource, sys
from pathlib import Path
from actors.crew import Crew
from actors.farm import Job, run
from actors.on_ray import cluster
from actors.store import Store

jobs = (Job("play", {{"week": str(n), "port": "live", "planner": "naive", "parameters": {{}},
                      "repetition": n, "seed": 0, "runtime": "inline"}}) for n in range({QUEUE}))
with cluster("local", cores=2), Store(Path(sys.argv[1]), {{}}) as store:
    progress = run(jobs, store, Crew(), total={QUEUE})
assert progress.failed == {QUEUE}, progress
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, progress.seconds)
"""
"""Jobs of weeks there are not: each goes through queue, worker and store, and takes no time."""


def long_queue() -> Iterator[Row]:
    """A queue of 100,000 jobs: the most memory its driver took, and a job's way through it."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", LONG_QUEUE, folder]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        megabytes, seconds = map(float, done.stdout.split())
    yield Row(f"driver's memory, {QUEUE:,} jobs, two workers", megabytes, "MB", "<= 500")
    yield Row("an empty job through queue, worker and store", 1e3 * seconds / QUEUE, "ms", "<= 1")


MEASURES = (throughput, long_queue)
