"""Who does the jobs on a cluster? Ray tasks, as many in flight as its cores can use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ray
from ray.exceptions import (
    LocalRayletDiedError,
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    OwnerDiedError,
    WorkerCrashedError,
)

from .farm import ATTEMPTS, IN_FLIGHT_PER_CORE, LOOK_AGAIN_SECONDS, Job, attempt
from .store import Record

WORKER_LOST = (
    WorkerCrashedError,
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    OwnerDiedError,
    LocalRayletDiedError,
)


class Crew:
    """Jobs as Ray tasks. Ray's own retries are off: each attempt is ours to record.

    `workers` bounds how many run at once (None: as many as the cluster has cores, counted anew
    as it grows). `cores` is what a job takes of a node.
    """

    def __init__(self, workers: int | None = None, cores: float = 1) -> None:
        self._workers = workers
        self._cores = cores
        self._task = ray.remote(num_cpus=cores, max_retries=0)(attempt)
        self._flying: dict[Any, Job] = {}
        self._lost: dict[str, list[str]] = {}

    @property
    def room(self) -> int:
        if self._workers is not None:
            return self._workers
        there: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        return max(2, int(IN_FLIGHT_PER_CORE * there.get("CPU", 1.0) / self._cores))

    def put(self, job: Job) -> None:
        self._flying[self._task.remote(job.work, _plain(job.fields))] = job

    def take(self) -> tuple[Job, Record] | None:
        ready, _ = ray.wait(list(self._flying), num_returns=1, timeout=LOOK_AGAIN_SECONDS)
        if not ready:
            return None
        job = self._flying.pop(ready[0])
        try:
            record: Record = ray.get(ready[0])
        except WORKER_LOST as error:
            return self._again(job, error)
        return job, {**record, "attempts": self._lost.pop(job.id, [])}

    def _again(self, job: Job, error: Exception) -> tuple[Job, Record] | None:
        lost = self._lost.setdefault(job.id, [])
        lost.append(type(error).__name__)
        if len(lost) < ATTEMPTS:
            self.put(job)
            return None
        del self._lost[job.id]
        told = f"its worker was lost {len(lost)} times: {', '.join(lost)}"
        return job, {"result": None, "error": told, "seconds": None, "attempts": lost}


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    return dict(fields)
