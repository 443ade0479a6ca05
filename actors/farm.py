"""How are thousands of jobs done, on this machine or on a cluster, each once and none lost?

A job is fixed by its own fields. The driver keeps a bounded number in flight as Ray tasks, does a
job again whose worker or node died (three attempts in all, each recorded), and records a job that
fails by its own fault once, with its error. What is in the store is not done again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from .journal import digest
from .store import Record, Store

ATTEMPTS = 3
IN_FLIGHT_PER_CORE = 4
"""Enough that a worker never waits for the driver, few enough that a crash repeats little."""
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


@dataclass
class Progress:
    """How far the farm is. `reward_sum` is over the results that have a reward."""

    total: int | None
    done: int = 0
    skipped: int = 0
    failed: int = 0
    running: int = 0
    retried: int = 0
    rewards: int = 0
    reward_sum: float = 0.0
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
        if self.total is None or not self.rate:
            return None
        return (self.total - self.skipped - self.done - self.failed) / self.rate

    @property
    def mean_reward(self) -> float | None:
        return self.reward_sum / self.rewards if self.rewards else None

    def count(self, record: Record) -> None:
        if record["error"] is not None:
            self.failed += 1
            return
        self.done += 1
        reward = record["result"].get("reward")
        if isinstance(reward, float | int):
            self.rewards += 1
            self.reward_sum += reward


Report = Callable[[Progress], None]


class Hands(Protocol):
    """Who does the work. `put` starts a job, `take` waits for one to end (None: for too long)."""

    @property
    def room(self) -> int: ...

    def put(self, job: Job) -> None: ...

    def take(self) -> tuple[Job, Record] | None: ...


def run(
    jobs: Iterable[Job],
    store: Store,
    hands: Hands,
    report: Report | None = None,
    total: int | None = None,
) -> Progress:
    """Do every job that is not in the store yet, and keep what came of it."""
    progress = Progress(total)
    waiting = _missing(jobs, store, progress)
    job = next(waiting, None)
    while job is not None or progress.running:
        while job is not None and progress.running < hands.room:
            hands.put(job)
            progress.running += 1
            job = next(waiting, None)
        if (ended := hands.take()) is not None:
            _keep(ended, store, progress)
        if report is not None:
            report(progress)
    return progress


def _missing(jobs: Iterable[Job], store: Store, progress: Progress) -> Iterator[Job]:
    asked: set[str] = set()
    for job in jobs:
        if job.id in store.done:
            progress.skipped += 1
        elif job.id not in asked:
            asked.add(job.id)
            yield job


def _keep(ended: tuple[Job, Record], store: Store, progress: Progress) -> None:
    job, record = ended
    progress.running -= 1
    progress.retried += len(record["attempts"])
    store.append({"job": job.id, "work": job.work, "fields": dict(job.fields), **record})
    progress.count(record)


def attempt(work: str, fields: Mapping[str, Any]) -> Record:
    """Do a job here. An error of its own is part of the record."""
    from .work import do

    started = time.monotonic()
    result, error = do(work, fields)
    return {"result": result, "error": error, "seconds": round(time.monotonic() - started, 3)}


class ThisProcess:
    """One job after the other, in the driver itself: the bare loop."""

    room = 1

    def __init__(self) -> None:
        self._job: Job | None = None

    def put(self, job: Job) -> None:
        self._job = job

    def take(self) -> tuple[Job, Record] | None:
        job, self._job = self._job, None
        if job is None:
            return None
        return job, {**attempt(job.work, job.fields), "attempts": []}
