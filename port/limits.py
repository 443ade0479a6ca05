"""How much may a planner ask?"""

from __future__ import annotations

from dataclasses import dataclass

from .model import Week


@dataclass(frozen=True)
class Limits:
    """`plans` is plan checks a week, or checks and confirmations a watch in a week that unfolds.

    `calls` is every call in a week, failed ones included (None: not counted).
    """

    plans: int
    calls: int | None


IN_ONE_GO = Limits(plans=10, calls=24)
WATCH_BY_WATCH = Limits(plans=3, calls=None)


def limits(week: Week) -> Limits:
    return WATCH_BY_WATCH if week.unfolds else IN_ONE_GO
