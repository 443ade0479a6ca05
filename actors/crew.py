"""Who does the jobs on a cluster? A pool of Ray actors, a worker for every core there is.

A worker has its next jobs waiting beside those it does, so that it never waits for the driver:
measured with jobs of 55 ms on a busy machine, workers were at work for 97% of the time, and for 88%
as Ray tasks, which a worker is given one at a time. Short jobs are given in batches, since the
driver needs a core as well: with jobs of 55 ms it took 1.2 ms of one a job and not 2.2, with jobs
that take no time 0.2 ms and not 0.9.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.exceptions import (
    LocalRayletDiedError,
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    RayActorError,
    RayError,
    RayTaskError,
    WorkerCrashedError,
)

from port.errors import PortsimError

from .farm import ATTEMPTS, IN_FLIGHT_PER_CORE, LOOK_AGAIN_SECONDS, Ended, Job, attempt
from .store import Record

LOST = (
    RayActorError,
    WorkerCrashedError,
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    LocalRayletDiedError,
)
"""What becomes of a job, or of a role's process in it, whose worker or node dies."""


STILLBORN = 10
"""So many workers that die before they have begun are not bad luck."""
IDLE_SECONDS = 2.0
"""A worker that is not needed for so long leaves: longer than one takes to start."""
BATCH_SECONDS = 0.25
"""Jobs are given together that take about as long: what a worker's death repeats."""
BATCH_MOST_SECONDS = 4 * BATCH_SECONDS
"""No job of a batch is begun after so long: it goes back to the driver."""
BATCH_JOBS = 32
LOOKED_BACK = 32
"""A job is thought to take as long as those that ended last took, so many of them, on average."""


class CrewError(PortsimError):
    """A cluster whose workers cannot do any job, whichever it is."""


class WorkerProcess:
    """A process on a node that does one batch of jobs after the other."""

    def hired(self) -> bool:
        """Answers once there was a core for it."""
        return True

    def do(self, batch: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Record | None]:
        """The records of the jobs in front: of all, unless they take longer than was thought.

        None for one that lost a process of its roles.
        """
        began = time.monotonic()
        records: list[Record | None] = []
        for work, fields in batch:
            if records and time.monotonic() - began > BATCH_MOST_SECONDS:
                break
            records.append(_attempted(work, fields))
        return records


def _attempted(work: str, fields: Mapping[str, Any]) -> Record | None:
    try:
        return attempt(work, fields, through=LOST)
    except LOST:
        return None


@dataclass(eq=False)
class _Worker:
    """A worker as the driver sees it: the batches it was given, the one it does first."""

    actor: Any
    hired: Any
    ready: bool = False
    given: dict[Any, list[Job]] = field(default_factory=dict)
    idle_since: float | None = None

    def awaited(self) -> list[Any]:
        return list(self.given) if self.ready else [self.hired]


class Crew:
    """Jobs done by a pool of workers. Ray repeats nothing by itself: each attempt is recorded.

    `workers` bounds how many there are (None: one for each core, counted anew as the cluster
    grows); `cores` is what a worker takes of a node. While there are more jobs than workers, more
    are asked for than there is room for: that is what makes an autoscaled cluster grow.
    """

    def __init__(self, workers: int | None = None, cores: float = 1) -> None:
        self._most = workers
        self._cores = cores
        self._process = ray.remote(num_cpus=cores, max_restarts=0, max_task_retries=0)(
            WorkerProcess
        )
        self._pool: list[_Worker] = []
        self._queue: deque[Job] = deque()
        self._lost: dict[str, list[str]] = {}
        self._took: deque[float] = deque(maxlen=LOOKED_BACK)
        self._stillborn = 0
        self._fit = 0
        self._looked: float | None = None

    @property
    def slots(self) -> int:
        return sum(worker.ready for worker in self._pool)

    @property
    def room(self) -> int:
        return IN_FLIGHT_PER_CORE * self._batch() * self._bounded(max(1, self._fitting()))

    def put(self, job: Job) -> None:
        self._queue.append(job)

    def take(self) -> Sequence[Ended]:
        """What has ended, after waiting a second at most for anything to happen."""
        self._hire()
        self._give()
        awaited = [ref for worker in self._pool for ref in worker.awaited()]
        if not ray.wait(awaited, num_returns=1, timeout=LOOK_AGAIN_SECONDS)[0]:
            return []
        news = set(ray.wait(awaited, num_returns=len(awaited), timeout=0)[0])
        return [ended for worker in list(self._pool) for ended in self._heard(worker, news)]

    # ---- workers -------------------------------------------------------------------------------

    def _bounded(self, number: int) -> int:
        return number if self._most is None else min(number, self._most)

    def _fitting(self) -> int:
        """How many workers the cluster's cores have room for, as of a moment ago."""
        now = time.monotonic()
        if self._looked is None or now - self._looked >= LOOK_AGAIN_SECONDS:
            there: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
            self._fit, self._looked = int(there.get("CPU", 0.0) / self._cores), now
        return self._fit

    def _hire(self) -> None:
        """Have as many workers as there is work for, and up to twice as many as there are cores."""
        busy = sum(bool(worker.given) for worker in self._pool)
        wanted = min(busy + len(self._queue), self._bounded(2 * max(1, self._fitting())))
        for _ in range(len(self._pool), wanted):
            actor: Any = self._process.remote()
            self._pool.append(_Worker(actor, actor.hired.remote()))
        self._let_go(len(self._pool) - wanted)

    def _let_go(self, spare: int) -> None:
        """Workers not needed for a while leave, those without a core first: nodes become idle."""
        now = time.monotonic()
        for worker in sorted(self._pool, key=lambda worker: worker.ready):
            if worker.given:
                continue
            worker.idle_since = worker.idle_since or now
            if spare > 0 and now - worker.idle_since >= IDLE_SECONDS:
                self._pool.remove(worker)
                spare -= 1

    def _batch(self) -> int:
        """How many jobs of the length they have had of late are given together."""
        if not self._took:
            return 1
        mean = sum(self._took) / len(self._took)
        return min(BATCH_JOBS, max(1, int(BATCH_SECONDS / max(mean, 1e-3))))

    def _give(self) -> None:
        """Give each worker a batch, and a next one while there are enough jobs for everyone."""
        ready = [worker for worker in self._pool if worker.ready]
        for worker in ready:
            if self._queue and not worker.given:
                self._begin(worker, len(ready))
        for worker in ready:
            if len(self._queue) > len(ready) and len(worker.given) == 1:
                self._begin(worker, len(ready))

    def _begin(self, worker: _Worker, sharing: int) -> None:
        """Batches become smaller towards the end, so that all the workers end together."""
        most = min(self._batch(), max(1, len(self._queue) // (2 * sharing)))
        batch = [self._queue.popleft()]
        while len(batch) < most and not self._alone(batch[-1]) and not self._alone(self._queue[0]):
            batch.append(self._queue.popleft())
        asked = [(job.work, dict(job.fields)) for job in batch]
        worker.given[worker.actor.do.remote(asked)] = batch
        worker.idle_since = None

    def _alone(self, job: Job) -> bool:
        """A job that lost an attempt may be what kills workers: it takes no other with it again."""
        return job.id in self._lost

    # ---- what comes back -----------------------------------------------------------------------

    def _heard(self, worker: _Worker, news: set[Any]) -> Iterator[Ended]:
        if not worker.ready:
            if worker.hired in news:
                self._begun(worker)
            return
        for ref in [ref for ref in worker.given if ref in news]:
            try:
                records: list[Record | None] = ray.get(ref)
            except RayTaskError as error:
                raise _unfit(error.cause) from error
            except LOST as error:
                yield from self._dead(worker, error)
                return
            except RayError as error:
                raise CrewError(f"the cluster failed: {_last_line(error)}") from error
            batch = worker.given.pop(ref)
            self._queue.extendleft(reversed(batch[len(records) :]))
            for job, record in zip(batch, records, strict=False):
                if record is None:
                    yield from self._again(job, "a process of its roles died")
                else:
                    self._took.append(record["seconds"])
                    yield job, {**record, "attempts": self._lost.pop(job.id, [])}

    def _begun(self, worker: _Worker) -> None:
        """A worker has a core now, or its node died before that, or it can do nothing at all."""
        try:
            worker.ready = ray.get(worker.hired)
            self._stillborn = 0
        except LOST as error:
            if isinstance(error, RayActorError) and error.actor_init_failed:
                raise _unfit(error) from error
            self._pool.remove(worker)
            self._stillborn += 1
            if self._stillborn == STILLBORN:
                told = f"{STILLBORN} workers in a row died before their first job"
                raise CrewError(f"{told}: {_last_line(error)}") from error
        except RayError as error:
            raise _unfit(error) from error

    def _dead(self, worker: _Worker, error: RayError) -> Iterator[Ended]:
        """All of the batch a dead worker was doing have lost an attempt; the next had not begun."""
        self._pool.remove(worker)
        doing, *waiting = worker.given.values()
        self._queue.extendleft(reversed([job for batch in waiting for job in batch]))
        node = "its node has died" in str(error) or isinstance(error, NodeDiedError)
        for job in reversed(doing):
            yield from self._again(job, "its node died" if node else "its worker died")

    def _again(self, job: Job, why: str) -> Iterator[Ended]:
        lost = self._lost.setdefault(job.id, [])
        lost.append(why)
        if len(lost) < ATTEMPTS:
            self._queue.appendleft(job)
            return
        del self._lost[job.id]
        told = f"lost {len(lost)} times: {', '.join(lost)}"
        yield job, {"result": None, "error": told, "seconds": None, "attempts": lost}


def _unfit(error: BaseException) -> CrewError:
    """A worker that could not begin says nothing about the job."""
    return CrewError(
        f"the cluster's workers cannot run portsim: {_last_line(error)}; every node needs its "
        f"packages, and a job its folder: ray job submit --working-dir ."
    )


def _last_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[-1].strip()
