"""Which weeks are there, and what is in each? From the files of `data/` to `Week`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from .errors import WeekError
from .jsonl import Line, index, line_of, parse, row
from .known import in_weather
from .model import Event, Weather, Week
from .packfile import MarineLine, WeatherLine, dump_week, opened, truth

__all__ = [
    "PORTS",
    "Summary",
    "best",
    "dump_week",
    "load_pack",
    "load_weather",
    "load_week",
    "qualifying",
    "summaries",
    "weather_kinds",
    "week_ids",
    "wind_pairs",
]

DATA = Path(__file__).resolve().parent.parent / "data"
DOCK = "weeks/dock-eval.jsonl"
MARINE = "weeks/marine.jsonl"
WEATHER = "weather/weather-weeks.jsonl"
PORTS = ("dock", "live", "marine", "wind")


class Summary(NamedTuple):
    """A line of the list of weeks. `ships` counts those the opening's schedule has."""

    id: str
    quay: str
    tier: str
    weeks: int
    ships: int
    events: int


def summaries(port: str = "dock") -> list[Summary]:
    """The weeks of a port, in the published order, without validating any of them."""
    _need_port(port)
    weeks = {week.id: week for week in map(_summary, index(DATA / DOCK).values())}
    if port == "dock":
        return list(weeks.values())
    if port == "live":
        return [week for week in weeks.values() if week.weeks == 1]
    marine = index(DATA / MARINE)
    if port == "marine":
        return [_with_cuts(weeks[week_id], line) for week_id, line in marine.items()]
    found = []
    for wind_id in index(DATA / "published" / "wind.jsonl"):
        week_id = _split(wind_id)[0]
        week = _with_cuts(weeks[week_id], marine[week_id])
        gales = sum(e["kind"] == "gale" for e in row(index(DATA / DOCK)[week_id])["events"])
        found.append(week._replace(id=wind_id, events=week.events - gales))
    return found


def week_ids(port: str = "dock") -> list[str]:
    """The published weeks of a port. Raises WeekError for a port there is not."""
    return [summary.id for summary in summaries(port)]


def qualifying(port: str) -> list[str]:
    """The published weeks whose best a re-planner reaches as they unfold; at the dock, all."""
    published = map(row, index(DATA / "published" / f"{port}.jsonl").values())
    return [found["id"] for found in published if found.get("qualifies", True)]


def wind_pairs() -> list[str]:
    """The 240 wind weeks that were screened: each qualifying marine week in each weather week."""
    published = map(row, index(DATA / "published" / "marine.jsonl").values())
    weeks = [r["id"] for r in published if r["qualifies"]]
    return _pairs(weeks)


def load_week(week_id: str, port: str = "dock") -> Week:
    """A week as it was, at one of the ports; at the wind port any marine week in any weather.

    Raises WeekError when there is no such week or port, naming the nearest there are, or when
    its file is damaged, naming the place.
    """
    _need_port(port)
    if port == "wind":
        return _wind_week(week_id)
    if port == "marine":
        line, opening, events = _marine(week_id, port)
        return truth(line, opening, events, best(week_id, port))
    dock_line = line_of(DATA / DOCK, week_id)
    if dock_line is None:
        raise _no_week(week_id, port)
    opening, events = opened(dock_line)
    if port == "live":
        if opening.weeks != 1:
            raise _no_week(week_id, port)
        opening = opening.changed(unfolds=True)
    return truth(dock_line, opening, events, best(week_id, port))


def load_pack(path: str | Path, unfolds: bool = False) -> list[Week]:
    """Every week, as it was, of a pack file of the user's own; `best` is not known.

    Their news comes watch by watch when they are to unfold. Raises WeekError naming the line and
    the field that is wrong.
    """
    return [_pack_week(line, unfolds) for line in index(Path(path)).values()]


def load_weather(weather_id: str) -> Weather:
    """A weather week. Raises WeekError when there is none of that id, naming those there are."""
    return _weather_line(weather_id).weather()


def weather_kinds() -> dict[str, str]:
    """Each weather week's kind: `storm`, or `false_alarm` (warned of, and hardly blew)."""
    return {key: str(row(line)["kind"]) for key, line in index(DATA / WEATHER).items()}


def best(week_id: str, port: str) -> int | None:
    """The cost that earns reward 1.0: our own reference if there is one, else the published one.

    An anchor, where a row has one, stands in the optimum's place. None when neither has the week.
    """
    for folder in ("references", "published"):
        path = DATA / folder / f"{port}.jsonl"
        line = line_of(path, week_id) if path.is_file() else None
        if line is not None:
            return _cost(line)
    return None


def _pack_week(line: Line, unfolds: bool) -> Week:
    opening, events = opened(line)
    return truth(line, opening.changed(unfolds=unfolds), events, None)


def _cost(line: Line) -> int:
    found = row(line)
    cost = found["anchor"] if "anchor" in found else found.get("optimum")
    if not isinstance(cost, int) or isinstance(cost, bool) or cost < 0:
        raise WeekError(f"{line.place}: optimum: must be a cost of 0 or more, got {cost!r}")
    return cost


def _summary(line: Line) -> Summary:
    found = row(line)
    try:
        quay, tier, weeks = found["quay"], found["tier"], found["weeks"]
        return Summary(found["id"], quay, tier, weeks, len(found["ships"]), len(found["events"]))
    except (KeyError, TypeError) as error:
        raise WeekError(f"{line.place}: no week: {error!r}") from error


def _with_cuts(week: Summary, line: Line) -> Summary:
    return week._replace(events=week.events + len(row(line)["events"]))


def _marine(week_id: str, port: str) -> tuple[Line, Week, tuple[Event, ...]]:
    line, dock_line = line_of(DATA / MARINE, week_id), line_of(DATA / DOCK, week_id)
    if line is None or dock_line is None:
        raise _no_week(week_id, port)
    opening, events = opened(dock_line)
    marine = parse(MarineLine, line)
    opening = opening.changed(services=marine.services.services(), unfolds=True)
    return line, opening, (*events, *marine.events)


def _wind_week(week_id: str) -> Week:
    marine_id, weather_id = _split(week_id)
    if marine_id not in index(DATA / MARINE) or weather_id not in index(DATA / WEATHER):
        raise _no_week(week_id, "wind")
    line, opening, marine_events = _marine(marine_id, "wind")
    marine = truth(line, opening.changed(id=week_id), marine_events, best(week_id, "wind"))
    return in_weather(marine, load_weather(weather_id))


def _weather_line(weather_id: str) -> WeatherLine:
    line = line_of(DATA / WEATHER, weather_id)
    if line is None:
        there = ", ".join(index(DATA / WEATHER))
        raise WeekError(f"no weather week {weather_id!r}; there are {there}")
    return parse(WeatherLine, line)


def _split(wind_id: str) -> tuple[str, str]:
    """A wind week's marine week and weather week, by their ids."""
    marine_id, _, weather_id = wind_id.rpartition("-")
    return marine_id, weather_id


def _pairs(marine_ids: Iterable[str]) -> list[str]:
    return [f"{week}-{weather}" for week in marine_ids for weather in index(DATA / WEATHER)]


def _need_port(port: str) -> None:
    if port not in PORTS:
        near = difflib.get_close_matches(port, PORTS, n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise WeekError(f"no port {port!r}: the ports are {', '.join(PORTS)}{meant}")


def _no_week(week_id: str, port: str) -> WeekError:
    ids = _pairs(index(DATA / MARINE)) if port == "wind" else week_ids(port)
    near = difflib.get_close_matches(week_id, ids, n=3, cutoff=0.0)
    text = f"no week {week_id!r} at port {port!r}; nearest of its {len(ids)}: {', '.join(near)}"
    return WeekError(text)
