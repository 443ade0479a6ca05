"""Do whole weeks, played by their roles, come out as published?

Every number on the right-hand side is read from `data/published/`.
"""

from __future__ import annotations

import pytest

from actors.roles.base import windows_of
from port.model import Berth
from references.greedy import greedy
from tests.actors.playing import play_week, published, watch_hours


def weeks(port: str) -> list[str]:
    return list(published(port))


DOCK_WEEKS = weeks("dock")


def test_as_many_weeks_are_published_as_the_seed_says() -> None:
    assert {p: len(weeks(p)) for p in ("dock", "live", "marine", "wind")} == {
        "dock": 50,
        "live": 18,
        "marine": 18,
        "wind": 15,
    }


@pytest.mark.parametrize("port", ["live", "marine"])
@pytest.mark.parametrize("week_id", weeks("live"))
def test_naive_plays_a_week_of_news_as_published(port: str, week_id: str) -> None:
    row = published(port)[week_id]
    outcome, journal = play_week(week_id, port)
    assert watch_hours(journal.envelopes) == row["watches"]
    assert (outcome.grade.best, outcome.grade.floor) == (row["optimum"], row["floor"])
    assert {
        "cost": outcome.grade.cost,
        "reward": outcome.grade.reward,
        "feasible": outcome.grade.feasible,
        "excused": outcome.grade.excused_cost,
    } == row["naive"]
    assert outcome.audit == ()


@pytest.mark.parametrize("week_id", weeks("wind"))
def test_naive_plays_a_wind_week_as_published(week_id: str) -> None:
    row = published("wind")[week_id]
    outcome, journal = play_week(week_id, "wind")
    hours = watch_hours(journal.envelopes)
    assert len(hours) == row["watches"]
    assert set(row["added_watches"]) <= set(hours)
    assert (outcome.grade.best, outcome.grade.floor) == (row["anchor"], row["floor"])
    assert round(outcome.grade.reward, 3) == row["rewards"]["naive"]
    assert outcome.audit == ()


@pytest.mark.parametrize("week_id", weeks("wind"))
def test_the_watches_of_a_wind_week_are_marines_and_those_added(week_id: str) -> None:
    row = published("wind")[week_id]
    marine = published("marine")[week_id.rpartition("-")[0]]
    _, journal = play_week(week_id, "wind")
    assert watch_hours(journal.envelopes) == sorted({*marine["watches"], *row["added_watches"]})


@pytest.mark.parametrize("week_id", DOCK_WEEKS)
def test_naive_submits_the_published_plan(week_id: str) -> None:
    row = published("dock")[week_id]
    outcome, _ = play_week(week_id, "dock")
    assert outcome.grade.cost == row["naive"]


@pytest.mark.parametrize("week_id", DOCK_WEEKS)
def test_greedy_submits_a_plan_of_the_published_cost(week_id: str) -> None:
    row = published("dock")[week_id]
    outcome, _ = play_week(week_id, "dock", greedy)
    assert outcome.grade.cost == row["greedy"]


@pytest.mark.parametrize("week_id", DOCK_WEEKS)
def test_the_published_optimal_plan_scores_one(week_id: str) -> None:
    row = published("dock")[week_id]
    outcome, _ = play_week(week_id, "dock", lambda view: plan_as_sent(row["optimal_plan"]))
    assert (outcome.grade.cost, outcome.grade.reward) == (row["optimum"], 1.0)


@pytest.mark.parametrize("week_id", DOCK_WEEKS)
def test_naive_plans_window_for_window_what_was_published(week_id: str) -> None:
    row = published("dock")[week_id]
    _, journal = play_week(week_id, "dock")
    submitted = next(e.body for e in journal.envelopes if e.body.kind == "submit_plan")
    plan = {ship: Berth(*window) for ship, *window in row["naive_plan"]}
    assert submitted.windows == windows_of(plan)


def test_a_plan_of_cost_92_scores_0_944468() -> None:
    """The seed's worked example, made by putting one ship of the optimum elsewhere: 87 + 5."""
    week_id = "dock-24B-w06x1-busy-0"
    rows = plan_as_sent(published("dock")[week_id]["optimal_plan"])
    moved = [row | {"section": 2} if row["ship"] == 0 else row for row in rows]
    outcome, _ = play_week(week_id, "dock", lambda view: moved)
    assert (outcome.grade.floor, outcome.grade.cost) == (48, 92)
    assert outcome.grade.reward == 0.944468


def plan_as_sent(rows: list[list[int]]) -> list[dict[str, int]]:
    fields = ("ship", "berth_hour", "section", "cranes")
    return [dict(zip(fields, row, strict=True)) for row in rows]
