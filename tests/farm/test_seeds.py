"""A planner that draws random numbers is given a seed of its episode's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from actors.planners.policy import load_policy
from actors.sweep import Sweep, jobs, play_job

WEEKS = ("dock-24B-w37x1-standard-0", "dock-36A-w06x1-standard-0")

PLANNER = '''
from references.naive import naive

class Draws:
    """Naive; at the first watch it says what it was seeded with."""

    def __init__(self, seed=None):
        with open("seeds.txt", "a") as file:
            print(seed, file=file)

    def __call__(self, view):
        return naive(view)
'''


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "drawing.py").write_text(PLANNER)
    return tmp_path


def seeds(here: Path, sweep: Sweep) -> list[str]:
    """What each episode of a sweep was seeded with, in order."""
    (here / "seeds.txt").unlink(missing_ok=True)
    for job in jobs(sweep):
        play_job(job.fields)
    return (here / "seeds.txt").read_text().split()


def test_each_week_and_repetition_has_a_seed_of_its_own_and_the_same_again(here: Path) -> None:
    sweep = Sweep("live", WEEKS, ["drawing:Draws"], repetitions=2)
    drawn = seeds(here, sweep)
    assert len(set(drawn)) == 4
    assert all(seed.isdigit() for seed in drawn)
    assert seeds(here, sweep) == drawn


def test_another_seed_of_the_sweep_seeds_every_episode_anew(here: Path) -> None:
    first = seeds(here, Sweep("live", WEEKS, ["drawing:Draws"]))
    second = seeds(here, Sweep("live", WEEKS, ["drawing:Draws"], seed=1))
    assert not set(first) & set(second)


@pytest.mark.parametrize(("parameters", "expected"), [({"seed": 7}, "7"), ({}, "5")])
def test_a_seed_among_the_parameters_comes_first(
    parameters: Mapping[str, Any], expected: str, here: Path
) -> None:
    load_policy("drawing:Draws", parameters, seed=5)
    assert (here / "seeds.txt").read_text().split() == [expected]


def test_a_class_without_a_seed_is_given_none() -> None:
    assert callable(load_policy("rolling", {"workers": 1}, seed=5))
