"""What did the wind do, and what was forecast? The 16 weather weeks."""

from __future__ import annotations

from typing import Any

from ..jsonl import dumps
from ..model import ForecastRun, WindHold
from ..packfile import BlownWindow, WeatherLine
from ..weather import hourly, windows
from .record import BuildError

WEATHER_FILE = "weather_weeks.jsonl"

KINDS = {"storm": "storm", "bust": "false_alarm"}

NO_READING: dict[str, tuple[tuple[int, int], ...]] = {
    "e07": ((224, 229), (230, 242)),
    "e11": ((79, 85), (182, 183)),
    "e12": ((126, 127),),
}
"""Hours for which station Y7 has no reading at all, as its users have published them."""


def weather_row(row: dict[str, Any]) -> str:
    """The weather line of a recorded weather week.

    A run's windows are not kept: they follow from its knots. Raises BuildError when they do not.
    """
    line = WeatherLine(
        row["id"],
        KINDS[row["kind"]],
        row["iso_week"],
        tuple(
            BlownWindow(w["start"], w["end"], w["min_length"], w["unvalidated"])
            for w in row["windows"]
        ),
        holds(row["observed"]),
        NO_READING.get(row["id"], ()),
        tuple(_run(row["id"], run) for run in row["runs"]),
    )
    return dumps(
        {
            "id": line.id,
            "kind": line.kind,
            "iso_week": line.iso_week,
            "windows": line.windows,
            "observed": line.observed,
            "no_reading": line.no_reading,
            "runs": line.runs,
        }
    )


def holds(rows: list[dict[str, Any]]) -> tuple[WindHold, ...]:
    """No-movement windows of recorded rows."""
    return tuple(WindHold(w["start"], w["end"], w["min_length"]) for w in rows)


def _run(weather_id: str, row: dict[str, Any]) -> ForecastRun:
    run = ForecastRun(row["init"], row["issued"], tuple(row["kn"]))
    if windows(hourly(run)) != holds(row["windows"]):
        place = f"{WEATHER_FILE}: {weather_id}: run {run.init}"
        raise BuildError(f"{place}: the recorded windows do not follow from its knots")
    return run
