"""May anybody's policy plan a week, and is it said what is wrong with one that cannot?"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest

from actors.planners.policy import PlannerError, load_policy
from port.model import Berth
from port.packs import load_week
from port.view import View
from references.naive import naive
from tests.actors.playing import LIVE, play_week, published

TEN_LINES = '''
def first_come(view):
    """Ships by arrival, one after the other on the whole quay."""
    plan, free = dict(view.frozen), view.line
    for ship in sorted(view.week.ships, key=lambda ship: (ship.arrival, ship.id)):
        if ship.id not in plan:
            start = max(ship.arrival, free)
            plan[ship.id] = (start, view.week.place.first, ship.standard)
            free = start + ship.work_hours(ship.standard) + 1
    return plan
'''

MISTAKES = '''
import asyncio

class Stays:
    """Remembers what it saw."""
    def __init__(self, factor: int = 1):
        if factor < 0:
            raise ValueError("factor must be 0 or more")
        self.factor, self.watches = factor, []
    def __call__(self, view):
        self.watches.append(view.watch)
        return []

class NoPolicy:
    pass

number = 7

def leaves(view):
    raise SystemExit(0)

def deep(view):
    return deep(view)

def cancelled(view):
    raise asyncio.CancelledError

class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError

def unspeakable(view):
    raise Unspeakable

def two_lines(view):
    raise ValueError("one\\n  two \\ud800")
'''


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder, with files of theirs, as the working directory."""
    (tmp_path / "my_first_planner.py").write_text(TEN_LINES)
    (tmp_path / "my_mistakes.py").write_text(MISTAKES)
    (tmp_path / "my_typo.py").write_text("def plan(view:\n")
    (tmp_path / "my_crash.py").write_text("ships = 1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    return tmp_path


def test_a_function_in_the_working_directory_plays_a_week(here: Path) -> None:
    outcome, journal = play_week(LIVE, "live", load_policy("my_first_planner:first_come"))
    assert outcome.audit == ()
    confirmed = [e.body for e in journal.envelopes if e.body.kind == "confirmation"]
    assert all(not answer.unreadable and not answer.refused for answer in confirmed)
    assert len(confirmed) == len(published("live")[LIVE]["watches"])


def test_a_class_gets_its_parameters_and_keeps_its_memory(here: Path) -> None:
    policy: Any = load_policy("my_mistakes:Stays", {"factor": 3})
    play_week(LIVE, "live", policy)
    assert policy.factor == 3
    assert policy.watches == list(range(len(published("live")[LIVE]["watches"])))


@pytest.mark.parametrize(
    ("name", "parameters", "told"),
    [
        ("niave", {}, "no planner 'niave'; did you mean naive?"),
        ("xyz", {}, "no planner 'xyz'. There are naive, greedy, rolling,"),
        (":f", {}, "no planner ':f'"),
        ("my_mistakes:", {}, "no planner 'my_mistakes:'"),
        ("naive", {"depth": 3}, "'naive' is a function and takes no parameters"),
        ("no_such_module:f", {}, "cannot import 'no_such_module'"),
        ("my_mistakes.py:leaves", {}, "name the module, not its file"),
        ("my_mistakes:nothing", {}, "my_mistakes has no 'nothing'"),
        ("my_mistakes:number", {}, "'my_mistakes:number' is a int, not a function"),
        ("my_mistakes:NoPolicy", {}, "a NoPolicy cannot be called"),
        ("my_mistakes:Stays", {"depth": 3}, "unexpected keyword argument 'depth'; it takes (fact"),
        ("my_mistakes:Stays", {"factor": -1}, "ValueError: factor must be 0 or more"),
        ("my_typo:plan", {}, "SyntaxError"),
        ("my_crash:plan", {}, "ZeroDivisionError: division by zero ("),
    ],
)
def test_a_planner_that_is_none_is_told_so(
    name: str, parameters: dict[str, Any], told: str, here: Path
) -> None:
    with pytest.raises(PlannerError) as caught:
        load_policy(name, parameters)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        (lambda view: 1 // (view.watch - 2), "watch 2 (hour 42): ZeroDivisionError: "),
        (lambda view: view.week.by_id[99], "watch 0 (hour 0): KeyError: 99"),
        (lambda view: [0, 1][view.watch], "watch 2 (hour 42): IndexError: "),
    ],
)
def test_a_policy_that_raises_is_named_with_its_watch_and_its_error(policy: Any, told: str) -> None:
    with pytest.raises(PlannerError) as caught:
        play_week(LIVE, "live", policy)
    assert f"planner 'a policy' failed at {told}" in str(caught.value)
    assert f"({__file__}, line " in str(caught.value)


@pytest.mark.parametrize("name", ["leaves", "deep"])
def test_leaving_or_endless_recursion_is_a_failure_too(name: str, here: Path) -> None:
    with pytest.raises(PlannerError, match="failed at watch 0"):
        play_week(LIVE, "live", load_policy(f"my_mistakes:{name}"))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("cancelled", "CancelledError: "),
        ("unspeakable", "Unspeakable: it has no text that can be read"),
        ("two_lines", "ValueError: one two \\ud800"),
    ],
)
def test_whatever_a_policy_raises_is_told_in_a_line(name: str, told: str, here: Path) -> None:
    with pytest.raises(PlannerError) as caught:
        play_week(LIVE, "live", load_policy(f"my_mistakes:{name}"))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).encode("utf-8")


def test_a_class_without_a_signature_is_no_planner() -> None:
    with pytest.raises(PlannerError, match="planner 'builtins:type'"):
        load_policy("builtins:type", seed=1)


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"tie_break": "no"}, "tie_break must be true or false, got 'no'"),
        ({"limit": "abc"}, "limit must be a number of seconds above 0, got 'abc'"),
        ({"limit": -1}, "limit must be a number of seconds above 0, got -1"),
        ({"limit": math.nan}, "limit must be a number of seconds above 0, got nan"),
        ({"workers": -3}, "workers must be 1 or more, got -3"),
        ({"workers": True}, "workers must be 1 or more, got True"),
    ],
)
@pytest.mark.parametrize("name", ["rolling", "blind", "hold"])
def test_parameters_a_re_planner_cannot_have_are_named(
    name: str, parameters: dict[str, Any], told: str
) -> None:
    with pytest.raises(PlannerError) as caught:
        load_policy(name, parameters)
    assert told in str(caught.value)


def test_a_policy_that_writes_into_its_view_harms_itself_alone() -> None:
    def greedy_fingers(view: View) -> object:
        view.week.by_id.clear()
        return [{"ship": 0, "berth_hour": 0, "section": 2, "cranes": 1}]

    week = load_week("dock-24B-w06x1-busy-0")
    before = dict(week.by_id)
    play_week("dock-24B-w06x1-busy-0", "dock", greedy_fingers)
    assert load_week("dock-24B-w06x1-busy-0").by_id == before
    outcome, _ = play_week("dock-24B-w06x1-busy-0", "dock", naive)
    assert outcome.grade.feasible


def test_ctrl_c_is_no_failure_of_the_policy() -> None:
    def interrupted(view: View) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_week(LIVE, "live", interrupted)


@pytest.mark.parametrize(
    "rubbish",
    [None, 0, "no plan", "[", {}, [], {"plan": 3}, [None], {0: None}, {0: (1, 2)}, object()],
)
@pytest.mark.parametrize("port", ["dock", "live"])
def test_a_policy_that_returns_rubbish_plays_its_week_and_earns_nothing(
    port: str, rubbish: object
) -> None:
    outcome, _ = play_week(LIVE, port, lambda view: rubbish)
    assert outcome.grade.reward == 0.0
    assert outcome.audit == ()


def test_a_policy_that_keeps_moving_frozen_windows_moves_none() -> None:
    def restless(view: View) -> object:
        """Naive at first, then every ship to another hour, frozen or not."""
        if view.watch == 0:
            return naive(view)
        return {ship: (b.hour + 1, b.section, b.cranes) for ship, b in view.confirmed.items()}

    outcome, journal = play_week(LIVE, "live", restless)
    assert outcome.audit == ()
    frozen: dict[int, Berth] = {}
    in_force: dict[int, Berth] = {}
    refused = 0
    for envelope in journal.envelopes:
        body = envelope.body
        if body.kind == "watch_report" and body.watch:
            frozen |= {s: b for s, b in in_force.items() if b.hour < body.line}
        elif body.kind == "confirmation":
            refused += len(body.refused)
            fresh = {w.ship: Berth(w.berth_hour, w.section, w.cranes) for w in body.confirmed}
            in_force |= fresh
            assert all(in_force[ship] == berth for ship, berth in frozen.items())
    assert refused > len(frozen) > 5


def test_a_policy_may_answer_as_an_agent_would(here: Path) -> None:
    fields = ("ship", "berth_hour", "section", "cranes")

    def as_rows(view: View) -> object:
        return {"plan": [dict(zip(fields, (s, *b), strict=True)) for s, b in naive(view).items()]}

    assert play_week(LIVE, "live", as_rows)[1].lines == play_week(LIVE, "live")[1].lines
