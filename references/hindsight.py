"""What is the best plan for a week when everything is known?"""

from __future__ import annotations

from dataclasses import dataclass

from port.check import check
from port.errors import PortsimError
from port.model import Berth, Week

from .effort import Effort
from .parts import Parts

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


def hindsight(week: Week, *, workers: int = 2, limit: float = LIMIT) -> Solution:
    """The best plan for a week as known, by CP-SAT, part by part.

    `limit` is in deterministic seconds. The port checks the plan: SolverError when it disagrees
    with the solver. NoPlanError (OutOfEffortError) when the limit passes before the proof.
    """
    solved = Parts(week, Effort(workers, limit, interleave=False)).solve()
    verdict = check(week, solved.plan)
    if verdict.cost != solved.cost:
        raise SolverError(
            f"{week.id}: the solver says cost {solved.cost}, the port says {verdict.cost}: "
            f"{verdict.findings[:3]}"
        )
    return Solution(solved.plan, solved.cost, solved.bound, solved.proven)
