"""What does the week look like once given news is known?

`apply` is the one place where news changes a week: the week as it really was is the opening with
every event applied, the week as known at a watch is the opening with what was announced.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import Any

from .errors import WeekError
from .model import (
    Block,
    Bunched,
    Closure,
    CraneOutage,
    Diverted,
    Emergency,
    Event,
    Forecast,
    Gale,
    Late,
    Outage,
    PilotShortage,
    PriorityCargo,
    Services,
    Ship,
    TugOutage,
    UnscheduledCall,
    Weather,
    Week,
)
from .news import schedule
from .weather import forecast_holds


def apply(week: Week, event: Event) -> Week:
    """The week with one more event known.

    Raises WeekError when the event is about a ship the week does not have, or about pilots and
    tugs in a week without them.
    """
    match event:
        case Late():
            return _ship_changed(week, event.ship, arrival=event.arrival)
        case Bunched():
            for ship, hour in event.arrivals:
                week = _ship_changed(week, ship, arrival=hour)
            return week
        case UnscheduledCall():
            return week.changed(ships=_with(week, (event.ship,)))
        case Diverted():
            return week.changed(ships=_with(week, event.ships))
        case Closure():
            block = Block(event.first, event.last, event.start, event.end, "closed", event.reason)
            return week.changed(blocks=(*week.blocks, block))
        case CraneOutage():
            outage = Outage(event.start, event.end, event.cranes)
            return week.changed(outages=(*week.outages, outage))
        case Gale():
            return week.changed(wind=(*week.wind, *event.holds))
        case Emergency():
            return _ship_changed(week, event.ship, deadline=event.deadline, penalty=event.penalty)
        case PriorityCargo():
            return _ship_changed(week, event.ship, weight=event.weight)
        case TugOutage():
            services = _services(week)
            return week.changed(services=replace(services, tug_cuts=(*services.tug_cuts, event)))
        case PilotShortage():
            services = _services(week)
            return week.changed(
                services=replace(services, pilot_cuts=(*services.pilot_cuts, event))
            )
        case Forecast():
            return week.changed(wind=forecast_holds(event), forecast=event)


def known(opening: Week, events: Iterable[Event]) -> Week:
    """The opening with the events applied, in their order."""
    return reduce(apply, events, opening)


def in_weather(marine: Week, weather: Weather) -> Week:
    """A week as it was, moved into the wind of a weather week.

    Its own gale is gone; the bulletin that told it stays, as one of port control's.
    """
    gales = tuple(news.hour for news in schedule(marine) if isinstance(news.event, Gale))
    return marine.changed(
        events=tuple(event for event in marine.events if not isinstance(event, Gale)),
        wind=weather.windows,
        weather=replace(weather, bulletins=gales),
    )


def _with(week: Week, ships: Iterable[Ship]) -> tuple[Ship, ...]:
    return tuple(sorted((*week.ships, *ships), key=lambda ship: ship.id))


def _ship_changed(week: Week, ship_id: int, **fields: Any) -> Week:
    if ship_id not in week.by_id:
        raise WeekError(f"no ship {ship_id} in {week.id}; it has {sorted(week.by_id)}")
    ships = (replace(s, **fields) if s.id == ship_id else s for s in week.ships)
    return week.changed(ships=tuple(ships))


def _services(week: Week) -> Services:
    if week.services is None:
        raise WeekError(f"{week.id} has no pilots and tugs to cut")
    return week.services
