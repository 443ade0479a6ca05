"""Which weeks are there, and what is in each? From the files of `data/` to `Week`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from .errors import WeekError
from .jsonl import Line, index, line_of, parse, row
from .known import in_weather
from .model import Berth, Event, Plan, Services, Weather, Week
from .packfile import MarineLine, WeatherLine, dump_week, opened, truth
from .traffic import modelled, profiles

__all__ = [
    "PACKS",
    "PORTS",
    "Summary",
    "best",
    "best_plan",
    "described",
    "dump_week",
    "load_pack",
    "load_weather",
    "load_week",
    "marine_week",
    "qualifying",
    "reference",
    "summaries",
    "weather_kinds",
    "week_ids",
    "wind_pairs",
]

DATA = Path(__file__).resolve().parent.parent / "data"
WEATHER = "weather/weather-weeks.jsonl"
TRAFFIC = "traffic/profiles.jsonl"
PORTS = ("dock", "live", "marine", "wind")


class Pack(NamedTuple):
    """The files of a pack, in the order of PORTS: each lists the pack's weeks at that port.

    The weeks themselves are in `dock`, what makes them marine weeks in `marine`.
    """

    dock: str
    live: str
    marine: str
    wind: str


PACKS: dict[str, Pack] = {
    "eval": Pack(
        "weeks/dock-eval.jsonl",
        "published/live.jsonl",
        "weeks/marine.jsonl",
        "published/wind.jsonl",
    ),
    "train": Pack(
        "weeks/dock-train.jsonl.gz",
        "references/live-train.jsonl.gz",
        "weeks/marine-train.jsonl.gz",
        "references/wind-train.jsonl.gz",
    ),
}
"""No id is in both: training weeks touch no ISO week of the evaluation."""
EVAL = PACKS["eval"]


class Summary(NamedTuple):
    """A line of the list of weeks. `ships` counts those the opening's schedule has."""

    id: str
    quay: str
    tier: str
    weeks: int
    ships: int
    events: int


def summaries(port: str = "dock", pack: str = "eval") -> list[Summary]:
    """The weeks of a pack at a port, in its order, without validating any of them."""
    return [summary for summary, _ in described(port, pack)]


def described(port: str, pack: str) -> list[tuple[Summary, list[str]]]:
    """The same, each with the kinds of its events."""
    files = _pack(port, pack)
    dock, marine = _file(files.dock), _file(files.marine)
    found = []
    for week_id in _file(getattr(files, port)):
        dock_id = _split(week_id)[0] if port == "wind" else week_id
        kinds = _kinds(dock[dock_id])
        if port in ("marine", "wind"):
            kinds += _kinds(marine[dock_id])
        if port == "wind":
            kinds = [kind for kind in kinds if kind != "gale"]
        week = _summary(dock[dock_id])._replace(id=week_id, events=len(kinds))
        found.append((week, kinds))
    return found


def week_ids(port: str = "dock", pack: str = "eval") -> list[str]:
    """The weeks of a pack at a port. Raises WeekError for a port or a pack there is not.

    Training weeks at the live and wind ports are those that qualify; others can be loaded too.
    """
    return list(_file(getattr(_pack(port, pack), port)))


def qualifying(port: str) -> list[str]:
    """The published weeks whose best a re-planner reaches as they unfold; at the dock, all."""
    published = map(row, index(DATA / "published" / f"{port}.jsonl").values())
    return [found["id"] for found in published if found.get("qualifies", True)]


def wind_pairs(pack: str = "eval") -> list[str]:
    """The wind weeks to screen: each qualifying marine week of a pack in each weather week.

    Of the evaluation's there are 240.
    """
    return _pairs(qualifying("marine") if pack == "eval" else week_ids("marine", pack))


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
    dock_line = _line("dock", week_id)
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
    line = _figure(week_id, port)
    return None if line is None else _cost(line)


def best_plan(week_id: str, port: str) -> Plan:
    """The plan kept with a week's optimum. Raises WeekError when there is none."""
    figures = reference(week_id, port)
    windows = None if figures is None else figures.get("plan")
    if windows is None:
        raise WeekError(f"no plan is kept of week {week_id!r} at port {port!r}")
    return {ship: Berth(*window) for ship, *window in windows}


def reference(week_id: str, port: str) -> dict[str, Any] | None:
    """All that is kept of a week's optimum and of what planners get there; None for nothing."""
    line = _figure(week_id, port)
    return None if line is None else row(line)


def _figure(week_id: str, port: str) -> Line | None:
    """The line of the first file that has figures of the week."""
    found = (_file(name).get(week_id) for name in _figures(week_id, port))
    return next((line for line in found if line is not None), None)


def _figures(week_id: str, port: str) -> tuple[str, ...]:
    """The files that may have the week's best cost, the one that counts first."""
    dock_id = _split(week_id)[0] if port == "wind" else week_id
    if dock_id in _file(EVAL.dock):
        return f"references/{port}.jsonl", f"published/{port}.jsonl"
    own = f"references/{port}-train.jsonl.gz"
    # With all of it known, a live week is its dock week.
    return (own, "references/dock-train.jsonl.gz") if port == "live" else (own,)


def _pack_week(line: Line, unfolds: bool) -> Week:
    opening, events = opened(line)
    return truth(line, opening.changed(unfolds=unfolds), events, None)


def _cost(line: Line) -> int:
    found = row(line)
    cost = found["anchor"] if "anchor" in found else found.get("optimum")
    if not isinstance(cost, int) or isinstance(cost, bool) or cost < 0:
        raise WeekError(f"{line.place}: optimum: must be a cost of 0 or more, got {cost!r}")
    return cost


def _kinds(line: Line) -> list[str]:
    try:
        return [event["kind"] for event in row(line)["events"]]
    except (KeyError, TypeError) as error:
        raise WeekError(f"{line.place}: no events: {error!r}") from error


def _summary(line: Line) -> Summary:
    found = row(line)
    try:
        quay, tier, weeks = found["quay"], found["tier"], found["weeks"]
        return Summary(found["id"], quay, tier, weeks, len(found["ships"]), len(found["events"]))
    except (KeyError, TypeError) as error:
        raise WeekError(f"{line.place}: no week: {error!r}") from error


def marine_week(text: str) -> Week:
    """The marine week of a line that is in no file yet; `best` is not known."""
    line = Line(Path("a marine week's line"), 1, text)
    dock_id = parse(MarineLine, line).id
    dock_line = _line("dock", dock_id)
    if dock_line is None:
        raise _no_week(dock_id, "dock")
    return truth(*_joined(line, dock_line), None)


def _marine(week_id: str, port: str) -> tuple[Line, Week, tuple[Event, ...]]:
    line, dock_line = _line("marine", week_id), _line("dock", week_id)
    if line is None or dock_line is None:
        raise _no_week(week_id, port)
    return _joined(line, dock_line)


def _joined(line: Line, dock_line: Line) -> tuple[Line, Week, tuple[Event, ...]]:
    opening, events = opened(dock_line)
    marine = parse(MarineLine, line)
    opening = opening.changed(services=_services(marine), unfolds=True)
    return line, opening, (*events, *marine.events)


def _services(marine: MarineLine) -> Services:
    services = marine.services.services()
    if marine.traffic == "recorded":
        return services
    others = modelled(marine.id, profiles(DATA / TRAFFIC), services.hours)
    traffic = sorted((*services.traffic, *others), key=lambda m: (m.hour, m.type, m.length))
    return replace(services, traffic=tuple(traffic))


def _wind_week(week_id: str) -> Week:
    marine_id, weather_id = _split(week_id)
    if weather_id not in index(DATA / WEATHER) or _line("marine", marine_id) is None:
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


def _file(name: str) -> dict[str, Line]:
    """The lines of a file of `data/` by id; only the evaluation's weeks must be there."""
    path = DATA / name
    needed = name in (EVAL.dock, EVAL.marine)
    return index(path) if needed or path.is_file() else {}


def _line(port: str, week_id: str) -> Line | None:
    """The week's line in the first pack that has it; other packs are not opened."""
    for pack in PACKS.values():
        if (line := _file(getattr(pack, port)).get(week_id)) is not None:
            return line
    return None


def _pack(port: str, pack: str) -> Pack:
    _need_port(port)
    if pack not in PACKS:
        raise WeekError(f"no pack {pack!r}: the packs are {', '.join(PACKS)}")
    return PACKS[pack]


def _need_port(port: str) -> None:
    if port not in PORTS:
        near = difflib.get_close_matches(port, PORTS, n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise WeekError(f"no port {port!r}: the ports are {', '.join(PORTS)}{meant}")


def _no_week(week_id: str, port: str) -> WeekError:
    ids = _pairs(_file(EVAL.marine)) if port == "wind" else week_ids(port)
    near = difflib.get_close_matches(week_id, ids, n=3, cutoff=0.0)
    text = f"no week {week_id!r} at port {port!r}; nearest of its {len(ids)}: {', '.join(near)}"
    return WeekError(text)
