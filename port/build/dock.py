"""Which weeks were played, and what happened in them? Openings and events of the dock pack.

The schedule of each recorded week is rebuilt from the call record; the recorded week gives what
was drawn for it: closures, delays, calls from elsewhere and the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from ..model import (
    QUAYS,
    Bunched,
    Closure,
    CraneOutage,
    Diverted,
    Emergency,
    Event,
    Gale,
    Late,
    PriorityCargo,
    Ship,
    UnscheduledCall,
    Week,
)
from .record import BuildError, Call, nearest_call
from .weeks import Published, published

WEEKS_FILE = "dock_eval_weeks.jsonl"
PRIORITY_WEIGHT = 3
EMERGENCY_PENALTY = 10
"""Cost of each hour an emergency berths after its deadline, per section."""

_ID = re.compile(r"dock-(?P<quay>\w+)-w(?P<number>\d+)x(?P<weeks>\d)-(?P<tier>\w+)-\d+")
# Columns of a recorded ship.
_NAME, _IMO, _LENGTH, _SECTIONS, _ARRIVAL, _HANDLING, _DUE = 1, 2, 3, 4, 5, 6, 9


class Recorded(NamedTuple):
    """A week of the pack: its opening, and the events in the record's order."""

    opening: Week
    events: tuple[Event, ...]


def recorded(calls: Sequence[Call], row: dict[str, Any]) -> Recorded:
    """The opening rebuilt from the call record, and the recorded week's events."""
    named = _ID.fullmatch(row["task_id"])
    if named is None:
        raise BuildError(f"{WEEKS_FILE}: no week id: {row['task_id']!r}")
    monday = datetime.fromisoformat(row["week_start_utc"]).replace(tzinfo=None)
    weeks = int(named["weeks"])
    plan = published(calls, row["quay"], monday, weeks)
    opening = Week(
        row["task_id"],
        row["quay"],
        int(named["number"]),
        weeks,
        monday.date().isoformat(),
        named["tier"],
        crane_peak(plan, QUAYS[row["quay"]].cranes),
        movement_peak(plan, QUAYS[row["quay"]].movements),
        plan.ships,
        plan.blocks,
    )
    return Recorded(opening, _Events(calls, row, monday, opening).all())


def crane_peak(plan: Published, pool: int) -> int:
    """The quay's crane pool, or the most cranes the published plan has at work if that is more."""
    steps: list[tuple[int, int]] = []
    for ship in plan.ships:
        end = ship.arrival + ship.work_hours(ship.standard)
        steps += [(ship.arrival, ship.standard), (end, -ship.standard)]
    for block in plan.blocks:
        steps += [(block.start, block.cranes), (block.end, -block.cranes)]
    used = 0
    for _, change in sorted(steps):
        used += change
        pool = max(pool, used)
    return pool


def movement_peak(plan: Published, limit: int) -> int:
    """The quay's movement limit, or the most the published plan has in an hour if that is more."""
    hours = [ship.arrival for ship in plan.ships]
    hours += [ship.arrival + ship.handling for ship in plan.ships]
    hours += [block.end for block in plan.blocks]
    return max(limit, *(hours.count(hour) for hour in hours))


class _Events:
    """The recorded disruptions of one week as events."""

    def __init__(
        self, calls: Sequence[Call], row: dict[str, Any], monday: datetime, opening: Week
    ) -> None:
        self.calls, self.monday, self.opening = calls, monday, opening
        self.place = row["task_id"]
        self.disruptions: list[dict[str, Any]] = row["disruptions"]
        self.rows: dict[int, list[Any]] = {ship[0]: ship for ship in row["ships"]}

    def all(self) -> tuple[Event, ...]:
        return tuple(self._event(disruption) for disruption in self.disruptions)

    def _event(self, d: dict[str, Any]) -> Event:
        match d["type"]:
            case "late":
                return Late(d["ship"], self.opening.by_id[d["ship"]].arrival + d["hours"])
            case "bunching":
                return Bunched(tuple((ship, self.rows[ship][_ARRIVAL]) for ship in d["ships"]))
            case "extra":
                return UnscheduledCall(self._call(d["ship"]))
            case "divert":
                ships = tuple(self._call(ship) for ship in d["ships"])
                return Diverted(d["from_quay"], d["start"], d["end"], ships)
            case "closure":
                return Closure(d["first"], d["last"], d["start"], d["end"], d["reason"])
            case "crane_outage":
                return CraneOutage(d["start"], d["end"], d["cranes"])
            case "gale":
                return Gale(d["start"], d["end"], d["core_start"], d["core_end"])
            case "emergency":
                penalty = EMERGENCY_PENALTY * self.rows[d["ship"]][_SECTIONS]
                return Emergency(d["ship"], d["deadline"], penalty)
            case "priority":
                return PriorityCargo(d["ship"], PRIORITY_WEIGHT)
        raise BuildError(f"{WEEKS_FILE}: {self.place}: no such disruption: {d['type']!r}")

    def _call(self, ship: int) -> Ship:
        """A call nobody scheduled here: the record has it at another time or quay."""
        row = self.rows[ship]
        arrival = self.monday + timedelta(hours=row[_ARRIVAL])
        call = nearest_call(self.calls, row[_IMO], arrival)
        if call.ship != row[_NAME]:
            raise BuildError(f"{WEEKS_FILE}: {self.place}: ship {ship}: the record has {call.ship}")
        return Ship(
            ship,
            call.ship,
            call.imo,
            row[_LENGTH],
            row[_SECTIONS],
            arrival=row[_ARRIVAL],
            handling=row[_HANDLING],
            planned_hour=None,
            planned_section=None,
            due=row[_DUE],
            firm=call.agent,
        )
