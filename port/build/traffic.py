"""What is known of the port's other traffic, and what has to be modelled?

The record of container calls gives what the other quay's ships do in any week of 2024. All the
rest is at hand for the recorded marine weeks alone, and profiled here for `port.traffic` to draw
from. The 18 recorded weeks are 13 of one quay each, and 9 ISO weeks: two quays' weeks of one ISO
week have the same traffic beside the quays' own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from ..model import Movement
from ..traffic import HOURS, WEEK_HOURS
from .record import BuildError, Call, hour_of

CONTAINER = "P"


class RecordedTraffic(NamedTuple):
    """The movements recorded beside those at `quay`, in hours from `monday`."""

    quay: str
    monday: datetime
    movements: tuple[Movement, ...]


def container_movements(
    calls: Iterable[Call], quay: str, monday: datetime, hours: int = HOURS
) -> tuple[Movement, ...]:
    """Berthings and sailings at the other container quay, by hour.

    A call that stops at `quay` too is left out with all its stops, as in the recorded weeks.
    """
    near = [
        call
        for call in calls
        if call.end >= monday - timedelta(hours=1)
        and call.start <= monday + timedelta(hours=hours + 1)
    ]
    stops_here = {_number(call) for call in near if call.quay == quay}
    others = [call for call in near if call.quay != quay and _number(call) not in stops_here]
    moves = [
        Movement(hour, CONTAINER, call.length)
        for call in others
        for hour in (hour_of(call.start, monday), hour_of(call.end, monday))
        if 0 <= hour < hours
    ]
    return tuple(sorted(moves, key=lambda move: (move.hour, move.length)))


def _number(call: Call) -> str:
    """The call's number; a call that shifts berth has several stops, `<number>-<stop>`."""
    return call.id.rpartition("-")[0]


def profiles(calls: Iterable[Call], recorded: Iterable[RecordedTraffic]) -> list[dict[str, Any]]:
    """A profile of each ship type (see `port.traffic.Profile`) without the container quays' calls.

    Of an ISO week recorded for both quays a movement counts as often as either has it.
    """
    weeks: dict[datetime, Counter[Movement]] = {}
    for week in recorded:
        weeks[week.monday] = weeks.get(week.monday, Counter()) | _rest(calls, week)
    cells: dict[str, dict[int, list[tuple[float, ...]]]] = {}
    for _, rest in sorted(weeks.items()):
        here: dict[tuple[str, int], list[float]] = {}
        for move in rest.elements():
            here.setdefault((move.type, move.hour), []).append(move.length)
        for (type_, hour), lengths in here.items():
            cells.setdefault(type_, {}).setdefault(hour, []).append(tuple(sorted(lengths)))
    return [
        {"id": type_, "weeks": len(weeks), "hours": [[h, hours[h]] for h in sorted(hours)]}
        for type_, hours in sorted(cells.items())
    ]


def _rest(calls: Iterable[Call], week: RecordedTraffic) -> Counter[Movement]:
    """The first week's movements that are not the other container quay's."""
    recorded = Counter(week.movements)
    known = Counter(container_movements(calls, week.quay, week.monday))
    if lacking := known - recorded:
        raise BuildError(f"traffic beside {week.quay}, {week.monday}: lacks {next(iter(lacking))}")
    return Counter({m: n for m, n in (recorded - known).items() if m.hour < WEEK_HOURS})
