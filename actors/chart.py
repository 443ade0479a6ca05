"""What does a plan look like? The berth chart as text: sections down, hours across."""

from __future__ import annotations

from collections.abc import Iterator

from port.model import Plan, Week
from port.movements import stays

MARKS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
CLOSED, ALONGSIDE, FREE, CLASH = "#", "=", ".", "!"
_MARGIN = 4


def chart(week: Week, plan: Plan, width: int = 100) -> list[str]:
    """A line per section, the highest first, and a rule of hours. Each ship has its own mark.

    A cell stands for as many hours as make the chart fit `width` columns; `#` is shut, `=` a ship
    that lay alongside at hour 0, `!` two at once.
    """
    placed = stays(week, plan)
    end = max([168, *(stay.departure for stay in placed), *(block.end for block in week.blocks)])
    step = -(-end // max(10, width - _MARGIN))
    place = week.place
    grid = [[FREE] * -(-end // step) for _ in range(place.sections)]

    def fill(first: int, last: int, start: int, stop: int, mark: str) -> None:
        for section in range(max(first, place.first), min(last, place.last) + 1):
            row = grid[section - place.first]
            for cell in range(max(start, 0) // step, -(-stop // step)):
                row[cell] = _mixed(row[cell], mark, step)

    for block in week.blocks:
        mark = CLOSED if block.kind == "closed" else ALONGSIDE
        fill(block.first, block.last, block.start, block.end, mark)
    for stay in placed:
        mark = MARKS[stay.ship.id % len(MARKS)]
        fill(stay.section, stay.last_section, stay.hour, stay.departure, mark)
    rows = [f"{place.first + i:>3} {''.join(row)}" for i, row in reversed(list(enumerate(grid)))]
    return [*rows, *_hours(end, step)]


def _mixed(there: str, mark: str, step: int) -> str:
    """What a cell shows: with several hours to a cell, one leaving and one coming are no clash."""
    if there == FREE or step > 1:
        return mark
    return CLASH


def _hours(end: int, step: int) -> Iterator[str]:
    ruler = [" "] * (-(-end // step) + 4)
    for hour in range(0, end, 24):
        for i, digit in enumerate(str(hour)):
            ruler[hour // step + i] = digit
    yield " " * _MARGIN + "".join(ruler).rstrip() + f"  (hours, {step} to a column)"
