"""When does each piece of news come, who brings it, and in which watches is the week played?"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from .errors import WeekError
from .model import (
    Bunched,
    Closure,
    CraneOutage,
    Diverted,
    Emergency,
    Event,
    Forecast,
    Gale,
    Late,
    PilotShortage,
    PriorityCargo,
    TugOutage,
    UnscheduledCall,
    Week,
)
from .weather import forecast_at, next_bulletin

BULLETIN_HOURS = 6
"""News comes on the hour of a bulletin: every 6 hours."""
LEAD_HOURS = 24
EMERGENCY_LEAD_HOURS = 12

Speaker: TypeAlias = str
"""A role's name. A firm's is `firm:` and the firm's own."""

HARBOUR_MASTER: Speaker = "harbour_master"
TERMINAL_OPS: Speaker = "terminal_ops"
TUG_COMPANY: Speaker = "tug_company"
PILOT_STATION: Speaker = "pilot_station"
PORT_CONTROL: Speaker = "port_control"

_RANKS = {
    HARBOUR_MASTER: 1,
    TERMINAL_OPS: 2,
    TUG_COMPANY: 3,
    PILOT_STATION: 4,
    PORT_CONTROL: 5,
}


def firm_speaker(firm: str) -> Speaker:
    return f"firm:{firm}"


def rank(speaker: Speaker) -> tuple[int, str]:
    """The order in which roles speak in a watch: firms by name, then the port's authorities."""
    return (_RANKS.get(speaker, 0), speaker)


class News(NamedTuple):
    """An event as one speaker tells it, at the bulletin of hour `hour`."""

    hour: int
    speaker: Speaker
    event: Event


def schedule(week: Week) -> tuple[News, ...]:
    """All news of a week as it was, as it is told: by hour, by speaker, then as recorded."""
    told = _events_told(week)
    if (weather := week.weather) is not None:
        told += [News(h, PORT_CONTROL, forecast_at(weather, h)) for h in watch_hours(week)]
    return tuple(sorted(told, key=lambda news: (news.hour, rank(news.speaker))))


def _events_told(week: Week) -> list[News]:
    return [
        News(_bulletin(week, event), speaker, part)
        for event in week.events
        for speaker, part in _told_by(week, event)
    ]


def watch_hours(week: Week) -> tuple[int, ...]:
    """Hour 0, the hour of every bulletin with news, and the watches forecasts add between them."""
    bulletins = sorted({0, *(news.hour for news in _events_told(week))})
    if week.weather is None:
        return tuple(bulletins)
    hours = [0]
    while True:
        coming = [hour for hour in bulletins if hour > hours[-1]]
        if (bulletin := next_bulletin(week.weather, hours[-1])) is not None:
            coming.append(bulletin)
        if not coming:
            return tuple(hours)
        hours.append(min(coming))


def about(week: Week, event: Event) -> int | None:
    """The hour a piece of news is about; None for closures (planned works) and forecasts."""
    match event:
        case Late():
            return _scheduled(week, event.ship)
        case Bunched():
            return min(_scheduled(week, ship) for ship, _ in event.arrivals)
        case UnscheduledCall():
            return event.ship.arrival
        case Emergency() | PriorityCargo():
            return week.by_id[event.ship].arrival
        case Diverted() | CraneOutage() | Gale() | TugOutage() | PilotShortage():
            return event.start
        case Closure() | Forecast():
            return None


def _bulletin(week: Week, event: Event) -> int:
    if not week.unfolds:
        return 0
    return max(0, _lead(week, event)) // BULLETIN_HOURS * BULLETIN_HOURS


def _lead(week: Week, event: Event) -> int:
    """The hour the event would be known at, before it waits for nothing but a bulletin."""
    match event:
        case Closure():
            return 0
        case Forecast():
            return event.hour
        case PriorityCargo():
            return max(_about(week, event) - LEAD_HOURS, _own_news(week, event.ship))
        case Emergency():
            return max(_about(week, event) - EMERGENCY_LEAD_HOURS, _own_news(week, event.ship))
        case _:
            return _about(week, event) - LEAD_HOURS


def _about(week: Week, event: Event) -> int:
    hour = about(week, event)
    assert hour is not None, f"{event.kind} news is about no hour"
    return hour


def _scheduled(week: Week, ship_id: int) -> int:
    opening = week.opening
    if opening is None:
        raise WeekError(
            f"{week.id} is a week as known: only a week as it was has a schedule of news"
        )
    return opening.by_id[ship_id].arrival


def _own_news(week: Week, ship_id: int) -> int:
    """When the ship's own delay or call is told; nothing about the ship comes before it."""
    for event in week.events:
        match event:
            case Late() if event.ship == ship_id:
                return _lead(week, event)
            case Bunched() if any(ship == ship_id for ship, _ in event.arrivals):
                return _lead(week, event)
            case UnscheduledCall() if event.ship.id == ship_id:
                return _lead(week, event)
            case _:
                continue
    return 0


def _diverted(week: Week) -> set[int]:
    """Ships the harbour master sends here: until he has said so, nobody can speak of them."""
    return {ship.id for e in week.events if isinstance(e, Diverted) for ship in e.ships}


def _told_by(week: Week, event: Event) -> list[tuple[Speaker, Event]]:
    """Who tells the event; bunched ships are told by their own firms, each of its own."""
    match event:
        case PriorityCargo() if event.ship in _diverted(week):
            return [(HARBOUR_MASTER, event)]
        case Late() | PriorityCargo():
            return [(firm_speaker(week.by_id[event.ship].firm), event)]
        case UnscheduledCall():
            return [(firm_speaker(event.ship.firm), event)]
        case Bunched():
            firms: dict[str, list[tuple[int, int]]] = {}
            for ship, hour in event.arrivals:
                firms.setdefault(week.by_id[ship].firm, []).append((ship, hour))
            return [(firm_speaker(f), Bunched(tuple(part))) for f, part in firms.items()]
        case Gale() | Emergency() | Diverted():
            return [(HARBOUR_MASTER, event)]
        case Closure() | CraneOutage():
            return [(TERMINAL_OPS, event)]
        case TugOutage():
            return [(TUG_COMPANY, event)]
        case PilotShortage():
            return [(PILOT_STATION, event)]
        case Forecast():
            return [(PORT_CONTROL, event)]
