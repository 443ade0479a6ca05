"""How is a model solved so that the same effort gives the same plan?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from port.errors import PortsimError

FIRST_TURN = 0.5
TURN_GROWTH = 16.0
"""Deterministic seconds of a worker's first turn, and how much longer each later one is."""

STRATEGIES: tuple[Mapping[str, Any], ...] = (
    {"optimize_with_core": True, "linearization_level": 0},
    {},
    {"use_objective_lb_search": True},
    {"linearization_level": 2},
    {"linearization_level": 0},
    {"search_branching": cp_model.PORTFOLIO_WITH_QUICK_RESTART_SEARCH},
    {"use_probing_search": True},
    {"search_branching": cp_model.PSEUDO_COST_SEARCH},
)
"""How the first worker searches, the second, and so on; the ninth as the first, by another seed."""


class NoPlanError(PortsimError):
    """A week for which no plan was found: none there is, or none within the limit."""


class OutOfEffortError(NoPlanError):
    """The deterministic time allowed ran out before the optimum was proven."""


@dataclass(frozen=True)
class Effort:
    """How the solver is run. The same effort on the same model gives the same plan.

    `limit` is in CP-SAT's deterministic seconds, of each worker. Workers that `interleave` take
    turns, each alone and with a strategy of its own, and the first proof ends it. (CP-SAT's own
    interleaved search did not reproduce: of four runs on a week one took another plan, and with
    shorter batches every other run did.) Otherwise they search side by side, which proves the same
    cost sooner and may end on another plan each time.
    """

    workers: int = 1
    limit: float = 60.0
    interleave: bool = True


Found = tuple[cp_model.CpSolver, cp_model.CpSolverStatus]
"""A solver that has searched, and how its search ended."""


def search(model: cp_model.CpModel, effort: Effort) -> Found:
    """Run the solver on the model."""
    if effort.interleave and effort.workers > 1:
        return _by_turns(model, effort)
    solver = _solver(effort.limit)
    solver.parameters.num_workers = effort.workers
    return solver, _solve(solver, model)


def _by_turns(model: cp_model.CpModel, effort: Effort) -> Found:
    """The first proof, else the best plan found, the earliest of equals."""
    best: Found | None = None
    for turn in _turns(effort.limit):
        for worker in range(effort.workers):
            solver = _solver(turn, worker)
            status = _solve(solver, model)
            if status not in (cp_model.FEASIBLE, cp_model.UNKNOWN):
                return solver, status
            better = best is None or solver.objective_value < best[0].objective_value
            if status == cp_model.FEASIBLE and better:
                best = solver, status
    return best or (solver, status)


def _turns(limit: float) -> Iterator[float]:
    turn = FIRST_TURN
    while turn < limit:
        yield turn
        turn *= TURN_GROWTH
    yield limit


def _solver(limit: float, worker: int = 1) -> cp_model.CpSolver:
    """A solver that searches alone as this worker does; the second does as the solver pleases."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = worker // len(STRATEGIES)
    solver.parameters.max_deterministic_time = limit
    solver.parameters.catch_sigint_signal = False
    for name, value in STRATEGIES[worker % len(STRATEGIES)].items():
        setattr(solver.parameters, name, value)
    return solver


def _solve(solver: cp_model.CpSolver, model: cp_model.CpModel) -> cp_model.CpSolverStatus:
    """Solve in a thread, so that Ctrl-C ends the search at once and not when it is over."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        running = thread.submit(solver.solve, model)
        try:
            return running.result()
        except KeyboardInterrupt:
            solver.stop_search()
            raise
