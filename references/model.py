"""The CP-SAT model of a week as known: one builder, a method per group of constraints.

Windows that stand are part of what is taken; the model places the others. Its parts are those the
week has: wind, pilots and tugs are there when the week knows of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ortools.sat.python import cp_model

from port import movements
from port.check import check
from port.model import Berth, Plan, Ship, Week
from port.services import tugs_for_length, windy_hours

from .effort import Effort, NoPlanError, search
from .options import Bounded, Choices, bounded, choices
from .taken import Profile, Taken, runs, taken

TIE_SCALE = 10_000
"""A unit of cost outweighs this many hours of departures when ties go to early finishes."""
SLACK_HOURS = 60
"""How far past a hint that breaks rules the horizon reaches."""


@dataclass(frozen=True)
class Solved:
    """A plan with every ship of the week, its cost as the model has it, and the proven bound."""

    plan: dict[int, Berth]
    cost: int
    bound: int
    proven: bool


@dataclass
class _Placed:
    """A ship's variables: when it berths and leaves, where, and a literal per crane count."""

    ship: Ship
    start: cp_model.IntVar
    departure: cp_model.IntVar
    section: cp_model.IntVar
    counts: dict[int, cp_model.IntVar]
    stay: cp_model.IntervalVar


@dataclass
class BerthModel:
    """A model of the week's open windows.

    `standing` windows cannot change; the others start at `line` or later. `hint` has a window for
    every ship; where it breaks no rule its cost bounds the choices. The bound is no constraint of
    its own: with one, other ties are found, and two of the published wind weeks end 8 and 14 above
    the published cost.
    """

    week: Week
    hint: Plan
    standing: Plan = field(default_factory=dict)
    line: int = 0
    tie_break: bool = False

    def __post_init__(self) -> None:
        week = self.week
        self.open = [ship for ship in week.ships if ship.id not in self.standing]
        self.use = self._taken()
        self.bound = self._bound()
        self.options = self._options()
        self.model = cp_model.CpModel()
        self.placed = [self._place(ship, self.options.by_ship[ship.id]) for ship in self.open]
        self._quay()
        self._cranes()
        self._movements()
        if week.services is not None:
            self._pilots()
            self._tugs()
        self._objective()

    # ---- what is known beforehand ------------------------------------------------------------

    def _taken(self) -> Taken:
        by_id = self.week.by_id
        return taken(
            self.week,
            [movements.stay(self.week, by_id[i], b) for i, b in sorted(self.standing.items())],
        )

    def _bound(self) -> int | None:
        """The hint's cost on the open ships; None when it breaks a rule there."""
        verdict = check(self.week, self.hint, partial=True)
        ours = [verdict.ships[ship.id] for ship in self.open]
        if any(ship.findings for ship in ours):
            return None
        return sum(ship.cost for ship in ours)

    def _options(self) -> Bounded:
        week = self.week
        ends = [stay.departure for stay in movements.stays(week, self.hint)]
        ends += [block.end for block in week.blocks] + [hold.end for hold in week.wind]
        end = max([*ends, *(ship.arrival for ship in week.ships)]) + 1
        end += SLACK_HOURS if self.bound is None else 0
        every = {s.id: choices(week, s, self.line, end, self.use) for s in self.open}
        for ship in self.open:
            if not every[ship.id]:
                raise NoPlanError(f"{week.id}: ship {ship.id} finds no hour up to {end}")
        return bounded(every, self.bound)

    # ---- variables ---------------------------------------------------------------------------

    def _place(self, ship: Ship, options: Choices) -> _Placed:
        model, place = self.model, self.week.place
        hours = sorted({choice.hour for choice in options})
        leaves = sorted({out.departure for out in options.values()})
        start = model.new_int_var_from_domain(cp_model.Domain.from_values(hours), "")
        departure = model.new_int_var_from_domain(cp_model.Domain.from_values(leaves), "")
        section = model.new_int_var(place.first, place.last - ship.sections + 1, "")
        counts = self._choose(ship, options, start, departure)
        lengths = [out.departure - choice.hour for choice, out in options.items()]
        length = model.new_int_var(min(lengths), max(lengths), "")
        stay = model.new_interval_var(start, length, departure, "")
        placed = _Placed(ship, start, departure, section, counts, stay)
        self._hint(placed)
        return placed

    def _choose(
        self,
        ship: Ship,
        options: Choices,
        start: cp_model.IntVar,
        departure: cp_model.IntVar,
    ) -> dict[int, cp_model.IntVar]:
        """A literal per crane count, tied to its start hours and the departures they give."""
        model = self.model
        hours = {choice.hour for choice in options}
        counts: dict[int, cp_model.IntVar] = {}
        alternatives: list[cp_model.IntVar] = []
        for cranes in sorted({choice.cranes for choice in options}):
            count = counts[cranes] = model.new_bool_var("")
            groups = _by_wait(options, cranes, ship.work_hours(cranes))
            chosen = [count] if len(groups) == 1 else [model.new_bool_var("") for _ in groups]
            if len(groups) > 1:
                model.add(sum(chosen) == count)
            for literal, ((fixed, length), starts) in zip(chosen, groups.items(), strict=True):
                if len(starts) < len(hours):
                    domain = cp_model.Domain.from_values(starts)
                    model.add_linear_expression_in_domain(start, domain).only_enforce_if(literal)
                leaves = length if fixed else start + length
                model.add(departure == leaves).only_enforce_if(literal)
            alternatives += chosen
        model.add_exactly_one(alternatives)
        return counts

    def _hint(self, placed: _Placed) -> None:
        berth = self.hint[placed.ship.id]
        self.model.add_hint(placed.start, berth.hour)
        self.model.add_hint(placed.section, berth.section)
        for cranes, literal in placed.counts.items():
            self.model.add_hint(literal, cranes == berth.cranes)

    # ---- constraints -------------------------------------------------------------------------

    def _quay(self) -> None:
        """Ships, blocks and standing windows are rectangles of hours and sections, apart."""
        model = self.model
        across = [placed.stay for placed in self.placed]
        along = [
            model.new_fixed_size_interval_var(placed.section, placed.ship.sections, "")
            for placed in self.placed
        ]
        per_hour: Profile = {}
        for section, hours in self.use.sections.items():
            for hour in hours:
                per_hour[hour] = per_hour.get(hour, 0) + 1
            for start, end, _ in runs(dict.fromkeys(hours, 1)):
                across.append(model.new_fixed_size_interval_var(start, end - start, ""))
                along.append(model.new_fixed_size_interval_var(section, 1, ""))
        model.add_no_overlap_2d(across, along)
        sections = [placed.ship.sections for placed in self.placed]
        self._cumulative(
            [placed.stay for placed in self.placed], sections, self.week.place.sections, per_hour
        )

    def _cranes(self) -> None:
        """Cranes at work stay within those in service."""
        work, cranes = [], []
        for placed in self.placed:
            for count, literal in placed.counts.items():
                hours = placed.ship.work_hours(count)
                work.append(
                    self.model.new_optional_fixed_size_interval_var(
                        placed.start, hours, literal, ""
                    )
                )
                cranes.append(count)
        self._cumulative(work, cranes, self.week.crane_pool, self.use.cranes)

    def _movements(self) -> None:
        """Berthings and departures stay within the hour's limit."""
        moves = self._moves()
        self._cumulative(moves, [1] * len(moves), self.week.movement_limit, self.use.moves)

    def _pilots(self) -> None:
        moves, free = self._moves(), self.use.pilots
        pool = max(free, default=0)
        gone = {hour: pool - left for hour, left in enumerate(free)}
        self._cumulative(moves, [1] * len(moves), pool, gone)

    def _tugs(self) -> None:
        """Tugs by length in calm hours; in windy ones each movement takes one more.

        A demand cannot depend on the hour, so calm and windy hours have a cumulative each, in which
        the other kind of hour has room for any number of movements.
        """
        moves = self._moves()
        tugs = [tugs_for_length(p.ship.length) for p in self.placed for _ in range(2)]
        windy = windy_hours(self.week)
        ample = self.week.movement_limit * (max(tugs, default=0) + 1) + max(self.use.tugs)
        for extra in (0, 1):
            gone = {
                hour: ample - left
                for hour, left in enumerate(self.use.tugs)
                if (hour in windy) == bool(extra)
            }
            if gone:
                self._cumulative(moves, [n + extra for n in tugs], ample, gone)

    def _moves(self) -> list[cp_model.IntervalVar]:
        return [
            self.model.new_fixed_size_interval_var(hour, 1, "")
            for placed in self.placed
            for hour in (placed.start, placed.departure)
        ]

    def _cumulative(
        self,
        intervals: Sequence[cp_model.IntervalVar],
        demands: Sequence[int],
        capacity: int,
        profile: Mapping[int, int],
    ) -> None:
        """Demands and what is taken stay within the capacity; what is taken is cut at it."""
        standing = runs({hour: min(amount, capacity) for hour, amount in profile.items()})
        self.model.add_cumulative(
            [
                *intervals,
                *(
                    self.model.new_fixed_size_interval_var(start, end - start, "")
                    for start, end, _ in standing
                ),
            ],
            [*demands, *(amount for _, _, amount in standing)],
            capacity,
        )

    # ---- cost --------------------------------------------------------------------------------

    def _objective(self) -> None:
        cost = cp_model.LinearExpr.sum(self._costs())
        if self.tie_break:
            departures = cp_model.LinearExpr.sum([placed.departure for placed in self.placed])
            self.model.minimize(cost * TIE_SCALE + departures)
        else:
            self.model.minimize(cost)

    def _costs(self) -> list[cp_model.LinearExprT]:
        terms: list[cp_model.LinearExprT] = []
        for placed in self.placed:
            ship = placed.ship
            options = self.options.by_ship[ship.id]
            last_out = max(out.departure for out in options.values())
            late = self._over(placed.departure, ship.due, last_out)
            terms.append(late * (ship.sections * ship.weight))
            if ship.deadline is not None:
                last_in = max(choice.hour for choice in options)
                terms.append(self._over(placed.start, ship.deadline, last_in) * ship.penalty)
            if ship.planned_section is not None:
                moved = self.model.new_bool_var("")
                stays = placed.section == ship.planned_section
                self.model.add(stays).only_enforce_if(moved.negated())
                terms.append(5 * moved)
        return terms

    def _over(self, hour: cp_model.IntVar, limit: int, most: int) -> cp_model.LinearExprT:
        """Hours past a limit; `most` is the last the hour can be."""
        if most <= limit:
            return 0
        over = self.model.new_int_var(0, most - limit, "")
        self.model.add(over >= hour - limit)
        return over

    # ---- solving -----------------------------------------------------------------------------

    def windows(self, solver: cp_model.CpSolver) -> dict[int, Berth]:
        """The windows of the solution found."""
        return {
            placed.ship.id: Berth(
                solver.value(placed.start),
                solver.value(placed.section),
                next(count for count, literal in placed.counts.items() if solver.value(literal)),
            )
            for placed in self.placed
        }

    def solve(self, effort: Effort) -> Solved:
        """The best plan found. Raises NoPlanError when there is none within the effort's limit."""
        solver, status = search(self.model, effort)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            raise NoPlanError(
                f"{self.week.id}: no plan from hour {self.line} on: {solver.status_name(status)}"
            )
        plan = {**self.standing, **self.windows(solver)}
        scale = TIE_SCALE if self.tie_break else 1
        return Solved(
            plan,
            int(solver.objective_value) // scale,
            -int(-solver.best_objective_bound // scale),
            status == cp_model.OPTIMAL,
        )


def _by_wait(options: Choices, cranes: int, work: int) -> dict[tuple[bool, int], list[int]]:
    """A crane count's start hours by how they lead to a departure.

    The key is ``(False, work hours)`` where the ship leaves when its work ends, and
    ``(True, hour)`` where the wind holds it till that hour.
    """
    groups: dict[tuple[bool, int], list[int]] = {}
    for choice, out in options.items():
        if choice.cranes != cranes:
            continue
        leaves_at_once = out.departure - choice.hour == work
        key = (False, work) if leaves_at_once else (True, out.departure)
        groups.setdefault(key, []).append(choice.hour)
    return groups
