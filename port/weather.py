"""What does port control know: the wind that blew, the forecast in force, windows from knots?"""

from __future__ import annotations

from collections.abc import Iterable

from .model import Forecast, ForecastRun, Weather, WindHold
from .movements import merge

THRESHOLDS = ((25, 300), (30, 0))
"""Above 25 kn ships of 300 m or more are held, above 30 kn every ship."""
RUN_STEP_HOURS = 3
GAP_HOURS = 2
"""Hours above a threshold at most this far apart are one window."""
WARNING_HOURS = range(12, 157, 12)
WARNING_AHEAD = (6, 42)


def windows(knots_by_hour: dict[int, float]) -> tuple[WindHold, ...]:
    """The no-movement windows of a wind given in knots for each hour (hours >= 0 count)."""
    holds = []
    for threshold, min_length in THRESHOLDS:
        spans = [(h, h + 1) for h, kn in knots_by_hour.items() if h >= 0 and kn > threshold]
        holds += [WindHold(a, b, min_length) for a, b in merge(spans, gap=GAP_HOURS)]
    return tuple(holds)


def hourly(run: ForecastRun) -> dict[int, float]:
    """The run's wind in knots for every hour it covers, linear between its steps."""
    hours: dict[int, float] = {}
    for step, (here, there) in enumerate(zip(run.knots, run.knots[1:], strict=False)):
        for k in range(RUN_STEP_HOURS):
            hour = run.init + RUN_STEP_HOURS * step + k
            hours[hour] = here + (there - here) * k / RUN_STEP_HOURS
    hours[run.init + RUN_STEP_HOURS * (len(run.knots) - 1)] = run.knots[-1]
    return hours


def windows_of(run: ForecastRun) -> tuple[WindHold, ...]:
    """The no-movement windows a forecast run shows."""
    return windows(hourly(run))


def in_force(runs: Iterable[ForecastRun], hour: int) -> ForecastRun | None:
    """Of the runs published by this hour the one that started last; None before the first."""
    out = (run for run in runs if run.issued <= hour)
    return max(out, key=lambda run: run.init, default=None)


def blown(observed: Iterable[WindHold], hour: int) -> tuple[WindHold, ...]:
    """What has blown before this hour."""
    return tuple(
        WindHold(w.start, min(w.end, hour), w.min_length) for w in observed if w.start < hour
    )


def forecast_at(weather: Weather, hour: int) -> Forecast:
    """What port control can say at this hour: nothing in it is from later."""
    return Forecast(hour, in_force(weather.runs, hour), blown(weather.observed, hour))


def next_bulletin(weather: Weather, watch_before: int) -> int | None:
    """When port control speaks next, unless somebody else has news before; None when it does not.

    Beside its set bulletins it speaks at 00:00 or 12:00 when the run then in force restricts an
    hour 6 to 42 hours ahead that the run in force at the watch before did not.
    """
    coming = [hour for hour in weather.bulletins if hour > watch_before]
    if (warning := _next_warning(weather, watch_before)) is not None:
        coming.append(warning)
    return min(coming, default=None)


def _next_warning(weather: Weather, watch_before: int) -> int | None:
    seen = _restricted(weather, watch_before)
    for hour in WARNING_HOURS:
        if hour > watch_before:
            ahead = range(hour + WARNING_AHEAD[0], hour + WARNING_AHEAD[1])
            if any(h in ahead for _, h in _restricted(weather, hour) - seen):
                return hour
    return None


def _restricted(weather: Weather, hour: int) -> set[tuple[int, int]]:
    """The hours the run in force at `hour` restricts, each with the ship length it binds from."""
    run = in_force(weather.runs, hour)
    if run is None:
        return set()
    return {(w.min_length, h) for w in windows_of(run) for h in range(w.start, w.end)}


def forecast_holds(forecast: Forecast) -> tuple[WindHold, ...]:
    """The windows as known at a watch: blown before its hour, forecast from its hour on."""
    now = forecast.hour
    past = blown(forecast.observed, now)
    if forecast.run is None:
        return past
    coming = [
        WindHold(max(w.start, now), w.end, w.min_length)
        for w in windows_of(forecast.run)
        if w.end > now
    ]
    return (*past, *coming)
