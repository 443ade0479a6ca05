"""What does a pack look like on disk? One week a line, read and checked, and written again.

A pack line is the opening of a week (its published schedule) and the events that turned it into
the week as it was. What the model derives (crane ranges, workload) is not in it, and fields at
their default are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

from .errors import WeekError
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
    Week,
    WindHold,
)

STRICT: dict[str, Any] = {"strict": True, "extra": "forbid"}
"""No coercion (true is no hour, "7" no number) and no field the schema does not have."""

_SHOWN = 3
"""Mistakes named in one error; a line with a wrong field often has several."""

T = TypeVar("T")

PackEvent = (
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
    | PilotShortage
)
"""The events a pack can hold: all but forecasts, which come from the weather."""


class Line(NamedTuple):
    """A line of a file, and where it stands."""

    path: Path
    number: int
    text: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.number}"


@dataclass(frozen=True, slots=True)
class ServicesLine:
    """Pilots, tugs, and the port's other movements ``[hour, type letter, length in metres]``."""

    pilots: int
    tugs: int
    hours: int
    traffic: tuple[tuple[int, str, float], ...]

    def services(self) -> Services:
        traffic = tuple(Movement(*movement) for movement in self.traffic)
        return Services(self.pilots, self.tugs, self.hours, traffic)


@dataclass(frozen=True, slots=True)
class WeekLine:
    """A week of a pack: the opening, and the events in the order they apply."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

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

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    id: str
    services: ServicesLine
    events: tuple[TugOutage | PilotShortage, ...]


@dataclass(frozen=True, slots=True)
class BlownWindow:
    """A window that blew; `unvalidated` is the share of its readings the network had not checked."""

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

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    id: str
    kind: str
    iso_week: str
    windows: tuple[BlownWindow, ...]
    observed: tuple[WindHold, ...]
    no_reading: tuple[tuple[int, int], ...]
    runs: tuple[ForecastRun, ...]


# ---- reading ---------------------------------------------------------------------------------


def lines(path: Path) -> tuple[Line, ...]:
    """The lines of a file that are not blank. Raises WeekError when it cannot be read."""
    try:
        text = _text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise WeekError(f"{path}: cannot be read: {error}") from error
    return tuple(Line(path, n, t) for n, t in enumerate(text.splitlines(), 1) if t.strip())


@lru_cache(maxsize=16)
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


_LEADING_ID = re.compile(r'\s*\{\s*"id"\s*:\s*"([^"\\]*)"')


@lru_cache(maxsize=16)
def index(path: Path) -> tuple[tuple[str, Line], ...]:
    """Each line's id, found by its leading ``{"id":"..."`` without reading the rest."""
    seen: dict[str, Line] = {}
    for line in lines(path):
        leading = _LEADING_ID.match(line.text)
        if leading is None:
            raise WeekError(f'{line.place}: must start with {{"id":"...", got {line.text[:40]!r}')
        week_id = leading.group(1)
        if week_id in seen:
            first = seen[week_id].number
            raise WeekError(f"{line.place}: id: must be of its own, {week_id!r} is on line {first}")
        seen[week_id] = line
    return tuple(seen.items())


def line_of(path: Path, row_id: str) -> Line | None:
    """The line of that id, or None when the file has none."""
    return dict(index(path)).get(row_id)


def row(line: Line) -> dict[str, Any]:
    """The line as plain JSON, unchecked. Raises WeekError when it is no JSON object."""
    try:
        found = json.loads(line.text)
    except ValueError as error:
        raise WeekError(f"{line.place}: broken JSON: {error}") from error
    if not isinstance(found, dict):
        raise WeekError(f"{line.place}: must be a JSON object, got {line.text[:40]!r}")
    return found


def parse(kind: type[T], line: Line) -> T:
    """The line, validated. Raises WeekError naming the file, line, field and value."""
    from pydantic import ValidationError  # not at the top: listing weeks does without pydantic

    adapter = _adapter(kind)
    try:
        return adapter.validate_json(line.text)  # type: ignore[no-any-return]
    except ValidationError as error:
        mistakes = [_mistake(dict(e)) for e in error.errors(include_url=False)]
        more = f" (and {len(mistakes) - _SHOWN} more)" if len(mistakes) > _SHOWN else ""
        raise WeekError(f"{line.place}: {'; '.join(mistakes[:_SHOWN])}{more}") from error


@lru_cache(maxsize=8)
def _adapter(kind: type[Any]) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _mistake(error: dict[str, Any]) -> str:
    field = ".".join(str(part) for part in error["loc"])
    match error["type"]:
        case "json_invalid":
            return f"broken JSON: {error['ctx']['error']}"
        case "value_error":
            said = str(error["ctx"]["error"])
        case "missing":
            said = "is missing"
        case "unexpected_keyword_argument":
            said = f"is no field of it, got {error['input']!r}"
        case _:
            said = f"{error['msg'][0].lower()}{error['msg'][1:]}, got {error['input']!r:.80}"
    return f"{field}: {said}"


def truth(line: Line, opening: Week, events: tuple[Event, ...], best: int | None) -> Week:
    """The week as it was. Raises WeekError, with the place, when an event does not fit the week."""
    try:
        week = known(opening, events)
    except WeekError as error:
        raise WeekError(f"{line.place}: events: {error}") from error
    return week.changed(opening=opening, events=events, best=best)


def opened(line: Line) -> tuple[Week, tuple[Event, ...]]:
    """A pack line's opening and events."""
    week = parse(WeekLine, line)
    try:
        return week.opening(), week.events
    except WeekError as error:
        raise WeekError(f"{line.place}: {error}") from error


# ---- writing ---------------------------------------------------------------------------------


def dump_week(opening: Week, events: Iterable[Event]) -> str:
    """The pack line of a week, without a line end."""
    services = opening.services
    row = {
        name: getattr(opening, name)
        for name in ("id", "quay", "number", "weeks", "monday", "tier")
        + ("crane_pool", "movement_limit", "ships", "blocks")
    }
    if services is not None:
        row["services"] = services_row(services)
    return dumps({**row, "events": tuple(events)})


def services_row(services: Services) -> dict[str, Any]:
    """The part of a row that holds pilots, tugs and other traffic; cuts are events."""
    return {
        "pilots": services.pilots,
        "tugs": services.tugs,
        "hours": services.hours,
        "traffic": [[m.hour, m.type, m.length] for m in services.traffic],
    }


def dumps(row: Any) -> str:
    """Compact JSON of a row; dataclasses become objects without the fields at their default."""
    return json.dumps(_plain(row), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return dict(_fields(value))
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    if hasattr(value, "kind"):
        yield "kind", value.kind
    for field in fields(value):
        part = getattr(value, field.name)
        if field.name != "kind" and (field.default is MISSING or part != field.default):
            yield field.name, _plain(part)
