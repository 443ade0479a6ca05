"""What makes a week worth playing: is its best within reach, and do the news and wind matter?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from port.model import Week
from port.news import watch_hours

CONFIGURATIONS: tuple[tuple[int, bool], ...] = ((1, True), (1, False), (8, True), (8, False))
"""The re-planner's four solver configurations: workers, and whether ties go to early finishes."""
ENOUGH = 3
"""Of the four, so many must agree."""
IGNORED_AT_MOST = 0.9
"""What a planner may score that ignores the forecasts, in a week where they matter."""
MOST_WATCHES = 10


@dataclass(frozen=True)
class Played:
    """What one configuration of a re-planner got. `cost` is None when it broke a rule."""

    workers: int
    tie_break: bool
    cost: int | None
    reward: float
    feasible: bool
    excused_cost: int


def at_most(played: Played, cost: int) -> bool:
    return played.cost is not None and played.cost <= cost


def suffers(played: Played) -> bool:
    """Whether a planner that ignores the forecasts (or heeds them all) falls short."""
    return played.reward <= IGNORED_AT_MOST


def within_reach(played: Sequence[Played], cost: int) -> bool:
    """Whether enough configurations cost no more than `cost`."""
    return sum(at_most(p, cost) for p in played) >= ENOUGH


def reaches(played: Sequence[Played], cost: int) -> bool:
    """Whether enough configurations cost exactly `cost`: the optimum of a live or marine week."""
    return sum(p.cost == cost for p in played) >= ENOUGH


def matters(ignoring: Sequence[Played]) -> bool:
    """Whether ignoring the forecasts (or heeding them all) falls short often enough."""
    return sum(map(suffers, ignoring)) >= ENOUGH


def too_many_watches(week: Week) -> str | None:
    watches = len(watch_hours(week))
    if watches > MOST_WATCHES:
        return f"{watches} watches, at most {MOST_WATCHES}"
    return None


def held_alongside(week: Week) -> str | None:
    """Why a week cannot be moved into its wind: a ship alongside due out when nobody may leave."""
    for block in week.blocks:
        if block.kind != "alongside":
            continue
        for hold in week.wind:
            if hold.min_length == 0 and hold.start <= block.end < hold.end:
                return f"{block.label}, alongside, is due out at hour {block.end}, above 30 kn"
    return None


def anchor(optimum: int, following: Sequence[Played]) -> int:
    """The lower of hindsight's cost and the forecast-following re-planner's best."""
    return min([optimum, *(p.cost for p in following if p.cost is not None)])


def deal(
    weeks: Sequence[str],
    storms: Sequence[str],
    false_alarms: Sequence[str],
    qualifying: frozenset[tuple[str, str]],
    least: int = 12,
    most: int = 15,
) -> list[tuple[str, str]]:
    """Pick wind weeks from the qualifying pairs of week and weather.

    Round 1: each week in order takes the first qualifying storm nobody has, looking from its own
    place on and wrapping; then each false alarm goes to the first week it qualifies on. With fewer
    than `least` picked, in round 2 each week takes another qualifying storm, whoever has it, until
    there are `most`. The picks come in the order of weeks, and of weathers.
    """
    picked: list[tuple[str, str]] = []
    for place, week in enumerate(weeks):
        taken = {storm for _, storm in picked}
        free = [s for s in _from(storms, place) if (week, s) in qualifying and s not in taken]
        picked += [(week, storm) for storm in free[:1]]
    for alarm in false_alarms:
        picked += [(week, alarm) for week in weeks if (week, alarm) in qualifying][:1]
    if len(picked) < least:
        for place, week in enumerate(weeks):
            others = [
                s
                for s in _from(storms, place)
                if (week, s) in qualifying and (week, s) not in picked
            ]
            picked += [(week, storm) for storm in others[: most - len(picked)][:1]]
    return sorted(picked, key=lambda pair: (weeks.index(pair[0]), pair[1]))


def _from(storms: Sequence[str], place: int) -> list[str]:
    """The storms from a place on, wrapping."""
    start = place % len(storms)
    return [*storms[start:], *storms[:start]]
