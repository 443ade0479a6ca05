"""How long does it take to check one plan, and how long in a batch of 4,096?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from port.batch import check_many
from port.check import check
from port.model import Berth, Plan, Week
from port.packs import DATA, load_week

from . import Row, median

WEEKS = ("dock-24B-w06x1-busy-0", "dock-36A-w35x3-extreme-0")
"""One week with 17 ships, and three with 59."""
BATCH = 4096
SAMPLE = 256
"""Plans of the batch that are also checked one by one."""


class Case(NamedTuple):
    """A week, its published optimal plan, and a batch of plans near it, (BATCH, ships, 3)."""

    week: Week
    optimal: Plan
    batch: NDArray[np.int64]


def cases() -> Iterator[Case]:
    lines = (DATA / "published" / "dock.jsonl").read_text("utf-8").splitlines()
    rows = {row["id"]: row for row in map(json.loads, lines)}
    for week_id in WEEKS:
        week = load_week(week_id)
        plan = {ship: Berth(*window) for ship, *window in rows[week_id]["optimal_plan"]}
        yield Case(week, plan, near(week, plan))


def near(week: Week, plan: Plan) -> NDArray[np.int64]:
    """Plans with none, one or two windows of `plan` changed a little: four in ten are feasible."""
    rng = np.random.default_rng(2024)
    batch = np.tile(np.array([plan[ship.id] for ship in week.ships]), (BATCH, 1, 1))
    for windows in batch:
        for ship in rng.integers(0, len(week.ships), rng.integers(0, 3)):
            windows[ship] += rng.integers((-6, -2, -1), (12, 3, 2))
    return batch


def as_plan(week: Week, windows: NDArray[np.int64]) -> Plan:
    return {s.id: Berth(*w) for s, w in zip(week.ships, windows.tolist(), strict=True)}


def check_all(week: Week, plans: Sequence[Plan]) -> None:
    for plan in plans:
        check(week, plan)


def plans_checked() -> Iterator[Row]:
    """One `check`, `check_many` per plan, and how many times faster it is."""
    for week, optimal, batch in cases():
        ships = f"{len(week.ships)} ships"
        some = [as_plan(week, windows) for windows in batch[:SAMPLE]]
        one = median(partial(check, week, optimal), number=100)
        each = median(partial(check_all, week, some)) / SAMPLE
        many = median(partial(check_many, week, batch), repeat=31) / BATCH
        yield Row(f"check, optimal plan, {ships}", one * 1e6, "us")
        yield Row(f"check, plans of the batch, {ships}", each * 1e6, "us")
        yield Row(f"check_many, per plan of {BATCH:,}, {ships}", many * 1e6, "us")
        yield Row(f"check / check_many, optimal plan, {ships}", one / many, "times", ">= 20")
        yield Row(f"check / check_many, plans of the batch, {ships}", each / many, "times", ">= 20")


def ports_checked() -> Iterator[Row]:
    """One `check` of the same plan as the ports add to the week: pilots and tugs, real wind."""
    week_id, weather_id = WEEKS[0], "e15"
    week, optimal, _ = next(cases())
    plain = median(partial(check, week, optimal), number=50)
    for port, name in (("marine", week_id), ("wind", f"{week_id}-{weather_id}")):
        seconds = median(partial(check, load_week(name, port), optimal), number=50)
        yield Row(f"check at the {port} port, {len(week.ships)} ships", seconds * 1e6, "us")
        yield Row(f"check at the {port} port / at the dock", seconds / plain, "times", "<= 2")


MEASURES = (plans_checked, ports_checked)
