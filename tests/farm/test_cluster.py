"""A sweep on a real cluster: three Ray nodes, guarded by a token, one of which dies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.farm.drivers import WEEKS, Driver, eventually, lines, results, sweep
from tests.farm.nodes import Cluster

pytestmark = pytest.mark.xdist_group("cluster")

SWEEP = ("sweep", "s", "--planners", "naive greedy")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A head and two nodes."""
    started = Cluster(nodes=2)
    yield started
    started.close()


@pytest.fixture(scope="module")
def inline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The 15 live weeks played in one process."""
    runs = tmp_path_factory.mktemp("inline")
    assert Driver(*SWEEP, "--workers", "0", "--runs", runs).end().returncode == 0
    return runs / "s"


@pytest.fixture(scope="module")
def submitted(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The same as a job, its results at a URL; that URL, and the job's log."""
    url = f"file://{tmp_path_factory.mktemp('bucket')}"
    job = cluster.submit("python", "-m", "actors", *SWEEP, "--runs", url)
    assert job.returncode == 0, job.stdout + job.stderr
    return url, job.stdout


def test_a_submitted_job_plays_the_live_weeks(submitted: tuple[str, str]) -> None:
    _, log = submitted
    assert "30 of 30 done, 0 running, 0 failed" in log
    assert "30 played, 0 were there, 0 failed." in log


def test_its_results_fetched_are_those_of_one_process(
    submitted: tuple[str, str], inline: Path, tmp_path: Path
) -> None:
    fetched = Driver("fetch", "s", submitted[0], "--runs", tmp_path).end()
    assert fetched.stdout.startswith("30 results fetched, 0 were there.")
    assert results(tmp_path / "s") == results(inline)
    assert len(results(inline)) == 30


@pytest.mark.slow
def test_rolling_as_a_job_has_the_results_of_one_process(cluster: Cluster, tmp_path: Path) -> None:
    asked = ("sweep", "s", "--planners", "naive rolling")
    job = cluster.submit("python", "-m", "actors", *asked, "--runs", tmp_path / "job")
    assert "30 played, 0 were there, 0 failed." in job.stdout, job.stderr
    assert Driver(*asked, "--workers", "0", "--runs", tmp_path / "here").end().returncode == 0
    assert results(tmp_path / "job" / "s") == results(tmp_path / "here" / "s")


def test_a_job_is_refused_a_place_that_goes_with_it(cluster: Cluster) -> None:
    job = cluster.submit("python", "-m", "actors", *SWEEP)
    assert job.returncode != 0
    assert "portsim: --runs runs is in the job's own folder" in job.stdout


def test_without_its_token_a_cluster_is_not_joined(cluster: Cluster, tmp_path: Path) -> None:
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 32}
    refused = sweep("s", "--address", cluster.address, "--runs", tmp_path, **token)
    assert refused.returncode == 2
    told = refused.stderr.splitlines()[-1]
    assert told.startswith(f"portsim: cannot join the Ray cluster at {cluster.address}: ")
    assert told.endswith(
        "is its token the one in RAY_AUTH_TOKEN or ~/.ray/auth_token, with RAY_AUTH_MODE=token?"
    )
    assert not (tmp_path / "s" / "results.jsonl").exists()


def test_jobs_of_a_node_that_dies_are_done_by_another(cluster: Cluster, tmp_path: Path) -> None:
    """The node is switched off in the middle of a week; each result is there once, and right."""
    planner = f"tests.farm.policies:Held[folder={tmp_path}]"
    asked = ["s", "--weeks", ",".join(WEEKS), "--planners", f"naive {planner}"]
    driver = Driver(
        "sweep", *asked, "--address", cluster.address, "--runs", tmp_path, **cluster.token
    )
    eventually(lambda: len(list(tmp_path.glob("at-*"))) == 2, "no node got to a week")
    doomed = cluster.nodes.pop()
    here = {int(path.name.removeprefix("at-")) for path in tmp_path.glob("at-*")}
    assert here & set(doomed.processes()), "the doomed node plays no week"
    doomed.kill()
    (tmp_path / "open").touch()
    ended = driver.end()
    assert ended.returncode == 0, ended.stderr
    assert "6 played, 0 were there, 0 failed." in ended.stdout
    assert_as_naive(tmp_path / "s")
    lost = [record["attempts"] for record in lines(tmp_path / "s") if record["attempts"]]
    # Whether Ray hears of the process or of the node first is chance.
    assert lost in ([["its node died"]], [["its worker died"]])


def assert_as_naive(store: Path) -> None:
    found = results(store)
    assert len(found) == 6
    for (week, _), result in found.items():
        naive = found[week, "naive"]
        assert isinstance(result, dict)
        assert isinstance(naive, dict)
        assert result | {"planner": "naive"} == naive
