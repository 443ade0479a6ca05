"""What port control knows, and when: the run in force, what has blown, the next bulletin."""

from __future__ import annotations

import pytest

from port.model import ForecastRun, Weather, WindHold
from port.news import watch_hours
from port.packs import load_weather, load_week
from port.weather import (
    blown,
    forecast_at,
    forecast_holds,
    hourly,
    in_force,
    next_bulletin,
    windows,
)

CALM = (5,) * 25


def run(init: int, knots: tuple[int, ...] = CALM) -> ForecastRun:
    """A run, published nine hours after its start."""
    return ForecastRun(init, init + 9, knots)


def test_the_run_in_force_is_the_published_one_with_the_latest_start() -> None:
    runs = (run(-12), run(-6), run(0))
    assert in_force(runs, 2) == run(-12)  # the run of -6 is out at hour 3
    assert in_force(runs, 3) == run(-6)


def test_a_missing_run_leaves_the_one_before_in_force() -> None:
    runs = (run(-12), run(0))
    assert in_force(runs, 8) == run(-12)


def test_before_any_run_is_out_there_is_no_forecast() -> None:
    assert in_force((run(0),), 8) is None
    forecast = forecast_at(Weather("e", (), (run(0),)), 0)
    assert forecast.run is None
    assert forecast_holds(forecast) == ()


def test_knots_are_linear_between_a_runs_steps() -> None:
    # 20 kn at hour 0 and 29 at hour 3: 23 at hour 1, 26 at hour 2.
    hours = hourly(run(0, (20, 29)))
    assert hours == {0: 20, 1: 23, 2: 26, 3: 29}


def test_hours_strictly_above_a_threshold_are_its_window() -> None:
    assert windows({4: 25.0, 5: 25.1, 6: 31.0, 7: 25.0}) == (
        WindHold(5, 7, 300),
        WindHold(6, 7, 0),
    )


@pytest.mark.parametrize(("second", "joined"), [(7, True), (8, False)])
def test_hours_at_most_two_apart_are_one_window(second: int, joined: bool) -> None:
    # Hour 4 ends at 5: hour 7 starts two hours later, hour 8 three.
    found = windows({4: 26.0, second: 26.0})
    assert (len(found) == 1) is joined


def test_what_has_blown_stops_at_the_hour_it_is_told() -> None:
    assert blown((WindHold(3, 9, 300), WindHold(9, 12, 300)), 6) == (WindHold(3, 6, 300),)


def test_windows_as_known_are_what_blew_before_the_hour_and_the_forecast_from_it_on() -> None:
    weather = Weather(
        "e",
        (WindHold(3, 20, 300),),
        (run(0, (26,) * 25),),
        observed=(WindHold(3, 20, 300),),
    )
    forecast = forecast_at(weather, 10)
    assert forecast_holds(forecast) == (WindHold(3, 10, 300), WindHold(10, 73, 300))


def test_the_worked_examples_added_watch_is_hour_108() -> None:
    week = load_week("dock-24B-w37x1-standard-0-e01", "wind")
    assert watch_hours(week) == (0, 6, 78, 90, 108)


def test_port_control_keeps_its_set_bulletins() -> None:
    weather = load_weather("e08")
    quiet = Weather(weather.id, weather.windows, (), weather.observed, bulletins=(90,))
    assert next_bulletin(quiet, 0) == 90
    assert next_bulletin(quiet, 90) is None


def test_the_marine_weeks_free_pilots_and_tugs_are_those_the_seed_prints() -> None:
    from port.briefing import free_lines

    week = load_week("dock-24B-w07x1-busy-0", "marine")
    assert week.opening is not None
    monday, tuesday, *_ = free_lines(week.opening)
    assert monday == "- Mon: 745565 266666 764766 354136 | 867675 286888 867888 854765"
    assert tuesday == "- Tue: 475667 644667 565657 166235 | 385668 858668 577778 885865"
