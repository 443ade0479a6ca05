"""What is the best plan for a week when everything is known?"""

from __future__ import annotations

from dataclasses import dataclass

from port.check import check
from port.errors import PortsimError
from port.model import Berth, Plan, Week
from port.view import View

from .greedy import greedy
from .model import BerthModel, Effort
from .naive import naive

LIMIT = 2_000.0
"""Deterministic seconds; the hardest published week took under a tenth of it."""


class SolverError(PortsimError):
    """The solver's plan is not what the port says it is."""


@dataclass(frozen=True)
class Solution:
    """A plan, its cost, and the bound no plan can be below; `proven` when they meet."""

    plan: dict[int, Berth]
    cost: int
    bound: int
    proven: bool


def hindsight(
    week: Week, *, workers: int = 2, limit: float = LIMIT, hint: Plan | None = None
) -> Solution:
    """The best plan for a week as known, by CP-SAT.

    `limit` is in deterministic seconds. The port checks the plan: SolverError when it disagrees
    with the solver, NoPlanError (from the model) when no plan was found within the limit.
    """
    start = _best_hint(week) if hint is None else hint
    solved = BerthModel(week, start).solve(Effort(workers, limit, interleave=False))
    verdict = check(week, solved.plan)
    if verdict.cost != solved.cost:
        raise SolverError(
            f"{week.id}: the solver says cost {solved.cost}, the port says {verdict.cost}: "
            f"{verdict.findings[:3]}"
        )
    return Solution(solved.plan, solved.cost, solved.bound, solved.proven)


def _best_hint(week: Week) -> Plan:
    """The cheaper of the naive and the greedy plan; a plan that breaks rules only if both do."""
    view = View(week, {}, 0, 0)
    plans = [greedy(view), naive(view)]
    costs = [check(week, plan).cost for plan in plans]
    return min(zip(costs, plans, strict=True), key=lambda pair: (pair[0] is None, pair[0] or 0))[1]
