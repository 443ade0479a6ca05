"""On a cluster a job whose worker dies is done again, three times in all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.crew import Crew, CrewError
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
    assert killed["attempts"] == ["WorkerCrashedError"]
    assert killed["result"]["reward"] == naive["result"]["reward"]
    assert len(list(tmp_path.glob("death-*"))) == 1


def test_a_job_that_kills_three_workers_is_given_up_with_each_attempt_recorded(
    tmp_path: Path,
) -> None:
    naive, killed = kept(tmp_path, deadly(tmp_path, times=9))
    assert killed["attempts"] == ["WorkerCrashedError"] * 3
    assert killed["error"].startswith("its worker was lost 3 times")
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


def test_a_crew_has_work_ready_for_each_core() -> None:
    assert (Crew().slots, Crew().room) == (2, 8)


def test_a_crew_of_fewer_workers_than_cores_has_no_more_under_way() -> None:
    assert (Crew(workers=1).slots, Crew(workers=1).room) == (1, 1)
