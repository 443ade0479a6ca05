"""Which rules do many plans of one week break, and what do they cost? `check`, thousands at once.

Everything is NumPy on arrays with a row per ship and a column per plan, a chunk of plans at a
time so that the arrays stay in the cache. Cranes and movements are counted on a grid of plan by
hour; overlaps are looked for in those pairs of ships only that come near in some plan of the
chunk.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .batch_tables import ASKED_CRANES, Hourly, Tables
from .check import MOVE_COST
from .errors import PortsimError
from .model import MAX_HOUR, Week

Ints: TypeAlias = NDArray[np.integer[Any]]
Bools: TypeAlias = NDArray[np.bool_]
Memory: TypeAlias = dict[str, NDArray[np.int64]]
"""The grids' memory by name, used again in every chunk: fresh memory costs more than the sums."""

CHUNK_CELLS = 16_384
"""Ships x plans in a chunk. Fastest were 400-1,000 plans of 17 ships and 250-400 of 59."""
FAR_CHUNK = 16
"""Plans in a chunk of plans with hours far from the week, whose grids are thousands wide."""
PAIR_SLAB = 64
"""Pairs of ships tested together."""
LANES = 4
"""Plans that share a 64-bit word of the crane grid, 16 bits each: one sum adds up all four."""


class PlanArrayError(PortsimError, ValueError):
    """An array that is no batch of plans: the text says what is wrong and what is allowed."""


class Batch(NamedTuple):
    """What `n` plans are worth.

    `feasible` (n,) bool; `cost` (n,) int64, -1 where infeasible; `clean` (n,) int64, the number
    of ships that break no rule.
    """

    feasible: Bools
    cost: NDArray[np.int64]
    clean: NDArray[np.int64]


def check_many(week: Week, plans: ArrayLike) -> Batch:
    """What `check` says of each plan: `plans` (n, ships, 3) integers, for any n.

    `plans[p, s]` is the (hour, section, cranes) of ship `week.ships[s]` in plan p. Every ship has
    a window: no plan of a batch has a ship `missing`.

    Raises PlanArrayError for another shape, for numbers that are no integers (booleans too), and
    for a value beyond +-MAX_HOUR.
    """
    sent = _accepted(week, plans)
    count, ships, _ = sent.shape
    broken = np.zeros(count, dtype=np.int64)
    cost = np.zeros(count, dtype=np.int64)
    if sent.size:
        tables = Tables.of(week)
        memory: Memory = {}
        for rows in _chunks(tables, sent):
            broken[rows], cost[rows] = _check_chunk(tables, sent[rows], memory)
    feasible = broken == 0
    cost[~feasible] = -1
    return Batch(feasible, cost, ships - broken)


def _accepted(week: Week, plans: ArrayLike) -> Ints:
    sent = np.asarray(plans)
    ships = len(week.ships)
    if sent.ndim != 3 or sent.shape[1:] != (ships, 3):
        raise PlanArrayError(
            f"plans must be of shape (n, {ships}, 3) for {week.id}, got {sent.shape}"
        )
    if sent.dtype.kind not in "iu":
        raise PlanArrayError(f"plans must be of an integer type, got {sent.dtype}")
    if sent.size and not (sent.min() >= -MAX_HOUR and sent.max() <= MAX_HOUR):
        wrong = np.argwhere((sent < -MAX_HOUR) | (sent > MAX_HOUR))[0].tolist()
        value = sent[tuple(wrong)]
        raise PlanArrayError(f"plans{wrong} must be within +-{MAX_HOUR}, got {value}")
    return sent


def _chunks(tables: Tables, sent: Ints) -> Iterator[slice | NDArray[np.intp]]:
    """Which plans to check together: those with hours far from the week apart from the others."""
    step = max(LANES, CHUNK_CELLS // tables.ships)
    if sent.min() >= 0 and sent.max() < tables.near:
        for start in range(0, len(sent), step):
            yield slice(start, start + step)
        return
    hours = sent[:, :, 0]
    far = ((hours < 0) | (hours >= tables.near)).any(axis=1)
    for rows, at_once in ((np.flatnonzero(~far), step), (np.flatnonzero(far), FAR_CHUNK)):
        for start in range(0, len(rows), at_once):
            yield rows[start : start + at_once]


class _Windows(NamedTuple):
    """The stays of a chunk's plans, each array (ships, plans); their hours lie in [low, high]."""

    hour: Ints
    section: Ints
    cranes: Ints
    work_end: Ints
    departure: Ints
    held: Bools | None
    low: int
    high: int


def _check_chunk(tables: Tables, sent: Ints, memory: Memory) -> tuple[Ints, Ints]:
    """How many ships break a rule in each plan, and what each plan costs."""
    by_plan = sent.astype(tables.hour_type)
    hour, section, asked = np.ascontiguousarray(by_plan.transpose(2, 1, 0))
    windows = _windows(tables, hour, section, asked)
    bad = asked != windows.cranes
    bad |= hour < tables.arrival
    bad |= section < tables.first
    bad |= section > tables.last_start
    if windows.held is not None:
        bad |= windows.held
    _overlaps(tables, windows, bad)
    _by_hour(tables, windows, memory, bad)
    return _count(bad), _cost(tables, windows)


def _count(marks: Bools) -> NDArray[np.int64]:
    """How many of (ships, plans) are marked in each plan."""
    small = np.uint8 if len(marks) < 256 else np.uint16
    marked: Ints = np.add.reduce(marks.view(np.uint8), axis=0, dtype=small)
    return marked.astype(np.int64)


def _windows(tables: Tables, hour: Ints, section: Ints, asked: Ints) -> _Windows:
    code = tables.work_row + asked.clip(0, ASKED_CRANES - 1)
    cranes = tables.cranes.take(code)
    work_end = hour + tables.work.take(code)
    low, high = int(hour.min()), int(work_end.max())
    if not tables.waits:
        return _Windows(hour, section, cranes, work_end, work_end, None, low, high)
    hours = high - low + 1
    waits = np.concatenate([wait.between(low, hours) for wait in tables.waits])
    row = tables.hold_kind * hours - low
    departure = work_end + waits.take(row + work_end)
    held = waits.take(row + hour) > 0
    high += tables.longest_wait
    return _Windows(hour, section, cranes, work_end, departure, held, low, high)


# ---- sections --------------------------------------------------------------------------------


def _overlaps(tables: Tables, windows: _Windows, bad: Bools) -> None:
    """Mark the ships whose sections and hours meet another's, or a block's.

    Blocks are rows after the ships'.
    """
    rows, ships, plans = tables.ships + tables.blocks, tables.ships, windows.hour.shape[1]
    start: Ints = np.empty((rows, plans), dtype=tables.hour_type)
    end, first, last = np.empty_like(start), np.empty_like(start), np.empty_like(start)
    start[:ships], start[ships:] = windows.hour, tables.block_start
    end[:ships], end[ships:] = windows.departure, tables.block_end
    first[:ships], first[ships:] = windows.section, tables.block_first
    np.add(windows.section, tables.sections - 1, out=last[:ships])
    last[ships:] = tables.block_last
    marks = np.zeros((rows, plans), dtype=np.bool_)
    one, two = _near_pairs(ships, start, end, first, last)
    for at in range(0, len(one), PAIR_SLAB):
        i, j = one[at : at + PAIR_SLAB], two[at : at + PAIR_SLAB]
        # Two stretches of quay meet when 0 <= last[j] - first[i] < their lengths' sum - 1; as an
        # unsigned number a negative difference is beyond any length.
        reach = (last[j] - first[i]).view(tables.unsigned)
        meet: Bools = reach < tables.length[i] + tables.length[j] - 1
        meet &= start[i] < end[j]
        meet &= start[j] < end[i]
        hits = np.flatnonzero(meet)
        if hits.size:
            pair, plan = np.divmod(hits, plans)
            marks[i[pair], plan] = True
            marks[j[pair], plan] = True
    bad |= marks[:ships]


def _near_pairs(
    ships: int, start: Ints, end: Ints, first: Ints, last: Ints
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs of rows (not two blocks) that may meet: their ranges over all plans do."""
    earliest, latest = start.min(axis=1), end.max(axis=1)
    lowest, highest = first.min(axis=1), last.max(axis=1)
    near = earliest[:, np.newaxis] < latest
    near &= near.T
    level = lowest[:, np.newaxis] <= highest
    near &= level & level.T
    one, two = np.nonzero(np.triu(near, 1))
    with_ship = one < ships
    return one[with_ship], two[with_ship]


# ---- hours -----------------------------------------------------------------------------------


class _Grid(NamedTuple):
    """A 16-bit cell for every plan and hour, LANES plans side by side in a 64-bit word.

    The cells are in the order (words of plans, hours, lanes). A running sum over the hours of
    words adds up all lanes at once: no lane disturbs the next, as no sum is ever negative or
    beyond 15 bits.
    """

    plans: int
    low: int
    hours: int
    memory: Memory

    @classmethod
    def of(cls, windows: _Windows, memory: Memory) -> _Grid:
        """A grid of the hours of these windows, and one before them in which nothing happens."""
        hours = windows.high - windows.low + 2
        return cls(windows.hour.shape[1], windows.low - 1, hours, memory)

    def blank(self, name: str) -> NDArray[np.int64]:
        """The words of the grid of this name, all 0: (words,)."""
        size = -(-self.plans // LANES) * self.hours
        kept = self.memory.get(name)
        if kept is None or kept.size < size:
            kept = self.memory[name] = np.empty(size, dtype=np.int64)
        words = kept[:size]
        words.fill(0)
        return words

    def words(self, hour: Ints) -> Ints:
        """The places of the words of these hours, (ships, plans)."""
        return np.arange(self.plans) // LANES * self.hours - self.low + hour

    def cells(self, words: Ints) -> Ints:
        """The places of the cells in these words, (ships, plans)."""
        return words * LANES + np.arange(self.plans) % LANES

    def add_up(self, words: Ints) -> None:
        """Put its sum with all hours before it in each cell's place."""
        by_hour = words.reshape(-1, self.hours)
        np.cumsum(by_hour, axis=1, out=by_hour)

    def above(self, words: Ints, limit: Hourly, name: str) -> Bools:
        """Which cells hold more than the limit of their hour: a mark per cell, (cells,)."""
        there = limit.between(self.low, self.hours).repeat(LANES)
        marks = self.blank(name).view(np.bool_)[: words.size * LANES]
        by_hour = words.view(np.int16).reshape(-1, there.size)
        np.greater(by_hour, there, out=marks.reshape(by_hour.shape))
        return marks


def _by_hour(tables: Tables, windows: _Windows, memory: Memory, bad: Bools) -> None:
    """Mark the ships at work or moving in an hour that is short of what they need."""
    grid = _Grid.of(windows, memory)
    starts = grid.words(windows.hour)
    ends = grid.words(windows.work_end)
    berths = grid.cells(starts)
    leaves = grid.cells(ends if windows.held is None else grid.words(windows.departure))
    _crane_pool(tables, windows, grid, starts, ends, bad)
    over = _short_of_movements(tables, grid, berths, leaves)
    if over.any():
        bad |= over.take(berths)
        bad |= over.take(leaves)


def _crane_pool(
    tables: Tables, windows: _Windows, grid: _Grid, starts: Ints, ends: Ints, bad: Bools
) -> None:
    """Mark the ships at work in an hour that is short of cranes."""
    lane = np.arange(grid.plans) % LANES * 16
    cranes = (windows.cranes.astype(np.int64) << lane).ravel()
    used = grid.blank("used")
    np.add.at(used, starts.ravel(), cranes)
    np.subtract.at(used, ends.ravel(), cranes)
    grid.add_up(used)
    short = grid.above(used, tables.crane_pool, "short")
    if short.any():
        hours_short = grid.blank("used")
        so_far = hours_short.view(np.int16)
        so_far[:] = short
        grid.add_up(hours_short)
        before = so_far.take(grid.cells(starts) - LANES)
        bad |= so_far.take(grid.cells(ends) - LANES) > before


def _short_of_movements(tables: Tables, grid: _Grid, berths: Ints, leaves: Ints) -> Bools:
    """The cells with too many movements, or short of pilots or tugs."""
    moves = grid.blank("moves")
    one = np.ones(berths.size, dtype=np.int16)
    _add(moves, berths, leaves, one)
    over = grid.above(moves, tables.movements, "over")
    if tables.tugs is not None:
        needed = grid.blank("tugs")
        _add(needed, berths, leaves, np.broadcast_to(tables.ship_tugs, berths.shape).ravel())
        windy = tables.windy.between(grid.low, grid.hours)
        needed += (moves.reshape(-1, grid.hours) * windy).ravel()
        over |= grid.above(needed, tables.tugs, "over tugs")
    return over


def _add(words: Ints, berths: Ints, leaves: Ints, each: Ints) -> None:
    """Add to the cells in which ships berth and leave: `each` in the order of (ships, plans)."""
    cells = words.view(np.int16)
    np.add.at(cells, berths.ravel(), each)
    np.add.at(cells, leaves.ravel(), each)


# ---- cost ------------------------------------------------------------------------------------


def _cost(tables: Tables, windows: _Windows) -> NDArray[np.int64]:
    """Lateness, emergencies and moves of each plan, whether or not it breaks a rule."""
    late = (windows.departure - tables.due).clip(0)
    cost: NDArray[np.int64] = tables.rate @ late.astype(np.int64)
    if tables.urgent.size:
        overdue = (windows.hour[tables.urgent] - tables.deadline).clip(0)
        cost += tables.penalty @ overdue
    moved = windows.section[tables.scheduled] != tables.planned
    return cost + MOVE_COST * _count(moved)
