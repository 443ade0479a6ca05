"""What makes a week worth playing: the rules of qualification and the deal, worked by hand."""

from __future__ import annotations

import pytest

from port.model import Block, Week, WindHold
from port.packs import load_week
from references import screen
from references.screen import Played


def played(*costs: int | None, rewards: tuple[float, ...] = (1.0,) * 4) -> list[Played]:
    """Results of the configurations, in order."""
    return [
        Played(workers, tie, cost, reward, cost is not None, 0)
        for (workers, tie), cost, reward in zip(screen.CONFIGURATIONS, costs, rewards, strict=False)
    ]


def test_three_of_four_at_the_optimum_reach_it() -> None:
    assert screen.reaches(played(226, 226, 226, 246), 226)


def test_two_of_four_at_the_optimum_do_not() -> None:
    assert not screen.reaches(played(100, 215, 100, 191), 100)


def test_a_cost_below_hindsight_is_within_reach_of_it() -> None:
    assert screen.within_reach(played(252, 252, 360, 301), 359)


def test_a_plan_that_breaks_rules_is_within_reach_of_nothing() -> None:
    assert not screen.within_reach(played(None, None, 10, 10), 10)


def test_forecasts_matter_when_three_of_four_that_ignore_them_score_at_most_nine_tenths() -> None:
    assert screen.matters(played(1, 1, 1, 1, rewards=(0.9, 0.2, 0.1, 1.0)))
    assert not screen.matters(played(1, 1, 1, 1, rewards=(0.91, 0.2, 0.1, 1.0)))


def test_the_anchor_is_the_lower_of_hindsight_and_the_best_follower() -> None:
    assert screen.anchor(359, played(301, 252, None, 360)) == 252
    assert screen.anchor(139, played(None, 140, None, 150)) == 139


def alongside_till(hour: int, *wind: WindHold) -> Week:
    week = load_week("dock-24B-w07x1-busy-0")
    return week.changed(blocks=(Block(4, 7, 0, hour, "alongside", "KOI", 2),), wind=wind)


def test_a_ship_alongside_due_out_above_30_knots_rules_a_pair_out() -> None:
    reason = screen.held_alongside(alongside_till(5, WindHold(5, 9, 0)))
    assert reason is not None
    assert "KOI" in reason
    assert "hour 5" in reason


@pytest.mark.parametrize("hold", [WindHold(6, 9, 0), WindHold(2, 5, 0), WindHold(5, 9, 300)])
def test_wind_at_other_hours_or_below_30_knots_does_not(hold: WindHold) -> None:
    assert screen.held_alongside(alongside_till(5, hold)) is None


def test_a_pair_may_have_ten_watches_and_not_eleven() -> None:
    # Published: e04 on this week has 10 watches; 14 of its 15 pairs fail, five for more than 10.
    assert screen.too_many_watches(load_week("dock-24B-w07x1-busy-0-e04", "wind")) is None
    reason = screen.too_many_watches(load_week("dock-24B-w16x1-busy-0-e04", "wind"))
    assert reason is not None
    assert "at most 10" in reason


def test_each_week_takes_the_first_storm_from_its_own_place_on_that_nobody_has() -> None:
    weeks, storms = ["A", "B", "C"], ["e0", "e1", "e2"]
    pairs = frozenset({("A", "e1"), ("B", "e1"), ("B", "e0"), ("C", "e2")})
    # A looks from e0 on and takes e1; B looks from e1 on, which is gone, then e2, then e0.
    dealt = screen.deal(weeks, storms, [], pairs, least=0)
    assert dealt == [("A", "e1"), ("B", "e0"), ("C", "e2")]


def test_a_false_alarm_goes_to_the_first_week_it_qualifies_on() -> None:
    pairs = frozenset({("B", "f"), ("C", "f"), ("A", "e0")})
    assert screen.deal(["A", "B", "C"], ["e0"], ["f"], pairs, least=0) == [("A", "e0"), ("B", "f")]


def test_with_too_few_a_second_round_gives_each_week_another_storm_whoever_has_it() -> None:
    weeks, storms = ["A", "B"], ["e0", "e1"]
    pairs = frozenset({("A", "e0"), ("A", "e1"), ("B", "e1"), ("B", "e0")})
    assert screen.deal(weeks, storms, [], pairs, least=3, most=3) == [
        ("A", "e0"),
        ("A", "e1"),
        ("B", "e1"),
    ]


def test_the_published_wind_weeks_dealt_anew_are_dealt_again() -> None:
    """From the published picks alone, the deal picks them all: none takes another's place."""
    from port.packs import qualifying, weather_kinds, week_ids

    kinds = weather_kinds()
    published = [(w.rpartition("-")[0], w.rpartition("-")[2]) for w in week_ids("wind")]
    dealt = screen.deal(
        qualifying("marine"),
        [weather for weather, kind in kinds.items() if kind == "storm"],
        [weather for weather, kind in kinds.items() if kind == "false_alarm"],
        frozenset(published),
    )
    assert dealt == published
