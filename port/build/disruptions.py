"""What goes wrong in a training week? One draw for each kind of disruption.

The ranges are those of RULES section 9, drawn uniformly. Where the rules leave room, a draw does
what the 50 evaluation weeks show; "shown" in its docstring says where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from .. import movements
from ..model import (
    Block,
    Bunched,
    Closure,
    CraneOutage,
    Emergency,
    Gale,
    Late,
    PriorityCargo,
    Quay,
    Ship,
)
from .dock import EMERGENCY_PENALTY, PRIORITY_WEIGHT
from .recipe import Range

GALE_HOURS: Range = (16, 30)
CORE_AFTER: Range = (2, 6)
CORE_HOURS: Range = (6, 14)
GALE_MARGIN = 24
LARGEST = 8
CLOSURE_SECTIONS: Range = (5, 9)
CLOSURE_HOURS: Range = (18, 48)
CLOSURE_OFFSET: Range = (-2, 2)
CLOSURE_BEFORE: Range = (0, 12)
REASONS = (
    "quay crane rail repair",
    "fender repair",
    "dredging along the berth",
    "STS crane maintenance",
)
LATE_HOURS: Range = (4, 24)
BUNCH_SHIPS: Range = (3, 5)
BUNCH_SPAN_HOURS = 72
BUNCH_AFTER: Range = (0, 12)
BUNCH_HOURS = 12
OUTAGE_CRANES: Range = (2, 3)
OUTAGE_HOURS: Range = (18, 48)
OUTAGE_MARGIN = 12
DEADLINE_AFTER: Range = (4, 10)

TRIES = 200
"""Draws before something is said to have no room in the week; nearly all fit at the first."""

T = TypeVar("T")


class NoRoomError(Exception):
    """What was drawn has no room in the week: the text says what."""


def first_fit(draw: Callable[[], T | None], what: str) -> T:
    """The first draw that is not None. Raises NoRoomError when TRIES of them are."""
    for _ in range(TRIES):
        if (drawn := draw()) is not None:
            return drawn
    raise NoRoomError(f"no room for {what}")


def gale(rng: Random, horizon: int) -> Gale:
    """A gale whose core ends at least an hour before it does.

    Shown: from hour 24 on and over 24 hours before the weeks are; two gales may run together.
    """
    hours = rng.randint(*GALE_HOURS)
    start = rng.randint(GALE_MARGIN, horizon - GALE_MARGIN - hours)
    core = start + rng.randint(*CORE_AFTER)
    least, most = CORE_HOURS
    core_hours = rng.randint(least, min(most, start + hours - core - 1))
    return Gale(start, start + hours, core, core + core_hours)


def kept_alongside(blocks: Iterable[Block], gales: Iterable[Gale]) -> tuple[Block, ...]:
    """The ships alongside at hour 0: one due out in a gale's core leaves at the core's end."""
    cores = movements.merge((gale.core_start, gale.core_end) for gale in gales)
    return tuple(replace(block, end=movements.held_until(cores, block.end)) for block in blocks)


def closure(
    rng: Random,
    quay: Quay,
    ships: Sequence[Ship],
    alongside: Sequence[Block],
    earlier: Sequence[tuple[Ship, Closure]],
) -> tuple[Ship, Closure]:
    """Sections closed around one of the 8 largest scheduled calls, with that call.

    Shown: the largest have the most sections x recorded hours; each closure has a call of its own;
    closures do not meet. Sections are moved onto the quay, the start to hour 0 or to when the last
    ship alongside there has left; the call's planned stay must still meet it.
    """
    largest = sorted(ships, key=lambda ship: (-ship.sections * ship.handling, ship.id))[:LARGEST]
    around = [ship for ship in largest if ship not in [call for call, _ in earlier]]

    def draw() -> tuple[Ship, Closure] | None:
        ship = rng.choice(around)
        closed = _closure(rng, quay, ship, alongside)
        clear = not any(_meet(closed, other) for _, other in earlier)
        return (ship, closed) if clear and closed.start < ship.due else None

    return first_fit(draw, f"closure {len(earlier) + 1}")


def _closure(rng: Random, quay: Quay, ship: Ship, alongside: Iterable[Block]) -> Closure:
    sections, hours = rng.randint(*CLOSURE_SECTIONS), rng.randint(*CLOSURE_HOURS)
    assert ship.planned_section is not None, "closures are drawn around scheduled calls"
    wanted = ship.planned_section + rng.randint(*CLOSURE_OFFSET)
    first = max(quay.first, min(wanted, quay.last + 1 - sections))
    last = first + sections - 1
    start = max(0, ship.arrival - rng.randint(*CLOSURE_BEFORE))
    there = (block.end for block in alongside if block.first <= last and first <= block.last)
    start = max(start, *there, 0)
    return Closure(first, last, start, start + hours, rng.choice(REASONS))


def _meet(one: Closure, other: Closure) -> bool:
    return (
        one.first <= other.last
        and other.first <= one.last
        and one.start < other.end
        and other.start < one.end
    )


def late(rng: Random, ships: Sequence[Ship], count: int) -> tuple[Late, ...]:
    """Scheduled ships that come late. Shown: any of them."""
    return tuple(
        Late(ship.id, ship.arrival + rng.randint(*LATE_HOURS)) for ship in rng.sample(ships, count)
    )


def bunched(rng: Random, ships: Sequence[Ship]) -> Bunched:
    """Undelayed ships that now come together; `ships` are those.

    Shown: neighbours in the schedule of the undelayed; the 12 hours they come in begin 0 to 12
    hours after the last of them was due in.
    """
    schedule = sorted(ships, key=lambda ship: (ship.arrival, ship.id))
    size = rng.randint(*BUNCH_SHIPS)
    runs = [schedule[n : n + size] for n in range(len(schedule) + 1 - size)]
    close = [run for run in runs if run[-1].arrival - run[0].arrival <= BUNCH_SPAN_HOURS]
    if not close:
        raise NoRoomError(f"no {size} undelayed ships within {BUNCH_SPAN_HOURS} hours to bunch")
    run = rng.choice(close)
    start = run[-1].arrival + rng.randint(*BUNCH_AFTER)
    return Bunched(tuple((ship.id, start + rng.randrange(BUNCH_HOURS)) for ship in run))


def outage(
    rng: Random, horizon: int, alongside: Iterable[Block], earlier: Sequence[CraneOutage]
) -> CraneOutage:
    """Cranes out of service once the ships alongside have left, at no time with another outage.

    Shown: from hour 12 on and over 12 hours before the weeks are.
    """
    first = max(OUTAGE_MARGIN, *(block.end for block in alongside), 0)

    def draw() -> CraneOutage | None:
        hours, cranes = rng.randint(*OUTAGE_HOURS), rng.randint(*OUTAGE_CRANES)
        if first > horizon - OUTAGE_MARGIN - hours:
            return None
        start = rng.randint(first, horizon - OUTAGE_MARGIN - hours)
        meets = any(start < other.end and other.start < start + hours for other in earlier)
        return None if meets else CraneOutage(start, start + hours, cranes)

    return first_fit(draw, f"crane outage {len(earlier) + 1}")


def emergencies(rng: Random, ships: Sequence[Ship], count: int) -> tuple[Emergency, ...]:
    """Ships to berth soon after they arrive; `ships` have their arrivals as they were.

    Shown: any ship, scheduled or not, late or not.
    """
    return tuple(
        Emergency(
            ship.id,
            ship.arrival + rng.randint(*DEADLINE_AFTER),
            EMERGENCY_PENALTY * ship.sections,
        )
        for ship in rng.sample(ships, count)
    )


def priorities(rng: Random, ships: Sequence[Ship], count: int) -> tuple[PriorityCargo, ...]:
    """Ships whose lateness counts three times. Shown: any ship that is no emergency."""
    return tuple(PriorityCargo(ship.id, PRIORITY_WEIGHT) for ship in rng.sample(ships, count))
