"""What does a pack look like on disk? One week a line: its opening, and what happened in it.

A line is the opening of a week (its published schedule) and the events that turned it into the
week as it was. What the model derives (crane ranges, workload) is not in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from .errors import WeekError
from .jsonl import STRICT, Line, dumps, parse
from .known import apply
from .model import (
    MAX_HOUR,
    Block,
    Bunched,
    Closure,
    CraneOutage,
    Diverted,
    Emergency,
    Event,
    ForecastRun,
    Gale,
    Late,
    Movement,
    PilotShortage,
    Plan,
    PriorityCargo,
    Services,
    Ship,
    TugOutage,
    UnscheduledCall,
    Weather,
    Week,
    WindHold,
)

PackEvent = Annotated[
    Late
    | Bunched
    | UnscheduledCall
    | Diverted
    | Closure
    | CraneOutage
    | Gale
    | Emergency
    | PriorityCargo
    | TugOutage
    | PilotShortage,
    Field(discriminator="kind"),
]
"""The events a pack can hold: all but forecasts, which come from the weather."""

Cut = Annotated[TugOutage | PilotShortage, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class ServicesLine:
    """Pilots, tugs, and the port's other movements ``[hour, type letter, length in metres]``."""

    pilots: int
    tugs: int
    hours: int
    traffic: tuple[tuple[int, str, float], ...]

    def __post_init__(self) -> None:
        for name in ("pilots", "tugs", "hours"):
            value = getattr(self, name)
            _need(0 <= value <= MAX_HOUR, f"{name} must be 0 to {MAX_HOUR}", value)
        for n, movement in enumerate(self.traffic):
            hour, letter, length = movement
            sound = 0 <= hour < self.hours and len(letter) == 1 and 0 < length < 1000
            what = f"[hour below {self.hours}, type letter, length below 1000 m]"
            _need(sound, f"traffic.{n} must be {what}", movement)

    @classmethod
    def of(cls, services: Services) -> ServicesLine:
        """The services without their cuts, which are events."""
        traffic = tuple((m.hour, m.type, m.length) for m in services.traffic)
        return cls(services.pilots, services.tugs, services.hours, traffic)

    def services(self) -> Services:
        traffic = tuple(Movement(*movement) for movement in self.traffic)
        return Services(self.pilots, self.tugs, self.hours, traffic)


@dataclass(frozen=True, slots=True)
class WeekLine:
    """A week of a pack: the opening, and the events in the order they apply."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    id: str
    quay: str
    number: int
    weeks: int
    monday: str
    tier: str
    crane_pool: int
    movement_limit: int
    ships: tuple[Ship, ...]
    blocks: tuple[Block, ...] = ()
    services: ServicesLine | None = None
    events: tuple[PackEvent, ...] = ()

    def __post_init__(self) -> None:
        _need(_is_monday(self.monday), "monday must be a Monday's date, YYYY-MM-DD", self.monday)

    def opening(self) -> Week:
        """The published schedule. Raises WeekError when a ship is planned off the quay."""
        week = Week(
            self.id,
            self.quay,
            self.number,
            self.weeks,
            self.monday,
            self.tier,
            self.crane_pool,
            self.movement_limit,
            self.ships,
            self.blocks,
            services=None if self.services is None else self.services.services(),
        )
        for n, ship in enumerate(self.ships):
            if (first := ship.planned_section) is not None:
                there = week.place.first <= first <= week.place.last + 1 - ship.sections
                what = f"ships.{n}.planned_section must leave the ship on the quay"
                _need(there, what, first)
        return week


@dataclass(frozen=True, slots=True)
class MarineLine:
    """What a marine week adds to its dock week: the services, and the cuts to them.

    Where `traffic` is modelled, the services hold only what the port's call record has of it; the
    rest is drawn when the week is loaded (`port.traffic`).
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    id: str
    services: ServicesLine
    events: tuple[Cut, ...]
    traffic: Literal["recorded", "modelled"] = "recorded"


@dataclass(frozen=True, slots=True)
class BlownWindow:
    """A window that blew; `unvalidated` is the share of its readings not yet validated."""

    start: int
    end: int
    min_length: int
    unvalidated: float


@dataclass(frozen=True, slots=True)
class WeatherLine:
    """A weather week: what blew and every forecast run.

    `windows` joins hours at most 2 apart, `observed` does not. Hours in the spans `no_reading`
    had no reading and count as calm.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    id: str
    kind: str
    iso_week: str
    windows: tuple[BlownWindow, ...]
    observed: tuple[WindHold, ...]
    no_reading: tuple[tuple[int, int], ...]
    runs: tuple[ForecastRun, ...]

    def weather(self) -> Weather:
        blew = tuple(WindHold(w.start, w.end, w.min_length) for w in self.windows)
        return Weather(self.id, blew, self.runs, self.observed)


def _need(ok: bool, what: str, value: object) -> None:
    if not ok:
        raise WeekError(f"{what}, got {value!r}")


def _is_monday(written: str) -> bool:
    try:
        day = date.fromisoformat(written)
    except ValueError:
        return False
    return day.weekday() == 0 and day.isoformat() == written


def opened(line: Line) -> tuple[Week, tuple[Event, ...]]:
    """A pack line's opening and events. Raises WeekError naming the place of what is wrong."""
    week = parse(WeekLine, line)
    try:
        return week.opening(), week.events
    except WeekError as error:
        raise WeekError(f"{line.place}: {error}") from error


def truth(line: Line, opening: Week, events: Iterable[Event], best: int | None) -> Week:
    """The week as it was. Raises WeekError, with the place, when an event does not fit the week."""
    week, events = opening, tuple(events)
    for n, event in enumerate(events):
        try:
            _need_scheduled(opening, event)
            week = apply(week, event)
        except WeekError as error:
            raise WeekError(f"{line.place}: events.{n} ({event.kind}): {error}") from error
    return week.changed(opening=opening, events=events, best=best)


def _need_scheduled(opening: Week, event: Event) -> None:
    """Only a ship with a published hour can come late."""
    match event:
        case Late():
            late = [event.ship]
        case Bunched():
            late = [ship for ship, _ in event.arrivals]
            _need(bool(late), "arrivals must name ships", event.arrivals)
        case _:
            return
    for ship in late:
        _need(ship in opening.by_id, "ship must be in the published schedule", ship)


def dump_week(opening: Week, events: Iterable[Event]) -> str:
    """The pack line of a week, without a line end: what `opened` reads back."""
    row: dict[str, Any] = {
        "id": opening.id,
        "quay": opening.quay,
        "number": opening.number,
        "weeks": opening.weeks,
        "monday": opening.monday,
        "tier": opening.tier,
        "crane_pool": opening.crane_pool,
        "movement_limit": opening.movement_limit,
        "ships": opening.ships,
        "blocks": opening.blocks,
    }
    if opening.services is not None:
        row["services"] = ServicesLine.of(opening.services)
    return dumps({**row, "events": tuple(events)})


def dump_plan(plan: Plan) -> list[list[int]]:
    """A plan as files of `data/` hold it: ``[ship, berth hour, section, cranes]``, by ship."""
    return [[ship, *berth] for ship, berth in sorted(plan.items())]
