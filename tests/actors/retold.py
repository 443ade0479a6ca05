"""What if a week had gone otherwise? The same opening, with other events or other weather."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from port.known import known
from port.model import (
    Bunched,
    Closure,
    CraneOutage,
    Emergency,
    Event,
    Forecast,
    ForecastRun,
    Gale,
    Late,
    PilotShortage,
    PriorityCargo,
    Ship,
    TugOutage,
    UnscheduledCall,
    Weather,
    Week,
)
from port.news import News, schedule

STRANGER = "A FIRM NOBODY HEARD OF"


def retold(week: Week, events: Sequence[Event]) -> Week:
    """The week as it would have been with these events."""
    assert week.opening is not None
    truth = known(week.opening, events).changed(
        events=tuple(events), opening=week.opening, best=week.best
    )
    if week.weather is None:
        return truth
    return truth.changed(wind=week.weather.windows, weather=week.weather)


def in_other_weather(week: Week, weather: Weather) -> Week:
    return week.changed(wind=weather.windows, weather=weather)


def news(week: Week) -> list[News]:
    """What will be told but forecasts, which follow from the hours it is told at."""
    return [told for told in schedule(week) if not isinstance(told.event, Forecast)]


def changed_news(before: Week, after: Week) -> list[News]:
    """The news only one of the two weeks has."""
    old, new = news(before), news(after)
    return [told for told in (*old, *new) if (told in old) != (told in new)]


def otherwise(week: Week) -> Iterator[tuple[Event, str, Week]]:
    """Every event of the week, each changed in every way we know, and dropped."""
    for place, event in enumerate(week.events):
        for how, other in _changes(week, event):
            events = list(week.events)
            if other is None:
                events = list(_without(events, event))
            else:
                events[place] = other
            yield event, how, retold(week, events)


def _without(events: Iterable[Event], gone: Event) -> Iterator[Event]:
    """The events but this one, and but those about a ship that only came with it."""
    for event in events:
        of_gone_ship = (
            isinstance(gone, UnscheduledCall)
            and isinstance(event, Emergency | PriorityCargo)
            and event.ship == gone.ship.id
        )
        if event is not gone and not of_gone_ship:
            yield event


def _changes(week: Week, event: Event) -> Iterator[tuple[str, Event | None]]:
    """What was done to the event, and the event it made; None when it was dropped."""
    yield "dropped", None
    match event:
        case Late():
            yield "3 h later", replace(event, arrival=event.arrival + 3)
            yield "another ship", replace(event, ship=_another(week, event.ship).id)
        case Bunched():
            later = tuple((ship, hour + 2) for ship, hour in event.arrivals)
            yield "2 h later", Bunched(later)
            yield "one ship fewer", Bunched(event.arrivals[:-1])
        case UnscheduledCall():
            ship = event.ship
            changed = {
                "another name": replace(ship, name="ANOTHER SHIP"),
                "another firm": replace(ship, firm=STRANGER),
                "12 h later": replace(ship, arrival=ship.arrival + 12, due=ship.due + 12),
                "more to work": replace(ship, handling=ship.handling + 5),
            }
            for how, other in changed.items():
                yield how, UnscheduledCall(other)
        case Closure():
            yield "3 h longer", replace(event, end=event.end + 3)
        case CraneOutage():
            yield "7 h later", CraneOutage(event.start + 7, event.end + 7, event.cranes)
            yield "one crane more", replace(event, cranes=event.cranes + 1)
        case TugOutage() | PilotShortage():
            yield "6 h later", replace(event, start=event.start + 6, end=event.end + 6)
            yield "3 h shorter", replace(event, end=event.end - 3)
        case Gale():
            yield "5 h longer", replace(event, end=event.end + 5)
            yield "12 h later", _later(event, 12)
        case Emergency():
            yield "2 h more", replace(event, deadline=event.deadline + 2)
            yield "twice the penalty", replace(event, penalty=event.penalty * 2)
            yield "another ship", replace(event, ship=_another(week, event.ship).id)
        case PriorityCargo():
            yield "weight 5", replace(event, weight=5)
            yield "another ship", replace(event, ship=_another(week, event.ship).id)
        case _:
            raise AssertionError(f"no change of a {event.kind} is known here")


def _later(gale: Gale, hours: int) -> Gale:
    return Gale(
        gale.start + hours, gale.end + hours, gale.core_start + hours, gale.core_end + hours
    )


def _another(week: Week, ship_id: int) -> Ship:
    """The last ship of the opening that is in no event."""
    assert week.opening is not None
    named = {getattr(event, "ship", None) for event in week.events}
    for event in week.events:
        if isinstance(event, Bunched):
            named |= {ship for ship, _ in event.arrivals}
    return [s for s in week.opening.ships if s.id not in named and s.id != ship_id][-1]


def other_forecasts(week: Week) -> Iterator[tuple[int, str, Week]]:
    """Each forecast run that comes out in the week, in two other versions: hour, how, week."""
    assert week.weather is not None
    for place, run in enumerate(week.weather.runs):
        if run.issued <= 0:
            continue
        versions: dict[str, tuple[ForecastRun, ...]] = {
            "storm": (replace(run, knots=(60,) * len(run.knots)),),
            "missing": (),
        }
        for how, version in versions.items():
            runs = (*week.weather.runs[:place], *version, *week.weather.runs[place + 1 :])
            yield run.issued, how, in_other_weather(week, replace(week.weather, runs=runs))
