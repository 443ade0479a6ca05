"""Where and when does one more berth window fit among those already placed?

The constructive side of the rules: what `fits` allows, `check` finds no fault with. It knows
sections, blocks, cranes, movements and wind; pilots and tugs it does not.
"""

from __future__ import annotations

from . import movements
from .model import Berth, Ship, Stay, Week

LOOK_AHEAD_HOURS = 2_000
"""A ship that finds no slot for this long never will: every block, outage and hold is over."""


class Occupancy:
    """The quay hour by hour as windows are placed. Sections are bits of an int, lowest first."""

    def __init__(self, week: Week) -> None:
        self.week = week
        self._sections: list[int] = []
        self._cranes: list[int] = []
        self._moves: list[int] = []
        self._full = (1 << week.place.sections) - 1
        for block in week.blocks:
            self._grow(block.end)
            bits = self._bits(block.first, block.last)
            for hour in range(block.start, block.end):
                self._sections[hour] |= bits
                self._cranes[hour] += block.cranes
        for outage in week.outages:
            self._grow(outage.end)
            for hour in range(outage.start, outage.end):
                self._cranes[hour] += outage.cranes
        for hour, departures in movements.alongside_departures(week).items():
            self._grow(hour)
            self._moves[hour] += departures

    def _grow(self, hour: int) -> None:
        missing = hour + 1 - len(self._sections)
        if missing > 0:
            missing += 200
            self._sections += [0] * missing
            self._cranes += [0] * missing
            self._moves += [0] * missing

    def _bits(self, first: int, last: int) -> int:
        """The quay's sections among first..last."""
        low = max(first, self.week.place.first) - self.week.place.first
        high = min(last, self.week.place.last) - self.week.place.first
        return ((1 << (high + 1)) - 1) & ~((1 << low) - 1) if high >= low else 0

    def place(self, stay: Stay) -> None:
        """Put a window in, whether it fits or not."""
        start = max(0, stay.hour)
        self._grow(stay.departure)
        bits = self._bits(stay.section, stay.last_section)
        for hour in range(start, stay.departure):
            self._sections[hour] |= bits
        for hour in range(start, stay.work_end):
            self._cranes[hour] += stay.cranes
        self._moves[start] += 1
        self._moves[stay.departure] += 1

    def starts(self, ship: Ship, hour: int, cranes: int) -> int:
        """First sections at which the ship can berth at this hour, as bits; 0 when it cannot."""
        week = self.week
        stay = movements.stay(week, ship, Berth(hour, week.place.first, cranes))
        self._grow(stay.departure)
        limit = week.movement_limit
        if self._moves[hour] >= limit or self._moves[stay.departure] >= limit:
            return 0
        if movements.held_until(movements.holds(week, ship), hour) != hour:
            return 0
        if max(self._cranes[hour : stay.work_end]) + cranes > week.crane_pool:
            return 0
        taken = 0
        for sections in self._sections[hour : stay.departure]:
            taken |= sections
        free = self._full & ~taken
        starts = free
        for shift in range(1, ship.sections):
            starts &= free >> shift
        return starts

    def fits(self, ship: Ship, berth: Berth) -> bool:
        """Whether exactly this window fits."""
        if berth.hour < ship.arrival or not ship.least <= berth.cranes <= ship.most:
            return False
        bit = berth.section - self.week.place.first
        return bit >= 0 and bool(self.starts(ship, berth.hour, berth.cranes) >> bit & 1)

    def nearest(self, starts: int, section: int | None) -> int:
        """Of the possible first sections the one nearest `section`, the lower on a tie."""
        first = self.week.place.first
        sections = [first + i for i in range(starts.bit_length()) if starts >> i & 1]
        wanted = first if section is None else section
        return min(sections, key=lambda s: (abs(s - wanted), s))

    def first_fit(self, ship: Ship, hour: int, section: int | None, cranes: int) -> Berth:
        """The first window from `hour` on, nearest `section` (None: the quay's first)."""
        for at in range(max(hour, 0), max(hour, 0) + LOOK_AHEAD_HOURS):
            if starts := self.starts(ship, at, cranes):
                return Berth(at, self.nearest(starts, section), cranes)
        raise AssertionError(f"no slot for ship {ship.id} in {LOOK_AHEAD_HOURS} hours")
