"""What did the port plan for a week? Ships and blocks from the call record.

The record shows the plan the port carried out. It has 21 overlaps of an hour or a section, which
are trimmed so that the published plan breaks no rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from ..model import QUAYS, Block, Ship
from .record import Call, hour_of

WEEK_HOURS = 168
ALONGSIDE_CRANES = 2
"""Cranes of a ship that lies alongside at hour 0: the record has no crane counts."""


@dataclass
class _Slot:
    """A call in a week's hours, while overlaps are being trimmed."""

    call: Call
    first: int
    last: int
    start: int
    end: int

    def meets(self, other: _Slot) -> bool:
        return (
            self.first <= other.last
            and other.first <= self.last
            and self.start < other.end
            and other.start < self.end
        )


class Published(NamedTuple):
    """The published schedule of a window of weeks."""

    ships: tuple[Ship, ...]
    blocks: tuple[Block, ...]


def published(calls: Sequence[Call], quay: str, monday: datetime, weeks: int) -> Published:
    """The schedule of `weeks` weeks from `monday`: each week by itself, the later ones appended.

    A ship seen in two weeks (same name and planned hour) counts once; ships alongside at the
    start of a later week are that week's business no more, they came in the week before.
    """
    rows: dict[tuple[str, int], tuple[_Slot, int]] = {}
    blocks: tuple[Block, ...] = ()
    for week in range(weeks):
        slots = _slots(calls, quay, monday + timedelta(weeks=week))
        shift = week * WEEK_HOURS
        if week == 0:
            blocks = tuple(_block(slot) for slot in slots if slot.start < 0 < slot.end)
        for slot in slots:
            if slot.start >= 0:
                rows.setdefault((slot.call.ship, slot.start + shift), (slot, shift))
    ships = (_ship(n, slot, shift) for n, (slot, shift) in enumerate(rows.values()))
    return Published(tuple(ships), blocks)


def _slots(calls: Iterable[Call], quay: str, monday: datetime) -> list[_Slot]:
    place, end = QUAYS[quay], monday + timedelta(weeks=1)
    here = [c for c in calls if c.quay == quay and c.start < end and c.end > monday]
    slots = []
    for call in sorted(here, key=lambda call: (call.start, call.id)):
        start = hour_of(call.start, monday)
        stop = max(start + 1, hour_of(call.end, monday))
        first, last = max(call.first, place.first), min(call.last, place.last)
        slots.append(_Slot(call, first, last, start, stop))
    _trim(slots)
    return slots


def _trim(slots: Sequence[_Slot]) -> None:
    """Cut the earlier of two overlapping stays; of two that berth together the later waits."""
    for n, early in enumerate(slots):
        for late in slots[n + 1 :]:
            if not early.meets(late):
                continue
            if late.start > early.start:
                early.end = late.start
            else:
                late.start = early.end
                late.end = max(late.end, late.start + 1)


def _block(slot: _Slot) -> Block:
    return Block(slot.first, slot.last, 0, slot.end, "alongside", slot.call.ship, ALONGSIDE_CRANES)


def _ship(number: int, slot: _Slot, shift: int) -> Ship:
    call, start = slot.call, slot.start + shift
    return Ship(
        number,
        call.ship,
        call.imo,
        call.length,
        slot.last - slot.first + 1,
        arrival=start,
        handling=max(1, slot.end - slot.start),
        planned_hour=start,
        planned_section=slot.first,
        due=slot.end + shift,
        firm=call.agent,
    )
