"""What the commands say, and what is left when they are interrupted, killed or refused."""

from __future__ import annotations

import json
import re
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from actors.cli_farm import ProgressLine
from actors.farm import Progress
from tests.farm.drivers import ROOT, WEEKS, Driver, environment, eventually, lines, results, sweep

SOME = ("--weeks", ",".join(WEEKS), "--planners", "naive greedy")
HERE = ("--workers", "0")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three weeks, each played with naive and greedy, in one process and in peace."""
    runs = tmp_path_factory.mktemp("runs")
    assert sweep("s", *SOME, *HERE, "--runs", runs).returncode == 0
    return runs / "s"


def held(runs: Path) -> tuple[str, ...]:
    """A sweep whose planner waits at its first watch until `open` is there."""
    runs.mkdir(exist_ok=True)
    planner = f"tests.farm.policies:Held[folder={runs}]"
    weeks = ("--weeks", ",".join(WEEKS))
    return ("s", *weeks, "--planners", f"naive {planner}", "--workers", "2", "--runs", str(runs))


def waiting(runs: Path) -> bool:
    """Whether both workers are in the middle of a week, and others are done."""
    store = runs / "s" / "results.jsonl"
    done = store.exists() and len(store.read_text().splitlines()) >= 1
    return done and len(list(runs.glob("at-*"))) == 2


def working(driver: Driver) -> list[str]:
    """Its workers. Two idle agents of Ray's look for their cluster for a minute before they go."""
    return [command for command in driver.left() if "ray::WorkerProcess" in command]


def assert_whole(runs: Path) -> None:
    """Each of the six jobs has one result, and Held's are naive's."""
    found = results(runs / "s")
    assert len(found) == 6
    for (week, planner), result in found.items():
        assert isinstance(result, dict)
        naive = found[week, "naive"]
        assert isinstance(naive, dict)
        assert result | {"planner": ""} == naive | {"planner": ""}, planner


def test_the_same_command_again_plays_nothing(undisturbed: Path) -> None:
    before = results(undisturbed)
    again = sweep("s", *SOME, *HERE, "--runs", undisturbed.parent)
    assert again.returncode == 0
    assert again.stdout.startswith("0 played, 6 were there, 0 failed.\n")
    assert results(undisturbed) == before


def test_a_sweep_on_ray_has_the_results_of_one_in_this_process(
    undisturbed: Path, tmp_path: Path
) -> None:
    assert sweep("s", *SOME, "--workers", "2", "--runs", tmp_path).returncode == 0
    assert results(tmp_path / "s") == results(undisturbed)


def test_as_json_a_sweep_is_one_object(tmp_path: Path) -> None:
    said = json.loads(sweep("s", *SOME, *HERE, "--runs", tmp_path, "--json").stdout)
    assert said["folder"] == str(tmp_path / "s")
    assert (said["done"], said["skipped"], said["failed"], said["retried"]) == (6, 0, 0, 0)


def test_a_planner_named_twice_plays_once(tmp_path: Path) -> None:
    twice = ("--planners", "naive naive", "--weeks", WEEKS[0])
    assert sweep("s", *twice, *HERE, "--runs", tmp_path).stdout.startswith("1 played")


def test_the_first_failure_is_told_and_that_it_stays(tmp_path: Path) -> None:
    words = ("s", "--weeks", WEEKS[0], "--planners", "tests.farm.policies:leaves", *HERE)
    stays = "What failed stays so under this name: a sweep of another name plays it again."
    done, again = (sweep(*words, "--runs", tmp_path) for _ in range(2))
    assert (done.returncode, again.returncode) == (0, 0)
    told = rf"0 played, 0 were there, 1 failed\.\nThe first to fail: .*SystemExit.*\n{stays}"
    assert re.match(told, done.stdout)
    assert again.stdout.startswith(f"0 played, 1 were there (1 failed), 0 failed.\n{stays}\n")


def test_a_repair_is_told(tmp_path: Path) -> None:
    once = ("s", "--weeks", WEEKS[0], *HERE, "--runs", tmp_path)
    sweep(*once)
    with (tmp_path / "s" / "results.jsonl").open("a") as store:
        store.write('{"job":')
    assert "dropped 7 bytes of a torn last line" in sweep(*once).stdout


def test_progress_tells_all_there_is_to_tell() -> None:
    progress = Progress(100, done=30, skipped=10, failed=2, running=2, retried=1)
    progress.rewards, progress.reward_sum = 32, 8.0
    progress.started -= 64
    assert ProgressLine.text(progress) == (
        "40 of 100 done, 2 running, 2 failed, 0.5/s, 1 done again, 1 min 56 s left, "
        "mean reward 0.2500"
    )


def test_without_a_terminal_progress_is_a_plain_log(tmp_path: Path) -> None:
    told = sweep("s", "--weeks", WEEKS[0], *HERE, "--runs", tmp_path).stderr
    assert re.fullmatch(r"1 of 1 done, 0 running, 0 failed, .*\n", told)
    assert "\r" not in told
    assert "\x1b" not in told


def test_interrupted_it_leaves_its_results_and_no_process(tmp_path: Path) -> None:
    driver = Driver("sweep", *held(tmp_path))
    eventually(lambda: waiting(tmp_path), "two workers never got to their weeks")
    driver.process.send_signal(signal.SIGINT)
    ended = driver.end()
    assert ended.returncode == 130
    assert ended.stderr.splitlines()[-1] == "portsim: interrupted"
    eventually(lambda: not driver.left(), "Ray's processes are still there")
    (tmp_path / "open").touch()
    assert sweep(*held(tmp_path)).returncode == 0
    assert_whole(tmp_path)


def test_killed_it_leaves_its_results_and_is_resumed(tmp_path: Path) -> None:
    driver = Driver("sweep", *held(tmp_path))
    eventually(lambda: waiting(tmp_path), "two workers never got to their weeks")
    driver.process.kill()
    driver.end()
    kept = lines(tmp_path / "s")
    eventually(lambda: not working(driver), "its workers are still there")
    (tmp_path / "open").touch()
    resumed = sweep(*held(tmp_path))
    assert f"{6 - len(kept)} played, {len(kept)} were there, 0 failed." in resumed.stdout
    assert lines(tmp_path / "s")[: len(kept)] == kept
    assert_whole(tmp_path)


def test_a_second_driver_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    first = Driver("sweep", *held(tmp_path))
    eventually(lambda: waiting(tmp_path), "two workers never got to their weeks")
    second = sweep(*held(tmp_path))
    assert second.returncode == 2
    assert second.stderr == (
        f"portsim: {tmp_path}/s is being written by {_process(first)}; wait for it, or end it\n"
    )
    (tmp_path / "open").touch()
    assert first.end().returncode == 0
    assert_whole(tmp_path)


def _process(driver: Driver) -> str:
    return f"process {driver.process.pid} on {socket.gethostname()}"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--tier", "calm"), "no week is selected at the live port, tier calm"),
        (("--weeks", " , "), "no week is selected at the live port, tier any"),
        (("--weeks", "dock-24B-w07x1-busy-9"), "no week 'dock-24B-w07x1-busy-9'"),
        (("--planners", ""), "no planner named"),
        (("--pack", "foo", "--weeks", WEEKS[0]), "'foo'"),
        (("--planners", "naiv"), "no planner 'naiv'; did you mean naive?"),
        (("--planners", "naive[x"), "'naive[x' is no planner"),
        (("--file", "/nonexistent"), "No such file or directory"),
        (("--runtime", "rays"), "no runtime 'rays'; did you mean ray?"),
        (("--workers", "1", "--address", "127.0.0.1:1"), "no Ray cluster answers at 127.0.0.1:1"),
        (("--workers", "1", "--address", "nonsense"), "no Ray cluster answers at nonsense"),
        (("--workers", "0", "--address", "127.0.0.1:1"), "joins no cluster"),
        (("--runs", "/dev/null"), "/dev/null/s: Not a directory"),
        (("--planners", "greedy"), "other settings: planners: 1 there, 1 now, no longer naive"),
    ],
)
def test_bad_input_is_one_line_and_leaves_the_store_as_it_was(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    once = ("s", "--weeks", WEEKS[0], *HERE, "--runs", str(tmp_path))
    assert sweep(*once).returncode == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "s").iterdir()}
    refused = sweep(*once, *words)
    assert refused.returncode == 2
    assert told in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert "Traceback" not in refused.stderr
    after = {path.name: path.read_bytes() for path in (tmp_path / "s").iterdir()}
    assert {**after, "lock": b""} == {**before, "lock": b""}


def test_a_name_that_is_no_folder_of_its_own_is_refused(tmp_path: Path) -> None:
    for name in ("..", "a/b", ""):
        refused = sweep(name, "--weeks", WEEKS[0], *HERE, "--runs", tmp_path / "runs")
        assert refused.returncode == 2
        assert "names no folder" in refused.stderr
    assert not (tmp_path / "runs").exists()


def test_a_full_disk_is_one_line_and_what_was_kept_is_whole(
    undisturbed: Path, tmp_path: Path
) -> None:
    """The disk, here a limit on the size of a file, is full in the middle of the third result."""
    sizes = [len(line) + 1 for line in (undisturbed / "results.jsonl").read_text().splitlines()]
    room = sum(sizes[:2]) + sizes[2] // 2
    words = [sys.executable, "-m", "actors", "sweep", "s", *SOME, *HERE, "--runs", str(tmp_path)]
    full = subprocess.run(
        words,
        cwd=ROOT,
        env=environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 2
    assert full.stderr == f"portsim: {tmp_path}/s/results.jsonl: File too large\n"
    assert len(lines(tmp_path / "s")) == 2
    assert sweep("s", *SOME, *HERE, "--runs", tmp_path).stdout.startswith("4 played, 2 were")
    assert results(tmp_path / "s") == results(undisturbed)


def test_results_elsewhere_are_fetched_once(undisturbed: Path, tmp_path: Path) -> None:
    url = f"file://{tmp_path}/bucket"
    assert sweep("s", *SOME, *HERE, "--runs", url).returncode == 0
    for fetched in (6, 0):
        said = Driver("fetch", "s", url, "--runs", tmp_path / "here", "--json").end().stdout
        assert json.loads(said)["fetched"] == fetched
    assert results(tmp_path / "here" / "s") == results(undisturbed)


def test_results_in_a_job_s_own_folder_would_be_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from actors.cli_farm import FarmError, open_store

    unpacked = tmp_path / "runtime_resources" / "working_dir_files" / "_ray_pkg_1"
    unpacked.mkdir(parents=True)
    monkeypatch.chdir(unpacked)
    with pytest.raises(FarmError, match="which Ray deletes with the job"):
        open_store("runs", "s", {})
    open_store(str(tmp_path / "runs"), "s", {}).close()
