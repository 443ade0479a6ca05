"""What can no plan avoid? A linear bound on ships that share cranes, sections and movements.

Each ship takes fractions of its choices; the hours' limits hold for their sums. Its optimum is a
lower bound, and a choice's reduced cost is what taking it would add at least.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf, isfinite

from ortools.linear_solver.python import model_builder

from port.model import Week

from .options import Choice, Choices, Outcome
from .taken import Taken

MARGIN = 1.0
"""Cost left to a choice for the solver's rounding: GLOP's tolerances are a millionth of it."""


@dataclass(frozen=True)
class Relaxed:
    """The bound, and by ship the choices that a plan of the limit's cost can still make."""

    bound: int
    by_ship: Mapping[int, Choices]


def relaxed(week: Week, by_ship: Mapping[int, Choices], use: Taken, limit: int) -> Relaxed | None:
    """Bound the ships' cost and drop the choices no plan of cost `limit` can make.

    None when the linear model shows that no plan of these choices exists at all, or when it was
    not solved: the choices then stand as they are, which the caller finds out by solving.
    """
    rows = _Rows(week, use)
    for ship_id, options in by_ship.items():
        rows.ship(ship_id, options)
    solver = model_builder.Solver("GLOP")
    status = solver.solve(rows.finish())
    if status != model_builder.SolveStatus.OPTIMAL or not isfinite(solver.objective_value):
        return None
    bound = solver.objective_value
    reduced = solver.reduced_costs(rows.model.get_variables()).to_numpy()
    kept: dict[int, dict[Choice, Outcome]] = {ship_id: {} for ship_id in by_ship}
    for (ship_id, choice), cost in zip(rows.columns, reduced, strict=True):
        if bound + cost <= limit + MARGIN:
            kept[ship_id][choice] = by_ship[ship_id][choice]
    return Relaxed(ceil(bound - 1e-6), kept)


class _Rows:
    """The linear model, a column per ship and choice, a row per ship and per pool and hour."""

    def __init__(self, week: Week, use: Taken) -> None:
        self.week = week
        self.use = use
        self.model = model_builder.Model()  # type: ignore[no-untyped-call]
        self.columns: list[tuple[int, Choice]] = []
        self._cranes: dict[int, list[tuple[int, int]]] = {}
        self._sections: dict[int, list[tuple[int, int]]] = {}
        self._moves: dict[int, list[tuple[int, int]]] = {}

    def ship(self, ship_id: int, options: Choices) -> None:
        """The ship's columns: together they are one stay."""
        ship, terms = self.week.by_id[ship_id], []
        for choice, out in options.items():
            column = int(self.model.new_num_var(0, inf, "").index)
            self.model.helper.set_var_objective_coefficient(column, out.cost)
            self.columns.append((ship_id, choice))
            terms.append((column, 1))
            for hour in range(choice.hour, choice.hour + ship.work_hours(choice.cranes)):
                self._cranes.setdefault(hour, []).append((column, choice.cranes))
            for hour in range(choice.hour, out.departure):
                self._sections.setdefault(hour, []).append((column, ship.sections))
            for hour in (choice.hour, out.departure):
                self._moves.setdefault(hour, []).append((column, 1))
        self._row(terms, 1, 1)

    def finish(self) -> model_builder.Model:
        """The model with the pools' rows."""
        week, use = self.week, self.use
        for hour, terms in self._cranes.items():
            self._row(terms, -inf, max(0, week.crane_pool - use.cranes.get(hour, 0)))
        for hour, terms in self._sections.items():
            taken = sum(hour in hours for hours in use.sections.values())
            self._row(terms, -inf, week.place.sections - taken)
        for hour, terms in self._moves.items():
            left = week.movement_limit - use.moves.get(hour, 0)
            if hour < len(use.pilots):
                left = min(left, use.pilots[hour])
            self._row(terms, -inf, max(0, left))
        return self.model

    def _row(self, terms: list[tuple[int, int]], least: float, most: float) -> None:
        row = self.model.add_linear_constraint(0, least, most, "")
        for column, amount in terms:
            row.helper.add_term_to_constraint(int(row.index), column, amount)
