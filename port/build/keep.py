"""Which candidates are worth keeping as training weeks? RULES section 9, its last point."""

from __future__ import annotations

from itertools import combinations

from .. import movements, quay
from ..model import Block, Week

FEWEST_SHIPS = 12
NAIVE_MOST = 0.6
GREEDY_MOST = 0.85


def keep(
    week: Week, optimum: int | None, proven: bool, naive_reward: float, greedy_reward: float
) -> str | None:
    """Why the candidate is dropped; None when it is kept.

    `week` is the week as it was, `optimum` the cost of the best plan found (None: none was).
    """
    if (reason := unfit(week)) is not None:
        return reason
    if optimum is None:
        return "no plan was found"
    if not proven:
        return f"the optimum is not proven: best cost found {optimum}"
    if naive_reward > NAIVE_MOST:
        return f"naive scores {naive_reward:.3f}, at most {NAIVE_MOST} wanted"
    if greedy_reward > GREEDY_MOST:
        return f"greedy scores {greedy_reward:.3f}, at most {GREEDY_MOST} wanted"
    return None


def unfit(week: Week) -> str | None:
    """What is wrong with a candidate before anyone has planned it; None when nothing is."""
    if len(week.ships) < FEWEST_SHIPS:
        return f"{len(week.ships)} ships, at least {FEWEST_SHIPS} wanted"
    return fixed_load_break(week)


def fixed_load_break(week: Week) -> str | None:
    """The first limit that the loads no plan can change break by themselves; None when none.

    Fixed are the ships alongside at hour 0 (their sections, cranes and departures), closures and
    crane outages.
    """
    for one, other in combinations(week.blocks, 2):
        if _meet(one, other):
            return f"fixed loads: {one.label} and {other.label} meet on the quay"
    for load in quay.crane_overloads(week, ()):
        return f"fixed loads: {load.used} of {load.available} cranes in use at hour {load.start}"
    for hour, departures in sorted(movements.alongside_departures(week).items()):
        if departures > week.movement_limit:
            limit = week.movement_limit
            return f"fixed loads: {departures} departures at hour {hour}, {limit} allowed"
    return None


def _meet(one: Block, other: Block) -> bool:
    return (
        one.first <= other.last
        and other.first <= one.last
        and one.start < other.end
        and other.start < one.end
    )
