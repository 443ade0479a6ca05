"""When could each ship berth, with how many cranes, and what would that cost?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from port import movements
from port.model import Ship, Week

from .taken import Taken


class Choice(NamedTuple):
    """An hour to berth at and a number of cranes."""

    hour: int
    cranes: int


class Outcome(NamedTuple):
    """What a choice leads to: cost (lateness and emergency; not the move) and departure hour."""

    cost: int
    departure: int


Choices: TypeAlias = Mapping[Choice, Outcome]


def crane_counts(ship: Ship) -> list[int]:
    """The crane counts worth having: of those that take equally long, the fewest."""
    counts: dict[int, int] = {}
    for cranes in range(ship.least, ship.most + 1):
        counts.setdefault(ship.work_hours(cranes), cranes)
    return sorted(counts.values())


def choices(week: Week, ship: Ship, earliest: int, end: int, use: Taken) -> dict[Choice, Outcome]:
    """Every choice of the ship in ``[earliest, end)`` that breaks no rule by itself."""
    holds = movements.holds(week, ship)
    found: dict[Choice, Outcome] = {}
    hours_of = [(cranes, ship.work_hours(cranes)) for cranes in crane_counts(ship)]
    for hour in range(max(ship.arrival, earliest), end):
        if movements.held_until(holds, hour) != hour or not use.can_move(ship, hour):
            continue
        for cranes, work in hours_of:
            departure = movements.held_until(holds, hour + work)
            if use.can_move(ship, departure):
                cost = _cost(ship, hour, departure)
                found[Choice(hour, cranes)] = Outcome(cost, departure)
    return found


def _cost(ship: Ship, hour: int, departure: int) -> int:
    lateness = max(0, departure - ship.due) * ship.sections * ship.weight
    if ship.deadline is None:
        return lateness
    return lateness + ship.penalty * max(0, hour - ship.deadline)


@dataclass(frozen=True)
class Bounded:
    """Choices that a plan of at most some cost can make, and the cost they cannot avoid."""

    by_ship: Mapping[int, Choices]
    floor: int


def bounded(by_ship: Mapping[int, Choices], bound: int | None) -> Bounded:
    """Drop each choice that with the others at their cheapest would cost more than `bound`."""
    least = {ship: min(out.cost for out in options.values()) for ship, options in by_ship.items()}
    floor = sum(least.values())
    if bound is None:
        return Bounded(by_ship, floor)
    kept = {
        ship: {c: out for c, out in options.items() if floor - least[ship] + out.cost <= bound}
        for ship, options in by_ship.items()
    }
    return Bounded(kept, floor)
