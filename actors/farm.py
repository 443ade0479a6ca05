"""How are thousands of jobs done, on this machine or on a cluster, each once and none lost?

A job is fixed by its own fields. The driver keeps a bounded number in flight as Ray tasks, does a
job again whose worker or node died (three attempts in all, each recorded), and records a job that
fails by its own fault once, with its error. What is in the store is not done again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from .journal import digest
from .store import Record, Store

ATTEMPTS = 3
IN_FLIGHT_PER_CORE = 4
"""Batches of jobs: enough that a worker never waits for the driver, few enough that a crash
repeats little."""
LOOK_AGAIN_SECONDS = 1.0
"""How often the driver looks whether the cluster has grown, when nothing else happens."""


@dataclass(frozen=True)
class Job:
    """What to do: the name of the work and its fields, all of them JSON."""

    work: str
    fields: Mapping[str, Any]

    @cached_property
    def id(self) -> str:
        return digest({"work": self.work, **self.fields})


Work = Callable[[Mapping[str, Any]], Record]
"""Does a job from its fields; the same fields give the same result."""

Ended = tuple[Job, Record]
"""A job and what came of it: result, error, seconds, attempts that were lost before."""


@dataclass
class Progress:
    """How far the farm is. The mean reward is over all results there are, of earlier runs too.

    `skipped` were there already, `failed_before` of them with an error.
    """

    total: int | None
    done: int = 0
    skipped: int = 0
    failed: int = 0
    failed_before: int = 0
    running: int = 0
    waiting: int = 0
    retried: int = 0
    rewards: int = 0
    reward_sum: float = 0.0
    first_error: str | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Jobs a second, in this run."""
        return (self.done + self.failed) / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        if self.total is None or not self.done + self.failed:
            return None
        return (self.total - self.skipped - self.done - self.failed) / self.rate

    @property
    def mean_reward(self) -> float | None:
        return self.reward_sum / self.rewards if self.rewards else None

    def count(self, record: Record) -> None:
        """Count a job that ended in this run."""
        self.retried += len(record["attempts"])
        if record["error"] is None:
            self.done += 1
        else:
            self.failed += 1
            self.first_error = self.first_error or record["error"]

    def earned(self, reward: float | None) -> None:
        if reward is not None:
            self.rewards += 1
            self.reward_sum += reward


Report = Callable[[Progress], None]


class Hands(Protocol):
    """Who does the work. `put` starts a job; `take` waits a little for jobs to end."""

    @property
    def room(self) -> int:
        """How many jobs to have in flight."""
        ...

    @property
    def slots(self) -> int:
        """How many of them can run at once."""
        ...

    def put(self, job: Job) -> None: ...

    def take(self) -> Sequence[Ended]: ...


def run(
    jobs: Iterable[Job],
    store: Store,
    hands: Hands,
    report: Report | None = None,
    total: int | None = None,
    heed: Callable[[Record], None] | None = None,
) -> Progress:
    """Do every job that is not in the store yet, and keep what came of it.

    `jobs` is drawn from only as fast as they are done, and `heed` is told of each that was done
    now, so what is asked for may depend on what came of it. When this returns, every result is
    durable.
    """
    progress = Progress(total)
    missing = _missing(jobs, store, progress)
    in_flight = 0
    job = next(missing, None)
    while job is not None or in_flight:
        while job is not None and in_flight < hands.room:
            hands.put(job)
            in_flight += 1
            job = next(missing, None)
        for ended in hands.take():
            in_flight -= 1
            record = _keep(ended, store, progress)
            if heed is not None:
                heed(record)
        store.flush()
        progress.running = min(in_flight, hands.slots)
        progress.waiting = in_flight - progress.running
        if report is not None:
            report(progress)
    store.flush(now=True)
    return progress


def _missing(jobs: Iterable[Job], store: Store, progress: Progress) -> Iterator[Job]:
    """The jobs to do. One that is asked for twice is done once."""
    asked: set[str] = set()
    for job in jobs:
        if job.id in asked:
            progress.skipped += 1
        elif job.id in store.done:
            asked.add(job.id)
            progress.skipped += 1
            progress.failed_before += job.id in store.failed
            progress.earned(store.done[job.id])
        else:
            asked.add(job.id)
            yield job


def _keep(ended: Ended, store: Store, progress: Progress) -> Record:
    job, record = ended
    kept = {"job": job.id, "work": job.work, "fields": dict(job.fields), **record}
    store.append(kept)
    progress.count(record)
    progress.earned(store.done[job.id])
    return kept


def attempt(
    work: str, fields: Mapping[str, Any], through: tuple[type[BaseException], ...] = ()
) -> Record:
    """Do a job here. An error of its own is part of the record; those in `through` are raised."""
    from .work import do

    started = time.monotonic()
    result, error = do(work, fields, through)
    return {"result": result, "error": error, "seconds": round(time.monotonic() - started, 3)}


class ThisProcess:
    """One job after the other, in the driver itself: the bare loop."""

    room = slots = 1

    def __init__(self) -> None:
        self._job: Job | None = None

    def put(self, job: Job) -> None:
        self._job = job

    def take(self) -> Sequence[Ended]:
        job, self._job = self._job, None
        return [] if job is None else [(job, {**attempt(job.work, job.fields), "attempts": []})]
