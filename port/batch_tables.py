"""What is a week as arrays? The tables `batch` looks things up in, made once per week."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import movements, services
from .errors import WeekError
from .model import MAX_HOUR, Week

Ints: TypeAlias = NDArray[np.integer[Any]]

NEAR_HOURS = 336
"""Berth hours from 0 to this long after the week's last due hour are near, the others far."""
ASKED_CRANES = 9
"""Crane counts told apart, 0 to 8: no ship takes more than 7, so 8 stands for any count above."""
LARGEST = 32_767
"""The largest number of 16 bits."""
FAR_SECTION = MAX_HOUR + 1_000
"""Beyond any section a plan can name. Blocks are cut to it, so that sections fit 16 bits."""


class Hourly:
    """A number for every hour there is: `values` from hour 0 on, `outside` before and after."""

    def __init__(self, values: Sequence[int], outside: int) -> None:
        self.values = _small(values)
        self.outside = _small([outside])[0]

    def between(self, low: int, hours: int) -> NDArray[np.int16]:
        """The numbers of hours ``[low, low + hours)``."""
        span = np.full(hours, self.outside)
        start, end = max(low, 0), min(low + hours, len(self.values))
        if start < end:
            span[start - low : end - low] = self.values[start:end]
        return span

    def least(self, other: Hourly) -> Hourly:
        """The smaller of both in every hour."""
        hours = max(len(self.values), len(other.values))
        both = np.minimum(self.between(0, hours), other.between(0, hours))
        return Hourly(both.tolist(), int(min(self.outside, other.outside)))


def _small(values: Sequence[int]) -> NDArray[np.int16]:
    """In 16 bits. What is beyond them is cut, and met only by sums that are not."""
    return np.array([min(max(v, -LARGEST), LARGEST) for v in values], dtype=np.int16)


def _column(values: Iterable[int], dtype: DTypeLike = np.int16) -> Ints:
    """A value per ship, (ships, 1)."""
    return np.fromiter(values, dtype=dtype)[:, np.newaxis]


class Tables:
    """What the rules look up in a week. A column (ships, 1) meets arrays of (ships, plans)."""

    def __init__(self, week: Week) -> None:
        self.week = week
        self.ships = len(week.ships)
        _check_sums(week)
        self.near = max(ship.due for ship in week.ships) + NEAR_HOURS
        self._ship_columns()
        self._costs()
        self._holds()
        self._works()
        self._cranes_by_hour()
        self._movements_by_hour()
        self._blocks()

    @classmethod
    def of(cls, week: Week) -> Tables:
        """The week's tables, made when first asked for. The week must have a ship."""
        tables: Tables | None = week.memo.get("batch_tables")
        if tables is None:
            tables = week.memo["batch_tables"] = cls(week)
        return tables

    def _ship_columns(self) -> None:
        ships, place = self.week.ships, self.week.place
        self.first = place.first
        self.arrival = _column(s.arrival for s in ships)
        self.sections = _column(s.sections for s in ships)
        self.last_start = place.last + 1 - self.sections

    def _costs(self) -> None:
        """What lateness costs, and the rows and figures of emergencies and planned sections."""
        ships = self.week.ships
        self.due = _column(s.due for s in ships)
        self.rate = np.array([s.sections * s.weight for s in ships], dtype=np.int64)
        urgent = [(i, s.deadline, s.penalty) for i, s in enumerate(ships) if s.deadline is not None]
        self.urgent = np.array([i for i, _, _ in urgent], dtype=np.intp)
        self.deadline = _column((deadline for _, deadline, _ in urgent), np.int64)
        self.penalty = np.array([penalty for _, _, penalty in urgent], dtype=np.int64)
        scheduled = [
            (i, s.planned_section) for i, s in enumerate(ships) if s.planned_section is not None
        ]
        self.scheduled = np.array([i for i, _ in scheduled], dtype=np.intp)
        self.planned = _column(_cut(section) for _, section in scheduled)

    def _holds(self) -> None:
        """Hours to wait for the wind, by hour: one table for all ships with the same holds."""
        holds = [movements.holds(self.week, ship) for ship in self.week.ships]
        kinds = sorted(set(holds))
        self.hold_kind = _column((kinds.index(spans) for spans in holds), np.intp)
        self.waits = [_waits(spans) for spans in kinds] if any(kinds) else []
        self.longest_wait = max((int(w.values.max(initial=0)) for w in self.waits), default=0)

    def _works(self) -> None:
        """The cranes that work, and for how long, by ship and cranes asked for."""
        ships = self.week.ships
        cranes = [
            [k if s.least <= k <= s.most else s.standard for k in range(ASKED_CRANES)]
            for s in ships
        ]
        work = [[s.work_hours(k) for k in row] for s, row in zip(ships, cranes, strict=True)]
        longest = MAX_HOUR + max(map(max, work)) + self.longest_wait
        self.hour_type: np.dtype[Any] = np.dtype(np.int16 if longest <= LARGEST else np.int32)
        self.cranes = np.array(cranes, dtype=np.int16).ravel()
        self.work = np.array(work, dtype=self.hour_type).ravel()
        self.work_row = _column(range(0, ASKED_CRANES * len(ships), ASKED_CRANES), np.int32)

    def _cranes_by_hour(self) -> None:
        """The cranes there are for the plan's ships, by hour."""
        week = self.week
        taken = [(b.start, b.end, b.cranes) for b in week.blocks]
        taken += [(o.start, o.end, o.cranes) for o in week.outages]
        there = [week.crane_pool] * max((end for _, end, _ in taken), default=0)
        for start, end, cranes in taken:
            for hour in range(start, end):
                there[hour] -= cranes
        self.crane_pool = Hourly(there, week.crane_pool)

    def _movements_by_hour(self) -> None:
        """The movements, and with services the tugs, there are for the plan's ships, by hour."""
        week = self.week
        limit, sailing = week.movement_limit, movements.alongside_departures(week)
        hours = range(max(sailing, default=-1) + 1)
        self.movements = Hourly([limit - sailing.get(hour, 0) for hour in hours], limit)
        self.tugs: Hourly | None = None
        if week.services is None:
            return
        free, windy = services.free(week, week.services), services.windy_hours(week)
        self.movements = self.movements.least(Hourly(free.pilots, week.services.pilots))
        self.tugs = Hourly(free.tugs, week.services.tugs)
        self.windy = Hourly([hour in windy for hour in range(max(windy, default=-1) + 1)], 0)
        self.ship_tugs = _column(services.tugs_for_length(s.length) for s in week.ships)

    def _blocks(self) -> None:
        """Blocks as rows of windows (blocks, 1), and the lengths of ships and blocks (rows, 1)."""
        blocks = self.week.blocks
        self.blocks = len(blocks)
        self.block_start = _column(b.start for b in blocks)
        self.block_end = _column(b.end for b in blocks)
        self.block_first = _column(_cut(b.first) for b in blocks)
        self.block_last = _column(_cut(b.last) for b in blocks)
        unsigned = np.uint16 if self.hour_type == np.int16 else np.uint32
        self.unsigned: np.dtype[Any] = np.dtype(unsigned)
        lengths = (self.sections, self.block_last - self.block_first + 1)
        self.length: Ints = np.concatenate(lengths).astype(unsigned)


def _check_sums(week: Week) -> None:
    """Raises WeekError when sums might not fit their integers, as in no week of a port."""
    worst = sum(
        s.sections * s.weight * 10 * MAX_HOUR + s.penalty * (MAX_HOUR - min(0, s.deadline or 0))
        for s in week.ships
    )
    if worst >= 2**62:
        raise WeekError(f"plans of {week.id} may cost {worst}, too much for 64 bits")
    if 2 * 7 * len(week.ships) > LARGEST:
        raise WeekError(f"{week.id} has {len(week.ships)} ships, too many for a batch")


def _cut(section: int) -> int:
    return min(max(section, -FAR_SECTION), FAR_SECTION)


def _waits(spans: Sequence[movements.Span]) -> Hourly:
    """Hours a ship held in these spans waits, by the hour it would move."""
    waits = [0] * max((end for _, end in spans), default=0)
    for start, end in spans:
        for hour in range(start, end):
            waits[hour] = end - hour
    return Hourly(waits, 0)
