"""What is a week's plan worth in the end, and was the week played by its own rules?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from .check import Verdict, check, floor
from .errors import WeekError
from .excuse import NONE, Excuses, Settlement, settle
from .model import Plan, Week
from .movements import FREEZE_HOURS
from .news import News, about, schedule

INFEASIBLE_CAP = 0.2
"""A plan that breaks a rule earns less than this, a plan that breaks none at least this."""
GAP_SCALE = 0.5
SMALL_WEEK = 100
"""Added to what a planner controls, so that a week with little to lose is no knife edge."""


def reward(cost: int, best: int, floor: int) -> float:
    """The reward of a feasible plan: 1.0 at `best` or below, towards 0.2 far above it."""
    gap = max(0, cost - best) / (max(0, best - floor) + SMALL_WEEK)
    return round(INFEASIBLE_CAP + (1 - INFEASIBLE_CAP) * math.exp(-gap / GAP_SCALE), 6)


def infeasible_reward(clean: int, entries: int) -> float:
    """The reward of a plan that breaks a rule: 0.2 x the share of its entries that are clean."""
    return round(INFEASIBLE_CAP * clean / entries, 6) if entries else 0.0


@dataclass(frozen=True)
class Grade:
    """The reward, and what it was made of. `cost` (net of excuses) is None when infeasible."""

    reward: float
    feasible: bool
    cost: int | None
    best: int
    floor: int
    unreadable: int
    verdict: Verdict
    settlement: Settlement

    @property
    def excused_cost(self) -> int:
        return sum(self.settlement.waived.values())


def grade(week: Week, plan: Plan, unreadable: int = 0, excuses: Excuses = NONE) -> Grade:
    """Grade a plan on the week as it was. `unreadable` counts entries nobody could read.

    Raises WeekError when the week carries no best cost to grade against.
    """
    if week.best is None:
        raise WeekError(f"{week.id} has no best cost to grade against; solve it first")
    verdict = check(week, plan)
    settlement = settle(verdict, excuses)
    least = floor(week)
    if settlement.feasible and settlement.cost is not None and not unreadable:
        worth = reward(settlement.cost, week.best, least)
    else:
        worth = infeasible_reward(settlement.clean, len(week.ships) + unreadable)
    feasible = settlement.feasible and not unreadable
    return Grade(
        worth,
        feasible,
        settlement.cost if feasible else None,
        week.best,
        least,
        unreadable,
        verdict,
        settlement,
    )


def audit(week: Week, told: Sequence[News]) -> list[str]:
    """What went wrong in the telling: `told` is the planner's news, in the order it came.

    Every bulletin must bring exactly its news, in the schedule's order, once, and news after
    hour 0 must come at least 6 hours ahead of the hour it is about. An empty list is a sound week.
    """
    faults = []
    for due, came in zip_longest(schedule(week), told):
        if due != came:
            faults.append(f"expected {_news_text(due)}, got {_news_text(came)}")
            break
    faults += [
        f"{_news_text(news)} came less than {FREEZE_HOURS} hours ahead of hour {hour}"
        for news in told
        if news.hour > 0 and (hour := about(week, news.event)) is not None
        if hour - news.hour < FREEZE_HOURS
    ]
    return faults


def _news_text(news: News | None) -> str:
    if news is None:
        return "no news"
    return f"{news.event.kind} news by {news.speaker} at hour {news.hour}"
