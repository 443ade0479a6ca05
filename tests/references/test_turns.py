"""Workers that take turns find what one finds, and the same plan each time."""

from __future__ import annotations

import pytest

from port.check import check
from port.packs import load_week
from port.view import View
from references.effort import STRATEGIES, Effort, NoPlanError
from references.model import BerthModel, Solved
from references.naive import naive

TIED = "dock-36A-w16x1-standard-0"
"""A week of many plans of the same cost."""


def solved(week_id: str, effort: Effort) -> Solved:
    week = load_week(week_id)
    return BerthModel(week, naive(View(week, {}, 0, 0))).solve(effort)


def test_eight_workers_find_the_same_plan_each_time() -> None:
    assert len(STRATEGIES) == 8
    plans = [solved(TIED, Effort(8)).plan for _ in range(4)]
    assert plans == plans[:1] * 4


@pytest.mark.parametrize("workers", [2, 8, 9])
def test_workers_in_turns_prove_what_one_proves(workers: int) -> None:
    one, many = solved(TIED, Effort(1)), solved(TIED, Effort(workers))
    assert (one.cost, one.proven) == (many.cost, many.proven) == (load_week(TIED).best, True)
    assert check(load_week(TIED), many.plan).cost == many.cost


def test_without_time_for_a_proof_there_is_a_plan_unproven_or_none() -> None:
    hard = "dock-24B-w35x1-busy-0"
    try:
        found = solved(hard, Effort(2, limit=0.01))
    except NoPlanError:
        return
    best = load_week(hard).best
    assert best is not None
    assert not found.proven
    assert found.bound <= best <= found.cost
