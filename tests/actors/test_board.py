"""Who plans better: means, intervals and differences, against figures worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from actors import boardview
from actors.board import BoardError, board, bootstrap, planner_label
from actors.store import Record, Store

SETTINGS = {"port": "live", "weeks": ["dock-24B-w07x1-busy-0"]}


def episode(planner: str, week: str, reward: float | None, **fields: object) -> Record:
    result = {"reward": reward, "feasible": True, "cost": 120, "best": 100, "excused_cost": 0}
    return {
        "job": f"{planner} {week} {fields}",
        "work": "play",
        "fields": {"planner": planner, "parameters": {}, "week": week, "port": "live"},
        "result": result | fields,
        "error": None,
        "attempts": [],
    }


def store(folder: Path, *records: Record) -> Path:
    opened = Store(folder, SETTINGS)
    for record in records:
        opened.append(record)
    opened.close()
    return folder


BUSY, STANDARD = "dock-24B-w07x1-busy-0", "dock-24B-w37x1-standard-0"


def test_the_interval_of_a_constant_is_the_constant() -> None:
    interval = bootstrap([0.5, 0.5, 0.5])
    assert (interval.mean, interval.low, interval.high) == (0.5, 0.5, 0.5)


def test_the_interval_of_a_mean_is_about_two_standard_errors_each_way() -> None:
    # 100 weeks, half 0 and half 1: the mean's standard error is 0.05.
    interval = bootstrap([0.0, 1.0] * 50)
    assert interval.mean == 0.5
    assert interval.low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.01)
    assert interval.high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.01)


def test_the_same_board_is_drawn_every_time() -> None:
    assert bootstrap([0.1, 0.9, 0.4]) == bootstrap([0.1, 0.9, 0.4])


def test_planners_stand_in_order_of_their_mean_reward(tmp_path: Path) -> None:
    drawn = board(
        [
            store(
                tmp_path / "a",
                episode("low", BUSY, 0.2),
                episode("high", BUSY, 0.9),
                episode("high", STANDARD, 0.7),
            )
        ]
    )
    assert [s.planner for s in drawn.standings] == ["high", "low"]
    assert drawn.standings[0].reward.mean == pytest.approx(0.8)
    assert drawn.standings[0].tiers == {"busy": 0.9, "standard": 0.7}


def test_repetitions_of_a_week_count_as_one_week(tmp_path: Path) -> None:
    folder = store(
        tmp_path / "a",
        episode("p", BUSY, 0.2, repetition=0),
        episode("p", BUSY, 0.4, repetition=1),
        episode("p", STANDARD, 0.9),
    )
    standing = board([folder]).standings[0]
    assert (standing.weeks, standing.episodes) == (2, 3)
    assert standing.reward.mean == pytest.approx((0.3 + 0.9) / 2)


def test_a_difference_is_taken_on_the_weeks_both_played(tmp_path: Path) -> None:
    folder = store(
        tmp_path / "a",
        episode("a", BUSY, 0.9),
        episode("a", STANDARD, 1.0),
        episode("b", BUSY, 0.4),
    )
    (difference,) = board([folder]).differences
    assert (difference.planner, difference.other, difference.weeks) == ("a", "b", 1)
    assert difference.reward.mean == pytest.approx(0.5)


def test_regret_counts_feasible_episodes_and_the_anchor_is_reached_at_or_below_it(
    tmp_path: Path,
) -> None:
    folder = store(
        tmp_path / "a",
        episode("p", BUSY, 1.0, cost=90),
        episode("p", STANDARD, 0.1, feasible=False, cost=None),
        episode("p", "dock-24B-w06x1-busy-0", 0.5, cost=130, excused_cost=6),
    )
    standing = board([folder]).standings[0]
    assert (standing.feasible, standing.at_anchor) == (2, 1)
    assert standing.regret == pytest.approx((0 + 30) / 2)
    assert standing.excused_cost == pytest.approx(2.0)


def test_an_episode_that_failed_earned_nothing(tmp_path: Path) -> None:
    failed = {**episode("p", BUSY, None), "result": None, "error": "ValueError: no"}
    standing = board([store(tmp_path / "a", failed, episode("p", STANDARD, 1.0))]).standings[0]
    assert (standing.failed, standing.reward.mean) == (1, 0.5)


def test_an_episode_in_two_sweeps_counts_once_as_the_one_that_was_played(tmp_path: Path) -> None:
    played = episode("p", BUSY, 1.0)
    failed = {**played, "result": None, "error": "ValueError: no"}
    sweeps = store(tmp_path / "a", failed), store(tmp_path / "b", played)
    for folders in (sweeps, sweeps[::-1]):
        standing = board(folders).standings[0]
        assert (standing.failed, standing.reward.mean, standing.episodes) == (0, 1.0, 1)


def test_a_picture_of_another_kind_is_refused(tmp_path: Path) -> None:
    drawn = board([store(tmp_path / "a", episode("p", BUSY, 0.25))])
    with pytest.raises(BoardError, match=r"\.png, \.svg or \.pdf"):
        boardview.picture(drawn, tmp_path / "board.gif")


def test_sweeps_of_different_ports_make_no_board(tmp_path: Path) -> None:
    store(tmp_path / "a", episode("p", BUSY, 1.0))
    other = Store(tmp_path / "b", {"port": "wind"})
    other.close()
    with pytest.raises(BoardError, match=r"live, wind"):
        board([tmp_path / "a", tmp_path / "b"])


def test_an_empty_sweep_makes_no_board(tmp_path: Path) -> None:
    with pytest.raises(BoardError, match="no result"):
        board([store(tmp_path / "a")])


def test_a_planner_is_named_with_its_parameters() -> None:
    fields = {"planner": "rolling", "parameters": {"workers": 8, "tie_break": False}}
    assert planner_label(fields) == "rolling[tie_break=false,workers=8]"


def test_the_views_show_what_the_board_holds(tmp_path: Path) -> None:
    drawn = board([store(tmp_path / "a", episode("p", BUSY, 0.25), episode("q", BUSY, 0.75))])
    assert "0.7500" in boardview.text(drawn)
    assert "| q | 1 | 0.7500 | 0.750 to 0.750 | 1 of 1 |" in boardview.markdown(drawn)
    assert json.loads(drawn.as_json())["by_week"][BUSY] == {"p": 0.25, "q": 0.75}
