"""What do the pilot station and the tug company allow: who is free for our ships, hour by hour?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from . import movements
from .model import Finding, Movement, Plan, Services, Ship, Stay, Week

TUGLESS_TYPES = frozenset("TSI")
"""Ferries, cruise ships and yachts take no tugs."""
YACHT = "I"
WIND_EXEMPT_UNDER_200 = frozenset("RT")
"""Ro-ro ships and ferries under 200 m take no extra tug in the wind."""


class Free(NamedTuple):
    """Pilots and tugs free for our ships in each hour ``[0, hours)`` of the services."""

    pilots: list[int]
    tugs: list[int]


def tugs_for_length(length: float) -> int:
    """Tugs a movement takes: 0 under 120 m, 1 under 200, 2 under 300, 3 from 300."""
    return (length >= 120) + (length >= 200) + (length >= 300)


def traffic_tugs(movement: Movement, windy: bool) -> int:
    """Tugs a movement of the port's other traffic takes in its hour."""
    base = 0 if movement.type in TUGLESS_TYPES else tugs_for_length(movement.length)
    exempt = movement.type == YACHT or (
        movement.type in WIND_EXEMPT_UNDER_200 and movement.length < 200
    )
    return base + (windy and not exempt)


def windy_hours(week: Week) -> frozenset[int]:
    """Hours inside a known wind window that binds ships of 300 m."""
    hours: frozenset[int] | None = week.memo.get("windy_hours")
    if hours is None:
        spans = (range(w.start, w.end) for w in week.wind if w.min_length <= 300)
        hours = week.memo["windy_hours"] = frozenset(chain.from_iterable(spans))
    return hours


def free(week: Week, services: Services) -> Free:
    """What is left of both pools after the other traffic and the cuts announced, never below 0."""
    table: Free | None = week.memo.get("free")
    if table is None:
        table = week.memo["free"] = _free(services, windy_hours(week))
    return table


def _free(services: Services, windy: frozenset[int]) -> Free:
    pilots = [services.pilots] * services.hours
    tugs = [services.tugs] * services.hours
    for movement in services.traffic:
        if movement.hour < services.hours:
            pilots[movement.hour] -= 1
            tugs[movement.hour] -= traffic_tugs(movement, movement.hour in windy)
    for shortage in services.pilot_cuts:
        for hour in range(shortage.start, min(shortage.end, services.hours)):
            pilots[hour] -= shortage.pilots
    for outage in services.tug_cuts:
        for hour in range(outage.start, min(outage.end, services.hours)):
            tugs[hour] -= outage.tugs
    return Free([max(0, n) for n in pilots], [max(0, n) for n in tugs])


def ship_tugs(week: Week, ship: Ship, hour: int) -> int:
    """Tugs one of our ships takes to berth or leave at this hour."""
    return tugs_for_length(ship.length) + (hour in windy_hours(week))


def pilot_findings(week: Week, stays: Sequence[Stay]) -> list[Finding]:
    """The pilot station's rule breaks: one per ship and short hour it moves in."""
    services = week.services
    if services is None:
        return []
    there = free(week, services).pilots
    return _short("pilots", stays, _pilots_needed(stays), there, services.pilots)


def tug_findings(week: Week, stays: Sequence[Stay]) -> list[Finding]:
    """The tug company's rule breaks: one per ship and short hour it moves in."""
    services = week.services
    if services is None:
        return []
    there = free(week, services).tugs
    return _short("tugs", stays, _tugs_needed(week, stays), there, services.tugs)


def pool_use(week: Week, plan: Plan) -> dict[str, dict[int, tuple[int, int]]]:
    """What a plan takes of each pool: ``{"pilots": {hour: (needed, free)}, "tugs": ...}``."""
    services = week.services
    if services is None:
        return {}
    moves, there = movements.stays(week, plan), free(week, services)
    return {
        "pilots": {
            hour: (need, _left(there.pilots, hour, services.pilots))
            for hour, need in _pilots_needed(moves).items()
        },
        "tugs": {
            hour: (need, _left(there.tugs, hour, services.tugs))
            for hour, need in _tugs_needed(week, moves).items()
            if need
        },
    }


def _pilots_needed(stays: Sequence[Stay]) -> dict[int, int]:
    needed: dict[int, int] = {}
    for stay in stays:
        needed[stay.hour] = needed.get(stay.hour, 0) + 1
        needed[stay.departure] = needed.get(stay.departure, 0) + 1
    return needed


def _tugs_needed(week: Week, stays: Sequence[Stay]) -> dict[int, int]:
    windy = windy_hours(week)
    needed: dict[int, int] = {}
    for stay in stays:
        tugs = tugs_for_length(stay.ship.length)
        for hour in (stay.hour, stay.departure):
            needed[hour] = needed.get(hour, 0) + tugs + (hour in windy)
    return needed


def _left(free: Sequence[int], hour: int, pool: int) -> int:
    """What is free at an hour; past the last the pool is whole."""
    return free[hour] if 0 <= hour < len(free) else pool


def _short(
    rule: Literal["pilots", "tugs"],
    stays: Sequence[Stay],
    needed: Mapping[int, int],
    free: Sequence[int],
    pool: int,
) -> list[Finding]:
    """Findings for the hours that need more than is free."""
    short = {
        hour: there for hour, need in needed.items() if need > (there := _left(free, hour, pool))
    }
    if not short:
        return []
    return [
        Finding(
            stay.ship.id,
            rule,
            hour,
            None,
            f"moves at hour {hour}, short of {rule}: our ships need {needed[hour]}, "
            f"{short[hour]} free",
        )
        for stay in stays
        for hour in (stay.hour, stay.departure)
        if hour in short
    ]
