"""The training weeks kept in `data/`: as many as promised, unlike the evaluation, truly optimal.

`portsim screen` made them, in an hour; these tests read what it kept.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from port import packs
from port.build.generate import Candidate, candidate
from port.build.keep import GREEDY_MOST, NAIVE_MOST
from port.build.recipe import TIERS, Recipe
from port.build.train import MANIFEST, marine_row
from port.check import check, floor
from port.grade import infeasible_reward, reward
from port.jsonl import index
from port.model import Berth, Plan, Week
from port.news import watch_hours
from port.packfile import dump_week
from port.statistics import statistics
from port.view import View
from references.effort import Effort
from references.greedy import greedy
from references.model import BerthModel
from references.naive import naive
from references.screen import ENOUGH, IGNORED_AT_MOST, MOST_WATCHES

Row = dict[str, Any]

DOCK = packs.week_ids("dock", "train")
SOME = DOCK[::13]
"""Enough of them to meet every tier and quay."""


def rows(port: str) -> dict[str, Row]:
    lines = index(packs.DATA / f"references/{port}-train.jsonl.gz")
    return {week_id: json.loads(line.text) for week_id, line in lines.items()}


def plan_of(row: Row) -> Plan:
    return {ship: Berth(*window) for ship, *window in row["plan"]}


def evaluation_weeks(week_ids: list[str]) -> set[tuple[str, int]]:
    """Every quay and ISO week of weeks of the evaluation."""
    loaded = [packs.load_week(week_id) for week_id in week_ids]
    return {(w.quay, number) for w in loaded for number in range(w.number, w.number + w.weeks)}


def worth(week: Week, plan: Plan) -> float:
    verdict = check(week, plan)
    if verdict.cost is None:
        return infeasible_reward(verdict.clean, len(week.ships))
    assert week.best is not None
    return reward(verdict.cost, week.best, floor(week))


# ---- at the dock -----------------------------------------------------------------------------


def test_a_thousand_weeks_in_equal_parts() -> None:
    tiers = Counter(summary.tier for summary in packs.summaries("dock", "train"))
    assert sum(tiers.values()) >= 1000
    assert set(tiers) == set(TIERS)
    assert len(set(tiers.values())) == 1


def test_none_shares_a_week_with_the_evaluation() -> None:
    held_out = {number for _, number in evaluation_weeks(packs.week_ids("dock"))}
    assert len(held_out) == 10
    for summary in packs.summaries("dock", "train"):
        first = int(summary.id.split("-")[2][1:3])
        assert held_out.isdisjoint(range(first, first + summary.weeks)), summary.id


def test_every_week_follows_from_its_id() -> None:
    kept = index(packs.DATA / packs.PACKS["train"].dock)
    for week_id, line in kept.items():
        assert dump_week(*candidate(Recipe.of(week_id))) == line.text


def test_every_optimum_is_what_its_plan_costs_and_no_more_than_simple_planners_pay() -> None:
    kept = rows("dock")
    assert list(kept) == DOCK
    for week_id, row in kept.items():
        week = packs.load_week(week_id)
        assert row["proven"], week_id
        assert week.best == row["optimum"] == check(week, plan_of(row)).cost, week_id
        assert row["floor"] == floor(week) <= row["optimum"], week_id
        for name in ("naive", "greedy"):
            cost = row[name]["cost"]
            assert cost is None or cost >= row["optimum"], week_id


@pytest.mark.parametrize("week_id", SOME)
def test_simple_planners_score_what_was_noted_and_little_enough(week_id: str) -> None:
    week, row = packs.load_week(week_id), rows("dock")[week_id]
    for name, planner, most in (("naive", naive, NAIVE_MOST), ("greedy", greedy, GREEDY_MOST)):
        scored = worth(week, planner(View(week, {}, 0, 0)))
        assert scored == pytest.approx(row[name]["reward"], abs=1e-6)
        assert scored <= most


@pytest.mark.slow
@pytest.mark.parametrize("week_id", [i for i in SOME if "x1-" in i][::3])
def test_one_model_of_the_whole_week_finds_the_same_optimum(week_id: str) -> None:
    """Hindsight solves a week part by part; here it is one model, with naive's plan as its hint."""
    week = packs.load_week(week_id)
    solved = BerthModel(week, naive(View(week, {}, 0, 0))).solve(Effort(1, 600.0))
    assert solved.proven
    assert solved.cost == week.best


def test_the_packs_take_under_a_megabyte_and_a_half() -> None:
    files = list(packs.DATA.rglob("*-train.jsonl.gz"))
    assert len(files) == 6
    assert sum(path.stat().st_size for path in files) < 1_500_000
    for path in files:
        noted = json.loads((path.parent / MANIFEST).read_text("utf-8"))[path.name]
        assert noted["rows"] == len(index(path))


# ---- at the other ports ----------------------------------------------------------------------


@pytest.mark.parametrize(("port", "least"), [("live", 150), ("marine", 150), ("wind", 150)])
def test_there_are_weeks_at_each_port_that_unfolds(port: str, least: int) -> None:
    kept = packs.week_ids(port, "train")
    assert len(kept) >= least
    assert list(rows(port)) == kept


@pytest.mark.parametrize("port", ["live", "marine"])
def test_the_optimum_is_within_the_re_planners_reach(port: str) -> None:
    for week_id, row in rows(port).items():
        assert [p["cost"] for p in row["rolling"]].count(row["optimum"]) >= ENOUGH, week_id


@pytest.mark.parametrize("port", ["live", "marine", "wind"])
def test_what_is_noted_of_a_week_is_so(port: str) -> None:
    for week_id, row in list(rows(port).items())[::5]:
        week = packs.load_week(week_id, port)
        watches = list(watch_hours(week))
        assert row["watches"] == (len(watches) if port == "wind" else watches), week_id
        assert row["floor"] == floor(week), week_id
        assert week.best == row.get("anchor", row["optimum"]), week_id


def test_a_live_week_has_its_dock_weeks_optimum() -> None:
    dock = rows("dock")
    assert all(row["optimum"] == dock[week_id]["optimum"] for week_id, row in rows("live").items())


def test_a_marine_weeks_plan_costs_its_optimum_and_no_less_than_at_the_dock() -> None:
    dock = rows("dock")
    for week_id, row in rows("marine").items():
        week = packs.load_week(week_id, "marine")
        assert week.best == row["optimum"] == check(week, plan_of(row)).cost, week_id
        assert row["optimum"] >= dock[week_id]["optimum"], week_id


def test_a_marine_weeks_traffic_is_labelled_as_modelled_and_its_cuts_follow_from_the_dock() -> None:
    kept = index(packs.DATA / packs.PACKS["train"].marine)
    for week_id, line in list(kept.items())[::10]:
        assert json.loads(line.text)["traffic"] == "modelled"
        dock = packs.load_week(week_id)
        assert dock.opening is not None
        drawn = Candidate(dock.opening, dock.events)
        assert marine_row(drawn, packs.best_plan(week_id, "dock")) == line.text


def test_a_wind_week_is_within_reach_and_its_forecasts_matter() -> None:
    marine = set(packs.week_ids("marine", "train"))
    for week_id, row in rows("wind").items():
        costs = [played["cost"] for played in row["rolling"]]
        assert len(costs) == 4
        assert sum(c is not None and c <= row["optimum"] for c in costs) >= ENOUGH, week_id
        assert row["anchor"] == min([row["optimum"], *(c for c in costs if c is not None)])
        ignoring = [played["reward"] for played in row["ignoring"]]
        assert sum(scored <= IGNORED_AT_MOST for scored in ignoring) >= ENOUGH, week_id
        assert row["watches"] <= MOST_WATCHES
        assert week_id.rpartition("-")[0] in marine


# ---- what they are like ----------------------------------------------------------------------


def test_statistics_count_what_is_there() -> None:
    by_tier = {row.tier: row for row in statistics("dock", "train")}
    assert by_tier["all"].weeks == len(DOCK) == sum(by_tier[tier].weeks for tier in TIERS)
    standard = [w for w in packs.summaries("dock", "train") if w.tier == "standard"]
    assert by_tier["standard"].fewest_ships == min(week.ships for week in standard)
    assert by_tier["standard"].kinds["closure"] == 1.0  # the tier has exactly one
    assert by_tier["extreme"].kinds["late"] >= 3


def test_statistics_of_the_evaluation_are_the_published_figures() -> None:
    every = statistics("live", "eval")[-1]
    assert (every.tier, every.weeks) == ("all", 18)
    published = [json.loads(x.text) for x in index(packs.DATA / "published/live.jsonl").values()]
    naive_mean = sum(row["naive"]["reward"] for row in published) / 18
    assert every.naive == pytest.approx(naive_mean, abs=1e-3)
