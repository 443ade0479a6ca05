"""How much faster is hindsight than the plain formulation of the same weeks? On 2 workers.

The plain formulation reads like the rules: an optional interval per crane count, NoOverlap2D,
cumulative cranes and movements, a boolean per wind hold, wide domains, the naive plan as hint.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from ortools.sat.python import cp_model

from port import movements
from port.check import MOVE_COST, check
from port.model import Berth, Plan, Ship, Week
from port.packs import load_week, week_ids
from port.view import View
from references.hindsight import hindsight
from references.naive import naive

from . import Measure, Row

WORKERS = 2
LIMIT_SECONDS = 300.0
WIDE_HOURS = 168
"""The domains reach so far past everything that happens in the week or in the hint."""


class NotOptimalError(AssertionError):
    """A run that is no measurement: unproven, or at odds with the port."""


@dataclass
class PlainModel:
    """The rules of a dock week written down one by one, nothing worked out beforehand."""

    week: Week
    hint: Plan
    model: cp_model.CpModel = field(default_factory=cp_model.CpModel)
    hours: list[cp_model.IntervalVar] = field(default_factory=list)
    rows: list[cp_model.IntervalVar] = field(default_factory=list)
    work: list[cp_model.IntervalVar] = field(default_factory=list)
    cranes: list[int] = field(default_factory=list)
    moves: list[cp_model.IntervalVar] = field(default_factory=list)
    cost: list[cp_model.LinearExprT] = field(default_factory=list)
    windows: dict[int, tuple[cp_model.IntVar, cp_model.IntVar, dict[int, cp_model.IntVar]]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        week, model = self.week, self.model
        ends = [stay.departure for stay in movements.stays(week, self.hint)]
        ends += [ship.due for ship in week.ships] + [block.end for block in week.blocks]
        self.end = max(ends + [hold.end for hold in week.wind]) + WIDE_HOURS
        for ship in week.ships:
            self._ship(ship)
        self._blocks()
        model.add_no_overlap_2d(self.hours, self.rows)
        model.add_cumulative(self.work, self.cranes, week.crane_pool)
        model.add_cumulative(self.moves, [1] * len(self.moves), week.movement_limit)
        model.minimize(cp_model.LinearExpr.sum(self.cost))

    def _ship(self, ship: Ship) -> None:
        model, place = self.model, self.week.place
        start = model.new_int_var(ship.arrival, self.end, "")
        section = model.new_int_var(place.first, place.last - ship.sections + 1, "")
        done = model.new_int_var(0, 2 * self.end, "")
        counts = {k: model.new_bool_var("") for k in range(ship.least, ship.most + 1)}
        for k, count in counts.items():
            hours = ship.work_hours(k)
            self.work.append(model.new_optional_fixed_size_interval_var(start, hours, count, ""))
            self.cranes.append(k)
            model.add(done == start + hours).only_enforce_if(count)
        model.add_exactly_one(counts.values())
        departure = self._wind(ship, start, done)
        length = model.new_int_var(1, 2 * self.end, "")
        self.hours.append(model.new_interval_var(start, length, departure, ""))
        self.rows.append(model.new_fixed_size_interval_var(section, ship.sections, ""))
        self.moves += [
            model.new_fixed_size_interval_var(hour, 1, "") for hour in (start, departure)
        ]
        self._cost(ship, start, section, departure)
        self.windows[ship.id] = (start, section, counts)
        model.add_hint(start, self.hint[ship.id].hour)
        model.add_hint(section, self.hint[ship.id].section)
        for k, count in counts.items():
            model.add_hint(count, k == self.hint[ship.id].cranes)

    def _wind(self, ship: Ship, start: cp_model.IntVar, done: cp_model.IntVar) -> cp_model.IntVar:
        """The departure: the work's end, or the end of the hold that lies in."""
        model = self.model
        departure = model.new_int_var(0, 2 * self.end, "")
        held = []
        for begin, end in movements.holds(self.week, ship):
            for hour, inside in ((start, None), (done, model.new_bool_var(""))):
                before, after = model.new_bool_var(""), model.new_bool_var("")
                model.add(hour < begin).only_enforce_if(before)
                model.add(hour >= end).only_enforce_if(after)
                model.add_exactly_one([before, after] + ([] if inside is None else [inside]))
                if inside is not None:
                    model.add_linear_constraint(done, begin, end - 1).only_enforce_if(inside)
                    model.add(departure == end).only_enforce_if(inside)
                    held.append(inside)
        model.add(departure == done).only_enforce_if([inside.negated() for inside in held])
        return departure

    def _cost(
        self, ship: Ship, start: cp_model.IntVar, section: cp_model.IntVar, out: cp_model.IntVar
    ) -> None:
        model = self.model
        late = model.new_int_var(0, 2 * self.end, "")
        model.add(late >= out - ship.due)
        self.cost.append(late * (ship.sections * ship.weight))
        if ship.deadline is not None:
            over = model.new_int_var(0, 2 * self.end, "")
            model.add(over >= start - ship.deadline)
            self.cost.append(over * ship.penalty)
        if ship.planned_section is not None:
            moved = model.new_bool_var("")
            model.add(section == ship.planned_section).only_enforce_if(moved.negated())
            self.cost.append(MOVE_COST * moved)

    def _blocks(self) -> None:
        fixed = self.model.new_fixed_size_interval_var
        for block in self.week.blocks:
            hours = fixed(block.start, block.end - block.start, "")
            self.hours.append(hours)
            self.rows.append(fixed(block.first, block.last - block.first + 1, ""))
            self.work.append(hours)
            self.cranes.append(block.cranes)
            if block.kind == "alongside":
                self.moves.append(fixed(block.end, 1, ""))
        for outage in self.week.outages:
            self.work.append(fixed(outage.start, outage.end - outage.start, ""))
            self.cranes.append(outage.cranes)


def plain(week: Week) -> int:
    """The optimum by the plain formulation. Raises NotOptimalError when it was not proven."""
    model = PlainModel(week, naive(View(week, {}, 0, 0)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = WORKERS
    solver.parameters.max_time_in_seconds = LIMIT_SECONDS
    status = solver.solve(model.model)
    if status != cp_model.OPTIMAL:
        raise NotOptimalError(f"{week.id}: plain formulation: {solver.status_name(status)}")
    plan = {
        i: Berth(
            solver.value(hour), solver.value(section), next(k for k in ks if solver.value(ks[k]))
        )
        for i, (hour, section, ks) in model.windows.items()
    }
    cost = check(week, plan).cost
    if cost is None or cost != round(solver.objective_value):
        raise NotOptimalError(
            f"{week.id}: plain formulation: {solver.objective_value}, port {cost}"
        )
    return cost


def by_hindsight(week: Week) -> int:
    return hindsight(week, workers=WORKERS).cost


WAYS: dict[str, Callable[[Week], int]] = {
    "plain formulation": plain,
    "hindsight": by_hindsight,
}


def over_all_weeks() -> Iterator[Row]:
    """Each week by each way in turn, so that a busy machine slows all of them alike."""
    taken: dict[str, list[float]] = {way: [] for way in WAYS}
    for week in map(partial(load_week, port="dock"), week_ids("dock")):
        costs = set()
        for way, solve in WAYS.items():
            start = time.perf_counter()
            costs.add(solve(week))
            taken[way].append(time.perf_counter() - start)
        if costs != {week.best}:
            raise NotOptimalError(f"{week.id}: costs {sorted(costs)}, the optimum is {week.best}")
    half = sum(taken["plain formulation"]) / 2
    for way, seconds in taken.items():
        target = "" if way == "plain formulation" else f"at most {half:.1f}"
        yield Row(f"{way}: {len(seconds)} dock weeks, {WORKERS} workers", sum(seconds), "s", target)
        yield Row(f"{way}: its slowest week", max(seconds), "s")


MEASURES: tuple[Measure, ...] = (over_all_weeks,)
