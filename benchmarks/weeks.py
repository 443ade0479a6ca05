"""How long does a week take, inline and on Ray, and how long does Ray take to start?"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from functools import partial

from actors.inline import Inline
from actors.run import Request, played
from actors.stage import Company
from port.packs import week_ids

from . import Row, median

PORTS = ("live", "marine", "wind")
ON_RAY = ("dock-24B-w07x1-busy-0", "dock-36A-w05x1-busy-0", "dock-36A-w37x1-standard-0")
"""Three live weeks for the Ray runtime: 10 to 11 role processes each."""
TARGETS = {"live": "15 ms"}


def _play(week: str, port: str, company: Company) -> None:
    played(Request(week, port, "naive"), company)


def _inline(week: str, port: str) -> None:
    _play(week, port, Inline())


def weeks_inline() -> Iterator[Row]:
    """A port's weeks with the naive planner, journal and grade included: the median week."""
    for port in PORTS:
        weeks = week_ids(port)
        times = [median(partial(_inline, week, port), 5) for week in weeks]
        what = f"{port} week inline, naive, {len(weeks)} weeks"
        yield Row(what, statistics.median(times) * 1e3, "ms", TARGETS.get(port, ""))


def weeks_on_ray() -> Iterator[Row]:
    """Ray's start, then a live week from casting to grade, every role in a new process."""
    from actors.on_ray import OnRay, cluster

    started = time.perf_counter()
    with cluster():
        yield Row("Ray started", time.perf_counter() - started, "s")
        times = []
        for week in ON_RAY:
            began = time.perf_counter()
            with OnRay() as on_ray:
                _play(week, "live", on_ray)
            times.append(time.perf_counter() - began)
        what = f"live week on Ray, naive, {len(ON_RAY)} weeks, Ray up"
        yield Row(what, statistics.median(times), "s", "5 s")


MEASURES = (weeks_inline, weeks_on_ray)
