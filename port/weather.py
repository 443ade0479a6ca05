"""What does port control know: the wind that blew, the forecast in force, windows from knots?"""

from __future__ import annotations

from .model import Forecast, ForecastRun, WindHold
from .movements import merge

THRESHOLDS = ((25, 300), (30, 0))
"""Above 25 kn ships of 300 m or more are held, above 30 kn every ship."""
RUN_STEP_HOURS = 3
GAP_HOURS = 2
"""Hours above a threshold at most this far apart are one window."""


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


def forecast_holds(forecast: Forecast) -> tuple[WindHold, ...]:
    """The windows as known at a watch: blown before its hour, forecast from its hour on."""
    now = forecast.hour
    blown = [
        WindHold(w.start, min(w.end, now), w.min_length)
        for w in forecast.observed
        if w.start < now
    ]
    if forecast.run is None:
        return tuple(blown)
    coming = [
        WindHold(max(w.start, now), w.end, w.min_length)
        for w in windows_of(forecast.run)
        if w.end > now
    ]
    return (*blown, *coming)
