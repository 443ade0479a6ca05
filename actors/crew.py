"""Who does the jobs on a cluster? Ray tasks, as many in flight as its cores can use."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
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

WORKER_LOST = (
    WorkerCrashedError,
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    LocalRayletDiedError,
)
ROLE_LOST = (*WORKER_LOST, RayActorError)
"""What a job itself hears when a role's process is lost with its node: not the job's fault."""


class CrewError(PortsimError):
    """A cluster whose workers cannot do any job, whichever it is."""


class Crew:
    """Jobs as Ray tasks. Ray's own retries are off: each attempt is ours to record.

    `workers` bounds how many run at once (None: as many as the cluster has cores, counted anew
    as it grows). `cores` is what a job takes of a node.
    """

    def __init__(self, workers: int | None = None, cores: float = 1) -> None:
        self._workers = workers
        self._cores = cores
        self._task = ray.remote(num_cpus=cores, max_retries=0)(_attempt)
        self._flying: dict[Any, Job] = {}
        self._lost: dict[str, list[str]] = {}
        self._there = 0
        self._looked: float | None = None

    @property
    def slots(self) -> int:
        there = self._fit()
        return there if self._workers is None else min(self._workers, there)

    @property
    def room(self) -> int:
        """More than can run, so that no worker waits and a cluster that can grow is asked to.

        Where the cluster has more cores than `workers`, only the number in flight bounds them.
        """
        there = self._fit()
        if self._workers is not None and self._workers < there:
            return self._workers
        return IN_FLIGHT_PER_CORE * max(1, there)

    def _fit(self) -> int:
        """How many jobs the cluster's cores can take, as of a moment ago."""
        now = time.monotonic()
        if self._looked is None or now - self._looked >= LOOK_AGAIN_SECONDS:
            there: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
            self._there, self._looked = int(there.get("CPU", 0.0) / self._cores), now
        return self._there

    def put(self, job: Job) -> None:
        self._flying[self._task.remote(job.work, dict(job.fields))] = job

    def take(self) -> Sequence[Ended]:
        """What has ended, after waiting a second at most for a first one."""
        refs = list(self._flying)
        if not ray.wait(refs, num_returns=1, timeout=LOOK_AGAIN_SECONDS)[0]:
            return []
        ready, _ = ray.wait(refs, num_returns=len(refs), timeout=0)
        landed = [self._landed(ref) for ref in ready]
        return [ended for ended in landed if ended is not None]

    def _landed(self, ref: Any) -> Ended | None:
        job = self._flying.pop(ref)
        try:
            record: Record = ray.get(ref)
        except WORKER_LOST as error:
            return self._again(job, type(error).__name__)
        except RayTaskError as error:
            if isinstance(error.cause, ROLE_LOST):
                return self._again(job, type(error.cause).__name__)
            raise _unfit(error.cause) from error
        except RayError as error:
            raise _unfit(error) from error
        return job, {**record, "attempts": self._lost.pop(job.id, [])}

    def _again(self, job: Job, what: str) -> Ended | None:
        lost = self._lost.setdefault(job.id, [])
        lost.append(what)
        if len(lost) < ATTEMPTS:
            self.put(job)
            return None
        del self._lost[job.id]
        told = f"its worker was lost {len(lost)} times: {', '.join(lost)}"
        return job, {"result": None, "error": told, "seconds": None, "attempts": lost}


def _attempt(work: str, fields: Mapping[str, Any]) -> Record:
    return attempt(work, fields, through=ROLE_LOST)


def _unfit(error: BaseException) -> CrewError:
    """A worker that could not begin says nothing about the job."""
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    return CrewError(
        f"the cluster's workers cannot run portsim: {type(error).__name__}: {first}; every node "
        f"needs its packages, and a job its folder: ray job submit --working-dir ."
    )
