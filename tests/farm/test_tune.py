"""Search spaces are read, not run; a search finds the setting that plans best."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from actors.tune import SPACES, Trial, TuneError, domain, parse_space, spread, table
from tests.farm.drivers import WEEKS, Driver

PLANNER = "tests.farm.policies:Partial"


class Spaces:
    """ray.tune's spaces as their names and arguments."""

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: (name, *arguments)


@pytest.mark.parametrize(
    ("space", "made"),
    [
        ("choice(1, 8)", ("choice", [1, 8])),
        ("choice([1, 8])", ("choice", [1, 8])),
        ("choice(True, None, 'edd')", ("choice", [True, None, "edd"])),
        ("grid_search([12, 24])", ("grid_search", [12, 24])),
        ("uniform(-0.5, 2)", ("uniform", -0.5, 2)),
        ("qrandint(12, 168, 12)", ("qrandint", 12, 168, 12)),
    ],
)
def test_a_space_is_a_call_of_ray_tune_s(space: str, made: object) -> None:
    assert domain("x", space, Spaces()) == made


@pytest.mark.parametrize(
    "space",
    [
        "",
        "8",
        "choice",
        "exec('1')",
        "tune.choice(1)",
        "choice(a)",
        "choice(f(1))",
        "uniform(lower=1)",
    ],
)
def test_what_is_no_space_is_refused_and_not_run(space: str) -> None:
    with pytest.raises(TuneError, match=r"--space x: .* is no search space"):
        domain("x", space, Spaces())


def test_spaces_are_given_one_by_one_or_as_json() -> None:
    both = ["workers=choice(1,8)", '{"horizon": "uniform(12,48)", "greed": "randn()"}']
    assert parse_space(both) == {
        "workers": "choice(1,8)",
        "horizon": "uniform(12,48)",
        "greed": "randn()",
    }


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ([], "no --space given"),
        (["choice(1,8)"], "write name=choice"),
        (["a=choice(1)", "a=choice(2)"], "--space a is given twice"),
        (["{a"], "is no JSON"),
    ],
)
def test_spaces_that_are_not_told_well_are_refused(texts: list[str], told: str) -> None:
    with pytest.raises(TuneError, match=told):
        parse_space(texts)


def test_weeks_of_a_slice_are_spread_evenly() -> None:
    weeks = [str(n) for n in range(10)]
    assert spread(weeks, 4) == ["0", "2", "5", "7"]
    assert spread(weeks, 10) == spread(weeks, 99) == weeks


def test_the_table_tells_what_was_tried_and_what_failed() -> None:
    trials = [
        Trial({"a": 0.123456, "b": True}, 0.5, 3, 0, None),
        Trial({"a": 2, "b": None}, None, 0, 0, "out of memory"),
        Trial({"a": 3, "b": 1}, 0.0, 3, 3, None, "ValueError: no berth"),
    ]
    assert table(trials) == (
        "mean reward  weeks  failed  a       b\n"
        "0.5000       3      0       0.1235  true\n"
        "-            0      0       2       null\n"
        "0.0000       3      3       3       1\n"
        "A trial failed: out of memory\n"
        "The first week to fail: ValueError: no berth\n"
    )


def tune(runs: Path, *words: str) -> Any:
    asked = ("tune", "t", "--planner", PLANNER, "--weeks", ",".join(WEEKS), "--runs", runs)
    return Driver(*asked, "--workers", "2", *words).end()


@pytest.mark.skipif(
    importlib.util.find_spec("pyarrow") is not None, reason="ray.tune's packages are here"
)
def test_without_ray_tune_its_packages_are_named(tmp_path: Path) -> None:
    refused = tune(tmp_path, "--space", "skipped=choice(0,1)")
    assert refused.returncode == 2
    assert refused.stderr == (
        "portsim: portsim tune needs ray.tune's own packages, which take 170 MB: "
        "python -m pip install -r constraints-tune.txt\n"
    )
    assert list(tmp_path.iterdir()) == []


with_ray_tune = pytest.mark.skipif(
    importlib.util.find_spec("pyarrow") is None, reason="needs constraints-tune.txt"
)


@with_ray_tune
@pytest.mark.xdist_group("ray")
def test_a_search_finds_the_setting_that_plans_best(tmp_path: Path) -> None:
    asked = ("--space", "skipped=grid_search([50, 0, -1])", "--trials", "1", "--json")
    done = tune(tmp_path, *asked)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    settings = [trial["parameters"]["skipped"] for trial in said["trials"]]
    rewards = [trial["mean_reward"] for trial in said["trials"]]
    assert settings[0] == 0
    assert rewards[0] > 0.19, "naive's on these weeks"
    assert rewards[1:] == [0.0, 0.0]
    assert {trial["parameters"]["skipped"]: trial["failed"] for trial in said["trials"]} == {
        0: 0, 50: 0, -1: len(WEEKS),
    }  # fmt: skip
    kept = (tmp_path / "t" / "results.jsonl").read_bytes()
    again = tune(tmp_path, *asked)
    assert json.loads(again.stdout)["trials"][0] == said["trials"][0]
    assert (tmp_path / "t" / "results.jsonl").read_bytes() == kept


@with_ray_tune
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--search", "nonesuch"), "--search nonesuch: "),
        (("--scheduler", "nonesuch"), "--scheduler nonesuch: "),
        (("--space", "b=uniform(1)"), "--space b: uniform(1): "),
        (("--space", "b=choice()"), "--space b: choice() has no values"),
        (("--space", "b=randint(5,5)"), "--space b: randint(5,5)"),
        (("--space", "skiped=choice(0,1)"), "planner 'tests.farm.policies:Partial'"),
    ],
)
def test_what_ray_tune_has_not_is_refused_in_one_line(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    refused = tune(tmp_path, "--space", "skipped=choice(0,1)", *words)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"portsim: {told}")
    assert refused.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_every_space_named_is_one_ray_tune_has() -> None:
    pytest.importorskip("pyarrow", reason="needs constraints-tune.txt")
    from ray import tune as there

    assert all(hasattr(there, name) for name in SPACES)
