"""The port: what is true in a week, what is allowed, what a plan is worth.

The names below are the surface other code relies on. `check_many` is imported when it is first
used: it alone needs NumPy, and listing weeks should not wait for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .check import check, floor
from .grade import grade
from .packs import load_week, week_ids
from .plans import parse_plan

if TYPE_CHECKING:
    from .batch import check_many

__all__ = ["check", "check_many", "floor", "grade", "load_week", "parse_plan", "week_ids"]


def __getattr__(name: str) -> Any:
    if name != "check_many":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .batch import check_many

    return check_many
