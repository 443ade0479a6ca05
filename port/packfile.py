"""What does a pack look like on disk? One week a line: its opening, and what happened in it.

A line is the opening of a week (its published schedule) and the events that turned it into the
week as it was. What the model derives (crane ranges, workload) is not in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field

from .errors import WeekError
from .jsonl import STRICT, Line, dumps, parse
from .known import known
from .model import (
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

    def opening(self) -> Week:
        return Week(
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


@dataclass(frozen=True, slots=True)
class MarineLine:
    """What a marine week adds to its dock week: the services, and the cuts to them."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    id: str
    services: ServicesLine
    events: tuple[Cut, ...]


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
        return Weather(self.id, blew, self.runs)


def opened(line: Line) -> tuple[Week, tuple[Event, ...]]:
    """A pack line's opening and events. Raises WeekError naming the place of what is wrong."""
    week = parse(WeekLine, line)
    try:
        return week.opening(), week.events
    except WeekError as error:
        raise WeekError(f"{line.place}: {error}") from error


def truth(line: Line, opening: Week, events: Iterable[Event], best: int | None) -> Week:
    """The week as it was. Raises WeekError, with the place, when an event does not fit the week."""
    events = tuple(events)
    try:
        week = known(opening, events)
    except WeekError as error:
        raise WeekError(f"{line.place}: events: {error}") from error
    return week.changed(opening=opening, events=events, best=best)


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
