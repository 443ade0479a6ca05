"""What do a planner's tools answer, and what does no call achieve?"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from actors.cast import cast
from actors.inline import Inline
from actors.journal import Journal
from actors.planners.desk import Desk
from actors.stage import Session, StageError, play
from port.model import Plan
from port.news import schedule
from port.packs import load_week
from port.plans import plan_rows
from references.naive import naive
from tests.actors.playing import LIVE, WIND, heading, published, sit_down

Rows = list[dict[str, int]]


def rows(desk: Desk) -> Rows:
    plan: Plan = naive(desk.view())
    return plan_rows(plan)


@pytest.fixture
def live() -> Desk:
    return sit_down(LIVE, "live")[0]


@pytest.fixture
def dock() -> Desk:
    return sit_down(LIVE, "dock")[0]


def test_the_tools_are_those_of_the_port(live: Desk, dock: Desk) -> None:
    assert set(live.tools) == {"get_situation", "check_plan", "confirm_berths", "advance"}
    assert set(dock.tools) == {"get_situation", "check_plan", "submit_plan"}


# ---- live: three planning calls, the freeze line -------------------------------------------------


def test_the_fourth_planning_call_of_a_watch_is_refused_and_changes_nothing(live: Desk) -> None:
    plan = rows(live)
    lefts = [live.call("check_plan", {"plan": plan})["calls_left"] for _ in range(2)]
    assert live.call("confirm_berths", {"plan": plan})["calls_left"] == 0
    assert lefts == [2, 1]
    before = live.call("get_situation")["text"]
    other = [row | {"berth_hour": row["berth_hour"] + 50} for row in plan]
    refused = live.call("confirm_berths", {"plan": other})
    assert refused["kind"] == "declined"
    assert live.call("check_plan", {"plan": plan})["kind"] == "declined"
    assert live.call("get_situation")["text"] == before


def test_a_new_watch_brings_three_planning_calls(live: Desk) -> None:
    for _ in range(4):
        live.call("check_plan", {"plan": []})
    assert live.call("advance")["calls_left"] == 3
    assert live.call("check_plan", {"plan": []})["calls_left"] == 2


def test_other_calls_are_free(live: Desk) -> None:
    for _ in range(40):
        live.call("get_situation")
        live.call("no_such_tool")
    assert live.call("check_plan", {"plan": []})["calls_left"] == 2


def test_confirm_berths_sets_only_the_ships_it_lists(live: Desk) -> None:
    plan = rows(live)
    live.call("confirm_berths", {"plan": plan})
    answer = live.call("confirm_berths", {"plan": [plan[3] | {"berth_hour": 150}]})
    assert answer["confirmed"] == [plan[3] | {"berth_hour": 150}]
    expected = {row["ship"]: row["berth_hour"] for row in plan} | {plan[3]["ship"]: 150}
    assert {ship: berth.hour for ship, berth in live.confirmed.items()} == expected


def at_the_second_watch() -> tuple[Desk, Rows]:
    """Hour 30 of the week, freeze line 36, naive's first plan confirmed."""
    desk, _ = sit_down(LIVE, "live")
    plan = rows(desk)
    desk.call("confirm_berths", {"plan": plan})
    opened = desk.call("advance")
    assert (opened["hour"], opened["line"]) == (30, 36)
    return desk, plan


def test_a_frozen_window_is_refused_with_its_reason() -> None:
    desk, plan = at_the_second_watch()
    frozen = next(row for row in plan if row["berth_hour"] < 36)
    answer = desk.call("confirm_berths", {"plan": [frozen | {"berth_hour": 60}]})
    (refusal,) = answer["refused"]
    assert answer["confirmed"] == []
    assert refusal["ship"] == frozen["ship"]
    assert f"window at hour {frozen['berth_hour']} is frozen" in refusal["reason"]
    assert "36" in refusal["reason"]


def test_a_window_before_the_freeze_line_is_refused_with_its_reason() -> None:
    desk, plan = at_the_second_watch()
    free = next(row for row in plan if row["berth_hour"] >= 36)
    answer = desk.call("confirm_berths", {"plan": [free | {"berth_hour": 35}]})
    (refusal,) = answer["refused"]
    assert "hour 35 is before the freeze line, hour 36" in refusal["reason"]


def test_a_window_at_the_freeze_line_is_taken_and_a_frozen_one_may_be_repeated() -> None:
    desk, plan = at_the_second_watch()
    frozen = next(row for row in plan if row["berth_hour"] < 36)
    free = next(row for row in plan if row["berth_hour"] >= 36)
    sent = sorted([frozen, free | {"berth_hour": 36}], key=lambda row: row["ship"])
    assert desk.call("confirm_berths", {"plan": sent})["confirmed"] == sent


def test_a_ship_nobody_has_announced_is_unreadable(live: Desk) -> None:
    """Ship 16 calls unscheduled; its firm says so at hour 30."""
    window = {"ship": 16, "berth_hour": 60, "section": 2, "cranes": 1}
    answer = live.call("confirm_berths", {"plan": [window]})
    assert answer["confirmed"] == []
    assert "no ship 16" in answer["unreadable"][0]


def test_check_plan_confirms_nothing(live: Desk) -> None:
    live.call("check_plan", {"plan": rows(live)})
    assert live.confirmed == {}
    assert live.call("advance")["without_window"] == list(range(17))


# ---- news --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("port", "week_id"), [("dock", LIVE), ("live", LIVE), ("wind", WIND)])
def test_each_notice_comes_once_with_the_next_result(port: str, week_id: str) -> None:
    desk, _ = sit_down(week_id, port)
    heard = []
    while True:
        came = desk.call("get_situation")["messages"]
        heard += came
        assert desk.call("get_situation")["messages"] == []
        if desk.done or port == "dock":
            break
        heard += desk.call("advance")["messages"]
    due = [(news.hour, news.speaker) for news in schedule(load_week(week_id, port))]
    assert [(m["hour"], m["from"]) for m in heard] == due


def test_news_comes_with_whatever_is_called_next(live: Desk) -> None:
    (closure,) = live.call("no_such_tool")["messages"]
    assert closure["from"] == "terminal_ops"
    assert live.call("check_plan", {"plan": []})["messages"] == []


# ---- the end -----------------------------------------------------------------------------------


def to_the_end(desk: Desk) -> dict[str, Any]:
    while True:
        answer = desk.call("advance")
        if answer.get("done"):
            return answer


def test_the_last_advance_grades_the_week(live: Desk) -> None:
    naive_reward = published("live")[LIVE]["naive"]["reward"]
    while not live.done:
        live.call("confirm_berths", {"plan": rows(live)})
        answer = live.call("advance")
    assert (answer["kind"], answer["done"], answer["reward"]) == ("graded", True, naive_reward)


@pytest.mark.parametrize("tool", ["advance", "check_plan", "confirm_berths", "no_such_tool"])
def test_after_the_end_calls_are_declined(tool: str, live: Desk) -> None:
    to_the_end(live)
    answer = live.call(tool)
    assert (answer["kind"], answer["done"]) == ("declined", True)


def test_after_the_end_the_situation_is_still_told(live: Desk) -> None:
    to_the_end(live)
    assert "# Quay 24B" in live.call("get_situation")["text"]


def test_a_planner_that_leaves_is_graded_on_what_it_confirmed() -> None:
    left, _ = sit_down(LIVE, "live")
    left.call("confirm_berths", {"plan": rows(left)})
    stayed, _ = sit_down(LIVE, "live")
    stayed.call("confirm_berths", {"plan": rows(stayed)})
    left.leave()
    to_the_end(stayed)
    assert left.graded == stayed.graded
    assert left.graded is not None
    assert not left.graded.feasible  # ship 16 has no window
    assert left.graded.audit == ()


def test_leaving_twice_or_after_the_end_changes_nothing(live: Desk) -> None:
    live.leave()
    graded = live.graded
    live.leave()
    assert live.graded is graded
    assert live.call("advance")["kind"] == "declined"


def test_a_planner_that_does_nothing_earns_nothing(live: Desk) -> None:
    assert to_the_end(live)["reward"] == 0.0


# ---- dock: ten checks, 24 calls ------------------------------------------------------------------


def test_ten_checks_and_no_more(dock: Desk) -> None:
    plan = rows(dock)
    kinds = [dock.call("check_plan", {"plan": plan})["kind"] for _ in range(11)]
    assert kinds == ["checked"] * 10 + ["declined"]


@pytest.mark.parametrize(
    "call",
    [("get_situation", None), ("check_plan", {"plan": "?"}), ("advance", None), ("x", {"y": 1})],
)
def test_the_24th_call_ends_a_dock_week_at_0(call: tuple[str, Any], dock: Desk) -> None:
    answers = [dock.call(*call) for _ in range(24)]
    assert [answer.get("done") for answer in answers] == [None] * 23 + [True]
    assert answers[-1]["reward"] == 0.0
    assert dock.call("submit_plan", {"plan": rows(dock)})["kind"] == "declined"
    assert dock.call("check_plan", {"plan": []})["kind"] == "declined"
    assert dock.call("get_situation")["kind"] == "situation"


def test_the_24th_call_may_submit(dock: Desk) -> None:
    for _ in range(23):
        dock.call("get_situation")
    answer = dock.call("submit_plan", {"plan": rows(dock)})
    assert answer["cost"] == published("dock")[LIVE]["naive"]
    assert answer["done"]


def test_a_submitted_week_is_over(dock: Desk) -> None:
    first = dock.call("submit_plan", {"plan": []})
    assert (first["reward"], first["done"]) == (0.0, True)
    again = dock.call("submit_plan", {"plan": rows(dock)})
    assert (again["kind"], again["reward"]) == ("declined", 0.0)


def test_the_tools_of_the_other_ports_are_declined(dock: Desk, live: Desk) -> None:
    assert dock.call("confirm_berths", {"plan": []})["kind"] == "declined"
    assert live.call("submit_plan", {"plan": []})["kind"] == "declined"
    assert dock.confirm_berths([]).kind == "declined"
    assert live.submit_plan([]).kind == "declined"


# ---- what callers send ---------------------------------------------------------------------------

DEEP: Any = []
for _ in range(3000):
    DEEP = [DEEP]

HOSTILE_PLANS: dict[str, Any] = {
    "nothing": None,
    "true": True,
    "nan": math.nan,
    "huge": 10**12,
    "hugest": 10**5000,
    "text": "berth them all, please",
    "megabytes": "[" * 2_000_000,
    "nested text": "[" * 100_000,
    "nested": DEEP,
    "surrogate": "\ud800",
    "null byte": "\x00",
    "fences": "```json\n[]\n``` or ```json\n[1]\n```",
    "booleans": [{"ship": True, "berth_hour": True, "section": True, "cranes": True}],
    "nan hour": [{"ship": 0, "berth_hour": math.nan, "section": 4, "cranes": 2}],
    "infinite": [{"ship": 0, "berth_hour": math.inf, "section": 4, "cranes": 2}],
    "far": [{"ship": 0, "berth_hour": 10**12, "section": 4, "cranes": 2}],
    "negative": [{"ship": 0, "berth_hour": -5, "section": -5, "cranes": -5}],
    "crowded": [{"ship": 0, "berth_hour": 1, "section": 4, "cranes": 999}],
    "50 copies": [{"ship": 0, "berth_hour": 1, "section": 4, "cranes": 3}] * 50,
    "surrogate ship": [{"ship": "\udc80", "berth_hour": 1, "section": 4, "cranes": 3}],
    "keys": {"\ud800": (1, 2, 3), "0": (0, 4, 1)},
    "odd keys": {None: (1, 2, 3), 1.5: (1, 2, 3), (1,): 4},
    "wrapped": {"plan": {"plan": {"plan": {"plan": {"plan": []}}}}},
    "many": [{"ship": i} for i in range(5000)],
}


@pytest.mark.parametrize("name", HOSTILE_PLANS)
@pytest.mark.parametrize("tool", ["check_plan", "confirm_berths"])
def test_a_hostile_plan_never_passes_and_never_crashes(tool: str, name: str) -> None:
    desk, journal = sit_down(LIVE, "live")
    answer = desk.call(tool, {"plan": HOSTILE_PLANS[name]})
    assert not answer.get("feasible")
    json.dumps(answer).encode()
    assert len(json.dumps(answer)) < 200_000
    assert max(len(line) for line in journal.lines[-3:]) < 200_000
    graded = to_the_end(desk)
    assert not graded["feasible"]
    assert graded["reward"] < 0.2


@pytest.mark.parametrize("name", HOSTILE_PLANS)
def test_a_hostile_plan_submitted_never_passes(name: str, dock: Desk) -> None:
    answer = dock.call("submit_plan", {"plan": HOSTILE_PLANS[name]})
    assert answer["done"]
    assert not answer["feasible"]
    assert answer["reward"] < 0.2


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (None, None),
        (7, {}),
        ([], {}),
        ({}, {}),
        ("", {}),
        ("\ud800", {}),
        ("x" * 1_000_000, {}),
        ("_ask", {}),
        ("leave", {}),
        ("__class__", {}),
        ("advance", {"plan": []}),
        ("advance", {"hours": 5}),
        ("get_situation", []),
        ("get_situation", ["a", "b"]),
        ("get_situation", "now"),
        ("get_situation", 5),
        ("get_situation", True),
        ("check_plan", {"\ud800": 1}),
        ("check_plan", {1: 2, "a": 3, None: 4}),
        ("check_plan", {"plan": [], "also": 1}),
        ("check_plan", {f"key{i}": i for i in range(10_000)}),
        ("confirm_berths", DEEP),
    ],
)
def test_a_call_that_is_none_is_declined_and_changes_nothing(
    tool: object, arguments: object, live: Desk
) -> None:
    before = live.call("get_situation")["text"]
    answer = live.call(tool, arguments)
    assert answer["kind"] == "declined"
    assert len(json.dumps(answer)) < 2_000
    assert live.call("get_situation")["text"] == before


def test_a_declined_call_says_which_tools_there_are(live: Desk) -> None:
    answer = live.call("confirm_berth", {"plan": []})
    assert "'confirm_berth'" in answer["reason"]
    assert all(tool in answer["reason"] for tool in live.tools)


def test_results_are_json_as_they_stand() -> None:
    desk, _ = sit_down(WIND, "wind")
    calls: list[Callable[[], dict[str, Any]]] = [
        lambda: desk.call("get_situation"),
        lambda: desk.call("check_plan", {"plan": rows(desk)}),
        lambda: desk.call("confirm_berths", {"plan": json.dumps(rows(desk))}),
        lambda: desk.call("advance"),
    ]
    for call in calls:
        answer = call()
        assert json.loads(json.dumps(answer)) == answer


@pytest.mark.parametrize("port", ["dock", "live"])
def test_a_planner_that_just_returns_is_graded_on_what_it_confirmed(port: str) -> None:
    week = load_week(LIVE, port)

    def returns(session: Session) -> None:
        desk = Desk(session)
        desk.call("confirm_berths", {"plan": rows(desk)[:3]})

    outcome = play(cast(week, port), returns, Inline(), Journal(heading(week, port)))
    assert len(outcome.grade.verdict.ships) == 17
    assert outcome.grade.settlement.clean == (3 if port == "live" else 0)
    assert outcome.audit == ()


def test_a_planner_that_never_opened_the_week_is_an_error() -> None:
    week = load_week(LIVE, "live")
    with pytest.raises(StageError, match=f"{LIVE} was never opened"):
        play(cast(week, "live"), lambda session: None, Inline(), Journal(heading(week, "live")))
