"""On a cluster a job whose worker dies is done again, three times in all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from actors.crew import BATCH_JOBS, Crew, CrewError, WorkerProcess
from actors.farm import Job, run
from actors.on_ray import cluster
from actors.store import Record, Store, read
from actors.sweep import Sweep, jobs
from tests.farm.drivers import WEEKS

pytestmark = pytest.mark.xdist_group("ray")


@pytest.fixture(scope="module", autouse=True)
def two_cores() -> Iterator[None]:
    with cluster("local", cores=2):
        yield


def kept(folder: Path, planner: str) -> tuple[Record, ...]:
    sweep = Sweep("live", WEEKS[:1], [planner, "naive"])
    with Store(folder / "store", {}) as store:
        run(jobs(sweep), store, Crew())
    return tuple(sorted(read(folder / "store"), key=lambda record: record["fields"]["planner"]))


def deadly(folder: Path, times: int) -> str:
    return f"tests.farm.policies:Deadly[folder={folder},times={times}]"


def test_a_job_whose_worker_is_killed_is_done_again(tmp_path: Path) -> None:
    naive, killed = kept(tmp_path, deadly(tmp_path, times=1))
    assert killed["attempts"] == ["its worker died"]
    assert killed["result"]["reward"] == naive["result"]["reward"]
    assert len(list(tmp_path.glob("death-*"))) == 1


def test_a_job_that_kills_three_workers_is_given_up_with_each_attempt_recorded(
    tmp_path: Path,
) -> None:
    naive, killed = kept(tmp_path, deadly(tmp_path, times=9))
    assert killed["attempts"] == ["its worker died"] * 3
    assert killed["error"].startswith("lost 3 times: ")
    assert len(list(tmp_path.glob("death-*"))) == 3
    assert naive["error"] is None


@pytest.mark.parametrize("planner", ["wrong", "leaves"])
def test_a_job_that_fails_by_itself_is_tried_once(tmp_path: Path, planner: str) -> None:
    _, failed = kept(tmp_path, f"tests.farm.policies:{planner}")
    assert failed["attempts"] == []
    assert failed["error"] is not None


def test_workers_that_cannot_do_any_job_stop_the_farm(tmp_path: Path) -> None:
    class Unpickled(str):
        def __reduce__(self) -> tuple[object, ...]:
            return __import__, ("a_module_no_worker_has",)

    with (
        Store(tmp_path, {}) as store,
        pytest.raises(CrewError, match=r"workers cannot run portsim: .*a_module_no_worker_has"),
    ):
        run([Job("play", {"week": Unpickled()})], store, Crew())
    assert list(read(tmp_path)) == []


def test_workers_that_cannot_begin_stop_the_farm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unborn:
        def __init__(self) -> None:
            raise ImportError("no module here")

        def hired(self) -> bool:
            return True

    monkeypatch.setattr("actors.crew.WorkerProcess", Unborn)
    with (
        Store(tmp_path, {}) as store,
        pytest.raises(CrewError, match="workers cannot run portsim: ImportError: no module here"),
    ):
        run(jobs(Sweep("live", WEEKS[:1], ["naive"])), store, Crew())


def test_workers_that_die_before_they_begin_stop_the_farm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stillborn:
        def hired(self) -> None:
            os._exit(1)

    monkeypatch.setattr("actors.crew.WorkerProcess", Stillborn)
    monkeypatch.setattr("actors.crew.STILLBORN", 3)
    with (
        Store(tmp_path, {}) as store,
        pytest.raises(CrewError, match="3 workers in a row died before their first job"),
    ):
        run(jobs(Sweep("live", WEEKS[:1], ["naive"])), store, Crew(workers=1))


def test_a_worker_whose_batch_takes_long_does_the_first_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("actors.crew.BATCH_MOST_SECONDS", -1.0)
    batch = [(job.work, job.fields) for job in jobs(Sweep("live", WEEKS, ["naive"]))]
    (record,) = WorkerProcess().do(batch)
    assert record is not None
    assert record["result"]["week"] == WEEKS[0]


def test_what_a_worker_did_not_begin_is_done_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hasty(WorkerProcess):
        def do(self, batch: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Record | None]:
            return super().do(batch[:1])

    monkeypatch.setattr("actors.crew.WorkerProcess", Hasty)
    crew = Crew(workers=1)
    with Store(tmp_path, {}) as store:
        run(jobs(Sweep("live", WEEKS, ["naive"], repetitions=20)), store, crew)
    assert crew.room > 4  # they were given in batches
    records = list(read(tmp_path))
    assert len(records) == 60
    assert all(record["attempts"] == [] and record["error"] is None for record in records)


def test_a_crew_has_work_at_hand_for_each_core() -> None:
    assert Crew().room == 8
    assert Crew(workers=1).room == 4


def test_a_crew_of_short_jobs_has_batches_of_them_at_hand(tmp_path: Path) -> None:
    crew = Crew()
    with Store(tmp_path, {}) as store:
        run(jobs(Sweep("live", WEEKS, ["naive"], repetitions=40)), store, crew)
    assert 8 < crew.room <= 8 * BATCH_JOBS


def test_a_job_that_kills_workers_takes_no_other_of_its_batch_with_it(tmp_path: Path) -> None:
    played = list(jobs(Sweep("live", WEEKS, ["naive"], repetitions=50)))
    deaths = list(jobs(Sweep("live", WEEKS[:1], [deadly(tmp_path, times=9)])))
    with Store(tmp_path / "store", {}) as store:
        run([*played[:75], *deaths, *played[75:]], store, Crew(workers=1))
    records = {record["job"]: record for record in read(tmp_path / "store")}
    assert len(records) == 151
    assert records[deaths[0].id]["attempts"] == ["its worker died"] * 3
    lost = [records[job.id]["attempts"] for job in played if records[job.id]["attempts"]]
    assert lost  # they were given together
    assert all(attempts == ["its worker died"] for attempts in lost)
    assert all(records[job.id]["error"] is None for job in played)
    assert len(list(tmp_path.glob("death-*"))) == 3


@pytest.mark.parametrize(("workers", "at_once"), [(None, 2), (1, 1), (5, 2)])
def test_there_are_as_many_workers_as_cores_or_as_asked_for(
    tmp_path: Path, workers: int | None, at_once: int
) -> None:
    sweep = Sweep("live", WEEKS, ["naive"], repetitions=10)
    crew, slots = Crew(workers), set[int]()
    with Store(tmp_path, {}) as store:
        run(jobs(sweep), store, crew, lambda _: slots.add(crew.slots))
    assert max(slots) == at_once
    assert len(list(read(tmp_path))) == 30


def test_a_job_that_waited_behind_one_that_kills_its_worker_has_lost_nothing(
    tmp_path: Path,
) -> None:
    planners = [deadly(tmp_path, times=1), "naive"]
    sweep = Sweep("live", WEEKS, planners, repetitions=4)
    with Store(tmp_path / "store", {}) as store:
        run(jobs(sweep), store, Crew(workers=1))
    lost = [record for record in read(tmp_path / "store") if record["attempts"]]
    assert len(list(read(tmp_path / "store"))) == 24
    assert [record["attempts"] for record in lost] == [["its worker died"]]
    assert lost[0]["fields"]["planner"] == "tests.farm.policies:Deadly"
