"""The check, the batch and an independent checker agree on thousands of perturbed plans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from port import packs
from port.batch import check_many
from port.check import Verdict, check
from port.model import RULES, Berth, Plan, Week
from port.packs import load_week, week_ids
from port.view import View
from references.naive import naive
from tests.checker import Opinion, opinion

PORTS = ("dock", "live", "marine", "wind")
PLANS_PER_WEEK = {"dock": 40, "live": 20, "marine": 60, "wind": 60}
NOT_MET: dict[str, set[str]] = {
    "dock": {"pilots", "tugs"},
    "live": {"pilots", "tugs"},
    "marine": set(),
    "wind": set(),
}
"""Rules these ports do not have."""
ENTRIES_CHANGED = (0, 1, 1, 2, 3, 6)
"""Drawn from: none leaves the plan as it is, most plans break few rules, some many."""
BY_CHANCE = 0.1
"""Share of changed entries that are drawn anew, hours before Monday and odd sections included."""

CASES = [(port, week_id) for port in PORTS for week_id in week_ids(port)]


def published(port: str) -> dict[str, dict[str, Any]]:
    path = Path(packs.__file__).parent.parent / "data" / "published" / f"{port}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {row["id"]: row for row in rows}


PLANS = {
    port: {
        week_id: [row[name] for name in ("optimal_plan", "naive_plan") if name in row]
        for week_id, row in published(port).items()
    }
    for port in ("dock", "marine")
}


def bases(week: Week) -> list[NDArray[np.int64]]:
    """The published plans of the dock and of the marine week this week is made from.

    Where the wind is real, which those plans know nothing of, our naive plan for it too.
    """
    found = []
    if week.weather is not None:
        found.append({ship: [*window] for ship, window in naive(View(week, {}, 0, 0)).items()})
    for of_port in PLANS.values():
        for week_id, plans in of_port.items():
            if week.id.startswith(week_id):
                found += [{ship: window for ship, *window in plan} for plan in plans]
    return [np.array([plan[ship.id] for ship in week.ships]) for plan in found]


def perturbed(week: Week, count: int, seed: int) -> NDArray[np.int64]:
    """Plans near the published ones: (count, ships, 3) hours, sections and cranes."""
    rng = np.random.default_rng(seed)
    bases_ = bases(week)
    plans = np.stack([bases_[i % len(bases_)] for i in range(count)])
    for plan in plans:
        for ship in rng.integers(0, len(week.ships), rng.choice(ENTRIES_CHANGED)):
            if rng.random() < BY_CHANCE:
                plan[ship] = rng.integers((-20, -3, -1), (400, 40, 12))
            else:
                plan[ship] += rng.integers((-5, -2, -1), (10, 3, 2))
    return plans


def perturbed_of(week: Week, port: str) -> NDArray[np.int64]:
    return perturbed(week, PLANS_PER_WEEK[port], seed=len(week.ships) * week.number)


def as_plan(week: Week, rows: NDArray[np.int64]) -> Plan:
    return {s.id: Berth(*map(int, row)) for s, row in zip(week.ships, rows, strict=True)}


def as_opinion(verdict: Verdict) -> Opinion:
    faults = frozenset((f.ship, str(f.rule)) for f in verdict.findings)
    return Opinion(verdict.feasible, verdict.cost, faults)


@pytest.mark.parametrize(("port", "week_id"), CASES)
def test_check_agrees_with_the_independent_checker_and_the_batch(port: str, week_id: str) -> None:
    week = load_week(week_id, port)
    plans = perturbed_of(week, port)
    batch = check_many(week, plans)
    for number, rows in enumerate(plans):
        verdict = check(week, as_plan(week, rows))
        assert as_opinion(verdict) == opinion(week, as_plan(week, rows)), rows.tolist()
        assert (
            batch.feasible[number],
            None if batch.cost[number] < 0 else batch.cost[number],
            batch.clean[number],
        ) == (verdict.feasible, verdict.cost, verdict.clean), rows.tolist()


@pytest.mark.parametrize("port", PORTS)
def test_the_perturbed_plans_bring_about_every_rule_and_none(port: str) -> None:
    met: set[str] = set()
    feasible = 0
    for week_id in week_ids(port):
        week = load_week(week_id, port)
        for rows in perturbed_of(week, port):
            verdict = check(week, as_plan(week, rows))
            feasible += verdict.feasible
            met |= {finding.rule for finding in verdict.findings}
    assert feasible >= 10
    assert met == set(RULES) - {"missing", "queue"} - NOT_MET[port]


@pytest.mark.parametrize("port", PORTS)
def test_a_plan_with_ships_left_out_agrees_too(port: str) -> None:
    week = load_week(week_ids(port)[0], port)
    for number, rows in enumerate(perturbed(week, 40, seed=7)):
        plan = as_plan(week, rows)
        kept = {ship: plan[ship] for ship in plan if (ship + number) % 5}
        assert as_opinion(check(week, kept)) == opinion(week, kept)
