"""What does the farm cost: the driver, a second worker's gain, the memory of a long queue?"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from actors.farm import Hands, Job, run
from actors.store import Store
from actors.sweep import Sweep, jobs
from actors.work import do
from port.packs import week_ids
from port.view import View
from references.naive import naive

from . import Row

JOBS = 120
ROUNDS = 3
"""The bare loop, one worker and two in turn: what else the machine does meets them alike."""
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


def rates(planner: str, number: int = JOBS) -> tuple[float, float, float]:
    """Medians of the bare loop, of one worker and of two, on one cluster of two cores."""
    from actors.crew import Crew

    asked = episodes(planner, number)
    bare(asked)
    farmed(asked, Crew())
    rounds = [(bare(asked), farmed(asked, Crew(1)), farmed(asked, Crew(2))) for _ in range(ROUNDS)]
    loop, one, two = (statistics.median(column) for column in zip(*rounds, strict=True))
    return loop, one, two


def throughput() -> Iterator[Row]:
    """Naive as it is, and slowed down to the length of job the targets are for."""
    from actors.on_ray import cluster

    # Ray runs workers at low priority, so that they, and not the bare loop, would yield to others.
    os.environ |= {"RAY_worker_niceness": "0"}
    with cluster("local", cores=2):
        loop, one, two = rates("naive", 2 * JOBS)
        yield Row("naive weeks, bare loop", loop, "per s")
        yield Row("naive weeks, farm with 1 worker", one, "per s")
        yield Row("naive weeks, farm with 2 workers", two, "per s")
        loop, one, two = rates("benchmarks.farm:Pondering[times=45]")
        yield Row("longer weeks, bare loop: a week's time", 1e3 / loop, "ms", ">= 50")
        yield Row(
            "longer weeks, 1 worker against the bare loop", 100 * (1 - one / loop), "%", "<= 5"
        )
        yield Row("longer weeks, 2 workers against 1", two / one, "times", ">= 1.9")
        loop, one, two = rates("benchmarks.farm:Waiting[seconds=0.05]")
        yield Row("weeks that wait, bare loop: a week's time", 1e3 / loop, "ms", ">= 50")
        yield Row("weeks that wait, 1 worker against the loop", 100 * (1 - one / loop), "%", "<= 5")
        yield Row("weeks that wait, 2 workers against 1", two / one, "times", ">= 1.9")


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
