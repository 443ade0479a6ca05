"""How fast is it? Medians, with the machine they were measured on: `python -m benchmarks`.

A module here takes part by having a tuple `MEASURES` of functions without arguments that yield
rows. Run some modules only by naming them: `python -m benchmarks checks`.
"""

from __future__ import annotations

import os
import platform
import statistics
import timeit
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """One figure: what was measured, its median, the unit, and the target if there is one."""

    what: str
    value: float
    unit: str
    target: str = ""


Measure = Callable[[], Iterator[Row]]


def median(run: Callable[[], object], repeat: int = 11, number: int = 1) -> float:
    """The median over `repeat` rounds of the seconds one of `number` runs in a row takes.

    A first run is not counted: what it caches is there from then on. As `timeit` does, no garbage
    is collected meanwhile.
    """
    run()
    return statistics.median(timeit.repeat(run, number=number, repeat=repeat)) / number


def machine() -> dict[str, str | int]:
    """The machine's name, its processor, the cores we may use, and Python's version."""
    return {
        "machine": platform.node(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _cores(),
        "python": platform.python_version(),
    }


def _cores() -> int:
    return os.cpu_count() or 1


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
