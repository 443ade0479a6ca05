"""Does the command `portsim` say what was wrong, exit as it should, and leave what it should?

Each test runs the program as its users do, in a process and a folder of its own.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.actors.playing import LIVE, ROOT, published

UNSOUND, WRONG_CALL, INTERRUPTED, NOBODY_READS = 1, 2, 130, 141
SMALL = "dock-24B-w37x1-standard-0"
PATIENCE = 60
"""Seconds anything may take that should take one."""

POLICIES = """
import itertools
import os

from references.naive import naive
from references.replan import Rolling

def fails(view):
    if view.watch == 2:
        raise RuntimeError("no idea")
    return naive(view)

def stuck(view):
    if view.watch == 2:
        print("STUCK", flush=True)
        for _ in itertools.count():
            os.sched_yield()
    return naive(view)

class Solves:
    def __init__(self):
        self.rolling = Rolling()

    def __call__(self, view):
        self.rolling(view)
        return stuck(view)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(POLICIES)
    return tmp_path


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "actors", *words]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "RAY_ADDRESS": "local", **more}


def run(
    folder: Path, *words: str, expect: int = 0, **more: str
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command(*words),
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == expect, done.stderr
    assert ("Traceback" in done.stderr) == ("PORTSIM_DEBUG" in more)
    return done


# ---- wrong calls -------------------------------------------------------------------------------

WRONG = {
    "no such command": (["plan"], ["'plan'"]),
    "no such option": (["weeks", "--prot", "live"], ["--prot"]),
    "an option without value": (["weeks", "--port"], ["--port"]),
    "no week": (["show"], ["WEEK"]),
    "port of weeks": (["weeks", "--port", "harbour"], ["'harbour'", "dock, live, marine, wind"]),
    "port misspelt": (["show", LIVE, "--port", "marin"], ["'marin'", "did you mean 'marine'"]),
    "week of show": (["show", "dock-24B-w07x1-busy-1"], ["'dock-24B-w07x1-busy-1'", LIVE]),
    "week of play": (["play", "dock-24B-w7x1-busy-0"], ["'dock-24B-w7x1-busy-0'", LIVE]),
    "a week not of the port": (["play", "dock-36A-w36x2-storm-0"], ["'live'", "nearest"]),
    "week of check": (["check", "dock-24B", "mine.py"], ["'dock-24B'", "nearest"]),
    "planner": (["play", LIVE, "--planner", "greedi"], ["'greedi'", "did you mean greedy"]),
    "runtime": (["play", LIVE, "--runtime", "rya"], ["'rya'", "ray, inline"]),
    "setting": (["play", LIVE, "--set", "workers"], ["NAME=VALUE", "'workers'"]),
    "parameter": (["play", LIVE, "--set", "depth=3"], ["'naive'", "takes no parameters"]),
    "no plan file": (["check", LIVE, "nowhere.json"], ["nowhere.json: No such file"]),
    "a folder for a plan": (["check", LIVE, "."], [".: Is a directory"]),
    "a plan that is no JSON": (["check", LIVE, "mine.py"], ["no plan to check", "no JSON"]),
    "statistics of a tier": (["weeks", "--statistics", "--tier", "storm"], ["whole pack"]),
    "infinity": (
        ["play", LIVE, "--planner", "rolling", "--set", "limit=Infinity"],
        ["limit must be a number of seconds above 0, got 'Infinity'"],
    ),
    "no run": (["replay", "nowhere"], ["nowhere: No such file"]),
    "a folder without a run": (["replay", "."], ["journal.jsonl: No such file"]),
    "a file that is no journal": (["replay", "mine.py"], ["mine.py, line 1 is no journal line"]),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_call_is_told_in_a_line_and_writes_nothing(what: str, folder: Path) -> None:
    words, told = WRONG[what]
    done = run(folder, words[0], "--json", *words[1:], expect=WRONG_CALL)
    assert done.stdout == ""
    assert done.stderr.startswith("portsim: ")
    assert done.stderr.count("\n") == 1
    for text in told:
        assert text in done.stderr
    assert [path.name for path in folder.iterdir() if path.name != "__pycache__"] == ["mine.py"]


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"\xff\xfe[]", "not UTF-8"), (b" " * 5_000_001, "5000001 bytes"), (b"{}", "no plan")],
    ids=["not text", "too large", "no plan"],
)
def test_a_plan_file_that_holds_no_plan_is_told(content: bytes, told: str, folder: Path) -> None:
    (folder / "plan.json").write_bytes(content)
    if content == b"{}":
        assert json.loads(run(folder, "check", LIVE, "plan.json", "--json").stdout)["reward"] == 0
    else:
        assert told in run(folder, "check", LIVE, "plan.json", expect=WRONG_CALL).stderr


def test_called_with_nothing_it_says_what_there_is(folder: Path) -> None:
    done = run(folder)
    assert all(name in done.stdout for name in ("weeks", "show", "play", "check", "replay"))


# ---- what a run leaves ---------------------------------------------------------------------------


def play(folder: Path, *more: str, expect: int = 0) -> subprocess.CompletedProcess[str]:
    return run(folder, "play", LIVE, "--runtime", "inline", *more, expect=expect)


def test_a_run_leaves_journal_result_and_plan(folder: Path) -> None:
    said = json.loads(play(folder, "--out", "mine", "--json").stdout)
    naive = published("live")[LIVE]["naive"]
    assert (said["reward"], said["cost"]) == (naive["reward"], naive["cost"])
    kept = json.loads((folder / "mine" / "result.json").read_text())
    assert {**kept, "folder": "mine"} == said
    assert len(json.loads((folder / "mine" / "plan.json").read_text())) == said["ships"]
    back = json.loads(run(folder, "replay", "mine", "--json").stdout)
    assert (back["same"], back["whole"], back["reward"]) == (True, True, naive["reward"])


def test_a_runs_plan_can_be_checked(folder: Path) -> None:
    play(folder, "--port", "dock", "--out", "mine")
    checked = json.loads(run(folder, "check", LIVE, "mine/plan.json", "--json").stdout)
    assert checked["cost"] == published("dock")[LIVE]["naive"]


def test_runs_have_folders_of_their_own(folder: Path) -> None:
    play(folder)
    play(folder)
    names = sorted(path.name for path in (folder / "runs").iterdir())
    assert names == [f"{LIVE}-live-naive", f"{LIVE}-live-naive-2"]


@pytest.mark.parametrize("there", ["a file", "a folder with something in it"])
def test_an_out_that_is_taken_is_left_alone(there: str, folder: Path) -> None:
    out = folder / "out"
    kept = out if there == "a file" else out / "journal.jsonl"
    kept.parent.mkdir(exist_ok=True)
    kept.write_text("precious")
    done = play(folder, "--out", "out", expect=WRONG_CALL)
    assert "out exists already" in done.stderr
    assert kept.read_text() == "precious"


def test_an_empty_folder_may_be_out(folder: Path) -> None:
    (folder / "out").mkdir()
    play(folder, "--out", "out")
    assert (folder / "out" / "journal.jsonl").exists()


def test_a_place_where_nothing_can_be_written_is_told(folder: Path) -> None:
    (folder / "runs").write_text("not a folder")
    assert "cannot make runs/" in play(folder, expect=WRONG_CALL).stderr


def test_a_full_disk_is_told(folder: Path) -> None:
    """/dev/full takes nothing, whoever writes."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command("weeks"),
            cwd=folder,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert (done.returncode, done.stderr.count("\n")) == (WRONG_CALL, 1)
    assert "No space left" in done.stderr


def test_a_policy_that_fails_leaves_the_journal_up_to_there(folder: Path) -> None:
    done = play(folder, "--planner", "mine:fails", "--out", "out", expect=WRONG_CALL)
    assert "planner 'mine:fails' failed at watch 2 (hour 42): RuntimeError: no idea" in done.stderr
    assert "in out" in done.stderr
    assert [path.name for path in (folder / "out").iterdir()] == ["journal.jsonl"]
    back = json.loads(run(folder, "replay", "out", "--json").stdout)
    assert (back["same"], back["whole"], back["reward"]) == (True, False, None)


def test_the_traceback_is_there_for_those_who_ask(folder: Path) -> None:
    words = ("play", LIVE, "--runtime", "inline", "--planner", "mine:fails")
    done = run(folder, *words, expect=WRONG_CALL, PORTSIM_DEBUG="1")
    assert 'raise RuntimeError("no idea")' in done.stderr


def test_a_replay_that_differs_exits_1(folder: Path) -> None:
    """The journal of another planner's week, under its own heading, is another journal."""
    play(folder, "--out", "out")
    path = folder / "out" / "journal.jsonl"
    head, *rest = path.read_text().splitlines()
    digest = json.loads(head)["heading"]["digest"]
    other = '"heading":' + json.dumps(json.loads(head)["heading"], separators=(",", ":"))
    path.write_text(sealed([other.replace(digest, "0" * 16)]))
    assert "another version" in run(folder, "replay", "out", expect=UNSOUND).stderr
    said = json.loads(run(folder, "replay", "out", "--json", expect=UNSOUND).stdout)
    assert said["same"] is False
    assert rest


def sealed(contents: list[str]) -> str:
    from hashlib import sha256

    text, seal = "", ""
    for number, content in enumerate(contents):
        seal = sha256((seal + content).encode()).hexdigest()
        text += f'{{"n":{number},{content},"hash":"{seal}"}}\n'
    return text


# ---- output ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["weeks"],
        ["weeks", "--port", "wind", "--tier", "busy"],
        ["weeks", "--match", "nothing has this in its name"],
        ["show", LIVE],
        ["show", f"{LIVE}-e04", "--port", "wind"],
        ["play", LIVE, "--runtime", "inline"],
        ["play", LIVE, "--port", "dock", "--runtime", "inline", "--planner", "greedy"],
        ["check", LIVE, "plan.json"],
    ],
)
def test_json_is_one_object_on_standard_output(words: list[str], folder: Path) -> None:
    (folder / "plan.json").write_text('[{"ship": 0, "berth_hour": 1, "section": 4}, 7]')
    done = run(folder, *words, "--json")
    assert isinstance(json.loads(done.stdout), dict)
    assert (done.stdout.count("\n"), done.stdout[-1]) == (1, "\n")
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["weeks", "--quay", "36A"], "dock-36A-w36x2-storm-0"),
        (["show", LIVE, "--port", "live"], "# Quay 24B"),
        (["play", LIVE, "--runtime", "inline"], "Reward 0.201516"),
        (["check", LIVE, "plan.json"], "Breaks rules"),
    ],
)
def test_people_read_text(words: list[str], told: str, folder: Path) -> None:
    (folder / "plan.json").write_text('[{"ship": 0, "berth_hour": 1, "section": 4}]')
    assert told in run(folder, *words).stdout


@pytest.mark.parametrize("words", [["weeks"], ["weeks", "--json"], ["show", LIVE]])
def test_listing_and_showing_import_neither_ray_nor_ortools(words: list[str], folder: Path) -> None:
    program = (
        "import sys\n"
        "from actors.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    heavy = {'ray', 'ortools', 'numpy'} & set(sys.modules)\n"
        "    print('IMPORTED', sorted(heavy), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "IMPORTED []\n")


def test_weeks_takes_less_than_half_a_second(folder: Path) -> None:
    """Of the processor's time, the best of three: other tests run on the same cores."""
    spent = []
    for _ in range(3):
        before = os.times()
        run(folder, "weeks")
        after = os.times()
        spent.append(after.children_user + after.children_system)
        spent[-1] -= before.children_user + before.children_system
    assert min(spent) < 0.5


@pytest.mark.parametrize("words", [["weeks"], ["play", LIVE, "--runtime", "inline"]])
def test_a_reader_that_leaves_is_no_traceback(words: list[str], folder: Path) -> None:
    with subprocess.Popen(
        command(*words),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        code = process.wait(PATIENCE)
    assert said == ""
    assert code in (UNSOUND, NOBODY_READS)  # 1 where rich wrote the line


PRINTS = """
import os

from references.naive import naive

print("loaded")

def prints(view):
    print("planned")
    return naive(view)

def wanders(view):
    os.chdir("/")
    return naive(view)
"""


def test_what_a_planner_prints_is_not_in_the_json_object(folder: Path) -> None:
    (folder / "theirs.py").write_text(PRINTS)
    done = play(folder, "--planner", "theirs:prints", "--json", "--out", "out")
    assert json.loads(done.stdout)["planner"] == "theirs:prints"
    assert done.stderr.splitlines().count("loaded") == 1
    assert "planned" in done.stderr
    assert "planned" in play(folder, "--planner", "theirs:prints", "--out", "plain").stdout


def test_a_planner_that_changes_its_folder_loses_nothing(folder: Path) -> None:
    (folder / "theirs.py").write_text(PRINTS)
    play(folder, "--planner", "theirs:wanders", "--out", "out")
    assert json.loads((folder / "out" / "result.json").read_text())["reward"] > 0


@pytest.mark.parametrize("content", [None, "[]", '{"optimum": "x"}', "no JSON"])
def test_a_pair_is_solved_where_the_cache_is_of_no_use(content: str | None, folder: Path) -> None:
    pair = "dock-24B-w06x1-busy-0-e03"
    cache = folder / "cache"
    if content is None:
        cache.write_text("a file where a folder would be")
    else:
        run(folder, *PAIR, pair, "--out", "first", XDG_CACHE_HOME=str(cache))
        (kept,) = (cache / "portsim").iterdir()
        assert json.loads(kept.read_text())["optimum"] == 87
        kept.write_text(content)
    done = run(folder, *PAIR, pair, "--out", "out", XDG_CACHE_HOME=str(cache))
    assert json.loads(done.stdout)["best"] == 87
    plan = str(folder / "out" / "plan.json")
    words = ("check", pair, plan, "--port", "wind", "--json")
    checked = run(folder, *words, XDG_CACHE_HOME=str(cache))
    assert json.loads(checked.stdout)["best"] == 87


PAIR = ("play", "--port", "wind", "--runtime", "inline", "--json")


# ---- Ctrl-C --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "runtime", ["inline", pytest.param("ray", marks=pytest.mark.xdist_group("ray"))]
)
def test_ctrl_c_leaves_a_journal_that_replays_and_no_process(runtime: str, folder: Path) -> None:
    process = subprocess.Popen(
        command("play", LIVE, "--runtime", runtime, "--planner", "mine:stuck", "--out", "out"),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert any("STUCK" in line for line in process.stdout)
        others = [pid for pid in session(process.pid) if pid != process.pid]
        assert len(others) >= 8 if runtime == "ray" else not others
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, said) == (INTERRUPTED, "portsim: interrupted\n")
    for pid in session(process.pid):
        wait_for_the_end_of(pid)
    assert list(session(process.pid)) == []
    back = json.loads(run(folder, "replay", "out", "--json").stdout)
    assert (back["same"], back["whole"]) == (True, False)
    assert not (folder / "out" / "result.json").exists()


def test_ctrl_c_still_interrupts_once_a_solver_has_run(folder: Path) -> None:
    with subprocess.Popen(
        command("play", SMALL, "--runtime", "inline", "--planner", "mine:Solves", "--out", "out"),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert any("STUCK" in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (INTERRUPTED, "portsim: interrupted\n")


def session(leader: int) -> Iterator[int]:
    """The processes of a session that still run: all a command started, and their children."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, sid, *_ = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(sid) == leader and state != "Z":
            yield int(stat.parent.name)


def wait_for_the_end_of(pid: int) -> None:
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([process], [], [], PATIENCE)[0], f"process {pid} outlived its week"
    finally:
        os.close(process)
