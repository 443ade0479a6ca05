"""What is in a week: ships, blocks, events, the quay, and the plan somebody makes for them.

Everything here is immutable and validated when it is built. Hours are whole hours from Monday
00:00 UTC of the week (hour 0); a window ``[start, end)`` holds its first hour and not its last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

from .errors import WeekError

MAX_HOUR = 10_000
"""No hour, section or crane count of a week or plan is beyond this (a week has 168 hours)."""

MOVES_PER_CRANE_HOUR = 28
"""Container moves a quay crane makes in an hour. For display: no rule needs it."""


@dataclass(frozen=True, slots=True)
class Quay:
    """One of the two container quays, its sections counted from `first` to `last`."""

    name: str
    terminal: str
    first: int
    last: int
    section_m: int
    cranes: int
    movements: int

    @property
    def sections(self) -> int:
        return self.last - self.first + 1


QUAYS: dict[str, Quay] = {
    "24B": Quay("24B", "APM Terminals Barcelona", 2, 22, 42, cranes=9, movements=2),
    "36A": Quay("36A", "BEST", 2, 30, 53, cranes=13, movements=3),
}


def _need(ok: bool, what: str, value: object) -> None:
    if not ok:
        raise WeekError(f"{what}, got {value!r}")


def _need_window(start: int, end: int) -> None:
    _need(0 <= start < end <= MAX_HOUR, "start and end must be 0 <= start < end", (start, end))


@dataclass(frozen=True)
class Ship:
    """One call at the quay: `handling` is the recorded hours alongside, `due` when it should leave.

    `planned_hour` and `planned_section` are None for a call nobody scheduled. `deadline` and
    `penalty` (cost per hour berthed after it) belong to emergencies; `weight` is 3 for priority
    cargo. `firm` is the shipping agent named for the call in the port's record.
    """

    id: int
    name: str
    imo: str
    length: float
    sections: int
    arrival: int
    handling: int
    planned_hour: int | None
    planned_section: int | None
    due: int
    firm: str = ""
    weight: int = 1
    deadline: int | None = None
    penalty: int = 0

    def __post_init__(self) -> None:
        _need(0 <= self.id <= MAX_HOUR, "id must be 0 or more", self.id)
        _need(0 < self.length < 1000, "length must be between 0 and 1000 m", self.length)
        _need(0 < self.sections <= 100, "sections must be 1 to 100", self.sections)
        _need(0 <= self.arrival <= MAX_HOUR, f"arrival must be 0 to {MAX_HOUR}", self.arrival)
        _need(0 < self.handling <= MAX_HOUR, f"handling must be 1 to {MAX_HOUR}", self.handling)
        _need(0 < self.due <= MAX_HOUR, f"due must be 1 to {MAX_HOUR}", self.due)
        _need(self.weight >= 1, "weight must be 1 or more", self.weight)
        _need(self.penalty >= 0, "penalty must be 0 or more", self.penalty)
        _need(
            (self.planned_hour is None) == (self.planned_section is None),
            "planned_hour and planned_section must be given together",
            (self.planned_hour, self.planned_section),
        )

    @cached_property
    def standard(self) -> int:
        """Cranes the ship is planned with, by its length."""
        return 1 + sum(self.length >= limit for limit in (180, 260, 330))

    @cached_property
    def most(self) -> int:
        """Cranes that fit along the ship: one per whole 50 m, at most 7."""
        return max(self.standard, min(7, int(self.length // 50)))

    @cached_property
    def least(self) -> int:
        return 2 if self.length >= 330 else 1

    @cached_property
    def workload(self) -> int:
        """Crane-hours."""
        return self.handling * self.standard

    def work_hours(self, cranes: int) -> int:
        """Whole hours the work takes with this many cranes."""
        return max(1, -(-self.workload // cranes))


@dataclass(frozen=True, slots=True)
class Block:
    """Sections nobody else may use for some hours: a ship alongside at hour 0, or a closure."""

    first: int
    last: int
    start: int
    end: int
    kind: Literal["alongside", "closed"]
    label: str
    cranes: int = 0

    def __post_init__(self) -> None:
        _need_window(self.start, self.end)
        _need(self.first <= self.last, "first must not be after last", (self.first, self.last))
        _need(self.cranes >= 0, "cranes must be 0 or more", self.cranes)


@dataclass(frozen=True, slots=True)
class Outage:
    """Cranes out of service for some hours."""

    start: int
    end: int
    cranes: int

    def __post_init__(self) -> None:
        _need_window(self.start, self.end)
        _need(self.cranes > 0, "cranes must be 1 or more", self.cranes)


@dataclass(frozen=True, slots=True)
class WindHold:
    """A no-movement window: ships of at least `min_length` metres neither berth nor leave."""

    start: int
    end: int
    min_length: int

    def __post_init__(self) -> None:
        _need_window(self.start, self.end)
        _need(self.min_length >= 0, "min_length must be 0 or more", self.min_length)


@dataclass(frozen=True, slots=True)
class Movement:
    """A movement of the port's other traffic: `type` is the record's ship type letter."""

    hour: int
    type: str
    length: float

    def __post_init__(self) -> None:
        _need(0 <= self.hour <= MAX_HOUR, f"hour must be 0 to {MAX_HOUR}", self.hour)


@dataclass(frozen=True, slots=True)
class Services:
    """The port's pilots and tugs, and who else needs them in hours ``[0, hours)``."""

    pilots: int
    tugs: int
    hours: int
    traffic: tuple[Movement, ...]
    tug_cuts: tuple[TugOutage, ...] = ()
    pilot_cuts: tuple[PilotShortage, ...] = ()


@dataclass(frozen=True, slots=True)
class ForecastRun:
    """One forecast: started at hour `init`, out at `issued`, `knots` every 3 h from `init`."""

    init: int
    issued: int
    knots: tuple[int, ...]

    def __post_init__(self) -> None:
        _need(self.issued >= self.init, "issued must not be before init", self.issued)
        _need(len(self.knots) > 0, "knots must not be empty", self.knots)
        _need(all(0 <= k < 200 for k in self.knots), "knots must be 0 to 199", self.knots)


@dataclass(frozen=True, slots=True)
class Weather:
    """The wind that blew and every forecast run: port control's alone, never a planner's.

    `windows` join hours above a threshold at most 2 apart; `observed` are those hours as they
    came, so that what has blown by some hour can be told without telling what follows.
    `bulletins` are hours at which port control speaks whatever the forecast.
    """

    id: str
    windows: tuple[WindHold, ...]
    runs: tuple[ForecastRun, ...]
    observed: tuple[WindHold, ...] = ()
    bulletins: tuple[int, ...] = ()


# ---- what happens in a week ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Late:
    ship: int
    arrival: int
    kind: Literal["late"] = "late"


@dataclass(frozen=True, slots=True)
class Bunched:
    """Ships that now arrive together: `arrivals` pairs a ship's id with its new hour."""

    arrivals: tuple[tuple[int, int], ...]
    kind: Literal["bunched"] = "bunched"


@dataclass(frozen=True, slots=True)
class UnscheduledCall:
    ship: Ship
    kind: Literal["unscheduled"] = "unscheduled"


@dataclass(frozen=True, slots=True)
class Diverted:
    """The other quay closes for ``[start, end)`` and its calls come here."""

    from_quay: str
    start: int
    end: int
    ships: tuple[Ship, ...]
    kind: Literal["diverted"] = "diverted"

    def __post_init__(self) -> None:
        _need_window(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Closure:
    first: int
    last: int
    start: int
    end: int
    reason: str
    kind: Literal["closure"] = "closure"


@dataclass(frozen=True, slots=True)
class CraneOutage:
    start: int
    end: int
    cranes: int
    kind: Literal["crane_outage"] = "crane_outage"


@dataclass(frozen=True, slots=True)
class Gale:
    """Above 25 kn for ``[start, end)``, above 30 kn for ``[core_start, core_end)``."""

    start: int
    end: int
    core_start: int
    core_end: int
    kind: Literal["gale"] = "gale"

    @property
    def holds(self) -> tuple[WindHold, WindHold]:
        return (
            WindHold(self.start, self.end, 300),
            WindHold(self.core_start, self.core_end, 0),
        )


@dataclass(frozen=True, slots=True)
class Emergency:
    """The ship must berth by `deadline`; each hour later costs `penalty`."""

    ship: int
    deadline: int
    penalty: int
    kind: Literal["emergency"] = "emergency"

    def __post_init__(self) -> None:
        _need(0 <= self.deadline <= MAX_HOUR, f"deadline must be 0 to {MAX_HOUR}", self.deadline)
        _need(self.penalty > 0, "penalty must be 1 or more", self.penalty)


@dataclass(frozen=True, slots=True)
class PriorityCargo:
    ship: int
    weight: int
    kind: Literal["priority"] = "priority"


@dataclass(frozen=True, slots=True)
class TugOutage:
    start: int
    end: int
    tugs: int
    kind: Literal["tug_outage"] = "tug_outage"

    def __post_init__(self) -> None:
        _need_window(self.start, self.end)
        _need(self.tugs > 0, "tugs must be 1 or more", self.tugs)


@dataclass(frozen=True, slots=True)
class PilotShortage:
    start: int
    end: int
    pilots: int
    kind: Literal["pilot_shortage"] = "pilot_shortage"

    def __post_init__(self) -> None:
        _need_window(self.start, self.end)
        _need(self.pilots > 0, "pilots must be 1 or more", self.pilots)


@dataclass(frozen=True, slots=True)
class Forecast:
    """Port control's word at `hour`: the run in force (None: none is out) and what has blown."""

    hour: int
    run: ForecastRun | None
    observed: tuple[WindHold, ...]
    kind: Literal["forecast"] = "forecast"


Event: TypeAlias = (
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
    | Forecast
)


# ---- the week and a plan for it --------------------------------------------------------------


@dataclass(frozen=True)
class Week:
    """A week (or two, or three) at one quay: as it was, or as known after the news so far.

    A week as it was carries `opening` (the published schedule, before any news), the `events`
    that turned it into this one, and `best`, the cost that earns reward 1.0. A week as known
    has none of the three: what nobody has said is not in it. When the week `unfolds`, news comes
    watch by watch; otherwise all of it is told at hour 0.
    """

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
    outages: tuple[Outage, ...] = ()
    wind: tuple[WindHold, ...] = ()
    services: Services | None = None
    forecast: Forecast | None = None
    weather: Weather | None = None
    events: tuple[Event, ...] = ()
    opening: Week | None = field(default=None, repr=False)
    best: int | None = None
    unfolds: bool = False

    def __post_init__(self) -> None:
        _need(self.quay in QUAYS, f"quay must be one of {sorted(QUAYS)}", self.quay)
        _need(1 <= self.number <= 53, "number must be an ISO week, 1 to 53", self.number)
        _need(self.weeks >= 1, "weeks must be 1 or more", self.weeks)
        _need(self.crane_pool > 0, "crane_pool must be 1 or more", self.crane_pool)
        _need(self.movement_limit > 0, "movement_limit must be 1 or more", self.movement_limit)
        ids = [ship.id for ship in self.ships]
        _need(len(set(ids)) == len(ids), "ships must have ids of their own", ids)
        for ship in self.ships:
            _need(
                ship.sections <= self.place.sections,
                f"ship {ship.id}: sections must fit the quay's {self.place.sections}",
                ship.sections,
            )

    @cached_property
    def place(self) -> Quay:
        return QUAYS[self.quay]

    @cached_property
    def by_id(self) -> dict[int, Ship]:
        return {ship.id: ship for ship in self.ships}

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Tables the rules derive from this week once; a changed week is a new one, with none."""
        return {}

    def changed(self, **fields: Any) -> Week:
        return replace(self, **fields)


class Berth(NamedTuple):
    """A berth window: when a ship berths, its first section, and the cranes that work it."""

    hour: int
    section: int
    cranes: int


Plan: TypeAlias = Mapping[int, Berth]
"""Ship id -> berth window."""


class Stay(NamedTuple):
    """A berth window worked out: cranes leave at `work_end`, the ship at `departure`."""

    ship: Ship
    hour: int
    section: int
    cranes: int
    work_end: int
    departure: int

    @property
    def last_section(self) -> int:
        return self.section + self.ship.sections - 1


RuleCode: TypeAlias = Literal[
    "missing",
    "arrival",
    "wind_hold",
    "quay",
    "closed",
    "alongside",
    "overlap",
    "crane_range",
    "crane_pool",
    "movement_limit",
    "pilots",
    "tugs",
    "queue",
]

RULES: tuple[RuleCode, ...] = (
    "missing",
    "arrival",
    "wind_hold",
    "quay",
    "closed",
    "alongside",
    "overlap",
    "crane_range",
    "crane_pool",
    "movement_limit",
    "pilots",
    "tugs",
    "queue",
)
RULE_ORDER: dict[str, int] = {rule: rank for rank, rule in enumerate(RULES)}


class Finding(NamedTuple):
    """A rule break of one ship. `hour` and `other` (a ship's id) where the rule has them."""

    ship: int
    rule: RuleCode
    hour: int | None
    other: int | None
    text: str
