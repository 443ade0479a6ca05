"""What is in `data/`? Every file the build writes, from the sources alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from ..jsonl import dumps
from ..known import known
from ..model import Berth, Plan
from ..packfile import dump_week
from ..packs import TRAFFIC
from . import published
from .dock import WEEKS_FILE, Recorded, recorded
from .manifest import SOURCE_FILES, manifests
from .marine import TRAFFIC_FILE, marine_row, traffic
from .published import REFERENCES_FILE
from .record import CALLS, CALLS_FILE, BuildError, call_row, read_calls
from .traffic import RecordedTraffic, profiles
from .weather import WEATHER_FILE, weather_row


def tree(sources: Path) -> dict[str, str]:
    """Every built file of `data/`: its path in there and its text.

    The same sources give the same bytes. Raises BuildError when a source is missing or is not
    what the build expects.
    """
    missing = [name for name in SOURCE_FILES if not (sources / name).is_file()]
    if missing:
        raise BuildError(f"{sources} lacks {', '.join(missing)}")
    weeks = _rows(sources / WEEKS_FILE)
    calls = read_calls(sources / CALLS_FILE)
    dock = {row["task_id"]: recorded(calls, row) for row in weeks}
    figures = json.loads((sources / REFERENCES_FILE).read_text(encoding="utf-8"))
    marine = {row["task_id"]: row for row in _rows(sources / TRAFFIC_FILE)}
    plans = {row["task_id"]: _plan(row["ref"]["optimal_plan"]) for row in weeks}
    moving = (_traffic(dock[week_id], row) for week_id, row in marine.items())
    files = {
        CALLS: _text(call_row(c) for c in sorted(calls, key=lambda call: (call.start, call.id))),
        "weeks/dock-eval.jsonl": _text(dump_week(*week) for week in dock.values()),
        "weeks/marine.jsonl": _text(
            _marine(dock[week_id], plans[week_id], row) for week_id, row in marine.items()
        ),
        TRAFFIC: _text(map(dumps, profiles(calls, moving))),
        "weather/weather-weeks.jsonl": _text(map(weather_row, _rows(sources / WEATHER_FILE))),
        "published/dock.jsonl": _text(map(published.dock_row, weeks)),
        "published/live.jsonl": _text(map(published.unfolding_row, figures["live"])),
        "published/marine.jsonl": _text(
            published.unfolding_row(row, marine[row["task_id"]]["optimal_plan"])
            for row in figures["marine"]
        ),
        "published/wind.jsonl": _text(map(published.wind_row, figures["wind"])),
    }
    return {**files, **manifests(files, sources)}


def _marine(dock: Recorded, plan: Plan, row: dict[str, Any]) -> str:
    opening, events = dock
    opening = opening.changed(unfolds=True)
    week = known(opening, events).changed(opening=opening, events=events)
    return marine_row(week, plan, row)


def _traffic(dock: Recorded, row: dict[str, Any]) -> RecordedTraffic:
    monday = datetime.fromisoformat(dock.opening.monday)
    return RecordedTraffic(dock.opening.quay, monday, traffic(row["movements"]))


def _plan(rows: Iterable[list[int]]) -> dict[int, Berth]:
    return {ship: Berth(hour, section, cranes) for ship, hour, section, cranes in rows}


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except ValueError as error:
        raise BuildError(f"{path}: broken JSON: {error}") from error


def _text(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)
