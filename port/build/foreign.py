"""Which calls from elsewhere join a training week? Diverted ones, and unscheduled ones.

As in `disruptions`, "shown" is what the evaluation weeks do where the rules leave room.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from random import Random

from ..model import Diverted, Quay, Ship, UnscheduledCall
from .disruptions import NoRoomError, first_fit
from .recipe import HELD_OUT, YEAR, Range, Recipe
from .record import Call, hour_of

DAY_HOURS = 24
DIVERT_DAYS: Range = (2, 3)
EXTRA_HANDLING: Range = (4, 36)
EXTRA_WEEKS_AWAY = 3
"""An unscheduled call's week is at least this much and the window's length from the window's."""
EXTRA_EARLIEST, EXTRA_MARGIN = 12, 30
EXTRA_SLACK: Range = (4, 12)

_FIRST_MONDAY = datetime.fromisocalendar(YEAR, 1, 1)


def week_of(call: Call) -> int:
    """The week of the year the call berthed in; 53 for its last two days."""
    return (call.start - _FIRST_MONDAY).days // 7 + 1


def diverted(
    rng: Random, calls: Iterable[Call], recipe: Recipe, quay: Quay, other: str, number: int
) -> Diverted:
    """The other quay closes, and who berthed there in these hours comes here unscheduled.

    Ships are numbered from `number`. Shown: whole days, from the second day on and within the
    weeks; ships keep their recorded hours and sections. Days in which no call is diverted are
    drawn again.
    """
    monday = datetime.combine(recipe.monday, datetime.min.time())
    there = sorted((c for c in calls if c.quay == other), key=lambda call: (call.start, call.id))

    def draw() -> Diverted | None:
        days = rng.randint(*DIVERT_DAYS)
        start = DAY_HOURS * rng.randint(1, 7 * recipe.weeks - days)
        end = start + DAY_HOURS * days
        since, until = (monday + timedelta(hours=hour) for hour in (start, end))
        coming = [call for call in there if since <= call.start < until]
        ships = (_diverted(number + n, call, monday) for n, call in enumerate(coming))
        return Diverted(other, start, end, tuple(ships)) if coming else None

    return first_fit(draw, f"a closure of quay {other} that sends ships to {quay.name}")


def _diverted(number: int, call: Call, monday: datetime) -> Ship:
    arrival = hour_of(call.start, monday)
    due = max(arrival + 1, hour_of(call.end, monday))
    return _unplanned(number, call, call.last - call.first + 1, arrival, due - arrival, due)


def unscheduled(
    rng: Random, calls: Iterable[Call], recipe: Recipe, quay: Quay, number: int, count: int
) -> tuple[UnscheduledCall, ...]:
    """Calls of other weeks that come without a slot, numbered from `number`.

    Shown: calls at the same quay. Ours: none from a held-out week, so that training has nothing
    of the evaluation's schedule.
    """
    away = EXTRA_WEEKS_AWAY + recipe.weeks
    far = [c for c in calls if c.quay == quay.name and _far(c, recipe.week, away)]
    if len(far) < count:
        raise NoRoomError(f"no call {away} weeks away to come unscheduled")
    drawn = rng.sample(far, count)
    return tuple(_unscheduled(rng, number + n, call, quay, recipe) for n, call in enumerate(drawn))


def _far(call: Call, week: int, away: int) -> bool:
    least, most = EXTRA_HANDLING
    own = week_of(call)
    return own not in HELD_OUT and abs(own - week) >= away and least <= handling(call) <= most


def handling(call: Call) -> int:
    """The call's hours alongside, at least 1."""
    return max(1, hour_of(call.end, call.start))


def _unscheduled(
    rng: Random, number: int, call: Call, quay: Quay, recipe: Recipe
) -> UnscheduledCall:
    sections = min(call.last, quay.last) - max(call.first, quay.first) + 1
    arrival = rng.randint(EXTRA_EARLIEST, 168 * recipe.weeks - EXTRA_MARGIN)
    due = arrival + handling(call) + rng.randint(*EXTRA_SLACK)
    return UnscheduledCall(_unplanned(number, call, sections, arrival, handling(call), due))


def _unplanned(number: int, call: Call, sections: int, arrival: int, hours: int, due: int) -> Ship:
    return Ship(
        number,
        call.ship,
        call.imo,
        call.length,
        sections,
        arrival=arrival,
        handling=hours,
        planned_hour=None,
        planned_section=None,
        due=due,
        firm=call.agent,
    )
